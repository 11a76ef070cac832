"""`ikat failures`: what single failures do is computed again from the fabric's links, by fail= with `check` and `load`, and by judging
the old tables on the damaged fabric; groups by symmetry are compared with every failure judged alone."""
import collections
import csv
import io
import json
import random
import re
import signal
import subprocess
import unittest

import harness

# Families with and without levels, parallel cables, hosts with several cables, damage, bridges, several parts.
PROVED = [("pgft:m=2:2,w=2:2,p=1:2", "updown"), ("pgft:m=4:3,w=1:2,p=1:2", "dmodc"), ("karytree:k=2,n=3", "dmodk"),
          ("karytree:k=2,n=3,fail=sw0.3", "dmodc"), ("torus:dims=3:4", "updown"), ("ring:n=5,p=2,fail=sw0.3", "updown"),
          ("dragonfly:h=1", "minimal"), ("slimfly:q=5,p=1", "dfsssp"), ("mesh:dims=2:3", "dor"), ("hypercube:n=3", "nue")]
CUT = ["karytree:k=2,n=3", "pgft:m=2:2,w=2:2,p=1:2", "pgft:m=4:4,w=2:1,p=1:1", "pgft:m=3:2:2,w=1:1:2,p=1:2:1", "mesh:dims=1:5", "mesh:dims=2:4",
       "torus:dims=3:3,fail=30%,fail_seed=2", "ring:n=6,p=2,fail=sw0.3:sw2.3", "dragonfly:h=1", "jellyfish:N=12,d=3"]


def place(row):
    """The failure as fail= takes it."""
    return re.match(r"(sw\d+)(?: port (\d+))?", row["where"]).expand(r"\1.\2" if " port " in row["where"] else r"\1")


def damaged(spec, row):
    """The spec of the fabric without it."""
    before = re.search(r"fail=([^,%]*)(,|$)", spec)
    return spec.replace(before[0], f"fail={before[1]}:{place(row)}{before[2]}") if before else f"{spec},fail={place(row)}"


class FailuresTest(harness.CliTest):
    """Rows of --csv and groups of --json."""

    def rows(self, *args):
        return list(csv.DictReader(io.StringIO(self.ok("failures", *args, "--csv", status=None))))

    # ---- hosts that are cut off

    def links(self, spec):
        """Links as (node, port, node, port) and the number of switches, from an export."""
        self.ok("topo", spec, "-o", self.tmp / "fabric.json", status=None)
        fabric = json.loads((self.tmp / "fabric.json").read_text())
        return [tuple(link[:4]) for link in fabric["links"]], len(fabric["switches"]), len(fabric["hosts"])

    @staticmethod
    def largest(links, switches, hosts):
        """Hosts of the part with most: by flooding from every switch."""
        near, hung = collections.defaultdict(set), collections.defaultdict(set)
        for a, _, b, _ in links:
            for x, y in ((a, b), (b, a)):
                if x < switches and y < switches:
                    near[x].add(y)
                elif x < switches:
                    hung[x].add(y)
        most = 0
        for start in range(switches):
            seen, todo = {start}, [start]
            while todo:
                for other in near[todo.pop()] - seen:
                    seen.add(other)
                    todo.append(other)
            most = max(most, len(set().union(*(hung[s] for s in seen))))
        return most

    def check_cut(self, spec, where=None):
        links, switches, hosts = self.links(where or spec)
        now = self.largest(links, switches, hosts)
        rows = self.rows(spec)
        between = [link for link in links if link[0] < switches and link[2] < switches]
        cables = collections.Counter(end for link in links for end in (link[0], link[2]) if end >= switches)
        self.assertEqual(collections.Counter(r["kind"] for r in rows),
                         collections.Counter({"cable": len(between), "switch": switches, "host cable": sum(n for n in cables.values() if n > 1)})
                         + collections.Counter())
        for row in rows:
            switch, port = (re.match(r"sw(\d+)(?: port (\d+))?", row["where"])).groups()
            switch, port = int(switch), port and int(port) - 1
            left = [l for l in links if ((l[0], l[1]) != (switch, port) and (l[2], l[3]) != (switch, port) if port is not None else switch not in (l[0], l[2]))]
            with self.subTest(spec=spec, where=row["where"]):
                self.assertEqual(int(row["hosts_cut"]), now - self.largest(left, switches, hosts))
                ends = {end for l in left for end in (l[0], l[2])}
                self.assertEqual(int(row["hosts_own"]), len({end for l in links for end in (l[0], l[2]) if end >= switches} - ends))

    def test_hosts_cut_off(self):
        for spec in CUT:
            self.check_cut(spec)

    def test_hosts_cut_off_in_random_fabrics(self):
        rng = random.Random(5)
        for number in range(12):
            switches, hosts = rng.randint(2, 9), rng.randint(2, 8)
            free, lines = collections.Counter(), []
            links = [(rng.randrange(switches), rng.randrange(switches)) for _ in range(rng.randint(1, 11))]
            links = [(a, b) for a, b in links if a != b] + [(switches + h, rng.randrange(switches)) for h in range(hosts) for _ in range(rng.choice((1, 1, 2)))]
            for a, b in links:
                ports = []
                for end in (a, b):
                    ports.append(free[end])
                    free[end] += 1
                lines.append([a, ports[0], b, ports[1], 0])
            fabric = {"format": "ikat fabric", "version": 1, "classes": [{"name": "x", "rate_bps": 10**11, "latency_ps": 6000}],
                      "switches": [{"ports": max(free[s], 1)} for s in range(switches)],
                      "hosts": [{"ports": free[switches + h]} for h in range(hosts)], "links": lines}
            path = self.tmp / f"random{number}.json"
            path.write_text(json.dumps(fabric))
            self.check_cut(f"file:path={path}")

    # ---- pairs lost, reroutes

    def test_pairs_lost_are_those_that_old_tables_lose(self):
        for spec, routing in [p for p in PROVED if p[1] in ("updown", "dmodc", "dmodk", "nue")][:6]:
            if spec.startswith("pgft:m=2:2,w=2:2"):
                continue  # hosts with several cables: audit counts pairs of ports
            tables = self.tmp / "tables.lft"
            self.ok("route", spec, "-r", routing, "--format", "lft", "-o", tables, status=None)
            before = self.json("audit", spec, "--lfts", tables, "--routing", "none", status=None)["installed"]["delivered"]
            for row in self.rows(spec, "--lfts", tables):
                after = self.json("audit", damaged(spec, row), "--lfts", tables, "--routing", "none", status=None)["installed"]["delivered"]
                with self.subTest(spec=spec, where=row["where"]):
                    self.assertEqual(float(row["pairs_lost"]), before - after)

    def test_reroutes_are_those_of_the_damaged_fabric(self):
        for spec, routing in PROVED:
            now = self.json("check", spec, "-r", routing, "--allow-unreachable", status=None)["vcs"]
            for row in self.rows(spec, "-r", routing, "--all"):
                with self.subTest(spec=spec, where=row["where"]):
                    self.compare_reroute(damaged(spec, row), routing, now, row)

    def compare_reroute(self, spec, routing, lanes, row):
        done = harness.run("check", spec, "-r", routing, "--allow-unreachable", "--json")
        if done.returncode == 2:
            self.assertEqual(row["reroute"], "refused")
            self.assertTrue(row["why"])
            return
        proof = json.loads(done.stdout)
        self.assertEqual(row["reroute"], "lost" if not proof["delivered"] or not proof["loop_free"] else
                         "deadlock" if not proof["deadlock_free"] else "lanes" if proof["vcs_needed"] > lanes else "proved")
        self.assertEqual(int(row["undelivered"]), proof["undelivered"])
        load = self.json("load", spec, "-r", routing, "--allow-unreachable", status=None)
        self.assertAlmostEqual(float(row["max_load"]), load["max_load"], 9)
        self.assertAlmostEqual(float(row["saturation"]), load["saturation"], 9)

    # ---- groups

    def test_groups_are_what_every_failure_gives(self):
        judged = stands = 0
        for spec, routing in PROVED + [("rlft:ports=6,levels=2", "dmodc"), ("torus:dims=4:4", "dor"), ("hyperx:dims=3:3", "dor"),
                                       ("karytree:k=3,n=2", "dmodk"), ("jellyfish:N=10,d=3", "shortest"), ("dragonfly:h=2", "minimal")]:
            every = self.rows(spec, "-r", routing, "--all")
            some = self.json("failures", spec, "-r", routing, status=None)
            self.assertEqual(sum(g["members"] for g in some["groups"]), len(every))
            self.assertEqual(some["partial"], any(g["judged"] < g["members"] for g in some["groups"]))
            self.assertEqual(some["groups_that_differ"], sum(not g["agree"] for g in some["groups"]))
            members = collections.defaultdict(list)
            for row in every:
                members[row["like"]].append(row)
            results = {rows[0]["kind"] + rows[0]["where"]: [(r["reroute"], float(r["max_load"] or "nan")) for r in rows] for rows in members.values()}
            firsts = {row["where"]: row["like"] for row in every}
            for group in some["groups"]:
                rows = members[firsts[group["where"]]]
                judged, stands = judged + group["judged"], stands + group["members"]
                with self.subTest(spec=spec, where=group["where"]):
                    self.assertEqual(len(rows), group["members"])
                    self.assertEqual({(r["hosts_cut"], r["hosts_own"], r["pairs_lost"]) for r in rows}.__len__(), 1)
                    found = {(r["reroute"], r["lanes"], r["undelivered"], r["max_load"], r["saturation"]) for r in rows}
                    if group["agree"]:
                        self.assertEqual(len(found), 1, found)
                    else:
                        self.assertGreater(len(found), 1)
                        self.assertGreaterEqual(group["judged"], min(16, group["members"]))
            self.assertEqual(len(results), len(some["groups"]))
        self.assertLess(judged, stands)

    def test_colour_refinement_alone_is_not_believed(self):
        """Two rings of three switches and one of six have the same colours; one of three loses a host that a longer one does not."""
        rings, lines, free = [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9, 10, 11]], [], collections.Counter()
        links = [(ring[i], ring[(i + 1) % len(ring)]) for ring in rings for i in range(len(ring))] + [(12 + s, s) for s in range(12)]
        for a, b in links:
            lines.append([a, free[a], b, free[b], 0])
            free[a] += 1
            free[b] += 1
        fabric = {"format": "ikat fabric", "version": 1, "classes": [{"name": "x", "rate_bps": 10**11, "latency_ps": 6000}],
                  "switches": [{"ports": 3}] * 12, "hosts": [{"ports": 1}] * 12, "links": lines}
        (self.tmp / "rings.json").write_text(json.dumps(fabric))
        self.check_cut(f"file:path={self.tmp / 'rings.json'}")
        groups = self.json("failures", self.tmp / "rings.json", "-r", "updown", status=None)["groups"]
        self.assertEqual({g["hosts_cut"] for g in groups if g["kind"] == "switch"}, {0, 1})

    # ---- the command

    def test_status_and_summary(self):
        whole = self.json("failures", "karytree:k=2,n=3", "-r", "dmodc")
        self.assertEqual([s["proved"] for s in whole["summary"]], [16, 12, 0])
        refused = self.json("failures", "karytree:k=2,n=3", "-r", "dmodk", status=1)
        self.assertEqual([s["refused"] for s in refused["summary"]], [16, 12, 0])
        self.assertTrue(all(g["max_load"] is None and "dmodk" in g["why"] for g in refused["groups"]))
        self.json("failures", "mesh:dims=1:3", status=1)
        plain = self.json("failures", "torus:dims=3:3")
        self.assertIsNone(plain["groups"][0]["pairs_lost"])
        self.assertEqual(plain["summary"][0]["unknown"], 18)
        self.assertFalse(plain["partial"])
        lanes = self.json("failures", "ring:n=6", "-r", "dfsssp", "--vcs", "2")
        self.assertEqual(lanes["lanes"], 2)

    def test_a_deadlock_that_more_lanes_would_end_is_a_need_of_lanes(self):
        """On one lane now; the routing's default scheme for the damaged fabric has more."""
        for spec, now in (("mlfm:h=3", ()), ("ring:n=5", ("--vcs", "1", "--vc", "1q"))):
            groups = self.json("failures", spec, "-r", "minimal", *now, status=None)["groups"]
            scheme = now[2:] or ("--vc", "1q")
            self.assertTrue(groups)
            for group in groups:
                on_one = self.json("check", damaged(spec, group), "-r", "minimal", *scheme, "--allow-unreachable", status=None)
                default = self.json("check", damaged(spec, group), "-r", "minimal", *now[2:], "--allow-unreachable", status=None)
                with self.subTest(spec=spec, where=group["where"]):
                    self.assertEqual(group["reroute"], "proved" if on_one["deadlock_free"] else "lanes" if default["deadlock_free"] else "deadlock")
                    self.assertEqual(group["lanes"], on_one["vcs"] if on_one["deadlock_free"] else default["vcs_needed"])
        self.assertEqual(self.json("failures", "mlfm:h=3", "-r", "minimal", status=1)["summary"][0]["lanes"], 36)

    def test_summary_counts_what_was_judged(self):
        """Members of a group that differ are counted as what they are; those that were not judged as the worst of their group."""
        for spec, routing in (("mlfm:h=3", "shortest"), ("slimfly:q=5,p=1", "dfsssp"), ("karytree:k=2,n=3", "dmodc")):
            for options in (("--all",), ()):
                report = self.json("failures", spec, "-r", routing, *options, status=None)
                rows = self.rows(spec, "-r", routing, *options)
                worst = {}
                for group in report["groups"]:
                    first = next(r["like"] for r in rows if r["where"] == group["where"])
                    worst[first] = group["reroute"]
                counted = collections.Counter((r["kind"], worst[r["like"]] if r["reroute"] == "unknown" else r["reroute"]) for r in rows)
                for line in report["summary"]:
                    for name in ("unknown", "proved", "lanes", "refused", "deadlock", "lost"):
                        self.assertEqual(line[name], counted[line["kind"], name], (spec, options, line["kind"], name))
        self.assertGreater(report["summary"][0]["proved"], 0)

    def test_without_load_there_is_no_quotient(self):
        """Hosts of one switch load no cable between switches, or only after a failure."""
        fabric = {"format": "ikat fabric", "version": 1, "classes": [{"name": "x", "rate_bps": 10**11, "latency_ps": 6000}], "switches": [{"ports": 4}] * 2,
                  "hosts": [{"ports": 2}, {"ports": 1}], "links": [[0, 0, 1, 0, 0], [2, 0, 0, 1, 0], [2, 1, 1, 1, 0], [3, 0, 0, 2, 0]]}
        (self.tmp / "one.json").write_text(json.dumps(fabric))
        for spec in ("crossbar:n=1", "crossbar:n=4", self.tmp / "one.json"):
            text = self.ok("failures", spec, "-r", "updown")
            self.assertNotRegex(text, r"\b(nan|inf)\b")
            self.assertTrue(all(g["overload"] is None for g in self.json("failures", spec, "-r", "updown")["groups"]))

    def test_without_a_routing(self):
        """Columns that only a routing fills are not there, and what would fill them is said."""
        tables = self.tmp / "ring.lfts"
        self.ok("route", "ring:n=5", "-r", "updown", "--format", "lft", "-o", tables)
        for options, words, none in (((), ("hosts cut off", "--routing SPEC also", "--lfts FILE"), ("reroute ", "judged ", "pairs lost  ", " - ")),
                                     (("--lfts", tables), ("pairs lost", "--routing SPEC also"), ("reroute ", "--lfts FILE", " - ")),
                                     (("-r", "updown"), ("pairs lost", "reroute  ", "judged ", "times"), ("--routing SPEC",))):
            text = self.ok("failures", "ring:n=5", *options, status=None)
            for word in words:
                self.assertIn(word, text)
            for word in none:
                self.assertNotIn(word, text)

    def test_it_can_be_stopped(self):
        """Before any routing, too: bridges of a long line, and colours that go along it switch by switch."""
        done = subprocess.Popen([harness.IKAT, "failures", "mesh:dims=1:60000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        harness.has_worked(done, 0.5)
        done.send_signal(signal.SIGINT)
        _, said = done.communicate(timeout=600)
        self.assertEqual(done.returncode, 130, said)

    def test_large_trees_are_judged_by_groups(self):
        """11,664 hosts: five kinds of failures."""
        report = self.json("failures", "rlft:ports=36,levels=3", "-r", "dmodc")
        self.assertEqual(sorted(g["members"] for g in report["groups"]), [324, 648, 648, 11664, 11664])
        self.assertTrue(all(g["judged"] == 4 and g["agree"] for g in report["groups"]))

    def test_refused(self):
        self.refused("failures", "ring:n=4", "--all", says="--routing")
        self.refused("failures", "ring:n=4", "--vc", "1q", says="--routing")
        self.refused("failures", "ring:n=4", "-r", "updown", "--csv", "--json", says="--csv")
        self.refused("failures", "ring:n=4", "--csv", "--rows", "3", says="--rows")
        self.refused("failures", "ring:n=4", "-r", "updwn", says="updown")
        self.refused("failures", "ring:n=4", "--lfts", "/nowhere", says="/nowhere")


if __name__ == "__main__":
    unittest.main()
