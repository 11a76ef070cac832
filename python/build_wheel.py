"""Makes the wheel of the package ikat for pip (PEP 517); nothing is fetched from the network.

CMake builds libikat and the module in the folder build/wheel of the source tree, or in a temporary folder where the tree cannot
be written. With IKAT_BUILD=FOLDER (absolute, or below the root of the tree) a build that is already there is brought up to date
and used. The wheel has the Python files, the module and the library beside it. The same build gives the same bytes.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TOOLS = {"cmake": "cmake", "ninja": "ninja-build", "pkg-config": "pkg-config"}  # the program and its Debian package
ALL = "On Debian, tools/install_dependencies.sh python installs everything that is needed."
# Prints the tag of a Python that can compile the module, and fails for another.
CAN_COMPILE = ("import cffi, pathlib, sys, sysconfig\n"
               "sys.exit(not pathlib.Path(sysconfig.get_path('include'), 'Python.h').exists() or "
               "print('cp%d%d' % sys.version_info[:2]))\n")


def fail(text):
    """Ends with a message, which pip shows."""
    sys.exit(f"ikat: {text}")


def plain_environment():
    """The environment without the folders by which pip hides the packages that are installed, such as cffi."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def read_project():
    """The table [project] of pyproject.toml, with the version."""
    if sys.version_info < (3, 11):
        fail(f"Python 3.11 or newer is needed, and this is {sys.version.split()[0]}")
    import tomllib  # pylint: disable=import-outside-toplevel
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if not (ROOT / "CMakeLists.txt").exists():
        fail(f"the package is built within the source tree of ikat, and {ROOT} has no CMakeLists.txt")
    project["version"] = re.search(r"^project\(ikat VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]
    return project


def metadata_of(project):
    """The file METADATA of a wheel."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    lines += [f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, packages in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {package}; extra == "{extra}"' for package in packages)]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------------------------- the build


def check_tools():
    """Says which programs are missing, before CMake fails with less."""
    missing = {tool: package for tool, package in TOOLS.items() if not shutil.which(tool)}
    if not any(map(shutil.which, filter(None, [os.environ.get("CC", "").split(" ")[0], "cc", "gcc", "clang"]))):
        missing["a C compiler"] = "gcc libc6-dev"
    if missing:
        fail(f"the package is compiled, and this is missing: {', '.join(missing)}\n"
             f"  hint: apt install {' '.join(missing.values())}\n  hint: {ALL}")


def tag_of(python):
    """The tag of a Python that can compile the module, such as cp311; "" of one that cannot."""
    if not python or not os.path.exists(python):
        return ""
    done = subprocess.run([python, "-c", CAN_COMPILE], env=plain_environment(), capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def find_python():
    """The Python that compiles the module: this one, the one that the virtual environment was made from, or the system's."""
    candidates = [sys.executable, getattr(sys, "_base_executable", ""), "/usr/bin/python3"]
    for python in candidates:
        if tag_of(python):
            return python
    return fail(f"to compile the module, one of {', '.join(dict.fromkeys(filter(None, candidates)))} needs cffi and Python.h\n"
                f"  hint: apt install python3-cffi python3-dev\n  hint: {ALL}")


def call(*command):
    """Runs a program; its output is what pip shows when it fails."""
    try:
        done = subprocess.run([*map(str, command)], env=plain_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False)
    except FileNotFoundError:
        fail(f"{command[0]} is not installed\n  hint: {ALL}")
    if done.returncode:
        fail(f"{' '.join(map(str, command))} failed:\n{done.stdout[-6000:]}\n  hint: {ALL}")


def cached(folder, name):
    """A setting of a build; "" where it has none."""
    found = re.search(rf"^{name}:\w+=(.*)$", (folder / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def given_build(folder):
    """The folder of IKAT_BUILD, which has to be a build of this tree."""
    if not (folder / "CMakeCache.txt").exists():
        fail(f"IKAT_BUILD: {folder} is no build folder\n  hint: it is made by: cmake --preset release && cmake --build --preset release")
    tree = cached(folder, "CMAKE_HOME_DIRECTORY")
    if pathlib.Path(tree).resolve() != ROOT:
        fail(f"IKAT_BUILD: {folder} is a build of {tree}, not of {ROOT}")
    if not tag_of(cached(folder, "IKAT_PYTHON_EXECUTABLE")) or cached(folder, "IKAT_SANITIZE"):
        fail(f"IKAT_BUILD: {folder} was configured without the Python package\n  hint: {ALL} Then configure it again.")
    if not (folder / "python/ikat/_native.abi3.so").exists():  # Python.h and cffi may have come since it was configured
        call("cmake", folder)
    return folder


def build(folder):
    """Builds the library and the module in a folder; returns it."""
    check_tools()
    call("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DIKAT_TESTS=OFF", "-DIKAT_PYTHON=ON",
         f"-DIKAT_PYTHON_EXECUTABLE={find_python()}", "-DIKAT_OPENSM=OFF", "-DIKAT_MPI_COMPILERS=")
    return folder


def build_at(scratch):
    """Brings the build that is asked for up to date; returns its folder."""
    given = os.environ.get("IKAT_BUILD")
    if given:  # pip changes the current folder: a relative one begins at the root of the tree
        folder = given_build((ROOT / given).resolve())
    else:
        folder = build(ROOT / "build/wheel" if os.access(ROOT, os.W_OK) else scratch / "build")
    call("cmake", "--build", folder, "--target", "ikat_python")
    return folder


# ---------------------------------------------------------------------------------------------- the wheel


def contents_of(folder, scratch):
    """Name and bytes of each file of the package."""
    files = {f"ikat/{path.name}": path.read_bytes() for path in (HERE / "ikat").iterdir()
             if path.suffix in (".py", ".pyi") or path.name == "py.typed"}
    library = next(path for path in folder.glob("libikat.so.*") if path.is_symlink())  # the name that the module asks for
    for path in (folder / "python/ikat/_native.abi3.so", library):
        call(cached(folder, "CMAKE_STRIP") or "strip", "--strip-unneeded", "-o", scratch / path.name, path)
        files[f"ikat/{path.name}"] = (scratch / path.name).read_bytes()
    return files


def record_of(files, name):
    """The file RECORD of a wheel: digest and size of every other."""
    rows = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
            for path, data in sorted(files.items())]
    return ("\n".join([*rows, f"{name},,"]) + "\n").encode()


def write_wheel(path, files, last):
    """A zip file in the order of the names, with the date of SOURCE_DATE_EPOCH or that of 1980, from which zip counts."""
    date = max(time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name in [*sorted(set(files) - {last}), last]:
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100755 if ".so" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name])


def refuse_settings(settings):
    if settings:
        fail(f"the build takes no settings, but was given {', '.join(settings)}\n"
             "  hint: the environment variable IKAT_BUILD names a build folder to use")


# ---------------------------------------------------------------------------------------------- what pip calls


def get_requires_for_build_wheel(config_settings=None):
    refuse_settings(config_settings)
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    refuse_settings(config_settings)
    project = read_project()
    folder = pathlib.Path(metadata_directory, f"ikat-{project['version']}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(metadata_of(project), encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    refuse_settings(config_settings)
    project = read_project()
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(temporary)
        folder = build_at(scratch)
        files = contents_of(folder, scratch)
        python = tag_of(cached(folder, "IKAT_PYTHON_EXECUTABLE"))
    tag = f"{python}-abi3-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"
    info = f"ikat-{project['version']}.dist-info"
    files[f"{info}/METADATA"] = metadata_of(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ikat\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/RECORD"] = record_of(files, f"{info}/RECORD")
    name = f"ikat-{project['version']}-{tag}.whl"
    write_wheel(pathlib.Path(wheel_directory, name), files, f"{info}/RECORD")
    return name


def build_sdist(sdist_directory, config_settings=None):
    fail("there is no source distribution of the Python package alone: it is built within the source tree of ikat\n"
         "  hint: make a wheel: pip wheel --no-deps PATH-OF-THE-TREE/python")
