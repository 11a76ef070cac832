/* SPDX-License-Identifier: Apache-2.0
 *
 * Routings for a subnet manager in memory: what is made, kept and refused when the fabric changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ikat/ikat.h"

static ik_fabric *fabric_of(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

static bool between_switches(const ik_fabric *f, uint32_t port)
{
    return f->port_peer[port] != IK_NONE && ik_is_switch(f, ik_peer_node(f, port));
}

/* Without the n-th cable between switches. */
static ik_fabric *without_cable(const ik_fabric *f, unsigned n)
{
    ik_fabric *cut = NULL;
    uint32_t port = 0;
    while (!between_switches(f, port) || n-- > 0)
        port++;
    assert_int_equal(ik_fabric_degrade(f, &port, 1, NULL, 0, &cut, NULL), IK_OK);
    return cut;
}

/* The verdict is that of the judge on the tables that are there. */
static void check_proved(const ik_deployment *d)
{
    const ik_subnet_config config = {.replies = true, .management = true};
    ik_subnet_verdict v = {0};
    assert_true(d->proved);
    assert_ptr_equal(d->tables.lids, &d->lids);
    assert_ptr_equal(d->levels.lids, &d->lids);
    assert_int_equal(ik_subnet_judge(&d->tables, d->lanes > 1 ? &d->levels : NULL,
                                     d->lanes > 1 ? &d->vls : NULL, &config, NULL, &v, NULL),
                     IK_OK);
    assert_int_equal(v.deadlock_free, IK_YES);
    assert_int_equal(v.delivered + v.unconnected, v.pairs);
    assert_int_equal(v.missing_entries, 0);
    assert_int_equal(v.switch_undelivered, 0);
    ik_subnet_verdict_free(&v);
}

/* Entries by switch and LID that are not the same. */
static uint64_t count_differences(const ik_deployment *a, const ik_deployment *b)
{
    uint64_t differ = 0;
    assert_int_equal(a->lids.num, b->lids.num);
    for (size_t i = 0; i < (size_t)a->tables.num_switches * a->lids.num; i++)
        differ += a->tables.out[i] != b->tables.out[i];
    return differ;
}

static void test_reroutes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"rlft:ports=8,levels=2", "dmodc"},
                                           {"rlft:ports=6,levels=3", "dmodc"},
                                           {"torus:dims=4:4", "updown"},
                                           {"jellyfish:N=16,d=4,p=2", "nue"},
                                           {"torus:dims=5:5", "dfsssp"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i][0]), *cut = without_cable(f, 3);
        const ik_deploy_config config = {.routing = cases[i][1]};
        ik_deployment first = {0}, then = {0}, kept = {0};
        assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &first, NULL), IK_OK);
        check_proved(&first);
        assert_null(first.update.from);
        assert_int_equal(ik_deploy_in_memory(cut, &config, &first, NULL, &then, NULL), IK_OK);
        check_proved(&then);
        assert_int_equal(then.update.changed, count_differences(&first, &then));
        if (first.lanes == 1) {
            assert_true(then.update.changed > 0);
            assert_true(then.update.kept > 4 * then.update.changed);
        }
        /* with the cable back, what was made without it is proved; without it, the first tables
         * lead into it */
        assert_int_equal(ik_deploy_keep(f, &then, NULL, &kept, NULL), IK_OK);
        check_proved(&kept);
        assert_int_equal(count_differences(&then, &kept), 0);
        assert_int_equal(kept.lanes, then.lanes);
        ik_deployment_free(&kept);
        ik_error err;
        assert_int_equal(ik_deploy_keep(cut, &first, NULL, &kept, &err), IK_ERR_FAILED);
        assert_non_null(strstr(err.text, "not delivered"));
        ik_deployment_free(&first);
        ik_deployment_free(&then);
        ik_fabric_free(cut);
        ik_fabric_free(f);
    }
}

/* A dump of one switch with two hosts, the second of which may not be there yet. */
static ik_fabric *two_hosts(bool both, unsigned first, unsigned second)
{
    char text[1024];
    ik_fabric *f = NULL;
    ik_error err;
    snprintf(text, sizeof text,
             "Switch 3 \"S-10\" # \"s\" base port 0 lid 1 lmc 0\n"
             "[1] \"H-100\"[1](101) # \"h\" lid %u 4xEDR\n%s"
             "Ca 1 \"H-100\" # \"h\"\n[1](101) \"S-10\"[1] # lid %u lmc 1 \"s\" lid 1 4xEDR\n",
             first, both ? "[2] \"H-200\"[1](201) # \"i\" lid 5 4xEDR\n" : "", first);
    if (both) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length,
                 "Ca 1 \"H-200\" # \"i\"\n[1](201) \"S-10\"[2] # lid %u lmc 0 \"s\" lid 1 4xEDR\n",
                 second);
    }
    if (ik_fabric_read_memory(text, strlen(text), "dump", ik_format_find("ibnetdiscover"), NULL, &f,
                              &err) != IK_OK)
        fail_msg("%s", err.text);
    return f;
}

/* A host that boots later, and LIDs that are others then: entries are found by GUIDs, paths of LMC
 * one by one. */
static void test_new_host(void **state)
{
    (void)state;
    ik_fabric *one = two_hosts(false, 8, 0), *two = two_hosts(true, 10, 5);
    const ik_deploy_config config = {.routing = "updown"};
    ik_deployment first = {0}, then = {0}, kept = {0};
    assert_int_equal(ik_deploy_in_memory(one, &config, NULL, NULL, &first, NULL), IK_OK);
    assert_int_equal(first.lids.num, 3);
    assert_int_equal(ik_deploy_in_memory(two, &config, &first, NULL, &then, NULL), IK_OK);
    check_proved(&then);
    assert_int_equal(then.update.kept, 3);
    assert_int_equal(then.update.added, 1);
    assert_int_equal(then.update.changed + then.update.removed, 0);
    ik_error err;
    assert_int_equal(ik_deploy_keep(two, &first, NULL, &kept, &err), IK_ERR_FAILED);
    ik_deployment_free(&first);
    ik_deployment_free(&then);
    ik_fabric_free(one);
    ik_fabric_free(two);
}

/* Nobody has said a routing, and the comparison is to end: as soon as one is proved, it does, and
 * the best so far is taken. */
typedef struct counting {
    unsigned left; /* computations until the flag is raised */
    int enough;
} counting;

static void count_down(void *context, const char *what, uint64_t done, uint64_t total,
                       const char *unit)
{
    counting *c = context;
    (void)what, (void)unit;
    if (done == total && c->left > 0 && --c->left == 0)
        ik_cancel_raise(&c->enough);
}

static void test_best_so_far(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4");
    unsigned best = 0, whole = 0;
    for (unsigned n = 1; whole == 0; n++) {
        counting c = {.left = n};
        const ik_deploy_config config = {.enough = &c.enough};
        const ik_env env = {.progress = count_down, .progress_ctx = &c};
        ik_deployment d = {0};
        assert_int_equal(ik_deploy_in_memory(f, &config, NULL, &env, &d, NULL), IK_OK);
        check_proved(&d);
        unsigned compared = ik_routing_choice_compared(&d.choice);
        assert_true(compared > 0);
        whole = c.left > 0 ? compared : 0;
        best += whole == 0;
        ik_deployment_free(&d);
    }
    assert_true(best > 0 && whole > 1);
    ik_fabric_free(f);
}

static void test_enough(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=4:4");
    int enough = 1, cancel = 1;
    const ik_deploy_config config = {.enough = &enough};
    const ik_env env = {.cancel = &cancel};
    ik_deployment d = {0};
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, &env, &d, NULL), IK_ERR_CANCELLED);
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &d, NULL), IK_OK);
    assert_int_equal(ik_routing_choice_compared(&d.choice), 1); /* the first that is proved */
    ik_deployment_free(&d);
    enough = 0;
    assert_int_equal(ik_deploy_in_memory(f, &config, NULL, NULL, &d, NULL), IK_OK);
    check_proved(&d);
    assert_true(d.choice.num > 1);
    ik_deployment_free(&d);
    const ik_deploy_config loops = {.routing = "shortest", .vc = "1q"};
    ik_error err;
    assert_int_equal(ik_deploy_in_memory(f, &loops, NULL, NULL, &d, &err), IK_ERR_FAILED);
    assert_non_null(strstr(err.text, "credit loop"));
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reroutes),
        cmocka_unit_test(test_new_host),
        cmocka_unit_test(test_best_so_far),
        cmocka_unit_test(test_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
