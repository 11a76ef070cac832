"""How much of a plan is proved, for which flow control, and the cache of proofs."""
import contextlib
import csv
import hashlib
import io
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from harness import IKAT, SOURCE, CliTest, has_worked, run

ONE = """\
fabric: karytree:k=2,n=3
routing: [dmodk, adaptive_tree]
load: [20%, 40%]
measure: {warmup: 1 us, duration: 3 us}
"""
ESCAPE = """\
fabric: mesh:dims=4:4
routing: minimal
vc: "escape:routing=dor"
vcs: 4
load: 10%
adapter: {packet: 2 KiB}
switch: [{}, {model: pipelined, buffer: 256 B}, {queues: voqnet, buffer: 1 MiB}, {adaptive_choice: at_arrival}]
measure: {warmup: 1 us, duration: 4 us}
"""


class Proof(CliTest):
    def setUp(self):
        super().setUp()
        self.cache = self.tmp / "cache"
        self.env = {"XDG_CACHE_HOME": str(self.cache)}

    def write(self, text, name="test.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def files(self):
        return sorted(p for p in self.cache.rglob("*") if p.is_file())

    # ---- the cache

    def test_same_bytes_made_cached_or_continued(self):
        path = self.write(ONE)
        made, cached, alone, parts = (self.tmp / f"{name}.db" for name in ("made", "cached", "alone", "parts"))
        self.ok("run", path, "-o", made, env=self.env)
        self.assertEqual(len(self.files()), 2)
        stamps = [p.stat().st_mtime_ns for p in self.files()]
        self.ok("run", path, "-o", cached, env=self.env)
        self.ok("run", path, "-o", alone, "--no-cache", "--jobs", 1, env=self.env)
        self.ok("run", path, "-o", parts, "--set", "load=20%", env=self.env)
        self.ok("run", path, "-o", parts, env=self.env)
        self.assertEqual([p.stat().st_mtime_ns for p in self.files()], stamps)
        for other in (cached, alone):
            self.assertEqual(made.read_bytes(), other.read_bytes(), other.name)
        self.assertEqual(self.json("report", made)["plans"], self.json("report", parts)["plans"])

    def test_no_cache_writes_nothing(self):
        self.ok("check", "ring:n=5", "-r", "updown", "--no-cache", env=self.env)
        self.ok("run", self.write(ONE), "-o", self.tmp / "a.db", "--no-cache", env=self.env)
        self.assertEqual(self.files(), [])

    def test_check_uses_it(self):
        for arguments in (["mesh:dims=4:4", "-r", "minimal", "--vc", "escape:routing=updown"], ["ring:n=5", "-r", "minimal", "--vc", "1q"],
                          ["slimfly:q=5", "-r", "valiant"], ["slimfly:q=5", "-r", "minimal", "--sample", "50"]):
            outputs = {run("check", *arguments, "--json", env=env).stdout for env in ({}, self.env, self.env, {"HOME": str(self.tmp), "XDG_CACHE_HOME": ""})}
            self.assertEqual(len(outputs), 1, arguments)
        self.assertEqual(len(self.files()), 4)
        self.assertEqual(len([p for p in (self.tmp / ".cache/ikat").rglob("*") if p.is_file()]), 4)

    def test_damaged_files_are_ignored(self):
        answer = self.json("check", "ring:n=5", "-r", "updown", env=self.env)
        for damage in (b"", b"ikatprf1", b"\0" * 300, self.files()[0].read_bytes()[:-1], self.files()[0].read_bytes() + b"x"):
            self.files()[0].write_bytes(damage)
            done = run("check", "ring:n=5", "-r", "updown", "--json", env=self.env)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.json("check", "ring:n=5", "-r", "updown", env=self.env), answer)

    def test_a_cached_plan_is_not_proved_again(self):
        """What a file of the cache says is what is shown: nothing was proved, neither by check nor by run."""
        self.ok("check", "ring:n=5", "-r", "updown", env=self.env)
        name, = self.files()
        body = bytearray(name.read_bytes()[:-32])
        place = 8 + 32 + 5 * 8  # mark, key, five numbers, then the pairs that are not minimal
        body[place:place + 8] = (12345).to_bytes(8, "little")
        name.write_bytes(bytes(body) + hashlib.sha256(body).digest())
        self.assertEqual(self.json("check", "ring:n=5", "-r", "updown", env=self.env)["not_minimal"], 12345)
        path = self.write("fabric: ring:n=5\nrouting: updown\nload: 20%\nmeasure: {warmup: 1 us, duration: 2 us}\n")
        plans = self.json("run", path, "-o", self.tmp / "a.db", env=self.env)["plans"]
        self.assertEqual(plans[0]["proof"]["not_minimal"], 12345)
        self.assertNotEqual(self.json("check", "ring:n=5", "-r", "updown", "--no-cache", env=self.env)["not_minimal"], 12345)

    def test_in_parallel(self):
        command = [IKAT, "check", "slimfly:q=5", "-r", "valiant", "--json"]
        runs = [subprocess.Popen(command, cwd=SOURCE, env={**os.environ, **self.env}, stdout=subprocess.PIPE, text=True) for _ in range(6)]
        self.assertEqual(len({r.communicate()[0] for r in runs}), 1)
        self.assertEqual(len(self.files()), 1)

    def test_a_foreign_proof_is_not_trusted(self):
        path, db = self.write(ONE), self.tmp / "a.db"
        self.ok("run", path, "-o", db, "--set", "load=20%", env=self.env)
        sound = self.json("report", db)["plans"]
        with contextlib.closing(sqlite3.connect(db)) as open_db:
            open_db.execute("UPDATE plans SET proof = replace(proof, '\"delivered\":true', '\"delivered\":false'), failed = 1")
            open_db.commit()
        self.assertFalse(self.json("report", db)["plans"][0]["proof"]["delivered"])
        self.ok("run", path, "-o", db, env=self.env)
        self.assertEqual(self.json("report", db)["plans"], sound)

    # ---- extent

    def test_sampled_and_off_are_marked_everywhere(self):
        path = self.write(ONE)
        for extent, mark, sets in (("off", "[not proved]", []), ("sampled", "[20 pairs sampled]", ["--set", "proof_pairs=20"])):
            db, page = self.tmp / f"{extent}.db", self.tmp / f"{extent}.html"
            text = self.ok("run", path, "-o", db, "--set", f"proof={extent}", *sets)
            self.assertGreaterEqual(text.count(mark), 4, text)
            o = self.json("report", db)
            for plan in o["plans"]:
                self.assertEqual(plan["proof"]["proof"], extent)
                self.assertEqual(plan["proof"]["sampled_pairs"], 20 if sets else 0)
                self.assertIsNone(plan["proof"]["deadlock_free"])
                self.assertIn(mark, plan["label"])
            self.assertTrue(all(mark in x["plan_label"] for x in o["curves"] + o["points"]))
            self.assertTrue(all(mark in c["label"] for c in o["curves"]))
            rows = list(csv.DictReader(io.StringIO(self.ok("report", db, "--csv"))))
            self.assertTrue(rows and all(r["proof"] == extent and r["deadlock_free"] == "" for r in rows))
            self.ok("report", db, "-o", page)
            self.assertIn(mark, page.read_text())
        # The extent belongs to the proof, not to the points: with all of them finished the proof alone is made.
        db = self.tmp / "off.db"
        self.assertIn("4 of 4 points are finished", run("run", path, "-o", db).stderr)
        self.ok("run", path, "-o", self.tmp / "full.db")
        self.assertEqual(db.read_bytes(), (self.tmp / "full.db").read_bytes())

    def test_what_was_not_proved_is_not_counted(self):
        db = self.tmp / "off.db"
        text = self.ok("run", self.write(ONE), "-o", db, "--set", "proof=off", "--set", "fabric=karytree:k=2,n=2,fail=100%", "--set",
                       "routing=updown", "--set", "allow_unreachable=true")
        proof = self.json("report", db)["plans"][0]["proof"]
        for key in ("undelivered", "unconnected", "loops", "not_minimal", "vcs_used", "channels", "dependencies", "max_hops", "mean_hops"):
            self.assertIsNone(proof[key], key)
        self.assertNotIn("0.000", text[text.index("Proofs"):text.index("Results")])
        for row in csv.DictReader(io.StringIO(self.ok("report", db, "--csv"))):
            self.assertEqual((row["undelivered"], row["unconnected"]), ("", ""))

    def test_a_sample_of_all_is_full(self):
        text = self.ok("run", self.write(ONE), "-o", self.tmp / "a.db", "--set", "proof=sampled")
        self.assertNotIn("[", text)

    def test_wrong_options(self):
        path = self.write(ONE + "proof_pairs: 5\n")
        self.refused("run", path, says=["test.yaml:5:14", "no effect", "proof: sampled"])
        self.refused("run", path, "--set", "proof=off", says="no effect")
        self.refused("run", path, "--set", "proof=sampled", "--set", "proof_pairs=0", says="proof_pairs")
        self.refused("run", path, "--set", "proof=[full,off]", says="one value")
        self.refused("run", path, "--set", "proof=some", says="full")
        self.refused("check", "ring:n=5", "-r", "updown", "--sample", "0", says="--sample")

    def test_sample_of_check(self):
        o = self.json("check", "slimfly:q=5", "-r", "minimal", "--sample", "100")
        self.assertEqual((o["sampled_pairs"], o["pairs"], o["delivered"]), (100, 100, None))
        self.assertEqual(self.json("check", "ring:n=5", "-r", "updown", "--sample", "100")["sampled_pairs"], 0)

    # ---- flow control

    def test_judged_for_the_flow_control_in_force(self):
        db = self.tmp / "e.db"
        done = run("run", self.write(ESCAPE), "-o", db)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("not proved free of deadlock", done.stderr)
        o = self.json("report", db)
        verdicts = {p["proof"]["flow"]: p["proof"]["deadlock_free"] for p in o["plans"]}
        self.assertEqual(verdicts, {"cut_through": True, "settled": False})
        plans = {p["variant"]: o["plans"][p["plan"]]["proof"]["flow"] for p in o["points"]}
        self.assertEqual(sorted(plans.values()), ["cut_through", "settled", "settled", "settled"])
        self.assertEqual(plans[""], "cut_through")
        for table in ("Proofs", "Results"):
            self.assertIn("[deadlock not excluded]", done.stdout.split(table)[1])
        rows = list(csv.DictReader(io.StringIO(self.ok("report", db, "--csv"))))
        self.assertEqual(sorted((r["flow"], r["deadlock_free"]) for r in rows)[0], ("cut_through", "true"))

    def test_without_an_escape_layer_one_proof_serves_all(self):
        o = self.json("run", self.write(ESCAPE), "-o", self.tmp / "e.db", "--set", "vc=hopclass", "--set", "vcs=0", "--set", "switch.model=[iq,pipelined]"
                      ) if False else self.json("run", self.write(ONE + "switch: {model: [iq, pipelined]}\n"), "-o", self.tmp / "e.db")
        self.assertEqual([p["proof"]["flow"] for p in o["plans"]], ["any", "any"])

    # ---- while it runs

    def stop(self, number, *args):
        """Sends the signal while it proves: later in builds that are slow."""
        for seconds in (0.7, 2, 5, 12, 30, 60):
            process = subprocess.Popen([IKAT, *map(str, args)], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            has_worked(process, seconds)
            process.send_signal(number)
            out, err = process.communicate(timeout=600)
            if "proving" in err:
                break
        return process.returncode, out, err

    def test_a_signal_during_a_proof(self):
        slow, scheme = "slimfly:q=17", "escape:routing=updown"
        for number in (signal.SIGTERM, signal.SIGINT):
            status, out, err = self.stop(number, "check", slow, "-r", "minimal", "--vc", scheme, "--no-cache", "--jobs", 1)
            self.assertEqual((status, out, err), (130, "", "ikat: stopped by a signal while proving minimal\n"))
        path = self.write(f"fabric: '{slow}'\nrouting: minimal\nvc: '{scheme}'\nload: 20%\n")
        status, out, err = self.stop(signal.SIGTERM, "run", path, "-o", self.tmp / "slow.db", "--no-cache", "--jobs", 1)
        self.assertEqual((status, out), (130, ""))
        self.assertEqual(err, "ikat: stopped by a signal while proving minimal: 0 of 1 point is finished\n"
                         "      hint: the same command continues where this one stopped\n")

    def test_killed_during_a_proof(self):
        path, db = self.write(ONE), self.tmp / "a.db"
        for delay in (0.0, 0.01, 0.03):
            process = subprocess.Popen([IKAT, "run", path, "-o", db], cwd=SOURCE, env={**os.environ, **self.env}, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait()
        self.ok("run", path, "-o", db, env=self.env)
        self.ok("run", path, "-o", self.tmp / "b.db", "--no-cache")
        self.assertEqual(db.read_bytes(), (self.tmp / "b.db").read_bytes())


if __name__ == "__main__":
    unittest.main()
