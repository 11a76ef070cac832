/* SPDX-License-Identifier: Apache-2.0
 *
 * test_plugin.c: members that a program registers itself: found, used, replaced; refused as a
 * whole. Shared objects are tested with the command (tests/cli/test_plugins.py).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ikat/plugin.h"
#include "ikat/verify.h"

#include <pthread.h>
#include <string.h>

static const ik_param none[] = {{0}};

/* Everything leaves by the port that `step` says: 0 is right on a fabric of one host per switch
 * where port 0 leads to the host. */
static ik_status create_table(ik_routing *r, const ik_params *params, const ik_env *env,
                              ik_error *err)
{
    (void)params;
    const ik_fabric *f = r->fabric;
    ik_status status = ik_lft_new(r, env, err);
    for (uint32_t p = 0; status == IK_OK && p < f->port_base[f->num_switches]; p++) {
        uint32_t peer = ik_peer_node(f, p);
        if (peer != IK_NONE && !ik_is_switch(f, peer))
            r->lft[(size_t)f->port_node[p] * f->num_hosts + ik_node_host(f, peer)] =
                (uint16_t)ik_port_local(f, p);
    }
    return status;
}

#define TABLE_ROUTING(text)                                                                        \
    {                                                                                              \
        .name = text, .summary = "a test", .params = none, .create = create_table,                 \
        .next = ik_lft_next,                                                                       \
        .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS               \
    }
static const ik_routing_family first = TABLE_ROUTING("test_first"),
                               newer = TABLE_ROUTING("test_first"),
                               second = TABLE_ROUTING("test_second"),
                               broken = {.name = "test_broken", .summary = "a test"},
                               taken = TABLE_ROUTING("dmodk");

static ik_plugin plugin_of(const char *name, const ik_routing_family *const *routings)
{
    return (ik_plugin){IK_PLUGIN_HEADER, .name = name, .summary = "a test", .identity = "1",
                       .routings = routings};
}

static size_t count_routings(void)
{
    size_t num = 0;
    while (ik_routings()[num])
        num++;
    return num;
}

static void test_registered(void **state)
{
    (void)state;
    static const ik_routing_family *const list[] = {&first, &second, NULL};
    ik_plugin plugin = plugin_of("test_plugin", list);
    size_t before = count_routings();
    const ik_routing_family *const *old = ik_routings();
    ik_error err;
    assert_int_equal(ik_register(&plugin, &err), IK_OK);
    assert_int_equal(count_routings(), before + 2);
    assert_ptr_equal(ik_routings()[before], &first);
    assert_null(old[before]); /* who holds the old list sees the old list */
    assert_ptr_equal(ik_routing_find("test_second"), &second);
    const ik_plugin_info *info = ik_plugin_of(&second);
    assert_string_equal(info->name, "test_plugin");
    assert_string_equal(info->file, "");
    assert_string_equal(info->identity, "1");
    assert_int_equal(info->num_members, 2);
    assert_ptr_equal(ik_plugin_nth(0), info);
    assert_null(ik_plugin_nth(1));
    assert_null(ik_plugin_of(ik_routing_find("dmodk")));

    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_proof proof = {0};
    assert_int_equal(ik_fabric_from_spec("crossbar:n=5", NULL, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, "test_first", NULL, NULL, 0, NULL, &plan, &err), IK_OK);
    assert_int_equal(ik_verify(plan, NULL, NULL, &proof, &err), IK_OK);
    assert_true(proof.deadlock_free);
    ik_proof_free(&proof);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

/* After test_registered. */
static void test_replaced(void **state)
{
    (void)state;
    static const ik_routing_family *const list[] = {&newer, NULL};
    ik_plugin again = plugin_of("test_plugin", list), other = plugin_of("test_other", list);
    size_t before = count_routings();
    ik_error err;
    assert_int_equal(ik_register(&again, &err), IK_ERR_INPUT);
    other.replaces = true; /* only members of its own plug-in */
    assert_int_equal(ik_register(&other, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "test_plugin"));
    assert_ptr_equal(ik_routing_find("test_first"), &first);
    again.replaces = true;
    again.identity = "2";
    assert_int_equal(ik_register(&again, &err), IK_OK);
    assert_int_equal(count_routings(), before);
    assert_ptr_equal(ik_routing_find("test_first"), &newer);
    assert_string_equal(ik_plugin_of(&newer)->identity, "2");
    assert_string_equal(ik_plugin_of(&first)->identity, "1");
}

/* Nothing of a plug-in is there if any of it is refused. */
static void test_all_or_nothing(void **state)
{
    (void)state;
    static const ik_routing_family good = TABLE_ROUTING("test_good");
    static const ik_routing_family *const lists[][3] = {
        {&good, &broken, NULL}, {&good, &taken, NULL}, {&good, &good, NULL}, {NULL}};
    size_t before = count_routings();
    ik_error err;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ik_plugin plugin = plugin_of("test_refused", lists[i]);
        assert_int_equal(ik_register(&plugin, &err), IK_ERR_INPUT);
        assert_true(err.text[0]);
        assert_int_equal(ik_register(&plugin, NULL), IK_ERR_INPUT);
    }
    static const ik_routing_family *const list[] = {&good, NULL};
    ik_plugin plugin = plugin_of("test_refused", list);
    plugin.identity = NULL;
    assert_int_equal(ik_register(&plugin, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "identity"));
    plugin = plugin_of("test_refused", list);
    plugin.version++;
    assert_int_equal(ik_register(&plugin, &err), IK_ERR_UNSUPPORTED);
    plugin = plugin_of("test_refused", list);
    plugin.layout ^= 1;
    assert_int_equal(ik_register(&plugin, &err), IK_ERR_UNSUPPORTED);
    assert_int_equal(ik_register(NULL, &err), IK_ERR_USAGE);
    assert_int_equal(count_routings(), before);
    assert_null(ik_routing_find("test_good"));
}

/* ---- threads that look names up while members are added see whole lists */

enum { ADDED = 40 };
static char thread_names[ADDED][24];
static ik_routing_family thread_members[ADDED];

static void *look_up(void *done)
{
    size_t seen = 0;
    while (!__atomic_load_n((int *)done, __ATOMIC_ACQUIRE)) {
        size_t num = count_routings();
        if (num < seen || !ik_routing_find("dmodk") || !ik_routing_find("frugal"))
            return done;
        seen = num;
        const ik_routing_family *newest = ik_routings()[num - 1];
        if (strncmp(newest->name, "thread", 6) == 0 && !ik_plugin_of(newest))
            return done;
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    static const ik_routing_family *lists[ADDED][2];
    int done = 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, &done), 0);
    for (int i = 0; i < ADDED; i++) {
        snprintf(thread_names[i], sizeof thread_names[i], "thread_%d", i);
        thread_members[i] = second;
        thread_members[i].name = thread_names[i];
        lists[i][0] = &thread_members[i];
        ik_plugin plugin = plugin_of(thread_names[i], lists[i]);
        assert_int_equal(ik_register(&plugin, NULL), IK_OK);
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

static void test_flows(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_error err;
    assert_int_equal(ik_fabric_from_spec("crossbar:n=4", NULL, &f, &err), IK_OK);
    static const ik_traffic_family family = {.name = "flows"};
    ik_traffic t = {.family = &family, .fabric = f, .num_hosts = 4};
    ik_traffic_flow far[] = {{0, 1, 1}, {0, 4, 1}},
                    much[] = {{2, 1, UINT64_C(1) << 62}, {2, 3, UINT64_C(1) << 62}};
    assert_int_equal(ik_traffic_set_flows(&t, far, 2, &err), IK_ERR_INPUT);
    assert_int_equal(ik_traffic_set_flows(&t, much, 2, &err), IK_ERR_INPUT);
    ik_traffic_flow good[] = {{1, 3, 2}, {1, 1, 7}, {1, 0, 1}, {1, 3, 1}};
    assert_int_equal(ik_traffic_set_flows(&t, good, 4, &err), IK_OK);
    assert_int_equal(ik_traffic_flows_dest(&t, 0, 0), IK_NONE);
    unsigned to_3 = 0;
    for (uint64_t n = 0; n < 4000; n++)
        to_3 += ik_traffic_flows_dest(&t, 1, n) == 3;
    assert_in_range(to_3, 2850, 3150); /* 3 of 4; five standard deviations are 137 */
    ik_traffic_flows_destroy(&t);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registered), cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_all_or_nothing), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_flows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
