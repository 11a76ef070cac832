/* SPDX-License-Identifier: Apache-2.0
 *
 * load_trees.c: channel loads under destination-based routings.
 *
 * The routes to one destination form a tree (deterministic) or an acyclic graph (adaptive). It is found from the switches that
 * offer something, ordered (Kahn), pruned backwards of what does not reach the destination, and then the offers flow through it
 * in order, each switch once: O(switches) a destination instead of O(sources * hops). Offers stand in a matrix of switches by
 * destinations, a block of destinations at a time.
 */
#include "analysis/load.h"

#include <stdlib.h>
#include <string.h>

/* The matrix of a block may take this much. */
#define BLOCK_BYTES ((size_t)256 << 20)

/* One thread's picture of the routes to one destination. All arrays [num_switches], cleared through `order` after use. */
typedef struct picture {
    walker w;
    uint32_t *order; /* visited switches, later in topological order */
    uint32_t *work;
    uint32_t num;
    uint32_t *indegree;
    uint32_t *out_first, *out_num; /* into outs */
    uint32_t *outs;                /* [switch ports] channels */
    uint32_t num_outs;
    uint8_t *seen, *good;
    double *amount, *count, *up; /* what flows through; up: the part of count that has not turned down yet */
} picture;

typedef struct trees_job {
    load_job *job;
    picture *pictures; /* [threads] */
    uint32_t first, end;
    const double *amount;
    const uint32_t *count;
} trees_job;

static void picture_free(picture *p)
{
    walker_free(&p->w);
    void *all[] = {p->order, p->work, p->indegree, p->out_first, p->out_num, p->outs,
                   p->seen,  p->good, p->amount,   p->count,     p->up};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static ik_status picture_init(picture *p, const ik_routing *r, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    size_t n = (size_t)f->num_switches + 1, ports = (size_t)f->port_base[f->num_switches] + 1;
    ik_status s = walker_init(&p->w, r, err);
    if (s != IK_OK) {
        return s;
    }
    uint32_t **words[] = {&p->order, &p->work, &p->indegree, &p->out_first, &p->out_num};
    double **reals[] = {&p->amount, &p->count, &p->up};
    bool ok = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ok = (*words[i] = ik_calloc(n, sizeof(uint32_t))) && ok;
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        ok = (*reals[i] = ik_calloc(n, sizeof(double))) && ok;
    }
    p->outs = ik_calloc(ports, sizeof *p->outs);
    p->seen = ik_calloc(n, 1);
    p->good = ik_calloc(n, 1);
    return ok && p->outs && p->seen && p->good ? IK_OK : ik_fail_memory(err, n * 46 + ports * 4, "the routes to a destination");
}

static void visit(picture *p, uint32_t sw)
{
    if (!p->seen[sw]) {
        p->seen[sw] = 1;
        p->order[p->num++] = sw;
    }
}

/* Visits what lies behind the offering switches and notes each switch's outputs. */
static void explore(picture *p, const trees_job *t, uint32_t dst)
{
    const demand *d = t->job->d;
    const ik_fabric *f = t->job->f;
    size_t width = t->end - t->first;
    p->num = p->num_outs = 0;
    for (uint32_t row = 0; row < d->num_rows; row++) {
        size_t cell = row * width + dst - t->first;
        if (t->count[cell]) {
            uint32_t sw = d->row_switch[row];
            visit(p, sw);
            p->amount[sw] = t->amount[cell];
            p->count[sw] = p->up[sw] = t->count[cell];
            p->work[sw] = f->port_peer[walk_injection(f, d->row_host[d->row_base[row]])];
        }
    }
    for (uint32_t i = 0; i < p->num; i++) {
        uint32_t sw = p->order[i];
        ik_packet pk;
        walk_start(t->job->r, d->row_host[d->row_base[0]], dst, 0, &pk);
        uint32_t n = walk_next(&p->w, sw, p->work[sw], &pk);
        p->out_first[sw] = p->num_outs;
        p->out_num[sw] = n;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t port = p->w.ports[k], to = ik_peer_node(f, port);
            p->outs[p->num_outs++] = port;
            if (to != IK_NONE && ik_is_switch(f, to)) {
                p->work[to] = p->seen[to] ? p->work[to] : f->port_peer[port];
                visit(p, to);
                p->indegree[to]++;
            }
        }
    }
}

/* Reorders `order` topologically; switches on or behind a loop that nothing leaves stay out. Returns how many are ordered. */
static uint32_t sort_switches(picture *p, const ik_fabric *f)
{
    uint32_t tail = 0;
    for (uint32_t i = 0; i < p->num; i++) {
        if (p->indegree[p->order[i]] == 0) {
            p->work[tail++] = p->order[i];
        }
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t sw = p->work[head];
        for (uint32_t k = 0; k < p->out_num[sw]; k++) {
            uint32_t to = ik_peer_node(f, p->outs[p->out_first[sw] + k]);
            if (to != IK_NONE && ik_is_switch(f, to) && --p->indegree[to] == 0) {
                p->work[tail++] = to;
            }
        }
    }
    return tail;
}

/* Keeps, switch by switch from the far end, the outputs that reach dst. */
static void prune(picture *p, const ik_fabric *f, uint32_t ordered, uint32_t dst)
{
    for (uint32_t i = ordered; i-- > 0;) {
        uint32_t sw = p->work[i], kept = 0, *outs = p->outs + p->out_first[sw];
        for (uint32_t k = 0; k < p->out_num[sw]; k++) {
            uint32_t to = ik_peer_node(f, outs[k]);
            if (to != IK_NONE && (ik_is_switch(f, to) ? p->good[to] : to == ik_host_node(f, dst))) {
                outs[kept++] = outs[k];
            }
        }
        p->out_num[sw] = kept;
        p->good[sw] = kept > 0;
    }
}

static void let_flow(picture *p, const ik_fabric *f, uint32_t ordered, load_sums *sums)
{
    for (uint32_t i = 0; i < ordered; i++) {
        uint32_t sw = p->work[i], n = p->out_num[sw];
        for (uint32_t k = 0; k < n; k++) {
            uint32_t port = p->outs[p->out_first[sw] + k], to = ik_peer_node(f, port);
            double amount = p->amount[sw], count = p->count[sw], up = p->up[sw];
            if (n > 1) {
                amount /= n;
                count /= n;
                up /= n;
            }
            sums->load[port] += amount;
            sums->crossing[port] += count;
            if (!load_goes_up(f, port)) {
                sums->turns[sw] += up;
                up = 0;
            }
            if (ik_is_switch(f, to)) {
                p->amount[to] += amount;
                p->count[to] += count;
                p->up[to] += up;
            }
        }
    }
}

/* Notes the rows whose offers to dst do not arrive; there are few as a rule, so that most destinations need no room for them. */
static ik_status note_lost(const picture *p, const trees_job *t, uint32_t dst, ik_error *err)
{
    const demand *d = t->job->d;
    size_t width = t->end - t->first;
    uint8_t **lost = &t->job->lost[dst];
    for (uint32_t row = 0; row < d->num_rows; row++) {
        if (t->count[row * width + dst - t->first] == 0 || p->good[d->row_switch[row]]) {
            continue;
        }
        if (!*lost) {
            *lost = ik_calloc((size_t)d->num_rows / 8 + 1, 1);
        }
        if (!*lost) {
            return ik_fail_memory(err, d->num_rows / 8, "flows that do not arrive");
        }
        (*lost)[row / 8] |= (uint8_t)(1 << row % 8);
    }
    return IK_OK;
}

static void clear(picture *p)
{
    for (uint32_t i = 0; i < p->num; i++) {
        uint32_t sw = p->order[i];
        p->indegree[sw] = 0;
        p->seen[sw] = p->good[sw] = 0;
        p->amount[sw] = p->count[sw] = p->up[sw] = 0;
    }
}

static ik_status load_part(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    trees_job *t = ctx;
    picture *p = &t->pictures[thread];
    uint64_t width = t->end - t->first, parts = t->job->num_parts;
    uint32_t first = t->first + (uint32_t)(width * index / parts), end = t->first + (uint32_t)(width * (index + 1) / parts);
    ik_status status = IK_OK;
    for (uint32_t dst = first; dst < end && status == IK_OK; dst++) {
        if (t->job->d->row_of[dst] == IK_NONE) {
            continue;
        }
        explore(p, t, dst);
        uint32_t ordered = sort_switches(p, t->job->f);
        prune(p, t->job->f, ordered, dst);
        let_flow(p, t->job->f, ordered, &t->job->parts[index]);
        status = note_lost(p, t, dst, err);
        clear(p);
    }
    return status;
}

static ik_status load_blocks(trees_job *t, double *amount, uint32_t *count, uint32_t width, const ik_env *env, ik_error *err)
{
    uint32_t hosts = t->job->f->num_hosts;
    ik_status s = IK_OK;
    t->amount = amount;
    t->count = count;
    for (uint32_t first = 0; s == IK_OK && first < hosts; first += width) {
        t->first = first;
        t->end = hosts - first > width ? first + width : hosts;
        s = demand_fill(t->job->d, t->first, t->end, env, amount, count, err);
        if (s == IK_OK) {
            s = ik_parallel_for(env, "channel loads", t->job->num_parts, load_part, t, err);
        }
    }
    return s;
}

ik_status load_by_trees(load_job *job, const ik_env *env, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    size_t rows = job->d->num_rows, row_bytes = (sizeof(double) + sizeof(uint32_t)) * (rows ? rows : 1);
    size_t width = BLOCK_BYTES / row_bytes + 1;
    if (rows == 0) {
        return IK_OK;
    }
    width = width < job->f->num_hosts ? width : job->f->num_hosts;
    trees_job t = {.job = job};
    double *amount = ik_calloc(rows * width, sizeof *amount);
    uint32_t *count = ik_calloc(rows * width, sizeof *count);
    t.pictures = ik_calloc(threads, sizeof *t.pictures);
    ik_status s = amount && count && t.pictures ? IK_OK : ik_fail_memory(err, width * row_bytes, "a traffic matrix");
    for (unsigned i = 0; s == IK_OK && i < threads; i++) {
        s = picture_init(&t.pictures[i], job->r, err);
    }
    if (s == IK_OK) {
        s = load_blocks(&t, amount, count, (uint32_t)width, env, err);
    }
    for (unsigned i = 0; t.pictures && i < threads; i++) {
        picture_free(&t.pictures[i]);
    }
    free(t.pictures);
    free(amount);
    free(count);
    return s;
}
