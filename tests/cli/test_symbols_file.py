"""debian/libikat0.symbols lists the symbols of the shared library."""
import os
import pathlib
import re
import subprocess
import unittest

from harness import SOURCE, CliTest

BUILD = pathlib.Path(os.environ.get("IKAT_BUILD", SOURCE / "build/release"))
SYMBOLS = SOURCE / "debian/libikat0.symbols"
VERSION = re.search(r"^project\(ikat VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
REMEDY = f"tools/make_symbols.sh build/release/libikat.so debian/libikat0.symbols {VERSION} > new && mv new debian/libikat0.symbols"


class SymbolsFile(CliTest):
    def made(self, old, version=VERSION):
        return subprocess.run([SOURCE / "tools/make_symbols.sh", BUILD / "libikat.so", old, version], capture_output=True, text=True,
                              check=True).stdout

    def test_list_is_current(self):
        self.assertTrue(self.made(SYMBOLS) == SYMBOLS.read_text(), f"debian/libikat0.symbols is out of date: {REMEDY}")

    def test_symbols_keep_the_version_that_brought_them(self):
        old = self.tmp / "symbols"
        old.write_text("".join(line for line in SYMBOLS.read_text().splitlines(True) if "ik_about@" not in line))
        lines = self.made(old, "7.0").splitlines()
        self.assertEqual([line for line in lines if line.endswith(" 7.0")], [" ik_about@IK_0 7.0"])
        self.assertIn(" ik_fabric_free@IK_0 0.1.0", lines)
        old.write_text("")
        self.assertTrue(all(line.endswith(" 7.0") for line in self.made(old, "7.0").splitlines()[2:]))


if __name__ == "__main__":
    unittest.main()
