/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_sets.h: sets of bits of `words` words. Callers pass a constant 1 where one word does, and
 * the loops are gone.
 */
#ifndef IKAT_SIM_PIPE_SETS_H
#define IKAT_SIM_PIPE_SETS_H

#include "sim/core/inline.h"
#include <stdint.h>

SIM_INLINE void pipe_sets_set_add(uint64_t *set, uint32_t bit, unsigned words)
{
    set[words == 1 ? 0 : bit >> 6] |= UINT64_C(1) << (bit & 63);
}

SIM_INLINE void pipe_sets_set_remove(uint64_t *set, uint32_t bit, unsigned words)
{
    set[words == 1 ? 0 : bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
}

/* Without a branch that nobody could predict. */
SIM_INLINE void pipe_sets_set_add_if(uint64_t *set, uint32_t bit, bool condition, unsigned words)
{
    set[words == 1 ? 0 : bit >> 6] |= (uint64_t)condition << (bit & 63);
}

SIM_INLINE void pipe_sets_set_remove_if(uint64_t *set, uint32_t bit, bool condition, unsigned words)
{
    set[words == 1 ? 0 : bit >> 6] &= ~((uint64_t)condition << (bit & 63));
}

SIM_INLINE bool pipe_sets_set_has(const uint64_t *set, uint32_t bit, unsigned words)
{
    return set[words == 1 ? 0 : bit >> 6] >> (bit & 63) & 1;
}

SIM_INLINE bool pipe_sets_set_any(const uint64_t *set, unsigned words)
{
    uint64_t all = 0;
    for (unsigned w = 0; w < words; w++)
        all |= set[w];
    return all;
}

/* a without b into out; false = nothing is left. */
SIM_INLINE bool pipe_sets_set_without(uint64_t *out, const uint64_t *a, const uint64_t *b,
                                      unsigned words)
{
    uint64_t all = 0;
    for (unsigned w = 0; w < words; w++)
        all |= out[w] = a[w] & ~b[w];
    return all;
}

SIM_INLINE uint32_t pipe_sets_set_first(const uint64_t *set, unsigned words)
{
    uint32_t w = 0;
    while (words > 1 && !set[w])
        w++;
    return w * 64 + (uint32_t)__builtin_ctzll(set[w]);
}

/* The set is not empty: has it one member only? */
SIM_INLINE bool pipe_sets_set_is_single(const uint64_t *set, unsigned words)
{
    bool any = false, more = false;
    for (unsigned w = 0; w < words; w++) {
        more |= (set[w] & (set[w] - 1)) || (any && set[w]);
        any |= set[w] != 0;
    }
    return !more;
}

/* First member behind `last`, around; the set has one. */
SIM_INLINE uint32_t pipe_sets_set_after(const uint64_t *set, uint32_t last, unsigned words)
{
    uint32_t w = words == 1 ? 0 : last >> 6;
    uint64_t word = set[w] & ~UINT64_C(1) << (last & 63);
    if (words == 1)
        return (uint32_t)__builtin_ctzll(word ? word : set[0]);
    while (!word) {
        w = w + 1 == words ? 0 : w + 1;
        word = set[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(word);
}

/* Members from `bit` on, as many as mask (low ones) has. */
SIM_INLINE uint64_t pipe_sets_set_slice(const uint64_t *set, uint32_t bit, uint64_t mask,
                                        unsigned words)
{
    uint32_t w = words == 1 ? 0 : bit >> 6, shift = bit & 63;
    uint64_t slice = set[w] >> shift;
    if (words > 1 && shift && w + 1 < words)
        slice |= set[w + 1] << (64 - shift);
    return slice & mask;
}

SIM_INLINE void pipe_sets_set_clear(uint64_t *set, unsigned words)
{
    for (unsigned w = 0; w < words; w++)
        set[w] = 0;
}

/* First of a slice's members behind `last`, around. */
SIM_INLINE uint32_t pipe_sets_slice_after(uint64_t slice, uint32_t last)
{
    uint64_t behind = slice & ~UINT64_C(1) << last;
    return (uint32_t)__builtin_ctzll(behind ? behind : slice);
}

#endif
