"""Experiments and their results."""
from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import pathlib
import shutil
import sqlite3
import tempfile
import weakref
import zlib
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ikat._core import (Cancel, Collected, Env, FileError, InputError, Object, Unbroken, UsageError, WrongType, encoded, error_of, ffi, lib, made, module, on_interrupt, plain, processors, real, replace_file, rows_html, setting,
                        string, text, texts, whole, written)
from ikat._datasets import dataset_of
from ikat._types import Quantity, Real, Report, Text, Whole

if TYPE_CHECKING:
    import pandas
    import xarray

# Columns of results files that hold text although it may look like a number.
_TEXTS = ("fabric", "routing", "vc", "selection", "traffic", "variant", "design", "checksum", "proof", "flow", "name", "result", "class",
          "adapter", "switch")
# Arrays of whole numbers.
_COUNTS = ("latency_histogram", "network_latency_histogram", "channel_bytes", "host_bytes", "host_sent_bytes", "host_finish")
_UNITS = (("_ns", "ns"), ("_ps", "ps"), ("_us", "us"), ("_bytes", "B"), ("_bps", "bit/s"), ("_share", "share"), ("_seconds", "s"))
_OF_RATE = ("load", "offered", "throughput", "saturation_load", "saturation_most", "static_saturation", "band_low", "band_minimal", "band_valiant",
            "band_split", "band_high", "effective_throughput", "host_sent_min",
            "host_sent_max")


def unit_of(column: str) -> str:
    """The unit of a column of a results file: "ns", "B", "of the hosts' rate", or "" for plain numbers and texts."""
    if column in _OF_RATE:
        return "of the hosts' rate"
    return next((unit for ending, unit in _UNITS if column.endswith(ending)), "")


class Claim(NamedTuple):
    """What results say of a claim of section `expect`. verdict: "holds", "differs", "cannot be told" or "not asked"."""

    verdict: str
    claim: str
    source: str
    figure: str
    found: str
    differs: str


Source = Union[Text, Dict[str, Any]]


class Experiment(Object):
    """An experiment that was read and checked: `source` is a path of a file, a text of YAML (with a line break), or a dictionary
    of its sections. set: replaces values, {"measure.duration": "1 ms"}. folder: what relative paths in a text or dictionary
    start from (None: the current folder). Everything of it is checked now, with file, line and column in the error."""

    __slots__ = ("name",)
    name: str

    def __init__(self, source: Source, *, set: Optional[Mapping[str, Any]] = None, folder: Optional[Text] = None) -> None:  # pylint: disable=redefined-builtin
        overrides = _overrides(set)
        if isinstance(source, (str, bytes, os.PathLike)) and not _is_text(source):
            path = text(source, "experiment")
            read = functools.partial(lib.ik_experiment_read, path, overrides[0])
            self.name = pathlib.Path(os.fsdecode(path)).stem
        else:
            content, self.name = _content(source), "experiment"
            folder = os.getcwd() if folder is None else os.fsdecode(text(folder, "folder"))
            place = text(os.path.join(folder, "experiment.yaml"), "folder")
            read = functools.partial(lib.ik_experiment_read_memory, content, len(content), place, overrides[0])
        with Unbroken():
            self._take(lib.IKPY_EXPERIMENT, made("ik_experiment *", lib.IKPY_EXPERIMENT, lambda out: plain(read, out)), "ik_experiment *")

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Experiment: closed>"
        return f"<ikat.Experiment {self.title or self.name!r}: {self.num_points} points>"

    @property
    def num_points(self) -> int:
        """Number of points of the sweep."""
        return lib.ik_experiment_num_points(self._p())

    @property
    def title(self) -> str:
        """Its title, "" without one."""
        return string(lib.ik_experiment_get_about(self._p()).title)

    @property
    def description(self) -> str:
        """Its description, "" without one."""
        return string(lib.ik_experiment_get_about(self._p()).description)

    @property
    def scales(self) -> List[str]:
        """Names of its scales; `set={"scale": NAME}` chooses one."""
        about = lib.ik_experiment_get_about(self._p())
        return [string(about.scales[i].name) for i in range(about.num_scales)]

    @property
    def figures(self) -> List[str]:
        """Names of the figures that it declares."""
        about = lib.ik_experiment_get_about(self._p())
        return [string(about.figures[i].name) for i in range(about.num_figures)]

    def run(self, output: Optional[Text] = None, *, threads: Optional[Whole] = None, progress: Report = None,
            cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None, cache: Optional[Text] = None,
            shard: Optional[Tuple[Whole, Whole]] = None, budget: Optional[Real] = None,
            only: Optional[Sequence[Text]] = None) -> Results:
        """Runs every point that `output` does not hold yet, see `ikat.run`."""
        folder = None
        if output is None:
            folder = tempfile.mkdtemp(prefix="ikat-")
            output = os.path.join(folder, self.name + ".db")
        try:
            results, failed = self._run(output, threads, shard, budget, only, progress=progress, cancel=cancel, memory_limit=memory_limit, cache=cache)
        except BaseException:
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        results.failed = failed
        if folder:
            weakref.finalize(results, shutil.rmtree, folder, ignore_errors=True)
        return results

    def _run(self, output, threads, shard, budget, only, **options):
        experiment, store, failed = self._p(), text(output, "output"), ffi.new("bool *")
        part, keep = part_of(shard, budget, only)
        threads = processors() if threads is None else whole(threads, "threads", 1, 4096)
        with Env(threads=threads, **options) as env:
            env.check(lib.ik_experiment_run(experiment, store, threads, env.c, part, observer_of(env), failed, env.err))
        del keep
        return Results(output), bool(failed[0])


def part_of(shard, budget, only):
    """What is run of an experiment, and what has to live as long."""
    part = ffi.new("ik_run_part *")
    if shard is not None:
        part.shard, part.num_shards = _shard(shard)
    if budget is not None:
        part.budget_s = real(budget, "budget")
        if not part.budget_s > 0:
            raise UsageError(f"budget: {budget} is no number of seconds above 0")
    listed, keep = texts(only or (), "only")
    part.only = listed if keep else ffi.NULL
    return part, (listed, keep)


def observer_of(env):
    """What hears of a run: the progress callback, NULL without one."""
    if not env.progress:
        return ffi.NULL
    return ffi.new("ik_run_observer *", [env.handle, lib.ikpy_stage, lib.ikpy_point, lib.ikpy_share, lib.ikpy_note])


def run(source: Union[Experiment, Source], output: Optional[Text] = None, *, set: Optional[Mapping[str, Any]] = None,
        folder: Optional[Text] = None, threads: Optional[Whole] = None, progress: Report = None,
        cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None, cache: Optional[Text] = None,
        shard: Optional[Tuple[Whole, Whole]] = None, budget: Optional[Real] = None,
        only: Optional[Sequence[Text]] = None) -> Results:  # pylint: disable=redefined-builtin
    """Runs an experiment and returns its results.

    source: a file, a text of YAML, a dictionary of sections, or an `Experiment`; set: values to be replaced.
    output: the results file; points that it already holds are not run again. None: a temporary file, which is removed with the
    results. threads: processors to use; results never depend on it. progress: True prints a line per point, a function is called
    with an `ikat.Progress`. cancel: an `ikat.Cancel`. Ctrl-C and cancel keep the points that are finished. memory_limit: "8 GiB".
    cache: a folder for proofs. shard: (1, 4) runs the first of four parts. budget: seconds after which no point starts.
    only: ["load=50%"] runs the points of this swept value alone; several of one name: any of them.
    """
    if isinstance(source, Experiment):
        if set is not None or folder is not None:
            raise UsageError("set and folder belong to ikat.Experiment(), which has already read the experiment")
        experiment = source
    else:
        experiment = Experiment(source, set=set, folder=folder)
    return experiment.run(output, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit, cache=cache,
                          shard=shard, budget=budget, only=only)


def results(path: Text) -> Results:
    """Opens a results file: `Results(path)`."""
    return Results(path)


class Results(Object):
    """A results file, read when it is opened; later writes are not seen. Frames are of pandas; the units of their columns are in
    `frame.attrs["units"]`. `failed`: whether the run that made it had a failed proof or a deadlock (None: not run here)."""

    __slots__ = ("path", "failed")
    path: str
    failed: Optional[bool]

    def __init__(self, path: Text) -> None:
        self.path, self.failed = os.path.abspath(os.fsdecode(text(path, "path"))), None
        with Unbroken():
            pointer = made("ik_results *", lib.IKPY_RESULTS, lambda out: plain(lib.ik_results_open, text(self.path, "path"), out))
            self._take(lib.IKPY_RESULTS, pointer, "ik_results *")

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Results: closed>"
        finished, total = self.points_finished
        return f"<ikat.Results {self.path!r}: {finished} of {total} points>"

    def _repr_html_(self) -> str:
        finished, total = self.points_finished
        return rows_html(os.path.basename(self.path), [("points", f"{finished} of {total}"), ("tables", ", ".join(self.tables))])

    @property
    def points_finished(self) -> Tuple[int, int]:
        """(finished, total) points of the sweep."""
        finished, total = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        lib.ik_results_points(self._p(), finished, total)
        return finished[0], total[0]

    @property
    def tables(self) -> List[str]:
        """Names of the tables that `frame` reads."""
        self._p()
        out: List[str] = []
        while lib.ik_report_tables[len(out)] != ffi.NULL:
            out.append(string(lib.ik_report_tables[len(out)]))
        return out

    def _store(self):
        self._p()
        return text(self.path, "path")

    def csv(self, table: Text = "points") -> str:
        """A table as CSV, as `ikat report --csv --table` prints it."""
        store, table = self._store(), text(table, "table")
        return written(lambda out: plain(lib.ik_report_csv_table, store, table, out)).decode("utf-8", "replace")

    def frame(self, table: Text = "points") -> pandas.DataFrame:
        """A table as a pandas frame: a row per point in table "points"; "curves" has means and intervals per result, "plans" the
        proofs, `tables` lists all. Columns without a value are NaN."""
        pandas = module("pandas", "Results.frame")
        return _frame(pandas, self.csv(table))

    def dataset(self, dims: Optional[Sequence[str]] = None, over: Union[str, Sequence[str]] = (), fill: bool = False) -> xarray.Dataset:
        """The points as an `xarray.Dataset`: a dimension per swept setting, named as in figures ("load", "seed", "fabric.k"), and a
        variable per result, named as in `frame()`, with `units` and `long_name` as attributes. Combinations without a point are NaN.

        A section is a dimension of its own ("fabric") where its parameters are no grid, with these as coordinates along it; so are
        designs. over: what is averaged, "seed" or ["seed", "fabric.seed"]: results are then means, with half their 95 % intervals in
        `…_ci95`; `points` counts the points, `not_steady` those of them that are not steady. dims: the dimensions by name, where
        others are wanted; points that would fall on one place are refused, with the name of what they differ in. A sweep that has
        fewer than half of all combinations is refused unless `fill`, and where these are more than 2^20 even then."""
        xarray = module("xarray", "Results.dataset")
        held = self._p()
        frame = _frame(module("pandas", "Results.dataset"), written(lambda out: plain(lib.ik_results_csv, held, out)).decode("utf-8", "replace"))
        with contextlib.closing(self.connect()) as connection:
            title = connection.execute("SELECT value FROM meta WHERE key = 'title'").fetchone()
        about = {"title": title[0]} if title and title[0] else {}
        return dataset_of(xarray, held, frame, self.points_finished[1], about, unit_of, dims, over, fill)

    def units(self, table: Text = "points") -> Dict[str, str]:
        """The unit of each column of a table."""
        return {column: unit_of(column) for column in self.csv(table).split("\n", 1)[0].split(",")}

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> pandas.DataFrame:
        """The answer to an SQL query of the file (it is SQLite, opened for reading), as a pandas frame."""
        pandas = module("pandas", "Results.sql")
        with contextlib.closing(self.connect()) as connection:
            try:
                return pandas.read_sql_query(query, connection, params=tuple(parameters))
            except (pandas.errors.DatabaseError, sqlite3.Error) as error:
                raise UsageError(f"sql: {error}") from None

    def connect(self) -> sqlite3.Connection:
        """The file as a connection of the module sqlite3, for reading."""
        self._p()
        try:
            return sqlite3.connect(pathlib.Path(self.path).as_uri() + "?mode=ro", uri=True)
        except sqlite3.Error as error:
            raise FileError(str(error), file=self.path) from None

    def json(self) -> Dict[str, Any]:
        """All that the report holds, as a dictionary (docs/experiments.md)."""
        store = self._store()
        return json.loads(written(lambda out: plain(lib.ik_report_json, store, out)))

    def arrays(self, row: Whole) -> Dict[str, npt.NDArray[Any]]:
        """Arrays of the point in row `row` of `frame()` (from 0): latency_histogram and network_latency_histogram (packets by
        bucket; latency_edges_ns has the lowest latency of each), channel_bytes [ports], host_bytes, host_sent_bytes, host_finish
        (ps) [hosts], and by period series_time_ns, series_throughput, series_latency_ns, series_blocked [periods, switches] …
        What the point does not have is left out."""
        frame = self.frame()
        row = whole(row, "row", 0, max(len(frame) - 1, 0))
        if not len(frame):
            raise UsageError("row: there is no point")
        point, out = frame.iloc[row], {}
        with contextlib.closing(self.connect()) as connection:
            connection.row_factory = sqlite3.Row
            found = connection.execute("SELECT * FROM points WHERE id < (1 << 40) AND checksum = ? AND seed = ? ORDER BY id",
                                       (point["checksum"], int(point["seed"]))).fetchall()
        # The frame has the points in the order of the file, without those that a changed experiment no longer has (beyond 2^40).
        same = (frame["checksum"] == point["checksum"]) & (frame["seed"] == point["seed"])
        if not point["checksum"] or len(found) != same.sum():
            raise UsageError(f"row: point {row} was not simulated, or the file has changed since")
        stored = found[int(same.iloc[:row].sum())]
        for name in stored.keys():
            kind = "<u8" if name in _COUNTS else "<f8" if name.startswith("series_") else None
            if kind and isinstance(stored[name], bytes) and len(stored[name]) > 8:
                out[name] = np.frombuffer(_inflated(stored[name]), kind)
        periods = len(out.get("series_throughput", ()))
        if periods:
            out["series_time_ns"] = np.arange(1, periods + 1) * (stored["series_period_ps"] / 1e3)
            if "series_blocked" in out:
                out["series_blocked"] = out["series_blocked"].reshape(periods, -1)
        buckets = len(out.get("latency_histogram", ()))
        if buckets:
            out["latency_edges_ns"] = np.array([lib.ik_histogram_bucket_low(k) for k in range(buckets)], np.float64) / 1e3
        return {name: values for name, values in out.items() if len(values)}

    @property
    def experiment(self) -> str:
        """The experiment that made the results, as YAML."""
        with contextlib.closing(self.connect()) as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = 'experiment'").fetchone()
        return row[0] if row else ""

    def figure(self, name: Text) -> pandas.DataFrame:
        """The numbers of a declared figure as a pandas frame, a row per place of a curve."""
        pandas = module("pandas", "Results.figure")
        return _frame(pandas, self._figure(name, lib.IK_FIGURE_CSV).decode("utf-8", "replace"))

    def figure_svg(self, name: Text) -> str:
        """The picture of a declared figure as SVG: in a notebook, `IPython.display.SVG(results.figure_svg(name))`."""
        return self._figure(name, lib.IK_FIGURE_SVG).decode("utf-8", "replace")

    def write_figure(self, name: Text, path: Text) -> None:
        """Writes a declared figure as the ending of the path says: .svg, .pdf, .png or .csv."""
        kinds = {".svg": lib.IK_FIGURE_SVG, ".pdf": lib.IK_FIGURE_PDF, ".png": lib.IK_FIGURE_PNG, ".csv": lib.IK_FIGURE_CSV}
        ending = os.path.splitext(os.fsdecode(text(path, "path")))[1]
        if ending not in kinds:
            raise UsageError(f"path: its ending {ending!r} is no format of figures", "one of " + ", ".join(kinds))
        replace_file(path, self._figure(name, kinds[ending]))

    def _figure(self, name, kind):
        held, name = self._p(), text(name, "name")
        return written(lambda out: plain(lib.ik_results_figure, held, name, kind, out, 0, False))

    def report(self, path: Text) -> None:
        """Writes the report: one HTML file that a browser opens from disk."""
        plain(lib.ik_results_html, self._p(), text(path, "path"))

    def summary(self, width: Whole = 100) -> str:
        """The summary tables that `ikat report` prints."""
        store, width = self._store(), whole(width, "width", 20, 10000)
        return written(lambda out: plain(lib.ik_report_terminal, store, out, width, False)).decode("utf-8", "replace")

    def claims(self) -> List[Claim]:
        """What the results say of the claims that the experiment makes (section expect)."""
        held, found = self._p(), Collected()
        handle = ffi.new_handle(found)
        plain(lib.ik_results_claims, held, lib.ikpy_claim, handle)
        found.check()
        return list(found)


@ffi.def_extern(name="ikpy_claim", error=lib.IK_ERR_CANCELLED, onerror=on_interrupt)
def _on_claim(ctx, claim, _):
    ffi.from_handle(ctx).append(Claim(string(lib.ik_claim_verdict_name(claim.verdict)), *(
        string(getattr(claim, name)) or "" for name in Claim._fields[1:])))
    return lib.IK_OK


def merge(paths: Sequence[Text], path: Text) -> Dict[str, int]:
    """Makes one results file of several of the same experiment (of its shards). Returns points, num_points and doubles."""
    if isinstance(paths, (str, bytes)) or not hasattr(paths, "__iter__"):
        raise WrongType(f"paths: a list of files is expected, not {type(paths).__name__}")
    sources = [ffi.new("char[]", text(one, "paths")) for one in paths]
    out = ffi.new("ik_merged *")
    plain(lib.ik_results_merge, ffi.new("const char *[]", sources), len(sources), text(path, "path"), out)
    return {"points": out.points, "num_points": out.num_points, "doubles": out.doubles}


def _frame(pandas, content):
    head = content.split("\n", 1)[0].split(",")
    frame = pandas.read_csv(io.StringIO(content), keep_default_na=False, na_values=[""],
                            dtype={name: str for name in _TEXTS if name in head})
    for name in _TEXTS:
        if name in frame.columns:
            frame[name] = frame[name].fillna("")
    frame.attrs["units"] = {name: unit_of(name) for name in frame.columns}
    return frame


def _inflated(blob):
    """An array of a results file: its size, then deflated bytes."""
    try:
        data = zlib.decompress(blob[8:])
    except zlib.error as error:
        raise InputError(f"the results file has a damaged array ({error})") from None
    if len(data) != int.from_bytes(blob[:8], "little") or len(data) % 8:
        raise InputError("the results file has a damaged array")
    return data


def _is_text(source):
    if isinstance(source, os.PathLike):
        return False
    return (b"\n" if isinstance(source, bytes) else "\n") in source


def _content(source):
    if isinstance(source, str):
        return encoded(source, "experiment")
    if isinstance(source, bytes):
        return source
    if isinstance(source, dict):
        try:
            return json.dumps(source, indent=1, default=_plain_number).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise WrongType(f"experiment: a value cannot be written as YAML ({error})") from None
    raise WrongType(f"experiment: a path, a text, a dictionary or an Experiment is expected, not {type(source).__name__}")


def _plain_number(value):
    if hasattr(value, "tolist"):  # of numpy
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(type(value).__name__)


def _overrides(values):
    """NULL, or "key=value" texts that end with NULL, and what they are made of."""
    if values is None:
        return ffi.NULL, []
    if not isinstance(values, dict):
        raise WrongType(f"set: a dictionary is expected, not {type(values).__name__}")
    lines = [ffi.new("char[]", text(key, "set") + b"=" + (json.dumps(value).encode() if isinstance(value, (list, dict))
                                                          else setting(value, str(key)))) for key, value in values.items()]
    return ffi.new("const char *[]", lines + [ffi.NULL]), lines


def _shard(shard):
    try:
        number, count = shard
    except (TypeError, ValueError):
        raise WrongType("shard: two numbers are expected, (number, count)") from None
    count = whole(count, "shard", 1, 2**31)
    return whole(number, "shard", 1, count), count
