/* SPDX-License-Identifier: Apache-2.0
 *
 * What the ranks of a program did: their time by kinds of calls, and who sent how much to whom.
 *
 * A call lasts from the end of the one before to its own; the ends of a rank's calls follow each
 * other in time. Cost: a pass over the operations. */
#include "sim/host/finite_state.h"
#include <stdlib.h>

typedef struct call_end {
    uint64_t ps;
    uint32_t op;
} call_end;

static int by_time(const void *a, const void *b)
{
    const call_end *x = a, *y = b;
    if (x->ps != y->ps)
        return x->ps < y->ps ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static const uint32_t *rows(const ik_graph *g)
{
    return g->rank_first ? g->rank_first : g->host_first;
}

/* ends: room for all operations of the rank. */
static void count_rank(const sim *s, uint32_t rank, call_end *ends, ik_rank_times *out)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    size_t num = 0;
    uint64_t at = 0;
    *out = (ik_rank_times){.rank = ik_graph_rank_number(g, rank),
                           .host = g->rank_host ? g->rank_host[rank] : rank};
    for (uint32_t op = rows(g)[rank]; op < rows(g)[rank + 1]; op++)
        if (g->call[op] && f->ops[op].done_ps <= s->measure.end_ps)
            ends[num++] = (call_end){f->ops[op].done_ps, op};
    qsort(ends, num, sizeof *ends, by_time);
    for (size_t k = 0; k < num; k++) {
        out->calls[g->call[ends[k].op]]++;
        out->ps[g->call[ends[k].op]] += ends[k].ps - at;
        at = ends[k].ps;
    }
    out->end_ps = at;
}

static ik_status count_ranks(const sim *s, ik_sim_result *r, ik_error *err)
{
    const ik_graph *g = s->workload.finite->w->graph;
    uint32_t most = 0;
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        uint32_t num = rows(g)[rank + 1] - rows(g)[rank];
        most = num > most ? num : most;
    }
    call_end *ends = malloc(((size_t)most + 1) * sizeof *ends);
    r->ranks = ik_calloc((size_t)g->num_ranks + 1, sizeof *r->ranks);
    if (!ends || !r->ranks) {
        free(ends);
        return ik_fail_memory(err, (most + 2 * (size_t)g->num_ranks) * sizeof *ends, "ranks");
    }
    for (uint32_t rank = 0; rank < g->num_ranks; rank++)
        count_rank(s, rank, ends, &r->ranks[ik_graph_rank_number(g, rank)]);
    r->num_ranks = g->num_ranks;
    free(ends);
    return IK_OK;
}

/* Requests, clears to send and acknowledgements are none of the program's. */
static bool is_own(const ik_graph *g, uint32_t op)
{
    return g->kind[op] == IK_OP_SEND && !(g->ack && g->tag[op] >= IK_NONE - 2);
}

static ik_status count_messages(const ik_graph *g, ik_sim_result *r, ik_error *err)
{
    uint32_t block = (g->num_ranks + IK_MATRIX_ROWS - 1) / IK_MATRIX_ROWS,
             side = (g->num_ranks + block - 1) / block;
    ik_rank_flow *all = ik_calloc((size_t)side * side + 1, sizeof *all);
    if (!all)
        return ik_fail_memory(err, (size_t)side * side * sizeof *all, "a matrix of messages");
    for (uint32_t rank = 0; rank < g->num_ranks; rank++)
        for (uint32_t op = rows(g)[rank]; op < rows(g)[rank + 1]; op++) {
            if (!is_own(g, op))
                continue;
            uint32_t src = ik_graph_rank_number(g, rank) / block,
                     dst = ik_graph_rank_number(g, ik_graph_peer_rank(g, op)) / block;
            ik_rank_flow *of = &all[(size_t)src * side + dst];
            of->messages++;
            of->bytes += g->ops[op].amount;
        }
    size_t num = 0;
    for (size_t k = 0; k < (size_t)side * side; k++)
        if (all[k].messages)
            all[num++] = (ik_rank_flow){(uint32_t)(k / side) * block, (uint32_t)(k % side) * block,
                                        all[k].messages, all[k].bytes};
    r->matrix = all;
    r->num_matrix = num;
    r->matrix_block = block;
    return IK_OK;
}

ik_status sim_finite_ranks(const sim *s, ik_sim_result *r, ik_error *err)
{
    const ik_graph *g = s->workload.finite->w->graph;
    if (!g || !g->call)
        return IK_OK;
    ik_status status = count_ranks(s, r, err);
    return status == IK_OK ? count_messages(g, r, err) : status;
}
