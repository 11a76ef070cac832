/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a workload: when it was, what its result says, and what is missing where it did not
 * come. */
#include "base/text_stream.h"
#include "sim/host/finite_state.h"

uint64_t sim_finite_end(const sim *s)
{
    const finite *f = s->finite;
    uint64_t end = 0, arrived = 0;
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        end = f->finish_ps[host] > end ? f->finish_ps[host] : end;
        if (f->w->graph && f->ops_left[host])
            return UINT64_MAX;
    }
    for (unsigned q = 0; q < s->num_partitions; q++)
        arrived += s->partitions[q].n.delivered;
    if (f->w->alltoall && arrived < f->packets_per_repeat * f->w->repeat * f->w->alltoall->num)
        return UINT64_MAX;
    return end;
}

void sim_finite_note(sim *s, uint32_t host, const delivered *last)
{
    finite *f = s->finite;
    if (f->w->graph || f->w->repeat > 1 || last->t <= f->finish_ps[host])
        return; /* it was told of all deliveries */
    f->finish_ps[host] = last->t;
    f->states[host] =
        (round_state){.last_ps = last->t, .inject_ps = last->t_inject, .src = last->src};
}

void sim_finite_carry(sim *s, uint32_t host, void *ctx,
                      void (*fn)(void *ctx, void *data, size_t bytes))
{
    finite *f = s->finite;
    fn(ctx, &f->finish_ps[host], sizeof *f->finish_ps);
    if (f->w->graph) {
        const uint32_t *first = f->w->graph->host_first;
        fn(ctx, &f->ops_left[host], sizeof *f->ops_left);
        fn(ctx, &f->ops[first[host]], (first[host + 1] - first[host]) * sizeof *f->ops);
    } else {
        fn(ctx, &f->states[host * f->w->repeat], f->w->repeat * sizeof *f->states);
    }
}

/* ---- what is missing */

enum { MOST_LINES = 20 };

/* Whether an operation was to begin, or to end, after at_most. */
static bool goes_on(const sim *s)
{
    const finite *f = s->finite;
    bool on = s->stopped_ps >= s->end_ps;
    for (uint32_t host = 0; f->due && host < s->f->num_hosts && !on; host++)
        on = f->due[host].num > 0 || f->finish_ps[host] >= s->end_ps;
    return on;
}

static void print_calm(const sim *s, FILE *to)
{
    fprintf(to, "%s\n",
            s->deadlock   ? "a deadlock: no packet moves"
            : !goes_on(s) ? "nothing happens any more, and not all is delivered"
                          : "at_most was reached");
}

static void print_op(const finite *f, uint32_t host, uint32_t op, FILE *to)
{
    const ik_graph *g = f->w->graph;
    const ik_op *of = &g->ops[op];
    fprintf(to, "operation %u of host %u", op - g->host_first[host], host);
    if (g->line && g->line[op])
        fprintf(to, " (line %u)", g->line[op]);
    if (g->kind[op] == IK_OP_CALC) {
        fprintf(to, ", a calculation");
        return;
    }
    fprintf(to, ", %s %llu B %s ", g->kind[op] == IK_OP_SEND ? "send" : "receive",
            (unsigned long long)of->amount, g->kind[op] == IK_OP_SEND ? "to" : "from");
    if (of->peer == IK_NONE)
        fprintf(to, "any host");
    else
        fprintf(to, "host %u", of->peer);
}

/* Not done when the run ended. */
static bool is_left(const sim *s, uint32_t op)
{
    return s->finite->ops[op].done_ps > s->end_ps;
}

/* The operation of its host, before it in the program or not, that op waits for; IK_NONE = none. */
static uint32_t awaited(const sim *s, uint32_t host, uint32_t op)
{
    const finite *f = s->finite;
    const ik_graph *g = f->w->graph;
    for (uint32_t before = g->host_first[host]; before < g->host_first[host + 1]; before++) {
        const op_state *o = &f->ops[before];
        for (uint32_t k = g->after_first[before]; k < g->after_first[before + 1]; k++) {
            bool pends = g->after[k] & IK_AFTER_START ? o->waits > 0 : is_left(s, before);
            if ((g->after[k] & ~IK_AFTER_START) == op && pends)
                return before;
        }
    }
    return IK_NONE;
}

static void print_wait(const sim *s, uint32_t host, uint32_t op, FILE *to)
{
    const finite *f = s->finite;
    const ik_graph *g = f->w->graph;
    const op_state *o = &f->ops[op];
    bool waits = o->waits || o->ready_ps >= s->end_ps;
    uint32_t before = waits ? awaited(s, host, op) : IK_NONE;
    print_op(f, host, op, to);
    if (before != IK_NONE && g->line && g->line[before])
        fprintf(to, ", waits for line %u\n", g->line[before]);
    else if (before != IK_NONE)
        fprintf(to, ", waits for operation %u\n", before - g->host_first[host]);
    else if (o->waits)
        fprintf(to, ", acknowledges a message that is not received\n");
    else if (g->kind[op] == IK_OP_CALC)
        fprintf(to, ", is not over\n");
    else if (g->kind[op] == IK_OP_RECV && g->ops[op].match == IK_NONE)
        fprintf(to, ", no message that fits is there\n");
    else
        fprintf(to, ", lacks %llu B\n", (unsigned long long)o->left);
}

static void print_graph(const sim *s, FILE *to)
{
    const finite *f = s->finite;
    const ik_graph *g = f->w->graph;
    uint64_t missing = 0, lines = 0;
    for (uint32_t op = 0; op < g->num_ops; op++)
        missing += g->kind[op] == IK_OP_RECV && f->ops[op].left > 0;
    fprintf(to, "%llu of %llu messages are not delivered\n", (unsigned long long)missing,
            (unsigned long long)f->w->num_messages);
    for (uint32_t host = 0; host < g->num_hosts; host++)
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
            if (is_left(s, op) && lines++ < MOST_LINES)
                print_wait(s, host, op, to);
    if (lines > MOST_LINES)
        fprintf(to, "and %llu more operations that are not done\n",
                (unsigned long long)(lines - MOST_LINES));
}

static void print_alltoall(const sim *s, uint64_t arrived, FILE *to)
{
    const finite *f = s->finite;
    uint64_t all = f->packets_per_repeat * f->w->repeat * f->w->alltoall->num, sent = 0, lines = 0,
             visits = f->per_repeat * f->w->repeat;
    for (unsigned q = 0; q < s->num_partitions; q++)
        sent += s->partitions[q].n.injected;
    fprintf(to, "%llu of %llu packets are not delivered, %llu of them were never sent\n",
            (unsigned long long)(all - arrived), (unsigned long long)all,
            (unsigned long long)(all - sent));
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        for (unsigned at = 0; at < s->num_send_queues; at++) {
            const send_queue *l = &s->send_queues[(size_t)host * s->num_send_queues + at];
            uint64_t next = l->n - (l->count ? 1 : 0);
            if (!l->count || lines++ >= MOST_LINES)
                continue;
            const message *m =
                &s->messages[((size_t)host * s->num_send_queues + at) * s->active_messages];
            fprintf(to, "host %u: visit %llu of %llu, to host %u, waits for %s\n", host,
                    (unsigned long long)next + 1, (unsigned long long)visits, m->dst,
                    s->hosts[host].blocked ? "credit of the link to its switch" : "its turn");
        }
    if (lines > MOST_LINES)
        fprintf(to, "and %llu more hosts\n", (unsigned long long)(lines - MOST_LINES));
}

static ik_status print_missing(const sim *s, char **text, ik_error *err)
{
    ik_text_stream stream;
    uint64_t arrived = 0;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    for (unsigned q = 0; q < s->num_partitions; q++)
        arrived += s->partitions[q].n.delivered;
    print_calm(s, stream.out);
    if (s->has_graph)
        print_graph(s, stream.out);
    else
        print_alltoall(s, arrived, stream.out);
    return ik_text_stream_close(&stream, text, NULL, err);
}

static double sending_bps(const sim *s)
{
    double bps = 0;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        bps += s->hosts[host].silent ? 0 : (double)sim_injection_bps(s, host);
    return bps;
}

ik_status sim_finite_export(sim *s, ik_sim_result *r, ik_error *err)
{
    finite *f = s->finite;
    uint64_t end = sim_finite_end(s);
    r->finite = true;
    r->completed = end <= s->end_ps && !s->deadlock;
    r->completion_ps = r->completed ? end : 0;
    r->workload_messages = f->w->num_messages;
    r->workload_bytes = f->w->bytes;
    double most = sending_bps(s) * (double)r->completion_ps / 8e12;
    r->effective_throughput = most > 0 ? (double)f->w->bytes / most : 0;
    ik_status status = sim_finite_classes(s, r, err);
    if (status != IK_OK)
        return status;
    status = r->completed ? sim_finite_path(s, end, &r->critical_path, err)
                          : print_missing(s, &r->missing_text, err);
    r->host_finish_ps = f->finish_ps;
    f->finish_ps = NULL;
    return status;
}
