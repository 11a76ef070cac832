#!/usr/bin/env python3
"""Makes the documentation site of the Markdown of docs/, of CONTRIBUTING.md and of CHANGELOG.md.

usage: make_site.py OUT [--manual FOLDER]   OUT: the folder of the site (replaced)   FOLDER: the manual pages that were built
                                            (ikat.1, ...), which become pages
       make_site.py --check                 exit status 0 if Sphinx, MyST and Furo are here, 3 and a message if not

Documents stay where they are and can be read on a forge. Before Sphinx reads them they are laid out in a scratch folder: docs/ becomes
the root, docs/README.md the start page, and each list in it a part of the navigation. Links to other files of the sources become links to pages
that show these files. The same sources give the same bytes. Everything that Sphinx warns of is an error.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SITE = SOURCE / "tools/site"
AT_THE_ROOT = ("CONTRIBUTING.md", "CHANGELOG.md")
LANGUAGES = {".yaml": "yaml", ".h": "c", ".c": "c", ".py": "python"}
MOST_LINES = 400  # of a file that is shown as a page


def sphinx():
    """The command to run Sphinx with all that is needed, None where it is missing. That of Debian is preferred to one in PATH."""
    for python in ("/usr/bin/python3", shutil.which("python3")):
        if python and subprocess.run([python, "-c", "import sphinx, myst_parser, furo"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return [python, "-m", "sphinx"]
    return None


class Pages:
    """Lays out the documents: where each file of the sources goes, and the pages that are made of others."""

    def __init__(self, root):
        self.root = root
        self.files = set()  # files of the sources that a page links to

    def page_of(self, path):
        """The path in the site's sources of a file of ikat's sources."""
        name = path.as_posix()
        if name in ("README.md", "docs/README.md"):
            return "index.md"
        if name == "docs/reference/README.md":
            return "reference/index.md"
        if name in AT_THE_ROOT:
            return name
        if name.startswith("docs/") and path.suffix in (".md", ".png", ".svg"):
            return name[len("docs/"):]
        self.files.add(path)
        return f"files/{name}" if path.suffix == ".md" else f"files/{name}.md"

    def link(self, document, match):
        target, anchor = match[1], match[2] or ""
        if re.match(r"\w+:", target) or not target:
            return match[0]
        path = pathlib.Path(os.path.normpath(document.parent / target))
        here = pathlib.PurePath(self.page_of(document)).parent
        return f"]({os.path.relpath(self.page_of(path), here)}{anchor})"

    def rewrite(self, document, text):
        """Links of a document, outside of blocks of code, and the languages of these blocks without what tests read behind them."""
        parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        parts[::2] = [re.sub(r"\]\(([^)#\s]*)(#[^)]*)?\)", lambda m: self.link(document, m), part) for part in parts[::2]]
        parts[1::2] = [re.sub(r"\A```(\w*)[^\n]*", lambda m: f"```{m[1]}", part) for part in parts[1::2]]
        return "".join(parts)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def document(self, path):
        text = (SOURCE / path).read_text(encoding="utf-8")
        name = self.page_of(path)
        text = self.rewrite(path, text)
        self.write(name, with_navigation(text) if name.endswith("index.md") else text)

    def show_files(self):
        """Pages of the files that documents link to; a folder's page lists what is in it."""
        documents = set()  # Markdown beside the sources, which may link to more files
        while found := {path for path in self.files if path.suffix == ".md"} - documents:
            for path in sorted(found):
                self.document(path)
            documents |= found
        for path in sorted(self.files - documents):
            if (SOURCE / path).is_dir():
                names = sorted(p.relative_to(SOURCE / path).as_posix() for p in (SOURCE / path).rglob("*") if p.is_file())
                body = "\n".join(f"- `{name}`" for name in names)
            else:
                lines = (SOURCE / path).read_text(encoding="utf-8").splitlines()
                more = f"\n\nThe first {MOST_LINES} of {len(lines)} lines.\n" if len(lines) > MOST_LINES else ""
                body = f"````{LANGUAGES.get(path.suffix, 'text')}\n" + "\n".join(lines[:MOST_LINES]) + f"\n````{more}"
            self.write(self.page_of(path), f"---\nnosearch: true\n---\n# {path.as_posix().rstrip('/')}\n\n{body}\n")
        pages = "\n".join(f"/{self.page_of(path)[:-3]}" for path in sorted(self.files))
        self.write("files/index.md", "# Files of the sources\n\nFiles that documents refer to.\n\n"
                   f"```{{toctree}}\n:maxdepth: 1\n{pages}\n```\n")

    def manual(self, folder):
        """The manual pages, which mandoc makes Markdown of. Those of section 7 say what the reference says."""
        names = sorted(folder.rglob("ikat*.[15]"), key=lambda path: (path.suffix, path.stem))
        for path in names:
            text = subprocess.run(["mandoc", "-T", "markdown", path], capture_output=True, text=True, check=True).stdout
            text = re.sub(r"\A[^\n]*\n\n", "", text).rsplit("\n\n", 1)[0]  # without the first and the last line of a manual's page
            text = re.sub(r"^(#+) (.*)", lambda m: f"#{m[0]}" if len(m[1]) > 1 else f"## {m[2].capitalize()}", text, flags=re.M)
            self.write(f"manual/{path.name}.md", f"# {path.stem}({path.suffix[1:]})\n\n{text}\n")
        pages = "\n".join(f"/manual/{path.name}" for path in names)
        self.write("manual/index.md", "# Manual pages\n\n`man ikat` shows them where ikat is installed.\n\n"
                   f"```{{toctree}}\n:maxdepth: 1\n{pages}\n```\n")


def with_navigation(text):
    """The start page of a folder: each of its lists is a part of the navigation, under the heading above it."""
    sections = re.split(r"^## ", text, flags=re.M)
    for i, section in enumerate(sections):
        entries = re.findall(r"^- \[([^\]]*)\]\(([^)]*)\.md\)", section, re.M)
        if entries:
            caption = f":caption: {section.splitlines()[0]}\n" if i else ""
            pages = "\n".join(f"{title} <{page}>" for title, page in entries)
            sections[i] = f"{section.rstrip()}\n\n```{{toctree}}\n:hidden:\n{caption}{pages}\n```\n\n"
    return "## ".join(sections)


def repair_theme(static):
    """Debian's package of the theme expects a web server and is compiled without the colours of a reader who prefers dark: its style sheet
    and its script are completed with what they name, so that pages work from disk."""
    sheet = static / "styles/furo.css"
    text = sheet.read_text(encoding="utf-8")
    normal = re.match(r"@import url\(/javascript/([^)]*)\);", text)
    if normal:
        text = (pathlib.Path("/usr/share/javascript") / normal[1]).read_text(encoding="utf-8") + text[normal.end():]
    if "prefers-color-scheme" not in text:
        dark = re.search(r'body\[data-theme="dark"\] \{\n(\s*--.*?)\}', text, re.S)[1]
        text += f'@media not print {{ @media (prefers-color-scheme: dark) {{ body[data-theme="auto"] {{\n{dark} }} }} }}\n'
    sheet.write_text(text, encoding="utf-8")
    script = static / "scripts/furo.js"
    text = script.read_text(encoding="utf-8")
    part = re.search(r'^import Gumshoe from "\./(gumshoe-patched\.js)";\n', text, re.M)
    if part:
        other = static / "scripts" / part[1]
        script.write_text(other.read_text(encoding="utf-8") + "\n" + text.replace(part[0], ""), encoding="utf-8")
        other.unlink()


def lay_out(root, manual):
    pages = Pages(root)
    documents = sorted(path.relative_to(SOURCE) for path in (SOURCE / "docs").rglob("*.md"))
    for path in [*documents, *map(pathlib.Path, AT_THE_ROOT)]:
        pages.document(path)
    for path in sorted((SOURCE / "docs").rglob("*")):
        if path.suffix in (".png", ".svg"):
            name = root / path.relative_to(SOURCE / "docs")
            name.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, name)
    pages.show_files()
    index = (root / "index.md").read_text(encoding="utf-8").rstrip()
    more = (["Manual pages </manual/index>"] if manual else []) + ["Files of the sources </files/index>"]
    if manual:
        pages.manual(manual)
    pages.write("index.md", index + "\n\n```{toctree}\n:hidden:\n:caption: More\n" + "\n".join(more) + "\n```\n")


def build(out, manual=None):
    """Makes the site in folder `out`, which appears when all is done."""
    command = sphinx()
    if command is None:
        sys.stderr.write("make_site.py: Sphinx with MyST and Furo is missing (apt-get install python3-sphinx python3-myst-parser furo)\n")
        return 3
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        scratch = pathlib.Path(scratch)
        lay_out(scratch / "source", manual)
        environment = {**os.environ, "IKAT_SOURCE": str(SOURCE), "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "0", "LC_ALL": "C.UTF-8"}
        done = subprocess.run([*command, "-b", "html", "-c", SITE, "-d", scratch / "read", "-W", "--keep-going", "-n", "-q", scratch / "source", scratch / "html"],
                              env=environment, check=False)
        if done.returncode:
            return 1
        for name in (".buildinfo", "objects.inv"):
            (scratch / "html" / name).unlink(missing_ok=True)
        shutil.rmtree(scratch / "html/_sources", ignore_errors=True)
        repair_theme(scratch / "html/_static")
        shutil.rmtree(out, ignore_errors=True)
        (scratch / "html").rename(out)
    return 0


def main(words):
    if words == ["--check"]:
        return 0 if sphinx() else 3
    if not words or words[0].startswith("-") or len(words) not in (1, 3) or words[1:2] not in ([], ["--manual"]):
        sys.stderr.write("usage: make_site.py OUT [--manual FOLDER] | --check\n")
        return 2
    return build(pathlib.Path(words[0]).resolve(), pathlib.Path(words[2]) if len(words) == 3 else None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
