#!/usr/bin/env python3
"""No channel of a deployment is fuller than the fullest one with OpenSM's minhop on the same fabric: at the first deployment, and after
one and two cut cables, when tables keep most of their entries. OpenSM makes minhop's tables over ibsim each time."""
import gzip
import os
import pathlib
import random
import re
import unittest

from harness import SOURCE, CliTest, json
from subnets import ALL, FABRICS, netlist, opensm

CLUSTERS = SOURCE / "tests" / "data" / "fabrics" / "clusters"
# What ./check takes: trees, whole and damaged, two lanes and more, aggregation nodes, servers on core switches.
FEW = ("damaged", "ring5", "torus5x5", "core_servers", "endpoints")
CUTS = 2


def dumps():
    """Dumps of clusters by name: those of the tests, and with IKAT_TEST_FABRICS those of a folder, too."""
    folders = [CLUSTERS] + [pathlib.Path(name) for name in filter(None, [os.environ.get("IKAT_TEST_FABRICS")])]
    return {path.name.split(".net")[0]: path for folder in folders for path in sorted(folder.glob("*.net*"))}


@unittest.skipUnless(opensm.available("ibnetdiscover"), "opensm, ibsim or infiniband-diags are not installed")
class Minhop(CliTest):
    def fabric(self, name):
        if name not in dumps():
            return netlist(self, name)
        path = self.tmp / f"{name}.net"
        opened = gzip.open if dumps()[name].suffix == ".gz" else open
        with opened(dumps()[name], "rt", errors="replace") as file:
            path.write_text(file.read())
        return path

    def loads(self, dump, tables):
        """Largest load of a channel between switches, and how much hosts may send before a channel is full."""
        found = self.json("audit", dump, "--lfts", tables, "--routing", "none", status=None)["installed"]
        return found["max_load"], found["saturation"]

    def cables(self, net):
        """Cables to cut, as ibsim names their ends: of switches that have three to others; one where all have fewer. Drawn with a fixed
        seed."""
        found, others, switch, here = [], [], None, []
        for line in net.read_text(errors="replace").splitlines() + ["Switch"]:
            head = re.match(r'^(?:Switch|Ca|Hca)\b(?:\s+\d+\s+"([^"]+)")?', line)
            if head:
                found += here if len(here) > 2 else []
                others += here
                switch, here = head.group(1) if line.startswith("Switch") else None, []
            port = re.match(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s+"S', line)
            if switch and port:
                here.append((switch, port.group(1)))
        return random.Random(34).sample(found, CUTS) if found else random.Random(34).sample(others, 1)

    def compare(self, name, subnet, step, former=None):
        """Returns the folder of the deployment."""
        dump, folder = self.tmp / f"{name}.{step}.ibnetdiscover", self.tmp / f"{name}.{step}"
        dump.write_text(subnet.discover())
        files = subnet.copy_files(self.tmp / f"{name}.{step}.opensm")
        more = []
        if former:
            was = json.loads((former / "summary.json").read_text())
            more = ["--from", former, "--routing", was["routing"], "--vc", was["vc"]]
        self.ok("deploy", dump, "-o", folder, *more)
        summary = json.loads((folder / "summary.json").read_text())
        self.assertTrue(summary["proved"])
        ours, theirs = self.loads(dump, folder / "lfts"), self.loads(dump, files / opensm.TABLES)
        self.assertLessEqual(ours[0], theirs[0] * 1.0001, f"{name}, {step}")
        self.assertGreaterEqual(ours[1], theirs[1] * 0.9999, f"{name}, {step}")
        return folder, summary["verdict"], ours, theirs

    def test_never_worse(self):
        names = [*FABRICS, *dumps()] if ALL else FEW
        for name in names:
            with self.subTest(fabric=name):
                net = self.fabric(name)
                with opensm.Subnet(net, engine="minhop") as subnet:
                    folder, verdict, ours, theirs = self.compare(name, subnet, "whole")
                    if name in FABRICS and name != "cluster96":  # of cables of one rate: the load of minhop that ikat counts is right
                        self.assertAlmostEqual(verdict["paths_per_gbps"] / verdict["minhop_paths_per_gbps"], ours[0] / theirs[0], 4)
                    for number, cable in enumerate(self.cables(net)):
                        subnet._console("Unlink", *cable)
                        subnet.restart()  # a fresh minhop: one that runs keeps entries as well
                        folder = self.compare(name, subnet, f"cut{number}", folder)[0]


if __name__ == "__main__":
    unittest.main()
