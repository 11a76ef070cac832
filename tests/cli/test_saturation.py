"""Where saturation is: points past it are marked, and loads are searched for it."""
import contextlib
import csv
import decimal
import io
import itertools
import random
import signal
import sqlite3
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest, sanitized

SWEEP = """\
fabric: karytree:k=4,n=2
routing: dmodk
traffic: [uniform, "hotspot:nodes=0,fraction=40%"]
load: [10%, 60%]
seeds: 2
measure: {stop: {ci: 3 %}}
figures:
  - {name: waits, where: {traffic: "TRAFFIC"}, x: load, y: latency_p99_ns}
  - {name: gets, where: {traffic: "TRAFFIC"}, x: load, y: throughput}
"""
PAST = "* past saturation"


DEGRADED = f"""\
fabric: "file:{SOURCE}/data/cluster96.ibnetdiscover"
routing: dmodc
vc: dbbm
vcs: 8
load: 30%
"""
OVERLOADED = f"""\
fabric: "file:{SOURCE}/data/cluster96.ibnetdiscover"
routing: dmodc
traffic: "shift:by=24"
"""
SPARSE = """\
fabric: karytree:k=4,n=2
routing: random
load: [5%, 30%]
seeds: 40
measure: {warmup: 10 us, duration: 300 us}
adapter: {injection: poisson}
"""


def rounded(bound, way):
    """A bound in four digits that still bounds."""
    exact = decimal.Decimal(repr(round(bound, 10)))
    return f"{float(exact.quantize(decimal.Decimal(1).scaleb(exact.adjusted() - 3), way)):.4g}"


class Bound(CliTest):
    """That channels cannot carry more for ever is said only where it is true."""

    def points(self, text, *args):
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        path.write_text(text)
        self.ok("run", path, "-o", store, *args)
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))

    def test_queues_of_vcs_pass_each_other(self):
        """A host whose packets start on several VCs has a queue for each: those to the slow link do not hold back the others."""
        for queues, bounded in (("vc", False), ("one", True)):
            with self.subTest(queues=queues):
                text = DEGRADED + f"adapter: {{queues: {queues}}}\nmeasure: {{warmup: 5 ms, duration: 5 ms}}\n"
                [row] = self.points(text)
                (self.tmp / "test.db").unlink()
                self.assertEqual(bool(row["steady_bound"]), bounded)
                self.assertNotIn("channels can carry", row["steady_reason"])
                if bounded:
                    self.assertLess(float(row["throughput"]), 1.05 * float(row["steady_bound"]))
                else:
                    self.assertGreater(float(row["throughput"]), 0.2)

    def test_a_channel_that_few_hosts_overload(self):
        """Two of 96 hosts share the slow link: 16 Gb/s for 2 x 12 Gb/s, which all packets together hardly show. In every model the
        load is past saturation, for fixed windows and for runs that end by themselves; a search finds what the link carries."""
        for model in ("iq", "ioq", "pipelined"):
            for measure in ("{warmup: 100 us, duration: 200 us}", "{stop: {hops: 300000}}"):
                with self.subTest(model=model, measure=measure):
                    [row] = self.points(OVERLOADED + f"load: 12%\nswitch: {{model: {model}}}\nmeasure: {measure}\n")
                    (self.tmp / "test.db").unlink()
                    self.assertEqual((row["saturated"], row["latency_steady"]), ("1", "0"), row["steady_reason"])
        for load, saturated in (("8%", "0"), ("9%", "1")):
            [row] = self.points(OVERLOADED + f"load: {load}\nmeasure: {{warmup: 100 us, duration: 200 us}}\n")
            (self.tmp / "test.db").unlink()
            self.assertEqual(row["saturated"], saturated, row["steady_reason"])
        [row] = self.points(OVERLOADED + "load: {find: saturation, precision: 2%}\nmeasure: {warmup: 50 us, duration: 100 us}\n")
        self.assertEqual(float(row["saturation_load"]), 0.08)

    def test_chance_is_no_excess(self):
        """Irregular sources generate by chance somewhat more than their load in a short run: nothing of that is too much."""
        rows = self.points(SPARSE)
        self.assertTrue(any(float(row["throughput"]) > 1.02 * float(row["load"]) for row in rows))
        for row in rows:
            self.assertNotIn("channels can carry", row["steady_reason"])


class Stationary(CliTest):
    def setUp(self):
        super().setUp()
        self.store = self.tmp / "test.db"

    def sweep(self, text):
        path = self.tmp / "test.yaml"
        path.write_text(text)
        return self.ok("run", path, "-o", self.store)

    def rows(self, *args):
        return list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", *args))))

    def test_column_and_marks(self):
        summary = self.sweep(SWEEP.replace("TRAFFIC", "hotspot:nodes=0,fraction=40%"))
        rows = self.rows()
        for row in rows:
            past = "hotspot" in row["traffic"] and row["load"] == "0.6"
            self.assertEqual((row["steady"], row["saturated"], row["latency_steady"]), ("yes", "01"[past], "10"[past]), row)
        self.assertEqual(summary.count(PAST), 2)  # below the results, and below the classes
        lines = [line for line in summary.splitlines() if line.startswith(("uniform", "hotspot")) and "us" in line]
        self.assertEqual([line.count("us*") for line in lines], [0, 1], lines)
        for curve in self.json("report", self.store)["curves"]:
            for step in curve["steps"]:
                self.assertEqual(step["saturated"] == 1, "hotspot" in curve["traffic"] and step["load"] == 0.6)
        latencies = self.ok("report", self.store, "--figure", "waits")
        self.assertIn(PAST, latencies)
        self.assertEqual(latencies.count("*"), 2)
        self.assertNotIn("*", self.ok("report", self.store, "--figure", "gets"))

    def test_classes_are_marked(self):
        summary = self.sweep("fabric: karytree:k=4,n=2\nrouting: dmodk\nload: 60%\nmeasure: {warmup: 20 us, duration: 200 us}\n"
                             'traffic: "mix:members=near=uniform+many=hotspot:nodes=0;fraction=40%"\n')
        classes = summary.split("Classes of the traffic")[1]
        self.assertEqual(classes.count("us*"), 4)
        self.assertEqual(classes.count(PAST), 1)

    def test_empty_of_workloads(self):
        summary = self.sweep("fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: {family: exchange, pattern: 'shift:by=1'}\n"
                             "measure: {until: delivered, at_most: 1 ms}\n")
        self.assertEqual([(r["saturated"], r["latency_steady"], r["steady"], r["steady_reason"]) for r in self.rows()], [("", "", "", "")])
        self.assertNotIn(PAST, summary)



# What can be stored of a point: its verdict, whether it is saturated, and what both say of its load.
KINDS = {"holds": ("yes", 0, True), "saturated": ("yes", 1, False), "beyond its bound": ("no", 1, False), "drifts": ("no", None, None),
         "too short": ("too short to tell", None, None)}
CURVE = """\
fabric: karytree:k=2,n=2
routing: dmodk
load: [10%, 20%, 30%, 40%]
seeds: 3
measure: {warmup: 1 us, duration: 2 us}
expect: [{claim: c, metric: saturation, op: "<", value: 1}]
"""


class OneSaturation(CliTest):
    """Terminal, JSON, page and claims say one saturation: what the points say of their loads, whether their throughput is steady or not."""

    @staticmethod
    def expected(kinds):
        """In words, saturation_load, saturation_most, and what a claim has: by trying what those that cannot be told may be."""
        loads, told = [10, 20, 30, 40], [KINDS[k][2] for k in kinds]
        may = set()
        for case in itertools.product(*([t] if t is not None else [True, False] for t in told)):
            if list(case) == sorted(case, reverse=True) or None not in told:  # what is accepted at a load is at lower ones
                may.add(next((load for load, t in zip(loads, case) if not t), None))
        if not may:  # a load is refused, and a higher one is accepted: the lowest counts
            return None
        refused = next((load for load, t in zip(loads, told) if t is False), None)
        accepted = max([load for load, t in zip(loads, told) if t and (refused is None or load < refused)], default=0)
        if refused is None:
            return f"> {accepted} %" if accepted else "-", None, None, "inf" if may == {None} else ""
        if len(may) > 1:
            return f"{accepted} to {refused} %" if accepted else f"at most {refused} %", accepted / 100, refused / 100, ""
        # anywhere down to the next load: claims take the middle
        return f"{'below ' if refused == 10 else ''}{refused} %", refused / 100, None, str((refused - 5) / 100)

    def test_all_say_the_same(self):
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        path.write_text(CURVE)
        self.ok("run", path, "-o", store)
        cases = [c for c in itertools.product(KINDS, repeat=4) if self.expected(c)]
        for kinds in random.Random(2).sample(cases, 12 if sanitized() else 60) + [("holds", "holds", "beyond its bound", "saturated"),
                                                          ("holds", "too short", "drifts", "saturated"), ("too short",) * 4]:
            with self.subTest(kinds=kinds):
                with contextlib.closing(sqlite3.connect(store)) as db, db:
                    for load, kind in zip((0.1, 0.2, 0.3, 0.4), kinds):
                        db.execute("UPDATE points SET steady = ?, saturated = ? WHERE abs(load - ?) < 0.01", (*KINDS[kind][:2], load))
                words, least, most, claim = self.expected(kinds)
                curve, = self.json("report", store)["curves"]
                self.assertEqual((curve["saturation"], curve["saturation_load"], curve["saturation_most"]), (words, least, most))
                lines = self.ok("run", path, "-o", store).splitlines()
                row = lines[next(i for i, line in enumerate(lines) if "peak throughput" in line) + 1]
                self.assertIn(f"  {words}  ", f"  {row}")
                self.assertEqual("Where saturation is a range" in " ".join(lines), most is not None)
                self.ok("report", store, "-o", self.tmp / "page.html")
                drawn = words.replace(">", "\\u003e")  # as the page has it within a script
                self.assertTrue(f'"saturation":"{drawn}"' in (self.tmp / "page.html").read_text(), drawn)
                claims, = csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", "claims")))
                self.assertEqual(claims["left"], claim, claims)
                between = claim not in ("", "inf")
                self.assertAlmostEqual(float(claims["left_ci95"] or 0), 0.05 if between else 0, 6, claims)

    def test_most_of_the_seeds(self):
        """Half of them refuse a load, or more of them accept it, whatever those are that cannot be told."""
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        path.write_text(CURVE.replace("[10%, 20%, 30%, 40%]", "[10%, 20%]"))
        self.ok("run", path, "-o", store)
        for kinds in itertools.product(("holds", "beyond its bound", "too short"), repeat=3):
            with contextlib.closing(sqlite3.connect(store)) as db, db:
                db.execute("UPDATE points SET steady = 'yes', saturated = 0")
                for seed, kind in enumerate(kinds, 1):
                    db.execute("UPDATE points SET steady = ?, saturated = ? WHERE load > 0.15 AND seed = ?", (*KINDS[kind][:2], seed))
            curve, = self.json("report", store)["curves"]
            words = "20 %" if kinds.count("beyond its bound") > 1 else "> 20 %" if kinds.count("holds") > 1 else "> 10 %"
            self.assertEqual(curve["saturation"], words, kinds)

    def test_beyond_a_known_bound(self):
        """The quickstart's slow link is full at 10.6 %: a load above it is not accepted, however steady its window is."""
        store = self.tmp / "quick.db"
        self.ok("run", SOURCE / "experiments/quickstart.yaml", "-o", store, "--only", "routing=dmodc", "--only", "traffic=uniform", "--only",
                "fabric.repair=false", "--set", "load=[10%,10.8%,12%,30%]", "--set", "measure.stop.hops=600000")
        rows = list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))
        self.assertTrue(any(row["steady"] != "yes" for row in rows if row["load"] != "0.1"))
        self.assertEqual({row["load"] for row in rows if row["saturated"] == "1"}, {"0.108", "0.12", "0.3"})
        self.assertEqual([c["saturation"] for c in self.json("report", store)["curves"]], ["10.8 %"])


SEARCH = """\
fabric: crossbar:n=64
routing: updown
load: {find: saturation, precision: 2 %}
seeds: [3, 5]
switch: {queues: fifo}
measure: {warmup: 40 us, duration: 400 us}
"""
LOAD = "{find: saturation, precision: 2 %}"


class Search(CliTest):
    def run_it(self, text, name="test", status=0, args=()):
        path = self.tmp / "test.yaml"
        path.write_text(text)
        store = self.tmp / f"{name}.db"
        return store, self.ok("run", path, "-o", store, *args, status=status)

    def rows(self, store, *args):
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", *args))))

    def test_agrees_with_a_sweep(self):
        """Of one switch with FIFOs, and of a tree with hot spots: the found load is the last that is accepted, and its run the same."""
        tree = SEARCH.replace("crossbar:n=64", "karytree:k=4,n=2").replace("updown", 'dmodk\ntraffic: "hotspot:nodes=0,fraction=10%"')
        for text, least, most in ((SEARCH, 0.54, 0.62), (tree, 0.44, 0.8)):
            store, _ = self.run_it(text)
            sweep, _ = self.run_it(text.replace(LOAD, "2%..100% step 2%"), "sweep")
            found, plain = self.rows(store), self.rows(sweep)
            self.assertEqual(len(found), 2)
            for row in found:
                mine = {round(float(r["load"]), 6): r for r in plain if r["seed"] == row["seed"]}
                load = round(float(row["load"]), 6)
                self.assertEqual(float(row["saturation_load"]), float(row["load"]))
                self.assertTrue(least <= load <= most, load)
                for key in ("checksum", "offered", "throughput", "latency_mean_ns", "saturated", "steady", "steady_reason"):
                    self.assertEqual(row[key], mine[load][key])
                refused = {load for load, r in mine.items() if r["saturated"] == "1" or r["steady"] == "no"}
                self.assertEqual((load in refused, round(load + 0.02, 6) in refused), (False, True))
                first = min(refused)
                self.assertLessEqual(abs(first - load), 0.06 + 1e-9)
                self.assertEqual(mine[load]["saturation_load"], "")

    def test_probes(self):
        store, summary = self.run_it(SEARCH)
        probes = self.rows(store, "--table", "probes")
        for row in self.rows(store):
            mine = [p for p in probes if p["seed"] == row["seed"]]
            self.assertLessEqual(len(mine), 2 + 2 * 6)
            self.assertEqual(len({p["load"] for p in mine}), len(mine))
            self.assertLessEqual(max(float(p["load"]) for p in mine[1:]), float(mine[0]["load"]))
            for p in mine:
                known = {"no": "false", "yes": "false" if "saturated" in p["steady_reason"] else "true",
                         "too short to tell": "false" if float(p["throughput"]) < 0.95 * float(p["offered"]) else "true"}
                self.assertEqual(p["accepted"], known[p["steady"]], p)
            self.assertEqual(max(float(p["load"]) for p in mine if p["accepted"] == "true"), float(row["load"]))
            above = [float(p["load"]) for p in mine if float(p["load"]) > float(row["load"])]
            self.assertAlmostEqual(min(above), float(row["load"]) + 0.02, places=6)
        answer = self.json("report", store)
        self.assertEqual([len(c["steps"]) for c in answer["curves"]], [1])
        mean = sum(p["saturation_load"] for p in answer["points"]) / 2
        self.assertAlmostEqual(answer["curves"][0]["saturation_load"], mean)
        self.assertAlmostEqual(answer["curves"][0]["steps"][0]["load"], mean)
        self.assertEqual(sum(len(p["probes"]) for p in answer["points"]), len(probes))
        self.assertIn(f" {100 * mean:.4g} %", summary)
        # Close to saturation a short window may not tell the latency; what was found is not past it all the same.
        untold = [row for row in self.rows(store) if row["latency_steady"] == "0"]
        self.assertEqual(PAST in summary, bool(untold))
        for row in untold:
            self.assertEqual((row["saturated"], row["steady"]), ("0", "yes"))
            self.assertIn("interval of mean latency", row["steady_reason"])
        self.ok("report", store, "-o", self.tmp / "page.html")

    def test_the_measured_time_does_not_make_the_saturation(self):
        """Of one large switch, whose queues take a hundred times as long as the file measures to settle: the same load is found from any
        measured time, by every seed, and points say how long they were measured."""
        for warmup, duration, seeds in ((20, 60, 4), (200, 600, 1)):
            store, summary = self.run_it("fabric: crossbar:n=32\nrouting: updown\nload: {find: saturation, precision: 1 %}\n"
                                         f"seeds: {seeds}\nmeasure: {{warmup: {warmup} us, duration: {duration} us}}\n", f"of{duration}")
            rows = self.rows(store)
            self.assertEqual(len(rows), seeds)
            for row in rows:
                self.assertAlmostEqual(float(row["saturation_load"]), 0.96, delta=0.0101)
                self.assertGreaterEqual(float(row["measured_ns"]), 1000 * duration)
            self.assertIn(" to ", summary)  # 97 % cannot be told in 6 ms
            for probe in self.rows(store, "--table", "probes"):
                times = float(probe["measured_ns"]) / 1000 / duration
                self.assertIn(round(times), (1, 10, 100))

    def test_what_a_search_cannot_tell(self):
        """Of too few packets to tell anything near saturation: the loads between are shown, and claims hold or differ only beyond them."""
        text = ("fabric: crossbar:n=32\nrouting: updown\nload: {find: saturation, precision: 1 %}\nseeds: 3\n"
                "measure: {warmup: 20 us, duration: 60 us, series: 10 us}\n"  # a series is never made longer
                "expect:\n" + "".join(f"  - {{claim: \"{value}\", metric: saturation, op: \">\", value: {value}}}\n" for value in (0.5, 0.93)))
        store, summary = self.run_it(text, "untold")
        rows = self.rows(store)
        found, most = (sum(float(row[name]) for row in rows) / 3 for name in ("saturation_load", "saturation_most"))
        self.assertLess(found, 0.93)
        self.assertGreaterEqual(most, 0.96)
        self.assertIn(f"{rounded(100 * found, decimal.ROUND_FLOOR)} to {rounded(100 * most, decimal.ROUND_CEILING)} %", summary)
        self.assertEqual([claim["verdict"] for claim in self.rows(store, "--table", "claims")], ["holds", "cannot be told"])
        curve, = self.json("report", store)["curves"]
        self.assertAlmostEqual(curve["saturation_load"], found)
        self.assertAlmostEqual(curve["saturation_most"], most)

    def test_a_probe_that_cannot_tell_is_no_number(self):
        """In every form: between what is known to be accepted and what is known not to be, the load of a run too short to tell is nothing."""
        for number, (fabric, seed) in enumerate((("jellyfish:N=12,d=3,p=2", 9), ("crossbar:n=16", 1), ("karytree:k=4,n=2", 2))):
            text = (f'fabric: "{fabric}"\nrouting: updown\ntraffic: hotspot:nodes=2\nload: {{find: saturation, precision: 2%}}\n'
                    f"adapter: {{injection: periodic, packet: 2 KiB}}\nseeds: [{seed}]\nmeasure: {{stop: {{hops: 100000}}}}\n")
            store, summary = self.run_it(text, f"short{number}")
            row, = self.rows(store)
            told = {float(p["load"]) for p in self.rows(store, "--table", "probes") if p["steady"] == "yes" and p["accepted"] == "true"}
            low = max(told, default=0)
            curve, = self.json("report", store)["curves"]
            self.assertEqual(row["steady"] == "too short to tell", row["saturation_most"] != "" and row["load"] != row["saturation_load"])
            self.assertAlmostEqual(float(row["saturation_load"]), low)
            self.assertAlmostEqual(curve["saturation_load"], low)
            self.assertEqual(curve["saturation_most"], float(row["saturation_most"]) if row["saturation_most"] else None)
            with contextlib.closing(sqlite3.connect(store)) as db:
                self.assertEqual(db.execute("SELECT saturation_load, saturation_most FROM points").fetchall(),
                                 [(low, curve["saturation_most"])])
            if row["saturation_most"]:
                self.assertIn("to" if low else "at most", curve["saturation"])
                self.assertIn(f"{100 * float(row['saturation_most']):.4g} %", curve["saturation"])
            self.assertIn(f" {curve['saturation']} ", summary)

    def test_a_longer_run_refuses_what_its_probe_accepted(self):
        """Without a duration the load that is found is run for longer. Where that refuses it, lower ones are probed for as long; what is
        found then is accepted for ten times as long again, and the load that was refused at once is not."""
        text = ("fabric: 'jellyfish:N=10,d=3,p=1'\nrouting: minimal\nswitch: {queues: fifo}\n"
                "load: {find: saturation, precision: 5%}\n")
        store, _ = self.run_it(text, "late")
        row, = self.rows(store)
        probes = self.rows(store, "--table", "probes")
        of80 = [(p["accepted"], float(p["measured_ns"])) for p in probes if p["load"] == "0.8"]
        self.assertEqual([accepted for accepted, _ in of80], ["true", "false"])
        self.assertGreater(of80[1][1], 5 * of80[0][1])
        self.assertEqual([row[name] for name in ("load", "saturation_load", "saturation_most")], ["0.75", "0.75", "0.85"])
        for name in ("load", "measured_ns", "throughput", "steady_reason"):
            self.assertEqual(probes[-1][name], row[name])
        self.assertEqual(probes[-1]["accepted"], "true")
        fixed, _ = self.run_it(text.replace("{find: saturation, precision: 5%}", "[75%, 85%]")
                               + f"measure: {{warmup: 20 ms, duration: {10 * float(row['measured_ns']):.0f} ns}}\n", "fixed")
        self.assertEqual([(r["steady"], r["saturated"]) for r in self.rows(fixed)], [("yes", "0"), ("yes", "1")])

    def test_what_has_no_way_is_not_refused(self):
        """Of a network in parts much of the traffic has no way at any load; a load is accepted if the rest is."""
        store, _ = self.run_it("fabric: 'torus:dims=4:4,fail=60%'\nrouting: minimal\nallow_unreachable: true\n"
                               "load: {find: saturation, precision: 5%}\n", "parts")
        row, = self.rows(store)
        self.assertGreater(int(row["packets_unroutable"]), 0)
        self.assertLess(float(row["throughput"]), 0.5 * float(row["offered"]))
        self.assertEqual(row["saturation_load"], "0.65")
        for probe in self.rows(store, "--table", "probes"):
            self.assertEqual(probe["accepted"] == "true", float(probe["load"]) <= 0.65, probe)

    def test_loads_beside_a_search(self):
        """Points of a curve and the search that says where it ends: each as by itself."""
        store, summary = self.run_it(SEARCH.replace(LOAD, f"[10%, {LOAD}, 80%]"), "both")
        alone, _ = self.run_it(SEARCH, "alone")
        both, found = self.rows(store), {r["seed"]: r for r in self.rows(alone)}
        self.assertEqual(len(both), 6)
        for row in both:
            if row["saturation_load"]:
                self.assertEqual(row, found[row["seed"]])
            else:
                self.assertIn(row["load"], ("0.1", "0.8"))
        curve, = self.json("report", store)["curves"]
        self.assertEqual(len(curve["steps"]), 3)
        self.assertEqual(curve["saturation_load"], self.json("report", alone)["curves"][0]["saturation_load"])
        self.assertIn(f" {100 * curve['saturation_load']:.4g} %", summary)
        self.ok("report", store, "-o", self.tmp / "both.html")

    def test_same_bytes(self):
        text = SEARCH.replace("seeds: [3, 5]", "seeds: 4").replace("n=64", "n=16")
        stores = [self.run_it(text, f"jobs{jobs}", args=("--jobs", jobs))[0].read_bytes() for jobs in ((1, 3) if sanitized() else (1, 2, 3, 8))]
        self.assertEqual(len(set(stores)), 1)
        self.run_it(text.replace("seeds: 4", "seeds: [1, 3]"), "part")
        part, _ = self.run_it(text, "part")
        self.assertEqual(self.ok("report", part, "--csv"), self.ok("report", self.tmp / "jobs1.db", "--csv"))

    def test_stopped_search_continues(self):
        path, store = self.tmp / "long.yaml", self.tmp / "long.db"
        path.write_text(SEARCH.replace("seeds: [3, 5]", "seeds: 3").replace("400 us", "1 ms"))
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            next(line for line in child.stderr if " of 3 points" in line)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate()
        self.assertEqual(child.returncode, 130, said)
        self.ok("run", path, "-o", store)
        self.ok("run", path, "-o", self.tmp / "whole.db")
        self.assertEqual(store.read_bytes(), (self.tmp / "whole.db").read_bytes())

    def test_slower_adapters_shift_no_bound(self):
        """Loads are of what adapters send: half of their links' rate saturates nothing that carries half."""
        for adapter, found in (("", False), ("adapter: {injection_fraction: 50 %}\n", True), ("adapter: {injection_rate: 50 Gb/s}\n", True)):
            text = f"fabric: 'xgft:m=4:4,w=1:2'\nrouting: dmodk\nload: {{find: saturation, precision: 10 %}}\n{adapter}"
            row, = self.rows(self.run_it(text, f"slow{len(adapter)}")[0])
            self.assertEqual(row["saturation_load"] == "", found, row["saturation_load"])

    def test_all_and_nothing(self):
        store, summary = self.run_it(SEARCH.replace("updown", 'updown\ntraffic: "shift:by=1"'), "all")
        for row in self.rows(store):
            self.assertEqual((row["load"], row["saturation_load"], row["saturated"]), ("1", "", "0"))
        self.assertEqual(len(self.rows(store, "--table", "probes")), 2)
        self.assertIn("> 100 %", summary)
        self.assertIsNone(self.json("report", store)["curves"][0]["saturation_load"])
        store, summary = self.run_it(SEARCH.replace("updown", 'updown\ntraffic: "hotspot:nodes=0,fraction=100%"').replace("measure: {warmup: 40 us, duration: 400 us}", ""), "none")
        for row in self.rows(store):
            self.assertEqual((row["load"], row["saturation_load"], row["saturated"]), ("0.02", "0", "1"))
        self.assertIn(PAST, summary)

    def test_claims(self):
        """Metric saturation is what the searches found: a mean of samples, beyond all loads, or nothing after a deadlock."""
        store, _ = self.run_it(SEARCH.replace("seeds: [3, 5]", "seeds: 3").replace("updown", 'updown\ntraffic: [uniform, "shift:by=1"]') + "expect:\n" + "".join(
            f"  - {{claim: c, transient: true, metric: saturation, op: '{op}', of: {{traffic: {of}}}, {to}}}\n" for of, op, to in [
                ("uniform", ">", "value: 40 %"), ("uniform", "<", "against: {traffic: shift}"), ("shift", ">", "value: 0.99"),
                ("uniform", ">=", "against: {traffic: shift}"), ("shift", ">", "against: {traffic: shift}")]))
        rows = self.rows(store, "--table", "claims")
        self.assertEqual([r["verdict"] for r in rows], ["holds", "holds", "holds", "differs", "cannot be told"])
        found = [float(r["saturation_load"]) for r in self.rows(store) if r["traffic"] == "uniform"]
        self.assertAlmostEqual(float(rows[0]["left"]), sum(found) / 3, places=6)
        self.assertEqual([r["right"] for r in rows[1:3]], ["inf", "0.99"])
        path = self.tmp / "bad.yaml"
        path.write_text(SEARCH + "expect: [{claim: c, metric: saturation, op: '<', value: 3 us}]\n")
        self.refused("run", path, "-o", self.tmp / "no.db", says="'load' are in %")

    def test_claims_of_infeasible_routings(self):
        """What was not run does not accept all, searched for or swept."""
        for load in ("{find: saturation, precision: 20%}", "[20%, 90%]"):
            with self.subTest(load):
                store, _ = self.run_it("""
fabric: {family: lrt, N: 9, d: 4, r: 2}
routing: [{family: loren, t_max: [2, least]}]
load: %s
seeds: 3
measure: {warmup: 1 us, duration: 2 us}
expect:
  - {claim: infeasible, metric: saturation, of: {routing.t_max: 2}, value: 1%%, op: ">="}
  - {claim: feasible, metric: saturation, of: {routing.t_max: least}, value: 1%%, op: ">="}
""" % load)
                rows = {r["claim"]: r for r in self.rows(store, "--table", "claims")}
                self.assertEqual((rows["infeasible"]["verdict"], rows["infeasible"]["left"]), ("cannot be told", ""))
                self.assertIn("none is feasible", rows["infeasible"]["why"])
                self.assertNotIn("feasible", rows["feasible"]["why"])

    def test_deadlock_ends_the_search(self):
        store, summary = self.run_it("fabric: torus:dims=8\nrouting: minimal\nvc: 1q\nvcs: 1\nproof: off\nload: {find: saturation}\n"
                                     "traffic: shift:by=3\nswitch: {buffer: 8 KiB}\nmeasure: {warmup: 20 us, duration: 400 us}\nseeds: 3\n"
                                     "expect: [{claim: c, metric: saturation, op: '<', value: 0.9}]\n", status=1)
        rows = self.rows(store)
        self.assertEqual([(r["deadlock"], r["saturation_load"], r["load"]) for r in rows], [("true", "", "1")] * 3)
        self.assertEqual(len(self.rows(store, "--table", "probes")), 3)
        self.assertIn("a deadlock ended some of the searches", " ".join(summary.split()))
        self.assertIn("Deadlock", summary)
        self.assertNotIn("> 100 %", summary)

    def test_refused(self):
        path = self.tmp / "bad.yaml"
        for load, column, words in (
                ("{find: latency}", 14, ["'latency'", "saturation"]), ("{precision: 1%}", 7, ["find"]),
                ("{find: saturation, precision: 0.009%}", 37, ["precision", "0.0001 to 0.2"]),
                ("{find: saturation, precision: 21%}", 37, ["precision", "0.0001 to 0.2"]),
                ("{find: saturation, presicion: 1%}", 26, ["'precision'"]),
                ("{find: saturation, precision: [1%, 2%]}", 42, ["one value"]),
                ("[10%, {find: saturation}, {find: saturation, precision: 1%}]", 33, ["searched for once"])):
            with self.subTest(load=load):
                path.write_text(SEARCH.replace(LOAD, load))
                self.refused("run", path, "-o", self.tmp / "bad.db", says=[f"bad.yaml:3:{column}:", *words])
                self.assertFalse((self.tmp / "bad.db").exists())
        path.write_text(SEARCH.replace("measure: {warmup: 40 us, duration: 400 us}", "measure: {until: delivered, at_most: 1 ms}\n"
                                       "traffic: {family: exchange, pattern: 'shift:by=1'}"))
        self.refused("run", path, says=["bad.yaml:3:7:", "which ends"])
        for own, words in (("", ["its own load"]), ("load: 20%, ", ["every entry"])):
            path.write_text(SEARCH + f"schedule:\n  - {{until: 40 us, load: 30%, traffic: uniform}}\n  - {{{own}traffic: uniform}}\n")
            self.refused("run", path, says=["bad.yaml:3:7:", *words])
        self.run_it(SEARCH + "schedule:\n  - {until: 40 us, traffic: uniform}\n  - {traffic: 'shift:by=1'}\n")

    def test_precision_and_overrides(self):
        store, _ = self.run_it(SEARCH, args=("--set", "load.precision=0.5%", "--set", "seeds=1"))
        row, = self.rows(store)
        self.assertAlmostEqual(float(row["load"]) / 0.005, round(float(row["load"]) / 0.005), places=6)
        self.assertLessEqual(len(self.rows(store, "--table", "probes")), 2 + 2 * 8)
        self.assertIn("load (section)", self.ok("help", "load"))


if __name__ == "__main__":
    unittest.main()
