#!/usr/bin/env python3
"""Racks and trays that fail: the names of the list of cables, the same by hand, axes with seeds, ikat design, and what is refused."""
import csv
import io
import re
import sqlite3
import unittest

from harness import CliTest, run

SPECS = ("dragonfly:h=2", "pgft:m=20:2,w=2:2,p=1:1", "pgft:m=4:8,w=1:4,p=1:1", "torus:dims=4:4,p=4")
FLOOR = "rack_units: 16\nrow_racks: 3\n"
# Two axes: racks and seeds. The floor lies beside the experiment.
SWEEP = """\
fabric: {family: dragonfly, h: 2, fail_racks: [0, 1, 3], fail_seed: 1..4, floor: floor.yaml}
routing: updown
simulate: false
measures: [proof, mean_hops, saturation]
"""


class FailFloor(CliTest):
    def setUp(self):
        super().setUp()
        self.floor = self.tmp / "floor.yaml"
        self.floor.write_text(FLOOR)

    def cables(self, spec):
        path = self.tmp / "cables.csv"
        self.ok("topo", spec, "--cable-list", path, "--floor", self.floor)
        return list(csv.DictReader(io.StringIO(path.read_text())))

    def edges(self, spec):
        return self.ok("topo", spec, "--format", "edges", "-o", "-")

    def ends(self, cable, rack):
        return [side for side in "ab" if cable[f"side_{side}_rack"] == rack]

    def lost_with_rack(self, cables, rack):
        """Switches, and the switches' ports of the cables of hosts, as `fail=` takes them."""
        lost = set()
        for cable in cables:
            for side in self.ends(cable, rack):
                other = "b" if side == "a" else "a"
                if cable[f"side_{side}_role"] == "switch":
                    lost.add(cable[f"side_{side}_device"])
                else:
                    lost.add(f"{cable[f'side_{other}_device']}.{cable[f'side_{other}_name']}")
        return ":".join(sorted(lost))

    def test_racks_of_the_list(self):
        for spec in SPECS:
            cables = self.cables(spec)
            racks = sorted({cable[f"side_{side}_rack"] for cable in cables for side in "ab"})
            self.assertGreater(len(racks), 2)
            for rack in racks:
                with self.subTest(spec=spec, rack=rack):
                    hand = f"{spec},fail={self.lost_with_rack(cables, rack)}"
                    self.assertEqual(self.edges(f"{spec},fail_racks={rack},floor={self.floor}"), self.edges(hand))

    def test_trays_of_the_list(self):
        seen = set()
        for spec in SPECS:
            cables = self.cables(spec)
            trays = sorted({tray for cable in cables for tray in cable["trays"].split()})
            seen |= {tray[0] for tray in trays}
            for tray in trays:
                side = {id(c): "a" if c["side_a_role"] == "switch" else "b" for c in cables}
                lost = ":".join(f"{c[f'side_{side[id(c)]}_device']}.{c[f'side_{side[id(c)]}_name']}" for c in cables if tray in c["trays"].split())
                with self.subTest(spec=spec, tray=tray):
                    self.assertEqual(self.edges(f"{spec},fail_trays={tray},floor={self.floor}"), self.edges(f"{spec},fail={lost}"))
        self.assertEqual(seen, {"r", "c"})

    def test_files_that_are_read(self):
        """Of a dump, whose switches have names and GUIDs."""
        spec = "file:path=data/cluster96.ibnetdiscover"
        names = self.json("topo", spec + ",fail_racks=1,fail_seed=4")
        finding = next(f["text"] for f in names["findings"] if f["code"] == "failed-rack")
        rack = re.search(r"rack (r\d+c\d+) has failed", finding).group(1)
        self.assertEqual(self.edges(f"{spec},fail_racks={rack}"), self.edges(spec + ",fail_racks=1,fail_seed=4"))

    def test_written_fabric_stays_what_it_is(self):
        for n, more in enumerate((",fail_racks=1,fail_seed=2", f",fail_racks=1,fail_seed=2,floor={self.floor}")):
            path = self.tmp / f"{n}.json"
            self.ok("topo", "dragonfly:h=2" + more, "--format", "json", "-o", path)
            self.assertEqual(self.edges(path), self.edges("dragonfly:h=2" + more))
            self.ok("check", path, "-r", "updown")

    def sweep(self, text, *more):
        path, store = self.tmp / "sweep.yaml", self.tmp / "sweep.db"
        path.write_text(text)
        store.unlink(missing_ok=True)
        return self.json("run", path, "-o", store, *more)

    def test_axes_of_an_experiment(self):
        answer = self.sweep(SWEEP)
        specs = {f["id"]: f["spec"] for f in answer["fabrics"]}
        self.assertEqual(len(answer["points"]), 12)
        hops = {}
        for point in answer["points"]:
            spec = specs[point["fabric"]]
            racks, seed = re.search(r"fail_racks=(\d)", spec).group(1), re.search(r"fail_seed=(\d)", spec).group(1)
            hops.setdefault(racks, set()).add(point["mean_hops"])
            one = self.json("check", f"dragonfly:h=2,fail_racks={racks},fail_seed={seed},floor={self.floor}", "-r", "updown")
            self.assertAlmostEqual(point["mean_hops"], one["mean_hops"], places=8)
        self.assertEqual(len(hops["0"]), 1)
        self.assertGreater(len(hops["1"]), 1)
        self.assertGreater(len(hops["3"]), 1)

    def test_ranges_of_shares(self):
        """Of every parameter that takes a share among other things: the same points as of a list."""
        text = "fabric: {{family: karytree, k: 4, n: 2, {}: {}, fail_seed: 1}}\nrouting: updown\nsimulate: false\nallow_unreachable: true\nmeasures: [proof]\n"
        for name in ("fail", "fail_racks", "fail_trays"):
            for written, values in (("0%..6% step 2%", "[0%, 2%, 4%, 6%]"), ("0.5%..4% times 2", "[0.5%, 1%, 2%, 4%]"), ("[0%..2% step 1%, 10%]", "[0%, 1%, 2%, 10%]"),
                                    ("0 % .. 6 % step 2 %", "[0%, 2%, 4%, 6%]"), ("0..6% step 0.02", "[0%, 2%, 4%, 6%]"),
                                    ("0..1", "[0, 1]"), ("[0 .. 1, 5%]", "[0, 1, 5%]"), ("0..1 step 1", "[0, 1]")):
                if name != "fail_racks" and "0, 1" in values:
                    continue  # a fabric in one rack has no trays
                found = []
                for value in (written, values):
                    (self.tmp / "range.yaml").write_text(text.format(name, value))
                    self.ok("run", self.tmp / "range.yaml", "-o", self.tmp / "range.db", "-q")
                    found.append(self.ok("report", self.tmp / "range.db", "--csv"))
                    (self.tmp / "range.db").unlink()
                with self.subTest(name=name, value=written):
                    self.assertEqual(*found)
        (self.tmp / "range.yaml").write_text("fabric: karytree:k=2,n=2\nrouting: dmodk\nload: 20%\ntraffic: {family: uniform, label: '10%..20% of hosts'}\n"
                                             "measure: {warmup: 1 us, duration: 1 us}\n")
        self.assertIn("10%..20% of hosts", self.ok("run", self.tmp / "range.yaml", "-o", self.tmp / "range.db"))  # other texts are no ranges
        (self.tmp / "range.db").unlink()
        for name, written, error in (("fail", "0%..6%", "has no step"), ("fail", "6%..0% step 2%", "goes down"), ("fail", "0%..6% step 0%", "is zero"),
                                     ("fail", "0%..x", "'x' is not a fraction"), ("fail_racks", "3..1", "goes down"), ("fail_racks", "0..900", "more than the floor plan has"),
                                     ("fail_trays", "0..1 times 2", "never ends")):
            (self.tmp / "range.yaml").write_text(text.format(name, written))
            with self.subTest(value=written):
                done = run("run", self.tmp / "range.yaml", "-o", self.tmp / "range.db")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, rf"range.yaml:1:{42 + len(name)}: .*{error}")
                self.assertFalse((self.tmp / "range.db").exists())

    def test_rules_of_the_floor_are_a_part_of_the_experiment(self):
        """When they change, the points are run again."""
        self.sweep(SWEEP)
        with sqlite3.connect(self.tmp / "sweep.db") as store:
            before = store.execute("SELECT count(*) FROM points").fetchone()[0]
        self.assertEqual(before, 12)
        self.floor.write_text("rack_units: 30\n")
        changed = self.json("run", self.tmp / "sweep.yaml", "-o", self.tmp / "sweep.db")
        one = self.json("check", f"dragonfly:h=2,fail_racks=1,fail_seed=1,floor={self.floor}", "-r", "updown")
        self.assertIn(round(one["mean_hops"], 7), {round(p["mean_hops"], 7) for p in changed["points"]})

    def test_a_single_draw_is_told(self):
        text = "fabric: {family: dragonfly, h: 2, fail_racks: %s}\nrouting: updown\nload: 10%%\nseeds: 2\nadapter: {packet: 256 B}\nmeasure: {warmup: 100 ns, duration: 300 ns}\n"
        for value, told in (("1", True), ("r1c1", False)):
            path, store = self.tmp / "one.yaml", self.tmp / f"{value}.db"
            path.write_text(text % value)
            done = run("run", path, "-o", store)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("is drawn once" in done.stdout + done.stderr, told)

    def test_refused(self):
        for what, says in ((f"fail_racks=r9c9,floor={self.floor}", ["fail_racks: there is no rack 'r9c9'", "racks: r1c1, r1c2"]),
                           (f"fail_racks=99,floor={self.floor}", ["fail_racks = 99 is more than the floor plan has", "r1c1, r1c2"]),
                           ("fail_racks=99999999999999999999", ["is more than the floor plan has", "r1c1, r1c2"]),
                           (f"fail_trays=r99,floor={self.floor}", ["fail_trays: there is no tray 'r99'", "trays: r1, r2"]),
                           ("fail_racks=0.5", ["neither a number nor a share", "5%"]), (f"floor={self.floor}", ["no effect", "fail_racks"]),
                           ("fail_racks=1,floor=none.yaml", "none.yaml")):
            for command in (("check", "-r", "updown"), ("load", "-r", "updown"), ("topo",), ("route", "-r", "updown")):
                with self.subTest(what=what, command=command[0]):
                    self.refused(command[0], f"dragonfly:h=2,{what}", *command[1:], says=says)
        for line, says in (("fail_racks: r9c9", ["sweep.yaml:1:47", "there is no rack 'r9c9'"]), ("fail_trays: 99", ["sweep.yaml:1:47", "more than the floor plan has"]),
                           ("floor: floor.yaml", ["sweep.yaml:1:", "no effect"])):
            path = self.tmp / "sweep.yaml"
            path.write_text(f"fabric: {{family: dragonfly, h: 2, {line}}}\nrouting: updown\nsimulate: false\nmeasures: [proof]\n")
            with self.subTest(line=line):
                self.refused("run", path, "-o", self.tmp / "no.db", says=says)
                self.assertFalse((self.tmp / "no.db").exists())

    # ---- ikat design

    def design(self, *more):
        return self.json("design", "--hosts", "128", "--radix", "16", *more)["members"]

    def test_design(self):
        """Each draw is what the fabric's own parameters draw: mean of hosts and hops of three seeds."""
        for floor in ([], ["--floor", self.floor]):
            given = f",floor={self.floor}" if floor else ""
            for m in self.design("--fail", "racks=1", "--fail", "trays=1", "--fail", "switches=5%", "--fail", "5%", "--fail", "racks=0", *floor):
                self.assertEqual([(f["what"], f["share"], f["number"]) for f in m["failures"]],
                                 [("racks", None, 1), ("trays", None, 1), ("switches", 0.05, None), ("cables", 0.05, None), ("racks", None, 0)])
                self.assertEqual((m["failures"][4]["connected"], m["failures"][4]["lost_hosts"], m["failures"][4]["failed_cables"]), (1, 0, 0))
                for failure, what in zip(m["failures"], (f"fail_racks=1{given}", f"fail_trays=1{given}", "fail_switches=5%", "fail=5%")):
                    with self.subTest(spec=m["spec"], what=what):
                        draws = [self.json("topo", f"{m['spec']},{what},fail_seed={seed}") for seed in (1, 2, 3)]
                        links = self.json("topo", m["spec"])["switch_links"]
                        self.assertAlmostEqual(failure["failed_cables"], sum(links - d["switch_links"] for d in draws) / 3)
                        self.assertAlmostEqual(failure["lost_hosts"], sum(128 - d["host_links"] for d in draws) / 3)
                        self.assertTrue(0 <= failure["connected_least"] <= failure["connected"] <= 1)

    def test_design_where_nothing_is_left(self):
        for m in self.design("dragonfly", "--fail", "racks=100%", "--fail", "switches=100%"):
            self.assertEqual([(f["lost_hosts"], f["connected"], f["connected_least"], f["mean_hops"]) for f in m["failures"]], 2 * [(128, 0, 0, None)])

    def test_more_racks_than_are_named(self):
        narrow = self.tmp / "narrow.yaml"
        narrow.write_text("rack_units: 1\nrow_racks: 1\n")
        found = [f["text"] for f in self.json("topo", f"dragonfly:h=2,fail_racks=100%,floor={narrow}")["findings"] if f["code"] == "failed-rack"]
        self.assertEqual(len(found), 101)
        self.assertEqual(found[-1], "8 more racks have failed, 108 in all")

    def test_design_with_rails(self):
        """The racks of all rails: those of one network whose switches are as high as all of them."""
        high = self.tmp / "high.yaml"
        high.write_text("switch_units: 2\n")
        for m in self.design("--rails", "2", "--fail", "racks=1"):
            draws = [self.json("topo", f"{m['spec']},fail_racks=1,fail_seed={seed},floor={high}") for seed in (1, 2, 3)]
            self.assertAlmostEqual(m["failures"][0]["lost_hosts"], sum(128 - d["host_links"] for d in draws) / 3)

    def test_design_shows_them(self):
        wish = ("design", "--hosts", "128", "--radix", "16", "dragonfly", "--fail", "racks=1", "--fail", "2%")
        page = self.tmp / "designs.html"
        text = self.ok(*wish, "-o", page)
        self.assertIn("hosts lost", text)
        self.assertRegex(text, r"Dragonfly +1 rack +52 +32\.0 ")
        self.assertIn("fail racks=1", page.read_text().replace('","', " "))
        names = next(csv.reader(io.StringIO(self.ok(*wish, "--csv"))))
        self.assertIn("hosts lost, 1 rack failed", names)
        self.assertNotIn("hosts lost, 2 % failed", names)
        self.assertNotIn("hosts lost", self.ok(*wish[:-4], "--fail", "2%"))

    def test_design_refuses(self):
        for fail, says in (("racks", ["'racks' does not say what fails", "racks=1"]), ("rakcs=1", ["did you mean 'racks'"]), ("racks=r1c1", ["number of racks", "differ from network"]),
                           ("trays=0.5", "trays=5%"), ("switches=3", "switches=2%"), ("racks=99", ["dragonfly:", "more than the floor plan has"])):
            with self.subTest(fail=fail):
                self.refused("design", "--hosts", "128", "--radix", "16", "dragonfly", "--fail", fail, says=says)
        self.refused("design", "--hosts", "128", "--radix", "16", "dragonfly", "--fail", "racks=1", "--floor", "none", says=["no floor plans (--floor none)"])
        self.refused("design", "--hosts", "128", "--radix", "16", "--rails", "43", "dragonfly", "--fail", "trays=1", says=["no rack holds the switches of all rails"])


if __name__ == "__main__":
    unittest.main()
