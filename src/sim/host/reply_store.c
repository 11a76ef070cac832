/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests under way in a chained hash table of their partition, by (host, from, number), and lists
 * of replies that wait. What grows does so by doubling and never shrinks. Cost: O(1) each. Memory:
 * 40 bytes a request and 4 to 8 of buckets, 32 a reply that waits. */
#include "base/array.h"
#include "sim/host/replies.h"
#include "sim/state/events.h"
#include <stdlib.h>

enum { FIRST_BUCKETS = 256 };

bool sim_replies_init(partition *p)
{
    reply_store *r = ik_calloc(1, sizeof *r);
    p->replies = r;
    if (!r)
        return false;
    r->free_request = r->free_reply = IK_NONE;
    r->num_buckets = FIRST_BUCKETS;
    r->buckets = malloc(FIRST_BUCKETS * sizeof *r->buckets);
    if (r->buckets)
        memset(r->buckets, 0xff, FIRST_BUCKETS * sizeof *r->buckets);
    return r->buckets && sim_reply_stats_init(&p->reply_stats, p->sim->num_series);
}

void sim_replies_free(partition *p)
{
    reply_store *r = p->replies;
    sim_reply_stats_free(&p->reply_stats);
    if (!r)
        return;
    free(r->requests);
    free(r->replies);
    free(r->buckets);
    free(r);
}

uint64_t sim_replies_first_bytes(const sim *s)
{
    return s->reply.on ? sizeof(reply_store) + FIRST_BUCKETS * sizeof(uint32_t) +
                             sim_reply_stats_bytes(s->num_series)
                       : 0;
}

uint64_t sim_replies_bytes(const partition *p)
{
    const reply_store *r = p->replies;
    if (!r)
        return 0;
    return (uint64_t)r->cap_requests * sizeof *r->requests +
           (uint64_t)r->cap_replies * sizeof *r->replies +
           (uint64_t)(r->num_buckets - FIRST_BUCKETS) * 4 +
           (uint64_t)p->pool_cap * sizeof *p->sequence;
}

static uint32_t no_memory(partition *p, size_t bytes)
{
    sim_partition_fail(p, bytes, "requests and replies");
    return IK_NONE;
}

/* ---- requests */

static uint32_t *bucket_of(const reply_store *r, uint32_t host, uint32_t from, uint32_t number)
{
    uint64_t key = ((uint64_t)host << 32 | from) * 0x9E3779B97F4A7C15ull + number;
    key = (key ^ key >> 29) * 0xBF58476D1CE4E5B9ull;
    return &r->buckets[(uint32_t)(key >> 32) & (r->num_buckets - 1)];
}

/* Twice the buckets; fewer only cost time, so there is no failure. */
static void grow_buckets(reply_store *r)
{
    uint32_t old_num = r->num_buckets, *old = r->buckets,
             *fresh = malloc(2ull * old_num * sizeof *fresh);
    if (!fresh)
        return;
    memset(fresh, 0xff, 2ull * old_num * sizeof *fresh);
    r->buckets = fresh;
    r->num_buckets = 2 * old_num;
    for (uint32_t k = 0; k < old_num; k++) {
        for (uint32_t id = old[k], after; id != IK_NONE; id = after) {
            request *q = &r->requests[id];
            uint32_t *bucket = bucket_of(r, q->host, q->from, q->number);
            after = q->chain;
            q->chain = *bucket;
            *bucket = id;
        }
    }
    free(old);
}

uint32_t sim_request_add(partition *p, const request *q)
{
    reply_store *r = p->replies;
    uint32_t id = r->free_request;
    if (id != IK_NONE)
        r->free_request = r->requests[id].chain;
    else if (IK_ARRAY_ROOM(r->requests, r->cap_requests, r->num_requests + (size_t)1))
        id = r->num_requests++;
    else
        return no_memory(p, 2 * r->cap_requests * sizeof *r->requests);
    if (r->live++ >= r->num_buckets && r->num_buckets < 1u << 30)
        grow_buckets(r);
    uint32_t *bucket = bucket_of(r, q->host, q->from, q->number);
    r->requests[id] = *q;
    r->requests[id].chain = *bucket;
    *bucket = id;
    return id;
}

uint32_t sim_request_find(const partition *p, uint32_t host, uint32_t from, uint32_t number)
{
    const reply_store *r = p->replies;
    uint32_t id = *bucket_of(r, host, from, number);
    while (id != IK_NONE && (r->requests[id].host != host || r->requests[id].from != from ||
                             r->requests[id].number != number))
        id = r->requests[id].chain;
    return id;
}

void sim_request_remove(partition *p, uint32_t id)
{
    reply_store *r = p->replies;
    request *q = &r->requests[id];
    uint32_t *link = bucket_of(r, q->host, q->from, q->number);
    while (*link != id)
        link = &r->requests[*link].chain;
    *link = q->chain;
    q->chain = r->free_request;
    r->free_request = id;
    r->live--;
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
        return no_memory(p, 2 * r->cap_replies * sizeof *r->replies) != IK_NONE;
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
