"""ikat reproduce: the studies of papers, their verdicts, and the page of them."""
import csv
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from harness import IKAT, SOURCE, CliTest, run
from kept import run_kept

NAME = "000/fig2b"
BOTH = ("000/cg", "004/example")  # that of NAME, and another


class Reproduce(CliTest):
    folders, first = {}, None

    @classmethod
    def tearDownClass(cls):
        for folder in cls.folders.values():
            folder.cleanup()

    def copy_of(self, name, make):
        """A folder that make(folder) fills once for all tests, of which each spoils a copy."""
        if name not in Reproduce.folders:
            Reproduce.folders[name] = tempfile.TemporaryDirectory()
            make(Reproduce.folders[name].name)
        return pathlib.Path(shutil.copytree(Reproduce.folders[name].name, self.tmp / name))

    def run_first(self, folder):
        """The first run of NAME, from any folder."""
        Reproduce.first = run_kept(["reproduce", NAME], folder, self.tmp)

    def test_list(self):
        """Every figure of every study, with what it costs; the papers' folders and nothing else."""
        entries = self.json("reproduce", "--list")
        names = [e["name"] for e in entries]
        self.assertEqual(len(names), len(set(names)))
        files = {f"{p.parent.name}/{p.stem}" for p in (SOURCE / "experiments" / "papers").glob("*/*.yaml")}
        self.assertEqual({f"{e['name'].split('/')[0]}/{e['experiment']}" for e in entries}, files)
        for e in entries:
            with self.subTest(e["name"]):
                self.assertRegex(e["name"], r"^(00[0-4]|booksim)/[A-Za-z0-9_]+$")
                self.assertGreater(len(e["title"]), 8)
                self.assertGreater(e["claims"], 0)
        scales = list(entries[0]["scales"])
        self.assertEqual(scales, ["quick", "middle", "full"])
        for args in (*(("--scale", s) for s in scales), ("--full",)):  # every study is read at every scale
            self.assertEqual(self.json("reproduce", "--list", *args), entries)
        some = self.json("reproduce", "--list", "000")
        self.assertEqual([e for e in entries if e["name"].startswith("000/")], some)
        text = self.ok("reproduce", "--list", NAME, "-j", "2")
        self.assertIn(NAME, text)
        cost = [some[0]["scales"][s]["seconds"] / 2 for s in scales]
        self.assertIn(f"In total about {cost[0]:.0f} s at scale quick, {cost[1]:.0f} s at scale middle, {cost[2] / 60:.0f} min at scale full on 2 processors", text)

    def test_scales(self):
        """Every experiment has every scale: with a cost, or that of another one with the reason; the middle of all is a night's work; every claim is judged
        at one of them."""
        studies = {(e["name"].split("/")[0], e["experiment"]): e["scales"] for e in self.json("reproduce", "--list")}
        help_text = self.ok("help", "reproduce")
        for (paper, name), scales in studies.items():
            text = (SOURCE / f"experiments/papers/{paper}/{name}.yaml").read_text(encoding="utf-8")
            waits = set(re.findall(r"^    scale: (\w+)$", text, re.M))
            for scale, says in scales.items():
                with self.subTest(study=f"{paper}/{name}", scale=scale):
                    self.assertIn(scale, help_text)
                    self.assertGreater(says["seconds"], 0)
                    if scale != "quick":
                        self.assertGreater(len(says["why"]) if scale == "middle" or says["same_as"] else 9, 8)
                    self.assertIn(says["same_as"], {"", *scales} - {scale})
            for scale in waits:
                self.assertIn(scale, scales)
                self.assertNotEqual(scales[scale]["same_as"], "quick")
            self.assertLessEqual(scales["quick"]["seconds"], scales["middle"]["seconds"], name)
            self.assertLessEqual(scales["middle"]["seconds"], scales["full"]["seconds"], name)
        self.assertLess(sum(s["middle"]["seconds"] for s in studies.values()), 10 * 3600)

    def test_a_scale_that_is_another(self):
        """Its results are those of the other one, and it is said why; one that has points of its own has files of its own."""
        done = run("reproduce", "004/example", "--scale", "middle", "-o", self.tmp / "a")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("scale middle is quick: one size", done.stderr)
        self.assertTrue((self.tmp / "a/004/example.db").exists())
        with open(self.tmp / "a/claims.csv", encoding="utf-8") as file:
            self.assertEqual({row["scale"] for row in csv.DictReader(file)}, {"quick"})
        self.assertIn("those of scale quick", (self.tmp / "a/index.html").read_text())
        again = run("reproduce", "004/example", "-o", self.tmp / "a")
        self.assertIn("points are finished already", again.stderr)
        self.assertEqual(self.json("reproduce", "004/example", "-o", self.tmp / "a", "--scale", "full")["scale"], "full")
        # a part of a scale that has points of its own
        only = [word for part in ("routing=dmodk", "load=10%", "seeds=1") for word in ("--only", part)]
        self.ok("reproduce", "001/selections", "--scale", "middle", "-q", "-o", self.tmp / "b", *only)
        self.assertEqual([p.name for p in (self.tmp / "b/001").glob("*.db")], ["selections.middle.db"])
        with sqlite3.connect(self.tmp / "b/001/selections.middle.db") as db:
            self.assertEqual([r for r, in db.execute("SELECT DISTINCT json_extract(params, '$.routing') FROM points")], ["dmodk"])

    def test_one_figure(self):
        """Its page, data and verdicts, from any folder; a second run simulates nothing; a changed result is a failure."""
        out = self.copy_of("one", self.run_first)
        done = Reproduce.first
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"000/fig2b \(cg\): .*; about \d+ s on \d+ processor")
        self.assertRegex(done.stdout, r"holds +000/fig2b +With D-mod-k the fifth phase")
        for name in ("index.html", "claims.csv", "000/cg.db", "000/cg.html", "000/cg.yaml", "000/cg.points.csv", "000/fig2b.svg", "000/fig2b.csv"):
            self.assertTrue((out / name).stat().st_size > 0, name)
        self.assertEqual((out / "000/cg.yaml").read_bytes(), (SOURCE / "experiments/papers/000/cg.yaml").read_bytes())
        page = (out / "index.html").read_text()
        for link in re.findall(r'href="([^#"]+)"', page):
            self.assertTrue((out / link).exists(), link)
        self.assertIn("<svg", page)
        self.assertNotIn("fig5b", page)
        with open(out / "claims.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        count = next(e["claims"] for e in self.json("reproduce", "--list", NAME))
        self.assertEqual(len(rows), count)
        recorded = [line for line in (SOURCE / "docs/reproductions.md").read_text().split("\n## Full scale\n")[0].splitlines() if line.startswith("| ")]
        for row in rows:
            verdict = re.search(r"at (\w+) scale$", row["asked"])[1] if row["verdict"] == "not asked" else row["verdict"]
            self.assertTrue(any(line.startswith(f"| {verdict} | {row['claim']} |") for line in recorded), f"{row} is not what docs/reproductions.md says")
        self.assertEqual(page.count('class="verdict'), 2 * count)  # in the table of all, and at the figure
        self.assertIn(f'<a href="#000-fig2b">{NAME}</a></td><td class="number ">{count}</td>', page)  # how many hold, figure by figure
        numbers = [int(n) for n in re.findall(r'<td class="number [a-z]*">(\d+)</td>', page)]
        self.assertEqual(sum(numbers), 2 * count)
        again = run("reproduce", NAME, "-o", out)
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout.replace(Reproduce.folders["one"].name, str(out))))
        self.assertIn("points are finished already", again.stderr)
        # D-mod-k no worse than half of what it is: claims differ, and nobody recorded why
        with sqlite3.connect(out / "000/cg.db") as db:
            db.execute("UPDATE points SET slowdown = slowdown / 2 WHERE params LIKE '%\"routing\":\"dmodk%'")
        changed = run("reproduce", NAME, "-o", out)
        self.assertEqual(changed.returncode, 1)
        self.assertRegex(changed.stdout, r"differs +000/fig2b +With D-mod-k the fifth phase")
        self.assertIn("no reason is recorded", changed.stdout)
        answer = self.json("reproduce", NAME, "-o", out, status=1)
        self.assertGreater(answer["differ"], answer["differ_as_recorded"])

    def test_shards(self):
        """They have files of their own, and make the whole."""
        for folder, shard in (("whole", ()), ("parts", ("--shard", "1/2")), ("parts", ("--shard", "2/2"))):
            self.ok("reproduce", "003/destinations", "-q", "-o", self.tmp / folder, *shard)
        self.ok("merge", *(self.tmp / f"parts/003/destinations.{i}of2.db" for i in (1, 2)), "-o", self.tmp / "merged.db")
        self.assertEqual((self.tmp / "merged.db").read_bytes(), (self.tmp / "whole/003/destinations.db").read_bytes())

    def test_budget(self):
        """One that is spent starts nothing, and is no failure."""
        done = run("reproduce", NAME, "-o", self.tmp / "none", "--budget", "0.001 s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("budget is spent", done.stderr)

    def finished(self):
        """A folder with both, of which one has been run before."""
        def make(folder):
            one = self.copy_of("one", self.run_first)
            (pathlib.Path(folder) / "000").mkdir()
            shutil.copy(one / "000/cg.db", pathlib.Path(folder) / "000")
            self.ok("reproduce", *BOTH, "-q", "-o", folder)
        return self.copy_of("made", make)

    def test_spent_budget_shows_what_there_is(self):
        """Studies that were run before stand on the page; pictures of results that are gone do not."""
        out = self.finished()
        whole = (out / "claims.csv").read_text().splitlines()
        (out / "000/cg.db").unlink()
        done = run("reproduce", *BOTH, "-q", "-o", out, "--budget", "0.001 s")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = (out / "claims.csv").read_text().splitlines()
        self.assertEqual([row for row in whole if "004/" in row], [row for row in rows if "004/" in row])
        self.assertTrue(any("004/" in row for row in whole))
        (out / "000/cg.db").unlink(missing_ok=True)
        self.ok("reproduce", NAME, "-q", "-o", out, "--budget", "0.001 s")
        page = (out / "index.html").read_text()
        self.assertRegex(page, r"No picture: 0 of \d+ points are finished")
        for link in re.findall(r'href="([^#"]+)"', page):
            self.assertTrue((out / link).exists(), link)
        self.assertEqual(sorted(p.name for p in out.glob("000/fig2b.*")), [])

    def test_one_study_that_fails(self):
        """Results that cannot be read are said, the others are run and shown, and the exit status is 2."""
        out = self.finished()
        (out / "000/cg.db").write_bytes(b"no database")
        done = run("reproduce", *BOTH, "-o", out)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cg.db' is not a results file", done.stderr)
        self.assertIn("004/fig3", done.stdout)
        self.assertIn("1 of 2 experiments has no results", done.stdout)
        page = (out / "index.html").read_text()
        self.assertIn("004-fig3", page)
        self.assertNotIn("000-fig2b", page)
        # nothing at all to show: the page stays
        done = run("reproduce", NAME, "-o", out)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("1 of 1 experiment has no results", done.stdout)
        self.assertNotIn("index.html", done.stdout)
        self.assertEqual((out / "index.html").read_text(), page)

    def test_interrupted(self):
        """A signal ends the command with 130, whatever it was doing, and begins no other study."""
        for seconds in (0.02, 0.3, 1):
            with self.subTest(after=seconds):
                process = subprocess.Popen([IKAT, "reproduce", *BOTH, "-o", self.tmp / "stopped"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                time.sleep(seconds)
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=600)
                if process.returncode == -signal.SIGINT:
                    continue  # it had not begun
                self.assertEqual(process.returncode, 130, err)
                self.assertEqual((out, err.count("ikat: ")), ("", 1))
                self.assertNotIn("(example)", err)

    def test_cost(self):
        """Said before it starts: of each experiment with the entries that are shown, and of all together; a shard's is its share."""
        err = run("reproduce", *BOTH, "-o", self.tmp / "a", "--budget", "0.001 s", "-j", "2").stderr
        entries = {e["experiment"]: e for e in self.json("reproduce", "--list", *BOTH)}
        total = sum(e["scales"]["quick"]["seconds"] for e in entries.values())
        self.assertRegex(err, rf"2 experiments: about {total / 2:.0f} s on 2 processors")
        two = self.json("reproduce", "--list", "004/fig7a", "004/fig10a")  # of one experiment
        err = run("reproduce", "004/fig10a", "004/fig7a", "--full", "-o", self.tmp / "b", "--budget", "0.001 s", "-j", "3").stderr
        self.assertRegex(err, rf"004/fig7a, 004/fig10a \(network_64\): .*; about {two[0]['scales']['full']['seconds'] / 60 / 3:.0f} min on 3 processors")
        one, = self.json("reproduce", "--list", "booksim/mesh8x8")
        err = run("reproduce", one["name"], "--full", "-o", self.tmp / "b", "--budget", "0.001 s", "-j", "1", "--shard", "1/10").stderr
        self.assertRegex(err, rf"; about {one['scales']['full']['seconds'] / 10:.0f} s on 1 processor")

    def test_refused(self):
        self.refused("reproduce", "000/fig2c", says=("no reproduction '000/fig2c'", "did you mean '000/fig2"))
        self.refused("reproduce", "zzzzzzzzz", says="--list")
        self.refused("reproduce", NAME, "--scale", "midle", says=("no scale 'midle'", "did you mean 'middle'"))
        self.refused("reproduce", NAME, "--scale", "default", says=("no scale 'default'", "quick"))
        self.refused("reproduce", NAME, "--scale", "middle", "--full", says=("--full", "--scale"))
        self.refused("reproduce", "--list", "--only", "load=1", says=("--only", "--list"))
        self.refused("reproduce", "--list", "-o", self.tmp / "x", says=("--output", "--list"))
        (self.tmp / "file").write_text("")
        self.refused("reproduce", NAME, "-o", self.tmp / "file", says="file")
        self.refused("reproduce", NAME, "-o", self.tmp / "no" / "such", says="cannot make the folder")


if __name__ == "__main__":
    unittest.main()
