#!/usr/bin/env bash
# Balanced deadlock-free routes: ikat's dfsssp beside OpenSM's over the simulator ibsim, on the same fabric, in one run; and the
# time of LOREN's tables for 4,096 switches. (bench/against_opensm compares the tree routings.)
# usage: bench/route_vs_opensm.sh [--runs N] [--fabric SPEC]
# Needs opensm and ibsim (packages opensm, ibsim-utils).
#
# OpenSM's cost of an engine is the CPU time of the whole subnet manager with that engine less that with minhop, the cheapest: both
# discover, write tables and dump alike, and an engine that gives up falls back to minhop. Medians of N runs.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${IKAT_BUILD:-$root/build/release}
runs=3
fabric=jellyfish:N=256,d=8,p=4
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2; shift 2 ;;
    --fabric) fabric=$2; shift 2 ;;
    *) sed -n '2,4p' "$0"; exit 2 ;;
  esac
done
for tool in opensm ibsim; do
  command -v $tool >/dev/null || { echo "route_vs_opensm.sh: needs $tool" >&2; exit 2; }
done
umad=$(ls /usr/lib/*/umad2sim/libumad2sim.so 2>/dev/null | head -1)
[ -n "$umad" ] || { echo "route_vs_opensm.sh: needs libumad2sim.so of ibsim" >&2; exit 2; }
if [ ! -x "$build/bench_layers" ] || [ ! -x "$build/ikat" ]; then
  (cd "$root" && cmake --preset release && cmake --build --preset release --target bench_layers ikat) >&2
fi
dir=$(mktemp -d)
sim=
stop_sim() { [ -z "$sim" ] || { kill "$sim" 2>/dev/null || true; wait "$sim" 2>/dev/null || true; sim=; }; }
trap 'stop_sim; rm -rf "$dir"' EXIT
cd "$dir"

median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get(sys.argv[2], ""))' "$1" "$2"; }

start_sim() { # fabric file
  export IBSIM_SOCKNAME=ikat$$
  SIM_HOST=$(awk 'match($0, /"H-[0-9a-f]*"/) {print substr($0, RSTART + 1, RLENGTH - 2); exit}' "$1")
  export SIM_HOST OSM_TMP_DIR=$dir OSM_CACHE_DIR=$dir
  rm -f con; mkfifo con
  (exec 3<>con; exec ibsim -s -N 16000 -S 4000 -P 140000 -f ibsim.out "$1" <&3 >ibsim.log 2>&1) &
  sim=$!
  sleep 2
}

opensm_cpu() { # engine [options] -> CPU seconds of a whole run; log and tables stay in osm.ENGINE*
  local engine=$1
  shift
  mkdir -p "osm.$engine"
  TIMEFORMAT='%U %S'
  { time LD_PRELOAD=$umad timeout 900 opensm -o -s 0 -e -R "$engine" -D 0x43 -f "$dir/osm.$engine.log" \
      --dump_files_dir "$dir/osm.$engine" -Q "$@" >/dev/null 2>&1 || true; } 2>&1 | awk '{print $1 + $2}'
}

engine_cpu() { # engine [options]: median of CPU seconds
  for _ in $(seq "$runs"); do rm -f "osm.$1.log"; opensm_cpu "$@"; done | median
}

ours() { # file routing vc name: JSON of the median run in NAME.json
  for i in $(seq "$runs"); do
    "$build/bench_layers" "$1" "$2" "$3" >"$4.$i.json"
    echo "$(value "$4.$i.json" total_cpu_s) $i"
  done | sort -g | awk '{v[NR] = $2} END {print v[int((NR + 1) / 2)]}' | { read -r i; cp "$4.$i.json" "$4.json"; }
}

row() { printf '%-34s %12s %6s %12s\n' "$@"; }

compare_dfsssp() {
  "$build/ikat" topo "$fabric" -o fab.net --format ibnetdiscover >/dev/null
  start_sim fab.net
  base=$(engine_cpu minhop)
  theirs=$(engine_cpu dfsssp)
  lanes=$(grep -o 'Virtual Lanes needed: [0-9]*' osm.dfsssp.log | tail -1 | grep -o '[0-9]*$' || echo '?')
  engine_cpu sssp >/dev/null # the paths of dfsssp, which keeps none if it runs out of lanes
  stop_sim
  "$build/bench_layers" fab.net "lft:path=$dir/osm.sssp/opensm-lfts.dump" - >osm.json
  ours fab.net dfsssp dfsssp dfsssp
  cost=$(echo "$theirs $base" | awk '{printf "%.2f", $1 - $2}')
  echo "$fabric: $(value dfsssp.json hosts) hosts, $(value dfsssp.json switches) switches; median of $runs runs"
  row '' 'CPU seconds' 'VCs' 'max load'
  row "OpenSM dfsssp" "$cost" "$lanes" "$(value osm.json max_load)"
  row "ikat dfsssp (paths and layers)" "$(value dfsssp.json total_cpu_s)" "$(value dfsssp.json vcs)" "$(value dfsssp.json max_load)"
  echo "$cost $(value dfsssp.json total_cpu_s)" | awk '{printf "ikat is %.1f times faster\n", $1 / $2}'
}

loren_tables() {
  ours lrt:N=4096,d=6,r=8 loren - loren
  echo "lrt:N=4096,d=6,r=8"
  row "ikat loren, t_max half the switches" "$(value loren.json route_cpu_s)" '-' '-'
}

compare_dfsssp
loren_tables
