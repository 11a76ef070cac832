/* SPDX-License-Identifier: Apache-2.0
 *
 * What must hold of in-order delivery whenever the network rests between two windows (`paranoid`):
 * a host's reorder buffer holds what waits for earlier packets, and
 *
 *   WINDOW  packets that a source believes on their way = sent and not delivered + grants on their
 *           way to it <= the buffer,
 *   POOL    space in use at a host = what its sources were granted and have not sent + sent and not
 *           delivered + grants and releases on their way, or noted, <= the buffer (a flow of which
 *           nothing is known was granted its own places); what a source asked for = what its
 *           destination knows of + requests and grants on their way.
 *
 * Cost: O(flows + packets that wait + events), counted in outcome.looked_at. */
#include "sim/inspect/inspect.h"
#include "sim/inspect/look.h"
#include "sim/order/reorder.h"
#include <stdlib.h>

typedef struct check {
    sim *s;
    int64_t *stored; /* [host] bytes that wait for earlier packets */
    int64_t *in_use; /* [host] POOL: packets, less what the host says */
    /* of all flows: their ends' differences, mixed so that a mistake in one shows: see
     * reorder_check_add() */
    uint64_t held, balance;
    ik_status status;
    ik_error *err;
} check;

/* Amounts that both ends of a flow agree on are added with a factor of their own and must sum up to
 * nothing. kind: which amount. */
static void reorder_check_add(check *c, uint32_t src, uint32_t dst, unsigned kind, int64_t amount)
{
    uint64_t x = ((uint64_t)src << 32 | dst) * 0x9E3779B97F4A7C15ull + kind + 1;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9ull;
    c->balance += ((x ^ x >> 32) | 1) * (uint64_t)amount;
}
enum { ON_THEIR_WAY, ASKED };

static void check_flow(check *c, unsigned of, const reorder_flow *f)
{
    const reorder_settings *r = &c->s->reorder;
    if (r->limit == REORDER_WINDOW) {
        reorder_check_add(c, f->src, f->dst, ON_THEIR_WAY,
                          (int64_t)f->granted - f->sent + f->expected);
        if (f->granted > r->packets)
            c->status = ik_fail(c->err, IK_ERR_INTERNAL,
                                "host %u has %u packets to host %u on their way, %u is the maximum",
                                f->src, f->granted, f->dst, r->packets);
    } else if (r->limit == REORDER_POOL) {
        bool sends = c->s->parallel.node_partition[ik_host_node(c->s->f, f->src)] == of;
        c->in_use[f->dst] += (int64_t)f->granted - (sends ? r->own : 0) + f->sent - f->expected;
        reorder_check_add(c, f->src, f->dst, ASKED, (int64_t)f->asked - f->wanted);
    }
}

static void reorder_check_note_message(void *ctx, partition *p, const event *e)
{
    check *c = ctx;
    (void)p;
    if (calendar_event_kind(e) != EV_REORDER || e->node < c->s->f->num_switches)
        return;
    uint32_t host = ik_node_host(c->s->f, e->node), peer = calendar_event_port(e);
    int64_t amount = reorder_amount(e->data);
    switch ((reorder_kind)(e->data >> REORDER_KIND_AT)) {
    case REORDER_ASK:
        reorder_check_add(c, peer, host, ASKED, -amount);
        break;
    case REORDER_GRANT:
        if (c->s->reorder.limit == REORDER_POOL) {
            reorder_check_add(c, host, peer, ASKED, -amount);
            c->in_use[peer] += amount;
        } else {
            reorder_check_add(c, host, peer, ON_THEIR_WAY, -amount);
        }
        break;
    case REORDER_FREE:
        c->in_use[host] += amount;
        break;
    case REORDER_LOST:
        break;
    }
}

static void check_store(check *c, unsigned of)
{
    const reorder_store *r = c->s->parallel.partitions[of].reorder;
    uint64_t stored = 0, listed = 0;
    c->s->outcome.looked_at += r->num_flows + r->num_packets;
    for (uint32_t id = 0; id < r->num_flows && c->status == IK_OK; id++) {
        if (r->flows[id].src == IK_NONE)
            continue;
        check_flow(c, of, &r->flows[id]);
        stored += r->flows[id].num_stored;
    }
    for (uint32_t id = 0; id < r->num_packets; id++) {
        const reorder_packet *at = &r->packets[id];
        if (at->flow == IK_NONE)
            continue;
        const reorder_flow *f = &r->flows[at->flow];
        c->stored[f->dst] += at->d.size;
        c->held += at->d.size != 0;
        listed++;
        if ((int32_t)(at->number - f->expected) <= 0)
            c->status = ik_fail(c->err, IK_ERR_INTERNAL,
                                "packet %u waits at host %u although %u is expected", at->number,
                                f->dst, f->expected);
    }
    if (c->status == IK_OK && stored != listed)
        c->status = ik_fail(c->err, IK_ERR_INTERNAL,
                            "%llu packets wait for earlier ones by count, %llu were found",
                            (unsigned long long)stored, (unsigned long long)listed);
}

static ik_status reorder_check_host(const check *c, uint32_t host, ik_error *err)
{
    const reorder_host *h = &c->s->host.reorder[host];
    c->in_use[host] += (int64_t)c->s->reorder.own * (c->s->f->num_hosts - 1);
    for (unsigned k = 0; k < h->num_freed; k++)
        c->in_use[host] += h->freed[k].packets;
    bool shared = c->s->reorder.limit == REORDER_POOL;
    if ((int64_t)h->stored != c->stored[host] || (shared && h->stored > c->s->reorder.bytes))
        return ik_fail(err, IK_ERR_INTERNAL,
                       "the reorder buffer of host %u says %llu bytes and holds %lld", host,
                       (unsigned long long)h->stored, (long long)c->stored[host]);
    if (shared && (c->in_use[host] != h->in_use || h->in_use > c->s->reorder.packets))
        return ik_fail(
            err, IK_ERR_INTERNAL,
            "reorder space of host %u: %u packets by count, %lld found, %u is the maximum", host,
            h->in_use, (long long)c->in_use[host], c->s->reorder.packets);
    return IK_OK;
}

static ik_status reorder_check_all(check *c, ik_error *err)
{
    uint64_t held = 0;
    for (unsigned q = 0; q < c->s->parallel.num_partitions && c->status == IK_OK; q++) {
        check_store(c, q);
        held += c->s->parallel.partitions[q].n.held;
    }
    sim_each_event(c->s, reorder_check_note_message, c);
    for (uint32_t host = 0; host < c->s->f->num_hosts && c->status == IK_OK; host++)
        c->status = reorder_check_host(c, host, err);
    if (c->status == IK_OK && held != c->held)
        return ik_fail(err, IK_ERR_INTERNAL, "%llu packets are held back by count, %llu were found",
                       (unsigned long long)held, (unsigned long long)c->held);
    if (c->status == IK_OK && c->balance)
        return ik_fail(err, IK_ERR_INTERNAL,
                       "sources and destinations do not agree about reorder space");
    return c->status;
}

ik_status sim_check_reorder(sim *s, ik_error *err)
{
    check c = {.s = s,
               .stored = ik_calloc(s->f->num_hosts + 1, 8),
               .in_use = ik_calloc(s->f->num_hosts + 1, 8),
               .status = IK_OK,
               .err = err};
    ik_status status = c.stored && c.in_use
                           ? reorder_check_all(&c, err)
                           : ik_fail_memory(err, 16ull * s->f->num_hosts, "the paranoid checks");
    free(c.stored);
    free(c.in_use);
    return status;
}
