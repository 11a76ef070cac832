#!/usr/bin/env bash
# Checks that all C sources stand as .clang-format says, in at most 100 columns. With --fix it puts them right, but for comments.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find src include python tests bench tools examples -name '*.[ch]' | sort)
if [ "${1:-}" = --fix ]; then
  clang-format -i "${files[@]}"
else
  clang-format --dry-run -Werror "${files[@]}"
fi
python3 - "${files[@]}" <<'PYTHON'
import sys
long = [f"{name}:{number}: {len(line)} columns, at most 100" for name in sys.argv[1:]
        for number, line in enumerate(open(name, encoding="utf-8").read().split("\n"), 1) if len(line) > 100]
print("\n".join(long), file=sys.stderr, end="\n" if long else "")
sys.exit(bool(long))
PYTHON
