#!/usr/bin/env python3
"""Floor plans in commands: the list of cables, which is read again and audited against; rules of floors; what is refused."""
import csv
import io
import json
import re
import unittest

from harness import CliTest

# Lengths and places are those of tests/unit/test_floor_plan.c, worked out by hand.
SMALL = "rack_units: 4\nrow_racks: 1\n"


class Floor(CliTest):
    def listed(self, spec, *more):
        path = self.tmp / "cables.csv"
        floor = self.json("topo", spec, "--cable-list", path, *more)["floor"]
        return floor, list(csv.DictReader(io.StringIO(path.read_text())))

    def rules(self, text, name="floor.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def test_by_hand(self):
        floor, rows = self.listed("fullmesh:n=2,p=2,link_rate=400Gb/s,host_rate=200Gb/s", "--floor", self.rules(SMALL))
        self.assertEqual((floor["racks"], floor["rows"], floor["row_racks"]), (2, 2, 1))
        self.assertEqual((floor["copper_cables"], floor["optical_cables"], floor["copper_m"], floor["optical_m"]), (4, 1, 6, 4.5))
        self.assertEqual(floor["after_search_m"], 2 * (1.133 + 1.089) + 2 * 0.522 + 2.4 + 1)
        between = next(row for row in rows if row["type"] == "optical")
        self.assertEqual(between, {"cable": "3", "side_a_rack": "r1c1", "side_a_unit": "4", "side_a_device": "sw0", "side_a_role": "switch",
                                   "side_a_name": "3", "side_b_rack": "r2c1", "side_b_unit": "4", "side_b_device": "sw1", "side_b_role": "switch",
                                   "side_b_name": "3", "length": "4.500", "length_unit": "m", "type": "optical", "link_rate": "400 Gb/s", "trays": "c1"})
        self.assertEqual([row["trays"] for row in rows if row["side_a_role"] == "host"], [""] * 4)
        self.assertEqual([row["link_rate"] for row in rows if row["side_a_role"] == "host"], ["200 Gb/s"] * 4)

    def test_audited_against(self):
        """A fabric is cabled as its own list says, and one that is not is found."""
        for spec in ("pgft:m=4:4,w=1:2,p=1:2", "dragonfly:h=2", "slimfly:q=3", "torus:dims=4:4", "jellyfish:N=16,d=4", "pgft:m=4:4,w=2:4,p=1:1"):
            path = self.tmp / "cables.csv"
            floor, rows = self.listed(spec)
            with self.subTest(spec=spec):
                fabric = self.json("topo", spec)
                self.assertEqual(len(rows), fabric["links"])
                self.assertEqual(floor["copper_cables"] + floor["optical_cables"], fabric["links"])
                again = self.json("topo", path, status=None)
                self.assertEqual([again[k] for k in ("hosts", "switches", "links", "host_links")], [fabric[k] for k in ("hosts", "switches", "links", "host_links")])
                self.assertEqual({c["rate_bps"] for c in again["links_by_rate"]}, {10**11})
                self.assertIn("the fabric is cabled as the plan", self.ok("audit", spec, "--plan", path, status=None))
                self.assertIn("the fabric is cabled as the plan", self.ok("audit", path, "--plan", spec, status=None))
                lines = path.read_text().splitlines()
                between = [i for i, line in enumerate(lines) if line.count(",switch,") == 2]
                switches = [between[0], between[-1]]
                swapped = [lines[i].split(",") for i in switches]
                swapped[0][6:11], swapped[1][6:11] = swapped[1][6:11], swapped[0][6:11]
                for i, cells in zip(switches, swapped):
                    lines[i] = ",".join(cells)
                wrong = self.tmp / "wrong.csv"
                wrong.write_text("\n".join(lines) + "\n")
                self.assertNotIn("the fabric is cabled as the plan", self.ok("audit", spec, "--plan", wrong, status=None))

    def test_built_machine(self):
        """The dump of a built machine with one cable moved, against the list."""
        plan, built = self.tmp / "plan.csv", self.tmp / "built.ibnetdiscover"
        self.ok("topo", "karytree:k=2,n=2", "--cable-list", plan)
        self.ok("topo", "karytree:k=2,n=2,fail=sw0.3", "-o", built)
        out = self.ok("audit", built, "--plan", plan, status=None)
        self.assertRegex(out, r"missing-cable. a cable from sw0 .* to sw2 .* is missing, which the plan has: add it\n +at sw0 .* port 3")

    def test_deterministic(self):
        texts = []
        for threads in (1, 2):
            path = self.tmp / f"{threads}.csv"
            self.ok("topo", "dragonfly:h=2", "--cable-list", path, "-j", threads)
            texts.append(path.read_bytes())
        self.assertEqual(*texts)

    def test_sorted_by_racks(self):
        _, rows = self.listed("slimfly:q=5")
        keys = [(*map(int, re.findall(r"\d+", row["side_a_rack"])), int(row["side_a_unit"])) for row in rows]
        self.assertEqual(keys, sorted(keys))
        self.assertEqual([row["cable"] for row in rows], [str(i + 1) for i in range(len(rows))])

    def test_rules_are_refused_with_their_place(self):
        for text, says in (("rack_units: 42\nrakc_width: 60 cm\n", ["floor.yaml:2:1", "rakc_width", "rack_width"]),
                           ("rack_width: 60 parsec\n", ["floor.yaml:1:", "rack_width"]),
                           ("rack_units: 0\n", ["floor.yaml:1:", "rack_units"]),
                           ("rows: [1, 2]\n", ["floor.yaml:1:1", "single value"]),
                           ("- rows\n", ["floor.yaml:1:1", "a mapping"]),
                           ("host_units: 50\n", ["a host of 50 rack units does not fit into a rack of 42"]),
                           ("rack_units: 4\nrows: 1\nrow_racks: 3\n", ["the floor is too small", "rows: 2 or row_racks: 6"])):
            with self.subTest(text=text):
                self.refused("topo", "fullmesh:n=6,p=2", "--cable-list", self.tmp / "x.csv", "--floor", self.rules(text), says=says)
                self.assertFalse((self.tmp / "x.csv").exists())

    def test_options_are_refused(self):
        rules = self.rules(SMALL)
        self.refused("topo", "ring:n=3", "--floor", rules, says=["--floor", "no effect", "--cable-list"])
        self.refused("topo", "ring:n=3", "--cable-list", "-", says=["standard output", "give a name"])
        self.refused("topo", "ring:n=3", "--cable-list", rules, "--floor", rules, says="overwrite")
        self.refused("topo", "ring:n=3", "--cable-list", "x.csv", "-o", "-", "--format", "edges", cwd=self.tmp, says="prints the fabric alone")
        self.assertEqual(rules.read_text(), SMALL)
        self.refused("topo", "ring:n=3", "--cable-list", "x.json", "-o", "x.json", cwd=self.tmp, says="would overwrite the fabric")
        self.assertFalse((self.tmp / "x.json").exists())

    def test_names_that_stand_twice(self):
        twins = self.tmp / "twins.json"
        self.ok("topo", "ring:n=3", "-o", twins)
        fabric = json.loads(twins.read_text())
        for switch in fabric["switches"]:
            switch["name"] = "leaf"
        twins.write_text(json.dumps(fabric))
        self.refused("topo", twins, "--cable-list", self.tmp / "x.csv", says=["two nodes are called 'leaf'", "by their names"])
        self.assertFalse((self.tmp / "x.csv").exists())

    def test_lists_with_a_wrong_rate(self):
        path = self.tmp / "cables.csv"
        self.ok("topo", "ring:n=3", "--cable-list", path)
        path.write_text(path.read_text().replace("100 Gb/s", "100 Gb/h", 1))
        self.refused("topo", path, says=["cables.csv:2:1", "link_rate '100 Gb/h' is no rate", "100 Gb/s"])


if __name__ == "__main__":
    unittest.main()
