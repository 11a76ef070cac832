"""One pattern after the other: section schedule, results per entry, static loads per entry; what is refused, and where."""
import csv
import io
import json
import unittest

from harness import SOURCE, CliTest, run

HEAD = "fabric: karytree:k=4,n=2\nrouting: dmodk\nadapter: {packet: 1 KiB}\nmeasure: {warmup: 0 ns, duration: 40 us, series: 5 us}\n"
SPEC = "schedule:entries=@10 us@20%=uniform&b@30 us=shift:by=4&@50%=shift:by=1"
LIST = """schedule:
  - {until: 10 us, traffic: uniform, load: 0.2}
  - {until: 30 us, traffic: {family: shift, by: 4}, name: b}
  - {traffic: "shift:by=1", load: 50 %}
"""


class Schedules(CliTest):
    def experiment(self, text):
        path = self.tmp / "experiment.yaml"
        path.write_text(text)
        return path

    def run_text(self, text, *options):
        store = self.tmp / "results.db"
        store.unlink(missing_ok=True)
        self.ok("run", self.experiment(text), "-o", store, *options)
        return store

    def table(self, store, table="points"):
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", table))))

    def test_section_is_spec(self):
        section = self.table(self.run_text(HEAD + "load: 80%\n" + LIST), "classes")
        spec = self.table(self.run_text(HEAD + f"load: 80%\ntraffic: '{SPEC}'\n"), "classes")
        self.assertEqual(section, spec)
        self.assertEqual([c["name"] for c in section], ["uniform", "b", "shift"])
        for row, (load, part) in zip(section, ((.2, .25), (.8, .5), (.5, .25))):
            self.assertAlmostEqual(float(row["offered"]), load * part, delta=.01)
            self.assertEqual(row["load"], "0.8")

    def test_loads_of_their_own(self):
        """Then a point has no load: the column is empty, and pages are made."""
        store = self.run_text(HEAD + LIST.replace("name: b", "name: b, load: 80%"))
        self.assertEqual([c["load"] for c in self.table(store, "classes")], [""] * 3)
        self.assertEqual(self.table(store)[0]["load"], "")
        self.ok("report", store, "-o", self.tmp / "page.html")
        self.assertIsNone(json.loads(self.ok("report", store, "--json"))["curves"][0]["steps"][0]["load"])

    def test_series_show_the_change(self):
        curves = json.loads(self.ok("report", self.run_text(HEAD + "load: 80%\n" + LIST), "--json"))["curves"]
        through = curves[0]["steps"][0]["series"]["throughput"]
        for period, load in ((1, .2), (4, .8), (5, .8), (7, .5)):
            self.assertAlmostEqual(through[period], load, delta=.05)

    def test_sweeps_threads_and_models(self):
        text = HEAD + "load: [30%, 60%]\nswitch: [{model: iq}, {model: ioq}, {model: ideal}, {model: pipelined}]\n" + \
            LIST.replace("load: 0.2", "load: [10%, 40%]")
        one = self.table(self.run_text(text, "--jobs", "1"), "classes")
        self.assertEqual(len(one), 2 * 4 * 2 * 3)
        self.assertEqual(one, self.table(self.run_text(text, "--jobs", "3"), "classes"))

    def test_static_loads(self):
        command = ("load", "slimtree:k=4,w=2,n=2", "--routing", "dmodk", "--traffic")
        entries = json.loads(self.ok(*command, SPEC, "--json"))["entries"]
        self.assertEqual([(e["name"], e["until_ns"], e["load"]) for e in entries], [("uniform", 10000, .2), ("b", 30000, None), ("shift", None, .5)])
        for entry in entries:
            alone = json.loads(self.ok(*command, entry["traffic"], "--json"))
            del alone["version"]  # of what is printed, not of each entry
            self.assertEqual(alone, {key: entry[key] for key in alone})
        rows = list(csv.DictReader(io.StringIO(self.ok(*command, SPEC, "--csv"))))
        alone = self.ok(*command, "shift:by=4", "--csv").splitlines()[1:]
        self.assertEqual(["b," + line for line in alone], [",".join(r.values()) for r in rows if r["entry"] == "b"])
        self.refused(*command, SPEC, "--seeds", "3", says="one after the other")
        self.refused(*command, SPEC, "--goal", self.tmp / "x.goal", says="never ends")

    def test_refused(self):
        """text of the experiment beside HEAD, line and column, what is said"""
        two = "schedule:\n  - {until: 10 us, traffic: uniform}\n"
        cases = [
            (two + "  - {until: 20 us, traffic: uniform}\nload: 10%\n", "7:13", "last entry"),
            ("schedule:\n  - {traffic: uniform}\n  - {traffic: uniform}\nload: 10%\n", "6:5", "has no 'until'"),
            (two + "  - {until: 10 us, traffic: uniform}\n  - {traffic: uniform}\nload: 10%\n", "7:13", "no later than"),
            (two + "  - {until: [12 us, 9 us], traffic: uniform}\n  - {traffic: uniform}\nload: 10%\n", "7:21", "no later than"),
            ("schedule:\n  - {until: 0 us, traffic: uniform}\n  - {traffic: uniform}\n", "6:13", "is 0"),
            ("schedule:\n  - {until: soon, traffic: uniform}\n  - {traffic: uniform}\n", "6:13", ""),
            (two + "  - {traffic: uniform, load: 120%}\n", "7:30", "outside"),
            (two + "  - {traffic: uniform, lod: 20%}\n", "7:24", "did you mean 'load'"),
            (two + "  - {load: 20%}\n", "7:5", "key 'traffic'"),
            (two + "  - {traffic: nosuch}\n", "7:15", "nosuch"),
            (two + "  - {traffic: exchange}\nload: 10%\n", "7:15", "ends"),
            (two + "  - {traffic: 'schedule:entries=uniform'}\nload: 10%\n", "7:15", "schedule"),
            (two + "  - {traffic: uniform}\n", "5:1", "nor has the experiment"),
            (two.replace("}", ", load: 10%}") + "  - {traffic: uniform, load: 20%}\nload: 10%\n", "8:7", "has no effect"),
            (two + "  - {traffic: uniform}\nload: 10%\ntraffic: uniform\n", "6:3", "both say who sends"),
            (two + "  - {traffic: uniform}\nload: 10%\njobs: [{name: a, traffic: exchange}]\n", "6:3", "both say who sends"),
            (two.replace("10 us", "40 us") + "  - {traffic: uniform}\nload: 10%\n", "", "when the run is over"),
            ("schedule: {until: 10 us}\n", "5:11", "a list of mappings"),
            (two + "  - {traffic: uniform}\nload: 10%\nreference: {switch: same}\n", "9:12", "never ends"),
        ]
        for text, place, says in cases:
            with self.subTest(text):
                path = self.experiment(HEAD + text)
                done = run("run", path, "-o", self.tmp / "no.db")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(says, done.stderr)
                if place and place != "5:1":
                    self.assertTrue(done.stderr.startswith(f"ikat: {path}:{place}: "), f"{place}: {done.stderr}")
                else:
                    self.assertTrue(done.stderr.startswith(f"ikat: {path}:"), done.stderr)
        for adapter, says in (("reply: 64 B, max_outstanding: 2", "max_outstanding"),
                              ("injection: bursty, burst_beta: 50%, burst_rate: 15%", "burst")):
            with self.subTest(adapter):
                path = self.experiment(HEAD.replace("packet", adapter + ", packet") + LIST + "load: 10%\n")
                done = run("run", path, "-o", self.tmp / "no.db")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertTrue(done.stderr.startswith(f"ikat: {path}:3:"), done.stderr)
                self.assertIn(says, done.stderr)

    def test_example(self):
        store = self.tmp / "schedule.db"
        self.ok("run", SOURCE / "experiments/schedule.yaml", "-o", store)
        classes = self.table(store, "classes")
        self.assertEqual([c["name"] for c in classes], ["before", "incast", "after"] * 2)
        self.assertGreater(float(classes[4]["latency_mean_ns"]), 10 * float(classes[1]["latency_mean_ns"]))


if __name__ == "__main__":
    unittest.main()
