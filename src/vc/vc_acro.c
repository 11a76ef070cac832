/* SPDX-License-Identifier: Apache-2.0
 *
 * ACRO: VCs assigned in reverse order, from the destination outwards.
 *
 * The routes to a destination form a tree. From its root outwards every switch gets a number m: 0
 * at the last hop; a switch keeps its next hop's m if the dependency between the two links fits
 * into layer m's acyclic graph, otherwise it takes m + 1, where nothing follows. Numbers only fall
 * towards the destination, so dependencies between layers close no cycle. The VC is M - 1 - m, M
 * the numbers used; it depends on (switch, destination) alone, so it fits into a forwarding table,
 * and paths that share their end share the work.
 * Source: R. Kawano et al., "ACRO: Assignment of Channels in Reverse Order to Make Arbitrary
 * Routing Deadlock-free", ICIS 2016 (known by its abstract; the tree form here is a
 * reconstruction). order=dst: destination by destination, breadth first; order=level: all trees at
 * once, level by level. Cost: one insertion per switch and destination.
 */
#include "vc/layers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct acro {
    uint32_t *dest_of; /* [hosts] */
    uint32_t num_dests;
    uint8_t *vc; /* [switch][dest] layer = M - 1 - m */
    layer_vcs vcs;
    links g;
} acro;

/* While the layers are made. */
typedef struct acro_work {
    layer_paths p;
    linkdag dag[IK_MAX_VCS];
    unsigned num_layers;
    uint8_t *m;                /* [switch][dest] */
    uint32_t *queue;           /* [dest or 1][switch] breadth-first order */
    uint32_t *filled;          /* [dest or 1] */
    uint64_t *hosts, *flow;    /* [switch] sources there, and coming through */
    uint64_t load[IK_MAX_VCS]; /* per m: host-pair hops */
} acro_work;

/* Number of the link that u takes, given its next hop's. */
static ik_status acro_assign(acro_work *w, uint32_t d, uint32_t u, ik_error *err)
{
    assert(d < w->p.num_dests && u < w->p.g.num_switches);
    const uint32_t *next = w->p.next + (size_t)d * w->p.g.num_switches;
    uint32_t v = w->p.g.head[next[u]], m = 0;
    if (next[v] != IK_NONE) {
        m = w->m[(size_t)v * w->p.num_dests + d];
        if (linkdag_add(&w->dag[m], next[u], next[v]) == LINKDAG_CYCLE)
            m++;
    }
    if (m == w->num_layers) {
        if (m == IK_MAX_VCS)
            return ik_about(err,
                            ik_fail(err, IK_ERR_UNSUPPORTED,
                                    "ACRO needs more than %d VCs for the paths of this routing",
                                    IK_MAX_VCS),
                            "vcs");
        ik_status status = linkdag_init(&w->dag[m], &w->p.g, err);
        if (status != IK_OK)
            return status;
        w->num_layers++;
    }
    w->m[(size_t)u * w->p.num_dests + d] = (uint8_t)m;
    return IK_OK;
}

/* Assigns the children of v in destination d's tree, ascending, and appends them to the queue. */
static ik_status acro_expand(acro_work *w, uint32_t d, uint32_t v, uint32_t *queue,
                             uint32_t *filled, ik_error *err)
{
    assert(*filled <= w->p.g.num_switches);
    const links *g = &w->p.g;
    const uint32_t *next = w->p.next + (size_t)d * g->num_switches;
    ik_status status = IK_OK;
    for (uint32_t l = g->base[v]; l < g->base[v + 1] && status == IK_OK; l++) {
        uint32_t u = g->head[l];
        bool child = next[u] != IK_NONE && g->head[next[u]] == v;
        if (!child || g->rev[next[u]] != l) /* of parallel cables only the one that u uses */
            continue;
        status = acro_assign(w, d, u, err);
        queue[(*filled)++] = u;
    }
    return status;
}

/* Where the trees of a destination start: the switches of its host that hand packets over. */
static uint32_t acro_roots(const acro_work *w, uint32_t d, uint32_t *out)
{
    assert(d < w->p.num_dests);
    uint32_t num = links_attached(&w->p.g, w->p.dest[d].host, out), kept = 0;
    for (uint32_t i = 0; i < num; i++)
        if (w->p.next[(size_t)d * w->p.g.num_switches + out[i]] == IK_NONE)
            out[kept++] = out[i];
    return kept;
}

/* Hops of uniform traffic: a link of the tree carries the hosts behind it. queue: parents before
 * children. */
static void acro_account(acro_work *w, uint32_t d, const uint32_t *queue, uint32_t filled)
{
    const links *g = &w->p.g;
    const uint32_t *next = w->p.next + (size_t)d * g->num_switches;
    for (uint32_t i = 0; i < filled; i++)
        w->flow[queue[i]] = w->hosts[queue[i]];
    for (uint32_t i = filled; i-- > 0;) {
        uint32_t u = queue[i];
        if (next[u] == IK_NONE)
            continue;
        w->load[w->m[(size_t)u * w->p.num_dests + d]] += w->flow[u] * w->p.dest[d].hosts;
        w->flow[g->head[next[u]]] += w->flow[u];
    }
}

static ik_status acro_by_destination(acro_work *w, const ik_env *env, ik_error *err)
{
    ik_status status = IK_OK;
    for (uint32_t d = 0; d < w->p.num_dests && status == IK_OK; d++) {
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
        uint32_t filled = acro_roots(w, d, w->queue);
        for (uint32_t i = 0; i < filled && status == IK_OK; i++)
            status = acro_expand(w, d, w->queue[i], w->queue, &filled, err);
        acro_account(w, d, w->queue, filled);
    }
    return status;
}

static ik_status acro_by_level(acro_work *w, const ik_env *env, ik_error *err)
{
    size_t n = w->p.g.num_switches;
    uint32_t *done = ik_calloc(w->p.num_dests + 1, sizeof *done);
    ik_status status =
        done ? IK_OK : ik_fail_memory(err, w->p.num_dests * sizeof *done, "ACRO's levels");
    bool more = true;
    for (uint32_t d = 0; status == IK_OK && d < w->p.num_dests; d++)
        w->filled[d] = acro_roots(w, d, w->queue + d * n);
    while (more && status == IK_OK) {
        more = false;
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled while layering paths");
        for (uint32_t d = 0; d < w->p.num_dests && status == IK_OK; d++) {
            uint32_t level_end = w->filled[d];
            for (; done[d] < level_end && status == IK_OK; done[d]++)
                status = acro_expand(w, d, w->queue[d * n + done[d]], w->queue + d * n,
                                     &w->filled[d], err);
            more = more || w->filled[d] > level_end;
        }
    }
    for (uint32_t d = 0; d < w->p.num_dests && status == IK_OK; d++)
        acro_account(w, d, w->queue + d * n, w->filled[d]);
    free(done);
    return status;
}

static ik_status acro_run(acro_work *w, bool level, const ik_env *env, ik_error *err)
{
    size_t n = w->p.g.num_switches, cells = n * w->p.num_dests;
    ik_status status =
        ik_env_refuse_bytes(env, (level ? 5.0 : 1.0) * (double)cells, "ACRO's table", err);
    if (status != IK_OK)
        return status;
    w->m = ik_calloc(cells + 1, 1);
    w->queue = ik_calloc(level ? cells + 1 : n + 1, sizeof *w->queue);
    w->filled = ik_calloc(w->p.num_dests + 1, sizeof *w->filled);
    w->hosts = ik_calloc(n + 1, sizeof *w->hosts);
    w->flow = ik_calloc(n + 1, sizeof *w->flow);
    if (!w->m || !w->queue || !w->filled || !w->hosts || !w->flow)
        return ik_fail_memory(err, cells, "ACRO's table");
    for (uint32_t s = 0; s < w->p.num_sources; s++)
        w->hosts[w->p.source[s].sw] += w->p.source[s].hosts;
    return level ? acro_by_level(w, env, err) : acro_by_destination(w, env, err);
}

static ik_status acro_keep(ik_vc *v, acro_work *w, ik_error *err)
{
    uint64_t load[IK_MAX_VCS] = {0};
    unsigned num = w->num_layers ? w->num_layers : 1;
    acro *impl = ik_calloc(1, sizeof *impl);
    ik_status status = impl ? IK_OK : ik_fail_memory(err, sizeof *impl, "ACRO");
    for (unsigned l = 0; l < w->num_layers; l++)
        load[l] = w->load[w->num_layers - 1 - l];
    if (status == IK_OK)
        status = layer_vcs_settle(v, num, load, &impl->vcs, err);
    if (status != IK_OK) {
        free(impl);
        return status;
    }
    for (size_t i = 0; i < (size_t)w->p.g.num_switches * w->p.num_dests; i++)
        w->m[i] = (uint8_t)(num - 1 - w->m[i]);
    impl->vc = w->m;
    impl->num_dests = w->p.num_dests;
    impl->dest_of = w->p.dest_of;
    impl->g = w->p.g;
    w->m = NULL;
    w->p.dest_of = NULL;
    w->p.g = (links){0};
    v->impl = impl;
    return IK_OK;
}

static ik_status acro_create(ik_vc *v, const ik_params *params, const ik_env *env, ik_error *err)
{
    acro_work *w = ik_calloc(1, sizeof *w);
    if (!w)
        return ik_fail_memory(err, sizeof *w, "ACRO");
    ik_status status = layer_paths_build(v, false, env, &w->p, err);
    if (status == IK_OK && !w->p.next) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "acro assigns VCs per switch and destination, but the paths of '%s' depend on the "
                "source too",
                v->routing->family->name);
        status = ik_hint(err, IK_ERR_UNSUPPORTED, "lash and lash_tor take such paths");
    }
    if (status == IK_OK)
        status = acro_run(w, ik_params_enum(params, "order") == 1, env, err);
    if (status == IK_OK)
        status = acro_keep(v, w, err);
    for (unsigned l = 0; l < w->num_layers; l++)
        linkdag_free(&w->dag[l]);
    layer_paths_free(&w->p);
    free(w->m);
    free(w->queue);
    free(w->filled);
    free(w->hosts);
    free(w->flow);
    free(w);
    return status;
}

static void acro_destroy(ik_vc *v)
{
    acro *impl = v->impl;
    free(impl->dest_of);
    free(impl->vc);
    links_free(&impl->g);
    free(impl);
}

static void acro_range(const acro *impl, uint32_t sw, uint32_t dst, uint8_t *first, uint8_t *last)
{
    assert(sw < impl->g.num_switches && dst < impl->g.num_hosts);
    uint32_t d = impl->dest_of[dst];
    unsigned layer = d == IK_NONE ? 0 : impl->vc[(size_t)sw * impl->num_dests + d];
    *first = (uint8_t)impl->vcs.base[layer];
    *last = (uint8_t)(impl->vcs.base[layer + 1] - 1);
}

static void acro_inject(const ik_vc *v, ik_packet *pk)
{
    const acro *impl = v->impl;
    uint32_t sw = impl->g.host_sw[pk->src];
    uint8_t last;
    pk->vc = 0;
    if (sw != IK_NONE)
        acro_range(impl, sw, pk->dst, &pk->vc, &last);
}

static void acro_next(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                      const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    const acro *impl = v->impl;
    (void)in_port;
    if (lanes_ejects(v->fabric, out_port))
        *vc_first = *vc_last = pk->vc;
    else
        acro_range(impl, sw, pk->dst, vc_first, vc_last);
}

static double acro_share(const ik_vc *v, unsigned vc)
{
    return layer_vcs_share(&((const acro *)v->impl)->vcs, vc);
}

static const ik_param params[] = {
    {"order", IK_PARAM_ENUM, "dst", 0, 0, "dst|level",
     "destination by destination, or all destinations level by level"},
    {0},
};

const ik_vc_family ik_vc_acro = {
    .name = "acro",
    .summary = "VC per switch and destination, assigned from the destination outwards",
    .source = "Kawano et al.: ACRO: Assignment of Channels in Reverse Order to Make Arbitrary "
              "Routing Deadlock-free, ICIS 2016",
    .details =
        "For destination-based deterministic routings. The scheme needs few VCs (on random graphs "
        "of 256 switches, 4 where LASH needs 7) and one table entry per switch and destination. "
        "Spare VCs go to the layers with the most traffic, where packets may then choose.",
    .params = params,
    .create = acro_create,
    .destroy = acro_destroy,
    .inject = acro_inject,
    .next = acro_next,
    .share = acro_share,
    .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS,
};
