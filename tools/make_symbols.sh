#!/usr/bin/env bash
# Writes debian/libikat0.symbols: the symbols of the shared library, each with the version of ikat that brought it. Symbols that the
# file has already keep their version. usage: make_symbols.sh LIBIKAT.SO OLD-FILE VERSION >NEW-FILE
set -euo pipefail
export LC_ALL=C
[ $# -eq 3 ] || { echo "usage: make_symbols.sh LIBIKAT.SO OLD-FILE VERSION" >&2; exit 2; }
printf 'libikat.so.0 libikat0 #MINVER#\n* Build-Depends-Package: libikat-dev\n'
nm -D --defined-only "$1" | awk -v version="$3" '
  FILENAME != "-" { if (/^ /) since[$1] = $2; next }
  { name = $3; sub(/@@/, "@", name); if (name !~ /@/) name = name "@" name
    print " " name " " (name in since ? since[name] : version) }' "$2" - | sort
