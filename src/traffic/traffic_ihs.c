/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_ihs.c: intermediate hot spots: contention inside the network, not at the hosts.
 *
 * In every pod of a three-level full tree one second-level up port is overloaded: hot sources of
 * the pod send to the destinations that D-mod-K leads through that port. The ports of different
 * pods are different residues.
 */
#include "ikat/topology.h"
#include "traffic/pattern.h"

#include <assert.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"fraction", IK_PARAM_FRACTION, "20 %", 0, 1, NULL,
     "fraction of the hosts that send only through their pod's hot port"},
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of the ports and the senders (default: the experiment's seed)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct ihs {
    uint32_t pods, pod_size; /* pod_size = K * K */
    uint32_t *residue;       /* [pods] */
    bool *hot;               /* [num_hosts] */
} ihs;

static void ihs_destroy(ik_traffic *t)
{
    ihs *i = t->impl;
    free(i->residue);
    free(i->hot);
    free(i);
    t->impl = NULL;
}

static ik_status ihs_fits(const ik_traffic *t, ik_error *err)
{
    const ik_xgft *x = ik_fabric_xgft(t->fabric);
    bool full = x && x->h == 3 && x->m[0] == x->m[1] && x->w[1] == x->m[0] && x->w[2] == x->m[0] &&
                x->w[0] == 1;
    if (full && x->m[2] <= x->m[0] * x->m[0] && x->m[2] > 1 && t->num_hosts == x->prod_m[3])
        return IK_OK;
    ik_fail(err, IK_ERR_UNSUPPORTED,
            "traffic 'ihs' is defined on full three-level trees with all their hosts");
    return ik_hint(
        err, IK_ERR_UNSUPPORTED,
        "rlft:ports=36,levels=3 is the tree of its authors; karytree:k=4,n=3 a small one");
}

/* The first `count` of 0 … size-1 in random order, written to out[]. scratch: [size]. */
static void ihs_draw_distinct(ik_rng *rng, uint32_t *scratch, uint32_t size, uint32_t count,
                              uint32_t *out)
{
    assert(count <= size);
    for (uint32_t i = 0; i < size; i++)
        scratch[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = i + ik_rng_below(rng, size - i);
        out[i] = scratch[j];
        scratch[j] = scratch[i];
    }
}

static void ihs_draw(ik_traffic *t, ihs *i, const ik_params *p, uint32_t *scratch, uint32_t *chosen)
{
    uint64_t num, den, seed = pattern_seed(t, p);
    ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, 0);
    ihs_draw_distinct(&rng, scratch, i->pod_size, i->pods, i->residue);
    pattern_rational(ik_params_real(p, "fraction"), &num, &den);
    uint32_t hot = (uint32_t)(t->num_hosts * num / den);
    rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, 1);
    ihs_draw_distinct(&rng, scratch, t->num_hosts, hot, chosen);
    for (uint32_t k = 0; k < hot; k++)
        i->hot[chosen[k]] = true;
}

static ik_status ihs_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    ik_status s = ihs_fits(t, err);
    if (s != IK_OK)
        return s;
    const ik_xgft *x = ik_fabric_xgft(t->fabric);
    ihs *i = ik_calloc(1, sizeof *i);
    if (!i)
        return ik_fail_memory(err, sizeof *i, "traffic 'ihs'");
    t->impl = i;
    i->pods = x->m[2];
    i->pod_size = x->m[0] * x->m[1];
    i->residue = ik_calloc(i->pods, sizeof *i->residue);
    i->hot = ik_calloc(t->num_hosts, sizeof *i->hot);
    uint32_t *scratch = ik_calloc((size_t)t->num_hosts * 2, sizeof *scratch);
    if (i->residue && i->hot && scratch)
        ihs_draw(t, i, p, scratch, scratch + t->num_hosts);
    else
        s = ik_fail_memory(err, (size_t)t->num_hosts * 9, "traffic 'ihs'");
    free(scratch);
    return s;
}

static uint32_t ihs_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const ihs *i = t->impl;
    if (!i->hot[src])
        return pattern_other(t, src, n, 0);
    uint32_t own = src / i->pod_size;
    uint32_t pod =
        ik_random_below(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS, i->pods - 1);
    return (pod + (pod >= own)) * i->pod_size + i->residue[own];
}

static void ihs_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const ihs *i = t->impl;
    uint32_t own = src / i->pod_size;
    if (!i->hot[src]) {
        for (uint32_t d = 0; d < t->num_hosts; d++)
            if (d != src)
                fn(ctx, src, d, 1, t->num_hosts - 1);
        return;
    }
    for (uint32_t pod = 0; pod < i->pods; pod++)
        if (pod != own)
            fn(ctx, src, pod * i->pod_size + i->residue[own], 1, i->pods - 1);
}

const ik_traffic_family ik_traffic_ihs = {
    .name = "ihs",
    .summary = "some hosts overload one second-level up port of their pod",
    .source = "J. Rocher-Gonzalez, J. Escudero-Sahuquillo, P. J. Garcia, F. J. Quiles, G. Mora, "
              "Towards an Efficient Combination of Adaptive Routing and Queuing Schemes in "
              "Fat-Tree Topologies (scenario IHS)",
    .details = "In a full tree with pods of K * K hosts, every pod g gets a residue rho_g (all "
               "different, drawn by the seed). A hot host of pod g sends every message to a random "
               "member of {d outside the pod: d mod K*K = rho_g}: under D-mod-K all of them share "
               "one up port of one second-level switch. floor(fraction * N) hosts are hot; the "
               "others send uniformly. The paper describes the scenario in words; this is a "
               "reconstruction that reproduces its table.",
    .params = params,
    .create = ihs_create,
    .destroy = ihs_destroy,
    .dest = ihs_dest,
    .flows = ihs_flows,

    .of_fabric = true,
};
