#!/usr/bin/env python3
"""Floor plans of ikat design: racks and lengths of cables of each member, what they cost, and the page that draws them."""
import csv
import io
import json
import re
import unittest

from harness import CliTest, run

WISH = ("design", "--hosts", 128, "--radix", 16)
FREE = "currency: EUR\nswitches: [{ports: 16, rate: 100 Gb/s, price: 0, watts: 0}]\nadapters: [{rate: 100 Gb/s, price: 0, watts: 0}]\n"
DATA = re.compile(r'(<script type="application/json" id="ikat-data">)(.*?)(</script>)', re.DOTALL)


class DesignFloor(CliTest):
    def put(self, name, text):
        path = self.tmp / name
        path.write_text(text)
        return path

    def test_costs_follow_the_plan(self):
        prices = self.put("prices.yaml", FREE + "copper_cables: [{rate: 100 Gb/s, price: 1, watts: 0}]\noptical_cables: [{rate: 100 Gb/s, price: 1000, watts: 2}]\n")
        made = self.json(*WISH, "--prices", prices)
        self.assertGreater(len(made["members"]), 5)
        for m in made["members"]:
            floor = m["floor"]
            self.assertEqual(floor["copper_cables"] + floor["optical_cables"], m["cables"])
            self.assertEqual((m["cost_copper_cables"], m["cost_optical_cables"]), (floor["copper_cables"], 1000 * floor["optical_cables"]))
            self.assertEqual(m["watts"], 2 * floor["optical_cables"])
        costs = [m["cost_per_host"] for m in made["members"]]
        self.assertEqual(costs, sorted(costs))

    def test_same_as_topo(self):
        """One rail has the floor that ikat topo gives the same fabric."""
        floor = self.put("floor.yaml", "rack_units: 20\nhost_units: 2\nstep: 1 m\n")
        for m in self.json(*WISH, "fattree2", "slimfly", "dragonfly", "--floor", floor)["members"]:
            self.assertEqual(m["floor"], self.json("topo", m["spec"], "--floor", floor, "--cable-list", self.tmp / "x.csv")["floor"])

    def test_default(self):
        """Without --floor the floor is the default one."""
        self.assertEqual(self.json(*WISH), self.json(*WISH, "--floor", "default"))
        self.assertEqual(self.ok(*WISH, "--csv"), self.ok(*WISH, "--csv", "--floor", "default"))

    def test_without(self):
        """Then cables of hosts cost what copper costs, and all others what optical ones cost; nothing is said of racks."""
        prices = self.put("prices.yaml", FREE + "copper_cables: [{rate: 100 Gb/s, price: 1, watts: 0}]\noptical_cables: [{rate: 100 Gb/s, price: 1000, watts: 2}]\n")
        for m in self.json(*WISH, "--floor", "none", "--prices", prices)["members"]:
            self.assertEqual((m["floor"], m["cost"]), (None, m["hosts"] + 1000 * m["switch_cables"]))
        text = self.ok(*WISH, "fattree2", "--floor", "none")
        self.assertIn("Without a floor plan (--floor none), cables of hosts count as copper", " ".join(text.split()))
        self.assertNotIn("Floor plans", text)
        self.assertNotIn("racks", self.ok(*WISH, "fattree2", "--floor", "none", "--csv"))

    def test_no_plan_is_possible(self):
        """Networks that are not built; switches of more rails than a rack has units, which an own floor may have."""
        many = ("design", "--hosts", 16, "--radix", 8, "--rails", 43, "fattree2")
        self.assertEqual(self.json(*many)["members"], self.json(*many, "--floor", "none")["members"])
        self.assertIn("(no rack holds the switches of all rails)", " ".join(self.ok(*many).split()))
        self.assertIsNotNone(self.json(*many, "--floor", self.put("high.yaml", "rack_units: 43\n"))["members"][0]["floor"])
        self.refused(*many, "--floor", "default", says="43")
        large = ("design", "--hosts", 400000, "--radix", 128)
        self.assertEqual(self.ok(*large, "--csv"), self.ok(*large, "--csv", "--floor", "none"))
        self.assertIn("Without a floor plan, cables of hosts", " ".join(self.ok(*large).split()))

    def test_rails(self):
        one, two = (self.json(*WISH, "fattree2", "--rails", rails)["members"][0] for rails in (1, 2))
        self.assertEqual(two["floor"]["copper_cables"] + two["floor"]["optical_cables"], 2 * one["cables"])
        self.assertGreater(two["floor"]["racks"], one["floor"]["racks"])

    def test_table_and_csv(self):
        (member,) = self.json(*WISH, "dragonfly")["members"]
        floor = member["floor"]
        (row,) = csv.DictReader(io.StringIO(self.ok(*WISH, "dragonfly", "--csv")))
        for key in ("racks", "copper_cables", "copper_m", "optical_cables", "optical_m", "longest_m"):
            self.assertEqual(float(row[key]), floor[key])
        text = self.ok(*WISH, "dragonfly")
        self.assertRegex(text, rf"Dragonfly +{floor['racks']} +{floor['rows']} +{floor['copper_cables']:,} +{floor['copper_m']:.1f} +{floor['optical_cables']:,} +{floor['optical_m']:.1f} +{floor['longest_m']:.1f} m")

    def test_page(self):
        """The page has every rack with what is in it: all switches and hosts, each once."""
        self.ok(*WISH, "fattree2", "mlfm", "-o", self.tmp / "d.html")
        data = json.loads(DATA.search((self.tmp / "d.html").read_text())[2])["designs"]
        self.assertEqual(len(data["floors"]), len(data["members"]))
        for m, floor in zip(data["members"], data["floors"]):
            racks = floor["contents"]
            self.assertEqual(len(racks), m["floor"]["racks"])
            self.assertEqual(len({(row, column) for row, column, *_ in racks}), len(racks))
            for index, num in ((3, m["switches"]), (4, m["hosts"])):
                listed = [i for rack in racks for a, b in zip(rack[index][::2], rack[index][1::2]) for i in range(a, b + 1)]
                self.assertEqual(sorted(listed), list(range(num)))
            for _, _, used, switches, hosts in racks:
                self.assertEqual(used, sum(b - a + 1 for ranges in (switches, hosts) for a, b in zip(ranges[::2], ranges[1::2])))
                self.assertLessEqual(used, floor["rack_units"])

    def test_refused(self):
        small = self.put("small.yaml", "rows: 1\nrow_racks: 2\n")
        self.refused(*WISH, "fattree2", "--floor", small, "-o", self.tmp / "d.html", says=["the floor is too small: 1 row of 2 racks holds 2 racks, 4 are needed"])
        self.assertFalse((self.tmp / "d.html").exists())
        unknown = self.put("unknown.yaml", "rack_units: 42\nracks: 4\n")
        self.refused(*WISH, "--floor", unknown, says=["unknown.yaml:2:1", "'racks'"])
        self.refused(*WISH, "--floor", "missing.yaml", says="missing.yaml")
        rules = self.put("rules.html", "rows: 4\n")
        self.refused(*WISH, "fattree2", "--floor", rules, "-o", rules, says="would overwrite the rules of the floor")
        self.assertEqual(rules.read_text(), "rows: 4\n")
        self.refused("design", "--hosts", 400000, "--radix", 128, "--floor", "default", says="--floor needs networks of at most 300,000 hosts")

    def test_one_of_several_members(self):
        """Of the members of a family that are compared on the floor, those that do not fit there are left out."""
        wish = ("design", "--hosts", 1000, "--radix", 32, "dragonfly", "--floor")
        shown = self.json(*wish, "default", "--choose", "switches")["members"][0]
        done = run(*wish, self.put("small.yaml", "rows: 1\nrow_racks: 33\n"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        member = json.loads(done.stdout)["members"][0]
        self.assertNotEqual(member["spec"], shown["spec"])
        self.assertEqual((member["floor"]["racks"], member["proved"], member["fewest_switches"]), (32, True, None))
        self.assertIn(f"{shown['spec']}: the floor is too small: 1 row of 33 racks holds 33 racks, 35 are needed; it is not compared with other members of its family", done.stderr)
        small = self.put("small.yaml", "rows: 1\nrow_racks: 33\n")
        self.assertNotIn("--choose switches", self.ok(*wish, small))
        self.refused(*wish, small, "--choose", "switches", says="35 are needed")
        self.assertIn("--choose switches gives fewer switches: Dragonfly 126 in place of 128", " ".join(self.ok(*wish, "none").split()))
        self.refused(*wish, self.put("small.yaml", "rows: 1\nrow_racks: 31\n"), says=["1 row of 31 racks holds 31 racks, 32 are needed"])

    def test_little_memory(self):
        """Members that are not built have no plan, and cost what is assumed without one."""
        plain = {m["spec"]: m["cost"] for m in self.json("design", "--hosts", 3000, "--radix", 48, "--floor", "none")["members"]}
        done = run("design", "--hosts", 3000, "--radix", 48, "--json", "-j1", "--memory-limit", "6MiB")
        self.assertEqual(done.returncode, 0, done.stderr)
        members = json.loads(done.stdout)["members"]
        self.assertIn("only its size and its cost, without a floor plan, are shown", done.stderr)
        without = [m for m in members if m["floor"] is None]
        self.assertTrue(without)
        self.assertEqual({m["spec"] for m in without}, {m["spec"] for m in members if m["proved"] is None})
        for m in without:
            self.assertEqual(m["cost"], plain[m["spec"]])


if __name__ == "__main__":
    unittest.main()
