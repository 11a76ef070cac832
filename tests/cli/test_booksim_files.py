#!/usr/bin/env python3
"""Configurations of BookSim 2: the network of each topology, as the simulator's sources build it, and what is refused."""
import collections
import json
import random
import unittest

from harness import SOURCE, CliTest, run

CORPUS = SOURCE / "tests" / "fuzz" / "corpus" / "booksim"


def power_coordinates(router, k, n):
    return [router // k**d % k for d in range(n)]


def grid(k, n, wrap):
    """Both directions of every channel of a mesh or torus, with how often it is there."""
    links = collections.Counter()
    for at in range(k**n):
        for d in range(n):
            x = at // k**d % k
            if x + 1 < k or wrap:
                right = at + (1 - k if x + 1 == k else 1) * k**d
                links[at, right] += 1
                links[right, at] += 1
    return links


def flatfly(k, n):
    return collections.Counter({(a, b): 1 for a in range(k**n) for b in range(k**n)
                                if sum(x != y for x, y in zip(power_coordinates(a, k, n), power_coordinates(b, k, n))) == 1})


def dragonfly(p):
    a, links = 2 * p, collections.Counter()
    for group in range(a * p + 1):
        for s in range(a):
            links.update((group * a + s, group * a + t) for t in range(a) if t != s)
        for port in range(a * p):  # port x of group j leads to group x, or x + 1 behind its own
            other = port if port < group else port + 1
            back = group if group < other else group - 1
            links[group * a + port // p, other * a + back // p] += 1
    return links


def cmesh(k):
    """The mesh, and at its edges channels between router i of an edge and i + k/2."""
    links = grid(k, 2, False)
    for i in range(k // 2):
        for a, b in ((k * i, k * (i + k // 2)), (k * i + k - 1, k * (i + k // 2) + k - 1), (i, i + k // 2), (k * (k - 1) + i, k * (k - 1) + i + k // 2)):
            links[a, b] += 1
            links[b, a] += 1
    return links


class BookSimFiles(CliTest):
    def put(self, text, name="config"):
        path = self.tmp / name
        path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)
        return path

    def configuration(self, **settings):
        return self.put("".join(f"{name} = {value};\n" for name, value in settings.items()))

    def read(self, path):
        """Channels between routers, the router of each host, and the specification."""
        out = self.tmp / "read.json"
        self.ok("topo", path, "--format", "json", "-o", out)
        fabric = json.loads(out.read_text())
        switches, links, hosts = len(fabric["switches"]), collections.Counter(), {}
        for near, _, far, _ in (link[:4] for link in fabric["links"]):
            near, far = min(near, far), max(near, far)
            if far >= switches:
                hosts[far - switches] = near
            else:
                links.update(((near, far), (far, near)))
        return links, [hosts[i] for i in sorted(hosts)], fabric.get("spec")

    def findings(self, path):
        return {f["code"]: f["text"] for f in self.json("topo", path)["findings"]}

    def test_networks(self):
        for topology, sizes, channels in (("mesh", ((8, 2), (3, 3), (2, 2), (5, 1)), lambda k, n: grid(k, n, False)),
                                          ("torus", ((8, 2), (3, 3), (2, 3), (2, 1), (5, 1)), lambda k, n: grid(k, n, True)),
                                          ("dragonflynew", ((1, 1), (2, 1), (3, 1)), lambda k, n: dragonfly(k))):
            for k, n in sizes:
                with self.subTest(topology=topology, k=k, n=n):
                    links, hosts, spec = self.read(self.configuration(topology=topology, k=k, n=n))
                    per = k if topology == "dragonflynew" else 1
                    self.assertEqual(links, channels(k, n))
                    self.assertEqual(hosts, [i // per for i in range(len(hosts))])
                    self.assertEqual(len(set(hosts)), max(max(e) for e in links) + 1)
                    self.assertTrue(spec)  # as good as generated
        for k, n, c in ((4, 2, 4), (3, 3, 1), (2, 4, 9), (8, 1, 8)):
            links, hosts, _ = self.read(self.configuration(topology="flatfly", k=k, n=n, c=c))
            self.assertEqual((links, hosts), (flatfly(k, n), [i // c for i in range(k**n * c)]))
        for k in (2, 4, 8):
            links, hosts, _ = self.read(self.configuration(topology="cmesh", k=k, n=2, c=4))
            self.assertEqual(links, cmesh(k))
            self.assertEqual(hosts, [h // (2 * k) // 2 * k + h % (2 * k) // 2 for h in range(4 * k * k)])

    def test_families(self):
        for settings, spec in (({"topology": "fattree", "k": 4, "n": 3}, "karytree:k=4,n=3"), ({"topology": "fattree", "k": 5, "n": 1}, "xgft:m=5,w=1"),
                               ({"topology": "fly", "k": 10, "n": 1}, "crossbar:n=10"), ({"topology": "qtree", "k": 4, "n": 3}, "xgft:m=4:4:4,w=1:1:1")):
            self.assertEqual(self.read(self.configuration(**settings))[:2], self.read(spec)[:2])

    def test_as_generated(self):
        """Routings of the family take it, at the rates that the fabric is given."""
        path = self.configuration(topology="torus", k=4, n=2)
        self.assertIn("torus:dims=4:4", self.ok("topo", path))
        for spec in (path, f"file:{path},link_rate=200Gb/s,host_rate=50Gb/s,latency=20ns,host_latency=1us", f"file:{path},latency=0,fail=3%"):
            self.ok("topo", spec)
        self.assertIn("deadlock-free", self.ok("check", path, "-r", "dor", "--vc", "dateline"))
        said = self.json("topo", f"file:{path},link_rate=200Gb/s,host_rate=50Gb/s,latency=20ns,host_latency=1us")
        self.assertEqual(sorted((link["rate_bps"], link["latency_ps"]) for link in said["links_by_rate"]), [(50 * 10**9, 10**6), (200 * 10**9, 20000)])
        self.assertEqual(said["spec"], "torus:dims=4:4,link_rate=200 Gb/s,host_rate=50 Gb/s,latency=20 ns,host_latency=1 us")

    def test_anynet(self):
        folder = self.tmp / "runs"
        folder.mkdir()
        (folder / "links").write_text("router 0 node 0 router 1 3\nrouter 1 node 1\n")
        (folder / "config").write_text("topology = anynet;\nnetwork_file = links;\n")
        links, hosts, _ = self.read(folder / "config")
        self.assertEqual((links, hosts), (collections.Counter({(0, 1): 1, (1, 0): 1}), [0, 1]))
        (folder / "config").write_text(f"topology = anynet;\nnetwork_file = {folder}/links;\n")
        self.assertEqual(self.read(folder / "config")[0], links)
        (folder / "links").write_text("router 0 node\n")
        self.refused("topo", folder / "config", says=("runs/links:1:", "the number of a node"))
        for name in ("nothing", ".", "/dev/zero"):
            (folder / "config").write_text(f"topology = anynet;\nnetwork_file = {name};\n")
            self.refused("topo", folder / "config", says=("config:2:16", "network_file", "folder of the configuration"))

    def test_findings(self):
        path = self.put("topology = torus; k = 4;\nc = 2;\nnum_vcs = 2; num_vcs = 4;\ninjection_rate = {0.1,.2}; latency_thres = -1e3; //k = 9;\n")
        said = self.findings(path)
        self.assertIn("3 settings, which are not of the fabric, were not read: num_vcs, injection_rate, latency_thres", said["ignored-settings"])
        self.assertIn("docs/booksim.md", said["ignored-settings"])
        self.assertIn("c = 2 has no effect", said["unused-setting"])
        self.assertIn("n = 2", said["assumed-settings"])
        self.assertIn("two cycles", said["channel-latencies"])
        many = self.put("topology = mesh;\n" + "".join(f"setting_{i} = {i};\n" for i in range(100)))
        self.assertIn("setting_11, …", self.findings(many)["ignored-settings"])
        self.assertIn("100 settings", self.findings(many)["ignored-settings"])
        self.assertEqual(sorted(self.findings(self.configuration(topology="mesh", k=3, n=2))), [])
        self.assertIn("host-numbers", self.findings(self.configuration(topology="flatfly", k=3, n=2, c=2)))
        self.assertIn("p=4", self.findings(self.configuration(topology="cmesh", k=4, n=2, c=4))["express-channels"])

    def test_refused(self):
        for text, says in (("topology = mesh", (":1:16", "';'", "cut off")), ("topology = mesh;\nk = ;", (":2:5", "a value")), ("topology mesh;", (":1:10", "'='")),
                           ("topology = mesh;\nk = -8;", (":2:5", "k: expected a whole number")), ("topology = mesh; k = 8.5;", ("k: expected",)),
                           ("topology = mesh;\nk = 99999999999999999999;", (":2:5", "2147483647")), ("topology = mesh;\n}", (":2:1", "the name of a setting", "topology = torus;")),
                           ("topology = mesh; k = 3; n = 17;", ("n = 17 is not read", "1 to 16")), ("topology = mesh; k = 0;", ("k = 0",)), ("topology = mesh; n = 0;", ("n = 0",)),
                           ("topology = mesh;\nk = 4000; n = 2;", (":1:12", "16000000 switches", "512 MiB", "a spec")), ("topology = mesh; k = 2000000000; n = 16;", (":1:12", "out of range")),
                           ("topology = dragonflynew; k = 4000; n = 1;", ("switches", "ports")), ("topology = fattree; k = 60000; n = 16;", ("65535 ports",)),
                           ("topology = flatfly; k = 2; n = 1; c = 100000;", ("65535",)), ("topology = flatfly; k = 2; n = 5;", ("n = 5", "1 to 4")), ("topology = flatfly; c = 0;", ("c = 0",)),
                           ("topology = cmesh; k = 5; c = 4;", (":1:23", "an even k")), ("topology = cmesh; k = 2000; c = 4;", ("up to 1000",)), ("topology = cmesh; k = 4;", ("c = 1", "c = 4;")),
                           ("topology = fly; k = 100000; n = 1;", (":1:12", "65535")), ("topology = fly; k = 2;", ("n = 2", "fattree")), ("topology = qtree;", ("k = 4; and n = 3;",)), ("topology = tree4; k = 4; n = 3;", ("xgft:m=4:4:4,w=1:2:4",)),
                           ("topology = dragonflynew; k = 2;", ("n = 1;",)), ("topology = gnutella; k = 2;", (":1:12", "'gnutella'", "anynet")), ("topology = anynet; k = 2;", ("network_file = FILE;",)),
                           ("k = 4; n = 3;", ("no setting topology", "topology = torus;")), ("topology = mesh; subnets = 2;", (":1:28", "subnets = 1;")),
                           ("topology = mesh; link_failures = 1;", (":1:34", "fail=3%")), (b"topology = mesh; k = 4;\0", ("byte 0x00",)), ("topology = " + "x" * 100000 + ";", ("no topology 'xxx",))):
            with self.subTest(text=text[:60]):
                self.refused("topo", self.put(text), says=says)

    def test_damaged(self):
        """Every cut of a file, and bytes changed at random, end with a network or a refusal."""
        good = (CORPUS / "torus").read_bytes()
        rng = random.Random(1)
        for case in [good[:i] for i in range(0, len(good), 3)] + [bytes(rng.choice(b" =;/k9{\n-.\xff") if rng.random() < .05 else c for c in good) for _ in range(60)]:
            self.assertIn(run("topo", "file:" + str(self.put(case)) + ",format=booksim").returncode, (0, 2), case)

    def test_corpus(self):
        for path in sorted(CORPUS.iterdir()):
            self.ok("topo", path)


if __name__ == "__main__":
    unittest.main()
