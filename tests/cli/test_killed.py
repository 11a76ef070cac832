"""Every command that writes a file is killed at drawn instants, by a preloaded library: under the name of the output is then what
was there before, or the whole new output, and the next command that writes it removes what the killed one has left. A results file is read while it is written: what is read is the file of one moment.

By default a few instants of each command are drawn; with IKAT_TEST_ALL all are."""
import contextlib
import csv
import fcntl
import io
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest, run

PRELOAD = os.environ.get("IKAT_KILL_AT_LIBRARY", "")
ALL = bool(os.environ.get("IKAT_TEST_ALL"))
DRAWN = 8  # instants of a command by default, beside the last ones, when the output takes its name
SMALL = """\
fabric: [ring:n=4, "karytree:k=2,n=2"]
routing: updown
load: [20%, 60%]
measure: {warmup: 500 ns, duration: 1 us}
figures: [{name: line, x: load, y: throughput, series: [fabric, routing]}]
"""
# Commands by the option that names the output; NEW is the output. What is left out is written by a function of one that is here,
# and takes long or other programs.
WRITERS = {
    "topo --output": "topo ring:n=5 -o NEW.json",
    "topo --output, packed": "topo ring:n=5 -o NEW.json.gz --format json",
    "topo --cable-list": "topo ring:n=5 --cable-list NEW.csv",
    "route --output": "route ring:n=5 -r updown --format lft -o NEW.lft",
    "report --output": "report small.db -o NEW.html",
    "report --output, figure": "report small.db --figure line -o NEW.svg",
    "audit --page": "audit ring:n=4 --lfts ring.lft --page NEW.html",
    "compare --plot": "compare slimfly oft --scale 4..6 --plot NEW.svg",
    "design --output": "design mlfm oft --hosts 16 --radix 8 -o NEW.html",
    "replay --goal": f"replay {SOURCE}/data/halo16.ikrec --fabric ring:n=16 -r updown --goal NEW.goal -o goal.db",
    "load --goal": "load karytree:k=2,n=2 -r dmodk -t exchange --goal NEW.goal",
    "merge --output": "merge part1.db part2.db -o NEW.db",
    "deploy --output": "deploy karytree:k=2,n=2 -r dmodc --force -o NEW.folder",
    "run --output": "run small.yaml -o NEW.db",
}
CONTINUED = {"run --output"}
LEFT_OUT = {"submit --output", "replay --output", "reproduce --output", "record --output"}
OUTPUTS = ("--output", "--page", "--plot", "--goal", "--cable-list")


@unittest.skipUnless(PRELOAD, "the library to preload is not built")
class KilledTest(CliTest):
    """Commands that are killed."""

    def setUp(self):
        super().setUp()
        (self.tmp / "small.yaml").write_text(SMALL)
        self.ok("run", "small.yaml", "-o", "small.db", cwd=self.tmp)
        for part in ("1", "2"):
            self.ok("run", "small.yaml", "--shard", f"{part}/2", "-o", f"part{part}.db", cwd=self.tmp)
        self.ok("route", "ring:n=4", "-r", "updown", "--format", "lft", "-o", self.tmp / "ring.lft")

    def killed(self, args, at=None):
        """Runs a command, killed at a call; its status and how many calls there were."""
        reading, writing = os.pipe()
        env = {**os.environ, "LD_PRELOAD": PRELOAD, "IKAT_COUNT_CALLS": str(writing)}
        if at is not None:
            env["IKAT_KILL_AT"] = str(at)
        done = subprocess.run([IKAT, *args], cwd=self.tmp, env=env, pass_fds=[writing], capture_output=True, text=True, timeout=600,
                              check=False)
        os.close(writing)
        with os.fdopen(reading) as count:
            calls = int(count.read() or 0)
        self.assertEqual(done.returncode, done.returncode if at is None and done.returncode in (0, 1) else -9, f"{args}: {done.stderr}")
        return calls

    @staticmethod
    def content(path):
        """What stands under a name: bytes of a file, files of a folder; None without one."""
        if path.is_dir():
            return {p.name: p.read_bytes() for p in path.iterdir()}
        return path.read_bytes() if path.exists() else None

    def begin(self, path, older):
        """The output as it was before, alone."""
        for p in [*self.tmp.glob("NEW*"), *self.tmp.glob("goal.db*")]:
            shutil.rmtree(p) if p.is_dir() else p.unlink()
        if older and path.suffix == ".folder":
            shutil.copytree(self.tmp / "older", path)
        elif older:
            path.write_text("older\n")

    def each(self, name, older):
        """Kills one command at its instants."""
        args = WRITERS[name].split()
        path = self.tmp / next(a for a in args if a.startswith("NEW"))
        self.begin(path, older)
        before = self.content(path)
        calls = self.killed(args)
        new = self.content(path)
        self.assertNotIn(new, (before, None))
        end = range(max(0, calls - 6), calls)
        rest = list(range(end.start))
        for at in sorted([*end, *(rest if ALL else random.Random(31).sample(rest, min(DRAWN, len(rest))))]):
            self.begin(path, older)
            self.killed(args, at)
            with self.subTest(command=name, older=older, at=at, of=calls):
                if name in CONTINUED:
                    self.goes_on(args, path, new)
                else:
                    found = self.content(path)
                    strange = {"note"} if isinstance(found, dict) else set()
                    for f in (found, before, new):
                        for note in strange if f else ():
                            f.pop(note, None)
                    self.assertIn(found, (before, new), f"{path.name} is neither the old output nor the whole new one")
                    if strange and older:
                        self.assertEqual(len(list(self.tmp.glob("NEW*/note"))), 1, "a file that is not of the deployment is lost")

                    self.leaves_nothing(args, path, new)

    def leaves_nothing(self, args, path, new):
        """The same command again removes what the killed one has left beside its output, but for files that are not ikat's."""
        for p in [*self.tmp.glob("goal.db*"), *([path] if args[0] == "merge" else [])]:
            p.unlink(missing_ok=True)
        self.ok(*args, cwd=self.tmp, status=None)
        found = self.content(path)
        self.assertEqual({k: v for k, v in found.items() if k != "note"} if isinstance(found, dict) else found, new)
        left = [f for p in self.tmp.glob("NEW.*.tmp*") for f in (p.iterdir() if p.is_dir() else [p])]
        self.assertEqual([f for f in left if f.name != "note"], [])

    def goes_on(self, args, path, new):
        """A killed run leaves a results file of whole points, or an empty one, and the same command finishes it."""
        done = run("report", path, "--csv")
        if done.returncode:
            self.assertTrue(not path.exists() or "is empty" in done.stderr, done.stderr)
        self.ok(*args, cwd=self.tmp)
        self.assertEqual(path.read_bytes(), new)
        self.assertEqual(list(self.tmp.glob("NEW.*.tmp*")), [])

    def test_outputs_are_old_or_new(self):
        self.ok("deploy", "ring:n=4", "-r", "updown", "-o", self.tmp / "older")
        (self.tmp / "older" / "note").write_text("mine\n")
        for name in WRITERS:
            for older in (False, True):
                if not (older and ("merge" in name or name in CONTINUED)):
                    self.each(name, older)

    def test_every_output_is_tried(self):
        for command in self.json("help")["commands"]:
            for option in command["options"]:
                if option["name"] in OUTPUTS:
                    self.assertIn(f"{command['name']} {option['name']}", [*WRITERS, *LEFT_OUT])


    def test_running_processes_keep_theirs(self):
        last = {"deploy": "2"}  # the call before which the first process stops, with a temporary file
        for args, ends in (("topo ring:n=5 -o NEW.json", 0), ("merge part1.db part2.db -o NEW.db", 0),
                           ("deploy ring:n=4 -r updown -o NEW.folder", 2)):  # the folder is there then
            args = args.split()
            env = {**os.environ, "LD_PRELOAD": PRELOAD, "IKAT_KILL_AT": last.get(args[0], "0"), "IKAT_KILL_BY": str(int(signal.SIGSTOP))}
            with self.subTest(command=args), subprocess.Popen([IKAT, *args], cwd=self.tmp, env=env, stdout=subprocess.DEVNULL,
                                                              stderr=subprocess.DEVNULL) as first:
                try:
                    self.assertTrue(os.WIFSTOPPED(os.waitpid(first.pid, os.WUNTRACED)[1]))
                    its = list(self.tmp.glob("NEW.*.tmp"))
                    self.assertEqual(len(its), 1)
                    self.ok(*args, cwd=self.tmp)
                    self.assertEqual(list(self.tmp.glob("NEW.*.tmp")), its)
                finally:
                    os.kill(first.pid, signal.SIGCONT)
                self.assertEqual(first.wait(), ends)
                self.assertEqual(list(self.tmp.glob("NEW.*.tmp")), [])
                self.assertTrue((self.tmp / args[-1]).exists())


class LeftTest(CliTest):
    """What lies beside an output."""

    def test_only_what_nobody_holds_is_removed(self):
        kept = ["NEW.json.1-0.tmp.bak", "NEW.json.1.tmp", "NEW.json.a-0.tmp", "NEW.json.1-.tmp", "NEW.json2.1-0.tmp", "xNEW.json.1-0.tmp",
                "OTHER.json.1-0.tmp", "NEW.json.7-0.tmp"]
        removed = ["NEW.json.1-0.tmp", "NEW.json.99999999999999999999-12.tmp"]
        for name in kept + removed:
            (self.tmp / name).write_text("x")
        os.mkfifo(self.tmp / "NEW.json.2-0.tmp")
        (self.tmp / "NEW.json.3-0.tmp").symlink_to("NEW.json.7-0.tmp")
        (self.tmp / "NEW.json.4-0.tmp").mkdir()
        with open(self.tmp / "NEW.json.7-0.tmp", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            for target in ("NEW.json", self.tmp / "NEW.json"):
                self.ok("topo", "ring:n=5", "-o", target, cwd=self.tmp)
        names = sorted([*kept, "NEW.json", "NEW.json.2-0.tmp", "NEW.json.3-0.tmp", "NEW.json.4-0.tmp"])
        self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), names)


class ReadWhileWrittenTest(CliTest):
    """Readers of a results file that is being written."""

    def test_readers_see_one_moment(self):
        text = SMALL.replace("[20%, 60%]", "[" + ", ".join(f"{p}%" for p in range(10, 90)) + "]").replace("updown", "[updown, minimal]")
        (self.tmp / "long.yaml").write_text(text.replace("measure:", "skip_misfits: true\nmeasure:"))
        store, seen, read = self.tmp / "long.db", 0, 0
        with subprocess.Popen([IKAT, "run", self.tmp / "long.yaml", "-o", store, "-q", "--jobs", "1"], cwd=SOURCE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as writer:
            while writer.poll() is None:
                done = run("report", store, "--csv")
                if done.returncode:
                    self.assertTrue("is empty" in done.stderr or "No such file" in done.stderr, done.stderr)
                    continue
                rows = list(csv.reader(io.StringIO(done.stdout)))
                self.assertGreaterEqual(len(rows), seen)
                self.assertEqual({len(r) for r in rows}, {len(rows[0])})
                seen, read = len(rows), read + 1
                merged = self.tmp / f"merged{read}.db"
                self.ok("merge", store, "-o", merged)
                with contextlib.closing(sqlite3.connect(merged)) as db:
                    self.assertGreaterEqual(db.execute("SELECT count(*) FROM points").fetchone()[0] + 1, seen)
                    self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                self.ok("report", merged, "--json")
                merged.unlink()
            self.assertEqual(writer.returncode, 0, writer.stderr.read())
        self.assertGreater(read, 0)


if __name__ == "__main__":
    unittest.main()
