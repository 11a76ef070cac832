"""Routings: tables and paths, proofs, and what they do to traffic."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Set, Tuple, Union

import numpy as np
import numpy.typing as npt

from ikat._core import (NONE, VERDICTS, Cancel, Env, Object, UsageError, array, choice, ffi, filled, lib, made, memory_error, plain, pointer_to,
                        rows_html, string, taken, text, whole, written, zeros)
from ikat._fabric import Fabric, fabric_of, numbers_of
from ikat._traffic import Contention, Load, Phases, Queues, Traffic, flow_bound_of, traffic_of
from ikat._types import Arrays, Pattern, Quantity, Real, Report, Setting, Text, Values, Whole, Wholes

if TYPE_CHECKING:
    import pandas

    from ikat._simulation import Simulation

_KINDS = ("deterministic", "oblivious", "adaptive")
_CLAIMS = {"delivers": lib.IK_CLAIM_DELIVERS, "minimal": lib.IK_CLAIM_MINIMAL, "deadlock_free": lib.IK_CLAIM_DEADLOCK_FREE,
           "survives_failures": lib.IK_CLAIM_SURVIVES_FAILURES, "in_order": lib.IK_CLAIM_IN_ORDER}
_FLOWS = {"any": lib.IK_FLOW_ANY, "cut_through": lib.IK_FLOW_CUT_THROUGH, "settled": lib.IK_FLOW_SETTLED}
_WORDS = {True: "yes", False: "no", None: "unknown"}


class Dependency(NamedTuple):
    """A step of a cycle: a packet from host `src` to host `dst` holds `channel` on virtual channel `vc` and waits for the channel
    of the next step. `through`: the channel lies outside of the escape layer, and the packet of the step before holds it, too."""

    channel: int
    vc: int
    through: bool
    src: int
    dst: int


class Proof(Object):
    """What was proved about a routing. Verdicts are True, False, or None where the question was not asked or cannot be told.

    Truth value: all pairs are delivered, without loops, and the routing is free of deadlock.
    """

    __slots__ = ("_about", "_lines")
    _about: str
    _lines: List[str]

    def __bool__(self) -> bool:
        return bool(self.delivered and self.loop_free and self.deadlock_free)

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Proof: closed>"
        return (f"<ikat.Proof of {self.pairs} pairs: delivered {_WORDS[self.delivered]}, loop-free {_WORDS[self.loop_free]}, "
                f"minimal {_WORDS[self.minimal]}, deadlock-free {_WORDS[self.deadlock_free]} ({self.deadlock_reason})>")

    def _repr_html_(self) -> str:
        lost = f": {self.undelivered} pairs are not" if self.undelivered else ""
        return rows_html(f"proof of {self._about}", [
            ("pairs", f"{self.pairs}, drawn" if self.sampled_pairs else self.pairs), ("delivered", _WORDS[self.delivered] + lost),
            ("loop-free", _WORDS[self.loop_free]), ("minimal", _WORDS[self.minimal]),
            ("deadlock-free", f"{_WORDS[self.deadlock_free]}: {self.deadlock_reason}"), ("flow control", self.flow.replace("_", "-")),
            ("mean hops", f"{self.mean_hops:.4g}"), ("most hops", self.max_hops), ("virtual channels", self.vcs_used)])

    @property
    def delivered(self) -> Optional[bool]:
        """Every connected pair of hosts is delivered."""
        return VERDICTS[self._p().delivered]

    @property
    def loop_free(self) -> Optional[bool]:
        """No packet can reach the same state twice."""
        return VERDICTS[self._p().loop_free]

    @property
    def minimal(self) -> Optional[bool]:
        """Every path is a shortest one."""
        return VERDICTS[self._p().minimal]

    @property
    def deadlock_free(self) -> Optional[bool]:
        """No set of packets can wait for each other for ever, under the flow control that was asked for."""
        return VERDICTS[self._p().deadlock_free]

    @property
    def ordered(self) -> Optional[bool]:
        """The routing's own order against livelock falls at every hop; None if it declares none."""
        return VERDICTS[self._p().ordered]

    @property
    def deadlock_reason(self) -> str:
        """What `deadlock_free` rests on, in words."""
        return string(self._p().deadlock_reason) or ""

    @property
    def flow(self) -> str:
        """The flow control that was judged: "any", "cut_through" or "settled"."""
        return {v: k for k, v in _FLOWS.items()}[self._p().flow]

    @property
    def pairs(self) -> int:
        """Pairs of different hosts that were examined, with all their initial states."""
        return self._p().pairs

    @property
    def sampled_pairs(self) -> int:
        """0: all pairs were examined; otherwise so many were drawn."""
        return self._p().sampled_pairs

    @property
    def undelivered(self) -> int:
        """Pairs without a route, with a dead end or a loop."""
        return self._p().undelivered

    @property
    def unconnected(self) -> int:
        """Pairs that the fabric itself does not connect; not counted as undelivered."""
        return self._p().unconnected

    @property
    def loops(self) -> int:
        """Pairs with a loop that packets can reach."""
        return self._p().loops

    @property
    def not_minimal(self) -> int:
        """Pairs with a path that is longer than the shortest."""
        return self._p().not_minimal

    @property
    def mean_hops(self) -> float:
        """Switch-to-switch hops, mean over pairs and states."""
        return self._p().mean_hops

    @property
    def max_hops(self) -> int:
        """Hops of the longest path."""
        return self._p().max_hops

    @property
    def vcs_used(self) -> int:
        """Virtual channels that packets use."""
        return self._p().vcs_used

    @property
    def channels(self) -> int:
        """Channels (with their virtual channels) of the dependency graph."""
        return self._p().channels

    @property
    def dependencies(self) -> int:
        """Edges of the dependency graph."""
        return self._p().dependencies

    @property
    def path_lengths(self) -> npt.NDArray[np.uint64]:
        """[max hops + 1] uint64: pairs by switch-to-switch hops (weighted by states). No copy."""
        return array(self._p(), self._p().path_lengths, self._p().num_path_lengths)

    @property
    def first_undelivered(self) -> Optional[Tuple[int, int]]:
        """(src, dst) of the first pair that is not delivered, None if there is none."""
        src, dst = self._p().first_undelivered_src, self._p().first_undelivered_dst
        return None if src == NONE else (src, dst)

    @property
    def lost_path(self) -> Optional[npt.NDArray[np.uint32]]:
        """Channels of a path of that pair until it ends or returns; None if all pairs are delivered. No copy."""
        c = self._p()
        return array(c, c.lost_path, c.lost_path_length) if c.lost_path_length else None

    @property
    def cycle(self) -> List[Dependency]:
        """The evidence against freedom from deadlock: a shortest cycle of channels that wait for each other. Empty without one."""
        c = self._p()
        steps = (c.witness[i] for i in range(c.witness_length))
        return [Dependency(s.channel, s.vc, bool(s.through), s.src, s.dst) for s in steps]

    def describe_cycle(self) -> List[str]:
        """The cycle in words, a line per step."""
        self._p()
        return list(self._lines)


def describe_cycle(plan, proof):
    """The witness of a proof in words; as long as the plan is there."""
    split = plan.fabric.split
    whole_fabric, lines, room = plan.fabric if split == ffi.NULL else split.whole, [], ffi.new("char[512]")

    def host(number):
        return lib.ik_host_node(whole_fabric, lib.ik_whole_host(plan.fabric, number))

    for i in range(proof.witness_length):
        step = proof.witness[i]
        words = [string(lib.ik_node_name(whole_fabric, node, room, 512)) for node in (
            lib.ik_peer_node(whole_fabric, step.channel), host(step.src), host(step.dst))]
        port = string(lib.ik_port_describe(whole_fabric, step.channel, room, 512))
        lines.append(f"{port} to {words[0]}, VC {step.vc}: {words[1]} to {words[2]}")
    return lines


class Routing(Object):
    """A routing of a fabric, with a scheme of virtual channels and a selection function: what is proved, measured, simulated and
    exported.

    spec: name and parameters ("dmodk", "ugal_l:threshold=50"); vc: scheme, None = the routing's own; selection: None =
    "by_model"; num_vcs: 0 = as many as the scheme needs; traffic: for routings that are made for a pattern.
    Options: seed (of routings that draw), threads, progress, cancel, memory_limit.

    Hosts with several cables: paths, tables and proofs then count the connected ports of hosts instead of hosts
    (`num_hosts`, `whole_host`).
    """

    __slots__ = ("fabric", "_asks")
    fabric: Fabric
    _asks: List[Any]  # its selection functions of Python

    def __init__(self, fabric: Fabric, spec: Text, vc: Optional[Text] = None, selection: Optional[Text] = None,
                 num_vcs: Whole = 0, *, traffic: Optional[Pattern] = None, seed: Optional[Whole] = None,
                 threads: Optional[Whole] = None, progress: Report = None, cancel: Optional[Cancel] = None,
                 memory_limit: Optional[Quantity] = None) -> None:
        holds = [fabric_of(fabric)._hold()]
        f = holds[0][0]
        if traffic is not None:
            traffic = traffic_of(fabric, traffic, seed)
            holds.append(traffic._hold())
        spec, vc, selection = text(spec, "spec"), text(vc, "vc", optional=True), text(selection, "selection", optional=True)
        num_vcs = whole(num_vcs, "num_vcs", 0, lib.IK_MAX_VCS)
        with Env(threads=threads, seed=seed, progress=progress, cancel=cancel, memory_limit=memory_limit, traffic=traffic) as env:
            pointer = made("ik_plan *", lib.IKPY_PLAN, lambda out: env.check(
                lib.ik_plan_from_specs(f, spec, vc, selection, num_vcs, env.c, out, env.err)))
            self._take(lib.IKPY_PLAN, pointer, "ik_plan *", *holds)
        self.fabric, self._asks = fabric, env.asks

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Routing: closed>"
        return f"<ikat.Routing {self.spec!r}, VC scheme {self.vc!r} ({self.num_vcs} VCs), of {self.fabric!r}>"

    def _repr_html_(self) -> str:
        return rows_html(self.spec, [("kind", self.kind), ("VC scheme", self.vc), ("VCs", self.num_vcs), ("selection", self.selection),
                                     ("claims", ", ".join(sorted(self.claims))), ("note", self.note or "")])

    # ---- what it is

    @property
    def spec(self) -> str:
        """Canonical text of the routing."""
        return string(self._p().routing.spec)

    @property
    def vc(self) -> str:
        """Canonical text of the scheme of virtual channels."""
        return string(self._p().vc.spec)

    @property
    def selection(self) -> str:
        """Canonical text of the selection function."""
        return string(self._p().selection.spec)

    @property
    def num_vcs(self) -> int:
        """Number of virtual channels."""
        return self._p().num_vcs

    @property
    def kind(self) -> str:
        """ "deterministic", "oblivious" or "adaptive"."""
        return _KINDS[self._p().routing.kind]

    @property
    def claims(self) -> Set[str]:
        """What the routing promises: of "delivers", "minimal", "deadlock_free" (with one VC), "survives_failures", "in_order"."""
        bits = self._p().routing.claims
        return {name for name, bit in _CLAIMS.items() if bits & bit}

    @property
    def note(self) -> Optional[str]:
        """What its user should know of a file that it was read from, or of a choice that it made."""
        return string(self._p().routing.note)

    @property
    def num_hosts(self) -> int:
        """Hosts that paths, tables and proofs count: those of the fabric, or their connected ports where hosts have several."""
        return self._p().fabric.num_hosts

    def whole_host(self, host: Whole) -> int:
        """The fabric's host that host number `host` of paths, tables and proofs is (a port of)."""
        return lib.ik_whole_host(self._p().fabric, whole(host, "host", 0, self.num_hosts - 1))

    # ---- paths

    def _pair(self, src: Whole, dst: Whole) -> Tuple[int, int]:
        most = self.num_hosts - 1
        return whole(src, "src", 0, most), whole(dst, "dst", 0, most)

    def num_paths(self, src: Whole, dst: Whole) -> int:
        """Number of initial states of a pair: what an oblivious routing draws from; 1 for deterministic ones."""
        src, dst = self._pair(src, dst)
        return lib.ik_plan_num_starts(self._p(), src, dst)

    def path(self, src: Whole, dst: Whole, start: Whole = 0) -> npt.NDArray[np.uint32]:
        """[channels] uint32: the preferred path from host `src` to host `dst`, from injection to ejection; empty if the pair is
        not delivered. `start`: which initial state."""
        plan = self._p()
        src, dst = self._pair(src, dst)
        if src == dst:
            raise UsageError(f"src and dst are the same host, {src}")
        start = whole(start, "start", 0, max(lib.ik_plan_num_starts(plan, src, dst), 1) - 1)
        out = np.zeros(lib.IKPY_PATH_MOST, np.uint32)
        count = lib.ik_plan_path(plan, src, dst, start, pointer_to(out, "uint32_t *"), len(out))
        if count == NONE:
            raise memory_error("a path")
        return out[:count].copy()

    def paths(self, src: Whole, dst: Whole) -> List[npt.NDArray[np.uint32]]:
        """The preferred path of every initial state of a pair."""
        return [self.path(src, dst, n) for n in range(self.num_paths(src, dst))]

    def switches(self, src: Whole, dst: Whole, start: Whole = 0) -> npt.NDArray[np.uint32]:
        """[switches] uint32: the switches on `path(src, dst, start)`."""
        return self.fabric.port_node[self.path(src, dst, start)[1:]]

    def hops(self, first: Whole = 0, count: Optional[Whole] = None, *, threads: Optional[Whole] = None, progress: Report = None,
             cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> npt.NDArray[np.int16]:
        """[count, hosts] int16: switch-to-switch hops of the preferred path from hosts `first` … to every host; 0 to a host of
        the same switch and to itself, -1 = not delivered. Cost O(pairs * hops). Options: threads, progress, cancel."""
        plan = self._p()
        first = whole(first, "first", 0, self.num_hosts)
        count = self.num_hosts - first if count is None else whole(count, "count", 0, self.num_hosts - first)
        out = zeros((count, plan.fabric.num_hosts), np.int16)
        with Env(threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ikpy_hops(plan, first, count, pointer_to(out, "int16_t *"), env.c, env.err))
        return out

    # ---- tables

    def tables(self, *, threads: Optional[Whole] = None, progress: Report = None,
               cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> npt.NDArray[np.uint16]:
        """[switches, hosts] uint16: forwarding tables, the local output port for each destination host, 0xFFFF = none. No copy
        of what the library makes. Deterministic routings by destination only. Options: threads, progress, cancel."""
        plan, out = self._p(), ffi.new("uint16_t **")
        with Env(threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ik_lft_compile(plan.routing, env.c, out, env.err))
            return taken(out[0], plan.fabric.num_switches, plan.fabric.num_hosts)

    def write_tables(self, path: Text) -> None:
        """Writes the forwarding tables as OpenSM reads them (`-R file -U`), whole or not at all."""
        plain(lib.ik_lft_write, self._p().routing, text(path, "path"))

    def tables_text(self) -> str:
        """What `write_tables` writes."""
        plan = self._p()
        return written(lambda out: plain(lib.ik_lft_print, plan.routing, out)).decode("utf-8", "surrogateescape")

    def table_size(self, *, threads: Optional[Whole] = None, progress: Report = None,
                   cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Dict[str, Any]:
        """What switches must store: form, entries in total and per switch (min, mean, max), bits per entry, bytes."""
        plan, out = self._p(), ffi.new("ik_table_size *")
        with Env(threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ik_table_size_measure(plan.routing, env.c, out, env.err))
        return {"form": string(out.form), **numbers_of(out, "form")}

    # ---- proofs

    def prove(self, flow: str = "any", sample_pairs: Whole = 0, pairwise: bool = False, *, cache: Optional[Text] = None,
              seed: Optional[Whole] = None, threads: Optional[Whole] = None, progress: Report = None,
              cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Proof:
        """Proves delivery, freedom from loops and from deadlock, and whether paths are shortest.

        flow: the flow control that deadlocks are judged for: "any" (wormhole included), "cut_through" or "settled";
        sample_pairs: 0 = all pairs, otherwise this many drawn pairs; pairwise: state by state for every pair, though a faster method
        would do; cache: a folder where proofs are kept. Options: seed, threads, progress, cancel, memory_limit.
        Cost: by destination O(hosts * switches), others up to O(pairs * states * hops)."""
        plan, config = self._p(), ffi.new("ik_verify_config *")
        config.flow, config.sample_pairs = choice(flow, _FLOWS, "flow"), whole(sample_pairs, "sample_pairs")
        config.pairwise = bool(pairwise)
        with Env(cache=cache, seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            room = filled("ik_proof", lib.IKPY_PROOF, lambda out: env.check(
                lib.ik_verify_cached(plan, config, env.c, out, ffi.NULL, env.err)))
            proof = Proof.__new__(Proof)._take(lib.IKPY_PROOF, room, "ik_proof *")
        proof._about, proof._lines = f"{self.spec}, VC scheme {self.vc}", describe_cycle(plan, proof._p())
        return proof

    def destinations(self, *, threads: Optional[Whole] = None, progress: Report = None,
                     cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> npt.NDArray[np.uint32]:
        """[ports] uint32: how many different destination hosts packets on each channel can have."""
        plan, out = self._p(), ffi.new("uint32_t **")
        with Env(threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ik_destinations_count(plan, env.c, out, env.err))
            return taken(out[0], plan.fabric.num_ports)

    def compare(self, other: Routing, *, threads: Optional[Whole] = None, progress: Report = None,
                cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Dict[str, Any]:
        """What changes when this routing is replaced by another one of the same fabric: pairs that move, become longer, shorter,
        are lost or gained; changed entries of tables; `examples` of pairs. Cost O(pairs * states * hops)."""
        if not isinstance(other, Routing):
            raise UsageError(f"other: an ikat.Routing is expected, not {type(other).__name__}")
        before, after, out = self._p(), other._p(), ffi.new("ik_route_diff *")
        with Env(threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ik_route_diff_measure(before, after, env.c, out, env.err))
        return {**numbers_of(out, "num_examples"), "examples": [(out.examples[i].src, out.examples[i].dst) for i in range(out.num_examples)]}

    # ---- traffic

    def load(self, traffic: Pattern = "uniform", *, bound: bool = False, epsilon: Real = 0.01, seed: Optional[Whole] = None,
             threads: Optional[Whole] = None, progress: Report = None, cancel: Optional[Cancel] = None,
             memory_limit: Optional[Quantity] = None) -> Load:
        """What every channel carries if every host sends as much as it can: see `Load`. bound: also what the best routing of all
        could carry, known to a fraction `epsilon` (`Load.bound`, see `FlowBound`)."""
        traffic = traffic_of(self.fabric, traffic, seed)
        plan, t = self._p(), traffic._p()
        with Env(seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            best = flow_bound_of(traffic, epsilon, env) if bound else None
            room = filled("ik_load", lib.IKPY_LOAD, lambda out: env.check(
                lib.ik_load_measure(plan.routing, t, env.c, out, env.err)))
            load = Load._of(room, lib.IKPY_LOAD, self, traffic, plan, t)
            load.bound = best
            return load

    def saturation(self, traffic: Pattern = "uniform", *, seed: Optional[Whole] = None, threads: Optional[Whole] = None,
                   progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> float:
        """The load, as a fraction of the hosts' rate, at which the first channel is full: a bound of the throughput. See `Load.saturation`."""
        return self.load(traffic, seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit).saturation

    def queues(self, traffic: Pattern = "uniform", *, seed: Optional[Whole] = None, threads: Optional[Whole] = None,
               progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> Queues:
        """What each queue (a virtual channel of a channel) carries: see `Queues`."""
        traffic = traffic_of(self.fabric, traffic, seed)
        plan, t = self._p(), traffic._p()
        with Env(seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            room = filled("ik_queues", lib.IKPY_QUEUES, lambda out: env.check(lib.ik_queues_measure(plan, t, env.c, out, env.err)))
            return Queues._of(room, lib.IKPY_QUEUES, self, traffic, plan, t)

    def contention(self, traffic: Pattern, *, seed: Optional[Whole] = None, threads: Optional[Whole] = None,
                   progress: Report = None, cancel: Optional[Cancel] = None,
                   memory_limit: Optional[Quantity] = None) -> Contention:
        """Every flow of the pattern sends one message at the same time: see `Contention`. Cost O(flows * hops) and matchings."""
        traffic = traffic_of(self.fabric, traffic, seed)
        plan, t, out = self._p(), traffic._p(), ffi.new("ik_contention *")
        with Env(seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ik_contention_measure(plan.routing, t, env.c, out, env.err))
        return Contention._from(out)

    def phases(self, traffic: Pattern, *, seed: Optional[Whole] = None, most_flows: float = float("inf"),
               threads: Optional[Whole] = None, progress: Report = None, cancel: Optional[Cancel] = None,
               memory_limit: Optional[Quantity] = None) -> Phases:
        """A workload that ends, phase by phase: bounds of its time, without simulation. See `Phases`."""
        traffic = traffic_of(self.fabric, traffic, seed)
        plan, t = self._p(), traffic._p()
        if t.workload == ffi.NULL:
            raise UsageError(f"traffic '{traffic.spec}' never ends", "traffic 'exchange' sends the messages of a pattern once")
        with Env(seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            room = filled("ik_phases", lib.IKPY_PHASES, lambda out: env.check(
                lib.ik_phases_measure(plan.routing, t, float(most_flows), env.c, out, env.err)))
            return Phases._of(room, lib.IKPY_PHASES, self, traffic, plan, t)

    def permutations(self, samples: Whole = 0, *, seed: Optional[Whole] = None, threads: Optional[Whole] = None,
                     progress: Report = None, cancel: Optional[Cancel] = None,
                     memory_limit: Optional[Quantity] = None) -> Arrays:
        """Permutations of the hosts by contention (the most flows on a channel between switches): `count` [contention] uint64,
        total, mean, exhaustive. samples: 0 = all of them (few hosts only), otherwise this many drawn ones. Option: seed …"""
        plan, samples = self._p(), whole(samples, "samples")
        with Env(seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            room = filled("ik_permutations", lib.IKPY_PERMUTATIONS, lambda out: env.check(
                lib.ik_permutations_measure(plan.routing, samples, env.c, out, env.err)))
            held = Object.__new__(Object)._take(lib.IKPY_PERMUTATIONS, room, "ik_permutations *")._p()
        return {**numbers_of(held, "num"), "count": array(held, held.count, held.num)}

    def pattern_means(self, traffic: Pattern = "uniform", patterns: Whole = 100, *, seed: Optional[Whole] = None,
                      threads: Optional[Whole] = None, progress: Report = None, cancel: Optional[Cancel] = None,
                      memory_limit: Optional[Quantity] = None) -> Dict[str, Any]:
        """Effective bandwidth and efficiency, means and standard errors over random patterns of a traffic's specification."""
        plan, out = self._p(), ffi.new("ik_pattern_means *")
        spec = text(traffic.spec if isinstance(traffic, Traffic) else traffic, "traffic")
        with Env(seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
            env.check(lib.ik_pattern_means_measure(plan.routing, spec, whole(patterns, "patterns", 1), env.c, out, env.err))
        return numbers_of(out)

    # ---- simulation

    def simulate(self, traffic: Pattern = "uniform", load: Real = 0.5, *, seed: Whole = 1, threads: Whole = 1,
                 progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None,
                 **settings: Setting) -> Simulation:
        """`ikat.simulate(self, traffic, load, …)`."""
        from ikat._simulation import simulate  # pylint: disable=import-outside-toplevel,cyclic-import
        return simulate(self, traffic, load, seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit, **settings)

    def sweep(self, traffic: Pattern = "uniform", loads: Union[Real, Values] = (0.1, 0.3, 0.5, 0.7, 0.9), *,
              seeds: Union[Whole, Wholes] = (1,), jobs: Optional[Whole] = None, threads: Whole = 1, progress: Report = None,
              cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None,
              **settings: Setting) -> pandas.DataFrame:
        """`ikat.sweep(self, traffic, loads, …)`: a frame with a row per load and seed."""
        from ikat._simulation import sweep  # pylint: disable=import-outside-toplevel,cyclic-import
        return sweep(self, traffic, loads, seeds=seeds, jobs=jobs, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit, **settings)
