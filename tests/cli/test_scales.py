"""Sections `scales` and `reproduction`, and what claims say of their source."""
import unittest

from harness import CliTest

TEXT = """\
title: Scales
fabric: karytree:k=4,n=2
routing: [dmodk, smodk]
load: [10%, 50%]
measure: {warmup: 5 us, duration: 60 us}
scales:
  full: {fabric: "karytree:k=4,n=3", seeds: 3}
  tiny: {load: 10%}
reproduction: {paper: "A. Author, A paper, 2020", settings: "Buffers are ours."}
figures:
  - {name: fig1, title: One, x: load, y: throughput, series: routing}
  - {name: fig2, title: Two, x: load, y: mean_hops, series: routing}
expect:
  - {claim: "Carries half", metric: throughput, of: {routing: dmodk}, at: {load: 10%}, op: ">", value: 0.09, scale: full, figure: fig1}
  - {claim: "Many hops", metric: mean_hops, of: {routing: dmodk}, at: {load: 10%}, op: ">", value: 1.9, paper: "2.1", differs: "smaller", figure: fig2}
"""


class Scales(CliTest):
    def write(self, text=TEXT, name="e.yaml"):
        path = self.tmp / name
        path.write_text(text)
        return path

    def test_chosen_twice(self):
        """Whichever way: one of the two would count for nothing. The same twice is one."""
        path = self.write()
        for more in (("--scale", "full", "--set", "scale=tiny"), ("--set", "scale=tiny", "--set", "scale=full")):
            self.refused("run", path, "-o", self.tmp / "no.db", *more, says=("two scales", "'tiny'", "'full'"))
        self.ok("run", path, "-q", "-o", self.tmp / "tiny.db", "--scale", "tiny", "--set", "scale=tiny")
        self.refused("run", path, "-o", self.tmp / "no.db", *(["--set", "seeds=1"] * 257), says="more than 256 times")

    def test_a_claim_that_holds_though_it_is_known_to_differ(self):
        path = self.write(TEXT.replace("value: 1.9", "value: 1.5"))
        text = self.ok("run", path, "-o", self.tmp / "e.db", "--set", "seeds=3")
        self.assertIn("a reason for a difference is recorded: smaller", " ".join(text.split()))

    def test_a_scale_replaces_sections(self):
        path = self.write()
        for scale, points, fabric in ((None, 4, "k=4,n=2"), ("default", 4, "k=4,n=2"), ("full", 12, "k=4,n=3"), ("tiny", 2, "k=4,n=2")):
            with self.subTest(scale=scale):
                answer = self.json("run", path, "-o", self.tmp / f"{scale}.db", *(["--scale", scale] if scale else []))
                self.assertEqual((answer["points_finished"], answer["scale"]), (points, scale or "default"))
                self.assertIn(fabric, answer["fabrics"][0]["spec"])
        # as the file with these sections in place of its own, but for what is kept of the text
        same = self.write(TEXT.replace("k=4,n=2", "k=4,n=3").replace("load: [10%, 50%]", "load: [10%, 50%]\nseeds: 3"), "same.yaml")
        self.ok("run", same, "-q", "-o", self.tmp / "same.db")
        rows = [self.ok("report", self.tmp / f"{n}.db", "--csv") for n in ("full", "same")]
        self.assertEqual(rows[0], rows[1])
        # --set counts after the scale
        answer = self.json("run", path, "-o", self.tmp / "set.db", "--scale", "full", "--set", "seeds=2")
        self.assertEqual(answer["points_finished"], 8)

    def test_results_of_two_scales_are_kept_apart(self):
        path = self.write()
        self.ok("run", path, "-q", "-o", self.tmp / "a.db")
        self.ok("run", path, "-q", "-o", self.tmp / "b.db", "--scale", "full")
        self.refused("merge", self.tmp / "a.db", self.tmp / "b.db", "-o", self.tmp / "c.db", says="the scale is not the same")

    def test_verdicts(self):
        path = self.write()
        text = self.ok("run", path, "-o", self.tmp / "a.db", "--strict")  # what is known to differ is no failure
        self.assertRegex(text, r"not asked +Carries half\n +checked only at scale full")
        self.assertRegex(text, r"differs +Many hops\n +1.6\n +asked: more than 1.9 \(margin -16 %\)\n +in the source: 2.1\n +known to differ: smaller")
        self.assertIn("differs,Many hops,,fig2,2.1,smaller,1.6", self.ok("report", self.tmp / "a.db", "--csv", "--table", "claims"))
        text = self.ok("run", path, "-o", self.tmp / "b.db", "--scale", "full", "--strict")
        self.assertRegex(text, r"holds +Carries half\n")
        self.assertRegex(text, r"holds +Many hops\n")
        self.assertNotIn("known to differ", text)
        unknown = self.write(TEXT.replace(', differs: "smaller"', ""), "unknown.yaml")
        self.ok("run", unknown, "-o", self.tmp / "c.db", "--strict", status=1)

    def test_like(self):
        """A scale begins with the sections of another one, or is that one."""
        text = TEXT.replace("  tiny: {load: 10%}", "  quick: {cost: 3 s}\n  tiny: {load: 10%}\n  some: {like: full, load: 10%, cost: 2 min}\n"
                                                   "  same: {like: full, why: all is there}\n  written: {like: quick, why: one size}")
        path = self.write(text)
        for scale, points, kept in (("some", 6, "some"), ("same", 12, "full"), ("written", 4, "default"), ("quick", 4, "default")):
            with self.subTest(scale=scale):
                answer = self.json("run", path, "-o", self.tmp / f"{scale}.db", "--scale", scale)
                self.assertEqual((answer["points_finished"], answer["scale"]), (points, kept))
        self.ok("run", path, "-q", "-o", self.tmp / "same.db", "--scale", "full")  # goes on: it is the same

    def test_claims_wait_for_a_scale(self):
        """And are judged at it and at larger ones."""
        text = TEXT.replace("  tiny:", "  middle: {seeds: 3}\n  tiny:").replace("scale: full", "scale: middle")
        path = self.write(text)
        for scale, verdict in (("quick", "not asked"), ("tiny", "not asked"), ("middle", "holds"), ("full", "holds")):
            with self.subTest(scale=scale):
                text = self.ok("run", path, "-o", self.tmp / f"{scale}.db", "--scale", scale)
                self.assertRegex(text, rf"{verdict} +Carries half\n" + (r" +checked only at scale middle and larger" if verdict == "not asked" else ""))

    def test_only(self):
        """Points of some values: the sweep is the same, and what is missing can be run later; what selects nothing is refused."""
        path, part = self.write(), self.tmp / "part.db"
        answer = self.json("run", path, "-o", part, "--only", "load=10%")
        self.assertEqual(answer["points_finished"], 2)
        self.assertEqual(self.json("run", path, "-o", part, "--only", "routing=dmodk", "--only", "routing=smodk", "--only", "load=0.5")["points_finished"], 4)
        self.ok("run", path, "-q", "-o", self.tmp / "whole.db")
        self.assertEqual(part.read_bytes(), (self.tmp / "whole.db").read_bytes())
        for only, *says in (("load=20%", "no point of the sweep has the load '20%'", "0.1, 0.5"), ("lode=10%", "lode", "load"), ("load", "'load' selects no points", "load=50%"),
                            ("=1", "selects no points"), ("load=", "selects no points")):
            with self.subTest(only=only):
                self.refused("run", path, "-o", self.tmp / "no.db", "--only", only, says=says)
                self.assertFalse((self.tmp / "no.db").exists())
        named = self.write("fabric: 'karytree:k=4,n=2'\nrouting: dmodk\ntraffic: ['uniform:label=even', 'hotspot:nodes=3,fraction=20%,label=HS20-1', 'hotspot:nodes=3,fraction=30%']\nload: 10%\n"
                           "measure: {warmup: 5 us, duration: 60 us}\n")
        for label in ("HS20-1", "even"):
            self.assertEqual(self.json("run", named, "-o", self.tmp / f"{label}.db", "--only", f"traffic={label}")["points_finished"], 1)
        self.refused("run", named, "-o", self.tmp / "no.db", "--only", "traffic=HS20", says=("no point of the sweep has the traffic 'HS20'", "HS20-1"))
        path = self.write("title: A\ndesigns:\n  - {name: A, fabric: 'karytree:k=4,n=2', routing: dmodk}\n  - {name: B, fabric: 'karytree:k=4,n=2', routing: smodk}\nload: 10%\nmeasure: {warmup: 5 us, duration: 60 us}\n")
        for shard in ((), ("--shard", "1/2"), ("--shard", "2/2")):  # no point has both, in any part
            self.refused("run", path, "-o", self.tmp / "no.db", *shard, "--only", "design=A", "--only", "routing=smodk", says=("no point has all of the values", "only design=A and others"))
        parts = [self.json("run", path, "-o", self.tmp / f"shard{shard}.db", "--shard", f"{shard}/2", "--only", "design=A")["points_finished"] for shard in (1, 2)]
        self.assertEqual(sorted(parts), [0, 1])

    def test_refused(self):
        cases = {
            "full: {fabric": ("fulll: {fabrik", "e.yaml:7:11: there is no section 'fabrik'", "did you mean 'fabric'"),
            "seeds: 3}": ("seedz: 3}", "there is no section 'seedz'", "did you mean 'seeds'"),
            'karytree:k=4,n=3"': ('karytree:k=4,o=3"', "e.yaml:7:18: topology 'karytree' has no parameter 'o'"),
            "tiny: {load: 10%}": ("tiny: {title: A}", "e.yaml:8:10: a scale does not replace 'title'"),
            "  tiny: ": ('  "": ', "e.yaml:8:3", "1 to 100 letters, found 0"),
            " tiny: ": (f" {'t' * 141}: ", "e.yaml:8:3", "1 to 100 letters, found 141"),
            "tiny: ": ("default: ", "e.yaml:8:3", "the file as it is written"),
            "{load: 10%}": ("10%", "e.yaml:8:9: scale 'tiny' is a mapping of sections, found"),
            "settings: ": ("setting: ", "e.yaml:9", "no parameter 'setting'", "did you mean 'settings'"),
            "tiny: {load": ("tiny: {like: ful, load", "e.yaml:8:16: there is no scale 'ful'", "did you mean 'full'"),
            "tiny: {load:": ("tiny: {like: tiny, load:", "e.yaml:8:16", "'tiny' is like 'tiny'"),
            "tiny: {load: 10%}": ("tiny: {like: full}", "e.yaml:8:9", "does not say why"),
            "{load: 10%}\n": ("{like: full, why: so, cost: 1 s}\n", "e.yaml:8:37", "the cost of 'tiny' is that of the scale"),
            "tiny: {load: ": ("tiny: {cost: 10, load: ", "e.yaml:8:16", "a processor time, found 10", "30 min"),
            "  tiny: {": ("  quick: {", "e.yaml:8:3", "it replaces nothing"),
            "tiny: {load": ("tiny: {cost: 1 s}\n  little: {load", "scale 'tiny' is a mapping of sections, found none"),
            "scale: full,": ("scale: middle,", "e.yaml:14", "no scale 'middle'"),
            "scale: full, ": ("scale: ful, ", "e.yaml:14", "any|middle|full"),
            "figure: fig2": ("figure: fig3", "there is no figure 'fig3'"),
        }
        for old, (new, *says) in cases.items():
            with self.subTest(new=new):
                self.assertIn(old, TEXT)
                self.refused("run", self.write(TEXT.replace(old, new, 1)), "-o", self.tmp / "a.db", says=says)
                self.assertFalse((self.tmp / "a.db").exists())
        same = TEXT.replace('full: {fabric: "karytree:k=4,n=3", seeds: 3}', "full: {like: quick, why: one size}")
        self.refused("run", self.write(same), "-o", self.tmp / "a.db", says=("e.yaml:14", "'scale' of the claim has no effect"))
        for other in ("middle", "tiny"):  # scales that are smaller, or none of those that claims wait for
            never = same.replace("like: quick", f"like: {other}").replace("  tiny:", "  middle: {seeds: 2}\n  tiny:")
            self.refused("run", self.write(never), "-o", self.tmp / "a.db", says=f"has the points of '{other}' here: the claim would never be judged")
        self.refused("run", self.write(), "--scale", "ful", "-o", self.tmp / "a.db", says=("no scale 'ful'", "did you mean 'full'"))
        plain = self.write(TEXT[:TEXT.index("scales:")] + TEXT[TEXT.index("reproduction:"):], "plain.yaml")
        self.refused("run", plain, "--scale", "full", "-o", self.tmp / "a.db", says="the experiment has no scales")


if __name__ == "__main__":
    unittest.main()
