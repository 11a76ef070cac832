"""`ikat audit --nagios`: one line, performance data and exit statuses of plug-ins of monitoring systems, compared with --json."""
import re
import unittest

import harness

CLUSTER = ("data/cluster96.ibnetdiscover", "--lfts", "data/cluster96.lfts", "--routing", "none")
PULLED = ("file:path=data/cluster96.ibnetdiscover,fail=0x0200c9a000ec0060.11", *CLUSTER[1:])
LINE = r"IKAT (OK|WARNING|CRITICAL) - [^|\n]+ \| ((?:[a-z_]+=[0-9.e+-]+(?:;[0-9.]*){3,4} ?)+)\n"
STATUS = {"OK": 0, "WARNING": 1, "CRITICAL": 2}


class NagiosTest(harness.CliTest):
    """What a monitoring system reads."""

    def check(self, *args):
        done = harness.run("audit", *args, "--nagios")
        match = re.fullmatch(LINE, done.stdout)
        self.assertTrue(match, done.stdout + done.stderr)
        self.assertEqual(done.returncode, STATUS[match[1]])
        data = dict(part.split("=") for part in match[2].split())
        report = self.json("audit", *args, status=None)
        self.assertEqual(match[1], "CRITICAL" if report["errors"] else "WARNING" if report["warnings"] else "OK")
        for name in ("errors", "warnings", "notes"):
            self.assertEqual(int(data[name].split(";")[0]), report[name])
        if report["tables"]:
            installed = report["installed"]
            lost = installed["pairs"] - installed["delivered"] - installed["unconnected"]
            self.assertEqual(data["lost_pairs"].split(";")[::4], [str(lost), str(installed["pairs"])])
            self.assertEqual(float(data["max_load"].split(";")[0]), installed["max_load"])
        else:
            self.assertEqual(set(data), {"errors", "warnings", "notes"})
        severity = {"CRITICAL": "error", "WARNING": "warning"}.get(match[1])
        first = next((f for f in report["findings"] if f["severity"] == severity and not f["known"]), None)
        self.assertEqual(f"[{first['code']}]" in done.stdout if first else "[" in done.stdout, bool(first))
        return match[1]

    def test_statuses(self):
        self.assertEqual(self.check("torus:dims=4:4", "--routing", "none"), "OK")
        self.assertEqual(self.check(*CLUSTER), "WARNING")
        self.assertEqual(self.check(*PULLED), "CRITICAL")

    def test_known_findings_do_not_count(self):
        (self.tmp / "known.json").write_text(self.ok("audit", *PULLED, "--json", status=1))
        self.assertEqual(self.check(*PULLED, "--baseline", self.tmp / "known.json"), "OK")

    def test_a_name_cannot_begin_performance_data(self):
        dump = (harness.SOURCE / "data/cluster96.ibnetdiscover").read_text().replace("SwitchIB Mellanox", "a|errors=0 b")
        (self.tmp / "named.ibnetdiscover").write_text(dump)
        self.check(self.tmp / "named.ibnetdiscover", *CLUSTER[1:])

    def test_what_goes_wrong_is_unknown(self):
        for args in (["/nowhere"], ["/no|where=1"], ["ring:n=4", "--sl2vl", "x"], ["ring:n=4", "--no-such-option"], ["ring:n=4", "--engine", "updn"], ["ring:n=4", "--json"], ["ring:n=4", "--all"],
                     [], ["ring:n=4", "ring:n=5"], ["ring:n=4", "--lfts", "README.md"], ["ring:n=4", "--plugin", "/nowhere.so"], ["ring:n=4", "--jobs", "x"]):
            done = harness.run("audit", "--nagios", *args)
            with self.subTest(args=args):
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r"\AIKAT UNKNOWN - [^\n]+\n\Z")
                self.assertTrue(done.stderr.startswith("ikat: "), done.stderr)
                self.assertNotIn("|", done.stdout)
        self.assertEqual(harness.run("audit", "/nowhere").returncode, 2)

    def test_the_line_says_where(self):
        """Of input that cannot be read: what standard error says, which a monitoring system does not show."""
        lines = (harness.SOURCE / "data/cluster96.ibnetdiscover").read_text().splitlines(keepends=True)
        (self.tmp / "cut.ibnetdiscover").write_text("".join(lines[:40]) + lines[40][:20])
        for path in ("/nowhere", self.tmp / "cut.ibnetdiscover"):
            done = harness.run("audit", "--nagios", path)
            self.assertIn(str(path), done.stdout)
            self.assertEqual(done.stderr.splitlines()[0].replace("ikat: ", "IKAT UNKNOWN - ", 1) + "\n", done.stdout)

    def test_other_commands_have_no_such_end(self):
        self.assertEqual(harness.run("check", "ring:n=4", "--nagios").returncode, 2)


if __name__ == "__main__":
    unittest.main()
