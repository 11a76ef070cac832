#!/usr/bin/env python3
"""Links as UFM lists them, and tables of its NDT plug-in: the same fabric as that of a dump of ibnetdiscover, read on its own and as the plan
of an audit."""
import json
import pathlib
import random
import unittest

from harness import SOURCE, CliTest
from site_files import UNIT, Fabric

FAMILIES = ("xgft:m=2:2,w=1:2", "rlft:ports=6,levels=2,fail=10%,fail_seed=1", "pgft:m=3:2,w=1:2,p=1:2", "xgft:m=2:3,w=2:2", "torus:dims=3:3,p=2", "dragonfly:h=1", "fullmesh:n=4,p=12")


def links_of(fabric, labels=False, described=True, both=False):
    """The answer of UFM; both: each link from both of its ends."""
    def end(side, node, number):
        dname = (f"1/{number}/1" if labels else str(number)) if node.switch else f"HCA-1/{number}"
        said = {"guid": f"{node.guid:016x}", "port": str(number), "port_dname": dname}
        if described:
            said["port_node_description"] = f"{node.name}:{dname}" if node.switch else node.name
        return {f"{side}_{key}": value for key, value in said.items()}
    links, seen = [], set()
    for node, number, port in fabric.ends():
        if both or (port.peer.guid, port.peer_port) not in seen:
            links.append({**end("source", node, number), **end("destination", port.peer, port.peer_port), "width": "4x", "severity": "Info", "capabilities": []})
        seen.add((node.guid, number))
    return links


def ibdm_of(fabric, both=False, arrow="->"):
    """A topology file of ibutils, whose names have no blanks. both: each cable from both of its ends."""
    systems, seen = {}, set()

    def named(node):
        return f"{'SW36' if node.switch else 'MT26428'} {node.name.replace(' ', '_')}"
    for node, number, port in fabric.ends():
        if both or (port.peer.guid, port.peer_port) not in seen:
            systems.setdefault(named(node), []).append(f"   P{number} {arrow} {named(port.peer)} P{port.peer_port}")
        seen.add((node.guid, number))
    return "# systems\n" + "\n".join("\n".join([head, *ports, ""]) for head, ports in systems.items())


def ndt_of(fabric, head="#StartDevice,StartPort,EndDevice,EndPort,LinkType", both=False, adapters=False):
    """A table of NDT; both: each cable from both of its ends. adapters: ports of hosts are called as their adapters."""
    def end(node, number):
        device = node.name.split()[0] if adapters and not node.switch else node.name
        return device, node.name if adapters and not node.switch else f"Port {number}"
    rows, seen = [], set()
    for node, number, port in fabric.ends():
        if both or (port.peer.guid, port.peer_port) not in seen:
            said = dict(zip(("StartDevice", "StartPort", "EndDevice", "EndPort", "LinkType"), (*end(node, number), *end(port.peer, port.peer_port), "Data")))
            rows.append([said.get(column.split(":")[-1].strip("#"), "") for column in head.split(",")])
        seen.add((node.guid, number))
    return [head, *(",".join(row) for row in rows)]


class Ufm(CliTest):
    def fabric(self, spec):
        path = self.tmp / "fabric.net"
        self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path, status=None)
        return Fabric(path.read_text())

    def put(self, links, name="links.json"):
        path = self.tmp / name
        path.write_text(links if isinstance(links, str) else json.dumps(links, indent=1))
        return path

    def cables(self, path):
        """Sets of two (name, number of the port)."""
        out = self.tmp / "read.json"
        self.ok("topo", path, "--format", "json", "-o", out, status=None)
        fabric = json.loads(out.read_text())
        nodes = [{"name": f"{kind}{i}", **node} for kind, nodes in (("sw", fabric["switches"]), ("host", fabric["hosts"])) for i, node in enumerate(nodes)]
        numbers = [dict(node.get("labels", [])) for node in nodes]
        guids = sorted(node["guid"] for node in fabric["switches"] if "guid" in node)
        return sorted(sorted((nodes[n]["name"], numbers[n].get(p, p + 1)) for n, p in (link[:2], link[2:4])) for link in fabric["links"]), guids, len(fabric["hosts"])

    def test_same_fabric(self):
        for spec in FAMILIES:
            fabric = self.fabric(spec)
            wanted = self.cables(self.put(fabric.ibnetdiscover(), "fabric.net"))
            for options in ({}, {"labels": True}, {"both": True}):
                with self.subTest(spec=spec, **options):
                    links = links_of(fabric, **options)
                    random.Random(1).shuffle(links)
                    self.assertEqual(self.cables(self.put(links)), wanted)
            with self.subTest(spec=spec, described=False):  # as older versions have it: no names
                cables, guids, hosts = self.cables(self.put(links_of(fabric, described=False)))
                self.assertEqual((len(cables), guids, hosts), (len(wanted[0]), *wanted[1:]))

    def test_plan(self):
        fabric = self.fabric("xgft:m=4:4,w=1:2")
        net, plan = self.put(fabric.ibnetdiscover(), "fabric.net"), self.put(links_of(fabric))
        self.assertEqual((self.planned(net, plan)["missing"], self.planned(net, plan)["wrong"]), (0, 0))
        inner = [link for link in links_of(fabric) if not link["destination_port_dname"].startswith("HCA") and not link["source_port_dname"].startswith("HCA")]
        a, b = inner[0], next(link for link in inner if link["source_guid"] != inner[0]["source_guid"] and link["destination_guid"] != inner[0]["destination_guid"])
        swapped = links_of(fabric)
        for link, other in ((a, b), (b, a)):
            swapped[swapped.index(link)] = {key: (other if key.startswith("destination") else link)[key] for key in link}
        said = self.planned(net, self.put(swapped))
        self.assertEqual((said["missing"], said["wrong"]), (2, 2))

    def planned(self, net, plan):
        return self.json("audit", net, "--plan", plan, "--routing", "none", status=None)["cabling"]

    def test_adapters_of_one_computer(self):
        """Two adapters of a computer have its GUID and the same numbers of ports."""
        links = [{"source_guid": "248a070300f88fe0", "source_port": str(port), "source_port_dname": str(port), "destination_guid": "b8599f03000a77d0",
                  "destination_port": str(number), "destination_port_dname": f"HCA-{adapter}/{number}"} for port, adapter, number in ((1, 1, 1), (2, 1, 2), (3, 2, 1))]
        cables, guids, hosts = self.cables(self.put(links))
        self.assertEqual((len(cables), guids, hosts), (3, ["0x248a070300f88fe0"], 2))
        self.refused("topo", self.put(links + [{**links[0], "source_port": "9"}]), says=("links.json", "port 1 of", "cabled twice"))

    def test_many_nodes(self):
        """Thousands of nodes, more than any table of them has room for at first; and one guid in letters of both sizes."""
        for num in (31, 64, 3000):
            with self.subTest(num=num):
                links = [{"source_guid": f"{0xA0000 + k:016x}", "source_port": "1", "destination_guid": f"{0xA0000 + (k + 1) % num:016X}", "destination_port": "2"}
                         for k in range(num)]
                links += [{"source_guid": f"{0xA0000 + k:016X}", "source_port": "3", "destination_guid": f"{0xB0000 + k:016x}", "destination_port": "1",
                           "destination_port_dname": "HCA-1/1"} for k in range(num)]
                cables, guids, hosts = self.cables(self.put(links))
                self.assertEqual((len(cables), len(guids), hosts), (2 * num, num, num))
                wrong = {**links[-1], "source_port": "9"}
                self.refused("topo", self.put(links + [wrong]), says=(f"links.json:{json.dumps(links, indent=1).count(chr(10)) + 1}:2: port 1 of", "cabled twice"))

    def test_units(self):
        fabric = self.fabric("xgft:m=2:2,w=1:2")
        wanted = self.cables(self.put(links_of(fabric)))
        unit = {**links_of(fabric)[0], "source_port": "41", "destination_guid": "0000000000000077", "destination_port_node_description": UNIT}
        self.assertEqual(self.cables(self.put([unit, *links_of(fabric)])), wanted)
        self.assertIn("aggregation units", self.ok("topo", self.put([unit, *links_of(fabric)]), status=None))

    HEADS = ("#StartDevice,StartPort,EndDevice,EndPort,LinkType", "StartDevice,StartPort,EndDevice,EndPort,State,Domain",
             "rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,EndDeviceLocation,U height_1,LinkType,Speed")

    def put_ndt(self, lines, name="plan.ndt", end="\n"):
        path = self.tmp / name
        path.write_bytes((end.join(lines) + end).encode())
        return path

    def hosts(self, fabric):
        """The option by which hosts are told, whatever their names."""
        names = {node.name for node, _, _ in fabric.ends() if not node.switch}
        return ",host_names=" + ":".join(sorted({name[0] + "*" for name in names}))

    def test_ndt_same_fabric(self):
        for spec in FAMILIES:
            fabric = self.fabric(spec)
            wanted, _, hosts = self.cables(self.put(fabric.ibnetdiscover(), "fabric.net"))
            rails = any(number > 1 for node, number, _ in fabric.ends() if not node.switch)
            for head in self.HEADS:
                for options in ({}, {"both": True}, *([] if rails else [{"adapters": True}])):
                    with self.subTest(spec=spec, head=head, **options):
                        lines = ndt_of(fabric, head, **options)
                        rows = lines[1:]
                        random.Random(1).shuffle(rows)
                        path = self.put_ndt([lines[0], *rows], end="\r\n" if options else "\n")
                        cables, _, num = self.cables(path if options.get("adapters") else f"file:path={path}{self.hosts(fabric)}")
                        self.assertEqual((cables, num), (wanted, hosts))

    # ---- topology files of ibutils

    def test_ibdm_same_fabric(self):
        for spec in FAMILIES:
            fabric = self.fabric(spec)
            cables, _, hosts = self.cables(self.put(fabric.ibnetdiscover(), "fabric.net"))
            wanted = sorted(sorted((name.replace(" ", "_"), port) for name, port in cable) for cable in cables)
            for options in ({}, {"both": True}, {"arrow": "-4x-14G->"}):
                with self.subTest(spec=spec, **options):
                    found, _, num = self.cables(self.put(ibdm_of(fabric, **options), "plan.topo"))
                    self.assertEqual((found, num), (wanted, hosts))

    def test_ibdm_plan(self):
        fabric = self.fabric("xgft:m=4:4,w=1:2")
        for node, _, _ in fabric.ends():
            node.name = node.name.replace(" ", "_")
        net, plan = self.put(fabric.ibnetdiscover(), "fabric.net"), ibdm_of(fabric)
        said = self.planned(net, self.put(plan, "plan.topo"))
        self.assertEqual((said["missing"], said["wrong"]), (0, 0))
        lines = plan.splitlines()
        inner = [i for i, line in enumerate(lines) if "-> SW36" in line and lines[next(k for k in range(i, -1, -1) if not lines[k].startswith(" "))].startswith("SW36")]
        a, b = inner[0], next(i for i in inner if lines[i].split()[3:] != lines[inner[0]].split()[3:] and lines[i].split()[3] != lines[inner[0]].split()[3])
        (head_a, end_a), (head_b, end_b) = (lines[i].split(" -> ") for i in (a, b))
        lines[a], lines[b] = f"{head_a} -> {end_b}", f"{head_b} -> {end_a}"
        self.assertGreater(self.planned(net, self.put("\n".join(lines), "plan.topo"))["wrong"], 0)

    def test_ibdm_systems(self):
        """A chassis is one switch, a computer a host per adapter; what tells neither is told by cables."""
        path = SOURCE / "tests" / "fuzz" / "corpus" / "cables" / "ibdm"
        cables, _, hosts = self.cables(path)
        self.assertEqual(hosts, 5)
        self.assertEqual([sorted(name for name, _ in cable) for cable in cables if "core" in dict(cable)], [["core", "leaf1"], ["core", "leaf2"]])
        self.assertEqual(sum("n2 HCA-1" in dict(cable) or "n2 HCA-2" in dict(cable) for cable in cables), 2)
        self.assertIn("3 ends of cables are in a chassis", self.ok("topo", path))
        self.assertEqual(self.cables(self.put("BOX a\n P1 -> BOX b P1\n P2 -> BOX c P1\n P3 -> BOX d P1\n", "plan.topo"))[2], 3)

    def test_ibdm_lines(self):
        """Ends of lines, comments, systems without cables, and what types say: adapters and switches by the number of their chip."""
        for text in ("MT47396 s1\r\n\tP1 -> MT4115 h1 P1\r\n\tP2 -> BOX h#2 P1", "# all\nMT47396 s0 # none\n\nMT47396 s1 CFG: x # one\n P1 -> MT4115 h1 P1 # first\n # P9 -> A b P1\n P2 -> BOX h#2 P1\n",
                     "MT54000 s1\n P1 -> MT41686 h1 P1\n P1 -> MT41686 h1 P1\nBOX h#2\n  P1 -4x-> MT54000 s1 P2\n"):
            with self.subTest(text=text):
                cables, _, hosts = self.cables(self.put(text, "plan.topo"))
                self.assertEqual((cables, hosts), ([[("h#2", 1), ("s1", 2)], [("h1", 1), ("s1", 1)]], 2))

    def test_ibdm_refusals(self):
        for text, says in (("SW36 s1\n  P1 -> HCA h1\n", "plan.topo:2:15: expected a type, a name and a port"), ("  P1 -> HCA h1 P1\n", "plan.topo:1:8: expected a system"),
                           ("SW36 s1\n  P1 HCA h1 P1\n", "plan.topo:2:9: expected 'PORT -> TYPE NAME PORT'"), ("SW36 s1 P1\n", "plan.topo:1:9: expected 'CFG:'"),
                           ("SW36 s1\n P1 -> HCA h1 P1\n P2 -> SW36 h1 P1\n", "plan.topo:3:1: two devices are called 'h1', of HCA and SW36"),
                           ("SW36\n", "plan.topo:1:5: expected a system"), ("SW36 s1\n", "plan.topo:1:1: no cable"),
                           ("SW36 s1\n P1 -> HCA a P1\n P1 -> HCA b P1\n", "plan.topo:3:")):
            with self.subTest(text=text):
                self.refused("topo", f"file:path={self.put(text, 'plan.topo')},format=ibdm", says=says)

    @unittest.skipUnless(list(pathlib.Path("/usr/lib").glob("*/ibdm*/ibnl/*.topo")), "ibutils is not installed")
    def test_ibdm_files_of_ibutils(self):
        for path in sorted(pathlib.Path("/usr/lib").glob("*/ibdm*/ibnl/*.topo")):
            with self.subTest(path=path.name):
                cables, here = set(), None
                for line in path.read_text().splitlines():
                    words = line.split("#")[0].split()
                    if words and not line[0].isspace():
                        here = words[1]
                    elif words:
                        cables.add(frozenset([(here, words[0]), (words[3], words[4])]))
                found, _, _ = self.cables(path)
                self.assertEqual(len(found), len(cables))
                self.assertEqual({name for cable in found for name, _ in cable}, {name for cable in cables for name, _ in cable})

    def test_ndt_plan(self):
        fabric = self.fabric("xgft:m=4:4,w=1:2")
        net, lines = self.put(fabric.ibnetdiscover(), "fabric.net"), ndt_of(fabric, adapters=True)
        said = self.planned(net, self.put_ndt(lines))
        self.assertEqual((said["missing"], said["wrong"]), (0, 0))
        inner = [i for i, line in enumerate(lines) if line.count("Port ") == 2]
        first = lines[inner[0]].split(",")
        other = next(i for i in inner if lines[i].split(",")[0] != first[0] and lines[i].split(",")[2] != first[2])
        second = lines[other].split(",")
        lines[inner[0]], lines[other] = ",".join(first[:2] + second[2:]), ",".join(second[:2] + first[2:])
        said = self.planned(net, self.put_ndt(lines, "plan.csv"))
        self.assertEqual((said["missing"], said["wrong"]), (2, 2))

    def test_ndt_adapters(self):
        """An adapter is called like its port, with the computer's name before it."""
        lines = [self.HEADS[0], "n1,n1 ibp1s0,leaf,Port 1,Data", "N2,ibp1s0,leaf,Port 2,Data", "leaf,Port 3,n2,n2 ibp2s0,Data", "leaf,Port 4,n3,Port 1,Data"]
        cables, _, hosts = self.cables(self.put_ndt(lines))
        self.assertEqual(hosts, 4)
        self.assertEqual(cables, [[("N2 ibp1s0", 1), ("leaf", 2)], [("leaf", 1), ("n1 ibp1s0", 1)], [("leaf", 3), ("n2 ibp2s0", 1)], [("leaf", 4), ("n3", 1)]])

    def test_ndt_left_out(self):
        """Rows without a second device, other cables, and what is said of a chassis."""
        lines = ndt_of(self.fabric("xgft:m=2:2,w=1:2"), adapters=True)
        wanted = self.cables(self.put_ndt(lines))
        more = [*lines, "sw0,Port 30,,,", "oob,Console,sw0,Port 31,Console", ""]
        self.assertEqual(self.cables(self.put_ndt(more)), wanted)
        said = self.ok("topo", self.put_ndt(more), status=None)
        self.assertIn("1 cable of another type", said)
        self.assertIn("1 row without a second device", said)
        self.assertIn("2 ends of cables are in a chassis", self.ok("topo", self.put_ndt(
            [lines[0], *(f"leaf{i},Port 1,n{i},n{i} ib0,Data\nleaf{i},Port 2,top,Blade {i}_Port 1/1,Data" for i in (1, 2))]), status=None))

    def test_ndt_refusals(self):
        head = self.HEADS[0]
        for lines, says in (([head], "plan.ndt:1:1: no cable"), (["StartDevice,StartPort,EndDevice", "a,Port 1,b"], "plan.ndt:1:1: expected a column EndPort"),
                            (["Device,StartPort,EndDevice,EndPort", "a,Port 1,b,Port 1"], "plan.ndt:1:1: expected a column StartDevice"),
                            ([head, "a,Port 1,b"], "plan.ndt:2:11: expected 5 fields"), ([head, "a,Port x,b,Port 1,Data"], "plan.ndt:2:3: expected 'Port N'"),
                            ([head, "a,Port 1,b,Blade,Data"], "plan.ndt:2:12: expected 'Port N'"), ([head, "a,,b,Port 1,Data"], "plan.ndt:2:1: expected a port"),
                            ([head, "a,Port 1,b,Port 1,Data", "a,Port 1,c,Port 1,Data"], "plan.ndt:3:"), ([head, 'a,"Port 1,b,Port 1,Data'], "plan.ndt:2:3:")):
            with self.subTest(says=says):
                self.refused("topo", f"file:path={self.put_ndt(lines)},format=ndt", says=says)

    def test_refusals(self):
        text = json.dumps(links_of(self.fabric("ring:n=3,p=1")), indent=1)
        for old, new, says in (('"source_port": "1"', '"source_port": "0"', 'links.json:2:2: a link needs a member "source_port"'), ('"source_port": "1"', '"source_port": 1', "links.json:2:2: a link needs"),
                               ('"source_port": "1"', '"source_port": "70000"', "links.json:2:2: a link needs"), ('"destination_port": "', '"destination_prt": "', 'links.json:2:2: a link needs a member "destination_port"'),
                               ('"source_guid": "0', '"source_guid": "x', "links.json:2:2: a link needs a member \"source_guid\""), ('"source_guid": "0', '"source_guid": "', "links.json:2:2: a link needs a member \"source_guid\""),
                               ('"source_guid": "02', '"source_guid": "0x', 'links.json:2:2: a link needs a member "source_guid"'),
                               ('"source_guid": "0', '"source_guid": "-', 'links.json:2:2: a link needs a member "source_guid"'),
                               ('"source_guid": "02', '"source_guid": "  ', 'links.json:2:2: a link needs a member "source_guid"'),
                               ("[\n", '{"links": [\n', "links.json:"), ("{", "7, {", "links.json:2:2: a link needs")):
            with self.subTest(new=new):
                self.assertIn(old, text)
                self.refused("topo", self.put(text.replace(old, new, 1)), says=says)
        for nothing in ("[]", "{}"):
            self.refused("topo", f"file:path={self.put(nothing)},format=ufm", says="links.json:1:1")


if __name__ == "__main__":
    unittest.main()
