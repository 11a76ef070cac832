"""Phrases that readers did not understand do not come back. A failure names the place, the phrase and what to write instead.

A row is: pattern (a blank matches any white space, also a line break in a comment), what to write instead, an example that it must find. Rows of EVERYWHERE are
for documents, experiments and sources; rows of DOCUMENTS are for documents and experiments alone.
"""
import bisect
import re
import unittest

from harness import SOURCE, CliTest

COUNTED = (r"(?:hosts|switches|ports|links|cables|channels|VCs|lanes|hops|packets|flits|messages|bytes|bits|B|KiB|ns|us|ms|s|seconds|cycles|ticks|pairs|queues|entries|words|lines"
           r"|instructions|events|samples|threads|points|ranks|runs|mispredictions)")
PER = (r"(?:host|switch|leaf|port|link|cable|channel|VC|lane|hop|packet|flit|message|byte|bit|cycle|tick|pair|node|queue|entry|word|line|event|thread|point|rank|run|second|slot"
       r"|window|step|input|output|level|point)")
EVERYWHERE = [
    (r"\bthe house\b", "name the project or its rules", "how the house is built"),
    (r"\bmeetings? of threads\b", "barriers", "between two meetings of threads"),
    (r"\bby (?:the )?hand of\b", "by", "by hand of the subnet manager"),
    (r"\bsound (?:siblings?|links?|cables?)\b", "healthy parallel links, healthy links", "its sound siblings"),
    (r"\bbusy then\b", "utilisation at that load", "busy then"),
    (r"\bunless something else is said\b", "by default, unless given", "host i unless something else is said"),
    (r"\bpassed over\b", "skipped, ignored", "other fields are passed over"),
    (r"\bunless (?:it is )?said otherwise\b", "unless given, by default", "1 GiB unless said otherwise"),
    (r"\bthough it be\b", "even if it is", "though it be transmitting"),
]
DOCUMENTS = [
    (r"\b(?:cycle|routing)s? that can lock\b", "that can deadlock", "a cycle that can lock"),
    (rf"\b{COUNTED} an? {PER}(?: switch)?(?=[,.;:)|]|$| (?:and|or|of|in|on|at|to|for|with|is|are)\b)", "“per” in rates: “hosts per leaf switch”, “ns per hop”", "hosts a leaf switch, 90 ns\na hop"),
    (r"\b(?<!cannot\s)(?:is|are|was|were|be) (?:not )?told\b", "is reported, is printed, is given", "a second dump is told and left out"),
    (r"\btold (?:by|as|of|apart)\b", "reported by, reported as, distinguished", "cables told by one end only"),
    (r"\b(?:is|are) no text\b", "is not text", "byte 0x7f is no text"),
    (r"\bside by side\b", "in parallel (of execution), next to each other", "whole points side by side"),
    (r"\blooked at\b", "examined, checked, processed", "what is looked at in an instant"),
    (r"\bstands? twice\b", "is defined twice, is listed twice", "a label that stands twice"),
    (r"\bunder way\b", "in transmission, in the network, in progress", "packets under way"),
    (r"\b(?:all|none|nothing|everything|no \w+|any \w+) but (?!also\b|not\b|only\b)(?:the|its|those|one|for)\b", "except", "all but the first"),
    (r"\bcomes? free\b", "becomes free", "when a place comes free"),
    (r"\bdone last\b", "ended last", "hosts that were done last"),
    (r"(?<![\w.\d/:=])\.\d\d\b", "a zero before the decimal point", "to .67 of the time"),
    (r"\bmade-up\b|\bmade up\b", "generated", "a made-up trace"),
]
TEXTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/howto/*.md", "src/**/*.md", "examples/**/*.md", "experiments/*.md", "experiments/**/*.yaml", "bench/**/*.md"]
SOURCES = ["src/**/*.[ch]", "include/**/*.h", "src/report/web/**/*.js", "tools/*.py", "docs/reference/*.md"]


def masked(text, pattern, mask, flags=re.M):
    """Characters of matches are replaced, so that places stay."""
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", mask, m[0]), text, flags=flags)


def prose(text, name):
    """Blocks of code in documents show what programs print; leaders of comments are no words."""
    if name.endswith(".md"):
        return masked(masked(text, r"^```.*?^```", " ", re.M | re.S), r"`[^`\n]*`", "x")
    return masked(text, r"^\s*(?:/?\*+(?!/)|//|#) ?", " ")


def find_phrases(text, name, rows):
    text = prose(text, name)
    ends = [m.start() for m in re.finditer("\n", text)]
    found = []
    for pattern, instead, _ in rows:
        for m in re.finditer(pattern.replace(" ", r"\s+"), text):
            line = bisect.bisect_left(ends, m.start()) + 1
            found.append((line, f"{name}:{line}: “{' '.join(m[0].split())}”: write {instead}"))
    return [message for _, message in sorted(found)]


class Words(CliTest):
    def check(self, globs, rows):
        found, count = [], 0
        for path in sorted({path for pattern in globs for path in SOURCE.glob(pattern)}):
            found += find_phrases(path.read_text(encoding="utf-8"), str(path.relative_to(SOURCE)), rows)
            count += 1
        self.assertGreater(count, 0)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_documents(self):
        self.check(TEXTS, EVERYWHERE + DOCUMENTS)

    def test_sources(self):
        self.check(SOURCES, EVERYWHERE)

    def test_every_row_finds_its_example(self):
        for row in EVERYWHERE + DOCUMENTS:
            with self.subTest(pattern=row[0]):
                self.assertTrue(find_phrases(f"Before.\n\n{row[2]}\n", "page.md", [row]), row[2])
                self.assertTrue(find_phrases("/* Before.\n * " + row[2].replace(" ", "\n * ") + " */\n", "file.c", [row]), row[2])

    def test_programs_do_not_read_messages(self):
        """What an error is about is asked of its fields, not of words in its texts, which are for people."""
        def asks(text):
            return re.findall(r"\b(?:str(?:str|n?cmp|n?casecmp|casestr|chr|spn|cspn)|memcmp|memmem)\s*\((?=[^;{()]*\")[^;{()]*(?:\b\w*(?:err|error|why|wrong)\w*(?:->|\.)text|(?:->|\.)hint)\b", text)
        for example in ('strstr(err.hint, "run")', 'strncmp(err->hint,\n  "did", 3)', 'strcmp(err->text, "cancelled")', 'strstr(as_result.hint, "did you")'):
            self.assertTrue(asks(example), example)
        found = [(str(path.relative_to(SOURCE)), hit) for path in sorted((SOURCE / "src").rglob("*.c")) for hit in asks(path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])

    def test_places(self):
        self.assertEqual(find_phrases("One.\n```\nis told\n```\n`is told` A dump is\ntold.\n", "page.md", DOCUMENTS),
                         ["page.md:5: “is told”: write is reported, is printed, is given"])
        self.assertEqual(find_phrases("All hosts a switch has, 4 bytes per host, 3.25 of it.\n", "page.md", DOCUMENTS), [])


if __name__ == "__main__":
    unittest.main()
