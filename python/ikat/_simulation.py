"""Simulations of a routing under traffic."""
from __future__ import annotations

import concurrent.futures
import math
import sys
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Union

import numpy as np
import numpy.typing as npt

from ikat._core import (Cancel, Env, NotSteadyWarning, Progress, UsageError, WrongType, array, cancel_of, choice, error_of, ffi, lib, made, module, progress_of,
                        processors, real, rows_html, setting, string, text, whole)
from ikat._fabric import optional_index
from ikat._traffic import _Result, traffic_of
from ikat._types import Pattern, Quantity, Real, Report, Setting, Text, Values, Whole, Wholes

if TYPE_CHECKING:
    import pandas

    from ikat._routing import Routing

_SECTIONS = {"switch": lib.ik_switch_params, "adapter": lib.ik_adapter_params, "measure": lib.ik_measure_params,
             "watch": lib.ik_watch_params}
_MAIN = ("offered", "throughput", "latency_mean_ns", "latency_p99_ns", "completion_ns", "packets_delivered", "packets_unroutable")
_FLAT = ("switch", "adapter", "measure")  # their parameters are keywords of simulate()


def parameters_of(table: Any) -> Dict[str, Dict[str, Optional[str]]]:
    """A table of declared parameters: name, default, help, choices."""
    out: Dict[str, Dict[str, Optional[str]]] = {}
    at = 0
    while table[at].name != ffi.NULL:
        row = table[at]
        out[string(row.name)] = {"default": string(getattr(row, "def")), "choices": string(row.choices),
                                 "help": string(row.help), "needs": string(row.needs)}
        at += 1
    return out


def settings(section: Optional[str] = None) -> Dict[str, Dict[str, Any]]:
    """What can be set for a simulation: by section ("switch", "adapter", "measure", "watch") the parameters with their default,
    choices and help; of one section where it is named."""
    if section is None:
        return {name: parameters_of(table) for name, table in _SECTIONS.items()}
    return parameters_of(choice(section, _SECTIONS, "section"))


_NAMES = {section: list(parameters_of(table)) for section, table in _SECTIONS.items()}


def _sections(keywords):
    """Sorts keywords into sections."""
    out = {section: {} for section in _SECTIONS}
    for name, value in keywords.items():
        if name in _SECTIONS and isinstance(value, dict):
            for key, item in value.items():
                _put(out, name, key if isinstance(key, str) else str(key), item)
            continue
        owners = [section for section in _FLAT if name in _NAMES[section]]
        prefix, _, rest = name.partition("_")
        if len(owners) == 1:
            _put(out, owners[0], name, value)
        elif len(owners) > 1:
            raise UsageError(f"the sections {' and '.join(owners)} both have {name!r}",
                             "say " + " or ".join(f"{section}_{name}" for section in owners))
        elif prefix in _SECTIONS and rest in _NAMES[prefix]:
            _put(out, prefix, rest, value)
        elif name in _SECTIONS:
            raise WrongType(f"{name}: a dictionary is expected, not {type(value).__name__}")
        else:
            _unknown(name, sorted({key for section in _FLAT for key in _NAMES[section]} | set(_SECTIONS)))
    return out


def _unknown(name, names):
    table = [ffi.new("char[]", key.encode()) for key in names]
    listed = ffi.new("const char *[]", table + [ffi.NULL])
    nearest = lib.ik_nearest_name(text(name, "keyword"), listed)
    hint = f"did you mean '{string(nearest)}'?" if nearest != ffi.NULL else "ikat.settings() lists all"
    raise UsageError(f"simulate() has no setting {name!r}", hint)


def _put(out, section, name, value):
    if name in out[section]:
        raise UsageError(f"{section}.{name} is given twice")
    out[section][name] = value


class _Params:
    """ik_params of the sections, freed with this object."""

    def __init__(self, keywords):
        self.config = ffi.new("ik_sim_config *")
        self._made = []
        for section, values in _sections(keywords).items():
            if values:
                setattr(self.config, section + "_params", self._section(section, values))

    def _section(self, section, values):
        params, err = ffi.new("ik_params *"), ffi.new("ik_error *")
        owner = f"section '{section}'".encode()
        status = lib.ik_params_init(params, _SECTIONS[section], ffi.NULL, err)
        if status:
            raise error_of(status, err)
        self._made.append(params := ffi.gc(params, lib.ik_params_free))
        for name, value in values.items():
            if value is None:
                continue
            status = lib.ik_params_set(params, owner, text(name, "name"), setting(value, name), 0, 0, err)
            if status:
                raise error_of(status, err)
        status = lib.ik_params_finish(params, owner, err)
        if status:
            raise error_of(status, err)
        return params


class Histogram:
    """Latencies: exact count, mean_ns, min_ns, max_ns; percentiles within 1 %. `counts` (uint64, no copy) by bucket, whose lowest
    values are `edges_ns`."""

    count: int
    mean_ns: float
    min_ns: float
    max_ns: float

    def __init__(self, owner: Any, c: Any) -> None:
        self._owner, self._c = owner, c
        self.count = c.count
        self.mean_ns, self.min_ns, self.max_ns = c.mean / 1e3, c.min / 1e3, c.max / 1e3

    def __repr__(self) -> str:
        return f"<ikat.Histogram of {self.count}: mean {self.mean_ns:.4g} ns, 99 % below {self.percentile(0.99):.4g} ns>"

    def percentile(self, fraction: Real) -> float:
        """The latency in ns that this fraction of the packets does not exceed; 0 if there are none."""
        fraction = real(fraction, "fraction")
        if not 0 <= fraction <= 1:
            raise UsageError(f"fraction: {fraction} is outside of 0 to 1")
        return lib.ik_histogram_percentile(ffi.addressof(self._c), fraction) / 1e3

    @property
    def counts(self) -> npt.NDArray[np.uint64]:
        """[buckets] uint64. No copy."""
        found = array(self._owner, self._c.buckets, self._c.num_buckets)
        return np.zeros(0, np.uint64) if found is None else found

    @property
    def edges_ns(self) -> npt.NDArray[np.float64]:
        """[buckets] float64: the lowest latency of each bucket, ns."""
        return np.array([lib.ik_histogram_bucket_low(k) for k in range(self._c.num_buckets)], np.float64) / 1e3


def _value(run: Any, read: Any, ctype: str, name: Text) -> Any:
    """What a function of the library that reads numbers by name gives."""
    value, err = ffi.new(ctype), ffi.new("ik_error *")
    status = read(run, text(name, "name"), value, err)
    if status != lib.IK_OK:
        raise error_of(status, err)
    return value[0]


def _count(run: Any, name: str) -> int:
    return _value(run, lib.ik_result_count, "uint64_t *", name)


def _numbers(run: Any, read: Any, ctype: str, name: str) -> Any:
    """An array of the library by its name: its pointer."""
    values, num, err = ffi.new(ctype), ffi.new("size_t *"), ffi.new("ik_error *")
    status = read(run, name.encode(), values, num, err)
    if status != lib.IK_OK:
        raise error_of(status, err)
    return values[0]


def _number(name: str, words: str, of: type = int) -> Any:
    """A property that is a number of the run; 0 where it has none."""
    def get(self: Simulation) -> Any:
        if of is float:
            return self.result(name) or 0.0
        return of(_count(self._p(), name))
    get.__doc__ = words
    return property(get)


class Simulation(_Result):
    """What a simulation measured. Throughputs are fractions of the summed injection rate of all hosts, in the measured window."""

    __slots__ = ()
    _ctype = "ik_sim_result *"

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Simulation: closed>"
        steady = f", steady {self.steady}" if self.steady else ""
        end = "deadlock" if self.deadlock else f"mean latency {self.latency.mean_ns:.4g} ns"
        if self.finite:
            end = f"completed in {self.completion_ns:.6g} ns" if self.completed else "not completed"
        return f"<ikat.Simulation of {self._about[0]!r}, {self._about[1]!r}: load {self.load:.4g}, throughput {self.throughput:.4g}, {end}{steady}>"

    def _repr_html_(self) -> str:
        names, rows = result_names(), [("load", f"{100 * self.load:.4g} %")]
        for name in _MAIN:
            value, one = self.result(name), names[name]
            if value is not None:
                rows.append((one["title"], f"{value * (100 if one['unit'] == '%' else 1):.{12 if one['integer'] else 4}g} {one['unit'] or ''}"))
        if self.steady:
            rows.append(("steady", f"{self.steady}: {self.steady_reason}"))
        if self.finite:
            rows.append(("completed", "yes" if self.completed else f"no: {self.missing_text or 'not in the time that was simulated'}"))
        return rows_html(", ".join(self._about), rows + [("deadlock", self.deadlock_text or "yes" if self.deadlock else "no")])

    load: float = _number("load", "Offered load that was asked for.", float)
    offered: float = _number("offered", "Load that was generated.", float)
    throughput: float = _number("throughput", "Accepted load.", float)
    fairness: float = _number("fairness", "Jain's index over the bytes injected by the hosts that want to send.", float)
    host_sent_min: float = _number("host_sent_min", "Least injected by a host that wants to send, as a fraction of its rate.", float)
    host_sent_max: float = _number("host_sent_max", "Most injected by a host, as a fraction of its rate.", float)
    packets_generated: int = _number("packets_generated", "Packets of the whole run.")
    packets_delivered: int = _number("packets_delivered", "Packets of the whole run.")
    packets_in_flight: int = _number("packets_in_flight", "Packets inside the network when the run ended.")
    packets_unroutable: int = _number("packets_unroutable", "Packets without a path.")
    packet_hops: int = _number("packet_hops", "Switches that packets traversed, summed.")
    hosts_silent: int = _number("hosts_silent", "Hosts without a destination, or not connected.")
    order_violations: int = _number("order_violations", "Packets delivered after a later one of their flow (setting paranoid).")
    events: int = _number("events", "Events of the simulator.")
    window_ps: int = _number("window_ps", "Duration that was measured, ps.")
    end_ps: int = _number("end_ps", "Simulated time at the end, ps.")
    finite: bool = _number("finite", "Whether the traffic is a finite workload.", bool)
    completed: bool = _number("completed", "Whether that workload was completed.", bool)
    effective_throughput: float = _number("effective_throughput", "A workload's bytes / (completion * rate of the hosts that send).", float)
    deadlock: bool = _number("deadlock", "Whether a deadlock was found.", bool)
    state_bytes: int = _number("state_bytes", "Memory of the simulation's state at its largest.")
    cpu_seconds: float = _number("cpu_seconds", "Processor time of all threads.", float)

    @property
    def checksum(self) -> str:
        """Digest of every delivery, as in results files."""
        return f"{_count(self._p(), 'checksum'):016x}"

    @property
    def steady(self) -> Optional[str]:
        """Whether a run ten times as long would find the same: "yes", "no" or "too short to tell"; None of a workload that ends."""
        return string(lib.ik_steady_verdict_name(lib.ik_result_steady(self._p()).verdict)) or None

    @property
    def steady_reason(self) -> Optional[str]:
        """Why, in words; None where there is no verdict."""
        room = ffi.new("char[]", 200)
        lib.ik_steady_describe(lib.ik_result_steady(self._p()), room, 200)
        return string(room) or None

    @property
    def completion_ns(self) -> Optional[float]:
        """A workload's end, ns; None if it did not complete."""
        return _count(self._p(), "completion_ps") / 1e3 if self.completed else None

    @property
    def deadlock_text(self) -> Optional[str]:
        """The cycle of the deadlock, an element per line."""
        return string(lib.ik_result_deadlock(self._p()))

    @property
    def missing_text(self) -> Optional[str]:
        """Why a workload was not completed."""
        return string(lib.ik_result_missing(self._p()))

    @property
    def latency(self) -> Histogram:
        """From the making of a packet's message to its delivery."""
        return Histogram(self._p(), lib.ik_result_latency(self._p())[0])

    @property
    def network_latency(self) -> Histogram:
        """From a packet's leaving of its adapter to its delivery."""
        return Histogram(self._p(), lib.ik_result_network_latency(self._p())[0])

    @property
    def channel_bytes(self) -> npt.NDArray[np.uint64]:
        """[ports] uint64: bytes sent on each channel in the window. No copy."""
        return self._counts("channel_bytes", self._ports)

    @property
    def utilisation(self) -> npt.NDArray[np.float64]:
        """[ports] float64: share of each channel's rate that was used in the window; 0 where unconnected. Computed."""
        rate = self.fabric.port_rate_bps.astype(np.float64)
        seconds = self.window_ps * 1e-12
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rate > 0, self.channel_bytes * 8.0 / (rate * seconds), 0.0)

    @property
    def host_bytes(self) -> npt.NDArray[np.uint64]:
        """[hosts] uint64: bytes accepted in the window. No copy."""
        return self._counts("host_bytes", self._hosts)

    @property
    def host_sent_bytes(self) -> npt.NDArray[np.uint64]:
        """[hosts] uint64: bytes injected in the window. No copy."""
        return self._counts("host_sent_bytes", self._hosts)

    @property
    def host_finish_ps(self) -> Optional[npt.NDArray[np.uint64]]:
        """[hosts] uint64: of a workload, the last delivery to each host, ps; None with endless traffic. No copy."""
        return self._counts("host_finish_ps", self._hosts)

    @property
    def series_time_ns(self) -> npt.NDArray[np.float64]:
        """[periods] float64: the end of each period of the series, ns; empty without the setting `series`."""
        return np.arange(1, self._periods() + 1) * (_count(self._p(), "series_period_ps") / 1e3)

    @property
    def series_throughput(self) -> Optional[npt.NDArray[np.float64]]:
        """[periods] float64: accepted load of the whole run from time 0. No copy."""
        return self._reals("series_throughput", self._periods())

    @property
    def series_latency_ns(self) -> Optional[npt.NDArray[np.float64]]:
        """[periods] float64: mean latency of the packets delivered in each period, ns, 0 if none. No copy."""
        return self._reals("series_latency_ns", self._periods())

    @property
    def series_blocked(self) -> Optional[npt.NDArray[np.float64]]:
        """[periods, switches] float64: share of each switch's buffers that is full at the end of each period. No copy."""
        return self._reals("series_blocked", self._periods(), self._switches)

    def _counts(self, name: str, *shape: int) -> Any:
        return array(self._p(), _numbers(self._p(), lib.ik_result_counts, "uint64_t **", name), *shape)

    def _reals(self, name: str, *shape: int) -> Any:
        return array(self._p(), _numbers(self._p(), lib.ik_result_reals, "double **", name), *shape)

    def _periods(self) -> int:
        return _count(self._p(), "num_series")

    def _each(self, read: Any) -> Iterator[Any]:
        """What a function of the library has by number."""
        number = 0
        while (one := read(self._p(), number)) != ffi.NULL:
            yield one[0]
            number += 1

    @property
    def congestion_roots(self) -> npt.NDArray[np.void]:
        """Records (port, samples, first, last, buffers, hosts, depth, blocked): channels that blocked most. No copy."""
        c = lib.ik_result_congestion(self._p())
        return array(self._p(), c.root_list, c.num_roots)

    @property
    def ranks(self) -> npt.NDArray[np.void]:
        """Records (rank, host, end_ps) of a program's ranks; empty for other traffic."""
        return np.array([(r.rank, r.host, r.end_ps) for r in self._each(lib.ik_result_rank)],
                        [("rank", "u4"), ("host", "u4"), ("end_ps", "u8")])

    @property
    def classes(self) -> List[Dict[str, Any]]:
        """Classes of the traffic: name, offered, throughput, mean and 99 % latency in ns. Empty where there is one."""
        return [{"name": string(k.name), "offered": k.offered, "throughput": k.throughput, "latency_mean_ns": k.latency.mean / 1e3,
                 "latency_p99_ns": lib.ik_histogram_percentile(ffi.addressof(k, "latency"), 0.99) / 1e3}
                for k in self._each(lib.ik_result_class)]

    @property
    def critical_path(self) -> Dict[str, float]:
        """Of a workload: what its completion waited for, ns by kind ("compute", "queue", "network" …); they sum to the completion."""
        c = lib.ik_result_critical_path(self._p())
        return {string(lib.ik_path_kind_name(k)): c.kind_ps[k] / 1e3 for k in range(lib.IK_PATH_KINDS)}

    @property
    def watched(self) -> List[Dict[str, Any]]:
        """Packets that the setting `watch={...}` asked for: src, dst, number (of the source's packets), bytes, delivered, and
        `events`, dictionaries of stage, reason, t_ns, until_ns, channel, vc and ahead (packets before it in its queue)."""
        c = lib.ik_result_watch(self._p())
        stages = [string(lib.ik_watch_stage_names[i]) for i in range(lib.IK_WATCH_STAGES)]
        reasons = [string(lib.ik_watch_reason_names[i]) for i in range(lib.IK_WATCH_REASONS)]

        def event(e):
            return {"stage": stages[e.stage], "reason": reasons[e.reason] or "", "t_ns": e.t_ps / 1e3, "until_ns": e.until_ps / 1e3,
                    "channel": optional_index(e.channel), "vc": e.vc, "ahead": e.ahead}
        return [{"src": w.src, "dst": optional_index(w.dst), "number": w.number, "bytes": w.bytes, "delivered": bool(w.delivered),
                 "events": [event(c.events[i]) for i in range(w.first, w.first + w.num_events)]}
                for w in (c.packets[k] for k in range(c.num_packets))]

    def to_dict(self) -> Dict[str, Any]:
        """The numbers of the run that it has, as a row of a results file names them."""
        out: Dict[str, Any] = {"load": self.load, "hosts_silent": self.hosts_silent}
        for name, one in result_names().items():
            value = self.result(name) if one["simulated"] else None
            if value is not None:
                out[name] = int(value) if one["integer"] else value
        out.update(steady=self.steady, steady_reason=self.steady_reason, deadlock=self.deadlock, checksum=self.checksum)
        return out

    def result(self, name: Text) -> Optional[float]:
        """A number of the run by the name that results files, figures and claims use (`ikat.result_names()` lists them); None where the
        run has none: not sampled, not asked for, or known only to an experiment."""
        value: float = _value(self._p(), lib.ik_result_real, "double *", name)
        return None if math.isnan(value) else value


def result_names() -> Dict[str, Dict[str, Any]]:
    """The numbers that points of experiments have, by name, in the order of CSV files: title, unit, meaning, points (in words, which
    points have it), simulated (else it is measured), integer, and measure (the word of section measures that asks for it, or None)."""
    out: Dict[str, Dict[str, Any]] = {}
    one = ffi.new("ik_result *")
    while lib.ik_result_at(len(out), one):
        out[string(one.name)] = {"title": string(one.title), "unit": string(one.unit), "meaning": string(one.meaning),
                                 "points": string(one.points), "simulated": bool(one.simulated), "integer": bool(one.integer),
                                 "measure": string(one.measure)}
    return out


def simulate(routing: Routing, traffic: Pattern = "uniform", load: Real = 0.5, *, seed: Whole = 1, threads: Whole = 1,
             progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None,
             **settings: Setting) -> Simulation:  # pylint: disable=redefined-outer-name
    """Simulates traffic over a routing.

    traffic: an `ikat.Traffic` or its specification; load: offered load, a fraction of each host's rate (0.4 or "40 %").
    settings: parameters of the sections switch, adapter and measure by their names (`ikat.settings()` lists them), as numbers or
    texts with units: `packet="4 KiB", warmup="100 us", duration="400 us", model="ioq"`. Where two sections have the same name:
    `switch_buffer`, `adapter_buffer`. A section may also be a dictionary: `switch={"buffer": "64 KiB"}`, `watch={…}`.
    threads: 1 unless the fabric is large; results never depend on it.

    A deadlock is a result (`deadlock`, `deadlock_text`), not an error. A run whose `steady` is not "yes" warns with
    `ikat.NotSteadyWarning`. Cost: about a microsecond per packet and hop.
    """
    run = _simulate(routing, traffic, load, seed, threads, progress, cancel, memory_limit, settings)
    if run.steady not in (None, "yes"):
        _warn(f"the run at load {run.load:.4g} is {'not steady' if run.steady == 'no' else run.steady}: {run.steady_reason}")
    return run


def _warn(text):
    """At the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == "ikat":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, NotSteadyWarning, level)


def _simulate(routing, traffic, load, seed, threads, progress, cancel, memory_limit, settings):  # pylint: disable=too-many-arguments
    plan = _plan(routing)
    traffic = traffic_of(routing.fabric, traffic, seed)
    t, params = traffic._p(), _Params(settings)
    params.config.load = real(load, "load")
    if not 0 < params.config.load <= 1:  # the library takes 0 for its default, and hosts that offer more than they can send
        raise UsageError(f"load {params.config.load:g} is outside of (0, 1]: it is a fraction of a host's injection rate, 1 is 100 %",
                         hint="write it like 0.25 or '25 %'", settings=("load",))
    with Env(seed=seed, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit, asks=routing._asks) as env:
        loads = ffi.new("double *", params.config.load)
        env.check(lib.ik_sim_bound_measure(plan, t, params.config, loads, 1, env.c, ffi.addressof(params.config, "bound"), env.err))
        run = made("ik_sim_result *", lib.IKPY_SIMULATION, lambda out: env.check(
            lib.ik_sim_run(plan, t, params.config, env.c, out, env.err)))
        return Simulation._of(run, lib.IKPY_SIMULATION, routing, traffic, plan, t)


def _plan(routing):
    from ikat._routing import Routing  # pylint: disable=import-outside-toplevel,cyclic-import
    if not isinstance(routing, Routing):
        raise WrongType(f"routing: an ikat.Routing is expected, not {type(routing).__name__}")
    return routing._p()


def sweep(routing: Routing, traffic: Pattern = "uniform", loads: Union[Real, Values] = (0.1, 0.3, 0.5, 0.7, 0.9), *,
          seeds: Union[Whole, Wholes] = (1,), jobs: Optional[Whole] = None, threads: Whole = 1, progress: Report = None,
          cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None, **settings: Setting) -> pandas.DataFrame:  # pylint: disable=redefined-outer-name
    """Simulates several loads (and seeds), some in parallel, and returns a pandas frame with a row per run: routing, traffic,
    seed and the numbers of `Simulation.to_dict()`. jobs: runs at a time, None = processors. Rows whose `steady` is not "yes" are counted
    by an `ikat.NotSteadyWarning`."""
    pandas = module("pandas", "ikat.sweep")
    _plan(routing)
    points = [(load, whole(seed, "seeds")) for load in [real(load, "loads") for load in _many(loads, "loads")] for seed in _many(seeds, "seeds")]
    report, stop = progress_of(progress), Cancel()
    rows: List[Dict[str, Any]] = [{}] * len(points)

    def one(at):
        load, seed = points[at]
        run = _simulate(routing, traffic, load, seed, threads, None, stop, memory_limit, settings)
        rows[at] = {"routing": routing.spec, "traffic": run.traffic.spec, "seed": seed, **run.to_dict()}
    jobs = processors() if jobs is None else whole(jobs, "jobs", 1, 4096)
    with stop._following(cancel_of(cancel)), concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(one, at) for at in range(len(points))]
        try:
            for done, task in enumerate(concurrent.futures.as_completed(tasks), 1):
                task.result()
                if report:
                    report(Progress("point", "finished", done, len(points), "points"))
        except BaseException:
            stop.cancel()
            for task in tasks:
                task.cancel()
            raise
    others = [row for row in rows if row["steady"] not in (None, "yes")]
    if others:
        _warn(f"not steady: {len(others)} of {len(rows)} runs, at load {', '.join(dict.fromkeys(format(row['load'], '.4g') for row in others))}: "
              "column steady")
    return pandas.DataFrame(rows)


def _many(values, what):
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        values = [values]
    values = list(values)
    if not values:
        raise UsageError(f"{what}: there is none")
    return values
