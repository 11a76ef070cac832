"""What `ikat check` says, compared with a judge of its own that sees only the fabric and the hops and paths that `ikat route` prints."""
import collections
import json
import os
import random
import unittest

from harness import CliTest, run

ROUTINGS = ["dmodk", "dmodk_pgft", "smodk", "random", "rnca_up", "rnca_down", "oblivious", "adaptive_tree", "ir", "fir", "dmodc", "updown", "shortest",
            "minimal", "minimal:paths=one", "valiant", "ugal_l", "dor", "loren", "cowen", "dfsssp", "nue:vcs=2", "frugal"]
SCHEMES = [None, "1q", "dbbm", "vftree", "flow2sl", "voqnet", "hopclass", "phase", "dateline", "any", "lash", "lash:pairs=both", "lash_tor", "acro", "dfsssp",
           "dfsssp:pairs=both", "nue", "frugal", "escape:routing=updown", "escape:routing=dor", "escape:routing=dor;vc=dateline"]
SPECS = ["karytree:k=2,n=3", "xgft:m=3:4,w=2:2", "xgft:m=3:2:2,w=2:1:2", "pgft:m=2:3,w=1:2,p=2:1", "pgft:m=3:3,w=1:2,p=1:2", "rlft:ports=4,levels=2", "torus:dims=4:3",
         "ring:n=6,p=2", "mesh:dims=3:3", "hypercube:n=3", "hyperx:dims=3:3", "fullmesh:n=5", "dragonfly:h=1", "slimfly:q=3", "mlfm:h=2", "oft:k=2", "polarfly:q=2"]
ONE_WAY = ("dmodk", "smodk", "rnca", "fir")  # the published rule gives a port for a direction, not for a connection
ALL = bool(os.environ.get("IKAT_TEST_ALL"))


def drawn_graph(rng, ring=True):
    """An edge list: a ring (or any connected graph) of switches, some cables twice, hosts with one to three cables."""
    n = rng.randint(3, 6)
    lines = [f"{i} {(i + 1) % n}" for i in range(n)] if ring else [f"{i} {rng.randrange(i)}" for i in range(1, n)]
    lines += [f"{a} {b}" for a, b in (rng.sample(range(n), 2) for _ in range(0 if ring else rng.randint(1, 4)))]
    lines += [rng.choice(lines)] if rng.random() < 0.3 else []
    for host in range(rng.randint(4, 8)):
        lines += [f"{rng.randrange(n)} h{host}" for _ in range(rng.choice([1, 2, 2, 3]))]
    rng.shuffle(lines)
    return "\n".join(lines) + "\n"


def channel(text):
    """SWITCH.PORT/VC; None for a host's."""
    place, _, vc = text.partition("/")
    return None if place == "-" else (*map(int, place.split(".")), int(vc))


class Judge:
    """Dependencies by pair of hosts, from what is printed."""

    def __init__(self, fabric, hops, paths):
        links = json.loads(fabric)["links"]
        self.switches = len(json.loads(fabric)["switches"])
        self.peer = {}
        for a, p, b, q, *_ in links:
            self.peer[a, p], self.peer[b, q] = (b, q), (a, p)
        self.lines, self.of_pair, self.graph, self.used = [], collections.defaultdict(set), collections.defaultdict(set), set()
        for line in hops.splitlines():
            if line[0] != "#":
                src, dst, _, *tokens = line.split()
                taken = {tuple(map(channel, token.split(">"))) for token in tokens}
                self.lines.append((int(src), int(dst), taken))
                self.of_pair[int(src), int(dst)] |= taken
        self.paths = collections.defaultdict(list)
        for line in paths.splitlines():
            if line[0] != "#" and not line.endswith(" lost"):
                src, dst, _, *steps = line.split()
                self.paths[int(src), int(dst)].append([channel(step) for step in steps])
        for taken in self.of_pair.values():
            for held, onward in taken:
                if self.between(onward):
                    self.used.add(onward)
                    if held:
                        self.graph[held].add(onward)

    def between(self, c):
        return c is not None and self.peer.get(c[:2], (self.switches,))[0] < self.switches

    def dependencies(self):
        return sum(map(len, self.graph.values()))

    def acyclic(self):
        """By taking channels off that nothing waits for."""
        into = collections.Counter(onward for ahead in self.graph.values() for onward in ahead)
        ready = [c for c in self.used if not into[c]]
        for c in ready:
            for onward in self.graph[c]:
                into[onward] -= 1
                if not into[onward]:
                    ready.append(onward)
        return len(ready) == len(self.used)

    def accepts(self, text):
        """A certificate, by docs/proofs.md: None, or what is wrong with it."""
        lines = [line.split() for line in text.splitlines()]
        assert lines[0] == ["ikat-certificate", "1"], lines[0]
        head = {line[0]: line[1:] for line in lines[1:] if not line[0].isdigit()}
        entries = [line for line in lines[1:] if line[0].isdigit()]
        places = [tuple(map(int, line[:3])) for line in entries]
        if "cycle" in head:
            for i, place in enumerate(places):
                src, dst = map(int, entries[i][3:5])
                if (place, places[(i + 1) % len(places)]) not in self.of_pair[src, dst]:
                    return f"no packet from {src} to {dst} makes dependency {i}"
            return None if places or "gap" in head else "no cycle"
        rank = {place: i + 1 for i, place in enumerate(places)}
        ordered, direct = int(head["ordered-vcs"][0]), head["condition"] == ["direct"]
        for src, dst, taken in self.lines:
            ahead = collections.defaultdict(set)
            for held, onward in taken:
                if self.between(onward):
                    ahead[held].add(onward)
            todo, last = [(None, 0)], {}
            while todo:  # the latest ordered channel that a packet on a channel may hold
                at, held = todo.pop()
                if last.get(at, -1) >= held:
                    continue
                last[at] = held
                for onward in ahead[at]:
                    if onward[2] >= ordered:
                        todo.append((onward, 0 if direct else held))
                    elif rank.get(onward, 0) <= held:
                        return f"{src} to {dst}: {onward} after position {held}"
                    else:
                        todo.append((onward, rank[onward]))
        return None


class IndependentJudge(CliTest):
    def compare(self, spec, routing, scheme):
        """False: this plan is refused."""
        about = (spec, routing, scheme)
        plan = [spec, "-r", routing, *(["--vc", scheme] if scheme else []), "--allow-unreachable"]
        certificate, fabric = self.tmp / "certificate", self.tmp / "fabric.json"
        done = run("check", *plan, "--json", "--certificate", certificate)
        self.assertIn(done.returncode, (0, 1, 2), (about, done.stderr))
        if done.returncode == 2:
            self.assertNotIn("rejected", done.stderr, about)
            self.assertNotIn("fault of ikat", done.stderr, about)
            return False
        proof = json.loads(done.stdout)
        self.ok("topo", spec, "-o", fabric, "--format", "json", "-q", status=None)
        hops = self.ok("route", *plan, "--format", "hops", "-q")
        judge = Judge(fabric.read_text(), hops, self.ok("route", *plan, "--format", "paths", "-q"))
        if proof["undelivered"] == 0 and proof["unconnected"] == 0:
            self.assertEqual((len(judge.used), judge.dependencies()), (proof["channels"], proof["dependencies"]), about)
            if proof["condition"] == "acyclic":
                self.assertEqual(judge.acyclic(), proof["deadlock_free"], about)
            elif proof["deadlock_free"]:
                self.assertFalse(judge.acyclic(), about)
        self.assertIsNone(judge.accepts(certificate.read_text()), about)
        self.paths_agree(judge, routing, scheme, about)
        self.last = judge, certificate.read_text(), proof
        return True

    def paths_agree(self, judge, routing, scheme, about):
        ends = {}
        for pair, paths in judge.paths.items():
            for path in paths:
                self.assertLessEqual(set(zip([None] + path, path)), judge.of_pair[pair], (about, pair))
                if scheme == "hopclass":  # as many VCs as hops: no two on one
                    vcs = [vc for *_, vc in path[:-1]]
                    self.assertEqual(vcs, sorted(set(vcs)), (about, pair))
            ends[pair] = {(path[0][0], path[-1][0]) for path in paths}
        for (src, dst), there in ends.items():
            if not routing.startswith(ONE_WAY) and (dst, src) in ends:
                self.assertEqual(there, {(b, a) for a, b in ends[dst, src]}, (about, src, dst))

    def some(self, cases, number, rng):
        """Compares `number` drawn cases that are not refused, or all of them."""
        rng.shuffle(cases)
        compared = 0
        for case in cases:
            compared += self.compare(*case)
            if compared == number and not ALL:
                break
        self.assertGreaterEqual(compared, number)

    def test_the_ring_of_dual_homed_hosts(self):
        (self.tmp / "ring.txt").write_text("0 1\n1 2\n2 3\n3 4\n4 0\n2 h0\n4 h0\n1 h1\n2 h2\n3 h3\n3 h4\n4 h4\n4 h5\n0 h6\n")
        self.assertTrue(self.compare(self.tmp / "ring.txt", "shortest", None))
        judge, certificate, proof = self.last
        self.assertEqual((proof["deadlock_free"], proof["dependencies"], proof["witness"] and len(proof["witness"])), (False, 10, 5))
        self.assertIsNotNone(judge.accepts(certificate.replace("cycle 5\n0 0 0", "cycle 5\n0 1 0")))

    def test_drawn_graphs(self):
        rng = random.Random(31)
        cases = []
        for i in range(200 if ALL else 12):
            path = self.tmp / f"graph{i}.edges"
            path.write_text(drawn_graph(rng, i % 3 < 2))
            cases += [(path, r, s) for r in ("shortest", "minimal", "minimal:paths=one", "updown", "dmodc", "valiant", "ugal_l", "dfsssp", "nue:vcs=2", "frugal", "cowen")
                      for s in SCHEMES if "dor" not in str(s)]
        self.some(cases, 60, rng)

    def test_families(self):
        rng = random.Random(32)
        cases = [(spec + state, r, s) for spec in SPECS for state in ("", ",fail=10%,fail_seed=3", ",hosts=5") for r in ROUTINGS for s in SCHEMES]
        self.some(cases, 60, rng)

    def loop_over_lids(self, dump, table):
        """Dependencies of all pairs of LIDs of hosts through the tables, and whether they have a cycle."""
        fabric = self.tmp / "fabric.json"
        self.ok("topo", dump, "-o", fabric, "--format", "json", "-q", status=None)
        judge = Judge(fabric.read_text(), "", "")
        whole = json.loads(fabric.read_text())
        switch_of = {node["guid"]: i for i, node in enumerate(whole["switches"])}
        ports = {guid: (host, port) for host, node in enumerate(whole["hosts"], judge.switches) for port, guid in node["port_guids"]}
        entries, at = {}, None
        for line in table.read_text().splitlines():
            if line.startswith("Unicast lids"):
                at = switch_of[line.split("guid ")[1].split()[0]]
            elif "Channel Adapter" in line:  # its ports are numbered from 1
                entries[at, ports[line.split("portguid ")[1].split(":")[0]]] = int(line.split()[1]) - 1
        for source in ports.values():
            for other in ports.values():
                (sw, _), held, steps = judge.peer[source], None, 0
                while other != source and sw < judge.switches and steps <= judge.switches:
                    onward, steps = (sw, entries[sw, other], 0), steps + 1
                    sw, _ = judge.peer[onward[:2]]
                    if sw < judge.switches:
                        judge.used.add(onward)
                        if held:
                            judge.graph[held].add(onward)
                    held = onward
        return judge.dependencies(), judge.acyclic()

    def test_check_route_audit_and_deploy_have_one_judge(self):
        rng = random.Random(33)
        loops = 0
        for i in range(120 if ALL else 8):
            edges, dump, table = self.tmp / "ring.edges", self.tmp / "ring.ibnetdiscover", self.tmp / "ring.lft"
            edges.write_text(drawn_graph(rng))
            self.ok("topo", edges, "-o", dump, "-q", status=None)
            routing = rng.choice(["shortest", "shortest", "minimal:paths=one", "updown", "dfsssp", "nue"])
            about = (edges.read_text(), routing)
            self.ok("route", dump, "-r", routing, "--format", "lft", "--unproved", "-o", table, "-q")
            dependencies, sound = self.loop_over_lids(dump, table)
            loops += not sound
            proof = self.json("check", dump, "-r", f"lft:path={table}", "-q", status=None)
            self.assertEqual((proof["dependencies"], proof["deadlock_free"], proof["witness"] is None), (dependencies, sound, sound), about)
            installed = self.json("audit", dump, "--lfts", table, "-r", "none", "-q", status=None)["installed"]
            self.assertEqual((installed["dependencies"], installed["deadlock_free"]), (dependencies, sound), about)
            written = run("route", dump, "-r", routing, "--format", "lft", "-o", self.tmp / "again.lft", "-q")
            self.assertEqual((written.returncode, (self.tmp / "again.lft").exists()), (0, True) if sound else (2, False), about)
            (self.tmp / "again.lft").unlink(missing_ok=True)
            again = run("route", dump, "-r", f"lft:path={table}", "--format", "lft", "-q")
            self.assertEqual(again.returncode, 0 if sound else 2, about)
            deployed = run("deploy", dump, "-r", routing, "--vc", "1q", "-o", self.tmp / f"deployed{i}", "-q")
            self.assertEqual(deployed.returncode, 0 if sound else 1, (about, deployed.stderr))
        self.assertGreater(loops, 1)

    def test_an_order_that_is_wrong_is_rejected(self):
        for spec, routing, scheme in [("karytree:k=2,n=3", "dmodk", None), ("torus:dims=4:3", "dor", "dateline"), ("xgft:m=3:4,w=2:2", "dmodc", "flow2sl"),
                                      ("mesh:dims=3:3", "minimal", "escape:routing=dor")]:
            self.assertTrue(self.compare(spec, routing, scheme))
            judge, text, _ = self.last
            at = text.index("\n", text.index("\norder ") + 1) + 1
            order = text[at:].splitlines()
            for wrong in (order[::-1], order[1:], order[:-1]):
                self.assertIsNotNone(judge.accepts(text[:at] + "\n".join(wrong) + "\n"), (spec, routing))


if __name__ == "__main__":
    unittest.main()
