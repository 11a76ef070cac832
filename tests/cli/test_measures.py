"""Experiments without simulation, and samples: the same numbers as the commands, the same bytes however they are run."""
import csv
import io
import statistics
import unittest
from xml.etree import ElementTree

from harness import CliTest, run

GRAPHS = """\
fabric: {family: lrt, N: 36, d: 4, r: 2, seed: 1..6}
routing: [{family: loren, t_max: [least, least*1.5, 9]}, cowen]
simulate: false
measures: [proof, mean_hops, entries, least_t_max]
over: fabric.seed
"""
TREE = """\
fabric: karytree:k=4,n=2
routing: [dmodk, oblivious]
traffic: [uniform, "shift:by=4"]
simulate: false
measures: [mean_hops, entries, saturation, contention, cost, bisection]
"""
FIGURE = "figures:\n  - {{name: a, x: routing, y: {}, where: {{traffic: uniform}}}}\n"
CLAIM = "expect:\n  - {{claim: c, metric: {}, of: {{routing: dmodk}}, against: {{routing: oblivious}}, at: {{traffic: uniform}}, op: \"<\"}}\n"
TWIN = """\
fabric: karytree:k=4,n=2
routing: [dmodk, oblivious]
traffic: [uniform, permutation]
load: [20%, 40%]
seeds: 2
measures: [mean_hops, saturation, cost]
measure: {warmup: 1 us, duration: 4 us}
"""


class Measures(CliTest):
    def write(self, text, name="test.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def test_numbers_are_those_of_the_commands(self):
        answer = self.json("run", self.write(TREE), "-o", self.tmp / "a.db")
        self.assertEqual(len(answer["points"]), 4)
        topo = self.json("topo", "karytree:k=4,n=2", "--all")
        for p in answer["points"]:
            check = self.json("check", "karytree:k=4,n=2", "--routing", p["routing"])
            load = self.json("load", "karytree:k=4,n=2", "--routing", p["routing"], "--traffic", p["traffic"], "--contention")
            self.assertAlmostEqual(p["mean_hops"], check["mean_hops"])
            self.assertEqual(p["max_hops"], check["max_hops"])
            self.assertAlmostEqual(p["static_saturation"], load["saturation"])
            self.assertAlmostEqual(p["contention"], load["contention"]["max_flows"])
            self.assertAlmostEqual(p["bisection"], topo["bisection"]["per_host"])
            self.assertAlmostEqual(p["ports_per_host"], topo["ports_per_host"])
            self.assertNotIn("throughput", p)
            self.assertNotIn("deadlock_free", p)
        self.assertEqual(len(answer["statics"]), 4)
        self.assertEqual(answer["curves"], [])

    def test_sizes_and_paths_are_those_of_topo(self):
        """Of one switch and of hosts on one switch alone there are no paths; of trees, direct and damaged fabrics there are."""
        text = """\
fabric: [oft:k=4, "mlfm:h=3", "slimfly:q=5", "karytree:k=2,n=3", "torus:dims=4:3,fail=10%", "crossbar:n=4"]
routing: updown
simulate: false
measures: [size, paths]
"""
        answer = self.json("run", self.write(text), "-o", self.tmp / "a.db")
        specs = [f["spec"] for f in answer["fabrics"]]
        self.assertEqual(len(specs), 6)
        for p in answer["points"]:
            spec = specs[p["fabric"]]
            topo = self.json("topo", spec, "--all")
            for name in ("hosts", "switches", "radix", "diameter"):
                self.assertEqual(p[name], topo[name], (spec, name))
            paths = topo["path_diversity"]
            if spec.startswith("crossbar"):
                self.assertIsNone(p["min_paths"])
                continue
            self.assertEqual((p["min_paths"], p["max_paths"]), (paths["min"], paths["max"]), spec)
            self.assertAlmostEqual(p["mean_paths"], paths["mean"], places=6)
        oft = answer["points"][0]  # 26 routers with hosts: 4 paths to the counterpart, one to the 24 others
        self.assertEqual((oft["min_paths"], oft["max_paths"]), (1, 4))
        self.assertAlmostEqual(oft["mean_paths"], (24 + 4) / 25)
        plans = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--csv", "--table", "plans"))))
        self.assertEqual([row["hosts"] for row in plans][:1], ["104"])
        self.assertEqual(list(plans[0]).count("hosts"), 1)
        table = self.ok("report", self.tmp / "a.db", "--csv", "--table", "plans").splitlines()[0].split(",")
        self.assertEqual(len(table), len(set(table)), table)
        self.assertIn("mean_paths", table)
        self.assertIn("most paths", self.ok("run", self.write(text), "-o", self.tmp / "a.db"))

    def test_routes_per_root_are_those_of_load(self):
        """Over the switches of the highest level, of any traffic and tree; other fabrics have none."""
        text = """\
fabric: ["xgft:m=4:4,w=1:3", "xgft:m=2:3:4,w=1:2:2", "karytree:k=4,n=2", "torus:dims=4:4"]
routing: [%s]
traffic: [alltoall, "shift:by=5"]
seeds: [1, 2]
simulate: false
measures: [nca]
"""
        for routing in ("dmodk", "'rnca_up:seed=3'", "oblivious", "updown"):
            fabrics = text if routing == "updown" else text.replace(', "torus:dims=4:4"', "")
            change = fabrics.replace("seeds: [1, 2]\n", "") % routing
            answer = self.json("run", self.write(change), "-o", self.tmp / f"{routing[1:4]}.db")
            for p in answer["points"]:
                spec = answer["fabrics"][p["fabric"]]["spec"]
                if spec.startswith("torus"):
                    self.assertIsNone(p["nca_routes_mean"])
                    continue
                rows = list(csv.DictReader(io.StringIO(self.ok("load", spec, "--routing", routing.strip("'"), "--traffic", p["traffic"], "--csv", "--table", "nca"))))
                top = [float(r["routes"]) for r in rows if r["level"] == rows[-1]["level"]]
                for name, value in (("min", min(top)), ("mean", statistics.mean(top)), ("max", max(top)), ("sd", statistics.pstdev(top))):
                    self.assertAlmostEqual(p[f"nca_routes_{name}"], value, places=6, msg=(spec, routing, p["traffic"]))
        self.refused("run", self.write(text.replace("simulate: false\n", "").replace("traffic: [alltoall", "schedule: [{until: 1 us, traffic: uniform}, {traffic: alltoall}]\n#") % "updown"),
                     "-o", self.tmp / "no.db", says="measure 'nca' is of one traffic")

    def test_next_switches(self):
        """Of single flows in a tree with D-mod-k those of its definition; several, or a choice, are none; entries are counted as tables have them."""
        pairs = [(0, 5), (3, 10), (7, 24), (26, 1)]
        flows = ", ".join(f'"subset:hosts={min(p)}:{max(p)},pattern=(hotspot:nodes={int(p[1] > p[0])},fraction=100%,rest=silent)"' for p in pairs)
        text = f"""\
fabric: "karytree:k=3,n=3"
routing: [dmodk, oblivious]
traffic: [{flows}, "subset:hosts=0..1,pattern=(shift:by=1)", alltoall]
simulate: false
measures: [next]
"""
        points = self.json("run", self.write(text), "-o", self.tmp / "a.db")["points"]
        # leaf switch a b (base 3) of host a b c; up port d leads to switch 9 + a d of the next level, and D-mod-k takes d = the destination's last digit
        expected = [9 + src // 9 * 3 + dst % 3 for src, dst in pairs] + [None, None]
        self.assertEqual([p["next_switch"] for p in points if p["routing"] == "dmodk"], expected)
        self.assertEqual([p["next_switch"] for p in points if p["routing"] == "oblivious"], [None] * 6)
        self.assertEqual({p.get("flows_with_entry") for p in points}, {None})
        loren = """\
fabric: ["lrt:N=16,d=4,r=2,seed=410187", "lrt:N=36,d=4,r=3,p=2"]
routing: {family: loren, t_max: [least, 15, 35]}
traffic: alltoall
simulate: false
measures: [next, entries]
"""
        for p in self.json("run", self.write(loren), "-o", self.tmp / "b.db")["points"]:
            switches = 16 if p["fabric"] == 0 else 36
            self.assertAlmostEqual(p["flows_with_entry"], p["entries_mean"] / (switches - 1), places=8)
        self.refused("run", self.write(text.replace("simulate: false\n", "").replace("traffic:", "schedule: [{until: 1 us, traffic: uniform}, {traffic: alltoall}]\n#")),
                     "-o", self.tmp / "no.db", says="measure 'next' is of one traffic")

    def test_permutations_are_those_of_load(self):
        """All of them on small fabrics, as many as asked for on any; with one path per pair."""
        text = """\
fabric: ["xgft:m=3:3,w=1:2", "karytree:k=2,n=3"]
routing: [smodk, dmodk, oblivious]
simulate: false
measures: [permutations]
"""
        answer = self.json("run", self.write(text), "-o", self.tmp / "a.db")
        random = text.replace("measures:", "patterns: 300\nmeasures:").replace("karytree:k=2,n=3", "karytree:k=4,n=2")
        drawn = self.json("run", self.write(random), "-o", self.tmp / "b.db")
        for result, asked in ((answer, "all"), (drawn, 300)):
            for p in result["points"]:
                if p["routing"] == "oblivious":
                    self.assertIsNone(p["permutations_free"])
                    continue
                load = self.json("load", result["fabrics"][p["fabric"]]["spec"], "--routing", p["routing"], "--permutations", asked)["permutations"]
                count = load["by_contention"]
                self.assertAlmostEqual(p["permutations_free"], (count.get("0", 0) + count.get("1", 0)) / load["total"])
                self.assertAlmostEqual(p["permutations_contention"], load["mean"], places=6)
                self.assertEqual(p["permutations_contention_max"], max(map(int, count)))
        free = self.json("run", self.write(random.replace("300", "7")), "-o", self.tmp / "b.db")["points"][0]["permutations_free"]
        self.assertAlmostEqual(7 * free, round(7 * free), places=6)  # another number is measured anew
        many = text.replace("karytree:k=2,n=3", "karytree:k=4,n=2")
        said = self.refused("run", self.write(many), "-o", self.tmp / "no.db", says=("16 hosts of karytree:k=4,n=2", "patterns: 10000"))
        self.assertIn("test.yaml:4:12:", said)
        self.assertFalse((self.tmp / "no.db").exists())
        self.refused("run", self.write(text.replace("measures: [permutations]", "measures: [size]\npatterns: 5")), "-o", self.tmp / "no.db", says="without effective_bandwidth or permutations")

    def test_permutations_are_drawn_by_the_seed(self):
        """Seeds are samples, as those of patterns are; alone, with what looks at a traffic, and beside simulations. All permutations are one sample."""
        text = """\
fabric: "karytree:k=4,n=2"
routing: [dmodk, oblivious]
simulate: false
patterns: 40
seeds: [3, 5, 9]
measures: [permutations]
"""
        of_load = {seed: self.json("load", "karytree:k=4,n=2", "--routing", "dmodk", "--permutations", 40, "--seed", seed)["permutations"]["mean"] for seed in (3, 5, 9)}
        self.assertEqual(len(set(of_load.values())), 3)
        simulated = text.replace("simulate: false", "load: 20%\nmeasure: {warmup: 1 us, duration: 1 us}")
        for name, more in (("alone", text), ("traffic", text.replace("[permutations]", "[permutations, contention]") + 'traffic: ["shift:by=4", uniform]\n'), ("beside", simulated)):
            with self.subTest(name):
                figure = 'figures: [{name: p, kind: list, y: permutations, where: {routing: dmodk%s}}]\n' % (', traffic: "shift:by=4"' if name == "traffic" else "")
                answer = self.json("run", self.write(more + figure), "-o", self.tmp / f"{name}.db")
                points = [p for p in answer["points"] if p["routing"] == "dmodk"]
                self.assertEqual(len(points), 6 if name == "traffic" else 3)
                for p in points:
                    self.assertAlmostEqual(p["permutations_contention"], of_load[p["seed"]], places=6)
                for p in answer["points"]:
                    self.assertEqual(p["permutations_contention"] is None, p["routing"] != "dmodk")
                rows = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / f"{name}.db", "--figure", "p", "--csv"))))
                self.assertEqual({r["samples"] for r in rows}, {"3"})
                if name == "alone":
                    self.assertEqual([s["samples"] for s in answer["statics"]], [3, 3])
        said = self.refused("run", self.write(text.replace("patterns: 40\n", "").replace("karytree:k=4,n=2", "karytree:k=2,n=2")), "-o", self.tmp / "no.db", says="nothing that is measured depends on it")
        self.assertIn("test.yaml:4:9", said)

    def test_destinations_per_queue_are_those_of_load(self):
        """Of every kind of channel; trees have levels, other fabrics channels between switches; VCs are queues of their own."""
        text = """\
fabric: ["rlft:ports=8,levels=3", "xgft:m=2:2:2:2,w=1:2:2:2", "torus:dims=4:4", "crossbar:n=4"]
routing: [updown]
vc: [%s]
traffic: [uniform, "shift:by=3"]
simulate: false
measures: [queues]
figures:
  - {name: kinds, kind: list, y: queue_destinations, series: fabric, panel: [traffic, vc]}
  - {name: all, kind: list, y: queue_destinations, series: [traffic, vc], over: fabric}
"""
        answer = self.json("run", self.write(text % "1q, dbbm"), "-o", self.tmp / "a.db")
        of_all = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--figure", "all", "--csv"))))
        listed = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--figure", "kinds", "--csv"))))
        seen, means = set(), {}
        for p in answer["points"]:
            spec, vc = answer["fabrics"][p["fabric"]]["spec"], answer["plans"][p["plan"]]["vc"]
            rows = csv.DictReader(io.StringIO(self.ok("load", spec, "--routing", p["routing"], "--vc", vc, "--traffic", p["traffic"], "--queues", "--csv", "--table", "queues")))
            groups = {}
            for r in rows:
                if float(r["flows"]) > 0:
                    groups.setdefault((r["direction"], int(r["level"] or 0)), []).append(int(r["destinations"]))
            mean = {kind: statistics.mean(values) for kind, values in groups.items()}
            for name, kind in (("injection", ("injection", 0)), ("up_1", ("up", 1)), ("up_2", ("up", 2)), ("down_2", ("down", 2)), ("down_1", ("down", 1)),
                               ("between", ("between", 0)), ("ejection", ("ejection", 0))):
                value = p[f"destinations_{name}"]
                self.assertEqual(value is None, kind not in mean, (spec, name, mean))
                if value is not None:
                    self.assertAlmostEqual(value, mean[kind], places=6, msg=(spec, name))
                    seen.add(name)
            here = [r for r in listed if (r["fabric"], r["vc"], r["traffic"]) == tuple(p["params"][name] for name in ("fabric", "vc", "traffic"))]
            self.assertEqual(len(here), len(mean), (spec, mean))
            order = sorted(mean, key=lambda kind: (["injection", "up", "between", "down", "ejection"].index(kind[0]), kind[1] if kind[0] == "up" else -kind[1]))
            for r, kind in zip(here, order):
                name = f"{kind[0]} {kind[1]}" if kind[1] else kind[0]
                self.assertEqual(r["kind of channel"], name)
                self.assertAlmostEqual(float(r["queue_destinations"]), mean[kind], places=4, msg=(spec, kind))
                means.setdefault((p["params"]["traffic"], p["params"]["vc"]), {}).setdefault(name, []).append(mean[kind])
        # over fabrics of several heights a place is a kind of channel, not a number
        places = ["injection", "between", "up 1", "up 2", "up 3", "down 3", "down 2", "down 1", "ejection"]
        for key, mean in means.items():
            here = [r for r in of_all if (r["traffic"], r["vc"]) == key]
            self.assertEqual([r["kind of channel"] for r in here], places)
            for r in here:
                self.assertAlmostEqual(float(r["queue_destinations"]), statistics.mean(mean[r["kind of channel"]]), places=4)
                self.assertEqual(int(r["samples"]), len(mean[r["kind of channel"]]))
        self.ok("report", self.tmp / "a.db", "--figure", "all", "-o", self.tmp / "all.svg")
        shown = [t.text for t in ElementTree.parse(self.tmp / "all.svg").iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([t for t in shown if t in places][:len(places)], places)
        table = self.ok("report", self.tmp / "a.db", "--figure", "all")
        self.assertRegex(table, "Kind of channel")
        for place in places:
            self.assertRegex(table, rf" {place} ")
        self.assertEqual(len(seen), 7)
        self.assertIn("hosts/queue: injection", self.ok("run", self.write(text % "1q"), "-o", self.tmp / "b.db"))
        self.refused("run", self.write((text % "1q").replace("simulate: false\n", "").replace("traffic: [uniform", "schedule: [{until: 1 us, traffic: uniform}, {traffic: alltoall}]\n#")),
                     "-o", self.tmp / "no.db", says="measure 'queues' is of one traffic")

    def test_bound_is_that_of_load(self):
        """Once for all routings of a fabric and each pattern; no share where none is predicted; a claim about it."""
        text = """\
fabric: [slimfly:q=3, "jellyfish:N=12,d=3,p=2,seed=1"]
routing: [minimal, updown, ugal_l]
traffic: [uniform, worst]
simulate: false
measures: [bound]
expect:
  - {claim: c, metric: share_of_bound, of: {routing: updown}, against: {routing: minimal}, at: {fabric: slimfly, traffic: uniform}, op: "<"}
"""
        answer = self.json("run", self.write(text), "-o", self.tmp / "b.db")
        self.assertEqual([c["verdict"] for c in answer["claims"]], ["holds"])
        self.assertEqual(len(answer["points"]), 12)
        specs = {f["id"]: f["spec"] for f in answer["fabrics"]}
        for p in answer["points"]:
            load = self.json("load", specs[p["fabric"]], "-t", p["traffic"], "--bound", "-r", p["routing"])
            self.assertAlmostEqual(p["bound_low"], load["bound"]["lower"], places=8)
            self.assertAlmostEqual(p["bound_high"], load["bound"]["upper"], places=8)
            share = load["bound"]["share_low"]
            self.assertEqual(p.get("share_of_bound") is None, share is None)
            self.assertEqual(share is None, p["routing"] == "ugal_l")
            if share is not None:
                self.assertAlmostEqual(p["share_of_bound"], share, places=8)
        self.assertIn("best at most", self.ok("run", self.tmp / "test.yaml", "-o", self.tmp / "b.db"))

    def test_bound_is_refused(self):
        ends = self.write("fabric: karytree:k=2,n=2\nrouting: dmodk\ntraffic: \"collective:operation=allreduce,bytes=1kB\"\n"
                          "simulate: false\nmeasures: [bound]\n")
        answer = run("run", ends, "-o", self.tmp / "r.db")
        self.assertEqual(answer.returncode, 2)
        self.assertRegex(answer.stderr, "test.yaml:5:12: measure 'bound' is a rate, and traffic 'collective.*' ends")
        self.assertFalse((self.tmp / "r.db").exists())

    def test_bound_of_nothing(self):
        """Damage that leaves no flows does not end the experiment: there is no bound of them."""
        text = """\
fabric: {family: karytree, k: 2, n: 2, fail: [0%, 100%]}
routing: updown
traffic: [uniform, "shift:by=2"]
simulate: false
measures: [bound]
allow_unreachable: true
"""
        points = self.json("run", self.write(text), "-o", self.tmp / "n.db")["points"]
        self.assertEqual([p.get("bound_high") for p in points], [1, 1, 1, None])
        self.assertEqual([p.get("share_of_bound") is None for p in points], [False, False, False, True])

    def test_bound_needs_memory(self):
        """The limit is an error: shards on machines with more memory would have other results."""
        text = "fabric: \"jellyfish:N=400,d=5,p=4\"\nrouting: updown\nsimulate: false\nmeasures: [bound]\n"
        answer = run("run", self.write(text), "-o", self.tmp / "m.db", "--jobs", 1, "--memory-limit", "10 MiB")
        self.assertEqual(answer.returncode, 2)
        self.assertIn("measure 'bound': the memory limit leaves no room", answer.stderr)

    def test_samples_are_one_row(self):
        answer = self.json("run", self.write(GRAPHS), "-o", self.tmp / "a.db")
        rows = {s["routing"]: s for s in answer["statics"]}
        self.assertEqual(list(rows), ["loren:t_max=least", "loren:t_max=least*1.5", "loren:t_max=9", "cowen"])
        for name, row in rows.items():
            points = [p for p in answer["points"] if p["routing"] == name]
            self.assertEqual((row["samples"], len(points)), (6, 6))
            hops = [p["mean_hops"] for p in points if p["feasible"]]
            self.assertAlmostEqual(row["mean_hops"], statistics.mean(hops), places=6)
            self.assertAlmostEqual(row["mean_hops_sd"], statistics.stdev(hops), places=6)
            self.assertAlmostEqual(row["mean_hops_quantiles"][3], statistics.median(hops), places=6)
        least = [p for p in answer["points"] if p["routing"] == "loren:t_max=least"]
        self.assertTrue(all(p["entries_max"] == p["least_t_max"] for p in least))
        more = [p for p in answer["points"] if p["routing"] == "loren:t_max=least*1.5"]
        self.assertTrue(all(abs(p["entries_max"] - 1.5 * p["least_t_max"]) < 1 for p in more))
        # what a fixed number is too small for is the refusal of ikat route, and its hint
        for p in answer["points"]:
            if p["routing"] == "loren:t_max=9":
                self.assertEqual(p["feasible"], int(p["least_t_max"] <= 9))
                self.assertEqual(p["mean_hops"] is None, not p["feasible"])
        fixed = [p["feasible"] for p in answer["points"] if p["routing"] == "loren:t_max=9"]
        self.assertTrue(0 < sum(fixed) < 6, fixed)
        self.assertIn(f"{sum(fixed):.0f} of 6", self.ok("run", self.write(GRAPHS), "-o", self.tmp / "a.db"))
        table = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--csv", "--table", "curves"))))
        [row] = [r for r in table if r["routing"] == "cowen" and r["result"] == "mean_hops"]
        self.assertEqual((row["samples"], row["fabric"]), ("6", "lrt:N=36,d=4,r=2"))
        self.assertAlmostEqual(float(row["mean"]), rows["cowen"]["mean_hops"], places=6)
        self.ok("report", self.tmp / "a.db", "-o", self.tmp / "a.html")

    def test_bytes_do_not_depend_on_jobs_or_pauses(self):
        self.ok("run", self.write(GRAPHS), "-o", self.tmp / "a.db", "--jobs", 1)
        self.ok("run", self.write(GRAPHS), "-o", self.tmp / "b.db", "--jobs", 2)
        self.assertEqual((self.tmp / "a.db").read_bytes(), (self.tmp / "b.db").read_bytes())
        done = run("run", self.write(GRAPHS), "-o", self.tmp / "b.db")
        self.assertIn("24 of 24 points are finished already", done.stderr)
        self.assertEqual((self.tmp / "a.db").read_bytes(), (self.tmp / "b.db").read_bytes())
        part = self.tmp / "c.db"
        self.ok("run", self.write(GRAPHS.replace("1..6", "1..3")), "-o", part)
        done = run("run", self.write(GRAPHS), "-o", part)
        self.assertIn("12 of 24 points are finished already", done.stderr)
        first, second = (self.json("report", name)["points"] for name in (self.tmp / "a.db", part))
        self.assertEqual([(p["params"], p["mean_hops"]) for p in first], [(p["params"], p["mean_hops"]) for p in second])

    def test_samples_of_simulations(self):
        """One curve over random machines; each machine is still a point."""
        text = """\
fabric: {family: jellyfish, N: 10, d: 4, p: 2, seed: 1..4}
routing: updown
load: [10%, 30%]
seeds: 2
over: fabric.seed
measure: {warmup: 1 us, duration: 4 us}
"""
        answer = self.json("run", self.write(text), "-o", self.tmp / "a.db")
        [curve] = answer["curves"]
        self.assertEqual(([s["load"] for s in curve["steps"]], [s["seeds"] for s in curve["steps"]]), ([0.1, 0.3], [8, 8]))
        here = [p["throughput"] for p in answer["points"] if p["load"] == 0.3]
        self.assertAlmostEqual(curve["steps"][1]["throughput"], statistics.mean(here), places=6)
        self.assertEqual(len(self.json("run", self.write(text.replace("over: fabric.seed\n", "")), "-o", self.tmp / "b.db")["curves"]), 4)
        self.ok("report", self.tmp / "a.db", "-o", self.tmp / "a.html")
        # what channels carried is of the first machine; of how busy they were every machine is a sample
        for step in curve["steps"]:
            here = [p for p in answer["points"] if p["load"] == step["load"]]
            for key in ("link_use_mean", "link_use_max"):
                self.assertAlmostEqual(step[key], statistics.mean(p[key] for p in here), places=6)
                self.assertAlmostEqual(step[f"{key}_quantiles"][3], statistics.median(p[key] for p in here), places=6)
        whole = self.json("report", self.tmp / "a.db")
        drawn = next(f for f in whole["fabrics"] if "drawing" in f)
        inner = [c for link in drawn["drawing"]["links"] for c in (link[0], link[3])
                 if max(link[1], link[4]) < drawn["drawing"]["switches"]]
        first = [p for p in whole["points"] if p["fabric"] == drawn["id"] and p["load"] == 0.3]
        use = whole["curves"][0]["steps"][1]["utilisation"]
        self.assertEqual(len(first), 2)
        self.assertAlmostEqual(statistics.mean(p["link_use_mean"] for p in first), statistics.mean(use[c] for c in inner), places=4)

    def test_patterns_are_drawn_by_the_seed(self):
        text = TREE.replace("[mean_hops, entries, saturation, contention, cost, bisection]", "effective_bandwidth").replace(
            '[uniform, "shift:by=4"]', "permutation") + "patterns: 10\nseeds: 3\n"
        answer = self.json("run", self.write(text), "-o", self.tmp / "a.db")
        self.assertEqual([s["samples"] for s in answer["statics"]], [3, 3])
        load = self.json("load", "karytree:k=4,n=2", "--routing", "dmodk", "--traffic", "permutation", "--patterns", 10, "--seed", 2)
        self.assertAlmostEqual(answer["points"][1]["effective_bandwidth"], load["patterns"]["effective_bandwidth"], places=6)

    def test_beside_a_simulation(self):
        """The same numbers as without one; a point is what it is without them, and its simulation is not run again for them."""
        answer = self.json("run", self.write(TWIN), "-o", self.tmp / "a.db")
        alone = TWIN.replace("load: [20%, 40%]", "simulate: false").replace("measure: {warmup: 1 us, duration: 4 us}\n", "")
        measured = self.json("run", self.write(alone), "-o", self.tmp / "b.db")
        names = ("mean_hops", "max_hops", "static_saturation", "ports_per_host", "links_per_host")
        expected = {(p["routing"], p["traffic"], p["seed"]): p for p in measured["points"]}
        self.assertEqual((len(answer["points"]), len(expected)), (16, 8))
        for p in answer["points"]:
            for name in names:
                self.assertAlmostEqual(p[name], expected[p["routing"], p["traffic"], p["seed"]][name], places=8)
            self.assertGreater(p["throughput"], 0)
            self.assertNotIn("bisection", p)
            self.assertNotIn("measures", p["params"])
        self.assertEqual([(s["routing"], s["traffic"], s["samples"]) for s in answer["statics"]],
                         [(r, t, 2) for r in ("dmodk", "oblivious") for t in ("uniform", "permutation")])
        for s, b in zip(answer["statics"], measured["statics"]):
            self.assertAlmostEqual(s["static_saturation"], b["static_saturation"], places=8)
            self.assertNotIn("throughput", s)
        summary = self.ok("run", self.write(TWIN), "-o", self.tmp / "a.db")
        self.assertRegex(summary, r"(?s)Measures\nrouting +traffic +mean hops .*Results\n")
        table = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--csv"))))
        self.assertEqual([float(r["static_saturation"]) for r in table], [p["static_saturation"] for p in answer["points"]])
        self.ok("report", self.tmp / "a.db", "-o", self.tmp / "a.html")

    def test_measures_simulate_nothing_again(self):
        """Others, none, and again the first: always what a run from the start writes."""
        texts = [TWIN, TWIN.replace("[mean_hops, saturation, cost]", "[bisection, entries]"), TWIN.replace("measures: [mean_hops, saturation, cost]\n", "")]
        fresh = []
        for number, text in enumerate(texts):
            self.ok("run", self.write(text), "-o", self.tmp / f"{number}.db", "--jobs", 1 + number % 2)
            fresh.append((self.tmp / f"{number}.db").read_bytes())
        self.assertEqual(len(set(fresh)), 3)
        for number in (0, 1, 2, 1, 0, 2):
            done = run("run", self.write(texts[number]), "-o", self.tmp / "all.db")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.json("report", self.tmp / "all.db")["points"], self.json("report", self.tmp / f"{number}.db")["points"])
            self.assertIn("16 of 16 points are finished already" if number or "finished" in done.stderr else "16 of 16 points", done.stderr)

    def test_what_figures_and_claims_use_is_measured(self):
        """With a simulation and without, named in `measures` or not."""
        text = TWIN.replace("measures: [mean_hops, saturation, cost]\n", "")
        drawn = FIGURE.format("throughput - static_saturation").replace("where: {traffic: uniform}", "where: {traffic: uniform, load: 40%}")
        asked = CLAIM.format("bisection").replace("at: {traffic: uniform}", "at: {traffic: uniform, load: 40%}").replace('"<"', '"="')
        answer = self.json("run", self.write(text + drawn + asked), "-o", self.tmp / "a.db")
        self.assertTrue(all(p["static_saturation"] and p["bisection"] for p in answer["points"]))
        self.assertNotIn("mean_hops", answer["points"][0])
        self.assertEqual([c["verdict"] for c in answer["claims"]], ["holds"])
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--figure", "a", "--csv"))))
        for row in rows:
            points = [p for p in answer["points"] if (p["routing"], p["traffic"], p["load"]) == (row["routing"], "uniform", 0.4)]
            self.assertAlmostEqual(float(row["throughput - static_saturation"]), statistics.mean(p["throughput"] - p["static_saturation"] for p in points), places=6)
        # the figure came later: no point is simulated again
        self.ok("run", self.write(text), "-o", self.tmp / "b.db")
        done = run("run", self.write(text + drawn + asked), "-o", self.tmp / "b.db")
        self.assertIn("16 of 16 points are finished already", done.stderr)
        self.assertEqual(self.json("report", self.tmp / "b.db")["points"], answer["points"])
        for measures, more in (("", ["mean_hops", "static_saturation"]), ("measures: entries\n", [])):
            alone = "fabric: karytree:k=4,n=2\nrouting: [dmodk, updown]\nsimulate: false\n" + measures
            extra = FIGURE.format("bisection").replace(", where: {traffic: uniform}", "")
            [point, _] = self.json("run", self.write(alone + extra), "-o", self.tmp / "c.db")["points"]
            self.assertTrue({"bisection", "entries_max", *more} <= set(point))
            self.assertEqual("mean_hops" in point, bool(more))
            (self.tmp / "c.db").unlink()

    def test_samples_are_machines(self):
        """An exact measure of four machines under three seeds has four samples, in tables, figures and claims."""
        text = """\
fabric: {family: jellyfish, N: 10, d: 4, p: 2, seed: 1..4}
routing: [updown, minimal]
load: [10%, 30%]
seeds: 3
over: fabric.seed
measures: [mean_hops]
measure: {warmup: 1 us, duration: 2 us}
figures: [{name: a, x: routing, y: mean_hops, where: {load: 10%}}]
"""
        answer = self.json("run", self.write(text), "-o", self.tmp / "a.db")
        hops = sorted({p["mean_hops"] for p in answer["points"] if p["routing"] == "updown"})
        self.assertEqual(len(hops), 4)
        wide = 3.182 * statistics.stdev(hops) / 2  # Student's t with three degrees of freedom
        self.assertAlmostEqual(answer["statics"][0]["mean_hops_ci95"], wide, places=6)
        self.assertAlmostEqual(answer["curves"][0]["steps"][0]["mean_hops_ci95"], wide, places=6)
        table = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--csv", "--table", "curves"))))
        self.assertEqual({r["samples"] for r in table if r["result"] == "mean_hops"}, {"4"})
        self.assertEqual({r["samples"] for r in table if r["result"] == "throughput"}, {"12"})
        [row, _] = csv.DictReader(io.StringIO(self.ok("report", self.tmp / "a.db", "--figure", "a", "--csv")))
        self.assertAlmostEqual(float(row["y_ci95"]), wide, places=6)

    def test_infeasible_samples_of_simulations(self):
        """Counted in the summary, tables, figures and claims, which are about the others."""
        text = """\
fabric: {family: lrt, N: 36, d: 4, r: 2, seed: 1..4}
routing: [{family: loren, t_max: [9, least]}]
load: [10%, 60%]
seeds: 2
over: fabric.seed
measures: [least_t_max]
measure: {warmup: 1 us, duration: 2 us}
figures:
  - {name: a, x: load, y: throughput, series: routing}
  - {name: b, kind: box, x: load, y: mean_hops, series: routing}
expect:
  - {claim: c, transient: true, metric: throughput, of: {routing.t_max: 9}, value: 0.5, op: "<", at: {load: 60%}}
  - {claim: d, transient: true, metric: plateau, of: {routing.t_max: 9}, value: 0.5, op: "<"}
"""
        done = run("run", self.write(text), "-o", self.tmp / "a.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^loren:t_max=9 .* 6 of 8$")
        answer = self.json("report", self.tmp / "a.db")
        points = [p for p in answer["points"] if p["routing"] == "loren:t_max=9"]
        self.assertEqual(sum(p["feasible"] for p in points), 12)
        self.assertTrue(all(p["least_t_max"] > 9 for p in points if not p["feasible"]))
        [fixed, least] = answer["curves"]
        self.assertEqual([(s["seeds"], s["infeasible"]) for s in fixed["steps"]], [(6, 2)] * 2)
        self.assertEqual([s.get("infeasible") for s in least["steps"]], [None] * 2)
        here = [p["throughput"] for p in points if p["feasible"] and p["load"] == 0.6]
        self.assertAlmostEqual(fixed["steps"][1]["throughput"], statistics.mean(here), places=6)
        self.assertEqual([s["samples"] for s in answer["statics"]], [8, 8])
        self.assertIn("28 of 32 samples are feasible.", answer["figures"][0]["caption"])
        self.assertIn("14 of 16 samples are feasible.", answer["figures"][1]["caption"])
        self.assertNotIn("have a value", answer["figures"][0]["caption"])
        self.assertIn("28 of 32 samples are feasible.", self.ok("report", self.tmp / "a.db", "--figure", "a"))
        self.assertEqual([c["verdict"] for c in answer["claims"]], ["holds", "holds"])
        self.ok("report", self.tmp / "a.db", "-o", self.tmp / "a.html")
        self.ok("run", self.write(text), "-o", self.tmp / "b.db", "--jobs", 1)
        self.assertEqual((self.tmp / "a.db").read_bytes(), (self.tmp / "b.db").read_bytes())

    def test_refusals(self):
        """What has no effect, and what is not there, with place and the nearest name."""
        for text, place, said in (
                (TREE + "load: 50%\n", "6:1", "'load' has no effect with simulate: false"),
                (TREE + "switch: {buffer: 1 MiB}\n", "6:1", "'switch' has no effect"),
                (TREE + "seeds: 3\n", "6:8", "'seeds' has no effect"),
                (TREE + "patterns: 3\n", "6:11", "'patterns' has no effect"),
                (TREE.replace("bisection", "bisecton"), "5:62", "did you mean 'bisection'"),
                (TREE.replace("bisection", "cost"), "5:62", "twice"),
                (TREE.replace(", saturation, contention", ""), "3:11", "'traffic' has no effect"),
                (TREE + "proof: off\n", "5:12", "measure 'mean_hops' is of a proof"),
                (TREE + FIGURE.format("throughput"), "7:30", "'throughput' is a result of simulations"),
                (TREE + FIGURE.format("mean_hops / offered"), "7:30", "'offered' is a result of simulations"),
                (TREE + FIGURE.format("mean_hop"), "7:30", "did you mean 'mean_hops'"),
                (TREE + CLAIM.format("saturation"), "7:24", "static_saturation is the predicted one"),
                (TREE + CLAIM.format("plateau, y: latency_mean_ns, x: routing"), "7:36", "'latency_mean_ns' is a result"),
                (TWIN + "patterns: 3\n", "8:11", "'patterns' has no effect"),
                (TWIN + "proof: off\n", "6:12", "measure 'mean_hops' is of a proof"),
                (TWIN.replace("traffic: [uniform, permutation]", "schedule: [{until: 2 us, traffic: uniform}, {traffic: transpose}]"),
                 "6:23", "measure 'saturation' is of one traffic, and 'schedule' are several"),
                (GRAPHS.replace("over: fabric.seed", "over: fabric.sed"), "5:7", "did you mean 'fabric.seed'"),
                (GRAPHS.replace("over: fabric.seed", "over: [fabric.seed, fabric.N]"), "5:21", "is not swept"),
                (GRAPHS.replace("over: fabric.seed", "over: seeds"), "5:7", "always samples"),
                (GRAPHS.replace("over: fabric.seed", "over: load"), "5:7", "is not an axis that can be a sample"),
                (GRAPHS.replace("least*1.5", "least*0.5"), "2:42", "factor")):
            with self.subTest(said=said):
                done = run("run", self.write(text), "-o", self.tmp / "a.db")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertIn(f"test.yaml:{place}:", done.stderr)
                self.assertFalse((self.tmp / "a.db").exists())


if __name__ == "__main__":
    unittest.main()
