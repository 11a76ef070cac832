"""Recording MPI programs: what `ikat record` does."""
from __future__ import annotations

import os
import subprocess
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

from ikat._core import NONE, CheckFailed, FileError, IkatError, Unbroken, UsageError, WrongType, error_of, ffi, json_of, lib, plain, rows_html, text, whole, written
from ikat._types import Text, Whole


class Recording(NamedTuple):
    """What a recording of an MPI program has, as `ikat record --show --json` says it (docs/recording.md). `exit_status`: of the
    program's command where `ikat.record` ran it, 128 + N if signal N ended it; None of a file that was opened. `compute_cpu_ns`: None
    where the ranks did not record it. Traffic `program:trace=PATH` replays it."""

    path: str
    ranks: int
    ranks_cut: int
    calls: int
    polls: int
    messages: int
    bytes: int
    collectives: int
    onesided: int
    onesided_bytes: int
    failed_calls: int
    spawn_calls: int
    intercomm_collectives: int
    threads_overlapped: bool
    duration_ns: int
    mpi_ns: int
    total_ns: int
    compute_ns: int
    compute_cpu_ns: Optional[int]
    shared_ranks: int
    shared_cores: int
    outside: int
    library: str
    exit_status: Optional[int]

    def __repr__(self) -> str:
        return f"<ikat.Recording {self.path!r}: {self.ranks} ranks, {self.messages} messages of {self.bytes} bytes>"

    def _repr_html_(self) -> str:
        return rows_html(os.path.basename(self.path), [(name.replace("_", " "), value) for name, value in zip(self._fields, self)
                                                       if name != "path" and value is not None])

    def to_dict(self) -> Dict[str, Any]:
        """What `ikat record --json` prints."""
        rows = {"recording" if name == "path" else name: value for name, value in zip(self._fields, self) if value is not None}
        return {"version": lib.IK_JSON_VERSION, **rows}

    def lines(self, rank: Optional[Whole] = None) -> str:
        """The calls, one per line, as `ikat record --calls` prints them; of one rank, or of all."""
        path, only = text(self.path, "path"), NONE if rank is None else whole(rank, "rank", 0, NONE - 1)
        return written(lambda out: plain(lib.ik_recording_print, path, only, out)).decode("utf-8", "replace")


def recording(path: Text) -> Recording:
    """Reads what a recording has, without running anything."""
    summary = ffi.new("ik_recording_summary *")
    plain(lib.ik_recording_summarise, text(path, "path"), summary)
    return _recording(summary, path, None)


def record(command: Sequence[Text], output: Text, *, ranks: Optional[Whole] = None, launcher: Optional[Text] = None,
           mpi: Optional[Text] = None) -> Recording:
    """Runs an MPI program and records its communication to the file `output`, which is replaced, as `ikat record` does.

    command: the program with its arguments, started by `mpirun -n RANKS`; without `ranks`, a command that starts the ranks itself:
    ["srun", "-n", "4", "./app"]. launcher: another mpirun, "mpirun.mpich". mpi: "openmpi" or "mpich", for programs that load an MPI
    library themselves, such as Python programs (None: the library that the program is linked with).

    The program writes to the standard output of this process, not to `sys.stdout`. A command that fails is no error if it was recorded:
    see `exit_status`. `CheckFailed`: nothing, or not everything, was recorded. Ctrl-C ends the program, and nothing is written."""
    words = _words(command, ranks, launcher)
    path, library = text(output, "output"), text(mpi, "mpi", optional=True)
    kept = [ffi.new("char[]", path), [ffi.new("char[]", word) for word in words]]
    job, made, err, code = ffi.new("ik_record_job *"), ffi.new("ik_recorded *"), ffi.new("ik_error *"), None
    try:
        with Unbroken():
            plain(lib.ik_record_begin, ffi.new("const char *[]", [*kept[1], ffi.NULL]), library, kept[0], job)
        folder = ffi.string(job.folder)
        code = _run(words, ffi.string(job.recorder), folder)
    finally:  # also of Ctrl-C at the end of the first block
        with Unbroken():
            status = lib.ik_record_end(job, code is not None, made, err) if job.folder else lib.IK_OK
            lib.ik_record_free(job)
    if status:
        raise _failed(error_of(status, err), made, os.fsdecode(folder), code)
    return _recording(ffi.addressof(made, "summary"), output, code)


def _words(command, ranks, launcher) -> Tuple[bytes, ...]:
    if isinstance(command, (str, bytes, os.PathLike)) or not hasattr(command, "__iter__"):
        raise WrongType(f"command: a list is expected, a program and its arguments, not {type(command).__name__}")
    words = tuple(text(word, "command") for word in command)
    if not words:
        raise UsageError("command: there is no program to record")
    if ranks is None:
        if launcher is not None:
            raise UsageError("launcher: it has no effect without ranks", "ranks=4, or the launcher as the first word of the command")
        return words
    count = whole(ranks, "ranks", 1, 2**31 - 1)
    return (text("mpirun" if launcher is None else launcher, "launcher"), b"-n", str(count).encode(), *words)


def _run(words, recorder, folder) -> int:
    """The exit status. (ik_record_run is for processes of one thread, which Python's seldom are.)"""
    before = os.environb.get(b"LD_PRELOAD", b"")
    env = {**os.environb, b"LD_PRELOAD": recorder + (b":" + before if before else b""), b"IKAT_RECORD_FOLDER": folder}
    try:
        started = subprocess.Popen(words, env=env)  # pylint: disable=consider-using-with
    except OSError as error:
        raise FileError(f"{os.fsdecode(words[0])} cannot be run: {error.strerror}", status="IK_ERR_IO") from None
    with started as child:
        try:
            code = child.wait()
        except BaseException:  # of Ctrl-C the program may have heard, or not: in a notebook it has not
            child.terminate()
            child.wait()
            raise
    return code if code >= 0 else 128 - code


def _failed(error, made, folder, code):
    """An error with what else has to be known."""
    if isinstance(error, IkatError) and made.is_kept:
        error.hint = f"what the ranks recorded is kept in {folder}; one file of it: ikat record --merge {folder} -o FILE"
    if isinstance(error, CheckFailed) and code:
        error.text += f" (the command ended with status {code})"
        error.args = (error.text,)
    return error


def _recording(summary, path, code) -> Recording:
    """path: as the user gave it."""
    path = os.fsdecode(text(path, "path"))
    found = json_of(lambda j: lib.ik_recording_json(summary, b"", j))
    found["compute_cpu_ns"] = found.get("compute_cpu_ns")
    return Recording(path=path, exit_status=code, **{name: found[name] for name in Recording._fields[1:-1]})
