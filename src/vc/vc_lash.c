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

/* Lanes of v from t, which is freed. */
static ik_status lash_finish(lash *t, ik_vc *v, unsigned lanes, const ik_env *env, ik_error *err)
{
    layer_units units = {0};
    ik_status status =
        layer_units_make(&t->p, t->both ? LAYER_UNIT_CLASSES : LAYER_UNIT_PAIR, env, &units, err);
    if (status == IK_OK) {
        status = layer_lanes_make(v, &t->p, &units, t->layer, lanes, err);
        t->layer = NULL;
    }
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

/* In `own`, where it fits, or in the first other lane unless it is to stay, lane 0 last. */
static void lash_place_again(lash *t, uint32_t pair, unsigned own, bool stays)
{
    unsigned found = own < t->num_layers && lash_fits(t, own, pair) ? own : UNPLACED;
    for (unsigned l = 1; !stays && l <= t->num_layers && found == UNPLACED; l++)
        if (lash_fits(t, l % t->num_layers, pair))
            found = l % t->num_layers;
    t->layer[pair] = t->layer[lash_opposite(t, pair)] = (uint8_t)found;
}

/* Pairs that fitted nowhere in earlier rounds, then those that stay, then all others. *left: those
 * that fit nowhere, which are hard from now on. */
static ik_status lash_place_kept(lash *t, lash_before before, bool *hard, const ik_env *env,
                                 uint32_t *left, ik_error *err)
{
    enum { HARD, STAYING, OTHERS, TURNS };
    uint32_t n = t->p.num_dests, num = t->p.num_sources * n;
    for (unsigned turn = HARD; turn < TURNS; turn++)
        for (uint32_t pair = 0; pair < num; pair++) {
            if (pair % 1024 == 0 && ik_env_cancelled(env))
                return ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
            if (t->layer[pair] != UNPLACED || (turn == HARD && !hard[pair]))
                continue;
            bool stays = false;
            unsigned own = before.lane(before.ctx, t->p.source[pair / n].host,
                                       t->p.dest[pair % n].host, &stays);
            if (turn != STAYING || stays)
                lash_place_again(t, pair, own, turn == STAYING);
        }
    *left = 0;
    for (uint32_t pair = 0; pair < num; pair++)
        if (t->layer[pair] == UNPLACED) {
            hard[pair] = true;
            ++*left;
        }
    return IK_OK;
}

/* Pairs of hosts that could have kept their lane. */
static uint64_t lash_count_moved(const lash *t, lash_before before)
{
    uint64_t moved = 0;
    for (uint32_t s = 0; s < t->p.num_sources; s++)
        for (uint32_t d = 0; d < t->p.num_dests; d++) {
            bool stays = false;
            unsigned own = before.lane(before.ctx, t->p.source[s].host, t->p.dest[d].host, &stays);
            if (stays && t->layer[(size_t)s * t->p.num_dests + d] != own)
                moved += layer_weight(&t->p, s, d);
        }
    return moved;
}

ik_status lash_keep(ik_vc *v, lash_before before, uint64_t *moved, const ik_env *env, ik_error *err)
{
    enum { ROUNDS = 8 };
    lash *t = ik_calloc(1, sizeof *t);
    bool *hard = NULL;
    uint32_t left = 1;
    if (!t)
        return ik_fail_memory(err, sizeof *t, "LASH");
    t->both = true;
    ik_status status = layer_paths_build(v, true, env, &t->p, err);
    size_t num = (size_t)t->p.num_sources * t->p.num_dests;
    assert(num < UINT32_MAX && v->num_vcs < IK_MAX_VCS);
    if (status == IK_OK)
        status = lash_allocate(t, num, err);
    if (status == IK_OK && !(hard = ik_calloc(num + 1, sizeof *hard)))
        status = ik_fail_memory(err, num, "LASH's layers");
    for (unsigned round = 0; status == IK_OK && left > 0 && round < ROUNDS; round++) {
        status = lash_open(t, v, err);
        if (status == IK_OK)
            status = lash_place_kept(t, before, hard, env, &left, err);
    }
    if (status == IK_OK && left > 0)
        status = ik_fail(err, IK_ERR_UNSUPPORTED, "%s no lane beside those that stay",
                         IK_COUNT(left, "path finds|paths find"));
    if (status == IK_OK) {
        *moved = lash_count_moved(t, before);
        status = lash_finish(t, v, t->num_layers, env, err);
    }
    free(hard);
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
