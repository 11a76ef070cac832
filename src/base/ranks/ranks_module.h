/* SPDX-License-Identifier: Apache-2.0
 *
 * ranks_module.h: what a module for an MPI library offers (src/base/mpi/ranks_mpi.c), which alone
 * is compiled with that library's headers. The module has one public name, ikat_ranks_module. */
#ifndef IKAT_RANKS_MODULE_H
#define IKAT_RANKS_MODULE_H

#include <stddef.h>

enum { RANKS_MODULE_VERSION = 1, RANKS_KINDS = 2 };

typedef struct ranks_bytes {
    const void *data;
    size_t size;
} ranks_bytes;

/* Functions that return a text: NULL = done, else what went wrong, which nothing can be done about:
 * the others may wait for this process. */
typedef struct ranks_module {
    unsigned version;
    const char *(*join)(unsigned *rank, unsigned *num);
    /* Gives out[q] to each other rank q and waits for in[q] of it; all ranks call it with the same
     * kind. What in[] points to stays until the next call with this kind. in[own] is left alone.
     * Texts and sizes may differ from rank to rank. */
    const char *(*exchange)(unsigned kind, const ranks_bytes *out, ranks_bytes *in);
    void (*leave)(void);     /* all ranks call it */
    void (*end)(int status); /* ends all ranks at once; does not return */
} ranks_module;

#endif
