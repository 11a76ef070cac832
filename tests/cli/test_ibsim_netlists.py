"""What ikat reads of a netlist is what ibsim makes of it, as ibnetdiscover sees it: nodes, GUIDs, cables, widths and speeds."""
import json
import unittest

from harness import CliTest
from subnets import opensm

SHORT = """# a comment
Switch 8 "Switch1"
[1] "Hca1"
[2] "Hca2"[2]   w=1 s=7
[3] "Switch2"[4]
[5] "Switch2"[6]

Hca 2 "Hca1"
[1] "Switch1"

Hca 2 "Hca2"
[2] "Switch1"[2]  w=1 s=7

Switch 8 "Switch2"
[4] "Switch1"[3]
[6] "Switch1"[5]
[1] "Hca3"

Hca 1 "Hca3"
[1] "Switch2"
"""
SETTINGS = """switchguids=0x5000
hcaguids=0x7000
speed=3

Switch 4 "a"
[1] "b"[1]
[2] "h"[1]

Switch 4 "b"
[1] "a"[1]
[2] "c"[1]

switchguids+16
Switch 4 "c"
[1] "b"[2]

Hca 1 "h"
[1] "a"[2]
"""
MODULES = """module="left"
Switch 4 "sw"
[1] "h"[1]
[3] "right#sw"[3]
@[4] "out"

Hca 1 "h"
[1] "sw"[1]

module="right"
Switch 4 "sw"
[2] "left@out"
[3] "left#sw"[3]
@[1] "own"

Switch 4 "top"
[1] "right@own"
[4] "h"

Hca 1 "h"
[1] "top"[4]
"""
INCLUDES = """Switch 4 "spine"
[1] "leaf"[2]

include "leaf.net"
"""
LEAF = """Switch 4 "leaf"
[1] "h"[1]
[2] "spine"[1]

Hca 1 "h"
[1] "leaf"[1]
"""


@unittest.skipUnless(opensm.available("ibnetdiscover"), "opensm, ibsim or infiniband-diags are not installed")
class Netlists(CliTest):
    def fabric(self, path):
        """({GUID: ports}, cables as pairs of (GUID, port), with their rates) as ikat reads them."""
        out = self.tmp / "read.json"
        self.ok("topo", path, "-o", out, status=None)
        f = json.loads(out.read_text())
        nodes = f["switches"] + f["hosts"]
        cables = {}
        for a, pa, b, pb, link in f["links"]:
            ends = sorted([(nodes[a]["guid"], pa + 1), (nodes[b]["guid"], pb + 1)])
            cables[tuple(ends)] = f["classes"][link]["rate_bps"]
        return {n["guid"]: n["ports"] for n in nodes}, cables

    def test_as_ibsim_reads_them(self):
        (self.tmp / "leaf.net").write_text(LEAF)
        for name, text, host in (("short", SHORT, "Hca1"), ("settings", SETTINGS, "h"), ("modules", MODULES, "left#h"), ("includes", INCLUDES, "h")):
            with self.subTest(netlist=name):
                net = self.tmp / f"{name}.net"
                net.write_text(text)
                nodes, cables = self.fabric(f"file:path={net},format=ibnetdiscover")
                simulator = opensm.Simulator(net, self.tmp, host=host)
                try:
                    seen = simulator.ask("ibnetdiscover", answered=lambda text: "switchguid=" in text).stdout
                finally:
                    simulator.close()
                dump = self.tmp / f"{name}.ibnetdiscover"
                dump.write_text(seen)
                there, found = self.fabric(dump)
                self.assertEqual(nodes, there)
                self.assertEqual(set(cables), set(found))
                if name == "short":  # the only cable of known width and speed: ibnetdiscover says 1xQDR
                    self.assertEqual(sorted(found.values())[:1], sorted(cables.values())[:1])


if __name__ == "__main__":
    unittest.main()
