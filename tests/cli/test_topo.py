"""ikat topo and ikat compare against values computed by an independent program."""
import json
import math
import re
import unittest
from xml.etree import ElementTree

from harness import SOURCE, CliTest

DATA = SOURCE / "tests/data/topology"


def data(name):
    return json.loads((DATA / f"{name}.json").read_text())


class Topo(CliTest):
    def test_forwarding_tables_are_no_fabric(self):
        """Every form of them is named, with the commands that take it."""
        own = self.tmp / "own.lft"
        self.ok("route", "karytree:k=2,n=2", "-r", "dmodk", "--format", "lft", "-o", own)
        dumps = SOURCE / "tests/data/opensm"
        for tables in (own, dumps / "ft2_8p.dump_fts", dumps / "ft2_8p.opensm-lfts.dump"):
            with self.subTest(tables=tables.name):
                self.refused("topo", tables, says=["forwarding tables", "ikat check", "--routing lft:path="])
                self.refused("check", tables, "-r", "updown", says=["forwarding tables", "--routing lft:path="])
        unproved = self.tmp / "torus.lft"
        self.ok("route", "torus:dims=4:4", "-r", "dfsssp", "--format", "lft", "--unproved", "-o", unproved)
        self.refused("topo", unproved, says="forwarding tables")

    def test_lids_of_0_are_said(self):
        def found(path):
            return [f for f in self.json("topo", path)["findings"] if f["code"] == "lid-zero"]

        dump = (SOURCE / "tests/data/opensm/ft2_8p.ibnetdiscover").read_text()
        path = self.tmp / "fabric.ibnetdiscover"
        path.write_text(dump)
        self.assertEqual(found(path), [])
        lids = sorted({int(n) for n in re.findall(r"\blid (\d+)", dump)})
        path.write_text(re.sub(rf"\blid {lids[0]}\b", "lid 0", dump))
        self.assertEqual(len(found(path)), 1)
        self.assertIn("LID 0", found(path)[0]["text"])
        self.ok("topo", "ring:n=4", "-o", path)
        self.assertIn("4 switches and 4 hosts have LID 0", found(path)[0]["text"])

    def check(self, spec, e):
        """Counts, cost, distances and diversity of one entry of t5_indirect.json."""
        with self.subTest(fabric=spec):
            o = self.json("topo", spec, "--all", "--partitions", 1)
            self.assertEqual((o["hosts"], o["switches"], o["links"], o["ports"]), (e["N"], e["R"], e["Nl"], e["Np"]))
            self.assertAlmostEqual(o["ports_per_host"], e["Np_per_N"])
            self.assertAlmostEqual(o["links_per_host"], e["Nl_per_N"])
            self.assertEqual(o["radix"], max(map(int, e["router_radix_hist"])))
            self.assertEqual((o["diameter"], o["switch_diameter"]), (e["diameter_between_endnode_routers"], e["diameter_all_routers"]))
            distances = {str(k): n for k, n in enumerate(o["leaf_distance_histogram"]) if n}
            self.assertEqual(distances, e["distance_hist_endnode_router_ordered_pairs"])
            paths = {f"{c['distance']},{c['paths']}": c["pairs"] for c in o["path_diversity"]["counts"]}
            self.assertEqual(paths, e["minpath_hist_[distance,paths]"])

    def test_indirect_families(self):
        d = data("t5_indirect")
        for k, e in d["oft"].items():
            self.check(f"oft:k={k}", e)
        for key, e in d["mlfm"].items():
            h, l, p = (key.strip("()").split(",") * 3)[:3] if "," in key else (key, key, key)
            self.check(f"mlfm:h={h},l={l},p={p}", e)
        for r, e in d["fat_trees"].items():
            self.check(f"fattree2:ports={r}", e["two_level"])
            self.check(f"fattree3:ports={r}", e["three_level"])

    def test_slim_fly(self):
        for q, e in data("t4_slimfly").items():
            if int(q) > 19:
                continue
            o = self.json("topo", f"slimfly:q={q}", "--all", "--partitions", 1)
            v = e["p_variants"]["floor"]
            self.assertEqual((o["hosts"], o["switches"], o["radix"], o["ports"], o["links"]), (v["N"], e["R"], v["router_radix"], v["Np"], v["Nl"]))
            self.assertEqual((o["max_degree"], o["switch_diameter"], o["switch_links"]), (e["network_radix"], 2, e["graph"]["links"]))
            self.assertAlmostEqual(o["moore_ratio"], e["moore_fraction"])
            self.assertAlmostEqual(o["mean_switch_hops"], e["graph"]["avg_distance_routers"])
            far = {str(c["paths"]): c["pairs"] for c in o["path_diversity"]["counts"] if c["distance"] == 2}
            self.assertEqual(far, e["graph"]["min_paths_hist_nonadjacent_ordered_pairs"])
            self.assertEqual(o["girth"] == 3, e["graph"]["triangles"] > 0)

    def test_hoffman_singleton(self):
        o = self.json("topo", "slimfly:q=5", "--all")
        self.assertEqual((o["girth"], o["moore_ratio"], o["bisection"]["cut"]), (5, 1.0, 65))

    def test_bisection(self):
        d = data("t8_bisection")
        cases = [(f"oft:k={k}", e) for k, e in d["OFT"].items() if int(k) < 15]
        cases += [(f"mlfm:h={h}", e) for h, e in d["MLFM"].items()] + [(f"slimfly:q={q}", e) for q, e in d["SF"].items() if int(q) < 15]
        for spec, e in cases:
            with self.subTest(fabric=spec):
                b = self.json("topo", spec, "--all", "--partitions", 8)["bisection"]
                hosts = b["hosts_a"] + b["hosts_b"]
                self.assertEqual(b["hosts_a"], b["hosts_b"])
                known = e.get("best_cut_found", e.get("exact_min_cut"))
                self.assertLessEqual(b["cut"], known * 1.01)
                if "exact_min_cut" in e:
                    self.assertEqual(b["cut"], known)
                self.assertLessEqual(b["lower_bound"], b["cut"] + 1e-6)
                self.assertAlmostEqual(b["per_host"], b["cut"] / (hosts / 2))
                bound = e.get("spectral_lower_bound_per_endnode", e.get("floor", {}).get("lower_bound"))
                if bound:
                    self.assertAlmostEqual(b["lower_bound_per_host"], bound, places=5)

    def test_trees(self):
        o = self.json("topo", "karytree:k=2,n=3", "--all")
        self.assertEqual(o["distance_histogram"], [8, 0, 16, 0, 32])
        self.assertEqual((o["levels"], o["level_switches"], o["girth"]), (3, [4, 4, 4], 4))
        self.assertEqual(self.json("topo", "xgft:m=3:3:3,w=1:1:1", "--all")["girth"], None)

    def test_parallel_links_and_cycles(self):
        self.assertEqual(self.json("topo", "torus:dims=7", "--all")["girth"], 7)
        self.assertEqual(self.json("topo", "hypercube:n=4", "--all")["girth"], 4)
        self.assertEqual(self.json("topo", "polarfly:q=4", "--all")["girth"], 3)

    def test_floor(self):
        floor = self.json("topo", DATA.parent / "lrt/lrt_64_4_2_00.txt", "--all")["floor"]
        self.assertEqual(floor["copper_cables"] + floor["optical_cables"], 128 + 64)
        self.assertLessEqual(floor["after_search_m"], floor["before_search_m"])

    def test_million_hosts(self):
        o = self.json("topo", "rlft:ports=160,levels=3")
        self.assertEqual((o["hosts"], o["switches"], o["diameter"]), (1024000, 32000, 4))
        self.assertEqual(o["distance_histogram"], [1024000 * 79, 0, 1024000 * 79 * 80, 0, 1024000 * (1024000 - 6400)])

    def test_degraded(self):
        o = self.json("topo", "karytree:k=2,n=2,fail=sw0.3", status=0)
        self.assertTrue(any(f["code"] == "failed-link" for f in o["findings"]))
        o = self.json("topo", "xgft:m=2:2,w=1:1,fail=sw0.3", status=None)
        self.assertEqual(o["unconnected_pairs"], 8)
        self.assertIsNone(o["switch_diameter"])

    def test_writes_what_it_read(self):
        for ending in ("json", "edges", "graphml"):
            a, b = self.tmp / f"a.{ending}", self.tmp / f"b.{ending}"
            self.ok("topo", "slimfly:q=5", "-o", a)
            self.ok("topo", a, "-o", b, status=None)
            self.assertEqual(a.read_bytes(), b.read_bytes())

    def test_wrong_usage(self):
        self.refused("topo", "slimfyl:q=5", says="slimfly")
        self.refused("topo", "slimfly:q=5", "-o", self.tmp / "x.unknown", says="unknown")


class Compare(CliTest):
    def rows(self, *args):
        return {r["series"] or r["spec"]: r for r in self.json("compare", *args)["fabrics"]}

    def test_scale_by_radix(self):
        for radix, e in data("t5_indirect")["fig3_scale"].items():
            r = self.rows("--radix", radix)
            expected = {"2-D HyperX": e["2D_HyperX"]["N"], "2-level fat tree": e["2lvl_FT"], "3-level fat tree": e["3lvl_FT"],
                        "MLFM": e["MLFM"], "OFT": e["OFT_largest_prime_power_order"]["N"],
                        "Slim Fly": e["SF_largest"]["floor"]["N"], "Slim Fly, p rounded up": e["SF_largest"]["ceil"]["N"]}
            self.assertEqual({name: r[name]["hosts"] for name in expected}, expected)
            self.assertTrue(all(row["radix"] <= int(radix) for row in r.values() if row["spec"]))

    def test_rows_by_formula_are_what_is_built(self):
        for name, row in self.rows("--radix", 12).items():
            o = self.json("topo", row["spec"])
            self.assertEqual([o[k] for k in ("hosts", "switches", "ports", "links", "radix")],
                             [row[k] for k in ("hosts", "switches", "ports", "links", "radix")], name)

    def test_scale_table_and_plot(self):
        picture = self.tmp / "scale.svg"
        o = self.json("compare", "--scale", "4..40", "--plot", picture)
        rows = {r["series"]: r["hosts_by_radix"] for r in o["scale"]}
        for radix, e in data("t5_indirect")["fig3_scale"].items():
            self.assertEqual(rows["OFT"][radix], e["OFT_largest_prime_power_order"]["N"])
            self.assertEqual(rows["3-level fat tree"][radix], e["3lvl_FT"])
        svg = picture.read_text()
        drawn = ElementTree.fromstring(svg)
        width, height = map(float, drawn.get("viewBox").split()[2:])
        names = [t for t in drawn.iter("{http://www.w3.org/2000/svg}text") if t.get("class") == "name"]
        self.assertEqual([t.text for t in names], list(rows))
        self.assertLess(max(float(t.get("x")) + 8 * len(t.text) for t in names), width)
        self.assertLess(max(float(t.get("y")) for t in names), height)
        looks = [(p.get("stroke"), p.get("stroke-dasharray")) for p in drawn.iter("{http://www.w3.org/2000/svg}path") if p.get("stroke-dasharray")]
        self.assertEqual(len(set(looks)), len(rows))
        self.assertIn("OFT: 24, 3192", svg)
        self.refused("compare", "--scale", "9..3", says="range")

    def test_by_hosts(self):
        for row in self.rows("--hosts", 500).values():
            self.assertGreaterEqual(row["hosts"], 500)

    def test_columns(self):
        """Rates are headed with "per"."""
        head = self.ok("compare", "ring:n=4", "--bisection").splitlines()[0]
        self.assertIn("bisection per host", head)
        self.assertNotRegex(head, r"\w an? \w")

    def test_specs(self):
        r = self.rows("slimfly:q=5", "oft:k=4", "--bisection", "--traffic", "uniform", "--traffic", "worst", "--traffic", "shuffle")
        self.assertAlmostEqual(r["slimfly:q=5"]["bisection_per_host"], 65 / 75)
        self.assertTrue(math.isclose(r["slimfly:q=5"]["saturation"]["worst"], 1 / 6))
        self.assertTrue(math.isclose(r["oft:k=4"]["saturation"]["worst"], 1 / 4))
        self.assertIsNone(r["oft:k=4"]["saturation"]["shuffle"])

    def test_wrong_usage(self):
        self.refused("compare", says="nothing to compare")
        self.refused("compare", "--radix", "many", says="--radix")
        self.refused("compare", "nosuchfamily", "--radix", "8", says="no family")
        self.refused("compare", "oft", "slimfyl", "--radix", "8", says=["no family", "'slimfly'"])
        self.refused("compare", "oft", "ring", "--scale", "8..9", says="no family")
        self.refused("compare", "--radix", "65536", says="1 to 65535")
        self.refused("compare", "ring:n=5", "--plot", "x.svg", says="--scale")
        self.refused("compare", "--scale", "8..9", "--radix", "8", says="--radix cannot be used with it")

    def test_more_paths_than_can_be_counted(self):
        most = self.json("topo", "mesh:dims=34:34", "--all")["path_diversity"]  # (66 over 33) paths from corner to corner
        self.assertEqual(most["max"], 7219428434016265740)
        many = self.json("topo", "mesh:dims=36:36", "--all")["path_diversity"]
        self.assertEqual((many["min"], many["mean"], many["max"]), (1, None, None))
        self.assertIn({"distance": 70, "paths": None, "pairs": 4}, many["counts"])
        self.assertIn("at least 9,223,372,036,854,775,807", self.ok("topo", "mesh:dims=36:36", "--all"))

    def test_compare_of_long_paths(self):
        folder = self.tmp / ("long" * 50) / ("longer" * 30)
        folder.mkdir(parents=True)
        self.ok("topo", "ring:n=5", "-o", folder / "ring.edges")
        self.assertEqual(self.json("compare", folder / "ring.edges")["fabrics"][0]["hosts"], 5)

    def test_compare_tells_no_saturation_where_pairs_are_lost(self):
        path = self.tmp / "parts.edges"
        path.write_text("0 1\n2 3\nh0 0\nh1 1\nh2 2\nh3 3\n")
        self.assertIsNone(self.json("compare", path, "--traffic", "uniform")["fabrics"][0]["saturation"]["uniform"])


if __name__ == "__main__":
    unittest.main()
