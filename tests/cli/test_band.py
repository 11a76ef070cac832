"""Routings whose choices depend on queues: between which loads they saturate, and that simulations lie there."""
import csv
import io
import json
import unittest

from harness import CliTest

FABRICS = ["slimfly:q=3", "mlfm:h=3", "oft:k=3", "dragonfly:p=1,a=3,h=1", "hyperx:dims=3:3,p=3"]
TOLERANCE = .06  # of the hosts' rate: sources are finite, and packets wait for credits
RUN = "fabric: [{}]\nrouting: {}\ntraffic: {}\nload: 100%\nadapter: {{packet: 1 KiB}}\nmeasure: {{warmup: 40 us, duration: 60 us}}\n"


class Band(CliTest):
    def simulated(self, fabric, routing, traffic):
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        store.unlink(missing_ok=True)
        path.write_text(RUN.format(f'"{fabric}"', routing, traffic))
        self.ok("run", path, "-o", store, status=None)
        return float(next(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))["throughput"])

    def band(self, fabric, routing, traffic):
        load = self.json("load", fabric, "-r", routing, "-t", traffic)
        return load["saturation"], load["saturation_band"]

    def test_simulations_lie_within(self):
        for fabric in FABRICS:
            for traffic in ("uniform", "worst"):
                with self.subTest(fabric=fabric, traffic=traffic):
                    predicted, band = self.band(fabric, "ugal_l", traffic)
                    self.assertIsNone(predicted)
                    accepted = self.simulated(fabric, "ugal_l", traffic)
                    self.assertLess(band["low"] - TOLERANCE, accepted, band)
                    self.assertLess(accepted, band["high"] + TOLERANCE, band)

    def test_ends_are_those_of_the_pure_routings(self):
        for fabric in FABRICS:
            for traffic in ("uniform", "worst", "shift"):
                with self.subTest(fabric=fabric, traffic=traffic):
                    _, band = self.band(fabric, "ugal_l", traffic)
                    for name in ("minimal", "valiant"):
                        self.assertAlmostEqual(band[name], self.json("load", fabric, "-r", name, "-t", traffic)["saturation"], places=8)
                    self.assertAlmostEqual(band["low"], min(band["minimal"], band["valiant"]))
                    self.assertGreaterEqual(band["split"] + 1e-6, max(band["minimal"], band["valiant"]))
                    self.assertGreaterEqual(band["high"] + 1e-6, max(band["split"], band["even"]))

    def test_other_routings(self):
        """What does not depend on queues is predicted; an even division is no more than the best one."""
        for fabric, routing in (("karytree:k=2,n=3", "dmodk"), ("slimfly:q=3", "valiant")):
            predicted, band = self.band(fabric, routing, "uniform")
            self.assertGreater(predicted, 0)
            self.assertIsNone(band)
        for fabric, routing in (("karytree:k=4,n=2", "adaptive_tree"), ("karytree:k=4,n=2,fail=10%", "minimal"), ("torus:dims=4:4", "minimal"), ("slimfly:q=3", "minimal")):
            with self.subTest(fabric=fabric, routing=routing):
                predicted, band = self.band(fabric, routing, "uniform")
                self.assertEqual(predicted, band["even"])
                self.assertGreaterEqual(band["high"] + 1e-6, predicted)
                self.assertIsNone(band["low"])
        self.assertAlmostEqual(self.band("karytree:k=4,n=2", "adaptive_tree", "worst")[1]["high"], 1)

    def test_results_and_comparisons_have_the_band(self):
        """What `load` says stands in CSV, JSON, tables, figures and `compare`, in place of a predicted saturation."""
        path, store, fields = self.tmp / "test.yaml", self.tmp / "test.db", ("low", "minimal", "valiant", "split", "split_minimal", "high")
        figure = "figures:\n  - {name: bound, x: routing, y: band_high, series: traffic}\n"
        path.write_text('fabric: "slimfly:q=3"\nrouting: [minimal, valiant, ugal_l, ugal_l:paths=one]\ntraffic: [uniform, worst]\nsimulate: false\nmeasures: [saturation]\n'
                        + figure)
        text = self.ok("run", path, "-o", store)
        self.assertIn("one share", text)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))
        points = self.json("report", store)["points"]
        self.assertEqual(len(rows), 8)
        for row, point in zip(rows, points):
            with self.subTest(routing=row["routing"], traffic=row["traffic"]):
                predicted, band = self.band("slimfly:q=3", row["routing"], row["traffic"])
                self.assertEqual(point["static_saturation"] is None, predicted is None)
                self.assertEqual(predicted is None, "ugal_l" in row["routing"])
                band = band if predicted is None else {}
                for name in fields:
                    self.assertAlmostEqual(point[f"band_{name}"] or 0, band.get(name) or 0, places=6)
                    self.assertAlmostEqual(float(row[f"band_{name}"] or 0), band.get(name) or 0, places=6)
        self.assertIn("ugal_l", self.ok("report", store, "--figure", "bound"))
        self.ok("report", store, "-o", self.tmp / "test.html")
        for routing in ("ugal_l", "minimal"):
            told = self.json("compare", "slimfly:q=3", "oft:k=3", "--routing", routing, "-t", "uniform", "-t", "worst")["fabrics"]
            table = self.ok("compare", "slimfly:q=3", "oft:k=3", "--routing", routing, "-t", "uniform", "-t", "worst")
            for fabric in told:
                for traffic in ("uniform", "worst"):
                    predicted, band = self.band(fabric["spec"], routing, traffic)
                    self.assertEqual(fabric["saturation"][traffic] is None, predicted is None)
                    got = fabric["saturation_band"][traffic]
                    if routing == "minimal":
                        self.assertIsNone(got)
                        continue
                    self.assertEqual(got, {name: band[name] for name in got})
                    self.assertIn(f"{band['low']:.3g}..{band['high']:.3g}", table)

    def test_text_says_what_the_share_is(self):
        self.assertIn("one share for all pairs", self.ok("load", "slimfly:q=3", "-r", "ugal_l", "-t", "worst"))
        self.assertIn("not predicted", self.ok("load", "slimfly:q=3", "-r", "ugal_l", "-t", "worst"))


if __name__ == "__main__":
    unittest.main()
