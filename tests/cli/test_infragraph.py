#!/usr/bin/env python3
"""Infrastructures of InfraGraph: what is a host, a switch, a link; slices and schemes; and what is refused."""
import collections
import json
import random
import re
import unittest

from harness import SOURCE, CliTest, run

CORPUS = SOURCE / "tests" / "fuzz" / "corpus" / "infragraph"
SERVER = {"name": "server", "components": [{"name": "nic", "choice": "nic", "count": 3}, {"name": "mgmt", "choice": "custom", "count": 1}], "links": [], "edges": []}
SWITCH = {"name": "switch", "components": [{"name": "asic", "choice": "cpu"}, {"name": "port", "choice": "port", "count": 12}], "links": [], "edges": []}


def end(text):
    instance, component = text.split("/")
    return {"instance": instance, "component": component}


def infrastructure(*edges, devices=(SERVER, SWITCH), host=4, physical=None, **more):
    """edges: (ep1, ep2) as instance/component, and perhaps a scheme."""
    link = {"name": "eth", **({"physical": physical} if physical else {})}
    return {"devices": list(devices), "links": [link], "instances": [{"name": "host", "device": "server", "count": host}, {"name": "leaf", "device": "switch", "count": 3}],
            "edges": [{"ep1": end(e[0]), "ep2": end(e[1]), "scheme": e[2] if len(e) > 2 else "one2one", "link": "eth"} for e in edges], **more}


def expand(text, counts):
    """Names of all combinations, as the service of InfraGraph makes them."""
    names = [""]
    for part in text.split("/"):
        name, _, inside = part.rstrip("]").partition("[")
        pieces = inside.split(":") if inside else [""]
        numbers = [int(p) if p else None for p in pieces]
        indices = range(counts[name])[slice(*numbers)] if len(pieces) > 1 or not inside else [numbers[0]]
        names = [f"{before}.{name}.{i}" if before else f"{name}.{i}" for before in names for i in indices]
    return names


class InfraGraph(CliTest):
    def put(self, text, name="network.json"):
        path = self.tmp / name
        path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    def links(self, path):
        """Pairs of names, and the fabric."""
        out = self.tmp / "read.json"
        self.ok("topo", path, "--format", "json", "-o", out, status=None)
        fabric = json.loads(out.read_text())
        nodes = [node["name"] for node in fabric["switches"] + fabric["hosts"]]
        return collections.Counter(tuple(sorted((nodes[link[0]], nodes[link[2]]))) for link in fabric["links"]), fabric

    def findings(self, path):
        return {f["code"]: f["text"] for f in self.json("topo", path)["findings"]}

    def test_two_tiers(self):
        links, fabric = self.links(SOURCE / "data/two_tier.infragraph.yaml")
        self.assertEqual(len(fabric["hosts"]), 16)
        self.assertEqual(sorted(node["name"] for node in fabric["switches"]), ["leaf.0", "leaf.1", "leaf.2", "leaf.3", "spine.0", "spine.1"])
        self.assertEqual(links, collections.Counter([(f"host.{h}.nic.{n}", f"leaf.{h // 2}") for h in range(8) for n in range(2)]
                                                    + [(f"leaf.{leaf}", f"spine.{spine}") for leaf in range(4) for spine in range(2)]))
        said = self.json("topo", SOURCE / "data/two_tier.infragraph.yaml")
        self.assertEqual(sorted((c["name"], c["rate_bps"], c["latency_ps"], c["links"]) for c in said["links_by_rate"]), [("access", 10**11, 10000, 16), ("uplink", 2 * 10**11, 20000, 8)])
        self.assertEqual(said["level_switches"], [4, 2])

    def test_expansion(self):
        """Slices and schemes, drawn at random, against the rules of the service."""
        rng, counts = random.Random(1), {"host": 4, "nic": 3, "leaf": 3, "port": 12}

        def part(name):
            n = counts[name]
            a, b, step = rng.randrange(n), rng.randrange(1, n + 1), rng.randrange(1, 3)
            a, b = min(a, b - 1), max(a + 1, b)
            return name + rng.choice(["", f"[{a}]", f"[{a}:{b}]", f"[{a}:]", f"[:{b}]", "[:]", f"[{a}:{b}:{step}]", f"[::{step}]"])

        for _ in range(60):
            edges, expected = [], collections.Counter()
            for _ in range(rng.randrange(1, 4)):
                a, b, scheme = part("host") + "/" + part("nic"), part("leaf") + "/" + part("port"), rng.choice(["one2one", "many2many"])
                edges.append((a, b, scheme))
                left, right = expand(a, counts), [re.sub(r"\.port\.\d+", "", name) for name in expand(b, counts)]
                expected.update((x, y) for x in left for y in right) if scheme == "many2many" else expected.update(zip(left, right))
            with self.subTest(edges=edges):
                self.assertEqual(self.links(self.put(infrastructure(*edges)))[0], expected)

    def test_composed(self):
        links, fabric = self.links(CORPUS / "composed.json")
        self.assertEqual(links, collections.Counter({("dgx.0.cx5.0", "leaf.0"): 2, ("dgx.0.cx5.1", "leaf.0"): 2, ("dgx.1.cx5.0", "leaf.1"): 1, ("dgx.1.cx5.1", "leaf.1"): 1, ("leaf.0", "leaf.1"): 4}))
        said = self.findings(CORPUS / "composed.json")
        for code, words in (("loops", "1 link"), ("shared-port", "4 ends"), ("unread-sections", "'racks'"), ("unread-annotations", "1 annotation")):
            self.assertIn(words, said[code])
        names = [node["name"] for node in fabric["switches"] + fabric["hosts"]]
        self.assertEqual({link[1] for link in fabric["links"] if names[link[0]] == "leaf.1" and names[link[2]].startswith("dgx")}
                         | {link[3] for link in fabric["links"] if names[link[2]] == "leaf.1" and names[link[0]].startswith("dgx")}, {0, 2})

    def test_instances_without_edge(self):
        edge = ("host[0:3:2]/nic[0]", "leaf[0]/port[0:2]")
        self.assertEqual(self.findings(self.put(infrastructure(edge)))["unjoined-instances"], "4 instances without an edge are left out")
        self.assertEqual(self.findings(self.put(infrastructure(edge, host=3)))["unjoined-instances"], "3 instances without an edge are left out")
        whole = infrastructure(("host/nic", "leaf/port"), ("leaf[0]/port[0]", "leaf[1]/port[0]"), ("leaf[0]/port[1]", "leaf[2]/port[0]"))
        self.assertNotIn("unjoined-instances", self.findings(self.put(whole)))

    def test_names_with_dots(self):
        """An instance may be named as the hosts of another are; they are two nodes."""
        text = json.dumps(infrastructure(("host/nic[0]", "leaf[0]/port[0:4]"))).replace('"leaf', '"host.0.nic')
        links, fabric = self.links(self.put(text))
        self.assertEqual((len(fabric["hosts"]), len(fabric["switches"]), sum(links.values())), (4, 1, 4))

    def test_rates(self):
        edge = ("host/nic[0]", "leaf[0]/port")
        for physical, rate, latency in (({"bandwidth": {"gigabits_per_second": 100}}, 10**11, 6000), ({"bandwidth": {"gigabytes_per_second": 12.5}, "latency": {"us": 1.5}}, 10**11, 1500000),
                                        ({"bandwidth": {"gigatransfers_per_second": 8}, "latency": {"ms": 1}}, 10**11, 10**9), ({}, 10**11, 6000), ({"latency": {"ns": 0}}, 10**11, 0)):
            said = self.json("topo", self.put(infrastructure(edge, physical=physical)))["links_by_rate"]
            self.assertEqual([(c["rate_bps"], c["latency_ps"], c["links"]) for c in said], [(rate, latency, 4)])
        for physical in ({"bandwidth": {"gigabits_per_second": 0}}, {"bandwidth": {"gigabits_per_second": -1}}, {"bandwidth": {"gigabits_per_second": 1e300}}, {"latency": {"ms": 1e9}},
                         {"bandwidth": {"gigabits_per_second": "fast"}}, {"bandwidth": {"gigabits_per_second": "nan"}}, {"latency": {"ns": "10 ns"}}):
            self.refused("topo", self.put(infrastructure(edge, physical=physical)), says=("network.json:1:", "'eth'", "no possible"))

    def test_forms(self):
        good = infrastructure(("host/nic", "leaf[0]/port"))
        links = self.links(self.put(good))[0]
        for wrapped in ({"infrastructure": good}, {"infragraph": {"infrastructure": good}}):
            self.assertEqual(self.links(self.put(wrapped))[0], links)
        self.assertEqual(self.links(self.put(json.dumps(good, indent=1), "network.yaml"))[0], links)
        self.refused("topo", "file:" + str(self.put({**SERVER})) + ",format=infragraph", says=("no infrastructure, but a device", "instances and edges"))
        self.refused("topo", "file:" + str(self.put({"devices": []})) + ",format=infragraph", says="no infrastructure")

    def test_refused(self):
        ok = "leaf[0]/port"
        for edge, says in ((("host/nic[3]", ok), "indices from 0 to 2"), (("host[4]/nic", ok), "from 0 to 3"), (("host[0:5]/nic", ok), "from 0 to 3"), (("host[-1]/nic", ok), "from 0"),
                           (("host[0:2:0]/nic", ok), "STEP"), (("host[]/nic", ok), "STEP"), (("host[0/nic", ok), "STEP"), (("host[2:1]/nic", ok), "STEP"), (("host[0:1:1:1]/nic", ok), "STEP"),
                           (("host[99999999999999999999]/nic", ok), "from 0"), (("host[0]x/nic", ok), "STEP"), (("hos/nic", ok), "no instance 'hos'"), (("host/nix", ok), "no component 'nix' in the device server"),
                           (("host/nic.port", ok), "no component 'port'"), (("host/", ok), "expected a component"), (("host/.nic", ok), "expected a component"), (("host/" + "nic." * 9, ok), "no component"),
                           (("host/nic", ok, "ring"), "one2one or many2many")):
            with self.subTest(edge=edge):
                self.refused("topo", self.put(infrastructure(edge)), says=("network.json:1:", says))
        good = infrastructure(("host/nic", ok))

        def device(**components):
            return {"name": "loop", "components": [{"name": name, "choice": choice} for name, choice in components.items()], "edges": []}

        for change, says in (({"links": []}, "link: a name"), ({"instances": good["instances"] * 2}, "'host' twice"), ({"devices": [SERVER, SERVER, SWITCH]}, "'server' twice"),
                             ({"devices": [SWITCH]}, "no device 'server'"), ({"edges": [{}]}, "expected ep1"), ({"edges": [3]}, "a mapping"), ({"edges": {}}, "a list of edges"),
                             ({"edges": [{**good["edges"][0], "ep2": []}]}, "expected ep2"), ({"instances": [{"name": "host"}]}, "'device'"), ({"instances": [{"device": "server"}]}, "'name'"),
                             ({"instances": [{"name": "host", "device": "server", "count": -1}]}, "count"), ({"devices": [{"name": "server", "components": [{"name": "nic"}]}]}, "'choice'"),
                             ({"devices": [{**SERVER, "components": SERVER["components"] * 2}, SWITCH]}, "'nic' twice"), ({"devices": [SERVER, SWITCH, device(x="device")]}, None),
                             ({"devices": [device(loop="device"), SWITCH], "instances": [{"name": "host", "device": "loop"}]}, "without end"),
                             ({"devices": [device(x="device"), SWITCH], "instances": [{"name": "host", "device": "loop"}]}, "not in the list of devices"),
                             ({"instances": [{"name": "host", "device": "server", "count": 2**31 - 1}, good["instances"][1]],
                               "edges": [{**good["edges"][0], "scheme": "many2many"}]}, "more than 1000000 links")):
            with self.subTest(change=str(change)[:80]):
                path = "file:" + str(self.put({**good, **change})) + ",format=infragraph"
                self.refused("topo", path, says=("network.json:", says)) if says else self.ok("topo", path)
        for text, says in (("[" * 1000, "deeper"), ('{"edges": ', "network.json"), ("edges: \0", "byte 0x00"), (json.dumps({**good, **{f"k{i}": i for i in range(100000)}}), "more than 1024 keys"),
                           ("a: [" + "".join(f"&a{i} x, " for i in range(100000)) + "]", "more than 1024 anchors"), ("a: &a [x, x]\n" + "".join(f"b{i}: &b{i} [*{'a' if not i else f'b{i - 1}'}, *{'a' if not i else f'b{i - 1}'}]\n" for i in range(40)) + "edges: []", "aliases")):
            self.refused("topo", "file:" + str(self.put(text)) + ",format=infragraph", says=says)

    def test_damaged(self):
        rng = random.Random(1)
        for name in ("composed.json", "two_tier.yaml"):
            good = (CORPUS / name).read_bytes()
            for case in [good[:i] for i in range(0, len(good), 97)] + [bytes(rng.choice(b'"{}[]:,9-\n\xff') if rng.random() < .01 else c for c in good) for _ in range(40)]:
                self.assertIn(run("topo", "file:" + str(self.put(case)) + ",format=infragraph").returncode, (0, 1, 2), case)


if __name__ == "__main__":
    unittest.main()
