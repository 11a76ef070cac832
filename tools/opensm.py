#!/usr/bin/env python3
"""Runs OpenSM over a simulated fabric (ibsim) and says what it did: its tables and the time that routing took.

Needs the Debian packages opensm and ibsim-utils. Used by the tests and benchmarks that take OpenSM as judge.
"""
import datetime
import glob
import os
import pathlib
import re
import shutil
import subprocess
import time

LIBRARIES = "/usr/lib/*/umad2sim/libumad2sim.so"
LAYERED = ("dfsssp", "lash")  # engines that need quality of service switched on for their virtual lanes


def available():
    return bool(shutil.which("opensm") and shutil.which("ibsim") and glob.glob(LIBRARIES))


def _log_seconds(log, pattern):
    """Time of the first line of the log that matches, in seconds of its day."""
    match = re.search(r"^\w{3} \d\d (\d\d):(\d\d):(\d\d) (\d{6}) .*" + pattern, log, re.MULTILINE)
    if not match:
        return None
    hours, minutes, seconds, micros = (int(x) for x in match.groups())
    return datetime.timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micros).total_seconds()


def _start_simulator(fabric, directory, environment):
    ports = pathlib.Path(fabric).read_text(encoding="utf-8", errors="replace").count("\n[") + 100000
    fifo = directory / "console"
    os.mkfifo(fifo)
    hold = os.open(fifo, os.O_RDWR)
    with open(directory / "ibsim.log", "wb") as log:
        simulator = subprocess.Popen(["ibsim", "-s", "-N", "60000", "-S", "20000", "-P", str(ports), "-f", "ibsim.out", str(fabric)],
                                     stdin=hold, stdout=log, stderr=log, cwd=directory, env=environment)
    for _ in range(3000):
        time.sleep(0.1)
        if simulator.poll() is not None:
            raise RuntimeError("ibsim: " + (directory / "ibsim.log").read_text(errors="replace")[-500:])
        if f"{environment['IBSIM_SOCKNAME']}:ctl" in pathlib.Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace"):
            break
    return simulator, hold


def run(fabric, engine, directory, tables=None, timeout=600):
    """Routes the fabric file with an engine (or loads tables). Returns dict: up, engine that configured the tables, tables (path of the
    dump), lanes (virtual lanes of an engine that layers its paths), routing_s (until its tables stand or it gives up)."""
    directory = pathlib.Path(directory).resolve()
    fabric = pathlib.Path(fabric).resolve()
    text = fabric.read_text(encoding="utf-8", errors="replace")
    environment = dict(os.environ, IBSIM_SOCKNAME=f"ikat-{os.getpid()}-{directory.name}", OSM_TMP_DIR=str(directory),
                       OSM_CACHE_DIR=str(directory), SIM_HOST=re.search(r'"(H-[0-9a-f]+)"', text).group(1))
    simulator, hold = _start_simulator(fabric, directory, environment)
    try:
        log_file = directory / "osm.log"
        command = ["opensm", "-o", "-s", "0", "-e", "-R", engine, "-D", "0x47", "-f", str(log_file), "--dump_files_dir",
                   str(directory)]
        if engine in LAYERED:
            command.append("-Q")
        if tables:
            command += ["-U", str(pathlib.Path(tables).resolve())]
        subprocess.run(command, env=dict(environment, LD_PRELOAD=glob.glob(LIBRARIES)[0]), cwd=directory, timeout=timeout,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    finally:
        simulator.kill()
        simulator.wait()
        os.close(hold)
    log = log_file.read_text(errors="replace")
    begin = _log_seconds(log, "building routing with")
    end = _log_seconds(log, "(?:cannot build|tables configured on all switches)")
    configured = re.search(r"(\w+) tables configured on all switches", log)
    lanes = re.findall(r"Virtual Lanes needed: (\d+)", log)
    return {"up": "SUBNET UP" in log, "lanes": int(lanes[-1]) if lanes else None, "engine": configured.group(1) if configured else None,
            "tables": str(directory / "opensm-lfts.dump"),
            "routing_s": (end - begin) % 86400 if begin is not None and end is not None else None}
