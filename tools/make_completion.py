#!/usr/bin/env python3
"""Makes the completion of bash and zsh from the command's own declarations: make_completion.py IKAT FOLDER

FOLDER/bash-completion/completions/ikat and FOLDER/zsh/site-functions/_ikat are tools/completion.bash and tools/completion.zsh with
tables of the commands, options, names, parameters and values, so that completing does not run ikat.
"""
import json
import pathlib
import re
import sys

import declarations

TOOLS = pathlib.Path(__file__).resolve().parent
# What the placeholder of an option's value says where the option does not say what it takes.
PLACEHOLDERS = {"FILE": "<file>", "LFTS": "<file>", "TRACE": "<file>", "FABRIC": "<file>", "DIR": "<folder>", "FOLDER": "<folder>"}


def takes(row):
    """The ways in which a value is written, a list: "<routings>", "<file db>", "auto"."""
    if row.get("takes"):
        return row["takes"].split("|")
    ways = []
    for word in (row.get("value") or "").split("|"):
        ending = re.fullmatch(r"[A-Z]+\.([a-z]+)", word)
        if word in PLACEHOLDERS:
            ways.append(PLACEHOLDERS[word])
        elif ending:
            ways.append(f"<file {ending[1]}>")
        elif re.fullmatch(r"[a-z_]+", word):
            ways.append(word)
    return ways


def with_algorithms(everything):
    """Beginnings ("allreduce=") become words with what may follow: parameters of traffic program, which are called so."""
    program = next(member for member in everything["families"]["traffic"] if member["name"] == "program")
    algorithms = {row["name"]: parameter_ways(row) for row in program["parameters"]}
    for row in (row for command in everything["commands"] for row in command["options"] if row["takes"]):
        ways = [[way + word for word in algorithms.get(way[:-1], [""])] if way.endswith("=") else [way] for way in takes(row)]
        row["takes"] = "|".join(way for group in ways for way in group)
    return everything


def parameter_ways(row):
    """The same of a parameter of a name or a section."""
    words = row["type"].split("|")
    kinds = {"file": ["<file>"], "patterns": ["<patterns>"], "jobs": ["<patterns>"], "schedule": ["<patterns>"], "spec": [f"<{row['name']}s>"]}
    ways = kinds.get(words[0], []) if words[0] not in ("number", "time", "rate", "size", "length", "real", "fraction", "list", "text", "texts", "ranges") else []
    ways = ways or ([words[0]] if len(words) > 1 and words[0] not in ("number", "time", "rate", "size", "length", "real", "fraction") else [])
    return ways + [word for word in words[1:] if re.fullmatch(r"[\w-]+", word)]


def settings(everything):
    """What --set takes: (key, ways, help) of sections and of their parameters."""
    of_lists = {member["name"]: member["parameters"] for member in everything["families"]["sections"]}
    family_of = {"fabric": "topologies", "routing": "routings", "vc": "vcs", "selection": "selections", "traffic": "traffic"}
    for section in declarations.topic(everything, "experiment")["sections"]:
        rows = section["parameters"]
        if section["name"] in family_of:
            yield section["name"], [f"<{family_of[section['name']]}>"], section["help"]
        elif len(rows) == 1 and rows[0]["name"] == section["name"]:
            yield section["name"], parameter_ways(rows[0]), section["help"]
        elif rows and section["name"] in ("switch", "adapter", "measure", "reference", "watch"):
            for row in of_lists.get(section["name"], rows):
                yield f"{section['name']}.{row['name']}", parameter_ways(row), row["help"]


def families(everything):
    return {name: members for name, members in everything["families"].items() if name != "sections"}


def studies(ikat):
    entries = json.loads(declarations.ask(ikat, "reproduce", "--list", "--json"))
    return [(entry["name"], entry["title"]) for entry in entries]


# ---- bash

def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def cases(name, about, rows):
    """A function that sets `reply` to the text of a pattern: rows of (pattern, text)."""
    merged = {}
    for pattern, text in rows:
        merged.setdefault(text, []).append(pattern)
    lines = [f"# {about}", f"{name}() {{", "    case $1 in"]
    lines += [f"        {'|'.join(patterns)}) reply={quoted(text)} ;;" for text, patterns in merged.items()]
    return lines + ["        *) reply='' ;;", "    esac", "}", ""]


def option_rows(everything):
    for command in everything["commands"]:
        for row in command["options"] + everything["options"]:
            for name in filter(None, ["-" + row["letter"] if row["letter"] else None, row["name"]]):
                yield command, row, name


def bash(everything, ikat):
    commands = everything["commands"]
    out = cases("_ikat_words", "Names of a list", [
        ("commands", " ".join(c["name"] for c in commands)), ("tables", " ".join(everything["tables"])),
        ("families", " ".join(everything["families"])), ("studies", " ".join(name for name, _ in studies(ikat))),
        ("settings", " ".join(key + "=" for key, _, _ in settings(everything))),
        ("help", " ".join(help_names(everything))),
        *((family, " ".join(member["name"] + (":" if needed(member) else "") for member in members))
          for family, members in families(everything).items())])
    out += cases("_ikat_arguments", "What the arguments of a command are", [(c["name"], "|".join(takes(c))) for c in commands])
    out += cases("_ikat_options", "Options of a command; '*' behind those that may be given several times",
                 [(c["name"], " ".join(row["name"] + ("*" if row["repeat"] else "") for row in c["options"] + everything["options"]))
                  for c in commands])
    out += cases("_ikat_value", "What stands behind an option, '-' = something unknown; nothing behind flags",
                 [(f"{command['name']}:{name}", "|".join(takes(row)) or "-")
                  for command, row, name in option_rows(everything) if row["value"]])
    out += cases("_ikat_pairs", "Options with two values",
                 [(f"{command['name']}:{name}", "yes") for command, row, name in option_rows(everything) if " " in (row["value"] or "")])
    out += cases("_ikat_common", "Parameters that all names of a family have",
                 [(family, " ".join(row["name"] for row in members[0]["common_parameters"]))
                  for family, members in families(everything).items()])
    out += cases("_ikat_parameters", "Parameters of a name",
                 [(f"{family}:{member['name']}", " ".join(row["name"] for row in member["parameters"]))
                  for family, members in families(everything).items() for member in members if own(member)])
    out += cases("_ikat_parameter", "Values of a parameter",
                 [(f"{family}:{member['name']}:{row['name']}", "|".join(parameter_ways(row)))
                  for family, members in families(everything).items() for member in members
                  for row in member["parameters"] if parameter_ways(row)])
    out += cases("_ikat_setting", "Values of what --set sets",
                 [(key, "|".join(ways)) for key, ways, _ in settings(everything) if ways])
    return "\n".join(out)


def help_names(everything):
    names = [c["name"] for c in everything["commands"]] + [t["name"] for t in everything["topics"]]
    names += [member["name"] for members in everything["families"].values() for member in members]
    return list(dict.fromkeys(names))


def needed(member):
    """Whether it is not complete without a parameter."""
    return any(row["default"] is None for row in member["parameters"])


def own(member):
    return member["parameters"] if member["parameters"] != member["common_parameters"] else []


# ---- zsh

def described(rows):
    """Elements "name:what it is" for _describe."""
    return " ".join(quoted(f"{name.replace(':', chr(92) + ':')}:{short(text)}") for name, text in rows)


def short(text):
    text = text.replace("\n", " ")
    return text if len(text) <= 72 else text[:text.rfind(" ", 0, 72)] + " ..."


def zsh_cases(name, about, rows):
    lines = [f"# {about}", f"{name}() {{", "    case $1 in"]
    lines += [f"        {pattern}) reply=({text}) ;;" for pattern, text in rows if text]
    return lines + ["        *) reply=() ;;", "    esac", "}", ""]


def zsh_option(row):
    """The arguments of _arguments for an option."""
    text = "[" + re.sub(r"([\[\]\\:])", r"\\\1", short(row["help"])) + "]"
    value = row["value"] or ""
    ways = "|".join(takes(row))
    action = "".join(f":{re.sub(r'([:])', '', word)}:" + (f' _ikat_takes "{ways}"' if ways else " ")
                     for word in value.split()[:1] if value)
    if " " in value:
        action += action
    names = ["-" + row["letter"] + ("+" if value else "")] if row["letter"] else []
    names.append(row["name"] + ("=" if value else ""))
    if row["letter"]:
        exclusive = "" if row["repeat"] else f"(-{row['letter']} {row['name']})"
    else:
        exclusive = ""
    repeat = "*" if row["repeat"] else ""
    return " ".join(quoted(f"{exclusive}{repeat}{name}{text}{action}") for name in names)


def zsh(everything, ikat):
    out = zsh_cases("_ikat_described", "Names of a list and what they are", [
        ("commands", described((c["name"], c["summary"]) for c in everything["commands"])),
        ("tables", described((name, "table of results") for name in everything["tables"])),
        ("families", described((name, "family of names") for name in everything["families"])),
        ("studies", described(studies(ikat))),
        ("help", described(help_described(everything))),
        ("settings", described((key, text) for key, _, text in settings(everything))),
        *((family, described((member["name"], member["summary"]) for member in members)) for family, members in families(everything).items())])
    out += zsh_cases("_ikat_needed", "Names that need a parameter", [
        (family, " ".join(member["name"] for member in members if needed(member))) for family, members in families(everything).items()])
    out += zsh_cases("_ikat_common", "Parameters that all names of a family have", [
        (family, described((row["name"], row["help"]) for row in members[0]["common_parameters"]))
        for family, members in families(everything).items()])
    out += zsh_cases("_ikat_parameters", "Parameters of a name", [
        (f"{family}:{member['name']}", described((row["name"], row["help"]) for row in own(member)))
        for family, members in families(everything).items() for member in members])
    out += zsh_cases("_ikat_parameter", "Values of a parameter", [
        (f"{family}:{member['name']}:{row['name']}", quoted("|".join(parameter_ways(row))))
        for family, members in families(everything).items() for member in members for row in member["parameters"] if parameter_ways(row)])
    out += zsh_cases("_ikat_setting", "Values of what --set sets", [
        (key, quoted("|".join(ways))) for key, ways, _ in settings(everything) if ways])
    out += zsh_cases("_ikat_options", "Options of a command, as _arguments takes them", [
        (command["name"], " ".join(zsh_option(row) for row in command["options"] + everything["options"]))
        for command in everything["commands"]])
    out += zsh_cases("_ikat_arguments", "What the arguments of a command are", [
        (command["name"], quoted("|".join(takes(command)))) for command in everything["commands"]])
    return "\n".join(out)


def help_described(everything):
    rows = {}
    for entry in everything["commands"] + everything["topics"] + [m for members in everything["families"].values() for m in members]:
        rows.setdefault(entry["name"], entry["summary"])
    return rows.items()


def main(ikat, folder):
    everything = with_algorithms(declarations.declared(ikat))
    for template, tables, path in (("completion.bash", bash(everything, ikat), "bash-completion/completions/ikat"),
                                   ("completion.zsh", zsh(everything, ikat), "zsh/site-functions/_ikat")):
        text = (TOOLS / template).read_text(encoding="utf-8")
        path = pathlib.Path(folder) / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("# @TABLES@\n", tables + "\n"), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:3])
