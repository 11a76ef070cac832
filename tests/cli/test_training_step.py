"""The generator of Chakra traces: what it writes is what stands in the tree, and runs as the same collective runs without a trace."""
import csv
import io
import subprocess
import sys
import unittest

from harness import SOURCE, CliTest, run

GENERATOR = SOURCE / "tools" / "make_training_step.py"


def generate(folder, *options):
    return subprocess.run([sys.executable, GENERATOR, folder, *map(str, options)], capture_output=True, text=True, check=False)


class TrainingStep(CliTest):
    def same_files(self, folder, *options):
        self.assertEqual(generate(self.tmp / "again", *options).returncode, 0)
        expected = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.assertEqual({path.name: path.read_bytes() for path in (self.tmp / "again").iterdir()}, expected)
        self.assertGreater(len(expected), 3)

    def test_step_of_the_documents(self):
        self.same_files(SOURCE / "experiments" / "training_step", "--ranks", 16, "--bytes", 4000000, "--layers", 8, "--buckets", 4,
                        "--forward", 20, "--backward", 40, "--update", 60)

    def test_step_of_the_tests(self):
        self.same_files(SOURCE / "tests" / "data" / "programs" / "step", "--ranks", 4, "--bytes", 6000, "--layers", 2, "--buckets", 2,
                        "--forward", 3, "--backward", 6, "--update", 2, "--model", 2, "--activation", 512)

    def completions(self, bytes_of_all, fabric):
        (self.tmp / "one.yaml").write_text(f"""
fabric: "{fabric}"
routing: dmodk
traffic: ["program:trace=one,allreduce=ring", "collective:allreduce,algorithm=ring,bytes={bytes_of_all} B,processes=8",
          "program:trace=one,allreduce=halving_doubling", "collective:allreduce,algorithm=halving_doubling,bytes={bytes_of_all} B,processes=8"]
measure: {{until: delivered, at_most: 1 s}}
""")
        self.ok("run", "one.yaml", "-o", "one.db", cwd=self.tmp)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", "one.db", "--csv", cwd=self.tmp))))
        return [row["completion_ns"] for row in rows]

    def test_collective_alone(self):
        """Ends at the same picosecond as traffic 'collective', also where the vector does not divide."""
        for size in (64000, 65537):
            self.assertEqual(generate(self.tmp / "one", "--ranks", 8, "--bytes", size).returncode, 0)
            ring, ring_alone, halving, halving_alone = self.completions(size, "xgft:m=4:4,w=1:2")
            self.assertEqual(ring, ring_alone)
            self.assertEqual(halving, halving_alone)
            self.assertNotEqual(ring, halving)

    def test_overlap(self):
        """More buckets end earlier: their collectives overlap with the computation of the layers before."""
        ends = []
        for buckets in (1, 8):
            name = f"step{buckets}"
            self.assertEqual(generate(self.tmp / name, "--ranks", 8, "--bytes", 800000, "--layers", 8, "--buckets", buckets,
                                      "--backward", 10).returncode, 0)
            self.ok("replay", name, "--fabric", "xgft:m=4:4,w=1:4", "--routing", "dmodk", "--collective", "allreduce=ring", "-o", f"{name}.db",
                    cwd=self.tmp)
            rows = list(csv.DictReader(io.StringIO(self.ok("report", f"{name}.db", "--csv", cwd=self.tmp))))
            ends.append(float(rows[0]["completion_ns"]))
        self.assertGreater(ends[0], 150000)  # 80 us of computation, then 112 us of messages at 100 Gb/s
        self.assertLess(ends[1], 0.75 * ends[0])

    def test_wrong_options(self):
        for options in (("--ranks", 0), ("--buckets", 3), ("--model", 3, "--activation", 8), ("--activation", 8), ("--bytes", 0), ("--forward", -1)):
            self.assertEqual(generate(self.tmp / "wrong", *options).returncode, 2, options)
        self.assertFalse((self.tmp / "wrong").exists())

    def test_broken_trace(self):
        """Refused with its file, not run; a rank whose file is missing, too."""
        self.assertEqual(generate(self.tmp / "cut", "--ranks", 8, "--bytes", 64000).returncode, 0)
        path = self.tmp / "cut" / "step.3.et"
        path.write_bytes(path.read_bytes()[:-5])
        replay = ("--fabric", "xgft:m=4:4,w=1:2", "--routing", "dmodk")
        self.refused("replay", "cut", *replay, says=("step.3.et:2", "ends within message 2"), cwd=self.tmp)
        path.unlink()
        self.refused("replay", "cut", *replay, says="none of rank 3", cwd=self.tmp)
        done = run("replay", "cut/step.0.et", *replay, cwd=self.tmp)
        self.assertEqual(done.returncode, 2, done.stderr)  # one rank alone has no message


if __name__ == "__main__":
    unittest.main()
