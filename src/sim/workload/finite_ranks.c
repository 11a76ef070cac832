/* SPDX-License-Identifier: Apache-2.0
 *
 * What the ranks of a program did: their time by kinds of calls and over time, and who sent how
 * much to whom.
 *
 * A call lasts from the end of the one before to its own; the ends of a rank's calls follow each
 * other in time. Cost: O(n log n) for the n operations of a rank. */
#include "sim/workload/finite_state.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The end of what a rank was in. */
typedef struct call_end {
    uint64_t ps;
    uint32_t op;   /* orders what is at one time */
    uint32_t kind; /* ik_call_kind */
} call_end;

const char *ik_call_kind_name(ik_call_kind kind)
{
    static const char *const names[IK_CALL_KINDS] = {"",        "compute", "send",
                                                     "receive", "wait",    "collective"};
    assert(kind < IK_CALL_KINDS);
    return names[kind];
}

static int finite_ranks_by_time(const void *a, const void *b)
{
    const call_end *x = a, *y = b;
    if (x->ps != y->ps)
        return x->ps < y->ps ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

/* ---- programs without calls. Each operation is in progress from its begin to its end, and several
 * of a rank may be at one time. A rank is in the first of these that has an operation in progress:
 * a calculation, a collective operation, a send, a receive. So a receive that was posted long
 * before shows where nothing else goes on, and a collective operation behind a calculation does
 * not. What answers a send is part of it. */

static ik_call_kind finite_ranks_task_kind_of(const ik_graph *g, uint32_t op)
{
    if (g->kind[op] == IK_OP_CALC)
        return IK_CALL_COMPUTE;
    if (finite_is_collective(g, op))
        return IK_CALL_COLLECTIVE;
    return g->kind[op] == IK_OP_SEND ? IK_CALL_SEND : IK_CALL_RECEIVE;
}

/* When an operation that has begun did so. */
static uint64_t finite_ranks_task_begin_of(const finite *f, uint32_t op, uint64_t done)
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

static size_t finite_ranks_task_list_changes(const sim *s, uint32_t first, uint32_t last,
                                             call_end *out, ik_rank_times *of)
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
        uint64_t begin = finite_ranks_task_begin_of(f, op, done);
        ik_call_kind kind = finite_ranks_task_kind_of(g, op);
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
static ik_call_kind finite_ranks_task_foremost(const uint32_t *in_progress)
{
    static const ik_call_kind order[] = {IK_CALL_COMPUTE, IK_CALL_COLLECTIVE, IK_CALL_SEND,
                                         IK_CALL_RECEIVE};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (in_progress[order[k]])
            return order[k];
    return IK_CALL_WAIT;
}

/* Of a rank with the operations from first to before last, of a program without calls: the ends of
 * what it was in, by time; returns how many. ends: room for twice its operations. Sets of->calls to
 * the operations that are done, and of->end_ps. */
static size_t finite_ranks_task_ends(const sim *s, uint32_t first, uint32_t last, call_end *ends,
                                     ik_rank_times *of)
{
    uint32_t in_progress[IK_CALL_KINDS] = {0};
    size_t changes = finite_ranks_task_list_changes(s, first, last, ends, of), num = 0;
    ik_call_kind now = IK_CALL_NONE;
    ik_array_sort(ends, changes, sizeof *ends, finite_ranks_by_time);
    for (size_t k = 0; k < changes && ends[k].ps < of->end_ps;) { /* num <= k */
        uint64_t at = ends[k].ps;
        for (; k < changes && ends[k].ps == at; k++)
            in_progress[ends[k].kind] += ends[k].op == BEGINS ? 1u : UINT32_MAX;
        ik_call_kind then = finite_ranks_task_foremost(in_progress);
        if (at > 0 && then != now)
            ends[num++] = (call_end){at, 0, now == IK_CALL_NONE ? IK_CALL_WAIT : now};
        now = then;
    }
    if (of->end_ps > 0)
        ends[num++] = (call_end){of->end_ps, 0, now == IK_CALL_NONE ? IK_CALL_WAIT : now};
    return num;
}

/* ---- */

static const uint32_t *finite_ranks_rows(const ik_graph *g)
{
    return g->rank_first ? g->rank_first : g->host_first;
}

/* ---- time lines: of each rank `most` places for segments, filled from the first on */

static uint32_t finite_ranks_most_segments(uint32_t num_ranks)
{
    assert(num_ranks > 0);
    uint32_t share = IK_TIMELINE_SEGMENTS / num_ranks;
    return share > IK_TIMELINE_MOST    ? IK_TIMELINE_MOST
           : share < IK_TIMELINE_LEAST ? IK_TIMELINE_LEAST
                                       : share;
}

/* Begin of period k of so many, `end_ps` that of the one behind the last. */
static uint64_t finite_ranks_period_begin(uint64_t end_ps, uint32_t k, uint32_t num)
{
    assert(num > 0 && k <= num);
    return end_ps / num * k + end_ps % num * k / num;
}

/* One more segment, of *num; it is part of the one before where that is of the same kind. False: it
 * would be number `most`. */
static bool finite_ranks_add_segment(ik_rank_segment *out, uint32_t *num, uint32_t most,
                                     ik_rank_segment one)
{
    assert(one.from_ps <= one.to_ps); /* ends of calls are sorted */
    if (one.to_ps == one.from_ps)
        return true;
    if (*num && out[*num - 1].kind == one.kind) {
        out[*num - 1].to_ps = one.to_ps;
        return true;
    }
    if (*num == most)
        return false;
    out[(*num)++] = one;
    return true;
}

/* What took most of each period, of equals the first kind, instead of what out has. */
static uint32_t finite_ranks_draw_periods(const call_end *ends, uint32_t rank, uint64_t end_ps,
                                          uint32_t most, ik_rank_segment *out)
{
    uint32_t num = 0;
    size_t k = 0;
    uint64_t at = 0;
    memset(out, 0, most * sizeof *out);
    for (uint32_t period = 0; period < most; period++) {
        uint64_t in[IK_CALL_KINDS] = {0}, begin = at,
                 end = finite_ranks_period_begin(end_ps, period + 1, most);
        uint32_t kind = IK_CALL_NONE;
        while (at < end) {
            uint64_t until = ends[k].ps < end ? ends[k].ps : end;
            in[ends[k].kind] += until - at;
            at = until;
            k += ends[k].ps <= at;
        }
        for (uint32_t one = 0; one < IK_CALL_KINDS; one++)
            kind = in[one] > in[kind] ? one : kind;
        finite_ranks_add_segment(out, &num, most, (ik_rank_segment){rank, kind, begin, end});
    }
    return num;
}

/* The time line of a rank from the ends of its calls by time; returns how many segments it has. */
static uint32_t finite_ranks_draw_rank(const call_end *ends, size_t num_ends, uint32_t rank,
                                       uint32_t most, ik_rank_segment *out)
{
    uint32_t num = 0;
    uint64_t at = 0;
    for (size_t k = 0; k < num_ends; k++) {
        if (!finite_ranks_add_segment(out, &num, most,
                                      (ik_rank_segment){rank, ends[k].kind, at, ends[k].ps}))
            return finite_ranks_draw_periods(ends, rank, ends[num_ends - 1].ps, most, out);
        at = ends[k].ps;
    }
    return num;
}

/* Leaves out the places that are empty: their segments end at 0. */
static void finite_ranks_close_up(ik_sim_result *r, size_t places)
{
    assert(r->num_timeline == 0);
    for (size_t k = 0; k < places; k++)
        if (r->timeline[k].to_ps)
            r->timeline[r->num_timeline++] = r->timeline[k];
}

/* ---- */

/* The ends of a rank's calls by time. */
static size_t finite_ranks_list_calls(const sim *s, uint32_t first, uint32_t last, call_end *ends,
                                      ik_rank_times *of)
{
    const finite *f = s->workload.finite;
    const uint8_t *call = f->w->graph->call;
    size_t num = 0;
    for (uint32_t op = first; op < last; op++)
        if (call[op] && finite_done_ps(f, op) <= s->measure.end_ps)
            ends[num++] = (call_end){finite_done_ps(f, op), op, call[op]};
    ik_array_sort(ends, num, sizeof *ends, finite_ranks_by_time);
    for (size_t k = 0; k < num; k++)
        of->calls[ends[k].kind]++;
    return num;
}

/* ends: room for all that list_calls or finite_ranks_task_ends finds; line: the rank's places of
 * the time line. */
static void finite_ranks_count_rank(const sim *s, uint32_t rank, call_end *ends, ik_rank_times *out,
                                    ik_rank_segment *line, uint32_t most)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    uint32_t first = finite_ranks_rows(g)[rank], last = finite_ranks_rows(g)[rank + 1];
    uint64_t at = 0;
    *out = (ik_rank_times){.rank = ik_graph_rank_number(g, rank),
                           .host = g->rank_host ? g->rank_host[rank] : rank};
    size_t num = g->call ? finite_ranks_list_calls(s, first, last, ends, out)
                         : finite_ranks_task_ends(s, first, last, ends, out);
    for (size_t k = 0; k < num; k++) {
        out->ps[ends[k].kind] += ends[k].ps - at;
        at = ends[k].ps;
    }
    out->end_ps = at;
    finite_ranks_draw_rank(ends, num, out->rank, most, line);
}

static ik_status finite_ranks_count_ranks(const sim *s, ik_sim_result *r, ik_error *err)
{
    const ik_graph *g = s->workload.finite->w->graph;
    size_t most = 0;
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        uint32_t num = finite_ranks_rows(g)[rank + 1] - finite_ranks_rows(g)[rank];
        most = num > most ? num : most;
    }
    most *= g->call ? 1 : 2;
    uint32_t segments = finite_ranks_most_segments(g->num_ranks);
    size_t places = (size_t)g->num_ranks * segments;
    call_end *ends = malloc((most + 1) * sizeof *ends);
    r->ranks = ik_calloc((size_t)g->num_ranks + 1, sizeof *r->ranks);
    r->timeline = ik_calloc(places + 1, sizeof *r->timeline);
    if (!ends || !r->ranks || !r->timeline) {
        free(ends);
        return ik_fail_memory(err, most * sizeof *ends + places * sizeof *r->timeline, "ranks");
    }
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        uint32_t number = ik_graph_rank_number(g, rank);
        finite_ranks_count_rank(s, rank, ends, &r->ranks[number],
                                &r->timeline[(size_t)number * segments], segments);
    }
    r->num_ranks = g->num_ranks;
    finite_ranks_close_up(r, places);
    free(ends);
    return IK_OK;
}

static ik_status finite_ranks_count_messages(const ik_graph *g, ik_sim_result *r, ik_error *err)
{
    uint32_t block = (g->num_ranks + IK_MATRIX_ROWS - 1) / IK_MATRIX_ROWS,
             side = (g->num_ranks + block - 1) / block;
    ik_rank_flow *all = ik_calloc((size_t)side * side + 1, sizeof *all);
    if (!all)
        return ik_fail_memory(err, (size_t)side * side * sizeof *all, "a matrix of messages");
    for (uint32_t rank = 0; rank < g->num_ranks; rank++)
        for (uint32_t op = finite_ranks_rows(g)[rank]; op < finite_ranks_rows(g)[rank + 1]; op++) {
            if (g->kind[op] != IK_OP_SEND || finite_is_control(g, op))
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
    if (!g || !g->program)
        return IK_OK;
    ik_status status = finite_ranks_count_ranks(s, r, err);
    return status == IK_OK ? finite_ranks_count_messages(g, r, err) : status;
}
