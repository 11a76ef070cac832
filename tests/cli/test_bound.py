"""ikat load --bound: what the best of all routings could carry, in every output, against what routings carry; and what is refused."""
import csv
import io
import unittest

from harness import CliTest, run

CASES = [("karytree:k=4,n=2", "uniform", ["dmodk", "random"]), ("xgft:m=4:4,w=2:2", "shift:by=4", ["dmodk", "smodk", "dmodk_pgft"]),
         ("slimfly:q=5,p=4", "worst", ["minimal", "valiant", "ugal_l"]), ("mesh:dims=3:3,p=3", "uniform", ["dor", "minimal", "updown"]),
         ("data/cluster96.ibnetdiscover", "permutation", ["dmodc", "updown"])]


class Bound(CliTest):
    def several(self, fabric, traffic, routings, *more):
        chosen = [word for routing in routings for word in ("-r", routing)]
        return self.json("load", fabric, "-t", traffic, "--bound", *chosen, *more)["rows"][0]

    def test_no_routing_exceeds_it(self):
        for fabric, traffic, routings in CASES:
            row = self.several(fabric, traffic, routings)
            bound = row["bound"]
            self.assertLessEqual(bound["lower"], bound["upper"])
            self.assertLessEqual(bound["upper"] - bound["lower"], .01 * bound["upper"])
            self.assertEqual((bound["end"], bound["epsilon"], len(row["routings"])), ("close", .01, len(routings)))
            for routing in row["routings"]:
                with self.subTest(fabric=fabric, routing=routing["routing"]):
                    rate = routing["saturation"]
                    if routing["routing"].startswith("ugal_l"):
                        self.assertEqual((rate, routing["share_low"], routing["share_high"]), (None, None, None))
                        continue
                    self.assertLessEqual(rate, bound["upper"] * (1 + 1e-9))
                    self.assertAlmostEqual(routing["share_low"], rate / bound["upper"], places=9)
                    self.assertAlmostEqual(routing["share_high"], min(1, rate / bound["lower"]), places=9)
                    alone = self.json("load", fabric, "-t", traffic, "--bound", "-r", routing["routing"])
                    self.assertEqual(alone["saturation"], rate)
                    self.assertEqual(alone["bound"], {**bound, "share_low": routing["share_low"], "share_high": routing["share_high"]})

    def test_one_routing_on_one_fabric(self):
        text = self.ok("load", "slimfly:q=5", "-r", "minimal", "-t", "worst", "--bound")
        self.assertRegex(text, r"predicted saturation +0\.1667 .*\n.*\n +best of all routings +between 0\.8\d+ and 0\.8\d+ of the hosts' rate\n +share of the best +between [\d.]+ and [\d.]+ %")
        exact = self.ok("load", "karytree:k=4,n=2", "-r", "dmodk", "--bound")
        self.assertRegex(exact, r"best of all routings +1 of the hosts' rate\n +share of the best +100 %")
        self.assertNotIn("best of all", self.ok("load", "karytree:k=4,n=2", "-r", "dmodk"))
        self.assertNotIn("bound", self.json("load", "karytree:k=4,n=2", "-r", "dmodk"))

    def test_tables(self):
        args = ("load", "karytree:k=4,n=2", "slimfly:q=5", "-r", "minimal", "-r", "updown", "--bound")
        rows = list(csv.DictReader(io.StringIO(self.ok(*args, "--csv"))))
        self.assertEqual([(r["fabric"], r["routing"].split(":")[0]) for r in rows],
                         [(f, r) for f in ("karytree:k=4,n=2", "slimfly:q=5") for r in ("minimal", "updown")])
        shown = [r for fabric in self.json(*args)["rows"] for r in fabric["routings"]]
        self.assertEqual([float(r["saturation"]) for r in rows], [r["saturation"] for r in shown])
        none = list(csv.DictReader(io.StringIO(self.ok("load", "ring:n=8,p=4", "--bound", "--csv"))))
        self.assertEqual([(r["bound_lower"], r["bound_upper"], r["routing"], r["saturation"]) for r in none], [("0.2421875", "0.2421875", "", "")])
        text = self.ok(*args)
        self.assertEqual(len([line for line in text.splitlines() if " 1 " in line]), 4)
        self.assertEqual(self.json("load", "ring:n=8,p=4", "--bound")["rows"][0]["routings"], [])

    def test_entries_of_a_schedule(self):
        entries = self.json("load", "ring:n=8,p=4", "-r", "minimal", "-t", "schedule:entries=@10 us=uniform&shift:by=16", "--bound")["entries"]
        alone = [self.json("load", "ring:n=8,p=4", "-r", "minimal", "-t", t, "--bound")["bound"] for t in ("uniform", "shift:by=16")]
        self.assertEqual([entry["bound"] for entry in entries], alone)

    def test_hosts_pass_nothing_on(self):
        """Between switches 0 and 1 there are two ways, and a host with a cable to each: three flows share the two ways."""
        fabric, flows = self.tmp / "host.edges", self.tmp / "flows.txt"
        fabric.write_text("0 2\n2 1\n0 3\n3 4\n4 1\nh0 0\nh1 0\nh2 0\nh3 1\nh4 1\nh5 1\nh9 0\nh9 1\n")
        flows.write_text("0 3\n1 4\n2 5\n")
        bound = self.json("load", fabric, "-t", f"file:path={flows}", "--bound", "--epsilon", "0.1%")["rows"][0]["bound"]
        self.assertGreater(bound["passes"], 0)
        self.assertLessEqual(bound["lower"], 2 / 3 * (1 + 1e-9))
        self.assertGreaterEqual(bound["upper"], 2 / 3 * (1 - 1e-9))

    def test_threads_change_nothing(self):
        args = ("load", "jellyfish:N=150,d=8,p=6", "-t", "permutation", "--bound", "--epsilon", "3%", "--json")
        self.assertEqual(self.ok(*args, "--jobs", 1), self.ok(*args, "--jobs", 3))

    def test_refused(self):
        for more, what in ((("-t", "exchange:bytes=1kB"), "ends"), (("-t", "exchange:bytes=1kB", "-r", "updown"), "ends"), (("-t", "schedule:entries=@1 us=uniform&shift:by=1"), "several patterns"),
                           (("--epsilon", "0"), "--epsilon 0"), (("--epsilon", "100%"), "--epsilon 100%"), (("--epsilon", "-1"), "--epsilon -1"),
                           (("--epsilon", "nan"), "--epsilon nan"), (("--epsilon", "1 Gb/s"), "--epsilon 1 Gb/s"), (("--epsilon", "2", "-r", "updown"), "--epsilon 2"),
                           (("--seeds", "2"), "--seeds"), (("--csv", "--table", "channels", "-r", "updown"), "--table"), (("--csv", "--json"), "--csv and --json"),
                           (("--histogram",), "--histogram"), (("--goal", "x", "-r", "updown", "-r", "minimal"), "--goal")):
            with self.subTest(more=more):
                done = run("load", "ring:n=5", "--bound", *more)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(what, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)  # what, and a hint
        done = run("load", "ring:n=5", "-r", "updown", "--epsilon", "1%")
        self.assertEqual(done.returncode, 2)
        self.assertIn("without --bound", done.stderr)
        done = run("load", "crossbar:n=1", "--bound")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no host sends anything", done.stderr)

    def test_unreachable_hosts(self):
        """As without --bound: status 1, or a warning with --allow-unreachable; the flows that remain are bounded."""
        broken = "mesh:dims=1:4,p=2,fail=sw1.3"
        done = run("load", broken, "--bound", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not connected", done.stderr)
        row = self.json("load", broken, "--bound", "--allow-unreachable", "-r", "updown", "-r", "minimal")["rows"][0]
        self.assertLess(row["bound"]["flows"], 8 * 7)
        for routing in row["routings"]:
            self.assertLessEqual(routing["saturation"], row["bound"]["upper"] * (1 + 1e-9))

    def test_little_memory(self):
        """Without room for paths the two ends hold, further apart."""
        args = ("load", "jellyfish:N=400,d=5,p=4", "--bound", "--jobs", 1)
        close, far = self.json(*args)["rows"][0]["bound"], self.json(*args, "--memory-limit", "10 MiB")["rows"][0]["bound"]
        self.assertEqual((close["end"], far["end"], far["passes"]), ("close", "memory", 0))
        self.assertLess(far["lower"], close["lower"])
        self.assertGreaterEqual(far["upper"], close["upper"])
        self.assertIn("the memory limit leaves no room", self.ok(*args, "--memory-limit", "10 MiB"))

    def test_long_paths_in_little_memory(self):
        """What paths take grows with their hops and from pass to pass: the limit ends the search, not the command."""
        args = ("load", "torus:dims=4:60,p=1,fail=3%", "--allow-unreachable", "--bound", "--jobs", 1)
        close = self.json(*args)["rows"][0]["bound"]
        self.assertEqual(close["end"], "close")
        for limit, passes in (("10 MiB", 0), ("13 MiB", 1)):
            with self.subTest(limit=limit):
                far = self.json(*args, "--memory-limit", limit)["rows"][0]["bound"]
                self.assertEqual((far["end"], far["passes"] >= passes), ("memory", True), far)
                self.assertLessEqual(far["lower"], close["upper"])
                self.assertGreaterEqual(far["upper"], close["lower"])

    def test_parts_of_a_fabric(self):
        """Hosts of two lines of three switches send to all of their own: of 56, 8 a switch, 8 x 16 flows of 1/55 leave an end."""
        bound = self.json("load", "mesh:dims=1:7,p=8,fail=sw3", "--bound", "--allow-unreachable")["rows"][0]["bound"]
        self.assertEqual((bound["flows"], bound["lower"], bound["upper"]), (2 * 24 * 23, 55 / 128, 55 / 128))

    def test_columns_without_a_routing(self):
        lines = self.ok("load", "ring:n=8,p=4", "--bound").splitlines()
        self.assertEqual((lines[-2].split()[-2:], lines[-1].split()), (["at", "most"], ["ring:n=8,p=4", "8", "0.2421", "0.2422"]))  # of 0.2421875, each to its safe side


if __name__ == "__main__":
    unittest.main()
