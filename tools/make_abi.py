#!/usr/bin/env python3
"""Writes tests/data/abi/libikat.abi.xz: types and functions of the shared library as programs that were built with it know them.

usage: make_abi.py [--incompatible] LIBIKAT.SO INCLUDE_FOLDER DESCRIPTION

What the description that is there says is compared first (abidiff). Where programs that were built before would break, nothing is
written without --incompatible. docs/architecture.md, section "The ABI", has the rules.

The library itself has no types in its debug information. They are taken from the public headers, with which it was compiled: a
pointer to each symbol that it exports is defined and described (abidw), which takes less than a second.
"""
import argparse
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

VIEWS = "views.txt"  # beside the description: the structures that may get members at their ends
INCOMPATIBLE = """make_abi.py: this breaks programs that were built before. If it has to be, say what changed in CHANGELOG.md and run this again
with --incompatible; after version 1.0 also raise SOVERSION in cmake/IkatLibraries.cmake and the node in cmake/ikat.map."""


def ran(*command):
    """A command that has ended."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(f"make_abi.py: there is no command {command[0]}; tools/install_dependencies.sh installs what is needed")


def called(*command):
    """Output of a command that has to succeed."""
    done = ran(*command)
    if done.returncode:
        sys.exit(f"make_abi.py: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def exported(library):
    """Names of the symbols that a shared library exports, without version nodes."""
    rows = [line.split() for line in called("nm", "-D", "--defined-only", library).splitlines()]
    return sorted(row[-1].partition("@")[0] for row in rows if row[-2] != "A")


def described(include, names):
    """The description of these symbols, as the headers in a folder declare them. It names no place and no machine. Always by gcc: clang
    leaves out types that no function takes."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "abi.c"), pathlib.Path(folder, "abi.so")
        source.write_text('#include "ikat/ikat.h"\n' + "".join(f"__typeof__(&{n}) const of_{n} = &{n};\n" for n in names), encoding="utf-8")
        called("gcc", "-std=gnu17", "-g", "-fno-eliminate-unused-debug-types", "-fPIC", "-shared", f"-I{include}", source, "-o", library)
        text = called("abidw", "--load-all-types", "--type-id-style", "hash", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                      "--drop-private-types", "--headers-dir", pathlib.Path(include, "ikat"), library)
    return re.sub(r"(<abi-instr\b[^>]*?) path='[^']*'", r"\1", text)


def without_ends(new, old, views):
    """A description, in which structures that may grow have as many members as in the old one."""
    sizes = {name: (one.get("size-in-bits"), len(one.findall("data-member"))) for name, one in structures(ElementTree.fromstring(old), views)}
    root = ElementTree.fromstring(new)
    for name, one in structures(root, views):
        size, most = sizes.get(name, (None, 0))
        if size and int(size) <= int(one.get("size-in-bits")):
            one.set("size-in-bits", size)
            for member in one.findall("data-member")[most:]:
                one.remove(member)
    return ElementTree.tostring(root, encoding="unicode")


def structures(root, names):
    """Those of these names, with their names."""
    return ((one.get("name"), one) for one in root.iter("class-decl") if one.get("name") in names)


def differences(old, new, *options):
    """Number of things that went, changed and came, and the report of abidiff."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, name) for name in ("old.abi", "new.abi")]
        for file, text in zip(files, (old, new)):
            file.write_text(text, encoding="utf-8")
        done = ran("abidiff", "--non-reachable-types", *options, *files)
    if done.returncode & 3:  # it could not compare
        sys.exit(f"make_abi.py: abidiff: {done.stderr}")
    # "Variables changes summary: 0 Removed, 2 Changed (1 filtered out), 9 Added variables": what is filtered out is not in the 2
    summary = "\n".join(re.findall(r"^.*summary: .*$", done.stdout, re.M))
    counts = [sum(map(int, re.findall(rf"(\d+) {word}", summary, re.I))) for word in ("removed", "changed", "added")]
    if not done.returncode:
        counts = [0, 0, 0]
    return *counts, done.stdout


def compared(old, new, views):
    """What differs in two descriptions: "" nothing, "addition" where programs that were built with the old one go on with the new
    one, "incompatible" where they may not; and abidiff's report. views: names of the structures that may have more members at
    their ends."""
    removed, changed, _, report = differences(old, without_ends(new, old, views))
    if removed or changed:
        return "incompatible", report
    *counts, report = differences(old, new, "--harmless")
    return ("addition", report) if any(counts) else ("", "")


def read(description):
    """The text of a description."""
    try:
        return lzma.decompress(pathlib.Path(description).read_bytes()).decode()
    except lzma.LZMAError:
        sys.exit(f"make_abi.py: {description} is not packed by xz: it is no description, or damaged")


def read_views(path):
    """The structures that a file names, one a line."""
    return {line for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")}


def make(args):
    """Compares, then writes the description."""
    new = described(args.include, exported(args.binary))
    if args.description.exists():
        kind, report = compared(read(args.description), new, read_views(args.description.with_name(VIEWS)))
        print(report, end="")
        if kind == "incompatible" and not args.incompatible:
            sys.exit(INCOMPATIBLE)
    args.description.write_bytes(lzma.compress(new.encode(), preset=9 | lzma.PRESET_EXTREME))


def main():
    parser = argparse.ArgumentParser(prog="make_abi.py")
    parser.add_argument("--incompatible", action="store_true")
    for name in ("binary", "include", "description"):
        parser.add_argument(name, type=pathlib.Path)
    try:
        make(parser.parse_args())
    except OSError as error:
        sys.exit(f"make_abi.py: {error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
