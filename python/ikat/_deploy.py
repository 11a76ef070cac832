"""Deploying: a routing as a folder of files for OpenSM, and what a subnet holds beside it."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from ikat._audit import Compared, Verdict, compared_of
from ikat._core import (Cancel, Env, Object, UsageError, WrongType, array, configured, ffi, filled, json_of, lib, rows_html, string, text, whole,
                        written)
from ikat._fabric import Fabric, fabric_of
from ikat._types import Quantity, Report, Text, Whole


class TableDifference(NamedTuple):
    """An entry that differs: `switch` and `destination` in words, `lid`, printed ports that were `wanted` and `found` (None: none)."""

    switch: str
    lid: int
    destination: str
    wanted: Optional[int]
    found: Optional[int]


class LaneDifference(NamedTuple):
    """A virtual lane that differs: of packets on service level `sl` that leave by `port` (in words) and came in by printed port
    `input` (0: from the switch itself, None: the port is a host's)."""

    port: str
    input: Optional[int]
    sl: int
    wanted: int
    found: int


class DeployCheck(NamedTuple):
    """What a subnet holds beside what a folder wanted. Truth value: `equal`. Entries of tables: wanted, of these equal, with another
    port, missing; not wanted (`entries_extra`); not printed by dump_fts; of switches and ports that are gone. Numbers of VLs are
    None where no SL-to-VL maps were given. The first thousand differences of each kind are listed. `note`: how the tables fitted
    the fabric, None = in all."""

    equal: bool
    entries: int
    entries_equal: int
    entries_different: int
    entries_missing: int
    entries_extra: int
    entries_unprinted: int
    entries_gone: int
    vls_compared: Optional[int]
    vls_different: Optional[int]
    vl_holes: Optional[int]
    differences: List[TableDifference]
    vl_differences: List[LaneDifference]
    note: Optional[str]

    def __bool__(self) -> bool:
        return self.equal

    def __repr__(self) -> str:
        return (f"<ikat.DeployCheck: {'equal' if self.equal else 'NOT equal'}, {self.entries_equal} of {self.entries} entries, "
                f"{self.entries_extra} not wanted>")

    def _repr_html_(self) -> str:
        rows = [(name.replace("_", " "), value) for name, value in zip(self._fields, self) if value is not None and not isinstance(value, list)]
        return rows_html("what is installed, beside what was deployed", rows)

    def to_dict(self) -> Dict[str, Any]:
        """What `ikat verify-deployed --json` prints."""
        lanes = [{"in" if name == "input" else name: value for name, value in row._asdict().items()} for row in self.vl_differences]
        out = {"version": lib.IK_JSON_VERSION, **self._asdict(), "differences": [row._asdict() for row in self.differences], "vl_differences": lanes}
        del out["note"]
        return out


def verify_deployed(folder: Text, lfts: Text, sl2vl: Optional[Text] = None, fabric: Optional[Fabric] = None, *,
                    threads: Optional[Whole] = None, progress: Report = None, cancel: Optional[Cancel] = None,
                    memory_limit: Optional[Quantity] = None) -> DeployCheck:
    """Compares forwarding tables (`lfts`), and SL-to-VL maps, as dumped from a subnet, with those of a folder that `Fabric.deploy`
    or `ikat deploy` wrote, entry by entry. `fabric`: as it is now; None: that of the folder. Options: threads, progress, cancel,
    memory_limit."""
    f = ffi.NULL if fabric is None else fabric_of(fabric)._p()
    folder, lfts, sl2vl = text(folder, "folder"), text(lfts, "lfts"), text(sl2vl, "sl2vl", optional=True)
    with Env(threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit) as env:
        room = filled("ik_deploy_check", lib.IKPY_DEPLOY_CHECK, lambda out: env.check(
            lib.ik_deploy_verify(folder, lfts, sl2vl, f, env.c, out, env.err)))
        held = Object.__new__(Object)._take(lib.IKPY_DEPLOY_CHECK, room, "ik_deploy_check *")._p()
    out = json_of(lambda j: lib.ik_deploy_check_json(held, j))
    del out["version"]
    out["differences"] = [TableDifference(**row) for row in out["differences"]]
    out["vl_differences"] = [LaneDifference(row.pop("port"), row.pop("in"), **row) for row in out["vl_differences"]]
    return DeployCheck(**out, note=string(held.note))


class Deployment(Object):
    """What `Fabric.deploy` has written, as it was read back, and the verdict on that.

    Truth value: it is proved, and no host was left out.
    """

    __slots__ = ("fabric", "_keep")
    fabric: Fabric  #: what all numbers of nodes and ports are of
    _keep: Any

    @classmethod
    def _of(cls, fabric, folder, texts, values, options):
        """The pointers of the configuration outlive the call: summaries name the fabric and what was installed."""
        config, keep = configured("ik_deploy_config", texts, values)
        folder = text(folder, "folder", optional=True)
        held, self = fabric_of(fabric)._hold(), cls.__new__(cls)
        with Env(**options) as env:
            room = filled("ik_deployment", lib.IKPY_DEPLOYMENT, lambda out: env.check(
                lib.ik_deploy(held[0], config, folder, env.c, out, env.err)))
            self._take(lib.IKPY_DEPLOYMENT, room, "ik_deployment *", held)
            self.fabric = fabric if room.fabric == held[0] else Fabric._part(room.fabric, self._hold())
        self._keep = keep
        return self

    def __bool__(self) -> bool:
        return self.proved and self._p().num_left_out == 0

    def __repr__(self) -> str:
        if getattr(self, "_c", None) is None:
            return "<ikat.Deployment: closed>"
        return (f"<ikat.Deployment of {self.routing!r} in {self._said()}: "
                f"{'proved' if self.proved else 'NOT proved'}, {self.lanes} lane{'s' * (self.lanes > 1)}>")

    def _repr_html_(self) -> str:
        return rows_html(f"deployment of {self.routing}", [
            ("folder", self._said()), ("VC scheme", self.vc), ("lanes", self.lanes), ("entries", self.entries),
            ("proved", "yes" if self.proved else f"NO: {self.why_not}"), ("hosts left out", self._p().num_left_out)] + self.verdict._rows())

    def _said(self):
        """The folder as a text that can be printed."""
        c = self._p()
        return "no folder (a dry run)" if c.dry_run else string(c.folder)

    @property
    def folder(self) -> Optional[str]:
        """The folder as an absolute path; None: a dry run, nothing was written. Bytes that are not UTF-8 are as `os.fsdecode` makes them."""
        c = self._p()
        folder: Optional[str] = None if c.dry_run else ffi.string(c.folder).decode("utf-8", "surrogateescape")
        return folder

    @property
    def routing(self) -> str:
        """Canonical text of the routing."""
        return string(self._p().plan.routing.spec)

    @property
    def vc(self) -> str:
        """Canonical text of the scheme of virtual channels."""
        return string(self._p().plan.vc.spec)

    @property
    def lanes(self) -> int:
        """Virtual lanes that it uses."""
        return self._p().lanes

    @property
    def proved(self) -> bool:
        """Every pair that the fabric connects is delivered, and no credit loop is possible, as the files say."""
        return bool(self._p().proved)

    @property
    def why_not(self) -> str:
        """What is not proved, "" if all is."""
        return string(self._p().why_not)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the tables, service levels and lanes that were read back."""
        c = self._p()
        return Verdict(c, ffi.addressof(c, "verdict"), ffi.addressof(c, "lids"), c.fabric.num_ports)

    @property
    def compared(self) -> List[Compared]:
        """Routings that were compared to choose this one; empty where it was named."""
        c = self._p()
        return compared_of(ffi.addressof(c, "choice"))

    @property
    def entries(self) -> int:
        """Entries of the tables."""
        return self._p().entries

    @property
    def tables(self) -> npt.NDArray[np.uint8]:
        """[switches, LIDs] uint8: printed port to each LID of `verdict.lids`, 0 the switch itself, 255 no entry. No copy."""
        c = self._p()
        return array(c, c.tables.out, c.tables.num_switches, c.lids.num)

    @property
    def left_out(self) -> npt.NDArray[np.uint32]:
        """[hosts] uint32: nodes of hosts that the others cannot reach. No copy."""
        c = self._p()
        return array(c, c.left_out, c.num_left_out)

    @property
    def roots(self) -> npt.NDArray[np.uint32]:
        """[switches] uint32: the switches of the file root_guids. No copy."""
        c = self._p()
        return array(c, c.roots, c.num_roots)

    @property
    def update(self) -> Optional[Dict[str, Any]]:
        """With `from_`: which entries and service levels change, and in what order of switches (docs/deploying.md); None without."""
        update: Optional[Dict[str, Any]] = self.to_dict()["update"]
        return update

    def to_dict(self) -> Dict[str, Any]:
        """What summary.json of the folder holds and `ikat deploy --json` prints."""
        c = self._p()
        return json_of(lambda j: lib.ik_deployment_json(c, j))

    def summary(self) -> str:
        """The summary as text, with the commands that install it."""
        c = self._p()
        return written(lambda out: lib.ik_deployment_print(c, out)).decode("utf-8", "replace")

    def verify(self, lfts: Text, sl2vl: Optional[Text] = None, fabric: Optional[Fabric] = None, *, threads: Optional[Whole] = None,
               progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None) -> DeployCheck:
        """`ikat.verify_deployed(self.folder, lfts, …)`."""
        folder = self.folder
        if folder is None:
            raise UsageError("this deployment was a dry run: there is no folder to compare with")
        return verify_deployed(folder, lfts, sl2vl, fabric, threads=threads, progress=progress, cancel=cancel, memory_limit=memory_limit)


def deployment_of(fabric, folder, texts, vls, flags, failed, options):  # pylint: disable=too-many-arguments
    """What Fabric.deploy returns."""
    if failed is not None:
        fabric = fabric.without_failed(text(failed, "failed"), memory_limit=options["memory_limit"])
    for name, value in flags.items():
        if not isinstance(value, (bool, np.bool_)):
            raise WrongType(f"{name}: True or False is expected, not {type(value).__name__}")
    values = {"max_vls": whole(vls, "vls", 1, lib.IK_DEPLOYABLE_VCS), **{name: bool(value) for name, value in flags.items()}}
    return Deployment._of(fabric, folder, texts, values, options)
