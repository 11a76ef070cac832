/* SPDX-License-Identifier: Apache-2.0
 *
 * random_fabric.h: specs of small fabrics of every generated family, drawn at random: property
 * tests walk over them.
 */
#ifndef IKAT_TESTS_RANDOM_FABRIC_H
#define IKAT_TESTS_RANDOM_FABRIC_H

#include "ikat/ikat.h"

#include <stdio.h>
#include <string.h>

static inline uint32_t draw_in(ik_rng *rng, uint32_t low, uint32_t high)
{
    return low + ik_rng_below(rng, high - low + 1);
}

static inline void draw_list(ik_rng *rng, char *text, size_t size, uint32_t count, uint32_t low,
                             uint32_t high)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%u", i ? ":" : "", draw_in(rng, low, high));
    }
}

/* A tree with any children, parents (one or two cables per host) and, for pgft, parallel cables. */
static inline void draw_tree(ik_rng *rng, char *spec, size_t size)
{
    char m[64], w[64], p[64];
    uint32_t h = draw_in(rng, 1, 3);
    draw_list(rng, m, sizeof m, h, 1, 4);
    draw_list(rng, w, sizeof w, h, 1, 3);
    draw_list(rng, p, sizeof p, h, 1, 2);
    w[0] = ik_rng_below(rng, 4) ? '1' : w[0];
    p[0] = '1';
    if (ik_rng_below(rng, 3))
        snprintf(spec, size, "xgft:m=%s,w=%s", m, w);
    else
        snprintf(spec, size, "pgft:m=%s,w=%s,p=%s", m, w, p);
}

static inline void draw_grid(ik_rng *rng, char *spec, size_t size)
{
    char dims[64];
    uint32_t count = draw_in(rng, 1, 3);
    draw_list(rng, dims, sizeof dims, count, 1, count == 1 ? 9 : count == 2 ? 5 : 3);
    static const char *const names[] = {"torus", "mesh", "hyperx"};
    snprintf(spec, size, "%s:dims=%s,p=%u", names[ik_rng_below(rng, 3)], dims, draw_in(rng, 1, 2));
}

/* Writes a spec; most of them can be built (degrees that do not fit are refused). */
static inline void draw_fabric_spec(ik_rng *rng, char *spec, size_t size)
{
    static const uint32_t slimfly_q[] = {3, 4, 5}, oft_k[] = {2, 3, 4}, polarfly_q[] = {2, 3, 4, 5};
    switch (ik_rng_below(rng, 14)) {
    case 0:
    case 1:
        draw_tree(rng, spec, size);
        return;
    case 2:
        snprintf(spec, size, "karytree:k=%u,n=%u", draw_in(rng, 2, 3), draw_in(rng, 1, 3));
        return;
    case 3:
        snprintf(spec, size, "rlft:ports=%u,levels=%u", 2 * draw_in(rng, 1, 3), draw_in(rng, 1, 2));
        return;
    case 4:
        snprintf(spec, size, "slimfly:q=%u,p=%u", slimfly_q[ik_rng_below(rng, 3)],
                 draw_in(rng, 1, 2));
        return;
    case 5:
        snprintf(spec, size, "mlfm:h=%u,p=%u", draw_in(rng, 1, 4), draw_in(rng, 1, 2));
        return;
    case 6:
        snprintf(spec, size, "oft:k=%u,p=%u", oft_k[ik_rng_below(rng, 3)], draw_in(rng, 1, 2));
        return;
    case 7:
        snprintf(spec, size, "polarfly:q=%u,p=%u", polarfly_q[ik_rng_below(rng, 4)],
                 draw_in(rng, 1, 2));
        return;
    case 8:
        snprintf(spec, size, "dragonfly:h=%u,p=%u", draw_in(rng, 1, 2), draw_in(rng, 1, 2));
        return;
    case 9:
        snprintf(spec, size, "jellyfish:N=%u,d=%u,p=%u,seed=%u", 2 * draw_in(rng, 3, 16),
                 draw_in(rng, 2, 5), draw_in(rng, 1, 2), ik_rng_below(rng, 1000));
        return;
    case 10:
        snprintf(spec, size, "lrt:N=%u,d=4,r=%u,seed=%u", draw_in(rng, 3, 6) * 6,
                 draw_in(rng, 3, 5), ik_rng_below(rng, 1000));
        strncat(spec, ",width=6", size - strlen(spec) - 1);
        return;
    default:
        draw_grid(rng, spec, size);
        return;
    }
}

/* The same with some links or switches failed. */
static inline void draw_failures(ik_rng *rng, char *spec, size_t size)
{
    size_t used = strlen(spec);
    if (ik_rng_below(rng, 3)) {
        snprintf(spec + used, size - used, ",fail=%u%%,fail_seed=%u", draw_in(rng, 1, 40),
                 ik_rng_below(rng, 1000));
    } else {
        snprintf(spec + used, size - used, ",fail_switches=%u%%,fail_seed=%u", draw_in(rng, 1, 25),
                 ik_rng_below(rng, 1000));
    }
}

#endif
