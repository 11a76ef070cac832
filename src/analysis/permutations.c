/* SPDX-License-Identifier: Apache-2.0
 *
 * permutations.c: permutations of the hosts by contention level: all of them, or random ones.
 *
 * All: depth-first over the hosts, the channels' counts kept while going down and taken back while
 * going up, so that one permutation costs about e path walks, not N. Random: sample i is shuffled
 * by the random numbers of address i, so any thread may draw it; every sample counts its own
 * channels and clears them again.
 */
#include "analysis/walk.h"
#include "ikat/analysis.h"

#include <stdlib.h>
#include <string.h>

/* Switch-to-switch channels of one pair's path; false if the pair is not delivered. */
static bool permutations_inner_path(const walker *w, uint32_t src, uint32_t dst, uint32_t *channels,
                                    uint32_t *num)
{
    uint32_t length = walk_path(w, src, dst, 0, channels, WALK_MAX);
    *num = length > 2 ? length - 2 : 0;
    memmove(channels, channels + 1, *num * sizeof *channels);
    return length > 0;
}

static ik_status permutations_undelivered(const ik_routing *r, uint32_t src, uint32_t dst,
                                          ik_error *err)
{
    char a[96], b[96];
    return ik_fail(err, IK_ERR_FAILED, "routing '%s' does not deliver %s to %s", r->family->name,
                   ik_node_describe(r->fabric, ik_host_node(r->fabric, src), a, sizeof a),
                   ik_node_describe(r->fabric, ik_host_node(r->fabric, dst), b, sizeof b));
}

/* ------------------------------------------------------------------------------------------ all */

typedef struct enumeration {
    uint32_t hosts;
    uint32_t *path[IK_PERMUTATIONS_HOSTS][IK_PERMUTATIONS_HOSTS];
    uint32_t num[IK_PERMUTATIONS_HOSTS][IK_PERMUTATIONS_HOSTS];
    uint32_t *load; /* [num_ports] */
    uint64_t count[IK_PERMUTATIONS_HOSTS + 1];
    bool taken[IK_PERMUTATIONS_HOSTS];
} enumeration;

static void permutations_enumerate(enumeration *e, uint32_t src, uint32_t level)
{
    if (src == e->hosts) {
        e->count[level]++;
        return;
    }
    for (uint32_t dst = 0; dst < e->hosts; dst++) {
        uint32_t deeper = level;
        if (e->taken[dst])
            continue;
        e->taken[dst] = true;
        for (uint32_t i = 0; i < e->num[src][dst]; i++) {
            uint32_t load = ++e->load[e->path[src][dst][i]];
            deeper = load > deeper ? load : deeper;
        }
        permutations_enumerate(e, src + 1, deeper);
        for (uint32_t i = 0; i < e->num[src][dst]; i++)
            e->load[e->path[src][dst][i]]--;
        e->taken[dst] = false;
    }
}

static ik_status permutations_collect(enumeration *e, const walker *w, uint32_t *buffer,
                                      ik_error *err)
{
    for (uint32_t s = 0; s < e->hosts; s++) {
        for (uint32_t d = 0; d < e->hosts; d++) {
            uint32_t num = 0;
            if (s != d && !permutations_inner_path(w, s, d, buffer, &num))
                return permutations_undelivered(w->r, s, d, err);
            e->num[s][d] = num;
            e->path[s][d] = ik_calloc((size_t)num + 1, sizeof *buffer);
            if (!e->path[s][d])
                return ik_fail_memory(err, num * sizeof *buffer, "a path");
            memcpy(e->path[s][d], buffer, num * sizeof *buffer);
        }
    }
    return IK_OK;
}

static ik_status all_permutations(const walker *w, uint32_t *buffer, uint64_t *count, ik_error *err)
{
    const ik_fabric *f = w->r->fabric;
    if (f->num_hosts > IK_PERMUTATIONS_HOSTS) {
        ik_fail(err, IK_ERR_UNSUPPORTED, "%u hosts have too many permutations to try all of them",
                f->num_hosts);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "up to %d hosts; ask for random samples instead",
                       IK_PERMUTATIONS_HOSTS);
    }
    enumeration *e = ik_calloc(1, sizeof *e);
    if (!e)
        return ik_fail_memory(err, sizeof *e, "permutations");
    e->hosts = f->num_hosts;
    e->load = ik_calloc((size_t)f->num_ports + 1, sizeof *e->load);
    ik_status s = e->load ? permutations_collect(e, w, buffer, err)
                          : ik_fail_memory(err, (size_t)f->num_ports * 4, "channel loads");
    if (s == IK_OK) {
        permutations_enumerate(e, 0, 0);
        memcpy(count, e->count, (e->hosts + 1) * sizeof *count);
    }
    for (uint32_t i = 0; i < e->hosts; i++)
        for (uint32_t k = 0; k < e->hosts; k++)
            free(e->path[i][k]);
    free(e->load);
    free(e);
    return s;
}

/* ------------------------------------------------------------------------------------------ random
 * ones */

typedef struct sampler {
    walker w;
    uint32_t *buffer, *to, *load, *used; /* [WALK_MAX], [hosts], [ports], [ports] */
    uint64_t *count;                     /* [hosts + 1] */
} sampler;

typedef struct sampling {
    const ik_routing *r;
    sampler *threads;
    uint64_t seed, samples, chunks;
} sampling;

static ik_status permutations_one_sample(sampler *s, uint64_t seed, uint64_t index, ik_error *err)
{
    const ik_routing *r = s->w.r;
    uint32_t hosts = r->fabric->num_hosts, num_used = 0, level = 0;
    ik_rng rng = ik_rng_at(seed, IK_RNG_ANALYSIS, index);
    ik_status status = IK_OK;
    for (uint32_t h = 0; h < hosts; h++)
        s->to[h] = h;
    ik_rng_shuffle_u32(&rng, s->to, hosts);
    for (uint32_t h = 0; h < hosts && status == IK_OK; h++) {
        uint32_t num = 0;
        if (s->to[h] != h && !permutations_inner_path(&s->w, h, s->to[h], s->buffer, &num))
            status = permutations_undelivered(r, h, s->to[h], err);
        for (uint32_t i = 0; i < num; i++) {
            uint32_t load = ++s->load[s->buffer[i]];
            if (load == 1)
                s->used[num_used++] = s->buffer[i];
            level = load > level ? load : level;
        }
    }
    s->count[level]++;
    while (num_used)
        s->load[s->used[--num_used]] = 0;
    return status;
}

static ik_status permutations_sample_chunk(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    sampling *x = ctx;
    ik_status s = IK_OK;
    uint64_t first = x->samples * index / x->chunks, end = x->samples * (index + 1) / x->chunks;
    for (uint64_t i = first; i < end && s == IK_OK; i++)
        s = permutations_one_sample(&x->threads[thread], x->seed, i, err);
    return s;
}

static ik_status permutations_sampler_init(sampler *s, const ik_routing *r, ik_error *err)
{
    size_t ports = (size_t)r->fabric->num_ports + 1, hosts = (size_t)r->fabric->num_hosts + 1;
    ik_status status = walker_init(&s->w, r, err);
    if (status != IK_OK)
        return status;
    s->buffer = ik_calloc(WALK_MAX, sizeof *s->buffer);
    s->to = ik_calloc(hosts, sizeof *s->to);
    s->load = ik_calloc(ports, sizeof *s->load);
    s->used = ik_calloc(ports, sizeof *s->used);
    s->count = ik_calloc(hosts, sizeof *s->count);
    return s->buffer && s->to && s->load && s->used && s->count
               ? IK_OK
               : ik_fail_memory(err, ports * 8, "sampled permutations");
}

static void permutations_sampler_free(sampler *s)
{
    walker_free(&s->w);
    void *all[] = {s->buffer, s->to, s->load, s->used, s->count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static ik_status random_permutations(const ik_routing *r, uint64_t samples, const ik_env *env,
                                     uint64_t *count, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    sampling x = {.r = r,
                  .seed = env ? env->seed : 0,
                  .samples = samples,
                  .chunks = samples < 256 ? samples : 256};
    x.threads = ik_calloc(threads, sizeof *x.threads);
    ik_status s = x.threads
                      ? IK_OK
                      : ik_fail_memory(err, threads * sizeof *x.threads, "sampled permutations");
    for (unsigned i = 0; s == IK_OK && i < threads; i++)
        s = permutations_sampler_init(&x.threads[i], r, err);
    if (s == IK_OK)
        s = ik_parallel_for(env, "permutations", (size_t)x.chunks, permutations_sample_chunk, &x,
                            err);
    for (unsigned i = 0; x.threads && i < threads; i++) {
        for (uint32_t h = 0; s == IK_OK && h <= r->fabric->num_hosts; h++)
            count[h] += x.threads[i].count[h];
        permutations_sampler_free(&x.threads[i]);
    }
    free(x.threads);
    return s;
}

/* ------------------------------------------------------------------------------------------ */

static void permutations_conclude(ik_permutations *p, uint32_t hosts)
{
    double sum = 0;
    for (uint32_t c = 0; c <= hosts; c++) {
        if (p->count[c])
            p->num = c + 1;
        p->total += p->count[c];
        sum += (double)c * (double)p->count[c];
    }
    p->mean = p->total ? sum / (double)p->total : 0;
}

ik_status ik_permutations_measure(const ik_routing *r, uint64_t samples, const ik_env *env,
                                  ik_permutations *out, ik_error *err)
{
    uint32_t hosts = r->fabric->num_hosts, *buffer = NULL;
    walker w = {0};
    ik_permutations p = {.exhaustive = samples == 0};
    if (r->kind != IK_ROUTE_DETERMINISTIC) {
        return ik_fail(
            err, IK_ERR_UNSUPPORTED,
            "routing '%s' has several paths per pair: its permutations have no one contention",
            r->family->name);
    }
    if (r->rails) {
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "permutations are counted for hosts with one cable, and some have several");
    }
    p.count = ik_calloc((size_t)hosts + 1, sizeof *p.count);
    buffer = ik_calloc(WALK_MAX, sizeof *buffer);
    ik_status s = p.count && buffer ? walker_init(&w, r, err)
                                    : ik_fail_memory(err, (size_t)hosts * 8, "permutations");
    if (s == IK_OK) {
        s = samples ? random_permutations(r, samples, env, p.count, err)
                    : all_permutations(&w, buffer, p.count, err);
    }
    walker_free(&w);
    free(buffer);
    if (s == IK_OK) {
        permutations_conclude(&p, hosts);
        *out = p;
    } else {
        ik_permutations_free(&p);
    }
    return s;
}

void ik_permutations_free(ik_permutations *p)
{
    free(p->count);
    memset(p, 0, sizeof *p);
}
