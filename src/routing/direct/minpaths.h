/* SPDX-License-Identifier: Apache-2.0
 *
 * minpaths.h: every minimal output port between every two switches: next hops by one lookup. Most
 * pairs of fabrics of diameter two have one minimal port: that is a byte (only), so that what a
 * simulation looks up for every packet-hop stays in the caches; the others have compressed rows.
 */
#ifndef IKAT_ROUTING_MINPATHS_H
#define IKAT_ROUTING_MINPATHS_H

#include "routing/direct/hierarchy.h"
#include "routing/port_set.h"

typedef struct minpaths {
    links g;
    const ik_fabric *f;
    /* [S] hierarchical paths: group of a switch; NULL: every shortest path of the graph */
    uint32_t *group;
    /* hierarchical: there are paths between all switches with hosts that the graph connects, */
    bool complete;
    bool shortest; /* and none of the graph is shorter */
    uint8_t *dist; /* [S][S] hops of these paths, LINKS_FAR if there are none; symmetric */
    /* [S * S + 1] row of (u, v) in ports: those of one destination v after another, as proofs and
     * loads ask for them */
    uint64_t *first;
    uint16_t *ports; /* local output ports of u towards v, ascending */
    uint8_t *only;   /* [v][u] the port, where there is one; MINPATHS_ROW: first and ports say */
} minpaths;
#define MINPATHS_ROW 0xFFu /* none, several, or one with a number that is no byte */

/* params: those of a routing with the parameter `hierarchy`. O(S * (S + L)) time and memory of S *
 * S * 10 bytes plus two a minimal port; all threads. */
ik_status minpaths_build(const ik_fabric *f, const ik_params *params, const ik_env *env,
                         minpaths *out, ik_error *err);
/* What is left of the claims to deliver, to survive failures and to be minimal. */
unsigned minpaths_claims(const minpaths *m, unsigned claims);
void minpaths_free(minpaths *m);

static inline size_t minpaths_row(const minpaths *m, uint32_t u, uint32_t v)
{
    assert(u < m->g.num_switches && v < m->g.num_switches);
    return (size_t)v * m->g.num_switches + u;
}

/* Local port `nth` of u's minimal ones towards v, ascending; there are more. */
static inline uint32_t minpaths_port(const minpaths *m, uint32_t u, uint32_t v, uint32_t nth)
{
    size_t row = minpaths_row(m, u, v);
    assert(nth < m->first[row + 1] - m->first[row]);
    return m->only[row] != MINPATHS_ROW ? m->only[row] : m->ports[m->first[row] + nth];
}

static inline uint32_t minpaths_count(const minpaths *m, uint32_t u, uint32_t v)
{
    size_t row = minpaths_row(m, u, v);
    return m->only[row] != MINPATHS_ROW ? 1 : (uint32_t)(m->first[row + 1] - m->first[row]);
}

/* Global port ids of all minimal outputs of u towards switch v, ascending; returns their number. */
static inline uint32_t minpaths_ports(const minpaths *m, uint32_t u, uint32_t v, uint32_t *out)
{
    size_t row = minpaths_row(m, u, v);
    uint32_t base = m->f->port_base[u];
    if (m->only[row] != MINPATHS_ROW) {
        out[0] = base + m->only[row];
        return 1;
    }
    uint64_t first = m->first[row];
    uint32_t n = (uint32_t)(m->first[row + 1] - first);
    for (uint32_t i = 0; i < n; i++)
        out[i] = base + m->ports[first + i];
    return n;
}

/* The same as a set of local ports; *port = number `nth` of them, modulo how many there are. */
static inline uint32_t minpaths_mask(const minpaths *m, uint32_t u, uint32_t v, uint32_t nth,
                                     uint64_t *set, uint32_t *port)
{
    size_t row = minpaths_row(m, u, v);
    if (m->only[row] != MINPATHS_ROW) {
        *port = m->only[row];
        port_set_add(set, *port);
        return 1;
    }
    uint64_t first = m->first[row];
    uint32_t n = (uint32_t)(m->first[row + 1] - first);
    for (uint32_t i = 0; i < n; i++)
        port_set_add(set, m->ports[first + i]);
    if (n > 0)
        *port = m->ports[first + (n > 1 ? nth % n : 0)];
    return n;
}

/* A port chosen once and for all among u's minimal ones towards v, by an address of random numbers;
 * `key` tells apart destinations behind one switch. IK_NONE if there is none. */
uint32_t minpaths_one(const minpaths *m, uint32_t u, uint32_t v, uint64_t seed, uint32_t key);

/* True if minimal paths go up a tree's levels and then down: the fabric is a multi-level tree
 * without losses. */
bool minpaths_up_down(const ik_fabric *f);

#endif
