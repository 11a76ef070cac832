"""ikat audit on sound fabrics: every family, many sizes, hosts everywhere, in part, or nearly nowhere. No cable is said to be wrong, missing or odd."""
import json
import os
import random
import unittest

from harness import CliTest, run

ALL = bool(os.environ.get("IKAT_TEST_ALL"))

# Small members beside the examples of each family: more levels, more dimensions, parallel cables, many random graphs.
MEMBERS = [
    *(f"rlft:ports=4,levels={levels}" for levels in (2, 3, 4, 5, 6)), "rlft:ports=6,levels=3", "rlft:ports=6,levels=4",
    *(f"karytree:k=2,n={levels}" for levels in (2, 4, 5, 6)), "karytree:k=3,n=4", "slimtree:k=3,n=4,w=2", "slimtree:k=4,n=2,w=2",
    "xgft:m=2:2:2:2,w=1:2:2:2", "xgft:m=3:2:2:3,w=1:2:2:2", "xgft:m=2:2:2:2:2,w=1:1:2:2:2", "xgft:m=4:6,w=1:3", "xgft:m=4:4:4,w=1:4:4", "xgft:m=2:8,w=1:8",
    "xgft:m=4:12,w=2:3", "pgft:m=2:2:2:2,w=1:2:2:2,p=1:1:1:2", "pgft:m=6:6,w=1:3,p=1:2", "pgft:m=4:3:4,w=1:2:4,p=1:2:1", "fattree3:ports=8",
    "torus:dims=3:3:3", "torus:dims=5:2", "torus:dims=8", "torus:dims=2:2:2:2", "mesh:dims=6:2", "mesh:dims=3:3:3", "hypercube:n=5", "hyperx:dims=2:3", "hyperx:dims=4:4:2",
    "dragonfly:h=2,a=3,p=2,g=4", "dragonfly:h=3", "dragonflyplus:h=4", "mlfm:h=5", "oft:k=6", "slimfly:q=8", "polarfly:q=5", "polarfly:q=7", "fullmesh:n=12", "fullmesh:n=6,p=3,k=2",
    *(f"jellyfish:N={size},seed={seed}" for size in ("8,d=3", "8,d=5,p=2", "10,d=4,p=2", "10,d=7,p=2", "12,d=4", "12,d=5,p=3", "12,d=9,p=1", "16,d=4", "16,d=12,p=2", "24,d=6", "32,d=8") for seed in (range(12) if ALL else range(4))),
]
MOST_SWITCHES = 300
DRAWN = 5  # populations of each member, unless all are audited
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

    def leaves(self, hosts=None):
        return sorted({at[0][0] for at in hosts or self.hosts})

    def write(self, path, hosts):
        """As ibnetdiscover does."""
        far, text = {}, []
        for a, b in self.cables:
            far[a], far[b] = (f"S-{b[0] + 4096:016x}", b[1], f"leaf-or-spine {b[0]}"), (f"S-{a[0] + 4096:016x}", a[1], f"leaf-or-spine {a[0]}")
        for host, at in enumerate(hosts):
            far.update({end: (f"H-{(host + 4096) << 4:016x}", port, f"node{host}") for port, end in enumerate(at)})
        for switch, ports in random.Random(2).sample(list(enumerate(self.ports)), len(self.ports)):  # in any order, as discovery finds them
            text.append(f'switchguid=0x{switch + 4096:x}({switch + 4096:x})\nSwitch\t{ports} "S-{switch + 4096:016x}"\t\t# "leaf-or-spine {switch}" base port 0 lid {switch + 1} lmc 0')
            text += [f'[{p + 1}]\t"{far[switch, p][0]}"[{far[switch, p][1] + 1}]\t\t# "{far[switch, p][2]}" lid 0 4xEDR' for p in range(ports) if (switch, p) in far]
            text.append("")
        for host, at in enumerate(hosts):
            text.append(f'caguid=0x{(host + 4096) << 4:x}\nCa\t{len(at)} "H-{(host + 4096) << 4:016x}"\t\t# "node{host}"')
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
        self.assertGreater(audited, 2000 if ALL else 700)


if __name__ == "__main__":
    unittest.main()
