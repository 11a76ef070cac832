"""`ikat deploy --lane-curve`: the bound beside sums of distances found here, the rows beside deployments of the same routings."""
import json
import unittest

from harness import SOURCE, CliTest

CLUSTER = SOURCE / "data" / "cluster96.ibnetdiscover"
FABRICS = ["torus:dims=4:4,p=2", "ring:n=8,p=1", "karytree:k=3,n=3,fail=10%", "pgft:m=4:4,w=1:2,p=1:2", "xgft:m=4:4,w=2:2", "dragonfly:h=1",
           "mesh:dims=3:3", "jellyfish:N=12,d=3,p=2", "fullmesh:n=4,p=2"]


class LaneCurve(CliTest):
    def curve(self, fabric, *options):
        return self.json("deploy", fabric, "--lane-curve", "--dry-run", *options, status=None)["lane_curve"]

    def best(self, curve):
        """(lanes, row) where a lane more allows more."""
        rows = [(lanes + 1, index) for lanes, index in enumerate(curve["best"]) if index is not None]
        return [(lanes, curve["compared"][index]) for k, (lanes, index) in enumerate(rows) if k == 0 or rows[k - 1][1] != index]

    def test_bound_of_a_ring(self):
        """On 8 switches in a ring every host is 1, 1, 2, 2, 3, 3 and 4 hops from the others: 16 * 8 hops over 16 channels."""
        self.assertAlmostEqual(self.curve("ring:n=8,p=1")["least_load"], 16 * 8 / 16 / 7)
        self.assertAlmostEqual(self.curve("fullmesh:n=4,p=2")["least_load"], 4 / 7)
        # torus: 3.0476 hops on average, 64 * 63 pairs, 384 channels; a load is a whole number of paths of 1/63
        self.assertAlmostEqual(self.curve("torus:dims=4:4:4,p=1")["least_load"], 32 / 63)
        # 2 hosts on each of 3 switches in a row: 2 * 4 paths over each channel; 7 paths would not be whole per pair
        self.assertAlmostEqual(self.curve("mesh:dims=3,p=2")["least_load"], 8 / 5)
        self.assertEqual(str(self.curve("crossbar:n=4")["least_load"]), "0")

    def test_lids_that_differ(self):
        """A port with more LIDs is sent more: a bound for even traffic says nothing. With as many LIDs each, it is that of one LID."""
        fabric = json.loads(self.ok("topo", "ring:n=8,p=1", "--format", "json", "-o", "-"))
        for lmcs, least in (([2] * 8, 16 * 8 / 16 / 7), ([3] + [0] * 7, 0)):
            for i, node in enumerate(fabric["switches"] + fabric["hosts"]):
                node["lid"] = 8 * (i + 1)
                node["lmc"] = lmcs[i - 8] if i >= 8 else 0
            path = self.tmp / "lids.json"
            path.write_text(json.dumps({key: value for key, value in fabric.items() if key not in ("family", "spec")}))
            curve = self.curve(path)
            self.assertAlmostEqual(curve["least_load"], least)
            self.assertTrue(curve["compared"])

    def test_hosts_with_several_cables(self):
        """A port is a host. Unlike cables between switches: the bound is of load, whatever their rates."""
        for cables, links, least in (((0, 0, 1), [(0, 1)] * 3, 1 / 2), ((0, 1, 2, 3), [(0, 1), (1, 2), (2, 3), (3, 0)], 2 / 3)):
            first = max(cables) + 1
            ports = [0] * (first + 2)

            def port(node, ports=ports):
                ports[node] += 1
                return ports[node] - 1
            ends = [(a, b, i % 2) for i, (a, b) in enumerate(links)] + [(first + i % 2, at, 0) for i, at in enumerate(cables)]
            rows = [[a, port(a), b, port(b), kind] for a, b, kind in ends]
            path = self.tmp / "fabric.json"
            path.write_text(json.dumps({
                "format": "ikat fabric", "version": 1, "links": rows, "switches": [{"ports": n} for n in ports[:first]],
                "hosts": [{"ports": n} for n in ports[first:]],
                "classes": [{"name": f"{rate} Gb/s", "rate_bps": rate * 10**9, "latency_ps": 6000} for rate in (100, 25)]}))
            curve = self.curve(path)
            self.assertAlmostEqual(curve["least_load"], least)
            self.assertGreaterEqual(min(row["max_load"] for row in curve["compared"] if row["max_load"] is not None) + 1e-9, least)

    def test_nothing_is_below_the_bound(self):
        for fabric in FABRICS:
            curve = self.curve(fabric)
            loads = [row["max_load"] for row in curve["compared"] if row["state"] == "compared"]
            self.assertTrue(loads, fabric)
            self.assertGreaterEqual(min(loads) * (1 + 1e-9), curve["least_load"], fabric)
            self.assertGreater(curve["least_load"], 0, fabric)

    def test_bound_is_that_of_load(self):
        """Where cables between switches are what limits, and all are alike, it is what `load --bound` says, up to a whole path."""
        for fabric in ("torus:dims=4:4,p=2", "mesh:dims=5:5", "ring:n=8,p=1"):
            bound = self.json("load", fabric, "--bound")["rows"][0]["bound"]
            least = self.curve(fabric)["least_load"]
            self.assertLess(bound["upper"], bound["hosts"])
            self.assertGreaterEqual(least * 1.006, 1 / bound["upper"])
            self.assertLessEqual(least, 1 / bound["lower"] + .04)

    def test_more_lanes_are_never_worse(self):
        curve = self.curve("torus:dims=4:4,p=2")
        best = self.best(curve)
        self.assertEqual(len(curve["best"]), 8)
        self.assertGreater(len(best), 1)
        self.assertEqual(best[0][1]["lanes"], 1)
        for (fewer, a), (more, b) in zip(best, best[1:]):
            self.assertLess(fewer, more)
            self.assertLess(b["max_load"], a["max_load"])
            self.assertLessEqual(b["lanes"], more)
        few = self.curve("torus:dims=4:4,p=2", "--vls", "2")
        self.assertEqual(self.best(few)[0][1]["max_load"], best[0][1]["max_load"])
        self.assertEqual(len(few["best"]), 2)

    def test_rows_are_deployments(self):
        for fabric in ("torus:dims=4:4,p=2", CLUSTER):
            for lanes, row in self.best(self.curve(fabric)):
                made = self.json("deploy", fabric, "-r", row["routing"], "--vc", row["vc"], "--vls", lanes, "--dry-run", status=None)
                self.assertTrue(made["proved"])
                self.assertEqual(made["lanes"], row["lanes"])
                self.assertAlmostEqual(made["verdict"]["max_paths"] / (made["hosts"] - 1), row["max_load"])
                self.assertIsNone(made["lane_curve"])

    def test_text(self):
        shown = self.ok("deploy", "torus:dims=4:4,p=2", "--lane-curve", "--dry-run")
        self.assertIn("lanes  largest load  saturation  routing", shown)
        self.assertIn("at least: no tables have less, safe or not", shown)
        self.assertNotIn("lane curve", self.ok("deploy", "torus:dims=4:4,p=2", "--dry-run"))
        self.ok("deploy", "ring:n=8,p=1", "--lane-curve", "-o", self.tmp / "out")
        self.assertIn("lane curve", (self.tmp / "out" / "summary.txt").read_text())


if __name__ == "__main__":
    unittest.main()
