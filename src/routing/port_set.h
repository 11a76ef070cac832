/* SPDX-License-Identifier: Apache-2.0
 *
 * port_set.h: sets of a switch's local ports as bits, in as many words of 64 as its ports need:
 * what next_mask() of a routing gives and pick_mask() of a selection function takes. */
#ifndef IKAT_ROUTING_PORT_SET_H
#define IKAT_ROUTING_PORT_SET_H

#include <assert.h>
#include <stdint.h>

static inline void port_set_add(uint64_t *set, uint32_t port)
{
    set[port >> 6] |= 1ull << (port & 63);
}

/* Adds the ports first ... first + n - 1. */
static inline void port_set_add_range(uint64_t *set, uint32_t first, uint32_t n)
{
    uint32_t end = first + n;
    for (uint32_t word = first >> 6; word << 6 < end; word++) {
        uint32_t low = word << 6 < first ? first & 63 : 0,
                 high = end - (word << 6) < 64 ? end - (word << 6) : 64;
        assert(high > low && low < 64);
        set[word] |= (UINT64_MAX >> (64 - (high - low))) << low;
    }
}

static inline uint32_t port_set_count(const uint64_t *set, unsigned words)
{
    uint32_t n = 0;
    for (unsigned w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll(set[w]);
    return n;
}

/* The lowest port at or after `from`, which may lie behind the set's end, else the lowest one. The
 * set is not empty. */
static inline uint32_t port_set_first_from(const uint64_t *set, unsigned words, uint32_t from)
{
    unsigned word = from >> 6;
    uint64_t bits = word < words ? set[word] >> (from & 63) << (from & 63) : 0;
    for (unsigned k = 0; !bits; k++) {
        assert(k <= words + 1);
        word = word + 1 >= words ? 0 : word + 1;
        bits = set[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Port number n (from 0) of the set, ascending; it has more than n. */
static inline uint32_t port_set_nth(const uint64_t *set, uint32_t n)
{
    assert(set); /* it has more than n ports: the search has no other end */
    unsigned word = 0;
    for (uint32_t here; n >= (here = (uint32_t)__builtin_popcountll(set[word])); word++)
        n -= here;
    uint64_t bits = set[word];
    for (; n > 0; n--)
        bits &= bits - 1;
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

#endif
