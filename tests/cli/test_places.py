"""Errors of an experiment stand at the line and column of the setting that is wrong, whoever finds them: the reader of the file, a
routing, a VC scheme, a model of the simulator."""
import json
import unittest

from harness import SOURCE, CliTest, run

BASE = {"fabric": {"family": "karytree", "k": 4, "n": 2}, "routing": {"family": "dmodk"}, "traffic": {"family": "uniform"},
        "load": "30%", "switch": {}, "adapter": {}, "measure": {"warmup": "1 us", "duration": "2 us"}}
SECTIONS = {"topologies": "fabric", "routings": "routing", "vcs": "vc", "selections": "selection", "traffic": "traffic"}
NUMBERS = ("number", "real", "size", "time", "rate", "fraction", "length", "spec", "list")
# Traffic that ends, and what its members need beside the setting that is tried.
WORKLOADS = ("exchange", "batch", "collective", "nas", "storage", "graph", "program", "jobs")
NEEDED = {"collective": {"operation": "alltoallv"}, "nas": {"benchmark": "cg"}, "graph": {"path": SOURCE / "experiments/taskfarm.goal"},
          "program": {"trace": SOURCE / "experiments/taskfarm.goal"}}

# What a routing, a scheme or a model refuses: settings beside those of BASE, and those of them that may be blamed.
TORUS, SPARSE = {"family": "torus", "dims": "8:8"}, {"family": "jellyfish", "N": 20, "d": 3, "p": 1}
REFUSED = [
    ({"switch.model": "pipelined", "switch.speedup": "1.5"}, "switch.speedup"),
    ({"switch.model": "pipelined", "switch.buffer": "8 B"}, "switch.buffer"),
    ({"switch.model": "pipelined", "switch.buffer": "64 B", "switch.flit": "128 B"}, "switch.buffer"),
    ({"switch.model": "pipelined", "switch.flit": "65536 B", "switch.buffer": "1 KiB"}, "switch.buffer"),
    ({"switch.model": "pipelined", "switch.input_speedup": "2"}, "switch.input_speedup"),
    ({"switch.model": "pipelined", "measure.duration": "1 ps"}, "measure.duration"),
    ({"switch.model": "pipelined", "measure.series": "1 ps", "measure.duration": "100 ms"}, "measure.series"),
    ({"switch.model": "pipelined", "fabric.latency": "100 ms"}, "fabric.latency"),
    ({"switch.model": "pipelined", "switch.queues": "damq"}, "switch.queues"),
    ({"switch.model": "pipelined", "adapter.queues": "one"}, "adapter.queues"),
    ({"adapter.injection": "bursty", "adapter.burst_beta": "10%"}, "adapter.injection"),
    ({"adapter.injection": "bursty", "adapter.burst_beta": "10%", "adapter.burst_rate": "20%"}, "adapter.burst_rate"),
    ({"adapter.injection": "bursty", "adapter.burst_beta": "10%", "adapter.burst_alpha": "1%"}, "adapter.burst_alpha"),
    ({"adapter.injection": "bursty", "adapter.burst_beta": "80%", "adapter.burst_rate": "100%", "load": "90%"}, "adapter.burst_beta"),
    ({"adapter.burst_beta": "10%"}, "adapter.burst_beta"),
    ({"adapter.message_sizes": "64 kg"}, "adapter.message_sizes"),
    ({"adapter.message_sizes": "64 B:50%, 1 KiB:40%"}, "adapter.message_sizes"),
    ({"adapter.message_sizes": "a=64 B", "switch.model": "pipelined"}, "adapter.message_sizes"),
    ({"adapter.message_sizes": "64 B", "adapter.active": "3"}, "adapter.active"),
    ({"adapter.message_sizes": "64 B", "adapter.message": "64 B"}, "adapter.message"),
    ({"adapter.message_histogram": "nowhere.txt"}, "adapter.message_histogram"),
    ({"switch.buffer": "1 KiB"}, "switch.buffer"),
    ({"switch.buffer": "3 TB"}, "switch.buffer"),
    ({"switch.buffer": "900 GB"}, "switch.buffer"),
    ({"adapter.buffer": "1 KiB", "switch.buffer": "64 KiB"}, "adapter.buffer"),
    ({"adapter.buffer": "900 GB", "switch.buffer": "64 KiB"}, "adapter.buffer"),
    ({"adapter.packet": "1 MiB"}, "adapter.packet"),
    ({"adapter.packet": "1 MiB", "switch.iterations": "2"}, "adapter.packet"),
    ({"vcs": "64", "vc": {"family": "any"}}, "vcs"),
    ({"switch.model": "ioq", "switch.output_buffer": "1 KiB"}, "switch.output_buffer"),
    ({"switch.model": "ioq", "switch.output_buffer": "1 KiB", "switch.output_sharing": "shared"}, "switch.output_buffer"),
    ({"switch.model": "ioq", "switch.output_buffer": "100 GB", "switch.output_sharing": "shared"}, "switch.output_buffer"),
    ({"switch.input_speedup": "2"}, "switch.input_speedup"),
    ({"switch.voq": "true", "switch.queues": "fifo"}, "switch.voq"),
    ({"switch.model": "ioq", "switch.queues": "voqnet"}, "switch.queues"),
    ({"switch.queues": "voqnet", "adapter.packet": "64 KiB"}, "switch.queues"),
    ({"switch.queues": "voqnet", "switch.buffer": "8 KiB"}, "switch.buffer"),
    ({"switch.queues": "damq", "switch.queue_min": "150 KiB", "vc": {"family": "any"}, "vcs": "2"}, "switch.queue_min"),
    ({"switch.queues": "damq", "switch.queue_max": "1 KiB"}, "switch.queue_max"),
    ({"switch.queues": "damq", "switch.queue_min": "1 KiB", "vc": {"family": "any"}, "vcs": "2"}, "switch.queue_min"),
    ({"switch.queues": "damq", "switch.damq_bounds": "output", "routing": {"family": "adaptive_tree"}}, "switch.damq_bounds"),
    ({"switch.queues": "voqnet", "switch.adaptive_choice": "at_arrival", "routing": {"family": "adaptive_tree"}},
     "switch.adaptive_choice"),
    ({"measure.series": "1 ps", "measure.duration": "100 ms"}, "measure.series"),
    ({"measure.congestion": "true"}, "measure.congestion"),
    ({"fabric.latency": "1 ps"}, "fabric.latency"),
    ({"fabric.latency": "100 ms"}, "fabric.latency"),
    ({"fabric.host_latency": "1 ps", "fabric.latency": "6 ns"}, "fabric.host_latency"),
    ({"fabric": TORUS, "routing": {"family": "shortest"}, "vc": {"family": "hopclass"}, "vcs": "2"}, "vcs"),
    ({"fabric": TORUS, "routing": {"family": "dor"}, "vc": {"family": "dateline"}, "vcs": "1"}, "vcs"),
    ({"fabric": {"family": "mesh", "dims": "4:4"}, "routing": {"family": "dor"}, "vc": {"family": "dateline"}}, "vc.family"),
    ({"fabric": TORUS, "routing": {"family": "dmodk"}}, "routing.family"),
    ({"fabric": SPARSE, "routing": {"family": "loren", "t_max": 1, "grid": 4}}, "routing.t_max"),
    ({"fabric": SPARSE, "routing": {"family": "cowen", "t_max": 1}}, "routing.t_max"),
    ({"selection": {"family": "sadp"}}, "selection.family"),
    ({"traffic": {"family": "hotspot", "fraction": "10%", "nodes": "99"}}, "traffic.nodes"),
    ({"traffic": {"family": "shift", "by": 4000}}, "traffic.by"),
    ({"fabric": {"family": "slimfly", "q": 6}}, "fabric.q"),
    ({"fabric": {"family": "dragonfly", "h": 2, "g": 10}}, "fabric.g"),
    ({"fabric": {"family": "torus", "dims": "4:4", "hosts": 0}}, "fabric.hosts"),
    ({"fabric": {"family": "file", "path": "no-such.net"}}, "fabric.path"),
    ({"traffic": {"family": "file", "path": "no-such.flows"}}, "traffic.path"),
    ({"routing.family": "adaptive_tree", "adapter.in_order": "true", "adapter.reorder_buffer": "16 B"}, "adapter.reorder_buffer"),
    ({"routing.family": "adaptive_tree", "adapter.in_order": "true", "adapter.reorder_buffer": "64 KiB", "adapter.packet": "128 KiB",
      "switch.buffer": "1 MiB"}, "adapter.reorder_buffer"),
    ({"routing.family": "adaptive_tree", "adapter.in_order": "true", "adapter.reorder_buffer": "64 KiB", "adapter.throttle": "strict",
      "adapter.queues": "destination"}, "adapter.throttle"),
    ({"routing.family": "adaptive_tree", "adapter.in_order": "true", "adapter.reorder_buffer": "64 KiB", "adapter.queues": "one"},
     "adapter.queues"),
    ({"routing.family": "adaptive_tree", "adapter.in_order": "true", "adapter.reorder_buffer": "64 KiB", "adapter.control_delay": "1 ps"},
     "adapter.control_delay"),
    ({"proof_pairs": "7"}, "proof_pairs"),
    ({"load": "150%"}, "load"),
    ({"vcs": "65"}, "vcs"),
]

# The same of traffic that ends, on 16 hosts.
PAIR = "'a=exchange:hosts=0..7&b=exchange:hosts=%s'"
WORKLOADS_REFUSED = [
    ({"family": "exchange", "order": "xor", "processes": 6}, "traffic.order"),
    ({"family": "exchange", "pattern": "uniform"}, "traffic.pattern"),
    ({"family": "exchange", "pattern": "nas:cg"}, "traffic.pattern"),
    ({"family": "exchange", "hosts": "0..16"}, "traffic.hosts"),
    ({"family": "exchange", "hosts": "0..7", "processes": 9}, "traffic.processes"),
    ({"family": "exchange", "mapping": "no-such.txt"}, "traffic.mapping"),
    ({"family": "exchange", "bytes": "1000 TB", "repeat": 10000}, "traffic.bytes"),
    ({"family": "exchange", "pattern": "cg", "visits": 3}, "traffic.visits"),
    ({"family": "collective", "operation": "reduce", "root": 16}, "traffic.root"),
    ({"family": "collective", "operation": "allreduce", "algorithm": "bruck"}, "traffic.algorithm"),
    ({"family": "collective", "operation": "barrier", "processes": 17}, "traffic.processes"),
    ({"family": "collective", "operation": "barrier", "processes": 1}, "traffic.processes"),
    ({"family": "collective", "operation": "alltoallv", "sizes": "no-such.txt"}, "traffic.sizes"),
    ({"family": "collective", "operation": "allreduce", "algorithm": "halving_doubling", "processes": 6}, "traffic.processes"),
    ({"family": "nas", "benchmark": "bt", "processes": 8}, "traffic.processes"),
    ({"family": "nas", "benchmark": "bt", "hosts": "0..2"}, "traffic.hosts"),
    ({"family": "graph", "path": "no-such.goal"}, "traffic.path"),
    ({"family": "storage", "trace": "no-such.csv"}, "traffic.trace"),
    ({"family": "storage", "sizes": "no-such.txt"}, "traffic.sizes"),
    ({"family": "storage", "disks": 16}, "traffic.disks"),
    ({"family": "storage", "trace": SOURCE / "experiments/disks.csv", "reads": "20%"}, "traffic.reads"),
    ({"family": "storage", "trace": SOURCE / "experiments/disks.csv", "service": "1 us"}, "traffic.service"),
    ({"family": "storage", "trace": SOURCE / "experiments/disks.csv", "processes": 7}, "traffic.processes"),
    ({"family": "storage", "from": "1 us"}, "traffic.from"),
    ({"family": "jobs", "jobs": PAIR % "7..9"}, "traffic.jobs"),
    ({"family": "jobs", "jobs": PAIR % "8..16"}, "traffic.jobs"),
    ({"family": "jobs", "jobs": PAIR % "8..11|pattern=uniform"}, "traffic.jobs"),
    ({"family": "jobs", "jobs": "'a=uniform'"}, "traffic.jobs"),
]


# What patterns that go on refuse, as entries of a schedule and members of a mix.
PATTERNS_REFUSED = [
    ({"family": "hotspot", "fraction": "10%", "nodes": 99}, "nodes"),
    ({"family": "shift", "by": 4000}, "by"),
    ({"family": "file", "path": "no-such.flows"}, "path"),
    ({"family": "neighbour", "dims": "5:5"}, "dims"),
    ({"family": "bt", "side": 5}, "side"),
]

ENDS = {"fabric": "karytree:k=4,n=2", "routing": "dmodk", "measure": {"until": "delivered", "at_most": "1 ms"}}
GOES_ON = {"fabric": "karytree:k=4,n=2", "routing": "dmodk", "load": "30%", "measure": {"warmup": "1 us", "duration": "200 us"}}


class Blamed:
    """A value whose place is asked for."""

    def __init__(self, value):
        self.value = value


def flow(value, text):
    """`value` in YAML's flow style behind `text`; the column of what is Blamed, 0 = it is not below."""
    if isinstance(value, Blamed):
        return flow(value.value, text)[0], len(text) + 1
    found = 0
    if isinstance(value, (dict, list)):
        named = isinstance(value, dict)
        text += "{" if named else "["
        for number, item in enumerate(value):
            text += ", " if number else ""
            text, column = flow(value[item], f"{text}{item}: ") if named else flow(item, text)
            found = found or column
        return text + ("}" if named else "]"), found
    return text + ("'%s'" % value if any(c in str(value) for c in ":,&|") else str(value)), found


def as_text(traffic):
    """A mapping as the text of a spec."""
    rest = ",".join(f"{key}={value.value if isinstance(value, Blamed) else value}" for key, value in traffic.items() if key != "family")
    return traffic["family"] + (":" + rest if rest else "")


def blaming(traffic, name):
    return {key: Blamed(value) if key == name else value for key, value in traffic.items()}


def job_forms(traffic):
    """Experiments with this traffic, one of whose values is Blamed, as a job; in its text it is the text."""
    first = {"name": "first", "traffic": {"family": "exchange", "hosts": "0..1", "bytes": "8 B"}}
    text = as_text(traffic)
    yield {**ENDS, "jobs": [first, {"name": "second", "traffic": traffic}]}
    yield {**ENDS, "traffic": {"family": "jobs", "jobs": [{"name": "only", "start": "1 us", "traffic": traffic}]}}
    yield {**ENDS, "jobs": [first, {"name": "second", "traffic": Blamed(text)}]}
    yield {**ENDS, "traffic": {"family": "jobs", "jobs": Blamed(f"a=exchange:hosts=0..1&b={text.replace(',', '|')}")}}
    moved = {key: value for key, value in traffic.items() if key in ("hosts", "mapping")}
    if moved and "mapping" not in traffic:
        yield {**ENDS, "jobs": [first, {"name": "second", "traffic": {k: v for k, v in traffic.items() if k not in moved}, **moved}]}


def entry_forms(traffic):
    """The same as an entry of a schedule, a member of a mix, and both."""
    text = as_text(traffic)
    member = {"share": "20%", "name": "rest", "pattern": traffic}
    yield {**GOES_ON, "schedule": [{"until": "40 us", "traffic": "uniform"}, {"traffic": traffic, "load": "10%"}]}
    yield {**GOES_ON, "schedule": [{"until": "40 us", "traffic": Blamed(text)}, {"traffic": "uniform"}]}
    yield {**GOES_ON, "traffic": {"family": "schedule", "entries": Blamed(f"@40 us=uniform&{text.replace(',', '|')}")}}
    yield {**GOES_ON, "traffic": {"family": "mix", "members": ["uniform", member]}}
    yield {**GOES_ON, "schedule": [{"until": "40 us", "traffic": {"family": "mix", "members": [{"pattern": "uniform"}, member]}},
                                   {"traffic": "uniform"}]}


def written(settings):
    """An experiment of these settings, one per line, and the place of each value: {"switch.buffer": "12:11"}."""
    lines, places = [], {}
    for section, value in settings.items():
        if not isinstance(value, dict):
            lines.append(f"{section}: {value}")
            places[section] = f"{len(lines)}:{len(section) + 3}"
            continue
        if not value:
            continue
        lines.append(f"{section}:")
        for key, text in value.items():
            lines.append(f"  {key}: {text}")
            places[f"{section}.{key}"] = f"{len(lines)}:{len(key) + 5}"
    return "\n".join(lines) + "\n", places


def with_settings(more):
    """BASE with these instead."""
    settings = {section: dict(value) if isinstance(value, dict) else value for section, value in BASE.items()}
    for key, value in more.items():
        section, _, name = key.partition(".")
        if name:
            if not isinstance(settings.get(section), dict):
                settings[section] = {"find": "saturation"} if section == "load" else {}
            settings[section][name] = value
        else:
            settings[section] = value
    return settings


class Places(CliTest):
    def stands_at(self, settings, blamed):
        """Run with these settings is refused at the place of one of them, and leaves no file."""
        text, places = written(settings)
        experiment, results = self.tmp / "e.yaml", self.tmp / "e.db"
        results.unlink(missing_ok=True)
        experiment.write_text(text)
        done = run("run", experiment, "-o", results, "--no-cache", "-q")
        self.assertEqual(done.returncode, 2, f"{text}{done.stdout}{done.stderr}")
        self.assertTrue(done.stderr.startswith(f"ikat: {experiment}:{places[blamed]}: "), f"{text}\n{blamed}: {done.stderr}")
        self.assertFalse(results.exists(), done.stderr)
        return done.stderr

    def test_values_of_every_setting(self):
        """Every setting of every section and family, with a value that it cannot have, and with a key that it does not have."""
        tables = json.loads(run("list", "--json").stdout)
        for table, section in SECTIONS.items():
            for member in tables[table]:
                rows = member["parameters"] + (member.get("common_parameters") or [])
                for row in rows:
                    if row["type"] in ("text", "file", "string", "path", "spec", "patterns"):
                        continue
                    with self.subTest(member=member["name"], parameter=row["name"]):
                        value = "-1" if row["type"] in NUMBERS else "wrong"
                        needed = {name: text for name, text in NEEDED.get(member["name"], {}).items() if name != row["name"]}
                        settings = with_settings({section: {"family": member["name"], **needed, row["name"]: value}})
                        if member["name"] in WORKLOADS:
                            settings["measure"] = {"until": "delivered", "at_most": "1 ms"}
                            del settings["load"]
                        self.stands_at(settings, f"{section}.{row['name']}")
        for section in tables["sections"]:
            if section["name"] in ("figures", "expect"):  # lists of mappings, which have tests of their own
                continue
            for row in section["parameters"]:
                with self.subTest(section=section["name"], parameter=row["name"]):
                    named = section["name"] != "options"
                    key = f"{section['name']}.{row['name']}" if named else row["name"]
                    if key not in ("title", "description", "reproduction.paper", "reproduction.settings"):  # any text
                        self.stands_at(with_settings({key: "wrong"}), key)

    def test_what_stages_refuse(self):
        for settings, blamed in REFUSED:
            with self.subTest(settings=settings):
                self.stands_at(with_settings(settings), blamed)

    def test_what_workloads_refuse(self):
        for traffic, blamed in WORKLOADS_REFUSED:
            with self.subTest(traffic=traffic):
                settings = with_settings({"traffic": traffic, "measure": {"until": "delivered", "at_most": "1 ms"}})
                del settings["load"]
                self.stands_at(settings, blamed)

    def stands_in_flow(self, settings, message=None):
        """As stands_at, of an experiment in flow style, a line a section."""
        lines, place = [], None
        for key, value in settings.items():
            line, column = flow(value, f"{key}: ")
            lines.append(line)
            place = f"{len(lines)}:{column}" if column else place
        experiment, results = self.tmp / "f.yaml", self.tmp / "f.db"
        results.unlink(missing_ok=True)
        experiment.write_text("\n".join(lines) + "\n")
        done = run("run", experiment, "-o", results, "--no-cache", "-q")
        self.assertEqual(done.returncode, 2, f"{lines}\n{done.stdout}{done.stderr}")
        self.assertTrue(done.stderr.startswith(f"ikat: {experiment}:{place}: "), f"{lines}\n{place} expected: {done.stderr}")
        self.assertFalse(results.exists(), done.stderr)
        if message:
            self.assertIn(message, done.stderr)

    def test_values_within_jobs(self):
        """Every parameter of every workload, in a job: with a value that it cannot have, and with one that creation refuses."""
        tables = json.loads(run("list", "--json").stdout)
        for member in tables["traffic"]:
            if member["name"] not in WORKLOADS or member["name"] == "jobs":
                continue
            for row in member["parameters"]:
                value = "no-such.txt" if row["type"] in ("file", "path") else "no-such" if row["type"] == "patterns" else \
                    "-1" if row["type"] in NUMBERS else "wrong"
                needed = {name: text for name, text in NEEDED.get(member["name"], {}).items() if name != row["name"]}
                for settings in job_forms({"family": member["name"], **needed, row["name"]: Blamed(value)}):
                    with self.subTest(member=member["name"], parameter=row["name"], settings=settings):
                        self.stands_in_flow(settings)
        for traffic, blamed in WORKLOADS_REFUSED:
            if traffic["family"] == "jobs":
                continue
            for settings in job_forms(blaming(traffic, blamed.removeprefix("traffic."))):
                with self.subTest(settings=settings):
                    self.stands_in_flow(settings)

    def test_values_within_schedules_and_mixes(self):
        for traffic, blamed in PATTERNS_REFUSED:
            for settings in entry_forms(blaming(traffic, blamed)):
                with self.subTest(settings=settings):
                    self.stands_in_flow(settings)

    def test_own_settings_of_jobs_and_entries(self):
        """What stands beside the traffic of a job, an entry or a member."""
        exchange, late = {"family": "exchange", "hosts": "0..3"}, {"traffic": "uniform"}
        first, last = {"name": "a", "traffic": exchange}, {"family": "exchange", "hosts": Blamed("3..5")}
        for settings in (
                {**ENDS, "jobs": [first, {"name": "b", "traffic": last}]},
                {**ENDS, "jobs": [first, {"name": "b", "traffic": "exchange", "hosts": Blamed("3..5")}]},
                {**ENDS, "jobs": [first, {"name": Blamed("a"), "traffic": {"family": "exchange", "hosts": "4..5"}}]},
                {**ENDS, "jobs": [{"name": Blamed("n" * 41), "traffic": exchange}]},
                {**ENDS, "jobs": [first, {"name": "b", "start": Blamed("soon"), "traffic": "exchange"}]},
                {**ENDS, "jobs": [first, {"name": "b", "start": ["1 us", Blamed("5 kg")], "traffic": "exchange"}]},
                {**ENDS, "jobs": [first, {"name": "b", "traffic": Blamed("uniform")}]},
                {**ENDS, "jobs": [first, {"name": "b", "traffic": {"family": Blamed("uniform")}}]},
                {**GOES_ON, "schedule": [{"until": Blamed("never"), "traffic": "uniform"}, late]},
                {**GOES_ON, "schedule": [{"until": "9 us", "traffic": "uniform", "load": Blamed("110%")}, late]},
                {**GOES_ON, "schedule": [{"until": "9 us", "traffic": "uniform", "name": "x"}, {**late, "name": Blamed("x")}]},
                {**GOES_ON, "schedule": [{"until": "9 us", **late}, {"until": ["12 us", Blamed("8 us")], **late}, late]},
                {**GOES_ON, "traffic": {"family": "mix", "members": [{"pattern": "uniform", "share": Blamed("many")}]}},
                {**GOES_ON, "traffic": {"family": "mix", "members": [{"pattern": "uniform", "share": "50%"},
                                                                     {"pattern": "shift", "share": Blamed("7")}]}},
                {**GOES_ON, "traffic": {"family": "mix", "members": [{"pattern": {"family": Blamed("mix"), "members": "uniform"}}]}},
                {**ENDS, "traffic": {"family": "exchange", "pattern": {"family": "neighbour", "dims": Blamed("5:5")}}},
                {**ENDS, "jobs": [first, {"name": "b", "traffic": {
                    "family": "exchange", "hosts": "4..9", "pattern": {"family": "neighbour", "dims": Blamed("5:5")}}}]}):
            with self.subTest(settings=settings):
                self.stands_in_flow(settings)

    def test_too_large(self):
        """What is too large names the value that makes it so, before the first point, and who says it once."""
        many = "the sum of all messages is above 2^60 B"
        for traffic, blamed, message in (
                ({"family": "exchange", "bytes": "1000 TB", "repeat": 10}, "bytes", "more than 2^60 B"),
                ({"family": "exchange", "bytes": "20 TB"}, "bytes", "2^32 packets"),
                ({"family": "exchange", "pattern": "shift", "bytes": "20 TB"}, "bytes", "2^32 packets"),
                ({"family": "exchange", "pattern": "shift", "repeat": 1000, "bytes": "1000 TB"}, "bytes", many),
                ({"family": "exchange", "phases": "host", "bytes": "1000 TB", "repeat": 100}, "bytes", many),
                ({"family": "exchange", "phases": "host", "bytes": "20 TB"}, "bytes", "2^32 packets"),
                ({"family": "collective", "operation": "allreduce", "bytes": "1000 TB"}, "bytes", "2^32 packets"),
                ({"family": "collective", "operation": "alltoallv", "bytes": "1000 TB"}, "bytes", "2^49 B"),
                ({"family": "nas", "benchmark": "cg", "bytes": "1 TB", "iterations": 1000}, "bytes", "2^32 packets")):
            traffic = blaming(traffic, blamed)
            for settings in ({**ENDS, "traffic": traffic}, {**ENDS, "jobs": [{"name": "a", "start": "1 us", "traffic": traffic}]}):
                with self.subTest(settings=settings):
                    self.stands_in_flow(settings, message)
        # 63 phases of 64 messages, and 384 in each barrier between them: 20,010,432 in 709 repetitions, of which 2,858,688 are of the phases
        for phases, repeat in (("host", 4961), ("barrier", 709)):
            self.stands_in_flow({**ENDS, "fabric": "crossbar:n=64", "routing": "minimal", "traffic": {
                "family": "exchange", "bytes": "8 B", "phases": Blamed(phases), "repeat": repeat}}, "at most 20000000 are taken")
        experiment = self.tmp / "g.yaml"
        experiment.write_text("fabric: karytree:k=4,n=2\nrouting: dmodk\ntraffic: {family: exchange, pattern: shift, bytes: 1000 TB, "
                              "repeat: 1000}\nmeasure: {until: delivered, at_most: 1 ms}\n")
        done = run("run", experiment, "-o", self.tmp / "g.db", "-q")
        self.assertEqual(done.stderr.count("traffic 'exchange'"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
