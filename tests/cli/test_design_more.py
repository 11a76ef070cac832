"""ikat design beyond one network: rails, workloads, failures."""
import csv
import io
import json
import signal
import subprocess
import unittest

import harness
from harness import CliTest

SMALL = ("design", "--hosts", 128, "--radix", 16)
RING = "collective:operation=allreduce,algorithm=ring,bytes=1280 kB,processes=16"


class Rails(CliTest):
    SUMS = ("switches", "fewest_switches", "ports_in_use", "spare_host_ports", "cables", "switch_cables", "cost_switches", "cost_adapters", "cost_copper_cables", "cost_optical_cables", "cost",
            "watts", "cost_per_host", "watts_per_host", "host_rate_bps")

    def test_so_many_networks(self):
        """N rails cost N networks: all of it, for adapters and the cables of hosts are per rail, too. What one network does is the same."""
        one = self.json(*SMALL, "--floor", "none")
        for rails in (2, 4, 7):
            many = self.json(*SMALL, "--floor", "none", "--rails", rails)
            self.assertEqual((one["wish"]["rails"], many["wish"]["rails"]), (1, rails))
            self.assertEqual(one["infeasible"], many["infeasible"])
            for a, b in zip(one["members"], many["members"], strict=True):
                for key, value in a.items():
                    if key in self.SUMS:
                        self.assertAlmostEqual(b[key], rails * value, msg=key)
                    elif key != "whole_spec":
                        self.assertEqual(b[key], value, key)
                self.assertEqual((a["whole_spec"], b["whole_spec"] is not None), (None, a["family"] == "xgft"))

    def test_the_whole_fabric(self):
        """What trees say of all rails builds with the numbers that are said, and its routing is proved."""
        for hosts, radix in ((128, 16), (60, 8)):
            for member in self.json("design", "--hosts", hosts, "--radix", radix, "--rails", 2, "--rate", "200Gb/s", "xgft")["members"]:
                with self.subTest(spec=member["whole_spec"]):
                    topo = self.json("topo", member["whole_spec"])
                    self.assertEqual((topo["hosts"], topo["switches"], topo["links"]), (hosts, member["switches"], member["cables"]))
                    self.assertEqual(topo["links_by_rate"][0]["name"], "200 Gb/s")
                    check = self.json("check", member["whole_spec"], "--routing", member["routing"])
                    self.assertEqual((check["undelivered"], check["deadlock_free"], check["vcs"]), (0, True, member["vcs"]))

    def test_words_and_columns(self):
        text = " ".join(self.ok(*SMALL, "--rails", 4, "--rate", "400Gb/s").split())
        self.assertIn("Each host has 4 adapters, together 1.6 Tb/s, each on a network of its own", text)
        self.assertNotIn("adapters, together", self.ok(*SMALL))
        (row,) = csv.DictReader(io.StringIO(self.ok(*SMALL, "--rails", 4, "2-level fat tree", "--csv")))
        self.assertEqual((row["whole_spec"], row["spec"]), ("pgft:m=8:16,w=4:8,p=1:1", "pgft:m=8:16,w=1:8,p=1:1"))


class Workloads(CliTest):
    def times(self, *args):
        return {m["series"]: m["workloads"] for m in self.json(*SMALL, *args)["members"]}

    def test_closed_forms(self):
        """A ring sends 2 (n - 1) / n of the vector from every host: what a host's link takes for that, whatever the network; rails divide it."""
        for rails, rate in ((1, 100), (4, 100), (2, 400)):
            least = 2 * 15 / 16 * 1280e3 * 8 / (rails * rate)
            for series, (ring,) in self.times("-w", RING, "--rails", rails, "--rate", f"{rate}Gb/s").items():
                self.assertAlmostEqual(ring["at_least_ns"], least, msg=series)
                # the two classes of a ring, reduce-scatter and allgather, have two to five cables of 6 ns each; where neighbours stand on two switches, one cable carries it all
                self.assertGreaterEqual(ring["phases_ns"], least + 2 * 2 * 6 - 1e-6)
                self.assertLessEqual(ring["phases_ns"], least + 2 * 5 * 6 + 1e-6)
        (tree,) = self.times("-w", RING, "2-level fat tree")["2-level fat tree"]
        self.assertAlmostEqual(tree["phases_ns"], 2 * 15 / 16 * 1280e3 * 8 / 100 + 2 * (2 * 6 + 2 / 16 * 2 * 6))

    def test_load_says_the_same(self):
        spec = "exchange:pattern=shift:by=9,bytes=100kB"
        for member in self.json(*SMALL, "-w", spec)["members"]:
            load = self.json("load", member["spec"], "--routing", member["routing"], "--traffic", spec)
            (time,) = member["workloads"]
            self.assertEqual(time["traffic"], spec)
            self.assertAlmostEqual(time["phases_ns"] - load["workload"]["bound_ns"], 0, delta=30)  # latency
            self.assertLessEqual(time["at_least_ns"], load["workload"]["bound_ns"] + 1e-6)

    def test_simulated(self):
        """Not faster than the bound. Twice the bytes on two rails take the time of one: to the picosecond, since every event is at the same time."""
        def simulated(rails, size):
            return self.times("-w", f"collective:operation=allreduce,bytes={size}", "-w", f"exchange:pattern=shift:by=9,bytes={size}", "--simulate", "--rails", rails)
        one, two = simulated(1, "128 KiB"), simulated(2, "256 KiB")
        self.assertGreaterEqual(len(one), 5)
        for series, times in one.items():
            for a, b in zip(times, two[series], strict=True):
                self.assertGreaterEqual(a["simulated_ns"], a["at_least_ns"])
                self.assertEqual((a["simulated_ns"], a["at_least_ns"], a["phases_ns"]), (b["simulated_ns"], b["at_least_ns"], b["phases_ns"]), (series, a["traffic"]))

    def test_simulated_is_what_run_says(self):
        member = self.json(*SMALL, "xgft", "-w", "exchange:pattern=shift:by=9,bytes=64KiB", "--simulate")["members"][0]
        (self.tmp / "e.yaml").write_text(f'fabric: "{member["spec"]}"\nrouting: {member["routing"]}\ntraffic: {{family: exchange, pattern: shift, pattern.by: 9, bytes: 64 KiB}}\n'.replace(
            "pattern: shift, pattern.by: 9", '"pattern": "shift:by=9"') + "measure: {until: delivered, at_most: 10 ms}\n", encoding="utf-8")
        self.ok("run", self.tmp / "e.yaml", "-o", self.tmp / "e.db")
        (row,) = csv.DictReader(io.StringIO(self.ok("report", self.tmp / "e.db", "--csv")))
        self.assertAlmostEqual(float(row["completion_ns"]), member["workloads"][0]["simulated_ns"])

    def test_too_large_to_simulate(self):
        done = self.ok_both(*SMALL, "xgft", "-w", "collective:operation=allreduce,bytes=1GB", "--simulate", "--json")
        times = [m["workloads"][0] for m in json.loads(done.stdout)["members"]]
        self.assertTrue(times)
        for time in times:
            self.assertIsNone(time["simulated_ns"])
            self.assertGreater(time["at_least_ns"], 1e6)
        self.assertIn("is not simulated: its packets make about", done.stderr)

    def test_a_bound_of_what_is_drawn(self):
        """Hosts of a hotspot may receive less than is expected of them: the bound is what every host sends."""
        spec = "batch:pattern=hotspot,messages=16"
        for member in self.json("design", "--hosts", 10, "--radix", 10, "--rails", 2, "--seed", 3, "-w", spec, "--simulate")["members"]:
            (time,) = member["workloads"]
            self.assertAlmostEqual(time["at_least_ns"], 16 * 4096 * 8 / 200, msg=member["spec"])
            self.assertGreaterEqual(time["simulated_ns"], time["at_least_ns"])

    def prices_of(self, rate):
        row = f"  - {{rate: {rate}, price: 1, watts: 1}}\n"
        (self.tmp / "p.yaml").write_text(f"switches:\n  - {{ports: 64, rate: {rate}, price: 1, watts: 1}}\n" + "".join(
            f"{part}:\n{row}" for part in ("adapters", "copper_cables", "optical_cables")), encoding="utf-8")
        return "--rate", rate.replace(" ", ""), "--prices", self.tmp / "p.yaml"

    def test_stopped_simulations(self):
        """One that is not over at the largest time that is simulated says so."""
        done = self.ok_both(*SMALL, "2-level fat tree", "-w", "exchange:pattern=shift:by=9,bytes=200kB", "--simulate", "--json", *self.prices_of("1 kb/s"))
        (time,) = json.loads(done.stdout)["members"][0]["workloads"]
        self.assertIsNone(time["simulated_ns"])
        self.assertGreater(time["at_least_ns"], 1e12)
        self.assertIn("is not over after 1000 s, where its simulation was stopped", done.stderr)

    def test_endless_jobs(self):
        """Jobs that go on until the others are done are simulated beside them, for a bounded time."""
        jobs = "jobs:jobs=a=(exchange:hosts=0..3,bytes=64 KiB)&b@100%=(subset:pattern=(hotspot:nodes=1,fraction=100%),hosts=4..9)"
        self.assertEqual(len(self.times("xgft", "-w", jobs, "--simulate")), 2)
        for (time,) in self.times("xgft", "-w", jobs, "--simulate").values():
            self.assertGreaterEqual(time["simulated_ns"], time["at_least_ns"])
            self.assertAlmostEqual(time["at_least_ns"], 3 * 65536 * 8 / 100)

    def test_rates_that_no_fabric_has(self):
        wish = (*SMALL, "2-level fat tree", "-w", "exchange", *self.prices_of("100 Tb/s"))
        self.ok(*wish, "--rails", 64)
        self.ok(*wish, "--rails", 10, "--simulate")
        self.refused(*wish, "--rails", 11, "--simulate", says=("--simulate: 11 rails of 100 Tb/s", "at most 1000 Tb/s"))
        self.refused(*SMALL, "--rate", "1001Tb/s", says=("--rate", "at most 1000 Tb/s"))

    def test_nothing_is_built(self):
        """No table without rows where no member fits the memory."""
        done = self.ok_both("design", "--hosts", 2000, "--radix", 32, "slimfly", "-w", RING, "--fail", "2%", "--memory-limit", "1MB")
        self.assertIn("only its size and its cost, without a floor plan, are shown", done.stderr)
        for words in ("Completion times", "Random failures", "at least", "three random draws"):
            self.assertNotIn(words, " ".join(done.stdout.split()))

    def test_output(self):
        text = self.ok(*SMALL, "-w", RING)
        self.assertIn("Completion times of workloads", text)
        self.assertIn("'at least' is how long the fullest channel sends", " ".join(text.split()))
        for row, times in zip(csv.DictReader(io.StringIO(self.ok(*SMALL, "-w", RING, "--csv"))), self.times("-w", RING).values()):
            self.assertAlmostEqual(float(row[f"{RING} at least ns"]), times[0]["at_least_ns"])
            self.assertEqual(row[f"{RING} simulated ns"], "")

    def ok_both(self, *args):
        from harness import run
        done = run(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


class Failures(CliTest):
    def test_nothing_fails(self):
        """Of 0 %, everything is as it is without failures."""
        for member in self.json(*SMALL, "--fail", "0%")["members"]:
            (none,) = member["failures"]
            self.assertEqual((none["failed_cables"], none["connected"], none["connected_least"], none["proved"], none["refused"], none["draws"]), (0, 1, 1, True, 0, 3))
            self.assertAlmostEqual(none["mean_hops"], member["mean_hops"])
            self.assertAlmostEqual(none["saturation"], member["saturation"][0]["load"], places=9)
            self.assertEqual(none["saturation"], none["saturation_least"])

    def test_minus_nothing(self):
        self.assertEqual(self.ok(*SMALL, "xgft", "--fail=-0%", "--fail", "0"), self.ok(*SMALL, "xgft", "--fail", "0%"))

    def test_draws(self):
        """What is said of three draws are mean and least of what `fail=` with these seeds gives."""
        for member in self.json(*SMALL, "--fail", "5%", "--seed", 4)["members"]:
            with self.subTest(spec=member["spec"]):
                (five,) = member["failures"]
                self.assertEqual(five["failed_cables"], round(0.05 * member["switch_cables"] + 1e-9))
                self.assertIn(five["fell_back"], (0, 3))
                routing = five["fallback" if five["fell_back"] else "routing"]
                loads = [self.json("load", f"{member['spec']},fail=5%,fail_seed={seed}", "--routing", routing)["saturation"] for seed in (4, 5, 6)]
                self.assertAlmostEqual(five["saturation"], sum(loads) / 3, places=9)
                self.assertAlmostEqual(five["saturation_least"], min(loads), places=9)
                self.assertEqual((five["proved"], five["refused"]), (True, 0))

    def test_everything_fails(self):
        """Hosts of one leaf alone reach each other."""
        member = self.json(*SMALL, "2-level fat tree", "--fail", "100%", "--fail", "50%")["members"][0]
        all_of_them, half = member["failures"]
        self.assertEqual(member["spec"], "pgft:m=8:16,w=1:8,p=1:1")
        self.assertAlmostEqual(all_of_them["connected"], 7 / 127)
        self.assertEqual((all_of_them["mean_hops"], half["share"]), (0, 0.5))
        self.assertLess(half["saturation"], 1)
        self.assertEqual((half["routing"], half["proved"], half["refused"]), ("dmodc", True, 0))
        self.assertEqual((half["fallback"], all_of_them["fell_back"]), ("updown", 0))
        self.assertGreater(half["fell_back"], 0)
        self.assertIn("dmodc, updown", self.ok(*SMALL, "2-level fat tree", "--fail", "50%"))

    def test_output(self):
        wish = (*SMALL, "--fail", "2%", "--fail", "10%", "--fail", "2%")
        text = self.ok(*wish)
        self.assertIn("Random failures of cables between switches", text)
        self.assertEqual(text.count(" 10 %"), len(self.json(*SMALL)["members"]))
        self.assertEqual(self.ok(*wish, "-j1"), self.ok(*wish, "-j4"))
        members = self.json(*wish)["members"]
        for row, member in zip(csv.DictReader(io.StringIO(self.ok(*wish, "--csv"))), members):
            for share, at in (("2 %", 0), ("10 %", 1)):
                self.assertAlmostEqual(float(row[f"saturation least, {share} failed"]), member["failures"][at]["saturation_least"])
                self.assertEqual(row[f"proved, {share} failed"], "yes")


class Refused(CliTest):
    def test_a_search_can_be_stopped(self):
        """Of a wide range with large switches, which tries many members; and of what no family reaches, which looks for the nearest."""
        for hosts in ("1..1000000000", "1000000000"):
            done = subprocess.Popen([harness.IKAT, "design", "--hosts", hosts, "--radix", "2048", "--floor", "none"], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
            harness.has_worked(done, 0.3)
            done.send_signal(signal.SIGINT)
            _, said = done.communicate(timeout=600)
            self.assertEqual((done.returncode, said), (130, "ikat: stopped by a signal while choosing members\n"))

    def test_wrong_wishes(self):
        self.ok(*SMALL, "xgft", "-w", "batch:pattern=uniform,messages=1000")
        endless = "batch:pattern=uniform,messages=1000"
        for args, words in ((("--rails", "0"), ("--rails", "1")), (("--rails", "65"), ("64",)), (("--rails", "two"), ("two",)),
                            (("--fail", "120%"), ("--fail", "0% to 100%", "120%")), (("--fail", "-1%"), ("0% to 100%",)), (("--fail", "some"), ("some",)),
                            (("-w", "uniform"), ("never ends", endless)), (("-w", "mix:80%*uniform+20%*shift"), ("never ends",)),
                            (("-w", "allreduce:size=1GB"), ("no traffic 'allreduce'", "collective:operation=allreduce,bytes=1GB")),
                            (("-w", "collective:operation=allreduce,size=1GB"), ("size",)), (("-w", "collective:operation=allreduce,processes=200"), ("200 processes on 128 hosts",)),
                            (("--simulate",), ("--simulate", "--workload"))):
            with self.subTest(args=args):
                self.refused(*SMALL, *args, says=words)
        for args in (("--fail", "1%"), ("-w", "exchange")):
            self.refused("design", "--hosts", 400000, "--radix", 128, *args, says=(args[0] if args[0] != "-w" else "--workload", "300,000 hosts"))


if __name__ == "__main__":
    unittest.main()
