"""Results files of other versions of ikat: what they lack is empty, what is not known is kept, what means something else is refused."""
import csv
import io
import itertools
import shutil
import sqlite3
import unittest

from harness import SOURCE, CliTest, run

EXPERIMENT = """\
fabric: karytree:k=2,n=2
routing: [dmodk, updown]
traffic: uniform
load: [20%, 60%]
seeds: 2
measures: [mean_hops, permutations]
measure: {warmup: 2 us, duration: 5 us, series: 1 us, congestion: true}
adapter: {reply: 64 B}
figures:
  - {name: gets, x: load, series: routing, y: throughput}
  - {name: waits, x: load, series: routing, y: round_trip_mean_ns - latency_mean_ns}
expect:
  - {claim: c, metric: throughput, of: {load: 20%, routing: dmodk}, op: ">", value: 1 %}
"""
WORKLOAD = """\
fabric: karytree:k=2,n=2
routing: dmodk
traffic: "exchange:bytes=2560 B"
measure: {until: delivered, at_most: 10 ms}
"""
FORMS = [("--json",), ("--csv",), *(("--table", t) for t in ("classes", "congestion", "probes", "claims", "plans", "hosts", "critical_path", "references", "curves"))]
TABLES = ("meta", "fabrics", "plans", "points", "refs", "details")


def change(path, *statements):
    db = sqlite3.connect(path)
    with db:
        for statement in statements:
            db.execute(statement)
    db.close()


def columns(path, table):
    db = sqlite3.connect(path)
    found = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
    db.close()
    return found


class Versions(CliTest):
    maxDiff = 2000

    def make(self, text=EXPERIMENT, name="good"):
        path, store = self.tmp / f"{name}.yaml", self.tmp / f"{name}.db"
        path.write_text(text)
        self.ok("run", path, "-q", "-o", store)
        return store

    def changed(self, store, *statements):
        copy = self.tmp / "changed.db"
        shutil.copy(store, copy)
        change(copy, *statements)
        return copy

    def rows(self, store, *args):
        return list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv", *args))))

    def forms(self, store):
        self.ok("report", store, "-o", self.tmp / "page.html")
        self.ok("report", store, cwd=self.tmp)
        return {form: self.ok("report", store, *form) for form in FORMS}

    def lacks(self, store, table, column):
        """The column has another name, which is one that is not known. Whether the file can be read; then the column is empty, and nothing
        else differs."""
        other = self.changed(store, f"ALTER TABLE {table} RENAME COLUMN {column} TO more")
        if run("report", other, "--json").returncode:
            self.refused("report", other, "--json", says=["damaged", f"lacks the column '{column}' of its table '{table}'"])
            return False
        for a, b in zip(self.rows(store), self.rows(other), strict=True):
            if table == "points" and column != "deadlock_free" and column in b:  # which stands among the columns of the proof
                self.assertEqual(b[column], "false" if column == "deadlock" else "")
            a.pop(column, "")
            b.pop(column, "")
            self.assertEqual(a, b)
        return True

    def test_every_column_that_a_file_lacks(self):
        """Each column of each table in turn; then all at once without which a file can be read."""
        for store in (self.make(), self.make(WORKLOAD, "workload")):
            lacking = []
            for table, column in [(t, c) for t in TABLES for c in columns(store, t)]:
                with self.subTest(table=table, column=column):
                    if self.lacks(store, table, column):
                        lacking.append((table, column))
            self.assertGreater(len(lacking), 125)
            other = self.changed(store, *(f"ALTER TABLE {t} RENAME COLUMN {c} TO more{i}" for i, (t, c) in enumerate(lacking)))
            self.forms(other)
            self.refused("run", store.with_suffix(".yaml"), "-o", other, says="read, but not written")

    def test_columns_that_are_not_known(self):
        """In every table: reports are as before, the file is continued, and a merge keeps them."""
        store, part = self.make(), self.tmp / "part.db"
        before = self.forms(store)
        more = [f"ALTER TABLE {table} ADD COLUMN 'a \"later\" one' {kind}" for table, kind in zip(TABLES, ("TEXT", "REAL", "", "REAL", "INTEGER", "MONEY"))]
        more += ["UPDATE points SET 'a \"later\" one' = id + 0.5", "UPDATE meta SET 'a \"later\" one' = key"]
        other = self.changed(store, *more)
        self.assertEqual(self.forms(other), before)
        self.ok("run", self.tmp / "good.yaml", "-q", "-o", other)
        shutil.copy(other, part)
        change(part, "DELETE FROM points WHERE id >= 4")
        self.ok("run", self.tmp / "good.yaml", "-q", "-o", part)  # goes on in it
        self.assertEqual(self.forms(part), before)
        change(part, "DELETE FROM points WHERE id >= 4")
        change(other, "DELETE FROM points WHERE id < 4")
        self.ok("merge", part, other, "-o", self.tmp / "merged.db")
        self.assertEqual(self.forms(self.tmp / "merged.db"), before)
        db = sqlite3.connect(self.tmp / "merged.db")
        self.assertEqual(db.execute("SELECT id, \"a \"\"later\"\" one\" FROM points ORDER BY id").fetchall(), [(i, i + 0.5) for i in range(8)])
        self.assertEqual(db.execute("SELECT count(*) FROM meta WHERE key <> \"a \"\"later\"\" one\"").fetchone(), (0,))
        for table in TABLES[:4]:
            self.assertIn('a "later" one', [c[1] for c in db.execute(f"PRAGMA table_info({table})")])
        db.close()
        # a file that lacks a column is a part as well
        old = self.tmp / "old.db"
        shutil.copy(store, old)
        change(old, "ALTER TABLE points DROP COLUMN fairness", "DELETE FROM points WHERE id >= 4", "PRAGMA user_version = 17")
        self.ok("merge", old, other, "-o", self.tmp / "both.db")
        self.assertEqual([r["fairness"] == "" for r in self.rows(self.tmp / "both.db")], [True] * 4 + [False] * 4)

    def test_tables(self):
        """A table that is not known is left alone, and would be lost in a merge; those of details may be missing."""
        store = self.make()
        before = self.forms(store)
        other = self.changed(store, "CREATE TABLE more(x)", "INSERT INTO more VALUES (1)")
        self.assertEqual(self.forms(other), before)
        self.ok("run", self.tmp / "good.yaml", "-q", "-o", other)
        self.refused("merge", other, "-o", self.tmp / "merged.db", says=["'more'", "leave it out"])
        self.assertFalse((self.tmp / "merged.db").exists())
        for table in ("refs", "details"):
            self.assertEqual(self.rows(self.changed(store, f"DROP TABLE {table}")), self.rows(store))
        for table in TABLES[:4]:
            self.refused("report", self.changed(store, "PRAGMA foreign_keys = OFF", f"DROP TABLE {table}"), says=["damaged", f"lacks the table '{table}'"])

    def test_what_means_something_else(self):
        store = self.make()
        for version, hint in ((15, "run the experiment again"), (19, "a later version")):
            other = self.changed(store, f"PRAGMA user_version = {version}")
            for command in (("report", other), ("run", self.tmp / "good.yaml", "-o", other), ("merge", other, "-o", self.tmp / "m.db")):
                self.refused(*command, says=[f"results format {version}", "mean something else", hint])
        for statement in ("ALTER TABLE points ADD COLUMN g AS (load)", "CREATE VIEW v AS SELECT 1", "CREATE INDEX i ON points(load)",
                          "CREATE TRIGGER t AFTER UPDATE ON points BEGIN DELETE FROM points; END"):
            self.refused("report", self.changed(store, statement), says="damaged")
        other = self.changed(store, "ALTER TABLE points DROP COLUMN throughput", "ALTER TABLE points ADD COLUMN throughput TEXT")
        self.refused("report", other, says=["damaged", "'throughput'"])

    def test_columns_that_need_a_value(self):
        """A file that cannot be written says so before anything is simulated."""
        store = self.make((SOURCE / "tests/data/results/small.yaml").read_text())
        db = sqlite3.connect(store)
        made = db.execute("SELECT sql FROM sqlite_master WHERE name = 'points'").fetchone()[0]
        db.close()
        needed = made.rstrip(")") + ", zz TEXT NOT NULL)"
        other = self.changed(store, "ALTER TABLE points RENAME TO old", needed, "INSERT INTO points SELECT *, 'x' FROM old", "DROP TABLE old")
        self.ok("report", other, "--csv")
        self.refused("run", SOURCE / "tests/data/results/small.yaml", "-o", other, says=["needs a value of the column 'zz'", "not written"])

    def test_names_in_capitals(self):
        """SQLite's names are the same in capitals."""
        store = self.make((SOURCE / "tests/data/results/small.yaml").read_text())
        other = self.changed(store, "ALTER TABLE points RENAME COLUMN throughput TO THROUGHPUT", "ALTER TABLE refs RENAME TO old", "ALTER TABLE old RENAME TO REFS")
        self.assertEqual(self.rows(other), self.rows(store))
        self.ok("merge", other, "-o", self.tmp / "capitals.db")

    def test_no_version(self):
        store = self.make((SOURCE / "tests/data/results/small.yaml").read_text())
        other = self.changed(store, "DELETE FROM meta")
        self.refused("run", SOURCE / "tests/data/results/small.yaml", "-o", other, says="does not say which ikat wrote it")

    def test_files_that_earlier_versions_made(self):
        """One experiment, as each format has it: what was measured then is what is measured now; what was not is empty."""
        store = self.make((SOURCE / "tests/data/results/small.yaml").read_text())
        now, kept = self.rows(store), sorted((SOURCE / "tests/data/results").glob("*.db"))
        self.assertEqual([k.name for k in kept], ["format16.db", "format17.db", "format18.db"])
        empty = {"format16.db": {"drift_per_ms", "steady_bound", "needs_ns", "steady"}, "format17.db": set(), "format18.db": set()}
        for path in kept:
            with self.subTest(path.name):
                rows = self.rows(path)
                self.assertEqual(len(rows), len(now))
                for old, new in zip(rows, now):
                    self.assertEqual(list(old), list(new))
                    for key in ("fabric", "routing", "load", "seed", "checksum", "throughput", "latency_p99_ns", "static_saturation"):
                        self.assertEqual(old[key], new[key], key)
                    for key in empty[path.name]:
                        self.assertEqual(old[key], "", key)
                    self.assertEqual(old["steady_reason"] == "not judged (made by an earlier version)", path.name == "format16.db")
                self.forms(path)
                self.ok("report", path, "-o", self.tmp / "page.html")
                copy = self.tmp / path.name
                shutil.copy(path, copy)
                # the one of format 18 lacks columns that came later
                self.refused("run", SOURCE / "tests/data/results/small.yaml", "-o", copy, says=["read, but not written", path.stem[-2:]])
                self.ok("merge", path, "-o", self.tmp / f"merged{path.name}")
                self.assertEqual(self.rows(self.tmp / f"merged{path.name}"), rows)


if __name__ == "__main__":
    unittest.main()
