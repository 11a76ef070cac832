"""Defaults that collapse: every routing in every model at 50 % uniform load, against its predicted saturation. A point that
accepts less than half of what it could says what to try; none of the others does."""
import json
import random
import unittest

from harness import CliTest, run

FABRICS = ("karytree:k=4,n=2", "torus:dims=4:4", "dragonfly:a=4,h=1,p=2", "jellyfish:N=12,d=3", "slimfly:q=3,p=2")
MODELS = ("iq", "ioq", "ideal", "pipelined")
HINT = "where the routing can carry"
FULL = "% full"


class Collapse(CliTest):
    def cases(self):
        """A tenth, drawn; test_collapse_all.py has all of them."""
        everything = self.everything()
        return random.Random(5).sample(everything, len(everything) // 10)

    def everything(self):
        routings = [r["name"] for r in json.loads(self.ok("list", "routings", "--json"))["routings"] if r["name"] not in ("lft", "ar", "colored")]
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
                self.says_what_is_the_case(point)
                if point["throughput"] >= 0.5 * point["offered"]:
                    self.assertNotIn(HINT, point["steady_reason"])
        self.assertGreater(judged, 0)

    def points(self, text):
        path, store = self.tmp / "a.yaml", self.tmp / "a.db"
        store.unlink(missing_ok=True)
        path.write_text(text)
        return json.loads(run("run", path, "-o", store, "--json", "-j", 1).stdout)["points"]

    def says_what_is_the_case(self, point):
        """Buffers, VCs and models are proposed where no link is full; else how full the busiest is."""
        if HINT in point["steady_reason"]:
            full = (point["link_use_max"] or 0) >= 0.95
            self.assertEqual((FULL in point["steady_reason"], "larger buffers" in point["steady_reason"]), (full, not full), point["steady_reason"])

    def test_full_links_need_no_buffers(self):
        """Tornado on a torus: some hosts have a ring to themselves, the others wait; neither VCs nor buffers nor the model change that,
        whether the run has a window or ends by itself."""
        told, accepted = [], []
        for more in ("{}", "{buffer: 256 KiB}", "{model: ioq}"):
            for measure in ("{stop: {hops: 2000000}}", "{warmup: 200 us, duration: 400 us}"):
                for point in self.points("fabric: 'torus:dims=8:8'\nrouting: dor\nvc: dateline\ntraffic: tornado\nload: 70%\nvcs: [2, 4]\n"
                                         f"switch: {more}\nmeasure: {measure}\n"):
                    if point["steady"] in ("yes", "no"):
                        self.says_what_is_the_case(point)
                        told.append(FULL in point["steady_reason"])
                        accepted.append(point["throughput"])
        self.assertGreater(told.count(True), 9)
        self.assertLess(max(accepted), 1.5 * min(accepted))

    def test_short_of_buffers(self):
        """Links that wait for credits are idle: buffers are proposed, and help."""
        bad, good = self.points("fabric: 'karytree:k=4,n=2,latency=2 us'\nrouting: dmodk\nload: 50%\nswitch: [{buffer: 8 KiB}, {buffer: 64 KiB}]\n"
                                "measure: {warmup: 300 us, duration: 1 ms}\n")
        self.assertIn("larger buffers", bad["steady_reason"])
        self.says_what_is_the_case(bad)
        self.assertGreater(good["throughput"], 2 * bad["throughput"])

    def test_what_is_known_to_collapse(self):
        """first_free fills one output queue after the other; the default does not."""
        bad = self.point("karytree:k=8,n=2", "adaptive_tree", "ioq", "selection: first_free\n")
        good = self.point("karytree:k=8,n=2", "adaptive_tree", "ioq")
        self.assertIn("try selection: least_queued", bad["steady_reason"])
        self.assertNotIn(HINT, good["steady_reason"])
        self.assertGreater(good["throughput"], 0.45)


if __name__ == "__main__":
    unittest.main()
