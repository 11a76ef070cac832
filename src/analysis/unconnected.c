/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows of a pattern between hosts that the fabric does not connect: no routing can deliver them.
 */
#include "ikat/analysis.h"

typedef struct flow_count {
    const ik_parts *parts;
    uint64_t unconnected;
} flow_count;

static void unconnected_count_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                   uint64_t scale)
{
    flow_count *c = ctx;
    (void)weight;
    (void)scale;
    c->unconnected += src != dst && !ik_parts_join(c->parts, src, dst);
}

ik_status ik_flows_unconnected(const ik_traffic *t, uint64_t *flows, ik_error *err)
{
    ik_reach reach;
    ik_parts parts;
    ik_status status = ik_reach_measure(t->fabric, &reach, err);
    flow_count count = {.parts = &parts};
    if (status == IK_OK && (reach.unconnected > 0 || reach.uncabled > 0)) {
        status = ik_parts_find(t->fabric, &parts, err);
        for (uint32_t src = 0; status == IK_OK && src < t->num_hosts; src++)
            t->family->flows(t, src, unconnected_count_flow, &count);
        if (status == IK_OK)
            ik_parts_free(&parts);
    }
    if (status == IK_OK)
        *flows = count.unconnected;
    return status;
}
