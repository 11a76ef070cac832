"""Reproductions: the experiments of published papers, and what became of their claims."""
from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ikat._core import (Cancel, Cancelled, Collected, Env, IkatError, Progress, ffi, json_of, lib, module, on_interrupt, plain, processors, string, table_html,
                        text, texts, whole)
from ikat._experiments import observer_of, part_of
from ikat._types import Quantity, Real, Report, Text, Whole

if TYPE_CHECKING:
    import pandas


class Study(NamedTuple):
    """A figure or table of a paper that can be reproduced: `name` ("000/fig2b") is what `ikat.reproduce` takes; `claims`: how many
    it has; `experiment`: of which it is a part, together with others; `seconds`: of processor time of that, by scale."""

    name: str
    title: str
    claims: int
    experiment: str
    seconds: Dict[str, float]


class ReproducedClaim(NamedTuple):
    """A claim and its verdict: "holds", "differs", "cannot be told" or "not asked" (only at a larger scale). `name`: the figure;
    `paper`: what the source says, `found`: what was found, `asked`: what holds or not; `differs`: why a difference is known;
    `weak`, `blind`: why it may hold although the effect is not there; `margin`: by which share what was found may move before the
    verdict changes (None: it cannot be said); `basis`: "publication", "twin" or "program"."""

    name: str
    verdict: str
    claim: str
    source: str
    paper: str
    found: str
    differs: str
    asked: str
    basis: str
    weak: str
    margin: Optional[float]
    blind: str
    scale: str


class Reproduction(NamedTuple):
    """What `ikat.reproduce` has made. `counts`: what `ikat reproduce --json` prints; `failed`: a proof failed or a point deadlocked;
    `refused`: studies that could not be run, with the reason.

    Truth value: no claim differs without a recorded reason, and nothing failed, which is when the command ends with status 0."""

    folder: str
    scale: str
    claims: List[ReproducedClaim]
    counts: Dict[str, Any]
    failed: bool
    refused: Dict[str, str]

    def __bool__(self) -> bool:
        return not self.failed and not self.refused and self.counts["differ"] == self.counts["differ_as_recorded"]

    def __repr__(self) -> str:
        n = self.counts
        return (f"<ikat.Reproduction in {self.folder!r}, scale {self.scale}: {n['hold']} claims hold, {n['differ']} differ "
                f"({n['differ_as_recorded']} as recorded), {n['cannot_be_told']} cannot be told>")

    def _repr_html_(self) -> str:
        return table_html(f"{self.folder}, scale {self.scale}", ["figure", "verdict", "claim", "found", "the source"],
                          [[c.name, c.verdict, c.claim, c.found, c.paper] for c in self.claims if c.verdict != "not asked"])

    @property
    def page(self) -> str:
        """The page with all claims and figures, index.html of the folder."""
        return os.path.join(self.folder, "index.html")

    def frame(self) -> pandas.DataFrame:
        """The claims as a pandas frame, a row each."""
        pandas = module("pandas", "Reproduction.frame")
        return pandas.DataFrame(self.claims, columns=ReproducedClaim._fields)

    def to_dict(self) -> Dict[str, Any]:
        """What `ikat reproduce --json` prints."""
        return dict(self.counts)


class _Opened:
    """The studies that are asked for, as a context manager."""

    def __init__(self, names, folder, scale, part):
        self.c, (listed, kept) = ffi.new("ik_reproduction *"), texts(names, "names")
        self._keep = [part, ffi.new("char[]", folder)]
        self._open = lambda: plain(lib.ik_reproduction_open, listed, len(kept), self._keep[1], scale, part, self.c)

    def __enter__(self):
        try:
            self._open()
        except BaseException:
            lib.ik_reproduction_close(self.c)
            raise
        return self.c

    def __exit__(self, *_):
        lib.ik_reproduction_close(self.c)


def studies(names: Sequence[Text] = ()) -> List[Study]:
    """What `ikat.reproduce` can reproduce, as `ikat reproduce --list`: figures and tables of papers; names: of these alone."""
    count, out = ffi.new("size_t *"), []
    scales = lib.ik_scales(count)
    with _Opened(names, b"", ffi.NULL, ffi.NULL) as r:
        for s in (r.studies[i] for i in range(r.num)):
            seconds = {string(scales[n].name): lib.ik_reproduction_scale(s.about, scales[n].name).seconds for n in range(count[0])}
            for k in range(s.about.num_figures):
                if s.shown[k]:
                    figure = s.about.figures[k]
                    out.append(Study(f"{string(s.study.paper)}/{string(figure.name)}", string(figure.title), figure.num_claims, string(s.study.name),
                                     dict(seconds)))
    return out


def reproduce(names: Sequence[Text] = (), folder: Text = "reproductions", *, scale: Text = "quick", threads: Optional[Whole] = None,
              progress: Report = None, cancel: Optional[Cancel] = None, memory_limit: Optional[Quantity] = None, cache: Optional[Text] = None,
              shard: Optional[Tuple[Whole, Whole]] = None, budget: Optional[Real] = None, only: Optional[Sequence[Text]] = None) -> Reproduction:
    """Runs the experiments of published papers and checks their claims, as `ikat reproduce`.

    names: figures or tables (["000/fig2b"]) or papers (["000"]), none: all (`ikat.studies()` lists them, with what they cost).
    folder: for the results, and the page index.html with every claim and figure; what it holds already is not run again. scale:
    "quick" (minutes, for which most claims still hold), "middle" or "full" (the papers'). Options: as of `ikat.run`; the budget is
    that of all experiments together. An experiment that cannot be run does not stop the others: see `refused`."""
    part, keep = part_of(shard, budget, only)
    path, jobs = text(folder, "folder"), processors() if threads is None else whole(threads, "threads", 1, 4096)
    options = {"threads": jobs, "progress": progress, "cancel": cancel, "memory_limit": memory_limit, "cache": cache}
    with _Opened(names, path, text(scale, "scale"), part) as r:
        plain(lib.ik_reproduction_make_folders, r)
        failed, errors = _run(r, jobs, options)
        made = _judged(r, os.fsdecode(path), failed, {name: str(error) for name, error in errors.items()})
        if errors and made.counts["experiments_without_results"] == r.num:
            raise next(iter(errors.values()))
    del keep
    return made


def _run(r, jobs, options):
    """Whether something failed, and the errors of what could not be run."""
    begun, any_failed, errors = time.monotonic(), False, {}
    for s in (r.studies[i] for i in range(r.num)):
        part, failed, name = ffi.new("ik_run_part *"), ffi.new("bool *"), f"{string(s.study.paper)}/{string(s.study.name)}"
        if not lib.ik_reproduction_part(r, ffi.addressof(s), time.monotonic() - begun, part):
            continue
        try:
            with Env(**options) as env:
                if env.progress:
                    env.running.report(Progress("stage", f"{name}: {string(s.about.title)}"))
                env.check(lib.ik_experiment_run(s.e, s.results, jobs, env.c, part, observer_of(env), failed, env.err))
        except Cancelled:
            raise
        except IkatError as error:
            errors[name] = error
            continue
        any_failed |= failed[0]
        plain(lib.ik_reproduction_write, r, ffi.addressof(s))
    return any_failed, errors


@ffi.def_extern(name="ikpy_reproduced", error=lib.IK_ERR_CANCELLED, onerror=on_interrupt)
def _on_reproduced(ctx, s, claim, _):
    values = {name: string(getattr(claim, name)) or "" for name in ("claim", "source", "paper", "found", "differs", "asked", "weak", "blind")}
    ffi.from_handle(ctx).append(ReproducedClaim(
        name=f"{string(s.study.paper)}/{string(claim.figure)}", verdict=string(lib.ik_claim_verdict_name(claim.verdict)),
        basis=string(lib.ik_claim_basis_name(claim.basis)), margin=None if math.isnan(claim.margin) else claim.margin,
        scale=string(s.about.scale), **values))
    return lib.IK_OK


def _judged(r, folder, failed, refused):
    verdicts, claims = ffi.new("ik_reproduction_verdicts *"), Collected()
    handle = ffi.new_handle(claims)
    plain(lib.ik_reproduction_judge, r, lib.ikpy_reproduced, handle, verdicts)
    claims.check()
    if verdicts.lacking < r.num:
        plain(lib.ik_reproduction_write_page, r)
    counts = json_of(lambda j: lib.ik_reproduction_json(r, verdicts, j))
    return Reproduction(folder, string(r.scale), list(claims), counts, failed, refused)
