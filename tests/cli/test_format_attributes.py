#!/usr/bin/env python3
"""What of a fabric each format keeps that is both written and read: the table of docs/formats.md, cell by cell."""
import json
import unittest

from harness import SOURCE, CliTest

ENDINGS = {"json": "json", "graphml": "graphml", "dot": "dot", "edges": "edges", "anynet": "anynet", "ibnetdiscover": "ibnetdiscover", "subnet_lst": "lst"}


def guid(n):
    return f"0x{n:016x}"


def rich():
    """Every attribute has values that no reader would guess."""
    switches = [{"name": f"leaf-{c}", "guid": guid(0x100 + i), "lid": 10 + i, "ports": 9, "level": 1, "xy": [i, 7], "place": [1, 2, 3 + i]} for i, c in enumerate("ab")]
    switches.append({"name": "spine x <&>", "guid": guid(0x200), "lid": 20, "lmc": 1, "ports": 5, "level": 2, "xy": [5, -6], "place": [3, 0, 0]})
    switches[0]["labels"] = [[0, 9]]
    hosts = [{"name": f"node{i} hca", "guid": guid(0x300 + 16 * i), "lid": 30 + 4 * i, "lmc": 1, "ports": 1, "port_guids": [[0, guid(0x301 + 16 * i)]]} for i in range(4)]
    hosts[3] |= {"ports": 2, "port_guids": [[0, guid(0x331)], [1, guid(0x332)]], "port_lids": [[0, 42, 1], [1, 46, 1]]}
    classes = [{"name": "copper", "rate_bps": 10**11, "latency_ps": 7000}, {"name": "optical", "rate_bps": 2 * 10**11, "latency_ps": 9000}, {"name": "long copper", "rate_bps": 10**11, "latency_ps": 50000}]
    links = [[0, 4, 2, 3, 1], [1, 4, 2, 1, 1], [3, 0, 0, 0, 0], [4, 0, 0, 1, 2], [5, 0, 1, 2, 0], [6, 0, 0, 3, 0], [6, 1, 1, 0, 0]]
    end = {"switch": 2, "port": 4, "name": "Mellanox Technologies Aggregation Node", "guid": guid(0x400), "port_guid": guid(0x401), "lid": 60, "lmc": 0, "link": "copper", "rate_bps": 10**11, "latency_ps": 7000}
    return {"format": "ikat fabric", "version": 1, "rates_meant": True, "classes": classes, "switches": switches, "hosts": hosts, "links": links, "endpoints": [end], "findings": []}


def of_nodes(*keys):
    return lambda fabric: [tuple(n.get(k) for k in keys) for n in fabric["switches"] + fabric["hosts"]]


def of_links(value):
    """By the nodes and ports of each link, the lower node first; `value` gets the printed numbers of its ports and its class."""
    def found(fabric):
        out, nodes = [], fabric["switches"] + fabric["hosts"]
        for a, pa, b, pb, c in fabric["links"]:
            (a, pa), (b, pb) = sorted((n, dict(nodes[n].get("labels") or []).get(p, p + 1)) for n, p in ((a, pa), (b, pb)))
            out.append((a, b, value((pa, pb), fabric["classes"][c])))
        return sorted(out, key=repr)
    return found


ATTRIBUTES = {
    "switches, hosts, and how they are joined": lambda f: (len(f["switches"]), len(f["hosts"]), of_links(lambda ports, c: None)(f)),
    "names": of_nodes("name"),
    "GUIDs of nodes": of_nodes("guid"),
    "GUIDs of hosts' ports": of_nodes("port_guids"),
    "LIDs": of_nodes("lid"),
    "LMCs": of_nodes("lmc"),
    "LIDs of several ports of a host": of_nodes("port_lids"),
    "numbers of ports": of_links(lambda ports, c: ports),
    "ports without a cable": of_nodes("ports"),
    "rates": of_links(lambda ports, c: c["rate_bps"]),
    "latencies": of_links(lambda ports, c: c["latency_ps"]),
    "names of kinds of links": of_links(lambda ports, c: c["name"]),
    "levels": of_nodes("level"),
    "positions on the floor": of_nodes("xy"),
    "places in a drawing": of_nodes("place"),
    "aggregation nodes": lambda f: [(e["switch"], e["name"], e["guid"], e["lid"]) for e in f.get("endpoints", [])],
    "rates are meant": lambda f: f.get("rates_meant", False),
}


class Attributes(CliTest):
    def again(self, fabric, name):
        """The fabric as a format keeps it, and the bytes; written twice they are the same."""
        first, out, back = (self.tmp / x for x in ("first.json", f"out.{ENDINGS[name]}", "back.json"))
        first.write_text(json.dumps(fabric))
        for path in (out, back):
            path.unlink(missing_ok=True)
        self.ok("topo", first, "-o", out, "-q")
        self.ok("topo", f"file:{out},format={name}", "-o", back, "-q")
        written = out.read_text()
        out.unlink()
        self.ok("topo", back, "-o", out, "-q")
        if "labels" not in fabric["switches"][0]:  # they are the order of ports in dumps
            self.assertEqual(out.read_text(), written)
        return json.loads(back.read_text())

    def test_table(self):
        """Formats times attributes: what is marked as kept comes back, and what is not marked does not."""
        text = (SOURCE / "docs/formats.md").read_text().split("What each format keeps", 1)[1].split("\n\n")[1]
        head, _, *rows = ([c.strip() for c in line.strip("|").split("|")] for line in text.strip().splitlines())
        self.assertEqual([c.strip("`") for c in head[1:]], list(ENDINGS))
        self.assertEqual([r[0] for r in rows], list(ATTRIBUTES))
        table = {row[0]: dict(zip(ENDINGS, row[1:], strict=True)) for row in rows}
        before = self.again(rich(), "json")
        for name in ENDINGS:
            after = self.again(rich(), name)
            for attribute, read in ATTRIBUTES.items():
                with self.subTest(format=name, attribute=attribute):
                    kept = read(before) == read(after)
                    if table[attribute][name] == "relative":
                        kept = len({x[-1] / y[-1] for x, y in zip(read(before), read(after), strict=True)}) == 1
                    self.assertIn(table[attribute][name], ("yes", "", "found again", "relative"))
                    self.assertEqual(kept, table[attribute][name] != "", f"{read(before)}\n{read(after)}")

    def test_the_same_bytes(self):
        fabric = rich()
        del fabric["switches"][0]["labels"]
        for name in ENDINGS:
            with self.subTest(format=name):
                self.again(fabric, name)

    def test_rates_meant(self):
        """The word alone, as other tools may write it; other values and places are not it."""
        for name, yes, no in (("a.edges", "# rates_meant = true\nh0 0 1Gb/s\nh1 0 1Gb/s\nh2 0 2Gb/s\nh3 0 2Gb/s\nh4 0 2Gb/s\n", ("true", "true x")), ("a.dot", "graph {rates_meant = \"true\"; a [kind=switch]; " + "".join(f"h{i} [kind=host]; a -- h{i} [rate_bps={10**9 * (1 + (i > 1))}];" for i in range(5)) + "}\n", ("true", "false"))):
            for text, meant in ((yes, True), (yes.replace(*no), False)):
                path = self.tmp / name
                path.write_text(text)
                codes = [f["code"] for f in self.json("topo", path)["findings"]]
                self.assertEqual("slow-link" not in codes, meant, text)

    def test_a_simulators_network(self):
        """Rates that a configuration means stay meant through every format that can say so."""
        for name in ("json", "graphml", "dot", "edges"):
            out = self.tmp / f"kept.{ENDINGS[name]}"
            self.ok("topo", SOURCE / "data/dragonfly72.codes.conf", "-o", out, "-q")
            said = [[f["code"] for f in self.json("topo", x)["findings"]] for x in (SOURCE / "data/dragonfly72.codes.conf", out)]
            self.assertEqual(*("slow-link" in s for s in said))
            self.assertNotIn("slow-link", said[1])


if __name__ == "__main__":
    unittest.main()
