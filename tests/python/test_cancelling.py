"""Progress, cancelling from another thread, Ctrl-C, and other threads that go on meanwhile."""
import gc
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time

from support import EXPERIMENT, PythonTest, ikat, lib, unittest

LONG = {"load": 0.9, "warmup": "10 us", "duration": "100 s"}  # of simulated time: would take days


class Cancelling(PythonTest):
    @classmethod
    def setUpClass(cls):
        cls.routing = ikat.Fabric("karytree:k=4,n=2").routing("dmodk")

    def test_progress(self):
        seen = []
        self.routing.simulate(load=0.9, warmup="10 us", duration="10 ms", progress=seen.append)
        self.assertGreater(len(seen), 0)
        for event in seen:
            self.assertEqual(event.kind, "progress")
            self.assertLessEqual(event.done, event.total)
        self.assertGreaterEqual(seen[-1].done, seen[0].done)
        ikat.Fabric("karytree:k=8,n=3").routing("dmodk").prove(progress=seen.append)

    def test_an_exception_in_progress_ends_the_call(self):
        class Own(Exception):
            """Of the user."""

        def raises(_):
            raise Own("enough")
        with self.assertRaises(Own):
            self.routing.simulate(progress=raises, **LONG)
        with self.assertRaises(Own):
            ikat.run(EXPERIMENT, progress=raises)
        def raises_at_the_end(event):
            if event.done == event.total:
                raise Own("late")
        fabric = self.routing.fabric
        living = lib.ikpy_living()
        with self.assertRaises(Own):
            fabric.routing("updown", progress=raises_at_the_end).prove(progress=raises_at_the_end)
        gc.collect()
        self.assertEqual(lib.ikpy_living(), living)
        with self.assertRaises(Own):
            ikat.sweep(self.routing, progress=raises, warmup="1 us", duration="1 us")

    def test_another_thread_cancels(self):
        cancel, goes_on = ikat.Cancel(), threading.Event()
        self.assertEqual(repr(cancel), "<ikat.Cancel>")

        def stop():
            goes_on.set()
            time.sleep(0.05)
            cancel.cancel()
        threading.Thread(target=stop).start()
        self.refused(ikat.Cancelled, self.routing.simulate, cancel=cancel, **LONG)
        self.assertTrue(goes_on.is_set() and cancel.cancelled)
        self.refused(ikat.Cancelled, self.routing.simulate, cancel=cancel, **LONG)  # and what begins later
        self.refused(ikat.Cancelled, ikat.sweep, self.routing, cancel=cancel, **{"duration": "100 s"})
        self.assertEqual(repr(cancel), "<ikat.Cancel: cancelled>")

    def test_the_interpreter_is_free_meanwhile(self):
        cancel, count = ikat.Cancel(), 0
        threading.Timer(0.3, cancel.cancel).start()
        errors = []

        def work():
            try:
                self.routing.simulate(cancel=cancel, **LONG)
            except ikat.Cancelled as error:
                errors.append(error)
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive() and count < 10**9:
            count += 1
        self.assertEqual(len(errors), 1)
        self.assertGreater(count, 100)

    def test_cancelled_experiments_keep_their_points(self):
        cancel, store = ikat.Cancel(), self.tmp / "e.db"

        def first(event):
            if event.kind == "point" and event.done == 1:
                cancel.cancel()
        experiment = EXPERIMENT.replace("[20%, 60%]", "[20%, 30%, 40%, 50%, 60%]").replace("30 us", "3 ms")
        self.refused(ikat.Cancelled, ikat.run, experiment, store, threads=1, progress=first, cancel=cancel)
        with sqlite3.connect(store) as connection:
            kept = connection.execute("SELECT COUNT(*) FROM points").fetchone()[0]
        self.assertGreaterEqual(kept, 1)
        self.assertLess(kept, 10)
        reused = []
        results = ikat.run(experiment, store, progress=lambda event: reused.append(event.done) if event.text == "reused" else None)
        self.assertEqual(results.points_finished, (10, 10))
        self.assertEqual(max(reused), kept)

    def interrupted(self, body, signals=1):
        """Runs a program that prints "ready" and is interrupted then; returns what it printed."""
        program = "import ikat, signal, sys, threading\nrouting = ikat.Fabric('karytree:k=4,n=2').routing('dmodk')\n"
        program += f"LONG = {LONG!r}\ndef ready(_):\n    print('ready', flush=True)\n" + textwrap.dedent(body)
        with subprocess.Popen([sys.executable, "-W", "ignore", "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            for _ in range(signals):
                line = process.stdout.readline()
                while line == "interrupted\n":
                    line = process.stdout.readline()
                self.assertEqual(line, "ready\n")
                process.send_signal(signal.SIGINT)
            try:
                return process.communicate(timeout=600)[0].replace("ready\n", ""), process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                raise

    def test_ctrl_c(self):
        out, status = self.interrupted("""
            from ikat._native import lib
            living = lib.ikpy_living()
            try:
                ready(0)
                routing.simulate(**LONG)
            except KeyboardInterrupt:
                print("interrupted")
            print(lib.ikpy_living() - living, lib.ikpy_interrupts_depth())
            print(routing.simulate(warmup="1 us", duration="9 us").packets_generated > 0)  # and everything works afterwards
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                print("again")
            """)
        self.assertEqual((out, status), ("interrupted\n0 0\nTrue\nagain\n", 0))

    def test_ctrl_c_with_progress_and_experiments(self):
        out, status = self.interrupted("""
            try:
                routing.simulate(progress=ready, **LONG)
            except KeyboardInterrupt:
                print("interrupted")
            """)
        self.assertEqual((out, status), ("interrupted\n", 0))
        out, status = self.interrupted("""
            try:
                ready(0)
                ikat.run({"fabric": "karytree:k=4,n=2", "routing": "dmodk", "load": 0.9, "seeds": 3, "measure": {"duration": "1 s"}})
            except KeyboardInterrupt:
                print("interrupted")
            """)
        self.assertEqual((out, status), ("interrupted\n", 0))
        out, status = self.interrupted("""
            try:
                ready(0)
                routing.sweep(loads=[0.9, 0.95], duration="100 s")
            except KeyboardInterrupt:
                print("interrupted")
            """)
        self.assertEqual((out, status), ("interrupted\n", 0))

    def test_an_own_handler_of_ctrl_c(self):
        out, status = self.interrupted("""
            seen = []
            signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
            try:
                routing.simulate(progress=ready, **LONG)
            except ikat.Cancelled:
                print("cancelled", seen == [signal.SIGINT])
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.raise_signal(signal.SIGINT)
            print(routing.simulate(warmup="1 us", duration="9 us").packets_generated > 0)
            """)
        self.assertEqual((out, status), ("cancelled True\nTrue\n", 0))

    def test_several_ctrl_c(self):
        out, status = self.interrupted("""
            for _ in range(2):
                try:
                    ready(0)
                    routing.simulate(**LONG)
                except KeyboardInterrupt:
                    print("interrupted", flush=True)
            """, signals=2)
        self.assertEqual((out, status), ("interrupted\n", 0))  # the first one was read before

    def test_ctrl_c_at_any_instant(self):
        """Whatever a signal interrupts (lines of the package, the library, a function of the user): KeyboardInterrupt comes, nothing
        leaks, and no handler stays."""
        program = """
            import gc, signal, time
            import ikat
            from ikat._native import lib
            EXPERIMENT = {"fabric": "karytree:k=2,n=2", "routing": "dmodk", "load": 0.5, "measure": {"warmup": "1 us", "duration": "1 us"}}
            fabric, seen = ikat.Fabric("karytree:k=4,n=2"), []
            routing = fabric.routing("dmodk")
            calls = [lambda: ikat.Fabric("karytree:k=2,n=3"), lambda: fabric.routing("updown").prove(progress=seen.append), fabric.describe,
                     lambda: routing.load("shift:by=1"), lambda: routing.simulate(load=0.5, warmup="1 us", duration="9 us", progress=seen.append),
                     lambda: fabric.degrade(links=[0]), lambda: ikat.Experiment(EXPERIMENT), routing.tables, fabric.distances,
                     lambda: fabric.routing("dmodk", traffic="uniform").queues(), lambda: fabric.cables(4), lambda: ikat.run(EXPERIMENT)]
            handler = signal.getsignal(signal.SIGINT)
            print(len(calls), flush=True)
            for number in range(len(calls)):
                calls[number]()
                seen.clear()
                gc.collect()
                living, interrupts = lib.ikpy_living(), 0
                for _ in range(ROUNDS):
                    try:
                        print("ready", flush=True)
                        calls[number]()
                        for _ in range(6000):
                            time.sleep(0.01)  # a signal just before a sleep begins does not shorten it
                    except KeyboardInterrupt:
                        interrupts += 1
                    seen.clear()
                gc.collect()
                left = lib.ikpy_living() - living
                print(interrupts, left, lib.ikpy_interrupts_depth(), signal.getsignal(signal.SIGINT) is handler, flush=True)
            """
        rounds = 40
        program = textwrap.dedent(program).replace("ROUNDS", str(rounds))
        with subprocess.Popen([sys.executable, "-W", "ignore", "-c", program], stdout=subprocess.PIPE, text=True) as process:
            try:
                for number in range(int(process.stdout.readline())):
                    for delay in range(rounds):
                        self.assertEqual(process.stdout.readline(), "ready\n")
                        until = time.perf_counter() + delay**2 * 2e-6  # up to 3 ms, close together at first
                        while time.perf_counter() < until:
                            pass
                        process.send_signal(signal.SIGINT)
                    self.assertEqual(process.stdout.readline(), f"{rounds} 0 0 True\n", f"call {number}")
            finally:
                process.kill()

    def test_lines_that_another_handler_ends(self):
        """What the handler of another signal raises may end the lines that give Ctrl-C back to Python: it comes nevertheless."""
        class Ended(Exception):
            pass

        for function in ("__enter__", "__exit__", "_leave", "_begin", "_end"):
            def trace(frame, event, _, function=function):
                if event == "call" and frame.f_code.co_name == function and frame.f_code.co_filename.endswith("_core.py"):
                    raise Ended
            for call in (self.routing.prove, self.routing.fabric.describe):
                sys.settrace(trace)
                try:
                    call()
                except Ended:
                    pass
                finally:
                    sys.settrace(None)
                self.assertEqual(lib.ikpy_interrupts_depth(), 0, function)
                with self.assertRaises(KeyboardInterrupt):
                    signal.raise_signal(signal.SIGINT)

    def test_second_ctrl_c_behind_a_callback(self):
        """The first one was put off and is raised at the callback's begin: behind it, the next one is put off as well."""
        seen = []

        def trace(frame, event, _):
            if event == "call" and frame.f_code.co_filename.endswith("_core.py"):
                if frame.f_code.co_name == "report" and "put off" not in seen:
                    seen.append("put off")
                    signal.raise_signal(signal.SIGINT)
                elif frame.f_code.co_name == "_leave":
                    seen.append(lib.ikpy_interrupts_callback(False))
        before = signal.getsignal(signal.SIGINT)
        sys.settrace(trace)
        try:
            with self.assertRaises(KeyboardInterrupt):
                self.routing.simulate(load=0.9, warmup="10 us", duration="5 ms", progress=lambda _: seen.append("called"))
        finally:
            sys.settrace(None)
        self.assertEqual(seen, [False, "put off", False])  # the first one is of the pattern
        self.assertIs(signal.getsignal(signal.SIGINT), before)

    def test_handlers_that_callbacks_set(self):
        """What a callback sets stays, and Ctrl-C is put off again behind it."""
        before, seen = signal.getsignal(signal.SIGINT), []
        try:
            for handler in (signal.SIG_IGN, lambda *_: seen.append("own")):
                self.routing.simulate(load=0.9, warmup="10 us", duration="5 ms", progress=lambda _, now=handler: signal.signal(signal.SIGINT, now))
                signal.raise_signal(signal.SIGINT)
                self.assertIs(signal.getsignal(signal.SIGINT), handler)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(seen, ["own"])
        with self.assertRaises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    def test_forks_within_calls(self):
        """A process that another thread has forked is in no call; one that a callback has forked is in its callback."""
        program = """
            import os
            def child():
                try:
                    signal.raise_signal(signal.SIGINT)
                    print("lost", flush=True)
                except KeyboardInterrupt:
                    print("came", flush=True)
                os._exit(0)
            def fork():
                if (pid := os.fork()) == 0:
                    child()
                os.waitpid(pid, 0)
            cancel, under_way = ikat.Cancel(), threading.Event()
            def other():
                under_way.wait()
                fork()
                cancel.cancel()
            def progress(_):
                if not under_way.is_set():
                    fork()
                    under_way.set()
            thread = threading.Thread(target=other)
            thread.start()
            try:
                routing.simulate(progress=progress, cancel=cancel, **LONG)
            except ikat.Cancelled:
                thread.join()
                print("cancelled")
            """
        self.assertEqual(self.interrupted(program, signals=0), ("came\ncame\ncancelled\n", 0))

    def test_selections_are_not_asked_after_an_error(self):
        """The call ends at its next look at the flag: until then the function, which may be slow, is not asked again."""
        asked = []

        def select(_):
            asked.append(1)
            raise KeyboardInterrupt
        ikat.register_selection("interrupted", select, version=1)
        routing = ikat.Fabric("karytree:k=4,n=2").routing("adaptive_tree", selection="interrupted")
        with self.assertRaises(KeyboardInterrupt):
            routing.simulate(load=0.9, warmup="10 us", duration="1 ms", threads=1)
        self.assertEqual(len(asked), 1)

    def test_calls_within_callbacks(self):
        inner = []

        def again(_):
            if not inner:
                inner.append(self.routing.prove().pairs)
        self.routing.simulate(load=0.9, warmup="10 us", duration="5 ms", progress=again)
        self.assertEqual(inner, [240])
        self.assertEqual(lib.ikpy_interrupts_depth(), 0)

    def test_no_handler_stays_behind(self):
        before = signal.getsignal(signal.SIGINT)
        self.routing.prove()
        self.assertIs(signal.getsignal(signal.SIGINT), before)


if __name__ == "__main__":
    unittest.main()
