"""Routings: paths, tables, proofs, loads, against independent computations."""
from support import CLUSTER, PythonTest, SOURCE, ikat, np, package, unittest


def loads_by_paths(routing, flows):
    """[ports] loads of flows (src, dst, share), added up along the paths."""
    out = np.zeros(routing.fabric.num_ports)
    for src, dst, share in flows.tolist():
        if src != dst:
            out[routing.path(src, dst)] += share
    return out


class Routings(PythonTest):
    def test_paths_tables_and_hops_agree(self):
        fabric = ikat.Fabric.read(CLUSTER)
        routing = fabric.routing("updown")
        tables, hops = routing.tables(), routing.hops(threads=2)
        self.assertEqual(tables.shape, (fabric.num_switches, fabric.num_hosts))
        self.assertEqual((tables.dtype, hops.dtype), (np.uint16, np.int16))
        self.assertEqual(hops.shape, (96, 96))
        for src, dst in [(0, 1), (0, 95), (17, 60), (95, 3)]:
            walked, at = [], int(fabric.host_switch[src])  # by the tables alone
            while True:
                port = int(fabric.port_base[at]) + int(tables[at, dst])
                walked.append(port)
                at = int(fabric.port_node[fabric.port_peer[port]])
                if at >= fabric.num_switches:
                    break
            self.assertEqual(at - fabric.num_switches, dst)
            self.assertEqual(routing.path(src, dst)[1:].tolist(), walked)
            self.assertEqual(hops[src, dst], len(walked) - 1)
            self.assertEqual(routing.switches(src, dst).tolist(), fabric.port_node[walked].tolist())
        self.assertEqual(routing.hops(first=5, count=2).tolist(), hops[5:7].tolist())
        self.assertEqual(np.diag(hops).sum(), 0)

    def test_minimal_routings_take_networkx_distances(self):
        networkx = package("networkx")
        for spec, name in (("slimfly:q=5,p=1", "minimal:paths=one"), ("torus:dims=3:4", "dor"), ("karytree:k=3,n=2", "dmodk")):
            fabric = ikat.Fabric(spec)
            graph = networkx.Graph(fabric.to_networkx().subgraph(range(fabric.num_switches)))
            distance = dict(networkx.all_pairs_shortest_path_length(graph))
            at = fabric.host_switch.tolist()
            expected = [[distance[a][b] for b in at] for a in at]
            routing = fabric.routing(name)
            self.assertEqual(routing.hops().tolist(), expected, spec)
            proof = routing.prove()
            self.assertTrue(proof.minimal)
            self.assertAlmostEqual(proof.mean_hops, np.array(expected)[~np.eye(len(at), dtype=bool)].mean())
            self.assertEqual(proof.path_lengths.sum(), len(at) * (len(at) - 1))

    def test_loads_agree_with_paths(self):
        for spec, name, pattern in (("karytree:k=4,n=2", "dmodk", "uniform"), ("torus:dims=4:4", "dor", "shift:by=5"),
                                    (f"file:{CLUSTER}", "updown", "shift:by=24")):
            fabric = ikat.Fabric(spec)
            routing, traffic = fabric.routing(name), fabric.traffic(pattern)
            load = routing.load(traffic)
            expected = loads_by_paths(routing, traffic.flows())
            np.testing.assert_allclose(load.load, expected, atol=1e-9)
            between = (fabric.port_peer != ikat.NONE) & (fabric.port_node < fabric.num_switches)
            between[between] &= fabric.port_node[fabric.port_peer[between]] < fabric.num_switches
            self.assertAlmostEqual(load.max_load, expected[between].max())
            self.assertAlmostEqual(load.mean_load, expected[between].mean())
            self.assertAlmostEqual(load.min_load, expected[between].min())
            rate = fabric.port_rate_bps / 100e9  # in units of a host's rate
            full = np.divide(expected, rate, out=np.zeros_like(expected), where=rate > 0)
            self.assertAlmostEqual(load.saturation, min(1, 1 / full.max()))
            self.assertAlmostEqual(routing.saturation(pattern), load.saturation)
            self.assertAlmostEqual(full[load.tightest], full.max())
            self.assertAlmostEqual(expected[load.max_channel], load.max_load)
            self.assertEqual(load.undelivered, 0)
            self.assertEqual(load.flows, (traffic.flows()["src"] != traffic.flows()["dst"]).sum())
            self.assertEqual(sum(group.channels for group in load.groups() if group.direction == "injection"), fabric.num_hosts)
            self.assertIn("saturation", repr(load))
            self.assert_view(load.load, load._p().load)
            self.assert_view(load.crossing, load._p().crossing)
        queues = ikat.Fabric("karytree:k=4,n=2").routing("dmodk").queues()
        self.assertEqual(queues.load.shape, (64, 1))
        self.assert_view(queues.load, queues._p().load)
        self.assertEqual(queues.destinations.max(), 15)
        self.assertEqual(queues.crossing.shape, queues.load.shape)
        tree = ikat.Fabric("karytree:k=4,n=2").routing("dmodk").load()
        self.assertEqual(tree.turns.sum(), tree.flows)
        self.assertEqual(tree.max_crossing, tree.crossing.max() if tree.crossing.max() < 15 else tree.max_crossing)
        self.assertGreater(tree.mean_hops, 0)

    def test_what_queues_decide_is_not_predicted(self):
        fabric, traffic = ikat.Fabric("slimfly:q=3"), "exchange:bytes=8KiB"
        routing = fabric.routing("ugal_l")
        contention, phases, load = routing.contention(traffic), routing.phases(traffic), routing.load(traffic)
        unknown = [contention.slowdown_bound, contention.fluid_slowdown, contention.max_flows, contention.c_load, contention.mean_efficiency,
                   phases.slowdown, phases.bound_ns, load.saturation, routing.pattern_means("worst", 2)["effective_bandwidth"]]
        self.assertTrue(np.isnan(unknown).all(), unknown)
        self.assertGreater(contention.endpoint_degree, 0)
        for result in contention, phases, load:
            self.assertIn("not predicted", repr(result))
        evenly = ikat.Fabric("jellyfish:N=12,d=3,p=1").routing("minimal").contention(traffic)
        self.assertTrue(np.isnan(evenly.slowdown_bound))
        self.assertIn("if choices are divided evenly", repr(evenly))
        self.assertNotIn("evenly", repr(fabric.routing("valiant").contention(traffic)))

    def test_bound_of_all_routings(self):
        fabric = ikat.Fabric("slimfly:q=5,p=4")
        load = fabric.routing("minimal").load("worst", bound=True, epsilon=0.02, threads=2)
        self.assertLess(load.saturation, load.bound.lower)
        self.assertLess(load.bound.lower, load.bound.upper)
        self.assertLessEqual(load.bound.upper - load.bound.lower, 0.02 * load.bound.upper)
        self.assertEqual((load.bound.end, load.bound.epsilon), ("close", 0.02))
        self.assertGreater(load.bound.passes, 0)
        whole = ikat.Fabric("karytree:k=4,n=2").routing("dmodk").load(bound=True)
        self.assertEqual((whole.bound.lower, whole.bound.upper, whole.saturation), (1, 1, 1))
        self.assertIsNone(fabric.routing("minimal").load().bound)
        for wrong in ({"epsilon": 0}, {"epsilon": 1.5}, {"traffic": "exchange:bytes=1kB"}):
            with self.assertRaises(ikat.UsageError):
                fabric.routing("minimal").load(**{"traffic": "uniform", "bound": True, **wrong})

    def test_deadlock_and_its_evidence(self):
        fabric = ikat.Fabric("ring:n=5")
        proof = fabric.routing("shortest").prove()
        self.assertIs(proof.deadlock_free, False)
        self.assertFalse(proof)
        self.assertEqual(len(proof.cycle), 5)  # once around, in one direction
        for step, after in zip(proof.cycle, proof.cycle[1:] + proof.cycle[:1]):
            self.assertEqual(fabric.port_node[fabric.port_peer[step.channel]], fabric.port_node[after.channel])
            path = fabric.routing("shortest").path(step.src, step.dst).tolist()
            self.assertEqual(path[path.index(step.channel) + 1], after.channel)
        self.assertIn("sw0", proof.describe_cycle()[0])
        self.assertIn("cyclic", proof.deadlock_reason)
        self.assertIn("deadlock-free no", repr(proof))
        self.assertIn("<table>", proof._repr_html_())
        good = fabric.routing("shortest", vc="dfsssp" if "dfsssp" in ikat.vc_schemes() else "dateline").prove()
        self.assertTrue(good.deadlock_free)
        self.assertEqual(good.cycle, [])
        self.assertGreater(good.vcs_used, 1)
        self.assertGreater(good.dependencies, 0)
        self.assertGreater(good.channels, 0)
        self.assertEqual(good.flow, "any")
        self.assertEqual(fabric.routing("shortest").prove("cut_through").flow, "cut_through")

    def test_what_is_not_delivered(self):
        fabric = ikat.Fabric("karytree:k=2,n=2").degrade(switches=[2, 3])
        routing = fabric.routing("updown")
        proof = routing.prove()
        self.assertEqual(proof.unconnected, 8)
        self.assertTrue(proof.delivered)
        self.assertEqual((proof.undelivered, proof.loops, proof.not_minimal, proof.sampled_pairs), (0, 0, 0, 0))
        self.assertIsNone(proof.first_undelivered)
        self.assertIsNone(proof.lost_path)
        self.assertEqual(len(routing.path(0, 3)), 0)
        self.assertEqual(routing.hops()[0, 3], -1)
        self.assertEqual(proof.max_hops, 0)
        sampled = ikat.Fabric("karytree:k=4,n=2").routing("dmodk").prove(sample_pairs=10)
        self.assertEqual(sampled.sampled_pairs, 10)
        self.assertIsNone(sampled.delivered)
        self.assertTrue(ikat.Fabric("karytree:k=4,n=2").routing("dmodk").prove(pairwise=True, cache=self.tmp))
        self.assertTrue(any(self.tmp.iterdir()))
        self.assertIn(proof.ordered, (True, False, None))
        self.assertTrue(proof.loop_free)

    def test_oblivious_routings_have_many_paths(self):
        routing = ikat.Fabric("karytree:k=4,n=2").routing("oblivious")
        self.assertEqual(routing.num_paths(0, 15), 4)
        self.assertEqual(len({tuple(path) for path in routing.paths(0, 15)}), 4)
        self.assertEqual(routing.kind, "oblivious")
        self.refused(ikat.Unsupported, routing.tables)
        self.refused(ikat.UsageError, routing.path, 0, 15, 4, says="start")

    def test_tables_as_files(self):
        fabric = ikat.Fabric.read(CLUSTER)
        installed = fabric.routing(f"lft:path={SOURCE / 'data/cluster96.lfts'}")
        path = self.tmp / "tables.lfts"
        installed.write_tables(path)
        self.assertEqual(path.read_text(), installed.tables_text())
        again = fabric.routing(f"lft:path={path}")
        self.assertTrue((again.tables() == installed.tables()).all())
        changes = installed.compare(fabric.routing("dmodc"))
        self.assertEqual(changes["pairs"], 96 * 95)
        self.assertEqual(changes["changed_entries"], int((installed.tables() != fabric.routing("dmodc").tables()).sum()))
        self.assertEqual(installed.compare(again)["moved"], 0)
        self.assertEqual(installed.table_size()["form"], "linear tables")
        self.assertEqual(installed.table_size()["max"], 96)
        self.refused(ikat.UsageError, installed.compare, 3)

    def test_measures(self):
        fabric = ikat.Fabric("karytree:k=4,n=2")
        routing = fabric.routing("dmodk")
        contention = routing.contention("shift:by=4")
        self.assertEqual((contention.flows, contention.max_flows, contention.slowdown_bound), (16, 1, 1))
        self.assertEqual(contention.to_dict()["c"], 1)
        phases = routing.phases("exchange:bytes=1MB")
        self.assertEqual(len(phases), 1)
        self.assertAlmostEqual(phases.bound_ns, 15 * 1e6 * 8 / 100)  # 15 messages of 1 MB at 100 bit per ns
        self.assertEqual(phases.bound_ns, phases.crossbar_bound_ns)
        self.assertEqual(phases.to_list()[0]["messages"], 240)
        self.assertEqual(phases.slowdown, 1)
        self.refused(ikat.UsageError, routing.phases, "uniform", says="never ends")
        small = ikat.Fabric("karytree:k=2,n=2").routing("dmodk").permutations()
        self.assertTrue(small["exhaustive"])
        self.assertEqual((small["total"], int(small["count"].sum())), (24, 24))
        self.assertEqual(routing.permutations(50, seed=3)["total"], 50)
        self.assertEqual(routing.pattern_means("uniform", 5)["patterns"], 5)
        destinations = routing.destinations()
        injection = fabric.port_base[fabric.num_switches:-1]
        self.assertTrue((destinations[injection] == 15).all())

    def test_traffic(self):
        fabric = ikat.Fabric("karytree:k=4,n=2")
        shift = fabric.traffic("shift:by=4")
        self.assertEqual(shift.matrix().tolist(), np.roll(np.eye(16), 4, 1).tolist())
        self.assertEqual(shift.destinations(3, 2).tolist(), [7, 7])
        uniform = ikat.Traffic(fabric)
        np.testing.assert_allclose(uniform.matrix().sum(1), 1)
        drawn = uniform.destinations(0, 1000)
        self.assertEqual(set(drawn), set(range(1, 16)))
        self.assertEqual(len(uniform.flows(2)), 15)
        self.assertFalse(uniform.ends)
        self.assertEqual(uniform.classes, [])
        self.assertEqual(fabric.traffic("mix:80%*a=uniform+20%*b=shift:by=4").classes, ["a", "b"])
        self.assertIsNone(uniform.note)
        self.assertEqual(uniform.num_hosts, 16)
        exchange = fabric.traffic("exchange:bytes=1kB")
        self.assertTrue(exchange.ends)
        self.assertIn("num_ranks 16", exchange.goal())
        self.refused(ikat.UsageError, uniform.goal, says="never ends")
        self.refused(ikat.UsageError, ikat.Fabric("karytree:k=2,n=2").routing("dmodk").load, uniform, says="another fabric")
        self.refused(ikat.WrongType, fabric.routing("dmodk").load, 3)
        self.refused(ikat.UsageError, uniform.destinations, 16)

    def test_what_a_routing_is(self):
        fabric = ikat.Fabric("karytree:k=4,n=2")
        routing = fabric.routing("dmodk", vc="dbbm", num_vcs=4)
        self.assertEqual((routing.spec, routing.num_vcs, routing.kind), ("dmodk", 4, "deterministic"))
        self.assertIn("dbbm", routing.vc)
        self.assertIn("random", fabric.routing("adaptive_tree", selection="random").selection)
        self.refused(ikat.UsageError, fabric.routing, "dmodk", selection="random", says="no effect")
        self.assertIn("delivers", routing.claims)
        self.assertIsNone(routing.note)
        self.assertIn("dmodk", repr(routing))
        self.assertIn("<table>", routing._repr_html_())
        self.assertEqual(routing.num_hosts, 16)
        for_traffic = ikat.Routing(fabric, "colored", traffic="shift:by=4")
        self.assertEqual(for_traffic.load("shift:by=4").max_load, 1)
        self.refused(ikat.Unsupported, ikat.Fabric("torus:dims=4:4").routing, "dmodk")

    def test_hosts_with_several_cables(self):
        fabric = ikat.Fabric("pgft:m=4:4,w=2:2,p=1:1")
        routing = fabric.routing("updown")
        self.assertEqual((fabric.num_hosts, routing.num_hosts), (16, 32))
        self.assertEqual([routing.whole_host(port) for port in (0, 1, 2, 31)], [0, 0, 1, 15])
        self.assertEqual(routing.hops().shape, (32, 32))
        self.assertEqual(routing.tables().shape, (fabric.num_switches, 32))
        self.refused(ikat.UsageError, routing.whole_host, 32)


if __name__ == "__main__":
    unittest.main()
