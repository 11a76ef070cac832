"""Every allocation of every command is failed in turn, by a preloaded library that also reaches the libraries that ikat links.

A command without memory gives the answer of the undisturbed one, or says so on standard error with a status other than 0; it
is never ended by a signal, never calls a sound file damaged, and leaves no part of an output file behind. By default a few
allocations of each command are drawn; with IKAT_TEST_ALL all are failed, or 300 spread evenly. Run as a program with the name of a command
("load_json"), and numbers of allocations ("17", "17+": and all later ones), it shows what these give.
"""
import collections
import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

from harness import IKAT, SOURCE

PRELOAD = os.environ.get("IKAT_FAIL_ALLOCATION_LIBRARY", "")
ALL = bool(os.environ.get("IKAT_TEST_ALL"))
DRAWN = 10  # failures of a command by default: half of them of one allocation alone
MOST = 600  # failures of a command with IKAT_TEST_ALL: of more allocations than half of that, some are left out evenly

TREE = "karytree:k=2,n=2"
EXPERIMENT = """\
fabric: [{fabric}]
routing: {routing}
traffic: {traffic}
load: [50%]
switch: {{{switch}}}
adapter: {{packet: 256 B, {adapter}}}
measure: {{warmup: 500 ns, duration: 1 us{measure}}}
"""
MIX = '"mix:1*a=uniform+1*b=hotspot:count=1;fraction=50%"'
MODELS = {  # of `ikat run`: the switch, the adapter, what is measured, the routing, the traffic
    "voqsw": ("model: iq", "message: 1 KiB", ", series: 500 ns", "adaptive_tree", MIX),
    "fast": ("model: iq", "injection: bernoulli", "", "dmodk", "uniform"),
    "fifo": ("model: iq, queues: fifo, arbiter: random", "queues: destination, message: 1 KiB", "", "dmodk", "uniform"),
    "damq": ("model: iq, queues: damq", "injection: poisson", ", series: 500 ns", "adaptive_tree", "uniform"),
    "voqnet": ("model: iq, queues: voqnet", "queues: one", "", "dmodk", "uniform"),
    "ioq": ("model: ioq, speedup: 2", "", ", paranoid: true", "oblivious", "uniform"),
    "ideal": ("model: ideal", "", "", "dmodk", "shift"),
    "pipelined": ("model: pipelined, flit: 16 B, buffer: 16 KiB", "", ", series: 500 ns", "dmodk", "uniform"),
}


FIGURES = """\
figures:
  - {name: line, x: load, y: latency_mean_ns}
  - {name: bars, kind: bars, title: A title, x: routing, y: throughput / offered, panel: traffic}
  - {name: map, kind: heatmap, x: load, y: throughput, series: traffic, normalise_by: {traffic: mix}}
  - {name: time, kind: time, y: throughput}
  - {name: roots, kind: list, y: nca_routes, panel: traffic}
  - {name: queues, kind: list, y: queue_destinations, panel: traffic}
expect:
  - {claim: it runs, metric: throughput, op: ">", value: 0}
  - {claim: as printed, metric: table, within: 5 %, value: 90 %, cells: [[load, value], [50%, 50 %]]}
"""


LOADED = "shared object descriptor", "Resource temporarily unavailable", "thread-local data"  # the C library, of libraries and threads
LACKS = b"needs more memory than there is"  # a routing that is not compared with others for that


def commands():
    """Name of each command line, and its arguments; OUT is a folder for its output, the current folder has the inputs."""
    lines = {
        "help": "help", "help_json": "help --json", "help_command": "help run", "help_command_json": "help run --json",
        "help_topic": "help experiment", "help_topic_json": "help experiment --json", "help_member": "help xgft",
        "help_member_json": "help xgft --json", "version": "--version", "list": "list", "list_json": "list --json",
        "list_plugin": "list --plugin ./one_side.so", "load_plugin": f"load {TREE} --routing one_side --traffic ladder --plugin ./one_side.so --plugin ./ladder.so",
        "wrong_plugin": f"check {TREE} --routing one_sied --plugin ./one_side.so",
        "topo": f"topo {TREE}", "topo_json": f"topo {TREE} --json", "topo_all": f"topo {TREE} --all",
        "topo_all_json": f"topo {TREE} --all --json", "topo_cut": "topo karytree:k=4,n=3 --all --partitions 1 -j 2",
        "topo_field": "topo slimfly:q=4,p=1", "topo_lrt": "topo lrt:N=16,d=3,r=2", "topo_standard_input": "topo -",
        "audit": "audit tree.ibnetdiscover --lfts tree.lft --engine ftree --page OUT/page.html",
        "audit_counters": f"audit {SOURCE}/tests/data/counters/ring5.ibnetdiscover --counters {SOURCE}/tests/data/counters/ring5.data1 "
        f"--counters-later {SOURCE}/tests/data/counters/ring5.data2 --interval 10s --routing none --page OUT/page.html",
        "audit_json": "audit ring:n=4 --lfts ring.lft --json",
        "audit_policy": "audit ring:n=4 --lfts ring.lft --policy named.policy --routing none --json",
        "audit_baseline": "audit ring:n=4 --baseline known.json --routing none --json", "audit_landmarks": "audit dragonfly:h=2,arrangement=absolute,fail=1%,fail_seed=1 --routing none", "audit_symmetry": "audit jellyfish:N=12,d=3 --routing none",
        "audit_choice": "audit ring:n=4 --json", "deploy_choice": f"deploy {TREE},fail=sw1.3 --from deployed -o OUT/new",
        "failures": f"failures {TREE} -r dmodc --lfts tree.lft --all", "failures_json": "failures ring:n=4 -r dfsssp --json",
        "watch": "watch --once --fabric-command cat<tree.ibnetdiscover --lfts-command cat<tree.lft --state OUT/state --metrics OUT/m.prom --all", "watch_json": "watch --once --fabric-command cat<tree.ibnetdiscover --json",
        "watch_again": f"watch --once --fabric-command cat<{SOURCE}/tests/data/counters/ring5.ibnetdiscover --counters-command cat<{SOURCE}/tests/data/counters/ring5.ibqueryerrors --state OUT/watched",
        "failures_refused": f"failures {TREE} -r dmodk --csv",
        "topo_partly": "topo partly.ibnetdiscover",
        "deploy": f"deploy {TREE} -r dmodc -o OUT/new", "deploy_lanes": "deploy ring:n=5 -r dfsssp --query-lane -o OUT/new --json",
        "deploy_from": f"deploy {TREE} -r dmodc --from deployed --failed some.failed -o OUT/new",
        "deploy_from_lanes": "deploy torus:dims=4:4 -r dfsssp --from on_lanes --failed some.failed -o OUT/new", "deploy_lane_curve": "deploy ring:n=4 --lane-curve --vls 2 --dry-run --json",
        "deploy_dry_run": f"deploy {TREE} -r dmodc --dry-run -o OUT/new",
        "verify": "verify-deployed deployed --lfts tree.lft",
        "verify_json": "verify-deployed deployed --lfts deployed/lfts --fabric tree.ibnetdiscover --json",
        "check": f"check {TREE} -r dmodk", "check_json": f"check {TREE} -r dmodk --json -j 2",
        "check_cycle": "check ring:n=5 -r minimal:paths=one --vc 1q", "check_escape": "check mesh:dims=2:3 -r minimal --vc escape:routing=dor",
        "check_certificate": f"check {TREE} -r dmodk --certificate OUT/certificate",
        "check_cycle_json": "check ring:n=5 -r minimal:paths=one --vc 1q --json",
        "check_dfsssp": "check ring:n=4 -r dfsssp", "check_nue": "check ring:n=4 -r nue", "check_frugal": "check ring:n=4 -r frugal",
        "check_frugal_escapes": "check ring:n=5 -r frugal:lanes=1", "check_nue_both": "check ring:n=4 -r nue:vcs=2,pairs=both",
        "check_dfsssp_both": "check ring:n=4 -r dfsssp --vc dfsssp:pairs=both", "check_loren": "check lrt:N=16,d=3,r=2 -r loren:grid=4",
        "load": f"load {TREE} -r dmodk --histogram --permutations 3", "load_json": f"load {TREE} -r dmodk --json --patterns 2 --permutations 3 --contention",
        "load_queues": f"load {TREE} -r dmodk --vc dbbm --histogram", "load_queues_json": f"load {TREE} -r smodk --queues --json -j 2",
        "load_csv": f"load {TREE} -r dmodk -t shift --csv", "load_csv_queues": f"load {TREE} -r adaptive_tree --vc any --vcs 2 --csv --table queues",
        "load_colored": f"load {TREE} -r colored -t collective:operation=allreduce,algorithm=recursive_doubling --json",
        "load_phases": f"load {TREE} -r smodk -t exchange:pattern=shift", "load_phases_json": f"load {TREE} -r smodk -t exchange --json",
        "load_phases_csv": f"load {TREE} -r smodk -t exchange --csv --table phases", "load_seeds": f"load {TREE} -r dmodk -r random -t shift --seeds 2",
        "load_seeds_json": f"load {TREE} -r random -t exchange:pattern=shift --seeds 2 --json", "load_seeds_csv": f"load {TREE} -r random -t shift --seeds 2 --csv",
        "load_traffic": f"load {TREE} -r valiant -t mix:uniform+hotspot:count=1", "load_file": "load tree.json -r dmodk -t file:path=some.flows",
        "route": f"route {TREE} -r dmodk", "route_json": f"route {TREE} -r dmodk --json", "route_diff": f"route {TREE} --diff dmodk smodk",
        "route_path": f"route {TREE} -r dmodk --path host0 host3", "route_path_json": f"route {TREE} -r dmodk --path host0 host3 --json",
        "route_diff_json": f"route {TREE} --diff dmodk smodk --json", "route_read": f"check {TREE} -r lft:path=tree.lft",
        "compare": "compare ring:n=4 mesh:dims=2:2 --bisection -t uniform", "compare_json": "compare ring:n=4 mesh:dims=2:2 --json -t worst",
        "compare_radix": "compare slimfly --radix 6", "compare_scale": "compare slimfly oft --scale 4..6 --plot OUT/scale.svg",
        "design": "design --hosts 20 --radix 8 -t shift -b", "design_more": "design --hosts 12 --radix 8 xgft --rails 2 --fail 10% -w collective:operation=barrier --simulate",
        "design_more_json": "design --hosts 12 --radix 8 fullmesh --rails 2 --fail 10% -w exchange:bytes=1kB --json", "design_csv": "design --hosts 20 --radix 8 slimfly xgft --csv --prices some.yaml",
        "design_page": "design --hosts 12 --radix 8 xgft fullmesh --prices some.yaml -o OUT/designs.html", "design_from": "design --hosts 12 --radix 8 xgft fullmesh --from ring:n=6 --json",
        "design_json": "design --hosts 20 --radix 8 oft xgft --json --rate 400Gb/s", "wrong_design": "design --hosts 2000 --radix 8 oft",
        "report_html": "report small.db -o OUT/page.html", "report_csv": "report small.db --csv", "report_json": "report small.db --json",
        "wrong_name": "topo karytre", "wrong_option": "topo ring:n=5 --jsn", "wrong_yaml": "run wrong.yaml -o OUT/wrong.db",
        "wrong_json": "topo wrong.json", "record_show": f"record --show {SOURCE}/data/halo16.ikrec --json",
        "record_calls": f"record --calls {SOURCE}/data/halo16.ikrec --rank 3",
        "check_adaptive": f"check {SOURCE}/data/cluster96.ibnetdiscover -r ar:path={SOURCE}/data/cluster96.far",
        "load_recording": f"load karytree:k=4,n=2 -r dmodk -t program:trace={SOURCE}/data/halo16.ikrec",
    }
    for table in ("classes", "congestion", "roots", "culprits", "victims"):
        lines[f"report_{table}"] = f"report small.db --csv --table {table}"
    for form in ("lft", "paths", "hops", "ir", "fir", "json"):
        routing = form if form in ("ir", "fir") else "dmodk"
        lines[f"route_{form}"] = f"route {TREE} -r {routing} --format {form}"
        lines[f"route_{form}_file"] = f"route {TREE} -r {routing} --format {form} -o OUT/routes"
    for form in ("ibnetdiscover", "json", "graphml", "dot", "edges", "anynet", "svg", "lrt"):
        spec = "lrt:N=16,d=3,r=2" if form == "lrt" else TREE
        lines[f"topo_write_{form}"] = f"topo {spec} --format {form} -o OUT/fabric"
        if form not in ("svg", "lrt"):
            lines[f"topo_read_{form}"] = f"topo tree.{form} --format json -o OUT/fabric.json"
    for form in ("subnet_lst/ibdiagnet", "subnet_lst/iblinkinfo", "subnet_lst/iblinkinfo_long", "subnet_lst/ibnetdiscover_ports", "ibnetdiscover/log", "dot/plan",
                 "cables/netbox_table", "cables/netbox_cables", "cables/netbox_interfaces", "cables/lldp_json", "cables/ufm_links", "cables/ndt", "cables/ibdm"):
        lines[f"topo_read_{form.replace('/', '_')}"] = f"topo {SOURCE}/tests/fuzz/corpus/{form} --format json -o OUT/fabric.json"
    lines["audit_pm_info"] = f"audit ring:n=4,p=2 --counters {SOURCE}/tests/fuzz/corpus/counters/pm_info --routing none --json"
    lines["audit_pm"] = f"audit ring:n=4,p=2 --counters {SOURCE}/tests/fuzz/corpus/counters/pm --routing none --json"
    lines["audit_multicast"] = f"audit ring:n=4,p=2 --mcfdbs {SOURCE}/tests/fuzz/corpus/multicast/tree --routing none --json"
    lines["topo_read_zip"] = "topo tree.json.gz"
    for model in MODELS:
        lines[f"run_{model}"] = f"run {model}.yaml -o OUT/results.db -j 2" + (" --json" if model in ("voqsw", "pipelined") else "")
    for name in ("line", "bars", "map", "time", "roots", "queues"):
        lines[f"figure_{name}"] = f"report small.db --figure {name} -o OUT/{name}.svg"
    lines["figure_table"] = "report small.db --figure line"
    lines["figure_csv"] = "report small.db --figure line --csv"
    lines["run_shard"] = "run small.yaml --shard 1/2 --budget 1h -o OUT/results.db"
    lines["merge"] = "merge part1.db part2.db -o OUT/merged.db"
    lines["status"] = "status part1.db part2.db"
    lines["status_json"] = "status part1.db part2.db --json"
    lines["serve"] = "serve part1.db part2.db --for 0.001s"
    lines["topo_slow"] = f"topo {TREE},slow=sw0.3@1Gb/s:sw1.3@2Gb/s --json"
    lines["serve_fabric"] = f"serve {TREE} -r updown --for 0.001s --json"
    lines["serve_waits"] = "serve none.db OUT --for 0.001s --json"
    lines["run_dry"] = "run small.yaml --dry-run -o small.db"
    lines["submit"] = "submit small.yaml --tasks 1 --dry-run -o OUT/sweep.db"
    lines["merge_json"] = "merge part1.db -o OUT/merged.db --json"
    lines["run_again"] = "run small.yaml -o OUT/small.db"
    return {name: line.split() for name, line in lines.items()}


COMMANDS = commands()


@dataclasses.dataclass
class Outcome:
    """What a run of a command gave."""
    status: int
    out: bytes
    err: str
    files: dict
    allocations: int = 0


class Bench:
    """Inputs in a folder of their own, and commands run on them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.expected = {}
        for model, (switch, adapter, measure, routing, traffic) in MODELS.items():
            text = EXPERIMENT.format(fabric=f'"{TREE}"', routing=routing, traffic=traffic, switch=switch, adapter=adapter, measure=measure)
            (self.folder / f"{model}.yaml").write_text(text)
        shutil.copy(self.folder / "voqsw.yaml", self.folder / "small.yaml")
        with open(self.folder / "small.yaml", "a", encoding="utf-8") as small:
            small.write(FIGURES)
        for name in ("one_side", "ladder"):
            subprocess.run(["cc", "-shared", "-fPIC", "-I", SOURCE / "include", "-o", self.folder / f"{name}.so", SOURCE / f"examples/plugin/{name}.c"], check=True)
        (self.folder / "some.flows").write_text("0 1\n1 2\n2 3 5\n")
        (self.folder / "some.yaml").write_text("adapters: [{rate: 100 Gb/s, price: 3, watts: 1}]\n")
        (self.folder / "wrong.yaml").write_text("fabric: ring:n=4\nroutin: dmodk\n")
        (self.folder / "wrong.json").write_text('{"format": "ikat fabric", "switches": [{]}')
        self.prepare("run", "small.yaml", "-o", "small.db", "-q")
        for part in ("1", "2"):
            self.prepare("run", "small.yaml", "--shard", f"{part}/2", "-o", f"part{part}.db", "-q")
        for form in ("ibnetdiscover", "json", "graphml", "dot", "edges", "anynet"):
            self.prepare("topo", TREE, "--format", form, "-o", f"tree.{form}")
        self.prepare("route", TREE, "-r", "dmodk", "--format", "lft", "-o", "tree.lft")
        self.prepare("route", "ring:n=4", "-r", "shortest", "--format", "lft", "--unproved", "-o", "ring.lft")
        (self.folder / "some.failed").write_text("sw0[3]\n")
        (self.folder / "known.json").write_text(
            '{"lids": 4, "known": 0, "gone": 0, "partial": false, "installed": null, "findings": [{"code": "levels", "text": "none"}]}')
        self.prepare("topo", "xgft:m=2:2:3,w=1:2:2,hosts=8", "--format", "ibnetdiscover", "-o", "partly.ibnetdiscover")
        (self.folder / "named.policy").write_text(
            "port-groups\nport-group\nname: a\nport-name: host0/P1, host2/P1\nend-port-group\nend-port-groups\n"
            "qos-levels\nqos-level\nname: one\nsl: 1\nend-qos-level\nend-qos-levels\n"
            "qos-match-rules\nqos-match-rule\nsource: a\nqos-level-name: one\nend-qos-match-rule\nend-qos-match-rules\n")
        self.prepare("deploy", TREE, "-r", "dmodk", "-o", "deployed")
        self.prepare("deploy", "torus:dims=4:4", "-r", "dfsssp", "-o", "on_lanes")
        self.prepare("watch", "--once", "--fabric-command", "cat<tree.ibnetdiscover", "--state", "watched")
        subprocess.run(["gzip", "-k", "tree.json"], cwd=self.folder, check=True)

    def prepare(self, *args):
        subprocess.run([IKAT, *args], cwd=self.folder, check=True, capture_output=True)

    @staticmethod
    def content(path):
        """A file's bytes; of a results file what it holds: SQLite may have found other room for it."""
        if path.suffix != ".db":
            return path.read_bytes()
        with contextlib.closing(sqlite3.connect(path)) as db:
            return db.execute("PRAGMA integrity_check").fetchall(), list(db.iterdump())

    def run(self, name, failing=None, out=None, stdout=None):
        """Runs a command, with an allocation that fails, in a fresh folder for its output."""
        args, keep = COMMANDS[name], out
        out = out or tempfile.mkdtemp(dir=self.folder)
        if name == "run_again" and not keep:
            shutil.copy(self.folder / "small.db", out)
        if name == "watch_again" and not keep:
            shutil.copytree(self.folder / "watched", pathlib.Path(out) / "watched")
        reading, writing = os.pipe()
        env = {**os.environ, "LD_PRELOAD": PRELOAD, "IKAT_COUNT_ALLOCATIONS": str(writing), "IKAT_FAIL_ALLOCATION_IN": "ikat", "XDG_CACHE_HOME": f"{out}/cache"}
        if failing is not None:
            env["IKAT_FAIL_ALLOCATION"] = str(failing)
        with open(self.folder / "tree.edges", "rb") as given:
            done = subprocess.run([IKAT, *(a.replace("OUT", out) for a in args)], cwd=self.folder, env=env, pass_fds=[writing],
                                  stdin=given, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
        os.close(writing)
        with os.fdopen(reading) as counted:
            count = counted.read()
        files = {str(p.relative_to(out)): self.content(p) for p in pathlib.Path(out).rglob("*") if p.is_file()}
        files = {p: b.replace(out.encode(), b"OUT") if isinstance(b, bytes) else b for p, b in files.items()}
        files = {p: b"" if p.startswith("cache/") and not p.endswith(".tmp") else b for p, b in files.items()}
        if not keep:
            shutil.rmtree(out)
        printed = (done.stdout or b"").replace(out.encode(), b"OUT")
        if name.startswith("serve"):
            printed = re.sub(rb'127\.0\.0\.1:\d+/[0-9a-f]{32}/|"port": \d+', b"ADDRESS", printed)
        if name.startswith("watch"):  # the time is another one in each run
            printed, files = self.timeless(printed), {p: self.timeless(b) for p, b in files.items()}
        return Outcome(done.returncode, printed, done.stderr.decode(errors="replace").replace(out, "OUT"), files, int(count or 0))

    @staticmethod
    def timeless(text):
        return re.sub(rb'20\d\d-\d\d-\d\dT[\d:]+Z|\b\d{10}(\.\d+)?\b|"seconds":[\d.e-]+|seconds(\{[^}]*\})? [\d.e+-]+|in [\d.e-]+ s:|opened \d+ s ago|in \d+ s\)', b"TIME", text)

    def undisturbed(self, name):
        if name not in self.expected:
            self.expected[name] = self.run(name)
        return self.expected[name]

    def verdict(self, name, failing):
        """What is wrong with a command when this allocation fails; None: nothing."""
        good = self.undisturbed(name)
        try:
            out = tempfile.mkdtemp(dir=self.folder)
            if name == "run_again":
                shutil.copy(self.folder / "small.db", out)
            if name == "watch_again":
                shutil.copytree(self.folder / "watched", pathlib.Path(out) / "watched")
            got = self.run(name, failing, out)
            again = self.run(name, None, out) if "run" in name and got.status not in (0, good.status) else None
        except subprocess.TimeoutExpired:
            return "hangs"
        finally:
            shutil.rmtree(out)
        if any(words in got.err for words in LOADED):
            return None
        if got.status < 0 or got.status > 2:
            return f"status {got.status}: {got.err[-300:]}"
        if got.status <= 1 and LACKS in got.out:
            return None  # another routing is chosen, and why this one is not
        if b"out of memory" in got.out:
            return "'out of memory' on standard output"
        if got.status == good.status and (good.status == 0 or (got.out, got.err) == (good.out, good.err)):
            return self.difference(good, got)
        if "memory" not in got.err:
            return f"status {got.status} without a word of memory: {got.err[-300:]!r}"
        if again:  # points that were finished are kept, and the rest is added
            again.out = good.out  # how the points were run is told, and some were run before
            problem = self.difference(good, again)
            return problem and f"run again after that: status {again.status}, {problem}"
        left = {p for p in got.files if not p.startswith("cache/") and got.files[p] != good.files.get(p)}
        if name == "watch_again":  # the state stays as it was
            left -= {p for p in left if (self.folder / p).exists() and got.files[p] == self.timeless((self.folder / p).read_bytes())}
        return f"leaves {sorted(left)}" if left else None

    @staticmethod
    def difference(good, got):
        if got.status != good.status:
            return f"status {got.status} instead of {good.status}: {got.err[-300:]}"
        if got.out != good.out:
            return f"standard output differs: {len(got.out)} bytes, not {len(good.out)}"
        mine, theirs = ({p: b for p, b in o.files.items() if not p.startswith("cache/")} for o in (got, good))
        if mine != theirs:
            return f"files differ: {sorted(p for p in mine.keys() | theirs.keys() if mine.get(p) != theirs.get(p))}"
        return None


def failures(bench, name):
    """The allocations of a command that are failed."""
    count = bench.undisturbed(name).allocations
    if ALL:
        step = 2 * count // MOST + 1
        return [f"{n}{later}" for n in range(0, count + 1, step) for later in ("", "+")]
    draw = random.Random(name)
    return [f"{n}{'+' if k % 2 else ''}" for k, n in enumerate(draw.sample(range(count), min(count, DRAWN)))]


def missing():
    """Why nothing can be failed, where that is so."""
    if not PRELOAD:
        return "no library to preload: a build with sanitizers, or not run by ctest, which names it in IKAT_FAIL_ALLOCATION_LIBRARY"
    if not pathlib.Path(PRELOAD).exists():
        raise RuntimeError(f"{PRELOAD} is not built: cmake --build build/release --target fail_allocation")
    return None


@unittest.skipIf(missing(), missing())
class AllocationsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bench = Bench(folder.name)

    def test_the_library_counts_and_fails(self):
        good = self.bench.undisturbed("topo")
        self.assertEqual(good.status, 0)
        self.assertGreater(good.allocations, 20)
        self.assertEqual(self.bench.run("topo", "0+").status, 2)

    def test_every_command_reaches_what_it_is_named_after(self):
        for name in COMMANDS:
            good, status = self.bench.undisturbed(name), 2 if name.startswith("wrong") else 1 if name.startswith(("check_cycle", "failures_refused")) else 0
            self.assertEqual((name, good.status), (name, status), good.err)

    def test_streams_into_memory_tell_what_they_lack(self):
        """open_memstream of the GNU C library loses text without a word."""
        wrong = [str(p) for p in (SOURCE / "src").rglob("*.[ch]") if "open_memstream(" in p.read_text()]
        self.assertEqual(wrong, [])

    def test_every_command(self):
        tasks = [(name, failing) for name in COMMANDS for failing in failures(self.bench, name)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = list(pool.map(lambda t: self.bench.verdict(*t), tasks))
        wrong = [f"{name} {failing}: {v}" for (name, failing), v in zip(tasks, verdicts) if v]
        print(f"{len(tasks)} failed allocations of {len(COMMANDS)} commands, {len(wrong)} wrong")
        self.assertEqual(wrong[:40], [])

    def test_output_that_cannot_be_written(self):
        for name in COMMANDS:
            if not self.bench.undisturbed(name).out:
                continue
            with self.subTest(name), open("/dev/full", "wb") as full:
                got = self.bench.run(name, stdout=full)
                self.assertEqual(got.status, 2)
                self.assertEqual(got.err.count("could not write the output: No space left on device"), 1, got.err)
            with self.subTest(name):
                reading, writing = os.pipe()
                os.close(reading)
                got = self.bench.run(name, stdout=writing)
                os.close(writing)
                good = self.bench.undisturbed(name)
                self.assertEqual((got.status, got.err.splitlines()[-1:]), (good.status, good.err.splitlines()[-1:]))


def explore(names, numbers):
    """Shows what failed allocations give."""
    with tempfile.TemporaryDirectory() as folder:
        bench, kinds = Bench(folder), collections.Counter()
        for name in names or COMMANDS:
            started, good = time.time(), bench.undisturbed(name)
            if numbers:
                for n in numbers:
                    got = bench.run(name, n)
                    print(f"{name} {n}: status {got.status}\n{got.err}{got.out.decode()[-2000:]}")
                    print("verdict:", bench.verdict(name, n))
                continue
            todo = failures(bench, name)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                wrong = [(n, v) for n, v in zip(todo, pool.map(lambda n, name=name: bench.verdict(name, n), todo)) if v]
            print(f"{name}: status {good.status}, {good.allocations} allocations, {len(todo)} failed, {len(wrong)} wrong, {time.time() - started:.1f} s", flush=True)
            for n, v in wrong:
                kind = re.sub(r"\d+|'[^']*'|\\.*", "#", v)[-60:]
                kinds[kind] += 1
                if kinds[kind] <= 3 or os.environ.get("SHOW_ALL"):
                    print("   ", n, v)


if __name__ == "__main__":
    if any(a in COMMANDS for a in sys.argv[1:]) or "explore" in sys.argv:
        explore([a for a in sys.argv[1:] if a in COMMANDS], [a for a in sys.argv[1:] if a[0].isdigit()])
    else:
        unittest.main()
