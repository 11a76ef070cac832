"""Simulations that are stopped or killed and continue from their checkpoints, to the bytes of a run that was not."""
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import IKAT, SOURCE, CliTest, has_worked, run

ENDLESS = """\
fabric: karytree:k=8,n=2
routing: [dmodk, adaptive_tree]
traffic: uniform
load: 60%
seeds: [1]
measure: {duration: 2 ms, warmup: 100 us, series: 500 us}
"""
CASES = {
    "endless": ENDLESS,
    "search": "fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: uniform\nload: {find: saturation, precision: 10%}\n"
              "measure: {warmup: auto, stop: {ci: 1 %, at_most: 4 ms}}\n",
    "workload": "fabric: karytree:k=8,n=2\nrouting: dmodk\ntraffic: \"exchange:bytes=256 KiB\"\nmeasure: {until: delivered, at_most: 50 ms}\n",
    "order": "fabric: karytree:k=4,n=2\nrouting: adaptive_tree\ntraffic: uniform\nload: 80%\nadapter: {in_order: true, reorder_buffer: 64 KiB}\n"
             "measure: {duration: 3 ms, warmup: 1 us}\n",
}


class Checkpoints(CliTest):
    def setUp(self):
        super().setUp()
        self.experiment = self.tmp / "e.yaml"

    def start(self, name, every, jobs):
        return subprocess.Popen([IKAT, "run", self.experiment, "-o", self.tmp / name, "--jobs", jobs, "--checkpoint", every],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def files(self, name):
        return sorted((self.tmp / f"{name}.checkpoints").glob("*"))

    def stop(self, name, seconds, how, every="10min", jobs="1"):
        """Sends a signal after so many seconds of processor time; returns the exit status and what was said."""
        process = self.start(name, every, jobs)
        has_worked(process, seconds)
        process.send_signal(how)
        _, said = process.communicate()
        return process.returncode, said

    def expect_same(self, case, name):
        self.ok("run", self.experiment, "-o", self.tmp / "whole.db", "--jobs", "1")
        self.assertEqual((self.tmp / name).read_bytes(), (self.tmp / "whole.db").read_bytes(), case)
        self.assertFalse((self.tmp / f"{name}.checkpoints").exists())
        for path in self.tmp.glob("*.db*"):
            path.unlink()

    def test_a_notice(self):
        """SIGTERM again and again: the state is written, the exit status is that of any stopped run, and what is there is said. Later ones come later: what a
        workload is compared with is simulated from its beginning each time, and takes longer with a sanitizer."""
        for case, text in CASES.items():
            with self.subTest(case):
                shutil.rmtree(self.tmp / "a.db.checkpoints", ignore_errors=True)
                (self.tmp / "a.db").unlink(missing_ok=True)
                self.experiment.write_text(text)
                stopped = 0
                for number in range(80):
                    status, said = self.stop("a.db", 0.12 * 1.1 ** number, signal.SIGTERM)
                    if status == 0:
                        break
                    self.assertEqual(status, 130, said)
                    stopped += "checkpoint" in said and bool(self.files("a.db"))
                self.assertEqual(status, 0)
                self.assertGreater(stopped, 0)
                self.expect_same(case, "a.db")

    def test_killed(self):
        """kill -9 between checkpoints, and while one is written."""
        chance = random.Random(35)
        self.experiment.write_text(ENDLESS)
        for number in itertools.count():
            self.assertLess(number, 400)
            status, said = self.stop("a.db", chance.uniform(0.02, 0.15) * 1.02 ** number, signal.SIGKILL, "0.02 s")
            if status == 0:
                break
            self.assertEqual(status, -signal.SIGKILL, said)
        self.assertGreater(number, 1)
        self.expect_same("killed", "a.db")

    def test_threads(self):
        """Begun with several threads, a point continues whatever --jobs says."""
        self.experiment.write_text(ENDLESS.replace("[dmodk, adaptive_tree]", "dmodk").replace("k=8,n=2", "k=16,n=2,latency=2 us").replace("2 ms", "6 ms"))
        status, said = self.stop("a.db", 0.4, signal.SIGTERM, jobs="2")
        self.assertEqual(status, 130)
        self.assertIn("2 threads", said)
        self.assertEqual(len(self.files("a.db")), 1)
        self.ok("run", self.experiment, "-o", self.tmp / "a.db", "--jobs", "1", "--checkpoint", "10min")
        self.expect_same("threads", "a.db")

    def test_the_script_of_the_page(self):
        """With a stand-in for scontrol: told to stop, it asks to be requeued with the state on the disk; then it comes to its end."""
        page = (SOURCE / "docs/howto/run-on-a-cluster.md").read_text(encoding="utf-8")
        script = re.search(r"^```bash\n(.*?--checkpoint.*?)^```", page, re.M | re.S)[1]
        self.experiment = self.tmp / "big.yaml"
        self.experiment.write_text(ENDLESS)
        (self.tmp / "ikat").symlink_to(pathlib.Path(IKAT).resolve())
        (self.tmp / "scontrol").write_text('#!/bin/sh\necho "$@" >> asked\n')
        (self.tmp / "scontrol").chmod(0o755)
        env = {**os.environ, "PATH": f"{self.tmp}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
        job = subprocess.Popen(["bash", "-c", script], cwd=self.tmp, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while job.poll() is None and not (self.tmp / "big.db.checkpoints").exists():
            time.sleep(0.01)
        job.send_signal(signal.SIGTERM)
        job.wait()
        self.assertEqual((self.tmp / "asked").read_text(), "requeue 7\n")
        subprocess.run(["bash", "-c", script], cwd=self.tmp, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        self.expect_same("big", "big.db")

    def test_refused_files(self):
        """A file that is torn, or of another point, ends the run; it and the results stay as they are."""
        self.experiment.write_text(ENDLESS)
        self.assertEqual(self.stop("a.db", 0.12, signal.SIGTERM)[0], 130)
        file = self.files("a.db")[0]
        bytes_ = file.read_bytes()
        for what, content in (("torn", bytes_[:-1]), ("torn", b""), ("damaged", bytes_[:-1] + b"?"), ("no checkpoint", b"seeds: [1]\n" * 9)):
            with self.subTest(what):
                file.write_bytes(content)
                said = self.refused("run", self.experiment, "-o", self.tmp / "a.db", "--jobs", "1", "-q", "--checkpoint", "10min")
                self.assertIn(what, said)
                self.assertIn("hint: remove it", said)
                self.assertEqual(file.read_bytes(), content)
        file.write_bytes(bytes_)
        self.experiment.write_text(ENDLESS.replace("60%", "70%"))
        self.assertEqual(self.stop("b.db", 0.12, signal.SIGTERM)[0], 130)
        file.write_bytes(self.files("b.db")[0].read_bytes())
        self.experiment.write_text(ENDLESS)
        said = self.refused("run", self.experiment, "-o", self.tmp / "a.db", "--jobs", "1", "-q", "--checkpoint", "10min")
        self.assertIn("of another point", said)
        self.assertIn("0.7", said)
        file.write_bytes(bytes_)
        self.ok("run", self.experiment, "-o", self.tmp / "a.db", "--jobs", "1", "--checkpoint", "10min")
        self.assertEqual(self.files("a.db"), [])

    def test_killed_before_files_go(self):
        """Files of points that are finished go with the next run that ends."""
        for case in ("endless", "search"):
            self.experiment.write_text(CASES[case])
            stopped = None
            for number in itertools.count():
                if stopped:
                    break
                self.assertEqual(self.stop("a.db", 0.1 * 1.1 ** number, signal.SIGTERM, "0.02 s")[0], 130)
                stopped = [(path, path.read_bytes()) for path in self.files("a.db")]
            run("run", self.experiment, "-o", self.tmp / "a.db", "--checkpoint", "10min")
            (self.tmp / "a.db.checkpoints").mkdir()
            for path, content in stopped:
                path.write_bytes(content)
            self.ok("run", self.experiment, "-o", self.tmp / "a.db", "--jobs", "1", "--checkpoint", "10min")
            self.expect_same(case, "a.db")

    def test_the_folder(self):
        """A file or another run in its place; what is left in it that this run did not have; the run that has the results keeps its own."""
        self.experiment.write_text(ENDLESS.replace("2 ms", "20 us").replace("500 us", "10 us").replace("100 us", "1 us"))
        folder = self.tmp / "a.db.checkpoints"
        command = ("run", self.experiment, "-o", self.tmp / "a.db", "--jobs", "1", "--checkpoint", "10min")
        folder.write_text("")
        self.refused(*command, says="is no folder where checkpoints can be written")
        self.assertFalse((self.tmp / "a.db").exists())
        folder.unlink()
        folder.mkdir()
        (folder / "0123456789abcdef.checkpoint").write_text("of a point that is no more")
        self.assertIn("has checkpoints of points that this run did not have", run(*command).stderr)
        (folder / "0123456789abcdef.checkpoint").unlink()
        self.experiment.write_text(ENDLESS.replace("2 ms", "200 ms"))
        process = self.start("a.db", "10min", "1")
        has_worked(process, 0.12)  # the results are its own by now
        self.refused(*command)
        self.assertTrue(folder.exists())
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate()
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(len(self.files("a.db")), 1)

    def test_refused_points(self):
        """What has no checkpoints is refused before anything is written."""
        for text, place in (("switch: {model: pipelined}\n", "pipelined"), ("watch: {packets: 0:1}\n", "watch")):
            self.experiment.write_text(ENDLESS + text)
            said = self.refused("run", self.experiment, "-o", self.tmp / "a.db", "--checkpoint", "10min")
            self.assertIn(place, said)
            self.assertIn("checkpoints", said)
            self.assertEqual(list(self.tmp.glob("a.db*")), [])
        for time_ in ("0 s", "soon", "-3 s", ""):
            self.assertIn("--checkpoint", self.refused("run", self.experiment, "-o", self.tmp / "a.db", "--checkpoint", time_))


if __name__ == "__main__":
    unittest.main()
