"""Conventions that every command keeps: help, exit status, colours, list, examples."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from harness import IKAT, SOURCE, CliTest, run, sanitized
from kept import run_kept


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
        for word in ("--version", "-V", "version"):
            self.assertRegex(self.ok(word), r"^ikat \d+\.\d+\.\d+\n$")

    def examples(self, name):
        """Words of the examples in a command's help."""
        page = self.ok(name, "-h", env=ONE_LINE)
        examples = page.split("\nExamples\n")
        self.assertEqual(len(examples), 2, f"{name} has no examples")
        for line in examples[1].splitlines():
            words = shlex.split(line)
            self.assertEqual(words[0], "ikat", line)
            yield words[1:]

    def test_every_example_of_every_command_runs(self):
        for name in commands():
            for words in self.examples(name):
                folder = self.workspace()
                done = run_kept(words, "reproductions", folder) if words == ["reproduce", "000/fig2b"] else run(*words, cwd=folder)
                self.assertIn(done.returncode, (0, 1), f"{words}\n{done.stderr}")

    def test_every_command_says_that_its_output_is_full(self):
        """What prints says so, and what is written into files is as if it had been printed."""
        told = set()
        for name in commands():
            words = next(iter(self.examples(name)))
            done = run(*words, cwd=self.workspace())
            if "-o" in words and (self.tmp / words[-1]).is_dir():
                shutil.rmtree(self.tmp / words[-1])
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                again = subprocess.run([IKAT, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=self.tmp)
                if done.stdout:
                    self.assertEqual(again.returncode, 2, again.stderr)
                    self.assertIn("could not write the output: No space left on device", again.stderr)
                    told.add(name)
                else:
                    self.assertEqual(again.returncode, done.returncode, again.stderr)
        self.assertGreater(len(told), 10)

    def test_a_pipe_is_read_as_a_file(self):
        """A named pipe, as of process substitution, is read to its end; a results file must be a file."""
        data = SOURCE / "data"
        for suffix, words in ((".ibnetdiscover", ("topo", "PIPE")), (".ibnetdiscover", ("audit", "PIPE", "--lfts", data / "cluster96.lfts")),
                              (".lfts", ("audit", data / "cluster96.ibnetdiscover", "--lfts", "PIPE"))):
            with self.subTest(words):
                pipe, file = self.tmp / f"pipe{suffix}", data / f"cluster96{suffix}"
                os.mkfifo(pipe)
                expected = run(*[file if word == "PIPE" else word for word in words])
                self.assertIn(expected.returncode, (0, 1), expected.stderr)
                with subprocess.Popen(["cp", file, pipe]):
                    done = run(*[pipe if word == "PIPE" else word for word in words])
                self.assertEqual((done.returncode, done.stdout.replace(str(pipe), str(file))), (expected.returncode, expected.stdout), done.stderr)
                pipe.unlink()
        os.mkfifo(self.tmp / "results.db")
        self.refused("report", self.tmp / "results.db", says="is a device or a pipe, expected a results file")

    @unittest.skipIf(sanitized(), "METIS runs in the program itself")
    def test_a_signal_to_the_process_group(self):
        """As timeout and batch systems send it: the process in which METIS runs does not fail first."""
        with subprocess.Popen([IKAT, "topo", "dragonfly:h=5", "--all", "-j2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as program:
            tasks = pathlib.Path(f"/proc/{program.pid}/task")
            while program.poll() is None and not any(one.read_text() for one in tasks.glob("*/children")):
                time.sleep(0.001)
            if program.poll() is not None:
                self.skipTest("no child was seen in time")
            os.killpg(program.pid, signal.SIGTERM)
            _, said = program.communicate()
        self.assertEqual((program.returncode, said.splitlines()[-1]), (130, "ikat: stopped by a signal"))

    def workspace(self):
        """A folder that looks like the source tree, to write into. Its quickstart takes a second: test_docs runs the whole one."""
        if not (self.tmp / "data").is_symlink():
            (self.tmp / "data").symlink_to(SOURCE / "data")
            shutil.copytree(SOURCE / "experiments", self.tmp / "experiments")
            quickstart = self.tmp / "experiments/quickstart.yaml"
            text = quickstart.read_text(encoding="utf-8")
            self.assertEqual(text.count("hops: 2500000"), 1)
            quickstart.write_text(text.replace("hops: 2500000", "hops: 50000"), encoding="utf-8")
        return self.tmp


if __name__ == "__main__":
    unittest.main()
