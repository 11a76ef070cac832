/* SPDX-License-Identifier: Apache-2.0
 *
 * Fat trees as they are bought: PGFTs of 2 and 3 levels with as many leaf switches as the hosts
 * need, as few switches above them as their cables need, and several cables per pair of switches.
 * Only leaf switches are oversubscribed.
 *
 * What is searched: all hosts per leaf m1, cables per pair, and leaves per pod. The other numbers
 * follow, since fewer switches on a level never need more on another one: the number of leaves or
 * pods is the least for the hosts, and the number of parents the least for the uplinks. Cost O(R^2)
 * for 2 levels and O(R^2 log R) pairs of pods and cables for 3 levels of switches with R ports; a
 * tree that was found ends the search at leaves with too few hosts. Of trees that cost the same,
 * that with fewer cables per pair and larger pods comes first.
 */
#include "topology/scale.h"

#include <math.h>

static uint32_t tree_fit_ceil(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* d-mod-k needs every host port filled; dmodk leaves cables unused where w and m have a common
 * factor. */
static void tree_fit_route(ik_fit *fit)
{
    fit->routing = fit->capacity == fit->point.hosts ? "dmodk_pgft" : "dmodc";
}

static double tree_fit_radix(double a, double b)
{
    return a > b ? a : b;
}

bool tree_fit_2_levels(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t m1 = wish->radix - 1; m1 > 0; m1--) {
        double leaves = ceil(wish->hosts / m1);
        uint32_t up = scale_least(wish, m1);
        if (leaves > wish->radix || scale_too_many(&best, leaves))
            break;
        uint32_t m2 = leaves > 2 ? (uint32_t)leaves : 2;
        for (uint32_t p = 1; p <= up && p * m2 <= wish->radix; p++) {
            uint32_t w = tree_fit_ceil(up, p);
            scale_offer(&best, (double)m2 + w, (double)m2 * w * p,
                        tree_fit_radix(m1 + w * p, m2 * p), (double)m1 * m2,
                        "pgft:m=%u:%u,w=1:%u,p=1:%u", m1, m2, w, p);
        }
    }
    if (best.found)
        tree_fit_route(out);
    return best.found;
}

/* All pods of m2 leaves with m1 hosts, each of which has p2 cables to each of w2 parents. */
static void tree_fit_pods(scale_best *best, uint32_t m1, uint32_t m2, uint32_t w2, uint32_t p2)
{
    uint32_t radix = best->wish->radix, down = m2 * p2;
    double pods = ceil(best->wish->hosts / ((double)m1 * m2));
    if (pods > radix)
        return;
    uint32_t m3 = pods > 2 ? (uint32_t)pods : 2, most = down < radix / m3 ? down : radix / m3;
    /* most cables per pair need the fewest switches above; no fewer cables lead there than below */
    if (!most ||
        scale_too_dear(best, (double)m3 * (m2 + w2) + (double)w2 * tree_fit_ceil(down, most),
                       2.0 * m3 * w2 * down))
        return;
    for (uint32_t p3 = 1; p3 <= most; p3++) {
        uint32_t w3 = tree_fit_ceil(down, p3);
        double above = (double)w2 * w3, largest = tree_fit_radix(down + w3 * p3, m3 * p3);
        scale_offer(best, (double)m3 * (m2 + w2) + above, (double)m3 * w2 * down + m3 * above * p3,
                    tree_fit_radix(m1 + w2 * p2, largest), (double)m1 * m2 * m3,
                    "pgft:m=%u:%u:%u,w=1:%u:%u,p=1:%u:%u", m1, m2, m3, w2, w3, p2, p3);
    }
}

bool tree_fit_3_levels(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t m1 = wish->radix - 1; m1 > 0; m1--) {
        uint32_t up = scale_least(wish, m1);
        if (scale_too_many(&best, ceil(wish->hosts / m1)))
            break;
        for (uint32_t p2 = 1; p2 <= up && 4 * p2 <= wish->radix; p2++) {
            uint32_t w2 = tree_fit_ceil(up, p2);
            if (m1 + w2 * p2 > wish->radix)
                continue;
            for (uint32_t m2 = wish->radix / (2 * p2); m2 > 1; m2--)
                tree_fit_pods(&best, m1, m2, w2, p2);
        }
    }
    if (best.found)
        tree_fit_route(out);
    return best.found;
}
