"""ikat record: programs that count what they send are recorded under real MPI libraries, and their recordings replayed.

Skipped, one MPI library at a time, where its recorder was not built or its compiler or mpirun is missing.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import IKAT, SOURCE, CliTest, run

PROGRAMS = SOURCE / "tests" / "record"
BUILT = pathlib.Path(os.environ.get("IKAT_BUILD", SOURCE / "build" / "release")) / "record"
# What Open MPI needs to run as root, with more ranks than processors, on a machine that has other work.
for name, value in {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                    "OMPI_MCA_mpi_yield_when_idle": "1"}.items():
    os.environ.setdefault(name, value)

LIBRARIES = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}
FABRIC = "fabric: karytree:k=4,n=2\nrouting: dmodk\nadapter: {packet: 256 B}\nmeasure: {until: delivered, at_most: 100 s}\n"


def missing(library, compiler="mpicc"):
    """What is missing to record programs of a library; None: nothing."""
    if not (BUILT / f"libikat_record_{library}.so").exists():
        return f"ikat was built without a recorder for {library}"
    for tool in (LIBRARIES[library], f"{compiler}.{library}"):
        if not shutil.which(tool):
            return f"{tool} is missing"
    return None


class Recorded(CliTest):
    """Compiles programs, records them, compares what they say with what was recorded."""

    mpi = "openmpi"

    def need(self, library, compiler="mpicc"):
        reason = missing(library, compiler)
        if reason:
            self.skipTest(reason)
        self.mpi = library

    def program(self, source, *flags):
        compiler = "mpicc" if source.endswith(".c") else "mpif90"
        out = self.tmp / (source.replace(".", "_") + "".join(flags).replace("-", "_") + self.mpi)
        if not out.exists():
            subprocess.run([f"{compiler}.{self.mpi}", "-O1", "-w", *flags, PROGRAMS / source, "-o", out, "-lpthread"], check=True)
        return out

    def record(self, ranks, *command, options=(), status=0, launcher=None):
        """Records; gives the standard output and the recording."""
        store = self.tmp / "t.ikrec"
        store.unlink(missing_ok=True)
        done = run("record", *options, "-o", store, "--", launcher or LIBRARIES[self.mpi], "-n", ranks, *command, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        self.assertEqual([p.name for p in self.tmp.glob("t.ikrec*")], ["t.ikrec"], "temporary files are left")
        return done.stdout, store

    def ending(self, ranks, how, rounds):
        """Records endings.c under a shell that says the launcher's own exit status, which is the recording's.

        Which one that is, is the launcher's affair: it ends the other ranks when one has ended, and reports either.
        """
        say = 'timeout -k 5 100 "$@"; code=$?; echo "launcher ended with $code"; exit $code'
        store = self.tmp / "t.ikrec"
        for _ in range(3):  # after MPI_Abort, Open MPI's mpirun now and then waits for ever for ranks that have ended, and may not hear the first signal
            store.unlink(missing_ok=True)
            done = run("record", "-o", store, "--", "sh", "-c", say, "sh", LIBRARIES[self.mpi], "-n", ranks,
                       self.program("endings.c"), how, rounds, timeout=600)
            said = re.search(r"^launcher ended with (\d+)$", done.stdout, re.M)
            if not said or said[1] not in ("124", "137"):
                break
        self.assertTrue(said, done.stdout[-2000:] + done.stderr[-2000:])
        self.assertEqual(done.returncode, int(said[1]), done.stderr[-2000:])
        self.assertEqual([p.name for p in self.tmp.glob("t.ikrec*")], ["t.ikrec"], "temporary files are left")
        if how == "status":  # all ranks end alike
            self.assertEqual(done.returncode, 5)
        else:
            self.assertNotEqual(done.returncode, 0)
        return store

    def sent(self, output):
        """Of each rank: messages and bytes as the program counted them."""
        found = {int(r): (int(m), int(b)) for r, m, b, _ in re.findall(r"^rank (\d+) sent (\d+) (\d+) wrong (\d+)", output, re.M)}
        self.assertTrue(found, output)
        return found

    def recorded(self, store, rank):
        """The same as the recording has it."""
        messages = size = 0
        for line in self.ok("record", "--calls", store, "--rank", rank).splitlines():
            words = line.split()
            if words[4] in ("send", "sendrecv") and not re.search(r" to nobody", line):
                messages, size = messages + 1, size + int(re.search(r" (\d+) B", line)[1])
            elif words[4] == "neighbour":
                for out in re.findall(r" to (\d+) (\d+)", line):
                    messages, size = messages + 1, size + int(out[1])
        return messages, size

    def compare(self, output, store):
        for rank, sent in self.sent(output).items():
            self.assertEqual(self.recorded(store, rank), sent, f"rank {rank}")

    def replays(self, store, matching="recorded", extra=""):
        experiment = self.tmp / "t.yaml"
        experiment.write_text(FABRIC + f"traffic: {{family: program, trace: {store}, matching: {matching}{extra}}}\n")
        results = self.tmp / "t.db"
        results.unlink(missing_ok=True)
        return run("run", experiment, "-o", results, timeout=600)

    def every_call(self, ranks, program, *kinds):
        output, store = self.record(ranks, program, *kinds)
        self.compare(output, store)
        self.assertLess(self.json("record", "--show", store)["duration_ns"], 120e9)
        done = self.replays(store)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertNotIn("not completed", done.stdout + done.stderr)


    def shared_cores(self, ranks=8, ms=40):
        """Ranks that outnumber the cores which they may use: what they computed is known all the same."""
        core = min(os.sched_getaffinity(0))
        command = ["taskset", "-c", str(core), LIBRARIES[self.mpi]] + (["--bind-to", "none"] if self.mpi == "openmpi" else [])
        store = self.tmp / "t.ikrec"
        store.unlink(missing_ok=True)
        done = run("record", "-o", store, "--", *command, "-n", ranks, self.program("compute.c"), ms, 2, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{ranks} ranks shared 1 processor core: between its calls a rank had a core for", done.stdout)
        s = self.json("record", "--show", store)
        self.assertEqual((s["shared_ranks"], s["shared_cores"]), (ranks, 1))
        self.assertGreater(s["compute_cpu_ns"] / ranks, .99 * ms * 1e6)
        self.assertLess(s["compute_cpu_ns"] / ranks, 1.2 * ms * 1e6)
        self.assertGreater(s["compute_ns"] / ranks, 2 * ms * 1e6)
        done = self.replays(store)
        self.assertIn(f"note: {store}: {ranks} ranks shared 1 processor core while they were recorded", done.stderr)
        self.assertIn("(clock=cpu)", done.stderr)
        times = {}
        for clock in ("auto", "cpu", "wall"):
            self.assertEqual(self.replays(store, extra=f", clock: {clock}").returncode, 0)
            times[clock] = self.ok("report", self.tmp / "t.db", "--csv", "--table", "ranks")
        self.assertNotEqual(times["cpu"], times["wall"])

    def threads_in_turn(self, ms=60):
        """A thread may have the address of one that has ended: what it computed is known all the same."""
        _, store = self.record(2, self.program("compute.c", "-pthread"), ms, 4, "threads")
        self.assertGreater(self.json("record", "--show", store)["compute_cpu_ns"] / 2, .99 * ms * 1e6)

    def spawns(self):
        """Processes that were spawned are left out, the recording is readable, and what was sent inside is all there."""
        program = self.program("spawn.c")
        alone = subprocess.run([LIBRARIES[self.mpi], "-n", "3", program], capture_output=True, text=True, timeout=600, check=False)
        if alone.returncode:
            self.skipTest(f"{self.mpi} spawns no process on this machine: {alone.stderr[:200]}")
        output, store = self.record(3, program)
        found = re.findall(r"rank (\d) inside (\d+) outside (\d+) wrong (\d+)", output)
        self.assertEqual(len(found), 3, output)
        for rank, inside, outside, wrong in found:
            self.assertEqual(wrong, "0")
            self.assertEqual(self.recorded(store, rank), (int(inside), 4 * int(inside)))
            sends = [line for line in self.ok("record", "--calls", store, "--rank", rank).splitlines()
                     if re.search(r" send\w* .*to nobody.* outside", line)]
            self.assertEqual(len(sends), int(outside))
        summary = self.json("record", "--show", store)
        self.assertEqual((summary["ranks"], summary["ranks_cut"], summary["spawn_calls"]), (3, 0, 3))
        self.assertIn("processes of other programs were started or joined", self.ok("record", "--show", store))
        done = self.replays(store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("processes of other programs, which are not in the recording", done.stderr)


class OpenMPI(Recorded):
    def setUp(self):
        super().setUp()
        self.need("openmpi")

    def test_every_call(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                self.every_call(ranks, self.program("every_call.c"))

    def test_shared_cores(self):
        self.shared_cores()

    def test_threads_in_turn(self):
        self.threads_in_turn()

    def test_spawn(self):
        self.spawns()

    def test_matching_of_the_run(self):
        """What receives from any source took can be left to the run."""
        output, store = self.record(2, self.program("every_call.c"), "wildcards", "probes", "persistent", "immediate")
        self.compare(output, store)
        done = self.replays(store, "mpi")
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def test_receives_from_any_source_say_what_they_took(self):
        _, store = self.record(4, self.program("every_call.c"), "wildcards")
        lines = self.ok("record", "--calls", store, "--rank", 0)
        self.assertEqual(len(re.findall(r"recv from any .* took [123] tag 3[01]", lines)), 6)
        self.assertEqual(len(re.findall(r"recv from [123] tag any .* tag 32", lines)), 3)
        waits = [line for line in lines.splitlines() if " wait " in line]
        self.assertEqual(sum(line.count(" tag 40") + line.count(" tag 41") for line in waits), 6)

    def test_same_numbers_with_and_without_recorder(self):
        """The program checks what MPI gives it back: statuses, requests, errors, contents."""
        output, _ = self.record(3, self.program("every_call.c"))
        self.assertEqual(set(re.findall(r"wrong (\d+)", output)), {"0"})
        plain = subprocess.run([LIBRARIES["openmpi"], "-n", "3", self.program("every_call.c")], capture_output=True, text=True, check=True)
        self.assertEqual(sorted(plain.stdout.splitlines()), sorted(line for line in output.splitlines() if line.startswith("rank ")))

    def test_fortran(self):
        self.need("openmpi", "mpif90")
        for flags in ((), ("-DF08",)):
            with self.subTest(flags=flags):
                program = self.program("every_call.f90", "-cpp", *flags)
                output, _ = self.record(3, program)
                self.assertEqual(set(re.findall(r"wrong (\d+)", output)), {"0"})
                self.every_call(3, program)

    def test_endings(self):
        """What was recorded survives the program; its exit status is passed on."""
        for how in ("abort", "exit", "kill", "mpi_abort", "status"):
            with self.subTest(how=how):
                store = self.ending(3, how, 100)
                summary = self.json("record", "--show", store)
                self.assertEqual(summary["messages"], 300)
                self.assertEqual(summary["ranks_cut"] == 0, how == "status")
                done = self.replays(store)
                self.assertEqual(done.returncode, 0 if how == "status" else 2, done.stderr)
                if how != "status":
                    self.assertRegex(done.stderr, r"rank [0-2], record \d+ .*before MPI_Finalize")

    def test_stopped_from_outside(self):
        """A signal to ikat ends the command, and what it recorded is kept."""
        store = self.tmp / "t.ikrec"
        with subprocess.Popen([IKAT, "record", "-o", store, "--", LIBRARIES["openmpi"], "-n", "2", self.program("endings.c"), "no", "2000000000"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            begun = 0
            for _ in range(12000):  # until the first block of both ranks has a record
                begun = sum(p.read_bytes()[16:24].strip(b"\0") != b"" for p in self.tmp.glob("t.ikrec.ranks-*/rank-*.part"))
                if begun == 2:
                    break
                time.sleep(0.05)
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=600)
            self.assertEqual(begun, 2)
            self.assertNotEqual(child.returncode, 0)
        self.assertEqual([p.name for p in self.tmp.glob("t.ikrec*")], ["t.ikrec"])
        self.assertEqual(self.json("record", "--show", store)["ranks_cut"], 2)

    def test_recording_that_cannot_grow(self):
        """The program goes on, and it is said which rank's recording ends early."""
        store = self.tmp / "t.ikrec"
        done = run("record", "-o", store, "--", LIBRARIES["openmpi"], "-n", 1, self.program("endings.c"), "limit", 100000)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("not everything was recorded: the recording cannot grow", done.stderr)
        self.assertRegex(done.stderr, "rank 0: the recording cannot grow: File too large")
        summary = self.json("record", "--show", store)
        self.assertEqual(summary["ranks_cut"], 1)
        self.assertGreater(summary["messages"], 1000)
        self.assertLess(summary["messages"], 100000)

    def test_file_under_the_number_of_the_recorder(self):
        """A program that closes descriptors which it did not open gets nothing of the recording into its own files."""
        other = self.tmp / "other"
        other.write_text("untouched")
        _, store = self.record(1, self.program("endings.c"), "descriptor", 100000, other)
        self.assertEqual(other.read_text(), "untouched")
        summary = self.json("record", "--show", store)
        self.assertEqual((summary["messages"], summary["ranks_cut"]), (100000, 0))

    def test_output_that_cannot_be_written_in_the_end(self):
        """What the ranks recorded is kept, and made a recording of by another command."""
        store = self.tmp / "t.ikrec"
        for code in (0, 3):
            with self.subTest(code=code):
                done = run("record", "-o", store, "--", "sh", "-c", f'"$@" && mkdir {store}; exit {code}', "sh",
                           LIBRARIES["openmpi"], "-n", 2, self.program("endings.c"), "no", 3)
                self.assertEqual(done.returncode, code or 1, done.stderr)
                self.assertIn(f"{store}: cannot be written: Is a directory", done.stderr)
                kept = re.search(r"kept in (.*)\n", done.stderr)[1]
                self.assertRegex(done.stderr, rf"ikat record --merge {kept} -o FILE\n")
                store.rmdir()
                self.ok("record", "--merge", kept, "-o", store)
                self.assertEqual(self.json("record", "--show", store)["messages"], 6)
                self.assertEqual(self.replays(store).returncode, 0)
                store.unlink()
                shutil.rmtree(kept)

    def test_launcher_of_another_library(self):
        """The program's processes are alone then: the likely cause is said."""
        if missing("mpich"):
            self.skipTest(missing("mpich"))
        for library, launcher, variable in (("openmpi", "mpirun.mpich", "PMI_SIZE"), ("mpich", "mpirun.openmpi", "OMPI_COMM_WORLD_SIZE")):
            with self.subTest(library=library):
                self.mpi = library
                # two processes of Open MPI that begin alone at one time may fail to make the folder of the session that both have
                done = run("record", "-o", self.tmp / "t.ikrec", "--", launcher, "-n", 2, "sh", "-c", f'OMPI_MCA_orte_tmpdir_base=$(mktemp -d {self.tmp}/XXXXXX) exec "$@"', "sh",
                           self.program("endings.c"), "no", 3)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(": 1 rank, 5 calls, 3 messages of 3 B, 1 call of", done.stdout)
                self.assertRegex(done.stderr, rf"not everything was recorded: the launcher started 2 processes \({variable}\).*mpirun seems to be of another MPI library")

    def test_launcher_before_ikat(self):
        """Each process is refused, nothing is run; one rank, as in a step of a batch job, is recorded."""
        store, program = self.tmp / "t.ikrec", self.program("endings.c")
        command = [LIBRARIES["openmpi"], "-n", "2", IKAT, "record", "-o", store, "--", program, "no", "3"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("OMPI_COMM_WORLD_SIZE=2: a launcher started this process together with others", done.stderr)
        self.assertIn(f"-- mpirun -n 2 {program}", done.stderr)
        self.assertEqual(list(self.tmp.glob("t.ikrec*")), [])
        command[2] = "1"
        subprocess.run(command, capture_output=True, check=True)
        self.assertEqual(self.json("record", "--show", store)["messages"], 3)

    def test_threads(self):
        """One after the other they are replayed; at once they are recorded, and refused with the reason."""
        program = self.program("threads.c")
        _, store = self.record(2, program, "turns")
        self.assertEqual(self.json("record", "--show", store)["messages"], 400)
        self.assertEqual(self.replays(store).returncode, 0)
        _, store = self.record(2, program)
        summary = self.json("record", "--show", store)
        self.assertEqual((summary["messages"], summary["threads_overlapped"]), (1202, True))
        done = self.replays(store)
        self.assertEqual(done.returncode, 2)
        self.assertIn("several threads overlapped", done.stderr)

    def test_files(self):
        """What a library sends to work on a file is none of the program's messages."""
        for options in ((), ("--mca", "io", "romio321")):
            store = self.tmp / "files.ikrec"
            store.unlink(missing_ok=True)
            done = run("record", "-o", store, "--", LIBRARIES["openmpi"], *options, "-n", 2, self.program("files.c"), self.tmp / "data", timeout=600)
            self.assertEqual((done.returncode, done.stdout.count("wrong 0")), (0, 2), done.stderr)
            summary = self.json("record", "--show", store)
            self.assertEqual([summary[k] for k in ("messages", "bytes", "collectives")], [1, 4, 0], options)

    def test_one_sided_operations_are_said(self):
        output, _ = self.record(2, self.program("every_call.c"), "onesided")
        self.assertIn("6 one-sided operations (48 B) are only counted: replays leave them out", output)

    def test_another_library_than_the_recorder(self):
        """A recorder hands a program of another library to its own, or records nothing."""
        if missing("mpich"):
            self.skipTest(missing("mpich"))
        output, store = self.record(2, self.program("every_call.c"), "blocking", options=("--mpi", "mpich"))
        self.compare(output, store)
        program = self.program("endings.c")
        output, _ = self.record(1, program, "name", 1, options=("--mpi", "mpich"))
        self.assertIn(f"named {program.name[:15]}\n", output)

    def test_nothing_to_record(self):
        store = self.tmp / "t.ikrec"
        done = run("record", "-o", store, "--", LIBRARIES["openmpi"], "-n", 1, "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no process called MPI_Init", done.stderr)
        self.assertEqual(list(self.tmp.glob("t.ikrec*")), [])
        store.write_text("older")
        done = run("record", "-o", store, "--", LIBRARIES["openmpi"], "-n", 1, "true")
        self.assertEqual((done.returncode, store.read_text()), (1, "older"))


class MPICH(Recorded):
    def setUp(self):
        super().setUp()
        self.need("mpich")

    def test_shared_cores(self):
        self.shared_cores()

    def test_threads_in_turn(self):
        self.threads_in_turn()

    def test_spawn(self):
        self.spawns()

    def test_sessions(self):
        """MPI 4's sessions have no MPI_COMM_WORLD: ranks are those of mpi://WORLD."""
        try:
            program = self.program("sessions.c")
        except subprocess.CalledProcessError:
            self.skipTest("this MPICH has no sessions")
        for more in ((), ("with MPI_Init",)):
            with self.subTest(more):
                output, store = self.record(3, program, *more)
                self.compare(output, store)
                self.assertEqual(self.json("record", "--show", store)["ranks_cut"], 0)
                self.assertEqual(self.replays(store).returncode, 0)

    def test_every_call(self):
        self.every_call(2, self.program("every_call.c"))

    def test_fortran(self):
        self.need("mpich", "mpif90")
        for flags in (("-fallow-argument-mismatch",), ("-DF08",)):
            with self.subTest(flags=flags):
                self.every_call(2, self.program("every_call.f90", "-cpp", *flags))

    def test_endings(self):
        for how in ("exit", "status"):
            with self.subTest(how=how):
                self.assertEqual(self.json("record", "--show", self.ending(2, how, 3))["messages"], 6)


@unittest.skipUnless(os.environ.get("IKAT_TEST_ALL"), "belongs to ./check --all")
class RealPrograms(Recorded):
    def setUp(self):
        super().setUp()
        self.need("openmpi")

    def test_lammps(self):
        if not shutil.which("lmp"):
            self.skipTest("lmp is missing")
        (self.tmp / "in.melt").write_text(
            "units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 10 0 10 0 10\ncreate_box 1 box\ncreate_atoms 1 box\n"
            "mass 1 1.0\nvelocity all create 3.0 87287\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\nfix 1 all nve\nthermo 50\nrun 100\n")
        output, store = self.record(4, "lmp", "-in", self.tmp / "in.melt", "-log", "none")
        self.assertIn("Loop time", output)
        self.assertGreater(self.json("record", "--show", store)["messages"], 1000)
        done = self.replays(store)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def test_hpcc(self):
        example = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
        if not shutil.which("hpcc") or not example.exists():
            self.skipTest("hpcc or its example is missing")
        lines = example.read_text().splitlines()
        lines[5] = "200          Ns"
        (self.tmp / "hpccinf.txt").write_text("\n".join(lines) + "\n")
        here = os.getcwd()
        os.chdir(self.tmp)
        self.addCleanup(os.chdir, here)
        store = self.tmp / "t.ikrec"
        done = subprocess.run([pathlib.Path(here, IKAT).resolve(), "record", "-o", store, "--", LIBRARIES["openmpi"], "-n", "4", "hpcc"],
                              capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        done = self.replays(store)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])


class Usage(CliTest):
    def test_refusals(self):
        out = self.tmp / "o"
        self.refused("record", says="-o FILE is required")
        self.refused("record", "-o", out, says="after '--'")
        self.refused("record", "-o", out, "true", says=("put '--' before the command", "-- true"))
        self.refused("record", "-o", out, "--", "no-such-program", says="there is no program 'no-such-program'")
        self.refused("record", "-o", out, "--mpi", "lam", "--", "true", says=("openmpi or mpich", "hint: without a name, it is the one"))
        self.refused("record", "-o", out, "--memory-limit", "1 GiB", "--", "true", says="no effect")
        self.refused("record", "-o", "/dev/null", "--", "true", says=("is not a file", "hint: name a file that is made or replaced"))
        self.refused("record", "--show", out, "--", "true", says="nothing to run")
        self.refused("record", "--show", out, "--calls", out, says="give only one of")
        self.refused("record", "--rank", "1", "--show", out, says="--calls")
        for variable in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
            self.refused("record", "-o", out, "--", "./app", env={variable: "4"}, says=(f"{variable}=4", "-- mpirun -n 4 ./app"))
            self.refused("record", "-o", out, "--", "no-such-program", env={variable: "1"}, says="there is no program")
        self.refused("record", "--merge", out, "-o", out, says="is not a folder")
        self.refused("record", "--merge", self.tmp, says="-o FILE is required")
        self.refused("record", "--merge", self.tmp, "-o", out, "--", "true", says="nothing to run")
        self.refused("record", "--merge", self.tmp, "--mpi", "mpich", "-o", out, says="no effect")
        self.ok("record", "--merge", self.tmp, "-o", out, status=None)
        self.refused("record", "--show", out, says="cannot be read: No such file or directory")
        self.refused("record", "--show", self.tmp, says="cannot be read: Is a directory")
        self.refused("record", "--calls", SOURCE / "data/halo16.ikrec", "--rank", 16, says="the last is 15")
        self.refused("record", "--show", SOURCE / "README.md", says="not a recording")
        if any(BUILT.glob("libikat_record_*.so")):
            self.refused("record", "-o", self.tmp / "none" / "o", "--", "true", says="cannot be written")
        self.assertEqual(list(self.tmp.iterdir()), [])

    def test_without_recorders(self):
        """An ikat that has none says what to install."""
        copy = self.tmp / "ikat"
        shutil.copy(IKAT, copy)
        done = subprocess.run([copy, "record", "-o", self.tmp / "o", "--", "true"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("libopenmpi-dev", done.stderr)

    def test_a_recording_that_is_kept(self):
        """One of this repository: what it has, and that it replays on a fabric of 16 hosts."""
        summary = self.json("record", "--show", SOURCE / "data/halo16.ikrec")
        self.assertEqual((summary["ranks"], summary["messages"], summary["bytes"], summary["collectives"]), (16, 640, 640 * 4096, 32))
        lines = self.ok("record", "--calls", SOURCE / "data/halo16.ikrec").splitlines()
        self.assertEqual(sum(" send " in line for line in lines), 640)
        experiment = self.tmp / "t.yaml"
        experiment.write_text(FABRIC + f"traffic: {{family: program, trace: {SOURCE / 'data/halo16.ikrec'}}}\n")
        self.ok("run", experiment, "-o", self.tmp / "t.db")


if __name__ == "__main__":
    unittest.main()
