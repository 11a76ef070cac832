"""What a claim asks, how near it is to another verdict, what it is compared with, and why it is weak: in JSON, CSV and the terminal."""
import csv
import io
import unittest

from harness import CliTest

HEAD = """\
fabric: [{family: karytree, k: 2, n: 2}, {family: karytree, k: 4, n: 2}]
routing: dmodk
simulate: false
expect:
"""
SMALL = 4  # hosts of the first fabric; 16 of the second


def claim(op, value, tolerance="0", more=""):
    return f'  - {{claim: "{op} {value} {tolerance}", metric: hosts, of: {{fabric.k: 2}}, op: "{op}", value: {value}, tolerance: {tolerance}{more}}}\n'


class Margins(CliTest):
    def claims(self, text):
        path, store = self.tmp / "claims.yaml", self.tmp / "claims.db"
        store.unlink(missing_ok=True)
        path.write_text(HEAD + text)
        self.shown = " ".join(self.ok("run", path, "-o", store).split())
        self.store = store
        return self.json("report", store)["claims"]

    def test_the_margin_is_what_changes_the_verdict(self):
        """Moving the value by a little less than the margin keeps the verdict; by a little more, another one is there."""
        cases = [("<", 5, "0"), ("<", 4, "10 %"), ("<", 3, "0"), ("<=", 5, "0"), ("<=", 3, "5 %"), ("=", 4, "10 %"), ("=", 4.2, "10 %"), ("=", 3.8, "10 %"),
                 ("=", 6, "10 %"), ("=", 2, "10 %"), (">=", 3, "0"), (">=", 4.1, "10 %"), (">=", 6, "0"), (">", 3, "0"), (">", 4.1, "10 %"), (">", 6, "0")]
        for (op, value, tolerance), found in zip(cases, self.claims("".join(claim(*case) for case in cases))):
            share = float(tolerance.rstrip(" %")) / 100

            def holds(left, op=op, value=value, share=share):
                d, t = left - value, share * value
                return {"<": d < 0 if t == 0 else d <= t, "<=": d <= t, "=": abs(d) <= t, ">=": d >= -t, ">": d > 0 if t == 0 else d >= -t}[op]

            self.assertEqual(found["verdict"], "holds" if holds(SMALL) else "differs", found)
            self.assertEqual(found["margin"] >= 0, holds(SMALL), found)
            moves = [sign * factor * abs(found["margin"]) * value for sign in (-1, 1) for factor in (0.99, 1.01)]
            changed = [holds(SMALL + move) != holds(SMALL) for move in moves]
            self.assertFalse(changed[0] or changed[2], found)
            self.assertTrue(changed[1] or changed[3], found)

    def test_words(self):
        text = (claim(">", 3) + claim("=", 4, "10 %") + claim("<", 5, "3 %") + claim(">=", 4, "5 %", ', weak: "a reason"') + claim("=", 4) +
                '  - {claim: twice, metric: hosts, of: {fabric.k: 4}, against: {fabric.k: 2}, op: "=", ratio: true, value: 4, tolerance: 1 %, basis: twin}\n'
                '  - {claim: other, metric: hosts, of: {fabric.k: 4}, against: {fabric.k: 2}, op: ">", basis: program}\n'
                '  - {claim: order, metric: order, y: hosts, of: [{fabric.k: 2}, {fabric.k: 4}]}\n')
        found = self.claims(text)
        self.assertEqual([c["asked"] for c in found], ["more than 3", "4 within 10 %", "at most 3 % above 5", "at most 5 % below 4", "4", "a quotient of 4 within 1 %",
                                                       "more than the other side", "each less than the next"])
        self.assertEqual([c["basis"] for c in found], ["publication"] * 5 + ["twin", "program", "publication"])
        self.assertEqual([c["weak"] for c in found], [""] * 3 + ["a reason"] + [""] * 4)
        self.assertEqual([c["found"] for c in found[:2]], ["4", "4"])
        self.assertEqual(found[4]["margin"], 0)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))
        for c, row in zip(found, rows, strict=True):
            self.assertEqual([row[key] for key in ("asked", "basis", "weak")], [c[key] for key in ("asked", "basis", "weak")])
            self.assertAlmostEqual(float(row["margin"]), c["margin"], 3)
        for words in ("asked: more than 3 (margin 33 %)", "weak: a reason", "compared with another computation of ikat", "compared with the results of another program"):
            self.assertIn(words, self.shown)
        self.assertNotRegex(self.shown, r"margin [\d.]+e")  # in plain digits, however wide
        self.assertRegex(self.shown, r"margin \d\d\d+ %")

    def test_refusals(self):
        path = self.tmp / "bad.yaml"
        path.write_text(HEAD + claim(">", 3, more=", basis: papers"))
        self.refused("run", path, "-o", self.tmp / "bad.db", says=("bad.yaml:5:", "basis", "publication|twin|program"))


if __name__ == "__main__":
    unittest.main()
