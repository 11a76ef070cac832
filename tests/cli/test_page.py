"""The report page in a browser: on a wide screen and on a phone, in light and dark, on paper; no chart may be unreadable anywhere."""
import itertools
import math
import os
import re
import unittest

from browser import CHROMIUM, Browser
from harness import SOURCE, CliTest

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
MODES = {"wide": {"width": 1280}, "dark": {"width": 1280, "dark": True}, "phone": {"width": 390}, "paper": {"width": 718, "paper": True}}
MORE_MODES = {"tablet": {"width": 820}, "phone, dark": {"width": 390, "dark": True}, "narrow": {"width": 320}}
SHORT = "measure: {warmup: 1 us, duration: 3 us, series: 500 ns}\n"
# Every kind of chart, table and drawing; few and many curves, levels, rows and switches; long names.
EXPERIMENTS = {
    "a dump with a slow link": f"""\
fabric: ["file:{SOURCE}/data/cluster96.ibnetdiscover", "file:{SOURCE}/data/cluster96.ibnetdiscover,repair=true"]
routing: [dmodc, updown]
load: [2%, 10%..70% step 20%]
seeds: 2
measure: {{warmup: 20 us, duration: 40 us, series: 2 us}}
""",
    "congestion and classes": """\
fabric: karytree:k=8,n=2
routing: dmodk
traffic: hotspot:nodes=5,fraction=50%
load: [2.5%, 60%]
switch: {queues: [fifo, voqsw, voqnet], buffer: 512 KiB}
adapter: {packet: 4 KiB, queues: destination}
measure: {warmup: 10 us, duration: 30 us, series: 1 us}
""",
    "twenty curves": """\
fabric: ["xgft:m=4:4:4,w=1:4:4", "xgft:m=4:4:4,w=1:2:2"]
routing: [dmodk, smodk, random, rnca_up, updown]
load: [50%, 100%]
switch: {buffer: [16 KiB, 64 KiB]}
measure: {warmup: 1 us, duration: 3 us}
""",
    # A name without a space or hyphen, as the title and as a pattern's.
    "a_title_of_a_single_word" * 8: """\
fabric: karytree:k=4,n=2
routing: dmodk
traffic: "mix:members=background=uniform+6%*incast=hotspot:nodes=5;fraction=0.5;rest=silent"
load: [60%]
""" + SHORT,
    "a large tree": "fabric: xgft:m=8:9:12,w=1:9:9\nrouting: dmodk\nload: [50%]\n" + SHORT,
    "groups": "fabric: [\"dragonfly:a=8,h=4,p=2\", \"polarfly:q=7,p=2\", \"slimfly:q=5\"]\nrouting: minimal\nload: [30%, 60%]\n" + SHORT,
    "a floor and a pipeline": """\
fabric: torus:dims=8:8,p=1
routing: dor
traffic: [uniform, transpose, tornado]
load: [30%]
switch: {model: pipelined, buffer: 256 B}
adapter: {packet: 64 B}
measure: {warmup: 1 us, duration: 2 us, series: 200 ns}
""",
    "workloads, some not completed": """\
fabric: ["karytree:k=4,n=2", "slimtree:k=4,w=1,n=2", "crossbar:n=16"]
routing: [minimal, updown]
seeds: 2
switch: {buffer: 4 KiB}
adapter: {packet: 256 B}
traffic:
  - {family: exchange, bytes: 8 KiB}
  - {family: exchange, pattern: "shift:by=5", bytes: 4 KiB, repeat: 40}
measure: {until: delivered, at_most: 25 us, series: 1 us}
""",
    "jobs and watched packets": """\
fabric: slimtree:k=4,w=2,n=2
routing: dmodk
seeds: 2
adapter: {packet: 256 B}
jobs:
  - {name: solver, traffic: exchange, hosts: 0..7}
  - {name: halo, traffic: {family: exchange, pattern: "neighbour:dims=2:4", bytes: 16 KiB}, hosts: 8..15, mapping: [linear, random]}
watch: {packets: ["5:0", "9:2-4"]}
measure: {until: delivered, at_most: 10 ms}
""",
    "in-order delivery": """\
fabric: karytree:k=4,n=2
routing: [dmodk, adaptive_tree]
traffic: hotspot:nodes=5,fraction=5%
load: [30%, 80%]
adapter: [{packet: 4 KiB, queues: destination}, {packet: 4 KiB, queues: destination, in_order: true, reorder_buffer: [16 KiB, 64 KiB], control_delay: ideal}]
measure: {warmup: 5 us, duration: 20 us}
""",
    "designs": (SOURCE / "experiments/designs.yaml").read_text(encoding="utf-8").partition("\n")[2].replace("title: A tree, a Slim Fly and a torus\n", "")
               .replace("{stop: {hops: 1000000}}", "{warmup: 5 us, duration: 15 us}"),
    "machines without simulation": """\
fabric: {family: lrt, N: 16, d: 4, r: 2, seed: 1..3}
routing: {family: loren, t_max: [least, least*1.5, 8, 16]}
simulate: false
measures: [proof, mean_hops, entries, least_t_max]
over: fabric.seed
""",
    "figures and claims": (SOURCE / "experiments/figures.yaml").read_text(encoding="utf-8").replace("title: Routing on random graphs\n", "").replace("duration: 15 us", "duration: 5 us"),
    "a deadlock, one point": """\
fabric: ring:n=6,p=2
routing: shortest
vc: 1q
traffic: "shift:by=4"
load: 100%
switch: {buffer: 8 KiB}
measure: {warmup: 5 us, duration: 60 us, series: 2 us}
""",
}
MORE = {
    "1,620 switches": "fabric: \"rlft:ports=36,levels=3\"\nrouting: dmodk\nload: [50%]\nmeasure: {warmup: 300 ns, duration: 500 ns, series: 100 ns}\n",
    "876 routers in 73 groups": "fabric: \"dragonfly:a=12,h=6,p=2,g=73\"\nrouting: minimal\nload: [20%, 60%]\nmeasure: {warmup: 1 us, duration: 1 us, series: 500 ns}\n",
    "five levels": "fabric: karytree:k=2,n=5\nrouting: [dmodk, adaptive_tree]\nload: 10%..100% step 10%\n" + SHORT,
}


@unittest.skipUnless(CHROMIUM, "no Chromium here")
class Page(CliTest):
    def pages(self, experiments):
        for n, (name, text) in enumerate(experiments.items()):
            path = self.tmp / f"{n}.yaml"
            path.write_text(f"title: {name}\n{text}")
            self.ok("run", path, "-o", self.tmp / f"{n}.db", "-q", status=None)
            self.ok("report", self.tmp / f"{n}.db", "-o", self.tmp / f"{n}.html")
            yield name, self.tmp / f"{n}.html"

    def test_every_chart_can_be_read(self):
        measure = (SOURCE / "tests/cli/measure.js").read_text(encoding="utf-8")
        everything, modes = ({**EXPERIMENTS, **MORE}, {**MODES, **MORE_MODES}) if ALL else (EXPERIMENTS, MODES)
        with Browser(self.tmp) as browser:
            for name, page in self.pages(everything):
                browser.show_as(1280)
                browser.open(page, "#numbers" if ALL else "")
                for mode, how in modes.items():
                    with self.subTest(experiment=name, mode=mode):
                        browser.show_as(**how)
                        browser.settle()
                        if how.get("paper"):
                            browser.run("void dispatchEvent(new Event('beforeprint'))")
                        self.assertEqual("\n".join(browser.run(measure)), "")
                        if how.get("paper"):
                            browser.run("void dispatchEvent(new Event('afterprint'))")
                with self.subTest(experiment=name, mode="console"):
                    self.assertEqual(browser.console, [])


    def test_on_paper(self):
        """The report of the quickstart is three sheets, as the tutorial says; of a long table the first rows are printed, and what is left
        out is said; on the screen all is as it was."""
        self.ok("run", SOURCE / "experiments/quickstart.yaml", "-o", self.tmp / "quick.db", "-q")
        self.ok("report", self.tmp / "quick.db", "-o", self.tmp / "quick.html")
        with Browser(self.tmp) as browser:
            browser.show_as(1280)
            browser.open(self.tmp / "quick.html")
            browser.settle()
            browser.show_as(1280, paper=True)
            browser.pdf(self.tmp / "quick.pdf")
            browser.show_as(1280)
            self.ok("design", "--hosts", 128, "--radix", 16, "-o", self.tmp / "designs.html")
            browser.open(self.tmp / "designs.html")
            browser.settle()
            rows = "[...document.querySelectorAll('#compare tbody tr')].filter((r) => r.getClientRects().length).length"
            texts = "[...document.querySelectorAll('.rest')].map((n) => n.textContent)"
            all_rows = browser.run(rows)
            self.assertGreater(all_rows, 14)
            browser.run("void dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(browser.run(rows), 12)
            self.assertIn(f"The first 12 of {all_rows} rows: the page has them all, and saves them as CSV.", browser.run(texts))
            browser.run("void dispatchEvent(new Event('afterprint'))")
            self.assertEqual((browser.run(rows), browser.run(texts)), (all_rows, []))
            browser.show_as(1280, paper=True)
            browser.pdf(self.tmp / "designs.pdf")
        pages = lambda name: (self.tmp / name).read_bytes().count(b"/Type /Page\n")
        self.assertEqual(pages("quick.pdf"), 3)
        self.assertLessEqual(pages("designs.pdf"), 5)

    def test_workloads_stand_in_one_section(self):
        """A bar for each workload with its time and slowdown, what each waited for, who was last, and nothing about loads."""
        text = ("fabric: [\"karytree:k=4,n=2\", \"crossbar:n=16\"]\nrouting: minimal\nswitch: {model: ideal}\n"
                "traffic: exchange\nmeasure: {until: delivered, at_most: 1 ms}\n")
        with Browser(self.tmp) as browser:
            browser.show_as(1280)
            for _, page in self.pages({"one": text}):
                browser.open(page)
                texts = lambda css: browser.run(f"[...document.querySelectorAll('{css}')].map((t) => t.textContent)")
                charts = browser.run("[...document.querySelectorAll('#workloads .bars')].map((b) => [b.ariaLabel, [...b.querySelectorAll('.bar-value')].map((v) => v.textContent)])")
                self.assertEqual([c[0] for c in charts], ["Time until the last delivery", "What each completion waited for"])
                self.assertRegex(charts[0][1][0], r"^\d+\.\d+ µs slowdown 1\.\d{3}×$")
                self.assertRegex(charts[0][1][1], "slowdown 1.000×$")
                names = texts("#workloads .bar-name")
                self.assertEqual(names[:2], ["karytree:k=4,n=2", "crossbar:n=16"])
                last = texts("#workloads tbody td")
                self.assertTrue(last[1].startswith(charts[1][1][0] + " ("), last)
                parts = browser.run("[...document.querySelectorAll('#workloads .bars')].map((b) => [...b.querySelectorAll('.bar-part')].map((p) => [p.offsetLeft, p.offsetWidth]))")
                self.assertTrue(all(len(p) >= 2 for p in parts))
                self.assertEqual(browser.run("!!document.getElementById('performance')"), False)
                self.assertNotIn("0 % load", browser.run("document.body.innerText"))

    def test_jobs_and_lives_of_packets(self):
        """A bar for each job, part of it the job alone; a watched packet's stages from its source to its destination, another one's when chosen."""
        with Browser(self.tmp) as browser:
            browser.show_as(1280)
            for _, page in self.pages({"one": EXPERIMENTS["jobs and watched packets"]}):
                browser.open(page)
                texts = lambda css: browser.run(f"[...document.querySelectorAll('{css}')].map((t) => t.textContent)")
                self.assertEqual([n.split(":")[0] for n in texts("#jobs .bar-name") if n], ["solver", "halo", "solver", "halo"])
                for value in filter(None, texts("#jobs .bar-value")):
                    self.assertRegex(value, r"^\d+\.\d+ µs slowdown \d\.\d{3}×$")
                self.assertEqual(len(texts("#watch select option")), 4 * 4)
                stages = texts("#watch tbody tr td:nth-child(3)")
                self.assertEqual((stages[0], stages[-1]), ("generated", "delivered"))
                channels = [c for c in texts("#watch tbody tr td:nth-child(5)") if c]
                self.assertTrue(channels[0].startswith("host5 port 1 → "), channels)
                browser.run("(() => { const s = document.querySelector('#watch select'); s.value = '1'; s.dispatchEvent(new Event('change')); })()")
                self.assertTrue(texts("#watch tbody tr td:nth-child(5)")[0].startswith("host9 "))
                self.assertEqual(browser.console, [])

    def test_groups_are_pods_and_planes(self):
        """A large tree is drawn as its pods, level by level, below the planes of its roots, and so is one that comes from a dump, where
        nothing but cables says so; a large dragonfly as its groups."""
        dump = self.tmp / "tree.ibnetdiscover"
        self.ok("topo", "xgft:m=4:8:11,w=1:12:8", "-o", dump)
        cases = {"xgft:m=8:9:12,w=1:9:9": ["9"] * (12 + 12 + 9), f"file:{dump}": ["8"] * 11 + ["12"] * 11 + ["8"] * 12,
                 "dragonfly:a=8,h=4,p=1,g=33": ["8"] * 33}
        with Browser(self.tmp) as browser:
            browser.show_as(1280)
            for name, page in self.pages({spec: f"fabric: \"{spec}\"\nrouting: updown\nload: [50%]\nmeasure: {{warmup: 100 ns, duration: 200 ns}}\n" for spec in cases}):
                browser.open(page)
                self.assertEqual(browser.run("[...document.querySelectorAll('canvas.fabric + .overlay text')].map((t) => t.firstChild.textContent)"), cases[name], name)


# ---- the palette, under the three kinds of colour blindness (G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, IEEE Trans. Vis.
# Comput. Graph. 15(6), 2009, severity 1), in distances of the colour space OKLab

SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanope": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranope": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanope": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour):
    values = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def lab(colour, sight):
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, linear(colour))))) for row in sight)
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)


def contrast(a, b):
    light = sorted(sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(x))) for x in (a, b))
    return (light[1] + 0.05) / (light[0] + 0.05)


class Palette(unittest.TestCase):
    def test_plot_of_the_command_looks_like_the_page(self):
        theme = (SOURCE / "src/report/web/theme.js").read_text(encoding="utf-8")
        plot = (SOURCE / "src/report/plot_svg.c").read_text(encoding="utf-8")
        colours = re.findall(r"#[0-9a-f]{6}", re.search(r"light: \[('#[^\]]*)\]", theme).group(1))
        self.assertEqual(re.findall(r"#[0-9a-f]{6}", re.search(r"colours\[\] = \{([^}]*)\}", plot).group(1)), colours)
        dashes = re.search(r"DASHES = \[(.*)\];", theme).group(1)
        self.assertEqual(re.findall(r'"([^"]*)"', re.search(r"dashes\[\] =\s*\{([^}]*)\}", plot).group(1)),
                         [" ".join(d.split(", ")) or "none" for d in re.findall(r"\[([^\]]*)\]", dashes)])

    def test_colours_stay_apart(self):
        theme = (SOURCE / "src/report/web/theme.js").read_text(encoding="utf-8")
        style = (SOURCE / "src/report/web/style.css").read_text(encoding="utf-8")
        cards = re.findall(r"--card: (#[0-9a-f]{6})", style)
        for mode, card in zip(("light", "dark"), cards):
            colours = re.findall(r"#[0-9a-f]{6}", re.search(mode + r": \[('#[^\]]*)\]", theme).group(1))
            self.assertEqual(len(set(colours)), 8)
            for colour in colours:
                self.assertGreaterEqual(contrast(colour, card), 3, f"{mode}: {colour} on {card}")
            for (a, b), (name, sight) in itertools.product(itertools.combinations(colours, 2), SIGHTS.items()):
                self.assertGreaterEqual(math.dist(lab(a, sight), lab(b, sight)), 0.08, f"{mode}: {a} and {b} to a {name}")


if __name__ == "__main__":
    unittest.main()
