/* SPDX-License-Identifier: Apache-2.0
 *
 * judge_group.c: the ways of packets to a group of destinations, from the entries of all switches.
 */
#include "subnet/judge/judge.h"

#include <string.h>

/* ---- an order of the switches */

/* Fills g->queue with switches of the first LID, each after those whose way leads through it, but
 * for those in loops; returns how many. */
static uint32_t judge_group_peel(lid_group *g, uint32_t switches)
{
    uint32_t end = 0;
    memset(g->before, 0, switches * sizeof *g->before);
    for (uint32_t sw = 0; sw < switches; sw++)
        if (g->next[sw] != IK_NONE)
            g->before[g->next[sw]]++;
    for (uint32_t sw = 0; sw < switches; sw++)
        if (!g->before[sw])
            g->queue[end++] = sw;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t next = g->next[g->queue[i]];
        if (next != IK_NONE && --g->before[next] == 0)
            g->queue[end++] = next;
    }
    return end;
}

/* Orders the switches by the length of their way to the first LID. */
static void judge_group_sort(const judge *j, lid_group *g)
{
    uint32_t switches = j->f->num_switches, *begin = g->before;
    for (uint32_t sw = 0; sw < switches; sw++)
        g->next[sw] = judge_hop_by(j, sw, ik_lid_tables_row(j->t, sw)[g->dst[0]]).next;
    uint32_t sorted = judge_group_peel(g, switches);
    g->num_looped = 0;
    for (uint32_t sw = 0; sw < switches && sorted < switches; sw++)
        if (g->before[sw]) {
            g->depth[sw] = 0;
            g->rank[sw] = g->num_looped;
            g->order[g->num_looped++] = sw;
        }
    memset(begin, 0, ((size_t)switches + 1) * sizeof *begin);
    for (uint32_t i = sorted; i-- > 0;) {
        uint32_t sw = g->queue[i], next = g->next[sw];
        g->depth[sw] = next == IK_NONE ? 0 : g->depth[next] + 1;
        begin[g->depth[sw] + 1]++;
    }
    begin[0] = g->num_looped;
    for (uint32_t depth = 0; depth < switches; depth++)
        begin[depth + 1] += begin[depth];
    for (uint32_t i = sorted; i-- > 0;) {
        uint32_t sw = g->queue[i];
        g->rank[sw] = begin[g->depth[sw]]++;
        g->order[g->rank[sw]] = sw;
    }
}

/* ---- where the entries lead */

/* An entry that does not lead to a switch. */
static ik_fate judge_group_end(const judge *j, uint32_t sw, unsigned number, uint32_t port,
                               uint32_t dst)
{
    const ik_lid *to = &j->lids->of[dst];
    if (number == IK_PORT_SELF)
        return to->node == sw ? IK_FATE_DELIVERED : IK_FATE_WRONG_PORT;
    if (number == IK_PORT_NONE)
        return IK_FATE_NO_ENTRY;
    if (port == IK_NONE)
        return IK_FATE_DEAD_PORT;
    return j->f->port_peer[port] == to->port ? IK_FATE_DELIVERED : IK_FATE_WRONG_PORT;
}

/* Fills the stands of all LIDs. False: there are some that the order does not fit. */
static bool judge_group_fill(const judge *j, lid_group *g)
{
    bool fits = true;
    memset(g->misfits, 0, g->num * sizeof *g->misfits);
    for (uint32_t i = 0; i < j->f->num_switches; i++) {
        uint32_t sw = g->order[i];
        const uint8_t *row = ik_lid_tables_row(j->t, sw);
        lid_stand *at = judge_stands(g, sw);
        for (uint32_t k = 0; k < g->num; k++) {
            unsigned number = row[g->dst[k]];
            judge_hop hop = judge_hop_by(j, sw, number);
            uint32_t way = IK_FATE_LOOP;
            if (hop.next == IK_NONE) {
                way = judge_group_end(j, sw, number, hop.port, g->dst[k]);
            } else if (g->rank[hop.next] < i) {
                way = judge_stands(g, hop.next)[k].way + WAY_HOP;
            } else if (k > 0) {
                g->misfits[k] = true;
                fits = false;
            }
            at[k] = (lid_stand){.out = hop.port, .next = hop.next, .way = way};
        }
    }
    return fits;
}

/* ---- chunks */

static void judge_group_look_alone(const judge *j, uint32_t dst, lid_group *g, judge_look *look,
                                   void *ctx)
{
    g->num = 1;
    g->dst[0] = dst;
    judge_group_sort(j, g);
    judge_group_fill(j, g);
    look(ctx, g);
}

/* Moves the LIDs that do not fit to those that are looked at alone, all of a port together; returns
 * how many those are. */
static uint32_t judge_group_part(const judge *j, lid_group *g)
{
    uint32_t kept = 0, parted = 0;
    for (uint32_t k = 0, end; k < g->num; k = end) {
        bool fits = true;
        for (end = k; end < g->num && (end == k || j->lids->of[g->dst[end]].path); end++)
            fits &= !g->misfits[end];
        for (uint32_t i = k; i < end; i++)
            *(fits ? &g->dst[kept++] : &g->alone[parted++]) = g->dst[i];
    }
    g->num = kept;
    return parted;
}

void judge_chunk(const judge *j, size_t chunk, lid_group *g, judge_look *look, void *ctx)
{
    const uint32_t *lids = j->by_place + j->chunk[chunk];
    uint32_t num = j->chunk[chunk + 1] - j->chunk[chunk], parted = 0;
    g->sw = judge_place(j, lids[0]);
    if (judge_is_alone(j)) {
        for (uint32_t i = 0; i < num; i++)
            judge_group_look_alone(j, lids[i], g, look, ctx);
        return;
    }
    g->num = num;
    memcpy(g->dst, lids, num * sizeof *lids);
    judge_group_sort(j, g);
    if (!judge_group_fill(j, g)) {
        parted = judge_group_part(j, g);
        judge_group_fill(j, g);
    }
    if (g->num)
        look(ctx, g);
    for (uint32_t i = 0; i < parted; i++)
        judge_group_look_alone(j, g->alone[i], g, look, ctx);
}
