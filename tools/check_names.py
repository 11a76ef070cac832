#!/usr/bin/env python3
"""Checks that each function of src has a name of its own, so that a search, a debugger or a profile shows which one is meant.

usage: check_names.py [FOLDER]    (of a source tree laid out by .clang-format: a function's braces stand alone in the first column)

A function that only its file knows begins with the file's name without the family's (route_dmodc.c: dmodc_create). The wrappers of
MPI's functions in src/record/preload are made by macros from the names of these."""
import collections
import pathlib
import re
import sys

DECLARATOR = re.compile(r"(\w+)\(")
NO_NAMES = {"IK_PRINTF", "__attribute__", "defined"}


def functions(path):
    """Names and lines of the functions that a file defines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line != "{" or number == 0:
            continue
        first = number - 1
        while first > 0 and lines[first].startswith((" ", "\t")):
            first -= 1
        head = " ".join(lines[first:number])
        names = [name for name in DECLARATOR.findall(head) if name not in NO_NAMES]
        if names and not head.startswith(("#", "typedef", "struct", "enum")):
            yield names[0], first + 1


def main(root):
    places = collections.defaultdict(list)
    for path in sorted((root / "src").rglob("*.[ch]")):
        if "preload" in path.parts:
            continue
        for name, line in functions(path):
            places[name].append((path, line))
    errors = []
    for name, found in sorted(places.items()):
        if len({path for path, _ in found}) > 1:
            errors += [f"{path}:{line}: {name}() is also a function of {', '.join(str(p) for p, _ in found if p != path)}"
                       for path, line in found]
    for error in errors:
        print(error, file=sys.stderr)
    if not places:
        print(f"{root}: no functions in it", file=sys.stderr)
    lengths = sorted(len(name) for name in places)
    print(f"{len(places)} names of functions, of {lengths[len(lengths) // 2] if lengths else 0} characters in the median")
    return 1 if errors or not places else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)))
