"""`ikat audit`: what is wrong with a fabric and with the tables installed in it; every finding has its code, place and remedy."""
import itertools
import json
import pathlib
import re
import unittest

from harness import SOURCE, CliTest, run

DUMP = SOURCE / "tests" / "data" / "opensm" / "ft2_8p.ibnetdiscover"
TABLES = SOURCE / "tests" / "data" / "opensm" / "ft2_8p.opensm-lfts.dump"
TREE = "karytree:k=2,n=2"  # 4 switches, 4 hosts: LIDs 1 to 4 and 5 to 8


def multiway_tree(pods, leaves, hosts, spines, cores, ways):
    """Links of a tree whose cores have several ways down to every leaf: each is cabled to `ways` spines of each pod."""
    links, width = [], leaves + spines
    for pod in range(pods):
        leaf_of, spine_of, host_of = pod * width, pod * width + leaves, pod * leaves * hosts
        links += [(f"h{host_of + host}", leaf_of + host // hosts) for host in range(leaves * hosts)]
        links += [(leaf_of + leaf, spine_of + spine) for leaf in range(leaves) for spine in range(spines)]
        links += [(spine_of + (core * ways + way) % spines, pods * width + core) for core in range(cores) for way in range(ways)]
    return "".join(f"{a} {b}\n" for a, b in links)


def codes(audit, severity=None):
    return [finding["code"] for finding in audit["findings"] if severity in (None, finding["severity"])]


def finding(audit, code):
    return next(f for f in audit["findings"] if f["code"] == code)


class Audit(CliTest):
    def tables(self, fabric, routing, **changes):
        """Tables of a routing with the ports of switches written over: s1=((lid, port), ...), of switch 1."""
        path = self.tmp / "lfts"
        self.ok("route", fabric, "--routing", routing, "--format", "lft", "--unproved", "-o", path, status=None)
        lines, switch = path.read_text().splitlines(), -1
        for i, line in enumerate(lines):
            switch += line.startswith("Unicast lids")
            for lid, port in changes.get(f"s{switch}", ()):
                if line.startswith(f"0x{lid:04x} "):
                    lines[i] = re.sub(r"^(0x\w+) \d+", rf"\1 {port:03d}", line) if port is not None else "#"
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_tables_of_a_subnet_manager(self):
        """32 hosts, 12 switches: 352 entries lead to hosts of other switches (8 leaves: 28 hosts each, 4 roots: 32)."""
        audit = self.json("audit", DUMP, "--lfts", TABLES)
        self.assertEqual(audit["errors"], 0)
        self.assertFalse(audit["partial"])
        installed = audit["installed"]
        self.assertEqual((installed["pairs"], installed["delivered"]), (32 * 31, 32 * 31))
        self.assertEqual(installed["switches_unreached"] + installed["dead_entries"] + installed["missing_entries"], 0)
        self.assertIs(installed["deadlock_free"], True)
        self.assertIs(installed["management_free"], True)
        self.assertEqual(installed["credit_loop"], [])
        self.assertAlmostEqual(installed["max_load"], 28 / 31)  # each of 4 hosts on its own uplink
        self.assertEqual(installed["worst_flows"], 4)
        self.assertEqual(audit["tables"]["entries"], 12 * 44)
        self.assertEqual(audit["engine"]["entries"], 8 * 28 + 4 * 32)
        self.assertEqual(audit["engine"]["minimal"], 8 * 28 + 4 * 32)
        self.assertIsNone(audit["proposed"], "none has a lower load")
        self.assertIs(audit["keeps_installed"], True)
        self.assertIn("keeps-installed", codes(audit, "note"))
        text = self.ok("audit", DUMP, "--lfts", TABLES)
        for words in ("992 of 992", "12 of 12", "0 errors", "rlft:ports=8,levels=2"):
            self.assertIn(words, text)

    def test_a_ring_of_five_deadlocks(self):
        audit = self.json("audit", "ring:n=5", "--lfts", self.tables("ring:n=5", "shortest"), status=1)
        self.assertEqual(len(audit["installed"]["credit_loop"]), 5)
        for step in audit["installed"]["credit_loop"]:
            self.assertEqual((step["vl"], step["sl"], step["reply"], step["query"]), (0, 0, False, False))
        loop = finding(audit, "credit-loop")
        self.assertEqual(loop["severity"], "error")
        self.assertEqual(len(loop["evidence"].splitlines()), 7)
        self.assertTrue(loop["remedy"])
        self.assertIs(audit["proposed"]["deadlock_free"], True)
        self.assertIn("better-routing", codes(audit))

    def test_nothing_worse_is_proposed(self):
        """Whatever is installed: the proposal has less load, mends something, or there is none; and no candidate is better than it."""
        multiway = self.tmp / "multiway.edges"
        multiway.write_text(multiway_tree(2, 4, 8, 4, 8, 2))
        fabrics = ("xgft:m=4:4,w=1:2", "rlft:ports=8,levels=3,fail=5%,fail_seed=2", "torus:dims=4:3", "dragonfly:a=4,h=1,p=2", multiway)
        outcomes = set()
        for fabric, routing in itertools.product(fabrics, ("updown", "nue", "frugal", "shortest")):
            with self.subTest(fabric=fabric, routing=routing):
                audit = self.json("audit", fabric, "--lfts", self.tables(fabric, routing), status=None)
                installed, proposed = audit["installed"], audit["proposed"]
                proved = installed["deadlock_free"] and installed["delivered"] == installed["pairs"] and not installed["missing_entries"]
                self.assertIs(audit["keeps_installed"], proposed is None)
                self.assertEqual("better-routing" in codes(audit), proposed is not None)
                measured = [row for row in audit["compared"] if row["state"] == "compared"]
                if proposed is None:
                    self.assertTrue(proved)
                    self.assertFalse(any(row["chosen"] or row["better"] for row in measured))
                    least = min(row["max_load"] for row in measured)
                    worse = [row for row in measured if row["saturation"] < installed["saturation"] - 1e-9]
                    self.assertTrue(least * 1.1 >= installed["max_load"] - 1e-9 or worse)
                else:
                    self.assertIs(proposed["deadlock_free"], True)
                    self.assertEqual(proposed["delivered"], proposed["pairs"])
                    self.assertEqual([row["max_load"] for row in measured if row["chosen"]], [proposed["max_load"]])
                    self.assertLessEqual(proposed["max_load"], 1.1 * min(row["max_load"] for row in measured if proved <= row["better"]) + 1e-9)
                    if proved:
                        self.assertLess(proposed["max_load"], installed["max_load"] * 1.002)
                        self.assertGreater(proposed["saturation"], installed["saturation"] * 0.998)
                outcomes.add((proved, proposed is None))
        self.assertEqual(outcomes, {(True, True), (True, False), (False, False)})

    def test_files_that_are_cut_off(self):
        """Tables of some switches are neither kept nor bettered, wherever the file ends; with all of them they are judged."""
        for fabric, routing in (("torus:dims=4:4,p=2", "nue"), ("xgft:m=4:4,w=1:2", "dmodc"), ("jellyfish:N=16,d=4,p=2", "updown")):
            whole = pathlib.Path(self.tables(fabric, routing)).read_text()
            blocks = [found.start() for found in re.finditer("Unicast", whole)]
            for end in (blocks[1] - 1, blocks[2] // 3 * 2, blocks[-1] // 2, blocks[-1]):
                with self.subTest(fabric=fabric, end=end):
                    cut = self.tmp / "cut"
                    cut.write_text(whole[:whole.rindex("\n", 0, end) + 1])
                    audit = self.json("audit", fabric, "--lfts", cut, status=1)
                    self.assertEqual([code for code in codes(audit) if code in ("keeps-installed", "better-routing", "not-compared")], ["not-compared"])
                    self.assertFalse(audit["keeps_installed"] or any(row["better"] for row in audit["compared"]))
                    done = run("deploy", fabric, "--from", cut, "-o", self.tmp / "out", "--force")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertRegex(done.stdout, r" (1 of \d+ switches has|\d+ of \d+ switches have) no table")
                    self.assertIn("not with what is installed", done.stdout)
                    self.assertNotIn("better than what is installed", done.stdout)
            self.assertNotIn("not-compared", codes(self.json("audit", fabric, "--lfts", self.tables(fabric, routing), status=None)))
        loops = pathlib.Path(self.tables("torus:dims=6:6", "shortest")).read_text()
        cut.write_text(loops[:loops.rindex("Unicast")])
        self.assertIn("better-routing", codes(self.json("audit", "torus:dims=6:6", "--lfts", cut, status=1)), "a credit loop is there")

    def test_what_is_too_large_is_named(self):
        """By the number of switches with hosts, and nothing is compared further where one load is the least possible."""
        large = self.json("audit", "xgft:m=2:101:2,w=1:3:3,fail=sw0.1")
        states = {row["routing"]: row["state"] for row in large["compared"]}
        self.assertEqual((states["dmodc"], states["frugal"], states["updown"]), ("compared", "too_large", "compared"))
        left_out = finding(large, "routings-not-tried")
        self.assertIn("frugal", left_out["text"])
        for row in large["compared"]:
            self.assertEqual(row["why"] is None, row["state"] == "compared")
            if row["state"] == "too_large":
                self.assertIn(row["routing"], left_out["text"])
                self.assertRegex(row["why"], r"takes minutes with 202 switches that have hosts or aggregation nodes: tried up to \d+")
                self.assertIn(row["why"], left_out["evidence"])
        page = self.tmp / "page.html"
        text = self.ok("audit", "torus:dims=4:4", "--page", page)
        for shown in (text, page.read_text().replace("&#39;", "'")):
            self.assertIn("dmodc: routing 'dmodc' needs a tree", shown)
        self.assertEqual([row["routing"] for row in self.json("audit", "rlft:ports=8,levels=3")["compared"]], ["dmodc"])

    def dump(self, spec, changes):
        """A dump of a fabric, with lines changed by (pattern, replacement)."""
        path = self.tmp / "changed.ibnetdiscover"
        self.ok("topo", spec, "--format", "ibnetdiscover", "-o", path)
        text = path.read_text()
        for pattern, by in changes:
            text, times = re.subn(pattern, by, text)
            self.assertTrue(times, pattern)
        path.write_text(text)
        return path

    def test_ports_that_got_no_lid(self):
        """65535 is what ports have that got none: of any number of switches and hosts, and not one LID given twice."""
        audit = self.json("audit", self.dump(TREE, [(r"\blid 0", "lid 65535")]), status=None)
        self.assertNotIn("lid-clash", codes(audit))
        self.assertEqual(audit["lids_missing"], 8)
        self.assertIn("lid-zero", codes(audit, "note"))

    def test_slower_adapters(self):
        """Many links to hosts of one kind at a lower rate are one note; a cable that came up slowly is a warning, also beside them."""
        def rated(slow):
            return [(rf'(?m)("host{host}" lid \d+) 4xEDR', r"\1 4xFDR") for host in slow]
        spec = "xgft:m=8:8,w=1:4"
        storage = [(r'"host(5\d)"', r'"store\1"'), (r'(?m)("store\d+" lid \d+) 4xEDR', r"\1 4xFDR")]
        for changes, slow, adapters in ((storage, 0, 1), (rated([3]), 1, 0), (storage + rated([3, 9]), 2, 1), (rated(range(16)), 16, 0)):
            audit = self.json("audit", self.dump(spec, changes), "--routing", "none", status=0)
            self.assertEqual((codes(audit).count("slow-link"), codes(audit, "note").count("slower-adapters")), (slow, adapters), audit["findings"])
        for width, slow, adapters in (("1xEDR", 10, 0), ("2xEDR", 0, 1), ("1xHDR", 10, 0), ("4xQDR", 0, 1)):
            narrow = [(pattern, by.replace("4xFDR", width)) for pattern, by in storage]
            audit = self.json("audit", self.dump(spec, narrow), "--routing", "none", status=0)
            self.assertEqual((codes(audit).count("slow-link"), codes(audit, "note").count("slower-adapters")), (slow, adapters), width)
        mixed = [(r'"host([345]\d)"', r'"store\1"'), (r'(?m)("store\d*[02468]" lid \d+) 4xEDR', r"\1 4xFDR"), (r'(?m)("store\d*[13579]" lid \d+) 4xEDR', r"\1 4xQDR")]
        audit = self.json("audit", self.dump(spec, mixed), "--routing", "none", status=0)
        self.assertEqual((codes(audit).count("slow-link"), codes(audit, "note").count("slower-adapters")), (0, 2), "a kind without one at the common rate")

    def test_baseline(self):
        """What an earlier report has is neither shown nor counted, what is gone is counted; and the next report is a baseline again."""
        fabric, tables = f"{TREE},fail=sw1.3", self.tables(TREE, "dmodk")
        baseline = self.tmp / "yesterday.json"
        first = self.json("audit", fabric, "--lfts", tables, status=1)
        baseline.write_text(json.dumps(first))
        again = self.json("audit", fabric, "--lfts", tables, "--baseline", baseline, status=0)
        self.assertEqual((again["errors"], again["warnings"], again["notes"], again["gone"]), (0, 0, 0, 0))
        self.assertEqual(again["known"], len(first["findings"]))
        self.assertTrue(all(found["known"] for found in again["findings"]))
        self.assertIn("nothing", self.ok("audit", fabric, "--lfts", tables, "--baseline", baseline))
        less = dict(again, findings=[f for f in again["findings"] if f["code"] != "dead-port"])
        baseline.write_text(json.dumps(less))
        new = self.json("audit", fabric, "--lfts", tables, "--baseline", baseline, status=1)
        self.assertEqual([f["code"] for f in new["findings"] if not f["known"]], ["dead-port"])
        text = self.ok("audit", fabric, "--lfts", tables, "--baseline", baseline, status=1)
        self.assertEqual(re.findall(r"^  (?:error|warning|note) \[(\S+)\]", text, re.M), ["dead-port"])
        mended = self.json("audit", TREE, "--lfts", tables, "--baseline", baseline, status=0)
        self.assertGreater(mended["gone"], 0)
        nameless = json.dumps(dict(first, findings=[{"text": "x"}]))
        for content, says in (("{", "no JSON"), ("[]", "findings"), ('{"findings": []}', "lids"), (nameless, "code"), ("", "no JSON"),
                              (self.ok("topo", fabric, "--json"), "no report")):
            baseline.write_text(content)
            self.refused("audit", TREE, "--lfts", self.tmp / "no tables", "--baseline", baseline, says=[says, "yesterday.json"])
        self.refused("audit", TREE, "--baseline", self.tmp / "none", says="none")

    def test_baseline_of_other_counts(self):
        """Counts change from day to day, and examples with them: a finding is known whatever they are, unless there is more than twice as much of it; another place, port or code is new."""
        baseline = self.tmp / "yesterday.json"
        fabric, tables = f"{TREE},fail=sw1.3", self.tables(TREE, "dmodk")
        args = ("audit", fabric, "--lfts", tables)
        first = self.json(*args, status=1)
        count = re.compile(r"(?<!port )(?<!LID )(?<!level )(?<!SL )(?<![\w.,:])\d+(?= (?:of|pairs|links|switches|ports|entries|host|uplinks|on|cables|hosts)\b)")
        changed = 0
        for factor, known in ((0.6, True), (1.4, True), (0.3, False)):
            report = json.loads(json.dumps(first))
            for found in report["findings"]:
                text = count.sub(lambda n: str(round(int(n[0]) * factor)), found["text"])
                text = re.sub(r"the first .*", "the first is another one", text)
                numbers = [int(n) for n in count.findall(found["text"])]
                found["large"] = bool(numbers) and numbers[0] > 9
                changed += text != found["text"]
                found["text"] = text
            baseline.write_text(json.dumps(report))
            again = self.json(*args, "--baseline", baseline, status=None)
            large = {f["code"] for f in report["findings"] if f["large"]}
            for found in again["findings"]:
                if known or found["code"] in large:
                    self.assertIs(found["known"], known, (factor, found["text"]))
            if known:
                self.assertEqual(again["gone"], 0)
        self.assertGreater(changed, 20)
        for change in (lambda f: f.update(code="other"), lambda f: f.update(place="elsewhere"), lambda f: f.update(text=re.sub(r"port \d+", "port 77", f["text"]))):
            report = json.loads(json.dumps(first))
            named = [f for f in report["findings"] if f.get("place") and re.search(r"port \d+", f["text"])]
            change(named[0])
            baseline.write_text(json.dumps(report))
            again = self.json(*args, "--baseline", baseline, status=None)
            self.assertEqual((len(again["findings"]) - again["known"], again["gone"]), (1, 1))

    def test_baseline_of_numbered_nodes(self):
        """Without GUIDs a number in a name tells nodes apart: a finding about another node is new, whatever the names."""
        baseline = self.tmp / "yesterday.json"
        for name in ("{}", "rack 7 leaf {}", "leaf{}"):
            reports = []
            for gone in ("2", "3", "3"):
                path = self.tmp / "tree.json"
                self.ok("topo", "xgft:m=4:12,w=1:4", "--format", "json", "-o", path)
                fabric = json.loads(path.read_text())
                for number, switch in enumerate(fabric["switches"]):
                    switch.pop("guid", None)
                    switch["name"] = name.format(number)
                for number, host in enumerate(fabric["hosts"]):
                    host.pop("guid", None)
                    host.pop("port_guids", None)
                    host["name"] = f"h{number}"
                slow = next(link for link in fabric["links"] if sorted((link[0], link[2])) == [0, 12])
                fabric["classes"].append(dict(fabric["classes"][0], name="25 Gb/s", rate_bps=25000000000))
                slow[4] = 1  # at one place, to a switch of another name
                fabric["switches"][12]["name"], fabric["switches"][int(gone) + 11]["name"] = fabric["switches"][int(gone) + 11]["name"], fabric["switches"][12]["name"]
                path.write_text(json.dumps(fabric))
                reports.append(self.json("audit", path, "--routing", "none", *(("--baseline", baseline) if reports else ()), status=None))
                baseline.write_text(json.dumps(reports[-1]))
            found = [finding(report, "slow-link") for report in reports]
            self.assertEqual(found[0]["place"], found[1]["place"])
            self.assertNotEqual(found[0]["text"], found[1]["text"])
            self.assertEqual([bool(one.get("known")) for one in found], [False, False, True], (name, found))

    def test_another_loop_is_new(self):
        """Of two rings that are cabled to each other one has a credit loop: tomorrow the other one, which is not known; the same one is."""
        path, baseline = self.tmp / "rings.edges", self.tmp / "yesterday.json"
        links = [(ring + at, ring + (at + 1) % 5) for ring in (0, 5) for at in range(5)] + [(0, 5)] + [(f"h{host}", host) for host in range(10)]
        path.write_text("".join(f"{a} {b}\n" for a, b in links))
        fabric = self.tmp / "rings.ibnetdiscover"
        self.ok("topo", path, "--format", "ibnetdiscover", "-o", fabric)
        good = self.blocks(self.tables(fabric, "updown"))
        bad = self.blocks(self.tables(fabric, "shortest"))
        self.assertEqual(len(good), 10)
        loops = []
        for ring in (0, 5):
            tables = self.tmp / f"ring{ring}"
            tables.write_text("".join((bad if ring <= at < ring + 5 else good)[at] for at in range(10)))
            audit = self.json("audit", fabric, "--lfts", tables, "--routing", "none", status=1)
            loops.append(finding(audit, "credit-loop"))
            first = self.json("audit", fabric, "--lfts", self.tmp / "ring0", "--routing", "none", status=1)
            for report, known in ((audit, True), (first, ring == 0)):
                baseline.write_text(json.dumps(report))
                again = self.json("audit", fabric, "--lfts", tables, "--routing", "none", "--baseline", baseline, status=None)
                self.assertIs(finding(again, "credit-loop")["known"], known)
        self.assertEqual(loops[0]["text"], loops[1]["text"])
        self.assertNotEqual(loops[0]["place"], loops[1]["place"])

    def blocks(self, tables):
        """The tables of each switch."""
        return re.findall(r"(?ms)^Unicast.*?(?=^Unicast|\Z)", tables.read_text())

    def test_one_of_many_is_shown_once(self):
        """Of one code eight findings are shown, and the number of the others; --all and --json have them."""
        spec = "file:path=" + str(self.dump("xgft:m=8:12,w=1:12", [])) + ",fail=10%"
        audit = self.json("audit", spec, "--routing", "none", status=None)
        number = codes(audit).count("failed-link")
        self.assertGreater(number, 8)
        lines = re.findall(r"^  (?:\w+) \[failed-link\] (.*)", self.ok("audit", spec, "--routing", "none", status=None), re.M)
        self.assertEqual((len(lines), lines[-1].split(":")[0]), (9, f"and {number - 8} more"))
        self.assertEqual(self.ok("audit", spec, "--routing", "none", "--all", status=None).count("[failed-link]"), number)

    def test_one_defect_each(self):
        """The first host's LID is 5; switches 0 and 1 are leaves. What the second leaf does with it decides over two pairs."""
        cases = {
            "no-entry": ("s1", (5, None), "no_entry"),
            "forwarding-loop": ("s2", (5, 2), "loops"),
            "wrong-port": ("s1", (5, 1), "wrong_port"),
        }
        for code, (switch, change, key) in cases.items():
            with self.subTest(code=code):
                audit = self.json("audit", TREE, "--lfts", self.tables(TREE, "dmodk", **{switch: [change]}), status=1)
                self.assertEqual(audit["installed"][key], 2, audit["installed"])
                self.assertEqual(audit["installed"]["delivered"], 10)
                found = finding(audit, code)
                self.assertEqual(found["severity"], "error")
                self.assertIn("host0, LID 5", found["text"])
                self.assertIn("from host2, LID 7", found["evidence"])
                self.assertEqual(audit["installed"]["first_lost_destination_lid"], 5)

    def test_entries_for_dead_ports(self):
        tables = self.tables(TREE, "dmodk")
        audit = self.json("audit", f"{TREE},fail=sw1.3", "--lfts", tables, status=1)
        self.assertGreater(audit["installed"]["dead_entries"], 0)
        self.assertGreater(audit["installed"]["dead_port"], 0)
        self.assertIn("dead-port", codes(audit, "error"))
        self.assertIn("dead-entries", codes(audit, "warning"))

    def test_switches_without_entries(self):
        audit = self.json("audit", TREE, "--lfts", self.tables(TREE, "dmodk", s0=[(4, None)], s1=[(4, None)]), status=None)
        if audit["installed"]["switches_unreached"]:
            self.assertIn("unreachable-switch", codes(audit, "error"))
            self.assertIn("missing-entries", codes(audit, "warning"))

    def test_every_finding_says_what_and_where(self):
        audit = self.json("audit", f"{TREE},fail=sw1.3", "--lfts", self.tables(TREE, "dmodk"), status=1)
        order = ["error", "warning", "note"]
        ranks = [order.index(f["severity"]) for f in audit["findings"]]
        self.assertEqual(ranks, sorted(ranks))
        for found in audit["findings"]:
            self.assertTrue(found["code"] and found["text"])
            if found["severity"] == "error":
                self.assertTrue(found["remedy"], found)
        self.assertEqual([codes(audit, s).__len__() for s in order], [audit["errors"], audit["warnings"], audit["notes"]])

    def test_engines_of_a_subnet_manager(self):
        """data/cluster96.lfts and opensm-lfts.dump are OpenSM's minhop; ibnetdiscover prints hosts in another order than their ports have."""
        cluster = SOURCE / "data" / "cluster96.ibnetdiscover"
        for fabric, tables, entries in ((cluster, SOURCE / "data" / "cluster96.lfts", 4 * 72 + 2 * 96), (DUMP, TABLES, 352)):
            audit = self.json("audit", fabric, "--lfts", tables, "--engine", "minhop")
            engine = audit["engine"]
            self.assertEqual((engine["entries"], engine["minimal"], engine["minhop"], engine["updn"]), (entries,) * 4)
            self.assertIn("minhop", engine["name"])
            self.assertNotIn("engine-differs", codes(audit, "warning"))
        # one way down to each host, but in another order
        fts = TABLES.with_name("ft2_8p.dump_fts")
        audit = self.json("audit", DUMP, "--lfts", fts, "--engine", "minhop")
        self.assertLess(audit["engine"]["minhop"], 352)
        self.assertIn("ftree", audit["engine"]["name"])
        self.assertIn("engine-differs", codes(audit, "warning"))
        self.assertNotIn("engine-differs", codes(self.json("audit", DUMP, "--lfts", fts, "--engine", "ftree")))

    def test_the_engine(self):
        """A random graph: up/down tables of ikat are not minhop's."""
        graph = "jellyfish:N=12,d=4,p=2"
        audit = self.json("audit", graph, "--lfts", self.tables(graph, "updown"), "--engine", "minhop", status=None)
        self.assertLess(audit["engine"]["minhop"], audit["engine"]["entries"])
        self.assertIn("engine-differs", codes(audit, "warning"))
        self.refused("audit", TREE, "--lfts", self.tables(TREE, "dmodk"), "--engine", "fttree", says=("fttree", "ftree"))

    def test_tables_of_another_fabric(self):
        self.refused("audit", "torus:dims=3:3", "--lfts", TABLES, says="ft2_8p")
        tables = self.tables(TREE, "dmodk")
        text = tables.read_text()
        tables.write_text(text[: text.rindex("Unicast lids")])
        audit = self.json("audit", TREE, "--lfts", tables, status=1)
        self.assertTrue(audit["partial"])
        self.assertIn("missing-switch-tables", codes(audit, "error"))

    def test_names(self):
        names = self.tmp / "names"
        names.write_text('0x0002c90200000001 "rack 7 leaf"\n')
        text = self.tmp / "lfts"
        text.write_text(TABLES.read_text().replace("0x0002 000", "0x0002 255", 1))
        audit = self.json("audit", DUMP, "--lfts", text, "--names", names, status=1)
        self.assertIn("rack 7 leaf", finding(audit, "unreachable-switch")["place"])
        self.refused("audit", TREE, "--names", names, says="karytree")
        names.write_text('0x0002c902000000ff "of another fabric"\n')
        self.refused("audit", DUMP, "--names", names, says=["none of its 1 GUID ", "0x0002c902000000ff"])
        self.refused("audit", DUMP, "--names", self.tmp / "none", says="none")

    def test_the_page(self):
        page = self.tmp / "audit.html"
        self.ok("audit", "ring:n=5", "--lfts", self.tables("ring:n=5", "shortest"), "--page", page, status=1)
        text = page.read_text()
        self.assertIn("credit-loop", text)
        self.assertNotIn("http", text.replace('xmlns="http://www.w3.org/2000/svg"', ""))
        self.assertEqual(text.count("<svg"), 1, "the fabric")
        self.assertNotIn("<script", text)
        self.assertIn("@media screen and (prefers-color-scheme:dark)", text)  # paper is white
        self.assertEqual(text.count("<article "), text.count("</article>"))
        for severity in ("error", "warning", "note"):
            self.assertIn(f'id="show-{severity}"', text)
        self.assertNotIn('id="show-known"', text)
        report = self.tmp / "report.json"
        report.write_text(run("audit", "ring:n=5", "--lfts", self.tables("ring:n=5", "shortest"), "--json").stdout)
        self.ok("audit", "ring:n=5", "--lfts", self.tables("ring:n=5", "shortest"), "--baseline", report, "--page", page)
        text = page.read_text()
        self.assertIn('<input type="checkbox" id="show-known">', text)
        self.assertIn('<article class="error known">', text)
        self.refused("audit", TREE, "--page", self.tmp / "no" / "folder.html")

    def test_options(self):
        for option in ("--sl2vl", "--policy", "--path-records", "--engine"):
            self.refused("audit", TREE, option, "x", says="--lfts")
        self.refused("audit", TREE, "--vc", "1q", says="--routing")
        self.refused("audit", TREE, "--routing", "none", "--vc", "1q", says="VC scheme")
        self.refused("audit", TREE, "--lfts", self.tmp / "none", says="none")
        self.refused("audit", TREE, "--routing", "torus_of", says="torus_of")
        self.assertIsNone(self.json("audit", TREE, "--routing", "none")["proposed"])
        self.assertEqual(self.json("audit", TREE, "--routing", "dmodk")["proposed"]["routing"], "dmodk")

    def test_a_plan(self):
        audit = self.json("audit", f"{TREE},fail=sw1.3", "--plan", TREE, status=None)
        self.assertTrue(audit["cabling"]["known"])
        self.assertEqual(audit["cabling"]["missing"], 1)
        self.assertIn("missing-cable", codes(audit))
        self.refused("audit", TREE, "--plan", "nothing:of=1", says="nothing")


class Ring(CliTest):
    """Five switches in a ring, a host at each; LIDs 1 to 5, and two for each host: 10 and 11, 12 and 13, ..."""

    def dump(self, hosts=lambda i: (10 + 2 * i, 1), switches=lambda i: i + 1):
        text = self.ok("topo", "ring:n=5", "--format", "ibnetdiscover", "-o", self.tmp / "ring.ibnetdiscover") and (self.tmp / "ring.ibnetdiscover").read_text()
        for i in range(5):
            text = re.sub(rf'("sw{i}" base port 0) lid 0 lmc 0', rf"\1 lid {switches(i)} lmc 0", text)
            lid, lmc = hosts(i)
            text = re.sub(rf'(Ca\s+1 "H-\w+"\s+# "host{i}"\n[^\n]*# )lid 0 lmc 0', rf"\1lid {lid} lmc {lmc}", text)
        (self.tmp / "ring.ibnetdiscover").write_text(text)
        return self.tmp / "ring.ibnetdiscover"

    def tables(self, *ways):
        """One block per switch; ways: of each path of a host (switch, destination switch) -> the next switch. Ports 2 lead on, 3 back."""
        out = []
        for sw in range(5):
            out.append(f"Unicast lids [0-19] of switch Lid {sw + 1} guid 0x{0x02696b0000000000 + 256 * sw:016x} ('sw{sw}'):")
            for to in range(5):
                for lid, way in [(to + 1, ways[0]), *((10 + 2 * to + p, w) for p, w in enumerate(ways))]:
                    port = (0 if lid < 10 else 1) if sw == to else 2 if way(sw, to) == (sw + 1) % 5 else 3
                    out.append(f"0x{lid:04x} {port:03d}")
        (self.tmp / "ring.lfts").write_text("\n".join(out) + "\n")
        return self.tmp / "ring.lfts"

    @staticmethod
    def row(sw, to):
        """Not over the cable between the last switch and the first."""
        return sw + 1 if sw < to else sw - 1

    @staticmethod
    def clockwise(sw, _to):
        return (sw + 1) % 5

    def test_every_lid_of_a_port_is_a_path(self):
        audit = self.json("audit", self.dump(), "--lfts", self.tables(self.row, self.clockwise), status=1)
        self.assertEqual(audit["max_lmc"], 1)
        self.assertEqual((audit["installed"]["pairs"], audit["installed"]["delivered"]), (5 * 8, 5 * 8))
        self.assertEqual(len(audit["installed"]["credit_loop"]), 5)
        self.assertTrue(any(step["destination_lid"] % 2 for step in audit["installed"]["credit_loop"]))
        audit = self.json("audit", self.dump(), "--lfts", self.tables(self.row, self.row))
        self.assertEqual(audit["installed"]["credit_loop"], [])
        self.assertIs(audit["installed"]["management_free"], True)

    def test_wrong_lids(self):
        tables = self.tables(self.row, self.row)
        for changes, named, rest in (({"switches": lambda i: max(i, 1)}, [("sw0", "sw1", "LID, 1")], 1),
                                     ({"hosts": lambda i: (11 + 2 * i, 1)}, [(f"host{i}", "not a multiple of 2") for i in range(5)], 1),
                                     ({"hosts": lambda i: (10 + 2 * i if i else 12, 1)}, [("host0", "host1", "LID, 12")], 1)):
            audit = self.json("audit", self.dump(**changes), "--lfts", tables, status=1)
            self.assertTrue(audit["partial"])
            self.assertIsNone(audit["tables"])
            self.assertIsNone(audit["installed"])
            clashes = [f for f in audit["findings"] if f["code"] == "lid-clash"]
            self.assertEqual(len(clashes), len(named) + rest)
            for found, words in zip(clashes, named):
                self.assertEqual(found["severity"], "error")
                for word in words:
                    self.assertIn(word, found["text"])
            self.assertIn("ring.lfts", clashes[-1]["text"])
            self.assertRegex(clashes[0]["remedy"], "^A (file of two subnets|port has 2.LMC LIDs).*dump the fabric again")
            self.assertNotIn("no-lid", codes(audit))
            self.assertIn("family", codes(audit))
        many = self.json("audit", self.dump(switches=lambda i: 1, hosts=lambda i: (1, 0)), status=1)
        self.assertEqual(codes(many).count("lid-clash"), 9)
        self.assertIn("and 1 more", [f for f in many["findings"] if f["code"] == "lid-clash"][-1]["text"])
        self.refused("deploy", self.dump(switches=lambda i: 1), "-r", "updown", "-o", self.tmp / "out", says=("sw0", "sw1"))
        audit = self.json("audit", self.dump(hosts=lambda i: (10 + 2 * i, int(i > 0))), "--lfts", tables, status=None)
        self.assertIn("mixed-lmc", codes(audit, "warning"))
        audit = self.json("audit", self.dump(hosts=lambda i: (10 + 2 * i if i else 0, 1 if i else 0)), "--lfts", tables, status=None)
        self.assertEqual(audit["lids_missing"], 1)
        self.assertIn("host0", finding(audit, "no-lid")["text"])

    def test_hosts_without_a_lid_are_shown_without(self):
        """What ikat calls them by is no LID of the subnet."""
        audit = self.json("audit", self.dump(hosts=lambda i: (10 + 2 * i if i else 0, 1 if i else 0)),
                          "--lfts", self.tables(self.row, self.row), status=1)
        self.assertTrue([f for f in audit["findings"] if "host0 (0x02696b0000000500), no LID" in f["text"]], audit["findings"])
        self.assertFalse([f for f in audit["findings"] if re.search(r"host0 \S+, LID", f["text"] + (f["evidence"] or ""))])

    def test_guids_given_twice(self):
        dump = self.dump()
        text = dump.read_text()
        for old, new, shown in (("caguid=0x2696b0000000600", "caguid=0x2696b0000000500", "0x02696b0000000500"),
                                ("(2696b0000000601)", "(2696b0000000501)", "0x02696b0000000501")):
            self.assertIn(old, text)
            dump.write_text(text.replace(old, new))
            audit = self.json("audit", dump, status=1)
            found = finding(audit, "duplicate-guid")
            self.assertEqual(found["severity"], "error")
            for word in ("host0", "host1", shown):
                self.assertIn(word, found["text"])

    def test_loops_of_one_service_level(self):
        """Without service levels everything is taken to be on SL 0, which the finding says."""
        tables, dump = self.tables(self.clockwise, self.clockwise), self.dump()
        found = finding(self.json("audit", dump, "--lfts", tables, status=1), "credit-loop")
        self.assertIn("SL 0", found["text"])
        self.assertIn("no service levels were given", found["evidence"])
        self.assertIn("--path-records", found["remedy"])
        self.assertIn("--policy", found["remedy"])

    def test_ports_that_a_switch_has_not(self):
        tables = self.tables(self.row, self.row)
        text = tables.read_text()
        at = text.index("0x0001 003")
        tables.write_text(text[:at] + "0x0001 009" + text[at + 10:])
        line = text[:at].count("\n") + 1
        audit = self.json("audit", self.dump(), "--lfts", tables, status=1)
        self.assertTrue(audit["partial"])
        found = finding(audit, "wrong-ports")
        self.assertEqual(found["severity"], "error")
        self.assertIn(f"ring.lfts:{line}:8: sw1 ", found["text"])
        self.assertIn("has no port 9, but 3 ports; such entries (1)", found["text"])
        self.assertEqual(audit["installed"]["missing_entries"], 1)
        self.assertIn("ring.lfts:", self.refused("check", self.dump(), "--routing", f"lft:path={tables}"))

    def test_half_a_dump(self):
        dump = self.dump()
        text = dump.read_text()
        dump.write_text(text[: text.index("switchguid=0x2696b0000000400")] + text[text.index("caguid=") :])
        audit = self.json("audit", dump, "--lfts", self.tables(self.row, self.row), status=1)
        self.assertTrue(audit["partial"])

    def test_lanes(self):
        """Clockwise all round on two lanes: hosts 0 and 1 ask on SL 0, the others on SL 1; with VL 15 for SL 1 what travels on it is dropped."""
        tables, dump = self.tables(self.clockwise, self.clockwise), self.dump()
        guids = ", ".join(f"0x{0x02696b0000000501 + 256 * i:x}" for i in (2, 3, 4))
        policy = self.tmp / "policy"
        policy.write_text("port-groups\nport-group\nname: others\nport-guid: " + guids + "\nend-port-group\nend-port-groups\n"
                          "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nend-qos-level\nqos-level\nname: one\nsl: 1\nend-qos-level\nend-qos-levels\n"
                          "qos-match-rules\nqos-match-rule\nsource: others\nqos-level-name: one\nend-qos-match-rule\nend-qos-match-rules\n")
        audit = self.json("audit", dump, "--lfts", tables, "--policy", policy, status=1)
        self.assertEqual(audit["installed"]["vls_used"], 2)
        self.assertNotIn("if all packets", finding(audit, "credit-loop")["text"])
        self.assertIn("lanes-assumed", codes(audit, "note"))
        loop = audit["installed"]["credit_loop"]
        self.assertTrue(all(step["sl"] == step["vl"] for step in loop))
        self.assertTrue(loop[0]["vl"] or any(step["reply"] for step in loop))  # requests of hosts 0 and 1 never wait for the last cable's next
        conf = self.tmp / "opensm.conf"
        lanes = "qos TRUE\n" + "".join(f"{who}_{what}\n" for who in ("qos_ca", "qos_swe") for what in ("max_vls 8", "sl2vl 0,15,0,0,0,0,0,0,0,0,0,0,0,0,0,0"))
        conf.write_text(lanes)
        audit = self.json("audit", dump, "--lfts", tables, "--policy", policy, "--sl2vl", conf, status=1)
        self.assertIn("dropped", codes(audit, "error"))
        # the three others send 3 * 8 pairs on SL 1, the first two reply on it to 2 * 3 hosts with 2 LIDs each
        self.assertEqual(audit["installed"]["dropped"], 3 * 8 + 2 * 3 * 2)
        other = self.tmp / "lanes"  # what a file holds counts, not its name
        other.write_text("# comment\n" + lanes)
        again = self.json("audit", dump, "--lfts", tables, "--policy", policy, "--sl2vl", other, status=1)
        self.assertEqual(again["installed"]["dropped"], audit["installed"]["dropped"])
        conf.write_text("# a dump\nSwitch 0x02696b0000000000, base LID 1, \"sw0\"\n#in out : 0\n1 2 : " + "0 " * 16 + "\n")
        self.assertIn("sl2vl-holes", codes(self.json("audit", dump, "--lfts", tables, "--policy", policy, "--sl2vl", conf, status=1)))
        conf.write_text("guid 0x1\n")
        self.refused("audit", dump, "--lfts", tables, "--policy", policy, "--sl2vl", conf, says="opensm.conf:")


class Document(CliTest):
    def test_transcripts(self):
        """What docs/auditing.md shows is what is printed; a last line of dots stands for the rest."""
        count = 0
        for command, shown in re.findall(r"```console\n\$ ikat ((?:audit|failures) (?:data|file:)[^\n]*)\n(.*?)```", (SOURCE / "docs" / "auditing.md").read_text(), re.S):
            printed = self.ok(*command.split(), status=None)
            shown = shown.removesuffix("...\n")
            self.assertEqual(printed[: len(shown)], shown, command)
            count += 1
        self.assertEqual(count, 4)


if __name__ == "__main__":
    unittest.main()
