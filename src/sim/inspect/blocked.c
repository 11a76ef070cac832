/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the ranks of a program stand that was not completed: in which call and operation each of
 * them is, what it waits for, and since when. The call is the first of the rank that is not over;
 * of the operations that it waits for, the one is shown that began last. Cost: a pass over
 * operations and what waits for them. */
#include "sim/inspect/blocked.h"
#include "sim/workload/finite_state.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 20 };

typedef struct place {
    uint32_t rank, host;
    uint32_t op;       /* that it is in; IK_NONE = it is done */
    uint32_t call;     /* the operation that ends its call; IK_NONE = nothing is known of calls */
    uint64_t since_ps; /* it got there, or was done with all before */
} place;

static bool blocked_is_done(const sim *s, uint32_t op)
{
    const finite *f = s->workload.finite;
    return finite_done_ps(f, finite_end_of(f->w->graph, op)) <= s->measure.end_ps;
}

/* The operation that the call the rank is in ends with. */
static uint32_t blocked_find_call(const sim *s, uint32_t rank)
{
    const ik_graph *g = s->workload.finite->w->graph;
    for (uint32_t op = g->rank_first[rank]; g->call && op < g->rank_first[rank + 1]; op++)
        if (!finite_is_control(g, op) && g->call[finite_end_of(g, op)] && !blocked_is_done(s, op))
            return op;
    return IK_NONE;
}

/* Marks in needed, [operations of the rank], what `call` waits for, and itself. What an operation
 * waits for stands before it. */
static void blocked_find_needed(const ik_graph *g, uint32_t rank, uint32_t call,
                                unsigned char *needed)
{
    uint32_t first = g->rank_first[rank];
    memset(needed, call == IK_NONE, g->rank_first[rank + 1] - first);
    for (uint32_t op = call == IK_NONE ? first : call + 1; op > first; op--) {
        uint32_t end = finite_end_of(g, op - 1);
        needed[op - 1 - first] |= op - 1 == call;
        for (uint32_t k = g->after_first[end]; k < g->after_first[end + 1]; k++)
            needed[op - 1 - first] |= needed[(g->after[k] & ~IK_AFTER_START) - first];
    }
}

/* The one that began last of those that are not done and that the call waits for. needed: room for
 * the operations of the rank. */
static void blocked_find_place(const sim *s, place *at, unsigned char *needed)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    uint32_t first = g->rank_first[at->rank];
    uint64_t done = 0;
    at->call = blocked_find_call(s, at->rank);
    blocked_find_needed(g, at->rank, at->call, needed);
    for (uint32_t op = first; op < g->rank_first[at->rank + 1]; op++) {
        if (finite_is_control(g, op))
            continue;
        if (blocked_is_done(s, op)) {
            uint64_t end = f->ops[finite_end_of(g, op)].done_ps;
            done = end > done ? end : done;
            continue;
        }
        uint64_t ready = f->ops[finite_first_of(g, op)].ready_ps;
        bool better =
            at->op == IK_NONE || (finite_has_begun(s, op) && !finite_has_begun(s, at->op));
        if (!needed[op - first] || (!better && (!finite_has_begun(s, op) || ready < at->since_ps)))
            continue;
        at->op = op;
        at->since_ps = finite_has_begun(s, op) ? ready : 0;
    }
    at->since_ps = done > at->since_ps ? done : at->since_ps;
}

void sim_print_line(const ik_graph *g, uint32_t op, const char *before, const char *behind,
                    FILE *to)
{
    const char *path;
    unsigned line = ik_graph_line(g, op, &path);
    if (line && g->num_paths > 1)
        fprintf(to, "%s%s:%u%s", before, path, line, behind);
    else if (line)
        fprintf(to, "%sline %u%s", before, line, behind);
}

static void blocked_print_line(const ik_graph *g, uint32_t op, FILE *to)
{
    sim_print_line(g, op, " (", ")", to);
}

/* The name of the collective operation that a message belongs to; NULL = of none. */
static const char *blocked_collective_of(const ik_workload *w, uint32_t op)
{
    const ik_graph *g = w->graph;
    return w->classes && finite_is_collective(g, op) ? w->classes[g->op_class[op]] : NULL;
}

/* The call, unless it is the operation alone; then the line of the call stands there already. */
static bool blocked_print_call(const ik_workload *w, const place *at, FILE *to)
{
    const ik_graph *g = w->graph;
    unsigned kind = at->call == IK_NONE ? IK_CALL_NONE : g->call[finite_end_of(g, at->call)];
    const char *part_of = blocked_collective_of(w, at->op);
    if (kind == IK_CALL_COLLECTIVE)
        fputs(w->classes ? w->classes[g->op_class[at->call]] : "collective operation", to);
    else if (kind == IK_CALL_WAIT)
        fputs("wait", to);
    else
        return false;
    blocked_print_line(g, at->call, to);
    fputs(": ", to);
    if (kind == IK_CALL_WAIT && part_of)
        fprintf(to, "%s: ", part_of);
    return kind == IK_CALL_COLLECTIVE;
}

static void blocked_print_operation(const ik_graph *g, uint32_t op, bool with_line, FILE *to)
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
    if (with_line)
        blocked_print_line(g, op, to);
}

/* The other end has not begun. */
static void blocked_print_other(const ik_workload *w, uint32_t other, FILE *to)
{
    const ik_graph *g = w->graph;
    const char *part_of = blocked_collective_of(w, other);
    fprintf(to, "rank %u has not come to its %s", ik_graph_rank_number(g, ik_graph_rank(g, other)),
            g->kind[other] == IK_OP_SEND ? "send" : "receive");
    if (part_of)
        fprintf(to, " of %s", part_of);
    blocked_print_line(g, other, to);
}

static void blocked_print_reason(const sim *s, uint32_t op, FILE *to)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    uint32_t match = g->kind[op] == IK_OP_CALC ? IK_NONE : g->ops[op].match;
    bool sends = g->kind[op] == IK_OP_SEND, waits = !sends || finite_is_answered(g, op);
    if (g->kind[op] == IK_OP_RECV && match == IK_NONE)
        match = f->mate[op];
    if (!finite_has_begun(s, op))
        fprintf(to, "waits for what is before it");
    else if (g->kind[op] == IK_OP_CALC)
        fprintf(to, "is not over");
    else if (match == IK_NONE && waits)
        fprintf(to, sends ? "no receive has taken it" : "no message that fits is there");
    else if (match != IK_NONE && !finite_has_begun(s, match) && waits)
        blocked_print_other(f->w, match, to);
    else
        fprintf(to, "its message is on its way: %llu of %llu B %s",
                (unsigned long long)f->ops[op].left, (unsigned long long)g->ops[op].amount,
                sends ? "are to be sent" : "are to come");
}

static void blocked_print_place(const sim *s, const place *at, FILE *to)
{
    const ik_workload *w = s->workload.finite->w;
    char since[40];
    fprintf(to, "rank %u on host %u: ", w->graph->rank_number[at->rank],
            ik_whole_host(s->f, at->host));
    bool has_line = blocked_print_call(w, at, to);
    blocked_print_operation(w->graph, at->op, !has_line, to);
    fprintf(to, ": ");
    blocked_print_reason(s, at->op, to);
    fprintf(to, "; since %s\n", ik_format_quantity(since, sizeof since, at->since_ps, IK_DIM_TIME));
}

ik_status sim_print_blocked(const sim *s, FILE *to, ik_error *err)
{
    const ik_graph *g = s->workload.finite->w->graph;
    uint64_t blocked = 0;
    size_t most = 0;
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        size_t num = g->rank_first[rank + 1] - g->rank_first[rank];
        most = num > most ? num : most;
    }
    unsigned char *needed = malloc(most + 1);
    if (!needed)
        return ik_fail_memory(err, most + 1, "blocked ranks");
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        place at = {.rank = rank, .host = g->rank_host[rank], .op = IK_NONE};
        blocked_find_place(s, &at, needed);
        if (at.op != IK_NONE && blocked++ < MOST_RANKS)
            blocked_print_place(s, &at, to);
    }
    if (blocked > MOST_RANKS)
        fprintf(to, "and %llu more %s not done\n", (unsigned long long)(blocked - MOST_RANKS),
                blocked - MOST_RANKS == 1 ? "rank that is" : "ranks that are");
    free(needed);
    return IK_OK;
}
