/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs of a routing that ascends alike, or fully, on a tree (tree_counts.h), level by level:
 * lengths from the numbers of hosts below, dependencies from the channels that are in use.
 *
 * Packets that come up into a switch may leave it by every channel in use but the one back: without
 * parallel cables all destinations of that channel that are not below the child go through this
 * switch, whichever child they come from. Packets that come down into a switch follow the descents
 * of their destinations, which are gone through one by one; where a routing ascends fully, they may
 * leave it by every channel down.
 *
 * A routing by source has the same with both ends exchanged: packets that go down from a switch may
 * have come by every channel in use but the one back, those that go up follow the ascents of their
 * sources.
 */
#include "verify/prove.h"

#include "routing/tree/tree_counts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool prove_fits_by_levels(const ik_plan *plan)
{
    return plan->vc->family->static_lane && plan->num_vcs == 1 &&
           tree_counts_fit(plan->routing) != TREE_ASCENTS_NONE;
}

/* Pairs by the level of their nearest common ancestor. */
static ik_status prove_levels_tally(const ik_plan *plan, tally *t, ik_error *err)
{
    const ik_xgft *x = ik_fabric_xgft(plan->fabric);
    ik_status status = IK_OK;
    bool drawn = plan->routing->family->num_starts;
    tally_vc(t, 0);
    for (uint32_t l = 1; l <= x->h && status == IK_OK; l++) {
        uint32_t hops = 2 * (l - 1);
        walk_outcome outcome = {.longest = hops, .preferred = hops};
        uint64_t pairs = (uint64_t)plan->fabric->num_hosts * (x->prod_m[l] - x->prod_m[l - 1]);
        if (pairs == 0)
            continue;
        tally_pair(t, 0, x->prod_m[l - 1], pairs, hops, &outcome);
        status = tally_length(t, hops, pairs * (drawn ? x->prod_w[l] : 1), err);
    }
    return status;
}

/* Does a packet cross the channel between two switches that begins at this port? */
static bool prove_levels_crossed(const cdg *g, const tree_counts *c, uint32_t port)
{
    return g->channel_of_port[port] != IK_NONE && c->destinations[port] > 0;
}

/* Local ports of sw, of the first `num`, with channels to switches that packets use. Notes all
 * such channels. */
static void prove_levels_used(cdg *g, const tree_counts *c, uint32_t sw, uint32_t num,
                              uint64_t *used)
{
    const ik_fabric *f = g->fabric;
    memset(used, 0, g->words * sizeof *used);
    for (uint32_t local = 0; local < ik_radix(f, sw); local++) {
        uint32_t port = f->port_base[sw] + local;
        if (!prove_levels_crossed(g, c, port))
            continue;
        cdg_use(g, cdg_vertex(g, g->channel_of_port[port], 0));
        if (local < num)
            used[local / 64] |= (uint64_t)1 << local % 64;
    }
}

/* Dependencies of the channels that come into sw by its first `num` ports: all that are `used` but
 * the one back. */
static void prove_levels_write_across(cdg *g, const tree_counts *c, uint32_t sw, uint32_t num,
                                      const uint64_t *used)
{
    const ik_fabric *f = g->fabric;
    for (uint32_t local = 0; local < num; local++) {
        uint32_t in = f->port_peer[f->port_base[sw] + local];
        if (in == IK_NONE || !prove_levels_crossed(g, c, in))
            continue;
        uint64_t *row = cdg_row(g, cdg_vertex(g, g->channel_of_port[in], 0), 0);
        for (size_t word = 0; word < g->words; word++)
            row[word] |= used[word] & ~(word == local / 64 ? (uint64_t)1 << local % 64 : 0);
    }
}

/* Dependencies of the channels that come down into sw, of a routing that ascends fully. */
static void prove_levels_write_below(cdg *g, uint32_t sw, uint32_t children)
{
    const ik_fabric *f = g->fabric;
    for (uint32_t port = f->port_base[sw] + children; port < f->port_base[sw + 1]; port++) {
        uint64_t *row = cdg_row(g, cdg_vertex(g, g->channel_of_port[f->port_peer[port]], 0), 0);
        for (uint32_t child = 0; child < children; child++)
            row[child / 64] |= (uint64_t)1 << child % 64;
    }
}

/* Dependencies along the descent to every host, or along the ascent from it. */
static ik_status prove_levels_write_climbs(prove_job *job, const tree_counts *c, uint32_t *room,
                                           ik_error *err)
{
    const ik_fabric *f = job->plan->fabric;
    uint32_t up[IK_XGFT_MAX_H];
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t num = tree_climb(job->plan->routing, host, room, up);
        if (num == IK_NONE) /* tree_counts_make has been through all of them */
            return ik_fail(err, IK_ERR_INTERNAL,
                           "routing '%s' answers differently when asked again",
                           job->plan->routing->family->name);
        for (uint32_t l = 1; l < num; l++) {
            uint32_t joined = f->port_peer[up[l - 1]];
            if (c->ascents == TREE_ASCENTS_SOURCE)
                cdg_add(&job->graph, joined, 0, up[l], 0, 0);
            else
                cdg_add(&job->graph, up[l], 0, joined, 0, 0);
        }
        if (host % 4096 == 0 && ik_env_cancelled(job->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

static ik_status prove_levels_write(prove_job *job, const tree_counts *c, ik_error *err)
{
    cdg *g = &job->graph;
    const ik_xgft *x = ik_fabric_xgft(g->fabric);
    bool from = c->ascents == TREE_ASCENTS_SOURCE, fully = c->ascents == TREE_ASCENTS_FULL;
    uint64_t *used = ik_calloc(g->words, sizeof *used);
    uint32_t *room = ik_calloc((size_t)job->plan->max_radix + 1, sizeof *room);
    ik_status status = used && room ? IK_OK : ik_fail_memory(err, g->words * 8, "a proof");
    for (uint32_t l = 1; status == IK_OK && l <= x->h; l++) {
        for (uint32_t sw = x->level_base[l]; sw < x->level_base[l + 1]; sw++) {
            uint32_t all = ik_radix(g->fabric, sw), children = l > 1 ? x->m[l - 1] : 0;
            prove_levels_used(g, c, sw, from ? children : all, used);
            prove_levels_write_across(g, c, sw, from ? all : children, used);
            if (fully && l > 1)
                prove_levels_write_below(g, sw, children);
        }
    }
    if (status == IK_OK && !fully)
        status = prove_levels_write_climbs(job, c, room, err);
    free(used);
    free(room);
    return status;
}

ik_status prove_by_levels(prove_job *job, bool *fits, ik_error *err)
{
    assert(prove_fits_by_levels(job->plan));
    tree_counts counts;
    ik_status status = tree_counts_make(job->plan->routing, &counts, fits, err);
    if (status != IK_OK || !*fits)
        return status;
    status = prove_levels_tally(job->plan, &job->tallies[0], err);
    if (status == IK_OK)
        status = prove_levels_write(job, &counts, err);
    tree_counts_free(&counts);
    return status;
}
