"""Traffic patterns, and what they do to the channels of a routing."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ikat._core import (Collected, Env, Object, UsageError, WrongType, array, ffi, lib, made, on_interrupt, plain, real, rows_html, string, text, whole, written, zeros)
from ikat._fabric import Fabric, fabric_of, numbers_of, optional_index
from ikat._types import Pattern, Quantity, Real, Text, Whole

if TYPE_CHECKING:
    from ikat._routing import Routing


class Traffic(Object):
    """Who sends to whom: a pattern that goes on ("uniform", "shift:by=24"), or a finite workload ("exchange:bytes=1MB").
    Options: seed, memory_limit."""

    __slots__ = ("fabric",)
    fabric: Fabric

    def __init__(self, fabric: Fabric, spec: Text = "uniform", *, seed: Optional[Whole] = None,
                 memory_limit: Optional[Quantity] = None) -> None:
        hold, spec = fabric_of(fabric)._hold(), text(spec, "spec")
        f = hold[0]
        with Env(seed=seed, memory_limit=memory_limit) as env:
            pointer = made("ik_traffic *", lib.IKPY_TRAFFIC, lambda out: env.check(lib.ik_traffic_from_spec(f, spec, env.c, out, env.err)))
            self._take(lib.IKPY_TRAFFIC, pointer, "ik_traffic *", hold)
        self.fabric = fabric

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Traffic: closed>"
        return f"<ikat.Traffic {self.spec!r} of {self.num_hosts} hosts>"

    @property
    def spec(self) -> str:
        """Canonical text."""
        return string(self._p().spec)

    @property
    def num_hosts(self) -> int:
        """Number of hosts."""
        return self._p().num_hosts

    @property
    def ends(self) -> bool:
        """Whether it is a finite workload."""
        return self._p().workload != ffi.NULL

    @property
    def classes(self) -> List[str]:
        """Names of its classes of messages; empty where there is one."""
        out: List[str] = []
        table = self._p().classes
        while table != ffi.NULL and table[len(out)] != ffi.NULL:
            out.append(string(table[len(out)]))
        return out

    @property
    def note(self) -> Optional[str]:
        """What its user should know of the file that it was read from."""
        return string(self._p().note)

    def destinations(self, src: Whole, count: Whole = 1, first: Whole = 0) -> npt.NDArray[np.uint32]:
        """[count] uint32: destinations of messages first, first + 1 … of host `src`; `ikat.NONE` = the host is silent."""
        c = self._p()
        src, first = whole(src, "src", 0, c.num_hosts - 1), whole(first, "first", 0, 2**62)
        count, dest = whole(count, "count", 0, 2**32), c.family.dest
        if dest == ffi.NULL:
            raise UsageError(f"traffic '{self.spec}' draws no destinations one by one")
        return np.fromiter((dest(c, src, first + k) for k in range(count)), np.uint32, count)

    def flows(self, src: Optional[Whole] = None) -> npt.NDArray[np.void]:
        """Records (src, dst, share): the share of what host `src` (None: each host) offers that goes to dst, ascending.
        Cost O(flows): hosts * hosts for uniform traffic."""
        c, kind = self._p(), [("src", "u4"), ("dst", "u4"), ("share", "f8")]
        sources = range(c.num_hosts) if src is None else [whole(src, "src", 0, c.num_hosts - 1)]
        parts = [np.zeros(0, kind)]
        for source in sources:
            found = Collected()
            c.family.flows(c, source, lib.ikpy_flow, ffi.new_handle(found))
            found.check()
            parts.append(np.array(found, kind))
        return np.concatenate(parts)

    def matrix(self) -> npt.NDArray[np.float64]:
        """[hosts, hosts] float64: shares of what each host (row) offers, by destination (column). Memory 8 * hosts^2 bytes."""
        out = zeros((self.num_hosts, self.num_hosts), np.float64)
        for src, row in enumerate(out):
            flows = self.flows(src)
            np.add.at(row, flows["dst"], flows["share"])
        return out

    def goal(self) -> str:
        """A workload as a program in GOAL, the language of LogGOPSim."""
        c = self._p()
        if c.workload == ffi.NULL:
            raise UsageError(f"traffic '{self.spec}' never ends", "traffic 'exchange' sends the messages of a pattern once")
        return written(lambda out: plain(lib.ik_workload_write_goal, c.workload, out)).decode("utf-8", "replace")


@ffi.def_extern(name="ikpy_flow", onerror=on_interrupt)
def _on_flow(ctx, src, dst, weight, scale):
    ffi.from_handle(ctx).append((src, dst, weight / scale if scale else 0.0))


def traffic_of(fabric: Fabric, value: Pattern, seed: Optional[Whole] = None) -> Traffic:
    """A pattern of this fabric, made of its specification where it is a text."""
    if isinstance(value, Traffic):
        if value._p().fabric != fabric._p():
            raise UsageError("traffic: it was made for another fabric")
        return value
    if not isinstance(value, (str, bytes)):
        raise WrongType(f"traffic: an ikat.Traffic or its specification is expected, not {type(value).__name__}")
    return Traffic(fabric, value, seed=seed)


class _Result(Object):
    """A result of the library about a routing and a traffic, which may be closed before it."""

    __slots__ = ("routing", "traffic", "_about", "_ports", "_switches", "_hosts", "_memory", "_detours")
    routing: Routing
    traffic: Traffic
    _about: Tuple[str, str]
    _ports: int
    _switches: int
    _hosts: int
    _detours: bool
    _ctype: str

    @classmethod
    def _of(cls, room, kind, routing, traffic, plan, pattern):  # pylint: disable=too-many-arguments
        result = cls.__new__(cls)
        result.routing, result.traffic, result._memory = routing, traffic, pattern
        result._about = string(plan.routing.spec), string(pattern.spec)
        result._detours = bool(lib.ik_load_chooses_detours(plan.routing))
        f = pattern.fabric
        result._ports, result._switches, result._hosts = f.num_ports, f.num_switches, f.num_hosts
        return result._take(kind, room, cls._ctype)

    @property
    def fabric(self) -> Fabric:
        """The fabric."""
        return self.routing.fabric


class LoadGroup(NamedTuple):
    """Channels of one kind: `direction` ("up", "down", "side", "injection", "ejection") and, in trees, `level` of the lower end;
    least, mean and largest value."""

    direction: str
    level: int
    channels: int
    min: float
    mean: float
    max: float


class FlowBound(NamedTuple):
    """Between which loads the best routing of all saturates, each flow divided over any paths: some division of the flows carries
    `lower`, none more than `upper`, both fractions of the hosts' rate and at most 1 (`ik_flow_bound_measure`). hosts: what the
    channels of hosts with one cable allow alone; end: "close" (as close as epsilon asks for), "memory" (the limit left no room
    for more paths) or "stalled" (they came no closer); passes: over all sources, 0 = none were needed."""

    lower: float
    upper: float
    hosts: float
    epsilon: float
    end: str
    flows: int
    passes: int


def flow_bound_of(traffic: Traffic, epsilon: Real, env: Env) -> FlowBound:
    """The bound of a pattern, computed in that environment."""
    out, wanted = ffi.new("ik_flow_bound *"), real(epsilon, "epsilon")
    env.check(lib.ik_flow_bound_measure(traffic._p(), wanted, env.c, out, env.err))
    return FlowBound(out.lower, out.upper, out.hosts, out.epsilon, ("close", "memory", "stalled")[out.end], out.flows, out.passes)


class Load(_Result):
    """What every channel carries if every host offers its full injection rate. Loads are in units of one host's rate. `bound`: what
    the best routing of all could carry, where it was asked for, else None."""

    __slots__ = ("bound",)
    bound: Optional[FlowBound]
    _ctype = "ik_load *"

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Load: closed>"
        return (f"<ikat.Load of {self._about[0]!r} with {self._about[1]!r}: at most {self.max_load:.4g}, saturation "
                f"{self._told('{:.4g}')}{self._lost(', ')}>")

    def _told(self, form: str, scale: int = 1) -> str:
        return "not predicted" if self._detours else form.format(scale * self.saturation)

    def _lost(self, before: str) -> str:
        return f"{before}{self.undelivered} of {self.flows} flows are not delivered" if self.undelivered else ""

    def _repr_html_(self) -> str:
        return rows_html(", ".join(self._about), [
            ("largest load between switches", f"{self.max_load:.4g} of a host's rate"), ("mean", f"{self.mean_load:.4g} of a host's rate"),
            ("mean hops", f"{self.mean_hops:.4g}"), ("predicted saturation", self._told("{:.4g} %", 100)),
            ("flows", self.flows), ("delivered", self._lost("no: ") or "yes")])

    @property
    def load(self) -> npt.NDArray[np.float64]:
        """[ports] float64 by channel, in units of one host's injection rate. No copy."""
        return array(self._p(), self._p().load, self._ports)

    @property
    def crossing(self) -> npt.NDArray[np.float64]:
        """[ports] float64: flows that cross each channel (expected number where a flow has several paths). No copy."""
        return array(self._p(), self._p().crossing, self._ports)

    @property
    def turns(self) -> Optional[npt.NDArray[np.float64]]:
        """[switches] float64: trees: routes that turn from up to down at each switch; None otherwise. No copy."""
        return array(self._p(), self._p().turns, self._switches)

    @property
    def flows(self) -> int:
        """Pairs of different hosts of the pattern."""
        return self._p().flows

    @property
    def undelivered(self) -> int:
        """Of them, pairs that the routing does not deliver; they load no channel."""
        return self._p().undelivered

    @property
    def max_load(self) -> float:
        """Load of the most loaded channel between switches."""
        return self._p().max_load

    @property
    def mean_load(self) -> float:
        """Mean over the channels between switches."""
        return self._p().mean_load

    @property
    def min_load(self) -> float:
        """Load of the least loaded channel between switches."""
        return self._p().min_load

    @property
    def max_crossing(self) -> float:
        """Most flows on a channel between switches."""
        return self._p().max_crossing

    @property
    def max_channel(self) -> Optional[int]:
        """The most loaded channel between switches; None if nothing crosses one."""
        return optional_index(self._p().max_channel)

    @property
    def tightest(self) -> Optional[int]:
        """The channel of any kind with the largest load for its rate; None if nothing is sent."""
        return optional_index(self._p().tightest)

    @property
    def mean_hops(self) -> float:
        """Switch-to-switch hops, weighted by load."""
        return self._p().mean_hops

    @property
    def saturation(self) -> float:
        """Offered load, at most 1, at which the tightest channel is full: the predicted saturation throughput. NaN: not predicted,
        since queues choose between minimal paths and detours (ugal_l); adaptive routings else: if choices are divided evenly."""
        return math.nan if self._detours else self._p().saturation

    def groups(self) -> List[LoadGroup]:
        """Loads by kind of channel."""
        c, f = self._p(), self.fabric._p()
        out, num = ffi.new("ik_load_group **"), ffi.new("size_t *")
        plain(lib.ik_load_groups, f, c.load, out, num)
        try:
            return [LoadGroup(string(lib.ik_direction_name(g.direction)), g.level, g.channels, g.min, g.mean, g.max)
                    for g in (out[0][i] for i in range(num[0]))]
        finally:
            lib.ik_load_groups_free(out[0], num[0])


class Queues(_Result):
    """What each queue, a virtual channel of a channel, carries."""

    __slots__ = ()
    _ctype = "ik_queues *"

    def __repr__(self) -> str:
        return f"<ikat.Queues of {self._about[0]!r} with {self._about[1]!r}>" if getattr(self, "_c", None) is not None else "<ikat.Queues: closed>"

    def _by_queue(self, name):
        c = self._p()
        return array(c, getattr(c, name), c.num_ports, c.num_vcs)

    @property
    def load(self) -> npt.NDArray[np.float64]:
        """[ports, VCs] float64, in units of one host's injection rate. No copy."""
        return self._by_queue("load")

    @property
    def crossing(self) -> npt.NDArray[np.float64]:
        """[ports, VCs] float64: flows. No copy."""
        return self._by_queue("crossing")

    @property
    def destinations(self) -> npt.NDArray[np.uint32]:
        """[ports, VCs] uint32: hosts to which packets on some allowed path may wait in the queue. No copy."""
        return self._by_queue("destinations")


class Contention:
    """Contention of one exchange, in which every flow sends one message of equal size at the same time. Attributes:
    flows, undelivered, endpoint_degree, split (flows with several paths), max_flows (on a channel between switches), c (largest
    matching on a channel), slowdown_bound, fluid_time and fluid_crossbar_time (in units of a message at a host's rate),
    fluid_slowdown, effective_bandwidth, mean_efficiency (and both for flows that leave their switch, `…_leaving`),
    worst_channel. Adaptive routings that divide flows: slowdown_bound is NaN, the rest is what an even division gives. Where they
    choose between minimal paths and detours (ugal_l), nothing is predicted: NaN."""

    flows: int
    undelivered: int
    endpoint_degree: int
    split: int
    max_flows: float
    c: int
    c_up: int
    c_down: int
    c_load: float
    slowdown_bound: float
    fluid_time: float
    fluid_crossbar_time: float
    fluid_slowdown: float
    effective_bandwidth: float
    effective_bandwidth_leaving: float
    mean_efficiency: float
    mean_efficiency_leaving: float
    worst_channel: Optional[int]

    def __repr__(self) -> str:
        if math.isnan(self.max_flows):
            return "<ikat.Contention: not predicted, queues choose between minimal paths and detours>"
        evenly = " if choices are divided evenly" if math.isnan(self.slowdown_bound) else ""
        return f"<ikat.Contention: at most {self.max_flows:g} flows on a channel, slowdown {self.fluid_slowdown:.4g}{evenly}>"

    @classmethod
    def _from(cls, c):
        out = cls()
        out.__dict__.update(numbers_of(c))
        out.c_load, out.slowdown_bound = c.c_load.value, c.slowdown_bound.value
        out.worst_channel = optional_index(c.worst_channel)
        return out

    def to_dict(self) -> Dict[str, Any]:
        """All attributes."""
        return dict(self.__dict__)


class Phases(_Result):
    """A workload phase by phase: bounds of its times from the bytes alone, in ns."""

    __slots__ = ()
    _ctype = "ik_phases *"

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Phases: closed>"
        slowdown = "not predicted" if math.isnan(self.slowdown) else f"{self.slowdown:.4g}"
        return f"<ikat.Phases: {len(self)} phases, slowdown {slowdown}>"

    def __len__(self) -> int:
        return self._p().num

    @property
    def slowdown(self) -> float:
        """Against an ideal crossbar: a bound from below; adaptive routings: if choices are divided evenly; NaN: not predicted, since
        queues choose between minimal paths and detours (ugal_l)."""
        return self._p().slowdown

    @property
    def bound_ns(self) -> float:
        """Until the fullest channel of each phase has sent its bytes, summed. Of adaptive routings and NaN as `slowdown`."""
        return self._p().bound_ns

    @property
    def crossbar_bound_ns(self) -> float:
        """The same of an ideal crossbar."""
        return self._p().crossbar_bound_ns

    def to_list(self) -> List[Dict[str, Any]]:
        """A dictionary per phase: name, messages, bytes, flows, max_load_bytes, bound_ns, crossbar_bound_ns …"""
        c = self._p()
        return [{"name": string(c.phases[i].name), **numbers_of(c.phases[i], "name")} for i in range(c.num)]
