"""The package as it is installed below some prefix: it finds its own library there, and nothing of the build tree."""
import os
import shutil
import subprocess
import sys

from support import PythonTest, unittest

BUILD = os.environ.get("IKAT_BUILD", "build/release")


class Installed(PythonTest):
    def test_below_a_prefix(self):
        prefix = self.tmp / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        moved = self.tmp / "moved"
        shutil.move(prefix, moved)
        program = ("import ikat\nprint(ikat.__file__)\n"
                   "print({line.split()[-1] for line in open('/proc/self/maps') if 'libikat' in line})\n"
                   "print(ikat.Fabric('karytree:k=2,n=2').routing('dmodk').prove().deadlock_free)\n")
        done = subprocess.run([sys.executable, "-c", program], cwd=self.tmp, capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(moved / "lib/python3/dist-packages")})
        package, libraries, verdict = done.stdout.splitlines()
        self.assertTrue(package.startswith(str(moved)), package)
        self.assertTrue(libraries.startswith("{'" + str(moved)) and libraries.count(",") == 0, libraries)
        self.assertEqual(verdict, "True", done.stderr)
        folder = moved / "lib/python3/dist-packages/ikat"
        self.assertTrue((folder / "py.typed").exists())
        self.assertTrue((folder / "_native.pyi").exists())
        self.assertTrue((folder / "_native.abi3.so").exists())


if __name__ == "__main__":
    unittest.main()
