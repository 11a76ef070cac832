"""Experiments and results files."""
import pathlib
import sqlite3

from support import EXPERIMENT, PythonTest, SOURCE, ikat, np, package, unittest


class Experiments(PythonTest):
    @classmethod
    def setUpClass(cls):
        cls.pandas = package("pandas")
        cls.results = ikat.run(EXPERIMENT)

    def test_frames_are_what_the_file_holds(self):
        frame = self.results.frame()
        self.assertEqual(len(frame), 4)
        with sqlite3.connect(self.results.path) as connection:
            stored = connection.execute("SELECT load, seed, throughput, latency_mean_ns, packets_delivered, checksum FROM points ORDER BY id").fetchall()
        for (load, seed, throughput, latency, packets, checksum), (_, row) in zip(stored, frame.iterrows()):
            self.assertEqual((row.load, row.seed, row.packets_delivered, row.checksum), (load, seed, packets, checksum))
            np.testing.assert_allclose([row.throughput, row.latency_mean_ns], [throughput, latency], rtol=1e-6)
        own = self.results.sql("SELECT load, throughput FROM points WHERE load > ? ORDER BY id", [0.5])
        self.assertEqual(own["load"].tolist(), [0.6, 0.6])
        self.assertEqual(frame.attrs["units"]["latency_mean_ns"], "ns")
        self.assertEqual(self.results.units()["throughput"], "of the hosts' rate")
        self.assertEqual(ikat.unit_of("link_bytes"), "B")
        self.assertEqual(ikat.unit_of("seed"), "")
        self.assertEqual(frame.routing.tolist(), ["dmodk", "dmodk", "updown", "updown"])
        self.assertTrue((frame.variant == "").all())

    def test_every_table(self):
        self.assertEqual(self.results.tables[0], "points")
        for table in self.results.tables:
            frame = self.results.frame(table)
            lines = self.results.csv(table).splitlines()
            self.assertEqual(list(frame.columns), lines[0].split(","), table)
            self.assertEqual(len(frame), len(lines) - 1, table)
            self.assertEqual(list(self.results.units(table)), lines[0].split(","))
        self.assertEqual(set(self.results.frame("plans").routing), {"dmodk", "updown"})
        self.refused(ikat.UsageError, self.results.frame, "nothing", says="there is no table")
        self.refused(ikat.WrongType, self.results.frame, 3)
        self.refused(ikat.UsageError, self.results.sql, "SELECT nothing FROM nowhere")
        self.refused(ikat.UsageError, self.results.sql, "DELETE FROM points")

    def test_results(self):
        results = self.results
        self.assertEqual(results.points_finished, (4, 4))
        self.assertIs(results.failed, False)
        self.assertIn("4 of 4 points", repr(results))
        self.assertIn("<table>", results._repr_html_())
        self.assertIn("Proofs", results.summary())
        self.assertIn("fabric", results.experiment)
        self.assertIsInstance(results.json(), dict)
        claim, = results.claims()
        self.assertEqual((claim.verdict, claim.claim), ("cannot be told", "all of 20 % is accepted"))
        figure = results.figure("curve")
        self.assertEqual(len(figure), 4)
        self.assertIn("<svg", results.figure_svg("curve"))
        for ending, first in ((".svg", b"<"), (".pdf", b"%PDF"), (".png", b"\x89PNG"), (".csv", b"")):
            results.write_figure("curve", self.tmp / f"curve{ending}")
            self.assertTrue((self.tmp / f"curve{ending}").read_bytes().startswith(first))
        self.refused(ikat.UsageError, results.write_figure, "curve", self.tmp / "curve.doc", says=".doc")
        self.refused(ikat.InputError, results.figure, "kurve", says="curve")
        results.report(self.tmp / "report.html")
        self.assertIn("<html", (self.tmp / "report.html").read_text(encoding="utf-8"))
        self.refused(ikat.FileError, results.report, "/nowhere/report.html")
        self.refused(ikat.FileError, results.write_figure, "curve", "/nowhere/curve.svg")

    def test_arrays(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        for row, (name, load) in enumerate([("dmodk", 0.2), ("dmodk", 0.6), ("updown", 0.2), ("updown", 0.6)]):
            run = fabric.routing(name).simulate("uniform", load, warmup="10 us", duration="30 us", series="10 us")
            self.assertEqual(self.results.frame().checksum[row], run.checksum)
            arrays = self.results.arrays(row)
            for key in ("channel_bytes", "host_bytes", "host_sent_bytes", "series_throughput", "series_latency_ns", "series_blocked",
                        "series_time_ns"):
                self.assertEqual(arrays[key].tolist(), getattr(run, key).tolist(), key)
            self.assertEqual(arrays["latency_histogram"].sum(), run.latency.count)
            self.assertEqual(arrays["latency_edges_ns"].tolist(), run.latency.edges_ns[:len(arrays["latency_histogram"])].tolist())
            self.assertNotIn("host_finish", arrays)
        self.refused(ikat.UsageError, self.results.arrays, 4)
        self.refused(ikat.WrongType, self.results.arrays, "1")
        path = self.tmp / "damaged.db"
        path.write_bytes(pathlib.Path(self.results.path).read_bytes())
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE points SET host_bytes = x'00000000000000000000'")
        self.refused(ikat.InputError, lambda: ikat.results(path).arrays(0), says="damaged")

    def test_files_of_any_name_in_jobs(self):
        name = 'a,x=1;b+c&d|e "q" (f\\.csv'
        (self.tmp / name).write_text("src,dst,weight\n0,1,1\n1,0,1\n")
        job = {"family": "exchange", "pattern": {"family": "file", "path": name}, "bytes": "4 KiB"}
        mix = {"family": "mix", "members": [{"pattern": "uniform"}, {"pattern": {"family": "shift", "by": 1}, "share": "20%"}]}
        sections = {"fabric": "crossbar:n=8", "routing": "minimal", "measure": {"until": "delivered", "at_most": "10 ms"},
                    "jobs": [{"name": "a", "hosts": "0..3", "traffic": job}, {"name": "b", "hosts": "4..7", "load": "20%", "traffic": mix}]}
        frame = ikat.run(ikat.Experiment(sections, folder=self.tmp)).frame()
        again = dict(sections, traffic=frame.traffic[0])
        del again["jobs"]
        again = ikat.run(ikat.Experiment(again, folder=self.tmp)).frame()
        self.assertEqual(again.traffic[0], frame.traffic[0])
        self.assertEqual(again.checksum.tolist(), frame.checksum.tolist())

    def test_only(self):
        """Points of some values alone, and scales by name."""
        sections = {"fabric": "karytree:k=4,n=2", "routing": ["dmodk", "smodk"], "load": ["10%", "50%"], "measure": {"warmup": "5 us", "duration": "20 us"},
                    "scales": {"quick": {"cost": "3 s"}, "full": {"seeds": 2}}}
        self.assertEqual(ikat.Experiment(sections).scales, ["quick", "full"])
        self.assertEqual(ikat.run(sections, only=["load=10%"]).points_finished, (2, 4))
        with self.assertRaisesRegex(ikat.InputError, "no point of the sweep has the load '20%'"):
            ikat.run(sections, only=["load=20%"])

    def test_ways_to_say_an_experiment(self):
        path = self.tmp / "small.yaml"
        path.write_text(EXPERIMENT)
        sections = {"fabric": "karytree:k=2,n=2", "routing": ["dmodk", "updown"], "traffic": "uniform", "load": [np.float64(0.2), 0.6],
                    "measure": {"warmup": "10 us", "duration": "30 us", "series": "10 us"}}
        expected = self.results.frame().checksum.tolist()
        for source in (str(path), path, EXPERIMENT.encode(), sections, ikat.Experiment(path)):
            self.assertEqual(ikat.run(source, threads=1).frame().checksum.tolist(), expected)
        again = ikat.run(path, self.tmp / "again.db")
        self.assertEqual(pathlib.Path(again.path), self.tmp / "again.db")
        seen = []
        self.assertEqual(ikat.run(path, self.tmp / "again.db", progress=seen.append).frame().checksum.tolist(), expected)
        self.assertEqual({event.text for event in seen if event.kind == "point"}, {"reused"})
        self.assertEqual(ikat.results(self.tmp / "again.db").frame().checksum.tolist(), expected)
        less = ikat.run(path, set={"load": "20%", "measure.duration": "20 us", "routing": ["dmodk"]})
        self.assertEqual(less.points_finished, (1, 1))
        experiment = ikat.Experiment(path)
        self.assertEqual((experiment.num_points, experiment.title, experiment.name), (4, "small", "small"))
        self.assertEqual((experiment.figures, experiment.scales, experiment.description), (["curve"], [], ""))
        self.assertIn("4 points", repr(experiment))
        self.refused(ikat.UsageError, ikat.run, experiment, set={"load": "1%"}, says="already read")
        relative = ikat.Experiment({"fabric": "file:cluster96.ibnetdiscover", "routing": "updown", "load": 0.1}, folder=SOURCE / "data")
        self.assertEqual(relative.num_points, 1)

    def test_progress(self):
        seen = []
        ikat.run(EXPERIMENT, progress=seen.append)
        kinds = [event.kind for event in seen]
        self.assertEqual(kinds.count("point"), 4)
        self.assertIn("stage", kinds)
        self.assertIn("share", kinds)
        points = [event for event in seen if event.kind == "point"]
        self.assertEqual([(event.done, event.total) for event in points], [(n, 4) for n in (1, 2, 3, 4)])
        self.assertEqual(str(points[-1]), "finished 4/4 points")

    def test_parts(self):
        for shard in (1, 2):
            ikat.run(EXPERIMENT, self.tmp / f"{shard}.db", shard=(shard, 2))
        made = ikat.merge([self.tmp / "1.db", self.tmp / "2.db"], self.tmp / "all.db")
        self.assertEqual(made, {"points": 4, "num_points": 4, "doubles": 0})
        self.assertEqual(ikat.results(self.tmp / "all.db").frame().checksum.tolist(), self.results.frame().checksum.tolist())
        self.assertLess(ikat.run(EXPERIMENT, self.tmp / "short.db", budget=1e-9).points_finished[0], 4)
        self.refused(ikat.InputError, ikat.merge, [self.tmp / "1.db"], self.tmp / "all.db", says="exists")
        self.refused(ikat.UsageError, ikat.run, EXPERIMENT, shard=(3, 2))
        self.refused(ikat.WrongType, ikat.run, EXPERIMENT, shard=3)

    def test_a_temporary_file_is_removed(self):
        results = ikat.run(EXPERIMENT)
        path = pathlib.Path(results.path)
        self.assertTrue(path.exists())
        del results
        self.assertFalse(path.exists())

    def test_failed(self):
        results = ikat.run("fabric: ring:n=5\nrouting: shortest\nload: 1%\nmeasure: {duration: 10 us}\n")
        self.assertIs(results.failed, True)

    def test_errors_have_their_place(self):
        path = self.tmp / "wrong.yaml"
        path.write_text("fabric: karytree:k=2,n=2\nrouting: dmodk\nload: [20%, lots]\n")
        error = self.refused(ikat.InputError, ikat.run, path, says="wrong.yaml:3:")
        self.assertEqual((error.file, error.line, error.status), (str(path), 3, "IK_ERR_INPUT"))
        self.assertGreater(error.column, 6)
        error = self.refused(ikat.InputError, ikat.run, {"fabrik": "x", "routing": "dmodk"}, says="fabrik")
        self.assertIn("fabric", error.hint)
        self.refused(ikat.FileError, ikat.run, self.tmp / "none.yaml")
        self.refused(ikat.FileError, ikat.run, EXPERIMENT, "/nowhere/x.db")
        self.refused(ikat.IkatError, ikat.results, path)
        self.refused(ikat.FileError, ikat.results, self.tmp / "none.db")
        self.refused(ikat.WrongType, ikat.run, None)
        self.refused(ikat.WrongType, ikat.run, {"fabric": object()})
        loop = {}
        loop["fabric"] = loop
        self.refused(ikat.WrongType, ikat.run, loop)
        self.refused(ikat.WrongType, ikat.run, EXPERIMENT, set=3)
        self.refused(ikat.InputError, ikat.run, "fabric: \xff\udcff\n")
        self.refused(ikat.UsageError, ikat.run, "a\0b")


if __name__ == "__main__":
    unittest.main()
