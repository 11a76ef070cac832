#!/usr/bin/env python3
"""Every engine of OpenSM on every fabric: ikat and ibdmchk agree on the tables that it made, read with the fabric as ibnetdiscover prints it."""
import unittest

from harness import CliTest
from subnets import FABRICS, import_fabric, netlist, opensm, roots, torus_config

ENGINES = ("minhop", "updn", "updn with roots", "dnup", "ftree", "dor", "dfsssp", "sssp", "lash", "torus-2QoS", "nue")


@unittest.skipUnless(opensm.available("ibnetdiscover", "ibdmchk"), "opensm, ibsim, infiniband-diags or ibutils are not installed")
class Engines(CliTest):
    def options(self, engine, name, net):
        """Arguments of opensm.Subnet; None where the engine has no use for the fabric."""
        if engine == "updn with roots":
            return {"engine": "updn", "roots": roots(self, net, self.tmp / f"{name}.roots")}
        if engine == "torus-2QoS":
            if not name.startswith("torus"):
                return None
            config = torus_config(FABRICS[name], net, self.tmp / f"{name}.torus")
            return {"engine": engine, "more": ["--torus_config", str(config)]}
        return {"engine": engine}

    def test_ibdmchk_agrees(self):
        made, verdicts = {}, set()
        for name in FABRICS:
            net = netlist(self, name)
            for engine in ENGINES:
                options = self.options(engine, name, net)
                if options is None:
                    continue
                with self.subTest(fabric=name, engine=engine), opensm.Subnet(net, **options) as subnet:
                    made[name, engine] = subnet.configured()
                    dump = import_fabric(self, subnet, name)
                    proof = self.json("check", dump, "-r", f"lft:path={subnet.tables}", "--vc", "1q", status=None)
                    judge = opensm.credit_loops(subnet.directory)
                    self.assertEqual((judge["bad"], judge["paths"]), (proof["undelivered"], proof["pairs"]), judge["text"][-2000:])
                    self.assertEqual(judge["loop"], not proof["deadlock_free"])
                    verdicts.add(judge["loop"])
        self.assertEqual(verdicts, {True, False})
        for engine in ENGINES[1:]:
            wanted = engine.split()[0]
            self.assertIn(wanted, [made[key] for key in made if key[1] == engine], f"{engine} never made tables: {made}")


if __name__ == "__main__":
    unittest.main()
