#!/usr/bin/env python3
"""ikat design --from: what has to be done to make each design of a fabric that stands already."""
import csv
import io
import unittest

from harness import CliTest, run

WISH = ("design", "--hosts", 288, "--radix", 24)
OLD = "pgft:m=12:12,w=1:12,p=1:1"
NAMES = ("switches_added", "switches_removed", "cables_pulled", "cables_moved", "cables_moved_least", "cables_staying", "hosts_moved", "hosts_moved_least")


class Growth(CliTest):
    def test_sums(self):
        """Old and new are what stays and what changes; the ranges of hosts have as many as are said."""
        old = self.json("topo", OLD)
        for m in self.json(*WISH, "--from", OLD)["members"]:
            g = m["growth"]
            self.assertEqual(old["switches"] + g["switches_added"] - g["switches_removed"], m["switches"])
            self.assertEqual(g["cables_staying"] + g["cables_moved"], old["links"] - old["hosts"])
            self.assertEqual(g["cables_staying"] + g["cables_pulled"], m["switch_cables"])
            self.assertLessEqual(g["cables_moved_least"], g["cables_moved"])
            self.assertLessEqual(g["hosts_moved_least"], g["hosts_moved"])
            moved = [h for a, b in zip(g["moved_hosts"][::2], g["moved_hosts"][1::2]) for h in range(a, b + 1)]
            self.assertEqual((len(moved), len(set(moved))), (g["hosts_moved"],) * 2)

    def test_a_tree_with_more_leaves(self):
        (member,) = self.json(*WISH, "2-level fat tree", "--from", OLD)["members"]
        self.assertEqual(tuple(member["growth"][name] for name in NAMES), (12, 0, 144, 0, 0, 144, 0, 0))
        (many,) = self.json(*WISH, "2-level fat tree", "--rails", 3, "--from", OLD)["members"]
        self.assertEqual(tuple(many["growth"][name] for name in NAMES), (36, 0, 432, 0, 0, 432, 0, 0))

    def test_itself(self):
        """From a design to the same one, nothing is done; from a file of it, too."""
        for m in self.json(*WISH)["members"]:
            (same,) = self.json(*WISH, m["series"], "--from", m["spec"])["members"]
            self.assertEqual([same["growth"][name] for name in NAMES], [0, 0, 0, 0, 0, m["switch_cables"], 0, 0], m["spec"])
        self.ok("topo", OLD, "-o", self.tmp / "old.json")
        (member,) = self.json(*WISH, "2-level fat tree", "--from", self.tmp / "old.json")["members"]
        self.assertEqual(member["growth"]["cables_moved"], 0)

    def test_output(self):
        made = self.json(*WISH, "--from", OLD)
        self.assertEqual(made["wish"]["from"], OLD)
        for row, m in zip(csv.DictReader(io.StringIO(self.ok(*WISH, "--from", OLD, "--csv"))), made["members"]):
            self.assertEqual([int(row[name]) for name in NAMES], [m["growth"][name] for name in NAMES])
        text = self.ok(*WISH, "--from", OLD)
        self.assertRegex(text, r"(?m)^2-level fat tree +12 +0 +144 +0 +0 +144 +0 +0$")
        self.assertIn(f"Growth from {OLD}: switches, cables", " ".join(text.split()))
        self.assertEqual(self.ok(*WISH, "--from", OLD, "-j1"), self.ok(*WISH, "--from", OLD, "-j4"))
        plain = self.json(*WISH)
        self.assertEqual((plain["wish"]["from"], {str(m["growth"]) for m in plain["members"]}), (None, {"None"}))
        self.assertNotIn("Growth", self.ok(*WISH))
        self.assertNotIn("cables_pulled", self.ok(*WISH, "--csv"))

    def test_a_few_slow_cables(self):
        done = run("design", "--hosts", 200, "--radix", 36, "--from", "data/cluster96.ibnetdiscover", "fattree2")
        self.assertEqual(done.returncode, 0)
        self.assertIn("counted as if all had 100 Gb/s: 1 cable of another rate", done.stderr)
        self.assertIn("Growth", done.stdout)

    def test_refused(self):
        for args, words in ((("pgft:m=12:25,w=1:12,p=1:1",), ("has 300 hosts, more than the 288 of --hosts",)),
                            (("crossbar:n=40",), ("has a switch with 40 ports, more than the 24 of --radix",)),
                            ((OLD, "--rate", "400Gb/s"), ("has cables of 100 Gb/s, and all designs are of 400 Gb/s", "--rate")),
                            (("pgft:m=12:12,w=2:12,p=1:1",), ("hosts with several cables", "--rails N")),
                            (("nothing:n=4",), ("nothing",)), (("missing.json",), ("missing.json",))):
            with self.subTest(args=args):
                self.refused(*WISH, "fattree2", "--from", *args, "-o", self.tmp / "d.html", says=words)
                self.assertEqual(list(self.tmp.iterdir()), [])
        self.refused("design", "--hosts", 400000, "--radix", 128, "--from", OLD, says="--from needs networks of at most 300,000 hosts")


if __name__ == "__main__":
    unittest.main()
