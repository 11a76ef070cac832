#!/usr/bin/env python3
"""Keeps results of the larger scales (middle, and full, the papers' sizes) in docs/results: the points as CSV, what became of the claims, and an index that says which share of each
study is there and by which command it was made.

    ikat reproduce 000 --scale full -o out [--shard 2/8]
    tools/keep_results.py build/release/ikat out

Results files are too large to be kept; what is dropped of the points is columns that are empty. Shards stand in files of their own, so they can come one
after the other, from several machines; claims are of those shards together whose results are in the folder, and are replaced only by claims of
as many points or more. docs/reproductions.md is then made anew (tools/make_reproductions.py)."""
import argparse
import contextlib
import csv
import hashlib
import io
import json
import pathlib
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_BYTES = 20_000_000
NAME = re.compile(r"(?P<study>[A-Za-z0-9_]+)\.(?P<scale>[a-z]+)(?:\.(?P<shard>\d+)of(?P<shards>\d+))?\.db")


def ikat(program, *args):
    done = subprocess.run([program, *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def table(program, store, name):
    return list(csv.reader(io.StringIO(ikat(program, "report", store, "--csv", "--table", name))))


def meta(store, key):
    with contextlib.closing(sqlite3.connect(f"{store.resolve().as_uri()}?mode=ro", uri=True)) as db:
        row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else ""


def digest(text, scale):
    """Of an experiment as far as it decides about results of this scale: without other scales, costs, and what is said of the reproduction."""
    def own(name):
        return re.search(rf"^  {name}:.*\n(?:    .*\n)*", text[text.find("\nscales:") + 1:], re.M)
    found = own(scale)
    like = re.search(r"\blike: (\w+)", found[0]) if found else None
    wanted, kept, section, part = {scale, like[1] if like else scale}, [], None, None
    for line in text.splitlines():
        if line[:1].strip() and line[0] != "#":
            section, part = line.split(":")[0], None
        if section == "scales" and re.match(r"  \w", line):
            part = line.split(":")[0].strip()
        if section != "reproduction" and (section != "scales" or part is None or part in wanted):
            kept.append(re.sub(r"\bcost: [^,}]*(, )?", "", line).rstrip() if part else line)
    return hashlib.sha256("\n".join(line for line in kept if line).encode()).hexdigest()


def write(path, rows):
    """Returns the digest of the file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    data = text.getvalue().encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def filled(rows):
    """Without the columns that no row has a value in."""
    keep = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    return [[row[k] for k in keep] for row in rows]


def merged(program, stores, folder):
    if len(stores) == 1:
        return stores[0]
    out = pathlib.Path(folder) / "merged.db"
    out.unlink(missing_ok=True)
    ikat(program, "merge", *stores, "-o", out)
    return out


def keep_points(program, store, found, paper, to, only):
    """The entry of one results file in the index; None: it has no point."""
    rows = filled(table(program, store, "points"))
    if len(rows) < 2:
        return None
    part = f"{found['shard']}/{found['shards']}" if found["shard"] else ""
    name = f"{paper}/{store.stem}.csv"
    return {"study": f"{paper}/{found['study']}", "scale": found["scale"], "part": part, "file": name, "points": len(rows) - 1, "sweep": int(meta(store, "num_points")),
            "version": meta(store, "version"), "experiment": digest(meta(store, "experiment"), found["scale"]),
            "sha256": write(to / name, rows),
            "command": f"ikat reproduce {paper}/{found['study']} --scale {found['scale']}{' --shard ' + part if part else ''}"
                       + "".join(f" --only {shlex.quote(value)}" for value in only)}


def keep_claims(program, stores, study, to, index):  # study: "000/cg.full"
    """Claims of all parts of a study at a scale that are here."""
    with tempfile.TemporaryDirectory() as folder:
        store = merged(program, stores, folder)
        points = len(table(program, store, "points")) - 1
        claims = json.loads(ikat(program, "report", store, "--json"))["claims"]
    claims = [c for c in claims if c["verdict"] != "not asked" and not re.match(r"unfinished: |not all points are finished", c["found"])]
    old = index["claims"].get(study)
    if not claims or (old and old["points"] > points):
        return
    keys = ("figure", "verdict", "claim", "source", "paper", "found", "differs", "asked", "basis", "weak", "margin", "blind")
    name = f"{study}.claims.csv"
    index["claims"][study] = {"file": name, "points": points, "sha256": write(to / name, [keys, *([c[k] for k in keys] for c in claims)])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ikat", help="the program")
    parser.add_argument("folder", type=pathlib.Path, help="what 'ikat reproduce --scale full -o' wrote")
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "docs/results")
    parser.add_argument("--only", metavar="NAME=VALUE", action="append", default=[], help="as 'ikat reproduce' had it: for the command in the index")
    given = parser.parse_args()
    path = given.to / "index.json"
    index = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"parts": [], "claims": {}}
    studies = {}
    for store in sorted(given.folder.glob("*/*.db")):
        found = NAME.fullmatch(store.name)
        entry = keep_points(given.ikat, store, found, store.parent.name, given.to, given.only) if found else None
        if entry:
            index["parts"] = sorted([p for p in index["parts"] if p["file"] != entry["file"]] + [entry], key=lambda p: p["file"])
            studies.setdefault(f"{entry['study']}.{entry['scale']}", []).append(store)
            print(f"{entry['file']}: {entry['points']} of {entry['sweep']} points")
    if not studies:
        sys.exit(f"{given.folder}: no results at a larger scale")
    for study, stores in studies.items():
        keep_claims(given.ikat, stores, study, given.to, index)
    path.write_text(json.dumps(index, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    size = sum(p.stat().st_size for p in given.to.rglob("*") if p.is_file())
    print(f"{size / 1e6:.1f} MB in all")
    if size > MOST_BYTES:
        sys.exit(f"more than {MOST_BYTES / 1e6:.0f} MB are not kept")


if __name__ == "__main__":
    main()
