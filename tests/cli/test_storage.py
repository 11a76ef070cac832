"""Traces of block I/O: made up, written and read again; recorded by fio and replayed; packed; refused at their places."""
import collections
import csv
import gzip
import io
import re
import shutil
import subprocess
import unittest

from harness import SOURCE, CliTest, run

MADE = "disks=7,accesses=600,bytes=16 KiB,sizes=geometric,reads=43%,duration=2 ms,burst=10,service=40 us,seed=7"
ENDS = "adapter: {packet: 1 KiB}\nmeasure: {until: delivered, at_most: 1 s}\n"
HEAD = "time_ns,done_ns,device,op,offset,bytes,host\n"


class Storage(CliTest):
    def experiment(self, traffic, more=""):
        path = self.tmp / "experiment.yaml"
        path.write_text(f"fabric: karytree:k=2,n=5\nrouting: dmodk\ntraffic: {traffic}\n{more or ENDS}")
        return path

    def points(self, traffic, more=""):
        store = self.tmp / "results.db"
        store.unlink(missing_ok=True)
        done = run("run", self.experiment(traffic, more), "-o", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.notes = done.stderr.count("note: ")
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))

    def load(self, traffic, *more):
        return run("load", "karytree:k=2,n=5", "-r", "dmodk", "-t", f"storage:{traffic}", *more)

    def test_round_trip(self):
        """What is written is the same workload again: as a program, and in every result, at any speed and in both loops; packed as well."""
        plain, trace = self.tmp / "disks.csv", self.tmp / "disks.gz"
        self.assertEqual(self.load(MADE, "--trace", plain, "--goal", self.tmp / "made.goal").returncode, 0)
        self.assertEqual(plain.read_text(), (SOURCE / "experiments/disks.csv").read_text())
        trace.write_bytes(gzip.compress(plain.read_bytes()))
        done = self.load(f"trace={trace}", "--goal", self.tmp / "read.goal", "--trace", self.tmp / "again.csv")
        self.assertIn("600 accesses of 7 disks in format csv", done.stderr)
        self.assertEqual((self.tmp / "made.goal").read_text(), (self.tmp / "read.goal").read_text())
        self.assertEqual((self.tmp / "again.csv").read_text(), (SOURCE / "experiments/disks.csv").read_text())
        for sweep in ("compression: [1, 10, 100]", "loop: closed, compression: [10, 7.3]"):
            made = self.points("{family: storage, " + MADE.replace("=", ": ").replace(",", ", ") + f", {sweep}}}")
            read = self.points(f"{{family: storage, trace: {trace}, {sweep}}}")
            self.assertEqual(len(made), 3 if "1, 10" in sweep else 2)
            self.assertEqual(len({row["completion_ns"] for row in made}), len(made))
            differs = {key for a, b in zip(made, read) for key in a if a[key] != b[key]}
            self.assertEqual(differs, {"traffic"})
        self.assertEqual(self.notes, 1, "variants of one trace are noted once")

    def test_fio(self):
        """fio records what it does to a file; the replay has these accesses, and their bytes go where they should."""
        if not shutil.which("fio"):
            self.skipTest("fio is not installed")
        job = ["fio", "--name=job", f"--filename={self.tmp}/data", "--size=1m", "--bsrange=4k-64k", "--rw=randrw", "--ioengine=psync", "--number_ios=60",
               "--thinktime=500", "--write_iolog=io.log", "--randseed=5"]
        made = subprocess.run(job, cwd=self.tmp, capture_output=True, text=True, timeout=600, check=False)
        if made.returncode != 0:
            self.skipTest(f"fio fails here: {made.stderr[-300:]}")
        accesses = re.findall(r"^(?:\d+ )?\S+ (read|write) \d+ (\d+)$", (self.tmp / "io.log").read_text(), re.M)
        self.assertGreater(len(accesses), 10)
        bytes_of = collections.Counter()
        for op, size in accesses:
            bytes_of[op] += int(size)
        done = self.load(f"trace={self.tmp}/io.log,service=100 us", "--trace", self.tmp / "io.csv", "--goal", self.tmp / "io.goal")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{len(accesses)} accesses of 1 disk in format fio", done.stderr)
        rows = list(csv.DictReader(io.StringIO((self.tmp / "io.csv").read_text())))
        for op in ("read", "write"):
            self.assertEqual(sum(int(r["bytes"]) for r in rows if r["op"] == op[0].upper()), bytes_of[op])
        times = [int(r["time_ns"]) for r in rows]
        self.assertGreater(times[-1] - times[0], 0.8 * 500e3 * (len(rows) - 1), "the job waits 500 us between accesses")
        self.assertLess(times[-1], 60e9)
        sent = sum(map(int, re.findall(r"send (\d+)b", (self.tmp / "io.goal").read_text())))
        self.assertEqual(sent, sum(bytes_of.values()) + 64 * len(rows))
        point = self.points(f"{{family: storage, trace: {self.tmp}/io.log, service: 100 us}}")[0]
        self.assertGreater(float(point["completion_ns"]), times[-1])

    def test_places(self):
        """What is wrong in a file stands at its line, what is wrong in an experiment at the setting."""
        trace = self.tmp / "io.csv"
        for text, place, says in ((HEAD + "1,2,a,R,0,-4,\n", ":2:11", "a size in bytes"), (HEAD + "1,2,a,R,0", ":2:10", "cut off"),
                                  (HEAD + "1,,a,R,0,4096,\n", ":2", "no time of completion of 1 of 1")):
            trace.write_text(text)
            stderr = self.refused("run", self.experiment(f"{{family: storage, trace: {trace}}}"), "-o", self.tmp / "no.db", says=says)
            self.assertIn(f"{trace}{place}", stderr)
        trace.write_text(HEAD + "1,2,a,R,0,4096,\n")
        for settings, key, says in (("reads: 20%", "reads", "has no effect"), ("service: 1 us", "service", "has no effect"),
                                    ("placement: nowhere.txt", "placement", "there is no file"), ("duration: 0 s", "duration", "a window of 0 s"),
                                    ("hosts: [3]", "hosts", "none is left"), ("format: spc", "format", "storage unit")):
            path = self.experiment(f"{{family: storage, trace: {trace}, {settings}}}")
            stderr = self.refused("run", path, "-o", self.tmp / "no.db", says=says)
            if key not in ("placement", "format"):
                column = path.read_text().splitlines()[2].index(settings) + 1
                self.assertRegex(stderr, rf"{re.escape(str(path))}:3:({column}|{column + len(key) + 2})\b", settings)
        self.assertIn("has no accesses to disks", run("load", "crossbar:n=4", "-r", "minimal", "-t", "uniform", "--trace", trace).stderr)


if __name__ == "__main__":
    unittest.main()
