/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables whose channels carry too much, and those of minhop beside them: what is moved, what is
 * proved afterwards, and what is left alone where nothing helps.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ikat/ikat.h"
#include "subnet/deploy/relieve.h"
#include "subnet/judge/minhop.h"
#include "unit/part.h"

static ik_fabric *fabric_of(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

/* Judged on one lane; *fill: of the fullest channel between switches. */
static ik_subnet_verdict judged(const ik_lid_tables *t, double *fill)
{
    const ik_subnet_config config = {.replies = true, .management = true};
    const ik_fabric *f = t->lids->fabric;
    ik_subnet_verdict v = {0};
    assert_int_equal(ik_subnet_judge(t, NULL, NULL, &config, NULL, &v, NULL), IK_OK);
    *fill = 0;
    for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++) {
        bool inner = f->port_peer[p] != IK_NONE && ik_is_switch(f, ik_peer_node(f, p));
        double here = (double)v.paths_over[p] * 1e9 / (double)ik_port_rate_bps(f, p);
        *fill = inner && here > *fill ? here : *fill;
    }
    return v;
}

static uint64_t count_differences(const ik_lid_tables *a, const uint8_t *before)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < (size_t)a->num_switches * a->lids->num; i++)
        differ += a->out[i] != before[i];
    return differ;
}

/* Deadlock-free tables: a tenth and a quarter less on the fullest channel, then next to nothing. */
static void test_relieves(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"jellyfish:N=16,d=4,p=2", "updown"},
                                           {"jellyfish:N=16,d=4,p=2", "nue"},
                                           {"torus:dims=4:4,p=2", "updown"},
                                           {"hyperx:dims=4:4,p=2", "nue"},
                                           {"rlft:ports=8,levels=3,fail=5%", "updown"},
                                           {"dragonfly:h=2", "nue"}};
    static const double shares[] = {0.9, 0.75, 1e-3};
    unsigned relieved = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
            ik_fabric *f = fabric_of(cases[i][0]);
            const ik_deploy_config config = {.routing = cases[i][1], .max_vls = 1};
            ik_deployment d = {0};
            bool done = false;
            double before, after;
            assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &d, NULL), IK_OK);
            size_t cells = (size_t)d.tables.num_switches * d.lids.num;
            uint8_t *was = malloc(cells);
            memcpy(was, d.tables.out, cells);
            ik_subnet_verdict v = judged(&d.tables, &before);
            assert_true(before > 0.999 * d.max_fill && before < 1.001 * d.max_fill);
            ik_subnet_verdict_free(&v);
            assert_int_equal(relieve_tables(&d.tables, shares[k] * before, true, NULL, &done, NULL),
                             IK_OK);
            v = judged(&d.tables, &after);
            assert_true(done == (count_differences(&d.tables, was) > 0));
            assert_true(after <= (done ? shares[k] : 1) * before * 1.000001);
            assert_int_equal(v.deadlock_free, IK_YES);
            assert_int_equal(v.delivered + v.unconnected, v.pairs);
            assert_int_equal(v.missing_entries, 0);
            assert_int_equal(v.switch_undelivered, 0);
            assert_false(done && k == 2);
            relieved += done;
            ik_subnet_verdict_free(&v);
            free(was);
            ik_deployment_free(&d);
            ik_fabric_free(f);
        }
    assert_true(relieved >= 5);
}

/* Without lanes to mind, and where nothing carries too much. */
static void test_any_way(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4,p=2");
    const ik_deploy_config config = {.routing = "updown"};
    ik_deployment d = {0};
    bool done = false;
    double fill;
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &d, NULL), IK_OK);
    uint8_t *out = d.tables.out;
    assert_int_equal(relieve_tables(&d.tables, d.max_fill, true, NULL, &done, NULL), IK_OK);
    assert_true(done);
    assert_ptr_equal(d.tables.out, out);
    assert_int_equal(relieve_tables(&d.tables, d.max_fill * 0.8, false, NULL, &done, NULL), IK_OK);
    assert_true(done);
    ik_subnet_verdict v = judged(&d.tables, &fill);
    assert_true(fill <= d.max_fill * 0.800001);
    assert_int_equal(v.delivered, v.pairs);
    ik_subnet_verdict_free(&v);
    int cancel = 1;
    const ik_env env = {.cancel = &cancel};
    assert_int_equal(relieve_tables(&d.tables, 0.01, true, &env, &done, NULL), IK_ERR_CANCELLED);
    ik_deployment_free(&d);
    ik_fabric_free(f);
}

/* A routing that is chosen is relieved as far as that goes, where minhop's load is out of reach,
 * but not where the time for that is over. */
static void test_as_far_as_it_goes(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("jellyfish:N=30,d=4,p=3");
    const ik_deploy_config config = {.max_vls = 1};
    ik_deployment d = {0}, named = {0};
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &d, NULL), IK_OK);
    const ik_deploy_config same = {.routing = d.plan->routing->spec, .max_vls = 1};
    assert_int_equal(ik_deploy_in_memory(f, &same, NULL, NULL, &named, NULL), IK_OK);
    assert_true(d.proved && d.minhop_exact && d.max_fill > d.minhop_fill);
    assert_true(d.max_fill < 0.8 * named.max_fill);
    ik_deployment_free(&named);
    ik_deployment_free(&d);
    int enough = 1;
    const ik_deploy_config hurried = {.max_vls = 1, .enough = &enough};
    assert_int_equal(ik_deploy_in_memory(f, &hurried, NULL, NULL, &d, NULL), IK_OK);
    const ik_deploy_config cheap = {.routing = "updown", .max_vls = 1};
    assert_int_equal(ik_deploy_in_memory(f, &cheap, NULL, NULL, &named, NULL), IK_OK);
    assert_true(d.proved);
    assert_string_equal(d.plan->routing->spec, "updown"); /* the slow ones come later */
    assert_memory_equal(d.tables.out, named.tables.out, (size_t)d.tables.num_switches * d.lids.num);
    ik_deployment_free(&named);
    ik_deployment_free(&d);
    ik_fabric_free(f);
}

/* Counted by hand. */
static void test_minhop(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double paths;                       /* over the fullest channel */
    } cases[] = {{"xgft:m=4:2,w=1:2", 8},   /* 4 sources, 4 destinations over 2 roots */
                 {"xgft:m=2:3,w=1:1", 8},   /* 2 sources to 4, or 4 to 2, over one root */
                 {"xgft:m=4:2,w=1:3", 8},   /* 4 destinations over 3 roots: two over one */
                 {"torus:dims=3,p=1", 1},   /* a triangle */
                 {"torus:dims=5,p=2", 12}}; /* two hosts a switch: three pairs of switches */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i].spec);
        ik_lids lids = {0};
        double fill;
        bool exact;
        assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
        assert_int_equal(minhop_measure(&lids, INFINITY, NULL, &fill, &exact, NULL), IK_OK);
        assert_true(exact);
        double rate = (double)ik_port_rate_bps(f, 0) * 1e-9;
        if (fill * rate < cases[i].paths - 0.001 || fill * rate > cases[i].paths + 0.001)
            fail_msg("%s: %g paths, not %g", cases[i].spec, fill * rate, cases[i].paths);
        ik_lids_free(&lids);
        ik_fabric_free(f);
    }
}

/* With many leaves, no more is counted than is asked for. */
static void test_enough(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("rlft:ports=16,levels=3");
    ik_lids lids = {0};
    double fill, least;
    bool exact;
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    assert_int_equal(minhop_measure(&lids, INFINITY, NULL, &fill, &exact, NULL), IK_OK);
    assert_true(exact);
    assert_int_equal(minhop_measure(&lids, fill / 4, NULL, &least, &exact, NULL), IK_OK);
    assert_true(!exact && least >= fill / 4 && least <= fill);
    assert_int_equal(minhop_measure(&lids, 2 * fill, NULL, &least, &exact, NULL), IK_OK);
    assert_true(exact && least >= fill && least <= fill);
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_relieves),
        cmocka_unit_test(test_any_way),
        cmocka_unit_test(test_as_far_as_it_goes),
        cmocka_unit_test(test_minhop),
        cmocka_unit_test(test_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
