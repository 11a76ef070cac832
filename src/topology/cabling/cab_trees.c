/* SPDX-License-Identifier: Apache-2.0
 *
 * Fat trees: the parameters of the PGFT that most switches of each level agree on.
 * Source: E. Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI
 * global collectives, JPDC 2012.
 */
#include "topology/cabling/cab_family.h"

#include "ikat/topology.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tree {
    const cab_graph *g;
    uint32_t levels;
    uint32_t m[IK_XGFT_MAX_H], w[IK_XGFT_MAX_H], p[IK_XGFT_MAX_H]; /* level l at [l - 1] */
    uint32_t radix;                                                /* the commonest of switches */
    uint32_t switches[IK_XGFT_MAX_H];
    uint32_t *value; /* [links + 1] scratch */
} tree;

/* Distinct neighbours of a switch on a level. */
static uint32_t cab_trees_neighbours_on(const cab_graph *g, uint32_t sw, uint32_t level)
{
    uint32_t num = 0;
    for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
        num += g->kind[g->to[i]] == level;
    return num;
}

/* hosted: of those that have hosts. */
static uint32_t usual_neighbours(tree *t, uint32_t level, uint32_t towards, bool hosted)
{
    assert(level > 0 && level <= t->levels && (towards + 1 == level || level + 1 == towards));
    size_t num = 0;
    for (uint32_t sw = 0; sw < t->g->num; sw++)
        if (t->g->kind[sw] == level && (!hosted || t->g->hosts[sw]))
            t->value[num++] = cab_trees_neighbours_on(t->g, sw, towards);
    return cab_commonest(t->value, num);
}

/* Parallel cables between a switch of this level and one of the next. */
static uint32_t cab_trees_usual_cables(tree *t, uint32_t level)
{
    assert(level > 0 && level < t->levels);
    size_t num = 0;
    const cab_graph *g = t->g;
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; g->kind[sw] == level && i < g->base[sw + 1]; i++)
            if (g->kind[g->to[i]] == level + 1)
                t->value[num++] = g->cables[i];
    return cab_commonest(t->value, num);
}

/* Cables of a host, all to different switches. */
static uint32_t cab_trees_usual_rails(tree *t, const ik_fabric *f)
{
    size_t num = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t rails = ik_host_rails(f, host);
        if (rails)
            t->value[num++] = rails;
    }
    uint32_t usual = cab_commonest(t->value, num);
    return usual ? usual : 1;
}

static bool cab_trees_measure(tree *t, const ik_fabric *f)
{
    const cab_graph *g = t->g;
    t->m[0] = g->max_hosts;
    t->w[0] = cab_trees_usual_rails(t, f);
    t->p[0] = 1;
    for (uint32_t level = 2; level <= t->levels; level++) {
        t->m[level - 1] = usual_neighbours(t, level, level - 1, false);
        t->w[level - 1] = usual_neighbours(t, level - 1, level, false);
        t->p[level - 1] = cab_trees_usual_cables(t, level - 1);
        if (!t->m[level - 1] || !t->w[level - 1] || !t->p[level - 1])
            return false;
    }
    for (uint32_t sw = 0; sw < g->num; sw++)
        t->value[sw] = ik_radix(f, sw);
    t->radix = cab_commonest(t->value, g->num);
    for (uint32_t sw = 0; sw < g->num; sw++) {
        assert(g->kind[sw] > 0 && g->kind[sw] <= t->levels);
        t->switches[g->kind[sw] - 1]++;
    }
    return true;
}

/* Children as the numbers of switches say: where few switches are on a level, most of them may have
 * lost a cable. */
static void cab_trees_count_children(tree *t)
{
    for (uint32_t l = 1; l < t->levels; l++) {
        assert(t->switches[l] > 0); /* cab_trees_measure: a level has neighbours of the next */
        uint64_t cables = (uint64_t)t->switches[l - 1] * t->w[l];
        t->m[l] = (uint32_t)((cables + t->switches[l] / 2) / t->switches[l]);
        t->m[l] = t->m[l] ? t->m[l] : 1;
    }
}

static bool cab_trees_single_cables(const tree *t)
{
    for (uint32_t l = 0; l < t->levels; l++)
        if (t->p[l] != 1)
            return false;
    return true;
}

/* Do all levels but the first and the last have these numbers of parents and children? */
static bool cab_trees_halves(const tree *t, uint32_t half, uint32_t top)
{
    if (!cab_trees_single_cables(t) || t->w[0] != 1 || t->m[0] > half || t->m[t->levels - 1] != top)
        return false;
    for (uint32_t l = 1; l < t->levels; l++)
        if (t->w[l] != half || (l + 1 < t->levels && t->m[l] != half))
            return false;
    return true;
}

static void cab_trees_print_list(char *text, size_t size, const uint32_t *values, uint32_t num)
{
    size_t used = 0;
    for (uint32_t i = 0; i < num && used + 1 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, i ? ":" : "", values[i]);
}

static bool cab_trees_add_tree(const tree *t, cab_specs *out)
{
    char m[80], w[80], p[80];
    uint32_t half = t->radix / 2;
    if (t->radix % 2 == 0 && half && cab_trees_halves(t, half, t->radix))
        return cab_specs_add(out, "rlft:ports=%" PRIu32 ",levels=%" PRIu32, t->radix, t->levels);
    if (cab_trees_halves(t, t->w[t->levels - 1], t->w[t->levels - 1]) &&
        t->m[0] == t->w[t->levels - 1])
        return cab_specs_add(out, "karytree:k=%" PRIu32 ",n=%" PRIu32, t->m[0], t->levels);
    cab_trees_print_list(m, sizeof m, t->m, t->levels);
    cab_trees_print_list(w, sizeof w, t->w, t->levels);
    cab_trees_print_list(p, sizeof p, t->p, t->levels);
    return cab_trees_single_cables(t) ? cab_specs_add(out, "xgft:m=%s,w=%s", m, w)
                                      : cab_specs_add(out, "pgft:m=%s,w=%s,p=%s", m, w, p);
}

/* Upper switches that have lost most of their cables may pass for leaf switches without hosts: also
 * with the uplinks of those that have some. */
static bool cab_trees_add_hosted(tree *t, cab_specs *out)
{
    uint32_t all = t->w[1], hosted = usual_neighbours(t, 1, 2, true);
    t->w[1] = hosted ? hosted : all;
    bool kept = cab_trees_add_tree(t, out);
    t->w[1] = all;
    return kept;
}

ik_status cab_trees(const ik_fabric *f, const cab_graph *g, uint32_t levels, cab_specs *out,
                    ik_error *err)
{
    tree t = {.g = g, .levels = levels};
    if (levels < 2 || levels > IK_XGFT_MAX_H)
        return IK_OK;
    size_t most = g->base[g->num] > g->num ? g->base[g->num] : g->num;
    most = f->num_hosts > most ? f->num_hosts : most;
    t.value = ik_calloc(most + 1, sizeof *t.value);
    if (!t.value)
        return ik_fail_memory(err, most * sizeof *t.value, "the levels of a tree");
    bool known = cab_trees_measure(&t, f),
         kept = !known || (cab_trees_add_tree(&t, out) && cab_trees_add_hosted(&t, out));
    if (known && kept) {
        cab_trees_count_children(&t);
        kept = cab_trees_add_tree(&t, out);
    }
    free(t.value);
    return kept ? IK_OK : ik_fail_memory(err, CAB_SPEC, "families");
}
