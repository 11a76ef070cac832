/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a workload: when it was, and what its result says. */
#include "sim/workload/finite_state.h"
#include <stdlib.h>
#include <string.h>

uint64_t sim_finite_all_packets(const sim *s)
{
    const finite *f = s->workload.finite;
    assert(!f->w->graph);
    if (f->w->alltoall)
        return f->packets_per_repeat * f->w->repeat * f->w->alltoall->num;
    return f->w->num_messages *
           (s->source.packets_per_message + (s->reply.on ? s->reply.packets : 0));
}

uint64_t sim_finite_last(const sim *s)
{
    const finite *f = s->workload.finite;
    uint64_t last = 0;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        last = f->finish_ps[host] > last ? f->finish_ps[host] : last;
    return last;
}

uint64_t sim_finite_end(const sim *s)
{
    const finite *f = s->workload.finite;
    uint64_t arrived = 0;
    for (uint32_t host = 0; f->w->graph && host < s->f->num_hosts; host++)
        if (f->ops_left[host])
            return UINT64_MAX;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++)
        arrived += s->parallel.partitions[q].n.delivered;
    if (!f->w->graph && arrived < sim_finite_all_packets(s))
        return UINT64_MAX;
    return sim_finite_last(s);
}

void sim_finite_note(sim *s, uint32_t host, const delivered *last)
{
    finite *f = s->workload.finite;
    if (f->w->graph || f->w->repeat > 1 || last->t <= f->finish_ps[host])
        return; /* it knows all deliveries */
    f->finish_ps[host] = last->t;
    f->states[host] = (round_state){
        .last_ps = last->t, .inject_ps = last->t_inject, .arrive_ps = last->t, .src = last->src};
}

void sim_finite_carry_host(sim *s, uint32_t host, sim_carrier *c)
{
    finite *f = s->workload.finite;
    sim_carry(c, &f->finish_ps[host], sizeof *f->finish_ps);
    if (f->w->batch)
        return;
    if (f->w->graph) {
        const uint32_t *first = f->w->graph->host_first;
        sim_carry(c, &f->ops_left[host], sizeof *f->ops_left);
        size_t num = first[host + 1] - first[host];
        sim_carry(c, &f->ops[first[host]], num * sizeof *f->ops);
        if (f->mate)
            sim_carry(c, &f->mate[first[host]], num * sizeof *f->mate);
        if (f->handed_ps)
            sim_carry(c, &f->handed_ps[first[host]], num * sizeof *f->handed_ps);
        if (f->gapped_ps)
            sim_carry(c, &f->gapped_ps[first[host]], num * sizeof *f->gapped_ps);
        if (f->order_ps)
            sim_carry(c, &f->order_ps[first[host]], num * sizeof *f->order_ps);
    } else {
        sim_carry(c, &f->states[host * f->w->repeat], f->w->repeat * sizeof *f->states);
    }
}

/* ---- what became of each class of messages. Cost: a pass over the operations */

static void finite_end_count_send(const finite *f, uint32_t host, uint32_t op, ik_message_class *of)
{
    const ik_op *what = &f->w->graph->ops[op];
    const op_state *o = &f->ops[op];
    bool own = what->peer == host; /* it takes no time, and no packet is sent */
    of->messages++;
    of->bytes += what->amount;
    if (own ? o->done_ps == UINT64_MAX : o->left == what->amount)
        return; /* not begun */
    uint64_t begin = own ? o->done_ps : o->moved_ps;
    of->first_ps = begin < of->first_ps ? begin : of->first_ps;
}

static void finite_end_count_classes(const finite *f, ik_message_class *classes)
{
    const ik_graph *g = f->w->graph;
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            if (finite_is_control(g, op))
                continue;
            /* a receive from anywhere is of the class of what it got */
            uint32_t send = g->kind[op] == IK_OP_RECV ? finite_send_of(f, op) : op;
            ik_message_class *of = &classes[g->op_class[send != IK_NONE ? send : op]];
            uint64_t done = f->ops[op].done_ps;
            if (g->kind[op] == IK_OP_SEND)
                finite_end_count_send(f, host, op, of);
            else if (g->kind[op] == IK_OP_RECV && f->ops[op].left == 0 && done != UINT64_MAX)
                of->last_ps = done > of->last_ps ? done : of->last_ps;
        }
}

static void finite_end_count_alltoall(const sim *s, const ik_sim_result *r, ik_message_class *all)
{
    const finite *f = s->workload.finite;
    all->messages = r->workload_messages;
    all->bytes = r->workload_bytes;
    all->first_ps = f->w->num_messages ? 0 : UINT64_MAX;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        all->last_ps = f->finish_ps[host] > all->last_ps ? f->finish_ps[host] : all->last_ps;
}

static void free_classes(ik_message_class *classes, size_t num)
{
    for (size_t k = 0; k < num; k++)
        free(classes[k].name);
    free(classes);
}

static ik_status finite_end_classes(const sim *s, ik_sim_result *r, ik_error *err)
{
    const ik_workload *w = s->workload.finite->w;
    size_t num = w->classes ? w->num_classes : 1;
    ik_message_class *classes = ik_calloc(num + 1, sizeof *classes);
    bool ok = classes != NULL;
    for (size_t k = 0; k < num && ok; k++) {
        classes[k].first_ps = UINT64_MAX;
        classes[k].name = strdup(w->classes ? w->classes[k] : "");
        ok = classes[k].name != NULL;
    }
    if (!ok) {
        if (classes)
            free_classes(classes, num);
        return ik_fail_memory(err, num * sizeof *classes, "classes of messages");
    }
    if (s->workload.has_graph)
        finite_end_count_classes(s->workload.finite, classes);
    else
        finite_end_count_alltoall(s, r, &classes[0]);
    r->message_classes = classes;
    r->num_message_classes = num;
    return IK_OK;
}

/* ---- the result */

/* What a host can send in a time: of one whose rate is limited, a packet takes its link for less
 * time than the next one has to wait, so that the last one is sent whole. */
static double finite_end_sendable_bytes(const sim *s, uint32_t host, double ps)
{
    double link = (double)ik_port_rate_bps(s->f, s->host.state[host].port),
           rate = (double)sim_injection_bps(s, host);
    return rate * ps / 8e12 + (rate < link ? s->adapter.packet_bytes * (1 - rate / link) : 0);
}

/* What the hosts that send, with replies also those that only answer, can send in a time. */
static double finite_end_most_bytes(const sim *s, double ps)
{
    double bytes = 0;
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        bool answers = s->reply.on && s->host.replies[host].sent > 0;
        if ((!s->host.state[host].silent || answers) && !sim_endless(s, host))
            bytes += finite_end_sendable_bytes(s, host, ps);
    }
    return bytes;
}

/* A pass over the operations. */
static void finite_end_count_graph(const ik_graph *g, ik_sim_result *r)
{
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            bool is_control = finite_is_control(g, op), is_local = g->ops[op].peer == host;
            if (g->kind[op] != IK_OP_SEND)
                continue;
            r->control_messages += is_control;
            r->workload_messages += !is_control;
            r->workload_bytes += is_control ? 0 : g->ops[op].amount;
            r->local_messages += is_local && !is_control;
            r->local_bytes += is_local && !is_control ? g->ops[op].amount : 0;
        }
}

static void finite_end_count_messages(const sim *s, ik_sim_result *r)
{
    const ik_workload *w = s->workload.finite->w;
    if (w->graph) {
        finite_end_count_graph(w->graph, r);
        return;
    }
    r->workload_messages = w->num_messages * (s->reply.on ? 2 : 1);
    r->workload_bytes = w->bytes + (s->reply.on ? w->num_messages * s->reply.bytes : 0);
}

ik_status sim_finite_export(sim *s, ik_sim_result *r, ik_error *err)
{
    finite *f = s->workload.finite;
    uint64_t end = sim_finite_end(s);
    r->finite = true;
    r->completed = end <= s->measure.end_ps && !s->outcome.deadlock;
    r->completion_ps = r->completed ? end : 0;
    finite_end_count_messages(s, r);
    double most = finite_end_most_bytes(s, (double)r->completion_ps);
    r->effective_throughput =
        r->completed && most > 0 ? (double)(r->workload_bytes - r->local_bytes) / most : 0;
    ik_status status = finite_end_classes(s, r, err);
    if (status != IK_OK)
        return status;
    status = sim_finite_ranks(s, r, err);
    if (status == IK_OK && r->completed)
        status = sim_finite_path(s, end, &r->critical_path, err);
    r->missing_text = s->outcome.missing_text; /* inspect/missing.c */
    s->outcome.missing_text = NULL;
    r->host_finish_ps = f->finish_ps;
    f->finish_ps = NULL;
    return status;
}
