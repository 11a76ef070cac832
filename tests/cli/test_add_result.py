"""The row in docs/howto/add-a-result.md, as a newcomer adds it: one row, and every output has the result."""
import csv
import io
import json
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from harness import IKAT, SOURCE, CliTest, sanitized

ROWS = "src/experiment/figures/results.def"
EXPERIMENT = """\
fabric: karytree:k=2,n=2
routing: dmodk
load: [20%, 60%]
measure: {warmup: 2 us, duration: 5 us}
figures:
  - {name: share, x: load, y: delivered_share / throughput}
expect:
  - {claim: all, metric: delivered_share, of: {load: 20%}, op: ">", value: 50 %}
"""
BUILD = pathlib.Path(IKAT).resolve().parent
PARTS = [BUILD / "CMakeFiles/ikat_objects.dir", BUILD / "CMakeFiles/ikat.dir"]  # objects of the library and of the command


class AddResult(CliTest):
    def build(self):
        """An ikat of which only the files that the rows are read by are compiled anew, with the row of the page."""
        row = re.search(r"^```text\n(.*?)^```", (SOURCE / "docs/howto/add-a-result.md").read_text(), re.M | re.S)[1]
        rows = self.tmp / pathlib.Path(ROWS).relative_to("src")
        rows.parent.mkdir(parents=True)
        text = (SOURCE / ROWS).read_text()
        rows.write_text(text.replace("\n/* Every point has this one", f"\n{row}\n/* Every point has this one"))
        self.assertNotEqual(rows.read_text(), text)
        compiler = [*shlex.split(os.environ.get("CC", "cc")), "-std=c17", "-O0", "-D_DEFAULT_SOURCE", "-D_POSIX_C_SOURCE=200809L", '-DIKAT_VERSION="0.1.0"', f"-I{self.tmp}",
                    f"-I{BUILD}/generated", f"-I{SOURCE}/include", f"-I{SOURCE}/src", f"-I{SOURCE}/src/cli",
                    *subprocess.run(["pkg-config", "--cflags", "cairo"], capture_output=True, text=True, check=True).stdout.split()]
        files = [f for folder in ("experiment", "report", "cli") for f in sorted((SOURCE / "src" / folder).rglob("*.c"))]

        def compile_one(file):
            """The object of a file that reads the rows, and the place of its own in the build."""
            if "results.def" not in subprocess.run([*compiler, "-MM", file], capture_output=True, text=True, check=True).stdout:
                return None
            made = self.tmp / f"{file.parent.name}.{file.stem}.o"
            done = subprocess.run([*compiler, "-c", file, "-o", made], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return f"{file.relative_to(SOURCE)}.o", made
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            made = dict(filter(None, pool.map(compile_one, files)))
        objects = list(made.values())
        current = set(re.findall(r"^build (\S+\.o):", (BUILD / "build.ninja").read_text(), re.M))  # the folder also keeps objects of files that are no more
        for part in PARTS:
            objects += [o for o in sorted(part.rglob("*.o")) if str(o.relative_to(part)) not in made and str(o.relative_to(BUILD)) in current]
        needed = re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", IKAT], capture_output=True, text=True, check=True).stdout)
        libraries = [f"-l:{n}" for n in needed if "ikat" not in n and "ld-linux" not in n]
        ikat = self.tmp / "ikat"
        done = subprocess.run([*compiler, *objects, *libraries, "-lpthread", "-o", ikat], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return ikat

    @unittest.skipUnless(os.environ.get("IKAT_TEST_ALL"), "compiles a third of ikat: with IKAT_TEST_ALL=1")
    @unittest.skipUnless(PARTS[0].exists() and not sanitized(), "not beside the release build")
    def test_the_row_of_the_page(self):
        ikat, store = self.build(), self.tmp / "a.db"
        (self.tmp / "a.yaml").write_text(EXPERIMENT)

        def ask(*args):
            done = subprocess.run([ikat, *map(str, args)], capture_output=True, text=True, check=False, cwd=SOURCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        old = self.tmp / "old.db"
        (self.tmp / "old.yaml").write_text(EXPERIMENT[:EXPERIMENT.index("figures")])
        self.ok("run", self.tmp / "old.yaml", "-q", "-o", old)  # by the ikat without the row
        ask("run", self.tmp / "a.yaml", "-q", "-o", store)
        for row in csv.DictReader(io.StringIO(ask("report", store, "--csv"))):
            self.assertAlmostEqual(float(row["delivered_share"]), float(row["packets_delivered"]) / float(row["packets_generated"]), places=6)
        points = json.loads(ask("report", store, "--json"))["points"]
        self.assertTrue(all(0.5 < p["delivered_share"] <= 1 for p in points))
        self.assertIn("Packets delivered of all / accepted throughput", ask("report", store, "--figure", "share"))
        self.assertIn("Packets that were delivered over those that were made", ask("help", "delivered_share"))
        with sqlite3.connect(store) as db:
            self.assertEqual(db.execute("SELECT count(delivered_share) FROM points").fetchone(), (2,))
        db.close()
        # each reads the files of the other
        self.assertEqual({r["delivered_share"] for r in csv.DictReader(io.StringIO(ask("report", old, "--csv")))}, {""})
        self.assertNotIn("delivered_share", self.ok("report", old, "--csv"))


if __name__ == "__main__":
    unittest.main()
