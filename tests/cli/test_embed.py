"""The installed libraries: what they export, and programs that are compiled and linked with them, outside the source tree."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from harness import SOURCE
from test_headers import FLAGS

BUILD = pathlib.Path(os.environ.get("IKAT_BUILD", "build/release"))
EXAMPLES = SOURCE / "examples/embed"
# Names that other programs have, too. The library's own functions of these names are not visible.
OWN_NAMES = r"""
#include <ikat/ikat.h>
int match(int n);
int json_parse(int n);
int graph_free(int n);
int pool_run(int n);
int utf8_length(int n);
int match(int n) { return n + 1; }
int json_parse(int n) { return n + 2; }
int graph_free(int n) { return n + 3; }
int pool_run(int n) { return n + 4; }
int utf8_length(int n) { return n + 5; }
int main(void)
{
    ik_fabric *f = NULL;
    ik_proof proof = {0};
    ik_plan *plan = NULL;
    ik_error err;
    if (ik_fabric_from_spec("ring:n=5", NULL, &f, &err) ||
        ik_plan_from_specs(f, "dfsssp", NULL, NULL, 0, NULL, &plan, &err) ||
        ik_verify(plan, NULL, NULL, &proof, &err)) {
        puts(err.text);
        return 1;
    }
    printf("%d %d\n", match(0) + json_parse(0) + graph_free(0) + pool_run(0) + utf8_length(0), proof.deadlock_free);
    ik_proof_free(&proof);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return 0;
}
"""

# The public tables have one address; objects that hold nothing are freed any number of times; a recorder is found beside the library.
USES = r"""
#include <ikat/ikat.h>
#include <stdlib.h>
#include <string.h>
#define FREED(type, release)           \
    do {                               \
        type object;                   \
        memset(&object, 0, sizeof object); \
        release(&object);              \
        release(&object);              \
    } while (0)
int main(void)
{
    int tables = 0;
    for (const ik_experiment_section *s = ik_experiment_sections(); s->name; s++)
        tables += s->params && (s->params == ik_switch_params || s->params == ik_adapter_params ||
                                s->params == ik_measure_params || s->params == ik_watch_params);
%s
    const char *const command[] = {"true", NULL};
    char *recorder = NULL;
    ik_recorder_find(IK_RECORDER_AUTO, command, &recorder, NULL);
    printf("%%d %%s\n", tables, recorder ? recorder : "none");
    free(recorder);
    return 0;
}
"""

# Calls METIS, which by itself sets handlers of signals, from four threads; a failure is said by the exit status.
CUTS = r"""
#define _POSIX_C_SOURCE 200809L
#include <ikat/ikat.h>
#include <signal.h>
static void on_term(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
}
int main(void)
{
    struct sigaction mine = {0}, after;
    sigset_t mask;
    ik_env env = {.num_threads = 4};
    ik_fabric *f = NULL;
    ik_bisection b = {0};
    ik_error err;
    mine.sa_sigaction = on_term;
    mine.sa_flags = SA_SIGINFO;
    sigaction(SIGTERM, &mine, NULL);
    ik_status status = ik_fabric_from_spec("karytree:k=4,n=3", NULL, &f, &err);
    if (status == IK_OK)
        status = ik_bisection_measure(f, 2, &env, &b, &err);
    sigaction(SIGTERM, NULL, &after);
    if (after.sa_sigaction != on_term || !(after.sa_flags & SA_SIGINFO))
        return 10;
    sigaction(SIGABRT, NULL, &after);
    if (after.sa_handler != SIG_DFL)
        return 11;
    if (pthread_sigmask(SIG_BLOCK, NULL, &mask) || sigismember(&mask, SIGTERM) || sigismember(&mask, SIGABRT))
        return 12;
    if (status == IK_OK)
        printf("%llu\n", (unsigned long long)b.cut);
    ik_bisection_free(&b);
    ik_fabric_free(f);
    return status == IK_OK ? 0 : status == IK_ERR_MEMORY ? 3 : 1;
}
"""


# Signals come while METIS runs in several threads: the argument says which.
STORM = r"""
#define _POSIX_C_SOURCE 200809L
#include <ikat/ikat.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { THREADS = 3, LEAST_ROUNDS = 3, MOST_ROUNDS = 3000, TERMS = 50 };
static atomic_int terms, wrong, first_done;
static ik_fabric *f;
static void on_term(int number)
{
    (void)number;
    terms++;
}
static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}
static void *cut(void *least_terms)
{
    ik_env env = {.num_threads = 2};
    for (int n = 0; n < LEAST_ROUNDS || (n < MOST_ROUNDS && terms < *(int *)least_terms); n++) {
        ik_bisection b = {0};
        ik_error err;
        /* the shortest cut divides three rings of six, each in two places */
        if (ik_bisection_measure(f, 2, &env, &b, &err) != IK_OK || b.cut != 6)
            wrong++;
        ik_bisection_free(&b);
        first_done = 1;
    }
    return NULL;
}
static void *end(void *unused)
{
    while (!first_done)
        wait_ms(1);
    abort();
    return unused;
}
int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int least_terms = strcmp(mode, "storm") == 0 ? TERMS : 1;
    struct sigaction mine = {0}, after;
    pthread_t threads[THREADS];
    pid_t child = 0;
    ik_error err;
    mine.sa_handler = on_term;
    mine.sa_flags = SA_RESTART;
    if (ik_fabric_from_spec("torus:dims=6:3", NULL, &f, &err) != IK_OK)
        return 1;
    if (strcmp(mode, "storm") == 0)
        sigaction(SIGTERM, &mine, NULL);
    if (strcmp(mode, "abort") != 0 && (child = fork()) == 0) {
        signal(SIGTERM, SIG_DFL);
        wait_ms(20); /* until METIS runs */
        for (pid_t parent = getppid(); kill(parent, SIGTERM) == 0 && getppid() == parent;)
            wait_ms(1);
        _exit(0);
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, i == 0 && !child ? end : cut, &least_terms))
            return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    sigaction(SIGTERM, NULL, &after);
    if (after.sa_handler != on_term || !(after.sa_flags & SA_RESTART))
        return 10;
    sigaction(SIGABRT, NULL, &after);
    if (after.sa_handler != SIG_DFL)
        return 11;
    ik_fabric_free(f);
    return wrong ? 12 : terms < TERMS ? 13 : 0;
}
"""


def output(*command, env=None, cwd=None):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def declared(prefix):
    """The functions and variables of the public headers."""
    names = set()
    for header in sorted((prefix / "include/ikat").glob("*.h")):
        text = re.sub(r"/\*.*?\*/|^#(?:[^\n]*\\\n)*[^\n]*", " ", header.read_text(encoding="utf-8"), flags=re.S | re.M)
        depth, kept = 0, []
        for part in re.split(r"([{}])", text):
            kept += [part] if depth == 0 and part not in "{}" else [";"]
            depth += {"{": 1, "}": -1}.get(part, 0)
        for statement in re.split(r";", " ".join(kept)):
            if re.search(r"\btypedef\b|\bstatic\b", statement):
                continue
            if "extern const" in statement:
                names.update(re.findall(r"\b(ik_\w+)\s*\[", statement))
            else:
                names.update(re.findall(r"\b(ik_\w+)\s*\((?!\s*\*)", statement)[:1])
    return names


@unittest.skipUnless((BUILD / "libikat.so").exists() and shutil.which("cmake"), "no installable build")
class Embed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Installed in one place, and moved: nothing in it knows where it is.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tmp = pathlib.Path(folder.name)
        output("cmake", "--install", BUILD, "--prefix", cls.tmp / "installed")
        cls.prefix = (cls.tmp / "installed").rename(cls.tmp / "moved")
        cls.env = {**os.environ, "PKG_CONFIG_PATH": str(cls.prefix / "lib/pkgconfig"), "CMAKE_PREFIX_PATH": str(cls.prefix),
                   "LD_LIBRARY_PATH": str(cls.prefix / "lib")}
        cls.work = cls.tmp / "work"
        shutil.copytree(EXAMPLES, cls.work)

    def flags(self, *options):
        return output("pkg-config", *options, "ikat", env=self.env).split()

    def compile(self, compiler, standard, source, program, static):
        libs = self.flags("--static", "--libs") if static else self.flags("--libs")
        libs = ["-l:libikat.a" if static and word == "-likat" else word for word in libs]
        output(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", self.work / program,
               *self.flags("--cflags"), *libs, env=self.env)
        needed = output("readelf", "-d", self.work / program)
        self.assertEqual("[libikat.so.0]" in needed, not static)
        return self.work / program

    def examples_run(self, c, cpp):
        """Both examples, with the answers that follow from the networks' sizes."""
        lines = output(c, env=self.env).splitlines()
        self.assertIn("karytree:k=4,n=3 has 64 hosts and 48 switches", lines[0])
        self.assertEqual([line.split()[:3] for line in lines[2:]], [[name, "yes", "1"] for name in ("dmodk", "dfsssp", "minimal")])
        for line in lines[2:]:  # D-mod-K and all shortest paths of a full tree load all channels alike
            saturates, accepted = map(float, line.split()[3:5])
            self.assertAlmostEqual(saturates, 1, delta=0.001)
            self.assertAlmostEqual(accepted, 0.5, delta=0.01)
        # Shortest paths on a ring of five make a cycle in each direction, which one lane cannot cut (Dally and Seitz, 1987).
        ring = output(c, "ring:n=5", "dfsssp", env=self.env).splitlines()
        self.assertEqual(ring[2].split()[:3], ["dfsssp", "yes", "2"])
        refused = subprocess.run([c, "no-such-fabric"], env=self.env, capture_output=True, text=True, check=False)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("there is no topology or file 'no-such-fabric'", refused.stderr)
        # Four flows of a leaf have four cables up, each its own; without one, two share a cable.
        spine = output(cpp, env=self.env).splitlines()
        self.assertIn("4 leaves, 4 spines, 16 hosts", spine[0])
        self.assertEqual([re.search(r"(\w+) +([0-9.]+) of what", line).groups() for line in spine[1:]],
                         [("proved", "1.000"), ("proved", "0.500"), ("proved", "0.500")])
        self.assertIn("0.333", output(cpp, 8, 4, 8, env=self.env).splitlines()[2])

    def test_pkg_config_shared(self):
        self.examples_run(self.compile("cc", "c17", self.work / "embed.c", "shared_c", False),
                          self.compile("c++", "c++17", self.work / "embed.cpp", "shared_cpp", False))

    def test_pkg_config_static(self):
        self.examples_run(self.compile("cc", "c17", self.work / "embed.c", "static_c", True),
                          self.compile("c++", "c++17", self.work / "embed.cpp", "static_cpp", True))

    def test_static_with_pkg_config_static_alone(self):
        """--static without choosing the archive links, too."""
        output("cc", self.work / "embed.c", "-o", self.work / "plain", *self.flags("--static", "--cflags", "--libs"), env=self.env)
        self.assertIn("64 hosts", output(self.work / "plain", env=self.env))

    def test_make(self):
        if not shutil.which("make"):
            self.skipTest("make is not installed")
        output("make", "-C", self.work, env=self.env)
        self.examples_run(self.work / "embed", self.work / "embed_cpp")

    def test_readme(self):
        """Every command of the examples' README runs as it is printed; the last ones build both examples with both CMake targets."""
        text = (self.work / "README.md").read_text(encoding="utf-8")
        folder = self.tmp / "readme"
        shutil.copytree(EXAMPLES, folder)
        commands = re.findall(r"^\$ (.*)$", text, flags=re.M)
        self.assertGreater(len(commands), 8)
        env = {k: v for k, v in os.environ.items() if k not in ("PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "LD_LIBRARY_PATH")}
        said = output("sh", "-e", "-c", "\n".join(commands), env={**env, "P": str(self.prefix)}, cwd=folder)
        for line in re.search(r"```\n(ikat 0.*?)```", text, flags=re.S).group(1).splitlines():
            self.assertIn(line, said)
        for built, shared in (("build", True), ("build-static", False)):
            self.assertEqual("[libikat.so.0]" in output("readelf", "-d", folder / built / "embed"), shared)
            self.examples_run(folder / built / "embed", folder / built / "embed_cpp")

    def test_howto(self):
        """The commands of the how-to, on the program that it shows, print what it says."""
        page = (SOURCE / "docs/howto/embed-the-library.md").read_text(encoding="utf-8")
        folder = self.tmp / "howto"
        folder.mkdir()
        (folder / "ikat").symlink_to(self.prefix)
        (folder / "prove.c").write_text(re.search(r"^```c\n(.*?)^```", page, re.M | re.S)[1], encoding="utf-8")
        blocks = "".join(re.findall(r"^```console\n(.*?)^```", page, re.M | re.S)).splitlines()
        commands = [line[2:] for line in blocks if line.startswith("$ ") and not line.startswith("$ cmake")]
        said = output("sh", "-e", "-c", "\n".join(commands), env={**os.environ, "HOME": str(folder)}, cwd=folder)
        self.assertEqual(said.splitlines(), [line for line in blocks if not line.startswith("$ ")])
        self.assertEqual(len(said.splitlines()), 2)

    def test_cmake_versions_and_components(self):
        for text, found in (("ikat 0.1 REQUIRED", True), ("ikat 0.1 REQUIRED COMPONENTS shared static", True), ("ikat 9.0 REQUIRED", False),
                            ("ikat REQUIRED COMPONENTS python", False)):
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "CMakeLists.txt").write_text(
                    f"cmake_minimum_required(VERSION 3.16)\nproject(x LANGUAGES CXX)\nfind_package({text})\n", encoding="utf-8")
                done = subprocess.run(["cmake", "-S", folder, "-B", folder + "/b"], env=self.env, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode == 0, found, done.stderr)

    def test_version(self):
        version = output("pkg-config", "--modversion", "ikat", env=self.env).strip()
        self.assertIn(version, output(self.prefix / "bin/ikat", "--version"))

    def test_names_of_programs(self):
        """A program may have functions that are called like private ones of the library."""
        source = self.work / "names.c"
        source.write_text(OWN_NAMES, encoding="utf-8")
        for static in (False, True):
            with self.subTest(static=static):
                program = self.compile("cc", "c17", source, f"names_{static}", static)
                self.assertEqual(output(program, env=self.env), "15 1\n")

    def test_tables_frees_and_recorder(self):
        """What programs rely on: one address of each table, freeing of zeros (of pointers: of NULL), files that lie beside the library."""
        headers = " ".join(h.read_text(encoding="utf-8") for h in (self.prefix / "include/ikat").glob("*.h"))
        frees = re.findall(r"\bvoid (ik_\w+_(?:free|clear|close))\((ik_\w+) \*\w+\);", headers)
        self.assertGreater(len(frees), 30)
        calls = []
        for function, kind in frees:
            if re.search(rf"^}} {kind};", headers, flags=re.M) and f"{kind} **out" not in headers:
                calls.append(f"    FREED({kind}, {function});")
            elif kind != "ik_json":
                calls.append(f"    {function}(NULL);")
        source = self.work / "uses.c"
        source.write_text(USES % "\n".join(calls), encoding="utf-8")
        there = any((self.prefix / "lib/ikat").glob("libikat_record_*.so"))
        for static in (False, True):
            with self.subTest(static=static):
                tables, recorder = output(self.compile("cc", "c17", source, f"uses_{static}", static), env=self.env).split()
                self.assertEqual(tables, "4")
                if not static:
                    self.assertEqual(pathlib.Path(recorder).parent if there else recorder,
                                     (self.prefix / "lib/ikat").resolve() if there else "none")

    def test_static_library_needs_metis(self):
        """find_package says so where METIS, which has no pkg-config file, is missing."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.16)\nproject(x LANGUAGES C)\nfind_package(ikat REQUIRED COMPONENTS static)\n",
                encoding="utf-8")
            done = subprocess.run(["cmake", "-S", folder, "-B", folder + "/b", "-DIKAT_METIS="], env=self.env, capture_output=True,
                                  text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("ikat::ikat_static needs what is not found here: metis", " ".join(done.stderr.split()))

    def test_signals_and_short_memory(self):
        """METIS leaves the program's handlers and mask as they were, also where any of its allocations fails."""
        source = self.work / "cuts.c"
        source.write_text(CUTS, encoding="utf-8")
        program = self.compile("cc", "c17", source, "cuts", False)
        self.assertEqual(output(program, env=self.env), "32\n")  # k**n / 2 links
        library = os.environ.get("IKAT_FAIL_ALLOCATION_LIBRARY")
        if not library:
            return
        ends = set()
        for failing in [*range(0, 400, 13), "300+", "2000+", "9000+", *range(400, 20000, 397)]:
            env = {**self.env, "LD_PRELOAD": library, "IKAT_FAIL_ALLOCATION": str(failing)}
            done = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (0, 3), f"allocation {failing}: {done.stderr}")
            ends.add(done.returncode)
        self.assertEqual(ends, {0, 3})

    def test_signals_during_cuts(self):
        """Signals reach the program as if METIS had no handlers: none is lost, and no call fails for one."""
        source = self.work / "storm.c"
        source.write_text(STORM, encoding="utf-8")
        for static in (False, True):
            program = self.compile("cc", "c17", source, "storm", static)
            for mode, end in (("storm", 0), ("term", -signal.SIGTERM), ("abort", -signal.SIGABRT)):
                done = subprocess.run([program, mode], env=self.env, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (end, ""), mode)

    def test_exported_names(self):
        """The shared library exports what the headers declare, at one version node, and nothing else."""
        rows = [line.split() for line in output("nm", "-D", "--defined-only", self.prefix / "lib/libikat.so").splitlines()]
        names = [row[-1] for row in rows if row[-2] != "A"]
        self.assertEqual([row[-1] for row in rows if row[-2] == "A"], ["IK_0"])
        self.assertEqual({name.partition("@")[2] for name in names}, {"@IK_0"})
        self.assertEqual({name.partition("@")[0] for name in names}, declared(self.prefix))
        self.assertGreater(len(names), 300)
        self.assertIn("[libikat.so.0]", [word for line in output("readelf", "-d", self.prefix / "lib/libikat.so").splitlines()
                                         if "SONAME" in line for word in line.split()])

    def test_archive_names(self):
        """The archive defines the same names and no others."""
        rows = [line.split() for line in output("nm", "-g", "--defined-only", self.prefix / "lib/libikat.a").splitlines() if " " in line]
        self.assertEqual({row[-1] for row in rows}, declared(self.prefix))

    def test_no_text_relocations_and_no_own_paths(self):
        self.assertNotIn("TEXTREL", output("readelf", "-d", self.prefix / "lib/libikat.so"))
        for file in [self.prefix / "lib/pkgconfig/ikat.pc", *(self.prefix / "lib/cmake/ikat").iterdir()]:
            text = file.read_text(encoding="utf-8")
            for place in (str(SOURCE), str(self.tmp)):
                self.assertNotIn(place, text, file)

    def test_headers_alone(self):
        headers = sorted((self.prefix / "include/ikat").glob("*.h"))
        self.assertEqual({h.name for h in headers}, {h.name for h in (SOURCE / "include/ikat").glob("*.h")})
        flags = [flag for flag in FLAGS if not flag.startswith("-I")]
        for compiler, standard, language in (("cc", "c17", "c"), ("c++", "c++17", "c++")):
            for header in headers:
                output(compiler, f"-std={standard}", "-x", language, *flags, f"-I{self.prefix / 'include'}", header)
        listed = (self.prefix / "include/ikat/ikat.h").read_text(encoding="utf-8")
        self.assertEqual({f"ikat/{h.name}" for h in headers} - {"ikat/ikat.h"}, set(re.findall(r'#include "(.*)"', listed)))


if __name__ == "__main__":
    unittest.main()
