"""The sources stand as .clang-format says."""
import subprocess
import unittest

from harness import SOURCE


class Format(unittest.TestCase):
    def test_sources(self):
        done = subprocess.run([SOURCE / "tools/check_format.sh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + "tools/check_format.sh --fix puts most of it right\n")


if __name__ == "__main__":
    unittest.main()
