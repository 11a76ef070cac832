"""What notebooks show of objects: small tables, whose texts are escaped, of the numbers that the objects have."""
import collections
import html.parser
import unittest

from support import EXPERIMENT, PythonTest, SHORT, ikat, package

HOSTILE = "<script>alert('&amp;')</script>"


class Table(html.parser.HTMLParser):
    """Reads a table: its title and its rows, and which elements it is made of."""

    def __init__(self, text):
        super().__init__()
        self.title, self.rows, self.elements, self.open = "", {}, collections.Counter(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements[tag] += 1
        if tag == "br":
            self.cell += "\n"
            return
        self.open.append(tag)
        if tag in ("th", "td"):
            self.cell = ""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "th":
            self.key = self.cell
        elif tag == "td":
            self.rows[self.key] = self.cell

    def handle_data(self, data):
        if self.open[-1] == "caption":
            self.title += data
        else:
            self.cell += data


class Notebooks(PythonTest):
    def table(self, thing):
        """The table of an object, which has nothing but rows of two cells."""
        found = Table(thing._repr_html_())
        self.assertEqual(found.open, [])
        self.assertEqual(set(found.elements) - {"br"}, {"table", "caption", "tr", "th", "td"})
        self.assertEqual((found.elements["table"], found.elements["tr"]), (1, len(found.rows)))
        self.assertLessEqual(3, len(found.rows) + (type(thing) is ikat.Results))
        self.assertNotIn("None", "".join(found.rows.values()))
        self.assertEqual([key for key, value in found.rows.items() if value != value.strip() or "_" in key], [])
        return found

    def test_fabrics(self):
        fabric = ikat.Fabric("rlft:ports=8,levels=2")
        found = self.table(fabric)
        self.assertEqual(found.title, "rlft:ports=8,levels=2")
        self.assertEqual([found.rows[key] for key in ("hosts", "switches", "links", "levels", "rates", "findings")],
                         ["32", "12", "64 (32 between switches)", "2", "100 Gb/s", "none"])
        found = self.table(fabric.degrade(links=[4, 5]))
        self.assertEqual(found.rows["links"], "62 (30 between switches)")
        self.assertRegex(found.rows["findings"], "^[1-9][0-9]* (warning|note)")
        self.assertEqual(self.table(ikat.Fabric("torus:dims=3:3")).rows["levels"], "no tree")

    def test_proofs(self):
        proof = ikat.Fabric("karytree:k=2,n=3").routing("dmodk").prove()
        found = self.table(proof)
        self.assertEqual(found.title, "proof of dmodk, VC scheme 1q")
        self.assertEqual((found.rows["pairs"], found.rows["delivered"], found.rows["mean hops"]), ("56", "yes", f"{proof.mean_hops:.4g}"))
        self.assertEqual(found.rows["deadlock-free"], "yes: " + proof.deadlock_reason)
        self.assertIn("deadlock-free yes (", repr(proof))
        stuck = ikat.Fabric("ring:n=5").routing("shortest").prove(flow="cut_through")
        self.assertEqual(self.table(stuck).rows["deadlock-free"], "no: " + stuck.deadlock_reason)
        self.assertEqual(self.table(stuck).rows["flow control"], "cut-through")
        self.assertIn("deadlock-free no (", repr(stuck))
        self.assertEqual(self.table(ikat.Fabric("ring:n=5").routing("shortest").prove(sample_pairs=7)).rows["pairs"], "7, drawn")

    def test_loads_and_what_is_not_delivered(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        load = fabric.routing("dmodk").load("shift:by=2")
        rows = self.table(load).rows
        self.assertEqual(rows["largest load between switches"], f"{load.max_load:.4g} of a host's rate")
        self.assertEqual((rows["predicted saturation"], rows["delivered"]), (f"{100 * load.saturation:.4g} %", "yes"))
        self.assertNotIn("delivered", repr(load))
        path = self.tmp / "some.lfts"
        text = fabric.routing("dmodk").tables_text()
        lines = text.splitlines()
        gone = next(at for at in range(len(lines) - 1, -1, -1) if lines[at].startswith("0x"))
        path.write_text("\n".join(lines[:gone] + lines[gone + 1:]) + "\n", encoding="utf-8")
        routing = fabric.routing(f"lft:path={path}")
        load, proof = routing.load("uniform"), routing.prove()
        self.assertGreater(load.undelivered, 0)
        self.assertEqual(self.table(load).rows["delivered"], f"no: {load.undelivered} of 12 flows are not delivered")
        self.assertIn(f", {load.undelivered} of 12 flows are not delivered>", repr(load))
        self.assertEqual(self.table(proof).rows["delivered"], f"no: {proof.undelivered} pairs are not")

    def test_simulations(self):
        routing = ikat.Fabric("karytree:k=2,n=2").routing("dmodk")
        run = routing.simulate("uniform", 0.4, **SHORT)
        rows = self.table(run).rows
        self.assertEqual((rows["load"], rows["accepted throughput"]), ("40 %", f"{100 * run.throughput:.4g} %"))
        self.assertEqual(rows["mean latency"], f"{run.latency.mean_ns:.4g} ns")
        self.assertEqual(rows["packets delivered"], f"{run.packets_delivered}")
        self.assertEqual((rows["steady"], rows["deadlock"]), (f"{run.steady}: {run.steady_reason}", "no"))
        self.assertIn(f"steady {run.steady}>", repr(run))
        done = routing.simulate("exchange:bytes=64KiB", 1.0, until="delivered", at_most="10 ms")
        rows = self.table(done).rows
        self.assertEqual((rows["completion time"], rows["completed"]), (f"{done.completion_ns:.4g} ns", "yes"))
        self.assertNotIn("steady", rows)
        cut = routing.simulate("exchange:bytes=64KiB", 1.0, until="delivered", at_most="1 us")
        self.assertRegex(self.table(cut).rows["completed"], "^no: .")

    def test_a_deadlock(self):
        ring = ikat.Fabric("ring:n=5").routing("shortest")
        run = ring.simulate("shift:by=2", 1.0, warmup="10 us", duration="2 ms", model="ioq", switch_buffer="4 KiB")
        self.assertTrue(run.deadlock)
        self.assertEqual(self.table(run).rows["deadlock"], run.deadlock_text.strip())

    def test_hostile_names_are_escaped(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        hostile = ikat.Fabric.from_json({**fabric.to_json(), "spec": HOSTILE, "family": HOSTILE})
        folder = self.tmp / "<b>&lt;"
        folder.mkdir()
        tables = folder / "<script>.lfts"
        fabric.routing("dmodk").write_tables(tables)
        routing = fabric.routing(f"lft:path={tables}")
        shown = {hostile: HOSTILE, routing: "<script>", routing.prove(): "<script>", routing.load(): "<script>",
                 routing.simulate("uniform", 0.4, **SHORT): "<script>"}
        for thing, name in shown.items():
            self.assertIn(name, self.table(thing).title)
            self.assertNotIn("<script", thing._repr_html_())
        package("pandas")
        results = ikat.run(EXPERIMENT, folder / "<script>.db")
        self.assertEqual(self.table(results).title, "<script>.db")
        self.assertEqual(self.table(results).rows["points"], "4 of 4")

    def test_closed_objects(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        routing = fabric.routing("dmodk")
        for thing in (routing.prove(), routing.load(), routing.simulate("uniform", 0.4, **SHORT), routing, fabric):
            self.assertIn("table", thing._repr_html_())
            thing.close()
            self.refused(ikat.ClosedError, thing._repr_html_, says="is closed")
            self.assertIn("closed", repr(thing))


if __name__ == "__main__":
    unittest.main()
