/* SPDX-License-Identifier: Apache-2.0
 *
 * cut_exact.c: the best balanced cut of a small fabric, by trying every one.
 *
 * Switch 0 stays where it is; the others run through a Gray code, so that one switch changes sides
 * from one partition to the next and costs its neighbours. 2^(n-1) partitions.
 */
#include "analysis/cut.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    const graph *g;
    uint8_t *side; /* [n] */
    int64_t imbalance;
    int64_t cut;
} search;

static void cut_exact_change_side(search *s, uint32_t v)
{
    assert(v < s->g->n && s->side[v] < 2);
    const graph *g = s->g;
    s->imbalance += s->side[v] ? 2 * (int64_t)g->hosts[v] : -2 * (int64_t)g->hosts[v];
    for (size_t i = g->base[v]; i < g->base[v + 1]; i++)
        s->cut += s->side[g->to[i]] == s->side[v] ? (int64_t)g->links[i] : -(int64_t)g->links[i];
    s->side[v] ^= 1;
}

ik_status cut_exact(const graph *g, uint8_t *side, ik_error *err)
{
    assert(g->n >= 2 && g->n <= 31);
    search s = {.g = g, .side = ik_calloc((size_t)g->n + 1, 1)};
    if (!s.side)
        return ik_fail_memory(err, g->n, "a partition");
    for (uint32_t v = 0; v < g->n; v++)
        s.imbalance += g->hosts[v];
    int64_t best_imbalance = s.imbalance, best_cut = 0;
    memset(side, 0, g->n);
    for (uint32_t code = 1; code < (uint32_t)1 << (g->n - 1); code++) {
        cut_exact_change_side(&s, 1 + (uint32_t)__builtin_ctz(code));
        int64_t imbalance = llabs(s.imbalance);
        if (imbalance < best_imbalance || (imbalance == best_imbalance && s.cut < best_cut)) {
            best_imbalance = imbalance;
            best_cut = s.cut;
            memcpy(side, s.side, g->n);
        }
    }
    free(s.side);
    return IK_OK;
}
