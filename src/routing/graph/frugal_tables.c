/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_tables.c: the tables that were taken as tables of a routing, with the lanes of its hosts
 * and what they cost.
 */
#include "routing/graph/frugal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t frugal_tables_no_link(const void *ctx, uint32_t sw, uint32_t dst)
{
    (void)ctx, (void)sw, (void)dst;
    return IK_NONE;
}

/* The tables into r->lft, and the hops of every lane. */
static ik_status frugal_tables_store(ik_routing *r, const frugal_graph *f,
                                     const frugal_tables *tables, frugal_lanes *t,
                                     const ik_env *env, ik_error *err)
{
    const links *g = &f->g;
    uint32_t n = g->num_switches, tree = 0;
    ik_status status =
        links_make_lft(r, g, env, frugal_tables_no_link, NULL, err); /* ports to hosts */
    for (uint32_t d = 0; d < n && status == IK_OK; d++)
        for (uint32_t i = 0; i < f->hosts[d]; i++) {
            uint32_t host = f->host[f->first[d] + i];
            const uint32_t *next = tables->next + (size_t)(tables->spread ? tree + i : tree) * n;
            for (uint32_t s = 0; s < n; s++) {
                if (next[s] == IK_NONE || s == d)
                    continue;
                r->lft[(size_t)s * g->num_hosts + host] =
                    (uint16_t)(g->port[next[s]] - r->fabric->port_base[s]);
                for (uint32_t at = s; at != d && f->hosts[s]; at = g->head[next[at]])
                    t->load[t->lane[(size_t)s * n + d]] += f->hosts[s];
            }
            if (i + 1 == f->hosts[d])
                tree += tables->spread ? f->hosts[d] : 1;
        }
    return status;
}

static ik_status frugal_tables_describe(ik_routing *r, const frugal_tables *tables, ik_error *err)
{
    r->trade.lanes = tables->lanes;
    r->trade.max_load = tables->max_load;
    r->trade.longer = tables->longer;
    size_t size = 400;
    r->note = ik_calloc(size, 1);
    if (!r->note)
        return ik_fail_memory(err, size, "a note");
    int n =
        snprintf(r->note, size,
                 "%s: %u lane%s, at most %" PRIu64
                 " host pairs over a link between switches; balanced tables: ",
                 r->family->name, tables->lanes, tables->lanes == 1 ? "" : "s", tables->max_load);
    if (r->trade.balanced_lanes)
        n += snprintf(r->note + n, size - (size_t)n, "%u lane%s, %" PRIu64, r->trade.balanced_lanes,
                      r->trade.balanced_lanes == 1 ? "" : "s", r->trade.balanced_load);
    else
        n += snprintf(r->note + n, size - (size_t)n, "more than %d lanes", FRUGAL_MOST_LANES);
    if (tables->longer)
        snprintf(r->note + n, size - (size_t)n,
                 "; %" PRIu64 " host pairs take longer paths than the shortest", tables->longer);
    return IK_OK;
}

static ik_status frugal_tables_keep(ik_routing *r, const frugal_graph *f, frugal_tables *tables,
                                    frugal_lanes *t, const ik_env *env, ik_error *err)
{
    assert(!t->lane && tables->lane); /* handed over */
    t->num_switches = f->g.num_switches;
    t->num = tables->lanes;
    t->lane = tables->lane;
    tables->lane = NULL;
    t->host_sw = ik_calloc((size_t)f->g.num_hosts + 1, sizeof *t->host_sw);
    if (!t->host_sw)
        return ik_fail_memory(err, f->g.num_hosts * 4ULL, "hosts' switches");
    for (uint32_t h = 0; h < f->g.num_hosts; h++)
        t->host_sw[h] = f->g.host_sw[h];
    for (size_t i = 0; i < (size_t)t->num_switches * t->num_switches; i++)
        if (t->lane[i] == FRUGAL_NO_LANE)
            t->lane[i] = 0;
    free(r->lft); /* of the balanced tables */
    r->lft = NULL;
    ik_status status = frugal_tables_store(r, f, tables, t, env, err);
    if (status == IK_OK)
        status = frugal_tables_describe(r, tables, err);
    if (tables->longer == 0)
        r->claims |= IK_CLAIM_MINIMAL;
    if (tables->lanes == 1)
        r->claims |= IK_CLAIM_DEADLOCK_FREE;
    if (!tables->spread)
        r->traits |= IK_ROUTE_PER_SWITCH;
    return status;
}

void frugal_lanes_free(frugal_lanes *lanes)
{
    free(lanes->host_sw);
    free(lanes->lane);
    *lanes = (frugal_lanes){0};
}

ik_status frugal_make(ik_routing *r, frugal_goal goal, const ik_env *env, frugal_lanes *out,
                      ik_error *err)
{
    frugal_graph f = {0};
    frugal_tables tables = {0};
    frugal_lanes lanes = {0};
    ik_status status = frugal_graph_build(r->fabric, env, &f, err);
    if (status != IK_OK)
        return status;
    status = frugal_search(&f, r, goal, env, &tables, err);
    if (status == IK_OK)
        status = frugal_tables_keep(r, &f, &tables, &lanes, env, err);
    if (status == IK_OK)
        *out = lanes;
    else
        frugal_lanes_free(&lanes);
    frugal_tables_free(&tables);
    frugal_graph_free(&f);
    return status;
}
