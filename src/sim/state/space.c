/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers with accounts (state/space.h): sizes checked, accounts opened and audited.
 *
 * Y. Tamir, G. L. Frazier, "Dynamically-Allocated Multi-Queue Buffers for VLSI Communication
 * Switches", IEEE Trans. Computers 41(6), 1992: lists in one pool instead of fixed shares. Bounds
 * of each list keep one congested output, or one virtual channel, from taking the whole pool. W.
 * Dally, P. Carvey, L. Dennison, "Architecture of the Avici Terabit Switch/Router", Hot
 * Interconnects 1998: a queue with credit of its own for every destination. */
#include "sim/state/space.h"
#include <assert.h>
#include <stdlib.h>

/* ---- parameters */

static ik_status space_resolve_voqnet(sim *s, ik_error *err)
{
    uint64_t queues = (uint64_t)s->f->num_hosts * s->sw.vcs;
    if (s->sw.model != MODEL_IQ)
        return ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "queues = voqnet is a buffer organisation of model iq: output buffers would "
                    "mix destinations again"),
            "switch.queues switch.model");
    s->sw.capacity = s->sw.in_bytes / (queues ? queues : 1);
    s->sw.queue_min = s->sw.queue_max = s->sw.capacity;
    s->net.in_space.accounts = (unsigned)queues;
    if (s->sw.capacity >= s->adapter.packet_bytes)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE,
                     "switch.buffer = %llu B has %llu B for each of %s and %s (queues = "
                     "voqnet), less than a packet of %u B",
                     (unsigned long long)s->sw.in_bytes, (unsigned long long)s->sw.capacity,
                     IK_COUNT(s->f->num_hosts, "destination"), IK_COUNT(s->sw.vcs, "VC"),
                     s->adapter.packet_bytes),
             "switch.buffer switch.queues vcs adapter.packet");
    return ik_hint(err, IK_ERR_USAGE,
                   "voqnet reserves room for whole packets of every host: buffer >= %llu B, or "
                   "smaller packets",
                   (unsigned long long)queues * s->adapter.packet_bytes);
}

/* Virtual channels may not block each other: each keeps room for a packet (with one there is nobody
 * to block). */
static ik_status space_resolve_damq(sim *s, ik_error *err)
{
    assert(s->sw.model != MODEL_IDEAL); /* refused: see `needs` of the parameter */
    if (s->sw.stride && s->choice.adaptive) {
        ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "damq_bounds = output needs to know a packet's next output, which an adaptive "
                    "routing chooses only there"),
            "switch.damq_bounds");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "damq_bounds = vc works with every routing");
    }
    uint64_t accounts = s->sw.stride ? (uint64_t)s->sw.vcs * s->sw.stride : s->sw.vcs, room;
    if (s->sw.queue_min == UINT64_MAX)
        s->sw.queue_min = s->sw.vcs > 1 ? s->adapter.packet_bytes : 0;
    if (s->sw.queue_max > s->sw.in_bytes)
        s->sw.queue_max = s->sw.in_bytes;
    if (accounts * s->sw.queue_min > s->sw.in_bytes) {
        ik_about(
            err,
            ik_fail(
                err, IK_ERR_USAGE,
                "queue_min = %llu B for each of %llu queues is more than switch.buffer = %llu B",
                (unsigned long long)s->sw.queue_min, (unsigned long long)accounts,
                (unsigned long long)s->sw.in_bytes),
            "switch.queue_min switch.buffer");
        return ik_hint(err, IK_ERR_USAGE,
                       "buffer >= %llu B, or a smaller queue_min, or damq_bounds = vc",
                       (unsigned long long)(accounts * s->sw.queue_min));
    }
    room = s->sw.in_bytes - (accounts - 1) * s->sw.queue_min;
    if (s->sw.queue_max < s->adapter.packet_bytes || s->sw.queue_max < s->sw.queue_min ||
        room < s->adapter.packet_bytes)
        return ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE,
                    "queue_max = %llu B: a queue must be able to take %llu B, a packet and its "
                    "queue_min",
                    (unsigned long long)(s->sw.queue_max < room ? s->sw.queue_max : room),
                    (unsigned long long)(s->sw.queue_min > s->adapter.packet_bytes
                                             ? s->sw.queue_min
                                             : s->adapter.packet_bytes)),
            "switch.queue_max switch.queue_min adapter.packet");
    if (s->sw.vcs > 1 && s->sw.queue_min < s->adapter.packet_bytes) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "queue_min = %llu B is less than a packet of %u B",
                         (unsigned long long)s->sw.queue_min, s->adapter.packet_bytes),
                 "switch.queue_min adapter.packet");
        return ik_hint(err, IK_ERR_USAGE,
                       "virtual channels that share all of their space block each other, and then "
                       "no VC scheme keeps a network free of deadlock");
    }
    s->net.in_space.accounts = (unsigned)accounts;
    s->sw.capacity = s->sw.queue_max;
    return IK_OK;
}

/* Accounts that share nothing are what fixed shares are: with one VC, or with bounds of equal size
 * that use up the buffer. Then credit serves, with which every engine counts. */
static void resolve_unshared(sim *s)
{
    bool unshared = s->sw.vcs == 1 || s->sw.queue_min == s->sw.queue_max;
    if (s->sw.queues != QUEUES_DAMQ || s->sw.stride || !unshared ||
        s->sw.queue_max != s->sw.in_bytes / s->sw.vcs || s->sw.in_bytes % s->sw.vcs)
        return;
    s->sw.queues = QUEUES_VOQSW;
    s->net.in_space.accounts = 0;
}

static ik_status space_resolve_outputs(sim *s, ik_error *err)
{
    if (s->sw.model != MODEL_IOQ || !s->sw.out_shared)
        return IK_OK;
    if (s->sw.out_bytes < (uint64_t)s->sw.vcs * s->adapter.packet_bytes ||
        s->sw.out_bytes > INT32_MAX)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "output_buffer = %llu B must hold a packet of each of %s and "
                                "be smaller than 2 GiB",
                                (unsigned long long)s->sw.out_bytes, IK_COUNT(s->sw.vcs, "VC")),
                        "switch.output_buffer vcs adapter.packet");
    s->net.out_space.accounts = s->sw.vcs;
    return IK_OK;
}

ik_status sim_space_resolve(sim *s, ik_error *err)
{
    ik_status status = space_resolve_outputs(s, err);
    if (s->sw.queues <= QUEUES_VOQSW)
        s->sw.in_bytes = s->sw.capacity * s->sw.vcs; /* what splitting leaves over is not used */
    if (status == IK_OK && s->sw.queues == QUEUES_VOQNET)
        status = space_resolve_voqnet(s, err);
    if (status == IK_OK && s->sw.queues == QUEUES_DAMQ)
        status = space_resolve_damq(s, err);
    if (status == IK_OK && (uint64_t)s->net.in_space.accounts * s->f->num_ports > EV_PORT_MASK)
        status = ik_about(err,
                          ik_fail(err, IK_ERR_UNSUPPORTED,
                                  "%s at each of %s; the simulator takes at most %u in all",
                                  IK_COUNT(s->net.in_space.accounts, "queue"),
                                  IK_COUNT(s->f->num_ports, "port"), EV_PORT_MASK),
                          "switch.queues");
    if (status == IK_OK && s->net.in_space.accounts && s->sw.in_bytes > INT32_MAX &&
        s->sw.queues == QUEUES_DAMQ)
        status = ik_about(err,
                          ik_fail(err, IK_ERR_USAGE,
                                  "switch.buffer is limited to 2 GiB - 1 B where queues share it"),
                          "switch.buffer switch.queues");
    if (status == IK_OK)
        resolve_unshared(s);
    return status;
}

/* ---- the accounts */

static uint64_t space_ledger_bytes(const ledger *l, uint64_t ports)
{
    return l->accounts ? ports * (4ull * l->accounts + 4 + sizeof(bounds)) : 0;
}

uint64_t sim_space_bytes(const sim *s)
{
    return space_ledger_bytes(&s->net.in_space, s->f->num_ports) +
           space_ledger_bytes(&s->net.out_space, s->f->num_ports);
}

static bool space_open_ledger(ledger *l, size_t ports)
{
    if (!l->accounts)
        return true;
    l->used = sim_alloc_zeroed(ports * l->accounts, sizeof *l->used);
    l->shared = sim_alloc_zeroed(ports, sizeof *l->shared);
    l->bounds = sim_alloc_zeroed(ports, sizeof *l->bounds);
    return l->used && l->shared && l->bounds;
}

/* What the accounts of a port share when it is empty. */
static int64_t space_shared_bytes(const sim *s, uint32_t port)
{
    uint32_t peer = s->net.ports[port].peer_node;
    if (s->sw.queues != QUEUES_DAMQ || peer == IK_NONE || peer >= s->f->num_switches)
        return 0;
    uint64_t accounts = s->sw.stride ? (uint64_t)s->sw.vcs * ik_radix(s->f, peer) : s->sw.vcs;
    return (int64_t)(s->sw.in_bytes - accounts * s->sw.queue_min);
}

static void space_open_port(sim *s, uint32_t port)
{
    uint32_t peer = s->net.ports[port].peer_node;
    if (s->net.in_space.accounts && peer != IK_NONE) { /* without space nothing is ever sent */
        bool host = peer >= s->f->num_switches;
        s->net.in_space.bounds[port] =
            host ? (bounds){(int32_t)s->adapter.capacity, (int32_t)s->adapter.capacity}
                 : (bounds){(int32_t)s->sw.queue_min, (int32_t)s->sw.queue_max};
        s->net.in_space.shared[port] = (int32_t)space_shared_bytes(s, port);
    }
    if (s->net.out_space.accounts && peer != IK_NONE) {
        s->net.out_space.bounds[port] =
            (bounds){(int32_t)s->adapter.packet_bytes, (int32_t)s->sw.out_bytes};
        s->net.out_space.shared[port] =
            (int32_t)(s->sw.out_bytes - (uint64_t)s->sw.vcs * s->adapter.packet_bytes);
    }
}

bool sim_space_init(sim *s)
{
    if (!space_open_ledger(&s->net.in_space, s->f->num_ports) ||
        !space_open_ledger(&s->net.out_space, s->f->num_ports))
        return false;
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        space_open_port(s, port);
    return true;
}

static void space_carry_ledger(ledger *l, size_t ports, sim_carrier *c)
{
    sim_carry_array(c, l->used, ports * l->accounts, sizeof *l->used);
    sim_carry_array(c, l->shared, ports, sizeof *l->shared);
}

void sim_space_carry(sim *s, sim_carrier *c)
{
    space_carry_ledger(&s->net.in_space, s->f->num_ports, c);
    space_carry_ledger(&s->net.out_space, s->f->num_ports, c);
}

static void space_close_ledger(ledger *l)
{
    free(l->used);
    free(l->shared);
    free(l->bounds);
}

void sim_space_free(sim *s)
{
    space_close_ledger(&s->net.in_space);
    space_close_ledger(&s->net.out_space);
}

/* ---- the audit */

static ik_status space_audit(const ledger *l, uint32_t port, const int64_t *counted, int64_t shared,
                             const char *what, ik_error *err)
{
    for (unsigned a = 0; a < l->accounts; a++) {
        int32_t used = l->used[(size_t)port * l->accounts + a];
        if (used != counted[(size_t)port * l->accounts + a] || used > l->bounds[port].most)
            return ik_fail(
                err, IK_ERR_INTERNAL,
                "%s of channel %u, account %u: %d bytes by its account, %lld counted, %d allowed",
                what, port, a, used, (long long)counted[(size_t)port * l->accounts + a],
                l->bounds[port].most);
        shared -= space_above(used, l->bounds[port].own);
    }
    if (shared != l->shared[port] || shared < 0)
        return ik_fail(err, IK_ERR_INTERNAL,
                       "%s of channel %u: %d shared bytes by its account, %lld counted", what, port,
                       l->shared[port], (long long)shared);
    return IK_OK;
}

ik_status sim_space_check(const sim *s, const int64_t *in, const int64_t *out, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint32_t port = 0; status == IK_OK && port < s->f->num_ports; port++) {
        if (s->net.ports[port].peer_node == IK_NONE)
            continue;
        if (s->net.in_space.accounts)
            status = space_audit(&s->net.in_space, port, in, space_shared_bytes(s, port),
                                 "the input buffer", err);
        if (status == IK_OK && s->net.out_space.accounts &&
            port < s->f->port_base[s->f->num_switches])
            status = space_audit(
                &s->net.out_space, port, out,
                (int64_t)(s->sw.out_bytes - (uint64_t)s->sw.vcs * s->adapter.packet_bytes),
                "the output buffer", err);
    }
    return status;
}
