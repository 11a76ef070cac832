/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "subnet/judge/judge.h"

#include <stdlib.h>

/* The packet has crossed `channel`. */
static ik_fate judge_walk_arrive(const judge *j, judge_packet *p, uint32_t channel, unsigned vl)
{
    uint32_t peer = j->f->port_peer[channel], node = j->f->port_node[peer];
    bool at_switch = ik_is_switch(j->f, node);
    p->channel = channel;
    p->vl = vl;
    p->sw = at_switch ? node : IK_NONE;
    p->in = judge_local(j, peer);
    if (at_switch)
        return IK_FATE_LOOP;
    return peer == j->lids->of[p->dst].port ? IK_FATE_DELIVERED : IK_FATE_WRONG_PORT;
}

ik_fate judge_step(const judge *j, judge_packet *p)
{
    unsigned number = ik_lid_tables_row(j->t, p->sw)[p->dst];
    if (number == IK_PORT_SELF)
        return j->lids->of[p->dst].node == p->sw ? IK_FATE_DELIVERED : IK_FATE_WRONG_PORT;
    if (number == IK_PORT_NONE)
        return IK_FATE_NO_ENTRY;
    uint32_t out = judge_out(j, p->sw, number);
    if (out == IK_NONE)
        return IK_FATE_DEAD_PORT;
    unsigned vl = ik_vl_of(j->vls, p->sw, p->in, judge_local(j, out), p->sl);
    return vl >= IK_VL_MANAGEMENT ? IK_FATE_DROPPED : judge_walk_arrive(j, p, out, vl);
}

bool judge_send(const judge *j, uint32_t src, uint32_t dst, unsigned sl, judge_packet *p)
{
    const ik_lid *from = &j->lids->of[src];
    *p = (judge_packet){.dst = dst, .sl = sl, .sw = from->node, .in = IK_NONE, .channel = IK_NONE};
    if (from->port == IK_NONE)
        return true;
    unsigned vl = ik_vl_of_host(j->vls, from->port, sl);
    if (vl >= IK_VL_MANAGEMENT)
        return false;
    judge_walk_arrive(j, p, from->port, vl);
    return true;
}

/* ---- one way, hop by hop */

static bool judge_walk_crossed(const ik_subnet_way *way)
{
    const ik_subnet_hop *last = &way->hops[way->num - 1];
    for (size_t i = 0; i + 1 < way->num; i++)
        if (way->hops[i].channel == last->channel && way->hops[i].vl == last->vl)
            return true;
    return false;
}

static bool judge_walk_keep_hop(ik_subnet_way *way, size_t *cap, const judge_packet *p)
{
    if (!IK_ARRAY_ROOM(way->hops, *cap, way->num + 1))
        return false;
    way->hops[way->num++] = (ik_subnet_hop){p->channel, (uint8_t)p->vl};
    return true;
}

static ik_status judge_walk_walk(const judge *j, judge_packet *p, ik_subnet_way *way, ik_error *err)
{
    size_t cap = 0;
    bool room = true;
    way->fate = IK_FATE_LOOP;
    if (p->channel != IK_NONE) {
        room = judge_walk_keep_hop(way, &cap, p);
        if (p->sw == IK_NONE)
            way->fate = j->f->port_peer[p->channel] == j->lids->of[p->dst].port
                            ? IK_FATE_DELIVERED
                            : IK_FATE_WRONG_PORT;
    }
    while (room && p->sw != IK_NONE) {
        uint32_t at = p->sw;
        way->end = at;
        way->fate = judge_step(j, p);
        if (way->fate != IK_FATE_LOOP && p->sw != IK_NONE)
            return IK_OK; /* it stays there */
        room = judge_walk_keep_hop(way, &cap, p);
        if (room && way->fate == IK_FATE_LOOP && judge_walk_crossed(way))
            return IK_OK;
    }
    if (!room)
        return ik_fail_memory(err, (way->num + 1) * sizeof *way->hops, "the way of a packet");
    way->end = j->f->port_node[j->f->port_peer[p->channel]];
    return IK_OK;
}

ik_status ik_subnet_walk(const ik_lid_tables *t, const ik_sl2vl *vls, uint32_t src, uint32_t dst,
                         unsigned sl, ik_subnet_way *out, ik_error *err)
{
    judge j = {.t = t, .lids = t->lids, .f = t->lids->fabric, .vls = vls};
    ik_subnet_way way = {.end = t->lids->of[src].node};
    judge_packet p;
    ik_status status = judge_find_hops(j.f, &j.hops, err);
    if (status != IK_OK)
        return status;
    if (judge_send(&j, src, dst, sl, &p))
        status = judge_walk_walk(&j, &p, &way, err);
    else
        way.fate = IK_FATE_DROPPED;
    free(j.hops.of);
    if (status == IK_OK)
        *out = way;
    else
        free(way.hops);
    return status;
}
