/* SPDX-License-Identifier: Apache-2.0
 *
 * load_walks.c: channel loads by walking every flow from every initial state of the routing.
 *
 * A flow's share is divided evenly among its initial states, and at every switch among the allowed
 * ports (adaptive routings). Only a walk that arrives is booked, along the stack of its channels.
 */
#include "analysis/load.h"

#include <stdlib.h>
#include <string.h>

/* Adaptive routings may branch without end on a graph with loops: longer paths are cut off and
 * count as undelivered. */
#define BRANCH_DEPTH 64

typedef struct walks_job {
    load_job *job;
    flow_walker *threads;
} walks_job;

void flow_walker_free(flow_walker *s)
{
    walker_free(&s->w);
    free(s->stack);
    free(s->branches);
}

ik_status flow_walker_init(flow_walker *s, const ik_routing *r, ik_error *err)
{
    *s = (flow_walker){.sums = NULL};
    ik_status status = walker_init(&s->w, r, err);
    if (status != IK_OK)
        return status;
    s->radix = ik_max_radix(r->fabric);
    s->stack = ik_calloc(WALK_MAX, sizeof *s->stack);
    s->branches = ik_calloc((size_t)BRANCH_DEPTH * (s->radix + 1), sizeof *s->branches);
    return s->stack && s->branches
               ? IK_OK
               : ik_fail_memory(err, (size_t)BRANCH_DEPTH * s->radix * 4, "a walk's stack");
}

static void load_walks_book(flow_walker *s, const ik_fabric *f, double amount, double count)
{
    bool rising = true;
    for (uint32_t i = 0; i < s->depth; i++) {
        uint32_t port = s->stack[i], from = f->port_node[port];
        if (s->touched && s->sums->crossing[port] == 0)
            s->touched[s->num_touched++] = port;
        s->sums->load[port] += amount;
        s->sums->crossing[port] += count;
        if (rising && ik_is_switch(f, from) && !load_goes_up(f, port)) {
            s->sums->turns[from] += count;
            rising = false;
        }
    }
}

/* Walks on from the last channel of the stack. */
static void load_walks_walk_on(flow_walker *s, ik_packet pk, double amount, double count)
{
    const ik_fabric *f = s->w.r->fabric;
    uint32_t entry = s->depth;
    while (s->depth < WALK_MAX) {
        uint32_t in_port = f->port_peer[s->stack[s->depth - 1]],
                 node = in_port == IK_NONE ? IK_NONE : f->port_node[in_port];
        if (node == IK_NONE || !ik_is_switch(f, node)) {
            if (node == ik_host_node(f, pk.dst)) {
                load_walks_book(s, f, amount, count);
                s->arrived += count;
            }
            break;
        }
        walk_advance(f, s->stack[s->depth - 1], &pk);
        uint32_t n = walk_next(&s->w, node, in_port, &pk);
        if (n == 0)
            break;
        if (n > 1) {
            uint32_t *ports = s->branches + (size_t)s->depth * s->radix;
            if (s->depth >= BRANCH_DEPTH)
                break;
            memcpy(ports, s->w.ports, n * sizeof *ports);
            for (uint32_t i = 0; i < n; i++) {
                s->stack[s->depth++] = ports[i];
                load_walks_walk_on(s, pk, amount / n, count / n);
                s->depth--;
            }
            break;
        }
        s->stack[s->depth++] = s->w.ports[0];
    }
    s->depth = entry;
}

double flow_walk(flow_walker *s, uint32_t src, uint32_t dst, double amount, double count)
{
    const ik_routing *r = s->w.r;
    uint32_t starts = walk_num_starts(r, src, dst), port = walk_injection(r->fabric, src);
    s->arrived = 0;
    for (uint32_t n = 0; port != IK_NONE && n < starts; n++) {
        ik_packet pk;
        walk_start(r, src, dst, n, &pk);
        s->stack[0] = port;
        s->depth = 1;
        load_walks_walk_on(s, pk, amount / starts, count / starts);
    }
    return s->arrived;
}

typedef struct flow_ctx {
    flow_walker *s;
    const demand *d;
} flow_ctx;

static void load_walks_walk_one(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                uint64_t scale)
{
    flow_ctx *c = ctx;
    if (src != dst && c->d->row_of[src] != IK_NONE && c->d->row_of[dst] != IK_NONE)
        flow_walk(c->s, src, dst, demand_amount(c->d, src, weight, scale), 1);
}

static ik_status load_walks_walk_hosts(void *ctx, size_t part, unsigned thread, uint32_t first,
                                       uint32_t end, ik_error *err)
{
    walks_job *j = ctx;
    flow_walker *s = &j->threads[thread];
    const ik_traffic *t = j->job->d->t;
    flow_ctx c = {s, j->job->d};
    (void)err;
    s->sums = &j->job->parts[part];
    for (uint32_t src = first; src < end; src++)
        t->family->flows(t, src, load_walks_walk_one, &c);
    return IK_OK;
}

ik_status load_by_walks(load_job *job, const ik_env *env, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    walks_job j = {.job = job, .threads = ik_calloc(threads, sizeof *j.threads)};
    ik_status s = j.threads ? IK_OK : ik_fail_memory(err, threads * sizeof *j.threads, "walks");
    for (unsigned i = 0; s == IK_OK && i < threads; i++)
        s = flow_walker_init(&j.threads[i], job->r, err);
    if (s == IK_OK) {
        s = load_each_goal(job, env, 0, job->d->t->num_hosts, job->d->t->num_hosts,
                           load_walks_walk_hosts, &j, err);
    }
    for (unsigned i = 0; j.threads && i < threads; i++)
        flow_walker_free(&j.threads[i]);
    free(j.threads);
    return s;
}
