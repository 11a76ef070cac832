#!/usr/bin/env python3
"""Checks that no C file has more than 600 lines and no function more than 60, from its brace to its brace.

usage: check_sizes.py [FOLDER]    (of a source tree laid out by .clang-format: a function's braces stand alone in the first column)"""
import pathlib
import sys

MOST_LINES, MOST_FUNCTION = 600, 60
FOLDERS = ("src", "include", "tests", "bench", "tools")


def too_long(path):
    """What is wrong with one file, as places and sizes."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > MOST_LINES:
        yield f"{path}: {len(lines)} lines, at most {MOST_LINES}"
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin:
            if number - begin >= MOST_FUNCTION:
                yield f"{path}:{begin}: a function of {number - begin + 1} lines, at most {MOST_FUNCTION}"
            begin = None


def main(root):
    files = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.[ch]"))
    errors = [error for path in files for error in too_long(path)]
    for error in errors:
        print(error, file=sys.stderr)
    if not files:
        print(f"{root}: no C files in it", file=sys.stderr)
    return 1 if errors or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)))
