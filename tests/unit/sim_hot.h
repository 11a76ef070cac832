/* SPDX-License-Identifier: Apache-2.0
 *
 * A traffic of senders that share one hot host and each have a cold one of their own. */
#ifndef SIM_HOT_H
#define SIM_HOT_H

#include "sim_flow.h"

/* Of every `cycle` messages of host s < senders one goes to host hot + 1 + spread * s, the others
 * to host hot. */
typedef struct incast {
    uint32_t senders, hot, spread, cycle;
} incast;

static inline uint32_t incast_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const incast *in = t->impl;
    if (src >= in->senders)
        return IK_NONE;
    return n % in->cycle ? in->hot : in->hot + 1 + in->spread * src;
}

static inline void incast_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const incast *in = t->impl;
    if (src < in->senders) {
        fn(ctx, src, in->hot, in->cycle - 1, in->cycle);
        fn(ctx, src, in->hot + 1 + in->spread * src, 1, in->cycle);
    }
}

static const ik_traffic_family incast_family = {
    .name = "incast", .summary = "most to one host", .dest = incast_dest, .flows = incast_flows};

/* Bytes that the cold hosts (cold) or the hot one accept, as a fraction of the senders' links; 100
 * Gb/s. */
typedef struct shares {
    double cold, hot;
} shares;

static inline shares run_incast(const scenario *c, incast in)
{
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    assert_int_equal(ik_fabric_from_spec(c->fabric, NULL, &f, NULL), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, c->routing, c->vc, NULL, c->num_vcs, NULL, &plan, NULL),
                     IK_OK);
    ik_traffic traffic = {
        .family = &incast_family, .fabric = f, .num_hosts = f->num_hosts, .seed = 1, .impl = &in};
    ik_sim_result r = run_planned(plan, &traffic, c);
    shares got = {0, 0};
    double whole = in.senders * 12.5 * (double)r.window_ps / 1000;
    for (uint32_t s = 0; s < in.senders; s++)
        got.cold += (double)r.host_bytes[in.hot + 1 + in.spread * s] / whole;
    got.hot = (double)r.host_bytes[in.hot] / whole;
    sim_result_clear(&r);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return got;
}

static inline void expect_near(const char *what, double got, double expect, double tolerance)
{
    if (got < expect - tolerance || got > expect + tolerance)
        fail_msg("%s: %.5f, expected %.5f within %.5f", what, got, expect, tolerance);
}

#endif
