"""ikat for ARM clusters: built for aarch64 by a cross compiler, run by qemu, the same results as this machine's, byte by byte.

Part of `./check --all`: it builds ikat again, in a clean Debian that mmdebstrap makes with packages of both architectures. Where that
cannot be, the test is skipped and says why."""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest
from test_packages import apt_options, call, export, package_sources, suite_of_debian

LIBRARIES = ["libc6-dev", "libsqlite3-dev", "libyaml-dev", "libjansson-dev", "libmetis-dev", "zlib1g-dev", "libmd-dev", "libcairo2-dev"]
TOOLS = ["gcc-aarch64-linux-gnu", "binutils-aarch64-linux-gnu", "cmake", "ninja-build", "pkg-config", "python3", "librandom123-dev", "qemu-user-static"]
BUILD = """set -eux
export HOME=/root LC_ALL=C.UTF-8 PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig
cmake -S /opt/ikat -B /opt/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DIKAT_TESTS=OFF -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \\
  -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_CROSSCOMPILING_EMULATOR=/usr/bin/qemu-aarch64-static
cmake --build /opt/build -j JOBS --target ikat
"""
# One experiment of every kind that takes about a second: packets and flits, adaptive and fixed routings, replies, orders, programs.
EXPERIMENTS = ["background", "batch", "collectives", "congestion", "incast", "inorder", "jobs", "phased_routes", "program", "request_reply",
               "schedule", "stopping", "storage", "watch"]
STATIC = [("check", "rlft:ports=8,levels=3", "-r", "dmodk"), ("check", "torus:dims=5:4", "-r", "nue", "--vcs", "3"),
          ("check", "lrt:N=64,d=4,r=2,seed=7", "-r", "loren"), ("load", "slimfly:q=5", "-r", "ugal_l", "--traffic", "uniform"),
          ("topo", "jellyfish:N=60,d=5,p=2,seed=3"), ("load", "xgft:m=3:4,w=2:2", "-r", "smodk", "--traffic", "permutation"),
          ("failures", "torus:dims=4:4")]


def without_times(value):
    """What a machine's speed and memory say is no result."""
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items()
                if key not in ("execution", "build", "created", "host") and not key.endswith("seconds")}
    return [without_times(part) for part in value] if isinstance(value, list) else value


class Aarch64(CliTest):
    def setUp(self):
        super().setUp()
        self.suite = suite_of_debian()
        if not shutil.which("mmdebstrap") or not self.suite or os.getuid() != 0:
            self.skipTest("this is no Debian with mmdebstrap (tools/install_dependencies.sh all) whose apt says where its packages come from, or not root")
        if platform.machine() != "x86_64":
            self.skipTest("this machine is no x86_64")

    def built(self):
        """A folder with a clean Debian, ikat for aarch64 in /opt/build."""
        root, tree, begun, script = self.tmp / "root", self.tmp / "ikat", self.tmp / "begun", self.tmp / "build.sh"
        export(tree)
        script.write_text(BUILD.replace("JOBS", str(os.cpu_count())))
        packages = TOOLS + [f"{name}:arm64" for name in LIBRARIES]
        status, log = call("mmdebstrap", "--variant=minbase", "--architectures=amd64,arm64", "--dpkgopt=force-unsafe-io",
                           f"--include={','.join(packages)}", *apt_options(), f"--customize-hook=touch {begun}",
                           f"--customize-hook=copy-in {tree} {script} /opt", "--customize-hook=chroot \"$1\" sh /opt/build.sh",
                           self.suite, root, *package_sources(), cwd=self.tmp)
        if status and not begun.exists():
            self.skipTest(f"mmdebstrap could not make a clean Debian with packages of arm64 here:\n{log[-1500:]}")
        self.assertEqual(status, 0, log[-6000:])
        return root

    def here(self, *args):
        done = subprocess.run([IKAT, *args], cwd=SOURCE / "experiments", capture_output=True, text=True, check=False, timeout=600)
        return done.returncode, done.stdout

    def there(self, root, *args):
        """In the other Debian, in /opt/ikat/experiments."""
        done = subprocess.run(["chroot", root, "sh", "-c", 'cd /opt/ikat/experiments && exec qemu-aarch64-static /opt/build/ikat "$@"', "sh", *args],
                              capture_output=True, text=True, check=False, timeout=3000)
        self.assertNotIn("qemu: uncaught", done.stderr)
        return done.returncode, done.stdout

    def test_same_bytes(self):
        root = self.built()
        kind = call("file", "-bL", root / "opt/build/ikat")[1] if shutil.which("file") else "aarch64"
        self.assertRegex(kind, "aarch64|ARM")
        for args in STATIC:
            with self.subTest(args=args):
                ours, theirs = self.here(*args, "--json"), self.there(root, *args, "--json")
                self.assertLess(ours[0], 2, ours[1])
                self.assertEqual(without_times(json.loads(ours[1])), without_times(json.loads(theirs[1])))
                self.assertEqual(ours[0], theirs[0])
        for name in EXPERIMENTS:
            with self.subTest(experiment=name):
                store = pathlib.Path("/tmp") / f"{name}.db"
                args = ("run", f"{name}.yaml", "-q", "--json", "--no-cache", "-j1", "-o")
                ours = self.here(*args, self.tmp / store.name)
                theirs = self.there(root, *args, str(store))
                self.assertEqual(ours[0], theirs[0])
                self.assertEqual(without_times(json.loads(ours[1])), without_times(json.loads(theirs[1])))


if __name__ == "__main__":
    unittest.main()
