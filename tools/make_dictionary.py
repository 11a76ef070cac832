#!/usr/bin/env python3
"""Words of experiment files for libFuzzer, from the program's declarations: make_dictionary.py IKAT >yaml.dict

Sections, keys of figures, claims, designs, jobs and schedules, families and their parameters, choices, results and measures: what a
fuzzer that changes single bytes does not find.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Keys of lists that have no table of their own, and what YAML and quantities are written with.
OTHERS = ["until", "name", "traffic", "load", "hosts", "mapping", "start", "find", "saturation", "precision", "least", "least*1.5", "family", "stop",
          "times", "step", "..", " us", " ns", " KiB", " %", "\n  - {", ": ", "[", "]", "{", "}", "&a ", "*a", "<<: "]


def ask(ikat, *args):
    return json.loads(subprocess.run([pathlib.Path(ikat).resolve(), *args, "--json"], capture_output=True, text=True, check=True).stdout)


def words_of(rows):
    for row in rows:
        yield row["name"]
        yield from row["type"].split("|") if "|" in row["type"] else ()


def main(ikat):
    words = list(OTHERS)
    for section in ask(ikat, "help", "experiment")["topic"]["sections"]:
        words.append(section["name"])
        words += re.findall(r"[a-z_]+(?=[,;}]| }|$)", section["help"]) if section["name"] in ("measures", "designs", "jobs", "schedule") else []
    for topic in ("figures", "expect"):
        words += words_of(ask(ikat, "help", topic)["section"]["parameters"])
    for members in ask(ikat, "list").values():
        for member in members:
            words += [member["name"], *words_of(member["parameters"])]
    source = (ROOT / "src/experiment/figures/metrics.c").read_text(encoding="utf-8")
    words += re.findall(r'= \{"([a-z0-9_]+)"', source)
    for word in sorted(set(words)):
        print('"' + "".join(c if c.isalnum() or c in "_ -+.:*<>=[]{}&%|" else f"\\x{ord(c):02x}" for c in word) + '"')


if __name__ == "__main__":
    main(*sys.argv[1:2])
