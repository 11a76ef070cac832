"""Audits: what is wrong with the cabling of a subnet and with the routing that is installed in it."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ikat._core import (NONE, SEVERITIES, VERDICTS, Env, Object, Unbroken, UsageError, WrongType, array, configured, error_of, ffi, filled, frozen, json_of,
                        lib, plain, quantity, rows_html, string, text, whole, written)
from ikat._fabric import Fabric, fabric_of, optional_index
from ikat._traffic import LoadGroup
from ikat._types import Text, Whole

_WORDS = {True: "yes", False: "no", None: "not known"}
# Members of ik_audit_config that are texts, by the argument.
_TEXTS = {"lfts": "tables", "mcfdbs": "multicast", **{name: name for name in (
    "lid_matrix", "sl2vl", "policy", "path_records", "counters", "counters_later", "engine", "routing", "vc", "baseline")}}


class AuditFinding(NamedTuple):
    """What an audit has found. `severity`: "note", "warning" or "error"; `code`: a stable word, which docs/auditing.md explains;
    `text`: one sentence; `place`: a node or port in the administrator's names, `evidence`: a packet's way or a cycle, in lines,
    `remedy`: what to do (None: none); `node` and `port`: numbers in `Audit.fabric`; `known`: the baseline has it. `code` and `key`
    tell whether two audits have the same finding, and `amount` is the first quantity of its text (0: none)."""

    severity: str
    code: str
    text: str
    place: Optional[str]
    evidence: Optional[str]
    remedy: Optional[str]
    node: Optional[int]
    port: Optional[int]
    known: bool
    key: str
    amount: float


class LoopStep(NamedTuple):
    """A step of a credit loop: a packet from `source_lid` to `destination_lid` on service level `sl` holds `channel` on virtual
    lane `vl` and waits for the next. `reply`: its service level is that of the opposite direction; `query`: it is a performance
    query or the reply to one."""

    channel: int
    vl: int
    sl: int
    reply: bool
    query: bool
    source_lid: Optional[int]
    destination_lid: Optional[int]


class Compared(NamedTuple):
    """A routing that might be installed. `state`: "compared" (proved and measured), "unproved", "unfit", "too_large" or "no_memory",
    for which `why` has the reason; `chosen`: it is proposed; `better`: than what is installed; `one_manager_free`: performance queries of one
    host at a time close no credit loop. Loads are in units of a host's
    rate when all hosts send evenly to all."""

    routing: str
    vc: str
    state: str
    chosen: bool
    better: bool
    one_manager_free: Optional[bool]
    lanes: int
    max_load: Optional[float]
    saturation: Optional[float]
    why: Optional[str]


class Multicast(NamedTuple):
    """What multicast tables do: `groups`, `members` of all of them, `pairs` of a member that sends and another one, `missing` of
    them without a copy, groups with `looping` copies, others that are `repeating` copies to a member."""

    groups: int
    members: int
    pairs: int
    missing: int
    looping: int
    repeating: int


class Measured(NamedTuple):
    """What counters say. `changes`: what each port counted between the readings, of one reading since counters were cleared, as
    arrays [ports] by the counter's name ("PortXmitData"). Of two readings: `interval_s` between them; `channels` between switches
    whose load is known, `mean` and `busiest` of them; `used` [ports], the share of its rate that each channel carried; `predicted`
    [ports], by the tables, if all hosts sent evenly to all (None: no tables), and the correlation of the two (`likeness`). `waited`
    [ports]: share of the time that a port waited. Below 0: not known, no cable."""

    interval_s: Optional[float]
    channels: int
    mean: Optional[float]
    busiest: Optional[int]
    likeness: Optional[float]
    used: Optional[npt.NDArray[np.float32]]
    waited: Optional[npt.NDArray[np.float32]]
    predicted: Optional[npt.NDArray[np.float32]]
    changes: Dict[str, npt.NDArray[np.uint64]]


def compared_of(choice):
    """The rows of an ik_routing_choice."""
    rows = json_of(lambda j: lib.ik_routing_choice_json(choice, b"compared", j))["compared"]
    return [Compared(**row) for row in rows]


class Verdict:
    """What tables do, with the service levels and virtual lanes that packets take, judged pair by pair: ports of hosts and LIDs of
    other hosts. Its numbers of nodes and ports are of the `fabric` of what it belongs to. Truth value: every pair that the fabric
    connects is delivered, and no credit loop is possible."""

    __slots__ = ("_owner", "_verdict", "_lids", "_ports")

    def __init__(self, owner: Any, verdict: Any, lids: Any, num_ports: int) -> None:
        self._owner, self._verdict, self._lids, self._ports = owner, verdict, lids, num_ports

    def __bool__(self) -> bool:
        return self.lost == 0 and self.deadlock_free is True

    def __repr__(self) -> str:
        return (f"<ikat.{type(self).__name__}: {self.delivered} of {self.pairs} pairs delivered, {self.lost} lost, "
                f"deadlock-free {_WORDS[self.deadlock_free]}>")

    def _rows(self):
        return [("host pairs delivered", f"{self.delivered} of {self.pairs}"), ("lost", self.lost), ("not connected", self.unconnected),
                ("switches not reached by every host", self.switches_unreached), ("deadlock-free", _WORDS[self.deadlock_free]),
                ("and with performance queries", _WORDS[self.management_free]), ("virtual lanes in use", self.vls_used),
                ("hops between switches", f"{self.mean_hops:.4g}, at most {self.max_hops}")]

    def _repr_html_(self) -> str:
        return rows_html(type(self).__name__, self._rows())

    @property
    def pairs(self) -> int:
        """Pairs of a host's port and a LID of another host's port."""
        return self._verdict.pairs

    @property
    def delivered(self) -> int:
        """Pairs whose packets arrive."""
        return self._verdict.delivered

    @property
    def lost(self) -> int:
        """Pairs whose packets do not arrive although the fabric connects them."""
        return lib.ik_audit_lost_pairs(self._verdict)

    @property
    def no_entry(self) -> int:
        """Lost pairs: a switch on the way has no entry."""
        return self._verdict.no_entry

    @property
    def dead_port(self) -> int:
        """Lost pairs: an entry on the way names a port without a cable."""
        return self._verdict.dead_port

    @property
    def loops(self) -> int:
        """Lost pairs: the packets go round for ever."""
        return self._verdict.loops

    @property
    def wrong_port(self) -> int:
        """Lost pairs: the packets end at another port."""
        return self._verdict.wrong_port

    @property
    def dropped(self) -> int:
        """Lost pairs: the packets are dropped, as their service level has no virtual lane."""
        return self._verdict.dropped

    @property
    def unconnected(self) -> int:
        """Pairs that the fabric itself does not connect; not lost."""
        return self._verdict.unconnected

    @property
    def first_lost(self) -> Optional[Tuple[int, int]]:
        """LIDs of source and destination of the first lost pair, None if there is none."""
        src, dst = self._verdict.first_bad_src, self._verdict.first_bad_dst
        return None if src == NONE else (self._lids.of[src].lid, self._lids.of[dst].lid)

    @property
    def switches_unreached(self) -> int:
        """Switches that some host cannot ask, or that cannot answer."""
        return self._verdict.switches_unreached

    @property
    def dead_entries(self) -> int:
        """Entries that name ports without a cable."""
        return self._verdict.dead_entries

    @property
    def missing_entries(self) -> int:
        """Switches and LIDs that are connected, without an entry."""
        return self._verdict.missing_entries

    @property
    def deadlock_free(self) -> Optional[bool]:
        """No credit loop of hosts' data, replies included; None: not known."""
        return VERDICTS[self._verdict.deadlock_free]

    @property
    def management_free(self) -> Optional[bool]:
        """The same with performance queries of all hosts; None: not asked."""
        return VERDICTS[self._verdict.management_free]

    @property
    def one_manager_free(self) -> Optional[bool]:
        """The same with performance queries of one host at a time; None: not asked, or too costly."""
        return VERDICTS[self._verdict.one_manager_free]

    @property
    def credit_loop(self) -> List[LoopStep]:
        """The evidence: a shortest cycle of channels that wait for each other, of data if there is one, else with performance
        queries. Empty without one."""
        def lid(index):
            return None if index == NONE else int(self._lids.of[index].lid)
        steps = (self._verdict.loop[i] for i in range(self._verdict.loop_length))
        return [LoopStep(s.channel, s.vl, s.sl, bool(s.reply), bool(s.query), lid(s.src), lid(s.dst)) for s in steps]

    @property
    def vls_used(self) -> int:
        """Different virtual lanes of data on channels of switches."""
        return self._verdict.vls_used

    @property
    def dependencies(self) -> int:
        """Dependencies of data, between channels between switches on their virtual lanes."""
        return self._verdict.dependencies

    @property
    def max_hops(self) -> int:
        """Hops between switches of the longest path of a delivered pair."""
        return self._verdict.max_hops

    @property
    def mean_hops(self) -> float:
        """The mean of them."""
        return self._verdict.mean_hops

    @property
    def lids(self) -> npt.NDArray[np.void]:
        """[LIDs] records (lid, path, node, port, made, guid), ascending: what arrays by LID are about. `port`: `ikat.NONE` for a
        switch. No copy."""
        return array(self._owner, self._lids.of, self._lids.num)

    @property
    def lost_to(self) -> npt.NDArray[np.uint64]:
        """[LIDs] uint64: lost pairs by destination; of a switch: ports of hosts that do not reach it. No copy."""
        return array(self._owner, self._verdict.lost_to, self._lids.num)

    @property
    def lost_from(self) -> npt.NDArray[np.uint64]:
        """[LIDs] uint64: lost pairs by source, at its first LID. No copy."""
        return array(self._owner, self._verdict.lost_from, self._lids.num)

    @property
    def paths_over(self) -> npt.NDArray[np.uint64]:
        """[ports] uint64: delivered paths over each channel. No copy."""
        return array(self._owner, self._verdict.paths_over, self._ports)

    @property
    def most_over(self) -> npt.NDArray[np.uint32]:
        """[ports] uint32: how many flows of a permutation can cross each channel at most. No copy."""
        return array(self._owner, self._verdict.most_over, self._ports)


class AuditedRouting(Verdict):
    """Tables of an audit: the verdict on them, and what channels carry when every host sends evenly to all others, in units of a
    host's rate."""

    __slots__ = ("_routing",)

    def __init__(self, owner: Any, routing: Any, lids: Any, num_ports: int) -> None:
        super().__init__(owner, ffi.addressof(routing, "verdict"), lids, num_ports)
        self._routing = routing

    def _rows(self):
        named = [("routing", self.spec), ("VC scheme", self.vc), ("lanes", self.lanes)] if self.spec else []
        return named + super()._rows() + [("largest load, all hosts to all", f"{self.max_load:.4g}"),
                                          ("offered load at saturation", f"{self.saturation:.4g}"),
                                          ("channels without any path", f"{self.idle_channels} of {self.channels}")]

    @property
    def spec(self) -> Optional[str]:
        """The proposed routing; None for what is installed."""
        return string(self._routing.spec)

    @property
    def vc(self) -> Optional[str]:
        """Its scheme of virtual channels."""
        return string(self._routing.vc)

    @property
    def lanes(self) -> Optional[int]:
        """Virtual lanes that it needs; None for what is installed (`vls_used`)."""
        return self._routing.lanes if self.spec else None

    @property
    def load(self) -> npt.NDArray[np.float64]:
        """[ports] float64 by channel. No copy."""
        return array(self._owner, self._routing.load, self._ports)

    @property
    def max_load(self) -> float:
        """Load of the most loaded channel between switches."""
        return self._routing.max_load

    @property
    def mean_load(self) -> float:
        """Mean over the channels between switches."""
        return self._routing.mean_load

    @property
    def max_channel(self) -> Optional[int]:
        """The most loaded channel between switches, None if there is none."""
        return optional_index(self._routing.max_channel)

    @property
    def saturation(self) -> float:
        """Offered load, at most 1, at which the tightest channel is full."""
        return self._routing.saturation

    @property
    def tightest(self) -> Optional[int]:
        """That channel, None if none is full at 1."""
        return optional_index(self._routing.tightest)

    @property
    def worst_flows(self) -> int:
        """Most flows of a permutation on a channel between switches."""
        return self._routing.worst

    @property
    def worst_channel(self) -> Optional[int]:
        """That channel, None if there is none."""
        return optional_index(self._routing.worst_channel)

    @property
    def channels(self) -> int:
        """Channels between switches."""
        return self._routing.channels

    @property
    def idle_channels(self) -> int:
        """Of them, those without any path."""
        return self._routing.idle_channels

    def groups(self) -> List[LoadGroup]:
        """Loads by kind of channel."""
        return [LoadGroup(string(lib.ik_direction_name(g.direction)), g.level, g.channels, g.min, g.mean, g.max)
                for g in (self._routing.groups[i] for i in range(self._routing.num_groups))]


class Audit(Object):
    """What `Fabric.audit` has found: cabling, the tables that are installed, multicast tables and counters.

    Truth value: no finding is an error, which is when `ikat audit` ends with status 0. Findings that a baseline has do not count.
    """

    __slots__ = ("fabric", "_baseline", "_given", "_name")
    fabric: Fabric  #: what all numbers of nodes and ports are of: its nodes stand in the order of their GUIDs, where these are known
    _baseline: bool
    _given: Any
    _name: Optional[bytes]

    @classmethod
    def _of(cls, given, plan, arguments, interval, options):
        if interval is not None and not isinstance(interval, (str, bytes)):
            raise WrongType(f"interval: a text with a unit is expected, such as '10 s', not {type(interval).__name__}")
        values = {} if interval is None else {"interval_s": quantity(interval, lib.IK_DIM_TIME, "interval") * 1e-12}
        if values.get("interval_s") == 0:
            raise UsageError("interval: a time above 0 is expected")
        if plan is not None:
            plan = plan if isinstance(plan, Fabric) else Fabric(plan, **options)
            values["plan"] = plan._p()
        config, keep = configured("ik_audit_config", {_TEXTS[name]: (name, value) for name, value in arguments.items()}, values)
        held, self = fabric_of(given)._hold(), cls.__new__(cls)
        self._baseline, self._given = arguments.get("baseline") is not None, held[0]
        self._name = text(given.spec, "spec", optional=True) if given.spec else None
        with Env(**options) as env:
            room = filled("ik_audit", lib.IKPY_AUDIT, lambda out: env.check(lib.ik_audit_run(held[0], config, env.c, out, env.err)))
            self._take(lib.IKPY_AUDIT, room, "ik_audit *", held)
            self.fabric = given if room.fabric == held[0] else Fabric._part(room.fabric, self._hold())
        del keep
        return self

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Audit: closed>"
        installed = self.installed
        tables = "" if installed is None else (
            f", {installed.lost} of {installed.pairs} pairs lost, deadlock-free {_WORDS[installed.deadlock_free]}")
        return f"<ikat.Audit: {self.errors} errors, {self.warnings} warnings, {self.notes} notes{tables}>"

    def _repr_html_(self) -> str:
        shown = [f for f in self.findings if not f.known and f.severity != "note"]
        rows: List[Tuple[str, object]] = [("findings", f"{self.errors} errors, {self.warnings} warnings, {self.notes} notes")]
        rows += [(f"{f.severity} {f.code}", f.text) for f in shown[:20]] + [("and more", len(shown) - 20)] * (len(shown) > 20)
        installed = self.installed
        return rows_html(f"audit of {string(self._p().fabric.spec) or 'a fabric'}", rows + (installed._rows() if installed is not None else []))

    # ---- findings

    @property
    def ok(self) -> bool:
        """No finding is an error."""
        return self.errors == 0

    @property
    def errors(self) -> int:
        """Findings that are errors and not known."""
        return self._p().counts[lib.IK_ERROR]

    @property
    def warnings(self) -> int:
        """Findings that are warnings and not known."""
        return self._p().counts[lib.IK_WARNING]

    @property
    def notes(self) -> int:
        """Findings that are notes and not known."""
        return self._p().counts[lib.IK_NOTE]

    @property
    def known(self) -> int:
        """Findings that the baseline has, too."""
        return self._p().num_known

    @property
    def gone(self) -> int:
        """Findings of the baseline that are no more."""
        return self._p().num_gone

    @property
    def partial(self) -> bool:
        """The files do not describe the whole subnet: verdicts hold for what is there."""
        return bool(self._p().partial)

    @property
    def findings(self) -> List[AuditFinding]:
        """All findings, errors first, those of one code together."""
        c = self._p()

        def finding(f):
            node = f.node if f.port == NONE else c.fabric.port_node[f.port]
            return AuditFinding(SEVERITIES[f.severity], string(f.code), string(f.text), string(f.place), string(f.evidence), string(f.remedy),
                                optional_index(node), optional_index(f.port), bool(f.known), string(f.key) or "", f.count)
        return [finding(c.findings[i]) for i in range(c.num_findings)]

    # ---- numbers

    @property
    def given_nodes(self) -> npt.NDArray[np.uint32]:
        """[nodes of `fabric`] uint32: the number of each node in the fabric that was audited; `ikat.NONE`: an adapter that is no host
        there."""
        c = self._p()
        out = np.arange(c.fabric.num_switches + c.fabric.num_hosts, dtype=np.uint32)
        known = c.fabric.num_switches + c.fabric.num_hosts - c.fabric.num_silent
        out[known:] = NONE
        if c.given != ffi.NULL:
            out[:known] = array(c, c.given, known)
        return frozen(out)

    @property
    def given_ports(self) -> npt.NDArray[np.uint32]:
        """[ports of `fabric`] uint32: the number of each port, and of the channel that it sends on, in the fabric that was audited;
        `ikat.NONE`: of an adapter that is no host there."""
        c, given, nodes = self._p(), self._given, self.given_nodes
        base = array(c, c.fabric.port_base, len(nodes) + 1)
        before = array(given, given.port_base, given.num_switches + given.num_hosts + 1)
        node, out = array(c, c.fabric.port_node, c.fabric.num_ports), np.full(c.fabric.num_ports, NONE, np.uint32)
        there = np.flatnonzero(nodes[node] != NONE)
        out[there] = before[nodes[node[there]]] + (there - base[node[there]]).astype(np.uint32)
        return frozen(out)

    # ---- tables

    def _tables(self, name):
        c = self._p()
        return AuditedRouting(c, ffi.addressof(c, name), ffi.addressof(c, "lids"), c.fabric.num_ports)

    @property
    def installed(self) -> Optional[AuditedRouting]:
        """The tables of `lfts`; None without them."""
        return self._tables("installed") if self._p().has_tables else None

    @property
    def proposed(self) -> Optional[AuditedRouting]:
        """What ikat would install; None where nothing is better than what is installed, or nothing was compared."""
        return self._tables("proposed") if self._p().has_proposed else None

    @property
    def compared(self) -> List[Compared]:
        """Routings that were compared to choose the proposed one; empty where it was named."""
        c = self._p()
        return compared_of(ffi.addressof(c, "choice"))

    @property
    def multicast(self) -> Optional[Multicast]:
        """The tables of `mcfdbs`; None without them."""
        c = self._p()
        return Multicast(*(getattr(c.multicast, name) for name in Multicast._fields)) if c.has_multicast else None

    @property
    def measured(self) -> Optional[Measured]:
        """What the files of `counters` and `counters_later` say; None without them. No copy."""
        c = self._p()
        if not c.has_counters:
            return None
        k, m, ports = c.counters, c.measured, c.fabric.num_ports
        change = array(c, ffi.cast("uint64_t *", k.change), ports, lib.IK_NUM_COUNTERS)
        twice, known = k.interval_s > 0, m.channels > 0
        return Measured(k.interval_s if twice else None, m.channels, m.mean if known else None, optional_index(m.busiest) if known else None,
                        m.likeness if m.predicted != ffi.NULL else None, array(c, k.used, ports) if twice else None,
                        array(c, k.waited, ports), array(c, m.predicted, ports),
                        {string(lib.ik_counter_name(i)): change[:, i] for i in range(lib.IK_NUM_COUNTERS)})

    # ---- out

    def __str__(self) -> str:
        return repr(self) if getattr(self, "_c", None) is None else self.summary()

    def summary(self, all: bool = False, width: Whole = 0) -> str:  # pylint: disable=redefined-builtin
        """What `ikat audit` prints, as `print(audit)` does. all: every finding, else at most 8 of one severity and code. width: columns to
        which tables are divided, 0 = they stay whole."""
        if not isinstance(all, (bool, np.bool_)):
            raise WrongType(f"all: True or False is expected, not {type(all).__name__}")
        c, view = self._p(), ffi.new("ik_audit_view *")
        keep = ffi.new("char[]", self._name or b"fabric")
        view.name, view.all, view.baseline, view.width = keep, bool(all), self._baseline, whole(width, "width", 0, 10000)
        return written(lambda out: plain(lib.ik_audit_print, c, view, out)).decode("utf-8", "replace")

    def to_dict(self) -> Dict[str, Any]:
        """What `ikat audit --json` prints (docs/formats.md, "JSON of commands"); written to a file, it is a `baseline`."""
        c = self._p()
        return json_of(lambda j: lib.ik_audit_json(c, self._name or ffi.NULL, j))

    def page(self, path: Text, title: Optional[Text] = None) -> None:
        """Writes the report page in HTML, which loads nothing from the network, whole or not at all. `title`: None = the
        specification of the fabric."""
        c, path = self._p(), text(path, "path")
        title = self._name or b"fabric" if title is None else text(title, "title")
        output, err = ffi.new("ik_output *"), ffi.new("ik_error *")
        with Unbroken():
            plain(lib.ik_output_open, output, path)
            status = lib.ik_output_close(output, lib.ik_audit_print_page(c, title, output.out, err), err)
        if status:
            raise error_of(status, err)
