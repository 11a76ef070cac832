"""The Debian packages: built without a network from an export of the tree, judged by lintian, installed by apt in a clean Debian, and
used there by somebody who has no source tree (tests/packages/person.sh): manual, completion, tutorial, library, Python.

Part of `./check --all`: it builds ikat again and installs a compiler in the clean Debian, some 10 minutes on two processors. The clean
Debian is made by mmdebstrap from the package sources that apt of this machine is configured with. Where that cannot be, the test is
skipped and says why."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from harness import SOURCE

PACKAGES = ["ikat", "ikat-doc", "ikat-opensm", "libikat-dev", "libikat0", "python3-ikat"]
# Beside ikat's packages: what they recommend for Python, and what a person compiles and reads with.
WITH = ["bash-completion", "cmake", "g++", "gcc", "libc6-dev", "make", "man-db", "pkg-config", "python3-matplotlib", "python3-pandas", "zsh"]
TOOLS = ["dpkg-buildpackage", "dh", "lintian", "mmdebstrap"]
CHILD = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}  # Debian's Python, not another
for name in ("IKAT", "IKAT_BUILD", "IKAT_SOURCE", "CMAKE_BUILD_PARALLEL_LEVEL", "CMAKE_GENERATOR", "CPATH", "LIBRARY_PATH", "MAKEFLAGS", "PYTHONPATH", "XDG_CACHE_HOME"):
    CHILD.pop(name, None)


def call(*command, **kwargs):
    """Runs a program; returns its exit status and all that it printed."""
    done = subprocess.run([*map(str, command)], env=CHILD, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False, **kwargs)
    return done.returncode, done.stdout


def export(folder):
    """Copies the sources into a folder: what git knows or would take, or, without git, everything but what is built."""
    status, listed = call("git", "-C", SOURCE, "ls-files", "-co", "--exclude-standard", "-z")
    if status or not (SOURCE / ".git").exists():
        shutil.copytree(SOURCE, folder, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__", "node_modules"))
        return
    for name in filter(None, listed.split("\0")):
        if (SOURCE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, folder / name)


def tutorial_script(page):
    """A shell script of the tutorial's commands and of the files that it has its reader write, in order."""
    lines = ["set -euo pipefail"]
    for info, block in re.findall(r"^```(sh[^\n]*|yaml file=\S+)\n(.*?)^```", page, re.M | re.S):
        if info.startswith("yaml"):
            lines.append(f"cat >{info.split('=')[1]} <<'END_OF_FILE'\n{block}END_OF_FILE")
            continue
        expected = info.split("=")[1] if "fails=" in info else "0"
        for line in filter(None, block.replace("\\\n", " ").splitlines()):
            lines.append(f"status=0; {line.rstrip()} || status=$?; [ $status = {expected} ] || "
                         "{ echo \"line $LINENO of the tutorial's commands ended with status $status\"; exit 1; }"
                         if not line.startswith("#") else line)
    return "\n".join(lines) + "\n"


def section_script(page, title):
    """The shell commands of a section of a page, for somebody who is root."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## )", page, re.M | re.S)[1]
    commands = re.findall(r"^\$ (.*)$", section, re.M)
    return "".join(f"echo {shlex.quote('== ' + line)}\n{line.replace('sudo ', '')}\n" for line in commands)


def package_sources():
    """The files that say where apt of this machine has its packages from."""
    folder = pathlib.Path("/etc/apt")
    found = [folder / "sources.list", *sorted(folder.glob("sources.list.d/*.sources")), *sorted(folder.glob("sources.list.d/*.list"))]
    return [path for path in found if path.is_file() and path.read_text(encoding="utf-8").strip()]


def apt_options():
    """How apt of this machine is told to reach them (proxies, dates that are not checked), for apt of the clean Debian."""
    wanted = re.compile(r'Acquire::(https?::[\w:.-]*Proxy|Check-Valid-Until|Check-Date|Retries)\b')
    return [f"--aptopt={line}" for line in call("apt-config", "dump")[1].splitlines() if wanted.match(line)]


def suite_of_debian():
    """The name of this machine's Debian, "" where it is none or its apt does not say where packages come from."""
    release = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    suite = re.search(r"^VERSION_CODENAME=(\w+)", release, re.M)
    return suite[1] if suite and re.search(r"^ID=debian$", release, re.M) and package_sources() else ""


class Packages(unittest.TestCase):
    def setUp(self):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)} (tools/install_dependencies.sh all)")
        self.suite = suite_of_debian()
        if not self.suite:
            self.skipTest("this is no Debian whose apt says where its packages come from")
        folder = tempfile.TemporaryDirectory(prefix="ikat-packages-")
        self.addCleanup(folder.cleanup)
        self.tmp = pathlib.Path(folder.name)
        self.tmp.chmod(0o755)
        temporary = self.tmp / "tmp"  # lintian and mmdebstrap leave something behind when they are interrupted
        temporary.mkdir()
        CHILD["TMPDIR"] = str(temporary)

    def built(self):
        """Builds the packages; returns their files. No network is there, where a process may give its network up."""
        tree = self.tmp / "ikat"
        export(tree)
        offline = ["unshare", "-n"] if os.getuid() == 0 else ["unshare", "-rn"]
        if call(*offline, "true")[0]:
            offline = []
        status, log = call(*offline, "dpkg-buildpackage", "-us", "-uc", "-b", f"-j{os.cpu_count()}", cwd=tree)
        self.assertEqual(status, 0, log[-6000:])
        self.assertNotIn("dpkg-gensymbols: warning", log)
        found = {path.name.split("_")[0]: path for path in self.tmp.glob("*.deb") if "-dbgsym_" not in path.name}
        self.assertEqual(sorted(found), PACKAGES)
        return list(found.values())

    def lint(self):
        status, log = call("lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0",
                           next(self.tmp.glob("*.changes")))
        self.assertEqual(status, 0, log)

    def test_installed_and_used_in_a_clean_debian(self):
        packages = self.built()
        self.lint()
        results, begun = self.tmp / "results", self.tmp / "begun"
        results.mkdir()
        tutorial = self.tmp / "tutorial.sh"
        tutorial.write_text(tutorial_script((SOURCE / "docs/tutorial.md").read_text()))
        person = "runuser -u person -- env -i -C /home/person HOME=/home/person PATH=/usr/bin:/bin bash /opt/person.sh /opt/tutorial.sh"
        status, log = call(
            "mmdebstrap", "--variant=apt", "--dpkgopt=force-unsafe-io", *apt_options(),
            f"--customize-hook=touch {begun}",  # until here it is the clean Debian that is made, from here on ikat that is tried
            f"--customize-hook=copy-in {' '.join(map(str, packages))} {SOURCE}/tests/packages/person.sh "
            f"{SOURCE}/debian/tests/installed {tutorial} /opt",
            "--customize-hook=chroot \"$1\" sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "
            f"/opt/*.deb {' '.join(WITH)} && useradd -m -s /bin/bash person && chmod 755 /opt/*'",
            f"--customize-hook=chroot \"$1\" {person}",
            "--customize-hook=chroot \"$1\" env AUTOPKGTEST_TMP=/tmp /opt/installed",
            f"--customize-hook=copy-out /home/person/python/quickstart.png /home/person/tutorial/quickstart.html {results}",
            self.suite, "/dev/null", *package_sources(), cwd=self.tmp)
        if status and not begun.exists():
            self.skipTest(f"mmdebstrap could not make a clean Debian here:\n{log[-1500:]}")
        lines = [line for line in log.splitlines() if not re.match(r"ikat: finished \d|(Get|Unpacking|Setting up|Preparing|Selecting)\b", line)]
        self.assertEqual(status, 0, "\n".join(lines)[-6000:])
        self.assertIn("\n== done", log)
        self.assertEqual((results / "quickstart.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        page = (results / "quickstart.html").read_text(encoding="utf-8")
        self.assertIn('<div id="app">', page)
        self.assertIn('id="ikat-data"', page)

    def test_the_page_as_written(self):
        """Every command of the page about installation, in a clean Debian that has nothing."""
        page = (SOURCE / "docs/howto/install-ikat.md").read_text(encoding="utf-8")
        tree, script, begun = self.tmp / "ikat", self.tmp / "install.sh", self.tmp / "begun"
        export(tree)
        packages, sources = (section_script(page, title) for title in ("As Debian packages", "From the sources"))
        wheel = section_script(page, "As a Python package, by pip")
        self.assertIn("dpkg-buildpackage", packages)
        self.assertIn("pip install ./python", wheel)
        self.assertIn("cmake --install", sources)
        script.write_text("set -euxo pipefail\nexport HOME=/root LC_ALL=C.UTF-8 MANPATH= DEBIAN_FRONTEND=noninteractive\ncd /opt/ikat\n"
                          f"{sources}\n[ $(command -v ikat) = /root/.local/bin/ikat ]\nikat check karytree:k=2,n=2 -r dmodk\n"
                          f"{wheel}\nls build/ikat-*.whl\nrm -r build /root/.local\nhash -r\n{packages}\n[ $(command -v ikat) = /usr/bin/ikat ]\n"
                          "ikat check karytree:k=2,n=2 -r dmodk\necho '== done'\n")
        status, log = call(
            "mmdebstrap", "--variant=apt", "--dpkgopt=force-unsafe-io", "--aptopt=APT::Get::Assume-Yes \"true\"",
            "--aptopt=APT::Install-Recommends \"false\"", *apt_options(), f"--customize-hook=touch {begun}",
            f"--customize-hook=copy-in {tree} {script} /opt", "--customize-hook=chroot \"$1\" bash /opt/install.sh",
            self.suite, "/dev/null", *package_sources(), cwd=self.tmp)
        if status and not begun.exists():
            self.skipTest(f"mmdebstrap could not make a clean Debian here:\n{log[-1500:]}")
        self.assertEqual(status, 0, log[-6000:])
        self.assertIn("\n== done", log)

    def base_image(self, podman):
        """What the registry calls debian:12-slim: a Debian that has apt and nothing else, with the sources of packages of this machine."""
        base = self.tmp / "base.tar"
        status, log = call("mmdebstrap", "--variant=minbase", "--dpkgopt=force-unsafe-io", *apt_options(), self.suite, base, *package_sources())
        if status:
            self.skipTest(f"mmdebstrap could not make a clean Debian here:\n{log[-1500:]}")
        status, log = call(*podman, "import", base, "debian:12-slim")
        base.unlink()
        if status:
            self.skipTest(f"podman does not work here:\n{log[-1500:]}")

    def test_the_container(self):
        """podman builds the image as Containerfile says, from a Debian that is made here in place of the registry's; what the image starts
        is started in its files, since not everywhere may containers be run within containers."""
        if not shutil.which("podman") or os.getuid():
            self.skipTest("podman is not installed, or the test does not run as root")
        podman = ["podman", "--root", self.tmp / "images", "--runroot", self.tmp / "run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
                  "--events-backend", "none"]
        self.addCleanup(call, *podman, "image", "umount", "--all")
        tree = self.tmp / "ikat"
        export(tree)
        self.base_image(podman)
        status, log = call(*podman, "build", "--isolation", "chroot", "--network", "host", "--pull=never", "-t", "ikat", tree)
        self.assertEqual(status, 0, log[-6000:])
        root = call(*podman, "image", "mount", "ikat")[1].strip()
        start = json.loads(call(*podman, "image", "inspect", "ikat")[1])[0]["Config"]
        self.assertEqual((start["Entrypoint"], start["Cmd"], start["WorkingDir"]), (["ikat"], ["help"], "/work"))
        shutil.copy(SOURCE / "data/cluster96.ibnetdiscover", pathlib.Path(root) / "work/cluster.ibnetdiscover")
        for words, says in ((start["Cmd"], "ikat audit"), (["audit", "cluster.ibnetdiscover"], "slow-link"), (["version"], "ikat 0.1.0")):
            status, out = call("chroot", root, "env", "-i", "-C", start["WorkingDir"], *start["Env"], *start["Entrypoint"], *words)
            self.assertIn(status, (0, 1), out)
            self.assertIn(says, out)


if __name__ == "__main__":
    unittest.main()
