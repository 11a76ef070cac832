"""ikat run: from an experiment to results; killed, stopped, in parallel, on a full disk."""
import contextlib
import os
import re
import resource
import signal
import sqlite3
import subprocess
import time
import unittest

from harness import IKAT, SOURCE, CliTest, run
from kept import run_kept

SMALL = """\
title: A small tree
fabric: karytree:k=4,n=2
routing: [dmodk, updown]
traffic: [uniform, "shift:by=4"]
load: [20%, 60%]
seeds: 2
measure: {warmup: 10 us, duration: 30 us}
"""
FABRICS = """\
fabric: {family: jellyfish, N: 8, d: 3, p: 1, seed: 1..400}
routing: updown
load: 20%
measure: {warmup: 1 us, duration: 60 us}
"""
MEASURED = """\
simulate: false
measures: [mean_hops, saturation]
fabric: {family: jellyfish, N: 20, d: 5, p: 2, seed: 1..3000}
routing: updown
"""
RING = """\
fabric: ring:n=5
routing: shortest
vc: 1q
vcs: 1
traffic: uniform
load: 90%
measure: {warmup: 10 us, duration: 100 us}
"""


def dump(path):
    """Everything in a results file, as text."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def count_points(path):
    """Points in a results file."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT count(*) FROM points").fetchone()[0]


def change(path, sql):
    """Does something to a results file."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(sql)
        db.commit()


def limit_file_size(size):
    """For a child process: no file may grow beyond `size` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Run(CliTest):
    def write(self, text, name="test.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def test_summary_of_many_plans_is_short(self):
        """What all rows share is said once; of many proofs and fabrics the summary shows some."""
        path = self.write("""
fabric: {family: xgft, m: [[4, 4]], w: [[1, 4], [1, 3], [1, 2], [1, 1], [1, 5], [1, 6], [1, 7], [1, 8], [1, 9]], latency: 1 us}
routing: [dmodk, smodk]
traffic: {family: exchange, pattern: "shift:by=4", bytes: 4 KiB}
measure: {until: delivered, at_most: 1 ms}
figures:
  - {name: slow, title: Slowdown, x: fabric.w, y: slowdown, series: routing}
""")
        text = self.ok("run", path, "-o", self.tmp / "many.db")
        proofs = text[text.index("Proofs"):text.index("Workloads")]
        self.assertIn("every fabric: m=4:4, latency=1 us\n", proofs)
        self.assertIn("dmodk    xgft:w=1:4", proofs)
        self.assertIn("and 2 more plans: delivered", proofs)
        self.assertIn("and 1 more fabric", text)
        workloads = text[text.index("Workloads"):]
        self.assertIn("traffic: exchange:pattern=shift:by=4,bytes=4 KiB\n", workloads)
        self.assertEqual(len(re.findall(r"^[ds]modk +xgft:w=", workloads, re.M)), 18)
        self.assertRegex(text, r"Figures .*\nslow +Slowdown")

    def test_summary_and_json(self):
        path = self.write(SMALL)
        text = self.ok("run", path, "-o", self.tmp / "a.db")
        for words in ("A small tree", "16 hosts, 8 switches", "Proofs", "dmodk", "updown", "shift:by=4", "saturation"):
            self.assertIn(words, text)
        self.assertNotIn("\033", text)
        answer = self.json("run", path, "-o", self.tmp / "a.db")
        self.assertEqual(answer["points_finished"], 16)
        fabric = answer["fabrics"][0]
        self.assertEqual((fabric["hosts"], fabric["switches"], fabric["switch_links"]), (16, 8, 16))
        self.assertTrue(all(p["proof"]["deadlock_free"] and p["proof"]["delivered"] for p in answer["plans"]))
        self.assertEqual(len(answer["curves"]), 4)
        for point in answer["points"]:
            self.assertAlmostEqual(point["offered"], point["load"], delta=0.03)
            self.assertLessEqual(point["throughput"], point["offered"] + 0.03)
            self.assertGreater(point["latency_mean_ns"], 0)
            self.assertEqual(point["params"]["measure"].split(",")[0], "warmup=10 us")
        low = [p for p in answer["points"] if p["load"] == 0.2]
        self.assertTrue(all(abs(p["throughput"] - 0.2) < 0.02 for p in low))

    def test_same_bytes_whatever_jobs(self):
        path = self.write(SMALL)
        for jobs in (1, 2, 5):
            self.ok("run", path, "-o", self.tmp / f"{jobs}.db", "--jobs", jobs)
        one = (self.tmp / "1.db").read_bytes()
        self.assertEqual(one, (self.tmp / "2.db").read_bytes())
        self.assertEqual(one, (self.tmp / "5.db").read_bytes())

    def test_running_a_finished_experiment_again_changes_nothing(self):
        path, store = self.write(SMALL), self.tmp / "a.db"
        self.ok("run", path, "-o", store)
        first = store.read_bytes()
        for _ in range(3):
            self.ok("run", path, "-o", store)
            self.assertEqual(first, store.read_bytes())

    def test_says_how_points_share_the_processors(self):
        path = self.write(SMALL)
        answer = self.json("run", path, "-o", self.tmp / "a.db", "--jobs", 3)
        execution = answer["execution"]
        self.assertEqual([(e["points"], e["in_parallel"], e["threads"]) for e in execution], [(16, 3, 1)])
        self.assertIn("fastest", execution[0]["why"])
        self.assertEqual(self.json("run", path, "-o", self.tmp / "a.db")["execution"], [])  # nothing was left to do
        self.assertNotIn("execution", self.json("report", self.tmp / "a.db"))
        done = run("run", path, "-o", self.tmp / "b.db", "--jobs", 3)
        self.assertIn("16 points: 3 in parallel on 1 thread each: running points in parallel is fastest", done.stderr)
        limit = f"{execution[0]['point_bytes'] * 19 // 10} B"
        done = run("run", path, "-o", self.tmp / "c.db", "--jobs", 3, "--memory-limit", limit)
        self.assertIn("16 points: 1 at a time on 1 thread: a point may need", done.stderr)
        self.assertEqual((self.tmp / "b.db").read_bytes(), (self.tmp / "c.db").read_bytes())

    def test_large_point_on_threads(self):
        path = self.write("""\
fabric: rlft:ports=36,levels=3
routing: dmodk
traffic: uniform
load: 100%
measure: {warmup: 0 ns, duration: 1 us}
""")
        done = run("run", path, "-o", self.tmp / "a.db", "--jobs", 2)
        self.assertIn("1 point: 1 at a time on 2 threads: fewer points than jobs; about", done.stderr)
        self.ok("run", path, "-o", self.tmp / "b.db", "--jobs", 1)
        self.assertEqual((self.tmp / "a.db").read_bytes(), (self.tmp / "b.db").read_bytes())

    def points_kept(self, path):
        """Points in the file of a run that goes on or was killed, by what reads it: 0 while it is not there or empty."""
        done = run("report", path, "--csv")
        self.assertTrue(done.returncode == 0 or "cannot be opened" in done.stderr or "is empty" in done.stderr, done.stderr)
        return max(0, len(done.stdout.splitlines()) - 1)

    def kill_and_resume(self, text, num):
        """Kills runs of one experiment at eight instants, the first one not before it has kept a point; its bytes are those of a
        run that nobody killed."""
        path = self.write(text)
        whole, broken = self.tmp / "whole.db", self.tmp / "broken.db"
        self.ok("run", path, "-o", whole)
        kept = 0
        for k in range(8):
            with subprocess.Popen([IKAT, "run", str(path), "-o", str(broken), "--jobs", "1"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as child:
                while not kept and child.poll() is None:
                    kept = self.points_kept(broken)
                time.sleep((k * 0.37 % 1) * 1.5)
                child.kill()
                killed = child.wait() == -signal.SIGKILL
            now = self.points_kept(broken)
            self.assertGreaterEqual(now, kept)
            kept = now
            if not killed:
                break
        self.assertGreater(kept, 0)
        done = run("run", path, "-o", broken)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{kept} of {num} points are finished already", done.stderr)
        self.assertEqual(dump(whole), dump(broken))
        self.assertEqual(whole.read_bytes(), broken.read_bytes())

    def test_killed_run_continues(self):
        self.kill_and_resume(SMALL.replace("seeds: 2", "seeds: 12").replace("30 us", "300 us"), 96)

    def test_killed_run_of_many_fabrics_continues(self):
        self.kill_and_resume(FABRICS, 400)

    def test_killed_run_of_measures_continues(self):
        self.kill_and_resume(MEASURED, 3000)

    def test_commits_once_a_second(self):
        """However many fabrics, plans and points end in it. SQLite counts the commits in the header of the file."""
        path, store = self.write(FABRICS), self.tmp / "a.db"
        begun = time.monotonic()
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            next(line for line in child.stderr if re.match(r"([4-9]\d|1\d\d) of 400 points", line))
            child.send_signal(signal.SIGINT)
            _, said = child.communicate()
        self.assertEqual(child.returncode, 130, said)
        self.assertGreaterEqual(count_points(store), 40)
        commits = int.from_bytes(store.read_bytes()[24:28], "big")
        self.assertLessEqual(commits, time.monotonic() - begun + 2)

    def test_interrupt_keeps_what_is_finished(self):
        path = self.write(SMALL.replace("30 us", "3 ms"))
        store = self.tmp / "a.db"
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            next(line for line in child.stderr if " of " in line)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate()
        self.assertEqual(child.returncode, 130, said)
        self.assertIn("the same command continues", said)
        self.assertGreater(count_points(store), 0)

    def test_signals_of_a_scheduler_keep_what_is_finished(self):
        """It sends SIGTERM to all processes of a job, whose script sends another one: what was finished a moment before is not lost."""
        path, store = self.write(SMALL.replace("30 us", "3 ms")), self.tmp / "a.db"
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            done = next(int(line.split()[0]) for line in child.stderr if re.match(r"[1-9]\d* of \d+ points", line))
            for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGHUP):
                child.send_signal(number)
            _, said = child.communicate()
        self.assertIn("the same command continues", said)
        self.assertGreaterEqual(count_points(store), done)

    def test_buffer_organisations_and_adapter_queues(self):
        text = """
fabric: karytree:k=2,n=3
routing: dmodk
traffic: hotspot:fraction=20%
load: 100%
switch: {queues: [fifo, voqsw, damq, voqnet], buffer: 64 KiB}
adapter: {queues: [vc, destination, one], ejection_fraction: 80 %}
measure: {warmup: 5 us, duration: 10 us, paranoid: true}
"""
        answer = self.json("run", self.write(text), "-o", self.tmp / "a.db")
        self.assertEqual(len(answer["points"]), 12)
        self.assertTrue(all(p["packets_delivered"] > 20 for p in answer["points"]))
        self.assertGreater(len({p["checksum"] for p in answer["points"]}), 3)
        for change, word in (("switch.voq=true", "contradicts"), ("switch.buffer=16KiB", "destinations"),
                             ("switch.model=pipelined", "pipelined"), ("adapter.ejection_rate=0 Gb/s", "ejection_rate")):
            done = run("run", self.write(text), "-o", self.tmp / "b.db", "--set", change)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)

    def test_settings_without_effect_are_refused(self):
        """Whatever another setting makes void is refused before the first point, with its place, the points and what to use."""
        text = SMALL + "switch: {model: [iq, ioq, pipelined, ideal]}\n"
        for change, said in (
                ("switch.routing_delay=5 ns", ("routing_delay", "no effect with model = pipelined", "points 17 to 24, 41 to 44, 57 to 60 of 64",
                                                "routing_cycles")),
                ("switch.arbiter=islip", ("arbiter", "model = pipelined", "vc_allocator")),
                ("switch.output_buffer=100 KiB", ("output_buffer", "no effect with model = iq", "points 1 to 8, 33 to 36, 49 to 52 of 64")),
                ("adapter.queues=vc", ("queues", "model = pipelined", "points 17 to 24, 41 to 44, 57 to 60 of 64")),
                ("measure.congestion=true", ("congestion", "without series", "points 1 to 64 of 64")),
                ("selection=sadp", ("selection 'sadp'", "routing 'dmodk'", "nor with another")),
                ("switch.adaptive_choice=at_arrival", ("adaptive_choice", "no effect")),
                ("routing=cowen:alpha=0.5,t_max=32", ("alpha", "no effect with t_max = 32")),
                ("traffic=hotspot:nodes=1,count=1", ("count", "no effect with nodes = 1"))):
            done = run("run", self.write(text), "-o", self.tmp / "a.db", "--set", change)
            self.assertEqual(done.returncode, 2, done.stderr)
            for word in said:
                self.assertIn(word, done.stderr)
            self.assertFalse((self.tmp / "a.db").exists())

    def test_empty_vcs_are_said(self):
        text = "fabric: karytree:k=4,n=2\nrouting: dmodk\nvc: 1q\nvcs: 4\nmeasure: {warmup: 1 us, duration: 2 us}\n"
        self.assertIn("1 of 4", self.ok("run", self.write(text), "-o", self.tmp / "a.db"))

    def test_edited_experiment_reuses_points(self):
        store = self.tmp / "a.db"
        self.ok("run", self.write(SMALL), "-o", store)
        done = run("run", self.write(SMALL.replace("[20%, 60%]", "[40%, 60%]")), "-o", store)
        self.assertIn("8 of 16 points are finished already", done.stderr)
        answer = self.json("report", store)
        self.assertEqual(sorted({p["load"] for p in answer["points"]}), [0.4, 0.6])
        self.assertEqual([p["id"] for p in answer["points"]], list(range(16)))
        done = run("run", self.write(SMALL), "-o", store)
        self.assertIn("16 of 16 points are finished already", done.stderr)
        self.assertEqual([p["load"] for p in self.json("report", store)["points"][:4]], [0.2, 0.2, 0.6, 0.6])

    def test_quiet_into_a_pipe(self):
        done = run("run", self.write(SMALL), "-o", self.tmp / "a.db")
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\033", done.stderr)
        self.assertIn("16 of 16 points", done.stderr)
        self.assertEqual(run("run", self.write(SMALL), "-o", self.tmp / "b.db", "-q").stderr, "")

    def test_overrides(self):
        answer = self.json("run", self.write(SMALL), "-o", self.tmp / "a.db", "--set", "load=[30%]", "--set", "switch.voq=false",
                           "--set", "routing=dmodk", "--seed", 9)
        self.assertEqual({(p["load"], p["seed"], p["routing"]) for p in answer["points"]}, {(0.3, 9, "dmodk")})
        self.assertIn("voq=false", answer["points"][0]["params"]["switch"])

    def test_failed_proof_is_told_and_simulated(self):
        done = run("run", self.write(RING), "-o", self.tmp / "ring.db")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("can deadlock", done.stderr)
        answer = self.json("run", self.write(RING), "-o", self.tmp / "ring.db", status=1)
        self.assertFalse(answer["plans"][0]["proof"]["deadlock_free"])
        self.assertGreaterEqual(len(answer["plans"][0]["proof"]["witness"]), 5)
        self.assertEqual(answer["points_finished"], 1)

    def test_unfitting_routing_is_left_out(self):
        text = SMALL.replace("karytree:k=4,n=2", "ring:n=5").replace("shift:by=4", "shift:by=1")
        done = run("run", self.write(text), "-o", self.tmp / "a.db")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("test.yaml:3:11: dmodk does not fit ring:n=5", done.stderr)
        self.assertIn("skip_misfits: true", done.stderr)
        self.assertFalse((self.tmp / "a.db").exists())
        text += "skip_misfits: true\n"
        done = run("run", self.write(text), "-o", self.tmp / "a.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("dmodk is skipped", done.stderr)
        answer = self.json("report", self.tmp / "a.db")
        self.assertEqual({p["routing"] for p in answer["points"]}, {"updown"})
        half = answer["points_total"] // 2
        self.assertEqual((answer["points_finished"], answer["points_left_out"]), (half, half))
        [left] = answer["left_out"]
        self.assertEqual((left["points"], left["what"]), (half, "dmodk"))
        self.assertIn("tree", left["why"])
        self.assertIn(f"{half} of {2 * half} points are finished; left out are:\n  {half} points of dmodk: ", done.stdout)
        before = (self.tmp / "a.db").read_bytes()
        self.ok("run", self.write(text), "-o", self.tmp / "a.db")
        self.assertEqual((self.tmp / "a.db").read_bytes(), before)
        changed = text.replace("[dmodk, updown]", "updown")  # what was left out then is not left out now
        self.assertEqual(self.json("run", self.write(changed), "-o", self.tmp / "a.db")["points_left_out"], 0)
        only = text.replace("[dmodk, updown]", "dmodk")
        done = run("run", self.write(only), "-o", self.tmp / "b.db")
        self.assertEqual(done.returncode, 2)
        self.assertIn("test.yaml:3:10", done.stderr)

    def test_infeasible_values_of_a_sweep_are_counted(self):
        """A routing that works with other values of the sweep: one line with their number, and the others are run."""
        small = SMALL.replace("[dmodk, updown]", "{family: cowen, t_max: [1, 2, 3, 8]}")
        more_vcs = SMALL.replace("karytree:k=4,n=2", "torus:dims=4:4").replace("[dmodk, updown]", "shortest") + "vc: hopclass\nvcs: [1, 2, 4]\n"
        for text, said, finished, points in ((small, "3 of 4 plans with cowen are infeasible (cowen:t_max=1, cowen:t_max=2, cowen:t_max=3)", 8, 32),
                                             (more_vcs, "2 of 3 plans with shortest are infeasible (shortest vcs=1, shortest vcs=2)", 8, 24)):
            done = run("run", self.write(text), "-o", self.tmp / "a.db")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("infeasible"), 1)
            self.assertIn(said, done.stderr)
            self.assertEqual(count_points(self.tmp / "a.db"), points)
            answer = self.json("report", self.tmp / "a.db")
            self.assertEqual((answer["points_finished"], answer["points_left_out"]), (points, 0))
            self.assertEqual(sorted(p["feasible"] for p in answer["points"]), [0] * (points - finished) + [1] * finished)
            for p in answer["points"]:
                self.assertEqual(p.get("throughput") is None, not p["feasible"])
            self.assertEqual(len(answer["curves"]), finished // 4)  # two loads and two seeds each
            labels = [(s["plan_label"], s["traffic"]) for s in answer["statics"]]
            self.assertEqual(len(set(labels)), len(labels))
            before = (self.tmp / "a.db").read_bytes()
            done = run("run", self.write(text), "-o", self.tmp / "a.db")
            self.assertEqual((done.returncode, (self.tmp / "a.db").read_bytes()), (0, before))
            (self.tmp / "a.db").unlink()
        none = small.replace("[1, 2, 3, 8]", "[1, 2]")  # nothing is simulated at all: that is an error
        done = run("run", self.write(none), "-o", self.tmp / "b.db")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.tmp / "b.db").exists())

    def test_no_refusal_leaves_a_file(self):
        """Not even where an empty file, or a link to no file, was named."""
        hostless = SMALL.replace("karytree:k=4,n=2", '"torus:dims=4:4,hosts=0"').replace("[dmodk, updown]", "updown")
        for text in (hostless, RING.replace("shortest", "dmodk"), SMALL.replace('"shift:by=4"', '"shift:by=16"'),
                     SMALL + "switch: {buffer: 1 KiB}\n", SMALL + "vc: hopclass\nvcs: 1\n", SMALL + "adapter: {packet: 1 MiB}\n"):
            with self.subTest(text=text):
                empty, link = self.tmp / "empty.db", self.tmp / "link.db"
                empty.touch()
                link.unlink(missing_ok=True)
                link.symlink_to(self.tmp / "target.db")
                for results in (self.tmp / "none.db", empty, link):
                    self.refused("run", self.write(text), "-o", results, "-q")
                self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), ["empty.db", "link.db", "test.yaml"])
                self.assertEqual(empty.stat().st_size, 0)

    def test_files_are_read_before_the_first_point(self):
        """A flaw in any file that a point reads is told at once, and nothing is written."""
        good = self.tmp / "good.flows"
        good.write_text("0 1 0.5\n1 1\n1 2 1.5\n")
        flawed = {"traffic: [uniform, {family: file, path: PATH}]": "0 1\n1 2 -3\n",
                  "traffic: [uniform, 'mix:50%*uniform+50%*file:path=PATH']": "0 1\n1 99\n",
                  "routing: [dmodk, {family: lft, path: PATH}]": "Unicast lids [0x0-0x4] of switch Lid 1 guid 0x1 (sw):\n0x0001 xyz : (sw)\n"}
        for setting, text in flawed.items():
            with self.subTest(setting=setting):
                path, results = self.tmp / "flawed.txt", self.tmp / "results.ikat"
                path.write_text(text)
                lines = [line for line in SMALL.splitlines() if not line.startswith(setting.split(":")[0])]
                experiment = self.tmp / "files.yaml"
                experiment.write_text("\n".join(lines) + "\n" + setting.replace("PATH", "flawed.txt") + "\n")
                self.refused("run", experiment, "-o", results, says="flawed.txt:2")
                self.assertFalse(results.exists())
        experiment.write_text(SMALL.replace('"shift:by=4"', "'file:path=good.flows'"))
        r = run("run", experiment, "-o", results)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(r.stderr.count("1 line of a host to itself is skipped, the first is line 2"), 1)

    def test_bad_experiments(self):
        cases = {"fabrik: x\n": "1:1: there is no section 'fabrik'", SMALL.replace("60%", "160%"): "5:13",
                 SMALL + "\tx: 1\n": "tab", SMALL.replace("10 us", "10 ub"): "7:19", "": "no 'fabric'", "\0\1": "1:1",
                 SMALL.replace("seeds: 2", "seeds: 99999"): "points", "a: &a [*a]\n": "cycle",
                 SMALL.replace("karytree:k=4,n=2", "file:no-such.net"): "no-such.net"}
        for text, words in cases.items():
            self.refused("run", self.write(text), "-o", self.tmp / "x.db", says=words)
        self.refused("run", self.tmp / "none.yaml", says="none.yaml")
        self.refused("run", self.tmp, says=str(self.tmp))

    def test_foreign_results_files(self):
        path = self.write(SMALL)
        text = self.tmp / "text.db"
        text.write_text("no database\n" * 100)
        self.refused("run", path, "-o", text, says="not a results file")
        self.assertEqual(text.read_text(), "no database\n" * 100)
        foreign = self.tmp / "foreign.db"
        change(foreign, "CREATE TABLE mine(a)")
        self.refused("run", path, "-o", foreign, says="not a results file of ikat")
        self.refused("report", foreign, says="not a results file of ikat")
        store = self.tmp / "a.db"
        self.ok("run", path, "-o", store)
        change(store, "UPDATE meta SET value = '0.0.7' WHERE key = 'version'")
        self.refused("run", path, "-o", store, says=["0.0.7", "-o"])
        change(store, "PRAGMA user_version = 77")
        self.refused("run", path, "-o", store, says="format 77")
        self.refused("report", store, says="format 77")
        self.refused("run", path, "-o", self.tmp / "no" / "such.db", says="such.db")
        self.refused("run", path, "-o", "/dev/null", says="'/dev/null' is not a regular file")

    def test_damaged_results_file(self):
        store = self.tmp / "a.db"
        self.ok("run", self.write(SMALL), "-o", store)
        whole = store.read_bytes()
        for cut in (len(whole) // 2, 5000, 50):
            store.write_bytes(whole[:cut])
            self.refused("report", store)
        store.write_bytes(whole)
        change(store, "UPDATE points SET channel_bytes = x'ffffffffffffffff00'")
        self.refused("report", store, says="damaged")

    def test_full_disk(self):
        path, store = self.write(SMALL.replace("seeds: 2", "seeds: 20")), self.tmp / "a.db"
        self.ok("run", path, "-o", store, "--shard", "1/8")
        before = count_points(store)
        done = subprocess.run([IKAT, "run", str(path), "-o", str(store)], preexec_fn=limit_file_size(150_000), capture_output=True,
                              text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("full", done.stderr)
        self.assertIn("run the same command again", done.stderr)
        kept = count_points(store)  # what fits is written once a second, or not at all
        self.assertGreaterEqual(kept, before)
        again = run("run", path, "-o", store)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn(f"{kept} of 160 points are finished already", again.stderr)
        whole = self.tmp / "whole.db"
        self.ok("run", path, "-o", whole)
        self.assertEqual(whole.read_bytes(), store.read_bytes())

    @unittest.skipUnless(os.geteuid() == 0, "mounting needs root")
    def test_full_file_system(self):
        folder = self.tmp / "small"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=320k", "tmpfs", str(folder)], check=False,
                          capture_output=True).returncode:
            self.skipTest("mounting is not allowed here")
        try:
            path = self.write(SMALL.replace("seeds: 2", "seeds: 20"))
            self.ok("run", path, "-o", folder / "a.db", "--shard", "1/20")
            before = count_points(folder / "a.db")
            done = run("run", path, "-o", folder / "a.db")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("the disk is full", done.stderr)
            self.assertIn("run the same command again", done.stderr)
            self.assertGreaterEqual(count_points(folder / "a.db"), before)
        finally:
            subprocess.run(["umount", str(folder)], check=False)

    def test_two_runs_at_once(self):
        path, store = self.write(SMALL.replace("30 us", "3 ms").replace("seeds: 2", "seeds: 200")), self.tmp / "a.db"
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1", "-q"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as child:
            while not store.exists() or run("status", store).returncode:  # it writes
                self.assertIsNone(child.poll())
            self.refused("run", path, "-o", store, says="another 'ikat run'")
            child.send_signal(signal.SIGINT)
            child.communicate()

    def test_changed_import_is_another_fabric(self):
        original = (SOURCE / "data/cluster96.ibnetdiscover").read_text()
        dump_file = self.tmp / "c.ibnetdiscover"
        dump_file.write_text(original)
        text = SMALL.replace("karytree:k=4,n=2", "file:c.ibnetdiscover").replace("[dmodk, updown]", "updown").replace("seeds: 2", "seeds: 1")
        store = self.tmp / "a.db"
        self.ok("run", self.write(text), "-o", store)
        dump_file.write_text(original.replace("4xDDR", "4xEDR"))
        done = run("run", self.write(text), "-o", store)
        self.assertNotIn("finished already", done.stderr)
        self.assertEqual(self.json("report", store)["fabrics"][0]["slow_links"], [])

    def test_changed_flows_and_tables_are_run_again(self):
        (self.tmp / "flows").mkdir()
        flows, tables, store = self.tmp / "flows/a.flows", self.tmp / "a.lft", self.tmp / "a.db"
        flows.write_text("0 1\n")
        self.ok("route", "karytree:k=2,n=2", "-r", "updown", "--format", "lft", "-o", tables)
        path = self.write("fabric: karytree:k=2,n=2\nrouting: [dmodk, \"lft:path=a.lft\"]\ntraffic: [uniform, \"file:path=flows/a.flows\"]\n"
                          "load: 50%\nmeasure: {warmup: 1 us, duration: 10 us}\n")
        def again():
            said = run("run", path, "-o", store, cwd="/").stderr
            return said, {(p["routing"], p["traffic"]): p["checksum"] for p in self.json("report", store)["points"]}

        again()
        said, before = again()
        self.assertIn("4 of 4 points are finished already", said)
        self.assertIn(("lft:path=a.lft", "file:path=flows/a.flows"), before)
        flows.write_text("0 2\n")
        said, after = again()
        self.assertIn("2 of 4 points are finished already", said)
        self.assertEqual({k for k in after if after[k] != before[k]}, {k for k in after if "flows" in k[1]})
        self.ok("route", "karytree:k=2,n=2", "-r", "dmodk", "--format", "lft", "-o", tables)
        self.assertIn("2 of 4 points are finished already", again()[0])

    def test_quickstart(self):
        release = "release" in str(IKAT)  # sanitizers slow it down: one seed is enough for them
        store = self.tmp / "q.db"
        done = run_kept(["run", "experiments/quickstart.yaml", *([] if release else ["--set", "seeds=1"])], store)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout
        self.assertIn("What the slow link costs", text)
        self.assertIn("16 Gb/s instead of 100 Gb/s", text)
        answer = self.json("report", store)
        finding = [f for f in answer["fabrics"][0]["findings"] if f["code"] == "slow-link"]
        self.assertEqual(len(finding), 1)
        for cost in (c for c in answer["slow_link_costs"] if answer["curves"][c["curve"]]["traffic"] == "uniform"):
            self.assertGreater(cost["utilisation"], 0.5)
            self.assertLess(cost["siblings_utilisation"], 0.5)
            self.assertLess(cost["peak_throughput"], 0.7 * cost["repaired_peak_throughput"])


if __name__ == "__main__":
    unittest.main()
