"""What a reader does with the report page: sorts and searches tables, saves pictures and tables, finds hosts and their paths, sends a view as
an address; curves' names and looks; large pages."""
import base64
import csv
import io
import json
import math
import os
import re
import subprocess
import unittest
import zlib
import xml.etree.ElementTree as ElementTree

from browser import CHROMIUM, Browser
from harness import IKAT, SOURCE, CliTest

SVG = "{http://www.w3.org/2000/svg}"
TREE = """\
fabric: karytree:k=4,n=2
routing: [dmodk, adaptive_tree]
traffic: [uniform, "shift:by=4"]
load: [30%, 90%]
switch: {buffer: [2 KiB, 16 KiB], queues: fifo}
adapter: {packet: 256 B}
measure: {warmup: 1 us, duration: 3 us, series: 500 ns}
"""
JOBS = """\
fabric: slimtree:k=4,w=2,n=2
routing: dmodk
adapter: {packet: 256 B}
jobs:
  - {name: solver, traffic: exchange, hosts: 0..7}
  - {name: halo, traffic: {family: exchange, pattern: "neighbour:dims=2:4", bytes: 16 KiB}, hosts: 8..15, mapping: [linear, random]}
measure: {until: delivered, at_most: 10 ms, series: 1 us}
"""
STATIC = """\
fabric: {family: lrt, N: 16, d: 4, r: 2, seed: 1..3}
routing: {family: loren, t_max: [least, 12, 16]}
simulate: false
measures: [proof, mean_hops, entries]
over: fabric.seed
"""
# What a reader types into a field, chooses in a list, moves on a slider.
HELPERS = """
window.field = (label, within = document) => within.querySelector(`[aria-label='${label}']`);
window.type = (node, text) => { node.focus(); node.value = text; node.dispatchEvent(new Event('input', { bubbles: true })); node.dispatchEvent(new Event('change', { bubbles: true })); };
window.column = (name, n) => [...document.querySelectorAll(`[data-table='${name}'] tbody tr`)].map((r) => r.children[n].textContent);
window.wait = (ms) => new Promise((done) => setTimeout(done, ms));
0
"""


class Routes(CliTest):
    """The routes that the page holds, of every pair, against the paths that `ikat route` prints."""

    def routes(self, text):
        path, store, page = (self.tmp / f"x.{end}" for end in ("yaml", "db", "html"))
        path.write_text(text + "measure: {warmup: 100 ns, duration: 200 ns}\nload: 10%\nadapter: {packet: 256 B}\n")
        store.unlink(missing_ok=True)
        self.ok("run", path, "-o", store, "-q", status=None)
        self.ok("report", store, "-o", page)
        def part(name):
            packed, text = re.search(rf'id="ikat-{name}"( data-encoding="deflate")?>(.*?)</script>', page.read_text(encoding="utf-8"), re.S).groups()
            return json.loads(zlib.decompress(base64.b64decode(text)) if packed else text)
        return part("data"), part("routes")

    def test_lists_are_what_packets_may_take(self):
        cases = {("karytree:k=2,n=3", "dmodk"): "all", ("xgft:m=4:4,w=2:2", "dmodk"): "all", ("xgft:m=4:4,w=2:2", "oblivious"): "some", ("torus:dims=4:4", "dor"): "all",
                 ("slimfly:q=5,p=1", "minimal"): "all", ("torus:dims=3:3", "valiant"): "some", ("dragonfly:a=4,h=2,p=2", "ugal_l"): "some", ("lrt:N=16,d=4,r=2", "loren:t_max=12"): "all", ("karytree:k=2,n=3", "adaptive_tree"): "some"}
        for (fabric, routing), held in cases.items():
            with self.subTest(fabric=fabric, routing=routing):
                data, [plan] = self.routes(f'fabric: "{fabric}"\nrouting: "{routing}"\n')
                drawing = data["fabrics"][0]["drawing"]
                # Channels by switch and local port: the order in which they leave a switch.
                leaving = {}
                for c, a, _, o, b, _, _ in drawing["links"]:
                    leaving.setdefault(a, []).append(c)
                    leaving.setdefault(b, []).append(o)
                inner = {c for l in drawing["links"] for c in (l[0], l[3]) if l[1] < drawing["switches"] and l[4] < drawing["switches"]}
                lines = [line.split() for line in self.ok("route", fabric, "--routing", routing, "--format", "paths").splitlines() if line[0] != "#"]
                self.assertGreater(len(lines), 50)
                base = {sw: min(channels) for sw, channels in leaving.items()}
                taken = {}
                for src, dst, _, *steps in lines:
                    found = {base[int(s.split(".")[0])] + int(s.split(".")[1].split("/")[0]) for s in steps}
                    taken.setdefault((int(src), int(dst)), set()).update(found & inner)
                for (src, dst), channels in taken.items():
                    mine = set(plan["lists"][plan["of"][src][dst] - 1])
                    self.assertEqual(mine & inner if held == "all" else mine & channels, channels, (src, dst))
                if held == "all":
                    self.assertTrue(all(plan["of"][a][b] > 0 for a, b in taken))

    def test_what_is_too_much_is_said(self):
        for fabric, routing, says in (("xgft:m=9:9:9,w=1:1:1", "dmodk", "too many hosts"), ("slimfly:q=7,p=2", "valiant", "too many (ways|different routes)")):
            _, [plan] = self.routes(f'fabric: "{fabric}"\nrouting: "{routing}"\n')
            self.assertRegex(plan["why"], says)


@unittest.skipUnless(CHROMIUM, "no Chromium here")
class Views(CliTest):
    def make(self, text, name="x"):
        path = self.tmp / f"{name}.yaml"
        path.write_text(text)
        self.ok("run", path, "-o", self.tmp / f"{name}.db", "-q", status=None)
        self.ok("report", self.tmp / f"{name}.db", "-o", self.tmp / f"{name}.html")
        return self.tmp / f"{name}.db", self.tmp / f"{name}.html"

    def open(self, browser, page, fragment="", **how):
        browser.show_as(**{"width": 1200, **how})
        browser.open(page, fragment)
        browser.run(HELPERS)

    def key(self, browser, key, code):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text="\r" if key == "Enter" else "")

    # ---- tables

    def test_tables_sort_and_search(self):
        """By click and by keyboard, numbers as numbers, and back to the first order; words are sought in every column."""
        _, page = self.make(TREE)
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            browser.run("document.querySelector('details[data-numbers=points]').open = true")
            browser.settle()
            head = "document.querySelector(\"[data-table=points] th[data-key=packets_delivered]\")"
            place = browser.run(f"[...{head}.parentElement.children].indexOf({head})")
            rows = lambda: browser.run(f"column('points', {place})")
            before = rows()
            number = lambda text: int(text.replace(",", ""))
            self.assertNotEqual(sorted(before), sorted(before, key=number))  # as texts they have another order
            browser.run(f"{head}.querySelector('button').click()")
            self.assertEqual(rows(), sorted(before, key=number))
            self.assertEqual(browser.run(f"{head}.ariaSort"), "ascending")
            # The focus stays on the header: Enter sorts the other way, and again gives the first order.
            self.key(browser, "Enter", 13)
            self.assertEqual(rows(), sorted(before, key=number, reverse=True))
            self.assertEqual(browser.run(f"{head}.ariaSort"), "descending")
            self.key(browser, "Enter", 13)
            self.assertEqual(rows(), before)
            self.assertEqual(browser.run(f"{head}.ariaSort"), None)
            browser.run("type(field('filter rows of saturation'), 'ADAPTIVE 16')")
            self.assertEqual(browser.run("column('saturation', 0)"), ["adaptive_tree"] * 2)
            self.assertTrue(all("16 KiB" in t for t in browser.run("column('saturation', 3)")))
            self.assertEqual(browser.run("document.querySelector('[data-table=saturation] .found').textContent"), "2 of 8 rows")

    def test_every_table_has_its_tools(self):
        """Of every kind of results: a filter, headers that sort, CSV; also of tables that open."""
        for name, text in {"tree": TREE, "jobs": JOBS, "static": STATIC}.items():
            _, page = self.make(text, name)
            with self.subTest(kind=name), Browser(self.tmp) as browser:
                self.open(browser, page, "#numbers")
                bad = browser.run("""[...document.querySelectorAll('table')].filter((t) => {
                  const box = t.closest('.table'), many = t.querySelectorAll('tbody tr').length > 1;
                  const csv = box?.querySelector('[data-csv]') ?? box?.closest('.numbers-box')?.querySelector('[data-csv]');
                  return !csv || !csv.csvText().includes('\\n') || (many && !box.querySelector('.filter')) || [...t.querySelectorAll('th')].some((th) => !th.querySelector('button.sort'));
                }).map((t) => t.textContent.slice(0, 60))""")
                self.assertEqual(bad, [])
                self.assertEqual(browser.console, [])

    def test_csv_of_tables_has_the_numbers_of_the_command(self):
        """What the page's tables and --csv --table both have of a curve or class is equal, and every row is there whatever the filter."""
        store, page = self.make(TREE)
        curves = {(r["routing"], r["traffic"], r["variant"], r["load"], r["result"]): r for r in csv.DictReader(io.StringIO(self.ok("report", store, "--csv", "--table", "curves")))}
        with Browser(self.tmp) as browser:
            self.open(browser, page, "#numbers")
            browser.run("document.querySelectorAll('.filter').forEach((f) => type(f, 'nothing at all'))")
            held = lambda name: list(csv.DictReader(io.StringIO(browser.run(f"document.querySelector(\"[data-csv='{name}']\").csvText()"))))
            self.assertEqual(len(held("saturation")), 8)
            compared = 0
            for name in ("throughput-uniform", "latency-uniform", "throughput-shift-by-4", "latency-shift-by-4"):
                self.assertEqual(len(held(name)), 8)
                for row in held(name):
                    for result, value in row.items():
                        of = curves.get((row["routing"], row["traffic"], row["variant"], row["load"], result))
                        if of:
                            compared += 1
                            self.assertEqual(float(value), float(of["mean"]), f"{name}: {result}")
            self.assertGreater(compared, 100)
            self.assertEqual(browser.run("document.querySelector('[data-csv=points]').csvText()"), self.ok("report", store, "--csv"))

    # ---- pictures

    def check_picture(self, text, what):
        root = ElementTree.fromstring(text)
        self.assertEqual(root.tag, f"{SVG}svg", what)
        self.assertEqual([(r.get("fill"), r.get("width")) for r in root if r.tag == f"{SVG}rect"][:1], [("#ffffff", "100%")], what)
        for bad in ("var(", "currentColor", "NaN", "undefined", "Infinity", "inherit"):
            self.assertNotIn(bad, text, what)
        marks = [n for n in root.iter() if n.tag in {f"{SVG}{t}" for t in ("path", "rect", "line", "circle")}]
        self.assertGreater(len(marks), 3, what)
        self.assertTrue(any(n.text for n in root.iter(f"{SVG}text")), what)

    def test_pictures_are_saved_in_print_colours(self):
        """Every plot, bar chart, map and the fabric, of every kind of results: a file that stands alone, the same from a dark page."""
        for name, text in {"tree": TREE, "jobs": JOBS}.items():
            _, page = self.make(text, name)
            saved = {}
            with Browser(self.tmp) as browser:
                for dark in (False, True):
                    self.open(browser, page, dark=dark)
                    saved[dark] = browser.run("[...document.querySelectorAll('[data-save=svg]')].filter((b) => b.getClientRects().length).map((b) => [b.ariaLabel, b.savedText()])")
                    self.assertEqual(browser.run("document.documentElement.dataset.theme"), "dark" if dark else "light")
                    pictures = browser.run("[...document.querySelectorAll('.plot, .bars, canvas.heat, canvas.fabric')].filter((n) => n.getClientRects().length).length")
                    self.assertEqual(len(saved[dark]), pictures)
                    self.assertEqual(browser.run("[...document.querySelectorAll('[data-save=png]')].filter((b) => b.getClientRects().length).length"), pictures)
                self.assertEqual(browser.console, [])
            self.assertGreater(len(saved[False]), 3)
            for what, text in saved[False]:
                with self.subTest(kind=name, picture=what):
                    self.check_picture(text, what)
            ids = lambda list_: [(what, re.sub(r"zr\d+", "zr", text)) for what, text in list_]
            self.assertTrue(ids(saved[False]) == ids(saved[True]), "saved pictures depend on the theme")

    def test_png_is_a_picture(self):
        """The file that PNG gives, 300 dots per inch, is not empty and not of one colour."""
        _, page = self.make(TREE)
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(self.tmp))
            browser.run("document.querySelector('#performance [data-save=png]').click()")
            path = self.tmp / "throughput-over-load-under-uniform.png"
            for _ in range(6000):
                if path.exists() and path.stat().st_size:
                    break
                browser.run("wait(50)")
            data = path.read_bytes()
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(int.from_bytes(data[16:20], "big"), 2250)
            self.assertGreater(len(data), 10000)

    # ---- the fabric

    def rings(self, browser):
        """Places of the rings in the fabric's picture, its size, and the widths of lines in the colour of paths."""
        text = browser.run("document.querySelector('#fabric [data-save=svg]').savedText()")
        root = ElementTree.fromstring(text)
        accent = [p for p in root.iter(f"{SVG}path") if p.get("stroke") == "#27408b"]
        rings = [re.match(r"M([-\d.]+) ([-\d.]+)a([\d.]+)", p.get("d")) for p in accent]
        lines = [p for p, r in zip(accent, rings) if not r]
        return [(float(r.group(1)) + float(r.group(3)), float(r.group(2))) for r in rings if r], lines

    def test_a_host_or_switch_is_found(self):
        """By name or number, with completion: it is ringed and stands in the middle; what does not exist is said."""
        _, page = self.make(TREE)
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            middle = [x / 2 for x in browser.run("(() => { const c = document.querySelector('canvas.fabric'); return [c.clientWidth, c.clientHeight]; })()")]
            browser.run("type(field('find'), 'sw')")
            self.assertEqual(browser.run("[...field('find').list.options].map((o) => o.value)")[:2], ["sw0 (switch 0)", "sw1 (switch 1)"])
            for sought, told in {"switch 6": "Found sw6 (switch 6).", "sw1": "Found sw1 (switch 1).", "host 9": "Found host 9.", "14": "Found host 14."}.items():
                browser.run(f"type(field('find'), {sought!r})")
                self.assertEqual(browser.run("document.querySelector('#fabric [role=status]').textContent"), told)
                rings, _ = self.rings(browser)
                self.assertEqual(len(rings), 1)
                far = math.dist(rings[0], middle)
                self.assertLess(far, 3 if "sw" in sought else 90, sought)
            browser.run("type(field('find'), 'no such thing')")
            self.assertIn("no host or switch has this name or number", browser.run("document.querySelector('#fabric [role=status]').textContent"))

    def test_a_switch_of_a_large_fabric_is_found_in_its_group(self):
        _, page = self.make("fabric: xgft:m=8:9:12,w=1:9:9\nrouting: dmodk\nload: [50%]\nmeasure: {warmup: 100 ns, duration: 200 ns}\n")
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            names = "[...document.querySelectorAll('canvas.fabric + .overlay text')].map((t) => t.firstChild.textContent)"
            self.assertNotIn("sw100", browser.run(names))
            browser.run("type(field('find'), 'switch 100')")
            self.assertIn("sw100", browser.run(names))
            # Too many hosts for the page: it says so, and how to ask.
            browser.run("type(field('path from'), 'host 3'); type(field('to'), 'host 800')")
            self.assertIn("too many hosts", browser.run("document.querySelector('#fabric [role=status]').textContent"))
            self.check_command(browser, "host3", "host800")

    def check_command(self, browser, src, dst):
        """The command that the page shows, run: the path of this pair of names; its switches."""
        command = browser.run("document.querySelector('#fabric code').textContent")
        done = subprocess.run(["bash", "-c", f'ikat() {{ "{os.path.abspath(IKAT)}" "$@"; }}; {command} --json'], cwd=SOURCE, capture_output=True, text=True, check=True)
        path = json.loads(done.stdout)["path"]
        self.assertEqual([re.sub(r"( \(.*)? port .*", "", end) for end in (path[0]["from"], path[-1]["to"])], [src, dst])
        return [re.sub(r"( \(.*)? port .*", "", step["from"]) for step in path[1:]]

    def test_the_command_of_a_pair_in_a_read_fabric(self):
        """Hosts that are called as others are numbered: what the page asks for is what the reader has chosen."""
        ring = (SOURCE / "tests/data/counters/ring5.ibnetdiscover").read_text().replace("H3_1", "host3").replace("H2_0", "host0")  # numbers 0 and 3
        (self.tmp / "swapped.ibnetdiscover").write_text(ring)
        for file in (SOURCE / "data/cluster96.ibnetdiscover", self.tmp / "swapped.ibnetdiscover"):
            text = TREE.replace("karytree:k=4,n=2", f"file:{file}").replace("[dmodk, adaptive_tree]", "dfsssp")
            _, page = self.make(text.replace('[uniform, "shift:by=4"]', "uniform"))
            with Browser(self.tmp) as browser:
                self.open(browser, page)
                browser.run("type(field('path from'), 'host 0'); type(field('to'), 'host 3')")
                names = [re.sub(r" \(.*", "", browser.run(f"field('{label}').value")) for label in ("path from", "to")]
                self.check_command(browser, *names)

    def test_the_path_of_a_pair_is_drawn(self):
        """The links between the switches of the path that the command prints; all of the adaptive routing's."""
        _, page = self.make(TREE)
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            browser.run("type(field('path from'), '1'); type(field('to'), 'host 14')")
            told = "document.querySelector('#fabric [role=status]').textContent"
            path = self.check_command(browser, "host1", "host14")
            self.assertEqual(re.findall(r"sw\d+", browser.run(told)), path)
            self.assertIn("2 hops between switches", browser.run(told))
            rings, lines = self.rings(browser)
            self.assertEqual((len(rings), len(lines)), (4, 2))  # each host's ring is drawn below and above the switches
            adaptive = browser.run("[...field('routing and traffic', document.querySelector('#fabric')).options].findIndex((o) => o.textContent.includes('adaptive'))")
            browser.run(f"type(field('routing and traffic', document.querySelector('#fabric')), '{adaptive}')")
            self.assertIn("several paths; packets may take any of 8 channels", browser.run(told))
            self.assertEqual(len(self.rings(browser)[1]), 8)
            # On one switch.
            browser.run("type(field('to'), 'host 2')")
            self.assertIn("0 hops between switches", browser.run(told))

    # ---- addresses

    def test_an_address_restores_the_view(self):
        """Everything that was chosen, in a browser that was never there; what is not chosen any more is no part of it."""
        _, page = self.make(TREE)
        choose = {"show.latency-uniform": ("#performance", "show", "latency_p99_ns"), "x.latency-uniform": ("#performance", "over", "throughput"),
                  "y.latency-uniform": ("#performance", "scale", "linear"), "levels.curve": ("#utilisation", "curve", "3"), "curve": ("#fabric", "routing and traffic", "5")}
        seen = """({
          lists: [...document.querySelectorAll('select')].map((s) => s.value), sliders: [...document.querySelectorAll('input[type=range]')].map((s) => s.value),
          fields: [...document.querySelectorAll('input[type=search]')].map((s) => s.value), told: document.querySelector('#fabric .told').textContent,
          sorted: [...document.querySelectorAll('th[aria-sort]')].map((t) => [t.dataset.key, t.ariaSort]), rows: column('saturation', 0), open: [...document.querySelectorAll('details.numbers[open]')].map((d) => d.dataset.numbers),
          off: [...document.querySelectorAll('.key.off')].map((k) => k.textContent), pictures: [...document.querySelectorAll('#performance [data-save=svg], #fabric [data-save=svg]')].map((b) => b.savedText().replace(/zr\\d+/g, 'zr')) })"""
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            usual = browser.run(seen)
            for within, label, value in choose.values():
                browser.run(f"type(field('{label}', document.querySelector('{within}')), '{value}')")
            browser.run("type(field('load', document.querySelector('#fabric')), 1); type(field('time', document.querySelector('#fabric')), 3)")
            browser.run("type(field('find'), 'switch 6'); type(field('path from'), 'host 1'); type(field('to'), 'host 14')")
            browser.run("type(field('filter rows of saturation'), 'adaptive'); document.querySelector('[data-table=saturation] th[data-key=high] button').click()")
            browser.run("document.querySelector('#performance .keys button').click(); document.querySelector('details[data-numbers=link-utilisation]').open = true")
            browser.run("wait(400)")
            browser.settle()
            chosen, address = browser.run(seen), browser.run("location.hash")
        with Browser(self.tmp) as browser:
            self.open(browser, page, address)
            browser.run("wait(300)")
            again = browser.run(seen)
            for part in chosen:
                self.assertNotEqual(chosen[part], usual[part], part)
                self.assertTrue(chosen[part] == again[part], f"{part}: {str(chosen[part])[:300]} {str(again[part])[:300]}")
            self.assertEqual(browser.console, [])
            # An address may be anybody's: nothing of it is taken that is not there.
            self.open(browser, page, "#fabric?curve=99&load=-3&time=x&node=1e9&pair=77-abc&sort.saturation=nothing&hide.levels=400%20-1&view=a,b,c&open=%3Cb%3E&levels.curve=__proto__")
            self.assertEqual(browser.console, [])
            self.assertEqual(browser.run("document.querySelectorAll('canvas.fabric').length"), 1)

    # ---- curves

    def test_curves_look_by_what_varies(self):
        """One colour per routing, one dash per size of buffers; names have only what differs, whole ones stand under the pointer."""
        _, page = self.make(TREE)
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            keys = browser.run("""[...document.querySelector('#performance .grid2').querySelectorAll('.card:first-child .keys button')].map((k) => [k.textContent, k.title, k.querySelector('line').getAttribute('stroke'), k.querySelector('line').getAttribute('stroke-dasharray')])""")
            names = [k[0] for k in keys]
            self.assertEqual(names, ["dmodk, buffer=2 KiB", "dmodk, buffer=16 KiB", "adaptive_tree, buffer=2 KiB", "adaptive_tree, buffer=16 KiB"])
            self.assertTrue(keys[0][1].startswith("dmodk, uniform, switch: buffer=2 KiB"), keys[0][1])
            colour, dash = {k[0]: k[2] for k in keys}, {k[0]: k[3] for k in keys}
            self.assertEqual(colour[names[0]], colour[names[1]])
            self.assertEqual(colour[names[2]], colour[names[3]])
            self.assertNotEqual(colour[names[0]], colour[names[2]])
            self.assertEqual((dash[names[0]], dash[names[1]]), (dash[names[2]], dash[names[3]]))
            self.assertNotEqual(dash[names[0]], dash[names[1]])

    def test_marks_past_saturation_have_a_key(self):
        store, page = self.make(TREE)
        curves = self.json("report", store)["curves"]
        past = sum(s["latency_steady"] < 1 or s["steady"] != "yes" for c in curves if c["traffic"] == "uniform" for s in c["steps"])
        self.assertGreater(past, 0)
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            # Hollow: no other mark is.
            marks = browser.run("[...document.querySelector('#performance .grid2').querySelectorAll('.card:last-child .plot path')].filter((p) => p.getAttribute('fill') === '#ffffff' && p.getAttribute('stroke')).length")
            self.assertEqual(marks, past)
            self.assertRegex(browser.run("[...document.querySelectorAll('.past-key')].map((k) => k.textContent)")[0],
                             "the latency does not last or cannot be told: past saturation it grows with the run|not steady, or too short to tell")
            self.assertIn("the load is not accepted in the long run", browser.run("document.querySelector('[data-table=saturation] th[data-key=saturation_load] button').title"))

    def test_many_findings_of_a_kind(self):
        """What was asked for comes first; of many of a kind four are shown, and the rest opens."""
        _, page = self.make("fabric: \"karytree:k=4,n=3,fail_racks=1,fail_seed=1\"\nrouting: updown\nsimulate: false\nallow_unreachable: true\nmeasures: [proof]\n", "findings")
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            shown = browser.run("[...document.querySelectorAll('#findings .finding')].filter((n) => n.checkVisibility()).map((n) => n.lastChild.textContent)")
            self.assertRegex(shown[0], "^rack r1c[0-9]+ has failed$")
            self.assertEqual(sum("switch sw" in text for text in shown), 4)
            more = browser.run("document.querySelector('#findings details summary').textContent")
            browser.run("void document.querySelector('#findings details summary').click()")
            browser.settle()
            all_shown = browser.run("[...document.querySelectorAll('#findings .finding')].filter((n) => n.checkVisibility()).map((n) => n.lastChild.textContent)")
            self.assertEqual(more, f"{sum('switch sw' in text for text in all_shown) - 4} more of this kind")
            self.assertEqual(browser.console, [])

    def test_bound_in_the_table_of_measures(self):
        """Both ends, and the share that a routing carries: shown so that they bound."""
        store, page = self.make("fabric: slimfly:q=3\nrouting: [minimal, updown]\ntraffic: worst\nsimulate: false\nmeasures: [bound]\n", "bound")
        points = self.json("report", store, "--json")["points"]
        with Browser(self.tmp) as browser:
            self.open(browser, page)
            texts = {key: browser.run(f"""(() => {{
                const n = [...document.querySelectorAll('[data-table=measures] th')].findIndex((th) => th.dataset.key === '{key}');
                return [...document.querySelectorAll('[data-table=measures] tbody tr')].map((r) => r.children[n].textContent); }})()""")
                     for key in ("bound_low", "bound_high", "share_of_bound")}
            for i, point in enumerate(points):
                for key, up in (("bound_low", False), ("bound_high", True), ("share_of_bound", False)):
                    shown = float(texts[key][i].removesuffix(" %")) / 100
                    self.assertLess(abs(shown - point[key]), 0.001)
                    self.assertTrue(shown >= point[key] - 1e-9 if up else shown <= point[key] + 1e-9, (key, shown, point[key]))
            self.assertEqual(browser.console, [])

    # ---- large pages

    def test_large_pages_open(self):
        """A hundred curves, and a thousand machines: rendered, and less than 5 MB."""
        cases = {"curves": ("""\
fabric: karytree:k=2,n=2
routing: [dmodk, smodk, random, updown, rnca_up]
traffic: [uniform, "shift:by=2"]
load: [20%, 60%]
switch: {buffer: [2 KiB, 4 KiB, 8 KiB, 16 KiB, 32 KiB], queues: [fifo, voqsw]}
adapter: {packet: 256 B}
measure: {warmup: 500 ns, duration: 1 us}
""", "[...document.querySelectorAll('#performance .plot')].every((p) => p.querySelector('svg path[stroke-width=\"2\"]'))", "100 curves"),
                 "machines": ((SOURCE / "experiments/random_graphs.yaml").read_text(encoding="utf-8").replace("N: 64", "N: 16").replace("1..100", "1..1000").replace("least*1.5, 10, 20, 32", "12").replace("least, 20, 32", "least"),
                              "document.querySelectorAll('[data-table=measures] tbody tr').length === 3", "1,000 machines"),
                 "simulated": ("fabric: {family: lrt, N: 16, d: 4, r: 2, seed: 1..1000}\nrouting: updown\nload: 30%\nadapter: {packet: 256 B}\nmeasure: {warmup: 100 ns, duration: 300 ns}\n",
                               "document.querySelectorAll('#performance .plot svg').length === 2", "1,000 machines simulated")}
        with Browser(self.tmp) as browser:
            for name, (text, drawn, what) in cases.items():
                with self.subTest(what):
                    _, page = self.make(text, name)
                    self.assertLess(page.stat().st_size, 5e6)
                    self.open(browser, page)
                    self.assertTrue(browser.run(drawn))
                    self.assertEqual(browser.console, [])


if __name__ == "__main__":
    unittest.main()
