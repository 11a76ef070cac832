"""Tables of ranks: what they spent their time in, who sent how much to whom, and where they stand if they cannot finish."""
import csv
import io
import unittest

from harness import CliTest, run

HEAD = '#DIMEMAS:"two":1,0:2(1,1):0\n'
TRACE = HEAD + """1:0:0:0.000001
2:0:0:1:1000:5:0:0
1:0:0:0.000002
1:1:0:0.0000005
3:1:0:0:1000:5:0:0
"""
FABRIC = ("-f", "crossbar:n=4,latency=10 ns,link_rate=100 Gb/s", "-r", "minimal")


class Ranks(CliTest):
    def replay(self, text):
        (self.tmp / "t.dim").write_text(text)
        return run("replay", self.tmp / "t.dim", *FABRIC, "-o", self.tmp / "r.db")

    def table(self, name):
        return list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "r.db", "--csv", "--table", name))))

    def test_times_and_matrix(self):
        self.assertEqual(self.replay(TRACE).returncode, 0)
        first, second = self.table("ranks")
        self.assertEqual([float(first[k]) for k in ("rank", "compute_ns", "send_ns", "receive_ns", "end_ns")], [0, 3000, 0, 0, 3000])
        self.assertEqual([float(second[k]) for k in ("rank", "compute_ns", "send_ns", "receive_ns", "end_ns")], [1, 500, 0, 600, 1100])
        self.assertEqual([(r["from_rank"], r["to_rank"], r["messages"], r["bytes"], r["ranks"]) for r in self.table("matrix")], [("0", "1", "1", "1000", "1")])
        self.ok("report", self.tmp / "r.db", "-o", self.tmp / "r.html")
        self.assertIn('"matrix"', self.ok("report", self.tmp / "r.db", "--json"))

    def test_programs_without_calls(self):
        (self.tmp / "t.goal").write_text("num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n")
        self.ok("replay", self.tmp / "t.goal", *FABRIC, "-o", self.tmp / "r.db")
        self.assertEqual(self.table("ranks") + self.table("matrix"), [])

    def test_blocked(self):
        """Both receive before they send: every rank is named, with what it waits for."""
        done = self.replay(HEAD + "1:0:0:0.000001\n3:0:0:1:8:1:0:0\n2:0:0:1:8:1:0:0\n3:1:0:0:8:1:0:0\n2:1:0:0:8:1:0:0\n")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("rank 1 on host 1: receive 8 B from rank 0 (line 5): rank 0 has not come to its send (line 4); since 0 ps",
                      " ".join((done.stdout + done.stderr).split()))


if __name__ == "__main__":
    unittest.main()
