#!/usr/bin/env python3
"""Every engine of OpenSM on every fabric: ikat and ibdmchk agree on the tables that it made, read with the fabric as ibnetdiscover prints it."""
import unittest

from harness import CliTest
from subnets import ALL, FABRICS, import_fabric, netlist, opensm, roots, torus_config

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

    def check_name(self, engine, name):
        """What audit says of the engine that made tables is true, or open. dfsssp's paths are sssp's; dnup's tables are minhop's where
        all shortest paths go up and then down, or where there are no levels."""
        if name is not None and "another" not in name:
            same = {"dnup": "minhop", "dfsssp": "sssp"}.get(engine, engine)
            self.assertTrue(engine in name or same in name, f"{engine}'s tables are called {name}'s")

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
                    said = self.json("audit", dump, "--lfts", subnet.tables, "--routing", "none", status=None)
                    judge = opensm.credit_loops(subnet.directory)
                    tables, lost = said["installed"], said["installed"]["pairs"] - said["installed"]["delivered"]
                    self.assertEqual((judge["bad"], judge["paths"]), (lost, tables["pairs"]), judge["text"][-2000:])
                    self.assertEqual(judge["loop"], not tables["deadlock_free"])
                    self.assertEqual(judge["loop"], "credit-loop" in {finding["code"] for finding in said["findings"]})
                    verdicts.add(judge["loop"])
                    self.check_name(made[name, engine], said["engine"]["name"])
        self.assertEqual(verdicts, {True, False})
        for engine in ENGINES[1:]:
            wanted = engine.split()[0]
            self.assertIn(wanted, [made[key] for key in made if key[1] == engine], f"{engine} never made tables: {made}")

    def test_service_levels(self):
        """Engines with layers, with the service levels of their path records and with their lanes, in both directions of a connection: free of
        credit loops or not as ibdmchk says (OpenSM's dfsssp balances lanes by chance, and replies can close a loop), and not free on one lane."""
        for name in ("ring5", "torus5x5") if ALL else ("ring5",):
            net = netlist(self, name)
            for engine in ("dfsssp", "lash", "nue", "torus-2QoS"):
                options = self.options(engine, name, net)
                if options is None:
                    continue
                with self.subTest(fabric=name, engine=engine), opensm.Subnet(net, **options) as subnet:
                    dump, records = import_fabric(self, subnet, name), self.tmp / f"{name}.{engine}.records"
                    records.write_text(subnet.path_records())
                    said = self.json("audit", dump, "--lfts", subnet.tables, "--path-records", records, "--sl2vl",
                                     subnet.file("opensm-sl2vl.dump"), "--routing", "none", status=None)
                    levels, nodes = opensm.record_levels(records.read_text()), subnet.lids()[1]
                    self.assertEqual(len(levels), said["installed"]["pairs"])
                    loops = [opensm.credit_loops(subnet.directory, {(nodes[a][0], b): levels[pair] for (a, b), pair in which},
                                                 subnet.file("opensm-sl2vl.dump"))["loop"]
                             for which in ([(pair, pair) for pair in levels], [(pair, pair[::-1]) for pair in levels])]
                    if not any(loops) and not said["installed"]["deadlock_free"]:  # of requests and replies together: ibdmchk has one SL per pair
                        self.assertEqual({step["reply"] for step in said["installed"]["credit_loop"]}, {False, True})
                    else:
                        self.assertEqual(any(loops), not said["installed"]["deadlock_free"])
                    if engine != "nue":
                        self.assertTrue(opensm.credit_loops(subnet.directory)["loop"])
                        self.assertGreater(said["installed"]["vls_used"], 1)


if __name__ == "__main__":
    unittest.main()
