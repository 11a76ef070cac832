"""Sweeps of settings of which some do not fit together: what does not fit is found before the first point, or left out."""
import contextlib
import itertools
import json
import os
import random
import sqlite3
import unittest

from harness import CliTest, run

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
DRAWN = 2  # parameters of each section
SWITCHES = [{}, {"model": "ioq"}, {"model": "pipelined"}, {"model": "ideal"}]
# What a parameter of the switch may stand beside.
CONTEXTS = [{}, {"queues": "damq"}, {"model": "ioq"}, {"model": "pipelined"}, {"arbiter": "class_first"}]
# What a parameter of the adapter needs beside it.
BESIDE = {"burst_alpha": {"injection": "bursty", "burst_beta": "10%"}, "burst_beta": {"injection": "bursty", "burst_alpha": "10%"},
          "burst_rate": {"injection": "bursty", "burst_alpha": "10%"}, "service_time": {"reply": "1 KiB"}, "max_outstanding": {"reply": "1 KiB"},
          "reorder_buffer": {"in_order": "true"}, "reorder_scope": {"in_order": "true", "reorder_buffer": "16 KiB"},
          "throttle": {"in_order": "true", "reorder_buffer": "16 KiB"}, "control_delay": {"in_order": "true", "reorder_buffer": "16 KiB"}}
VALUES = {"size": ["1 B", "6 KiB", "1 TB"], "time": ["1 ps", "20 ns"], "number": ["2", "5"], "real": ["1.5", "2"], "rate": ["50 Gb/s"],
          "fraction": ["20%", "50%"], "list": ["[0]", "[0, 1]"], "text": ["64 B, 1 KiB"], "true|false": ["true"]}
HEAD = "fabric: karytree:k=2,n=2\nload: 30%\nmeasure: {warmup: 1 us, duration: 2 us}\n"


def mapping(settings):
    return "{" + ", ".join(f"{key}: {value}" for key, value in settings.items()) + "}"


class Misfits(CliTest):
    def rows(self, section):
        members = self.json("help")["families"]["sections"]
        return [row for m in members if m["name"] == section for row in m["parameters"] if row["type"] != "file"]

    def values(self, row):
        kind = row["type"]
        words = [w for w in kind.split("|") if w not in VALUES and not w.startswith("true")]
        return VALUES.get(kind, VALUES.get(kind.split("|")[0], [])) + ([] if kind in VALUES else [w for w in words if w not in ("false", row["default"])])

    def run_text(self, text):
        path, store = self.tmp / "test.yaml", self.tmp / "test.db"
        store.unlink(missing_ok=True)
        path.write_text(HEAD + text)
        return run("run", path, "-o", store), store

    def fits(self, point):
        done, store = self.run_text("".join(f"{key}: {value}\n" for key, value in point.items()))
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertEqual(store.exists(), done.returncode != 2, done.stderr)
        return done.returncode != 2

    def check_sweep(self, lists):
        """Each point alone says whether it fits; a sweep of them says the same."""
        names = list(lists)
        points = [dict(zip(names, values)) for values in itertools.product(*lists.values())]
        fit = {tuple(p.values()): self.fits(p) for p in points}
        # a value that never fits is refused where it is written, as everywhere
        for k, name in enumerate(names):
            lists[name] = [v for v in lists[name] if any(good for key, good in fit.items() if key[k] == v)]
        left = [tuple(v) for v in itertools.product(*lists.values()) if not fit[tuple(v)]]
        kept = [tuple(v) for v in itertools.product(*lists.values()) if fit[tuple(v)]]
        text = "".join(f"{name}: [{', '.join(values)}]\n" for name, values in lists.items())
        if not kept:
            return 0
        done, store = self.run_text(text)
        self.assertEqual(done.returncode == 2, bool(left), text + done.stderr)
        self.assertEqual(store.exists(), not left, text + done.stderr)
        if left:
            self.assertNotRegex(done.stderr, r"(?m)^\d+ of \d+ points", "a point ran before a misfit was found")
        if "has no effect" in done.stderr and "(point" in done.stderr:  # what is written in vain is refused when the experiment is read, whatever is skipped
            done, store = self.run_text(text + "skip_misfits: true\n")
            self.assertEqual((done.returncode, store.exists()), (2, False), text + done.stderr)
            return None
        done, store = self.run_text(text + "skip_misfits: true\n")
        self.assertIn(done.returncode, (0, 1), text + done.stderr)
        with contextlib.closing(sqlite3.connect(store)) as db:
            count = db.execute("SELECT count(*) FROM points WHERE throughput IS NOT NULL").fetchone()[0]
            noted = json.loads(db.execute("SELECT value FROM meta WHERE key = 'left_out'").fetchone()[0])
        self.assertEqual(count, len(kept), text + done.stderr)
        self.assertEqual(sum(entry["points"] for entry in noted), len(left), text)
        return len(left)

    def drawn(self, rows):
        return rows if ALL else random.Random(31).sample(rows, DRAWN)

    def test_settings_of_the_switch(self):
        for row in self.drawn(self.rows("switch")):
            with self.subTest(row["name"]):
                switches = ["{}"] + [mapping({**c, row["name"]: v}) for c in CONTEXTS for v in self.values(row) if row["name"] not in c]
                self.check_sweep({"routing": ["dmodk", "adaptive_tree"], "vcs": ["1", "2"], "switch": [s for s in switches if self.fits({"routing": "dmodk", "switch": s}) or self.fits({"routing": "adaptive_tree", "vcs": "2", "switch": s})]})

    def test_settings_of_the_adapter(self):
        for row in self.drawn(self.rows("adapter")):
            with self.subTest(row["name"]):
                adapters = ["{}"] + [mapping({**BESIDE.get(row["name"], {}), row["name"]: v}) for v in self.values(row)]
                for switches in (SWITCHES, SWITCHES[:2]):
                    left = self.check_sweep({"vcs": ["1", "2"], "switch": [mapping(s) for s in switches], "adapter": adapters, "routing": ["dmodk"]})
                    if left is not None:
                        break

    def test_known_ones(self):
        """What ended a sweep at its second point."""
        left = self.check_sweep({"vcs": ["1", "2"], "switch": ["{}", "{input_speedup: 2}"], "routing": ["dmodk"]})
        self.assertEqual(left, 1)
        left = self.check_sweep({"switch": ["{queues: damq}", "{queues: damq, damq_bounds: output}"], "routing": ["dmodk", "adaptive_tree"]})
        self.assertEqual(left, 1)
        left = self.check_sweep({"switch": ["{}", "{queues: damq, queue_max: 6 KiB}"], "adapter": ["{}", "{packet: 8 KiB}"], "routing": ["dmodk"]})
        self.assertEqual(left, 1)

    def test_measured_beside(self):
        """Points that are left out are not measured either; the same command goes on and leaves out the same ones."""
        text = "routing: dmodk\nvcs: [1, 2]\nswitch: {input_speedup: [1, 2]}\nskip_misfits: true\nmeasures: [saturation]\n"
        done, store = self.run_text(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = run("run", self.tmp / "test.yaml", "-o", store)
        self.assertIn("3 of 4 points are finished", again.stderr)
        self.assertEqual(again.stderr.count("note: 1 point is left out"), 1, again.stderr)

    def test_none_fits(self):
        self.refused_text("routing: dmodk\nvcs: 1\nswitch: {input_speedup: [2, 3]}\nskip_misfits: true\n")

    def refused_text(self, text):
        done, store = self.run_text(text)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("input_speedup", done.stderr)
        self.assertFalse(store.exists())


if __name__ == "__main__":
    unittest.main()
