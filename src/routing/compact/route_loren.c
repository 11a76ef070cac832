/* SPDX-License-Identifier: Apache-2.0
 *
 * route_loren.c: LOREN, compact routing by floor position.
 *
 * Idea: a switch stores at most t_max entries <target, next hop> on shortest paths: (1) its
 * neighbours, (2) whatever paths between floor neighbours need, (3) the topologically nearest other
 * switches while there is room. A packet follows the entry whose target lies nearest (Manhattan
 * distance) to its destination, the first in (hops, id) order. Every hop either comes nearer to the
 * target or, at the target, finds a target nearer to the destination: no livelock. Source: R.
 * Kawano, H. Nakahara, I. Fujiwara, H. Matsutani, M. Koibuchi, H. Amano, "LOREN: A Scalable Routing
 * Method for Layout-conscious Random Topologies", 2016, sections IV and V.
 *
 * Choices that the paper leaves open: the tree towards v takes the smallest-id neighbour one hop
 * nearer; the queue of (3) starts with all adjacent pairs in ascending order and pushes
 * predecessors ascending. Departure: on a floor with holes, or where floor neighbours are cut off
 * from each other, (2) is not enough, since it supposes a switch on every grid point. Where a
 * switch would have no target nearer to some destination than itself, the shortest path to that
 * destination is stored too, so degraded fabrics work; on a full connected grid this adds nothing.
 *
 * Cost: O(S * L) distances, O(S * t_max * degree) for (3), O(S^2) for compiling (a distance
 * transform a switch).
 */
#include "routing/compact/loren.h"

#include <stdlib.h>
#include <string.h>

static void loren_free(loren *t)
{
    if (!t)
        return;
    links_free(&t->g);
    free(t->xy);
    free(t->spots);
    free(t->at);
    free(t->succ);
    free(t->dist);
    free(t->has);
    free(t->entries);
    free(t->num);
    free(t->base_num);
    free(t->chosen);
    free(t->raster);
    free(t);
}

uint32_t loren_manhattan(ik_xy a, ik_xy b)
{
    int64_t dx = (int64_t)a.x - b.x, dy = (int64_t)a.y - b.y;
    return (uint32_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
}

/* ------------------------------------------------------------------------------------------ the
 * floor */

static int loren_compare_spots(const void *a, const void *b)
{
    const loren_spot *p = a, *q = b;
    if (p->xy.y != q->xy.y)
        return p->xy.y < q->xy.y ? -1 : 1;
    return p->xy.x < q->xy.x ? -1 : p->xy.x > q->xy.x;
}

uint32_t loren_switch_at(const loren *t, int64_t x, int64_t y)
{
    if (x != (int32_t)x || y != (int32_t)y)
        return IK_NONE; /* beside the edge of what positions can say */
    loren_spot key = {.xy = {(int32_t)x, (int32_t)y}};
    const loren_spot *spot =
        bsearch(&key, t->spots, t->g.num_switches, sizeof key, loren_compare_spots);
    return spot ? spot->sw : IK_NONE;
}

/* Width of the smallest square floor with so many places. */
static unsigned loren_square_floor(uint32_t num_switches)
{
    unsigned width = 1;
    while ((uint64_t)width * width < num_switches)
        width++;
    return width;
}

static ik_status loren_give_positions(loren *t, const ik_params *params, ik_error *err)
{
    const ik_fabric *f = t->f;
    bool grid = ik_params_has(params, "grid");
    if (!f->switch_xy && !grid) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "loren routes by floor position, but the switches of '%s' have none",
                f->family ? f->family : "this fabric");
        return ik_hint(
            err, IK_ERR_UNSUPPORTED,
            "use a fabric with positions (lrt), or give the width of the floor: loren:grid=%u",
            loren_square_floor(f->num_switches));
    }
    uint32_t width = grid ? (uint32_t)ik_params_uint(params, "grid") : 1;
    for (uint32_t s = 0; s < f->num_switches; s++) {
        t->xy[s] = grid ? (ik_xy){(int32_t)(s % width), (int32_t)(s / width)} : f->switch_xy[s];
        t->spots[s] = (loren_spot){t->xy[s], s};
    }
    qsort(t->spots, f->num_switches, sizeof *t->spots, loren_compare_spots);
    for (uint32_t s = 1; s < f->num_switches; s++) {
        if (loren_compare_spots(&t->spots[s - 1], &t->spots[s]) != 0)
            continue;
        char a[160], b[160];
        ik_fail(err, IK_ERR_UNSUPPORTED, "%s and %s are at the same floor position (%d, %d)",
                ik_node_describe(f, t->spots[s - 1].sw, a, sizeof a),
                ik_node_describe(f, t->spots[s].sw, b, sizeof b), t->spots[s].xy.x,
                t->spots[s].xy.y);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "loren needs one position per switch");
    }
    return IK_OK;
}

/* Lays the raster that the distance transform runs on, unless it would be far larger than the
 * number of switches. */
static ik_status loren_lay_raster(loren *t, const ik_env *env, ik_error *err)
{
    uint32_t n = t->g.num_switches;
    int64_t x0 = INT32_MAX, x1 = INT32_MIN;
    for (uint32_t s = 0; s < n; s++) {
        x0 = t->xy[s].x < x0 ? t->xy[s].x : x0;
        x1 = t->xy[s].x > x1 ? t->xy[s].x : x1;
    }
    int64_t y0 = t->spots[0].xy.y, width = x1 - x0 + 1, height = t->spots[n - 1].xy.y - y0 + 1;
    if (width > 16LL * n + 64 || height > 16LL * n + 64 || width * height > 16LL * n + 64)
        return IK_OK;
    t->x0 = (int32_t)x0;
    t->y0 = (int32_t)y0;
    t->width = (uint32_t)width;
    t->height = (uint32_t)height;
    size_t cells = (size_t)(width * height);
    t->at = ik_calloc(cells, sizeof *t->at);
    t->raster = ik_calloc(cells * ik_env_threads(env), sizeof *t->raster);
    if (!t->at || !t->raster)
        return ik_fail_memory(err, cells * 12, "the floor plan");
    for (size_t c = 0; c < cells; c++)
        t->at[c] = IK_NONE;
    for (uint32_t s = 0; s < n; s++)
        t->at[(size_t)(t->xy[s].y - y0) * t->width + (size_t)(t->xy[s].x - x0)] = s;
    t->regular = cells == n;
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------
 * shortest-path trees */

static ik_status loren_make_tree(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    (void)err;
    loren *t = ctx;
    const links *g = &t->g;
    size_t n = g->num_switches;
    const uint8_t *dist = t->dist + index * n;
    uint16_t *succ = t->succ + index * n;
    for (uint32_t u = 0; u < n; u++) {
        succ[u] = NO_LINK;
        if (dist[u] == 0 || dist[u] == LINKS_FAR)
            continue;
        for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++)
            if (dist[g->head[l]] + 1 == dist[u]) {
                succ[u] = (uint16_t)(l - g->base[u]);
                break;
            }
    }
    return IK_OK;
}

/* ------------------------------------------------------------------------------------------
 * compiling */

/* For every raster cell the least (Manhattan distance, rank) over the entries of one switch, packed
 * as distance << 32 | rank: a step to a neighbouring cell adds 1 << 32. Two sweeps along each axis
 * are exact for this metric. */
static void loren_transform(uint64_t *cell, uint32_t width, uint32_t height)
{
    const uint64_t step = 1ULL << 32;
    for (uint32_t y = 0; y < height; y++) {
        uint64_t *row = cell + (size_t)y * width;
        for (uint32_t x = 1; x < width; x++)
            row[x] = row[x - 1] + step < row[x] ? row[x - 1] + step : row[x];
        for (uint32_t x = width - 1; x-- > 0;)
            row[x] = row[x + 1] + step < row[x] ? row[x + 1] + step : row[x];
    }
    for (size_t i = width; i < (size_t)width * height; i++)
        cell[i] = cell[i - width] + step < cell[i] ? cell[i - width] + step : cell[i];
    for (size_t i = (size_t)width * (height - 1); i-- > 0;)
        cell[i] = cell[i + width] + step < cell[i] ? cell[i + width] + step : cell[i];
}

static void choose_by_raster(const loren *t, uint32_t u, uint64_t *cell)
{
    size_t cells = (size_t)t->width * t->height, n = t->g.num_switches;
    const loren_entry *entries = t->entries + u * (size_t)t->capacity;
    for (size_t c = 0; c < cells; c++)
        cell[c] = UINT64_MAX >> 1;
    for (uint32_t e = 0; e < t->num[u]; e++) {
        ik_xy p = t->xy[entries[e].target];
        cell[(size_t)(p.y - t->y0) * t->width + (size_t)(p.x - t->x0)] = e;
    }
    loren_transform(cell, t->width, t->height);
    for (size_t c = 0; c < cells; c++)
        if (t->at[c] != IK_NONE)
            t->chosen[u * n + t->at[c]] = entries[(uint32_t)cell[c]].link;
}

static void loren_choose_by_scan(const loren *t, uint32_t u)
{
    size_t n = t->g.num_switches;
    const loren_entry *entries = t->entries + u * (size_t)t->capacity;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t e = 0; e < t->num[u]; e++) {
            uint32_t md = loren_manhattan(t->xy[entries[e].target], t->xy[v]);
            if (md < best) {
                best = md;
                t->chosen[u * n + v] = entries[e].link;
            }
        }
    }
}

static ik_status loren_choose(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)err;
    loren *t = ctx;
    uint32_t u = (uint32_t)index;
    if (t->num[u] > 0) {
        if (t->at)
            choose_by_raster(t, u, t->raster + (size_t)thread * t->width * t->height);
        else
            loren_choose_by_scan(t, u);
    }
    return IK_OK;
}

static uint32_t loren_chosen_link(const void *ctx, uint32_t sw, uint32_t dst)
{
    const loren *t = ctx;
    if (t->num[sw] == 0 || t->dist[(size_t)sw * t->g.num_switches + dst] == LINKS_FAR)
        return IK_NONE;
    return t->g.base[sw] + t->chosen[(size_t)sw * t->g.num_switches + dst];
}

/* ------------------------------------------------------------------------------------------
 * family */

static uint32_t loren_largest(const uint32_t *num, uint32_t n)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < n; i++)
        max = num[i] > max ? num[i] : max;
    return max;
}

static ik_status loren_set_limit(loren *t, const ik_params *params, ik_error *err)
{
    uint32_t n = t->g.num_switches, required = loren_largest(t->num, n);
    t->required = required;
    t->t_max = n / 2 > required ? n / 2 : required;
    if (!ik_params_has(params, "t_max"))
        return IK_OK;
    t->t_max = (uint32_t)ik_params_limit(params, "t_max", required);
    if (t->t_max >= required)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED,
                     "loren with t_max %u cannot hold the entries for adjacent switches and floor "
                     "neighbours: some switch needs %u",
                     t->t_max, required),
             "t_max");
    return ik_hint(err, IK_ERR_UNSUPPORTED, "the least that works on this fabric is t_max=%u",
                   required);
}

static ik_status loren_allocate(loren *t, const ik_env *env, ik_error *err)
{
    size_t n = t->g.num_switches;
    ik_status status =
        ik_env_refuse_bytes(env, 6.0 * (double)n * (double)n, "LOREN's trees and tables", err);
    if (status != IK_OK)
        return status;
    t->xy = ik_calloc(n, sizeof *t->xy);
    t->spots = ik_calloc(n, sizeof *t->spots);
    t->succ = ik_calloc(n * n, sizeof *t->succ);
    t->has = ik_calloc(n, n);
    t->num = ik_calloc(n, sizeof *t->num);
    if (!t->xy || !t->spots || !t->succ || !t->has || !t->num)
        return ik_fail_memory(err, n * n * 3, "LOREN's trees");
    return IK_OK;
}

static ik_status loren_fill_entries(loren *t, const ik_env *env, ik_error *err)
{
    size_t n = t->g.num_switches;
    t->capacity = loren_largest(t->num, (uint32_t)n);
    t->entries = ik_calloc(n * t->capacity + 1, sizeof *t->entries);
    t->chosen = ik_calloc(n * n, sizeof *t->chosen);
    if (!t->entries || !t->chosen)
        return ik_fail_memory(err, n * t->capacity * sizeof *t->entries, "LOREN's tables");
    ik_status status = ik_parallel_for(env, "LOREN entries", n, loren_write_entries, t, err);
    return status != IK_OK ? status : ik_parallel_for(env, "LOREN routes", n, loren_choose, t, err);
}

static ik_status loren_build_tables(loren *t, const ik_params *params, const ik_env *env,
                                    ik_error *err)
{
    ik_status status = loren_give_positions(t, params, err);
    if (status == IK_OK)
        status = loren_lay_raster(t, env, err);
    if (status == IK_OK)
        status = links_distances(&t->g, env, &t->dist, err);
    if (status == IK_OK)
        status = ik_parallel_for(env, "LOREN trees", t->g.num_switches, loren_make_tree, t, err);
    if (status != IK_OK)
        return status;
    loren_mark_adjacent(t);
    loren_mark_floor_neighbours(t);
    if (!t->regular)
        loren_mark_over_holes(t);
    status = loren_set_limit(t, params, err);
    if (status == IK_OK)
        status = loren_mark_distant(t, err);
    return status != IK_OK ? status : loren_fill_entries(t, env, err);
}

static void loren_destroy(ik_routing *r)
{
    loren_free(r->impl);
}

static ik_status loren_create(ik_routing *r, const ik_params *params, const ik_env *env,
                              ik_error *err)
{
    if (r->fabric->num_switches == 0)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "loren needs at least one switch, the fabric has none");
    loren *t = ik_calloc(1, sizeof *t);
    if (!t)
        return ik_fail_memory(err, sizeof *t, "LOREN");
    t->f = r->fabric;
    ik_status status = links_build(r->fabric, &t->g, err);
    if (status == IK_OK)
        status = loren_allocate(t, env, err);
    if (status == IK_OK)
        status = loren_build_tables(t, params, env, err);
    if (status == IK_OK)
        status = links_make_lft(r, &t->g, env, loren_chosen_link, t, err);
    if (status != IK_OK) {
        loren_free(t);
        return status;
    }
    free(t->chosen);
    free(t->succ);
    free(t->has);
    free(t->dist);
    free(t->raster);
    t->chosen = t->succ = NULL;
    t->has = t->dist = NULL;
    t->raster = NULL;
    r->impl = t;
    r->natural_vc = "acro";
    r->least_t_max = t->required;
    return IK_OK;
}

static uint32_t loren_num_entries(const ik_routing *r, uint32_t sw)
{
    return ((const loren *)r->impl)->num[sw];
}

static void loren_entry_nth(const ik_routing *r, uint32_t sw, uint32_t n, ik_table_entry *entry)
{
    const loren *t = r->impl;
    const loren_entry *e = &t->entries[(size_t)sw * t->capacity + n];
    *entry = (ik_table_entry){e->target, t->g.port[t->g.base[sw] + e->link], e->kind};
}

/* The order of the proof: (Manhattan distance from the entry's target to the destination, hops to
 * the target). */
static uint64_t loren_order(const ik_routing *r, uint32_t sw, uint32_t dst)
{
    const loren *t = r->impl;
    uint32_t goal = t->g.host_sw[dst];
    uint64_t best = UINT64_MAX;
    if (goal == sw || goal == IK_NONE)
        return 0;
    const loren_entry *entries = t->entries + (size_t)sw * t->capacity;
    for (uint32_t e = 0; e < t->num[sw]; e++) {
        uint64_t order =
            (uint64_t)loren_manhattan(t->xy[entries[e].target], t->xy[goal]) << 8 | entries[e].hops;
        best = order < best ? order : best;
    }
    return best;
}

static const ik_param loren_params[] = {
    {"t_max", IK_PARAM_UINT, "", 1, 1e9, "least|least*F",
     "most entries that a switch may store (none given: half the number of switches, or as many as "
     "are needed); least: the fewest that work on the fabric; least*F: F times as many"},
    {"grid", IK_PARAM_UINT, "", 1, 1e9, NULL,
     "width of the floor: switch i is at (i mod grid, i / grid); none given: the fabric's own "
     "positions"},
    {0},
};

static const char *const loren_examples[] = {"lrt:N=64,d=4,r=2", "lrt:N=100,d=4,r=3,seed=3",
                                             "mesh:dims=5:5", NULL};
static const char *const loren_refused[] = {"karytree:k=2,n=3", "dragonfly:p=2,a=4,h=2", NULL};

const ik_routing_family ik_routing_loren = {
    .name = "loren",
    .summary = "compact routing by the positions of switches on the floor, with at most t_max "
               "entries per switch",
    .source = "Kawano, Nakahara, Fujiwara, Matsutani, Koibuchi, Amano: LOREN: A Scalable Routing "
              "Method for Layout-conscious Random Topologies, 2016",
    .details = "A switch stores entries for (1) adjacent switches, (2) the shortest paths between "
               "switches that are neighbours on the floor, (3) the topologically nearest others "
               "while fewer than t_max are stored. A packet follows the entry whose target has the "
               "smallest Manhattan distance to its destination; ties go to the first one in (hops, "
               "id) order. Every connected pair is delivered, though paths may be longer than "
               "shortest paths; the routing is livelock-free by construction. A t_max that has no "
               "room for the entries of kinds 1 and 2 is refused, and the message says the least "
               "value that works. Freedom from deadlock needs a VC scheme of layers, such as acro.",
    .params = loren_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits =
        IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_PER_SWITCH,
    .example_fabrics = loren_examples,
    .refused_fabrics = loren_refused,
    .create = loren_create,
    .destroy = loren_destroy,
    .next = ik_lft_next,
    .num_entries = loren_num_entries,
    .entry_nth = loren_entry_nth,
    .order = loren_order,
};
