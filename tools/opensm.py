#!/usr/bin/env python3
"""Runs OpenSM over a simulated fabric (ibsim) and asks it, ibsim and the tools of infiniband-diags what became of it.

Needs the Debian packages opensm and ibsim-utils; questions need infiniband-diags, credit loops ibutils. `Subnet` keeps both running
until its end; `run` routes once. Tests and benchmarks take OpenSM as judge with them. Everything that is waited for is looked for in
a log until it is there, and everything that was started ends with the program that started it, whatever becomes of that.
"""
import ctypes
import datetime
import glob
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

LIBRARIES = "/usr/lib/*/umad2sim/libumad2sim.so"
LAYERED = ("dfsssp", "lash", "nue", "torus-2QoS")  # engines that need quality of service switched on for their virtual lanes
TABLES = "opensm-lfts.dump"
DUMPED = (TABLES, "opensm-subnet.lst", "opensm.fdbs")  # by every sweep
SELF, NONE = 0, 255  # ports in tables: the switch's own port 0; no entry
_numbers = itertools.count()


def available(*tools):
    """Are OpenSM and ibsim installed, and these tools too?"""
    return bool(all(shutil.which(tool) for tool in ("opensm", "ibsim", *tools)) and glob.glob(LIBRARIES))


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _spawn(command, **options):
    return subprocess.Popen([str(part) for part in command], preexec_fn=_die_with_parent, **options)


def _stop(process, seconds=10):
    """Ends a process that this one started, if it has not ended by itself."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def _log_seconds(log, pattern):
    """Time of the first line of the log that matches, in seconds of its day."""
    match = re.search(r"^\w{3} \d\d (\d\d):(\d\d):(\d\d) (\d{6}) .*" + pattern, log, re.MULTILINE)
    if not match:
        return None
    hours, minutes, seconds, micros = (int(x) for x in match.groups())
    return datetime.timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micros).total_seconds()


class Simulator:
    """ibsim over a netlist or a dump of ibnetdiscover. Several can run at a time: each has sockets of its own name."""

    def __init__(self, fabric, directory, host=None, timeout=120):
        self.directory, self.timeout = pathlib.Path(directory).resolve(), timeout
        fabric = pathlib.Path(fabric).resolve()
        text = fabric.read_text(encoding="utf-8", errors="replace")
        hosts = re.findall(r'^\s*(?:Hca|Ca)\s+\d+\s+"([^"]+)"', text, re.MULTILINE | re.IGNORECASE)
        self.environment = dict(os.environ, IBSIM_SOCKNAME=f"ikat-{os.getpid()}-{next(_numbers)}", OSM_TMP_DIR=str(self.directory),
                                OSM_CACHE_DIR=str(self.directory), SIM_HOST=host or hosts[0])
        self.console = self.directory / "ibsim.out"
        self.directory.mkdir(parents=True, exist_ok=True)
        nodes = len(re.findall(r'^\s*(?:Hca|Ca|Switch)\s+\d+\s+"', text, re.MULTILINE | re.IGNORECASE)) + 8
        ports = sum(int(count) + 1 for count in re.findall(r'^\s*(?:Hca|Ca|Switch)\s+(\d+)\s+"', text, re.MULTILINE | re.IGNORECASE)) + 64
        pipe, self._input = os.pipe()
        self.process = None
        try:
            with open(self.directory / "ibsim.log", "wb") as log:
                self.process = _spawn(["ibsim", "-s", "-N", nodes, "-S", nodes, "-P", ports, "-f", self.console, fabric], stdin=pipe,
                                      stdout=log, stderr=log, cwd=self.directory, env=self.environment)
            socket = f"{self.environment['IBSIM_SOCKNAME']}:ctl"
            self.wait(lambda: socket in pathlib.Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace"), "ibsim to start")
        except BaseException:
            self.close()
            raise
        finally:
            os.close(pipe)

    def wait(self, there, what, process=None):
        """Until there() is true; fails when ibsim or `process` ends or the time is over."""
        end = time.monotonic() + self.timeout
        while not there():
            for each in (self.process, process):
                if each is not None and each.poll() is not None and not there():
                    raise RuntimeError(f"{each.args[0]} ended with {each.returncode} while waiting for {what}\n{self.tail()}")
            if time.monotonic() > end:
                raise TimeoutError(f"waited {self.timeout} s for {what}\n{self.tail()}")
            time.sleep(0.02)

    def tail(self):
        files = [self.directory / name for name in ("ibsim.log", "osm.log", "osm.out")]
        return "\n".join(f"{path.name}: {path.read_text(errors='replace')[-1500:]}" for path in files if path.exists())

    def say(self, command, answer=None):
        """A command to ibsim's console; with `answer`, a pattern, waits for it and returns what ibsim wrote."""
        begin = self.console.stat().st_size if self.console.exists() else 0
        os.write(self._input, (command + "\n").encode())
        if answer is None:
            return ""
        text = ""

        def answered():
            nonlocal text
            with open(self.console, "rb") as out:
                out.seek(begin)
                text = out.read().decode(errors="replace")
            return re.search(answer, text, re.MULTILINE)
        self.wait(answered, f"ibsim's answer to {command}")
        return text

    def dump(self):
        """Tables as the switches of ibsim hold them: {node GUID: {LID: port}}, with the switch's own LID as {LID: 0}."""
        tables, guid = {}, None
        for line in self.say("Dump", r"^#\s+dumped \d+ nodes").splitlines():
            node = re.match(r'(\w+) \d+ "[^"]*"\s+nodeguid (\w+)', line)
            if node:
                guid = int(node.group(2), 16) if node.group(1).lower() == "switch" else None
            elif guid is not None and "Forwarding table" in line:
                for lid, port in re.findall(r" \[(\d+)\]([0-9A-F]+)", line):
                    if int(port, 16) != NONE:
                        tables.setdefault(guid, {})[int(lid)] = int(port, 16)
        return tables

    def tool(self, *command, timeout=None, check=False):
        """A command of infiniband-diags over this fabric; its finished process, with text."""
        process = _spawn(command, env=dict(self.environment, LD_PRELOAD=glob.glob(LIBRARIES)[0]), cwd=self.directory, text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace")
        try:
            out, err = process.communicate(timeout=timeout or self.timeout)
        finally:
            _stop(process, 0)
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}\n{out[-2000:]}{err[-2000:]}")
        return done

    def ask(self, *command, answered, tries=3):
        """The same, once more where there was no answer at all: on a busy machine tools give up before ibsim answers."""
        for _ in range(tries):
            done = self.tool(*command)
            if answered(done.stdout):
                break
        return done

    def close(self):
        if self._input is not None:
            if self.process:
                _stop(self.process, 5)
            os.close(self._input)
            self._input = None


class Subnet(Simulator):
    """A fabric with OpenSM as its master, up when it has been entered.

    engine: of OpenSM; tables: a file for its engine `file`; policy: a file of QoS rules; config: a file of options (opensm.conf);
    deployed: a folder that `ikat deploy` wrote, whose files are used as its commands say; roots: a file of root GUIDs. plugin: the folder
    of ikat's plug-in, whose engine is used; options: its event_plugin_options. cut: nodes, or pairs of a node and a port, as unlink() has
    them, whose cables are not there at first. environment: of OpenSM alone, LD_PRELOAD is put before ibsim's library."""

    def __init__(self, fabric, directory=None, engine=None, tables=None, policy=None, config=None, deployed=None, roots=None, qos=None,
                 more=(), host=None, timeout=120, plugin=None, options="", cut=(), environment=None):
        self._scratch = None
        if directory is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="ikat-opensm-", ignore_cleanup_errors=True)
            directory = self._scratch.name
        if deployed:
            deployed = pathlib.Path(deployed).resolve()
            tables = tables or deployed / "lfts"
            policy = policy or next((p for p in [deployed / "qos-policy.conf"] if p.exists()), None)
            config = config or next((p for p in [deployed / "opensm.conf"] if p.exists()), None)
        self.opensm = None
        super().__init__(fabric, directory, host, timeout)
        self.own = dict(environment or {})
        if plugin:
            engine, config = engine or "ikat", self.directory / "plugin.conf"
            config.write_text(f"event_plugin_name ikatosm\nevent_plugin_options {options}\nrouting_engine {engine}\n")
            self.own["LD_LIBRARY_PATH"] = str(plugin)
        self.engine = engine or ("file,no_fallback" if tables else "minhop")
        self.simulated = ["-s", "0", "-d", "2", "-e", "-D", "0x43", "-f", self.directory / "osm.log", "--dump_files_dir", self.directory]
        command = ["opensm", *self.simulated, "-R", self.engine]
        for option, value in (("-F", config), ("-U", tables), ("-Y", policy), ("-a", roots)):
            if value:
                command += [option, pathlib.Path(value).resolve()]
        if qos if qos is not None else (policy or self.engine in LAYERED):
            command.append("-Q")
        self.command = command + list(more)
        try:
            for place in cut:
                self._console("Unlink", *(place if isinstance(place, tuple) else (place,)))
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        library = glob.glob(LIBRARIES)[0]
        own = {**self.environment, **self.own, "LD_PRELOAD": ":".join([*filter(None, [self.own.get("LD_PRELOAD")]), library])}
        with open(self.directory / "osm.out", "wb") as out:
            self.opensm = _spawn(self.command, env=own, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.wait_up(1)

    def restart(self):
        """Kills OpenSM as it stands and starts it again."""
        self.opensm.kill()
        self.opensm.wait()
        (self.directory / "osm.log").unlink()
        self._start()

    def start(self, *options):
        """Ends OpenSM, and starts it as an administrator would with these options, to which only those of a simulated fabric are added."""
        _stop(self.opensm)
        (self.directory / "osm.log").unlink()
        self.command = ["opensm", *options, *self.simulated]
        self._start()

    def log(self):
        path = self.directory / "osm.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def wait_up(self, times):
        """Until the subnet has come up this many times since OpenSM began."""
        self.wait(lambda: self.log().count("-> SUBNET UP") >= times, "SUBNET UP", self.opensm)

    def sweep(self):
        """OpenSM reads its table file again and sweeps the fabric; returns when the subnet is up again."""
        times = self.log().count("-> SUBNET UP")
        self.opensm.send_signal(signal.SIGHUP)
        self.wait_up(times + 1)

    def unlink(self, node, port=None):
        """Cuts the cable of a port, or all of a node, as ibsim names it ("S-…"), and lets OpenSM find out."""
        self._console("Unlink", node, port)
        self.sweep()

    def relink(self, node, port=None):
        self._console("ReLink", node, port)
        self.sweep()

    def _console(self, verb, node, port=None):
        # The answer to a dump comes after that to the command before it: ibsim reads its console in order.
        command = f'{verb} "{node}"' + (f"[{port}]" if port is not None else "")
        self.say(command)
        said = self.say("Dump", r"^#\s+dumped \d+ nodes")
        refused = re.search(r"^# (?!Net status|dumped|\tlinear).*(?:not found|not linked|can't|bad).*$", said, re.MULTILINE)
        if refused:
            raise RuntimeError(f"ibsim refuses {command}: {refused.group(0)}")

    def at_rest(self, act, names=DUMPED, settled=lambda: True):
        """What act() returns of the files that OpenSM has dumped, with OpenSM stopped between two sweeps: a trap that comes late may begin
        another one at any moment, which writes all files again. settled: what must be true of the files besides."""
        made = []

        def stopped():
            if self.opensm.poll() is not None:
                return False
            self.opensm.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self.opensm.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            try:
                files = [self.file(name) for name in names]
                others = [self.file(name) for name in ("opensm-sl2vl.dump", "opensm.mcfdbs") if self.file(name).exists()]
                # a sweep writes them one after the other, with less than a third of a second between two of them
                if not all(path.exists() and path.stat().st_size for path in files):
                    return False
                if any(time.time() - path.stat().st_mtime < 0.3 for path in files + others):
                    return False
                if not settled():
                    return False
                made.append(act())
                return True
            finally:
                self.opensm.send_signal(signal.SIGCONT)
        self.wait(stopped, "OpenSM to rest between two sweeps", self.opensm)
        return made[0]

    def copy_files(self, folder, settled=lambda: True):
        """Copies what OpenSM has dumped, made between two sweeps, into a new folder, which is returned."""
        def copy():
            folder.mkdir(parents=True)
            for path in self.directory.glob("opensm*"):
                shutil.copy(path, folder)
            return folder
        return self.at_rest(copy, settled=settled)

    # ---- what OpenSM made

    def configured(self):
        """The engine that really made the tables at last."""
        engines = re.findall(r"([\w-]+) tables configured on all switches", self.log())
        return engines[-1] if engines else None

    def file(self, name):
        """A file that OpenSM has dumped: opensm-lfts.dump, opensm-subnet.lst, opensm.fdbs, opensm-sl2vl.dump, …"""
        return self.directory / name

    @property
    def tables(self):
        return self.file(TABLES)

    # ---- what the tools say

    def lids(self):
        """{node GUID: LID} and {LID: (node GUID, 'SW' or 'CA', port GUID)} of opensm-subnet.lst."""
        path = self.file("opensm-subnet.lst")
        if self.opensm.poll() is not None:
            return subnet_lids(path)
        return self.at_rest(lambda: subnet_lids(path), names=[path.name])

    def service_level(self, source, destination):
        """SL of the path record from a LID to another one."""
        return record_levels(self.path_record(source, destination))[source, destination]

    def path_record(self, source, destination):
        """What saquery prints of one path record."""
        return self.ask("saquery", "-p", "--slid", source, "--dlid", destination, answered=lambda text: "PathRecord dump:" in text).stdout

    def path_records(self):
        """What saquery prints of the path records of all pairs of hosts. Asked one by one (some 100 per second): ibsim passes on the
        first packet of longer answers only."""
        hosts = [lid for lid, (_, kind, _) in self.lids()[1].items() if kind == "CA"]
        return "".join(self.path_record(a, b) for a, b in itertools.permutations(hosts, 2))

    def query_errors(self, *options):
        """ibqueryerrors: dict with ports (checked), failures (queries of performance counters that got no answer), bad (ports), text."""
        done = self.ask("ibqueryerrors", *options, answered=lambda text: " ports checked" in text)
        ports = re.search(r"(\d+) ports checked, (\d+) ports have errors", done.stdout)
        failures = re.search(r"(\d+) PMA query failures", done.stdout)
        return {"ports": int(ports.group(1)) if ports else 0, "bad": int(ports.group(2)) if ports else 0,
                "failures": int(failures.group(1)) if failures else 0, "status": done.returncode, "text": done.stdout, "errors": done.stderr}

    def trace(self, source, destination):
        """ibtracert from LID to LID: [(GUID of the node that sends, port)], in order, or None without a way."""
        done = self.ask("ibtracert", source, destination, answered=lambda text: re.search("^To ", text, re.MULTILINE))
        first = re.search(r"^From \w+ \{0x([0-9a-f]+)\} portnum (\d+)", done.stdout, re.MULTILINE)
        if not first or not re.search(r"^To ", done.stdout, re.MULTILINE):
            return None
        path, sender = [], int(first.group(1), 16)
        for port, guid in re.findall(r"^\[(\d+)\] -> .*?\{0x([0-9a-f]+)\}\[\d+\]", done.stdout, re.MULTILINE):
            path.append((sender, int(port)))
            sender = int(guid, 16)
        return path

    def discover(self):
        """What ibnetdiscover prints."""
        return self.ask("ibnetdiscover", answered=lambda text: "switchguid=" in text).stdout

    def close(self):
        if self.opensm:
            _stop(self.opensm)
            self.opensm = None
        super().close()
        if self._scratch:
            self._scratch.cleanup()
            self._scratch = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def subnet_lids(path):
    """{node GUID: LID} and {LID: (node GUID, 'SW' or 'CA', port GUID)} of an opensm-subnet.lst."""
    of_node, of_lid = {}, {}
    side = re.compile(r"\{ (\w\w)\S* Ports:\S+ SystemGUID:\w+ NodeGUID:(\w+) PortGUID:(\w+) .*? LID:(\w+) PN:\w+ \}")
    for kind, node, port, lid in side.findall(pathlib.Path(path).read_text(encoding="utf-8", errors="replace")):
        of_node[int(node, 16)] = int(lid, 16)
        of_lid[int(lid, 16)] = (int(node, 16), kind, int(port, 16))
    return of_node, of_lid


def record_levels(text):
    """{(source LID, destination LID): SL} of what saquery prints of path records."""
    found = {}
    for record in text.split("PathRecord dump:")[1:]:
        field = dict(re.findall(r"^\s*(\w+?)\.+(\S+)", record, re.MULTILINE))
        found[int(field["slid"], 0), int(field["dlid"], 0)] = int(field["sl"], 0)
    return found


def read_tables(path):
    """{switch GUID: {LID: port}} of `Unicast lids` blocks."""
    tables, row = {}, None
    for line in pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("Unicast lids"):
            row = tables.setdefault(int(re.search(r"guid (0x[0-9a-f]+)", line).group(1), 16), {})
        elif line.startswith("0x"):
            lid, port = line.split()[:2]
            if int(port) != NONE:
                row[int(lid, 16)] = int(port)
    return tables


def write_fdbs(tables, path):
    """{switch GUID: {LID: port}} as ibdmchk reads them."""
    with open(path, "w", encoding="utf-8") as out:
        for switch, row in sorted(tables.items()):
            out.write(f"dump_ucast_routes: Switch 0x{switch:016x}\nLID    : Port : Hops : Optimal\n")
            out.writelines(f"0x{lid:04X} : {port:03d}  : 01   : yes\n" for lid, port in sorted(row.items()))
            out.write("\n")


def _lane_lines(path):
    """Lines `GUID IN OUT 0xVV ...` of ibdmchk from an opensm-sl2vl.dump: two service levels in each of eight bytes."""
    switch = None
    for line in pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        header = re.match(r"(Switch|\w[\w ]*) (0x[0-9a-f]+), ", line)
        if header:
            switch = header.group(2) if header.group(1) == "Switch" else None
        row = re.match(r"\s*(\d+)\s+(\d+)\s*: ((?:\s*\d+){16})\s*$", line)
        if switch and row:
            lanes = [int(lane) for lane in row.group(3).split()]
            yield f"{switch} {row.group(1)} {row.group(2)} " + " ".join(f"0x{a:x}{b:x}" for a, b in zip(lanes[::2], lanes[1::2]))


def credit_loops(directory, service_levels=None, lanes=None, every=False, tables=None, timeout=600):
    """ibdmchk on the files that OpenSM left in a folder: dict with loop (found one), bad (paths that end nowhere), text.

    service_levels: {(source node GUID, destination LID): SL}; VLs are taken as the SLs, or by an opensm-sl2vl.dump (lanes). every: also
    paths from and to switches. tables: {switch GUID: {LID: port}} instead of OpenSM's."""
    directory = pathlib.Path(directory).resolve()
    command = ["ibdmchk", "-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs"] + (["-a"] if every else [])
    with tempfile.TemporaryDirectory(prefix="ikat-ibdmchk-") as name:
        scratch = pathlib.Path(name)
        for file in ("opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs"):
            if tables is not None and file == "opensm.fdbs":
                write_fdbs(tables, scratch / file)
            elif (directory / file).exists():
                (scratch / file).symlink_to(directory / file)
            else:
                (scratch / file).write_text("")
        if service_levels is not None:
            (scratch / "psl").write_text("".join(f"0x{guid:016x} {lid} {sl}\n" for (guid, lid), sl in sorted(service_levels.items())))
            command += ["-c", "psl"]
        if lanes is not None:
            (scratch / "slvl").write_text("".join(f"{line}\n" for line in _lane_lines(lanes)))
            command += ["-d", "slvl"]
        process = _spawn(command, cwd=scratch, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
        try:
            text, _ = process.communicate(timeout=timeout)
        finally:
            _stop(process, 0)
    scanned = re.search(r"Scanned:\s*(\d+) CA to CA paths", text)
    bad = re.search(r"Found (\d+) missing paths", text)
    return {"loop": "Found credit loop" in text or "credit loops in routing" in text, "bad": int(bad.group(1)) if bad else 0,
            "paths": int(scanned.group(1)) if scanned else 0, "text": text}


def run(fabric, engine, directory, tables=None, timeout=600):
    """Routes the fabric file with an engine (or loads tables) once. Returns dict: up, engine that configured the tables, tables (path of
    the dump), lanes (virtual lanes of an engine that layers its paths), routing_s (until its tables stand or it gives up)."""
    directory = pathlib.Path(directory).resolve()
    simulator = Simulator(fabric, directory, timeout=timeout)
    try:
        log_file = directory / "osm.log"
        command = ["opensm", "-o", "-s", "0", "-e", "-R", engine, "-D", "0x47", "-f", log_file, "--dump_files_dir", directory]
        if engine in LAYERED:
            command.append("-Q")
        if tables:
            command += ["-U", pathlib.Path(tables).resolve()]
        process = _spawn(command, env=dict(simulator.environment, LD_PRELOAD=glob.glob(LIBRARIES)[0]), cwd=directory,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout)
        finally:
            _stop(process, 0)
    finally:
        simulator.close()
    log = log_file.read_text(errors="replace")
    begin = _log_seconds(log, "building routing with")
    end = _log_seconds(log, "(?:cannot build|tables configured on all switches)")
    configured = re.search(r"([\w-]+) tables configured on all switches", log)
    lanes = re.findall(r"(?:Virtual Lanes|Lanes) needed: (\d+)", log)
    return {"up": "SUBNET UP" in log, "lanes": int(lanes[-1]) if lanes else None, "engine": configured.group(1) if configured else None,
            "tables": str(directory / TABLES),
            "routing_s": (end - begin) % 86400 if begin is not None and end is not None else None}
