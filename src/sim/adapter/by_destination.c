/* SPDX-License-Identifier: Apache-2.0
 *
 * A host adapter with a queue for every destination. Messages made until now stand in the queue of
 * their destination (and VC, where a destination uses several); queues that hold any form a ring
 * per VC and take turns packet by packet (of a workload with visits, visit by visit), so none waits
 * for another. Unlike the endless queues of adapter/host.c these take memory: a message that waits
 * 40 bytes, a queue that holds any 32. Queues are found by a hash table. Cost of a packet: O(1),
 * plus the queues skipped because only their space is short. */
#include "base/hash.h"
#include "sim/adapter/host.h"
#include "sim/state/events.h"
#include "sim/workload/finite.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct dest_message {
    message m;
    uint32_t next;
} dest_message;

typedef struct dest_queue {
    uint32_t host, dst, vc;
    uint32_t first, last; /* messages */
    uint32_t next;        /* in the ring, or free */
    uint32_t in_turn;     /* packets sent in its turn */
    uint32_t flow;        /* its record where reorder space is limited, else IK_NONE; */
    uint32_t sibling;     /* the next queue of the flow, of another VC */
    uint32_t stood;       /* number of its parking */
} dest_queue;

struct dest_store {
    dest_message *messages;
    dest_queue *queues;
    ik_hash known; /* queues by host, destination and VC; those of a flow's record hang there */
    uint32_t num_messages, cap_messages, free_message;
    uint32_t num_queues, cap_queues, free_queue;
};

/* ---- memory */

bool sim_dest_init(partition *p)
{
    struct dest_store *d = ik_calloc(1, sizeof *d);
    p->dest = d;
    if (!d)
        return false;
    d->free_message = d->free_queue = IK_NONE;
    return ik_hash_init(&d->known);
}

void sim_dest_free(partition *p)
{
    if (!p->dest)
        return;
    free(p->dest->messages);
    free(p->dest->queues);
    ik_hash_free(&p->dest->known);
    free(p->dest);
}

void sim_dest_carry(partition *p, sim_carrier *c)
{
    struct dest_store *d = p->dest;
    SIM_CARRY(c, d->num_messages);
    SIM_CARRY(c, d->cap_messages);
    SIM_CARRY(c, d->free_message);
    SIM_CARRY(c, d->num_queues);
    SIM_CARRY(c, d->cap_queues);
    SIM_CARRY(c, d->free_queue);
    SIM_CARRY_GROWN(c, d->messages, d->num_messages, d->cap_messages);
    SIM_CARRY_GROWN(c, d->queues, d->num_queues, d->cap_queues);
    sim_carry_hash(c, &d->known);
}

uint64_t sim_dest_first_bytes(void)
{
    return sizeof(struct dest_store) + (sizeof(ik_hash_place) << IK_HASH_FIRST_BITS);
}

uint64_t sim_dest_bytes(const partition *p)
{
    const struct dest_store *d = p->dest;
    if (!d)
        return 0;
    return (uint64_t)d->cap_messages * sizeof *d->messages +
           (uint64_t)d->cap_queues * sizeof *d->queues + ik_hash_bytes(&d->known) -
           (sizeof(ik_hash_place) << IK_HASH_FIRST_BITS);
}

/* An element of an array that grows, from the free list or fresh; IK_NONE = out of memory. */
static uint32_t by_destination_new_element(partition *p, void **array, size_t size, uint32_t *num,
                                           uint32_t *cap)
{
    if (*num == *cap) {
        uint32_t more = *cap + *cap / 2 + 256;
        void *grown = more > *cap ? realloc(*array, more * size) : NULL;
        if (!grown) {
            sim_partition_fail(p, more * size, "messages that wait");
            return IK_NONE;
        }
        *array = grown;
        *cap = more;
    }
    return (*num)++;
}

static uint32_t by_destination_new_message(partition *p)
{
    struct dest_store *d = p->dest;
    uint32_t id = d->free_message;
    void *array = d->messages;
    if (id != IK_NONE) {
        d->free_message = d->messages[id].next;
        return id;
    }
    id = by_destination_new_element(p, &array, sizeof *d->messages, &d->num_messages,
                                    &d->cap_messages);
    d->messages = array;
    return id;
}

static void by_destination_free_message(struct dest_store *d, uint32_t id)
{
    assert(id < d->num_messages);
    d->messages[id].next = d->free_message;
    d->free_message = id;
}

ik_status sim_dest_check(const sim *s, ik_error *err)
{
    const ik_alltoall *a =
        s->traffic && s->traffic->workload ? s->traffic->workload->alltoall : NULL;
    uint64_t limit = s->env ? s->env->memory_limit_bytes : 0;
    if (!a)
        return IK_OK;
    uint64_t bytes = (uint64_t)a->num * (a->num - 1) *
                     (sizeof(dest_message) + sizeof(dest_queue) + 2 * sizeof(ik_hash_place));
    if (s->adapter.queues != ADAPTER_DESTINATION || !limit || bytes <= limit)
        return IK_OK;
    ik_fail(err, IK_ERR_MEMORY,
            "an all-to-all of %u hosts with a queue for each destination needs %.1f MB, %.1f MB "
            "are allowed",
            a->num, (double)bytes / 1e6, (double)limit / 1e6);
    return ik_hint(err, IK_ERR_MEMORY,
                   "queues = vc or one, with throttle: strict where reorder space is limited, "
                   "keep no messages");
}

/* ---- queues */

static uint32_t by_destination_tag_of(uint32_t host, uint32_t dst, uint32_t vc)
{
    return ik_hash_tag2((uint64_t)host << 32 | dst, vc);
}

/* The place that names the queue of a flow in a VC, or where a new one is to be named. */
static uint32_t *by_destination_place_of(const partition *p, uint32_t flow, uint32_t vc)
{
    struct dest_store *d = p->dest;
    uint32_t *at = &p->reorder->flows[flow].queue;
    while (*at != IK_NONE && d->queues[*at].vc != vc)
        at = &d->queues[*at].sibling;
    return at;
}

/* The queue of a host to a destination in a VC; IK_NONE = it holds nothing. flow: its record, where
 * reorder space is limited. */
static uint32_t by_destination_find_queue(const partition *p, uint32_t host, uint32_t dst,
                                          uint32_t vc, uint32_t flow)
{
    const struct dest_store *d = p->dest;
    if (flow != IK_NONE)
        return *by_destination_place_of(p, flow, vc);
    uint32_t tag = by_destination_tag_of(host, dst, vc), id;
    for (size_t at = ik_hash_first(&d->known, tag);
         (id = ik_hash_find(&d->known, tag, &at)) != IK_NONE; at++)
        if (d->queues[id].host == host && d->queues[id].dst == dst && d->queues[id].vc == vc)
            break;
    return id;
}

static uint32_t by_destination_new_queue(partition *p, uint32_t host, const message *m,
                                         uint32_t flow)
{
    struct dest_store *d = p->dest;
    uint32_t id = d->free_queue;
    void *array = d->queues;
    if (id != IK_NONE)
        d->free_queue = d->queues[id].next;
    else
        id = by_destination_new_element(p, &array, sizeof *d->queues, &d->num_queues,
                                        &d->cap_queues);
    d->queues = array;
    if (id == IK_NONE)
        return id;
    if (flow != IK_NONE) {
        *by_destination_place_of(p, flow, m->vc) = id;
    } else if (!ik_hash_add(&d->known, by_destination_tag_of(host, m->dst, m->vc), id)) {
        sim_partition_fail(p, 2 * ik_hash_bytes(&d->known), "messages that wait");
        return IK_NONE;
    }
    d->queues[id] =
        (dest_queue){host, m->dst, m->vc, IK_NONE, IK_NONE, IK_NONE, 0, flow, IK_NONE, 0};
    return id;
}

static void by_destination_free_queue(partition *p, uint32_t id)
{
    struct dest_store *d = p->dest;
    dest_queue *q = &d->queues[id];
    assert(q->first == IK_NONE); /* it holds nothing */
    assert(q->flow == IK_NONE || *by_destination_place_of(p, q->flow, q->vc) == id);
    if (q->flow != IK_NONE)
        *by_destination_place_of(p, q->flow, q->vc) = q->sibling;
    else
        ik_hash_remove(&d->known, by_destination_tag_of(q->host, q->dst, q->vc), id);
    q->next = d->free_queue;
    d->free_queue = id;
}

static void by_destination_ring_append(struct dest_store *d, queue *ring, uint32_t id)
{
    d->queues[id].next = IK_NONE;
    assert(ring->head == IK_NONE || d->queues[ring->tail].next == IK_NONE);
    if (ring->head == IK_NONE)
        ring->head = id;
    else
        d->queues[ring->tail].next = id;
    ring->tail = id;
}

static uint64_t by_destination_packets_of(const sim *s, const message *m)
{
    return m->remaining / s->adapter.packet_bytes + (m->remaining % s->adapter.packet_bytes != 0);
}

/* Takes a message into the queue of its destination. */
static bool by_destination_enqueue(partition *p, uint32_t host, const message *m, uint64_t now)
{
    struct dest_store *d = p->dest;
    assert(m->vc < p->sim->sw.vcs && m->remaining > 0);
    bool limited = p->sim->reorder.limit != REORDER_UNLIMITED;
    uint32_t at = by_destination_new_message(p),
             flow = limited ? sim_reorder_flow(p, host, m->dst) : IK_NONE, id;
    if (at == IK_NONE || (limited && flow == IK_NONE))
        return false;
    id = by_destination_find_queue(p, host, m->dst, m->vc, flow);
    if (id == IK_NONE) {
        id = by_destination_new_queue(p, host, m, flow);
        if (id == IK_NONE)
            return false;
        by_destination_ring_append(
            d, &p->sim->host.dest_rings[(size_t)host * p->sim->sw.vcs + m->vc], id);
    }
    dest_queue *q = &d->queues[id];
    d->messages[at] = (dest_message){*m, IK_NONE};
    if (q->first == IK_NONE)
        q->first = at;
    else
        d->messages[q->last].next = at;
    q->last = at;
    if (limited)
        sim_reorder_want(p, flow, by_destination_packets_of(p->sim, m), now);
    return true;
}

void sim_dest_take_sends(partition *p, uint32_t host, uint64_t now)
{
    message m;
    while (sim_finite_take_send(p->sim, host, &m)) {
        p->sim->host.queues[host].count = 1;
        if (!by_destination_enqueue(p, host, &m, now))
            return;
    }
}

/* The first message of a queue has sent a packet, and its turn is over: it ends, stays first, or
 * takes its turn again behind others that are active. */
static void by_destination_next_turn(const sim *s, struct dest_store *d, dest_queue *q)
{
    uint32_t id = q->first, behind = id;
    uint32_t active = s->workload.finite ? sim_finite_active(s, q->host) : s->adapter.turn_messages;
    dest_message *m = &d->messages[id];
    assert(active > 0 && d->messages[q->last].next == IK_NONE);
    if (m->m.remaining && (active == 1 || m->next == IK_NONE))
        return;
    q->first = m->next;
    if (!m->m.remaining) {
        by_destination_free_message(d, id);
        return;
    }
    behind = active == UINT32_MAX ? q->last : q->first;
    for (uint32_t k = 2; k < active && d->messages[behind].next != IK_NONE; k++)
        behind = d->messages[behind].next;
    m->next = d->messages[behind].next;
    d->messages[behind].next = id;
    if (q->last == behind)
        q->last = id;
}

const message *sim_dest_queued(const partition *p, uint32_t host, uint32_t dst, unsigned v,
                               uint64_t *behind)
{
    const struct dest_store *d = p->dest;
    bool limited = p->sim->reorder.limit != REORDER_UNLIMITED;
    uint32_t flow = limited ? sim_reorder_find(p, host, dst) : IK_NONE,
             id = limited && flow == IK_NONE ? IK_NONE
                                             : by_destination_find_queue(p, host, dst, v, flow);
    *behind = 0;
    if (id == IK_NONE)
        return NULL;
    for (uint32_t at = d->messages[d->queues[id].first].next; at != IK_NONE;
         at = d->messages[at].next)
        ++*behind;
    return &d->messages[d->queues[id].first].m;
}

const message *sim_dest_first(const partition *p, uint32_t host, unsigned v)
{
    uint32_t id = p->sim->host.dest_rings[(size_t)host * p->sim->sw.vcs + v].head;
    return id == IK_NONE ? NULL : &p->dest->messages[p->dest->queues[id].first].m;
}

void sim_dest_fetch(const partition *p, uint32_t host, unsigned stage)
{
    const struct dest_store *d = p->dest;
    for (unsigned v = 0; v < p->sim->sw.vcs; v++) {
        uint32_t id = p->sim->host.dest_rings[(size_t)host * p->sim->sw.vcs + v].head;
        if (id == IK_NONE)
            continue;
        __builtin_prefetch(&d->queues[id], 1);
        if (stage == 0)
            continue;
        __builtin_prefetch(&d->messages[d->queues[id].first], 1);
        if (d->queues[id].flow != IK_NONE)
            sim_reorder_prefetch_flow(p, d->queues[id].flow);
    }
}

/* ---- sending */

/* Takes queue id out, which stands behind `before`. */
static void by_destination_ring_remove(struct dest_store *d, queue *ring, uint32_t before,
                                       uint32_t id)
{
    assert(before == IK_NONE ? ring->head == id : d->queues[before].next == id);
    if (before == IK_NONE)
        ring->head = d->queues[id].next;
    else
        d->queues[before].next = d->queues[id].next;
    if (ring->tail == id)
        ring->tail = before;
}

/* Queue id, which stands behind `before`, waits for reorder space outside the ring. */
static void by_destination_park(partition *p, uint32_t host, queue *ring, uint32_t before,
                                uint32_t id)
{
    struct dest_store *d = p->dest;
    uint32_t *first = &p->reorder->flows[d->queues[id].flow].parked;
    assert(d->queues[id].flow != IK_NONE);
    by_destination_ring_remove(d, ring, before, id);
    d->queues[id].in_turn = 0;
    d->queues[id].next = *first;
    *first = id;
    d->queues[id].stood = p->sim->host.reorder[host].num_parkings++;
    p->sim->host.reorder[host].parked++;
}

void sim_dest_unpark(partition *p, uint32_t host, uint32_t id)
{
    struct dest_store *d = p->dest;
    reorder_host *h = &p->sim->host.reorder[host];
    for (uint32_t after; id != IK_NONE; id = after) {
        after = d->queues[id].next;
        assert(h->parked > 0);
        d->queues[id].next = h->unparked;
        h->unparked = id;
        h->parked--;
    }
}

/* Two lists of queues in the order in which they stood become one. */
static uint32_t by_destination_merged(struct dest_store *d, uint32_t one, uint32_t other)
{
    uint32_t first = IK_NONE, *end = &first;
    while (one != IK_NONE && other != IK_NONE) {
        bool before = (int32_t)(d->queues[one].stood - d->queues[other].stood) < 0;
        uint32_t *from = before ? &one : &other;
        *end = *from;
        end = &d->queues[*from].next;
        *from = *end;
    }
    *end = one != IK_NONE ? one : other;
    return first;
}

void sim_dest_rejoin(partition *p, uint32_t host)
{
    enum { SIZES = 32 };
    struct dest_store *d = p->dest;
    uint32_t sorted[SIZES], after; /* [k] 2^k queues, or none */
    uint32_t id = p->sim->host.reorder[host].unparked;
    memset(sorted, 0xff, sizeof sorted);
    for (unsigned k = 0; id != IK_NONE; id = after, k = 0) {
        after = d->queues[id].next;
        d->queues[id].next = IK_NONE;
        for (; sorted[k] != IK_NONE; k++) {
            id = by_destination_merged(d, sorted[k], id);
            sorted[k] = IK_NONE;
        }
        sorted[k] = id;
    }
    for (unsigned k = 0; k < SIZES; k++)
        id = by_destination_merged(d, sorted[k], id);
    for (; id != IK_NONE; id = after) {
        after = d->queues[id].next;
        by_destination_ring_append(
            d, &p->sim->host.dest_rings[(size_t)host * p->sim->sw.vcs + d->queues[id].vc], id);
    }
    p->sim->host.reorder[host].unparked = IK_NONE;
}

/* Sends the first packet of queue id, which stands behind `before` in the ring. */
static void by_destination_send_from(partition *p, uint32_t host, host_state *h, queue *ring,
                                     uint32_t before, uint32_t id, uint64_t now)
{
    const sim *s = p->sim;
    struct dest_store *d = p->dest;
    dest_queue *q = &d->queues[id];
    assert(q->first != IK_NONE); /* a queue without messages is in no ring */
    message *m = &d->messages[q->first].m;
    uint32_t size = host_next_size(s, m);
    if (!sim_launch(p, host, h, m, size, q->flow, now))
        return;
    if (s->workload.has_graph && !sim_endless(s, host))
        sim_finite_packet_sent(p, host, (uint32_t)m->number, size, now);
    m->remaining -= size;
    m->number = s->workload.finite ? sim_finite_next_number(s, m->number) : m->number + 1;
    if (m->remaining && ++q->in_turn < (s->workload.finite ? sim_finite_turn(s, host) : 1))
        return;
    q->in_turn = 0;
    by_destination_next_turn(s, d, q);
    by_destination_ring_remove(d, ring, before, id);
    if (q->first != IK_NONE)
        by_destination_ring_append(d, ring, id);
    else
        by_destination_free_queue(p, id);
}

/* One VC's ring: sends from the first queue that has room ahead. Where credit is per VC, one
 * without is enough to know. */
static bool by_destination_send_from_ring(partition *p, uint32_t host, host_state *h, queue *ring,
                                          uint64_t now)
{
    const sim *s = p->sim;
    struct dest_store *d = p->dest;
    bool limited = s->reorder.limit != REORDER_UNLIMITED;
    for (uint32_t before = IK_NONE, id = ring->head, after; id != IK_NONE; id = after) {
        const message *m = &d->messages[d->queues[id].first].m;
        after = d->queues[id].next;
        if (limited && !sim_reorder_may_flow(p, d->queues[id].flow)) {
            by_destination_park(p, host, ring, before, id);
            continue;
        }
        if (sim_room_ahead(p, host, h, m) >= (int32_t)host_next_size(s, m)) {
            by_destination_send_from(p, host, h, ring, before, id, now);
            return true;
        }
        h->blocked = 1;
        if (!s->net.in_space.accounts && s->source.uniform_size)
            return false;
        before = id;
    }
    return false;
}

/* Visits of an all-to-all are no messages of their own here: a queue holds the whole message, and
 * visits are its turns, so that 68 bytes and a place in a hash table are kept per destination,
 * however small the visits are. Packets have the numbers that they have as packets of visits:
 * routings draw by them. Takes the messages of the repetition that begins with visit l->n, and
 * moves the cursor behind it; false = out of memory. */
static bool by_destination_take_visits(partition *p, uint32_t host, send_queue *l, uint64_t now)
{
    const ik_workload *w = p->sim->traffic->workload;
    for (uint32_t n = 0; n + 1 < w->alltoall->num; n++) { /* the visits of a round */
        send_queue at = {.n = l->n + n, .t = l->t};
        message m;
        if (!sim_next_message(p, host, &at, false, &m))
            continue;
        m.remaining = w->largest;
        if (!by_destination_enqueue(p, host, &m, now))
            return false;
    }
    sim_visits_count(p, host, l);
    return true;
}

/* Takes in what was made until now; false = out of memory. */
static bool by_destination_admit(partition *p, uint32_t host, send_queue *l, uint64_t now)
{
    const sim *s = p->sim;
    bool visits = s->workload.finite && s->traffic->workload->alltoall;
    message m;
    while (l->t <= now && l->t < s->measure.past_ps)
        if (visits ? !by_destination_take_visits(p, host, l, now)
                   : sim_next_message(p, host, l, true, &m) &&
                         !by_destination_enqueue(p, host, &m, now))
            return false;
    return true;
}

void sim_dest_try(partition *p, uint32_t host, host_state *h, uint64_t now)
{
    sim *s = p->sim;
    send_queue *l = &s->host.queues[host];
    if (!by_destination_admit(p, host, l, now))
        return;
    h->blocked = 0;
    for (unsigned k = 0; k < s->sw.vcs; k++) {
        unsigned v = h->next_vc + k < s->sw.vcs ? h->next_vc + k : h->next_vc + k - s->sw.vcs;
        if (!by_destination_send_from_ring(p, host, h,
                                           &s->host.dest_rings[(size_t)host * s->sw.vcs + v], now))
            continue;
        h->next_vc = (uint8_t)(v + 1 == s->sw.vcs ? 0 : v + 1);
        break;
    }
    l->count =
        s->reorder.on &&
        s->host.reorder[host].parked; /* for whoever plans the next look: whether anything waits */
    for (unsigned v = 0; v < s->sw.vcs; v++)
        l->count |= s->host.dest_rings[(size_t)host * s->sw.vcs + v].head != IK_NONE;
    if (s->workload.finite && !s->workload.has_graph)
        sim_finite_sent(p, host, 0, 0, now);
}
