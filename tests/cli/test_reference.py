"""docs/reference/ says what the program says."""
import os
import subprocess
import sys
import unittest

from harness import IKAT, SOURCE, CliTest


class Reference(CliTest):
    def test_pages_are_current(self):
        subprocess.run([sys.executable, SOURCE / "tools/make_reference.py", os.path.abspath(IKAT), self.tmp], check=True)
        committed = SOURCE / "docs/reference"
        remedy = "make the reference again: python3 tools/make_reference.py build/release/ikat docs/reference"
        made = sorted(p.name for p in self.tmp.iterdir())
        self.assertEqual(made, sorted(p.name for p in committed.iterdir()), remedy)
        for name in made:
            self.assertEqual((self.tmp / name).read_bytes(), (committed / name).read_bytes(), f"{name} is out of date; {remedy}")

    def test_words_for_fuzzers(self):
        """The dictionary is one that libFuzzer reads, and names what experiments are made of."""
        made = subprocess.run([sys.executable, SOURCE / "tools/make_dictionary.py", os.path.abspath(IKAT)], capture_output=True, text=True,
                              check=True).stdout.splitlines()
        for line in made:
            self.assertRegex(line, r'^"([ !#-\[\]-~]|\\x[0-9a-f]{2})+"$')
        for word in ("schedule", "jobs", "designs", "measures", "over", "figures", "expect", "normalise_by", "heatmap", "tolerance", "warmup",
                     "static_saturation", "effective_bandwidth", "skip_misfits", "slimfly", "t_max", "least", "adaptive_tree"):
            self.assertIn(f'"{word}"', made)

    def test_seeds_of_fuzzers(self):
        """Experiments from which fuzzing begins are read, and what they are about is in them."""
        seeds = sorted((SOURCE / "tests/fuzz/corpus/yaml").glob("*.yaml"))
        text = "".join(seed.read_text() for seed in seeds)
        for section in ("schedule:", "jobs:", "designs:", "figures:", "expect:", "measures:", "over:", "find: saturation", "simulate: false", "stop:", "watch:"):
            self.assertIn(section, text)
        for seed in seeds:
            with self.subTest(seed=seed.name):
                self.assertLess(seed.stat().st_size, 4096)  # what the fuzzer takes
                self.ok("run", seed, "-o", self.tmp / f"{seed.stem}.db")


if __name__ == "__main__":
    unittest.main()
