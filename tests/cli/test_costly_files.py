"""Small files that could cost much: each line asks for a search among all others, or is kept with something long. Each is answered within a
bound of processor time and memory that is linear in its size, far from what comparing each with each would take."""
import os
import pathlib
import resource
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest, sanitized

LINES = 60_000
MORE = 300_000  # where one comparison costs little
SECONDS = 20  # of processor time; each takes well below one, and comparing all with all takes minutes
MIB = 400

TREE = "karytree:k=4,n=2"


def netlist(*lines):
    return "# Topology file: generated\n" + "\n".join(lines) + "\n"


class CostlyFiles(CliTest):
    def cost(self, name, text, *command, status):
        """What ikat says of a file; '@' in the command stands for its path."""
        path = self.tmp / name
        path.write_text(text)
        args = [IKAT, *(str(a).replace("@", str(path)) for a in command)]
        limit = SECONDS * (10 if sanitized() else 1)
        errors = self.tmp / "errors"
        with open(errors, "wb") as to:
            child = subprocess.Popen(args, cwd=SOURCE, stdout=subprocess.DEVNULL, stderr=to,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
            _, ended, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(ended)
        said = errors.read_text()
        self.assertEqual(child.returncode, status, f"{name}: {said[-500:]}")
        if not sanitized():
            self.assertLess(used.ru_maxrss >> 10, MIB, name)
        return said

    def test_sections_that_contradict_each_other(self):
        """Two nodes with one identifier happen; thousands are no fabric."""
        said = self.cost("a.ibnetdiscover", netlist(*(f'Ca 2 "H-2"\n[1] "S-{i}"[1]\n' for i in range(LINES))), "topo", "file:path=@", status=2)
        self.assertIn("more than 64 sections of \"H-2\" contradict each other; the first is in line 2", said)
        few = netlist(*(f'Ca 2 "H-2"\n[1] "S-{i}"[1]\n' for i in range(64)))
        self.assertIn('"contradicting-section"', self.ok("topo", self.write("few.ibnetdiscover", few), "--json", status=None))
        self.assertIn(":194:1:", said)

    def write(self, name, text):
        path = self.tmp / name
        path.write_text(text)
        return f"file:path={path}"

    def test_sections_that_repeat_each_other(self):
        """The same section again and again, with few and with many lines."""
        for name, sections, lines in (("many", LINES, 1), ("long", 2, MORE)):
            text = netlist(*['Ca 1 "H-2"\n' + '[1] "S-1"[1]\n' * lines] * sections, 'Switch 1 "S-1"', '[1] "H-2"[1]')
            self.cost(f"{name}.ibnetdiscover", text, "topo", "file:path=@", status=0)
            root = self.json("topo", self.write("b.ibnetdiscover", text))
            self.assertEqual((root["hosts"], root["switches"]), (1, 1))

    def test_section_that_contradicts_itself_and_another(self):
        """Lines of one port that differ are refused, whichever section they are in."""
        for text in ('Ca 1 "H-2"\n[1] "S-1"[1]\n[1] "S-1"[2]\n\nCa 1 "H-2"\n[1] "S-1"[1]\n', 'Ca 1 "H-2"\n[1] "S-1"[1]\n\nCa 1 "H-2"\n[1] "S-1"[1]\n[1] "S-1"[2]\n'):
            self.refused("topo", self.write("c.ibnetdiscover", netlist(text, 'Switch 2 "S-1"')), says=["port 1 is cabled to \"S-1\" port", "elsewhere in line"])

    def test_long_name_of_a_module(self):
        """A module's name stands before each name in it."""
        nodes = [f'Ca 1 "H-{i}"\n[1] "S-{i // 200}"[{i % 200 + 1}]' for i in range(LINES // 4)]
        said = self.cost("d.ibnetdiscover", netlist('Switch 1 "S-x"', 'module = "' + "m" * 400_000 + '"', *nodes), "topo", "file:path=@", status=2)
        self.assertIn(":3:10: expected a module's name of at most 256 bytes", said)
        self.cost("e.ibnetdiscover", netlist('Switch 1 "S-x"', 'module = "' + "m" * 256 + '"', *nodes), "topo", "file:path=@", status=1)  # hosts that reach nothing

    def test_waits_in_another_order(self):
        """Receives that are waited for in the order opposite to that in which they were begun."""
        lines = [f"3:0:0:1:0:100:{i % 60000}:0:1" for i in range(MORE)] + [f"3:0:0:1:0:100:{i % 60000}:0:2" for i in reversed(range(MORE))]
        sends = [f"2:1:0:0:0:100:{i % 60000}:0:0" for i in range(MORE)]
        trace = '#DIMEMAS:"a":1,0:2(1,1),1\n' + "\n".join([*lines, *sends]) + "\n"
        self.cost("f.dim", trace, "load", TREE, "-r", "dmodk", "--traffic", "program:trace=@", status=0)


if __name__ == "__main__":
    unittest.main()
