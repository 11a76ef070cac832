/* SPDX-License-Identifier: Apache-2.0
 *
 * test_flow_bound.c: the maximum concurrent flow against closed forms, against what routings carry,
 * with any number of threads, and what is refused.
 */
#include "unit/made.h"
#include "unit/part.h"

#include <math.h>

static ik_flow_bound bound_on(const ik_fabric *f, const char *pattern, double epsilon)
{
    ik_traffic *t = traffic_of(f, pattern);
    ik_flow_bound b = {0};
    ik_error err = {0};
    if (ik_flow_bound_measure(t, epsilon, &made_env, &b, &err) != IK_OK)
        fail_msg("%s on %s: %s (%s)", pattern, f->spec, err.text, err.hint);
    ik_traffic_free(t);
    assert_true(b.lower > 0 && b.lower <= b.upper && b.upper <= 1 && b.upper <= b.hosts);
    return b;
}

static ik_flow_bound bound_of(const char *fabric, const char *pattern, double epsilon)
{
    ik_fabric *f = fabric_of(fabric);
    ik_flow_bound b = bound_on(f, pattern, epsilon);
    ik_fabric_free(f);
    return b;
}

/* ---- closed forms: with uniform traffic and alike channels the bound is what all channels carry
 * over what the pairs of switches need, p^2 / (N - 1) per pair and hop */

static void closed_forms(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *pattern;
        double bound;
    } rows[] = {
        {"karytree:k=4,n=3", "uniform", 1},
        {"karytree:k=4,n=3", "reversal", 1},
        {"rlft:ports=8,levels=3", "uniform", 1},
        {"xgft:m=16:16,w=1:10", "uniform", 10. / 16 * 255 / 240},
        {"xgft:m=4:4,w=1:1", "shift:by=4", 1. / 4},
        {"ring:n=8,p=4", "uniform", 8. * 31 / (8 * 8 * 16)},
        {"ring:n=9,p=4", "uniform", 8. * 35 / ((9 * 9 - 1) * 16)},
        {"ring:n=8", "shift:by=4", 16. / 32},
        {"ring:n=8,link_rate=50 Gb/s,host_rate=100 Gb/s", "shift:by=4", 16. / 64},
        {"torus:dims=4:4,p=4", "uniform", 8. * 63 / (64 * 16)},
        {"torus:dims=4:8,p=4", "uniform", 8. * 127 / (4 * 8 * 8 * 16)}, /* the long rings */
        {"hypercube:n=4,p=8", "uniform", 127. / (8 * 64)},
        {"fullmesh:n=5,p=8", "uniform", 39. / 64},
        {"mesh:dims=1:2,p=5", "uniform", 9. / 25},
        {"mesh:dims=1:4,p=2", "uniform", 7. / 16}, /* the cut in the middle */
        {"hyperx:dims=3:3,p=6", "uniform", 53. / (3 * 36)},
        /* a row of 5 has distances of 6 hops, one of 4 has 4 */
        {"torus:dims=5:5,p=3", "uniform", 4. * 74 / (9 * 2 * 5 * 6)},
        {"torus:dims=4:4:4,p=2", "uniform", 6. * 127 / (4 * 3 * 16 * 4)},
        {"hypercube:n=6,p=2", "uniform", 127. / (4 * 32)},
        /* worst cases: all hosts go as far as there is, or leave their pod over few cables */
        {"hypercube:n=4,p=8", "complement", 1. / 8},
        {"ring:n=8,p=4", "shift:by=16", 1. / 8},
        {"torus:dims=6:6,p=3", "worst", 4. / (3 * 6)},
        {"xgft:m=4:4:4,w=1:2:2", "shift:by=16", 4. / 16},
        {"pgft:m=8:4:4,w=1:4:4,p=1:1:1", "shift:by=32", 1. / 2},
        {"crossbar:n=6", "shift:by=1", 1},
        /* all others send half of what they send to host 0, and some of the rest */
        {"karytree:k=4,n=2", "hotspot:nodes=1,fraction=100%,rest=silent", 1. / 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_flow_bound b = bound_of(rows[i].fabric, rows[i].pattern, .01);
        if (fabs(b.lower / rows[i].bound - 1) > 1e-9 || fabs(b.upper / rows[i].bound - 1) > 1e-9)
            fail_msg("%s, %s: %.12g to %.12g instead of %.12g", rows[i].fabric, rows[i].pattern,
                     b.lower, b.upper, rows[i].bound);
        assert_int_equal(b.end, IK_FLOW_CLOSE);
    }
}

/* Both ends enclose it where the best division takes ways that are longer than others: of n
 * switches, the n / 2 times what a direct cable carries goes to the next one, over all others. */
static void worst_of_full_meshes(void **state)
{
    (void)state;
    static const unsigned sizes[] = {4, 5, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char spec[48], pattern[32];
        const unsigned n = sizes[i], p = 2 * n;
        snprintf(spec, sizeof spec, "fullmesh:n=%u,p=%u", n, p);
        snprintf(pattern, sizeof pattern, "shift:by=%u", p);
        ik_flow_bound b = bound_of(spec, pattern, .005);
        const double exact = n / (2. * p);
        if (b.lower > exact * (1 + 1e-9) || b.upper < exact * (1 - 1e-9))
            fail_msg("%s: %.9g to %.9g instead of %.9g", spec, b.lower, b.upper, exact);
    }
}

/* Nine shares of a ninth are a little more than 1: no bound is a little less than 1 for that. */
static void sums_of_shares(void **state)
{
    (void)state;
    ik_flow_bound b = bound_of("crossbar:n=10", "uniform", .01);
    assert_true(b.hosts == 1 && b.lower == 1 && b.upper == 1);
}

/* Where passes are needed: the two ends come as close as asked for. */
static void gaps(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"jellyfish:N=24,d=4,p=4", "uniform"},
        {"jellyfish:N=24,d=4,p=4", "permutation"},
        {"slimfly:q=5,p=4", "worst"},
        {"karytree:k=4,n=3,fail=10%", "uniform"},
        {"dragonfly:h=2", "worst"},
        {"torus:dims=5:7,p=3", "shift:by=9"},
        {"pgft:m=4:4,w=2:2,p=1:2,fail=10%", "permutation"},
        {"mesh:dims=4:5,p=4", "uniform"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_flow_bound wide = bound_of(rows[i][0], rows[i][1], .1),
                      b = bound_of(rows[i][0], rows[i][1], .01);
        if (b.end != IK_FLOW_CLOSE || b.upper - b.lower > .01 * b.upper)
            fail_msg("%s, %s: %.9g to %.9g", rows[i][0], rows[i][1], b.lower, b.upper);
        /* both are right */
        assert_true(wide.lower <= b.upper * (1 + 1e-9) && b.lower <= wide.upper * (1 + 1e-9));
        assert_true(wide.passes <= b.passes);
    }
}

/* ---- no routing carries more */

static void below_routing(const ik_fabric *f, const ik_traffic *t, const char *routing,
                          const ik_flow_bound *b, unsigned *compared)
{
    ik_routing *r = NULL;
    ik_load l = {0};
    if (ik_routing_from_spec(f, routing, &made_env, &r, NULL) != IK_OK)
        return; /* it does not fit the fabric */
    assert_int_equal(ik_load_measure(r, t, &made_env, &l, NULL), IK_OK);
    if (l.undelivered == 0) {
        if (l.saturation > b->upper * (1 + 1e-9))
            fail_msg("%s, %s, %s carries %.12g, the bound is %.12g", f->spec, routing, t->spec,
                     l.saturation, b->upper);
        ++*compared;
    }
    ik_load_free(&l);
    ik_routing_free(r);
}

static void no_routing_carries_more(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"karytree:k=3,n=3",
                                          "xgft:m=4:4,w=1:2",
                                          "xgft:m=4:4,w=2:2",
                                          "pgft:m=4:4,w=2:2,p=1:2",
                                          "slimfly:q=5,p=3",
                                          "mlfm:h=3",
                                          "oft:k=3",
                                          "dragonfly:h=2",
                                          "torus:dims=3:4,p=3",
                                          "mesh:dims=3:3,p=2,fail=sw4.2",
                                          "hyperx:dims=3:3,p=3",
                                          "jellyfish:N=12,d=3,p=3",
                                          "polarfly:q=3,p=2"};
    static const char *const patterns[] = {"uniform",
                                           "permutation",
                                           "shift:by=3",
                                           "hotspot:nodes=2,fraction=30%",
                                           "mix:80%*uniform+20%*(shift:by=5)",
                                           "neighbour"};
    static const char *const routings[] = {"dmodk",  "smodk",   "dmodc",    "random",
                                           "dor",    "minimal", "valiant",  "oblivious",
                                           "updown", "dfsssp",  "shortest", "adaptive_tree"};
    unsigned compared = 0;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        ik_fabric *f = fabric_of(fabrics[i]);
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            ik_traffic *t = traffic_of(f, patterns[k]);
            ik_flow_bound b = bound_on(f, patterns[k], .05);
            for (size_t r = 0; r < sizeof routings / sizeof *routings; r++)
                below_routing(f, t, routings[r], &b, &compared);
            ik_traffic_free(t);
        }
        ik_fabric_free(f);
    }
    assert_true(compared > 400);
}

/* ---- what is printed of a bound */

static void printed(double bound, const char *lower, const char *upper)
{
    char text[2][32];
    assert_string_equal(ik_format_bound(text[0], sizeof text[0], bound, false), lower);
    assert_string_equal(ik_format_bound(text[1], sizeof text[1], bound, true), upper);
}

/* It bounds, and is no further away than the last digit. */
static void printed_bounds_hold(void **state)
{
    (void)state;
    printed(.28125, "0.2812", "0.2813");
    printed(.3, "0.3", "0.3");
    printed(.1 + .2, "0.3", "0.3"); /* computing added some */
    printed(99.995, "99.99", "100");
    printed(-1.00001, "-1.001", "-1");
    printed(123456, "1.234e+05", "1.235e+05");
    printed(0, "0", "0");
    printed(INFINITY, "inf", "inf");
    assert_true(ik_round_bound(28.125, 1, true) == 28.2 && ik_round_bound(28.1, 1, true) == 28.1);
    assert_true(ik_round_bound(28.125, 1, false) == 28.1);
    uint64_t drawn = 7;
    for (unsigned k = 1; k <= 2000; k++) {
        drawn = drawn * 6364136223846793005u + 1442695040888963407u;
        double bound = (double)(drawn >> 20) * pow(10, (double)(k % 21) - 20);
        char text[32];
        for (int upper = 0; upper < 2; upper++) {
            double shown = strtod(ik_format_bound(text, sizeof text, bound, upper), NULL);
            double beyond = upper ? shown / bound : bound / shown;
            if (!(beyond >= 1 - 2e-12 && beyond <= 1.001))
                fail_msg("%.17g is printed as %s", bound, text);
        }
    }
}

/* ---- threads, errors, limits */

static void threads_change_nothing(void **state)
{
    (void)state;
    /* switches times cables and switches: more than the million that is worth threads */
    ik_fabric *f = fabric_of("jellyfish:N=360,d=8,p=2");
    ik_traffic *t = traffic_of(f, "permutation");
    ik_flow_bound b[3] = {0};
    static const unsigned threads[] = {1, 2, 5};
    const int begin = threads_only();
    for (int i = begin; i < 3; i++) {
        ik_env env = {.num_threads = threads[i]};
        assert_int_equal(ik_flow_bound_measure(t, .04, &env, &b[i], NULL), IK_OK);
        assert_true(b[i].lower == b[begin].lower && b[i].upper == b[begin].upper);
        assert_int_equal(b[i].passes, b[begin].passes);
    }
    assert_true(b[begin].passes > 1);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

static void refused(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=2"), *alone = fabric_of("crossbar:n=1");
    static const char *const patterns[] = {"exchange:bytes=1kB",
                                           "schedule:entries=@10 us=uniform&shift:by=1"};
    ik_flow_bound b = {.lower = 7};
    ik_error err;
    for (size_t i = 0; i < 2; i++) {
        ik_traffic *t = traffic_of(f, patterns[i]);
        assert_int_equal(ik_flow_bound_measure(t, .01, NULL, &b, &err), IK_ERR_USAGE);
        assert_true(err.hint[0]);
        ik_traffic_free(t);
    }
    ik_traffic *none = traffic_of(alone, "uniform"), *t = traffic_of(f, "uniform");
    assert_int_equal(ik_flow_bound_measure(none, .01, NULL, &b, &err), IK_ERR_USAGE);
    static const double wrong[] = {0, 1, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ik_flow_bound_measure(t, wrong[i], NULL, &b, NULL), IK_ERR_USAGE);
    assert_true(b.lower == 7); /* untouched */
    ik_traffic_free(none);
    ik_traffic_free(t);
    ik_fabric_free(alone);
    ik_fabric_free(f);
}

static void limits(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("jellyfish:N=60,d=5,p=4");
    ik_traffic *t = traffic_of(f, "uniform");
    ik_flow_bound b, close;
    int raised = 1;
    ik_env none = {.memory_limit_bytes = 1000}, little = {.memory_limit_bytes = 200000},
           stopped = {.cancel = &raised};
    assert_int_equal(ik_flow_bound_measure(t, .01, &none, &b, NULL), IK_ERR_MEMORY);
    assert_int_equal(ik_flow_bound_measure(t, .01, &stopped, &b, NULL), IK_ERR_CANCELLED);
    assert_int_equal(ik_flow_bound_measure(t, .01, NULL, &close, NULL), IK_OK);
    /* without room for paths it is still a bound */
    assert_int_equal(ik_flow_bound_measure(t, .01, &little, &b, NULL), IK_OK);
    assert_int_equal(b.end, IK_FLOW_MEMORY);
    assert_true(b.lower < close.lower && b.upper >= close.upper && b.passes == 0);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* Flows that the fabric does not connect are left out, on both sides. */
static void unconnected(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("mesh:dims=1:4,p=2,fail=sw1.3");
    ik_traffic *t = traffic_of(f, "uniform");
    uint64_t apart;
    assert_int_equal(ik_flows_unconnected(t, &apart, NULL), IK_OK);
    ik_flow_bound b = bound_on(f, "uniform", .01);
    assert_true(apart > 0);
    assert_int_equal(b.flows, 8 * 7 - apart);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(worst_of_full_meshes),
        cmocka_unit_test(sums_of_shares),
        on_one_thread(gaps),
        cmocka_unit_test(no_routing_carries_more),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(printed_bounds_hold),
        cmocka_unit_test(refused),
        on_one_thread(limits),
        cmocka_unit_test(unconnected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
