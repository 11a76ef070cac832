#!/usr/bin/env python3
"""ikat as a routing engine inside a real OpenSM over ibsim: the first sweep, a host that boots later, cables, switches and OpenSM itself
that fail and come back, and what becomes of the subnet where nothing can be proved."""
import itertools
import os
import pathlib
import re
import unittest

from harness import IKAT, SOURCE, CliTest, json
from subnets import FABRICS, import_fabric, netlist, opensm
from test_opensm_deploy import guid_tables, policy_levels

PLUGIN = pathlib.Path(IKAT).resolve().parent / "opensm"
FAILING = os.environ.get("IKAT_FAIL_ALLOCATION_LIBRARY", str(pathlib.Path(IKAT).resolve().parent / "tests" / "libfail_allocation.so"))
# Two leaves with two hosts each, two roots, and a cable between the leaves, with which it is no tree.
SHORT_CUT = "h0 0\nh1 0\nh2 1\nh3 1\n0 2\n0 3\n1 2\n1 3\n0 1\n"


def said(subnet):
    """What the engine has said, sentence by sentence: each ends once, counts what it names, and names no options of the command."""
    sentences = re.findall(r"-> ikat: (.*)", subnet.log())
    for sentence in sentences:
        assert re.search(r"[^.?!][.?!]$", sentence), sentence
        assert not re.search(r"(?<![\d,.])1 (switches|hosts|lanes)\b|--[a-z]", sentence), sentence
    return sentences


@unittest.skipUnless(opensm.available("ibnetdiscover", "ibdmchk", "ibqueryerrors", "saquery") and (PLUGIN / "libikatosm.so").exists(),
                     "opensm, ibsim, infiniband-diags or ibutils are not installed, or the plug-in is not built (libopensm-dev)")
class Plugin(CliTest):
    copies = itertools.count()

    def subnet(self, net, options="", **more):
        return opensm.Subnet(net, plugin=PLUGIN, options=options, **more)

    def check(self, subnet, name="now", qos=False, lanes=1):
        """All that is said of proved tables, asked of others: the switches' tables as ibsim holds them are those that OpenSM has; ikat's
        audit finds all pairs delivered and no loop; ibdmchk agrees, with the service levels of path records, in both
        directions. Without these, tables of several lanes are not judged for loops."""
        self.assertEqual(subnet.configured(), "ikat")
        def same():
            there = subnet.lids()[0]  # a switch without cables keeps its table
            return {guid: row for guid, row in subnet.dump().items() if guid in there} == opensm.read_tables(subnet.tables)
        files = subnet.copy_files(self.tmp / f"{name}.{next(self.copies)}", same)
        arguments = ["audit", import_fabric(self, subnet, name), "--lfts", files / opensm.TABLES, "--routing", "none"]
        levels = None
        if qos:
            text = subnet.path_records()
            (self.tmp / f"{name}.records").write_text(text)
            arguments += ["--path-records", self.tmp / f"{name}.records", "--sl2vl", files / "opensm-sl2vl.dump"]
            of_lid = opensm.subnet_lids(files / "opensm-subnet.lst")[1]
            levels = {(of_lid[a][0], b): sl for (a, b), sl in opensm.record_levels(text).items()}
        installed = self.json(*arguments, status=None)["installed"]
        self.assertEqual(installed["delivered"], installed["pairs"])
        judge = opensm.credit_loops(files, levels)
        self.assertEqual(judge["bad"], 0, judge["text"][-2000:])
        if qos or lanes == 1:
            self.assertEqual((installed["deadlock_free"], judge["loop"]), (True, False))
        self.assertEqual(subnet.query_errors()["failures"], 0)
        return installed

    def test_first_sweep(self):
        """What `ikat deploy` would install: the same routing, and, where its netlist lists switches and hosts by GUID as the engine does,
        the same entries and service levels."""
        compared = []
        for name in FABRICS:
            with self.subTest(fabric=name):
                net, folder = netlist(self, name), self.tmp / f"{name}.deployed"
                self.ok("deploy", net, "--vls", "8", "-o", folder)
                wanted = json.loads((folder / "summary.json").read_text())
                with self.subnet(net, qos=True) as subnet:
                    made = self.check(subnet, name, qos=name == "ring5", lanes=wanted["lanes"])
                    self.assertRegex(said(subnet)[0], rf"routed with '{wanted['routing']}' .* on {wanted['lanes']} lane.* proved")
                    self.assertEqual(made["max_load"], self.json("audit", net, "--lfts", folder / "lfts", "--routing", "none", status=None)
                                     ["installed"]["max_load"])
                    guids = re.findall(r'^Switch\s+\d+ "S-(\w+)"', net.read_text(), re.MULTILINE)
                    if guids == sorted(guids):
                        self.compare(subnet, folder)
                        compared.append(name)
        self.assertLessEqual({"ring5", "torus5x5", "damaged"}, set(compared))

    def compare(self, subnet, folder):
        """Entries and service levels of a folder, by the GUIDs of nodes (ibsim numbers the ports of hosts anew)."""
        tables, lid_of = guid_tables(folder / "lfts")[0], subnet.lids()[0]
        hosts = json.loads((folder / "fabric.json").read_text())["hosts"]
        node_of = {int(host["port_guids"][0][1], 16): int(host["guid"], 16) for host in hosts}
        held = subnet.dump()
        self.assertEqual(held, {switch: {lid_of[node_of.get(guid, guid)]: port for guid, port in row.items()}
                                for switch, row in tables.items()})
        level, ports = policy_levels(folder / "qos-policy.conf"), {node: port for port, node in node_of.items()}
        for a, b in list(itertools.permutations(sorted(ports), 2))[::17]:
            self.assertEqual(subnet.service_level(lid_of[a], lid_of[b]), level(ports[a], ports[b]))

    def test_document(self):
        """The lines and sentences of the how-to page."""
        blocks = re.findall(r"```text\n(.*?)```", (SOURCE / "docs/howto/route-inside-opensm.md").read_text(), re.DOTALL)
        self.ok("topo", "rlft:ports=8,levels=2", "--format", "ibnetdiscover", "-o", self.tmp / "tree.net")
        for lines in ("".join(blocks[0]), "".join(blocks[2]), blocks[0] + blocks[4]):
            (self.tmp / "opensm.conf").write_text(lines)
            with opensm.Subnet(self.tmp / "tree.net", engine="ikat", config=self.tmp / "opensm.conf", qos=False,
                               environment={"LD_LIBRARY_PATH": str(PLUGIN)}) as subnet:
                self.check(subnet)
                if lines == blocks[0]:
                    self.assertEqual(*(re.sub(r"in [\d.]+ s", "", text.strip()) for text in (f"ikat: {said(subnet)[0]}", blocks[1])))
                else:
                    self.assertEqual("frugal" in said(subnet)[0], "frugal" in lines)
        with self.subnet(self.tmp / "tree.net", "ikat.time=1ps") as subnet:
            self.assertEqual([f"ikat: {text}" for text in said(subnet)[:2]], blocks[3].replace("0.5 s", "1e-12 s").splitlines())

    def test_later(self):
        """A host that boots later, a cable that is cut and comes back, a switch without cables for a while; entries that can stay, stay."""
        net = netlist(self, "damaged")
        hosts = re.findall(r'^Ca\s+\d+\s+"([^"]+)"', net.read_text(), re.MULTILINE)
        cable = re.search(r'^Switch\s+\d+ "(S-\w+)".*(?:\n\[\d+\]\s+"H.*)*\n\[(\d+)\]\s+"S', net.read_text(), re.MULTILINE)
        root = re.findall(r'^Switch\s+\d+ "(S-\w+)"', net.read_text(), re.MULTILINE)[-1]
        for options in ("", "ikat.routing=updown"):
            with self.subTest(options=options), self.subnet(net, options, cut=[hosts[-1]]) as subnet:
                before = self.check(subnet)
                self.assertEqual(len(subnet.lids()[1]), len(hosts) - 1 + len(subnet.dump()))
                first = subnet.dump()
                subnet.relink(hosts[-1])
                self.assertGreater(self.check(subnet)["pairs"], before["pairs"])
                whole = subnet.dump()
                # with updown, entries move as the new host's paths would fill a channel beyond the fullest one of minhop
                moved = sum(whole[switch][lid] != port for switch, row in first.items() for lid, port in row.items())
                self.assertLessEqual(moved, 2 if options else 0)
                subnet.unlink(cable.group(1), cable.group(2))
                self.check(subnet)
                kept, changed = (int(n) for n in re.findall(r"entries that stay, (\d+) are kept and (\d+) changed", subnet.log())[-1])
                now = subnet.dump()
                differ = sum(now[switch][lid] != port for switch, row in whole.items() for lid, port in row.items())
                self.assertEqual((changed, kept), (differ, sum(len(row) for row in whole.values()) - differ))
                self.assertLess(changed, kept)
                subnet.relink(cable.group(1), cable.group(2))
                self.check(subnet)
                subnet.unlink(root)
                self.check(subnet)
                subnet.relink(root)
                self.check(subnet)
                subnet.sweep()
                self.assertIn("as it was", said(subnet)[-1])
                self.check(subnet)

    def test_lanes(self):
        """The same with several lanes: service levels of path records, and the maps of all ports. Without `qos`, OpenSM sets up no lanes."""
        net = netlist(self, "ring5")
        switch, port = re.search(r'^Switch\s+\d+ "(S-\w+)".*(?:\n\[\d+\]\s+"H.*)*\n\[(\d+)\]\s+"S', net.read_text(), re.MULTILINE).groups()
        with self.subnet(net, "ikat.routing=dfsssp ikat.threads=2", qos=True) as subnet:
            self.assertRegex(said(subnet)[0], r"on [2-8] lanes")
            self.check(subnet, qos=True)
            subnet.unlink(switch, port)
            self.check(subnet, qos=True)
            subnet.relink(switch, port)
            self.check(subnet, qos=True)
        with self.subnet(net) as subnet:
            self.assertIn("on 1 lane,", said(subnet)[0])
            self.check(subnet)
        with self.subnet(net, "ikat.routing=dfsssp") as subnet:
            self.assertEqual(subnet.configured(), "minhop")
            self.assertRegex(said(subnet)[0], r"cannot be routed: .* lanes, 1 are allowed.* ikat\.vls=\d")
        with self.subnet(net, "ikat.routing=dfsssq") as subnet:
            self.assertRegex(said(subnet)[0], r"cannot be routed: .*did you mean")
        one = self.tmp / "one.net"
        self.ok("topo", "crossbar:n=2", "--format", "ibnetdiscover", "-o", one)
        with self.subnet(one) as subnet:
            self.assertRegex(said(subnet)[0], "^1 switch and 2 hosts are routed")

    def test_paths_of_lmc(self):
        net = netlist(self, "ring5")
        with self.subnet(net, more=["-l", "1"]) as subnet:
            installed = self.json("audit", import_fabric(self, subnet, "lmc"), "--lfts", subnet.tables, "--routing", "none", status=None)["installed"]
            self.assertEqual((installed["delivered"], installed["pairs"], installed["deadlock_free"]), (180, 180, True))

    def test_compared_later(self):
        """Where time runs out before all routings are compared, later sweeps go on, of their own accord and in the end no more, and what is
        installed is proved all along: also after a cut cable, and after kill -9."""
        net, ran_out = self.tmp / "random.net", 0
        self.ok("topo", "jellyfish:N=32,d=6,p=2", "--format", "ibnetdiscover", "-o", net)
        cable = re.search(r'^Switch\s+\d+ "(S-\w+)".*(?:\n\[\d+\]\s+"H.*)*\n\[(\d+)\]\s+"S', net.read_text(), re.MULTILINE).groups()
        for limit in (0.05 * 2**k for k in range(8)):
            with self.subTest(limit=limit), self.subnet(net, f"ikat.time={limit}s") as subnet:
                if subnet.configured() != "ikat" or "the next sweep goes on" not in " ".join(said(subnet)):
                    continue
                ran_out += 1
                for act in (subnet.sweep, lambda: subnet.unlink(*cable), lambda: subnet.relink(*cable), subnet.restart):
                    act()
                    if subnet.configured() == "ikat":
                        self.check(subnet)
                for _ in range(8):  # one for each routing, at most
                    subnet.sweep()
                    if subnet.configured() != "ikat" or "as it was" in said(subnet)[-1]:
                        break
                self.assertTrue(subnet.configured() != "ikat" or "as it was" in said(subnet)[-1], said(subnet))
                self.check(subnet)
            if ran_out == 2:
                break
        self.assertGreater(ran_out, 0)

    def test_killed(self):
        """kill -9, and a new OpenSM: the same tables."""
        net = netlist(self, "cluster96")
        with self.subnet(net) as subnet:
            self.check(subnet)
            before = subnet.dump()
            subnet.restart()
            self.check(subnet)
            self.assertEqual(subnet.dump(), before)

    def test_last_tables_stay(self):
        """With a cable that the routing asked for cannot do with, the last proved tables stay, as long as they are proved."""
        edges = self.tmp / "short.edges"
        edges.write_text(SHORT_CUT)
        net = self.tmp / "short.net"
        self.ok("topo", edges, "--format", "ibnetdiscover", "-o", net)
        leaf, root = (re.search(rf'^Switch\s+\d+ "(S-\w+)"\s+# "{name}"', net.read_text(), re.MULTILINE).group(1) for name in ("sw0", "sw2"))
        section = net.read_text().split(f'"{leaf}"', 1)[1].split("\nswitchguid", 1)[0]
        other = re.search(r'^Switch\s+\d+ "(S-\w+)"\s+# "sw1"', net.read_text(), re.MULTILINE).group(1)
        short, up = (re.search(rf'^\[(\d+)\]\s+"{to}"', section, re.MULTILINE).group(1) for to in (other, root))
        with self.subnet(net, "ikat.routing=dmodc", cut=[(leaf, short)]) as subnet:
            self.check(subnet)
            before = subnet.dump()
            subnet.relink(leaf, short)
            self.assertRegex(" ".join(said(subnet)), "cannot be routed: .* the last proved tables stay")
            self.assertEqual(subnet.dump(), before)
            self.check(subnet)
            subnet.unlink(leaf, up)  # the short cut is still there, and the tables use the cable
            self.assertRegex(" ".join(said(subnet)[-3:]), "cannot be routed: .* do not fit the subnet .* next engine takes over")
            self.assertEqual(subnet.configured(), "minhop")
            subnet.unlink(leaf, short)
            self.check(subnet)

    def test_without_memory(self):
        """No allocation of ikat's succeeds for a while: OpenSM goes on with its next engine, says why, and comes back to ikat's. A limit of
        memory or time that is too small is no crash either."""
        net, flag = netlist(self, "damaged"), self.tmp / "no-memory"
        cable = re.search(r'^Switch\s+\d+ "(S-\w+)".*(?:\n\[\d+\]\s+"H.*)*\n\[(\d+)\]\s+"S', net.read_text(), re.MULTILINE).groups()
        own = {"LD_PRELOAD": FAILING, "IKAT_FAIL_ALLOCATION_OF": "/libikat.so", "IKAT_FAIL_ALLOCATION_WHILE": str(flag)}
        with self.subnet(net, environment=own) as subnet:
            self.check(subnet)
            flag.touch()
            subnet.unlink(*cable)
            self.assertEqual(subnet.configured(), "minhop")
            self.assertIn("out of memory", " ".join(said(subnet)))
            self.assertIn("next engine takes over", said(subnet)[-1])
            flag.unlink()
            subnet.sweep()
            self.check(subnet)
        for options, why in (("ikat.memory=1B", "memory|limit"), ("ikat.time=1ps", "the time limit of 1e-12 s has passed")):
            with self.subTest(options=options), self.subnet(net, options) as subnet:
                self.assertEqual(subnet.configured(), "minhop")
                self.assertRegex(said(subnet)[0], f"cannot be routed: .*({why})")

    def test_options(self):
        """What cannot be meant is said, and OpenSM goes on without the plug-in."""
        net = netlist(self, "ring5")
        for options, why in (("ikat.routting=nue", "ikat.routting is no option; did you mean 'routing'"), ("ikat.vls=16", "from 1 to 15"),
                             ("ikat.vls=0", "from 1 to 15"), ("ikat.time=soon", "expected a time"), ("ikat.memory=0", "expected a size"),
                             ("ikat.vc=lash", "without ikat.routing"), ("ikat.threads", "expected ikat.NAME=VALUE"),
                             ("ikat.query_lane=maybe", "yes or no")):
            with self.subTest(options=options), self.subnet(net, f"other=1 {options}") as subnet:
                self.assertEqual(subnet.configured(), "minhop")
                self.assertIn("the plug-in is not loaded", said(subnet)[0])
                self.assertIn(why, said(subnet)[0])
        with self.subnet(net, "ikat.routing=nosuch") as subnet:
            self.assertEqual(subnet.configured(), "minhop")
            self.assertIn("nosuch", said(subnet)[0])


if __name__ == "__main__":
    unittest.main()
