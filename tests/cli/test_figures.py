"""Figures that an experiment declares: their numbers in a terminal and as CSV."""
import contextlib
import csv
import io
import json
import math
import re
import shutil
import sqlite3
import statistics
import struct
import unittest
import zlib
from xml.etree import ElementTree

from browser import CHROMIUM, Browser
from harness import CliTest, run

EXPERIMENT = """\
fabric: {family: jellyfish, N: 8, d: 3, seed: [1, 2, 3]}
routing: [updown, minimal]
load: [20%, 60%]
seeds: 2
measure: {warmup: 2 us, duration: 4 us, series: 1 us}
figures:
  - {name: line, title: Latency, x: throughput, y: latency_mean_ns, series: routing, over: fabric.seed}
  - {name: relative, x: load, y: throughput / offered, series: routing, over: fabric.seed, normalise_by: {routing: updown}}
  - {name: bars, kind: bars, x: routing, y: throughput, where: {load: 60%}, over: fabric.seed}
  - {name: box, kind: box, x: load, y: latency_p99_ns, series: routing, over: fabric.seed}
  - {name: histogram, kind: histogram, y: latency_mean_ns, series: routing, where: {load: 60%}, over: fabric.seed}
  - {name: ecdf, kind: ecdf, y: latency_mean_ns, series: routing, where: {load: 60%}, over: fabric.seed}
  - {name: heatmap, kind: heatmap, x: load, y: throughput, series: routing, over: fabric.seed}
  - {name: time, kind: time, y: throughput, series: routing, where: {load: 60%, fabric.seed: 2}}
  - {name: marks, kind: points, x: throughput, y: latency_mean_ns, series: fabric.seed, marks: routing}
"""
DESIGNS = """\
designs:
  - {name: tree, fabric: {family: xgft, m: "4:4", w: ["1:2", "1:4"]}, routing: [dmodk, {family: rnca_up, seed: 1..3}]}
  - {name: crossbar, fabric: "crossbar:n=16", routing: shortest}
load: [20%, 60%]
seeds: 2
measure: {warmup: 1 us, duration: 3 us}
over: routing.seed
figures:
  - {name: rel, x: load, y: throughput, series: routing, where: {design: tree, fabric.w: "1:2"}, normalise_by: {design: crossbar}}
  - {name: over_w, kind: box, x: fabric.w, y: throughput, series: routing, where: {load: 60%}, normalise_by: {design: crossbar}}
"""
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["line", "relative", "bars", "box", "histogram", "ecdf", "heatmap", "time", "marks"]


class Figures(CliTest):
    def setUp(self):
        super().setUp()
        self.file, self.store = self.tmp / "test.yaml", self.tmp / "test.db"
        self.file.write_text(EXPERIMENT)
        self.ok("run", self.file, "-o", self.store)

    def rows(self, name):
        return list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--figure", name, "--csv"))))

    def points(self, **wanted):
        points = self.json("report", self.store)["points"]
        return [p for p in points if all(str(p[k]) == str(v) for k, v in wanted.items())]

    def test_numbers_are_those_of_the_points(self):
        for row in self.rows("line"):
            mine = self.points(routing=row["routing"].split(":")[0], load=row["load"])
            self.assertEqual(int(row["samples"]), len(mine))
            self.assertEqual(len(mine), 6)
            values = [p["latency_mean_ns"] for p in mine]
            self.assertAlmostEqual(float(row["throughput"]), statistics.mean(p["throughput"] for p in mine), places=6)
            self.assertAlmostEqual(float(row["latency_mean_ns"]), statistics.mean(values), places=4)
            self.assertAlmostEqual(float(row["y_ci95"]), 2.571 * statistics.stdev(values) / 6 ** 0.5, places=3)
            self.assertAlmostEqual(float(row["median"]), statistics.median(values), places=4)
            quartiles = statistics.quantiles(values, n=4, method="inclusive")
            self.assertAlmostEqual(float(row["q1"]), quartiles[0], places=4)
            self.assertAlmostEqual(float(row["q3"]), quartiles[2], places=4)

    def test_normalised_sample_by_sample(self):
        rows = self.rows("relative")
        for row in rows:
            mine = self.points(routing=row["routing"].split(":")[0], load=row["load"])
            others = self.points(routing="updown", load=row["load"])
            shares = [p["throughput"] / p["offered"] / (q["throughput"] / q["offered"]) for p, q in zip(mine, others)]
            self.assertAlmostEqual(float(row["throughput / offered"]), statistics.mean(shares), places=6)
        self.assertTrue(any(float(r["throughput / offered"]) != 1 for r in rows))

    def test_normalised_by_a_design(self):
        """The reference has a routing of its own, fewer samples, and no part in the figure."""
        self.file.write_text(DESIGNS)
        self.ok("run", self.file, "-o", self.store)
        points = self.points()
        for name in ["rel", "over_w"]:
            rows = self.rows(name)
            self.assertEqual(len(rows), {"rel": 4, "over_w": 4}[name], name)
            for row in rows:
                load, slim = row.get("load", "0.6"), row.get("fabric.w", "1:2")
                self.assertNotIn("shortest", row["routing"])
                self.assertNotIn("seed", row["routing"])
                tree = [p for p in points if p["routing"].startswith(row["routing"].split(":")[0]) and
                        f"w={slim}," in p["params"]["fabric"] + "," and float(p["load"]) == float(load)]
                self.assertEqual(len(tree), 6 if "rnca" in row["routing"] else 2)
                by = {p["seed"]: p["throughput"] for p in points if "crossbar" in p["params"]["fabric"] and float(p["load"]) == float(load)}
                self.assertEqual(len(by), 2)
                values = [p["throughput"] / by[p["seed"]] for p in tree]
                self.assertEqual(int(row["samples"]), len(values))
                self.assertAlmostEqual(float(row["throughput"]), statistics.mean(values), places=6)
                self.assertAlmostEqual(float(row["min"]), min(values), places=6)
                self.assertAlmostEqual(float(row["max"]), max(values), places=6)

    def test_curves_along_parameters_of_several_families(self):
        """A curve of two results runs along what each family has: fabric.k here, fabric.n there; along a section, not along two of them."""
        text = """\
designs:
  - {name: tree, fabric: {family: karytree, k: [2, 4], n: 2}, routing: dmodk}
  - {name: ring, fabric: {family: ring, n: [9, 3, 6]}, routing: minimal}
simulate: false
measures: [size]
figures:
  - {name: scale, x: radix, y: hosts, series: design}
  - {name: back, x: hosts, y: diameter, series: design}
"""
        self.file.write_text(text)
        self.store = self.tmp / "scale.db"
        self.ok("run", self.file, "-o", self.store)
        rows = self.rows("scale")
        self.assertEqual([(r["design"], float(r["radix"]), float(r["hosts"])) for r in rows],
                         [("tree", 4, 4), ("tree", 8, 16), ("ring", 3, 9), ("ring", 3, 3), ("ring", 3, 6)])
        self.assertEqual([float(r["diameter"]) for r in self.rows("back")], [2, 2, 4, 1, 3])
        self.ok("report", self.store, "--figure", "scale", "-o", self.tmp / "scale.svg")
        self.file.write_text(text.replace("routing: dmodk", "routing: [dmodk, smodk]").replace("x: radix, y: hosts", "x: mean_hops, y: hosts"))
        self.refused("run", self.file, "-o", self.tmp / "two.db", says=("'scale' would mix values of",))
        self.file.write_text(text.replace("x: radix", "x: fabric.n").replace("series: design}", "where: {design: ring}}"))
        self.ok("run", self.file, "-o", self.tmp / "axis.db")

    def test_lists(self):
        """A place for each root, or each contention: what ikat load says, with the seeds of a routing as samples; measured alone and beside simulations."""
        figures = """\
figures:
  - {name: roots, kind: list, y: nca_routes, series: routing, panel: fabric.w}
  - {name: one, kind: list, y: nca_routes, where: {routing: dmodk, fabric.w: "1:3"}}
"""
        text = """\
fabric: {family: xgft, m: "4:3", w: ["1:2", "1:3"]}
routing: [dmodk, {family: rnca_up, seed: 1..3}, {family: random, seed: 2}]
traffic: "shift:by=4"
simulate: false
over: routing.seed
""" + figures
        self.store = self.tmp / "lists.db"
        self.file.write_text(text)
        self.ok("run", self.file, "-o", self.store, "--jobs", 1)
        routes = lambda w, spec: [float(r["routes"]) for r in csv.DictReader(io.StringIO(
            self.ok("load", f"xgft:m=4:3,w={w}", "-r", spec, "-t", "shift:by=4", "--csv", "--table", "nca"))) if r["level"] == "2"]
        rows = self.rows("roots")
        self.assertEqual(len(rows), 3 * 2 + 3 * 3)
        for w, num in (("1:2", 2), ("1:3", 3)):
            for name, specs in (("dmodk", ["dmodk"]), ("rnca_up", [f"rnca_up:seed={i}" for i in (1, 2, 3)]), ("random", ["random:seed=2"])):
                made = [routes(w, spec) for spec in specs]
                here = [r for r in rows if r["fabric.w"] == w and r["routing"].startswith(name)]
                self.assertEqual([int(r["root"]) for r in here], list(range(num)))
                self.assertEqual([float(r["nca_routes"]) for r in here], [float(f"{statistics.mean(m[i] for m in made):.9g}") for i in range(num)])
                self.assertEqual({r["samples"] for r in here}, {str(len(made))})
        self.assertEqual(len(self.rows("one")), 3)
        self.assertIn("Root", self.ok("report", self.store, "--figure", "one"))
        for ending in ("svg", "pdf", "png"):
            self.ok("report", self.store, "--figure", "roots", "-o", self.tmp / f"roots.{ending}")
        self.assertEqual(sorted({t.text for t in ElementTree.parse(self.tmp / "roots.svg").iter(SVG + "text")} & {"0", "1", "2"}), ["0", "1", "2"])
        self.ok("report", self.store, "-o", self.tmp / "lists.html")
        self.ok("run", self.file, "-o", self.tmp / "again.db", "--jobs", 2)
        self.assertEqual(self.store.read_bytes(), (self.tmp / "again.db").read_bytes())
        # beside a simulation, where a seed changes nothing of it
        beside = self.tmp / "beside.db"
        simulated = text.replace("simulate: false", "load: 20%\nseeds: 2\nmeasure: {warmup: 1 us, duration: 2 us}")
        self.file.write_text(simulated)
        self.ok("run", self.file, "-o", beside)
        alone, self.store = self.rows("roots"), beside
        self.assertEqual([(r["root"], r["nca_routes"], r["samples"]) for r in self.rows("roots")], [(r["root"], r["nca_routes"], r["samples"]) for r in alone])
        kinds = lambda: [r[0] for r in sqlite3.connect(beside).execute("SELECT DISTINCT kind FROM details WHERE kind LIKE 'nca%'")]
        self.assertEqual(kinds(), ["nca_routes"])
        self.file.write_text(simulated.replace(figures, ""))
        self.ok("run", self.file, "-o", beside)
        self.assertEqual(kinds(), [])
        # permutations; what has no one contention has no list
        self.store = self.tmp / "permutations.db"
        self.file.write_text("""\
fabric: "xgft:m=3:3,w=1:2"
routing: [smodk, oblivious]
simulate: false
figures: [{name: p, kind: list, y: permutations, series: routing}]
""")
        self.ok("run", self.file, "-o", self.store)
        rows = self.rows("p")
        self.assertEqual([(r["routing"].split(":")[0], r["contention"]) for r in rows], [("smodk", str(i)) for i in range(4)])
        for r, count in zip(rows, (216, 52920, 259200, 50544)):
            self.assertAlmostEqual(float(r["permutations"]), count / 362880, places=8)
        for change, place, said in (
                (("y: permutations", "y: permutation"), "4:36", "did you mean 'permutations'"),
                (("y: permutations", "y: permutations, x: routing"), "", "'x' has no effect with kind: list"),
                (("series: routing", "normalise_by: {routing: smodk}"), "", "'normalise_by' has no effect with kind: list"),
                (("series: routing", "x_scale: log"), "", "'x_scale' has no effect with kind: list"),
                ((", series: routing", ""), "", "would mix values of 'routing'")):
            with self.subTest(said=said):
                self.file.write_text("""\
fabric: "xgft:m=3:3,w=1:2"
routing: [smodk, oblivious]
simulate: false
figures: [{name: p, kind: list, y: permutations, series: routing}]
""".replace(*change))
                self.assertIn(f"test.yaml:{place}", self.refused("run", self.file, "-o", self.tmp / "no.db", says=(said,)))

    def test_lists_of_a_damaged_file(self):
        """Of numbers, and of numbers whose places have names."""
        pack = lambda text: len(text).to_bytes(8, "little") + zlib.compress(text)
        place = b'{"place":"%s","value":%s}'
        numbers = (b"{}", b"[1, \"a\"]", b"[null]", b"[[1]]", b"[1", b"[" + place % (b"up 1", b"2") + b"]")
        named = (b"{}", b"[1]", b'[["up 1",2]]', b'[{"place":"up 1"}]', b'[{"value":1}]', b'[{"place":1,"value":1}]', b'[{"place":"a","value":1,"x":1}]',
                 *(b"[" + place % (b"a", v) + b"]" for v in (b"null", b'"1"', b"[]", b"1e999")), b"[" + b",".join(place % (b"%d" % i, b"1") for i in range(2000)) + b"]")
        for name, bodies in (("permutations", numbers), ("queue_destinations", named)):
            self.file.write_text(f"""\
fabric: "xgft:m=3:3,w=1:2"
routing: smodk
simulate: false
figures: [{{name: p, kind: list, y: {name}}}]
""")
            good, store = self.tmp / f"{name}.db", self.tmp / "damaged.db"
            self.ok("run", self.file, "-o", good)

            def change(body):
                shutil.copy(good, store)
                with sqlite3.connect(store) as db:
                    self.assertEqual(db.execute("UPDATE details SET body = ? WHERE kind = ?", (body, name)).rowcount, 1)
                db.close()
            for body in (b"", b"\0" * 8, b"[1]", *map(pack, bodies)):
                with self.subTest(name, body=body[:60]):
                    change(body)
                    for args in ((), ("--csv",), ("-o", self.tmp / "p.svg")):
                        self.refused("report", store, "--figure", "p", *args, says="damaged")
        # names are shown as texts, and a place is there once
        change(pack(b"[" + b",".join(place % (n, b"2") for n in (rb"<b>\"&,\n\u001b[1m", b"twice", b"twice", b"x" * 5000, b"")) + b"]"))
        rows = list(csv.reader(io.StringIO(self.ok("report", store, "--figure", "p", "--csv"), newline="")))
        self.assertEqual([r[1] for r in rows[2:]], ["twice", "x" * 5000, ""])
        self.assertEqual([r[3] for r in rows[1:]], [""] * 4)
        self.assertNotIn("\x1b", self.ok("report", store, "--figure", "p"))
        self.ok("report", store, "--figure", "p", "-o", self.tmp / "p.svg")
        self.assertIn("twice", [t.text for t in ElementTree.parse(self.tmp / "p.svg").iter(SVG + "text")])
        self.ok("report", store, "--figure", "p", "-o", self.tmp / "p.pdf")
        change(pack(b"[]"))
        self.assertIn("1 point has no such list", " ".join(self.ok("report", store, "--figure", "p").split()))
        self.ok("report", store, "--figure", "p", "-o", self.tmp / "p.svg")

    def test_normalised_by_what_was_left_out(self):
        """A routing that does not fit everywhere: there is no value where it is missing, and what is there is drawn."""
        self.file.write_text("fabric: ['karytree:k=2,n=2', 'ring:n=4']\nrouting: [dmodk, updown]\nload: 40%\nseeds: 3\nskip_misfits: true\n"
                             "measure: {warmup: 1 us, duration: 3 us}\nfigures:\n  - {name: a, kind: bars, x: fabric, y: throughput, series: routing, "
                             "normalise_by: {routing: dmodk}}\n")
        self.ok("run", self.file, "-o", self.store)
        rows = {(r["routing"].split(":")[0], r["fabric"].split(":")[0]): r for r in self.rows("a")}
        self.assertEqual(len(rows), 3)
        self.assertEqual([rows["updown", "ring"][k] for k in ("throughput", "samples", "without")], ["", "0", "3"])
        self.assertEqual(rows["updown", "karytree"]["samples"], "3")
        self.assertEqual(float(rows["dmodk", "karytree"]["throughput"]), 1)
        self.assertIn("6 of 9 samples have a value", " ".join(self.ok("report", self.store, "--figure", "a").split()))
        self.ok("report", self.store, "--figure", "a", "-o", self.tmp / "a.svg")

    def test_normalised_measures(self):
        """What is measured is one sample for all seeds of the traffic; each is divided by that of its own graph."""
        self.file.write_text(EXPERIMENT.split("figures:")[0] + "figures:\n  - {name: hops, x: load, y: mean_hops, series: routing, "
                             "over: fabric.seed, normalise_by: {routing: minimal}}\n")
        self.ok("run", self.file, "-o", self.store)
        hops = {(p["params"]["fabric"], p["routing"].split(":")[0]): p["mean_hops"] for p in self.points()}
        values = [hops[f, "updown"] / hops[f, "minimal"] for f, routing in hops if routing == "minimal"]
        self.assertEqual(len(values), 3)
        rows = [r for r in self.rows("hops") if r["routing"].startswith("updown")]
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertEqual(row["samples"], "3")
            for key, value in [("mean_hops", statistics.mean(values)), ("min", min(values)), ("max", max(values))]:
                self.assertAlmostEqual(float(row[key]), value, places=6)

    def test_samples(self):
        for row in self.rows("ecdf"):
            values = sorted(p["latency_mean_ns"] for p in self.points(routing=row["routing"].split(":")[0], load=0.6))
            below = sum(v <= float(row["value"]) * (1 + 1e-8) for v in values)
            self.assertAlmostEqual(float(row["share"]), below / len(values))
        counts = {}
        for row in self.rows("histogram"):
            values = [p["latency_mean_ns"] for p in self.points(routing=row["routing"].split(":")[0], load=0.6)]
            self.assertEqual(int(row["count"]), sum(float(row["from"]) <= v < float(row["to"]) for v in values))
            counts[row["routing"]] = counts.get(row["routing"], 0) + int(row["count"])
        self.assertEqual(set(counts.values()), {6})

    def test_latencies_past_saturation(self):
        ringed = 0
        for row in self.rows("line"):
            mine = self.points(routing=row["routing"].split(":")[0], load=row["load"])
            unsteady = sum(p["steady"] != "yes" or p["latency_steady"] < 1 for p in mine)
            self.assertEqual(int(row["not_steady"]), unsteady)
            ringed += unsteady > 0
        self.assertGreater(ringed, 0)
        path = self.tmp / "line.svg"
        self.ok("report", self.store, "--figure", "line", "-o", path)
        self.assertEqual(path.read_text().count('r="4.00"'), ringed)
        self.assertIn("not steady", self.ok("report", self.store, "--figure", "line").replace("\n", " "))

    def test_over_time(self):
        rows = self.rows("time")
        self.assertEqual(len(rows), 2 * 6)
        self.assertEqual([float(r["time_ns"]) for r in rows[:6]], [1000, 2000, 3000, 4000, 5000, 6000])

    def test_over_time_of_any_sample(self):
        """The run that is asked for, which is not the first of its curve in other tables."""
        head = EXPERIMENT.split("figures:")[0]
        where = ["seeds: 1", "seeds: 2", "seeds: 2, routing: minimal", "fabric.seed: 3"]
        self.file.write_text(head + "over: [fabric.seed, routing]\nfigures:\n" + "".join(
            f"  - {{name: t{i}, kind: time, y: {y}, series: [routing, fabric], where: {{load: 60%, {w}}}}}\n"
            for i, (w, y) in enumerate((w, y) for w in where for y in ("throughput", "latency_mean_ns"))))
        self.ok("run", self.file, "-o", self.store)
        stored = {}
        with sqlite3.connect(self.store) as db:
            for params, *series in db.execute("select params, series_throughput, series_latency_ns from points"):
                p = json.loads(params)
                key = p["routing"].split(":")[0], p["fabric"].split("seed=")[1].split(",")[0], p["load"], p["seeds"]
                stored[key] = [struct.unpack(f"<{int.from_bytes(s[:8], 'little') // 8}d", zlib.decompress(s[8:])) for s in series]
        db.close()
        for i in range(2 * len(where)):
            found = {}
            for row in self.rows(f"t{i}"):
                found.setdefault(row["routing"].split(":")[0], []).append(float(row["latency_mean_ns" if i % 2 else "throughput"]))
            self.assertEqual(len(found), 1 if "minimal" in where[i // 2] else 2)
            for routing, values in found.items():
                fabric = "3" if "fabric" in where[i // 2] else "1"
                expected = stored[routing, fabric, "0.6", "2" if "seeds: 2" in where[i // 2] else "1"][i % 2]
                self.assertEqual(values, [float(f"{v:.9g}") for v in expected])

    def test_tables(self):
        for name in NAMES:
            text = self.ok("report", self.store, "--figure", name)
            self.assertIn(name, text.splitlines()[1])
            self.assertGreater(len(text.splitlines()), 3, text)
            self.assertEqual(text, self.ok("report", self.store, "--figure", name))
        self.assertIn("6 samples each", self.ok("report", self.store, "--figure", "line"))

    def test_as_file(self):
        path = self.tmp / "line.csv"
        self.assertEqual(self.ok("report", self.store, "--figure", "line", "-o", path).strip(), str(path))
        self.assertEqual(path.read_text(), self.ok("report", self.store, "--figure", "line", "--csv"))

    def texts(self, path):
        """Of a picture: its size, and of every text its box (x0, y0, x1, y1), if it is not turned."""
        root = ElementTree.parse(path).getroot()
        _, _, width, height = map(float, root.get("viewBox").split())
        boxes = []
        for text in root.iter(f"{SVG}text"):
            size, x, y = float(text.get("font-size")), float(text.get("x")), float(text.get("y"))
            wide = sum({"i": .22, "l": .22, "t": .28, " ": .28, ".": .28, "m": .83, "w": .72}.get(c, .56) for c in text.text) * size
            left = x - wide * {"start": 0, "middle": .5, "end": 1}[text.get("text-anchor", "start")]
            turn = text.get("transform", "")
            if not turn:
                boxes.append((text.text, left, y - .72 * size, left + wide, y))
            elif turn.startswith("rotate(-90"):
                boxes.append((text.text, x - .72 * size, y - wide / 2, x, y + wide / 2))
        return width, height, boxes

    def check_picture(self, name, store=None):
        path = self.tmp / f"{name}.svg"
        self.ok("report", store or self.store, "--figure", name, "-o", path)
        width, height, boxes = self.texts(path)
        for text, x0, y0, x1, y1 in boxes:
            self.assertTrue(-1 <= x0 and -1 <= y0 and x1 <= width + 1 and y1 <= height + 1, f"{name}: '{text}' is cut off: {x0, y0, x1, y1}")
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                overlap = min(a[3], b[3]) - max(a[1], b[1]) > .5 and min(a[4], b[4]) - max(a[2], b[2]) > .5
                self.assertFalse(overlap, f"{name}: '{a[0]}' lies on '{b[0]}'")
        return path.read_bytes(), [box[0] for box in boxes], width

    def test_pictures(self):
        units = {"line": "Mean latency [ns]", "time": "Time [µs]", "ecdf": "Share of samples [%]", "box": "Offered load [%]",
                 "histogram": "Samples", "relative": "Accepted throughput / offered load, relative to updown"}
        for name in NAMES:
            first, texts, width = self.check_picture(name)
            self.assertAlmostEqual(width, 86 / 25.4 * 72, places=1)
            self.assertIn(units.get(name, ""), " ".join(texts))
            self.assertEqual(first, self.check_picture(name)[0])

    def test_pictures_of_what_has_no_place(self):
        """Values without a logarithm, equal values, none at all: a picture of each kind, without a number that is none."""
        y = {"zero": "order_violations", "negative": "throughput - offered", "undefined": "throughput / order_violations"}
        kinds = {"line": "x: load, series: [routing, fabric.seed]", "points": "x: throughput, series: [routing, fabric.seed]",
                 "bars": "x: load, series: routing, over: fabric.seed", "box": "x: load, series: routing, over: fabric.seed",
                 "histogram": "series: [routing, load], over: fabric.seed", "ecdf": "series: [routing, load], over: fabric.seed",
                 "heatmap": "x: load, series: routing, over: fabric.seed"}
        figures = []
        for kind, rest in kinds.items():
            for name, result in y.items():
                for scales in ["", ", x_scale: log", ", y_scale: log"]:
                    if kind in ["line", "points"] or not scales or (scales[2] == "x") == (kind in ["histogram", "ecdf"]) and kind != "bars":
                        figures.append((f"{kind}_{name}_{scales[2:3]}", f"kind: {kind}, y: {result}, {rest}{scales}"))
        self.file.write_text(EXPERIMENT.split("figures:")[0] + "figures:\n" + "".join(f"  - {{name: {n}, {text}}}\n" for n, text in figures))
        self.ok("run", self.file, "-o", self.store)
        told = self.ok("report", self.store, "--figure", "ecdf_negative_x")
        self.assertRegex(" ".join(told.split()), r"\d+ values are at most 0 and at the left end on the logarithmic axis")
        for figure in self.json("report", self.store)["figures"]:
            ElementTree.fromstring(figure["svg"])
            numbers = re.findall(r'(?:\bd|x|y|width|height|cx|cy|points)="([^"]*)"', figure["svg"])
            self.assertNotRegex(" ".join(numbers), "nan|inf", figure["name"])
            if figure["name"] == "box_zero_":  # boxes of no height are told apart by their colours
                self.assertTrue({"s0", "s1"} <= set(re.findall(r'stroke-width="1.8" class="(s\d)"', figure["svg"])))
        for name, _ in figures[::5]:
            for ending in ["pdf", "png"]:
                self.ok("report", self.store, "--figure", name, "-o", self.tmp / f"x.{ending}")

    def test_only_what_is_drawn_has_a_place(self):
        self.file.write_text(EXPERIMENT.split("figures:")[0] + "figures:\n  - {name: a, kind: bars, x: load, y: throughput, series: routing, "
                             "where: {load: 60%}, over: fabric.seed}\n  - {name: b, kind: points, x: routing, y: throughput, where: {routing: minimal}, "
                             "series: load, over: fabric.seed}\n")
        self.ok("run", self.file, "-o", self.store)
        for name, there, absent in [("a", "60", "20"), ("b", "minimal", "updown")]:
            self.ok("report", self.store, "--figure", name, "-o", self.tmp / "x.svg")
            along_x = re.findall('text-anchor="middle"[^>]*>([^<]*)<', (self.tmp / "x.svg").read_text())
            self.assertIn(there, along_x)
            self.assertNotIn(absent, along_x)

    def pixels(self, path):
        """Rows of (red, green, blue) of a PNG."""
        data, at, packed = path.read_bytes(), 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            if kind == b"IHDR":
                width, height, depth, colours = struct.unpack(">IIBB", data[at + 8:at + 18])
                self.assertEqual((depth, colours), (8, 2))
            packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
            at += size + 12
        raw, before, rows = zlib.decompress(packed), bytes(3 * width), []
        for y in range(height):
            kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
            for i, v in enumerate(line):
                a, b, c = line[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
                p = a + b - c
                paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
                line[i] = v + (0, a, b, (a + b) // 2, paeth)[kind] & 255
            rows.append(before := bytes(line))
        return rows

    def test_pdf_and_png(self):
        for name in NAMES:
            pdf, png = self.tmp / f"{name}.pdf", self.tmp / f"{name}.png"
            self.ok("report", self.store, "--figure", name, "-o", pdf)
            first = pdf.read_bytes()
            self.assertTrue(first.startswith(b"%PDF-") and first.rstrip().endswith(b"%%EOF"))
            self.assertIn(b"/FontFile", first)
            self.assertNotIn(b"/CreationDate", first)
            self.ok("report", self.store, "--figure", name, "-o", pdf)
            self.assertEqual(first, pdf.read_bytes())
            self.ok("report", self.store, "--figure", name, "-o", png)
            self.assertTrue(png.read_bytes().startswith(b"\x89PNG"))
        # between the title and the frame nothing is drawn, nor left of the axis's title
        rows = self.pixels(self.tmp / "line.png")
        scale = 300 / 72
        self.assertAlmostEqual(len(rows[0]) / 3, 86 / 25.4 * 300, delta=1)
        for y in range(int(15.5 * scale), int(17 * scale)):
            self.assertEqual(set(rows[y][3 * int(40 * scale):]), {255})
        self.assertTrue(all(set(row[:9]) == {255} for row in rows))
        self.assertGreater(sum(set(row) != {255} for row in rows), 400)

    def test_crowded_pictures(self):
        """Many series with long names, a wide range, and names that do not fit beside each other."""
        self.file.write_text("""\
fabric: {family: jellyfish, N: 8, d: 3, seed: 1..12}
routing: [updown, minimal]
traffic: [uniform, "shift:by=2", "hotspot:nodes=3,fraction=50%", complement]
load: [2%, 10%, 95%]
measure: {warmup: 1 us, duration: 2 us}
figures:
  - {name: series, title: A title that needs more than one line of a column because it is so long, x: load, x_scale: log, y_scale: log, y: latency_mean_ns, series: [fabric.seed, traffic], where: {routing: minimal}}
  - {name: page, width: page, x: load, y: latency_p99_ns - latency_p50_ns, series: routing, panel: traffic, over: fabric.seed}
  - {name: names, kind: bars, x: fabric, y: network_latency_mean_ns / latency_mean_ns, series: [routing, traffic], where: {load: 95%}}
  - {name: map, kind: heatmap, x: load, y: throughput, series: [routing, traffic], over: fabric.seed}
  - {name: maps, kind: heatmap, panel: routing, x: load, y: throughput, series: traffic, over: fabric.seed, width: page}
""")
        store = self.tmp / "crowded.db"
        self.ok("run", self.file, "-o", store)
        for name in ["series", "page", "names", "map", "maps"]:
            self.check_picture(name, store)

    def test_in_the_object_of_the_page(self):
        figures = {f["name"]: f for f in self.json("report", self.store)["figures"]}
        self.assertEqual(list(figures), NAMES)
        for name, f in figures.items():
            path = self.tmp / "x.svg"
            self.ok("report", self.store, "--figure", name, "-o", path)
            self.assertEqual(f["svg"], path.read_text())
            self.assertEqual(f["csv"], self.ok("report", self.store, "--figure", name, "--csv"))
        self.assertNotIn("figures", json.loads(self.ok("run", self.file, "-o", self.store, "--json")))

    @unittest.skipUnless(CHROMIUM, "needs Chromium")
    def test_page(self):
        """Every figure is shown, in its own colours by night, and what is saved is what --figure writes."""
        self.claims("metric: throughput, of: {routing: minimal}, at: {load: 20%}, op: '>', value: 0.01, over: fabric.seed")
        page = self.tmp / "page.html"
        self.ok("report", self.store, "-o", page)
        with Browser(self.tmp) as browser:
            for mode in ({"width": 1180}, {"width": 1180, "dark": True}, {"width": 390}, {"width": 718, "paper": True}):
                browser.show_as(**mode)
                browser.open(page)
                shown = browser.run("""[...document.querySelectorAll('[data-figure]')].map((f) => {
                  const svg = f.querySelector('svg').getBoundingClientRect(), ink = getComputedStyle(f.querySelector('.f-ink')).fill;
                  return [f.dataset.figure, svg.width > 100 && svg.height > 40 && svg.right <= innerWidth, ink,
                    f.querySelector('[data-save$=csv]').savedText(), f.querySelector('[data-save$=svg]').savedText()]; })""")
                self.assertEqual([s[0] for s in shown], NAMES)
                for name, fits, ink, text, svg in shown:
                    self.assertTrue(fits, (mode, name))
                    self.assertEqual(ink == "rgb(0, 0, 0)", not mode.get("dark"), (mode, name, ink))
                    self.assertEqual(text, self.ok("report", self.store, "--figure", name, "--csv"))
                    self.assertTrue(svg.startswith("<svg"))
                self.assertEqual(browser.run("document.querySelector('#claims .tag').textContent"), "holds")
            self.assertEqual(browser.console, [])

    def test_refusals(self):
        self.refused("report", self.store, "--figure", "lin", says=["'lin'", "'line'"])
        self.refused("report", self.store, "--figure", "line", "-o", self.tmp / "line.doc", says=".csv")
        self.refused("report", self.store, "--figure", "line", "--json", says="--figure")
        self.assertEqual(self.ok("report", self.store, "--figure", "line", "--csv", "-o", self.tmp / "x.csv", "-q"), "")
        self.assertEqual((self.tmp / "x.csv").read_text(), self.ok("report", self.store, "--figure", "line", "--csv"))
        self.file.write_text(EXPERIMENT.replace("series: routing, over", "series: routng, over", 1))
        self.refused("run", self.file, "-o", self.tmp / "new.db", says=["test.yaml:7:", "'routng'", "'routing'"])
        self.assertFalse((self.tmp / "new.db").exists())

    def test_figures_are_no_part_of_a_point(self):
        before = self.json("report", self.store)["points"]
        self.file.write_text(EXPERIMENT.replace("name: line", "name: other"))
        again = self.ok("run", self.file, "-o", self.store)
        self.assertEqual(before, self.json("report", self.store)["points"])
        self.refused("report", self.store, "--figure", "line", says="'line'")
        self.ok("report", self.store, "--figure", "other")
        self.assertTrue(again)

    def claims(self, *claims, overrides=()):
        """Verdicts of claims about the experiment's results."""
        self.file.write_text(EXPERIMENT + "expect:\n" + "".join(f"  - {{claim: c{i}, transient: true, {text}}}\n" for i, text in enumerate(claims)))
        self.ok("run", self.file, "-o", self.store, *overrides)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))
        self.assertEqual([r["claim"] for r in rows], [f"c{i}" for i in range(len(claims))])
        return rows

    def test_claims(self):
        low, high, over = "at: {load: 20%}", "at: {load: 60%}", "over: fabric.seed"
        both = "of: {routing: minimal}, against: {routing: updown}"
        rows = self.claims(
            f"metric: latency_mean_ns, of: {{load: 20%, routing: updown}}, against: {{load: 60%, routing: updown}}, op: '<', {over}",
            f"metric: latency_mean_ns, of: {{load: 20%, routing: updown}}, against: {{load: 60%, routing: updown}}, op: '>', {over}",
            f"metric: throughput, {both}, {low}, op: '=', {over}",
            f"metric: throughput, {both}, {low}, op: '=', tolerance: 50 %, {over}",
            f"metric: throughput, {both}, {low}, op: '<', at: {{load: 20%, fabric.seed: 1}}".replace(f", {low}", ""),
            f"metric: throughput, of: {{routing: updown}}, {low}, op: '<', value: 0.5, {over}",
            f"metric: throughput / offered, {both}, {high}, ratio: true, op: '>', value: 0.5, {over}",
            f"metric: order, y: latency_mean_ns, of: [{{load: 20%}}, {{load: 60%}}], at: {{routing: minimal}}, {over}",
            f"metric: order, y: throughput, of: [{{load: 60%}}, {{load: 20%}}], at: {{routing: minimal}}, {over}",
            f"metric: argmax, of: {{routing: minimal}}, op: '=', value: 0.6, {over}",
            f"metric: plateau, y: offered, of: {{routing: minimal}}, op: '=', tolerance: 10 %, value: 0.6, {over}",
            f"metric: crossing, y: throughput, {both}, op: '>', value: 0, {over}",
        )
        self.assertEqual([r["verdict"] for r in rows],
                         ["holds", "differs", "cannot be told", "holds", "cannot be told", "holds", "holds", "holds", "differs",
                          "holds", "holds", rows[-1]["verdict"]])
        self.assertEqual(rows[2]["why"], "the intervals overlap")
        self.assertEqual(rows[4]["why"], "fewer than three samples")
        mine = [p["latency_mean_ns"] for p in self.points(routing="updown", load="0.2")]
        self.assertAlmostEqual(float(rows[0]["left"]), statistics.mean(mine), places=4)
        self.assertEqual(int(rows[0]["left_samples"]), 6)
        # the same in every face, and by exit status
        claims = self.json("report", self.store)["claims"]
        self.assertEqual([c["verdict"] for c in claims], [r["verdict"] for r in rows])
        text = self.ok("run", self.file, "-o", self.store)
        self.assertRegex(text, r"Claims\nholds +c0\n")
        self.assertIn("not below number", text)
        self.ok("run", self.file, "-o", self.store, "--strict", status=1)
        self.ok("report", self.store, "--csv", "--strict", status=1)
        self.ok("report", self.store, "--csv")
        self.assertIn("claims: 8 hold, 2 differ", run("report", self.store, "-o", self.tmp / "x.html").stderr.replace("7 hold", "8 hold"))

    def test_claims_about_one_long_run(self):
        """A single run has its interval over time, unless another seed would draw another pattern, other tables or other phases."""
        traffics = {"uniform": "uniform", "drawn": "permutation", "given": "permutation:seed=3", "messages": "hotspot:nodes=3,share=messages",
                    "senders": "hotspot:nodes=3", "mixed": "mix:members=50%*uniform+50%*permutation", "mix": "mix:members=50%*uniform+50%*(shift:by=1)"}
        expect = [("dmodk", "uniform", "throughput", "holds"), ("dmodk", "uniform", "latency_mean_ns", "holds"),
                  ("dmodk", "uniform", "latency_p99_ns", "cannot be told"), ("random", "uniform", "throughput", "cannot be told"),
                  ("dmodk", "drawn", "throughput", "cannot be told"), ("dmodk", "given", "throughput", "holds"),
                  ("dmodk", "messages", "throughput", "holds"), ("dmodk", "senders", "throughput", "cannot be told"),
                  ("dmodk", "mixed", "throughput", "cannot be told"), ("dmodk", "mix", "throughput", "holds")]
        labelled = ", ".join(f"'{spec}{',' if ':' in spec else ':'}label={label}'" for label, spec in traffics.items())
        claims = "".join(f"  - {{claim: c{i}, metric: {metric}, of: {{routing: {routing}, traffic.label: {label}}}, op: '>', value: 0.02}}\n"
                         for i, (routing, label, metric, _) in enumerate(expect))
        text = (f"fabric: 'karytree:k=4,n=2'\nrouting: [dmodk, random]\ntraffic: [{labelled}]\nload: 20%\n"
                f"adapter: {{injection: poisson}}\nmeasure: {{warmup: 50 us, duration: 2 ms}}\nseeds: SEEDS\nexpect:\n{claims}")
        for seeds, samples in (("1", "1"), ("[1, 2]", "2")):
            self.file.write_text(text.replace("SEEDS", seeds))
            self.store.unlink(missing_ok=True)
            self.ok("run", self.file, "-o", self.store)
            rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))
            self.assertEqual([r["verdict"] for r in rows], [verdict for *_, verdict in expect])
            self.assertEqual({r["left_samples"] for r in rows}, {samples})
            self.assertEqual({r["why"] for r in rows if r["verdict"] != "holds"}, {"fewer than three samples"})
            for row in rows[:2]:
                points = self.points(routing="dmodk", traffic="uniform:label=uniform")
                result, share = ("throughput", "throughput_interval") if row is rows[0] else ("latency_mean_ns", "latency_interval")
                half = math.sqrt(sum((p[result] * p[share])**2 for p in points)) / len(points)
                self.assertAlmostEqual(float(row["left_ci95"]) / half, 1, places=6)
        two_fabrics = text.replace("SEEDS", "1\nover: fabric.latency").replace("'karytree:k=4,n=2'", "{family: karytree, k: 4, n: 2, latency: [6 ns, 7 ns]}")
        for untold in (two_fabrics, text.replace("SEEDS", "1").replace("poisson", "periodic")):  # those are to be samples, and phases last
            self.file.write_text(untold)
            self.store.unlink()
            self.ok("run", self.file, "-o", self.store)
            rows = csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims")))
            self.assertEqual({r["why"] for r in rows}, {"fewer than three samples"})

    def test_two_long_runs_that_differ(self):
        """Their intervals do not overlap: what makes them differ is in neither."""
        self.file.write_text("fabric: 'karytree:k=4,n=2'\nrouting: dmodk\nload: 20%\nadapter: {injection: poisson}\n"
                             "measure: {warmup: 50 us, duration: 2 ms}\nseeds: 2\n"
                             "expect: [{claim: c, metric: throughput, of: {}, op: '>', value: 0.02}]\n")
        self.ok("run", self.file, "-o", self.store)
        for throughput, verdict in ((None, "holds"), (0.3, "cannot be told")):
            if throughput:
                with contextlib.closing(sqlite3.connect(self.store)) as connection, connection:
                    connection.execute("UPDATE points SET throughput = ? WHERE seed = 2", (throughput,))
            rows = csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims")))
            self.assertEqual([r["verdict"] for r in rows], [verdict])

    def test_along_a_parameter_of_the_series(self):
        """What a figure shows on an axis of its own makes no further curves; where a table is too small there is no sample."""
        paired = "of: {routing: loren}, against: {routing: cowen}, ratio: true, paired: true"
        self.file.write_text(
            "fabric: {family: lrt, N: 64, d: 4, r: 2, seed: 1..12}\n"
            "routing: [{family: loren, t_max: [20, 32, 63]}, {family: cowen, t_max: [19, 20, 32, 63]}]\n"
            "simulate: false\nover: fabric.seed\nfigures:\n"
            "  - {name: x, x: routing.t_max, y: mean_hops, series: routing}\n"
            "  - {name: panel, x: routing, y: mean_hops, panel: routing.t_max}\n"
            "  - {name: marks, kind: points, x: entries_max, y: mean_hops, series: routing, marks: routing.t_max}\n"
            "expect:\n"
            f"  - {{claim: a, metric: mean_hops, {paired}, at: {{routing.t_max: 20}}, op: '=', value: 1}}\n"
            f"  - {{claim: b, metric: mean_hops, {paired}, at: {{routing.t_max: 63}}, op: '=', value: 1}}\n"
            f"  - {{claim: c, metric: mean_hops, of: {{routing: loren, routing.t_max: 32}}, against: {{routing: cowen, routing.t_max: 19}}, "
            "ratio: true, paired: true, op: '<', value: 1}\n")
        self.ok("run", self.file, "-o", self.store)
        rows = [(r["routing"].split(":")[0], r["routing.t_max"]) for r in self.rows("x")]
        self.assertEqual(rows, [("loren", t) for t in ["20", "32", "63"]] + [("cowen", t) for t in ["19", "20", "32", "63"]])
        self.assertEqual(len({r["routing"] for r in self.rows("panel")}), 2)
        self.assertEqual(len({r["routing"] for r in self.rows("marks")}), 2)
        points = self.points()
        hops = {(p["params"]["fabric"], p["routing"]): p["mean_hops"] for p in points if p["feasible"]}
        claims = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))
        for row, loren, cowen in zip(claims, ["loren:t_max=20", "loren:t_max=63", "loren:t_max=32"],
                                     ["cowen:t_max=20", "cowen:t_max=63", "cowen:t_max=19"]):
            both = [hops[f, r] / hops[f, cowen] for f, r in hops if r == loren and (f, cowen) in hops]
            self.assertEqual(int(row["left_samples"]), len(both))
            self.assertAlmostEqual(float(row["left"]), statistics.mean(both), places=6)
        self.assertLess(int(claims[2]["left_samples"]), 12)
        self.assertEqual(claims[1]["verdict"], "holds")  # with room for all, both are shortest paths

    def test_routes(self):
        """The links of kind routes are those of the routing's paths, in their order, in every form of the figure."""
        self.file.write_text(
            "fabric: {family: lrt, N: 16, d: 4, r: 2}\nrouting: [{family: loren, t_max: [9, 15]}, updown]\nsimulate: false\nfigures:\n"
            "  - {name: all, kind: routes, to: 5, y: mean_hops, panel: routing, where: {routing: loren}}\n"
            "  - {name: one, kind: routes, to: 5, from: 12, y: max_hops, where: {routing: loren, routing.t_max: 9}}\n"
            "  - {name: many, kind: routes, to: 3, y: mean_hops, where: {routing: updown}}\n")
        self.ok("run", self.file, "-o", self.store)

        def ways(name, **wanted):
            """Of each source the switches that its packets pass, where they have one way."""
            found = {}
            for r in self.rows(name):
                if all(w in r["routing"] for w in wanted.values()):
                    way = found.setdefault(int(r["from"]), [r["switch"]])
                    self.assertEqual((way[-1], len(way) - 1), (r["switch"], int(r["order"])))
                    way.append(r["next"])
            return found

        for t_max in ["9", "15"]:
            text = self.ok("route", "lrt:N=16,d=4,r=2", "--routing", f"loren:t_max={t_max}", "--format", "paths")
            paths = [line.split() for line in text.splitlines() if re.match(r"\d+ 5 ", line)]
            self.assertEqual(len(paths), 15)
            mine = ways("all", routing=f"t_max={t_max}")
            for p in paths:
                self.assertEqual(mine[int(p[0])], ["sw" + hop.split(".")[0] for hop in p[3:]])
        self.assertEqual({r["from"] for r in self.rows("one")}, {"12"})
        text = " ".join(self.ok("report", self.store, "--figure", "one").split())
        self.assertIn("12 5 sw12 ", text)
        self.assertRegex(text, r"ops: \d+\.")
        self.assertEqual(len({r["from"] for r in self.rows("many")}), 15)
        for name in ["all", "one", "many"]:
            svg = self.ok("report", self.store, "--figure", name, "-o", self.tmp / "a.svg") and (self.tmp / "a.svg").read_text()
            self.assertEqual(svg.count("<circle"), 2 * 16 * (2 if name == "all" else 1))
            arrows = {(r.get("routing"), r["switch"], r["next"]) for r in self.rows(name)}
            links = 32 * (2 if name == "all" else 1)
            self.assertEqual(len(re.findall(r"<(?:path|polyline|polygon)", svg)), 1 + links + 2 * len(arrows))
        self.ok("report", self.store, "-o", self.tmp / "page.html")

    def test_hosts_of_routes(self):
        """Hosts that no fabric has are refused at their place; those that some have not, where a picture would need them."""
        text = ("fabric: {family: xgft, m: ['2:2', '2:3'], w: '1:2'}\nrouting: dmodk\nsimulate: false\nfigures:\n"
                "  - {name: a, kind: routes, y: permutations_free, panel: fabric.m, to: %s}\n")
        for ends, place, said in (("6", "5:72", "figure 'a', to = 6: hosts are numbered 0 to 5"), ("5, from: 4294967294", "5:81", "from = 4294967294"),
                                  ("2, from: 2", "5:81", "no route goes from a host to itself")):
            with self.subTest(ends=ends):
                self.file.write_text(text % ends)
                self.refused("run", self.file, "-o", self.tmp / "new.db", says=[f"test.yaml:{place}", said])
                self.assertFalse((self.tmp / "new.db").exists())
        self.file.write_text(text % "5")
        self.ok("run", self.file, "-o", self.tmp / "new.db")
        self.refused("report", self.tmp / "new.db", "--figure", "a", says=["to = 5", "4 hosts"])

    def test_routes_that_are_too_many(self):
        """A picture says why there is none."""
        self.file.write_text("fabric: 'xgft:m=16:40,w=1:4'\nrouting: dmodk\nsimulate: false\nfigures:\n  - {name: a, kind: routes, y: mean_hops, to: 3}\n")
        self.ok("run", self.file, "-q", "-o", self.tmp / "new.db")
        self.refused("report", self.tmp / "new.db", "--figure", "a", says="there are too many hosts")

    def test_captions_of_routes_and_lists(self):
        """Shares are percentages below a picture, too; what has no value is counted, and so is what has no list."""
        self.file.write_text("fabric: 'xgft:m=2:3,w=1:2'\nrouting: [dmodk, adaptive_tree]\nsimulate: false\nfigures:\n"
                             "  - {name: ways, kind: routes, y: permutations_free, panel: routing, to: 5}\n"
                             "  - {name: list, kind: list, y: permutations, series: routing}\n")
        self.store = self.tmp / "captions.db"
        self.ok("run", self.file, "-o", self.store)
        text = " ".join(self.ok("report", self.store, "--figure", "ways").split())
        self.assertRegex(text, r"dmodk: Permutations without contention: 66\.67 %\. 1 of 2 samples have a value\.$")
        text = " ".join(self.ok("report", self.store, "--figure", "list").split())
        self.assertIn("Permutations [%]. 1 point has no such list.", text)
        self.assertEqual({r["routing"] for r in self.rows("list")}, {"dmodk"})

    def test_labels_are_names(self):
        for label in ["''", "' '", "'-'", '"a\\nb"', "'a:b'", "'|'"]:
            with self.subTest(label=label):
                self.file.write_text(f"fabric: 'ring:n=4'\nrouting: updown\ntraffic:\n  - transpose\n  - {{family: uniform, label: {label}}}\n")
                self.refused("run", self.file, "-o", self.tmp / "new.db", says=["test.yaml:5:30", "a label is a name"])
        self.file.write_text("fabric: 'ring:n=4'\nrouting: updown\ntraffic:\n  - {family: transpose, label: a}\n  - {family: uniform, label: a}\n")
        self.refused("run", self.file, "-o", self.tmp / "new.db", says=["test.yaml:5:30", "two patterns have the label 'a'"])

    def test_paired_without_partners(self):
        rows = self.claims("metric: throughput, of: {fabric.seed: 1}, against: {fabric.seed: 2}, at: {load: 20%, routing: updown}, ratio: true, "
                           "paired: true, op: '=', value: 1, over: fabric.seed")
        self.assertEqual(rows[0]["verdict"], "cannot be told")
        self.assertEqual(rows[0]["why"], "no sample of one side is one of the other")

    def test_quotients_of_what_does_not_saturate(self):
        self.file.write_text("fabric: 'xgft:m=2:2,w=1:2'\nrouting: [dmodk, smodk]\nload: [20%, 30%]\nmeasure: {warmup: 10 us, duration: 50 us}\nseeds: 3\nexpect:\n" +
                             "".join("  - {claim: x, transient: true, metric: saturation, of: {routing: dmodk}, against: {routing: smodk}, op: '<', value: 1, ratio: true, "
                                     f"paired: {paired}}}\n" for paired in ("true", "false")))
        self.store = self.tmp / "never.db"
        self.ok("run", self.file, "-o", self.store)
        for claim in self.json("report", self.store)["claims"]:
            self.assertEqual(claim["verdict"], "cannot be told")
            self.assertIn("neither saturates", claim["found"])

    def test_claims_of_saturation_and_scale(self):
        rows = self.claims("metric: saturation, of: {routing: updown}, op: '<', value: 0.7, over: fabric.seed",
                           "metric: saturation, of: {routing: minimal}, op: '>', value: 0.01, over: fabric.seed",
                           "metric: throughput, scale: full, of: {routing: minimal}, at: {load: 20%}, op: '>', value: 0.01, over: fabric.seed")
        for row, routing in zip(rows, ["updown", "minimal"]):
            samples = []
            for seed in {p["seed"] for p in self.points()}:
                for fabric in {p["fabric"] for p in self.points()}:
                    curve = sorted((p["load"], p["throughput"] < .95 * p["offered"]) for p in self.points(routing=routing, seed=seed, fabric=fabric))
                    samples.append(next((load for load, full in curve if full), float("inf")))
            if len(set(samples)) == 1:
                self.assertEqual(float(row["left"]), samples[0])
        self.assertEqual(rows[2]["verdict"], "holds")
        rows = self.claims("metric: throughput, scale: full, of: {routing: minimal}, at: {load: 20%}, op: '>', value: 2, over: fabric.seed",
                           overrides=["--set", "measure.duration=3 us"])
        self.assertEqual(rows[0]["verdict"], "not asked")
        self.ok("report", self.store, "--csv", "--strict")

    def test_claims_are_refused(self):
        self.file.write_text(EXPERIMENT + "expect:\n  - {claim: x, metric: throughput, of: {routing: updown}, op: '<', value: 1}\n")
        self.refused("run", self.file, "-o", self.tmp / "new.db", says=["matches several points", "'load' (0.2, 0.6)"])
        self.assertFalse((self.tmp / "new.db").exists())

    def test_titles(self):
        """Long words, and characters of several bytes: all of the title is in every picture, in lines that fit."""
        titles = ["x" + "ü中" * 150, "a" * 300, "short words " * 30 + "end", "w" * 100 + " and " + "ü" * 90, "One line"]
        self.file.write_text(EXPERIMENT.split("figures:")[0] + "figures:\n" + "".join(
            f"  - {{name: t{i}, title: '{t}', x: load, y: throughput, series: routing, over: fabric.seed}}\n" for i, t in enumerate(titles)))
        self.ok("run", self.file, "-o", self.store)
        for i, title in enumerate(titles):
            for ending in ["svg", "pdf", "png"]:
                self.ok("report", self.store, "--figure", f"t{i}", "-o", self.tmp / f"t.{ending}")
            texts = [t for t in ElementTree.parse(self.tmp / "t.svg").iter(SVG + "text") if t.get("font-weight") == "bold"]
            lines = ["".join(t.itertext()) for t in texts]
            self.assertEqual("".join(lines).replace(" ", ""), title.replace(" ", ""))
            self.assertLess(max(map(len, lines)), 64)
            ys = [float(t.get("y")) for t in texts]
            self.assertEqual(ys, sorted(set(ys)))
            frame = min(float(t.get("y")) for t in ElementTree.parse(self.tmp / "t.svg").iter(SVG + "text") if t.get("font-weight") != "bold")
            self.assertLess(max(ys), frame)

    def test_long_names(self):
        """Names that have no room are cut at their end, between characters, and stay inside the picture."""
        names = ["Design " + "W" * 150, "Second " + "ü" * 120]
        self.file.write_text("designs:\n" + "".join(f"  - {{name: '{n}', fabric: 'crossbar:n={i + 2}', routing: minimal}}\n" for i, n in enumerate(names)) +
                             "load: [20%, 60%]\nmeasure: {warmup: 1 us, duration: 2 us}\nfigures:\n"
                             "  - {name: line, x: load, y: throughput, series: design}\n"
                             "  - {name: bars, kind: bars, x: design, y: throughput, where: {load: 60%}}\n"
                             "  - {name: map, kind: heatmap, x: load, y: throughput, series: design}\n"
                             "  - {name: panel, x: load, y: throughput, panel: design, width: page}\n")
        self.ok("run", self.file, "-o", self.store)
        for figure in ["line", "bars", "map", "panel"]:
            self.ok("report", self.store, "--figure", figure, "-o", self.tmp / "x.svg")
            svg = ElementTree.parse(self.tmp / "x.svg")
            shown = [t for t in svg.iter(SVG + "text") if "".join(t.itertext()).startswith(("Design W", "Second"))]
            self.assertEqual(len(shown), 2, figure)
            for t, name in zip(sorted(shown, key=lambda t: "".join(t.itertext())), names):
                text = "".join(t.itertext())
                self.assertTrue(text.endswith("…") and name.startswith(text[:-1]), text)
                x, size, width = float(t.get("x")), float(t.get("font-size")), (0.94 if "W" in name else 0.55) * float(t.get("font-size")) * len(text)
                width *= 0.766 if "rotate" in t.get("transform", "") else 1
                left = x - width * {"end": 1, "middle": 0.5}.get(t.get("text-anchor"), 0)
                self.assertGreater(left, -0.1 * width - size)
                self.assertLess(left + width, 1.1 * float(svg.getroot().get("viewBox").split()[2]) + size)
        for ending in ["pdf", "png"]:
            self.ok("report", self.store, "--figure", "bars", "-o", self.tmp / f"x.{ending}")

    def test_unfinished(self):
        """A part of the points: the caption says so, and claims wait."""
        self.file.write_text(EXPERIMENT + "expect:\n" + "".join(f"  - {{claim: c{load}, metric: throughput, at: {{routing: minimal, load: {load}%}}, over: fabric.seed, op: '<', value: 1}}\n"
                                                                 for load in (20, 60)))
        part = self.tmp / "part.db"
        self.ok("run", self.file, "-o", part, "--shard", "1/2")
        points = self.json("report", part)["points"]
        here, claims = len(points), {r["claim"]: r for r in csv.DictReader(io.StringIO(self.ok("report", part, "--csv", "--table", "claims")))}
        self.assertIn(f"{24 - here} points of the experiment are not finished", " ".join(self.ok("report", part, "--figure", "box").split()))
        missing = {load: 6 - sum(p["routing"].startswith("minimal") and round(100 * p["load"]) == load for p in points) for load in (20, 60)}
        self.assertGreater(sum(missing.values()), 0)  # which points are of a shard depends on all parameters of an experiment
        for load, num in missing.items():
            self.assertEqual(claims[f"c{load}"]["why"], f"unfinished: {num} of its 6 points are missing" if num else "")
        self.assertNotIn("not finished", self.ok("report", self.store, "--figure", "box"))

    def test_without_figures(self):
        self.file.write_text(EXPERIMENT.split("figures:")[0])
        self.ok("run", self.file, "-o", self.store)
        self.refused("report", self.store, "--figure", "line", says="has no figures")


if __name__ == "__main__":
    unittest.main()
