"""The wheel that `pip install ./python` makes: what is in it, how it is installed, which library it loads, and what pip says where
something is missing. The build under test is used (IKAT_BUILD); `./check --all` also makes a wheel without any build, of a copy of
the tree. Nothing may be asked of the network."""
import base64
import csv
import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(os.environ.get("IKAT_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("IKAT_BUILD", "build/release")).resolve()
CHILD = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "IKAT_BUILD", "SOURCE_DATE_EPOCH")}
CHILD.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_CACHE_DIR="1", LC_ALL="C.UTF-8")
VERSION = next(line.split()[2] for line in (SOURCE / "CMakeLists.txt").read_text().splitlines() if line.startswith("project(ikat"))
USE = """
import ikat
print(ikat.__file__)
print({line.split()[-1] for line in open("/proc/self/maps") if "libikat" in line})
print(ikat.Fabric("karytree:k=2,n=2").routing("dmodk").prove().deadlock_free, ikat.__version__)
"""


def call(*command, **more):
    """Runs a program; returns its exit status and all that it printed."""
    done = subprocess.run([*map(str, command)], env={**CHILD, **more}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ikat-wheel-")
        cls.addClassCleanup(folder.cleanup)
        cls.tmp = pathlib.Path(folder.name)
        status, said = call(sys.executable, "-m", "venv", "--system-site-packages", cls.tmp / "venv")
        if status:
            raise unittest.SkipTest(f"no virtual environment can be made (python3-venv):\n{said}")
        cls.pip = cls.tmp / "venv/bin/pip"
        cls.wheel = cls.made(cls.tmp / "first")

    @classmethod
    def made(cls, folder, tree=SOURCE, **more):
        """Makes a wheel by pip, with its usual isolation; returns its file."""
        status, said = call(cls.pip, "wheel", "--no-deps", "-w", folder, tree / "python", **{"IKAT_BUILD": str(BUILD), **more})
        assert status == 0, said
        found, = folder.glob("*.whl")
        return found

    def refused(self, *says, command="wheel", **more):
        """Expects that no wheel is made, and that pip shows these words."""
        status, said = call(self.pip, command, "--no-deps", "-w", self.tmp / "refused", SOURCE / "python", **more)
        self.assertNotEqual(status, 0, said)
        for word in says:
            self.assertIn(word, said)
        self.assertNotIn("Traceback", said)

    def test_contents(self):
        tag = f"cp{sys.version_info[0]}{sys.version_info[1]}-abi3-linux_{platform.machine()}"
        self.assertEqual(self.wheel.name, f"ikat-{VERSION}-{tag}.whl")
        with zipfile.ZipFile(self.wheel) as wheel:
            files = {name: wheel.read(name) for name in wheel.namelist()}
            self.assertEqual({entry.date_time for entry in wheel.infolist()}, {(1980, 1, 1, 0, 0, 0)})
        info = f"ikat-{VERSION}.dist-info"
        package = {f"ikat/{path.name}" for path in (SOURCE / "python/ikat").iterdir() if path.suffix != "" and path.name != "__pycache__"}
        self.assertEqual(set(files), package | {"ikat/_native.abi3.so", "ikat/libikat.so.0"} | {
            f"{info}/{name}" for name in ("LICENSE", "METADATA", "RECORD", "WHEEL")})
        self.assertEqual(list(files), [*sorted(set(files) - {f"{info}/RECORD"}), f"{info}/RECORD"])
        rows = {row[0]: row[1:] for row in csv.reader(files[f"{info}/RECORD"].decode().splitlines())}
        self.assertEqual(rows.pop(f"{info}/RECORD"), ["", ""])
        for name, (digest, size) in rows.items():
            self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("="))
            self.assertEqual(int(size), len(files[name]))
        self.assertEqual(len(rows) + 1, len(files))
        self.assertIn(f"Tag: {tag}", files[f"{info}/WHEEL"].decode().splitlines())
        for line in ("Name: ikat", f"Version: {VERSION}", "License: Apache-2.0", "Requires-Python: >=3.11", "Provides-Extra: plots"):
            self.assertIn(line, files[f"{info}/METADATA"].decode().splitlines())

    def test_the_same_build_gives_the_same_bytes(self):
        self.assertEqual(self.made(self.tmp / "second").read_bytes(), self.wheel.read_bytes())
        with zipfile.ZipFile(self.made(self.tmp / "dated", SOURCE_DATE_EPOCH="1700000000")) as wheel:
            self.assertEqual({entry.date_time for entry in wheel.infolist()}, {(2023, 11, 14, 22, 13, 20)})

    def used(self, python, **more):
        """Imports the installed package outside of the tree; it loads its own library."""
        done = subprocess.run([python, "-c", USE], cwd=self.tmp, env={**CHILD, **more}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        package, libraries, verdict = done.stdout.splitlines()
        folder = pathlib.Path(package).parent
        self.assertTrue(folder.is_relative_to(self.tmp), package)
        self.assertEqual(libraries, str({str(folder / "libikat.so.0")}))
        self.assertEqual(verdict, f"True {VERSION}")

    def test_installed(self):
        status, said = call(self.pip, "install", self.wheel)
        self.assertEqual(status, 0, said)
        python = self.tmp / "venv/bin/python"
        self.used(python)
        other = self.tmp / "other"  # what is no library would be an error if it were opened
        other.mkdir()
        (other / "libikat.so.0").write_text("")
        self.used(python, LD_LIBRARY_PATH=str(other))
        self.assertNotIn("ikat", call(self.pip, "check")[1])  # it names what lacks what it needs
        status, said = call(self.pip, "uninstall", "-y", "ikat")
        self.assertEqual(status, 0, said)
        self.assertFalse(any(self.tmp.glob("venv/lib/python3*/site-packages/ikat*")))

    def test_what_is_missing_is_named(self):
        tools = self.tmp / "tools"
        tools.mkdir()
        for name in ("ninja", "pkg-config"):
            (tools / name).symlink_to("/bin/true")
        self.refused("missing: cmake, a C compiler", "apt install cmake gcc libc6-dev", "tools/install_dependencies.sh python",
                     PATH=str(tools), CC="")

    def test_builds_that_cannot_be_used(self):
        self.refused("is no build folder", "cmake --preset release", IKAT_BUILD=str(self.tmp))
        other = self.tmp / "foreign"
        other.mkdir()
        (other / "CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/nowhere\n")
        self.refused(f"{other} is a build of /nowhere, not of {SOURCE}", IKAT_BUILD=str(other))
        (other / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={SOURCE}\n")
        self.refused("was configured without the Python package", IKAT_BUILD=str(other))

    def test_no_source_distribution(self):
        done = subprocess.run([sys.executable, "-c", "import build_wheel; build_wheel.build_sdist('.')"], cwd=SOURCE / "python",
                              env={**CHILD, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("pip wheel --no-deps", done.stderr)

    @unittest.skipUnless(os.environ.get("IKAT_TEST_ALL"), "compiles the library once more: ./check --all")
    def test_without_a_build(self):
        sys.path.insert(0, str(SOURCE / "tests/cli"))
        from test_packages import export  # pylint: disable=import-outside-toplevel
        tree = self.tmp / "tree"
        export(tree)
        status, said = call(self.pip, "install", "--target", self.tmp / "target", "--no-deps", tree / "python")
        self.assertEqual(status, 0, said)
        self.used(sys.executable, PYTHONPATH=str(self.tmp / "target"))


if __name__ == "__main__":
    unittest.main()
