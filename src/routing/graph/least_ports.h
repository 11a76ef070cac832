/* SPDX-License-Identifier: Apache-2.0
 *
 * least_ports.h: which port of a set has the fewest destinations, again and again while they are
 * counted. Ports are kept by count, as bits. Where destinations are spread evenly, most ports have
 * counts near a floor that rises with them, and a set finds its port in a step or two; otherwise
 * its ports are compared.
 */
#ifndef IKAT_ROUTING_LEAST_PORTS_H
#define IKAT_ROUTING_LEAST_PORTS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One per thread. Sets are [words]: bit i of word w is local port 64 w + i. */
typedef struct least_ports {
    size_t words;
    uint32_t num_counts; /* counts that `with` has */
    uint32_t most;       /* highest count of a port, at most num_counts - 1 */
    uint32_t floor;      /* at most `most` */
    uint64_t *below;     /* [words] ports with fewer than `floor` destinations */
    uint64_t *with;      /* [num_counts][words] ports with so many destinations */
    uint32_t *count;     /* [words * 64] destinations of a port */
    uint64_t *among;     /* [words] */
} least_ports;
#define LEAST_PORTS_SEVERAL ((uint16_t)0xFFFF)

/* For switches of at most `ports` ports. Returns false without memory; least_ports_free is due in
 * any case. */
bool least_ports_init(least_ports *l, uint32_t ports);
void least_ports_free(least_ports *l);
/* Turns to another switch: no destinations. */
void least_ports_clear(least_ports *l);
/* Of sets [num][words]: only[i] is the port of the i-th if it is one, and no set has it among
 * several, so that nobody compares how often it is taken; else LEAST_PORTS_SEVERAL. Returns whether
 * a set has several. */
bool least_ports_only(least_ports *l, const uint64_t *sets, size_t num, uint16_t *only);
/* The first port of the set with the fewest destinations, which gets one more; IK_NONE of an empty
 * set. */
uint32_t least_ports_take_any(least_ports *l, const uint64_t *ports);
/* The same, fast where no switch has more than 64 ports and the set has a port at the floor. */
static inline uint32_t least_ports_take(least_ports *l, const uint64_t *ports)
{
    assert(l->floor <= l->most && l->most < l->num_counts);
    if (l->words > 1 || (*ports & *l->below) || !(*ports & l->with[l->floor]) ||
        l->floor == l->most)
        return least_ports_take_any(l, ports);
    uint32_t port = (uint32_t)__builtin_ctzll(*ports & l->with[l->floor]);
    l->with[l->floor] ^= (uint64_t)1 << port;
    l->with[l->floor + 1] |= (uint64_t)1 << port;
    l->count[port]++;
    return port;
}

#endif
