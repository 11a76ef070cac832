"""The documentation site: every link and address leads somewhere, pages and their search work from disk in a browser that reaches no
network, and the terms of the glossary are defined once and linked where they are first used. With IKAT_TEST_ALL it is made twice, with the
same bytes."""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from browser import CHROMIUM, Browser
from harness import SOURCE

sys.path.insert(0, str(SOURCE / "tools/site"))
from glossary_links import NOT_IN, PLAIN, Linker, read_glossary  # noqa: E402

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
MAKE = SOURCE / "tools/make_site.py"
HAS_SPHINX = subprocess.run([sys.executable, MAKE, "--check"], check=False).returncode == 0
SEARCHES = {"credit loop": "glossary.html", "dragonfly": "reference/topologies.html", "ibdmchk": "validation.html", "unplug": "tutorial.html",
            "sl2vl": "auditing.html", "rendezvous": "glossary.html", "otf2": "formats.html", "fuzz": "CONTRIBUTING.html"}


class Page(html.parser.HTMLParser):
    """Addresses and references of a page, and the links to terms."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.terms = set(), [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
            if "term" in (given.get("class") or "").split():
                self.terms.append(given["href"])
        elif tag == "link" and given.get("href"):
            self.loads.append(given["href"])
        if given.get("src"):
            self.loads.append(given["src"])


class Reader(Browser):
    """A browser that remembers what pages request."""

    def __init__(self, folder):
        self.requests = []
        super().__init__(folder)
        self.call("Network.enable")

    def message(self, until):
        answer = super().message(until)
        if answer.get("method") == "Network.requestWillBeSent":
            self.requests.append(answer["params"]["request"]["url"])
        return answer

    def read(self, page, query="", ready="document.readyState === 'complete'"):
        self.call("Page.navigate", url=page.resolve().as_uri() + query)
        until = time.monotonic() + 600
        while self.run("location.protocol") != "file:" or not self.run(ready):
            if time.monotonic() > until:
                raise TimeoutError(f"{page}{query}")
            time.sleep(0.02)
        self.settle()


@unittest.skipUnless(HAS_SPHINX, "Sphinx with MyST and Furo is missing")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tmp = pathlib.Path(folder.name)
        cls.site = cls.tmp / "first"

        manual = pathlib.Path(os.environ.get("IKAT_BUILD", SOURCE / "build/release")) / "share/man"
        more = ["--manual", manual] if (manual / "man1/ikat.1").is_file() and shutil.which("mandoc") else []

        def make(name):
            return subprocess.run([sys.executable, MAKE, cls.tmp / name, *more], capture_output=True, text=True, check=False)

        with ThreadPoolExecutor(2) as pool:
            for done in pool.map(make, ("first", "second") if ALL else ("first",)):
                assert done.returncode == 0, f"python3 tools/make_site.py OUT\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        cls.pages = {path: Page(path) for path in sorted(cls.site.rglob("*.html"))}

    @unittest.skipUnless(ALL, "belongs to ./check --all")
    def test_same_sources_same_bytes(self):
        first, second = ({path.relative_to(top): path.read_bytes() for path in top.rglob("*") if path.is_file()} for top in (self.site, self.tmp / "second"))
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual([name for name in sorted(first) if first[name] != second[name]], [])

    def test_every_document_is_a_page(self):
        names = {path.relative_to(SOURCE / "docs").with_suffix(".html").as_posix() for path in (SOURCE / "docs").rglob("*.md")}
        names = {name.replace("README.html", "index.html") for name in names} | {"CONTRIBUTING.html", "CHANGELOG.html", "search.html"}
        there = {path.relative_to(self.site).as_posix() for path in self.pages}
        self.assertEqual(names - there, set())

    def test_every_link_leads_somewhere(self):
        wrong, outside = [], set()
        for path, page in self.pages.items():
            for address in page.links + page.loads:
                if re.match(r"(https?|mailto):", address):
                    outside.add(address)
                    continue
                target, _, anchor = address.partition("#")
                target = urllib.parse.unquote(target.partition("?")[0])
                file = (path.parent / target).resolve() if target else path
                if not file.is_file():
                    wrong.append(f"{path.relative_to(self.site)}: {address}")
                elif anchor and file.suffix == ".html" and urllib.parse.unquote(anchor) not in self.pages[self.site / file.relative_to(self.site.resolve())].ids:
                    wrong.append(f"{path.relative_to(self.site)}: {address} (no such address)")
        self.assertEqual(sorted(set(wrong)), [])
        print("links to other sites, not visited:", *sorted(outside))

    def test_nothing_is_loaded_from_elsewhere(self):
        for path, page in self.pages.items():
            self.assertEqual([address for address in page.loads if re.match(r"(https?:)?//|/", address)], [], path)
        for path in self.site.rglob("*.css"):
            found = re.findall(r"(?:url\(|@import\s)\s*['\"]?((?!data:|#)[^'\")\s]+)", path.read_text(encoding="utf-8"))
            for name in found:
                self.assertTrue((path.parent / name).is_file(), f"{path.name}: {name}")

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_pages_in_a_browser(self):
        with tempfile.TemporaryDirectory() as folder, Reader(folder) as browser:
            for words, expected in SEARCHES.items():
                with self.subTest(search=words):
                    browser.read(self.site / "search.html", "?" + urllib.parse.urlencode({"q": words}), ready="/finished|did not match/.test(document.querySelector('#search-results')?.textContent)")
                    until = time.monotonic() + 600
                    count = -1  # results appear one by one
                    while (now := browser.run("document.querySelectorAll('#search-results li a').length")) != count or now == 0:
                        if time.monotonic() > until:
                            break
                        count = now
                        time.sleep(0.1)
                    found = browser.run("[...document.querySelectorAll('#search-results li a')].map((a) => new URL(a.href).pathname)")
                    self.assertIn(expected, [name.split("/first/")[1] for name in found][:8])
                    self.assertNotIn("CHANGELOG.html", [name.split("/first/")[1] for name in found][: len(found) // 2], "the list of changes comes last")
            for width, dark in ((1280, False), (390, True)):
                browser.show_as(width, dark=dark)
                for path in (path for path in self.pages if "files" not in path.parts):
                    with self.subTest(page=path.relative_to(self.site), width=width):
                        browser.read(path)
                        wide, window, words = browser.run("[document.documentElement.scrollWidth, document.documentElement.clientWidth, document.body.innerText.length]")
                        self.assertLessEqual(wide, window, "the page is wider than the window")
                        self.assertGreater(words, 100)
                # What is seen: text on a ground as light or as dark as the reader prefers.
                browser.read(self.site / "index.html")
                light = browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).every((v) => v > 127)")
                self.assertEqual(light, not dark)
                browser.picture(folder + "/page.png", whole=False)
                self.assertGreater((pathlib.Path(folder) / "page.png").stat().st_size, 10000, "an empty page")
            # The script of the theme runs: its button changes the colours.
            before = browser.run("document.body.dataset.theme")
            browser.run("document.querySelector('.theme-toggle').click()")
            self.assertNotEqual(browser.run("document.body.dataset.theme"), before)
            self.assertEqual(browser.console, [])
            self.assertEqual([url for url in browser.requests if not url.startswith(("file:", "about:", "data:"))], [])

    def test_terms(self):
        text = (SOURCE / "docs/glossary.md").read_text(encoding="utf-8")
        names = [name.lower() for _, names, _ in read_glossary(text) for name in names]
        self.assertEqual(sorted({name for name in names if names.count(name) > 1}), [], "defined twice")
        self.assertGreater(len(names), 60)
        self.assertEqual(sorted(PLAIN - set(names)), [], "not in the glossary")
        for heading, _, explanation in read_glossary(text):
            self.assertGreater(len(explanation), 20, heading)
        for term in ("virtual channel", "credit loop", "sl", "vl", "head-of-line blocking", "plan", "selection", "slowdown", "accepted load"):
            self.assertIn(term, names)
        linker = Linker(text)
        used = {linker.entries[entry][0] for path in (SOURCE / "docs").rglob("*.md") if path.name != "glossary.md"
                for _, _, entry in linker.uses(path.read_text(encoding="utf-8"))}
        for path, page in self.pages.items():
            name = path.relative_to(self.site).with_suffix("").as_posix()
            linked = [address.partition("#")[2] for address in page.terms]
            self.assertEqual(len(linked), len(set(linked)), f"{name}: a term is linked twice")
            if NOT_IN.search(name):
                self.assertEqual(linked, [])
        plain = {entry for entry, (_, names, _) in enumerate(linker.entries) if all(word.lower() in PLAIN for word in names)}
        unused = [address for i, (address, _, _) in enumerate(linker.entries) if address not in used and i not in plain]
        self.assertEqual(unused, [], "terms that no document uses")
        # The mechanism itself: what a page says first is what is linked.
        for name, terms in (("howto/choose-a-topology", ("rail", "saturation")), ("proofs", ("livelock", "escape-layer")),
                            ("tutorial", ("credit-loop", "slowdown", "accepted-load-throughput", "virtual-channel-vc-virtual-lane-vl"))):
            linked = [address.partition("#")[2] for address in self.pages[self.site / f"{name}.html"].terms]
            for term in terms:
                self.assertIn(term, linked, name)
        self.assertEqual([linker.entries[entry][0] for _, _, entry in linker.uses("Head-of-line blocking in virtual channels, and VLs; LIDs")],
                         ["head-of-line-blocking-hol-blocking", "virtual-channel-vc-virtual-lane-vl", "virtual-channel-vc-virtual-lane-vl", "lid"])


if __name__ == "__main__":
    unittest.main()
