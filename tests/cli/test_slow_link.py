"""What a slow link is said to cost: only what the loads that were tried tell."""
import contextlib
import itertools
import math
import json
import sqlite3
import unittest

from harness import SOURCE, CliTest

EXPERIMENT = f"""\
fabric: ["file:{SOURCE}/data/cluster96.ibnetdiscover", "file:path={SOURCE}/data/cluster96.ibnetdiscover,repair=true"]
routing: dmodc
load: [5%, 30%, 60%]
seeds: 1
measure: {{stop: {{hops: 100000}}}}
"""
# What the points at 30 and 60 % may be: their verdict, whether they are saturated, how much less is accepted at 30 %; whether that says what is
# accepted at most. Where few hosts saturate first, the others go on, and more is accepted.
KINDS = {"accepted": ("yes", 0, 1, False), "saturated": ("yes", 1, 1, True), "still rising": ("yes", 1, 0.8, False),
         "beyond a bound": ("no", 1, 1, False), "too short": ("too short to tell", None, 1, False)}


class SlowLink(CliTest):
    def make(self, text=EXPERIMENT, args=()):
        path, self.store = self.tmp / "test.yaml", self.tmp / "test.db"
        path.write_text(text)
        self.store.unlink(missing_ok=True)
        return self.ok("run", path, "-o", self.store, *args)

    def set_point(self, fabric, kind, throughput):
        with contextlib.closing(sqlite3.connect(self.store)) as db, db:
            db.execute("UPDATE points SET steady = 'yes', saturated = 0, throughput = load WHERE load < 0.1")
            for load, part in ((0.3, KINDS[kind][2]), (0.6, 1)):
                db.execute("UPDATE points SET steady = ?, saturated = ?, throughput = ? WHERE abs(load - ?) < .01 AND fabric = ?",
                           (*KINDS[kind][:2], throughput * part, load, fabric))

    def expected(self, own, repaired, peaks):
        """The share that the link costs, how sure that is, and what is accepted with it and without."""
        most = [KINDS[kind][3] for kind in (own, repaired)]
        peak = [p if KINDS[kind][0] == "yes" else 0.05 for kind, p in zip((own, repaired), peaks)]
        # up to 100 % may be accepted where it is not known how much is at most: what are the least and the most that it may cost?
        costs = [max(0, 1 - a / b) for a in ((peak[0],) if most[0] else (peak[0], 1)) for b in ((peak[1],) if most[1] else (peak[1], 1))]
        costs = [cost if cost >= 0.005 else 0 for cost in costs]
        if most[1] and max(costs) == 0:
            return 0, "", peak, most
        if most == [True, True]:
            return costs[0], "", peak, most
        if most[1]:
            return max(costs), "at most", peak, most
        return (min(costs), "at least", peak, most) if min(costs) else (None, "", peak, most)

    def test_only_what_was_tried(self):
        self.make()
        for own, repaired, top in itertools.product(KINDS, KINDS, (0.25, 0.106)):
            with self.subTest(own=own, repaired=repaired, top=top):
                peaks = [0.3 if own == "accepted" else 0.106, 0.3 if repaired == "accepted" else top]
                self.set_point(1, own, peaks[0])
                self.set_point(2, repaired, peaks[1])
                loss, bound, peak, most = self.expected(own, repaired, peaks)
                [cost] = self.json("report", self.store)["slow_link_costs"]
                self.assertEqual((cost["peak_is_least"], cost["repaired_peak_is_least"], cost["loss_bound"]), (not most[0], not most[1], bound), cost)
                self.assertEqual(cost["loss"] is None, loss is None, cost)
                self.assertAlmostEqual(cost["loss"] or 0, loss or 0, places=4)
                text = " ".join(self.ok("run", self.tmp / "test.yaml", "-o", self.store).split())
                self.assertIn(cost["text"], text)
                for p, m in zip(peak, most):
                    self.assertIn(f"{'at most' if m else 'at least'} {100 * p:.1f} %", cost["text"])
                if loss is None:
                    untold = any(KINDS[kind][0] != "yes" and not known for kind, known in zip((own, repaired), most))
                    self.assertIn(f"cannot be told; {'longer runs or ' if untold else ''}higher loads than 60 % would tell", cost["text"])
                elif loss:
                    shown = {"at least": math.floor, "at most": math.ceil, "": round}[bound](100 * loss)
                    self.assertIn(f"the link costs {bound} {shown} %".replace("  ", " "), cost["text"])
                self.assertEqual("costs no throughput" in cost["text"], loss == 0)

    def test_loads_that_were_tried(self):
        """A link is full at a load that was tried, or at none of them; never from one on, nor never at all."""
        for load, full, words in (("5%", None, "the slow link is full at none of the loads that were tried: it is 48 % busy at load 5 %"),
                                  ("[5%, 30%]", 0.3, "the slow link is full at load 30 %, the lowest that was tried at which it is"),
                                  ("[5%, 10.4%, 30%]", 0.104, "the slow link is full at load 10.4 %, the lowest that was tried")):
            summary = self.make(EXPERIMENT.replace("[5%, 30%, 60%]", load).replace("100000", "2500000"))
            [cost] = self.json("report", self.store)["slow_link_costs"]
            self.assertEqual(cost["full_load"], full)
            self.assertIn(words, cost["text"])
            self.assertIn(words, " ".join(summary.split()))
            page = self.tmp / "page.html"
            self.ok("report", self.store, "-o", page)
            self.assertIn(json.dumps(cost["text"])[1:-1], page.read_text())

    def test_more_load_may_accept_more(self):
        """Under a shift a few hosts saturate at 8 %, and the others go on: what is accepted at most is known from loads that are far apart and accept the
        same, or from 100 %; not from a search alone, nor from loads side by side, nor where later loads accept more."""
        shift = EXPERIMENT.replace("routing: dmodc", "routing: dmodc\ntraffic: 'shift:by=24'").replace("100000", "400000")
        for load, least, words in (("[5%, 20%, 20.3%]", [True, True], "cannot be told; higher loads than 20.3 % would tell"),
                                   ("[5%, 20%, 20.3%, 30%, 48%]", [True, True], "cannot be told; higher loads than 48 % would tell"),
                                   ("{find: saturation, precision: 2%}", [True, True], "accepts loads up to 8.0 %, repaired loads up to 50.0 %: what the link costs cannot be told"),
                                   ("[60%, 100%]", [False, False], "the link costs 4 % of the throughput")):
            with self.subTest(load=load):
                self.make(shift.replace("[5%, 30%, 60%]", load))
                [cost] = self.json("report", self.store)["slow_link_costs"]
                self.assertEqual([cost["peak_is_least"], cost["repaired_peak_is_least"]], least, cost)
                self.assertIn(words, cost["text"])

    def test_all_that_hosts_can_send(self):
        """At 100 % there is no higher load: what is accepted is the most; where that run cannot tell, a longer one would."""
        self.make(EXPERIMENT.replace("routing: dmodc", "routing: dmodc\ntraffic: 'shift:by=1'").replace("[5%, 30%, 60%]", "[50%, 100%]"))
        [cost] = self.json("report", self.store)["slow_link_costs"]
        self.assertIn("costs no throughput here", cost["text"])
        with contextlib.closing(sqlite3.connect(self.store)) as db, db:
            db.execute("UPDATE points SET steady = 'too short to tell', saturated = NULL WHERE load > .9")
        [cost] = self.json("report", self.store)["slow_link_costs"]
        self.assertIn("cannot be told; longer runs would tell", cost["text"])

    def test_without_a_repaired_fabric(self):
        """Nothing to compare with: what is accepted, at most where that is known."""
        self.make(EXPERIMENT.split(", \"file:path=")[0] + "]\n" + EXPERIMENT.split("\n", 1)[1])
        for kind, words in (("accepted", "accepts at least 30.0 %."), ("saturated", "accepts at most 10.6 %."), ("beyond a bound", "accepts at least 5.0 %.")):
            self.set_point(1, kind, 0.3 if kind == "accepted" else 0.106)
            [cost] = self.json("report", self.store)["slow_link_costs"]
            self.assertTrue(cost["text"].endswith(words), cost["text"])
            self.assertEqual((cost["loss"], cost["loss_bound"]), (None, ""))


if __name__ == "__main__":
    unittest.main()
