/* SPDX-License-Identifier: Apache-2.0
 *
 * What fails is drawn without replacement with the address (seed, IK_RNG_FAULT, kind). A share of n
 * parts is round(share * n) parts, so the number does not depend on the seed.
 */
#include "topology/damage/fail_draw.h"

#include <assert.h>
#include <math.h>

size_t fail_draw_part(double share, size_t count)
{
    assert(share >= 0 && share <= 1 && count <= UINT32_MAX);
    return (size_t)floor(share * (double)count + 0.5);
}

void fail_draw(uint32_t *items, size_t count, size_t chosen, uint64_t seed, fail_draw_kind kind)
{
    assert(chosen <= count && count <= UINT32_MAX);
    ik_rng rng = ik_rng_at(seed, IK_RNG_FAULT, kind);
    for (size_t i = 0; i < chosen && i + 1 < count; i++) {
        size_t j = i + ik_rng_below(&rng, (uint32_t)(count - i));
        uint32_t item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}
