"""Bounds of finite workloads that hold for every fabric, model and adapter: a reorder buffer that is never full changes nothing, a larger one
does not make an exchange slower, a slowdown below 1 has its reason, and hosts send no more than they can."""
import csv
import io
import itertools
import os
import random
import unittest

from harness import CliTest

FABRICS = [("karytree:k=4,n=2", "adaptive_tree", "random"), ("karytree:k=2,n=4", "adaptive_tree", "most_credits"), ("hyperx:dims=3:3,p=2", "minimal", "random"),
           ("dragonfly:a=4,h=2,p=2", "ugal_l", None), ("xgft:m=4:4,w=1:2", "dmodk", None), ("torus:dims=4:4", "dor", None)]
TRAFFICS = ["exchange, bytes: 7680 B", "exchange, bytes: 7000 B, order: shift, visits: 3", "exchange, bytes: 2000 B, order: nearest_first, repeat: 2", "exchange, pattern: cg, bytes: 3000 B, hosts: 0..7",
            "collective, operation: alltoall, algorithm: linear, bytes: 3000 B", "collective, operation: allreduce, bytes: 20 KiB", "batch, pattern: uniform, messages: 20, bytes: 1000 B"]
ALL = bool(os.environ.get("IKAT_TEST_ALL"))


class FiniteBounds(CliTest):
    def points(self, fabric, routing, selection, traffic, adapter, model="iq", more=""):
        text = (f'fabric: "{fabric}"\nrouting: {routing}\n' + (f"selection: {selection}\n" if selection else "") + f"switch: {{model: {model}}}\ntraffic: {{family: {traffic}}}\n"
                f"adapter: {adapter}\nmeasure: {{until: delivered, at_most: 50 ms, paranoid: true}}\n{more}")
        path, store = self.tmp / "experiment.yaml", self.tmp / "results.db"
        path.write_text(text)
        store.unlink(missing_ok=True)
        self.summary = self.ok("run", path, "-o", store)
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))

    def test_a_buffer_that_is_never_full_changes_nothing(self):
        draw = random.Random(31)
        cases = list(itertools.product([f for f in FABRICS if f[1] != "dmodk" and f[1] != "dor"], TRAFFICS, ("iq", "ioq")))
        for (fabric, routing, selection), traffic, model in cases if ALL else draw.sample(cases, 5):
            for queues, buffer in (("vc", "throttle: strict"), ("destination", "throttle: bypass")):
                with self.subTest(fabric=fabric, traffic=traffic, model=model, buffer=buffer):
                    one = f"packet: 256 B, in_order: true, queues: {queues}"
                    rows = self.points(fabric, routing, selection, traffic, f"[{{{one}}}, {{{one}, reorder_buffer: 100 MiB, {buffer}}}]", model)
                    self.assertEqual(rows[0]["completion_ns"], rows[1]["completion_ns"])
                    self.assertEqual(rows[0]["checksum"], rows[1]["checksum"])

    def test_every_order_is_kept(self):
        """A buffer that may be full, too: the orders of an exchange are different runs."""
        rows = self.points(*FABRICS[0], "exchange, bytes: 2560 B, order: [random, shift, xor, nearest_first]", "{packet: 256 B, in_order: true, reorder_buffer: 4 KiB}")
        self.assertEqual(len({r["checksum"] for r in rows}), 4)

    def test_a_larger_buffer_is_not_slower(self):
        fabrics = [("karytree:k=4,n=2", "adaptive_tree", "random"), ("karytree:k=4,n=2", "adaptive_tree", "most_credits"), ("hyperx:dims=3:3,p=2", "minimal", "random")]
        for (fabric, routing, selection), throttle in itertools.product(fabrics, ("bypass", "strict")):
            with self.subTest(fabric=fabric, selection=selection, throttle=throttle):
                rows = self.points(fabric, routing, selection, "exchange, bytes: 2560 B", "{packet: 256 B, in_order: true, control_delay: ideal, throttle: %s, "
                                   "reorder_buffer: [1 KiB, 2 KiB, 4 KiB, 8 KiB, 32 KiB, 1 MiB]}" % throttle, more="seeds: 3\n")
                times = [float(r["completion_ns"]) for r in rows]
                means = [sum(times[k:k + 3]) / 3 for k in range(0, len(times), 3)]
                for k, later in itertools.combinations(range(len(means)), 2):
                    self.assertLess(means[later], 1.08 * means[k])

    def test_slowdowns_and_throughputs_have_bounds(self):
        draw = random.Random(7)
        below = 0
        for _ in range(200 if ALL else 8):
            fabric, routing, selection = draw.choice(FABRICS)
            traffic, model = draw.choice(TRAFFICS), draw.choice(("iq", "ioq", "ideal"))
            adapter = "packet: " + draw.choice(("256 B", "4 KiB"))
            adapter += draw.choice(("", ", injection_fraction: 10%", ", injection_fraction: 70%", ", injection_rate: 3 Gb/s", ", ejection_fraction: 50%"))
            adapter += ", reply: 1 KiB" if traffic.startswith("batch") and draw.random() < 0.5 else ""
            with self.subTest(fabric=fabric, routing=routing, traffic=traffic, model=model, adapter=adapter):
                for row in self.points(fabric, routing, selection, traffic, f"{{{adapter}}}", model):
                    self.assertLessEqual(float(row["effective_throughput"]), 1 + 1e-9)
                    if float(row["slowdown"]) < 1 - 1e-9:
                        below += 1
                        self.assertIn("Slowdown below 1: a crossbar serves packets in the order", " ".join(self.summary.split()))
        row = self.points("dragonfly:a=4,h=2,p=2", "minimal", None, "batch, pattern: uniform, messages: 1, bytes: 7680 B", "{packet: 256 B, reply: 4 KiB}", "ioq", "seeds: [9]\n")[0]
        self.assertLess(float(row["slowdown"]), 1)
        self.assertIn("Slowdown below 1", " ".join(self.summary.split()))


if __name__ == "__main__":
    unittest.main()
