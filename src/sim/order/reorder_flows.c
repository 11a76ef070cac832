/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows and packets that wait, found by hash tables (base/hash.h) of their partition: flows by
 * (source, destination), packets by (flow, number). A flow between hosts of one partition is one
 * record for both ends, and is kept only while a packet of it is in transmission, waits, or
 * reorder space is spoken of: numbers begin again at 0 when all that were given are delivered.
 * So memory, and what a delivery touches, follow what is in the network, not the pairs of hosts.
 * A flow between partitions is a record at each end and stays. Cost: O(1) each. Memory: 64 bytes
 * a flow, 64 a packet that waits, 8 to 32 of places in a table for each. */
#include "base/array.h"
#include "sim/core/memory.h"
#include "sim/order/reorder.h"
#include "sim/state/events.h"
#include <assert.h>
#include <stdlib.h>

/* ---- memory */

bool sim_reorder_init(partition *p)
{
    reorder_store *r = ik_calloc(1, sizeof *r);
    p->reorder = r;
    if (!r)
        return false;
    r->free_packet = r->free_flow = IK_NONE;
    p->reorder_series = ik_calloc(p->sim->measure.num_series + 1, sizeof *p->reorder_series);
    return p->reorder_series && sim_reorder_paths_init(p) && ik_hash_init(&r->flow_of) &&
           ik_hash_init(&r->packet_of);
}

void sim_reorder_free(partition *p)
{
    reorder_store *r = p->reorder;
    free(p->reorder_series);
    if (!r)
        return;
    free(r->flows);
    free(r->packets);
    free(r->paths);
    ik_hash_free(&r->flow_of);
    ik_hash_free(&r->packet_of);
    free(r);
}

void sim_reorder_carry(partition *p, sim_carrier *c)
{
    reorder_store *r = p->reorder;
    SIM_CARRY(c, r->cap_packets);
    SIM_CARRY(c, r->num_flows);
    SIM_CARRY(c, r->cap_flows);
    SIM_CARRY(c, r->free_flow);
    SIM_CARRY(c, r->num_packets);
    SIM_CARRY(c, r->free_packet);
    SIM_CARRY_GROWN(c, r->flows, r->num_flows, r->cap_flows);
    SIM_CARRY_GROWN(c, r->packets, r->num_packets, r->cap_packets);
    sim_carry_hash(c, &r->flow_of);
    sim_carry_hash(c, &r->packet_of);
}

static uint64_t reorder_flows_first_places(void)
{
    return 2 * sizeof(ik_hash_place) << IK_HASH_FIRST_BITS;
}

uint64_t sim_reorder_first_bytes(const sim *s)
{
    return s->reorder.on
               ? sizeof(reorder_store) + reorder_flows_first_places() + sim_reorder_paths_bytes(s) +
                     (s->measure.num_series + 1) * sizeof(reorder_period)
               : 0;
}

uint64_t sim_reorder_bytes(const partition *p)
{
    const reorder_store *r = p->reorder;
    if (!r)
        return 0;
    return (uint64_t)r->cap_flows * sizeof *r->flows +
           (uint64_t)r->cap_packets * sizeof *r->packets + ik_hash_bytes(&r->flow_of) +
           ik_hash_bytes(&r->packet_of) - reorder_flows_first_places() +
           (p->sequence ? (uint64_t)p->pool_cap * sizeof *p->sequence : 0);
}

/* Of one partition, where a flow has a packet in transmission. */
uint64_t sim_reorder_estimate(const sim *s, double packets, double under_way)
{
    double pairs = (double)s->f->num_hosts * s->f->num_hosts,
           flows = packets < pairs ? packets : pairs;
    flows = under_way < flows ? under_way : flows;
    return s->reorder.on ? (uint64_t)flows * (sizeof(reorder_flow) + 2 * sizeof(ik_hash_place)) : 0;
}

static bool reorder_flows_out_of_memory(partition *p, size_t bytes)
{
    sim_partition_fail(p, bytes, "in-order delivery");
    return false;
}

/* ---- flows */

static bool grow_flows(partition *p)
{
    reorder_store *r = p->reorder;
    uint32_t cap = r->cap_flows + r->cap_flows / 2 + 256;
    reorder_flow *flows = cap > r->cap_flows ? sim_alloc(cap, sizeof *flows) : NULL;
    if (!flows)
        return reorder_flows_out_of_memory(p, cap * sizeof *flows);
    if (r->flows)
        memcpy(flows, r->flows, r->num_flows * sizeof *flows);
    free(r->flows);
    r->flows = flows;
    r->cap_flows = cap;
    return true;
}

static uint32_t reorder_flows_new_flow(partition *p, uint32_t src, uint32_t dst, uint32_t tag)
{
    const sim *s = p->sim;
    reorder_store *r = p->reorder;
    uint32_t id = r->free_flow;
    if (id == IK_NONE && r->num_flows == r->cap_flows && !grow_flows(p))
        return IK_NONE;
    if (!ik_hash_add(&r->flow_of, tag, id == IK_NONE ? r->num_flows : id)) {
        reorder_flows_out_of_memory(p, 2 * ik_hash_bytes(&r->flow_of));
        return IK_NONE;
    }
    if (id == IK_NONE)
        id = r->num_flows++;
    else
        r->free_flow = r->flows[id].behind;
    const uint16_t *owner = s->parallel.node_partition;
    bool sends = s->parallel.num_partitions == 1 || owner[ik_host_node(s->f, src)] == p->id;
    bool whole = s->parallel.num_partitions == 1 ||
                 owner[ik_host_node(s->f, src)] == owner[ik_host_node(s->f, dst)];
    r->flows[id] = (reorder_flow){.src = src,
                                  .dst = dst,
                                  .granted = sends ? s->reorder.own : 0,
                                  .queue = IK_NONE,
                                  .parked = IK_NONE,
                                  .behind = IK_NONE,
                                  .whole = whole};
    return id;
}

uint32_t sim_reorder_find(const partition *p, uint32_t src, uint32_t dst)
{
    const reorder_store *r = p->reorder;
    uint32_t tag = sim_reorder_tag(src, dst), id;
    for (size_t at = ik_hash_first(&r->flow_of, tag);
         (id = ik_hash_find(&r->flow_of, tag, &at)) != IK_NONE; at++)
        if (r->flows[id].src == src && r->flows[id].dst == dst)
            break;
    return id;
}

uint32_t sim_reorder_flow(partition *p, uint32_t src, uint32_t dst)
{
    uint32_t id = sim_reorder_find(p, src, dst);
    return id != IK_NONE ? id : reorder_flows_new_flow(p, src, dst, sim_reorder_tag(src, dst));
}

void sim_reorder_forget(partition *p, uint32_t id)
{
    reorder_store *r = p->reorder;
    reorder_flow *f = &r->flows[id];
    assert(id < r->num_flows && f->src != IK_NONE); /* it is not free yet */
    if (!f->whole || f->sent != f->expected || f->granted != p->sim->reorder.own ||
        f->asked | f->waiting | f->wanted | f->num_stored || f->queue != IK_NONE ||
        f->parked != IK_NONE)
        return;
    ik_hash_remove(&r->flow_of, sim_reorder_tag(f->src, f->dst), id);
    f->src = IK_NONE;
    f->behind = r->free_flow;
    r->free_flow = id;
}

/* ---- packets that wait */

static uint32_t reorder_flows_packet_tag(uint32_t flow, uint32_t number)
{
    return ik_hash_tag((uint64_t)flow << 32 | number);
}

bool sim_reorder_store(partition *p, uint32_t flow, uint32_t number, const delivered *d)
{
    reorder_store *r = p->reorder;
    assert(flow < r->num_flows);
    uint32_t id = r->free_packet;
    if (id == IK_NONE && (r->num_packets == IK_NONE ||
                          !IK_ARRAY_ROOM(r->packets, r->cap_packets, (size_t)r->num_packets + 1)))
        return reorder_flows_out_of_memory(p, 2 * r->cap_packets * sizeof *r->packets);
    if (!ik_hash_add(&r->packet_of, reorder_flows_packet_tag(flow, number),
                     id == IK_NONE ? r->num_packets : id))
        return reorder_flows_out_of_memory(p, 2 * ik_hash_bytes(&r->packet_of));
    if (id == IK_NONE)
        id = r->num_packets++;
    else
        r->free_packet = r->packets[id].next;
    r->packets[id] = (reorder_packet){*d, flow, number, IK_NONE};
    r->flows[flow].num_stored++;
    return true;
}

bool sim_reorder_fetch(partition *p, uint32_t flow, uint32_t number, delivered *d)
{
    reorder_store *r = p->reorder;
    uint32_t tag = reorder_flows_packet_tag(flow, number), id;
    for (size_t at = ik_hash_first(&r->packet_of, tag);
         (id = ik_hash_find(&r->packet_of, tag, &at)) != IK_NONE; at++)
        if (r->packets[id].flow == flow && r->packets[id].number == number)
            break;
    if (id == IK_NONE)
        return false;
    reorder_packet *at = &r->packets[id];
    assert(r->flows[flow].num_stored > 0);
    *d = at->d;
    ik_hash_remove(&r->packet_of, tag, id);
    at->flow = IK_NONE;
    at->next = r->free_packet;
    r->free_packet = id;
    r->flows[flow].num_stored--;
    return true;
}
