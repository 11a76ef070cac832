"""What all of the package shares: errors, calls of the library, objects and arrays of its memory."""
from __future__ import annotations

import contextlib
import functools
import itertools
import json
import numbers
import os
import threading
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, TypeVar

import numpy as np
import numpy.typing as npt

from ikat._native import ffi, lib
from ikat._types import Real, Report, Whole, Wholes

NONE: int = lib.IK_NONE  #: "no such index" in arrays of unsigned 32-bit numbers: no peer, no switch.

# ---------------------------------------------------------------------------------------------- errors


class IkatError(Exception):
    """Every error of ikat. `str()` of it has the place, the text and the hint.

    Attributes: `text` (what is wrong, with the actual values), `hint` (what would be right, or ""), `file` ("" without one),
    `line` and `column` (from 1, 0 = not known), `settings` (names of the settings that it is about), `status` (the library's
    code, such as "IK_ERR_INPUT"), `meant` (the name that was probably meant, or "").
    """

    def __init__(self, text: str = "", hint: str = "", file: str = "", line: int = 0, column: int = 0,
                 settings: Iterable[str] = (), status: str = "", meant: str = "") -> None:
        super().__init__(text)
        self.text, self.hint, self.file, self.line, self.column = text, hint, file, line, column
        self.settings, self.status, self.meant = tuple(settings), status, meant

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}" + (f":{self.column}" if self.column else "")
        return (f"{place}: " if place else "") + self.text + (f"\n  hint: {self.hint}" if self.hint else "")

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (self.text, self.hint, self.file, self.line, self.column, self.settings, self.status, self.meant))


class UsageError(IkatError, ValueError):
    """Something was asked for that makes no sense: a wrong name, range or combination."""


class WrongType(UsageError, TypeError):
    """An argument has a type that cannot be used there."""


class ClosedError(UsageError):
    """An object is used after its `close()`."""


class InputError(IkatError, ValueError):
    """A file or text is wrong; `file`, `line` and `column` say where."""


class FileError(IkatError, OSError):
    """The operating system refused: a missing file, a full disk."""


class OutOfMemory(IkatError, MemoryError):
    """There is not enough memory, or more would be needed than `memory_limit` allows."""


class Unsupported(IkatError):
    """A valid request that this routing, scheme, model or format cannot serve."""


class CheckFailed(IkatError):
    """A proof or a check failed."""


class Cancelled(IkatError):
    """A `Cancel` stopped the call. (Ctrl-C raises KeyboardInterrupt instead.)"""


class NotSteadyWarning(UserWarning):
    """A simulation of endless traffic is not steady, or too short to tell: a longer one would find other numbers (`Simulation.steady`)."""


class InternalError(IkatError, RuntimeError):
    """An invariant of ikat is broken: a bug, please report it."""


class MissingModule(IkatError, ImportError):
    """An optional Python package is needed for this call and is not installed."""


_CLASSES = {
    "IK_ERR_USAGE": UsageError, "IK_ERR_INPUT": InputError, "IK_ERR_IO": FileError, "IK_ERR_MEMORY": OutOfMemory,
    "IK_ERR_UNSUPPORTED": Unsupported, "IK_ERR_FAILED": CheckFailed, "IK_ERR_CANCELLED": Cancelled,
    "IK_ERR_INTERNAL": InternalError}
_STATUS = {getattr(lib, name): name for name in _CLASSES}


def string(pointer: Any) -> Any:
    """Text of the library; None for NULL, which the caller's annotation allows or not."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


# What functions of the user have raised within calls of the library, by the token of the error that the library got for it.
_raised: Dict[int, BaseException] = {}
_tokens = itertools.count(1)


def raised(error, what, err):
    """Keeps what a function of the user has raised, fills the ik_error and returns the status for it."""
    said = f"{what} raised {type(error).__name__}: {error}"
    status = getattr(lib, getattr(error, "status", "") or "IK_ERR_INPUT", lib.IK_ERR_INPUT) if isinstance(error, IkatError) else (
        lib.IK_ERR_MEMORY if isinstance(error, MemoryError) else lib.IK_ERR_INPUT)
    lib.ik_fail(err, status, b"%s", ffi.new("char[]", said.encode("utf-8", "replace").replace(b"\0", b"?")))
    while len(_raised) > 8:
        _raised.pop(next(iter(_raised)))
    err.token = next(_tokens)
    _raised[err.token] = error
    return status


def error_of(status, err):
    """The exception for an ik_error: what a function of the user has raised, or an IkatError."""
    own = _raised.pop(err.token, None)
    if own is not None:
        return own
    name = _STATUS.get(status, "IK_ERR_INTERNAL")
    return _CLASSES[name](string(err.text), string(err.hint), string(err.file), err.line, err.column,
                          string(err.settings).split(), name, string(err.meant))


def memory_error(what):
    return OutOfMemory(f"out of memory: {what}", status="IK_ERR_MEMORY")


# ---------------------------------------------------------------------------------------------- arguments


def encoded(value, what):
    """A str in UTF-8, with the bytes that os.fsdecode() could not decode."""
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise UsageError(f"{what}: {error}") from None


def text(value: Any, what: str, optional: bool = False) -> Any:
    """A text for the library: bytes in UTF-8."""
    if value is None and optional:
        return ffi.NULL
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        value = encoded(value, what)
    elif not isinstance(value, bytes):
        raise WrongType(f"{what}: a text is expected, not {type(value).__name__}")
    if b"\0" in value:
        raise UsageError(f"{what}: a text cannot hold the character 0")
    return value


def whole(value: Whole, what: str, low: int = 0, high: int = 2**64 - 1) -> int:
    """A whole number within bounds."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Integral, np.integer)):
        raise WrongType(f"{what}: a whole number is expected, not {type(value).__name__}")
    value = int(value)
    if not low <= value <= high:
        raise UsageError(f"{what}: {digits(value)} is outside of {low} to {high}" if low <= high else f"{what}: there is none")
    return value


def digits(value):
    """A whole number for a message or a setting; Python refuses to print thousands of digits."""
    return str(value) if abs(value) < 2**128 else f"{'-' if value < 0 else ''}2^{abs(value).bit_length() - 1} or more"


def real(value: Real, what: str) -> float:
    """A number, or a text with a percent sign ("40 %")."""
    if isinstance(value, (str, bytes)):
        out, err = ffi.new("double *"), ffi.new("ik_error *")
        status = lib.ik_parse_real(text(value, what), lib.IK_DIM_FRACTION, out, err)
        if status:
            raise error_of(status, err)
        return out[0]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.integer, np.floating)):
        raise WrongType(f"{what}: a number is expected, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise UsageError(f"{what}: {digits(int(value))} is too large") from None


def setting(value, what):
    """The value of a declared parameter as the library reads it."""
    if isinstance(value, (bool, np.bool_)):
        return b"true" if value else b"false"
    if isinstance(value, (list, tuple, np.ndarray)):
        return b":".join(setting(item, what) for item in value)
    if isinstance(value, (numbers.Integral, np.integer)):
        return digits(int(value)).encode()
    if isinstance(value, (numbers.Real, np.floating)):
        return repr(float(value)).encode()
    return text(value, what)


def choice(value, table, what):
    """The entry of a dictionary of words."""
    if not isinstance(value, str):
        raise WrongType(f"{what}: a text is expected, not {type(value).__name__}")
    if value not in table:
        raise UsageError(f"{what}: there is no {value!r}", "it is one of " + ", ".join(table))
    return table[value]


def number_list(values: Wholes, what: str, dtype: Any) -> npt.NDArray[Any]:
    """An array of whole numbers that fit into dtype."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise WrongType(f"{what}: numbers are expected ({error})") from None
    if array.size == 0:
        return np.zeros(0, dtype)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise WrongType(f"{what}: a list of whole numbers is expected")
    limits = np.iinfo(dtype)
    if int(array.min()) < limits.min or int(array.max()) > limits.max:
        raise UsageError(f"{what}: numbers are outside of {limits.min} to {limits.max}")
    return np.ascontiguousarray(array, dtype)


def pointer_to(array, ctype):
    """Its memory for a call, during which the caller keeps the array."""
    return ffi.cast(ctype, array.ctypes.data)


def module(name, why):
    """An optional package, imported where it is needed."""
    try:
        return __import__(name, fromlist=["_"])
    except ImportError as error:
        package = {"igraph": "python3-igraph"}.get(name, f"python3-{name.split('.', maxsplit=1)[0]}")
        raise MissingModule(f"{why} needs the Python package '{name}' ({error})", f"apt install {package}") from None


# ---------------------------------------------------------------------------------------------- calls


class Progress(NamedTuple):
    """What a progress callback gets. `kind` is "progress" (of one computation), and of `ikat.run` also "stage", "share" (how
    points use the processors), "point" (one more is finished) and "note". `done` of `total` `unit`s are finished; both are 0
    where nothing is counted."""

    kind: str
    text: str
    done: int = 0
    total: int = 0
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.done}/{self.total} {self.unit}".strip() if self.total else self.text


class Cancel:
    """Stops calls of the library from another thread: pass it as `cancel=` and call `cancel()`, after which these calls, and
    all later ones with it, raise `Cancelled`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # cancel() may be called by a signal handler of Python
        self._flags: List[Any] = []
        self._raised = False

    def __repr__(self) -> str:
        return f"<ikat.Cancel{': cancelled' if self._raised else ''}>"

    @property
    def cancelled(self) -> bool:
        """Whether `cancel()` was called."""
        return self._raised

    def cancel(self) -> None:
        """Stops all calls with this object. Returns at once."""
        with self._lock:
            self._raised = True
            for flag in self._flags:
                self._raise(flag)

    @staticmethod
    def _raise(flag):
        if isinstance(flag, Cancel):
            flag.cancel()
        else:
            lib.ik_cancel_raise(flag)

    @contextlib.contextmanager
    def _following(self, other):
        """Within the block, what cancels `other` (None: nothing does) cancels this object, and not the other way round."""
        if other is not None:
            other._begin(self)
        try:
            yield self
        finally:
            if other is not None:
                other._end(self)

    def _begin(self, flag):
        with self._lock:
            self._flags.append(flag)
            if self._raised:
                self._raise(flag)

    def _end(self, flag):
        with self._lock:
            self._flags.remove(flag)


def users_code(function, *args):
    """Calls a function of the user for the library: Ctrl-C is not put off within it."""
    ran = False
    try:
        ran = lib.ikpy_interrupts_callback(True)  # may raise what was put off
        return function(*args)
    finally:
        lib.ikpy_interrupts_callback(ran)  # no line of Python before it: Ctrl-C would end it


class _Running:
    """One call under way: what the callbacks of the library need."""

    def __init__(self, progress, flag, asks):
        self.progress, self.flag, self.asks, self.error = progress, flag, asks, None

    def report(self, progress):
        """Calls the user's callback; what it raises ends the call."""
        if self.error is None:
            try:
                users_code(self.progress, progress)
            except BaseException as error:  # pylint: disable=broad-except # KeyboardInterrupt too
                self.fail(error)

    def fail(self, error):
        self.error = self.error or error
        lib.ik_cancel_raise(self.flag)


_in_progress: List[_Running] = []


def made_by(selection, flag):
    """Notes a selection function that the call with this flag makes."""
    for running in list(_in_progress):
        if running.flag == flag:
            running.asks.append(selection)


def fail_asking(selection, error):
    """Ends the calls in progress that ask a selection function, or, if none is known to, all of them."""
    running = list(_in_progress)
    for one in [k for k in running if selection in k.asks] or running:
        one.fail(error)


def has_failed(selection):
    """Whether all calls in progress that ask a selection function raise an error when they end."""
    asking = [k for k in list(_in_progress) if selection in k.asks]
    return bool(asking) and all(k.error is not None for k in asking)


def print_progress(progress: Progress) -> None:
    """progress=True"""
    import sys  # pylint: disable=import-outside-toplevel
    if progress.kind == "progress" and progress.done < progress.total:
        return
    print(f"ikat: {progress}", file=sys.stderr)


def on_interrupt(kind, error, trace):  # pylint: disable=unused-argument
    """What ends a callback before its first line, which Ctrl-C does, ends the call."""
    ffi.from_handle(trace.tb_frame.f_locals["ctx"]).fail(error)


@ffi.def_extern(name="ikpy_progress", onerror=on_interrupt)
def _on_progress(ctx, what, done, total, unit):
    ffi.from_handle(ctx).report(Progress("progress", string(what) or "", done, total, string(unit) or ""))


@ffi.def_extern(name="ikpy_stage", onerror=on_interrupt)
def _on_stage(ctx, words):
    ffi.from_handle(ctx).report(Progress("stage", string(words)))


@ffi.def_extern(name="ikpy_point", onerror=on_interrupt)
def _on_point(ctx, done, total, reused):
    ffi.from_handle(ctx).report(Progress("point", "reused" if reused else "finished", done, total, "points"))


@ffi.def_extern(name="ikpy_share", onerror=on_interrupt)
def _on_share(ctx, share):
    room = ffi.new("char[512]")
    ffi.from_handle(ctx).report(Progress("share", string(lib.ik_run_share_text(share, room, 512))))


@ffi.def_extern(name="ikpy_note", onerror=on_interrupt)
def _on_note(ctx, severity, words):
    ffi.from_handle(ctx).report(Progress("note", f"{SEVERITIES[severity]}: {string(words)}"))


SEVERITIES = ("note", "warning", "error")
VERDICTS = {lib.IK_NO: False, lib.IK_YES: True, lib.IK_UNKNOWN: None}


def progress_of(value: Report) -> Optional[Callable[[Progress], object]]:
    """The function that an argument `progress` stands for, or None."""
    if value is True:
        return print_progress
    if value is None or value is False:
        return None
    if not callable(value):
        raise WrongType(f"progress: a function is expected, not {type(value).__name__}")
    return value


def cancel_of(value: Optional[Cancel]) -> Optional[Cancel]:
    """An argument `cancel`: an ikat.Cancel or None."""
    if value is not None and not isinstance(value, Cancel):
        raise WrongType(f"cancel: an ikat.Cancel is expected, not {type(value).__name__}")
    return value


def processors() -> int:
    """Processors that this process may use: the default of `threads`."""
    return len(os.sched_getaffinity(0))


class Unbroken:
    """Ctrl-C raises KeyboardInterrupt before the block or after it: what the library makes within it gets its owner there."""

    _call = None

    def _begin(self):
        """Of the main thread, which alone Ctrl-C concerns: the flag that Ctrl-C raises."""
        if threading.get_ident() != threading.main_thread().ident:
            return ffi.NULL
        self._call = ffi.gc(ffi.new("ikpy_call *"), lib.ikpy_interrupts_end)
        return lib.ikpy_interrupts_begin(self._call)

    def _end(self):
        """Nothing may follow it in a block's end: it is where KeyboardInterrupt is raised."""
        if self._call is not None:
            lib.ikpy_interrupts_end(self._call)

    def __enter__(self):
        try:
            self._begin()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        self._end()


class Env(Unbroken):
    """How a call runs: threads, seed, progress, cancel. Use it as a context manager around the calls of the library, and around
    what gives their results an owner."""

    def __init__(self, *, threads=None, seed=None, progress=None, cancel=None, memory_limit=None, cache=None, traffic=None, asks=()):
        self.cancel, self.progress, self.asks = cancel_of(cancel), progress_of(progress), list(asks)
        self.err = ffi.new("ik_error *")
        self.c = env = ffi.new("ik_env *")
        env.num_threads = processors() if threads is None else whole(threads, "threads", 1, 4096)
        env.seed = 1 if seed is None else whole(seed, "seed")
        env.memory_limit_bytes = 0 if memory_limit is None else quantity(memory_limit, lib.IK_DIM_SIZE, "memory_limit")
        self.running = None
        self._keep = [traffic]
        if cache is not None:
            self._keep.append(ffi.new("char[]", text(cache, "cache")))
            env.cache_folder = self._keep[-1]
        if traffic is not None:
            env.traffic = traffic._p()

    def __enter__(self):
        self._flag = None
        try:
            flag = self._begin()
            if flag == ffi.NULL:
                flag = ffi.new("int *")
            self.c.cancel = flag
            if self.cancel:
                self.cancel._begin(flag)
            self._flag = flag
            self.running = _Running(self.progress, flag, self.asks)
            _in_progress.append(self.running)
            self.handle = ffi.new_handle(self.running)
            if self.progress:
                self._pace = ffi.new("ikpy_pace *", [self.handle, 0])
                self.c.progress, self.c.progress_ctx = ffi.addressof(lib, "ikpy_paced"), self._pace
        except BaseException:
            self._leave()
            raise
        return self

    def _leave(self):
        if self.running in _in_progress:
            _in_progress.remove(self.running)
        if self.cancel and self._flag is not None:
            self.cancel._end(self._flag)
        self.c.cancel = ffi.NULL
        self._end()

    def __exit__(self, *_):
        self._leave()

    def check(self, status):
        """Raises the error of a call that failed, or what a callback raised, be it after all the work."""
        if self.running.error is not None:
            raise self.running.error
        if status:
            raise error_of(status, self.err)


def quantity(value, dimension, what):
    """A whole number of base units, or a text with a unit ("1 GiB")."""
    if isinstance(value, (str, bytes)):
        out, err = ffi.new("uint64_t *"), ffi.new("ik_error *")
        status = lib.ik_parse_quantity(text(value, what), dimension, out, err)
        if status:
            raise error_of(status, err)
        return out[0]
    return whole(value, what)


def plain(function, *args):
    """Calls a function of the library that takes an error last and no environment."""
    err = ffi.new("ik_error *")
    status = function(*args, err)
    if status:
        raise error_of(status, err)


# ---------------------------------------------------------------------------------------------- objects


Own = TypeVar("Own", bound="Object")


class Object:
    """An object of the library. It lives as long as Python, an array of its memory, or an object that was made from it needs it."""

    __slots__ = ("_c", "_ref", "__weakref__")

    def _take(self, kind, pointer, ctype, *parents):
        """Takes over `pointer`. parents: what _hold() of the objects gave that it was made of."""
        refs = [ref for _, ref in parents] + [ffi.NULL] * (lib.IKPY_PARENTS - len(parents))
        self._c = None
        ref = self._ref = lib.ikpy_new(kind, pointer, *refs)
        if ref == ffi.NULL:
            raise memory_error(type(self).__name__)
        self._c = ffi.gc(ffi.cast(ctype, pointer), functools.partial(lib.ikpy_release, ref))  # no line of Python: Ctrl-C would end it
        return self

    def _p(self) -> Any:
        """The pointer, which keeps the object alive as long as it is held."""
        pointer = getattr(self, "_c", None)
        if pointer is None:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return pointer

    def _hold(self):
        """The pointer and its count, for _take() of what is made from it."""
        return self._p(), self._ref

    def close(self) -> None:
        """Gives the object back before Python would. Arrays and objects made from it stay valid; it cannot be used any more."""
        self._c = None

    def __enter__(self: Own) -> Own:
        self._p()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise WrongType(f"a {type(self).__name__} cannot be pickled or copied")


def made(ctype, kind, make):
    """Calls make(out), which writes an object to *out, and returns the object; nothing leaks where it raises."""
    out = ffi.new(ctype + " *")
    try:
        make(out)
    except BaseException:
        if out[0] != ffi.NULL:
            lib.ikpy_destroy(kind, out[0])
        raise
    return out[0]


def filled(ctype, kind, fill):
    """Room for a result that fill(pointer) writes; returns the pointer."""
    room = ffi.cast(ctype + " *", lib.ikpy_room(ffi.sizeof(ctype)))
    if room == ffi.NULL:
        raise memory_error(ctype)
    try:
        fill(room)
    except BaseException:
        lib.ikpy_destroy(kind, room)
        raise
    return room


# ---------------------------------------------------------------------------------------------- arrays


class _Memory:  # pylint: disable=too-few-public-methods
    """Memory of the library as numpy sees it: read-only, and its owner lives as long as the array."""

    __slots__ = ("owner", "__array_interface__")

    def __init__(self, owner, address, size):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, True)}


_KINDS: Dict[Any, np.dtype[Any]] = {}


def dtype_of(ctype):
    """The numpy type of a C type: numbers, and structures of numbers."""
    if isinstance(ctype, str):
        ctype = ffi.typeof(ctype)
    if ctype in _KINDS:
        return _KINDS[ctype]
    size = ffi.sizeof(ctype)
    if ctype.kind == "struct":
        fields = [(name, field) for name, field in ctype.fields if field.type.kind in ("primitive", "enum", "struct")]
        made_of = np.dtype({"names": [name for name, _ in fields], "formats": [dtype_of(field.type) for _, field in fields],
                            "offsets": [field.offset for _, field in fields], "itemsize": size})
    elif ctype.kind == "enum":
        made_of = np.dtype(f"u{size}")
    else:
        kind = {"_Bool": "?", "float": "f4", "double": "f8"}.get(ctype.cname)
        if kind is None:
            kind = ("u" if int(ffi.cast(ctype, -1)) > 0 else "i") + str(size)
        made_of = np.dtype(kind)
    _KINDS[ctype] = made_of
    return made_of


def array(owner, pointer, *shape: int) -> Any:
    """An array of memory that belongs to `owner` (a cdata or an object): no copy, read-only. None for NULL, which the caller's
    annotation allows or not."""
    if pointer == ffi.NULL and 0 not in shape:
        return None
    kind = dtype_of(ffi.typeof(pointer).item)
    count = int(np.prod(shape, dtype=np.int64)) if shape else 0
    if count == 0:
        empty = np.zeros(shape, kind)
        empty.flags.writeable = False
        return empty
    memory = _Memory(owner, int(ffi.cast("uintptr_t", pointer)), count * kind.itemsize)
    return np.asarray(memory).view(kind).reshape(shape)


def zeros(shape: Tuple[int, ...], kind: Any) -> npt.NDArray[Any]:
    """A new array; the package's own error where there is no memory."""
    try:
        return np.zeros(shape, kind)
    except (MemoryError, ValueError):
        raise memory_error(f"an array of {' x '.join(map(str, shape))} numbers") from None


def frozen(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array that was computed, read-only as those of the library are."""
    values.flags.writeable = False
    return values


def taken(pointer, *shape: int) -> npt.NDArray[Any]:
    """An array of memory that the library has handed over to be freed: no copy, read-only."""
    owner = ffi.gc(pointer, lib.free)
    return array(owner, pointer, *shape)


# ---------------------------------------------------------------------------------------------- text out


@contextlib.contextmanager
def _stream():
    """A FILE of the library, and a function that gives what was written once it is closed."""
    descriptor = os.memfd_create("ikat")
    stream = ffi.NULL
    try:
        copy = os.dup(descriptor)
        stream = lib.fdopen(copy, b"w")
        if stream == ffi.NULL:
            os.close(copy)
            raise memory_error("a stream")

        def read():
            nonlocal stream
            failed = lib.fclose(stream)
            stream = ffi.NULL
            if failed:
                raise memory_error("a text")
            with open(descriptor, "rb", closefd=False) as file:
                file.seek(0)
                return file.read()
        yield stream, read
    finally:
        if stream != ffi.NULL:
            lib.fclose(stream)
        os.close(descriptor)


def written(write: Callable[[Any], None]) -> bytes:
    """What write(FILE) writes."""
    with _stream() as (stream, read):
        write(stream)
        return read()


def json_of(put: Callable[[Any], None]) -> Dict[str, Any]:
    """The object whose members put(ik_json) writes, with the version that all of ikat's JSON has."""
    def write(out):
        j = ffi.new("ik_json *")
        lib.ik_json_to_file(j, out, lib.IK_JSON_PACKED)
        lib.ik_json_object(j, ffi.NULL)
        lib.ik_json_uint(j, b"version", lib.IK_JSON_VERSION)
        put(j)
        lib.ik_json_close(j)
        plain(lib.ik_json_end, j)
    return dict(json.loads(written(write)))


def configured(ctype, texts, values):
    """A structure of settings, and what has to live as long as it. texts: of any kind that text() takes, by the member's name and what
    the argument is called; None leaves the member as it is."""
    config, keep = ffi.new(ctype + " *"), []
    for name, (what, value) in texts.items():
        if value is not None:
            keep.append(ffi.new("char[]", text(value, what)))
            setattr(config, name, keep[-1])
    for name, value in values.items():
        setattr(config, name, value)
    return config, keep


def texts(values, what):
    """A list of texts for the library, and what it is made of, which has to live as long."""
    if isinstance(values, (str, bytes, os.PathLike)) or not hasattr(values, "__iter__"):
        raise WrongType(f"{what}: a list of texts is expected, not {type(values).__name__}")
    kept = [ffi.new("char[]", text(value, what)) for value in values]
    return ffi.new("const char *[]", kept + [ffi.NULL]), kept


def replace_file(path, content):
    """Writes a file whole or not at all."""
    output, err, place = ffi.new("ik_output *"), ffi.new("ik_error *"), ffi.new("char[]", text(path, "path"))
    plain(lib.ik_output_open, output, place)
    written_all = lib.fwrite(content, 1, len(content), output.out) == len(content)
    status = lib.ik_output_close(output, lib.IK_OK if written_all else lib.IK_ERR_IO, err)
    if status:
        raise error_of(status, err)


class Collected(list):
    """What a callback without an environment collects; `error` ends it, see on_interrupt()."""

    error = None

    def fail(self, error):
        """Keeps the first error."""
        self.error = self.error or error

    def check(self):
        """Raises it."""
        if self.error is not None:
            raise self.error


def names_of(table):
    """Names of a NULL-terminated table of families."""
    out, at = [], 0
    while table[at] != ffi.NULL:
        out.append(string(table[at].name))
        at += 1
    return out


# ---------------------------------------------------------------------------------------------- showing


def rows_html(title: str, rows: Iterable[Tuple[str, object]]) -> str:
    """A small table for a notebook; lines of a text stay lines."""
    from html import escape  # pylint: disable=import-outside-toplevel
    left = "style='text-align:left'"
    cells = "".join(f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(str(value).strip())}</td></tr>" for name, value in rows)
    return f"<table><caption>{escape(title)}</caption>{cells}</table>".replace("\n", "<br>")


def table_html(title: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook; None is an empty cell."""
    from html import escape  # pylint: disable=import-outside-toplevel
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{'' if cell is None else escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>"
