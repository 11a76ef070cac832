"""Fabrics that do not connect all of their hosts: every command refuses them unless it is told not to."""
import csv
import io
import re
import unittest

from harness import CliTest, run

# Of several families: what is left when something has failed, and whether hosts with a cable are cut off from each other.
CUT = ["karytree:k=2,n=2,fail=100%", "torus:dims=3:3,fail=100%", "mesh:dims=3:3,fail=sw3:sw4:sw5", "slimfly:q=3,fail=100%", "dragonfly:p=1,a=2,h=1,fail=100%",
       "hypercube:n=3,fail=100%", "ring:n=6,fail=sw0:sw3", "fullmesh:n=4,fail=100%", "jellyfish:N=8,d=3,fail=100%",
       "karytree:k=2,n=2,fail_switches=100%", "xgft:m=2:2,w=1:2,fail=sw2:sw3", "hyperx:dims=2:2,fail=100%"]
WHOLE = ["karytree:k=2,n=2", "karytree:k=2,n=2,fail=sw0", "torus:dims=3:3,fail=sw4", "ring:n=6,fail=sw2.2", "slimfly:q=3,fail=sw1"]
EXPERIMENT = """\
fabric: "%s"
routing: updown
load: 20%%
measure: {warmup: 1 us, duration: 2 us}
"""


class Reach(CliTest):
    def experiment(self, spec, more=""):
        path = self.tmp / "cut.yaml"
        path.write_text(EXPERIMENT % spec + more)
        return path

    def test_cut_fabrics_are_refused(self):
        for spec in CUT:
            with self.subTest(spec):
                for command in ("check", "load", "route"):
                    done = run(command, spec, "-r", "updown")
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("connected", done.stderr)
                    self.assertIn("--allow-unreachable", done.stderr)
                    self.assertEqual(done.stdout == "", command == "route")
                    self.ok(command, spec, "-r", "updown", "--allow-unreachable")
                self.refused("run", self.experiment(spec), "-o", self.tmp / "cut.db", says=["cut.yaml:1:", "connected", "allow_unreachable"])
                self.assertFalse((self.tmp / "cut.db").exists())

    def test_whole_fabrics_and_hosts_without_a_cable_pass(self):
        for spec in WHOLE:
            with self.subTest(spec):
                for command in ("check", "load", "route"):
                    done = run(command, spec, "-r", "updown")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    uncabled = self.json("check", spec, "-r", "updown")["unconnected"] > 0
                    self.assertEqual("no cable" in done.stderr, uncabled)
                out = self.ok("run", self.experiment(spec), "-o", self.tmp / "whole.db")
                self.assertEqual("no cable" in out, uncabled)
                (self.tmp / "whole.db").unlink()

    def test_route_writes_nothing(self):
        out = self.tmp / "cut.lft"
        self.ok("route", CUT[0], "-r", "updown", "--format", "lft", "-o", out, status=1)
        self.assertFalse(out.exists())
        self.ok("route", CUT[0], "-r", "updown", "--format", "lft", "-o", out, "--allow-unreachable")
        self.assertTrue(out.exists())
        self.ok("route", CUT[0], "--diff", "updown", "minimal", status=1)

    def test_comparisons_count_apart(self):
        """Also where several seeds are compared, and per phase of a workload."""
        for traffic in ("shift", "exchange", "exchange:phases=host,order=shift"):
            with self.subTest(traffic):
                for more in (("--seeds", "2"), ()):
                    done = run("load", CUT[0], "-r", "updown", "--traffic", traffic, "--allow-unreachable", *more)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertNotIn("not delivered", done.stdout + done.stderr)
        phases = self.json("load", CUT[0], "-r", "updown", "--traffic", "exchange:phases=host,order=shift", "--allow-unreachable")["workload"]["phases"]
        self.assertEqual({p["undelivered"] for p in phases}, {0})
        self.assertGreater(sum(p["unconnected"] for p in phases), 0)

    def test_counts_stay_apart(self):
        cut = ("karytree:k=2,n=2,fail=100%", "-r", "updown")
        for command in ("check", "load", "route"):
            o = self.json(command, *cut, "--allow-unreachable")
            self.assertEqual((o["undelivered"], o["unconnected"]), (0, 8), command)
        # The hosts' own switch has no entry for them: what the fabric connects is undelivered, the rest is not.
        table = self.tmp / "empty.lft"
        table.write_text(self.ok("route", "karytree:k=2,n=2,fail=sw0", "-r", "updown", "--format", "lft"))
        blocks = re.split(r"^(?=Unicast)", table.read_text(), flags=re.M)
        table.write_text("".join(re.sub(r".*Channel Adapter.*\n", "", b) if "('sw1')" in b else b for b in blocks))
        for command in ("check", "load", "route"):
            o = self.json(command, "karytree:k=2,n=2,fail=sw0", "-r", f"lft:path={table}", status=None)
            self.assertEqual((o["undelivered"], o["unconnected"]), (2, 10), command)

    def test_in_an_experiment(self):
        path, db = self.experiment(CUT[0], "allow_unreachable: true\n"), self.tmp / "cut.db"
        done = run("run", path, "-o", db)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("8 of 12 pairs of hosts are not connected", done.stderr)
        self.assertIn("unconnected", done.stdout)
        row = next(csv.DictReader(io.StringIO(self.ok("report", db, "--csv"))))
        self.assertEqual((row["undelivered"], row["unconnected"]), ("0", "8"))
        proof = self.json("report", db)["plans"][0]["proof"]
        self.assertEqual((proof["undelivered"], proof["unconnected"]), (0, 8))
        # The setting is none of a point's: nothing is run again, and an existing file is left alone by a refusal.
        before = db.read_bytes()
        self.refused("run", path, "-o", db, "--set", "allow_unreachable=false", says="not connected")
        self.assertEqual(db.read_bytes(), before)
        self.assertIn("1 of 1 point is finished", run("run", path, "-o", db).stderr)

    def test_every_fabric_is_looked_at_first(self):
        path, db = self.tmp / "two.yaml", self.tmp / "two.db"
        path.write_text(EXPERIMENT.replace('"%s"', '["karytree:k=2,n=2", "%s"]') % CUT[1])
        self.refused("run", path, "-o", db, says="two.yaml:1:30")
        self.assertFalse(db.exists())

    def test_one_value(self):
        path = self.experiment("karytree:k=2,n=2")
        self.refused("run", path, "--set", "allow_unreachable=[true,false]", says="one value for the whole experiment")
        self.refused("run", path, "--set", "allow_unreachable=maybe", says="allow_unreachable")
        self.refused("run", path, "--set", "allow_unreachabel=true", says="did you mean 'allow_unreachable'?")


if __name__ == "__main__":
    unittest.main()
