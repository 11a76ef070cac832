#!/usr/bin/env python3
"""Checks that each floor includes only the floors below it, and that the command uses public headers only."""
import pathlib
import re
import sys

FLOOR = {"base": 0, "fabric": 1, "topology": 2, "format": 2, "routing": 3, "vc": 3, "traffic": 3,
         "verify": 4, "analysis": 4, "sim": 4, "experiment": 5, "report": 6, "cli": 7}
# Floors at the same height that may look at each other, and in which direction.
SIDEWAYS = {("topology", "format"), ("routing", "traffic"), ("vc", "routing"), ("routing", "vc"), ("analysis", "verify")}
PUBLIC = {"base": "base", "fabric": "fabric", "topology": "topology", "topology_data": "topology", "format": "format", "routing": "routing", "vc": "vc",
          "traffic": "traffic", "verify": "verify", "analysis": "analysis", "sim": "sim", "experiment": "experiment",
          "report": "report"}


def main(root):
    errors = []
    for path in sorted(root.glob("src/*/*.[ch]")):
        floor = path.parent.name
        if floor not in FLOOR:
            errors.append(f"{path}: folder '{floor}' is no floor; add it to tools/check_floors.py")
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
                if floor == "cli":
                    errors.append(f"{path}:{number}: the command may only use public headers, not {name}")
                    continue
            else:
                continue
            if target is None or target == floor:
                continue
            if FLOOR[target] > FLOOR[floor] or (FLOOR[target] == FLOOR[floor] and (floor, target) not in SIDEWAYS):
                errors.append(f"{path}:{number}: floor '{floor}' may not include floor '{target}' ({name})")
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
