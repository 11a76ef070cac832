"""Fabrics: hosts, switches, ports and links, and what can be measured of them without a routing."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ikat import _graphs
from ikat._core import (NONE, SEVERITIES, Cancel, Env, Object, Unbroken, UsageError, WrongType, array, encoded, error_of, ffi, filled, frozen, lib, made,
                        module, number_list, plain, pointer_to, rows_html, string, text, whole, written)
from ikat._types import Arrays, Pattern, Quantity, Report, Text, Whole, Wholes

if TYPE_CHECKING:
    import igraph
    import networkx

    from ikat._audit import Audit
    from ikat._deploy import Deployment
    from ikat._routing import Routing
    from ikat._traffic import Traffic


class Finding(NamedTuple):
    """Something that the owner of a fabric should know. `severity`: "note", "warning" or "error"; `code`: a stable word such as
    "slow-link"; `port`: a channel that it is about, `node`: a node, None where there is none."""

    severity: str
    code: str
    text: str
    port: Optional[int]
    node: Optional[int]


class LinkClass(NamedTuple):
    """A class of links: name, rate in bit/s, latency in ps."""

    name: str
    rate_bps: int
    latency_ps: int


def optional_index(value: int) -> Optional[int]:
    """None for IK_NONE."""
    return None if value == NONE else int(value)


class Fabric(Object):
    """Hosts, switches and the links between their ports. A fabric never changes.

    `spec` is what `ikat topo` takes: a family with parameters ("rlft:ports=36,levels=3"), or a file that ikat reads. Nodes are
    numbered switches first, then hosts; the ports of all nodes are in one sequence, node by node; a channel (one direction of a
    link) has the number of its sending port. Arrays that belong to the library are views of its memory: read-only, without a
    copy, valid as long as the array lives.

    Cost: O(nodes + ports).
    """

    __slots__ = ("_links",)

    _links: Optional[npt.NDArray[np.void]]

    def __init__(self, spec: Text, *, seed: Optional[Whole] = None, threads: Optional[Whole] = None,
                 memory_limit: Optional[Quantity] = None, progress: Report = None, cancel: Optional[Cancel] = None) -> None:
        spec = text(spec, "spec")
        with Env(threads=threads, seed=seed, memory_limit=memory_limit, progress=progress, cancel=cancel) as env:
            pointer = made("ik_fabric *", lib.IKPY_FABRIC,
                           lambda out: env.check(lib.ik_fabric_from_spec(spec, env.c, out, env.err)))
            self._own(pointer)

    def _own(self, pointer):
        self._links = None
        return self._take(lib.IKPY_FABRIC, pointer, "ik_fabric *")

    @classmethod
    def _part(cls, pointer, parent):
        """A fabric that another object of the library owns, and keeps as long as this is needed."""
        self = cls.__new__(cls)
        self._links = None
        return self._take(lib.IKPY_PART, pointer, "ik_fabric *", parent)

    @classmethod
    def _of(cls, make):
        with Unbroken():
            return cls.__new__(cls)._own(made("ik_fabric *", lib.IKPY_FABRIC, make))

    @classmethod
    def read(cls, path: Text, format: Optional[Text] = None, *,  # pylint: disable=redefined-builtin
             memory_limit: Optional[Quantity] = None) -> Fabric:
        """Reads a file. `format`: a name of `ikat.formats()`; None: by its ending and contents. Packed (gzip) files are read too."""
        path, format = text(path, "path"), text(format, "format", optional=True)
        with Env(memory_limit=memory_limit) as env:
            return cls._of(lambda out: restored(env, lib.ik_fabric_read(path, format, env.c, out, env.err), out))

    @classmethod
    def from_text(cls, content: Union[str, bytes], format: Optional[Text] = None, *,  # pylint: disable=redefined-builtin
                  name: Text = "text", memory_limit: Optional[Quantity] = None) -> Fabric:
        """Reads a text (or bytes) in a format of `ikat.formats()`, None: by its contents. `name` stands in messages."""
        if isinstance(content, str):
            content = encoded(content, "content")
        if not isinstance(content, bytes):
            raise WrongType(f"content: a text or bytes are expected, not {type(content).__name__}")
        reader = find_format(format)
        name = text(name, "name")
        with Env(memory_limit=memory_limit) as env:
            return cls._of(lambda out: restored(env, lib.ik_fabric_read_memory(content, len(content), name, reader, env.c, out, env.err),
                                                out))

    @classmethod
    def from_json(cls, value: Union[str, bytes, Dict[str, Any]], *, memory_limit: Optional[Quantity] = None) -> Fabric:
        """Makes a fabric of the dictionary that `to_json` gives, or of its text."""
        return cls.from_text(value if isinstance(value, (str, bytes)) else json.dumps(value), "json", name="JSON",
                             memory_limit=memory_limit)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, *, memory_limit: Optional[Quantity] = None) -> Fabric:
        """Makes a fabric of a NetworkX graph. Nodes with the attribute `kind` "host" are hosts, all others switches; edges are
        links. What `to_networkx` writes as attributes is read; without them ports are taken in the order of the edges, links
        run at 100 Gb/s with 6 ns. Switches and hosts keep their order, each for itself. Directed graphs are refused."""
        return cls.from_json(_graphs.json_of_networkx(graph), memory_limit=memory_limit)

    @classmethod
    def from_igraph(cls, graph: igraph.Graph, *, memory_limit: Optional[Quantity] = None) -> Fabric:
        """Makes a fabric of a graph of python-igraph, as `from_networkx` does."""
        return cls.from_json(_graphs.json_of_igraph(graph), memory_limit=memory_limit)

    # ---- what it is

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Fabric: closed>"
        return f"<ikat.Fabric {self.spec or self.family!r}: {self.num_hosts} hosts, {self.num_switches} switches, {self.num_links} links>"

    def _repr_html_(self) -> str:
        d, found = self.describe(), [finding.severity for finding in self.findings]
        return rows_html(str(self.spec or "fabric"), [
            ("hosts", d["hosts"]), ("switches", d["switches"]), ("ports per switch", f"{d['min_radix']} to {d['radix']}"),
            ("links", f"{d['links']} ({d['switch_links']} between switches)"), ("levels", d["levels"] or "no tree"),
            ("rates", ", ".join(f"{rate / 1e9:g} Gb/s" for rate in sorted({k["rate_bps"] for k in d["link_counts"]}))),
            ("findings", ", ".join(f"{found.count(one)} {one}{'s' * (found.count(one) > 1)}" for one in SEVERITIES[::-1] if one in found) or "none")])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fabric):
            return NotImplemented
        return bool(lib.ik_fabric_equal(self._p(), other._p(), ffi.NULL, 0))

    __hash__ = Object.__hash__

    def difference(self, other: Fabric) -> str:
        """The first difference to another fabric in one sentence, "" if both have the same graph, labels, link classes and order."""
        room = ffi.new("char[512]")
        fabric_of(other)
        return "" if lib.ik_fabric_equal(self._p(), other._p(), room, 512) else string(room)

    @property
    def num_switches(self) -> int:
        """Number of switches."""
        return self._p().num_switches

    @property
    def num_hosts(self) -> int:
        """Number of hosts."""
        return self._p().num_hosts

    @property
    def num_ports(self) -> int:
        """Number of ports of all nodes, connected or not; also the number of channels."""
        return self._p().num_ports

    @property
    def num_links(self) -> int:
        """Number of links, those to hosts included."""
        return len(self.links)

    @property
    def num_levels(self) -> int:
        """Levels of a tree, 0 for any other fabric."""
        return self._p().num_levels

    @property
    def family(self) -> Optional[str]:
        """Name of the family: "xgft", "slimfly", "file" …"""
        return string(self._p().family)

    @property
    def spec(self) -> Optional[str]:
        """The specification that builds the fabric again."""
        return string(self._p().spec)

    @property
    def intact(self) -> bool:
        """Whether it is exactly the generated graph: then routings that compute with its numbers are possible."""
        return bool(self._p().intact)

    @property
    def findings(self) -> List[Finding]:
        """What was found about the fabric: slow links, missing cables, oversubscription …"""
        c = self._p()
        return [Finding(SEVERITIES[f.severity], string(f.code), string(f.text), optional_index(f.port), optional_index(f.node))
                for f in (c.findings[i] for i in range(c.num_findings))]

    @property
    def link_classes(self) -> List[LinkClass]:
        """Classes of links, which `port_class` numbers."""
        c = self._p()
        return [LinkClass(string(k.name), k.rate_bps, k.latency_ps) for k in (c.classes[i] for i in range(c.num_classes))]

    @property
    def names(self) -> List[str]:
        """Display names of all nodes: "sw12" and "host5" where a fabric has none."""
        return [self.name(node) for node in range(self.num_switches + self.num_hosts)]

    def name(self, node: Whole) -> str:
        """Display name of a node."""
        c, room = self._p(), ffi.new("char[512]")
        return string(lib.ik_node_name(c, whole(node, "node", 0, c.num_switches + c.num_hosts - 1), room, 512))

    def describe_port(self, port: Whole) -> str:
        """A port in words: "leaf3 (0x0200c9a000ec0060) port 11"."""
        c, room = self._p(), ffi.new("char[512]")
        return string(lib.ik_port_describe(c, whole(port, "port", 0, c.num_ports - 1), room, 512))

    # ---- arrays of the library

    def _array(self, name, *shape):
        c = self._p()
        return array(c, getattr(c, name), *shape)

    @property
    def port_base(self) -> npt.NDArray[np.uint32]:
        """[nodes + 1] uint32: the ports of node n are port_base[n] … port_base[n + 1] - 1. No copy."""
        return self._array("port_base", self._p().num_switches + self._p().num_hosts + 1)

    @property
    def port_peer(self) -> npt.NDArray[np.uint32]:
        """[ports] uint32: the port at the other end, `ikat.NONE` = unconnected. No copy."""
        return self._array("port_peer", self._p().num_ports)

    @property
    def port_node(self) -> npt.NDArray[np.uint32]:
        """[ports] uint32: the node of each port. No copy."""
        return self._array("port_node", self._p().num_ports)

    @property
    def port_class(self) -> npt.NDArray[np.uint16]:
        """[ports] uint16: index into `link_classes` (meaningless where unconnected). No copy."""
        return self._array("port_class", self._p().num_ports)

    @property
    def node_guid(self) -> Optional[npt.NDArray[np.uint64]]:
        """[nodes] uint64, 0 = none; None where the fabric has none. No copy."""
        return self._array("node_guid", self._p().num_switches + self._p().num_hosts)

    @property
    def node_lid(self) -> Optional[npt.NDArray[np.uint32]]:
        """[nodes] uint32, 0 = none; None where the fabric has none. No copy."""
        return self._array("node_lid", self._p().num_switches + self._p().num_hosts)

    @property
    def port_guid(self) -> Optional[npt.NDArray[np.uint64]]:
        """[ports] uint64, 0 = none; None where the fabric has none. No copy."""
        return self._array("port_guid", self._p().num_ports)

    @property
    def port_label(self) -> Optional[npt.NDArray[np.uint16]]:
        """[ports] uint16: printed port numbers; None = local index + 1 everywhere (`port_number` has both). No copy."""
        return self._array("port_label", self._p().num_ports)

    @property
    def switch_level(self) -> Optional[npt.NDArray[np.uint8]]:
        """[switches] uint8: level in a tree, 1 = with hosts; None for any other fabric. No copy."""
        return self._array("switch_level", self._p().num_switches)

    @property
    def switch_xy(self) -> Optional[npt.NDArray[np.void]]:
        """[switches] records (x, y): position on the floor; None where it is not known. No copy."""
        return self._array("switch_xy", self._p().num_switches)

    @property
    def switch_place(self) -> Optional[npt.NDArray[np.void]]:
        """[switches] records (layer, group, pos): place in a drawing; None where the family has none. No copy."""
        return self._array("switch_place", self._p().num_switches)

    # ---- arrays that are computed

    @property
    def links(self) -> npt.NDArray[np.void]:
        """[links] records (node_a, port_a, node_b, port_b, rate_bps, latency_ps), by the lower port, ports as channel numbers.
        Computed once. Cost O(ports)."""
        if self._links is None:
            peer, node, kind = self.port_peer, self.port_node, self.port_class
            port = np.arange(len(peer), dtype=np.uint32)
            port = port[(peer != NONE) & (port < peer)]
            out = np.zeros(len(port), [("node_a", "u4"), ("port_a", "u4"), ("node_b", "u4"), ("port_b", "u4"), ("rate_bps", "u8"),
                                       ("latency_ps", "u8")])
            out["port_a"], out["port_b"] = port, peer[port]
            out["node_a"], out["node_b"] = node[port], node[peer[port]]
            classes = self.link_classes
            for name in ("rate_bps", "latency_ps"):
                values = np.array([getattr(k, name) for k in classes] or [0], np.uint64)
                out[name] = values[kind[port]]
            self._links = frozen(out)
        self._p()
        return self._links

    def _of_class(self, name):
        values = np.array([getattr(k, name) for k in self.link_classes] or [0], np.uint64)
        kind = np.where(self.port_peer == NONE, 0, self.port_class)
        return frozen(np.where(self.port_peer == NONE, np.uint64(0), values[kind]))

    @property
    def port_rate_bps(self) -> npt.NDArray[np.uint64]:
        """[ports] uint64: rate of the link in bit/s, 0 where unconnected. Computed."""
        return self._of_class("rate_bps")

    @property
    def port_latency_ps(self) -> npt.NDArray[np.uint64]:
        """[ports] uint64: latency of the link in ps, 0 where unconnected. Computed."""
        return self._of_class("latency_ps")

    @property
    def port_number(self) -> npt.NDArray[np.uint32]:
        """[ports] uint32: printed number of each port. Computed."""
        local = np.arange(self.num_ports, dtype=np.uint32) - self.port_base[self.port_node] + np.uint32(1)
        label = self.port_label
        return frozen(local if label is None else np.where(label > 0, label, local).astype(np.uint32))

    @property
    def host_switch(self) -> npt.NDArray[np.uint32]:
        """[hosts] uint32: the switch of each host (of its first cabled port), `ikat.NONE` = none. Computed."""
        c = self._p()
        return frozen(np.fromiter((lib.ik_host_switch(c, h) for h in range(c.num_hosts)), np.uint32, c.num_hosts))

    @property
    def switch_hosts(self) -> npt.NDArray[np.uint32]:
        """[switches] uint32: number of links to hosts. Computed."""
        return self._count_links(to_hosts=True)

    @property
    def switch_degree(self) -> npt.NDArray[np.uint32]:
        """[switches] uint32: number of links to other switches. Computed."""
        return self._count_links(to_hosts=False)

    def _count_links(self, to_hosts):
        switches, peer, node = self.num_switches, self.port_peer, self.port_node
        own = np.flatnonzero((peer != NONE) & (node < switches))
        own = own[(node[peer[own]] >= switches) == to_hosts]
        return frozen(np.bincount(node[own], minlength=switches).astype(np.uint32)[:switches])

    # ---- measures

    def describe(self) -> Dict[str, Any]:
        """The fabric in numbers: hosts, switches, ports, links, radix, degrees, hosts per leaf switch, cost per host, levels.
        Cost O(ports)."""
        c = self._p()
        with Unbroken():
            d = filled("ik_description", lib.IKPY_DESCRIPTION, lambda out: plain(lib.ik_fabric_describe, c, out))
            d = Object.__new__(Object)._take(lib.IKPY_DESCRIPTION, d, "ik_description *")._p()
        out = numbers_of(d)
        out["level_switches"] = [d.level_switches[i] for i in range(d.levels)]
        out["link_counts"] = [{"name": string(k.name), "rate_bps": k.rate_bps, "latency_ps": k.latency_ps,
                               "switch_links": k.switch_links, "host_links": k.host_links}
                              for k in (d.link_counts[i] for i in range(d.num_link_counts))]
        return out

    def _measure(self, ctype, kind, function, *args, **options):
        c = self._p()
        with Env(**options) as env:
            room = filled(ctype, kind, lambda out: env.check(function(c, *args, env.c, out, env.err)))
            return Object.__new__(Object)._take(kind, room, ctype + " *")

    def distances(self, *, threads: Optional[Whole] = None, progress: Report = None,
                  cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Arrays:
        """Distances in switch-to-switch hops: diameter, switch_diameter, mean_hops, mean_switch_hops, and histograms (arrays by
        distance) of host pairs, switch pairs and pairs of switches with hosts. All-pairs breadth-first search.
        Options: threads, progress, cancel, memory_limit."""
        held = self._measure("ik_distances", lib.IKPY_DISTANCES, lib.ik_distances_measure,
                             threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit)._p()
        out = numbers_of(held, "num")
        out["switch_diameter"] = optional_index(held.switch_diameter)
        for name in ("histogram", "switch_histogram", "leaf_histogram"):
            out[name] = array(held, getattr(held, name), held.num)
        return out

    def diversity(self, *, threads: Optional[Whole] = None, progress: Report = None,
                  cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Arrays:
        """Shortest paths between switches with hosts: min_paths, mean_paths, max_paths, and `counts`, records (distance, paths,
        pairs)."""
        held = self._measure("ik_diversity", lib.IKPY_DIVERSITY, lib.ik_diversity_measure,
                             threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit)._p()
        out = numbers_of(held, "num")
        out["counts"] = array(held, held.counts, held.num)
        return out

    def girth(self, *, threads: Optional[Whole] = None, progress: Report = None,
              cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> int:
        """Length of the shortest cycle of switches; 2 with parallel links, 0 if there is none."""
        out, c = ffi.new("uint32_t *"), self._p()
        with Env(threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ik_girth(c, env.c, out, env.err))
        return out[0]

    def bisection(self, seeds: Whole = 0, *, seed: Optional[Whole] = None, threads: Optional[Whole] = None,
                  progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Arrays:
        """The best known cut into halves of equally many hosts (`cut` links, `per_host`), a lower bound, and `side` [switches].
        `seeds`: partitions that are tried, 0 = by size. Options: seed, threads, progress, cancel, memory_limit."""
        held = self._measure("ik_bisection", lib.IKPY_BISECTION, lib.ik_bisection_measure, whole(seeds, "seeds", 0, 2**31),
                             seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit)._p()
        out = numbers_of(held)
        out["side"] = array(held, held.side, self.num_switches)
        return out

    def cables(self, rack_switches: Whole = 1) -> Arrays:
        """Cables between switches on a floor plan, lengths in rack pitches: cables, total, longest, mean, histogram by length.
        `rack_switches`: switches per rack where the fabric does not say where its switches stand."""
        c, racks = self._p(), whole(rack_switches, "rack_switches", 1, 2**31)
        with Unbroken():
            held = filled("ik_cables", lib.IKPY_CABLES, lambda out: plain(lib.ik_cables_measure, c, racks, out))
            held = Object.__new__(Object)._take(lib.IKPY_CABLES, held, "ik_cables *")._p()
        out = numbers_of(held)
        out["histogram"] = array(held, held.histogram, held.longest + 1)
        return out

    def reach(self) -> Dict[str, Any]:
        """Which hosts are connected: `whole` (all that have a cable), connected and unconnected ordered pairs, hosts without a
        cable (uncabled), the first unconnected pair."""
        c, out = self._p(), ffi.new("ik_reach *")
        plain(lib.ik_reach_measure, c, out)
        values = {name: optional_index(v) if name.startswith("first") else v for name, v in numbers_of(out).items()}
        return {**values, "whole": bool(lib.ik_reach_whole(out))}

    def layout(self) -> npt.NDArray[np.float32]:
        """[switches, 2] float32: where a drawing puts each switch, 0 … 1, y downwards."""
        c = self._p()
        out = np.zeros((c.num_switches, 2), np.float32)
        plain(lib.ik_fabric_layout, c, ffi.cast("ik_point *", out.ctypes.data))
        return out

    # ---- other fabrics

    def degrade(self, links: Wholes = (), switches: Wholes = ()) -> Fabric:
        """A copy without some links (numbers of any of their ports) and switches."""
        links, switches = number_list(links, "links", np.uint32), number_list(switches, "switches", np.uint32)
        c = self._p()
        check_range(links, c.num_ports, "links")
        check_range(switches, c.num_switches, "switches")
        ports, nodes = pointer_to(links, "uint32_t *"), pointer_to(switches, "uint32_t *")
        return self._of(lambda out: plain(lib.ik_fabric_degrade, c, ports, len(links), nodes, len(switches), out))

    def keep_hosts(self, keep: Wholes) -> Fabric:
        """A copy with only some hosts: `keep` is a mask [hosts] or a list of host numbers. Hosts are renumbered."""
        keep, c = np.asarray(keep), self._p()
        if keep.dtype != np.bool_:
            numbers = number_list(keep, "keep", np.uint32)
            check_range(numbers, c.num_hosts, "keep")
            keep = np.zeros(c.num_hosts, np.bool_)
            keep[numbers] = True
        if keep.shape != (c.num_hosts,):
            raise UsageError(f"keep: a mask has one value per host: {c.num_hosts}, not {keep.shape}")
        mask = np.ascontiguousarray(keep)
        return self._of(lambda out: plain(lib.ik_fabric_keep_hosts, c, pointer_to(mask, "bool *"), out))

    def without_failed(self, path: Text, *, memory_limit: Optional[Quantity] = None) -> Fabric:
        """A copy without the nodes and ports that a file lists, one per line: NAME, NAME[PORT], 0xGUID or 0xGUID[PORT]."""
        c, path = self._p(), text(path, "path")
        with Env(memory_limit=memory_limit) as env:
            return self._of(lambda out: env.check(lib.ik_failed_read(c, path, env.c, out, ffi.NULL, env.err)))

    def with_names(self, names: Optional[Text] = None, guid2lid: Optional[Text] = None, *,
                   memory_limit: Optional[Quantity] = None) -> Fabric:
        """A copy with names of nodes from a node-name map (GUID "name" per line) and LIDs of ports from OpenSM's file guid2lid.
        GUIDs that the fabric does not have are skipped; a map without any other is refused."""
        names, guid2lid = text(names, "names", optional=True), text(guid2lid, "guid2lid", optional=True)
        about = text(self.spec or "fabric", "spec")
        copy = self.degrade()
        with Env(memory_limit=memory_limit) as env:
            env.check(lib.ik_names_and_lids_apply(copy._p(), names, guid2lid, about, env.c, ffi.new("ik_guids_matched[2]"), env.err))
        return copy

    # ---- out

    def write(self, path: Text, format: Optional[Text] = None) -> None:  # pylint: disable=redefined-builtin
        """Writes a file, whole or not at all. `format`: a name of `ikat.formats()`; None: by the ending of the path."""
        plain(lib.ik_fabric_write, self._p(), text(path, "path"), text(format, "format", optional=True))

    def to_text(self, format: Text) -> str:  # pylint: disable=redefined-builtin
        """The fabric as text in a format of `ikat.formats()`."""
        writer = find_format(text(format, "format"))
        if writer.write == ffi.NULL:
            raise UsageError(f"format '{string(writer.name)}' can only be read")
        c = self._p()
        return written(lambda out: plain(writer.write, c, out)).decode("utf-8", "surrogateescape")

    def to_json(self) -> Dict[str, Any]:
        """Everything that the fabric holds, as a dictionary (docs/formats.md, "The JSON of a fabric")."""
        return json.loads(self.to_text("json"))

    def to_networkx(self) -> networkx.MultiGraph:
        """A networkx.MultiGraph. Node n of the fabric is node n of the graph, with kind ("switch" or "host"), ports and, where
        known, name, guid, lid, level …; links are edges with port_a and port_b (local ports, from 0, of node_a and node_b),
        rate_bps, latency_ps and link (name of the class). `from_networkx` makes an equal fabric of it."""
        return _graphs.networkx_of(self.to_json(), module("networkx", "Fabric.to_networkx"))

    def to_igraph(self) -> igraph.Graph:
        """An igraph.Graph with the attributes of `to_networkx`; `from_igraph` makes an equal fabric of it."""
        return _graphs.igraph_of(self.to_json(), module("igraph", "Fabric.to_igraph"))

    # ---- what is made from it

    def routing(self, spec: Text, vc: Optional[Text] = None, selection: Optional[Text] = None, num_vcs: Whole = 0, *,
                traffic: Optional[Pattern] = None, seed: Optional[Whole] = None, threads: Optional[Whole] = None,
                progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Routing:
        """`ikat.Routing(self, spec, …)`."""
        from ikat._routing import Routing  # pylint: disable=import-outside-toplevel,cyclic-import
        return Routing(self, spec, vc, selection, num_vcs, traffic=traffic, seed=seed, threads=threads, progress=progress,
                       cancel=cancel, memory_limit=memory_limit)

    def audit(self, lfts: Optional[Text] = None, *, mcfdbs: Optional[Text] = None, sl2vl: Optional[Text] = None,
              policy: Optional[Text] = None, path_records: Optional[Text] = None, engine: Optional[Text] = None,
              plan: Union[Fabric, Text, None] = None, routing: Optional[Text] = None, vc: Optional[Text] = None,
              counters: Optional[Text] = None, counters_later: Optional[Text] = None, interval: Union[str, bytes, None] = None,
              names: Optional[Text] = None, guid2lid: Optional[Text] = None, lid_matrix: Optional[Text] = None,
              baseline: Optional[Text] = None, seed: Optional[Whole] = None, threads: Optional[Whole] = None, progress: Report = None,
              cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Audit:
        """What is wrong with the cabling of a subnet, and with the routing that is installed in it, as `ikat audit` finds it
        (docs/auditing.md). Files: forwarding tables `lfts`, multicast tables `mcfdbs`, SL-to-VL maps `sl2vl`, a QoS `policy` or
        `path_records`, `counters` and `counters_later` with the `interval` between them ("10 s"; None: from the files' times),
        `names` and `guid2lid` (see `with_names`), `lid_matrix`, and `baseline`, an earlier report, whose findings are known. `engine`:
        what supposedly made the tables. `plan`: what the fabric should be; None: its family is recognised. `routing`, `vc`: what to
        compare with; None: the best of several, "none": nothing. Options: seed, threads, progress, cancel, memory_limit."""
        from ikat._audit import Audit  # pylint: disable=import-outside-toplevel,cyclic-import
        files = {"lfts": lfts, "mcfdbs": mcfdbs, "sl2vl": sl2vl, "policy": policy, "path_records": path_records, "engine": engine, "routing": routing,
                 "vc": vc, "counters": counters, "counters_later": counters_later, "lid_matrix": lid_matrix, "baseline": baseline}
        named = self if names is None and guid2lid is None else self.with_names(names, guid2lid, memory_limit=memory_limit)
        return Audit._of(named, plan, files, interval, {"seed": seed, "threads": threads, "progress": progress, "cancel": cancel,
                                                        "memory_limit": memory_limit})

    def deploy(self, folder: Optional[Text] = None, routing: Optional[Text] = None, vc: Optional[Text] = None, *, vls: Whole = lib.IK_DEPLOY_VLS,
               query_lane: bool = False, from_: Optional[Text] = None, failed: Optional[Text] = None, name: Optional[Text] = None,
               force: bool = False, dry_run: bool = False, unproved: bool = False, lane_curve: bool = False,
               seed: Optional[Whole] = None, threads: Optional[Whole] = None, progress: Report = None,
               cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Deployment:
        """Writes a folder with all that OpenSM needs to install a routing, proved as written, as `ikat deploy` does
        (docs/deploying.md); the folder appears whole or not at all. `routing`, `vc`: None: the best of several; `vls`: most virtual
        lanes; `query_lane`: one more for performance queries, if they need it; `from_`: what is installed, a folder or tables, of
        which as few entries as possible change; `failed`: a file of nodes and ports that have failed (`without_failed`); `name`:
        what summaries call the fabric, None: its specification; `force`: the folder may hold files; `dry_run`: nothing is written;
        `lane_curve`: the summary also says what largest load each number of lanes allows; `unproved`: what cannot be proved
        is written, too. Without it CheckFailed is raised, as where nothing is better than what is installed.
        Options: seed, threads, progress, cancel, memory_limit."""
        from ikat._deploy import deployment_of  # pylint: disable=import-outside-toplevel,cyclic-import
        texts = {"routing": ("routing", routing), "vc": ("vc", vc), "fabric": ("name", name), "from": ("from_", from_)}
        flags = {"query_lane": query_lane, "unproved": unproved, "force": force, "dry_run": dry_run,
                 "lane_curve": lane_curve}
        made_of: Deployment = deployment_of(self, folder, texts, vls, flags, failed, {
            "seed": seed, "threads": threads, "progress": progress, "cancel": cancel, "memory_limit": memory_limit})
        return made_of

    def traffic(self, spec: Text = "uniform", *, seed: Optional[Whole] = None,
                memory_limit: Optional[Quantity] = None) -> Traffic:
        """`ikat.Traffic(self, spec, …)`."""
        from ikat._traffic import Traffic  # pylint: disable=import-outside-toplevel,cyclic-import
        return Traffic(self, spec, seed=seed, memory_limit=memory_limit)


def restored(env, status, out):
    """After reading a file: what was generated is as good as generated."""
    env.check(status)
    env.check(lib.ik_fabric_restore(out[0], env.c, ffi.new("bool *"), env.err))


def fabric_of(value: Fabric, what: str = "fabric") -> Fabric:
    """Refuses what is no fabric."""
    if not isinstance(value, Fabric):
        raise WrongType(f"{what}: an ikat.Fabric is expected, not {type(value).__name__}")
    return value


def check_range(numbers, count, what):
    """All numbers are below count."""
    if len(numbers) and int(numbers.max()) >= count:
        raise UsageError(f"{what}: there is no number {int(numbers.max())}, the last one is {count - 1}")


def find_format(name):
    """The library's format of that name; NULL for None."""
    if name is None:
        return ffi.NULL
    wanted = text(name, "format")
    found = lib.ik_format_find(wanted)
    if found == ffi.NULL:
        table, err = lib.ik_formats(), ffi.new("ik_error *")
        count = 0
        while table[count] != ffi.NULL:
            count += 1
        names = ffi.new("const char *[]", [table[i].name for i in range(count)] + [ffi.NULL])
        raise error_of(lib.ik_fail_unknown(err, b"format", wanted, names), err)
    return found


def numbers_of(struct, *leave_out):
    """The members of a structure that are numbers, as a dictionary; texts as texts."""
    out = {}
    ctype = ffi.typeof(struct)
    for name, field in (ctype.item if ctype.kind == "pointer" else ctype).fields:
        if field.type.kind == "primitive" and name not in leave_out:
            value = getattr(struct, name)
            out[name] = value
    return out
