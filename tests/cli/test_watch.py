"""Watched packets, from an experiment to its tables: the path that `ikat route` prints, what is stored, refusals with places."""
import csv
import io
import json
import unittest

from harness import CliTest, run

TEXT = "fabric: karytree:k=4,n=2\nrouting: dmodk\nload: 1%\nmeasure: {warmup: 1 us, duration: 60 us}\n"


class Watch(CliTest):
    def experiment(self, text):
        path = self.tmp / "experiment.yaml"
        path.write_text(text)
        return path

    def rows(self, text, table="watch"):
        store = self.tmp / "results.db"
        store.unlink(missing_ok=True)
        self.ok("run", self.experiment(text), "-o", store)
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", table))))

    def test_path_is_that_of_route(self):
        rows = self.rows(TEXT + "traffic: shift:by=5\nwatch: {source: 1, destination: 6, first: 1}\n")
        sent = [r["channel"].split() for r in rows if r["stage"] == "sent"]
        routes = self.ok("route", "karytree:k=4,n=2", "--routing", "dmodk", "--format", "paths")
        path = next(line.split()[3:] for line in routes.splitlines() if line.startswith("1 6 "))
        self.assertEqual(path, [f"{c[0][2:]}.{int(c[2]) - 1}/0" for c in sent])
        self.assertEqual(rows[0]["stage"], "generated")
        self.assertEqual(rows[-1]["stage"], "delivered")
        self.assertEqual({r["destination"] for r in rows}, {"6"})

    def test_results_are_the_same(self):
        plain = self.rows(TEXT, "points")
        watched = self.rows(TEXT + "watch: {slowest: 2, packets: [3:0-4, \"5:1\"]}\n", "points")
        self.assertEqual(plain, watched)
        rows = self.rows(TEXT + "watch: {slowest: 1}\n")
        life = float(rows[-1]["time_ns"]) - float(rows[0]["time_ns"])
        self.assertAlmostEqual(life, float(plain[0]["latency_max_ns"]), places=3)

    def test_json_and_page(self):
        rows = self.rows(TEXT + "watch: {packets: [3:0, 3:1]}\n")
        store = self.tmp / "results.db"
        lives = json.loads(self.ok("report", store, "--json"))["points"][0]["watch"]
        self.assertEqual([(f"{x['source']}:{x['number']}", e["stage"], e["time_ps"] / 1000) for x in lives for e in x["events"]],
                         [(r["packet"], r["stage"], float(r["time_ns"])) for r in rows])
        self.ok("report", store, "-o", self.tmp / "page.html")
        self.assertIn('"watch":[{"source":3,', (self.tmp / "page.html").read_text())

    def test_what_nobody_sends_is_refused(self):
        """Hosts that no fabric has, and sections that ask for nothing: before the first point, with their place."""
        for watch, words in (("{}", "watches no packet"), ("{packets: [3:0, 16:1]}", "no host 16 among 16"), ("{first: 1, source: 99}", "no host 99"),
                             ("{slowest: 1, destination: 16}", "no host 16"), ("[{first: 1}, {}]", "watches no packet")):
            with self.subTest(watch):
                store = self.tmp / "results.db"
                done = run("run", self.experiment(TEXT + f"watch: {watch}\n"), "-o", store)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, rf"experiment.yaml:5:\d+: .*{words}")
                self.assertFalse(store.exists())
        text = TEXT.replace("karytree:k=4,n=2", '["karytree:k=4,n=2", "karytree:k=5,n=2"]')
        self.assertEqual({r["fabric"] for r in self.rows(text + "watch: {packets: [20:0]}\n") if r["stage"] == "sent"}, {"karytree:k=5,n=2"})

    def test_no_watch_no_rows(self):
        self.assertEqual(self.rows(TEXT), [])

    def test_sweep(self):
        """One value of `packets` is a whole list; what is watched is part of a point."""
        text = TEXT + "switch: {model: [iq, ioq, ideal, pipelined]}\nwatch: {packets: [[3:0], [3:1, 3:2]]}\n"
        rows = self.rows(text)
        self.assertEqual({(r["packet"], "pipelined" in r["variant"]) for r in rows},
                         {(p, m) for p in ("3:0", "3:1", "3:2") for m in (True, False)})
        self.assertEqual(len({r["variant"] for r in rows}), 8)

    def test_a_packet_that_does_not_exist(self):
        store = self.tmp / "results.db"
        done = run("run", self.experiment(TEXT + "watch: {packets: [9:4000000]}\n"), "-o", store, "-v")
        self.assertEqual(done.returncode, 0)
        self.assertIn("packet 9:4000000 was not sent", done.stderr)
        self.assertIn("packet 4000000 of host 9 was not sent in this run", done.stdout)
        table = self.ok("report", store, "--csv", "--table", "watch")
        self.assertIn("9:4000000,,,,,not sent", table)

    def test_text(self):
        store = self.tmp / "results.db"
        text = self.ok("run", self.experiment(TEXT + "watch: {source: 2, first: 1}\n"), "-o", store, "-v")
        self.assertIn("packet ", text)
        self.assertIn("on the link", text)
        self.assertIn("delivered", text)
        self.assertNotIn("on the link", self.ok("run", self.experiment(TEXT), "-o", self.tmp / "o.db", "-v"))

    def test_refusals(self):
        for text, line, words in (
                ("watch: {packets: [5]}\n", 5, "names no packet"),
                ("watch: {packets: 5:9-1}\n", 5, "names no packet"),
                ("watch: {packets: [5:0-20000]}\n", 5, "more than 10000 packets"),
                ("watch: {source: 3}\n", 5, "'source'"),
                ("watch: {first: 3, slowest: 3}\n", 5, "'slowest'"),
                ("watch: {slowst: 3}\n", 5, "slowest"),
                ("watch: {slowest: 1001}\n", 5, "out of range"),
                ("watch: 5:0\n", 5, "mapping"),
        ):
            with self.subTest(text):
                done = run("run", self.experiment(TEXT + text), "-o", self.tmp / "r.db")
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"experiment.yaml:{line}:", done.stderr)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
