"""--memory-limit holds for every command: what needs more ends with a clear message and takes no more than the limit allows."""
import filecmp
import os
import subprocess
import unittest

from harness import IKAT, CliTest, run, sanitized

TREE, SMALL, LARGE = "rlft:ports=24,levels=3", "rlft:ports=12,levels=3", "rlft:ports=32,levels=3"
EXPERIMENT = f"""\
fabric: {TREE}
routing: dmodk
traffic: uniform
load: [20%, 40%]
measure: {{warmup: 0 ns, duration: 1 us, series: 100 ns}}
"""
CASES = [  # a command, a limit that it does not keep, one that it keeps, whether it takes far more than the first
    (("topo", TREE), "400 KiB", "50 MiB", False),
    (("check", SMALL, "--routing", "updown", "--no-cache"), "100 KiB", "50 MiB", False),
    (("route", LARGE, "--routing", "minimal"), "1 MiB", "100 MiB", True),
    (("route", SMALL, "--diff", "updown", "dmodk"), "100 KiB", "50 MiB", False),
    (("route", SMALL, "--routing", "updown", "--format", "lft"), "100 KiB", "50 MiB", False),
    (("load", LARGE, "--routing", "minimal", "--traffic", "alltoall"), "1 MiB", "100 MiB", True),
    (("compare", "karytree:k=4,n=3", SMALL), "50 KiB", "50 MiB", False),
]
SLACK = 4 << 20  # pages of the program itself, and stacks of two threads


def measure(*args, out=os.devnull):
    """Runs ikat with one job, its standard output to a file; its status, messages and peak resident memory in bytes (which
    is no less than what this program holds)."""
    with open(out, "wb") as file, subprocess.Popen([IKAT, *map(str, args), "--jobs", "1", "-q"], stdout=file,
                                                   stderr=subprocess.PIPE) as child:
        said = child.stderr.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, said, usage.ru_maxrss * 1024


@unittest.skipIf(sanitized(), "sanitizers take memory of their own")
class Memory(CliTest):
    def refused_within(self, args, limit):
        """Too little memory: a clear message, exit status 2, and the limit is kept; returns the most that was allowed."""
        status, said, peak = measure(*args, "--memory-limit", limit)
        self.assertEqual(status, 2, said)
        self.assertIn(f"the limit is {limit}", said)
        self.assertRegex(said, "about [0-9.]+ .iB|out of memory: [0-9.]+ .iB for|needs [0-9.]+ MB")
        self.assertIn("raise --memory-limit", said)
        allowed = measure("list")[2] + int(limit.split()[0]) * 2**(10 if "KiB" in limit else 20) + SLACK
        self.assertLessEqual(peak, allowed, args)
        return allowed

    def test_commands(self):
        for args, small, enough, needs_far_more in CASES:
            with self.subTest(args=args):
                allowed = self.refused_within(args, small)
                whole, limited = self.tmp / "whole", self.tmp / "limited"
                status, said, peak = measure(*args, out=whole)
                self.assertEqual(status, 0, said)
                self.assertTrue(peak > allowed or not needs_far_more, (peak, allowed))
                self.assertEqual(measure(*args, "--memory-limit", enough, out=limited)[:2], (status, said))
                self.assertTrue(filecmp.cmp(whole, limited, shallow=False))

    def test_run_and_report(self):
        experiment, whole, other = self.tmp / "e.yaml", self.tmp / "whole.db", self.tmp / "other.db"
        experiment.write_text(EXPERIMENT)
        run_it = ("run", experiment, "--no-cache", "-o")
        self.refused_within((*run_it, other), "4 MiB")
        self.assertFalse(other.exists())
        self.assertEqual(measure(*run_it, whole)[0], 0)
        self.assertEqual(measure(*run_it, other, "--memory-limit", "100 MiB")[0], 0)
        self.assertEqual(whole.read_bytes(), other.read_bytes())
        page, same = self.tmp / "a.html", self.tmp / "b.html"
        self.refused_within(("report", whole, "-o", page), "1 MiB")
        self.assertFalse(page.exists())
        self.assertEqual(measure("report", whole, "-o", page)[0], 0)
        self.assertEqual(measure("report", whole, "-o", same, "--memory-limit", "100 MiB")[0], 0)
        self.assertEqual(page.read_bytes(), same.read_bytes())

    def test_a_verdict_needs_no_more_than_its_run(self):
        """What is known of a load before it is simulated is done without where it would need more memory than the limit."""
        experiment = self.tmp / "e.yaml"
        experiment.write_text("fabric: hyperx:dims=6:6,p=2\nrouting: valiant\ntraffic: uniform\nload: 20 %\nmeasure: {warmup: 5 us, duration: 10 us}\n")
        status, said, _ = measure("run", experiment, "-o", self.tmp / "e.db", "--memory-limit", "20 MB")
        self.assertEqual(status, 0, said)

    def test_limits_that_nothing_keeps(self):
        """However little there is, commands end in order: no signal, no silence."""
        for limit in ("1 B", "1 KiB", "64 KiB", "300 KiB"):
            for args in (("topo", "karytree:k=4,n=3"), ("check", "torus:dims=8:8", "--routing", "updown", "--no-cache"),
                         ("route", "karytree:k=4,n=3", "--routing", "minimal"), ("list",), ("help", "experiment"),
                         ("load", "torus:dims=8:8", "--routing", "dor", "--traffic", "uniform")):
                with self.subTest(args=args, limit=limit):
                    done = run(*args, "--memory-limit", limit)
                    self.assertIn(done.returncode, (0, 2), done.stderr)
                    self.assertEqual(done.returncode == 0, not done.stderr.startswith("ikat: "), done.stderr)


if __name__ == "__main__":
    unittest.main()
