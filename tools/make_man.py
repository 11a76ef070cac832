#!/usr/bin/env python3
"""Makes the man page from the command's own declarations: make_man.py IKAT > ikat.1"""
import json
import re
import subprocess
import sys


def ask(ikat, *args):
    return subprocess.run([ikat, *args], capture_output=True, text=True, check=True).stdout


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def literal(text):
    return ".Bd -literal -offset indent\n" + escape(text.rstrip("\n")) + "\n.Ed\n"


def main(ikat):
    version = ask(ikat, "--version").split()[1]
    overview = ask(ikat, "help")
    commands = re.findall(r"^  (\w+) +(.+)$", overview.split("Commands\n")[1].split("\n\n")[0], re.M)
    out = [".Dd 2026", ".Dt IKAT 1", ".Os", ".Sh NAME", ".Nm ikat",
           ".Nd design, route, prove, analyse and simulate interconnection networks", ".Sh SYNOPSIS", ".Nm", ".Ar command",
           ".Op Ar options", ".Ar ...", ".Sh DESCRIPTION",
           f"This page is for version {version}.", "The main job is", ".Ql ikat run experiment.yaml :",
           "build or import a fabric, route it, prove the routes, drive it with traffic and show the answer.", ".Sh COMMANDS"]
    for name, _ in commands:
        text = ask(ikat, name, "-h").split("\nOptions of every command\n")[0]
        out += [f".Ss ikat {name}", literal(text.split("\n", 1)[1] if "\n" in text else text).rstrip("\n")]
        synopsis = text.split("\n", 1)[0]
        out.insert(len(out) - 1, literal(synopsis).rstrip("\n"))
    options = ask(ikat, "list", "-h").split("\nOptions of every command\n")[1].split("\nExamples\n")[0]
    out += [".Sh OPTIONS OF EVERY COMMAND", literal(options).rstrip("\n")]
    for title, topic in (("SPECS", "specs"), ("UNITS", "units"), ("EXIT STATUS", "exit-status")):
        out += [f".Sh {title}", literal(ask(ikat, "help", topic)).rstrip("\n")]
    for family, members in json.loads(ask(ikat, "list", "--json")).items():
        out += [f".Sh {family.upper()}", ".Bl -tag -width Ds"]
        for member in members:
            out += [f".It {escape(member['name'])}", escape(member["summary"])]
        out += [".El"]
    out += [".Sh SEE ALSO", "The documents that come with ikat:", ".Pa docs/architecture.md ,", ".Pa docs/reference/ ."]
    print("\n".join(out))


if __name__ == "__main__":
    main(sys.argv[1])
