"""Several workloads in one run: results per job, against each job alone; what is refused, and where."""
import csv
import io
import json
import statistics
import unittest

from harness import SOURCE, CliTest, run

HEAD = "fabric: karytree:k=4,n=2\nrouting: dmodk\nadapter: {packet: 256 B}\nmeasure: {until: delivered, at_most: 10 ms}\n"
SAME = ("completion_ns", "checksum", "packets_delivered", "latency_mean_ns", "packet_hops", "slowdown", "effective_throughput")


class Jobs(CliTest):
    def experiment(self, text):
        path = self.tmp / "experiment.yaml"
        path.write_text(text)
        return path

    def run_text(self, text, *options, status=0):
        store = self.tmp / "results.db"
        store.unlink(missing_ok=True)
        self.ok("run", self.experiment(text), "-o", store, *options, status=status)
        return store

    def table(self, store, table="points"):
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", table))))

    def test_a_job_alone_is_its_traffic(self):
        for traffic in ("{family: exchange, bytes: 2560 B, repeat: 2}", "{family: exchange, pattern: 'neighbour:dims=4:4', visits: 2}",
                        "{family: exchange, hosts: 0..6, order: shift}", "{family: collective, operation: allreduce, processes: 8}"):
            with self.subTest(traffic):
                alone = self.table(self.run_text(HEAD + f"traffic: {traffic}\n"))
                job = self.table(self.run_text(HEAD + f"jobs: [{{name: a, traffic: {traffic}}}]\n"))
                self.assertEqual([[r[k] for k in SAME] for r in alone], [[r[k] for k in SAME] for r in job])

    def test_a_job_among_others_is_its_traffic(self):
        """The same deliveries at the same times, though the all-to-all is a graph then: jobs under different leaves share no link."""
        store = self.run_text(HEAD + "jobs:\n  - {name: a, traffic: {family: exchange, bytes: 2560 B, repeat: 2}, hosts: 0..3}\n"
                              "  - {name: b, traffic: 'exchange:order=shift,visits=3', hosts: 4..7}\n"
                              "  - {name: c, traffic: {family: collective, operation: allreduce}, hosts: 8..11}\n")
        for job in self.table(store, "jobs"):
            self.assertEqual(job["slowdown"], "1")
            self.assertEqual(job["completion_ns"], job["alone_ns"])
            self.assertEqual(job["hosts"], "4")
        text = HEAD + "traffic: {family: exchange, bytes: 2560 B, repeat: 2, hosts: 0..3}\n"
        alone = self.table(self.run_text(text))[0]
        both = self.table(self.run_text(HEAD + "jobs: [{name: a, traffic: {family: exchange, bytes: 2560 B, repeat: 2}, hosts: 0..3},"
                                        " {name: b, traffic: exchange, hosts: 4..7}]\n"), "jobs")
        self.assertEqual(float(both[0]["completion_ns"]), float(alone["completion_ns"]))

    def test_background(self):
        """Endless traffic beside a job that ends: measured until that is done, whatever the threads; places of what is refused."""
        text = HEAD + ("jobs:\n  - {name: a, traffic: {family: exchange, bytes: 2560 B}, hosts: 0..3}\n"
                       "  - {name: b, traffic: uniform, hosts: 4..7, load: [0.2, 60%]}\n")
        one = self.table(self.run_text(text), "jobs")
        self.assertEqual([(j["name"], j["slowdown"], j["load"]) for j in one], [("a", "1", ""), ("b", "", "0.2"), ("a", "1", ""), ("b", "", "0.6")])
        for job in (one[1], one[3]):
            self.assertAlmostEqual(float(job["throughput"]), float(job["load"]), delta=0.06)
            self.assertGreater(float(job["latency_mean_ns"]), 0)
            self.assertEqual(job["completion_ns"], "")
        store = self.run_text(text, "--jobs", 1)
        self.assertEqual(self.table(store, "jobs"), one)
        self.assertEqual({r["name"] for r in self.table(store, "classes")}, {"a", "b"})
        self.assertRegex(self.ok("run", self.experiment(text), "-o", self.tmp / "again.db"), "b +jobs.* 60.0 %")
        for wrong, message in ((", load: 120%", "outside"), ("", "has no load"), (", load: 10%, mapping: by_pods", "by_pod")):
            path = self.experiment(HEAD + "jobs:\n  - {name: a, traffic: exchange, hosts: 0..3}\n  - {name: b, traffic: uniform, hosts: 4..7" + wrong + "}\n")
            done = run("run", path, "-o", self.tmp / "wrong.db")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"experiment.yaml:[567]:\d+: ")
            self.assertIn(message, done.stderr)
        done = run("run", self.experiment(HEAD + "jobs:\n  - {name: b, traffic: uniform, load: 10%}\n"), "-o", self.tmp / "wrong.db")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no job ends", done.stderr)

    def test_workloads_on_all_hosts(self):
        """What has no hosts of its own cannot be put on some; the place is that of what was asked for."""
        for traffic in ["batch", "{family: batch, messages: 3}", '"batch:messages=3"']:
            for key, value, other in [("hosts", "0..3", 22), ("mapping", "random", 24)]:
                path = self.experiment(HEAD + f"jobs:\n  - {{name: a, {key}: {value}, traffic: {traffic}}}\n")
                done = run("run", path, "-o", self.tmp / "wrong.db")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, rf"experiment.yaml:\d+:{other}: 'batch' is always on all hosts.* '{key}'\n.*exchange, collective")

    def test_start(self):
        text = HEAD + "jobs:\n  - {name: a, traffic: exchange, hosts: 0..3}\n  - {name: b, traffic: exchange, hosts: 4..7, start: [0 us, 6 us]}\n"
        store = self.run_text(text)
        jobs = self.table(store, "jobs")
        self.assertEqual([(j["name"], j["start_ns"], j["slowdown"]) for j in jobs],
                         [("a", "0", "1"), ("b", "0", "1"), ("a", "0", "1"), ("b", "6000", "1")])
        self.assertEqual(float(self.table(store)[1]["completion_ns"]), 6000 + float(jobs[3]["completion_ns"]))
        references = [r for r in self.table(store, "references") if r["fabric"].startswith("karytree")]
        self.assertEqual(len(references), 2)  # a and b, once for both points

    def test_jobs_that_meet(self):
        text = "fabric: slimtree:k=4,w=1,n=2\nrouting: dmodk\nadapter: {packet: 256 B}\nmeasure: {until: delivered, at_most: 10 ms}\n" \
               "jobs:\n  - {name: a, traffic: exchange, hosts: 0..15:2}\n".replace("0..15:2", "[0, 2, 4, 6, 8, 10, 12, 14]") + \
               "  - {name: b, traffic: exchange, hosts: [1, 3, 5, 7, 9, 11, 13, 15]}\n"
        for job in self.table(self.run_text(text), "jobs"):
            self.assertGreater(float(job["slowdown"]), 1.5)

    def test_everywhere(self):
        """The summary, --json and the table of jobs say the same; the summary has means over the seeds."""
        text = HEAD.replace("karytree:k=4,n=2", "slimtree:k=4,w=1,n=2") + "seeds: 3\njobs:\n" \
               "  - {name: a, traffic: exchange, hosts: [0, 2, 4, 6, 8, 10, 12, 14]}\n" \
               "  - {name: b, traffic: {family: exchange, bytes: 1 KiB}, hosts: [1, 3, 5, 7, 9, 11, 13, 15]}\n"
        store = self.tmp / "results.db"
        summary = self.ok("run", self.experiment(text), "-o", store)
        rows = self.table(store, "jobs")
        points = json.loads(self.ok("report", store, "--json"))["points"]
        self.assertEqual([float(f"{j['slowdown']:.9g}") for p in points for j in p["jobs"]], [float(r["slowdown"]) for r in rows])
        jobs = summary[summary.index("\nJobs\n"):]
        for name in "ab":
            mean = statistics.mean(float(r["slowdown"]) for r in rows if r["name"] == name)
            line = next(l for l in jobs.splitlines() if l.startswith(name + " "))
            self.assertRegex(line, rf"  {mean:.3f} ± [0-9.]+$")
        plain = json.loads(self.ok("report", self.run_text(HEAD + "traffic: exchange\n"), "--json"))
        self.assertNotIn("jobs", plain["points"][0])
        self.assertNotIn("watch", plain["points"][0])

    def test_faster_beside_another(self):
        """A job alone can run in lockstep and lose time to it: a few packets of another job end that. Without input queues nothing is lost."""
        text = ("fabric: slimtree:k=4,w=2,n=2\nrouting: dmodk\nswitch: {model: [iq, ideal]}\nadapter: {packet: 256 B}\nmeasure: {until: delivered, at_most: 10 ms}\njobs:\n"
                "  - {name: few, traffic: {family: exchange, bytes: 256 B}, hosts: [0, 1, 4, 5, 8, 9, 12, 13], start: 3 us}\n"
                "  - {name: halo, traffic: {family: exchange, pattern: 'neighbour:dims=2:4', bytes: 16 KiB}, hosts: [2, 3, 6, 7, 10, 11, 14, 15], start: 3 us}\n")
        rows = [r for r in self.table(self.run_text(text), "jobs") if r["name"] == "halo"]
        least = 4 * 16384 * 0.08  # of a host's link
        self.assertLess(float(rows[0]["slowdown"]), 0.9)
        for row in rows:
            self.assertGreater(float(row["completion_ns"]), least)
        self.assertGreaterEqual(float(rows[1]["slowdown"]), 1)

    def test_notes(self):
        """What is skipped in a pattern is said of a job, too, and of all that is made of a pattern."""
        flows = self.tmp / "flows.txt"
        flows.write_text("1 1\n0 9\n2 3\n3 2\n")
        for traffic in ("FILE", "mix:50%*uniform+50%*FILE", "subset:hosts=0..15,pattern=FILE", "batch:messages=2,pattern=FILE",
                        "exchange:pattern=FILE", "jobs:jobs=a=exchange:hosts=8..15&b@30%=FILE", "jobs:jobs=a=exchange:pattern=FILE"):
            with self.subTest(traffic=traffic):
                done = run("load", "karytree:k=4,n=2", "--routing", "dmodk", "--traffic", traffic.replace("FILE", f"file:path={flows}"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count(f"note: {flows}: 1 line of a host to itself is skipped, the first is line 1"), 1, done.stderr)

    def test_sweeps_and_threads(self):
        text = HEAD + "jobs:\n  - {name: a, traffic: {family: exchange, bytes: [512 B, 1 KiB]}, hosts: 0..7, mapping: [linear, random]}\n" \
                      "  - {name: b, traffic: exchange, hosts: 8..15}\n"
        one = self.table(self.run_text(text, "--jobs", "1"), "jobs")
        self.assertEqual(len(one), 8)
        self.assertEqual(one, self.table(self.run_text(text, "--jobs", "3"), "jobs"))

    def test_not_completed(self):
        text = HEAD.replace("10 ms", "2 us") + "jobs: [{name: a, traffic: exchange, hosts: 0..7}, {name: b, traffic: exchange, hosts: 8..15}]\n"
        jobs = self.table(self.run_text(text, status=1), "jobs")
        self.assertEqual([(j["completion_ns"], j["slowdown"]) for j in jobs], [("", "")] * 2)

    def test_example(self):
        store = self.tmp / "jobs.db"
        self.ok("run", SOURCE / "experiments/jobs.yaml", "-o", store)
        jobs = self.table(store, "jobs")
        self.assertEqual(len(jobs), 8 * 5)
        self.assertGreater(max(float(j["slowdown"]) for j in jobs), 1.1)

    def test_refusals(self):
        a = "  - {name: a, traffic: exchange, hosts: 0..7}\n"
        for text, line, words in (
                ("  - {name: b, traffic: exchange, hosts: 7..15}\n", None, "host 7 is in job 'a' and in job 'b'"),
                ("  - {name: a, traffic: exchange, hosts: 8..15}\n", None, "two jobs are named 'a'"),
                ("  - {name: b, traffic: exchange, hosts: 8..16}\n", None, "16"),
                ("  - {name: b, traffic: {family: exchange, processes: 9}, hosts: 8..15}\n", None, "processes"),
                ("  - {name: b, traffic: uniform}\n", None, "never ends"),
                ("  - {name: b, traffic: 'graph:path=%s/tests/data/traffic/pingpong.goal'}\n" % SOURCE, None, "runs alone"),
                ("  - {name: b, trafic: exchange}\n", 7, "did you mean 'traffic'"),
                ("  - {name: b}\n", 7, "'name' and 'traffic'"),
                ("  - {traffic: exchange}\n", 7, "no 'name'"),
                ("  - {name: b, traffic: exchange, start: soon}\n", 7, "soon"),
                ("  - {name: b, traffic: exchang, hosts: 8..15}\n", 7, "exchange"),
                ("  - {name: 'b c', traffic: exchange, hosts: 8..15}\n", 7, "word"),
                ("  - {name: b, traffic: {family: exchange, hosts: 8..15}, hosts: 8..15}\n", 7, "by the job and by its traffic"),
                ("  - exchange\n", 7, "mapping"),
        ):
            with self.subTest(text):
                done = run("run", self.experiment(HEAD + "jobs:\n" + a + text), "-o", self.tmp / "r.db")
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(f"experiment.yaml:{line if line else ''}", done.stderr)
                self.assertIn(words, done.stderr)
        done = run("run", self.experiment(HEAD + "traffic: exchange\njobs:\n" + a), "-o", self.tmp / "r.db")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'jobs' and 'traffic'", done.stderr)


if __name__ == "__main__":
    unittest.main()
