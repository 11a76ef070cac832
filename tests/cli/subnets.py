"""Fabrics that the tests over OpenSM use, and what an administrator has of them."""
import json
import os
import pathlib
import random
import re
import sys

from harness import SOURCE

sys.path.insert(0, str(SOURCE / "tools"))
import opensm  # noqa: E402

ALL = bool(os.environ.get("IKAT_TEST_ALL"))
CLUSTER = SOURCE / "data" / "cluster96.ibnetdiscover"

# What `./check` runs, and what only `./check --all` does. A torus has its dimensions for torus-2QoS.
QUICK = {
    "cluster96": str(CLUSTER),
    "ring5": "torus:dims=5,p=2",
    "torus5x5": "torus:dims=5:5",
    "damaged": "rlft:ports=6,levels=2,fail=10%,fail_seed=1",
}
MORE = {
    "tree8": "rlft:ports=8,levels=2",
    "tree648": "rlft:ports=36,levels=2",
    "torus4x4x4": "torus:dims=4:4:4,p=2",
    "damaged8": "rlft:ports=8,levels=3,fail=3%,fail_seed=2",
    "damaged_levels": "xgft:m=4:4:4,w=1:4:4,fail=5%,fail_seed=3",
    "random16": "jellyfish:N=16,d=4,p=2",
    "random64": "jellyfish:N=64,d=8,p=4",
    "parallel": "pgft:m=4:4,w=1:2,p=1:2",
    "irregular": None,
    "irregular2": None,
}
FABRICS = {**QUICK, **(MORE if ALL else {})}


def irregular(path, seed):
    """A connected graph of 14 switches with parallel cables and switches without hosts, as lines of cables."""
    draw = random.Random(seed)
    lines, hosts = [], 0
    for switch in range(1, 14):
        lines += [f"{draw.randrange(switch)} {switch}"] * draw.choice((1, 1, 2))
    lines += [f"{a} {b}" for a, b in (draw.sample(range(14), 2) for _ in range(12))]
    for switch in range(14):
        for _ in range(draw.choice((0, 1, 2, 3))):
            lines.append(f"h{hosts} {switch}")
            hosts += 1
    path.write_text("\n".join(lines) + "\n")


def netlist(test, name):
    """The fabric of this name as a file that ibsim reads, in the test's folder."""
    spec = FABRICS[name]
    if spec is None:
        irregular(test.tmp / f"{name}.edges", len(name))
        spec = test.tmp / f"{name}.edges"
    path = test.tmp / f"{name}.net"
    test.ok("topo", spec, "--format", "ibnetdiscover", "-o", path)
    return path


def import_fabric(test, subnet, name):
    """What ibnetdiscover sees, in a file: the administrator's fabric, LIDs included."""
    path = test.tmp / f"{name}.ibnetdiscover"
    path.write_text(subnet.discover())
    return path


def roots(test, dump, path):
    """GUIDs of the switches furthest from hosts, one a line: the tops of a tree."""
    test.ok("topo", dump, "--format", "json", "-o", path.with_suffix(".json"))
    fabric = json.loads(path.with_suffix(".json").read_text())
    num, near = len(fabric["switches"]), {}
    links = [(a, b) for a, _, b, _, _ in fabric["links"]]
    edge = {min(a, b) for a, b in links if max(a, b) >= num}
    while edge:
        near.update((switch, len(near) + 1) for switch in edge)
        edge = {x for a, b in links for x, y in ((a, b), (b, a)) if y in near and x not in near and x < num}
    far = [switch for switch in range(num) if near.get(switch, 0) == max(near.values())] if num > 1 else [0]
    path.write_text("".join(f"{fabric['switches'][switch]['guid']}\n" for switch in far))
    return path


def torus_config(spec, net, path):
    """Configuration of torus-2QoS: dimensions, and a seed switch with its neighbours in each direction."""
    sizes = [int(size) for size in spec.split("dims=")[1].split(",")[0].split(":")]
    guids = [f"0x{guid}" for guid in re.findall(r'^Switch\s+\d+ "S-([0-9a-f]+)"', net.read_text(), re.MULTILINE)]  # in ikat's order
    strides = [1]
    for size in sizes[:-1]:
        strides.append(strides[-1] * size)
    lines = ["torus " + " ".join(str(size) for size in (sizes + [1, 1])[:3])]
    for axis, (size, stride) in enumerate(zip(sizes, strides)):
        lines.append(f"{'xyz'[axis]}p_link {guids[0]} {guids[stride]}")
        lines.append(f"{'xyz'[axis]}m_link {guids[0]} {guids[stride * (size - 1)]}")
    path.write_text("\n".join(lines) + "\n")
    return path


__all__ = ["ALL", "CLUSTER", "FABRICS", "QUICK", "MORE", "pathlib", "opensm", "netlist", "import_fabric", "roots", "torus_config"]
