/* SPDX-License-Identifier: Apache-2.0
 *
 * paths.c: the flows of one exchange with their paths.
 */
#include "analysis/paths.h"
#include "analysis/load.h"
#include "base/array.h"
#include "routing/by_port.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a step of a path and a flow take at most while contention is measured: arrays that grow by
 * doubling, the flows by channel there and in the fluid model, and the flows' rates and sizes. */
enum { STEP_BYTES = 16, SHARED_STEP_BYTES = 48, FLOW_BYTES = 60 };

typedef struct collector {
    walker w;
    path_set set;
    uint64_t limit;    /* bytes */
    size_t most_steps; /* of all flows; full: there are more */
    bool full;
    size_t src_room, dst_room, base_room, channel_room, share_room, size_room;
    bool sized;
    double size;    /* of the flow at hand */
    uint32_t *path; /* [WALK_MAX] */
    bool shared;    /* flows may have several paths */
    shares sh;
    ik_status status;
    ik_error *err;
} collector;

static bool paths_reserve(collector *c, size_t flows, size_t steps)
{
    path_set *s = &c->set;
    return IK_ARRAY_ROOM(s->src, c->src_room, flows + 1) &&
           IK_ARRAY_ROOM(s->dst, c->dst_room, flows + 1) &&
           IK_ARRAY_ROOM(s->base, c->base_room, flows + 1) &&
           IK_ARRAY_ROOM(s->channel, c->channel_room, steps + 1) &&
           (!c->sized || IK_ARRAY_ROOM(s->size, c->size_room, flows + 1)) &&
           (!c->shared || IK_ARRAY_ROOM(s->share, c->share_room, steps + 1));
}

/* Room for one more flow of so many channels. */
static bool paths_make_room(collector *c, uint32_t length)
{
    path_set *s = &c->set;
    size_t steps = (s->num ? s->base[s->num] : 0) + length,
           step_bytes = c->shared ? SHARED_STEP_BYTES : STEP_BYTES;
    bool fits = steps <= UINT32_MAX && steps * step_bytes + (size_t)s->num * FLOW_BYTES <= c->limit;
    c->full |= c->most_steps != SIZE_MAX && (!fits || steps > c->most_steps);
    if (c->full)
        return false;
    if (!fits) {
        c->status = ik_fail(c->err, IK_ERR_MEMORY,
                            "the paths of this pattern would need more than %llu bytes",
                            (unsigned long long)c->limit);
        ik_hint(c->err, c->status,
                "channel loads need no paths; contention suits patterns with few flows per host");
        return false;
    }
    if (!paths_reserve(c, (size_t)s->num + 1, steps)) {
        c->status = ik_fail_memory(c->err, steps * step_bytes, "paths");
        return false;
    }
    return true;
}

static void paths_end_flow(collector *c, uint32_t src, uint32_t dst, size_t steps)
{
    path_set *s = &c->set;
    if (c->sized)
        s->size[s->num] = c->size;
    s->src[s->num] = src;
    s->dst[s->num] = dst;
    s->base[++s->num] = steps;
}

static void paths_add_shares(collector *c, uint32_t src, uint32_t dst)
{
    path_set *s = &c->set;
    uint32_t length = shares_of_flow(&c->sh, src, dst);
    if (length == 0) {
        s->undelivered++;
        return;
    }
    if (!paths_make_room(c, length))
        return;
    size_t at = s->base[s->num];
    bool split = false;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t port = c->sh.touched[i];
        double share = c->sh.sums.crossing[port];
        s->channel[at + i] = port;
        s->share[at + i] = share > 1 - 1e-9 ? 1 : share; /* thirds do not add up to a whole */
        split = split || share <= 1 - 1e-9;
    }
    s->split += split;
    paths_end_flow(c, src, dst, at + length);
}

static void paths_add_path(collector *c, uint32_t src, uint32_t dst)
{
    path_set *s = &c->set;
    if (c->status != IK_OK || c->full || src == dst)
        return;
    if (c->shared) {
        paths_add_shares(c, src, dst);
        return;
    }
    assert(walk_num_starts(c->w.r, src, dst) <= 1);
    uint32_t length = walk_path(&c->w, src, dst, 0, c->path, WALK_MAX);
    if (length == 0) {
        s->undelivered++;
        return;
    }
    if (paths_make_room(c, length)) {
        size_t at = s->base[s->num];
        memcpy(s->channel + at, c->path, length * sizeof *c->path);
        paths_end_flow(c, src, dst, at + length);
    }
}

static void paths_add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    collector *c = ctx;
    if (c->sized)
        c->size = (double)weight / (double)scale * (double)by_port_rate_bps(c->set.f, src);
    paths_add_path(c, src, dst);
}

static ik_status paths_collector_init(collector *c, const ik_routing *r, const ik_env *env,
                                      ik_error *err)
{
    *c = (collector){.err = err,
                     .set = {.f = r->fabric},
                     .shared = r->kind != IK_ROUTE_DETERMINISTIC,
                     .most_steps = SIZE_MAX};
    c->limit = env && env->memory_limit_bytes ? env->memory_limit_bytes : (uint64_t)4 << 30;
    c->path = ik_calloc(WALK_MAX, sizeof *c->path);
    ik_status s = walker_init(&c->w, r, err);
    if (s == IK_OK && c->shared)
        s = shares_init(&c->sh, r, err);
    if (s == IK_OK && (!c->path || !paths_reserve(c, 1, 1)))
        s = ik_fail_memory(err, WALK_MAX * sizeof *c->path, "a path");
    if (s == IK_OK)
        c->set.base[0] = 0;
    return s;
}

static ik_status collector_finish(collector *c, ik_status s, path_set *out)
{
    if (s == IK_OK) {
        if (c->set.split == 0) {
            free(c->set.share);
            c->set.share = NULL;
        }
        c->set.by_queues = c->set.split && c->w.r->kind == IK_ROUTE_ADAPTIVE;
        c->set.by_detours = c->set.split && ik_load_chooses_detours(c->w.r);
        *out = c->set;
    } else {
        paths_free(&c->set);
    }
    walker_free(&c->w);
    shares_free(&c->sh);
    free(c->path);
    return s;
}

/* Makes the largest size 1. */
static void paths_scale_sizes(path_set *p)
{
    uint64_t reference = 0;
    double largest = 0;
    for (uint32_t f = 0; f < p->num; f++) {
        uint64_t rate = ik_port_rate_bps(p->f, p->channel[p->base[f]]);
        reference = rate > reference ? rate : reference;
        largest = p->size[f] > largest ? p->size[f] : largest;
    }
    for (uint32_t f = 0; f < p->num; f++)
        p->size[f] /= largest;
    p->largest = reference ? largest / (double)reference : 0;
    p->largest_bps = largest;
}

static ik_status paths_collect(const ik_routing *r, const ik_traffic *t, bool sized,
                               size_t most_steps, const ik_env *env, path_set *out, ik_error *err)
{
    collector c;
    ik_status s = paths_collector_init(&c, r, env, err);
    c.sized = sized;
    c.most_steps = most_steps;
    if (s == IK_OK && !paths_reserve(&c, 1, 1))
        s = ik_fail_memory(err, sizeof(double), "sizes of flows");
    for (uint32_t h = 0; s == IK_OK && !c.full && h < t->num_hosts; h++) {
        t->family->flows(t, h, paths_add_flow, &c);
        s = ik_env_cancelled(env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : c.status;
    }
    s = collector_finish(&c, s, out);
    if (s == IK_OK && c.full)
        paths_free(out);
    if (s == IK_OK && sized)
        paths_scale_sizes(out);
    return s;
}

ik_status paths_of_traffic(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                           path_set *out, ik_error *err)
{
    return paths_collect(r, t, false, SIZE_MAX, env, out, err);
}

ik_status paths_of_sizes(const ik_routing *r, const ik_traffic *t, size_t most_steps,
                         const ik_env *env, path_set *out, ik_error *err)
{
    return paths_collect(r, t, true, most_steps, env, out, err);
}

ik_status paths_of_map(const ik_routing *r, const uint32_t *to, const ik_env *env, path_set *out,
                       ik_error *err)
{
    collector c;
    ik_status s = paths_collector_init(&c, r, env, err);
    for (uint32_t h = 0; s == IK_OK && h < r->fabric->num_hosts; h++) {
        if (to[h] != IK_NONE) {
            paths_add_path(&c, h, to[h]);
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
    free(p->share);
    free(p->size);
    memset(p, 0, sizeof *p);
}

path_means paths_judge(const path_set *p, const double *flows)
{
    path_means sum = {0}, mean = {1, 1, 1, 1};
    double leaving = 0;
    if (p->by_detours)
        return (path_means){NAN, NAN, NAN, NAN};
    for (uint32_t f = 0; f < p->num; f++) {
        double fullest = 1, hops = 0;
        for (size_t i = p->base[f]; i < p->base[f + 1]; i++) {
            if (paths_path_inner(p->f, p->channel[i])) {
                fullest = flows[p->channel[i]] > fullest ? flows[p->channel[i]] : fullest;
                hops += paths_path_share(p, i);
            }
        }
        if (hops > 0) {
            sum.bandwidth_leaving += 1 / fullest;
            sum.efficiency_leaving += 1 / hops;
            leaving++;
        }
    }
    if (p->num) {
        mean.bandwidth = (sum.bandwidth_leaving + p->num - leaving) / p->num;
        mean.efficiency = (sum.efficiency_leaving + p->num - leaving) / p->num;
    }
    if (leaving > 0) {
        mean.bandwidth_leaving = sum.bandwidth_leaving / leaving;
        mean.efficiency_leaving = sum.efficiency_leaving / leaving;
    }
    return mean;
}
