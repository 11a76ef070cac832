/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests without their reply, found by a hash table of their partition (base/hash.h) by (host,
 * from, number), and lists of replies that wait. What grows does so by doubling and never shrinks.
 * Cost: O(1) each. Memory: 40 bytes a request and 16 to 32 of places in the table, 32 a reply that
 * waits.
 */
#include "base/array.h"
#include "sim/state/events.h"
#include "sim/workload/replies.h"
#include <assert.h>
#include <stdlib.h>

bool sim_replies_init(partition *p)
{
    reply_store *r = ik_calloc(1, sizeof *r);
    p->replies = r;
    if (!r)
        return false;
    r->free_request = r->free_reply = IK_NONE;
    return ik_hash_init(&r->known) &&
           sim_reply_stats_init(&p->reply_stats, p->sim->measure.num_series);
}

void sim_replies_free(partition *p)
{
    reply_store *r = p->replies;
    sim_reply_stats_free(&p->reply_stats);
    if (!r)
        return;
    free(r->requests);
    free(r->replies);
    ik_hash_free(&r->known);
    free(r);
}

void sim_replies_carry(partition *p, sim_carrier *c)
{
    reply_store *r = p->replies;
    SIM_CARRY(c, r->cap_requests);
    SIM_CARRY(c, r->cap_replies);
    SIM_CARRY(c, r->num_requests);
    SIM_CARRY(c, r->num_replies);
    SIM_CARRY(c, r->free_request);
    SIM_CARRY(c, r->free_reply);
    SIM_CARRY_GROWN(c, r->requests, r->num_requests, r->cap_requests);
    SIM_CARRY_GROWN(c, r->replies, r->num_replies, r->cap_replies);
    sim_carry_hash(c, &r->known);
}

static uint64_t reply_store_first_places(void)
{
    return sizeof(ik_hash_place) << IK_HASH_FIRST_BITS;
}

uint64_t sim_replies_first_bytes(const sim *s)
{
    return s->reply.on ? sizeof(reply_store) + reply_store_first_places() +
                             sim_reply_stats_bytes(s->measure.num_series)
                       : 0;
}

uint64_t sim_replies_bytes(const partition *p)
{
    const reply_store *r = p->replies;
    if (!r)
        return 0;
    return (uint64_t)r->cap_requests * sizeof *r->requests +
           (uint64_t)r->cap_replies * sizeof *r->replies + ik_hash_bytes(&r->known) -
           reply_store_first_places() + (uint64_t)p->pool_cap * sizeof *p->sequence;
}

static uint32_t reply_store_no_memory(partition *p, size_t bytes)
{
    sim_partition_fail(p, bytes, "requests and replies");
    return IK_NONE;
}

/* ---- requests */

static uint32_t reply_store_tag_of(uint32_t host, uint32_t from, uint32_t number)
{
    return ik_hash_tag2((uint64_t)host << 32 | from, number);
}

uint32_t sim_request_add(partition *p, const request *q)
{
    reply_store *r = p->replies;
    uint32_t id = r->free_request;
    if (id == IK_NONE && !IK_ARRAY_ROOM(r->requests, r->cap_requests, r->num_requests + (size_t)1))
        return reply_store_no_memory(p, 2 * r->cap_requests * sizeof *r->requests);
    if (!ik_hash_add(&r->known, reply_store_tag_of(q->host, q->from, q->number),
                     id == IK_NONE ? r->num_requests : id))
        return reply_store_no_memory(p, 2 * ik_hash_bytes(&r->known));
    if (id == IK_NONE)
        id = r->num_requests++;
    else
        r->free_request = r->requests[id].next;
    r->requests[id] = *q;
    return id;
}

uint32_t sim_request_find(const partition *p, uint32_t host, uint32_t from, uint32_t number)
{
    const reply_store *r = p->replies;
    uint32_t tag = reply_store_tag_of(host, from, number), id;
    for (size_t at = ik_hash_first(&r->known, tag);
         (id = ik_hash_find(&r->known, tag, &at)) != IK_NONE; at++)
        if (r->requests[id].host == host && r->requests[id].from == from &&
            r->requests[id].number == number)
            break;
    return id;
}

void sim_request_remove(partition *p, uint32_t id)
{
    reply_store *r = p->replies;
    request *q = &r->requests[id];
    assert(id < r->num_requests && q->host != IK_NONE); /* removed once */
    ik_hash_remove(&r->known, reply_store_tag_of(q->host, q->from, q->number), id);
    q->host = IK_NONE;
    q->next = r->free_request;
    r->free_request = id;
}

/* ---- replies that wait */

bool sim_reply_append(partition *p, reply_list *l, const reply *a)
{
    reply_store *r = p->replies;
    uint32_t id = r->free_reply;
    if (id != IK_NONE)
        r->free_reply = r->replies[id].next;
    else if (IK_ARRAY_ROOM(r->replies, r->cap_replies, r->num_replies + (size_t)1))
        id = r->num_replies++;
    else
        return reply_store_no_memory(p, 2 * r->cap_replies * sizeof *r->replies) != IK_NONE;
    r->replies[id] = *a;
    r->replies[id].next = IK_NONE;
    if (l->head == IK_NONE)
        l->head = id;
    else
        r->replies[l->tail].next = id;
    l->tail = id;
    return true;
}

reply sim_reply_take(partition *p, reply_list *l)
{
    reply_store *r = p->replies;
    uint32_t id = l->head;
    assert(id != IK_NONE);
    reply a = r->replies[id];
    l->head = a.next;
    r->replies[id].next = r->free_reply;
    r->free_reply = id;
    return a;
}
