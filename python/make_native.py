#!/usr/bin/env python3
"""Writes the C source of ikat._native, the module by which Python calls libikat.

usage: make_native.py INCLUDE_FOLDER OUTPUT.c [COMPILER]

The declarations are those of the public headers: the preprocessor of the C compiler expands them, this script keeps what comes
from ikat's own headers and turns it into what cffi reads. Nothing is typed twice; the C compiler then compares every structure
with the headers once more. What Python needs beside the library (reference counts, Ctrl-C) is in native.h beside this script.
"""
import pathlib
import re
import subprocess
import sys

import cffi

HERE = pathlib.Path(__file__).resolve().parent
MODULE = "ikat._native"
# What Python takes from the C library itself.
OF_LIBC = """
void free(void *pointer);
FILE *fdopen(int descriptor, const char *mode);
int fclose(FILE *stream);
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream);
"""
CALLBACKS = """
extern "Python+C" void ikpy_progress(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit);
extern "Python" void ikpy_stage(void *ctx, const char *text);
extern "Python" void ikpy_point(void *ctx, uint64_t done, uint64_t total, bool reused);
extern "Python" void ikpy_share(void *ctx, const ik_run_share *share);
extern "Python" void ikpy_note(void *ctx, ik_severity severity, const char *text);
extern "Python" ik_status ikpy_claim(void *ctx, const ik_claim *claim, ik_error *err);
extern "Python" ik_status ikpy_reproduced(void *ctx, const ik_reproduced *s, const ik_claim *claim, ik_error *err);
extern "Python+C" ik_status ikpy_make_table(void *handle, ik_routing *r, const ik_params *params, ik_error *err);
extern "Python+C" ik_status ikpy_make_flows(void *handle, ik_traffic *t, const ik_params *params, ik_error *err);
extern "Python+C" ik_status ikpy_make_selection(void *handle, ik_selection *s, const ik_params *params, const int *cancel, ik_error *err);
extern "Python+C" void ikpy_drop_selection(void *bound);
extern "Python+C" void ikpy_score(void *bound, const ikpy_asked *asked, double *scores);
extern "Python" void ikpy_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale);
"""


def headers(folder):
    """The public headers, in the order of the names: each includes what it needs."""
    return sorted(path.name for path in (folder / "ikat").glob("*.h"))


def preprocess(folder, compiler):
    """The expanded text of the public headers and of native.h, with line markers and definitions."""
    text = "".join(f'#include "ikat/{name}"\n' for name in headers(folder)) + '#include "native.h"\n'
    command = [*compiler, "-E", "-dD", "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-D__attribute__(x)=",
               f"-I{folder}", f"-I{HERE}", "-xc", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"make_native.py: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def own_lines(text, folder):
    """Those of its lines that stand in ikat's own headers."""
    own = False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            path = pathlib.Path(marker[1])
            own = path.parent in (folder / "ikat", HERE)
        elif own:
            yield line


def constants(lines):
    """Macros that are whole numbers, as cffi declares them: the compiler finds their values."""
    for line in lines:
        macro = re.match(r"#define (IK_\w+) (.+)", line)
        if macro and re.fullmatch(r"\(*(\(uint64_t\))?(\d+|U?INT\d+_MAX)\)*", macro[2].strip()):
            yield f"#define {macro[1]} ...\n"


def without_bodies(text):
    """Functions that the headers define (static inline) become declarations."""
    out, at = [], 0
    for match in re.finditer(r"static inline ([^;{]*?\))\s*\{", text):
        out += [text[at:match.start()], match[1], ";"]
        depth, at = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return "".join(out) + text[at:]


def declarations(folder, compiler):
    """All that cffi has to know."""
    lines = list(own_lines(preprocess(folder, compiler), folder))
    code = "\n".join(line for line in lines if not line.startswith("#"))
    return OF_LIBC + "".join(constants(lines)) + without_bodies(code) + CALLBACKS


def main():
    folder, output = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    ffi = cffi.FFI()
    ffi.cdef(declarations(folder, sys.argv[3:] or ["cc"]))
    source = "#include <stdlib.h>\n#include <stdio.h>\n"
    source += "".join(f'#include "ikat/{name}"\n' for name in headers(folder)) + '#include "native.h"\n'
    ffi.set_source(MODULE, source)
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
