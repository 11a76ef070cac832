"""The two commands of the source tree: what one leaves behind does not stand in the way of the other."""
import subprocess
import unittest

from harness import SOURCE, CliTest


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
