"""`ikat watch`: rounds over dumps that change. Findings of each round are compared with `ikat audit --json` of the same files, changes of
the fabric with what was changed in the dump."""
import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import termios
import time
import unittest

import harness
from harness import SOURCE

CLUSTER, TABLES = SOURCE / "data/cluster96.ibnetdiscover", SOURCE / "data/cluster96.lfts"
COUNTERS = SOURCE / "tests/data/counters"
SWITCH = "SwitchIB Mellanox Technologies (0x0200c9a000ec00{:02x})"
OWN = {"cannot-read", "command-warned", "cannot-write"}


def cut(dump, guid, port):
    """The dump without one cable between switches."""
    blocks = dump.split("\n\n")
    here = next(i for i, b in enumerate(blocks) if f'"S-{guid}"\t\t#' in b)
    line = re.search(rf'^\[{port}\]\t"S-(\w+)"\[(\d+)\].*\n', blocks[here], re.M)
    there = next(i for i, b in enumerate(blocks) if f'"S-{line[1]}"\t\t#' in b)
    blocks[here] = blocks[here].replace(line[0], "")
    blocks[there] = re.sub(rf'^\[{line[2]}\]\t"S-{guid}".*\n', "", blocks[there], flags=re.M)
    return "\n\n".join(blocks)


def swap(dump, switch, one, other):
    """Two cables of a switch with their far ends exchanged."""
    blocks = dump.split("\n\n")
    here = next(i for i, b in enumerate(blocks) if f'"S-{switch}"\t\t#' in b)
    ends = {port: re.search(rf'^\[{port}\]\t"S-(\w+)"\[(\d+)\](.*)$', blocks[here], re.M) for port in (one, other)}
    for port, end in ((one, ends[other]), (other, ends[one])):
        blocks[here] = re.sub(rf'^\[{port}\]\t.*$', f'[{port}]\t"S-{end[1]}"[{end[2]}]{end[3]}', blocks[here], count=1, flags=re.M)
    for port, end in ((other, ends[one]), (one, ends[other])):
        there = next(i for i, b in enumerate(blocks) if f'"S-{end[1]}"\t\t#' in b)
        blocks[there] = re.sub(rf'^\[{end[2]}\]\t"S-{switch}"\[\d+\]', f'[{end[2]}]\t"S-{switch}"[{port}]', blocks[there], flags=re.M)
    return "\n\n".join(blocks)


def without_host(dump, name):
    """The dump without a host."""
    blocks = dump.split("\n\n")
    gone = next(i for i, b in enumerate(blocks) if re.search(rf'^Ca\t.*"{name} ', b, re.M))
    guid = re.search(r'^Ca\t\d+ "(H-\w+)"', blocks[gone], re.M)[1]
    return re.sub(rf'^\[\d+\]\t"{guid}".*\n', "", "\n\n".join(b for i, b in enumerate(blocks) if i != gone), flags=re.M)


class WatchTest(harness.CliTest):
    """Rounds with --once and a state, which are the same as those of one process."""

    def setUp(self):
        super().setUp()
        self.dump, self.tables, self.counters, self.state = (self.tmp / name for name in ("dump", "tables.lfts", "counted", "state"))
        self.put(self.dump, CLUSTER.read_text())
        self.tables.write_text(TABLES.read_text())
        self.fabric = ("--fabric-command", f"cat {self.dump}")
        self.both = (*self.fabric, "--lfts-command", f"cat {self.tables}")

    def put(self, path, text):
        """A running watch reads the whole of the new text or of the old one."""
        (self.tmp / "new").write_text(text)
        (self.tmp / "new").rename(path)

    def once(self, *args, status=None, **kwargs):
        """One round as JSON."""
        return self.json("watch", "--once", "--state", self.state, *args, status=status, **kwargs)

    def changes(self, report):
        return [(c["change"], c["code"]) for c in report["changes"]]

    def own(self, report):
        return {f["place"]: f["text"] for f in report["findings"] if f["code"] == "cannot-read"}

    def sigterm(self, process):
        process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, errors)
        return out

    def start(self, *args, **kwargs):
        process = subprocess.Popen([harness.IKAT, "watch", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=SOURCE, **kwargs)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    # ---- what is found

    def same_as_audit(self, report, *files):
        """Open findings are those of an audit of the same files."""
        audit = self.json("audit", *files, "--routing", "none", status=None)
        mine = sorted((f["severity"], f["code"], f["place"] or "", f["text"]) for f in report["findings"] if f["code"] not in OWN)
        theirs = sorted((f["severity"], f["code"], f["place"] or "", f["text"]) for f in audit["findings"])
        self.assertEqual(mine, theirs)
        for name in ("errors", "warnings", "notes", "hosts", "switches"):
            self.assertEqual(report[name], audit[name], name)
        if audit["installed"]:
            self.assertEqual(report["largest_load"], audit["installed"]["max_load"])
            self.assertEqual(report["lost_pairs"], audit["installed"]["pairs"] - audit["installed"]["delivered"] - audit["installed"]["unconnected"])

    def test_findings_are_those_of_an_audit(self):
        """Over a history of damages; what opened and closed is the difference of two audits; what is not changed is not reported."""
        whole = CLUSTER.read_text()
        once_cut = cut(whole, "0200c9a000ec0060", 11)
        history = [whole, whole, once_cut, cut(once_cut, "0200c9a000ec0060", 3), once_cut, swap(whole, "0200c9a000ec0000", 13, 19), without_host(whole, "gpu011"), whole]
        open_before, rounds = set(), []
        for number, dump in enumerate(history):
            self.put(self.dump, dump)
            report = self.once(*self.both)
            rounds.append(report)
            with self.subTest(round=number):
                self.same_as_audit(report, self.dump, "--lfts", self.tables)
                self.assertTrue(report["good"])
                self.assertEqual(report["round"], number + 1)
                now = {(f["code"], f["place"]) for f in report["findings"]}
                told = {kind: {(c["code"], c["place"]) for c in report["changes"] if c["change"] == kind} for kind in ("opened", "closed")}
                self.assertLessEqual(now - open_before, told["opened"])
                self.assertLessEqual(open_before - now, told["closed"])
                open_before = now
                if number and dump == history[number - 1]:
                    self.assertEqual(report["changes"], [])
        cable = f"{SWITCH.format(0x60)} port 11 to {SWITCH.format(0x40)} port 11"  # by the order of the dump
        self.assertIn(("vanished", "cable", cable), [(c["change"], c["code"], c["text"]) for c in rounds[2]["changes"]])
        self.assertEqual([c["change"] for c in rounds[3]["changes"] if c["code"] == "cable"], ["vanished"])
        self.assertEqual([c["change"] for c in rounds[4]["changes"] if c["code"] == "cable"], ["appeared"])
        swapped = [(c["change"], c["code"]) for c in rounds[5]["changes"] if c["code"] == "cable"]
        self.assertEqual(sorted(swapped), [("appeared", "cable")] * 3 + [("vanished", "cable")] * 2)  # and the cut one is back
        gone = [(c["change"], c["code"], c["text"]) for c in rounds[6]["changes"] if c["code"] in ("host", "switch")]
        self.assertEqual(gone, [("vanished", "host", "gpu011 HCA-1 (0x0200c9b000400034)")])
        back = [(c["change"], c["text"]) for c in rounds[7]["changes"] if c["code"] == "host"]
        self.assertEqual(back, [("appeared", gone[0][2])])
        slow = next(f for f in rounds[7]["findings"] if f["code"] == "slow-link")
        self.assertEqual((slow["times"], slow["first"]), (2, rounds[0]["time"]))

    def test_order_of_a_dump_is_no_change(self):
        """ibnetdiscover prints nodes in the order of their answers. Whole and damaged fabrics, in several orders: not one change."""
        cases = [(cut(cut(CLUSTER.read_text(), "0200c9a000ec0060", 3), "0200c9a000ec0000", 20), ("--lfts-command", f"cat {self.tables}")),
                 (swap(CLUSTER.read_text(), "0200c9a000ec0000", 13, 19), ()), ((COUNTERS / "ring5.ibnetdiscover").read_text(), ())]
        for spec in ("torus:dims=4:4,fail=sw0.1", "dragonfly:h=2,fail=1%", "rlft:ports=8,levels=3,fail=3%", "jellyfish:N=20,d=4"):
            self.ok("topo", spec, "--format", "ibnetdiscover", "-o", self.tmp / "made")
            cases.append(((self.tmp / "made").read_text(), ()))
        for dump, tables in cases:
            head, *blocks = dump.rstrip("\n").split("\n\n")
            reports, known = [], self.tmp / "known.json"
            for seed in range(4):
                random.Random(seed).shuffle(blocks)
                self.put(self.dump, "\n\n".join([head, *blocks]) + "\n")
                reports.append(self.once(*self.fabric, *tables))
                audit = self.json("audit", self.dump, "--routing", "none", *(("--baseline", known) if seed else ()), status=None)
                self.assertEqual((audit["errors"] + audit["warnings"] + audit["notes"], audit["gone"]) if seed else (0, 0), (0, 0))
                known.write_text(json.dumps(audit))
                if seed:
                    self.assertEqual(reports[-1]["changes"], [])
                    for finding, again in zip(reports[0]["findings"], reports[-1]["findings"]):  # an example may be another one
                        self.assertEqual([v for k, v in finding.items() if k != "text" and k != "place" or "the first " not in finding["text"]],
                                         [v for k, v in again.items() if k != "text" and k != "place" or "the first " not in finding["text"]])

    def test_published_dumps(self):
        """Dumps of other clusters and simulators, two rounds of each: the numbers of an audit, and nothing changes in the second."""
        dumps = sorted((SOURCE / "tests/data/fabrics").rglob("*.net*"))
        self.assertGreater(len(dumps), 4)
        for path in dumps:
            with self.subTest(dump=path.name):
                args = ("--fabric-command", f"{'zcat' if path.suffix == '.gz' else 'cat'} {path}")
                if path.name.startswith("anynet"):
                    continue  # no dump of a subnet
                audit = self.json("audit", path, "--routing", "none", status=None)
                report = self.once(*args)
                self.assertEqual(sorted((f["severity"], f["code"]) for f in report["findings"]), sorted((f["severity"], f["code"]) for f in audit["findings"]))
                self.assertEqual(self.once(*args)["changes"], [])

    def test_growing(self):
        """A finding with more than twice of what was reported is reported again; a smaller one is not."""
        whole = CLUSTER.read_text()
        cuts = [whole]
        for port in (1, 2, 3, 4, 5):
            cuts.append(cut(cuts[-1], "0200c9a000ec0060", port))
        told = []
        for dump in (cuts[1], cuts[2], cuts[5], cuts[4]):
            self.put(self.dump, dump)
            report = self.once(*self.both)
            lost = next(f for f in report["findings"] if f["code"] == "dead-port")
            told.append(([c["change"] for c in report["changes"] if c["code"] == "dead-port"], int(lost["text"].split()[0])))
        self.assertEqual([t[0] for t in told][::3], [["opened"], []])
        for i in (1, 2):
            base = told[0][1] if not told[1][0] or i == 1 else told[1][1]
            self.assertEqual(told[i][0], ["grew"] if told[i][1] > 2 * base else [])
        self.assertIn(["grew"], [t[0] for t in told])

    def test_counters(self):
        """The first reading is a beginning; then rises are findings, those of an audit with both readings."""
        ring = COUNTERS / "ring5.ibnetdiscover"
        first, later = (COUNTERS / "ring5.ibqueryerrors").read_text(), (COUNTERS / "ring5.ibqueryerrors2").read_text()
        args = ("--fabric-command", f"cat {ring}", "--counters-command", f"cat {self.counters}; exit 1", "--metrics", self.tmp / "m.prom")
        seen = []
        for text in (first, first, later, later):
            self.counters.write_text(text)
            kept = (self.state / "counters").read_bytes() if seen else first.encode()
            report = self.once(*args)
            self.assertTrue(report["good"], report)
            if seen:
                before = self.tmp / "before"
                before.write_bytes(kept)
                audit = self.json("audit", ring, "--counters", before, "--counters-later", self.counters, "--interval", "10s", "--routing", "none", status=None)
                self.assertEqual(sorted((f["severity"], f["code"], f["place"] or "") for f in report["findings"] if f["code"] != "impossible-load"), sorted((f["severity"], f["code"], f["place"] or "") for f in audit["findings"]))
            seen.append({f["code"] for f in report["findings"]} & {"symbol-errors", "port-errors", "link-downed", "discards"})
            metrics = dict(re.findall(r"^(\w+) (\S+)$", (self.tmp / "m.prom").read_text(), re.M))
            self.assertEqual(metrics["ikat_port_counters_risen"] != "0", bool(seen[-1]))
        self.assertEqual([bool(s) for s in seen], [False, False, True, False])

    def test_counters_of_a_node_that_vanished(self):
        """Ports that only the reading before has are no finding."""
        self.counters.write_text((COUNTERS / "ring5.ibqueryerrors").read_text())
        self.put(self.dump, (COUNTERS / "ring5.ibnetdiscover").read_text())
        args = (*self.fabric, "--counters-command", f"cat {self.counters}")
        self.once(*args)
        (self.state / "counters").write_text((COUNTERS / "ring5.ibqueryerrors").read_text() + "Errors for 0x1234567 \"gone\"\n   GUID 0x1234567 port 1: [SymbolErrorCounter == 3]\n")
        os.utime(self.state / "counters", (1, 1))
        self.assertNotIn("unknown-counters", [f["code"] for f in self.once(*args)["findings"]])

    # ---- commands that go wrong

    def test_commands_that_fail(self):
        """Each is a finding, nothing else opens or closes, and all is as it was when it works again."""
        before = self.once(*self.both)
        lines = {"status": ("echo half; exit 3", "status 3"), "missing": ("no_such_program", "status 127"), "signal": ("kill -9 $$", "signal 9"),
                 "says": ("echo first >&2; echo cannot open port >&2; exit 1", "cannot open port"), "empty": ("true", "printed nothing"),
                 "garbage": ("head -c 3000 /bin/ls", "fabric.new:"), "text": ("echo this is no dump", "fabric.new:"),
                 "hangs": ("sleep 1000", "within 0.3 s"), "hangs in a pipe": ("sleep 1000 | cat", "within 0.3 s"),
                 "ignores": ("trap '' TERM INT; while true; do sleep 100; done", "within 0.3 s"), "endless": ("cat /dev/zero", "printed 2 MiB"), "endless lines": ("yes", "printed 2 MiB"),
                 "half": (f"head -c 7000 {self.dump}", None)}
        for name, (command, says) in lines.items():
            with self.subTest(command=name):
                report = self.once("--fabric-command", command, *self.both[2:], "--timeout", "300ms" if says and says.startswith("within") else "600s", "--output-limit", "2MiB", status=None if says is None else 2)
                if says is None and report["good"]:
                    continue
                self.assertFalse(report["good"])
                self.assertEqual(self.changes(report)[:1], [("opened", "cannot-read")])
                self.assertIn(says or "", self.own(report)["fabric"])
                self.assertEqual([f for f in report["findings"] if f["code"] not in OWN], before["findings"])
                self.assertEqual(report["last_good"], before["last_good"])
                again = self.once(*self.both)
                self.assertEqual(self.changes(again), [("closed", "cannot-read")])
                before["last_good"] = again["last_good"]
        self.assertEqual(sorted(p.name for p in self.state.iterdir()), ["fabric", "lock", "state.json", "tables"])

    def test_each_input(self):
        for option, name in (("--lfts-command", "tables"), ("--counters-command", "counters")):
            with self.subTest(input=name):
                good = self.once(*self.fabric)
                report = self.once(*self.fabric, option, "echo nonsense", status=2)
                self.assertEqual(set(self.own(report)), {name})
                self.assertEqual(self.changes(self.once(*self.fabric)), [("closed", "cannot-read")])
                self.assertTrue(good["good"])

    def test_standard_error_of_a_command_that_works(self):
        for command, codes in ((f"cat {self.dump}; echo 'node 7 was silent' >&2", [("opened", "command-warned")]), (f"cat {self.dump}; echo 'node 8 was silent' >&2", []),
                               (f"cat {self.dump}", [("closed", "command-warned")])):
            self.once(*self.fabric)
            report = self.once("--fabric-command", command)
            if codes != [] and codes[0][0] == "closed":
                self.assertEqual(self.changes(report), [])
            elif codes:
                self.assertEqual(self.changes(report), codes)
                self.assertIn("node 7 was silent", report["changes"][0]["text"])
                self.assertEqual(self.changes(self.once("--fabric-command", command)), [])

    def test_what_a_command_leaves_running(self):
        """It is killed with its group."""
        mark = f"{os.getpid()}.5"
        self.once("--fabric-command", f"cat {self.dump}; sleep {mark} & sleep {mark} & true")
        self.assertNotIn(f"sleep {mark}", subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout)

    # ---- the state

    def test_restart(self):
        """Three processes, and one that sees three rounds, report the same; a restart alone reports nothing."""
        self.assertNotEqual(self.once(*self.both)["changes"], [])
        for _ in range(3):
            self.assertEqual(self.once(*self.both)["changes"], [])
        process = self.start(*self.both, "--state", self.state, "--every", "50ms", "-v")
        lines = [process.stdout.readline() for _ in range(3)]
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT[\d:]+Z round \d+ was good in ")
        self.put(self.dump, cut(CLUSTER.read_text(), "0200c9a000ec0060", 11))
        while "vanished" not in line:
            line = process.stdout.readline()
        self.sigterm(process)
        self.assertEqual(self.once(*self.both)["changes"], [])

    def test_two_watchers(self):
        process = self.start(*self.fabric, "--state", self.state, "--every", "1h")
        while " round 1 " not in process.stdout.readline():
            pass
        self.refused("watch", *self.fabric, "--state", self.state, "--once", says=["another 'ikat watch'", str(self.state)])
        self.sigterm(process)
        self.once(*self.fabric)

    def test_killed_anywhere(self):
        """Whatever moment a watch is killed at, the next one goes on, and all changes were or are reported."""
        whole, damaged = CLUSTER.read_text(), cut(CLUSTER.read_text(), "0200c9a000ec0060", 11)
        self.once(*self.both)
        self.put(self.dump, damaged)
        for delay in [0.001 * k * k for k in range(1, 9)]:
            process = self.start(*self.both, "--state", self.state, "--every", "20ms")
            time.sleep(delay)
            process.kill()
            reported = "vanished cable" in process.stdout.read()
            process.wait()
            done = harness.run("watch", *self.both, "--state", self.state, "--once")
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertTrue(reported or "vanished cable" in done.stdout, done.stdout)
            self.put(self.dump, whole)
            self.once(*self.both)
            self.put(self.dump, damaged)
        self.assertEqual(sorted(p.name for p in self.state.iterdir()), ["fabric", "lock", "state.json", "tables"])

    def test_damaged_state(self):
        """It is said, put aside, and begun anew."""
        self.once(*self.both)
        good = (self.state / "state.json").read_text()
        value = json.loads(good)
        for name in value["findings"][0]:
            for wrong in (None, [], "x" if not isinstance(value["findings"][0][name], str) else 7, -1):
                copy = json.loads(good)
                copy["findings"][0][name] = wrong
                self.damaged(json.dumps(copy))
        for text in ("", "{", "[]", "null", good[:100], good.replace('"format": 1', '"format": 2'), good.replace("ikat watch", "ikat wotch"), "\0" + good, good + "x", '{"findings": []}'):
            self.damaged(text)

    def damaged(self, text):
        with self.subTest(state=text[:200]):
            (self.state / "state.json").write_text(text)
            done = harness.run("watch", *self.both, "--state", self.state, "--once")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("the state is begun anew", done.stderr)
            self.assertIn("opened", done.stdout)
            self.assertEqual((self.state / "state.json.damaged").read_text(), text)

    def test_damaged_files_beside_the_state(self):
        self.once(*self.both)
        (self.state / "fabric").write_text("nonsense")
        done = harness.run("watch", *self.both, "--state", self.state, "--once")
        self.assertIn(f"{self.state}/fabric:1:1: ", done.stderr)
        self.assertIn("vanished", done.stderr)
        self.assertNotIn("anew", done.stderr)
        self.assertNotIn("opened", done.stdout)

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_state_that_cannot_be_opened(self):
        """It is not replaced by a new one."""
        self.once(*self.both)
        os.chmod(self.tmp, 0o755)
        os.chmod(self.state, 0o777)
        os.chmod(self.state / "lock", 0o666)
        for name in ("state.json", "fabric"):
            with self.subTest(file=name):
                for path in self.state.iterdir():
                    path.chmod(0o666)
                (self.state / name).chmod(0o600)
                before = (self.state / "state.json").read_bytes()
                done = subprocess.run([harness.IKAT, "watch", *self.both, "--state", self.state, "--once"], capture_output=True, text=True, user=65534, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"{self.state / name}: cannot be opened", done.stderr)
                self.assertEqual((self.state / "state.json").read_bytes(), before)

    def test_names_of_folders(self):
        """Whatever a name looks like, it is that of a folder."""
        for name in ("torus:dims=4", "a,b=\"c\"", "xgft", "(", "two words", "file:path=x"):
            with self.subTest(name=name):
                args = ("watch", *self.both, "--counters-command", f"cat {COUNTERS / 'ring5.ibqueryerrors'}; exit 1", "--state", name, "--once")
                report = self.json(*args, cwd=self.tmp, status=2)
                self.assertIn(f"{name}/counters:", self.own(report)["counters"])
                report = self.json(*args[:5], *args[7:], cwd=self.tmp)
                self.assertIn(("closed", "cannot-read"), self.changes(report))
                self.assertEqual(self.json(*args[:5], *args[7:], cwd=self.tmp)["changes"], [])

    def test_files_of_others(self):
        """A folder that has such files, but none of a watch, is refused and left as it is."""
        for name in ("fabric", "tables", "counters", "state.json"):
            folder = self.tmp / f"of_{name}"
            folder.mkdir()
            (folder / name).write_text("mine")
            self.refused("watch", *self.fabric, "--state", folder, "--once", says=[str(folder / name), "a folder of its own"])
            self.assertEqual([(p.name, p.read_text()) for p in folder.iterdir()], [(name, "mine")])

    # ---- what cannot be written

    def test_metrics_that_cannot_be_written(self):
        self.refused("watch", *self.fabric, "--once", "--metrics", self.tmp / "no/where.prom", says="no/where.prom")
        folder = self.tmp / "folder"
        folder.mkdir()
        process = self.start(*self.fabric, "--metrics", folder / "m.prom", "--every", "50ms", "--state", self.state)
        while not (folder / "m.prom").exists():
            time.sleep(0.01)
        (folder / "m.prom").unlink()
        folder.rename(self.tmp / "away")
        line = ""
        while "opened error [cannot-write]" not in line:
            line = process.stdout.readline()
        self.assertIn("m.prom", line)
        (self.tmp / "away").rename(folder)
        while "closed error [cannot-write]" not in line:
            line = process.stdout.readline()
        self.assertIn("(opened ", line)
        self.sigterm(process)
        self.assertFalse([p for p in folder.iterdir() if p.name.endswith(".tmp")])

    def test_full_disk(self):
        """/dev/full stands for it: the metrics are an error at the end; a state that cannot be written, too."""
        done = harness.run("watch", *self.fabric, "--once", "--metrics", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/dev/full", done.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([harness.IKAT, "watch", *self.fabric, "--state", self.state], stdout=full, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("No space left", done.stderr)

    # ---- ending, usage

    def test_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for command in (f"cat {self.dump}", "sleep 1000"):
                with self.subTest(signal=number, command=command):
                    begun = self.tmp / "begun"
                    begun.unlink(missing_ok=True)
                    process = self.start("--fabric-command", f"touch {begun}; {command}", "--every", "1h", "--state", self.state)
                    while not begun.exists():
                        time.sleep(0.01)
                    began = time.monotonic()
                    process.send_signal(number)
                    process.communicate(timeout=600)
                    self.assertEqual(process.returncode, 0)
                    self.assertLess(time.monotonic() - began, 500)  # of the thousand that the command takes
                    self.assertFalse([p for p in self.state.iterdir() if p.name.endswith((".new", ".tmp"))])

    def test_closed_terminal(self):
        """It sends more than one SIGHUP: nothing is left, neither files nor processes. nohup keeps it away."""
        (self.tmp / "t").mkdir()
        for nohup in (False, True):
            held, open_in_children = os.pipe()
            self.addCleanup(os.close, held)
            process = self.start("--fabric-command", f"touch {self.tmp}/begun; cat {self.dump}; sleep {1 if nohup else 1000} | cat; touch {self.tmp}/end", "--once",
                                 env={**os.environ, "TMPDIR": str(self.tmp / "t")}, pass_fds=[open_in_children],
                                 preexec_fn=(lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) if nohup else None)
            os.close(open_in_children)
            while not (self.tmp / "begun").exists():
                time.sleep(0.01)
            (self.tmp / "begun").unlink()
            process.send_signal(signal.SIGHUP)
            process.send_signal(signal.SIGHUP)
            process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0 if nohup else 130)
            self.assertEqual((self.tmp / "end").exists(), nohup)
            self.assertEqual(list((self.tmp / "t").iterdir()), [])
            self.assertTrue(select.select([held], [], [], 60)[0])  # the last process has closed it

    def test_terminal(self):
        """A command that asks for a password there fails at once, and takes nothing of what is typed."""
        here, there = pty.openpty()
        self.addCleanup(os.close, here)
        os.write(here, b"secret\n")
        with os.fdopen(there, "rb") as terminal:
            done = subprocess.run([harness.IKAT, "watch", "--fabric-command", "read x; read y </dev/tty; echo got $x $y", "--once", "--state", self.state], stdin=terminal,
                                  capture_output=True, text=True, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), timeout=600, check=False)
            self.assertIn("/dev/tty", done.stdout)
            self.assertNotIn("killed", done.stdout)
            self.assertEqual(terminal.readline(), b"secret\n")

    def test_as_it_was_started(self):
        """By a program that ignores the ends of its children, or that has closed the streams: nothing goes into another file."""
        done = subprocess.run([harness.IKAT, "watch", *self.both, "--once"], preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            with self.subTest(closed=closed):
                state = self.tmp / f"state{len(closed)}{closed[0]}"
                done = subprocess.run([harness.IKAT, "watch", *self.both, "--state", state, "--once"], preexec_fn=lambda: [os.close(stream) for stream in closed], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
                self.assertEqual(done.returncode, 2 if 1 in closed else 0, done.stderr)
                self.assertEqual(done.stderr, "ikat: could not write the output: Bad file descriptor\n" if closed == (1,) else "")
                self.assertEqual((state / "lock").read_bytes(), b"")

    def test_temporary_folder(self):
        """Without --state nothing is left."""
        environment = {"TMPDIR": str(self.tmp / "t")}
        (self.tmp / "t").mkdir()
        self.ok("watch", *self.both, "--once", env=environment)
        self.assertEqual(list((self.tmp / "t").iterdir()), [])
        self.refused("watch", *self.both, "--once", env={"TMPDIR": str(self.tmp / "none")}, says="none")
        self.refused("watch", *self.both, "--once", "--state", self.tmp / "no/where", says="no/where")
        self.refused("watch", *self.both, "--once", "--state", self.tmp / ("x" * 250), says="expected 1 to")

    def test_wrong_usage(self):
        self.refused("watch", "--once", says=["--fabric-command", "ibnetdiscover"])
        self.refused("watch", *self.fabric, "--once", "--every", "5s", says="--every")
        self.refused("watch", *self.fabric, "--every", "5", says="time")
        self.refused("watch", *self.fabric, "--every", "0s", says="--every")
        self.refused("watch", *self.fabric, "--every", "10000h", says="too large")
        self.refused("watch", *self.fabric, "--output-limit", "0 B", says="--output-limit")
        self.refused("watch", *self.fabric, "--engine", "ftree", says="--lfts-command")
        self.refused("watch", *self.fabric, "ibnetdiscover", says="ibnetdiscover")
        self.refused("watch", *self.fabric, "--once", "--json", "--all", says=["--all", "--json"])
        for option in ("--names", "--guid2lid", "--plan", "--baseline"):
            self.refused("watch", *self.fabric, "--state", self.state, option, "/nowhere", says="/nowhere")
        self.refused("watch", *self.both, "--engine", "fftree", says="fftree")
        self.refused("watch", *self.both, "--sl2vl", "/nowhere", says="/nowhere")

    def test_files_that_go_wrong_later(self):
        """They are findings then."""
        names = self.tmp / "names"
        self.put(names, (SOURCE / "data/cluster96.names").read_text())
        process = self.start(*self.fabric, "--names", names, "--every", "50ms", "--state", self.state)
        line = ""
        while " round 1 " not in line:
            line = process.stdout.readline()
        self.put(names, "nonsense")
        while "opened error [cannot-read]" not in line:
            line = process.stdout.readline()
        self.assertIn(f"{names}:1:1: ", line)
        self.put(names, (SOURCE / "data/cluster96.names").read_text())
        while "closed error [cannot-read]" not in line:
            line = process.stdout.readline()
        self.sigterm(process)

    # ---- what is printed

    def test_journal(self):
        """Priorities where standard output is the journal, as JOURNAL_STREAM says; else the time."""
        self.put(self.dump, cut(CLUSTER.read_text(), "0200c9a000ec0060", 11))
        for right in (True, False):
            with open(self.tmp / "journal", "w+", encoding="utf-8") as out:
                about = os.fstat(out.fileno())
                subprocess.run([harness.IKAT, "watch", *self.both, "--once"], stdout=out, check=False,
                               env={**os.environ, "JOURNAL_STREAM": f"{about.st_dev}:{about.st_ino + (not right)}"})
                out.seek(0)
                lines = out.read().splitlines()
            self.assertTrue(lines)
            for line in lines:
                if not right:
                    self.assertRegex(line, r"^\d{4}-")
                    continue
                level = {"error": 3, "warning": 4, "note": 6}.get(line.split()[1], 6)
                self.assertTrue(line.startswith(f"<{level}>"), line)

    def test_lines_that_are_alike(self):
        blocks = CLUSTER.read_text()
        for number in range(11, 25):
            blocks = without_host(blocks, f"gpu0{number}")
        self.once(*self.fabric)
        for option, count in (((), 8), (("--all",), 14)):
            self.put(self.dump, blocks)
            lines = self.ok("watch", *self.fabric, "--once", "--state", self.state, *option, status=None).splitlines()
            self.assertEqual(sum(" vanished host " in line for line in lines), count)
            self.assertEqual(any("vanished 6 more of host" in line for line in lines), count == 8)
            self.put(self.dump, CLUSTER.read_text())
            self.once(*self.fabric)

    def test_metrics(self):
        """The text format: every line is a comment or a sample, labels are escaped, values are those of the JSON."""
        path = self.tmp / "m.prom"
        odd = 'a\\"b{}=,\\\\ €'
        ring = (COUNTERS / "ring5.ibnetdiscover").read_text()
        self.put(self.dump, ring.replace('"S0"', f'"{odd.replace(chr(34), chr(39))}"'))
        args = (*self.fabric, "--counters-command", f"cat {self.counters}", "--metrics", path)
        for text in ("ring5.ibqueryerrors", "ring5.ibqueryerrors2"):
            self.counters.write_text((COUNTERS / text).read_text())
            report = self.once(*args)
        samples, types = self.samples(path.read_text())
        self.assertEqual(samples["ikat_round_good", ()], 1)
        for severity in ("error", "warning", "note"):
            self.assertEqual(samples["ikat_open_findings", (("severity", severity),)], report[severity + "s"])
        for f in report["findings"]:
            key = "ikat_open_findings_by_code", (("severity", f["severity"]), ("code", f["code"]))
            self.assertEqual(samples[key], sum((g["severity"], g["code"]) == (f["severity"], f["code"]) for g in report["findings"]))
        for what in ("hosts", "switches", "cables"):
            self.assertEqual(samples[f"ikat_{what}", ()], report[what])
        self.assertEqual({n for n, _ in samples} - set(types), set())
        rises = [dict(labels) for n, labels in samples if n == "ikat_port_counter_rise"]
        self.assertEqual(len(rises), samples["ikat_port_counters_risen", ()])
        self.assertIn(odd.replace('"', "'"), {r["node"] for r in rises})
        self.assertAlmostEqual(samples["ikat_good_round_timestamp_seconds", ()], time.time(), delta=3600)
        self.once("--fabric-command", "false", "--metrics", path, status=2)
        samples, _ = self.samples(path.read_text())
        self.assertEqual((samples["ikat_round_good", ()], samples["ikat_command_good", (("input", "fabric"),)]), (0, 0))
        self.assertLess(samples["ikat_good_round_timestamp_seconds", ()], samples["ikat_round_timestamp_seconds", ()])

    def samples(self, text):
        """A reader of the text format, by its specification."""
        samples, types = {}, {}
        self.assertTrue(text.endswith("\n"))
        for line in text.splitlines():
            if line.startswith("# "):
                kind, name, rest = line[2:].split(" ", 2)
                self.assertIn(kind, ("HELP", "TYPE"))
                if kind == "TYPE":
                    self.assertNotIn(name, types)
                    types[name] = rest
                continue
            match = re.fullmatch(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)', line)
            self.assertTrue(match, line)
            labels = tuple((k, re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], v)) for k, v in re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
            self.assertNotIn((match[1], labels), samples)
            samples[match[1], labels] = float(match[3])
        return samples, types

    def test_json_lines(self):
        """One object per round and line."""
        process = self.start(*self.both, "--json", "--every", "20ms")
        rounds = [json.loads(process.stdout.readline()) for _ in range(3)]
        self.assertEqual([r["round"] for r in rounds], [1, 2, 3])
        for report in rounds:
            self.assertEqual(harness.schema_errors(harness.schemas()["watch"], report), [])
        self.assertEqual([bool(r["changes"]) for r in rounds], [True, False, False])
        process.terminate()
        process.communicate(timeout=600)

    def test_baseline_and_plan(self):
        audit = self.json("audit", self.dump, "--routing", "none", status=None)
        known = self.tmp / "known.json"
        known.write_text(json.dumps(audit))
        self.assertEqual(self.once(*self.fabric, "--baseline", known)["findings"], [])
        self.put(self.dump, cut(CLUSTER.read_text(), "0200c9a000ec0060", 11))
        report = self.once(*self.fabric, "--plan", CLUSTER)
        self.same_as_audit(report, self.dump, "--plan", CLUSTER)
        self.assertIn("missing-cable", [f["code"] for f in report["findings"]])

    def test_baseline_that_does_not_name_all(self):
        """A report names eight unreachable hosts and counts the others: as many are known, and one more is not."""
        lids = sorted({int(lid) for lid in re.findall(r'^\[1\]\(\w+\).*# lid (\d+)', CLUSTER.read_text(), re.M)})
        known = self.tmp / "known.json"
        entries = TABLES.read_text().split("\n")

        def lose(lost):
            self.tables.write_text("\n".join(line for line in entries if not re.match(r"0x[0-9a-f]{4} ", line) or int(line.split()[0], 16) not in lost))

        def unreachable(report):
            return [f for f in report["findings"] if f["code"] == "unreachable-host" and not f.get("known")]

        draw = random.Random(1)
        for before, now in [(12, 12), (8, 9), (20, 20), (20, 25), (20, 4), (3, 3), (9, 30)] + [(draw.randint(1, 30), draw.randint(1, 30)) for _ in range(4)]:
            with self.subTest(before=before, now=now):
                drawn = draw.sample(lids, 40)
                lost, loses = set(drawn[:before]), set(drawn[:now])
                lose(lost)
                first = self.json("audit", self.dump, "--lfts", self.tables, "--routing", "none", status=1)
                known.write_text(json.dumps(first))
                named = {int(f["text"].rsplit(" ", 1)[1]) for f in unreachable(first) if " LID " in f["text"]}
                self.assertEqual(len(named), min(before, 8))
                lose(loses)
                report = self.json("watch", *self.both, "--once", "--baseline", known, status=None)
                self.assertEqual(len(unreachable(report)), max(0, len(loses - named) - (before - len(named))))
                audit = self.json("audit", self.dump, "--lfts", self.tables, "--routing", "none", "--baseline", known, status=None)
                now_named = sum(" LID " in f["text"] and f["code"] == "unreachable-host" for f in self.json("audit", self.dump, "--lfts", self.tables, "--routing", "none", status=1)["findings"])
                fresh = unreachable(audit)
                if now <= before:
                    self.assertEqual(fresh, [])
                elif now > 8:  # one more is among those that are named, or it is counted with the others
                    self.assertEqual(any(" more: " in f["text"] for f in fresh), now - now_named > 2 * (before - len(named)))

    def test_memory_does_not_grow(self):
        """Over rounds that change and do not."""
        process = self.start(*self.both, "--every", "1ms", "-v")
        sizes = []
        for number in range(1, 121):
            while f" round {number} " not in process.stdout.readline():
                pass
            self.put(self.dump, CLUSTER.read_text() if number % 2 else cut(CLUSTER.read_text(), "0200c9a000ec0060", number % 5 + 1))
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                sizes.append(int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]))
        process.terminate()
        process.communicate(timeout=600)
        if not harness.sanitized():
            self.assertLess(max(sizes[60:]), 1.2 * max(sizes[20:60]))


if __name__ == "__main__":
    unittest.main()
