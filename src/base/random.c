/* SPDX-License-Identifier: Apache-2.0
 *
 * random.c: random numbers with an address. Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel
 * random numbers: as easy as 1, 2, 3, SC'11) through Random123: key = seed; counter block =
 * (counter, entity with the purpose in its top byte).
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

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

/* The purpose takes the top byte of the entity word: entities stay below 2^56. */
uint64_t ik_random_u64(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter)
{
    uint64_t address = entity ^ ((uint64_t)purpose << 56);
    philox4x32_ctr_t c = {{(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)address,
                           (uint32_t)(address >> 32)}};
    philox4x32_key_t k = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t r = philox4x32(c, k);
    return (uint64_t)r.v[1] << 32 | r.v[0];
}

uint32_t ik_random_below(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter,
                         uint32_t n)
{
    /* High half of a 64 x 32 bit product; the remainder's bias is below n / 2^64. */
    uint64_t x = ik_random_u64(seed, purpose, entity, counter);
    uint64_t high = (x >> 32) * n, low = (x & UINT32_MAX) * n;
    return (uint32_t)((high + (low >> 32)) >> 32);
}

#if defined(__x86_64__) && defined(__GNUC__)
/* Philox 4x32-10 of four counters at once, a 32-bit word in each 64-bit lane (what is above it is
 * never used), and its first two words scaled to n as in ik_random_below. */
__attribute__((target("avx2"))) static inline __m256i
random_four_below(__m256i counter, uint64_t address, uint64_t seed, uint32_t n)
{
    const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57),
                  by = _mm256_set1_epi64x(n);
    __m256i x0 = counter, x1 = _mm256_srli_epi64(counter, 32),
            x2 = _mm256_set1_epi64x((uint32_t)address);
    __m256i x3 = _mm256_set1_epi64x((int64_t)(address >> 32));
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        __m256i p0 = _mm256_mul_epu32(x0, m0), p1 = _mm256_mul_epu32(x2, m1);
        x0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), x1),
                              _mm256_set1_epi64x(k0));
        x2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), x3),
                              _mm256_set1_epi64x(k1));
        x1 = p1;
        x3 = p0;
    }
    __m256i high = _mm256_mul_epu32(x1, by), low = _mm256_mul_epu32(x0, by);
    return _mm256_srli_epi64(_mm256_add_epi64(high, _mm256_srli_epi64(low, 32)), 32);
}

__attribute__((target("avx2"))) static void random_eight_below(uint64_t address, uint64_t seed,
                                                               uint64_t counter, uint32_t step,
                                                               uint32_t n, uint32_t *out)
{
    __m256i near =
        _mm256_add_epi64(_mm256_set1_epi64x((int64_t)counter),
                         _mm256_mul_epu32(_mm256_set1_epi64x(step), _mm256_set_epi64x(3, 2, 1, 0)));
    __m256i a = random_four_below(near, address, seed, n);
    __m256i b = random_four_below(_mm256_add_epi64(near, _mm256_set1_epi64x((int64_t)step * 4)),
                                  address, seed, n);
    __m256i mixed = _mm256_or_si256(a, _mm256_slli_epi64(b, 32)); /* a0 b0 a1 b1 a2 b2 a3 b3 */
    _mm256_storeu_si256((__m256i_u *)out, _mm256_permutevar8x32_epi32(
                                              mixed, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0)));
}

static bool random_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
static void random_eight_below(uint64_t address, uint64_t seed, uint64_t counter, uint32_t step,
                               uint32_t n, uint32_t *out)
{
    (void)address, (void)seed, (void)counter, (void)step, (void)n, (void)out;
}

static bool random_has_avx2(void)
{
    return false;
}
#endif

void ik_random_below_run(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter,
                         uint32_t step, uint32_t n, uint32_t count, uint32_t *out)
{
    uint32_t at = 0;
    for (; at + 8 <= count && random_has_avx2(); at += 8)
        random_eight_below(entity ^ ((uint64_t)purpose << 56), seed, counter + (uint64_t)at * step,
                           step, n, out + at);
    for (; at < count; at++)
        out[at] = ik_random_below(seed, purpose, entity, counter + (uint64_t)at * step, n);
}

static double random_to_unit(uint64_t x)
{
    return (double)(x >> 11) * 0x1p-53;
}

double ik_random_unit(uint64_t seed, ik_purpose purpose, uint64_t entity, uint64_t counter)
{
    return random_to_unit(ik_random_u64(seed, purpose, entity, counter));
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
    return random_to_unit(ik_rng_u64(rng));
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
