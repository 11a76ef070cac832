"""One simulation in several processes, started by mpirun of each MPI library that is installed: the results of one process, apart
from times. A rank that fails, is stopped or has other files ends all, with one message. Skipped where no MPI is installed."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import IKAT, SOURCE, CliTest, run

LAUNCHERS = {
    "openmpi": ["--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,vader,tcp"],
    "mpich": [],
}
MODULES = pathlib.Path(IKAT).resolve().parent / "ranks"
FOUND = [name for name in LAUNCHERS if shutil.which(f"mpirun.{name}") and (MODULES / f"libikat_ranks_{name}.so").exists()]
SWEEP = """\
fabric: "karytree:k=2,n=3,latency=500 ns"
routing: [dmodk, adaptive_tree]
load: [30%, 90%]
measure: {stop: {ci: 20 %, at_most: 60 us}, series: 5 us, congestion: false}
"""
WORKLOAD = """\
fabric: "karytree:k=2,n=3,latency=500 ns"
routing: dmodk
switch: {model: [iq, ioq]}
traffic: ["collective:allreduce,algorithm=ring,bytes=40 kB", "exchange:pattern=alltoall,bytes=4 kB", "collective:alltoall,algorithm=linear,bytes=40 kB"]
measure: {until: delivered, at_most: 1 ms}
"""  # on a crossbar the messages of the last one take turns packet by packet
LONG = """\
fabric: "karytree:k=4,n=2,latency=500 ns"
routing: dmodk
load: [10%, 20%, 30%, 40%, 50%, 60%, 70%, 80%, 90%]
measure: {warmup: 10 us, duration: 200 us}
seeds: 4000
"""  # for many minutes: it is stopped


def launched(mpi, num, *args, **kwargs):
    """The command line that runs ikat on `num` ranks."""
    return [f"mpirun.{mpi}", *LAUNCHERS[mpi], "-n", str(num), IKAT, *map(str, args)]


def without_times(text):
    """A JSON report without what depends on when and where it ran."""
    return re.sub(r'"(seconds|cpu_seconds|run_seconds|threads|state_bytes|date)": ?[^,}]*', '"\\1": 0', text)


@unittest.skipUnless(FOUND, "no MPI library, or ikat has no module for it")
class MpiTest(CliTest):
    """Runs under mpirun."""

    def ranks(self, mpi, num, *args, status=0, env=None, timeout=1200):
        """Runs ikat on ranks, expects this status, returns what is printed."""
        done = subprocess.run(launched(mpi, num, *args), cwd=self.tmp, env={**os.environ, **(env or {})}, timeout=timeout,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout, done.stderr

    def exported(self, results):
        """Results as CSV and as JSON."""
        table = self.ok("report", self.tmp / results, "--csv", "-o", self.tmp / "points.csv", "-q")
        self.ok("report", self.tmp / results, "--json", "-o", self.tmp / "all.json", "-q")
        self.assertEqual(table, "")
        return (self.tmp / "points.csv").read_text(), without_times((self.tmp / "all.json").read_text())

    def compare(self, text, nums, points):
        (self.tmp / "e.yaml").write_text(text)
        self.ok("run", "e.yaml", "-o", "one.db", "-q", cwd=self.tmp)
        expected = self.exported("one.db")
        self.assertGreaterEqual(len(list(csv.reader(io.StringIO(expected[0])))), 5)
        for mpi in FOUND:
            for num in nums:
                with self.subTest(mpi=mpi, ranks=num):
                    _, said = self.ranks(mpi, num, "run", "e.yaml", "-o", f"{mpi}{num}.db")
                    self.assertIn(f"{points} points: 1 at a time on {num} ranks", said)
                    self.assertEqual(self.exported(f"{mpi}{num}.db"), expected)

    def test_sweep(self):
        """Runs that end by themselves; two and three ranks."""
        self.compare(SWEEP, (2, 3), 4)

    def test_workloads(self):
        """Runs until all is delivered."""
        self.compare(WORKLOAD, (2, 3), 6)

    def test_continues(self):
        """What is finished is not repeated, whoever did it; nothing is left in the folder for temporary files."""
        (self.tmp / "e.yaml").write_text(SWEEP)
        (self.tmp / "scratch").mkdir()
        self.ok("run", "e.yaml", "-o", "one.db", "-q", cwd=self.tmp)
        expected = self.exported("one.db")
        for mpi in FOUND:
            self.ok("run", "e.yaml", "-o", f"{mpi}.db", "-q", "--only", "load=30%", cwd=self.tmp)
            _, said = self.ranks(mpi, 2, "run", "e.yaml", "-o", f"{mpi}.db", env={"TMPDIR": str(self.tmp / "scratch")})
            self.assertEqual([path.name for path in (self.tmp / "scratch").glob("ikat-rank*")], [])
            self.assertIn("2 points are finished already", said.replace("2 of 4 points", "2 points"))
            self.assertEqual(self.exported(f"{mpi}.db"), expected)

    def test_one_switch(self):
        """A fabric with fewer switches than ranks is not divided."""
        (self.tmp / "e.yaml").write_text(SWEEP.replace("karytree:k=2,n=3,latency=500 ns", "crossbar:n=8").replace("[dmodk, adaptive_tree]", "minimal"))
        self.ok("run", "e.yaml", "-o", "one.db", "-q", cwd=self.tmp)
        for mpi in FOUND:
            self.ranks(mpi, 2, "run", "e.yaml", "-o", f"{mpi}.db")
            self.assertEqual(self.exported(f"{mpi}.db"), self.exported("one.db"))

    def refuses(self, mpi, *args, says, env=None):
        _, said = self.ranks(mpi, 2, *args, status=2, env=env)
        for word in says:
            self.assertIn(word, said)
        self.assertEqual(len(re.findall("^ikat: ", said, re.M)), 1, said)

    def test_refusals(self):
        """Each with one message, of whichever rank; and no results file."""
        (self.tmp / "e.yaml").write_text(SWEEP)
        (self.tmp / "watched.yaml").write_text(SWEEP + "switch: {model: pipelined}\n")
        (self.tmp / "broken.yaml").write_text("fabric: nothing\n")
        for mpi in FOUND:
            self.refuses(mpi, "run", "e.yaml", "-o", "x.db", "--jobs", "2", says=["--jobs"])
            self.refuses(mpi, "run", "e.yaml", "-o", "x.db", "--budget", "2 h", says=["--budget"])
            self.refuses(mpi, "run", "e.yaml", "-o", "x.db", "--set", "measure.congestion=true", says=["measure.congestion", "hint: add --set measure.congestion=false"])
            self.refuses(mpi, "run", "e.yaml", "-o", "x.db", "--set", "measure.paranoid=true", says=["paranoid"])
            self.refuses(mpi, "run", "watched.yaml", "-o", "x.db", says=["pipelined"])
            self.refuses(mpi, "run", "broken.yaml", "-o", "x.db", says=["nothing"])
            self.refuses(mpi, "run", "none.yaml", "-o", "x.db", says=["none.yaml"])
            self.refuses(mpi, "run", "e.yaml", "-o", "missing/x.db", says=["missing"])
            self.assertFalse((self.tmp / "x.db").exists())

    def of_rank(self, mpi, script):
        """A command for mpirun that does something else on rank 1."""
        path = self.tmp / "by_rank.sh"
        path.write_text('#!/bin/sh\nRANK=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n' + script)
        path.chmod(0o755)
        return subprocess.run([f"mpirun.{mpi}", *LAUNCHERS[mpi], "-n", "2", str(path)], cwd=self.tmp, timeout=1200,
                              capture_output=True, text=True, check=False)

    def test_ranks_that_differ(self):
        """Other files, or other options, on another rank."""
        (self.tmp / "e.yaml").write_text(SWEEP)
        for rank in (0, 1):
            (self.tmp / f"folder{rank}").mkdir()
            (self.tmp / f"folder{rank}" / "e.yaml").write_text(SWEEP + f"# {rank}\n")
        for mpi in FOUND:
            done = self.of_rank(mpi, f'cd folder$RANK && exec {IKAT} run e.yaml -o ../x.db\n')
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("e.yaml of rank 0 is not that of rank 1", done.stderr)
            done = self.of_rank(mpi, f'exec {IKAT} run e.yaml -o x.db --set seeds=[$((RANK+1))]\n')
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("the experiment of rank 0 is not that of rank 1", done.stderr)
            self.assertFalse((self.tmp / "x.db").exists())

    def test_named_files_that_differ(self):
        """Files that the experiment, or the command, names, which have one name and other contents on each rank."""
        graph = "num_ranks 2\nrank 0 {\n  s: send %d b to 1\n}\nrank 1 {\n  r: recv %d b from 0\n}\n"
        for rank in (0, 1):
            folder = self.tmp / f"named{rank}"
            folder.mkdir()
            (folder / "two.goal").write_text(graph % (4000 + rank, 4000 + rank))
            (folder / "e.yaml").write_text('fabric: "karytree:k=2,n=2"\nrouting: dmodk\ntraffic: {family: graph, path: two.goal}\n'
                                           "measure: {until: delivered, at_most: 1 ms}\n")
        for mpi in FOUND:
            for command in ("run e.yaml -o ../x.db", 'replay two.goal --fabric "karytree:k=2,n=2" --routing dmodk -o ../x.db'):
                done = self.of_rank(mpi, f"cd named$RANK && exec {IKAT} {command}\n")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("the experiment of rank 0 is not that of rank 1", done.stderr)
                self.assertFalse((self.tmp / "x.db").exists())

    def test_parts_that_differ(self):
        """Each rank is asked for other points of one experiment."""
        (self.tmp / "e.yaml").write_text(SWEEP)
        for mpi in FOUND:
            done = self.of_rank(mpi, f"exec {IKAT} run e.yaml -o x.db --only load=$((RANK*60+30))%\n")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("the experiment of rank 0 is not that of rank 1", done.stderr)
            self.assertFalse((self.tmp / "x.db").exists())

    def test_replay(self):
        """A recorded program: one results file, by all ranks together; rank 0 alone writes the program."""
        trace = SOURCE / "experiments" / "taskfarm.goal"
        command = ["replay", trace, "--fabric", "karytree:k=2,n=3", "--routing", "dmodk"]
        self.ok(*command, "-o", self.tmp / "one.db", "-q")
        for mpi in FOUND:
            _, said = self.ranks(mpi, 2, *command, "-o", f"{mpi}.db", "--goal", f"{mpi}.goal")
            self.assertIn("1 point: 1 at a time on 2 ranks: they were started together, but a point has work for 1 rank", said)
            self.assertEqual(self.exported(f"{mpi}.db"), self.exported("one.db"))
            self.assertTrue((self.tmp / f"{mpi}.goal").exists())

    def test_reproduce(self):
        """The files of one process; experiments that ranks cannot run are named, and the others are run."""
        only = ["--only", "design=SADP", "--only", "seeds=1", "--only", "fabric.k=4"]  # ranks wait for each other every 8 ns of these
        self.ok("reproduce", "001/worst", "-o", "one", *only, "-q", cwd=self.tmp)
        for mpi in FOUND:
            _, said = self.ranks(mpi, 2, "reproduce", "001/worst", "004/network_64", "-o", mpi, *only, status=2)
            self.assertEqual(re.findall(r"^ikat: (\S+?):", said, re.M), ["experiments/papers/004/network_64.yaml"])
            self.assertIn("2 of 2 points", said)
            for name in ("worst.points.csv", "worst.yaml"):
                self.assertEqual((self.tmp / mpi / "001" / name).read_bytes(), (self.tmp / "one" / "001" / name).read_bytes())
            self.assertEqual((self.tmp / mpi / "claims.csv").read_text(), (self.tmp / "one" / "claims.csv").read_text())
            _, said = self.ranks(mpi, 2, "reproduce", "000/fig3", "001/worst", "-o", f"{mpi}2", *only, status=2)
            self.assertEqual(re.findall(r"^ikat: (.*)", said, re.M), ["there is no axis 'design'"])
            self.assertIn("2 of 2 points", said)
            self.assertIn("000/fig3", self.ranks(mpi, 2, "reproduce", "--list")[0])
            self.refuses(mpi, "reproduce", "001/worst", "-o", "x", "--budget", "2 h", says=["--budget"])
            (self.tmp / "file").touch()
            self.refuses(mpi, "reproduce", "001/worst", "-o", "file", *only, says=["cannot make the folder"])

    def test_a_rank_fails(self):
        """For lack of room for its copy of the results: all end, and the message names it."""
        (self.tmp / "e.yaml").write_text(SWEEP)
        for mpi in FOUND:
            done = self.of_rank(mpi, f'[ $RANK = 0 ] || export TMPDIR=/dev/null/none\nexec {IKAT} run e.yaml -o {mpi}.db\n')
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, "rank 1.*temporary files")

    def test_without_a_module(self):
        """Never several runs that write one file."""
        (self.tmp / "e.yaml").write_text(SWEEP)
        alone = self.tmp / "ikat"
        shutil.copy(IKAT, alone)
        for size, rank in (("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK")):
            for number in "01":
                done = subprocess.run([alone, "run", "e.yaml", "-o", "x.db"], cwd=self.tmp, env={**os.environ, size: "2", rank: number},
                                      capture_output=True, text=True, check=False, timeout=1200)
                self.assertEqual(done.returncode, 2)
                self.assertEqual("2 processes were started together" in done.stderr and "hint: install" in done.stderr, number == "0", done.stderr)
            self.assertFalse((self.tmp / "x.db").exists())

    def test_shards_are_alone(self):
        """A shard of its own for each process."""
        (self.tmp / "e.yaml").write_text(SWEEP)
        for mpi in FOUND:
            done = self.of_rank(mpi, f'exec {IKAT} run e.yaml -o {mpi}$RANK.db --shard $((RANK+1))/2 -q\n')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.ok("merge", f"{mpi}0.db", f"{mpi}1.db", "-o", f"{mpi}.db", "-q", cwd=self.tmp)

    def of_this_test(self, rank):
        """Numbers of the processes of this test that are this rank."""
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment = (path / "environ").read_bytes()
                mine = str(self.tmp).encode() in os.fsencode(os.readlink(path / "cwd")) and (path / "exe").resolve().name == "ikat"
            except OSError:
                continue
            if mine and (b"OMPI_COMM_WORLD_RANK=%d\0" % rank in environment or b"PMI_RANK=%d\0" % rank in environment):
                yield int(path.name)

    def interrupted(self, mpi, stop, env=None):
        """Starts a long run, waits for its first point, stops it with stop(process). The launcher's exit status, what was said, and how
        many points were kept."""
        (self.tmp / "long.yaml").write_text(LONG)
        results = self.tmp / f"{mpi}.db"
        with subprocess.Popen(launched(mpi, 2, "run", "long.yaml", "-o", results.name), cwd=self.tmp, env={**os.environ, **(env or {})},
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            for _ in range(6000):  # what is finished is written once a second
                time.sleep(0.1)
                seen = run("status", results, "--json") if results.exists() else None
                if seen and seen.returncode == 0 and json.loads(seen.stdout)["done"] > 0:
                    break
            stop(process)
            said = process.stderr.read()
            status = process.wait(timeout=1200)
        done = run("report", results, "--csv")
        results.unlink()
        return status, said, len(list(csv.reader(io.StringIO(done.stdout)))) - 1

    def test_stopped(self):
        """By a signal to mpirun, which gives it to the ranks one after the other, or to one rank that does not write the results: finished points are kept."""
        def to_other(_):
            for number in self.of_this_test(1):
                os.kill(number, signal.SIGTERM)
        for mpi in FOUND:
            for stop in (lambda process: process.send_signal(signal.SIGTERM), to_other):
                with self.subTest(mpi=mpi):
                    status, said, kept = self.interrupted(mpi, stop)
                    self.assertIn(kept, range(1, 36000), said)
                    self.assertIn(f"stopped by a signal while simulating: {kept} of 36000 points", said)
                    self.assertNotIn("ikat: rank", said)
                    # MPICH's launcher, when it gets a signal, sometimes ends with 0 although all ranks ended with 130
                    self.assertIn(status, (0, 130) if mpi == "mpich" else (1, 130))

    def test_a_rank_is_killed(self):
        """The launcher ends the others; finished points are kept. What the killed rank leaves is removed by the next run."""
        def kill(_):
            for number in self.of_this_test(1):
                os.kill(number, signal.SIGKILL)
        for mpi in FOUND:
            with self.subTest(mpi=mpi):
                scratch = self.tmp / f"scratch_{mpi}"
                scratch.mkdir()
                env = {"TMPDIR": str(scratch)}
                status, said, kept = self.interrupted(mpi, kill, env)
                self.assertIn(kept, range(1, 36000), said)
                self.assertNotEqual(status, 0)
                self.assertEqual(len(list(scratch.glob("ikat-rank*"))), 1)
                (self.tmp / "e.yaml").write_text(SWEEP)
                self.ranks(mpi, 2, "run", "e.yaml", "-o", f"{mpi}_next.db", env=env)
                self.assertEqual(list(scratch.glob("ikat-rank*")), [])


if __name__ == "__main__":
    unittest.main()
