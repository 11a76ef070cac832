"""Counts are in the singular where they are one: every command prints "1 switch" and "1 error", never "1 switches", "1 errors", on fabrics that
have one of each, and with tables, files and results in which one thing is wrong or missing."""
import json
import re
import unittest

import harness

# What may stand behind "1": verbs, prepositions, units, a factor ("2 times the mean"), words whose singular ends in s.
TRUE = {"and", "as", "at", "between", "by", "carries", "does", "from", "has", "in", "is", "its", "less", "ms", "ns", "of", "on", "passes", "ps", "s", "this", "times", "to", "us", "was"}
ONE = re.compile(r"(?<![\w.,:/=+-])(?<!x )1 (?!(?:%s)\b)(?:[a-z-]+ )?([a-z]+s|LIDs|VLs|VCs|GUIDs)\b" % "|".join(TRUE))
# "1 of 5 pairs is": no verb of many before one of one.
OF_MANY = re.compile(r"(?<![\w.,])1 of [\d,]+ (?:(?!\b(?:is|has|was|does|carries)\b)[^.,:;\n])*?\b(?:are|have|were|do|carry)\b")

# Fabrics by the number of switches, hosts and cables between switches.
FABRICS = {
    "one_host": "h0 0\n",
    "one_switch": "h0 0\nh1 0\n",
    "one_cable": "0 1\nh0 0\nh1 1\n",
    "one_spine": "0 2\n1 2\nh0 0\nh1 1\n",
    "two_parts": "0 1\nh0 0\nh1 1\nh2 2\n",
}
EXPERIMENT = """\
fabric: one_cable.edges
routing: updown
traffic: uniform
load: 20%
measure: {warmup: 500 ns, duration: 1 us}
figures: [{name: line, x: load, y: throughput}]
"""


def wrong_counts(text):
    """Every place with a plural behind a one."""
    found = [m for m in ONE.finditer(text) if m[1] not in TRUE] + list(OF_MANY.finditer(text))
    return [text[max(0, m.start() - 40):m.end() + 20] for m in found]


class CountsTest(harness.CliTest):
    """What the commands print."""

    def setUp(self):
        super().setUp()
        for name, text in FABRICS.items():
            (self.tmp / f"{name}.edges").write_text(text)

    def look(self, *args):
        """Runs a command, and returns what it printed; that it ends in an error is all right here."""
        done = harness.run(*args, cwd=self.tmp)
        self.assertGreaterEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(done.returncode, 3, done.stderr)
        self.assertNotIn("there is no option", done.stderr)
        with self.subTest(args=args):
            self.assertEqual(wrong_counts(done.stdout + done.stderr), [])
        return done.stdout

    def test_the_pattern_finds_what_it_should(self):
        self.assertEqual(len(wrong_counts("1 errors, 11 errors, 1 host pairs; level 1 has 1 switch; 1 LIDs; 0.1 seconds; v=1 bytes")), 3)
        self.assertEqual(len(wrong_counts("1 of 5 pairs of hosts are lost; 1 of 5 pairs is, as others are; 11 of 12 have; 1 of 2 switches have no table")), 2)

    def test_small_fabrics(self):
        for name in FABRICS:
            fabric = f"{name}.edges"
            self.look("topo", fabric, "--all")
            for command in ("check", "load", "route", "deploy"):
                self.look(command, fabric, "-r", "updown", *(["--dry-run"] if command == "deploy" else []), *(["--allow-unreachable"] if command in ("check", "load") else []))
            self.look("load", fabric, "-r", "updown", "-t", "shift:by=1", "--contention")
            self.look("load", fabric, "-r", "updown", "-t", "exchange")
            self.look("check", fabric, "-r", "valiant", "--vc", "hopclass")
            self.look("failures", fabric, "-r", "updown")
            self.look("audit", fabric)
            self.look("audit", fabric, "--nagios")
            self.look("audit", fabric, "--page", "page.html")
            self.assertEqual(wrong_counts((self.tmp / "page.html").read_text().partition("<body>")[2]), [])

    def test_tables_with_one_fault(self):
        self.ok("route", "one_spine.edges", "-r", "updown", "--format", "lft", "-o", "whole.lft", cwd=self.tmp)
        lines = (self.tmp / "whole.lft").read_text().splitlines(keepends=True)
        entries = [i for i, line in enumerate(lines) if re.match(r"0x[0-9a-f]{4} ", line)]
        self.assertGreater(len(entries), 4)
        for k, entry in enumerate(entries):
            (self.tmp / "faulty.lft").write_text("".join(lines[:entry] + lines[entry + 1:]))
            self.look("audit", "one_spine.edges", "--lfts", "faulty.lft", *(["--nagios"] if k % 2 else []))
            self.look("failures", "one_spine.edges", "--lfts", "faulty.lft")
        self.look("audit", "one_cable.edges", "--lfts", "whole.lft")
        blocks = re.split("(?=Unicast)", "".join(lines))
        (self.tmp / "lacking.lft").write_text("".join(blocks[:-1]))
        self.assertIn("1 of 3 switches has no table", self.look("audit", "one_spine.edges", "--lfts", "lacking.lft"))
        self.look("deploy", "one_spine.edges", "--from", "lacking.lft", "--dry-run")
        self.look("audit", "one_spine.edges", "--plan", "one_cable.edges")
        self.look("audit", "one_cable.edges", "--plan", "one_spine.edges")

    def test_deployed(self):
        self.look("deploy", "one_cable.edges", "-r", "updown", "-o", "folder")
        table = (self.tmp / "folder/lfts").read_text()
        entries = [m.span() for m in re.finditer(r"0x[0-9a-f]{4} .*\n", table)]
        for begin, end in entries[:1] + entries[-1:]:
            (self.tmp / "lacking").write_text(table[:begin] + table[end:])
            self.look("verify-deployed", "folder", "--lfts", "lacking")
        self.look("verify-deployed", "folder", "--lfts", "folder/lfts")
        self.look("deploy", "one_cable.edges", "-r", "updown", "-o", "next", "--from", "folder")

    def test_results(self):
        (self.tmp / "small.yaml").write_text(EXPERIMENT)
        self.look("run", "small.yaml", "-o", "small.db")
        self.look("report", "small.db")
        self.look("report", "small.db", "--figure", "line")
        self.look("merge", "small.db", "-o", "merged.db")
        points = json.loads(self.look("report", "small.db", "--json"))["points"]
        self.assertEqual(len(points), 1)

    def test_watched(self):
        self.look("watch", "--fabric-command", "cat one_cable.edges", "--once", "-v")


if __name__ == "__main__":
    unittest.main()
