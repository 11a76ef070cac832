"""Defaults that collapse: every routing in every model at 50 % uniform load, against its predicted saturation. A point that
accepts less than half of what it could says what to try; none of the others does."""
import json
import random
import unittest

from harness import CliTest, run

FABRICS = ("karytree:k=4,n=2", "torus:dims=4:4", "dragonfly:a=4,h=1,p=2", "jellyfish:N=12,d=3", "slimfly:q=3,p=2")
MODELS = ("iq", "ioq", "ideal", "pipelined")
HINT = "where the routing can carry"


class Collapse(CliTest):
    def cases(self):
        """A tenth, drawn; test_collapse_all.py has all of them."""
        everything = self.everything()
        return random.Random(5).sample(everything, len(everything) // 10)

    def everything(self):
        routings = [r["name"] for r in json.loads(self.ok("list", "routings", "--json"))["routings"] if r["name"] not in ("lft", "colored")]
        return [(f, r, m) for f in FABRICS for r in routings for m in MODELS]

    def point(self, fabric, routing, model, more=""):
        """None: they do not fit together."""
        path, store = self.tmp / "a.yaml", self.tmp / "a.db"
        store.unlink(missing_ok=True)
        path.write_text(f'fabric: "{fabric}"\nrouting: "{routing}"\ntraffic: uniform\nload: 50%\nswitch: {{model: {model}}}\n'
                        f"measure: {{warmup: 50 us, duration: 100 us}}\nmeasures: [saturation]\n{more}")
        done = run("run", path, "-o", store, "--json", "-j", 1)
        return json.loads(done.stdout)["points"][0] if done.returncode in (0, 1) else None

    def test_collapse_is_told(self):
        judged = 0
        for case in self.cases():
            with self.subTest(case):
                point = self.point(*case)
                if point is None or point["steady"] not in ("yes", "no") or point.get("deadlock"):
                    continue
                judged += 1
                carried = min(point["offered"], point.get("static_saturation") or 0)
                low = point["throughput"] < 0.5 * carried
                self.assertTrue(low <= (HINT in point["steady_reason"]), point["steady_reason"])
                if point["throughput"] >= 0.5 * point["offered"]:
                    self.assertNotIn(HINT, point["steady_reason"])
        self.assertGreater(judged, 0)

    def test_what_is_known_to_collapse(self):
        """first_free fills one output queue after the other; the default does not."""
        bad = self.point("karytree:k=8,n=2", "adaptive_tree", "ioq", "selection: first_free\n")
        good = self.point("karytree:k=8,n=2", "adaptive_tree", "ioq")
        self.assertIn("try selection: least_queued", bad["steady_reason"])
        self.assertNotIn(HINT, good["steady_reason"])
        self.assertGreater(good["throughput"], 0.45)


if __name__ == "__main__":
    unittest.main()
