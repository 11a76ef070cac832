/* SPDX-License-Identifier: Apache-2.0
 *
 * Flows and packets that wait. In small networks there is a table of all pairs of hosts, of which a
 * partition uses the rows of its own hosts: a flow costs one line of the cache. Else flows stand in
 * a chained hash table of their partition, by (host, peer); so do packets, by (flow, number). What
 * grows does so by doubling and never shrinks; a flow stays once it has had a packet, for both ends
 * count its packets. Cost: O(1) each. Memory: 56 bytes a flow and end, 64 a packet that waits, 4 to
 * 8 of buckets for each. */
#include "base/array.h"
#include "sim/host/reorder.h"
#include "sim/state/events.h"
#include <stdlib.h>

enum { FIRST_BUCKETS = 256 };

/* ---- memory */

bool sim_reorder_init(partition *p)
{
    reorder_store *r = ik_calloc(1, sizeof *r);
    p->reorder = r;
    if (!r)
        return false;
    r->free_packet = IK_NONE;
    r->flows = p->sim->reorder_pairs;
    r->of_pairs = r->flows != NULL;
    r->num_flow_buckets = r->num_packet_buckets = FIRST_BUCKETS;
    r->flow_buckets = malloc(FIRST_BUCKETS * sizeof *r->flow_buckets);
    r->packet_buckets = malloc(FIRST_BUCKETS * sizeof *r->packet_buckets);
    if (!r->flow_buckets || !r->packet_buckets)
        return false;
    memset(r->flow_buckets, 0xff, FIRST_BUCKETS * sizeof *r->flow_buckets);
    memset(r->packet_buckets, 0xff, FIRST_BUCKETS * sizeof *r->packet_buckets);
    p->reorder_series = ik_calloc(p->sim->num_series + 1, sizeof *p->reorder_series);
    return p->reorder_series;
}

void sim_reorder_free(partition *p)
{
    reorder_store *r = p->reorder;
    free(p->reorder_series);
    if (!r)
        return;
    free(r->of_pairs ? NULL : r->flows);
    free(r->packets);
    free(r->flow_buckets);
    free(r->packet_buckets);
    free(r);
}

uint64_t sim_reorder_first_bytes(const sim *s)
{
    return s->reorder.on ? sizeof(reorder_store) + 2 * FIRST_BUCKETS * sizeof(uint32_t) +
                               (s->num_series + 1) * sizeof(reorder_period)
                         : 0;
}

uint64_t sim_reorder_bytes(const partition *p)
{
    const reorder_store *r = p->reorder;
    if (!r)
        return 0;
    return (uint64_t)r->cap_flows * sizeof *r->flows +
           (uint64_t)r->cap_packets * sizeof *r->packets +
           ((uint64_t)r->num_flow_buckets + r->num_packet_buckets - 2 * FIRST_BUCKETS) * 4 +
           (uint64_t)p->pool_cap * sizeof *p->sequence;
}

size_t sim_reorder_num_pairs(const sim *s)
{
    enum { MOST_HOSTS = 1024 };
    size_t hosts = s->f->num_hosts;
    return s->reorder.on && hosts <= MOST_HOSTS ? hosts * hosts : 0;
}

/* A flow has at least one packet, and a pair of hosts has one flow; both ends keep it. */
uint64_t sim_reorder_estimate(const sim *s, double packets)
{
    double pairs = (double)s->f->num_hosts * s->f->num_hosts,
           flows = packets < pairs ? packets : pairs;
    return s->reorder.on && !sim_reorder_num_pairs(s)
               ? (uint64_t)(2 * flows) * (sizeof(reorder_flow) + 6)
               : 0;
}

static bool out_of_memory(partition *p, size_t bytes)
{
    sim_partition_fail(p, bytes, "in-order delivery");
    return false;
}

static uint32_t mix(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15ull;
    key = (key ^ key >> 29) * 0xBF58476D1CE4E5B9ull;
    return (uint32_t)(key >> 32);
}

/* ---- flows */

static uint32_t *flow_bucket(const reorder_store *r, uint32_t host, uint32_t peer)
{
    return &r->flow_buckets[mix((uint64_t)host << 32 | peer) & (r->num_flow_buckets - 1)];
}

/* Twice the buckets; fewer only cost time, so there is no failure. */
static void grow_flow_buckets(reorder_store *r)
{
    uint32_t *fresh = malloc(2ull * r->num_flow_buckets * sizeof *fresh);
    if (!fresh)
        return;
    memset(fresh, 0xff, 2ull * r->num_flow_buckets * sizeof *fresh);
    free(r->flow_buckets);
    r->flow_buckets = fresh;
    r->num_flow_buckets *= 2;
    for (uint32_t id = 0; id < r->num_flows; id++) {
        uint32_t *bucket = flow_bucket(r, r->flows[id].host, r->flows[id].peer);
        r->flows[id].chain = *bucket;
        *bucket = id;
    }
}

static uint32_t new_flow(partition *p, uint32_t host, uint32_t peer)
{
    reorder_store *r = p->reorder;
    if (r->num_flows == IK_NONE ||
        !IK_ARRAY_ROOM(r->flows, r->cap_flows, (size_t)r->num_flows + 1)) {
        out_of_memory(p, 2 * r->cap_flows * sizeof *r->flows);
        return IK_NONE;
    }
    if (r->num_flows >= r->num_flow_buckets && r->num_flow_buckets < 1u << 30)
        grow_flow_buckets(r);
    uint32_t id = r->num_flows++, *bucket = flow_bucket(r, host, peer);
    r->flows[id] = (reorder_flow){
        .host = host, .peer = peer, .chain = *bucket, .parked = IK_NONE, .behind = IK_NONE};
    *bucket = id;
    return id;
}

/* Of the table of all pairs, which begins with zeros. */
static uint32_t pair_of(partition *p, uint32_t host, uint32_t peer)
{
    uint32_t id = host * p->sim->f->num_hosts + peer;
    reorder_flow *f = &p->reorder->flows[id];
    if (!f->chain)
        *f = (reorder_flow){
            .host = host, .peer = peer, .chain = 1, .parked = IK_NONE, .behind = IK_NONE};
    return id;
}

uint32_t sim_reorder_flow(partition *p, uint32_t host, uint32_t peer)
{
    const reorder_store *r = p->reorder;
    if (r->of_pairs)
        return pair_of(p, host, peer);
    uint32_t id = *flow_bucket(r, host, peer);
    while (id != IK_NONE && (r->flows[id].host != host || r->flows[id].peer != peer))
        id = r->flows[id].chain;
    return id != IK_NONE ? id : new_flow(p, host, peer);
}

/* ---- packets that wait */

static uint32_t *packet_bucket(const reorder_store *r, uint32_t flow, uint32_t number)
{
    return &r->packet_buckets[mix((uint64_t)flow << 32 | number) & (r->num_packet_buckets - 1)];
}

static void grow_packet_buckets(reorder_store *r)
{
    uint32_t old_num = r->num_packet_buckets, *old = r->packet_buckets,
             *fresh = malloc(2ull * old_num * sizeof *fresh);
    if (!fresh)
        return;
    memset(fresh, 0xff, 2ull * old_num * sizeof *fresh);
    r->packet_buckets = fresh;
    r->num_packet_buckets = 2 * old_num;
    for (uint32_t k = 0; k < old_num; k++) {
        for (uint32_t id = old[k], after; id != IK_NONE; id = after) {
            reorder_packet *at = &r->packets[id];
            uint32_t *bucket = packet_bucket(r, at->flow, at->number);
            after = at->chain;
            at->chain = *bucket;
            *bucket = id;
        }
    }
    free(old);
}

bool sim_reorder_store(partition *p, uint32_t flow, uint32_t number, const delivered *d)
{
    reorder_store *r = p->reorder;
    uint32_t id = r->free_packet;
    if (id != IK_NONE) {
        r->free_packet = r->packets[id].chain;
    } else {
        if (r->num_packets == IK_NONE ||
            !IK_ARRAY_ROOM(r->packets, r->cap_packets, (size_t)r->num_packets + 1))
            return out_of_memory(p, 2 * r->cap_packets * sizeof *r->packets);
        id = r->num_packets++;
    }
    if (r->live_packets++ >= r->num_packet_buckets && r->num_packet_buckets < 1u << 30)
        grow_packet_buckets(r);
    uint32_t *bucket = packet_bucket(r, flow, number);
    r->packets[id] = (reorder_packet){*d, flow, number, *bucket};
    *bucket = id;
    r->flows[flow].num_stored++;
    return true;
}

bool sim_reorder_fetch(partition *p, uint32_t flow, uint32_t number, delivered *d)
{
    reorder_store *r = p->reorder;
    uint32_t *link = packet_bucket(r, flow, number);
    while (*link != IK_NONE &&
           (r->packets[*link].flow != flow || r->packets[*link].number != number))
        link = &r->packets[*link].chain;
    uint32_t id = *link;
    if (id == IK_NONE)
        return false;
    reorder_packet *at = &r->packets[id];
    *d = at->d;
    *link = at->chain;
    at->chain = r->free_packet;
    r->free_packet = id;
    r->live_packets--;
    r->flows[flow].num_stored--;
    return true;
}
