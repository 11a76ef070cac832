#!/usr/bin/env python3
"""Writes docs/readings.md: where a paper leaves a choice open, the experiment with every reading of experiments/papers/readings.json, at the scale quick, and the verdicts that are other ones.

    tools/make_readings.py build/release/ikat FOLDER > docs/readings.md

FOLDER keeps the results: what is finished there is not simulated again. Points that a reading does not change are taken from the results with ours.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAPERS = ROOT / "experiments/papers"
VERDICTS = ("holds", "differs", "cannot be told")

HEAD = """# Where a paper leaves a choice open

An experiment that reproduces a paper has to choose what the paper does not say. This page has the experiments with other choices
than [ours](reproductions.md), at the scale quick: how many of their claims hold, differ and cannot be told, and which claims have
another verdict. A claim that holds, or differs, with every reading does not depend on the choice; of one that cannot be told with any
of them that is not known. Not here yet: the ports of K/Delta in the throughputs of 003 (003/full_load, 003/over_load), c of 002 on
other networks than the OFT, and the reorder buffers under hot spots.

This page is written by `tools/make_readings.py` from `experiments/papers/readings.json`, which says what is replaced in the experiment.
"""


def replace(text, changes, place):
    for old, new in changes:
        if old not in text:
            sys.exit(f"{place}: the experiment has no '{old}'")
        text = text.replace(old, new)
    return text


def run(ikat, file, results):
    """The claims of the experiment in a file."""
    done = subprocess.run([ikat, "run", file, "-o", results, "-q", "--json"], capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(f"{file}: {done.stderr}")
    return json.loads(done.stdout)["claims"]


def cell(text):
    return " ".join(text.replace("|", "\\|").split())


def read(ikat, folder, one):
    """The verdicts with our reading and with each other one."""
    name = one["study"].replace("/", "-")
    source = PAPERS / f"{one['study']}.yaml"
    ours = run(ikat, source, folder / f"{name}.db")
    others = []
    for reading in one["readings"]:
        text = replace(source.read_text(encoding="utf-8"), reading["replace"], f"{one['study']}, {reading['name']}")
        stem = folder / f"{name}-{''.join(c if c.isalnum() else '_' for c in one['choice'][:20] + reading['name'])}"
        results = stem.with_suffix(".db")
        if not results.exists():
            shutil.copy(folder / f"{name}.db", results)
        file = stem.with_suffix(".yaml")
        file.write_text(text, encoding="utf-8")
        others.append(run(ikat, file, results))
        print(f"{one['study']}: {reading['name']}", file=sys.stderr)
    return ours, others


def row(name, claims):
    return f"| {cell(name)} | " + " | ".join(str(sum(c["verdict"] == v for c in claims)) for v in VERDICTS) + " |"


def section(ikat, folder, one):
    ours, others = read(ikat, folder, one)
    lines = [f"\n### {one['study']}: {one['choice']}\n", f"Source: {one['source']}.\n", "| reading | hold | differ | cannot be told |\n| --- | --- | --- | --- |",
             row(f"{one['ours']} (ours)", ours)]
    lines += [row(r["name"], claims) for r, claims in zip(one["readings"], others)]
    changed = [i for i, c in enumerate(ours) if any(claims[i]["verdict"] != c["verdict"] for claims in others)]
    if not changed:
        return "\n".join([*lines, "\nNo verdict depends on it."])
    heads = " | ".join([cell(one["ours"]), *(cell(r["name"]) for r in one["readings"])])
    lines.append(f"\n| claim | {heads} |\n| --- |{' --- |' * (1 + len(others))}")
    for i in changed:
        lines.append(f"| {cell(ours[i]['claim'])} | " + " | ".join(claims[i]["verdict"] for claims in [ours, *others]) + " |")
    return "\n".join(lines)


def main(ikat, folder, only):
    folder.mkdir(parents=True, exist_ok=True)
    paper = None
    print(HEAD, end="")
    for one in json.loads((PAPERS / "readings.json").read_text(encoding="utf-8")):
        if only and one["study"] not in only:
            continue
        if one["study"].split("/")[0] != paper:
            paper = one["study"].split("/")[0]
            print(f"\n## {paper}")
        print(section(ikat, folder, one), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("ikat")
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--only", metavar="EXPERIMENT", action="append", help="an experiment, such as 000/cg; several times: several")
    given = parser.parse_args()
    main(given.ikat, given.folder, given.only)
