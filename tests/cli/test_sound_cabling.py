"""ikat audit on sound fabrics: every family, many sizes, hosts everywhere, in part, or nearly nowhere. No cable is said to be wrong, missing or odd."""
import itertools
import json
import os
import random
import re
import unittest

from harness import CliTest, run

ALL = bool(os.environ.get("IKAT_TEST_ALL"))

# Small members beside the examples of each family: more levels, more dimensions, parallel cables, many random graphs.
MEMBERS = [
    *(f"rlft:ports=4,levels={levels}" for levels in (2, 3, 4, 5, 6)), "rlft:ports=6,levels=3", "rlft:ports=6,levels=4",
    *(f"karytree:k=2,n={levels}" for levels in (2, 4, 5, 6)), "karytree:k=3,n=4", "slimtree:k=3,n=4,w=2", "slimtree:k=4,n=2,w=2",
    "xgft:m=2:2:2:2,w=1:2:2:2", "xgft:m=3:2:2:3,w=1:2:2:2", "xgft:m=2:2:2:2:2,w=1:1:2:2:2", "xgft:m=4:6,w=1:3", "xgft:m=4:4:4,w=1:4:4", "xgft:m=2:8,w=1:8",
    "xgft:m=4:12,w=2:3", "pgft:m=2:2:2:2,w=1:2:2:2,p=1:1:1:2", "pgft:m=6:6,w=1:3,p=1:2", "pgft:m=4:3:4,w=1:2:4,p=1:2:1", "fattree3:ports=8",
    "torus:dims=3:3:3", "torus:dims=5:2", "torus:dims=8", "torus:dims=2:2:2:2", "mesh:dims=6:2", "mesh:dims=6:6", "mesh:dims=8:8", "mesh:dims=7:4", "mesh:dims=9:3", "mesh:dims=3:3:3", "mesh:dims=4:4:3", "torus:dims=6:6", "torus:dims=7:5", "torus:dims=4:4:3", "hypercube:n=5", "hypercube:n=6", "hyperx:dims=2:3", "hyperx:dims=4:4:2", "hyperx:dims=5:4", "hyperx:dims=4:4:4",
    "dragonfly:h=2,a=3,p=2,g=4", "dragonfly:h=3", "dragonflyplus:h=4", "mlfm:h=5", "oft:k=6", "slimfly:q=8", "polarfly:q=5", "polarfly:q=7", "fullmesh:n=12", "fullmesh:n=6,p=3,k=2",
    *(f"jellyfish:N={size},seed={seed}" for size in ("8,d=3", "8,d=5,p=2", "10,d=4,p=2", "10,d=7,p=2", "12,d=4", "12,d=5,p=3", "12,d=9,p=1", "16,d=4", "16,d=12,p=2", "24,d=6", "32,d=8") for seed in (range(12) if ALL else range(2))),
]
# Families in which few pairs of switches are right to begin with.
ROOTED = [f"dragonfly:h={h},arrangement={arrangement}" for h in (2, 3) for arrangement in ("absolute", "relative", "palmtree")]
MOST_SWITCHES = 300 if ALL else 100
DRAWN = 2  # populations of each member, unless all are audited
TREES = ("xgft", "karytree", "slimtree", "rlft", "fattree2", "fattree3", "pgft")


class Fabric:
    """Switches with numbered ports, cables between them, hosts with their cables."""

    def __init__(self, made):
        self.ports = [switch["ports"] for switch in made["switches"]]
        num = len(self.ports)
        ends = [((a, p), (b, q)) for a, p, b, q, _ in made["links"]]
        self.cables = [cable for cable in ends if max(cable[0][0], cable[1][0]) < num]
        hosts = {}
        for a, b in ends:
            if max(a[0], b[0]) >= num:
                hosts.setdefault(max(a[0], b[0]), []).append(min(a, b))
        self.hosts = [sorted(at) for _, at in sorted(hosts.items())]
        self.dead = set()

    def leaves(self, hosts=None):
        return sorted({at[0][0] for at in hosts or self.hosts})

    def cut(self, cable):
        self.cables.remove(cable)

    def swap(self, one, other):
        (a, b), (c, d) = one, other
        self.cables = [cable for cable in self.cables if cable not in (one, other)] + [(a, d), (c, b)]

    def kill(self, switch):
        """Without power it is in no dump, nor are its hosts."""
        self.dead.add(switch)
        self.cables = [cable for cable in self.cables if switch not in (cable[0][0], cable[1][0])]
        self.hosts = [at for at in self.hosts if all(end[0] != switch for end in at)]

    def write(self, path, hosts, order=2, names=None):
        """As ibnetdiscover does."""
        far, text = {}, []
        for a, b in self.cables:
            far[a], far[b] = (f"S-{b[0] + 4096:016x}", b[1], f"leaf-or-spine {b[0]}"), (f"S-{a[0] + 4096:016x}", a[1], f"leaf-or-spine {a[0]}")
        for host, at in enumerate(hosts):
            far.update({end: (f"H-{(host + 4096) << 4:016x}", port, names[host] if names else f"node{host}") for port, end in enumerate(at)})
        living = [(switch, ports) for switch, ports in enumerate(self.ports) if switch not in self.dead]
        for switch, ports in random.Random(order).sample(living, len(living)):  # in any order, as discovery finds them
            text.append(f'switchguid=0x{switch + 4096:x}({switch + 4096:x})\nSwitch\t{ports} "S-{switch + 4096:016x}"\t\t# "leaf-or-spine {switch}" base port 0 lid {switch + 1} lmc 0')
            text += [f'[{p + 1}]\t"{far[switch, p][0]}"[{far[switch, p][1] + 1}]\t\t# "{far[switch, p][2]}" lid 0 4xEDR' for p in range(ports) if (switch, p) in far]
            text.append("")
        for host, at in enumerate(hosts):
            text.append(f'caguid=0x{(host + 4096) << 4:x}\nCa\t{len(at)} "H-{(host + 4096) << 4:016x}"\t\t# "{names[host] if names else f"node{host}"}"')
            text += [f'[{p + 1}]({((host + 4096) << 4) + p + 1:x})\t"S-{end[0] + 4096:016x}"[{end[1] + 1}]\t\t# lid {host * 4 + p + 2000} lmc 0 "leaf-or-spine {end[0]}" lid {end[0] + 1} 4xEDR' for p, end in enumerate(at)]
            text.append("")
        path.write_text("\n".join(text))


def populations(fabric, draw):
    """Name and hosts of each kind of population that the fabric has room for."""
    hosts, leaves = fabric.hosts, fabric.leaves()
    num = len(hosts)
    yield "full", hosts
    yield "nine of ten", sorted(draw.sample(hosts, num - num // 10))
    yield "half, at random", sorted(draw.sample(hosts, (num + 1) // 2))
    yield "first half", hosts[:(num + 1) // 2]
    yield "first third", hosts[:(num + 2) // 3]
    yield "one", [draw.choice(hosts)]
    yield "two", draw.sample(hosts, min(num, 2))
    yield "one a leaf", [next(at for at in hosts if at[0][0] == leaf) for leaf in leaves]
    for name, share in (("a third of the leaves empty", 2 / 3), ("half of the leaves empty", 1 / 2), ("most leaves empty", 1 / 5)):
        kept = set(draw.sample(leaves, max(1, round(len(leaves) * share))))
        yield name, [at for at in hosts if at[0][0] in kept]
    if num > 1 and all(len(at) == 1 for at in hosts):
        half = num // 2
        yield "two cables, to one switch or neighbours", [hosts[i] + hosts[i + 1] for i in range(0, num - 1, 2)]
        yield "two cables, to switches far apart", [hosts[i] + hosts[i + half] for i in range(half)]
        yield "some with two cables", [hosts[i] + hosts[i + half] if i % 3 == 0 else hosts[i] for i in range(half)]


def false_findings(found):
    """What says that a cable or switch is not as it should be."""
    return [f for f in found["findings"] if f["severity"] != "note" and f["code"] not in ("no-lid", "mixed-lmc", "lid-clash", "unreachable")]


class SoundCabling(CliTest):
    def members(self):
        examples = [spec for family in self.json("list", "topologies")["topologies"] for spec in family["examples"] if family["name"] not in ("file", "crossbar")]
        return list(dict.fromkeys(examples + MEMBERS))

    def test_all(self):
        """Any family, member and population; of trees also the levels, wherever hosts are."""
        path, audited = self.tmp / "sound.net", 0
        for spec in self.members():
            self.ok("topo", spec, "--format", "json", "-o", path)
            fabric = Fabric(json.loads(path.read_text()))
            levels = self.json("topo", spec)["levels"] if spec.partition(":")[0] in TREES else None
            if len(fabric.ports) > MOST_SWITCHES:
                continue
            kinds = list(populations(fabric, random.Random(1)))
            for name, hosts in kinds if ALL else random.Random(spec).sample(kinds, min(len(kinds), DRAWN)):
                fabric.write(path, hosts)
                with self.subTest(spec=spec, population=name):
                    audited += 1
                    done = run("audit", path, "--routing", "none", "--json")
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    found = json.loads(done.stdout)
                    self.assertEqual(false_findings(found), [])
                    if levels:
                        self.assertEqual(found["levels"], levels)
        self.assertGreater(audited, 2000 if ALL else 300)

    def damaged(self, found, *codes):
        return [f for f in found["findings"] if f["code"] in codes]

    def test_one_damage_is_one(self):
        """Whatever the family and the order of the nodes: one cut cable, two that are swapped, one switch without power. No sound cable is called wrong."""
        path, named = self.tmp / "damaged.net", {"cut": 0, "swapped": 0}
        for spec in self.members() + ROOTED:
            self.ok("topo", spec, "--format", "json", "-o", path)
            made = json.loads(path.read_text())
            if not 2 < len(made["switches"]) <= MOST_SWITCHES or spec.startswith("jellyfish"):
                continue
            for seed in range(3 if ALL else 1):
                for kind in ("cut", "swapped", "dead"):
                    fabric, draw = Fabric(made), random.Random(f"{spec} {seed}")
                    one, other = draw.sample(fabric.cables, 2)
                    if kind == "cut":
                        fabric.cut(one)
                    elif kind == "dead":
                        fabric.kill(draw.randrange(len(fabric.ports)))
                    elif len({end[0] for cable in (one, other) for end in cable}) == 4:
                        fabric.swap(one, other)
                    if not fabric.hosts:
                        continue
                    fabric.write(path, fabric.hosts, order=seed)
                    with self.subTest(spec=spec, kind=kind, seed=seed):
                        found = self.json("audit", path, "--routing", "none", status=None)
                        errors = [f for f in self.damaged(found, "miscabled", "extra-cable", "other-port") if kind != "dead" or f["severity"] == "error"]
                        self.assertLessEqual(len(errors), kind == "swapped", found["cabling"]["summary"])
                        if kind != "dead" and found["cabling"]["family"]:
                            missing = self.damaged(found, "missing-cable")
                            self.assertLessEqual(len(missing), kind == "cut", found["cabling"]["summary"])
                            named[kind] += len(errors if kind == "swapped" else missing)
        self.assertGreater(named["cut"], 60)
        self.assertGreater(named["swapped"], 40)

    def test_two_swapped_cables_of_a_tree(self):
        """Anywhere, also between four levels, or at switches that could be leaves as well as at the top: one finding, which names the two."""
        path = self.tmp / "swapped.net"
        for spec in ("karytree:k=2,n=4", "karytree:k=3,n=3", "karytree:k=2,n=5", "rlft:ports=6,levels=3", "xgft:m=4:4:4,w=1:4:4"):
            self.ok("topo", spec, "--format", "json", "-o", path)
            made, draw = json.loads(path.read_text()), random.Random(spec)
            sound = Fabric(made)
            pairs = [pair for pair in itertools.combinations(sound.cables, 2) if len({end[0] for cable in pair for end in cable}) == 4]
            for order, (one, other) in enumerate(draw.sample(pairs, min(300 if ALL else 30, len(pairs)))):
                fabric = Fabric(made)
                fabric.swap(one, other)
                fabric.write(path, fabric.hosts, order=order)
                with self.subTest(spec=spec, swapped=(one, other)):
                    found = self.json("audit", path, "--routing", "none", status=None)
                    self.assertEqual(len(self.damaged(found, "miscabled", "extra-cable", "other-port")), 1, found["cabling"]["summary"])
                    self.assertEqual(found["cabling"]["changes"][0]["work"], "swap")

    def test_dead_switches(self):
        """Every family, any switch of it dead with its hosts, also two: nothing is said of sound cables, and what is down is not called something else. Most grids are recognised."""
        path, grids, recognised = self.tmp / "dead.net", 0, 0
        for spec in self.members() + ROOTED:
            self.ok("topo", spec, "--format", "json", "-o", path)
            made = json.loads(path.read_text())
            if not 2 < len(made["switches"]) <= MOST_SWITCHES or spec.startswith("jellyfish"):
                continue
            draw = random.Random(spec)
            for seed in range(12 if ALL else 3):
                fabric = Fabric(made)
                for _ in range(1 + (seed % 3 == 2 and len(fabric.ports) >= 16)):
                    fabric.kill(draw.choice([switch for switch in range(len(fabric.ports)) if switch not in fabric.dead]))
                if not fabric.hosts:
                    continue
                names = [f"host{n}" for n in draw.sample(range(len(fabric.hosts)), len(fabric.hosts))]
                fabric.write(path, fabric.hosts, order=seed, names=names)
                with self.subTest(spec=spec, dead=sorted(fabric.dead)):
                    found = self.json("audit", path, "--routing", "none", status=None)
                    parts = self.damaged(found, "unreachable")  # what is cut off may be of no family
                    wrong = self.damaged(found, "miscabled", "extra-cable", "other-port", "odd-cable", *([] if parts else ["unknown-switch"]))
                    self.assertEqual(wrong, [], found["cabling"]["summary"])
                    if len(fabric.dead) == 1:
                        self.assertLessEqual(len(self.damaged(found, "missing-switch")), 1)
                    if spec.partition(":")[0] in ("mesh", "torus", "hyperx", "hypercube", "dragonfly") and len(fabric.ports) >= 20:
                        grids += 1
                        cabling = found["cabling"]
                        recognised += cabling["known"] and cabling["missing_switches"] == len(fabric.dead) and not cabling["missing"] and not cabling["wrong"]
        self.assertGreater(recognised, 0.9 * grids)

    def test_dead_switches_and_wrong_cables(self):
        """Large grids with two switches dead, one or two cables cut and two swapped: what is swapped is wrong, and nothing else."""
        path = self.tmp / "both.net"
        for spec in ("mesh:dims=10:10", "torus:dims=10:7", "hyperx:dims=6:5", "dragonfly:h=3"):
            self.ok("topo", spec, "--format", "json", "-o", path)
            made = json.loads(path.read_text())
            for seed in range(4 if ALL else 1):
                fabric, draw = Fabric(made), random.Random(f"{spec} {seed}")
                for switch in draw.sample(range(len(fabric.ports)), 2):
                    fabric.kill(switch)
                for _ in range(2 - seed % 2):
                    fabric.cut(draw.choice(fabric.cables))
                one, other = draw.sample(fabric.cables, 2)
                while len({end[0] for end in one + other}) < 4:
                    one, other = draw.sample(fabric.cables, 2)
                fabric.swap(one, other)
                fabric.write(path, fabric.hosts, order=seed)
                with self.subTest(spec=spec, seed=seed, dead=sorted(fabric.dead)):
                    found = self.json("audit", path, "--routing", "none", status=None)
                    self.assertLessEqual(found["cabling"]["wrong"], 2, found["cabling"]["summary"])
                    self.assertLessEqual(len(self.damaged(found, "miscabled", "extra-cable")), 2, found["cabling"]["summary"])

    def test_small_ones_by_name(self):
        """One damage to a small tree is named; where chance may explain it, the note says which exchange would mend it."""
        path = self.tmp / "small.net"
        for spec, code in (("karytree:k=2,n=3", "missing-cable"), ("xgft:m=4:3:2,w=1:2:3", "missing-cable"), ("rlft:ports=4,levels=2", "miscabled"), ("xgft:m=4:6,w=1:3", "miscabled"), ("torus:dims=5:2", "near-family"), ("fullmesh:n=4,p=2,k=3", "near-family")):
            self.ok("topo", spec, "--format", "json", "-o", path)
            made = json.loads(path.read_text())
            for seed in range(4):
                fabric, draw = Fabric(made), random.Random(seed)
                one = other = draw.choice(fabric.cables)
                while len({end[0] for cable in (one, other) for end in cable}) < 4:
                    other = draw.choice(fabric.cables)
                if code == "missing-cable":
                    fabric.cut(one)
                else:
                    fabric.swap(one, other)
                fabric.write(path, fabric.hosts, order=seed)
                with self.subTest(spec=spec, seed=seed):
                    found = self.json("audit", path, "--routing", "none", status=None)
                    self.assertEqual(self.damaged(found, "unknown-switch", "missing-switch"), [])
                    (finding,) = self.damaged(found, code)
                    self.assertEqual(finding["severity"], "note" if code == "near-family" else "warning")
                    if code != "missing-cable":  # the exchange makes it the family again
                        a, b, c, d = [(int(guid, 16) - 4096, int(port) - 1) for guid, port in re.findall(r"(0x\w+)\) port (\d+)", finding["text"])[:4]]
                        cables = [next(cable for cable in fabric.cables if set(cable) == set(ends)) for ends in ((a, b), (c, d))]
                        fabric.cables = [cable for cable in fabric.cables if cable not in cables] + [(a, d), (c, b)]
                        fabric.write(path, fabric.hosts, order=seed)
                        self.assertTrue(self.json("audit", path, "--routing", "none", status=0)["cabling"]["exact"])

    def test_swapped_rails(self):
        """Two cables of one host whose order differs from that of the others, on one adapter or two; none where there is no order."""
        path = self.tmp / "rails.net"
        self.ok("topo", "xgft:m=8:8,w=1:4", "--format", "json", "-o", path)
        made = json.loads(path.read_text())
        for adapters in (1, 2):
            for swapped in ([], [11], [3, 30]):
                fabric = Fabric(made)
                half = len(fabric.hosts) // 2
                rails = [(fabric.hosts[i][0], fabric.hosts[i + half][0]) for i in range(half)]
                rails = [(b, a) if i in swapped else (a, b) for i, (a, b) in enumerate(rails)]
                hosts = [list(at) for at in rails] if adapters == 1 else [[end] for at in rails for end in at]
                names = [f"gpu{i}" if adapters == 1 else f"gpu{i // 2} mlx5_{i % 2}" for i in range(len(hosts))]
                fabric.write(path, hosts, names=names)
                found = self.damaged(self.json("audit", path, "--routing", "none", status=None), "swapped-rails")
                self.assertEqual(len(found), len(swapped))
                for finding, host in zip(found, swapped):
                    self.assertEqual(finding["severity"], "warning")
                    self.assertIn(f"gpu{host} " if adapters == 2 else f"gpu{host}", finding["text"])
        fabric, draw = Fabric(made), random.Random(1)
        hosts = [draw.sample((fabric.hosts[i][0], fabric.hosts[i + half][0]), 2) for i in range(half)]
        fabric.write(path, hosts)
        self.assertEqual(self.damaged(self.json("audit", path, "--routing", "none", status=None), "swapped-rails"), [])
        # neighbours in a rack are no rails, though most of them are at two switches in one order
        fabric = Fabric(made)
        ends = [(fabric.hosts[i][0], fabric.hosts[i + half][0]) for i in range(half)]
        ends = [(b, a) if i == 11 else (a, b) for i, (a, b) in enumerate(ends)]
        fabric.write(path, [[end] for at in ends for end in at], names=[f"rack{i // 2} blade{i % 2}" for i in range(2 * half)])
        self.assertEqual(self.damaged(self.json("audit", path, "--routing", "none", status=None), "swapped-rails"), [])


if __name__ == "__main__":
    unittest.main()
