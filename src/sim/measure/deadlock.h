/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/deadlock.h: the watchdog's search, the same for all engines. An engine numbers its
 * buffers and says when one can drain; the least fixed point of that rule leaves the buffers none
 * of whose packets ever moves again, whatever else happens. So a part of a network is found
 * although the rest still runs. From any such buffer, following what it waits for runs into a cycle
 * of them, which is the evidence. */
#ifndef IKAT_SIM_DEADLOCK_H
#define IKAT_SIM_DEADLOCK_H

#include "ikat/base.h"
#include <assert.h>
#include <stdio.h>

/* The first line of the evidence where buffers could drain and no packet moves, which is a fault of
 * the engine. */
#define DEADLOCK_STANDSTILL "no packet moves, although no buffers wait for each other:\n"

typedef struct drain_rules {
    void *ctx;
    size_t num_buffers;
    /* One sweep over the buffers: notes those that can drain as things stand, and returns whether
     * any was added. *dead: one that was not, SIZE_MAX if there is none; right once nothing is
     * added. */
    bool (*sweep)(void *ctx, size_t *dead);
    /* What is in transmission may still free a buffer. It is counted only when the first sweeps
     * leave one, which is rare. */
    void (*count_under_way)(void *ctx);
    /* The buffer that a dead one waits for; SIZE_MAX = it is not known. out: says so there, unless
     * NULL. */
    size_t (*follow)(void *ctx, size_t buffer, FILE *out);
    /* NULL, or among ranks, which each sweep their own buffers: brings the notes of all together,
     * and *dead to one of all. False: nobody has added any since the last time. */
    bool (*meet)(void *ctx, size_t *dead);
} drain_rules;

/* When to search after a search that was due at `time`, in the unit of the period: after a period,
 * but not before another eighth of the time that is simulated. So the searches of a long run are
 * few, and each finds what it would have found earlier: a deadlock stays. */
static inline uint64_t deadlock_next_search(uint64_t time, uint64_t period)
{
    assert(period > 0);
    return time + (time / 8 > period ? time / 8 : period);
}

/* *deadlock: whether there are such buffers; *text (malloc): then the cycle, a line per buffer. */
ik_status deadlock_find(const drain_rules *r, bool *deadlock, char **text, ik_error *err);

#endif
