"""Sphinx extension: the first use of each term of the glossary on a page is a link to its entry, with the explanation as its title.

An entry of docs/glossary.md is a heading of the third level. Commas in it separate the names of one thing; a name's short form stands in
parentheses: `### Virtual channel (VC), virtual lane (VL)`. Terms that everybody knows from everyday language (PLAIN) are explained there, too,
but not linked: a page would consist of links.
"""
import re

try:
    from docutils import nodes
except ImportError:  # a test reads the glossary where Sphinx is another Python's
    nodes = None

PLAIN = {"host", "switch", "link", "cable", "level", "point", "pattern", "rank", "experiment", "claim", "channel", "minimal", "routing", "contention",
         "crossbar", "audit", "workload", "mapping", "root", "spec", "throughput"}
WORD_BEGINS = re.compile(r"(?<![\w-])\S")
# Pages that are made from declarations or are lists: terms are linked in the text that people read from the beginning.
NOT_IN = re.compile(r"glossary$|CHANGELOG$|reproductions$|files/|manual/")


def names_of(heading):
    """Names of a term: those separated by commas, and short forms in parentheses."""
    names = []
    for part in heading.split(", "):
        name, _, short = part.strip().partition(" (")
        names += [name] + ([short.rstrip(")")] if short else [])
    return names


def address(heading):
    """The address of a heading, as forges form it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def read_glossary(text):
    """[(heading, names, explanation)] of the glossary."""
    entries = []
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        heading, _, rest = part.partition("\n")
        rest = rest.split("\n## ")[0]
        plain = re.sub(r"\]\([^)]*\)|[*`\[\]]", "", rest).split("\n\n")
        entries.append((heading, names_of(heading), " ".join(next(filter(str.strip, plain), "").split())))
    return entries


def pattern_of(name):
    """Whole words, in the plural too, at any place of a line; the short forms as they are written."""
    words = r"[\s-]+".join(map(re.escape, re.split(r"[ -]", name)))
    if not re.search(r"[A-Z]", name[1:]):  # not an abbreviation
        words = f"[{name[0].upper()}{name[0].lower()}]{words[1:]}"
    return rf"(?<![\w-]){words}(?:s|es)?(?![\w-])"


class Linker:
    """The terms, and one search for all of them."""

    def __init__(self, text):
        self.entries = [(address(heading), names, explanation) for heading, names, explanation in read_glossary(text)]
        self.owner = {name: i for i, (_, names, _) in enumerate(self.entries) for name in names if name.lower() not in PLAIN}
        longest_first = sorted(self.owner, key=lambda name: (-len(name), name))
        # One search per first letter: trying all terms at each place would take longer than all else that a page needs.
        self.searches = {}
        for letter in {name[0].lower() for name in longest_first}:
            names = [name for name in longest_first if name[0].lower() == letter]
            self.searches[letter] = re.compile("|".join(f"({pattern_of(name)})" for name in names)), names

    def uses(self, text):
        """[(start, end, entry)] in a text."""
        found, at = [], 0
        while word := WORD_BEGINS.search(text, at):
            search, names = self.searches.get(word[0].lower(), (None, None))
            use = search and search.match(text, word.start())
            if use:
                found.append((use.start(), use.end(), self.owner[names[use.lastindex - 1]]))
            at = use.end() if use else word.end()
        return found


def is_prose(text):
    """Not within a link, code, a heading, an emphasised word."""
    node = text.parent
    while node is not None:
        if isinstance(node, (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.thead, nodes.comment, nodes.raw, nodes.image)):
            return False
        node = node.parent
    return True


def link_terms(app, doctree, page):
    if NOT_IN.search(page):
        return
    linker, seen = app.ikat_terms, set()
    for text in list(doctree.findall(nodes.Text)):
        if not is_prose(text):
            continue
        parts, at, words = [], 0, text.astext()
        for start, end, entry in linker.uses(words):
            if entry in seen:
                continue
            seen.add(entry)
            anchor, _, explanation = linker.entries[entry]
            link = nodes.reference("", "", nodes.Text(words[start:end]), internal=True, classes=["term"], reftitle=explanation,
                                   refuri=f"{app.builder.get_relative_uri(page, 'glossary')}#{anchor}")
            parts += [nodes.Text(words[at:start]), link]
            at = end
        if parts:
            text.parent.replace(text, [part for part in parts + [nodes.Text(words[at:])] if part.astext()])


def setup(app):
    app.ikat_terms = None

    def begin(app):
        with open(f"{app.srcdir}/glossary.md", encoding="utf-8") as file:
            app.ikat_terms = Linker(file.read())

    app.connect("builder-inited", begin)
    app.connect("doctree-resolved", link_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
