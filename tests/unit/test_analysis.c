/* SPDX-License-Identifier: Apache-2.0
 *
 * test_analysis.c: static measures against plain re-computations on small and random fabrics.
 */
#include "analysis/cut.h"
#include "analysis/paths.h"
#include "unit/made.h"
#include "unit/rings.h"

#include <math.h>

static const char *const fabrics[] = {"karytree:k=2,n=3",
                                      "karytree:k=3,n=2",
                                      "xgft:m=3:4,w=2:2",
                                      "slimfly:q=5",
                                      "slimfly:q=4",
                                      "oft:k=3",
                                      "mlfm:h=3",
                                      "torus:dims=5:3",
                                      "mesh:dims=3:3:2",
                                      "hypercube:n=4",
                                      "dragonfly:h=2",
                                      "polarfly:q=3",
                                      "jellyfish:N=40,d=4",
                                      "lrt:N=64,d=4,r=2",
                                      "fullmesh:n=6",
                                      "crossbar:n=5",
                                      "karytree:k=4,n=2,fail=10%",
                                      "jellyfish:N=30,d=3,fail=20%,fail_seed=3",
                                      "torus:dims=4:4,hosts=9",
                                      NULL};

static ik_fabric *make(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err = {0};
    ik_env env = {.seed = 11};
    if (ik_fabric_from_spec(spec, &env, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

/* Distances and numbers of shortest paths from one switch, over ports, so that parallel links
 * count. */
static void plain_search(const ik_fabric *f, uint32_t from, uint32_t *dist, double *paths)
{
    uint32_t *queue = calloc(f->num_switches, sizeof *queue), head = 0, tail = 0;
    for (uint32_t v = 0; v < f->num_switches; v++) {
        dist[v] = IK_NONE;
        paths[v] = 0;
    }
    dist[from] = 0;
    paths[from] = 1;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t u = queue[head++];
        for (uint32_t p = f->port_base[u]; p < f->port_base[u + 1]; p++) {
            uint32_t v = ik_peer_node(f, p);
            if (v == IK_NONE || !ik_is_switch(f, v))
                continue;
            if (dist[v] == IK_NONE) {
                dist[v] = dist[u] + 1;
                queue[tail++] = v;
            }
            paths[v] += dist[v] == dist[u] + 1 ? paths[u] : 0;
        }
    }
    free(queue);
}

static void count_hosts(const ik_fabric *f, uint32_t *hosts)
{
    memset(hosts, 0, f->num_switches * sizeof *hosts);
    for (uint32_t h = 0; h < f->num_hosts; h++)
        if (ik_host_switch(f, h) != IK_NONE)
            hosts[ik_host_switch(f, h)]++;
}

static void check_distances(const ik_fabric *f, unsigned threads)
{
    ik_env env = {.num_threads = threads};
    ik_distances d;
    uint64_t host_pairs[256] = {0}, switch_pairs[256] = {0};
    uint32_t n = f->num_switches, *dist = calloc(n, sizeof *dist),
             *hosts = calloc(n, sizeof *hosts);
    double *paths = calloc(n, sizeof *paths);
    assert_int_equal(ik_distances_measure(f, &env, &d, NULL), IK_OK);
    count_hosts(f, hosts);
    for (uint32_t u = 0; u < n; u++) {
        plain_search(f, u, dist, paths);
        for (uint32_t v = 0; v < n; v++) {
            if (dist[v] != IK_NONE) {
                host_pairs[dist[v]] +=
                    (uint64_t)hosts[u] * (u == v ? hosts[v] - (hosts[v] > 0) : hosts[v]);
                switch_pairs[dist[v]] += u != v;
            }
        }
    }
    for (size_t k = 0; k < 256; k++) {
        assert_int_equal(host_pairs[k], k < d.num ? d.histogram[k] : 0);
        assert_int_equal(switch_pairs[k], k < d.num ? d.switch_histogram[k] : 0);
    }
    ik_distances_free(&d);
    free(dist);
    free(hosts);
    free(paths);
}

static void test_distances(void **state)
{
    (void)state;
    for (const char *const *spec = fabrics; *spec; spec++) {
        ik_fabric *f = make(*spec);
        check_distances(f, 1);
        check_distances(f, 3);
        ik_fabric_free(f);
    }
}

static uint64_t pairs_with(const ik_diversity *d, uint32_t distance, uint64_t paths)
{
    for (size_t i = 0; i < d->num; i++)
        if (d->counts[i].distance == distance && d->counts[i].paths == paths)
            return d->counts[i].pairs;
    return 0;
}

static void test_diversity(void **state)
{
    (void)state;
    for (const char *const *spec = fabrics; *spec; spec++) {
        ik_fabric *f = make(*spec);
        ik_diversity d;
        uint32_t n = f->num_switches, *dist = calloc(n, sizeof *dist),
                 *hosts = calloc(n, sizeof *hosts);
        double *paths = calloc(n, sizeof *paths);
        uint64_t pairs = 0, told = 0;
        assert_int_equal(ik_diversity_measure(f, NULL, &d, NULL), IK_OK);
        for (uint32_t port = f->port_base[n]; port < f->num_ports; port++)
            if (f->port_peer[port] != IK_NONE)
                hosts[f->port_node[f->port_peer[port]]] = 1; /* any cable of a host */
        for (uint32_t u = 0; u < n; u++) {
            plain_search(f, u, dist, paths);
            for (uint32_t v = 0; v < n; v++) {
                if (u != v && hosts[u] && hosts[v] && dist[v] != IK_NONE) {
                    assert_true(pairs_with(&d, dist[v], (uint64_t)paths[v]) > 0);
                    pairs++;
                }
            }
        }
        for (size_t i = 0; i < d.num; i++)
            told += d.counts[i].pairs;
        assert_int_equal(pairs, told);
        ik_diversity_free(&d);
        free(dist);
        free(hosts);
        free(paths);
        ik_fabric_free(f);
    }
}

/* Shortest cycle the slow way: remove each link in turn and search for its other end. */
static uint32_t plain_girth(const graph *g)
{
    uint32_t best = 0, *dist = calloc(g->n, sizeof *dist), *queue = calloc(g->n, sizeof *queue);
    for (uint32_t a = 0; a < g->n; a++) {
        for (size_t e = g->base[a]; e < g->base[a + 1]; e++) {
            uint32_t b = g->to[e], head = 0, tail = 0;
            memset(dist, 0xFF, g->n * sizeof *dist);
            dist[a] = 0;
            queue[tail++] = a;
            while (head < tail) {
                uint32_t u = queue[head++];
                for (size_t i = g->base[u]; i < g->base[u + 1]; i++) {
                    uint32_t v = g->to[i];
                    if (dist[v] == IK_NONE && !(u == a && v == b)) {
                        dist[v] = dist[u] + 1;
                        queue[tail++] = v;
                    }
                }
            }
            uint32_t cycle = g->links[e] > 1 ? 2 : dist[b] == IK_NONE ? 0 : dist[b] + 1;
            best = cycle && (!best || cycle < best) ? cycle : best;
        }
    }
    free(dist);
    free(queue);
    return best;
}

static void test_girth(void **state)
{
    (void)state;
    for (const char *const *spec = fabrics; *spec; spec++) {
        ik_fabric *f = make(*spec);
        graph g;
        uint32_t girth = 99;
        assert_int_equal(graph_of_switches(f, &g, NULL), IK_OK);
        assert_int_equal(ik_girth(f, NULL, &girth, NULL), IK_OK);
        assert_int_equal(girth, plain_girth(&g));
        graph_free(&g);
        ik_fabric_free(f);
    }
}

static void test_moore(void **state)
{
    (void)state;
    assert_true(fabs(ik_moore_ratio(50, 7, 2) - 1) < 1e-12);
    assert_true(fabs(ik_moore_ratio(10, 3, 2) - 1) < 1e-12); /* Petersen's graph */
    assert_true(ik_moore_ratio(10, 3, IK_NONE) == 0);
}

/* ------------------------------------------------------------------------------------------
 * bisection */

/* Largest matching of at most 16 flows by trying all subsets. */
static uint32_t plain_matching(const path_set *p)
{
    uint32_t best = 0;
    for (uint32_t mask = 0; mask < (uint32_t)1 << p->num; mask++) {
        uint64_t left = 0, right = 0;
        uint32_t size = 0;
        bool ok = true;
        for (uint32_t f = 0; f < p->num && ok; f++) {
            if (mask >> f & 1) {
                ok = !(left >> p->src[f] & 1) && !(right >> p->dst[f] & 1);
                left |= (uint64_t)1 << p->src[f];
                right |= (uint64_t)1 << p->dst[f];
                size++;
            }
        }
        best = ok && size > best ? size : best;
    }
    return best;
}

static void test_matching(void **state)
{
    matcher m;
    uint32_t src[12], dst[12], flows[12], size;
    (void)state;
    assert_int_equal(matcher_init(&m, 8, NULL), IK_OK);
    for (uint64_t trial = 0; trial < 300; trial++) {
        path_set p = {.src = src, .dst = dst, .num = 3 + (uint32_t)(trial % 10)};
        for (uint32_t f = 0; f < p.num; f++) {
            src[f] = (uint32_t)(ik_random_u64(trial, IK_RNG_ANALYSIS, 1, f) % (2 + trial % 7));
            dst[f] = (uint32_t)(ik_random_u64(trial, IK_RNG_ANALYSIS, 2, f) % (2 + trial % 5));
            flows[f] = f;
        }
        assert_int_equal(matcher_run(&m, &p, flows, p.num, &size, NULL), IK_OK);
        assert_int_equal(size, plain_matching(&p));
    }
    matcher_free(&m);
}

static double fluid_slowdown(const char *fabric, const char *routing, const char *traffic)
{
    ik_fabric *f = make(fabric);
    ik_routing *r = NULL;
    ik_traffic *t = NULL;
    ik_contention c;
    assert_int_equal(ik_routing_from_spec(f, routing, NULL, &r, NULL), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, traffic, NULL, &t, NULL), IK_OK);
    assert_int_equal(ik_contention_measure(r, t, NULL, &c, NULL), IK_OK);
    ik_traffic_free(t);
    ik_routing_free(r);
    ik_fabric_free(f);
    return c.fluid_slowdown;
}

static void test_fluid(void **state)
{
    (void)state;
    assert_true(fabs(fluid_slowdown("crossbar:n=7", "minimal", "alltoall") - 1) < 1e-9);
    assert_true(fabs(fluid_slowdown("xgft:m=4:2,w=1:1", "dmodk", "shift:by=4") - 4) < 1e-9);
    assert_true(fabs(fluid_slowdown("karytree:k=4,n=2", "dmodk", "shift:by=5") - 1) < 1e-9);
    assert_true(fabs(fluid_slowdown("xgft:m=4:2,w=1:1,link_rate=50Gb/s,host_rate=100Gb/s", "dmodk",
                                    "shift:by=4") -
                     8) < 1e-9);
}

/* ------------------------------------------------------------------------------------------
 * loads */

/* Sums the walked paths of every flow, the slow way. */
static void plain_loads(const ik_plan *plan, const ik_traffic *t, double *load)
{
    uint32_t channels[256];
    for (uint32_t s = 0; s < t->num_hosts; s++) {
        for (uint32_t d = 0; d < t->num_hosts; d++)
            for (uint32_t i = s == d ? 0 : ik_plan_path(plan, s, d, 0, channels, 256); i-- > 0;)
                load[channels[i]] += 1.0 / (t->num_hosts - 1);
    }
}

static void test_loads_are_sums_of_paths(void **state)
{
    static const char *const cases[][2] = {{"karytree:k=3,n=3", "dmodk"},
                                           {"karytree:k=3,n=3", "smodk"},
                                           {"xgft:m=4:4,w=1:3", "random"},
                                           {"torus:dims=4:4", "updown"},
                                           {"jellyfish:N=20,d=4", "updown"},
                                           {"slimfly:q=4", "minimal:paths=one"},
                                           {NULL, NULL}};
    (void)state;
    for (int i = 0; cases[i][0]; i++) {
        ik_fabric *f = make(cases[i][0]);
        ik_plan *plan = NULL;
        ik_traffic *t = NULL;
        ik_load l;
        ik_error err = {0};
        if (ik_plan_from_specs(f, cases[i][1], NULL, NULL, 0, NULL, &plan, &err) != IK_OK)
            fail_msg("%s on %s: %s", cases[i][1], cases[i][0], err.text);
        assert_int_equal(ik_traffic_from_spec(f, "uniform", NULL, &t, NULL), IK_OK);
        assert_int_equal(ik_load_measure(plan->routing, t, NULL, &l, NULL), IK_OK);
        double *load = calloc(f->num_ports, sizeof *load);
        plain_loads(plan, t, load);
        for (uint32_t p = 0; p < f->num_ports; p++)
            assert_true(fabs(load[p] - l.load[p]) < 1e-9);
        assert_int_equal(l.undelivered, 0);
        assert_int_equal(l.denominator, f->num_hosts - 1);
        free(load);
        ik_load_free(&l);
        ik_traffic_free(t);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* Loads under both engines: a destination-based adaptive routing walked flow by flow gives the
 * same. */
static void test_engines_agree(void **state)
{
    static const char *const specs[] = {"slimfly:q=4", "mlfm:h=3", "torus:dims=3:3",
                                        "karytree:k=2,n=3", NULL};
    (void)state;
    for (const char *const *spec = specs; *spec; spec++) {
        ik_fabric *f = make(*spec);
        ik_routing *r = NULL;
        ik_traffic *t = NULL;
        ik_load l[3];
        assert_int_equal(ik_routing_from_spec(f, "minimal", NULL, &r, NULL), IK_OK);
        assert_int_equal(
            ik_traffic_from_spec(f, "hotspot:fraction=30%,share=messages", NULL, &t, NULL), IK_OK);
        const unsigned traits[3] = {r->traits, r->traits & ~(unsigned)IK_ROUTE_DEST_BASED, 0};
        for (int i = 0; i < 3; i++) {
            r->traits = traits[i];
            assert_int_equal(ik_load_measure(r, t, NULL, &l[i], NULL), IK_OK);
        }
        for (uint32_t p = 0; p < f->num_ports; p++) {
            assert_true(fabs(l[0].load[p] - l[1].load[p]) < 1e-9);
            assert_true(fabs(l[0].load[p] - l[2].load[p]) < 1e-9);
            assert_true(fabs(l[0].crossing[p] - l[2].crossing[p]) < 1e-9);
        }
        for (int i = 0; i < 3; i++)
            ik_load_free(&l[i]);
        ik_traffic_free(t);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

/* Two rings that nothing joins: whatever engine walks the flows, those from one ring to the other
 * arrive nowhere. */
static void test_unconnected_flows_are_undelivered(void **state)
{
    (void)state;
    static const uint32_t hosts[] = {2, 1, 1, 3, 1, 2, 1};
    static const char *const routings[] = {"minimal", "valiant", "valiant:paths=one", "updown",
                                           NULL};
    ik_fabric *f = uneven_rings(hosts, 7, 3); /* 4 hosts and 7 hosts */
    for (const char *const *spec = routings; *spec; spec++) {
        ik_routing *r = NULL;
        ik_traffic *t = NULL;
        ik_load l;
        assert_int_equal(ik_routing_from_spec(f, *spec, NULL, &r, NULL), IK_OK);
        assert_int_equal(ik_traffic_from_spec(f, "uniform", NULL, &t, NULL), IK_OK);
        assert_int_equal(ik_load_measure(r, t, NULL, &l, NULL), IK_OK);
        assert_int_equal(l.flows, 110);
        assert_int_equal(l.undelivered, 2 * 4 * 7);
        for (uint32_t host = 0; host < f->num_hosts; host++) {
            /* what the others of its ring send it */
            double arrives = l.load[f->port_peer[ik_host_port(f, host)]];
            assert_true(fabs(arrives - (host < 4 ? 0.3 : 0.6)) < 1e-9);
            assert_true(fabs(l.load[ik_host_port(f, host)] - (host < 4 ? 0.3 : 0.6)) < 1e-9);
        }
        ik_load_free(&l);
        ik_traffic_free(t);
        ik_routing_free(r);
    }
    ik_fabric_free(f);
}

static void test_groups_cover_all_channels(void **state)
{
    ik_fabric *f = make("xgft:m=4:4:2,w=1:2:3");
    ik_load_group *groups;
    size_t num;
    uint64_t channels = 0, binned = 0, connected = 0;
    double *value = calloc(f->num_ports, sizeof *value);
    (void)state;
    for (uint32_t p = 0; p < f->num_ports; p++) {
        value[p] = ik_random_unit(1, IK_RNG_ANALYSIS, 0, p);
        connected += f->port_peer[p] != IK_NONE;
    }
    assert_int_equal(ik_load_groups(f, value, &groups, &num, NULL), IK_OK);
    assert_int_equal(num, 6); /* injection, up 1, up 2, down 2, down 1, ejection */
    for (size_t i = 0; i < num; i++) {
        channels += groups[i].channels;
        for (size_t b = 0; b < groups[i].num_bins; b++)
            binned += groups[i].bins[b].channels;
    }
    assert_int_equal(channels, connected);
    assert_int_equal(binned, connected);
    ik_load_groups_free(groups, num);
    free(value);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_diversity),
        cmocka_unit_test(test_girth),
        cmocka_unit_test(test_moore),
        cmocka_unit_test(test_matching),
        cmocka_unit_test(test_fluid),
        cmocka_unit_test(test_loads_are_sums_of_paths),
        cmocka_unit_test(test_engines_agree),
        cmocka_unit_test(test_unconnected_flows_are_undelivered),
        cmocka_unit_test(test_groups_cover_all_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
