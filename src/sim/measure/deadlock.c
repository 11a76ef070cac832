/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps until nothing changes, then the evidence. Cost: as many sweeps as the longest chain of
 * buffers that wait for each other. */
#include "sim/measure/deadlock.h"
#include "base/text_stream.h"
#include <stdlib.h>

/* Sweeps until nothing is added; returns a buffer that cannot drain, SIZE_MAX if all can. */
static size_t deadlock_sweep_all(const drain_rules *r)
{
    size_t dead = SIZE_MAX;
    do
        while (r->sweep(r->ctx, &dead))
            ;
    while (r->meet && r->meet(r->ctx, &dead));
    return dead;
}

static void deadlock_print_around(const drain_rules *r, size_t start, FILE *out)
{
    size_t at = start;
    do
        at = r->follow(r->ctx, at, out);
    while (at != start && at < r->num_buffers);
}

static ik_status deadlock_print_cycle(const drain_rules *r, size_t dead, char **text, ik_error *err)
{
    ik_text_stream stream;
    uint8_t *seen = ik_calloc(r->num_buffers + 1, 1);
    if (!seen)
        return ik_fail_memory(err, r->num_buffers, "the watchdog");
    ik_status status = ik_text_stream_open(&stream, err);
    size_t at = dead;
    while (status == IK_OK && !seen[at]) { /* into the cycle */
        size_t next = r->follow(r->ctx, at, NULL);
        seen[at] = 1;
        at = next < r->num_buffers ? next : at; /* nothing behind: a port without a cable */
    }
    free(seen);
    if (status != IK_OK)
        return status;
    deadlock_print_around(r, at, stream.out);
    return ik_text_stream_close(&stream, text, NULL, err);
}

ik_status deadlock_find(const drain_rules *r, bool *deadlock, char **text, ik_error *err)
{
    size_t dead = deadlock_sweep_all(r);
    if (dead != SIZE_MAX) {
        r->count_under_way(r->ctx);
        dead = deadlock_sweep_all(r);
    }
    *deadlock = dead != SIZE_MAX;
    return *deadlock ? deadlock_print_cycle(r, dead, text, err) : IK_OK;
}
