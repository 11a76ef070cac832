"""Claims of a sweep that is not finished: judged when their own points are there, and unfinished where not."""
import csv
import io
import json
import random
import shutil
import sqlite3
import unittest

from harness import CliTest

TEXT = """
title: Unfinished
fabric: [{family: jellyfish, N: 8, d: 3, seed: 1..3}, "karytree:k=4,n=2"]
routing: updown
traffic: [uniform, shuffle]
load: [20%, 60%, 100%]
seeds: 3
measure: {warmup: 1 us, duration: 3 us}
over: fabric.seed
scales:
  full: {seeds: 4}
expect:
  - {claim: value, metric: throughput, of: {fabric: karytree, traffic: uniform, load: 60%}, value: 0.6, op: "=", tolerance: 5 %, transient: true}
  - {claim: against, metric: latency_mean_ns, of: {fabric: karytree, load: 20%}, against: {fabric: jellyfish, load: 20%}, at: {traffic: shuffle}, op: "<"}
  - {claim: ratio, metric: throughput, of: {traffic: shuffle}, against: {traffic: uniform}, at: {fabric: jellyfish, load: 100%}, ratio: true, value: 0.9, op: "<"}
  - {claim: saturation, metric: saturation, of: {fabric: karytree, traffic: shuffle}, value: 100%, op: ">=", transient: true}
  - {claim: plateau, metric: plateau, of: {fabric: jellyfish, traffic: uniform}, against: {fabric: karytree, traffic: uniform}, op: "<"}
  - {claim: crossing, metric: crossing, of: {traffic: shuffle}, against: {traffic: uniform}, at: {fabric: karytree}, value: 60%, op: "<"}
  - {claim: order, metric: order, y: throughput, of: [{load: 20%}, {load: 60%}, {load: 100%}], at: {fabric: jellyfish, traffic: uniform}, transient: true}
  - {claim: at full scale, metric: throughput, of: {fabric: karytree, traffic: uniform, load: 20%}, value: 0.2, op: "=", tolerance: 5 %, scale: full}
"""
# what each claim is about: its points by fabric, traffic and load
ABOUT = {
    "value": lambda f, t, l: f == "karytree" and t == "uniform" and l == 0.6,
    "against": lambda f, t, l: t == "shuffle" and l == 0.2,
    "ratio": lambda f, t, l: f == "jellyfish" and l == 1,
    "saturation": lambda f, t, l: f == "karytree" and t == "shuffle",
    "plateau": lambda f, t, l: t == "uniform",
    "crossing": lambda f, t, l: f == "karytree",
    "order": lambda f, t, l: f == "jellyfish" and t == "uniform",
    "at full scale": lambda f, t, l: f == "karytree" and t == "uniform" and l == 0.2,
}


class Unfinished(CliTest):
    def claims(self, store):
        return {r["claim"]: r for r in csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", "claims")))}

    def points(self, store):
        with sqlite3.connect(store) as db:
            for number, text in db.execute("SELECT id, params FROM points ORDER BY id").fetchall():
                p = json.loads(text)
                yield number, p["fabric"].split(":")[0], p["traffic"].split(":")[0], float(p["load"])

    def test_points_that_are_left_out(self):
        """Of routings that do not fit: they are not waited for, and claims about nothing else say so, finished or not."""
        path, part = self.tmp / "e.yaml", self.tmp / "part.db"
        path.write_text("""
fabric: ["karytree:k=4,n=2", "ring:n=4"]
routing: [dmodk, updown]
load: [20%, 40%]
seeds: 3
skip_misfits: true
measure: {warmup: 1 us, duration: 3 us}
expect:
  - {claim: nothing is left, metric: throughput, of: {routing: dmodk, fabric: ring, load: 20%}, value: 0.2, op: "=", tolerance: 90 %}
  - {claim: one side is, metric: throughput, of: {routing: updown}, against: {routing: dmodk}, at: {fabric: ring, load: 20%}, op: "=", tolerance: 90 %}
  - {claim: some are, metric: throughput, of: {load: 40%}, against: {load: 20%}, at: {fabric: ring}, over: routing, op: ">", transient: true}
  - {claim: none is, metric: throughput, of: {routing: dmodk, load: 40%}, against: {routing: updown, load: 20%}, at: {fabric: karytree}, op: ">", transient: true}
""")
        whole = self.tmp / "whole.db"
        self.ok("run", path, "-q", "-o", whole)
        points, judged = list(self.points(whole)), self.claims(whole)
        self.assertEqual(len(points), 18)
        for claim, why in (("nothing is left", "3 of its 3 points are left out: no run can finish them"), ("one side is", "3 of its 6 points are left out: no run can finish them")):
            self.assertEqual((judged[claim]["verdict"], judged[claim]["why"]), ("cannot be told", why))
        for claim in ("some are", "none is"):
            self.assertEqual(judged[claim]["verdict"], "holds")
        tree = [p for p in points if p[1] == "karytree"]
        ring = [p for p in points if p[1] != "karytree"]
        self.assertEqual((len(tree), len(ring)), (12, 6))
        for gone, claim, why in ((tree[:1], None, None), (ring[:1], "some are", "unfinished: 1 of its 6 points are missing"), (ring[:1], "one side is", "unfinished: 1 of its 3 points are missing")):
            with self.subTest(claim=claim):
                shutil.copy(whole, part)
                with sqlite3.connect(part) as db:
                    db.executemany("DELETE FROM points WHERE id = ?", [(p[0],) for p in gone])
                found = self.claims(part)
                if claim:
                    self.assertEqual((found[claim]["verdict"], found[claim]["why"]), ("cannot be told", why))
                else:
                    for name in ("nothing is left", "one side is", "some are"):
                        self.assertEqual(found[name], judged[name])
        with sqlite3.connect(part) as db:  # numbers of points that are not there
            for first, num in ((2**62, 2**62), (0, 2**62), (23, 5)):
                db.execute("UPDATE meta SET value = ? WHERE key = 'left_out'", (json.dumps([{"first": first, "points": num, "what": "a", "why": "b"}]),))
                db.commit()
                self.assertEqual(len(self.claims(part)), 4)

    def test_points_that_are_missing(self):
        """Of every kind of claim, at a scale and with a value that was set."""
        path = self.tmp / "e.yaml"
        path.write_text(TEXT)
        rng, seen = random.Random(1), set()
        for name, more in (("default", ()), ("full", ("--scale", "full")), ("set", ("--set", "measure.duration=2 us"))):
            whole, part = self.tmp / f"{name}.db", self.tmp / "part.db"
            self.ok("run", path, "-q", "-o", whole, *more)
            expected, points = self.claims(whole), list(self.points(whole))
            for share in (0.02, 0.05, 0.2, 0.5, 1):
                gone = [p for p in points if rng.random() < share]
                shutil.copy(whole, part)
                with sqlite3.connect(part) as db:
                    db.executemany("DELETE FROM points WHERE id = ?", [(p[0],) for p in gone])
                found = self.claims(part)
                for claim, about in ABOUT.items():
                    missing, every = (sum(about(*p[1:]) for p in some) for some in (gone, points))
                    with self.subTest(scale=name, share=share, claim=claim):
                        if expected[claim]["verdict"] == "not asked" or not missing:
                            self.assertEqual(found[claim], expected[claim])
                        else:
                            self.assertEqual(found[claim]["verdict"], "cannot be told")
                            self.assertEqual(found[claim]["why"], f"unfinished: {missing} of its {every} points are missing")
                        seen.add((claim, missing > 0, found[claim]["verdict"]))
        for claim in ABOUT:
            self.assertTrue(any(s[0] == claim and s[1] for s in seen), claim)
        told = {s[0] for s in seen if not s[1] and s[2] in ("holds", "differs")}
        self.assertLessEqual({"value", "saturation", "order"}, told)

    def test_an_experiment_that_cannot_be_read(self):
        """Then it is not known which points are missing."""
        path, store = self.tmp / "e.yaml", self.tmp / "e.db"
        path.write_text(TEXT)
        self.ok("run", path, "-q", "-o", store, "--shard", "1/2")
        for text in ("", "fabric: [", "fabric: crossbar:n=2\nrouting: dmodk\nload: 10%\n"):
            with sqlite3.connect(store) as db:
                db.execute("UPDATE meta SET value = ? WHERE key = 'experiment'", (text,))
            self.assertEqual({r["why"] for n, r in self.claims(store).items() if n != "at full scale"}, {"not all points are finished"})


if __name__ == "__main__":
    unittest.main()
