"""What the seeds of an experiment vary: every element that is drawn, unless its own seed was given."""
import json
import sqlite3
import unittest

from harness import CliTest

TREE, TORUS = "karytree:k=4,n=2", "torus:dims=4:4"
EXPERIMENT = """\
fabric: "{fabric}"
routing: "{routing}"
traffic: "{traffic}"
load: 60%
measure: {{warmup: 1 us, duration: 4 us}}
seeds: {seeds}
"""
SEEDS = (1, 2, 3, 4)


class Seeds(CliTest):
    def experiment(self, name, **fields):
        path = self.tmp / f"{name}.yaml"
        path.write_text(EXPERIMENT.format(**{"fabric": TREE, "routing": "dmodk", "traffic": "shift", "seeds": 4, **fields}))
        return self.json("run", path, "-o", self.tmp / f"{name}.db")

    def routes(self, name):
        """What packets may take, of every plan of a results file."""
        with sqlite3.connect(self.tmp / f"{name}.db") as db:
            return [bytes(body) for (body,) in db.execute("SELECT body FROM details WHERE kind = 'routes'")]

    def families(self, kind):
        """Names and rows of all that declare a seed."""
        for family in json.loads(self.ok("list", kind, "--json"))[kind]:
            for row in family["parameters"]:
                if row["name"] == "seed":
                    yield family["name"], row

    def test_every_routing_that_draws(self):
        """Four seeds are four tables, each proved, of points that say so; a seed of its own makes one."""
        families = list(self.families("routings"))
        self.assertGreaterEqual(len(families), 8)
        for name, row in families:
            needs = [text for text in (row.get("needs"), "traffic=cg:processes=16" if name == "colored" else None) if text]
            fabric = TORUS if row.get("needs") or name == "updown" else TREE
            spec = name + "".join((":" if i == 0 else ",") + text for i, text in enumerate(needs))
            with self.subTest(name):
                own = spec + ("," if ":" in spec else ":") + "seed=7"
                drawn = self.experiment(f"{name}_drawn", fabric=fabric, routing=spec)
                fixed = self.experiment(f"{name}_fixed", fabric=fabric, routing=own)
                self.assertEqual([len(drawn["plans"]), len(fixed["plans"])], [4, 1])
                self.assertEqual([p["params"].get("routing_seed", 1) for p in drawn["points"]], list(SEEDS))
                self.assertTrue(all("routing_seed" not in p["params"] for p in fixed["points"]))
                self.assertTrue(all(p["proof"]["proof"] == "full" for p in drawn["plans"]))
                self.assertEqual((len(drawn["curves"]), len(fixed["curves"])), (1, 1))
                if name in ("random", "rnca_up", "rnca_down") or row.get("needs"):
                    self.assertGreater(len(set(self.routes(f"{name}_drawn"))), 1, "seeds draw one routing")

    def test_interval_holds_the_draw(self):
        """Contention of a fixed pattern under drawn tables differs from seed to seed, and the interval says so."""
        more = "simulate: false\nmeasures: [contention, mean_hops]\n"
        for routing in ("random", "rnca_up", "rnca_down"):
            with self.subTest(routing):
                def measure(spec, seeds):
                    path = self.tmp / "measured.yaml"
                    path.write_text(f'fabric: "karytree:k=8,n=2"\nrouting: "{spec}"\ntraffic: "reversal"\nseeds: {seeds}\n{more}')
                    return self.json("run", path, "-o", self.tmp / f"{spec.replace(':', '_')}_{seeds}.db")
                together = [p["contention"] for p in measure(routing, 8)["points"]]
                alone = [measure(f"{routing}:seed={seed}", 1)["points"][0]["contention"] for seed in range(1, 9)]
                self.assertEqual(together, alone)
                self.assertGreater(len(set(together)), 1)

    def test_commands_draw_what_the_seed_draws(self):
        """The tables of seed 3 are those of `--seed 3`, and of `seed=3`."""
        self.experiment("three", routing="random", seeds=[3])
        self.experiment("named", routing="random:seed=3", seeds=[1])
        self.assertEqual(self.routes("three"), self.routes("named"))
        by_option, by_name = (self.ok("route", TREE, "--routing", spec, "--seed", seed, "--format", "paths")
                              for spec, seed in (("random", 3), ("random:seed=3", 1)))
        rows = [[line for line in text.splitlines() if not line.startswith("#")] for text in (by_option, by_name)]
        self.assertEqual(*rows)

    def test_more_seeds_continue(self):
        """Points of the first seed are not run again when seeds are added."""
        path = self.tmp / "a.yaml"
        for seeds in (1, 3):
            path.write_text(EXPERIMENT.format(fabric=TREE, routing="random", traffic="shift", seeds=seeds))
            answer = self.json("run", path, "-o", self.tmp / "a.db")
        with sqlite3.connect(self.tmp / "a.db") as db:
            self.assertEqual(db.execute("SELECT count(*) FROM points").fetchone()[0], 3)
        self.assertEqual([p["seed"] for p in answer["points"]], [1, 2, 3])

    def test_every_pattern_that_draws(self):
        """Of every pattern with a seed of its own: points of one fixed draw have the same static loads."""
        for name, row in self.families("traffic"):
            if row.get("needs") or name in ("program", "storage", "graph", "subset", "ihs", "exchange", "collective", "nas", "alltoall", "worst"):
                continue
            with self.subTest(name):
                def loads(spec):
                    path = self.tmp / "loads.yaml"
                    path.write_text(f'fabric: "{TREE}"\nrouting: dmodk\ntraffic: "{spec}"\nseeds: 8\nsimulate: false\nmeasures: [saturation]\n')
                    return [p["static_saturation"] for p in self.json("run", path, "-o", self.tmp / f"{name}.db")["points"]]
                self.assertGreater(len(set(loads(name))), 1)

    def test_a_fabric_is_drawn_once_and_says_so(self):
        for spec, told in (("jellyfish:N=8,d=3", True), ("jellyfish:N=8,d=3,seed=2", False), (f"{TREE},fail=10%", True), (f"{TREE},fail=1E-1", True), (f"{TREE},fail=sw0.5", False), (TREE, False)):
            path = self.tmp / "fabric.yaml"
            path.write_text(EXPERIMENT.format(fabric=spec, routing="updown", traffic="uniform", seeds=2))
            with self.subTest(spec):
                answer = self.run_ikat(path)
                self.assertEqual("is drawn once" in answer, told, answer)

    def run_ikat(self, path):
        from harness import run
        result = run("run", path, "-o", self.tmp / "fabric.db", "--set", "allow_unreachable=true")
        (self.tmp / "fabric.db").unlink(missing_ok=True)
        return result.stdout + result.stderr


if __name__ == "__main__":
    unittest.main()
