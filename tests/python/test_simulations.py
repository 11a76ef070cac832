"""Simulations from Python: the same numbers as the command's, arrays, settings, several loads."""
import csv
import io
import os
import subprocess
import warnings

from support import CLUSTER, PythonTest, SHORT, ffi, ikat, lib, np, package, unittest

IKAT = os.environ.get("IKAT", "build/release/ikat")


class Simulations(PythonTest):
    @classmethod
    def setUpClass(cls):
        cls.fabric = ikat.Fabric("karytree:k=4,n=2")
        cls.routing = cls.fabric.routing("dmodk")

    def test_arrays_and_sums(self):
        run = ikat.simulate(self.routing, "uniform", 0.4, series="10 us", **SHORT)
        window = run.window_ps * 1e-12
        self.assertEqual(window, 30e-6)
        rate = 100e9 * self.fabric.num_hosts
        self.assertAlmostEqual(run.throughput, run.host_bytes.sum() * 8 / window / rate)
        self.assertAlmostEqual(run.load, 0.4)
        self.assertAlmostEqual(run.offered, 0.4, delta=0.02)
        injection = self.fabric.port_base[self.fabric.num_switches:-1]
        self.assertTrue((run.channel_bytes[injection] == run.host_sent_bytes).all())
        self.assertAlmostEqual(run.utilisation[injection].mean(), run.host_sent_bytes.sum() * 8 / window / rate)
        self.assertLessEqual(run.utilisation.max(), 1)
        for read, ctype, names in ((lib.ik_result_counts, "uint64_t **", ("channel_bytes", "host_bytes", "host_sent_bytes")),
                                   (lib.ik_result_reals, "double **", ("series_throughput", "series_latency_ns", "series_blocked"))):
            for name in names:
                values, num = ffi.new(ctype), ffi.new("size_t *")
                self.assertEqual(read(run._p(), name.encode(), values, num, ffi.NULL), lib.IK_OK)
                self.assert_view(getattr(run, name), values[0])
                self.assertEqual(getattr(run, name).size, num[0])
        self.assertEqual(run.series_blocked.shape, (len(run.series_time_ns), self.fabric.num_switches))
        self.assertEqual(run.series_time_ns[0], 10000)
        share = run.host_sent_bytes / (window * 100e9 / 8)
        self.assertAlmostEqual(run.host_sent_min, share.min())
        self.assertAlmostEqual(run.host_sent_max, share.max())
        self.assertAlmostEqual(run.fairness, share.sum()**2 / (16 * (share**2).sum()))  # Jain's index
        self.assertIsNone(run.host_finish_ps)
        self.assertFalse(run.finite or run.completed or run.deadlock)
        self.assertIsNone(run.completion_ns)
        self.assertEqual(run.packets_generated, run.packets_delivered + run.packets_in_flight)
        self.assertEqual((run.packets_unroutable, run.hosts_silent, run.order_violations), (0, 0, 0))
        self.assertGreater(run.events, 0)
        self.assertGreater(run.end_ps, run.window_ps)
        self.assertGreater(run.packet_hops, 0)
        self.assertEqual(run.classes, [])
        self.assertEqual(len(run.ranks), 0)
        self.assertIn("throughput", repr(run))
        self.assertIn("<table>", run._repr_html_())
        self.assertEqual(run.congestion_roots.dtype.names[:2], ("port", "samples"))

    def test_histogram(self):
        run = self.routing.simulate("uniform", 0.4, **SHORT)
        latency = run.latency
        self.assert_view(latency.counts, lib.ik_result_latency(run._p()).buckets)
        self.assertEqual(latency.counts.sum(), latency.count)
        self.assertEqual(len(latency.edges_ns), len(latency.counts))
        self.assertTrue((np.diff(latency.edges_ns) > 0).all())
        used = np.flatnonzero(latency.counts)
        self.assertLessEqual(latency.edges_ns[used[0]], latency.min_ns)
        self.assertLessEqual(latency.edges_ns[used[-1]], latency.max_ns)
        middle = latency.edges_ns[np.searchsorted(np.cumsum(latency.counts), latency.count / 2)]
        self.assertAlmostEqual(latency.percentile(0.5) / middle, 1, delta=0.02)
        self.assertEqual(latency.percentile("50 %"), latency.percentile(0.5))
        self.assertGreaterEqual(run.latency.mean_ns, run.network_latency.mean_ns)
        self.refused(ikat.UsageError, latency.percentile, 1.5)
        self.assertIn("mean", repr(latency))

    def test_same_numbers_as_an_experiment(self):
        package("pandas")
        file = self.tmp / "e.yaml"
        file.write_text("fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: uniform\nload: [40%, 70%]\n"
                        "measure: {warmup: 10 us, duration: 30 us}\n")
        subprocess.run([IKAT, "run", file, "-o", self.tmp / "e.db"], check=True, capture_output=True)
        table = subprocess.run([IKAT, "report", self.tmp / "e.db", "--csv"], check=True, capture_output=True, text=True).stdout
        frame = self.routing.sweep("uniform", [0.4, "70 %"], jobs=2, **SHORT)
        for row, (_, own) in zip(csv.DictReader(io.StringIO(table)), frame.iterrows()):
            self.assertEqual(row["checksum"], own["checksum"])
            for name in ("throughput", "latency_mean_ns", "latency_p99_ns", "offered", "packets_delivered"):
                self.assertAlmostEqual(float(row[name]) / own[name], 1, places=5)

    def test_what_is_not_steady_warns(self):
        """Once for a call, at the line of the caller; steady runs and workloads that end do not."""
        package("pandas")
        routing = ikat.Fabric(CLUSTER).routing("updown")
        calls = {"simulate": lambda: routing.simulate("uniform", 0.3, **SHORT), "of the package": lambda: ikat.simulate(routing, "uniform", 0.3, **SHORT),
                 "sweep": lambda: routing.sweep("uniform", [0.05, 0.3, 0.4], warmup="50 us", duration="100 us", jobs=2)}
        for name, call in calls.items():
            with self.subTest(name), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                run = call()
                self.assertEqual([(one.category, one.filename) for one in caught], [(ikat.NotSteadyWarning, __file__)])
                said = str(caught[0].message)
                self.assertIn("not steady: 2 of 3 runs, at load 0.3, 0.4: column steady" if name == "sweep" else run.steady_reason, said)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ikat.NotSteadyWarning)
            self.assertEqual(self.routing.simulate("uniform", 0.4, warmup="50 us", duration="200 us").steady, "yes")
            self.assertIsNone(self.routing.simulate("exchange:bytes=4KiB", 1, until="delivered", at_most="10 ms").steady)

    def test_same_verdicts_as_an_experiment(self):
        """Also where only what channels carry for ever tells: a short window accepts more."""
        package("pandas")
        for routing, traffic, load, more in (("dmodk", "shift:by=4", 0.7, {}), ("dmodk", "hotspot:nodes=1,fraction=10%,share=messages", 0.9, {}),
                                             ("smodk", "uniform", 0.5, {}), ("adaptive_tree", "uniform", 0.5, {}),
                                             ("dmodk", "uniform", 0.9, {"injection_fraction": "50 %"})):
            with self.subTest(routing=routing, traffic=traffic):
                run = self.fabric.routing(routing).simulate(traffic, load, **SHORT, **more)
                spec = {"fabric": "karytree:k=4,n=2", "routing": routing, "traffic": traffic, "load": load, "measure": SHORT, "adapter": more}
                row = ikat.run(ikat.Experiment({k: v for k, v in spec.items() if v})).frame().iloc[0]
                self.assertEqual(row.checksum, run.checksum)
                self.assertEqual((row.steady, row.steady_reason), (run.steady, run.steady_reason))
                for name in ("steady_bound", "saturated", "latency_steady"):
                    self.assertEqual(run.result(name), None if row[name] != row[name] else row[name], name)
        self.assertIsNone(self.routing.simulate("exchange", 1, until="delivered", at_most="1 ms").steady)

    def test_hosts_that_send_to_themselves(self):
        """What stays in a host is accepted, too, and is beyond no bound."""
        for traffic in ("uniform:self=true", "uniform"):
            for load in (0.1, 0.3):
                with self.subTest(traffic=traffic, load=load):
                    self.assertEqual(self.routing.simulate(traffic, load, warmup="50 us", duration="400 us").steady, "yes")

    def test_latency_at_exactly_the_rate_of_adapters(self):
        """Where sources draw their times it grows with the root of time; evenly spaced ones, and a little less load, last."""
        routing = ikat.Fabric("crossbar:n=8").routing("minimal")
        for injection, load, lasts in (("poisson", 1.0, 0), ("periodic", 1.0, 1), ("bernoulli", 1.0, 1), ("bernoulli", 0.9, 1)):
            with self.subTest(injection=injection, load=load):
                run = routing.simulate("shift:by=1", load, injection=injection, warmup="50 us", duration="200 us")
                self.assertEqual((run.steady, run.result("latency_steady")), ("yes", lasts))

    def test_windows_shorter_than_bursts(self):
        """Sources that were on all the time, or off, say nothing of others: 16 bursts at least are a window."""
        two = ikat.Fabric("crossbar:n=2").routing("minimal")
        for traffic in ("uniform", "complement"):
            for load in (0.6, 0.9, 0.95):
                for seed in range(1, 6):
                    with self.subTest(traffic=traffic, load=load, seed=seed):
                        run = two.simulate(traffic, load, injection="bursty", burst_rate=1, burst_alpha=0.001, warmup="20 us", duration="300 us", seed=seed)
                        self.assertNotEqual(run.steady, "yes")
        run = two.simulate("uniform", 0.9, injection="bursty", burst_rate=1, burst_alpha=0.02, warmup="50 us", duration="4 ms")
        self.assertEqual(run.steady, "yes")

    def test_replies_that_are_still_to_come(self):
        """Nothing is steady in a window that begins before the first reply, which comes after its service time."""
        for model in ("iq", "ioq", "ideal"):
            for service, warmup in ((24, 5), (40, 5), (200, 5), (20, 25), (40, 45)):
                with self.subTest(model=model, service=service, warmup=warmup):
                    run = self.routing.simulate("uniform", "5 %", service_time=f"{service} us", warmup=f"{warmup} us", duration="20 us",
                                                model=model, packet="256 B", reply="256 B")
                    expected = ("too short to tell", 0) if service > warmup else ("yes", 1)
                    self.assertEqual((run.steady, run.result("latency_steady")), expected)

    def test_a_sweep_is_a_frame(self):
        pandas = package("pandas")
        seen = []
        frame = ikat.sweep(self.routing, "uniform", [0.2, 0.5], seeds=[1, 2], progress=seen.append, **SHORT)
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(frame[["load", "seed"]].values.tolist(), [[0.2, 1], [0.2, 2], [0.5, 1], [0.5, 2]])
        self.assertEqual([event.done for event in seen], [1, 2, 3, 4])
        self.assertEqual(seen[0].total, 4)
        self.refused(ikat.UsageError, ikat.sweep, self.routing, "uniform", [], says="loads")
        self.refused(ikat.UsageError, ikat.sweep, self.routing, "uniform", [0.1], packte=1, says="packet")
        self.refused(ikat.UsageError, ikat.sweep, self.routing, "uniform", [0.1, 1000], says="load")

    def test_threads_do_not_change_results(self):
        one = self.routing.simulate("uniform", 0.7, threads=1, **SHORT)
        two = self.routing.simulate("uniform", 0.7, threads=2, **SHORT)
        self.assertEqual(one.checksum, two.checksum)
        self.assertTrue((one.channel_bytes == two.channel_bytes).all())
        self.assertNotEqual(one.checksum, self.routing.simulate("uniform", 0.7, seed=2, **SHORT).checksum)

    def test_settings(self):
        sections = ikat.settings()
        self.assertEqual(sorted(sections), ["adapter", "measure", "switch", "watch"])
        self.assertEqual(sections["switch"]["model"]["default"], "iq")
        self.assertIn("ioq", ikat.settings("switch")["model"]["choices"])
        default = self.routing.simulate("uniform", 0.4, **SHORT).checksum
        self.assertEqual(self.routing.simulate("uniform", 0.4, packet="4 KiB", switch={"model": "iq"}, **SHORT).checksum, default)
        self.assertEqual(self.routing.simulate("uniform", 0.4, packet=None, **SHORT).checksum, default)
        other = self.routing.simulate("uniform", "40 %", model="ioq", switch_buffer="64 KiB", routing_delay="100 ns", iterations=2, **SHORT)
        self.assertNotEqual(other.checksum, default)
        refused = self.refused
        refused(ikat.UsageError, self.routing.simulate, packte=1, says="did you mean 'packet'")
        refused(ikat.UsageError, self.routing.simulate, queues="fifo", says="switch_queues or adapter_queues")
        refused(ikat.UsageError, self.routing.simulate, buffer=1, switch_buffer=1, says="switch_buffer or adapter_buffer")
        refused(ikat.UsageError, self.routing.simulate, model="iq", switch_model="iq", says="given twice")
        refused(ikat.InputError, self.routing.simulate, model="foo", says="one of iq|ioq")
        refused(ikat.InputError, self.routing.simulate, warmup=3, says="unit")
        refused(ikat.InputError, self.routing.simulate, switch={"modle": "iq"}, says="did you mean 'model'")
        refused(ikat.InputError, self.routing.simulate, flit="16 B", says="pipelined")
        refused(ikat.WrongType, self.routing.simulate, switch=3)
        refused(ikat.WrongType, self.routing.simulate, packet=object())
        for load in (0, -1, 1.001, 30, "120 %"):  # what an experiment refuses
            refused(ikat.UsageError, self.routing.simulate, load=load, says="load")
        refused(ikat.UsageError, self.routing.simulate, load=float("nan"), says="load")
        refused(ikat.WrongType, self.routing.simulate, load=None)
        refused(ikat.WrongType, ikat.simulate, None)
        refused(ikat.UsageError, ikat.settings, "no section")
        refused(ikat.OutOfMemory, self.routing.simulate, memory_limit="1 kB")

    def test_a_deadlock_is_a_result(self):
        ring = ikat.Fabric("ring:n=5,p=2").routing("shortest")
        run = ring.simulate("uniform", 1.0, warmup="10 us", duration="1 ms", switch_buffer="4 KiB")
        self.assertTrue(run.deadlock)
        self.assertIn("sw", run.deadlock_text)
        self.assertIn("deadlock", repr(run))

    def test_workloads_end(self):
        run = self.routing.simulate("exchange:bytes=64KiB", 1.0, until="delivered", at_most="10 ms")
        self.assertTrue(run.finite and run.completed)
        self.assertGreaterEqual(run.completion_ns, 15 * 65536 * 8 / 100)
        self.assertEqual(int(run.host_finish_ps.max()), round(run.completion_ns * 1000))
        self.assertAlmostEqual(sum(run.critical_path.values()), run.completion_ns)
        self.assertGreater(run.effective_throughput, 0.3)
        self.assertIn("completion_ns", run.to_dict())
        self.assertIsNone(run.missing_text)
        self.assertGreater(run.state_bytes, 0)
        self.assertGreaterEqual(run.cpu_seconds, 0)

    def test_watched_packets(self):
        run = self.routing.simulate("uniform", 0.5, watch={"first": 2}, **SHORT)
        self.assertEqual(len(run.watched), 2)
        for packet in run.watched:
            self.assertTrue(packet["delivered"])
            self.assertEqual((packet["events"][0]["stage"], packet["events"][-1]["stage"]), ("generated", "delivered"))
            times = [event["t_ns"] for event in packet["events"]]
            self.assertEqual(times, sorted(times))
            channels = [event["channel"] for event in packet["events"] if event["stage"] in ("injected", "sent")]
            self.assertEqual(channels, self.routing.path(packet["src"], packet["dst"]).tolist())
        self.assertEqual(self.routing.simulate(**SHORT).watched, [])

    def test_results_by_name(self):
        names = ikat.result_names()
        self.assertEqual(next(iter(names)), "offered")
        self.assertEqual((names["latency_mean_ns"]["unit"], names["latency_mean_ns"]["simulated"]), ("ns", True))
        self.assertFalse(names["contention"]["simulated"])
        run = self.routing.simulate("uniform", 0.5, **SHORT)
        self.assertEqual(run.result("throughput"), run.throughput)
        self.assertIsNone(run.result("completion_ns"))
        with self.assertRaisesRegex(ikat.UsageError, "did you mean 'throughput'"):
            run.result("throughputt")
        with self.assertRaises(ikat.UsageError):
            run.result("contention")

    def test_classes(self):
        run = self.routing.simulate("mix:80%*a=uniform+20%*b=shift:by=4", 0.5, **SHORT)
        self.assertEqual([one["name"] for one in run.classes], ["a", "b"])
        self.assertAlmostEqual(sum(one["throughput"] for one in run.classes), run.throughput)


if __name__ == "__main__":
    unittest.main()
