"""Help is as wide as the terminal: every command, topic and member at several widths; what is literal stays whole."""
import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import termios
import threading
import unittest

from harness import IKAT, SOURCE, CliTest, run

WIDTHS = (40, 60, 80, 100, 200) if os.environ.get("IKAT_TEST_ALL") else (40, 80)


class Help(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.declared = json.loads(run("help", "--json").stdout)

    def pages(self):
        """What is asked for, and its words in an order that no layout changes."""
        yield ("help",)
        yield ("list",)
        for command in self.declared["commands"]:
            yield (command["name"], "-h")
        for topic in self.declared["topics"]:
            yield ("help", topic["name"])
        for members in self.declared["families"].values():
            for member in members:
                yield ("help", member["name"])

    def literal(self):
        """Words and lines that are never broken, however narrow the terminal is."""
        experiment = next(t for t in self.declared["topics"] if t["name"] == "experiment")
        texts = [experiment["sample"], *(t["text"] for t in self.declared["topics"])]
        kept = {line for text in texts for line in text.splitlines() if line.startswith("  ") and "  " not in line.strip()}
        return kept | {f"  {e}" for members in self.declared["families"].values() for m in members for e in m["examples"]}

    def test_no_line_is_wider(self):
        literal = self.literal()
        for page in self.pages():
            wide = self.ok(*page, env={"COLUMNS": "100000"})
            for width in WIDTHS:
                with self.subTest(page=page, width=width):
                    text = self.ok(*page, env={"COLUMNS": str(width)})
                    for line in text.splitlines():
                        if len(line) > width and line not in literal:
                            # one piece that nothing can break: a word, or an option with its value
                            self.assertEqual(len(shlex.split(line.replace("(", "").replace(";", "").removesuffix("\\"))), 1, line)
                        self.assertEqual(line, line.rstrip(), "blanks at the end")
                    plain = text.replace(" \\\n", "\n")
                    self.assertEqual(re.sub(r"\s+", "", plain), re.sub(r"\s+", "", wide))  # nothing is lost or added

    def test_lines_are_filled(self):
        """A paragraph is not broken where the text was broken in the source."""
        page = self.ok("run", "-h", env={"COLUMNS": "200"})
        self.assertGreater(max(map(len, page.splitlines())), 180)
        for width in (40, 80):
            lines = self.ok("run", "-h", env={"COLUMNS": str(width)}).split("\nOptions\n")[0].splitlines()[3:]
            for line, following in zip(lines, lines[1:]):
                word = following.split(" ")[0]
                if line and word and line[-1] not in ".:":
                    self.assertGreater(len(line) + 1 + len(word), width, line)

    def test_wrapped_examples_are_the_same_commands(self):
        for command in self.declared["commands"]:
            for width in WIDTHS:
                text = self.ok(command["name"], "-h", env={"COLUMNS": str(width)}).split("\nExamples\n")[1]
                lines = text.replace(" \\\n", " ").splitlines()
                self.assertEqual([shlex.split(line) for line in lines], [shlex.split(e) for e in command["examples"]])

    def test_where_the_width_comes_from(self):
        narrow = self.ok("run", "-h", env={"COLUMNS": "60"})
        usual = self.ok("run", "-h")
        self.assertEqual(usual, self.ok("run", "-h", env={"COLUMNS": "100"}))
        self.assertNotEqual(usual, narrow)
        for nonsense in ("", "0", "-5", "wide", "80x", " 80", "1" * 30):
            self.assertEqual(self.ok("run", "-h", env={"COLUMNS": nonsense}), usual, nonsense)
        self.assertEqual(self.ok("run", "-h", env={"COLUMNS": "7"}), self.ok("run", "-h", env={"COLUMNS": "40"}))
        self.assertEqual(self.in_terminal(60), narrow)
        self.assertEqual(self.in_terminal(0), usual)  # a terminal that does not know
        self.assertEqual(self.in_terminal(120, {"COLUMNS": "60"}), narrow)

    def in_terminal(self, columns, env=None):
        """What `ikat run -h` prints to a terminal of so many columns, without colours."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([IKAT, "run", "-h"], stdout=follower, env={**os.environ, "NO_COLOR": "1", **(env or {})}) as process:
            # A terminal that nobody has open any more may lose what was not read yet: the mark behind the text keeps it open.
            writer = threading.Thread(target=lambda: (process.wait(), os.write(follower, b"\0")))
            writer.start()
            text = b""
            while not text.endswith(b"\0"):
                text += os.read(leader, 65536)
            writer.join()
            self.assertEqual(process.returncode, 0)
        os.close(follower)
        os.close(leader)
        return text[:-1].decode().replace("\r\n", "\n")

    def test_everything_is_declared(self):
        """ikat help --json has all that the single pages have."""
        self.assertEqual(self.declared["families"], self.json("list"))
        for command in self.declared["commands"]:
            self.assertEqual(self.json("help", command["name"])["command"], command)
            for option in command["options"]:
                self.assertIn(option["name"], self.ok(command["name"], "-h"))
        for topic in self.declared["topics"]:
            self.assertEqual(self.json("help", topic["name"])["topic"], topic)
        sections = next(t for t in self.declared["topics"] if t["name"] == "experiment")["sections"]
        schema = (SOURCE / "src/experiment/schema.c").read_text()
        self.assertEqual({s["name"] for s in sections}, set(re.findall(r'=?\s*\{"([a-z_]+)", IK_SECTION_', schema)))
        self.assertIn("buffer", {p["name"] for s in sections if s["name"] == "switch" for p in s["parameters"]})

    def test_words_of_the_glossary(self):
        """Every term is found by its name, by its short form and in the plural, whole and without marks."""
        glossary = (SOURCE / "docs/glossary.md").read_text()
        named = {self.json("help")["commands"][0]["name"]} | {c["name"] for c in self.declared["commands"]}
        named |= {t["name"] for t in self.declared["topics"]} | {m["name"] for members in self.declared["families"].values() for m in members}
        for part in re.split(r"^### ", glossary, flags=re.M)[1:]:
            heading, _, rest = part.partition("\n")
            text = " ".join(re.sub(r"\]\([^)]*\)|[*`\[\]]", "", rest.split("\n#")[0]).split())
            self.assertLess(len(text), 2000)  # room of find.c
            for name in re.split(r", | \(", heading):
                name = name.rstrip(")")
                for word in (name, name.upper(), name + "s"):
                    if word in named:  # it is explained itself
                        continue
                    with self.subTest(word=word):
                        found = self.json("help", word)["found"]
                        self.assertIn({"kind": "glossary", "name": heading, "text": text}, found)
        said = self.ok("help", "spine", env={"COLUMNS": "60"})
        self.assertIn("Root", said)
        self.assertIn("dragonflyplus", said)
        self.assertLessEqual(max(map(len, said.splitlines())), 60)
        for word in ("x", "nosuchword", "spi", ""):
            self.refused("help", word, says="there is no command, topic or member")

    def test_several_words(self):
        """With quotes or without."""
        for words in ("fat tree", "virtual channel", "credit loop"):
            self.assertEqual(self.ok("help", *words.split()), self.ok("help", words))
        self.refused("help", "no", "such", "thing", says="'no such thing'")

    def test_marks_are_no_words(self):
        for word in ("", " ", "  ", "```", "# -", ".*", "(", "[", "\\", "%", "a" * 300):
            with self.subTest(word=word):
                self.assertNotIn("did you mean", self.refused("help", "--", word, says="no description, glossary or page has it"))
        self.assertEqual(self.ok("help", "  fat  tree"), self.ok("help", "fat  tree"))

    def test_words_that_people_bring(self):
        for word in ("ECMP", "spine", "leaf", "rail", "VL", "incast", "bisection", "ToR", "NIC", "HCA", "LID", "oversubscription", "MPI", "PFC", "DCQCN", "NCCL", "link failure", "what if"):
            with self.subTest(word=word):
                self.assertGreater(len(self.ok("help", word)), 60)

    def test_colours_take_no_columns(self):
        plain = self.ok("check", "-h", env={"COLUMNS": "60"})
        coloured = self.ok("check", "-h", "--color=always", env={"COLUMNS": "60"})
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), plain)


if __name__ == "__main__":
    unittest.main()
