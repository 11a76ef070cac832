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
WORKLOADS = ("exchange", "collective", "nas", "graph", "jobs")
NEEDED = {"collective": {"operation": "alltoallv"}, "nas": {"benchmark": "cg"}, "graph": {"path": SOURCE / "experiments/taskfarm.goal"}}

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
    ({"switch.queues": "fifo", "switch.adaptive_choice": "at_arrival", "routing": {"family": "adaptive_tree"}},
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
    ({"family": "jobs", "jobs": PAIR % "7..9"}, "traffic.jobs"),
    ({"family": "jobs", "jobs": PAIR % "8..16"}, "traffic.jobs"),
    ({"family": "jobs", "jobs": PAIR % "8..11|pattern=uniform"}, "traffic.jobs"),
    ({"family": "jobs", "jobs": "'a=uniform'"}, "traffic.jobs"),
]


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
            settings.setdefault(section, {})[name] = value
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
            for row in section["parameters"]:
                with self.subTest(section=section["name"], parameter=row["name"]):
                    named = section["name"] != "options"
                    key = f"{section['name']}.{row['name']}" if named else row["name"]
                    if key not in ("title", "description"):
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


if __name__ == "__main__":
    unittest.main()
