#!/usr/bin/env python3
"""Writes docs/reproductions.md from what `ikat reproduce` left in folders (of all papers, or one for each): every claim with its verdict, what in the source, what was found, and the reason where it differs; and from docs/results what was kept of runs at larger scales (tools/keep_results.py).

    ikat reproduce -o reproductions && tools/make_reproductions.py build/release/ikat reproductions > docs/reproductions.md

With --keep docs/reproductions.md and no folder, what is of scale quick stands as it does there: for results of larger scales that came. With folders, claims whose points are not finished in the folders stand as they do there, so that after a change of some
experiments only these have to be run whole. The others are begun (--budget 1s), so that their claims are known; their sweeps must not have changed.
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys

from keep_results import digest

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs/results"

HEAD = """# The papers, reproduced

This page compares ikat with published results. `ikat reproduce` runs the experiments of some papers and checks what the papers
claim about them. For each claim the tables say what the paper states, what ikat found, and whether the two agree; where they
differ, the reason is given if it is known.

- `ikat reproduce --list` lists the experiments and the time that each takes.
- Results on this page are of the scale quick; `--scale full` runs the sizes of the papers, and `--scale middle` the smallest that
  keep what the claims depend on. [Full scale](#full-scale) and [Middle scale](#middle-scale) have what was run of them. `--shard`,
  `--only` and `--budget` divide [long runs](experiments.md#long-runs-shards-and-budgets).
- Settings that a paper does not give, and that were chosen for ikat, are stated in the experiment files
  (`experiments/papers/`) and on the page that `ikat reproduce` writes. [Other readings](readings.md) says which verdicts depend on
  some of them.

```sh
ikat reproduce --list
ikat reproduce 000/fig2b
```

The verdicts are:

- *holds* or *differs*: by the 95 % confidence intervals of both sides ([how claims are judged](experiments.md#claims));
- *cannot be told*: the intervals overlap, there are too few samples, or a point was not shown to be
  [steady](experiments.md#is-a-number-steady) (the scale quick is short);
- *full* or *middle*: the claim is checked at this scale and larger ones only.

The margin is the share of the right side by which the result may move before the verdict is another one; it is negative where a
claim differs. A *weak* claim may hold although the effect that its source describes is not there. What *would also
hold* with an effect that goes the other way says nothing of it, and what would with 10 % more and with 10 % less does not
notice a change of 10 % ([how claims are judged](experiments.md#claims)); `ikat reproduce --power` lists such claims.

This page is written by `tools/make_reproductions.py`. The tests run a part of the experiments and compare the verdicts with it.
"""


# columns of kept points that say which point it is
KEYS = ("design", "fabric", "routing", "vc", "selection", "traffic", "variant", "vcs", "load", "seed")
BASES = {"publication": "claims of the papers", "twin": "comparisons with another computation of ikat", "program": "comparisons with BookSim2"}
VERDICTS = ("holds", "differs", "cannot be told", "not asked")


def cell(text):
    return " ".join(text.replace("|", "\\|").split())


def read_claims(folders):
    """Of all folders together; an entry is in one of them alone."""
    claims, where = [], {}
    for folder in folders:
        with open(folder / "claims.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for name in {row["name"] for row in rows}:
            if where.setdefault(name, folder) != folder:
                sys.exit(f"{name} is in {where[name]} and in {folder}")
        claims += rows
    return claims


def read_kept():
    """The index of docs/results, and the claims that were kept, each with the name of its entry and its scale."""
    path = RESULTS / "index.json"
    if not path.exists():
        return {"parts": [], "claims": {}}, []
    index, claims = json.loads(path.read_text(encoding="utf-8")), []
    for study, kept in sorted(index["claims"].items()):
        with open(RESULTS / kept["file"], encoding="utf-8") as file:
            claims += [{**row, "scale": study.split(".")[1], "name": f"{study.split('/')[0]}/{row['figure']}"} for row in csv.DictReader(file)]
    return index, claims


def count(claims):
    """A sentence for each kind of claims."""
    texts = []
    for basis, what in BASES.items():
        mine = [c for c in claims if (c.get("basis") or ("twin" if "static twin" in c["source"] else "publication")) == basis]
        number = {v: sum(c["verdict"] == v for c in mine) for v in VERDICTS}
        known = sum(c["verdict"] == "differs" and c["differs"] != "" for c in mine)
        weak = sum(c["verdict"] == "holds" and c.get("weak", "") != "" for c in mine)
        if mine:
            texts.append(f"- {len(mine)} {what}: {number['holds']} hold{f' ({weak} of them are weak)' if weak else ''}, {number['differs']} differ "
                         f"(the reason is known for {known}), {number['cannot be told']} cannot be told, and {number['not asked']} are checked at a larger scale only.")
    return "\n".join(texts)


def recorded(path):
    """The lines of claims in a document, by entry and claim."""
    lines, entry = {}, None
    for line in path.read_text(encoding="utf-8").split("\n## Full scale\n")[0].splitlines():
        if line.startswith("### "):
            entry = line[4:].split(":")[0]
        elif line.startswith("| ") and entry:
            cells = re.split(r"(?<!\\)\|", line)
            lines[entry, cells[2].strip()] = line
    return lines


def keep(claims, lines):
    """Claims that are unfinished get the line, and the verdict, that are recorded of them."""
    lacking = []
    for c in claims:
        if c["verdict"] != "cannot be told" or not re.match(r"(unfinished: |not all points are finished)", c["found"]):
            continue
        line = lines.get((c["name"], cell(c["claim"])))
        if line is None:
            lacking.append(f"{c['name']}: {c['claim']}")
            continue
        c["line"], c["verdict"] = line, line.split("|")[1].strip()
    if lacking:
        sys.exit("\n".join(["not finished, and not recorded:", *lacking]))


def waits_for(claim):
    """The scale at which a claim is first judged."""
    return re.search(r"at (\w+) scale$", claim["asked"])[1]


def print_claims(claims):
    print("| verdict | claim | source | in the source | asked | found | margin |\n| --- | --- | --- | --- | --- | --- | --- |")
    for c in claims:
        if "line" in c:
            print(c["line"])
            continue
        found = cell(c["found"]) if c["verdict"] != "not asked" else ""
        if c["verdict"] == "differs":
            found += f". {cell(c['differs'])}" if c["differs"] else ". The reason is not known"
        if c["verdict"] == "holds" and c["differs"]:
            found += f". The experiment gives a reason why it would differ: {cell(c['differs'])}"
        if c.get("weak"):
            found += f". Weak: {cell(c['weak'])}"
        if c.get("blind"):
            found += f". Would also hold {c['blind']}"
        margin = f"{100 * float(c['margin']):.2g} %" if c.get("margin") else ""
        verdict = waits_for(c) if c["verdict"] == "not asked" else c["verdict"]
        print(f"| {verdict} | {cell(c['claim'])} | {cell(c['source'])} | {cell(c['paper'])} | {cell(c.get('asked', ''))} | {found} | {margin} |")


def reference(entry):
    """The paper that an entry reproduces, as its experiment names it."""
    text = (ROOT / f"experiments/papers/{entry['name'].split('/')[0]}/{entry['experiment']}.yaml").read_text(encoding="utf-8")
    return re.search(r'^  paper: "(.*)"$', text, re.M)[1]


def print_entries(entries, claims):
    paper = None
    for entry in entries:
        if entry["name"].split("/")[0] != paper:
            paper = entry["name"].split("/")[0]
            print(f"\n## {paper}\n\n{reference(entry)}")
        print(f"\n### {entry['name']}: {entry['title']}\n")
        mine = [c for c in claims if c["name"] == entry["name"]]
        if mine:
            print_claims(mine)
        else:
            print("Not run.")


def count_points(parts):
    """How many points of a study the files of its parts have together: shards of different divisions, and the whole, share some."""
    if len(parts) == 1:
        return parts[0]["points"]
    points = set()
    for part in parts:
        with open(RESULTS / part["file"], encoding="utf-8") as file:
            points.update(tuple(row.get(key, "") for key in KEYS) for row in csv.DictReader(file))
    return len(points)


def finished(parts, cost):
    """How much of a study is kept, where its points are not those of another scale."""
    if not parts:
        return f"that of scale {cost['same_as']}" if cost["same_as"] else "nothing"
    text = (ROOT / f"experiments/papers/{parts[0]['study']}.yaml").read_text(encoding="utf-8")
    old = any(p["experiment"] != digest(text, p["scale"]) for p in parts)
    return f"{count_points(parts)} of {parts[0]['sweep']} points{' (of an earlier version of the experiment)' if old else ''}"


def print_scale(scale, entries, index, claims):
    """Which share of each study is kept at a scale, of all studies; then the verdicts of their claims."""
    studies = {}
    for e in entries:
        studies.setdefault(f"{e['name'].split('/')[0]}/{e['experiment']}", []).append(e)
    print(f"\n## {scale.capitalize()} scale\n")
    print(f"These experiments were run at scale {scale}. Their points are kept as CSV in [results](results/), by `tools/keep_results.py`.\n")
    print("| experiment | entries | processor time | finished | files | made by |\n| --- | --- | --- | --- | --- | --- |")
    for study, some in studies.items():
        parts = [p for p in index["parts"] if p["study"] == study and p["scale"] == scale]
        cost = some[0]["scales"][scale]
        files = ", ".join(f"[{p['part'] or 'all'}](results/{p['file']})" for p in parts)
        made = ", ".join(f"`{p['command']}`" for p in parts)
        print(f"| {study} | {', '.join(e['name'].split('/')[1] for e in some)} | {cost['seconds'] / 3600:.2g} h | {finished(parts, cost)} | {files} | {made} |")
    if claims:
        print(f"\n{count(claims)}")
    for entry in entries:
        mine = [c for c in claims if c["name"] == entry["name"]]
        if mine:
            print(f"\n### {entry['name']} at {scale} scale\n")
            print_claims(mine)


def main(ikat, folders, kept_document):
    entries = json.loads(subprocess.run([ikat, "reproduce", "--list", "--json"], check=True, capture_output=True, text=True).stdout)
    claims = read_claims(folders)
    index, kept = read_kept()
    if kept_document and not folders:
        print(pathlib.Path(kept_document).read_text(encoding="utf-8").split("\n## Full scale\n")[0].rstrip())
    else:
        if kept_document:
            keep(claims, recorded(pathlib.Path(kept_document)))
        print(HEAD)
        print(count(claims))
        print_entries(entries, claims)
    for scale in reversed(list(entries[0]["scales"])[1:]):
        print_scale(scale, entries, index, [c for c in kept if c["scale"] == scale])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("ikat")
    parser.add_argument("folders", metavar="FOLDER", nargs="*", type=pathlib.Path)
    parser.add_argument("--keep", metavar="DOCUMENT")
    given = parser.parse_args()
    if not given.folders and not given.keep:
        parser.error("expected folders, or --keep DOCUMENT")
    main(given.ikat, given.folders, given.keep)
