"""Files that want harm: results, dumps, fabrics, experiments and file names with markup, control characters and wrong numbers. Every
command gives a right answer or a clear error, every output parses, the page runs no script of theirs and asks for nothing."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import unittest
import zlib

from harness import IKAT, SOURCE, CliTest, sanitized

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# What a page would do if it took a text for markup or a script: it would say so in its title, or ask this server.
SCRIPT = "document.title='PWNED';new Image().src='http://127.0.0.1:9/x'"
MARKUP = f"</script><script>{SCRIPT}</script><img src=x onerror=\"{SCRIPT}\"><!--<script>]]>"
ALL = bool(os.environ.get("IKAT_TEST_ALL"))  # every text in every browser; else a few
PART = 4 if sanitized() and not ALL else 1  # of long lists every PART-th: a report takes five times as long with a sanitizer
TEXTS = {
    "markup": MARKUP,
    "quotes": "'\"`\\\\\"';--\\u003c ,;\n\"\"",
    "control": "a\x1b]0;title\x07\x1b[31m\rb\tc\x7f\u009b31m\u2028\u2029\n",
    "formula": "=HYPERLINK(\"x\")\u202eevil\u2066\u2029",
    "odd": "\ufeff\u202e\U0001f600{0}%s%n${x}",
    "long": "<b>" + "x" * 1_000_000,
}
if not ALL:
    del TEXTS["odd"], TEXTS["long"]
csv.field_size_limit(1 << 24)
TABLES = ("points", "classes", "congestion", "roots", "culprits", "victims")
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+@-](?!(\d+\.?\d*|inf|nan)([eE][+-]?\d+)?$).")  # begins a cell of CSV
EXPERIMENT = """\
fabric: [ring:n=4, "karytree:k=2,n=2"]
routing: [updown, dmodk]
traffic: {family: mix, members: "50%*a=uniform+50%*b=shift:by=1"}
load: [20%, 90%]
skip_misfits: true
measure: {warmup: 2 us, duration: 4 us, series: 2 us, congestion: true}
"""

DRAWN = """\
fabric: {family: jellyfish, N: 6, d: 3, p: 1, seed: [1, 2]}
routing: [updown, minimal]
load: [20%, 90%]
over: fabric.seed
measures: [mean_hops]
measure: {warmup: 1 us, duration: 2 us, series: 1 us}
figures:
  - {name: gets, title: What it gets, x: load, y: throughput / static_saturation, series: [routing], normalise_by: {routing: updown}, over: [fabric.seed]}
  - {name: time, kind: time, y: throughput, series: routing, where: {load: 20%, fabric.seed: 1}}
expect:
  - {claim: c, source: s, metric: throughput, of: {routing: minimal}, against: {routing: updown}, at: {load: 90%}, op: "<", tolerance: 1 %}
  - {claim: d, metric: crossing, y: mean_hops, of: {routing: minimal}, against: {routing: updown}, op: ">", value: 0.1}
"""


def pack(text):
    """As ikat packs texts and arrays."""
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return len(raw).to_bytes(8, "little") + zlib.compress(raw, 6)


class Hostile(CliTest):
    def setUp(self):
        super().setUp()
        (self.tmp / "good.yaml").write_text(EXPERIMENT)
        self.ok("run", self.tmp / "good.yaml", "-o", self.tmp / "good.db")

    # ---- what every command must do

    def raw(self, *args):
        """A finished process with bytes."""
        return subprocess.run([os.fsencode(IKAT), *[a if isinstance(a, bytes) else os.fsencode(str(a)) for a in args]], cwd=SOURCE,
                              capture_output=True, timeout=600, check=False)

    def answer(self, *args, status=(0, 1, 2), terminal=True):
        """Runs; no crash, and nothing that a terminal would act on; standard output if it was done."""
        done = self.raw(*args)
        self.assertIn(done.returncode, status, f"{args}\n{done.stderr[-2000:]}")
        errors = done.stderr.decode("utf-8")
        self.assertIsNone(CONTROL.search(errors), (args, errors[:500]))
        if done.returncode == 2:
            self.assertTrue(any(line.startswith("ikat: ") for line in errors.splitlines()), errors)
            return None
        text = done.stdout.decode("utf-8")
        if terminal:
            self.assertIsNone(CONTROL.search(text), (args, text[:500]))
        if "--csv" in args:
            for row in csv.reader(io.StringIO(text, newline=""), strict=True):
                self.assertEqual([cell for cell in row if FORMULA.match(cell)], [], args)
        return text

    def report(self, store, name):
        """Every form of the report; the page's path, or None if the file is refused, by all of them alike."""
        page = self.tmp / f"{name}.html"
        page.unlink(missing_ok=True)
        made = self.answer("report", store, "-o", page, "-q")
        written = self.answer("report", store, "--json")
        tables = [self.answer("report", store, "--csv", "--table", t) for t in (TABLES if ALL else TABLES[:1])]
        self.assertEqual({x is None for x in (made, written, *tables)}, {made is None}, name)
        if made is None:
            self.assertFalse(page.exists())
            return None
        self.assertIsInstance(json.loads(written), dict)
        for table in tables:
            rows = list(csv.reader(io.StringIO(table, newline=""), strict=True))
            self.assertEqual(len({len(row) for row in rows}), 1, name)
        data = page.read_text(encoding="utf-8")
        self.assertEqual(data.count("</script"), 4, name)  # of its own
        self.assertFalse("<script>document" in data, name)
        return page

    def browse(self, pages, most=0):
        """The browser shows each page: its scripts end as they should, it runs no other, and asks for nothing. Of others than all at
        most so many."""
        if not CHROMIUM:
            return
        for page in pages if ALL else pages[:most]:
            log = self.tmp / "net.json"
            done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                                   f"--user-data-dir={self.tmp / 'profile'}", f"--log-net-log={log}", "--virtual-time-budget=8000",
                                   "--enable-logging=stderr", "--dump-dom", f"{pathlib.Path(page).as_uri()}#numbers"],
                                  capture_output=True, timeout=600, check=True, env={**os.environ, "HOME": str(self.tmp)})
            dom = done.stdout.decode("utf-8", "replace")
            console = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "CONSOLE" in line]
            self.assertEqual(console, [], page)
            self.assertIn('data-ready="yes"', dom, page)
            self.assertNotIn("<title>PWNED", dom, page)
            self.assertNotIn("127.0.0.1:9", log.read_text(encoding="utf-8", errors="replace"), page)

    # ---- results files

    def stores(self, statement, values):
        """A copy of the good file for each value, changed by a statement; (name, path)."""
        for name, value in list(values.items())[::PART if len(values) >= PART else 1]:
            path = self.tmp / f"changed-{name}.db"
            shutil.copy(self.tmp / "good.db", path)
            with sqlite3.connect(path) as db:
                db.execute("PRAGMA ignore_check_constraints = 1")
                try:
                    db.execute(statement, (value,) if "?" in statement else ())
                except sqlite3.IntegrityError:
                    continue
            db.close()
            yield name, path

    def test_texts_of_a_results_file(self):
        """Every text column of every table."""
        columns = {"meta": ["value"], "fabrics": ["spec", "digest"], "plans": ["key", "flow", "routing", "vc", "selection", "asked"],
                   "points": ["traffic", "variant", "checksum", "deadlock"]}
        shown = []
        for what, text in TEXTS.items():
            path = self.tmp / f"texts-{what}.db"
            shutil.copy(self.tmp / "good.db", path)
            with sqlite3.connect(path) as db:
                for table, names in columns.items():
                    where = "WHERE key NOT IN ('version', 'num_points', 'left_out', 'figures', 'expect', 'over')" if table == "meta" else ""
                    for name in names:
                        unique = "" if table in ("meta", "points") else " || rowid"
                        db.execute(f"UPDATE {table} SET {name} = ?{unique} {where}", (text,))
            db.close()
            page = self.report(path, f"texts-{what}")
            self.assertIsNotNone(page, what)
            shown.append(page)
            self.answer("run", self.tmp / "good.yaml", "-o", path)  # goes on from it, and sums it up
        self.browse(shown, most=1)

    def test_bytes_of_a_results_file(self):
        """Bytes that are no UTF-8 are shown as such; zeros are refused."""
        for name, path in self.stores("UPDATE points SET traffic = CAST(? AS TEXT)", {"utf8": b"</script>\xff\xfe\xc3(\xed\xa0\x80"}):
            page = self.report(path, name)
            self.browse([page])
            self.assertIn("\ufffd", self.answer("report", path, "--csv"))
        for name, path in self.stores("UPDATE points SET traffic = CAST(? AS TEXT)", {"zero": b"a\0b</script>"}):
            self.assertIsNone(self.report(path, name))

    def test_json_of_a_results_file(self):
        """JSON that is none, or not ikat's, is an error that names it; markup in good JSON is shown as text."""
        bad = {"none": "</script>", "empty": "", "cut": '{"a": ', "list": "[]", "number": "1", "twice": '{"a": 1, "a": 2}', "nested": '{"a": {"b": 1}}',
               "deep": "[" * 5000, "nan": '{"a": NaN}', "real": '{"a": 1e999}', "large": '{"a": 99999999999999999999}', "zero": '{"a": "\\u0000"}',
               "surrogate": '{"a": "\\ud800"}', "control": '{"a": "\x1b[31m"}', "markup": MARKUP}
        for name, path in self.stores("UPDATE points SET params = ? || CASE id WHEN 0 THEN '' ELSE 'x' || id END", bad):
            self.assertIn("'params' of point", self.refused("report", path, "--json"))
            if ALL or name == "none":
                self.assertIsNone(self.report(path, name), name)
        if not ALL:
            bad = {name: bad[name] for name in ("none", "empty", "list", "nested")}
        good = json.dumps({"fabric": MARKUP, MARKUP: "\u2028\u009b", "id": 1})
        for name, path in self.stores("UPDATE points SET params = ? || substr('                    ', 1, id)", {"good": good}):
            self.browse([self.report(path, name)])
            self.assertEqual(self.json("report", path)["points"][0]["params"], json.loads(good))
        for column in ("congestion", "classes"):
            for name, path in self.stores(f"UPDATE points SET {column} = ?", bad):
                if name != "empty" and not (name == "list" and column == "classes"):
                    self.assertIsNone(self.report(path, name), (column, name))
        for table, column in (("fabrics", "drawing"), ("points", "congestion_series")):
            for name, path in self.stores(f"UPDATE {table} SET {column} = ?", {n: pack(t) for n, t in bad.items()}):
                if name != "empty" or column == "drawing":
                    self.assertIsNone(self.report(path, name), (column, name))
        for table, column in (("fabrics", "summary"), ("plans", "proof"), ("meta", "value")):
            where = "WHERE key = 'left_out'" if table == "meta" else ""
            for name, path in self.stores(f"UPDATE {table} SET {column} = ? {where}", bad):
                if table != "meta" or name not in ("empty", "list"):
                    self.assertIsNone(self.report(path, name), (column, name))

    def test_figures_and_claims_of_a_results_file(self):
        """What the store says of them is read as an experiment is: what no experiment can have is damage, in every form alike; texts may
        be any; what its points do not have is missing in the report, and no crash."""
        (self.tmp / "drawn.yaml").write_text(DRAWN)
        self.ok("run", self.tmp / "drawn.yaml", "-o", self.tmp / "good.db", status=None)
        with sqlite3.connect(self.tmp / "good.db") as db:
            kept = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('figures', 'expect', 'over')"))
        db.close()
        bad = {"none": "</script>", "cut": '[{"name": ', "map": "{}", "number": "1", "text": '"x"', "nested": "[[1]]", "numbers": "[1]", "bare": "[{}]",
               "deep": "[" * 5000, "zero": '["\\u0000"]', "control": '[{"a\x1b[31m": 1}]', "bytes": "[{\udcff: 1}]", "alias": "[&a {name: *a}]",
               "twice": '[{"name": "a", "name": "b"}]', "yaml": "- name: x\n\tkind: line", "markup": json.dumps([{MARKUP: MARKUP}]), "huge": "[" + "1," * 100_000 + "1]"}
        for key, good in kept.items():
            where = f"WHERE key = '{key}'"
            for name, path in self.stores(f"UPDATE meta SET value = ? {where}", {n: t.encode("utf-8", "surrogateescape") if "udc" in ascii(t) else t
                                                                                for n, t in bad.items()}):
                self.assertIsNone(self.report(path, f"{key}-{name}"), (key, name))
                error = self.raw("report", path, "--json").stderr.decode()
                self.assertRegex(error, "is damaged|no text", (key, name))
                for form in (("--figure", "gets"), ("--table", "claims"), ("--table", "plans")):
                    self.assertEqual(self.raw("report", path, *form).returncode, 2, (key, name, form))
                self.answer("run", self.tmp / "drawn.yaml", "-o", path)  # writes them anew
                self.assertIsNotNone(self.report(path, f"{key}-{name}"), (key, name))
            if key == "over":
                continue
            leaves = re.findall(r'"(?:[^"\\]|\\.)*"', good)
            for number in range(0, len(leaves), PART):
                for new in (MARKUP, "", "9" * 400, "nothing / throughput"):
                    parts = re.split(r'("(?:[^"\\]|\\.)*")', good)
                    parts[2 * number + 1] = json.dumps(new)
                    changed = "".join(parts)
                    for name, path in self.stores(f"UPDATE meta SET value = ? {where}", {"leaf": changed}):
                        self.answer("report", path, "--json")
                        if ALL or number // PART % 4 == 0:
                            self.report(path, name)
                            for form in (("--figure", "gets"), ("--csv", "--table", "claims"), ("--figure", "gets", "-o", self.tmp / "x.svg")):
                                self.answer("report", path, *form)

    def inside(self, table, column, change):
        """The good file with one of its JSON texts changed."""
        path = self.tmp / "inside.db"
        shutil.copy(self.tmp / "good.db", path)
        with sqlite3.connect(path) as db:
            key, stored = db.execute(f"SELECT rowid, {column} FROM {table} WHERE length({column}) > 10 ORDER BY rowid LIMIT 1").fetchone()
            packed = isinstance(stored, bytes)
            value = json.loads(zlib.decompress(stored[8:]) if packed else stored)
            change(value)
            text = json.dumps(value)
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (pack(text) if packed else text, key))
        db.close()
        return path

    def test_texts_and_numbers_inside_json(self):
        """Every leaf of every JSON text, in turn: texts may be any, numbers only what is possible, types only their own."""
        def leaves(value, path=()):
            items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
            if not items or not isinstance(value, (dict, list)):
                yield path
            for key, item in items:
                yield from leaves(item, (*path, key))

        def setter(path, new):
            def change(value):
                for key in path[:-1]:
                    value = value[key]
                value[path[-1]] = new
            return change

        shown, texts, turn = [], 0, 0
        for table, column in (("fabrics", "summary"), ("fabrics", "drawing"), ("plans", "proof"), ("points", "congestion"), ("points", "classes"),
                              ("points", "congestion_series")):
            found = {}
            self.inside(table, column, lambda value: found.setdefault("it", json.loads(json.dumps(value))))  # pylint: disable=cell-var-from-loop
            for path in leaves(found["it"]):
                old = found["it"]
                for key in path:
                    old = old[key]
                turn = (turn + 1) % 3
                news = (MARKUP if isinstance(old, str) else 10**15, {}, -1)
                for new in news if ALL else news[:1] if isinstance(old, str) else news[turn:turn + 1]:
                    changed = self.inside(table, column, setter(path, new))
                    text = isinstance(old, str) and isinstance(new, str)
                    done = self.raw("report", changed, "--json")
                    self.assertIn(done.returncode, (0,) if text else (0, 2), (column, path, new, done.stderr))
                    if done.returncode == 0:
                        json.loads(done.stdout)
                    if isinstance(new, dict):
                        self.assertEqual(done.returncode, 2, (column, path, done.stdout[-200:]))
                    texts += text
                    if text and len(shown) < 6 and texts % 3 == 1:
                        page = self.tmp / f"leaf{texts}.html"
                        self.ok("report", changed, "-o", page)
                        shown.append(page)
        self.assertGreater(texts, 10)
        self.browse(shown, most=1)

    def test_routes_of_a_results_file(self):
        """Lists of channels and hosts that are there, or an error; what there is too much of is shown as text."""
        with sqlite3.connect(self.tmp / "good.db") as db:
            good = json.loads(zlib.decompress(db.execute("SELECT body FROM details WHERE kind = 'routes' LIMIT 1").fetchone()[0][8:]))
        db.close()
        hosts = len(good["of"])
        row = [0] * hosts
        bad = {"empty": "{}", "channel": {**good, "lists": [[10**9]]}, "list": {**good, "of": [[10**9] * hosts] * hosts}, "hosts": {**good, "of": [row] * (hosts - 1)},
               "pairs": {**good, "of": [row[1:]] * hosts}, "negative": {**good, "lists": [[-1]]}, "text": {**good, "lists": MARKUP}, "both": {**good, "above": MARKUP}, "more": {**good, "x": 1}}
        for name, path in self.stores("UPDATE details SET body = ? WHERE kind = 'routes'", {n: pack(t if isinstance(t, str) else json.dumps(t)) for n, t in bad.items()}):
            with self.subTest(name):
                self.assertIn("routes of plan", self.refused("report", path, "-o", self.tmp / "x.html"))
        for name, path in self.stores("UPDATE details SET body = ? WHERE kind = 'routes'", {"above": pack(json.dumps({"above": MARKUP}))}):
            self.browse([self.report(path, name)])

    def test_numbers_of_a_results_file(self):
        """Every column of numbers with what is none, in every form of the report."""
        with sqlite3.connect(self.tmp / "good.db") as db:
            numbers = [(t, c[1], c[2]) for t in ("fabrics", "plans", "points") for c in db.execute(f"PRAGMA table_info({t})") if c[2] in ("REAL", "INTEGER")]
        db.close()
        values = {"nan": None, "inf": float("inf"), "minus": -1, "huge": 9e300, "text": "</script>", "blob": b"\0\xff", "real": 0.5}
        if not ALL:
            values = {name: values[name] for name in ("nan", "inf", "minus", "text")}
        unused = {"hosts_silent"}  # nothing reads it
        with sqlite3.connect(self.tmp / "good.db") as db:  # what may be empty, as in a file that lacks it
            results = {c[1] for c in db.execute("PRAGMA table_info(points)") if c[2] in ("REAL", "INTEGER") and not c[3] and not c[5] and not c[1].endswith("_ps")}
        db.close()
        for table, column, kind in numbers:
            for name, path in self.stores(f"UPDATE {table} SET {column} = ?1 WHERE rowid = (SELECT max(rowid) FROM {table})", values):
                done = self.raw("report", path, "--json")
                possible = name == "real" and (kind == "REAL" or column.startswith(("packet", "order"))) or name == "nan" and column in results
                possible |= column in unused or (column in ("seed", "drift_per_ms") and name == "minus") or (column in ("congestion_tree", "reorder_max_bytes") and name == "real")
                self.assertEqual(done.returncode, 0 if possible else 2, (table, column, name, done.stderr))
                if not possible:
                    self.assertRegex(done.stderr.decode(), r"damaged|no point")
                else:
                    json.loads(done.stdout)

    def test_arrays_of_a_results_file(self):
        with sqlite3.connect(self.tmp / "good.db") as db:
            blobs = [(t, c[1]) for t in ("fabrics", "points") for c in db.execute(f"PRAGMA table_info({t})") if c[2] == "BLOB"]
        db.close()
        values = {"empty": b"", "short": b"\1\2", "bomb": (1 << 35).to_bytes(8, "little") + zlib.compress(bytes(1 << 20)), "words": pack(bytes(8 * 3)),
                  "odd": pack(bytes(13)), "text": "</script>", "null": None, "nan": pack(b"\xff" * 8 * 4)}
        for table, column in blobs:
            for name, path in self.stores(f"UPDATE {table} SET {column} = ?1", values):
                if ALL or name == "words":
                    self.report(path, name)
                else:
                    self.answer("report", path, "--csv")

    def test_rows_of_a_results_file(self):
        """Rows that are missing, refer to nothing, or are there where none should be; tables that are not ikat's."""
        statements = ["DELETE FROM meta", "DELETE FROM fabrics", "DELETE FROM plans", "DELETE FROM points", "UPDATE plans SET fabric = 77",
                      "UPDATE points SET plan = 77", "UPDATE points SET fabric = 77", "UPDATE points SET fabric = 3 - fabric", "UPDATE points SET id = -5 - id",
                      "UPDATE points SET id = id + 1099511627776", "UPDATE meta SET value = '-1' WHERE key = 'num_points'",
                      "UPDATE meta SET value = 'x' WHERE key = 'num_points'", "UPDATE meta SET value = '99999999999999999999' WHERE key = 'num_points'",
                      "UPDATE meta SET value = '1' WHERE key = 'num_points'", "DROP TABLE points", "CREATE VIEW v AS SELECT 1", "CREATE TABLE more(x)",
                      "CREATE TRIGGER t AFTER UPDATE ON points BEGIN DELETE FROM points; END", "CREATE INDEX i ON points(load)",
                      "ALTER TABLE points ADD COLUMN x", "ALTER TABLE plans RENAME TO points2", "PRAGMA user_version = 99", "PRAGMA application_id = 1"]
        for number, statement in enumerate(statements):
            for name, path in self.stores(statement, {f"rows{number}": None}):
                page = self.report(path, name)
                self.answer("status", path)
                self.answer("merge", path, self.tmp / "good.db", "-o", self.tmp / f"merged{number}.db")
                self.answer("run", self.tmp / "good.yaml", "-o", path)
                if statement in ("CREATE TABLE more(x)", "ALTER TABLE points ADD COLUMN x"):  # of another version
                    self.assertIsNotNone(page, statement)
                elif statement.startswith(("CREATE", "ALTER", "DROP")):
                    self.assertIsNone(page, statement)
                    self.assertIn("damaged", self.raw("run", self.tmp / "good.yaml", "-o", path).stderr.decode())

    # ---- other files

    def test_experiment(self):
        for name, text in TEXTS.items():
            quoted = json.dumps(text)
            path = self.tmp / f"{name}.yaml"
            path.write_text(f"title: {quoted}\ndescription: {quoted}\n" + EXPERIMENT, encoding="utf-8")
            store = self.tmp / f"{name}.db"
            if self.answer("run", path, "-o", store) is not None:
                self.browse([self.report(store, name)])
            for key in ("fabric", "routing", "traffic", "unknown"):
                path.write_text(EXPERIMENT + f"{key}: {quoted}\n", encoding="utf-8")
                self.answer("run", path, "-o", self.tmp / "x.db", status=(2,))

    def test_names_in_fabrics(self):
        """Node descriptions of a dump and names in JSON, in every command."""
        dump = (SOURCE / "data/cluster96.ibnetdiscover").read_text()
        self.ok("topo", "karytree:k=2,n=2", "-o", self.tmp / "good.json")
        shown = []
        for name, text in TEXTS.items():
            flat = re.sub("[\n\r\x1b\x07\x7f\"]", "?", text)[:5000]
            (self.tmp / f"{name}.ibnetdiscover").write_text(dump.replace("SwitchIB Mellanox Technologies", flat), encoding="utf-8")
            fabric = json.loads((self.tmp / "good.json").read_text())
            for node in (*fabric["switches"], *fabric["hosts"]):
                node["name"] = text + node.get("name", "")
            fabric["classes"][0]["name"] = text
            fabric["findings"] = [{"severity": "warning", "code": text[:20] or "x", "text": text}]
            (self.tmp / f"{name}.fabric.json").write_text(json.dumps(fabric), encoding="utf-8")
            for path in (self.tmp / f"{name}.ibnetdiscover", self.tmp / f"{name}.fabric.json"):
                for args in (("topo", path), ("check", path, "-r", "updown"), ("load", path, "-r", "updown"), ("route", path, "-r", "updown"),
                             ("route", path, "-r", "updown", "--format", "paths")):
                    if self.answer(*args) is not None and "--format" not in args:
                        json.loads(self.answer(*args, "--json"))
                    if args[0] == "load":
                        self.answer(*args, "--csv")
                for ending in ("json", "graphml", "dot", "svg", "edges", "ibnetdiscover") if ALL else ("json", "svg"):
                    self.answer("topo", path, "-o", self.tmp / f"out.{ending}")
                again = self.tmp / "out.json"
                if again.exists():
                    self.answer("topo", again)
            experiment = self.tmp / f"{name}.yaml"
            experiment.write_text(f"fabric: {json.dumps(f'file:path={name}.fabric.json')}\nrouting: updown\nload: 50%\nmeasure: {{warmup: 1 us, duration: 2 us}}\n")
            if self.answer("run", experiment, "-o", self.tmp / f"{name}.db") is not None:
                shown.append(self.report(self.tmp / f"{name}.db", name))
        self.browse(shown, most=1)

    def test_names_of_files(self):
        self.ok("topo", "ring:n=5", "-o", self.tmp / "ring.json")
        shown = []
        for number, name in enumerate((b"a\nb", b"a'\"`b", b"<img src=x onerror=alert(1)>", b"r\xff\xc3", b"\x1b[31mred", b"\xc2\x9b31m", b"-leading", b"a,b=c", b"$(x)%s%n", b"a\rb")):
            folder = os.fsencode(self.tmp)
            fabric = folder + b"/" + name + b".json"
            text = (self.tmp / "ring.json").read_text().replace('"family"', '"kin"').replace('"spec"', '"s"')
            pathlib.Path(os.fsdecode(fabric)).write_text(text)
            for command, *rest in (("topo",), ("check", "-r", "updown"), ("load", "-r", "updown"), ("route", "-r", "updown")):
                if self.answer(command, fabric, *rest) is not None:
                    json.loads(self.raw(command, fabric, *rest, "--json").stdout)
                self.answer(command, fabric + b"x", *rest, status=(2,))
            experiment, store = folder + b"/" + name + b".yaml", folder + b"/" + name + b".db"
            pathlib.Path(os.fsdecode(experiment)).write_text("fabric: ring:n=5\nrouting: updown\nload: 50%\nmeasure: {warmup: 1 us, duration: 2 us}\n")
            self.assertIsNotNone(self.answer("run", experiment, "-o", store), name)
            shown.append(self.report(os.fsdecode(store), f"name{number}"))
            self.answer("report", experiment, status=(2,))
        self.browse(shown[:3])


if __name__ == "__main__":
    unittest.main()
