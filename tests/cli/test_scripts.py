"""The two commands of the source tree: what one leaves behind does not stand in the way of the other."""
import re
import subprocess
import unittest

from harness import SOURCE, CliTest


LEAST = 300  # seconds
SLEEPS = r"(?m)^( *)time\.sleep\(.*\n(?: *\n)*\1(?:self\.assert|with self\.assert)"
LIMITS = r"(?:\btimeout=|monotonic\(\) \+ |patience=)([\d.]+)|assertLess\w*\(.*(?:monotonic|perf_counter|time\.time)\(\) - \w+, ([\d.]+)"


def on_time(text):
    """What in a test depends on how long something takes."""
    found = [match[0] for match in re.finditer(LIMITS, text) if float(match[1] or match[2]) < LEAST]
    return found + [match[0] for match in re.finditer(SLEEPS, text)]


class Waiting(unittest.TestCase):
    """Tests run beside others, on machines that may be ten times as busy: a limit only ends what hangs, and nothing is slept for."""

    def test_no_test_depends_on_time(self):
        for path in sorted([*(SOURCE / "tests/cli").glob("*.py"), *(SOURCE / "tests/python").glob("*.py")]):
            if path.name != "test_serve.py":  # it waits to see that nothing happens, which no load makes untrue
                with self.subTest(test=path.name):
                    self.assertEqual(on_time(path.read_text(encoding="utf-8")), [], "wait for a condition (CONTRIBUTING.md, Test)")

    def test_what_is_found(self):
        for text, found in (("run(x, timeout" + "=60)", True), ("run(x, timeout=600)", False), ("end = time.monotonic()" + " + 30", True),
                            ("self.assertLess(time.monotonic()" + " - began, 5)", True), ("  time.sleep(1)\n\n" + "  self.assertTrue(x)", True),
                            ("  while x:\n    time.sleep(1)\n  self.assertTrue(x)", False)):
            self.assertEqual(bool(on_time(text)), found, text)


class Scripts(CliTest):
    def configure(self, *more):
        done = subprocess.run(["cmake", "-S", SOURCE, "--preset", "release", "-B", self.tmp / "build", *more], cwd=SOURCE,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def count_tests(self):
        done = subprocess.run(["ctest", "-N"], cwd=self.tmp / "build", capture_output=True, text=True, check=True)
        return int(done.stdout.rsplit("Total Tests:", 1)[1])

    def test_check_finds_its_tests_in_the_folder_that_quickstart_left(self):
        quickstart = (SOURCE / "quickstart").read_text()
        self.assertIn("cmake --preset release -DIKAT_TESTS=OFF", quickstart)
        self.configure("-DIKAT_TESTS=OFF")
        self.assertEqual(self.count_tests(), 0)
        self.configure()
        self.assertGreater(self.count_tests(), 100)

    def test_check_refuses_words_that_it_does_not_know(self):
        done = subprocess.run([SOURCE / "check", "--fast"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: ./check [--quick|--all|FLOOR]; floors: analysis base", done.stderr)


if __name__ == "__main__":
    unittest.main()
