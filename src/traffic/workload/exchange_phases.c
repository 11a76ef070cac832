/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange_phases.c: see exchange_phases.h. Between phases either only the order of each process
 * (steps.h) holds, or the dissemination barrier of D. Hensgen, R. Finkel, U. Manber, International
 * Journal of Parallel Programming 17(1), 1988: after step k of it a process knows of 2^(k + 1)
 * processes that they have come. */
#include "traffic/workload/exchange_phases.h"

#include <stdio.h>

enum { MOST_MESSAGES = 20000000, MOST_CLASSES = 1000, BARRIER_BYTES = 8 };

ik_status phases_refuse(uint64_t messages, ik_error *err)
{
    if (messages <= MOST_MESSAGES)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED,
                     "traffic 'exchange', phases: %llu messages, at most %d are taken",
                     (unsigned long long)messages, MOST_MESSAGES),
             "phases");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "phases are stored message by message; an all-to-all with phases = none is "
                   "computed, whatever its size");
}

/* Of one barrier: each process sends one in every step. */
static uint64_t barrier_messages(uint32_t num)
{
    uint64_t rounds = 0;
    for (uint64_t far = 1; far < num; far *= 2)
        rounds++;
    return rounds * num;
}

ik_status phases_count(phases_of_processes *p, ik_error *err)
{
    uint64_t messages = 0;
    p->phases = 0;
    for (uint32_t src = 0; src < p->num; src++) {
        size_t num = p->first[src + 1] - p->first[src];
        p->phases = num > p->phases ? num : p->phases;
        for (size_t k = p->first[src]; k < p->first[src + 1]; k++)
            messages += p->all[k].weight < MOST_MESSAGES ? p->all[k].weight : MOST_MESSAGES;
    }
    double all = (double)messages * (double)p->repeat; /* far below what a double counts exactly */
    if (p->barriers && p->phases)
        all += ((double)p->phases * (double)p->repeat - 1) * (double)barrier_messages(p->num);
    return phases_refuse(all < 1e18 ? (uint64_t)all : UINT64_C(1000000000000000000), err);
}

/* "phase 3", or, of very many, "phases 11-20". */
static void name_phase(const phases_of_processes *p, size_t k, steps *s)
{
    char name[64];
    size_t in_one = (p->phases + MOST_CLASSES - 1) / MOST_CLASSES, first = k / in_one * in_one,
           last = first + in_one < p->phases ? first + in_one : p->phases;
    if (in_one == 1)
        snprintf(name, sizeof name, "phase %zu", k + 1);
    else
        snprintf(name, sizeof name, "phases %zu-%zu", first + 1, last);
    steps_phase(s, name);
}

static void exchange_phases_add_barrier(uint32_t num, steps *s)
{
    steps_phase(s, "barrier");
    for (uint64_t far = 1; far < num; far *= 2) {
        for (uint32_t i = 0; i < num; i++)
            steps_send(s, i, (uint32_t)((i + far) % num), BARRIER_BYTES);
        steps_next(s);
    }
}

void phases_add(const phases_of_processes *p, steps *s)
{
    uint64_t all = p->phases * p->repeat;
    for (uint64_t n = 0; n < all && !s->b.no_memory; n++) {
        size_t k = n % p->phases;
        name_phase(p, k, s);
        for (uint32_t src = 0; src < p->num; src++) {
            bool has = k < p->first[src + 1] - p->first[src];
            const order_key *to = has ? &p->all[p->first[src] + k] : NULL;
            for (uint64_t copy = 0; to && copy < to->weight; copy++)
                steps_send(s, src, to->dst, p->bytes);
        }
        steps_next(s);
        if (p->barriers && n + 1 < all)
            exchange_phases_add_barrier(p->num, s);
    }
}
