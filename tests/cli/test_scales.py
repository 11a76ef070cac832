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
reproduction: {paper: "A. Author, A paper, 2020", settings: "Buffers are ours.", quick_seconds: 1, full_hours: 0.01}
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

    def test_refused(self):
        cases = {
            "full: {fabric": ("fulll: {fabrik", "e.yaml:7:11: there is no section 'fabrik'", "did you mean 'fabric'"),
            "seeds: 3}": ("seedz: 3}", "there is no section 'seedz'", "did you mean 'seeds'"),
            'karytree:k=4,n=3"': ('karytree:k=4,o=3"', "e.yaml:7:18: topology 'karytree' has no parameter 'o'"),
            "tiny: {load: 10%}": ("tiny: {title: A}", "e.yaml:8:10: a scale does not replace 'title'"),
            "tiny: ": ("default: ", "e.yaml:8:3", "the file as it is written"),
            "{load: 10%}": ("10%", "e.yaml:8:9: scale 'tiny' is a mapping of sections, found"),
            "quick_seconds: 1,": ("quick_second: 1,", "e.yaml:9", "no parameter 'quick_second'", "did you mean 'quick_seconds'"),
            "quick_seconds: 1, ": ("quick_seconds: -1, ", "e.yaml:9", "quick_seconds"),
            "figure: fig2": ("figure: fig3", "there is no figure 'fig3'"),
        }
        for old, (new, *says) in cases.items():
            with self.subTest(new=new):
                self.assertIn(old, TEXT)
                self.refused("run", self.write(TEXT.replace(old, new, 1)), "-o", self.tmp / "a.db", says=says)
                self.assertFalse((self.tmp / "a.db").exists())
        self.refused("run", self.write(), "--scale", "ful", "-o", self.tmp / "a.db", says=("no scale 'ful'", "did you mean 'full'"))
        plain = self.write(TEXT[:TEXT.index("scales:")] + TEXT[TEXT.index("reproduction:"):], "plain.yaml")
        self.refused("run", plain, "--scale", "full", "-o", self.tmp / "a.db", says="the experiment has no scales")


if __name__ == "__main__":
    unittest.main()
