"""ikat run --shard and --budget, ikat merge: parts of an experiment, and one file of them."""
import json
import shutil
import sqlite3
import time
import unittest

from harness import CliTest, run

KINDS = {
    # loads and seeds; two plans on two fabrics
    "load": """
fabric: ["karytree:k=4,n=2", "xgft:m=4:4,w=1:2"]
routing: [dmodk, updown]
traffic: uniform
load: [20%, 60%]
seeds: 3
measure: {warmup: 2 us, duration: 5 us, series: 1 us, congestion: true}
""",
    # machines that are samples, of which one has a drawing; points that are not feasible
    "static": """
fabric: {family: lrt, N: 16, d: 4, r: 2, seed: 1..6}
routing: [{family: loren, t_max: [least, 6]}, cowen]
simulate: false
measures: [proof, mean_hops, least_t_max]
over: fabric.seed
""",
    # measures beside a simulation, and points that are infeasible
    "twin": """
fabric: {family: lrt, N: 16, d: 4, r: 2, seed: 1..3}
routing: [{family: loren, t_max: [least, 5]}, updown]
traffic: [uniform, transpose]
load: [10%, 30%]
measures: [saturation, mean_hops]
measure: {warmup: 1 us, duration: 3 us}
over: fabric.seed
""",
    # plans that are left out, and what slowdowns are measured by
    "workload": """
fabric: ["karytree:k=4,n=2", "torus:dims=4:4"]
routing: [dmodk, dor, updown]
skip_misfits: true
jobs:
  - {name: a, traffic: "exchange:bytes=2560 B", hosts: 0..3}
  - {name: b, traffic: "exchange:bytes=1 KiB", hosts: 4..9}
measure: {until: delivered, at_most: 1 ms}
seeds: 2
""",
    # two flows of proofs for a plan
    "designs": """
designs:
  - {name: tree, fabric: "karytree:k=4,n=2", routing: adaptive_tree, selection: [first_free, least_queued]}
  - {name: fly, fabric: "slimfly:q=5,p=1", routing: [minimal, ugal_l], switch: {switching: [vct, saf]}}
traffic: uniform
load: [10%, 40%]
measure: {warmup: 1 us, duration: 3 us}
""",
}


class Merge(CliTest):
    def write(self, text, name="e.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def shards(self, path, num, *more):
        made = []
        for i in range(1, num + 1):
            made.append(self.tmp / f"{path.stem}{i}of{num}.db")
            self.ok("run", path, "-q", "--shard", f"{i}/{num}", "-o", made[-1], *more)
        return made

    def points(self, path):
        with sqlite3.connect(path) as db:
            return [row[0] for row in db.execute("SELECT params FROM points ORDER BY id")]

    def test_shards_of_every_kind_make_the_whole(self):
        """Any number of shards, in any order, on any number of threads: the bytes of one run."""
        for name, text in KINDS.items():
            path = self.write(text, f"{name}.yaml")
            whole = self.tmp / f"{name}.db"
            self.ok("run", path, "-q", "-o", whole)
            for num in (1, 2, 5):
                with self.subTest(kind=name, shards=num):
                    made = self.shards(path, num, "-j", str(1 + num % 2))
                    parts = [self.points(m) for m in made]
                    self.assertEqual(sorted(p for part in parts for p in part), sorted(self.points(whole)))
                    self.assertTrue(num == 1 or all(len(p) < len(self.points(whole)) for p in parts))
                    merged = self.tmp / f"{name}.merged{num}.db"
                    text = self.ok("merge", *made[::-1], "-o", merged)
                    self.assertNotIn("several files", text)
                    self.assertEqual(merged.read_bytes(), whole.read_bytes())

    def test_points_that_are_left(self):
        """They are counted, and with --complete they make the exit status 1; points that no run can finish are not among them."""
        path = self.write('fabric: ["karytree:k=4,n=2", "torus:dims=4:4"]\nrouting: [dmodk, updown]\nskip_misfits: true\ntraffic: uniform\nload: [30%, 50%]\n'
                          "measure: {warmup: 1 us, duration: 2 us}\n")
        made, merged = self.shards(path, 2), self.tmp / "merged.db"
        for files, left, status in ((made, 0, 0), (made[:1], self.json("status", made[0])["left"], 1)):
            for option, expected in (((), 0), (("--complete",), status)):
                for quiet in ((), ("-q",), ("--json",)):
                    said = run("merge", *files, "-o", merged, *option, *quiet)
                    self.assertEqual((said.returncode, said.stderr), (expected, ""))
                    if quiet == ("--json",):
                        self.assertEqual(json.loads(said.stdout)["points_left"], left)
                    elif not quiet:
                        self.assertEqual(f"; {left} left to run" in said.stdout, left > 0)
                    self.assertEqual(self.json("status", merged)["left"], left)
                    merged.unlink()
        self.assertGreater(left, 0)

    def test_plans_without_points(self):
        """A run makes the plans of its own points alone; merged files, and those that are finished later, are as of one run."""
        path = self.write('fabric: ["karytree:k=4,n=2", "karytree:k=2,n=3"]\nrouting: [dmodk, {family: random, seed: 1..4}, loren]\n'
                          "skip_misfits: true\ntraffic: uniform\nload: [30%, 50%]\nmeasure: {warmup: 1 us, duration: 2 us}\n")
        whole, some, merged = (self.tmp / name for name in ("whole.db", "some.db", "merged.db"))

        def plans(of):
            with sqlite3.connect(of) as db:
                return db.execute("SELECT plans.id, routing, spec FROM plans JOIN fabrics ON fabrics.id = fabric ORDER BY plans.id").fetchall()

        self.ok("run", path, "-q", "-o", whole)
        self.assertEqual([row[0] for row in plans(whole)], list(range(1, 11)))
        for word in ("routing=random:seed=3", "routing=random seed=3"):  # as it is written, and as hints name it
            self.ok("run", path, "-q", "--only", word, "--only", "fabric=karytree:k=2", "-o", some)
            self.assertEqual(plans(some), [(1, "random:seed=3", "karytree:k=2,n=3")])
        self.ok("run", path, "-q", "-o", some)
        self.assertEqual(some.read_bytes(), whole.read_bytes())
        made = self.shards(path, 19)  # some have no point at all, some none that fits
        self.assertLess(max(len(plans(m)) for m in made), 10)
        self.ok("merge", *made[::-1], "-o", merged)
        self.assertEqual(merged.read_bytes(), whole.read_bytes())

    def test_plans_of_several_designs(self):
        """A plan that two designs have is one, whichever of them a run takes first; what is left out is listed by its points."""
        path = self.write("fabric: karytree:k=4,n=2\nmeasure: {warmup: 1 us, duration: 2 us}\nskip_misfits: true\nload: [20%, 40%, 60%]\n"
                          "designs:\n  - {name: a, routing: [updown, dmodk], traffic: uniform, switch: {voq: [true, false]}}\n"
                          "  - {name: b, routing: [dmodk, loren, updown], traffic: tornado, vcs: [1, 2], switch: {model: [iq, ioq], input_speedup: [1, 2]}}\n")
        whole = self.tmp / "whole.db"
        self.ok("run", path, "-q", "-o", whole)
        with sqlite3.connect(whole) as db:
            left_out = db.execute("SELECT value FROM meta WHERE key = 'left_out'").fetchone()[0]
        self.assertGreater(left_out.count("points"), 3)
        for name, only in (("b", ("--only", "design=b")), ("c", ("--only", "vcs=2", "--only", "load=40%"))):
            some = self.tmp / f"{name}.db"
            self.ok("run", path, "-q", *only, "-o", some)
            self.ok("run", path, "-q", "-o", some)
            self.assertEqual(some.read_bytes(), whole.read_bytes())
        for num in (2, 7):
            merged = self.tmp / f"merged{num}.db"
            self.ok("merge", *self.shards(path, num), "-o", merged)
            self.assertEqual(merged.read_bytes(), whole.read_bytes())

    def test_what_was_left_out_of_other_points(self):
        """It is kept by a run of some of the points, and the status of shards has that of all files."""
        path = self.write('fabric: ["karytree:k=4,n=2", "torus:dims=4:4"]\nrouting: [dmodk, {family: random, seed: 1..2}, dor, loren]\nskip_misfits: true\n'
                          "traffic: uniform\nload: [30%, 50%]\nswitch: {input_speedup: [1, 2]}\nmeasure: {warmup: 1 us, duration: 2 us}\n")
        whole, some = self.tmp / "whole.db", self.tmp / "some.db"
        self.ok("run", path, "-q", "-o", whole)
        for only in (("--only", "routing=dmodk"), ("--shard", "2/3"), ("--only", "load=50%")):
            some.write_bytes(whole.read_bytes())
            self.ok("run", path, "-q", *only, "-o", some)
            self.assertEqual(some.read_bytes(), whole.read_bytes())
        of_whole = self.json("status", whole)
        self.assertEqual(of_whole["done"] + of_whole["left_out"], 40)
        self.assertGreater(of_whole["left_out"], 8)
        made = self.shards(path, 5)
        for files in (made, made[::-1], [*made, whole]):
            of_shards = self.json("status", *files)
            for what in ("done", "left", "left_out", "failures"):
                self.assertEqual(of_shards[what], of_whole[what])

    def test_damaged_lists_of_what_was_left_out(self):
        """They are refused by name, before anything is written: no report could read the merged file."""
        path = self.write("fabric: karytree:k=4,n=2\nrouting: [dmodk, loren]\nskip_misfits: true\ntraffic: uniform\nload: [30%, 50%]\n"
                          "measure: {warmup: 1 us, duration: 2 us}\n")
        whole, bad, merged = (self.tmp / name for name in ("whole.db", "bad.db", "merged.db"))
        self.ok("run", path, "-q", "-o", whole)
        entry = '{"first": 2, "points": %s, "what": "loren", "why": %s}'
        for text in ("", "5", "{}", "[1]", '["a"]', "[{}]", "[" * 3000, f"[{entry % (3, 1)}]", f"""[{entry % (3, '"a"')}]""", f"""[{entry % (0, '"a"')}]""",
                     f"""[{entry % (-1, '"a"')}]""", f"""[{entry % (2**64, '"a"')}]""", f"""[{entry % ('"2"', '"a"')}]"""):
            with self.subTest(text=text[:80]):
                shutil.copy(whole, bad)
                with sqlite3.connect(bad) as db:
                    db.execute("UPDATE meta SET value = ? WHERE key = 'left_out'", (text,))
                for files in ((whole, bad), (bad, whole)):
                    self.refused("merge", *files, "-o", merged, says=("bad.db", "is damaged: what was left out is not what ikat writes"))
                    self.assertFalse(merged.exists())

    def test_a_routing_that_does_not_fit(self):
        """It is refused by the shard that has its points, also where another value of it is in another shard."""
        path = self.write("fabric: karytree:k=4,n=2\nrouting: [dmodk, {family: loren, t_max: [1, 2, 3]}]\ntraffic: uniform\nload: 30%\n"
                          "measure: {warmup: 1 us, duration: 2 us}\n")
        self.refused("run", path, "-q", "-o", self.tmp / "whole.db", says=("loren does not fit", "skip_misfits"))
        refused = 0
        for i in range(1, 9):
            done = run("run", path, "-q", "--shard", f"{i}/8", "-o", self.tmp / f"{i}.db")
            refused += done.returncode == 2 and "loren" in done.stderr
            self.assertEqual(done.returncode == 2, not (self.tmp / f"{i}.db").exists())
        self.assertGreaterEqual(refused, 1)

    def test_which_points_a_shard_has(self):
        """By the point, not by its number: points that another sweep also has are in the same shard."""
        small = self.shards(self.write(KINDS["load"].replace("[20%, 60%]", "[60%]"), "small.yaml"), 3)
        large = self.shards(self.write(KINDS["load"], "large.yaml"), 3)
        for a, b in zip(small, large):
            self.assertLessEqual(set(self.points(a)), set(self.points(b)))

    def test_unfinished_and_double(self):
        path = self.write(KINDS["load"])
        whole = self.tmp / "whole.db"
        self.ok("run", path, "-q", "-o", whole)
        made = self.shards(path, 3)
        part = self.tmp / "part.db"
        text = self.ok("merge", made[0], made[2], "-o", part)
        num = len(self.points(made[0])) + len(self.points(made[2]))
        self.assertIn(f"{num} of 24 points", text)
        answer = self.json("merge", part, *made, made[1], "-o", self.tmp / "all.db")
        self.assertEqual((answer["points_finished"], answer["points_total"]), (24, 24))
        self.assertEqual(answer["points_twice"], num + len(self.points(made[1])))
        self.assertEqual((self.tmp / "all.db").read_bytes(), whole.read_bytes())
        # what is missing can be run, in the merged file as well
        self.ok("run", path, "-q", "-o", part)
        self.assertEqual(part.read_bytes(), whole.read_bytes())

    def test_budget(self):
        """A budget ends a run between two points, and the same command goes on; static runs too."""
        for name in ("load", "static"):
            path = self.write(KINDS[name], f"{name}.yaml")
            whole, some = self.tmp / f"{name}.db", self.tmp / f"{name}.some.db"
            self.ok("run", path, "-q", "-o", whole)
            text = run("run", path, "--budget", "0.000001 s", "-o", some).stderr
            self.assertRegex(text, r"0 of \d+ points are finished and the budget is spent; the same command goes on")
            self.assertEqual(self.points(some), [])
            self.ok("run", path, "-q", "--budget", "1 h", "-o", some)
            self.assertEqual(some.read_bytes(), whole.read_bytes())

    def test_budget_of_measures(self):
        """A budget ends what is measured between two plans of a fabric, and what several such runs leave is what one leaves."""
        path = self.write('fabric: ["xgft:m=4:2,w=1:3", "xgft:m=3:3,w=1:3", "xgft:m=3:3,w=1:2"]\nrouting: {family: random, seed: 1..6}\n'
                          "simulate: false\nmeasures: [permutations]\npatterns: 100000\n")
        whole, some = self.tmp / "whole.db", self.tmp / "some.db"
        begun = time.monotonic()
        self.ok("run", path, "-q", "--jobs", 1, "-o", whole)
        budget = (time.monotonic() - begun) / 4
        run("run", path, "-q", "--jobs", 1, "--budget", f"{budget:.3f} s", "-o", some)
        first = len(self.points(some))
        self.assertTrue(0 < first < 18, first)
        run("run", path, "-q", "--jobs", 3, "--budget", f"{budget:.3f} s", "-o", some)
        self.assertGreaterEqual(len(self.points(some)), first)
        self.ok("run", path, "-q", "-o", some)
        self.assertEqual(some.read_bytes(), whole.read_bytes())

    def test_names_of_files(self):
        """Those that mean something to SQLite are names of files all the same."""
        path = self.write(KINDS["load"])
        names = [":memory:", "file:a.db", "file:b.db?mode=memory", "it's; a \"name\".db"]
        for i, name in enumerate(names, 1):
            self.ok("run", path, "-q", "--shard", f"{i}/{len(names)}", "-o", name, cwd=self.tmp)
        self.ok("merge", *names, "-o", "file:whole.db?immutable=1", cwd=self.tmp)
        self.ok("run", path, "-q", "-o", self.tmp / "whole.db")
        self.assertEqual((self.tmp / "file:whole.db?immutable=1").read_bytes(), (self.tmp / "whole.db").read_bytes())
        self.assertEqual({p.name for p in self.tmp.iterdir()}, {*names, "e.yaml", "whole.db", "file:whole.db?immutable=1"})

    def test_refused(self):
        path = self.write(KINDS["load"])
        made = self.shards(path, 2)
        out = self.tmp / "out.db"

        def refused(*args, words):
            self.refused("merge", *args, says=words)
            self.assertEqual([p.name for p in self.tmp.iterdir() if "out.db" in p.name], [])

        other = self.tmp / "other.db"
        self.ok("run", self.write(KINDS["load"].replace("20%", "30%"), "other.yaml"), "-q", "-o", other)
        refused(made[0], other, "-o", out, words=("different experiments", "the file of the experiment", "other.db"))
        self.ok("run", path, "-q", "--set", "load=20%", "-o", self.tmp / "set.db")
        refused(made[0], self.tmp / "set.db", "-o", out, words=("different experiments", "--set"))
        refused(made[0], made[1], words=("-o",))
        refused(made[0], self.tmp / "none.db", "-o", out, words=("cannot be opened", "none.db"))
        refused(path, "-o", out, words=("not a results file",))
        with sqlite3.connect(made[1]) as db:
            db.execute("UPDATE points SET offered = offered + 0.01")
        whole = self.tmp / "whole.db"
        self.ok("run", path, "-q", "-o", whole)
        refused(whole, made[1], "-o", out, words=("contradicts", "point", "karytree"))
        shutil.copy(made[0], self.tmp / "new.db")
        with sqlite3.connect(self.tmp / "new.db") as db:
            db.execute("UPDATE meta SET value = '9.9' WHERE key = 'version'")
        refused(made[0], self.tmp / "new.db", "-o", out, words=("9.9", "two versions"))
        for number, sql in enumerate(("UPDATE points SET id = -5 WHERE id = (SELECT min(id) FROM points)",
                                      "UPDATE points SET id = 24 WHERE id = (SELECT min(id) FROM points)", "UPDATE points SET plan = 99",
                                      "UPDATE points SET fabric = 99", "DELETE FROM fabrics")):
            damaged = self.tmp / f"damaged{number}.db"
            shutil.copy(made[0], damaged)
            with sqlite3.connect(damaged) as db:
                db.execute(sql)
            refused(damaged, "-o", out, words=("damaged", "no place in the sweep"))
        before = made[0].read_bytes()
        self.refused("merge", made[0], "-o", made[0], says="exists already")
        self.assertEqual(made[0].read_bytes(), before)
        for option, value in (("--shard", "0/2"), ("--shard", "3/2"), ("--shard", "1"), ("--shard", "1/2x"),
                              ("--shard", "-1/2"), ("--budget", "2"), ("--budget", "0 h"), ("--budget", "-1 h"),
                              ("--budget", "2 parsec"), ("--budget", "nan s"), ("--budget", "0x10 s")):
            with self.subTest(option=option, value=value):
                self.refused("run", path, option, value, "-o", out, says=option)
                self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
