"""Tables of ranks: what they spent their time in, who sent how much to whom, and where they stand if they cannot finish."""
import csv
import io
import re
import json
import sqlite3
import unittest
import zlib

from browser import CHROMIUM, Browser
from harness import SOURCE, CliTest, run

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

    def test_half_received(self):
        """A message that is here in part when the run ends is no end of its receive: neither in the table of ranks nor in what is missing."""
        (self.tmp / "half.dim").write_text('#DIMEMAS:"half":0:3(1,1,1),0\n2:0:0:1:0:1000000:0:0:0\n2:0:0:2:0:1000000:0:0:0\n'
                                           "1:1:0:0.000001\n3:1:0:0:0:1000000:0:0:0\n1:1:0:0.000001\n3:2:0:0:0:1000000:0:0:0\n")
        done = run("replay", self.tmp / "half.dim", "-f", "crossbar:n=3", "-r", "minimal", "--at-most", "40 us", "-s", "adapter.active=2", "-o", self.tmp / "half.db")
        self.assertEqual(done.returncode, 1)
        for rank, line in ((1, 5), (2, 7)):
            self.assertRegex(done.stdout, rf"rank {rank} on host {rank}: receive 1000000 B from rank 0 \(line {line}\): its message is on its way")
        rows = list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "half.db", "--csv", "--table", "ranks"))))
        self.assertEqual([r["receive_ns"] for r in rows], ["0", "0", "0"])

    def test_requests_stand_before_their_sends(self):
        """Also where the only large sends are those of the last rank to itself: ranks that change their numbers change nothing."""
        took = set()
        for a, b in ((0, 1), (1, 0)):
            program = [f"rank {a} {{\ns: send 10000b to {a} tag 1\nt: send 100b to {b} tag 2\nr: recv 10000b from {a} tag 1\n}}\n", f"rank {b} {{\nrecv 100b from {a} tag 2\n}}\n"]
            (self.tmp / "self.goal").write_text("num_ranks 2\n" + "".join(program[:: 1 if a < b else -1]))
            (self.tmp / "self.db").unlink(missing_ok=True)
            self.ok("replay", self.tmp / "self.goal", "-f", "crossbar:n=2", "-r", "minimal", "--eager", "1 KiB", "--overhead", "1 us", "-o", self.tmp / "self.db")
            took.add(list(csv.DictReader(io.StringIO(self.ok("report", self.tmp / "self.db", "--csv"))))[0]["completion_ns"])
        self.assertEqual(len(took), 1, took)

    def test_times_and_matrix(self):
        self.assertEqual(self.replay(TRACE).returncode, 0)
        first, second = self.table("ranks")
        self.assertEqual([float(first[k]) for k in ("rank", "compute_ns", "send_ns", "receive_ns", "end_ns")], [0, 3000, 0, 0, 3000])
        self.assertEqual([float(second[k]) for k in ("rank", "compute_ns", "send_ns", "receive_ns", "end_ns")], [1, 500, 0, 600, 1100])
        self.assertEqual([(r["from_rank"], r["to_rank"], r["messages"], r["bytes"], r["ranks"]) for r in self.table("matrix")], [("0", "1", "1", "1000", "1")])
        self.assertEqual([(r["rank"], r["kind"], float(r["from_ns"]), float(r["to_ns"])) for r in self.table("timeline")],
                         [("0", "compute", 0, 3000), ("1", "compute", 0, 500), ("1", "receive", 500, 1100)])
        self.ok("report", self.tmp / "r.db", "-o", self.tmp / "r.html")
        self.assertIn('"matrix"', self.ok("report", self.tmp / "r.db", "--json"))

    def test_summary_says_which_fabric_is_best(self):
        """The first network is ten times as slow: the receive takes longer by what its message takes more."""
        (self.tmp / "t.dim").write_text(TRACE.replace(":1000:", ":100000:"))
        slow = FABRIC[1].replace("100 Gb/s", "10 Gb/s")
        told = " ".join(self.ok("replay", self.tmp / "t.dim", "-f", slow, *FABRIC, "-o", self.tmp / "r.db").split())
        self.assertIn("ranks compute receive end", told)
        self.assertIn("mean 1.750 40.260 42.010", told)
        self.assertIn("least 0.500 0.000 3.000", told)
        self.assertIn("most 3.000 80.520 81.020", told)
        self.assertIn("link_rate=10 Gb/s,latency=10 ns: 72.000 us (798.2 %) behind the best; rank 1 (host1) was last; the mean rank spent more: 36.000 us in receive", told)
        self.assertIn("crossbar:n=4,latency=10 ns: the best, 9.020 us; rank 1 (host1) was last", told)

    def test_summary_of_the_documents(self):
        """docs/recording.md shows what its command prints."""
        text = (SOURCE / "docs/recording.md").read_text()
        shown = text[text.index("```text\nTime of ranks") + 8:]
        told = self.ok("replay", "data/halo16.ikrec", "-f", "karytree:k=8,n=2", "-f", "xgft:m=8:8,w=1:2", "-f", "torus:dims=8:8", "-r", "dfsssp", "--compute-scale", "0.01", "-o", self.tmp / "r.db")
        self.assertIn(shown[:shown.index("```")], told)

    def test_equally_good(self):
        (self.tmp / "t.dim").write_text(TRACE)
        told = " ".join(self.ok("replay", self.tmp / "t.dim", "-f", FABRIC[1].replace("100 Gb/s", "10 Gb/s"), *FABRIC, "-o", self.tmp / "r.db").split())
        self.assertEqual(told.count("the best, 3.000 us; rank 0 (host0) was last"), 2)

    def test_damaged_time_lines(self):
        """A list per rank, of kinds that there are, in the order of time; files of earlier versions have none."""
        self.assertEqual(self.replay(TRACE).returncode, 0)
        store = sqlite3.connect(self.tmp / "r.db")
        [[packed]] = store.execute("SELECT workload FROM points")
        whole = json.loads(zlib.decompress(packed[8:]))

        def write(line):
            text = json.dumps({k: v for k, v in {**whole, "timeline": line}.items() if v is not None}).encode()
            store.execute("UPDATE points SET workload = ?", [len(text).to_bytes(8, "little") + zlib.compress(text)])
            store.commit()

        good = whole["timeline"]
        for line in ([*good, []], good[1:], [good[0] + [1], good[1]], [[0, 5], good[1]], [[6, 5], good[1]], [good[0], [1, 5, 2, 5]], [good[0], [1, 5, 2, 4]]):
            with self.subTest(line=line):
                write(line)
                self.refused("report", self.tmp / "r.db", "--csv", "--table", "timeline", says=["r.db", "workload"])
        write(None)
        self.assertEqual(self.table("timeline"), [])
        self.assertEqual(len(self.table("ranks")), 2)
        write(good)
        self.assertEqual(len(self.table("timeline")), 3)
        store.close()

    def test_programs_without_calls(self):
        (self.tmp / "t.goal").write_text("num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n")
        self.ok("replay", self.tmp / "t.goal", *FABRIC, "-o", self.tmp / "r.db")
        self.assertEqual([(r["from_rank"], r["to_rank"], r["messages"], r["bytes"]) for r in self.table("matrix")], [("0", "1", "1", "8")])
        self.assertEqual([(r["rank"], r["kind"], float(r["from_ns"]), float(r["to_ns"])) for r in self.table("timeline")], [("1", "receive", 0, 20.64)])

    def test_time_lines_without_calls(self):
        """What is in progress: computing before receiving; of a run that ends early, up to the last operation that is done."""
        (self.tmp / "t.goal").write_text("num_ranks 2\nrank 0 {\na: calc 500\nb: send 10000b to 1\nc: calc 200\nb requires a\nc requires b\n}\n"
                                         "rank 1 {\na: calc 700\nb: recv 10000b from 0\nc: calc 100\nc requires b\nc requires a\nd: calc 50 cpu 1\nd requires c\n}\n")
        both = [("0", "compute", 0, 700), ("1", "compute", 0, 700), ("1", "receive", 700, 1320), ("1", "compute", 1320, 1470)]
        for most, lines in (("1 ms", both), ("1400 ns", both[:3]), ("1430 ns", [*both[:3], ("1", "compute", 1320, 1420)])):
            with self.subTest(most=most):
                (self.tmp / "r.db").unlink(missing_ok=True)
                self.ok("replay", self.tmp / "t.goal", *FABRIC, "--at-most", most, "-o", self.tmp / "r.db", status=None)
                rows = [(r["rank"], r["kind"], float(r["from_ns"]), float(r["to_ns"])) for r in self.table("timeline")]
                self.assertEqual(rows, lines)
                self.assertEqual([(r["from_rank"], r["to_rank"], r["bytes"]) for r in self.table("matrix")], [("0", "1", "10000")])

    def test_message_list_and_chakra(self):
        """They have a matrix and time lines as well; steps of collective operations are told apart."""
        (self.tmp / "t.csv").write_text("time_ns,src,dst,bytes\n0,0,1,1000\n50,1,0,2000\n")
        self.ok("replay", self.tmp / "t.csv", *FABRIC, "-o", self.tmp / "r.db")
        self.assertEqual([(r["from_rank"], r["to_rank"], r["bytes"]) for r in self.table("matrix")], [("0", "1", "1000"), ("1", "0", "2000")])
        self.assertEqual(len(self.table("ranks")), 2)

    def test_blocked(self):
        """Both receive before they send: every rank is named, with what it waits for."""
        done = self.replay(HEAD + "1:0:0:0.000001\n3:0:0:1:8:1:0:0\n2:0:0:1:8:1:0:0\n3:1:0:0:8:1:0:0\n2:1:0:0:8:1:0:0\n")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("rank 1 on host 1: receive 8 B from rank 0 (line 5): rank 0 has not come to its send (line 4); since 0 ps",
                      " ".join((done.stdout + done.stderr).split()))

    def blocked(self, text, *more):
        """What is said of blocked ranks; the summary breaks its lines anywhere."""
        (self.tmp / "t.dim").write_text('#DIMEMAS:"two":0:2(1,1),1\nd:1:1:2:0:1\n' + text)
        (self.tmp / "r.db").unlink(missing_ok=True)
        done = run("replay", self.tmp / "t.dim", *FABRIC, "-o", self.tmp / "r.db", *more)
        self.assertEqual(done.returncode, 1, done.stderr)
        return re.findall(r"rank \d on host \d: (.*?); since", " ".join(done.stdout.split()))

    def test_calls_that_ranks_are_blocked_in(self):
        """Of collective operations and waits their own line; not a receive that nobody waits for there."""
        self.assertEqual(self.blocked("3:0:0:1:0:8:5:1:1\n10:0:0:0:1:0:0:0:0\n3:0:0:1:0:8:5:1:2\n2:0:0:1:0:8:6:1:0\n"
                                      "3:1:0:0:0:8:6:1:0\n10:1:0:0:1:0:0:0:0\n2:1:0:0:0:8:5:1:0\n"),
                         ["barrier (line 4): receive 1 B from rank 1: rank 1 has not come to its send of barrier (line 8)",
                          "receive 8 B from rank 0 (line 7): rank 0 has not come to its send (line 6)"])
        self.assertEqual(self.blocked("3:0:0:1:0:8:5:1:1\n3:0:0:1:0:8:5:1:2\n2:0:0:1:0:8:6:1:0\n3:1:0:0:0:8:6:1:0\n2:1:0:0:0:8:5:1:0\n"),
                         ["wait (line 4): receive 8 B from rank 1 (line 3): rank 1 has not come to its send (line 7)",
                          "receive 8 B from rank 0 (line 6): rank 0 has not come to its send (line 5)"])
        for rendezvous in ("handshake", "acknowledge"):
            with self.subTest(rendezvous=rendezvous):
                said = self.blocked("2:0:0:1:0:8:5:1:0\n3:0:0:1:0:8:6:1:0\n2:1:0:0:0:8:6:1:0\n3:1:0:0:0:8:5:1:0\n",
                                    "--eager", "4 B", "--set", f"traffic.rendezvous={rendezvous}")
                self.assertEqual(said, ["send 8 B to rank 1 (line 3): rank 1 has not come to its receive (line 6)",
                                        "send 8 B to rank 0 (line 5): rank 0 has not come to its receive (line 4)"])

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_page(self):
        """Time lines, a part of them, the matrix; of a program without calls as well."""
        self.ok("replay", SOURCE / "data/halo16.ikrec", "-f", "karytree:k=4,n=2", "-f", "xgft:m=4:4,w=1:2", "-r", "dfsssp", "--compute-scale", "0.01", "-o", self.tmp / "r.db")
        rows = [r for r in self.table("timeline") if r["rank"] == "3" and r["fabric"].startswith("karytree")]
        self.ok("report", self.tmp / "r.db", "-o", self.tmp / "r.html")
        (self.tmp / "t.goal").write_text("num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n")
        self.ok("replay", self.tmp / "t.goal", *FABRIC, "-o", self.tmp / "g.db")
        self.ok("report", self.tmp / "g.db", "-o", self.tmp / "g.html")
        with Browser(self.tmp) as browser:
            browser.show_as(1200)
            browser.open(self.tmp / "r.html")
            helper = """window.at = (query, type, x, y) => { const c = document.querySelector(query), r = c.getBoundingClientRect(); c.setPointerCapture = () => 0;
                c.dispatchEvent(new PointerEvent(type, { clientX: r.x + x, clientY: r.y + y, button: 0, pointerId: 1, bubbles: true })); return c.parentElement.querySelector('.tip').textContent; }; 0"""
            browser.run(helper)
            self.assertEqual(browser.run("document.querySelectorAll('#time-lines .overlay text').length"), 16)
            first = browser.run("at('canvas.lines', 'pointermove', 80, 3.5 * 20)")
            self.assertEqual(first, f"rank 3 on host3: {rows[0]['kind']} {float(rows[0]['to_ns']) / 1e3:.2f} µs, from 0 ns to {float(rows[0]['to_ns']) / 1e3:.2f} µs")
            whole = browser.run("document.querySelector('.lines-axis').textContent")
            browser.run("at('canvas.lines', 'pointerdown', 600, 9), at('canvas.lines', 'pointermove', 640, 9), at('canvas.lines', 'pointerup', 700, 9)")
            self.assertNotEqual(browser.run("document.querySelector('.lines-axis').textContent"), whole)
            self.assertNotEqual(browser.run("at('canvas.lines', 'pointermove', 80, 3.5 * 20)"), first)
            browser.run("[...document.querySelectorAll('#time-lines button')].find((b) => b.textContent === 'Whole time').click()")
            self.assertEqual(browser.run("document.querySelector('.lines-axis').textContent"), whole)
            self.assertEqual(browser.run("at('canvas.matrix', 'pointermove', 39 + 45, 34 + 15)"), "rank 0 to rank 1: 12 messages, 40,976 B")
            self.assertEqual(browser.run("[...document.querySelectorAll('#ranks .bar-name')].map((n) => n.textContent).slice(0, 2).join()"), "karytree:k=4,n=2,xgft:m=4:4,w=1:2")
            self.assertIn("sw5", browser.run("document.querySelector('#waited-links tbody').textContent"))
            browser.open(self.tmp / "g.html")
            browser.run(helper)
            self.assertIn("Of traces without calls", browser.run("document.querySelector('#ranks').textContent"))
            self.assertEqual(browser.run("at('canvas.lines', 'pointermove', 80, 1.5 * 20)"), "rank 1 on host1: receive 20.64 ns, from 0 ns to 20.64 ns")
            self.assertEqual(browser.console, [])


if __name__ == "__main__":
    unittest.main()
