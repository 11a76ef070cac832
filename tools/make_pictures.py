#!/usr/bin/env python3
"""Makes every picture of the documents, except those of the reference (tools/make_reference.py).

usage: make_pictures.py IKAT [FOLDER]    IKAT: the command; FOLDER: where to, docs/ unless given

Figures and drawings are those that ikat writes. Pictures of a report are taken by a headless Chromium with a window of fixed size, of parts of
the page that are named below; the experiments are those that the documents show. tests/cli/test_pictures.py makes all of them again and compares.
"""
import base64
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "tests/cli"))
from browser import CHROMIUM, Browser  # noqa: E402

WIDTH = 1000
CLUSTER = SOURCE / "data/cluster96.ibnetdiscover"
REPLAYED = ["replay", SOURCE / "data/halo16.ikrec", "--fabric", "karytree:k=8,n=2", "--fabric", "xgft:m=8:8,w=1:2", "--fabric", "torus:dims=8:8",
            "--routing", "dfsssp"]
PAGES = ("quickstart", "halo", "waiting")
# The part of a page from the top of the first of two elements to the bottom of the second; what to do before.
CARD = "[...document.querySelectorAll('.card, section')].findLast((n) => n.querySelector('h3')?.textContent.startsWith('{}') && n.classList.contains('card'))"
SHOTS = {
    "report.png": ("quickstart", "document.querySelector('h1')", "document.querySelector('#findings .callout')", ""),
    "pictures/curves.png": ("quickstart", CARD.format("Throughput: uniform"), CARD.format("Latency: uniform"), ""),
    "pictures/fabric.png": ("quickstart", "document.querySelector('#fabric .card')", "document.querySelector('#fabric canvas.fabric')",
                            "const load = document.querySelector('#fabric input[type=range]'); load.value = 1; load.dispatchEvent(new Event('input', {bubbles: true}))"),
    "matrix.png": ("halo", CARD.format("Messages from rank to rank"), CARD.format("Messages from rank to rank"), ""),
    "timelines.png": ("halo", CARD.format("Time lines of the ranks"), CARD.format("Time lines of the ranks"),
                      f"const choice = ({CARD.format('Time lines of the ranks')}).querySelector('select'); "
                      "choice.selectedIndex = [...choice.options].findIndex((o) => o.textContent.includes('torus')); choice.dispatchEvent(new Event('change', {bubbles: true}))"),
    "pictures/waiting.png": ("waiting", CARD.format("Time lines of the ranks"), CARD.format("Time lines of the ranks"), ""),
}
# The figures of experiments that documents show: the page, the experiment and the figure.
OF_DOCUMENTS = {
    "pictures/latency.svg": ("tutorial.md", "designs.yaml", "latency"),
    "pictures/cable.svg": ("howto/judge-my-cluster.md", "cable.yaml", "cable"),
    "pictures/rail.svg": ("howto/choose-a-topology.md", "rail.yaml", "rail"),
    "pictures/paper.svg": ("howto/study-my-routing.md", "paper.yaml", "throughput"),
}
FIGURES = [*OF_DOCUMENTS, "pictures/cluster.svg"]
NAMES = sorted([*SHOTS, *FIGURES])


def experiment_of(page, name):
    text = (SOURCE / "docs" / page).read_text(encoding="utf-8")
    return re.search(rf"^```yaml file={re.escape(name)}\n(.*?)^```", text, re.M | re.S)[1]


def take(browser, path, first, last, before):
    """A picture of a part of the page that is open, with a margin."""
    if before:
        browser.run(f"(() => {{ {before}; }})()")
        browser.settle()
    x, y, right, bottom = browser.run(f"""(() => {{
        const a = ({first}).getBoundingClientRect(), b = ({last}).getBoundingClientRect();
        return [Math.min(a.left, b.left), Math.min(a.top, b.top) + scrollY, Math.max(a.right, b.right), Math.max(a.bottom, b.bottom) + scrollY];
    }})()""")
    margin = 8
    x, y = max(0, x - margin), max(0, y - margin)
    clip = {"x": x, "y": y, "width": round(min(WIDTH, right + margin) - x), "height": round(bottom + margin - y), "scale": 1}
    data = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
    path.write_bytes(base64.b64decode(data))


def make(ikat, folder, run_experiment=None):
    """Makes all pictures in a folder. run_experiment(words, store, cwd) does what `ikat run` with these words does, unless that itself is run."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)

        def run(*words):
            subprocess.run([ikat, *map(str, words)], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

        def results(experiment, store):
            if run_experiment:
                run_experiment(["run", experiment], store, scratch)
            else:
                run("run", experiment, "-o", store)

        run("topo", CLUSTER, "-o", folder / "pictures/cluster.svg")
        for name in ("data", "experiments", "examples", "include"):
            (scratch / name).symlink_to(SOURCE / name)
        subprocess.run("cc -shared -fPIC -Iinclude -o by_rate.so examples/plugin/by_rate.c".split(), cwd=scratch, check=True)  # as its document does
        for picture, (page, name, figure) in OF_DOCUMENTS.items():
            (scratch / name).write_text(experiment_of(page, name), encoding="utf-8")
            results(name, f"{name}.db")
            run("report", f"{name}.db", "--figure", figure, "-o", folder / picture)
        results("experiments/quickstart.yaml", "quickstart.db")
        run(*REPLAYED, "-o", "waiting.db")
        run(*REPLAYED, "--compute-scale", "0.01", "-o", "halo.db")
        for name in PAGES:
            run("report", f"{name}.db", "-o", f"{name}.html")
        with Browser(scratch) as browser:
            browser.show_as(WIDTH)
            for page in PAGES:
                browser.open(scratch / f"{page}.html")
                for name, (of, first, last, before) in SHOTS.items():
                    if of == page:
                        take(browser, folder / name, first, last, before)


def main(words):
    if len(words) not in (1, 2):
        sys.stderr.write("usage: make_pictures.py IKAT [FOLDER]\n")
        return 2
    if not CHROMIUM:
        sys.stderr.write("make_pictures.py: no Chromium\n")
        return 3
    make(pathlib.Path(words[0]).resolve(), pathlib.Path(words[1] if len(words) > 1 else SOURCE / "docs").resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
