"""ikat report: CSV, JSON, and the HTML page as a browser shows it."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import unittest

from harness import SOURCE, CliTest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
EXPERIMENT = """\
title: Two trees <b>& more</b>
description: "</script><script>alert(1)</script>"
fabric: [DUMP, "DUMP,repair=true"]
routing: [dmodc, updown]
traffic: [uniform, "shift:by=24"]
load: [10%, 40%, 70%]
seeds: 2
measure: {warmup: 20 us, duration: 40 us, series: 10 us}
"""


class Report(CliTest):
    def setUp(self):
        super().setUp()
        path = self.tmp / "test.yaml"
        path.write_text(EXPERIMENT.replace("DUMP", f"file:{SOURCE}/data/cluster96.ibnetdiscover"))
        self.store = self.tmp / "test.db"
        self.ok("run", path, "-o", self.store)

    def browse(self, page, fragment="", size="1280,2000"):
        """What the browser makes of the page, and what it says on its console."""
        profile = self.tmp / "profile"
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                               f"--user-data-dir={profile}", f"--window-size={size}", "--virtual-time-budget=8000",
                               "--enable-logging=stderr", "--dump-dom", f"file://{page}{fragment}"],
                              capture_output=True, text=True, timeout=600, check=True, env={**os.environ, "HOME": str(self.tmp)})
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv"))))
        self.assertEqual(len(rows), 2 * 2 * 2 * 3 * 2)
        points = self.json("report", self.store)["points"]
        for row, point in zip(rows, points):
            self.assertEqual(row["routing"], point["routing"])
            self.assertEqual(row["traffic"], point["traffic"])
            self.assertEqual(float(row["throughput"]), point["throughput"])
            self.assertEqual(float(row["latency_p99_ns"]), point["latency_p99_ns"])
            self.assertEqual(row["checksum"], point["checksum"])

    def test_what_is_printed_can_go_to_a_file(self):
        path, folder = self.tmp / "out", self.tmp / "folder"
        folder.mkdir()
        for words in (["--csv"], ["--json"], ["--table", "plans"], ["--csv", "--table", "curves"]):
            with self.subTest(words=words):
                printed = self.ok("report", self.store, *words, env={"COLUMNS": "400"})
                self.assertEqual(self.ok("report", self.store, *words, "-o", "-", env={"COLUMNS": "400"}), printed)
                self.assertEqual(self.ok("report", self.store, *words, "-o", "/dev/stdout", env={"COLUMNS": "400"}).split(), printed.split())
                self.assertEqual(self.ok("report", self.store, *words, "-o", path), f"{path}\n")
                self.assertEqual(re.sub(r"\s+", "", path.read_text()), re.sub(r"\s+", "", printed))
                self.refused("report", self.store, *words, "-o", self.store, says="would overwrite the results")
                self.refused("report", self.store, *words, "-o", "a.html", says="only the report is HTML")
                self.refused("report", self.store, *words, "-o", folder, says=str(folder))
        options = {"csv": "--csv", "CSV": "--csv", "json": "--json", "svg": "--figure NAME", "pdf": "--figure NAME", "png": "--figure NAME"}
        for ending, option in options.items():
            for words in ([], ["--csv"], ["--json"], ["--table", "plans"]):
                with self.subTest(ending=ending, words=words):
                    if option not in words:
                        self.refused("report", self.store, *words, "-o", self.tmp / f"a.{ending}", says=option)
                    self.assertFalse((self.tmp / f"a.{ending}").exists())
        self.refused("report", self.store, "--csv", "-o", "a.HTML", says="only the report is HTML")
        self.refused("report", self.store, "-o", "-", says="is written to a file")

    def test_json_sums_up_its_points(self):
        answer = self.json("report", self.store)
        for curve in answer["curves"]:
            fabric = answer["fabrics"][curve["fabric"]]
            routing = answer["plans"][curve["plan"]]["routing"]  # whose tables each seed may draw: several plans
            peak = 0
            for step in curve["steps"]:
                mine = [p for p in answer["points"] if (p["fabric"], p["routing"], p["traffic"], p["load"]) ==
                        (curve["fabric"], routing, curve["traffic"], step["load"])]
                self.assertEqual(len(mine), step["seeds"])
                self.assertAlmostEqual(sum(p["throughput"] for p in mine) / len(mine), step["throughput"], places=7)
                steady = [p["throughput"] for p in mine if p["steady"] == "yes"]
                peak = max(peak, sum(steady) / len(steady)) if steady else peak
                self.assertEqual(len(step["utilisation"]), fabric["drawing"]["channels"])
                self.assertLessEqual(max(step["utilisation"]), 1.05)
            self.assertAlmostEqual(curve["peak_throughput"] or 0, peak, places=7)

    def test_series(self):
        answer = self.json("report", self.store)
        for curve in answer["curves"]:
            switches = answer["fabrics"][curve["fabric"]]["switches"]
            for step in curve["steps"]:
                series = step["series"]
                self.assertEqual(series["period_ps"], 10_000_000)
                self.assertEqual((len(series["throughput"]), len(series["latency_mean_ns"]), len(series["filled"])), (6, 6, 6))
                self.assertTrue(all(len(column) == switches and 0 <= min(column) and max(column) <= 1 for column in series["filled"]))
                measured = [p for p in answer["points"] if p["fabric"] == curve["fabric"] and p["plan"] == curve["plan"] and
                            p["traffic"] == curve["traffic"] and p["load"] == step["load"]][0]
                self.assertAlmostEqual(sum(series["throughput"][2:]) / 4, measured["throughput"], delta=0.01)
                self.assertLessEqual(step["host_throughput_min"], step["throughput"])
                self.assertGreaterEqual(step["host_throughput_max"], step["throughput"])

    def test_utilisation_adds_up(self):
        """What the hosts' links deliver is what was accepted."""
        answer = self.json("report", self.store)
        for curve in answer["curves"]:
            drawing = answer["fabrics"][curve["fabric"]]["drawing"]
            to_hosts = [l[0] if l[1] < drawing["switches"] else l[3] for l in drawing["links"] if max(l[1], l[4]) >= drawing["switches"]]
            self.assertEqual(len(to_hosts), 96)
            for step in curve["steps"]:
                mean = sum(step["utilisation"][c] for c in to_hosts) / 96
                self.assertAlmostEqual(mean, step["throughput"], delta=0.02)

    def test_nothing_is_loaded(self):
        page = self.tmp / "r.html"
        self.ok("report", self.store, "-o", page)
        text = page.read_text(encoding="utf-8")
        self.assertIsNone(re.search(r"(?i)<(script|img|link|iframe)[^>]*\b(src|href)=", text))
        self.assertIsNone(re.search(r"@import|url\(\s*['\"]?http", text))
        self.assertFalse("alert(1)</script>" in text)

    @unittest.skipUnless(CHROMIUM, "no Chromium here")
    def test_page_in_a_browser(self):
        page = self.tmp / "r.html"
        self.ok("report", self.store, "-o", page)
        for _ in range(3):  # plots are drawn in frames, of which a busy machine may give none before the budget of virtual time ends
            dom, console = self.browse(page, "#numbers")
            if dom.count("<path") > 50:
                break
        self.assertEqual(console, [])
        self.assertTrue('data-ready="yes"' in dom, 'data-ready="yes"')
        for section in ("summary", "findings", "proofs", "performance", "utilisation", "fabric", "time", "congestion", "points", "experiment"):
            self.assertTrue(f'id="{section}"' in dom, f'id="{section}"')
        self.assertTrue("Two trees &lt;b&gt;&amp; more&lt;/b&gt;" in dom, "Two trees &lt;b&gt;&amp; more&lt;/b&gt;")
        self.assertTrue("A link runs at 16 Gb/s instead of 100 Gb/s" in dom, "A link runs at 16 Gb/s instead of 100 Gb/s")
        self.assertEqual(len(re.findall(r'class="plot" role="img"', dom)), 11)
        self.assertGreater(dom.count("<path"), 50)
        self.assertTrue("<canvas" in dom, "<canvas")
        for name in ("slow-link", "proofs", "saturation", "throughput-uniform", "latency-uniform", "throughput-shift-by-24",
                     "latency-shift-by-24", "link-utilisation", "channels", "over-time", "buffers-over-time", "congestion-over-time",
                     "congestion-trees", "congestion-roots", "culprits", "victims", "points"):
            self.assertTrue(f'data-csv="{name}"' in dom, f'data-csv="{name}"')
        points = self.json("report", self.store)["points"]
        for point in points:
            self.assertTrue(f"<td>{point['checksum']}</td>" in dom, f"<td>{point['checksum']}</td>")

    def test_page_holds_the_same_csv(self):
        page = self.tmp / "r.html"
        self.ok("report", self.store, "-o", page)
        held = re.search(r'id="ikat-csv">(.*?)</script>', page.read_text(encoding="utf-8"), re.S).group(1)
        self.assertTrue(json.loads(held) == self.ok("report", self.store, "--csv"))
        data = re.search(r'id="ikat-data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S).group(1)
        written = json.loads(data)
        del written["written"]
        self.assertTrue(written == self.json("report", self.store))

    @unittest.skipUnless(CHROMIUM, "no Chromium here")
    def test_large_fabric_is_packed_and_shown(self):
        path = self.tmp / "large.yaml"
        path.write_text("fabric: karytree:k=14,n=3\nrouting: dmodk\nload: 10%..90% step 10%\nmeasure: {warmup: 1 us, duration: 2 us}\n")
        store, page = self.tmp / "large.db", self.tmp / "large.html"
        self.ok("run", path, "-o", store)
        self.ok("report", store, "-o", page)
        self.assertTrue('data-encoding="deflate"' in page.read_text(encoding="utf-8"))
        dom, console = self.browse(page)
        self.assertEqual(console, [])
        self.assertTrue("2,744 hosts" in dom, "2,744 hosts")
        self.assertTrue('data-ready="yes"' in dom, 'data-ready="yes"')

    def test_default_name_and_refusals(self):
        self.assertEqual(self.ok("report", self.store, cwd=self.tmp).strip(), "test.html")
        self.assertTrue((self.tmp / "test.html").exists())
        self.refused("report", self.store, "--csv", "--json", says="--csv")
        self.refused("report", self.store, "-o", self.tmp / "no" / "r.html", says="r.html")


if __name__ == "__main__":
    unittest.main()
