"""What people type: it works, or the message says what to type. And what they read: a table in a narrow terminal is broken between columns."""
import json
import re
import shutil
import unittest

from harness import SOURCE, CliTest, run

TREE = "karytree:k=4,n=2"
CLUSTER = SOURCE / "data/cluster96.ibnetdiscover"
EXPERIMENT = "fabric: karytree:k=2,n=2\nrouting: [dmodk, updown]\ntraffic: uniform\nload: [20%, 60%]\nmeasure: {warmup: 2 us, duration: 5 us}\n"


def commands():
    """Each command as `ikat help --json` describes it."""
    return json.loads(run("help", "--json").stdout)["commands"]


def output_of(command):
    """Its option --output, None without one."""
    full = json.loads(run("help", command["name"], "--json").stdout)
    return next((option for option in full["command"]["options"] if option["name"] == "--output"), None)


class Typed(CliTest):
    def test_the_version(self):
        for words in (("version",), ("-V",), ("--version",)):
            self.assertRegex(self.ok(*words), r"^ikat \d+\.\d+\.\d+\n$")

    def arguments(self, name):
        """Arguments with which a command would write."""
        experiment, store = self.tmp / "small.yaml", self.tmp / "small.db"
        experiment.write_text(EXPERIMENT)
        return {"run": [experiment], "report": [store, "--csv"], "merge": [store], "reproduce": ["000"], "design": ["oft", "--hosts", 16, "--radix", 8],
                "submit": [experiment, "--tasks", "1", "--dry-run"],
                "record": ["--", "true"], "replay": [SOURCE / "data/halo16.ikrec", "--fabric", TREE, "-r", "dmodk"],
                "route": [TREE, "-r", "dmodk", "--format", "paths"], "deploy": [CLUSTER, "-r", "updown"],
                "topo": [TREE, "--format", "edges"]}[name]

    def test_standard_output_as_output(self):
        """Where help says so, -o - prints what is written otherwise; else it is refused. A file called '-' is never made."""
        self.arguments("run")
        self.ok("run", self.tmp / "small.yaml", "-q", "-o", self.tmp / "small.db")
        with_output = [command for command in commands() if output_of(command)]
        self.assertGreater(len(with_output), 7)
        for command in with_output:
            words = self.arguments(command["name"])
            with self.subTest(command=command["name"]):
                if "'-'" in output_of(command)["help"]:
                    printed = self.ok(command["name"], "-o", "-", *words, cwd=self.tmp)
                    self.ok(command["name"], "-o", "written", *words, cwd=self.tmp)
                    self.assertEqual(printed, (self.tmp / "written").read_text())
                    self.assertGreater(len(printed), 100)
                else:
                    self.refused(command["name"], "-o", "-", *words, cwd=self.tmp, says=["standard output", "give a name"])
                self.assertFalse((self.tmp / "-").exists())

    def test_commands_that_only_print(self):
        for command in commands():
            if not output_of(command):
                with self.subTest(command=command["name"]):
                    self.refused(command["name"], "-o", "x", says=["no option '-o'", "> FILE"])

    def test_options_misspelt(self):
        for command in commands():
            if output_of(command):
                with self.subTest(command=command["name"]):
                    self.refused(command["name"], "--outptu", "x", says="did you mean '--output'?")
        for option in ("--json", "--all"):
            self.refused("topo", "ring:n=3", "--format", "edges", "-o", "-", option, says=[option, "prints the fabric alone"])

    def test_words_of_other_programs(self):
        source = (SOURCE / "src/cli/main.c").read_text()
        pairs = re.findall(r'\{"(\w+)", "(\w+)"\}', source)
        self.assertGreater(len(pairs), 10)
        names = {command["name"] for command in commands()}
        for word, name in pairs:
            self.assertIn(name, names)
            self.assertNotIn(word, names)
            self.refused(word, says=[f"there is no command '{word}'", f"'ikat {name}' may be what is meant: "])

    def test_a_file_without_a_command(self):
        for name in ("experiments/quickstart.yaml", CLUSTER):
            self.refused(name, says=["there is no command", "'ikat run' takes an experiment"])

    def test_files_that_are_no_experiments(self):
        """What another command takes is not run, and the message says which command that is."""
        shutil.copy(SOURCE / "data/cluster96.lfts", self.tmp / "dump")
        for name in (SOURCE / "data/halo16.ikrec", CLUSTER, self.tmp / "dump"):
            self.refused("run", name, says=["an experiment is expected", "'ikat replay' takes a trace"])
        (self.tmp / "wrong.yaml").write_text("fabric: [\n")
        self.assertNotIn("replay", self.refused("run", self.tmp / "wrong.yaml"))


class Narrow(CliTest):
    def test_tables(self):
        """In a terminal of 60 columns no row of a table is wider, nothing is lost, and the first column begins every part."""
        (self.tmp / "small.yaml").write_text(EXPERIMENT)
        store = self.tmp / "small.db"
        self.ok("run", self.tmp / "small.yaml", "-q", "-o", store)
        broken = 0
        for words in (["compare", TREE, "slimfly:q=5", "mlfm:h=4"], ["route", TREE, "-r", "dmodk"], ["load", TREE, "-r", "dmodk"],
                      ["load", TREE, "-r", "dmodk", "-r", "updown", "--traffic", "transpose"], ["check", TREE, "-r", "dmodk"],
                      ["failures", TREE, "-r", "dmodk"], ["topo", TREE, "--all"], ["audit", CLUSTER], ["reproduce", "--list"],
                      ["run", self.tmp / "small.yaml", "-q", "-o", store],
                      *(["report", store, "--table", table] for table in ("plans", "classes", "hosts", "curves"))):
            with self.subTest(words=words):
                usual, narrow = (run(*words, env=env) for env in ({"COLUMNS": "100000"}, {"COLUMNS": "60"}))
                self.assertIn(usual.returncode, (0, 1), usual.stderr)
                self.assertEqual(narrow.returncode, usual.returncode)
                wide, lines = usual.stdout.splitlines(), narrow.stdout.splitlines()
                rows = [line for line in wide if len(re.findall(r"\S {2,}(?=\S)", line)) > 2 and len(line) > 60]
                broken += len(rows)
                for row in rows:
                    self.assertNotIn(row, lines)
                    cells = re.split(r" {2,}", row.strip())
                    for cell in cells:
                        self.assertIn(cell, narrow.stdout)
                for line in lines:
                    if len(re.findall(r"\S {2,}(?=\S)", line)) > 2:
                        self.assertLessEqual(len(line), 60, line)
                self.assertEqual(sorted(set(usual.stdout.split()) - set(narrow.stdout.split())), [])
        self.assertGreater(broken, 10)

    def test_a_table_in_parts(self):
        """Columns behind the first that have no room follow below."""
        wide = [line.split() for line in self.ok("load", TREE, "-r", "dmodk", "-r", "updown", "--traffic", "transpose").splitlines()]
        parts = self.ok("load", TREE, "-r", "dmodk", "-r", "updown", "--traffic", "transpose", env={"COLUMNS": "40"})
        self.assertNotEqual([line.split() for line in parts.splitlines()], wide)
        self.assertNotIn("  \n", parts)


if __name__ == "__main__":
    unittest.main()
