/* SPDX-License-Identifier: Apache-2.0
 *
 * route_helpers.h: building fabrics and routings, walking and counting, shared by the tests of
 * routings. */
#ifndef IKAT_TESTS_ROUTE_HELPERS_H
#define IKAT_TESTS_ROUTE_HELPERS_H

#include "unit/made.h"

enum { MAX_PATH = 64, MAX_PORTS = 256 };

/* The preferred path of initial state n from src to dst, as output ports from the host's on; 0 =
 * not delivered. */
static inline uint32_t walk_state(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t n,
                                  uint32_t *ports)
{
    const ik_fabric *f = r->fabric;
    ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
    if (r->family->start_nth)
        r->family->start_nth(r, n, &pk);
    uint32_t length = 0, port = f->port_base[ik_host_node(f, src)], out[MAX_PORTS];
    while (length < MAX_PATH) {
        ports[length++] = port;
        uint32_t in = f->port_peer[port];
        if (in == IK_NONE || !ik_is_switch(f, f->port_node[in]))
            return in != IK_NONE && f->port_node[in] == ik_host_node(f, dst) ? length : 0;
        uint32_t preferred = 0,
                 count = r->family->next(r, f->port_node[in], in, &pk, out, &preferred);
        if (!count)
            return 0;
        port = out[preferred];
    }
    return 0;
}

static inline uint32_t walk(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t *ports)
{
    return walk_state(r, src, dst, 0, ports);
}

/* Two routings send src's packets to dst the same way. */
static inline void assert_same_walk(const ik_routing *a, const ik_routing *b, uint32_t src,
                                    uint32_t dst)
{
    uint32_t p[MAX_PATH], q[MAX_PATH], n = walk(a, src, dst, p);
    assert_int_equal(walk(b, src, dst, q), n);
    assert_memory_equal(p, q, n * sizeof *p);
}

/* Adds one to load[port] for every channel between switches on the path. */
static inline void add_path(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t *load)
{
    const ik_fabric *f = r->fabric;
    uint32_t ports[MAX_PATH], n = walk(r, src, dst, ports);
    if (!n)
        fail_msg("%s: %u to %u is not delivered", r->spec, src, dst);
    for (uint32_t i = 1; i + 1 < n; i++)
        load[ports[i]]++;
    (void)f;
}

/* Largest number of flows src[i] -> dst[i] on a channel between switches; flows to oneself are left
 * out. */
static inline uint32_t max_load(const ik_routing *r, const uint32_t *dst, uint32_t n,
                                uint32_t *load)
{
    uint32_t most = 0;
    memset(load, 0, r->fabric->num_ports * sizeof *load);
    for (uint32_t src = 0; src < n; src++)
        if (dst[src] != src)
            add_path(r, src, dst[src], load);
    for (uint32_t port = 0; port < r->fabric->num_ports; port++)
        most = load[port] > most ? load[port] : most;
    return most;
}

/* What a routing makes of a pattern. */
static inline ik_contention contention_of(const ik_fabric *f, const char *routing,
                                          const char *traffic)
{
    ik_error err = {0};
    ik_contention c = {0};
    ik_traffic *t = traffic_of(f, traffic);
    ik_routing *r = routing_on(f, routing);
    if (ik_contention_measure(r, t, NULL, &c, &err) != IK_OK)
        fail_msg("%s on %s: %s", traffic, f->spec, err.text);
    ik_traffic_free(t);
    ik_routing_free(r);
    return c;
}

#endif
