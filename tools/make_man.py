#!/usr/bin/env python3
"""Makes the manual pages from the command's own declarations: make_man.py IKAT DATE FOLDER

FOLDER/man1 gets ikat.1 and a page per command, man5 ikat-experiment.5, man7 a page per family. DATE is that of the version,
2026-11-23; SOURCE_DATE_EPOCH, where it is set, takes its place. The pages are mdoc(7) in ASCII: other characters are escaped.
"""
import datetime
import os
import pathlib
import re
import sys
import textwrap

import declarations

TEXT_WIDTH = 78  # of the pages' own lines
LITERAL_WIDTH = 66  # of examples: with their indentation they fit in 80 columns
FAMILY_PAGES = {"topologies": "fabrics that ikat builds or reads", "routings": "how packets find their way",
                "selections": "how an adaptive routing picks among allowed ports", "vcs": "which virtual channels a packet may use",
                "traffic": "who sends to whom", "formats": "files of fabrics that ikat reads and writes",
                "results": "numbers of the points of an experiment"}
SECTION_FAMILIES = {"fabric": "topologies", "routing": "routings", "vc": "vcs", "selection": "selections", "traffic": "traffic"}


# ---- characters

def characters(text):
    """Text with all that roff would take for something else escaped."""
    text = text.replace("\\", "\\e").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    text = re.sub(r"(?<![A-Za-z0-9])-", r"\\-", text)
    # no line ends within an option or the name of a file
    text = re.sub(r"\\-[\w-]+|[\w/-]+\.[a-z]+\b", lambda match: re.sub(r"(?<!\\)-", r"\\-", match[0]), text)
    return "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)


def breakable(match):
    """A long word may be broken behind what joins its parts."""
    return re.sub(r"(?<=[|,;=/&+])(?=[^|,;=/&+ ])", r"\\:", match[0])


def running(text):
    """A paragraph: a line per sentence."""
    text = re.sub(r" +", " ", text.strip())
    sentences = re.split(r"(?<=[a-z0-9)\]'\"`%][.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!al\.)(?<!no\.) (?=[A-Z'\"(`0-9-])", text)
    out = []
    for sentence in sentences:
        line = re.sub(r"\S{24,}", breakable, characters(sentence))
        line = re.sub(r"\b([A-Z])\. (?=[A-Z])", r"\1.\\& ", line)  # initials end no sentence
        line = re.sub(r"([.!?][)\]]*) (?=[A-Z(])", r"\1\\& ", line)
        wrapped = textwrap.wrap(line, TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)
        out += ["\\&" + part if part.startswith((".", "'")) else part for part in wrapped]
    return out


def argument(text):
    """One argument of a macro."""
    text = characters(text).replace('"', "\\(dq")
    text = f'"{text}"' if " " in text else text
    known = re.fullmatch(r"[A-Z][a-z]|[.,:;()\[\]?!|]", text)
    return "\\&" + text if known else text


def literal(lines):
    out = [".Bd -literal -offset indent"]
    for line in lines:
        line = characters(line).replace("-", "\\-").replace("\\\\-", "\\-")
        out.append("\\&" + line if line.startswith((".", "'")) else line)
    return out + [".Ed"]


# ---- parts of pages

def value(text):
    """What stands behind an option: "SPEC|FILE", "any|all", "A B"."""
    def one(word):
        dots = word.endswith("…")
        parts = [("Cm " if re.fullmatch(r"[a-z_]+", part) else "Ar ") + argument(part) for part in word.rstrip("…").split("|")]
        return " Ns \\(ba Ns ".join(parts) + (" ..." if dots else "")
    return " ".join("..." if word == "…" else one(word) for word in text.split())


def option(word):
    return "Fl " + argument(word[1:]).replace("\\-", "-") if word != "--" else "Fl -"


def synopsis_macros(text):
    """The macros of a synopsis, one string per line: groups are Op, nested ones too."""
    position = 0
    tokens = re.findall(r"\[|\][…]?|[^\s\[\]]+", text)

    def group():
        nonlocal position
        out = []
        while position < len(tokens) and not tokens[position].startswith("]"):
            token = tokens[position]
            position += 1
            if token == "[":
                inner = group()
                dots = " ..." if tokens[position].endswith("…") else ""
                position += 1
                out.append("Op " + " ".join(inner) + dots)
            elif token.startswith("-"):
                out.append(option(token))
            elif out and token == "…":
                out[-1] += " ..."
            elif out and re.match(r"Fl -?\w[\w-]*$", out[-1]):
                out[-1] += " " + value(token)
            else:
                out.append(value(token))
        return out
    return group()


def synopsis(name, text):
    out = []
    for alternative in declarations.alternatives(text):
        out += [".Nm ikat", f".Cm {argument(name)}"] + ["." + macro for macro in synopsis_macros(alternative)]
    return out


def options(rows):
    out = [".Bl -tag -width Ds"]
    for row in rows:
        names = ([f"Fl {row['letter']} ,"] if row["letter"] else []) + ["Fl " + row["name"][1:]]
        out.append(".It " + " ".join(names) + (" " + value(row["value"]) if row["value"] else ""))
        out += running(sentence(row["help"])) + (["May be given several times."] if row["repeat"] and row["value"] else [])
    return out + [".El"]


def sentence(text):
    """A text of one line as a sentence."""
    named = re.match(r"[a-z]\w*([_=./(:,]| \()|[a-z]-|[\w-]+\.[a-z]|ikat\b|[^a-z]", text)  # a word that is written so
    text = text if named else text[:1].upper() + text[1:]
    return text if text.endswith((".", "…")) else text + "."


def text_blocks(text):
    out = []
    for kind, content in declarations.blocks(text):
        if out and kind == "paragraph":
            out.append(".Pp")
        if kind == "paragraph":
            out += running(content)
        elif kind == "literal":
            out += literal(content)
        else:
            out += terms(content)
    return out


def terms(rows, macro="Cm"):
    out = [".Bl -tag -width " + max((argument(term) for term, _ in rows), key=len)]
    for term, meaning in rows:
        out += [f".It {macro} {argument(term)}"] + running(sentence(meaning))
    return out + [".El"]


def kind(row):
    return [row["type"].replace("|", " | ")] + ([row["range"]] if "range" in row else [])


def parameters(rows):
    out = [".Bl -tag -width Ds"]
    for row in rows:
        out.append(f".It Cm {argument(row['name'])}")
        out += running(sentence(row["help"]))
        facts = kind(row)
        facts.append("required" if row["default"] is None else f"default {row['default']}" if row["default"] else "")
        facts.append(f"only if {row['needs']}" if "needs" in row else "")
        out += running("[" + ", ".join(fact for fact in facts if fact) + "]")
    return out + [".El"]


def examples(commands):
    return [".Sh EXAMPLES"] + literal([line for command in commands for line in declarations.shell_lines(command, LITERAL_WIDTH)])


def reference(name, number, behind=""):
    """A manual page that is made here. With .Xr mandoc would complain of every page that is not below /usr/share/man."""
    return f".Sy {name} Ns Pq {number}" + (f" {behind}" if behind else "")


def see_also(pages, this):
    """References in the order of their sections and names."""
    pages = sorted({page for page in pages if page != this}, key=lambda page: (page[1], page[0]))
    return [".Sh SEE ALSO"] + [reference(name, number, "," if index + 1 < len(pages) else "")
                               for index, (name, number) in enumerate(pages)]


def exit_status(everything):
    return [".Sh EXIT STATUS"] + terms(declarations.blocks(declarations.topic(everything, "exit-status")["text"])[0][1])


def environment(everything):
    return [".Sh ENVIRONMENT"] + terms(declarations.blocks(declarations.topic(everything, "environment")["text"])[0][1], "Ev")


def head(everything, date, name, section, summary):
    return [".\\\" Made from the declarations of the command by tools/make_man.py.", f".Dd {date:%B} {date.day}, {date.year}",
            f".Dt {name.upper()} {section}", ".Os", ".Sh NAME", f".Nm {name}",
            ".Nd " + " ".join(running(summary.rstrip(".")))]


# ---- pages

def command_pages(everything):
    return [(f"ikat-{command['name']}", 1) for command in everything["commands"]]


def overview(everything, date):
    out = head(everything, date, "ikat", 1, "design, route, prove, analyse and simulate interconnection networks")
    out += [".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar argument ...", ".Op Ar option ...", ".Nm", ".Fl -version", ".Sh DESCRIPTION",
            ".Nm", *running("builds or imports a fabric, routes it, proves the routes, drives it with traffic and shows the results."),
            "Its main command is", ".Nm Cm run Ar experiment.yaml ,", "which does all of this for every point of an experiment.", ".Pp",
            "The commands are:", ".Bl -tag -width verify-deployed"]
    for command in everything["commands"]:
        out += [f".It Cm {argument(command['name'])}"] + running(sentence(command["summary"])) + ["See", reference(f"ikat-{command['name']}", 1, ".")]
    out += [".El", ".Pp", "Options and arguments may stand in any order; what stands behind", ".Fl -", "is an argument.",
            ".Ss Options of every command"] + options(everything["options"])
    out += [".Ss Names of fabrics, routings and patterns", "See", reference("ikat-specs", 7), "for their syntax and for units."]
    out += environment(everything)
    out += [".Sh FILES", ".Bl -tag -width Ds", ".It Pa \\(ti/.cache/ikat", "Proofs that are kept, which may be deleted at any time.", ".El"]
    out += exit_status(everything)
    out += examples(["ikat help", "ikat topo karytree:k=4,n=3", "ikat check karytree:k=4,n=3 --routing dmodk",
                     "ikat run experiments/quickstart.yaml -o quickstart.db", "ikat report quickstart.db -o report.html"])
    return out + see_also(all_pages(everything), ("ikat", 1))


def all_pages(everything):
    return ([("ikat", 1), *command_pages(everything), ("ikat-experiment", 5), ("ikat-specs", 7)] +
            [(f"ikat-{family}", 7) for family in FAMILY_PAGES])


def related(command):
    """Pages about what a command takes."""
    takes = " ".join(filter(None, [command["takes"], *(row["takes"] for row in command["options"])]))
    pages = [(f"ikat-{family}", 7) for family in FAMILY_PAGES if f"<{family}>" in takes]
    pages += [("ikat-specs", 7)] if pages else []
    pages += [("ikat-experiment", 5)] if re.search("<file yaml|<settings>", takes) else []
    return pages


def mentioned(command, everything):
    """Pages of commands that its texts name."""
    text = " ".join([command["details"] or "", command["summary"], *(row["help"] for row in command["options"]), *command["examples"]])
    return [(f"ikat-{other['name']}", 1) for other in everything["commands"] if re.search(rf"\bikat {other['name']}(?![\w-])", text)]


def command_page(everything, date, command):
    name = f"ikat-{command['name']}"
    out = head(everything, date, name, 1, command["summary"])
    out += [".Sh SYNOPSIS"] + synopsis(command["name"], command["synopsis"]) + [".Sh DESCRIPTION"]
    out += text_blocks(command["details"]) if command["details"] else running(sentence(command["summary"]))
    if command["options"]:
        out += [".Pp", "The options are:"] + options(command["options"])
    out += [".Ss Options of every command"] + options(everything["options"]) + environment(everything) + exit_status(everything)
    out += examples(command["examples"]) if command["examples"] else []
    return out + see_also([("ikat", 1), *related(command), *mentioned(command, everything)], (name, 1))


def member_sections(members, family):
    out = []
    for member in members:
        out += [f".Ss {argument(member['name'])}"] + running(sentence(member["summary"]))
        if member["shorthand_of"]:
            out += ["A shorthand of", f".Cm {argument(member['shorthand_of'])} ."]
        if member["details"]:
            out += [".Pp"] + text_blocks(member["details"])
        if member["parameters"] and member["parameters"] != member["common_parameters"]:
            out += [".Pp", "Parameters:"] + parameters(member["parameters"])
        if member["examples"]:
            out += [".Pp", "Examples:"] + literal(member["examples"])
        if member["source"]:
            out += [".Pp"] + running("Source: " + member["source"].rstrip(".") + ".")
    return out


def family_page(everything, date, family):
    name, members = f"ikat-{family}", everything["families"][family]
    out = head(everything, date, name, 7, FAMILY_PAGES[family]) + [".Sh DESCRIPTION"]
    out += {"topologies": ["Where a command or an experiment takes a fabric,", "it takes one of these names and its parameters, as",
                           ".Ql karytree:k=4,n=3 ,", "or the path of a file in one of the formats of", reference("ikat-formats", 7, ".")],
            "formats": ["The format of a file is recognised when it is read;", "the ending of its name says how it is written."]}.get(
                family, ["Each name takes its parameters behind a colon, as", f".Ql {example_of(members)} ."])
    out += ["See", reference("ikat-specs", 7), "for the syntax and for units."] if family != "formats" else []
    out += [".Sh " + family.upper()] + member_sections(members, family)
    common = members[0]["common_parameters"]
    out += [".Sh PARAMETERS OF ALL"] + parameters(common) if common else []
    return out + see_also([("ikat", 1), ("ikat-help", 1), ("ikat-list", 1), ("ikat-experiment", 5), ("ikat-specs", 7)], (name, 7))


def example_of(members):
    """A name with the first parameter that has a default."""
    for member in members:
        for row in member["parameters"]:
            if row["default"]:
                return argument(f"{member['name']}:{row['name']}={row['default']}".replace(" ", ""))
    return argument(members[0]["name"])


def specs_page(everything, date):
    out = head(everything, date, "ikat-specs", 7, "how fabrics, routings, patterns and quantities are written for ikat")
    out += [".Sh DESCRIPTION"] + text_blocks(declarations.topic(everything, "specs")["text"])
    out += [".Sh UNITS"] + text_blocks(declarations.topic(everything, "units")["text"])
    return out + see_also([page for page in all_pages(everything) if page[1] != 1] + [("ikat", 1), ("ikat-list", 1)], ("ikat-specs", 7))


def experiment_page(everything, date):
    topic = declarations.topic(everything, "experiment")
    of_lists = {member["name"]: member["parameters"] for member in everything["families"]["sections"]}
    out = head(everything, date, "ikat-experiment", 5, "the experiment file of ikat run") + [".Sh DESCRIPTION"]
    out += ["An experiment is a YAML file that", reference("ikat-run", 1), "takes.", "Its sections are listed below; for example:"]
    out += literal(topic["sample"].strip("\n").replace("\n  ", "\n").removeprefix("  ").split("\n")) + [".Pp"]
    out += text_blocks(topic["values"]) + [".Sh SECTIONS"]
    for section in topic["sections"]:
        out += [f".Ss {argument(section['name'])}"] + running(sentence(section["help"]))
        rows = section["parameters"] or of_lists.get(section["name"], [])
        if len(rows) == 1 and rows[0]["name"] == section["name"]:
            facts = kind(rows[0])
            out += running("[" + ", ".join(facts + ([f"default {section['default']}"] if section["default"] else [])) + "]")
            rows = of_lists.get(section["name"], [])
            out += [".Pp", "As a mapping:"] if rows else []
        elif section["default"] is None:
            out += ["Required."]
        elif section["default"]:
            out += running(f"Default: {section['default']}.")
        if section["name"] in SECTION_FAMILIES:
            out += ["Names and parameters are listed in", reference(f"ikat-{SECTION_FAMILIES[section['name']]}", 7, ".")]
        out += parameters(rows) if rows else []
    out += [".Sh UNITS"] + text_blocks(declarations.topic(everything, "units")["text"])
    pages = [("ikat", 1), ("ikat-run", 1), ("ikat-report", 1), ("ikat-specs", 7)] + [(f"ikat-{f}", 7) for f in SECTION_FAMILIES.values()]
    return out + see_also(pages, ("ikat-experiment", 5))


def date_of(text):
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).date() if epoch else datetime.date.fromisoformat(text)


def main(ikat, date, folder):
    everything, date = declarations.declared(ikat), date_of(date)
    pages = {"man1/ikat.1": overview(everything, date), "man5/ikat-experiment.5": experiment_page(everything, date),
             "man7/ikat-specs.7": specs_page(everything, date)}
    for command in everything["commands"]:
        pages[f"man1/ikat-{command['name']}.1"] = command_page(everything, date, command)
    for family in FAMILY_PAGES:
        pages[f"man7/ikat-{family}.7"] = family_page(everything, date, family)
    folder = pathlib.Path(folder)
    for name, lines in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
    for path in folder.glob("man?/*"):  # of commands that are no more
        if str(path.relative_to(folder)) not in pages:
            path.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:4])
