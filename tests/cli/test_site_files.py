#!/usr/bin/env python3
"""What sites have on disk beside dumps of ibnetdiscover: the same fabric, tables and counters are read from every form; what is damaged
is refused with its place, or reported."""
import json
import os
import random
import re
import unittest

from harness import SOURCE, CliTest, run
from site_files import FORMS, Fabric

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
FAMILIES = ("xgft:m=2:2,w=2:2", "karytree:k=2,n=3", "slimtree:k=3,w=2,n=2", "rlft:ports=6,levels=2,fail=10%,fail_seed=1", "pgft:m=3:2,w=1:2,p=1:2", "slimfly:q=5,p=1", "mlfm:h=2",
            "oft:k=2", "hyperx:dims=3:2,p=2", "lrt:N=16,d=3,r=3,p=1", "jellyfish:N=8,d=3,p=2", "torus:dims=3:3,p=2", "ring:n=4,p=1", "mesh:dims=2:3,p=1", "hypercube:n=3,p=1",
            "dragonfly:h=1", "polarfly:q=3,p=1", "fullmesh:n=4,p=2", "crossbar:n=3", "xgft:m=2:2,w=1:2,link_rate=54.545454545Gb/s,host_rate=40Gb/s")
DUMP = SOURCE / "tests" / "data" / "opensm" / "ft2_8p.ibnetdiscover"
OPENSM = SOURCE / "tests" / "data" / "opensm"
EXPECTED = {"unread-tables", "unread-lines", "terminal-log"}  # of an undamaged file
DRAWN = 400 if ALL else 20


class SiteFiles(CliTest):
    def fabric(self, spec, **kwargs):
        path = self.tmp / "of_ikat.net"
        self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path, status=None)
        return Fabric(path.read_text(), **kwargs)

    def put(self, text, name="site.txt"):
        path = self.tmp / name
        path.write_text(text, newline="")
        return path

    def read(self, text):
        """The fabric of a text and the codes of its findings; (None, message) if it is refused."""
        path, out = self.put(text), self.tmp / "read.json"
        done = run("topo", path, "--format", "json", "-o", out)
        if done.returncode == 2:
            return None, done.stderr
        self.assertIn(done.returncode, (0, 1), done.stderr)
        fabric = json.loads(out.read_text())
        return fabric, {finding["code"] for finding in fabric.pop("findings", [])}

    def audited(self, fabric, *options):
        return self.json("audit", fabric, *options, "--routing", "none", status=None)

    def test_same_fabric(self):
        for spec in FAMILIES + (DUMP, SOURCE / "data" / "cluster96.ibnetdiscover"):
            for form, write in FORMS.items():
                with self.subTest(spec=spec, form=form):
                    # the other forms do not say an adapter's GUID, but that of its ports
                    fabric = self.fabric(spec, units=2, first_guids=form not in ("db_csv", "log"))
                    wanted, codes = self.read(fabric.ibnetdiscover())
                    got, more = self.read(write(fabric))
                    self.assertIsNotNone(wanted)
                    self.assertTrue(wanted["endpoints"])
                    self.assertEqual(wanted, got)
                    self.assertEqual(codes, more - EXPECTED)

    def test_rates(self):
        for rate in ("1xSDR", "2xHDR", "4xDDR", "4xQDR", "4xFDR10", "4xFDR", "4xEDR", "4xHDR", "4xNDR", "4xXDR", "8xFDR", "12xEDR"):
            fabric = self.fabric("ring:n=3,p=1")
            for _, _, port in fabric.ends():
                port.rate = rate
            wanted, _ = self.read(fabric.ibnetdiscover())
            self.assertEqual(wanted["classes"][0]["name"], rate)
            for form, write in FORMS.items():
                with self.subTest(rate=rate, form=form):
                    self.assertEqual(self.read(write(fabric))[0]["classes"], wanted["classes"])

    def test_lmc_and_names(self):
        fabric = self.fabric("xgft:m=2:2,w=1:2", first_guids=True)
        fabric.nodes[0].name = "MF0;leaf:MQM8700/U1"
        for node in fabric.nodes:
            node.lmc = 2
        wanted, _ = self.read(fabric.ibnetdiscover())
        self.assertEqual(self.read(fabric.db_csv())[0], wanted)
        for form in ("iblinkinfo", "iblinkinfo_long", "ports"):
            self.assertEqual(self.read(FORMS[form](fabric))[0]["switches"][0]["name"], fabric.nodes[0].name)
        for name in ("the room's switch", "'a' 'b'"):
            fabric.nodes[0].name = name
            for form in FORMS:
                self.assertEqual(self.read(FORMS[form](fabric))[0]["switches"][0]["name"], name, form)
        fabric.nodes[0].name = 'a, "quoted" name'
        self.assertEqual(self.read(fabric.db_csv())[0]["switches"][0]["name"], fabric.nodes[0].name)

    def check_damaged(self, text, wanted, codes, line, what):
        """A damaged text: refused with a place, or the fabric is the same, or a finding says that it is not."""
        got, said = self.read(text)
        if got is None:
            self.assertTrue(said.startswith("ikat: "), said)
            self.assertRegex(said, r"site\.txt:\d+:\d+: ", what)
        elif got != wanted and len(got["links"]) != len(wanted["links"]):
            self.assertNotEqual(said, codes, f"{what}, line {line}: cables differ, and nothing is said")

    def test_damage(self):
        fabric = self.fabric("rlft:ports=4,levels=2", units=1, first_guids=True)
        for form, write in FORMS.items():
            text, draw = write(fabric), random.Random(form)
            wanted, codes = self.read(text)
            lines = text.split("\n")
            for _ in range(DRAWN):
                with self.subTest(form=form):
                    at = draw.randrange(len(text))
                    self.check_damaged(text[:at], wanted, codes, 0, f"{form} cut off at {at}")
                    line = draw.randrange(len(lines))
                    short = lines[:line] + [lines[line][:draw.randrange(len(lines[line]) + 1)]] + lines[line + 1:]
                    self.check_damaged("\n".join(short), wanted, codes, line + 1, f"{form} line cut off")
                    self.check_damaged("\n".join(lines[:line] + lines[line + 1:]), wanted, codes, line + 1, f"{form} line left out")
                    i = draw.randrange(len(text))
                    self.check_damaged(text[:i] + draw.choice("0x9,\" []()=-'#AZ") + text[i + 1:], wanted, codes, text.count("\n", 0, i) + 1, f"{form} changed at {i}")

    def refused_text(self, text, line, *says):
        got, said = self.read(text)
        self.assertIsNone(got, "read")
        self.assertIn(f"site.txt:{line}:", said)
        for word in says:
            self.assertIn(word, said)

    def test_ibdiagnet_refused(self):
        text = self.fabric("ring:n=3,p=1").db_csv()
        lines = text.split("\n")
        for table in ("NODES", "LINKS"):
            self.refused_text(re.sub(f"START_{table}.*END_{table}\n", "", text, flags=re.DOTALL), text.count("\n") - text.count("\n", text.index(f"START_{table}"), text.index(f"END_{table}")) - 1,
                              f"no table {table}")
        ports = next(i for i, line in enumerate(lines) if line.startswith("START_PORTS"))
        links = next(i for i, line in enumerate(lines) if line.startswith("START_LINKS"))
        for number, new, says in ((4, lines[4].replace("NumPorts", "Ports"), "column NumPorts"), (5, lines[5] + ",1", "end of the line"), (5, lines[5].rsplit(",", 1)[0], "expected 11 fields"),
                                  (5, re.sub(r'",\d+,', '",255,', lines[5]), "up to 254"), (6, lines[5], "another GUID, for the node of line 6"),
                                  (ports + 3, lines[ports + 2], f"in line {ports + 3} already"), (ports + 2, lines[ports + 2].replace("0x0", "0xf", 1), "table NODES"),
                                  (links + 2, re.sub(r",\d+,", ",99,", lines[links + 2], count=1), "from 1 to"), (ports, "START_NODES", "one table NODES"),
                                  (links + 3, re.sub(r"^(\w+,\d+).*", r"\1," + lines[links + 2].split(",", 2)[2], lines[links + 3]), "")):
            with self.subTest(says=says):
                self.refused_text("\n".join(lines[:number] + [new] + lines[number + 1:]), number + 1, says)

    def test_ibdiagnet_tables(self):
        text = self.fabric("ring:n=3,p=1").db_csv()
        more = "".join(f"START_TABLE_{i}\nA,B\n1,2\nEND_TABLE_{i}\n\n" for i in range(40))
        report = self.json("topo", self.put(text + more))
        notes = [finding for finding in report["findings"] if finding["code"] == "unread-tables"]
        self.assertEqual(len(notes), 1)
        self.assertRegex(notes[0]["text"], r"^41 tables .*: SWITCHES, TABLE_0, .*, \.\.\.$")
        links = re.search(r"START_LINKS.*END_LINKS\n", text, re.DOTALL).group()  # tables may stand in any order
        self.assertEqual(self.read(links + text.replace(links, ""))[0], self.read(text)[0])
        lines = text.split("\n")  # a port that is down, one that is not active
        ports = [i for i, line in enumerate(lines) if re.match(r".*,4,N/A$", line)]
        for state, code, left in (("1", "port-down", 5), ("2", "inactive-port", 6)):
            changed = list(lines)
            changed[ports[0]] = lines[ports[0]].replace(",4,N/A", f",{state},N/A")
            got, codes = self.read("\n".join(changed))
            self.assertIn(code, codes)
            self.assertEqual(len(got["links"]), left)

    def test_link_info(self):
        fabric = self.fabric("xgft:m=2:2,w=1:2", first_guids=True)
        text = fabric.iblinkinfo()
        self.refused_text("\n".join(line for line in text.split("\n") if "Active" in line), 1, "before the ports of a node")
        for node in fabric.nodes:
            node.lid = 7
        self.refused_text(fabric.iblinkinfo(), 4, "two nodes have")
        for node in fabric.nodes:
            node.lid = 0
        self.refused_text(fabric.iblinkinfo(), 4, "LID 0", "iblinkinfo -l")
        self.refused_text(text + fabric.iblinkinfo_long(), text.count("\n") + 1, "one form")
        got, _ = self.read(fabric.iblinkinfo_long())
        self.assertEqual(len(got["links"]), 8)
        got, codes = self.read(re.sub(r"^CA: .*\n.*\n", "", text, flags=re.MULTILINE))  # --switches-only
        self.assertEqual(len(got["hosts"]), 4)
        self.assertIn("missing-section", codes)

    def test_kinds_of_long_lines(self):
        """iblinkinfo -l says of no node what it is: adapters with cables at ports 3 and 4 are adapters, and switches with a single line are switches."""
        dump = self.fabric("xgft:m=4:4,w=1:2", first_guids=True)
        for ports, name in (((3, 4), "node"), ((3,), "node HCA-1"), ((4,), "node mlx5_3"), ((2, 4), "node"), ((1, 2, 3, 4), "node")):
            fabric = self.fabric("xgft:m=4:4,w=1:2", first_guids=True)
            hosts = [node for node in fabric.nodes if not node.switch]
            for i in range(0, len(hosts), len(ports)):
                node = hosts[i]
                node.name, node.radix = name.replace("node", f"node{i}"), 4
                cables = [host.ports[1] for host in hosts[i:i + len(ports)]]
                base, node.ports = 0x70000 + 16 * i, {}
                for number, port in zip(ports, cables):
                    port.guid, node.ports[number] = base + number, port
                    far = port.peer.ports[port.peer_port]
                    far.peer, far.peer_port = node, number
                node.guid = node.port_guid(min(ports))
            fabric.nodes = [node for node in fabric.nodes if node.switch or node.radix == 4]
            # lines of ports without a cable have other GUIDs, and are left out
            text = "".join(line + "\n" for line in fabric.iblinkinfo_long().splitlines() if "Active" in line)
            with self.subTest(ports=ports, name=name):
                got, codes = self.read(text)
                self.assertEqual((len(got["switches"]), len(got["hosts"])), (6, len(hosts) // len(ports)))
                self.assertEqual(len(got["links"]), len(dump.ends()) // 2)
        for name in ("MF0;spine:MQM8700/U1", "SwitchX -  Mellanox Technologies"):
            fabric = self.fabric("xgft:m=1:2,w=1:1")
            for node in fabric.nodes:
                node.name = name if node.switch else "node HCA-1"
            leaf = next(node for node in fabric.nodes if node.switch and any(not port.peer.switch for port in node.ports.values()))
            text = "".join(line + "\n" for line in fabric.iblinkinfo_long().splitlines() if f"0x{leaf.guid:016x}" not in line[:20] and "Active" in line)
            got, _ = self.read(text)
            self.assertEqual((len(got["switches"]), len(got["hosts"])), (3, 2), name)
        for name in ("quantum01", "switchboard2", "Switch7 of room 1", "mf0"):  # hosts may have such names
            fabric = self.fabric("xgft:m=4,w=1")
            for node in fabric.nodes:
                node.name = "leaf" if node.switch else name
            text = "".join(line + "\n" for line in fabric.iblinkinfo_long().splitlines() if "Active" in line)
            got, _ = self.read(text)
            self.assertEqual((len(got["switches"]), len(got["hosts"])), (1, 4), name)

    def test_logs(self):
        fabric = self.fabric("ring:n=3,p=1", first_guids=True)
        for form, middle in (("ibnetdiscover", "\ncaguid"), ("iblinkinfo", "\nCA:"), ("iblinkinfo_long", "\n0x"), ("ports", "\nCA")):
            with self.subTest(form=form):
                text = getattr(fabric, form)()
                wanted, codes = self.read(text)
                around = "[root@mgr ~]# tool\n" + text + "[root@mgr ~]$ exit\nlogout\n"
                for log in (around, around.replace("\n", "\r\n"), around.replace("\n", "\r\r\n"), around.replace("\n", " \t \n"), "\x1b[1m" + around.replace("root", "\x1b]0;x\x1b\\ro\x07\x08ot")):
                    got, more = self.read(log)
                    self.assertEqual(got, wanted)
                    self.assertEqual(more - codes, {"unread-lines", "terminal-log"} if "\x1b" in log else {"unread-lines"})
                at = around.index(middle, len(around) // 2) + 1
                self.refused_text(around[:at] + "Message from syslogd\n" + around[at:], around.count("\n", 0, at) + 1, "between two others")
        self.refused_text(fabric.ibnetdiscover() + "[root@mgr ~]# exit\n", fabric.ibnetdiscover().count("\n") + 1, "port number")

    def test_controls_elsewhere(self):
        for text in ('{"format": "ikat fabric\x1b"}', "0 1\x1b[0m\n", "# Topology\x00 file\n"):
            self.refused_text(text, 1, "is not text")

    def test_counters(self):
        path = SOURCE / "tests" / "data" / "counters" / "ring5.ibnetdiscover"
        fabric = Fabric(path.read_text())
        switch = next(node for node in fabric.nodes if node.switch)
        host = next(node for node in fabric.nodes if not node.switch)
        values = {(switch.guid, 1): {"SymbolErrorCounter": 17, "PortXmitData": 1 << 40}, (host.guid, 1): {"LinkDownedCounter": 3, "PortRcvErrors": 5, "PortXmitWait": 9}}
        lines = []
        for (guid, number), counters in values.items():
            lines.append(f"   GUID 0x{guid:x} port {number}: " + " ".join(f"[{name} == {value}]" for name, value in counters.items()))
            lines[-1] += "".join(f" [{name} == 0]" for name in ("SymbolErrorCounter", "LinkDownedCounter", "PortXmitData", "PortRcvErrors") if name not in counters)
        errors = self.put("Errors for x\n" + "\n".join(lines) + "\n", "counters.txt")
        wanted = self.json("audit", path, "--counters", errors, status=None)
        self.assertTrue(any(finding["code"] == "port-errors" or "counter" in finding["text"].lower() for finding in wanted["findings"]), wanted["findings"])
        text = fabric.db_csv(values)
        got = self.json("audit", path, "--counters", self.put(text, "counters.txt"), status=None)
        self.assertEqual(got, wanted)
        dump = fabric.pm(values)
        self.assertEqual(self.json("audit", path, "--counters", self.put(dump, "counters.txt"), status=None), wanted)
        for old, new, line in (("Lid=", "Lit=", 4), ("GUID=0x", "GUID=", 4), ("=0x0011", "=0x00g1", 6), ("=0x0011", "=17", 6), ("=0x0011", "=", 6), ("=0x0011", "=0x0011 x", 6), ("Port=1", "Port=999", 4)):
            self.assertIn(old, dump)
            self.assertIn(f"counters.txt:{line}:", self.refused("audit", path, "--counters", self.put(dump.replace(old, new, 1), "counters.txt")))
        self.refused("audit", "ring:n=4", "--counters", self.put(dump, "counters.txt"), says="none of its ports")
        self.json("audit", path, "--counters", self.put(dump + "Errors for x\n" + "\n".join(lines) + "\n" + text, "counters.txt"), status=None)
        start = text[:text.index("START_PM_INFO")].count("\n")
        for old, new, line in ((f"0x{host.guid:016x},0x{host.guid:016x},1,", f"0x{host.guid:016x},0x{host.guid:016x},1x,", start + 4), (",17,", ",seventeen,", start + 3), ("END_PM_INFO", "", None),
                               ("PortNumber", "Port", start + 2)):
            at = text.index(old, text.index("START_PM_INFO"))
            message = self.refused("audit", path, "--counters", self.put(text[:at] + new + text[at + len(old):], "counters.txt"))
            self.assertRegex(message, rf"counters\.txt:{line or '[0-9]+'}:")
        self.refused("audit", path, "--counters", self.put(fabric.db_csv(), "counters.txt"), says="PM_INFO")
        printed = "Errors for x\n" + "\n".join(lines) + "\n"
        for mix in (fabric.db_csv() + printed, printed + fabric.db_csv(), text + fabric.db_csv(), fabric.db_csv() + "## Summary: 3 nodes checked, 0 bad nodes found\n"):
            self.json("audit", path, "--counters", self.put(mix, "mix.txt"), status=None)  # tables without counters beside what has some
        self.refused("audit", path, "--counters", self.put(fabric.db_csv() + "# a comment\n" + fabric.db_csv(), "mix.txt"), says="PM_INFO")

    def test_tables(self):
        """Forwarding tables and SL-to-VL maps as ibdiagnet writes them."""
        text = (OPENSM / "ft2_8p.opensm.fdbs").read_text()
        theirs = re.sub(r"^dump_ucast_routes: (Switch.*)\n", r"osm_ucast_mgr_dump_ucast_routes: \1\nPLFT_NUM: 0\n", "# comment\n" + text, flags=re.MULTILINE)
        self.assertEqual(self.audited(DUMP, "--lfts", self.put(theirs, "ft2.fdbs")), self.audited(DUMP, "--lfts", self.put(text, "ft2.fdbs")))
        self.refused("audit", DUMP, "--lfts", self.put(theirs.replace("PLFT_NUM: 0", "PLFT_NUM: 1", 1), "ft2.fdbs"), says=("ft2.fdbs:3:1", "PLFT_NUM: 0"))
        self.refused("topo", self.put(theirs), says="forwarding tables")
        ring, lfts = OPENSM.parent / "fabrics" / "ring5.net", self.tmp / "ring5.lft"
        self.ok("route", ring, "--routing", "updown", "--format", "lft", "-o", lfts)
        dump, lines, guid = re.sub(r"^([13]\s+\d+\s*: )0 ", r"\g<1>1 ", (OPENSM / "ring5.opensm-sl2vl.dump").read_text(), flags=re.MULTILINE), [], None
        for line in dump.splitlines():
            head, row = re.match(r"(?:Switch|Channel Adapter) (0x\w+)", line), re.match(r"(\d+)\s+(\d+)\s*: (.*)", line)
            guid = head.group(1) if head else guid
            if row:
                vls = [int(vl) for vl in row.group(3).split()]
                lines.append(f"{guid} {row.group(1)} {row.group(2)} " + " ".join(f"0x{a:x}{b:x}" for a, b in zip(vls[::2], vls[1::2])))
        theirs = "\n".join(lines) + "\n"
        self.assertGreater(len(lines), 20)
        maps = [self.audited(ring, "--lfts", lfts, "--sl2vl", self.put(form, "ring5.slvl")) for form in (theirs, dump)]
        self.assertEqual(*maps)
        self.assertNotEqual(maps[0], self.audited(ring, "--lfts", lfts))
        for new, says in ((lines[0].rsplit(" ", 1)[0], "service level 14"), (lines[0].replace(" 0x", " 0x1", 1), "service level 0"), (lines[0] + " 0x00", "end of the line"), (re.sub(r" \d+ ", " 77 ", lines[0], count=1), "a port")):
            self.refused("audit", ring, "--lfts", lfts, "--sl2vl", self.put("\n".join([new] + lines[1:]), "ring5.slvl"), says=("ring5.slvl:1:", says))


if __name__ == "__main__":
    unittest.main()
