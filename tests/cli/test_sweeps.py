"""ikat submit and ikat status: a sweep as an array job, by an sbatch that runs the scripts here, and by Debian's Slurm where it can run."""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import unittest

from harness import IKAT, SOURCE, CliTest, run, schema_errors, schemas

SMALL = """\
title: A small tree
fabric: ["karytree:k=4,n=2", "ring:n=5"]
routing: [dmodk, updown]
skip_misfits: true
traffic: [uniform, "shift:by=4"]
load: [20%, 60%]
seeds: 2
measure: {warmup: 1 us, duration: 3 us}
"""
LONG = SMALL.replace("3 us", "1 ms").replace("seeds: 2", "seeds: 20")
RING = """\
fabric: ring:n=8,p=1
routing: shortest
vc: 1q
vcs: 1
traffic: "shift:by=3"
load: [20%, 100%]
measure: {warmup: 10 us, duration: 300 us}
switch: {buffer: 4 KiB}
"""
UNFINISHED = """\
fabric: "karytree:k=4,n=2"
routing: updown
traffic: {family: exchange, pattern: "shift:by=5", bytes: 4 KiB, repeat: 40}
seeds: 3
measure: {until: delivered, at_most: 5 us}
"""
# Takes a job as sbatch does and runs it before it answers: the tasks of an array one after the other. A job that others depend on
# must have ended well.
SBATCH = r"""#!/usr/bin/env python3
import os, pathlib, re, subprocess, sys
jobs = pathlib.Path(os.environ["FAKE_JOBS"])
*options, script = sys.argv[1:]
assert "--parsable" in options, options
if len(list(jobs.iterdir())) >= int(os.environ.get("FAKE_MOST", 9)):
    sys.exit("sbatch: error: too many jobs")
number = 100 + len(list(jobs.iterdir()))
text = pathlib.Path(script).read_text()
head = dict(re.findall(r"^#SBATCH --([a-z-]+)(?:=(\S+))?$", text, re.M))
after = [o.rpartition(":")[2] for o in options if o.startswith("--dependency=afterok:")]
tasks = range(1, int(head["array"].partition("-")[2]) + 1) if "array" in head else [None]
worst = 0
for k in tasks if all((jobs / a).read_text() == "0" for a in after) else []:
    env = {**os.environ, "SLURM_JOB_ID": str(number), "SLURM_CPUS_PER_TASK": head.get("cpus-per-task", "1")}
    if k:
        env["SLURM_ARRAY_TASK_ID"] = str(k)
    with open(head["output"].replace("%a", str(k)), "a") as log:
        worst = max(worst, subprocess.run(["bash", script], env=env, stdout=log, stderr=log, check=False).returncode)
(jobs / str(number)).write_text(str(worst))
print(f"{number};cluster")
"""


def scripts_of(printed):
    """The estimate before the scripts that --dry-run prints, and these."""
    estimate, _, scripts = printed.partition("\n\n")
    return estimate + "\n", scripts


class Sweep(CliTest):
    def setUp(self):
        super().setUp()
        self.bin = self.tmp / "bin"
        self.local = self.tmp / "local"
        self.jobs = self.tmp / "jobs"
        for folder in (self.bin, self.local, self.jobs):
            folder.mkdir()
        fake = self.bin / "sbatch"
        fake.write_text(SBATCH)
        fake.chmod(0o755)
        self.env = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "SLURM_TMPDIR": str(self.local), "FAKE_JOBS": str(self.jobs)}

    def write(self, text, name="sweep.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def submit(self, *args, **more):
        return subprocess.run([IKAT, "submit", *map(str, args)], cwd=self.tmp, env={**self.env, **more}, capture_output=True, text=True,
                              check=False, timeout=300)

    def whole(self, text, *args):
        """The results of a run of all points."""
        path = self.tmp / "one.db"
        self.ok("run", self.write(text), "-o", path, *args, status=None)
        return path.read_bytes()


class Submit(Sweep):
    def test_results_of_one_run(self):
        """Names with blanks and quotes too."""
        for name, settings in (("sweep", ()), ("it's a $weep", ("--set", "load=[30%, 50%]", "--seed", "7"))):
            with self.subTest(name=name):
                folder = self.tmp / name
                folder.mkdir()
                experiment = folder / f"{name}.yaml"
                experiment.write_text(SMALL)
                done = self.submit(experiment, "--tasks", 3, "-o", folder / "all.db", *settings)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(p.name for p in (folder / "all.shards").glob("*.db")), [f"{k}-of-3.db" for k in (1, 2, 3)])
                whole = folder / "whole.db"
                self.ok("run", experiment, "-o", whole, *settings)
                self.assertEqual((folder / "all.db").read_bytes(), whole.read_bytes())
                self.assertEqual(list(self.local.iterdir()), [], "the disk of the node is left as it was")
                self.assertIn(f"array job 100 (3 tasks for {16 if settings else 32} points) and job 101", done.stdout)
                for job in self.jobs.iterdir():
                    job.unlink()

    def test_json(self):
        done = self.submit(self.write(SMALL), "--tasks", 2, "--json")
        answer = json.loads(done.stdout)
        self.assertEqual(schema_errors(schemas()["submit"], answer), [])
        self.assertEqual((answer["array_job"], answer["merge_job"], answer["tasks"], answer["points"]), ("100", "101", 2, 32))
        self.assertTrue(os.path.exists(answer["results"]))
        self.assertTrue(os.path.isdir(answer["shards"]))

    def test_failed_proofs_are_merged(self):
        done = self.submit(self.write(RING), "--tasks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.tmp / "sweep.db").read_bytes(), self.whole(RING))

    def test_dry_run(self):
        """Needs no Slurm, writes nothing, and prints what would be submitted."""
        path = self.write(SMALL)
        options = ["--tasks", "3", "--time", "1-2:00:00", "--mem", "4G", "--partition", "a,b", "--account", "me", "--jobs", "2"]
        before = sorted(p.name for p in self.tmp.iterdir())
        done = subprocess.run([IKAT, "submit", path, *options, "--dry-run"], cwd=self.tmp, env={**self.env, "PATH": "/nowhere"},
                              capture_output=True, text=True, check=True)
        self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), before)
        for line in ("array=1-3", "time=1-2:00:00", "mem=4G", "partition=a,b", "account=me", "cpus-per-task=2", "requeue"):
            self.assertIn(f"#SBATCH --{line}\n", done.stdout)
        self.submit(path, *options)
        scripts = [(self.tmp / "sweep.shards" / name).read_text() for name in ("task.sh", "merge.sh")]
        estimate, printed = scripts_of(done.stdout)
        self.assertEqual(printed, "\n".join(scripts))
        self.assertLess(len(printed.splitlines()), 75)
        self.assertRegex(estimate, r"# Estimate: 32 points, .* of processors\n")
        self.assertRegex(estimate, r"# 3 tasks on 2 processors each: ")
        self.assertEqual(subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True).returncode, 0)
        for script in scripts:
            subprocess.run(["bash", "-n"], input=script, text=True, check=True)

    def test_refused(self):
        path = self.write(SMALL)
        before = sorted(p.name for p in self.tmp.iterdir())
        for args, said in (((path,), "--tasks N is required"),
                           ((path, "--tasks", "0"), "--tasks"),
                           ((path, "--tasks", "many"), "--tasks"),
                           ((path, "--tasks", "33"), "33 tasks cannot share 32 points"),
                           ((path, "--tasks", "2", "--time", "1 h"), "'1 h' is nothing that Slurm takes"),
                           ((path, "--tasks", "2", "--mem", "4G\n#SBATCH --mem=0"), "--mem"),
                           ((path, "--tasks", "2", "--partition", ""), "--partition"),
                           ((path, "--tasks", "2", "--set", "load=nonsense"), "nonsense"),
                           ((self.bin / "sbatch", "--tasks", "2"), "sbatch:"),
                           ((self.tmp / "none.yaml", "--tasks", "2"), "cannot be opened"),
                           (("-", "--tasks", "2"), "must be a file"),
                           ((path, "--tasks", "2", "-o", path), "exists already"),
                           ((path, "--tasks", "2", "-o", self.tmp / "no" / "such.db"), "cannot make the folder"),
                           ((path, "--tasks", "2", "--dry-run", "--json"), "--dry-run")):
            done = self.submit(*args)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), before)
        done = self.submit(path, "--tasks", 2, PATH="/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no program 'sbatch'", done.stderr)
        self.assertIn("--dry-run prints the scripts", done.stderr)
        self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), before)

    def test_slurm_refuses(self):
        done = self.submit(self.write(SMALL), "--tasks", 2, FAKE_MOST="0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("too many jobs", done.stderr)
        self.assertIn("nothing was submitted", done.stderr)
        self.assertFalse((self.tmp / "sweep.shards").exists())
        done = self.submit(self.write(SMALL), "--tasks", 2, FAKE_MOST="1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the array job 100 was submitted", done.stderr)
        self.assertIn("merge.sh", done.stderr)
        self.assertTrue((self.tmp / "sweep.shards/merge.sh").exists())

    def test_slurm_answers_something_else(self):
        """However long it is: sbatch comes to its end, and nobody says that nothing was submitted."""
        for answer in ("Submitted batch job 5", "much " * 40000):
            (self.bin / "sbatch").write_text(f"#!/usr/bin/env python3\nprint({answer!r})\n")
            done = self.submit(self.write(SMALL), "--tasks", 2)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"sbatch answered '{answer[:20]}", done.stderr)
            self.assertNotIn("nothing was submitted", done.stderr)

    def task(self, number):
        """A task of sweep.shards as Slurm starts it."""
        log = open(self.tmp / f"log-{number}", "a")
        env = {**self.env, "SLURM_ARRAY_TASK_ID": str(number), "SLURM_JOB_ID": "7"}
        with log:
            return subprocess.Popen(["bash", "task.sh"], cwd=self.tmp / "sweep.shards", env=env, stdout=log, stderr=log, start_new_session=True)

    def begun(self, task, number):
        """Waits until a task has finished points."""
        log = self.tmp / f"log-{number}"
        while task.poll() is None and not re.search(r"^\d+ of \d+ points$", log.read_text(), re.M):
            time.sleep(0.02)

    def test_preempted_and_requeued(self):
        """Told to end, killed at any time, or begun while nothing is left to do: what was copied is whole, and the results are those
        of one run."""
        self.write(LONG)
        (self.bin / "sbatch").write_text("#!/bin/sh\necho 7\n")  # takes jobs and runs none
        self.assertEqual(self.submit(self.tmp / "sweep.yaml", "--tasks", 2).returncode, 0)
        shards = self.tmp / "sweep.shards"
        first = self.task(1)
        self.begun(first, 1)
        first.send_signal(signal.SIGTERM)
        self.assertNotEqual(first.wait(timeout=600), 0)
        kept = self.json("status", shards)
        self.assertGreater(kept["done"], 0)
        self.assertEqual([f["state"] for f in kept["files"]], ["stopped"])
        second = self.task(1)
        time.sleep(1)
        os.killpg(second.pid, signal.SIGKILL)
        second.wait()
        self.assertGreaterEqual(self.json("status", shards)["done"], kept["done"])
        (shards / "1-of-2.db.node").write_bytes(b"cut off")  # what a node that died may leave
        for number in (1, 2, 2):
            self.assertEqual(self.task(number).wait(timeout=300), 0, (self.tmp / f"log-{number}").read_text())
        self.assertIn("points are finished already", (self.tmp / "log-1").read_text())
        subprocess.run(["bash", "merge.sh"], cwd=shards, check=True, capture_output=True, timeout=600)
        self.assertEqual((self.tmp / "sweep.db").read_bytes(), self.whole(LONG))

    def test_submitted_again(self):
        """Tasks that had ended end at once; the merge comes after all."""
        path = self.write(SMALL)
        done = self.submit(path, "--tasks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = self.tmp / "sweep.db"
        whole = results.read_bytes()
        results.unlink()
        (self.tmp / "sweep.shards/2-of-2.db").unlink()
        self.assertEqual(self.submit(path, "--tasks", 2).returncode, 0)
        self.assertEqual(results.read_bytes(), whole)
        self.assertIn("points are finished already", (self.tmp / "sweep.shards/task-1.log").read_text())

    def test_checkpoints(self):
        """A task that is told to end leaves the state of its simulation beside the shards, and the next one goes on with it."""
        text = SMALL.replace("3 us", "4 ms").replace("[20%, 60%]", "60%").replace("seeds: 2", "seeds: 1")
        self.write(text)
        (self.bin / "sbatch").write_text("#!/bin/sh\necho 7\n")
        self.assertEqual(self.submit(self.tmp / "sweep.yaml", "--tasks", 2, "--checkpoint", "0.02 s").returncode, 0)
        first, files = self.task(1), self.tmp / "sweep.shards/1-of-2.db.checkpoints"
        while first.poll() is None and not list(files.glob("*.checkpoint")):
            time.sleep(0.005)
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(timeout=600), 130, (self.tmp / "log-1").read_text())
        file, = files.glob("*.checkpoint")
        state = file.read_bytes()
        file.write_bytes(state[:-1])  # to see that it is read
        self.assertEqual(self.task(1).wait(timeout=600), 2)
        self.assertIn("the checkpoint is torn", (self.tmp / "log-1").read_text())
        file.write_bytes(state)
        for number in (1, 2):
            self.assertEqual(self.task(number).wait(timeout=600), 0, (self.tmp / f"log-{number}").read_text())
        self.assertEqual(list((self.tmp / "sweep.shards").glob("*.checkpoints")), [])
        subprocess.run(["bash", "merge.sh"], cwd=self.tmp / "sweep.shards", check=True, capture_output=True, timeout=600)
        self.assertEqual((self.tmp / "sweep.db").read_bytes(), self.whole(text))

    def test_task_that_fails(self):
        """No merge, and the reason in its log."""
        path = self.write(SMALL)
        self.assertEqual(self.submit(path, "--tasks", 2, SLURM_TMPDIR=str(self.tmp / "no such")).returncode, 0)
        self.assertFalse((self.tmp / "sweep.db").exists())
        self.assertIn("no such", (self.tmp / "sweep.shards/task-1.log").read_text())


class Page(Sweep):
    def test_commands_of_the_how_to(self):
        """Those that are no commands of ikat alone, which test_docs runs."""
        blocks = re.findall(r"^```console\n(.*?)^```", (SOURCE / "docs/howto/run-on-a-cluster.md").read_text(), re.M | re.S)
        blocks = [block for block in blocks if "mpirun" not in block]  # test_mpi runs that one's like
        self.assertEqual(len(blocks), 4)
        (self.bin / "ikat").symlink_to(IKAT)
        (self.tmp / "experiments").mkdir()
        self.write(SMALL, "experiments/quickstart.yaml")  # for the one of the tree, which takes longer
        whole = self.tmp / "one.db"
        self.ok("run", self.tmp / "experiments/quickstart.yaml", "-o", whole)
        for number, block in enumerate(blocks[:3] + [blocks[2] + blocks[3]]):
            folder = self.tmp / str(number)
            folder.mkdir()
            (folder / "experiments").symlink_to(self.tmp / "experiments")
            commands = [line[2:] for line in block.splitlines()]
            self.assertTrue(all(line.startswith("$ ") for line in block.splitlines()))
            if "parallel" in block and not shutil.which("parallel"):
                continue
            for command in commands:
                done = subprocess.run(["bash", "-c", command], cwd=folder, env={**self.env, "HOME": str(self.tmp)}, capture_output=True, text=True,
                                      check=False, timeout=300, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
            for made in (*folder.glob("whole.db"), *folder.glob("sweep.db"), *folder.glob("so-far.db")):
                self.assertEqual(made.read_bytes(), whole.read_bytes(), command)


class Status(Sweep):
    def test_finished(self):
        self.whole(SMALL)
        answer = self.json("status", self.tmp / "one.db")
        self.assertEqual((answer["points"], answer["done"], answer["running"], answer["left"], answer["left_out"], answer["failed"]),
                         (32, 24, 0, 0, 8, 0))
        self.assertEqual([f["state"] for f in answer["files"]], ["ended"])
        self.assertEqual([(f["kind"], f["points"]) for f in answer["failures"]], [("left out", 8)])
        self.assertIn("dmodk", answer["failures"][0]["why"])
        text = self.ok("status", self.tmp / "one.db")
        self.assertIn("24 of 32 points done, 0 running, 0 left, 8 left out", text)

    def test_shards(self):
        """Points that several files have count once."""
        path = self.write(SMALL)
        shards = self.tmp / "shards"
        shards.mkdir()
        (shards / "note.txt").write_text("no results")
        self.ok("run", path, "--shard", "1/2", "-o", shards / "1.db")
        self.ok("run", path, "--shard", "1/3", "-o", shards / "2.db")
        (shards / "3.db").touch()  # a run that begins
        answer = self.json("status", shards)
        ids = set()
        for name in ("1.db", "2.db"):
            with contextlib.closing(sqlite3.connect(shards / name)) as db:
                ids |= {row[0] for row in db.execute("SELECT id FROM points")}
        self.assertEqual((answer["done"], answer["left"], answer["left_out"]), (len(ids), 24 - len(ids), 8))
        self.assertEqual(answer, self.json("status", shards / "1.db", shards / "2.db") | {"files": answer["files"]})

    def test_running_and_stopped(self):
        path, store = self.write(LONG), self.tmp / "a.db"
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as child:
            answer = {"done": 0}
            while answer["done"] < 1 and child.poll() is None:
                done = run("status", store)
                if done.returncode == 0:
                    answer = self.json("status", store)
            child.send_signal(signal.SIGTERM)
            child.wait()
        (file,) = answer["files"]
        self.assertEqual((file["state"], file["points"], answer["running"]), ("running", 320, 1))
        self.assertGreater(answer["seconds_left"], 0)
        self.assertEqual(answer["done"] + answer["running"] + answer["left"], 320)
        stopped = self.json("status", store)
        self.assertEqual([f["state"] for f in stopped["files"]], ["stopped"])
        self.assertEqual((stopped["running"], stopped["seconds_left"]), (0, None))
        self.assertGreaterEqual(stopped["done"], answer["done"])
        copy = self.tmp / "copy.db"
        self.ok("merge", store, "-o", copy)  # as a task does
        self.assertEqual(self.json("status", copy)["files"][0]["points"], 320)
        both = self.tmp / "both.db"
        self.ok("merge", store, copy, "-o", both)
        self.assertEqual(self.json("status", both)["files"][0]["points"], None, "the merged file is nobody's run")

    def test_killed(self):
        """With kill -9: stopped at once here. A copy, and a file of another machine, tell only by their age."""
        path, store, copy, far = self.write(LONG), *(self.tmp / n for n in ("a.db", "copy.db", "far.db"))
        with subprocess.Popen([IKAT, "run", str(path), "-o", str(store), "--jobs", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as child:
            while child.poll() is None and (run("status", store).returncode or not self.json("status", store)["done"]):
                time.sleep(0.05)
            self.assertEqual(self.json("status", store)["files"][0]["state"], "running")
            child.kill()
        answer = self.json("status", store)
        self.assertEqual((answer["files"][0]["state"], answer["running"], answer["seconds_left"] is None), ("stopped", 0, True))
        self.ok("merge", store, "-o", copy)
        self.assertEqual(self.json("status", copy)["files"][0]["state"], "running")
        with contextlib.closing(sqlite3.connect(store)) as db:
            db.execute("UPDATE meta SET value = json_set(value, '$.machine', 'another') WHERE key = 'run'")
            db.commit()
        self.assertEqual(self.json("status", store)["files"][0]["state"], "running")
        for age, state, text in ((100, "running", "running, no word for 1"), (400, "stopped", "stopped")):
            os.utime(store, (time.time() - age,) * 2)
            self.assertEqual(self.json("status", store)["files"][0]["state"], state)
            self.assertIn(text, self.ok("status", store))
        for value in ("5", "null", "'[1]'", "'{}'"):  # anybody's file
            shutil.copy(store, far)
            with contextlib.closing(sqlite3.connect(far)) as db:
                db.execute(f"UPDATE meta SET value = json_set(value, '$.machine', {value}, '$.file', -1) WHERE key = 'run'")
                db.commit()
            self.assertIn(run("status", far).returncode, (0, 2))
        self.ok("run", path, "-o", store, "--only", "load=20%", "-q")
        self.assertEqual(self.json("status", store)["files"][0]["state"], "ended")

    def test_one_shard_for_all_of_mpirun(self):
        """Processes that a launcher started with the same shard: one has the file, and the others say what to do."""
        path, store = self.write(SMALL), self.tmp / "a.db"
        env = {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1"}
        with open(store, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            for more, hints in ((env, True), ({}, False)):
                done = run("run", path, "--shard", "1/2", "-o", store, env=more)
                self.assertEqual(done.returncode, 2)
                self.assertIn("is being written by another", done.stderr)
                self.assertEqual("mpirun started 2 processes, and with --shard each works for itself" in done.stderr, hints, done.stderr)

    def test_does_not_hinder_a_run(self):
        """A lock as status takes it, again and again: no run is refused for it."""
        sweep, store, ends = self.write(SMALL.replace("seeds: 2", "seeds: 1")), self.tmp / "looked_at.db", threading.Event()

        def look():
            while not ends.is_set():
                with contextlib.suppress(FileNotFoundError), open(store, "rb") as file, contextlib.suppress(BlockingIOError):
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            for _ in range(30):
                self.ok("run", sweep, "-o", store, "-q")
        finally:
            ends.set()
            watcher.join()

    def test_failures(self):
        self.whole(RING)
        answer = self.json("status", self.tmp / "one.db", status=1)
        (proof,) = [f for f in answer["failures"] if f["kind"] == "proof failed"]
        self.assertEqual(proof["points"], 2)
        self.assertIn("can deadlock", proof["why"])
        with contextlib.closing(sqlite3.connect(self.tmp / "one.db")) as db:
            dead = {row[0]: row[1] for row in db.execute("SELECT id, deadlock FROM points WHERE deadlock <> ''")}
        self.assertEqual({f["first"]: f["why"] for f in answer["failures"] if f["kind"] == "deadlock"},
                         {k: v.splitlines()[0] for k, v in dead.items()})
        self.assertEqual((answer["failed"], list(dead)), (1, [1]))
        self.whole(UNFINISHED)
        answer = self.json("status", self.tmp / "one.db", status=1)
        self.assertEqual([f["kind"] for f in answer["failures"]], ["not completed"] * 3)
        text = self.ok("status", self.tmp / "one.db", status=1)
        self.assertEqual(text.count("not completed: point "), 3)

    def test_refused(self):
        self.whole(SMALL)
        other = self.tmp / "other.db"
        self.ok("run", self.write(RING, "ring.yaml"), "-o", other, status=1)
        empty = self.tmp / "empty"
        empty.mkdir()
        (empty / "note").write_text("x")
        self.refused("status", self.tmp / "one.db", other, says="different experiments")
        self.refused("status", empty, says="no results file")
        self.refused("status", self.tmp / "none.db", says="cannot be opened")
        self.refused("status", self.tmp / "sweep.yaml", says="not a results file")
        for sql in ("INSERT OR REPLACE INTO meta VALUES('run', 'no json')", "INSERT OR REPLACE INTO meta VALUES('run', '{\"points\":-1}')",
                    "UPDATE meta SET value = '[{\"first\":5}]' WHERE key = 'left_out'", "UPDATE points SET id = 4000000 WHERE id = 1",
                    "UPDATE meta SET value = '99999999999999' WHERE key = 'num_points'"):
            damaged = self.tmp / "damaged.db"
            shutil.copy(self.tmp / "one.db", damaged)
            with contextlib.closing(sqlite3.connect(damaged)) as db:
                db.execute(sql)
                db.commit()
            self.refused("status", damaged, says="damaged.db")


SLURM_CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={tmp}/munge/socket,cred_expire=5
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={tmp}/state
SlurmdSpoolDir={tmp}/spool
SlurmctldPidFile={tmp}/slurmctld.pid
SlurmdPidFile={tmp}/slurmd.pid
SlurmctldLogFile={tmp}/slurmctld.log
SlurmdLogFile={tmp}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/cons_tres
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
KillWait=20
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000
PartitionName=p Nodes=ALL Default=YES
"""


@unittest.skipUnless(os.geteuid() == 0, "slurmd runs jobs as root only")
@unittest.skipUnless(os.environ.get("IKAT_TEST_ALL"), "waits for daemons, as long as these take: with IKAT_TEST_ALL=1")
class RealSlurm(CliTest):
    """Debian's Slurm on one node: the same scripts, and a task that is requeued."""

    def start(self, *command):
        with open(self.tmp / f"{os.path.basename(command[0])}.out", "w") as out:
            process = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def asked(self, *command):
        return subprocess.run(command, cwd=self.tmp, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=600)

    def waits(self, what, seconds=600):
        for _ in range(seconds * 5):
            if what():
                return
            time.sleep(0.2)
        self.fail(self.asked("squeue").stdout + "".join(p.read_text() for p in sorted(self.tmp.glob("*.log"))))

    def setUp(self):
        super().setUp()
        paths = os.environ["PATH"] + ":/usr/sbin"
        munged, control, daemon = (shutil.which(name, path=paths) for name in ("munged", "slurmctld", "slurmd"))
        if not (munged and control and daemon and shutil.which("sbatch")):
            self.skipTest("munge, slurmctld, slurmd or slurm-client is not installed")
        for name in ("munge", "state", "spool"):
            (self.tmp / name).mkdir(mode=0o700)
        (self.tmp / "munge/key").write_bytes(os.urandom(1024))
        (self.tmp / "munge/key").chmod(0o600)
        with socket.socket() as a, socket.socket() as b:
            a.bind(("127.0.0.1", 0))
            b.bind(("127.0.0.1", 0))
            ports = a.getsockname()[1], b.getsockname()[1]
        conf = self.tmp / "slurm.conf"
        conf.write_text(SLURM_CONF.format(host=socket.gethostname(), tmp=self.tmp, ports=ports))
        self.env = {**os.environ, "SLURM_CONF": str(conf)}
        key = [f"--{name}={self.tmp}/munge/{name.partition('-')[0]}" for name in ("key-file", "socket", "pid-file", "seed-file", "log-file")]
        self.start(munged, "--foreground", "--force", *key)
        for _ in range(1200):
            if (self.tmp / "munge/socket").exists():
                break
            time.sleep(0.1)
        controller = self.start(control, "-D", "-c", "-f", str(conf))
        node = self.start(daemon, "-D", "-N", "n1", "-f", str(conf))
        for _ in range(600):
            if "idle" in self.asked("sinfo", "-h", "-o", "%T").stdout:
                return
            if controller.poll() is not None or node.poll() is not None:
                break
            time.sleep(0.2)
        self.skipTest("Slurm does not run here: " + "".join((self.tmp / f"{name}.out").read_text()[-300:] for name in ("slurmctld", "slurmd")))

    def test_array_job_with_a_requeued_task(self):
        path = self.tmp / "sweep.yaml"
        path.write_text(LONG)
        done = self.asked(IKAT, "submit", str(path), "--tasks", "2", "--mem", "400M", "--time", "30")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = self.tmp / "sweep.shards/task-1.log"
        self.waits(lambda: log.exists() and re.search(r"^\d+ of \d+ points$", log.read_text(), re.M))
        job = re.search(r"array job (\d+)", done.stdout).group(1)
        requeued = self.asked("scontrol", "requeue", f"{job}_1")
        self.assertEqual(requeued.returncode, 0, requeued.stderr)
        self.waits(lambda: (self.tmp / "sweep.db").exists())
        self.assertIn("points are finished already", log.read_text(), "what was finished before was copied back")
        self.ok("run", path, "-o", self.tmp / "one.db")
        self.assertEqual((self.tmp / "sweep.db").read_bytes(), (self.tmp / "one.db").read_bytes())
        self.assertEqual(self.json("status", self.tmp / "sweep.shards")["left"], 0)


if __name__ == "__main__":
    unittest.main()
