"""Runs that find their warm-up and their end themselves."""
import csv
import io
import re
import signal
import subprocess
import unittest

from harness import IKAT, CliTest, run

STOP = """\
fabric: karytree:k=4,n=2
routing: dmodk
traffic: [uniform, "hotspot:nodes=0,fraction=50%"]
load: [20%, 60%]
seeds: 2
measure: {warmup: auto, stop: {ci: 3 %, of: latency_mean_ns, at_most: 600 us}}
figures:
  - {name: waits, where: {traffic: uniform}, x: load, y: latency_mean_ns}
  - {name: hot, where: {traffic: "hotspot:nodes=0,fraction=0.5"}, x: load, y: latency_mean_ns}
  - {name: spent, where: {traffic: uniform}, x: load, y: measured_ns}
"""
MEASURE = "{warmup: auto, stop: {ci: 3 %, of: latency_mean_ns, at_most: 600 us}}"


class Stopping(CliTest):
    def run_it(self, text, name="test", status=0, args=()):
        path = self.tmp / "test.yaml"
        path.write_text(text)
        store = self.tmp / f"{name}.db"
        done = run("run", path, "-o", store, *args)
        self.assertEqual(done.returncode, status, done.stderr)
        return store, done

    def rows(self, store, *args):
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", *args))))

    def test_any_cap_is_judged(self):
        """A cap that leaves too little to tell is no error: the point says what it is worth."""
        for hops, injection in ((1, "bernoulli"), (100, "poisson"), (20000, "poisson")):
            with self.subTest(hops):
                store, _ = self.run_it(f"fabric: karytree:k=4,n=2\nrouting: dmodk\nload: [10%, 90%]\nadapter: {{injection: {injection}}}\nmeasure: {{stop: {{hops: {hops}}}}}\n", f"cap{hops}")
                for row in self.rows(store):
                    self.assertEqual(row["converged"], "0")
                    self.assertIn(row["steady"], ("yes", "no", "too short to tell"))
                    self.assertTrue(row["steady_reason"])

    def test_the_least_that_a_cap_leaves(self):
        """32 batches of warm-up and 80 of measured time, and what is under way after both, however few packet-hops; many are kept to."""
        text = "fabric: {}\nrouting: updown\nload: [30%, 90%]\nmeasure: {{stop: {{ci: 0.01 %, hops: {}}}}}\n"
        for fabric in ("karytree:k=4,n=2", "torus:dims=4:4", "crossbar:n=32"):
            runs = {hops: self.rows(self.run_it(text.format(fabric, hops), f"least{hops}")[0]) for hops in (1, 100, 200000)}
            for one, few, many in zip(*runs.values()):
                with self.subTest(fabric=fabric, load=one["load"]):
                    self.assertEqual((one["warmup_ns"], one["measured_ns"], one["packet_hops"]), (few["warmup_ns"], few["measured_ns"], few["packet_hops"]))
                    batches = float(one["measured_ns"]) / 81  # one is what is under way
                    self.assertIn(f"{batches:.0e}"[0], "125")
                    self.assertEqual(float(one["warmup_ns"]), 33 * batches)
                    self.assertGreater(int(one["packet_hops"]), 1000)
                    self.assertTrue(200000 <= int(many["packet_hops"]) < 230000, many["packet_hops"])

    def test_tiny_loads_with_limits_of_their_own(self):
        """Periods of a series and numbers of replies are limited: batches are shorter there, and nothing is refused."""
        for name, more in (("series", "measure: {series: 1 us}\n"), ("fine", "measure: {series: 100 ns}\n"),
                           ("replies", "adapter: {reply: 64 B, max_outstanding: 1}\n"),
                           ("both", "adapter: {reply: 64 B, max_outstanding: 1}\nmeasure: {series: 10 ms}\n")):
            with self.subTest(name):
                store, _ = self.run_it(f"fabric: karytree:k=4,n=2\nrouting: dmodk\nload: [0.001%, 0.01%, 0.1%]\n{more}", name)
                rows = self.rows(store)
                self.assertEqual(len(rows), 3)
                for row in rows:
                    self.assertIn(row["steady"], ("yes", "too short to tell"))

    def test_duration_in_place_of_a_stop(self):
        """The hint says how, and that works."""
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        path.write_text("fabric: crossbar:n=4\nrouting: updown\nload: 30%\nmeasure: {stop: {hops: 5000}}\n")
        for stop in ("{hops: 5000}", "{at_most: 1 ms}", "{of: throughput}", "{ci: 5 %}"):
            path.write_text(f"fabric: crossbar:n=4\nrouting: updown\nload: 30%\nmeasure: {{stop: {stop}}}\n")
            hint = self.refused("run", path, "-o", store, "--set", "measure.warmup=1 ms", "--set", "measure.duration=4 ms")
            told = re.search(r"--set '(measure=\{.*?\})'", hint)
            self.assertTrue(told, hint)
            self.ok("run", path, "-o", store, "--set", told[1])
            self.assertEqual(self.rows(store)[0]["measured_ns"], "4000000")

    def test_results(self):
        store, done = self.run_it(STOP)
        rows = self.rows(store)
        for row in rows:
            warmup, measured = float(row["warmup_ns"]), float(row["measured_ns"])
            if row["traffic"] == "uniform":
                self.assertEqual((row["converged"], row["saturated"]), ("1", "0"))
                self.assertIn(row["steady"], ("yes", "too short to tell"))  # latency alone ends the run
                self.assertLessEqual(float(row["interval"]), 0.03)
                self.assertTrue(0 < warmup < measured and warmup + measured <= 600e3, row)
            else:  # past saturation: latency has no interval
                self.assertEqual((row["latency_steady"], row["saturated"]), ("0", "1"))
                self.assertLessEqual(warmup + measured, 600e3)
        self.assertLess(min(float(r["measured_ns"]) for r in rows), max(float(r["measured_ns"]) for r in rows if r["traffic"] == "uniform"))
        self.assertIn("us*", done.stdout)
        self.assertIn("past saturation", done.stdout)
        points = self.json("report", store)["points"]
        self.assertTrue({p["converged"] for p in points} <= {0, 1})
        self.assertNotIn("*", self.ok("report", store, "--figure", "waits"))
        self.assertIn("*", self.ok("report", store, "--figure", "hot"))
        spent = self.ok("report", store, "--figure", "spent", "--csv")
        self.assertIn("measured_ns", spent)

    def test_what_was_found_written_down(self):
        """The same numbers as with these times in the experiment."""
        one = STOP.replace("seeds: 2", "seeds: [7]").replace('[uniform, "hotspot:nodes=0,fraction=50%"]', "uniform").replace("[20%, 60%]", "60%")
        one = one[:one.index("figures")]
        row, = self.rows(self.run_it(one)[0])
        times = f'{{warmup: {row["warmup_ns"]} ns, duration: {row["measured_ns"]} ns}}'
        plain, = self.rows(self.run_it(one.replace(MEASURE, times), "plain")[0])
        for key in ("checksum", "offered", "throughput", "latency_mean_ns", "latency_p99_ns", "packets_delivered", "packet_hops"):
            self.assertEqual(row[key], plain[key], key)
        for key in ("warmup_ns", "measured_ns", "steady"):
            self.assertEqual(row[key], plain[key], key)
        self.assertEqual([plain[k] for k in ("interval", "converged")], [""] * 2)
        for key in ("throughput_interval", "latency_interval"):
            self.assertTrue(0 < float(plain[key]) < 0.5, (key, plain[key]))

    def test_intervals_of_fixed_windows(self):
        """Every point that is judged has its window and both intervals; a window of few packets has none."""
        text = STOP[:STOP.index("figures")].replace(MEASURE, "{warmup: 20 us, duration: 160 us}")
        for row in self.rows(self.run_it(text)[0]):
            self.assertEqual((float(row["warmup_ns"]), float(row["measured_ns"])), (20e3, 160e3))
            self.assertTrue(0 < float(row["throughput_interval"]) < 0.5, row)
            self.assertGreater(float(row["latency_interval"]), 0)
            if row["latency_steady"] == "1":
                self.assertLessEqual(float(row["latency_interval"]), 0.2)
        for row in self.rows(self.run_it(text.replace("160 us", "1 us"), "short")[0]):
            self.assertEqual(row["steady"], "too short to tell")

    def test_wide_intervals_are_said(self):
        text = STOP.replace("3 %, of", "0.1 %, of").replace(', "hotspot:nodes=0,fraction=50%"', "")
        text = text[:text.index("figures")] + "figures:\n  - {name: waits, x: load, y: latency_mean_ns}\n"
        store, done = self.run_it(text)
        for row in self.rows(store):
            self.assertEqual((row["converged"], row["saturated"]), ("0", "0"))
            self.assertGreater(float(row["interval"]), 0.001)

    def test_warmup_alone(self):
        text = STOP.replace(MEASURE, "{warmup: auto, duration: 90 us, series: 5 us}")
        store, _ = self.run_it(text[:text.index("figures")])
        for row in self.rows(store):
            self.assertEqual(float(row["measured_ns"]), 90e3)
            self.assertEqual(row["interval"], "")
            self.assertLessEqual(float(row["warmup_ns"]), 90e3)
        for curve in self.json("report", store)["curves"]:
            for step in curve["steps"]:
                first = next(p for p in self.json("report", store)["points"]
                             if (p["traffic"], p["load"], p["seed"]) == (curve["traffic"], step["load"], 1))
                self.assertEqual(step["series"]["warmup_ns"], first["warmup_ns"])
        page = self.tmp / "page.html"
        self.ok("report", store, "-o", page)
        self.assertIn("end of warm-up", page.read_text())

    def test_other_results(self):
        """Intervals of what there is only with a setting of the adapter, and of throughput."""
        for of, adapter in (("throughput", ""), ("network_latency_mean_ns", ""), ("arrival_latency_mean_ns", "adapter: {in_order: true}\n"),
                            *((k, "adapter: {reply: 1 KiB}\n") for k in ("round_trip_mean_ns", "request_latency_mean_ns", "reply_latency_mean_ns"))):
            text = f"fabric: karytree:k=4,n=2\nrouting: adaptive_tree\nload: 40%\n{adapter}measure: {{stop: {{ci: 2 %, of: {of}, at_most: 2 ms}}}}\n"
            row, = self.rows(self.run_it(text, of)[0])
            self.assertEqual(row["converged"], "1", of)
            self.assertLessEqual(float(row["interval"]), 0.02)

    def test_same_bytes(self):
        text = STOP[:STOP.index("figures")]
        stores = [self.run_it(text, f"jobs{jobs}", args=("--jobs", jobs))[0].read_bytes() for jobs in (1, 2, 3)]
        self.assertEqual([s == stores[0] for s in stores], [True] * 3)
        path, store = self.tmp / "test.yaml", self.tmp / "long.db"
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            next(line for line in child.stderr if " of 8 points" in line)
            child.send_signal(signal.SIGINT)
            child.communicate()
        self.ok("run", path, "-o", store)
        self.assertEqual(store.read_bytes(), stores[0])

    def test_search(self):
        """Each probe is measured so; what is found is what a search with the times of its result finds for that load."""
        text = ("fabric: crossbar:n=16\nrouting: updown\nload: {find: saturation, precision: 5 %}\nseeds: [3]\nswitch: {queues: fifo}\n"
                "measure: {warmup: auto, stop: {ci: 4 %, of: throughput, at_most: 300 us}}\n")
        row, = self.rows(self.run_it(text)[0])
        self.assertNotEqual(row["saturated"], "1")
        self.assertTrue(0.5 <= float(row["saturation_load"]) <= 0.7, row["saturation_load"])
        alone, = self.rows(self.run_it(text.replace("{find: saturation, precision: 5 %}", row["load"]), "alone")[0])
        for key in ("checksum", "throughput", "warmup_ns", "measured_ns", "interval"):
            self.assertEqual(row[key], alone[key], key)

    def test_sweeps_and_overrides(self):
        text = STOP[:STOP.index("figures")].replace("ci: 3 %", "ci: [2 %, 6 %]").replace("seeds: 2", "seeds: 1").replace("[20%, 60%]", "60%")
        store, _ = self.run_it(text.replace(', "hotspot:nodes=0,fraction=50%"', ""))
        time = {("0.02" in r["variant"]): float(r["measured_ns"]) for r in self.rows(store)}
        self.assertGreater(time[True], time[False])
        self.assertEqual(len(time), 2)
        flat = text.replace(", stop: {ci: [2 %, 6 %], of: latency_mean_ns, at_most: 600 us}", ", stop_ci: 5 %, stop_at_most: 600 us")
        row = self.rows(self.run_it(flat, "flat", args=("--set", "measure.stop_ci=7%"))[0])[0]
        again = self.rows(self.run_it(text, "set", args=("--set", "measure.stop.ci=7%"))[0])[0]
        third = self.rows(self.run_it(text, "third", args=("--set", "measure.stop_ci=7%"))[0])[0]
        self.assertEqual((again["measured_ns"], third["measured_ns"]), (row["measured_ns"],) * 2)

    def test_refused(self):
        path = self.tmp / "bad.yaml"
        text = STOP[:STOP.index("figures")]
        for measure, at, words in (
                ("{stop: {ci: 0 %, at_most: 1 ms}}", "0 %", ["stop_ci", "0.0001 to 0.5"]),
                ("{warmup: 50 us, stop: {ci: 2 %, at_most: 50 us}}", "50 us}", ["50 us is not longer than the warm-up"]),
                ("{stop: {ci: 2 %, at_most: 1 ms, off: throughput}}", "off", ["no parameter 'stop_off'", "'stop_of'"]),
                ("{stop: {ci: 2 %, at_most: 1 ms, of: latency_mean}}", "latency_mean", ["did you mean 'latency_mean_ns'"]),
                ("{stop: {ci: 2 %, at_most: 1 ms, of: latency_p99_ns}}", "latency_p99", ["'latency_p99_ns'", "latency_mean_ns|throughput"]),
                ("{stop: {ci: 2 %, at_most: 1 ms, of: round_trip_mean_ns}}", "round", ["without reply"]),
                ("{stop: {ci: 2 %, at_most: 1 ms, of: arrival_latency_mean_ns}}", "arrival", ["without in_order"]),
                ("{stop: {ci: 2 %, at_most: 1 ms}, duration: 20 us}", "20 us", ["'duration'", "stop_ci"]),
                ("{stop: {ci: 2 %}, at_most: 1 ms}", "1 ms", ["'at_most'"]),
                ("{stop: 2 %}", "2 %", ["mapping of parameters", "stop: { ci: … }"]),
                ("{stop: {ci: 2 %, at_most: 1 ms}, stop_ci: 2 %}", "stop_ci", ["given twice"]),
                ("{warmup: [auto, 5 us], stop: {ci: 2 %, at_most: 4 us}}", "4 us", ["not longer"]),
                ("{warmup: atuo}", "atuo", ["'atuo'", "auto"]),
                ("{warmup: auto, until: delivered, at_most: 1 ms}", "auto", ["'warmup'"])):
            with self.subTest(measure=measure):
                path.write_text(text.replace(MEASURE, measure))
                self.refused("run", path, "-o", self.tmp / "bad.db", says=[f"bad.yaml:6:{10 + measure.index(at)}:", *words])
                self.assertFalse((self.tmp / "bad.db").exists())
        path.write_text(text.replace(MEASURE, "{warmup: auto, stop: {ci: 2 %, at_most: 1 ms}}").replace("traffic: [uniform, \"hotspot:nodes=0,fraction=50%\"]",
                        "schedule: [{until: 40 us, traffic: uniform}, {traffic: 'shift:by=1'}]"))
        self.refused("run", path, says=["bad.yaml:6:", "no steady state"])
        path.write_text("fabric: karytree:k=4,n=2\nrouting: dmodk\nsimulate: false\nmeasure: {warmup: auto}\n")
        self.refused("run", path, says=["bad.yaml:4:", "measure"])
        path.write_text("fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: {family: exchange, pattern: 'shift:by=1'}\nmeasure: {warmup: auto}\n")
        self.refused("run", path, says=["bad.yaml:4:", "delivered"])


if __name__ == "__main__":
    unittest.main()
