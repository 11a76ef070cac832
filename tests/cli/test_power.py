"""Which claims would also hold with other results: compared with the definition on results that are drawn, and asked of every claim that is shipped."""
import csv
import io
import json
import math
import random
import re
import sqlite3
import unittest

from harness import SOURCE, CliTest, run
from test_verdicts import OPS, Definition

ROUTINGS, LOADS, SEEDS = ["minimal", "updown", "shortest"], [0.3, 0.9], 4
SIDES = "with both sides exchanged"
INVERSE = "with the inverse quotient"
BEYOND = "with a result as far beyond its number as results can be"
TENTH = "with 10 % more and with 10 % less"


def claims():
    for basis in ["publication", "twin", "program"]:
        for op in OPS:
            for tolerance in [0, 0.02, 0.05, 0.15]:
                base = {"op": op, "tolerance": tolerance, "basis": basis, "of": "minimal", "load": 0.9}
                yield {**base, "against": "updown"}
                yield {**base, "value": 0.5}
                yield {**base, "value": 0.3, "load": 0.3}
                for quotient in [1, 1.1, 0.9]:
                    yield {**base, "against": "updown", "ratio": quotient}
    for tolerance in [0, 0.1]:
        yield {"op": "order", "tolerance": tolerance, "basis": "publication", "load": 0.9}


def as_yaml(c):
    if c["op"] == "order":
        return "  - {claim: c, transient: true, metric: order, tolerance: %g, of: [%s]}\n" % (
            c["tolerance"], ", ".join("{routing: %s, load: 0.9}" % r for r in ROUTINGS))
    text = "claim: c, transient: true, metric: throughput, of: {routing: %s}, at: {load: %g}, op: '%s', tolerance: %g, basis: %s" % (
        c["of"], c["load"], c["op"], c["tolerance"], c["basis"])
    text += ", against: {routing: %s}" % c["against"] if "against" in c else ""
    text += ", ratio: true, value: %g" % c["ratio"] if "ratio" in c else ", value: %g" % c["value"] if "value" in c else ""
    return "  - {%s}\n" % text


def scaled(side, factor):
    return side[0] * factor, side[1] * factor


class Power(CliTest):
    def made(self, expect, head=""):
        file, self.store = self.tmp / "power.yaml", self.tmp / "power.db"
        self.store.unlink(missing_ok=True)
        file.write_text((head or f"fabric: crossbar:n=2\nrouting: [{', '.join(ROUTINGS)}]\nload: {LOADS}\nseeds: {SEEDS}\nmeasure: {{warmup: 0 ns, duration: 1 us}}\n") +
                        "expect:\n" + expect)
        self.ok("run", file, "-o", self.store)

    def rows(self):
        return list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))

    def put(self, points):
        with sqlite3.connect(self.store) as db:
            for number, params in db.execute("select id, params from points").fetchall():
                p = json.loads(params)
                load, routing = float(p["load"]), p["routing"].split(":")[0]
                db.execute("update points set offered = ?, throughput = ?, steady = 'yes' where id = ?",
                           [load, points[routing, load][int(p["seeds"]) - 1], number])
        db.close()

    def blind(self, c, points):
        """What the claim does not see, "" if it sees all that it has to; None where rounding decides."""
        def holds(left, right):
            verdict = Definition.compare(c["op"], left, right, c["tolerance"])
            return None if verdict is None else verdict == "holds"

        side = {r: Definition.mean(points[r, c["load"]]) for r in ROUTINGS}
        if c["op"] == "order":
            pairs = list(zip(ROUTINGS, ROUTINGS[1:]))
            found = [Definition.compare("<", side[a], side[b], c["tolerance"]) == "holds" for a, b in pairs]
            turned = [Definition.compare("<", side[b], side[a], c["tolerance"]) == "holds" for a, b in pairs]
            return "with two neighbours of the order exchanged" if all(found) and any(turned) else ""
        left, right = side[c["of"]], side[c["against"]] if "against" in c else (c["value"], 0)
        moves = []
        if "ratio" in c:
            q = left[0] / right[0]
            left, right = (q, q * (left[1] / left[0] + right[1] / right[0])), (c["ratio"], 0)
            if c["op"] != "=" or c["ratio"] != 1:
                moves = [(INVERSE, [((1 / q, left[1] / q**2), right)])]
        elif c["op"] != "=" and "against" in c:
            moves = [(SIDES, [(right, left)])]
        elif c["op"] != "=":
            away = max(abs(left[0] - right[0]), 0.1 * right[0]) * (1 if c["op"] in ("<", "<=") else -1)
            beyond = min(max(right[0] + away, 0), max(c["load"], left[0]))
            moves = [(BEYOND, [((beyond, left[1]), right)])]
        if c["op"] == "=" or c["basis"] != "publication":
            factors = [0.9, 1.1]
            two = "against" in c and "ratio" not in c
            moves.append((TENTH, [(scaled(left, f), right) for f in factors] + ([(left, scaled(right, f)) for f in factors] if two else [])))
        if not holds(left, right):
            return holds(left, right) if holds(left, right) is None else ""
        for name, sides in moves:
            answers = [holds(*s) for s in sides]
            if None in answers:
                return None
            if all(answers):
                return name
        return ""

    def test_as_defined(self):
        """On drawn results: often equal ones, close ones, and such as are near what was offered."""
        some = list(claims())
        self.made("".join(map(as_yaml, some)))
        rng, seen = random.Random(7), {}
        for _ in range(40):
            base, spread, noise = rng.uniform(0.3, 0.9), rng.choice([0, 0.01, 0.1, 0.5]), rng.choice([0, 1e-3, 0.02])
            points = {}
            for routing in ROUTINGS:
                for load in LOADS:
                    mean = min(load, load * base * (1 + rng.uniform(-spread, spread)))
                    points[routing, load] = [mean * (1 - rng.uniform(0, noise)) for _ in range(SEEDS)]
            self.put(points)
            for c, row in zip(some, self.rows(), strict=True):
                expected = self.blind(c, points)
                if expected is None:
                    continue
                self.assertEqual(row["blind"], expected, (c, row, points))
                seen[expected] = seen.get(expected, 0) + 1
        for name in ["", SIDES, INVERSE, BEYOND, TENTH, "with two neighbours of the order exchanged"]:
            self.assertGreater(seen.get(name, 0), 0, (name, seen))

    def test_what_results_cannot_be(self):
        """More than is offered, more than all, more entries than there is room for."""
        head = "fabric: {family: lrt, N: 16, d: 4, r: 2, seed: 410187}\nrouting: {family: loren, t_max: [7, 15]}\nsimulate: false\n"
        at = "of: {routing.t_max: 7}"
        self.made(f"  - {{claim: room, metric: entries_max, {at}, op: '<=', value: 7}}\n"
                  f"  - {{claim: less, metric: entries_max, {at}, op: '<', value: 8}}\n"
                  f"  - {{claim: more, metric: entries_max, {at}, op: '>=', value: 7}}\n"
                  f"  - {{claim: all, metric: feasible, {at}, op: '<=', value: 1}}\n"
                  f"  - {{claim: none, metric: entries_max - entries_max, {at}, op: '=', value: 0}}\n"
                  f"  - {{claim: some, metric: feasible, {at}, op: '>', value: 0}}\n"
                  "  - {claim: free, metric: entries_max, of: {routing.t_max: 15}, op: '<=', value: 15}\n", head)
        self.assertEqual([r["verdict"] for r in self.rows()], ["holds"] * 7)
        self.assertEqual([r["blind"] for r in self.rows()], [BEYOND, BEYOND, "", BEYOND, "", "", BEYOND])
        found = self.json("report", self.store)["claims"]
        self.assertEqual([c["blind"] for c in found], [r["blind"] for r in self.rows()])

    def test_list(self):
        """`reproduce --power` prints the claims that would also hold with other results, counts them, and ends with 1 if one is not marked as weak."""
        claim = "256 switches, half of N: paths of LOREN are comparable or shorter"
        name, out = "004/fig5b", self.tmp / "made"
        self.ok("reproduce", name, "-q", "-o", out)
        text = self.ok("reproduce", name, "--power", "-o", out)
        self.assertRegex(text, r"of \d+ claims that hold 0 would also hold with other results; 0 of these are not marked as weak")
        self.assertNotIn("asked:", text)
        # of paths that are all of the same length neither routing has the shorter ones
        with sqlite3.connect(out / "004/lengths.db") as db:
            db.execute("UPDATE points SET mean_hops = 4")
        done = run("reproduce", name, "--power", "-o", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, rf"holds +{name} +{claim}")
        self.assertIn(f"would also hold {INVERSE}", done.stdout)
        self.assertRegex(done.stdout, r"1 would also hold with other results; 1 of these are not marked as weak")
        answer = self.json("reproduce", name, "--power", "-o", out, status=1)
        self.assertEqual((answer["blind"], answer["blind_and_not_weak"]), (1, 1))
        with open(out / "claims.csv", encoding="utf-8") as file:
            self.assertEqual([row["claim"] for row in csv.DictReader(file) if row["blind"]], [claim])
        self.assertIn(f"Would also hold {INVERSE}", (out / "index.html").read_text())
        self.refused("reproduce", "--list", "--power", says=("--power", "--list"))


NUMBER = r"([-\d.e+]+|beyond the highest load)(?: ± ([\d.]+))?"


def recorded():
    """Claims of docs/reproductions.md that hold: (row, found, asked)."""
    for line in (SOURCE / "docs/reproductions.md").read_text().splitlines():
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 7 and cells[0] == "holds":
            yield line, cells[5], cells[4]


class Shipped(unittest.TestCase):
    def test_every_claim_could_have_failed(self):
        """Of those that hold: or it says that it is weak. Whoever adds a claim and records its result gets to know here."""
        rows = list(recorded())
        self.assertGreater(len(rows), 400)
        for line, found, _ in rows:
            if "Would also hold" in found:
                self.assertIn("Weak: ", found, f"{line}\nask more, or say why it is weak")

    def test_recorded_numbers(self):
        """The same from the numbers that the page shows, of what compares two sides or quotients."""
        seen = 0
        for line, found, asked in recorded():
            sides = re.match(rf"{NUMBER}(?: (?:%|ns|bytes|entries))? against {NUMBER}", found)
            turned = None
            if sides and "the other side" in asked and not asked.startswith(("as ", "the same")):
                a, b = (math.inf if x.startswith("beyond") else float(x) for x in (sides[1], sides[3]))
                share = re.match(r"at most ([\d.]+) % (above|below)", asked)
                room = float(share[1]) / 100 if share else 0
                low = share[2] == "above" if share else asked.startswith(("less", "at most"))
                turned = b <= a * (1 + room) if low else b >= a * (1 - room)
                turned = turned and (room > 0 or not asked.startswith(("less", "more")))
            if turned is None:
                continue
            seen += 1
            if turned and not (sides[2] or sides[4]):  # with intervals the page does not say enough
                self.assertIn("Would also hold", found, line)
            if not turned:
                self.assertNotIn(SIDES, found, line)
        self.assertGreater(seen, 100)


if __name__ == "__main__":
    unittest.main()
