/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_worst.c: the permutation that hurts minimal routing most, as far as one is known for the
 * fabric.
 */
#include "ikat/topology_data.h"
#include "traffic/pattern.h"
#include "traffic/worst.h"

#include <stdlib.h>
#include <string.h>

enum { METHOD_AUTO, METHOD_QUADS, METHOD_SHIFT, METHOD_LONGEST };

static const ik_param params[] = {
    {"method", IK_PARAM_ENUM, "auto", 0, 0, "auto|quads|shift|longest",
     "quads: for direct graphs of diameter two; shift: to the next switch; longest: over the "
     "largest distances; auto: chosen by family"},
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of the search for quads (default: the experiment's seed)", "method=auto|quads",
     "only the search for quads draws"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static unsigned worst_method_for(const ik_fabric *f)
{
    if (ik_fabric_data(f, "mlfm") || ik_fabric_data(f, "oft"))
        return METHOD_SHIFT;
    return ik_fabric_data(f, "slimfly") || ik_fabric_data(f, "polarfly") ? METHOD_QUADS
                                                                         : METHOD_LONGEST;
}

/* Every switch with hosts sends to the next one. */
static void worst_next_switches(const worst_graph *g, uint32_t *partner)
{
    uint32_t first = IK_NONE, last = IK_NONE;
    for (uint32_t sw = 0; sw < g->n; sw++) {
        partner[sw] = IK_NONE;
        if (g->hosts[sw]) {
            first = first == IK_NONE ? sw : first;
            if (last != IK_NONE)
                partner[last] = sw;
            last = sw;
        }
    }
    if (last != IK_NONE && last != first)
        partner[last] = first;
}

/* The t-th host of a switch sends to the t-th host of its partner, as far as both have one. */
static ik_status worst_pair_hosts(const worst_graph *g, const uint32_t *partner, uint32_t *to,
                                  ik_error *err)
{
    const ik_fabric *f = g->f;
    uint32_t *base = ik_calloc((size_t)g->n + 2, sizeof *base),
             *host = ik_calloc((size_t)f->num_hosts + 1, sizeof *host);
    ik_status s = base && host
                      ? IK_OK
                      : ik_fail_memory(err, (size_t)f->num_hosts * sizeof *host, "hosts by switch");
    for (uint32_t sw = 0; s == IK_OK && sw < g->n; sw++)
        base[sw + 1] = base[sw] + g->hosts[sw];
    for (uint32_t h = 0; s == IK_OK && h < f->num_hosts; h++) {
        uint32_t sw = ik_host_switch(f, h);
        if (sw != IK_NONE)
            host[base[sw]++] = h; /* base[sw] ends up as the start of sw + 1 */
    }
    for (uint32_t sw = 0; s == IK_OK && sw < g->n; sw++) {
        uint32_t other = partner[sw];
        for (uint32_t t = 0; other != IK_NONE && t < g->hosts[sw] && t < g->hosts[other]; t++)
            to[host[base[sw] - g->hosts[sw] + t]] = host[base[other] - g->hosts[other] + t];
    }
    free(base);
    free(host);
    return s;
}

static ik_status worst_pair_switches(const ik_traffic *t, const ik_params *p, const ik_env *env,
                                     const worst_graph *g, uint32_t *partner, ik_error *err)
{
    unsigned method = ik_params_enum(p, "method");
    method = method == METHOD_AUTO ? worst_method_for(t->fabric) : method;
    if (method == METHOD_QUADS)
        return worst_quads(g, pattern_seed(t, p), partner, err);
    if (method == METHOD_LONGEST)
        return worst_longest(g, env, partner, err);
    worst_next_switches(g, partner);
    return IK_OK;
}

static ik_status worst_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    worst_graph g;
    uint32_t *to, *partner, silent = 0;
    if (ik_fabric_has_rails(t->fabric)) {
        ik_fail(
            err, IK_ERR_UNSUPPORTED,
            "traffic 'worst' pairs the switches of hosts, and some hosts have cables to several");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "shift and permutation patterns suit any hosts");
    }
    ik_status s = pattern_map_new(t, &to, err);
    if (s == IK_OK)
        s = worst_graph_of(t->fabric, &g, err);
    if (s != IK_OK)
        return s;
    partner = ik_calloc((size_t)g.n + 1, sizeof *partner);
    s = partner ? worst_pair_switches(t, p, env, &g, partner, err)
                : ik_fail_memory(err, g.n * sizeof *partner, "pairs of switches");
    if (s == IK_OK)
        s = worst_pair_hosts(&g, partner, to, err);
    for (uint32_t h = 0; s == IK_OK && h < t->num_hosts; h++)
        silent += to[h] == IK_NONE;
    if (s == IK_OK && silent == t->num_hosts) {
        s = ik_about(err,
                     ik_fail(err, IK_ERR_UNSUPPORTED,
                             "traffic 'worst': no two switches with hosts can be paired this way"),
                     "method");
        ik_hint(err, s, "other methods: quads, shift, longest");
    }
    free(partner);
    worst_graph_free(&g);
    return s;
}

const ik_traffic_family ik_traffic_worst = {
    .name = "worst",
    .summary =
        "an adversarial permutation for minimal routing: quads, next switch, or longest distances",
    .source = "G. Kathareios, C. Minkenberg, B. Prisacari, G. Rodriguez, T. Hoefler, "
              "Cost-Effective Diameter-Two Topologies: Analysis and Evaluation, SC 2015, section "
              "4.2; S. A. Jyothi, A. Singla, P. B. Godfrey, A. Kolla, Measuring and Understanding "
              "Throughput of Network Topologies, SC 2016",
    .details =
        "quads (Slim Fly, PolarFly): switches A-B-C-D on a path exchange A <-> C and B <-> D "
        "through the only common neighbours, so that the link B-C carries 2p flows; switches that "
        "belong to no quad are silent. shift (MLFM, OFT): all hosts of a switch send to the next "
        "switch, so that the only path has load p. longest (all other families): of all "
        "permutations of the switches that leave as few as possible silent one with the largest "
        "sum of distances (of more than 255 hops, 255 count). The t-th host of a switch sends to "
        "the t-th host of its partner.",
    .params = params,
    .create = worst_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
    .of_fabric = true,
};
