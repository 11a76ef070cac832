"""Designs: what `ikat.design` finds is what `ikat design --json` prints, and its page that of `-o`; both refuse the same with the same
words; members say what the dictionary says."""
import fractions
import json
import os
import subprocess

import numpy as np

from support import PythonTest, ikat, package, unittest

OLD = "pgft:m=6:8,w=1:4,p=1:1"
# Arguments of ikat.design, and the words of the command.
CASES = [
    (((64, 16), {}), "--hosts 64 --radix 16"),
    (((100, 24, ["fattree2", "Dragonfly"]), {"rails": 2, "rate": "400Gb/s", "traffic": ["reversal"], "failures": ["2%", "racks=1"]}),
     "--hosts 100 --radix 24 --rails 2 --rate 400Gb/s --traffic reversal --fail 2% --fail racks=1 fattree2 Dragonfly"),
    ((((60, 70), 16, ["slimfly", "fattree2"]), {"floor": "none", "choose": "switches", "oversubscription": 2}),
     "--hosts 60..70 --radix 16 --oversubscription 2 --choose switches --floor none slimfly fattree2"),
    ((("32", 16, ["fullmesh"]), {"workloads": ["exchange:bytes=100kB"], "simulate": True, "bisection": True, "seed": 7}),
     "--hosts 32 --radix 16 --seed 7 --workload exchange:bytes=100kB --bisection --simulate fullmesh"),
    (((60, 16, ["fattree2"]), {"from_": OLD}), f"--hosts 60 --radix 16 --from {OLD} fattree2"),
    (((400000, 128), {}), "--hosts 400000 --radix 128"),
]
REFUSED = [(("4..3", 8), {}), (("4..", 8), {}), (("x", 8), {}), ((0, 8), {}), ((100000, 8, ["fullmesh"]), {}), ((40, 8, ["foo"]), {}),
           ((40, 8), {"oversubscription": 0.5}), ((40, 8), {"choose": "speed"}), ((40, 8), {"rate": "fast"}), ((40, 8), {"traffic": ["foo"]}),
           ((40, 8), {"workloads": ["uniform"]}), ((40, 8), {"workloads": ["foo"]}), ((40, 8), {"simulate": True}), ((40, 8), {"failures": ["x"]}),
           ((40, 8), {"failures": ["racks=1"], "floor": "none"}), ((40, 8), {"prices": "none.yaml"}), ((40, 8), {"floor": "none.yaml"}),
           ((40, 16), {"from_": OLD}), ((60, 8), {"from_": OLD}), ((400000, 128), {"traffic": ["tornado"]}),
           ((40, 8), {"traffic": [f"shift:by={i}" for i in range(1, 32)]})]
OPTIONS = {"traffic": "--traffic", "workloads": "--workload", "failures": "--fail", "from_": "--from"}


def command(words, *more):
    return subprocess.run([os.environ["IKAT"], "design", *words, *map(str, more)], capture_output=True, text=True, check=False)


def words_of(arguments, options):
    """The same as words of the command."""
    out = ["--hosts", str(arguments[0]), "--radix", str(arguments[1])]
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            out += [OPTIONS.get(name, f"--{name}")] + ([] if one is True else [str(one)])
    return out + list(arguments[2] if len(arguments) > 2 else [])


class Designs(PythonTest):
    def test_what_the_command_finds(self):
        for (arguments, options), words in CASES:
            with self.subTest(words=words):
                page, theirs = self.tmp / "mine.html", self.tmp / "theirs.html"
                done = command(words.split(), "--json", "-o", theirs)
                found = ikat.design(*arguments, **options)
                self.assertEqual((found.to_dict(), int(not found)), (json.loads(done.stdout), done.returncode))
                found.page(page)
                self.assertEqual(page.read_bytes(), theirs.read_bytes())
                self.of_one_kind(found, found.to_dict())
        del found
        self.assert_nothing_left()

    def of_one_kind(self, found, said):
        """Members say what the dictionary says."""
        for member, row in zip(found.members, said["members"]):
            other = {**member._asdict(), "saturation": [{"pattern": p, "load": load} for p, load in member.saturation.items()],
                     "workloads": [one._asdict() for one in member.workloads], "failures": [one._asdict() for one in member.failures]}
            self.assertEqual(other, row)
            self.assertIn(repr(member.spec), repr(member))
        self.assertEqual([one._asdict() for one in found.misfits], said["infeasible"])
        self.assertEqual((found.wish, found.currency), (said["wish"], said["currency"]))
        self.assertIn(f"{len(said['members'])} networks", repr(found))
        shown = found._repr_html_()
        self.assertEqual(shown.count("<tr>"), 1 + len(found.members))
        self.assertNotIn("None", shown)

    def test_both_refuse_the_same(self):
        for arguments, options in REFUSED:
            with self.subTest(arguments=arguments, **options):
                done = command(words_of(arguments, options))
                error = self.refused(ikat.IkatError, ikat.design, *arguments, **options)
                self.assertEqual(done.returncode, 2)
                said = " ".join(done.stderr.removeprefix("ikat: ").replace("      hint: ", "hint: ").removesuffix("      see 'ikat design -h'\n").split())
                self.assertEqual(" ".join(str(error).split()), said)
        self.assert_nothing_left()

    def test_types(self):
        for arguments, options, says in (((40, "8"), {}, "radix"), ((4.5, 8), {}, "hosts"), (((1, 2, 3), 8), {}, "two ends"), ((40, 1), {}, "radix"),
                                         ((40, 8), {"rails": 65}, "rails"), ((40, 8), {"traffic": "tornado"}, "traffic: a list"),
                                         ((40, 8), {"bisection": 1}, "bisection"), ((40, 8), {"oversubscription": [2]}, "oversubscription"), (("4\0000", 8), {}, "the character 0"),
                                         ((40, 8, "fattree2"), {}, "families: a list"), ((40, 8), {"failures": [2]}, "failures")):
            self.refused(ikat.UsageError, ikat.design, *arguments, says=says, **options)
        for ratio in ("2", np.float32(2), np.int64(2), fractions.Fraction(2)):
            self.assertEqual(ikat.design(40, 16, ["fattree2"], oversubscription=ratio, floor="none").wish["oversubscription"], 2)

    def test_frame_fabric_progress_and_cancel(self):
        package("pandas")
        seen, cancel = [], ikat.Cancel()
        found = ikat.design(64, 16, ["fattree2", "fullmesh"], traffic=["reversal"], progress=seen.append)
        frame = found.frame()
        self.assertEqual((len(frame), list(frame["spec"])), (2, [member.spec for member in found.members]))
        self.assertEqual(frame["saturation uniform"][0], found.members[0].saturation["uniform"])
        self.assertTrue(any(one.kind == "stage" and one.text.startswith("proving ") for one in seen))
        fabric = found.members[1].fabric()
        self.assertEqual((fabric.num_hosts, fabric.spec), (64, found.members[1].spec))
        large = ikat.design(2000, 64, ["fattree2"], memory_limit="1 MiB", floor="none", progress=seen.append)
        self.assertIsNone(large.members[0].proved)
        self.assertTrue(any(one.kind == "note" and "only its size" in one.text for one in seen))
        cancel.cancel()
        self.refused(ikat.Cancelled, ikat.design, 64, 16, cancel=cancel)
        found.close()
        self.refused(ikat.ClosedError, lambda: found.members)
        self.assertEqual(repr(found), "<ikat.Design: closed>")
        del found, large, fabric, seen
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
