"""ikat audit on fabrics that are cabled wrongly: what was changed in a dump is found, no more, and the work it names mends it."""
import random
import re
import unittest

from harness import SOURCE, CliTest, run

CLUSTER = SOURCE / "data/cluster96.ibnetdiscover"
OPENSM = SOURCE / "tests/data/opensm"


class Dump:
    """A dump as a set of cables between (GUID, port) ends."""

    def __init__(self, path):
        self.lines = path.read_text().splitlines()
        self.ends, self.remarks, node = {}, {}, None
        for number, line in enumerate(self.lines):
            head = re.match(r'(?:Switch|Ca)\s+\d+ "(.-\w+)"', line)
            node = head.group(1) if head else node
            port = re.match(r'\[(\d+)\](?:\(\w+\) )?\s*"(.-\w+)"\[(\d+)\](?:\(\w+\))?', line)
            if port:
                self.ends[node, int(port.group(1))] = (number, (port.group(2), int(port.group(3))))
                self.remarks.setdefault(port.group(2), line.partition("#")[2])

    def cables(self):
        """Each cable between switches once."""
        return sorted((a, b) for a, (_, b) in self.ends.items() if a < b and a[0][0] == b[0][0] == "S")

    def connect(self, a, b):
        for end, far in ((a, b), (b, a)):
            number, _ = self.ends[end]
            self.lines[number] = f'[{end[1]}]\t"{far[0]}"[{far[1]}]\t\t#{self.remarks[far[0]]}'
            self.ends[end] = (number, far)

    def kill(self, switch):
        """Takes a switch away with its hosts, as if they had no power."""
        gone = {switch} | {far[0] for (node, _), (_, far) in self.ends.items() if node == switch and far[0][0] == "H"}
        node = None
        for number, line in enumerate(self.lines):
            head = re.match(r'(?:Switch|Ca)\s+\d+ "(.-\w+)"', line)
            node = head.group(1) if head else node
            if node in gone or any(f'"{name}"' in line for name in gone):
                self.lines[number] = ""

    def cut(self, a):
        far = self.ends[a][1]
        for end in (a, far):
            self.lines[self.ends.pop(end)[0]] = ""

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n")
        return path


class Cabling(CliTest):
    def audit(self, path, *args, status=None):
        return self.json("audit", path, "--routing", "none", *args, status=status)

    def of(self, found, *codes):
        return [f for f in found["findings"] if f["code"] in codes]

    def test_right_ones(self):
        o = self.audit(CLUSTER, status=0)
        self.assertEqual((o["cabling"]["family"], o["cabling"]["exact"]), ("pgft:m=24:4,w=1:2,p=1:6", True))
        self.assertEqual(self.of(o, "miscabled", "missing-cable", "extra-cable", "other-port"), [])
        for spec, family in (("torus:dims=4:4:4", "torus:dims=4:4:4,p=1"), ("dragonfly:h=2", "dragonfly:h=2,a=4,p=2,g=9,")):
            self.assertTrue(self.audit(spec, status=0)["cabling"]["family"].startswith(family))

    def test_leaf_switches_without_hosts(self):
        """A tree that is populated in part, read from a dump, is as sound as a full one; dmodc routes it."""
        for spec, levels in (("xgft:m=4:4:4,w=1:4:4,hosts=48", 3), ("rlft:ports=8,levels=3,hosts=90", 3), ("xgft:m=6:8,w=1:4,hosts=30", 2)):
            with self.subTest(spec=spec):
                path = self.tmp / "partly.ibnetdiscover"
                self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path)
                o = self.audit(path, status=0)
                self.assertEqual((o["levels"], o["warnings"]), (levels, 0), o["findings"])
                self.ok("check", path, "-r", "dmodc")

    def test_a_management_group(self):
        """A leaf switch with two cables to one spine is none of the family; a server on a spine is a note. No sound cable is called wrong."""
        path = self.tmp / "tree.edges"
        links = [(leaf, 12 + spine) for leaf in range(12) for spine in range(6)]
        links += [(18, 12)] * 2 + [(f"h{host}", host // 6) for host in range(72)] + [("h72", 18), ("h73", 18), ("h74", 13)]
        path.write_text("".join(f"{a} {b}\n" for a, b in links))
        o = self.audit(path, status=0)
        self.assertEqual((o["levels"], len(self.of(o, "unknown-switch"))), (2, 1), o["findings"])
        self.assertEqual([f["severity"] for f in self.of(o, "upper-host")], ["note"])
        self.assertEqual(self.of(o, "miscabled", "missing-cable", "extra-cable"), [])

    def test_a_dead_switch_is_missed(self):
        """A switch without power and its hosts are in no dump; without a plan the cables of the others tell. Intact fabrics have no finding."""
        for spec in ("torus:dims=5:5", "slimfly:q=5", "dragonfly:h=2", "hyperx:dims=4:4", "dragonflyplus:h=2", "mlfm:h=3", "mlfm:h=4,l=6,p=2", "polarfly:q=5", "jellyfish:N=40,d=5,p=3"):
            with self.subTest(spec=spec):
                path = self.tmp / "dead.ibnetdiscover"
                self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path)
                self.assertEqual(self.audit(path, status=0)["warnings"], 0)
                if spec.startswith("polarfly"):
                    continue  # some of its switches have fewer cables as built
                switches = [a for a in dict.fromkeys(a[0] for a in Dump(path).ends) if a[0] == "S"]
                for switch in random.Random(1).sample(switches, 3):
                    dump = Dump(path)
                    dump.kill(switch)
                    o = self.audit(dump.write(self.tmp / "killed.ibnetdiscover"))
                    self.assertGreater(len(self.of(o, "missing-switch", "missing-cable")), 0, (switch, o["findings"]))
                    leaf = any(far[0][0] == "H" for (node, _), (_, far) in Dump(path).ends.items() if node == switch)
                    self.assertTrue(self.of(o, "missing-switch") or not leaf, (spec, switch))

    def test_sound_fabrics(self):
        """What is built as a family says, hosts everywhere or in part, has nothing missing or odd: nor has what is cabled at random."""
        specs = [f"jellyfish:N={size},p=2,seed={seed}" for size in ("8,d=3", "12,d=5", "16,d=4", "16,d=5", "20,d=6", "32,d=6") for seed in range(1, 26)]
        for family in self.json("list", "topologies")["topologies"]:
            for spec in family["examples"] if family["name"] != "file" else []:
                fabric = self.json("topo", spec)
                if fabric["switches"] <= 400 and not spec.startswith("crossbar"):
                    specs += [spec] + [f"{spec},hosts={fabric['hosts'] * share // 100}" for share in (90, 60, 30) if fabric["hosts"] > 9 and ":" in spec and "hosts=" not in spec]
        specs += ["polarfly:q=7,hosts=30", "oft:k=5,hosts=60"]
        path = self.tmp / "sound.ibnetdiscover"
        read = 0
        for spec in specs:
            with self.subTest(spec=spec):
                made = run("topo", spec, "--format", "ibnetdiscover", "-o", path)
                if made.returncode == 0:  # some take no hosts=
                    found = self.audit(path)
                    self.assertEqual(self.of(found, "missing-switch", "missing-cable", "odd-cable", "name-gap"), [])
                read += made.returncode == 0
        self.assertGreater(read, 300)

    def test_a_number_that_is_left_out(self):
        """Names that number a row say which switch is not there; a row with many gaps says nothing."""
        for missing, found in (([7], ["sw7"]), ([], []), ([3, 5, 9, 11, 12, 14], [])):
            path = self.tmp / "row.edges"
            self.ok("topo", "jellyfish:N=24,d=5,p=3", "--format", "ibnetdiscover", "-o", self.tmp / "row.ibnetdiscover")
            dump = Dump(self.tmp / "row.ibnetdiscover")
            names = {remark.split('"')[1]: guid for guid, remark in dump.remarks.items() if guid[0] == "S"}
            for number in missing:
                dump.kill(names[f"sw{number}"])
            gaps = self.of(self.audit(dump.write(path.with_suffix(".ibnetdiscover"))), "name-gap")
            self.assertEqual([re.search(r"without (\S+):", f["text"])[1] for f in gaps], found)

    def test_swapped_cables_without_a_plan(self):
        """Of a family that is not recognised: a cable in few short cycles between two switches that lack one in many."""
        path = self.tmp / "groups.ibnetdiscover"
        for spec in ("dragonflyplus:h=3", "dragonflyplus:h=4"):
            self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path)
            self.assertEqual(self.of(self.audit(path, status=0), "odd-cable"), [])
            found = 0
            for seed in range(8):
                dump = Dump(path)
                (a, b), (c, d) = random.Random(seed).sample(dump.cables(), 2)
                dump.connect(a, d)
                dump.connect(b, c)
                odd = self.of(self.audit(dump.write(self.tmp / "swapped.ibnetdiscover")), "odd-cable")
                names = {end[0]: dump.remarks[end[0]].split('"')[1] for end in (a, b, c, d)}
                swapped = [{names[a[0]], names[d[0]]}, {names[b[0]], names[c[0]]}]
                for finding in odd:
                    self.assertIn(set(re.findall(r"from (\S+) .* to (\S+) \(", finding["text"])[0]), swapped, f"{spec}, {seed}")
                found += bool(odd)
            self.assertGreaterEqual(found, 2)

    def test_swapped_cables_of_a_plan(self):
        """Any two cables of the cluster: one finding with all four ends, an error unless only ports of the same switches change places."""
        rng = random.Random(1)
        for _ in range(6):
            dump = Dump(CLUSTER)
            (a, b), (c, d) = rng.sample(dump.cables(), 2)
            dump.connect(a, d)
            dump.connect(c, b)
            path = dump.write(self.tmp / "swapped.ibnetdiscover")
            o = self.audit(path, "--plan", CLUSTER)
            (finding,) = self.of(o, "miscabled", "other-port", "missing-cable", "extra-cable")
            self.assertIn("two cables are swapped", finding["text"])
            for guid, port in (a, b, c, d):
                self.assertIn(f"(0x{guid[2:]}) port {port}", finding["text"])
            apart = a[0] != c[0] and b[0] != d[0]
            self.assertEqual((finding["code"], finding["severity"]), ("miscabled", "error") if apart else ("other-port", "warning"))
            (change,) = o["cabling"]["changes"]
            self.assertEqual(change["work"], "swap")
            # without a plan it is seen if the switches that are joined change
            self.assertEqual(self.audit(path)["cabling"]["exact"], not apart)

    def test_moved_and_missing_cables(self):
        plan = OPENSM / "ft2_8p.ibnetdiscover"
        dump = Dump(plan)
        cables = dump.cables()
        dump.cut(cables[0][0])
        o = self.audit(dump.write(self.tmp / "cut.ibnetdiscover"), status=0)
        self.assertEqual(o["cabling"]["summary"], "the fabric is cabled like rlft:ports=8,levels=2 with 1 cable missing")
        self.assertEqual(len(self.of(o, "missing-cable")), 1)
        # the cable of one spine goes to a port that another one lost
        (leaf, spine), = [c for c in cables if c[0] == cables[0][0]]
        other = next(c for c in cables if c[0][0] != leaf[0] and c[1][0] != spine[0])
        dump = Dump(plan)
        number = dump.ends[spine][0]
        dump.cut(other[0])
        dump.ends[other[1]] = (number, None)
        del dump.ends[spine]
        dump.lines[number] = ""
        far = next(i for i, l in enumerate(dump.lines) if re.match(r'Switch\s+\d+ "' + other[1][0], l))
        dump.lines.insert(far + 1, f'[{other[1][1]}]\t"{leaf[0]}"[{leaf[1]}]\t\t# "x" lid 0 4xQDR')
        for i, line in enumerate(dump.lines):
            if re.match(rf'\[{leaf[1]}\]\s+"{spine[0]}"\[{spine[1]}\]', line):
                dump.lines[i] = f'[{leaf[1]}]\t"{other[1][0]}"[{other[1][1]}]\t\t# "x" lid 0 4xQDR'
        o = self.audit(dump.write(self.tmp / "moved.ibnetdiscover"), "--plan", plan, status=1)
        (finding,) = self.of(o, "miscabled")
        self.assertRegex(finding["text"], rf"0x{leaf[0][2:]}\) port {leaf[1]} .*move the cable .*0x{other[1][0][2:]}\) port {other[1][1]} to .*0x{spine[0][2:]}\) port {spine[1]}")
        self.assertEqual(len(self.of(o, "missing-cable")), 1)

    def test_plan_is_a_specification(self):
        o = self.audit(OPENSM / "ft2_8p.ibnetdiscover", "--plan", "rlft:ports=8,levels=2", status=0)
        self.assertTrue(o["cabling"]["exact"])
        self.assertFalse(o["cabling"]["by_ports"])
        o = self.audit(OPENSM / "ft2_8p.ibnetdiscover", "--plan", "rlft:ports=8,levels=3", status=None)
        self.assertFalse(o["cabling"]["exact"])
        self.assertEqual(o["cabling"]["missing_switches"], 80 - 12)
        self.refused("audit", CLUSTER, "--plan", "no-such-plan.net", says="no-such-plan.net")

    def test_small_irregular_fabrics(self):
        """A random graph of ten switches is two cables away from a dragonfly: it is of no family, and what it resembles is told."""
        for spec in ("10,d=4,p=2,seed=0", "10,d=7,p=2,seed=2"):
            o = self.audit(f"jellyfish:N={spec}", status=0)
            self.assertEqual((o["cabling"]["wrong"], o["cabling"]["family"], o["cabling"]["changes"], o["warnings"]), (0, None, [], 0))
            (finding,) = self.of(o, "family")
            self.assertEqual(finding["severity"], "note")
            self.assertIn("it resembles dragonfly:", finding["text"])

    def test_one_damage_is_one(self):
        """One cable that is missing, and two that are swapped, in families whose switches are not all alike: no more is said to be wrong."""
        for spec in ("dragonfly:h=2,arrangement=absolute", "dragonfly:h=3", "rlft:ports=4,levels=5", "rlft:ports=6,levels=4", "karytree:k=2,n=6"):
            path = self.tmp / "whole.ibnetdiscover"
            self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path)
            for seed in range(2):
                dump = Dump(path)
                (a, b), (c, d) = random.Random(seed).sample(dump.cables(), 2)
                dump.cut(a)
                found = self.audit(dump.write(self.tmp / "cut.ibnetdiscover"), status=0)
                self.assertEqual((found["cabling"]["missing"], found["cabling"]["wrong"]), (1, 0), (spec, seed, found["cabling"]["summary"]))
                dump = Dump(path)
                dump.connect(a, d)
                dump.connect(b, c)
                found = self.audit(dump.write(self.tmp / "swapped.ibnetdiscover"))
                self.assertLessEqual(len(self.of(found, "miscabled", "extra-cable", "missing-cable")), 2, (spec, seed, found["cabling"]["summary"]))
                self.assertGreater(len(self.of(found, "miscabled", "extra-cable", "missing-cable")), 0, (spec, seed))

    def test_gaps_in_names_of_a_whole_family(self):
        """Where no switch of a family is missing, a number that was never given is none either; another fault changes nothing."""
        path = self.tmp / "tree.ibnetdiscover"
        self.ok("topo", "rlft:ports=8,levels=2", "--format", "ibnetdiscover", "-o", path)
        dump = Dump(path)
        dump.lines = [line.replace('"sw3"', '"sw40"') for line in dump.lines]
        dump.cut(dump.cables()[0][0])
        found = self.audit(dump.write(path), status=0)
        self.assertEqual((len(self.of(found, "name-gap")), len(self.of(found, "missing-cable"))), (0, 1))

    def test_lid_matrix(self):
        dump = OPENSM / "ft2_8p.ibnetdiscover"
        self.assertEqual(self.of(self.audit(dump, "--lid-matrix", OPENSM / "ft2_8p.opensm-lid-matrix.dump"), "lid-matrix"), [])
        cut = Dump(dump)
        cut.cut(cut.cables()[0][0])
        (finding,) = self.of(self.audit(cut.write(self.tmp / "cut.ibnetdiscover"), "--lid-matrix", OPENSM / "ft2_8p.opensm-lid-matrix.dump"), "lid-matrix")
        self.assertIn("2 of 144 numbers of hops", finding["text"])
        self.refused("audit", CLUSTER, "--lid-matrix", OPENSM / "ft2_8p.opensm-lid-matrix.dump", says="is not a switch")

    def test_names_and_lids_of_other_files(self):
        """A dump made before a subnet manager ran, with what OpenSM remembers, is the dump made afterwards."""
        text = (OPENSM / "ft2_8p.ibnetdiscover").read_text()
        path = self.tmp / "before.ibnetdiscover"
        path.write_text(re.sub(r"\blid \d+", "lid 0", text))
        with_lids = f"file:path={path},guid2lid={OPENSM}/ft2_8p.guid2lid"
        self.assertEqual(self.audit(path)["lids_missing"], 44)
        o = self.audit(with_lids, "--lfts", OPENSM / "ft2_8p.opensm-lfts.dump")
        self.assertEqual((o["lids_missing"], o["tables"]["unknown_lids"]), (0, 0))
        self.assertEqual(o["installed"]["delivered"], o["installed"]["pairs"])
        o = self.audit(path, "--guid2lid", OPENSM / "ft2_8p.guid2lid", "--names", OPENSM / "ft2_8p.names", "--lfts", OPENSM / "ft2_8p.opensm-lfts.dump")
        self.assertEqual((o["lids_missing"], o["installed"]["delivered"]), (0, o["installed"]["pairs"]))
        self.refused("audit", path, "--guid2lid", OPENSM / "ft2_8p.names", says=["ft2_8p.names:2", "LID"])
        self.refused("audit", path, "--names", OPENSM / "ft2_8p.roots", says=["ft2_8p.roots:1", "name"])
        named = f"file:path={OPENSM}/ft2_8p.ibnetdiscover,names={OPENSM}/ft2_8p.names"
        dump = Dump(OPENSM / "ft2_8p.ibnetdiscover")
        dump.cut(next(a if a[0] == "S-0002c90200000001" else b for a, b in dump.cables() if "S-0002c90200000001" in (a[0], b[0])))
        cut = dump.write(self.tmp / "cut.ibnetdiscover")
        o = self.audit(f"file:path={cut},names={OPENSM}/ft2_8p.names", "--plan", named)
        self.assertIn("rack1 leaf (0x0002c90200000001)", self.of(o, "missing-cable")[0]["text"])


if __name__ == "__main__":
    unittest.main()
