/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependencies of the packets to one destination. Where an SL has one VL everywhere, the VLs of all
 * SLs are carried along together, one bit each; else SL by SL, because the VL that a packet takes
 * depends on the ports that it comes and goes by.
 */
#include "subnet/judge/judge.h"

#include <string.h>

void judge_service_levels(const judge *j, judge_scratch *s)
{
    uint32_t dst = s->tree.dst, own = j->source_of[dst];
    if (!j->sls && !j->by_port && !j->drops) {
        for (uint32_t sw = 0; sw < j->f->num_switches; sw++) {
            uint32_t from = j->first[sw], to = j->first[sw + 1];
            s->sls_at[sw] = to - from > (own >= from && own < to);
        }
        return;
    }
    memset(s->sls_at, 0, j->f->num_switches * sizeof *s->sls_at);
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        unsigned mask = 1u << ik_sl_of(j->sls, src->lid, dst);
        for (uint32_t p = 0; j->config.replies && own != IK_NONE && p < src->paths; p++)
            mask |= 1u << ik_sl_of(j->sls, dst, src->lid + p);
        s->sls[i] = (uint16_t)(i == own ? 0 : mask);
        if (src->sw != IK_NONE)
            s->sls_at[src->sw] |= s->sls[i];
    }
}

/* Carries VLs from the way out of sw to that of the next switch; true if VLs are new there. sl:
 * IK_NONE = every packet keeps its VL. */
static bool judge_lanes_carry(judge *j, judge_scratch *s, uint32_t sw, uint32_t sl)
{
    const lid_tree *t = &s->tree;
    uint32_t next = t->next[sw];
    unsigned mask = s->vls[sw], onward = mask;
    if (!mask || next == IK_NONE || t->out[next] == IK_NONE)
        return false;
    if (sl != IK_NONE) {
        uint32_t in = judge_local(j, j->f->port_peer[t->out[sw]]);
        unsigned vl = ik_vl_of(j->vls, next, in, judge_local(j, t->out[next]), sl);
        onward = vl >= IK_VL_MANAGEMENT ? 0 : 1u << vl;
    }
    if (t->next[next] != IK_NONE)
        for (unsigned vls = mask; vls; vls &= vls - 1) {
            unsigned vl = (unsigned)__builtin_ctz(vls);
            for (unsigned to = sl == IK_NONE ? 1u << vl : onward; to; to &= to - 1)
                lane_graph_add(&j->graph, t->out[sw], vl, t->out[next],
                               (unsigned)__builtin_ctz(to));
        }
    unsigned before = s->vls[next];
    s->vls[next] = (uint16_t)(before | onward);
    return s->vls[next] != before;
}

static void judge_lanes_carry_all(judge *j, judge_scratch *s, uint32_t sl)
{
    const lid_tree *t = &s->tree;
    for (uint32_t i = 0; i < t->num_sorted; i++)
        judge_lanes_carry(j, s, t->order[i], sl);
    for (bool news = t->num_sorted < j->f->num_switches; news;) {
        news = false;
        for (uint32_t i = t->num_sorted; i < j->f->num_switches; i++)
            news |= judge_lanes_carry(j, s, t->order[i], sl);
    }
}

static void judge_lanes_note_vls(const judge *j, judge_scratch *s)
{
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        if (s->tree.out[sw] != IK_NONE)
            s->tally.vls |= s->vls[sw];
}

/* ---- every SL has one VL */

/* VLs of a mask of SLs. */
static unsigned judge_lanes_vls_of(const judge *j, unsigned sls)
{
    unsigned mask = 0;
    if (!j->vls)
        return sls ? 1 : 0;
    for (; sls; sls &= sls - 1)
        mask |= 1u << j->vls->map[0][__builtin_ctz(sls)];
    return mask;
}

static void judge_lanes_data_at_once(judge *j, judge_scratch *s)
{
    const unsigned data = (1u << IK_VL_MANAGEMENT) - 1;
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        s->vls[sw] = (uint16_t)(judge_lanes_vls_of(j, s->sls_at[sw]) & data);
    judge_lanes_carry_all(j, s, IK_NONE);
    judge_lanes_note_vls(j, s);
    for (uint32_t i = 0; j->drops && i < j->num_sources; i++)
        s->dropped[i] = (judge_lanes_vls_of(j, s->sls[i]) & ~data) != 0;
}

/* ---- VLs by port */

static uint32_t judge_lanes_port_in(const judge *j, const judge_source *src)
{
    return judge_local(j, j->f->port_peer[src->port]);
}

/* Is a packet on this SL dropped at sw, come by local port `in`? */
static bool judge_lanes_drops_at(const judge *j, const lid_tree *t, uint32_t sw, uint32_t in,
                                 unsigned sl)
{
    return t->out[sw] != IK_NONE &&
           ik_vl_of(j->vls, sw, in, judge_local(j, t->out[sw]), sl) >= IK_VL_MANAGEMENT;
}

static void judge_lanes_find_dropped(const judge *j, judge_scratch *s, unsigned sl)
{
    const lid_tree *t = &s->tree;
    for (uint32_t i = t->num_sorted; i-- > 0;) {
        uint32_t sw = t->order[i], next = t->next[sw];
        s->via_drop[sw] =
            next != IK_NONE &&
            (s->via_drop[next] ||
             judge_lanes_drops_at(j, t, next, judge_local(j, j->f->port_peer[t->out[sw]]), sl));
    }
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        if (!(s->sls[i] >> sl & 1))
            continue;
        s->dropped[i] |= ik_vl_of_host(j->vls, src->port, sl) >= IK_VL_MANAGEMENT;
        if (src->sw != IK_NONE && s->tree.fate[src->sw] == IK_FATE_DELIVERED)
            s->dropped[i] |= s->via_drop[src->sw] ||
                             judge_lanes_drops_at(j, t, src->sw, judge_lanes_port_in(j, src), sl);
    }
}

/* What the sources of SL `sl` send into their switches' ways out. */
static void judge_lanes_inject(const judge *j, judge_scratch *s, unsigned sl)
{
    const lid_tree *t = &s->tree;
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        if (src->sw == IK_NONE || !(s->sls[i] >> sl & 1) || t->out[src->sw] == IK_NONE ||
            ik_vl_of_host(j->vls, src->port, sl) >= IK_VL_MANAGEMENT)
            continue;
        unsigned vl = ik_vl_of(j->vls, src->sw, judge_lanes_port_in(j, src),
                               judge_local(j, t->out[src->sw]), sl);
        if (vl < IK_VL_MANAGEMENT)
            s->vls[src->sw] |= (uint16_t)(1u << vl);
    }
}

static void judge_lanes_data_by_port(judge *j, judge_scratch *s)
{
    unsigned sls = 0;
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        sls |= s->sls_at[sw];
    memset(s->dropped, 0, j->num_sources * sizeof *s->dropped);
    for (; sls; sls &= sls - 1) {
        unsigned sl = (unsigned)__builtin_ctz(sls);
        memset(s->vls, 0, j->f->num_switches * sizeof *s->vls);
        judge_lanes_inject(j, s, sl);
        judge_lanes_carry_all(j, s, sl);
        judge_lanes_note_vls(j, s);
        if (j->drops)
            judge_lanes_find_dropped(j, s, sl);
    }
}

void judge_data(judge *j, judge_scratch *s)
{
    if (j->by_port)
        judge_lanes_data_by_port(j, s);
    else
        judge_lanes_data_at_once(j, s);
}

/* ---- performance queries */

void judge_queries(judge *j, judge_scratch *s)
{
    const lid_tree *t = &s->tree;
    uint32_t own = j->source_of[t->dst];
    memset(s->vls, 0, j->f->num_switches * sizeof *s->vls);
    for (uint32_t i = 0; i < j->num_sources; i++)
        s->sls[i] = i != own;
    judge_lanes_inject(j, s, 0);
    for (uint32_t sw = 0; own != IK_NONE && sw < j->f->num_switches; sw++) {
        if (t->out[sw] == IK_NONE)
            continue;
        unsigned vl = ik_vl_of(j->vls, sw, IK_NONE, judge_local(j, t->out[sw]), 0);
        if (vl < IK_VL_MANAGEMENT)
            s->vls[sw] |= (uint16_t)(1u << vl);
    }
    judge_lanes_carry_all(j, s, 0);
}
