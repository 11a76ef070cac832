"""What goes wrong outside ikat: closed pipes, full disks, folders without the right to write, devices as files."""
import gzip
import json
import os
import pathlib
import resource
import signal
import stat
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest, has_worked, sanitized

EXPERIMENT = """fabric: karytree:k=2,n=2
routing: dmodk
load: 50%
measure: {warmup: 1 us, duration: 10 us}
"""


class BadInputTest(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.tmp / "small.yaml"
        self.file.write_text(EXPERIMENT)
        self.store = self.tmp / "small.db"

    def into(self, device, *args):
        """Runs with standard output on an open file; returns the finished process."""
        return subprocess.run([IKAT, *map(str, args)], cwd=SOURCE, stdout=device, stderr=subprocess.PIPE, text=True, timeout=600, check=False)

    def test_no_name_of_a_file(self):
        """What is written needs a name, whichever command writes it."""
        for args in (("topo", "ring:n=3", "--format", "json"), ("route", "karytree:k=2,n=2", "-r", "dmodk", "--format", "lft")):
            self.refused(*args, "-o", "", says=("name of the file to be written is empty", "/dev/stdout"))

    def test_a_mistyped_file_is_guessed(self):
        """Whichever way a file is given: its name, what was expected of the system, and the nearest name in its folder."""
        for name in ("fabric.ibnetdiscover", "tables.lfts", "trace.goal", "small.json", "policy.conf"):
            (self.tmp / name).write_text("")
        typo = {name: self.tmp / f"{name[:-2]}" for name in ("fabric.ibnetdiscover", "tables.lfts", "trace.goal", "small.yaml", "small.json", "policy.conf")}
        fabric, tables = "data/cluster96.ibnetdiscover", "data/cluster96.lfts"
        self.ok("run", self.file, "-o", self.store)
        for name, *args in (("fabric.ibnetdiscover", "topo"), ("fabric.ibnetdiscover", "audit"), ("fabric.ibnetdiscover", "audit", fabric, "--plan"), ("tables.lfts", "audit", fabric, "--lfts"),
                            ("small.json", "audit", fabric, "--baseline"), ("policy.conf", "audit", fabric, "--lfts", tables, "--policy"), ("policy.conf", "audit", fabric, "--lfts", tables, "--sl2vl"),
                            ("small.json", "audit", fabric, "--counters"), ("tables.lfts", "deploy", fabric, "-o", self.tmp / "new", "--from"), ("small.json", "deploy", fabric, "-o", self.tmp / "new", "--failed"),
                            ("small.yaml", "run"), ("small.json", "report"), ("trace.goal", "load", "ring:n=5", "-r", "shortest", "-t")):
            given = f"program:trace={typo[name]}" if name == "trace.goal" else typo[name]
            with self.subTest(args=args):
                says = self.refused(*args, given, says=[str(typo[name]), "cannot be opened: No such file", "did you mean"])
                self.assertIn(f"did you mean '{self.tmp}/{name}'?", says)
        deep = self.tmp / ("d" * 90)
        deep.mkdir()
        (deep / "small.yaml").write_text(EXPERIMENT)
        self.assertIn(f"did you mean '{deep}/small.yaml'?", self.refused("run", deep / "smal.yaml"))
        self.assertNotIn("did you mean", self.refused("run", self.tmp / "nothing like it", says="cannot be opened"))
        self.assertNotIn("did you mean", self.refused("run", self.tmp / "no-folder" / "small.yaml", says="cannot be opened"))

    def test_closed_pipe_is_no_failure(self):
        self.ok("run", self.file, "-o", self.store)
        for args in [("list", "topologies", "--json"), ("report", self.store, "--csv"), ("report", self.store, "--json"),
                     ("route", "karytree:k=4,n=3", "-r", "dmodk", "--format", "paths"), ("topo", "ring:n=5"),
                     ("run", self.file, "-o", self.store, "--json", "-q")]:
            reading, writing = os.pipe()
            os.close(reading)
            done = self.into(writing, *args)
            os.close(writing)
            self.assertEqual((done.returncode, done.stderr), (0, ""), args)

    def test_full_device_is_told_once(self):
        self.ok("run", self.file, "-o", self.store)
        for args in [("list",), ("report", self.store, "--csv"), ("check", "ring:n=5", "-r", "updown", "--json")]:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = self.into(full, *args)
            self.assertEqual((done.returncode, done.stderr), (2, "ikat: could not write the output: No space left on device\n"), args)

    def test_devices_are_written_not_replaced(self):
        self.ok("run", self.file, "-o", self.store)
        for args in [("report", self.store), ("topo", "ring:n=5", "--format", "edges"), ("route", "ring:n=5", "-r", "updown", "--format", "lft")]:
            self.refused(*args, "-o", "/dev/full", says=["/dev/full", "No space left"])
            self.assertTrue(stat.S_ISCHR(pathlib.Path("/dev/full").stat().st_mode))

    def test_failed_writing_leaves_the_older_file(self):
        self.refused("route", "ring:n=5", "-r", "updown", "--format", "lft", "-o", self.tmp / "nowhere" / "ring.lft", says="nowhere")
        old = self.tmp / "old.lft"
        old.write_text("older\n")
        self.refused("route", "ring:n=5", "-r", "updown", "--format", "ir", "-o", old, says="registers")
        self.assertEqual(old.read_text(), "older\n")
        self.assertEqual([p.name for p in self.tmp.glob("old*")], ["old.lft"])

    def test_limits_of_file_size_are_failed_writes(self):
        self.ok("run", self.file, "-o", self.store)
        route, fabric = ("route", "rlft:ports=8,levels=3", "-r", "dmodk"), "ring:n=2000"
        for args in (("report", self.store), ("topo", fabric, "--format", "json"), ("topo", fabric, "--format", "svg"),
                     (*route, "--format", "paths"), (*route, "--format", "lft"), ("compare", "--scale", "4..60", "--plot"),
                     ("run", self.file)):
            out = self.tmp / "limited"
            named = [*args, *([] if args[-1] == "--plot" else ["-o"]), out]
            done = subprocess.run([IKAT, *map(str, named)], cwd=SOURCE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
                                  capture_output=True, text=True, timeout=600, check=False)
            self.assertEqual(done.returncode, 2, f"{named}: {done.stderr}")
            self.assertRegex(done.stderr, "limited: cannot [a-zA-Z ]+: File too large|cannot write '[^']*limited': the disk is full")
            self.assertEqual([p for p in self.tmp.glob("limited*") if args[0] != "run"], [])
            self.assertTrue(out.exists() or "safe in it" not in done.stderr, done.stderr)
            out.unlink(missing_ok=True)

    def test_output_never_replaces_its_own_input(self):
        self.ok("run", self.file, "-o", self.store)
        results, link = self.store.read_bytes(), self.tmp / "link.db"
        link.symlink_to(self.store)
        for path in (self.store, link):
            self.refused("report", self.store, "-o", path, says="would overwrite the results")
        self.assertEqual(self.store.read_bytes(), results)
        fabric = self.tmp / "ring.json"
        self.ok("topo", "ring:n=5", "-o", fabric)
        self.refused("route", fabric, "-r", "updown", "--format", "lft", "-o", fabric, says="would overwrite the fabric")
        self.ok("topo", fabric)

    def test_specs_say_what_is_wrong(self):
        for spec, says in [("karytree:k=4,k=5,n=3", "'k' is given twice, 4 and 5"), ("ring:4,n=4", "'n' is given twice"),
                           ("karytree:k=1..4,n=3", "can be a range"), ("karytree:k=4,,n=3", "something after the number"), ("ring:n=2.5", "it has decimals"),
                           ("ring:n=4,latency=1e3 ns", "powers of ten are written out"), ("ring:n=4,latency=1.5e+3 ns", "powers of ten are written out"), ("ring:n=4,latency=6 sn", "its unit does not fit")]:
            self.refused("topo", spec, says=says)

    def test_a_load_out_of_range_says_what_a_fraction_is(self):
        for load in ("10", "170%"):
            self.file.write_text(EXPERIMENT.replace("50%", load))
            self.refused("run", self.file, "-o", self.store, says=[f"'load' = {load} is out of range", "1 is 100 %: write it like 25 % or 0.25"])

    def test_a_fabric_without_a_file_may_be_either(self):
        self.refused("topo", "missing.json", says=["there is no topology or file 'missing.json'", "in the current folder"])
        for name in ("missing.json", "folder/missing.json"):
            self.file.write_text(EXPERIMENT.replace("karytree:k=2,n=2", name))
            self.refused("run", self.file, "-o", self.store, 
                         says=[f"small.yaml:1:9: there is no topology or file '{name}'", "in the experiment's folder and in the current one"])

    def test_small_mistakes_on_the_command_line(self):
        self.refused("report", self.tmp, says=[str(self.tmp), "is a directory"])
        self.refused("topo", "ring:n=5", "--memory-limit", "x", says=["--memory-limit: 'x' is not a size", "ikat topo -h"])
        self.refused("topo", "ring:n=5", "--memory-limit", "0B", says="--memory-limit is 0")
        self.refused("topo", "ring:n=5", "-o", "", says="'': no format has this file name ending")
        self.refused("run", self.file, "-s", "load=", says="override 'load=' has no value")
        self.refused("help", "qwertz", says="no description, glossary or page has it")
        self.refused("check", "ring:n=5", "--lfts", "x", says="no option '--lfts' here, but there is of ikat audit")
        self.refused("audit", "ring:n=5", "-o", "x", says="--page FILE writes a page")
        self.refused("check", "ring:n=5", "--rooting", "x", says="did you mean '--routing'")
        self.refused("route", "ring:n=5", "-r", "updown", "-o", "x", says="no effect without --format NAME: write the routes in this format: lft, paths")
        self.refused("design", "--hosts", "100", "--radix", "36", "fat-tree", says="did you mean 'fattree")
        self.refused("design", "--hosts", "100", "--radix", "36", "--oversubscription", "2:1", says="2 for 2:1")
        for name in ("pip", "pdf", "ir-"):  # short words are near to nothing unless one letter differs
            self.assertNotIn("did you mean", self.refused("topo", name, says="there is no topology or file"))
        (self.tmp / "own.edges").write_text("a b\nb c\n")
        self.refused("topo", self.tmp / "own.edges", says=["in no known format", "by its name it would be edges"])
        self.refused("topo", SOURCE / "data/halo16.ikrec", says=["is not text", "'ikat replay' a recording"])
        self.file.write_text(EXPERIMENT + "figures: [{name: a, x: load, y: nothingatall}]\n")
        self.assertTrue(self.refused("run", self.file, "-o", self.store).rstrip().endswith(", …"))  # a long list is cut

    def test_an_option_given_twice_is_refused(self):
        for words in (["check", "ring:n=3", "-r", "updown", "-r", "shortest"],
                      ["load", "ring:n=3", "-r", "updown", "-t", "uniform", "--traffic=tornado"],
                      ["topo", "ring:n=3", "-o", "a.json", "-o", "b.json"],
                      ["run", "x.yaml", "-j", "1", "--jobs", "2"]):
            self.refused(*words, says="is given twice")

    def test_options_without_effect_are_refused(self):
        route = ("route", "ring:n=5", "-r", "updown")
        for args, option, other in ((("topo", "ring:n=5", "--format", "svg"), "--format", "--output"),
                                    (("topo", "ring:n=5", "--floor", "floor.yaml"), "--floor", "--all"),
                                    (("topo", "ring:n=5", "--partitions", "2"), "--partitions", "--all"),
                                    ((*route, "-o", self.tmp / "ring.lft"), "--output", "--format"),
                                    ((*route, "--diff", "shortest", "-o", self.tmp / "ring.lft"), "--output", "--diff"),
                                    ((*route, "--diff", "shortest", "--format", "paths"), "--format", "--diff"),
                                    (("compare", "ring:n=5", "-r", "updown"), "--routing", "--traffic"),
                                    (("compare", "--radix", "8", "-r", "updown"), "--routing", "--traffic")):
            self.refused(*args, says=[f"{option} has no effect with", f" {other}"])
            self.assertEqual(list(self.tmp.glob("ring.lft*")), [])

    def test_interrupt_stops_long_work_soon(self):
        for args in [("check", "slimfly:q=29", "-r", "valiant"), ("route", "jellyfish:N=6000,d=8", "-r", "dfsssp"),
                     ("topo", "ring:n=65536", "--all")]:
            with subprocess.Popen([IKAT, *args, "-q"], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as work:
                before, others = has_worked(work, 0.7), resource.getrusage(resource.RUSAGE_CHILDREN)
                work.send_signal(signal.SIGINT)
                said = work.communicate(timeout=600)[1]
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                used = after.ru_utime + after.ru_stime - others.ru_utime - others.ru_stime  # of processor time, by all its threads
                self.assertLess(used - before, 10, args)
            self.assertEqual((work.returncode, said.count("\n")), (130, 1), said)
            self.assertTrue(said.startswith(("ikat: cancelled", "ikat: stopped by a signal")), said)

    def texts(self):
        """Every kind of text that is read: a file, and the command that reads it, up to the file's path."""
        dump, tables, flows = self.tmp / "ring.ibnetdiscover", self.tmp / "ring.lft", self.tmp / "ring.flows"
        self.ok("topo", "ring:n=5", "-o", dump)
        self.ok("route", dump, "-r", "updown", "--format", "lft", "-o", tables)
        flows.write_text("0 1\n1 2 3\n")
        return [(dump, ["topo"], ""), (tables, ["check", dump, "-r"], "lft:path="), (flows, ["load", "ring:n=5", "-r", "updown", "-t"], "file:path="),
                (self.file, ["run", "-o", self.store, "--json", "-q"], "")]

    def test_a_byte_order_mark_and_packing_change_nothing(self):
        for path, command, before in self.texts():
            plain = path.read_bytes()
            self.ok(*command, f"{before}{path}", status=None)  # 'run' says what it did, which is nothing from the second time on
            for data in [b"\xef\xbb\xbf" + plain, gzip.compress(plain), gzip.compress(b"\xef\xbb\xbf" + plain)]:
                path.write_bytes(plain)
                answer = self.ok(*command, f"{before}{path}", status=None)
                path.write_bytes(data)
                self.assertEqual(self.ok(*command, f"{before}{path}", status=None), answer, path)
            path.write_bytes(plain)

    def test_how_lines_end_changes_nothing(self):
        for path, command, before in self.texts()[:-1]:  # an experiment's text is part of its answer
            plain = path.read_bytes()
            self.ok(*command, f"{before}{path}", status=None)
            answer = self.ok(*command, f"{before}{path}", status=None)
            unended = [plain.rstrip(b"\n"), plain + b"# the last word"] if path.suffix != ".ibnetdiscover" else []  # there it is a finding
            for data in [plain.replace(b"\n", b"\r\n"), plain + b"\n\n", *unended]:
                path.write_bytes(data)
                self.assertEqual(self.ok(*command, f"{before}{path}", status=None), answer, (path, data[-20:]))
            path.write_bytes(plain)

    def test_what_is_no_text_is_refused_with_its_place(self):
        for path, command, before in self.texts():
            plain, spec = path.read_bytes(), f"{before}{path}"
            path.write_bytes(plain.replace(b"\n", b"\n\0", 1))
            self.refused(*command, spec, says=[f"{path}:2:1: ", "byte 0x00 is not text", "UTF-8"])
            path.write_bytes(gzip.compress(plain)[:-9])
            self.refused(*command, spec, says=[str(path), "cut off"])
            path.write_bytes(b"")
            self.refused(*command, spec, says=str(path))
            path.unlink()
            self.refused(*command, spec, says=[str(path), "No such file"])
            path.mkdir()
            self.refused(*command, spec, says=[str(path), "is a directory"])
            path.rmdir()
            path.write_bytes(plain)

    def test_devices_without_an_end_are_refused_at_once(self):
        """Every reader of files, with little memory."""
        self.ok("route", "ring:n=4", "-r", "updown", "--format", "lft", "-o", self.tmp / "ring.lft")
        self.ok("deploy", "ring:n=4", "-r", "updown", "-o", self.tmp / "deployed")
        self.file.write_text(EXPERIMENT)
        audit, load, out = f"audit ring:n=4 --lfts {self.tmp}/ring.lft", "load ring:n=4 -r shortest -t", f"-o {self.tmp}/out"
        readers = ["topo F", "check F -r updown", "topo file:path=F", "run F", "report F", f"merge F {out}.db", "audit F", "audit ring:n=4 --lfts F",
                   f"{audit} --counters F", *(f"{audit} {option} F" for option in ("--sl2vl", "--policy", "--path-records", "--names", "--guid2lid", "--lid-matrix")),
                   f"{load} file:path=F", f"{load} storage:trace=F", f"{load} graph:path=F", f"{load} program:trace=F", "record --show F", "record --calls F",
                   *(f"{load} program:trace=F,format={form}" for form in ("goal", "goalbin", "liballprof", "dimemas", "chakra", "otf2", "recording", "csv")),
                   "check ring:n=4 -r lft:path=F", f"verify-deployed {self.tmp}/deployed --lfts F", f"deploy ring:n=4 -r updown {out} --failed F",
                   f"deploy ring:n=4 -r updown {out} --from F", f"replay F --fabric ring:n=4 -r updown {out}.db",
                   f"run {self.file} {out}.db --set adapter.message_histogram=F"]
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        few = None if sanitized() else limit  # the sanitizer maps more
        for device in ("/dev/zero", "/dev/urandom"):
            for reader in readers:
                args = [a.replace("F", device) if a in ("F",) or a.endswith("=F") or "=F," in a else a for a in reader.split()]
                done = subprocess.run([IKAT, *args], cwd=SOURCE, preexec_fn=few, capture_output=True, text=True, timeout=600, check=False)
                self.assertEqual(done.returncode, 2, f"{args}: {done.stderr[-300:]}")
                self.assertNotIn("out of memory", done.stderr, args)
                self.assertEqual(list(self.tmp.glob("out*")), [], args)

    def test_specs_inside_specs_have_a_limit(self):
        """One, in every command and for every kind of parameter that takes a spec or a list of them."""
        members = {"traffic": ["subset:pattern=", "batch:pattern=", "exchange:pattern=", "mix:members=1*", "mix:", "jobs:jobs=", "schedule:entries="],
                   "routing": ["colored:traffic=subset:pattern="], "vc": ["escape:routing=", "escape:vc="]}
        for kind, begins in members.items():
            for begin in begins:
                deep = begin * (100_000 // len(begin)) + "uniform"
                name = self.tmp / "deep.yaml"
                name.write_text(EXPERIMENT.replace("fabric:", f"{kind}: {json.dumps(deep)}\nfabric:") if kind == "traffic" else EXPERIMENT)
                for args in ({"traffic": ["load", "ring:n=4", "-r", "updown", "-t", deep], "routing": ["check", "ring:n=4", "-r", deep],
                              "vc": ["check", "ring:n=4", "-r", "updown", "--vc", deep]}[kind], ["topo", deep],
                             *([["run", name]] if kind == "traffic" else [])):
                    done = subprocess.run([IKAT, *map(str, args)], cwd=SOURCE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (5, 5)),
                                          capture_output=True, text=True, timeout=600, check=False)
                    self.assertEqual(done.returncode, 2, f"{begin} {args[0]}: {done.stderr[-300:]}")
                    self.assertTrue(args[0] == "run" or "32 levels" in done.stderr, f"{begin} {args[0]}: {done.stderr[-300:]}")

    def test_paths_that_are_no_utf8_leave_json_whole(self):
        path = os.fsencode(self.tmp) + b"/r\xff\xc3.json"
        self.ok("topo", "ring:n=5", "-o", self.tmp / "ring.json")
        pathlib.Path(os.fsdecode(path)).write_text((self.tmp / "ring.json").read_text().replace('"family"', '"kin"').replace('"spec"', '"s"'))
        for args, key in [(["topo"], "spec"), (["check", "-r", "updown"], "spec"), (["route", "-r", "updown"], "spec"),
                          (["route", "-r", "updown", "--format", "json"], "spec"), (["route", "--diff", "updown", "shortest"], "spec"),
                          (["load", "-r", "updown"], "topology")]:
            command = [os.fsencode(IKAT), args[0].encode(), path, *[a.encode() for a in args[1:]], b"--json"]
            done = subprocess.run(command, cwd=SOURCE, capture_output=True, timeout=600, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), args)
            self.assertTrue(json.loads(done.stdout)[key].endswith("r\ufffd\ufffd.json"), args)

    def test_control_characters_in_names_reach_no_terminal(self):
        first, second = self.tmp / "a.json", self.tmp / "b.ibnetdiscover"
        self.ok("topo", "data/cluster96.ibnetdiscover", "-o", first)
        first.write_text(first.read_text().replace("SwitchIB Mellanox", "Switch\\u001b[31m\\nX"))
        self.assertIn("Switch?[31m?X Technologies", self.ok("topo", first))
        self.ok("topo", first, "-o", second)
        self.assertIn("Switch?[31m?X Technologies", self.ok("topo", second))

    def test_wrong_elements_of_json_are_told_with_their_place(self):
        """Every element of every array, replaced by one that is wrong, is named with its own line and column."""
        self.ok("topo", "mesh:dims=2:2", "-o", self.tmp / "good.json")
        fabric = json.loads((self.tmp / "good.json").read_text())
        fabric["switches"][0]["name"] = 'a "quoted" [name], {with} all: marks'
        for key in ("classes", "switches", "hosts", "links"):
            for index in range(len(fabric[key])):
                elements = {k: [json.dumps(e) for e in v] for k, v in fabric.items() if isinstance(v, list)}
                elements[key][index] = '"wrong"'
                rows = [f'"{k}": [\n' + ",\n".join("   " + e for e in v) + "]" for k, v in elements.items()]
                text = '{"format": "ikat fabric", "version": 1,\n' + ",\n".join(rows) + "}\n"
                path = self.tmp / "wrong.json"
                path.write_text(text)
                line = text[:text.index('"wrong"')].count("\n") + 1
                self.refused("topo", path, says=[f"wrong.json:{line}:4: {key}[{index}] is wrong"])

    def test_standard_input_is_a_file_like_others(self):
        dump = (SOURCE / "data/cluster96.ibnetdiscover").read_text()
        for command in (["topo", "-"], ["check", "-", "-r", "updown"], ["load", "-", "-r", "updown"],
                        ["route", "-", "-r", "updown", "--format", "lft", "-o", self.tmp / "a.lft"]):
            self.ok(*command, status=None, stdin=dump)
            self.refused(*command, stdin="no fabric", says=["-:1:1"])

    def test_help_as_json(self):
        names = {command["name"] for command in self.json("help")["commands"]}
        self.assertLessEqual({"run", "topo", "check", "report", "list", "help"}, names)
        self.assertEqual(self.json("help", "topo")["command"]["name"], "topo")
        for topic in self.json("help")["topics"]:
            self.assertEqual(self.json("help", topic["name"])["topic"]["summary"], topic["summary"])

    def test_refusals_of_the_simulator_have_a_place(self):
        for line, says in [("adapter: {packet: 1 MiB}\n", ["small.yaml:5:19:", "cannot hold a packet"]),
                           ("switch: {buffer: 10 B}\n", ["small.yaml:5:18:", "cannot hold a packet"])]:
            self.file.write_text(EXPERIMENT + line)
            self.refused("run", self.file, "-o", self.store, "-q", says=says)
        self.file.write_text(EXPERIMENT.replace("n=2", "n=2,latency=0 ns"))
        self.refused("run", self.file, "-o", self.store, "-q", says=["small.yaml:1:9:", "0 ps"])
        self.file.write_text(EXPERIMENT.replace("n=2", "n=2,k=3"))
        self.refused("run", self.file, "-o", self.store, "-q", says=["small.yaml:1:9:", "'k' is given twice, 2 and 3"])

    @unittest.skipIf(os.geteuid() == 0 and not pathlib.Path("/usr/bin/setpriv").exists(), "needs a user without rights")
    def test_folder_without_right_to_write(self):
        closed = self.tmp / "closed"
        closed.mkdir(mode=0o555)
        self.tmp.chmod(0o755)
        less = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run([*less, IKAT, "run", self.file, "-o", closed / "x.db"], capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Permission denied", done.stderr)


if __name__ == "__main__":
    unittest.main()
