#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a data-parallel training step as Chakra execution traces, FOLDER/step.<rank>.et.

A rank computes the layers forward, then backward from the last to the first. Gradients are divided into buckets as frameworks do it: a
bucket's allreduce begins when the backward pass of its layers is done, and overlaps with that of the layers before; the update waits for
all. Without times (--forward 0 --backward 0) the step is its allreduces alone; with --layers 1 it is one allreduce.

  python3 tools/make_training_step.py step --ranks 1024 --bytes 1000000000
  python3 tools/make_training_step.py step --ranks 64 --bytes 400000000 --layers 48 --buckets 16 --forward 120 --backward 240 --update 900

Ranks that share a model (--model M: tensor parallel, ranks r - r % M and the M - 1 next ones) exchange activations of --activation bytes in an allreduce
per layer and direction; gradients are then reduced among the ranks of equal r % M, in groups that FOLDER/groups.json lists.

The fields are those of the public schema (MLCommons Chakra, et_def.proto); only the standard library is needed."""
import argparse
import json
import pathlib
import sys

COMPUTE, COLLECTIVE = 4, 7  # node types
ALL_REDUCE = 0              # collective


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """A field with a whole number, or with bytes behind their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, number, value):
    return field(10, field(1, name.encode()) + field(number, value))


class Rank:
    """The nodes of a rank; numbers count up from 0."""

    def __init__(self):
        self.out = [self.framed(field(1, b"1.0.0"))]
        self.num = 0

    @staticmethod
    def framed(message):
        return varint(len(message)) + message

    def node(self, kind, name, after, rest):
        deps = field(5, b"".join(varint(d) for d in sorted(after))) if after else b""
        self.out.append(self.framed(field(1, self.num) + field(2, name.encode()) + field(3, kind) + deps + rest))
        self.num += 1
        return self.num - 1

    def compute(self, name, micros, after):
        return self.node(COMPUTE, name, after, (field(7, micros) if micros else b"") + attribute("is_cpu_op", 27, 0))

    def allreduce(self, name, size, after, group):
        return self.node(COLLECTIVE, name, after, attribute("is_cpu_op", 27, 0) + attribute("comm_type", 9, ALL_REDUCE)
                         + attribute("comm_size", 9, size) + (attribute("pg_name", 29, group.encode()) if group else b""))


def share(total, parts, number):
    return total * (number + 1) // parts - total * number // parts


def make_rank(o, rank):
    r = Rank()
    shard, replica = (f"model {rank // o.model}", f"data {rank % o.model}") if o.model > 1 else ("", "")
    last, done = None, []
    for layer in range(o.layers):
        if o.forward:
            last = r.compute(f"forward {layer}", o.forward, [] if last is None else [last])
        if o.activation:
            last = r.allreduce(f"activation {layer}", o.activation, [] if last is None else [last], shard)
    for bucket in range(o.buckets):
        for layer in range(o.layers * bucket // o.buckets, o.layers * (bucket + 1) // o.buckets):
            if o.backward:
                last = r.compute(f"backward {o.layers - 1 - layer}", o.backward, [] if last is None else [last])
            if o.activation:
                last = r.allreduce(f"gradient of activation {o.layers - 1 - layer}", o.activation, [] if last is None else [last], shard)
        done.append(r.allreduce(f"bucket {bucket}", share(o.bytes, o.buckets, bucket), [] if last is None else [last], replica))
    if o.update:
        r.compute("update", o.update, done + ([] if last is None else [last]))
    return b"".join(r.out)


def options():
    whole = lambda text: int(text.replace("_", ""))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--ranks", type=whole, default=8)
    p.add_argument("--bytes", type=whole, default=1_000_000_000, help="of all gradients of a rank")
    p.add_argument("--layers", type=whole, default=1)
    p.add_argument("--buckets", type=whole, default=1, help="at most one per layer")
    p.add_argument("--forward", type=whole, default=0, help="us per layer")
    p.add_argument("--backward", type=whole, default=0, help="us per layer")
    p.add_argument("--update", type=whole, default=0, help="us")
    p.add_argument("--model", type=whole, default=1, help="ranks that share a model")
    p.add_argument("--activation", type=whole, default=0, help="bytes per layer; only with --model")
    o = p.parse_args()
    if o.ranks < 1 or o.layers < 1 or not 1 <= o.buckets <= o.layers or o.bytes < o.buckets or min(o.forward, o.backward, o.update) < 0:
        p.error("at least one rank, one layer, one bucket, one byte per bucket, and no more buckets than layers")
    if o.model < 1 or o.ranks % o.model or (o.activation > 0) != (o.model > 1):
        p.error("--model divides --ranks, and goes with --activation")
    return o


def main():
    o = options()
    o.folder.mkdir(parents=True, exist_ok=True)
    for rank in range(o.ranks):
        (o.folder / f"step.{rank}.et").write_bytes(make_rank(o, rank))
    if o.model > 1:
        groups = {f"model {k}": list(range(k * o.model, (k + 1) * o.model)) for k in range(o.ranks // o.model)}
        groups |= {f"data {k}": list(range(k, o.ranks, o.model)) for k in range(o.model)}
        (o.folder / "groups.json").write_text(json.dumps(groups) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
