"""ikat replay: the experiment that its options make, programs written and read again, patterns that end as programs, refusals."""
import gzip
import sqlite3
import unittest

from harness import SOURCE, CliTest, run

FARM = SOURCE / "experiments/taskfarm.goal"


class Replay(CliTest):
    def points(self, name, columns="completion_ns"):
        """Rows of the points of a results file in the scratch folder."""
        store = sqlite3.connect(self.tmp / name)
        self.addCleanup(store.close)
        return store.execute(f"select {columns} from points order by id").fetchall()

    def replay(self, trace, *args, out="out.db", **kwargs):
        (self.tmp / out).unlink(missing_ok=True)
        return self.ok("replay", trace, *args, "-o", self.tmp / out, **kwargs)

    def test_is_an_experiment(self):
        """The options make what ikat run runs."""
        (self.tmp / "e.yaml").write_text(f"""
fabric: ["karytree:k=4,n=2", "torus:dims=4:4"]
routing: [dfsssp, updown]
traffic: {{family: program, trace: {FARM}, mapping: [linear, random], compute_scale: 0.5, overhead: 30 ns}}
adapter: {{packet: 256 B}}
measure: {{until: delivered, at_most: 10 ms}}
seeds: [7]
""")
        self.ok("run", self.tmp / "e.yaml", "-o", self.tmp / "run.db")
        said = self.replay(FARM, "-f", "karytree:k=4,n=2", "--fabric", "torus:dims=4:4", "-r", "dfsssp", "-r", "updown", "-m", "linear", "--mapping",
                           "random", "--compute-scale", "0.5", "--overhead", "30 ns", "--set", "adapter.packet=256 B", "--seed", "7")
        self.assertEqual(len(self.points("out.db")), 8)
        self.assertEqual(self.points("out.db"), self.points("run.db"))
        self.assertIn("slowdown", said)
        self.assertNotEqual(self.points("out.db")[0], self.points("out.db")[1])

    def test_a_clock_of_a_trace_with_one(self):
        for clock in ("cpu", "wall"):
            done = run("replay", FARM, "--clock", clock, "-f", "karytree:k=4,n=2", "-r", "dmodk", "-o", self.tmp / "out.db")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("clock has no effect: traces of format goal have one time", done.stderr)
            self.assertFalse((self.tmp / "out.db").exists())

    def test_points_that_share_a_program(self):
        """A program is read once for all points of a fabric: each point of a sweep, on several threads, is what it is alone."""
        specs, mappings, seeds = ("karytree:k=4,n=2", "torus:dims=4:4"), ("linear", "random"), ("--set", "seeds=[1, 2]")
        self.replay(FARM, *[a for f in specs for a in ("-f", f)], "-r", "updown", "-r", "dfsssp", *[a for m in mappings for a in ("-m", m)], *seeds, "-j", "4")
        together = self.points("out.db", "completion_ns, latency_mean_ns")
        alone = []
        for fabric in specs:
            for routing in ("updown", "dfsssp"):
                for mapping in mappings:
                    self.replay(FARM, "-f", fabric, "-r", routing, "-m", mapping, *seeds, "-j", "1")
                    alone += self.points("out.db", "completion_ns, latency_mean_ns")
        self.assertEqual(sorted(together), sorted(alone))
        self.assertGreater(len(set(alone)), 4)

    def test_continues(self):
        """The same command again repeats nothing; the results have the trace's name if they are given none."""
        args = ("replay", FARM, "-f", "karytree:k=4,n=2", "-r", "dmodk")
        self.ok(*args, cwd=self.tmp)
        again = run(*args, cwd=self.tmp)
        self.assertEqual(again.returncode, 0)
        self.assertIn("1 of 1 point is finished already", again.stderr)
        self.assertTrue((self.tmp / "taskfarm.db").exists())
        (self.tmp / "traces").mkdir()
        (self.tmp / "traces/farm.goal.gz").write_bytes(gzip.compress(FARM.read_bytes()))
        for trace in ("traces", "traces/*.gz"):
            self.ok("replay", trace, *args[2:], "-o", "packed.db", "--set", "title=" + trace, cwd=self.tmp)
            self.assertEqual(self.points("packed.db"), self.points("taskfarm.db"))
            (self.tmp / "packed.db").unlink()
        self.ok("replay", "traces/*.gz", *args[2:], cwd=self.tmp)
        self.assertTrue((self.tmp / "replay.db").exists())

    def test_patterns_as_programs(self):
        """CG and WRF, written as programs and replayed (no computation, no overheads, all sends eager), end in the same picosecond."""
        fabric = "xgft:m=16:16,w=1:16"
        for traffic in ("nas:cg,processes=128,bytes=4 KiB", "exchange:pattern=cg:processes=128,bytes=4 KiB", "exchange:pattern=wrf,bytes=4 KiB"):
            with self.subTest(traffic=traffic):
                self.ok("load", fabric, "--routing", "dmodk", "--traffic", traffic, "--goal", self.tmp / "p.goal")
                (self.tmp / "e.yaml").write_text(f"""
fabric: "{fabric}"
routing: [dmodk, random]
traffic: "{traffic}"
measure: {{until: delivered, at_most: 10 ms}}
""")
                (self.tmp / "run.db").unlink(missing_ok=True)
                self.ok("run", self.tmp / "e.yaml", "-o", self.tmp / "run.db")
                self.replay(self.tmp / "p.goal", "-f", fabric, "-r", "dmodk", "-r", "random", "--goal", self.tmp / "again.goal")
                self.assertEqual(self.points("out.db"), self.points("run.db"))
                self.assertEqual(len(set(self.points("run.db"))), 2)
                self.assertEqual((self.tmp / "again.goal").read_text(), (self.tmp / "p.goal").read_text())

    def test_cg_as_it_runs(self):
        """CG's exchanges as MPI calls, receive, send and wait, in the format of Dimemas."""
        ranks, columns, rows, size = 128, 16, 8, 4096
        lines = [f'#DIMEMAS:"cg":0:{ranks}({",".join(["1"] * ranks)}),1', f"d:1:1:{ranks}:" + ":".join(map(str, range(ranks)))]
        for me in range(ranks):
            transposed = 2 * ((me // 2 % rows) * rows + me // 2 // rows) + me % 2
            for partner in [me ^ columns >> i for i in (4, 3, 2, 1)] + [transposed] * (transposed != me):
                lines += [f"3:{me}:0:{partner}:0:{size}:0:1:1", f"2:{me}:0:{partner}:0:{size}:0:1:0", f"3:{me}:0:{partner}:0:{size}:0:1:2"]
        (self.tmp / "cg.dim").write_text("\n".join(lines) + "\n")
        fabric = "xgft:m=16:16,w=1:16"
        (self.tmp / "e.yaml").write_text(f"""
fabric: "{fabric}"
routing: [dmodk, random]
traffic: "exchange:pattern=cg:processes=128,bytes={size} B"
measure: {{until: delivered, at_most: 10 ms}}
""")
        self.ok("run", self.tmp / "e.yaml", "-o", self.tmp / "run.db")
        self.replay(self.tmp / "cg.dim", "-f", fabric, "-r", "dmodk", "-r", "random")
        self.assertEqual(self.points("out.db"), self.points("run.db"))

    def test_large_sends_wait(self):
        """Two ranks that first send to each other go on with eager sends, and block with a handshake; what they wait for is said."""
        (self.tmp / "two.goal").write_text("num_ranks 2\n" + "".join(
            f"rank {me} {{\ns: send 64b to {1 - me}\nr: recv 64b from {1 - me}\nr requires s\n}}\n" for me in (0, 1)))
        on = ("-f", "crossbar:n=2", "-r", "minimal")
        self.replay(self.tmp / "two.goal", *on, "--eager", "64 B")
        eager = self.points("out.db")
        said = self.replay(self.tmp / "two.goal", *on, "--eager", "63 B", "--at-most", "1 ms", status=1)
        self.assertIn("two.goal", said)
        self.assertRegex(said, r"line \d")
        self.assertEqual(self.points("out.db"), [(None,)])
        self.replay(self.tmp / "two.goal", *on, "--eager", "63 B", "--set", "traffic.rendezvous=acknowledge", "--at-most", "1 ms", status=1)
        self.replay(self.tmp / "two.goal", *on)
        self.assertEqual(self.points("out.db"), eager)
        self.refused("replay", self.tmp / "two.goal", *on, "--set", "traffic.rendezvous=acknowledge", "-o", self.tmp / "no.db", says="eager")

    def test_algorithms(self):
        """Of several operations one each; several of one operation sweep."""
        (self.tmp / "t.dim").write_text('#DIMEMAS:"four":0:4(1,1,1,1),1\nd:1:1:4:0:1:2:3\n'
                                        + "".join(f"10:{rank}:0:{op}:1:0:0:1000000:1000000\n" for op in (0, 11) for rank in range(4)))
        on = (self.tmp / "t.dim", "-f", "karytree:k=4,n=2", "-r", "dmodk")
        alone = []
        for algorithm in ("ring", "recursive_doubling"):
            self.replay(*on, "--collective", f"allreduce={algorithm}", "--collective", "barrier=dissemination")
            alone += self.points("out.db")
        self.assertNotEqual(*alone)
        self.replay(*on, "--collective", "allreduce=ring", "--collective", "barrier=dissemination", "--collective", "allreduce=recursive_doubling")
        self.assertEqual(self.points("out.db"), alone)

    def test_byte_order_mark(self):
        """Text with UTF-8's byte order mark is the same trace, in each format of text."""
        texts = {"csv": "0,0,1,10\n1500,1,0,20\n", "titled": "time_ns,src,dst,bytes\n0,0,1,10\n1500,1,0,20\n",
                 "goal": "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n",
                 "dim": '#DIMEMAS:"two":1,0:2(1,1):0\n2:0:0:1:1000:5:0:0\n3:1:0:0:1000:5:0:0\n'}
        for name, text in texts.items():
            with self.subTest(name=name):
                done = []
                for mark in (b"", b"\xef\xbb\xbf"):
                    (self.tmp / f"t.{name}").write_bytes(mark + text.encode())
                    self.replay(self.tmp / f"t.{name}", "-f", "crossbar:n=2", "-r", "minimal")
                    done.append(self.points("out.db"))
                self.assertEqual(*done)
        (self.tmp / "t.csv").write_bytes(b"\xef\xbb\xbf")
        self.refused("replay", self.tmp / "t.csv", "-f", "crossbar:n=2", "-r", "minimal", "-o", self.tmp / "no.db", says="t.csv:1: the file is empty")

    def test_latency_alone(self):
        """Against a network without bandwidth: a crossbar whose links are as fast as there are."""
        on = ("-f", "crossbar:n=8,latency=100 ns", "-r", "minimal", "--set", "switch.model=ideal")
        self.replay(FARM, *on, "--reference", "hosts", "--reference", "unlimited")
        (at_rate, one), (again, slowdown) = self.points("out.db", "completion_ns, slowdown")
        self.assertEqual((at_rate, one), (again, 1))
        self.replay(FARM, "-f", "crossbar:n=8,link_rate=1000 Tb/s,latency=100 ns", *on[2:])
        self.assertAlmostEqual(slowdown, at_rate / self.points("out.db")[0][0])
        self.assertGreater(slowdown, 2)
        # messages that take less than a picosecond each go one after the other, too
        (self.tmp / "small.goal").write_text("num_ranks 5\nrank 0 {\n" + "".join(f"s{k}: send 8b to {k} tag 1\n" for k in range(1, 5)) + "}\n"
                                             + "".join(f"rank {k} {{\nr: recv 8b from 0 tag 1\n}}\n" for k in range(1, 5)))
        self.replay(self.tmp / "small.goal", "-f", "crossbar:n=5,latency=100 ns", *on[2:], "--reference", "unlimited")
        (completion, slowdown), = self.points("out.db", "completion_ns, slowdown")
        self.assertAlmostEqual(completion / slowdown, 200.004)

    def test_ranks_share_hosts(self):
        """Two ranks per host need half of the hosts, and their messages the network no more."""
        self.refused("replay", FARM, "-f", "karytree:k=2,n=2", "-r", "dmodk", "-o", self.tmp / "no.db", says=("8 ranks on 4 hosts", "ranks_per_host"))
        self.replay(FARM, "-f", "karytree:k=2,n=2", "-r", "dmodk", "--ranks-per-host", "2", "--goal", self.tmp / "farm.goal")
        self.assertIn("num_ranks 8\n", (self.tmp / "farm.goal").read_text())

    def test_refusals(self):
        out = ("-o", self.tmp / "no.db")
        on = ("-f", "karytree:k=4,n=2", "-r", "dmodk")
        for args, says in (((FARM, "-r", "dmodk"), "--fabric SPEC"),
                           ((FARM, "-f", "karytree:k=4,n=2"), "--routing SPEC"),
                           ((FARM, *on, "--mapping", "lineal"), "did you mean 'linear'?"),
                           ((FARM, *on, "--collective", "ring"), "an operation and its algorithm"),
                           ((FARM, *on, "--collective", "allreduce=rong"), "cannot be 'rong'"),
                           ((FARM, *on, "--collective", "allredoce=ring"), "did you mean 'allreduce'?"),
                           ((FARM, *on, "--collective", "eager=1kB"), ("no collective operation 'eager'", "operations are barrier|broadcast|")),
                           ((FARM, *on, "--collective", "label=foo"), "no collective operation 'label'"),
                           ((FARM, *on, "--collective", "barrier=ring"), ("'barrier' cannot be 'ring'", "auto|dissemination")),
                           ((FARM, *on, "--format", "goaal"), "format"),
                           ((FARM, *on, "--compute-scale", "-1"), "compute_scale"),
                           ((FARM, *on, "--set", "swich.model=ideal"), "did you mean 'switch'?"),
                           ((self.tmp / "none.goal", *on), "there is no file"),
                           ((self.tmp / "*.goal", *on), "there is no file"),
                           ((SOURCE / "README.md", *on), "formats are goal"),
                           ((FARM, "-f", "karytree:k=4,n=2", "-r", "dmodkk"), "did you mean 'dmodk'?")):
            with self.subTest(args=args):
                message = self.refused("replay", *args, *out, says=says)
                self.assertNotRegex(message, r"^ikat: \d")  # no place in what the user has not written
                self.assertFalse((self.tmp / "no.db").exists())
        (self.tmp / "p.goal").write_bytes(FARM.read_bytes())
        self.refused("replay", self.tmp / "p.goal", *on, "-o", self.tmp / "p.goal", says="would overwrite the trace")
        (self.tmp / "map").write_text("3\n# that is all\n2\n")
        self.refused("replay", FARM, *on, "-m", self.tmp / "map", *out, says="map:3: 2 hosts for 8 processes: the file ends here")
        two = ("-f", "crossbar:n=2", "-r", "minimal", *out)
        for text, says in (("0,0,1,8\n0,0,1,999999999999999\n", "t.csv:2: host 0 of the workload would send more than 2^32 packets"),
                           ("0,0,4294967294,10\n", "t.csv:1: a program of 4294967295 ranks on 2 hosts"),
                           ("0,1,1,10\n", "t.csv:1: the program has no message between two hosts: this one, and all others, stay on their host")):
            (self.tmp / "t.csv").write_text(text)
            self.refused("replay", self.tmp / "t.csv", *two, says=says)
        (self.tmp / "t.csv").write_text("0,0,4294967294,10\n")
        self.refused("replay", self.tmp / "t.csv", *two, "--ranks-per-host", "4294967294", says="they take 4294967294 ranks")
        (self.tmp / "nothing").write_bytes(b"")
        self.refused("replay", self.tmp / "nothing", *on, *out, says="nothing:1: the file is empty")
        (self.tmp / "empty").mkdir()
        self.refused("replay", self.tmp / "empty", *on, *out, says="no file in it")


if __name__ == "__main__":
    unittest.main()
