/* SPDX-License-Identifier: Apache-2.0
 *
 * What fabrics of no family look like that have the numbers of cables of a given one: the ends of
 * two cables are exchanged again and again. Parallel cables come of it only where the fabric has
 * some.
 */
#include "topology/cabling/cab_chance.h"

#include <stdlib.h>

enum { EXCHANGES = 10 }; /* per cable */

typedef struct chance {
    const cab_graph *g;
    uint32_t *ends; /* [2 * links] */
    bool *joined;   /* [num][num] a cable joins the two; used without parallel cables only */
    bool parallel;  /* it has parallel cables */
} chance;

static void cab_chance_list(chance *c)
{
    const cab_graph *g = c->g;
    size_t num = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++) {
            c->parallel |= g->cables[i] > 1;
            for (uint32_t k = 0; g->to[i] > sw && k < g->cables[i]; k++) {
                c->ends[num++] = sw;
                c->ends[num++] = g->to[i];
            }
        }
}

static bool *cab_chance_joined(const chance *c, uint32_t a, uint32_t b)
{
    return &c->joined[(size_t)(a < b ? a : b) * c->g->num + (a < b ? b : a)];
}

/* The cables from a to b and from x to y go from a to y and from x to b, if that is allowed. */
static void cab_chance_exchange(const chance *c, uint32_t *ab, uint32_t *xy, bool turned)
{
    uint32_t a = ab[0], b = ab[1], x = xy[turned], y = xy[!turned];
    if (a == y || x == b || a == x || b == y)
        return;
    if (!c->parallel && (*cab_chance_joined(c, a, y) || *cab_chance_joined(c, x, b)))
        return;
    *cab_chance_joined(c, a, b) = *cab_chance_joined(c, x, y) = false;
    *cab_chance_joined(c, a, y) = *cab_chance_joined(c, x, b) = true;
    ab[1] = y;
    xy[0] = x;
    xy[1] = b;
}

ik_status cab_chance_shuffled(const cab_graph *g, unsigned sample, cab_graph *out, ik_error *err)
{
    chance c = {.g = g,
                .ends = ik_calloc((size_t)g->links + 1, 2 * sizeof *c.ends),
                .joined = ik_calloc((size_t)g->num * g->num + 1, 1)};
    ik_rng rng = ik_rng_at(2, IK_RNG_ANALYSIS, sample);
    ik_status status = c.ends && c.joined
                           ? IK_OK
                           : ik_fail_memory(err, g->links * 8, "cables exchanged at random");
    if (status == IK_OK) {
        cab_chance_list(&c);
        for (uint64_t i = 0; i < g->links; i++)
            *cab_chance_joined(&c, c.ends[2 * i], c.ends[2 * i + 1]) = true;
        for (uint64_t i = 0; i < EXCHANGES * g->links; i++) {
            uint32_t *ab = c.ends + 2 * (size_t)ik_rng_below(&rng, (uint32_t)g->links),
                     *xy = c.ends + 2 * (size_t)ik_rng_below(&rng, (uint32_t)g->links);
            cab_chance_exchange(&c, ab, xy, ik_rng_below(&rng, 2));
        }
        status = cab_graph_joined(g, c.ends, out, err);
    }
    free(c.ends);
    free(c.joined);
    return status;
}
