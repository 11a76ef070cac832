/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependencies of the packets to the destinations of a group. Where an SL has one VL everywhere,
 * the VLs of all SLs are carried along together, one bit each; else SL by SL, because the VL that a
 * packet takes depends on the ports that it comes and goes by.
 */
#include "subnet/judge/judge.h"

#include <string.h>

/* Has the switch a source of data to a host's LID? own: the source that has it, IK_NONE: it is a
 * switch's. */
static inline bool judge_lanes_sends(const judge *j, uint32_t sw, uint32_t own)
{
    uint32_t from = j->first[sw], to = j->first[sw + 1];
    return own != IK_NONE && to - from > (own >= from && own < to);
}

static void judge_lanes_levels_of(const judge *j, judge_scratch *s, uint32_t k)
{
    uint32_t dst = s->group.dst[k], own = j->source_of[dst];
    if (own == IK_NONE)
        return;
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        unsigned mask = 1u << ik_sl_of(j->sls, src->lid, dst);
        for (uint32_t p = 0; j->config.replies && p < src->paths; p++)
            mask |= 1u << ik_sl_of(j->sls, dst, src->lid + p);
        s->sls[i] = (uint16_t)(i == own ? 0 : mask);
        if (src->sw != IK_NONE)
            s->sls_at[(size_t)src->sw * s->group.num + k] |= s->sls[i];
    }
}

void judge_service_levels(const judge *j, judge_scratch *s)
{
    uint32_t num = s->group.num;
    if (j->sls || judge_is_alone(j)) {
        memset(s->sls_at, 0, (size_t)j->f->num_switches * num * sizeof *s->sls_at);
        for (uint32_t k = 0; k < num; k++)
            judge_lanes_levels_of(j, s, k);
        return;
    }
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        for (uint32_t k = 0; k < num; k++)
            s->sls_at[(size_t)sw * num + k] =
                judge_lanes_sends(j, sw, j->source_of[s->group.dst[k]]);
}

/* Carries VLs of packets to LID number k from the way out of sw to that of the next switch; true if
 * VLs are new there. sl: IK_NONE = every packet keeps its VL. */
static inline bool judge_lanes_carry_one(const judge *j, lane_graph *g, judge_scratch *s,
                                         uint32_t out, uint32_t next, uint32_t k, unsigned mask,
                                         uint32_t sl)
{
    const lid_stand *then = judge_stands(&s->group, next) + k;
    uint16_t *vls = s->vls + (size_t)next * s->group.num + k;
    unsigned onward = mask, before = *vls;
    if (then->out == IK_NONE)
        return false;
    if (sl != IK_NONE) {
        uint32_t in = judge_local(j, j->f->port_peer[out]);
        unsigned vl = ik_vl_of(j->vls, next, in, judge_local(j, then->out), sl);
        onward = vl >= IK_VL_MANAGEMENT ? 0 : 1u << vl;
    }
    if (then->next != IK_NONE)
        for (unsigned rest = mask; rest; rest &= rest - 1) {
            unsigned vl = (unsigned)__builtin_ctz(rest);
            for (unsigned to = sl == IK_NONE ? 1u << vl : onward; to; to &= to - 1)
                lane_graph_add(g, out, vl, next, then->out, (unsigned)__builtin_ctz(to));
        }
    *vls = (uint16_t)(before | onward);
    return *vls != before;
}

/* The same for all LIDs of the group; *used: VLs on the way out of sw. */
static bool judge_lanes_carry(const judge *j, lane_graph *g, judge_scratch *s, uint32_t sw,
                              uint32_t sl, unsigned *used)
{
    uint32_t num = s->group.num;
    const lid_stand *at = judge_stands(&s->group, sw);
    const uint16_t *vls = s->vls + (size_t)sw * num;
    bool news = false;
    for (uint32_t k = 0; k < num; k++) {
        if (!vls[k] || at[k].out == IK_NONE)
            continue;
        *used |= vls[k];
        if (at[k].next != IK_NONE)
            news |= judge_lanes_carry_one(j, g, s, at[k].out, at[k].next, k, vls[k], sl);
    }
    return news;
}

/* Returns the VLs that are used on ways out. */
static unsigned judge_lanes_carry_all(const judge *j, lane_graph *g, judge_scratch *s, uint32_t sl)
{
    const lid_group *t = &s->group;
    unsigned used = 0;
    for (uint32_t i = j->f->num_switches; i-- > t->num_looped;)
        judge_lanes_carry(j, g, s, t->order[i], sl, &used);
    for (bool news = t->num_looped > 0; news;) {
        news = false;
        for (uint32_t i = t->num_looped; i-- > 0;)
            news |= judge_lanes_carry(j, g, s, t->order[i], sl, &used);
    }
    return used;
}

/* ---- every SL has one VL */

/* VLs of a mask of SLs. */
static inline unsigned judge_lanes_vls_of(const judge *j, unsigned sls)
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
    size_t cells = (size_t)j->f->num_switches * s->group.num;
    for (size_t i = 0; i < cells; i++)
        s->vls[i] = (uint16_t)(judge_lanes_vls_of(j, s->sls_at[i]) & data);
    s->tally.vls |= judge_lanes_carry_all(j, &j->graph, s, IK_NONE);
    for (uint32_t i = 0; j->drops && i < j->num_sources; i++)
        s->dropped[i] = (judge_lanes_vls_of(j, s->sls[i]) & ~data) != 0;
}

/* ---- VLs by port, of the only LID of the group */

static uint32_t judge_lanes_port_in(const judge *j, const judge_source *src)
{
    return judge_local(j, j->f->port_peer[src->port]);
}

/* Is a packet on this SL dropped at sw, come by local port `in`? */
static bool judge_lanes_drops_at(const judge *j, const lid_stand *at, uint32_t sw, uint32_t in,
                                 unsigned sl)
{
    return at[sw].out != IK_NONE &&
           ik_vl_of(j->vls, sw, in, judge_local(j, at[sw].out), sl) >= IK_VL_MANAGEMENT;
}

static void judge_lanes_find_dropped(const judge *j, judge_scratch *s, unsigned sl)
{
    const lid_group *t = &s->group;
    const lid_stand *at = t->at;
    for (uint32_t i = t->num_looped; i < j->f->num_switches; i++) {
        uint32_t sw = t->order[i], next = at[sw].next;
        s->via_drop[sw] =
            next != IK_NONE &&
            (s->via_drop[next] ||
             judge_lanes_drops_at(j, at, next, judge_local(j, j->f->port_peer[at[sw].out]), sl));
    }
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        if (!(s->sls[i] >> sl & 1))
            continue;
        s->dropped[i] |= ik_vl_of_host(j->vls, src->port, sl) >= IK_VL_MANAGEMENT;
        if (src->sw != IK_NONE && at[src->sw].fate == IK_FATE_DELIVERED)
            s->dropped[i] |= s->via_drop[src->sw] ||
                             judge_lanes_drops_at(j, at, src->sw, judge_lanes_port_in(j, src), sl);
    }
}

/* What the sources of SL `sl` send into their switches' ways out. */
static void judge_lanes_inject(const judge *j, judge_scratch *s, unsigned sl)
{
    const lid_stand *at = s->group.at;
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        if (src->sw == IK_NONE || !(s->sls[i] >> sl & 1) || at[src->sw].out == IK_NONE ||
            ik_vl_of_host(j->vls, src->port, sl) >= IK_VL_MANAGEMENT)
            continue;
        unsigned vl = ik_vl_of(j->vls, src->sw, judge_lanes_port_in(j, src),
                               judge_local(j, at[src->sw].out), sl);
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
        s->tally.vls |= judge_lanes_carry_all(j, &j->graph, s, sl);
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

/* All switches, or those that hosts hang on, send on SL 0's only VL. */
static void judge_lanes_queries_at_once(const judge *j, judge_scratch *s)
{
    uint32_t num = s->group.num;
    uint16_t mask = (uint16_t)(1u << ik_vl_of_host(j->vls, 0, 0));
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        for (uint32_t k = 0; k < num; k++) {
            bool to_host = j->source_of[s->group.dst[k]] != IK_NONE;
            s->vls[(size_t)sw * num + k] = to_host || j->first[sw + 1] > j->first[sw] ? mask : 0;
        }
}

static void judge_lanes_queries_alone(const judge *j, judge_scratch *s)
{
    const lid_stand *at = s->group.at;
    uint32_t own = j->source_of[s->group.dst[0]];
    memset(s->vls, 0, j->f->num_switches * sizeof *s->vls);
    for (uint32_t i = 0; i < j->num_sources; i++)
        s->sls[i] = i != own;
    judge_lanes_inject(j, s, 0);
    for (uint32_t sw = 0; own != IK_NONE && sw < j->f->num_switches; sw++) {
        if (at[sw].out == IK_NONE)
            continue;
        unsigned vl = ik_vl_of(j->vls, sw, IK_NONE, judge_local(j, at[sw].out), 0);
        if (vl < IK_VL_MANAGEMENT)
            s->vls[sw] |= (uint16_t)(1u << vl);
    }
}

void judge_queries(judge *j, judge_scratch *s)
{
    bool alone = judge_is_alone(j);
    if (alone)
        judge_lanes_queries_alone(j, s);
    else
        judge_lanes_queries_at_once(j, s);
    judge_lanes_carry_all(j, &j->queries, s, alone ? 0 : IK_NONE);
}
