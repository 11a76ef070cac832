/* SPDX-License-Identifier: Apache-2.0
 *
 * paths.h: the flows of one exchange with their paths, all in memory.
 */
#ifndef IK_PATHS_H
#define IK_PATHS_H

#include "analysis/shares.h"
#include "analysis/walk.h"
#include "ikat/analysis.h"
#include "routing/fluid.h"

typedef struct path_set {
    const ik_fabric *f;
    uint32_t num; /* delivered flows */
    uint64_t undelivered;
    uint32_t *src, *dst; /* [num] */
    size_t *base;        /* [num + 1] */
    /* [base[num]] injection … ejection; a flow with several paths: each channel once, injection
     * first */
    uint32_t *channel;
    /* [base[num]] part of the flow on the channel; NULL: no flow has several paths, all shares are
     * 1 */
    double *share;
    uint64_t split; /* flows with several paths */
    /* The shares are one of many divisions that queues may choose, between ways alike in length (no
     * bound follows) or also between minimal ways and detours (nothing follows). */
    bool by_queues, by_detours;
    /* [num] what each flow sends, of the largest one; NULL: all the same */
    double *size;
    /* how long the largest one takes at its source's rate, of the time in which a host sends all
     * that it could offer; 0 without sizes */
    double largest;
    double largest_bps; /* what the largest one sends where its host sends all that it can */
} path_set;

/* All flows s != d of t. Routings that are not deterministic divide a flow evenly among the initial
 * states, and at each switch among the allowed ports, as ik_load does; a flow that arrives only in
 * part counts as undelivered. */
ik_status paths_of_traffic(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                           path_set *out, ik_error *err);
/* The same with sizes, which are the flows' weights: a flow of weight/scale sends that part of what
 * its source's rate would send in a certain time, the same for all. Where their paths have more
 * than most_steps channels together, or need more memory than env's limit, there are none (num =
 * 0). */
ik_status paths_of_sizes(const ik_routing *r, const ik_traffic *t, size_t most_steps,
                         const ik_env *env, path_set *out, ik_error *err);
/* Host s sends to to[s] (IK_NONE or itself: silent). */
ik_status paths_of_map(const ik_routing *r, const uint32_t *to, const ik_env *env, path_set *out,
                       ik_error *err);
void paths_free(path_set *p);
/* ik_contention_measure where flows send their weights (see paths_of_sizes): fluid times are then
 * in units of the largest flow's time, which *largest is (path_set.largest). */
ik_status contention_of_sizes(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                              double *largest, ik_contention *out, ik_error *err);
/* Does the channel join two switches? */
static inline bool paths_path_inner(const ik_fabric *f, uint32_t channel)
{
    uint32_t to = ik_peer_node(f, channel);
    return ik_is_switch(f, f->port_node[channel]) && to != IK_NONE && ik_is_switch(f, to);
}
static inline double paths_path_share(const path_set *p, size_t step)
{
    return p->share ? p->share[step] : 1;
}
/* Effective bandwidth and efficiency of each flow, averaged over all flows and over those that
 * leave their switch; `flows` [num_ports] is what the channels carry, in flows. Means over no flow
 * are 1; NAN where the shares are by detours. */
typedef struct path_means {
    double bandwidth, efficiency, bandwidth_leaving, efficiency_leaving;
} path_means;
path_means paths_judge(const path_set *p, const double *flows);

static inline fluid_flows paths_as_flows(const path_set *p)
{
    return (fluid_flows){p->num, p->f->num_ports, p->base, p->channel, p->share, p->size};
}

/* Largest matching of a bipartite graph of `num` edges src[i] - dst[i]; numbers below `hosts`.
 * Reusable scratch. */
typedef struct matcher {
    uint32_t hosts;
    uint32_t *left_id, *right_id; /* [hosts] compact number + 1 in this call, 0 = none */
    uint32_t *base, *edge;        /* rows of the left side */
    uint32_t *mate_left, *mate_right, *queue, *level, *next;
    size_t room; /* edges */
} matcher;
ik_status matcher_init(matcher *m, uint32_t hosts, ik_error *err);
void matcher_free(matcher *m);
ik_status matcher_run(matcher *m, const path_set *p, const uint32_t *flows, size_t num,
                      uint32_t *size, ik_error *err);

#endif
