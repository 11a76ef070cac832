/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal: no more lanes, and no higher load, than OpenSM's LASH; what it says of its tables,
 * counted again; few lanes on any graph.
 */
#include "unit/lrt_graph.h"
#include "unit/part.h"

#include <string.h>

static ik_env env = {.num_threads = 2};

typedef struct counted {
    uint64_t max_load, longer;
} counted;

/* Hops from every switch to one, by relaxing until nothing changes. */
static void relax(const ik_fabric *f, uint32_t to, uint32_t *hops)
{
    for (uint32_t s = 0; s < f->num_switches; s++)
        hops[s] = s == to ? 0 : f->num_switches;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++) {
            uint32_t peer = f->port_peer[p] == IK_NONE ? IK_NONE : ik_peer_node(f, p);
            if (peer != IK_NONE && ik_is_switch(f, peer) &&
                hops[peer] + 1 < hops[f->port_node[p]]) {
                hops[f->port_node[p]] = hops[peer] + 1;
                changed = true;
            }
        }
    }
}

static counted count(const ik_routing *r)
{
    const ik_fabric *f = r->fabric;
    uint64_t *load = calloc(f->num_ports, sizeof *load);
    uint32_t *hops = calloc(f->num_switches, sizeof *hops);
    counted c = {0};
    for (uint32_t d = 0; d < f->num_hosts; d++) {
        uint32_t goal = ik_host_switch(f, d);
        relax(f, goal, hops);
        for (uint32_t s = 0; s < f->num_hosts; s++) {
            uint32_t n = 0;
            for (uint32_t sw = ik_host_switch(f, s); s != d && sw != goal; n++) {
                uint16_t port = r->lft[(size_t)sw * f->num_hosts + d];
                if (port == 0xFFFF)
                    break; /* not connected */
                uint64_t now = ++load[f->port_base[sw] + port];
                c.max_load = now > c.max_load ? now : c.max_load;
                sw = ik_peer_node(f, f->port_base[sw] + port);
            }
            c.longer += n > hops[ik_host_switch(f, s)];
        }
    }
    free(load);
    free(hops);
    return c;
}

static ik_plan *plan_on(const ik_fabric *f, const char *routing)
{
    ik_plan *p = NULL;
    ik_error err;
    if (ik_plan_from_specs(f, routing, NULL, NULL, 0, &env, &p, &err) != IK_OK)
        fail_msg("%s: %s", routing, err.text);
    assert_string_equal(p->vc->family->name, "frugal");
    assert_true(p->vc->both_ways);
    return p;
}

/* Proves the plan, and that what the routing says of itself is so. */
static void check_plan(const ik_plan *p)
{
    ik_proof proof;
    ik_error err;
    const ik_lane_trade *trade = &p->routing->trade;
    counted c = count(p->routing);
    assert_int_equal(ik_verify(p, NULL, &env, &proof, &err), IK_OK);
    assert_int_equal(proof.delivered, IK_YES);
    assert_int_equal(proof.deadlock_free, IK_YES);
    assert_int_equal(proof.not_minimal, trade->longer);
    assert_int_equal(trade->max_load, c.max_load);
    assert_int_equal(trade->longer, c.longer);
    assert_int_equal(trade->lanes, p->vc->vcs_needed);
    assert_non_null(p->routing->note);
    ik_proof_free(&proof);
}

/* What OpenSM 3.3.23's LASH needs on the same fabrics (tools/opensm.py): virtual lanes, and host
 * pairs over the busiest channel between switches of its tables. */
static const struct {
    const char *fabric;
    unsigned lanes;
    uint64_t load;
} opensm[] = {
    {"ring:n=5", 2, 3},
    {"ring:n=8,p=2", 4, 40},
    {"torus:dims=5:5", 3, 15},
    {"torus:dims=4:4:4,p=2", 5, 192},
    {"torus:dims=6:6,p=2", 5, 144},
    {"jellyfish:N=16,d=4,p=2,seed=1", 2, 56},
    {"jellyfish:N=16,d=3,p=2,seed=2", 3, 80},
    {"jellyfish:N=64,d=6,p=3,seed=5", 5, 513},
    {"jellyfish:N=64,d=4,p=2,seed=7", 7, 352},
    {"hypercube:n=4,p=2", 1, 32},
    {"hypercube:n=6", 1, 32},
    {"dragonfly:a=4,p=2,h=2", 3, 88},
    {"slimfly:q=5", 2, 117},
    {"karytree:k=4,n=2,fail=10%,fail_seed=3", 1, 48},
    {"fattree3:ports=6,fail=10%,fail_seed=5", 4, 297},
    {"pgft:m=4:4,w=1:2,p=1:2", 1, 48},
    {"hyperx:dims=4:4,p=2", 1, 16},
    {"torus:dims=8:8,p=2", 8, 320},
    {"jellyfish:N=16,d=5,p=3,seed=3", 2, 117},
    {"jellyfish:N=64,d=5,p=2,seed=9", 5, 268},
    {"mesh:dims=5:5,p=2", 1, 120},
    {"dragonfly:a=4,p=2,h=2,fail=5%,fail_seed=2", 4, 156},
    {"torus:dims=4:4:4,p=2,fail=3%,fail_seed=1", 4, 288},
    {"torus:dims=5:5,fail=6%,fail_seed=4", 3, 24},
    {"slimfly:q=5,fail=4%,fail_seed=3", 3, 234},
    {"fattree3:ports=8,fail=12%,fail_seed=7", 4, 1168},
    {"karytree:k=3,n=3,fail=8%,fail_seed=2", 3, 135},
};

static void test_no_more_than_lash(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof opensm / sizeof *opensm; i++) {
        if (!in_parts(i, 2, 3))
            continue;
        ik_fabric *f = fabric_of(opensm[i].fabric);
        ik_plan *p = plan_on(f, "frugal");
        check_plan(p);
        if (p->num_vcs > opensm[i].lanes || p->routing->trade.max_load > opensm[i].load)
            fail_msg("%s: %s", opensm[i].fabric, p->routing->note);
        ik_plan_free(p);
        char spec[64];
        snprintf(spec, sizeof spec, "frugal:lanes=%u,prefer=load", opensm[i].lanes);
        p = plan_on(f, spec);
        check_plan(p);
        assert_true(p->num_vcs <= opensm[i].lanes);
        assert_true(p->routing->trade.max_load <= opensm[i].load);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* A load near that of balanced tables, in a third of their lanes. */
static void test_prefer_load(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4:4,p=2");
    ik_plan *few = plan_on(f, "frugal"), *even = plan_on(f, "frugal:prefer=load");
    assert_true(even->num_vcs <= 8);
    assert_true(even->routing->trade.max_load <= even->routing->trade.balanced_load);
    assert_true(even->routing->trade.balanced_lanes > 8);
    assert_true(even->routing->trade.max_load < few->routing->trade.max_load);
    assert_true(even->num_vcs >= few->num_vcs);
    ik_plan_free(few);
    ik_plan_free(even);
    ik_fabric_free(f);
}

/* Any number of lanes is enough for any graph, at worst over longer paths. */
static void test_few_lanes_on_any_graph(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < as_many(30, 6, 3); seed++) {
        uint32_t n = 4 + ik_random_below(seed, IK_RNG_TEST, 8, 0, 40);
        ik_fabric *whole = test_random_graph(n, n, (uint32_t)(seed % 3) + 1, 0, seed),
                  *f = test_lose_links(whole, (uint32_t)(seed % 4) * 8, seed);
        for (unsigned lanes = 1; lanes <= 3; lanes++) {
            char spec[64];
            snprintf(spec, sizeof spec, "frugal:lanes=%u", lanes);
            ik_plan *p = plan_on(f, spec);
            assert_true(p->num_vcs <= lanes);
            check_plan(p);
            ik_plan_free(p);
        }
        ik_fabric_free(whole);
        ik_fabric_free(f);
    }
    ik_fabric *ring = fabric_of("ring:n=5"); /* shortest paths close a cycle */
    ik_plan *p = plan_on(ring, "frugal:lanes=1");
    check_plan(p);
    assert_true(p->routing->trade.longer > 0);
    assert_non_null(strstr(p->routing->note, "longer"));
    ik_plan_free(p);
    ik_fabric_free(ring);
}

/* Tori of any size, also those with more pairs of switches than there are attempts for: one lane
 * at a load near the even share of the links, and by default few lanes over shortest paths at no
 * more than the load of tables that take the lowest port (load). even: what each link carries if
 * all carry the same. */
static const struct {
    const char *fabric;
    unsigned lanes;
    uint64_t load, even;
} tori[] = {
    {"torus:dims=4:4:4", 1, 48, 32},
    {"torus:dims=5:5:5", 4, 75, 75},
    {"torus:dims=8:8,p=2", 3, 320, 256},
    {"torus:dims=6:6:4", 4, 144, 108},
};

static void test_tori(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof tori / sizeof *tori; i++) {
        if (!in_part(i, 2))
            continue;
        ik_fabric *f = fabric_of(tori[i].fabric);
        ik_plan *few = plan_on(f, "frugal"), *one = plan_on(f, "frugal:lanes=1");
        check_plan(few);
        check_plan(one);
        if (few->num_vcs > tori[i].lanes || few->routing->trade.max_load > tori[i].load ||
            few->routing->trade.longer > 0)
            fail_msg("%s: %s", tori[i].fabric, few->routing->note);
        if (one->num_vcs > 1 || one->routing->trade.max_load * 4 > tori[i].even * 7)
            fail_msg("%s: %s", tori[i].fabric, one->routing->note);
        ik_plan_free(few);
        ik_plan_free(one);
        ik_fabric_free(f);
    }
}

static void count_progress(void *ctx, const char *what, uint64_t done, uint64_t total,
                           const char *unit)
{
    (void)unit;
    assert_true(done <= total);
    *(unsigned *)ctx += strcmp(what, "improving paths") == 0;
}

/* The improvement says how far it is, and stops where it is asked to. */
static void test_progress_and_cancelling(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4,p=2");
    unsigned calls = 0;
    int cancel = 0;
    ik_env watched = {
        .num_threads = 1, .progress = count_progress, .progress_ctx = &calls, .cancel = &cancel};
    ik_routing *r = NULL;
    ik_error err;
    assert_int_equal(ik_routing_from_spec(f, "frugal", &watched, &r, &err), IK_OK);
    ik_routing_free(r);
    r = NULL;
    assert_true(calls >= 10);
    ik_cancel_raise(&cancel);
    assert_int_equal(ik_routing_from_spec(f, "frugal", &watched, &r, &err), IK_ERR_CANCELLED);
    assert_null(r);
    ik_fabric_free(f);
}

/* Where no lane can be emptied any more the rounds that try it end soon. */
static void test_hopeless_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *fabric;
        unsigned lanes, most;
    } cases[] = {{"jellyfish:N=64,d=6,p=3,seed=5", 3, 180},
                 {"torus:dims=8:8,p=2", 3, 165},
                 {"dragonfly:a=6,p=3,h=3", 3, 250}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!in_part(i, 3))
            continue;
        ik_fabric *f = fabric_of(cases[i].fabric);
        unsigned calls = 0;
        ik_env watched = {.num_threads = 1, .progress = count_progress, .progress_ctx = &calls};
        ik_routing *r = NULL;
        ik_error err;
        assert_int_equal(ik_routing_from_spec(f, "frugal", &watched, &r, &err), IK_OK);
        if (calls > cases[i].most || r->trade.lanes > cases[i].lanes)
            fail_msg("%s: %u rounds, %s", cases[i].fabric, calls, r->note);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

static void test_threads(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("jellyfish:N=24,d=4,p=2,seed=4");
    ik_env one = {.num_threads = 1}, four = {.num_threads = 4};
    ik_routing *a = NULL, *b = NULL;
    ik_error err;
    assert_int_equal(ik_routing_from_spec(f, "frugal", &one, &a, &err), IK_OK);
    assert_int_equal(ik_routing_from_spec(f, "frugal", &four, &b, &err), IK_OK);
    assert_memory_equal(a->lft, b->lft, (size_t)f->num_switches * f->num_hosts * sizeof *a->lft);
    assert_string_equal(a->note, b->note);
    ik_routing_free(a);
    ik_routing_free(b);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_no_more_than_lash),
        on_one_thread(test_prefer_load),
        on_one_thread(test_few_lanes_on_any_graph),
        on_one_thread(test_tori),
        on_one_thread(test_progress_and_cancelling),
        on_one_thread(test_hopeless_rounds),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
