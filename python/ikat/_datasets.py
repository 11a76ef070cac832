"""The points of a sweep as an array of many dimensions, an xarray.Dataset."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Tuple

import numpy as np

from ikat._core import NONE, InputError, Unbroken, UsageError, WrongType, ffi, lib, plain, string, text
from ikat._simulation import result_names

if TYPE_CHECKING:
    import xarray as of_xarray

# Names of axes that frames call otherwise, both ways.
_AS_FRAMES, _AS_FIGURES = {"seeds": "seed"}, {"seed": "seeds"}
_UNITS = {"bytes": "B", "%": "share"}
# Columns of frames in which the texts of a section stand in their shortest form.
_SHORT = ("fabric", "routing", "vc", "selection", "traffic")
# Columns beside the results: numbers or truth values, and texts.
_NUMBERS, _WORDS = ("vcs", "undelivered", "unconnected", "deadlock", "deadlock_free"), ("steady",)
# Combinations of an array that is mostly empty: with a hundred results these are about a gigabyte.
_MOST_EMPTY = 2**20


class Axis(NamedTuple):
    """A setting in which points differ. `of`: [points] index of each one's value, -1 without one."""

    name: str
    section: str
    unit: str
    numeric: bool
    texts: List[str]
    labels: List[str]
    numbers: Any
    of: Any

    @property
    def is_section(self) -> bool:
        return self.name == self.section


def _axes(results, over: Tuple[str, ...]) -> List[Axis]:
    """All axes but those of `over`, a section before its parameters; designs first."""
    names = [ffi.new("char[]", text(_AS_FIGURES.get(name, name), "over")) for name in over]
    out = ffi.new("ik_results_axes **")
    with Unbroken():
        plain(lib.ik_results_axes_make, results, ffi.new("const char *[]", names) if names else ffi.NULL, len(names), out)
        try:
            found = [_axis(out[0].axes[i], out[0].num_points) for i in range(out[0].num)]
        finally:
            lib.ik_results_axes_free(out[0])
    return sorted(found, key=lambda axis: axis.section != "design")


def _axis(c, points):
    def called(name):
        return _AS_FRAMES.get(name, name)
    of = np.array(ffi.unpack(c.of, points), np.int64)
    unit, numbers = _UNITS.get(string(c.unit), string(c.unit)), np.array(ffi.unpack(c.numbers, c.num), np.float64)
    exact = len(np.unique(numbers)) == c.num and (unit != "" or bool((abs(numbers) <= 2**53).all()))  # else texts tell the values apart
    return Axis(called(string(c.name)), called(string(c.section)), unit if exact else "", bool(c.numeric) and exact,
                [string(c.texts[i]) for i in range(c.num)], [string(c.labels[i]) for i in range(c.num)],
                numbers, np.where(of == NONE, -1, of))


# ---------------------------------------------------------------------------------------------- dimensions


def _family(value):
    """The name in front of the parameters, "" without one."""
    name = re.match(r"[^:=,]*", value)[0]
    return "" if value[len(name):len(name) + 1] == "=" else name


def _is_product(section: Axis, parameters: List[Axis]) -> bool:
    """The texts of a section are one family with every combination of these parameters' values."""
    return (bool(parameters) and len({_family(value) for value in section.texts}) == 1 and bool((section.of >= 0).all())
            and all((one.of >= 0).all() for one in parameters)
            and len({*zip(*(one.of.tolist() for one in parameters))}) == len(section.texts)  # values without a name may differ, too
            and int(np.prod([len(one.texts) for one in parameters], dtype=object)) == len(section.texts))


def _follows(one: Axis, other: Axis) -> bool:
    """Points with the same value of `other` have the same one of `one`."""
    return len({*zip(other.of.tolist(), one.of.tolist())}) == len({*other.of.tolist()})


def _dimensions(axes: List[Axis]) -> List[Axis]:
    """Parameters where they are a grid of their own, else whole sections; without what follows from the design."""
    out = []
    design = next((axis for axis in axes if axis.section == "design"), None)
    for section in axes:
        if not section.is_section or (design is not None and section is not design and _follows(section, design)):
            continue
        parameters = [axis for axis in axes if axis.section == section.section and not axis.is_section]
        out += parameters if _is_product(section, parameters) else [section]
    return out


def _named(axes: List[Axis], dims, over) -> List[Axis]:
    """The axes that the user names; one in which no point differs is refused."""
    by_name = {axis.name: axis for axis in axes}
    for name in dims:
        if name in over or name.split(".")[0] in over:
            raise UsageError(f"dims: {name!r} is averaged", "name it in dims or in over")
        if name not in by_name:
            known = ", ".join(by_name) or "there is none"
            raise UsageError(f"dims: the points do not differ in {name!r}", f"they differ in: {known}")
    if len(set(dims)) < len(dims):
        raise UsageError("dims: a name stands there twice")
    return [by_name[name] for name in dims]


# ---------------------------------------------------------------------------------------------- places


class _Places(NamedTuple):
    """Where points lie. `at`: [points] place in the grid of `shape`; `values`: of each dimension the indices of its values, in order."""

    dims: List[Axis]
    values: List[Any]
    shape: Tuple[int, ...]
    at: Any


def _in_order(axis: Axis):
    """Indices of the values, numbers ascending; -1 last where points have none."""
    order = np.argsort(axis.numbers, kind="stable") if axis.numeric else np.arange(len(axis.texts))
    return np.append(order, -1) if (axis.of < 0).any() else order


def _places(dims: List[Axis], points: int, total: int, fill: bool) -> _Places:
    values = [_in_order(axis) for axis in dims]
    shape = tuple(len(order) for order in values)
    size = int(np.prod(shape, dtype=object))
    said = " x ".join(f"{len(order)} {axis.name}" for axis, order in zip(dims, values))
    if size > max(2 * points, _MOST_EMPTY):
        raise UsageError(f"{said} are {size} combinations, of which the results have {points}: more than the {_MOST_EMPTY} of an array that is mostly empty",
                         "frame() has a row per point; dims=[…] and over=[…] choose the dimensions")
    if size > 2 * max(total, points) and not fill:
        raise UsageError(f"the sweep is no grid: {said} are {size} combinations, of which it has {points}",
                         "frame() has a row per point; dims=[…] names the dimensions; fill=True fills the other combinations with NaN")
    at = np.zeros(points, np.int64)
    for axis, order in zip(dims, values):
        rank = np.empty(len(axis.texts) + 1, np.int64)  # that of -1 stands last
        rank[order] = np.arange(len(order))
        at = at * len(order) + rank[axis.of]
    return _Places(dims, values, shape, at)


def _check_places(places: _Places, axes: List[Axis], averaged: bool) -> None:
    """Points in one place that differ in something that is neither a dimension nor averaged; not averaged, there is one in each."""
    order = np.argsort(places.at, kind="stable")
    same = np.flatnonzero(np.diff(places.at[order]) == 0)
    one, other = order[same], order[same + 1]
    differ = sorted((axis.name for axis in axes if (axis.of[one] != axis.of[other]).any()), key=lambda name: "." not in name)
    if differ:
        raise UsageError(f"several points would be one value: they differ in {differ[0]}",
                         f"name it among dims, or average over it: over=[{differ[0]!r}]")
    if len(same) and not averaged:
        raise UsageError("several points would be one value, and differ in nothing that has a name", "frame() has a row per point")


# ---------------------------------------------------------------------------------------------- the dataset


def _texts_of(axis: Axis, frame) -> List[str]:
    """Texts of the values: as frames have them where these tell them apart, else as much as does."""
    for column in [axis.section] if axis.is_section and axis.section in _SHORT and axis.section in frame.columns else []:
        seen = [set(frame[column][axis.of == index]) for index in range(len(axis.texts))]
        if all(len(one) == 1 for one in seen) and len(set().union(*seen)) == len(seen):
            return [one.pop() for one in seen]
    return axis.labels if len(set(axis.labels)) == len(axis.labels) else axis.texts


def _coordinate(axis: Axis, frame, order):
    """Values in this order, and their attributes."""
    if axis.numeric:
        numbers = np.append(axis.numbers, np.nan)[order]
        whole = axis.unit == "" and np.isfinite(numbers).all() and (numbers == np.round(numbers)).all() and (abs(numbers) < 2**53).all()
        unit = "of the hosts' rate" if axis.name == "load" else axis.unit
        return numbers.astype(np.int64) if whole else numbers, {"units": unit} if unit else {}
    return np.array(_texts_of(axis, frame) + [""], object)[order], {}


def _coordinates(places: _Places, axes: List[Axis], frame) -> Dict[str, Any]:
    """Of the dimensions; and of axes whose value follows from that of one dimension, along it."""
    out: Dict[str, Any] = {axis.name: (axis.name, *_coordinate(axis, frame, order)) for axis, order in zip(places.dims, places.values)}
    for axis in axes:
        if axis.name in out:
            continue
        for dim, order in zip(places.dims, places.values):
            if dim.section in (axis.section, "design") and _follows(axis, dim):
                first = [int(np.flatnonzero(dim.of == index)[0]) for index in order]
                out[axis.name] = (dim.name, *_coordinate(axis, frame, axis.of[first]))
                break
    return out


def _attributes(name, names, unit_of, suffix=""):
    about = names.get(name)
    out = {"units": unit_of(name), "long_name": about["title"] + suffix if about else ""}
    return {key: value for key, value in out.items() if value}


def _spread(places: _Places, values, empty, kind):
    out = np.full(int(np.prod(places.shape, dtype=np.int64)), empty, kind)
    out[places.at] = values
    return out.reshape(places.shape)


def _of_points(places: _Places, frame, names, unit_of) -> Dict[str, Any]:
    """A value per point; a latency of no packet is none, as in figures."""
    out: Dict[str, Any] = {}
    dims = [axis.name for axis in places.dims]
    for name in [column for column in frame.columns if column in names or column in _NUMBERS]:
        values = frame[name].astype(float).to_numpy(copy=True)
        for prefix, most in (("latency_", "latency_max_ns"), ("network_latency_", "latency_max_ns"), ("round_trip_", "round_trip_max_ns")):
            if name.startswith(prefix) and name.endswith("_ns") and most in frame.columns:
                values[(frame[most] == 0).to_numpy()] = np.nan
        if name not in dims and np.isfinite(values).any():
            out[name] = (dims, _spread(places, values, np.nan, float), _attributes(name, names, unit_of))
    for name in [column for column in _WORDS if column in frame.columns]:
        out[name] = (dims, _spread(places, frame[name].fillna("").to_numpy(object), "", object), {})
    return out


def _means(places: _Places, results, frame, names, unit_of) -> Dict[str, Any]:
    """Means and half intervals over the points of each place; how many points there are, and how many of them are not steady."""
    out: Dict[str, Any] = {}
    dims, size = [axis.name for axis in places.dims], int(np.prod(places.shape, dtype=np.int64))
    order = np.argsort(places.at, kind="stable")  # points of a place ascend
    ends = np.flatnonzero(np.append(np.diff(places.at[order]) != 0, True)) + 1
    cells = [(int(places.at[order[first]]), ffi.new("uint64_t[]", order[first:end].tolist()), int(end - first))
             for first, end in zip([0, *ends[:-1]], ends)]
    mean = ffi.new("ik_results_mean *")
    for name in [column for column in frame.columns if column in names and column not in dims]:
        means, halves = np.full(size, np.nan), np.full(size, np.nan)
        for at, points, num in cells:
            plain(lib.ik_results_mean_of, results, name.encode(), points, num, mean)
            means[at], halves[at] = mean.mean, mean.ci95
        if np.isfinite(means).any():
            out[name] = (dims, means.reshape(places.shape), _attributes(name, names, unit_of))
            out[name + "_ci95"] = (dims, halves.reshape(places.shape), _attributes(name, names, unit_of, ", half its 95 % interval"))
    judged = frame["steady"].fillna("").to_numpy(object) if "steady" in frame.columns else np.array([""] * len(frame), object)
    for name, values in (("points", places.at), ("not_steady", places.at[(judged != "yes") & (judged != "")])):
        out[name] = (dims, np.bincount(values, minlength=size).reshape(places.shape), {})
    return out


def _names(given, what):
    if isinstance(given, str):
        return (given,)
    try:
        out = tuple(given)
    except TypeError:
        raise WrongType(f"{what}: a list of names is expected, not {type(given).__name__}") from None
    for name in out:
        if not isinstance(name, str):
            raise WrongType(f"{what}: names are expected, not {type(name).__name__}")
    return out


def dataset_of(xarray: Any, results: Any, frame: Any, total: int, about: Dict[str, Any], unit_of: Any, dims: Any, over: Any,
               fill: Any) -> of_xarray.Dataset:  # pylint: disable=too-many-arguments
    """What Results.dataset returns. results: the handle; frame: its points; total: points of the whole sweep; about: attributes."""
    over = _names(over, "over")
    if not isinstance(fill, (bool, np.bool_)):
        raise WrongType(f"fill: True or False is expected, not {type(fill).__name__}")
    if not len(frame):
        raise InputError("no point of the sweep is finished")
    axes = _axes(results, over)
    places = _places(_dimensions(axes) if dims is None else _named(axes, _names(dims, "dims"), over), len(frame), total, bool(fill))
    names = result_names()
    _check_places(places, axes, bool(over))
    if over:
        values = _means(places, results, frame, names, unit_of)
    else:
        values = _of_points(places, frame, names, unit_of)
    for column in (*_SHORT, "load"):
        if column in frame.columns and frame[column].nunique(dropna=False) == 1 and frame[column].notna().all():
            about[column] = frame[column].iloc[0]
    about.update({"points": len(frame), "points_of_sweep": total})
    if over:
        about["over"] = list(over)
    coords = _coordinates(places, axes, frame)  # "vcs" is a setting, or a number beside the results
    return xarray.Dataset({name: value for name, value in values.items() if name not in coords}, coords=coords, attrs=about)
