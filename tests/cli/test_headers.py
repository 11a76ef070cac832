"""Every public header compiles alone, as C17 and as C++17, without a warning; sources compile without the libraries that need not be there."""
import json
import os
import pathlib
import re
import shlex
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

    def test_without_optional_libraries(self):
        """What stands behind an #ifdef of a library that the build has found is compiled without it as well."""
        build = pathlib.Path(os.environ.get("IKAT_BUILD", SOURCE / "build/release"))
        asked = {str(path): set(re.findall(r"^# *ifn?def (IKAT_\w+)$", path.read_text(encoding="utf-8"), re.M)) - {"IKAT_RECORDER_FOLDER"}
                 for path in (SOURCE / "src").rglob("*.c")}
        tried = {}
        for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
            words = shlex.split(entry["command"])
            found = {name for name in asked.get(entry["file"], ()) if f"-D{name}" in words}
            if not found or entry["file"] in tried:
                continue
            tried[entry["file"]] = found
            words = [word for word in words if word not in {f"-D{name}" for name in found} and word != "-c"]
            out = words.index("-o")
            done = subprocess.run([*words[:out], *words[out + 2:], "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"],
                                  cwd=entry["directory"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        if not tried:
            self.skipTest("the build has none of them")
        self.assertIn({"IKAT_OTF2"}, tried.values())


if __name__ == "__main__":
    unittest.main()
