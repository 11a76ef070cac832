/* SPDX-License-Identifier: Apache-2.0
 *
 * The edges that are known, in a hash table: a lookup per hop of a packet. */
#include "sim/measure/edges.h"
#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>

struct proved_edges {
    const ik_plan *plan;
    ik_hops *hops;
    ik_hash known;
    ik_hop *edges; /* [num] without_host_vcs() */
    size_t num, max;
    ik_status status;
    ik_error err;
};

proved_edges *sim_edges_new(const ik_plan *plan)
{
    proved_edges *e = ik_calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->plan = plan;
    e->hops = ik_hops_new(plan);
    if (!e->hops || !ik_hash_init(&e->known)) {
        ik_hops_free(e->hops);
        free(e);
        return NULL;
    }
    return e;
}

void sim_edges_free(proved_edges *e)
{
    if (!e)
        return;
    ik_hops_free(e->hops);
    ik_hash_free(&e->known);
    free(e->edges);
    free(e);
}

void sim_edges_carry(proved_edges *e, sim_carrier *c)
{
    SIM_CARRY(c, e->num);
    SIM_CARRY(c, e->max);
    SIM_CARRY_GROWN(c, e->edges, e->num, e->max);
    sim_carry_hash(c, &e->known);
}

uint64_t sim_edges_bytes(const proved_edges *e)
{
    return e ? sizeof *e + ik_hash_bytes(&e->known) + e->max * sizeof *e->edges : 0;
}

/* VCs of channels to and from hosts count as 0. */
static ik_hop without_host_vcs(const proved_edges *e, ik_hop hop)
{
    const ik_fabric *f = e->plan->fabric;
    if (!ik_is_switch(f, f->port_node[hop.in]))
        hop.in_vc = 0;
    if (!ik_is_switch(f, ik_peer_node(f, hop.out)))
        hop.out_vc = 0;
    return hop;
}

static uint32_t edges_tag_of(const ik_hop *hop)
{
    return ik_hash_tag2((uint64_t)hop->in << 32 | hop->out,
                        (uint64_t)hop->in_vc << 8 | hop->out_vc);
}

static bool edges_is_known(const proved_edges *e, const ik_hop *hop, uint32_t tag)
{
    uint32_t id;
    for (size_t at = ik_hash_first(&e->known, tag);
         (id = ik_hash_find(&e->known, tag, &at)) != IK_NONE; at++) {
        const ik_hop *edge = &e->edges[id];
        if (edge->in == hop->in && edge->out == hop->out && edge->in_vc == hop->in_vc &&
            edge->out_vc == hop->out_vc)
            return true;
    }
    return false;
}

static void edges_fail_memory(proved_edges *e)
{
    if (e->status == IK_OK)
        e->status = ik_fail_memory(&e->err, e->num * sizeof *e->edges, "the paranoid checks");
}

static void edges_note_hop(void *ctx, const ik_hop *walked)
{
    proved_edges *e = ctx;
    ik_hop hop = without_host_vcs(e, *walked);
    uint32_t tag = edges_tag_of(&hop);
    if (edges_is_known(e, &hop, tag))
        return;
    if (!IK_ARRAY_ROOM(e->edges, e->max, e->num + 1) ||
        !ik_hash_add(&e->known, tag, (uint32_t)e->num))
        edges_fail_memory(e);
    else
        e->edges[e->num++] = hop;
}

/* All hops of a pair become known. */
static void edges_walk(proved_edges *e, uint32_t src, uint32_t dst)
{
    uint32_t starts = ik_plan_num_starts(e->plan, src, dst);
    for (uint32_t n = 0; n < starts && e->status == IK_OK; n++)
        if (ik_hops_each(e->hops, src, dst, n, edges_note_hop, e, NULL) != IK_OK)
            edges_fail_memory(e);
}

/* `first`: the first VC of the copy of VCs that the packet is in. */
static void edges_reject(proved_edges *e, const ik_packet *rt, const ik_hop *step, unsigned first)
{
    const ik_fabric *f = e->plan->fabric;
    char held[200], next[200];
    uint32_t src = f->split ? f->split->host_of[rt->src] : rt->src,
             dst = f->split ? f->split->host_of[rt->dst] : rt->dst;
    ik_port_describe(f, step->in, held, sizeof held);
    ik_port_describe(f, step->out, next, sizeof next);
    e->status = ik_fail(&e->err, IK_ERR_INTERNAL,
                        "simulation: a packet from host %u to host %u on VC %u of the channel from "
                        "%s was given VC %u of the channel from %s, which is no edge of the "
                        "dependency graph that is proved",
                        src, dst, (uint8_t)(step->in_vc + first), held, step->out_vc + first, next);
}

bool sim_edges_step(proved_edges *e, const ik_packet *rt, uint32_t in_port, unsigned in_vc,
                    uint32_t out_port, unsigned out_vc)
{
    /* packets stay in their copy of the VCs, and are walked in the first one */
    unsigned num_vcs = e->plan->vc->num_vcs, first = out_vc - out_vc % num_vcs;
    ik_hop step = {.in = e->plan->fabric->port_peer[in_port],
                   .out = out_port,
                   .in_vc = (uint8_t)(in_vc - first),
                   .out_vc = (uint8_t)(out_vc - first)};
    const ik_hop edge = without_host_vcs(e, step);
    uint32_t tag = edges_tag_of(&edge);
    if (edges_is_known(e, &edge, tag))
        return true;
    if (e->status == IK_OK)
        edges_walk(e, rt->src, rt->dst);
    if (e->status == IK_OK && !edges_is_known(e, &edge, tag))
        edges_reject(e, rt, &step, first);
    return e->status == IK_OK;
}

ik_status sim_edges_judge(const proved_edges *e, ik_error *err)
{
    if (e && e->status != IK_OK && err)
        *err = e->err;
    return e ? e->status : IK_OK;
}
