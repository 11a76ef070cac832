"""Conventions that every command keeps: help, exit status, colours, list, examples."""
import re
import shlex
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest, run


ONE_LINE = {"COLUMNS": "100000"}  # paragraphs and examples that are not wrapped


def commands():
    return [stem.replace("_", "-") for stem in re.findall(r"^X\((\w+)\)", (SOURCE / "src/cli/commands.def").read_text(), re.M)]


class Basics(CliTest):
    def test_help_of_everything(self):
        overview = self.ok()
        for name in commands():
            self.assertIn(name, overview)
            self.assertTrue(self.ok("help", name).startswith(self.ok(name, "-h")))  # behind it a section of the same name
        for topic in ("specs", "units", "exit-status"):
            self.ok("help", topic)

    def test_every_member_has_a_page(self):
        families = self.json("list")
        self.assertGreaterEqual(len(families["topologies"]), 2)
        for members in families.values():
            for member in members:
                page = self.ok("help", member["name"], env=ONE_LINE)
                self.assertIn(member["summary"], page)
                for parameter in member["parameters"]:
                    self.assertIn(parameter["help"], page)

    def test_wrong_usage(self):
        self.refused("lsit", says="did you mean 'list'?")
        self.refused("list", "topologeis", says="did you mean 'topologies'?")
        self.refused("list", "--jsno", says="did you mean '--json'?")
        self.refused("list", "a", "b", says="one argument too many")
        self.refused("list", "--jobs", "none", says="--jobs")
        self.refused("list", "--jobs", says="needs a value")
        self.refused("list", "--json=1", says="takes no value")
        self.refused("help", "dmodkk", says="did you mean 'dmodk'?")
        self.refused("list", "--color", "blue", says="auto, always or never")

    def test_no_colours_into_a_pipe(self):
        self.assertNotIn("\033", self.ok("list"))
        self.assertIn("\033", self.ok("list", "--color=always"))
        self.assertNotIn("\033", run("lsit").stderr)

    def test_full_disk_is_said(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([IKAT, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("could not write", done.stderr)

    def test_version(self):
        self.assertRegex(self.ok("--version"), r"^ikat \d+\.\d+\.\d+\n$")

    def test_every_example_of_every_command_runs(self):
        for name in commands():
            page = self.ok(name, "-h", env=ONE_LINE)
            examples = page.split("\nExamples\n")
            self.assertEqual(len(examples), 2, f"{name} has no examples")
            for line in examples[1].splitlines():
                words = shlex.split(line)
                self.assertEqual(words[0], "ikat", line)
                done = run(*words[1:], cwd=self.workspace())
                self.assertIn(done.returncode, (0, 1), f"{line}\n{done.stderr}")

    def workspace(self):
        """A folder that looks like the source tree, to write into."""
        for folder in ("data", "experiments"):
            if not (self.tmp / folder).is_symlink():
                (self.tmp / folder).symlink_to(SOURCE / folder)
        return self.tmp


if __name__ == "__main__":
    unittest.main()
