#!/usr/bin/env python3
"""Writes docs/reproductions.md from what `ikat reproduce` left in a folder: every claim with its verdict, what the source says, what was
found, and why it differs where it does.

    ikat reproduce -o reproductions && tools/make_reproductions.py build/release/ikat reproductions > docs/reproductions.md
"""
import csv
import json
import pathlib
import subprocess
import sys

HEAD = """# The papers, reproduced

`ikat reproduce` runs experiments of papers and judges what they claim. This page is made from such a run at the small scale by
`tools/make_reproductions.py`; the tests run some of it and compare the verdicts. `ikat reproduce --list` says what there is and what it costs, `--full`
takes the papers' sizes, and `--shard` and `--budget` make long runs [short ones](experiments.md#long-runs-shards-and-budgets).

```sh
ikat reproduce --list
ikat reproduce 000/fig2b
```

*holds* and *differs* are judged by 95 % intervals, *cannot be told* is where they overlap, *full* is asked at full scale alone. Settings that are our choice stand in
the experiment files, `experiments/papers/`, and on the page that `ikat reproduce` makes.
"""


def cell(text):
    return " ".join(text.replace("|", "\\|").split())


def main(ikat, folder):
    entries = json.loads(subprocess.run([ikat, "reproduce", "--list", "--json"], check=True, capture_output=True, text=True).stdout)
    with open(folder / "claims.csv", encoding="utf-8") as file:
        claims = list(csv.DictReader(file))
    count = {v: sum(c["verdict"] == v for c in claims) for v in ("holds", "differs", "cannot be told", "not asked")}
    known = sum(c["verdict"] == "differs" and c["differs"] != "" for c in claims)
    print(HEAD)
    print(f"{len(claims)} claims: {count['holds']} hold, {count['differs']} differ (of {known} it is known why), "
          f"{count['cannot be told']} cannot be told, {count['not asked']} are asked at full scale alone.")
    paper = None
    for entry in entries:
        if entry["name"].split("/")[0] != paper:
            paper = entry["name"].split("/")[0]
            print(f"\\n## {paper}".replace("\\n", "\n"))
        print(f"\n### {entry['name']}: {entry['title']}\n")
        print("| verdict | claim | source | the source says | found |\n| --- | --- | --- | --- | --- |")
        for c in claims:
            if c["name"] != entry["name"]:
                continue
            found = cell(c["found"]) if c["verdict"] != "not asked" else ""
            if c["verdict"] == "differs":
                found += f". {cell(c['differs'])}" if c["differs"] else ". Not known why"
            verdict = "full" if c["verdict"] == "not asked" else c["verdict"]
            print(f"| {verdict} | {cell(c['claim'])} | {cell(c['source'])} | {cell(c['paper'])} | {found} |")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
