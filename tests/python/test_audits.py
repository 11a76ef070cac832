"""Audits: what `Fabric.audit` finds is what `ikat audit --json` prints, on the dumps and tables that tests of the command use; its
numbers, texts and arrays agree with each other; wrong files and arguments are refused with their place, and nothing is left behind."""
import gc
import itertools
import json
import os
import subprocess

from support import CLUSTER, PythonTest, SOURCE, ikat, np, unittest

DATA = SOURCE / "tests/data/opensm"
DUMP, TABLES = DATA / "ft2_8p.ibnetdiscover", DATA / "ft2_8p.opensm-lfts.dump"
COUNTERS = SOURCE / "tests/data/counters"
RING, FIRST, LATER = COUNTERS / "ring5.ibnetdiscover", COUNTERS / "ring5.data1", COUNTERS / "ring5.data2"
NET = SOURCE / "tests/data/fabrics/ring5.net"
SHARP = SOURCE / "tests/data/fabrics/clusters/endpoints.net.gz"
MULTICAST = SOURCE / "tests/fuzz/corpus/multicast/tree"
FILES = {"lfts", "mcfdbs", "sl2vl", "policy", "path_records", "counters", "counters_later", "names", "guid2lid", "lid_matrix", "baseline"}


def printed(*arguments, status=(0, 1)):
    """What the command prints with --json, and its exit status."""
    done = subprocess.run([os.environ["IKAT"], *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in status:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout), done.returncode


def of_command(fabric, options):
    """`ikat audit` with the options that Fabric.audit takes."""
    given = [(f"--{name.replace('_', '-')}", value) for name, value in options.items()]
    return printed("audit", fabric, *itertools.chain.from_iterable(given))


def text_of_command(fabric, options, *more, **variables):
    """What the command prints into a pipe."""
    given = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | variables
    done = subprocess.run([os.environ["IKAT"], "audit", str(fabric), *given, *more], capture_output=True, text=True, check=False, env=env)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


class Audits(PythonTest):
    def tables(self, spec, routing, *options):
        """A dump of a fabric and tables of a routing."""
        dump, tables = self.tmp / "dump.ibnetdiscover", self.tmp / "tables.lfts"
        for arguments in (["topo", spec, "--format", "ibnetdiscover", "-o", dump],
                          ["route", dump, "--routing", routing, "--format", "lft", "--unproved", "-o", tables, *options]):
            subprocess.run([os.environ["IKAT"], *map(str, arguments)], capture_output=True, check=False)
        return dump, tables

    def cases(self):
        """Fabrics, and options of the command."""
        yield CLUSTER, {}
        yield CLUSTER, {"lfts": CLUSTER.with_suffix(".lfts"), "engine": "ftree"}
        yield f"file:path={CLUSTER},fail=0x0200c9a000ec0060.11", {"lfts": CLUSTER.with_suffix(".lfts"), "routing": "none"}
        yield DUMP, {"lfts": TABLES, "names": DATA / "ft2_8p.names", "guid2lid": DATA / "ft2_8p.guid2lid",
                     "lid_matrix": DATA / "ft2_8p.opensm-lid-matrix.dump"}
        yield DUMP, {"lfts": DATA / "ft2_8p.dump_fts", "routing": "shortest", "vc": "lash"}
        yield DUMP, {"lfts": DATA / "ft2_8p.opensm.fdbs", "plan": "rlft:ports=8,levels=2"}
        yield DATA / "grouped.ibnetdiscover", {}
        yield RING, {"counters": COUNTERS / "ring5.ibqueryerrors"}
        yield RING, {"counters": FIRST, "counters_later": LATER, "interval": "10 s", "routing": "none"}
        yield "ring:n=4,p=2", {"mcfdbs": MULTICAST, "routing": "none"}
        dump, tables = self.tables("ring:n=5", "shortest")
        yield dump, {"lfts": tables}
        yield dump, {"lfts": tables, "path_records": self.records(dump)}
        subprocess.run([os.environ["IKAT"], "deploy", NET, "-r", "dfsssp", "-o", self.tmp / "new"], check=True, capture_output=True)
        yield NET, {"lfts": self.tmp / "new/lfts", "sl2vl": DATA / "ring5.opensm-sl2vl.dump", "policy": DATA / "ring5.qos-policy.conf"}
        subprocess.run([os.environ["IKAT"], "deploy", RING, "-r", "dfsssp", "-o", self.tmp / "old"], check=True, capture_output=True)
        yield RING, {"lfts": self.tmp / "old/lfts", "policy": self.tmp / "old/qos-policy.conf", "sl2vl": self.tmp / "old/opensm.conf",
                     "counters": FIRST, "counters_later": LATER, "interval": "10 s"}

    def records(self, dump):
        """Path records of all pairs of hosts, two service levels by turns."""
        lids = [int(row["lid"]) for row in ikat.Fabric(dump).audit(self.tmp / "tables.lfts", routing="none").installed.lids if row["port"] != ikat.NONE]
        path = self.tmp / "records"
        path.write_text("".join(f"PathRecord dump:\n\t\tdlid....................{b}\n\t\tslid....................{a}\n"
                                f"\t\tsl......................0x{(a + b) % 2}\n" for a in lids for b in lids if a != b), encoding="utf-8")
        return path

    def test_what_the_command_prints(self):
        seen = set()
        for fabric, options in self.cases():
            with self.subTest(fabric=fabric, **options):
                audit = ikat.Fabric(fabric).audit(**options)
                expected, status = of_command(fabric, options)
                found = audit.to_dict()
                self.assertEqual(found, expected)
                self.assertEqual((audit.ok, bool(audit)), (status == 0, status == 0))
                self.of_one_kind(audit, found)
                self.assertEqual(str(audit), text_of_command(fabric, options))
                seen |= {key for key, value in found.items() if value is not None} | {f"status {status}"}
        del audit
        self.assertLess({"installed", "proposed", "multicast", "counters", "status 0", "status 1"}, seen)
        self.assert_nothing_left()

    def test_text(self):
        """Of many findings of one kind, of a known baseline, and in narrow columns."""
        base = self.tmp / "base.json"
        dump, tables = self.tables("karytree:k=6,n=2", "updown")
        lines = tables.read_text(encoding="utf-8").splitlines()
        cut = [line for line in lines if not (line.startswith("0x") and int(line.split()[0], 16) % 2 == 0)]
        self.assertLess(len(cut), len(lines))
        tables.write_text("\n".join(cut) + "\n", encoding="utf-8")
        options = {"lfts": tables}
        audit = ikat.Fabric(dump).audit(**options)
        self.assertEqual(audit.summary(), text_of_command(dump, options))
        self.assertEqual(audit.summary(all=True), text_of_command(dump, options, "--all"))
        self.assertEqual(audit.summary(width=50), text_of_command(dump, options, COLUMNS="50"))
        self.assertNotEqual(audit.summary(width=50), audit.summary())
        self.assertIn("more: --all shows them", audit.summary())
        self.assertGreater(len(audit.summary(all=True)), len(audit.summary()))
        base.write_text(json.dumps(audit.to_dict()), encoding="utf-8")
        known = ikat.Fabric(dump).audit(**options, baseline=base)
        self.assertIn("known from the baseline", str(known))
        self.assertEqual(str(known), text_of_command(dump, {**options, "baseline": base}))
        self.assertNotIn("\033", str(known))
        self.refused(ikat.WrongType, audit.summary, all=1, says="all")
        self.refused(ikat.WrongType, audit.summary, width="5", says="width")
        self.refused(ikat.UsageError, audit.summary, width=-1, says="width")
        audit.close()
        self.assertEqual(str(audit), "<ikat.Audit: closed>")
        self.refused(ikat.ClosedError, audit.summary)

    def of_one_kind(self, audit, expected):
        """Members say what the dictionary says."""
        self.assertEqual([(f.severity, f.code, f.text, f.known, f.place, f.evidence, f.remedy) for f in audit.findings],
                         [tuple(f[key] for key in ("severity", "code", "text", "known", "place", "evidence", "remedy")) for f in expected["findings"]])
        numbers = audit.fabric.port_number
        for finding, said in zip(audit.findings, expected["findings"]):
            self.assertEqual(None if finding.port is None else int(numbers[finding.port]), said["port"])
            self.assertTrue(finding.key and finding.amount >= 0)
            if finding.node is not None and audit.fabric.node_guid is not None:
                self.assertEqual(f"0x{int(audit.fabric.node_guid[finding.node]):016x}", said["guid"])
        self.assertEqual((audit.errors, audit.warnings, audit.notes, audit.known, audit.gone, audit.partial),
                         tuple(expected[key] for key in ("errors", "warnings", "notes", "known", "gone", "partial")))
        self.assertEqual([row._asdict() for row in audit.compared], expected["compared"])
        self.assertEqual(audit.multicast and audit.multicast._asdict(), expected["multicast"])
        for tables, said in ((audit.installed, expected["installed"]), (audit.proposed, expected["proposed"])):
            self.assertEqual(tables is None, said is None)
            if tables is not None:
                self.of_tables(audit, tables, said)
        self.assertIn(f"{audit.errors} errors", repr(audit))
        self.assertEqual("pairs lost" in repr(audit), audit.installed is not None)
        self.assertIn("findings", audit._repr_html_())

    def of_tables(self, audit, tables, said):
        fabric = audit.fabric
        for name in ("pairs", "delivered", "no_entry", "dead_port", "loops", "wrong_port", "dropped", "unconnected", "switches_unreached", "dead_entries",
                     "missing_entries", "vls_used", "dependencies", "max_hops", "deadlock_free", "management_free", "one_manager_free", "channels",
                     "idle_channels", "worst_flows"):
            self.assertEqual(getattr(tables, name), said[name], name)
        for name in ("mean_hops", "max_load", "mean_load", "saturation"):
            self.assertAlmostEqual(getattr(tables, name), said[name], 9)
        self.assertEqual(tables.lost, tables.pairs - tables.delivered - tables.unconnected)
        self.assertEqual(bool(tables), tables.lost == 0 and tables.deadlock_free)
        for channel, name in ((tables.max_channel, "max_channel"), (tables.tightest, "tightest_channel"), (tables.worst_channel, "worst_channel")):
            self.assertEqual(None if channel is None else fabric.describe_port(channel), said[name])
        self.assertEqual([(fabric.describe_port(step.channel), step.vl, step.sl, step.source_lid) for step in tables.credit_loop],
                         [(step["from"], step["vl"], step["sl"], step["source_lid"]) for step in said["credit_loop"]])
        self.assertEqual([group.direction for group in tables.groups()], [group["direction"] for group in said["balance"]])
        self.assertEqual((tables.spec, tables.vc, tables.lanes), (said.get("routing"), said.get("vc"), said.get("lanes")))
        self.assertEqual((tables.load.shape, tables.paths_over.shape, tables.most_over.shape), ((fabric.num_ports,),) * 3)
        self.assertEqual((int(tables.lost_from.sum()), tables.lost_to.shape), (tables.lost, tables.lids.shape))
        first = None if tables.first_lost is None else list(tables.first_lost)
        self.assertEqual(first, None if said["first_lost_source_lid"] is None else [said["first_lost_source_lid"], said["first_lost_destination_lid"]])
        if tables.max_channel is not None:
            self.assertEqual(tables.load[tables.max_channel], tables.max_load)
        self.assertIn(f"{tables.delivered} of {tables.pairs}", repr(tables))
        self.assertIn("host pairs delivered", tables._repr_html_())

    def test_counters(self):
        fabric = ikat.Fabric(RING)
        audit = fabric.audit(counters=FIRST, counters_later=LATER, interval="10s", routing="none")
        measured, said = audit.measured, audit.to_dict()["counters"]
        self.assertEqual((measured.interval_s, measured.channels, measured.likeness, measured.predicted), (10.0, said["measured_channels"], None, None))
        self.assertAlmostEqual(measured.mean, said["mean_used"], 9)
        self.assertEqual(audit.fabric.describe_port(measured.busiest), said["busiest_channel"])
        self.assertEqual([audit.fabric.describe_port(port) for port in np.flatnonzero(measured.used >= 0)], [row["port"] for row in said["channels"]])
        self.assertEqual(measured.changes["PortXmitData"].shape, (fabric.num_ports,))
        self.assertGreater(int(measured.changes["PortXmitData"].sum()), 0)
        self.assertFalse(measured.changes["PortXmitData"].flags.writeable)
        once = fabric.audit(counters=COUNTERS / "ring5.ibqueryerrors", routing="none").measured
        self.assertEqual((once.interval_s, once.used, once.busiest, once.mean), (None, None, None, None))
        self.assertIsNone(fabric.audit(routing="none").measured)

    def test_numbers_are_of_the_fabric_of_the_audit(self):
        """Nodes stand in the order of their GUIDs there, whatever the order of the dump is."""
        fabric = ikat.Fabric(CLUSTER)
        audit = fabric.audit(CLUSTER.with_suffix(".lfts"), routing="none")
        self.assertTrue((np.diff(audit.fabric.node_guid[:6].astype(np.int64)) > 0).all())
        slow = next(finding for finding in audit.findings if finding.code == "slow-link")
        self.assertEqual(audit.fabric.describe_port(slow.port), slow.place)
        held, over = audit.fabric, audit.installed.paths_over
        installed = audit.installed
        expected = over.copy(), held.describe_port(slow.port), installed.lost
        audit.close()
        fabric.close()
        del audit, fabric
        gc.collect()
        self.assertEqual((held.describe_port(slow.port), installed.lost), expected[1:])
        self.assertTrue((over == expected[0]).all())
        del held, over, installed
        self.assert_nothing_left()
        tree = ikat.Fabric("karytree:k=2,n=2")
        self.assertIs(tree.audit(routing="none").fabric, tree)

    def test_a_closed_fabric(self):
        """An audit of a fabric that is closed later, or meanwhile, is whole."""
        for when in ("later", "meanwhile"):
            fabric = ikat.Fabric("torus:dims=4:4,p=2,fail=1")
            expected = fabric.audit(routing="none").findings
            audit = fabric.audit(routing="none", progress=lambda _: fabric.close() if when == "meanwhile" else None)  # pylint: disable=cell-var-from-loop
            fabric.close()
            self.assertEqual(audit.findings, expected)
            self.assertIn(audit.to_dict()["spec"], audit._repr_html_())
            self.refused(ikat.ClosedError, lambda: audit.fabric.port_node, says="closed")  # pylint: disable=cell-var-from-loop
        del audit
        self.assert_nothing_left()

    def test_a_fabric_without_a_specification(self):
        fabric = ikat.Fabric.from_text(ikat.Fabric("ring:n=5").to_text("dot"), "dot")
        self.assertEqual(fabric.spec, "")
        self.assertEqual(fabric.audit(routing="none").to_dict()["spec"], "fabric")
        made = fabric.deploy(dry_run=True, routing="dfsssp")
        self.assertEqual((made.to_dict()["fabric"], made.summary().splitlines()[0]), ("fabric", "fabric"))

    def test_every_day(self):
        """A report is the next baseline; what stays is known."""
        dump, tables = self.tables("ring:n=5", "shortest")
        fabric, report = ikat.Fabric(dump), self.tmp / "yesterday.json"
        first = fabric.audit(tables)
        self.assertFalse(first)
        report.write_text(json.dumps(first.to_dict()), encoding="utf-8")
        again = fabric.audit(tables, baseline=report)
        self.assertTrue(again.ok and again.known == len(first.findings) and all(finding.known for finding in again.findings))
        self.assertEqual([f.key for f in again.findings], [f.key for f in first.findings])

    def test_page(self):
        audit, page = ikat.Fabric(DUMP).audit(TABLES, routing="none"), self.tmp / "audit.html"
        audit.page(page)
        text = page.read_text(encoding="utf-8")
        self.assertIn("ft2_8p.ibnetdiscover", text)
        subprocess.run([os.environ["IKAT"], "audit", DUMP, "--lfts", TABLES, "--routing", "none", "--page", self.tmp / "b.html"], check=True, capture_output=True)
        self.assertEqual(len(text), len((self.tmp / "b.html").read_text(encoding="utf-8")) + text.count(f"file:path={DUMP}") * len("file:path="))
        audit.page(str(page), title="Monday <1>")
        self.assertIn("Monday &lt;1&gt;", page.read_text(encoding="utf-8"))
        self.refused(ikat.FileError, audit.page, self.tmp / "none" / "a.html", says="none")
        self.assertEqual(sorted(path.name for path in self.tmp.iterdir()), ["audit.html", "b.html"])

    def test_names(self):
        fabric = ikat.Fabric(DUMP)
        before = fabric.to_json()
        named = fabric.with_names(DATA / "ft2_8p.names", DATA / "ft2_8p.guid2lid")
        self.assertEqual(fabric.to_json(), before)
        self.assertNotEqual(named.names, fabric.names)
        self.assertEqual(fabric.with_names(), fabric)
        self.refused(ikat.FileError, fabric.with_names, self.tmp / "none", says="none")
        self.refused(ikat.InputError, ikat.Fabric("karytree:k=2,n=2").with_names, DATA / "ft2_8p.names")

    def test_wrong_files(self):
        fabric = ikat.Fabric(DUMP)
        lines = TABLES.read_text(encoding="utf-8").splitlines()
        lines[5] = "0x0001 nothing"
        damaged = self.tmp / "damaged.lfts"
        damaged.write_text("\n".join(lines), encoding="utf-8")
        error = self.refused(ikat.InputError, fabric.audit, damaged, says="damaged.lfts:6")
        self.assertEqual((error.file, error.line), (str(damaged), 6))
        for name in sorted(FILES):
            with self.subTest(name):
                lfts = {} if name == "lfts" else {"lfts": TABLES}
                first = {"counters": COUNTERS / "none yet"} if name == "counters_later" else {}
                self.refused(ikat.FileError, fabric.audit, says="none", **{**lfts, **first, name: self.tmp / "none"})
                if name not in ("counters_later",):
                    self.refused(ikat.InputError, fabric.audit, **{**lfts, name: CLUSTER})
        self.assert_nothing_left_but(1)

    def assert_nothing_left_but(self, number):
        gc.collect()
        self.assertEqual(ikat._core.lib.ikpy_living() - self.living, number)

    def test_wrong_arguments(self):
        fabric = ikat.Fabric(DUMP)
        for name in ("sl2vl", "policy", "path_records", "engine"):
            self.refused(ikat.UsageError, fabric.audit, says="without forwarding tables", **{name: "x"})
        self.refused(ikat.UsageError, fabric.audit, vc="1q", says="VC scheme")
        self.refused(ikat.UsageError, fabric.audit, routing="none", vc="1q", says="VC scheme")
        self.refused(ikat.UsageError, fabric.audit, counters_later=LATER, says="earlier counters")
        self.refused(ikat.UsageError, fabric.audit, counters=FIRST, interval="10s", says="two readings")
        self.refused(ikat.UsageError, fabric.audit, TABLES, policy="x", path_records="y", says="service levels")
        self.refused(ikat.WrongType, fabric.audit, 5, says="lfts: a text")
        self.refused(ikat.WrongType, fabric.audit, counters=FIRST, counters_later=LATER, interval=10, says="interval")
        self.refused(ikat.IkatError, fabric.audit, counters=FIRST, counters_later=LATER, interval="10 bananas", says="bananas")
        self.refused(ikat.UsageError, fabric.audit, counters=FIRST, counters_later=LATER, interval="0 s", says="interval")
        self.refused(ikat.WrongType, fabric.audit, plan=5, says="spec")
        self.refused(ikat.IkatError, fabric.audit, plan="nothing:of=1", says="nothing")
        self.refused(ikat.IkatError, fabric.audit, routing="torus_of", says="torus_of")
        self.refused(ikat.IkatError, fabric.audit, TABLES, engine="fttree", says=("fttree", "ftree"))
        self.refused(ikat.UsageError, fabric.audit, "a\0b", says="character 0")
        audit = fabric.audit(routing="none", plan=fabric)
        audit.close()
        for use in (lambda: audit.findings, lambda: audit.installed, audit.to_dict, lambda: bool(audit), lambda: audit.page("x"), lambda: audit.measured):
            self.refused(ikat.ClosedError, use, says="closed")
        self.assertEqual(repr(audit), "<ikat.Audit: closed>")
        fabric.close()
        self.refused(ikat.ClosedError, fabric.audit)

    def test_again_and_again(self):
        """No object and no memory stays, whether an audit succeeds, fails, or is cancelled."""
        fabric, cancel = ikat.Fabric(DUMP), ikat.Cancel()
        cancel.cancel()

        def rounds(number):
            for _ in range(number):
                audit = fabric.audit(TABLES, routing="dmodc")
                audit.findings, audit.installed, audit.measured, audit.to_dict(), audit.fabric.links  # pylint: disable=expression-not-assigned
                self.refused(ikat.FileError, fabric.audit, TABLES, baseline=self.tmp / "none")
                self.refused(ikat.Cancelled, fabric.audit, TABLES, cancel=cancel)
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1])
        before = rounds(20)
        self.assertLess(rounds(60) - before, 1024, "pages of memory that stay")
        fabric.close()
        self.assert_nothing_left()

    def test_an_exception_in_progress_ends_it(self):
        fabric, seen = ikat.Fabric("torus:dims=4:4,p=2"), []
        living = ikat._core.lib.ikpy_living()

        def raises(event):
            seen.append(event)
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            fabric.audit(progress=raises)
        gc.collect()
        self.assertEqual((len(seen), ikat._core.lib.ikpy_living()), (1, living))

    def test_numbers_of_the_fabric_that_was_given(self):
        """Whatever the order of the dump: the map leads to the node and port of the same name; numbers of findings lead to what they are about."""
        for spec, options in ((CLUSTER, {"lfts": CLUSTER.with_suffix(".lfts")}), (DUMP, {"lfts": TABLES}), (RING, {}), ("ring:n=5,p=2", {}), (SHARP, {})):
            given = ikat.Fabric(spec)
            audit = given.audit(**options)
            nodes, ports = audit.given_nodes, audit.given_ports
            self.assertEqual((len(nodes), len(ports)), (len(audit.fabric.names), audit.fabric.num_ports))
            there = nodes != ikat.NONE
            self.assertEqual(sorted(nodes[there]), list(range(len(given.names))))
            self.assertEqual(sorted(ports[ports != ikat.NONE]), list(range(given.num_ports)))
            self.assertEqual([given.name(node) for node in nodes[there]], [audit.fabric.name(n) for n in np.flatnonzero(there)])
            self.assertEqual([given.describe_port(port) for port in ports[ports != ikat.NONE]],
                             [audit.fabric.describe_port(p) for p in np.flatnonzero(ports != ikat.NONE)])
            for finding in audit.findings:
                if finding.port is not None and ports[finding.port] != ikat.NONE:
                    self.assertEqual(given.port_node[ports[finding.port]], nodes[finding.node])
            self.assertFalse(nodes.flags.writeable or ports.flags.writeable)
            self.assertEqual(there.all(), spec != SHARP)
        nodes = ikat.Fabric(CLUSTER).audit().given_nodes
        self.assertNotEqual(list(nodes), list(range(len(nodes))))
        lines = CLUSTER.read_text(encoding="utf-8")
        given = ikat.Fabric.from_text(lines, name="cluster")
        load = given.routing("updown").load().load
        audit = given.audit(routing="none")
        given.close()
        self.assertEqual(load[audit.given_ports].shape, (audit.fabric.num_ports,))
        del audit, nodes


if __name__ == "__main__":
    unittest.main()
