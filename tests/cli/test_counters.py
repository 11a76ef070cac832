#!/usr/bin/env python3
"""`ikat audit --counters`: errors, growth, measured loads beside predicted ones. Files that ibqueryerrors printed over ibsim, whose
counters had been set: of 4xQDR, 32 Gb/s, port 3 of S0 sent 5,000,000,000 words in 10 s, port 4 2,000,000,000."""
import os
import re
import unittest

from harness import SOURCE, CliTest

DATA = SOURCE / "tests" / "data" / "counters"
FABRIC = DATA / "ring5.ibnetdiscover"


class Counters(CliTest):
    def audit(self, *arguments, status=0):
        return self.json("audit", FABRIC, *arguments, status=status)

    def test_one_reading(self):
        said = self.audit("--counters", DATA / "ring5.ibqueryerrors")
        found = {(finding["code"], finding["severity"]): finding for finding in said["findings"]}
        for key in (("link-downed", "warning"), ("symbol-errors", "warning"), ("port-errors", "warning"), ("discards", "warning"), ("congestion", "note")):
            self.assertIn(key, found)
        self.assertIn("LinkErrorRecoveryCounter 255", found["symbol-errors", "warning"]["text"])
        self.assertEqual(said["counters"]["ports_at_limit"], 1)
        self.assertIsNone(said["counters"]["interval_s"])
        self.assertEqual(said["counters"]["channels"], [])

    def test_growing(self):
        """A link that went down between two readings is an error."""
        said = self.audit("--counters", DATA / "ring5.ibqueryerrors", "--counters-later", DATA / "ring5.ibqueryerrors2", "--interval", "1 s", status=1)
        self.assertEqual([finding["code"] for finding in said["findings"] if finding["severity"] == "error"], ["link-downed"])

    def loads(self, *arguments):
        return self.audit("--counters", DATA / "ring5.data1", "--counters-later", DATA / "ring5.data2", *arguments)["counters"]

    def test_loads(self):
        said = self.loads("--interval", "10s")
        self.assertEqual(said["measured_channels"], 10)
        self.assertAlmostEqual(said["busiest_used"], 0.5, 4)
        self.assertAlmostEqual(said["mean_used"], 0.07, 4)
        self.assertIsNone(said["likeness"])
        self.assertAlmostEqual(self.loads("--interval", "20 s")["busiest_used"], 0.25, 4)

    def test_predicted(self):
        """Beside the tables' loads: even on a ring whose tables take the shorter way, and the sum is what was measured."""
        self.ok("route", FABRIC, "-r", "shortest", "--format", "lft", "--unproved", "-o", self.tmp / "ring.lfts")
        page = self.tmp / "page.html"
        said = self.audit("--counters", DATA / "ring5.data1", "--counters-later", DATA / "ring5.data2", "--interval", "10s",
                          "--lfts", self.tmp / "ring.lfts", "--page", page, status=1)["counters"]
        self.assertEqual(len(said["channels"]), 30)
        for key in ("used", "predicted"):
            inner = [channel[key] for channel in said["channels"] if re.match(r"S\d .* port [34]$", channel["port"])]
            self.assertEqual(len(inner), 10)
            self.assertAlmostEqual(sum(inner) / 10, said["mean_used"], 4)
        self.assertLess(abs(said["likeness"]), 1)
        text = page.read_text()
        self.assertEqual(text.count('class="loads"'), 2)
        self.assertIn('<path class="l4"', text)

    def test_times_of_files(self):
        for name, time in (("ring5.data1", 1000), ("ring5.data2", 1020)):
            (self.tmp / name).write_bytes((DATA / name).read_bytes())
            os.utime(self.tmp / name, (time, time))
        files = [self.tmp / name for name in ("ring5.data1", "ring5.data2")]
        said = self.audit("--counters", files[0], "--counters-later", files[1])["counters"]
        self.assertEqual(said["interval_s"], 20)
        self.refused("audit", FABRIC, "--counters", files[1], "--counters-later", files[0], says=("not later", "--interval"))

    def test_refused(self):
        self.refused("audit", FABRIC, "--counters", FABRIC, says="ring5.ibnetdiscover:4")
        for nothing in ("# hello\n", "\n", "# Port statistics of yesterday\n# none\n"):
            (self.tmp / "nothing").write_text(nothing)
            self.refused("audit", FABRIC, "--counters", self.tmp / "nothing", says=("nothing:1:1", "nothing that ibqueryerrors or perfquery prints"))
        self.refused("audit", "ring:n=4", "--counters", DATA / "ring5.data1", says="none of its ports")
        self.refused("audit", FABRIC, "--counters-later", DATA / "ring5.data1", says="--counters")
        self.refused("audit", FABRIC, "--counters", DATA / "ring5.data1", "--interval", "10s", says="--counters-later")
        for time in ("0 s", "fast", "-3 s"):
            self.refused("audit", FABRIC, "--counters", DATA / "ring5.data1", "--counters-later", DATA / "ring5.data2", "--interval", time)

    def test_failures(self):
        """Queries that no switch answered are an error of the installed routing."""
        (self.tmp / "errors").write_text("\n## Summary: 15 nodes checked, 0 bad nodes found\n##          975 PMA query failures\n")
        said = self.audit("--counters", self.tmp / "errors", status=1)
        self.assertIn("query-failures", [finding["code"] for finding in said["findings"]])


if __name__ == "__main__":
    unittest.main()
