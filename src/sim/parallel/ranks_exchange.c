/* SPDX-License-Identifier: Apache-2.0
 *
 * The exchange between partitions that are ranks: lists of messages as they are. Of a list with one
 * message, which most are, only what is used of it is sent. */
#include "sim/core/memory.h"
#include "sim/parallel/exchange.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct ranks_exchange {
    sim_exchange exchange;
    ik_ranks *ranks;
    ranks_bytes *out, *in;  /* [rank] */
    sim_message_list *came; /* [rank] of another's memory */
} ranks_exchange;

static size_t ranks_exchange_bytes(const sim_message_list *list)
{
    assert(list->count > 0);
    return list->count > 1 ? list->count * sizeof *list->messages
                           : offsetof(sim_message, unit) + list->messages->units * sizeof(sim_unit);
}

static ik_status ranks_exchange_swap(sim_exchange *exchange, unsigned id,
                                     const sim_message_list *out, sim_message_list *own,
                                     const sim_message_list **in, ik_error *err)
{
    ranks_exchange *x = (ranks_exchange *)exchange;
    (void)own;
    for (unsigned q = 0; q < x->ranks->num; q++)
        if (q != id)
            x->out[q] = (ranks_bytes){out[q].messages, ranks_exchange_bytes(&out[q])};
    ik_status status = x->ranks->exchange(x->ranks, RANKS_STEP, x->out, x->in, err);
    for (unsigned q = 0; q < x->ranks->num && status == IK_OK; q++) {
        if (q == id)
            continue;
        size_t count = x->in[q].size / sizeof(sim_message);
        x->came[q] = (sim_message_list){.messages = (sim_message *)(uintptr_t)x->in[q].data,
                                        .count = count ? (uint32_t)count : 1};
        in[q] = &x->came[q];
    }
    return status;
}

static ik_status ranks_exchange_meet(sim_exchange *exchange, ranks_bytes own, bool failed,
                                     const ranks_bytes **all, ik_error *err)
{
    return ranks_meet(((ranks_exchange *)exchange)->ranks, own, failed, all, err);
}

sim_exchange *sim_ranks_exchange(ik_ranks *ranks)
{
    ranks_exchange *x = sim_alloc_zeroed(1, sizeof *x);
    if (!x)
        return NULL;
    x->exchange = (sim_exchange){.swap = ranks_exchange_swap, .meet = ranks_exchange_meet};
    x->ranks = ranks;
    x->out = sim_alloc_zeroed(ranks->num, sizeof *x->out);
    x->in = sim_alloc_zeroed(ranks->num, sizeof *x->in);
    x->came = sim_alloc_zeroed(ranks->num, sizeof *x->came);
    if (x->out && x->in && x->came)
        return &x->exchange;
    sim_ranks_exchange_free(&x->exchange);
    return NULL;
}

void sim_ranks_exchange_free(sim_exchange *exchange)
{
    ranks_exchange *x = (ranks_exchange *)exchange;
    if (!x)
        return;
    free(x->out);
    free(x->in);
    free(x->came);
    free(x);
}
