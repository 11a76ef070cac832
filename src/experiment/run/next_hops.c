/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/next_hops.c: measure `next`: where the switch of a source sends the traffic, and
 * whether its table has an entry for the destination. Traffic of one flow asks about one pair.
 */
#include "analysis/walk.h"
#include "experiment/run/statics.h"

#include <assert.h>

/* No switch was found yet. */
static const uint32_t next_hops_nowhere = IK_NONE - 1;

typedef struct next_hops {
    walker walk;
    uint32_t next; /* the switch that all flows go to so far; IK_NONE = several, or none of some */
    uint64_t flows, entries; /* between hosts of two switches; those with an entry of their own */
} next_hops;

static void next_hops_join(next_hops *n, uint32_t sw)
{
    n->next = n->next == next_hops_nowhere || n->next == sw ? sw : IK_NONE;
}

static bool next_hops_has_entry(const ik_routing *r, uint32_t sw, uint32_t target)
{
    ik_table_entry entry;
    for (uint32_t e = 0, num = r->family->num_entries(r, sw); e < num; e++) {
        r->family->entry_nth(r, sw, e, &entry);
        if (entry.target == target)
            return true;
    }
    return false;
}

/* All ports that a packet may take at its first switch, from every initial state. */
static void next_hops_of_pair(next_hops *n, uint32_t src, uint32_t dst, uint32_t port)
{
    const ik_routing *r = n->walk.r;
    uint32_t in_port = r->fabric->port_peer[port], sw = r->fabric->port_node[in_port];
    for (uint32_t s = 0, starts = walk_num_starts(r, src, dst); s < starts; s++) {
        ik_packet pk;
        walk_start(r, src, dst, s, &pk);
        walk_advance(r->fabric, port, &pk);
        uint32_t num = walk_next(&n->walk, sw, in_port, &pk);
        for (uint32_t i = 0; i < num; i++)
            next_hops_join(n, ik_peer_node(r->fabric, n->walk.ports[i]));
        if (num == 0)
            next_hops_join(n, IK_NONE);
    }
}

static void next_hops_add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                               uint64_t scale)
{
    next_hops *n = ctx;
    const ik_routing *r = n->walk.r;
    uint32_t from = walk_injection(r->fabric, src), to = walk_injection(r->fabric, dst);
    (void)weight, (void)scale;
    if (from == IK_NONE || to == IK_NONE)
        return;
    uint32_t sw = ik_peer_node(r->fabric, from), target = ik_peer_node(r->fabric, to);
    if (sw == target)
        return;
    n->flows++;
    n->entries += r->family->num_entries && next_hops_has_entry(r, sw, target);
    if (n->next != IK_NONE)
        next_hops_of_pair(n, src, dst, from);
}

ik_status statics_measure_next(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                               statics *out, ik_error *err)
{
    const ik_routing *r = plan->routing;
    next_hops n = {.next = next_hops_nowhere};
    assert(t->num_hosts == t->fabric->num_hosts);
    if (ik_fabric_has_rails(t->fabric))
        return IK_OK; /* their first switch is a choice of its own */
    ik_status status = walker_init(&n.walk, r, err);
    if (status != IK_OK)
        return status;
    for (uint32_t src = 0; status == IK_OK && src < t->num_hosts; src++) {
        t->family->flows(t, src, next_hops_add_flow, &n);
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    walker_free(&n.walk);
    if (status != IK_OK)
        return status;
    if (n.flows && n.next < next_hops_nowhere)
        statics_set(out, METRIC_NEXT_SWITCH, n.next);
    if (n.flows && r->family->num_entries)
        statics_set(out, METRIC_WITH_ENTRY, (double)n.entries / (double)n.flows);
    return IK_OK;
}
