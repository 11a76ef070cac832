#!/usr/bin/env python3
"""Checks that each floor includes only the floors below it, and that the command uses public headers only."""
import collections
import pathlib
import re
import sys

FLOOR = {"base": 0, "registry": 1, "record": 1, "fabric": 1, "topology": 2, "format": 2, "routing": 3, "vc": 3, "traffic": 3,
         "verify": 4, "analysis": 4, "sim": 4, "plugin": 5, "subnet": 5, "experiment": 6, "report": 7, "cli": 8, "opensm": 8}
# Floors at the same height that may look at each other, and in which direction.
SIDEWAYS = {("topology", "format"), ("routing", "traffic"), ("vc", "routing"), ("routing", "vc"), ("analysis", "verify"), ("sim", "verify"), ("sim", "analysis")}
# The rooms of a floor, from the lowest: a room includes those before it. "" is the floor's own folder; a floor without rooms is
# not listed. BACK: includes that still go the other way.
ROOMS = {"base": ["", "yaml", "output", "ranks", "mpi"],
         "record": ["", "preload"],
         "routing": ["graph", "", "tree", "direct", "colored", "compact", "table", "select"],
         "traffic": ["", "workload", "program", "storage"],
         "analysis": ["", "bounds", "queues", "workload", "growth"],
         "experiment": ["yaml", "figures", "batch", "", "merge", "run"],
         "report": ["", "figure", "study", "design"],
         "topology": ["racks", "damage", "", "cabling"],
         "cli": ["", "help", "subnet", "load", "design", "ranks", "serve", "submit"],
         "format": ["", "opensm", "printed", "cables", "simulators"],
         "subnet": ["levels", "counters", "judge", "tables", "deploy", "audit", "failures", "rounds"],
         "sim": ["core", "measure", "parallel", "state", "params", "workload", "order", "adapter", "packet", "inspect", "fast", "flit", ""]}
BACK = {("routing/graph", "routing")}
MOST_FILES = 40  # in one folder
PUBLIC = {"base": "base", "ranks": "base", "json": "base", "fabric": "fabric", "lids": "fabric", "topology": "topology", "topology_data": "topology", "cabling": "topology", "format": "format", "subnet_files": "format", "routing": "routing", "vc": "vc",
          "traffic": "traffic", "verify": "verify", "analysis": "analysis", "floor_plan": "topology", "sim": "sim", "experiment": "experiment", "prices": "experiment",
          "report": "report", "design": "report", "reproduce": "report", "record": "record", "plugin": "plugin", "subnet": "subnet", "audit": "subnet", "failures": "subnet", "subnet_watch": "subnet", "deploy": "subnet", "counters": "subnet", "path_records": "subnet"}


def room_error(place, name, used):
    """What is wrong about an include within one floor, or None."""
    floor, _, room = place.partition("/")
    target = name.rpartition("/")[0]
    if target.split("/")[0] != floor or floor not in ROOMS or target == place:
        return None
    order, there = ROOMS[floor], target.partition("/")[2]
    if there not in order or order.index(there) < order.index(room):
        return None
    if (place, target) in BACK:
        used.add((place, target))
        return None
    return f"'{place}' may not include '{target}' ({name})"


def main(root):
    errors = []
    used = set()
    files = collections.Counter()
    for path in sorted(root.glob("src/**/*.[ch]")):
        place = path.parent.relative_to(root / "src").as_posix()
        floor, _, room = place.partition("/")
        if floor not in FLOOR or room and room not in ROOMS.get(floor, []):
            errors.append(f"{path}: folder '{place}' is no floor and no room of one; add it to tools/check_floors.py")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            name = match.group(1)
            if name.startswith("ikat/"):
                stem = name[5:-2]
                target = PUBLIC.get(stem)
            elif "/" in name:
                target = name.split("/")[0]
                wrong = room_error(place, name, used)
                if wrong:
                    errors.append(f"{path}:{number}: {wrong}")
                if floor == "cli" or floor == "opensm" and target != floor:
                    errors.append(f"{path}:{number}: the command and the plug-in for OpenSM may only use public headers, not {name}")
                    continue
            else:
                continue
            if target is None or target == floor:
                continue
            if FLOOR[target] > FLOOR[floor] or (FLOOR[target] == FLOOR[floor] and (floor, target) not in SIDEWAYS):
                errors.append(f"{path}:{number}: floor '{floor}' may not include floor '{target}' ({name})")
    errors += [f"tools/check_floors.py: nobody in {a} includes {b} any more: take it out of BACK" for a, b in BACK - used]
    for path in root.glob("src/**/*"):
        if path.is_file() and "node_modules" not in path.parts:
            files[path.parent.relative_to(root / "src").as_posix()] += 1
    errors += [f"src/{place}: {n} files in one folder, at most {MOST_FILES}" for place, n in files.items() if n > MOST_FILES]
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
