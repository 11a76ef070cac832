"""Fabrics as graphs of NetworkX and igraph, by way of the library's own JSON: its reader checks everything."""
from __future__ import annotations

import json
import numbers
from typing import TYPE_CHECKING, Any, Dict

from ikat._core import UsageError, WrongType

if TYPE_CHECKING:
    import igraph as of_igraph
    import networkx as of_networkx

_RATE_BPS, _LATENCY_PS = 100_000_000_000, 6000
_KEPT = ("name", "guid", "lid", "lmc", "level", "xy", "place", "labels", "port_guids", "port_lids")


def _nodes(fabric):
    """(number, attributes) of all nodes."""
    for number, node in enumerate(fabric["switches"] + fabric["hosts"]):
        yield number, {"kind": "switch" if number < len(fabric["switches"]) else "host", **node}


def _edges(fabric):
    """(node a, node b, attributes) of all links."""
    for a, port_a, b, port_b, kind in fabric["links"]:
        link = fabric["classes"][kind]
        yield a, b, {"node_a": a, "port_a": port_a, "node_b": b, "port_b": port_b, "link": link["name"],
                     "rate_bps": link["rate_bps"], "latency_ps": link["latency_ps"]}


def _about(fabric):
    """What is of the whole graph."""
    return {name: fabric[name] for name in ("family", "spec") if name in fabric}


def networkx_of(fabric: Dict[str, Any], networkx: Any) -> of_networkx.MultiGraph:
    graph = networkx.MultiGraph(**_about(fabric))
    graph.add_nodes_from(_nodes(fabric))
    graph.add_edges_from(_edges(fabric))
    return graph


def igraph_of(fabric: Dict[str, Any], igraph: Any) -> of_igraph.Graph:
    nodes, edges = list(_nodes(fabric)), list(_edges(fabric))
    graph = igraph.Graph(n=len(nodes), edges=[(a, b) for a, b, _ in edges], directed=False)
    for name, value in _about(fabric).items():
        graph[name] = value
    for name in dict.fromkeys(key for _, node in nodes for key in node):
        graph.vs[name] = [node.get(name) for _, node in nodes]
    for name in edges[0][2] if edges else ():
        graph.es[name] = [edge[name] for _, _, edge in edges]
    return graph


def json_of_networkx(graph: of_networkx.Graph) -> str:
    """The library's JSON (as text) of a NetworkX graph."""
    if not hasattr(graph, "nodes") or not hasattr(graph, "is_directed"):
        raise WrongType(f"graph: a NetworkX graph is expected, not {type(graph).__name__}")
    if graph.is_directed():
        raise UsageError("graph: a directed graph is no fabric", "take graph.to_undirected(), where each link stands once")
    return _json(graph.graph, list(graph.nodes(data=True)), list(graph.edges(data=True)))


def json_of_igraph(graph: of_igraph.Graph) -> str:
    """The same of a graph of python-igraph."""
    if not hasattr(graph, "vs") or not hasattr(graph, "is_directed"):
        raise WrongType(f"graph: a graph of igraph is expected, not {type(graph).__name__}")
    if graph.is_directed():
        raise UsageError("graph: a directed graph is no fabric", "take graph.as_undirected()")
    nodes = [(v.index, {k: x for k, x in v.attributes().items() if x is not None}) for v in graph.vs]
    edges = [(e.source, e.target, {k: x for k, x in e.attributes().items() if x is not None}) for e in graph.es]
    return _json({name: graph[name] for name in graph.attributes()}, nodes, edges)


def _json(about, nodes, edges):
    switches = [(key, data) for key, data in nodes if data.get("kind", "switch") == "switch"]
    hosts = [(key, data) for key, data in nodes if data.get("kind") == "host"]
    if len(switches) + len(hosts) != len(nodes):
        wrong = next(key for key, data in nodes if data.get("kind", "switch") not in ("switch", "host"))
        raise UsageError(f"graph: the kind of node {wrong!r} is neither 'switch' nor 'host'")
    number = {key: at for at, (key, _) in enumerate(switches + hosts)}
    links, classes, used = _links(edges, number)
    fabric = {"format": "ikat fabric", "version": 1, **{name: about[name] for name in ("family", "spec") if name in about},
              "classes": classes, "switches": [_node(switches[i][1], used.get(i, 0)) for i in range(len(switches))],
              "hosts": [_node(hosts[i][1], used.get(len(switches) + i, 0)) for i in range(len(hosts))], "links": links,
              "findings": []}
    try:
        return json.dumps(fabric, default=_number)
    except (TypeError, ValueError) as error:
        raise WrongType(f"graph: an attribute is of a type that a fabric cannot hold ({error})") from None


def _number(value):
    """Numbers of numpy among the attributes."""
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"{type(value).__name__}")


def _node(data, ports):
    return {"ports": max(_whole(data.get("ports", 0), "ports"), ports), **{name: data[name] for name in _KEPT if name in data}}


def _whole(value, what):
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and float(value).is_integer():
        value = int(value)  # 200e9, and all numbers of a graph that was read from GraphML
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not 0 <= value < 2**63:
        raise WrongType(f"graph: {what} is {value!r}, a whole number is expected")
    return int(value)


def _links(edges, number):
    """Links with their ports, their classes, and how many ports each node has to have."""
    classes, kinds, taken, plans = [], {}, {}, []
    for a, b, data in edges:
        ends = [[number[a], None], [number[b], None]]
        if "port_a" in data and "port_b" in data:
            if data.get("node_a") == b and data.get("node_b") == a:
                ends.reverse()
            ends[0][1], ends[1][1] = _whole(data["port_a"], "port_a"), _whole(data["port_b"], "port_b")
            for node, port in ends:
                taken.setdefault(node, set()).add(port)
        rate, latency = data.get("rate_bps", _RATE_BPS), data.get("latency_ps", _LATENCY_PS)
        name = data.get("link")
        if not isinstance(name, (str, type(None))):
            raise WrongType(f"graph: link is {name!r}, the name of a class of links is expected")
        kind = (name, _whole(rate, "rate_bps"), _whole(latency, "latency_ps"))
        if kind not in kinds:
            kinds[kind] = len(classes)
            classes.append({**({} if kind[0] is None else {"name": kind[0]}), "rate_bps": kind[1], "latency_ps": kind[2]})
        plans.append((ends, kinds[kind]))
    links = [[x for end in ends for x in _port(end, taken)] + [kind] for ends, kind in plans]
    return links, classes, {node: max(ports) + 1 for node, ports in taken.items()}


def _port(end, taken):
    """An end of a link with its port: the next free one of its node where it has none."""
    node, port = end
    if port is None:
        ports = taken.setdefault(node, set())
        port = len(ports)
        while port in ports:
            port += 1
        ports.add(port)
    return node, port
