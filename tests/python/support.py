"""What the tests of the Python package share. They run with the system's Python (ctest sets PYTHONPATH to the build's package)."""
import gc
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (python3-numpy)", file=sys.stderr)
    sys.exit(77)

import ikat
from ikat._native import ffi, lib

SOURCE = pathlib.Path(os.environ.get("IKAT_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
CLUSTER = SOURCE / "data/cluster96.ibnetdiscover"
SHORT = {"warmup": "10 us", "duration": "30 us"}  # of simulations
EXPERIMENT = """title: small
fabric: karytree:k=2,n=2
routing: [dmodk, updown]
traffic: uniform
load: [20%, 60%]
measure: {warmup: 10 us, duration: 30 us, series: 10 us}
figures:
  - {name: curve, x: load, y: throughput, series: routing}
expect:
  - {claim: "all of 20 % is accepted", metric: throughput, of: {routing: dmodk}, at: {load: 20%}, op: "=", value: 20%, tolerance: 5 %}
"""


def package(name):
    """Leaves a test out where an optional package is missing."""
    try:
        return __import__(name)
    except ImportError as error:
        raise unittest.SkipTest(f"python3-{name} is not installed") from error


class PythonTest(unittest.TestCase):
    """A test case with a scratch folder; nothing of the library may live longer than the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = pathlib.Path(folder.name)
        gc.collect()
        self.living = lib.ikpy_living()

    def assert_nothing_left(self):
        """All objects of the library that the test made are freed."""
        gc.collect()
        self.assertEqual(lib.ikpy_living(), self.living)

    def assert_view(self, array, pointer):
        """The array is memory of the library at this address, and cannot be written."""
        self.assertEqual(array.ctypes.data, int(ffi.cast("uintptr_t", pointer)))
        self.assertFalse(array.flags.writeable)
        self.assertFalse(array.flags.owndata)
        with self.assertRaises(ValueError):
            array[...] = 0
        with self.assertRaises(ValueError):
            array.setflags(write=True)

    def refused(self, kind, call, *args, says=(), **kwargs):
        """Expects an error of this class with all of these words; returns it."""
        with self.assertRaises(kind) as caught:
            call(*args, **kwargs)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, str(caught.exception))
        self.assertIsInstance(caught.exception, ikat.IkatError)
        return caught.exception


__all__ = ["CLUSTER", "EXPERIMENT", "PythonTest", "SHORT", "SOURCE", "ffi", "ikat", "lib", "np", "package", "unittest"]
