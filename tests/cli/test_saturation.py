"""Where saturation is: points past it are marked, and loads are searched for it."""
import csv
import io
import unittest

from harness import CliTest

SWEEP = """\
fabric: karytree:k=4,n=2
routing: dmodk
traffic: [uniform, "hotspot:nodes=0,fraction=40%"]
load: [10%, 60%]
seeds: 2
measure: {warmup: 5 us, duration: 20 us}
figures:
  - {name: waits, where: {traffic: "TRAFFIC"}, x: load, y: latency_p99_ns}
  - {name: gets, where: {traffic: "TRAFFIC"}, x: load, y: throughput}
"""
PAST = "* past saturation"


class Stationary(CliTest):
    def setUp(self):
        super().setUp()
        self.store = self.tmp / "test.db"

    def sweep(self, text):
        path = self.tmp / "test.yaml"
        path.write_text(text)
        return self.ok("run", path, "-o", self.store)

    def rows(self, *args):
        return list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", *args))))

    def test_column_and_marks(self):
        summary = self.sweep(SWEEP.replace("TRAFFIC", "hotspot:nodes=0,fraction=40%"))
        rows = self.rows()
        for row in rows:
            past = float(row["throughput"]) < 0.95 * float(row["offered"])
            self.assertEqual(row["stationary"], "0" if past else "1", row)
        self.assertEqual({r["stationary"] for r in rows}, {"0", "1"})
        self.assertEqual(summary.count(PAST), 2)  # below the results, and below the classes
        lines = [line for line in summary.splitlines() if line.startswith("dmodk") and "us" in line]
        self.assertEqual([line.count("us*") for line in lines], [0, 1], lines)
        for curve in self.json("report", self.store)["curves"]:
            for step in curve["steps"]:
                self.assertEqual(step["stationary"] < 1, "hotspot" in curve["traffic"] and step["load"] == 0.6)
        latencies = self.ok("report", self.store, "--figure", "waits")
        self.assertIn(PAST, latencies)
        self.assertEqual(latencies.count("*"), 2)
        self.assertNotIn("*", self.ok("report", self.store, "--figure", "gets"))

    def test_classes_are_marked(self):
        summary = self.sweep("fabric: karytree:k=4,n=2\nrouting: dmodk\nload: 60%\nmeasure: {warmup: 5 us, duration: 20 us}\n"
                             'traffic: "mix:members=near=uniform+many=hotspot:nodes=0;fraction=40%"\n')
        classes = summary.split("Classes of the traffic")[1]
        self.assertEqual(classes.count("us*"), 4)
        self.assertEqual(classes.count(PAST), 1)

    def test_empty_of_workloads(self):
        summary = self.sweep("fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: {family: exchange, pattern: 'shift:by=1'}\n"
                             "measure: {until: delivered, at_most: 1 ms}\n")
        self.assertEqual([r["stationary"] for r in self.rows()], [""])
        self.assertNotIn(PAST, summary)


if __name__ == "__main__":
    unittest.main()
