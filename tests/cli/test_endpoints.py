#!/usr/bin/env python3
"""Aggregation nodes (SHARP) inside switches: ports with LIDs that are no hosts. Every LID of a subnet is routed and judged, whatever the
fabric and the routing, and all commands agree."""
import gzip
import json
import re
import unittest

from harness import SOURCE, CliTest, run
from subnets import opensm

CLUSTERS = SOURCE / "tests" / "data" / "fabrics" / "clusters"  # dumps of clusters, with names and GUIDs replaced
SPECS = ("rlft:ports=6,levels=2", "rlft:ports=6,levels=2,fail=10%,fail_seed=1", "xgft:m=3:3:2,w=1:2:2", "torus:dims=4:4,p=2", "slimfly:q=5,p=1",
         "dragonfly:p=1,a=4,h=2,g=5", "hyperx:dims=3:3,p=2", "ring:n=5,p=2")
ROUTINGS = (["dmodc"], ["nue"], ["updown"], ["frugal"], ["dfsssp"], ["shortest", "--vc", "lash"])
TREES = ("rlft", "xgft")
UNIT = "Mellanox Technologies Aggregation Node"


def with_endpoints(text, every=1, guid=0x7000):
    """A dump in which every n-th switch has one more port with an aggregation node; the LIDs of all nodes are given anew, those of the
    aggregation nodes between the others."""
    sections, lids, units = re.split(r"\n(?=switchguid|caguid)", text), {}, []
    for key in re.findall(r'^(?:Switch|Ca)\s+\d+ "([^"]+)"', text, re.MULTILINE):
        lids[key] = 2 * len(lids) + 1
    for i, section in enumerate(sections):
        head = re.search(r'^Switch\s+(\d+) "(S-\w+)"(.*)$', section, re.MULTILINE)
        if not head or i % every:
            continue
        port, unit = int(head.group(1)) + 1, f"H-{guid + i:016x}"
        sections[i] = section.replace(head.group(0), f'Switch\t{port} "{head.group(2)}"{head.group(3)}').rstrip("\n") + \
            f'\n[{port}]\t"{unit}"[1]({guid + i:x}) \t\t# "{UNIT}" lid {lids[head.group(2)] + 1} 4xEDR\n'
        units.append(f'caguid=0x{guid + i:x}\nCa\t1 "{unit}"\t\t# "{UNIT}"\n[1]({guid + i:x}) \t"{head.group(2)}"[{port}]\t\t'
                     f'# lid {lids[head.group(2)] + 1} lmc 0 "sw" lid {lids[head.group(2)]} 4xEDR\n')
    text = "\n".join(sections + units)

    def number(match):
        return f"{match.group(1)}{lids[match.group(2)]}" if match.group(2) in lids else match.group(0)
    text = re.sub(r'(Switch\s+\d+ "(S-\w+)".* lid )\d+', number, text)
    text = re.sub(r'(\[\d+\](?:\(\w+\) )?\t"(\w-\w+)"\[\d+\].*" lid )\d+', number, text)
    current, lines = None, []
    for line in text.splitlines():
        head = re.match(r'(?:Switch|Ca)\s+\d+ "([^"]+)"', line)
        current = head.group(1) if head else current
        if current in lids and current.startswith("H"):
            line = re.sub(r"# lid \d+ lmc", f"# lid {lids[current]} lmc", line)
        lines.append(line)
    return "\n".join(lines) + "\n", len(units)


def tables_of(path):
    """{switch GUID: {LID: port}} of a file of tables."""
    tables, row = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("Unicast lids"):
            row = tables.setdefault(int(re.search(r"guid (0x[0-9a-f]+)", line).group(1), 16), {})
        elif line.startswith("0x"):
            row[int(line.split()[0], 16)] = int(line.split()[1])
    return tables


class Dump:
    """Nodes and cables of a dump, read without ikat."""

    def __init__(self, text):
        self.node_of, self.cable, self.switches, self.units, current = {}, {}, set(), set(), None  # node_of: by LID
        for line in text.splitlines():
            head = re.match(r'(Switch|Ca)\s+\d+ "(\w)-(\w+)"\s*# "([^"]*)"(?:.* lid (\d+))?', line)
            port = re.match(r'\[(\d+)\](?:\(\w+\))?\s+"\w-(\w+)"\[(\d+)\](?:\(\w+\))?\s+#(?: lid (\d+))?', line)
            if head:
                current = int(head.group(3), 16)
                if head.group(1) == "Switch":
                    self.switches.add(current)
                    self.node_of[int(head.group(5))] = current
                elif "Aggregation Node" in head.group(4):
                    self.units.add(current)
            elif port:
                self.cable[current, int(port.group(1))] = (int(port.group(2), 16), int(port.group(3)))
                if port.group(4):
                    self.node_of[int(port.group(4))] = current

    def undelivered(self, tables):
        """(switch, LID) from which packets do not arrive."""
        lost = []
        for lid, node in self.node_of.items():
            for start in self.switches:
                at, hops = start, 0
                while at in self.switches and at != node and hops <= len(self.switches):
                    at, hops = self.cable.get((at, tables[at].get(lid)), (None, 0))[0], hops + 1
                if at != node:
                    lost.append((start, lid))
        return lost


class Endpoints(CliTest):
    def dump(self, spec, every=1):
        plain = self.tmp / "plain.net"
        self.ok("topo", spec, "--format", "ibnetdiscover", "-o", plain, status=None)
        text, units = with_endpoints(plain.read_text(), every)
        path = self.tmp / "dump.net"
        path.write_text(text)
        return path, units

    def check(self, path, routing, units, applies=True):
        """Deploys, and asks everybody who judges tables; the tables are followed without ikat, too."""
        folder, again = self.tmp / "folder", self.tmp / "again.net"
        done = run("deploy", path, "-r", *routing, "--force", "-o", folder)
        if not applies:
            self.assertNotEqual(done.returncode, 0)
            return
        if done.returncode == 2:
            self.assertIn("lanes", done.stderr)  # more than there are
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        dump, tables = Dump(path.read_text()), tables_of(folder / "lfts")
        summary = json.loads((folder / "summary.json").read_text())
        self.assertEqual((len(dump.units), summary["endpoints"], summary["lids"]), (units, units, len(dump.node_of)))
        self.assertEqual({frozenset(row) for row in tables.values()}, {frozenset(dump.node_of)})
        self.assertEqual(dump.undelivered(tables), [])
        ends = len(dump.node_of) - len(dump.switches)
        self.assertEqual((summary["verdict"]["pairs"], summary["verdict"]["delivered"]), (ends * (ends - 1),) * 2)
        self.ok("verify-deployed", folder, "--lfts", folder / "lfts")
        self.ok("verify-deployed", folder, "--lfts", folder / "lfts", "--fabric", path)
        audit = self.json("audit", path, "--lfts", folder / "lfts", "--routing", "none", status=None,
                          *(["--policy", folder / "qos-policy.conf"] if summary["lanes"] > 1 else []))
        self.assertEqual((audit["endpoints"], audit["lids"]), (units, len(dump.node_of)))
        self.assertEqual((audit["installed"]["pairs"], audit["installed"]["delivered"]), (ends * (ends - 1),) * 2)
        self.assertEqual((audit["tables"]["unknown_lids"], audit["installed"]["deadlock_free"]), (0, True))
        if summary["lanes"] == 1:
            proof = self.json("check", path, "-r", f"lft:path={folder / 'lfts'}")
            self.assertEqual((proof["pairs"], proof["delivered"], proof["deadlock_free"]), ((hosts := summary["hosts"] + units) * (hosts - 1), True, True))
            self.assertIsNone(proof.get("note"))
        self.ok("topo", path, "--format", "ibnetdiscover", "-o", again, status=None)
        self.assertEqual((Dump(again.read_text()).node_of, Dump(again.read_text()).cable), (dump.node_of, dump.cable))

    def test_families_and_routings(self):
        for spec in SPECS:
            for routing in ROUTINGS:
                for every in (1, 2):
                    with self.subTest(spec=spec, routing=routing, every=every):
                        path, units = self.dump(spec, every)
                        self.check(path, routing, units, routing != ["dmodc"] or spec.startswith(TREES))

    def test_clusters(self):
        for file in sorted(CLUSTERS.glob("*.net.gz")):
            path = self.tmp / file.stem
            path.write_text(gzip.decompress(file.read_bytes()).decode())
            units = len(Dump(path.read_text()).units)
            self.assertEqual(units, {"endpoints.net": 40}.get(file.stem, 0))
            for routing in (["dmodc"], ["nue"], ["updown"]):
                with self.subTest(file=file.stem, routing=routing):
                    self.check(path, routing, units)

    def test_cut_off(self):
        """Tables without the entries of aggregation nodes, as ikat itself wrote them: nobody says that these are whole."""
        path, units = self.dump("rlft:ports=6,levels=2")
        folder, cut = self.tmp / "whole", self.tmp / "cut.lfts"
        self.ok("deploy", path, "-r", "dmodc", "-o", folder)
        dump = Dump(path.read_text())
        lids = {lid for lid, node in dump.node_of.items() if node in dump.units}
        cut.write_text("".join(line for line in (folder / "lfts").read_text().splitlines(keepends=True)
                               if not line.startswith("0x") or int(line.split()[0], 16) not in lids))
        audit = self.json("audit", path, "--lfts", cut, "--routing", "none", status=1)
        self.assertLessEqual({"no-entry", "host-without-entries"}, {finding["code"] for finding in audit["findings"]})
        self.assertGreater(audit["installed"]["missing_entries"], units)
        self.ok("verify-deployed", folder, "--lfts", cut, status=1)
        self.assertFalse(self.json("check", path, "-r", f"lft:path={cut}", status=1)["delivered"])

    def test_traffic_is_of_hosts(self):
        """Loads, levels and families are those of the fabric without aggregation nodes."""
        for spec in SPECS:
            path, _ = self.dump(spec)
            with self.subTest(spec=spec):
                told = [self.json("topo", of, status=None) for of in (self.tmp / "plain.net", path)]
                for key in ("hosts", "switches", "levels", "diameter"):
                    self.assertEqual(told[0].get(key), told[1].get(key), key)
                audits = [self.json("audit", of, "--routing", "nue", status=None) for of in (self.tmp / "plain.net", path)]
                self.assertEqual(audits[0]["cabling"]["known"], audits[1]["cabling"]["known"])
                hosts = audits[0]["hosts"]
                self.assertEqual(audits[1]["hosts"], hosts)
                injected = [audit["proposed"]["balance"][0]["mean"] for audit in audits]
                self.assertAlmostEqual(injected[0], injected[1])


@unittest.skipUnless(opensm.available("ibnetdiscover", "ibdmchk", "ibqueryerrors"), "opensm, ibsim, infiniband-diags or ibutils are not installed")
class Live(CliTest):
    dump = Endpoints.dump

    def test_opensm(self):
        """OpenSM loads the tables; every LID is answered from a host, as with its own minhop."""
        for spec, routing in (("rlft:ports=6,levels=2", "dmodc"), ("torus:dims=4:4,p=2", "nue")):
            with self.subTest(spec=spec, routing=routing):
                net, units = self.dump(spec)
                with opensm.Subnet(net) as subnet:
                    seen = self.tmp / "seen.net"
                    seen.write_text(subnet.discover())
                    wanted = len(subnet.lids()[1])
                self.assertEqual(len(Dump(seen.read_text()).units), units)
                folder = self.tmp / f"{routing}.folder"
                self.ok("deploy", seen, "-r", routing, "-o", folder)
                with opensm.Subnet(net, deployed=folder) as subnet:
                    self.assertEqual({len(row) for row in subnet.dump().values()}, {wanted})
                    self.assertEqual(subnet.query_errors()["failures"], 0)
                    self.ok("verify-deployed", folder, "--lfts", subnet.tables)


if __name__ == "__main__":
    unittest.main()
