#!/usr/bin/env bash
# Installs the Debian packages that ikat needs and that are missing. usage: install_dependencies.sh build|python|check|package|all
# build: what ./quickstart needs; python: also what `pip install ./python` needs; check: also what the tests need; package: what
# dpkg-buildpackage needs; all: also what ./check --all needs, which tests the packages and fuzzes with libFuzzer. What each is for
# stands in docs/dependencies.md.
set -euo pipefail

build=(gcc libc6-dev cmake ninja-build pkg-config python3 librandom123-dev libsqlite3-dev libyaml-dev libjansson-dev libmetis-dev
       zlib1g-dev libmd-dev libcairo2-dev fonts-liberation libopen-trace-format2-dev libmicrohttpd-dev)
check=(abigail-tools clang-format libcmocka-dev libglpk-dev libigraph-dev libnauty2-dev chromium valgrind sqlite3 opensm libopensm-dev libibumad-dev ibsim-utils infiniband-diags
       ibutils git g++ make mandoc man-db groff-base zsh bash-completion fio libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran
       slurmctld slurmd slurm-client munge parallel python3-pandas python3-xarray python3-networkx python3-igraph python3-matplotlib
       python3-sphinx python3-myst-parser furo mypy python3-nbclient python3-ipykernel)
python=(python3-dev python3-cffi python3-numpy python3-venv)
# the declared ones, without versions and conditions
package=(build-essential debhelper dpkg-dev fakeroot
         $(sed -n '/^Build-Depends:/,/^Standards-Version:/p' "$(dirname "$0")/../debian/control" |
           sed -E 's/^[A-Z].*: *//; s/debhelper-compat//; s/:any//; s/\([^)]*\)//g; s/<[^>]*>//g; s/,//g; s/^[0-9.]+$//'))
all=(clang libclang-rt-14-dev lintian mmdebstrap podman)

packages=("${build[@]}")
case ${1:-build} in
  build) ;;
  python) packages+=("${python[@]}") ;;
  check) packages+=("${python[@]}" "${check[@]}") ;;
  package) packages+=("${package[@]}") ;;
  all) packages+=("${python[@]}" "${check[@]}" "${package[@]}" "${all[@]}") ;;
  *)
    echo "usage: install_dependencies.sh build|python|check|package|all" >&2
    exit 2
    ;;
esac
# A node that is already here (from another source than Debian) serves as well.
if [[ ${1:-} = check || ${1:-} = all ]] && ! { command -v node && command -v npm; } >/dev/null; then
  packages+=(nodejs npm)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  root=()
elif command -v sudo >/dev/null; then
  root=(sudo)
else
  echo "ikat needs these packages: ${missing[*]}" >&2
  echo "Run this as root, or install sudo, or ask an administrator to run: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "Installing: ${missing[*]}"
# A package list that could not be refreshed may still do.
"${root[@]}" apt-get update -q || echo "warning: the package lists could not be refreshed" >&2
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null
