"""What the library knows: names of families and their descriptions."""
from __future__ import annotations

from typing import Any, Dict, List

from ikat._core import UsageError, WrongType, ffi, lib, names_of, string
from ikat._simulation import parameters_of

_FAMILIES = {"topology": lib.ik_topologies, "routing": lib.ik_routings, "vc": lib.ik_vcs, "selection": lib.ik_selections,
             "pattern": lib.ik_traffics, "format": lib.ik_formats}


def version() -> str:
    """Version of the library that is loaded."""
    return string(lib.ik_version())


def topologies() -> List[str]:
    """Names of topologies and their shorthands: what a specification of a fabric begins with."""
    table, out, at = lib.ik_topologies(), [], 0
    while table[at] != ffi.NULL:
        out.append(string(table[at].name))
        short, number = table[at].shorthands, 0
        while short != ffi.NULL and short[number].name != ffi.NULL:
            out.append(string(short[number].name))
            number += 1
        at += 1
    return out


def routings() -> List[str]:
    """Names of routings."""
    return names_of(lib.ik_routings())


def vc_schemes() -> List[str]:
    """Names of schemes of virtual channels."""
    return names_of(lib.ik_vcs())


def selections() -> List[str]:
    """Names of selection functions."""
    return names_of(lib.ik_selections())


def patterns() -> List[str]:
    """Names of traffic patterns and workloads."""
    return names_of(lib.ik_traffics())


def formats() -> List[str]:
    """Names of file formats; some can only be read or only be written."""
    return names_of(lib.ik_formats())


def _find(name):
    if not isinstance(name, str):
        raise WrongType(f"name: a text is expected, not {type(name).__name__}")
    for family, table in _FAMILIES.items():
        table, at = table(), 0
        while table[at] != ffi.NULL:
            if string(table[at].name) == name:
                return family, table[at]
            short, number = getattr(table[at], "shorthands", ffi.NULL), 0
            while short != ffi.NULL and short[number].name != ffi.NULL:
                if string(short[number].name) == name:
                    return family, short[number]
                number += 1
            at += 1
    raise UsageError(f"there is no topology, routing, scheme, selection, pattern or format {name!r}",
                     "ikat.topologies(), ikat.routings() and so on list them")


def help_of(name: str) -> Dict[str, Any]:
    """What is known of a name: kind, summary, source, and parameters with their default, choices and help."""
    family, row = _find(name)
    out = {"kind": family, "name": name, "summary": string(row.summary), "source": string(row.source)}
    if hasattr(row, "params"):
        out["parameters"] = parameters_of(row.params) if row.params != ffi.NULL else {}
    return out


def examples(name: str) -> List[str]:
    """Specifications of a topology that build, small ones first."""
    family, row = _find(name)
    if family != "topology":
        raise UsageError(f"{name!r} is no topology")
    out: List[str] = []
    while row.examples[len(out)] != ffi.NULL:
        out.append(string(row.examples[len(out)]))
    return out
