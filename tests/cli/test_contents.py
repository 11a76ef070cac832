"""Results and proofs depend on the contents of every file that an experiment reads: a changed file gives new ones."""
import contextlib
import csv
import io
import random
import sqlite3
import unittest

from harness import SOURCE, CliTest

OPENSM = SOURCE / "tests/data/opensm"
DUMP = (OPENSM / "ft2_8p.ibnetdiscover").read_text()
MEASURED = "simulate: false\nmeasures: [saturation, mean_hops, contention]\n"
SIMULATED = "measure: {warmup: 1 us, duration: 2 us}\nload: 30%\n"
FINITE = "measure: {until: delivered, at_most: 10 ms}\n"
FABRIC = "fabric: karytree:k=2,n=2\n"
MAPPINGS = ("0\n1\n2\n3\n", "0\n2\n1\n3\n")
FLOWS = ("0 1\n1 0\n2 3\n", "0 1\n2 1\n3 1\n")
GOAL = "num_ranks 2\nrank 0 {{\nl1: send {}b to 1\n}}\nrank 1 {{\nl1: recv {}b from 0\n}}\n"
GOALS = (GOAL.format(100, 100), GOAL.format(9000, 9000))
TRACES = ("time_ns,src,dst,bytes\n10,0,1,100\n", "time_ns,src,dst,bytes\n10,0,1,9000\n")
IO = "time_ns,done_ns,device,op,offset,bytes,host\n0,900,{0},R,0,4096,0\n1000,1900,{0},W,0,4096,1\n"


def mapped(pattern):
    return FABRIC + FINITE + f"routing: dmodk\ntraffic: {{{pattern}, mapping: FILE}}\n"


def both(traffic):
    return FABRIC + FINITE + f"routing: dmodk\ntraffic: {{{traffic}}}\n"


# What `ikat help --json` says takes a file -> an experiment that reads FILE, and its contents before and after. None: lft
# and ar, whose tables are made below.
CASES = {
    ("topologies", "file", "path"): (MEASURED + "fabric: FILE\nrouting: updown\n", ("0 1\n1 2\n0 h0\n1 h1\n2 h2\n", "0 1\n1 2\n0 2\n0 h0\n1 h1\n2 h2\n")),
    ("topologies", "file", "names"): (MEASURED + "fabric: {family: file, path: net, names: FILE}\nrouting: updown\n", ("0x2000000000010001 \"first\"\n", "0x2000000000010001 \"second\"\n")),
    ("topologies", "file", "guid2lid"): (MEASURED + "fabric: {family: file, path: net, guid2lid: FILE}\nrouting: updown\n", ("0x0002c90000000001 0x0001 0x0001\n", "0x0002c90000000001 0x0003 0x0003\n")),
    ("topologies", "karytree", "floor"): (MEASURED + "fabric: {family: karytree, k: 2, n: 4, fail_racks: 1, floor: FILE}\nrouting: updown\n", ("rack_units: 6\n", "rack_units: 12\n")),
    ("routings", "lft", "path"): (MEASURED + "fabric: ring:n=5\nrouting: {family: lft, path: FILE}\n", None),
    ("routings", "ar", "path"): (MEASURED + "fabric: ring:n=5\nrouting: {family: ar, path: FILE}\n", None),
    ("traffic", "file", "path"): (MEASURED + FABRIC + "routing: dmodk\ntraffic: {family: file, path: FILE}\n", FLOWS),
    ("traffic", "subset", "mapping"): (MEASURED + "fabric: ring:n=4,p=2\nrouting: updown\ntraffic: {family: subset, pattern: shift, mapping: FILE}\n", ("0\n1\n2\n3\n4\n5\n6\n7\n", "0\n2\n1\n3\n4\n6\n5\n7\n")),
    ("traffic", "exchange", "mapping"): (mapped("family: exchange, pattern: shift"), MAPPINGS),
    ("traffic", "collective", "mapping"): (mapped("family: collective, operation: broadcast"), MAPPINGS),
    ("traffic", "collective", "sizes"): (both("family: collective, operation: alltoallv, sizes: FILE"), ("0 1 1 1\n1 0 1 1\n1 1 0 1\n1 1 1 0\n", "0 9999 1 1\n1 0 1 1\n1 1 0 1\n1 1 1 0\n")),
    ("traffic", "nas", "mapping"): (mapped("family: nas, benchmark: cg, processes: 4"), MAPPINGS),
    ("traffic", "storage", "trace"): (both("family: storage, trace: FILE, format: csv"), (IO.format("a"), IO.format("b").replace("900", "950"))),
    ("traffic", "storage", "placement"): (both("family: storage, placement: FILE"), ("0 0\n", "0 1\n")),
    ("traffic", "storage", "sizes"): (both("family: storage, sizes: FILE"), ("512 1\n", "4096 1\n")),
    ("traffic", "storage", "mapping"): (mapped("family: storage"), MAPPINGS),
    ("traffic", "graph", "path"): (both("family: graph, path: FILE"), GOALS),
    ("traffic", "graph", "mapping"): (mapped("family: graph, path: goal"), MAPPINGS),
    ("traffic", "program", "trace"): (both("family: program, trace: FILE"), TRACES),
    ("traffic", "program", "mapping"): (mapped("family: program, trace: goal"), MAPPINGS),
    ("sections", "adapter", "message_histogram"): (SIMULATED + FABRIC + "routing: dmodk\nadapter: {message_histogram: FILE}\n", ("64 B 1\n", "4 KiB 1\n")),
}
# Files that are named within other values, or by files.
COLORED = MEASURED + "fabric: karytree:k=2,n=4\n"
PERMUTATIONS = tuple("".join(f"{i} {j}\n" for i, j in enumerate(random.Random(seed).sample(range(16), 16))) for seed in (1, 2, 4))
PART = "Switch 4 \"a\"\n[4] \"b\"[2]\n[1] \"h1\"[1]\n[2] \"h2\"[1]\n\nHca 1 \"h1\"\n[1] \"a\"[1]\n\nHca 1 \"h2\"\n[1] \"a\"[2]\n"
# Files that values name within others, and files that files name: an experiment, the file, its contents.
BEHIND = {
    "a pattern of a routing": (COLORED + "routing: \"colored:traffic=file:path=data\"\n", "data", PERMUTATIONS),
    "a mapping of a routing": (COLORED + "routing: {family: colored, traffic: {family: file, path: data}}\n", "data", PERMUTATIONS),
    "phases of a routing": (COLORED + "routing: {family: colored, traffic: [{pattern: shift}, {pattern: {family: file, path: data}}]}\n", "data", PERMUTATIONS),
    "a mix": (MEASURED + FABRIC + "routing: dmodk\ntraffic: {family: mix, members: [{share: 1, pattern: {family: file, path: data}}, {share: 1, pattern: uniform}]}\n", "data", FLOWS),
    "jobs": (FABRIC + FINITE + "routing: dmodk\ntraffic: {family: jobs, jobs: [{name: a, traffic: {family: nas, benchmark: cg, mapping: data}}]}\n", "data", MAPPINGS),
    "an included netlist": (MEASURED + "fabric: nets/all.net\nrouting: updown\n", "nets/part.net", (PART, PART + "\nHca 1 \"h3\"\n[1] \"a\"[3]\n")),
}


class Contents(CliTest):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": str(self.tmp / "cache")}
        (self.tmp / "net").write_text(DUMP)
        (self.tmp / "goal").write_text(GOALS[0])

    def run_points(self, text, name, *more):
        """The points of an experiment, and how many were not simulated again."""
        path, store = self.tmp / "test.yaml", self.tmp / name
        path.write_text(text)
        said = self.ok("run", path, "-o", store, *more, env=self.env, status=None)
        rows = list(csv.DictReader(io.StringIO(self.ok("report", store, "--csv"))))
        with contextlib.closing(sqlite3.connect(store)) as db:
            keys = [row[0] for row in db.execute("SELECT params FROM points ORDER BY id")]
            current = "SELECT plan FROM points WHERE id < 1 << 40"  # those of the old contents have retired
            proofs = [row[0] for row in db.execute(f"SELECT proof FROM plans WHERE id IN ({current}) ORDER BY id DESC LIMIT 1")]
        return rows, keys, proofs

    def changed(self, name, text, contents):
        """Runs an experiment before and after its file changes, into the same results, with the same cache."""
        path = self.tmp / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(contents[0])
        before, old, was = self.run_points(text, "kept.db")
        again, same, _ = self.run_points(text, "kept.db")
        self.assertEqual((again, same), (before, old))
        path.write_text(contents[1])
        after, new, proofs = self.run_points(text, "kept.db")
        fresh, _, made = self.run_points(text, "fresh.db", "--no-cache")
        (self.tmp / "kept.db").unlink()
        (self.tmp / "fresh.db").unlink()
        self.assertEqual(after, fresh)
        self.assertEqual(proofs, made)
        self.assertEqual(len(set(new) - set(old)), len(old), "results of the old contents count as those of the new ones")
        return before != after or was != proofs

    def test_every_parameter_that_takes_a_file(self):
        taken = {(table, member["name"], row["name"])
                 for table, members in self.json("help")["families"].items() for member in members
                 for row in member["parameters"] + member.get("common_parameters", []) if row["type"].split("|")[0] == "file"}
        taken -= {(kind, family, name) for kind, family, name in taken if name == "floor" and family != "karytree"}  # the same of every family
        self.assertEqual(taken, set(CASES), "a parameter that takes a file needs a line in CASES")
        for case, (text, contents) in CASES.items():
            with self.subTest(case):
                if contents is None:
                    contents = [self.ok("route", "ring:n=5", "-r", r, "--format", "lft", "--unproved") for r in ("updown", "shortest")]
                differs = self.changed("data", text.replace("FILE", "data"), contents)
                self.assertTrue(differs or case[2] in ("names", "guid2lid"), "the file has no effect")

    def test_files_behind_others(self):
        for name, (text, file, contents) in BEHIND.items():
            with self.subTest(name):
                (self.tmp / "nets").mkdir(exist_ok=True)
                (self.tmp / "nets/all.net").write_text("Switch 4 \"b\"\n[1] \"h0\"[1]\n[2] \"a\"[4]\n\nHca 1 \"h0\"\n[1] \"b\"[1]\n\ninclude \"part.net\"\n")
                self.assertTrue(self.changed(file, text, contents), "the file has no effect")

    def test_proofs(self):
        """`check`, `route` and `load` tell of the file as it is, whatever the cache knows."""
        flows = self.tmp / "flows"
        seen = []
        for text in PERMUTATIONS:
            flows.write_text(text)
            routing = f"colored:traffic=file:path={flows}"
            told = [self.json("check", "karytree:k=2,n=4", "-r", routing, *more, env=self.env) for more in ((), (), ("--no-cache",))]
            self.assertEqual(told[0], told[2])
            self.assertEqual(told[1], told[2])
            seen.append(told[0]["dependencies"])
        self.assertGreater(len(set(seen)), 1)

    def test_proofs_of_routes_that_are_made_for_the_traffic(self):
        """The same routing, as it is written, has other routes for another workload."""
        seen = []
        for shift in (1, 7):
            text = f"fabric: karytree:k=2,n=4\n{FINITE}routing: colored\ntraffic: {{family: exchange, pattern: \"shift:by={shift}\"}}\n"
            _, _, proofs = self.run_points(text, f"cached{shift}.db")
            _, _, made = self.run_points(text, f"made{shift}.db", "--no-cache")
            self.assertEqual(proofs, made)
            seen += proofs
        self.assertNotEqual(*seen)


if __name__ == "__main__":
    unittest.main()
