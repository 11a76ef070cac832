#!/usr/bin/env python3
"""Reports of Omni-Path's opareport: the same fabric as that of a dump of ibnetdiscover, from links and from a snapshot."""
import json
import random
import re
import unittest
from xml.sax.saxutils import escape

from harness import SOURCE, CliTest, run
from site_files import Fabric

CORPUS = SOURCE / "tests" / "fuzz" / "corpus" / "opareport"
FAMILIES = ("xgft:m=4:4,w=1:2", "rlft:ports=6,levels=2,fail=10%,fail_seed=1", "torus:dims=3:3,p=2", "dragonfly:h=1", "fullmesh:n=4,p=12")


def once(fabric):
    """Each cable as (node, port, node, port)."""
    seen = set()
    for node, number, port in fabric.ends():
        if (port.peer.guid, port.peer_port) not in seen:
            yield node, number, port.peer, port.peer_port
        seen.add((node.guid, number))


def kind(node):
    return ("SW", 2) if node.switch else ("FI", 1)


def identity(node, pad):
    said = kind(node)
    return f"{pad}<NodeType>{said[0]}</NodeType>\n{pad}<NodeType_Int>{said[1]}</NodeType_Int>\n{pad}<NodeDesc>{escape(node.name)}</NodeDesc>\n"


def links_of(fabric, rate="100g"):
    def port(node, number):
        return f'<Port id="0x{node.guid:016x}:{number}">\n<NodeGUID>0x{node.guid:016x}</NodeGUID>\n<PortNum>{number}</PortNum>\n{identity(node, " " * 8)}</Port>\n'
    links = "".join(f'<Link id="0x{a.guid:016x}:{n}">\n<Rate>{rate}</Rate>\n<Internal>0</Internal>\n{port(a, n)}{port(b, m)}</Link>\n' for a, n, b, m in once(fabric))
    return f'<?xml version="1.0" encoding="utf-8" ?>\n<Report date="" unixtime="1" options="-x -o links">\n<LinkSummary>\n<LinkCount>1</LinkCount>\n{links}</LinkSummary>\n</Report>\n'


def snapshot_of(fabric, speed="25Gb"):
    nodes, links = {}, ""
    for a, n, b, m in once(fabric):
        for node, number in ((a, n), (b, m)):
            nodes.setdefault(node.guid, (node, []))[1].append(number)
        links += "".join([f'<Link id="0x{a.guid:016x}:{n}">', *(f"<{side}><NodeGUID>0x{x.guid:016x}</NodeGUID><PortNum>{p}</PortNum></{side}>" for side, x, p in (("From", a, n), ("To", b, m))), "</Link>\n"])
    text = ""
    for guid, (node, numbers) in nodes.items():
        ports = "".join(f'<PortInfo id="0x{guid:016x}:{p}">\n<PortNum>{p}</PortNum>\n<LID>0x1</LID>\n<LinkWidthActive>4</LinkWidthActive>\n<LinkSpeedActive>{speed}</LinkSpeedActive>\n</PortInfo>\n' for p in numbers)
        text += f'<Node id="0x{guid:016x}">\n<NodeGUID>0x{guid:016x}</NodeGUID>\n{identity(node, "  ")}{ports}</Node>\n'
    return f'<?xml version="1.0" encoding="utf-8" ?>\n<Snapshot date="" unixtime="1">\n<Nodes>\n{text}</Nodes>\n<SMs></SMs>\n<Links>\n{links}</Links>\n<VirtualFabrics></VirtualFabrics>\n</Snapshot>\n'


def text_of(fabric, rate="100g", detail=""):
    """opareport -o links"""
    def end(prefix, node, number):
        return f"{prefix:>4} 0x{node.guid:016x} {number:3} {kind(node)[0]}   {node.name}\n{detail}"
    cables = list(once(fabric))
    return f"Link Summary\n{len(cables)} Links in Fabric:\nRate NodeGUID          Port Type Name\n" + "".join(end(rate, a, n) + end("<-> ", b, m) for a, n, b, m in cables) + "-" * 79 + "\n"


def linkinfo_of(fabric, lids, rate="100g"):
    """opareport -o linkinfo: every node, and the other end of each of its ports."""
    rows = {}
    for a, n, b, m in once(fabric):
        for x, p, y, q in ((a, n, b, m), (b, m, a, n)):
            rows.setdefault(x.guid, (x, []))[1].append((p, y, q))
    text = f"LinkInfo Summary\n{len(list(once(fabric)))} Links in Fabric:\n   NodeGUID       Type   LID  LMC     Name          \nEgress LinkSpeed  Type      NodeGUID       Port    LID       Name       \n"
    for switch in (True, False):
        for guid, (x, ports) in rows.items():
            if x.switch == switch:
                text += f"0x{guid:016x} {kind(x)[0]}  {lids[guid]:5}   {int(not switch)}  {x.name} \n"
                text += "".join(f"{p:3}      {rate}      {kind(y)[0]}  0x{y.guid:016x} {q:3}    {lids[y.guid]:5}  {y.name} \n" for p, y, q in ports)
    return text


class OpaReport(CliTest):
    def put(self, text, name="report.xml"):
        path = self.tmp / name
        path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)
        return path

    def fabric(self, spec):
        path = self.tmp / "fabric.net"
        self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path, status=None)
        return Fabric(path.read_text())

    def cables(self, path):
        out = self.tmp / "read.json"
        self.ok("topo", path, "--format", "json", "-o", out, status=None)
        fabric = json.loads(out.read_text())
        nodes = fabric["switches"] + fabric["hosts"]
        numbers = [dict(node.get("labels", [])) for node in nodes]
        return (sorted(sorted((nodes[n]["name"], numbers[n].get(p, p + 1)) for n, p in (link[:2], link[2:4])) for link in fabric["links"]),
                sorted((node["name"], node["guid"]) for node in nodes), len(fabric["hosts"]))

    def test_same_fabric(self):
        for spec in FAMILIES:
            fabric = self.fabric(spec)
            wanted = self.cables(self.put(fabric.ibnetdiscover(), "fabric.net"))
            for text in (links_of(fabric), snapshot_of(fabric)):
                with self.subTest(spec=spec, form=text[40:60]):
                    path = self.put(text)
                    said = self.cables(path)
                    self.assertEqual((said[0], said[2]), (wanted[0], wanted[2]))
                    self.assertEqual([c["rate_bps"] for c in self.json("topo", path, status=None)["links_by_rate"]], [10**11] * len(self.json("topo", path, status=None)["links_by_rate"]))

    def test_texts(self):
        """Links and linkinfo as text are the same fabric; the latter, and a snapshot, have LIDs."""
        for spec in FAMILIES:
            fabric = self.fabric(spec)
            wanted = self.cables(self.put(fabric.ibnetdiscover(), "fabric.net"))
            lids = {node.guid: 100 + 2 * i for i, node in enumerate({n.guid: n for a, _, b, _ in once(fabric) for n in (a, b)}.values())}
            ports = '<EndPortLID>0x%04x</EndPortLID>\n<LMC>%d</LMC>\n'
            snapshot = snapshot_of(fabric)
            for guid, lid in lids.items():
                snapshot = snapshot.replace(f'<PortInfo id="0x{guid:016x}:', f'<PortInfo lid="{lid}" id="0x{guid:016x}:')
            for guid, lid in lids.items():
                snapshot = snapshot.replace(f'<PortInfo lid="{lid}" ', f'<PortInfo>{ports % (lid, guid in self.host_guids(fabric))}<!-- ').replace("\">\n<PortNum>", "-->\n<PortNum>")
            for text, has_lids in ((text_of(fabric), False), (text_of(fabric, detail="        PortDetails: 0x1 2 SW x\n        Cable: 1 2\n"), False), (linkinfo_of(fabric, lids), True), (snapshot, True)):
                with self.subTest(spec=spec, form=text[:20]):
                    path = self.put(text, "report.xml" if "<" in text[:1] else "report.txt")
                    self.assertEqual(self.cables(path), wanted)
                    nodes = [n for n in (lambda f: f["switches"] + f["hosts"])(json.loads((self.tmp / "read.json").read_text()))]
                    if has_lids:
                        self.assertEqual({int(n["guid"], 16): n.get("lid") for n in nodes}, lids)
                        self.assertEqual({int(n["guid"], 16) for n in nodes if n.get("lmc") == 1}, self.host_guids(fabric))
                    else:
                        self.assertEqual([n for n in nodes if "lid" in n], [])
                    self.assertNotIn("missing-links", [f["code"] for f in self.json("topo", path, status=None)["findings"]])

    def host_guids(self, fabric):
        return {n.guid for a, _, b, _ in once(fabric) for n in (a, b) if not n.switch}

    def test_texts_that_are_wrong(self):
        fabric = self.fabric("xgft:m=2:2,w=1:2")
        text, lids = text_of(fabric), {n.guid: 7 for a, _, b, _ in once(fabric) for n in (a, b)}
        lines = text.splitlines(keepends=True)
        for bad, says in (("".join(lines[:4]), ("the second end of the last link",)), ("".join(lines[:3] + lines[4:]), (":4:", "without a first one")), ("".join(lines[:4] + lines[5:]), (":5:", "second end of the link before")),
                          ("".join(lines[:3]), ("no link in this report", "linkinfo")), (text.replace(" SW ", " FI ", 1), ("FI here and SW elsewhere",)), (re.sub(r"(?m)^(0x\w+ FI +\d+ +)1", r"\g<1>9", linkinfo_of(fabric, lids), count=1), ("an LMC of 9",)),
                          (snapshot_of(fabric).replace("<PortNum>", "<EndPortLID>x</EndPortLID><PortNum>", 1), ("EndPortLID", "0x0007"))):
            with self.subTest(says=says):
                self.refused("topo", f"file:{self.put(bad, 'report.txt')},format=opareport", says=says)
        findings = {f["code"]: f["text"] for f in self.json("topo", self.put("".join(lines[:-3]), "report.txt"), status=None)["findings"]}
        self.assertIn(f"it has {len(list(once(fabric)))} links", findings["missing-links"])

    def test_plan(self):
        fabric = self.fabric("xgft:m=4:4,w=1:2")
        said = self.json("audit", self.put(links_of(fabric)), "--plan", self.put(fabric.ibnetdiscover(), "fabric.net"), "--routing", "none", status=None)["cabling"]
        self.assertEqual((said["missing"], said["wrong"]), (0, 0))

    def test_rates(self):
        fabric = self.fabric("crossbar:n=3")
        for rate, bps in (("100g", 100), ("12.5g", 12.5), ("37.5g", 37.5), ("???", 100), ("any", 100), ("999999999999999g", 100), ("1.99999999999g", 1.999)):
            said = self.json("topo", self.put(links_of(fabric, rate)))["links_by_rate"]
            self.assertEqual([c["rate_bps"] for c in said], [round(bps * 10**9)], rate)
        for speed, bps in (("25Gb", 100), ("12.5Gb", 50), ("50Gb", 200), ("None", 100), ("Unk(0x0004)", 100)):
            self.assertEqual([c["rate_bps"] for c in self.json("topo", self.put(snapshot_of(fabric, speed)))["links_by_rate"]], [bps * 10**9], speed)
        slow = "</PortInfo><PortInfo><LinkWidthActive>1</LinkWidthActive><LinkSpeedActive>1Gb</LinkSpeedActive></PortInfo>"  # of no port
        text = snapshot_of(fabric).replace("</PortInfo>", slow)
        self.assertIn(slow, text)
        self.assertEqual([c["rate_bps"] for c in self.json("topo", self.put(text))["links_by_rate"]], [100 * 10**9])

    def test_corpus(self):
        said = self.json("topo", CORPUS / "snapshot.xml", status=None)
        self.assertEqual((said["hosts"], said["switches"], [c["rate_bps"] for c in said["links_by_rate"]]), (2, 1, [75 * 10**9]))
        self.assertIn("2 sections of the report are not read, the first is SMs", [f["text"] for f in said["findings"]])
        cables, nodes, _ = self.cables(CORPUS / "links.xml")
        self.assertEqual(cables, [[("edge & 1", 7), ("node1 hfi1_0", 1)], [("edge & 1", 8), ("node2 hfi1_0", 1)]])
        self.assertEqual(len(nodes), 3)

    def test_refused(self):
        good = (CORPUS / "links.xml").read_text()
        for old, new, says in (("<PortNum>7<", "<PortNum>70000<", ("report.xml:22:", "PortNum")), ("<PortNum>7<", "<PortNum>0<", ("no PortNum from 1 on",)), ("<PortNum>7</PortNum>", "", ("no PortNum",)),
                               ("<PortNum>8<", "<PortNum>7<", ("port 7", "cabled twice")), ("<NodeGUID>0x0011750102000001<", "<NodeGUID>0x00117501020000012<", ("report.xml:21:", "NodeGUID")),
                               ("<NodeGUID>0x0011750102000001<", "<NodeGUID>12<", ("NodeGUID",)), ("<NodeGUID>0x0011750102000001</NodeGUID>", "", ("expected a NodeGUID",)),
                               ("<NodeType>SW<", "<NodeType>RT<", ("'RT'", "FI or SW")), ("<NodeType>SW<", "<NodeType>FI<", ("is FI here and SW elsewhere",)),
                               ('<Port id="0x0011750102000001:7">', "<Port/><Port>", ("3 ends",)), ("LinkSummary", "Summary", None), ("</Report>", "", ("report.xml:",))):
            with self.subTest(new=new):
                self.assertIn(old, good)
                path = self.put(good.replace(old, new, 0 if new == "Summary" else 1))
                self.refused("topo", path, says=says) if says else self.ok("topo", path)
        links = good.replace("<NodeType>SW</NodeType>", "").replace("<NodeType>FI</NodeType>", "")
        self.refused("topo", self.put(links), says=("has links, but no NodeType",))
        none = "file:" + str(self.put("<Report><NodeGUID></NodeGUID></Report>"))
        self.refused("topo", none, says=("no link in this report", "-o snapshot"))
        fabric = self.fabric("crossbar:n=3")
        self.refused("topo", self.put(snapshot_of(fabric, "900000Gb")), says=("report.xml:", "3600000 Gb/s is not possible"))
        for text in ("<Report>" * 100, "<Report><LinkSummary><Link>\0", "<Report"):
            self.refused("topo", "file:" + str(self.put(text)) + ",format=opareport")

    def test_damaged(self):
        rng = random.Random(1)
        for name in ("links.xml", "snapshot.xml"):
            good = (CORPUS / name).read_bytes()
            for case in [good[:i] for i in range(0, len(good), 71)] + [bytes(rng.choice(b"<>/&0x9\n\xff") if rng.random() < .01 else c for c in good) for _ in range(40)]:
                self.assertIn(run("topo", "file:" + str(self.put(case)) + ",format=opareport").returncode, (0, 1, 2), case)


if __name__ == "__main__":
    unittest.main()
