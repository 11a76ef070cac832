/* SPDX-License-Identifier: Apache-2.0
 *
 * LASH: every path stays in one layer, and each layer's channel dependency graph is acyclic.
 *
 * Paths are taken in a fixed order; each goes to the first layer that stays acyclic with it, a new
 * one if none does. With pairs=both the two directions between two switches share a layer, as
 * InfiniBand needs, where both ends of a connection use one service level. Balancing then moves
 * paths from layers above the average load to the lightest layer that takes them. Source: T. Skeie,
 * O. Lysne, I. Theiss, "Layered Shortest Path (LASH) Routing in Irregular System Area Networks",
 * IPDPS 2002. Departure: the paths are the routing's, whatever it is.
 * Cost: one insertion per hop and layer tried; insertions are incremental (see linkdag.h).
 */
#include "vc/lash.h"
#include "vc/layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define UNPLACED 255

typedef struct lash {
    layer_paths p;
    linkdag dag[IK_MAX_VCS - 1];
    unsigned num_layers;
    uint8_t *layer;            /* [pair] */
    uint32_t *path, *undo;     /* scratch, two paths long */
    uint64_t load[IK_MAX_VCS]; /* host-pair hops */
    bool both;
} lash;

static void lash_free(lash *t)
{
    if (!t)
        return;
    for (unsigned l = 0; l < t->num_layers; l++)
        linkdag_free(&t->dag[l]);
    layer_paths_free(&t->p);
    free(t->layer);
    free(t->path);
    free(t->undo);
    free(t);
}

/* The pair that must share this one's layer. */
static uint32_t lash_opposite(const lash *t, uint32_t pair)
{
    assert(pair < (size_t)t->p.num_sources * t->p.num_dests);
    uint32_t s = pair / t->p.num_dests, d = pair % t->p.num_dests;
    return t->both ? d * t->p.num_dests + s : pair;
}

/* Dependencies of a pair, and of its opposite, into one layer: all or none. */
static bool lash_fits(lash *t, unsigned layer, uint32_t pair)
{
    assert(layer < t->num_layers);
    uint32_t other = lash_opposite(t, pair), d = t->p.num_dests;
    uint32_t n = layer_path(&t->p, pair / d, pair % d, t->path), m = 0;
    if (other != pair)
        m = layer_path(&t->p, other / d, other % d, t->path + n);
    return linkdag_add_paths(&t->dag[layer], t->path, n, m, t->undo);
}

static uint64_t lash_hops_of(lash *t, uint32_t pair)
{
    uint32_t s = pair / t->p.num_dests, d = pair % t->p.num_dests;
    return layer_path(&t->p, s, d, t->path) * layer_weight(&t->p, s, d);
}

static void lash_put(lash *t, uint32_t pair, unsigned layer)
{
    assert(layer < t->num_layers);
    uint32_t other = lash_opposite(t, pair);
    for (unsigned k = 0; k < (other == pair ? 1U : 2U); k++) {
        uint32_t which = k ? other : pair;
        uint64_t hops = lash_hops_of(t, which);
        if (t->layer[which] != UNPLACED)
            t->load[t->layer[which]] -= hops;
        t->load[layer] += hops;
        t->layer[which] = (uint8_t)layer;
    }
}

static ik_status lash_place(lash *t, uint32_t pair, const ik_env *env, ik_error *err)
{
    if (t->layer[pair] != UNPLACED)
        return IK_OK;
    if (pair % 1024 == 0 && ik_env_cancelled(env))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
    unsigned l = 0;
    while (l < t->num_layers && !lash_fits(t, l, pair))
        l++;
    if (l == t->num_layers) {
        if (l == IK_MAX_VCS - 1)
            return ik_about(err,
                            ik_fail(err, IK_ERR_UNSUPPORTED,
                                    "LASH needs more than %d layers for the paths of this routing",
                                    l),
                            "vcs");
        ik_status status = linkdag_init(&t->dag[l], &t->p.g, err);
        if (status != IK_OK)
            return status;
        t->num_layers++;
        if (!lash_fits(t, l, pair)) /* only a path that loops */
            return ik_fail(err, IK_ERR_UNSUPPORTED, "a path of routing '%s' crosses a link twice",
                           t->p.r->family->name);
    }
    lash_put(t, pair, l);
    return IK_OK;
}

/* Moves pairs out of layers that carry more than the average. Dependencies stay behind, which only
 * makes later moves stricter. */
static void lash_balance(lash *t, const uint32_t *pairs, size_t num)
{
    uint64_t total = 0;
    for (unsigned l = 0; l < t->num_layers; l++)
        total += t->load[l];
    uint64_t mean = total / t->num_layers;
    for (size_t i = 0; i < num; i++) {
        unsigned from = t->layer[pairs[i]], to = 0;
        if (t->load[from] <= mean)
            continue;
        for (unsigned l = 1; l < t->num_layers; l++)
            if (t->load[l] < t->load[to])
                to = l;
        if (t->load[to] < mean && lash_fits(t, to, pairs[i]))
            lash_put(t, pairs[i], to);
    }
}

static ik_status lash_allocate(lash *t, size_t num, ik_error *err)
{
    t->layer = ik_calloc(num + 1, 1);
    t->path = ik_calloc(2 * (size_t)t->p.room, sizeof *t->path);
    t->undo = ik_calloc(2 * (size_t)t->p.max_length, sizeof *t->undo);
    if (!t->layer || !t->path || !t->undo)
        return ik_fail_memory(err, num, "LASH's layers");
    memset(t->layer, UNPLACED, num);
    return IK_OK;
}

static ik_status lash_layer_all(lash *t, const ik_params *params, const ik_env *env, ik_error *err)
{
    size_t num = (size_t)t->p.num_sources * t->p.num_dests;
    uint32_t *pairs = NULL;
    ik_status status = layer_pairs(&t->p, ik_params_enum(params, "order"), env, &pairs, err);
    if (status != IK_OK)
        return status;
    status = lash_allocate(t, num, err);
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = lash_place(t, pairs[i], env, err);
    if (status == IK_OK && t->num_layers > 1 && ik_params_bool(params, "balance"))
        lash_balance(t, pairs, num);
    free(pairs);
    return status;
}

/* Lanes of v from the layers of t. Units are for spare VCs alone. */
static ik_status lash_finish(lash *t, ik_vc *v, unsigned lanes, const ik_env *env, ik_error *err)
{
    layer_units units = {0};
    ik_status status = IK_OK;
    if (v->num_vcs != lanes)
        status = layer_units_make(&t->p, t->both ? LAYER_UNIT_CLASSES : LAYER_UNIT_PAIR, env,
                                  &units, err);
    if (status == IK_OK) {
        status = layer_lanes_make(v, &t->p, &units, t->layer, lanes, err);
        t->layer = NULL;
    }
    v->both_ways = t->both;
    layer_units_free(&units);
    return status;
}

static ik_status lash_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    lash *t = ik_calloc(1, sizeof *t);
    if (!t)
        return ik_fail_memory(err, sizeof *t, "LASH");
    t->both = ik_params_enum(params, "pairs") == 1;
    ik_status status = layer_paths_build(v, t->both, env, &t->p, err);
    if (status == IK_OK)
        status = lash_layer_all(t, params, env, err);
    if (status == IK_OK)
        status = lash_finish(t, v, t->num_layers ? t->num_layers : 1, env, err);
    lash_free(t);
    return status;
}

/* ---- lanes that stay */

enum { KEPT_STAYS = 128 }; /* beside a lane */

typedef struct lash_keeping {
    lash *t;
    uint8_t *own; /* [pair] the lane before, with KEPT_STAYS */
    bool *hard;   /* [pair] fitted nowhere in an earlier round */
    bool avoid;   /* see lash_before */
    uint32_t left;
    uint64_t *want; /* [link][words] dependencies of a lane */
    uint32_t *order, *scratch;
    uint32_t *seen; /* [switch] == round: its way to the destination is in `want` */
    uint32_t round;
} lash_keeping;

/* All lanes of v, empty, and no pair in them. */
static ik_status lash_open(lash *t, const ik_vc *v, ik_error *err)
{
    ik_status status = IK_OK;
    memset(t->layer, UNPLACED, (size_t)t->p.num_sources * t->p.num_dests);
    while (t->num_layers > 0)
        linkdag_free(&t->dag[--t->num_layers]);
    while (status == IK_OK && t->num_layers < v->num_vcs) {
        status = linkdag_init(&t->dag[t->num_layers], &t->p.g, err);
        t->num_layers += status == IK_OK;
    }
    return status;
}

static ik_status lash_ask_before(lash_keeping *k, lash_before before, const ik_env *env,
                                 ik_error *err)
{
    const layer_paths *p = &k->t->p;
    for (uint32_t s = 0; s < p->num_sources; s++) {
        for (uint32_t d = 0; d < p->num_dests; d++) {
            bool stays = false;
            unsigned own = before.lane(before.ctx, p->source[s].host, p->dest[d].host, &stays);
            assert(own < KEPT_STAYS);
            k->own[(size_t)s * p->num_dests + d] = (uint8_t)(own | (stays ? KEPT_STAYS : 0));
        }
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
    }
    return IK_OK;
}

/* Adds to `want` what pairs of a destination wait for that stay on a lane. */
static void lash_want_dest(lash_keeping *k, uint32_t dest, unsigned lane)
{
    const layer_paths *p = &k->t->p;
    const linkdag *dag = &k->t->dag[lane];
    const uint32_t *next = p->next + (size_t)dest * p->g.num_switches;
    k->round++;
    for (uint32_t s = 0; s < p->num_sources; s++) {
        if (k->own[(size_t)s * p->num_dests + dest] != (lane | KEPT_STAYS))
            continue;
        for (uint32_t sw = p->source[s].sw; next[sw] != IK_NONE && k->seen[sw] != k->round;) {
            uint32_t link = next[sw], onward = next[p->g.head[link]];
            k->seen[sw] = k->round;
            sw = p->g.head[link];
            if (onward == IK_NONE)
                break;
            uint32_t bit = onward - p->g.base[sw];
            k->want[(size_t)link * dag->words + bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

/* Puts all pairs that stay where they were, if that closes no cycle: what is installed and proved
 * has none. Else nothing is put, and they are placed one by one. */
static ik_status lash_put_staying(lash_keeping *k, const ik_env *env, ik_error *err)
{
    lash *t = k->t;
    size_t num = (size_t)t->p.num_sources * t->p.num_dests;
    for (unsigned lane = 0; lane < t->num_layers; lane++) {
        linkdag *dag = &t->dag[lane];
        memset(k->want, 0, (size_t)t->p.g.num_links * dag->words * sizeof *k->want);
        for (uint32_t d = 0; d < t->p.num_dests; d++)
            lash_want_dest(k, d, lane);
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
        if (!linkdag_sort(dag, k->want, k->scratch, k->order))
            continue;
        linkdag_start_with(dag, k->order);
        linkdag_add_all(dag, k->want);
        for (size_t i = 0; i < num; i++)
            if (k->own[i] == (lane | KEPT_STAYS))
                t->layer[i] = (uint8_t)lane;
    }
    return IK_OK;
}

/* In `own`, where it fits, or in the first other lane unless it is to stay, lane 0 last. */
static void lash_place_again(lash *t, uint32_t pair, unsigned own, bool stays)
{
    unsigned found = own < t->num_layers && lash_fits(t, own, pair) ? own : UNPLACED;
    for (unsigned l = 1; !stays && l <= t->num_layers && found == UNPLACED; l++)
        if (lash_fits(t, l % t->num_layers, pair))
            found = l % t->num_layers;
    t->layer[pair] = t->layer[lash_opposite(t, pair)] = (uint8_t)found;
}

/* Pairs that fitted nowhere in earlier rounds, then those that stay, then all others. k->left:
 * those that fit nowhere, which are hard from now on. */
static ik_status lash_place_kept(lash_keeping *k, const ik_env *env, ik_error *err)
{
    enum { HARD, STAYING, OTHERS, TURNS };
    lash *t = k->t;
    uint32_t num = t->p.num_sources * t->p.num_dests;
    for (unsigned turn = HARD; turn < TURNS; turn++)
        for (uint32_t pair = 0; pair < num; pair++) {
            if (pair % 1024 == 0 && ik_env_cancelled(env))
                return ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
            if (t->layer[pair] != UNPLACED || (turn == HARD && !k->hard[pair]))
                continue;
            bool stays = k->own[pair] & KEPT_STAYS;
            unsigned own = k->own[pair] & (KEPT_STAYS - 1);
            if (turn == STAYING && !stays)
                continue;
            if (k->avoid && own == 0 && turn != STAYING)
                own = UNPLACED;
            lash_place_again(t, pair, own, turn == STAYING);
        }
    k->left = 0;
    for (uint32_t pair = 0; pair < num; pair++)
        if (t->layer[pair] == UNPLACED) {
            k->hard[pair] = true;
            k->left++;
        }
    return IK_OK;
}

/* Pairs of hosts that could have kept their lane. */
static uint64_t lash_count_moved(const lash_keeping *k)
{
    const layer_paths *p = &k->t->p;
    uint64_t moved = 0;
    for (uint32_t s = 0; s < p->num_sources; s++)
        for (uint32_t d = 0; d < p->num_dests; d++) {
            size_t pair = (size_t)s * p->num_dests + d;
            if (k->own[pair] & KEPT_STAYS && k->t->layer[pair] != (k->own[pair] ^ KEPT_STAYS))
                moved += layer_weight(p, s, d);
        }
    return moved;
}

static ik_status lash_keep_rounds(lash_keeping *k, const ik_vc *v, const ik_env *env, ik_error *err)
{
    enum { ROUNDS = 8 };
    ik_status status = IK_OK;
    k->left = 1;
    for (unsigned round = 0; status == IK_OK && k->left > 0 && round < ROUNDS; round++) {
        status = lash_open(k->t, v, err);
        if (status == IK_OK && round == 0 && k->t->p.next)
            status = lash_put_staying(k, env, err);
        if (status == IK_OK)
            status = lash_place_kept(k, env, err);
    }
    if (status == IK_OK && k->left > 0)
        status = ik_fail(err, IK_ERR_UNSUPPORTED, "%s no lane beside those that stay",
                         IK_COUNT(k->left, "path finds|paths find"));
    return status;
}

static ik_status lash_keep_allocate(lash_keeping *k, const ik_env *env, ik_error *err)
{
    const layer_paths *p = &k->t->p;
    size_t num = (size_t)p->num_sources * p->num_dests, rows = (size_t)p->g.num_links + 1,
           words = ((size_t)p->g.max_degree + 63) / 64 + 1;
    ik_status status = ik_env_refuse_bytes(env, 3.0 * (double)num, "the pairs to be layered", err);
    if (status == IK_OK && num >= UINT32_MAX)
        status = ik_fail(err, IK_ERR_MEMORY, "%zu paths are too many to be layered", num);
    if (status == IK_OK)
        status = lash_allocate(k->t, num, err);
    if (status != IK_OK)
        return status;
    k->own = ik_calloc(num + 1, sizeof *k->own);
    k->hard = ik_calloc(num + 1, sizeof *k->hard);
    k->want = ik_calloc(rows * words, sizeof *k->want);
    k->order = ik_calloc(rows, sizeof *k->order);
    k->scratch = ik_calloc(rows, sizeof *k->scratch);
    k->seen = ik_calloc((size_t)p->g.num_switches + 1, sizeof *k->seen);
    if (!k->own || !k->hard || !k->want || !k->order || !k->scratch || !k->seen)
        return ik_fail_memory(err, 2 * num + rows * words * 8, "LASH's layers");
    return IK_OK;
}

ik_status lash_keep(ik_vc *v, lash_before before, uint64_t *moved, const ik_env *env, ik_error *err)
{
    lash *t = ik_calloc(1, sizeof *t);
    lash_keeping k = {.t = t, .avoid = before.avoid};
    if (!t)
        return ik_fail_memory(err, sizeof *t, "LASH");
    t->both = true;
    assert(v->num_vcs < IK_MAX_VCS);
    ik_status status = layer_paths_build(v, true, env, &t->p, err);
    if (status == IK_OK)
        status = lash_keep_allocate(&k, env, err);
    if (status == IK_OK)
        status = lash_ask_before(&k, before, env, err);
    if (status == IK_OK)
        status = lash_keep_rounds(&k, v, env, err);
    if (status == IK_OK) {
        *moved = lash_count_moved(&k);
        status = lash_finish(t, v, t->num_layers, env, err);
    }
    free(k.own);
    free(k.hard);
    free(k.want);
    free(k.order);
    free(k.scratch);
    free(k.seen);
    lash_free(t);
    return status;
}

static const ik_param params[] = {
    {"order", IK_PARAM_ENUM, "lex", 0, 0, LAYER_ORDERS, LAYER_ORDER_HELP},
    {"pairs", IK_PARAM_ENUM, "single", 0, 0, "single|both",
     "each direction by itself, or both directions of a pair in one layer"},
    {"balance", IK_PARAM_BOOL, "true", 0, 0, NULL,
     "move paths from layers with many paths to layers with few where they fit"},
    {0},
};

const ik_vc_family ik_vc_lash = {
    .name = "lash",
    .summary = "every path stays in one layer: the first one that stays acyclic with it",
    .source = "Skeie, Lysne, Theiss: Layered Shortest Path (LASH) Routing in Irregular System Area "
              "Networks, IPDPS 2002",
    .details =
        "Assigns each path of a deterministic routing to the first virtual layer whose channel "
        "dependency graph stays acyclic with it; a packet keeps its layer. The number of layers "
        "that are needed is reported; spare VCs split the most loaded layers. pairs=both puts the "
        "two directions between two switches into one layer, which is required where a connection "
        "has one service level.",
    .params = params,
    .create = lash_create,
    .destroy = layer_lanes_destroy,
    .inject = layer_lanes_inject,
    .next = lanes_keep,
    .share = layer_lanes_share,
    .static_lane = true,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS | IK_VC_ANY_PORT,
};
