#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a packet-hop costs more instructions than it may. Instructions, not time: the same on a busy machine.

usage: guard.py BENCH_SIM CASE MOST"""
import json
import subprocess
import sys

SKIPPED = 77


def main():
    program, case, most = sys.argv[1], sys.argv[2], float(sys.argv[3])
    answer = subprocess.run([program, "--json", "--only", case, "--scale", "0.05"], stdout=subprocess.PIPE, check=True)
    measured = json.loads(answer.stdout)[0]
    instructions = measured["instructions_per_hop"]
    if instructions is None:
        print("neither the processor's counters nor valgrind are to be had")
        return SKIPPED
    print("%s, %d hosts, VOQ %s: %.0f instructions a hop, at most %.0f allowed" %
          (measured["name"], measured["hosts"], measured["voq"], instructions, most))
    return 0 if instructions <= most else 1


sys.exit(main())
