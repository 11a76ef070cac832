"""docs/results: what is kept of runs at full scale, its index, and the tool that keeps it; and the page made of it."""
import csv
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import unittest

from harness import IKAT, SOURCE, CliTest

RESULTS = SOURCE / "docs/results"
TEXT = """
title: Kept
fabric: karytree:k=4,n=2
routing: [dmodk, smodk]
load: 10%
measure: {warmup: 5 us, duration: 100 us}
scales:
  full: {load: [10%, 30%], seeds: 3}
figures:
  - {name: fig, title: A figure, x: routing, y: throughput, where: {load: 10%}}
expect:
  - {claim: one routing, metric: throughput, of: {routing: dmodk, load: 10%}, value: 0.1, op: "=", tolerance: 60 %}
  - {claim: other routing, metric: throughput, of: {routing: smodk, load: 10%}, value: 0.5, op: "=", tolerance: 2 %, differs: "a load, of 10 %"}
"""


def load_tool(name):
    sys.path.insert(0, str(SOURCE / "tools"))
    spec = importlib.util.spec_from_file_location(name, SOURCE / f"tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Results(CliTest):
    def check_folder(self, folder):
        """Files and index agree."""
        index = json.loads((folder / "index.json").read_text())
        files = {e["file"]: e for e in [*index["parts"], *index["claims"].values()]}
        there = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} - {"index.json"}
        self.assertEqual(set(files), there)
        for name, entry in files.items():
            with self.subTest(name):
                self.assertEqual(hashlib.sha256((folder / name).read_bytes()).hexdigest(), entry["sha256"])
        for part in index["parts"]:
            with open(folder / part["file"], encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), part["points"])
            self.assertLessEqual(part["points"], part["sweep"])
            self.assertTrue({"throughput", "feasible"} & rows[0].keys())  # simulated, or measured alone
        return index

    def test_what_is_kept(self):
        index = self.check_folder(RESULTS)
        self.assertLess(sum(p.stat().st_size for p in RESULTS.rglob("*") if p.is_file()), load_tool("keep_results").MOST_BYTES)
        studies = {f"{e['name'].split('/')[0]}/{e['experiment']}" for e in self.json("reproduce", "--list")}
        for part in index["parts"]:
            self.assertIn(part["study"], studies)
            self.assertRegex(part["command"], rf"^ikat reproduce {part['study']} --scale {part['scale']}( --shard \d+/\d+)?( --only .+)*$")
        self.assertLessEqual(set(index["claims"]), {f"{p['study']}.{p['scale']}" for p in index["parts"]})

    def keep(self, folder, to, status=0):
        done = subprocess.run([sys.executable, SOURCE / "tools/keep_results.py", IKAT, folder, "--to", to], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def run_full(self, folder, name, *more):
        path = self.tmp / "e.yaml"
        path.write_text(TEXT)
        (folder / "000").mkdir(parents=True, exist_ok=True)
        self.ok("run", path, "-q", "--scale", "full", "-o", folder / "000" / name, *more)

    def test_shards_one_after_the_other(self):
        """Each has its file; claims are those of the most points; the whole beside them; what is no result at full scale is skipped."""
        first, second, to = self.tmp / "first", self.tmp / "second", self.tmp / "kept"
        self.run_full(first, "e.full.1of2.db", "--shard", "1/2")
        self.ok("run", self.tmp / "e.yaml", "-q", "-o", first / "000/e.db")
        self.keep(first, to)
        index = self.check_folder(to)
        self.assertEqual([(p["study"], p["part"], p["sweep"]) for p in index["parts"]], [("000/e", "1/2", 12)])
        self.assertEqual(index["parts"][0]["command"], "ikat reproduce 000/e --scale full --shard 1/2")
        some = index["parts"][0]["points"]
        self.assertEqual(index["claims"], {})  # no claim has all of its points
        shutil.copytree(first, second)
        self.run_full(second, "e.full.2of2.db", "--shard", "2/2")
        self.keep(second, to)
        index = self.check_folder(to)
        self.assertEqual(sum(p["points"] for p in index["parts"]), 12)
        self.assertEqual(index["claims"]["000/e.full"]["points"], 12)
        with open(to / "000/e.full.claims.csv", encoding="utf-8") as file:
            self.assertEqual([(c["figure"], c["verdict"], c["differs"]) for c in csv.DictReader(file)],
                             [("fig", "holds", ""), ("fig", "differs", "a load, of 10 %")])
        before = {p: p.read_bytes() for p in to.rglob("*") if p.is_file()}
        self.keep(first, to)  # fewer points: the claims stay
        self.keep(second, to)
        self.assertEqual(before, {p: p.read_bytes() for p in to.rglob("*") if p.is_file()})
        # the rows of the shards are those of a run without any, but for columns without values
        self.run_full(self.tmp / "whole", "e.full.db")
        self.keep(self.tmp / "whole", self.tmp / "one")
        rows = []
        for name in ("kept/000/e.full.1of2.csv", "kept/000/e.full.2of2.csv", "one/000/e.full.csv"):
            with open(self.tmp / name, encoding="utf-8") as file:
                rows.append([sorted(r.items()) for r in csv.DictReader(file)])
        self.assertEqual(sorted(rows[0] + rows[1]), sorted(rows[2]))
        self.assertIn("no results at a larger scale", self.keep(self.tmp / "one", self.tmp / "none", status=1))

    def test_shards_that_overlap(self):
        """The page counts each point once, whatever the shards that brought it."""
        to, tool = self.tmp / "kept", load_tool("make_reproductions")
        tool.RESULTS, numbers = to, {}
        shards = ("1/2", "1/4", "2/4", "3/4")  # half of the points, of which the first and the third quarter are parts
        for part in (*shards, ""):
            name = f"e.full.{part.replace('/', 'of')}.db" if part else "e.full.db"
            self.run_full(self.tmp / "all", name, *(("--shard", part) if part else ()))
        self.keep(self.tmp / "all", to)
        for part in json.loads((to / "index.json").read_text())["parts"]:
            numbers[part["part"]] = part
        half, first, second, third = (numbers[p]["points"] if p in numbers else 0 for p in shards)  # one without points is not kept
        self.assertEqual(half, first + third)
        self.assertGreater(half + second, 0)
        for parts, expected in ((["1/2", "1/4"], half), (["1/2", "1/4", "3/4"], half), (["1/4", "3/4"], half), (["1/4", "2/4"], first + second),
                                (["1/2", "1/4", "2/4"], half + second), (["1/4", "2/4", "3/4", ""], 12), ([""], 12)):
            with self.subTest(parts):
                self.assertEqual(tool.count_points([numbers[p] for p in parts if p in numbers]), expected)

    def test_digest(self):
        """Of an experiment at a scale: what decides about its points changes it, what does not (other scales, costs, the reproduction) does not."""
        digest = load_tool("keep_results").digest
        text = """fabric: karytree:k=4,n=2
scales:
  quick: {cost: 1 s}
  middle: {like: full, cost: 3 s, seeds: 2}
  full:
    cost: 90 s
    load: [10%, 30%]
reproduction:
  paper: A
load: 10%
"""
        for scale, old, new, same in (("full", "cost: 90 s", "cost: 2 h", True), ("full", "seeds: 2", "seeds: 3", True),
                                      ("full", "paper: A", "paper: B", True), ("full", "30%", "40%", False), ("full", "load: 10%", "load: 20%", False),
                                      ("middle", "seeds: 2", "seeds: 3", False), ("middle", "cost: 3 s, ", "", True), ("middle", "30%", "40%", False),
                                      ("middle", "cost: 1 s", "cost: 2 s", True)):
            with self.subTest(scale=scale, old=old):
                self.assertIn(old, text)
                self.assertEqual(digest(text, scale) == digest(text.replace(old, new), scale), same)

    def test_folder_names(self):
        """Paths with characters that mean something in a URI."""
        folder = self.tmp / "a?b=c#d%20e f"
        self.run_full(folder, "e.full.db")
        self.keep(folder, self.tmp / "kept")
        self.assertEqual(self.check_folder(self.tmp / "kept")["parts"][0]["points"], 12)

    def test_readme(self):
        """Says of the page what the page says."""
        readme = " ".join((SOURCE / "README.md").read_text(encoding="utf-8").split())
        quick, full = (SOURCE / "docs/reproductions.md").read_text(encoding="utf-8").split("\n## Full scale\n")
        numbers = r"\n- (\d+) {}: (\d+) hold(?: \(.*?\))?, (\d+) differ \(.*?\), (\d+) cannot be told, and (\d+) are checked"
        claims, hold, differ, untold, larger = re.search(numbers.format("claims of the papers"), quick).groups()
        self.assertIn(f"{hold} of the papers' {claims} claims hold, {differ} differ, each with the reason, {untold} cannot be told, and {larger} are checked", readme)
        claims, hold, *_ = re.search(numbers.format("comparisons with BookSim2"), quick).groups()
        self.assertIn(f"{hold} of {claims} comparisons with BookSim2 hold", readme)
        full = full.split("\n## Middle scale\n")[0]
        rows = re.findall(r"\n\| \d*\w*/\w+ \| [^|]+ \| ([0-9.e+]+) h \| ([^|]+) \|", full)
        one, none = (sum(share.startswith(text) for _, share in rows) for text in ("that of scale quick", "nothing"))
        whole = sum(re.fullmatch(r"(\d+) of \1 points.*", share) is not None for _, share in rows)
        self.assertIn(f"Of the {len(rows)} experiments {one} have one size, {whole} were run whole at the papers' sizes, and {len(rows) - one - whole} were not", readme)
        hours = sum(float(h) for h, share in rows if share.startswith("nothing"))
        self.assertIn(f"{hours:,.0f} hours", readme)

    def test_page(self):
        """docs/reproductions.md of several folders: each entry from one of them, and what is kept at full scale."""
        lines = (f"name,verdict,claim,source,paper,found,differs\n{name},holds,a claim of {name},,,1,\n" for name in ("000/fig2b", "000/fig2a"))
        for folder, text in zip("ab", lines):
            (self.tmp / folder).mkdir()
            (self.tmp / folder / "claims.csv").write_text(text)

        def make(*folders):
            return subprocess.run([sys.executable, SOURCE / "tools/make_reproductions.py", IKAT, *(self.tmp / f for f in folders)], capture_output=True, text=True, check=False)
        page = make("a", "b").stdout
        self.assertIn("\n- 2 claims of the papers: 2 hold", page)
        quick, full = page.split("\n## Full scale\n")
        self.assertIn("\n## Middle scale\n", full)
        for name in ("000/fig2b", "000/fig2a"):
            self.assertIn(f"| holds | a claim of {name} |", quick)
        for part in json.loads((RESULTS / "index.json").read_text())["parts"]:
            self.assertIn(f"(results/{part['file']})", full)
            self.assertIn(f"`{part['command']}`", full)
        self.assertNotEqual(make("a", "a").stdout, "")
        shutil.copytree(self.tmp / "a", self.tmp / "c")
        twice = make("a", "c")
        self.assertEqual(twice.returncode, 1)
        self.assertIn("000/fig2b is in", twice.stderr)

    def test_page_keeps_what_is_not_finished(self):
        """--keep: the line of a claim that is not finished is that of an earlier page, and counts with its verdict; what no page has is an error."""
        head = "name,verdict,claim,source,paper,found,differs,asked,basis,weak,margin,blind\n"

        def make(folder, text, *more):
            (self.tmp / folder).mkdir(exist_ok=True)
            (self.tmp / folder / "claims.csv").write_text(head + text)
            return subprocess.run([sys.executable, SOURCE / "tools/make_reproductions.py", IKAT, self.tmp / folder, *more], capture_output=True, text=True, check=False)
        page = self.tmp / "page.md"
        page.write_text(make("a", '000/fig2b,holds,first,,,1,,,publication,,,\n000/fig2b,differs,second | third,,,2,why,,publication,,,\n').stdout)
        unfinished = ("unfinished: 3 of its 4 points are missing", "not all points are finished")
        begun = f"000/fig2b,cannot be told,first,,,{unfinished[0]},,,publication,,,\n000/fig2b,cannot be told,second | third,,,{unfinished[1]},why,,publication,,,\n"
        more = "000/fig2b,cannot be told,fourth,,,the intervals overlap,,,publication,,,with 10 % more and with 10 % less\n"
        kept = make("b", begun + more, "--keep", page)
        self.assertEqual(kept.returncode, 0, kept.stderr)
        self.assertIn("- 3 claims of the papers: 1 hold, 1 differ (the reason is known for 1), 1 cannot be told", kept.stdout)
        old = [line for line in page.read_text().splitlines() if line.startswith(("| holds |", "| differs |"))]
        for line in old[:2]:
            self.assertIn(line + "\n", kept.stdout)
        self.assertIn("the intervals overlap. Would also hold with 10 % more and with 10 % less |", kept.stdout)
        lacking = make("c", begun + "000/fig2b,cannot be told,new,,,unfinished: 1 of its 1 point is missing,,,publication,,,\n", "--keep", page)
        self.assertEqual(lacking.returncode, 1)
        self.assertIn("000/fig2b: new", lacking.stderr)


if __name__ == "__main__":
    unittest.main()
