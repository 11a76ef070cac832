"""An independent judge: ibdmchk (ibutils) looks for credit loops in the same tables. Skipped where it is not installed."""
import json
import shutil
import subprocess
import unittest

from harness import CliTest, run


class Subnet:
    """A fabric and its tables in the files that a subnet manager leaves behind."""

    def __init__(self, fabric, tables):
        self.switches, self.hosts = fabric["switches"], fabric["hosts"]
        self.links, self.tables = fabric["links"], tables

    def guid(self, node):
        return 0x0002C90200000001 + 0x10 * node

    def lid(self, node):
        return node + 1

    def side(self, node, port):
        ports = (self.switches + self.hosts)[node]["ports"]
        kind, name = ("SW", f"S{node}") if node < len(self.switches) else ("CA", f"H{node - len(self.switches)}")
        guid = f"{self.guid(node):016x}"
        return (f"{{ {kind} Ports:{ports:02x} SystemGUID:{guid} NodeGUID:{guid} PortGUID:{guid} VenID:000002C9 DevID:BD360000 "
                f"Rev:000000A1 {{{name}}} LID:{self.lid(node):04X} PN:{port + 1:02X} }}")

    def write(self, folder):
        cables = [(a, i, b, k) for a, i, b, k, _ in self.links]
        with open(folder / "subnet.lst", "w") as out:
            for a, i, b, k in cables + [(b, k, a, i) for a, i, b, k in cables]:
                out.write(f"{self.side(a, i)} {self.side(b, k)} PHY=4x LOG=ACT SPD=10\n")
        with open(folder / "tables.fdbs", "w") as out:
            for switch, row in enumerate(self.tables):
                out.write(f"dump_ucast_routes: Switch 0x{self.guid(switch):016x}\nLID    : Port : Hops : Optimal\n")
                for host, port in enumerate(row):
                    lid = self.lid(len(self.switches) + host)
                    out.write(f"0x{lid:04X} : {port + 1:03d}  : 01   : yes\n")
                out.write("\n")
        (folder / "tables.mcfdbs").write_text("")


@unittest.skipUnless(shutil.which("ibdmchk"), "ibdmchk is not installed")
class Judge(CliTest):
    def credit_loops(self, spec, routing):
        self.ok("topo", spec, "-o", self.tmp / "fabric.json")
        fabric = json.loads((self.tmp / "fabric.json").read_text())
        routes = json.loads(self.ok("route", spec, "-r", routing, "--vc", "1q", "--format", "json"))
        Subnet(fabric, routes["tables"]).write(self.tmp)
        done = subprocess.run(["ibdmchk", "-s", "subnet.lst", "-f", "tables.fdbs", "-m", "tables.mcfdbs"], cwd=self.tmp,
                              capture_output=True, text=True, check=False, timeout=600)
        self.assertIn(f"Defined {len(fabric['switches']) + len(fabric['hosts'])}/", done.stdout, done.stdout[-2000:])
        self.assertNotIn("bad paths", done.stdout.replace("no bad paths", "").replace("0 bad paths", ""))
        return "Found credit loop" in done.stdout or "credit loops in routing" in done.stdout

    def test_same_verdict(self):
        verdicts = set()
        for spec, routing in [("ring:n=5", "minimal:paths=one"), ("ring:n=5", "updown"), ("ring:n=7,p=2", "shortest"),
                              ("torus:dims=4:4", "dor"), ("torus:dims=4:4", "updown"), ("mesh:dims=4:3", "dor"),
                              ("karytree:k=3,n=3", "dmodk"), ("karytree:k=3,n=3", "dmodc"), ("slimfly:q=3,p=1", "minimal:paths=one"),
                              ("hyperx:dims=3:3", "dor"), ("jellyfish:N=16,d=4,seed=3", "shortest"), ("jellyfish:N=16,d=4,seed=3", "updown"),
                              ("oft:k=3,p=2", "minimal:paths=one"), ("lrt:N=36,d=4,r=3,seed=2", "loren")]:
            with self.subTest(spec=spec, routing=routing):
                proof = json.loads(self.run_check(spec, routing))
                self.assertEqual(self.credit_loops(spec, routing), not proof["deadlock_free"])
                verdicts.add(proof["deadlock_free"])
        self.assertEqual(verdicts, {True, False})

    def run_check(self, spec, routing):
        done = run("check", spec, "-r", routing, "--vc", "1q", "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
