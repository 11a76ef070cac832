"""What ikat declares, and the conventions of its texts: for the tools that make manual pages, completion and the reference."""
import json
import pathlib
import re
import shlex
import subprocess


def ask(ikat, *args, cwd=None):
    """Standard output of ikat, as text."""
    return subprocess.run([pathlib.Path(ikat).resolve(), *args], capture_output=True, text=True, encoding="utf-8", check=True, cwd=cwd).stdout


def declared(ikat):
    """Everything: version, commands, options, topics, tables, families."""
    return json.loads(ask(ikat, "help", "--json"))


def topic(everything, name):
    return next(t for t in everything["topics"] if t["name"] == name)


def goes_on(line, following):
    """Whether a line of a text is the middle of a sentence: as `continues` in src/cli/layout.c."""
    if not following or following.startswith(" "):
        return False
    end = line.rstrip(")'\"`")
    return end[-1:] not in tuple(".:!?") or not (following[0].isupper() or following[0].isdigit() or following[0] in "-'\"`")


def blocks(text):
    """The parts of a text in order: ("paragraph", text), ("terms", [(term, meaning)]), ("literal", [line]); texts of one paragraph
    that the source keeps apart are paragraphs."""
    lines = text.split("\n")
    out, at = [], 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line:
            out.append(("gap", None))
        elif line.startswith(" "):
            term = re.fullmatch(r" +(\S+(?: \S+)*)  +(\S.*)", line)
            kind, entry = ("terms", (term[1], term[2])) if term else ("literal", line[2:] if line.startswith("  ") else line)
            if out and out[-1][0] == kind:
                out[-1][1].append(entry)
            else:
                out.append((kind, [entry]))
        else:
            while at < len(lines) and goes_on(line, lines[at]):
                line += " " + lines[at]
                at += 1
            out.append(("paragraph", line))
    return [block for block in out if block[0] != "gap"]


def shell_lines(command, width):
    """A line of shell input in lines that are no wider if its words allow, joined by backslashes."""
    word = r"""(?:[^\s'"]|'[^']*'|"[^"]*")+"""
    pieces = re.findall(rf"-\S* (?=[^-]){word}(?=\s|$)|{word}", command)  # an option stays with what stands behind it
    pieces = [part for piece in pieces for part in ([piece] if len(piece) + 6 <= width else re.findall(word, piece))]
    assert shlex.split(" ".join(pieces)) == shlex.split(command), command
    lines, line = [], pieces[0]
    rest = pieces[1:]
    for index, word in enumerate(rest):
        last = index + 1 == len(rest)
        if len(line) + 1 + len(word) + (0 if last else 2) > width:
            lines.append(line + " \\")
            line = "    " + word
        else:
            line += " " + word
    return lines + [line]


def alternatives(synopsis):
    """The alternatives of a synopsis, which " | " parts outside of brackets."""
    parts, depth = [""], 0
    for token in re.split(r"( \| |[\[\]])", synopsis):
        depth += (token == "[") - (token == "]")
        if token == " | " and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts
