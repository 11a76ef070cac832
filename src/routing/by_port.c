/* SPDX-License-Identifier: Apache-2.0
 *
 * by_port.c: see by_port.h.
 */
#include "routing/by_port.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct by_port {
    ik_traffic_family family;
    const ik_traffic *whole;
    const ik_routing *routing;
    by_port_mode mode;
    uint64_t seed;
} by_port;

static uint32_t by_port_host_of(const ik_traffic *t, uint32_t port)
{
    assert(t->fabric->split && port < t->fabric->num_hosts);
    return t->fabric->split->host_of[port];
}

static uint32_t by_port_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const by_port *b = t->impl;
    uint32_t host = by_port_host_of(t, src), dst = b->whole->family->dest(b->whole, host, n), from,
             to, choice = 0;
    if (dst == IK_NONE || dst == host)
        return IK_NONE;
    uint32_t pairs = ik_rails_count(b->routing, host, dst);
    if (pairs > 1)
        choice = ik_random_below(b->seed, IK_RNG_RAIL, host, n, pairs);
    ik_rails_nth(b->routing, host, dst, choice, &from, &to);
    return from == src ? to : IK_NONE;
}

/* A port that no message of its host takes is not found here: that takes all flows. */
static bool by_port_silent(const ik_traffic *t, uint32_t src)
{
    const by_port *b = t->impl;
    return ik_traffic_is_silent(b->whole, by_port_host_of(t, src));
}

static unsigned by_port_class_of(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const by_port *b = t->impl;
    return b->whole->family->class_of(b->whole, by_port_host_of(t, src), n);
}

static double by_port_class_share(const ik_traffic *t, uint32_t src, unsigned class)
{
    const by_port *b = t->impl;
    return b->whole->family->class_share(b->whole, by_port_host_of(t, src), class);
}

/* Messages have their host's numbers. */
static uint64_t by_port_round(const ik_traffic *t, uint32_t src)
{
    const by_port *b = t->impl;
    return b->whole->family->round(b->whole, by_port_host_of(t, src));
}

typedef struct port_flows {
    const by_port *b;
    uint32_t port;
    ik_flow_fn fn;
    void *ctx;
} port_flows;

static void by_port_add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    const port_flows *p = ctx;
    const by_port *b = p->b;
    if (src == dst) /* loads no channel */
        return;
    uint32_t from, to, pairs = ik_rails_count(b->routing, src, dst), first = 0, end = pairs;
    if (b->mode == BY_PORT_ONE) {
        first = pairs > 1 ? ik_random_below(b->seed, IK_RNG_RAIL, src, dst, pairs) : 0;
        end = first + 1;
        pairs = 1;
    }
    if (scale > UINT64_MAX / pairs) { /* the share loses less than 2^-64 of the flow's scale */
        weight /= pairs;
        scale /= pairs;
    }
    for (uint32_t k = first; k < end; k++) {
        ik_rails_nth(b->routing, src, dst, k, &from, &to);
        if (from == p->port)
            p->fn(p->ctx, from, to, weight, scale * pairs);
    }
}

static void by_port_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const by_port *b = t->impl;
    port_flows p = {b, src, fn, ctx};
    b->whole->family->flows(b->whole, by_port_host_of(t, src), by_port_add_flow, &p);
}

ik_status by_port_make(const ik_traffic *t, const ik_routing *r, by_port_mode mode, uint64_t seed,
                       const ik_traffic **out, ik_error *err)
{
    if (!r->rails) {
        *out = t;
        return IK_OK;
    }
    if (t->num_hosts != r->fabric->split->whole->num_hosts)
        return ik_fail(err, IK_ERR_USAGE, "traffic among %s on a fabric of %u",
                       IK_COUNT(t->num_hosts, "host"), r->fabric->split->whole->num_hosts);
    by_port *b = ik_calloc(1, sizeof *b);
    ik_traffic *p = ik_calloc(1, sizeof *p);
    if (!b || !p) {
        free(b);
        free(p);
        return ik_fail_memory(err, sizeof *b + sizeof *p, "a pattern between ports");
    }
    const ik_traffic_family *whole = t->family;
    *b = (by_port){.whole = t, .routing = r, .mode = mode, .seed = seed};
    /* Not a copy of the family: its functions would take this pattern's state for their own. */
    b->family = (ik_traffic_family){.name = whole->name,
                                    .dest = by_port_dest,
                                    .silent = by_port_silent,
                                    .flows = by_port_flows,
                                    .round = whole->round ? by_port_round : NULL,
                                    .class_of = whole->class_of ? by_port_class_of : NULL,
                                    .class_share = whole->class_share ? by_port_class_share : NULL};
    *p = (ik_traffic){.family = &b->family,
                      .fabric = r->fabric,
                      .num_hosts = r->fabric->num_hosts,
                      .seed = t->seed,
                      .impl = b,
                      .spec = t->spec,
                      .classes = t->classes,
                      .schedule = t->schedule,
                      .gaps = true};
    *out = p;
    return IK_OK;
}

void by_port_free(const ik_traffic *by_port_traffic, const ik_traffic *t)
{
    if (by_port_traffic && by_port_traffic != t) {
        free(by_port_traffic->impl);
        free((ik_traffic *)by_port_traffic);
    }
}

static uint64_t by_port_one_rate(const ik_fabric *f, uint32_t host)
{
    uint32_t port = ik_host_port(f, host);
    return port == IK_NONE ? 0 : ik_port_rate_bps(f, port);
}

/* Of the cables of one host: of a split fabric one, of others all. */
static double by_port_limited_here(const ik_fabric *f, uint32_t host, double fraction,
                                   double most_bps)
{
    uint32_t node = ik_host_node(f, host);
    double sum = 0;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
        if (f->port_peer[port] != IK_NONE)
            sum += fmin((double)ik_port_rate_bps(f, port) * fraction, most_bps);
    return sum;
}

double by_port_limited_bps(const ik_fabric *f, uint32_t host, double fraction, double most_bps)
{
    if (!f->split)
        return by_port_limited_here(f, host, fraction, most_bps);
    uint32_t whole = f->split->host_of[host];
    double sum = 0;
    for (uint32_t port = f->split->first[whole]; port < f->split->first[whole + 1]; port++)
        sum += by_port_limited_here(f, port, fraction, most_bps);
    return sum;
}

uint64_t by_port_rate_bps(const ik_fabric *f, uint32_t host)
{
    if (!f->split)
        return by_port_one_rate(f, host);
    uint32_t whole = f->split->host_of[host];
    uint64_t sum = 0;
    for (uint32_t port = f->split->first[whole]; port < f->split->first[whole + 1]; port++)
        sum += by_port_one_rate(f, port);
    return sum;
}
