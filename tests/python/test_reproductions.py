"""Reproductions: the folder that `ikat.reproduce` writes is that of `ikat reproduce`, byte by byte, and its claims and counts are what the
command prints; names, scales and points that are not there are refused with the same words."""
import csv
import json
import math
import os
import pathlib
import subprocess

from support import PythonTest, ikat, package, unittest

NAMES = ["000/table1", "002/table2"]


def command(*arguments):
    return subprocess.run([os.environ["IKAT"], "reproduce", *map(str, arguments)], capture_output=True, text=True, check=False)


class Reproductions(PythonTest):
    def test_the_folder_of_the_command(self):
        package("pandas")
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        for name in ("theirs", "mine"):
            (self.tmp / name).mkdir()
        binary = pathlib.Path(os.environ["IKAT"]).resolve()
        os.chdir(self.tmp / "theirs")
        done = subprocess.run([binary, "reproduce", *NAMES, "--json"], capture_output=True, text=True, check=False)
        os.chdir(self.tmp / "mine")
        seen = []
        made = ikat.reproduce(NAMES, progress=seen.append)
        self.assertEqual((made.to_dict(), int(not made)), (json.loads(done.stdout), done.returncode))
        self.of_one_time(binary)
        files = sorted(str(path.relative_to(self.tmp / "theirs")) for path in (self.tmp / "theirs").rglob("*") if path.is_file())
        self.assertEqual(files, sorted(str(path.relative_to(self.tmp / "mine")) for path in (self.tmp / "mine").rglob("*") if path.is_file()))
        self.assertIn("reproductions/claims.csv", files)
        for name in files:
            if not name.endswith(".db"):
                self.assertEqual((self.tmp / "mine" / name).read_bytes(), (self.tmp / "theirs" / name).read_bytes(), name)
        self.of_one_kind(made)
        self.assertTrue(any(one.kind == "stage" and one.text.startswith("000/trees: ") for one in seen))
        begun = len(seen)
        again = ikat.reproduce(NAMES, progress=seen.append)
        self.assertEqual(again, made)
        self.assertFalse([one for one in seen[begun:] if one.text == "finished"])
        self.assert_nothing_left()

    def of_one_time(self, binary):
        """Reports say to the minute when results were written: both folders' are written again, of results of the same time."""
        for store in self.tmp.rglob("*.db"):
            os.utime(store, (0, 0))
        ikat.reproduce(NAMES)
        subprocess.run([binary, "reproduce", *NAMES, "-q"], cwd=self.tmp / "theirs", stdout=subprocess.DEVNULL, check=True)

    def of_one_kind(self, made):
        """Claims are the rows of claims.csv; the counts are theirs."""
        with open(pathlib.Path(made.page).parent / "claims.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(one.name, one.verdict, one.claim, one.source, one.basis, one.scale) for one in made.claims],
                         [(row["name"], row["verdict"], row["claim"], row["source"], row["basis"], row["scale"]) for row in rows])
        self.assertEqual(sum(one.verdict == "holds" for one in made.claims), made.counts["hold"])
        self.assertEqual((made.scale, made.failed, made.refused), ("quick", False, {}))
        self.assertEqual(len(made.frame()), len(made.claims))
        self.assertIn(f"{made.counts['hold']} claims hold", repr(made))
        self.assertIn(made.claims[0].name, made._repr_html_())
        self.assertTrue(os.path.exists(made.page))

    def test_studies(self):
        done = json.loads(command("--list", "--json").stdout)
        found = ikat.studies()
        self.assertEqual([(one.name, one.title, one.claims, one.experiment, one.seconds) for one in found],
                         [(row["name"], row["title"], row["claims"], row["experiment"], {name: s["seconds"] for name, s in row["scales"].items()})
                          for row in done])
        self.assertEqual([one.name for one in ikat.studies(["000/table1"])], ["000/table1"])

    def test_both_refuse_the_same(self):
        for names, options, words in ((["000/fig2c"], {}, ["000/fig2c"]), (["zzz"], {}, ["zzz"]), (NAMES, {"scale": "midle"}, [*NAMES, "--scale", "midle"]),
                                      (["000/fig2b"], {"only": ["load=7"]}, ["000/fig2b", "--only", "load=7"])):
            with self.subTest(names=names, **options):
                done = command(*words, "-o", self.tmp / "x")
                error = self.refused(ikat.IkatError, ikat.reproduce, names, self.tmp / "y", **options)
                self.assertEqual(done.returncode, 2)
                self.assertIn(" ".join(str(error).split()), " ".join(done.stderr.replace("      hint: ", "hint: ").split()))
        (self.tmp / "file").touch()
        self.refused(ikat.FileError, ikat.reproduce, NAMES, self.tmp / "file", says="file")
        self.refused(ikat.WrongType, ikat.reproduce, "000", says="names: a list")
        self.refused(ikat.WrongType, ikat.reproduce, NAMES, self.tmp / "z", only="load=7", says="only: a list")
        self.refused(ikat.UsageError, ikat.studies, ["zzz"], says="zzz")
        cancel = ikat.Cancel()
        cancel.cancel()
        self.refused(ikat.Cancelled, ikat.reproduce, ["000/fig2b"], self.tmp / "w", cancel=cancel)

    def test_a_budget_that_is_spent(self):
        made = ikat.reproduce(NAMES, self.tmp / "none", budget=1e-9)
        self.assertLess(made.counts["hold"], len(ikat.studies(NAMES)) * 100)
        self.assertEqual(made.refused, {})
        for budget in (0, -1, math.nan):
            self.refused(ikat.UsageError, ikat.reproduce, NAMES, self.tmp / "none", budget=budget, says="above 0")


if __name__ == "__main__":
    unittest.main()
