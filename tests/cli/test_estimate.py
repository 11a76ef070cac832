"""What a sweep will take: `ikat run --dry-run`, `ikat submit`, and how its points are divided among tasks."""
import json
import os
import re
import sqlite3
import subprocess
import unittest

from harness import IKAT, CliTest, schema_errors, schemas

SMALL = """\
fabric: ["karytree:k=4,n=2", "karytree:k=4,n=3"]
routing: [dmodk, updown]
traffic: uniform
load: [10%, 30%, 50%]
seeds: 2
measure: {warmup: 2 us, duration: 20 us}
"""
UNEVEN = SMALL.replace("duration: 20 us", "duration: [1 us, 1 us]").replace("[1 us, 1 us]", "[2 us, 200 us]")
MILLION = """\
fabric: "karytree:k=128,n=3"
routing: dmodk
traffic: uniform
load: [10%, 90%]
measure: {warmup: 1 us, duration: 2 us}
"""


class Estimate(CliTest):
    def write(self, text, name="sweep.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def dry(self, *args):
        """As an object that the command's help describes; nothing is written."""
        before = sorted(p.name for p in self.tmp.iterdir())
        answer = self.json("run", *args, "--dry-run")
        self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), before)
        return answer

    def submit(self, *args, status=0):
        done = subprocess.run([IKAT, "submit", *map(str, args), "--dry-run"], cwd=self.tmp, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.partition("\n\n")[0] if status == 0 else done.stderr

    def costs(self, path):
        with sqlite3.connect(path) as db:
            return db.execute("SELECT count(*) FROM details WHERE kind = 'cost'").fetchone()[0]

    def test_before_and_after(self):
        """Every point, then those that a file lacks, by what the others took; nothing when all are there."""
        path, store = self.write(SMALL), self.tmp / "a.db"
        first = self.dry(path, "-o", store)
        self.assertEqual((first["points"], first["finished"], first["measured"], first["unknown"], len(first["each"])), (24, 0, 0, 0, 24))
        self.assertAlmostEqual(first["seconds"], sum(p["seconds"] for p in first["each"]), delta=1e-3 * first["seconds"])
        self.assertEqual(first["longest"]["seconds"], max(p["seconds"] for p in first["each"]))
        self.assertIn("karytree:k=4,n=3", first["longest"]["what"])
        self.assertIn("at load 0.5", first["longest"]["what"])
        self.assertTrue(all(5e6 < p["bytes"] < 1e9 for p in first["each"]))
        text = self.ok("run", path, "-o", store, "--dry-run")
        self.assertIn("Estimate: 24 points, ", text)
        self.assertIn("no point is finished yet", text)
        self.ok("run", path, "-q", "-j", "1", "--only", "seeds=1", "-o", store)
        later = self.dry(path, "-o", store)
        self.assertEqual((later["points"], later["finished"], later["measured"]), (12, 12, 12))
        self.assertIn("The times of 12 finished points", self.ok("run", path, "-o", store, "--dry-run"))
        self.ok("run", path, "-q", "-o", store)
        last = self.dry(path, "-o", store)
        self.assertEqual((last["points"], last["finished"], last["seconds"], last["longest"], last["each"]), (0, 24, 0, None, []))

    def test_parts(self):
        path = self.write(SMALL)
        parts = [self.dry(path, "--shard", f"{i}/3") for i in (1, 2, 3)]
        self.assertEqual(sorted(p["point"] for part in parts for p in part["each"]), list(range(24)))
        self.assertEqual(self.dry(path, "--only", "load=10%")["points"], 8)
        self.refused("run", path, "--assignment", "x", says="no effect without --shard")
        for option in (("--strict",), ("--budget", "1 h"), ("--no-cache",)):
            self.refused("run", path, "--dry-run", *option, says=f"{option[0]} has no effect with --dry-run")

    def test_times_are_gone_at_the_end(self):
        """A file that lacks points has what the others took; the whole has the bytes of any other run."""
        path, whole, some, merged = self.write(SMALL), *(self.tmp / n for n in ("whole.db", "some.db", "merged.db"))
        self.ok("run", path, "-q", "-o", whole)
        self.assertEqual(self.costs(whole), 0)
        self.ok("run", path, "-q", "--shard", "1/2", "-o", some)
        self.assertGreater(self.costs(some), 0)
        self.ok("run", path, "-q", "--shard", "2/2", "-o", self.tmp / "rest.db")
        self.ok("merge", some, "-o", self.tmp / "copy.db")
        self.assertEqual(self.costs(self.tmp / "copy.db"), self.costs(some))
        self.ok("merge", some, self.tmp / "copy.db", self.tmp / "rest.db", "-o", merged)
        self.assertEqual(merged.read_bytes(), whole.read_bytes())
        self.ok("run", path, "-q", "-o", some)
        self.assertEqual(some.read_bytes(), whole.read_bytes())

    def test_huge(self):
        """Two million hosts are not built, and workloads on them are not known."""
        path = self.write(MILLION)
        answer = self.dry(path)
        self.assertEqual((answer["points"], answer["not_built"], answer["unknown"]), (2, 1, 0))
        self.assertGreater(answer["seconds"], 10)
        self.assertGreater(answer["most_memory"]["bytes"], 1e9)
        self.assertIn("estimated by size alone", self.ok("run", path, "--dry-run"))
        ends = self.write(MILLION.replace("uniform", "exchange:bytes=1 MiB,pattern=shift").replace("load: [10%, 90%]\n", "").replace(
            "{warmup: 1 us, duration: 2 us}", "{until: delivered, at_most: 1 ms}"), "ends.yaml")
        answer = self.dry(ends)
        self.assertEqual((answer["unknown"], answer["each"][0]["seconds"]), (1, None))

    def test_kinds(self):
        """Measures alone, workloads, searches, points that are left out."""
        for text in ("fabric: karytree:k=4,n=2\nrouting: [dmodk, updown]\nsimulate: false\nmeasures: [proof, mean_hops]\n",
                     "fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: {family: exchange, bytes: 4 KiB}\nmeasure: {until: delivered, at_most: 1 ms}\n",
                     "fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: uniform\nload: {find: saturation}\n",
                     "fabric: ['karytree:k=4,n=2', 'ring:n=5']\nrouting: dmodk\nskip_misfits: true\ntraffic: uniform\nload: 10%\n",
                     SMALL + "switch: {model: pipelined}\n"):
            with self.subTest(text=text):
                answer = self.dry(self.write(text))
                self.assertEqual(answer["unknown"], 0)
                self.assertGreater(answer["seconds"], 0)

    def test_limits(self):
        path = self.write(UNEVEN.replace("200 us", "20 ms"))
        fits = self.submit(path, "--tasks", 4, "--time", "10-0", "--mem", "100G")
        self.assertNotIn("fit", fits)
        self.assertIn("# 4 tasks on 1 processor each: ", fits)
        told = self.submit(path, "--tasks", 4, "--time", "0:0:1", "--mem", "1M")
        self.assertRegex(told, r"# Does not fit --time 0:0:1: point \d+: (dmodk|updown) with uniform at load 0\.")
        self.assertRegex(told, r"# Does not fit --mem 1M: point \d+: ")
        self.assertRegex(told, r"# --time \d+:\d\d:00 would do for all of them")
        self.assertRegex(told, r"# --mem \d+M would do for all of them")
        self.assertIn("A task takes longer than --time 0:0:1", told)
        would = re.search(r"# --time (\S+) would do for all", told).group(1)
        self.assertNotIn("Does not fit --time", self.submit(path, "--tasks", 4, "--time", would))
        would = re.search(r"# --mem (\S+) would do for all", told).group(1)
        self.assertNotIn("Does not fit --mem", self.submit(path, "--tasks", 4, "--mem", would))

    def test_units(self):
        """As sbatch reads them."""
        path = self.write(SMALL)
        for mem in ("1K", "1k", "2", "1024KB"):
            self.assertIn(f"Does not fit --mem {mem}:", self.submit(path, "--tasks", 2, "--mem", mem))
        for mem in ("0", "1T", "4000", "3G", "4096MB", "99999999K"):
            self.assertNotIn("Does not fit", self.submit(path, "--tasks", 2, "--mem", mem))
        for mem in ("G", "4.5G", "0x10", "1e400G", "4X", "4GiB", "-1", "1e"):
            self.assertIn("--mem takes megabytes", self.submit(path, "--tasks", 2, "--mem", mem, status=2))
        for time in ("1", "1:00", "1:00:00", "1-1", "1-1:30", "1-1:30:30", "UNLIMITED", "infinite", "0"):
            self.assertNotIn("Does not fit", self.submit(path, "--tasks", 2, "--time", time))
        for time in ("", "1:", ":1", "1:2:3:4", "-1", "1-", "a", "1h", "9999999999999"):
            self.assertIn("--time", self.submit(path, "--tasks", 2, "--time", time, status=2))

    def test_damaged_results(self):
        path, store = self.write(SMALL), self.tmp / "a.db"
        self.ok("run", path, "-q", "--shard", "1/2", "-o", store)
        for body in ("'nonsense'", "'{\"microseconds\":-5,\"kib\":1e300}'", "'{}'", "x'ff00'", "'{\"microseconds\":\"a\"}'"):
            with sqlite3.connect(store) as db:
                db.execute(f"UPDATE details SET body = CAST({body} AS BLOB) WHERE kind = 'cost'")
            answer = self.dry(path, "-o", store)
            self.assertGreater(answer["seconds"], 0)
        store.write_bytes(b"no database at all")
        self.refused("run", path, "-o", store, "--dry-run", says="not a results file")


class Division(CliTest):
    """By an sbatch that takes jobs and runs none."""

    def setUp(self):
        super().setUp()
        fake = self.tmp / "bin" / "sbatch"
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\necho 7\n")
        fake.chmod(0o755)
        self.env = {**os.environ, "PATH": f"{fake.parent}:{os.environ['PATH']}"}
        self.path = self.tmp / "sweep.yaml"
        self.path.write_text(UNEVEN)

    def submit(self, *args):
        done = subprocess.run([IKAT, "submit", self.path, *map(str, args)], cwd=self.tmp, env=self.env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def file(self, tasks):
        return self.tmp / "sweep.shards" / f"assignment-of-{tasks}.txt"

    def division(self, tasks):
        head, sizes, *rows = self.file(tasks).read_text().splitlines()
        self.assertEqual((head, sizes.split()[1:]), ("ikat assignment 1", [str(len(rows)), str(tasks)]))
        return [int(row) for row in rows]

    def test_tasks_end_together(self):
        """No task has more than the lightest and one point; the sum of each is as even as the longest point allows."""
        each = {p["point"]: p["seconds"] for p in self.json("run", self.path, "--dry-run")["each"]}
        self.assertEqual(schema_errors(schemas()["submit"], json.loads(self.submit("--tasks", 2, "--json"))), [])
        for tasks in (1, 3, 5, 48):
            with self.subTest(tasks=tasks):
                self.submit("--tasks", tasks)
                whose = self.division(tasks)
                loads = [sum(each[n] for n, t in enumerate(whose) if t == k) for k in range(1, tasks + 1)]
                self.assertEqual(set(whose), set(range(1, tasks + 1)))
                self.assertLessEqual(max(loads), 4 / 3 * max(sum(loads) / tasks, max(each.values())) + 1e-9)

    def test_the_whole_of_one_run(self):
        self.submit("--tasks", 3)
        whole, merged = self.tmp / "whole.db", self.tmp / "merged.db"
        made = [self.tmp / f"{k}.db" for k in (1, 2, 3)]
        for k, part in enumerate(made, 1):
            self.ok("run", self.path, "-q", "--shard", f"{k}/3", "--assignment", self.file(3), "-o", part)
            with sqlite3.connect(part) as db:
                self.assertEqual([row[0] for row in db.execute("SELECT id FROM points ORDER BY id")],
                                 [n for n, t in enumerate(self.division(3)) if t == k])
        self.ok("merge", *made[::-1], "-o", merged)
        self.ok("run", self.path, "-q", "-o", whole)
        self.assertEqual(merged.read_bytes(), whole.read_bytes())

    def test_kept(self):
        """Another submission divides as the first did, though more is known by then; of a changed experiment, anew."""
        self.submit("--tasks", 3)
        first = self.file(3).read_bytes()
        self.ok("run", self.path, "-q", "--shard", "1/3", "--assignment", self.file(3), "-o", self.file(3).parent / "1-of-3.db")
        self.assertIn("divided among the tasks as they were", self.submit("--tasks", 3))
        self.assertEqual(self.file(3).read_bytes(), first)
        self.path.write_text(UNEVEN.replace("seeds: 2", "seeds: 3"))
        self.assertNotIn("as they were", self.submit("--tasks", 3))
        self.assertNotEqual(self.file(3).read_bytes(), first)
        mine = ("run", self.path, "--shard", "1/3", "--assignment", self.file(3), "-o", self.file(3).parent / "1-of-3.db", "--dry-run")
        self.assertEqual(self.json(*mine)["finished"], first.splitlines()[2:].count(b"1"), "what a task has finished stays its own")

    def test_another_part_later(self):
        """Points that were not asked for are divided, too: the whole sweep keeps the division."""
        each = {p["point"]: p["seconds"] for p in self.json("run", self.path, "--dry-run")["each"]}
        self.submit("--tasks", 4, "--only", "load=10%")
        whose = self.division(4)
        loads = [sum(each[n] for n, t in enumerate(whose) if t == k) for k in range(1, 5)]
        self.assertLessEqual(max(loads), sum(loads) / 4 + max(each.values()) + 1e-9)
        self.assertIn("as they were", self.submit("--tasks", 4))

    def test_file_is_gone(self):
        """A task does not choose other points by itself."""
        self.submit("--tasks", 2)
        self.file(2).unlink()
        done = subprocess.run(["bash", self.tmp / "sweep.shards" / "task.sh"], env={**self.env, "SLURM_ARRAY_TASK_ID": "1", "HOSTNAME": "here"},
                              cwd=self.tmp, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "assignment-of-2.txt.* cannot be opened")
        self.assertEqual(list((self.tmp / "sweep.shards").glob("*.db")), [])

    def test_refused(self):
        """A task that runs something else than what was divided."""
        self.submit("--tasks", 3)
        store = self.tmp / "x.db"
        for shard, *more, said in (("1/2", "another number of tasks"), ("1/3", "--set", "load=[20%, 40%, 60%]", "another experiment"),
                                   ("1/3", "--seed", "9", "another experiment")):
            self.refused("run", self.path, "--shard", shard, "--assignment", self.file(3), "-o", store, *more, says=said)
        text = self.file(3).read_text()
        for wrong in ("", "nothing", text[:-5], text.replace("\n1\n", "\n0\n", 1), text.replace("\n1\n", "\n4\n", 1), text.replace("\n1\n", "\n-1\n", 1),
                      text[:-1], text + "1\n", text.replace("\n1\n", "\n4294967297\n", 1)):
            self.file(3).write_text(wrong)
            self.refused("run", self.path, "--shard", "1/3", "--assignment", self.file(3), "-o", store, says="assignment-of-3.txt")
        self.refused("run", self.path, "--shard", "1/3", "--assignment", self.tmp / "none", "-o", store, says="cannot be opened")
        self.refused("run", self.path, "--shard", "1/1", "--assignment", self.tmp / "none", "-o", store, says="cannot be opened")
        self.assertFalse(store.exists())


if __name__ == "__main__":
    unittest.main()
