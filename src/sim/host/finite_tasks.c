/* SPDX-License-Identifier: Apache-2.0
 *
 * What the ranks of a program without calls are in: each of its operations is in progress from its
 * begin to its end, and several of a rank may be at one time. A rank is in the first of these that
 * has an operation in progress: a calculation, a collective operation, a send, a receive. So a
 * receive that was posted long before shows where nothing else goes on, and a collective operation
 * behind a calculation does not. What answers a send is part of it.
 *
 * Cost: O(n log n) for the n operations of a rank. */
#include "sim/host/finite_state.h"

static ik_call_kind finite_tasks_kind_of(const ik_graph *g, uint32_t op)
{
    if (g->kind[op] == IK_OP_CALC)
        return IK_CALL_COMPUTE;
    if (finite_is_collective(g, op))
        return IK_CALL_COLLECTIVE;
    return g->kind[op] == IK_OP_SEND ? IK_CALL_SEND : IK_CALL_RECEIVE;
}

/* When an operation that has begun did so. */
static uint64_t finite_tasks_begin_of(const finite *f, uint32_t op, uint64_t done)
{
    const ik_graph *g = f->w->graph;
    const op_state *o = &f->ops[finite_first_of(g, op)];
    bool is_over = done != UINT64_MAX;
    if (g->kind[op] == IK_OP_CALC)
        return is_over ? done - finite_own_ps(g, op) : o->ready_ps;
    if (g->kind[op] != IK_OP_RECV || !(o->vc & RECV_HERE))
        return o->ready_ps;
    return o->cause == finite_send_of(f, op) ? o->begun_ps : o->ready_ps;
}

/* What is at `op` of a change: at one time ends come first, as they mostly are listed. */
enum { ENDS, BEGINS };

static size_t finite_tasks_list_changes(const sim *s, uint32_t first, uint32_t last, call_end *out,
                                        ik_rank_times *of)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    size_t num = 0;
    for (uint32_t op = first; op < last; op++) {
        if (finite_is_control(g, op))
            continue;
        uint64_t done = finite_done_ps(f, finite_end_of(g, op));
        done = done <= s->measure.end_ps ? done : UINT64_MAX;
        if (done == UINT64_MAX && !finite_has_begun(s, op))
            continue;
        uint64_t begin = finite_tasks_begin_of(f, op, done);
        ik_call_kind kind = finite_tasks_kind_of(g, op);
        of->calls[kind] += done != UINT64_MAX;
        of->end_ps = done != UINT64_MAX && done > of->end_ps ? done : of->end_ps;
        if (begin == done)
            continue;
        out[num++] = (call_end){begin, BEGINS, kind};
        out[num++] = (call_end){done, ENDS, kind};
    }
    return num;
}

/* What a rank is in; nothing in progress: it waits. */
static ik_call_kind finite_tasks_foremost(const uint32_t *in_progress)
{
    static const ik_call_kind order[] = {IK_CALL_COMPUTE, IK_CALL_COLLECTIVE, IK_CALL_SEND,
                                         IK_CALL_RECEIVE};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (in_progress[order[k]])
            return order[k];
    return IK_CALL_WAIT;
}

size_t sim_finite_task_ends(const sim *s, uint32_t first, uint32_t last, call_end *ends,
                            ik_rank_times *of)
{
    uint32_t in_progress[IK_CALL_KINDS] = {0};
    size_t changes = finite_tasks_list_changes(s, first, last, ends, of), num = 0;
    ik_call_kind now = IK_CALL_NONE;
    sim_finite_sort_ends(ends, changes);
    for (size_t k = 0; k < changes && ends[k].ps < of->end_ps;) { /* num <= k */
        uint64_t at = ends[k].ps;
        for (; k < changes && ends[k].ps == at; k++)
            in_progress[ends[k].kind] += ends[k].op == BEGINS ? 1u : UINT32_MAX;
        ik_call_kind then = finite_tasks_foremost(in_progress);
        if (at > 0 && then != now)
            ends[num++] = (call_end){at, 0, now == IK_CALL_NONE ? IK_CALL_WAIT : now};
        now = then;
    }
    if (of->end_ps > 0)
        ends[num++] = (call_end){of->end_ps, 0, now == IK_CALL_NONE ? IK_CALL_WAIT : now};
    return num;
}
