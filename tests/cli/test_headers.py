"""Every public header compiles alone, as C17 and as C++17, without a warning."""
import pathlib
import shutil
import subprocess
import unittest

from harness import SOURCE

FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{SOURCE / 'include'}"]


class Headers(unittest.TestCase):
    def compile(self, compiler, standard, language):
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        headers = sorted(pathlib.Path(SOURCE / "include/ikat").glob("*.h"))
        self.assertGreater(len(headers), 10)
        for header in headers:
            done = subprocess.run([compiler, f"-std={standard}", "-x", language, *FLAGS, header], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_c(self):
        self.compile("cc", "c17", "c")

    def test_cpp(self):
        self.compile("c++", "c++17", "c++")


if __name__ == "__main__":
    unittest.main()
