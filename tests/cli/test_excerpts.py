"""Excerpts of shipped files in the documents: what is said to stand in a file stands there, line by line."""
import re
import unittest

from harness import SOURCE, CliTest

PAGES = sorted({*SOURCE.glob("*.md"), *(SOURCE / "docs").rglob("*.md")} - {SOURCE / "docs/reproductions.md"})
BLOCK = re.compile(r"^(?P<said>(?:(?!```)\S.*\n)+)\n```(?P<kind>\w*)\n(?P<text>(?:.*\n)*?)```", re.M)
LINK = re.compile(r"\[[^]]*\]\(([^)#]+)\)")


def meaning(text):
    """Its lines, without comments, title and description, which documents leave out."""
    text = re.sub(r"^(title|description):.*\n(?:[ \t]+.*\n)*", "", text, flags=re.M)
    return [line for line in re.sub(r"\s+# .*$", "", text, flags=re.M).splitlines() if line.strip() and not line.lstrip().startswith("#")]


def excerpts(page):
    """Blocks that are no commands, behind a sentence that ends with the name of a shipped file and a colon: file, whether it is the beginning, text."""
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        said = re.split(r"(?<=[.!?])\s", found["said"].strip())[-1]
        links = [path for path in LINK.findall(said) if "://" not in path and not path.endswith(".md") and (page.parent / path).is_file()]
        if len(links) == 1 and said.endswith(":") and found["kind"] not in ("sh", "console", "text", "mermaid"):
            yield (page.parent / links[0]).resolve(), "beginning" in said, found["text"]


def misfit(whole, text, beginning):
    """The first line of an excerpt that does not follow there; None: it fits. An ellipsis leaves lines out."""
    lines, at, free = meaning(whole), 0, not beginning
    for line in meaning(text):
        if line.strip() in ("…", "..."):
            free = True
            continue
        places = range(at, len(lines)) if free else range(at, min(at + 1, len(lines)))
        here = next((n for n in places if lines[n] == line), None)
        if here is None:
            return line
        at, free = here + 1, not beginning and free
    return None


class Excerpts(CliTest):
    def test_they_are_what_the_files_have(self):
        seen = 0
        for page in PAGES:
            for path, beginning, text in excerpts(page):
                seen += 1
                with self.subTest(page=page.name, file=path.name):
                    self.assertIsNone(misfit(path.read_text(encoding="utf-8"), text, beginning), f"{page}: not there in {path}")
        self.assertGreater(seen, 1)

    def test_what_differs_is_found(self):
        whole = "# a comment\ntitle: x\ndescription: >\n  more\n  lines\na: 1\nb: 2\nc: 3\nd: 4\n"
        for text, beginning in (("a: 1\nb: 2\n", True), ("a: 1\n\nb: 2\n…\nd: 4\n", True), ("b: 2\nd: 4\n", False), ("title: other\na: 1\n", True)):
            self.assertIsNone(misfit(whole, text, beginning), text)
        for text, beginning, line in (("a: 2\n", True, "a: 2"), ("b: 2\n", True, "b: 2"), ("a: 1\nc: 3\n", True, "c: 3"), ("d: 4\nb: 2\n", False, "b: 2"),
                                      ("b: 3\n", False, "b: 3"), ("d: 4\ne: 5\n", False, "e: 5")):
            self.assertEqual(misfit(whole, text, beginning), line, text)


if __name__ == "__main__":
    unittest.main()
