/* SPDX-License-Identifier: Apache-2.0
 *
 * A traffic of a single flow, and runs over a plan that is already there. */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include "sim_helper.h"

/* Host src sends `messages` messages to dst, every other host is silent. */
typedef struct flow {
    uint32_t src, dst;
    uint64_t messages;
} flow;

static inline uint32_t flow_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const flow *f = t->impl;
    return src == f->src && n < f->messages ? f->dst : IK_NONE;
}

static inline void flow_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const flow *f = t->impl;
    if (src == f->src)
        fn(ctx, src, f->dst, 1, 1);
}

static const ik_traffic_family flow_family = {.name = "flow",
                                              .summary = "one flow",
                                              .dest = flow_dest,
                                              .flows = flow_flows,
                                              .permutation = true};

static inline ik_traffic flow_traffic(const ik_fabric *f, flow *one)
{
    return (ik_traffic){
        .family = &flow_family, .fabric = f, .num_hosts = f->num_hosts, .seed = 1, .impl = one};
}

/* Runs the traffic over the plan with the sections of c. Errors fail the test. */
static inline ik_sim_result run_planned(const ik_plan *plan, const ik_traffic *traffic,
                                        const scenario *c)
{
    ik_error err = {0};
    ik_sim_result r = {0};
    if (run_plan(plan, traffic, c, &r, &err) != IK_OK)
        fail_msg("%s (%s)", err.text, err.hint);
    return r;
}

#endif
