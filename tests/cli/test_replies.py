"""Requests and replies, priorities and kept connections, from an experiment to its tables; refusals with places."""
import csv
import io
import unittest

from harness import CliTest, run

BASE = "fabric: karytree:k=2,n=2\nrouting: dmodk\nload: 50%\nmeasure: {warmup: 2 us, duration: 20 us, series: 5 us}\n"
TWO = 'traffic: "mix:50%*a=uniform+50%*b=uniform"\n'
COLUMNS = ("round_trip_mean_ns", "round_trip_p50_ns", "round_trip_p95_ns", "round_trip_p99_ns", "round_trip_max_ns", "request_latency_mean_ns",
           "reply_latency_mean_ns", "outstanding_mean")


class Replies(CliTest):
    def experiment(self, text):
        path = self.tmp / "experiment.yaml"
        path.write_text(text)
        return path

    def rows(self, text):
        self.store = self.tmp / "results.db"
        self.store.unlink(missing_ok=True)
        self.ok("run", self.experiment(text), "-o", self.store)
        return list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv"))))

    def test_columns(self):
        """Null without replies; with them a round trip is a request, its service and a reply, and outstanding stays below its limit."""
        rows = self.rows(BASE + "adapter: [{packet: 1 KiB}, {packet: 1 KiB, message: 64 B, reply: 1 KiB, service_time: 300 ns, max_outstanding: [1, 3]}]\n")
        self.assertEqual([rows[0][c] for c in COLUMNS], [""] * len(COLUMNS))
        for row, most in zip(rows[1:], (1, 3)):
            mean, p50, p95, p99, largest, request, reply, outstanding = (float(row[c]) for c in COLUMNS)
            self.assertAlmostEqual(mean, request + 300 + reply, delta=0.05 * mean)
            self.assertTrue(p50 <= p95 <= p99 <= 1.01 * largest)
            self.assertTrue(0 < outstanding <= most)
        series = [c["steps"][0].get("series", {}) for c in self.json("report", self.store)["curves"]]
        self.assertEqual(["outstanding" in s for s in series], [False, True, True])
        self.assertTrue(all(0 <= x <= 3 for s in series[1:] for x in s["outstanding"]))

    def test_threads(self):
        """One point, which one, two or three threads share: long links and short packets give them enough to do."""
        text = BASE.replace("n=2", "n=4,latency=200 ns") + "adapter: {packet: 64 B, message: 200 B, reply: 150 B, max_outstanding: 20}\n"
        rows = []
        for threads in (1, 2, 3):
            store = self.tmp / f"{threads}.db"
            done = self.ok("run", self.experiment(text), "-o", store, "--jobs", threads, "--json")
            self.assertIn(f'"threads":{threads}', "".join(done.split()))
            rows.append(self.ok("report", store, "--csv"))
        self.assertEqual(rows, [rows[0]] * 3)

    def test_loads_that_hosts_do_not_ask_for(self):
        """A closed loop makes fewer requests than the load says where replies come late: that load is not accepted, though what is made may last."""
        plans = [("karytree:k=2,n=2", "shortest", "1q"), ("dragonfly:p=2,a=4,h=2", "ugal_l", "phase"), ("hyperx:dims=3:3,p=2", "minimal", "hopclass")]
        adapters = [("packet: 256 B", 256, 2048), ("packet: 256 B, queues: one, injection: bernoulli", 1024, 64),
                    ("packet: 512 B, interleave: fifo", 2048, 2048)]
        seen = set()
        for fabric, routing, vc in plans:
            for words, message, reply in adapters:
                rows = self.rows(f"fabric: {{family: '{fabric}'}}\nrouting: {routing}\nvc: {vc}\nload: [1%, 10%, 40%, 100%]\n"
                                 f"adapter: {{{words}, message: {message} B, reply: {reply} B, service_time: 200 ns, max_outstanding: [1, 4]}}\n")
                for row in rows:
                    share = float(row["offered"]) * message / (message + reply) / float(row["load"])
                    self.assertLess(share, 1.1)
                    if row["steady"] == "yes" and not 0.94 < share < 0.99:
                        self.assertEqual(float(row["saturated"]), float(share < 0.95), row)
                        seen.add((fabric, words, row["saturated"]))
        self.assertEqual(len({(fabric, saturated) for fabric, _, saturated in seen}), 2 * len(plans))
        self.assertGreaterEqual(len(seen), 14)

    def test_few_hosts_that_ask_for_most(self):
        """What lacks is a share of all requests that were asked for, whoever makes them; a run too short for many of them cannot tell."""
        text = ("fabric: 'crossbar:n=64'\nrouting: shortest\ntraffic: 'mix:98%*big=(subset:pattern=uniform,hosts=0..3)+2%*bg=uniform'\nload: 50%\n"
                "adapter: {packet: 256 B, message: 256 B, reply: 256 B, service_time: 1 us, max_outstanding: 1}\n"
                "measure: [{warmup: 100 us, duration: 400 us}, {warmup: 0 us, duration: 5 us}]\n")
        long, short = self.rows(text)
        self.assertEqual((long["steady"], long["saturated"]), ("yes", "1"))
        self.assertEqual(short["steady"], "too short to tell")

    def test_classes(self):
        rows = self.rows(BASE + TWO + "switch: [{arbiter: oldest_first, age: injected}, {arbiter: class_first, class_priority: [0, 1]}]\n")
        self.assertEqual(len(rows), 2)

    def test_refused_before_the_first_point(self):
        """Priorities that are not as many as classes stand at their place, and no file is written."""
        for traffic, priorities in ((TWO, "[0, 1, 2]"), ("", "[0, 1]")):
            text = BASE + traffic + f"seeds: [1, 2]\nswitch: {{arbiter: class_first, class_priority: {priorities}}}\n"
            path, store = self.experiment(text), self.tmp / "no.db"
            done = run("run", path, "-o", store)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertTrue(done.stderr.startswith(f"ikat: {path}:{text.count(chr(10))}:"), done.stderr)
            self.assertIn("priorities, and traffic", done.stderr)
            self.assertFalse(store.exists())
        for adapter, says in (("message: 20 KB", "did you mean 'kB'"), ("message_sizes: 20 KB", "did you mean 'kB'"), ("reply: 1000 TB", "at most")):
            done = run("run", self.experiment(BASE + f"adapter: {{{adapter}}}\n"), "-o", self.tmp / "no.db")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)

    def test_refusals(self):
        for text, place, what in (
            (BASE + "adapter: {reply: 64 B, in_order: true}\n", ":5:18:", "'reply': it has no effect with in_order = true"),
            (BASE + "adapter: {reply: 64 B, queues: destination}\n", ":5:18:", "'reply': it has no effect with queues = destination"),
            (BASE + "adapter: {service_time: 1 us}\n", ":5:25:", "'service_time': it has no effect"),
            (BASE + "adapter: {max_outstanding: 2}\n", ":5:28:", "'max_outstanding': it has no effect"),
            (BASE + "adapter: {reply: 1 B, max_outstanding: 0}\n", ":5:40:", "out of range"),
            (BASE + "adapter: {reply: 0 B}\n", ":5:18:", "out of range"),
            (BASE + "switch: {model: pipelined}\nadapter: {reply: 64 B}\n", ":6:18:", "'reply': it has no effect with model = pipelined"),
            (BASE + "switch: {arbiter: class_first, class_priority: [0, 1]}\n", ":5:48:", "2 priorities, and traffic 'uniform' has 0 classes"),
            (BASE + TWO + "switch: {arbiter: class_first, class_priority: [0, 1, 2]}\n", ":6:48:", "3 priorities"),
            (BASE + TWO + "switch: {arbiter: class_first}\n", ":6:19:", "class_first needs class_priority"),
            (BASE + TWO + "switch: {class_priority: [0, 1]}\n", ":6:26:", "'class_priority': it has no effect"),
            (BASE + TWO + "switch: {arbiter: class_first, class_priority: [0, 1]}\nadapter: {reply: 64 B}\n", ":6:19:", "requests and replies"),
            (BASE + "switch: {arbiter: islip, age: injected}\n", ":5:31:", "'age': it has no effect"),
            (BASE + "switch: {hold_switch_for_packet: true}\n", ":5:34:", "'hold_switch_for_packet': it has no effect"),
            (BASE + "switch: {model: pipelined, hold_switch_for_packet: true}\n", ":5:52:", "no effect with one virtual channel"),
            (BASE + "vc: any\nvcs: 2\nswitch: {model: pipelined, hold_switch_for_packet: true}\nadapter: {packet: 16 B}\n", ":7:52:", "no effect on packets of one flit"),
        ):
            with self.subTest(text=text[len(BASE):]):
                done = run("run", self.experiment(text), "-o", self.tmp / "none.db")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(place, done.stderr)
                self.assertIn(what, done.stderr)


if __name__ == "__main__":
    unittest.main()
