"""Completion in real shells: bash (with and without bash-completion) and zsh are typed to through a terminal."""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
import unittest

from harness import IKAT, SOURCE, CliTest, run

sys.path.insert(0, str(SOURCE / "tools"))
import declarations  # noqa: E402

ALL = "\x18"  # the key that inserts all matches
SHOW = "\x14"  # the key that shows the line
BASH_START = """
bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'
bind -x '"\\C-t": printf "<<%s>>" "$READLINE_LINE" >&2'; bind '"\\C-x": insert-completions'; stty -ixon
"""
ZSH_START = """
stty -ixon; unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste
autoload -Uz compinit && compinit -u -D
show() { print -rn -- "<<$BUFFER>>" >/dev/tty }; zle -N show; bindkey '^T' show
zstyle ':completion:all-matches::::' completer _all_matches _complete; zstyle ':completion:*' insert yes
zle -C all-matches complete-word _generic; bindkey '^X' all-matches; LISTMAX=100000; setopt nobeep
"""


class Shell:
    """A shell at a terminal. It does not find ikat in PATH: what it completes comes from the tables alone, without waiting."""

    def __init__(self, command, start, folder, env):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 5000, 0, 0))
        self.process = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, cwd=folder, start_new_session=True,
                                        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8", **env},
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(follower)
        self.leader = leader
        self.send(re.sub(r"\n+", "; ", start.strip()) + "; echo is''ready\r")
        self.wait_for("isready")

    def send(self, keys):
        os.write(self.leader, keys.encode())

    def wait_for(self, pattern):
        """What the terminal shows up to a pattern."""
        text, end = "", time.monotonic() + 600
        while not (found := re.search(pattern, text, re.S)):
            if not select.select([self.leader], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"the shell shows {text!r}")
            text += os.read(self.leader, 65536).decode(errors="replace")
        return found

    def line(self, typed, key="\t"):
        """The line after `typed` and a key."""
        self.send("\x15" + typed + key + SHOW)
        shown = self.wait_for(r"<<(.*?)>>")[1]
        self.send("\x15")
        return re.sub(r"\r\n?", "", shown)

    def matches(self, typed):
        """All that `typed` could become: what stands in its last word's place."""
        line = self.line(typed, ALL)
        before = typed[:typed.rfind(" ") + 1]
        assert line.startswith(before), line
        return line[len(before):].split()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.leader)


class Completion:
    """What both shells do."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.share = pathlib.Path(IKAT).resolve().parent / "share"
        cls.declared = declarations.declared(IKAT)

    def setUp(self):
        super().setUp()
        for name in ("quick.yaml", "other.yml", "done.db", "net.ibnetdiscover", "experiments/deep.yaml"):
            path = self.tmp / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("")
        self.shell = self.open()
        self.addCleanup(self.shell.close)

    def members(self, family):
        return [member["name"] for member in self.declared["families"][family]]

    def test_commands_and_options(self):
        names = {command["name"] for command in self.declared["commands"]}
        self.assertEqual(set(self.shell.matches("ikat ")), names)
        self.assertEqual(self.shell.line("ikat verify"), "ikat verify-deployed ")
        for command in self.declared["commands"]:
            found = {word.rstrip("=") for word in self.shell.matches(f"ikat {command['name']} --")}
            options = {option["name"] for option in command["options"] + self.declared["options"]}
            self.assertEqual(found, options, command["name"])
        self.assertEqual(self.shell.line("ikat check x --allow"), "ikat check x --allow-unreachable ")

    def test_names_with_parameters(self):
        self.assertEqual({word.rstrip(":") for word in self.shell.matches("ikat check x --routing ")}, set(self.members("routings")))
        self.assertEqual({word.rstrip(":") for word in self.shell.matches("ikat load x -r dmodk --traffic ")}, set(self.members("traffic")))
        self.assertEqual({word.rstrip(":") for word in self.shell.matches("ikat check x -r dmodk --vc ")}, set(self.members("vcs")))
        self.assertEqual(self.shell.line("ikat topo karyt"), "ikat topo karytree:")
        self.assertEqual(self.shell.line("ikat topo karytree:k=4,n"), "ikat topo karytree:k=4,n=")
        self.assertEqual(self.shell.line("ikat topo dragonfly:h=2,arrangement=rel"), "ikat topo dragonfly:h=2,arrangement=relative ")
        self.assertEqual(self.shell.line("ikat topo torus:dims=4:4,fail_sw"), "ikat topo torus:dims=4:4,fail_switches=")
        self.assertEqual(self.shell.line("ikat check karytree:k=4,n=2 --routing=dfs"), "ikat check karytree:k=4,n=2 --routing=dfsssp ")
        self.assertEqual(self.shell.line("ikat check karytree:k=4,n=2 --vc lash:pairs=b"), "ikat check karytree:k=4,n=2 --vc lash:pairs=both ")

    def test_every_parameter(self):
        """Those that are not given yet, of every family of names."""
        for option, family in (("check x -r ", "routings"), ("check x --vc ", "vcs"), ("load x -t ", "traffic"), ("topo ", "topologies")):
            for member in self.declared["families"][family][::4]:
                rows = member["parameters"] if member["parameters"] != member["common_parameters"] else []
                names = [row["name"] for row in rows] + [row["name"] for row in member["common_parameters"] if rows or family == "topologies"]
                if len(names) < 2:
                    continue
                typed = f"ikat {option}{member['name']}:{names[-1]}=1,"
                found = {word.rpartition(",")[2] for word in self.shell.matches(typed)}
                self.assertEqual(found, {name + "=" for name in names[:-1]}, typed)

    def test_values(self):
        self.assertEqual(set(self.shell.matches("ikat check x --flow ")), {"any", "cut_through"})
        self.assertEqual(set(self.shell.matches("ikat route x --format ")), {"lft", "paths", "hops", "ir", "fir", "json"})
        self.assertEqual(set(self.shell.matches("ikat topo x --format ")), set(self.members("formats")))
        self.assertEqual(set(self.shell.matches("ikat list --color ")), {"auto", "always", "never"})
        self.assertEqual(set(self.shell.matches("ikat report done.db --table ")), set(self.declared["tables"]))
        self.assertEqual(set(self.shell.matches("ikat list ")), set(self.declared["families"]))
        self.assertEqual(self.shell.line("ikat route x --diff dmodk smo"), "ikat route x --diff dmodk smodk ")
        self.assertEqual(self.shell.line("ikat run x --set switch.mod"), "ikat run x --set switch.model=")
        self.assertEqual(self.shell.line("ikat run x --set switch.model=pip"), "ikat run x --set switch.model=pipelined ")
        self.assertEqual(self.shell.line("ikat replay x --collective allreduce=rin"), "ikat replay x --collective allreduce=ring ")
        self.assertEqual(self.shell.line("ikat help exit"), "ikat help exit-status ")
        self.assertEqual(self.shell.line("ikat help karyt"), "ikat help karytree ")
        studies = {entry["name"] for entry in json.loads(run("reproduce", "--list", "--json").stdout)}
        self.assertEqual(set(self.shell.matches("ikat reproduce ")), studies)

    def test_words_are_accepted(self):
        """Where a refusal lists what there is, completion has the same words."""
        done = run("route", "karytree:k=2,n=2", "-r", "dmodk", "--format", "zzzzzzzz")
        self.assertEqual(set(self.shell.matches("ikat route x --format ")), set(re.search(r"there are (.*)", done.stderr)[1].split(", ")))
        done = run("load", "karytree:k=2,n=2", "-r", "dmodk", "--csv", "--table", "zzzzzzzz")
        for word in re.search(r"it prints (.*)", done.stderr)[1].replace(" or ", ", ").split(", "):
            self.assertIn(word, self.shell.matches("ikat load x --table "))
        done = run("audit", "data/cluster96.ibnetdiscover", "--lfts", "data/cluster96.lfts", "--engine", "zzzzzzzz")
        self.assertEqual(set(self.shell.matches("ikat audit x --engine ")), set(re.search(r"there are (.*)", done.stderr)[1].split(", ")))
        done = run("replay", "experiments/halo.dim", "--fabric", "karytree:k=4,n=2", "-r", "dmodk", "--format", "zzzzzzzz")
        self.assertEqual({"auto", *self.shell.matches("ikat replay x --format ")}, set(re.search(r"one of (\S*)", done.stderr)[1].split("|")))
        done = run("replay", "experiments/halo.dim", "--fabric", "karytree:k=4,n=2", "-r", "dmodk", "--collective", "zzzzzzzz=ring")
        operations = {word.partition("=")[0] for word in self.shell.matches("ikat replay x --collective ")}
        self.assertEqual(operations, set(re.search(r"operations are (\S*)", done.stderr)[1].split("|")))

    def test_files(self):
        self.assertEqual(self.shell.line("ikat run qui"), "ikat run quick.yaml ")
        self.assertEqual({word.rstrip("/") for word in self.shell.matches("ikat run ")}, {"quick.yaml", "other.yml", "experiments"})
        self.assertEqual(self.shell.line("ikat run experiments/"), "ikat run experiments/deep.yaml ")
        self.assertEqual({word.rstrip("/") for word in self.shell.matches("ikat report ")}, {"done.db", "experiments"})
        self.assertEqual(self.shell.line("ikat topo net"), "ikat topo net.ibnetdiscover ")
        self.assertEqual(self.shell.line("ikat topo file:ne"), "ikat topo file:net.ibnetdiscover ")
        self.assertEqual(self.shell.line("ikat verify-deployed "), "ikat verify-deployed experiments/")
        self.assertEqual(self.shell.line("ikat audit net.ibnetdiscover --lfts=do"), "ikat audit net.ibnetdiscover --lfts=done.db ")

    def test_a_program_behind_two_hyphens(self):
        (self.tmp / "bin").mkdir()
        self.assertEqual(self.shell.line("ikat record -o x -- mkdi"), "ikat record -o x -- mkdir ")


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Bash(Completion, CliTest):
    def open(self):
        return Shell(["bash", "--norc", "--noprofile", "-i"], f"{BASH_START}\n. {self.share}/bash-completion/completions/ikat", self.tmp, {})

    def test_other_word_breaks(self):
        """Whoever has taken ':' or '=' from COMP_WORDBREAKS gets the same."""
        self.shell.send("COMP_WORDBREAKS=${COMP_WORDBREAKS//:}; echo do''ne\r")
        self.shell.wait_for("done")
        self.assertEqual(self.shell.line("ikat topo torus:dims=4:4,fail_sw"), "ikat topo torus:dims=4:4,fail_switches=")
        self.shell.send("COMP_WORDBREAKS=${COMP_WORDBREAKS//=}; echo do''ne\r")
        self.shell.wait_for("done")
        self.assertEqual(self.shell.line("ikat topo torus:dims=4:4,fail_sw"), "ikat topo torus:dims=4:4,fail_switches=")
        self.assertEqual(self.shell.line("ikat check karytree:k=4,n=2 --routing=dfs"), "ikat check karytree:k=4,n=2 --routing=dfsssp ")

    def test_in_quotes(self):
        """Nothing is parted there."""
        self.assertEqual(self.shell.line("ikat topo 'dragonfly:h=2,arrangement=rel"), "ikat topo 'dragonfly:h=2,arrangement=relative' ")
        self.assertEqual(self.shell.line('ikat load x -t "mix:members=80%*unif'), 'ikat load x -t "mix:members=80%*uniform" ')

    def test_names_of_files_with_blanks(self):
        (self.tmp / "my run.yaml").write_text("")
        self.assertEqual(self.shell.line("ikat run my"), "ikat run my\\ run.yaml ")
        self.assertEqual(self.shell.line("ikat run my\\ r"), "ikat run my\\ run.yaml ")
        self.assertEqual(self.shell.line("ikat run 'my"), "ikat run 'my run.yaml' ")

    def test_in_the_middle_of_a_line(self):
        self.shell.send("\x15ikat topo karyt --all" + "\x1b[D" * 6 + "\t" + SHOW)
        self.assertEqual(self.shell.wait_for(r"<<(.*?)>>")[1], "ikat topo karytree: --all")


@unittest.skipUnless(os.path.exists("/usr/share/bash-completion/bash_completion"), "bash-completion is not installed")
class BashCompletion(CliTest):
    def test_found_when_it_is_needed(self):
        """bash-completion loads it when ikat is completed for the first time."""
        share = pathlib.Path(IKAT).resolve().parent / "share"
        shell = Shell(["bash", "--norc", "--noprofile", "-i"], f"{BASH_START}\n. /usr/share/bash-completion/bash_completion", self.tmp,
                      {"XDG_DATA_DIRS": f"{share}:/usr/share"})
        self.addCleanup(shell.close)
        self.assertEqual(shell.line("ikat topo karytree:k=4,n"), "ikat topo karytree:k=4,n=")
        self.assertEqual(shell.line("ikat check x --routing=dfs"), "ikat check x --routing=dfsssp ")


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(Completion, CliTest):
    def open(self):
        return Shell(["zsh", "-f", "-i"], f"fpath=({self.share}/zsh/site-functions $fpath)\n{ZSH_START}", self.tmp, {})


del CliTest  # is no test itself


if __name__ == "__main__":
    unittest.main()
