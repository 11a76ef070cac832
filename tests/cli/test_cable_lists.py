#!/usr/bin/env python3
"""Lists of cables of Ethernet clusters, from NetBox and LLDP: the graph is the one that Python's own readers see; hosts are told as
documented; what is wrong is refused with its place."""
import csv
import io
import json
import os
import random
import re
import unittest

from harness import SOURCE, CliTest, run

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
DATA, CORPUS = SOURCE / "data", SOURCE / "tests" / "fuzz" / "corpus" / "cables"
FORMS = sorted(CORPUS.iterdir())
API = json.loads((CORPUS / "netbox_cables").read_text())


def of_csv(text):
    """The cables of a table: pairs of (device, port)."""
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if ";" in text.split("\n")[0] else ","))
    cables = []
    for row in rows:
        ends = [(row.get(f"side_{k}_device") or row.get(f"Device {k.upper()}"), row.get(f"side_{k}_name") or row.get(f"Termination {k.upper()}")) for k in "ab"]
        kinds = {row.get(f"side_{k}_type", "dcim.interface") for k in "ab"}
        state = (row.get("status") or row.get("Status")).lower()
        if kinds == {"dcim.interface"} and state == "connected" and all(d for d, _ in ends) and not any(re.match("PSU|Console", p) or "," in p for _, p in ends):
            cables.append(frozenset(ends))
    return cables


def of_dot(text):
    return [frozenset([(m[1], m[2]), (m[3], m[4])]) for m in re.finditer(r'"(\S+)":"(\S+)" -- "(\S+)":"(\S+)"', text)]


class CableLists(CliTest):
    def put(self, text, name="cables.csv"):
        path = self.tmp / name
        path.write_text(text, newline="")
        return path

    def read(self, spec):
        """The fabric, and the texts of its findings by code."""
        out = self.tmp / "read.json"
        done = run("topo", spec, "--format", "json", "-o", out)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        fabric = json.loads(out.read_text())
        return fabric, {finding["code"]: finding["text"] for finding in fabric["findings"]}

    def hosts(self, spec):
        return sorted(host["name"] for host in self.read(spec)[0]["hosts"])

    def links(self, fabric):
        """Links as sets of (device, number of the port)."""
        nodes = fabric["switches"] + fabric["hosts"]
        numbers = [dict(node.get("labels", [])) for node in nodes]
        return sorted(sorted((nodes[n]["name"], numbers[n].get(p, p + 1)) for n, p in (link[:2], link[2:4])) for link in fabric["links"])

    def numbered(self, cables):
        """The same of cables, whose ports bear the number at their ends if all of a device do and differ, else are in order."""
        ports = {}
        for cable in cables:
            for device, port in cable:
                ports.setdefault(device, set()).add(port)
        number = {}
        for device, names in ports.items():
            ordered = sorted(names, key=lambda name: (len(name), name))
            ends = [int(re.search(r"\d*$", name)[0] or 0) for name in ordered]
            borne = all(ends) and ends == sorted(set(ends))
            number.update({(device, name): ends[i] if borne else i + 1 for i, name in enumerate(ordered)})
        return sorted(sorted((end[0], number[end]) for end in cable) for cable in set(cables))

    def refused(self, text, place, *says, name="cables.csv", spec="", status=2):
        done = run("topo", f"file:path={self.put(text, name)}{spec}")
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(f"{name}{place}: ", done.stderr)
        for word in says:
            self.assertIn(word, done.stderr)

    # ---- graphs

    def test_graphs(self):
        for path, parse in ((DATA / "leafspine.csv", of_csv), (DATA / "leafspine.dot", of_dot), (CORPUS / "netbox_table", of_csv), (CORPUS / "netbox_import", of_csv)):
            with self.subTest(path=path.name):
                fabric, _ = self.read(path)
                self.assertEqual(self.links(fabric), self.numbered(parse(path.read_bytes().decode())))

    def test_one_cluster_in_every_form(self):
        wanted = self.links(self.read(DATA / "leafspine.csv")[0])
        self.assertEqual(self.links(self.read(DATA / "leafspine.dot")[0]), wanted)
        cables = of_dot((DATA / "leafspine.dot").read_text())
        answer, lldp = {"results": []}, {}
        for a, b in map(sorted, cables):
            ends = [[{"object_type": "dcim.interface", "object": {"name": p, "device": {"name": d}}}] for d, p in (a, b)]
            answer["results"].append({"a_terminations": ends[0], "b_terminations": ends[1], "status": {"value": "connected"}})
            for near, far in ((a, b), (b, a)):
                lldp.setdefault(near[0], {"lldp": {"interface": []}})["lldp"]["interface"].append(
                    {near[1]: {"chassis": {far[0] + ".site.org": {"id": {}}}, "port": {"id": {"type": "ifname", "value": far[1]}}}})
        table = "\n".join(["Device A|Termination A|Device B|Termination B", *("|".join(a + b) for a, b in map(sorted, cables)), ""])
        random.Random(1).shuffle(answer["results"])
        for text in (json.dumps(answer), json.dumps(answer["results"]), json.dumps({"data": {"cable_list": answer["results"]}}), json.dumps(lldp), table):
            self.assertEqual(self.links(self.read(self.put(text))[0]), wanted, text[:60])

    def test_rates_and_breakout(self):
        fabric, findings = self.read(CORPUS / "netbox_interfaces")
        rates = sorted(fabric["classes"][link[4]]["rate_bps"] // 10**9 for link in fabric["links"])
        self.assertEqual(rates, [10, 25, 25, 25, 100, 100, 100, 100])
        self.assertNotIn("assumed-rate", findings)
        for kind, rate in (("1000base-t", 10**9), ("2.5gbase-t", 25 * 10**8), ("100base-tx", 10**8), ("800gbase-x-osfp", 8 * 10**11), ("virtual", 10**11), ("9" * 30 + "gbase", 10**11)):
            text = (CORPUS / "netbox_interfaces").read_text().replace("100gbase-x-qsfp28", kind).replace("25gbase-x-sfp28", kind)
            self.assertEqual(self.read(self.put(text))[0]["classes"][0]["rate_bps"], rate, kind)
        fabric, findings = self.read(f"file:path={CORPUS / 'netbox_cables'},link_rate=400Gb/s,host_rate=50Gb/s")
        self.assertEqual({c["rate_bps"] for c in fabric["classes"]}, {400 * 10**9, 50 * 10**9})
        self.assertIn("16 links give no rate", findings["assumed-rate"])
        storage = [end for link in self.links(fabric) for end in link if end[0] == "leaf1" and any(e[0].startswith("storage") for e in link)]
        self.assertEqual(len(set(storage)), 2)  # two lanes of one port

    # ---- hosts

    def test_how_hosts_are_told(self):
        for name, hosts, says in (("netbox_import", [f"server0{i}" for i in range(1, 9)], "14 by their names"), ("netbox_table", [f"n{i}" for i in range(1, 7)], "11 by their cables"),
                                  ("netbox_graphql", ["x-node-1", "x-node-2"], "6 by the file"), ("lldp_json", ["c1", "c2", "c3"], "by the file"),
                                  ("netbox_cables", ["gpu-1", "gpu-2", "gpu-3", "gpu-4", "storage-1", "storage-2"], "11 by their names")):
            with self.subTest(name=name):
                fabric, findings = self.read(CORPUS / name)
                self.assertEqual([host["name"].split(".")[0] for host in sorted(fabric["hosts"], key=lambda h: h["name"])], hosts)
                self.assertIn(says, findings["which-hosts"])
                self.assertIn("host_names=", findings["which-hosts"])

    def test_names_and_roles(self):
        rows = [("storage-leaf1", "x1"), ("storage-leaf1", "x2"), ("storage-leaf1", "spineA"), ("x1", "spineA"), ("SERVER7", "x1"), ("dgx.site", "x2"), ("gpux", "x2")]
        table = "side_a_device,side_a_name,side_b_device,side_b_name\n" + "".join(f"{a},p{i},{b},q{i}\n" for i, (a, b) in enumerate(rows))
        self.assertEqual(self.hosts(self.put(table)), ["SERVER7", "dgx.site", "gpux"])
        plan = 'graph G { "a" [function="host"] "server1" [function="leaf"] "a":"1" -- "server1":"1" }'
        self.assertEqual(self.hosts(self.put(plan, "plan.dot")), ["a"])

    def test_options(self):
        path = DATA / "leafspine.csv"
        self.assertEqual(self.hosts(f"file:path={path},host_names=spine*:server0[1-3]"), ["server01", "server02", "server03", "spine01", "spine02"])
        self.assertEqual(self.hosts(f"file:path={path},without=server0[2-8]:spine02"), ["server01"])
        fabric, findings = self.read(f"file:path={path},without=server*")
        self.assertEqual((len(fabric["hosts"]), len(fabric["switches"]), len(fabric["links"])), (0, 6, 8))
        self.assertIn("host_names=", findings["no-hosts"])
        done = run("topo", f"file:path={path},without=*")
        self.assertEqual(done.returncode, 2)
        self.assertIn("without leaves no device", done.stderr)
        for option in ("host_names", "without"):
            done = run("topo", f"file:path={path},{option}=server*:sever*")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{option} = sever* fits no device", done.stderr)
            done = run("topo", f"file:path={DATA / 'cluster96.ibnetdiscover'},{option}=a*")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{option} is for lists of cables", done.stderr)

    def test_graphs_without_ports(self):
        """A graph of Graphviz whose nodes are nothing stays one of switches, and a note says how to mark hosts."""
        path = self.put("graph { host1 -- sw1; host2 -- sw1; sw1 -- sw2 }", "plain.dot")
        fabric, findings = self.read(path)
        self.assertEqual(len(fabric["hosts"]), 0)
        self.assertIn("kind=host", findings["no-hosts"])
        self.assertEqual(self.hosts(f"file:path={path},host_names=host*"), ["host1", "host2"])
        fabric, findings = self.read(self.put("graph { a:e -- b:w; b:e -- c:w; a:e -- c:w }", "sides.dot"))
        self.assertEqual((len(fabric["switches"]), len(fabric["links"])), (3, 3))
        fabric, findings = self.read(self.put("graph { a [kind=host]; a:1 -- b:2 }", "kinds.dot"))
        self.assertEqual(len(fabric["hosts"]), 1)
        self.assertNotIn("which-hosts", findings)

    # ---- what is left out, and what is refused

    def test_left_out(self):
        wanted = {"netbox_import": ("1 cable not between", "1 cable not connected"), "netbox_table": ("3 cables not between", "1 cable not connected", "1 cable with several"),
                  "netbox_cables": ("2 cables not between", "1 cable not connected"), "netbox_interfaces": ("1 end of a cable not connected", "2 interfaces for management")}
        for name, texts in wanted.items():
            found = self.read(CORPUS / name)[1]["skipped-cables"]
            for text in texts:
                self.assertIn(text, found)
        page = dict(API, count=412, next="https://netbox/api/dcim/cables/?offset=18")
        self.assertIn(f"{len(API['results'])} of its 412", self.read(self.put(json.dumps(page)))[1]["truncated"])
        for link in ("next", "previous"):
            page = {"results": API["results"], link: "https://netbox/api/dcim/cables/?offset=18"}
            self.assertIn("page of a longer list", self.read(self.put(json.dumps(page)))[1]["truncated"])

    def interfaces(self, *items, **more):
        """An answer with interfaces: (device, name, peers), each seen from both ends."""
        near = lambda device, name: {"device": {"name": device}, "name": name}
        return json.dumps({"results": [dict(near(d, p), type={"value": "100gbase-x-qsfp28"}, connected_endpoints=[near(*peer) for peer in peers],
                                            connected_endpoints_type="dcim.interface", **more.get(p, {})) for d, p, peers in items]})

    def test_interfaces_of_both_ends(self):
        """What a list of interfaces says twice is a link once, and a port for management leaves out the whole cable."""
        text = self.interfaces(("server1", "bmc", [("oob1", "p1")]), ("oob1", "p1", [("server1", "bmc")]), ("server1", "e", [("leaf1", "swp1")]),
                               ("leaf1", "swp1", [("server1", "e"), ("server2", "e")]), ("server2", "e", [("leaf1", "swp1")]), bmc={"mgmt_only": True})
        fabric, findings = self.read(self.put(text))
        self.assertEqual(self.links(fabric), [[("leaf1", 1), ("server1", 1)], [("leaf1", 2), ("server2", 1)]])
        self.assertEqual({c["rate_bps"] for c in fabric["classes"]}, {50 * 10**9})
        self.assertEqual(findings["skipped-cables"], "left out: 1 interface for management")
        both = [("a", "1"), ("a", "2")], [("b", "1"), ("b", "2")]
        text = self.interfaces(*((*end, both[1 - k]) for k in (0, 1) for end in both[k]), ("a", "3", [("b", "3")]))
        fabric, findings = self.read(self.put(text))
        self.assertEqual(len(fabric["links"]), 1)
        self.assertEqual(findings["skipped-cables"], "left out: 4 ends of cables with several interfaces")

    def test_names_by_lldp(self):
        """A device is one whether its name is written with or without domain and capitals."""
        seen = lambda near, far, port: {near: {"chassis": {far: {"id": {}}} if far else {"id": {"type": "mac", "value": "00:11:22:33:44:55"}}, "port": {"id": {"type": "ifname", "value": port}}}}
        for leaf, spine, far_leaf, far_spine, switches in (("leaf1", "spine1", "LEAF1", "Spine1", 2), ("leaf1.a.org", "spine1.a.org", "leaf1", "spine1.A.org", 2),
                                                           ("leaf1", "spine1.a.org", "leaf1.a.org", "spine1.b.org", None), ("10.0.0.1", "10.0.0.2", "leaf1", "spine1", 4)):
            file = self.put(json.dumps({leaf: {"lldp": {"interface": [seen("swp9", far_spine, "swp1"), seen("swp1", None, "eth0")]}},
                                        spine: {"lldp": {"interface": [seen("swp1", far_leaf, "swp9")]}}}))
            if switches is None:  # spine1 of another domain is another device
                self.assertIn("port swp9 of 'leaf1' is cabled twice", run("topo", file).stderr)
                continue
            fabric, findings = self.read(file)
            self.assertEqual(len([node for node in fabric["switches"] if node["name"][0] in "ls1"]), switches, leaf)
            self.assertEqual(len(fabric["links"]), 2 if switches == 2 else 3)
            self.assertIn("1 neighbour has no name" if switches == 2 else "2 of 2 devices", "".join(f["text"] for f in fabric["findings"] if f["code"] == "neighbour-names"))

    def test_wrong_tables(self):
        head = "side_a_device,side_a_name,side_b_device,side_b_name,status\n"
        self.refused("Device A,Termination A,Device B\nleaf1,swp1,spine1\n", ":1:1", "no column 'Termination B'", "export all data")
        self.refused("ID,Termination A,Termination B,Status\n1,swp1,swp2,Connected\n", ":1:1", "no column 'Device A'", "export all data")
        self.refused(head + "a,1,b,1,\nc,1,d\n", ":3:1", "expected 5 fields", "not 3")
        self.refused(head + "a,1,b,1,\n\n\"c,1,d,2,\n", ":4:1", "never closed")
        self.refused(head + "a,1,b,1,\n\"c\"d,1,d,2,\n", ":3:1", "closing quote")
        self.refused(head + "a,1,b,1,\na,1,c,1,\n", ":3:1", "port 1 of 'a' is cabled twice", "to 1 of 'b' and to 1 of 'c'")
        self.refused(head + "a,1,a,1,\n", ":2:1", "cabled twice")
        self.refused("x,y\n1,2\n", ":1:1", "no column", spec=",format=netbox")
        self.refused(head + "a,1,b,1,planned\n", "", "no cable joins", "1 cable not connected")
        self.refused(head, "", "no cable joins")
        self.refused('{"count": 0, "next": null, "previous": null, "results": []}', "", "no cable joins")
        self.assertEqual(len(self.read(self.put('Device A;Termination A;Device B;Termination B;"a,b,c,d,e"\na;1;b;1;\n'))[0]["links"]), 1)
        self.refused("side_a_site,side_a_device,side_a_name,side_b_device,side_b_name\nn,a,1,b,1\ns,a,2,b,2\n", ":3:1", "two devices are called 'a', of n and s", "one site")
        self.refused("," * 300 + "\n", ":1:1", "too many columns", spec=",format=netbox")

    def test_wrong_answers(self):
        cable = lambda a, b, i=1: {"a_terminations": [{"object": {"name": a, "device": {"name": "a", "id": i}}}], "b_terminations": [{"object": {"name": b, "device": {"name": "b"}}}]}
        lines = lambda *items: '{"results": [\n' + ",\n".join(json.dumps(item) for item in items) + "\n]}"
        self.refused(lines(cable("1", "1"), {"id": 3, "display": "#3"}), ":3:1", "element 1 of the list is no cable", "brief", name="a.json")
        self.refused(lines(cable("1", "1"), cable("2", "2"), cable("2", "3")), ":4:1", "port 2 of 'a' is cabled twice", name="a.json")
        self.refused(lines(cable("1", "1"), cable("2", "2", 2)), ":3:1", "two devices are called 'a', of id 1 and id 2", name="a.json")
        self.refused(lines(cable("1", "1", "5"), cable("2", "2", "6")), ":3:1", "of id 5 and id 6", name="a.json")
        self.refused('{"a_terminations": 1}', "", "no list of cables", name="a.json")
        self.refused(lines(cable("1", "1"))[:-1], ":3:2", "no JSON", name="a.json")
        self.refused('{"lldp": {"interface": []}}', ":1:1", "not named", name="a.json")
        self.refused('{"leaf1": {"lldp": 3, "interface": 0}}', "", "no neighbours", "lldpctl -f json", name="a.json")
        self.refused('{"leaf1": {"lldp": {"interface": [{}, 5]}}}', "", "an interface of 'leaf1' is no object", name="a.json")
        self.refused('[{"lldp": {"interface": []}}]', ":1:1", "not named", name="a.json")
        self.refused('{"leaf1": {"lldp": {"interface": {"swp1": {"chassis": {}}}}}}', "", "'swp1' of 'leaf1'", name="a.json")

    def test_damage(self):
        """Whatever is done to a file, it is read or refused with a message that names it."""
        for path in (*FORMS, DATA / "leafspine.dot"):
            text, draw = path.read_bytes().decode(), random.Random(path.name)
            for _ in range(100 if ALL else 10):
                at, till = draw.randrange(len(text)), draw.randrange(len(text))
                for spoilt in (text[:at], text[:at] + draw.choice('",;{}[]\n\\0:') + text[at + 1:], text[:at] + text[till:]):
                    with self.subTest(path=path.name, at=at, till=till):
                        done = run("topo", self.put(spoilt, path.name))
                        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                        if done.returncode == 2:
                            self.assertRegex(done.stderr, rf"^ikat: \S*{re.escape(path.name)}")

    def test_everywhere(self):
        """The commands that take a fabric take these."""
        path = DATA / "leafspine.csv"
        self.ok("check", path, "-r", "dmodc", "--json")
        self.ok("audit", path, "--routing", "none")
        experiment = self.tmp / "cables.yaml"
        experiment.write_text(f"fabric: {{family: file, path: {DATA / 'leafspine.dot'}, host_names: 'server*'}}\nrouting: dmodc\ntraffic: uniform\nload: 20%\n"
                              "measure: {warmup: 10 us, duration: 20 us}\n")
        self.ok("run", experiment, "-o", self.tmp / "cables.db")


if __name__ == "__main__":
    unittest.main()
