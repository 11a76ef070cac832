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

    def test_contention_by_detours_is_not_predicted(self):
        """No output has a number of contention where queues choose between minimal paths and detours."""
        for fabric, parameters in (("slimfly:q=3", ""), ("mlfm:h=3", ":t=10 %"), ("dragonfly:p=1,a=3,h=1", ":intermediate=all"), ("hyperx:dims=3:3,p=3", ":paths=one")):
            for traffic in ("exchange:pattern=alltoall,bytes=8KiB", "worst", "exchange:pattern=permutation,bytes=8KiB"):
                load, args = ("load", fabric, "-r", "ugal_l" + parameters, "-t", traffic), "--patterns 2 --contention".split()
                with self.subTest(fabric=fabric, traffic=traffic):
                    text = self.ok(*load, *args)
                    for name in ("slowdown at least", "fluid slowdown", "C by load", "sum of", "mean efficiency", "or more", "nan"):
                        self.assertNotIn(name, text)
                    self.assertIn("slowdown               not predicted: what goes minimally depends on queues", text)
                    told = self.json(*load, *args)
                    whole = told["contention"]
                    known = {"split_flows", "divided_evenly", "endpoint_degree"}
                    self.assertEqual({name for name, value in whole.items() if value is not None}, known)
                    self.assertEqual({value for name, value in told["patterns"].items() if name != "patterns"}, {None})
                    if "workload" in told:
                        for part in (told["workload"], *told["workload"]["phases"]):
                            self.assertEqual({part[name] for name in ("bound_ns", "fluid_ns", "slowdown")}, {None})
                            self.assertGreater(part["crossbar_bound_ns"], 0)
                        row, = csv.DictReader(io.StringIO(self.ok(*load, "--csv", "--table", "phases")))
                        self.assertEqual({row[name] for name in ("max_load_bytes", "bound_ns", "contention", "fluid_ns", "slowdown")}, {""})
                    several = (*load, "-r", "valiant", "--seeds", 2)
                    self.assertIn("not predicted", self.ok(*several))
                    ours, other = self.json(*several)["rows"]
                    self.assertEqual(set(ours["slowdown"].values()), {None})
                    self.assertGreaterEqual(other["slowdown"]["min"], 1)
                    self.assertEqual({sample["slowdown"] for sample in ours["samples"]}, {None})
                    for table in ("summary", "samples"):
                        rows = list(csv.DictReader(io.StringIO(self.ok(*several, "--csv", "--table", table))))
                        names = [name for name in rows[0] if name.startswith(("slowdown", "time_ns"))]
                        self.assertEqual({row[name] for row in rows for name in names if "ugal_l" in row["routing"]}, {""})
                        self.assertNotIn("", {row["slowdown" if table == "samples" else "slowdown_max"] for row in rows if row["routing"].startswith("valiant")})

    def test_contention_of_ways_alike_is_no_bound(self):
        """Simulations beat an even division; it is called one, and no bound. What is not adaptive has its bound."""
        load = ("load", "jellyfish:N=12,d=3,p=1", "-t", "exchange:pattern=alltoall,bytes=8KiB", "-r")
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        path.write_text('fabric: "jellyfish:N=12,d=3,p=1"\nrouting: minimal\ntraffic: "exchange:pattern=alltoall,bytes=64 KiB,order=shift"\n'
                        'switch: {model: ideal}\nmeasures: [contention]\nadapter: {packet: 1 KiB}\nmeasure: {until: delivered, at_most: 10 ms}\n')
        self.ok("run", path, "-o", store)
        row, = csv.DictReader(io.StringIO(self.ok("report", store, "--csv")))
        text, told = self.ok(*load, "minimal"), self.json(*load, "minimal")
        self.assertAlmostEqual(float(row["static_slowdown"]), told["contention"]["fluid_slowdown"], places=4)
        self.assertLess(float(row["slowdown"]), told["contention"]["fluid_slowdown"] + .02)
        self.assertIsNone(told["contention"]["slowdown_bound"])
        self.assertTrue(told["contention"]["divided_evenly"] and told["workload"]["divided_evenly"])
        self.assertEqual(text.count(", if choices are divided evenly"), 5)
        self.assertNotIn("bound, us", text)
        self.assertIn("Slowdowns of adaptive routings are those of choices that are divided evenly", self.ok(*load, "minimal", "--seeds", 2))
        for routing in ("minimal:paths=one", "valiant", "shortest"):
            told = self.json(*load, routing)
            self.assertGreaterEqual(told["contention"]["slowdown_bound"]["value"], 1)
            self.assertFalse(told["contention"]["divided_evenly"] or told["workload"]["divided_evenly"])
            self.assertNotIn("evenly", self.ok(*load, routing, "--seeds", 2))

    def test_experiments_do_not_predict_contention_by_detours(self):
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        path.write_text('fabric: "slimfly:q=3"\nrouting: [minimal, valiant, ugal_l]\ntraffic: ["exchange:bytes=8 KiB", worst]\nsimulate: false\n'
                        "measures: [contention, effective_bandwidth]\npatterns: 2\nfigures:\n  - {name: static, x: routing, y: static_slowdown, series: traffic}\n"
                        "expect:\n  - {claim: no detour costs more, metric: static_slowdown, of: {routing: ugal_l}, at: {traffic: worst}, op: <, value: 1.2}\n")
        text = self.ok("run", path, "-o", store, status=None)
        self.assertNotIn("nan", text)
        for row in csv.DictReader(io.StringIO(self.ok("report", store, "--csv", status=None))):
            values = {row[name] for name in ("contention", "static_slowdown", "effective_bandwidth", "efficiency")}
            self.assertEqual(values == {""}, row["routing"] == "ugal_l", row)
        claim, = csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", "claims", status=None)))
        self.assertEqual((claim["verdict"], claim["left"]), ("cannot be told", ""))
        self.ok("report", store, "-o", self.tmp / "test.html", status=None)

    def test_text_says_what_the_share_is(self):
        self.assertIn("one share for all pairs", self.ok("load", "slimfly:q=3", "-r", "ugal_l", "-t", "worst"))
        self.assertIn("not predicted", self.ok("load", "slimfly:q=3", "-r", "ugal_l", "-t", "worst"))


if __name__ == "__main__":
    unittest.main()
