"""docs/reference/ says what the program says; the man page is well-formed."""
import os
import shutil
import subprocess
import sys
import unittest

from harness import IKAT, SOURCE, CliTest


class Reference(CliTest):
    def test_pages_are_current(self):
        subprocess.run([sys.executable, SOURCE / "tools/make_reference.py", os.path.abspath(IKAT), self.tmp], check=True)
        committed = SOURCE / "docs/reference"
        made = sorted(p.name for p in self.tmp.iterdir())
        self.assertEqual(made, sorted(p.name for p in committed.iterdir()))
        for name in made:
            self.assertEqual((self.tmp / name).read_bytes(), (committed / name).read_bytes(),
                             f"{name} is out of date: run tools/make_reference.py build/release/ikat docs/reference")

    def test_man_page(self):
        page = subprocess.run([sys.executable, SOURCE / "tools/make_man.py", os.path.abspath(IKAT)], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn(".Sh EXIT STATUS", page)
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is not installed")
        path = self.tmp / "ikat.1"
        path.write_text(page)
        lint = subprocess.run(["mandoc", "-Tlint", "-Werror", path], capture_output=True, text=True, check=False)
        self.assertEqual(lint.returncode, 0, lint.stdout)


if __name__ == "__main__":
    unittest.main()
