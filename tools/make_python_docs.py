#!/usr/bin/env python3
"""Writes what is made of the Python package: the reference in docs/python.md (of the docstrings of `ikat`, which is imported), and
examples/python/*.ipynb (of the .py files beside them, whose cells begin with `# %%`).

usage: PYTHONPATH=build/release/python /usr/bin/python3 tools/make_python_docs.py [--check]     --check: only compares, status 1
"""
import inspect
import json
import pathlib
import re
import sys
import textwrap

import ikat

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN = "<!-- From here on made by tools/make_python_docs.py of the docstrings. -->\n"


def one_line(text):
    """A docstring as a paragraph, or several."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text or "").split("\n\n"))


def wrapped(text, indent=""):
    """Paragraphs in lines of at most 130 columns."""
    return "\n\n".join(textwrap.fill(part, 130, initial_indent=indent if number else "", subsequent_indent=indent, break_long_words=False,
                                     break_on_hyphens=False) for number, part in enumerate(text.split("\n\n")))


def item(text):
    """An item of a list."""
    return wrapped("- " + text, "  ")


def signature(thing):
    """Parameters as they are called, without types."""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return "(…)"
    words, starred = [], False
    for name, p in found.parameters.items():
        if name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        if p.kind is p.VAR_KEYWORD:
            words.append(f"**{name}")
        else:
            words.append(name if p.default is p.empty else f"{name}={p.default!r}")
        starred |= p.kind is p.VAR_POSITIONAL
    return "(" + ", ".join(words) + ")"


def members(cls):
    """Public members in the order of their definition, inherited ones of ikat last."""
    seen = {}
    for base in cls.__mro__:
        if base.__module__.startswith("ikat"):
            for name, value in vars(base).items():
                if not name.startswith("_"):
                    seen.setdefault(name, value)
    return seen


def describe_class(name, cls):
    """A section of the reference."""
    out = [f"### {name}\n"]
    if issubclass(cls, Exception):
        out[0] = f"### {name} ({', '.join(base.__name__ for base in cls.__bases__)})\n"
        return out + [wrapped(one_line(cls.__doc__)) + "\n"]
    if not hasattr(cls, "_take") or "__init__" in vars(cls):
        out.append(f"`ikat.{name}{signature(cls)}`\n")
    out.append(wrapped(one_line(cls.__doc__)) + "\n")
    rows = []
    for member, value in members(cls).items():
        kind = f"`{member}`"
        if isinstance(value, (classmethod, staticmethod)):
            kind = f"`{name}.{member}{signature(getattr(cls, member))}`"
        elif inspect.isfunction(value):
            kind = f"`{member}{signature(value)}`"
        elif not isinstance(value, property):
            continue
        text = getattr(value, "__doc__", None)
        rows.append(item(f"{kind}: {one_line(text)}"))
    return out + (["\n".join(rows) + "\n"] if rows else [])


def reference():
    """All that `ikat.__all__` names."""
    things = {name: getattr(ikat, name) for name in ikat.__all__}
    classes = {name: thing for name, thing in things.items() if inspect.isclass(thing)}
    functions = {name: thing for name, thing in things.items() if inspect.isfunction(thing)}
    out = ["## Functions\n", "\n".join(item(f"`ikat.{name}{signature(thing)}`: {one_line(thing.__doc__)}") for name, thing in sorted(functions.items())) + "\n",
           f"`ikat.NONE` ({ikat.NONE}) stands in arrays for \"no such index\".\n", "## Classes\n"]
    for name, cls in sorted(classes.items(), key=lambda item: (issubclass(item[1], Exception), item[0])):
        out += describe_class(name, cls)
    return re.sub(r"(?m)[ \t]+$", "", "\n".join(out))


def notebook(source):
    """The notebook of a file with `# %%` cells."""
    cells = []
    for cell in re.split(r"^# %%", source, flags=re.M)[1:]:
        head, body = cell.split("\n", 1)
        body = body.strip("\n")
        if "[markdown]" in head:
            kind, body = "markdown", re.sub(r"(?m)^# ?", "", body)
        else:
            kind = "code"
            if head.strip():
                cells.append({"cell_type": "markdown", "metadata": {}, "source": ["### " + head.strip()]})
        one = {"cell_type": kind, "metadata": {}, "source": body.splitlines(keepends=True)}
        if kind == "code":
            one.update(execution_count=None, outputs=[])
        cells.append(one)
    for number, one in enumerate(cells):
        one["id"] = f"cell{number}"
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
                       "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"


def main():
    made = {}
    page = ROOT / "docs/python.md"
    guide = page.read_text(encoding="utf-8").split(BEGIN)[0].rstrip("\n")
    made[page] = f"{guide}\n\n{BEGIN}\n{reference()}"
    for path in (ROOT / "examples/python").glob("*.py"):
        made[path.with_suffix(".ipynb")] = notebook(path.read_text(encoding="utf-8"))
    status = 0
    for path, text in made.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old != text:
            if "--check" in sys.argv:
                print(f"{path.relative_to(ROOT)} is out of date: run tools/make_python_docs.py", file=sys.stderr)
                status = 1
            else:
                path.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
