"""ikat reproduce: the studies of papers, their verdicts, and the page of them."""
import csv
import re
import sqlite3
import unittest

from harness import SOURCE, CliTest, run

NAME = "000/fig2b"


class Reproduce(CliTest):
    def test_list(self):
        """Every figure of every study, with what it costs; the papers' folders and nothing else."""
        entries = self.json("reproduce", "--list")
        names = [e["name"] for e in entries]
        self.assertEqual(len(names), len(set(names)))
        files = {f"{p.parent.name}/{p.stem}" for p in (SOURCE / "experiments" / "papers").glob("*/*.yaml")}
        self.assertEqual({f"{e['name'].split('/')[0]}/{e['experiment']}" for e in entries}, files)
        for e in entries:
            with self.subTest(e["name"]):
                self.assertRegex(e["name"], r"^00[0-4]/[A-Za-z0-9_]+$")
                self.assertGreater(len(e["title"]), 8)
                self.assertGreater(e["claims"], 0)
                self.assertGreater(e["quick_seconds"], 0)
                self.assertGreater(e["full_hours"], 0)
        some = self.json("reproduce", "--list", "000")
        self.assertEqual([e for e in entries if e["name"].startswith("000/")], some)
        self.assertIn(NAME, self.ok("reproduce", "--list", NAME))

    def test_one_figure(self):
        """Its page, data and verdicts, from any folder; a second run simulates nothing; a changed result is a failure."""
        out = self.tmp / "made"
        done = run("reproduce", NAME, "-o", out, cwd=self.tmp)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"000/cg: .*; about \d+ s on \d+ processor")
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
        recorded = [line for line in (SOURCE / "docs/reproductions.md").read_text().splitlines() if line.startswith("| ")]
        for row in rows:
            verdict = "full" if row["verdict"] == "not asked" else row["verdict"]
            self.assertTrue(any(line.startswith(f"| {verdict} | {row['claim']} |") for line in recorded), f"{row} is not what docs/reproductions.md says")
        self.assertEqual(page.count('class="verdict'), 2 * count)  # in the table of all, and at the figure
        again = run("reproduce", NAME, "-o", out)
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout))
        self.assertIn("points are finished already", again.stderr)
        # shards have files of their own, and make the whole
        for i in (1, 2):
            self.ok("reproduce", NAME, "-o", self.tmp / "parts", "-q", "--shard", f"{i}/2")
        self.ok("merge", *(self.tmp / f"parts/000/cg.{i}of2.db" for i in (1, 2)), "-o", self.tmp / "cg.db")
        self.assertEqual((self.tmp / "cg.db").read_bytes(), (out / "000/cg.db").read_bytes())
        # D-mod-k no worse than half of what it is: claims differ, and nobody recorded why
        with sqlite3.connect(out / "000/cg.db") as db:
            db.execute("UPDATE points SET slowdown = slowdown / 2 WHERE params LIKE '%\"routing\":\"dmodk%'")
        changed = run("reproduce", NAME, "-o", out)
        self.assertEqual(changed.returncode, 1)
        self.assertRegex(changed.stdout, r"differs +000/fig2b +With D-mod-k the fifth phase")
        self.assertIn("not known why", changed.stdout)
        answer = self.json("reproduce", NAME, "-o", out, status=1)
        self.assertGreater(answer["differ"], answer["differ_as_recorded"])

    def test_budget(self):
        """One that is spent starts nothing, and is no failure."""
        done = run("reproduce", NAME, "-o", self.tmp / "none", "--budget", "0.001 s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("budget is spent", done.stderr)

    def test_refused(self):
        self.refused("reproduce", "000/fig2c", says=("no reproduction '000/fig2c'", "did you mean '000/fig2"))
        self.refused("reproduce", "zzzzzzzzz", says="--list")
        self.refused("reproduce", "--list", "-o", self.tmp / "x", says=("--output", "--list"))
        (self.tmp / "file").write_text("")
        self.refused("reproduce", NAME, "-o", self.tmp / "file", says="file")
        self.refused("reproduce", NAME, "-o", self.tmp / "no" / "such", says="cannot make the folder")


if __name__ == "__main__":
    unittest.main()
