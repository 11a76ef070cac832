/* SPDX-License-Identifier: Apache-2.0
 *
 * Families without levels: specifications that have the fabric's number of switches, or that with
 * those that are down, and its usual numbers of cables per switch.
 */
#include "topology/cabling/cab_family.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_DIMS = 8, MOST_SPECS = 64, MORE = 2 };

typedef struct grids {
    const cab_graph *g;
    uint32_t num;    /* switches of the family */
    uint32_t degree; /* a number of distinct neighbours that is usual */
    uint32_t least_degree;
    uint32_t max_degree; /* the largest */
    uint32_t cables;     /* usual number of parallel cables */
    uint32_t hosts;      /* usual number of hosts, at least 1 */
    cab_specs *out;
    bool kept; /* no allocation has failed */
} grids;

/* Sizes of dimensions, descending. */
typedef struct box {
    uint32_t num, size[MOST_DIMS];
} box;

/* About as many links as the fabric has? At least this share of them, or all but one; those of
 * switches that are down are gone. */
static bool cab_grids_links_fit(const grids *s, double links, double least)
{
    assert(s->cables > 0);
    double have = (double)s->g->links / s->cables, down = s->num - s->g->num;
    links -= down * s->degree < links ? down * s->degree : 0;
    return (have >= least * links || have + 1 >= links) && have <= 1.1 * links;
}

static void cab_grids_add_box(grids *s, const char *family, const box *b)
{
    char dims[96] = "";
    size_t used = 0;
    for (uint32_t d = 0; d < b->num; d++)
        used += (size_t)snprintf(dims + used, sizeof dims - used, "%s%" PRIu32, d ? ":" : "",
                                 b->size[d]);
    if (s->out->num < MOST_SPECS && s->kept)
        s->kept = cab_specs_add(s->out, "%s:dims=%s,p=%" PRIu32, family, dims, s->hosts);
}

static void cab_grids_add_boxes_of(grids *s, const box *b)
{
    assert(b->num > 0 && b->num <= MOST_DIMS);
    double n = s->num, torus = 0, mesh = 0;
    uint32_t ring = 0, cliques = 0;
    for (uint32_t d = 0; d < b->num; d++) {
        uint32_t size = b->size[d];
        ring += size > 2 ? 2 : 1;
        cliques += size - 1;
        torus += size > 2 ? n : n / 2;
        mesh += n * (size - 1) / size;
    }
    if (s->cables == 1 && ring == s->degree && cab_grids_links_fit(s, torus, 0.75))
        cab_grids_add_box(s, "torus", b);
    /* Numbers of neighbours tell little: small fabrics of other kinds are nearly a mesh. */
    if (s->cables == 1 && ring >= s->degree && ring <= s->max_degree + s->num - s->g->num &&
        cab_grids_links_fit(s, mesh, 0.95) && mesh < torus)
        cab_grids_add_box(s, "mesh", b);
    if (b->num > 1 && cliques == s->degree && b->size[0] > 2 && s->cables == 1 &&
        cab_grids_links_fit(s, n / 2 * cliques, 0.75))
        cab_grids_add_box(s, "hyperx", b);
}

/* All ways to write `left` as a product of sizes from 2 to `most`, descending. */
static void cab_grids_split(grids *s, uint32_t left, uint32_t most, box *b)
{
    assert(left > 0 && b->num <= MOST_DIMS);
    if (left == 1 && b->num)
        cab_grids_add_boxes_of(s, b);
    if (left == 1 || b->num == MOST_DIMS)
        return;
    for (uint32_t size = most < left ? most : left; size >= 2; size--) {
        if (left % size)
            continue;
        b->size[b->num++] = size;
        cab_grids_split(s, left / size, size, b);
        b->num--;
    }
}

static void cab_grids_add_dragonflies(grids *s)
{
    static const char *const arrangements[] = {"palmtree", "absolute", "relative"};
    uint32_t n = s->num;
    for (uint32_t a = 2; a <= s->degree && s->cables == 1; a++) {
        uint32_t h = s->degree - (a - 1), groups = n / a;
        if (n % a || h < 1 || groups < 3 || groups > (uint64_t)a * h + 1)
            continue;
        if (!cab_grids_links_fit(s, n / 2.0 * (a - 1) + n / 2.0 * h, 0.75))
            continue;
        for (size_t i = 0; i < 3 && s->out->num < MOST_SPECS && s->kept; i++)
            s->kept = cab_specs_add(s->out,
                                    "dragonfly:h=%" PRIu32 ",a=%" PRIu32 ",p=%" PRIu32 ",g=%" PRIu32
                                    ",arrangement=%s",
                                    h, a, s->hosts, groups, arrangements[i]);
    }
}

/* Hypercubes of an odd number of dimensions come before the tori with sizes of 2 that they are; the
 * others are tori with sizes of 4 and are called so. */
static void cab_grids_add_hypercube(grids *s)
{
    if (s->degree < 20 && s->num == 1u << s->degree && s->cables == 1 && s->degree % 2)
        s->kept = cab_specs_add(s->out, "hypercube:n=%" PRIu32 ",p=%" PRIu32, s->degree, s->hosts);
}

static void cab_grids_add_slimflies(grids *s)
{
    uint32_t n = s->num;
    for (uint32_t q = 3; 2 * q * q <= n && s->cables == 1; q++) {
        uint32_t delta_up = q % 4 == 3 ? 1 : 0, delta_down = q % 4 == 1 ? 1 : 0;
        if (2 * q * q == n && q % 4 != 2 && 2 * s->degree == 3 * q + delta_up - delta_down &&
            s->kept)
            s->kept = cab_specs_add(s->out, "slimfly:q=%" PRIu32 ",p=%" PRIu32, q, s->hosts);
    }
}

static ik_status cab_grids_measure(grids *s, ik_error *err)
{
    const cab_graph *g = s->g;
    size_t links = g->base[g->num], most = links > g->num ? links : g->num;
    uint32_t *value = ik_calloc(most + 1, sizeof *value);
    if (!value)
        return ik_fail_memory(err, most * sizeof *value, "numbers of neighbours");
    for (uint32_t sw = 0; sw < g->num; sw++) {
        value[sw] = g->base[sw + 1] - g->base[sw];
        s->max_degree = value[sw] > s->max_degree ? value[sw] : s->max_degree;
    }
    s->least_degree = s->degree = cab_commonest(value, g->num);
    for (uint32_t sw = 0; sw < g->num; sw++)
        value[sw] = g->hosts[sw];
    s->hosts = cab_commonest(value, g->num);
    s->hosts = s->hosts ? s->hosts : 1;
    for (size_t i = 0; i < links; i++)
        value[i] = g->cables[i];
    s->cables = cab_commonest(value, links);
    free(value);
    return IK_OK;
}

/* With the mean number of cables between two switches, and with the usual one: of few pairs, those
 * that are swapped may be as many as others. */
static void cab_grids_add_complete(grids *s)
{
    uint32_t n = s->g->num;
    uint64_t pairs = (uint64_t)n * (n - 1) / 2, mean = (s->g->links + pairs / 2) / pairs;
    const uint64_t cables[] = {mean, s->cables};
    for (unsigned i = mean == 0 || mean == s->cables; i < 2 && s->kept; i++)
        s->kept = cab_specs_add(s->out, "fullmesh:n=%" PRIu32 ",p=%" PRIu32 ",k=%" PRIu64, n,
                                s->hosts, cables[i]);
}

static void cab_grids_add_all(grids *s)
{
    box b = {0};
    uint32_t n = s->g->num;
    bool complete = s->degree == n - 1 && n > 2 && n <= 1024;
    if (complete && s->num > n)
        return; /* without some of its switches it is complete, too */
    cab_grids_add_hypercube(s);
    if (complete)
        cab_grids_add_complete(s);
    else
        cab_grids_split(s, s->num, s->num, &b);
    cab_grids_add_slimflies(s);
    cab_grids_add_dragonflies(s);
}

ik_status cab_grids(const cab_graph *g, uint32_t down, cab_specs *out, ik_error *err)
{
    grids s = {.g = g, .num = g->num + down, .out = out, .kept = true};
    if (g->num < 2 || !g->links)
        return IK_OK;
    ik_status status = cab_grids_measure(&s, err);
    if (status != IK_OK)
        return status;
    /* with cables missing at most switches, the largest number of neighbours is the family's */
    uint32_t most = s.max_degree < s.least_degree + MORE ? s.max_degree : s.least_degree + MORE;
    for (s.degree = s.least_degree; s.degree <= most; s.degree++)
        cab_grids_add_all(&s);
    return s.kept ? IK_OK : ik_fail_memory(err, CAB_SPEC, "families");
}
