"""Functions and arrays of Python as routings and traffic patterns, and plug-ins that Python loads."""
import contextlib
import functools
import gc
import io
import signal
import subprocess
import sys
import threading
import traceback
import types

from support import CLUSTER, SOURCE, PythonTest, ikat, np, unittest


def shortest(fabric, reverse=False):
    """Shortest paths by the first port, or the last."""
    table = np.full((fabric.num_switches, fabric.num_hosts), -1)
    links = fabric.links[::-1] if reverse else fabric.links
    hops = np.full((fabric.num_switches, fabric.num_switches), 1 << 20)
    np.fill_diagonal(hops, 0)
    for _ in range(fabric.num_switches):
        for a, _, b in links:
            hops[a] = np.minimum(hops[a], hops[b] + 1)
    for a, port, b in links[::-1]:
        nearer = hops[b][fabric.host_switch] < hops[a][fabric.host_switch]
        table[a, nearer] = port
    return table


def ladder(num_hosts, reach=2):
    for src in range(num_hosts):
        for step in range(1, reach + 1):
            yield src, (src + step) % num_hosts, 1 << (reach - step)


class Routings(PythonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ikat.register_routing("py_shortest", shortest, parameters={"reverse": False})

    def test_is_a_routing(self):
        self.assertIn("py_shortest", ikat.routings())
        about = ikat.help_of("py_shortest")
        self.assertEqual(about["summary"], "Shortest paths by the first port, or the last.")
        self.assertEqual(about["parameters"]["reverse"]["default"], "false")
        fabric = ikat.Fabric("torus:dims=4:3")
        own, built_in = fabric.routing("py_shortest", vc="dfsssp"), fabric.routing("shortest", vc="dfsssp")
        self.assertTrue(own.prove().deadlock_free)
        self.assertFalse(fabric.routing("py_shortest:reverse=true").prove().deadlock_free)
        self.assertEqual(np.asarray(own.hops()).sum(), np.asarray(built_in.hops()).sum())
        self.assertTrue(ikat.Fabric("xgft:m=4:4,w=2:2").routing("py_shortest").prove().delivered, "hosts with two cables")

    def test_it_knows_the_rates_of_links(self):
        seen = []

        def watching(fabric):
            seen.append(fabric.port_rate_bps)
            return shortest(fabric)
        ikat.register_routing("py_watching", watching, version="1")
        for fabric in (ikat.Fabric(CLUSTER), ikat.Fabric("ring:n=5")):
            fabric.routing("py_watching")
            np.testing.assert_array_equal(seen[-1], fabric.port_rate_bps)
        self.assertEqual(set(seen[0].tolist()), {0, 16_000_000_000, 100_000_000_000})

    def test_what_it_raises_comes_back(self):
        def faulty(fabric):
            return {}["nothing"] + fabric.num_hosts
        ikat.register_routing("py_faulty", faulty)
        try:
            ikat.Fabric("ring:n=5").routing("py_faulty")
            self.fail("nothing was raised")
        except KeyError as error:
            self.assertIn("faulty", [frame.name for frame in traceback.extract_tb(error.__traceback__)])
        def refusing(fabric):
            raise ikat.Unsupported(f"only trees, not {fabric.spec}")
        ikat.register_routing("py_refusing", refusing)
        with self.assertRaisesRegex(ikat.Unsupported, "only trees, not ring"):
            ikat.Fabric("ring:n=5").routing("py_refusing")
        def interrupted(fabric):
            raise KeyboardInterrupt
        ikat.register_routing("py_interrupted", interrupted)
        with self.assertRaises(KeyboardInterrupt):
            ikat.Fabric("ring:n=5").routing("py_interrupted")

    def test_tables_that_are_none(self):
        ring = ikat.Fabric("ring:n=5")
        for number, (made, words) in enumerate({"shape": (np.zeros((5, 4), int), r"shape \(5, 5\)"), "type": (np.zeros((5, 5)), "whole numbers"),
                                                "port": (np.full((5, 5), 3), "ports 0 to 2"), "negative": (np.full((5, 5), -2), "port -2"),
                                                "nothing": (None, "whole numbers")}.values()):
            ikat.register_routing(f"py_none_{number}", lambda fabric, made=made: made)
            with self.assertRaisesRegex(ikat.UsageError, words):
                ring.routing(f"py_none_{number}")

    def test_names_and_arguments(self):
        with self.assertRaisesRegex(ikat.InputError, "dmodk"):
            ikat.register_routing("dmodk", shortest)
        with self.assertRaisesRegex(ikat.InputError, "a b"):
            ikat.register_routing("a b", shortest)
        for arguments in ({"function": 3}, {"function": shortest, "parameters": 3}, {"function": shortest, "parameters": {"x": object()}},
                          {"function": type("Called", (), {"__call__": shortest})()}):
            with self.assertRaises(ikat.WrongType):
                ikat.register_routing("py_wrong", **arguments)
        with self.assertRaisesRegex(ikat.InputError, "py_shortest"):
            ikat.Fabric("ring:n=5").routing("py_shortets")

    def test_registered_again(self):
        ring = ikat.Fabric("ring:n=5")
        ikat.register_routing("py_again", lambda fabric: np.full((5, 5), -1))
        before = ring.routing("py_again")
        self.assertFalse(before.prove().delivered)
        number = len(ikat.routings())
        ikat.register_routing("py_again", shortest)
        self.assertEqual(len(ikat.routings()), number)
        self.assertTrue(ring.routing("py_again", vc="dfsssp").prove().delivered)
        self.assertFalse(before.prove().delivered)


class Patterns(PythonTest):
    def loads(self, pattern):
        return ikat.Fabric("torus:dims=4:4").routing("dor").saturation(pattern)

    def test_the_same_pattern_in_every_form(self):
        num = 16
        weights = np.zeros((num, num), int)
        for src, dst, weight in ladder(num):
            weights[src, dst] = weight
        ikat.register_traffic("py_function", ladder, parameters={"reach": 2})
        ikat.register_traffic("py_matrix", weights)
        ikat.register_traffic("py_shares", weights / 3)
        ikat.register_traffic("py_generator", ladder(num))
        values = {self.loads(name) for name in ("py_function", "py_matrix", "py_generator", "py_function:reach=2")}
        self.assertEqual(len(values), 1, values)
        self.assertAlmostEqual(self.loads("py_shares"), values.pop())
        ikat.register_traffic("py_shift", (np.arange(num) + 3) % num)
        self.assertEqual(self.loads("py_shift"), self.loads("shift:by=3"))
        self.assertNotEqual(self.loads("py_function:reach=5"), self.loads("py_function"))

    def test_simulated(self):
        ikat.register_traffic("py_shift_1", lambda num_hosts: (np.arange(num_hosts) + 1) % num_hosts)
        routing = ikat.Fabric("torus:dims=4:4").routing("dor")
        own, same = (ikat.simulate(routing, name, load=0.3, duration="20 us") for name in ("py_shift_1", "shift:by=1"))
        self.assertEqual(own.throughput, same.throughput)

    def test_patterns_that_are_none(self):
        for number, (made, words) in enumerate([(np.zeros(3, int), "16 destinations"), (-np.ones((16, 16)), "negative"), (np.full((16, 16), np.nan), "finite"),
                                                (np.full(16, 16), "host 16"), (iter([(1, 2, 3, 4)]), "pairs"), (iter([(0, 1, -1)]), "negative")]):
            with self.assertRaisesRegex((ikat.UsageError, ikat.InputError), words):
                ikat.register_traffic(f"py_odd_{number}", made)
                self.loads(f"py_odd_{number}")
        with self.assertRaisesRegex(ikat.UsageError, "an array has none"):
            ikat.register_traffic("py_odd", np.zeros(16, int), parameters={"x": 1})


def fewest(outputs, weight=1.0):
    """The output with the fewest bytes waiting."""
    return -weight * outputs.queued_bytes


class Selections(PythonTest):
    MODELS = ("iq", "ioq", "pipelined", "ideal")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ikat.register_selection("py_fewest", fewest, parameters={"weight": 1.0})

    def checksum(self, selection, fabric="karytree:k=4,n=2", duration="20 us", **how):
        routing = ikat.Fabric(fabric).routing("adaptive_tree", selection=selection)
        return ikat.simulate(routing, "uniform", "80%", warmup="5 us", duration=duration, **how).checksum

    def test_is_a_selection(self):
        self.assertIn("py_fewest", ikat.selections())
        self.assertEqual(set(ikat.help_of("py_fewest")["parameters"]), {"weight"})

    def test_nothing_stays(self):
        self.checksum("py_fewest")
        gc.collect()
        self.assertEqual(len(ikat._plugins._SELECTIONS), 0)

    def test_the_same_rule_is_the_same_run(self):
        """In every model, on every number of threads, where hosts have several cables, whatever happens to busy outputs."""
        for fabric in ("karytree:k=4,n=2", "xgft:m=4:4,w=2:2"):
            for model in self.MODELS:
                for busy in ("", ":skip_busy=false", ":skip_busy=true"):
                    with self.subTest(fabric=fabric, model=model, busy=busy):
                        built_in = self.checksum("least_queued" + busy, fabric, model=model)
                        for threads in (1, 3):
                            self.assertEqual(self.checksum("py_fewest" + busy, fabric, model=model, threads=threads), built_in)
        ikat.register_selection("py_credit", lambda outputs: outputs.credit_bytes)
        self.assertEqual(self.checksum("py_credit", model="iq"), self.checksum("most_credits", model="iq"))
        self.assertNotEqual(self.checksum("py_fewest:weight=-1"), self.checksum("py_fewest"))

    def test_what_it_is_asked(self):
        seen = []
        def note(outputs):
            self.assertTrue((outputs.room_bytes >= outputs.packet_bytes).all())
            self.assertTrue((outputs.queued_bytes >= 0).all() and set(outputs.busy) <= {0, 1})
            self.assertTrue((np.diff(outputs.port) > 0).all() and outputs.port.size > 1)
            seen.append((outputs.switch, outputs.source, outputs.destination, tuple(outputs.port)))
            return np.zeros(outputs.port.size)
        ikat.register_selection("py_note", note, version=1)
        self.checksum("py_note", threads=1)
        fabric = ikat.Fabric("karytree:k=4,n=2")
        self.assertTrue(seen)
        for switch, source, destination, ports in seen:
            self.assertTrue(switch < fabric.num_switches and max(source, destination) < fabric.num_hosts)
            self.assertTrue(set(ports) <= set(range(4, 8)), "the ways up of a leaf switch")

    def test_what_it_raises_comes_back(self):
        def faulty(outputs):
            raise KeyError(outputs.switch)
        ikat.register_selection("py_wrong", faulty)
        for threads in (1, 3):
            with self.assertRaises(KeyError):
                self.checksum("py_wrong", threads=threads)
        for made in (lambda outputs: [1.0], lambda outputs: np.full(outputs.port.size, np.nan), lambda outputs: None, lambda outputs: "all",
                     lambda outputs: ["1"] * outputs.port.size, lambda outputs: outputs.port * 1j, lambda outputs: outputs.port.astype("M8[s]"),
                     lambda outputs: [None] * outputs.port.size, lambda outputs: outputs.port[None]):
            ikat.register_selection("py_wrong", made)
            with self.assertRaises(ikat.UsageError):
                self.checksum("py_wrong")
        ikat.register_selection("py_wrong", lambda outputs: [2**70 + int(port) for port in outputs.port])
        self.checksum("py_wrong")
        ikat.register_selection("py_wrong", lambda outputs: np.full(outputs.port.size, -np.inf))
        self.checksum("py_wrong")
        with self.assertRaises(ikat.WrongType):
            ikat.register_selection("py_wrong", 3)
        with self.assertRaisesRegex(ikat.InputError, "least_queued"):
            ikat.register_selection("least_queued", fewest)

    def test_what_it_raises_ends_no_other_call(self):
        """Neither the call in whose function another one fails, nor those of other threads."""
        expected = self.checksum("py_fewest")
        ikat.register_selection("py_wrong", lambda outputs: 1 / 0)
        def fails():
            with self.assertRaises(ZeroDivisionError):
                self.checksum("py_wrong")
        def around(outputs):
            if not calls:
                calls.append(fails())
            return fewest(outputs)
        calls, found = [], []
        ikat.register_selection("py_around", around, version=1)
        self.assertEqual(self.checksum("py_around"), expected)
        def beside(outputs):
            if not beside.failed:
                beside.failed = True
                other = threading.Thread(target=fails)
                other.start()
                other.join()
            return fewest(outputs)
        beside.failed = False
        ikat.register_selection("py_beside", beside, version=1)
        runs = [threading.Thread(target=lambda: found.append(self.checksum("py_beside"))) for _ in range(2)]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
        self.assertEqual((calls, found), ([None], [expected, expected]))

    def test_what_it_raises_in_an_experiment_comes_back(self):
        ikat.register_selection("py_wrong", lambda outputs: 1 / 0)
        (self.tmp / "w.yaml").write_text("fabric: karytree:k=2,n=2\nrouting: adaptive_tree\nselection: py_wrong\ntraffic: uniform\n"
                                         "load: [0.5, 0.6]\nmeasure: {warmup: 2 us, duration: 5 us}\n")
        with self.assertRaises(ZeroDivisionError):
            ikat.run(self.tmp / "w.yaml", self.tmp / "w.db")

    def test_what_a_member_of_traffic_raises_comes_back(self):
        """Also where the library says in whose member it was: the exception itself, not an error that quotes it."""
        ikat.register_traffic("py_no_member", lambda num_hosts: 1 / 0)
        fabric = ikat.Fabric("karytree:k=2,n=2")
        for spec in ("mix:members=50%*a=py_no_member+50%*uniform",
                     "schedule:entries=@5us=uniform&py_no_member"):
            with self.subTest(spec=spec), self.assertRaises(ZeroDivisionError):
                fabric.routing("dmodk").load(spec)

    def test_what_it_keeps_stays(self):
        """Also after the simulation, whose memory is used for something else by then."""
        kept, seen = [], []
        def keep(outputs):
            kept.append(outputs)
            seen.append([column.tolist() for column in outputs[4:]])
            return fewest(outputs)
        ikat.register_selection("py_keep", keep, version=1)
        self.checksum("py_keep", threads=1)
        self.checksum("least_queued")
        self.assertEqual([[column.tolist() for column in outputs[4:]] for outputs in kept], seen)

    def test_interrupts(self):
        """Ctrl-C is KeyboardInterrupt wherever it finds the function, and nothing is printed."""
        timers = []
        def interrupted(outputs):
            if not timers:
                timers.append(threading.Timer(0.002, signal.raise_signal, [signal.SIGINT]))
                timers[0].start()
            return fewest(outputs)
        ikat.register_selection("py_interrupted", interrupted, version=1)
        for k in range(12):
            timers.clear()
            with self.subTest(k=k), contextlib.redirect_stderr(io.StringIO()) as said:
                with self.assertRaises(KeyboardInterrupt):
                    self.checksum("py_interrupted", duration="1 s", threads=1)
                timers[0].join()
                self.assertEqual(said.getvalue(), "")

    def test_in_experiments(self):
        (self.tmp / "s.yaml").write_text("fabric: karytree:k=2,n=2\nrouting: adaptive_tree\nselection: [py_fewest, least_queued]\ntraffic: uniform\n"
                                         "load: 0.5\nmeasure: {warmup: 2 us, duration: 5 us}\n")
        def points():
            seen = []
            frame = ikat.run(self.tmp / "s.yaml", self.tmp / "s.db", progress=lambda p: seen.append(p.text) if p.kind == "point" else None).frame()
            return frame["throughput"].tolist(), sorted(seen)
        (one, other), seen = points()
        self.assertEqual(one, other)
        self.assertEqual(seen, ["finished", "finished"])
        ikat.register_selection("py_fewest", lambda outputs, weight: outputs.queued_bytes, parameters={"weight": 1.0})
        self.assertEqual(points()[1], ["finished", "reused"], "only what asks the function runs again")
        ikat.register_selection("py_fewest", fewest, parameters={"weight": 1.0})


class InExperiments(PythonTest):
    TEXT = "fabric: torus:dims=4:4\nrouting: py_table\nvc: dfsssp\ntraffic: py_pattern\nload: 0.2\nmeasure: {warmup: 2 us, duration: 5 us}\n"

    def test_reported_and_run_again_when_it_changes(self):
        folder = self.tmp
        (folder / "e.yaml").write_text(self.TEXT)
        def points(**how):
            seen = []
            results = ikat.run(folder / "e.yaml", folder / "r.db", progress=lambda p: seen.append(p.text) if p.kind == "point" else None, **how)
            return results, seen
        ikat.register_traffic("py_pattern", ladder)
        ikat.register_routing("py_table", shortest)
        results, seen = points()
        self.assertEqual(seen, ["finished"])
        row = results.frame().iloc[0]
        self.assertEqual((row["routing"], row["traffic"]), ("py_table", "py_pattern"))
        ikat.register_routing("py_table", shortest)
        self.assertEqual(points()[1], ["reused"], "the same function")
        step = 1
        def other(num_hosts):
            return (np.arange(num_hosts) + step) % num_hosts
        ikat.register_traffic("py_pattern", other)
        self.assertEqual(points()[1], ["finished"])
        step = 2  # what a function encloses is a part of it
        ikat.register_traffic("py_pattern", other)
        self.assertEqual(points()[1], ["finished"])
        ikat.register_traffic("py_pattern", other, version=1)
        self.assertEqual(points()[1], ["finished"])
        step = 3
        ikat.register_traffic("py_pattern", other, version=1)
        self.assertEqual(points()[1], ["reused"], "the version stands for all of it")

    def test_what_counts_in_the_identity(self):
        """Each kind of value that a function may enclose: another value is another identity, the same one is the same."""
        def identity(value):
            def function(num_hosts):
                return np.zeros(num_hosts, int) if value is None else np.arange(num_hosts)
            ikat.register_traffic("py_identity", function)
            return [one.identity for one in ikat.plugins() if one.name == "python_py_identity"][-1]
        def made(k):
            class Config:
                K = k
                @staticmethod
                def get():
                    return k
                @property
                def twice(self):
                    return 2 * k
            return Config
        @functools.lru_cache()
        def cached(k):
            return k
        pairs = [(1, 2), ("a", "b"), ([1], [2]), ({"a": 1}, {"a": 2}), ({1}, {2}), (range(3), range(4)), (bytearray(b"a"), bytearray(b"b")),
                 (np.arange(3), np.arange(4)), (types.SimpleNamespace(k=1), types.SimpleNamespace(k=2)), (made(1), made(2)),
                 (made(1)(), made(2)()), (len, max), (np.add, np.multiply), (np.concatenate, np.stack), (1, True), (functools.reduce, cached),
                 (made(1)().twice, made(2)().twice), (made(1).get, made(2).get)]
        for one, other in pairs:
            with self.subTest(one=one, other=other):
                self.assertEqual(identity(one), identity(one))
                self.assertNotEqual(identity(one), identity(other))
        for value in (np.random.default_rng(1), np.array([object()]), iter([1]), threading.Lock()):
            with self.subTest(value=value), self.assertRaisesRegex(ikat.WrongType, "cannot be told"):
                identity(value)
        def early(num_hosts):
            return np.full(num_hosts, later)
        ikat.register_traffic("py_early", early)  # what it encloses has no value yet
        later = 1

    def test_raises_within_a_run(self):
        folder = self.tmp
        def broken(fabric):
            raise ZeroDivisionError("on purpose")
        ikat.register_routing("py_table", broken)
        ikat.register_traffic("py_pattern", ladder)
        (folder / "e.yaml").write_text(self.TEXT)
        with self.assertRaisesRegex(ZeroDivisionError, "on purpose"):
            ikat.run(folder / "e.yaml", folder / "r.db")


class SharedObjects(PythonTest):
    def test_loaded(self):
        folder = self.tmp
        subprocess.run(["cc", "-shared", "-fPIC", "-I", SOURCE / "include", "-o", folder / "ladder.so", SOURCE / "examples/plugin/ladder.c"], check=True)
        code = f"""
import ikat
ikat.load_plugin({str(folder / 'ladder.so')!r})
ikat.load_plugin({str(folder / 'ladder.so')!r})
assert [p.name for p in ikat.plugins()] == ["ladder"], ikat.plugins()
print(ikat.Fabric("torus:dims=4:4").routing("dor").saturation("ladder:reach=3"))
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        changed = f"""
import ikat, subprocess
path = {str(folder / 'ladder.so')!r}
ikat.load_plugin(path)
subprocess.run(["cc", "-shared", "-fPIC", "-DOTHER", "-O1", "-g", "-I", {str(SOURCE / 'include')!r}, "-o", path, {str(SOURCE / 'examples/plugin/ladder.c')!r}], check=True)
try:
    ikat.load_plugin(path)
except ikat.InputError as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", changed], capture_output=True, text=True, check=True)
        self.assertIn("has changed since it was loaded", done.stdout)
        with self.assertRaisesRegex(ikat.FileError, "No such file"):
            ikat.load_plugin(folder / "nothing.so")


if __name__ == "__main__":
    unittest.main()
