"""Every command shown in a document runs: the lines of ```sh blocks that start with `ikat` or `build/release/ikat`.

Blocks are run in order of the document, in a scratch folder that sees data/ and experiments/. A block marked ```sh fails=N is
expected to end with that status; ```console blocks and other languages are not run.
"""
import re
import shlex
import unittest

from harness import SOURCE, CliTest, run

DOCUMENTS = sorted([SOURCE / "README.md", *(SOURCE / "docs").glob("*.md")])


class Documents(CliTest):
    def test_commands(self):
        count = 0
        for folder in ("data", "experiments", "docs", "tests"):
            (self.tmp / folder).symlink_to(SOURCE / folder)
        for document in DOCUMENTS:
            if not document.exists():
                continue
            for info, block in re.findall(r"^```sh(?: ([^\n]*))?\n(.*?)^```", document.read_text(), re.M | re.S):
                expected = int(info.split("=")[1]) if info.startswith("fails=") else 0
                for line in block.replace("\\\n", " ").splitlines():
                    words = shlex.split(line, comments=True)
                    if not words or words[0] not in ("ikat", "build/release/ikat"):
                        continue
                    with self.subTest(document=document.name, line=line):
                        done = run(*words[1:], cwd=self.tmp, timeout=600)
                        self.assertEqual(done.returncode, expected, done.stderr[-2000:])
                        count += 1
        self.assertGreater(count, 0)

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
        self.assertGreater(count, 20)

    def test_links_between_documents(self):
        for document in DOCUMENTS:
            if not document.exists():
                continue
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
                if not target.startswith(("http:", "https:", "mailto:")):
                    self.assertTrue((document.parent / target).exists(), f"{document.name}: {target}")


if __name__ == "__main__":
    unittest.main()
