"""Designs: for a number of hosts and a switch, the network that each family builds, what it does and what it costs."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ikat._core import (Cancel, Env, Object, UsageError, WrongType, ffi, json_of, lib, made, module, plain, real, replace_file, string, table_html, text, texts,
                        whole, written)
from ikat._fabric import Fabric
from ikat._types import Quantity, Real, Report, Text, Whole

if TYPE_CHECKING:
    import pandas


class DesignTime(NamedTuple):
    """How long a workload takes, in ns, None where it is not known: `at_least`, a bound from below; `phases`, one after the other;
    `simulated`."""

    traffic: str
    at_least_ns: Optional[float]
    phases_ns: Optional[float]
    simulated_ns: Optional[float]


class DesignFailure(NamedTuple):
    """What is left after random failures (docs/designing.md): means, and the least, of `draws`; the saturation is that of uniform
    traffic, with a routing made again for the damaged network, or `fallback` where that refuses it."""

    what: str
    share: Optional[float]
    number: Optional[int]
    routing: str
    fallback: str
    draws: int
    failed_cables: float
    lost_hosts: float
    connected: float
    connected_least: float
    mean_hops: Optional[float]
    saturation: Optional[float]
    saturation_least: Optional[float]
    vcs: int
    fell_back: int
    refused: int
    proved: bool


class DesignMember(NamedTuple):
    """The network of one family. Sizes, costs and watts are of all rails, the rest of one; None: not known, as of networks that are
    too large to be built. `saturation`: predicted, by pattern; `floor`: racks and cables of the floor plan; `growth`: what has to
    be done to make it of the fabric `from_`. docs/designing.md explains the numbers."""

    family: str
    series: str
    spec: str
    routing: str
    vc: Optional[str]
    proved: Optional[bool]
    cost_per_host: float
    watts_per_host: float
    hosts: int
    switches: int
    ports_in_use: int
    spare_host_ports: int
    cables: int
    switch_cables: int
    diameter: Optional[int]
    mean_hops: Optional[float]
    vcs: Optional[int]
    bisection_per_host: Optional[float]
    cost_switches: float
    cost_adapters: float
    cost_copper_cables: float
    cost_optical_cables: float
    cost: float
    watts: float
    fewest_switches: Optional[int]
    fewest_switches_hosts: Optional[int]
    saturation: Dict[str, Optional[float]]
    whole_spec: Optional[str]
    host_rate_bps: int
    workloads: List[DesignTime]
    failures: List[DesignFailure]
    floor: Optional[Dict[str, Any]]
    growth: Optional[Dict[str, Any]]

    def __repr__(self) -> str:
        return f"<ikat.DesignMember {self.series}: {self.spec!r}, {self.cost_per_host:.6g} per host>"

    def fabric(self, *, memory_limit: Optional[Quantity] = None) -> Fabric:
        """The network of one rail, to be routed and simulated."""
        return Fabric(self.spec, memory_limit=memory_limit)


class DesignMisfit(NamedTuple):
    """A family without a network for the wish: why, the network that comes `nearest`, and the ports that its switches would need
    (None: not known)."""

    family: str
    series: str
    reason: str
    nearest: Optional[str]
    most_hosts: int
    radix_needed: Optional[int]


class Design(Object):
    """What `ikat.design` has found: `members`, the cheapest per host first, and `misfits`.

    Truth value: every routing was proved, also on the damaged networks, which is when `ikat design` ends with status 0.
    """

    __slots__ = ("_found",)
    _found: Dict[str, Any]

    @classmethod
    def _of(cls, values, lists, options):
        """values: members of the configuration; lists: those that are lists of texts."""
        config, keep, self = ffi.new("ik_design_config *"), [], cls.__new__(cls)
        for name, value in values.items():
            if isinstance(value, bytes):
                keep.append(ffi.new("char[]", value))
                value = keep[-1]
            setattr(config, name, value)
        for name, (what, value) in {**lists, "command": ("command", [])}.items():
            array, kept = texts(_command(config, options) if name == "command" else value, what)
            keep += [array, kept]
            setattr(config, name, array)
            setattr(config, "num_words" if name == "command" else f"num_{name}", len(kept))
        with Env(**options) as env:
            if env.progress:
                config.stage, config.note, config.ctx = lib.ikpy_stage, lib.ikpy_note, env.handle
            pointer = made("ik_designs *", lib.IKPY_DESIGNS, lambda out: env.check(lib.ik_designs_find(config, env.c, out, env.err)))
            self._take(lib.IKPY_DESIGNS, pointer, "ik_designs *")
        del keep
        plain(lib.ik_designs_fit, self._p())
        self._found = json_of(lambda j: lib.ik_designs_json(self._p(), j))
        return self

    def __bool__(self) -> bool:
        return bool(lib.ik_designs_are_proved(self._p()))

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Design: closed>"
        first = self.members[0]
        return (f"<ikat.Design: {len(self.members)} networks for {self._wished()} hosts, the cheapest is {first.spec!r} at "
                f"{first.cost_per_host:.6g} {self.currency} per host>")

    def _wished(self):
        wish = self.wish
        return str(wish["hosts"]) if wish["hosts_max"] == wish["hosts"] else f"{wish['hosts']} to {wish['hosts_max']}"

    def _repr_html_(self) -> str:
        patterns = list(self.members[0].saturation)
        names = ["family", f"{self.currency} per host", "hosts", "switches", "cables", "diameter", "mean hops", "VCs", *patterns, "routing", "fabric"]
        rows = [[m.series, f"{m.cost_per_host:,.0f}", m.hosts, m.switches, m.cables, m.diameter, _digits(m.mean_hops, 2), m.vcs,
                 *(_digits(m.saturation[p], 3) for p in patterns), m.routing + (" (NOT PROVED)" if m.proved is False else ""), m.spec]
                for m in self.members]
        return table_html(f"networks for {self._wished()} hosts with {self.wish['radix']}-port switches", names, rows)

    @property
    def members(self) -> List[DesignMember]:
        """The network of each family, the cheapest per host first."""
        self._p()
        return [_member(row) for row in self._found["members"]]

    @property
    def misfits(self) -> List[DesignMisfit]:
        """Families without such a network."""
        self._p()
        return [DesignMisfit(**row) for row in self._found["infeasible"]]

    @property
    def wish(self) -> Dict[str, Any]:
        """What was asked for: hosts, hosts_max, radix, oversubscription, rate_bps, rails, goal, from."""
        self._p()
        return dict(self._found["wish"])

    @property
    def currency(self) -> str:
        """What costs are in."""
        self._p()
        return str(self._found["currency"])

    def frame(self) -> pandas.DataFrame:
        """The members as a pandas frame, a row each; the saturation of each pattern is a column "saturation PATTERN"."""
        pandas = module("pandas", "Design.frame")
        left_out = ("saturation", "workloads", "failures", "floor", "growth")
        rows = []
        for m in self.members:
            row = {name: value for name, value in m._asdict().items() if name not in left_out}
            rows.append({**row, **{f"saturation {pattern}": load for pattern, load in m.saturation.items()}})
        return pandas.DataFrame(rows)

    def page(self, path: Text) -> None:
        """Writes the page that compares the designs, as `ikat design -o` does: one file of HTML that loads nothing else."""
        held = self._p()
        replace_file(path, written(lambda out: plain(lib.ik_designs_print_page, held, out)))

    def to_dict(self) -> Dict[str, Any]:
        """What `ikat design --json` prints."""
        held = self._p()
        return json_of(lambda j: lib.ik_designs_json(held, j))


def _command(config, options):
    """What gives the same, for the page: the words of `ikat design`."""
    single = {"--hosts": config.hosts, "--radix": config.radix, "--rails": config.rails, "--oversubscription": config.oversubscription,
              "--choose": config.choose, "--rate": config.rate, "--prices": config.prices, "--floor": config.floor,
              "--from": getattr(config, "from"), "--seed": options["seed"], "--memory-limit": options["memory_limit"]}
    out = [b"ikat", b"design"]
    for option, value in single.items():
        if isinstance(value, ffi.CData):
            value = None if value == ffi.NULL else ffi.string(value)
        elif value is not None:
            value = None if option == "--rails" and value == 1 else str(value)
        if value is not None:
            out += [option, value]
    for option, name in {"--traffic": "patterns", "--workload": "workloads", "--fail": "losses"}.items():
        for value in (ffi.string(getattr(config, name)[i]) for i in range(getattr(config, f"num_{name}"))):
            out += [option, value]
    out += [option for option, wanted in {"--bisection": config.bisection, "--simulate": config.simulate}.items() if wanted]
    return out + [ffi.string(config.families[i]) for i in range(config.num_families)]


def _digits(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def _real(value):
    """JSON has whole numbers without a point."""
    return None if value is None else float(value)


def _filled(kind, row):
    """A row of JSON as its class, whose annotations say which numbers are real."""
    reals = [name for name, said in kind.__annotations__.items() if getattr(said, "__forward_arg__", said) in ("float", "Optional[float]")]
    return kind(**{**row, **{name: _real(row[name]) for name in reals}})


def _member(row):
    lists = {"saturation": {one["pattern"]: _real(one["load"]) for one in row["saturation"]},
             "workloads": [_filled(DesignTime, one) for one in row["workloads"]], "failures": [_filled(DesignFailure, one) for one in row["failures"]]}
    return _filled(DesignMember, {**row, **lists})


def _hosts(value):
    """One number, a text, or two numbers."""
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise UsageError("hosts: a range has two ends, as in (900, 1100)")
        return b"%d..%d" % tuple(whole(end, "hosts") for end in value)
    return text(value, "hosts") if isinstance(value, str) else b"%d" % whole(value, "hosts")


def design(hosts: Union[Whole, str, Tuple[Whole, Whole]], radix: Whole, families: Sequence[Text] = (), *, rails: Whole = 1,  # pylint: disable=too-many-arguments,too-many-locals
           oversubscription: Optional[Real] = None, choose: Optional[Text] = None, rate: Optional[Text] = None, traffic: Sequence[Text] = (),
           bisection: bool = False, workloads: Sequence[Text] = (), simulate: bool = False, failures: Sequence[Text] = (),
           prices: Optional[Text] = None, floor: Optional[Text] = None, from_: Optional[Text] = None, seed: Optional[Whole] = None,
           threads: Optional[Whole] = None, progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None,
           cache: Optional[Text] = None) -> Design:
    """For a number of hosts and a switch: the network that each family builds, proved, and its price, as `ikat design`.

    hosts: a number, or a range, (900, 1100) or "900..1100", of which each family takes what costs least per host. radix: ports of a
    switch. families: names of families or series (none: all). rails: networks that each host has a port to. oversubscription: 2.0
    for 2:1. choose: "cost", or "switches" for the fewest of them. rate: of a port, "400Gb/s". traffic: patterns whose saturation is
    predicted beside uniform and worst; bisection: computes it. workloads: traffic that ends, timed without simulation, and with
    simulate=True also with it. failures: what fails at random, "2%" of the cables, "switches=2%", "racks=1". prices, floor: files
    of prices and of rules for the floor plan ("none": no plan). from_: the specification or file of a fabric that stands already.
    Options: seed, threads, progress, cancel, memory_limit (members that need more are not built), cache. `UsageError`: no family
    reaches so many hosts."""
    for name, value in {"bisection": bisection, "simulate": simulate}.items():
        if not isinstance(value, bool):
            raise WrongType(f"{name}: True or False is expected, not {type(value).__name__}")
    optional = {"choose": choose, "rate": rate, "prices": prices, "floor": floor}
    values: Dict[str, Any] = {name: text(value, name) for name, value in optional.items() if value is not None}
    if from_ is not None:
        values["from"] = text(from_, "from_")
    if oversubscription is not None:
        values["oversubscription"] = re.sub(r"\.0$", "", repr(real(oversubscription, "oversubscription"))).encode()
    values.update(hosts=_hosts(hosts), radix=whole(radix, "radix", 2, lib.IK_WISH_RADIX_MAX), rails=whole(rails, "rails", 1, lib.IK_DESIGN_RAILS),
                  bisection=bisection, simulate=simulate, leaves_out_large=memory_limit is not None)
    lists = {"families": ("families", families), "patterns": ("traffic", traffic), "workloads": ("workloads", workloads),
             "losses": ("failures", failures)}
    found: Design = Design._of(values, lists, {"seed": seed, "threads": threads, "progress": progress, "cancel": cancel,
                                               "memory_limit": memory_limit, "cache": cache})
    return found
