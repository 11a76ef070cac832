/* SPDX-License-Identifier: Apache-2.0
 *
 * load_walks.c: channel loads by walking every flow from every initial state of the routing.
 *
 * A flow's share is divided evenly among its initial states, and at every switch among the allowed ports (adaptive routings).
 * Only a walk that arrives is booked, along the stack of its channels. If hosts matter to the routing through their switches
 * alone and have one port each, all flows between two switches are walked as one.
 */
#include "analysis/load.h"

#include <stdlib.h>
#include <string.h>

/* Adaptive routings may branch without end on a graph with loops: longer paths are cut off and count as undelivered. */
#define BRANCH_DEPTH 64

typedef struct steps {
    walker w;
    uint32_t *stack; /* [WALK_MAX] channels so far */
    uint32_t depth;
    uint32_t *branches; /* [BRANCH_DEPTH * radix] saved answers of next() */
    uint32_t radix;
    load_sums *sums;
    bool whole;     /* book the host's channels too */
    double arrived; /* what of the walk's count has come to the destination */
} steps;

typedef struct walks_job {
    load_job *job;
    steps *threads;
    bool per_switch;
    double *amount; /* per_switch: [rows][rows]; once a pair of switches is walked, the part of it that arrives */
    double *count;
} walks_job;

static void steps_free(steps *s)
{
    walker_free(&s->w);
    free(s->stack);
    free(s->branches);
}

static ik_status steps_init(steps *s, const ik_routing *r, ik_error *err)
{
    ik_status status = walker_init(&s->w, r, err);
    if (status != IK_OK) {
        return status;
    }
    s->radix = ik_max_radix(r->fabric);
    s->stack = ik_calloc(WALK_MAX, sizeof *s->stack);
    s->branches = ik_calloc((size_t)BRANCH_DEPTH * (s->radix + 1), sizeof *s->branches);
    return s->stack && s->branches ? IK_OK : ik_fail_memory(err, (size_t)BRANCH_DEPTH * s->radix * 4, "a walk's stack");
}

static void book(const steps *s, const ik_fabric *f, double amount, double count)
{
    bool rising = true;
    for (uint32_t i = 0; i < s->depth; i++) {
        uint32_t port = s->stack[i], from = f->port_node[port], to = ik_peer_node(f, port);
        if (s->whole || (ik_is_switch(f, from) && ik_is_switch(f, to))) {
            s->sums->load[port] += amount;
            s->sums->crossing[port] += count;
        }
        if (rising && ik_is_switch(f, from) && !load_goes_up(f, port)) {
            s->sums->turns[from] += count;
            rising = false;
        }
    }
}

/* Walks on from the last channel of the stack. */
static void walk_on(steps *s, ik_packet pk, double amount, double count)
{
    const ik_fabric *f = s->w.r->fabric;
    uint32_t entry = s->depth;
    while (s->depth < WALK_MAX) {
        uint32_t in_port = f->port_peer[s->stack[s->depth - 1]], node = in_port == IK_NONE ? IK_NONE : f->port_node[in_port];
        if (node == IK_NONE || !ik_is_switch(f, node)) {
            if (node == ik_host_node(f, pk.dst)) {
                book(s, f, amount, count);
                s->arrived += count;
            }
            break;
        }
        walk_advance(f, s->stack[s->depth - 1], &pk);
        uint32_t n = walk_next(&s->w, node, in_port, &pk);
        if (n == 0) {
            break;
        }
        if (n > 1) {
            uint32_t *ports = s->branches + (size_t)s->depth * s->radix;
            if (s->depth >= BRANCH_DEPTH) {
                break;
            }
            memcpy(ports, s->w.ports, n * sizeof *ports);
            for (uint32_t i = 0; i < n; i++) {
                s->stack[s->depth++] = ports[i];
                walk_on(s, pk, amount / n, count / n);
                s->depth--;
            }
            break;
        }
        s->stack[s->depth++] = s->w.ports[0];
    }
    s->depth = entry;
}

static void walk_flow(steps *s, uint32_t src, uint32_t dst, double amount, double count)
{
    const ik_routing *r = s->w.r;
    uint32_t starts = walk_num_starts(r, src, dst), port = walk_injection(r->fabric, src);
    for (uint32_t n = 0; port != IK_NONE && n < starts; n++) {
        ik_packet pk;
        walk_start(r, src, dst, n, &pk);
        s->stack[0] = port;
        s->depth = 1;
        walk_on(s, pk, amount / starts, count / starts);
    }
}

/* ------------------------------------------------------------------------------------------ host by host */

typedef struct flow_ctx {
    steps *s;
    const demand *d;
} flow_ctx;

static void walk_one(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    flow_ctx *c = ctx;
    if (src != dst && c->d->row_of[src] != IK_NONE && c->d->row_of[dst] != IK_NONE) {
        walk_flow(c->s, src, dst, demand_amount(c->d, src, weight, scale), 1);
    }
}

static ik_status hosts_part(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    walks_job *j = ctx;
    steps *s = &j->threads[thread];
    const ik_traffic *t = j->job->d->t;
    uint64_t hosts = t->num_hosts, parts = j->job->num_parts;
    flow_ctx c = {s, j->job->d};
    (void)err;
    s->sums = &j->job->parts[index];
    s->whole = true;
    for (uint64_t src = hosts * index / parts; src < hosts * (index + 1) / parts; src++) {
        t->family->flows(t, (uint32_t)src, walk_one, &c);
    }
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------ switch by switch */

typedef struct row_ctx {
    walks_job *j;
    double *amount, *count; /* the row of the source's switch */
} row_ctx;

static void gather_one(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    row_ctx *c = ctx;
    const demand *d = c->j->job->d;
    if (src != dst && d->row_of[dst] != IK_NONE) {
        c->amount[d->row_of[dst]] += demand_amount(d, src, weight, scale);
        c->count[d->row_of[dst]] += 1;
    }
}

static ik_status gather_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    walks_job *j = ctx;
    const demand *d = j->job->d;
    row_ctx c = {j, j->amount + index * d->num_rows, j->count + index * d->num_rows};
    (void)thread;
    (void)err;
    for (uint32_t i = d->row_base[index]; i < d->row_base[index + 1]; i++) {
        d->t->family->flows(d->t, d->row_host[i], gather_one, &c);
    }
    return IK_OK;
}

static ik_status rows_part(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    walks_job *j = ctx;
    steps *s = &j->threads[thread];
    const demand *d = j->job->d;
    uint64_t rows = d->num_rows, parts = j->job->num_parts;
    (void)err;
    s->sums = &j->job->parts[index];
    s->whole = false;
    for (uint64_t a = rows * index / parts; a < rows * (index + 1) / parts; a++) {
        for (uint32_t b = 0; b < rows; b++) {
            double *amount = &j->amount[a * rows + b], count = j->count[a * rows + b];
            if (count > 0 && b != a) {
                s->arrived = 0;
                walk_flow(s, d->row_host[d->row_base[a]], d->row_host[d->row_base[b]], *amount, count);
                *amount = s->arrived > count * (1 - 1e-9) ? 1 : s->arrived / count; /* thirds do not add up to a whole */
            }
        }
    }
    return IK_OK;
}

/* The hosts' own channels, and the turns of flows that stay on their switch. */
static void book_ends(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    const walks_job *j = ctx;
    const load_job *job = j->job;
    const demand *d = job->d;
    if (src == dst || d->row_of[src] == IK_NONE || d->row_of[dst] == IK_NONE) {
        return;
    }
    const uint32_t ends[2] = {walk_injection(job->f, src), job->f->port_peer[walk_injection(job->f, dst)]};
    bool stays = d->row_of[src] == d->row_of[dst];
    double part = stays ? 1 : j->amount[(size_t)d->row_of[src] * d->num_rows + d->row_of[dst]];
    for (int i = 0; i < 2; i++) {
        job->parts[0].load[ends[i]] += part * demand_amount(d, src, weight, scale);
        job->parts[0].crossing[ends[i]] += part;
    }
    if (stays) {
        job->parts[0].turns[d->row_switch[d->row_of[src]]] += 1;
    }
}

static ik_status by_switches(walks_job *j, const ik_env *env, ik_error *err)
{
    const demand *d = j->job->d;
    size_t cells = (size_t)d->num_rows * d->num_rows;
    j->amount = ik_calloc(cells + 1, sizeof *j->amount);
    j->count = ik_calloc(cells + 1, sizeof *j->count);
    ik_status s = j->amount && j->count ? ik_parallel_for(env, "traffic matrix", d->num_rows, gather_row, j, err)
                                        : ik_fail_memory(err, cells * 16, "a traffic matrix");
    if (s == IK_OK) {
        s = ik_parallel_for(env, "channel loads", j->job->num_parts, rows_part, j, err);
    }
    for (uint32_t h = 0; s == IK_OK && h < d->t->num_hosts; h++) {
        d->t->family->flows(d->t, h, book_ends, j);
    }
    free(j->amount);
    free(j->count);
    return s;
}

static bool one_cable_each(const ik_fabric *f)
{
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        if (ik_host_cables(f, h) != 1) {
            return false;
        }
    }
    return true;
}

ik_status load_by_walks(load_job *job, const ik_env *env, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    walks_job j = {.job = job, .per_switch = (job->r->traits & IK_ROUTE_PER_SWITCH) && one_cable_each(job->f)};
    j.threads = ik_calloc(threads, sizeof *j.threads);
    ik_status s = j.threads ? IK_OK : ik_fail_memory(err, threads * sizeof *j.threads, "walks");
    for (unsigned i = 0; s == IK_OK && i < threads; i++) {
        s = steps_init(&j.threads[i], job->r, err);
    }
    if (s == IK_OK) {
        s = j.per_switch ? by_switches(&j, env, err) : ik_parallel_for(env, "channel loads", job->num_parts, hosts_part, &j, err);
    }
    for (unsigned i = 0; j.threads && i < threads; i++) {
        steps_free(&j.threads[i]);
    }
    free(j.threads);
    return s;
}
