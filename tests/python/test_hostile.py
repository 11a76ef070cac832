"""What users do by accident: Ctrl-C at any time, texts and numbers that cannot be, graphs and files from elsewhere."""
import os
import signal
import threading

from support import EXPERIMENT, SHORT, PythonTest, ffi, ikat, np, package, unittest

from ikat import _core


class Interrupts(PythonTest):
    def test_ctrl_c_at_the_first_line_of_a_callback_is_not_lost(self):
        """Python raises KeyboardInterrupt where a function begins, so before any try of the callback."""
        flag = ffi.new("int *")
        running = _core._Running(None, flag, [])
        handle = ffi.new_handle(running)

        def raises():
            raise KeyboardInterrupt
        function = ffi.callback("void(void *)", lambda ctx: raises(), onerror=_core.on_interrupt)
        function(handle)
        self.assertIsInstance(running.error, KeyboardInterrupt)
        self.assertTrue(flag[0])

    def test_every_ctrl_c_is_a_keyboard_interrupt(self):
        routing = ikat.Fabric("karytree:k=4,n=3").routing("dmodk")
        for after in np.linspace(0.01, 0.2, 20):
            timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                routing.simulate("uniform", 0.9, duration="100 s", progress=lambda _: None)
            timer.join()

    def test_cancel_within_a_signal_handler_of_python_does_not_wait_for_itself(self):
        cancel = ikat.Cancel()
        with cancel._lock:
            cancel.cancel()
        self.assertTrue(cancel.cancelled)

    def test_a_sweep_that_fails_leaves_the_callers_cancel_alone(self):
        package("pandas")
        routing, cancel = ikat.Fabric("ring:n=5").routing("shortest"), ikat.Cancel()
        with self.assertRaises(ZeroDivisionError):
            routing.sweep(loads=[0.1], cancel=cancel, progress=lambda _: 1 / 0, **SHORT)
        self.assertFalse(cancel.cancelled)
        cancel.cancel()
        self.refused(ikat.Cancelled, routing.sweep, loads=[0.1], cancel=cancel, **SHORT)
        self.assertEqual(cancel._flags, [])
        self.refused(ikat.WrongType, routing.sweep, loads=[0.1], cancel=5, says="cancel")
        self.refused(ikat.WrongType, routing.sweep, loads=[0.1], progress=5, says="progress")


class Values(PythonTest):
    def test_texts_that_are_no_unicode(self):
        routing = ikat.Fabric("ring:n=5").routing("shortest")
        for call in (ikat.Fabric, ikat.Fabric.read, ikat.Fabric.from_text, ikat.results, routing.fabric.routing, routing.load,
                     ikat.Experiment):
            self.refused(ikat.UsageError, call, "\ud800", says="surrogates")
        self.refused(ikat.UsageError, ikat.Experiment, "\ud800\n", says="surrogates")
        self.refused(ikat.WrongType, ikat.Experiment, "fabric: ring:n=5\n", folder=5, says="folder")
        self.refused(ikat.WrongType, ikat.merge, "a.db", self.tmp / "b.db", says="list of files")

    def test_numbers_with_thousands_of_digits(self):
        routing, huge = ikat.Fabric("ring:n=5").routing("shortest"), 10**5000
        self.refused(ikat.UsageError, routing.path, 0, huge, says="dst: 2^16609 or more is outside of 0 to 4")
        self.refused(ikat.UsageError, routing.path, 0, -huge, says="-2^16609")
        self.refused(ikat.UsageError, routing.simulate, "uniform", huge, says="load")
        self.refused(ikat.IkatError, routing.simulate, warmup=huge, says="warmup")

    def test_there_is_no_node_in_an_empty_fabric(self):
        empty = ikat.Fabric.from_json({"format": "ikat fabric", "version": 1, "classes": [], "switches": [], "hosts": [],
                                       "links": [], "findings": []})
        self.refused(ikat.UsageError, empty.name, 0, says="node: there is none")

    def test_flows_of_all_hosts_are_those_of_each(self):
        traffic = ikat.Fabric("karytree:k=2,n=3").traffic("uniform")
        flows = traffic.flows()
        self.assertEqual(len(flows), 8 * 7)
        self.assertTrue(np.array_equal(flows, np.concatenate([traffic.flows(k) for k in range(8)])))
        self.assertTrue(np.allclose(traffic.matrix(), (1 - np.eye(8)) / 7))


class FromElsewhere(PythonTest):
    def test_rates_that_are_floats(self):
        networkx = package("networkx")
        graph = networkx.Graph()
        graph.add_edge(0, 1, rate_bps=200e9, latency_ps=np.float64(5000))
        self.assertEqual(ikat.Fabric.from_networkx(graph).link_classes[0][1:], (200_000_000_000, 5000))
        for wrong in (1.5, float("nan"), float("inf"), -1.0):
            graph.add_edge(0, 1, rate_bps=wrong)
            self.refused(ikat.WrongType, ikat.Fabric.from_networkx, graph, says="rate_bps")
        graph.add_edge(0, 1, rate_bps=1, link=["copper"])
        self.refused(ikat.WrongType, ikat.Fabric.from_networkx, graph, says="link")

    def test_a_results_file_that_has_gone(self):
        package("pandas")
        path = self.tmp / "a.db"
        results = ikat.run(EXPERIMENT, path)
        path.unlink()
        for call in (results.connect, results.frame, lambda: results.sql("SELECT 1"), lambda: results.experiment):
            self.assertIn(str(path), str(self.refused(ikat.FileError, call)))


if __name__ == "__main__":
    unittest.main()
