/* SPDX-License-Identifier: Apache-2.0
 *
 * core/memory.h: memory aligned to cache lines; large blocks to huge pages where the system has
 * them. Free with free(). What is set up with sim_get can be counted before it is allocated, and
 * carried to a checkpoint and back, by the same lines. */
#ifndef IKAT_SIM_MEMORY_H
#define IKAT_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *sim_alloc(size_t count, size_t size); /* not cleared */
void *sim_alloc_zeroed(size_t count, size_t size);

typedef struct sim_memory {
    uint64_t bytes;  /* asked for so far */
    bool only_count; /* nothing is allocated, and what would point to it stays as it is */
    /* core/carry.h: nothing is allocated, and what was is carried instead; NULL = nothing is */
    struct sim_carrier *carrier;
} sim_memory;
/* Cleared memory, to which the pointer at `where` points; false = there is none. */
bool sim_get(sim_memory *m, void *where, size_t count, size_t size);

#endif
