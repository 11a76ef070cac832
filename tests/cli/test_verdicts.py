"""Verdicts of claims, compared with their definition on results that are drawn: equal ones, missing ones, deadlocks, curves that touch."""
import csv
import io
import json
import math
import random
import sqlite3
import unittest

from harness import CliTest

LOADS, ROUTINGS, OPS = [0.2, 0.4, 0.6, 0.8], ["minimal", "updown", "shortest"], ["<", "<=", "=", ">=", ">"]
T95 = {2: 12.706, 4: 3.182}  # by the number of samples


def claims():
    """Sides are pairs (routing, load), or a routing where the claim is about a curve."""
    for op in OPS:
        for tolerance in [0, 0.1]:
            for load in LOADS[::3]:
                for metric in ["throughput", "latency_mean_ns", "throughput / offered", "latency_mean_ns - latency_p50_ns"]:
                    yield {"metric": metric, "op": op, "tolerance": tolerance, "of": ("minimal", load), "against": ("updown", load)}
                yield {"metric": "throughput", "op": op, "tolerance": tolerance, "of": ("minimal", load), "against": ("updown", load), "ratio": 1.0}
                yield {"metric": "throughput", "op": op, "tolerance": tolerance, "of": ("minimal", load), "against": ("updown", load), "ratio": 1.0, "paired": "true"}
                yield {"metric": "throughput", "op": op, "tolerance": tolerance, "of": ("minimal", load), "value": 0.3}
            for metric in ["saturation", "plateau", "peak", "argmax"]:
                yield {"metric": metric, "op": op, "tolerance": tolerance, "of": "minimal", "against": "updown", "ratio": 1.0, "paired": "true"}
                yield {"metric": metric, "op": op, "tolerance": tolerance, "of": "minimal", "against": "updown"}
                yield {"metric": metric, "op": op, "tolerance": tolerance, "of": "minimal", "value": 0.6}
        yield {"metric": "crossing", "op": op, "tolerance": 0, "of": "minimal", "against": "updown", "value": 0.5}
    for load in LOADS:
        yield {"metric": "order", "of": [(r, load) for r in ROUTINGS], "tolerance": 0}


def address(side):
    return "{routing: %s, load: %g}" % side if isinstance(side, tuple) else "{routing: %s}" % side


def as_yaml(c):
    text = "claim: c, transient: true, metric: %s, of: %s" % (c["metric"], "[%s]" % ", ".join(map(address, c["of"])) if isinstance(c["of"], list) else address(c["of"]))
    for key in ["op", "tolerance", "paired"]:
        text += f", {key}: '{c[key]}'" if key in c else ""
    text += ", against: " + address(c["against"]) if "against" in c else ""
    text += ", ratio: true, value: %g" % c["ratio"] if "ratio" in c else ", value: %g" % c["value"] if "value" in c else ""
    return "  - {%s}\n" % text


class Definition:
    """What docs/experiments.md says of claims. None: it cannot be told."""

    def __init__(self, points, seeds):
        self.points, self.seeds = points, seeds

    def result(self, metric, routing, load, seed):
        p = self.points[routing, load, seed]
        if p["deadlock"]:
            return None
        names = metric.replace("/", "-").split(" - ")
        parts = [None if name.startswith("latency") and p["latency_max_ns"] == 0 else p[name] for name in names]
        if None in parts or ("/" in metric and parts[1] == 0):
            return None
        return parts[0] if len(parts) == 1 else parts[0] / parts[1] if "/" in metric else parts[0] - parts[1]

    def curve(self, measure, routing, seed):
        if measure == "saturation":
            for load in LOADS:
                p = self.points[routing, load, seed]
                if p["deadlock"] or p["saturated"]:
                    return load
            return math.inf
        ys = [self.result("throughput", routing, load, seed) for load in LOADS]
        if None in ys:
            return None
        return sum(ys[2:]) / 2 if measure == "plateau" else max(ys) if measure == "peak" else LOADS[ys.index(max(ys))]

    def crossing(self, a, b, seed):
        ys = [[self.result("throughput", r, load, seed) for load in LOADS] for r in (a, b)]
        diffs = []
        for y, z in zip(*ys):
            if y is None or z is None:
                break  # what is not known matters up to the crossing alone
            diffs.append(y - z)
        signs = [(i, d) for i, d in enumerate(diffs) if d]
        for (i, d), (k, e) in zip(signs, signs[1:]):
            if d * e < 0:
                return LOADS[i + 1] if k > i + 1 else LOADS[i] + (LOADS[k] - LOADS[i]) * d / (d - e)
        return None

    def pairs(self, c):
        """The quotient of each seed; a seed without a result on either side leaves all without one."""
        sides = [self.values(c, c["of"]), self.values(c, c["against"])]
        if None in sides[0] + sides[1]:
            return None
        values = [a / b if b and not (math.isinf(a) and math.isinf(b)) else None for a, b in zip(*sides)]
        return None if None in values else self.mean(values)

    def side(self, c, side):
        return self.mean(self.values(c, side))

    def values(self, c, side):
        if c["metric"] == "crossing":
            return [self.crossing(c["of"], c["against"], s) for s in self.seeds]
        elif isinstance(side, tuple):
            metric = "throughput" if c["metric"] == "order" else c["metric"]
            return [self.result(metric, *side, s) for s in self.seeds]
        return [self.curve(c["metric"], side, s) for s in self.seeds]

    @staticmethod
    def mean(values):
        if None in values or len(values) < 3:
            return None
        if math.inf in values:
            return (math.inf, 0) if set(values) == {math.inf} else None
        mean = sum(values) / len(values)
        spread = sum((v - mean) ** 2 for v in values)
        half = T95[len(values)] * math.sqrt(spread / (len(values) - 1) / len(values))
        return mean, half if half >= 1e-12 * abs(mean) else 0

    @staticmethod
    def compare(op, a, b, tolerance):
        """holds, differs or cannot be told; None where rounding decides."""
        if a is None or b is None or (math.isinf(a[0]) and math.isinf(b[0])):
            return "cannot be told"
        room = 0 if math.isinf(b[0]) else tolerance * abs(b[0])
        low, high = a[0] - a[1] - b[0] - b[1], a[0] + a[1] - b[0] + b[1]
        if (a[1] or b[1] or room) and min(abs(low - room), abs(low + room), abs(high - room), abs(high + room)) < 1e-9:
            return None
        if op in "<>":  # the same as <= and >= where a difference within the tolerance does not count
            op = op + "=" if room else op
        holds = {"<": high < 0, "<=": high <= room, "=": low >= -room and high <= room, ">=": low >= -room, ">": low > 0}[op]
        differs = {"<": low >= 0, "<=": low > room, "=": low > room or high < -room, ">=": high < -room, ">": high <= 0}[op]
        return "holds" if holds else "differs" if differs else "cannot be told"

    def verdict(self, c):
        if c["metric"] == "order":
            sides = [self.side(c, s) for s in c["of"]]
            found = [self.compare("<", a, b, 0) for a, b in zip(sides, sides[1:])]
            return None if None in found else next((v for v in ["differs", "cannot be told"] if v in found), "holds")
        left = self.side(c, c["of"])
        right = (c["value"], 0) if "value" in c else self.side(c, c["against"])
        if "paired" in c:
            left, right = self.pairs(c), (c["ratio"], 0)
        elif "ratio" in c:
            if left is None or right is None or abs(right[0]) <= right[1]:
                return "cannot be told"
            mean = left[0] / right[0]
            half = abs(mean) * (left[1] / abs(left[0]) + right[1] / abs(right[0])) if left[0] else left[1] / abs(right[0])
            left, right = (mean, half), (c["ratio"], 0)
        return self.compare(c["op"], left, right, c["tolerance"])


class Verdicts(CliTest):
    def made(self, seeds):
        self.file, self.store, self.claims = self.tmp / "test.yaml", self.tmp / "test.db", list(claims())
        self.file.write_text(f"fabric: crossbar:n=2\nrouting: [{', '.join(ROUTINGS)}]\nload: {LOADS}\nseeds: {seeds}\n"
                             "measure: {warmup: 0 ns, duration: 1 us}\nexpect:\n" + "".join(map(as_yaml, self.claims)))
        self.ok("run", self.file, "-o", self.store)
        self.seeds = list(range(1, seeds + 1))

    def draw(self, rng):
        """Other results for the points, often equal ones."""
        points, few = {}, rng.random() < 0.5
        broken, flat, ends = rng.random() < 0.3, rng.random() < 0.3, rng.choice([0, 0, 0.03])
        for routing in ROUTINGS:
            for load in LOADS:
                usual, waits = load * rng.choice([1, 1, 0.9, 0.5]), rng.choice([100.0, 150.0])
                for seed in self.seeds:
                    one = usual if flat else load * rng.choice([1, 0.5]) if few else usual * rng.uniform(0.9, 1)
                    points[routing, load, seed] = {
                        "offered": load, "throughput": one, "saturated": float(one < 0.95 * load), "steady": "yes",
                        "deadlock": "stuck" if rng.random() < ends else "",
                        "latency_mean_ns": rng.choice([100.0, 200.0]) if few else waits * rng.uniform(1, 1.1),
                        "latency_max_ns": 0.0 if broken and rng.random() < 0.05 else 500.0,  # 0: of no packet
                        "latency_p50_ns": rng.choice([90.0, 100.0]) if few else 50.0}
        return points

    def put(self, points):
        with sqlite3.connect(self.store) as db:
            for number, params in db.execute("select id, params from points").fetchall():
                p = json.loads(params)
                values = points[p["routing"].split(":")[0], float(p["load"]), int(p["seeds"])]
                db.execute(f"update points set {', '.join(f'{k} = ?' for k in values)} where id = ?", [*values.values(), number])
        db.close()

    def compare(self, seeds, rounds):
        self.made(seeds)
        rng, counts = random.Random(seeds), {}
        for _ in range(rounds):
            points = self.draw(rng)
            self.put(points)
            definition = Definition(points, self.seeds)
            rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))
            self.assertEqual(len(rows), len(self.claims))
            for claim, row in zip(self.claims, rows):
                expected = definition.verdict(claim)
                if expected is None:
                    continue
                self.assertEqual(row["verdict"], expected, (claim, row, points))
                self.assertEqual(row["why"] != "", expected == "cannot be told", (claim, row))
                counts[claim["metric"], expected] = counts.get((claim["metric"], expected), 0) + 1
        return counts

    def test_with_four_samples(self):
        counts = self.compare(4, 25)
        for metric in {c["metric"] for c in self.claims}:
            for verdict in ["holds", "differs", "cannot be told"]:
                self.assertGreater(counts.get((metric, verdict), 0), 0, (metric, verdict, counts))

    def test_curves_of_unlike_samples(self):
        """Machines 1 to 3 of one size and 1 to 4 of the other make no curves."""
        self.file, self.store = self.tmp / "test.yaml", self.tmp / "test.db"
        self.file.write_text("fabric:\n  - {family: jellyfish, N: 8, d: 3, seed: 1..3}\n  - {family: jellyfish, N: 8, d: 4, seed: 1..4}\n"
                             "routing: minimal\nsimulate: false\nmeasures: mean_hops\nover: fabric.seed\nexpect:\n"
                             "  - {claim: c, metric: argmax, x: fabric.d, y: mean_hops, op: '<', value: 1}\n"
                             "  - {claim: c, metric: argmax, x: fabric.d, y: mean_hops, op: '<', value: 9, of: {fabric.seed: [1, 2, 3]}}\n")
        self.ok("run", self.file, "-o", self.store)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))
        self.assertEqual([r["verdict"] for r in rows], ["cannot be told", "holds"])
        self.assertIn("not all the same samples", rows[0]["why"])

    def test_with_two_samples(self):
        counts = self.compare(2, 3)
        self.assertEqual({verdict for _, verdict in counts}, {"cannot be told"})


if __name__ == "__main__":
    unittest.main()
