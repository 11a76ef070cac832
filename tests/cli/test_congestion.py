"""Congestion and classes of the traffic, from an experiment to the page: the example with a hot host."""
import csv
import io
import os
import re
import subprocess
import unittest

from harness import SOURCE, CliTest
from test_report import CHROMIUM

HOT = 5


class Congestion(CliTest):
    def setUp(self):
        super().setUp()
        self.example = SOURCE / "experiments/congestion.yaml"
        self.store = self.tmp / "congestion.db"
        self.summary = self.ok("run", self.example, "-o", self.store)

    def steps(self):
        """Highest load of each buffer organisation."""
        answer = self.json("report", self.store)
        by_queue = {re.search(r"queues=(\w+)", c["variant"])[1] if "queues=fifo" in c["variant"] or "voqnet" in c["variant"] else "voqsw":
                    c["steps"][-1] for c in answer["curves"]}
        self.assertEqual(set(by_queue), {"fifo", "voqsw", "voqnet"})
        return answer, by_queue

    def hot_channel(self, answer):
        drawing = answer["fabrics"][0]["drawing"]
        node = drawing["switches"] + HOT
        return next(l[0] if l[4] == node else l[3] for l in drawing["links"] if node in (l[1], l[4]))

    def test_tree(self):
        answer, steps = self.steps()
        hot = self.hot_channel(answer)
        for queues, step in steps.items():
            congestion, series = step["congestion"], step["congestion_series"]
            worst = congestion["roots"][0]
            self.assertEqual(worst["channel"], hot, queues)
            self.assertGreaterEqual(worst["samples"], 30)
            self.assertGreater(worst["buffers"], 40)
            self.assertGreaterEqual(worst["depth"], 2)
            self.assertTrue(all(f["dst"] == HOT for f in congestion["culprits"][:20]), queues)
            self.assertTrue(all(f["dst"] != HOT for f in congestion["victims"]), queues)
            self.assertEqual(len(series["roots"]), 40)
            self.assertEqual([len(series[k]) for k in ("buffers", "hosts", "cyclic", "bytes", "hol_bytes", "fairness", "blocked", "hol")], [40] * 8)
            switches = answer["fabrics"][0]["switches"]
            self.assertTrue(all(len(row) == switches and 0 <= min(row) and max(row) <= 1 for row in series["blocked"] + series["hol"]))
            self.assertTrue(all(f is None for f in series["fairness"][:5]))
            # The numbers of a point follow from the series: 16 switches with 8 or 16 ports each are 192 buffers.
            measured = slice(5, 40)
            self.assertAlmostEqual(step["blocked_share"], sum(series["buffers"][measured]) / 35 / 192, places=6)
            self.assertAlmostEqual(step["congestion_roots"], sum(series["roots"][measured]) / 35, places=6)
            self.assertAlmostEqual(step["hol_share"], sum(series["hol_bytes"][measured]) / sum(series["bytes"][measured]), places=6)
            self.assertEqual(step["congestion_tree"], max(b + h for t, _, b, h, _ in series["trees"] if t >= 5))
        # What virtual output queues are for, and what only queues for every destination do.
        self.assertGreater(steps["fifo"]["hol_share"], 0.1)
        self.assertEqual(steps["voqsw"]["hol_share"], 0)
        self.assertGreater(steps["voqsw"]["congestion"]["all_victims"], 0)
        self.assertEqual(steps["voqnet"]["congestion"]["all_victims"], 0)

    def test_classes(self):
        _, steps = self.steps()
        for queues, step in steps.items():
            hot, background = step["classes"]
            self.assertEqual((hot["name"], background["name"]), ("hot", "background"))
            self.assertAlmostEqual(hot["throughput"] + background["throughput"], step["throughput"], places=8)
            self.assertLessEqual(hot["throughput"], 1 / 64)
            for k, one in enumerate((hot, background)):
                series = step["congestion_series"]["classes"][k]
                self.assertAlmostEqual(sum(series["throughput"][5:]) / 35, one["throughput"], places=8)
        accepted = {queues: step["classes"][1]["throughput"] for queues, step in steps.items()}
        self.assertLess(accepted["fifo"], accepted["voqsw"])
        self.assertLess(accepted["voqsw"], accepted["voqnet"])

    def test_summary_and_csv(self):
        self.assertRegex(self.summary, r"(?m)^Congestion$")
        self.assertRegex(self.summary, r"queues=fifo .* to host5 ")
        self.assertRegex(self.summary, r"(?m)^background +dmodk")
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv"))))
        points = self.json("report", self.store)["points"]
        for row, point in zip(rows, points):
            for key in ("blocked_share", "hol_share", "hol_time_ns", "congestion_roots", "congestion_tree", "host_sent_min", "host_sent_max"):
                self.assertEqual(float(row[key]), point[key])
            self.assertLessEqual(point["host_sent_min"], point["host_sent_max"])
        brief = self.json("run", self.example, "-o", self.store)
        self.assertTrue(all("congestion" in s and "congestion_series" not in s for c in brief["curves"] for s in c["steps"]))

    def test_tables(self):
        """What --table prints is what the object holds."""
        answer, _ = self.steps()
        drawing = answer["fabrics"][0]["drawing"]
        steps = [s for c in answer["curves"] for s in c["steps"]]
        def rows(name):
            return list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", name))))
        for name in ("roots", "culprits", "victims"):
            held = [r for s in steps for r in s["congestion"][name]]
            self.assertEqual(len(rows(name)), len(held))
            for row, r in zip(rows(name), held):
                self.assertEqual({k: int(row[k]) for k in r}, r)
        self.assertEqual(rows("roots")[0]["root"].split(" to ")[1], drawing["names"][drawing["switches"] + HOT])
        classes = [c for p in answer["points"] for c in p["classes"]]
        self.assertEqual([(r["name"], float(r["throughput"])) for r in rows("classes")], [(c["name"], c["throughput"]) for c in classes])
        periods = rows("congestion")
        self.assertEqual([int(r["buffers"]) for r in periods], [n for s in steps for n in s["congestion_series"]["buffers"]])
        self.assertEqual(float(periods[1]["time_ns"]), 20000)
        self.assertEqual(self.ok("report", self.store, "--csv", "--table", "points"), self.ok("report", self.store, "--csv"))
        self.refused("report", self.store, "--csv", "--table", "root", says="roots")

    def test_not_sampled(self):
        """Switched off, or without a series: no numbers, and the same deliveries."""
        sampled = {p["checksum"] for p in self.json("report", self.store)["points"]}
        for k, text in enumerate(("congestion: false", "paranoid: false")):
            path = self.tmp / f"off{k}.yaml"
            series = "series: 10 us"
            content = self.example.read_text().replace(series, f"{series if k == 0 else ''}\n  {text}")
            path.write_text(content)
            store = self.tmp / f"off{k}.db"
            self.assertNotIn("Congestion\n", self.ok("run", path, "-o", store))
            answer = self.json("report", store)
            self.assertEqual({p["checksum"] for p in answer["points"]}, sampled)
            self.assertTrue(all(p["blocked_share"] is None and p["congestion_tree"] is None for p in answer["points"]))
            rows = list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))
            self.assertEqual({r["hol_share"] for r in rows}, {""})
            self.ok("report", store, "-o", self.tmp / "off.html")

    @unittest.skipUnless(CHROMIUM, "no Chromium here")
    def test_page(self):
        page = self.tmp / "r.html"
        self.ok("report", self.store, "-o", page)
        # A moment is chosen in the fabric's picture, and the map shows what is blocked.
        script = """<script>const wait = setInterval(() => {
          if (document.documentElement.dataset.ready !== 'yes') return;
          clearInterval(wait);
          const set = (node, value, event) => { node.value = value; node.dispatchEvent(new Event(event)); };
          set(document.querySelector('#fabric input[aria-label=load]'), 1, 'input');
          set(document.querySelector('#fabric input[aria-label=time]'), 30, 'input');
          set(document.querySelector('#fabric select[aria-label=show]'), 'blocked', 'change');
          set(document.querySelector('#time select[aria-label="map of switches"]'), 'hol', 'change');
        }, 20);</script></body>"""
        page.write_text(page.read_text(encoding="utf-8").replace("</body>", script), encoding="utf-8")
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                               f"--user-data-dir={self.tmp}/profile", "--window-size=1280,2000", "--virtual-time-budget=8000",
                               "--enable-logging=stderr", "--dump-dom", f"file://{page}#numbers"],
                              capture_output=True, text=True, timeout=600, check=True, env={**os.environ, "HOME": str(self.tmp)})
        dom = done.stdout
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        self.assertIn('id="congestion"', dom)
        self.assertIn("→ host5", dom)
        self.assertIn("Victims: ", dom)
        self.assertIn("root of a congestion tree", dom)
        self.assertIn("<td>background</td>", dom)
        for name in ("congestion-over-time", "congestion-trees", "congestion-roots", "culprits", "victims", "classes"):
            self.assertIn(f'data-csv="{name}"', dom)


class Mix(CliTest):
    """Traffic that mixes patterns: the example with an incast."""

    def setUp(self):
        super().setUp()
        self.store = self.tmp / "incast.db"
        self.summary = self.ok("run", SOURCE / "experiments/incast.yaml", "-o", self.store)

    def by(self):
        """Steps by buffer organisation and share of the incast."""
        answer = self.json("report", self.store)
        return {(re.search(r"queues=(\w+)|$", c["variant"])[1] or "voqsw", re.search(r"\+(\d+)%\*incast", c["traffic"])[1]): c["steps"][0]
                for c in answer["curves"]}

    def test_classes(self):
        steps = self.by()
        self.assertEqual(set(steps), {(q, s) for q in ("fifo", "voqsw", "voqnet") for s in "026"})
        for (queues, share), step in steps.items():
            background, incast = step["classes"]
            self.assertEqual((background["name"], incast["name"]), ("background", "incast"))
            self.assertAlmostEqual(background["throughput"] + incast["throughput"], step["throughput"], places=8)
            self.assertAlmostEqual(background["offered"], 0.6 * (1 - int(share) / 100), delta=0.006, msg=(queues, share))
            self.assertAlmostEqual(incast["offered"], 0.6 * int(share) / 200, delta=0.002, msg=(queues, share))
        accepted = {q: steps[q, "6"]["classes"][0] for q in ("fifo", "voqsw", "voqnet")}
        self.assertGreater(accepted["fifo"]["victim_time_ns"], 10 * accepted["voqsw"]["victim_time_ns"])
        self.assertGreater(accepted["voqsw"]["victim_time_ns"], 0)
        self.assertEqual(accepted["voqnet"]["victim_time_ns"], 0)
        self.assertLess(accepted["fifo"]["throughput"], 0.5)
        self.assertGreater(accepted["voqnet"]["throughput"], 0.55)

    def test_outputs(self):
        self.assertRegex(self.summary, r"(?m)^incast +dmodk")
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "classes"))))
        classes = [c for p in self.json("report", self.store)["points"] for c in p["classes"]]
        for row, c in zip(rows, classes):
            self.assertEqual(row["name"], c["name"])
            self.assertEqual([float(row[k]) if row[k] else None for k in c if k != "name"], [v for k, v in c.items() if k != "name"])
        self.assertEqual(len(rows), len(classes))
        self.ok("report", self.store, "-o", self.tmp / "r.html")

    def test_files_of_members(self):
        """Files that members read stand beside the experiment, and their contents count."""
        folder = self.tmp / "sub"
        folder.mkdir()
        (folder / "a.flows").write_text("0 1\n1 2\n")
        (folder / "x.yaml").write_text("fabric: crossbar:n=4\nrouting: minimal\nload: 30%\nmeasure: {warmup: 0 ns, duration: 20 us}\n"
                                       "traffic: mix:shift:by=1+ring=file:a.flows\n")
        run = lambda *more: self.json("run", folder / "x.yaml", "-o", self.tmp / "x.db", *more)["points"][0]
        first = run()
        self.assertEqual(first["traffic"], "mix:members=shift+ring=file:path=a.flows")
        self.assertEqual(run()["checksum"], first["checksum"])
        (folder / "a.flows").write_text("0 1\n1 3\n")
        self.assertNotEqual(run()["checksum"], first["checksum"])
        (folder / "a.flows").unlink()
        self.refused("run", folder / "x.yaml", "-o", self.tmp / "y.db", says="a.flows")

    def test_expected_loads(self):
        """A mix loads every channel by the weighted sum of what its members do."""
        def load(traffic):
            return self.json("load", "karytree:k=4,n=2", "--routing", "dmodk", "--traffic", traffic)
        mean = lambda answer: [g["mean"] for g in answer["groups"]]
        parts = mean(load("uniform")), mean(load("hotspot:nodes=5,fraction=50%,rest=silent"))
        for value, a, b in zip(mean(load("mix:75%*uniform+hotspot:nodes=5;fraction=50%;rest=silent")), *parts):
            self.assertAlmostEqual(value, 0.75 * a + 0.25 * b, places=12)
        self.refused("load", "karytree:k=4,n=2", "--routing", "dmodk", "--traffic", "mix:50%*uniform+20%*shift",
                     says=["sum to 70 %", "takes the rest"])


if __name__ == "__main__":
    unittest.main()
