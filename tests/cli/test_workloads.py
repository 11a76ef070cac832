"""Workloads that end, from an experiment to its tables: closed forms, references, what is missing, refusals with places."""
import csv
import gzip
import io
import re
import unittest

from harness import SOURCE, CliTest, run

ENDS = "measure: {until: delivered, at_most: 10 ms}\n"


class Workloads(CliTest):
    def experiment(self, text):
        path = self.tmp / "experiment.yaml"
        path.write_text(text)
        return path

    def rows(self, text, table="points"):
        store = self.tmp / "results.db"
        store.unlink(missing_ok=True)
        self.ok("run", self.experiment(text), "-o", store)
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", table))))

    def test_slowdown(self):
        """1 on an ideal crossbar, exactly, in any order; w (N - m) / (N - 1) on a tree slimmed w:1."""
        text = ('fabric: ["crossbar:n=16", "slimtree:k=4,w=1,n=2"]\nrouting: updown\nswitch: {model: ideal}\nadapter: {packet: 256 B}\n'
                "traffic: {family: exchange, order: [random, shift, xor, pairwise, nearest_first]}\n" + ENDS)
        rows = self.rows(text)
        self.assertEqual(len(rows), 10)
        for row in rows:
            self.assertEqual(row["load"], "")
            if row["fabric"].startswith("crossbar"):
                self.assertEqual(row["slowdown"], "1")
            else:
                self.assertAlmostEqual(float(row["slowdown"]), 4 * 12 / 15, delta=0.1 * 3.2)
        shift = next(r for r in rows if "shift" in r["traffic"] and r["fabric"].startswith("crossbar"))
        self.assertEqual(float(shift["completion_ns"]), 15 * 7680 * 0.08 + 12)
        references = self.rows(text, "references")
        self.assertEqual(len(references), 5)
        self.assertTrue(all(r["fabric"].startswith("crossbar:n=16") for r in references))

    def test_reference_of_the_same_messages(self):
        """What a reference made of a tree's messages took is what the workload takes that is made for the crossbar itself."""
        goal = SOURCE / "experiments/taskfarm.goal"
        for traffic in ("exchange, order: nearest_first", "nas, benchmark: cg, processes: 8", "collective, operation: allreduce, bytes: 8 KiB", f"graph, path: {goal}",
                        f"program, trace: {goal}", "storage, disks: 3, accesses: 40, duration: 20 us"):
            rows = self.rows('fabric: ["slimtree:k=4,w=1,n=2", "crossbar:n=16"]\nrouting: updown\nswitch: {model: ideal}\n'
                             f"adapter: {{packet: 256 B}}\ntraffic: {{family: {traffic}, mapping: [linear, random]}}\n" + ENDS)
            self.assertEqual(len(rows), 4, traffic)
            self.assertEqual({r["slowdown"] for r in rows if r["fabric"].startswith("crossbar")}, {"1"}, traffic)

    def test_places_and_limits_of_commands(self):
        """A file without a host is named with its last line, a mistyped rule with the nearest; a benchmark that is too large is only counted."""
        empty = self.tmp / "empty.txt"
        for text, line in (("", 1), ("# nobody\n\n", 2)):
            empty.write_text(text)
            done = run("load", "karytree:k=4,n=2", "-r", "dmodk", "--traffic", f"exchange:mapping={empty}")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{empty}:{line}:1: no host", done.stderr)
        done = run("load", "karytree:k=4,n=2", "-r", "dmodk", "--traffic", "exchange:mapping=randm")
        self.assertIn("did you mean 'random'", done.stderr)
        done = run("load", "crossbar:n=1", "-r", "minimal", "--traffic", "shift")
        self.assertIn("two hosts at least", done.stderr)
        need = []
        for limit in ("100MB", "400MB"):
            done = run("load", "karytree:k=16,n=3", "-r", "dmodk", "--traffic", "nas:ft", "--memory-limit", limit)
            need.append(re.search(r"about ([0-9.]+ [A-Z]iB) would be needed", done.stderr)[1])
        self.assertEqual(need[0], need[1])
        self.assertIn("GiB", need[0])

    def test_slowdown_in_order(self):
        """The reference has the same adapter: 1 on an ideal crossbar with any reorder buffer; elsewhere buffers only ever cost time."""
        text = ('fabric: ["crossbar:n=16", "karytree:k=4,n=2"]\nrouting: minimal\nswitch: {model: ideal}\n'
                "adapter:\n  - {packet: 256 B}\n  - {packet: 256 B, in_order: true}\n"
                "  - {packet: 256 B, in_order: true, reorder_buffer: [256 B, 4 KiB], reorder_scope: flow}\n"
                "  - {packet: 256 B, in_order: true, reorder_buffer: [256 B, 4 KiB]}\n"
                "  - {packet: 256 B, in_order: true, reorder_buffer: 1 KiB, throttle: strict}\n"
                "  - {packet: 256 B, in_order: true, reorder_buffer: 0 B}\n"
                "traffic: [exchange, \"collective:allreduce,algorithm=rabenseifner,bytes=40 KiB\"]\n" + ENDS)
        rows = self.rows(text)
        self.assertEqual(len(rows), 32)
        tree = {}
        for row in rows:
            if row["fabric"].startswith("crossbar"):
                self.assertEqual(row["slowdown"], "1", row)
            else:
                tree.setdefault(row["traffic"], []).append(float(row["slowdown"]))
        for family, slowdowns in tree.items():
            self.assertEqual(slowdowns[0], slowdowns[1] if family.startswith("exchange") else slowdowns[0])
            self.assertGreater(max(slowdowns[2:]), 1.2 * slowdowns[0])

    def test_slowdown_by_the_same_switch(self):
        """1 on a crossbar with that switch, exactly, whatever the switch; each reference is run once and shared by fabrics."""
        text = ('fabric: ["crossbar:n=9", "ring:n=9"]\nrouting: minimal\nseeds: 2\nadapter: {packet: 256 B}\nreference: {switch: [same, ideal]}\n'
                "switch: [{model: iq}, {model: iq, queues: fifo, buffer: 1 KiB}, {model: ioq, traversal_delay: 50 ns}, {model: ideal, routing_delay: 9 ns}]\n"
                "traffic: {family: exchange, order: [random, shift]}\n" + ENDS)
        rows = self.rows(text)
        self.assertEqual(len(rows), 64)
        for row in rows:
            same = "reference: switch=same" in row["variant"]
            if row["fabric"].startswith("crossbar") and same:
                self.assertEqual(row["slowdown"], "1", row)
            elif row["fabric"].startswith("ring"):
                self.assertGreater(float(row["slowdown"]), 1)
        self.assertTrue(any(r["fabric"].startswith("crossbar") and r["slowdown"] != "1" for r in rows))
        references = self.rows(text, "references")
        self.assertEqual(len(references), (4 + 1) * 2 * 2)  # switches or the ideal one, orders, seeds
        self.assertEqual(len({r["switch"] for r in references}), 5)
        self.assertEqual(sum(r["switch"] == "ideal" for r in references), 4)

    def test_hosts_and_critical_path(self):
        """Of every point: the last host's time is the completion; the path's segments meet and sum to it."""
        store = self.tmp / "path.db"
        text = ("fabric: slimtree:k=4,w=1,n=2\nrouting: dmodk\nseeds: 2\nadapter: {packet: 256 B}\ntraffic:\n  - {family: exchange, repeat: 2}\n"
                "  - {family: exchange, pattern: {family: neighbour, dims: [4, 4]}, bytes: 4 KiB, repeat: 400}\n" + ENDS)
        summary = self.ok("run", self.experiment(text), "-o", store)
        table = lambda name: list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", name))))
        key = lambda row: (row["traffic"], row["seed"])
        points = {key(r): float(r["completion_ns"]) for r in table("points")}
        self.assertEqual(len(points), 4)
        hosts, paths = table("hosts"), table("critical_path")
        self.assertEqual(len(hosts), 4 * 16)
        for point, completion in points.items():
            of = [r for r in hosts if key(r) == point]
            last = max(of, key=lambda r: float(r["finish_ns"]))
            self.assertEqual(float(last["finish_ns"]), completion)
            rows = [r for r in paths if key(r) == point]
            self.assertEqual(float(rows[0]["begin_ns"]), 0)
            self.assertEqual(float(rows[-1]["end_ns"]), completion)
            for a, b in zip(rows, rows[1:]):
                self.assertEqual(a["end_ns"], b["begin_ns"])
            self.assertAlmostEqual(sum(float(r["time_ns"]) for r in rows), completion, places=3)
            self.assertLessEqual(len(rows), 1001)
            self.assertEqual([r["kind"] for r in rows].count("left_out"), int("neighbour" in point[0]))
            self.assertEqual(rows[-1]["peer"], last["host"])
            if point[1] == "1":
                self.assertIn(f"{last['name']} (", summary)
        for row in table("message_classes"):
            self.assertEqual((row["class"], row["first_start_ns"], float(row["last_delivery_ns"])), ("", "0", points[key(row)]))
            self.assertEqual(int(row["messages"]), 480 if "neighbour" not in row["traffic"] else 400 * 64)
        step = next(c for c in self.json("report", store)["curves"] if "neighbour" in c["traffic"])["steps"][0]["workload"]
        path = step["critical_path"]
        kinds = ("compute", "processor", "queue", "credit", "sending", "latency", "network")
        self.assertEqual(sum(path[f"{k}_ps"] for k in kinds), step["last_hosts"][0]["finish_ps"])
        self.assertEqual(len(step["finish_percentiles_ps"]), 101)
        self.assertGreater(path["left_out"], 0)
        self.assertIn("critical_path", self.ok("report", "--help"))

    def test_endless_traffic_has_none(self):
        rows = self.rows("fabric: crossbar:n=4\nrouting: minimal\nload: 30%\nmeasure: {duration: 5 us}\n")
        self.assertEqual([rows[0][k] for k in ("completion_ns", "slowdown", "effective_throughput")], [""] * 3)

    def test_patterns_as_mappings(self):
        text = ("fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic:\n"
                "  - {family: exchange, pattern: {family: neighbour, dims: [4, 4]}, bytes: 4 KiB}\n"
                '  - "exchange:pattern=neighbour:dims=4:4;wrap=false,bytes=4 KiB"\n' + ENDS)
        rows = self.rows(text)
        self.assertEqual([int(float(r["packets_delivered"])) for r in rows], [64, 48])

    def test_mapped_workloads(self):
        """On an ideal crossbar 1, wherever processes are; elsewhere the reference has them on the same hosts."""
        (self.tmp / "hosts.txt").write_text("5\n0 # first\n3\n1\n7\n")
        traffic = ("traffic:\n"
                   "  - {family: exchange, pattern: alltoall, hosts: [0..3, 6], mapping: [linear, random, by_leaf]}\n"
                   "  - {family: exchange, pattern: shift, mapping: hosts.txt}\n"
                   "  - {family: collective, operation: allreduce, bytes: [1 KiB, 64 KiB], processes: 6, mapping: [random, by_leaf]}\n"
                   "  - {family: nas, benchmark: [cg, bt], bytes: 10 KiB, mapping: random}\n")
        for row in self.rows("fabric: crossbar:n=8\nrouting: minimal\nswitch: {model: ideal}\n" + traffic + ENDS):
            self.assertEqual(row["slowdown"], "1", row["traffic"])
        rows = self.rows("fabric: karytree:k=2,n=3\nrouting: dmodk\n" + traffic.replace("by_leaf", "by_pod") + ENDS)
        self.assertEqual(len(rows), 10)
        self.assertTrue(all(float(row["slowdown"]) >= 1 for row in rows))
        references = self.rows("fabric: karytree:k=2,n=3\nrouting: dmodk\n"
                               "traffic: {family: exchange, mapping: [by_pod, hosts.txt]}\n" + ENDS, "references")
        self.assertEqual([r["traffic"].split("hosts=")[1] for r in references], ["0:4:1:5:2:6:3:7", "5:0:3:1:7"])

    def test_misspelt_mapping(self):
        """It may be a file, but something else beside it must not hide what was meant."""
        for rest in ["", ",hosts=0..3"]:
            self.refused("load", "karytree:k=2,n=2", "--routing", "dmodk", "--traffic", "exchange:mapping=randm" + rest, says="'random'")
        self.refused("load", "karytree:k=2,n=2", "--routing", "dmodk", "--traffic", "exchange:mapping=rows.txt,hosts=0..3", says="the file names the hosts")

    def test_mapped_on_a_damaged_fabric(self):
        """Where hosts have no cable, the reference has the drawn hosts written out; a seed of the mapping is no part of that."""
        rows = self.rows('fabric: ["xgft:m=4:4,w=1:4", "xgft:m=4:4,w=1:4,fail=sw0.3:sw2.1"]\nrouting: dfsssp\ntraffic:\n'
                         "  - {family: exchange, pattern: {family: neighbour, dims: [2, 3], wrap: false}, order: shift, mapping: random, processes: 6, seed: 5}\n"
                         "  - {family: exchange, mapping: random, seed: 5}\n"
                         "  - {family: collective, operation: [barrier, alltoallv], mapping: random, seed: 5}\n"
                         "  - {family: nas, benchmark: cg, bytes: 4 KiB, mapping: random, seed: 5}\n" + ENDS)
        self.assertEqual(len(rows), 10)
        self.assertTrue(all(float(r["slowdown"]) >= 1 for r in rows), rows)

    def test_patterns_made_for_the_fabric(self):
        """Their reference has the messages of their fabric: each in the time of one message, and shared by no other fabric."""
        text = ('fabric: ["xgft:m=4:4,w=1:2", "torus:dims=4:4", "ring:n=16"]\nrouting: dfsssp\nadapter: {packet: 256 B}\n'
                "traffic: {family: exchange, pattern: [worst, tornado], repeat: 2}\n" + ENDS)
        rows, references = self.rows(text), self.rows(text, "references")
        self.assertEqual([len(rows), len(references)], [6, 6])
        for row in references:
            self.assertEqual(float(row["completion_ns"]), 2 * (7680 * 0.08 + 12))
        self.assertTrue(all(float(r["slowdown"]) > 1 for r in rows), rows)

    def test_cg_on_a_tree(self):
        """The transpose sends eight flows over one link: (4 + 7) / 5."""
        rows = self.rows("fabric: xgft:m=16:16,w=1:16\nrouting: dmodk\nadapter: {packet: 1 KiB}\n"
                         "traffic: {family: nas, benchmark: cg, class: D, processes: 128}\n" + ENDS)
        self.assertAlmostEqual(float(rows[0]["slowdown"]), 2.2, delta=0.05)

    def test_series_end_with_the_workload(self):
        store = self.tmp / "series.db"
        text = ("fabric: slimtree:k=4,w=1,n=2\nrouting: dmodk\nswitch: {buffer: 4 KiB}\nadapter: {packet: 256 B}\n"
                "traffic: exchange\nmeasure: {until: delivered, at_most: 10 ms, series: 1 us}\n")
        summary = self.ok("run", self.experiment(text), "-o", store)
        self.assertNotIn(" 0 %  ", summary.split("Congestion")[1].splitlines()[2])
        step = self.json("report", store)["curves"][0]["steps"][0]
        periods = -(-step["completion_ns"] // 1000)
        self.assertEqual(len(step["series"]["throughput"]), periods)
        self.assertEqual(len(step["congestion_series"]["roots"]), periods)
        self.assertEqual(step["congestion"]["samples"], periods)

    def test_programs(self):
        """A ping-pong on a crossbar: 1 us of calculation, twice 4 KiB; packed and plain; refusals with their places."""
        text = (SOURCE / "tests/data/traffic/pingpong.goal").read_bytes()
        (self.tmp / "p.goal").write_bytes(text)
        (self.tmp / "p.goal.gz").write_bytes(gzip.compress(text))
        base = "fabric: crossbar:n=3\nrouting: minimal\nswitch: {model: ideal}\nadapter: {packet: 256 B}\n"
        rows = self.rows(base + "traffic: {family: graph, path: [p.goal, p.goal.gz]}\n" + ENDS)
        for row in rows:
            self.assertAlmostEqual(float(row["completion_ns"]), 1000 + 2 * (4096 * 0.08 + 12), places=6)
            self.assertEqual(row["slowdown"], "1")
        lines = text.decode().replace("l2 requires l1", "l2 requires l9", 1)
        (self.tmp / "p.goal").write_text(lines)
        done = run("run", self.experiment(base + "traffic: {family: graph, path: p.goal}\n" + ENDS), "-o", self.tmp / "no.db")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("p.goal:8:13", done.stderr)
        self.assertIn("no label 'l9'", done.stderr)

    def test_a_long_program_is_read_as_a_stream(self):
        """Ten times the operations take ten times the time and memory, not more."""
        path = self.tmp / "long.goal"
        with path.open("w") as to:
            to.write("num_ranks 2\n")
            for rank in range(2):
                to.write(f"rank {rank} {{\n")
                for k in range(100_000):
                    to.write(f"l{k}: {'send' if rank == 0 else 'recv'} 8b {'to 1' if rank == 0 else 'from 0'} tag {k}\n")
                    if k:
                        to.write(f"l{k} requires l{k - 1}\n")
                to.write("}\n")
        row = self.rows('fabric: crossbar:n=2\nrouting: minimal\nmeasure: {until: delivered, at_most: 10 ms}\n'
                        f"traffic: {{family: graph, path: {path}}}\n")[0]
        self.assertAlmostEqual(float(row["completion_ns"]), 100_000 * 8 * 0.08, delta=200)

    def test_not_completed(self):
        store = self.tmp / "short.db"
        text = "fabric: crossbar:n=8\nrouting: minimal\ntraffic: {family: exchange, bytes: 1 MiB}\nmeasure: {until: delivered, at_most: 5 us}\n"
        done = run("run", self.experiment(text), "-o", store)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("at_most was reached", done.stdout + done.stderr)
        self.assertIn("not delivered", done.stdout + done.stderr)
        row = next(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))
        self.assertEqual([row[k] for k in ("completion_ns", "slowdown", "effective_throughput")], [""] * 3)
        self.assertIn("at_most was reached", self.json("report", store)["points"][0]["missing"])

    def test_deadlock(self):
        """Its cycle, and where every message stands; exit status 1, with a watchdog or without."""
        for measure in ("", ", watchdog: 0 ns"):
            store = self.tmp / "locked.db"
            store.unlink(missing_ok=True)
            text = ("fabric: \"ring:n=6,p=2\"\nrouting: shortest\nvc: 1q\nproof: off\nswitch: {buffer: 8 KiB}\nadapter: {packet: 256 B}\n"
                    'traffic: {family: exchange, pattern: "shift:by=4", bytes: 1 MiB}\n'
                    f"measure: {{until: delivered, at_most: 10 ms{measure}}}\n")
            done = run("run", self.experiment(text), "-o", store)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertNotIn("load 0", done.stdout + done.stderr)
            point = self.json("report", store)["points"][0]
            self.assertRegex(point["deadlock"], r"in the buffer of sw\d port \d VC 0 waits for sw\d port \d VC 0: 0 B free")
            missing = point["missing"].splitlines()
            self.assertIn("a deadlock", missing[0])
            self.assertIn("12 of 12 messages are not delivered, 12 of them in part", missing[1])
            never, inside = map(int, re.search(r"(\d+) were never sent, (\d+) are in the network", missing[2]).groups())
            self.assertEqual(int(missing[2].split()[0]), never + inside)
            self.assertEqual(sum(" a message for host " in m and "waits for credit of host" in m for m in missing), 12)
            queues = [m for m in missing if " B in the buffer of sw" in m]
            self.assertEqual(len(queues), 18)
            self.assertEqual(sum(1 + int((re.search(r"behind it (\d+)", m) or [0, 0])[1]) for m in queues), inside)
            self.assertIn("waits for credit", done.stdout)

    def test_refusals(self):
        """Each with its place, before anything is written."""
        base = "fabric: crossbar:n=6\nrouting: minimal\n"
        cases = [
            (base + "traffic: exchange\n" + ENDS + "load: 50%\n", ":5:", "load"),
            (base + "traffic: exchange\nload: [20%, 50%]\n" + ENDS, ":4:", "load"),
            (base + "traffic: exchange\nmeasure: {until: delivered, at_most: 1 ms, warmup: 1 us}\n", ":4:", "warmup"),
            (base + "traffic: exchange\nmeasure: {until: delivered, at_most: 1 ms, duration: [1 us, 2 us]}\n", ":4:", "duration"),
            (base + "traffic: exchange\nmeasure: {until: delivered}\n", ":4:", "at_most"),
            (base + "traffic: exchange\n", ":3:", "until it is delivered"),
            (base + "traffic: [exchange, uniform]\n" + ENDS, ":4:", "never ends"),
            (base + ENDS, ":3:", "never ends"),
            (base + "traffic: exchange\nadapter: {message: 1 KiB}\n" + ENDS, ":4:", "message"),
            (base + "traffic: exchange\nadapter: {injection: [periodic, poisson]}\n" + ENDS, ":4:", "injection"),
            (base + "traffic: collective:barrier\nadapter: {injection: poisson}\n" + ENDS, ":4:", "injection"),
            (base + "traffic: exchange\nadapter: {interleave: fifo}\n" + ENDS, ":4:", "interleave"),
            (base + "traffic: [\"collective:barrier\", exchange]\nadapter: {active: unlimited}\n" + ENDS, ":4:", "active"),
            (base + "traffic: uniform\nadapter: {message: 64 KiB, active: unlimited}\n", ":4:", "queues = destination"),
            (base + "traffic: uniform\nadapter: {active: 4}\n", ":4:", "no message is larger"),
            (base + "traffic: {family: exchange, phases: host, visits: 2}\n" + ENDS, ":3:", "visits"),
            (base + "traffic: {family: exchange, phases: hosts}\n" + ENDS, ":3:", "barrier"),
            (base + "traffic: exchange\nadapter: {in_order: true, reorder_buffer: 1 KiB}\n" + ENDS, ":4:", "reorder_buffer"),
            (base + "traffic: exchange\nswitch: {model: [iq, pipelined]}\n" + ENDS, ":4:", "pipelined"),
            (base + "traffic: {family: exchange, order: xor}\n" + ENDS, ":3:", "power of two"),
            (base + "traffic: {family: exchange, bytes: 0 B}\n" + ENDS, ":3:", "bytes"),
            ("fabric: crossbar:n=1\nrouting: minimal\ntraffic: exchange\n" + ENDS, "experiment.yaml:3:", "no message among 1"),
            (base + "traffic: {family: exchange, pattern: uniform}\n" + ENDS, ":3:", "drawn"),
            (base + "traffic: {family: exchange, pattern: {family: neighbour, dims: [4, 4]}}\n" + ENDS, ":3:", "does not fit 6 hosts"),
            (base + "traffic: uniform\nreference: {switch: same}\n", ":4:", "never ends"),
            (base + "traffic: [exchange, uniform]\nreference: {switch: [same, ideal]}\n" + ENDS, ":5:", "never ends"),
            (base + "traffic: exchange\nreference: {swich: same}\n" + ENDS, ":4:", "switch"),
            (base + "traffic: exchange\nreference: {switch: other}\n" + ENDS, ":4:", "ideal"),
            ('fabric: ["ring:n=4", "xgft:m=4:4,w=2:2"]\nrouting: updown\ntraffic: exchange\n' + ENDS, ":3:", "several"),
            (base + "traffic: {family: exchange, patern: shift}\n" + ENDS, ":3:", "pattern"),
            (base + "traffic: {family: exchange, hosts: 0..6}\n" + ENDS, ":3:", "no host 6"),
            (base + "traffic: {family: exchange, hosts: [1, 0..2]}\n" + ENDS, ":3:", "host 1 appears twice"),
            (base + "traffic: {family: exchange, processes: 7}\n" + ENDS, ":3:", "7 processes on 6 hosts"),
            (base + "traffic: {family: exchange, mapping: lineer}\n" + ENDS, ":3:", "no file"),
            (base + "traffic: {family: exchange, mapping: lineer}\n" + ENDS, "hint", "linear|random|by_leaf|by_pod, or a file"),
            (base + "traffic: {family: exchange, mapping: randm}\n" + ENDS, "hint", "did you mean 'random'"),
            (base + "traffic: {family: exchange, mapping: [linear, by_pod]}\n" + ENDS, ":3:", "has no pods"),
            (base + "traffic: {family: exchange, pattern: worst, hosts: 0..3}\n" + ENDS, ":3:", "made for the fabric"),
            (base + "traffic: {family: collective, operation: barrier, root: 1}\n" + ENDS, ":3:", "'root': it has no effect"),
            (base + "traffic: {family: collective, operation: reduce, root: 6}\n" + ENDS, ":3:", "root 6 of 6"),
            (base + "traffic: {family: collective, operation: alltoallv, sizes: no.txt}\n" + ENDS, ":3:", "no file"),
            (base + "traffic: {family: nas, benchmark: bt, processes: 5}\n" + ENDS, ":3:", "a square number"),
        ]
        for text, place, words in cases:
            done = run("run", self.experiment(text), "-o", self.tmp / "no.db")
            message = done.stderr
            self.assertEqual(done.returncode, 2, (text, message))
            self.assertIn(place, message, text)
            self.assertIn(words, message, text)
            self.assertFalse((self.tmp / "no.db").exists(), text)


if __name__ == "__main__":
    unittest.main()
