"""Recordings: what `ikat.record` writes is what `ikat record` writes, its errors are those of the command, and nothing is left behind.

Tests that run programs are skipped, one MPI library at a time, where its recorder was not built or its compiler or mpirun is missing.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest.mock

from support import PythonTest, SOURCE, ikat, unittest

PROGRAMS = SOURCE / "tests/record"
BUILT = pathlib.Path(os.environ.get("IKAT_BUILD", SOURCE / "build/release")) / "record"
SHIPPED = SOURCE / "data/halo16.ikrec"
# What Open MPI needs to run as root, with more ranks than processors, on a machine that has other work.
for variable, setting in {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                          "OMPI_MCA_mpi_yield_when_idle": "1"}.items():
    os.environ.setdefault(variable, setting)
LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}


def command(*arguments, status=0):
    done = subprocess.run([os.environ["IKAT"], *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


class Shipped(PythonTest):
    """What needs no MPI library."""

    def test_a_recording_is_what_the_command_shows(self):
        found = ikat.recording(SHIPPED)
        self.assertEqual(found.to_dict(), json.loads(command("record", "--show", SHIPPED, "--json")[0]))
        self.assertEqual((found.path, found.ranks, found.exit_status), (str(SHIPPED), 16, None))
        self.assertIn("16 ranks", repr(found))
        self.assertIn("<table>", found._repr_html_())
        self.assertEqual(found.lines(), command("record", "--calls", SHIPPED)[0])
        self.assertEqual(found.lines(rank=3), command("record", "--calls", SHIPPED, "--rank", 3)[0])
        self.refused(ikat.UsageError, found.lines, rank=-1)
        self.refused(ikat.UsageError, found.lines, rank=16, says="the last is 15")
        self.refused(ikat.FileError, ikat.recording, self.tmp / "none")
        (self.tmp / "damaged").write_bytes(SHIPPED.read_bytes()[:-20])
        refused = self.refused(ikat.InputError, ikat.recording, self.tmp / "damaged")
        self.assertIn("damaged", refused.file)

    def test_refused(self):
        output = self.tmp / "a.ikrec"
        output.write_text("kept")
        cases = [(["no-such-program"], {}, "there is no program 'no-such-program'"), ([], {}, "no program to record"),
                 (["true"], {"mpi": "lam"}, "openmpi or mpich, not 'lam'"), (["true"], {"launcher": "mpirun"}, "no effect without ranks"),
                 (["true"], {"ranks": 0}, "ranks"), (["true"], {"ranks": 2, "launcher": "no-such-mpirun"}, "there is no program 'no-such-mpirun'")]
        for words, options, says in cases:
            with self.subTest(words=words, **options):
                self.refused(ikat.UsageError, ikat.record, words, output, says=says, **options)
        for wrong in ("true", 5, None, [5]):
            self.refused(ikat.WrongType, ikat.record, wrong, output, says="command")
        self.refused(ikat.WrongType, ikat.record, ["true"], 5, says="output")
        self.refused(ikat.WrongType, ikat.record, ["true"], output, ranks="2")
        refused = self.refused(ikat.UsageError, ikat.record, ["true"], self.tmp, says="is not a file")
        self.assertIn(refused.hint, command("record", "-o", self.tmp, "--", "true", status=2)[1])
        self.assertIn("that is made or replaced", refused.hint)
        with unittest.mock.patch.dict(os.environ, {"OMPI_COMM_WORLD_SIZE": "4"}):
            said = command("record", "-o", output, "--", "true", status=2)[1]
            refused = self.refused(ikat.UsageError, ikat.record, ["true"], output, says="OMPI_COMM_WORLD_SIZE=4")
        self.assertIn(refused.text, said)
        self.assertIn(refused.hint, said)
        self.assertEqual([path.name for path in self.tmp.iterdir()], ["a.ikrec"])
        self.assertEqual(output.read_text(), "kept")


class Recorded(PythonTest):
    def need(self, library):
        missing = next((tool for tool in (LAUNCHERS[library], f"mpicc.{library}") if not shutil.which(tool)), None)
        if not (BUILT / f"libikat_record_{library}.so").exists():
            self.skipTest(f"ikat was built without a recorder for {library}")
        if missing:
            self.skipTest(f"{missing} is missing")

    def program(self, library, source):
        out = self.tmp / source.removesuffix(".c")
        subprocess.run([f"mpicc.{library}", "-O1", "-w", PROGRAMS / source, "-o", out, "-lpthread"], check=True)
        return out

    def alone(self, *names):
        self.assertEqual(sorted(path.name for path in self.tmp.iterdir()), sorted(names))

    def of_library(self, library):
        self.need(library)
        program, launcher = self.program(library, "halo.c"), LAUNCHERS[library]
        ours = ikat.record([program], self.tmp / "ours", ranks=4, launcher=launcher)
        self.alone("halo", "ours")
        command("record", "-o", self.tmp / "its", "--", launcher, "-n", 4, program)
        its = ikat.recording(self.tmp / "its")
        self.assertEqual((ours.exit_status, ours.path), (0, str(self.tmp / "ours")))
        for name in ("ranks", "ranks_cut", "calls", "messages", "bytes", "collectives", "onesided", "failed_calls", "library"):
            self.assertEqual(getattr(ours, name), getattr(its, name), name)

        def calls(recording):
            """Without the times."""
            return [line.split()[:2] + re.sub(r" ran .*", "", line).split()[4:] for line in recording.lines().splitlines()]
        self.assertEqual(calls(ours), calls(its))
        self.assertEqual(ours._replace(exit_status=None), ikat.recording(ours.path))
        again = ikat.record([launcher, "-n", "2", program], self.tmp / "ours")
        self.assertEqual(again.ranks, 2)
        replayed = ikat.Fabric("karytree:k=4,n=2").routing("dmodk").simulate(f"program:trace={ours.path}", 1.0, until="delivered", at_most="100 s")
        self.assertGreater(replayed.completion_ns, 0)

    def test_openmpi(self):
        self.of_library("openmpi")

    def test_mpich(self):
        self.of_library("mpich")

    def test_endings(self):
        """A program that fails is recorded; one that leaves no recording, or cannot be started, is an error and writes nothing."""
        self.need("openmpi")
        program, output = self.program("openmpi", "endings.c"), self.tmp / "a.ikrec"
        found = ikat.record([program, "status", "3"], output, ranks=2, launcher="mpirun.openmpi")
        self.assertEqual((found.exit_status, found.ranks), (5, 2))
        output.unlink()
        self.refused(ikat.CheckFailed, ikat.record, ["true"], output, says="no process")
        refused = self.refused(ikat.CheckFailed, ikat.record, ["sh", "-c", "exit 3"], output)
        self.assertIn("ended with status 3", refused.text)
        script = self.tmp / "script"
        script.write_text("#!/no/such/shell\n")
        script.chmod(0o755)
        self.refused(ikat.FileError, ikat.record, [script], output, says="cannot be run")
        self.alone("endings", "script")

    def test_interrupted_at_the_begin(self):
        """Ctrl-C while the job is made is raised when it is made: the file that was opened and the folder go."""
        self.need("openmpi")
        seen = []

        class Late(ikat._recordings.Unbroken):  # pylint: disable=protected-access
            def __exit__(other, *_):  # pylint: disable=no-self-argument
                super().__exit__()
                seen.append(sorted(path.name for path in self.tmp.iterdir()))
                if len(seen) == 1:
                    raise KeyboardInterrupt
        with unittest.mock.patch.object(ikat._recordings, "Unbroken", Late), self.assertRaises(KeyboardInterrupt):  # pylint: disable=protected-access
            ikat.record(["true"], self.tmp / "a.ikrec")
        self.assertTrue(any(".ranks-" in name for name in seen[0]), seen)
        self.alone()

    def test_ctrl_c(self):
        self.need("openmpi")
        work = ('import sys, ikat\nprint("begins", flush=True)\ntry:\n    ikat.record(["sh", "-c", "echo runs; exec sleep 100"], sys.argv[1])\n'
                'except KeyboardInterrupt:\n    print("interrupted")\n')
        with subprocess.Popen([sys.executable, "-c", work, self.tmp / "a.ikrec"], stdout=subprocess.PIPE, text=True) as child:
            self.assertEqual((child.stdout.readline(), child.stdout.readline()), ("begins\n", "runs\n"))
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.stdout.read(), "interrupted\n")
        self.alone()


if __name__ == "__main__":
    unittest.main()
