"""Tables by LID on the command line: several LIDs per port, what does not fit, every LID in what is written."""
import gzip
import json
import random
import re
import unittest

from harness import SOURCE, CliTest, run

N = 5
DUMPS = SOURCE / "tests/data/opensm"


def ring(lmc, lids=True):
    """A ring of five switches with a host each as ibnetdiscover prints it."""
    lid = (lambda number: number) if lids else (lambda number: 0)
    text = []
    for s in range(N):
        after, before = (s + 1) % N, (s - 1) % N
        text.append(f'switchguid=0x{0x10 + s:x}({0x10 + s:x})\nSwitch\t3 "S-{0x10 + s:016x}"\t# "sw{s}" base port 0 lid {lid(s + 1)} lmc 0\n'
                    f'[1]\t"H-{0x100 + 16 * s:016x}"[1]({0x101 + 16 * s:x}) \t# "h{s}" lid {lid(16 + 2 * s)} 4xEDR\n'
                    f'[2]\t"S-{0x10 + after:016x}"[3]\t# "sw{after}" lid {lid(after + 1)} 4xEDR\n'
                    f'[3]\t"S-{0x10 + before:016x}"[2]\t# "sw{before}" lid {lid(before + 1)} 4xEDR\n\n'
                    f'caguid=0x{0x100 + 16 * s:x}\nCa\t1 "H-{0x100 + 16 * s:016x}"\t# "h{s}"\n'
                    f'[1]({0x101 + 16 * s:x}) \t"S-{0x10 + s:016x}"[1]\t# lid {lid(16 + 2 * s)} lmc {lmc} "sw{s}" lid {lid(s + 1)} 4xEDR\n\n')
    return "".join(text)


def tables(*rules, shift=0):
    """OpenSM's dump; rules[k](switch, host): port for LID base + k; shift: of the port GUIDs."""
    lines = []
    for s in range(N):
        lines.append(f"Unicast lids [0-25] of switch Lid {s + 1} guid 0x{0x10 + s:016x} ('sw{s}'):")
        for d in range(N):
            for k, rule in enumerate(rules):
                port = 1 if s == d else rule(s, d)
                lines.append(f"0x{16 + 2 * d + k:04x} {port:03d} # Channel Adapter portguid 0x{0x101 + 16 * d + shift:016x}: 'h{d}'")
    return "\n".join(lines) + "\n"


def clockwise(_switch, _host):
    return 2


def along_line(switch, host):
    return 2 if switch < host else 3


class LidTables(CliTest):
    def fabric(self, **kwargs):
        path = self.tmp / "ring.ibnetdiscover"
        path.write_text(ring(**kwargs))
        return path

    def table(self, text, name="t.lfts"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def rows(self, fabric):
        """Entries for hosts, switch by switch, as the routing has them and as they are written."""
        written = []
        for line in self.ok("route", fabric, "-r", "dmodc", "--format", "lft", "-q").splitlines():
            if line.startswith("Unicast lids"):
                written.append([])
            elif "Channel Adapter" in line:
                written[-1].append(line.split()[1])
        return json.loads(self.ok("route", fabric, "-r", "dmodc", "--format", "json", "-q"))["tables"], written

    def test_a_lost_cable_changes_no_more_entries_than_those_of_the_routing(self):
        """Entries that no pair's packets come by are those of the routing, too, wherever it has one."""
        cuts = {"rlft:ports=8,levels=3": ["sw5.6", "sw0.7", "sw40.6"], "rlft:ports=6,levels=3": ["sw3.4", "sw20.5"], "karytree:k=3,n=3": ["sw2.4", "sw10.4"],
                "xgft:m=4:4:4,w=1:4:4": ["sw2.5"], "rlft:ports=12,levels=2": ["sw2.7"], "pgft:m=4:4,w=1:2,p=1:2": ["sw1.5"]}
        for fabric, failed in cuts.items():
            before = self.rows(fabric)
            for cable in failed:
                after = self.rows(f"{fabric},fail={cable}")
                own, written = (sum(x != y for a, b in zip(*rows) for x, y in zip(a, b)) for rows in zip(before, after))
                self.assertLessEqual(written, own, (fabric, cable))
                self.assertGreater(written, 0)

    def test_every_lid_of_a_port_is_judged(self):
        """A cyclic base LID beside a sound second one, and the other way round, is a deadlock."""
        fabric = self.fabric(lmc=1)
        for rules, status in (((clockwise, along_line), 1), ((along_line, clockwise), 1), ((along_line, along_line), 0)):
            path = self.table(tables(*rules))
            proof = self.json("check", fabric, "-r", f"lft:path={path}", status=status)
            self.assertEqual(proof["deadlock_free"], status == 0)
            self.assertTrue(proof["delivered"])
            # A path that is lost on one LID alone is lost.
            lost = self.table(re.sub(r"^0x0013 \d+", "0x0013 255", path.read_text(), flags=re.M), "lost.lfts")
            self.assertFalse(self.json("check", fabric, "-r", f"lft:path={lost}", status=1)["delivered"])
            # A switch has an entry for each of them.
            self.assertEqual(self.json("route", fabric, "-r", f"lft:path={path}")["tables"]["entries_max"], 2 * N)
            # They are written as they were read.
            written = self.ok("route", fabric, "-r", f"lft:path={path}", "--format", "lft", "--unproved")
            entries = [line for line in written.splitlines() if line.startswith("0x") and "Channel" in line]
            self.assertEqual(entries, [line for line in path.read_text().splitlines() if line.startswith("0x")])

    def test_lmc_of_ports_comes_back(self):
        fabric = self.fabric(lmc=1)
        again, graph = self.tmp / "again.ibnetdiscover", self.tmp / "ring.json"
        self.ok("topo", fabric, "--format", "ibnetdiscover", "-o", again)
        self.assertEqual(again.read_text().count(" lmc 1 "), N)
        self.ok("topo", again, "--format", "json", "-o", graph)
        self.assertEqual(graph.read_text().count('"lmc": 1'), N)
        self.ok("topo", graph, "--format", "ibnetdiscover", "-o", self.tmp / "third")
        self.assertEqual((self.tmp / "third").read_text(), again.read_text())

    def test_what_does_not_fit_is_said(self):
        fabric = self.fabric(lmc=0)
        path = self.table(tables(along_line))
        for command in ("check", "route", "load"):
            done = run(command, fabric, "-r", f"lft:path={path}")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotIn("note", self.json(command, fabric, "-r", f"lft:path={path}"))
        moved = self.table(tables(along_line, shift=7), "moved.lfts")
        for command in ("check", "route", "load"):
            says = "25 entries have a port GUID that the fabric does not have and are taken by their LID"
            self.assertIn(says, run(command, fabric, "-r", f"lft:path={moved}").stderr)
            self.assertIn(says, self.json(command, fabric, "-r", f"lft:path={moved}")["note"])
        # The LIDs that ikat gives say nothing of ports that have GUIDs.
        self.refused("check", self.fabric(lmc=0, lids=False), "-r", f"lft:path={moved}", says=["it is unknown for which of the 5 hosts an entry is"])

    def test_tables_of_another_fabric_are_refused(self):
        path = self.table(tables(along_line))
        self.refused("check", "ring:n=5", "-r", f"lft:path={path}", says=["none of the 5 switches", "another fabric"])

    def test_neither_lids_nor_guids(self):
        """LIDs that ikat gave are none of a subnet manager's: tables that name LIDs alone fit no fabric without LIDs."""
        dump = self.tmp / "ring.ibnetdiscover"
        dump.write_text((DUMPS / "ft2_8p.ibnetdiscover").read_text())
        fdbs = DUMPS / "ft2_8p.opensm.fdbs"
        self.json("audit", dump, "--lfts", fdbs, "--routing", "none", status=0)
        dump.write_text(re.sub(r"\blid \d+", "lid 0", dump.read_text()))
        self.refused("audit", dump, "--lfts", fdbs, "--routing", "none", says=["no LIDs", "guid2lid"])
        found = self.json("audit", dump, "--guid2lid", DUMPS / "ft2_8p.guid2lid", "--lfts", fdbs, "--routing", "none", status=0)
        self.assertEqual(found["tables"]["by_lid"], 528)

    def test_three_texts_of_opensm(self):
        """The dump, plain and packed, and opensm.fdbs of one run."""
        fabric, written = DUMPS / "ft2_8p.ibnetdiscover", []
        packed = self.tmp / "t.gz"
        packed.write_bytes(gzip.compress((DUMPS / "ft2_8p.opensm-lfts.dump").read_bytes()))
        for path in (DUMPS / "ft2_8p.opensm-lfts.dump", DUMPS / "ft2_8p.opensm.fdbs", packed):
            written.append(self.ok("route", fabric, "-r", f"lft:path={path}", "--format", "lft"))
        self.assertEqual(written[0], written[1])
        self.assertEqual(written[0], written[2])
        # Entry by entry as OpenSM dumped them, switches' LIDs too.
        text = (DUMPS / "ft2_8p.opensm-lfts.dump").read_text()
        blocks = re.split(r"^Unicast lids .* guid (0x\w+).*$", text, flags=re.M)[1:]
        ours = re.split(r"^Unicast lids .* guid (0x\w+).*$", written[0], flags=re.M)[1:]
        rows = [{guid: re.findall(r"^(0x\w+) (\d+)", block, flags=re.M) for guid, block in zip(b[::2], b[1::2])} for b in (blocks, ours)]
        self.assertEqual(len(rows[0]), 12)
        self.assertEqual(rows[0], rows[1])
        for name in ("ft2_8p.opensm.fdbs", "ft2_8p.dump_fts"):
            self.refused("topo", DUMPS / name, says=["forwarding tables", "not a fabric"])

    def test_every_lid_is_written(self):
        text = self.ok("route", "data/cluster96.ibnetdiscover", "-r", "dmodc", "--format", "lft")
        blocks = text.split("Unicast lids")[1:]
        self.assertEqual([len(re.findall("^0x", block, flags=re.M)) for block in blocks], [102] * 6)
        path = self.table(text)
        self.assertEqual(self.ok("route", "data/cluster96.ibnetdiscover", "-r", f"lft:path={path}", "--format", "lft"), text)

    def test_port_numbers(self):
        """Dumps number ports as tables do: ports 17 and 18 of a switch with four ports."""
        path = self.tmp / "labels.json"
        self.ok("topo", "crossbar:n=2", "-o", path)
        fabric = json.loads(path.read_text())
        fabric["switches"][0].update(ports=4, labels=[[0, 17], [1, 18]])
        path.write_text(json.dumps(fabric))
        table = self.table(self.ok("route", path, "-r", "updown", "--format", "lft"))
        self.assertRegex(table.read_text(), r"(?m)^0x\w+ 017 ")
        for name, says in (("labels.ibnetdiscover", "[18]"), ("labels.lst", "Ports:12 ")):
            self.ok("topo", path, "-o", self.tmp / name)
            self.assertIn(says, (self.tmp / name).read_text())
            self.ok("check", self.tmp / name, "-r", f"lft:path={table}")
        fabric["switches"][0]["labels"] = [[0, 18], [1, 18]]
        path.write_text(json.dumps(fabric))
        self.refused("topo", path, "-o", self.tmp / "twice.ibnetdiscover", says=["two cabled ports have this number"])

    def test_repeated_lines_in_large_files(self):
        """Lines that were there before are compared and not scanned, but for those that end in CR and LF: both ways read the same, also where the
        buffer of the reader ends within a block."""
        fabric, plain, scanned = self.tmp / "f.net", self.tmp / "plain.lft", self.tmp / "scanned.lft"
        self.ok("topo", "rlft:ports=10,levels=3", "--format", "ibnetdiscover", "-o", fabric, status=None)
        lines = self.ok("route", fabric, "-r", "dmodc", "--format", "lft", "-q").splitlines()
        self.assertGreater(sum(map(len, lines)), 2 << 20)
        draw = random.Random(1)
        for at in draw.sample([i for i, line in enumerate(lines) if line.startswith("0x")], 400):
            lines[at] = draw.choice((lines[at][:7] + f"{draw.randrange(1, 11):03d}" + lines[at][10:], "# " + lines[at], lines[at][:7] + "255" + lines[at][10:]))
        plain.write_text("\n".join(lines) + "\n", newline="")
        scanned.write_text("\r\n".join(lines) + "\r\n", newline="")
        tables = [self.ok("route", fabric, "-r", f"lft:path={path}", "--format", "lft", "--unproved", "-q") for path in (plain, scanned)]
        self.assertEqual(*tables)
        self.assertEqual(tables[0].count(" portguid "), sum(line.startswith("0x") and line[7:10] != "255" for line in lines))


if __name__ == "__main__":
    unittest.main()
