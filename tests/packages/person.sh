#!/bin/bash
# What somebody does who has installed ikat's packages and has no source tree. Run by tests/cli/test_packages.py in a clean Debian, as
# an ordinary user whose home folder is empty. usage: person.sh TUTORIAL, a script with the commands that the tutorial shows.
set -eEuo pipefail
tutorial=$1
documents=/usr/share/doc/ikat
export LANG=C.UTF-8 MANPAGER=cat MANWIDTH=100

trap 'echo "person.sh: line $LINENO failed: $BASH_COMMAND"' ERR

step() { printf '\n== %s\n' "$*"; }

# has WORDS: standard input has them.
has() {
  local text
  text=$(cat)
  grep -qF -- "$1" <<<"$text" || { printf '%s\nmissing above: %s\n' "$text" "$1"; exit 1; }
}

step "the manual"
man ikat | has "SYNOPSIS"
man ikat-run | has "ikat run"
man 5 ikat-experiment | has "measure"
man 7 ikat-topologies | has "torus"
test -s $documents/html/index.html -a -s $documents/html/tutorial.html

step "the units of ikat watch, which are not enabled"
for unit in ikat-watch.service ikat-watch-daily.service ikat-watch-daily.timer; do
  test -s /lib/systemd/system/$unit
  test ! -e /etc/systemd/system/multi-user.target.wants/$unit -a ! -e /etc/systemd/system/timers.target.wants/$unit
done
has FABRIC_COMMAND= </etc/default/ikat-watch

step "completion in bash and zsh"
bash -c '. /usr/share/bash-completion/bash_completion
         _completion_loader ikat
         COMP_WORDS=(ikat ru) COMP_CWORD=1 COMP_LINE="ikat ru" COMP_POINT=7
         $(complete -p ikat | sed "s/.*-F \([^ ]*\).*/\1/") ikat ru ikat
         printf "%s\n" "${COMPREPLY[@]}"' | has "run"
zsh -fc 'autoload -Uz compinit && compinit -u -d /dev/null && echo $_comps[ikat]' | has "_ikat"

step "the tutorial"
mkdir ~/tutorial
cd ~/tutorial
cp -r $documents/data $documents/experiments .
bash "$tutorial"

step "programs that use the library"
cp -r $documents/examples/embed ~/embed
cd ~/embed
make
./embed | has "deadlock-free"
./embed_cpp 8 4 4
make clean
make STATIC=1
if ldd ./embed | grep libikat; then exit 1; fi
./embed | has "deadlock-free"
for static in OFF ON; do
  cmake -B build-$static -DEMBED_STATIC=$static
  cmake --build build-$static
  ./build-$static/embed | has "deadlock-free"
done

step "Python: the example as a program, and the cells of its notebook"
mkdir ~/python
cd ~/python
cp -r $documents/data $documents/experiments .
python3 $documents/examples/python/quickstart.py | has "repaired"
rm quickstart.png quickstart.db
python3 - <<END_OF_CELLS | has "repaired"
import json
cells = json.load(open("$documents/examples/python/quickstart.ipynb"))["cells"]
exec("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
END_OF_CELLS
for notebook in my_routing my_traffic my_selection audit counters replay failures paper_figure; do
  python3 $documents/examples/python/$notebook.py
  test -s $notebook.png
done

step "done"
