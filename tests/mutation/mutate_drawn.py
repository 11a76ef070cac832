#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks lines of one floor of the source that are drawn at random, by operators, and shows which faults no test notices.

usage: mutate_drawn.py BUILD FLOOR [--number N] [--seed S] [--files WORD] [--least PERCENT] [--also TEST ...]
  BUILD     a built tree of this source with the release build, made with ninja
  FLOOR     a folder of src; its own tests judge (those that ctest labels with its name)
  --files   only sources whose paths contain this
  --least   exit status 1 if fewer are noticed
  --also    tests of other floors and of the command, by their names in ctest, that are asked about what the floor's own do not notice

The operators: a comparison takes in its border or leaves it out, or is turned round; "and" becomes "or"; a sum becomes a difference; true
becomes false; 0 becomes 1; a condition is negated; a statement is left out. A fault need not change what a function does: those that
are not noticed are to be read. The score is the share that was noticed. All faults are compiled at once, as by mutate_sim.py."""
import argparse
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import mutate_sim
from mutate_sim import FAULT_C, FAULT_H, SOURCE, Function, files_of, pattern_of, read, with_faults

SECONDS, TIMES = 20, 3  # processor time that a fault may take, beside so many times what the test takes without
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" < ", " > "), (" == ", " != "), (" != ", " == "), (" && ", " || "),
         (" || ", " && "), (" + ", " - "), (" - ", " + "), (" + 1", ""), (" - 1", ""), ("true", "false"), ("false", "true"), (" = 0;", " = 1;"),
         (" |= ", " = "), (" += ", " = "), ("++", "--"), ("if (!", "if ("), ("return 0;", "return 1;")]
STATEMENT = re.compile(r"\s+(?!return|break|continue|goto|case|default|else|do\b)[a-z]\w*(->|\.|\[|\(| [-+|&^]?= |\+\+|--).*;\s*$")


def broken(line):
    """The faults that the operators make of a line."""
    code = re.sub(r'"(\\.|[^"\\])*"|/\*.*?\*/', lambda m: "_" * len(m[0]), line)  # texts and comments stay
    if re.match(r"\s*(/?\*|assert\(|static_assert|#)", line) or "err, IK_ERR" in line:
        return []
    made = [line[:m.start()] + after + line[m.end():] for before, after in SWAPS for m in re.finditer(re.escape(before), code)]
    if STATEMENT.match(code) and code.count("(") == code.count(")") and "free(" not in code:  # leaks are for the address sanitizer
        made.append(re.match(r"\s*", line)[0] + ";")
    return made


def candidates(floor, wanted):
    """(file, line number) of every line of a function that an operator applies to and that can be told from the others."""
    for path in files_of(os.path.join(SOURCE, "src", floor)):
        if not path.endswith(".c") or wanted not in path:
            continue
        source = read(SOURCE, "src", floor, path)
        lines = source.split("\n")
        for k in range(1, len(lines) - 1):
            if broken(lines[k]) and lines[k - 1] not in ("", "{") and lines[k + 1] not in ("", "}"):
                yield path, k, lines, source


def draw(floor, wanted, number, seed, compiles):
    """That many faults that compile, as those of mutate_sim.py."""
    chance = random.Random(seed)
    lines = list(candidates(floor, wanted))
    chance.shuffle(lines)
    faults = []
    for path, k, text, source in lines:
        if len(faults) == number:
            break
        before = "\n".join(text[k - 1:k + 2])
        after = "\n".join((text[k - 1], chance.choice(broken(text[k])), text[k + 1]))
        if len(re.findall(pattern_of(before), source)) != 1 or path not in compiles:
            continue
        fault = (f"{path}:{k + 1}: {text[k].strip()}  ->  {after.split(chr(10))[1].strip()}", path, before, after, [])
        try:
            Function(source, source.index(before))
            changed = with_faults(path, source, {1: fault})
        except (RuntimeError, AttributeError, ValueError):
            continue
        words = compile_words(compiles[path], "-", None)
        if subprocess.run([*words, "-fsyntax-only", "-x", "c", "-"], input="extern int ikat_fault;\n" + changed, text=True, cwd=compiles["build"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            faults.append(fault)
    return faults


def compile_words(words, source, obj):
    """A compilation of the build, of another file."""
    words = list(words)
    at = words.index("-c")
    folder = os.path.dirname(words[at + 1])
    del words[at:at + 2]
    out = words.index("-o")
    del words[out:out + 2]
    first = next(k for k, word in enumerate(words) if word.startswith("-"))
    words[first:first] = ["-I" + folder]
    words = [word for word in words if word not in ("-MD",) and not word.endswith(".o.d") and word not in ("-MT", "-MF") and not word.endswith(".o")]
    return words if obj is None else [*words, "-O1", "-g0", "-w", "-c", source, "-o", obj]


class Bench:
    """The faults compiled, and the tests linked with them."""

    def __init__(self, build, floor, scratch, options):
        self.build, self.scratch = build, scratch
        text = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True).stdout
        tests = {test["name"]: test for test in json.loads(text)["tests"]}
        self.own = [name for name, test in tests.items() if floor in self.property(test, "LABELS", []) and self.program(test).startswith("test")]
        unknown = [name for name in options.also if name not in tests]
        if unknown or not self.own:
            sys.exit(f"mutate_drawn.py: no test {unknown[0]}" if unknown else f"mutate_drawn.py: no tests of a floor {floor}")
        self.tests, self.also = tests, options.also
        targets = {"tests/" + os.path.basename(os.path.realpath(tests[name]["command"][0])) for name in self.own} | {"ikat"}
        compiles, links = self.commands(sorted(targets), floor)
        self.faults = draw(floor, options.files, options.number, options.seed, compiles)
        self.compile(floor, compiles)
        for words in links.values():
            self.link(words)
        for name in self.own:
            target = os.path.basename(tests[name]["command"][0])
            if not os.path.exists(os.path.join(scratch, target)):
                os.symlink(os.path.basename(os.path.realpath(tests[name]["command"][0])), os.path.join(scratch, target))
        self.cost = {}

    @staticmethod
    def property(test, name, otherwise):
        return next((p["value"] for p in test["properties"] if p["name"] == name), otherwise)

    @staticmethod
    def program(test):
        return os.path.basename(test.get("command", [""])[0])

    def commands(self, targets, floor):
        done = subprocess.run(["ninja", "-C", self.build, "-t", "commands", *targets], capture_output=True, text=True, check=True)
        compiles, links = {"build": self.build}, {}
        for line in done.stdout.splitlines():
            parts = [[]]
            for word in mutate_sim.shlex.split(line):
                parts += [[]] if word == "&&" else []
                parts[-1] += [word] if word not in ("&&", ":") else []
            words = next((part for part in parts if "-c" in part or "-o" in part), [])
            if "-c" in words:
                source = os.path.join(self.build, words[words.index("-c") + 1])
                compiles[os.path.relpath(source, os.path.join(SOURCE, "src", floor))] = words
            elif "-o" in words and words[words.index("-o") + 1] in targets:
                links[words[words.index("-o") + 1]] = words
        return compiles, links

    def compile(self, floor, compiles):
        self.objects = [os.path.join(self.scratch, "fault.o")]
        header = os.path.join(self.scratch, "fault.h")
        for path, text in ((header, FAULT_H), (os.path.join(self.scratch, "fault.c"), FAULT_C)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run(["cc", "-c", os.path.join(self.scratch, "fault.c"), "-o", self.objects[0]], check=True)
        for number, path in enumerate(sorted({fault[1] for fault in self.faults})):
            faults = {k + 1: fault for k, fault in enumerate(self.faults) if fault[1] == path}
            source = os.path.join(self.scratch, f"{number}.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(with_faults(path, read(SOURCE, "src", floor, path), faults))
            words = compile_words(compiles[path], source, source[:-2] + ".o")
            subprocess.run([*words, "-include", header], cwd=self.build, check=True)
            self.objects.append(source[:-2] + ".o")

    def link(self, words):
        words = list(words)
        at = words.index("-o")
        words[at + 1] = os.path.join(self.scratch, os.path.basename(words[at + 1]))
        words[at:at] = [*self.objects, "-Wl,--allow-multiple-definition"]
        # the command is linked with a library that shows public names only, as a whole
        words = [{"libikat.a": "libikat_internal.a"}.get(word, word) for word in words if "whole-archive" not in word and "-state" not in word]
        subprocess.run(words, cwd=self.build, check=True)

    def passes(self, name, fault):
        """Whether a test passes with a fault (0 = none)."""
        test = self.tests[name]
        environment = dict(entry.split("=", 1) for entry in self.property(test, "ENVIRONMENT", []))
        environment = {**os.environ, **environment, "IKAT_FAULT": str(fault), "XDG_CACHE_HOME": os.path.join(self.scratch, "cache")}
        command = list(test["command"])
        if name in self.own:
            command[0] = os.path.join(self.scratch, os.path.basename(command[0]))
        else:
            environment["IKAT"] = os.path.join(self.scratch, "ikat")
            command.append("--failfast")
        limit = int(TIMES * self.cost[name] + SECONDS) if fault else 100000
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen(command, env=environment, cwd=self.property(test, "WORKING_DIRECTORY", self.build), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))) as process:
            try:
                status = process.wait(timeout=10 * limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status = 1
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not fault:
            self.cost[name] = used.ru_utime + used.ru_stime - begun.ru_utime - begun.ru_stime
        return status == 0

    def noticed_by(self, number):
        """The test that notices the fault, or None: the floor's own first, each by what it costs."""
        order = sorted(self.own, key=self.cost.get) + sorted(self.also, key=self.cost.get)
        return next((name for name in order if not self.passes(name, number)), None)


def main():
    words = argparse.ArgumentParser(description="Faults drawn at random in one floor of the source.")
    words.add_argument("build")
    words.add_argument("floor")
    words.add_argument("--number", type=int, default=40)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--files", default="")
    words.add_argument("--least", type=float, default=0, metavar="PERCENT")
    words.add_argument("--also", nargs="*", default=[])
    options = words.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(os.path.abspath(options.build), options.floor, scratch, options)
        for name in bench.own + bench.also:
            if not bench.passes(name, 0):
                sys.exit(f"the unbroken source fails {name}")
        missed = 0
        for k, fault in enumerate(bench.faults):
            test = bench.noticed_by(k + 1)
            missed += test is None
            print(f"{test or 'NOT NOTICED':<28} src/{options.floor}/{fault[0]}", flush=True)
        share = 100 - 100 * missed / max(1, len(bench.faults))
        print(f"{len(bench.faults)} faults, {missed} not noticed: {share:.0f} % are noticed")
        if not bench.faults or share < options.least:
            sys.exit(1)


if __name__ == "__main__":
    main()
