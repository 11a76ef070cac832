/* SPDX-License-Identifier: Apache-2.0
 *
 * judge_count.c: what becomes of the pairs to the destinations of a group, and what channels carry.
 */
#include "subnet/judge/judge.h"

/* What is counted at one switch for one destination. */
typedef struct counting {
    judge *j;
    judge_scratch *s;
    uint64_t *lost_to;
    uint32_t sw, dst;
    uint32_t own;              /* source of the destination's port, IK_NONE: it is a switch's */
    uint32_t from, silent, to; /* sources of sw, the silent ones last */
    bool connected;            /* the fabric connects sw and the destination */
} counting;

static void judge_count_first(judge_tally *t, ik_fate fate, uint32_t src, uint32_t dst)
{
    uint64_t key = (uint64_t)src << 32 | dst;
    if (key < t->first[fate])
        t->first[fate] = key;
}

/* ---- pairs with a host as destination */

/* Sources number `from` … `to` - 1 have this fate. */
static void judge_count_fate(const counting *c, ik_fate fate, uint32_t from, uint32_t to)
{
    const judge *j = c->j;
    judge_tally *t = &c->s->tally;
    for (uint32_t i = from; i < to; i++) {
        bool dropped = j->drops && fate == IK_FATE_DELIVERED && c->s->dropped[i];
        ik_fate f = dropped ? IK_FATE_DROPPED : fate;
        if (i == c->own)
            continue;
        t->fates[f]++;
        judge_count_first(t, f, j->sources[i].lid, c->dst);
        if (f != IK_FATE_DELIVERED && f != IK_FATE_UNCONNECTED) {
            c->lost_to[c->dst]++;
            t->lost_from[i]++;
        }
    }
}

/* The lowest LID of the sources of the switch, of which there is one besides `own`. */
static uint32_t judge_count_lowest(const counting *c)
{
    uint32_t lowest = IK_NONE;
    const uint32_t starts[] = {c->from, c->silent};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t end = k ? c->to : c->silent, i = starts[k] == c->own ? c->own + 1 : starts[k];
        if (i < end && c->j->sources[i].lid < lowest)
            lowest = c->j->sources[i].lid;
    }
    return lowest;
}

/* The sources of the switch, all at once where they share their fate. */
static inline void judge_count_sources(const counting *c, lid_stand *at)
{
    const judge *j = c->j;
    judge_tally *t = &c->s->tally;
    ik_fate fate = c->connected ? lid_stand_fate(at) : IK_FATE_UNCONNECTED;
    uint32_t num = c->to - c->from - (c->own >= c->from && c->own < c->to);
    if (fate != IK_FATE_DELIVERED || judge_delivered(j, c->s, c->own, c->from, c->to) != num) {
        judge_count_fate(c, fate, c->from, c->to);
    } else if (num) {
        t->fates[fate] += num;
        judge_count_first(t, fate, judge_count_lowest(c), c->dst);
    }
    if (fate != IK_FATE_DELIVERED || j->sources[c->own].silent)
        return;
    uint32_t count = judge_delivered(j, c->s, c->own, c->from, c->silent), hops = at->way / WAY_HOP;
    t->delivered[c->sw]++;
    for (uint32_t i = c->from; i < c->silent && count != c->silent - c->from; i++)
        if (i == c->own || (j->drops && c->s->dropped[i]))
            t->loads[j->sources[i].port].paths--; /* joined with delivered[sw] at the end */
    t->paths += count;
    t->hops += (uint64_t)count * hops;
    if (count && hops > t->max_hops)
        t->max_hops = hops;
    at->count += count;
}

/* Ports of hosts that are cabled to ports of hosts. */
static void judge_count_direct(const counting *c)
{
    const judge *j = c->j;
    judge_tally *t = &c->s->tally;
    uint32_t to = j->lids->of[c->dst].port;
    for (uint32_t i = j->first[j->f->num_switches]; i < j->num_sources; i++) {
        bool there = j->f->port_peer[j->sources[i].port] == to;
        judge_count_fate(c, there ? IK_FATE_DELIVERED : IK_FATE_UNCONNECTED, i, i + 1);
        if (there && !(j->drops && c->s->dropped[i])) {
            t->loads[j->sources[i].port].paths++;
            t->paths++;
        }
    }
}

/* ---- channels */

/* Delivered paths to LID number k leave the switch. */
static inline void judge_count_load(const counting *c, const lid_stand *at, uint32_t k)
{
    judge_load *load = &c->s->tally.loads[at->out];
    uint32_t seen = c->j->lids->of[c->dst].port + 1;
    load->paths += at->count;
    load->dests += load->seen != seen;
    load->seen = seen;
    if (at->count > load->most)
        load->most = at->count;
    if (at->next != IK_NONE)
        judge_stands(&c->s->group, at->next)[k].count += at->count;
}

/* ---- entries, and switches: performance queries, SMPs that are routed by LID */

static void judge_count_entry(const counting *c, const lid_stand *at)
{
    judge_tally *t = &c->s->tally;
    t->missing_entries += lid_stand_fate(at) == IK_FATE_NO_ENTRY && c->connected;
    t->dead_entries += lid_stand_fate(at) == IK_FATE_DEAD_PORT;
}

static void judge_count_unasked(judge *j, uint32_t source, uint32_t sw)
{
    uint64_t *word = j->unasked + source * j->ask_words + sw / 64;
    __atomic_fetch_or(word, UINT64_C(1) << sw % 64, __ATOMIC_RELAXED);
}

/* The switch finds no way to a destination that the fabric connects it with: no reply comes back to
 * a host, and a switch cannot be asked by the hosts here. */
static void judge_count_lost(const counting *c)
{
    if (c->own != IK_NONE) {
        judge_count_unasked(c->j, c->own, c->sw);
        return;
    }
    for (uint32_t i = c->from; i < c->to; i++)
        judge_count_unasked(c->j, i, c->s->group.sw);
}

/* ---- all */

static void judge_count_switch(counting *c)
{
    const judge *j = c->j;
    const lid_group *g = &c->s->group;
    lid_stand *at = judge_stands(g, c->sw);
    c->from = j->first[c->sw];
    c->to = j->first[c->sw + 1];
    c->silent = c->to - j->silent[c->sw];
    c->connected = g->sw != IK_NONE && j->part[c->sw] == j->part[g->sw];
    for (uint32_t k = 0; k < g->num; k++) {
        c->dst = g->dst[k];
        c->own = j->source_of[c->dst];
        if (at[k].out == IK_NONE)
            judge_count_entry(c, &at[k]);
        if (c->connected && lid_stand_fate(&at[k]) != IK_FATE_DELIVERED)
            judge_count_lost(c);
        if (c->own != IK_NONE && c->to > c->from)
            judge_count_sources(c, &at[k]);
        if (at[k].count && at[k].out != IK_NONE)
            judge_count_load(c, &at[k], k);
    }
}

void judge_count(judge *j, judge_scratch *s, uint64_t *lost_to)
{
    const lid_group *g = &s->group;
    counting c = {.j = j, .s = s, .lost_to = lost_to};
    for (uint32_t i = j->f->num_switches; i-- > 0;) {
        c.sw = g->order[i];
        judge_count_switch(&c);
    }
    for (uint32_t k = 0; k < g->num; k++) {
        c.dst = g->dst[k];
        c.own = j->source_of[c.dst];
        if (c.own != IK_NONE)
            judge_count_direct(&c);
    }
}
