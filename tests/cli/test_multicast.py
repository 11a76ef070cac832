#!/usr/bin/env python3
"""Multicast tables (opensm.mcfdbs, ibdiagnet2.mcfdbs, dump_fts -M): what an audit says of groups, against a judge of this test's own, which counts the
copies that every member gets of every other member's packet."""
import collections
import os
import random
import sys
import unittest

from harness import SOURCE, CliTest
from site_files import Fabric

sys.path.insert(0, str(SOURCE / "tools"))
import opensm  # noqa: E402

CASES = 300 if os.environ.get("IKAT_TEST_ALL") else 40
FABRICS = ("xgft:m=2:2:2,w=1:2:2", "pgft:m=3:2,w=1:2,p=1:2", "torus:dims=3:3,p=2", "xgft:m=2:3,w=2:2", "dragonfly:h=1", "ring:n=5,p=1")


class Groups:
    """of[lid][switch] = ports to which the switch sends copies."""

    def __init__(self, fabric):
        self.fabric, self.of = fabric, {}
        self.switches = [node for node in fabric.nodes if node.switch]

    def tree(self, lid, members, rng):
        """The members, (switch, port), joined by a tree that grows from the first one's switch in a random order."""
        parent, queue = {members[0][0]: None}, [members[0][0]]
        while queue:
            switch = queue.pop(rng.randrange(len(queue)))
            for number, port in switch.ports.items():
                if port.peer.switch and port.peer not in parent:
                    parent[port.peer] = (port.peer_port, switch, number)
                    queue.append(port.peer)
        group = self.of[lid] = collections.defaultdict(set)
        for switch, number in members:
            if switch not in parent:  # in a plane of its own
                continue
            group[switch].add(number)
            while parent[switch]:
                up, above, down = parent[switch]
                group[switch].add(up)
                group[above].add(down)
                switch = above
        return group

    def downward(self, lid, members):
        """Every way that leads away from the first member's switch: no loop, but several copies where ways meet."""
        far, queue = {members[0][0]: 0}, [members[0][0]]
        for switch in queue:
            for port in switch.ports.values():
                if port.peer.switch and port.peer not in far:
                    far[port.peer] = far[switch] + 1
                    queue.append(port.peer)
        group = self.of[lid] = collections.defaultdict(set)
        for switch in far:
            group[switch] |= {n for n, port in switch.ports.items() if port.peer.switch and far[port.peer] > far[switch]}
        for switch, number in members:
            group[switch].add(number)

    def text(self, ibdiagnet=False):
        lines = ["# made by a test", "File version: 1"] if ibdiagnet else []
        for switch in self.switches:
            rows = [f"0x{lid:04X} :" + "".join(f" 0x{number:03X} " for number in sorted(group[switch])) for lid, group in sorted(self.of.items()) if group.get(switch)]
            if rows:
                lines += ["", f"{'dump: ' if ibdiagnet else ''}Switch 0x{switch.guid:016x}", "LID    : Out Port(s)", *rows]
        return "\n".join(lines) + "\n"

    def columns(self):
        """As dump_fts -M prints them."""
        lines = []
        for switch in self.switches:
            numbers = range(switch.radix + 1)
            lines += [f"Multicast mlids [0xc000-0xc3ff] of switch Lid {switch.lid} guid 0x{switch.guid:016x} ({switch.name}):"]
            lines += [" " * 12 + "".join(f"{' ' if n % 10 else n // 10} " for n in numbers)] * (switch.radix > 9)
            lines += ["     Ports: " + "".join(f"{n % 10} " for n in numbers), " MLid"]
            rows = [f"0x{lid:04x}      " + "".join("x " if n in group[switch] else "  " for n in numbers) for lid, group in sorted(self.of.items()) if group.get(switch)]
            lines += rows + [f"{len(rows)} valid mlids dumped "]
        return "\n".join(lines) + "\n"

    # ---- the judge

    def judged(self, lid):
        group = self.of[lid]
        members = [(switch, n) for switch in group for n in group[switch] if n == 0 or (n in switch.ports and not switch.ports[n].peer.switch)]
        said = collections.Counter(members=len(members), pairs=len(members) * (len(members) - 1))
        for sender in members:
            copies, after, stray = self.walk(group, sender)
            said.update(stray)
            reached, order = set(copies), sorted_topologically(after, set(copies))
            if order is None:
                said["loop"] = 1
            else:
                for at in order:
                    for then in after[at]:
                        copies[then] += copies[at]
                copies[sender] += 1  # what it sent
                said["repeats"] |= any(copies[member] > 1 for member in members)
            said["missing"] += sum(member != sender and member not in reached for member in members)
        return said

    @staticmethod
    def walk(group, sender):
        """How many copies the sender's switch makes for each (switch, port); what follows each of those that are reached."""
        stray = collections.Counter()

        def onward(switch, came_in):
            return [(switch, n) for n in group.get(switch, ()) if n != came_in]
        copies = collections.Counter(onward(*sender))
        after, queue = {}, list(copies)
        while queue:
            at = queue.pop()
            if at in after:
                continue
            switch, number = at
            port = switch.ports.get(number)
            after[at] = onward(port.peer, port.peer_port) if port and port.peer.switch else []
            stray["no cable"] |= number != 0 and not port
            stray["dead end"] |= bool(port and port.peer.switch and not after[at])
            for then in after[at]:
                copies[then] += 0
                queue.append(then)
        return copies, after, stray


def sorted_topologically(after, nodes):
    """Nodes with those that follow behind them; None: there is a cycle."""
    entering = collections.Counter(then for at in nodes for then in after[at])
    free, order = [at for at in nodes if not entering[at]], []
    while free:
        at = free.pop()
        order.append(at)
        for then in after[at]:
            entering[then] -= 1
            if not entering[then]:
                free.append(then)
    return order if len(order) == len(nodes) else None


class Multicast(CliTest):
    def groups(self, spec, rng, num=1, units=0, downward=0):
        path = self.tmp / "of_ikat.net"
        self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path, status=None)
        fabric = Fabric(path.read_text(), units=units)
        groups = Groups(fabric)
        ends = [(switch, 0) for switch in groups.switches] + [(switch, n) for switch in groups.switches for n, port in switch.ports.items() if not port.peer.switch]
        for k in range(num):
            members = rng.sample(ends, rng.randrange(1, len(ends) + 1))
            if rng.random() < downward:
                groups.downward(0xC000 + 7 * k, members)
            else:
                groups.tree(0xC000 + 7 * k, members, rng)
        return groups

    def audited(self, groups, text=None, status=None):
        net, tables = self.tmp / "net", self.tmp / "x.mcfdbs"
        net.write_text(groups.fabric.ibnetdiscover())
        tables.write_text(text if text is not None else groups.text())
        return self.json("audit", net, "--mcfdbs", tables, "--routing", "none", status=status)

    def same(self, groups):
        got = self.audited(groups)
        judged = [groups.judged(lid) for lid in groups.of]
        codes = {finding["code"] for finding in got["findings"]}
        wanted = {"groups": len(judged), **{key: sum(said[key] for said in judged) for key in ("members", "pairs", "missing")},
                  "looping": sum(said["loop"] for said in judged), "repeating": sum(said["repeats"] and not said["loop"] for said in judged)}
        self.assertEqual(got["multicast"], wanted)
        for code, any_of in (("multicast-loop", "looping"), ("multicast-undelivered", "missing"), ("multicast-duplicates", "repeating")):
            self.assertEqual(code in codes, wanted[any_of] > 0, code)
        self.assertEqual("multicast-dead-end" in codes, any(said["dead end"] for said in judged))
        self.assertEqual("multicast-no-cable" in codes, any(said["no cable"] for said in judged))
        return got

    def test_trees(self):
        rng = random.Random(1)
        for spec in FABRICS:
            for num in (1, 5):
                with self.subTest(spec=spec, num=num):
                    groups = self.groups(spec, rng, num, units=num % 2)
                    got = self.same(groups)["multicast"]
                    self.assertEqual((got["groups"], got["missing"], got["looping"], got["repeating"]), (num, 0, 0, 0))
                    for text in (groups.text(ibdiagnet=True), groups.columns()):
                        self.assertEqual(self.audited(groups, text)["multicast"], got)

    def test_damaged_trees(self):
        seen = collections.Counter()
        for seed in range(CASES):
            rng = random.Random(seed)
            groups = self.groups(rng.choice(FABRICS), rng, rng.choice((1, 1, 3)), downward=0.3)
            groups.switches[0].radix += 1  # a port without a cable
            for _ in range(rng.choice((0, 1, 2, 4))):
                group = rng.choice(list(groups.of.values()))
                switch = rng.choice(groups.switches)
                what = rng.randrange(4)
                if what == 0:
                    group.pop(switch, None)
                elif what == 1 and group.get(switch):
                    group[switch].discard(rng.choice(sorted(group[switch])))
                elif what == 2:
                    group[switch].add(rng.choice(range(switch.radix + 1)))
                else:  # both ends of a cable
                    number = rng.choice([n for n, port in switch.ports.items() if port.peer.switch])
                    group[switch].add(number)
                    group[switch.ports[number].peer].add(switch.ports[number].peer_port)
            for group in groups.of.values():
                for switch in [switch for switch, ports in group.items() if not ports]:
                    group.pop(switch)
            if not all(groups.of.values()):
                continue
            with self.subTest(seed=seed):
                said = self.same(groups)["multicast"]
                seen.update(key for key in ("missing", "looping", "repeating") if said[key])
        self.assertTrue(all(seen[key] for key in ("missing", "looping", "repeating")), seen)

    def test_what_is_said(self):
        """A ring of five switches whose tree is closed by both ends of its last cable: copies go round, past every switch."""
        rng = random.Random(3)
        groups = self.groups("ring:n=5,p=1", rng)
        members = [(switch, n) for switch in groups.switches for n, port in switch.ports.items() if not port.peer.switch]
        group = groups.tree(0xC000, members, rng)
        for switch in groups.switches:
            group[switch] |= {n for n, port in switch.ports.items() if port.peer.switch}
        said = self.same(groups)
        loop = next(finding for finding in said["findings"] if finding["code"] == "multicast-loop")
        self.assertEqual((loop["severity"], len(loop["evidence"].splitlines())), ("error", 5))
        self.assertIn("0xC000", loop["text"])
        group = groups.tree(0xC000, members, rng)
        switch, inner = next((switch, n) for switch in groups.switches for n in group[switch] if switch.ports[n].peer.switch)
        group[switch].remove(inner)
        lost = next(finding for finding in self.audited(groups, status=1)["findings"] if finding["code"] == "multicast-undelivered")
        self.assertIn("of 20 pairs", lost["text"])
        net, tables = self.tmp / "net", self.tmp / "x.mcfdbs"
        printed = self.ok("audit", net, "--mcfdbs", tables, "--routing", "none", status=1)
        for words in ("Multicast", "1, 5 members", "of 20 pairs", "multicast-undelivered"):
            self.assertIn(words, printed)
        self.assertIsNone(self.json("audit", net, "--routing", "none")["multicast"])

    def test_of_another_fabric(self):
        groups = self.groups("ring:n=5,p=1", random.Random(4))
        text = groups.text()
        guid = next(line.split()[1] for line in text.splitlines() if line.startswith("Switch"))
        said = self.audited(groups, text.replace(guid, "0x0000000000000077", 1), status=None)
        self.assertIs(said["partial"], True)
        self.assertTrue(any(finding["code"] == "unknown-switch-tables" and "0x0000000000000077" in finding["text"] for finding in said["findings"]))
        said = self.audited(groups, text.replace("0xC000 :", "0xC000 : 0x0FE ", 1), status=1)
        wrong = next(finding for finding in said["findings"] if finding["code"] == "wrong-ports")
        self.assertRegex(wrong["text"], r"x\.mcfdbs:4:10: .* has no port 254")
        for nothing in ("", "\n", "# made by a test\nFile version: 1\n", "Switch 0x%016x\n" % groups.switches[0].guid):  # no group at all
            self.assertEqual(self.audited(groups, nothing, status=0)["multicast"]["groups"], 0)

    def test_refusals(self):
        groups = self.groups("ring:n=5,p=1", random.Random(5))
        text = groups.text()
        net, path = self.tmp / "net", self.tmp / "x.mcfdbs"
        net.write_text(groups.fabric.ibnetdiscover())
        for old, new, says in (("0xC000 :", "0xB000 :", "x.mcfdbs:4:1: expected the LID of a group"), ("0xC000 :", "C000 :", "x.mcfdbs:4:1: expected the LID of a group"), ("0xC000 :", "0xC000", "x.mcfdbs:4:"),
                               ("0xC000 :", "0xC000 : 7 ", "x.mcfdbs:4:10: expected a port"), ("0xC000 :", "0xC000 : 0x0FF ", "x.mcfdbs:4:10: expected a port"), ("0xC000 :", "0xC000 : 0x001,", "x.mcfdbs:4:10: expected a port"),
                               ("Switch 0x", "Switch 0xx", "x.mcfdbs:2:8: expected the switch's GUID"), ("0xC000 :", "0xC000 : 0x001\n0xC000 :", "x.mcfdbs:5:1: the switch has another entry for this group in line 4"),
                               (text, "hello\n", "x.mcfdbs:1:1: no line 'Switch"), (text, "Switch 0x0000000000000077\n0xC000 : 0x001\n", "x.mcfdbs:1:1: none of its switches")):
            with self.subTest(new=new):
                self.assertIn(old, text)
                path.write_text(text.replace(old, new, 1))
                self.refused("audit", net, "--mcfdbs", path, says=says)
        columns = groups.columns()
        for old, new, says in (("0xc000      ", "0xc000     x", "x.mcfdbs:4:12: expected an x"), ("0xc000      ", "0xc000      ffff", "x.mcfdbs:4:13: expected an x"), ("0xc000 ", "0xb000 ", "x.mcfdbs:4:1: expected the LID of a group"),
                               ("0xc000 ", "xc000 ", "x.mcfdbs:4:1: expected the LID of a group"), ("1 valid mlids dumped", "no answer", "x.mcfdbs:5:1: expected the LID of a group"),
                               (" guid 0x", " guid 0xx", "x.mcfdbs:1:"), (" guid 0x", " gudi 0x", "x.mcfdbs:1:1: expected the switch's GUID")):
            with self.subTest(new=new):
                self.assertIn(old, columns)
                path.write_text(columns.replace(old, new, 1))
                self.refused("audit", net, "--mcfdbs", path, says=says)
        for rows, line in ((text, 4), (columns.replace("1 valid mlids dumped", "0xc001"), 5)):  # the end of a file is missing: of a port, of a row
            for cut in (1, 2):
                with self.subTest(line=line, cut=cut):
                    path.write_text("\n".join(rows.splitlines()[:line])[:-cut])
                    self.refused("audit", net, "--mcfdbs", path, says=f"x.mcfdbs:{line}:")
        self.refused("audit", net, "--mcfdbs", self.tmp / "none", says="none")

    @unittest.skipUnless(opensm.available("osmtest", "dump_fts"), "opensm, osmtest, ibsim or infiniband-diags are not installed")
    def test_trees_of_a_subnet_manager(self):
        """OpenSM makes trees for hosts on several switches that join (osmtest); its own file and dump_fts say the same."""
        net, inventory = self.tmp / "net", self.tmp / "inventory"
        self.ok("topo", "fullmesh:n=4,p=8", "--format", "ibnetdiscover", "-o", net)
        hosts = [line.split('"')[1] for line in net.read_text().splitlines() if line.startswith("Ca")]
        with opensm.Subnet(net, self.tmp / "subnet") as subnet:
            subnet.tool("osmtest", "-f", "c", "-i", inventory)
            for host in hosts[::9]:
                subnet.environment["SIM_HOST"] = host
                subnet.tool("osmtest", "-f", "m", "-i", inventory)
            (self.tmp / "columns").write_text(subnet.tool("dump_fts", "-M").stdout)
            dump = self.tmp / "subnet" / "opensm.mcfdbs"
            said = self.json("audit", net, "--mcfdbs", self.tmp / "columns", "--routing", "none", status=None)["multicast"]
            self.assertGreaterEqual(said["pairs"], 4 * 3)
            self.assertEqual((said["missing"], said["looping"], said["repeating"]), (0, 0, 0))
            self.assertEqual(self.json("audit", net, "--mcfdbs", dump, "--routing", "none", status=None)["multicast"], said)


if __name__ == "__main__":
    unittest.main()
