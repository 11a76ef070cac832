"""ikat design: members for a number of hosts and a switch, what they cost, and wishes that cannot be fulfilled."""
import csv
import io
import json
import random
import re
import unittest

from harness import SOURCE, CliTest, run


def block(page, language):
    """The blocks of a language of a document."""
    return re.findall(rf"```{language}\n(.*?)```", (SOURCE / page).read_text(encoding="utf-8"), re.DOTALL)


class Members(CliTest):
    def test_random_wishes(self):
        """Every member builds, connects all its hosts, and has the sizes that are said; its routing is proved."""
        draw = random.Random(3)
        for _ in range(5):
            hosts, radix, most = draw.randint(16, 1200), draw.randint(8, 64), draw.choice((1, 1.5, 2, 3))
            done = run("design", "--hosts", hosts, "--radix", radix, "--oversubscription", most, "--json")
            if done.returncode == 2:
                self.assertIn("no family reaches", done.stderr)
                continue
            made = self.json("design", "--hosts", hosts, "--radix", radix, "--oversubscription", most)
            self.assertTrue(made["members"])
            for member in made["members"]:
                with self.subTest(spec=member["spec"]):
                    topo = self.json("topo", member["spec"])
                    self.assertEqual((topo["hosts"], topo["switches"]), (hosts, member["switches"]))
                    self.assertEqual(topo["links"], member["cables"])
                    self.assertLessEqual(topo["radix"], radix)
                    self.assertIs(member["proved"], True)
                    check = self.json("check", member["spec"], "--routing", member["routing"])
                    self.assertEqual((check["undelivered"], check["deadlock_free"], check["vcs"]), (0, True, member["vcs"]))
            costs = [member["cost_per_host"] for member in made["members"]]
            self.assertEqual(costs, sorted(costs))

    def test_loads_are_those_of_load(self):
        for member in self.json("design", "--hosts", 200, "--radix", 16, "-t", "tornado:dims=10:20", "--bisection")["members"]:
            for row in member["saturation"]:
                if row["load"] is None:
                    continue
                load = self.json("load", member["spec"], "--routing", member["routing"], "--traffic", row["pattern"])
                self.assertAlmostEqual(load["saturation"], row["load"], places=9)
            self.assertGreater(member["bisection_per_host"], 0)

    def test_goal(self):
        """The member that costs least, or the one with the fewest switches, also where floor plans say which cables are copper."""
        wish = ("design", "--hosts", 1000, "--radix", 32)
        for more in (("--floor", "none"), (), ("--rails", 2)):
            cost, fewest = ({m["series"]: m for m in self.json(*wish, *more, "--choose", goal)["members"]} for goal in ("cost", "switches"))
            self.assertEqual(set(cost), set(fewest))
            for series, member in cost.items():
                with self.subTest(series=series, more=more):
                    self.assertLessEqual(member["cost"], fewest[series]["cost"])
                    self.assertGreaterEqual(member["switches"], fewest[series]["switches"])
            if more == ("--floor", "none"):
                self.assertEqual((cost["Dragonfly"]["switches"], fewest["Dragonfly"]["switches"]), (128, 126))
                self.assertLess(cost["Dragonfly"]["cost"], fewest["Dragonfly"]["cost"])
        for goal, said in ("cost", "Members were chosen by cost. --choose switches gives fewer switches: Dragonfly 252 in place of 256."), ("switches", ""):
            shown = self.ok(*wish, "--floor", "none", "--rails", 2, "--choose", goal, "dragonfly", "crossbar")
            self.assertIn(said, " ".join(shown.split()))
            self.assertEqual(shown.count("chosen by cost"), goal == "cost")
            member = self.json(*wish, "--floor", "none", "--rails", 2, "--choose", goal, "dragonfly")["members"][0]
            self.assertEqual((member["switches"], member["fewest_switches"]), (256, 252) if goal == "cost" else (252, None))
        plain = self.json(*wish, "--floor", "none")
        self.assertEqual(plain["wish"]["goal"], "cost")
        self.assertEqual(plain["members"], self.json(*wish, "--floor", "none", "--choose", "cost")["members"])
        done = run(*wish, "--choose", "speed")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--choose takes 'cost' or 'switches', not 'speed'", done.stderr)

    def test_shorthands_name_their_series(self):
        for name, series in (("fattree2", "2-level fat tree"), ("fattree3", "3-level fat tree")):
            made = self.json("design", "--hosts", 100, "--radix", 16, "--floor", "none", name)
            self.assertEqual([m["series"] for m in made["members"] + made["infeasible"]], [series])

    def test_known_members(self):
        """The numbers that a book gives: 2 R^2 / 4 hosts at two levels, R^3 / 4 at three, one switch for R hosts."""
        made = {m["series"]: m for m in self.json("design", "--hosts", 128, "--radix", 16)["members"]}
        self.assertEqual((made["2-level fat tree"]["spec"], made["2-level fat tree"]["spare_host_ports"]), ("pgft:m=8:16,w=1:8,p=1:1", 0))
        made = {m["series"]: m for m in self.json("design", "--hosts", 1024, "--radix", 16, "xgft")["members"]}
        self.assertEqual(made["3-level fat tree"]["spec"], "pgft:m=8:8:16,w=1:8:8,p=1:1:1")
        self.assertEqual([m["spec"] for m in self.json("design", "--hosts", 16, "--radix", 16, "crossbar")["members"]], ["crossbar:n=16"])

    def test_what_stands_in_the_way(self):
        made = self.json("design", "--hosts", 10000, "--radix", 64, "xgft", "fullmesh", "oft")
        self.assertEqual({m["series"] for m in made["members"]}, {"3-level fat tree", "OFT"})
        reasons = {row["series"]: row for row in made["infeasible"]}
        tree = reasons["2-level fat tree"]
        self.assertEqual((tree["most_hosts"], tree["nearest"], tree["radix_needed"]), (2048, "pgft:m=32:64,w=1:32,p=1:1", 142))
        self.assertIn("at most 2,048 hosts with 64-port switches", tree["reason"])
        self.assertIn("Families that do not fit", self.ok("design", "--hosts", 10000, "--radix", 64, "oft", "fullmesh"))

    def test_many_hosts_have_only_sizes(self):
        member = self.json("design", "--hosts", 300001, "--radix", 128, "dragonfly")["members"][0]
        self.assertEqual((member["proved"], member["diameter"], member["saturation"]), (None, None, []))
        self.assertGreater(member["switches"], 1000)

    def test_one_member_needs_more_memory(self):
        """Members that do not fit into the memory keep their size and cost; the others are measured."""
        whole = {m["spec"]: m for m in self.json("design", "--hosts", 3000, "--radix", 48, "--floor", "none")["members"]}
        mixed = 0
        for limit in range(4, 12):
            done = run("design", "--hosts", 3000, "--radix", 48, "--json", "--floor", "none", "-j1", "--memory-limit", f"{limit}MiB")
            self.assertEqual(done.returncode, 0, done.stderr)
            members = json.loads(done.stdout)["members"]
            unknown = [m["spec"] for m in members if m["proved"] is None]
            mixed += 0 < len(unknown) < len(members)
            self.assertEqual({m["spec"]: m["cost"] for m in members}, {spec: m["cost"] for spec, m in whole.items()})
            self.assertEqual(sorted(re.findall(r"^(\S+): .*MiB.*; only its size and its cost are shown$", done.stderr, re.M)), sorted(unknown))
            self.assertEqual([m for m in members if m["proved"]], [whole[m["spec"]] for m in members if m["proved"]])
        self.assertGreater(mixed, 0)

    def test_notes(self):
        """What is assumed and what is not computed is said under the table."""
        (self.tmp / "mine.yaml").write_text("currency: EUR\n", encoding="utf-8")
        for args, words in (((300001, 128, "dragonfly"), "hosts are not built: the empty columns are not computed"), ((8, 4, "dragonfly"), "assumed round numbers"),
                            ((1, 4, "slimfly", "crossbar"), "; 1 host needs switches of 6 ports"),
                            ((8, 4, "dragonfly", "--prices", self.tmp / "mine.yaml"), "mine.yaml, and ikat's assumptions for the keys that it lacks")):
            hosts, radix, *more = args
            self.assertIn(words, " ".join(self.ok("design", "--hosts", hosts, "--radix", radix, *more).split()))

    def test_rate(self):
        made = self.json("design", "--hosts", 100, "--radix", 32, "--rate", "400Gb/s")
        self.assertEqual(made["wish"]["rate_bps"], 400000000000)
        for member in made["members"]:
            self.assertEqual(self.json("topo", member["spec"])["links_by_rate"][0]["name"], "400 Gb/s", member["spec"])

    def test_output(self):
        """CSV has what JSON has; the table fits its width."""
        wish = ("design", "--hosts", 300, "--radix", 24, "-t", "shift")
        rows = list(csv.DictReader(io.StringIO(self.ok(*wish, "--csv"))))
        made = self.json(*wish)
        self.assertEqual(len(rows), len(made["members"]) + len(made["infeasible"]))
        for row, member in zip(rows, made["members"]):
            self.assertEqual((row["spec"], int(row["switches"]), row["proved"], row["reason"]), (member["spec"], member["switches"], "yes", ""))
            self.assertAlmostEqual(float(row["cost"]), member["cost"])
            self.assertAlmostEqual(float(row["saturation uniform"]), member["saturation"][0]["load"])
        table = self.ok(*wish, env={"COLUMNS": "90"})
        self.assertLessEqual(max(map(len, table.splitlines())), 90)
        self.assertEqual(self.ok(*wish, "-j", "1"), self.ok(*wish, "-j", "2"))

    def test_unproved(self):
        """All routings that families declare are proved; a status of 1 would say otherwise."""
        self.assertNotIn("NOT PROVED", self.ok("design", "--hosts", 64, "--radix", 12))


class Prices(CliTest):
    WISH = ("design", "--hosts", "100", "--radix", "24", "2-level fat tree", "--floor", "none")

    def cost(self, text, *more):
        path = self.tmp / "prices.yaml"
        path.write_text(text, encoding="utf-8")
        return self.json(*self.WISH, *more, "--prices", path)

    def test_sums(self):
        made = self.cost("currency: EUR\nswitches: [{ports: 24, rate: 100 Gb/s, price: 1000, watts: 10}, {ports: 36, rate: 100 Gb/s, price: 900, watts: 20}]\n"
                         "adapters: [{rate: 100 Gb/s, price: 7, watts: 1}]\ncopper_cables: [{rate: 100 Gb/s, price: 3, watts: 0}]\n"
                         "optical_cables: [{rate: 100 Gb/s, price: 5, watts: 0.5}]\n")
        (member,) = made["members"]
        switches, cables = member["switches"], member["switch_cables"]
        self.assertEqual((made["currency"], made["prices"]), ("EUR", str(self.tmp / "prices.yaml")))
        self.assertEqual({key: value for key, value in member.items() if key.startswith("cost")},
                         {"cost_switches": 900 * switches, "cost_adapters": 700, "cost_copper_cables": 300, "cost_optical_cables": 5 * cables,
                          "cost": 900 * switches + 1000 + 5 * cables, "cost_per_host": (900 * switches + 1000 + 5 * cables) / 100})
        self.assertEqual(member["watts"], 20 * switches + 100 + cables / 2)

    def test_one_key_alone(self):
        built_in = self.json(*self.WISH)["members"][0]
        mine = self.cost("adapters: [{rate: 100 Gb/s, price: 0, watts: 0}]\n")["members"][0]
        self.assertEqual((mine["cost_adapters"], mine["cost_switches"]), (0, built_in["cost_switches"]))
        negative = self.cost("adapters: [{rate: 100 Gb/s, price: -0, watts: -0}]\n")["members"][0]
        self.assertEqual(json.dumps(negative), json.dumps(mine))  # where -0 is not 0

    def test_larger_than_any_in_the_list(self):
        """In proportion to the largest."""
        member = self.cost("switches: [{ports: 8, rate: 100 Gb/s, price: 100, watts: 1}]\n")["members"][0]
        self.assertEqual(member["cost_switches"], 300 * member["switches"])

    def test_the_documented_list_is_the_built_in_one(self):
        (text,) = [b for b in block("docs/designing.md", "yaml") if "optical_cables" in b]
        for rate in ("100Gb/s", "200Gb/s", "400Gb/s"):
            mine, built_in = self.cost(text, "--rate", rate), self.json(*self.WISH, "--rate", rate)
            self.assertEqual((mine["members"], mine["currency"]), (built_in["members"], built_in["currency"]))

    def test_wrong_lists(self):
        path = self.tmp / "prices.yaml"
        for text, at, words in (("switch: 3\n", "switch", "switches"), ("currency: US Dollar\n", "US", "currency"),
                                ('currency: "a\\eb"\n', '"', "currency"), ("currency: EUR\n---\n", "---", "second YAML document; a file holds only one"),
                                ("adapters: [{rate: 100 Gb/s, price: -1, watts: 3}]\n", "price", "'price' = -1 is out of range: expected 0 to"),
                                ("adapters:\n  - {rate: 100 Gb/s, price: 1 EUR, watts: 3}\n", "price", "1 EUR"),
                                ("adapters:\n  - {rate: 100 Gb/s, price: 1, watts: 3 kW}\n", "watts", "3 kW"),
                                ("adapters:\n  - {rate: 100 m, price: 1, watts: 3}\n", "rate", "Gb/s"),
                                ("adapters:\n  - {rate: 100 Gb/s, price: 1, watt: 3}\n", "watt:", "'watts'?"),
                                ("adapters:\n  - {rate: 100 Gb/s, price: 1}\n", "{", "watts"),
                                ("adapters:\n  - {rate: 100 Gb/s, price: 1, watts: 3, ports: 1}\n", "ports", "ports"),
                                ("switches:\n  - {ports: 0, rate: 100 Gb/s, price: 1, watts: 3}\n", "ports", "1 to 65535"),
                                ("adapters: []\n", "[", "adapters"), ("adapters: 7\n", "7", "list"), ("- 7\n", "-", "mapping"),
                                ("adapters: [7]\n", "7", "mapping"), ("adapters: [{rate: [1], price: 1, watts: 3}]\n", "rate", "list"),
                                ("adapters: [{rate: 100 Gb/s, price: 1, watts: 3, source: [2026]}]\n", "source", "'source' is a single value, found a list"),
                                ("adapters: [{rate: 100 Gb/s, price: .inf, watts: 3}]\n", "price", ".inf")):
            line = text[:text.index(at)].count("\n") + 1
            place = f"{line}:{text.index(at) - text.rfind(chr(10), 0, text.index(at))}"
            with self.subTest(text=text):
                path.write_text(text, encoding="utf-8")
                self.refused(*self.WISH, "--prices", path, says=(f"prices.yaml:{place}: ", words))
        path.write_text("adapters: [{rate: 25 Gb/s, price: 1, watts: 3}]\n", encoding="utf-8")
        self.refused(*self.WISH, "--prices", path, says=("no adapters of 100 Gb/s", "--prices"))
        self.refused(*self.WISH, "--prices", self.tmp / "none.yaml", says="none.yaml")


class Ranges(CliTest):
    WISH = ("design", "--radix", 16, "--floor", "none", "--json")

    def test_against_every_number(self):
        """The same as asking for each number of hosts, and taking what costs least per host, or has the fewest switches per host."""
        for goal, key in ("cost", lambda m: m["cost_per_host"]), ("switches", lambda m: m["switches"] / m["hosts"]):
            best = {}
            for hosts in range(100, 141):
                for m in self.json(*self.WISH[:-1], "--hosts", hosts, "--choose", goal, "xgft", "dragonfly", "hyperx", "slimfly", "mlfm")["members"]:
                    if m["series"] not in best or key(m) < key(best[m["series"]]) * (1 - 1e-9):
                        best[m["series"]] = m
            made = self.json(*self.WISH[:-1], "--hosts", "100..140", "--choose", goal, "xgft", "dragonfly", "hyperx", "slimfly", "mlfm")
            self.assertEqual((made["wish"]["hosts"], made["wish"]["hosts_max"]), (100, 140))
            self.assertEqual({m["series"] for m in made["members"]}, set(best))
            for m in made["members"]:
                with self.subTest(goal=goal, spec=m["spec"]):
                    self.assertAlmostEqual(key(m), key(best[m["series"]]), delta=1e-9 * key(m))
                    self.assertTrue(100 <= m["hosts"] <= 140)
                    self.assertEqual(self.json("topo", m["spec"])["hosts"], m["hosts"])
            self.assertEqual([m["cost_per_host"] for m in made["members"]], sorted(m["cost_per_host"] for m in made["members"]))

    def test_one_number(self):
        one, range_of_one = (self.json(*self.WISH[:-1], "--hosts", hosts, "xgft") for hosts in ("120", "120..120"))
        self.assertEqual(one, range_of_one)
        self.assertEqual((one["wish"]["hosts"], one["wish"]["hosts_max"]), (120, 120))

    def test_what_stands_in_the_way(self):
        """The least number decides; the same is said as for it alone."""
        made, alone = (self.json(*self.WISH[:-1], "--hosts", hosts, "xgft", "fullmesh") for hosts in ("120..4000", "120"))
        self.assertEqual(made["infeasible"], alone["infeasible"])
        self.assertEqual({m["series"]: m["hosts"] for m in made["members"]}["2-level fat tree"], 128)
        self.refused(*self.WISH[:-1], "--hosts", "100000..200000", "fullmesh", says="no family reaches 100,000 hosts")

    def test_said(self):
        wish = ("design", "--hosts", "900..1100", "--radix", 32, "--floor", "none", "dragonfly", "slimfly")
        text = " ".join(self.ok(*wish, "-w", "collective:operation=allreduce,bytes=1MB").split())
        self.assertIn("Of each family the number of hosts from 900 to 1,100 with the least cost per host is shown.", text)
        self.assertIn("a workload is of all hosts", text)
        rows = list(csv.DictReader(io.StringIO(self.ok(*wish, "--csv"))))
        self.assertEqual({row["series"]: row["hosts"] for row in rows}, {"Dragonfly": "1024", "Slim Fly": "972"})
        self.refused(*wish, "--from", "slimfly:q=9,p=6", says=("has 972 hosts, more than the 900 of --hosts", "--hosts 972..1100"))
        self.refused("design", "--hosts", "200000..400000", "--radix", 128, "-t", "tornado", says=("--traffic", "300,000 hosts"))

    def test_bad_ranges(self):
        for text, words in (("5000..4000", ("the range ends before it begins", "4000..5000")), ("4000..", "its last number is missing"), ("..5000", "its first number is missing"),
                            ("..", "its first number is missing"), ("a..b", ("its first number: 'a' is not a whole number", "as in 4000..5000")),
                            ("4000..b", "its last number: 'b'"), ("4000..5000..6000", "a range has two ends"), ("4000...5000", "its last number: '.5000'"),
                            ("0..5", "its first number is out of range"), ("5..99999999999", "its last number is out of range"), ("5.." + "1" * 100, "its last number is out of range"),
                            ("-5..5", "its first number: '-5'")):
            with self.subTest(text=text):
                self.refused("design", f"--hosts={text}", "--radix", 16, says=words)


class Refused(CliTest):
    def test_wrong_wishes(self):
        for args, words in ((("--hosts", "0", "--radix", "8"), ("--hosts", "1")), (("--hosts", "10", "--radix", "1"), ("--radix", "2")),
                            (("--hosts", "10"), ("--radix",)), (("--radix", "8"), ("--hosts",)), ((), ("--hosts",)),
                            (("--hosts", "10", "--radix", "5000"), ("4096",)), (("--hosts", "many", "--radix", "8"), ("many",)),
                            (("--hosts", "10000000", "--radix", "8"), ("no family reaches 10,000,000 hosts", "at most", "need switches of")),
                            (("--hosts", "1000", "--radix", "8", "fullmesh"), ("no family", "Full mesh: at most 20 hosts")),
                            (("--hosts", "10", "--radix", "8", "--oversubscription", "0.5"), ("--oversubscription", "0.5")),
                            (("--hosts", "10", "--radix", "8", "--oversubscription", "x"), ("--oversubscription",)),
                            (("--hosts", "10", "--radix", "8", "--rate", "3 m"), ("--rate", "3 m")),
                            (("--hosts", "10", "--radix", "8", "--rate", "7Gb/s"), ("7 Gb/s", "--prices")),
                            (("--hosts", "400000", "--radix", "128", "-t", "unifrom"), ("--traffic", "300,000 hosts")),
                            (("--hosts", "400000", "--radix", "128", "-b"), ("--bisection", "300,000 hosts")),
                            (("--hosts", "10", "--radix", "8", "slimfy"), ("slimfy", "slimfly")),
                            (("--hosts", "10", "--radix", "8", "torus"), ("torus",)),
                            (("--hosts", "10", "--radix", "8", "-t", "unifrom"), ("unifrom", "uniform")),
                            (("--hosts", "10", "--radix", "8", "--csv", "--json"), ("--csv",))):
            with self.subTest(args=args):
                self.refused("design", *args, says=words)

    def test_compare_names_this_command(self):
        self.refused("compare", "--hosts", "4000", "--radix", "64", says="ikat design --hosts 4000 --radix 64")


if __name__ == "__main__":
    unittest.main()
