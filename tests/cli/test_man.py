"""Manual pages: one per command, of the experiment file and of every family; well-formed, whole, and no line too wide."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from harness import IKAT, SOURCE, CliTest, run

sys.path.insert(0, str(SOURCE / "tools"))
import declarations  # noqa: E402

DATE = "2026-11-23"
WIDE = 1000  # the most that mandoc takes: few words are parted there


def make(folder, env=None):
    subprocess.run([sys.executable, SOURCE / "tools/make_man.py", os.path.abspath(IKAT), DATE, folder], check=True,
                   env={**os.environ, **(env or {})})
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(pathlib.Path(folder).glob("man?/*"))}


def squeezed(text):
    """Without blanks and what a layout may add."""
    return re.sub(r"[\s\u2010]+", "", text)


class Man(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.declared = declarations.declared(IKAT)

    def setUp(self):
        super().setUp()
        os.environ.pop("SOURCE_DATE_EPOCH", None)
        self.pages = make(self.tmp / "man")

    def rendered(self, page, width):
        """The page as mandoc shows it, plain text."""
        done = subprocess.run(["mandoc", "-Tutf8", f"-Owidth={width}", self.tmp / "man" / page], capture_output=True, check=True)
        return re.sub(r".\x08", "", done.stdout.decode())

    def test_which_there_are(self):
        commands = {f"man1/ikat-{command['name']}.1" for command in self.declared["commands"]}
        self.assertIn("man1/ikat-verify-deployed.1", commands)
        others = {"man1/ikat.1", "man5/ikat-experiment.5", "man7/ikat-specs.7"}
        families = {f"man7/ikat-{family}.7" for family in self.declared["families"] if family != "sections"}
        self.assertEqual(set(self.pages), commands | others | families)

    def test_the_build_made_them(self):
        folder = pathlib.Path(IKAT).resolve().parent / "share/man"
        built = {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("man?/*")}
        self.assertEqual(set(built), set(self.pages), "cmake --build build/release --target man")
        date = re.compile(rb"^\.Dd .*$", re.M)
        for name, page in self.pages.items():
            self.assertEqual(date.sub(b"", built[name]), date.sub(b"", page), name)

    def test_the_same_each_time(self):
        self.assertEqual(make(self.tmp / "again"), self.pages)
        for page in self.pages.values():
            page.decode("ascii")
            self.assertIn(b"\n.Dd November 23, 2026\n", page)
        stale = self.tmp / "man/man1/ikat-gone.1"
        stale.write_text("")
        self.assertEqual(make(self.tmp / "man"), self.pages)
        dated = make(self.tmp / "dated", {"SOURCE_DATE_EPOCH": "1700000000", "TZ": "Pacific/Kiritimati"})
        self.assertIn(b"\n.Dd November 14, 2023\n", dated["man1/ikat.1"])

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_well_formed(self):
        """No message of any level, wherever the pages lie."""
        done = subprocess.run(["mandoc", "-Tlint", *(self.tmp / "man" / page for page in self.pages)], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertEqual(done.returncode, 0)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_nothing_to_say(self):
        for page in self.pages:
            done = subprocess.run(["groff", "-mdoc", "-Tutf8", "-ww", "-z", self.tmp / "man" / page], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", page)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_no_line_is_too_wide(self):
        for page in self.pages:
            for width in (80, 120):
                for line in self.rendered(page, width - 2).splitlines():
                    self.assertLessEqual(len(line), width, f"{page}: {line}")

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "man is not installed")
    def test_man_shows_them(self):
        """As man-db does it, with groff."""
        for page in self.pages:
            for width in (80, 120):
                done = subprocess.run(["man", "-l", self.tmp / "man" / page], capture_output=True, text=True, check=True,
                                      env={**os.environ, "MANWIDTH": str(width), "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""})
                self.assertEqual(done.stderr, "", page)
                text = re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r".\x08", "", done.stdout))
                self.assertGreater(len(text.splitlines()), 10)
                for line in text.splitlines():
                    self.assertLessEqual(len(line), width, f"{page}: {line}")

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_nothing_is_lost(self):
        """What help says of a command, the page says in the same words, whatever their characters mean to roff."""
        for command in self.declared["commands"]:
            page = squeezed(self.rendered(f"man1/ikat-{command['name']}.1", WIDE))
            for kind, content in declarations.blocks(command["details"] or ""):
                for text in [content] if kind == "paragraph" else []:
                    self.assertIn(squeezed(text), page)
            for option in command["options"] + self.declared["options"]:
                self.assertIn(squeezed(option["name"] + (option["value"] or "").replace("…", "...")), page)
                self.assertIn(squeezed(option["help"][1:]), page)
            for example in command["examples"]:
                self.assertIn(squeezed(example), page.replace("\\", ""))
            for alternative in declarations.alternatives(command["synopsis"]):
                self.assertIn(squeezed(f"ikat {command['name']} {alternative}").replace("…", "..."), page)
        for family, members in self.declared["families"].items():
            page = squeezed(self.rendered("man5/ikat-experiment.5" if family == "sections" else f"man7/ikat-{family}.7", WIDE))
            for member in members:
                for parameter in member["parameters"]:
                    self.assertIn(squeezed(parameter["help"][1:]), page)
                for kind, content in declarations.blocks(member["details"] or ""):
                    if kind == "paragraph":
                        self.assertIn(squeezed(content), page)
        experiment = squeezed(self.rendered("man5/ikat-experiment.5", WIDE))
        for section in declarations.topic(self.declared, "experiment")["sections"]:
            self.assertIn(squeezed(section["help"][1:]), experiment)

    def test_they_refer_to_each_other(self):
        everywhere = {(name, section) for name, section in re.findall(r"man\d/(\S+)\.(\d)", " ".join(self.pages))}
        for page, text in self.pages.items():
            references = re.findall(r"^\.Sy (\S+) Ns Pq (\d)", text.decode(), re.M)
            self.assertLessEqual(set(references), everywhere, page)
            self.assertIn(".Sh SEE ALSO", text.decode())
        self.assertIn(b".Sy ikat-experiment Ns Pq 5", self.pages["man1/ikat-run.1"])
        self.assertIn(b".Sy ikat-topologies Ns Pq 7", self.pages["man1/ikat-topo.1"])

    def test_help_names_them(self):
        self.assertIn("man ikat", run("help").stdout)


if __name__ == "__main__":
    unittest.main()
