#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a packet-hop costs more instructions than it may. Instructions, not time: the same on a busy machine.

usage: guard.py BENCH_SIM CASE MOST                     a case of bench/run
       guard.py BENCH_SIM --multiples CASE MOST LINES   a case of bench/run --multiples, from empty: also lines of data beyond a
                                                        second-level cache of 1 MiB"""
import json
import subprocess
import sys

SKIPPED = 77


def guard_multiple(program, case, most, most_lines):
    answer = subprocess.run([program, "--multiples", "--count-only", "--only", case], stdout=subprocess.PIPE, check=False)
    words = answer.stdout.decode().rsplit(None, 2)
    if answer.returncode or len(words) < 3:
        print("valgrind is not to be had")
        return SKIPPED
    instructions, lines = float(words[1]), float(words[2])
    print("%s: %.0f instructions per hop, at most %.0f allowed; %.1f lines, at most %.1f" %
          (words[0].strip(), instructions, most, lines, most_lines))
    return 0 if instructions <= most and lines <= most_lines else 1


def main():
    if sys.argv[2] == "--multiples":
        return guard_multiple(sys.argv[1], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]))
    program, case, most = sys.argv[1], sys.argv[2], float(sys.argv[3])
    answer = subprocess.run([program, "--json", "--only", case, "--scale", "0.05"], stdout=subprocess.PIPE, check=True)
    measured = json.loads(answer.stdout)[0]
    instructions = measured["instructions_per_hop"]
    if instructions is None:
        print("neither the processor's counters nor valgrind are to be had")
        return SKIPPED
    print("%s, %d hosts, VOQ %s: %.0f instructions per hop, at most %.0f allowed" %
          (measured["name"], measured["hosts"], measured["voq"], instructions, most))
    return 0 if instructions <= most else 1


sys.exit(main())
