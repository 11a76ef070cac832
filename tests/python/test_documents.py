"""What the documents say of Python: every code block runs, the reference names everything, the example makes its picture."""
import contextlib
import inspect
import io
import os
import re
import subprocess
import sys

from support import PythonTest, SOURCE, ikat, package, unittest


class Documents(PythonTest):
    def setUp(self):
        super().setUp()
        for folder in ("data", "experiments"):
            (self.tmp / folder).symlink_to(SOURCE / folder)
        here = os.getcwd()
        os.chdir(self.tmp)
        self.addCleanup(os.chdir, here)

    def run_blocks(self, page):
        """Runs the ```python blocks of a page, one after the other, and returns what they print."""
        for name in ("pandas", "networkx", "igraph", "matplotlib"):
            package(name)
        os.environ["MPLBACKEND"] = "Agg"
        names, out = {"__name__": "page"}, io.StringIO()
        text = page.read_text(encoding="utf-8")
        blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S))
        self.assertGreater(len(blocks), 2)
        for block in blocks:
            line = text[:block.start(1)].count("\n")
            with self.subTest(page=page.name, line=line + 1), contextlib.redirect_stdout(out):
                exec(compile("\n" * line + block[1], str(page), "exec"), names)  # pylint: disable=exec-used
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
        text = (SOURCE / "experiments/quickstart.yaml").read_text(encoding="utf-8")
        short = text.replace("load: [5%, 30%, 60%, {find: saturation, precision: 2%}]", "load: [20%, 60%]").replace("hops: 2500000", "hops: 100000")
        self.assertIn("load: [20%, 60%]", short)
        self.assertIn("hops: 100000", short)
        (self.tmp / "experiments/quickstart.yaml").write_text(short, encoding="utf-8")
        done = subprocess.run([sys.executable, SOURCE / "examples/python/quickstart.py"], env={**os.environ, "MPLBACKEND": "Agg"},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.tmp / "quickstart.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(len(re.findall(r"(?:repaired|as it is) +[\d.]+$", done.stdout, re.M)), 8)  # 2 patterns, 2 routings
        plot = (SOURCE / "examples/python/quickstart.py").read_text(encoding="utf-8").split("# %% The plot in ten lines\n")[1]
        self.assertLessEqual(len(plot.split("\n\n")[0].splitlines()), 10)


if __name__ == "__main__":
    unittest.main()
