/* SPDX-License-Identifier: Apache-2.0
 *
 * Space of buffers whose queues do not each own a fixed share a virtual channel. The sender keeps
 * the accounts of the buffer at the other end of its channel (an input buffer), or of the buffer
 * behind it (an output buffer): bytes in use by account, and the free bytes that accounts share. An
 * account owns `own` bytes, may use up to `most`, and what it uses beyond its own comes from the
 * shared rest. Accounts of an input buffer:
 *
 *   damq, a VC each      account = VC
 *   damq, a queue each   account = VC * stride + output of the switch there, which the sender finds
 *                        by looking one switch ahead
 *   voqnet               account = VC * hosts + destination; own = most, nothing is shared
 *
 * A channel to a host has the same numbers of accounts; there each VC's accounts stand for its
 * share of the receive buffer. */
#ifndef IKAT_SIM_SPACE_H
#define IKAT_SIM_SPACE_H

#include "sim/state/events.h"
#include "sim/state/route.h"

#include <assert.h>

SIM_INLINE int32_t space_above(int32_t used, int32_t own)
{
    assert(own >= 0);
    return used > own ? used - own : 0;
}

/* Bytes that a packet of this account may take now. */
SIM_INLINE int32_t space_ledger_room(const ledger *l, uint32_t port, uint32_t account)
{
    assert(account < l->accounts);
    const bounds b = l->bounds[port];
    int32_t used = l->used[(size_t)port * l->accounts + account], limit = b.most - used;
    int32_t room = space_above(b.own, used) + l->shared[port];
    return room < limit ? room : limit;
}

SIM_INLINE void space_ledger_add(ledger *l, uint32_t port, uint32_t account, int32_t bytes)
{
    assert(account < l->accounts);
    int32_t *used = &l->used[(size_t)port * l->accounts + account], own = l->bounds[port].own,
            before = space_above(*used, own);
    *used += bytes;
    l->shared[port] -= space_above(*used, own) - before;
    assert(*used >= 0); /* bytes in use */
}

/* The account that a packet will have in the buffer behind out_port when it goes there in VC v. */
SIM_INLINE uint32_t space_account_behind(partition *p, uint32_t out_port, unsigned v,
                                         const ik_packet *rt, uint32_t number)
{
    assert(v < p->sim->sw.vcs);
    const sim *s = p->sim;
    if (s->sw.queues == QUEUES_VOQNET)
        return v * s->f->num_hosts + rt->dst;
    return s->sw.stride ? v * s->sw.stride + sim_look_ahead(p, out_port, v, rt, number) : v;
}

/* The same for a packet of a switch, whose `queue` holds what looking ahead found for its first
 * VC. */
SIM_INLINE uint32_t space_account_of(partition *p, uint32_t out_port, unsigned u, const packet *pk)
{
    assert(u < p->sim->sw.vcs);
    const sim *s = p->sim;
    if (s->sw.stride && u == pk->vc_first)
        return u * s->sw.stride + pk->queue;
    return space_account_behind(p, out_port, u, &pk->rt, pk->number);
}

/* The account that it has where it stands: in VC v, for local output out (SIM_NO_WAY: none). */
SIM_INLINE uint32_t space_account_here(const sim *s, const packet *pk, unsigned v, unsigned out)
{
    assert(v < s->sw.vcs);
    if (s->sw.queues == QUEUES_VOQNET)
        return v * s->f->num_hosts + pk->rt.dst;
    return s->sw.stride ? v * s->sw.stride + (out == SIM_NO_WAY ? 0 : out) : v;
}

/* Credit for a packet that left the buffer of a local port: says VC and bytes, or account and
 * bytes. */
SIM_INLINE void space_post_credit(partition *p, const port_state *in, uint64_t time, unsigned v,
                                  uint32_t account, uint32_t size)
{
    assert(v < p->sim->sw.vcs && size > 0);
    assert(!p->sim->net.in_space.accounts || account < p->sim->net.in_space.accounts);
    uint32_t accounts = p->sim->net.in_space.accounts,
             port = accounts ? in->peer_port * accounts + account : in->peer_port;
    events_post_remote(p, time + in->latency_ps, in->peer_node, EV_CREDIT, port,
                       calendar_space_data(v, size));
}

/* after the sizes of packets and buffers are known */
ik_status sim_space_resolve(sim *s, ik_error *err);
uint64_t sim_space_bytes(const sim *s);
bool sim_space_init(sim *s); /* allocates and fills; false = out of memory */
void sim_space_free(sim *s);
void sim_space_carry(sim *s, sim_carrier *c);
/* Whether the accounts agree with what was counted: [port * accounts + a] of the input side, [port
 * * vcs + v] of the output side. */
ik_status sim_space_check(const sim *s, const int64_t *in, const int64_t *out, ik_error *err);

#endif
