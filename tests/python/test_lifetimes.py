"""Objects live as long as they are needed, in whatever order Python drops them; nothing leaks."""
import concurrent.futures
import gc
import threading
import weakref

from support import CLUSTER, EXPERIMENT, PythonTest, SHORT, ikat, lib, np, package, unittest


class Lifetimes(PythonTest):
    def test_arrays_keep_their_fabric(self):
        fabric = ikat.Fabric.read(CLUSTER)
        peer, base = fabric.port_peer, fabric.port_base[3:7]
        copies = peer.copy(), base.copy()
        gone = weakref.ref(fabric)
        del fabric
        gc.collect()
        self.assertIsNone(gone())
        self.assertEqual(lib.ikpy_living(), self.living + 1)
        filler = [np.ones(100_000, np.uint32) for _ in range(20)]
        self.assertTrue((peer == copies[0]).all() and (base == copies[1]).all())
        del peer, base, filler
        self.assert_nothing_left()

    def test_what_is_made_of_a_fabric_keeps_it(self):
        routing = ikat.Fabric("karytree:k=4,n=2").routing("dmodk", vc="dbbm", num_vcs=4)
        routing.fabric.close()
        gc.collect()
        self.assertTrue(routing.prove())
        load = routing.load
        run = routing.simulate
        self.refused(ikat.ClosedError, load)
        self.refused(ikat.ClosedError, run)
        table, proof = routing.tables(), routing.prove()
        lengths = proof.path_lengths
        routing.close()
        proof.close()
        del routing, proof, load, run
        gc.collect()
        self.assertEqual((table.sum() > 0, int(lengths.sum())), (True, 240))
        del table, lengths
        self.assert_nothing_left()

    def test_results_and_histograms(self):
        run = ikat.Fabric("karytree:k=4,n=2").routing("dmodk").simulate(series="10 us", **SHORT)
        latency, counts, series = run.latency, run.latency.counts, run.series_blocked
        count = run.latency.count
        run.close()
        del run
        gc.collect()
        self.assertEqual((int(counts.sum()), series.shape[1]), (count, 8))
        self.assertGreater(latency.percentile(0.99), 0)
        del latency, counts, series
        self.assert_nothing_left()

    def test_cycles_of_references(self):
        for _ in range(50):
            class Holder:  # pylint: disable=too-few-public-methods
                """Part of a cycle with everything."""
            holder = Holder()
            holder.fabric = ikat.Fabric("karytree:k=2,n=2")
            holder.routing = holder.fabric.routing("dmodk")
            holder.load, holder.proof = holder.routing.load(), holder.routing.prove()
            holder.array = holder.load.load
            holder.run = holder.routing.simulate(warmup="1 us", duration="1 us")
            holder.me = holder
            holder.all = [holder.run, holder.proof, holder.load, holder.routing, holder.fabric, holder]
            del holder
        self.assert_nothing_left()

    def test_failures_leave_nothing(self):
        fabric = ikat.Fabric("torus:dims=3:3")
        before = lib.ikpy_living()
        for _ in range(20):
            for call in (lambda: ikat.Fabric("nothing"), lambda: fabric.routing("dmodk"), lambda: fabric.traffic("nothing"),
                         lambda: fabric.routing("dor").simulate(model="nothing"), lambda: fabric.routing("dor").contention("nothing"),
                         lambda: ikat.run("fabric: nothing\n")):
                self.refused(ikat.IkatError, call)
        gc.collect()
        self.assertEqual(lib.ikpy_living(), before)
        fabric.close()
        self.assert_nothing_left()

    def test_experiments_and_results(self):
        package("pandas")
        results = ikat.run(EXPERIMENT)
        results.frame()
        results.close()
        self.refused(ikat.ClosedError, results.frame)
        self.assertIn("closed", repr(results))
        del results
        self.assert_nothing_left()

    def test_threads_share_objects(self):
        fabric = ikat.Fabric("karytree:k=4,n=2")
        routing = fabric.routing("dmodk")
        expected = routing.simulate(**SHORT).checksum

        def work(n):
            own = ikat.Fabric("karytree:k=2,n=2").routing("dmodk")
            return routing.simulate(**SHORT).checksum, routing.load().max_load, own.prove().pairs, n
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for checksum, load, pairs, _ in pool.map(work, range(24)):
                self.assertEqual((checksum, round(load, 9), pairs), (expected, 0.8, 12))
        del routing, fabric, work, pool
        self.assert_nothing_left()

    def test_closing_while_another_thread_works(self):
        fabric = ikat.Fabric("karytree:k=4,n=2")
        routing, started, out = fabric.routing("dmodk"), threading.Event(), []

        def work():
            out.append(routing.simulate(load=0.9, warmup="10 us", duration="20 ms", progress=lambda _: started.set()).throughput)
        thread = threading.Thread(target=work)
        thread.start()
        started.wait(100)
        routing.close()
        thread.join()
        self.assertAlmostEqual(out[0], 0.9, delta=0.05)


if __name__ == "__main__":
    unittest.main()
