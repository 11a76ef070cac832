/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_alltoall.c: every host visits every other host once a round.
 *
 * The random order needs no table: host s takes the n-th step at the image of n under a permutation
 * of [0, N-1) that is a four-round Feistel network keyed by s, walked until the image lies inside
 * the domain (Black and Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002). Cost: a
 * handful of random numbers per message.
 */
#include "traffic/pattern.h"

#include <assert.h>
#include <stdlib.h>

enum { ORDER_RANDOM, ORDER_SHIFT };

static const ik_param params[] = {
    {"order", IK_PARAM_ENUM, "random", 0, 0, "random|shift",
     "a random order for each host, or s+1, s+2, … for host s"},
    {"visits", IK_PARAM_UINT, "1", 1, 4294967295.0, NULL,
     "messages that are sent to a destination before the next one has its turn"},
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL, "seed of the orders (default: the experiment's seed)",
     "order=random", "order=shift draws nothing"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct alltoall {
    bool random;
    uint64_t visits, seed;
    unsigned half; /* bits of half a Feistel block */
} alltoall;

static ik_status alltoall_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                 ik_error *err)
{
    (void)env;
    alltoall *a = ik_calloc(1, sizeof *a);
    if (!a)
        return ik_fail_memory(err, sizeof *a, "traffic 'alltoall'");
    a->random = ik_params_enum(p, "order") == ORDER_RANDOM;
    a->visits = ik_params_uint(p, "visits");
    a->seed = pattern_seed(t, p);
    while (((uint64_t)1 << 2 * a->half) + 1 < t->num_hosts)
        a->half++;
    t->impl = a;
    return IK_OK;
}

static uint32_t alltoall_feistel(const alltoall *a, uint32_t src, uint32_t block)
{
    uint32_t mask = ((uint32_t)1 << a->half) - 1, left = block >> a->half, right = block & mask;
    for (uint64_t round = 0; round < 4; round++) {
        uint32_t mix = (uint32_t)ik_random_u64(a->seed, IK_RNG_TRAFFIC_SETUP, src,
                                               round << 32 | right) &
                       mask,
                 next = left ^ mix;
        left = right;
        right = next;
    }
    return left << a->half | right;
}

static uint32_t alltoall_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const alltoall *a = t->impl;
    if (t->num_hosts < 2)
        return IK_NONE;
    uint32_t step = (uint32_t)(n / a->visits % (t->num_hosts - 1));
    if (a->random)
        do {
            /* leaves the domain at most three times of four, ends since alltoall_feistel() is a
             * permutation */
            step = alltoall_feistel(a, src, step);
        } while (step >= t->num_hosts - 1);
    return (uint32_t)(((uint64_t)src + 1 + step) % t->num_hosts);
}

static void alltoall_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    for (uint32_t d = 0; d < t->num_hosts; d++)
        if (d != src)
            fn(ctx, src, d, 1, t->num_hosts - 1);
}

static bool alltoall_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    *weight = 1;
    *scale = t->num_hosts - 1;
    return t->num_hosts > 1;
}

/* Several of the visits, which are long; the order of short ones is as good as drawn. */
static uint64_t alltoall_round(const ik_traffic *t, uint32_t src)
{
    enum { SEVERAL = 16 };
    const alltoall *a = t->impl;
    uint64_t visits = t->num_hosts - 1;
    (void)src;
    if (a->random && a->visits == 1)
        return 0;
    return (a->random && visits > SEVERAL ? SEVERAL : visits) * a->visits;
}

const ik_traffic_family ik_traffic_alltoall = {
    .name = "alltoall",
    .summary = "every host sends to every other host in turn",
    .source = "S. Kumar, Y. Sabharwal, R. Garg, P. Heidelberger, Optimization of All-to-all "
              "Communication on the Blue Gene/L Supercomputer, ICPP 2008; used by G. Kathareios et "
              "al., SC 2015",
    .details = "In each round a host visits all other hosts once and sends `visits` messages to "
               "each, in an order that is random and different for every host, or shifted. After N "
               "- 1 visits the order repeats.",
    .params = params,
    .create = alltoall_create,
    .destroy = pattern_free_impl,
    .dest = alltoall_dest,
    .flows = alltoall_flows,
    .even = alltoall_even,
    .round = alltoall_round,
    .listed = true,
};
