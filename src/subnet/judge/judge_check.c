/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a verdict on deadlocks without the code that made it: packets are followed one by one
 * through the entries of the tables, and every hop has to go up in the order of channels and VLs,
 * or to make the dependency of the cycle for which it is named. Neither trees of destinations, nor
 * masks of lanes, nor the graph are used. Cost: hops of the packets that are followed.
 */
#include "subnet/judge/judge.h"

/* Hops that are always followed, and the part of (switches x LIDs), which is what judging costs. */
#define FEW_HOPS 20000
#define SHARE    64
#define STRIDE   2654435761u

typedef struct checker {
    const judge *j;
    const uint32_t *order; /* position of each vertex of the graph */
    uint64_t hops;
    /* what a cycle's step has to make; NULL = an order is checked */
    const ik_subnet_loop *held, *next;
    bool made;
} checker;

static ik_status judge_check_reject(const checker *c, uint32_t channel, uint32_t src, uint32_t dst,
                                    ik_error *err)
{
    const ik_lids *lids = c->j->lids;
    char at[200];
    return ik_fail(
        err, IK_ERR_INTERNAL,
        "the verdict on the tables is rejected: a packet from LID %u to LID %u takes the "
        "channel from %s, which does not come later in the order than what it holds",
        lids->of[src].lid, lids->of[dst].lid, ik_port_describe(c->j->f, channel, at, sizeof at));
}

/* Follows a packet from a port of a host, or from a switch. */
static ik_status judge_check_follow(checker *c, uint32_t src, uint32_t dst, unsigned sl,
                                    ik_error *err)
{
    const judge *j = c->j;
    const ik_fabric *f = j->f;
    uint32_t sw = j->lids->of[src].node, in = IK_NONE, held = 0, first = j->lids->of[src].port,
             channel = IK_NONE;
    unsigned held_vl = 0;
    if (first != IK_NONE) {
        uint32_t peer = f->port_peer[first];
        if (ik_vl_of_host(j->vls, first, sl) >= IK_VL_MANAGEMENT || peer == IK_NONE)
            return IK_OK;
        sw = f->port_node[peer];
        in = peer - f->port_base[sw];
    }
    for (uint32_t hops = 0; ik_is_switch(f, sw) && hops < judge_most_hops(j); hops++) {
        unsigned number = ik_lid_tables_row(j->t, sw)[dst];
        uint32_t out = number == IK_PORT_SELF || number == IK_PORT_NONE
                           ? IK_NONE
                           : ik_port_of_number(f, sw, number);
        if (out == IK_NONE || f->port_peer[out] == IK_NONE)
            break;
        unsigned vl = ik_vl_of(j->vls, sw, in, out - f->port_base[sw], sl);
        sw = f->port_node[f->port_peer[out]];
        if (vl >= IK_VL_MANAGEMENT || !ik_is_switch(f, sw))
            break;
        in = f->port_peer[out] - f->port_base[sw];
        c->hops++;
        if (c->next) {
            c->made |= channel == c->held->channel && held_vl == c->held->vl &&
                       out == c->next->channel && vl == c->next->vl;
        } else {
            uint32_t rank =
                c->order[lane_graph_vertex(&j->graph, j->graph.channel_of[out], vl)] + 1;
            if (rank <= held)
                return judge_check_reject(c, out, src, dst, err);
            held = rank;
        }
        channel = out;
        held_vl = vl;
    }
    return IK_OK;
}

/* All packets of data from a port of a host to a LID, or the queries on SL 0. */
static ik_status judge_check_follow_pair(checker *c, uint32_t src, uint32_t dst, bool queries,
                                         ik_error *err)
{
    const judge *j = c->j;
    bool from_switch = j->lids->of[src].port == IK_NONE, to_switch = j->source_of[dst] == IK_NONE;
    if (j->source_of[src] == j->source_of[dst] && !from_switch)
        return IK_OK;
    if (from_switch && (to_switch || !queries))
        return IK_OK;
    ik_status status = queries ? judge_check_follow(c, src, dst, 0, err) : IK_OK;
    if (from_switch || to_switch || status != IK_OK || j->lids->of[src].path)
        return status;
    status = judge_check_follow(c, src, dst, ik_sl_of(j->sls, src, dst), err);
    uint32_t paths = j->config.replies ? j->sources[j->source_of[src]].paths : 0;
    for (uint32_t p = 0; p < paths && status == IK_OK; p++)
        status = judge_check_follow(c, src, dst, ik_sl_of(j->sls, dst, src + p), err);
    return status;
}

ik_status judge_check_order(const judge *j, const uint32_t *order, bool queries, ik_error *err)
{
    uint64_t num = j->lids->num, all = num * num, pair = 0;
    uint64_t most = FEW_HOPS + num * j->f->num_switches / SHARE;
    checker c = {.j = j, .order = order};
    ik_status status = IK_OK;
    for (uint64_t i = 0; i < all && i < most && status == IK_OK && c.hops < most; i++) {
        status = judge_check_follow_pair(&c, (uint32_t)(pair / num), (uint32_t)(pair % num),
                                         queries, err);
        pair = (pair + STRIDE) % all;
    }
    return status;
}

ik_status judge_check_loop(const judge *j, const ik_subnet_loop *loop, size_t length, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < length && status == IK_OK; i++) {
        checker c = {.j = j, .held = &loop[i], .next = &loop[(i + 1) % length]};
        status = judge_check_follow(&c, loop[i].src, loop[i].dst, loop[i].sl, err);
        if (status == IK_OK && !c.made)
            status =
                ik_fail(err, IK_ERR_INTERNAL,
                        "the credit loop is rejected: packets from LID %u to LID %u do not make "
                        "its dependency %zu",
                        j->lids->of[loop[i].src].lid, j->lids->of[loop[i].dst].lid, i + 1);
    }
    return status;
}
