/* SPDX-License-Identifier: Apache-2.0
 *
 * The critical path of a workload that was completed: from its last delivery back to time 0.
 *
 * Of a graph, every operation keeps which of the operations that it waited for was over last, and
 * is released at that time; so the path is a walk along these causes, and its segments meet without
 * gaps. A message stands for up to five: waiting at its adapter while the link is busy with others,
 * or stands still; from its first packet to the one that came last; that packet's latency without
 * other traffic; what it took beyond that. Of an all-to-all, every host keeps the packet that came
 * last in each repetition; a repetition begins once that is there and all is sent.
 *
 * Cost: the length of the path, which is at most the number of operations. */
#include "sim/workload/finite_state.h"
#include <assert.h>
#include <stdlib.h>

enum { MOST_CHANNELS = 256 };

const char *ik_path_kind_name(ik_path_kind kind)
{
    static const char *const names[IK_PATH_KINDS] = {"compute",   "processor", "queue",   "credit",
                                                     "throttled", "sending",   "latency", "network",
                                                     "reorder",   "memory",    "gap"};
    return names[kind];
}

/* The walk. Segments are written from the end: the latest first. */
typedef struct walk {
    const sim *s;
    ik_critical_path *out;
    uint64_t at; /* where it has come to */
    bool no_memory;
} walk;

/* Adds a segment that begins at `begin` and ends where the walk is; none if that is no time. */
static void finite_path_add(walk *w, ik_path_segment like, ik_path_kind kind, uint64_t begin)
{
    ik_critical_path *out = w->out;
    assert(begin <= w->at);
    if (begin == w->at)
        return;
    like.kind = kind;
    like.begin_ps = begin;
    like.end_ps = w->at;
    out->kind_ps[kind] += w->at - begin;
    w->at = begin;
    if (out->num_segments < IK_PATH_SEGMENTS)
        out->segments[out->num_segments++] = like;
    else
        out->left_out++;
}

/* ---- messages */

/* Time from the head of a packet leaving src to its last byte in dst, alone in the network, on the
 * path that it prefers. */
static uint64_t finite_path_latency_ps(walk *w, uint32_t src, uint32_t dst, uint32_t size)
{
    const sim *s = w->s;
    uint32_t channels[MOST_CHANNELS],
        length = ik_plan_path(s->plan, src, dst, 0, channels, MOST_CHANNELS);
    uint64_t sum = 0, slowest = 0;
    if (length == IK_NONE) {
        w->no_memory = true;
        return 0;
    }
    for (uint32_t k = 0; k < length; k++) {
        uint64_t send = state_transmit_ps(s, channels[k], size);
        sum += s->net.ports[channels[k]].latency_ps +
               (k > 0 ? s->sw.routing_ps + s->sw.traversal_ps : 0);
        sum += s->sw.store_forward ? send : 0;
        slowest = send > slowest ? send : slowest;
    }
    return sum + (s->sw.store_forward ? 0 : slowest);
}

/* A message's packet that left at `inject`, came at `arrive` and is delivered. */
static void finite_path_add_network(walk *w, ik_path_segment like, uint64_t inject, uint64_t arrive)
{
    finite_path_add(w, like, IK_PATH_REORDER, arrive < w->at ? arrive : w->at);
    const sim *s = w->s;
    uint32_t size =
        like.bytes < s->adapter.packet_bytes ? (uint32_t)like.bytes : s->adapter.packet_bytes;
    uint64_t took = w->at - inject, least = finite_path_latency_ps(w, like.host, like.peer, size);
    w->out->messages++;
    finite_path_add(w, like, IK_PATH_NETWORK, inject + (least < took ? least : took));
    finite_path_add(w, like, IK_PATH_LATENCY, inject);
}

/* A message that waits at its adapter from `ready` on, the link busy with others for busy_ps of
 * that time, and still for lack of reorder space for throttled_ps. */
static void finite_path_add_adapter(walk *w, ik_path_segment like, uint64_t ready, uint64_t busy_ps,
                                    uint64_t throttled_ps)
{
    uint64_t all = w->at - ready, busy = busy_ps < all ? busy_ps : all,
             still = throttled_ps < all - busy ? throttled_ps : all - busy;
    finite_path_add(w, like, IK_PATH_CREDIT, ready + busy + still);
    finite_path_add(w, like, IK_PATH_THROTTLED, ready + busy);
    finite_path_add(w, like, IK_PATH_QUEUE, ready);
}

/* ---- graphs */

static ik_path_segment finite_path_segment_of(const ik_graph *g, uint32_t host, uint32_t op)
{
    bool calc = g->kind[op] == IK_OP_CALC;
    return (ik_path_segment){.host = host,
                             .peer = calc ? IK_NONE : g->ops[op].peer,
                             .op = op - g->host_first[host],
                             .bytes = calc ? 0 : g->ops[op].amount};
}

/* From when the adapter takes a message to when its turn began to be waited for. */
static void finite_path_reach_turn(walk *w, uint32_t host, uint32_t op)
{
    const finite *f = w->s->workload.finite;
    if (f->gapped_ps && f->w->graph->ops[op].peer != host)
        finite_path_add(w, finite_path_segment_of(f->w->graph, host, op), IK_PATH_GAP,
                        w->at - f->gapped_ps[op]);
}

/* From the first packet of a send, or later, to when the adapter got it. */
static void finite_path_reach_send(walk *w, uint32_t host, uint32_t op)
{
    const finite *f = w->s->workload.finite;
    const op_state *o = &f->ops[op];
    ik_path_segment like = finite_path_segment_of(f->w->graph, host, op);
    finite_path_add(w, like, IK_PATH_SENDING, o->moved_ps);
    finite_path_add_adapter(w, like, f->handed_ps ? f->handed_ps[op] : o->ready_ps, o->busy_ps,
                            f->order_ps ? f->order_ps[op] : 0);
    finite_path_reach_turn(w, host, op);
}

/* From when the processor is done with an operation that takes it for a time, or began it, to its
 * release. */
static void finite_path_reach_release(walk *w, uint32_t host, uint32_t op, bool done, uint64_t time)
{
    const op_state *o = &w->s->workload.finite->ops[op];
    ik_path_segment like = finite_path_segment_of(w->s->workload.finite->w->graph, host, op);
    if (done)
        finite_path_add(w, like, IK_PATH_COMPUTE, w->at - time);
    finite_path_add(w, like, IK_PATH_PROCESSOR, o->ready_ps);
}

/* What a message takes in its host, there or, for its sender, only as far as it is copied. */
static uint64_t finite_path_copy_ps(const ik_graph *g, uint32_t send, bool there)
{
    uint64_t time = g->local_bps ? ik_transmit_ps(g->ops[send].amount, g->local_bps) : 0;
    return time + (there ? g->local_latency_ps : 0);
}

/* A receive: what released it is its message, or what it waited for otherwise. */
static uint32_t finite_path_pass_recv(walk *w, uint32_t *host, uint32_t op)
{
    const finite *f = w->s->workload.finite;
    const ik_graph *g = f->w->graph;
    const op_state *o = &f->ops[op];
    uint32_t send = finite_send_of(f, op);
    if (w->at < o->ready_ps) { /* from its begin: its message came later */
        assert(w->at == o->begun_ps);
        return o->next;
    }
    if (w->at > o->ready_ps)
        finite_path_reach_release(w, *host, op, true, finite_own_ps(g, op));
    uint32_t src = o->cause == send ? ik_graph_host(g, send) : *host;
    if (o->cause != send)
        return o->cause;
    if (src == *host) {
        finite_path_add(w, finite_path_segment_of(g, src, send), IK_PATH_MEMORY,
                        w->at - finite_path_copy_ps(g, send, true));
        finite_path_reach_release(w, src, send, finite_own_ps(g, send) > 0, finite_own_ps(g, send));
        return f->ops[send].cause;
    }
    *host = src;
    finite_path_add_network(w, finite_path_segment_of(g, src, send), o->moved_ps,
                            f->order_ps ? f->order_ps[op] : w->at);
    finite_path_reach_send(w, src, send);
    finite_path_reach_release(w, src, send, finite_own_ps(g, send) > 0, finite_own_ps(g, send));
    return f->ops[send].cause;
}

/* Walks from the end, or the start, of an operation of *host to its release; returns what released
 * it, of the host that *host is then. */
static uint32_t finite_path_pass_op(walk *w, uint32_t *host, uint32_t op)
{
    const finite *f = w->s->workload.finite;
    const ik_graph *g = f->w->graph;
    const op_state *o = &f->ops[op];
    if (g->kind[op] == IK_OP_RECV)
        return finite_path_pass_recv(w, host, op);
    bool ended = w->at == o->done_ps && w->at > o->ready_ps;
    bool early = finite_done_early(g, op);
    if (ended && g->kind[op] == IK_OP_SEND && !early && g->ops[op].peer != *host)
        finite_path_reach_send(w, *host, op);
    else if (ended && g->kind[op] == IK_OP_SEND && early)
        finite_path_reach_turn(w, *host, op);
    else if (ended && g->kind[op] == IK_OP_SEND)
        finite_path_add(w, finite_path_segment_of(g, *host, op), IK_PATH_MEMORY,
                        w->at - finite_path_copy_ps(g, op, false));
    if (w->at > o->ready_ps)
        finite_path_reach_release(w, *host, op, ended, finite_own_ps(g, op));
    assert(w->at == o->ready_ps);
    return o->cause;
}

static void finite_path_walk_graph(walk *w)
{
    const finite *f = w->s->workload.finite;
    const ik_graph *g = f->w->graph;
    uint32_t host = 0, op;
    while (host < g->num_hosts && f->finish_ps[host] != w->at)
        host++;
    if (host == g->num_hosts)
        return; /* no operation */
    for (op = g->host_first[host]; f->ops[op].done_ps != w->at; op++)
        ;
    while (op != IK_NONE)
        op = finite_path_pass_op(w, &host, op);
}

/* ---- all-to-all */

/* The last visit of src to dst in a repetition; *bytes: of the visits before it. */
static uint64_t finite_path_last_visit(const sim *s, uint32_t src, uint32_t dst, uint64_t *bytes)
{
    const finite *f = s->workload.finite;
    uint32_t place = 0;
    while (ik_alltoall_dest(f->w, src, f->keys[src], place) != dst)
        place++;
    uint64_t before = (f->rounds - 1) * s->source.message_bytes;
    *bytes = f->per_round * before + place * (f->w->largest - before);
    return (f->rounds - 1) * f->per_round + place;
}

/* Walks from the last packet that a host got in a repetition to the begin of that repetition at its
 * source, which is returned. */
static uint32_t finite_path_pass_visit(walk *w, uint32_t host, uint64_t repetition)
{
    const sim *s = w->s;
    const finite *f = s->workload.finite;
    const round_state *last = &f->states[host * f->w->repeat + repetition];
    uint32_t src = (uint32_t)last->src;
    uint64_t before, visit = finite_path_last_visit(s, src, host, &before);
    ik_path_segment like = {.host = src,
                            .peer = host,
                            .op = repetition * f->per_repeat + visit,
                            .bytes = f->w->largest};
    finite_path_add_network(w, like, last->inject_ps, last->arrive_ps);
    finite_path_add_adapter(w, like, f->states[src * f->w->repeat + repetition].begun_ps,
                            ik_transmit_ps(before, sim_injection_bps(s, src)), 0);
    return src;
}

static void finite_path_walk_alltoall(walk *w)
{
    const finite *f = w->s->workload.finite;
    uint64_t repetition = f->w->repeat - 1;
    uint32_t host = 0, hosts = w->s->f->num_hosts;
    while (host < hosts && f->finish_ps[host] != w->at)
        host++;
    if (host == hosts || w->at == 0)
        return;
    for (;; repetition--) {
        /* the last packet came, or the last packet was sent */
        if (w->at == f->states[host * f->w->repeat + repetition].last_ps)
            host = finite_path_pass_visit(w, host, repetition);
        else
            finite_path_add(w, (ik_path_segment){.host = host, .peer = IK_NONE}, IK_PATH_SENDING,
                            f->states[host * f->w->repeat + repetition].begun_ps);
        if (repetition == 0)
            return;
    }
}

/* ---- */

static void finite_path_reverse(ik_critical_path *path)
{
    for (size_t a = 0, b = path->num_segments; a + 1 < b; a++) {
        ik_path_segment one = path->segments[a];
        path->segments[a] = path->segments[--b];
        path->segments[b] = one;
    }
}

ik_status sim_finite_path(const sim *s, uint64_t end_ps, ik_critical_path *out, ik_error *err)
{
    ik_critical_path path = {.segments = ik_calloc(IK_PATH_SEGMENTS, sizeof *path.segments)};
    walk w = {.s = s, .out = &path, .at = end_ps};
    if (!path.segments)
        return ik_fail_memory(err, IK_PATH_SEGMENTS * sizeof *path.segments, "a critical path");
    if (s->workload.finite->w->batch) { /* its messages wait for nothing but room and replies */
        *out = path;
        return IK_OK;
    }
    if (s->workload.has_graph)
        finite_path_walk_graph(&w);
    else
        finite_path_walk_alltoall(&w);
    if (w.no_memory) {
        free(path.segments);
        return ik_fail_memory(err, s->net.max_radix * sizeof(ik_choice), "a path");
    }
    assert(w.at == 0);
    finite_path_reverse(&path);
    *out = path;
    return IK_OK;
}
