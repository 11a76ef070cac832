"""Fabrics: their arrays, files, graphs and measures."""
import gzip
import json

from support import CLUSTER, PythonTest, ikat, np, package, unittest


def hop_counts(fabric, networkx):
    """[switches, switches] distances by NetworkX."""
    graph = fabric.to_networkx().subgraph(range(fabric.num_switches))
    out = np.full((fabric.num_switches,) * 2, -1)
    for src, to in networkx.all_pairs_shortest_path_length(graph):
        for dst, hops in to.items():
            out[src, dst] = hops
    return out


class Fabrics(PythonTest):
    def test_numbers_of_known_graphs(self):
        fabric = ikat.Fabric("slimfly:q=5,p=1")  # the Hoffman-Singleton graph: 50 vertices, degree 7, diameter 2, girth 5
        self.assertEqual((fabric.num_switches, fabric.num_hosts, fabric.num_links), (50, 50, 175 + 50))
        self.assertTrue((fabric.switch_degree == 7).all())
        self.assertTrue((fabric.switch_hosts == 1).all())
        self.assertEqual(fabric.girth(), 5)
        self.assertEqual(fabric.distances()["diameter"], 2)
        self.assertEqual(fabric.distances()["switch_histogram"].tolist(), [0, 350, 50 * 49 - 350])
        torus = ikat.Fabric("torus:dims=4:4")
        self.assertEqual(torus.bisection()["cut"], 8)
        self.assertEqual(torus.bisection()["side"].sum(), 8)
        self.assertEqual(torus.cables()["cables"], 32)
        self.assertEqual(int(torus.cables()["histogram"].sum()), 32)

    def test_arrays_are_the_library_s(self):
        fabric = ikat.Fabric.read(CLUSTER)
        c = fabric._p()
        for name in ("port_base", "port_peer", "port_node", "port_class", "node_guid", "node_lid", "port_guid", "switch_level"):
            self.assert_view(getattr(fabric, name), getattr(c, name))
        self.assertEqual(fabric.port_base.shape, (fabric.num_switches + fabric.num_hosts + 1,))
        self.assertEqual(fabric.port_base[-1], fabric.num_ports)
        tree = ikat.Fabric("karytree:k=2,n=2")
        self.assert_view(tree.switch_place, tree._p().switch_place)
        self.assertEqual(tree.switch_place.dtype.names, ("layer", "group", "pos"))
        self.assertIsNone(tree.node_guid)
        self.assertIsNone(tree.switch_xy)
        self.assertIsNone(tree.port_label)
        self.assertEqual(ikat.Fabric("lrt:N=16,d=4,r=2").switch_xy["x"].max(), 3)

    def test_links_and_ports(self):
        fabric = ikat.Fabric.read(CLUSTER)
        links, peer = fabric.links, fabric.port_peer
        self.assertEqual(len(links), (peer != ikat.NONE).sum() // 2)
        self.assertTrue((peer[links["port_a"]] == links["port_b"]).all())
        self.assertTrue((fabric.port_node[links["port_b"]] == links["node_b"]).all())
        self.assertEqual(set(links["rate_bps"].tolist()), {100_000_000_000, 16_000_000_000})  # one link at DDR
        self.assertEqual((links["rate_bps"] == 16_000_000_000).sum(), 1)
        self.assertTrue((fabric.port_rate_bps[links["port_a"]] == links["rate_bps"]).all())
        self.assertTrue((fabric.port_latency_ps[peer != ikat.NONE] == 6000).all())
        self.assertEqual(fabric.port_rate_bps[peer == ikat.NONE].sum(), 0)
        hosts = np.array([fabric.port_node[peer[fabric.port_base[fabric.num_switches + h]]] for h in range(fabric.num_hosts)])
        self.assertTrue((fabric.host_switch == hosts).all())
        self.assertEqual(fabric.switch_hosts.sum(), fabric.num_hosts)
        self.assertEqual(fabric.port_number[0], 1)
        self.assertFalse(fabric.links.flags.writeable)
        self.assertIn("slow-link", [finding.code for finding in fabric.findings])
        self.assertIn(ikat.LinkClass("4xDDR", 16_000_000_000, 6000), fabric.link_classes)
        self.assertIn("node018 HCA-1", fabric.names)
        self.assertIn("port 1", fabric.describe_port(0))

    def test_measures_agree_with_networkx(self):
        networkx = package("networkx")
        for spec in ("karytree:k=3,n=2", "torus:dims=3:4", "dragonfly:a=4,h=2,p=2"):
            fabric = ikat.Fabric(spec)
            hops = hop_counts(fabric, networkx)
            at = fabric.host_switch
            between = hops[np.ix_(at, at)][~np.eye(fabric.num_hosts, dtype=bool)]
            measured = fabric.distances(threads=2)
            self.assertAlmostEqual(measured["mean_hops"], between.mean())
            self.assertEqual(measured["diameter"], between.max())
            self.assertEqual(measured["histogram"].tolist(), np.bincount(between).tolist())
            hosts = fabric.switch_hosts > 0
            pairs = [(a, b) for a in np.flatnonzero(hosts) for b in np.flatnonzero(hosts) if a != b]
            graph = fabric.to_networkx().subgraph(range(fabric.num_switches))
            paths = [len(list(networkx.all_shortest_paths(networkx.Graph(graph), a, b))) for a, b in pairs]
            diversity = fabric.diversity()
            self.assertEqual((diversity["min_paths"], diversity["max_paths"]), (min(paths), max(paths)))
            self.assertAlmostEqual(diversity["mean_paths"], sum(paths) / len(paths))
            self.assertEqual(int(diversity["counts"]["pairs"].sum()), len(pairs))

    def test_description_and_reach(self):
        fabric = ikat.Fabric("rlft:ports=8,levels=2")
        d = fabric.describe()
        self.assertEqual((d["hosts"], d["switches"], d["levels"], d["level_switches"]), (32, 12, 2, [8, 4]))
        self.assertEqual(d["link_counts"][0]["host_links"], 32)
        self.assertEqual(fabric.num_levels, 2)
        self.assertEqual(fabric.switch_level.tolist(), [1] * 8 + [2] * 4)
        cut = fabric.degrade(switches=[8, 9, 10, 11])
        self.assertFalse(cut.reach()["whole"])
        self.assertEqual(cut.reach()["connected"], 8 * 4 * 3)
        self.assertTrue(fabric.reach()["whole"])
        self.assertEqual(fabric.layout().shape, (12, 2))
        self.assertTrue((fabric.layout() >= 0).all() and (fabric.layout() <= 1).all())

    def test_changed_copies(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        less = fabric.degrade(links=[2])
        self.assertEqual(less.num_links, fabric.num_links - 1)
        self.assertFalse(less.intact)
        self.assertTrue(fabric.intact)
        self.assertIn("failed-link", [finding.code for finding in less.findings])
        self.assertEqual(fabric.keep_hosts([True, False, True, True]).num_hosts, 3)
        self.assertEqual(fabric.keep_hosts([0, 3]).num_hosts, 2)
        self.refused(ikat.UsageError, fabric.keep_hosts, [True], says="one value per host")
        self.refused(ikat.UsageError, fabric.degrade, [10**6], says="links")
        self.refused(ikat.UsageError, fabric.degrade, [2**40], says="links")
        self.refused(ikat.UsageError, fabric.degrade, [], [-1], says="switches")

    def test_files_in_every_format(self):
        fabric = ikat.Fabric("karytree:k=2,n=3")
        for name in ikat.formats():
            path = self.tmp / f"fabric.{name}"
            if name in ("subnet_lst", "lrt", "anynet", "edges"):
                continue
            try:
                fabric.write(path, name)
            except ikat.Unsupported:
                continue
            self.assertEqual(path.read_text(), fabric.to_text(name), name)
            if name in ("ibnetdiscover", "json", "graphml"):
                again = ikat.Fabric.read(path)
                self.assertEqual((again.num_hosts, again.num_switches, again.num_links), (8, 12, 24), name)
        cluster = ikat.Fabric.read(CLUSTER)
        for name in ("ibnetdiscover", "json"):
            text = cluster.to_text(name)
            self.assertEqual(cluster.difference(ikat.Fabric.from_text(text)), "", name)
            self.assertEqual(cluster, ikat.Fabric.from_text(text.encode(), name))
        (self.tmp / "packed.gz").write_bytes(gzip.compress(CLUSTER.read_bytes()))
        self.assertEqual(ikat.Fabric.read(self.tmp / "packed.gz"), cluster)
        self.assertEqual(ikat.Fabric(str(CLUSTER)), cluster)
        self.assertEqual(ikat.Fabric.from_json(cluster.to_json()), cluster)
        self.assertEqual(ikat.Fabric.from_json(json.dumps(cluster.to_json())), cluster)
        self.assertNotEqual(cluster, fabric)
        self.assertNotEqual(cluster.difference(fabric), "")
        self.assertFalse(cluster == "cluster")
        self.assertIn("<svg", fabric.to_text("svg"))
        self.assertEqual(ikat.Fabric.from_text(cluster.to_text("graphml")).num_links, cluster.num_links)
        self.refused(ikat.InputError, ikat.Fabric.from_text, "", says="")

    def test_networkx_round_trip(self):
        networkx = package("networkx")
        specs = ["karytree:k=3,n=2", "dragonfly:a=4,h=2,p=2", "lrt:N=16,d=4,r=2", f"file:{CLUSTER}", "pgft:m=4:4,w=2:2,p=1:2",
                 "torus:dims=2:4,fail=10%"]
        for fabric in map(ikat.Fabric, specs):
            graph = fabric.to_networkx()
            self.assertIsInstance(graph, networkx.MultiGraph)
            self.assertEqual((graph.number_of_nodes(), graph.number_of_edges()),
                             (fabric.num_switches + fabric.num_hosts, fabric.num_links))
            again = ikat.Fabric.from_networkx(graph)
            self.assertEqual(fabric.difference(again), "")
            self.assertEqual(fabric.intact, again.intact)
            self.assertEqual(ikat.Fabric.from_networkx(networkx.node_link_graph(networkx.node_link_data(graph))), fabric)
        kinds = networkx.get_node_attributes(graph, "kind")
        self.assertEqual(sum(kind == "host" for kind in kinds.values()), fabric.num_hosts)

    def test_igraph_round_trip(self):
        package("igraph")
        for spec in ("karytree:k=3,n=2", "pgft:m=4:4,w=2:2,p=1:2", f"file:{CLUSTER}"):
            fabric = ikat.Fabric(spec)
            graph = fabric.to_igraph()
            self.assertEqual((graph.vcount(), graph.ecount()), (fabric.num_switches + fabric.num_hosts, fabric.num_links))
            self.assertEqual(fabric.difference(ikat.Fabric.from_igraph(graph)), "")
            self.assertEqual(graph.es["rate_bps"], [int(rate) for rate in fabric.links["rate_bps"]])

    def test_foreign_graphs(self):
        networkx = package("networkx")
        graph = networkx.petersen_graph()
        for switch in range(10):
            graph.add_edge(switch, f"n{switch}")
            graph.nodes[f"n{switch}"]["kind"] = "host"
        graph.add_edge(0, 1, rate_bps=np.int64(25_000_000_000))
        fabric = ikat.Fabric.from_networkx(graph)
        self.assertEqual((fabric.num_switches, fabric.num_hosts, fabric.num_links), (10, 10, 25))
        self.assertEqual(fabric.distances()["diameter"], 2)  # the Petersen graph's
        self.assertEqual(fabric.girth(), 5)
        self.assertEqual(sorted({k.rate_bps for k in fabric.link_classes}), [25_000_000_000, 100_000_000_000])
        self.assertTrue(fabric.routing("dfsssp").prove())
        graph.nodes[0]["kind"] = "router"
        self.refused(ikat.UsageError, ikat.Fabric.from_networkx, graph, says="neither 'switch' nor 'host'")
        self.refused(ikat.UsageError, ikat.Fabric.from_networkx, networkx.DiGraph(), says="directed")
        self.refused(ikat.WrongType, ikat.Fabric.from_networkx, 3, says="NetworkX")
        self.refused(ikat.WrongType, ikat.Fabric.from_igraph, None, says="igraph")
        graph.nodes[0].update(kind="switch", name=object())
        self.refused(ikat.WrongType, ikat.Fabric.from_networkx, graph, says="cannot hold")
        graph.nodes[0].update(name="a", guid="no guid")
        self.refused(ikat.InputError, ikat.Fabric.from_networkx, graph)
        graph.nodes[0]["guid"] = "0x1"
        graph.edges[0, 1]["rate_bps"] = "fast"
        self.refused(ikat.WrongType, ikat.Fabric.from_networkx, graph, says="rate_bps")
        graph.edges[0, 1].update(rate_bps=10**30)
        self.refused(ikat.WrongType, ikat.Fabric.from_networkx, graph, says="rate_bps")

    def test_shown(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        self.assertEqual(repr(fabric), "<ikat.Fabric 'karytree:k=2,n=2': 4 hosts, 4 switches, 8 links>")
        self.assertIn("<table>", fabric._repr_html_())
        self.assertEqual(fabric.family, "xgft")
        self.assertEqual(fabric.spec, "karytree:k=2,n=2")
        self.assertEqual(fabric.name(0), "sw0")
        self.assertEqual(len({fabric, fabric}), 1)

    def test_lists(self):
        self.assertIn("karytree", ikat.topologies())
        self.assertIn("dmodk", ikat.routings())
        self.assertIn("1q", ikat.vc_schemes())
        self.assertIn("first_free", ikat.selections())
        self.assertIn("uniform", ikat.patterns())
        self.assertIn("json", ikat.formats())
        self.assertEqual(ikat.help_of("karytree")["kind"], "topology")
        self.assertIn("k", ikat.help_of("karytree")["parameters"])
        self.assertEqual(ikat.help_of("json")["kind"], "format")
        for name in ikat.topologies():
            ikat.examples(name)
        self.assertGreater(ikat.Fabric(ikat.examples("karytree")[0]).num_hosts, 0)
        self.refused(ikat.UsageError, ikat.help_of, "nothing")
        self.refused(ikat.UsageError, ikat.examples, "dmodk")
        self.assertRegex(ikat.version(), r"^\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
