"""Experiments over designs: sections that belong together, swept as one axis."""
import unittest

from harness import CliTest, run

DESIGNS = """\
designs:
  - {name: tree, fabric: "karytree:k=4,n=2", routing: [dmodk, adaptive_tree], selection: [first_free, random]}
  - {name: torus, fabric: "torus:dims=4:4", routing: updown, switch: {buffer: [64 KiB, 128 KiB]}}
load: [10%, 20%]
measure: {warmup: 1 us, duration: 2 us}
"""
MISFITS = """\
fabric: ["karytree:k=4,n=2", "torus:dims=4:4"]
routing: [dmodk, updown, dor]
load: 10%
measure: {warmup: 1 us, duration: 2 us}
"""


class Designs(CliTest):
    def write(self, text, name="test.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def test_points_are_those_of_each_design(self):
        """What one design sweeps does not multiply another, and a selection multiplies what chooses alone."""
        answer = self.json("run", self.write(DESIGNS), "-o", self.tmp / "a.db")
        seen = [(p["params"]["design"], p["routing"], p["params"]["selection"].split(":")[0], "64 KiB" in p["params"]["switch"], p["load"])
                for p in answer["points"]]
        tree = [("tree", "dmodk", "auto"), ("tree", "adaptive_tree", "first_free"), ("tree", "adaptive_tree", "random")]
        small = [s for s in seen if s[0] == "tree"]
        self.assertEqual([s[:3] + s[4:] for s in small], [t + (load,) for t in tree for load in (0.1, 0.2)])
        self.assertEqual([s[3:] for s in seen if s[0] == "torus"], [(True, 0.1), (True, 0.2), (False, 0.1), (False, 0.2)])
        self.assertEqual(len(answer["curves"]), 5)
        self.assertTrue(all(c["variant"].startswith("design: ") for c in answer["curves"]))

    def test_bytes_do_not_depend_on_jobs_or_pauses(self):
        self.ok("run", self.write(DESIGNS), "-o", self.tmp / "a.db", "--jobs", 1)
        self.ok("run", self.write(DESIGNS.replace("[10%, 20%]", "20%")), "-o", self.tmp / "b.db", "--jobs", 2)
        self.ok("run", self.write(DESIGNS), "-o", self.tmp / "b.db", "--jobs", 2)
        first, second = (self.json("report", self.tmp / name)["points"] for name in ("a.db", "b.db"))
        self.assertEqual([(p["params"], p["checksum"]) for p in first], [(p["params"], p["checksum"]) for p in second])

    def test_designs_that_differ_in_the_switch_alone(self):
        """They share fabric, plan and proof, and are curves of their own."""
        text = """\
fabric: karytree:k=4,n=2
routing: dmodk
designs: [{name: small, switch: {buffer: 32 KiB}}, {name: large, switch: {buffer: 256 KiB}}]
load: 90%
measure: {warmup: 1 us, duration: 5 us}
"""
        answer = self.json("run", self.write(text), "-o", self.tmp / "a.db")
        self.assertEqual((len(answer["fabrics"]), len(answer["plans"]), len(answer["curves"])), (1, 1, 2))

    def test_traffic_of_each_design(self):
        """Points are those of an experiment of each design alone: also on one fabric, measured beside, of tables that are made for the traffic, and without simulation."""
        rest = "measure: {until: delivered, at_most: 1 ms}\nseeds: 2\nmeasures: [contention, saturation]\n"
        single = {"rows": "{family: exchange, pattern: 'neighbour:dims=4:4', bytes: 4 KiB}",
                  "lines": "[{family: exchange, pattern: 'neighbour:dims=16', bytes: 2 KiB, order: shift}, {family: exchange, bytes: 1 KiB, order: shift}]"}
        fabric, routing = "fabric: 'karytree:k=4,n=2'\n", {"rows": "dmodk", "lines": "[dmodk, 'random:seed=1']"}
        both = fabric + "designs:\n" + "".join(f"  - {{name: {n}, traffic: {t}, routing: {routing[n]}}}\n" for n, t in single.items()) + rest
        answer = self.json("run", self.write(both), "-o", self.tmp / "both.db")
        alone = [p for n, t in single.items()
                 for p in self.json("run", self.write(f"{fabric}traffic: {t}\nrouting: {routing[n]}\n{rest}"), "-o", self.tmp / f"{n}.db")["points"]]
        self.assertEqual(len(answer["points"]), 2 + 2 * 2 * 2)
        keys = ("routing", "traffic", "checksum", "completion_ns", "contention", "static_saturation")
        self.assertEqual([[p[k] for k in keys] for p in answer["points"]], [[p[k] for k in keys] for p in alone])
        self.ok("report", self.tmp / "both.db", "-o", self.tmp / "both.html")
        # a table for each traffic, though fabric and routing are the same
        coloured = (fabric + "routing: colored\ndesigns:\n  - {name: near, traffic: 'exchange:pattern=shift:by=1,bytes=4 KiB'}\n"
                    "  - {name: far, traffic: 'exchange:pattern=transpose,bytes=4 KiB'}\n" + rest.replace("seeds: 2\n", ""))
        near, far = self.json("run", self.write(coloured), "-o", self.tmp / "c.db")["points"]
        self.assertNotEqual(near["plan"], far["plan"])
        self.assertEqual((near["contention"], far["contention"]), (1, 1))
        static = both.replace("measure: {until: delivered, at_most: 1 ms}", "simulate: false").replace("seeds: 2\n", "")
        measured = self.json("run", self.write(static), "-o", self.tmp / "static.db")["points"]
        first = [p for p in answer["points"] if p["seed"] == 1]
        self.assertEqual([(p["contention"], p["static_saturation"]) for p in measured], [(p["contention"], p["static_saturation"]) for p in first])
        for change, place, said in (
                (("neighbour:dims=16", "neighbour:dims=17"), "4:", "does not fit 16 hosts"),
                (("measure:", "traffic: uniform\nmeasure:"), "5:1", "'traffic' is given together with 'designs'"),
                (("measure:", "jobs: [{name: a, traffic: 'exchange:bytes=1 KiB'}]\nmeasure:"), "", "'traffic' is given together with 'designs'"),
                (("until: delivered, at_most: 1 ms", "duration: 2 us"), "", "until: delivered"),
                ((rest, "simulate: false\nmeasures: size\n"), "3:", "'traffic' has no effect: no measure depends on it")):
            with self.subTest(said=said):
                self.assertIn(f"test.yaml:{place}", self.refused("run", self.write(both.replace(*change)), "-o", self.tmp / "no.db", says=(said,)))

    def test_refusals(self):
        """Each with its place, before the first point."""
        for change, place, said in (
                (("designs:", "routing: dmodk\ndesigns:"), "1:1", "'routing' is given together with 'designs'"),
                (("name: torus", "name: tree"), "3:12", "two designs have the name 'tree'"),
                (("{name: torus, ", "{"), "3:5", "a design has no 'name'"),
                (("name: torus", "name: 'a;b'"), "3:12", "without ;"),
                (("routing: updown", "ruoting: updown"), "3:45", "did you mean 'routing'"),
                ((", routing: updown", ""), "3:5", "the design has no 'routing'"),
                (("[dmodk, adaptive_tree]", "dmodk"), "2:74", "selection 'first_free': it has no effect"),
                (("routing: updown", "routing: [updown, updown]"), "3:63", "twice"),
                ((DESIGNS[:DESIGNS.index("load")], "designs: []\n"), "1:10", "'designs' is a list of mappings"),
                ((DESIGNS[DESIGNS.index("{name: torus"):DESIGNS.index("load")], "torus\n"), "3:5", "a design is a mapping")):
            with self.subTest(said=said):
                done = run("run", self.write(DESIGNS.replace(*change)), "-o", self.tmp / "a.db")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertIn(f"test.yaml:{place}:", done.stderr)
                self.assertFalse((self.tmp / "a.db").exists())

    def test_misfits_are_refused_before_the_first_point(self):
        done = run("run", self.write(MISFITS), "-o", self.tmp / "a.db")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("test.yaml:2:26: dor does not fit karytree:k=4,n=2", done.stderr)
        self.assertIn("skip_misfits: true", done.stderr)
        self.assertFalse((self.tmp / "a.db").exists())
        # the second fabric, which is reached after the points of the first
        done = run("run", self.write(MISFITS.replace(", dor", "")), "-o", self.tmp / "a.db")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("dmodk does not fit torus:dims=4:4", done.stderr)
        self.assertFalse((self.tmp / "a.db").exists())

    def test_misfits_are_skipped(self):
        """One line each, exit status 0, and the others are run."""
        done = run("run", self.write(MISFITS + "skip_misfits: true\n"), "-o", self.tmp / "a.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("is skipped"), 2, done.stderr)
        answer = self.json("report", self.tmp / "a.db")
        self.assertEqual([p["routing"] for p in answer["points"]], ["dmodk", "updown", "updown", "dor"])
        self.assertEqual(answer["points_left_out"], 2)


if __name__ == "__main__":
    unittest.main()
