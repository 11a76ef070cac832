"""docs/readings.md is what tools/make_readings.py finds, of the experiments that take seconds; a reading that changes nothing in the text of its experiment is refused."""
import json
import re
import subprocess
import sys
import unittest

from harness import IKAT, SOURCE, CliTest

SHORT = ("000/cg", "003/destinations")


class Readings(CliTest):
    def make(self, *only):
        return subprocess.run([sys.executable, SOURCE / "tools/make_readings.py", IKAT, self.tmp / "results", *(f"--only={o}" for o in only)],
                              capture_output=True, text=True, timeout=600)

    def sections(self, text):
        return {m[1]: m[0].strip() for m in re.finditer(r"^### (\S+: .*)$(?:\n(?!##).*)*", text, re.M)}

    def test_short_ones(self):
        done = self.make(*SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        made, recorded = self.sections(done.stdout), self.sections((SOURCE / "docs/readings.md").read_text(encoding="utf-8"))
        self.assertEqual(len(made), len(SHORT))
        for title, text in made.items():
            self.assertEqual(text, recorded.get(title))

    def test_all_are_recorded(self):
        """Every reading of the list has a row in the document, and replaces something that its experiment has."""
        recorded = self.sections((SOURCE / "docs/readings.md").read_text(encoding="utf-8"))
        listed = json.loads((SOURCE / "experiments/papers/readings.json").read_text(encoding="utf-8"))
        self.assertEqual(sorted(recorded), sorted(f"{one['study']}: {one['choice']}" for one in listed))
        for one in listed:
            text = (SOURCE / f"experiments/papers/{one['study']}.yaml").read_text(encoding="utf-8")
            for reading in one["readings"]:
                with self.subTest(one["study"], reading=reading["name"]):
                    self.assertIn(f"\n| {reading['name']} |", recorded[f"{one['study']}: {one['choice']}"])
                    for old, new in reading["replace"]:
                        self.assertIn(old, text)
                        self.assertNotEqual(old, new)


if __name__ == "__main__":
    unittest.main()
