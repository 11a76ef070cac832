/* SPDX-License-Identifier: Apache-2.0
 *
 * lrt_graph.h: what tests of graph routings share: graphs from edge files, random graphs, and the
 * expected values' hash.
 */
#ifndef IKAT_TESTS_LRT_GRAPH_H
#define IKAT_TESTS_LRT_GRAPH_H

#include "unit/made.h"
#include <math.h>

/* Links of a graph while it is built: the next free port of every switch. */
typedef struct test_graph {
    ik_builder *b;
    uint32_t *used;
    uint32_t hosts;
    uint16_t class;
} test_graph;

static inline test_graph test_graph_new(uint32_t n, uint32_t radix, uint32_t hosts_each)
{
    test_graph t = {ik_builder_new(), calloc(n, sizeof(uint32_t)), n * hosts_each, 0};
    t.class = ik_builder_class(t.b, 100000000000ULL, 6000, NULL);
    ik_builder_switches(t.b, n, radix + hosts_each);
    if (t.hosts)
        ik_builder_hosts(t.b, t.hosts, 1);
    for (uint32_t h = 0; h < t.hosts; h++)
        ik_builder_link(t.b, ik_hs(h, 0), ik_sw(h / hosts_each, t.used[h / hosts_each]++), t.class);
    return t;
}

static inline void test_graph_link(test_graph *t, uint32_t a, uint32_t c)
{
    uint32_t pa = t->used[a]++, pc = t->used[c]++;
    ik_builder_link(t->b, ik_sw(a, pa), ik_sw(c, pc), t->class);
}

static inline ik_fabric *test_graph_finish(test_graph *t)
{
    ik_fabric *f = NULL;
    ik_error err;
    if (ik_builder_finish(t->b, &f, &err) != IK_OK)
        fprintf(stderr, "%s\n", err.text);
    ik_builder_free(t->b);
    free(t->used);
    return f;
}

/* "N d r" and one edge a line; switch i stands at (i % sqrt N, i / sqrt N). */
static inline ik_fabric *test_lrt(const char *path, uint32_t hosts_each)
{
    FILE *file = fopen(path, "r");
    unsigned n, d, r, a, c;
    if (!file || fscanf(file, "%u %u %u", &n, &d, &r) != 3)
        return NULL;
    test_graph t = test_graph_new(n, d, hosts_each);
    while (fscanf(file, "%u %u", &a, &c) == 2)
        test_graph_link(&t, a, c);
    fclose(file);
    uint32_t width = (uint32_t)lround(sqrt(n));
    for (uint32_t s = 0; s < n; s++)
        ik_builder_switch_xy(t.b, s, (int32_t)(s % width), (int32_t)(s / width));
    return test_graph_finish(&t);
}

/* A connected random graph: a random tree and extra links, degrees below radix; positions on a grid
 * of `width` if not 0. */
static inline ik_fabric *test_random_graph(uint32_t n, uint32_t extra, uint32_t hosts_each,
                                           uint32_t width, uint64_t seed)
{
    ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, n);
    test_graph t = test_graph_new(n, 2 * extra + n, hosts_each);
    for (uint32_t s = 1; s < n; s++)
        test_graph_link(&t, s, ik_rng_below(&rng, s));
    for (uint32_t i = 0; i < extra; i++) {
        uint32_t a = ik_rng_below(&rng, n), c = ik_rng_below(&rng, n);
        if (a != c)
            test_graph_link(&t, a, c);
    }
    for (uint32_t s = 0; width && s < n; s++)
        ik_builder_switch_xy(t.b, s, (int32_t)(s % width), (int32_t)(s / width));
    return test_graph_finish(&t);
}

/* A copy of f without the links that fall to a draw of `percent`, or IK_NONE on failure; the caller
 * frees both. */
static inline ik_fabric *test_lose_links(const ik_fabric *f, uint32_t percent, uint64_t seed)
{
    uint32_t *ports = calloc(f->num_ports, sizeof *ports);
    size_t num = 0;
    for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++)
        if (f->port_peer[p] != IK_NONE && f->port_peer[p] > p &&
            ik_is_switch(f, ik_peer_node(f, p)) &&
            ik_random_below(seed, IK_RNG_TEST, 77, p, 100) < percent)
            ports[num++] = p;
    ik_fabric *out = NULL;
    ik_error err;
    if (ik_fabric_degrade(f, ports, num, NULL, 0, &out, &err) != IK_OK)
        fprintf(stderr, "%s\n", err.text);
    free(ports);
    return out;
}

/* FNV-1a of a number's low `bytes` bytes, lowest first. */
static inline uint64_t test_fnv(uint64_t hash, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        hash = (hash ^ (value >> (8 * i) & 255)) * 0x100000001b3ULL;
    return hash;
}
#define TEST_FNV_START 0xcbf29ce484222325ULL

#endif
