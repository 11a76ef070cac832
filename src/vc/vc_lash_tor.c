/* SPDX-License-Identifier: Apache-2.0
 *
 * LASH-TOR: a path may step to the next layer on its way, where staying would close a cycle.
 *
 * Paths are taken in a fixed order and walked from their source in layer 0. A hop whose dependency
 * fits into the current layer's acyclic graph stays there; otherwise it is made in the next layer,
 * where nothing precedes it. Layers only rise along a path, so dependencies between layers close no
 * cycle.
 * Source: T. Skeie, O. Lysne, J. Flich, P. Lopez, A. Robles, J. Duato, "LASH-TOR: A Generic
 * Transition-Oriented Routing Algorithm", ICPADS 2004. Departures: layers are added as needed and
 * their number reported, instead of leaving the last one to up/down paths; the paths are the
 * routing's, whatever it is.
 * Cost: about one insertion per hop; 12 bytes per pair (paths up to 64 hops).
 */
#include "vc/layers.h"

#include <assert.h>
#include <stdlib.h>

enum { MAX_HOPS = 64 };

typedef struct lash_tor {
    uint32_t *source_of, *dest_of;
    uint32_t num_dests;
    uint64_t *steps; /* [source][dest] bit i: hop i is one layer above hop i - 1 */
    layer_vcs vcs;
} lash_tor;

typedef struct tor_work {
    layer_paths p;
    linkdag dag[IK_MAX_VCS];
    unsigned num_layers;
    uint32_t *path;
    uint64_t *steps;
    uint64_t load[IK_MAX_VCS];
} tor_work;

static ik_status lash_tor_enter_layer(tor_work *w, unsigned layer, ik_error *err)
{
    assert(layer <= w->num_layers); /* one at a time */
    if (layer < w->num_layers)
        return IK_OK;
    if (layer == IK_MAX_VCS)
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "LASH-TOR needs more than %d layers for the paths of this routing",
                                IK_MAX_VCS),
                        "vcs");
    ik_status status = linkdag_init(&w->dag[layer], &w->p.g, err);
    w->num_layers += status == IK_OK;
    return status;
}

static ik_status lash_tor_place(tor_work *w, uint32_t pair, ik_error *err)
{
    assert(pair < (size_t)w->p.num_sources * w->p.num_dests);
    uint32_t s = pair / w->p.num_dests, d = pair % w->p.num_dests;
    uint32_t n = layer_path(&w->p, s, d, w->path);
    if (n > MAX_HOPS)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "LASH-TOR takes paths of up to %d hops, routing '%s' has one of %u",
                       MAX_HOPS, w->p.r->family->name, n);
    unsigned layer = 0;
    ik_status status = lash_tor_enter_layer(w, 0, err);
    for (uint32_t i = 0; i < n && status == IK_OK; i++) {
        if (i > 0 && linkdag_add(&w->dag[layer], w->path[i - 1], w->path[i]) == LINKDAG_CYCLE) {
            w->steps[pair] |= 1ULL << i;
            status = lash_tor_enter_layer(w, ++layer, err);
        }
        if (status == IK_OK)
            w->load[layer] += layer_weight(&w->p, s, d);
    }
    return status;
}

static ik_status lash_tor_place_all(tor_work *w, layer_order order, const ik_env *env,
                                    ik_error *err)
{
    size_t num = (size_t)w->p.num_sources * w->p.num_dests;
    uint32_t *pairs = NULL;
    ik_status status = layer_pairs(&w->p, order, env, &pairs, err);
    if (status != IK_OK)
        return status;
    w->path = ik_calloc(w->p.room, sizeof *w->path);
    w->steps = ik_calloc(num + 1, sizeof *w->steps);
    if (!w->path || !w->steps)
        status = ik_fail_memory(err, num * sizeof *w->steps, "LASH-TOR's layers");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        if (i % 1024 == 0 && ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
        else
            status = lash_tor_place(w, pairs[i], err);
    free(pairs);
    return status;
}

static ik_status lash_tor_keep(ik_vc *v, tor_work *w, ik_error *err)
{
    lash_tor *impl = ik_calloc(1, sizeof *impl);
    if (!impl)
        return ik_fail_memory(err, sizeof *impl, "LASH-TOR");
    ik_status status =
        layer_vcs_settle(v, w->num_layers ? w->num_layers : 1, w->load, &impl->vcs, err);
    if (status != IK_OK) {
        free(impl);
        return status;
    }
    impl->num_dests = w->p.num_dests;
    impl->source_of = w->p.source_of;
    impl->dest_of = w->p.dest_of;
    impl->steps = w->steps;
    w->p.source_of = w->p.dest_of = NULL;
    w->steps = NULL;
    v->impl = impl;
    return IK_OK;
}

static ik_status lash_tor_create(ik_vc *v, const ik_params *params, const ik_env *env,
                                 ik_error *err)
{
    tor_work *w = ik_calloc(1, sizeof *w);
    if (!w)
        return ik_fail_memory(err, sizeof *w, "LASH-TOR");
    ik_status status = layer_paths_build(v, false, env, &w->p, err);
    if (status == IK_OK)
        status = lash_tor_place_all(w, ik_params_enum(params, "order"), env, err);
    if (status == IK_OK)
        status = lash_tor_keep(v, w, err);
    for (unsigned l = 0; l < w->num_layers; l++)
        linkdag_free(&w->dag[l]);
    layer_paths_free(&w->p);
    free(w->path);
    free(w->steps);
    free(w);
    return status;
}

static void lash_tor_destroy(ik_vc *v)
{
    lash_tor *impl = v->impl;
    free(impl->source_of);
    free(impl->dest_of);
    free(impl->steps);
    free(impl);
}

static unsigned lash_tor_ones(uint64_t word)
{
    unsigned n = 0;
    for (; word; word &= word - 1)
        n++;
    return n;
}

static void lash_tor_range(const lash_tor *impl, uint32_t src, uint32_t dst, unsigned hop,
                           uint8_t *first, uint8_t *last)
{
    uint32_t s = impl->source_of[src], d = impl->dest_of[dst];
    uint64_t steps =
        s == IK_NONE || d == IK_NONE ? 0 : impl->steps[(size_t)s * impl->num_dests + d];
    unsigned layer = lash_tor_ones(steps & (hop >= MAX_HOPS - 1 ? UINT64_MAX : (2ULL << hop) - 1));
    *first = (uint8_t)impl->vcs.base[layer];
    *last = (uint8_t)(impl->vcs.base[layer + 1] - 1);
}

static void lash_tor_inject(const ik_vc *v, ik_packet *pk)
{
    uint8_t last;
    lash_tor_range(v->impl, pk->src, pk->dst, 0, &pk->vc, &last);
}

static void lash_tor_next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                          const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    (void)sw, (void)in_port;
    if (lanes_ejects(v->fabric, out_port))
        *vc_first = *vc_last = pk->vc;
    else
        lash_tor_range(v->impl, pk->src, pk->dst, pk->hops, vc_first, vc_last);
}

static double lash_tor_share(const ik_vc *v, unsigned vc)
{
    return layer_vcs_share(&((const lash_tor *)v->impl)->vcs, vc);
}

static const ik_param params[] = {
    {"order", IK_PARAM_ENUM, "dst", 0, 0, LAYER_ORDERS, LAYER_ORDER_HELP},
    {0},
};

const ik_vc_family ik_vc_lash_tor = {
    .name = "lash_tor",
    .summary = "a path moves to the next layer where staying would close a cycle",
    .source = "Skeie, Lysne, Flich, Lopez, Robles, Duato: LASH-TOR: A Generic Transition-Oriented "
              "Routing Algorithm, ICPADS 2004",
    .details = "Walks each path of a deterministic routing from its source and moves it to the "
               "next virtual layer where its next dependency would close a cycle. It needs fewer "
               "layers than LASH, but the VC changes along the path. Assigning pairs by "
               "destination usually saves one more layer. Spare VCs go to the layers with the most "
               "traffic, where packets may then choose.",
    .params = params,
    .create = lash_tor_create,
    .destroy = lash_tor_destroy,
    .inject = lash_tor_inject,
    .next = lash_tor_next,
    .share = lash_tor_share,
};
