"""Members of families that are not a part of ikat: from shared objects, and functions of Python."""
from __future__ import annotations

import hashlib
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ikat._core import NONE, UsageError, WrongType, dtype_of, fail_asking, ffi, has_failed, lib, made_by, plain, raised, string, text, users_code, whole
from ikat._types import Text

_KEPT: List[Any] = []  # what the library points to, until the process ends
Parameters = Dict[str, Any]  # names and defaults
_FUNCTIONS = (types.FunctionType, types.MethodType)


class PlugIn(NamedTuple):
    """A plug-in that was added. `file`: the shared object, "" if there is none; `identity`: what changes when its contents change."""

    name: str
    summary: str
    file: str
    identity: str


def load_plugin(path: Text) -> None:
    """Adds the members of a shared object to the families, as `--plugin` does. A name without "/" is looked for in the folders of
    IKAT_PLUGIN_PATH. It runs as a part of this process: load none that you do not trust."""
    plain(lib.ik_plugin_load, text(path, "path"))


def plugins() -> List[PlugIn]:
    """The plug-ins that were added, registered functions among them."""
    out: List[PlugIn] = []
    while (info := lib.ik_plugin_nth(len(out))) != ffi.NULL:
        out.append(PlugIn(string(info.name), string(info.summary), string(info.file), string(info.identity)))
    return out


class FabricArrays:  # pylint: disable=too-few-public-methods
    """What the function of a routing gets: the fabric as arrays, which are copies.

    `num_switches`, `num_hosts`, `spec`; `port_base` [nodes + 1] (the ports of node n are port_base[n] to port_base[n + 1] - 1;
    switches come first, then hosts), `port_peer` [ports] (the port at the other end, `ikat.NONE` = not connected), `port_node`
    [ports], `port_rate_bps` [ports] (of the link in bit/s, 0 = not connected); `host_switch` [hosts] and `host_port` [hosts]: the
    switch of a host and its local port there, -1 = not connected; `links` [n][3]: a switch, a local port of it, and the switch at
    the other end, in ascending order.
    """

    num_switches: int
    num_hosts: int
    spec: Optional[str]
    port_base: npt.NDArray[np.uint32]
    port_peer: npt.NDArray[np.uint32]
    port_node: npt.NDArray[np.uint32]
    port_rate_bps: npt.NDArray[np.uint64]
    links: npt.NDArray[np.int64]
    host_switch: npt.NDArray[np.int64]
    host_port: npt.NDArray[np.int64]

    def __init__(self, f: Any) -> None:
        def copy(pointer, count):
            return np.frombuffer(ffi.buffer(pointer, count * ffi.sizeof("uint32_t")), np.uint32).copy() if count else np.zeros(0, np.uint32)
        self.num_switches, self.num_hosts, self.spec = f.num_switches, f.num_hosts, string(f.spec)
        self.port_base = copy(f.port_base, f.num_switches + f.num_hosts + 1)
        self.port_peer, self.port_node = copy(f.port_peer, f.num_ports), copy(f.port_node, f.num_ports)
        connected = np.flatnonzero(self.port_peer != NONE)
        rates = np.array([f.classes[number].rate_bps for number in range(f.num_classes)] or [0], np.uint64)
        self.port_rate_bps = np.zeros(f.num_ports, np.uint64)
        self.port_rate_bps[connected] = rates[[f.port_class[port] for port in connected]]
        here, there = self.port_node[connected].astype(np.int64), self.port_node[self.port_peer[connected]].astype(np.int64)
        local = connected - self.port_base[here]
        between = (here < self.num_switches) & (there < self.num_switches)
        self.links = np.column_stack((here[between], local[between], there[between]))
        down = (here < self.num_switches) & (there >= self.num_switches)
        self.host_switch, self.host_port = np.full(self.num_hosts, -1, np.int64), np.full(self.num_hosts, -1, np.int64)
        self.host_switch[there[down] - self.num_switches], self.host_port[there[down] - self.num_switches] = here[down], local[down]

    def __repr__(self) -> str:
        return f"<ikat.FabricArrays {self.spec!r}: {self.num_hosts} hosts, {self.num_switches} switches>"


# ---------------------------------------------------------------------------------------------- identity


_ATOMS = (type(None), bool, int, float, complex, str, bytes, bytearray, range, slice, np.generic, np.dtype)
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", sys.builtin_module_names)) - {"__main__"}


def _cell(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _package(value):
    """The name and the version of what comes with Python or from a package that has a version; None of the user's own."""
    root = (getattr(value, "__module__", None) or "builtins").partition(".")[0]
    version = getattr(sys.modules.get(root), "__version__", None)
    return f"{root} {version}" if version is not None and root != "__main__" else f"{root} {sys.version}" if root in _STANDARD else None


class _Digest:
    """Of all that a function depends on: numbers, texts, arrays, containers, classes, code, and what code names. Of what belongs to
    a package the name and the package's version count. What cannot be told is refused."""

    def __init__(self, source):
        self.sha, self.seen = hashlib.sha256(), {}
        self.add(source)

    def add(self, value):
        if not isinstance(value, _ATOMS):
            if id(value) in self.seen:
                return
            self.seen[id(value)] = value  # which also keeps it: no other one gets its number
        self.tell(type(value).__name__)
        self._contents(value)

    def tell(self, text_of):
        self.sha.update(text_of.encode("utf-8", "surrogatepass") + b"\0")

    def _contents(self, value):  # pylint: disable=too-many-branches
        if isinstance(value, _ATOMS):
            self.tell(repr(value))
        elif isinstance(value, types.MethodType):
            self.add([value.__func__, value.__self__])
        elif isinstance(value, types.FunctionType) and not _package(value):
            named = {name: value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__}
            self.add([value.__code__, value.__defaults__, value.__kwdefaults__, [_cell(cell) for cell in value.__closure__ or ()], named])
        elif isinstance(value, types.CodeType):
            self.sha.update(value.co_code)
            self.add([value.co_names, value.co_varnames, value.co_consts])
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.tell(f"{value.dtype.str}{value.shape}")
            self.sha.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, types.ModuleType):
            self.tell(f"{value.__name__} {getattr(value, '__version__', '')}")
        elif isinstance(value, dict):
            for item in value.items():
                self.add(list(item))
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.add(item)
        elif isinstance(value, (set, frozenset)):
            self.tell(repr(sorted(map(repr, value))))
        else:
            self._named(value)

    def _named(self, value):
        """Classes and their objects, and functions that are not the user's, or not written in Python."""
        if isinstance(value, (staticmethod, classmethod)):
            self.add(value.__func__)
        elif isinstance(value, property):
            self.add([value.fget])
        elif hasattr(value, "__name__"):
            self.tell(f"{_package(value)} {getattr(value, '__module__', '')} {getattr(value, '__qualname__', value.__name__)}")
            if hasattr(value, "__wrapped__"):
                self.add(value.__wrapped__)
            elif isinstance(value, type) and not _package(value):
                self.add([value.__bases__, {name: one for name, one in vars(value).items() if name not in ("__dict__", "__weakref__", "__doc__")}])
        elif hasattr(value, "__dict__") and (not _package(type(value)) or isinstance(value, types.SimpleNamespace)):
            self.add([type(value), vars(value)])
        else:
            raise WrongType(f"whether a {type(value).__name__} that the function uses has changed cannot be told",
                            "version= stands for all that the function uses")


def _identity(source, version):
    if version is not None:
        return f"version {version}"
    return _Digest(source).sha.hexdigest()


# ---------------------------------------------------------------------------------------------- registering


def _keep(value):
    _KEPT.append(value)
    return value


def _kept_text(value):
    return _keep(ffi.new("char[]", text(value, "text")))


def _rows(parameters):
    """Declared parameters: the default's type is the parameter's."""
    if not isinstance(parameters, (dict, type(None))):
        raise WrongType(f"parameters: a dictionary of names and defaults is expected, not {type(parameters).__name__}")
    rows = _keep(ffi.new("ik_param[]", len(parameters or {}) + 1))
    for row, (name, default) in zip(rows, (parameters or {}).items()):
        row.name, row.help = _kept_text(name), _kept_text("a parameter of the function")
        if isinstance(default, (bool, np.bool_)):
            row.type, default = lib.IK_PARAM_BOOL, "true" if default else "false"
        elif isinstance(default, (int, np.integer)):
            row.type, default = lib.IK_PARAM_UINT, str(whole(default, name))
        elif isinstance(default, (float, np.floating)):
            row.type, default = lib.IK_PARAM_REAL, repr(float(default))
        elif isinstance(default, str):
            row.type = lib.IK_PARAM_STRING
        else:
            raise WrongType(f"parameters: the default of {name!r} is a number, a text or a truth value, not {type(default).__name__}")
        setattr(row, "def", _kept_text(default))
    return rows


def _values(params):
    """The parameters of a call, as Python has them."""
    out = {}
    for i in range(params.num):
        row, value = params.decl[i], params.values[i]
        out[string(row.name)] = {lib.IK_PARAM_BOOL: bool(value.u), lib.IK_PARAM_UINT: value.u,
                                 lib.IK_PARAM_REAL: value.r}.get(row.type, string(value.text) if value.has else "")
    return out


class _Member:  # pylint: disable=too-few-public-methods
    def __init__(self, what, source, names):
        self.what, self.source, self.names = what, source, names


def _register(register, what, name, source, parameters, summary, version):
    name, rows = text(name, "name"), _rows(parameters)
    shown = name.decode("utf-8", "replace")
    member = ffi.new("ikpy_member *")
    doc = (getattr(source, "__doc__", None) or "").strip() if callable(source) else ""
    member.name, member.plugin = _kept_text(name), _kept_text(f"python_{shown}")
    member.summary = _kept_text(summary or (doc.splitlines()[0] if doc else f"a {what} of Python"))
    member.details, member.identity = _kept_text(doc) if doc else ffi.NULL, _kept_text(_identity(source, version))
    member.params, member.handle = rows, _keep(ffi.new_handle(_keep(_Member(f"{what} {shown!r}: its function", source, set(parameters or ())))))
    plain(register, member)


def register_routing(name: Text, function: Callable[..., Any], *, parameters: Optional[Parameters] = None,
                     summary: Optional[Text] = None, version: object = None) -> None:
    """Makes a function a routing: from then on `name` is one of `ikat.routings()`, in specifications, experiments and reports, and
    is proved, simulated and exported as every routing.

    `function(fabric, **parameters)` gets an `ikat.FabricArrays` and returns an array of whole numbers [switches][hosts]: the local
    port (from 0) by which a switch sends packets for a host, -1 where there is no route. Where the host hangs on the switch and
    the function says -1, the host's port is filled in. On fabrics whose hosts have several cables, a host is a port of a host.
    `parameters`: names and defaults, which specifications may set: "mine:k=3". `summary`: one line for listings, else the first
    line of the function's docstring.

    Kept results and proofs belong to the function's code, constants, defaults, enclosed and global values, and the functions and
    classes that it names; of what belongs to a package, its version counts. A value that cannot be told from a changed one (a
    generator of random numbers, an open file) is refused. `version` stands for all of these instead. What a function raises is raised by the call that needed it. Registering
    the name again replaces the function; objects that were made before keep theirs. Names of built-in members are refused.
    """
    if not callable(function) or not (version is not None or isinstance(function, _FUNCTIONS)):
        raise WrongType(f"function: a function is expected, not {type(function).__name__}", "other objects that can be called need version=")
    _register(lib.ikpy_register_routing, "routing", name, function, parameters, summary, version)


def register_traffic(name: Text, source: Union[Callable[..., Any], npt.NDArray[Any], Sequence[Any], Iterator[Any]], *,
                     parameters: Optional[Parameters] = None, summary: Optional[Text] = None, version: object = None) -> None:
    """Makes a function or an array a traffic pattern: from then on `name` is one of `ikat.patterns()`.

    `source`: `function(num_hosts, **parameters)`, or what such a function returns: an array [hosts] of destinations, -1 = silent;
    a matrix [hosts][hosts] of weights, row = source, of which only the proportions within a row matter (a row of zeros is
    silent); or an iterator, such as a generator, of pairs (source, destination) or triples with a weight that is a whole number.
    Flows of equal weight are served in turn, others drawn in proportion. The other arguments are as in `register_routing`.
    """
    if callable(source) and not (version is not None or isinstance(source, _FUNCTIONS)):
        raise WrongType(f"source: a function or an array is expected, not {type(source).__name__}", "other objects that can be called need version=")
    if not callable(source):
        if parameters:
            raise UsageError("parameters: an array has none")
        source = _listed(source) if hasattr(source, "__next__") else np.array(source)
    _register(lib.ikpy_register_traffic, "traffic", name, source, parameters, summary, version)


class Outputs(NamedTuple):
    """What the function of a selection gets: the outputs that a packet can take now at a switch, in ascending order of ports.

    `switch`, `source` and `destination` (hosts), `packet_bytes`; and arrays: `port`, local ports;
    `room_bytes`, free space of the queue that the packet would enter (the output buffer, or without one the next input buffer);
    `credit_bytes`, free space of the next input buffer as known here; `queued_bytes`, what waits here for the output; `busy`, 1
    if the output is transmitting.
    """

    switch: int
    source: int
    destination: int
    packet_bytes: int
    port: npt.NDArray[np.int64]
    room_bytes: npt.NDArray[np.int64]
    credit_bytes: npt.NDArray[np.int64]
    queued_bytes: npt.NDArray[np.int64]
    busy: npt.NDArray[np.int64]


def register_selection(name: Text, function: Callable[..., Any], *, parameters: Optional[Parameters] = None,
                       summary: Optional[Text] = None, version: object = None) -> None:
    """Makes a function a selection function: from then on `name` is one of `ikat.selections()`, which adaptive routings ask in
    simulations where a packet can take several outputs.

    `function(outputs, **parameters)` gets an `ikat.Outputs` and returns an array of as many numbers, its scores: the output with
    the highest one is taken, one of equal ones is drawn. Outputs without room are not asked for, and those that are transmitting
    as the parameter `skip_busy` says, which every selection function has. It is asked by all threads of a simulation, in no
    certain order, for one packet at a time (some ten microseconds each): what it returns may depend on its arguments alone. What it raises ends
    the calls that ask it, which raise it. The other arguments are as in `register_routing`.
    """
    if not callable(function) or not (version is not None or isinstance(function, _FUNCTIONS)):
        raise WrongType(f"function: a function is expected, not {type(function).__name__}", "other objects that can be called need version=")
    _register(lib.ikpy_register_selection, "selection", name, function, parameters, summary, version)


# ---------------------------------------------------------------------------------------------- called by the library


def _table(member, r, params):
    fabric = FabricArrays(r.fabric)
    made = np.asarray(member.source(fabric, **_values(params)))
    shape = (fabric.num_switches, fabric.num_hosts)
    if made.shape != shape or made.dtype.kind not in "iu":
        raise UsageError(f"an array of whole numbers of the shape {shape} is expected, not {made.dtype} of the shape {made.shape}")
    made = np.where(made == 0xFFFF, -1, made.astype(np.int64))
    attached = np.flatnonzero(fabric.host_switch >= 0)
    own = made[fabric.host_switch[attached], attached]
    made[fabric.host_switch[attached], attached] = np.where(own < 0, fabric.host_port[attached], own)
    radix = np.diff(fabric.port_base[:fabric.num_switches + 1].astype(np.int64))
    wrong = np.argwhere((made >= radix[:, None]) | (made < -1))
    if wrong.size:
        sw, host = wrong[0]
        raise UsageError(f"port {made[sw, host]} at switch {sw} for host {host}: the switch has ports 0 to {radix[sw] - 1}", "-1 = no route")
    made = np.ascontiguousarray(np.where(made < 0, 0xFFFF, made), np.uint16)
    ffi.memmove(r.lft, ffi.from_buffer(made), made.nbytes)


def _weights(matrix):
    """Whole numbers in the proportions of a matrix."""
    if matrix.dtype.kind in "iub":
        weights = matrix.astype(np.int64)
    elif matrix.dtype.kind == "f" and np.isfinite(matrix).all():
        top = matrix.max(initial=0.0)
        weights = np.rint(matrix * (2.0**40 / top)).astype(np.int64) if top > 0 else np.zeros(matrix.shape, np.int64)
    else:
        raise UsageError("a matrix of weights has numbers that are finite")
    if (matrix < 0).any():
        raise UsageError("a weight is negative")
    return weights


class _Listed(NamedTuple):
    """The flows that an iterator gave."""

    rows: npt.NDArray[np.int64]  # [n][3] source, destination, weight


def _listed(iterator):
    rows = [tuple(row) for row in iterator]
    if any(len(row) not in (2, 3) for row in rows):
        raise UsageError("pairs (source, destination) or triples with a weight are expected")
    made = np.array([(*row, 1)[:3] for row in rows]) if rows else np.zeros((0, 3), np.int64)
    if made.dtype.kind not in "iu" or (made < 0).any():
        raise UsageError("hosts and weights are whole numbers, and not negative")
    return _Listed(made)


def _flow_columns(made, num_hosts):
    """Sources, destinations and weights."""
    if hasattr(made, "__next__"):
        made = _listed(made)
    if isinstance(made, _Listed):
        return made.rows[:, 0], made.rows[:, 1], made.rows[:, 2]
    made = np.asarray(made)
    if made.shape == (num_hosts,) and made.dtype.kind in "iu":
        src = np.flatnonzero(made >= 0)
        return src, made[src], np.ones(src.size, np.int64)
    if made.shape == (num_hosts, num_hosts):
        src, dst = np.nonzero(made)
        return src, dst, _weights(made)[src, dst]
    raise UsageError(f"expected are {num_hosts} destinations or a matrix of {num_hosts} x {num_hosts} weights, not {made.dtype} of the shape "
                     f"{made.shape}")


def _flows(member, t, params):
    made = member.source(t.num_hosts, **_values(params)) if callable(member.source) else member.source
    src, dst, weight = _flow_columns(made, t.num_hosts)
    if src.size and max(int(src.max()), int(dst.max())) >= t.num_hosts:
        raise UsageError(f"host {max(int(src.max()), int(dst.max()))} is none of {t.num_hosts}")
    flows = np.zeros(src.size, dtype_of("ik_traffic_flow"))
    flows["src"], flows["dst"], flows["weight"] = src, dst, weight
    plain(lib.ik_traffic_set_flows, t, ffi.cast("ik_traffic_flow *", flows.ctypes.data), flows.size)


def _on_raise(kind, error, trace):  # pylint: disable=unused-argument
    """What ends a callback before its first line, which Ctrl-C does."""
    raised(error, "a function of Python", trace.tb_frame.f_locals["err"])


def _called(make, handle, target, params, err):
    member = ffi.from_handle(handle)
    try:
        users_code(make, member, target, params)
        return lib.IK_OK
    except BaseException as error:  # pylint: disable=broad-except # KeyboardInterrupt too
        return raised(error, member.what, err)


@ffi.def_extern(name="ikpy_make_table", error=lib.IK_ERR_INPUT, onerror=_on_raise)
def _on_table(handle, r, params, err):
    return _called(_table, handle, r, params, err)


@ffi.def_extern(name="ikpy_make_flows", error=lib.IK_ERR_INPUT, onerror=_on_raise)
def _on_flows(handle, t, params, err):
    return _called(_flows, handle, t, params, err)


class _Selection:  # pylint: disable=too-few-public-methods
    """A selection function with its parameters."""

    def __init__(self, function, values):
        self.function, self.values = function, values


_SELECTIONS: Dict[Any, Any] = {}  # by the library's handle: what it points to


def _bind(member, s, params, cancel):
    own = {name: value for name, value in _values(params).items() if name in member.names}  # all have skip_busy, too
    handle = ffi.new_handle(_Selection(member.source, own))
    _SELECTIONS[handle] = ffi.from_handle(handle)
    made_by(_SELECTIONS[handle], cancel)
    s.impl = handle


def _scores(selection, asked):
    columns = np.frombuffer(ffi.buffer(asked.columns, 40 * asked.num), np.int64).reshape(5, asked.num).copy()  # the room is the library's
    made = np.asarray(selection.function(Outputs(asked.sw, asked.src, asked.dst, asked.need_bytes, *columns), **selection.values))
    if made.shape != (asked.num,) or made.dtype.kind not in "biufO":
        raise UsageError(f"{asked.num} scores are expected, numbers, not {made.dtype} of the shape {made.shape}")
    made = made.astype(np.float64)
    if np.isnan(made).any():
        raise UsageError("a score is NaN, which is neither higher nor lower than others")
    return made


@ffi.def_extern(name="ikpy_make_selection", error=lib.IK_ERR_INPUT, onerror=_on_raise)
def _on_selection(handle, s, params, cancel, err):
    return _called(lambda *of: _bind(*of, cancel), handle, s, params, err)


@ffi.def_extern(name="ikpy_drop_selection")
def _on_drop(bound):
    _SELECTIONS.pop(bound, None)


def _on_interrupt(kind, error, trace):  # pylint: disable=unused-argument
    """What ends a callback before its first line, which Ctrl-C does."""
    fail_asking(ffi.from_handle(trace.tb_frame.f_locals["bound"]), error)


@ffi.def_extern(name="ikpy_score", onerror=_on_interrupt)
def _on_score(bound, asked, scores):
    try:
        selection = ffi.from_handle(bound)
        made = np.zeros(asked.num) if has_failed(selection) else users_code(_scores, selection, asked)
        ffi.memmove(scores, ffi.from_buffer(np.ascontiguousarray(made)), made.nbytes)
    except BaseException as error:  # pylint: disable=broad-except # KeyboardInterrupt too
        ffi.memmove(scores, bytes(8 * asked.num), 8 * asked.num)
        fail_asking(ffi.from_handle(bound), error)
