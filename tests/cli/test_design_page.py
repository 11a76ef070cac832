"""The page of ikat design: what it holds, texts that look like markup, wrong names; and in a browser: the picture, its filter, the comparison."""
import json
import pathlib
import re
import tempfile
import unittest

from browser import CHROMIUM, Browser
from harness import SOURCE, CliTest, run

WISH = ("design", "--hosts", 128, "--radix", 16)
RING = "collective:operation=allreduce,algorithm=ring,bytes=1280 kB,processes=16"
FULL = (*WISH, "--rails", 2, "-w", RING, "-w", "exchange:bytes=1 kB", "--fail", "2%", "--fail", "10%", "-b", "-t", "tornado:dims=8:16")
BAD = "</script><img src=x onerror=\"document.title='bad'\">"
DATA = re.compile(r'(<script type="application/json" id="ikat-data">)(.*?)(</script>)', re.DOTALL)


def data_of(page):
    return json.loads(DATA.search(pathlib.Path(page).read_text(encoding="utf-8"))[2])["designs"]


class Content(CliTest):
    def page(self, *args, name="designs.html", **more):
        self.ok(*args, "-o", self.tmp / name, **more)
        return self.tmp / name

    def test_same_figures(self):
        """The page has what --json prints, and what is printed is what is printed without a page."""
        for args in (FULL, (*WISH, "--rate", "400Gb/s", "fattree2", "oft"), ("design", "--hosts", 400000, "--radix", 128)):
            with self.subTest(args=args):
                wanted = self.json(*args)
                held = data_of(self.page(*args))
                self.assertEqual({key: held[key] for key in wanted if key != "version"}, {key: value for key, value in wanted.items() if key != "version"})
                self.assertEqual(self.ok(*args, "-o", self.tmp / "b.html"), self.ok(*args))
                self.assertEqual(self.ok(*args, "--csv", "-o", self.tmp / "b.html"), self.ok(*args, "--csv"))
                self.assertEqual((self.tmp / "b.html").read_bytes(), (self.tmp / "designs.html").read_bytes())

    def test_nothing_is_loaded(self):
        """No address of another file stands in it."""
        text = self.page(*WISH).read_text(encoding="utf-8")
        self.assertNotRegex(text, r'(?:src|href)="?(?:https?:)?//|@import|url\((?!#)')

    def test_command(self):
        """The command that the page shows gives the same."""
        held = data_of(self.page(*WISH, "slimfly", "--rate", "400Gb/s", "--seed", 3, "--fail", "2%", "-j", 1, "-q", "--no-cache"))
        self.assertEqual(held["command"][:2], ["ikat", "design"])
        self.assertEqual(held["command"][2:], ["--hosts", "128", "--radix", "16", "--rate", "400Gb/s", "--seed", "3", "--fail", "2%", "slimfly"])
        self.assertEqual(self.json(*held["command"][1:])["members"], held["members"])

    def test_prices_and_sources(self):
        path = self.tmp / "prices.yaml"
        path.write_text("currency: EUR\nadapters: [{rate: 100 Gb/s, price: 7, watts: 1, source: 'quote 31 of 2026'}]\nswitches: [{ports: 8, rate: 100 Gb/s, price: 100, watts: 1}]\n", encoding="utf-8")
        held = data_of(self.page(*WISH, "--prices", path))
        parts = {p.pop("part"): p for p in held["parts"]}
        self.assertEqual(parts["adapter"], {"ports": None, "price": 7, "watts": 1, "times": 1, "assumed": False, "source": "quote 31 of 2026"})
        self.assertEqual(parts["switch"], {"ports": 8, "price": 200, "watts": 2, "times": 2, "assumed": False, "source": ""})
        self.assertEqual((parts["optical cable"]["price"], parts["optical cable"]["assumed"]), (350, True))
        for m in held["members"]:
            numbers = {"switch": m["switches"], "adapter": m["hosts"], "copper cable": m["floor"]["copper_cables"], "optical cable": m["floor"]["optical_cables"]}
            self.assertAlmostEqual(m["cost"], sum(n * parts[p]["price"] for p, n in numbers.items()))
            self.assertAlmostEqual(m["watts"], sum(n * parts[p]["watts"] for p, n in numbers.items()))
        path.write_text("adapters: [{rate: 100 Gb/s, price: 7, watts: 1, source: [2026]}]\n", encoding="utf-8")
        self.refused(*WISH, "--prices", path, says=("prices.yaml:1:", "source"))

    def test_texts_are_escaped(self):
        (self.tmp / "d").mkdir()
        prices = self.tmp / "<img src=x>.yaml"
        prices.write_text(f"currency: '<b>&lt;'\nadapters: [{{rate: 100 Gb/s, price: 7, watts: 1, source: '{BAD.replace(chr(39), chr(39) * 2)}'}}]\n", encoding="utf-8")
        page = self.page(*WISH, "--prices", prices)
        text, held = page.read_text(encoding="utf-8"), data_of(page)
        self.assertNotIn("<img", text)
        self.assertEqual(text.count("</script>"), 2) # of the data and of the program
        self.assertEqual((held["currency"], held["prices"], held["parts"][1]["source"]), ("<b>&lt;", str(prices), BAD))

    def test_wrong_names(self):
        for name, words in (("designs.csv", ("no csv file", "--csv")), ("designs.JSON", ("no JSON file", "--json")), ("designs.txt", ("ends with .html", "designs.txt")),
                            ("designs", ("ends with .html",)), ("page.html/", ("ends with .html",))):
            with self.subTest(name=name):
                self.refused(*WISH, "-o", f"{self.tmp}/{name}", says=words)
        self.refused(*WISH, "-o", "-", says="cannot be written to standard output")
        prices = self.tmp / "prices.html"
        prices.write_text("currency: EUR\n", encoding="utf-8")
        self.refused(*WISH, "--prices", prices, "-o", prices, says="would overwrite the list of prices")
        self.assertEqual(prices.read_text(encoding="utf-8"), "currency: EUR\n")
        self.assertEqual([p.name for p in self.tmp.iterdir()], ["prices.html"])

    def test_whole_or_not_at_all(self):
        """A pattern that does not parse and a folder that is not there leave what was there."""
        page = self.tmp / "designs.html"
        page.write_text("before", encoding="utf-8")
        self.refused(*WISH, "-t", "nothing", "-o", page, says="nothing")
        self.refused(*WISH, "-o", self.tmp / "none/designs.html", says="none/designs.html")
        # The page that is being written is no file that was meant; what is wrong with options says where they are explained.
        said = self.refused(*WISH, "--prices", self.tmp / "q.html", "-o", self.tmp / "q.html", says="cannot be opened")
        self.assertNotIn(".tmp'", said)
        for words in (("--rate", "5"), ("--choose", "cheap"), ("-w", "uniform"), ("--fail", "x")):
            self.refused(*WISH, *words, says="see 'ikat design -h'")
        self.assertEqual(page.read_text(encoding="utf-8"), "before")
        self.assertEqual([p.name for p in self.tmp.iterdir()], ["designs.html"])
        self.ok(*WISH, "-o", self.tmp / "two.HTM")
        self.assertTrue((self.tmp / "two.HTM").read_text(encoding="utf-8").startswith("<!DOCTYPE html>"))
        done = run(*WISH, "--json", "-o", page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(data_of(page)["members"], json.loads(done.stdout)["members"])


    def test_no_family_fits(self):
        """The page is written, and has what stands in the way; the status is that of a wish that is not met."""
        wish = ("design", "--hosts", 2000, "--radix", 8)
        self.refused(*wish, "oft", "fullmesh", "-o", self.tmp / "none.html", says="no family reaches 2,000 hosts with 8-port switches")
        held = data_of(self.tmp / "none.html")
        self.assertEqual(held["members"], [])
        self.assertEqual({m["series"] for m in held["infeasible"]}, {"OFT", "Full mesh"})
        self.refused(*wish, "-o", self.tmp / "none/x.html", says="none/x.html")


HELPERS = """
window.all = (css) => [...document.querySelectorAll(css)];
window.texts = (css) => all(css).map((n) => n.textContent);
window.column = (name, n) => all(`[data-table='${name}'] tbody tr`).map((r) => r.children[n].textContent);
window.pick = (label, value) => { const s = document.querySelector(`select[aria-label='${label}']`); s.value = value; s.dispatchEvent(new Event('change', { bubbles: true })); };
0
"""


@unittest.skipUnless(CHROMIUM, "no Chromium here")
class Reader(CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.full = pathlib.Path(folder.name) / "full.html"
        done = run(*FULL, "-o", cls.full)
        assert done.returncode == 0, done.stderr
        cls.browser = Browser(folder.name)
        cls.addClassCleanup(lambda: cls.browser.__exit__())

    def setUp(self):
        super().setUp()
        self.browser.console.clear()
        self.browser.show_as(1280)

    def open(self, *args, fragment=""):
        """Shows the page of a command; of none: that of FULL."""
        page = self.tmp / "designs.html" if args else self.full
        if args:
            self.ok(*args, "-o", page)
        self.show(page, fragment)
        return data_of(page)

    def show(self, page, fragment=""):
        self.browser.open(page, fragment)
        self.browser.run(HELPERS)

    def run_js(self, script):
        value = self.browser.run(script)
        self.browser.settle()
        return value

    def front(self, members, better, performance):
        """Not beaten in cost and performance, the cheapest first, as the definition has it."""
        key = lambda m: (m["cost_per_host"], -better * performance(m))
        near = lambda a, b: abs(a - b) <= 5e-4 * max(abs(a), abs(b))
        beats = lambda a, b: (all(x < y or near(x, y) for x, y in zip(key(a), key(b))) and any(x < y and not near(x, y) for x, y in zip(key(a), key(b))))
        return [b["series"] for b in members if not any(beats(a, b) for a in members)]

    def test_picture(self):
        """A mark for each design with its figures; the front; other figures."""
        held = self.open()
        members = held["members"]
        marks = self.run_js("all('.mark').map((m) => [m.getAttribute('aria-label'), m.querySelector('path').getAttribute('d')])")
        self.assertEqual([m[0].split(": ")[0] for m in marks], [m["series"] for m in members])
        self.assertEqual(len({m[1] for m in marks[:7]}), 7)  # seven shapes
        self.assertIn(f"cost per host, USD: {round(members[0]['cost_per_host']):,}", marks[0][0])
        self.assertIn("saturation: uniform traffic: ", marks[0][0])
        self.assertEqual(self.run_js("all('.front').length"), 1)
        said = lambda: self.run_js("document.querySelector('.front-text').textContent")
        self.assertEqual(said(), f"Not beaten in both: {', '.join(self.front(members, -1, lambda m: m['workloads'][0]['phases_ns']))}.")
        self.assertIn("by phases", self.run_js("document.querySelector(\"select[aria-label='performance']\").selectedOptions[0].textContent"))
        for value, better, performance in (("saturation.1", 1, lambda m: m["saturation"][1]["load"]), ("left.1", 1, lambda m: m["failures"][1]["saturation"]),
                                           ("at_least_ns.1", -1, lambda m: m["workloads"][1]["at_least_ns"])):
            self.run_js(f"pick('performance', '{value}')")
            self.assertEqual(said(), f"Not beaten in both: {', '.join(self.front(members, better, performance))}.")
            self.assertEqual(self.run_js("all('.mark').length"), len(members))
        self.run_js("pick('against', 'switches')")
        self.assertIn("switches", self.run_js("document.querySelector('.scatter').getAttribute('aria-label')"))
        self.assertEqual(self.browser.console, [])

    def test_keyboard(self):
        """Marks are reached with the keyboard, say what they are, and are chosen by it."""
        self.open(*WISH)
        self.run_js("all('.mark')[2].focus()")
        self.assertFalse(self.run_js("document.querySelector('.tip').hidden"))
        name = self.run_js("all('.mark')[2].getAttribute('aria-label')").split(": ")[0]
        self.assertTrue(self.run_js("document.querySelector('.tip').textContent").startswith(name))
        before = self.run_js("all('.mark')[2].getAttribute('aria-pressed')")
        self.run_js("all('.mark')[2].dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))")
        self.assertNotEqual(self.run_js("all('.mark')[2].getAttribute('aria-pressed')"), before)
        self.assertTrue(self.run_js("document.activeElement === all('.mark')[2]"))
        self.run_js("all('.mark')[2].dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))")
        self.assertTrue(self.run_js("document.querySelector('.tip').hidden"))

    def test_filter(self):
        """A family that is left out is nowhere; the address remembers it."""
        members = self.open()["members"]
        first = members[0]["series"]
        self.run_js("document.querySelector('[data-family]').click()")
        rest = [m["series"] for m in members[1:]]
        self.assertEqual(self.run_js("all('.mark').map((m) => m.getAttribute('aria-label').split(': ')[0])"), rest)
        self.assertEqual(self.run_js("column('designs', 0)"), rest)
        self.assertEqual(self.run_js("texts('.choice')"), rest)
        self.assertNotIn(first, self.run_js("texts('#costs .bar-name, #workloads .bar-name, #failures td')"))
        self.assertNotIn(first, self.run_js("document.querySelector('.front-text').textContent"))
        self.assertEqual(self.run_js("document.activeElement.dataset.family"), self.run_js("document.querySelector('[data-family]').dataset.family"))
        self.run_js("new Promise((done) => setTimeout(done, 300))")
        fragment = self.run_js("location.hash")
        self.show(self.full, fragment)
        self.assertEqual(self.run_js("all('.mark').length"), len(rest))
        self.run_js("all('[data-family]').forEach((b) => b.getAttribute('aria-pressed') === 'true' && b.click())")
        self.assertEqual(self.run_js("all('.mark').length"), 0)
        self.assertEqual(self.browser.console, [])

    def test_table(self):
        """Every column says how its figures were obtained; a click sorts."""
        members = self.open()["members"]
        self.assertEqual(self.run_js("column('designs', 0)"), [m["series"] for m in members])
        kinds = self.run_js("Object.fromEntries(all(\"[data-table='designs'] th.number\").map((t) => [t.dataset.key, t.querySelector('.kind').textContent]))")
        for key, kind in (("cost_per_host", "assumed prices"), ("switches", "counted"), ("diameter", "computed"), ("vcs", "proved"), ("saturation.0", "predicted"), ("phases_ns.0", "estimate")):
            self.assertEqual(kinds[key], kind)
        self.assertEqual(self.run_js("all('th.number .sort:not([title])').map((b) => b.closest('th').dataset.key).filter((k) => k in " + json.dumps(kinds) + ")"), [])
        self.run_js("document.querySelector(\"[data-table='designs'] th[data-key='switches'] button\").click()")
        self.assertEqual(self.run_js("column('designs', 0)"), [m["series"] for m in sorted(members, key=lambda m: m["switches"])])
        self.assertEqual(len(self.run_js("column('figures', 0)")), len(set(self.run_js("column('figures', 0)"))))

    def test_comparison(self):
        members = self.open()["members"]
        names = lambda: self.run_js("texts('.comparison thead th').slice(1)")
        chosen = names()
        self.assertGreaterEqual(len(chosen), 2)
        self.assertEqual(self.run_js("all('.choice input').filter((i) => i.checked).length"), len(chosen))
        for name in chosen:
            self.run_js("all('.choice input').find((i) => i.checked).click()")
        self.assertEqual(names(), [])
        self.assertIn("Choose at least two designs", self.run_js("document.querySelector('.comparison').textContent"))
        self.run_js("(() => { const box = all(\"[data-table='designs'] tbody input\")[1]; box.focus(); box.click(); })()")
        self.assertEqual(self.run_js("document.activeElement.getAttribute('aria-label')"), f"compare {members[1]['series']}")
        self.run_js("all('.choice input')[3].click()")
        self.assertEqual(names(), [members[1]["series"], members[3]["series"]])
        row = self.run_js("[...document.querySelector(\".comparison tr[data-figure='cost_per_host']\").children].map((c) => [c.textContent, c.className])")
        self.assertEqual(row[1], [f"{round(members[1]['cost_per_host']):,}", "number best"])
        more = members[3]["cost_per_host"] / members[1]["cost_per_host"] - 1
        self.assertEqual(row[2], [f"{round(members[3]['cost_per_host']):,}+{100 * more:.1f} %", "number"])
        self.assertEqual(self.run_js("all(\"[data-table='designs'] tbody input\").filter((i) => i.checked).length"), 2)
        self.assertEqual(self.browser.console, [])

    def test_summary(self):
        """What is asked, what fits, what is not beaten, in sentences."""
        held = self.open()
        text = self.run_js("document.getElementById('summary').textContent")
        for words in ("128 hosts are to be connected by switches with at most 16 ports of 100 Gb/s.", "Each host has 2 ports, each to a network of its own", "together they give a host 200 Gb/s",
                      f"The workloads are {RING} and exchange:bytes=1 kB.", "2 % or 10 % of the cables", "round numbers that ikat's authors assumed, from no source",
                      f"{len(held['members'])} of {len(held['members']) + len(held['infeasible'])} families have a member that fits.", "By cost per host and the time by phases (an estimate) of"):
            self.assertIn(words, text)
        said = re.search(r"With 2 % of cables failed, uniform traffic saturates at (.*?): predicted, means of 3 random draws\. (All|At least)", text)[1]
        for left, series, whole in re.findall(r"([\d.]+) % of the hosts' rate in (.+?) \(whole: ([\d.]+) %\)", said):
            m = next(m for m in held["members"] if m["series"] == series)
            self.assertAlmostEqual(float(left), 100 * m["failures"][0]["saturation"], delta=.06)
            self.assertAlmostEqual(float(whole), 100 * m["saturation"][0]["load"], delta=.06)
        reasons = self.run_js("column('misfits', 4)")
        self.assertEqual([r[1:-1] for r in reasons], [m["reason"][1:] for m in held["infeasible"]])

    def test_prices(self):
        path = self.tmp / "prices.yaml"
        path.write_text("adapters: [{rate: 100 Gb/s, price: 7, watts: 1, source: 'quote 31 of 2026'}]\n", encoding="utf-8")
        self.open(*WISH, "--prices", path)
        self.assertEqual(self.run_js("column('prices', 4)[1]"), f"{path}: quote 31 of 2026")
        self.assertIn("those of switches, copper cables and optical cables are round numbers", self.run_js("document.getElementById('summary').textContent"))

    def test_few_figures(self):
        """One design; networks that are not built; a single host."""
        for args, words in (((*WISH, "fattree2"), "one design is at least as good"), (("design", "--hosts", 400000, "--radix", 128), "only sizes and costs are known"),
                            (("design", "--hosts", 1, "--radix", 2), "1 host is to be connected"),
                            (("design", "--hosts", 60, "--radix", 16, "--floor", "none", "xgft", "--fail", "100%"), "uniform traffic of the pairs that stay connected saturates at 100.0 %"),
                            (("design", "--hosts", "100..140", "--radix", 16, "--floor", "none", "xgft", "dragonfly"), "100 to 140 hosts are to be connected by switches with at most 16 ports of 100 Gb/s. Of each family the number of hosts with the least cost per host is shown")):
            with self.subTest(args=args):
                self.open(*args)
                self.assertIn(words, self.run_js("document.getElementById('summary').textContent"))
                self.assertEqual("\n".join(self.run_js((SOURCE / "tests/cli/measure.js").read_text(encoding="utf-8"))), "")
        self.assertEqual(self.browser.console, [])

    def changed(self, change):
        """Shows the page of FULL with other data."""
        page = self.full.read_text(encoding="utf-8")
        held = json.loads(DATA.search(page)[2])
        change(held["designs"])
        text = json.dumps(held).replace("<", "\\u003c")
        (self.tmp / "changed.html").write_text(DATA.sub(lambda m: m[1] + text + m[3], page), encoding="utf-8")
        self.show(self.tmp / "changed.html")
        self.assertEqual(self.browser.console, [])
        return self.run_js("document.getElementById('summary').textContent")

    def test_no_family_fits(self):
        """Which family comes nearest, and who would fit with larger switches, the largest first; on wide and narrow screens."""
        page = self.tmp / "none.html"
        self.refused("design", "--hosts", 2000, "--radix", 8, "-o", page, says="no family reaches")
        self.show(page)
        members = sorted(data_of(page)["infeasible"], key=lambda m: -m["most_hosts"])
        text = self.run_js("document.getElementById('summary').textContent")
        least = min(m["radix_needed"] for m in members if m["radix_needed"])
        for words in ("No family reaches 2,000 hosts with 8-port switches.", f"The nearest is {members[0]['series']}, with at most {members[0]['most_hosts']:,} hosts: {members[0]['nearest']}.",
                      f"With switches of {least} ports "):
            self.assertIn(words, text)
        self.assertEqual(self.run_js("column('misfits', 1)"), [f"{m['most_hosts']:,}" for m in members])
        measure = (SOURCE / "tests/cli/measure.js").read_text(encoding="utf-8")
        for width in (1280, 390):
            self.browser.show_as(width)
            self.browser.settle()
            self.assertEqual("\n".join(self.run_js(measure)), "")
            self.assertLessEqual(self.run_js("document.documentElement.scrollWidth"), width)
        self.assertEqual(self.browser.console, [])

    def test_growth(self):
        """What has to be done, and which hosts move."""
        members = self.open(*WISH, "fattree2", "slimfly", "--from", "pgft:m=8:8,w=1:8,p=1:1")["members"]
        self.assertEqual(self.run_js("column('growth', 0)"), [m["series"] for m in members])
        self.assertEqual(self.run_js("column('growth', 4)"), [f"{m['growth']['cables_moved']:,}" for m in members])
        for shown, m in zip(self.run_js("column('growth', 9)"), members):
            self.assertEqual(shown == "–", m["growth"]["hosts_moved"] == 0)
        self.assertEqual(self.browser.console, [])

    def test_free_parts(self):
        """Where all prices are zero, no sentence has a part of nothing, and no figure is the best."""
        prices = self.tmp / "free.yaml"
        row = "{rate: 100 Gb/s, price: 0, watts: 0}"
        prices.write_text(f"switches: [{{ports: 16, rate: 100 Gb/s, price: 0, watts: 0}}]\nadapters: [{row}]\ncopper_cables: [{row}]\noptical_cables: [{row}]\n", encoding="utf-8")
        self.open("design", "--hosts", 16, "--radix", 16, "--prices", prices)
        self.assertNotRegex(self.run_js("document.body.innerText"), "NaN|Infinity")
        self.run_js("all('.choice input').forEach((_, i) => { const box = all('.choice input')[i]; if (!box.checked) box.click(); })")
        best = self.run_js("Object.fromEntries(['cost_per_host', 'switch_cables'].map((k) => [k, [...document.querySelectorAll(`.comparison tr[data-figure='${k}'] td`)].map((c) => [c.textContent, c.classList.contains('best')])]))")
        self.assertFalse(any(is_best for _, is_best in best["cost_per_host"]), best)
        self.assertEqual({is_best for text, is_best in best["switch_cables"] if text == "0"}, {True})
        self.assertEqual({is_best for text, is_best in best["switch_cables"] if text != "0"}, {False})
        self.assertEqual(self.browser.console, [])

    def test_equal_and_unknown(self):
        """Designs with the same figures; one without a figure; one that is not proved while its damaged networks are; names that turn the writing."""
        def equal(d):
            d["members"] = [dict(d["members"][0], series=f"Copy {i}") for i in range(3)]
        self.assertIn("3 designs are not beaten", text := self.changed(equal))
        self.assertIn("They are equal in both.", text)
        self.assertNotRegex(text, r"(?<!\d)0\.0 %")

        def unknown(d):
            d["members"][1]["workloads"][0] = dict.fromkeys(d["members"][1]["workloads"][0])
            d["members"][1]["series"] = "Turned \u202e design"
            d["members"][0]["proved"] = False
        text = self.changed(unknown)
        self.assertRegex(text, "Not judged, because the time by phases .* is not known: Turned \ufffd design\\.")
        self.assertIn(f"NOT PROVED is the routing of {data_of(self.full)['members'][0]['series']}. Every routing of the damaged networks was proved, too.", text)
        self.assertNotIn("\u202e", self.run_js("document.body.textContent.replace(document.getElementById('ikat-data').textContent, '')"))

    def test_no_family_is_left(self):
        """All families can be left out."""
        self.open()
        self.run_js("all('[data-family]').forEach((_, i) => all('[data-family]')[i].click())")
        self.assertEqual(self.run_js("all('.mark').length"), 0)
        self.assertEqual(self.run_js("document.querySelector('.front-text').textContent"), "Not beaten in both: none has both figures.")
        self.assertNotRegex(self.run_js("document.querySelector('main').innerText"), "NaN|Infinity|undefined")
        self.assertEqual(self.browser.console, [])

    def test_hostile_texts(self):
        """Names of families and files that look like markup are shown as they are."""
        page = self.full.read_text(encoding="utf-8")
        held = json.loads(DATA.search(page)[2])
        designs = held["designs"]
        designs.update(currency="<b>", prices=BAD, workloads=[BAD, "exchange"], patterns=[BAD, *designs["patterns"][1:]], command=["ikat", BAD])
        for part in designs["parts"]:
            part.update(assumed=False, source=BAD)
        for member in designs["members"]:
            member.update(series=f"{member['series']} {BAD}", spec=BAD, routing=BAD)
        for misfit in designs["infeasible"]:
            misfit.update(series=BAD, reason=BAD, nearest=BAD)
        text = json.dumps(held).replace("<", "\\u003c")
        (self.tmp / "bad.html").write_text(DATA.sub(lambda m: m[1] + text + m[3], page), encoding="utf-8")
        self.show(self.tmp / "bad.html")
        self.assertEqual(self.run_js("all('#app img, #app b').length"), 0)
        self.assertEqual(self.run_js("document.title"), "Networks for 128 hosts: ikat design")
        self.assertEqual(self.run_js("all('.mark').length"), len(designs["members"]))
        saved = self.run_js("document.querySelector('#trade-off [data-save=svg]').savedText()")
        self.assertNotIn("<img", saved)
        self.assertEqual(self.browser.console, [])
        self.browser.show_as(390)
        self.browser.settle()
        self.assertLessEqual(self.run_js("document.documentElement.scrollWidth"), 390)

    def test_can_be_read(self):
        """On wide and narrow screens, dark, and on paper, with all tables open."""
        measure = (SOURCE / "tests/cli/measure.js").read_text(encoding="utf-8")
        for args in ((), (*WISH, "-w", RING, "--simulate", "--from", "pgft:m=8:8,w=1:8,p=1:1,link_rate=100Gb/s")):
            self.open(*args, fragment="#numbers")
            self.read_everywhere(measure)

    def read_everywhere(self, measure):
        for how in ({"width": 1280}, {"width": 820}, {"width": 390}, {"width": 320}, {"width": 1280, "dark": True}, {"width": 390, "dark": True}, {"width": 718, "paper": True}):
            with self.subTest(how=how):
                self.browser.show_as(**how)
                self.browser.settle()
                if how.get("paper"):
                    self.run_js("void dispatchEvent(new Event('beforeprint'))")
                self.assertEqual("\n".join(self.run_js(measure)), "")
                self.assertLessEqual(self.run_js("document.documentElement.scrollWidth"), how["width"])
                self.assertGreater(self.run_js("all('.mark').length"), 5)
        self.assertEqual(self.browser.console, [])


if __name__ == "__main__":
    unittest.main()
