/* SPDX-License-Identifier: Apache-2.0
 *
 * fluid.h: how long flows take that share channels max-min fairly: what `ikat load`
 * prints and what routes made for a pattern are judged by.
 */
#ifndef IKAT_ROUTING_FLUID_H
#define IKAT_ROUTING_FLUID_H

#include "ikat/fabric.h"

#include <assert.h>

/* Flows and the channels that each crosses. */
typedef struct fluid_flows {
    uint32_t num, num_channels;
    const size_t *base;      /* [num + 1] */
    const uint32_t *channel; /* [base[num]] */
    /* [base[num]] the part of a flow that crosses the channel; NULL: all of it, everywhere */
    const double *share;
    const double *size; /* [num] above 0, at most 1; NULL: all are 1 */
} fluid_flows;
static inline double fluid_share(const fluid_flows *f, size_t step)
{
    assert(step < f->base[f->num]);
    return f->share ? f->share[step] : 1;
}

/* Flows by channel: flow[base[c]] … flow[base[c + 1] - 1], ascending. */
typedef struct channel_flows {
    size_t *base; /* [num_channels + 1] */
    uint32_t *flow;
    double *share; /* beside flow; NULL: all are 1 */
} channel_flows;
static inline double fluid_channel_share(const channel_flows *c, size_t i)
{
    return c->share ? c->share[i] : 1;
}
ik_status channel_flows_of(const fluid_flows *flows, channel_flows *out, ik_error *err);
void channel_flows_free(channel_flows *c);

/* Capacities of the fabric's channels [num_ports] in units of the fastest channel by which a flow
 * starts; 0 without a cable. */
void fluid_capacities(const ik_fabric *f, const fluid_flows *flows, double *capacity);

typedef struct fluid_result {
    double time;  /* when the last flow is done; NAN if that would take more than max_steps */
    double steps; /* of paths over which rates were given, all rounds together */
} fluid_result;
/* A flow of rate x puts x times its share on each of its channels. Flows over channels of
 * capacity[num_channels], INFINITY = no limit; each flow crosses a channel with a limit. done:
 * [num] when each flow is done, may be NULL. */
ik_status fluid_complete(const fluid_flows *flows, const double *capacity, double max_steps,
                         double *done, fluid_result *out, ik_error *err);

#endif
