"""ikat load against values computed by an independent program and against closed forms."""
import csv
import io
import json
import math
import unittest

from harness import SOURCE, CliTest, run

DATA = SOURCE / "tests/data"


def data(name):
    return json.loads((DATA / name).read_text())


class Load(CliTest):
    def load(self, fabric, routing, traffic="uniform", *more, **kwargs):
        return self.json("load", fabric, "--routing", routing, "--traffic", traffic, *more, **kwargs)

    def close(self, value, expected, tolerance=1e-9):
        self.assertTrue(math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance), f"{value} is not {expected}")

    def contention(self, name, traffic):
        for w2, expected in data(f"topology/{name}.json")["by_w2"].items():
            for routing in ("smodk", "dmodk"):
                with self.subTest(w2=w2, routing=routing):
                    c = self.load(f"xgft:m=16:16,w=1:{w2}", routing, traffic)["contention"]
                    e = expected[routing]
                    self.assertEqual((c["c"], c["c_up"], c["c_down"], c["max_flows"], c["endpoint_degree"]),
                                     (e["C"], e["C_up"], e["C_down"], e["max_flows"], e["E"]))
                    self.close(c["c_load"]["value"], e["C_load"])
                    self.close(c["c_load"]["numerator"] / c["c_load"]["denominator"], e["C_load"])
                    self.close(c["slowdown_bound"]["value"], e["slowdown_lb"])
                    self.close(c["fluid_slowdown"], e["fluid_slowdown"])

    def test_contention_of_cg(self):
        self.contention("t3_contention_cg", "cg:processes=128,phase=5")

    def test_contention_of_wrf(self):
        self.contention("t3_contention_wrf", "wrf")

    def test_optimum_is_a_lower_bound(self):
        """The flow-optimal assignment is never beaten, and D-mod-k does not reach it at w2 = 16."""
        for w2, expected in data("topology/t3_contention_cg.json")["by_w2"].items():
            c = self.load(f"xgft:m=16:16,w=1:{w2}", "random:seed=3", "cg:processes=128")["contention"]
            self.assertGreaterEqual(c["c"], expected["optimal_C"])

    def test_random_routing_lies_in_its_distribution(self):
        expected = data("topology/t3_contention_cg.json")["by_w2"]["16"]["random"]["C"]
        values = [self.load("xgft:m=16:16,w=1:16", f"random:seed={s}", "cg:processes=128")["contention"]["c"] for s in range(25)]
        self.assertLess(abs(sum(values) / len(values) - expected["mean"]), 0.5)
        self.assertGreaterEqual(min(values), expected["min"])

    def test_patterns_on_trees(self):
        for name, expected in data("topology/t3_misc.json")["patterns"].items():
            pattern, k, _, n = name.split("_", 3) if name.startswith("bitrev") else (None,) * 4
            for routing in ("smodk", "dmodk") if pattern else ():
                c = self.load(f"karytree:k={k},n={n}", routing, "reversal")["contention"]
                e = expected[routing]
                self.assertEqual((c["c"], c["c_up"], c["c_down"]), (e["C"], e["C_up"], e["C_down"]), name)
        for by in range(1, 64, 5):
            self.assertEqual(self.load("karytree:k=4,n=3", "dmodk", f"shift:by={by}")["contention"]["c"], by % 64 != 0)

    def test_permutation_histograms(self):
        for tree in data("topology/t3_permutation_histograms.json")["trees"]:
            spec = f"xgft:m={':'.join(map(str, tree['m']))},w={':'.join(map(str, tree['w']))}"
            for routing in ("smodk", "dmodk"):
                p = self.load(spec, routing, "uniform", "--permutations", "all")["permutations"]
                self.assertEqual(p["by_contention"], tree[f"hist_C_{routing}"], spec)
                self.assertEqual((p["total"], p["exhaustive"]), (tree["permutations"], True))

    def test_sampled_permutations_agree_with_all(self):
        every = self.load("xgft:m=4:2,w=1:3", "dmodk", "uniform", "--permutations", "all")["permutations"]
        some = self.load("xgft:m=4:2,w=1:3", "dmodk", "uniform", "--permutations", 20000)["permutations"]
        self.assertEqual((some["total"], some["exhaustive"]), (20000, False))
        for level, count in every["by_contention"].items():
            share = count / every["total"]
            slack = 6 * math.sqrt(share * (1 - share) / 20000)
            self.assertLess(abs(some["by_contention"].get(level, 0) / 20000 - share), slack + 1e-9)

    def test_too_many_permutations(self):
        self.refused("load", "karytree:k=4,n=2", "--routing", "dmodk", "--permutations", "all", says=["16 hosts", "random samples"])

    def test_routes_per_nearest_common_ancestor(self):
        for name, expected in data("topology/t3_nca_distribution.json").items():
            _, m, w = name[:-1].split(";")
            for routing in ("smodk", "dmodk"):
                o = self.load(f"xgft:m={m.replace(',', ':')},w={w.replace(',', ':')}", routing)
                self.assertEqual(o["turns_by_level"][1], expected[routing], name)

    def test_minimal_and_valiant_loads(self):
        for name, e in data("topology/t7_traffic.json").items():
            kind = name.split()[0]
            if kind == "SF":
                spec, by = f"slimfly:q={e['q']},p={e['p']}", None
            elif "k_or_h" in e:
                spec, by = f"{kind.lower()}:{'k' if kind == 'OFT' else 'h'}={e['k_or_h']}", e["k_or_h"]
            else:
                continue
            cases = [("UNI_MIN", "minimal", "uniform")] + ([("UNI_INR", "valiant", "uniform")] if e["N"] < 600 else [])
            if by:
                cases += [("WC_MIN_shift", "minimal", f"shift:by={by}"), ("WC_INR", "valiant", "worst")]
            for key, routing, traffic in cases:
                with self.subTest(fabric=name, case=key):
                    o = self.load(spec, routing, traffic)
                    self.close(o["max_load"], e[key]["max"])
                    self.close(o["mean_load"], e[key]["mean"])
                    self.close(o["min_load"], e[key]["min"])
                    self.close(o["saturation"], e[key]["saturation"])

    def test_worst_case_of_slim_fly(self):
        for q, p in ((5, 3), (7, 5), (8, 6), (9, 6), (11, 9), (13, 9)):
            o = self.load(f"slimfly:q={q},p={p}", "minimal", "worst")
            routers = 2 * q * q
            self.assertEqual(o["flows"], (routers - routers % 4) * p)
            self.close(o["max_load"], 2 * p)
            quads = (routers - routers % 4) // 4
            channels = sum(b["channels"] for g in o["groups"] for b in g["histogram"]
                           if g["direction"] == "between" and math.isclose(b["low"], 2 * p))
            self.assertEqual(channels, 2 * quads)

    def test_loren(self):
        names = {"uniform": "uniform:self=true", "transpose": "transpose", "shuffle": "shuffle", "bitrev": "reversal",
                 "bitcomp": "complement"}
        for graph, expected in data("loren/metrics.json").items():
            for kind, e in expected.items():
                for pattern, (most, mean) in e["loads"].items():
                    with self.subTest(graph=graph, kind=kind, pattern=pattern):
                        o = self.load(DATA / "lrt" / graph, f"loren:t_max={e['t']}", names[pattern])
                        self.close(o["max_load"], most)
                        self.close(o["mean_load"], mean)

    def test_effective_bandwidth(self):
        """Both sides average random patterns: the difference is noise of a thousand patterns."""
        expected = data("loren/metrics.json")["lrt_64_4_2_00.txt"]["loren_small"]
        for pattern, spec in (("hotspot(0.1)/exclude", "hotspot:share=messages,fraction=10%"),
                              ("hotspot(0.7)/exclude", "hotspot:share=messages,fraction=70%"), ("local(1)/exclude", "local:gamma=1"),
                              ("local(3)/exclude", "local:gamma=3")):
            with self.subTest(pattern=pattern):
                e = expected["traffic"][pattern]
                o = self.load(DATA / "lrt/lrt_64_4_2_00.txt", f"loren:t_max={expected['t']}", spec, "--patterns", 1000)["patterns"]
                self.assertLess(abs(o["effective_bandwidth"] - e["effbw"]), 10 * o["effective_bandwidth_error"])
                self.assertLess(abs(o["mean_efficiency"] - e["eff"]), 10 * o["mean_efficiency_error"])

    def test_flows_with_several_paths_count_by_their_shares(self):
        """Every host sends six flows, and its switch's hosts 2.83 over the fullest channel: saturation and slowdown are inverse."""
        case = ("mlfm:h=15", "--routing", "minimal", "--traffic", "neighbour:dims=15:16:15")
        o = self.json("load", *case)
        c = o["contention"]
        self.close(o["saturation"], 6 / 17)
        self.assertIsNone(c["slowdown_bound"])  # of an even division there is none
        self.close(c["max_flows"] / c["endpoint_degree"], 17 / 6)
        self.close(c["fluid_slowdown"], 17 / 6)
        self.assertEqual((c["c"], c["c_up"], c["c_down"], c["split_flows"]), (None, None, None, 7200))
        self.assertIn("it counts whole flows, and 7,200 of 21,600", self.ok("load", *case))

    def flows_file(self, *lines):
        path = self.tmp / "pattern.flows"
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_real_weights(self):
        """Only the ratios of a source's weights count, however they are written; decimal ones stay exact."""
        fabric = "xgft:m=4:2,w=1:1"
        whole = self.load(fabric, "dmodk", f"file:path={self.flows_file('0 4 1', '0 5 3', '1 6 2', '1 2 2')}")
        for lines in (("0 4 0.5", "0 5 1.5", "1 6 0.1", "1 2 1e-1"), ("0 4 1e3", "0 5 3e+3", "1 6 .25", "1 2 25.0e-2"),
                      ("0 4 1e300", "0 5 3e300", "1 6 1e-300", "1 2 1e-300")):
            o = self.load(fabric, "dmodk", f"file:path={self.flows_file(*lines)}")
            for key in ("flows", "groups", "max_load", "saturation", "mean_hops"):
                self.assertEqual(o[key], whole[key], lines)
        far = self.load(fabric, "dmodk", f"file:path={self.flows_file('0 4 1e-9', '0 1 1e9')}")
        self.assertEqual(far["flows"], 2)
        self.close(far["max_load"], 1e-18, 1e-12)

    def test_weights_that_are_none(self):
        for weight in ("0", "-1", "-0.5", "nan", "inf", "1e999", "0.0", "1e-999", "0x10", "1.2.3", "e5", "1e", "5%", "."):
            path = self.flows_file("0 1 2", f"# a comment\n  2 3 {weight}")
            self.refused("load", "karytree:k=4,n=2", "--routing", "dmodk", "--traffic", f"file:path={path}",
                         says=[f"{path}:3:7", "not a weight", "above zero"])

    def test_lines_of_a_host_to_itself_are_told(self):
        path = self.flows_file("0 1", "2 2", "3 4 2", "5 5 0.5")
        for spec in (f"file:path={path}", f"mix:50%*uniform+50%*file:path={path}"):
            for command in (["load", "karytree:k=4,n=2"], ["compare", "karytree:k=4,n=2", "karytree:k=4,n=3"]):
                r = run(*command, "--routing", "dmodk", "--traffic", spec)
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertIn("2 lines of a host to itself are skipped, the first is line 2", r.stderr)
        path = self.flows_file("7 7")
        self.refused("load", "karytree:k=4,n=2", "--routing", "dmodk", "--traffic", f"file:path={path}",
                     says=[f"{path}:1: no flow", "hosts to themselves"])

    def test_shares_too_fine_for_a_mix(self):
        self.refused("load", "karytree:k=4,n=2", "--routing", "dmodk", "--traffic", "mix:1e-9*shift+uniform", says="finer than 1e-8")

    def test_contention_within_the_memory_limit(self):
        """A limit holds for all that is made of the paths, not for the paths alone."""
        case = ("load", "karytree:k=8,n=3", "--routing", "dmodk", "--traffic", "alltoall", "--contention", "--memory-limit")
        self.refused(*case, "32MB", says=["32000000 bytes", "few flows per host"])
        self.ok(*case, "64MB")

    def test_flows_of_hosts_with_several_ports(self):
        """Tables of a subnet route each port of a host; flows, and those that are lost, are counted between hosts."""
        (self.tmp / "dual.txt").write_text("".join(f"{k} {(k + 1) % 5}\n{k} h{k}\n{(k + 1) % 5} h{k}\n" for k in range(5)))
        fabric, tables, lost = (self.tmp / name for name in ("dual.net", "all.lfts", "lost.lfts"))
        self.ok("topo", self.tmp / "dual.txt", "--format", "ibnetdiscover", "-o", fabric)
        self.ok("route", fabric, "-r", "updown", "--format", "lft", "-o", tables)
        lost.write_text("".join(line for line in tables.read_text().splitlines(keepends=True) if "'host3'" not in line))
        loads = [self.json("load", fabric, "-r", f"lft:path={path}", "-t", "uniform", status=None) for path in (tables, lost)]
        self.assertEqual([(load["flows"], load["undelivered"]) for load in loads], [(20, 0), (20, 4)])

    def test_means_over_all_flows(self):
        """Eight hosts on two switches, one cable between them: a shift by two sends half of the flows over it, two each way."""
        c = self.load("xgft:m=4:2,w=1:1", "dmodk", "shift:by=2")["contention"]
        self.close(c["effective_bandwidth_leaving"], 1 / 2)
        self.close(c["effective_bandwidth"], 3 / 4)
        self.close(c["mean_efficiency_leaving"], 1 / 2)
        self.close(c["mean_efficiency"], 3 / 4)

    def test_all_pairs_of_a_tree(self):
        """Uniform traffic on a full tree: every channel up from level l carries (N - k^l) / (N - 1)."""
        o = self.load("karytree:k=4,n=3", "dmodk")
        self.assertEqual(o["load_denominator"], 63)
        for g in o["groups"]:
            if g["direction"] in ("up", "down"):
                self.close(g["min"], (64 - 4 ** g["level"]) / 63)
                self.close(g["max"], g["min"])

    def test_threads_change_nothing(self):
        for case in (("slimfly:q=5", "minimal", "uniform"), ("mlfm:h=4", "valiant", "hotspot:fraction=30%"),
                     ("karytree:k=4,n=3", "random", "uniform")):
            one, four = (self.ok("load", case[0], "--routing", case[1], "--traffic", case[2], "--json", "--jobs", jobs, "--contention")
                         for jobs in (1, 4))
            self.assertEqual(one, four)

    def test_slow_link_limits(self):
        """A link at a fifth of the rate saturates at a fifth of the load."""
        fabric = self.tmp / "slow.ibnetdiscover"
        self.ok("topo", "xgft:m=2:2,w=1:1,link_rate=100Gb/s,host_rate=25Gb/s", "-o", fabric)
        o = self.load(fabric, "updown", "shift:by=2")
        self.close(o["max_load"], 2)
        self.close(o["saturation"], 1)
        o = self.load("xgft:m=2:2,w=1:1,link_rate=25Gb/s,host_rate=100Gb/s", "dmodk", "shift:by=2")
        self.close(o["saturation"], 1 / 8)

    def rows(self, *arguments):
        lines = self.ok("load", *arguments, "--csv").splitlines()
        return [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]

    def test_table_of_channels(self):
        """CG's fifth exchange under D-mod-k meets in seven flows on channels up."""
        case = ("xgft:m=16:16,w=1:16", "-r", "dmodk", "-t", "cg:processes=128,phase=5")
        rows, o = self.rows(*case), self.json("load", *case)
        self.assertEqual(max(int(r["contention"]) for r in rows), o["contention"]["c"])
        self.assertEqual(max(int(r["contention"]) for r in rows if r["direction"] == "up"), o["contention"]["c_up"])
        self.assertEqual(len(rows), sum(g["channels"] for g in o["groups"]))
        for g in o["groups"]:
            loads = [float(r["load"]) for r in rows if (r["direction"], r["level"] or "0") == (g["direction"], str(g["level"]))]
            self.close(max(loads), g["max"])
            self.close(sum(loads) / len(loads), g["mean"])
        split = self.rows("karytree:k=2,n=2", "-r", "adaptive_tree", "-t", "shift")
        self.assertEqual({r["contention"] for r in split}, {""})

    def test_table_of_ancestors(self):
        """Routes per nearest common ancestor: what --json lists, with the contention at each of them."""
        case = ("xgft:m=16:16,w=1:10", "-r", "smodk", "-t", "wrf")
        rows, o = self.rows(*case, "--table", "nca"), self.json("load", *case)
        for level, turns in enumerate(o["turns_by_level"], 1):
            self.assertEqual([float(r["routes"]) for r in rows if r["level"] == str(level)], turns)
        tops = [r for r in rows if r["level"] == "2"]
        self.assertEqual(max(int(r["contention_up"]) for r in tops), o["contention"]["c_up"])
        self.assertEqual(max(int(r["contention_down"]) for r in tops), o["contention"]["c_down"])
        self.refused("load", "slimfly:q=5", "-r", "minimal", "--csv", "--table", "nca", says="not a tree")

    def test_table_of_queues(self):
        """Two VCs, by the parity of the destination: half of the destinations on each of a channel's queues."""
        case = ("karytree:k=4,n=3", "-r", "smodk", "--vc", "dbbm", "--vcs", "2")
        rows, o = self.rows(*case, "--table", "queues"), self.json("load", *case)
        for row in rows:
            if row["direction"] == "injection":
                self.assertIn((row["flows"], row["destinations"]), (("31", "31"), ("32", "32")))
        hosts = {(g["direction"], g["level"]): g for g in o["queues"]["destinations"]}
        self.assertEqual((hosts["up", 1]["min"], hosts["up", 1]["max"]), (30, 30))
        self.assertEqual((hosts["up", 2]["min"], hosts["up", 2]["max"]), (24, 24))
        self.assertEqual(o["queues"]["num_vcs"], 2)

    def test_queues_of_spread_routes(self):
        """Four queues hold a quarter of the destinations each, whichever scheme parts them, where every route may be taken."""
        for vc, vcs in (("1q", 1), ("dbbm", 4), ("flow2sl", 4), ("vftree", 4)):
            o = self.json("load", "karytree:k=4,n=3", "-r", "oblivious", "--vc", vc, "--vcs", vcs)
            mean = next(g["mean"] for g in o["queues"]["destinations"] if (g["direction"], g["level"]) == ("up", 1))
            self.close(mean, 60 / vcs)

    def test_bounds_of_a_phase_are_its_loads(self):
        """Whatever computes the loads: tables, walks, shares of choices; hosts of one cable and of two."""
        for fabric, hosts in (("karytree:k=4,n=2", 16), ("xgft:m=4:4,w=2:2", 16), ("slimfly:q=5,p=2", 100)):
            tree = not fabric.startswith("slim")
            for routing in ("dmodk", "random:seed=1", "smodk", "adaptive_tree", "oblivious") if tree else ("minimal", "minimal:paths=one", "updown"):
                for traffic in ("exchange:bytes=1 KiB", "exchange:bytes=1 KiB,order=shift", "exchange:pattern=shift:by=3,bytes=5 KiB"):
                    with self.subTest(fabric=fabric, routing=routing, traffic=traffic):
                        o = self.json("load", fabric, "-r", routing, "-t", traffic)
                        self.assertEqual(len(o["workload"]["phases"]), 1)
                        phase = o["workload"]["phases"][0]
                        bytes_of_host = o["workload"]["bytes"] / hosts
                        largest = max(group["max"] for group in o["groups"])
                        self.assertGreater(phase["bound_ns"], 0)
                        self.assertAlmostEqual(phase["bound_ns"], largest * bytes_of_host * 8 / 100, delta=1e-6 * phase["bound_ns"])
                        self.assertGreaterEqual(phase["bound_ns"], phase["crossbar_bound_ns"])

    def test_phases_of_a_workload(self):
        """WRF on slimmed trees: two messages of each host, w:1 hosts to a way up."""
        for w2, slowdown in ((16, 1), (8, 2), (1, 16)):
            case = (f"xgft:m=16:16,w=1:{w2}", "-r", "dmodk", "-t", "exchange:pattern=wrf,bytes=100 kB")
            o = self.json("load", *case)["workload"]
            self.close(o["slowdown"], slowdown)
            self.assertEqual((o["messages"], o["bytes"], len(o["phases"])), (480, 48000000, 1))
            self.close(o["crossbar_ns"], 2 * 100000 * 8 / 100)
            rows = self.rows(*case, "--table", "phases")
            self.close(float(rows[0]["fluid_ns"]), o["fluid_ns"])
            self.assertEqual(int(rows[0]["contention"]), slowdown)
            self.assertIn("slowdown", self.ok("load", *case))
        self.refused("load", "karytree:k=2,n=2", "-r", "dmodk", "--csv", "--table", "phases", says=["uniform", "not a workload"])

    def test_routes_made_for_the_traffic(self):
        """Without a pattern of its own, `colored` is made for the traffic: for a workload, a table for each phase."""
        doubling = "collective:operation=allreduce,algorithm=recursive_doubling,bytes=1 MB"
        for w2 in (4, 2, 1):
            o = self.json("load", f"xgft:m=4:4,w=1:{w2}", "-r", "colored", "-t", doubling)["workload"]
            self.assertEqual([p["c"] for p in o["phases"]], [0, 0, 4 // w2, 4 // w2])
            self.close(o["slowdown"], (2 + 2 * 4 / w2) / 4)
        own = self.json("load", "xgft:m=16:16,w=1:8", "-r", "colored", "-t", "cg:processes=128,phase=5")
        named = self.json("load", "xgft:m=16:16,w=1:8", "-r", "colored:traffic=cg:processes=128;phase=5", "-t", "cg:processes=128,phase=5")
        self.assertEqual(own["contention"], named["contention"])
        rows = self.json("load", "xgft:m=4:4,w=1:2", "-r", "dmodk", "-r", "colored", "-t", doubling, "--seeds", 2)["rows"]
        self.assertLessEqual(rows[1]["slowdown"]["max"], rows[0]["slowdown"]["min"])
        self.refused("check", "karytree:k=4,n=2", "-r", "colored", says=["needs a pattern", "traffic=PATTERN"])
        path = self.tmp / "colored.yaml"
        path.write_text("fabric: karytree:k=2,n=2\nrouting: colored\nload: 0.5\n")
        self.refused("run", path, "-o", self.tmp / "colored.db", says=["colored.yaml:2:10", "traffic=PATTERN"])

    def test_colored_by_phase_in_an_experiment(self):
        """An experiment with one workload and one seed: a table for each phase, proved together."""
        path, store = self.tmp / "phases.yaml", self.tmp / "phases.db"
        cg = "{family: nas, benchmark: cg, processes: 128, bytes: 256 KiB}"
        head = "switch: {model: ideal}\nfabric: xgft:m=16:16,w=1:8\nrouting: [colored, 'colored:traffic=cg:processes=128']\n" \
               "measure: {until: delivered, at_most: 10 ms}\n"
        path.write_text(head + f"traffic: {cg}\n")
        self.ok("run", path, "-o", store)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))
        self.assertEqual([r["routing"] for r in rows], ["colored", "colored:traffic=cg:processes=128"])
        for row in rows:
            self.assertAlmostEqual(float(row["slowdown"]), 1.2, delta=.03)
        # seeds of a traffic that draws nothing are all of the same table
        path.write_text(head + f"traffic: {cg}\nseeds: 2\n")
        self.ok("run", path, "-o", self.tmp / "seeds.db")
        # seeds that draw the traffic, or its places, have tables of their own
        for k, traffic in enumerate((f"{cg[:-1]}, mapping: random}}", "exchange")):
            path.write_text(head + f"traffic: {traffic}\nseeds: 2\n")
            answer = self.json("run", path, "-o", self.tmp / f"drawn{k}.db")
            self.assertEqual([p["params"].get("routing_seed", 1) for p in answer["points"] if p["routing"] == "colored"], [1, 2])
        for text, says in ((f"traffic: [{cg}, exchange]\n", "several"),
                           (f"jobs: [{{name: a, traffic: {cg}}}]\n", "'jobs'")):
            with self.subTest(text):
                path.write_text(head + text)
                self.refused("run", path, "-o", self.tmp / "no.db", says=["phases.yaml:3:11", says])

    def test_estimate_and_simulation(self):
        """What the bytes alone take is what a simulation with long messages takes, within a tenth."""
        for w2, routing in ((4, "dmodk"), (2, "dmodk"), (1, "smodk"), (2, "random:seed=5")):
            fabric, traffic = f"xgft:m=4:4,w=1:{w2}", "exchange:pattern=wrf:rows=4;columns=4,bytes=200 kB"
            expected = self.json("load", fabric, "-r", routing, "-t", "exchange:pattern=wrf:rows=4;columns=4,bytes=200 kB")["workload"]
            path = self.tmp / f"{w2}.yaml"
            path.write_text(f"fabric: '{fabric}'\nrouting: {{family: {routing.split(':')[0]}"
                            + (", seed: 5" if ":" in routing else "") + "}\n"
                            "traffic: {family: exchange, pattern: 'wrf:rows=4;columns=4', bytes: 200 kB}\n"
                            "switch: {model: ideal}\nadapter: {packet: 1 kB}\nmeasure: {until: delivered, at_most: 10 ms}\n")
            self.ok("run", path, "-o", self.tmp / f"{w2}.db", "-q")
            row = next(csv.DictReader(io.StringIO(self.ok("report", self.tmp / f"{w2}.db", "--csv"))))
            self.close(float(row["completion_ns"]) / expected["fluid_ns"], 1, 0.1)
            self.close(float(row["slowdown"]) / expected["slowdown"], 1, 0.1)

    def test_several_fabrics_routings_and_seeds(self):
        """Figure 5 of Rodriguez et al. in one call: distributions as an independent program has them."""
        case = ("load", "xgft:m=16:16,w=1:16", "xgft:m=16:16,w=1:9", "-r", "dmodk", "-r", "random", "-t", "cg:processes=128,phase=5",
                "--seeds", "1..40")
        expected = data("topology/t3_contention_cg.json")["by_w2"]
        o = self.json(*case)
        self.assertEqual([(r["topology"], r["routing"]) for r in o["rows"]],
                         [(f, r) for f in case[1:3] for r in ("dmodk", o["rows"][1]["routing"])])
        for k, w2 in enumerate(("16", "9")):
            self.close(o["rows"][2 * k]["slowdown"]["max"], expected[w2]["dmodk"]["fluid_slowdown"])
            drawn = o["rows"][2 * k + 1]
            self.assertEqual([s["seed"] for s in drawn["samples"]], list(range(1, 41)))
            mean = sum(s["c"] for s in drawn["samples"]) / 40
            self.assertLess(abs(mean - expected[w2]["random"]["C"]["mean"]), 0.5)
            values = sorted(s["slowdown"] for s in drawn["samples"])
            self.close(drawn["slowdown"]["median"], (values[19] + values[20]) / 2)
            self.close(drawn["slowdown"]["lower_quartile"], values[9] + (values[10] - values[9]) * 0.75)
            self.close(drawn["slowdown"]["mean"], sum(values) / 40)
        single = self.json("load", case[1], "-r", "random", "--seed", 7, "-t", "cg:processes=128,phase=5")
        self.close(o["rows"][1]["samples"][6]["slowdown"], single["contention"]["fluid_slowdown"])
        rows = self.rows(*case[1:], "--table", "samples")
        self.assertEqual(len(rows), 160)
        summary = self.rows(*case[1:])
        self.close(float(summary[1]["slowdown_median"]), o["rows"][1]["slowdown"]["median"])
        self.assertIn("quartile", self.ok(*case))

    def test_comparisons_that_are_refused(self):
        tree = ("load", "karytree:k=2,n=2", "-r", "dmodk", "-r", "smodk")
        self.refused("load", "karytree:k=2,n=2", "karytree:k=2,n=3", says="--routing")
        self.refused(*tree, "--histogram", says=["--histogram", "one fabric"])
        self.refused(*tree, "--vc", "dbbm", says="--vc")
        self.refused(*tree, "--csv", "--table", "channels", says=["channels", "summary and samples"])
        self.refused(*tree, "--table", "summary", says="--csv")
        for seeds in ("0", "4..3", "x", "3..", "1..9999999", "5x"):
            self.refused(*tree, "--seeds", seeds, says=["--seeds", "1..40"])
        self.refused("load", "karytree:k=4,n=4", "-r", "dmodk", "--seeds", "2", says=["flows per host", "--contention"])
        self.refused("load", "karytree:k=2,n=2", "-r", "dmodk", "-r", "dmodkk", "-t", "shift", says="dmodk")

    def test_tables_and_what_goes_with_them(self):
        tree = ("load", "karytree:k=2,n=2", "-r", "dmodk")
        self.refused(*tree, "--table", "nca", says="--csv")
        self.refused(*tree, "--csv", "--table", "chanels", says=["chanels", "channels, queues, nca or phases"])
        self.refused(*tree, "--csv", "--json", says="one of them")
        self.refused(*tree, "--csv", "--histogram", says="--histogram")
        self.refused(*tree, "--csv", "--vc", "dbbm", says="--table queues")
        self.refused(*tree, "--csv", "--table", "queues", "--contention", says="--contention")
        self.refused(*tree, "--vc", "dbm", says="dbbm")
        self.refused(*tree, "--vcs", "300", says="--vcs")

    def test_wrong_usage(self):
        self.refused("load", "karytree:k=2,n=2", says="--routing")
        self.refused("load", "karytree:k=2,n=2", "--routing", "dmodk", "--traffic", "unifrom", says="uniform")
        self.refused("load", "karytree:k=2,n=2", "--routing", "dmodk", "--traffic", "shift:by=4", says="shift")
        self.refused("load", "slimfly:q=5", "--routing", "minimal", "--traffic", "shuffle", says=["power of two", "128 or 256"])


if __name__ == "__main__":
    unittest.main()
