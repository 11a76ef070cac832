/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the ranks of a program stand that was not completed: in which operation each of them is,
 * what it waits for, and since when. Cost: a pass over operations. */
#include "sim/inspect/blocked.h"
#include "sim/host/finite_state.h"

enum { MOST_RANKS = 20 };

typedef struct place {
    uint32_t rank, host;
    uint32_t op;       /* that it is in; IK_NONE = it is done */
    uint64_t since_ps; /* it got there, or was done with all before */
} place;

static bool is_control(const ik_graph *g, uint32_t op)
{
    return g->kind[op] != IK_OP_CALC && g->ack && g->tag[op] >= IK_NONE - 2 &&
           g->tag[op] != IK_NONE;
}

/* Where it begins: a send with a handshake with its request, which stands before it. */
static uint32_t first_of(const ik_graph *g, uint32_t op)
{
    return g->kind[op] == IK_OP_SEND && finite_asks(g, op) ? op - 1 : op;
}

static bool has_begun(const sim *s, uint32_t op)
{
    const finite *f = s->workload.finite;
    const op_state *o = &f->ops[first_of(f->w->graph, op)];
    return o->waits == 0 && o->ready_ps < s->measure.past_ps;
}

/* The one that began last of those that are not done. */
static void find_place(const sim *s, place *at)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    uint64_t done = 0;
    for (uint32_t op = g->rank_first[at->rank]; op < g->rank_first[at->rank + 1]; op++) {
        const op_state *o = &f->ops[op];
        if (is_control(g, op))
            continue;
        if (o->done_ps <= s->measure.end_ps) {
            done = o->done_ps > done ? o->done_ps : done;
            continue;
        }
        uint64_t ready = f->ops[first_of(g, op)].ready_ps;
        bool better = at->op == IK_NONE || (has_begun(s, op) && !has_begun(s, at->op));
        if (!better && (!has_begun(s, op) || ready < at->since_ps))
            continue;
        at->op = op;
        at->since_ps = has_begun(s, op) ? ready : 0;
    }
    at->since_ps = done > at->since_ps ? done : at->since_ps;
}

static void print_line(const ik_graph *g, uint32_t op, FILE *to)
{
    const char *path;
    unsigned line = ik_graph_line(g, op, &path);
    if (line && g->num_paths > 1)
        fprintf(to, " (%s:%u)", path, line);
    else if (line)
        fprintf(to, " (line %u)", line);
}

static void print_operation(const ik_graph *g, uint32_t op, FILE *to)
{
    uint32_t peer = ik_graph_peer_rank(g, op);
    if (g->kind[op] == IK_OP_CALC)
        fprintf(to, "a calculation");
    else
        fprintf(to, "%s %llu B %s ", g->kind[op] == IK_OP_SEND ? "send" : "receive",
                (unsigned long long)g->ops[op].amount, g->kind[op] == IK_OP_SEND ? "to" : "from");
    if (g->kind[op] != IK_OP_CALC && peer == IK_NONE)
        fprintf(to, "any rank");
    else if (g->kind[op] != IK_OP_CALC)
        fprintf(to, "rank %u", ik_graph_rank_number(g, peer));
    print_line(g, op, to);
}

/* The other end has not begun. */
static void print_other(const ik_graph *g, uint32_t other, FILE *to)
{
    fprintf(to, "rank %u has not come to its %s", ik_graph_rank_number(g, ik_graph_rank(g, other)),
            g->kind[other] == IK_OP_SEND ? "send" : "receive");
    print_line(g, other, to);
}

static void print_reason(const sim *s, uint32_t op, FILE *to)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    uint32_t match = g->kind[op] == IK_OP_CALC ? IK_NONE : g->ops[op].match;
    bool sends = g->kind[op] == IK_OP_SEND;
    if (g->kind[op] == IK_OP_RECV && match == IK_NONE)
        match = f->mate[op];
    if (!has_begun(s, op))
        fprintf(to, "waits for what is before it");
    else if (g->kind[op] == IK_OP_CALC)
        fprintf(to, "is not over");
    else if (match == IK_NONE && (!sends || finite_asks(g, op)))
        fprintf(to, sends ? "no receive has taken it" : "no message that fits is there");
    else if (match != IK_NONE && !has_begun(s, match) && (!sends || finite_asks(g, op)))
        print_other(g, match, to);
    else
        fprintf(to, "its message is on its way: %llu of %llu B %s",
                (unsigned long long)f->ops[op].left, (unsigned long long)g->ops[op].amount,
                sends ? "are to be sent" : "are to come");
}

void sim_print_blocked(const sim *s, FILE *to)
{
    const ik_graph *g = s->workload.finite->w->graph;
    uint64_t blocked = 0;
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        place at = {.rank = rank, .host = g->rank_host[rank], .op = IK_NONE};
        char since[40];
        find_place(s, &at);
        if (at.op == IK_NONE || blocked++ >= MOST_RANKS)
            continue;
        fprintf(to, "rank %u on host %u: ", g->rank_number[rank], ik_whole_host(s->f, at.host));
        print_operation(g, at.op, to);
        fprintf(to, ": ");
        print_reason(s, at.op, to);
        fprintf(to, "; since %s\n",
                ik_format_quantity(since, sizeof since, at.since_ps, IK_DIM_TIME));
    }
    if (blocked > MOST_RANKS)
        fprintf(to, "and %llu more ranks that are not done\n",
                (unsigned long long)(blocked - MOST_RANKS));
}
