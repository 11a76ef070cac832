"""Whatever is passed, the answer is an exception with a message, never a crash."""
import copy
import inspect
import pickle

from support import CLUSTER, PythonTest, ikat, np, unittest

ODD = [None, 0, -1, 2**31, 2**64, 10**400, 1.5, float("nan"), float("inf"), "", "x" * 100_000, "a\0b", "\udcff", b"\xff\xfe", b"", [], [1],
       {}, {"a": 1}, object(), True, lambda: 1, np.float64(1), np.zeros((2, 2)), np.array(["a"]), 3 + 4j, range(3)]


class Errors(PythonTest):
    def try_all(self, call, allowed=()):
        """Calls with every odd value; only exceptions of ikat (or nothing at all) are answers."""
        for value in ODD:
            try:
                call(value)
            except ikat.IkatError as error:
                self.assertTrue(str(error).strip())
                self.assertTrue(error.text)
            except allowed:
                pass

    def test_hierarchy(self):
        self.assertTrue(issubclass(ikat.UsageError, ValueError) and issubclass(ikat.WrongType, (TypeError, ikat.UsageError)))
        self.assertTrue(issubclass(ikat.FileError, OSError) and issubclass(ikat.OutOfMemory, MemoryError))
        self.assertTrue(issubclass(ikat.MissingModule, ImportError) and issubclass(ikat.ClosedError, ikat.UsageError))
        for name in ("UsageError", "InputError", "FileError", "OutOfMemory", "Unsupported", "CheckFailed", "Cancelled", "InternalError"):
            self.assertTrue(issubclass(getattr(ikat, name), ikat.IkatError))
        error = self.refused(ikat.InputError, ikat.Fabric, "karytre:k=2", says=["there is no topology", "hint: did you mean 'karytree'?"])
        self.assertEqual((error.status, error.file, error.line, error.column), ("IK_ERR_INPUT", "", 0, 0))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.status, type(again)), (str(error), error.status, type(error)))
        path = self.tmp / "fabric.json"
        path.write_text('{"format": "ikat fabric",\n "version": 99}')
        error = self.refused(ikat.InputError, ikat.Fabric.read, path, says="fabric.json")
        self.assertEqual(error.file, str(path))
        self.assertEqual(self.refused(ikat.InputError, ikat.Fabric, "karytree:k=0,n=2").status, "IK_ERR_INPUT")

    def test_odd_values_everywhere(self):
        fabric = ikat.Fabric("karytree:k=2,n=2")
        routing, traffic = fabric.routing("dmodk"), fabric.traffic()
        run = routing.simulate(warmup="1 us", duration="1 us")
        for call in (ikat.Fabric, ikat.Fabric.read, ikat.Fabric.from_text, ikat.Fabric.from_networkx, ikat.Fabric.from_igraph,
                     fabric.degrade, fabric.name, fabric.describe_port, fabric.routing, fabric.traffic, fabric.to_text,
                     fabric.difference, lambda v: fabric.write(self.tmp / "x.dot", v), lambda v: ikat.Fabric("ring:n=3", seed=v),
                     lambda v: ikat.Fabric("ring:n=3", memory_limit=v), lambda v: fabric.keep_hosts(v), lambda v: fabric.cables(v),
                     lambda v: fabric.girth(progress=v), lambda v: fabric.girth(cancel=v), lambda v: ikat.Fabric.from_text("x", v),
                     lambda v: ikat.Routing(v, "dmodk"), lambda v: ikat.Routing(fabric, "dmodk", v),
                     lambda v: ikat.Routing(fabric, "dmodk", selection=v), lambda v: ikat.Routing(fabric, "dmodk", num_vcs=v),
                     lambda v: ikat.Routing(fabric, "colored", traffic=v), lambda v: routing.path(v, 1), lambda v: routing.path(0, 1, v),
                     lambda v: routing.num_paths(v, v), routing.whole_host, routing.prove,
                     lambda v: routing.prove(sample_pairs=v), lambda v: routing.hops(v), lambda v: routing.hops(0, v), routing.compare,
                     routing.load, routing.contention, routing.phases, lambda v: routing.pattern_means(v, 1),
                     lambda v: routing.pattern_means("uniform", "x" if isinstance(v, int) and v > 9 else v),
                     lambda v: routing.simulate(v), lambda v: routing.simulate("uniform", v), lambda v: routing.simulate(packet=v),
                     lambda v: routing.simulate(watch=v), lambda v: routing.simulate(seed=v, warmup="1 us", duration="1 us"),
                     run.latency.percentile, lambda v: traffic.destinations(v), lambda v: traffic.flows(v) if v is not None else None,
                     lambda v: ikat.Traffic(v), ikat.Experiment, lambda v: ikat.Experiment(v, set=v),
                     ikat.results, ikat.settings, ikat.help_of, ikat.examples, lambda v: ikat.merge([v], self.tmp / "m.db")):
            self.try_all(call)
        self.refused(ikat.WrongType, ikat.Fabric, None, says="text")
        self.refused(ikat.UsageError, ikat.Fabric, "a\0b")
        self.refused(ikat.UsageError, fabric.girth, threads=0)
        self.refused(ikat.WrongType, fabric.girth, threads="2")
        self.refused(ikat.OutOfMemory, ikat.Fabric, "karytree:k=32,n=4", memory_limit="1 MiB")
        self.refused(ikat.IkatError, ikat.Fabric, "torus:dims=4000000000:4000000000")

    def test_closed_objects(self):
        fabric = ikat.Fabric.read(CLUSTER)
        routing = fabric.routing("updown")
        proof, load, traffic = routing.prove(), routing.load(), fabric.traffic()
        run = routing.simulate(warmup="1 us", duration="1 us")
        for thing in (fabric, routing, proof, load, traffic, run, routing.queues(), ikat.Experiment("fabric: ring:n=3\nrouting: updown\n")):
            with thing:
                pass
            self.assertIn("closed", repr(thing))
            thing.close()
            for name, member in inspect.getmembers(type(thing)):
                if isinstance(member, property) and name not in ("fabric", "routing", "traffic"):
                    self.refused(ikat.ClosedError, getattr, thing, name, says="is closed")
        self.refused(ikat.ClosedError, fabric.routing, "updown")
        self.refused(ikat.ClosedError, routing.prove)
        self.refused(ikat.ClosedError, ikat.simulate, routing)

    def test_no_copies(self):
        fabric = ikat.Fabric("ring:n=3")
        self.refused(ikat.WrongType, copy.copy, fabric)
        self.refused(ikat.WrongType, pickle.dumps, fabric)

    def test_missing_packages(self):
        import sys  # pylint: disable=import-outside-toplevel
        fabric = ikat.Fabric("ring:n=3")
        for name, call in (("networkx", fabric.to_networkx), ("igraph", fabric.to_igraph), ("pandas", lambda: fabric.routing("updown").sweep())):
            kept = {key: sys.modules.pop(key) for key in list(sys.modules) if key.split(".")[0] == name}
            sys.modules[name] = None
            try:
                self.refused(ikat.MissingModule, call, says=[name, "apt install python3-" + name])
            finally:
                sys.modules.pop(name)
                sys.modules.update(kept)


if __name__ == "__main__":
    unittest.main()
