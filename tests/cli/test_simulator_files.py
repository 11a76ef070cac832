#!/usr/bin/env python3
"""Configurations of CODES and scripts of SST with Merlin: the network of each model, as the simulators' sources build it, and
what is refused. Expected links are computed here as the sources do it, router by router."""
import collections
import itertools
import json
import random
import struct
import unittest

from harness import SOURCE, CliTest, run

CORPUS = SOURCE / "tests" / "fuzz" / "corpus"
GIB = 8 * 1024**3


def both(links):
    counted = collections.Counter()
    for a, b in links:
        counted.update(((a, b), (b, a)))
    return counted


def place(number, dims):
    out = []
    for d in dims:
        out.append(number % d)
        number //= d
    return out


def number(at, dims):
    out = 0
    for x, d in reversed(list(zip(at, dims))):
        out = out * d + x
    return out


def codes_dragonfly(a):
    """Every router's global channels."""
    h, links = a // 2, collections.Counter()
    groups = a * h + 1
    for router in range(groups * a):
        group, s = divmod(router, a)
        links.update((router, group * a + t) for t in range(a) if t != s)
        for i in range(h):
            target = s + i * a
            if target == group:
                target = groups - 1
            mine = target % a if group == groups - 1 else group % a
            links[router, target * a + mine] += 1
    return links, groups * a, h


def codes_slimfly(q, x_set, prime):
    links, half = collections.Counter(), q * q
    for a in range(2 * half):
        for b in range(2 * half):
            (s, i, j), (t, k, m) = ((n // half, n % half // q, n % q) for n in (a, b))
            if s == t and i == k:
                links[a, b] += sum(abs(j - m) == x for x in (prime if s else x_set))
            if (s, t) == (0, 1):
                links[a, b] += j == (k * i + m) % q
            if (s, t) == (1, 0):
                links[a, b] += m == (i * k + j) % q
    return +links


def codes_fattree(switches, radix, taper):
    """Up ports of levels 0 and 1, of three levels."""
    half, up, links = radix // 2, radix // (taper + 1), []
    pods = switches // half
    repeat = radix // pods
    while up % repeat:
        repeat -= 1
    for edge in range(switches):
        links += [(edge, switches + edge // half * up + x) for x in range(up)]
    for middle in range(pods * up):
        links += [(switches + middle, switches + pods * up + middle % up // repeat * half + off) for off in range(half)]
    return both(links), taper * up, switches + pods * up


def merlin_pairs(named):
    """Links are those whose two ends give them the same name."""
    ends = collections.defaultdict(list)
    for name, router in named:
        ends[name].append(router)
    assert all(len(e) == 2 for e in ends.values())
    return both(ends.values())


def merlin_grid(dims, width, wrap):
    named = []
    for at in range(len(list(itertools.product(*map(range, dims))))):
        here = place(at, dims)
        for d, size in enumerate(dims):
            for step in (1, -1):
                there = list(here)
                there[d] = (here[d] + step) % size
                if (0 <= here[d] + step < size or wrap) and size > 1:
                    ends = (tuple(here), tuple(there)) if step == 1 else (tuple(there), tuple(here))
                    named += [((ends, c), at) for c in range(width[d])]
    return merlin_pairs(named)


def merlin_hyperx(dims, width):
    count = len(list(itertools.product(*map(range, dims))))
    links = collections.Counter()
    for a, b in itertools.permutations(range(count), 2):
        differ = [d for d in range(len(dims)) if place(a, dims)[d] != place(b, dims)[d]]
        if len(differ) == 1:
            links[a, b] = width[differ[0]]
    return links


def merlin_dragonfly(routers, between, groups, inside, relative):
    others, named = groups - 1, []
    per = (others * between + routers - 1) // routers
    skip = routers - (per * routers - others * between)
    table, count = {}, 0
    for r in range(routers):
        for p in range(per - (r >= skip)):
            table[r, p] = count
            count += 1
    for g in range(groups):
        for r in range(routers):
            at = g * routers + r
            named += [((g, min(r, t), max(r, t), s), at) for t in range(routers) if t != r for s in range(inside)]
            for p in range(per):
                if (r, p) in table:
                    link, to = divmod(table[r, p], others)
                    to = (to + g + 1) % groups if relative else to + (to >= g)
                    named.append((("global", min(g, to), max(g, to), link), at))
    return merlin_pairs(named)


def merlin_fattree(shape):
    """Switches by level and number: switch j of a group above leads to router j modulo the routers of each group below."""
    down = [int(level.split(",")[0]) for level in shape.split(":")]
    up = [int(level.split(",")[1]) for level in shape.split(":") if "," in level]
    counts = [0] * len(down)
    counts[0] = 1
    for d in down[1:]:
        counts[0] *= d
    for i in range(1, len(down)):
        counts[i] = counts[i - 1] * up[i - 1] // down[i]
    starts = [sum(counts[:i]) for i in range(len(down))]
    groups = [1] * (len(down) + 1)
    for i in range(len(down) - 2, -1, -1):
        groups[i] = groups[i + 1] * down[i + 1]
    links = []
    for level in range(1, len(down)):
        above, below = counts[level] // groups[level], counts[level - 1] // groups[level - 1]
        for group in range(groups[level]):
            for j in range(above):
                links += [(starts[level] + group * above + j, starts[level - 1] + (group * down[level] + i) * below + j % below) for i in range(down[level])]
    return both(links), down[0], starts[-1]


class SimulatorFiles(CliTest):
    def put(self, text, name="config"):
        path = self.tmp / name
        path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)
        return path

    def codes(self, model, **settings):
        lines = "".join(f'{name.replace("__", "-")}="{value}";\n' for name, value in settings.items())
        return self.put(f'PARAMS {{ modelnet_order=( "{model}" );\n{lines}}}\n')

    def merlin(self, topology, **settings):
        lines = "".join(f"topo.{name} = {value!r}\n" for name, value in settings.items())
        return self.put(f"import sst\nfrom sst.merlin.topology import *\ntopo = {topology}()\n{lines}", "script.py")

    def read(self, path):
        """Channels between switches, and the switches of every host."""
        out = self.tmp / "read.json"
        self.ok("topo", path, "--format", "json", "-o", out)
        fabric = json.loads(out.read_text())
        switches, links, hosts = len(fabric["switches"]), [], collections.defaultdict(list)
        for near, _, far, _ in (link[:4] for link in fabric["links"]):
            near, far = min(near, far), max(near, far)
            links.append((near, far)) if far < switches else hosts[far - switches].append(near)
        return both(links), [sorted(hosts[i]) for i in range(len(hosts))]

    def same(self, path, links, hosts, top=None):
        """From switch `top` on, the numbers may be others."""
        got, at = self.read(path)
        if top is not None:
            got, links = (self.without_numbers(x, top) for x in (got, links))
        self.assertEqual(got, links)
        self.assertEqual(at, hosts)

    def without_numbers(self, links, top):
        below = collections.defaultdict(list)
        for (a, b), n in links.items():
            if a >= top:
                below[a] += [b] * n
        return ({pair: n for pair, n in links.items() if max(pair) < top}, collections.Counter(tuple(sorted(b)) for b in below.values()))

    def findings(self, path):
        return {f["code"]: f["text"] for f in self.json("topo", path)["findings"]}

    def size(self, path):
        said = self.json("topo", path)
        return said["hosts"], said["switches"], said["switch_links"]

    def test_codes_direct(self):
        for a in (2, 3, 4, 8):
            links, routers, per = codes_dragonfly(a)
            self.same(self.codes("dragonfly", num_routers=a), links, [[r] for r in range(routers) for _ in range(per)])
        for q, x, prime in ((5, (1, 4), (2, 3)), (13, (1, 10, 9, 12, 3, 4), (6, 8, 2, 7, 5, 11))):
            path = self.put(f'PARAMS {{ modelnet_order=("slimfly"); num_routers="{q}"; num_terminals="3"; generator_set_X=({",".join(f"{n!r}" for n in map(str, x))}); '
                            f'generator_set_X_prime=({",".join(map(str, prime))}); }}'.replace("'", '"').replace(f'({",".join(map(str, prime))})', f'("{",".join(map(str, prime))}")'))
            self.same(path, codes_slimfly(q, x, prime), [[r] for r in range(2 * q * q) for _ in range(3)])
        links, hosts = self.read(CORPUS / "codes" / "slimfly")  # two rails, of which the second has the hosts in reverse
        one = codes_slimfly(5, (1, 4), (2, 3))
        self.assertEqual(links, one + collections.Counter({(a + 50, b + 50): n for (a, b), n in one.items()}))
        self.assertEqual(hosts, [[r, 50 + 49 - r] for r in range(50) for _ in range(2)])
        self.assertEqual(self.size(self.codes("torus", n_dims=3, dim_length="4,4,2")), (32, 32, 80))
        self.assertEqual(self.size(self.codes("express_mesh", n_dims=3, dim_length="4,4,4", num_cn=3, gap=1)), (192, 64, 288))
        self.same(self.codes("torus", n_dims=2, dim_length="3,4"), merlin_grid((3, 4), (1, 1), True), [[i] for i in range(12)])

    def test_codes_trees(self):
        for switches, radix, taper in ((32, 8, 1), (16, 8, 1), (9, 6, 2), (8, 4, 1), (6, 6, 1), (198, 36, 1)):
            links, per, top = codes_fattree(switches, radix, taper)
            path = self.codes("fattree", num_levels=3, switch_count=switches, switch_radix=radix, tapering=taper)
            self.same(path, links, [[e] for e in range(switches) for _ in range(per)], top)
        self.assertEqual(self.size(path), (3564, 504, 7128))  # Summit
        links, per, _ = codes_fattree(9, 6, 2)
        got, hosts = self.read(CORPUS / "codes" / "fattree")
        self.assertEqual(got, links + collections.Counter({(a + 18, b + 18): n for (a, b), n in links.items()}))
        self.assertEqual(hosts, [[e, e + 18] for e in range(9) for _ in range(per)])
        self.assertEqual(self.read(self.codes("fattree", num_levels=2, switch_count=4, switch_radix=8))[0], both([(e, 4 + t) for e in range(4) for t in range(2)] * 2))
        self.assertEqual(self.size(self.codes("fattree", num_levels=3, switch_count=252, switch_radix=36, num_rails=2)), (4536, 1332, 18144))

    def channels(self, name, ints, pairs, extra=()):
        records = [p + extra for p in pairs] + [p[::-1] + extra for p in pairs]
        random.Random(1).shuffle(records)
        (self.tmp / name).write_bytes(b"".join(struct.pack(f"<{ints}i", *r) for r in records))

    def test_codes_files(self):
        """Dragonflies whose channels are in files: dally and custom with a type per record within groups, plus without."""
        self.channels("inter", 2, [(1, 5), (2, 8), (4, 10), (4, 10)])
        for model, sizes, ints, hosts_on in (("dragonfly_dally", {"num_routers": 4}, 3, 4), ("dragonfly_custom", {"num_router_rows": 2, "num_router_cols": 2}, 3, 4),
                                             ("dragonfly_plus", {"num_router_leaf": 2, "num_router_spine": 2}, 2, 2)):
            self.channels("intra", ints, [(0, 2), (1, 2), (1, 3), (1, 3)], (1,) * (ints - 2))
            for intra in ("intra", "../somewhere/intra", self.tmp / "intra"):
                path = self.codes(model, num_groups=3, num_cns_per_router=2, intra__group__connections=intra, inter__group__connections="inter", **sizes)
                links = both([(4 * g + a, 4 * g + b) for g in range(3) for a, b in ((0, 2), (1, 2), (1, 3), (1, 3))] + [(1, 5), (2, 8), (4, 10), (4, 10)])
                self.same(path, links, [[4 * g + r] for g in range(3) for r in range(hosts_on) for _ in range(2)])
        for data in (b"", b"\0" * 8, struct.pack("<4i", 0, 1, 1, 0)[:-1], struct.pack("<2i", 0, 1) * 2, struct.pack("<4i", 0, 12, 12, 0), struct.pack("<4i", 0, 0, 0, 0)):
            (self.tmp / "inter").write_bytes(data)
            self.refused("topo", path, says=("inter-group-connections is not one of records of 2 numbers", "both directions"))
        (self.tmp / "inter").unlink()
        self.refused("topo", path, says=("inter-group-connections is not there", "folder of the configuration"))

    def test_codes_rates(self):
        def rates(path):
            return sorted((x["rate_bps"], x["switch_links"], x["host_links"]) for x in self.json("topo", path)["links_by_rate"])
        path = self.codes("dragonfly", num_routers=4, local_bandwidth=5.25, global_bandwidth=4.7, cn_bandwidth=16)
        self.assertEqual(rates(path), [(round(4.7 * GIB), 36, 0), (round(5.25 * GIB), 54, 0), (16 * GIB, 0, 72)])
        self.assertNotIn("assumed-rate", self.findings(path))
        self.assertIn("links to hosts", self.findings(CORPUS / "codes" / "torus")["assumed-rate"])
        self.assertNotIn("slow-link", self.findings(path))  # global links are meant to be so
        written = self.tmp / "written.json"
        self.ok("topo", path, "--format", "json", "-o", written)
        self.assertNotIn("slow-link", self.findings(written))
        written.write_text(written.read_text().replace('"rates_meant": true', '"rates_meant": 1'))
        self.refused("topo", written, says=("rates_meant", "neither true nor false"))
        self.assertEqual(rates(self.codes("fattree", num_levels=3, switch_count=8, switch_radix=4, link_bandwidth=12.5, cn_bandwidth=6)), [(48 * 10**9, 0, 16), (10**11, 32, 0)])
        said = self.json("topo", CORPUS / "codes" / "express.yaml")
        self.assertEqual(said["spec"], "hyperx:dims=3:4,p=2,host_rate=12.884901888 Gb/s")
        self.assertEqual(self.json("topo", f"file:{CORPUS}/codes/torus,host_rate=25Gb/s,latency=50ns")["links_by_rate"][0]["rate_bps"], 25 * 10**9)

    def test_merlin(self):
        for dims, width, per in (((3, 4), (1, 1), 2), ((4, 2), (1, 1), 1), ((2, 2, 2), (1, 2, 1), 1), ((5,), (3,), 2), ((1, 3), (1, 1), 1)):
            settings = {"shape": "x".join(map(str, dims)), "width": "x".join(map(str, width)), "local_ports": per}
            hosts = [[i // per] for i in range(len(list(itertools.product(*map(range, dims)))) * per)]
            self.same(self.merlin("topoTorus", **settings), merlin_grid(dims, width, True), hosts)
            self.same(self.merlin("topoMesh", **settings), merlin_grid(dims, width, False), hosts)
            self.same(self.merlin("topoHyperX", **settings), merlin_hyperx(dims, width), hosts)
        for routers, between, groups, inside, relative in ((8, 4, 5, 1, False), (4, 1, 9, 1, False), (3, 2, 3, 2, True), (3, 2, 4, 1, False), (3, 2, 4, 1, True), (2, 3, 1, 1, False)):
            path = self.merlin("topoDragonFly", hosts_per_router=2, routers_per_group=routers, intergroup_links=between, num_groups=groups, intragroup_links=inside,
                               global_routes="relative" if relative else "absolute")
            self.same(path, merlin_dragonfly(routers, between, groups, inside, relative), [[i // 2] for i in range(2 * routers * groups)])
        for shape in ("4,4:4,4:8", "8,8:8,8:4", "2,2:3,4:2", "3,2:4", "2,1:2,2:3,1:2"):
            links, per, top = merlin_fattree(shape)
            path = self.merlin("topoFatTree", shape=shape)
            got, hosts = self.read(path)
            self.assertEqual(sum(got.values()), sum(links.values()))
            self.assertEqual(hosts, [[i // per] for i in range(len(hosts))])
            if shape.count(":") < 3:
                self.same(path, links, hosts, top)
        self.assertEqual(self.size(self.merlin("topoSingle", num_ports=6)), (6, 1, 0))

    def test_published_sizes(self):
        """Of the examples of both repositories, by the formulas of their sources: hosts, switches, links between switches."""
        for topology, settings, size in (("topoDragonFly", {"hosts_per_router": 4, "routers_per_group": 8, "intergroup_links": 4, "num_groups": 5}, (160, 40, 5 * 28 + 10 * 4)),
                                         ("topoHyperX", {"shape": "4x4", "width": "2x2", "local_ports": 8}, (128, 16, 16 * 6 * 2 // 2)), ("topoFatTree", {"shape": "4,4:4,4:8"}, (128, 80, 256)),
                                         ("topoTorus", {"shape": "4x4x4", "width": "1x1x1", "local_ports": 2}, (128, 64, 192))):
            self.assertEqual(self.size(self.merlin(topology, **settings)), size)
        self.assertEqual(self.size(self.codes("dragonfly", num_routers=10)), (2550, 510, 51 * 45 + 51 * 25))

    def test_merlin_text(self):
        said = self.json("topo", CORPUS / "merlin" / "torus.py")
        self.assertEqual(said["spec"], "torus:dims=3:4,p=2,link_rate=32 Gb/s,host_rate=21.47483648 Gb/s,latency=20 ns")
        self.assertIn("1 setting, which is not of the fabric, was not read: flit_size", {f["code"]: f["text"] for f in said["findings"]}["ignored-settings"])
        said = self.json("topo", CORPUS / "merlin" / "dragonfly.py")
        self.assertEqual([(x["rate_bps"], x["latency_ps"]) for x in said["links_by_rate"]], [(32 * 10**9, 20000), (24 * 10**9, 5000)])
        self.assertIn("1 setting, which is not of the fabric, was not read: xbar_bw", self.findings(CORPUS / "merlin" / "dragonfly.py")["ignored-settings"])
        said = self.json("topo", CORPUS / "merlin" / "platform.py")
        self.assertEqual(said["spec"], "hyperx:dims=2:3,p=4,k=2:1,link_rate=32 Gb/s,host_rate=8 Gb/s,latency=1 us")
        head = "import sst\nfrom sst.merlin import *\ntopo = topoTorus()\ntopo.local_ports = 1\n"
        for text, says in (("topo.shape = '3x4'  # topo.shape = '9'\nx = 3\n", None), ("topo.shape = shape\n", ("5:14", "computed", "the value itself")),
                           ("topo.shape = '3' + 'x3'\n", ("computed",)), ("topo.shape = '3x4'\ntopo.width = '1'\n", ("6:14", "2 numbers, and width 1")),
                           ("topo.shape = '0x4'\n", ("5:14", "impossible")), ("topo.shape = '3xa'\n", ("5:14", "no list", "4,4,2")), ("", ("no setting shape",)),
                           ("topo.shape = '3x4'\ntopo.link_latency = '4m'\n", ("6:21", "no time", "20ns")), ("topo.shape = '3x4'\nr.link_bw = '4GHz'\n", ("6:13", "no rate")),
                           ("topo.shape = '3000x4000'\n", ("3:8", "512 MiB")), ("topo = topoMesh()\n", ("5:8", "several topologies", "topoMesh is the last")),
                           ("topo.shape = '3x4'; topo.width = '1x1' # it's\n", None), ("topo.addParams({'shape': '3x4', 'width': '1x1'})\n", None), ("\"\"\"\ntopo = topoMesh()\n\"\"\"\ntopo.shape = '3x4'\n", None),
                           ("topo.name = '\\'#'; topo.shape = '3x4'\n", None), ("topo.shape = '3x4'\ntopo.local_ports += 1\n", ("6:21", "local_ports is computed")), ("topo.shape = '3x4'\ntopo.local_ports = -3\n", ("'-3' is not read",)),
                           ("if x:\n    topo.shape = '3x4'\nelse:\n    topo.shape = '4x4'\n", ("8:18", "shape has other values", "leave one of them")), ("topo.shape = '9'\nif x: topo.shape = '3x4'\n", ("6:20", "shape has other values")), ("topo.shape = '9'\ntopo.shape = '3x4'\n", None),
                           ("x = '" + "\\'" * 400000 + "\ntopo.shape = '3x4'\n", None), ("x.a=" * 200000 + "\ntopo.shape = '3x4'\n", None), ("x=" * 200000 + "\ntopo.shape = '3x4'\n", None),
                           ("if x:\n    topo.shape = '3x4'\nelse:\n    topo.shape = '3x4'\n", None), ("topo.shape = '3x4'\nt = topoTorus()\nt.shape = '9'\n", ("7:11", "another network")), ("topo.shape = '3x4'\nt = topoTorus()\n", None)):
            with self.subTest(text=text):
                path = self.put(head + text, "script.py")
                self.refused("topo", path, says=says) if says else self.assertEqual(self.size(path), (12, 12, 24))
        # What sets a value in another way is read, or refused where the network needs the value: it is never passed over.
        before, unread = head + "topo.shape = '9'\n", ("shape is computed or deleted",)
        for text, says in (("setattr(topo, 'shape', '3x4')\n", None), ("topo.__setattr__('shape', '3x4')\n", None), ("setattr(topo, name, '3x4')\n", (":6:9", "setattr with a name")), ("if x: setattr(topo, 'shape', '3x4')\n", ("other values",)),
                           ("setattr(topo, 'shape', f())\n", unread), ("del topo.shape\n", unread), ("del x, topo['shape']\n", unread), ("del topo.shape\ntopo.shape = '3x4'\n", ("other values",)),
                           ("topo.shape, topo.width = '3x4', '1x1'\n", unread), ("(x, (topo.shape)) = y\n", unread), ("x = 1; [*topo.shape, y] = z\n", unread), ("a.b = topo.shape, y = z\n", unread),
                           ("topo.shape: str = '3x4'\n", unread), ("for topo.shape in ('3x4', '9'): pass\n", unread), ("topo.shape = \\\n  '3x4'\n", unread), ("topo.shape \\\n  = '3x4'\n", unread), ("topo.shape |= '3x4'\n", unread),
                           ("f(topo).shape = '3x4'\n", ("other values",)), ("x[0].shape = '3x4'\n", ("other values",)), ("vars(topo)['shape'] = '3x4'\n", ("other values",)), ("topo.__dict__['shape'] = '3x4'\n", None), ("x.y[0]['shape'] = '3x4'\n", ("other values",)),
                           ("topo.addParams(dict(shape='3x4'))\n", unread), ("exec(\"topo.shape = '3x4'\")\n", ("6:1", "exec runs")), ("topo.setShape('3x4', '1x1', 1)\n", None), ("topo.setShape(local_ports=1, shape='3x4', width='1x1')\n", None),
                           ("topo.setShape(s, '1x1', 1)\n", unread), ("if x: topo.setShape('3x4', '1x1', 1)\n", ("other values",)),
                           ("v = '3x4'\ntopo.shape = v\n", None), ("topo.shape = v\nif x:\n    v = '3x4' # v = 3\n", None), ("v = '3x4'\nv = '9'\ntopo.shape = v\n", unread), ("v = '3x4'\nv += 'x9'\ntopo.shape = v\n", unread),
                           ("v = '3x4'\ndef f(a, v):\n    topo.shape = v\n", ("shape",)), ("v = '3x4'\nfor v in y:\n    pass\ntopo.shape = v\n", unread), ("v = '3x4'\nv, x = y\ntopo.shape = v\n", unread), ("v = '3x4'\nfrom x import v\ntopo.shape = v\n", unread),
                           ("v = '3x4'\nwith x as v: pass\ntopo.shape = v\n", unread), ("v = '3x4'\nx = lambda v: 3\ntopo.shape = v\n", unread), ("v = '3x4'\ndel v\ntopo.shape = v\n", unread), ("v: str = '3x4'\ntopo.shape = v\n", unread),
                           ("if x: \\\ntopo.shape = '3x4'\n", ("other values",)), ("with f() as topo.shape: pass\n", unread), ("(topo.shape) = '3x4'\n", unread), ("topo . shape = '3x4'\n", ("other values",)), ("topo. shape = '3x4'\n", ("other values",)),
                           ("[0 for topo.shape in ['3x4']]\n", unread), ("topo.__dict__.update(\n  a=1,\n  shape='3x4')\n", unread), ("x = 'a \\\ntopo.shape = 3;\\\n'\ntopo.shape = '3x4'\n", None), ("T = topoMesh\nt = T()\n", (":6:5", "another name: topoMesh")),
                           *((f"v = '3x4'\n{line}\ntopo.shape = v\n", unread) for line in ("if x == 2: v = '9'", "if f(x): v = '9'", "f(); v = '9'", "x = v = '9'", "with f('x') as v: pass", "for (x, v) in y: pass", "(x, v) = y", "(v, x) = y", "[v] = y",
                                                                                         "if (v := '9') == x: pass", "f(" + "v," * 60000 + "x)")),
                           ("v = '3x4'\nx = f(v, a=v, b=3) + g[v == 3]; y = 3\nfor i in range(v): pass\ntopo.shape = v\n", None),
                           ("topo.shape == '3x5'\nif topo.width == 3: print(topo.shape, topo.width)\ntopo.shape = '3x4'\n", None), ("x = topo.shape[1:2]\nf(a, b=3)\ntopo.shape = '3x4'\n", None),
                           ("a.v = v\n" * 300000 + "topo.shape = '3x4'\n", None), ("v = v; " * 200000 + "\ntopo.local_ports = v\n", ("local_ports is computed",)), ("(" * 400000 + "\ntopo.shape = '3x4'\n", None), ("f(v, a=" * 100000 + "\ntopo.shape = '3x4'\n", None)):
            with self.subTest(text=text[:200]):
                path = self.put(before + text, "script.py")
                self.refused("topo", path, says=says) if says else self.assertEqual(self.size(path), (12, 12, 24))
        first = "v = '3x4'\n" + before + "topo.shape = v\n"
        self.assertEqual(self.size(self.put(first, "script.py")), (12, 12, 24))
        self.refused("topo", self.put(first + "if x:\n    v = '9'\n", "script.py"), says=unread)
        head = "import sst\nfrom sst.merlin import *\n"
        for text, says in (("t = topoPolarFly(q=4)\n", (42, 21)), ("t = topoPolarFly(4)\nt.hosts_per_router = 3\n", (63, 21)), ("size = 4\nt = topoPolarFly(q = size)\n", (42, 21)), ("t = topoPolarFly(N=100)\n", (":3:20", "give the prime power")), ("t = topoPolarFly(q=6)\n", (":3:5", "q")),
                           ("t = topoPolarFly()\n", ("no setting q",)), ("t = topoPolarFly(4)\nt.failed_links = 'x'\n", ("failed links",)), ("t = topoPolarStar(d=3)\n", ("topoPolarStar is not read", "--output-json")),
                           ("t = topoDragonFly()\nt.setShape(2, 4, 1, 5)\n", (40, 20)), ("t = topoDragonFly()\nt.setShape(2, router_per_group=4, intergroup_links=1, num_groups=5)\n", (40, 20))):
            with self.subTest(text=text):
                path = self.put(head + text, "script.py")
                self.refused("topo", path, says=says) if isinstance(says[0], str) else self.assertEqual(self.size(path)[:2], says)
        self.refused("topo", self.put("import sst\nimport sst.merlin\n", "script.py"), says=("names no topology",))
        self.refused("topo", self.put("import sst\nimport sst.merlin\n# topoMesh()\nt = topoAny()\n", "script.py"), says=(":4:5", "topoAny is not read", "topoHyperX"))
        self.assertIn("no rate of links between switches and to hosts", self.findings(self.merlin("topoSingle", num_ports=6))["assumed-rate"])
        self.refused("topo", self.merlin("topoDragonFly", hosts_per_router=1, routers_per_group=2, intergroup_links=1, num_groups=3, failed_links="x"), says=(":8:", "failed links", "fail="))
        self.refused("topo", self.merlin("topoDragonFly", hosts_per_router=60000, routers_per_group=60000, intergroup_links=1, num_groups=60000), says=("too many for a file",))

    def test_sst(self):
        """The graph that SST writes of a network: what its script describes, link by link."""
        said = self.json("topo", SOURCE / "data/hyperx3x2.sst.json")
        self.assertEqual([(x["rate_bps"], x["latency_ps"], x["switch_links"], x["host_links"]) for x in said["links_by_rate"]], [(32 * 10**9, 20000, 12, 0), (24 * 10**9, 5000, 0, 12)])
        edges = [collections.Counter(tuple(sorted(line.split()[:2])) for line in self.written(x).splitlines() if line[:1] != "#") for x in (SOURCE / "data/hyperx3x2.sst.json", "hyperx:dims=3:2,p=2,k=1:2")]
        self.assertEqual(*edges)
        good = {"components": [*({"name": f"r:{i}", "type": "merlin.hr_router", "params_shared_sets": ["x", "all"], "params": {"num_ports": "4", "id": str(1 - i)}} for i in range(2)), {"name": "cpu", "type": "a.core"},
                               {"name": "n", "type": "a.nic", "subcomponents": [{"slot_name": "i", "slot_number": 1, "type": "b", "subcomponents": [{"slot_name": "lc", "slot_number": 0, "type": "merlin.linkcontrol", "params": {"link_bw": "1GB/s"}}]}]}],
                "shared_params": {"all": {"link_bw": "4GB/s", "link_bw:host": "2GB/s"}}, "links": []}

        def link(a, pa, b, pb, latency="20ns", far="20ns"):
            return {"left": {"component": a, "port": pa, "latency": latency}, "right": {"component": b, "port": pb, "latency": far}}
        good["links"] = [link("r:0", "port3", "r:1", "port0"), link("n:i[1]:lc[0]", "rtr_port", "r:1", "port1", "1us", "2us"), link("cpu", "a", "n", "b")]
        said = self.json("topo", self.put(json.dumps(good), "net.json"))
        self.assertEqual([(x["rate_bps"], x["latency_ps"]) for x in said["links_by_rate"]], [(32 * 10**9, 20000), (8 * 10**9, 2 * 10**6)])
        found = {f["code"]: f["text"] for f in said["findings"]}
        self.assertIn("1 link has another latency", found["uneven-latency"])
        self.assertIn("1 component that no router has a link to, and 1 link without a router", found["other-components"])
        written = json.loads(self.written(self.put(json.dumps(good), "net.json"), "json"))
        self.assertEqual([[s["name"], s["ports"]] for s in written["switches"]], [["r:1", 4], ["r:0", 4]])

        def changed(change):
            bad = json.loads(json.dumps(good))
            change(bad)
            return self.put(json.dumps(bad, indent=1), "net.json")
        parts, links = (lambda d: d["components"]), (lambda d: d["links"])
        for change, says in ((lambda d: parts(d).append({"name": "cpu", "type": "x"}), ("two components 'cpu'",)), (lambda d: parts(d).append({"name": "x"}), ("no type",)), (lambda d: parts(d)[0]["params"].update(num_ports="x"), (":3:", "num_ports of 'r:0' is 'x'")),
                             (lambda d: links(d)[0]["left"].pop("port"), ("the left end", "lacks")), (lambda d: links(d)[0]["right"].update(component="r:2"), ("no component 'r:2'",)), (lambda d: links(d)[1]["left"].update(component="n:i[0]"), ("no component 'n:i[0]'",)),
                             (lambda d: links(d)[0]["left"].update(port="north"), ("'north' is no port", "port0")), (lambda d: links(d)[0]["left"].update(port="port99999"), ("is no port",)), (lambda d: links(d)[0]["left"].update(latency="20"), None), (lambda d: links(d)[0]["left"].update(latency="x"), ("'x' is not read",)),
                             (lambda d: links(d)[0].update(right={"rank": 1, "thread": 0}), ("rank 1", "--parallel-output")), (lambda d: d["shared_params"]["all"].update(link_bw="4GHz"), ("link_bw of 'r:0' is '4GHz'",)), (lambda d: d.update(components=parts(d)[2:]), ("no component is a merlin.hr_router",)),
                             (lambda d: links(d).append(link("r:0", "port3", "r:1", "port3")), ("port",)), (lambda d: d.update(components=None), ("no list of components", "--output-json")), (lambda d: d.pop("links"), ("no list of", "links", "--output-json")),
                             (lambda d: d["components"][0]["params"].update(num_ports=4), ("num_ports of", "is no text")), (lambda d: links(d).append(link("r:0", "port1", "r:0", "port2")), None)):
            path = changed(change)
            with self.subTest(says=says):
                self.refused("topo", f"file:{path},format=sst", says=says) if says else self.ok("topo", path)

    def written(self, spec, form="edges"):
        out = self.tmp / f"written.{form}"
        out.unlink(missing_ok=True)
        self.ok("topo", spec, "-o", out)
        return out.read_text()

    def test_codes_yaml(self):
        """Mappings that are too deep, included topologies, planes and gaps."""
        deep = "".join("  " * i + "  a:\n" for i in range(3, 14)) + "  " * 15 + "n: 1\n"
        path = self.put("schema_version: 1\ntopology:\n  fabric:\n    model: torus\n    shape: {n_dims: 1, dim_length: [12]}\n    b:\n" + deep, "a.yaml")
        self.refused("topo", path, says=("a.yaml:14:", "mapping at depth", "up to 8"))
        path = self.put("schema_version: 1\ntopology:\n  fabric:\n    model: torus\n    shape: {n_dims: 2, dim_length: [[3], 4]}\n", "a.yaml")
        self.refused("topo", path, says=(":5:", "dim_length", "a list within a list"))
        base = "topology: {fabric: {model: torus, shape: {n_dims: 2, dim_length: [3, 4]}}}\n"
        self.put(base, "base.yaml")
        self.put("components: {}\n", "none.yaml")
        self.put("schema_version: 1\ninclude: x.yaml\n" + base, "more.yaml")
        self.put("a: [\n", "broken.yaml")
        for text, says in (("include: base.yaml\n", None), ("include: [base.yaml, none.yaml]\n", None), ("include: more.yaml\n", None), ("include: broken.yaml\n" + base, None), ("include: [none.yaml]\n", ("no topology", "include")), ("include: x.yaml\n", (":2:10", "x.yaml", "cannot be read")),
                           ("include: {a: 1}\n", ("include",)), ("include: broken.yaml\n", ("broken.yaml:",)), ("include: [base.yaml, base2.yaml]\n", ("base2.yaml:1:66", "dim_length = '3,y,'", "no list of whole numbers"))):
            self.put(base.replace("4]", "y]"), "base2.yaml")
            with self.subTest(text=text):
                path = f"file:{self.put('schema_version: 1' + chr(10) + text, 'top.yaml')},format=codes"
                self.refused("topo", path, says=says) if says else self.assertEqual(self.size(path), (12, 12, 24))
        for text, says in (('n_dims="2"; dim_length="4,x";', ("dim_length = '4,x' is no list of whole numbers", "4,4,2")), ('dim_length="4,x";', ("'4,x'",)), ('dim_length=",4";', ("',4'",)), ('dim_length="4,,4";', ("'4,,4'",)), ('dim_length="4x";', ("'4x'",)), ('dim_length="4;4";', ("'4;4'",))):
            with self.subTest(text=text):
                self.refused("topo", self.put(f'PARAMS {{ modelnet_order=("torus"); {text} }}'), says=says)
        self.refused("topo", self.put('PARAMS { modelnet_order=("express_mesh"); n_dims="1"; dim_length="4"; num_cn="1"; gap="2"; }'), says=("gap of more than 1",))
        self.refused("topo", self.put('PARAMS { modelnet_order=("dragonfly_dally"); num_planes="2"; num_routers="4"; num_groups="3"; num_cns_per_router="2"; }'), says=("num_planes = '2' is not read", "1 to 1"))

    def test_codes_text(self):
        path = self.put('/* of\ntwo lines */ PARAMS { modelnet_order=( "torus","simplenet" ); n_dims="1"; n_dims="2"; dim_length = "3,\t4" ; # end\n a="1"; a="2"; b=("1" , "2"); }\nother { c="1"; d="2"; }\n')
        self.assertEqual(self.size(path), (12, 12, 24))
        self.assertIn("3 settings, which are not of the fabric, were not read: a, b, other", self.findings(path)["ignored-settings"])
        self.assertIn("docs/simulators.md", self.findings(path)["ignored-settings"])
        path = self.put('LPGROUPS { A { repetitions="3"; modelnet_torus="4"; } B { modelnet_torus="1"; } } PARAMS { modelnet_order=("torus"); n_dims="1"; dim_length="12"; }')
        self.assertIn("LPGROUPS has 13 hosts, and the network 12", self.findings(path)["host-count"])
        for text, says in (('PARAMS { modelnet_order=("torus"); ', ("expected '}'", "cut off")), ('PARAMS { modelnet_order=("torus")', ("';'",)), ('PARAMS { modelnet_order=torus; }', ("double quotes",)),
                           ('PARAMS { modelnet_order="torus; }', ("does not end",)), ('modelnet_order="torus"; PARAMS {}', (":1:15", "'{'")), ('PARAMS { modelnet_order ', ("'='",)),
                           ('PARAMS { modelnet_order="torus"; } }', ("no section",)), ('PARAMS { n_dims@a="2"; modelnet_order="torus"; }', (":1:10", "several networks")),
                           ('PARAMS { modelnet_order="simplenet"; }', (":1:25", "crossbar:n=HOSTS")), ("PARAMS { modelnet_order", ("cut", "'='")), ("PARAMS {" + "a { " * 10, ("sections within",))):
            with self.subTest(text=text):
                self.refused("topo", f"file:{self.put(text)},format=codes", says=says[-1:] if "cut" in says else says)
        self.refused("topo", "file:" + str(self.put("PARAMS { }")) + ",format=codes", says=("no setting modelnet_order",))
        for settings, says in (({"n_dims": 3, "dim_length": "4,4"}, (":3:12", "n_dims = 3", "2 numbers")), ({"dim_length": "4,0"}, ("impossible",)), ({"dim_length": "4;4"}, ("no list",)),
                               ({"dim_length": "4000,4000"}, (":1:25", "512 MiB")), ({"n_dims": 1}, ("no setting dim_length",)), ({"dim_length": "4,4", "link_bandwidth": "fast"}, (":3:16", "no rate"))):
            self.refused("topo", self.codes("torus", **settings), says=says)
        path = self.put("schema_version: 1\ntopology: {fabric: {model: torus, dim_length: [" + "3," * 100000 + "4]}}\n", "c.yaml")
        self.refused("topo", path, says=(":2:47", "up to 16 whole numbers"))
        for settings, says in (({"switch_count": 5}, ("switch_count = 5", "multiple")), ({"switch_radix": 7}, ("switch_radix = 7", "even")), ({"tapering": 4}, ("tapering + 1",)), ({"num_levels": 4}, ("from 2 to 3",)),
                               ({"num_levels": 2}, ("switch_radix / 2",)), ({"ft_type": 2}, ("ft_type", "from 0 to 1")), ({"switch_count": 400}, ("switch_count = 400",))):
            self.refused("topo", self.codes("fattree", **{"num_levels": 3, "switch_count": 32, "switch_radix": 8, **settings}), says=says)
        self.refused("topo", self.codes("slimfly", num_routers=5, num_terminals=1, generator_set_X="1,3", generator_set_X_prime="2,3"), says=("generator_set_X has 1 alone",))
        self.refused("topo", self.codes("express_mesh", dim_length="4,4", num_cn=1, gap=2), says=("gap of more than 1",))
        self.refused("topo", self.codes("dragonfly", num_routers=1000), says=("too many for a file",))
        self.refused("topo", self.codes("dragonfly_dally", num_routers=4, num_groups=9, num_cns_per_router=1, num_planes=2), says=("num_planes = '2'",))
        self.refused("topo", self.put("schema_version: 1\ntopology: {format: flat, nodes: 4}\n", "c.yaml"), says=(":2:11", "no topology with a fabric", "flat"))
        # A file of another tool with members of these names, and a comment of a configuration in the other form, are not taken for YAML.
        done = run("topo", self.put('{"schema_version": 1, "topology": {"nodes": []}}\n', "other.json"))
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("flat", done.stderr)
        self.ok("topo", self.put('# not parametric\nPARAMS { modelnet_order=( "torus" ); n_dims="1"; dim_length="4"; }\n', "comment.conf"))

    def test_damaged(self):
        """Every cut of a file, and bytes changed at random, end with a network or a refusal."""
        rng = random.Random(1)
        for name, file in (("codes", "slimfly"), ("codes", "express.yaml"), ("merlin", "torus.py")):
            good = (CORPUS / name / file).read_bytes()
            for case in [good[:i] for i in range(0, len(good), 9)] + [bytes(rng.choice(b' =;/{"(,}\n-.9\xff') if rng.random() < .03 else c for c in good) for _ in range(30)]:
                self.assertIn(run("topo", f"file:{self.put(case)},format={name}").returncode, (0, 2), case)

    def test_corpus(self):
        for path in sorted(p for name in ("codes", "merlin") for p in (CORPUS / name).iterdir() if p.suffix not in (".intra", ".inter")):
            self.ok("topo", path)


if __name__ == "__main__":
    unittest.main()
