#!/usr/bin/env python3
"""Makes docs/reference/ from the families' declarations: make_reference.py IKAT FOLDER

One page a family of members, one section a member (of results, a row of a table): definition, parameters, examples with their measured size, source, and for
topologies a picture. Run it after a declaration changes; a test compares the committed pages with what the command says.
"""
import json
import pathlib
import sys

import declarations

TITLES = {"topologies": "Topologies", "routings": "Routings", "selections": "Selection functions", "vcs": "VC schemes",
          "traffic": "Traffic patterns", "formats": "File formats", "results": "Results of a point", "sections": "Sections of an experiment"}


def ask(ikat, *args):
    root = pathlib.Path(__file__).resolve().parent.parent  # examples name files of the source tree
    return declarations.ask(ikat, *args, cwd=root)


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def parameter_table(rows):
    out = ["| parameter | type | default | range | meaning |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        default = "required" if row.get("default") is None else row["default"] or "none"
        needs = f"; only if `{cell(row['needs'])}`" if "needs" in row else ""
        out.append(f"| `{row['name']}` | {cell(row['type'])} | {cell(default)} | {row.get('range', '')} | {cell(row['help'])}{needs} |")
    return out


def examples(ikat, member, folder):
    """The table of examples, and a picture of the largest one that is still readable."""
    table = ["| example | hosts | switches | links | radix | diameter |", "| --- | --: | --: | --: | --: | --: |"]
    facts = [(spec, json.loads(ask(ikat, "topo", spec, "--json"))) for spec in member["examples"]]
    for spec, fact in facts:
        table.append(f"| `{spec}` | {fact['hosts']} | {fact['switches']} | {fact['links']} | {fact['radix']} | {fact['diameter']} |")
    shown = max((pair for pair in facts if pair[1]["switches"] <= 60), key=lambda pair: pair[1]["switches"], default=facts[0])[0]
    ask(ikat, "topo", shown, "-o", str(folder / f"{member['name']}.svg"))
    return [f"![{shown}]({member['name']}.svg)", ""] + table


def section(ikat, family, member, folder):
    out = [f"## {member['name']}", "", member["summary"].rstrip(".") + ".", ""]
    if member.get("shorthand_of"):
        out += [f"A shorthand of [{member['shorthand_of']}](#{member['shorthand_of']}).", ""]
    if member.get("details"):
        out += [member["details"], ""]
    if family == "topologies" and member["examples"]:
        out += examples(ikat, member, folder) + [""]
    if member["parameters"]:
        out += parameter_table(member["parameters"]) + [""]
    if member.get("source"):
        out += [f"Source: {member['source'].rstrip('.')}.", ""]
    return out


def main(ikat, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    index = ["# Reference", "", "Made from the declarations of the program by `tools/make_reference.py`; `ikat help NAME` says the same.",
             ""]
    for family, members in declarations.declared(ikat)["families"].items():
        title = TITLES.get(family, family)
        page = [f"# {title}", ""]
        common = members[0]["common_parameters"] if members else []
        if family == "results":
            page += ["| result | title | meaning |", "| --- | --- | --- |"]
            page += [f"| `{m['name']}` | {cell(m['summary'])} | {cell(m['details'])} |" for m in members]
        else:
            for member in members:
                page += section(ikat, family, member, folder)
        if common:
            page += ["## Parameters of every one of them", ""] + parameter_table(common) + [""]
        (folder / f"{family}.md").write_text("\n".join(page).rstrip("\n") + "\n")
        index += [f"- [{title}]({family}.md): " + ", ".join(m["name"] for m in members)]
    (folder / "README.md").write_text("\n".join(index) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
