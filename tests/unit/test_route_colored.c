/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern-aware routes: optimal where the optimum is known, never worse than the digit rules,
 * judged by the contention measure of the analysis floor. */
#include "unit/route_helpers.h"

#include "routing/colored/colored.h"

/* The transpose of CG on 128 processes: ceil(14 / w2) both ways, the least possible. */
static void cg_is_optimal(void **state)
{
    (void)state;
    for (uint32_t w = 1; w <= 16; w++) {
        char spec[64];
        snprintf(spec, sizeof spec, "xgft:m=16:16,w=1:%u", w);
        ik_fabric *f = fabric_of(spec);
        ik_contention c = contention_of(f, "colored:traffic=cg:processes=128,objective=contention",
                                        "cg:processes=128");
        assert_int_equal(c.c, (14 + w - 1) / w);
        assert_int_equal(c.c_up, (14 + w - 1) / w);
        assert_int_equal(c.c_down, (14 + w - 1) / w);
        ik_fabric_free(f);
    }
}

/* WRF on 256 tasks shares sources and destinations: no network contention at 16 roots, ceil(16 /
 * w2) otherwise at most. */
static void wrf_is_no_worse_than_the_digits(void **state)
{
    (void)state;
    for (uint32_t w = 1; w <= 16; w++) {
        char spec[64];
        snprintf(spec, sizeof spec, "xgft:m=16:16,w=1:%u", w);
        ik_fabric *f = fabric_of(spec);
        ik_contention c = contention_of(f, "colored:wrf,objective=contention", "wrf");
        assert_true(c.c <= (16 + w - 1) / w);
        if (w == 16)
            assert_int_equal(c.c, 1);
        ik_fabric_free(f);
    }
}

/* Random permutations: ceil(D / w2) on two levels, D the most flows that leave or enter a leaf
 * switch; deeper, never worse. */
static void permutations(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"xgft:m=8:6,w=1:3",       "xgft:m=5:7,w=1:5",
                                          "pgft:m=8:4,w=1:2,p=1:2", "xgft:m=4:3:3,w=1:2:3",
                                          "karytree:k=3,n=3",       "rlft:ports=6,levels=3",
                                          "karytree:k=2,n=5"};
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        ik_fabric *f = fabric_of(fabrics[i]);
        const ik_xgft *x = ik_fabric_xgft(f);
        for (int seed = 1; seed <= 12; seed++) {
            char traffic[64], spec[128];
            ik_traffic *t = NULL;
            uint32_t out[64] = {0}, in[64] = {0}, most = 0;
            snprintf(traffic, sizeof traffic, "permutation:seed=%d", seed);
            snprintf(spec, sizeof spec, "colored:traffic=%s,objective=contention", traffic);
            ik_contention c = contention_of(f, spec, traffic),
                          s = contention_of(f, "smodk", traffic),
                          d = contention_of(f, "dmodk", traffic);
            assert_true(c.c <= s.c && c.c <= d.c);
            assert_int_equal(ik_traffic_from_spec(f, traffic, NULL, &t, NULL), IK_OK);
            for (uint32_t host = 0; host < f->num_hosts; host++) {
                uint32_t to = t->family->dest(t, host, 0);
                if (to != IK_NONE && to / x->m[0] != host / x->m[0]) {
                    most = ++out[host / x->m[0]] > most ? out[host / x->m[0]] : most;
                    most = ++in[to / x->m[0]] > most ? in[to / x->m[0]] : most;
                }
            }
            ik_traffic_free(t);
            uint32_t up = x->w[1] * x->p[1];
            if (x->h == 2)
                assert_int_equal(c.c, (most + up - 1) / up);
        }
        ik_fabric_free(f);
    }
}

/* Phases: one pair may occur in several; the sum of contentions is no worse than with the digit
 * rules. */
static void phases_together(void **state)
{
    (void)state;
    static const char *const patterns[] = {"permutation:seed=1", "shift:by=3",
                                           "wrf:rows=4;columns=8", "permutation:seed=1"};
    char joined[200] = "colored:traffic=";
    for (int i = 0; i < 4; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", i ? "+" : "",
                 patterns[i]);
    strcat(joined, ",objective=contention");
    ik_fabric *f = fabric_of("xgft:m=8:4,w=1:3");
    uint64_t sum[3] = {0};
    const char *const names[] = {joined, "smodk", "dmodk"};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            char traffic[64];
            snprintf(traffic, sizeof traffic, "%s", patterns[i]);
            if (strchr(traffic, ';'))
                *strchr(traffic, ';') = ',';
            sum[k] += contention_of(f, names[k], traffic).c;
        }
    assert_true(sum[0] <= sum[1] && sum[0] <= sum[2]);
    ik_fabric_free(f);
}

/* Pairs outside the pattern go by D-mod-k. */
static void other_pairs(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=3,n=3");
    ik_routing *a = routing_on(f, "colored:traffic=shift:by=5"), *b = routing_on(f, "dmodk");
    for (uint32_t s = 0; s < 27; s++)
        for (uint32_t d = 0; d < 27; d++)
            if (s != d && d != (s + 5) % 27)
                assert_same_walk(a, b, s, d);
    ik_routing_free(a);
    ik_routing_free(b);
    ik_fabric_free(f);
}

static void contention_of_stars(void **state)
{
    (void)state;
    static const colored_flow flows[] = {{.src = 0, .dst = 4}, {.src = 0, .dst = 5},
                                         {.src = 0, .dst = 6}, {.src = 1, .dst = 4},
                                         {.src = 1, .dst = 5}, {.src = 2, .dst = 6}};
    static const uint32_t star[] = {0, 1, 2}, sink[] = {0, 3}, two[] = {0, 4},
                          three[] = {0, 1, 2, 4, 5, 3};
    colored_matcher m;
    assert_int_equal(colored_matcher_init(&m, 8, 6, NULL), IK_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(colored_matching(&m, flows, star, 3), 1);
        assert_int_equal(colored_matching(&m, flows, sink, 2), 1);
        assert_int_equal(colored_matching(&m, flows, two, 2), 2);
        assert_int_equal(colored_matching(&m, flows, three, 6), 3);
        assert_int_equal(colored_matching(&m, flows, three, 0), 0);
    }
    colored_matcher_free(&m);
}

static void bad_patterns(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_routing *r = NULL;
    ik_error err = {0};
    assert_int_equal(ik_routing_from_spec(f, "colored", NULL, &r, &err), IK_ERR_INPUT);
    assert_int_not_equal(ik_routing_from_spec(f, "colored:traffic=", NULL, &r, &err), IK_OK);
    assert_int_equal(ik_routing_from_spec(f, "colored:traffic=shiftt:by=1", NULL, &r, &err),
                     IK_ERR_INPUT);
    assert_null(r);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cg_is_optimal), cmocka_unit_test(wrf_is_no_worse_than_the_digits),
        cmocka_unit_test(permutations),  cmocka_unit_test(phases_together),
        cmocka_unit_test(other_pairs),   cmocka_unit_test(contention_of_stars),
        cmocka_unit_test(bad_patterns),
    };
    return cmocka_run_group_tests_name("pattern-aware routes", tests, NULL, NULL);
}
