"""Simulated numbers in sentences of the documents: the runs that they are of give them, within what is said and the interval of the run."""
import re
import unittest

from harness import SOURCE, CliTest

IOQ = "fabric: karytree:k=4,n=2\nrouting: ugal_l{}\ntraffic: permutation\nload: 50%\nswitch: {{model: ioq}}\n"
EXCHANGE = "fabric: \"{}\"\nrouting: {}\ntraffic: exchange\nswitch: {{model: ideal}}\nmeasure: {{until: delivered, at_most: 5 ms}}\n"
RHYTHM = "fabric: crossbar:n=9\nrouting: minimal\ntraffic: neighbour\nload: 80%\nseeds: [4]\n{}"
SAID = (
    ("measures.md", r"with seed 4 ends by itself with a mean latency of (\S+) ns", RHYTHM.format(""), "latency_mean_ns", 1),
    ("measures.md", r"from 2 ms on it is (\S+) ns", RHYTHM.format("measure: {warmup: 2 ms, duration: 6 ms}\n"), "latency_mean_ns", 1),
    ("simulator.md", r"`ugal_l` has a mean latency of (\S+) ns", IOQ.format(""), "latency_mean_ns", 1),
    ("simulator.md", r"with `tie=lowest` of (\S+) us", IOQ.format(":tie=lowest"), "latency_mean_ns", 1000),
    ("measures.md", r"1\.152 if divided evenly, and (\S+) in a simulation of model `ideal`", EXCHANGE.format("jellyfish:N=12,d=3,p=1", "minimal"), "slowdown", 1),
    ("measures.md", r"where a simulation of model `ideal` has (\S+)\.(?:\s|$)", EXCHANGE.format("slimfly:q=3", "ugal_l"), "slowdown", 1),
)


class SaidNumbers(CliTest):
    def test_numbers(self):
        for page, words, experiment, name, unit in SAID:
            with self.subTest(words=words):
                said = re.findall(words, " ".join((SOURCE / "docs" / page).read_text(encoding="utf-8").split()))
                self.assertEqual(len(said), 1)
                path, store = self.tmp / "said.yaml", self.tmp / "said.db"
                path.write_text(experiment)
                store.unlink(missing_ok=True)
                self.ok("run", path, "-o", store)
                point, = self.json("report", store)["points"]
                self.assertIn(point["steady"], ("yes", None))
                half = 10 ** -len(said[0].partition(".")[2]) / 2
                found = point[name] / unit
                self.assertLessEqual(abs(found - float(said[0])), half + found * (point["latency_interval"] or 0) + 1e-9, point[name])


if __name__ == "__main__":
    unittest.main()
