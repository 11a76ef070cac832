/* SPDX-License-Identifier: Apache-2.0
 *
 * Dmodc: D-mod-K for trees as they are: damaged, imported, with any number of parallel cables.
 *
 * 1. Cost: hops of the shortest way up and down from every switch to every leaf switch. Computed
 *    level by level for whole rows of leaves at once: first what is below (minimum over children),
 *    then what is above (minimum over parents).
 * 2. Divider of a switch: how many ways up lead to it from below (product of the group counts), so
 *    that switches one above the other look at different digits of the destination.
 * 3. Table: the neighbours one step nearer to the destination's leaf, in a fixed order, are the
 *    candidates C. Destination t takes C[(t / divider) mod |C|], and of its parallel cables number
 *    t / (divider * |C|) mod their count. Where several neighbours lead down to the leaf, which no
 *    complete tree has, t + t / divider stands for t / divider: the hosts of a leaf, whose
 *    quotients are alike, then come to it by all of these ways.
 * On a complete tree with as many ways up as down this is D-mod-K. Every link joins neighbouring
 * levels, hence who can go down does, and tables are legal.
 *
 * Destinations are numbered leaf by leaf with neighbouring leaves together, by their positions in
 * the tree (tree_number.c), and the dividers of a generated tree are those of the complete one: an
 * entry changes with a lost cable only where its candidates do.
 *
 * Cost: O(links * leaves) bytes of vectorised minima and O(switches * hosts) for the table;
 * switches of a level and table rows run in parallel. 11,664 hosts: see bench/.
 * Source: Gliksberg, Capra, Louvet, Garcia, Sohier: High-Quality Fault Resiliency in Fat Trees,
 * IEEE Micro 2020. Departures: refuses fabrics where connected hosts have no way up and down,
 * instead of leaving their entries empty; dividers count the ways up as designed, not as they are,
 * so that damage leaves the other entries alone.
 */
#include "routing/graph/attach.h"
#include "routing/graph/links.h"
#include "routing/routing.h"
#include "routing/tree/tree.h"
#include "routing/tree/tree_number.h"

#include <stdlib.h>
#include <string.h>

/* Costs are bytes: up and down again stays below this one. */
#define UNREACHED ((uint8_t)0xFF)
enum { MAX_LEVELS = 126 };

/* Parallel links from one switch to one neighbour. */
typedef struct group {
    uint32_t neighbour;
    uint32_t first_cable, num_cables; /* local ports in dmodc.cable */
} group;

typedef struct dmodc {
    const ik_fabric *f;
    attach at;
    uint32_t *group_base;   /* [S + 1] */
    group *groups;          /* of a switch: in the order of the neighbours' GUIDs */
    uint16_t *cable;        /* local ports, group by group */
    uint32_t *leaf_index;   /* [S] index into at.leaf, IK_NONE */
    uint32_t *topo;         /* [host] topological number */
    uint32_t *level_switch; /* [S] switches level by level */
    uint32_t *level_base;   /* [num_levels + 2] */
    uint8_t *cost;          /* [S][num_leaves] */
    uint32_t *divider;      /* [S] */
    tree_reciprocal *by;    /* [max radix + 1] */
    uint32_t level;         /* that is being worked on */
    uint16_t *lft;
    uint16_t *candidate; /* [threads][max radix] */
    uint64_t *nearer; /* [threads][words][num_leaves] bits of groups that lead nearer to a leaf */
    uint32_t words;   /* of the groups of a switch */
    /* [threads][hosts] where hosts hang on several switches: of the leaf that an entry leads to */
    uint16_t *rank;
    uint32_t max_radix;
} dmodc;

/* ---- groups */

typedef struct link_end {
    uint64_t uuid;
    uint32_t neighbour;
    uint16_t port;
} link_end;

static int dmodc_by_neighbour(const void *a, const void *b)
{
    const link_end *x = a, *y = b;
    if (x->uuid != y->uuid)
        return x->uuid < y->uuid ? -1 : 1;
    if (x->neighbour != y->neighbour)
        return x->neighbour < y->neighbour ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

static uint32_t dmodc_collect_links(const ik_fabric *f, uint32_t sw, link_end *ends)
{
    uint32_t n = 0;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t to = ik_peer_node(f, port);
        if (to != IK_NONE && ik_is_switch(f, to) && to != sw)
            ends[n++] =
                (link_end){tree_number_tree_uuid(f, to), to, (uint16_t)(port - f->port_base[sw])};
    }
    qsort(ends, n, sizeof *ends, dmodc_by_neighbour);
    return n;
}

static ik_status dmodc_make_groups(dmodc *d, ik_error *err)
{
    const ik_fabric *f = d->f;
    link_end *ends = ik_calloc(d->max_radix + 1, sizeof *ends);
    if (!ends)
        return ik_fail_memory(err, d->max_radix * sizeof *ends, "links of a switch");
    uint32_t num_groups = 0, num_cables = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        d->group_base[sw] = num_groups;
        uint32_t n = dmodc_collect_links(f, sw, ends);
        for (uint32_t i = 0; i < n; i++) {
            if (i == 0 || ends[i].neighbour != ends[i - 1].neighbour)
                d->groups[num_groups++] = (group){ends[i].neighbour, num_cables, 0};
            d->groups[num_groups - 1].num_cables++;
            d->cable[num_cables++] = ends[i].port;
        }
    }
    d->group_base[f->num_switches] = num_groups;
    free(ends);
    return IK_OK;
}

/* ---- levels */

static ik_status dmodc_check_levels(const dmodc *d, ik_error *err)
{
    const ik_fabric *f = d->f;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t g = d->group_base[sw]; g < d->group_base[sw + 1]; g++) {
            unsigned a = f->switch_level[sw], b = f->switch_level[d->groups[g].neighbour];
            if (a + 1 == b || b + 1 == a)
                continue;
            char x[96], y[96];
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "routing 'dmodc' needs links between neighbouring levels: %s (level "
                           "%u), %s (level %u)",
                           ik_node_describe(f, sw, x, sizeof x), a,
                           ik_node_describe(f, d->groups[g].neighbour, y, sizeof y), b);
        }
    return IK_OK;
}

static void dmodc_sort_by_level(dmodc *d)
{
    const ik_fabric *f = d->f;
    uint32_t n = 0;
    for (uint32_t level = 0; level <= f->num_levels; level++) {
        d->level_base[level] = n;
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            if (f->switch_level[sw] == level)
                d->level_switch[n++] = sw;
    }
    d->level_base[f->num_levels + 1] = n;
}

/* Those of the complete tree, whatever is left of it. */
static void dividers_of_design(dmodc *d, const ik_xgft *design)
{
    for (uint32_t sw = 0; sw < d->f->num_switches; sw++)
        d->divider[sw] = design->prod_w[d->f->switch_level[sw]] / design->w[0];
}

static uint32_t dmodc_count_ups(const dmodc *d, uint32_t sw)
{
    uint32_t ups = 0;
    for (uint32_t g = d->group_base[sw]; g < d->group_base[sw + 1]; g++)
        ups += d->f->switch_level[d->groups[g].neighbour] > d->f->switch_level[sw];
    return ups;
}

/* Ways up from a switch of this level as designed: the most that one has, if most of them have so
 * many; else 0, it varies. */
static uint32_t dmodc_usual_ups(const dmodc *d, uint32_t level)
{
    uint32_t most = 0, have = 0;
    for (uint32_t i = d->level_base[level]; i < d->level_base[level + 1]; i++) {
        uint32_t ups = dmodc_count_ups(d, d->level_switch[i]);
        have = ups > most ? 1 : have + (ups == most);
        most = ups > most ? ups : most;
    }
    return have * 2 > d->level_base[level + 1] - d->level_base[level] ? most : 0;
}

static void raise_dividers_above(dmodc *d, uint32_t sw, uint32_t ups)
{
    const ik_fabric *f = d->f;
    uint64_t product = (uint64_t)d->divider[sw] * ups;
    uint32_t divider = product < 0x7FFFFFFF ? (uint32_t)product : 0x7FFFFFFF;
    for (uint32_t g = d->group_base[sw]; g < d->group_base[sw + 1]; g++) {
        uint32_t up = d->groups[g].neighbour;
        if (f->switch_level[up] > f->switch_level[sw] && d->divider[up] < divider)
            d->divider[up] = divider;
    }
}

/* Divider of a parent: the largest product of group counts on a way up to it; held below 2^31,
 * beyond any destination. A switch counts as having lost none of its ways up where most of its
 * level have the same number. */
static void dmodc_make_dividers(dmodc *d)
{
    const ik_fabric *f = d->f;
    if (ik_fabric_xgft(f)) {
        dividers_of_design(d, ik_fabric_xgft(f));
        return;
    }
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        d->divider[sw] = 1;
    for (uint32_t level = 0; level <= f->num_levels; level++) {
        uint32_t usual = dmodc_usual_ups(d, level);
        for (uint32_t i = d->level_base[level]; i < d->level_base[level + 1]; i++) {
            uint32_t sw = d->level_switch[i];
            raise_dividers_above(d, sw, usual ? usual : dmodc_count_ups(d, sw));
        }
    }
}

/* ---- costs */

static void dmodc_relax(uint8_t *restrict row, const uint8_t *restrict neighbour, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint8_t there = neighbour[i];
        uint8_t hops = there < UNREACHED - 1 ? (uint8_t)(there + 1) : there; /* a saturating step */
        row[i] = hops < row[i] ? hops : row[i];
    }
}

static ik_status dmodc_relax_switch(dmodc *d, uint32_t sw, bool from_above)
{
    const ik_fabric *f = d->f;
    uint32_t n = d->at.num_leaves;
    for (uint32_t g = d->group_base[sw]; g < d->group_base[sw + 1]; g++) {
        uint32_t to = d->groups[g].neighbour;
        if ((f->switch_level[to] > f->switch_level[sw]) == from_above)
            dmodc_relax(d->cost + (size_t)sw * n, d->cost + (size_t)to * n, n);
    }
    return IK_OK;
}

static ik_status dmodc_cost_from_below(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread, (void)err;
    dmodc *d = ctx;
    uint32_t sw = d->level_switch[d->level_base[d->level] + index];
    uint8_t *row = d->cost + (size_t)sw * d->at.num_leaves;
    memset(row, UNREACHED, d->at.num_leaves);
    if (d->leaf_index[sw] != IK_NONE)
        row[d->leaf_index[sw]] = 0;
    return dmodc_relax_switch(d, sw, false);
}

static ik_status dmodc_cost_from_above(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread, (void)err;
    dmodc *d = ctx;
    return dmodc_relax_switch(d, d->level_switch[d->level_base[d->level] + index], true);
}

static ik_status dmodc_make_costs(dmodc *d, const ik_env *env, ik_error *err)
{
    ik_status status = IK_OK;
    uint32_t top = d->f->num_levels;
    for (d->level = 0; status == IK_OK && d->level <= top; d->level++)
        status = ik_parallel_for(env, "tree distances",
                                 d->level_base[d->level + 1] - d->level_base[d->level],
                                 dmodc_cost_from_below, d, err);
    for (uint32_t level = top; status == IK_OK && level-- > 0;) {
        d->level = level;
        status =
            ik_parallel_for(env, "tree distances", d->level_base[level + 1] - d->level_base[level],
                            dmodc_cost_from_above, d, err);
    }
    return status;
}

/* ---- connected pairs without a way up and down */

static uint32_t dmodc_find_part(uint32_t *part, uint32_t x)
{
    while (part[x] != x)
        x = part[x] = part[part[x]];
    return x;
}

/* A host that leaf b serves and that no leaf of its own serves from leaf a; IK_NONE if there is
 * none. */
static uint32_t dmodc_find_unserved(const dmodc *d, uint32_t a, uint32_t b)
{
    const ik_fabric *f = d->f;
    const uint8_t *from = d->cost + (size_t)d->at.leaf[a] * d->at.num_leaves;
    for (uint32_t i = d->at.base[d->at.leaf[b]]; i < d->at.base[d->at.leaf[b] + 1]; i++) {
        uint32_t node = ik_host_node(f, d->at.host[i]);
        bool served = ik_is_silent(f, node);
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
            uint32_t sw = ik_peer_node(f, port);
            served |= sw != IK_NONE && ik_is_switch(f, sw) && from[d->leaf_index[sw]] != UNREACHED;
        }
        if (!served)
            return d->at.host[i];
    }
    return IK_NONE;
}

/* Do packets of programs start at this leaf? Hosts send by their first connected port. Endpoints of
 * upper switches may have no way up and down: their entries stay empty, for down and up again would
 * close cycles here, and whoever completes the tables lets such packets turn at few switches. */
static bool dmodc_is_source(const dmodc *d, uint32_t leaf)
{
    uint32_t sw = d->at.leaf[leaf];
    for (uint32_t i = d->at.base[sw]; i < d->at.base[sw + 1]; i++)
        if (ik_host_switch(d->f, d->at.host[i]) == sw &&
            !ik_is_silent(d->f, ik_host_node(d->f, d->at.host[i])))
            return true;
    return false;
}

static ik_status dmodc_check_served(const dmodc *d, ik_error *err)
{
    const ik_fabric *f = d->f;
    uint32_t n = d->at.num_leaves;
    uint32_t *part = ik_calloc(f->num_switches, sizeof *part);
    if (!part)
        return ik_fail_memory(err, f->num_switches * sizeof *part, "the parts of a fabric");
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        part[sw] = sw;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t g = d->group_base[sw]; g < d->group_base[sw + 1]; g++)
            part[dmodc_find_part(part, sw)] = dmodc_find_part(part, d->groups[g].neighbour);
    ik_status status = IK_OK;
    for (uint32_t a = 0; a < n && status == IK_OK; a++) {
        const uint8_t *row = d->cost + (size_t)d->at.leaf[a] * n;
        if (!memchr(row, UNREACHED, n) || !dmodc_is_source(d, a))
            continue;
        for (uint32_t b = 0; b < n && status == IK_OK; b++) {
            if (row[b] != UNREACHED ||
                dmodc_find_part(part, d->at.leaf[a]) != dmodc_find_part(part, d->at.leaf[b]))
                continue;
            uint32_t host = dmodc_find_unserved(d, a, b);
            if (host == IK_NONE)
                continue;
            char x[96], y[96];
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "%s and %s are connected, but by no way up and then down",
                    ik_node_describe(f, d->at.leaf[a], x, sizeof x),
                    ik_node_describe(f, ik_host_node(f, host), y, sizeof y));
            status = ik_hint(err, IK_ERR_UNSUPPORTED, "'updown' routes every connected pair");
        }
    }
    free(part);
    return status;
}

/* ---- tables */

/* shifts: t is added to its quotient. */
static inline uint16_t dmodc_choose(const dmodc *d, const uint16_t *candidate, uint32_t count,
                                    const group *groups, const tree_reciprocal *divider,
                                    bool shifts, uint32_t t)
{
    if (count == 1 && groups[candidate[0]].num_cables == 1)
        return d->cable[groups[candidate[0]].first_cable];
    uint32_t rest = tree_quotient(t, divider) + (shifts ? t : 0);
    const group *g = &groups[candidate[count == 1 ? 0 : tree_remainder(rest, &d->by[count])]];
    uint32_t cable = 0;
    if (g->num_cables > 1)
        cable = tree_remainder(tree_quotient(rest, &d->by[count]), &d->by[g->num_cables]);
    return d->cable[g->first_cable + cable];
}

/* Which of a host's leaves to head for: one below first, then the nearest. Heading up once a leaf
 * is below would break the rule.
 */
static uint16_t dmodc_leaf_rank(const dmodc *d, uint32_t sw, uint32_t leaf, uint8_t cost)
{
    unsigned here = d->f->switch_level[sw], there = d->f->switch_level[d->at.leaf[leaf]];
    return here >= there && cost == here - there ? cost : (uint16_t)(0x100 | cost);
}

static void dmodc_mark_nearer(uint64_t *restrict nearer, const uint8_t *restrict here,
                              const uint8_t *restrict there, uint32_t n, uint32_t bit)
{
    for (uint32_t i = 0; i < n; i++)
        nearer[i] |= (uint64_t)(there[i] < here[i]) << bit;
}

/* For all leaves at once. */
static void dmodc_find_nearer(const dmodc *d, uint32_t sw, uint64_t *nearer)
{
    size_t n = d->at.num_leaves;
    const group *groups = d->groups + d->group_base[sw];
    memset(nearer, 0, d->words * n * sizeof *nearer);
    for (uint32_t g = 0; g < d->group_base[sw + 1] - d->group_base[sw]; g++)
        dmodc_mark_nearer(nearer + g / 64 * n, d->cost + sw * n, d->cost + groups[g].neighbour * n,
                          (uint32_t)n, g % 64);
}

static uint32_t dmodc_list_candidates(const dmodc *d, const uint64_t *nearer, uint32_t leaf,
                                      uint16_t *candidate)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < d->words; word++)
        for (uint64_t left = nearer[word * (size_t)d->at.num_leaves + leaf]; left; left &= left - 1)
            candidate[count++] = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
    return count;
}

static bool dmodc_several_ways_down(const dmodc *d, uint32_t sw, const uint16_t *candidate,
                                    uint32_t count)
{
    const group *groups = d->groups + d->group_base[sw];
    return count > 1 && d->f->switch_level[groups[candidate[0]].neighbour] < d->f->switch_level[sw];
}

static ik_status dmodc_table_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    dmodc *d = ctx;
    const ik_fabric *f = d->f;
    uint32_t sw = (uint32_t)index;
    const group *groups = d->groups + d->group_base[sw];
    uint16_t *row = d->lft + (size_t)sw * f->num_hosts,
             *candidate = d->candidate + (size_t)thread * (d->max_radix + 1);
    uint64_t *nearer = d->nearer + (size_t)thread * d->words * d->at.num_leaves;
    uint16_t *rank = d->at.multi ? d->rank + (size_t)thread * f->num_hosts : NULL;
    tree_reciprocal divider = tree_reciprocal_of(d->divider[sw]);
    if (rank)
        memset(rank, 0xFF, f->num_hosts * sizeof *rank);
    dmodc_find_nearer(d, sw, nearer);
    for (uint32_t leaf = 0; leaf < d->at.num_leaves; leaf++) {
        uint32_t target = d->at.leaf[leaf],
                 count = dmodc_list_candidates(d, nearer, leaf, candidate);
        uint8_t cost = d->cost[(size_t)sw * d->at.num_leaves + leaf];
        uint16_t here = dmodc_leaf_rank(d, sw, leaf, cost);
        if (target != sw && (!count || (cost == UNREACHED && f->num_silent)))
            continue;
        bool shifts = dmodc_several_ways_down(d, sw, candidate, count);
        for (uint32_t i = d->at.base[target]; i < d->at.base[target + 1]; i++) {
            uint32_t host = d->at.host[i];
            if (rank && rank[host] <= here)
                continue;
            if (rank)
                rank[host] = here;
            row[host] = target == sw ? d->at.port[i]
                                     : dmodc_choose(d, candidate, count, groups, &divider, shifts,
                                                    d->topo[host]);
        }
    }
    return IK_OK;
}

/* ---- all of it */

static void dmodc_free(dmodc *d)
{
    attach_free(&d->at);
    free(d->group_base);
    free(d->groups);
    free(d->cable);
    free(d->leaf_index);
    free(d->topo);
    free(d->level_switch);
    free(d->level_base);
    free(d->cost);
    free(d->divider);
    free(d->by);
    free(d->candidate);
    free(d->nearer);
    free(d->rank);
}

static ik_status dmodc_alloc(dmodc *d, const ik_env *env, ik_error *err)
{
    const ik_fabric *f = d->f;
    ik_status status = attach_make(f, &d->at, err);
    if (status != IK_OK)
        return status;
    size_t n = f->num_switches, leaves = d->at.num_leaves, ports = f->port_base[n];
    status = ik_env_refuse_bytes(env, (double)n * (double)leaves, "tree distances", err);
    if (status != IK_OK)
        return status;
    d->max_radix = ik_max_radix(f);
    d->group_base = ik_calloc(n + 1, sizeof *d->group_base);
    d->groups = ik_calloc(ports + 1, sizeof *d->groups);
    d->cable = ik_calloc(ports + 1, sizeof *d->cable);
    d->leaf_index = ik_calloc(n, sizeof *d->leaf_index);
    d->topo = ik_calloc(f->num_hosts, sizeof *d->topo);
    d->level_switch = ik_calloc(n, sizeof *d->level_switch);
    d->level_base = ik_calloc((size_t)f->num_levels + 2, sizeof *d->level_base);
    d->cost = ik_calloc(n * leaves + 1, sizeof *d->cost);
    d->divider = ik_calloc(n, sizeof *d->divider);
    d->by = ik_calloc((size_t)d->max_radix + 2, sizeof *d->by);
    d->candidate =
        ik_calloc(((size_t)d->max_radix + 1) * ik_env_threads(env), sizeof *d->candidate);
    d->words = d->max_radix / 64 + 1;
    d->nearer = ik_calloc(leaves * d->words * ik_env_threads(env) + 1, sizeof *d->nearer);
    d->rank =
        ik_calloc(d->at.multi ? (size_t)f->num_hosts * ik_env_threads(env) : 1, sizeof *d->rank);
    if (!d->rank || !d->nearer || !d->group_base || !d->groups || !d->cable || !d->leaf_index ||
        !d->topo || !d->level_switch || !d->level_base || !d->cost || !d->divider || !d->by ||
        !d->candidate)
        return ik_fail_memory(err, n * leaves, "tree distances");
    memset(d->leaf_index, 0xFF, n * sizeof *d->leaf_index);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        d->leaf_index[d->at.leaf[leaf]] = leaf;
    for (uint32_t i = 0; i <= d->max_radix; i++)
        d->by[i] = tree_reciprocal_of(i);
    return IK_OK;
}

static ik_status dmodc_route(dmodc *d, ik_routing *r, const ik_env *env, ik_error *err)
{
    ik_status status = dmodc_alloc(d, env, err);
    if (status == IK_OK)
        status = dmodc_make_groups(d, err);
    if (status == IK_OK)
        status = dmodc_check_levels(d, err);
    if (status != IK_OK)
        return status;
    dmodc_sort_by_level(d);
    dmodc_make_dividers(d);
    status = tree_number_hosts(d->f, &d->at, d->topo, err);
    if (status == IK_OK)
        status = dmodc_make_costs(d, env, err);
    if (status == IK_OK)
        status = dmodc_check_served(d, err);
    if (status == IK_OK)
        status = lft_new(r->fabric, env, &r->lft, err);
    if (status != IK_OK)
        return status;
    d->lft = r->lft;
    return ik_parallel_for(env, "forwarding tables", d->f->num_switches, dmodc_table_row, d, err);
}

static ik_status dmodc_create(ik_routing *r, const ik_params *params, const ik_env *env,
                              ik_error *err)
{
    (void)params;
    const ik_fabric *f = r->fabric;
    if (!f->num_levels || !f->switch_level) {
        ik_fail(err, IK_ERR_UNSUPPORTED, "routing 'dmodc' needs a tree, and '%s' has no levels",
                f->spec ? f->spec : f->family);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "'updown' routes any fabric");
    }
    if (f->num_levels > MAX_LEVELS)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "routing 'dmodc' takes trees of at most %d levels, not %u", MAX_LEVELS,
                       f->num_levels);
    dmodc d = {.f = f};
    ik_status status = dmodc_route(&d, r, env, err);
    dmodc_free(&d);
    if (f->intact && ik_fabric_xgft(f))
        r->claims |= IK_CLAIM_MINIMAL;
    return status;
}

static const char *const examples[] = {
    "karytree:k=2,n=3",      "karytree:k=2,n=3,fail=10%",     "xgft:m=4:3:2,w=1:2:3",
    "rlft:ports=8,levels=3", "rlft:ports=8,levels=3,fail=3%", NULL,
};
static const char *const refused[] = {"ring:n=5", NULL};

const ik_routing_family ik_routing_dmodc = {
    .name = "dmodc",
    .summary = "D-mod-K tables for damaged and imported trees",
    .source = "Gliksberg, Capra, Louvet, Garcia, Sohier: High-Quality Fault Resiliency in Fat "
              "Trees, IEEE Micro 2020",
    .details =
        "Destinations are numbered by their positions in the tree. A switch divides this number by "
        "the number of ways up below it, and by the result spreads destinations over the "
        "neighbours that are one step nearer, then over parallel cables. On a complete tree whose "
        "switches have as many ways up as down the tables are those of D-mod-K. After a failure, "
        "only those entries change for which the set "
        "of neighbours one step nearer has changed. Where several neighbours lead down to a leaf "
        "switch "
        "(no complete tree has that), its hosts are spread over them.\n\nWorks on any fabric whose "
        "switches form "
        "levels with links between adjacent levels only, also with failed links and switches. It "
        "is refused if two connected hosts have no path that goes up and then down.",
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims =
        IK_CLAIM_DELIVERS | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_ASCENDS_ALIKE,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = dmodc_create,
    .next = ik_lft_next,
};
