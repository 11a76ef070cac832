/* SPDX-License-Identifier: Apache-2.0
 *
 * relieve.c: see relieve.h. Of a channel that carries too much, those with the most paths among the
 * destinations behind it are sent elsewhere: at the switch that it leaves, or, where that has no
 * other way, at one that leads there. The ways that these paths get instead are those of the
 * entries that are there, and none of their channels becomes too full. */
#include "subnet/deploy/relieve.h"
#include "routing/graph/linkdag.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRIES = 256,        /* values of an entry */
    MOST_TRIES = 4000000, /* entries that are tried in place of others */
    MOST_PASSES = 8       /* over the channels that carry too much */
};

/* A switch on the ways to a destination over a channel. */
typedef struct relief_source {
    uint32_t sw, onward; /* index of the next one towards the channel; of the first, its own */
    uint64_t paths;      /* that come by */
    bool gone;           /* they take another way now */
} relief_source;

/* A destination of a channel, or another entry. */
typedef struct relief_choice {
    uint32_t lid, link;
    uint64_t paths;
    double cost;
} relief_choice;

typedef struct relief {
    ik_lid_tables *t;
    const ik_lids *lids;
    const ik_fabric *f;
    const ik_env *env;
    links g;
    linkdag dag; /* with one lane */
    bool one_lane;
    uint32_t *link_of;     /* [num_switches][ENTRIES] link, IK_NONE: it leads to no switch */
    uint32_t *senders;     /* [num_switches] ports of hosts that send */
    uint32_t *place;       /* [lids] the switch that a host's port hangs on; IK_NONE of others */
    uint64_t *load, *room; /* [links] paths over it, and how many there may be */
    uint32_t *old;         /* [links] == round: on the way that an entry has now */
    uint32_t round;
    relief_source *sources; /* [num_switches] */
    relief_choice *dests;   /* [lids] */
    relief_choice *choices; /* [max_degree] */
    uint32_t *undo;         /* [2 * max_degree + 2] */
    uint64_t tries;
} relief;

static inline uint32_t relieve_link(const relief *r, uint32_t sw, uint32_t lid)
{
    return r->link_of[(size_t)sw * ENTRIES + ik_lid_tables_row(r->t, sw)[lid]];
}

/* The link behind another one on the way to a LID; IK_NONE: it ends there. */
static inline uint32_t relieve_onward(const relief *r, uint32_t link, uint32_t lid)
{
    uint32_t sw = r->g.head[link];
    return sw == r->place[lid] ? IK_NONE : relieve_link(r, sw, lid);
}

static bool relieve_is_full(const relief *r, uint32_t link)
{
    return r->load[link] > r->room[link];
}

/* ---- what there is */

static void relieve_find_hosts(relief *r)
{
    for (uint32_t i = 0; i < r->lids->num; i++) {
        const ik_lid *lid = &r->lids->of[i];
        uint32_t at = lid->port == IK_NONE ? IK_NONE : ik_peer_node(r->f, lid->port);
        bool host = at != IK_NONE && ik_is_switch(r->f, at) && !ik_is_silent(r->f, lid->node);
        r->place[i] = host ? at : IK_NONE;
        if (host && lid->path == 0)
            r->senders[at]++;
    }
}

static void relieve_find_links(relief *r, double most)
{
    for (size_t i = 0; i < (size_t)r->f->num_switches * ENTRIES; i++)
        r->link_of[i] = IK_NONE;
    for (uint32_t l = 0; l < r->g.num_links; l++) {
        uint32_t port = r->g.port[l];
        unsigned number = ik_port_number(r->f, port);
        double room = most * 1e-9 * (double)ik_port_rate_bps(r->f, port) + 1e-6;
        r->room[l] = room < 1e18 ? (uint64_t)room : UINT64_MAX;
        if (number <= IK_PORT_NUMBER)
            r->link_of[(size_t)r->g.tail[l] * ENTRIES + number] = l;
    }
}

/* Adds paths to the channels of the way from a switch to a LID, or takes them away. */
static void relieve_count_way(relief *r, uint32_t sw, uint32_t lid, uint64_t paths)
{
    uint32_t hops = 0, link = sw == r->place[lid] ? IK_NONE : relieve_link(r, sw, lid);
    for (; link != IK_NONE && hops < r->f->num_switches; hops++) {
        r->load[link] += paths;
        link = relieve_onward(r, link, lid);
    }
}

static ik_status relieve_count_all(relief *r, ik_error *err)
{
    for (uint32_t i = 0; i < r->lids->num; i++) {
        for (uint32_t sw = 0; r->place[i] != IK_NONE && sw < r->f->num_switches; sw++)
            if (r->senders[sw])
                relieve_count_way(r, sw, i, r->senders[sw]);
        if (ik_env_cancelled(r->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

/* ---- dependencies */

static void relieve_want(relief *r, uint64_t *want, uint32_t link, uint32_t onward)
{
    uint32_t i = onward - r->g.base[r->g.tail[onward]];
    want[(size_t)link * r->dag.words + i / 64] |= UINT64_C(1) << i % 64;
}

/* Of hosts' packets to a port of a host. seen: [num_switches] */
static void relieve_want_data(relief *r, uint64_t *want, uint32_t lid, uint32_t at, bool *seen)
{
    memset(seen, 0, r->f->num_switches);
    for (uint32_t start = 0; start < r->f->num_switches; start++)
        for (uint32_t sw = start; r->senders[start] && sw != at && !seen[sw];) {
            uint32_t link = relieve_link(r, sw, lid), onward;
            seen[sw] = true;
            if (link == IK_NONE)
                break;
            sw = r->g.head[link];
            onward = sw == at ? IK_NONE : relieve_link(r, sw, lid);
            if (onward != IK_NONE)
                relieve_want(r, want, link, onward);
        }
}

/* Of all entries. */
static void relieve_want_all(relief *r, uint64_t *want)
{
    for (uint32_t sw = 0; sw < r->f->num_switches; sw++)
        for (uint32_t i = 0; i < r->lids->num; i++) {
            uint32_t link = relieve_link(r, sw, i),
                     onward = link == IK_NONE ? IK_NONE : relieve_link(r, r->g.head[link], i);
            if (onward != IK_NONE)
                relieve_want(r, want, link, onward);
        }
}

/* The graph of the tables: what hosts' data waits for, and what else fits beside it. */
static ik_status relieve_make_graph(relief *r, ik_error *err)
{
    size_t n = (size_t)r->g.num_links + 1;
    ik_status status = linkdag_init(&r->dag, &r->g, err);
    if (status != IK_OK)
        return status;
    uint64_t *want = ik_calloc(n * r->dag.words, sizeof *want);
    uint32_t *order = ik_calloc(n, 2 * sizeof *order);
    bool *seen = ik_calloc((size_t)r->f->num_switches + 1, sizeof *seen);
    if (!want || !order || !seen)
        status = ik_fail_memory(err, n * (r->dag.words + 1) * 8, "dependencies of tables");
    for (uint32_t i = 0; status == IK_OK && i < r->lids->num; i++) {
        uint32_t port = r->lids->of[i].port,
                 at = port == IK_NONE ? IK_NONE : ik_peer_node(r->f, port);
        if (at != IK_NONE && ik_is_switch(r->f, at))
            relieve_want_data(r, want, i, at, seen);
        if (ik_env_cancelled(r->env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    if (status == IK_OK) {
        linkdag_sort(&r->dag, want, order + n, order);
        linkdag_start_with(&r->dag, order);
        linkdag_add_all(&r->dag, want);
        relieve_want_all(r, want);
        linkdag_add_all(&r->dag, want);
    }
    free(want);
    free(order);
    free(seen);
    return status;
}

/* Has the graph take what an entry adds: from the links that come to its switch for this LID, and
 * to the next one. */
static bool relieve_add_dependencies(relief *r, uint32_t sw, uint32_t lid, uint32_t link)
{
    uint32_t num = 0, onward = relieve_onward(r, link, lid);
    for (uint32_t l = r->g.base[sw]; l <= r->g.base[sw + 1]; l++) {
        bool last = l == r->g.base[sw + 1];
        uint32_t from = last ? link : r->g.rev[l], to = last ? onward : link;
        if (last ? onward == IK_NONE : relieve_link(r, r->g.head[l], lid) != from)
            continue;
        linkdag_result result = linkdag_add(&r->dag, from, to);
        if (result == LINKDAG_NEW) {
            r->undo[2 * num] = from;
            r->undo[2 * num++ + 1] = to;
        }
        if (result != LINKDAG_CYCLE)
            continue;
        while (num-- > 0)
            linkdag_remove(&r->dag, r->undo[2 * num], r->undo[2 * num + 1]);
        linkdag_forget(&r->dag, from, to);
        return false;
    }
    return true;
}

/* ---- moving */

static int relieve_compare(const void *a, const void *b)
{
    const relief_choice *x = a, *y = b;
    if (x->paths != y->paths)
        return x->paths > y->paths ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->lid != y->lid)
        return x->lid < y->lid ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

static uint64_t relieve_room_for(const relief *r, uint32_t link)
{
    return relieve_is_full(r, link) ? 0 : r->room[link] - r->load[link];
}

/* Is there room for some paths on the way to the LID that begins with a link? *cost: its hops, and
 * less than one for how full its channels are. full: the one to avoid */
static bool relieve_fits(const relief *r, uint32_t link, uint32_t lid, uint64_t paths,
                         uint32_t full, double *cost)
{
    uint32_t from = r->g.tail[link], hops = 0;
    double most = 0;
    for (uint32_t l = link; l != IK_NONE; l = relieve_onward(r, l, lid)) {
        double share = (double)(r->load[l] + paths) / ((double)r->room[l] + 1);
        if (l == full || r->g.head[l] == from || ++hops > r->f->num_switches)
            return false;
        if (r->old[l] != r->round && relieve_room_for(r, l) < paths)
            return false;
        if (r->old[l] != r->round && share > most)
            most = share;
        if (r->g.head[l] != r->place[lid] && relieve_onward(r, l, lid) == IK_NONE)
            return false;
    }
    *cost = hops + most / 2;
    return true;
}

static void relieve_mark_way(relief *r, uint32_t sw, uint32_t lid)
{
    uint32_t hops = 0;
    r->round++;
    for (uint32_t l = relieve_link(r, sw, lid); l != IK_NONE && hops++ < r->f->num_switches;
         l = relieve_onward(r, l, lid))
        r->old[l] = r->round;
}

/* Gives a switch another entry for a LID, so that these paths avoid the full channel. */
static bool relieve_move(relief *r, uint32_t sw, uint32_t lid, uint64_t paths, uint32_t full)
{
    uint32_t num = 0, now = relieve_link(r, sw, lid);
    relieve_mark_way(r, sw, lid);
    for (uint32_t l = r->g.base[sw]; l < r->g.base[sw + 1]; l++) {
        double cost;
        r->tries++;
        if (l != now && relieve_fits(r, l, lid, paths, full, &cost))
            r->choices[num++] = (relief_choice){.link = l, .cost = cost};
    }
    qsort(r->choices, num, sizeof *r->choices, relieve_compare);
    for (uint32_t i = 0; i < num; i++) {
        uint32_t link = r->choices[i].link;
        if (r->one_lane && !relieve_add_dependencies(r, sw, lid, link))
            continue;
        relieve_count_way(r, sw, lid, -paths);
        ik_lid_tables_row(r->t, sw)[lid] = (uint8_t)ik_port_number(r->f, r->g.port[link]);
        relieve_count_way(r, sw, lid, paths);
        return true;
    }
    return false;
}

/* ---- the paths over a channel */

/* The switches whose packets to the LID come by this one, and it: r->sources, those nearer first.
 * Returns how many. */
static uint32_t relieve_find_sources(relief *r, uint32_t sw, uint32_t lid)
{
    uint32_t num = 0;
    relief_source *s = r->sources;
    s[num++] = (relief_source){.sw = sw};
    for (uint32_t i = 0; i < num; i++) {
        s[i].paths = r->senders[s[i].sw];
        for (uint32_t l = r->g.base[s[i].sw]; l < r->g.base[s[i].sw + 1]; l++)
            if (r->g.head[l] != r->place[lid] && num < r->f->num_switches &&
                relieve_link(r, r->g.head[l], lid) == r->g.rev[l])
                s[num++] = (relief_source){.sw = r->g.head[l], .onward = i};
    }
    for (uint32_t i = num; i-- > 1;)
        s[s[i].onward].paths += s[i].paths;
    return num;
}

/* The destinations of a channel: r->dests, those with the most paths first. */
static uint32_t relieve_find_dests(relief *r, uint32_t full)
{
    uint32_t num = 0, sw = r->g.tail[full];
    for (uint32_t i = 0; i < r->lids->num; i++) {
        if (r->place[i] == IK_NONE || r->place[i] == sw || relieve_link(r, sw, i) != full)
            continue;
        relieve_find_sources(r, sw, i);
        if (r->sources[0].paths)
            r->dests[num++] = (relief_choice){.lid = i, .paths = r->sources[0].paths};
    }
    qsort(r->dests, num, sizeof *r->dests, relieve_compare);
    return num;
}

/* Where the next destination would do too, a smaller one that is enough is moved rather than a
 * larger one. */
static bool relieve_is_too_much(const relief *r, uint32_t full, uint32_t i, uint32_t num)
{
    uint64_t over = r->load[full] - r->room[full];
    return i + 1 < num && r->dests[i].paths > over && r->dests[i + 1].paths >= over;
}

/* At the switches before the one that the channel leaves. */
static void relieve_move_before(relief *r, uint32_t full, uint32_t lid)
{
    uint32_t sw = r->g.tail[full], num = relieve_find_sources(r, sw, lid);
    for (uint32_t i = 1; i < num && relieve_is_full(r, full) && r->tries < MOST_TRIES; i++) {
        relief_source *s = &r->sources[i];
        s->gone = r->sources[s->onward].gone;
        if (!s->gone && s->paths && relieve_move(r, s->sw, lid, s->paths, full)) {
            s->gone = true;
            for (uint32_t k = s->onward;; k = r->sources[k].onward) {
                r->sources[k].paths -= s->paths;
                if (k == 0)
                    break;
            }
        }
    }
}

static void relieve_channel(relief *r, uint32_t full)
{
    uint32_t sw = r->g.tail[full], num = relieve_find_dests(r, full);
    for (unsigned any = 0; any < 2; any++)
        for (uint32_t i = 0; i < num && relieve_is_full(r, full) && r->tries < MOST_TRIES; i++) {
            uint32_t lid = r->dests[i].lid;
            if (relieve_link(r, sw, lid) != full ||
                (any == 0 && relieve_is_too_much(r, full, i, num)))
                continue;
            if (!relieve_move(r, sw, lid, r->dests[i].paths, full) && any)
                relieve_move_before(r, full, lid);
        }
}

/* The fullest channel that has not been looked at; IK_NONE: none is too full. */
static uint32_t relieve_fullest(const relief *r, const bool *looked, uint32_t *left)
{
    uint32_t best = IK_NONE;
    double most = 0;
    *left = 0;
    for (uint32_t l = 0; l < r->g.num_links; l++) {
        double share = (double)r->load[l] / ((double)r->room[l] + 1);
        if (!relieve_is_full(r, l))
            continue;
        ++*left;
        if (!looked[l] && share > most) {
            most = share;
            best = l;
        }
    }
    return best;
}

static ik_status relieve_all(relief *r, bool *looked, bool *done, ik_error *err)
{
    uint32_t left = 1;
    for (unsigned pass = 0; pass < MOST_PASSES && left; pass++) {
        uint64_t before = r->tries;
        memset(looked, 0, r->g.num_links * sizeof *looked);
        for (uint32_t l = relieve_fullest(r, looked, &left); l != IK_NONE && r->tries < MOST_TRIES;
             l = relieve_fullest(r, looked, &left)) {
            looked[l] = true;
            relieve_channel(r, l);
            if (ik_env_cancelled(r->env))
                return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        }
        if (r->tries == before)
            break;
    }
    *done = left == 0;
    return IK_OK;
}

/* ---- all */

static ik_status relieve_begin(relief *r, double most, ik_error *err)
{
    size_t switches = (size_t)r->f->num_switches + 1, lids = (size_t)r->lids->num + 1;
    ik_status status = links_build(r->f, &r->g, err);
    if (status != IK_OK)
        return status;
    size_t num = (size_t)r->g.num_links + 1;
    r->link_of = ik_calloc(switches, ENTRIES * sizeof *r->link_of);
    r->senders = ik_calloc(switches, sizeof *r->senders);
    r->place = ik_calloc(lids, sizeof *r->place);
    r->load = ik_calloc(num, sizeof *r->load);
    r->room = ik_calloc(num, sizeof *r->room);
    r->old = ik_calloc(num, sizeof *r->old);
    r->sources = ik_calloc(switches, sizeof *r->sources);
    r->dests = ik_calloc(lids, sizeof *r->dests);
    r->choices = ik_calloc((size_t)r->g.max_degree + 1, sizeof *r->choices);
    r->undo = ik_calloc((size_t)r->g.max_degree + 2, 2 * sizeof *r->undo);
    if (!r->link_of || !r->senders || !r->place || !r->load || !r->room || !r->old || !r->sources ||
        !r->dests || !r->choices || !r->undo)
        return ik_fail_memory(err, switches * ENTRIES * 4, "channels that carry too much");
    relieve_find_hosts(r);
    relieve_find_links(r, most);
    return relieve_count_all(r, err);
}

static void relieve_end(relief *r)
{
    linkdag_free(&r->dag);
    links_free(&r->g);
    free(r->link_of);
    free(r->senders);
    free(r->place);
    free(r->load);
    free(r->room);
    free(r->old);
    free(r->sources);
    free(r->dests);
    free(r->choices);
    free(r->undo);
}

/* On a copy of the tables, which replaces them where that helps. */
static ik_status relieve_copy(relief *r, ik_lid_tables *t, bool *done, ik_error *err)
{
    ik_lid_tables copy = {0};
    bool *looked = ik_calloc((size_t)r->g.num_links + 1, sizeof *looked);
    ik_status status = looked ? ik_lid_tables_new(r->lids, r->env, &copy, err)
                              : ik_fail_memory(err, r->g.num_links, "channels");
    if (status == IK_OK)
        memcpy(copy.out, t->out, (size_t)t->num_switches * r->lids->num);
    r->t = &copy;
    if (status == IK_OK && r->one_lane)
        status = relieve_make_graph(r, err);
    if (status == IK_OK)
        status = relieve_all(r, looked, done, err);
    free(looked);
    if (status == IK_OK && *done) {
        ik_lid_tables before = *t;
        *t = copy;
        copy = before;
    }
    ik_lid_tables_free(&copy);
    return status;
}

ik_status relieve_tables(ik_lid_tables *t, double most, bool one_lane, const ik_env *env,
                         bool *done, ik_error *err)
{
    relief r = {.t = t, .lids = t->lids, .f = t->lids->fabric, .env = env, .one_lane = one_lane};
    bool full = false;
    *done = false;
    ik_status status = relieve_begin(&r, most, err);
    for (uint32_t l = 0; status == IK_OK && l < r.g.num_links; l++)
        full |= relieve_is_full(&r, l);
    if (status == IK_OK && full)
        status = relieve_copy(&r, t, done, err);
    else
        *done = status == IK_OK;
    relieve_end(&r);
    return status;
}
