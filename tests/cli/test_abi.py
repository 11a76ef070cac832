"""Programs that were built with an earlier libikat go on with this one, as tests/data/abi says; and what would break them is noticed."""
import functools
import os
import pathlib
import platform
import random
import re
import shutil
import subprocess
import sys
import unittest

from harness import SOURCE, CliTest

sys.path.insert(0, str(SOURCE / "tools"))
import make_abi  # pylint: disable=wrong-import-position

BUILD = pathlib.Path(os.environ.get("IKAT_BUILD", SOURCE / "build/release"))
LIBRARY, INCLUDE, FOLDER = BUILD / "libikat.so", SOURCE / "include", SOURCE / "tests/data/abi"
VIEWS = make_abi.read_views(FOLDER / make_abi.VIEWS)
REMEDY = "tools/make_abi.py build/release/libikat.so include tests/data/abi/libikat.abi.xz"
SAYS = {"addition": f"the library has something new that tests/data/abi does not describe; programs go on as before: run {REMEDY}",
        "incompatible": f"programs that were built before would break. If it has to be: run {REMEDY}, which says what is to be done"}
# A change of a public header (file, what is replaced, by what), and what it is: an addition, or incompatible.
END = r"\n\} ik_sim_sharing;"
CHANGES = {
    "a comment": ("sim.h", r"^#define IK_SIM_LOAD", r"/* new */\n\g<0>", ""),
    "a member in the middle": ("sim.h", r"^    uint64_t calls\[", r"    int added;\n\g<0>", "incompatible"),
    "a member in the middle of a view": ("sim.h", r"^    uint64_t steps; ", r"    int added;\n\g<0>", "incompatible"),
    "a member at the end of a view": ("sim.h", END, r"\n    int added;\g<0>", "addition"),
    "a member at the end of what programs allocate": ("sim.h", r"\n\} ik_sim_config;", r"\n    int added;\g<0>", "incompatible"),
    "a member at the end of what stands in arrays": ("sim.h", r"\n\} ik_rank_flow;", r"\n    int added;\g<0>", "incompatible"),
    "a member at the end of a view, another of another type": (
        "sim.h", r"uint32_t cut_channels;((?:.|\n)*)" + END, r"uint64_t cut_channels;\1    int added;\n} ik_sim_sharing;", "incompatible"),
    "a member that goes": ("sim.h", r"^    double run_seconds;", "", "incompatible"),
    "a member of another type": ("fabric.h", r"^    uint32_t num_ports; ", "    uint64_t num_ports; ", "incompatible"),
    "members that change places": ("sim.h", r"double culprit_time_ns, victim_time_ns", "double victim_time_ns, culprit_time_ns", "incompatible"),
    "an enumerator in the middle": ("sim.h", r"^    IK_STEADY_FALLS,", r"    IK_ADDED,\n\g<0>", "incompatible"),
    "an enumerator at the end": ("sim.h", r"^    IK_STEADY_SILENT(?= )", r"\g<0>, IK_ADDED", "addition"),
    "an enumerator before a number of them": ("sim.h", r"^    IK_PATH_KINDS$", r"    IK_ADDED, IK_PATH_KINDS", "incompatible"),
    "a constant": ("sim.h", r"IK_CONGESTION_TREES = 16", "IK_CONGESTION_TREES = 17", "incompatible"),
    "a parameter of another type": ("result.h", r"(ik_result_class\(.*)size_t number", r"\1uint32_t number", "incompatible"),
    "a parameter more": ("result.h", r"(ik_result_missing\(.*)\);", r"\1, int added);", "incompatible"),
    "another return type": ("sim.h", r"^bool ik_sim_limits_adapters", "double ik_sim_limits_adapters", "incompatible"),
    "members of structures that point to each other": ("audit.h", r"^typedef struct ik_audit(_finding)? \{", r"\g<0>\n    int added;", "incompatible"),
    "a structure more": ("sim.h", r"^typedef struct ik_rank_flow", r"typedef struct ik_added { int a; } ik_added;\n\g<0>", "addition"),
}


@functools.cache
def names():
    return make_abi.exported(LIBRARY)


@functools.cache
def described():
    return make_abi.described(INCLUDE, names())


@unittest.skipUnless(shutil.which("abidiff") and LIBRARY.exists() and platform.machine() == "x86_64", "no abidiff, or another machine than x86-64")
class Abi(CliTest):
    def kind(self, new):
        return make_abi.compared(described(), new, VIEWS)[0]

    def test_description_is_current(self):
        kind, report = make_abi.compared(make_abi.read(FOLDER / "libikat.abi.xz"), described(), VIEWS)
        self.assertFalse(kind, f"{SAYS.get(kind)}\n{report}")

    def test_changes_are_noticed(self):
        for what, (file, old, new, kind) in CHANGES.items():
            with self.subTest(what):
                include = self.tmp / what.replace(" ", "_")
                shutil.copytree(INCLUDE, include)
                path = include / "ikat" / file
                text, count = re.subn(old, new, path.read_text(encoding="utf-8"), flags=re.M)
                self.assertGreater(count, 0)
                path.write_text(text, encoding="utf-8")
                self.assertEqual(self.kind(make_abi.described(include, names())), kind)

    def test_symbols_that_come_and_go(self):
        fewer = make_abi.described(INCLUDE, [name for name in names() if name != "ik_sim_result_free"])
        self.assertEqual(self.kind(fewer), "incompatible")
        self.assertEqual(make_abi.compared(fewer, described(), VIEWS)[0], "addition")

    def test_what_is_new_hides_nothing_that_changed(self):
        """Structures drawn from all headers get a member, and some functions are new besides."""
        for draw in range(8, 13):
            rng, include = random.Random(draw), self.tmp / f"include{draw}"
            shutil.copytree(INCLUDE, include)
            heads = [(path, head) for path in sorted(include.glob("ikat/*.h")) for head in re.findall(r"^typedef struct ik_\w+ \{", path.read_text(encoding="utf-8"), re.M)]
            chosen = rng.sample(heads, rng.randint(1, 4))
            for path, head in chosen:
                path.write_text(path.read_text(encoding="utf-8").replace(head, f"{head}\n    int added;", 1), encoding="utf-8")
            few = make_abi.described(INCLUDE, [name for name in names() if rng.random() < 0.95])
            kind, report = make_abi.compared(few, make_abi.described(include, names()), VIEWS)
            self.assertEqual(kind, "incompatible", f"{chosen}\n{report}")

    def test_views_are_structures(self):
        """Each view is one that the headers declare, and no other structure or array has it within."""
        headers = "".join(path.read_text(encoding="utf-8") for path in INCLUDE.glob("ikat/*.h"))
        self.assertGreater(len(VIEWS), 5)
        for view in VIEWS:
            self.assertIn(f"\n}} {view};", headers)
            self.assertIsNone(re.search(rf"^    (const )?{view} ", headers, re.M), view)
            self.assertRegex(headers, rf"\nconst {view} \*ik_result_\w+\(const ik_sim_result \*run(, size_t number)?\);")

    def test_tool_refuses_what_breaks_programs(self):
        description, include = self.tmp / "libikat.abi.xz", self.tmp / "include"
        shutil.copy(FOLDER / make_abi.VIEWS, self.tmp)
        shutil.copytree(INCLUDE, include)

        def make(*options):
            return subprocess.run([SOURCE / "tools/make_abi.py", *options, LIBRARY, include, description], capture_output=True, text=True, check=False)
        self.assertEqual(make().returncode, 0)
        before = description.read_bytes()
        path = include / "ikat/sim.h"
        path.write_text(path.read_text(encoding="utf-8").replace("\n    bool exceeded;", "\n    int added;\n    bool exceeded;"), encoding="utf-8")
        done = make()
        self.assertEqual(done.returncode, 1)
        for words in ("CHANGELOG.md", "--incompatible", "SOVERSION"):
            self.assertIn(words, done.stderr)
        self.assertIn("'int added'", done.stdout)
        self.assertEqual(description.read_bytes(), before)
        self.assertEqual(make("--incompatible").returncode, 0)
        self.assertIn("added", make_abi.read(description))
        self.assertEqual(make().returncode, 0)

    def test_tool_says_what_is_missing(self):
        """One line, and nothing written: without a command, for a description that is none, without the list of views."""
        commands, description = self.tmp / "commands", self.tmp / "libikat.abi.xz"
        commands.mkdir()
        shutil.copy(FOLDER / make_abi.VIEWS, self.tmp)

        def refused(library, include, path=os.environ["PATH"]):
            command = [sys.executable, SOURCE / "tools/make_abi.py", library, include, description]
            done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": str(path)})
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            return done.stderr
        self.assertEqual(refused(LIBRARY, INCLUDE, commands).count("\n"), 1)
        self.assertIn("no command nm", refused(LIBRARY, INCLUDE, commands))
        self.assertIn("nothing.so", refused(self.tmp / "nothing.so", INCLUDE))
        self.assertIn("ikat/ikat.h: No such file", refused(LIBRARY, self.tmp))
        self.assertFalse(description.exists())
        description.write_text("no description", encoding="utf-8")
        self.assertEqual(refused(LIBRARY, INCLUDE), f"make_abi.py: {description} is not packed by xz: it is no description, or damaged\n")
        shutil.copy(FOLDER / "libikat.abi.xz", description)
        before = description.read_bytes()
        (self.tmp / make_abi.VIEWS).unlink()
        self.assertEqual(refused(LIBRARY, INCLUDE), f"make_abi.py: {self.tmp / make_abi.VIEWS}: No such file or directory\n")
        self.assertEqual(description.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
