"""Claims about printed tables: cells that agree are counted, as a slow count in the test does it, and what is no table is refused with its place."""
import csv
import io
import random
import sqlite3
import unittest

from harness import CliTest

KS, NS = [2, 3, 4], [2, 3]
HEAD = f"fabric: {{family: karytree, k: {KS}, n: {NS}}}\nrouting: [dmodk, smodk]\nsimulate: false\nmeasures: [size]\nexpect:\n"


def hosts(k, n):
    return k**n


class Tables(CliTest):
    def judged(self, text):
        path, store = self.tmp / "table.yaml", self.tmp / "table.db"
        store.unlink(missing_ok=True)
        path.write_text(HEAD + text)
        self.shown = " ".join(self.ok("run", path, "-o", store).split())
        self.store = store
        return self.json("report", store)["claims"]

    def test_counts(self):
        """Drawn tables, some of whose numbers are wrong by little or much, and some of whose cells are empty."""
        rng, cases, text = random.Random(3), [], ""
        for number in range(60):
            tolerance, within, value = rng.choice([0, 0.05, 0.2]), rng.choice([0, 0, 2]), rng.choice([None, 0.5, 0.75])
            columns, cells, rows = rng.random() < 0.5, {}, []
            for k in KS:
                for n in NS:
                    off = rng.choice([0, 0, 0, 1, 2, 10]) if number % 3 else 0
                    cells[k, n] = None if rng.random() < 0.1 else hosts(k, n) + off
            cells[2, 2] = 4
            if columns:
                rows = [["fabric.k", *NS]] + [[k] + ["-" if cells[k, n] is None else cells[k, n] for n in NS] for k in KS]
            else:
                rows = [["fabric.n", "fabric.k", "value"]] + [[n, k, cells[k, n]] for k in KS for n in NS if cells[k, n] is not None]
            text += f"  - {{claim: c{number}, metric: table, y: hosts, at: {{routing: dmodk}}, tolerance: {tolerance}, cells: {rows}"
            text += ", columns: fabric.n" if columns else ""
            text += f", within: {within}" if within else ""
            text += f", value: {value}}}\n" if value else "}\n"
            cases.append((cells, tolerance, within, value or 1))

        def agreeing(cells, tolerance, within, factor=1.0):
            return sum(abs(factor * hosts(*at) - c) <= max(tolerance * c, within) + 1e-12 for at, c in cells.items() if c is not None)

        seen = {}
        for found, (cells, tolerance, within, value) in zip(self.judged(text.replace("'", '"')), cases, strict=True):
            printed = sum(c is not None for c in cells.values())
            agree = agreeing(cells, tolerance, within)
            holds = agree >= value * printed - 1e-9
            self.assertEqual(found["verdict"], "holds" if holds else "differs", (found, cells))
            self.assertAlmostEqual(found["left"], agree / printed, 6)
            self.assertIn(f"{agree} of {printed} cells agree", found["found"])
            self.assertAlmostEqual(found["margin"], (agree / printed - value) / value, 3)
            blind = holds and all(agreeing(cells, tolerance, within, f) >= value * printed - 1e-9 for f in (0.9, 1.1))
            self.assertEqual(found["blind"] != "", blind, (found, cells))
            seen[found["verdict"], blind] = seen.get((found["verdict"], blind), 0) + 1
        self.assertEqual(len(seen), 3, seen)

    def test_words(self):
        claims = self.judged(
            "  - {claim: all, metric: table, y: hosts, at: {routing: dmodk}, columns: fabric.n, cells: [[fabric.k, 2, 3], [2, 4, 8], [4, 16, 65]]}\n"
            "  - {claim: most, metric: table, y: hosts, at: {routing: dmodk}, columns: fabric.n, value: 75 %, within: 2, tolerance: 1 %, cells: [[fabric.k, 2, 3], [2, 4, 8], [4, 16, 70]]}\n"
            "  - {claim: near, metric: hosts, of: {routing: dmodk, fabric.k: 2, fabric.n: 2}, op: '=', value: 5, within: 1}\n"
            "  - {claim: far, metric: hosts, of: {routing: dmodk, fabric.k: 2, fabric.n: 2}, op: '=', value: 5.5, within: 1}\n"
            "  - {claim: share, metric: feasible, of: {routing: dmodk, fabric.k: 2, fabric.n: 2}, op: '=', value: 96 %, within: 5 %}\n")
        self.assertEqual([(c["verdict"], c["asked"]) for c in claims],
                         [("differs", "each of 4 cells"), ("holds", "at least 75 % of 4 cells within 1 % or 2"), ("holds", "5 within 1"), ("differs", "5.5 within 1"),
                          ("holds", "96 % within 5 points")])
        self.assertIn("4, 3: 64 instead of 65", claims[0]["found"])
        self.assertIn("3 of 4 cells agree; 4, 3: 64 instead of 70", self.shown)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.store, "--csv", "--table", "claims"))))
        self.assertEqual([r["op"] for r in rows], ["table", "table", "=", "=", "="])

    def test_cells_that_cannot_be_told(self):
        """They count for neither side: the verdict is open only if they could change it."""
        head = "fabric: crossbar:n=2\nrouting: minimal\nload: [10%, 20%, 40%]\nseeds: 2\nmeasure: {warmup: 0 ns, duration: 1 us}\nexpect:\n"
        cells = "cells: [[load, value], [10%, 0.1], [20%, 0.2], [40%, 0.4]]"
        path, store = self.tmp / "few.yaml", self.tmp / "few.db"
        path.write_text(head + f"  - {{claim: c, transient: true, metric: table, tolerance: 10, {cells}}}\n")
        self.ok("run", path, "-o", store)
        found = self.json("report", store)["claims"][0]
        self.assertEqual(found["verdict"], "cannot be told")
        self.assertIn("0 of 3 cells agree, 3 cannot be told (fewer than three samples)", found["found"])

    def test_long_names(self):
        """What differs is named within its room, and cut between characters."""
        path, store = self.tmp / "long.yaml", self.tmp / "long.db"
        names = ["x" * i + "ü" * 30 for i in range(8)]
        designs = "".join(f"  - {{name: {n}, fabric: 'karytree:k={i + 2},n=2', routing: dmodk}}\n" for i, n in enumerate(names))
        cells = ", ".join(f"[{n}, 1]" for n in names)
        path.write_text(f"designs:\n{designs}simulate: false\nmeasures: [size]\nexpect:\n  - {{claim: c, metric: table, y: hosts, cells: [[design, value], {cells}]}}\n")
        self.ok("run", path, "-o", store)
        found = self.json("report", store)["claims"][0]["found"]
        self.assertIn("0 of 8 cells agree; " + "ü" * 10 + ": 4 instead of 1; x" + "ü" * 9 + ": 9 instead of 1; xx" + "ü" * 9 + ": 16 instead of 1", found)
        self.assertTrue(found.endswith("; ..."), found)
        axes = ["fabric.N", "fabric.d", "fabric.r", "fabric.seed", "routing.t_max", "vcs", "load"]
        rows = [[f"{v:.20f}"[:19] for v in (16, 4, 2, 410187, t_max, 1, 0.1)] for t_max in (7, 15)]
        cells = ", ".join(f"[{', '.join(r)}, 1]" for r in rows)
        path.write_text("fabric: {family: lrt, N: 16, d: 4, r: 2, seed: 410187}\nrouting: {family: loren, t_max: [7, 15]}\nvcs: 1\nload: 0.1\nproof: off\nmeasure: {warmup: 0 ns, duration: 1 us}\n"
                        f"expect:\n  - {{claim: c, metric: table, y: hosts, cells: [[{', '.join(axes)}, value], {cells}]}}\n")
        store.unlink()
        self.ok("run", path, "-o", store)
        found = self.json("report", store)["claims"][0]["found"]
        whole = "; ".join(", ".join(r) + ": 16 instead of 1" for r in rows)
        self.assertGreater(len(whole), 299)
        self.assertEqual(found, "0 %; 0 of 2 cells agree; " + whole[:299])

    def test_searches_that_could_not_tell(self):
        """Claims about saturation_load, quotients and cells hold or differ only if they do so at both ends."""
        path, store = self.tmp / "search.yaml", self.tmp / "search.db"
        one = "metric: saturation_load, of: {routing: minimal}, op: '%s', value: %s"
        table = "metric: table, y: saturation_load, cells: [[routing, value], [minimal, %s], [updown, %s]]"
        asked = [(one % (">", "0.49"), "holds"), (one % (">", "0.6"), "cannot be told"), (one % ("<", "0.6"), "cannot be told"), (one % (">", "0.71"), "differs"),
                 (one % ("=", "0.5"), "cannot be told"), ("transient: true, " + one % ("=", "0.5"), "holds"),
                 ("metric: saturation_load, of: {routing: updown}, op: '=', value: 0.5", "holds"),
                 ("metric: saturation_load / saturation_load, of: {routing: minimal}, op: '=', value: 1", "holds"),
                 ("metric: saturation_load, of: {routing: minimal}, against: {routing: updown}, ratio: true, op: '<', value: 1.3", "cannot be told"),
                 ("metric: saturation_load, of: {routing: minimal}, against: {routing: updown}, ratio: true, op: '<', value: 1.41", "holds"),
                 (table % ("0.5", "0.5"), "cannot be told"), (table % ("0.9", "0.5"), "differs"), ("tolerance: 50%, " + table % ("0.5", "0.5"), "holds"), (table % ("0.5", "0.9"), "differs")]
        path.write_text("fabric: crossbar:n=2\nrouting: [minimal, updown]\nload: {find: saturation, precision: 10%}\nseeds: 3\nmeasure: {warmup: 0 ns, duration: 1 us}\nexpect:\n" +
                        "".join(f"  - {{claim: c, {a}}}\n" for a, _ in asked))
        self.ok("run", path, "-o", store)
        with sqlite3.connect(store) as db:
            db.execute("update points set saturation_load = 0.5, saturation_most = null, steady = 'yes'")
            self.assertEqual(db.execute("update points set saturation_most = 0.7 where json_extract(params, '$.routing') like 'minimal%'").rowcount, 3)
        db.close()
        found = self.json("report", store)["claims"]
        self.assertEqual([(a, c["verdict"]) for (a, _), c in zip(asked, found, strict=True)], asked)

    def test_curves_that_saturate_below_their_lowest_load(self):
        """Claims about saturation hold or differ only if they do so anywhere between the load that is not accepted and the next one below, or 0."""
        path, store = self.tmp / "below.yaml", self.tmp / "below.db"
        one, both = "metric: saturation, of: {routing: minimal}, op: '%s', value: %s", "metric: saturation, of: {routing: %s}, against: {routing: %s}, op: '%s'"
        asked = [(one % (">", "0.2"), "cannot be told"), (one % (">", "0.5"), "differs"), (one % ("<", "0.51"), "holds"), (one % ("=", "0.5"), "cannot be told"),
                 (one % ("<", "0.4"), "cannot be told"), ("transient: true, " + one % ("=", "0.5"), "holds"), (one.replace("minimal", "updown") % ("=", "0.6"), "cannot be told"),
                 (one.replace("minimal", "updown") % (">", "0.5"), "holds"), (one.replace("minimal", "updown") % ("<=", "0.6"), "holds"),
                 (one.replace("minimal", "updown") % ("=", "0.55") + ", tolerance: 10 %", "holds"), (one.replace("minimal", "updown") % ("<", "0.5"), "differs"),
                 (both % ("minimal", "updown", "<"), "holds"), (both % ("updown", "minimal", ">"), "holds"),
                 (both % ("minimal", "updown", "<") + ", ratio: true, value: 1", "holds"), (both % ("minimal", "updown", "<") + ", ratio: true, value: 0.99", "cannot be told"), (both % ("minimal", "updown", ">") + ", ratio: true, value: 0.5", "cannot be told"),
                 (both % ("updown", "minimal", "<") + ", ratio: true, value: 9", "cannot be told"), (both % ("updown", "minimal", "<") + ", ratio: true, paired: true, value: 9", "cannot be told"),
                 (both % ("minimal", "updown", "<") + ", ratio: true, paired: true, value: 1", "holds"),
                 (both % ("minimal", "updown", "<") + ", ratio: true, paired: true, value: 0.99", "cannot be told")]
        path.write_text("fabric: crossbar:n=2\nrouting: [minimal, updown]\nload: [50%, 60%]\nseeds: 3\nmeasure: {warmup: 0 ns, duration: 1 us}\nexpect:\n" +
                        "".join(f"  - {{claim: c, {a}}}\n" for a, _ in asked))
        self.ok("run", path, "-o", store)
        with sqlite3.connect(store) as db:
            db.execute("update points set saturated = 1, steady = 'yes'")
            self.assertEqual(db.execute("update points set saturated = 0 where json_extract(params, '$.routing') like 'updown%' and json_extract(params, '$.load') like '0.5%'").rowcount, 3)
        db.close()
        found = self.json("report", store)
        self.assertEqual([c["saturation"] for c in found["curves"]], ["below 50 %", "60 %"])
        self.assertEqual([(a, c["verdict"]) for (a, _), c in zip(asked, found["claims"], strict=True)], asked)
        self.assertEqual([c["found"] for c in found["claims"] if "divided" in c["found"]], ["no value; what is divided by may be as little as 0"] * 2)

    def test_curves_of_searches(self):
        """Of a curve with a load that a search left open nothing is decided."""
        path, store = self.tmp / "curve.yaml", self.tmp / "curve.db"
        path.write_text("fabric: {family: crossbar, n: [2, 3]}\nrouting: minimal\nload: {find: saturation, precision: 10%}\nseeds: 3\nmeasure: {warmup: 0 ns, duration: 1 us}\nexpect:\n" +
                        "".join(f"  - {{claim: c, metric: {m}, y: saturation_load, x: fabric.n, op: '>', value: 10%}}\n" for m in ("peak", "plateau")))
        self.ok("run", path, "-o", store)
        for most, verdict in [("null", "holds"), ("0.7", "cannot be told")]:
            with sqlite3.connect(store) as db:
                db.execute(f"update points set saturation_load = 0.5, saturation_most = {most}, steady = 'yes'")
            db.close()
            self.assertEqual([c["verdict"] for c in self.json("report", store)["claims"]], [verdict] * 2)

    def test_zero(self):
        """Of 0 a tenth is nothing: such a claim can fail, and such a cell says nothing of 10 %."""
        at = "of: {routing: dmodk, fabric.k: 2, fabric.n: 2}"
        none, some = "hosts - hosts", "hosts"
        cells = "at: {routing: dmodk, fabric.n: 2}, cells: [[fabric.k, value], [2, %s], [3, %s]]"
        asked = [(f"metric: {none}, {at}, op: '=', value: 0, within: 2", False), (f"metric: {none}, {at}, op: '<=', value: 0", False), (f"metric: {none}, {at}, op: '<=', value: 0, within: 2", False),
                 (f"metric: {none}, {at}, op: '>=', value: 0", False), (f"metric: {some}, {at}, op: '>=', value: 0", True), (f"metric: {some}, {at}, op: '>', value: 0", False),
                 (f"metric: table, y: {none}, {cells % (0, 0)}", False), (f"metric: table, y: {none}, within: 1, {cells % (0, 1)}", True), (f"metric: table, y: {some}, {cells % (4, 9)}", False),
                 (f"metric: table, y: {some}, tolerance: 20%, {cells % (4, 9)}", True)]
        found = self.judged("".join(f"  - {{claim: c, {a}}}\n" for a, _ in asked))
        self.assertEqual([c["verdict"] for c in found], ["holds"] * len(asked))
        self.assertEqual([(a, c["blind"] != "") for (a, _), c in zip(asked, found, strict=True)], asked)

    def test_refusals(self):
        base = "  - {claim: c, metric: table, y: hosts, at: {routing: dmodk, fabric.n: 2}, "
        good = "cells: [[fabric.k, value], [2, 4]]"
        for more, says in [
                ("}", "needs 'cells'"), ("cells: 4}", "list of rows"), ("cells: [[fabric.k, value]]}", "list of rows"), ("cells: [[fabric.k, value], 4]}", "a row of 'cells'"),
                ("cells: [[fabric.k, value], [2, 4, 5]]}", ("found 3", "6:")), ("cells: [[fabric.k, hosts], [2, 4]]}", ("'value'", "columns")),
                ("cells: [[fabric.k, value], [2, four]]}", ("'four' is not a number", "hint")), ("cells: [[fabric.k, value], [2, 4 ns]]}", "no unit"),
                ("cells: [[fabric.k, value], [2, '-']]}", "no cell has a number"), ("cells: [[fabric.k, value], [5, 25]]}", ("fabric.k", "5")),
                ("cells: [[fabric.q, value], [5, 25]]}", "fabric.q"), ("cells: [[fabric.k, value], [2, --4]]}", "'--4' is not a number"), ("cells: [[fabric.k, value], [2, -+4]]}", "'-+4' is not a number"), ("cells: [[fabric.k, value], [2, '- 4']]}", "'- 4' is not a number"),
                ("cells: [[fabric.k, fabric.k, value], [2, 2, 4]]}", ("6:", "names 'fabric.k' again, as in line 6")), ("cells: [[fabric.k, value], [2, 4], [3, 9], [2.0, 5]]}", ("same cells as", "line 6")),
                ("columns: routing, cells: [[fabric.k, dmodk, dmodk], [2, 4, 4]]}", "names 'dmodk' again"), ("columns: fabric.k, cells: [[fabric.k, 2, 3], [2, 4, 4]]}", "the axis of 'columns'"),
                ("columns: routing, cells: [[fabric.k, dmodk], [2, 4], [2, 4]]}", "same cells as"),
                *((good + f", value: {v}}}", "above 0 and at most 100 %") for v in ("0", "-1", "1.01", "75", "101 %")), (good + ", value: 3 us}", "is in %"), (good + ", value: --1}", "'--1' is not a number"),
                (good + ", op: '<'}", "'op' has no effect"), (good + ", of: {fabric.k: 2}}", "'of' has no effect"),
                (good + ", ratio: true}", "'ratio' has no effect"), (good + ", within: 0}", "above 0"), (good + ", within: 2 ns}", "within")]:
            with self.subTest(more):
                path = self.tmp / "bad.yaml"
                path.write_text(HEAD + base + more + "\n")
                says = says if isinstance(says, tuple) else (says,)
                self.refused("run", path, "-o", self.tmp / "bad.db", says=("bad.yaml:", *(s for s in says if s != "hint")))
        path.write_text(HEAD + "  - {claim: c, metric: hosts, of: {routing: dmodk, fabric.k: 2, fabric.n: 2}, op: '=', value: 4, cells: [[a, value], [1, 2]]}\n")
        self.refused("run", path, "-o", self.tmp / "bad.db", says="'cells' has no effect")


if __name__ == "__main__":
    unittest.main()
