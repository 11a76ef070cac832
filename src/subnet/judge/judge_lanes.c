/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependencies of the packets to the destinations of a group. Where an SL has one VL everywhere,
 * the VLs of all SLs are carried along together, one bit each; else SL by SL, because the VL that a
 * packet takes depends on the ports that it comes and goes by.
 */
#include "subnet/judge/judge.h"

#include <string.h>

static const unsigned data_vls = (1u << IK_VL_MANAGEMENT) - 1;

/* ---- carrying VLs along */

static inline judge_vls *judge_lanes_at(const judge_scratch *s, uint32_t sw)
{
    return s->vls + (size_t)sw * s->group.num;
}

/* Packets that hold (out, vl) wait for (onward, onward_vl), data or queries. */
static inline void judge_lanes_add(judge *j, uint32_t out, unsigned vl, uint32_t next,
                                   uint32_t onward, unsigned onward_vl, judge_vls held)
{
    uint64_t mask, *word = lane_graph_find_bit(&j->graph, out, vl, next, onward, onward_vl, &mask);
    if (held.data >> vl & 1)
        lane_graph_set_bit(word, mask);
    if (held.queries >> vl & 1)
        lane_graph_set_bit(j->queries.bits + (word - j->graph.bits), mask);
}

/* Carries VLs of packets to LID number k, `held` on the way out of a switch, to that of the next;
 * true if VLs are new there. sl: IK_NONE = every packet keeps its VL. */
static inline bool judge_lanes_carry_one(judge *j, judge_scratch *s, uint32_t out, uint32_t next,
                                         uint32_t k, judge_vls held, uint32_t sl)
{
    const lid_stand *then = judge_stands(&s->group, next) + k;
    judge_vls *there = judge_lanes_at(s, next) + k, before = *there, onward = held;
    if (then->out == IK_NONE)
        return false;
    if (sl != IK_NONE) {
        uint32_t in = judge_local(j, j->f->port_peer[out]);
        unsigned vl = ik_vl_of(j->vls, next, in, judge_local(j, then->out), sl),
                 mask = vl >= IK_VL_MANAGEMENT ? 0 : 1u << vl;
        onward = (judge_vls){(uint16_t)(held.data ? mask : 0), (uint16_t)(held.queries ? mask : 0)};
    }
    if (then->next != IK_NONE)
        for (unsigned vls = held.data | held.queries; vls; vls &= vls - 1) {
            unsigned vl = (unsigned)__builtin_ctz(vls);
            for (unsigned to = sl == IK_NONE ? 1u << vl : onward.data | onward.queries; to;
                 to &= to - 1)
                judge_lanes_add(j, out, vl, next, then->out, (unsigned)__builtin_ctz(to), held);
        }
    there->data |= onward.data;
    there->queries |= onward.queries;
    return there->data != before.data || there->queries != before.queries;
}

/* The same for all LIDs of the group. */
static bool judge_lanes_carry(judge *j, judge_scratch *s, uint32_t sw, uint32_t sl)
{
    const lid_stand *at = judge_stands(&s->group, sw);
    const judge_vls *held = judge_lanes_at(s, sw);
    bool news = false;
    for (uint32_t k = 0; k < s->group.num; k++) {
        if (!(held[k].data | held[k].queries) || at[k].out == IK_NONE)
            continue;
        s->tally.vls |= held[k].data;
        if (at[k].next != IK_NONE)
            news |= judge_lanes_carry_one(j, s, at[k].out, at[k].next, k, held[k], sl);
    }
    return news;
}

static void judge_lanes_carry_all(judge *j, judge_scratch *s, uint32_t sl)
{
    const lid_group *g = &s->group;
    for (uint32_t i = j->f->num_switches; i-- > g->num_looped;)
        judge_lanes_carry(j, s, g->order[i], sl);
    for (bool news = g->num_looped > 0; news;) {
        news = false;
        for (uint32_t i = g->num_looped; i-- > 0;)
            news |= judge_lanes_carry(j, s, g->order[i], sl);
    }
}

/* ---- SLs of data */

/* Fills s->sls with SLs of every source's packets to a host's LID, own port excluded (no SL). */
static void judge_lanes_find_levels(const judge *j, judge_scratch *s, uint32_t dst)
{
    uint32_t own = j->source_of[dst];
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        unsigned mask = 1u << ik_sl_of(j->sls, src->lid, dst);
        for (uint32_t p = 0; j->config.replies && p < src->paths; p++)
            mask |= 1u << ik_sl_of(j->sls, dst, src->lid + p);
        s->sls[i] = (uint16_t)(i == own ? 0 : mask);
    }
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

/* What the sources of each switch send to LID number k, each on its own SL. */
static void judge_lanes_send(const judge *j, judge_scratch *s, uint32_t k)
{
    judge_lanes_find_levels(j, s, s->group.dst[k]);
    for (uint32_t i = 0; i < j->num_sources; i++) {
        unsigned mask = judge_lanes_vls_of(j, s->sls[i]);
        if (j->sources[i].sw != IK_NONE)
            judge_lanes_at(s, j->sources[i].sw)[k].data |= (uint16_t)(mask & data_vls);
        s->dropped[i] = (mask & ~data_vls) != 0;
    }
}

/* What each switch sends to the LIDs: queries on SL 0 to hosts from everywhere, to switches from
 * hosts; data to hosts, where all of it is on SL 0. */
static void judge_lanes_start(const judge *j, judge_scratch *s)
{
    uint16_t on_sl_0 = (uint16_t)(judge_lanes_vls_of(j, 1) & data_vls),
             queries = j->config.management ? on_sl_0 : 0, data = j->sls ? 0 : on_sl_0;
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++) {
        uint32_t from = j->first[sw], to = j->first[sw + 1];
        judge_vls *at = judge_lanes_at(s, sw);
        for (uint32_t k = 0; k < s->group.num; k++) {
            uint32_t own = j->source_of[s->group.dst[k]];
            bool others = to - from > (own >= from && own < to);
            at[k].data = own != IK_NONE && others ? data : 0;
            at[k].queries = own != IK_NONE || to > from ? queries : 0;
        }
    }
}

static void judge_lanes_at_once(judge *j, judge_scratch *s)
{
    judge_lanes_start(j, s);
    for (uint32_t k = 0; k < s->group.num; k++)
        if ((j->sls || j->drops) && j->source_of[s->group.dst[k]] != IK_NONE)
            judge_lanes_send(j, s, k);
    judge_lanes_carry_all(j, s, IK_NONE);
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
        if (src->sw != IK_NONE && lid_stand_fate(&at[src->sw]) == IK_FATE_DELIVERED)
            s->dropped[i] |= s->via_drop[src->sw] ||
                             judge_lanes_drops_at(j, at, src->sw, judge_lanes_port_in(j, src), sl);
    }
}

/* What the sources of SL `sl` send into their switches' ways out. */
static void judge_lanes_inject(const judge *j, judge_scratch *s, unsigned sl, bool queries)
{
    const lid_stand *at = s->group.at;
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        if (src->sw == IK_NONE || !(s->sls[i] >> sl & 1) || at[src->sw].out == IK_NONE ||
            ik_vl_of_host(j->vls, src->port, sl) >= IK_VL_MANAGEMENT)
            continue;
        unsigned vl = ik_vl_of(j->vls, src->sw, judge_lanes_port_in(j, src),
                               judge_local(j, at[src->sw].out), sl);
        uint16_t mask = (uint16_t)(vl < IK_VL_MANAGEMENT ? 1u << vl : 0);
        *(queries ? &s->vls[src->sw].queries : &s->vls[src->sw].data) |= mask;
    }
}

static void judge_lanes_data_by_port(judge *j, judge_scratch *s)
{
    unsigned sls = 0;
    judge_lanes_find_levels(j, s, s->group.dst[0]);
    for (uint32_t i = 0; i < j->num_sources; i++)
        sls |= s->sls[i];
    memset(s->dropped, 0, j->num_sources * sizeof *s->dropped);
    for (; sls; sls &= sls - 1) {
        unsigned sl = (unsigned)__builtin_ctz(sls);
        memset(s->vls, 0, j->f->num_switches * sizeof *s->vls);
        judge_lanes_inject(j, s, sl, false);
        judge_lanes_carry_all(j, s, sl);
        if (j->drops)
            judge_lanes_find_dropped(j, s, sl);
    }
}

static void judge_lanes_queries_by_port(judge *j, judge_scratch *s)
{
    const lid_stand *at = s->group.at;
    uint32_t own = j->source_of[s->group.dst[0]];
    memset(s->vls, 0, j->f->num_switches * sizeof *s->vls);
    for (uint32_t i = 0; i < j->num_sources; i++)
        s->sls[i] = i != own;
    judge_lanes_inject(j, s, 0, true);
    for (uint32_t sw = 0; own != IK_NONE && sw < j->f->num_switches; sw++) {
        if (at[sw].out == IK_NONE)
            continue;
        unsigned vl = ik_vl_of(j->vls, sw, IK_NONE, judge_local(j, at[sw].out), 0);
        if (vl < IK_VL_MANAGEMENT)
            s->vls[sw].queries |= (uint16_t)(1u << vl);
    }
    judge_lanes_carry_all(j, s, 0);
}

void judge_lanes(judge *j, judge_scratch *s)
{
    if (!j->by_port) {
        judge_lanes_at_once(j, s);
        return;
    }
    if (j->source_of[s->group.dst[0]] != IK_NONE)
        judge_lanes_data_by_port(j, s);
    if (j->config.management)
        judge_lanes_queries_by_port(j, s);
}
