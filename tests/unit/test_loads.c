/* SPDX-License-Identifier: Apache-2.0
 *
 * test_loads.c: channel loads and contention of every routing on every kind of fabric against flows
 * followed one by one.
 */
#include "ikat/analysis.h"
#include "unit/made.h"
#include "unit/part.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ flows
 * one by one */

typedef struct slow {
    const ik_routing *r;
    const ik_fabric *f;
    double *load, *crossing, *turns;
    uint64_t flows;
    /* pairs of hosts have several numbers of pairs of ports: each pair of ports counts as a flow */
    bool by_rails;
    double delivered;
    uint32_t path[256];
} slow;

static bool goes_up(const ik_fabric *f, uint32_t port)
{
    uint32_t from = f->port_node[port], to = ik_peer_node(f, port);
    return f->num_levels && ik_is_switch(f, from) && ik_is_switch(f, to) &&
           f->switch_level[to] > f->switch_level[from];
}

static void book_path(slow *s, uint32_t length, double amount, double part)
{
    for (uint32_t i = 0; i < length; i++) {
        s->load[s->path[i]] += amount;
        s->crossing[s->path[i]] += part;
    }
    for (uint32_t i = 1; i < length; i++) {
        if (!goes_up(s->f, s->path[i])) {
            s->turns[s->f->port_node[s->path[i]]] += part;
            break;
        }
    }
    s->delivered += part;
}

/* Follows every allowed port, each with an even part of the flow. */
static void follow(slow *s, ik_packet pk, uint32_t length, double amount, double part)
{
    uint32_t in = s->f->port_peer[s->path[length - 1]],
             node = in == IK_NONE ? IK_NONE : s->f->port_node[in];
    if (node == IK_NONE || !ik_is_switch(s->f, node)) {
        if (node == ik_host_node(s->f, pk.dst))
            book_path(s, length, amount, part);
        return;
    }
    assert_true(length < 256);
    pk.hops = (uint8_t)(length - 1);
    uint32_t out[256], preferred = 0, n = s->r->family->next(s->r, node, in, &pk, out, &preferred);
    bool one = s->r->kind == IK_ROUTE_DETERMINISTIC && n > 1;
    for (uint32_t i = 0; i < n; i++) {
        if (!one || i == preferred) {
            s->path[length] = out[i];
            follow(s, pk, length + 1, amount / (one ? 1 : n), part / (one ? 1 : n));
        }
    }
}

static void follow_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    slow *s = ctx;
    const ik_routing_family *family = s->r->family;
    if (src == dst)
        return;
    uint32_t rails = ik_rails_count(s->r, src, dst), from, to;
    s->flows += s->by_rails ? rails : 1;
    for (uint32_t k = 0; k < rails; k++) {
        ik_rails_nth(s->r, src, dst, k, &from, &to);
        bool wired = ik_host_port(s->f, from) != IK_NONE && ik_host_port(s->f, to) != IK_NONE;
        uint32_t starts = !wired ? 0 : family->num_starts ? family->num_starts(s->r, from, to) : 1;
        for (uint32_t n = 0; n < starts; n++) {
            ik_packet pk = {.src = from, .dst = to, .via = IK_NONE};
            if (family->start_nth)
                family->start_nth(s->r, n, &pk);
            s->path[0] = ik_host_port(s->f, from);
            follow(s, pk, 1, (double)weight / (double)scale / rails / starts,
                   1.0 / (s->by_rails ? 1 : rails) / starts);
        }
    }
}

/* Do all pairs of hosts have as many pairs of ports? */
static bool even_rails(const ik_routing *r, uint32_t num_hosts)
{
    uint32_t first = num_hosts > 1 ? ik_rails_count(r, 0, 1) : 1;
    for (uint32_t src = 0; src < num_hosts; src++) {
        for (uint32_t dst = 0; dst < num_hosts; dst++)
            if (src != dst && ik_rails_count(r, src, dst) != first)
                return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------
 * comparing */

static void assert_near(const char *what, const ik_routing *r, const ik_traffic *t, uint32_t at,
                        double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)))) {
        fail_msg("%s on %s, traffic %s: %s %u is %.12g, one by one %.12g", r->spec, r->fabric->spec,
                 t->spec, what, at, value, expected);
    }
}

static void compare(const ik_routing *r, const ik_traffic *t)
{
    const ik_fabric *f = r->fabric;
    size_t room = (size_t)f->num_ports + f->num_switches + 1;
    slow s = {.r = r, .f = f, .by_rails = !even_rails(r, t->num_hosts)};
    s.load = calloc(room, sizeof *s.load);
    s.crossing = calloc(room, sizeof *s.crossing);
    s.turns = calloc(room, sizeof *s.turns);
    for (uint32_t src = 0; src < t->num_hosts; src++)
        t->family->flows(t, src, follow_flow, &s);
    for (unsigned threads = threads_only() ? 3 : 1; threads <= 3; threads += 2) {
        ik_env env = {.num_threads = threads};
        ik_load l;
        assert_int_equal(ik_load_measure(r, t, &env, &l, NULL), IK_OK);
        assert_int_equal(l.flows, s.flows);
        assert_int_equal(l.undelivered, s.flows - (uint64_t)llround(s.delivered));
        for (uint32_t p = 0; p < f->num_ports; p++) {
            assert_near("load of channel", r, t, p, l.load[p], s.load[p]);
            assert_near("flows on channel", r, t, p, l.crossing[p], s.crossing[p]);
            if (l.denominator) {
                assert_true(l.load[p] == (double)llround(s.load[p] * (double)l.denominator) /
                                             (double)l.denominator);
            }
        }
        for (uint32_t sw = 0; l.turns && sw < f->num_switches; sw++)
            assert_near("turns at switch", r, t, sw, l.turns[sw], s.turns[sw]);
        ik_load_free(&l);
    }
    free(s.load);
    free(s.crossing);
    free(s.turns);
}

static const char *const patterns[] = {
    "uniform",
    "alltoall",
    "shift:by=3",
    "hotspot:fraction=30%,share=messages",
    "uniform:self=true",
    "mix:70%*uniform+30%*shift",
    NULL,
};

static void compare_patterns(const ik_fabric *f, const char *routing)
{
    ik_env env = {.seed = 5};
    ik_routing *r = NULL;
    if (ik_routing_from_spec(f, routing, &env, &r, NULL) != IK_OK)
        return; /* does not fit this fabric */
    for (const char *const *p = patterns; *p; p++) {
        ik_traffic *t = NULL;
        if (ik_traffic_from_spec(f, *p, &env, &t, NULL) == IK_OK)
            compare(r, t);
        ik_traffic_free(t);
    }
    ik_routing_free(r);
}

/* Fabrics of all kinds; hosts without a cable, uneven numbers of hosts, parallel cables, two ports
 * a host, and damage among them.
 */
static const char *const fabrics[] = {
    "karytree:k=2,n=3",
    "xgft:m=3:2:2,w=1:2:3",
    "pgft:m=3:3,w=1:2,p=1:2",
    "xgft:m=2:3,w=2:2",
    "slimfly:q=3",
    "mlfm:h=2",
    "oft:k=2",
    "torus:dims=3:3,hosts=7",
    "mesh:dims=3:2",
    "hypercube:n=3",
    "hyperx:dims=3:2",
    "dragonfly:p=1,a=4,h=1",
    "dragonflyplus:h=2,g=3,p=1",
    "polarfly:q=2",
    "fullmesh:n=4,hosts=7",
    "crossbar:n=5",
    "jellyfish:N=10,d=3,p=2",
    "jellyfish:N=12,d=3,fail=30%",
    "karytree:k=2,n=3,fail=20%",
    NULL,
};

static void test_all_routings_on_all_fabrics(void **state)
{
    static const char *const variants[] = {"minimal:paths=one",       "valiant:intermediate=all",
                                           "valiant:paths=one",       "dor:tie=random",
                                           "ugal_l:intermediate=all", NULL};
    (void)state;
    for (const char *const *spec = fabrics; *spec; spec++) {
        ik_fabric *f = NULL;
        ik_env env = {.seed = 3};
        ik_error err = {0};
        if (ik_fabric_from_spec(*spec, &env, &f, &err) != IK_OK)
            fail_msg("%s: %s", *spec, err.text);
        assert_true(f->num_hosts <= 40);
        for (const ik_routing_family *const *r = ik_routings(); *r; r++)
            compare_patterns(f, (*r)->name);
        for (const char *const *r = variants; *r; r++)
            compare_patterns(f, *r);
        ik_fabric_free(f);
    }
}

/* ------------------------------------------------------------------------------------------
 * contention */

/* The shares of all flows: share[flow * ports + channel]. */
typedef struct exchange {
    slow s;
    uint32_t num, room, *src, *dst;
    double *share;
    uint64_t undelivered, split;
} exchange;

static void add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    exchange *x = ctx;
    size_t ports = x->s.f->num_ports;
    (void)weight;
    (void)scale;
    if (src == dst)
        return;
    if (x->num == x->room) {
        x->room = 2 * x->room + 16;
        x->src = realloc(x->src, x->room * sizeof *x->src);
        x->dst = realloc(x->dst, x->room * sizeof *x->dst);
        x->share = realloc(x->share, x->room * ports * sizeof *x->share);
    }
    x->s.crossing = x->share + x->num * ports;
    memset(x->s.crossing, 0, ports * sizeof *x->share);
    x->s.delivered = 0;
    follow_flow(&x->s, src, dst, 1, 1);
    if (x->s.delivered < 1 - 1e-9) {
        x->undelivered++;
        return;
    }
    bool split = false;
    for (size_t p = 0; p < ports; p++)
        split = split || (x->s.crossing[p] > 0 && x->s.crossing[p] < 1 - 1e-9);
    x->split += split;
    x->src[x->num] = src;
    x->dst[x->num++] = dst;
}

static bool inner(const ik_fabric *f, uint32_t port)
{
    uint32_t to = ik_peer_node(f, port);
    return to != IK_NONE && ik_is_switch(f, to) && ik_is_switch(f, f->port_node[port]);
}

/* Max-min fair completion, by raising all rates together until a channel is full, then the
 * others'. */
static double plain_fluid(const exchange *x, bool crossbar)
{
    const ik_fabric *f = x->s.f;
    size_t ports = f->num_ports;
    double *size = calloc(x->num + 1, sizeof *size), *rate = calloc(x->num + 1, sizeof *rate),
           time = 0;
    bool *frozen = calloc(x->num + 1, sizeof *frozen);
    uint32_t left = x->num;
    for (uint32_t i = 0; i < x->num; i++)
        size[i] = 1;
    while (left) {
        uint32_t open = left;
        for (uint32_t i = 0; i < x->num; i++) {
            rate[i] = 0;
            frozen[i] = size[i] <= 0;
        }
        while (open) {
            double least = INFINITY;
            for (int pass = 0; pass < 2; pass++) {
                for (uint32_t p = 0; p < ports; p++) {
                    double used = 0, weight = 0;
                    for (uint32_t i = 0; i < x->num; i++) {
                        used += frozen[i] ? rate[i] * x->share[i * ports + p] : 0;
                        weight += frozen[i] ? 0 : x->share[i * ports + p];
                    }
                    if (weight < 1e-9 || (crossbar && inner(f, p)))
                        continue;
                    if (pass == 0) {
                        least = fmin(least, fmax(0, 1 - used) / weight);
                    } else if (fmax(0, 1 - used) / weight <= least * (1 + 1e-9)) {
                        for (uint32_t i = 0; i < x->num; i++)
                            if (!frozen[i] && x->share[i * ports + p] > 0)
                                rate[i] = -1; /* frozen once all full channels are known */
                    }
                }
            }
            for (uint32_t i = 0; i < x->num; i++) {
                if (rate[i] < 0) {
                    rate[i] = least;
                    frozen[i] = true;
                    open--;
                }
            }
        }
        double step = INFINITY;
        for (uint32_t i = 0; i < x->num; i++)
            step = size[i] > 0 ? fmin(step, size[i] / rate[i]) : step;
        for (uint32_t i = 0; i < x->num; i++) {
            if (size[i] > 0) {
                size[i] -= step * rate[i];
                size[i] = size[i] < 1e-9 ? 0 : size[i];
                left -= size[i] == 0;
            }
        }
        time += step;
    }
    free(size);
    free(rate);
    free(frozen);
    return time;
}

static double per_degree(const exchange *x, uint32_t flow)
{
    uint32_t out = 0, in = 0;
    for (uint32_t i = 0; i < x->num; i++) {
        out += x->src[i] == x->src[flow];
        in += x->dst[i] == x->dst[flow];
    }
    return 1.0 / (out > in ? out : in);
}

/* What depends on queues is not told; true: nothing else is. */
static bool check_what_is_told(const exchange *x, const ik_routing *r, const ik_contention *c)
{
    bool divided = x->split && r->kind == IK_ROUTE_ADAPTIVE,
         detours = divided && strcmp(r->family->name, "ugal_l") == 0;
    assert_true(isnan(c->slowdown_bound.value) == divided);
    assert_true(isnan(c->max_flows) == detours);
    if (!detours)
        return false;
    assert_true(isnan(c->c_load.value) && isnan(c->fluid_time) && isnan(c->fluid_slowdown));
    assert_true(isnan(c->effective_bandwidth) && isnan(c->effective_bandwidth_leaving));
    assert_true(isnan(c->mean_efficiency) && isnan(c->mean_efficiency_leaving));
    assert_true(c->fluid_crossbar_time > 0 && c->endpoint_degree > 0);
    return true;
}

static void check_contention(const exchange *x, const ik_routing *r, const ik_traffic *t,
                             const ik_contention *c)
{
    if (check_what_is_told(x, r, c))
        return;
    const ik_fabric *f = r->fabric;
    size_t ports = f->num_ports;
    double most = 0, c_load = 0, sum[4] = {0}, leaving = 0;
    double *flows = calloc(ports + 1, sizeof *flows),
           *inverse = calloc(x->num + 1, sizeof *inverse);
    for (uint32_t i = 0; i < x->num; i++)
        inverse[i] = per_degree(x, i);
    for (uint32_t p = 0; p < ports; p++) {
        double load = 0;
        for (uint32_t i = 0; i < x->num; i++) {
            flows[p] += x->share[i * ports + p];
            load += x->share[i * ports + p] * inverse[i];
        }
        if (inner(f, p)) {
            most = fmax(most, flows[p]);
            c_load = fmax(c_load, load);
        }
    }
    for (uint32_t i = 0; i < x->num; i++) {
        double fullest = 1, hops = 0;
        for (uint32_t p = 0; p < ports; p++) {
            if (inner(f, p) && x->share[i * ports + p] > 0) {
                fullest = fmax(fullest, flows[p]);
                hops += x->share[i * ports + p];
            }
        }
        sum[0] += 1 / fullest;
        sum[1] += 1 / fmax(1, hops);
        if (hops > 0) {
            leaving++;
            sum[2] += 1 / fullest;
            sum[3] += 1 / hops;
        }
    }
    assert_near("split flows of", r, t, 0, (double)c->split, (double)x->split);
    assert_near("undelivered of", r, t, 0, (double)c->undelivered, (double)x->undelivered);
    assert_near("most flows of", r, t, 0, c->max_flows, most);
    assert_near("C by load of", r, t, 0, c->c_load.value, c_load);
    assert_near("bandwidth of", r, t, 0, c->effective_bandwidth, x->num ? sum[0] / x->num : 1);
    assert_near("efficiency of", r, t, 0, c->mean_efficiency, x->num ? sum[1] / x->num : 1);
    assert_near("bandwidth leaving", r, t, 0, c->effective_bandwidth_leaving,
                leaving > 0 ? sum[2] / leaving : 1);
    assert_near("efficiency leaving", r, t, 0, c->mean_efficiency_leaving,
                leaving > 0 ? sum[3] / leaving : 1);
    if (x->num <= 40) {
        double time = plain_fluid(x, false);
        assert_true(fabs(c->fluid_time - time) < 1e-6 * (1 + time));
        time = plain_fluid(x, true);
        assert_true(fabs(c->fluid_crossbar_time - time) < 1e-6 * (1 + time));
    }
    free(flows);
    free(inverse);
}

static void compare_contention(const ik_routing *r, const ik_traffic *t)
{
    exchange x = {.s = {.r = r, .f = r->fabric}};
    ik_contention c;
    size_t ports = (size_t)r->fabric->num_ports + r->fabric->num_switches + 1;
    x.s.load = calloc(ports, sizeof *x.s.load);
    x.s.turns = calloc(ports, sizeof *x.s.turns);
    for (uint32_t src = 0; src < t->num_hosts; src++)
        t->family->flows(t, src, add_flow, &x);
    assert_int_equal(ik_contention_measure(r, t, NULL, &c, NULL), IK_OK);
    check_contention(&x, r, t, &c);
    free(x.s.load);
    free(x.s.turns);
    free(x.src);
    free(x.dst);
    free(x.share);
}

/* What the shares of a pattern's flows are, and what follows from them. */
static void test_contention_of_all_routings(void **state)
{
    static const char *const exchanges[] = {"shift:by=1", "permutation", "neighbour",
                                            "hotspot:nodes=1,fraction=100%", NULL};
    (void)state;
    for (const char *const *spec = fabrics; *spec; spec++) {
        ik_fabric *f = NULL;
        ik_env env = {.seed = 3};
        assert_int_equal(ik_fabric_from_spec(*spec, &env, &f, NULL), IK_OK);
        for (const ik_routing_family *const *family = ik_routings(); *family; family++) {
            ik_routing *r = NULL;
            if (ik_routing_from_spec(f, (*family)->name, &env, &r, NULL) != IK_OK)
                continue;
            /* else a flow's cables are drawn, which shares do not say */
            bool one_cable = !r->fabric->split;
            for (const char *const *p = exchanges; one_cable && *p; p++) {
                ik_traffic *t = NULL;
                if (ik_traffic_from_spec(f, *p, &env, &t, NULL) == IK_OK)
                    compare_contention(r, t);
                ik_traffic_free(t);
            }
            ik_routing_free(r);
        }
        ik_fabric_free(f);
    }
}

/* Nothing is allocated that the limit forbids, however large the fabric's loads would be. */
static void test_memory_limit(void **state)
{
    static const char *const routings[] = {"minimal", "valiant", "updown", NULL};
    ik_fabric *f = NULL;
    (void)state;
    assert_int_equal(ik_fabric_from_spec("torus:dims=20:20", NULL, &f, NULL), IK_OK);
    for (const char *const *spec = routings; *spec; spec++) {
        ik_routing *r = NULL;
        ik_traffic *t = NULL;
        ik_load l;
        ik_error err = {0};
        ik_env env = {.memory_limit_bytes = 200000};
        assert_int_equal(ik_routing_from_spec(f, *spec, NULL, &r, NULL), IK_OK);
        assert_int_equal(ik_traffic_from_spec(f, "uniform", NULL, &t, NULL), IK_OK);
        assert_int_equal(ik_load_measure(r, t, &env, &l, &err), IK_ERR_MEMORY);
        assert_non_null(strstr(err.text, "the limit is 195 KiB"));
        ik_traffic_free(t);
        ik_routing_free(r);
    }
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_routings_on_all_fabrics),
        on_one_thread(test_contention_of_all_routings),
        on_one_thread(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
