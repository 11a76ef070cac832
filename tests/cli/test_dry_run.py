"""`ikat deploy --dry-run`: the summary and the exit status of the deployment, and nothing that is written."""
import concurrent.futures
import json
import os
import unittest

import harness

CASES = [(0, "karytree:k=2,n=3", "-r", "dmodc"), (0, "ring:n=5,p=2", "-r", "dfsssp", "--vls", "4"), (0, "data/cluster96.ibnetdiscover"),
         (1, "karytree:k=2,n=3,fail=sw0", "-r", "dmodc"), (1, "ring:n=5", "-r", "shortest"), (0, "ring:n=5", "-r", "shortest", "--unproved"),
         (2, "ring:n=5", "-r", "dmodk"), (2, "/nowhere"), (2, "ring:n=5", "-r", "dfsssp", "--vls", "1")]


class DryRun(harness.CliTest):
    """Beside the real deployment, each in folders of their own."""

    def setUp(self):
        super().setUp()
        self.temporary = self.tmp / "temporary"
        self.temporary.mkdir()

    def deploy(self, *args):
        return harness.run("deploy", *args, env={"TMPDIR": str(self.temporary)})

    def left(self):
        return sorted(str(p.relative_to(self.tmp)) for p in self.tmp.rglob("*"))

    def test_the_same_without_a_folder(self):
        for number, (status, *args) in enumerate(CASES):
            with self.subTest(args=args):
                before = self.left()
                dry = self.deploy(*args, "--dry-run", "--json")
                text = self.deploy(*args, "--dry-run")
                self.assertEqual(self.left(), before)
                real = self.deploy(*args, "-o", self.tmp / f"real{number}", "--json")
                self.assertEqual([dry.returncode, text.returncode, real.returncode], [status] * 3, dry.stderr + real.stderr)
                self.assertEqual(dry.stderr, real.stderr)
                self.assertEqual(bool(dry.stdout), bool(real.stdout))
                if real.stdout:
                    self.assertEqual(json.loads(dry.stdout), json.loads(real.stdout) | {"folder": None})
                    self.assertIn("nothing was written", text.stdout)
                    self.assertNotIn("Commands", text.stdout)

    def test_from_an_installed_folder(self):
        self.ok("deploy", "karytree:k=2,n=3", "-r", "dmodc", "-o", self.tmp / "old")
        before = {p: p.read_bytes() for p in (self.tmp / "old").iterdir()}
        report = self.json("deploy", "karytree:k=2,n=3,fail=sw1.3", "-r", "dmodc", "--from", self.tmp / "old", "--dry-run")
        self.assertGreater(report["update"]["changed"], 0)
        self.assertEqual({p: p.read_bytes() for p in (self.tmp / "old").iterdir()}, before)

    def test_a_folder_that_could_not_be_written(self):
        full = self.tmp / "full"
        full.mkdir()
        (full / "notes").write_text("mine")
        (self.tmp / "file").write_text("")
        for folder in (full, self.tmp / "file", self.tmp / "not there" / "new", self.tmp / "file" / "new", ""):
            with self.subTest(folder=folder):
                before = self.left()
                dry = self.deploy("ring:n=4", "-r", "updown", "-o", folder, "--dry-run")
                self.assertEqual(self.left(), before)
                self.assertEqual(dry.returncode, 2)
                self.assertEqual(dry.stderr, self.deploy("ring:n=4", "-r", "updown", "-o", folder).stderr)
        self.assertEqual(self.deploy("ring:n=4", "-r", "updown", "-o", full, "--force", "--dry-run").returncode, 0)
        self.assertEqual(os.listdir(full), ["notes"])

    def test_many_at_once(self):
        """They make folders of the same name in the same place, and remove what killed ones have left."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda _: self.deploy("ring:n=4", "-r", "updown", "--dry-run"), range(200)))
        self.assertEqual({(d.returncode, d.stderr) for d in done}, {(0, "")})
        self.assertEqual(os.listdir(self.temporary), [])

    def test_without_a_place_for_temporary_files(self):
        done = harness.run("deploy", "ring:n=4", "-r", "updown", "--dry-run", env={"TMPDIR": str(self.tmp / "not there")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("not there", done.stderr)
        self.refused("deploy", "ring:n=4", "-r", "updown", says="--dry-run")

    def test_what_is_among_temporary_files_does_not_matter(self):
        """A file, a link or a folder of any user may have the name."""
        there = self.temporary / "ikat-dry-run"
        for make in (there.touch, lambda: there.symlink_to(self.tmp / "not there"), lambda: there.symlink_to("/proc/self"), there.mkdir):
            make()
            done = self.deploy("ring:n=4", "-r", "updown", "--dry-run")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(os.listdir(self.temporary), ["ikat-dry-run"])
            there.rmdir() if there.is_dir() and not there.is_symlink() else there.unlink()

    def test_a_long_path_is_not_cut(self):
        """Of the folder for temporary files: it is used, or refused, and nothing is made anywhere else."""
        for parts in (7, 9, 10, 11, 12, 15, 17):
            place = self.temporary
            for _ in range(parts):
                place = place / ("n" * 200)
            place.mkdir(parents=True)
            done = harness.run("deploy", "ring:n=4", "-r", "updown", "--dry-run", env={"TMPDIR": str(place)})
            self.assertEqual(done.returncode, 0 if len(str(place)) < 2048 else 2, done.stderr)
            self.assertIn("" if done.returncode == 0 else "characters", done.stderr)


if __name__ == "__main__":
    unittest.main()
