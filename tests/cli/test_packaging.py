"""What is in the tree for those who package and install ikat: recipes agree with the sources, with each other and with what the documents
say, and the test of the installed packages passes on an installed build."""
import ast
import contextlib
import os
import re
import shutil
import subprocess
import sys
import types
import unittest
from unittest import mock

from harness import SOURCE, CliTest
from test_packages import section_script

BUILD = os.environ.get("IKAT_BUILD", "build/release")
# Debian's name of what the build needs: Spack's.
IN_SPACK = {"gcc": "c", "libc6-dev": "c", "cmake": "cmake", "ninja-build": "ninja", "pkg-config": "pkgconfig", "python3": "python",
            "librandom123-dev": "random123", "libsqlite3-dev": "sqlite", "libyaml-dev": "libyaml", "libjansson-dev": "jansson",
            "libmetis-dev": "metis", "zlib1g-dev": "zlib-api", "libmd-dev": "libmd", "libcairo2-dev": "cairo",
            "libopen-trace-format2-dev": "otf2", "libmicrohttpd-dev": "libmicrohttpd", "python3-dev": "python", "python3-cffi": "py-cffi", "python3-numpy": "py-numpy"}
NOT_IN_SPACK = {"fonts-liberation", "python3-venv"}  # a font of the system; Spack's own environments
ONLY_IN_SPACK = {"mpi"}  # for the recorder, an optional part


def text_of(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def debian_packages(kind):
    """The packages of an array in tools/install_dependencies.sh."""
    return re.search(rf"^{kind}=\(([^)]*)\)", text_of("tools/install_dependencies.sh"), re.M)[1].split()


def version():
    return re.search(r"^project\(ikat VERSION ([\d.]+)", text_of("CMakeLists.txt"), re.M)[1]


def binary_packages():
    return re.findall(r"^Package: (\S+)", text_of("debian/control"), re.M)


def calls(tree, *names):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names]


class Packaging(CliTest):
    def test_one_version(self):
        self.assertIn(f"version: {version()}", text_of("CITATION.cff").splitlines())
        self.assertTrue(text_of("debian/changelog").startswith(f"ikat ({version()})"))
        self.assertEqual(self.ok("version"), f"ikat {version()}\n")

    def test_citation(self):
        keys = re.findall(r"^([\w-]+):", text_of("CITATION.cff"), re.M)
        for key in ("cff-version", "message", "title", "authors", "version", "license"):
            self.assertEqual(keys.count(key), 1, key)

    def test_container(self):
        """Each step uses what is there; the second stage installs what the first has built."""
        steps = re.findall(r"^([A-Z]+) (.*)$", re.sub(r"\\\n\s*", "", text_of("Containerfile")), re.M)
        stages = [re.fullmatch(r"debian:12-slim(?: AS (\w+))?", rest)[1] for word, rest in steps if word == "FROM"]
        self.assertEqual(stages, ["build", None])
        kinds = re.search(r"usage: install_dependencies.sh (\S+)\"", text_of("tools/install_dependencies.sh"))[1].split("|")
        runs = [command.split() for word, rest in steps if word == "RUN" for command in rest.split("&&")]
        self.assertIn(["tools/install_dependencies.sh", "package"], runs)
        for words in runs:
            if words[0].startswith("tools/"):
                self.assertTrue(os.access(SOURCE / words[0], os.X_OK), words)
                self.assertIn(words[1], kinds)
        built = next(words for words in runs if words[0] == "dpkg-buildpackage")
        self.assertIn(f"$ {' '.join(built)}", text_of("docs/howto/install-ikat.md").splitlines())
        copies = [rest for word, rest in steps if word == "COPY" and "--from=" in rest]
        self.assertEqual(copies, ["--from=build /build/ikat_*.deb /tmp/"])
        self.assertIn("ikat", binary_packages())
        install = next(words for words in runs if words[:2] == ["apt-get", "install"])
        self.assertEqual([word for word in install[2:] if not word.startswith("-")], ["/tmp/ikat_*.deb", "fonts-liberation"])
        self.assertEqual([rest for word, rest in steps if word == "ENTRYPOINT"], ['["ikat"]'])

    def test_spack(self):
        """The recipe names what install_dependencies.sh installs for the build and for Python, and options that CMake has."""
        tree = ast.parse(text_of("packaging/spack/packages/ikat/package.py"))
        named = {re.match(r"[\w-]+", call.args[0].value)[0] for call in calls(tree, "depends_on", "extends")}
        wanted = set(debian_packages("build") + debian_packages("python")) - NOT_IN_SPACK
        self.assertEqual(wanted - set(IN_SPACK), set(), "name it in IN_SPACK and in the recipe")
        self.assertEqual(named, {IN_SPACK[package] for package in wanted} | ONLY_IN_SPACK)
        cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", text_of("CMakeLists.txt"))[1]
        self.assertIn(f"cmake@{cmake}:", [call.args[0].value for call in calls(tree, "depends_on")])
        self.assertEqual([call.args[0].value for call in calls(tree, "version")], [version()])
        options = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and str(node.value).startswith("IKAT_")}
        declared = set()
        for path in [SOURCE / "CMakeLists.txt", *SOURCE.glob("cmake/*.cmake"), *SOURCE.glob("src/*/CMakeLists.txt"), *SOURCE.glob("src/record/*/CMakeLists.txt")]:
            declared |= set(re.findall(r"(?:^option\(|^set\()(IKAT_\w+)", path.read_text(encoding="utf-8"), re.M))
        self.assertEqual(options - declared, set())
        page = text_of("docs/howto/install-ikat.md")
        for variant in calls(tree, "variant"):
            self.assertIn(f"`{variant.args[0].value}`", page)

    def recipe(self):
        """The class of Spack's recipe, which is run with a stub of Spack's own package."""
        said = []

        class CMakePackage:
            """What the recipe inherits: arguments for CMake, as Spack writes them."""
            define = staticmethod(lambda name, value: f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}")

            def define_from_variant(self, name, variant):
                return self.define(name, self.spec.satisfies(f"+{variant}"))
        words = {name: lambda *args, name=name, **kwargs: said.append((name, args, kwargs))
                 for name in ("license", "version", "variant", "generator", "depends_on", "extends")}
        stubs = {"spack": types.ModuleType("spack"), "spack.package": types.ModuleType("spack.package"), "spack_repo": types.ModuleType("spack_repo")}
        for name in ("spack_repo.builtin", "spack_repo.builtin.build_systems", "spack_repo.builtin.build_systems.cmake"):
            stubs[name] = types.ModuleType(name)
        vars(stubs["spack.package"]).update(words, when=lambda condition: contextlib.nullcontext(), python=types.SimpleNamespace(path="/usr/bin/python3"))
        stubs["spack_repo.builtin.build_systems.cmake"].CMakePackage = CMakePackage
        names = {}
        with mock.patch.dict(sys.modules, stubs):
            exec(compile(text_of("packaging/spack/packages/ikat/package.py"), "package.py", "exec"), names)  # pylint: disable=exec-used
        return names["Ikat"], said

    def test_spack_recipe_runs(self):
        """With each choice of variants CMake takes the arguments that it gives, and knows all of them."""
        recipe, said = self.recipe()
        variants = [args[0] for name, args, _ in said if name == "variant"]
        self.assertEqual(sorted(variants), ["mpi", "otf2", "python", "serve"])
        self.assertEqual([kwargs["when"] for name, args, kwargs in said if name == "depends_on" and args[0] in ("mpi", "libmicrohttpd")], ["+serve", "+mpi"])
        mpi = shutil.which("mpicc") or "mpicc"
        for chosen in ((), ("mpi", "python")):
            package = recipe()
            package.spec = type("Spec", (dict,), {"satisfies": lambda self, text, chosen=chosen: text[1:] in chosen})(mpi=types.SimpleNamespace(mpicc=mpi))
            arguments = package.cmake_args()
            self.assertIn(f"-DIKAT_PYTHON={'ON' if 'python' in chosen else 'OFF'}", arguments)
            self.assertIn(f"-DIKAT_MPI_COMPILERS={mpi if 'mpi' in chosen else ''}", arguments)
            done = subprocess.run(["cmake", "-S", SOURCE, "-B", self.tmp / "-".join(("spack", *chosen)), "-G", "Ninja", *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("not used by the project", done.stderr)
        environment = types.SimpleNamespace(prepend_path=lambda name, path: said.append((name, path)))
        package.prefix = types.SimpleNamespace(lib=types.SimpleNamespace(python3=types.SimpleNamespace(join=lambda name: f"/prefix/lib/python3/{name}")))
        package.setup_run_environment(environment)
        self.assertEqual(said[-1], ("PYTHONPATH", "/prefix/lib/python3/dist-packages"))
        self.assertIn("/dist-packages", text_of("cmake/IkatPython.cmake"))

    def test_dependencies_are_described(self):
        """Each package that install_dependencies.sh installs for the build and for Python stands in docs/dependencies.md."""
        page = text_of("docs/dependencies.md")
        tools = {"gcc", "libc6-dev", "cmake", "ninja-build", "pkg-config", "python3"}
        for package in set(debian_packages("build") + debian_packages("python")) - tools:
            self.assertIn(package, page)

    def test_commands_of_the_page_are_a_script(self):
        """test_packages runs them in a clean Debian, which takes long; that the shell can read them takes no time."""
        for title in ("As Debian packages", "From the sources", "As a Python package, by pip"):
            script = section_script(text_of("docs/howto/install-ikat.md"), title)
            self.assertGreaterEqual(script.count("\necho "), 2, title)
            done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), title)

    def test_of_installed_packages(self):
        """debian/tests: it names packages that are built here, and passes with what `cmake --install` installs."""
        control = text_of("debian/tests/control")
        depends = re.search(r"^Depends: (.*)$", control, re.M)[1].split(", ")
        self.assertEqual({name for name in depends if "ikat" in name} - set(binary_packages()), set())
        name = re.search(r"^Tests: (.*)$", control, re.M)[1]
        prefix = self.tmp / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        library = next(prefix.rglob("libikat.so")).parent
        scratch = self.tmp / "scratch"
        scratch.mkdir()
        done = subprocess.run([SOURCE / "debian/tests" / name], cwd=self.tmp, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              env={**os.environ, "AUTOPKGTEST_TMP": str(scratch), "PATH": f"{prefix}/bin:/usr/bin:/bin",
                                   "PKG_CONFIG_PATH": f"{library}/pkgconfig", "LD_LIBRARY_PATH": str(library),
                                   "PYTHONPATH": f"{prefix}/lib/python3/dist-packages"})
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
