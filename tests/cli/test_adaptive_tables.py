#!/usr/bin/env python3
"""Tables of adaptive routing (ibdiagnet2.far): proofs over every choice, against a judge of this test's own, which looks at the tables alone."""
import collections
import os
import random
import unittest

from harness import CliTest, run
from site_files import Fabric

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
# hosts with one cable and with several, parallel cables, damage, trees and others
FABRICS = {
    "tree": "xgft:m=2:2:2,w=1:2:2", "slim": "slimtree:k=3,w=2,n=2", "parallel": "pgft:m=3:2,w=1:2,p=1:2", "damaged": "rlft:ports=6,levels=2,fail=10%,fail_seed=1",
    "ring": "ring:n=5,p=2", "torus": "torus:dims=3:3,p=1", "slimfly": "slimfly:q=5,p=1", "dragonfly": "dragonfly:h=1", "hosts with two cables": "xgft:m=2:3,w=2:2",
    "hosts with two cables in a ring": "0 1\n1 2\n2 3\n3 4\n4 0\n2 h0\n4 h0\n1 h1\n2 h2\n3 h3\n3 h4\n4 h4\n4 h5\n0 h6\n",
}
CASES = 150 if ALL else 20


class Tables:
    """of[switch][lid] = (port or 255, set of ports or None); as switches hold them."""

    def __init__(self, fabric):
        self.fabric = fabric
        self.switches = [node for node in fabric.nodes if node.switch]
        self.lids = {}  # of ports of hosts and of switches: (node, number of its port or 0)
        for node in fabric.nodes:
            for number, port in ([(0, node)] if node.switch else node.ports.items()):
                for path in range(1 << node.lmc):
                    self.lids[port.lid + path] = (node, number)
        self.of = {switch: {} for switch in self.switches}

    def distances(self, node, number):
        """Hops from every switch to where a packet for this port leaves the switches."""
        if node.switch:
            last = node
        else:
            last = node.ports[number].peer
        far, queue = {last: 0}, collections.deque([last])
        while queue:
            at = queue.popleft()
            for port in at.ports.values():
                if port.peer.switch and port.peer not in far:
                    far[port.peer] = far[at] + 1
                    queue.append(port.peer)
        return far

    def shortest(self, rng=None):
        """Every port on a shortest path, with the first of them (or one that is drawn) as the entry's own."""
        for lid, (node, number) in self.lids.items():
            far = self.distances(node, number)
            for switch in self.switches:
                if switch is node:
                    self.of[switch][lid] = (0, None)
                elif far.get(switch, 1) == 0:
                    self.of[switch][lid] = (node.ports[number].peer_port, None)
                elif switch in far:
                    ports = {n for n, port in switch.ports.items() if port.peer.switch and far[port.peer] == far[switch] - 1}
                    self.of[switch][lid] = (rng.choice(sorted(ports)) if rng else min(ports), ports)
        return self

    def text(self, states=("Free", "HBF", "Bounded")):
        lines = ["# made by a test", "File version: 1", ""]
        for k, switch in enumerate(self.switches):
            sets = sorted({tuple(sorted(ports)) for _, ports in self.of[switch].values() if ports is not None})
            lines += [f"Switch 0x{switch.guid:016x} some switch", "anything, such as 3 4 5", "", "Groups Definition:", "Group     Sub Group     WHBF     Ports", "-" * 50]
            for n, ports in enumerate(sets):  # the last ports of a set are in a sub group of their own
                cut = len(ports) // 2 if n % 2 else len(ports)
                lines += [f"{n + 3}         {sub}             0        {','.join(map(str, part))}{',' if part else ''}" for sub, part in enumerate((ports[:cut], ports[cut:])) if sub == 0 or part]
            lines += ["", "LFT Definition:", f"PLFT_NUM: 0, top: 0x{max(self.lids):x}", "LID       Static Port    Lid State    Group", "-" * 50]
            for lid, (port, ports) in sorted(self.of[switch].items()):
                state, group = ("Static", 0) if ports is None else (states[(lid + k) % len(states)], sets.index(tuple(sorted(ports))) + 3)
                lines.append(f"0x{lid:04x}    {port:<3}            {state}         {group}")
            lines.append("")
        return "\n".join(lines) + "\n"

    # ---- the judge

    def choices(self, switch, lid, static):
        own, ports = self.of[switch].get(lid, (255, None))
        if ports is None or static:
            return {own} - {0, 255}
        return {n for n in ports if n in switch.ports} or {own} - {0, 255}

    def judged(self, kinds):
        """Verdicts of packets of these kinds, static ones or not, which share the channels."""
        each = [self.judged_kind(static) for static in kinds]
        graph = collections.defaultdict(set)
        for a, b in set().union(*(edges for _, _, edges in each)):
            graph[a].add(b)
        return (all(k[0] for k in each), all(k[1] for k in each), not cyclic(graph), sum(map(len, graph.values())))

    def judged_kind(self, static):
        """(delivered, loop_free, dependencies) over all choices from all ports of hosts to all connected LIDs of others."""
        delivered, looping, edges = True, False, set()
        for lid, (node, number) in self.lids.items():
            if node.switch:
                continue
            after, reached, connected = {}, set(), self.distances(node, number)
            for source in self.fabric.nodes:
                for n, port in ([] if source.switch else source.ports.items()):
                    if source is not node and port.peer in connected:
                        reached |= self.walk(port, (source, n), lid, static, after)
            for at in reached:
                for then in after[at]:
                    if at[0].switch and then[0].switch and then[0].ports[then[1]].peer.switch:
                        edges.add((at, then))
            delivered &= all(after[at] for at in reached if at[0].ports[at[1]].peer.switch)
            delivered &= all(at[0].ports[at[1]].peer is node and at[0].ports[at[1]].peer_port == number for at in reached if not at[0].ports[at[1]].peer.switch)
            looping |= cyclic({at: set(after[at]) & reached for at in reached})
        return delivered and not looping, not looping, edges

    def walk(self, port, first, lid, static, after):
        """Channels (node, port) that packets of a source may reach; fills in what follows each."""
        reached, queue = {first}, [first]
        while queue:
            at = queue.pop()
            peer = at[0].ports[at[1]].peer
            if at not in after:
                after[at] = [(peer, n) for n in self.choices(peer, lid, static) if n in peer.ports] if peer.switch else []
            for then in after[at]:
                if then not in reached:
                    reached.add(then)
                    queue.append(then)
        return reached


def cyclic(graph):
    """Whether a graph {node: its successors} has a cycle."""
    entering = collections.Counter(b for after in graph.values() for b in after)
    free = [a for a in graph if not entering[a]]
    left = set(graph) | set(entering)
    while free:
        a = free.pop()
        left.discard(a)
        for b in graph.get(a, ()):
            entering[b] -= 1
            if not entering[b]:
                free.append(b)
    return bool(left)


class AdaptiveTables(CliTest):
    def fabric(self, spec):
        if "\n" in spec:
            edges = self.tmp / "edges.txt"
            edges.write_text(spec)
            spec = edges
        path = self.tmp / "fabric.net"
        self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path, status=None)
        return Fabric(path.read_text())

    def put(self, fabric, tables_text):
        net, far = self.tmp / "net", self.tmp / "ibdiagnet2.far"
        net.write_text(fabric.ibnetdiscover())
        far.write_text(tables_text)
        return net, far

    def proved(self, fabric, tables, packets="all"):
        net, far = self.put(fabric, tables.text())
        return self.json("check", net, "-r", f"ar:path={far},packets={packets}", status=None)

    def same(self, fabric, tables, about):
        for packets, kinds in (("all", (False, True)), ("adaptive", (False,)), ("static", (True,))):
            got = self.proved(fabric, tables, packets)
            delivered, loop_free, deadlock_free, dependencies = tables.judged(kinds)
            with self.subTest(about=about, packets=packets):
                self.assertEqual((got["delivered"], got["loop_free"]), (delivered, loop_free))
                if delivered:
                    self.assertEqual((got["deadlock_free"], got["dependencies"]), (deadlock_free, dependencies))

    def test_shortest_paths(self):
        for about, spec in FABRICS.items():
            fabric = self.fabric(spec)
            self.same(fabric, Tables(fabric).shortest(), about)

    def test_verdicts(self):
        """Not by the judge alone: trees are free of deadlock, rings are not."""
        for about, free in (("tree", True), ("slim", True), ("parallel", True), ("ring", False), ("torus", False), ("hosts with two cables in a ring", False)):
            fabric = self.fabric(FABRICS[about])
            got = self.proved(fabric, Tables(fabric).shortest())
            self.assertEqual((got["delivered"], got["deadlock_free"], got["one_lane"]), (True, free, True), about)

    def test_random_tables(self):
        for seed in range(CASES):
            rng = random.Random(seed)
            about = rng.choice(sorted(FABRICS))
            fabric = self.fabric(FABRICS[about])
            for node in fabric.nodes:
                node.lmc = 0
            tables = Tables(fabric).shortest(rng)
            for _ in range(rng.choice((0, 1, 3))):
                switch = rng.choice(tables.switches)
                lid = rng.choice([lid for lid, (node, _) in tables.lids.items() if not node.switch])
                what = rng.randrange(4)
                if what == 0:
                    tables.of[switch].pop(lid, None)
                elif what == 1:
                    tables.of[switch][lid] = (rng.choice(sorted(switch.ports)), None)
                else:
                    ports = set(rng.sample(sorted(switch.ports), rng.randrange(1, len(switch.ports) + 1)))
                    tables.of[switch][lid] = (rng.choice((255, min(ports))), ports)
            self.same(fabric, tables, f"seed {seed}, {about}")

    def test_several_lids(self):
        fabric = self.fabric(FABRICS["tree"])
        lid = 0
        for node in fabric.nodes:
            node.lmc = 0 if node.switch else 1
            for port in [node] if node.switch else node.ports.values():
                lid += lid % (1 << node.lmc)
                lid += 2 if node.lmc and lid % 2 == 0 else 1
                lid += node.lmc and lid % 2
                port.lid = lid
                lid += node.lmc
        tables = Tables(fabric).shortest(random.Random(1))
        self.same(fabric, tables, "LMC 1")
        odd = min(lid for lid, (node, _) in tables.lids.items() if not node.switch) + 1
        for switch in tables.switches:  # the second path of a port alone
            tables.of[switch].pop(odd)
        self.assertFalse(self.proved(fabric, tables)["delivered"])

    def test_ports_without_a_cable(self):
        """Such a port is no choice; where a group has no other, the entry's own is left."""
        fabric = self.fabric(FABRICS["tree"])
        tables = Tables(fabric).shortest()
        for switch in tables.switches:
            switch.radix += 1
            for lid, (own, ports) in tables.of[switch].items():
                if ports:
                    tables.of[switch][lid] = (own, {switch.radix} if lid % 2 else ports | {switch.radix})
        self.same(fabric, tables, "spare ports")
        self.assertTrue(self.proved(fabric, tables)["deadlock_free"])

    def test_simulated(self):
        """The tables are a routing like any other."""
        fabric = self.fabric(FABRICS["tree"])
        net, far = self.put(fabric, Tables(fabric).shortest().text())
        self.assertIn("packets=adaptive", self.json("load", net, "-r", f"ar:path={far}", "-t", "uniform")["note"])
        self.assertNotIn("packets=", str(self.json("load", net, "-r", f"ar:path={far},packets=adaptive", "-t", "uniform").get("note")))
        experiment = self.tmp / "e.yaml"
        experiment.write_text(f"fabric: {net}\nrouting: 'ar:path={far}'\ntraffic: uniform\nload: 40 %\nmeasure: {{warmup: 5 us, duration: 20 us}}\n")
        done = run("run", experiment, "-o", self.tmp / "r.db").stderr
        self.assertIn("packets=adaptive", done)
        point = self.json("report", self.tmp / "r.db")["points"][0]
        self.assertGreater(point["throughput"], 0.3, done)

    def test_damaged_tables_are_simulated(self):
        """In every model, packets that tables lose are counted as lost, and the run ends."""
        fabric = self.fabric("xgft:m=2:2,w=1:2")
        tables = Tables(fabric).shortest()
        leaf, top = tables.switches[0], tables.switches[-1]
        leaf.radix += 1
        lid = next(lid for lid, (node, number) in tables.lids.items() if not node.switch and node.ports[number].peer is not leaf)
        wrong = next(n for n, port in leaf.ports.items() if not port.peer.switch)
        up = {n for n, port in leaf.ports.items() if port.peer is top}
        back = next(n for n, port in top.ports.items() if port.peer is leaf)
        good = {switch: tables.of[switch][lid] for switch in (leaf, top)}
        for about, at_leaf, at_top in (("no entry", (255, None), None), ("no cable", (leaf.radix, None), None), ("another host", (wrong, None), None), ("a group without cables", (leaf.radix, {leaf.radix}), None),
                                       ("a loop", (min(up), None), (back, None)), ("a group with a loop", (min(up), up), (back, {back}))):
            tables.of[leaf][lid], tables.of[top][lid] = at_leaf, at_top or good[top]
            net, far = self.put(fabric, tables.text())
            for model in ("ioq", "iq", "ideal", "pipelined"):
                for routing in ("ar",) if at_leaf[1] else ("ar", "lft"):
                    with self.subTest(about=about, model=model, routing=routing):
                        if routing == "lft":
                            far.write_text(Tables.text(self.static(tables)))
                        experiment = self.tmp / "e.yaml"
                        experiment.write_text(f"fabric: {net}\nrouting: '{routing}:path={far}'\ntraffic: uniform\nload: 40 %\nswitch: {{model: {model}}}\nmeasure: {{warmup: 5 us, duration: 20 us}}\n")
                        (self.tmp / "r.db").unlink(missing_ok=True)
                        done = run("run", experiment, "-o", self.tmp / "r.db")
                        self.assertEqual(done.returncode, 1, done.stderr)
                        self.assertIn("does not deliver", done.stderr)

    @staticmethod
    def static(tables):
        """The same tables where all entries have one port."""
        one = Tables(tables.fabric)
        for switch in tables.switches:
            one.of[switch] = {lid: (own, None) for lid, (own, _) in tables.of[switch].items()}
        return one

    def test_other_commands_say_where_to_go(self):
        fabric = self.fabric(FABRICS["tree"])
        tables = Tables(fabric).shortest()
        net, far = self.put(fabric, tables.text())
        for words in (("check", net, "-r", f"lft:path={far}"), ("audit", net, "--lfts", far), ("failures", net, "--lfts", far)):
            self.refused(*words, says=("ibdiagnet2.far:", "adaptively", "ar:path="))
        self.refused("topo", far, says=("ibdiagnet2.far", "not a fabric", "ar:path="))
        self.refused("route", net, "-r", f"ar:path={far},packets=adaptive", "--format", "lft", says="several ports")
        self.refused("deploy", net, "-r", f"ar:path={far}", "-o", self.tmp / "folder", says="'ikat check' proves")
        for switch in tables.switches:  # all of them static: tables as any
            tables.of[switch] = {lid: (own, None) for lid, (own, _) in tables.of[switch].items()}
        net, far = self.put(fabric, tables.text())
        one = self.json("check", net, "-r", f"lft:path={far}")
        self.assertEqual(one["dependencies"], self.json("check", net, "-r", f"ar:path={far}")["dependencies"])
        self.json("audit", net, "--lfts", far, "--routing", "none", status=None)

    def test_refusals(self):
        fabric = self.fabric(FABRICS["tree"])
        text = Tables(fabric).shortest().text(("Free",))
        for old, new, says in (
                ("Free", "Fred", "expected a state"), ("PLFT_NUM: 0", "PLFT_NUM: 1", "private LFTs"), ("LFT Definition:", "LFT Definition: PLFT_NUM: 2", "private LFTs"),
                ("Free         3", "Free         9", "no group 9"), ("Free         3", "Free", "a group's number"), ("3         0 ", "3         x ", "sub group"),
                ("0        1", "0        1;", "the group's ports"), ("0        1", "0        77,1", "has no port 77"), ("0        1", "0        0,1", "from 1 to 254"), ("Free         3", "Free         3 x", "at the end"),
                ("0x0001    ", "0x0002    4              Free         9\n0x0001    ", "no group 9"),
                ("0x0001    ", "0x0001    255            Free         3\n0x0001    ", "two entries"),
                ("Free         3", "Free         99999", "from 0 to 65534"), ("LFT Definition:", "", "the numbers of a group"), ("Groups Definition:", "", "before its entries"), ("Switch 0x", "Switch 0xx", "the switch's GUID"),
                ("0x0001    ", "0x0001 q ", "expected a port"), ("# made by a test", "Groups Definition:", "expected 'Unicast lids")):
            with self.subTest(new=new):
                self.assertIn(old, text)
                net, far = self.put(fabric, text.replace(old, new, 1))
                self.refused("check", net, "-r", f"ar:path={far}", says=("ibdiagnet2.far:", says))
        net, far = self.put(fabric, text + text)
        self.refused("check", net, "-r", f"ar:path={far}", says="another table in line 4")


if __name__ == "__main__":
    unittest.main()
