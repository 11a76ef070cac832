/* SPDX-License-Identifier: Apache-2.0
 *
 * random.c: random numbers with an address. Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
 * 1, 2, 3, SC'11) through Random123: key = seed; counter block = (counter, entity with the purpose in its top byte).
 */
#include "ikat/base.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <Random123/philox.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* The purpose takes the top byte of the entity word: entities stay below 2^56. */
uint64_t ik_random_u64(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter)
{
    uint64_t address = entity ^ ((uint64_t)purpose << 56);
    philox4x32_ctr_t c = {{(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)address, (uint32_t)(address >> 32)}};
    philox4x32_key_t k = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t r = philox4x32(c, k);
    return (uint64_t)r.v[1] << 32 | r.v[0];
}

uint32_t ik_random_below(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter, uint32_t n)
{
    /* High half of a 64 x 32 bit product; the remainder's bias is below n / 2^64. */
    uint64_t x = ik_random_u64(seed, purpose, entity, counter);
    uint64_t high = (x >> 32) * n, low = (x & UINT32_MAX) * n;
    return (uint32_t)((high + (low >> 32)) >> 32);
}

static double to_unit(uint64_t x)
{
    return (double)(x >> 11) * 0x1p-53;
}

double ik_random_unit(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter)
{
    return to_unit(ik_random_u64(seed, purpose, entity, counter));
}

ik_rng ik_rng_at(uint64_t seed, ik_purpose purpose, uint64_t entity)
{
    ik_rng rng = {.seed = seed, .entity = entity, .counter = 0, .purpose = purpose};
    return rng;
}

uint64_t ik_rng_u64(ik_rng *rng)
{
    return ik_random_u64(rng->seed, rng->purpose, rng->entity, rng->counter++);
}

uint32_t ik_rng_below(ik_rng *rng, uint32_t n)
{
    /* Lemire's multiplication with rejection (ACM TOMACS 29(1), 2019). */
    for (;;) {
        uint64_t product = (uint64_t)(uint32_t)(ik_rng_u64(rng) >> 32) * n;
        if ((uint32_t)product >= (uint32_t)(-n) % n)
            return (uint32_t)(product >> 32);
    }
}

double ik_rng_unit(ik_rng *rng)
{
    return to_unit(ik_rng_u64(rng));
}

void ik_rng_shuffle_u32(ik_rng *rng, uint32_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = ik_rng_below(rng, (uint32_t)i);
        uint32_t swap = items[i - 1];
        items[i - 1] = items[j];
        items[j] = swap;
    }
}
