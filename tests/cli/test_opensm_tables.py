#!/usr/bin/env python3
"""Forwarding tables through a real subnet manager: OpenSM loads what ikat writes, gives the same tables back, and its own fat-tree
engine agrees with Dmodc on a complete tree."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

IKAT = os.environ["IKAT"]
SOURCE = pathlib.Path(os.environ["IKAT_SOURCE"])
sys.path.insert(0, str(SOURCE / "tools"))
import opensm  # noqa: E402


def ikat(*arguments):
    done = subprocess.run([IKAT, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"ikat {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


@unittest.skipUnless(opensm.available(), "opensm and ibsim are not installed")
class Tables(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.directory.name)
        self.fabric = self.path / "fabric.net"
        self.addCleanup(self.directory.cleanup)

    def difference(self, before, after):
        return json.loads(ikat("route", self.fabric, "--diff", before, after, "--json"))

    def load(self, spec, routing):
        ikat("topo", spec, "--format", "ibnetdiscover", "-o", self.fabric)
        tables = self.path / "tables.lft"
        ikat("route", self.fabric, "--routing", routing, "--format", "lft", "-o", tables)
        result = opensm.run(self.fabric, "file", self.path, tables)
        self.assertTrue(result["up"])
        self.assertEqual(result["engine"], "file")
        change = self.difference(routing, f"lft:path={result['tables']}")
        self.assertEqual((change["moved"], change["lost"], change["gained"]), (0, 0, 0))

    def test_damaged_tree(self):
        self.load("rlft:ports=8,levels=3,fail=3%", "dmodc")

    def test_parallel_cables(self):
        self.load("pgft:m=4:4,w=1:2,p=1:2", "dmodc")

    def test_torus(self):
        self.load("torus:dims=3:4", "updown")

    def test_fat_tree_engine_agrees(self):
        ikat("topo", "rlft:ports=8,levels=3", "--format", "ibnetdiscover", "-o", self.fabric)
        result = opensm.run(self.fabric, "ftree", self.path)
        self.assertEqual(result["engine"], "ftree")
        change = self.difference("dmodc", f"lft:path={result['tables']}")
        self.assertEqual((change["moved"], change["lost"], change["gained"]), (0, 0, 0))

    def test_benchmark(self):
        """bench/against_opensm: an engine with layers, one that gives up, a routing that OpenSM has not."""
        cases = ["dfsssp:dfsssp:jellyfish:N=16,d=4,p=1", "ftree:dmodc:rlft:ports=6,levels=2,fail=20%", "none:loren:lrt:N=16,d=3,r=2"]
        done = subprocess.run([sys.executable, SOURCE / "bench/against_opensm", "--json", "--load", "--build", pathlib.Path(IKAT).resolve().parent,
                               *cases], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        layered, tree, alone = json.loads(done.stdout)
        self.assertEqual((layered["opensm_engine"], tree["opensm_engine"]), ("dfsssp", "minhop"))
        self.assertGreater(layered["opensm_lanes"], 0)
        self.assertGreater(layered["opensm_max_load"], 0)
        self.assertIsNone(tree["opensm_max_load"])
        self.assertTrue(layered["opensm_s"] > 0 and tree["opensm_s"] >= 0)
        self.assertNotIn("engine", alone)
        self.assertGreater(alone["max_load"], 0)

    def bench(self, *arguments):
        done = subprocess.run([sys.executable, SOURCE / "bench/against_opensm", "--json", "--build", pathlib.Path(IKAT).resolve().parent,
                               *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_benchmark_parts(self):
        row, = self.bench("--part", "lanes", "--fabric", "torus:dims=5,p=2")["lanes"]
        self.assertEqual(row["opensm"]["lash"]["lanes"], 2)
        self.assertLessEqual(row["ikat"]["frugal frugal"]["lanes"], 2)
        row, = self.bench("--part", "audit", "--fabric", "rlft:ports=8,levels=2")["audit"]
        self.assertEqual((row["opensm_engine"], row["ikat"]["status"], row["ibdmchk"]["loop"]), ("ftree", 0, False))
        self.assertTrue(row["ikat"]["says"])


if __name__ == "__main__":
    unittest.main()
