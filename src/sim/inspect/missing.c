/* SPDX-License-Identifier: Apache-2.0
 *
 * What is missing of a workload that was not completed, and what that waits for: at adapters, in
 * the buffers of switches, and operations for others. Every list is cut after MOST_LINES lines and
 * says how much more there is. Cost: a pass over queues and operations. */
#include "base/text_stream.h"
#include "sim/adapter/host.h"
#include "sim/inspect/blocked.h"
#include "sim/inspect/inspect.h"
#include "sim/inspect/look.h"
#include "sim/workload/finite_state.h"

#include <stdlib.h>

enum { MOST_LINES = 20 };

typedef struct own_line {
    uint32_t node, begin; /* of its text */
} own_line;

typedef struct report {
    sim *s;
    FILE *to;
    uint64_t lines;   /* of the list that is printed */
    uint64_t packets; /* in queues of switches */
    uint32_t node;    /* that it is at */
    /* Among ranks, each of which prints what stands at its own nodes: where the list goes in the
     * end, NULL = each prints all of it, and the lines of this rank. */
    FILE *all;
    ik_text_stream own;
    own_line own_lines[MOST_LINES];
    bool failed;
} report;

static unsigned long long missing_llu(uint64_t n)
{
    return (unsigned long long)n;
}

/* Begins a list; whether its next line is to be printed. */
static void missing_begin(report *r)
{
    r->lines = 0;
}

static bool missing_line(report *r)
{
    if (r->all && r->lines < MOST_LINES) {
        fflush(r->to);
        r->own_lines[r->lines] = (own_line){r->node, (uint32_t)r->own.size};
    }
    return r->lines++ < MOST_LINES;
}

static void missing_end(report *r, const char *what)
{
    if (r->lines > MOST_LINES)
        fprintf(r->to, "and %llu more %s\n", missing_llu(r->lines - MOST_LINES), what);
}

/* ---- lists of what stands at nodes, which ranks print together */

static bool missing_is_here(report *r, uint32_t node)
{
    r->node = node;
    return sim_has_node(r->s, node);
}

static void missing_begin_nodes(report *r)
{
    ik_error err;
    missing_begin(r);
    if (!r->s->parallel.ranks || r->failed)
        return;
    r->failed = ik_text_stream_open(&r->own, &err) != IK_OK;
    if (r->failed)
        return;
    r->all = r->to;
    r->to = r->own.out;
}

/* What a rank tells of a list, with the text behind it. */
typedef struct told_list {
    uint64_t lines, packets;
    own_line own[MOST_LINES];
} told_list;

/* The place of line k of a list among those of all ranks, whose nodes differ. */
static uint64_t missing_place(const told_list *told, unsigned k)
{
    return k < told->lines && k < MOST_LINES ? (uint64_t)told->own[k].node << 32 | (k + 1)
                                             : UINT64_MAX;
}

static void missing_print_told(const report *r, ranks_bytes from, const told_list *told, unsigned k)
{
    size_t begin = told->own[k].begin, end = from.size - sizeof *told;
    if (missing_place(told, k + 1) != UINT64_MAX)
        end = told->own[k + 1].begin;
    fprintf(r->to, "%.*s", (int)(end - begin), (const char *)from.data + sizeof *told + begin);
}

/* The lines of all ranks in the order of their nodes; each rank told the first ones of its own. */
static void missing_merge(const report *r, const ranks_bytes *all)
{
    uint64_t last = 0;
    for (unsigned printed = 0; printed < MOST_LINES; printed++) {
        uint64_t least = UINT64_MAX;
        told_list told, of;
        ranks_bytes from = {0};
        for (unsigned q = 0; q < r->s->parallel.num_partitions; q++) {
            memcpy(&told, all[q].data, sizeof told);
            for (unsigned k = 0; missing_place(&told, k) != UINT64_MAX; k++)
                if (missing_place(&told, k) > last && missing_place(&told, k) < least) {
                    least = missing_place(&told, k);
                    from = all[q];
                    of = told;
                }
        }
        if (least == UINT64_MAX)
            return;
        missing_print_told(r, from, &of, (unsigned)(uint32_t)least - 1);
        last = least;
    }
}

/* Among ranks: makes one list of those of all. */
static void missing_unite(report *r)
{
    told_list told = {.lines = r->lines, .packets = r->packets};
    const ranks_bytes *all;
    char *text = NULL;
    size_t size = 0;
    ik_error err;
    memcpy(told.own, r->own_lines, sizeof told.own);
    r->to = r->all;
    r->all = NULL;
    r->failed |= ik_text_stream_close(&r->own, &text, &size, &err) != IK_OK;
    unsigned char *bytes = r->failed ? NULL : malloc(sizeof told + size);
    if (bytes) {
        memcpy(bytes, &told, sizeof told);
        memcpy(bytes + sizeof told, text, size);
    }
    /* without memory it tells too little, and the report fails everywhere */
    r->failed |= !sim_meet(r->s, (ranks_bytes){bytes, bytes ? sizeof told + size : 0}, &all);
    r->lines = r->packets = 0;
    for (unsigned q = 0; q < r->s->parallel.num_partitions && !r->failed; q++) {
        r->failed |= all[q].size < sizeof told;
        if (r->failed)
            break;
        memcpy(&told, all[q].data, sizeof told);
        r->lines += told.lines;
        r->packets += told.packets;
    }
    if (!r->failed)
        missing_merge(r, all);
    free(bytes);
    free(text);
}

static void missing_end_nodes(report *r, const char *what)
{
    if (r->all)
        missing_unite(r);
    missing_end(r, what);
}

/* ---- counts */

/* Whether an operation was to begin, or to end, after at_most. */
static bool missing_goes_on(const sim *s, uint64_t time)
{
    const finite *f = s->workload.finite;
    bool on = time >= s->measure.end_ps;
    for (uint32_t host = 0; host < s->f->num_hosts && !on; host++)
        on = f->finish_ps[host] >= s->measure.past_ps;
    return on;
}

static void missing_print_calm(const report *r, uint64_t time)
{
    fprintf(r->to, "%s\n",
            r->s->outcome.deadlock ? "a deadlock: packets wait for each other, and none can move"
            : !missing_goes_on(r->s, time)
                ? "nothing happens any more, but not everything is delivered"
                : "at_most was reached");
}

/* Everything is counted when its arrival is known; its last byte may come after at_most. */
static void missing_print_last(const report *r, uint64_t all)
{
    const finite *f = r->s->workload.finite;
    uint64_t last = 0;
    char text[40];
    for (uint32_t host = 0; host < r->s->f->num_hosts; host++)
        last = f->finish_ps[host] > last ? f->finish_ps[host] : last;
    fprintf(r->to, "all %llu packets have left the last switch", missing_llu(all));
    if (last >= r->s->measure.past_ps)
        fprintf(r->to, "; the last byte arrives at %s",
                ik_format_quantity(text, sizeof text, last, IK_DIM_TIME));
    fprintf(r->to, "\n");
}

/* Packets that were never sent, and those in the network. */
static void missing_print_packets(const report *r, uint64_t all)
{
    uint64_t sent = 0, arrived = 0, lost = 0, held = 0;
    for (unsigned q = 0; q < r->s->parallel.num_partitions; q++) {
        sent += r->s->parallel.partitions[q].n.injected;
        arrived += r->s->parallel.partitions[q].n.delivered;
        lost += r->s->parallel.partitions[q].n.unroutable;
        held += r->s->parallel.partitions[q].n.held;
    }
    if (arrived == all) {
        missing_print_last(r, all);
        return;
    }
    fprintf(r->to, "%llu of %llu packets are not delivered: %llu were never sent",
            missing_llu(all - arrived), missing_llu(all), missing_llu(all - sent));
    fprintf(r->to, ", %llu are in the network", missing_llu(sent - arrived - lost));
    if (held)
        fprintf(r->to, ", %llu of them at their hosts, behind earlier ones", missing_llu(held));
    if (lost)
        fprintf(r->to, ", %llu had no way", missing_llu(lost));
    fprintf(r->to, "\n");
}

static void missing_count_graph(const report *r)
{
    const finite *f = r->s->workload.finite;
    const ik_graph *g = f->w->graph;
    uint64_t missing = 0, bytes = 0, begun = 0, packets = 0;
    for (uint32_t op = 0; op < g->num_ops; op++) {
        uint64_t amount = g->ops[op].amount;
        if (g->kind[op] == IK_OP_SEND)
            packets += (amount + r->s->adapter.packet_bytes - 1) / r->s->adapter.packet_bytes;
        if (g->kind[op] != IK_OP_RECV || f->ops[op].left == 0)
            continue;
        missing++;
        bytes += f->ops[op].left;
        begun += f->ops[op].left < amount;
    }
    if (missing)
        fprintf(r->to, "%llu of %llu messages are not delivered, %llu of them in part: %llu B\n",
                missing_llu(missing), missing_llu(f->w->num_messages), missing_llu(begun),
                missing_llu(bytes));
    else
        fprintf(r->to, "all %llu messages have left the last switch\n",
                missing_llu(f->w->num_messages));
    for (uint32_t host = 0; host < g->num_hosts; host++) /* its messages to itself are no packets */
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
            if (g->kind[op] == IK_OP_SEND && g->ops[op].peer == host)
                packets -= (g->ops[op].amount + r->s->adapter.packet_bytes - 1) /
                           r->s->adapter.packet_bytes;
    if (!f->endless) /* else the counts are of all jobs */
        missing_print_packets(r, packets);
}

/* ---- at adapters */

/* Of a batch: those that are taken in, and of one queue those that will be. */
static uint64_t missing_behind_of_batch(const sim *s, uint32_t host, unsigned at)
{
    const finite *f = s->workload.finite;
    const send_queue *l = &s->host.queues[(size_t)host * s->adapter.num_queues + at];
    uint64_t all = f->per_repeat * f->w->repeat;
    bool requests = s->adapter.num_queues == 1 || (s->reply.on && s->reply.queues == 1 && at == 0);
    return l->count - 1 + (requests && !f->w->batch->gaps && l->n < all ? all - l->n : 0);
}

/* Messages of a queue behind its first one: of a graph those that wait, of an all-to-all visits. */
static uint64_t missing_behind_first(const sim *s, uint32_t host, unsigned at, const message *m)
{
    const finite *f = s->workload.finite;
    size_t k = (size_t)host * s->adapter.num_queues + at;
    if (f->w->batch)
        return missing_behind_of_batch(s, host, at);
    if (sim_endless(s, host))
        return 0;
    if (s->workload.has_graph)
        return f->turns[k].num - 1 + f->behind[k].num;
    return f->per_repeat * f->w->repeat - 1 - m->number / s->source.packets_per_message;
}

/* The first message of a queue and what it waits for. */
static void missing_print_message(report *r, uint32_t host, const message *m, uint64_t behind)
{
    sim *s = r->s;
    partition *p = &s->parallel.partitions[s->parallel.node_partition[ik_host_node(s->f, host)]];
    const host_state *h = &s->host.state[host];
    if (!missing_line(r))
        return;
    int32_t room = sim_room_ahead(p, host, h, m);
    char port[200];
    fprintf(r->to, "host %u: a message for host %u, %llu B left, waits for ",
            ik_whole_host(s->f, host), ik_whole_host(s->f, m->dst), missing_llu(m->remaining));
    if (sim_reorder_lacks(p, host, m->dst))
        fprintf(r->to, "reorder space at its destination");
    else if (room < (int32_t)host_next_size(s, m))
        fprintf(r->to, "credit of %s, VC %u: %d B free",
                ik_port_describe(s->f, h->port, port, sizeof port), (unsigned)m->vc, room);
    else
        fprintf(r->to, "its turn");
    if (behind)
        fprintf(r->to, "; behind it %llu %s%s", missing_llu(behind),
                s->workload.finite->w->alltoall && !s->host.dest_rings ? "visit" : "message",
                behind == 1 ? "" : "s");
    fprintf(r->to, "\n");
}

static void missing_print_adapter(report *r, uint32_t host, unsigned at)
{
    sim *s = r->s;
    const partition *p =
        &s->parallel.partitions[s->parallel.node_partition[ik_host_node(s->f, host)]];
    const message *m = sim_first_message(p, host, at);
    if (m)
        missing_print_message(r, host, m, missing_behind_first(s, host, at, m));
}

/* With a queue for each destination. */
static void missing_print_queues(report *r, uint32_t host)
{
    const sim *s = r->s;
    const partition *p =
        &s->parallel.partitions[s->parallel.node_partition[ik_host_node(s->f, host)]];
    for (uint32_t dst = 0; dst < s->f->num_hosts; dst++)
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            uint64_t behind;
            const message *m = sim_dest_queued(p, host, dst, v, &behind);
            if (m)
                missing_print_message(r, host, m, behind);
        }
}

static void missing_print_adapters(report *r)
{
    const sim *s = r->s;
    missing_begin_nodes(r);
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        if (!missing_is_here(r, ik_host_node(s->f, host)))
            continue;
        else if (s->host.dest_rings)
            missing_print_queues(r, host);
        else
            for (unsigned at = 0;
                 (!s->host.state[host].silent || s->reply.on) && at < s->adapter.num_queues; at++)
                missing_print_adapter(r, host, at);
    missing_end_nodes(r, "queues of adapters");
}

/* ---- in switches */

/* What a packet waits for that may take any of n choices of p->choices. */
static void missing_print_choice(const report *r, partition *p, const packet *pk, uint32_t n)
{
    const sim *s = r->s;
    char port[200];
    for (uint32_t c = 0; c < n; c++)
        for (unsigned u = p->choices[c].vc_first; u <= p->choices[c].vc_last; u++)
            if (look_room(s, p, p->choices[c].port, u, pk) >= (int32_t)pk->size) {
                fprintf(r->to, "its turn at %s",
                        ik_port_describe(s->f, p->choices[c].port, port, sizeof port));
                return;
            }
    if (n == 0) {
        fprintf(r->to, "a way, and there is none");
        return;
    }
    const ik_choice *first = &p->choices[0];
    fprintf(r->to, "%s VC %u: %d B free", ik_port_describe(s->f, first->port, port, sizeof port),
            first->vc_first, look_room(s, p, first->port, first->vc_first, pk));
    if (n > 1)
        fprintf(r->to, ", or %u other ways without room", n - 1);
}

static uint64_t missing_count_queue(report *r, const partition *p, uint32_t id)
{
    uint64_t n = 0;
    for (; id != IK_NONE; id = look_behind(p, id))
        n++;
    r->packets += n;
    return n;
}

/* A queue of an input, or, in an ideal switch, of an output; in_port: where its head came in. */
static void missing_print_queue(report *r, uint32_t sw, uint32_t in_port, uint32_t head,
                                uint32_t out_port, unsigned u)
{
    sim *s = r->s;
    partition *p = look_partition(s, sw);
    uint64_t num = missing_count_queue(r, p, head);
    packet *pk = look_packet(p, head);
    char port[200];
    if (!missing_line(r))
        return;
    fprintf(r->to, "host %u to host %u, %u B in the buffer of %s VC %u, waits for ",
            ik_whole_host(s->f, pk->rt.src), ik_whole_host(s->f, pk->rt.dst), pk->size,
            ik_port_describe(s->f, in_port, port, sizeof port), pk->rt.vc);
    if (out_port == IK_NONE) {
        missing_print_choice(r, p, pk, look_choices(s, p, sw, in_port, pk));
    } else {
        p->choices[0] = (ik_choice){out_port, (uint8_t)u, (uint8_t)u};
        missing_print_choice(r, p, pk, 1);
    }
    if (num > 1)
        fprintf(r->to, "; behind it %llu packet%s", missing_llu(num - 1), num == 2 ? "" : "s");
    fprintf(r->to, "\n");
}

static void missing_print_inputs(report *r, uint32_t sw)
{
    const sim *s = r->s;
    for (unsigned in = 0; in < s->net.switches[sw].radix; in++)
        for (unsigned v = 0; v < s->sw.vcs; v++)
            for (uint32_t n = 0; n < look_queues(s, sw); n++) {
                uint32_t head = look_head(s, sw, in, v, n);
                if (head != IK_NONE)
                    missing_print_queue(r, sw, s->net.switches[sw].port_base + in, head, IK_NONE,
                                        0);
            }
}

/* Packets of an ideal switch, and those that model ioq has moved to its outputs. */
static void missing_print_outputs(report *r, uint32_t sw)
{
    const sim *s = r->s;
    partition *p = look_partition(s, sw);
    for (uint32_t port = s->f->port_base[sw]; port < s->f->port_base[sw + 1]; port++)
        for (unsigned u = 0; s->sw.out_buffers && u < s->sw.vcs; u++) {
            uint32_t head = look_output_head(s, port, u);
            if (head == IK_NONE)
                continue;
            uint32_t in_port = s->sw.model == MODEL_IDEAL ? look_packet(p, head)->queue : port;
            missing_print_queue(r, sw, in_port, head, port, u);
        }
}

static void missing_print_switches(report *r)
{
    const sim *s = r->s;
    missing_begin_nodes(r);
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++) {
        if (!missing_is_here(r, sw))
            continue;
        if (s->sw.model != MODEL_IDEAL)
            missing_print_inputs(r, sw);
        missing_print_outputs(r, sw);
    }
    missing_end_nodes(r, "queues of switches");
    if (r->packets)
        fprintf(r->to, "%llu packets wait in %llu queues of switches\n", missing_llu(r->packets),
                missing_llu(r->lines));
}

/* ---- operations */

static void missing_print_op(const report *r, uint32_t host, uint32_t op)
{
    const ik_graph *g = r->s->workload.finite->w->graph;
    const ik_op *of = &g->ops[op];
    fprintf(r->to, "operation %u of host %u", op - g->host_first[host], host);
    sim_print_line(g, op, " (", ")", r->to);
    if (g->kind[op] == IK_OP_CALC) {
        fprintf(r->to, ", a calculation");
        return;
    }
    fprintf(r->to, ", %s %llu B %s ", g->kind[op] == IK_OP_SEND ? "send" : "receive",
            missing_llu(of->amount), g->kind[op] == IK_OP_SEND ? "to" : "from");
    if (of->peer == IK_NONE)
        fprintf(r->to, "any host");
    else
        fprintf(r->to, "host %u", of->peer);
}

/* Not done when the run ended. */
static bool missing_is_left(const sim *s, uint32_t op)
{
    return finite_done_ps(s->workload.finite, op) > s->measure.end_ps;
}

/* The operation of its host, before it in the program or not, that op waits for; IK_NONE = none. */
static uint32_t missing_awaited(const sim *s, uint32_t host, uint32_t op)
{
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    for (uint32_t before = g->host_first[host]; before < g->host_first[host + 1]; before++) {
        const op_state *o = &f->ops[before];
        for (uint32_t k = g->after_first[before]; k < g->after_first[before + 1]; k++) {
            bool pends = g->after[k] & IK_AFTER_START ? o->waits > 0 : missing_is_left(s, before);
            if ((g->after[k] & ~IK_AFTER_START) == op && pends)
                return before;
        }
    }
    return IK_NONE;
}

static void missing_print_wait(const report *r, uint32_t host, uint32_t op)
{
    const sim *s = r->s;
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    const op_state *o = &f->ops[op];
    bool waits = o->waits || o->ready_ps >= s->measure.past_ps;
    uint32_t before = waits ? missing_awaited(s, host, op) : IK_NONE;
    missing_print_op(r, host, op);
    if (before != IK_NONE && ik_graph_line(g, before, NULL))
        sim_print_line(g, before, ", waits for ", "\n", r->to);
    else if (before != IK_NONE)
        fprintf(r->to, ", waits for operation %u\n", before - g->host_first[host]);
    else if (o->waits)
        fprintf(r->to, ", acknowledges a message that is not received\n");
    else if (g->kind[op] == IK_OP_CALC)
        fprintf(r->to, ", is not over\n");
    else if (g->kind[op] == IK_OP_RECV && g->ops[op].match == IK_NONE)
        fprintf(r->to, ", no message that fits is there\n");
    else if (g->kind[op] == IK_OP_RECV && o->left == 0)
        fprintf(r->to, ", its last byte arrives after at_most\n");
    else
        fprintf(r->to, ", lacks %llu B\n", missing_llu(o->left));
}

static void print_operations(report *r)
{
    const ik_graph *g = r->s->workload.finite->w->graph;
    missing_begin(r);
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
            if (missing_is_left(r->s, op) && missing_line(r))
                missing_print_wait(r, host, op);
    missing_end(r, "operations that are not done");
}

/* Hosts whose requests lack their replies. */
static void missing_print_open(report *r)
{
    const sim *s = r->s;
    missing_begin_nodes(r);
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        uint32_t open = s->host.replies[host].open;
        if (open && missing_is_here(r, ik_host_node(s->f, host)) && missing_line(r))
            fprintf(r->to, "host %u: %u request%s without a reply\n", ik_whole_host(s->f, host),
                    open, open == 1 ? " is" : "s are");
    }
    missing_end_nodes(r, "hosts that wait for replies");
}

/* ---- */

ik_status sim_describe_missing(sim *s, uint64_t time, ik_error *err)
{
    ik_text_stream stream;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    report r = {.s = s, .to = stream.out};
    missing_print_calm(&r, time);
    if (s->workload.has_graph)
        missing_count_graph(&r);
    else
        missing_print_packets(&r, sim_finite_all_packets(s));
    missing_print_adapters(&r);
    if (s->reply.on)
        missing_print_open(&r);
    missing_print_switches(&r);
    if (s->workload.has_graph && s->workload.finite->w->graph->rank_first)
        status = sim_print_blocked(s, r.to, err);
    else if (s->workload.has_graph)
        print_operations(&r);
    char *text = NULL;
    ik_status closed = ik_text_stream_close(&stream, &text, NULL, status == IK_OK ? err : NULL);
    if (status != IK_OK || closed != IK_OK) {
        free(text);
        return status != IK_OK ? status : closed;
    }
    s->outcome.missing_text = text;
    return r.failed ? ik_fail_memory(err, sizeof r, "what is missing") : IK_OK;
}
