"""`ikat route`: statistics, formats, differences."""
import json
import re
import unittest

from harness import SOURCE, CliTest, run

TABLE = json.loads((SOURCE / "tests/data/topology/t6_table1.json").read_text())
# name of a channel class in the expected values -> (direction, level of the lower end)
CLASSES = {"EU": ("injection", 0), "S1U": ("up", 1), "S2U": ("up", 2), "S3D": ("down", 2), "S2D": ("down", 1), "S1D": ("ejection", 0)}


def restricted(row):
    """The routing of a row like '1S,K/D|D=2|digit', None for readings that are no parameter."""
    kind, delta, reading = row.split("|")
    if reading != "digit":
        return None
    if kind == "dmodk":
        return "dmodk"
    options = []
    if kind[0] in "12":
        options.append(f"stages={kind[0]}")
    if delta != "D=1":
        options.append(f"delta={delta[2:]}")
    return "adaptive_tree" + (":" + ",".join(options) if options else "")


class Route(CliTest):
    def groups(self, stats, key):
        return {(group["direction"], group["level"]): group for group in stats[key]}

    def test_destinations_per_port_of_restricted_adaptive_routing(self):
        rows = 0
        for tree, table in TABLE.items():
            size = re.fullmatch(r"K(\d+)_N(\d+)", tree)
            k, hosts = map(int, size.groups()) if size else (0, 0)
            if not 0 < hosts < 500:
                continue
            for row, expected in table.items():
                routing = restricted(row)
                if routing is None:
                    continue
                with self.subTest(tree=tree, row=row):
                    stats = self.json("route", f"rlft:ports={2 * k},levels=3", "-r", routing)
                    self.assertEqual(stats["hosts"], hosts)
                    groups = self.groups(stats, "destinations_per_channel")
                    for name, counts in expected["enumerated_{count:ports}"].items():
                        bins = groups[CLASSES[name]]["bins"]
                        self.assertEqual({int(low): ports for low, _, ports in bins}, {int(n): ports for n, ports in counts.items()}, name)
                    rows += 1
        self.assertGreater(rows, 8)

    def test_paths_per_channel(self):
        groups = self.groups(self.json("route", "karytree:k=2,n=4", "-r", "dmodk"), "paths_per_channel")
        self.assertEqual([groups["up", level]["max"] for level in (1, 2, 3)], [14, 12, 8])
        self.assertEqual([groups["up", level]["min"] for level in (1, 2, 3)], [14, 12, 8])

    def test_table_sizes(self):
        self.assertEqual(self.json("route", "karytree:k=2,n=3", "-r", "dmodk")["tables"], {"form": "computed"})
        tables = self.json("route", "ring:n=5", "-r", "updown")["tables"]
        self.assertEqual(tables["entries_total"], 25)
        self.assertEqual(tables["entry_bits"], 2)
        self.assertEqual(tables["bytes_max"], 2)
        compact = self.json("route", "lrt:N=64,d=4,r=2,seed=3", "-r", "loren:t_max=32")["tables"]
        self.assertEqual(compact["form"], "compact tables")
        self.assertLessEqual(compact["entries_max"], 32)

    def test_tables_go_out_and_come_back(self):
        table = self.tmp / "ring.lft"
        self.ok("route", "ring:n=7", "-r", "updown", "--format", "lft", "-o", table)
        self.assertEqual(self.ok("route", "ring:n=7", "-r", "updown", "--format", "lft"), table.read_text())
        difference = self.json("route", "ring:n=7", "--diff", "updown", f"lft:path={table}")
        self.assertEqual((difference["moved"], difference["lost"], difference["changed_entries"]), (0, 0, 0))

    def test_tables_that_no_subnet_manager_loads_are_refused(self):
        self.ok("route", "crossbar:n=254", "-r", "updown", "--format", "lft")
        self.refused("route", "crossbar:n=255", "-r", "updown", "--format", "lft", says=["sw0 has a port 255", "254"])
        fabric = self.tmp / "ring.json"
        self.ok("topo", "ring:n=3", "-o", fabric)
        plain = json.loads(fabric.read_text())
        del plain["family"], plain["spec"]
        for lids, says in [((5, 5, 7), ["host0 and host1 have the same LID, 5"]), ((1, 2, 49152), ["host2 has LID 49152", "49151"])]:
            for host, lid in zip(plain["hosts"], lids):
                host["lid"] = lid
            fabric.write_text(json.dumps(plain))
            self.refused("route", fabric, "-r", "updown", "--format", "lft", says=says)

    def test_tables_carry_one_lane(self):
        """What needs VCs cannot be written as tables without a word, whichever routing: the verdict is that of check with 1q."""
        known = [member["name"] for member in self.json("list", "routings")["routings"]]
        refused = written = 0
        for fabric in ("torus:dims=4:4", "ring:n=5", "karytree:k=2,n=3", "slimfly:q=5"):
            for routing in known:
                one = run("check", fabric, "-r", routing, "--vc", "1q", "--vcs", "1", "--json")
                table = self.tmp / "out.lft"
                done = run("route", fabric, "-r", routing, "--format", "lft", "-o", table)
                if one.returncode == 2:
                    self.assertEqual(done.returncode, 2)
                elif not json.loads(one.stdout)["deadlock_free"]:
                    self.assertEqual(done.returncode, 2, f"{fabric} {routing}")
                    self.assertFalse(table.exists())
                    if "can deadlock" in done.stderr:
                        refused += 1
                        self.assertIn("--unproved", done.stderr)
                elif done.returncode == 0:
                    written += 1
                    self.assertNotIn("UNPROVED", table.read_text())
                    table.unlink()
        self.assertGreater(refused, 4)
        self.assertGreater(written, 10)

    def test_unproved_tables_say_so(self):
        arguments = ["torus:dims=4:4", "-r", "dfsssp", "--format", "lft"]
        self.refused("route", *arguments, says=["can deadlock", "one lane", "2 VCs of 'dfsssp'", "--unproved"])
        table = self.tmp / "torus.lft"
        done = run("route", *arguments, "--unproved", "-o", table)
        self.assertEqual(done.returncode, 0)
        self.assertIn("can deadlock", done.stderr)
        first = table.read_text().splitlines()[0]
        self.assertTrue(first.startswith("# UNPROVED") and "one lane" in first and "2 VCs of 'dfsssp'" in first, first)
        # They are read again, and judged for the one lane that they are for.
        proof = self.json("check", "torus:dims=4:4", "-r", f"lft:path={table}", status=1)
        self.assertEqual((proof["deadlock_free"], proof["one_lane"]), (False, True))
        # VCs that are not needed are dropped with a word, those that there are not without.
        done = run("route", "karytree:k=2,n=3", "-r", "dmodk", "--vc", "vftree", "--format", "lft")
        self.assertEqual(done.returncode, 0)
        self.assertIn("VCs of 'vftree' are not in the tables", done.stderr)
        self.assertEqual(run("route", "karytree:k=2,n=3", "-r", "dmodk", "--format", "lft").stderr, "")
        self.refused("route", "karytree:k=2,n=3", "-r", "dmodk", "--unproved", says="--format lft")
        self.refused("route", "karytree:k=2,n=3", "-r", "dmodk", "--unproved", "--format", "json", says="--format lft")

    def test_tables_are_judged_for_one_lane(self):
        table = self.tmp / "ring.lft"
        self.ok("route", "ring:n=7", "-r", "updown", "--format", "lft", "-o", table)
        self.assertIs(self.json("check", "ring:n=7", "-r", f"lft:path={table}")["one_lane"], True)
        self.assertIn("for one lane", self.ok("check", "ring:n=7", "-r", f"lft:path={table}"))
        self.assertIs(self.json("check", "ring:n=7", "-r", f"lft:path={table}", "--vc", "hopclass")["one_lane"], False)
        self.assertNotIn("for one lane", self.ok("check", "ring:n=7", "-r", "updown"))

    def test_lids_of_0_in_tables_are_said(self):
        table = self.tmp / "ring.lft"
        text = self.ok("route", "ring:n=4", "-r", "updown", "--format", "lft")
        table.write_text(text)
        for command in (["check", "ring:n=4", "-r"], ["load", "ring:n=4", "-r"], ["route", "ring:n=4", "-r"]):
            self.assertNotIn("LID 0", run(*command, f"lft:path={table}").stderr)
        host = next(line for line in text.splitlines() if "Channel Adapter" in line)
        lid = host.split()[0]
        zero = "\n".join(line.replace(lid, "0x0000", 1) if line.startswith(lid) else line for line in text.splitlines()) + "\n"
        table.write_text(zero.replace("switch Lid 1 ", "switch Lid 0 "))
        for command in (["check", "ring:n=4", "-r"], ["load", "ring:n=4", "-r"], ["route", "ring:n=4", "-r"]):
            done = run(*command, f"lft:path={table}")
            self.assertEqual(done.returncode, 0)
            self.assertIn("LID 0", done.stderr)
            self.assertIn("1 switch and 4 entries", done.stderr)

    def test_difference(self):
        difference = self.json("route", "karytree:k=2,n=3", "--diff", "dmodk", "smodk")
        self.assertEqual(difference["pairs"], 56)
        self.assertEqual(difference["moved"], 32)
        self.assertEqual((difference["longer"], difference["shorter"], difference["lost"]), (0, 0, 0))
        self.assertEqual(difference["first_pairs"][0], [0, 3])
        turned = self.json("route", "karytree:k=2,n=3", "-r", "smodk", "--diff", "dmodk")
        self.assertEqual((turned["before"], turned["after"], turned["moved"]), ("smodk", "dmodk", 32))
        same = self.json("route", "karytree:k=2,n=3", "--diff", "dmodk", "updown")
        self.assertEqual(same["lost"], 0)

    def test_paths(self):
        lines = [line.split() for line in self.ok("route", "karytree:k=2,n=4", "-r", "dmodk", "--format", "paths").splitlines()
                 if not line.startswith("#")]
        self.assertEqual(len(lines), 16 * 15)
        hops = {(line[0], line[1]): [step.split(".")[0] for step in line[3:]] for line in lines}
        self.assertEqual(hops["1", "4"], ["0", "8", "16", "10", "2"])
        paths = json.loads(self.ok("route", "karytree:k=2,n=2", "-r", "smodk", "--format", "json"))["paths"]
        self.assertEqual(len(paths), 12)
        self.assertTrue(all(path["delivered"] for path in paths))

    def test_path_of_a_pair(self):
        """By name, GUID and number; what it prints is what --format paths writes for the pair, and the rate is that of each cable."""
        cluster = SOURCE / "data/cluster96.ibnetdiscover"
        said = self.json("route", cluster, "-r", "dmodc", "--path", "host0", "host95")
        self.assertEqual((said["routing"], said["states"], said["delivered"], len(said["path"])), ("dmodc", 1, True, 4))
        first, last = said["path"][0]["from"], said["path"][-1]["to"]
        for source, target in ((re.sub(r" \(.*", "", first), re.sub(r" \(.*", "", last)), (re.search(r"0x\w+", first)[0], re.search(r"0x\w+", last)[0])):
            self.assertEqual(self.json("route", cluster, "-r", "dmodc", "--path", source, target), said)
        tree = "karytree:k=2,n=3"
        for line in self.ok("route", tree, "-r", "dmodk", "--format", "paths").splitlines()[2::7]:
            source, target, _, *steps = line.split()
            found = self.json("route", f"{tree},link_rate=200Gb/s", "-r", "dmodk", "--path", f"host{source}", f"host{target}")["path"]
            self.assertEqual([step["from"] for step in found[1:]],
                             [f"sw{switch} port {int(port) + 1}" for switch, port in (step.split("/")[0].split(".") for step in steps)])
            self.assertEqual({step["rate_bps"] for step in found}, {200_000_000_000})
        self.assertIn("This is one of 3 paths", self.ok("route", "ring:n=5", "-r", "valiant", "--path", "host0", "host2"))
        self.assertEqual(len(self.ok("route", tree, "-r", "dmodk", "--path", "host0", "host1", "-q").splitlines()), 3)
        for words, says in ((["host0"], "takes two hosts"), (["host0", "host0"], "the same host"), (["host0", "leaf3"], ("no host 'leaf3'", "host0 to host7")),
                            (["host0", "host1", "--format", "lft"], "--format"), (["host0", "host1", "--diff", "dmodk"], "--diff")):
            self.refused("route", tree, "-r", "dmodk", "--path", *words, says=says)
        self.refused("route", tree, "--path", "host0", "host1", says="--routing")
        table = self.tmp / "less.lft"
        table.write_text(re.sub(r"(?m)^.*'host7'\n", "", self.ok("route", tree, "-r", "dmodk", "--format", "lft")))
        self.assertIs(self.json("route", tree, "-r", f"lft:path={table}", "--path", "host0", "host7", status=1)["delivered"], False)
        done = run("route", tree, "-r", f"lft:path={table}", "--path", "host0", "host7")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("does not deliver packets from host0 to host7", done.stderr)

    def test_path_of_a_pair_with_several_cables(self):
        """The path of the first pair of ports that messages take, or of those that are named; what is named wrongly is refused."""
        planes = "xgft:m=2:2,w=2:2"
        said = self.json("route", planes, "-r", "dmodk", "--path", "host0", "host3")
        first = self.ok("route", planes, "-r", "dmodk", "--format", "paths").splitlines()
        steps = next(line.split()[3:] for line in first if line.startswith("0 3 "))
        self.assertEqual([step["from"] for step in said["path"][1:]], [f"sw{s} port {int(p) + 1}" for s, p in (step.split("/")[0].split(".") for step in steps)])
        for port in (1, 2):
            path = self.json("route", planes, "-r", "dfsssp", "--path", f"host0.{port}", f"host3.{port}")["path"]
            self.assertEqual((path[0]["from"], path[-1]["to"], len(path)), (f"host0 port {port}", f"host3 port {port}", 4))
            self.assertEqual([step["to"].split(" port")[0] for step in path[:-1]], [step["from"].split(" port")[0] for step in path[1:]])
        every = self.json("route", planes, "-r", "shortest", "--path", "host0", "host3")
        self.assertEqual(every["states"], sum(line.startswith("0 3 ") for line in self.ok("route", planes, "-r", "shortest", "--format", "paths").splitlines()))
        for name in ("host0.3", "host0.", "host0.x", "host9.1", "host0.99999", ".1", "host0.000001"):
            self.refused("route", planes, "-r", "dmodk", "--path", name, "host3", says=("no host", "its port 2 is host0.2"))

    def test_path_by_names_that_look_like_numbers(self):
        """A name goes before a number; GUIDs are numbers, however they are written; paths may be longer than any usual one."""
        ring = (SOURCE / "tests/data/counters/ring5.ibnetdiscover").read_text().replace("H3_1", "host3").replace("H2_0", "host0")  # numbers 0 and 3
        (self.tmp / "swapped.ibnetdiscover").write_text(ring)
        for name, guid in (("host3", "0x0002c9030000001d"), ("host0", "0x0002c90300000011"), ("host2", "0x0002c90300000015")):
            path = self.json("route", self.tmp / "swapped.ibnetdiscover", "-r", "dfsssp", "--path", name, "host1")["path"]
            self.assertIn(f"({guid}) port", path[0]["from"])
        cluster = SOURCE / "data/cluster96.ibnetdiscover"
        last = self.json("route", cluster, "-r", "dmodc", "--path", "host0", "host95")
        guid = re.search(r"0x0*(\w+)", last["path"][-1]["to"])[1]
        self.assertEqual(self.json("route", cluster, "-r", "dmodc", "--path", "host0", f"0x{guid.upper()}"), last)
        self.assertEqual(len(self.json("route", "mesh:dims=4200", "-r", "dor", "--path", "host0", "host4199")["path"]), 4201)
        self.assertIn("the one that they prefer", self.ok("route", "karytree:k=2,n=2", "-r", "adaptive_tree", "--path", "host0", "host3"))

    def test_registers(self):
        text = self.ok("route", "karytree:k=2,n=3", "-r", "dmodk", "--format", "fir")
        self.assertIn("FI", text)
        self.assertIn("MR", text)
        self.ok("route", "karytree:k=3,n=2", "-r", "adaptive_tree", "--format", "ir")

    def test_wrong_requests(self):
        self.refused("route", "ring:n=5", says="--routing")
        self.refused("route", "ring:n=5", "-r", "updown", "--format", "ltf", says="did you mean 'lft'?")
        self.refused("route", "ring:n=5", "-r", "updown", "--format", "ir", says="tree")
        self.refused("route", "ring:n=5", "updown", says="--diff")
        self.refused("route", "ring:n=5", "-r", "updown", "--diff", "updown", "minimal", says="--diff A B")
        self.refused("route", "ring:n=5", "-r", "updown", "--format", "lft", "-o", self.tmp / "no" / "where", says="cannot be written")


if __name__ == "__main__":
    unittest.main()
