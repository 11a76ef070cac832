#!/usr/bin/env python3
"""What `ikat deploy` writes, installed by a real OpenSM over ibsim: the tables that switches hold, the service levels of path records,
performance queries of every port, the ways that packets take, ibdmchk's verdict; then a cable is cut and all is done again; and the
commands to go back, each as it is written."""
import functools
import itertools
import json
import re
import shlex
import subprocess
import tempfile
import unittest

from harness import CliTest, run
from subnets import ALL, FABRICS, import_fabric, netlist, opensm

ROUTINGS = ("dmodc", "dfsssp", "lash", "nue", "frugal")
# Of ikat's routings: lash is a VC scheme, its tables are those of `shortest`.
ARGUMENTS = {"dmodc": ["-r", "dmodc"], "dfsssp": ["-r", "dfsssp"], "lash": ["-r", "shortest", "--vc", "lash"], "nue": ["-r", "nue"],
             "frugal": ["-r", "frugal"], "updown": ["-r", "updown"]}
TREES = ("cluster96", "damaged", "tree8", "tree648", "damaged8", "damaged_levels", "parallel")
SAMPLE = 40  # pairs of hosts that are asked about one by one
MOST_VLS = 8


def guid_tables(path):
    """{switch GUID: {destination's port GUID: port}} of a table file with port GUIDs, and {GUID: LID} as it has them."""
    tables, lids, row = {}, {}, None
    for line in path.read_text().splitlines():
        if line.startswith("Unicast lids"):
            row = tables.setdefault(int(re.search(r"guid (0x[0-9a-f]+)", line).group(1), 16), {})
        elif line.startswith("0x"):
            guid = int(re.search(r"portguid (0x[0-9a-f]+)", line).group(1), 16)
            lids[guid] = int(line.split()[0], 16)
            row[guid] = int(line.split()[1])
    return tables, lids


def policy_levels(path):
    """Service level of (source GUID, destination GUID) by a QoS policy: a function."""
    groups, rules, levels, name = {}, [], {}, None
    if path is None or not path.exists():
        return lambda source, destination: 0
    block = {}
    for line in path.read_text().splitlines():
        key, _, value = line.strip().partition(":")
        key, value = key.strip(), value.strip()
        if key in ("port-group", "qos-level", "qos-match-rule"):
            block = {}
        elif key == "end-port-group":
            groups[block["name"]] = {int(guid, 16) for guid in block.get("port-guid", "").split(",") if guid.strip()}
        elif key == "end-qos-level":
            levels[block["name"]] = int(block["sl"])
        elif key == "end-qos-match-rule":
            rules.append((block.get("source"), block.get("destination"), block["qos-level-name"]))
        elif value:
            block[key] = f"{block[key]}, {value}" if key in block else value

    def members(names):
        return None if names is None else set().union(*(groups[part.strip()] for part in names.split(",")))
    sets = [(members(sources), members(destinations), levels[name]) for sources, destinations, name in rules]

    @functools.cache
    def rules_of(source):
        return [(destinations, sl) for sources, destinations, sl in sets if sources is None or source in sources]

    def level(source, destination):
        return next((sl for destinations, sl in rules_of(source) if destinations is None or destination in destinations),
                    levels.get("DEFAULT", 0))
    return level


@unittest.skipUnless(opensm.available("ibnetdiscover", "ibdmchk", "ibqueryerrors"), "opensm, ibsim, infiniband-diags or ibutils are not installed")
class Deployed(CliTest):
    """One fabric after the other; every routing that applies to it."""
    copies = itertools.count()

    def imported(self, name):
        """The fabric as ibsim takes it, as an administrator sees it."""
        net = netlist(self, name)
        with tempfile.TemporaryDirectory(dir=self.tmp) as folder, opensm.Subnet(net, folder) as subnet:
            return net, import_fabric(self, subnet, name)

    def deploy(self, dump, routing, folder, *more):
        """Arguments of a deployment; None where the routing does not apply or needs more than MOST_VLS lanes."""
        done = run("deploy", dump, *ARGUMENTS[routing], "--vls", str(MOST_VLS), "-o", folder, *more)
        if done.returncode != 0:
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertFalse(folder.exists())
            return None
        return json.loads((folder / "summary.json").read_text())

    def host_pairs(self, subnet):
        """A sample of pairs of LIDs of hosts, spread over all of them."""
        hosts = sorted(lid for lid, (_, kind, _) in subnet.lids()[1].items() if kind == "CA")
        pairs = list(itertools.permutations(hosts, 2))
        return pairs[::max(1, len(pairs) // SAMPLE)][:SAMPLE]

    def check_installed(self, subnet, folder, *verified, loops=False):
        """All that is said of a deployment, asked of the subnet that has it. verified: more options of verify-deployed."""
        wanted, _ = guid_tables(folder / "lfts")
        of_node, of_lid = subnet.lids()
        lid_of = {guid: lid for lid, (_, _, guid) in of_lid.items()}
        self.assertEqual(subnet.configured(), "file")
        # 1. what ibsim's switches hold: an entry for every LID, and ikat's
        held = subnet.dump()
        self.assertEqual(held, {switch: {lid_of[guid]: port for guid, port in row.items()} for switch, row in wanted.items()})
        self.assertEqual({len(row) for row in held.values()}, {len(of_lid)})
        # 2. every port's counters can be read (what a cut cable threw away stays counted)
        queried = subnet.query_errors()
        self.assertEqual(queried["failures"], 0, queried["text"][-1000:] + queried["errors"][-1000:])
        self.assertGreater(queried["ports"], len(of_lid))
        # 3. service levels of path records, and packets' ways
        level = policy_levels(folder / "qos-policy.conf")
        for source, destination in self.host_pairs(subnet):
            (_, _, from_guid), (_, _, to_guid) = of_lid[source], of_lid[destination]
            self.assertEqual(subnet.service_level(source, destination), level(from_guid, to_guid), (hex(from_guid), hex(to_guid)))
            self.assertEqual([step[1] for step in subnet.trace(source, destination)][1:], self.walk(subnet, held, source, destination))
        # 4. an independent verdict, with the service levels of all pairs
        hosts = [lid for lid, (_, kind, _) in of_lid.items() if kind == "CA"]
        levels = {(of_lid[a][0], b): level(of_lid[a][2], of_lid[b][2]) for a, b in itertools.permutations(hosts, 2)}
        replies = {(of_lid[a][0], b): levels[of_lid[b][0], a] for a, b in itertools.permutations(hosts, 2)}
        files = subnet.copy_files(self.tmp / f"files{next(self.copies)}")
        self.ok("verify-deployed", folder, "--lfts", files / opensm.TABLES, *verified)
        judge = opensm.credit_loops(files, levels)
        self.assertEqual((judge["loop"], judge["bad"]), (loops, 0), judge["text"][-2000:])
        if replies != levels:
            self.assertEqual(opensm.credit_loops(files, replies)["loop"], loops)

    def walk(self, subnet, held, source, destination):
        """Output ports of the switches from a host's LID to another's, by the tables and the cables of opensm-subnet.lst."""
        cables = getattr(self, "cables", None)
        if cables is None or self.cables_of is not subnet:
            side = re.compile(r"\{ \w\w\S* Ports:\S+ SystemGUID:\w+ NodeGUID:(\w+) PortGUID:\w+ .*? LID:\w+ PN:(\w+) \}")
            self.cables, self.cables_of = {}, subnet
            for line in subnet.file("opensm-subnet.lst").read_text().splitlines():
                (a, i), (b, j) = side.findall(line)
                self.cables[int(a, 16), int(i, 16)] = (int(b, 16), int(j, 16))
            cables = self.cables
        nodes = subnet.lids()[1]
        ports = []
        at, _ = cables[nodes[source][0], 1]
        while at in held and len(ports) <= len(held):
            ports.append(held[at][destination])
            at, _ = cables[at, ports[-1]]
        return ports

    def check_update(self, subnet, update, old, new):
        """Counts of changed entries, and tables that are old in some switches and new in others: in the order that is given, no credit loop."""
        before, after = guid_tables(old / "lfts")[0], guid_tables(new / "lfts")[0]
        changed = [sum(after[switch][guid] != port for guid, port in row.items()) for switch, row in before.items()]
        self.assertEqual((update["changed"], update["switches"]), (sum(changed), sum(count > 0 for count in changed)))
        self.assertLess(update["changed"], update["kept"])
        order = list(after)
        if update["mixing"] == "no_order":  # said in the summary, and there is nothing to be tried
            return
        if update["mixing"] == "order":
            lines = (new / "update_order").read_text().splitlines()
            order = [int(line.split()[0], 16) for line in lines if not line.startswith("#")]
        else:
            self.assertEqual(update["mixing"], "safe")
        lid_of = {guid: lid for lid, (_, _, guid) in subnet.lids()[1].items()}
        mixed = dict(before)
        for switch in [None, *order]:
            mixed.update({switch: after[switch]} if switch is not None else {})
            tables = {guid: {lid_of[to]: port for to, port in row.items()} for guid, row in mixed.items()}
            self.assertFalse(opensm.credit_loops(subnet.directory, tables=tables)["loop"], f"with the new table of {switch}")
        self.assertEqual(mixed, after)

    def test_installed(self):
        applied = {}
        for name in FABRICS:
            net, dump = self.imported(name)
            for routing in ROUTINGS:
                folder = self.tmp / f"{name}.{routing}"
                with self.subTest(fabric=name, routing=routing):
                    summary = self.deploy(dump, routing, folder)
                    if summary is None:
                        continue
                    applied.setdefault(name, []).append(routing)
                    self.assertTrue(summary["proved"])
                    self.assertLessEqual(summary["lanes"], MOST_VLS)
                    with opensm.Subnet(net, deployed=folder) as subnet:
                        self.check_installed(subnet, folder)
        for name in FABRICS:
            self.assertLessEqual({"nue", "frugal"}, set(applied[name]), name)
            self.assertEqual("dmodc" in applied[name], name in TREES, name)

    def test_tables_of_hosts_alone(self):
        """What a deployment is measured by: without entries for other switches' LIDs, tables are equal and data flows, but no switch but the
        nearest answers. ikat says so beforehand."""
        net, dump = self.imported("ring5")
        folder, cut = self.tmp / "whole", self.tmp / "hosts.lfts"
        self.deploy(dump, "nue", folder)
        switches = {int(guid, 16) for guid in re.findall(r"^Switch\s+\d+ \"S-(\w+)\"", dump.read_text(), re.MULTILINE)}
        with open(cut, "w") as out:
            for line in (folder / "lfts").read_text().splitlines(keepends=True):
                to = re.search(r"portguid (0x[0-9a-f]+)", line)
                if not to or int(to.group(1), 16) not in switches or int(line.split()[1]) == opensm.SELF:
                    out.write(line)
        with opensm.Subnet(net, tables=cut) as subnet:
            queried = subnet.query_errors()
            self.assertGreater(queried["failures"], 0)
            said = self.json("audit", dump, "--lfts", subnet.tables, "--routing", "none", status=1)
            self.assertIn("unreachable-switch", [finding["code"] for finding in said["findings"]])
            (self.tmp / "errors").write_text(queried["text"])
            said = self.json("audit", dump, "--counters", self.tmp / "errors", "--routing", "none", status=1)
            self.assertIn("query-failures", [finding["code"] for finding in said["findings"]])

    def test_paths_of_lmc(self):
        """LMC 1: two LIDs for each port of a host, each with its own entries, installed and judged as paths of their own."""
        net = netlist(self, "ring5")
        with opensm.Subnet(net, more=["-l", "1"]) as subnet:
            dump = import_fabric(self, subnet, "ring5")
            said = self.json("audit", dump, "--lfts", subnet.tables, "--routing", "none", status=None)
            self.assertEqual((said["max_lmc"], said["installed"]["pairs"]), (1, 2 * 90))
            self.assertEqual(said["installed"]["delivered"], 2 * 90)
        folder = self.tmp / "lmc"
        self.assertEqual(self.deploy(dump, "nue", folder)["lids"], 5 + 2 * 10)
        with opensm.Subnet(net, deployed=folder, more=["-l", "1"]) as subnet:
            self.assertEqual(subnet.query_errors()["failures"], 0)
            self.ok("verify-deployed", folder, "--lfts", subnet.tables)
            self.assertEqual({len(row) for row in subnet.dump().values()}, {5 + 2 * 10})

    def test_unproved(self):
        """A credit loop that ikat says there is, is one for ibdmchk, too."""
        for name in ("ring5", "torus5x5"):
            net, dump = self.imported(name)
            folder = self.tmp / name
            self.assertEqual(run("deploy", dump, "-r", "shortest", "--vc", "1q", "-o", folder).returncode, 1)
            self.assertFalse(folder.exists())
            self.ok("deploy", dump, "-r", "shortest", "--vc", "1q", "--unproved", "-o", folder, status=None)
            self.assertFalse(json.loads((folder / "summary.json").read_text())["proved"])
            with opensm.Subnet(net, deployed=folder) as subnet:
                self.check_installed(subnet, folder, loops=True)

    def test_cable_cut(self):
        """Unlink, audit, deploy again from what is there, verify: the same subnet manager reads the new tables."""
        for name, node, port, routing in (("cluster96", "S-0200c9a000ec0000", 13, "dmodc"), ("torus5x5", None, None, "nue"), ("torus5x5", None, None, "updown")):
            with self.subTest(fabric=name, routing=routing):
                net, dump = self.imported(name)
                folder, again = self.tmp / f"{name}.{routing}.first", self.tmp / f"{name}.{routing}.again"
                self.assertIsNotNone(self.deploy(dump, routing, folder))
                if node is None:
                    node, port = re.search(r'^Switch\s+\d+ "(S-\w+)".*(?:\n\[\d+\]\s+"H.*)*\n\[(\d+)\]\s+"S', dump.read_text(), re.MULTILINE).groups()
                with opensm.Subnet(net, deployed=folder) as subnet:
                    subnet.unlink(node, port)
                    cut = import_fabric(self, subnet, f"{name}.cut")
                    files = subnet.copy_files(self.tmp / f"files{next(self.copies)}")
                    found = json.loads(self.ok("audit", cut, "--lfts", files / opensm.TABLES, "--json", status=1))
                    self.assertLessEqual({"dead-port", "dead-entries"}, {finding["code"] for finding in found["findings"]})
                    summary = self.deploy(cut, routing, again, "--from", folder)
                    self.check_update(subnet, summary["update"], folder, again)
                    for file in ("lfts", "qos-policy.conf"):
                        if (again / file).exists():
                            (folder / file).write_bytes((again / file).read_bytes())
                    subnet.sweep()
                    self.check_installed(subnet, again, "--fabric", cut)

    # ---- going back

    def state(self, subnet):
        """Tables as switches hold them, service levels of some path records."""
        hosts = sorted(lid for lid, (_, kind, _) in subnet.lids()[1].items() if kind == "CA")
        return subnet.dump(), [subnet.service_level(*pair) for pair in list(itertools.permutations(hosts, 2))[::7]]

    def follow(self, subnet, folder, *, back, options=None):
        """The commands of commands.txt one by one, to install or to go back. options: those that OpenSM had, in place of the kept tables."""
        text = (folder / "commands.txt").read_text()
        install, mark, rest = text.partition("# Go back")
        for line in (mark + rest if back else install).splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            into = subnet.directory / words.pop() if words[-2:-1] == [">"] else None
            if words[0] == "opensm":
                subnet.start(*(words[1:] if options is None else options))
            elif words[0] == "kill":
                subnet.sweep()
            elif words[0] == "dump_fts":
                switches = len(subnet.dump())
                into.write_text(subnet.ask("dump_fts", answered=lambda text, n=switches: text.count("Unicast lids") == n).stdout)
            elif words[0] == "ikat":
                self.ok(*words[1:-1], subnet.directory / words[-1])
            elif words[0] == "ibqueryerrors":
                self.assertEqual(subnet.query_errors()["failures"], 0)
            else:
                self.assertIn(words[0], ("for", "diff"))
                subprocess.run(line, shell=True, cwd=subnet.directory, check=True)

    def go_back(self, former, routing, kept, folder=None):
        """From what `former` options of OpenSM make to a deployment, and back: with these options, and with the kept tables if `kept`. folder:
        what is installed is a deployment, whose name `commands.txt` has in place of both."""
        new = self.tmp / f"new.{routing}.{next(self.copies)}"
        net, dump = self.imported("ring5")
        self.assertIsNotNone(self.deploy(dump, routing, new, *(["--from", folder] if folder else [])))
        with opensm.Subnet(net) as subnet:
            subnet.start(*former)
            before = self.state(subnet)
            for options in [None] * (kept or bool(folder)) + [former]:
                self.follow(subnet, new, back=False)
                self.assertEqual(subnet.configured(), "file")
                self.assertNotEqual(self.state(subnet), before)
                self.follow(subnet, new, back=True, options=options)
                self.assertEqual(self.state(subnet), before)
            if folder:
                self.ok("verify-deployed", folder, "--lfts", subnet.directory / "back.lfts")

    def test_go_back(self):
        """What was there before: an engine on one lane, to several lanes; one with lanes, to one; a deployment with lanes, to another."""
        self.go_back(["-R", "minhop"], "dfsssp", kept=True)
        self.go_back(["-R", "lash", "-Q"], "nue", kept=False)
        first = self.tmp / "first"
        self.assertGreater(self.deploy(self.imported("ring5")[1], "dfsssp", first)["lanes"], 1)
        self.go_back(["-F", first / "opensm.conf"], "nue", kept=False, folder=first)

    def test_go_back_after_a_cut(self):
        """A cable is cut between the deployment and the way back. The kept tables are the same entry by entry, and lead into the cut; the
        engine of before routes around it. When the cable is back, so is everything."""
        net, dump = self.imported("ring5")
        folder = self.tmp / "new"
        self.deploy(dump, "nue", folder)
        node, port = re.search(r'^Switch\s+\d+ "(S-\w+)".*(?:\n\[\d+\]\s+"H.*)*\n\[(\d+)\]\s+"S', dump.read_text(), re.MULTILINE).groups()

        def audited(subnet, fabric):
            files = subnet.copy_files(self.tmp / f"files{next(self.copies)}")
            found = json.loads(self.ok("audit", fabric, "--lfts", files / opensm.TABLES, "--routing", "none", "--json", status=None))
            installed = found["installed"]
            return {finding["code"] for finding in found["findings"]}, installed["pairs"] - installed["delivered"] - installed["unconnected"]
        with opensm.Subnet(net) as subnet:
            subnet.start("-R", "minhop")
            before = self.state(subnet)
            self.follow(subnet, folder, back=False)
            subnet.unlink(node, port)
            subnet.sweep()
            cut = import_fabric(self, subnet, "ring5.cut")
            self.follow(subnet, folder, back=True)  # the kept tables
            self.assertEqual(subnet.dump(), before[0])
            compared = (subnet.directory / "back.entries").read_text().splitlines()
            self.assertGreaterEqual(len(compared), sum(map(len, before[0].values())))
            codes, lost = audited(subnet, cut)
            self.assertIn("dead-entries", codes)
            self.assertGreater(lost, 0)
            subnet.start("-R", "minhop")  # the engine of before
            codes, lost = audited(subnet, cut)
            self.assertNotIn("dead-entries", codes)
            self.assertEqual(lost, 0)
            subnet.relink(node, port)
            subnet.sweep()
            self.assertEqual(self.state(subnet), before)

    def test_kept_tables_have_no_levels(self):
        """Why commands.txt has the former options before the kept tables: those of an engine with lanes have a credit loop on one."""
        net, dump = self.imported("ring5")
        folder = self.tmp / "new"
        self.deploy(dump, "nue", folder)
        with opensm.Subnet(net) as subnet:
            subnet.start("-R", "lash", "-Q")
            tables, levels = self.state(subnet)
            self.follow(subnet, folder, back=False)
            self.follow(subnet, folder, back=True)
            self.assertEqual(self.state(subnet), (tables, [0] * len(levels)))
            self.assertGreater(max(levels), 0)
            said = self.json("audit", dump, "--lfts", subnet.tables, "--routing", "none", status=1)
            self.assertFalse(said["installed"]["deadlock_free"])


if __name__ == "__main__":
    unittest.main()
