"""A user's program that names the types of what it gets: test_types.py has mypy check it, strictly, and runs it."""
import pathlib
import sys
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Type

import numpy as np
import numpy.typing as npt

import ikat


def fabrics(folder: pathlib.Path) -> ikat.Fabric:
    """Fabrics and what is measured of them."""
    fabric = ikat.Fabric("rlft:ports=8,levels=2", seed=1, threads=1, memory_limit="1 GiB")
    broken: ikat.Fabric = fabric.degrade(links=[int(fabric.port_base[0]) + 4], switches=np.array([9]))
    few: ikat.Fabric = fabric.keep_hosts(fabric.host_switch < 4)
    broken.write(folder / "broken.json", "json")
    same: ikat.Fabric = ikat.Fabric.read(str(folder / "broken.json"), memory_limit=2**30)
    again: ikat.Fabric = ikat.Fabric.from_text(same.to_text("json"), "json", name="again")
    whole: bool = ikat.Fabric.from_json(again.to_json()) == broken
    difference: str = few.difference(broken)
    findings: List[ikat.Finding] = broken.findings
    severity: str = findings[0].severity
    port: Optional[int] = findings[0].port
    classes: List[ikat.LinkClass] = fabric.link_classes
    rate: int = classes[0].rate_bps
    links: npt.NDArray[np.void] = fabric.links
    level: Optional[npt.NDArray[np.uint8]] = fabric.switch_level
    degree: npt.NDArray[np.uint32] = fabric.switch_degree
    names: Tuple[str, str] = fabric.name(degree[0]), fabric.describe_port(links["port_a"][0])
    girth: int = fabric.girth(threads=1)
    numbers: List[Dict[str, Any]] = [fabric.describe(), fabric.distances(progress=False), fabric.reach(), fabric.cables(),
                                     fabric.bisection(seeds=1, seed=2), fabric.diversity(cancel=ikat.Cancel())]
    assert whole and difference and rate and girth and numbers and names and level is not None and severity and port != ikat.NONE
    return fabric


def routings(fabric: ikat.Fabric, folder: pathlib.Path) -> ikat.Routing:
    """Routings, proofs and loads."""
    routing = ikat.Routing(fabric, "dmodk", vc=None, num_vcs=1)
    claims: Set[str] = routing.claims
    path: npt.NDArray[np.uint32] = routing.path(0, fabric.num_hosts - 1)
    tables: npt.NDArray[np.uint16] = routing.tables(threads=1)
    routing.write_tables(folder / "tables.lfts")
    proof: ikat.Proof = routing.prove(flow="any", sample_pairs=0, cache=folder / "proofs")
    verdict: Optional[bool] = proof.deadlock_free
    pair: Optional[Tuple[int, int]] = proof.first_undelivered
    cycle: List[ikat.Dependency] = proof.cycle
    changes: Dict[str, Any] = routing.compare(fabric.routing("updown", seed=3))
    pattern = ikat.Traffic(fabric, "shift:by=4")
    flows: npt.NDArray[np.void] = pattern.flows(0)
    load: ikat.Load = routing.load(pattern, threads=1)
    best: Optional[ikat.FlowBound] = routing.load(pattern, bound=True, epsilon=0.1).bound
    assert load.bound is None and best is not None and best.lower <= best.upper
    groups: List[ikat.LoadGroup] = load.groups()
    channels: npt.NDArray[np.float64] = load.load
    tightest: Optional[int] = load.tightest
    queues: ikat.Queues = routing.queues("uniform", seed=1)
    contention: ikat.Contention = routing.contention(pattern)
    bound: float = contention.slowdown_bound + routing.saturation("uniform") + queues.load.sum()
    phases: ikat.Phases = routing.phases("exchange:bytes=1MB", most_flows=1e6)
    count: int = len(phases)
    with fabric.routing("dmodk", traffic=pattern) as other:
        same: ikat.Fabric = other.fabric
    assert verdict and pair is None and not cycle and claims and path.size and tables.size and changes and flows.size and groups
    assert channels.size and tightest is not None and bound and count and same is fabric and proof
    return routing


def subnets(fabric: ikat.Fabric, folder: pathlib.Path) -> None:
    """Audits and deployments."""
    made: ikat.Deployment = fabric.deploy(folder / "new", "updown", vls=4, query_lane=False, threads=1, progress=None)
    verdict: ikat.Verdict = made.verdict
    lost: int = verdict.lost
    tables: npt.NDArray[np.uint8] = made.tables
    said: Dict[str, Any] = made.to_dict()
    roots: npt.NDArray[np.uint32] = made.roots
    check: ikat.DeployCheck = made.verify(folder / "new" / "lfts")
    same: ikat.DeployCheck = ikat.verify_deployed(folder / "new", str(folder / "new/lfts"), fabric=fabric)
    entries: List[ikat.TableDifference] = check.differences
    lanes: List[ikat.LaneDifference] = same.vl_differences
    with fabric.audit(folder / "new" / "lfts", plan="rlft:ports=8,levels=2", memory_limit="1 GiB") as audit:
        findings: List[ikat.AuditFinding] = audit.findings
        place: Optional[str] = findings[0].place
        installed: Optional[ikat.AuditedRouting] = audit.installed
        measured: Optional[ikat.Measured] = audit.measured
        multicast: Optional[ikat.Multicast] = audit.multicast
        compared: List[ikat.Compared] = audit.compared
        audit.page(folder / "audit.html", title="audit")
        report: Dict[str, Any] = audit.to_dict()
        good: bool = audit.ok
        numbers: npt.NDArray[np.uint32] = audit.given_nodes
        assert len(numbers) <= len(audit.given_ports)
    again: ikat.Audit = fabric.with_names().audit(routing="none")
    assert installed is not None and measured is None and multicast is None and check and same and report and said and good
    loop: List[ikat.LoopStep] = installed.credit_loop
    pair: Optional[Tuple[int, int]] = installed.first_lost
    load: npt.NDArray[np.float64] = installed.load
    assert not lost and tables.size and roots.size and not entries and not lanes and compared and not loop and pair is None and load.size
    assert place is None or place
    assert again.fabric is not None


def designs(folder: pathlib.Path) -> None:
    """Networks for a wish, and papers that are reproduced."""
    found: ikat.Design = ikat.design(64, 16, ["fattree2", "slimfly"], traffic=["reversal"], workloads=["exchange:bytes=1MB"], failures=["2%"],
                                     oversubscription=1.5, floor="none", progress=None)
    wider: ikat.Design = ikat.design((60, 70), np.int64(16), ("fullmesh",), rate="200Gb/s", bisection=True, memory_limit="1 GiB")
    members: List[ikat.DesignMember] = found.members
    misfits: List[ikat.DesignMisfit] = found.misfits
    times: List[ikat.DesignTime] = members[0].workloads
    failures: List[ikat.DesignFailure] = members[0].failures
    loads: Dict[str, Optional[float]] = members[0].saturation
    fabric: ikat.Fabric = members[0].fabric()
    found.page(folder / "designs.html")
    assert wider and times and failures and loads and fabric and not misfits and found.frame() is not None and found.to_dict()
    list_of: List[ikat.Study] = ikat.studies(["000"])
    made: ikat.Reproduction = ikat.reproduce(["000/table1"], folder / "papers", scale="quick", threads=1, budget=60)
    claims: List[ikat.ReproducedClaim] = made.claims
    margin: Optional[float] = claims[0].margin
    seconds: float = list_of[0].seconds["quick"]
    assert made and (margin is None or margin == margin) and seconds and made.frame() is not None and made.page and made.to_dict()


def simulations(routing: ikat.Routing) -> None:
    """One simulation, and several."""
    seen: List[ikat.Progress] = []
    run: ikat.Simulation = routing.simulate("uniform", "40 %", seed=2, threads=1, progress=seen.append, warmup="5 us",
                                            duration="10 us", series="5 us", switch={"buffer": "64 KiB"}, paranoid=True)
    same: ikat.Simulation = ikat.simulate(routing, load=np.float64(0.4), warmup="5 us", duration="10 us")
    histogram: ikat.Histogram = run.latency
    numbers: Tuple[float, float, int] = (histogram.percentile(0.99), histogram.mean_ns, run.packets_delivered)
    steady: Optional[str] = run.steady
    series: Optional[npt.NDArray[np.float64]] = run.series_throughput
    value: Optional[float] = run.result("throughput")
    row: Dict[str, Any] = same.to_dict()
    assert numbers and steady and series is not None and value and row and ikat.settings("switch") and ikat.result_names()
    ikat.sweep(routing, "uniform", [0.2, "40 %"], seeds=range(1, 3), jobs=2, warmup="5 us", duration="10 us")
    routing.sweep(loads=np.array([0.2]), seeds=1, warmup="5 us", duration="10 us")
    warned: Type[UserWarning] = ikat.NotSteadyWarning
    assert warned.__doc__


def experiments(folder: pathlib.Path) -> None:
    """Experiments and their results."""
    experiment = ikat.Experiment({"fabric": "karytree:k=2,n=2", "routing": "dmodk", "load": 0.2,
                                  "measure": {"warmup": "5 us", "duration": "10 us"}}, set={"seeds": 2})
    parts: List[str] = []
    for number in (1, 2):
        part: ikat.Results = experiment.run(folder / f"part{number}.db", threads=1, shard=(number, 2), budget="100")
        parts.append(part.path)
    merged: Dict[str, int] = ikat.merge(parts, folder / "all.db")
    done: ikat.Results = ikat.results(folder / "all.db")
    finished: Tuple[int, int] = done.points_finished
    claims: List[ikat.Claim] = done.claims()
    arrays: Dict[str, npt.NDArray[Any]] = done.arrays(0)
    rerun: ikat.Results = ikat.run(experiment, progress=None)
    assert finished == (2, 2) and merged["points"] == 2 and not claims and arrays and done.frame() is not None
    assert rerun.failed is False and ikat.unit_of("latency_mean_ns") == "ns" and done.units() and done.summary(80)


def members() -> None:
    """Members of families, and what is known of them."""
    def to_nowhere(fabric: ikat.FabricArrays, above: int = 0) -> npt.NDArray[np.int64]:
        """No route but to the hosts of the same switch."""
        return np.full((fabric.num_switches, fabric.num_hosts), above - 1)
    ikat.register_routing("to_nowhere", to_nowhere, parameters={"above": 0}, summary="none", version=1)
    ikat.register_traffic("to_the_next", np.roll(np.arange(32), 1))
    ikat.register_traffic("to_oneself", lambda num_hosts: np.arange(num_hosts))
    def emptiest(outputs: ikat.Outputs, queued: float = 1.0) -> npt.NDArray[np.float64]:
        return outputs.credit_bytes - queued * outputs.queued_bytes
    ikat.register_selection("emptiest", emptiest, parameters={"queued": 1.0})
    plugins: List[ikat.PlugIn] = ikat.plugins()
    lists: List[Callable[[], List[str]]] = [ikat.topologies, ikat.routings, ikat.vc_schemes, ikat.selections, ikat.patterns, ikat.formats]
    assert all(one() for one in lists) and plugins and ikat.help_of("dmodk") and ikat.examples("torus") and ikat.version()


def errors() -> None:
    """What is raised is IkatError, and of Python's own classes."""
    kinds: List[type] = [ikat.CheckFailed, ikat.FileError, ikat.InternalError, ikat.MissingModule, ikat.OutOfMemory, ikat.Unsupported,
                         ikat.WrongType, ikat.ClosedError, ikat.Cancelled, ikat.InputError]
    try:
        ikat.load_plugin("no/such/file.so")
    except ikat.IkatError as error:
        words: Tuple[str, int, Tuple[str, ...]] = error.text + error.hint + error.file + error.status, error.line, error.settings
    try:
        ikat.Fabric("ring:n=5").routing("shortest", num_vcs=10**6)
    except ikat.UsageError as error:
        assert str(error) and words and all(issubclass(kind, ikat.IkatError) for kind in kinds)


def recordings(folder: pathlib.Path) -> None:
    """Of MPI programs."""
    try:
        ikat.record(["no-such-program"], folder / "none.ikrec", ranks=2, launcher="no-such-mpirun")
    except ikat.UsageError as error:
        assert "no-such-mpirun" in error.text
    found: ikat.Recording = ikat.recording(pathlib.Path(__file__).parents[2] / "data/halo16.ikrec")
    sizes: Tuple[int, int, Optional[int]] = found.ranks, found.bytes, found.exit_status
    assert sizes[2] is None and found.lines(rank=0) and found.to_dict()


def main(folder: pathlib.Path) -> None:
    """All of it."""
    fabric = fabrics(folder)
    routing = routings(fabric, folder)
    subnets(fabric, folder)
    designs(folder)
    simulations(routing)
    experiments(folder)
    members()
    recordings(folder)
    errors()
    print("typed")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
