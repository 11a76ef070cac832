"""What the command-line tests share: running ikat, and a few assertions."""
import functools
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

IKAT = os.environ.get("IKAT", "build/release/ikat")
SOURCE = pathlib.Path(os.environ.get("IKAT_SOURCE", pathlib.Path(__file__).resolve().parents[2]))

os.environ.pop("COLUMNS", None)  # no test depends on the width of who runs it
os.environ["XDG_CACHE_HOME"] = "/dev/null"  # no folder: every proof is made, so that tests see it; tests of the cache name one


def run(*args, cwd=None, env=None, timeout=1200, stdin=None):
    """Runs ikat; returns the finished process with text output."""
    return subprocess.run([IKAT, *map(str, args)], cwd=cwd or SOURCE, env={**os.environ, **(env or {})}, timeout=timeout,
                          input=stdin, capture_output=True, text=True, check=False)


def has_worked(process, seconds):
    """Waits until a process has used this much processor time, or has ended, however busy the machine is. What it has used."""
    used = 0.0
    while process.poll() is None:
        words = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        used = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        if used >= seconds:
            break
        time.sleep(0.01)
    return used


@functools.cache
def schemas():
    """What commands declare that their --json has, by name of the command."""
    sys.path.insert(0, str(SOURCE / "tools"))
    return importlib.import_module("make_schema").schemas(IKAT)


def schema_errors(schema, value, path="$"):
    """Where a value does not fit a schema. Members that it does not name are errors here, although readers are to skip them."""
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}
    if "const" in schema:
        return [] if value == schema["const"] else [f"{path}: {value!r} is not {schema['const']!r}"]
    allowed = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(isinstance(value, kinds[a]) and (a == "boolean" or not isinstance(value, bool)) for a in allowed):
        return [f"{path}: {value!r} is no {' or '.join(allowed)}"]
    if isinstance(value, list):
        return [e for i, item in enumerate(value) for e in schema_errors(schema["items"], item, f"{path}[{i}]")]
    if not isinstance(value, dict):
        return []
    errors = [f"{path}: {name} is missing" for name in schema["required"] if name not in value]
    for name, member in value.items():
        errors += schema_errors(schema["properties"][name], member, f"{path}.{name}") if name in schema["properties"] else [f"{path}: {name} is not declared"]
    return errors


def sanitized():
    """Whether ikat was built with a sanitizer, whose memory and time differ."""
    return any(name in pathlib.Path(IKAT).read_bytes() for name in (b"__asan_init", b"__tsan_init"))


class CliTest(unittest.TestCase):
    """A test case with a scratch folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = pathlib.Path(folder.name)

    def ok(self, *args, status=0, **kwargs):
        """Runs ikat, expects this status (None: done or failed findings), returns standard output."""
        done = run(*args, **kwargs)
        self.assertIn(done.returncode, (0, 1) if status is None else (status,), f"ikat {' '.join(map(str, args))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout

    def json(self, *args, status=0, **kwargs):
        """The same with --json, parsed; it has what its command declares."""
        value = json.loads(self.ok(*args, "--json", status=status, **kwargs))
        if args[0] in schemas():
            self.assertEqual(schema_errors(schemas()[args[0]], value), [])
        return value

    def refused(self, *args, says=(), **kwargs):
        """Expects exit status 2 and a message with all of these words; returns standard error."""
        done = run(*args, **kwargs)
        self.assertEqual(done.returncode, 2, f"ikat {' '.join(map(str, args))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        self.assertTrue(done.stderr.startswith("ikat: "), done.stderr)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, done.stderr)
        return done.stderr
