"""Every table of results, of every example and of what is measured, as CSV and in a terminal."""
import csv
import io
import re
import unittest

from harness import SOURCE, CliTest, run
from kept import run_kept

DESIGNS = """\
designs:
  - {name: fat tree, fabric: "karytree:k=4,n=2", routing: dmodk}
  - {name: Slim Fly, fabric: "slimfly:q=5,p=1", routing: [minimal, ugal_l], switch: {buffer: [256 KiB, 64 KiB]}}
load: [10%, 20%]
measures: [cost]
measure: {warmup: 1 us, duration: 2 us, series: 1 us, congestion: true}
watch: {first: 1}
"""
INFEASIBLE = """\
fabric: {family: lrt, N: 36, d: 4, r: 2, seed: 1..2}
routing: {family: cowen, t_max: [2, least]}
load: 10%
measures: [least_t_max]
measure: {warmup: 1 us, duration: 2 us}
"""


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


class Tables(CliTest):
    shown_empty = set()  # tables that were seen without rows in a terminal

    def write(self, text, name="test.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def tables(self, results):
        """The names, as the refusal of another name lists them."""
        refusal = self.refused("report", results, "--csv", "--table", "nothing-like-it", says="there is no table 'nothing-like-it'")
        return re.search(r"there are (.*)", refusal)[1].split(", ")

    def check(self, results):
        """Columns have names of their own, rows as many fields, and a terminal shows as many rows."""
        points = self.json("report", results)["points"]
        for table in self.tables(results):
            with self.subTest(results=results.name, table=table):
                lines = list(csv.reader(io.StringIO(self.ok("report", results, "--csv", "--table", table))))
                columns = lines[0]
                self.assertEqual(len(set(columns)), len(columns), columns)
                self.assertTrue(all(columns))
                self.assertEqual({len(line) for line in lines}, {len(columns)})
                rows = len(lines) - 1
                if table in ("points", "plans", "curves"):
                    self.assertGreater(rows, 0)
                if table == "points":
                    self.assertEqual(rows, len(points))
                if rows == 0 and table in self.shown_empty:
                    continue  # the same sentence for all
                shown = self.ok("report", results, "--table", table)
                self.assertNotRegex(shown, r"(?m) $")
                if rows == 0:
                    self.shown_empty.add(table)
                    self.assertEqual(shown, f"The table '{table}' has no rows.\n")
                    continue
                self.assertLessEqual(max(len(line) for line in re.sub(r"(?m)^All rows.*(\n  .*)*\n", "", shown).splitlines()), 140)
                cut = re.search(r"(?m)^ *#  ", shown)
                if cut:
                    for block in shown[cut.start():].split("\n\n"):
                        numbers = [int(line.split()[0]) for line in block.splitlines()[1:]]
                        self.assertEqual(numbers, list(range(1, rows + 1)))

    def test_of_all_examples(self):
        for path in sorted((SOURCE / "experiments").glob("*.yaml")):
            results = self.tmp / f"{path.stem}.db"
            run_kept(["run", f"experiments/{path.name}"], results)  # as the documents do: most are there already
            self.check(results)

    def test_of_measures_and_designs(self):
        """A design is a column of its own in every table that has points, and no part of the variant."""
        for number, text in enumerate((DESIGNS, INFEASIBLE, "fabric: karytree:k=2,n=2\nrouting: dmodk\nsimulate: false\n")):
            results = self.tmp / f"{number}.db"
            self.ok("run", self.write(text), "-o", results)
            self.check(results)
        designs = self.tmp / "0.db"
        for table in self.tables(designs):
            rows = rows_of(self.ok("report", designs, "--csv", "--table", table))
            if not rows or table in ("references", "claims"):
                continue
            with self.subTest(table=table):
                self.assertEqual(list(rows[0])[0], "design")
                for row in rows:
                    self.assertEqual(row["design"], "fat tree" if row["fabric"].startswith("karytree") else "Slim Fly")
                    self.assertNotIn("design", row.get("variant", ""))
                    if row["design"] == "fat tree":
                        self.assertEqual(row.get("variant", ""), "")
                    elif "variant" in row:
                        self.assertRegex(row["variant"], "^switch: buffer=(256|64) KiB$")
        without = self.ok("report", self.tmp / "1.db", "--csv")
        self.assertTrue(without.startswith("fabric,"))

    def test_plans(self):
        """One row for each plan: what its proof and its points say, nothing of what was not made."""
        self.ok("run", self.write(DESIGNS), "-o", self.tmp / "a.db")
        answer = self.json("report", self.tmp / "a.db")
        rows = rows_of(self.ok("report", self.tmp / "a.db", "--csv", "--table", "plans"))
        self.assertEqual([(r["design"], r["routing"], r["points"]) for r in rows],
                         [("fat tree", "dmodk", "2"), ("Slim Fly", "minimal", "4"), ("Slim Fly", "ugal_l", "4")])
        for row, plan in zip(rows, answer["plans"]):
            proof = plan["proof"]
            self.assertEqual((row["vc"], int(row["vcs"]), row["selection"], row["proof"]), (plan["vc"], plan["vcs"], plan["selection"], proof["proof"]))
            self.assertEqual((row["deadlock_free"], row["minimal"]), tuple(str(proof[k]).lower() for k in ("deadlock_free", "minimal")))
            self.assertAlmostEqual(float(row["mean_hops"]), proof["mean_hops"], places=6)
            [point] = {(p["ports_per_host"], p["links_per_host"]) for p in answer["points"] if p["plan"] == plan["id"]}
            self.assertEqual((float(row["ports_per_host"]), float(row["links_per_host"])), point)
            self.assertEqual(int(row["hosts"]), answer["fabrics"][plan["fabric"]]["hosts"])
        self.ok("run", self.write(INFEASIBLE), "-o", self.tmp / "b.db")
        rows = rows_of(self.ok("report", self.tmp / "b.db", "--csv", "--table", "plans"))
        self.assertEqual([(r["proof"], r["feasible"], r["mean_hops"] == "", r["pairs"] == "") for r in rows],
                         [("none", "0", True, True), ("full", "1", False, False)] * 2)
        self.assertTrue(all(int(r["least_t_max"]) > 2 for r in rows))

    def test_two_designs_with_one_plan(self):
        text = DESIGNS.replace("slimfly:q=5,p=1", "karytree:k=4,n=2").replace("[minimal, ugal_l]", "dmodk")
        self.ok("run", self.write(text), "-o", self.tmp / "a.db")
        rows = rows_of(self.ok("report", self.tmp / "a.db", "--csv", "--table", "plans"))
        self.assertEqual([(r["design"], r["points"]) for r in rows], [("fat tree", "2"), ("Slim Fly", "4")])

    def test_plans_of_two_flow_controls(self):
        """Points of one plan that are judged for different flow controls alternate; each verdict is one row."""
        text = """\
fabric: mesh:dims=3:3
routing: minimal
vc: escape:routing=updown
vcs: 2
switch: {model: [iq, pipelined], buffer: 64 KiB}
load: [10%, 20%]
measure: {warmup: 1 us, duration: 1 us}
"""
        self.ok("run", self.write(text), "-o", self.tmp / "a.db", status=None)
        rows = rows_of(self.ok("report", self.tmp / "a.db", "--csv", "--table", "plans"))
        self.assertEqual([(r["flow"], r["points"]) for r in rows], [("cut_through", "2"), ("settled", "2")])

    def test_usage(self):
        """What --table goes with, and the list of tables wherever it is said."""
        self.ok("run", self.write(INFEASIBLE), "-o", self.tmp / "a.db")
        names = self.tables(self.tmp / "a.db")
        usage = self.ok("report", "--help")
        for name in names:
            self.assertRegex(usage, rf"\b{name}\b")
        self.refused("report", self.tmp / "a.db", "--table", "plan", says=["there is no table 'plan'", "did you mean 'plans'? There are points, "])
        self.refused("report", self.tmp / "a.db", "--csv", "--table", "curve", says="did you mean 'curves'?")
        self.refused("report", self.tmp / "a.db", "--table", "plans", "--json", says="--json has what all tables have")
        self.refused("report", self.tmp / "a.db", "--table", "plans", "-o", "x.html", says="only the report is HTML")
        self.refused("report", self.tmp / "a.db", "--table", "plans", "--figure", "a", says="--figure cannot be combined")
        self.assertEqual(run("report", self.tmp / "nothing.db", "--table", "plans").returncode, 2)


if __name__ == "__main__":
    unittest.main()
