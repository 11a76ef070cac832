/* SPDX-License-Identifier: Apache-2.0
 *
 * least_ports.c: see least_ports.h. Counts beyond what there are lists of ports for are only
 * compared.
 */
#include "routing/graph/least_ports.h"

#include "ikat/base.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WITH_WORDS = 1 << 14, MAX_STEPS = 8 };

bool least_ports_init(least_ports *l, uint32_t ports)
{
    size_t words = ports ? ((size_t)ports + 63) / 64 : 1;
    *l = (least_ports){.words = words, .num_counts = 2};
    if (words < MAX_WITH_WORDS / 2)
        l->num_counts = (uint32_t)(MAX_WITH_WORDS / words);
    l->most = l->num_counts - 1;
    l->below = ik_calloc(words, sizeof *l->below);
    l->with = ik_calloc(l->num_counts * words, sizeof *l->with);
    l->count = ik_calloc(words * 64, sizeof *l->count);
    l->among = ik_calloc(words, sizeof *l->among);
    return l->below && l->with && l->count && l->among;
}

void least_ports_free(least_ports *l)
{
    free(l->below);
    free(l->with);
    free(l->count);
    free(l->among);
    *l = (least_ports){0};
}

void least_ports_clear(least_ports *l)
{
    memset(l->below, 0, l->words * sizeof *l->below);
    memset(l->with, 0, ((size_t)l->most + 1) * l->words * sizeof *l->with);
    memset(l->with, 0xFF, l->words * sizeof *l->with);
    memset(l->count, 0, l->words * 64 * sizeof *l->count);
    l->most = l->floor = 0;
}

static bool least_ports_has_several(const uint64_t *set, size_t words)
{
    unsigned held = 0;
    for (size_t w = 0; w < words; w++)
        held += (set[w] != 0) + ((set[w] & (set[w] - 1)) != 0);
    return held > 1;
}

bool least_ports_only(least_ports *l, const uint64_t *sets, size_t num, uint16_t *only)
{
    bool several = false;
    memset(l->among, 0, l->words * sizeof *l->among);
    for (size_t i = 0; i < num; i++)
        if (least_ports_has_several(sets + i * l->words, l->words)) {
            several = true;
            for (size_t w = 0; w < l->words; w++)
                l->among[w] |= sets[i * l->words + w];
        }
    for (size_t i = 0; i < num; i++) {
        only[i] = LEAST_PORTS_SEVERAL;
        for (size_t w = 0; w < l->words; w++) {
            uint64_t port = sets[i * l->words + w] & ~l->among[w];
            if (port)
                only[i] = (uint16_t)(w * 64 + (unsigned)__builtin_ctzll(port));
        }
    }
    return several;
}

/* The first port of the set with the fewest destinations, of those below the floor if `below`. */
static uint32_t least_ports_compare(const least_ports *l, const uint64_t *ports, bool below)
{
    uint32_t best = IK_NONE;
    for (size_t w = 0; w < l->words; w++)
        for (uint64_t bits = ports[w] & (below ? l->below[w] : ~(uint64_t)0); bits;
             bits &= bits - 1) {
            uint32_t port = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            if (best == IK_NONE || l->count[port] < l->count[best])
                best = port;
        }
    return best;
}

/* The first port of the set with so many destinations. */
static uint32_t least_ports_first(const least_ports *l, const uint64_t *ports, uint32_t count)
{
    const uint64_t *with = l->with + count * l->words;
    for (size_t w = 0; w < l->words; w++)
        if (ports[w] & with[w])
            return (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(ports[w] & with[w]);
    return IK_NONE;
}

static void least_ports_raise(least_ports *l)
{
    for (size_t w = 0; w < l->words; w++)
        l->below[w] |= l->with[l->floor * l->words + w];
    l->floor++;
}

/* Of a set that has no ports below the floor. */
static uint32_t least_ports_near(least_ports *l, const uint64_t *ports)
{
    for (uint32_t count = l->floor; count <= l->most && count - l->floor < MAX_STEPS; count++) {
        uint32_t port = least_ports_first(l, ports, count);
        if (port != IK_NONE && count > l->floor)
            least_ports_raise(l);
        if (port != IK_NONE)
            return port;
    }
    return least_ports_compare(l, ports, false);
}

static void least_ports_count(least_ports *l, uint32_t port)
{
    uint64_t bit = (uint64_t)1 << port % 64;
    uint32_t count = l->count[port]++;
    if (count < l->num_counts)
        l->with[count * l->words + port / 64] ^= bit;
    if (count + 1 < l->num_counts) {
        l->with[(count + 1) * l->words + port / 64] |= bit;
        l->most = count + 1 > l->most ? count + 1 : l->most;
    }
    if (count + 1 == l->floor)
        l->below[port / 64] ^= bit;
}

uint32_t least_ports_take_any(least_ports *l, const uint64_t *ports)
{
    uint32_t port = least_ports_compare(l, ports, true);
    if (port == IK_NONE)
        port = least_ports_near(l, ports);
    if (port != IK_NONE)
        least_ports_count(l, port);
    return port;
}
