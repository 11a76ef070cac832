"""Results as xarray datasets: what stands where is compared with frames, and means with the table of curves."""
import sys

from support import EXPERIMENT, PythonTest, ikat, np, package, unittest

MEASURE = {"warmup": "5 us", "duration": "20 us"}
SWEEP = {"title": "a sweep", "fabric": {"family": "karytree", "k": [4, 2], "n": 2}, "routing": ["dmodk", {"family": "random", "seed": [1, 2, 3]}],
         "adapter": {"packet": ["256 B", "1 KiB"]}, "load": ["60%", "20%"], "seeds": 3, "measure": MEASURE}


class Datasets(PythonTest):
    @classmethod
    def setUpClass(cls):
        cls.pandas, cls.xarray = package("pandas"), package("xarray")
        cls.results = ikat.run(SWEEP)

    def test_every_value_is_that_of_its_point(self):
        data, frame = self.results.dataset(), self.results.frame()
        self.assertIsInstance(data, self.xarray.Dataset)
        self.assertEqual(dict(data.sizes), {"fabric.k": 2, "routing": 4, "adapter.packet": 2, "load": 2, "seed": 3})
        self.assertEqual(data["fabric.k"].values.tolist(), [2, 4])
        self.assertEqual(data["load"].values.tolist(), [0.2, 0.6])
        self.assertEqual(data["adapter.packet"].values.tolist(), [256, 1024])
        self.assertEqual(data["routing"].values.tolist(), ["dmodk", "random:seed=1", "random:seed=2", "random:seed=3"])
        for _, row in frame.iterrows():
            at = {"fabric.k": int(row.fabric[len("karytree:k=")]), "routing": row.routing, "load": row.load, "seed": row.seed,
                  "adapter.packet": 256 if "256 B" in row.variant else 1024}
            point = data.sel(at)
            for name in ("throughput", "latency_mean_ns", "packets_delivered", "order_violations"):
                self.assertEqual(float(point[name]), row[name], name)
            self.assertEqual(str(point["steady"].values), row.steady)
            self.assertEqual(str(point["fabric"].values), row.fabric)
        self.assertEqual(data.throughput.size, len(frame))

    def test_attributes(self):
        data = self.results.dataset()
        self.assertEqual(data.latency_p99_ns.attrs, {"units": "ns", "long_name": "99 % latency"} | {"long_name": ikat.result_names()["latency_p99_ns"]["title"]})
        self.assertEqual(data.throughput.attrs["units"], "of the hosts' rate")
        self.assertEqual(data["load"].attrs["units"], "of the hosts' rate")
        self.assertEqual(data["adapter.packet"].attrs["units"], "B")
        self.assertNotIn("units", data["seed"].attrs)
        self.assertEqual((data.attrs["title"], data.attrs["traffic"], data.attrs["points"], data.attrs["points_of_sweep"]),
                         ("a sweep", "uniform", 96, 96))
        self.assertNotIn("routing", data.attrs)

    def test_means_are_those_of_the_curves(self):
        data, frame = self.results.dataset(over="seed"), self.results.frame("curves")
        self.assertEqual(dict(data.sizes), {"fabric.k": 2, "routing": 4, "adapter.packet": 2, "load": 2})
        self.assertTrue((data.points == 3).all())
        compared = 0
        for _, row in frame.iterrows():
            if row.result not in data or np.isnan(row["mean"]):  # a result that one of its points has not
                continue
            at = {"fabric.k": int(row.fabric[len("karytree:k=")]), "routing": row.routing, "load": row.load,
                  "adapter.packet": 256 if "256 B" in row.variant else 1024}
            np.testing.assert_allclose([float(data[row.result].sel(at)), float(data[row.result + "_ci95"].sel(at))], [row["mean"], row.ci95], rtol=1e-8)
            compared += 1
        self.assertGreater(compared, 300)
        one = self.results.frame()
        one = one[(one.fabric == "karytree:k=2,n=2") & (one.routing == "dmodk") & (one.load == 0.6) & one.variant.str.contains("256 B")]
        at = {"fabric.k": 2, "routing": "dmodk", "load": 0.6, "adapter.packet": 256}
        self.assertEqual(one.checksum.nunique(), 3)
        self.assertAlmostEqual(float(data.throughput.sel(at)), one.throughput.mean(), places=8)
        self.assertAlmostEqual(float(data.throughput_ci95.sel(at)), 4.303 * one.throughput.std() / 3**0.5, places=8)
        self.assertEqual(int(data.not_steady.sel(at)), int((one.steady != "yes").sum()))
        self.assertEqual(data.attrs["over"], ["seed"])

    def test_parameters_are_samples(self):
        data = self.results.dataset(over=["seed", "routing.seed"])
        self.assertEqual(data["routing"].values.tolist(), ["dmodk", "random"])
        self.assertEqual(data.points.sel(routing="random").values.ravel().tolist(), [9] * 8)
        frame = self.results.frame()
        frame = frame[frame.routing.str.startswith("random") & (frame.fabric == "karytree:k=4,n=2") & (frame.load == 0.6) & frame.variant.str.contains("1 KiB")]
        self.assertEqual(len(frame), 9)
        self.assertAlmostEqual(float(data.throughput.sel({"routing": "random", "fabric.k": 4, "load": 0.6, "adapter.packet": 1024})),
                               frame.throughput.mean(), places=8)

    def test_repeated_runs_are_one_sample(self):
        """What draws nothing gives the same run with every seed: no interval, as in tables."""
        sections = {"fabric": "karytree:k=2,n=2", "routing": "dmodk", "traffic": "exchange:pattern=(shift:by=1),bytes=4KiB", "seeds": 3,
                    "measure": {"until": "delivered", "at_most": "10 ms"}}
        results = ikat.run(sections)
        data = results.dataset(over="seed")
        self.assertEqual(results.frame().checksum.nunique(), 1)
        self.assertEqual((dict(data.sizes), int(data.points)), ({}, 3))
        self.assertTrue(np.isfinite(data.completion_ns))
        self.assertTrue(np.isnan(data.completion_ns_ci95))

    def test_named_dimensions(self):
        data = self.results.dataset(dims=["load", "fabric.k", "adapter.packet"], over=["seed", "routing"])
        self.assertEqual(data.throughput.dims, ("load", "fabric.k", "adapter.packet"))
        self.assertTrue((data.points == 12).all())
        refused = self.refused(ikat.UsageError, self.results.dataset, dims=["load", "seed", "adapter.packet", "routing"])
        self.assertIn("they differ in fabric.k", refused.text)
        self.assertIn("over=['fabric.k']", refused.hint)
        self.refused(ikat.UsageError, self.results.dataset, dims=["load"], over="seed", says="several points would be one value")
        self.refused(ikat.UsageError, self.results.dataset, dims=["loads"], says=["do not differ in 'loads'", "load"])
        self.refused(ikat.UsageError, self.results.dataset, dims=["fabric.n"], says="do not differ in 'fabric.n'")
        self.refused(ikat.UsageError, self.results.dataset, dims=["load", "load"], says="twice")
        self.refused(ikat.UsageError, self.results.dataset, dims=["load", "seed"], over="seed", says="'seed' is averaged")
        self.refused(ikat.UsageError, self.results.dataset, dims=["fabric.k"], over="fabric", says="'fabric.k' is averaged")
        self.refused(ikat.InputError, self.results.dataset, over="seeed", says="no axis 'seeed'")
        self.refused(ikat.WrongType, self.results.dataset, dims=3)
        self.refused(ikat.WrongType, self.results.dataset, over=[3])
        self.refused(ikat.WrongType, self.results.dataset, fill="yes")

    def test_parameters_that_are_no_grid(self):
        sections = {"fabric": ["karytree:k=2,n=3", "karytree:k=4,n=2", "ring:n=5"], "routing": "updown", "load": ["20%", "40%"], "measure": MEASURE}
        data = ikat.run(sections).dataset()
        self.assertEqual(dict(data.sizes), {"fabric": 3, "load": 2})
        self.assertEqual(data["fabric"].values.tolist(), ["karytree:k=2,n=3", "karytree:k=4,n=2", "ring:n=5"])
        np.testing.assert_array_equal(data["fabric.k"].values, [2, 4, np.nan])
        self.assertEqual(data["fabric.n"].dims, ("fabric",))
        self.assertEqual(data["fabric.n"].values.tolist(), [3, 2, 5])
        self.assertTrue(np.isfinite(data.throughput).all())

    def test_designs_and_missing_combinations(self):
        sections = {"designs": [{"name": "small", "fabric": "karytree:k=2,n=2", "routing": ["dmodk", "smodk"]},
                                {"name": "large", "fabric": "karytree:k=4,n=2", "routing": "dmodk"}],
                    "traffic": "uniform", "load": ["20%", "40%"], "measure": MEASURE}
        data = ikat.run(sections).dataset()
        self.assertEqual(dict(data.sizes), {"design": 2, "routing": 2, "load": 2})
        self.assertEqual(data["fabric"].dims, ("design",))
        found = data.throughput.isel(load=0).to_pandas()
        self.assertTrue(np.isnan(found.loc["large", "smodk"]))
        self.assertEqual(int(np.isnan(data.throughput).sum()), 2)
        self.assertEqual(data.steady.sel(design="large", routing="smodk").values.tolist(), ["", ""])
        self.assertEqual(ikat.run(sections).dataset(over="seed").points.sel(design="large", routing="smodk").values.tolist(), [0, 0])

    def test_unfinished_sweeps_have_gaps(self):
        results = ikat.run(SWEEP, self.tmp / "part.db", only=["load=20%", "load=60%"], shard=(1, 2))
        data, (finished, total) = results.dataset(), results.points_finished
        self.assertLess(finished, total)
        self.assertEqual(int(np.isfinite(data.throughput).sum()), finished)
        self.assertEqual((data.attrs["points"], data.attrs["points_of_sweep"]), (finished, total))
        self.refused(ikat.InputError, ikat.run(SWEEP, self.tmp / "none.db", budget=1e-9).dataset, says="no point")

    def test_what_is_no_grid(self):
        """Designs, each with a value of its own in several sections: the error says how many combinations there would be."""
        sections = {"designs": [{"name": f"d{k}", "fabric": "karytree:k=2,n=2", "adapter": {"packet": f"{256 * (k + 1)} B"},
                                 "routing": {"family": "random", "seed": [2 * k, 2 * k + 1]}} for k in range(5)],
                    "load": ["10%", "20%"], "measure": MEASURE}
        results = ikat.run(sections)
        refused = self.refused(ikat.UsageError, results.dataset)
        self.assertIn("5 design x 10 routing.seed x 2 load are 100 combinations, of which it has 20", refused.text)
        data = results.dataset(fill=True)
        self.assertEqual(int(np.isfinite(data.throughput).sum()), 20)
        self.assertEqual(data["adapter.packet"].dims, ("design",))
        self.assertEqual(dict(results.dataset(dims=["routing.seed", "load"]).sizes), {"routing.seed": 10, "load": 2})
        self.assertEqual(results.dataset(over="routing.seed").points.values.tolist(), [[2, 2]] * 5)

    def test_what_would_not_fit(self):
        """An array that is nearly all NaN is refused from a size on, with `fill` too, and before it is made."""
        sections = {"designs": [{"name": f"d{k}", "fabric": "karytree:k=2,n=2", "adapter": {"packet": f"{256 * (k + 1)} B"},
                                 "routing": {"family": "random", "seed": [2 * k, 2 * k + 1]}} for k in range(13)],
                    "load": "10%", "measure": {"warmup": "1 us", "duration": "2 us"}}
        results = ikat.run(sections)
        dims = ["design", "adapter", "adapter.packet", "routing", "routing.seed"]
        for fill in (False, True):
            self.refused(ikat.UsageError, results.dataset, dims=dims, fill=fill, says=[f"{13**3 * 26**2} combinations", "have 26", "frame()"])
        self.assertEqual(results.dataset(dims=dims[:2] + dims[4:], fill=True).throughput.size, 13**2 * 26)

    def test_values_that_numbers_do_not_tell_apart(self):
        seeds = [2**62, 2**62 + 1]
        results = ikat.run({"fabric": "karytree:k=2,n=2", "routing": {"family": "random", "seed": seeds}, "load": "20%", "measure": MEASURE})
        data = results.dataset()
        self.assertEqual(data["routing.seed"].values.tolist(), [str(seed) for seed in seeds])
        for _, row in results.frame().iterrows():
            self.assertEqual(float(data.throughput.sel({"routing.seed": row.routing[len("random:seed="):]})), row.throughput)

    def test_settings_beside_results_of_their_name(self):
        """Virtual channels are a setting, and a number of each point: here along the designs."""
        sections = {"designs": [{"name": f"d{vcs}", "fabric": "karytree:k=2,n=2", "routing": "dmodk", "vcs": vcs} for vcs in (2, 3)],
                    "load": ["10%", "20%"], "measure": MEASURE}
        results = ikat.run(sections)
        for data in (results.dataset(), results.dataset(over="seed")):
            self.assertEqual((data["vcs"].dims, data["vcs"].values.tolist()), (("design",), [2, 3]))

    def test_latencies_of_no_packet(self):
        """They stand as 0 in frames, and are no value: of one seed, means are the values of the points."""
        results = ikat.run({"fabric": "karytree:k=2,n=2", "routing": "dmodk", "load": ["0.1%", "60%"], "measure": {"warmup": "10 ns", "duration": "1 us"}})
        self.assertEqual((results.frame().latency_max_ns > 0).tolist(), [False, True])
        data, means = results.dataset(), results.dataset(over="seed")
        for name in ("latency_mean_ns", "latency_p99_ns", "latency_max_ns", "network_latency_mean_ns"):
            self.assertEqual(np.isfinite(data[name].values).tolist(), [False, True], name)
        for name in [name for name in means if name in ikat.result_names()]:
            np.testing.assert_allclose(means[name].values, data[name].values, rtol=1e-7, err_msg=name)

    def test_measured_alone(self):
        results = ikat.run({"fabric": {"family": "karytree", "k": [2, 3], "n": 2}, "routing": ["dmodk", "updown"], "simulate": False,
                            "measures": ["mean_hops"]})
        data = results.dataset()
        self.assertEqual(dict(data.sizes), {"fabric.k": 2, "routing": 2})
        for _, row in results.frame().iterrows():
            self.assertEqual(float(data.mean_hops.sel({"fabric.k": int(row.fabric[len("karytree:k=")]), "routing": row.routing})), row.mean_hops)
        self.assertNotIn("throughput", data)

    def test_files_and_missing_packages(self):
        data = self.results.dataset()
        self.assertTrue(data.to_dataframe().throughput.notna().all())
        results = ikat.run(EXPERIMENT)
        kept = {key: sys.modules.pop(key) for key in list(sys.modules) if key.split(".")[0] == "xarray"}
        sys.modules["xarray"] = None
        try:
            self.refused(ikat.MissingModule, results.dataset, says=["xarray", "apt install python3-xarray"])
        finally:
            sys.modules.pop("xarray")
            sys.modules.update(kept)
        self.assertEqual(dict(results.dataset().sizes), {"routing": 2, "load": 2})
        results.close()
        self.refused(ikat.ClosedError, results.dataset)


if __name__ == "__main__":
    unittest.main()
