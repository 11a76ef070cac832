"""The notebooks of examples/python: each goes from a problem to a conclusion, runs without an error, and prints what it concludes from.
All run in this process, as Jupyter would run their cells; some, with IKAT_TEST_ALL all, also in kernels of Jupyter, where nbclient and
ipykernel are installed."""
import ast
import contextlib
import io
import json
import os
import re
import time
import warnings

from support import PythonTest, SOURCE, ikat, package, unittest

FOLDER = SOURCE / "examples/python"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
OTHERS = [path for path in NOTEBOOKS if path.stem != "quickstart"]  # which test_documents runs, with fewer loads


def cells(path, kind=None):
    """The texts of the cells of a notebook, or of those of one kind."""
    return ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if kind in (None, cell["cell_type"])]


def show(value):
    """What Jupyter shows of the last value of a cell."""
    if value is not None:
        print(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))


def run_cells(path):
    """Runs the cells of a notebook one after the other and returns what they print and show."""
    names, out = {"__name__": "__main__", "show": show}, io.StringIO()
    for number, text in enumerate(cells(path, "code")):
        tree = ast.parse(text)
        if isinstance(tree.body[-1], ast.Expr):
            last = tree.body[-1]
            last.value = ast.copy_location(ast.Call(ast.Name("show", ast.Load()), [last.value], []), last.value)
        with contextlib.redirect_stdout(out):
            exec(compile(ast.fix_missing_locations(tree), f"{path.name}, code cell {number}", "exec"), names)  # pylint: disable=exec-used
    return out.getvalue()


class Gallery(PythonTest):
    def setUp(self):
        super().setUp()
        for name in ("pandas", "xarray", "matplotlib"):
            package(name)
        for folder in ("data", "experiments"):
            (self.tmp / folder).symlink_to(SOURCE / folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.tmp)
        os.environ["MPLBACKEND"] = "Agg"

    def check_conclusion(self, path, printed):
        """The numbers of the conclusion, which are bold, are among those that the cells print."""
        numbers = re.findall(r"\*\*([\d.]+)\*\*", cells(path)[-1])
        self.assertTrue(numbers, "a conclusion without a bold number")
        for number in numbers:
            self.assertRegex(printed, rf"(?<![\d.]){re.escape(number)}(?!\.?\d)")

    def check_pictures(self, path):
        """The pictures that the cells save are there."""
        names = re.findall(r'savefig\("(\w+\.png)"', "\n".join(cells(path, "code")))
        self.assertEqual(names, [f"{path.stem}.png"])
        self.assertTrue((self.tmp / names[0]).read_bytes().startswith(b"\x89PNG"))

    def test_there_are_ten(self):
        self.assertGreaterEqual(len(NOTEBOOKS), 10)
        self.assertEqual([path.stem for path in NOTEBOOKS], sorted(path.stem for path in FOLDER.glob("*.py")))

    def test_each_goes_from_a_problem_to_a_conclusion(self):
        for path in NOTEBOOKS:
            with self.subTest(notebook=path.name):
                texts, notebook = cells(path), json.loads(path.read_text(encoding="utf-8"))
                self.assertRegex(texts[0], r"\A# [A-Z][^\n]+\n\n\*\*Problem\.\*\* [^*]+\?")
                self.assertRegex(texts[-1], r"\A\*\*Conclusion\.\*\* [A-Z]")
                self.assertEqual([notebook["cells"][0]["cell_type"], notebook["cells"][-1]["cell_type"]], ["markdown", "markdown"])
                self.assertIn(len(texts), range(6, 13))
                self.assertIn(len(cells(path, "code")), range(3, 7))

    def test_no_output_is_stored(self):
        """Neither results, which would differ from what ikat computes now, nor errors."""
        for path in NOTEBOOKS:
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                self.assertEqual((cell.get("outputs", []), cell.get("execution_count")), ([], None), path.name)

    def test_the_page_names_each_by_its_title(self):
        page = (SOURCE / "docs/howto/notebooks.md").read_text(encoding="utf-8")
        for path in NOTEBOOKS:
            title = cells(path)[0].splitlines()[0].removeprefix("# ")
            self.assertIn(f"- [{title}](../../examples/python/{path.name}): ", page)

    def test_each_runs(self):
        import matplotlib.pyplot as plt
        for path in OTHERS:
            begin = time.process_time()
            with self.subTest(notebook=path.name), warnings.catch_warnings():
                warnings.simplefilter("error", ikat.NotSteadyWarning)
                printed = run_cells(path)
                self.check_conclusion(path, printed)
                self.check_pictures(path)
            plt.close("all")
            print(f"{path.name}: {time.process_time() - begin:.1f} s of processor time")

    def test_a_wrong_number_in_a_conclusion_is_found(self):
        path = FOLDER / "audit.ipynb"
        for printed in ("10.6 44.0 66.01", "10.6 44.0", "10.6 44.0 166.0"):
            with self.assertRaises(AssertionError):
                self.check_conclusion(path, printed)
        self.check_conclusion(path, "10.6% 44.0% 66.0%")

    def executed(self, notebook):
        """What the cells of a notebook put out, run by Jupyter."""
        import nbclient
        client = nbclient.NotebookClient(notebook, timeout=None, kernel_name="python3", resources={"metadata": {"path": str(self.tmp)}})
        client.execute(env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
        return [output for cell in notebook.cells for output in cell.get("outputs", ())]

    def test_run_by_jupyter(self):
        for name in ("nbclient", "nbformat", "ipykernel"):
            package(name)
        import nbformat
        drawn = NOTEBOOKS if os.environ.get("IKAT_TEST_ALL") else [path for path in NOTEBOOKS if path.stem in ("audit", "counters", "my_routing")]
        self.assertGreaterEqual(len(drawn), 3)
        for path in drawn:
            with self.subTest(notebook=path.name):
                notebook = nbformat.read(path, as_version=4)
                nbformat.validate(notebook)
                shown = self.executed(notebook)
                self.assertEqual([output for output in shown if output.output_type == "error" or output.get("name") == "stderr"], [])
                said = "".join(output.get("text", "") + output.get("data", {}).get("text/html", "") for output in shown)
                self.check_conclusion(path, said)
                self.check_pictures(path)

    def test_tables_and_figures_are_shown_by_jupyter(self):
        """Objects as tables, a figure of matplotlib and one of ikat as pictures."""
        for name in ("nbclient", "nbformat", "ipykernel"):
            package(name)
        import nbformat
        texts = ("import ikat\nfabric = ikat.Fabric('karytree:k=2,n=2')\nfabric", "fabric.routing('dmodk').prove()", "ikat.design(32, 16, ['fullmesh'])",
                 "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot(fabric.routing('dmodk').load().load);",
                 "from IPython.display import SVG\nresults = ikat.run('experiments/papers/000/trees.yaml', 'trees.db')\n"
                 "SVG(results.figure_svg(ikat.Experiment('experiments/papers/000/trees.yaml').figures[0]))")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
        self.executed(notebook)
        kinds = [{kind for output in cell.outputs for kind in output.get("data", ())} for cell in notebook.cells]
        self.assertTrue(all("text/html" in kind for kind in kinds[:3]), kinds)
        self.assertIn("<table>", notebook.cells[2].outputs[-1]["data"]["text/html"])
        self.assertIn("image/png", kinds[3])
        self.assertIn("image/svg+xml", kinds[4])


if __name__ == "__main__":
    unittest.main()
