"""The units of systemd that the package installs: systemd reads them without a complaint, and what they start runs by the settings that
are installed, with programs that print files in the place of those that ask a fabric."""
import os
import re
import shlex
import shutil
import subprocess
import unittest

from harness import IKAT, SOURCE, CliTest

UNITS = SOURCE / "packaging" / "systemd"
PRINTED = {"ibnetdiscover": "cluster96.ibnetdiscover", "dump_fts": "cluster96.lfts"}


class Services(CliTest):
    def settings(self):
        """The file of settings as systemd takes it: quoted values, no expansion."""
        lines = (UNITS / "ikat-watch").read_text().splitlines()
        return dict(shlex.split(line)[0].split("=", 1) for line in lines if line and not line.startswith("#"))

    def command(self, unit):
        """ExecStart: ${NAME} is one word, $NAME several (systemd.service(5))."""
        line, values, words = re.search(r"^ExecStart=(.*)$", (UNITS / unit).read_text(), re.MULTILINE)[1], self.settings(), []
        for word in line.split():
            if re.fullmatch(r"\$\w+", word):
                words += shlex.split(values[word[1:]])
            else:
                words.append(re.sub(r"\$\{(\w+)\}", lambda name: values[name[1]], word))
        self.assertEqual(words[0], "/usr/bin/ikat")
        state = words.index("--state") + 1
        self.assertIn(f"StateDirectory={words[state].removeprefix('/var/lib/')}\n", (UNITS / unit).read_text())
        words[state] = str(self.tmp / "state")
        return [IKAT, *words[1:]]

    def path(self):
        """Programs named as those of infiniband-diags."""
        folder = self.tmp / "bin"
        folder.mkdir()
        says = {name: f"cat '{SOURCE / 'data' / file}'" for name, file in PRINTED.items()}
        says["ibqueryerrors"] = "echo '## Summary: 102 nodes checked, 0 bad nodes found'"
        for name, command in says.items():
            (folder / name).write_text(f"#!/bin/sh\n{command}\n")
            (folder / name).chmod(0o755)
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    def test_once(self):
        command, env = self.command("ikat-watch-daily.service"), self.path()
        first = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertIn("[slow-link]", first.stdout)
        self.assertNotIn("opened", subprocess.run(command, env=env, capture_output=True, text=True, timeout=600).stdout)
        (self.tmp / "bin" / "ibnetdiscover").write_text("#!/bin/sh\nexit 1\n")
        self.assertEqual(subprocess.run(command, env=env, capture_output=True, timeout=600).returncode, 2)

    def test_as_a_service(self):
        with subprocess.Popen(self.command("ikat-watch.service"), env=self.path(), stdout=subprocess.PIPE, text=True) as watching:
            self.assertIn("opened warning", watching.stdout.readline())
            watching.terminate()
            self.assertEqual(watching.wait(600), 0)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_reads_them(self):
        for path in UNITS.iterdir():
            if path.suffix:
                text = path.read_text().replace("/usr/bin/ikat", str(IKAT)).replace("man:ikat-watch(1)", "")
                (self.tmp / path.name).write_text(text)
        names = sorted(str(path) for path in self.tmp.glob("ikat-watch*"))
        self.assertEqual(len(names), 3)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, timeout=600)
        self.assertEqual([line for line in done.stderr.splitlines() if "ikat-watch" in line], [])
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
