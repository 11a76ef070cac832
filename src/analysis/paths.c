/* SPDX-License-Identifier: Apache-2.0
 *
 * paths.c: the flows of one exchange with their paths.
 */
#include "analysis/paths.h"

#include <stdlib.h>
#include <string.h>

typedef struct collector {
    walker w;
    path_set set;
    uint64_t seed, limit; /* bytes */
    size_t flow_room, step_room;
    uint32_t *path; /* [WALK_MAX] */
    ik_status status;
    ik_error *err;
} collector;

static void *grow(void *old, size_t *room, size_t need, size_t size)
{
    size_t wanted = *room ? *room : 1024;
    while (wanted < need) {
        wanted *= 2;
    }
    void *grown = realloc(old, wanted * size);
    if (grown) {
        *room = wanted;
    }
    return grown;
}

static bool reserve(collector *c, size_t flows, size_t steps)
{
    path_set *s = &c->set;
    if (flows + 1 > c->flow_room || !s->base) {
        size_t a = c->flow_room, b = c->flow_room, d = c->flow_room;
        uint32_t *src = grow(s->src, &a, flows + 1, sizeof *src);
        s->src = src ? src : s->src;
        uint32_t *dst = grow(s->dst, &b, flows + 1, sizeof *dst);
        s->dst = dst ? dst : s->dst;
        size_t *base = grow(s->base, &d, flows + 1, sizeof *base);
        s->base = base ? base : s->base;
        if (!src || !dst || !base) {
            return false;
        }
        c->flow_room = a;
    }
    if (steps > c->step_room || !s->channel) {
        uint32_t *channel = grow(s->channel, &c->step_room, steps, sizeof *channel);
        s->channel = channel ? channel : s->channel;
        return channel != NULL;
    }
    return true;
}

static void add_path(collector *c, uint32_t src, uint32_t dst)
{
    path_set *s = &c->set;
    uint32_t starts = walk_num_starts(c->w.r, src, dst), n = 0;
    if (c->status != IK_OK || src == dst) {
        return;
    }
    if (starts > 1) {
        n = ik_random_below(c->seed, IK_RNG_ANALYSIS, src, dst, starts);
    }
    uint32_t length = starts ? walk_path(&c->w, src, dst, n, c->path, WALK_MAX) : 0;
    if (length == 0) {
        s->undelivered++;
        return;
    }
    size_t have = s->num ? s->base[s->num] : 0, steps = have + length;
    if (steps > UINT32_MAX || steps * sizeof(uint32_t) + (size_t)s->num * 16 > c->limit) {
        c->status = ik_fail(c->err, IK_ERR_MEMORY, "the paths of this pattern would need more than %llu bytes",
                            (unsigned long long)c->limit);
        ik_hint(c->err, c->status, "channel loads need no paths; contention suits patterns with few flows a host");
        return;
    }
    if (!reserve(c, (size_t)s->num + 1, steps)) {
        c->status = ik_fail_memory(c->err, steps * sizeof *s->channel, "paths");
        return;
    }
    memcpy(s->channel + have, c->path, length * sizeof *c->path);
    s->src[s->num] = src;
    s->dst[s->num] = dst;
    s->base[s->num] = have;
    s->base[++s->num] = steps;
}

static void add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    (void)weight;
    (void)scale;
    add_path(ctx, src, dst);
}

static ik_status collector_init(collector *c, const ik_routing *r, const ik_env *env, ik_error *err)
{
    *c = (collector){.seed = env ? env->seed : 0, .err = err, .set = {.f = r->fabric}};
    c->limit = env && env->memory_limit_bytes ? env->memory_limit_bytes : (uint64_t)4 << 30;
    c->path = ik_calloc(WALK_MAX, sizeof *c->path);
    ik_status s = walker_init(&c->w, r, err);
    if (s == IK_OK && (!c->path || !reserve(c, 1, 1))) {
        s = ik_fail_memory(err, WALK_MAX * sizeof *c->path, "a path");
    }
    if (s == IK_OK) {
        c->set.base[0] = 0;
    }
    return s;
}

static ik_status collector_finish(collector *c, ik_status s, path_set *out)
{
    walker_free(&c->w);
    free(c->path);
    if (s == IK_OK) {
        *out = c->set;
    } else {
        paths_free(&c->set);
    }
    return s;
}

ik_status paths_of_traffic(const ik_routing *r, const ik_traffic *t, const ik_env *env, path_set *out, ik_error *err)
{
    collector c;
    ik_status s = collector_init(&c, r, env, err);
    for (uint32_t h = 0; s == IK_OK && h < t->num_hosts; h++) {
        t->family->flows(t, h, add_flow, &c);
        s = ik_env_cancelled(env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : c.status;
    }
    return collector_finish(&c, s, out);
}

ik_status paths_of_map(const ik_routing *r, const uint32_t *to, const ik_env *env, path_set *out, ik_error *err)
{
    collector c;
    ik_status s = collector_init(&c, r, env, err);
    for (uint32_t h = 0; s == IK_OK && h < r->fabric->num_hosts; h++) {
        if (to[h] != IK_NONE) {
            add_path(&c, h, to[h]);
            s = c.status;
        }
    }
    return collector_finish(&c, s, out);
}

void paths_free(path_set *p)
{
    free(p->src);
    free(p->dst);
    free(p->base);
    free(p->channel);
    memset(p, 0, sizeof *p);
}
