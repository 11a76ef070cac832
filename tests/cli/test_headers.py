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

    def compiles(self, entry, text, without):
        """Compiles a source of this text as the build compiles it, without these words of the command line."""
        words = [word for word in shlex.split(entry["command"]) if word not in {*without, "-c", entry["file"]}]
        out = words.index("-o")
        words = [*words[:out], *words[out + 2:], f"-I{pathlib.Path(entry['file']).parent}"]
        done = subprocess.run([*words, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-xc", "-"], input=text,
                              cwd=entry["directory"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{entry['file']}\n{done.stderr}")

    def test_without_what_need_not_be_there(self):
        """What stands behind an #ifdef of a library that the build has found, and what is for processors of this kind alone."""
        build = pathlib.Path(os.environ.get("IKAT_BUILD", SOURCE / "build/release"))
        commands = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
                    if "/src/" in entry["file"]}
        libraries, machines = 0, 0
        for name, entry in commands.items():
            text = pathlib.Path(name).read_text(encoding="utf-8")
            without = {f"-D{macro}" for macro in re.findall(r"^# *ifn?def (IKAT_\w+)$", text, re.M)} & set(shlex.split(entry["command"]))
            if without:
                libraries += 1
                self.compiles(entry, text, without)
            if re.search(r"^#.*defined\(__(x86_64|aarch64)__\)", text, re.M):
                machines += 1
                self.compiles(entry, re.sub(r"defined\(__(x86_64|i386|aarch64)__\)", "0", text), ())
        self.assertGreater(machines, 2)
        if not libraries:
            self.skipTest("the build has none of the libraries")


if __name__ == "__main__":
    unittest.main()
