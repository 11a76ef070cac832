/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_local.c: localised traffic on a floor: the nearer, the likelier.
 *
 * A destination is drawn in two steps: its Manhattan distance, with weight (hosts at that distance)
 * * round(2^32 * distance^-gamma), then a host on that ring of the floor. The weights are integers,
 * so the probabilities are exact rationals.
 */
#include "traffic/pattern.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"gamma", IK_PARAM_REAL, "1", 0, 8, NULL,
     "exponent: probability proportional to distance^-gamma"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct floor_map {
    int32_t x0, y0, width, height; /* bounding box of the switches */
    uint32_t rings;                /* largest distance + 1 */
    uint64_t *weight;              /* [rings] of one host at that distance; 0 at distance 0 */
    uint32_t *cell_base;           /* [width * height + 1] hosts by cell */
    uint32_t *cell_host;
    uint32_t *host_cell; /* [num_hosts] */
    uint32_t *place_of;  /* [width * height] number of the cell among those with hosts */
    uint64_t *upto;      /* [places][rings] weights of all hosts at this distance or nearer */
} floor_map;

static void local_destroy(ik_traffic *t)
{
    floor_map *m = t->impl;
    free(m->weight);
    free(m->cell_base);
    free(m->cell_host);
    free(m->host_cell);
    free(m->place_of);
    free(m->upto);
    free(m);
    t->impl = NULL;
}

static uint32_t local_distance(const floor_map *m, uint32_t a, uint32_t b)
{
    uint32_t w = (uint32_t)m->width;
    return (uint32_t)(abs((int)(a % w) - (int)(b % w)) + abs((int)(a / w) - (int)(b / w)));
}

static ik_status local_bound(const ik_fabric *f, floor_map *m, ik_error *err)
{
    int32_t x1 = f->switch_xy[0].x, y1 = f->switch_xy[0].y;
    m->x0 = x1;
    m->y0 = y1;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        ik_xy p = f->switch_xy[sw];
        m->x0 = p.x < m->x0 ? p.x : m->x0;
        m->y0 = p.y < m->y0 ? p.y : m->y0;
        x1 = p.x > x1 ? p.x : x1;
        y1 = p.y > y1 ? p.y : y1;
    }
    int64_t width = (int64_t)x1 - m->x0 + 1, height = (int64_t)y1 - m->y0 + 1;
    if (width > 1 << 24 || height > 1 << 24 || width * height > 1 << 28) {
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "traffic 'local': a floor of %lld x %lld places is too large",
                       (long long)width, (long long)height);
    }
    m->width = (int32_t)width;
    m->height = (int32_t)height;
    m->rings = (uint32_t)(width + height - 1);
    return IK_OK;
}

/* Sorts the hosts by cell (counting sort: cell c is counted at c + 2, so that after filling
 * cell_base[c] is its start). */
static void local_place_hosts(const ik_fabric *f, floor_map *m)
{
    size_t cells = (size_t)m->width * (size_t)m->height;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t sw = ik_host_switch(f, h);
        m->host_cell[h] = IK_NONE;
        if (sw != IK_NONE) {
            ik_xy p = f->switch_xy[sw];
            m->host_cell[h] = (uint32_t)((p.y - m->y0) * m->width + (p.x - m->x0));
            m->cell_base[m->host_cell[h] + 2]++;
        }
    }
    for (size_t c = 0; c < cells; c++)
        m->cell_base[c + 2] += m->cell_base[c + 1];
    for (uint32_t h = 0; h < f->num_hosts; h++)
        if (m->host_cell[h] != IK_NONE)
            m->cell_host[m->cell_base[m->host_cell[h] + 1]++] = h;
}

/* Hosts in the cell at offset (dx, dy) from `cell`; their first index in cell_host is *first. */
static uint32_t local_hosts_at(const floor_map *m, uint32_t cell, int32_t dx, int32_t dy,
                               uint32_t *first)
{
    int32_t x = (int32_t)(cell % (uint32_t)m->width) + dx,
            y = (int32_t)(cell / (uint32_t)m->width) + dy;
    if (x < 0 || y < 0 || x >= m->width || y >= m->height)
        return 0;
    size_t c = (size_t)y * (size_t)m->width + (size_t)x;
    *first = m->cell_base[c];
    return m->cell_base[c + 1] - m->cell_base[c];
}

/* The n-th host at Manhattan distance r from cell, IK_NONE if there are fewer; *total, if not NULL,
 * gets their number. */
static uint32_t local_ring_host(const floor_map *m, uint32_t cell, int32_t r, uint32_t n,
                                uint32_t *total)
{
    assert(r >= 0);
    uint32_t sum = 0, first = 0;
    for (int32_t dx = -r; dx <= r; dx++) {
        int32_t dy = r - abs(dx);
        for (int k = 0; k < (dy ? 2 : 1); k++) {
            uint32_t here = local_hosts_at(m, cell, dx, k ? -dy : dy, &first);
            if (!total && n < sum + here)
                return m->cell_host[first + n - sum];
            sum += here;
        }
    }
    if (total)
        *total = sum;
    return IK_NONE;
}

/* Running sums over the rings around every cell with hosts. */
static ik_status local_sum_rings(floor_map *m, ik_error *err)
{
    size_t cells = (size_t)m->width * (size_t)m->height, places = 0;
    m->place_of = ik_calloc(cells + 1, sizeof *m->place_of);
    for (size_t c = 0; m->place_of && c < cells; c++)
        m->place_of[c] = m->cell_base[c + 1] > m->cell_base[c] ? (uint32_t)places++ : IK_NONE;
    m->upto = m->place_of ? ik_calloc(places + 1, m->rings * sizeof *m->upto) : NULL;
    if (!m->upto)
        return ik_fail_memory(err, (places + 1) * m->rings * sizeof *m->upto, "traffic 'local'");
    for (size_t c = 0; c < cells; c++) {
        uint64_t sum = 0, *row = m->upto + (size_t)m->place_of[c] * m->rings;
        for (uint32_t r = 1; m->place_of[c] != IK_NONE && r < m->rings; r++) {
            uint32_t hosts = 0;
            local_ring_host(m, (uint32_t)c, (int32_t)r, 0, &hosts);
            row[r] = sum += hosts * m->weight[r];
        }
    }
    return IK_OK;
}

static ik_status local_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    const ik_fabric *f = t->fabric;
    if (!f->switch_xy || f->num_switches == 0) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "traffic 'local' needs switches with positions on a floor, this fabric has none");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "lrt:N=64,d=4,r=2 has them");
    }
    floor_map *m = ik_calloc(1, sizeof *m);
    if (!m)
        return ik_fail_memory(err, sizeof *m, "traffic 'local'");
    t->impl = m;
    ik_status s = local_bound(f, m, err);
    if (s != IK_OK)
        return s;
    size_t cells = (size_t)m->width * (size_t)m->height;
    m->weight = ik_calloc(m->rings, sizeof *m->weight);
    m->cell_base = ik_calloc(cells + 2, sizeof *m->cell_base);
    m->cell_host = ik_calloc((size_t)f->num_hosts + 1, sizeof *m->cell_host);
    m->host_cell = ik_calloc((size_t)f->num_hosts + 1, sizeof *m->host_cell);
    if (!m->weight || !m->cell_base || !m->cell_host || !m->host_cell)
        return ik_fail_memory(err, cells * 4 + (size_t)f->num_hosts * 8, "traffic 'local'");
    for (uint32_t r = 1; r < m->rings; r++)
        m->weight[r] = (uint64_t)(4294967296.0 * pow(r, -ik_params_real(p, "gamma")) + 0.5);
    local_place_hosts(f, m);
    return local_sum_rings(m, err);
}

static uint32_t local_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const floor_map *m = t->impl;
    uint32_t cell = m->host_cell[src], r = 1;
    const uint64_t *upto = cell == IK_NONE ? NULL : m->upto + (size_t)m->place_of[cell] * m->rings;
    if (!upto || upto[m->rings - 1] == 0)
        return IK_NONE;
    uint64_t u =
        ik_random_u64(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS) % upto[m->rings - 1];
    while (u >= upto[r])
        r++;
    return local_ring_host(m, cell, (int32_t)r, (uint32_t)((u - upto[r - 1]) / m->weight[r]), NULL);
}

static void local_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const floor_map *m = t->impl;
    uint64_t sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t d = 0; m->host_cell[src] != IK_NONE && d < t->num_hosts; d++) {
            uint64_t weight =
                m->host_cell[d] == IK_NONE
                    ? 0
                    : m->weight[local_distance(m, m->host_cell[src], m->host_cell[d])];
            if (weight && pass)
                fn(ctx, src, d, weight, sum);
            sum += pass ? 0 : weight;
        }
    }
}

const ik_traffic_family ik_traffic_local = {
    .name = "local",
    .summary = "hosts communicate more often the nearer their switches are on the floor",
    .source =
        "R. Kawano, H. Nakahara, I. Fujiwara, H. Matsutani, M. Koibuchi, H. Amano, LOREN: A "
        "Scalable Routing Method for Layout-conscious Random Topologies, CANDAR 2016, section 6.4",
    .details = "A destination is drawn with a probability proportional to (Manhattan distance "
               "between the two switches)^-gamma. Hosts at the same position as the source are "
               "never drawn. Needs switches with positions.",
    .params = params,
    .create = local_create,
    .destroy = local_destroy,
    .dest = local_dest,
    .flows = local_flows,

    .of_fabric = true,
};
