"""The sources stand as .clang-format says, in files and functions of limited length."""
import subprocess
import unittest

from harness import SOURCE, CliTest


class Format(CliTest):
    def sizes(self, folder):
        return subprocess.run([SOURCE / "tools/check_sizes.py", folder], capture_output=True, text=True)

    def test_sources(self):
        done = subprocess.run([SOURCE / "tools/check_format.sh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + "tools/check_format.sh --fix puts most of it right\n")

    def test_files_and_functions_are_short(self):
        done = self.sizes(SOURCE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def names(self, folder):
        return subprocess.run([SOURCE / "tools/check_names.py", folder], capture_output=True, text=True)

    def test_functions_have_names_of_their_own(self):
        done = self.names(SOURCE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_functions_of_the_same_name_are_found(self):
        folder = self.tmp / "src" / "sim"
        folder.mkdir(parents=True)
        (folder / "one.c").write_text("static void one_create(void)\n{\n}\n\nstatic int next(int k,\n                int m)\n{\n    return k;\n}\n")
        self.assertEqual(self.names(self.tmp).returncode, 0)
        (folder / "other.c").write_text("int next(void)\n{\n    return 0;\n}\n")
        done = self.names(self.tmp)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"one.c:5: next() is also a function of {folder / 'other.c'}", done.stderr)

    def test_long_files_and_functions_are_found(self):
        folder = self.tmp / "src" / "sim" / "fast"
        folder.mkdir(parents=True)
        function = "static void f(void)\n{\n" + "    g();\n" * 58 + "}\n"
        (folder / "fits.c").write_text(function + "\n" * (600 - 61))
        self.assertEqual(self.sizes(self.tmp).returncode, 0)
        (folder / "lines.h").write_text("\n" * 601)
        (folder / "function.c").write_text("\n" + function.replace("{\n", "{\n    int k = 0;\n"))
        done = self.sizes(self.tmp)
        self.assertEqual(done.returncode, 1)
        self.assertIn("function.c:3: a function of 61 lines, at most 60", done.stderr)
        self.assertIn("lines.h: 601 lines, at most 600", done.stderr)
        self.assertNotIn("fits.c", done.stderr)


if __name__ == "__main__":
    unittest.main()
