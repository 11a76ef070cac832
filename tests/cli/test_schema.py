"""What commands declare of their --json: every output that a test of the command line reads with CliTest.json() is compared with it;
here are outputs with what is rare, the schema files, and the comparison itself."""
import json
import os
import subprocess
import sys
import unittest

import harness

CLUSTER = ("data/cluster96.ibnetdiscover", "--lfts", "data/cluster96.lfts")
RING5 = "tests/data/counters/ring5."
RARE = [("audit", *CLUSTER), ("audit", RING5 + "ibnetdiscover", "--counters", RING5 + "data1", "--counters-later", RING5 + "data2", "--interval", "10s"),
        ("audit", "file:path=data/cluster96.ibnetdiscover,fail=0x0200c9a000ec0060", *CLUSTER[1:]), ("audit", "karytree:k=2,n=3", "--plan", "torus:dims=3:4"),
        ("audit", "ring:n=5", "--routing", "none"), ("check", "ring:n=5", "-r", "minimal:paths=one", "--vc", "1q"), ("check", "mesh:dims=2:3", "-r", "minimal", "--vc", "escape:routing=dor"),
        ("check", "mesh:dims=2:3", "-r", "dor", "--sample", "4"), ("check", "mesh:dims=1:4,fail=sw1.3", "-r", "updown"), ("check", "dragonfly:h=2,fail=sw0.6", "-r", "minimal"),
        ("deploy", "karytree:k=2,n=3,fail=sw0", "-r", "dmodc", "-o", "OUT/tree"), ("deploy", "karytree:k=2,n=3", "--from", "OUT/tree", "-r", "dmodc", "-o", "OUT/new"),
        ("deploy", "ring:n=5,p=2", "-r", "dfsssp", "-o", "OUT/lanes"), ("deploy", "ring:n=5", "-r", "frugal", "-o", "OUT/frugal"),
        ("verify-deployed", "OUT/tree", "--lfts", "OUT/new/lfts", "--fabric", "karytree:k=2,n=3"), ("verify-deployed", "OUT/new", "--lfts", "OUT/new/lfts"),
        ("topo", "slimfly:q=5,p=1", "--all"), ("topo", "crossbar:n=4", "--all"), ("topo", "mesh:dims=1:4,fail=sw1.3"), ("topo", "pgft:m=2:2,w=2:2,p=1:2", "--all"),
        ("topo", "data/cluster96.ibnetdiscover"), ("failures", "karytree:k=2,n=3"), ("failures", *CLUSTER, "-r", "dmodc"), ("failures", "mesh:dims=1:4", "-r", "dor"),
        ("design", "--hosts", "20", "--radix", "8", "-b"), ("design", "--hosts", "20", "--radix", "8", "--rails", "2", "--fail", "2%", "-w", "exchange", "--simulate"), ("watch", "--once", "--fabric-command", f"cat {CLUSTER[0]}", "--lfts-command", f"cat {CLUSTER[2]}"), ("watch", "--once", "--fabric-command", f"cat {CLUSTER[0]}")]


class SchemaTest(harness.CliTest):
    """Declared, printed, shipped."""

    def test_what_is_printed_is_declared(self):
        seen = {}
        for args in RARE:
            with self.subTest(args=args):
                value = self.json(*[a.replace("OUT", str(self.tmp)) for a in args], status=None)
                self.assertEqual(next(iter(value)), "version")
                seen.setdefault(args[0], []).append(value)
        (self.tmp / "small.yaml").write_text("fabric: ring:n=4\nrouting: updown\nmeasure: {warmup: 1 us, duration: 2 us}\n")
        self.ok("run", self.tmp / "small.yaml", "-o", self.tmp / "small.db")
        (self.tmp / "sbatch").write_text("#!/bin/sh\necho 7\n")
        (self.tmp / "sbatch").chmod(0o755)
        seen["status"] = [self.json("status", self.tmp / "small.db")]
        seen["serve"] = [self.json("serve", self.tmp / "small.db", "--for", "0.1 s")]
        seen["submit"] = [self.json("submit", self.tmp / "small.yaml", "--tasks", 1, "-o", self.tmp / "sweep.db", env={**os.environ, "PATH": str(self.tmp)})]
        self.assertEqual(set(seen), set(harness.schemas()))
        for name, values in seen.items():
            missing = set(harness.schemas()[name]["properties"]) - set().union(*values)
            self.assertLessEqual(missing, {"note"}, name)

    def test_every_report_has_the_version(self):
        for args in (("load", "ring:n=4", "-r", "updown"), ("load", "ring:n=4", "-r", "updown", "-r", "minimal"), ("route", "ring:n=4", "-r", "updown"),
                     ("route", "ring:n=4", "--diff", "updown", "minimal:paths=one"), ("compare", "ring:n=4", "mesh:dims=2:2"), ("compare", "slimfly", "--scale", "4..5"),
                     ("record", "--show", "data/halo16.ikrec")):
            self.assertEqual(self.json(*args, status=None)["version"], 1, args)

    def test_the_comparison_finds_differences(self):
        """Each member taken away, of another kind, or added is found, at any depth."""
        schema, value = harness.schemas()["audit"], self.json("audit", *CLUSTER, status=None)
        for path in ((), ("installed",), ("findings", 0), ("installed", "balance", 0)):
            for change in ("gone", "more", "kind"):
                broken = json.loads(json.dumps(value))
                at = broken
                for step in path:
                    at = at[step]
                name = next(n for n in at if at[n] is not None)
                if change == "gone":
                    del at[name]
                elif change == "more":
                    at["surprise"] = 1
                else:
                    at[name] = {"of": "another kind"}
                self.assertEqual(len(harness.schema_errors(schema, broken)), 1, (path, change))
        self.assertEqual(harness.schema_errors({"type": "integer"}, True), ["$: True is no integer"])

    def test_help_and_files_have_what_is_declared(self):
        subprocess.run([sys.executable, harness.SOURCE / "tools/make_schema.py", harness.IKAT, self.tmp / "schema"], check=True)
        files = {p.name.removesuffix(".schema.json"): json.loads(p.read_text()) for p in (self.tmp / "schema").iterdir()}
        self.assertEqual(files, harness.schemas())
        for name, schema in files.items():
            shown = " ".join(self.ok(name, "-h").split("With --json: ")[1].split("\n\n")[0].split())
            names = [member for member in schema["properties"]]
            at = 0
            for member in names:  # in this order
                at = shown.index(member, at)
            self.assertGreater(at, 0)


if __name__ == "__main__":
    unittest.main()
