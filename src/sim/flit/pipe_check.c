/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_check.c: what must hold between cycles (paranoid). For every channel and VC:
 *
 *   credits + credits on their way + flits on their way + flits in the buffer there = its depth,
 *
 * every packet in the network has its tail in exactly one place, and the sets of requests say what
 * the buffers hold. Cost: O(ports * VCs + flits). What packets did since the last check is judged
 * as well: the hosts that they reached, and each step (measure/edges.h).
 */
#include "sim/flit/pipe.h"
#include "sim/flit/pipe_sets.h"

#include <stdlib.h>

void pipe_count_events(const pipe *p, uint32_t *flits, uint32_t *credits)
{
    for (unsigned q = 0; q < p->num_partitions; q++)
        for (uint32_t k = 0; k <= p->wheel_mask; k++) {
            const pipe_slot *at = &p->partitions[q].slots[k];
            for (const uint32_t *c = at->credits; c < at->next_credit; c++)
                credits[*c]++;
            for (const pipe_event *e = at->flits; e < at->next_flit; e++)
                flits[p->ports[e->where / p->vcs].peer + e->where % p->vcs]++;
        }
}

uint64_t pipe_in_flight(const pipe *p)
{
    uint64_t count = 0;
    for (unsigned q = 0; q < p->num_partitions; q++)
        count += p->partitions[q].started - p->partitions[q].gone;
    return count;
}

static ik_status pipe_check_credits(const pipe *p, const uint32_t *flits, const uint32_t *credits,
                                    uint64_t cycle, ik_error *err)
{
    for (size_t c = 0; c < (size_t)p->f->num_ports * p->vcs; c++) {
        uint32_t port = (uint32_t)(c / p->vcs), peer = p->f->port_peer[port];
        if (peer == IK_NONE)
            continue;
        uint32_t there =
            peer < p->switch_ports ? p->in[(size_t)peer * p->vcs + c % p->vcs].count : 0;
        char name[160];
        if (p->credits[c] + flits[c] + credits[c] + there != p->depth)
            return ik_fail(err, IK_ERR_INTERNAL,
                           "cycle %llu, %s, VC %zu: %u credits, %u in transmission, %u flits in "
                           "transmission, %u there, not %u in all",
                           (unsigned long long)cycle,
                           ik_port_describe(p->f, port, name, sizeof name), c % p->vcs,
                           p->credits[c], credits[c], flits[c], there, p->depth);
    }
    return IK_OK;
}

/* ---- packets: a packet is in the network from its head's leaving the host until its tail is
 * gone */

static ik_status pipe_check_packets(const pipe *p, uint64_t cycle, ik_error *err)
{
    uint64_t tails = 0, misled = 0;
    for (unsigned q = 0; q < p->num_partitions; q++) {
        misled += p->partitions[q].misled;
        for (uint32_t k = 0; k <= p->wheel_mask; k++)
            for (const pipe_event *e = p->partitions[q].slots[k].flits;
                 e < p->partitions[q].slots[k].next_flit; e++)
                tails += e->flit & 1;
    }
    for (uint32_t where = 0; where < p->switch_channels; where++)
        for (uint32_t k = 0; k < p->in[where].count; k++)
            tails += pipe_flit_at(p, where, k) & 1;
    for (uint32_t host = 0; host < p->f->num_hosts; host++) {
        const pipe_host *h = &p->hosts[host];
        tails += !h->silent && h->packet != IK_NONE && h->flits_left < h->packet_flits;
    }
    if (misled)
        return ik_fail(err, IK_ERR_INTERNAL,
                       "cycle %llu: %llu packets reached hosts that they are not for",
                       (unsigned long long)cycle, (unsigned long long)misled);
    if (tails == pipe_in_flight(p))
        return IK_OK;
    return ik_fail(err, IK_ERR_INTERNAL,
                   "cycle %llu: packets are not conserved: %llu in flight by count, %llu found",
                   (unsigned long long)cycle, (unsigned long long)pipe_in_flight(p),
                   (unsigned long long)tails);
}

/* ---- requests */

static const char *pipe_check_find_fault(const pipe *p, const pipe_router *r, uint32_t bit)
{
    const pipe_vc *v = &r->in[bit];
    uint32_t vc = v->out_bit % p->vcs;
    bool active = v->state == VC_ACTIVE, wants = active && v->count && r->credits[v->out_bit];
    uint32_t wanted = 0, waited = 0;
    for (uint32_t out = 0; out < r->radix; out++) {
        wanted += pipe_sets_set_has(pipe_state_pipe_want(r, out, r->words), bit, r->words);
        waited += pipe_sets_set_has(pipe_state_pipe_wait(r, out), bit, r->words);
    }
    if (wanted != wants ||
        (wants && !pipe_sets_set_has(pipe_state_pipe_want(r, v->out, r->words), bit, r->words)))
        return "its request for the switch is wrong";
    if (waited > (v->state == VC_WAITING))
        return "asks for an output VC without a head";
    if (active && pipe_holders(r, v->out, r->words)[vc] != bit)
        return "does not hold its output VC";
    if ((v->state == VC_IDLE || v->state == VC_WAITING) && (v->count == 0) != (v->state == VC_IDLE))
        return "its state is wrong";
    return NULL;
}

/* hold_switch_for_packet: a port of the crossbar is kept by an input VC at that port which has the
 * next flit of its packet, and so is one port of its output. */
static bool connections_agree(const pipe *p, const pipe_router *r)
{
    uint32_t kept_in = 0, kept_out = 0;
    for (uint32_t port = 0; p->hold && port < r->radix * p->input_speedup; port++) {
        uint32_t bit = r->kept_in[port];
        if (bit == PIPE_NO_HOLDER)
            continue;
        const pipe_vc *v = &r->in[bit];
        kept_in++;
        if (p->crossbar_in[bit] != port || v->state != VC_ACTIVE || !v->count ||
            !r->kept_out[v->out * p->output_speedup + bit / p->vcs % p->output_speedup])
            return false;
    }
    for (uint32_t port = 0; p->hold && port < r->radix * p->output_speedup; port++)
        kept_out += r->kept_out[port];
    return kept_in == kept_out;
}

static ik_status check_requests(const pipe *p, uint64_t cycle, ik_error *err)
{
    for (uint32_t sw = 0; sw < p->f->num_switches; sw++) {
        const pipe_router *r = &p->routers[sw];
        const pipe_kernel k = pipe_kernel_of(r);
        const pipe_turn *turn = &p->partitions[p->node_partition[sw]].turns[sw];
        uint32_t flits = 0;
        for (uint32_t bit = 0; bit < (uint32_t)r->radix * p->vcs; bit++) {
            const char *fault = pipe_check_find_fault(p, r, bit);
            char name[160];
            if (fault)
                return ik_fail(
                    err, IK_ERR_INTERNAL, "cycle %llu, %s, VC %u: %s", (unsigned long long)cycle,
                    ik_port_describe(p->f, r->port_base + bit / p->vcs, name, sizeof name),
                    bit % p->vcs, fault);
            uint16_t holder = pipe_holders(r, bit / p->vcs, r->words)[bit % p->vcs];
            if (pipe_sets_set_has(pipe_free_out(r, k), bit, r->words) != (holder == PIPE_NO_HOLDER))
                return ik_fail(err, IK_ERR_INTERNAL,
                               "cycle %llu, switch %u: output VC %u is free and held",
                               (unsigned long long)cycle, sw, bit);
            flits += r->in[bit].count;
        }
        if (!connections_agree(p, r))
            return ik_fail(err, IK_ERR_INTERNAL,
                           "cycle %llu, switch %u: connections that are kept for packets disagree",
                           (unsigned long long)cycle, sw);
        if (flits != r->flits || (flits && !turn->listed))
            return ik_fail(err, IK_ERR_INTERNAL,
                           "cycle %llu, switch %u: %u flits by count, %u found",
                           (unsigned long long)cycle, sw, r->flits, flits);
    }
    return IK_OK;
}

ik_status pipe_check(const pipe *p, ik_error *err)
{
    size_t channels = (size_t)p->f->num_ports * p->vcs;
    uint32_t *flits = ik_calloc(channels * 2 + 1, sizeof *flits);
    uint64_t cycle = p->partitions[0].cycle;
    if (!flits)
        return ik_fail_memory(err, channels * 2 * sizeof *flits, "the paranoid checks");
    uint32_t *credits = flits + channels;
    pipe_count_events(p, flits, credits);
    ik_status status = pipe_check_credits(p, flits, credits, cycle, err);
    for (unsigned q = 0; status == IK_OK && q < p->num_partitions; q++)
        status = sim_edges_judge(p->partitions[q].edges, err);
    if (status == IK_OK)
        status = pipe_check_packets(p, cycle, err);
    if (status == IK_OK)
        status = check_requests(p, cycle, err);
    free(flits);
    return status;
}

void pipe_check_step(pipe_partition *q, const pipe_router *r, uint32_t bit)
{
    const pipe *p = q->p;
    const pipe_vc *v = &r->in[bit];
    uint32_t in = p->port_of_bit[bit], out = p->port_of_bit[v->out_bit];
    sim_edges_step(q->edges, pipe_rt_of(p, v->front >> 2), r->port_base + in, bit - in * p->vcs,
                   r->port_base + out, v->out_bit - out * p->vcs);
}

void pipe_check_delivery(pipe_partition *q, uint32_t host, uint32_t packet)
{
    const ik_packet *rt = pipe_rt_of(q->p, packet);
    order_verdict verdict =
        sim_order_note(&q->p->order[host], rt->src, pipe_packet_of(q->p, packet)->number);
    q->n.order_violations += verdict == ORDER_BROKEN;
    q->failed = q->failed || verdict == ORDER_NO_MEMORY;
    q->misled += rt->dst != host;
}
