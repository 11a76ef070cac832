/* SPDX-License-Identifier: Apache-2.0
 *
 * Up/down routing of any fabric, as tables that are legal hop by hop.
 *
 * Switches get a total order: by level in a recognised tree (roots first), else by distance from a
 * root (then by id). A link points up to the earlier switch. A path goes up, then down, never up
 * again, so no cycle of waiting channels exists. Tables by destination add a trap: if a switch in
 * the middle of somebody's descent prefers a shorter way that starts upwards, its table breaks the
 * rule for the packets that come from above. So a switch that can reach the destination by going
 * down only does so, even where up and down would be shorter; the others go up, towards the nearest
 * switch that is served.
 *
 * Two passes, each parallel: distances for every switch with hosts (breadth first from it against
 * the descent, then one sweep in order), then one table row a switch. Among equally near outputs a
 * switch takes the one with the fewest destinations so far, visiting hosts in an order of its own,
 * since two switches on one path that count alike would leave outputs unused.
 *
 * Cost: O(leaves * links) time for each pass, 2 bytes * switches * leaves of memory. Source:
 * Schroeder et al., "Autonet: a high-speed, self-configuring local area network using
 * point-to-point links", IEEE JSAC 1991; the tree order is the usual one of InfiniBand subnet
 * managers.
 */
#include "routing/graph/attach.h"
#include "routing/graph/least_ports.h"
#include "routing/graph/links.h"
#include "routing/routing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT_AUTO, ROOT_LEVELS, ROOT_BFS };

#define FAR ((uint16_t)0xFFFF)
/* Flag in a distance: the switch reaches the destination by going down only. */
#define DOWN ((uint16_t)0x8000)

/* A link of a switch to another. */
typedef struct way {
    uint32_t to;
    uint32_t port; /* local */
} way;

typedef struct updown {
    const ik_fabric *f;
    attach at;
    uint32_t *key;   /* [S] position in the order: 0 is the topmost */
    uint32_t *order; /* [S] switches by key */
    uint32_t *next;  /* [ports of switches] the switch that it leads to, IK_NONE */
    way *ways;       /* [num_ways] of one switch after another, its ways up first */
    uint32_t *first; /* [2 * S + 1] of switch s: ways up from 2 s, ways down from 2 s + 1 */
    uint16_t *dist;  /* [leaf][S] hops left, with DOWN; FAR = unreachable */
    /* [hosts + 2] first of the host's entries in leaf_of and port_of: one per switch that it hangs
     * on */
    uint32_t *home;
    uint32_t *leaf_of;   /* index into at.leaf */
    uint16_t *port_of;   /* local port there */
    uint32_t *only_leaf; /* [hosts] as in leaf_of, of a host on one switch; IK_NONE of others */
    uint32_t *queue;     /* [threads][S] */
    uint16_t *lft;
} updown;

static void updown_find_next(updown *u)
{
    for (uint32_t port = 0; port < u->f->port_base[u->f->num_switches]; port++) {
        uint32_t node = ik_peer_node(u->f, port);
        u->next[port] = node != IK_NONE && ik_is_switch(u->f, node) ? node : IK_NONE;
    }
}

/* ---- the order */

/* Breadth-first distances from root into dist (IK_NONE = other component, must be so before);
 * returns how many switches were reached: those in queue, the farthest last. */
static uint32_t updown_sweep(const updown *u, uint32_t root, uint32_t *dist, uint32_t *parent,
                             uint32_t *queue)
{
    const ik_fabric *f = u->f;
    assert(root < f->num_switches && dist[root] == IK_NONE);
    uint32_t head = 0, tail = 0;
    dist[root] = 0;
    parent[root] = IK_NONE;
    queue[tail++] = root;
    while (head < tail) {
        uint32_t sw = queue[head++];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t to = u->next[port];
            if (to == IK_NONE || dist[to] != IK_NONE)
                continue;
            dist[to] = dist[sw] + 1;
            parent[to] = sw;
            queue[tail++] = to;
        }
    }
    return tail;
}

static void updown_forget(uint32_t *dist, const uint32_t *queue, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++)
        dist[queue[i]] = IK_NONE;
}

/* The middle of a long shortest path of the component: a cheap stand-in for its centre. */
static uint32_t updown_middle(const updown *u, uint32_t any, uint32_t *dist, uint32_t *parent,
                              uint32_t *queue)
{
    uint32_t num = updown_sweep(u, any, dist, parent, queue), end = queue[num - 1];
    updown_forget(dist, queue, num);
    num = updown_sweep(u, end, dist, parent, queue);
    uint32_t other = queue[num - 1];
    for (uint32_t steps = dist[other] / 2; steps; steps--) {
        assert(parent[other] != IK_NONE);
        other = parent[other];
    }
    updown_forget(dist, queue, num);
    return other;
}

typedef struct ranked {
    uint32_t rank, sw;
} ranked;

static int updown_by_rank(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->sw < y->sw ? -1 : x->sw > y->sw;
}

static void updown_order_by(updown *u, ranked *list)
{
    uint32_t n = u->f->num_switches;
    qsort(list, n, sizeof *list, updown_by_rank);
    for (uint32_t i = 0; i < n; i++) {
        u->order[i] = list[i].sw;
        u->key[list[i].sw] = i;
    }
}

static ik_status updown_order_by_levels(updown *u, ik_error *err)
{
    assert(u->f->switch_level);
    const ik_fabric *f = u->f;
    ranked *list = ik_calloc(f->num_switches, sizeof *list);
    if (!list)
        return ik_fail_memory(err, f->num_switches * sizeof *list, "the order of switches");
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        list[sw] = (ranked){f->num_levels - f->switch_level[sw], sw};
    updown_order_by(u, list);
    free(list);
    return IK_OK;
}

static ik_status order_by_distance(updown *u, uint32_t root, ik_error *err)
{
    assert(root == IK_NONE || root < u->f->num_switches);
    const ik_fabric *f = u->f;
    uint32_t n = f->num_switches;
    ranked *list = ik_calloc(n, sizeof *list);
    uint32_t *work = ik_calloc((size_t)n * 3, sizeof *work);
    if (!list || !work) {
        free(list);
        free(work);
        return ik_fail_memory(err, (size_t)n * (sizeof *list + 3 * sizeof *work),
                              "the order of switches");
    }
    uint32_t *dist = work, *parent = work + n, *queue = work + 2 * (size_t)n;
    memset(dist, 0xFF, n * sizeof *dist);
    if (root != IK_NONE)
        updown_sweep(u, root, dist, parent, queue);
    for (uint32_t sw = 0; sw < n; sw++)
        if (dist[sw] == IK_NONE)
            updown_sweep(u, updown_middle(u, sw, dist, parent, queue), dist, parent, queue);
    for (uint32_t sw = 0; sw < n; sw++)
        list[sw] = (ranked){dist[sw], sw};
    updown_order_by(u, list);
    free(list);
    free(work);
    return IK_OK;
}

/* Sorts the links by the order. */
static void updown_find_ways(updown *u)
{
    const ik_fabric *f = u->f;
    uint32_t num = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t down = 0; down < 2; down++) {
            u->first[2 * sw + down] = num;
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
                if (u->next[port] != IK_NONE && (u->key[u->next[port]] > u->key[sw]) == down)
                    u->ways[num++] = (way){u->next[port], port - f->port_base[sw]};
        }
    u->first[2 * f->num_switches] = num;
}

/* ---- distances */

static ik_status updown_leaf_distances(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    updown *u = ctx;
    uint32_t n = u->f->num_switches, target = u->at.leaf[index], head = 0, tail = 0;
    uint16_t *dist = u->dist + index * n;
    uint32_t *queue = u->queue + (size_t)thread * n;
    memset(dist, 0xFF, n * sizeof *dist);
    dist[target] = DOWN;
    queue[tail++] = target;
    while (head < tail) {
        uint32_t sw = queue[head++];
        for (uint32_t i = u->first[2 * sw]; i < u->first[2 * sw + 1]; i++) {
            uint32_t up = u->ways[i].to;
            if (dist[up] != FAR)
                continue;
            dist[up] = (uint16_t)(dist[sw] + 1);
            queue[tail++] = up;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sw = u->order[i], least = FAR & ~DOWN;
        if (dist[sw] != FAR)
            continue;
        for (uint32_t k = u->first[2 * sw]; k < u->first[2 * sw + 1]; k++) {
            uint32_t hops = dist[u->ways[k].to] & ~DOWN;
            least = hops < least ? hops : least;
        }
        if (least < (FAR & ~DOWN))
            dist[sw] = (uint16_t)(least + 1);
    }
    return IK_OK;
}

/* Does every switch with hosts reach every other that it is connected with? In a damaged tree two
 * roots may be connected only through leaves. Compared with reachability without the rule, from
 * each leaf's component. */
static ik_status updown_serves_all(updown *u, bool *all, ik_error *err)
{
    const ik_fabric *f = u->f;
    uint32_t n = f->num_switches;
    uint32_t *work = ik_calloc((size_t)n * 4, sizeof *work);
    if (!work)
        return ik_fail_memory(err, (size_t)n * 4 * sizeof *work, "the parts of the fabric");
    uint32_t *dist = work, *parent = work + n, *queue = work + 2 * (size_t)n,
             *part = work + 3 * (size_t)n;
    memset(dist, 0xFF, n * sizeof *dist);
    memset(part, 0xFF, n * sizeof *part);
    for (uint32_t sw = 0; sw < n; sw++)
        if (part[sw] == IK_NONE) {
            updown_sweep(u, sw, dist, parent, queue);
            for (uint32_t i = sw; i < n; i++)
                if (dist[i] != IK_NONE && part[i] == IK_NONE)
                    part[i] = sw;
        }
    *all = true;
    for (uint32_t a = 0; a < u->at.num_leaves && *all; a++)
        for (uint32_t b = 0; b < u->at.num_leaves && *all; b++) {
            uint32_t from = u->at.leaf[b];
            if (part[from] == part[u->at.leaf[a]] && u->dist[(size_t)a * n + from] == FAR)
                *all = false;
        }
    free(work);
    return IK_OK;
}

/* ---- tables */

/* A number without common factor with n, drawn for `sw`: i -> (step * i + start) mod n visits every
 * host once. */
static uint32_t updown_stride(uint64_t seed, uint32_t sw, uint32_t n)
{
    assert(n > 0);
    for (uint64_t k = 0;; k++) {
        uint32_t step = 1 + ik_random_below(seed, IK_RNG_ROUTE_SETUP, sw, k, n);
        if (ik_gcd(step, n) == 1)
            return step;
    }
}

/* What a thread keeps of the row that it makes. */
typedef struct row_scratch {
    least_ports ports;
    uint16_t *dist;   /* [leaves] hops to it, as in updown.dist */
    uint64_t *toward; /* [leaves][words] the nearest ports to a leaf, a bit each */
    uint16_t *only;   /* [leaves] see least_ports_only */
} row_scratch;

typedef struct row_ctx {
    updown *u;
    uint64_t seed;
    row_scratch *scratch; /* [threads] */
} row_ctx;

/* The ports on shortest legal ways to where dist leads, as bits. */
static void updown_mark_nearest(const updown *u, uint32_t sw, const uint16_t *dist, uint64_t *bits)
{
    assert(dist[sw] != FAR && dist[sw] != DOWN); /* there is a way, and it is not the end of it */
    const uint32_t down = (dist[sw] & DOWN) != 0;
    const uint16_t near = (uint16_t)(dist[sw] - 1);
    const uint16_t kinds = down ? FAR : FAR & ~DOWN; /* up leads to a way up or to one down */
    for (uint32_t i = u->first[2 * sw + down]; i < u->first[2 * sw + down + 1]; i++) {
        const uint64_t nearest = (dist[u->ways[i].to] & kinds) == near;
        bits[u->ways[i].port / 64] |= nearest << u->ways[i].port % 64;
    }
}

/* The hosts of one leaf have the same ports to choose from. Returns whether there is a choice. */
static bool updown_mark_leaves(const updown *u, row_scratch *s, uint32_t sw)
{
    const size_t leaves = u->at.num_leaves, words = s->ports.words;
    memset(s->toward, 0, leaves * words * sizeof *s->toward);
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        const uint16_t *dist = u->dist + leaf * u->f->num_switches;
        s->dist[leaf] = dist[sw];
        if (dist[sw] != FAR && dist[sw] != DOWN)
            updown_mark_nearest(u, sw, dist, s->toward + leaf * words);
    }
    return least_ports_only(&s->ports, s->toward, leaves, s->only);
}

/* IK_NONE becomes LFT_NONE. */
static uint16_t updown_take(row_scratch *s, size_t leaf)
{
    const uint16_t only = s->only[leaf];
    const uint64_t *toward = s->toward + leaf * s->ports.words;
    return only != LEAST_PORTS_SEVERAL ? only : (uint16_t)least_ports_take(&s->ports, toward);
}

/* Which of the host's switches to head for: one reached by going down first, then the nearest.
 * dist: [leaves] from the switch where the host is looked for. */
static uint32_t updown_nearest_entry(const updown *u, const uint16_t *dist, uint32_t host)
{
    assert(host < u->f->num_hosts);
    uint32_t best = IK_NONE;
    uint16_t least = FAR;
    for (uint32_t i = u->home[host]; i < u->home[host + 1]; i++) {
        uint16_t hops = dist[u->leaf_of[i]];
        if (hops != FAR && (uint16_t)(hops ^ DOWN) < least) {
            least = hops ^ DOWN;
            best = i;
        }
    }
    return best;
}

/* A host with several switches or none, or one at sw itself. */
static uint16_t updown_special_entry(const updown *u, row_scratch *s, uint32_t host)
{
    uint32_t best = updown_nearest_entry(u, s->dist, host);
    uint32_t leaf = best == IK_NONE ? 0 : u->leaf_of[best];
    if (best == IK_NONE || s->dist[leaf] == DOWN)
        return best == IK_NONE ? LFT_NONE : u->port_of[best];
    return updown_take(s, leaf);
}

static ik_status updown_table_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    row_ctx *c = ctx;
    const updown *u = c->u;
    uint32_t sw = (uint32_t)index, hosts = u->f->num_hosts;
    uint16_t *row = u->lft + (size_t)sw * hosts;
    row_scratch *s = &c->scratch[thread];
    least_ports_clear(&s->ports);
    const bool choice = updown_mark_leaves(u, s, sw); /* else the order of hosts is all the same */
    uint32_t step = choice ? updown_stride(c->seed, sw, hosts) : 1;
    uint64_t host = sw % hosts;
    for (uint32_t i = 0; i < hosts; i++, host += step, host -= host < hosts ? 0 : hosts) {
        uint32_t leaf = u->only_leaf[host];
        row[host] = leaf == IK_NONE || s->dist[leaf] == DOWN
                        ? updown_special_entry(u, s, (uint32_t)host)
                        : updown_take(s, leaf);
    }
    return IK_OK;
}

static bool updown_make_scratch(const updown *u, row_scratch *s)
{
    const size_t leaves = (size_t)u->at.num_leaves + 1;
    if (!least_ports_init(&s->ports, ik_max_radix(u->f)))
        return false;
    s->dist = ik_calloc(leaves, sizeof *s->dist);
    s->toward = ik_calloc(leaves * s->ports.words, sizeof *s->toward);
    s->only = ik_calloc(leaves, sizeof *s->only);
    return s->dist && s->toward && s->only;
}

static void updown_free_scratch(row_scratch *scratch, unsigned threads)
{
    for (unsigned t = 0; scratch && t < threads; t++) {
        least_ports_free(&scratch[t].ports);
        free(scratch[t].dist);
        free(scratch[t].toward);
        free(scratch[t].only);
    }
    free(scratch);
}

static ik_status updown_fill_table(updown *u, ik_routing *r, const ik_env *env, ik_error *err)
{
    const unsigned threads = ik_env_threads(env);
    row_ctx c = {.u = u, .seed = r->seed};
    ik_status status = lft_new(r->fabric, env, &r->lft, err);
    if (status != IK_OK)
        return status;
    u->lft = r->lft;
    c.scratch = ik_calloc(threads, sizeof *c.scratch);
    bool whole = c.scratch;
    for (unsigned t = 0; whole && t < threads; t++)
        whole = updown_make_scratch(u, &c.scratch[t]);
    status = whole ? ik_parallel_for(env, "up/down tables", u->f->num_switches, updown_table_row,
                                     &c, err)
                   : ik_fail_memory(err, u->at.num_leaves * sizeof(uint64_t), "up/down tables");
    updown_free_scratch(c.scratch, threads);
    return status;
}

/* ---- all of it */

static void updown_free(updown *u)
{
    attach_free(&u->at);
    free(u->key);
    free(u->order);
    free(u->next);
    free(u->ways);
    free(u->first);
    free(u->dist);
    free(u->home);
    free(u->leaf_of);
    free(u->port_of);
    free(u->only_leaf);
    free(u->queue);
}

/* The switches of every host, from the hosts of every switch (counting sort). */
static void updown_find_homes(updown *u)
{
    const attach *at = &u->at;
    uint32_t entries = at->base[u->f->num_switches], hosts = u->f->num_hosts;
    for (uint32_t i = 0; i < entries; i++)
        u->home[at->host[i] + 2]++;
    for (uint32_t host = 0; host < hosts; host++)
        u->home[host + 2] += u->home[host + 1];
    for (uint32_t leaf = 0; leaf < at->num_leaves; leaf++)
        for (uint32_t i = at->base[at->leaf[leaf]]; i < at->base[at->leaf[leaf] + 1]; i++) {
            uint32_t slot = u->home[at->host[i] + 1]++;
            u->leaf_of[slot] = leaf;
            u->port_of[slot] = at->port[i];
        }
    for (uint32_t host = 0; host < hosts; host++)
        u->only_leaf[host] =
            u->home[host + 1] == u->home[host] + 1 ? u->leaf_of[u->home[host]] : IK_NONE;
}

static ik_status updown_alloc(updown *u, const ik_env *env, ik_error *err)
{
    const ik_fabric *f = u->f;
    ik_status status = attach_make(f, &u->at, err);
    if (status != IK_OK)
        return status;
    size_t n = f->num_switches, dist_bytes = n * u->at.num_leaves * sizeof *u->dist;
    status = ik_env_refuse_bytes(env, (double)dist_bytes, "up/down distances", err);
    if (status != IK_OK)
        return status;
    u->key = ik_calloc(n, sizeof *u->key);
    u->order = ik_calloc(n, sizeof *u->order);
    u->next = ik_calloc((size_t)f->port_base[n] + 1, sizeof *u->next);
    u->ways = ik_calloc((size_t)f->port_base[n] + 1, sizeof *u->ways);
    u->first = ik_calloc(2 * n + 1, sizeof *u->first);
    u->dist = ik_calloc(n * u->at.num_leaves + 1, sizeof *u->dist);
    u->home = ik_calloc((size_t)f->num_hosts + 2, sizeof *u->home);
    u->leaf_of = ik_calloc((size_t)u->at.base[n] + 1, sizeof *u->leaf_of);
    u->port_of = ik_calloc((size_t)u->at.base[n] + 1, sizeof *u->port_of);
    u->only_leaf = ik_calloc((size_t)f->num_hosts + 1, sizeof *u->only_leaf);
    u->queue = ik_calloc(n * ik_env_threads(env), sizeof *u->queue);
    if (!u->key || !u->order || !u->next || !u->ways || !u->first || !u->dist || !u->home ||
        !u->leaf_of || !u->port_of || !u->only_leaf || !u->queue)
        return ik_fail_memory(err, dist_bytes, "up/down distances");
    updown_find_next(u);
    updown_find_homes(u);
    return IK_OK;
}

static ik_status updown_distances(updown *u, const ik_env *env, ik_error *err)
{
    updown_find_ways(u);
    return ik_parallel_for(env, "up/down distances", u->at.num_leaves, updown_leaf_distances, u,
                           err);
}

/* Chooses the order as the parameters say and computes distances by it. */
static ik_status updown_settle_order(updown *u, const ik_params *params, const ik_env *env,
                                     ik_error *err)
{
    unsigned mode = ik_params_enum(params, "order");
    uint32_t root =
        ik_params_has(params, "root") ? (uint32_t)ik_params_uint(params, "root") : IK_NONE;
    if (root != IK_NONE && root >= u->f->num_switches)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE,
                                "root %u is not a switch: the fabric has %u, numbered from 0", root,
                                u->f->num_switches),
                        "root");
    if (root != IK_NONE && mode == ROOT_AUTO)
        mode = ROOT_BFS;
    if (mode == ROOT_LEVELS && !u->f->num_levels) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "the fabric has no tree levels to order its switches by"),
                 "order");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "order=distance works on any fabric");
    }
    ik_status status = IK_OK;
    if (mode == ROOT_LEVELS || (mode == ROOT_AUTO && u->f->num_levels)) {
        bool all = false;
        status = updown_order_by_levels(u, err);
        if (status == IK_OK)
            status = updown_distances(u, env, err);
        if (status == IK_OK)
            status = updown_serves_all(u, &all, err);
        if (status != IK_OK || all)
            return status;
        if (mode == ROOT_LEVELS) {
            ik_about(err,
                     ik_fail(err, IK_ERR_UNSUPPORTED,
                             "by its levels, this damaged tree has connected hosts without a path "
                             "up and down"),
                     "order");
            return ik_hint(err, IK_ERR_UNSUPPORTED, "order=distance routes every connected pair");
        }
    }
    status = order_by_distance(u, root, err);
    return status == IK_OK ? updown_distances(u, env, err) : status;
}

static ik_status updown_create(ik_routing *r, const ik_params *params, const ik_env *env,
                               ik_error *err)
{
    updown u = {.f = r->fabric};
    if (u.f->num_switches >= DOWN)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "up/down counts hops in 15 bits and takes at most %u switches, not %u",
                       DOWN - 1, u.f->num_switches);
    ik_status status = updown_alloc(&u, env, err);
    if (status == IK_OK)
        status = updown_settle_order(&u, params, env, err);
    if (status == IK_OK)
        status = updown_fill_table(&u, r, env, err);
    updown_free(&u);
    return status;
}

static const ik_param params[] = {
    {"order", IK_PARAM_ENUM, "auto", 0, 0, "auto|levels|distance",
     "what up means: towards the roots of a recognised tree (levels), or towards one switch "
     "(distance)"},
    {"root", IK_PARAM_UINT, "", 0, 4294967294.0, NULL,
     "the topmost switch of order=distance; a central switch if not given", "order=auto|distance",
     "order=distance has a root"},
    ROUTING_SEED_PARAM,
    {0},
};
static const char *const examples[] = {
    "ring:n=5",
    "karytree:k=2,n=3",
    "karytree:k=2,n=3,fail=10%",
    "rlft:ports=8,levels=3,fail=5%",
    "torus:dims=4:4,fail=10%",
    NULL,
};

const ik_routing_family ik_routing_updown = {
    .name = "updown",
    .summary = "first up, then down, on any fabric: tables that are deadlock-free without virtual "
               "channels",
    .source = "Schroeder, Birrell, Burrows, Murray, Needham, Rodeheffer, Satterthwaite, Thacker: "
              "Autonet, IEEE JSAC 1991",
    .details = "Every link has an upper end, and a packet goes up first and then down. Up means "
               "towards the roots if the fabric is a recognised tree and every connected pair can "
               "be routed in this way; otherwise up means towards one central switch "
               "(order=distance; ties are broken by switch number).\n\nThe tables depend on the "
               "destination alone and are valid for every input port: a switch that can reach the "
               "destination by going down does so, even if going up first were shorter. Paths may "
               "be longer than shortest paths, and links near the root carry the most load.",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims =
        IK_CLAIM_DELIVERS | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED,
    .example_fabrics = examples,
    .create = updown_create,
    .next = ik_lft_next,
};
