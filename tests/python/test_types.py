"""Annotations: everything public has them, mypy accepts the package and the programs of its users, refuses wrong ones, and what
the annotations say is what there is."""
import inspect
import os
import re
import subprocess
import sys
import tempfile
import typing
import unittest

from support import CLUSTER, EXPERIMENT, PythonTest, SHORT, SOURCE, ikat, np, package

USER = SOURCE / "tests/python/typed_program.py"
# One configuration for all that mypy reads: of a second one it would read numpy once more, which takes longer than the rest. Inside, the
# package has functions of the binding without annotations; those of its users and its public ones have them.
SETTINGS = """[mypy]
strict = True
[mypy-cffi.*,igraph.*,networkx.*,pandas.*,matplotlib.*,xarray.*]
ignore_missing_imports = True
[mypy-ikat.*]
allow_untyped_defs = True
allow_incomplete_defs = True
allow_untyped_calls = True
allow_untyped_globals = True
allow_untyped_decorators = True
allow_subclassing_any = True
allow_any_generics = True
check_untyped_defs = False
implicit_reexport = True
warn_return_any = False
warn_unused_ignores = False
[mypy-page_python,page_use_python]
# functions of the examples in the documents have no annotations
allow_untyped_defs = True
allow_untyped_calls = True
"""
HEAD = 'import ikat\nfabric = ikat.Fabric("karytree:k=2,n=2")\nrouting = fabric.routing("dmodk")\nrun = routing.simulate("uniform", 0.5)\n'
WRONG = """routing.simulate("uniform", load=None)
ikat.simulate(5)
ikat.simulate(fabric)
ikat.sweep("dmodk")
routing.load(traffic=3)
routing.load("uniform", sed=1)
routing.prove(pairwize=True)
routing.simulate(threads="2")
routing.path(0, 1.5)
routing.path(0, "host1")
routing.compare(fabric)
fabric.degrade(links=3)
fabric.degrade(links=["a"])
fabric.distances(cancel=True)
fabric.routing()
fabric.difference("karytree:k=2,n=2")
ikat.Fabric(None)
ikat.Fabric("ring:n=5", sed=1)
ikat.Fabric("ring:n=5", progress=5)
ikat.Fabric("ring:n=5", memory_limit=1.5)
ikat.Routing("ring:n=5", "updown")
ikat.Traffic(routing)
ikat.run("a.yaml", shard=3)
ikat.run("a.yaml", thread=2)
ikat.run(["a.yaml"])
ikat.merge(5, "a.db")
ikat.results("a.db").frame(5)
ikat.results("a.db").dataset(dims=5)
ikat.results("a.db").write_figure("curve")
ikat.register_routing("mine", 5)
ikat.register_selection("mine", 5)
ikat.help_of(5)
ikat.topology()
fabric.number_of_hosts
fabric.audit(5)
fabric.audit(lft="tables.lfts")
fabric.audit(interval=10)
fabric.audit(plan=routing)
fabric.audit().installed.pairs
fabric.audit().page()
fabric.deploy("new", vls="8")
fabric.deploy("new", unproven=True)
fabric.deploy(5)
fabric.deploy("new").verify()
ikat.verify_deployed("new", "lfts", fabric="ring:n=5")
ikat.design(64)
ikat.design(64, "16")
ikat.design(64, 16, rails="2")
ikat.design(64, 16, patterns=["tornado"])
ikat.design(64, 16).members[0].price
ikat.reproduce(5)
ikat.reproduce(["000"], scales="full")
run.latency.percentile(None)
run.throughput.mean()
text: str = fabric.num_hosts
number: int = routing.load().tightest
""".splitlines()


def mypy(*arguments, **environment):
    """What mypy says of files or packages; the test is left out where it is not installed."""
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", mypy.cache.name, "--no-error-summary", *map(str, arguments)],
                          capture_output=True, text=True, check=False, env={**os.environ, **environment})
    if "No module named mypy" in done.stderr:
        raise unittest.SkipTest("mypy is not installed")
    if done.returncode not in (0, 1):
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


mypy.cache = tempfile.TemporaryDirectory()
unittest.addModuleCleanup(mypy.cache.cleanup)


def public():
    """Name and function of all that is called by users: functions, methods, properties."""
    for name in ikat.__all__:
        thing = getattr(ikat, name)
        if inspect.isfunction(thing):
            yield name, thing
        if not inspect.isclass(thing):
            continue
        for base in (base for base in thing.__mro__ if base.__module__.startswith("ikat")):
            for member, value in vars(base).items():
                value = getattr(value, "__func__", value.fget if isinstance(value, property) else value)
                if inspect.isfunction(value) and value.__module__.startswith("ikat") and (
                        not member.startswith("_") or member in ("__init__", "_repr_html_", "__enter__", "__exit__", "__str__", "__len__")):
                    yield f"{name}.{member}", value


def agrees(value, kind):
    """Whether a value is what an annotation says."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return True
    if origin is typing.Union:
        return any(agrees(value, one) for one in inside)
    if origin is np.ndarray:
        wanted = typing.get_args(inside[1])[0]
        return isinstance(value, np.ndarray) and (wanted is typing.Any or issubclass(value.dtype.type, wanted))
    if origin in (list, set):
        return isinstance(value, origin) and all(agrees(one, inside[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(agrees(k, inside[0]) and agrees(v, inside[1]) for k, v in value.items())
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(inside) and all(map(agrees, value, inside))
    return type(value) is kind or isinstance(value, kind) and not isinstance(value, (bool, np.generic)) and kind is not object


class Types(PythonTest):
    def setUp(self):
        super().setUp()
        self.settings = self.tmp / "mypy.ini"
        self.settings.write_text(SETTINGS, encoding="utf-8")

    def test_everything_public_is_annotated(self):
        found = list(public())
        self.assertGreater(len(found), 200)
        for name, function in found:
            there = inspect.signature(function)
            bare = [one for one in list(there.parameters)[0 if "self" not in there.parameters and "cls" not in there.parameters else 1:]
                    if there.parameters[one].annotation is inspect.Parameter.empty]
            if there.return_annotation is inspect.Signature.empty:
                bare.append("return")
            if not function.__qualname__.startswith("_number."):  # of Simulation, whose members are annotated
                self.assertEqual(bare, [], name)

    def test_the_package(self):
        self.assertEqual(mypy("--config-file", self.settings, "-p", "ikat", MYPYPATH=str(SOURCE / "python"), PYTHONPATH=""), "")

    def test_a_program_of_every_public_name(self):
        text = USER.read_text(encoding="utf-8")
        self.assertEqual([name for name in ikat.__all__ if not re.search(rf"\bikat\.{name}\b", text)], [])
        self.assertEqual(mypy("--config-file", self.settings, USER), "")

    def test_that_program_runs(self):
        package("pandas")
        done = subprocess.run([sys.executable, USER, self.tmp], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "typed\n"), done.stderr)

    def test_programs_of_the_documents(self):
        programs = []
        for page in (SOURCE / "docs/python.md", SOURCE / "docs/howto/use-python.md"):
            blocks = re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text(encoding="utf-8"))
            self.assertGreater(len(blocks), 2)
            programs.append(self.tmp / f"page_{page.stem.replace('-', '_')}.py")
            programs[-1].write_text("\n".join(blocks), encoding="utf-8")
        self.assertEqual(mypy("--config-file", self.settings, *programs), "")

    def test_wrong_programs_are_refused(self):
        program = self.tmp / "wrong.py"
        program.write_text(HEAD + "\n".join(WRONG) + "\n", encoding="utf-8")
        said = mypy("--config-file", self.settings, program)
        lines = {int(number) for number in re.findall(r"wrong\.py:(\d+): error", said)}
        first = HEAD.count("\n") + 1
        self.assertEqual([WRONG[number - first] for number in range(first, first + len(WRONG)) if number not in lines], [])
        self.assertEqual([number for number in lines if number < first], [], said)

    def things(self):
        """An object of every class that has members."""
        fabric = ikat.Fabric.read(CLUSTER)
        routing = fabric.routing("updown")
        traffic = fabric.traffic("uniform")
        tree = ikat.Fabric("karytree:k=2,n=2").routing("dmodk")
        path = self.tmp / "small.db"
        results = ikat.run(EXPERIMENT, path)
        arrays = ikat.FabricArrays(fabric._p())
        stuck = ikat.Fabric("ring:n=5").routing("shortest").prove()
        sim = tree.simulate("uniform", 0.4, series="10 us", **SHORT)
        ring = ikat.Fabric("ring:n=5,p=2")
        ring.deploy(self.tmp / "loops", "shortest", unproved=True)
        audit, ports = ring.audit(self.tmp / "loops/lfts"), SOURCE / "tests/data/counters"
        counted = ikat.Fabric(ports / "ring5.ibnetdiscover").audit(
            counters=ports / "ring5.data1", counters_later=ports / "ring5.data2", interval="10 s", routing="none")
        many = ikat.Fabric("ring:n=4,p=2").audit(mcfdbs=SOURCE / "tests/fuzz/corpus/multicast/tree", routing="none")
        made = ring.deploy(self.tmp / "new", "dfsssp")
        subnets = [audit, counted, many, made, audit.installed, audit.proposed, *audit.findings, *audit.compared, *audit.installed.credit_loop,
                   counted.measured, many.multicast, made.verdict, ikat.verify_deployed(self.tmp / "new", self.tmp / "loops/lfts"),
                   *ikat.verify_deployed(self.tmp / "new", self.tmp / "loops/lfts").differences]
        design = ikat.design(64, 16, ["fattree2", "fattree3", "slimfly", "hypercube"][:3], workloads=["exchange:bytes=1MB"], failures=["2%"])
        large = ikat.design(400000, 128, ["oft"]).members[0]
        papers = ikat.reproduce(["000/table1"], self.tmp / "papers")
        designs = [design, large, *design.members, *ikat.design(300, 16, ["fattree2", "dragonfly"]).misfits, *design.members[0].workloads, *design.members[0].failures, papers, *papers.claims,
                   *ikat.studies(["000"])]
        return subnets + designs + [fabric, tree.fabric, routing, tree, traffic, fabric.traffic("exchange:bytes=1MB"), routing.prove(), stuck, tree.load(),
                routing.queues(), tree.contention("shift:by=1"), tree.phases("exchange:bytes=1MB"), sim, sim.latency,
                tree.simulate("exchange:bytes=1KiB", 1.0, until="delivered", at_most="1 ms"), ikat.Experiment(EXPERIMENT), results,
                arrays, ikat.Cancel(), *fabric.findings, *fabric.link_classes, *tree.load().groups(), *stuck.cycle, *results.claims(),
                ikat.Progress("note", "nothing")]

    def test_members_are_what_they_say(self):
        package("pandas")
        names = {**vars(ikat._core), **vars(ikat._fabric), **vars(ikat._routing), **vars(ikat._traffic), **vars(ikat._simulation),
                 **vars(ikat._experiments), **vars(ikat._plugins), **vars(ikat._audit), **vars(ikat._deploy), **vars(ikat._design), **vars(ikat._reproductions), "npt": np.typing}
        seen = 0
        for thing in self.things():
            hints = {}
            for base in type(thing).__mro__[::-1]:
                hints.update(vars(base).get("__annotations__", {}))
                for name, value in vars(base).items():
                    if isinstance(value, property) and value.fget.__annotations__.get("return", "Any") != "Any":
                        hints[name] = value.fget.__annotations__["return"]
            for name, kind in hints.items():
                for _ in "ab":  # a text, and a reference within it
                    kind = getattr(kind, "__forward_arg__", kind)
                    kind = eval(kind, names) if isinstance(kind, str) else kind  # pylint: disable=eval-used
                value = getattr(thing, name)
                self.assertTrue(agrees(value, kind), f"{type(thing).__name__}.{name} is {value!r} of {type(value)}, not {kind}")
                seen += 1
        self.assertGreater(seen, 200)


if __name__ == "__main__":
    unittest.main()
