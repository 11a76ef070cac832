/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes made for a pattern, judged by what the fluid model completes: optimal where the optimum is
 * known or can be tried out, never worse than the digit rules, the same whoever computes.
 */
#include "unit/part.h"
#include "unit/route_helpers.h"

#include "routing/colored/colored.h"

#include <math.h>
#include <unistd.h>

static const char *const objectives[] = {"time", "contention"};

static ik_contention colored(const ik_fabric *f, const char *objective, const char *traffic)
{
    char spec[256];
    snprintf(spec, sizeof spec, "colored:traffic=%s,objective=%s", traffic, objective);
    return contention_of(f, spec, traffic);
}

/* Less than zero: a is better. */
static int compare(const ik_contention *a, const ik_contention *b, const char *objective)
{
    int time = a->fluid_time < b->fluid_time - 1e-9 ? -1 : a->fluid_time > b->fluid_time + 1e-9;
    int worst = (a->c > b->c) - (a->c < b->c);
    if (strcmp(objective, "time") == 0)
        return time ? time : worst;
    return worst ? worst : time;
}

static void expect_no_worse(const ik_fabric *f, const char *traffic, const char *what)
{
    ik_contention s = contention_of(f, "smodk", traffic), d = contention_of(f, "dmodk", traffic);
    for (size_t k = 0; k < 2; k++) {
        ik_contention c = colored(f, objectives[k], traffic);
        if (compare(&c, &s, objectives[k]) > 0 || compare(&c, &d, objectives[k]) > 0)
            fail_msg(
                "%s, %s on %s: time %g and contention %llu; smodk %g and %llu, dmodk %g and %llu",
                objectives[k], what, f->spec, c.fluid_time, (unsigned long long)c.c, s.fluid_time,
                (unsigned long long)s.c, d.fluid_time, (unsigned long long)d.c);
    }
}

/* 32 flows leave an inner leaf switch: ceil(32 / w) on the fullest channel, two at each host. */
static void wrf_is_optimal(void **state)
{
    (void)state;
    for (uint32_t w = 1; w <= 16; w++) {
        char spec[64];
        snprintf(spec, sizeof spec, "xgft:m=16:16,w=1:%u", w);
        ik_fabric *f = fabric_of(spec);
        ik_contention c = contention_of(f, "colored:wrf", "wrf");
        assert_true(fabs(c.fluid_slowdown - (32 + w - 1) / w / 2.0) < 1e-9);
        assert_true(c.c <= (16 + w - 1) / w);
        ik_fabric_free(f);
    }
}

/* Four local phases and the transpose: 2.2 and 3.6 of the time of a crossbar with D-mod-k, 1.2 at
 * eight roots with these. */
static void cg_is_optimal(void **state)
{
    (void)state;
    for (uint32_t w = 1; w <= 16; w++) {
        char spec[64];
        snprintf(spec, sizeof spec, "xgft:m=16:16,w=1:%u", w);
        ik_fabric *f = fabric_of(spec);
        ik_contention c = contention_of(f, "colored:traffic=cg:processes=128", "cg:processes=128");
        assert_true(fabs(c.fluid_slowdown - (14 + w - 1) / w) < 1e-9);
        assert_int_equal(c.c, (14 + w - 1) / w);
        if (w == 8)
            assert_true(fabs((4 + c.fluid_slowdown) / 5 - 1.2) < 1e-9);
        ik_contention d = contention_of(f, "dmodk", "cg:processes=128");
        if (w == 16)
            assert_true(fabs((4 + d.fluid_slowdown) / 5 - 2.2) < 1e-9);
        if (w == 1)
            assert_true(fabs((4 + d.fluid_slowdown) / 5 - 3.6) < 1e-9);
        ik_fabric_free(f);
    }
}

static const char *const fabrics[] = {"xgft:m=8:6,w=1:3",
                                      "xgft:m=5:7,w=1:5",
                                      "pgft:m=8:4,w=1:2,p=1:2",
                                      "xgft:m=4:3:3,w=1:2:3",
                                      "karytree:k=3,n=3",
                                      "xgft:m=4:4:2,w=1:4:1",
                                      "xgft:m=8:4,w=1:5,link_rate=50 Gb/s,host_rate=100 Gb/s",
                                      "xgft:m=6:6,w=1:1"};
enum { NUM_FABRICS = sizeof fabrics / sizeof *fabrics };

/* A pattern of `degree` drawn destinations for each source, as a file; the name of the file is in
 * `spec`. */
typedef struct drawn {
    char path[64], spec[96];
} drawn;

static drawn draw_pattern(uint32_t hosts, uint32_t flows, uint64_t seed)
{
    drawn d;
    ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, hosts);
    snprintf(d.path, sizeof d.path, "/tmp/ikat_colored_XXXXXX");
    int handle = mkstemp(d.path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    bool *seen = calloc((size_t)hosts * hosts, sizeof *seen);
    for (uint32_t i = 0; i < flows; i++) {
        uint32_t src = ik_rng_below(&rng, hosts), dst = ik_rng_below(&rng, hosts);
        if (src != dst && !seen[src * hosts + dst])
            fprintf(file, "%u %u\n", src, dst);
        seen[src * hosts + dst] = true;
    }
    free(seen);
    fclose(file);
    snprintf(d.spec, sizeof d.spec, "file:path=%s", d.path);
    return d;
}

static void random_patterns_are_no_worse(void **state)
{
    (void)state;
    unsigned seeds = all_asked() ? 12 : 2;
    for (size_t i = 0; i < NUM_FABRICS; i++) {
        ik_fabric *f = fabric_of(fabrics[i]);
        for (unsigned seed = 0; seed < seeds; seed++) {
            char permutation[32];
            drawn d = draw_pattern(f->num_hosts, f->num_hosts * (1 + seed % 3), 100 * i + seed);
            expect_no_worse(f, d.spec, "a drawn pattern");
            unlink(d.path);
            snprintf(permutation, sizeof permutation, "permutation:seed=%u", seed + 1);
            expect_no_worse(f, permutation, permutation);
        }
        ik_fabric_free(f);
    }
}

typedef struct tried {
    colored_flow flows[16];
    uint32_t n, n_all;
} tried;

static void add_tried(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    (void)weight, (void)scale;
    tried *t = ctx;
    assert_true(t->n_all < 16);
    t->flows[t->n_all++] = (colored_flow){.src = src, .dst = dst};
}

/* The flows of a pattern, those that leave their switch first. */
static tried flows_of(const ik_fabric *f, const tree *t, const char *traffic)
{
    tried all = {.n = 0}, out = {.n = 0};
    ik_traffic *pattern = traffic_of(f, traffic);
    for (uint32_t src = 0; src < f->num_hosts; src++)
        pattern->family->flows(pattern, src, add_tried, &all);
    for (int climbing = 1; climbing >= 0; climbing--)
        for (uint32_t i = 0; i < all.n_all; i++) {
            colored_flow flow = all.flows[i];
            flow.level = tree_nca_level(t, flow.src, flow.dst);
            if ((flow.level > 1) == (climbing == 1))
                out.flows[out.n_all++] = flow;
            out.n = climbing ? out.n_all : out.n;
        }
    ik_traffic_free(pattern);
    return out;
}

/* The next table: a number with one digit for each flow. */
static bool next_table(const tree *t, tried *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        if (++x->flows[i].via < t->level[x->flows[i].level].ascents.by)
            return true;
        x->flows[i].via = 0;
    }
    return false;
}

/* Every table of tiny cases: what is found is as good as the best of them, by both numbers. */
static void tiny_cases_are_optimal(void **state)
{
    (void)state;
    static const char *const tiny[] = {"xgft:m=2:3,w=1:2", "xgft:m=3:3,w=1:2",
                                       "xgft:m=2:2:2,w=1:2:2", "xgft:m=4:2,w=1:3",
                                       "pgft:m=3:2,w=1:1,p=1:2"};
    for (size_t i = 0; i < 5; i++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            ik_fabric *f = fabric_of(tiny[i]);
            tree *t = NULL;
            colored_matcher m;
            colored_judge j;
            assert_int_equal(tree_new(f, "test", &t, NULL), IK_OK);
            drawn d = draw_pattern(f->num_hosts, i == 2 ? 6 : 8, 1000 * i + seed);
            tried x = flows_of(f, t, d.spec);
            assert_int_equal(colored_matcher_init(&m, f->num_hosts, 16, NULL), IK_OK);
            assert_int_equal(colored_judge_init(&j, t, f, x.flows, x.n, x.n_all, &m, NULL), IK_OK);
            colored_cost best[2], cost;
            bool first = true;
            do {
                assert_int_equal(colored_judge_cost(&j, &cost, NULL), IK_OK);
                for (int k = 0; k < 2; k++)
                    if (first || colored_compare(&cost, &best[k], (colored_objective)k) < 0)
                        best[k] = cost;
                first = false;
            } while (next_table(t, &x));
            for (int k = 0; k < 2; k++) {
                ik_contention c = colored(f, objectives[k], d.spec);
                if (fabs(c.fluid_time - best[k].time) > 1e-9 || c.c != best[k].worst)
                    fail_msg(
                        "%s, seed %llu, %s: time %g, contention %llu; the best are %g and %llu",
                        tiny[i], (unsigned long long)seed, objectives[k], c.fluid_time,
                        (unsigned long long)c.c, best[k].time, (unsigned long long)best[k].worst);
                assert_true(best[k].time >= best[k].load - 1e-9);
                assert_true(best[k].worst >= j.least);
            }
            colored_judge_free(&j);
            colored_matcher_free(&m);
            tree_free(t);
            unlink(d.path);
            ik_fabric_free(f);
        }
}

/* The judge's time is the one that the analysis floor finds by walking the routes, flows inside a
 * switch included. */
static void judged_as_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_FABRICS; i++) {
        ik_fabric *f = fabric_of(fabrics[i]);
        tree *t = NULL;
        colored_matcher m;
        colored_judge j;
        colored_cost cost;
        drawn d = draw_pattern(f->num_hosts, 15, i);
        assert_int_equal(tree_new(f, "test", &t, NULL), IK_OK);
        tried x = flows_of(f, t, d.spec);
        assert_int_equal(colored_matcher_init(&m, f->num_hosts, 16, NULL), IK_OK);
        for (uint32_t k = 0; k < x.n; k++)
            for (uint32_t l = 1; l < x.flows[k].level; l++)
                x.flows[k].via +=
                    tree_digit_up(&t->level[l], x.flows[k].dst) * t->level[l].ascents.by;
        assert_int_equal(colored_judge_init(&j, t, f, x.flows, x.n, x.n_all, &m, NULL), IK_OK);
        assert_int_equal(colored_judge_cost(&j, &cost, NULL), IK_OK);
        ik_contention c = contention_of(f, "dmodk", d.spec);
        assert_true(fabs(cost.time - c.fluid_time) < 1e-9);
        assert_int_equal(cost.worst, c.c);
        assert_true(j.target <= cost.time + 1e-9);
        colored_judge_free(&j);
        colored_matcher_free(&m);
        tree_free(t);
        unlink(d.path);
        ik_fabric_free(f);
    }
}

/* Phases: the sums over them are no worse than those of the digit rules. */
static void phases_together(void **state)
{
    (void)state;
    static const char *const patterns[] = {"permutation:seed=1", "shift:by=3",
                                           "wrf:rows=4;columns=8", "permutation:seed=1"};
    ik_fabric *f = fabric_of("xgft:m=8:4,w=1:3");
    for (size_t k = 0; k < 2; k++) {
        char joined[256] = "colored:traffic=";
        for (int i = 0; i < 4; i++)
            snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", i ? "+" : "",
                     patterns[i]);
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), ",objective=%s",
                 objectives[k]);
        ik_contention sum[3] = {{.c = 0}};
        const char *const names[] = {joined, "smodk", "dmodk"};
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 4; i++) {
                char traffic[64];
                snprintf(traffic, sizeof traffic, "%s", patterns[i]);
                if (strchr(traffic, ';'))
                    *strchr(traffic, ';') = ',';
                ik_contention c = contention_of(f, names[n], traffic);
                sum[n].c += c.c;
                sum[n].fluid_time += c.fluid_time;
            }
        assert_true(compare(&sum[0], &sum[1], objectives[k]) <= 0 &&
                    compare(&sum[0], &sum[2], objectives[k]) <= 0);
    }
    ik_fabric_free(f);
}

static void the_same_whoever_computes(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4:2,w=1:2:2");
    drawn d = draw_pattern(f->num_hosts, 70, 3);
    char spec[160];
    snprintf(spec, sizeof spec, "colored:traffic=%s,seed=5", d.spec);
    ik_routing *r[3];
    for (unsigned k = 0; k < 3; k++) {
        ik_env env = {.num_threads = 1 + 2 * k, .seed = k};
        assert_int_equal(ik_routing_from_spec(f, spec, &env, &r[k], NULL), IK_OK);
    }
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t h = 0; h < f->num_hosts; h++)
            if (s != h) {
                assert_same_walk(r[0], r[1], s, h);
                assert_same_walk(r[0], r[2], s, h);
            }
    for (unsigned k = 0; k < 3; k++)
        ik_routing_free(r[k]);
    const int raised = 1;
    ik_env env = {.cancel = &raised};
    ik_routing *none = NULL;
    assert_int_equal(ik_routing_from_spec(f, spec, &env, &none, NULL), IK_ERR_CANCELLED);
    assert_null(none);
    unlink(d.path);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(wrf_is_optimal),
        on_one_thread(cg_is_optimal),
        on_one_thread(judged_as_measured),
        on_one_thread(tiny_cases_are_optimal),
        on_one_thread(phases_together),
        on_one_thread(random_patterns_are_no_worse),
        cmocka_unit_test(the_same_whoever_computes),
    };
    return cmocka_run_group_tests_name("routes by completion time", tests, NULL, NULL);
}
