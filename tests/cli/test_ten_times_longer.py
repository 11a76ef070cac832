"""Whether shipped numbers last: every endless point of every shipped experiment, run as it is and again ten times as long.

What was judged steady must come out the same: accepted throughput, mean latency where it is said to last, the highest throughput of
each curve, and the load that a search finds. Points that are marked are not compared. A drawn part is run by default: some experiments
at one of their loads, with one seed; IKAT_TEST_ALL=1 runs everything. Names of experiments as arguments run
these alone, as a whole.
"""
import json
import math
import os
import pathlib
import random
import re
import shutil
import sys
import unittest

from harness import SOURCE, CliTest

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
CHOSEN = [word for word in sys.argv[1:] if word.endswith(".yaml")]  # names of experiments
DRAWN = 4
WIDE = 0.05  # half width of the interval of throughput that a steady point has at most (`least` in src/sim/measure/steady.c)
MISSES = 0.05  # of intervals, which are made for 95 %
GROSS = 3  # half widths of both runs: beyond them nothing may be, but
KNOWN = {  # what docs/measures.md names: flows that offer about what one VC passes on, networks that bear a load for a while, and loads just beyond what UGAL divides well
    "papers/004/network_64.yaml": ["9, loren:t_max=18, shuffle:label=shuffle, , load 0.1, seed 1: latency"],
    "papers/004/network_256.yaml": ["0, cowen:t_max=128,alpha_step=0.1, transpose:label=transpose, , load 0.03, seed 1: latency",
                                    "0, cowen:t_max=128,alpha_step=0.1, uniform:self=true,label=uniform, , load 0.08, seed 1: latency",
                                    "0, cowen:t_max=128,alpha_step=0.1, uniform:self=true,label=uniform, , load 0.08, seed 1: throughput",
                                    "1, cowen:t_max=42,alpha_step=0.1, shuffle:label=shuffle, , load 0.05, seed 1: latency",
                                    "1, cowen:t_max=42,alpha_step=0.1, uniform:self=true,label=uniform, , load 0.08, seed 1: throughput",
                                    "2, cowen:t_max=42,alpha_step=0.1, transpose:label=transpose, , load 0.03, seed 1: latency",
                                    "2, loren:t_max=128, reversal:label=reverse, , load 0.03, seed 1: latency"],
    "papers/002/sf_adaptive.yaml": ["0, ugal_l:csf=2,ni=4,t=0.1, worst, design: ATh cSF 2, load 0.7, seed 1: latency",
                                    "0, ugal_l:csf=2,ni=4,t=0.1, worst, design: ATh cSF 2, load 0.7, seed 3: latency",
                                    "0, ugal_l:ni=4,t=0.1, worst, design: ATh nI 4, load 0.7, seed 1: latency",
                                    "0, ugal_l:ni=4,t=0.1, worst, design: ATh nI 4, load 0.7, seed 3: latency",
                                    "0, ugal_l:ni=4,t=0.1, worst, design: ATh nI 4, load 0.7, seed 4: latency"],
}


def experiments():
    """Those with simulations of endless traffic: path from experiments/."""
    for path in sorted((SOURCE / "experiments").rglob("*.yaml")):
        text = re.sub(r"#.*", "", path.read_text())
        if re.search(r"^simulate: false", text, re.M) or re.search(r"until: delivered", text) or re.search(r"^schedule:", text, re.M):
            continue  # nothing is judged there; test_every_experiment_is_judged() sees to it that this is so
        yield str(path.relative_to(SOURCE / "experiments"))


def settings_of(point):
    return dict(part.split("=", 1) for part in point["params"]["measure"].split(","))


def identity(point):
    """What tells a point from the others, without its window, and without the load that a search found."""
    params = {k: v for k, v in point["params"].items() if k != "measure"}
    return json.dumps(params, sort_keys=True)


def times_ten(text):
    number, unit = text.split()
    return f"{10 * float(number):g} {unit}"


def per_cent(text):
    return float(text.rstrip(" %")) / 100


def precision_of(name):
    """Of the loads that the experiment's search finds: whole multiples of it."""
    found = re.search(r"precision: *([\d.]+ *%)", (SOURCE / "experiments" / name).read_text())
    return per_cent(found[1]) if found else 0


def both_intervals(p, q, key):
    """The stored half widths of both runs. That of a longer run which is no longer steady may be anything: at most the shorter one's."""
    return p[key] + (p[key] if q[key] is None else min(p[key], q[key]))


def misses_allowed(num):
    """Of `num` intervals: more than so many miss with a probability below 1 %."""
    k, above = 0, 1 - (1 - MISSES) ** num
    while above > 0.01:
        k += 1
        above -= math.comb(num, k) * MISSES ** k * (1 - MISSES) ** (num - k)
    return k


class TenTimesLonger(CliTest):
    def results(self, name, sets):
        """Of the experiment with these settings. Figures and claims need not fit a drawn load, and are left out."""
        store, folder = self.tmp / "results.db", self.tmp / "experiments"
        store.unlink(missing_ok=True)
        if not folder.exists():
            shutil.copytree(SOURCE / "experiments", folder)
            (self.tmp / "data").symlink_to(SOURCE / "data")
            for path in folder.rglob("*.yaml"):
                path.write_text(re.sub(r"^(figures|expect):.*\n((?![a-z]).*\n)*", "", path.read_text(), flags=re.M))
        more = [word for text in sets for word in ("--set", text)]
        self.ok("run", folder / name, "-q", "-o", store, *more, timeout=36000)  # of the long ones an hour of a processor that others may use too
        return self.json("report", store)

    def longer(self, name, points):
        """The settings with which the same points run ten times as long."""
        used = {point["params"]["measure"] for point in points}
        self.assertEqual(len(used), 1, f"{name}: this test lengthens one window")
        window = settings_of(points[0])
        if "duration" in window:
            self.assertNotIn("stop_ci", window)
            return [f"measure.{key}={times_ten(window[key])}" for key in ("warmup", "duration")]
        text = re.sub(r"#.*", "", (SOURCE / "experiments" / name).read_text())
        mapped = "measure.stop." if re.search(r"stop: *\{", text) else "measure.stop_"
        ci = per_cent(window.get("stop_ci", "2 %"))
        sets = [f"{mapped}ci={100 * ci / 10 ** .5:.2f} %"]  # ten times as many values
        sets.append(f"{mapped}hops={10 * int(window.get('stop_hops', 100000000))}")
        if "stop_at_most" in window:
            sets.append(f"{mapped}at_most={times_ten(window['stop_at_most'])}")
        return sets

    def compare(self, name, short, long):
        """Steady points, the values of them that were compared, deviations beyond the intervals of both runs, and those that are gross."""
        later = {identity(p): p for p in long["points"]}
        compared, tried, wrong, gross = 0, set(), {}, set()
        for p in short["points"]:
            q = later[identity(p)]
            if p["steady"] != "yes":
                continue
            compared += 1
            where = f"{name}: {p['fabric']}, {p['routing']}, {p['traffic']}, {p['variant']}, load {p['load']:.3g}, seed {p['seed']}"
            if p["saturation_load"] is not None or q["saturation_load"] is not None:
                before, after = (1 if k["saturation_load"] is None else k["saturation_load"] for k in (p, q))
                most = p["saturation_most"] or before  # a longer run may tell loads that the shorter one could not
                allowed = max(WIDE, precision_of(name) / before * (1 + 1e-9)) if before else WIDE
                values = [("saturation", before, min(max(before, after - (most - before)), after), allowed)]
            else:
                values = [("throughput", p["throughput"], q["throughput"], both_intervals(p, q, "throughput_interval"))]
                if p["latency_steady"]:
                    values.append(("latency", p["latency_mean_ns"], q["latency_mean_ns"], both_intervals(p, q, "latency_interval")))
            for what, before, after, allowed in values:
                # Points that differ in what has no effect on them have the same packets: one interval, not several.
                tried.add((what, before, after))
                if abs(after - before) > allowed * before:
                    wrong[what, before, after] = (f"{where}: {what} {before:.6g} ± {100 * allowed:.3g} %, ten times as long {after:.6g} "
                                                  f"({q['steady']}: {q['steady_reason']})")
                if abs(after - before) > GROSS * allowed * before:
                    gross.add(wrong[what, before, after])
        return compared, len(tried), list(wrong.values()), sorted(gross)

    def compare_curves(self, name, short, long):
        def key(curve):
            return json.dumps([curve.get(k) for k in ("fabric", "plan_label", "traffic", "variant")])

        peaks = {key(c): c["peak_throughput"] for c in long["curves"]}
        self.assertEqual(len(peaks), len(long["curves"]), "curves that this test takes for one")
        wrong = []
        for curve in short["curves"]:
            before, after = curve["peak_throughput"], peaks[key(curve)]
            # A longer run may tell more points, and so find a higher one.
            if before is not None and (after is None or after < before * (1 - 2 * WIDE)):
                wrong.append(f"{name}: {key(curve)}: peak throughput {before}, ten times as long {after}")
        return wrong

    def examine(self, name, sets):
        short = self.results(name, sets)
        self.assertTrue(short["points"], name)
        self.assertTrue(all(p["steady"] for p in short["points"] if not p["deadlock"]), f"{name}: points that are not judged")
        longer = self.longer(name, short["points"])
        long = self.results(name, [*sets, *longer])
        compared, intervals, wrong, gross = self.compare(name, short, long)
        marked = len(short["points"]) - compared
        print(f"{name}: {compared} steady points compared, {marked} marked, {len(wrong)} beyond", file=sys.stderr, flush=True)
        known = [f"{name}: {text} " for text in KNOWN.get(name, ())]
        self.assertEqual([text for text in gross if not text.startswith(tuple(known))], [], "\n".join(gross))
        self.assertFalse(known and not sets and not gross, "none of KNOWN is gross any more")
        self.assertLessEqual(len(wrong), misses_allowed(intervals), "\n".join(wrong))
        curves = self.compare_curves(name, short, long)
        self.assertLessEqual(len(curves), int(MISSES * compared), "\n".join(curves))

    @unittest.skipUnless(ALL or CHOSEN, "belongs to ./check --all")
    def test_all(self):
        for name in CHOSEN or experiments():
            with self.subTest(name):
                self.examine(name, [])

    @unittest.skipIf(ALL or CHOSEN, "the whole is run")
    def test_drawn(self):
        draw = random.Random(7)
        names = [name for name in experiments() if "/" not in name and "find: saturation" not in (SOURCE / "experiments" / name).read_text()]
        for name in draw.sample(names, DRAWN):
            load = draw.choice(["20%", "40%", "60%", "80%"])
            with self.subTest(name, load=load):
                self.examine(name, [f"load={load}", "seeds=1"])

    def test_what_is_left_out_is_not_judged(self):
        """Whatever experiments() leaves out has no endless points: workloads with an end, schedules, nothing simulated."""
        left = set(str(p.relative_to(SOURCE / "experiments")) for p in (SOURCE / "experiments").rglob("*.yaml")) - set(experiments())
        self.assertTrue(left)
        for name in sorted(left):
            text = (pathlib.Path(SOURCE) / "experiments" / name).read_text()
            self.assertTrue(re.search(r"until: delivered|^schedule:|^simulate: false", text, re.M), name)
            self.assertIsNone(re.search(r"^measure: *\{[^}]*duration:", re.sub(r"^schedule:.*", "", text, flags=re.M | re.S), re.M), name)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word not in CHOSEN])
