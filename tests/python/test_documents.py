"""What the documents say of Python: every code block runs, the reference names everything, the example makes its picture."""
import contextlib
import inspect
import io
import os
import re
import subprocess
import sys
import unittest.mock
import warnings

from support import PythonTest, SOURCE, ikat, package, unittest


class Documents(PythonTest):
    def setUp(self):
        super().setUp()
        for folder in ("data", "experiments"):
            (self.tmp / folder).symlink_to(SOURCE / folder)
        here = os.getcwd()
        os.chdir(self.tmp)
        self.addCleanup(os.chdir, here)

    def run_steadily(self, code, text, names):
        """Runs code that takes numbers from simulations: from steady ones alone, or it says of each whether it is (`steady`)."""
        seen, frame = [], ikat.Results.frame

        def watched(results, *args, **kwargs):
            out = frame(results, *args, **kwargs)
            seen.extend(str(verdict) for verdict in out.get("steady", []) if verdict not in ("yes", None))
            return out
        with warnings.catch_warnings(record=True) as caught, unittest.mock.patch.object(ikat.Results, "frame", watched):
            warnings.simplefilter("always", ikat.NotSteadyWarning)
            exec(code, names)  # pylint: disable=exec-used
        seen += [str(one.message) for one in caught if issubclass(one.category, ikat.NotSteadyWarning)]
        if not re.search(r"\bsteady\b", re.sub(r"#.*", "", text)):
            self.assertEqual(seen, [], "numbers of simulations that are not steady, and nothing says so")

    def test_numbers_that_are_not_steady_are_found(self):
        package("pandas")
        run = 'import ikat; routing = ikat.Fabric("data/cluster96.ibnetdiscover").routing("updown")\nrun = routing.simulate("uniform", 0.3{})'
        short = run.format(', warmup="20 us", duration="50 us"')
        table = ('import ikat; points = ikat.run({"fabric": "karytree:k=2,n=3", "routing": "updown", "load": "80%", '
                 '"measure": {"warmup": "10 us", "duration": "30 us"}}).frame()')
        sweep = short.replace("simulate", "sweep").replace("0.3", "[0.05, 0.3]")
        for good in (run.format(""), short + "\nprint(run.steady)", table + '[lambda points: points.steady == "yes"]'):
            self.run_steadily(good, good, {})
        for bad in (short, short + "  # not steady", table, sweep):
            with self.subTest(code=bad), self.assertRaisesRegex(AssertionError, "not steady|too short"):
                self.run_steadily(bad, bad, {})

    def run_blocks(self, page, least=3):
        """Runs the ```python blocks of a page, one after the other, and returns what they print."""
        for name in ("pandas", "xarray", "networkx", "igraph", "matplotlib"):
            package(name)
        os.environ["MPLBACKEND"] = "Agg"
        names, out = {"__name__": "page"}, io.StringIO()
        text = page.read_text(encoding="utf-8")
        blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S))
        self.assertGreaterEqual(len(blocks), least)
        for block in blocks:
            line = text[:block.start(1)].count("\n")
            with self.subTest(page=page.name, line=line + 1), contextlib.redirect_stdout(out):
                self.run_steadily(compile("\n" * line + block[1], str(page), "exec"), block[1], names)
        return out.getvalue()

    def test_guide(self):
        out = self.run_blocks(SOURCE / "docs/python.md")
        self.assertIn("deadlock-free yes", out)
        self.assertIn("slow-link", out)
        self.assertIn("3 13 ", out)
        self.assertIn("the simulation was cancelled", out)

    def test_how_to(self):
        out = self.run_blocks(SOURCE / "docs/howto/use-python.md")
        self.assertIn("dmodc: 1 VCs, deadlock-free: True", out)
        self.assertGreater((self.tmp / "latency.png").stat().st_size, 1000)

    def test_auditing_and_deploying(self):
        self.assertIn("slow-link", self.run_blocks(SOURCE / "docs/auditing.md", least=1))
        self.assertTrue((self.tmp / "audit.html").exists())
        self.assertIn("updown", self.run_blocks(SOURCE / "docs/deploying.md", least=1))
        self.assertTrue((self.tmp / "new-routing/commands.txt").exists())

    def test_first_words_of_the_package(self):
        self.assertIn("fabric.routing", ikat.__doc__)

    def test_reference_is_up_to_date(self):
        done = subprocess.run([sys.executable, SOURCE / "tools/make_python_docs.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_everything_public_is_described(self):
        for name in ikat.__all__:
            thing = getattr(ikat, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isfunction(thing):
                self.assertIn("return", thing.__annotations__, name)
            if not inspect.isclass(thing) or not thing.__module__.startswith("ikat"):
                continue
            for member, value in vars(thing).items():
                if member.startswith("_") or not isinstance(value, (property, classmethod)) and not inspect.isfunction(value):
                    continue
                self.assertTrue(getattr(value, "__doc__", None), f"{name}.{member}")

    def test_everything_public_is_tested(self):
        tests = "\n".join(path.read_text(encoding="utf-8") for path in (SOURCE / "tests/python").glob("test_*.py"))
        names = [name for name in ikat.__all__ if not inspect.isclass(getattr(ikat, name)) or issubclass(getattr(ikat, name), Exception)]
        for name in ikat.__all__:
            thing = getattr(ikat, name)
            if inspect.isclass(thing) and not issubclass(thing, (tuple, Exception)):
                names += [member for member in vars(thing) if not member.startswith("_")]
        self.assertEqual([name for name in names if not re.search(rf"\b{name}\b", tests)], [])

    def test_the_example_makes_its_picture(self):
        for name in ("pandas", "matplotlib"):
            package(name)
        (self.tmp / "experiments").unlink()
        (self.tmp / "experiments").mkdir()
        whole = (SOURCE / "experiments/quickstart.yaml").read_text(encoding="utf-8")
        short = whole.replace("load: [5%, 30%, 60%, {find: saturation, precision: 2%}]", "load: [5%, 60%]")
        self.assertIn("load: [5%, 60%]", short)
        (self.tmp / "experiments/quickstart.yaml").write_text(short, encoding="utf-8")
        os.environ["MPLBACKEND"] = "Agg"
        example = SOURCE / "examples/python/quickstart.py"
        text, out = example.read_text(encoding="utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out):
            self.run_steadily(compile(text, str(example), "exec"), text, {"__name__": "__main__"})
        self.assertTrue((self.tmp / "quickstart.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(len(re.findall(r"(?:repaired|as it is) +[\d.]+$", out.getvalue(), re.M)), 8)  # 2 patterns, 2 routings
        plot = text.split("# %% The plot in ten lines\n")[1]
        self.assertLessEqual(len(plot.split("\n\n")[0].splitlines()), 10)


if __name__ == "__main__":
    unittest.main()
