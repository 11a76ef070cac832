"""Slurm's topology.conf: trees as slurmctld itself reads them, blocks by their grammar."""
import os
import re
import shutil
import socket
import subprocess
import time
import unittest

from harness import SOURCE, CliTest

CLUSTER = SOURCE / "data/cluster96.ibnetdiscover"
SLURM_CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
SlurmdPort={port2}
StateSaveLocation={tmp}/state
SlurmctldPidFile={tmp}/pid
SlurmctldLogFile={tmp}/log
TopologyPlugin=topology/tree
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
"""


def hosts_of(expression):
    """The names of a host list."""
    names = []
    for prefix, numbers in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?,?", expression):
        for part in numbers.split(",") if numbers else [""]:
            low, _, high = part.partition("-")
            names += [f"{prefix}{n:0{len(low)}d}" for n in range(int(low), int(high or low) + 1)] if part else [prefix]
    return names


def lines_of(text):
    """{name: (nodes, switches)} of a topology.conf."""
    lines = {}
    for line in text.splitlines():
        fields = dict(f.split("=", 1) for f in line.split("#")[0].split())
        if "SwitchName" in fields or "BlockName" in fields:
            name = fields.get("SwitchName") or fields["BlockName"]
            lines[name] = (set(hosts_of(fields.get("Nodes", ""))), set(hosts_of(fields.get("Switches", ""))))
    return lines


def free_ports():
    with socket.socket() as a, socket.socket() as b:
        a.bind(("127.0.0.1", 0))
        b.bind(("127.0.0.1", 0))
        return a.getsockname()[1], b.getsockname()[1]


class Slurm(CliTest):
    def written(self, spec, name="slurm_tree"):
        out = self.tmp / "topology.conf"
        self.ok("topo", spec, "--format", name, "-o", out)
        return out.read_text()

    def leaves_of_cluster(self):
        """Hosts of each switch, straight from the dump."""
        leaves, current = {}, None
        for line in CLUSTER.read_text().splitlines():
            head = re.match(r'(Switch|Ca)\s+\d+ "([^"]+)"', line)
            current = (head.group(2) if head.group(1) == "Switch" else None) if head else current
            port = re.match(r'\[\d+\]\s+"H-[^#]*# "(\S+)', line)
            if port and current and "Aggregation" not in line:
                leaves.setdefault(current, set()).add(port.group(1))
        return leaves

    def test_leaves_of_the_cluster(self):
        lines = lines_of(self.written(CLUSTER))
        leaves = {name: nodes for name, (nodes, _) in lines.items() if nodes}
        self.assertEqual(leaves, self.leaves_of_cluster())
        (top,) = [switches for nodes, switches in lines.values() if switches]
        self.assertEqual(top, set(leaves))

    def test_levels(self):
        """Hosts below a line are those of a pod, and of everything."""
        lines = lines_of(self.written("rlft:ports=4,levels=3"))

        def below(name):
            nodes, switches = lines[name]
            return nodes.union(*[below(s) for s in switches])

        sizes = sorted(len(below(name)) for name in lines)
        self.assertEqual(sizes, [2] * 8 + [4] * 4 + [16])
        self.assertEqual(len(lines_of(self.written("crossbar:n=8"))), 1)
        self.assertEqual(lines_of(self.written("crossbar:n=12"))["sw0"][0], {f"host{n}" for n in range(12)})

    def test_slurmctld_reads_trees(self):
        control = shutil.which("slurmctld", path=os.environ["PATH"] + ":/usr/sbin")
        if not control or not shutil.which("scontrol"):
            self.skipTest("slurmctld is not installed")
        for spec in (CLUSTER, "rlft:ports=4,levels=3", "xgft:m=4:3:2,w=2:2:3,hosts=17,fail=20%,fail_seed=1"):
            with self.subTest(fabric=str(spec)):
                wanted = lines_of(self.written(spec))
                shown = self.shown_by_slurm(control, wanted)
                self.assertEqual({name: sorted(s) for name, (_, s) in shown.items()}, {name: sorted(s) for name, (_, s) in wanted.items()})
                for name, (nodes, _) in wanted.items():
                    self.assertTrue(nodes <= shown[name][0])
                    self.assertTrue(not nodes or nodes == shown[name][0])

    def shown_by_slurm(self, control, wanted):
        ports = free_ports()
        (self.tmp / "state").mkdir(exist_ok=True)
        text = SLURM_CONF.format(host=socket.gethostname(), user=subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip(),
                                 port=ports[0], port2=ports[1], tmp=self.tmp)
        names = sorted(set().union(*[nodes for nodes, _ in wanted.values()]))
        text += "".join(f"NodeName={n} NodeAddr=127.0.0.1\n" for n in names) + "PartitionName=p Nodes=ALL Default=YES\n"
        conf = self.tmp / "slurm.conf"
        conf.write_text(text)
        env = {**os.environ, "SLURM_CONF": str(conf)}
        with open(self.tmp / "said", "w") as said, subprocess.Popen([control, "-D", "-c", "-f", conf], env=env, stdout=said, stderr=said) as running:
            try:
                for _ in range(1500):
                    done = subprocess.run(["scontrol", "show", "topology"], env={**env, "SLURM_CONF": str(conf)}, capture_output=True, text=True, timeout=600)
                    if done.returncode == 0 and "SwitchName" in done.stdout:
                        return lines_of(done.stdout)
                    self.assertIsNone(running.poll(), (self.tmp / "said").read_text())
                    time.sleep(0.2)
            finally:
                running.terminate()
        self.fail(done.stdout + done.stderr + (self.tmp / "said").read_text())

    def test_blocks(self):
        """By the documented grammar: a block has at least the first size; sizes grow by powers of two."""
        for spec in ("dragonfly:h=2", CLUSTER, "rlft:ports=4,levels=3", "torus:dims=4:4"):
            with self.subTest(fabric=str(spec)):
                text = self.written(spec, "slurm_block")
                blocks = lines_of(text)
                (sizes,) = re.findall(r"^BlockSizes=(\S+)$", text, re.M)
                sizes = [int(s) for s in sizes.split(",")]
                self.assertEqual(min(len(nodes) for nodes, _ in blocks.values()), sizes[0])
                self.assertEqual(sizes, [sizes[0] * 2 ** k for k in range(len(sizes))])
                self.assertLessEqual(sizes[-1], sum(len(nodes) for nodes, _ in blocks.values()))
        self.assertEqual({name: nodes for name, (nodes, _) in lines_of(self.written(CLUSTER, "slurm_block")).items()}, self.leaves_of_cluster())

    def test_no_tree(self):
        self.refused("topo", "torus:dims=4:4", "--format", "slurm_tree", "-o", self.tmp / "x", says=["not a tree", "slurm_block"])
        self.assertFalse((self.tmp / "x").exists())

    def dump(self, *names):
        text = f'Switch\t{len(names)} "S-1"\t\t# "leaf one;1" base port 0 lid 1 lmc 0\n'
        text += "".join(f'[{i}]\t"H-{i + 256:x}"[1]\t\t# "{n}" lid {i + 1} 4xEDR\n' for i, n in enumerate(names, 1))
        path = self.tmp / "fabric.ibnetdiscover"
        path.write_text(text)
        return path

    def test_names(self):
        """What Slurm cannot take is replaced, and said; adapters of one host are one node."""
        text = self.written(self.dump("n@1 mlx5_0", "n@1 mlx5_1", "n_1", "n:1", "a9", "a10", "a11", "b098", "b099", "b100", "12", "é x"))
        (nodes,) = [n for n, _ in lines_of(text).values()]
        self.assertEqual(len(nodes), 11)
        self.assertIn("leaf-one-1", text)
        self.assertIn("a[9-11]", text)
        self.assertIn("b[098-100]", text)
        self.assertIn("# 1 further adapter ", text)
        self.assertIn("characters that Slurm does not accept", text)
        self.assertTrue({"n-1", "n-1--2", "n_1"} <= nodes, nodes)
        (nodes,) = [n for n, _ in lines_of(self.written(self.dump(" foo HCA-1", " bar HCA-1", "  foo HCA-2"))).values()]
        self.assertEqual(nodes, {"foo", "bar"}, "blanks before the first word")
        self.refused("topo", self.dump("localhost mlx5_0", "localhost mlx5_0"), "--format", "slurm_tree", "-o", self.tmp / "x",
                     says=["same description", "name of its node"])


if __name__ == "__main__":
    unittest.main()
