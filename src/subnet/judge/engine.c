/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.c: which of OpenSM's engines made tables, as far as entries tell.
 *
 * minhop and updn are computed again. Both take the hosts switch by switch, those with the most
 * hosts first (then by GUID), and give each, in each switch, the port of the fewest hosts so far
 * among those of the fewest hops; updn counts hops over paths that never turn up again. The other
 * engines are known by what their paths have in common.
 */
#include "subnet/judge/judge.h"
#include "subnet/judge/minhop.h"

#include "ikat/audit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FAR UINT8_MAX

typedef struct recogniser {
    judge j;
    uint32_t num_leaves;
    uint32_t *leaves;       /* [num_leaves] switches with hosts, in OpenSM's order */
    uint8_t *hops;          /* [num_leaves][num_switches] FAR: not connected */
    uint8_t *up_hops;       /* the same over paths that do not turn up again; NULL: no tree */
    ik_engine_evidence *at; /* [num_switches] counts of each switch */
    lid_group *groups;      /* [threads] */
    bool *turns;            /* [lids->num] a packet to it goes up again */
    uint32_t *channels;     /* [lids->num] by which packets come to its switch from others */
    uint8_t **state;        /* [threads][num_switches][longest] */
} recogniser;

/* ---- hops */

static unsigned engine_level_of(const ik_fabric *f, uint32_t sw)
{
    return f->switch_level ? f->switch_level[sw] : 0;
}

/* Breadth first from a switch outwards. rule: over paths that, seen from their sources, do not turn
 * up after they went down: seen from here, not up after down either. */
static void engine_measure(const ik_fabric *f, uint32_t from, bool rule, uint8_t *hops,
                           uint32_t *queue, bool *down)
{
    uint32_t end = 0;
    memset(hops, FAR, f->num_switches);
    hops[from] = 0;
    down[from] = false;
    queue[end++] = from;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t sw = queue[i];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer == IK_NONE || !ik_is_switch(f, peer) || hops[peer] != FAR ||
                hops[sw] == FAR - 1)
                continue;
            bool up = engine_level_of(f, peer) > engine_level_of(f, sw);
            if (rule && up && down[sw])
                continue;
            hops[peer] = (uint8_t)(hops[sw] + 1);
            down[peer] = !up;
            queue[end++] = peer;
        }
    }
}

static ik_status engine_find_hops(recogniser *r, ik_error *err)
{
    const ik_fabric *f = r->j.f;
    size_t bytes = ((size_t)r->num_leaves + 1) * (f->num_switches + 1);
    uint32_t *queue = ik_calloc((size_t)f->num_switches + 1, sizeof *queue);
    bool *down = ik_calloc((size_t)f->num_switches + 1, sizeof *down);
    ik_status status = IK_OK;
    r->hops = ik_calloc(bytes, 1);
    if (f->num_levels > 1)
        r->up_hops = ik_calloc(bytes, 1);
    if (!queue || !down || !r->hops || (f->num_levels > 1 && !r->up_hops))
        status = ik_fail_memory(err, 2 * bytes, "hops between switches");
    for (uint32_t i = 0; status == IK_OK && i < r->num_leaves; i++) {
        size_t row = (size_t)i * f->num_switches;
        engine_measure(f, r->leaves[i], false, r->hops + row, queue, down);
        if (r->up_hops)
            engine_measure(f, r->leaves[i], true, r->up_hops + row, queue, down);
    }
    free(queue);
    free(down);
    return status;
}

/* ---- the entries of one switch */

/* The ports of sw that are nearest to a leaf switch, ascending by number; returns how many. */
static uint32_t engine_nearest(const recogniser *r, const uint8_t *hops, uint32_t sw,
                               uint8_t *numbers)
{
    const ik_fabric *f = r->j.f;
    uint32_t num = 0;
    for (unsigned number = 1; number <= IK_PORT_NUMBER; number++) {
        uint32_t port = judge_out(&r->j, sw, number), peer;
        if (port == IK_NONE)
            continue;
        peer = f->port_node[f->port_peer[port]];
        if (ik_is_switch(f, peer) && hops[sw] != FAR && hops[peer] + 1 == hops[sw])
            numbers[num++] = (uint8_t)number;
    }
    return num;
}

/* The port that OpenSM takes for the next host. */
static unsigned engine_take(const uint8_t *numbers, uint32_t num, uint32_t *hosts)
{
    unsigned best = IK_PORT_NONE;
    for (uint32_t i = 0; i < num; i++)
        if (best == IK_PORT_NONE || hosts[numbers[i]] < hosts[best])
            best = numbers[i];
    if (num)
        hosts[best]++;
    return best;
}

static bool engine_among(unsigned number, const uint8_t *numbers, uint32_t num)
{
    return num && number <= IK_PORT_NUMBER && memchr(numbers, (int)number, num) != NULL;
}

/* Entries of sw for the hosts of one leaf switch. hosts: two counters for each port. */
static void engine_compare_leaf(recogniser *r, uint32_t sw, uint32_t l, uint32_t (*hosts)[256])
{
    ik_engine_evidence *e = &r->at[sw];
    uint32_t leaf_sw = r->leaves[l];
    uint8_t near[256], up_near[256];
    size_t row = (size_t)l * r->j.f->num_switches;
    uint32_t num = engine_nearest(r, r->hops + row, sw, near),
             ups = r->up_hops ? engine_nearest(r, r->up_hops + row, sw, up_near) : 0;
    const uint8_t *entries = ik_lid_tables_row(r->j.t, sw);
    if (sw == leaf_sw || !num)
        return;
    for (uint32_t i = r->j.first[leaf_sw]; i < r->j.first[leaf_sw + 1]; i++) {
        const judge_source *s = &r->j.sources[i];
        unsigned minhop = engine_take(near, num, hosts[0]),
                 updn = engine_take(up_near, ups, hosts[1]);
        for (uint32_t p = 0; p < s->paths; p++) {
            unsigned entry = entries[s->lid + p];
            e->entries++;
            e->minimal += engine_among(entry, near, num);
            e->choices += num > 1;
            e->minhop += entry == minhop;
            e->updn += ups && entry == updn;
            if (i == r->j.first[leaf_sw])
                continue;
            e->apart++;
            e->together += entry == entries[r->j.sources[r->j.first[leaf_sw]].lid];
        }
    }
}

/* In OpenSM's order hosts of a switch come by its ports; sources stand by LID. O(hosts^2), of which
 * a switch with tables has at most 254. */
static void engine_sort_hosts(const judge *j, uint32_t sw)
{
    const uint32_t *at = j->f->port_peer;
    for (uint32_t i = j->first[sw] + 1; i < j->first[sw + 1]; i++) {
        judge_source moved = j->sources[i];
        uint32_t to = i;
        for (; to > j->first[sw] && at[j->sources[to - 1].port] > at[moved.port]; to--)
            j->sources[to] = j->sources[to - 1];
        j->sources[to] = moved;
    }
}

static ik_status engine_compare_switch(void *ctx, size_t sw, unsigned thread, ik_error *err)
{
    recogniser *r = ctx;
    uint32_t hosts[2][256] = {{0}};
    (void)thread;
    (void)err;
    for (uint32_t l = 0; l < r->num_leaves; l++)
        engine_compare_leaf(r, (uint32_t)sw, l, hosts);
    return IK_OK;
}

/* ---- the paths to one destination */

enum { COMES = 1, WENT_DOWN = 2 };

/* A thread's part of the work. */
typedef struct follower {
    recogniser *r;
    uint8_t *state; /* [num_switches][LIDs of the group] */
} follower;

static void engine_begin_paths(const judge *j, const lid_group *g, uint8_t *state)
{
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        for (uint32_t k = 0; k < g->num; k++) {
            bool to_host = j->source_of[g->dst[k]] != IK_NONE;
            state[(size_t)sw * g->num + k] = to_host && j->first[sw + 1] > j->first[sw] ? COMES : 0;
        }
}

/* Follows packets of hosts through the switches, those farthest away first. */
static void engine_follow_paths(void *ctx, lid_group *g)
{
    const follower *to = ctx;
    recogniser *r = to->r;
    const judge *j = &r->j;
    uint8_t *state = to->state;
    if (g->sw == IK_NONE)
        return;
    engine_begin_paths(j, g, state);
    for (uint32_t i = j->f->num_switches; i-- > 0;) {
        uint32_t sw = g->order[i];
        const lid_stand *at = judge_stands(g, sw);
        uint8_t *here = state + (size_t)sw * g->num;
        for (uint32_t k = 0; k < g->num; k++) {
            uint32_t next = at[k].next;
            bool looped = i < g->num_looped && lid_stand_fate(&at[k]) == IK_FATE_LOOP;
            if (!here[k] || next == IK_NONE || looped)
                continue;
            bool up = engine_level_of(j->f, next) > engine_level_of(j->f, sw);
            r->turns[g->dst[k]] |= up && (here[k] & WENT_DOWN);
            if (next == g->sw)
                r->channels[g->dst[k]]++;
            state[(size_t)next * g->num + k] |= (uint8_t)(COMES | (up ? 0 : WENT_DOWN));
        }
    }
}
static ik_status engine_look_at_paths(void *ctx, size_t chunk, unsigned thread, ik_error *err)
{
    recogniser *r = ctx;
    follower to = {r, r->state[thread]};
    (void)err;
    judge_chunk(&r->j, chunk, &r->groups[thread], engine_follow_paths, &to);
    return IK_OK;
}

/* ---- in words */

static void engine_add_counts(const recogniser *r, ik_engine_evidence *e)
{
    e->has_levels = r->up_hops != NULL;
    e->up_down = e->has_levels;
    for (uint32_t sw = 0; sw < r->j.f->num_switches; sw++) {
        const ik_engine_evidence *a = &r->at[sw];
        e->entries += a->entries;
        e->minimal += a->minimal;
        e->choices += a->choices;
        e->minhop += a->minhop;
        e->updn += a->updn;
        e->together += a->together;
        e->apart += a->apart;
    }
    for (uint32_t i = 0; i < r->j.lids->num; i++) {
        e->destinations += r->channels[i] > 0;
        e->one_way += r->channels[i] == 1;
        e->up_down &= !r->turns[i];
    }
    if (r->j.lids->max_lmc)
        e->minhop = e->updn = 0;
}

static const char *engine_name_of(const ik_engine_evidence *e)
{
    bool minhop = e->minhop == e->entries, updn = e->has_levels && e->updn == e->entries,
         one_way = e->has_levels && e->up_down && e->one_way == e->destinations,
         together = e->apart && e->together == e->apart, minimal = e->minimal == e->entries;
    if (!e->entries || (minimal && !e->choices))
        return NULL;
    if (minhop && one_way)
        return "minhop, updn, ftree or sssp, which agree here";
    if (minhop || updn)
        return minhop && updn ? "minhop or updn" : minhop ? "minhop" : "updn";
    if (minimal && together)
        return "lash or dor, or another routing by switches";
    if (minimal && one_way)
        return "ftree, or another routing with one way down to each host";
    return NULL;
}

static double engine_share(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 100.0;
}

static void engine_put_text(ik_engine_evidence *e, bool lmc)
{
    if (!e->entries) {
        snprintf(e->text, sizeof e->text, "no entry leads from a switch to hosts of another");
        return;
    }
    if (e->minimal == e->entries && !e->choices) {
        snprintf(e->text, sizeof e->text,
                 "every entry is the only shortest one: all engines with shortest paths make the "
                 "same tables here");
        return;
    }
    int used =
        snprintf(e->text, sizeof e->text, "%.4g %% of %" PRIu64 " entries are shortest paths",
                 engine_share(e->minimal, e->entries), e->entries);
    if (!lmc)
        used += snprintf(e->text + used, sizeof e->text - (size_t)used,
                         ", %.4g %% are what OpenSM's minhop makes",
                         engine_share(e->minhop, e->entries));
    if (!lmc && e->has_levels)
        used += snprintf(e->text + used, sizeof e->text - (size_t)used, ", %.4g %% its updn's",
                         engine_share(e->updn, e->entries));
    if (e->has_levels)
        used +=
            snprintf(e->text + used, sizeof e->text - (size_t)used,
                     "; paths %s up again; %.4g %% of the hosts are reached by one way down",
                     e->up_down ? "never turn" : "turn", engine_share(e->one_way, e->destinations));
    if (e->apart)
        snprintf(e->text + used, sizeof e->text - (size_t)used,
                 "; hosts of a switch share %.4g %% of the entries",
                 engine_share(e->together, e->apart));
}

/* ---- all */

static ik_status engine_recogniser_init(recogniser *r, const ik_lid_tables *t, const ik_env *env,
                                        ik_error *err)
{
    ik_status status = judge_init(&r->j, t, NULL, NULL, NULL, env, err);
    if (status != IK_OK)
        return status;
    const ik_fabric *f = r->j.f;
    unsigned threads = ik_env_threads(env);
    size_t lids = (size_t)t->lids->num + 1;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        engine_sort_hosts(&r->j, sw);
    r->at = ik_calloc((size_t)f->num_switches + 1, sizeof *r->at);
    r->leaves = ik_calloc((size_t)f->num_switches + 1, sizeof *r->leaves);
    r->turns = ik_calloc(lids, sizeof *r->turns);
    r->channels = ik_calloc(lids, sizeof *r->channels);
    r->state = ik_calloc(threads, sizeof *r->state);
    r->groups = ik_calloc(threads, sizeof *r->groups);
    if (!r->at || !r->leaves || !r->turns || !r->channels || !r->state || !r->groups)
        return ik_fail_memory(err, 5 * lids, "what tables have in common");
    for (unsigned i = 0; i < threads && status == IK_OK; i++) {
        size_t cells = ((size_t)f->num_switches + 1) * r->j.longest;
        r->state[i] = ik_calloc(cells + 1, 1);
        status = r->state[i] ? judge_group_init(&r->j, &r->groups[i], err)
                             : ik_fail_memory(err, cells, "paths to a group of destinations");
    }
    if (status == IK_OK)
        status = minhop_order_leaves(r->j.f, r->j.first, r->leaves, &r->num_leaves, err);
    return status == IK_OK ? engine_find_hops(r, err) : status;
}

static void engine_recogniser_free(recogniser *r, unsigned threads)
{
    for (unsigned i = 0; r->groups && r->state && i < threads; i++) {
        judge_group_free(&r->groups[i]);
        free(r->state[i]);
    }
    free(r->groups);
    free(r->leaves);
    free(r->hops);
    free(r->up_hops);
    free(r->at);
    free(r->turns);
    free(r->channels);
    free(r->state);
    judge_free(&r->j);
}

ik_status ik_engine_recognise(const ik_lid_tables *t, const ik_env *env, ik_engine_evidence *out,
                              ik_error *err)
{
    recogniser r = {0};
    ik_engine_evidence e = {0};
    ik_status status = engine_recogniser_init(&r, t, env, err);
    if (status == IK_OK)
        status = ik_parallel_for_units(env, "recognising the engine", "switches", t->num_switches,
                                       engine_compare_switch, &r, err);
    if (status == IK_OK)
        status = ik_parallel_for_units(env, "recognising the engine", "groups", r.j.num_chunks,
                                       engine_look_at_paths, &r, err);
    if (status == IK_OK) {
        engine_add_counts(&r, &e);
        e.name = engine_name_of(&e);
        engine_put_text(&e, t->lids->max_lmc > 0);
        *out = e;
    }
    engine_recogniser_free(&r, ik_env_threads(env));
    return status;
}
