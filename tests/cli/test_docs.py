"""Every command shown in a document runs: the lines of ```sh blocks that start with `ikat` or `build/release/ikat`.

Blocks are run in order of the document, in a scratch folder of its own that sees data/, experiments/, docs/, tests/, include/ and examples/; lines that start with `cc` run, too. A block marked ```sh fails=N is
expected to end with that status; ```console blocks and other languages are not run. A block marked file=NAME is written into the folder. In the tutorial and in
the four stories, a ```text block after commands is what they print, without blanks at the ends of lines; … stands for lines that are left out.
"""
import re
import shlex
import subprocess
import unittest

from harness import SOURCE, CliTest, run
from kept import run_kept

DOCUMENTS = sorted([SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *(SOURCE / "docs").glob("*.md"), *(SOURCE / "docs/howto").glob("*.md")])
# Pages for one reader each, from a problem to a decision.
STORIES = ("judge-my-cluster.md", "choose-a-topology.md", "study-my-routing.md", "replay-my-program.md")


def anchors(page):
    """The addresses of a page's headings, as GitHub forms them."""
    text = re.sub(r"^```.*?^```", "", page, flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.M)}


class Documents(CliTest):
    def test_commands(self):
        count = 0
        for document in DOCUMENTS:
            if not document.exists():
                continue
            scratch = self.tmp / str(document.relative_to(SOURCE)).replace("/", "_")
            scratch.mkdir()
            for folder in ("data", "experiments", "docs", "tests", "include", "examples"):
                (scratch / folder).symlink_to(SOURCE / folder)
            printed = ""
            for language, info, block in re.findall(r"^```(\w+)(?: ([^\n]*))?\n(.*?)^```", document.read_text(), re.M | re.S):
                if info.startswith("file="):
                    (scratch / info[5:]).write_text(block)
                if language == "text" and document.name in ("tutorial.md", *STORIES):
                    with self.subTest(document=document.name, output=block):
                        self.printed(block, printed)
                if language != "sh":
                    continue
                printed = ""
                expected = int(info.split("=")[1]) if info.startswith("fails=") else 0
                for line in block.replace("\\\n", " ").splitlines():
                    words = shlex.split(line, comments=True)
                    if words and words[0] == "cc":
                        with self.subTest(document=document.name, line=line):
                            subprocess.run([*words, "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror"], cwd=scratch, check=True)
                    if not words or words[0] not in ("ikat", "build/release/ikat"):
                        continue
                    with self.subTest(document=document.name, line=line):
                        done = self.run_once(words[1:], scratch)
                        self.assertEqual(done.returncode, expected, done.stderr[-2000:])
                        printed += done.stdout
                        count += 1
        self.assertGreater(count, 0)

    def run_once(self, words, scratch):
        """Runs a command. An experiment or a reproduction without options is run once for all documents and tests (kept.py)."""
        if words[0] == "run" and len(words) == 4 and words[2] == "-o" and not (scratch / words[3]).exists():
            return run_kept(words[:2], words[3], scratch)
        if words[0] == "reproduce" and len(words) == 2 and words[1][0] != "-" and not (scratch / "reproductions").exists():
            return run_kept(words, "reproductions", scratch)
        return run(*words, cwd=scratch, timeout=1200)

    def printed(self, block, output):
        """The lines of a block are what was printed, in their order; those on both sides of … are not adjacent."""
        lines = [line.rstrip() for line in output.splitlines()]
        at = 0
        for part in block.strip("\n").split("\n…\n"):
            part = part.split("\n")
            places = [i for i in range(at, len(lines) - len(part) + 1) if lines[i:i + len(part)] == part]
            self.assertTrue(places, f"not printed:\n{chr(10).join(part)}\nbut\n{output}")
            at = places[0] + len(part)

    def test_sources_in_the_how_to_compile(self):
        """The examples of a topology, a routing and a program compile, without a warning."""
        pages = [path.read_text() for path in sorted((SOURCE / "docs/howto").glob("*.md"))]
        blocks = re.findall(r"^```c\n(.*?)^```", "\n".join(pages), re.M | re.S)
        self.assertEqual(len(blocks), 3)
        for block in blocks:
            done = subprocess.run(["cc", "-std=c17", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-fsyntax-only", "-I", SOURCE / "include", "-I", SOURCE / "src", "-x", "c", "-"],
                                  input=block, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_stories_are_short_and_end_with_a_decision(self):
        """A problem in the reader's words first, at most six commands, then a picture and a decision with how sure it is, all in under 800 words."""
        overview = (SOURCE / "README.md").read_text()
        for name in STORIES:
            with self.subTest(story=name):
                page = (SOURCE / "docs/howto" / name).read_text()
                self.assertLess(len(page.split()), 800)
                self.assertTrue(re.match(r"# [^\n]+\n\n\*[^*]+\?\*\n", page), "the first paragraph is the problem, a question in italics")
                blocks = "".join(re.findall(r"^```sh\n(.*?)^```", page, re.M | re.S)).replace("\\\n", " ")
                self.assertIn(len(blocks.splitlines()), range(1, 7))
                before, heading, decision = page.partition("\n## The decision\n")
                self.assertTrue(heading, "no section 'The decision'")
                self.assertRegex(decision, r"(?s)!\[[^\]]+\]\(\.\./pictures/.*\n\*\*[^*]*\*\*.*How\s+sure\s+is\s+that\?")
                self.assertNotRegex(decision, r"```sh")
                self.assertIn(f"](docs/howto/{name})", overview)

    def test_functions_and_files_that_are_named_exist(self):
        """In the page on the simulator and in the pages beside its sources."""
        sources = {path: path.read_text() for path in (SOURCE / "src" / "sim").rglob("*.[ch]")}
        text = "\n".join(sources.values())
        names = {path.name for folder in ("src", "tests", "include") for path in (SOURCE / folder).rglob("*.*")}
        count = 0
        for document in [SOURCE / "docs" / "simulator.md", *(SOURCE / "src" / "sim").rglob("*.md")]:
            page = document.read_text()
            for name in re.findall(r"`(\w+)\(\)`", page):
                with self.subTest(document=document.name, function=name):
                    self.assertTrue(re.search(rf"\b{name}\(", text), f"there is no function {name}")
                    count += 1
            for name in re.findall(r"`(?:[\w/]+/)?(\w+\.[ch])`", page):
                with self.subTest(document=document.name, file=name):
                    self.assertTrue(name in names, f"there is no file {name}")
            for name, functions in re.findall(r"`([\w/]+\.[ch])`: ((?:`\w+\(\)`(?:, )?)+)", page):
                here = "\n".join(text for path, text in sources.items() if str(path).endswith(f"/{name}"))
                for function in re.findall(r"\w+", functions):
                    with self.subTest(document=document.name, file=name, function=function):
                        self.assertTrue(re.search(rf"\b{function}\(", here), f"{name} has no function {function}")
            for folder, contents in re.findall(r"^\| `([\w/]+/)` \| (.*) \|$", page, re.M):
                for name in re.findall(r"`(\w+\.[ch])`", contents):
                    with self.subTest(document=document.name, folder=folder, file=name):
                        self.assertTrue((SOURCE / "src" / "sim" / folder.removeprefix("src/sim/") / name).exists(), f"{folder} has no {name}")
        self.assertGreater(count, 20)

    def test_rows_of_tables_are_whole(self):
        """As many cells as the head: a | within a cell is written as \\|, else the row is cut off."""
        for document in [*DOCUMENTS, SOURCE / "CHANGELOG.md", *(SOURCE / "docs/reference").glob("*.md")]:
            cells = None
            for line in re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S).splitlines():
                count = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
                if count and cells:
                    self.assertEqual(count, cells, f"{document.name}: {line}")
                cells = count and (cells or count)

    def test_links_between_documents(self):
        for document in [*DOCUMENTS, SOURCE / "CHANGELOG.md", SOURCE / "SECURITY.md", SOURCE / "experiments/README.md", *(SOURCE / "src").rglob("*.md")]:
            if not document.exists():
                continue
            for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", document.read_text()):
                if target.startswith(("http:", "https:", "mailto:")):
                    continue
                path = document.parent / target if target else document
                self.assertTrue(path.exists(), f"{document.name}: {target}")
                if anchor and path.suffix == ".md":
                    self.assertIn(anchor, anchors(path.read_text()), f"{document.name}: {target}#{anchor}")


if __name__ == "__main__":
    unittest.main()
