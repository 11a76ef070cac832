/* SPDX-License-Identifier: Apache-2.0
 *
 * LIDs of a subnet: given by the fabric or by ikat, several per port, found in every way; and what
 * is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ikat/ikat.h"

/* A switch with 6 ports and two hosts of two ports; the second host has one cable. */
typedef struct pair {
    uint32_t switch_lid, lid[3]; /* of the first host's ports and the second's first */
    unsigned switch_lmc, lmc[3];
} pair;

static ik_fabric *pair_fabric(const pair *p)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    ik_error err = {0};
    uint16_t link = ik_builder_default_link(b, true);
    ik_builder_switches(b, 1, 6);
    ik_builder_hosts(b, 2, 2);
    ik_builder_link(b, ik_sw(0, 0), ik_hs(0, 0), link);
    ik_builder_link(b, ik_sw(0, 1), ik_hs(0, 1), link);
    ik_builder_link(b, ik_sw(0, 2), ik_hs(1, 0), link);
    ik_builder_switch_ids(b, 0, 0x10, p->switch_lid);
    ik_builder_node_lmc(b, ik_sw(0, 0), p->switch_lmc);
    ik_builder_host_ids(b, 0, 0x100, p->lid[0]);
    ik_builder_host_ids(b, 1, 0x200, p->lid[2]);
    ik_builder_node_lmc(b, ik_hs(1, 0), p->lmc[2]);
    for (uint32_t port = 0; port < 2; port++) {
        ik_builder_port_ids(b, ik_hs(0, port), 0x101 + port, 0);
        ik_builder_port_lid(b, ik_hs(0, port), p->lid[port], p->lmc[port]);
    }
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_builder_free(b);
    assert_int_equal(ik_fabric_check(f, &err), IK_OK);
    return f;
}

static const pair several = {.switch_lid = 1, .lid = {8, 12, 6}, .lmc = {2, 2, 1}};

static void ports_have_lids_of_their_own(void **state)
{
    (void)state;
    ik_fabric *f = pair_fabric(&several);
    uint32_t first = f->port_base[1];
    assert_int_equal(ik_port_lid(f, first), 8);
    assert_int_equal(ik_port_lid(f, first + 1), 12);
    assert_int_equal(ik_port_lmc(f, first + 1), 2);
    assert_int_equal(ik_port_lid(f, first + 2), 6);
    assert_int_equal(ik_port_lmc(f, first + 2), 1);
    assert_int_equal(ik_port_lid(f, first + 3), 0); /* has no cable */
    ik_fabric_free(f);
}

static void every_path_is_an_entry(void **state)
{
    (void)state;
    ik_fabric *f = pair_fabric(&several);
    ik_lids lids;
    ik_error err = {0};
    if (ik_lids_make(f, &lids, &err) != IK_OK)
        fail_msg("%s", err.text);
    static const uint16_t expected[] = {1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint16_t paths[] = {0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3};
    uint32_t first = f->port_base[1];
    assert_int_equal(lids.num, 11);
    for (uint32_t i = 0; i < lids.num; i++) {
        assert_int_equal(lids.of[i].lid, expected[i]);
        assert_int_equal(lids.of[i].path, paths[i]);
        assert_int_equal(ik_lids_find(&lids, expected[i]), i);
        assert_false(lids.of[i].made);
    }
    assert_int_equal(lids.of[0].port, IK_NONE);
    assert_int_equal(lids.of[0].guid, 0x10);
    assert_int_equal(lids.of[9].port, first + 1);
    assert_int_equal(lids.of[9].guid, 0x102);
    assert_int_equal(lids.of[9].node, 1);
    assert_int_equal(ik_lids_find(&lids, 0), IK_NONE);
    assert_int_equal(ik_lids_find(&lids, 5), IK_NONE);
    assert_int_equal(ik_lids_find(&lids, 0x10001), IK_NONE);
    assert_int_equal(ik_lids_find_guid(&lids, 0x102), 7);
    assert_int_equal(ik_lids_find_guid(&lids, 0x201), 1);
    assert_int_equal(ik_lids_find_guid(&lids, 0x100), IK_NONE);
    assert_int_equal(ik_lids_of_node(&lids, 0), 0);
    assert_int_equal(ik_lids_of_node(&lids, 1), 3);
    assert_int_equal(ik_lids_of_port(&lids, first + 1), 7);
    assert_int_equal(ik_lids_of_port(&lids, first + 3), IK_NONE);
    assert_int_equal(ik_lids_of_port(&lids, 0), IK_NONE);
    assert_int_equal(lids.max_lmc, 2);
    assert_true(lids.mixed_lmc);
    assert_int_equal(lids.lmc_of, 1);
    assert_int_equal(lids.other_lmc_of, 3);
    assert_int_equal(lids.assigned, 0);
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

/* A split fabric has the LIDs of the whole one, and each of its hosts that of its port. */
static void ports_become_hosts(void **state)
{
    (void)state;
    ik_fabric *f = pair_fabric(&several), *split = NULL;
    ik_lids lids;
    assert_int_equal(ik_fabric_split(f, &split, NULL), IK_OK);
    assert_int_equal(split->num_hosts, 3);
    static const uint32_t expected[] = {8, 12, 6};
    for (uint32_t host = 0; host < 3; host++) {
        assert_int_equal(split->node_lid[1 + host], expected[host]);
        assert_int_equal(ik_port_lid(split, ik_host_port(split, host)), expected[host]);
    }
    assert_int_equal(split->node_lmc[2], 2);
    assert_int_equal(ik_lids_make(split, &lids, NULL), IK_OK);
    assert_ptr_equal(lids.fabric, f);
    assert_int_equal(lids.num, 11);
    ik_lids_free(&lids);
    ik_fabric_free(split);
    ik_fabric_free(f);
}

static void copies_keep_them(void **state)
{
    (void)state;
    ik_fabric *f = pair_fabric(&several), *copy = NULL, *fewer = NULL;
    char why[200];
    assert_int_equal(ik_fabric_degrade(f, NULL, 0, NULL, 0, &copy, NULL), IK_OK);
    if (!ik_fabric_equal(f, copy, why, sizeof why))
        fail_msg("%s", why);
    /* The first cable fails: the second port keeps its own LIDs. */
    uint32_t failed = f->port_base[1];
    ik_fabric_free(copy);
    assert_int_equal(ik_fabric_degrade(f, &failed, 1, NULL, 0, &copy, NULL), IK_OK);
    ik_lids lids;
    assert_int_equal(ik_lids_make(copy, &lids, NULL), IK_OK);
    assert_int_equal(lids.num, 7);
    assert_int_equal(ik_lids_find(&lids, 8), IK_NONE);
    assert_int_equal(lids.of[ik_lids_of_node(&lids, 1)].lid, 12);
    ik_lids_free(&lids);
    bool keep[2] = {true, false};
    assert_int_equal(ik_fabric_keep_hosts(f, keep, &fewer, NULL), IK_OK);
    assert_int_equal(ik_port_lid(fewer, fewer->port_base[1] + 1), 12);
    assert_int_equal(ik_port_lmc(fewer, fewer->port_base[1] + 1), 2);
    ik_fabric_free(fewer);
    ik_fabric_free(copy);
    ik_fabric_free(f);
}

static void ports_without_a_lid_get_one(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_lids lids;
    assert_int_equal(ik_fabric_from_spec("ring:n=5", NULL, &f, NULL), IK_OK);
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    assert_int_equal(lids.num, 10);
    assert_int_equal(lids.assigned, 10);
    for (uint32_t i = 0; i < 10; i++) { /* switches first */
        assert_int_equal(lids.of[i].lid, i + 1);
        assert_int_equal(lids.of[i].node, i);
        assert_true(lids.of[i].made);
    }
    ik_lids_free(&lids);
    ik_fabric_free(f);
    /* the lowest that nobody has, beside those that there are */
    static const pair some = {.switch_lid = 2, .lid = {1, 0, 4}, .lmc = {0, 0, 2}};
    f = pair_fabric(&some);
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    assert_int_equal(lids.assigned, 1);
    assert_int_equal(lids.of[ik_lids_of_port(&lids, f->port_base[1] + 1)].lid, 3);
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

static ik_status count_refused(void *told, uint32_t node, uint32_t port, const ik_error *why,
                               ik_error *err)
{
    (void)node;
    (void)port;
    (void)err;
    assert_int_equal(why->status, IK_ERR_INPUT);
    ++*(uint32_t *)told;
    return IK_OK;
}

static ik_status stop(void *context, uint32_t node, uint32_t port, const ik_error *why,
                      ik_error *err)
{
    (void)context;
    (void)node;
    (void)port;
    (void)why;
    return ik_fail(err, IK_ERR_CANCELLED, "enough");
}

static void clashes_are_refused(void **state)
{
    (void)state;
    static const struct {
        pair p;
        const char *says;
    } cases[] = {
        {{.switch_lid = 1, .lid = {8, 8, 6}},
         "host0 (0x0000000000000100) port 1 and host0 "
         "(0x0000000000000100) port 2 have the same LID, 8"},
        {{.switch_lid = 6, .lid = {8, 9, 6}}, "have the same LID, 6"},
        {{.switch_lid = 1, .lid = {8, 10, 6}, .lmc = {2, 1, 0}}, "LIDs 8 to 11 of"},
        {{.switch_lid = 1, .lid = {10, 16, 6}, .lmc = {2, 0, 0}}, "not a multiple of 4 (LMC 2)"},
        {{.switch_lid = 0xC000, .lid = {10, 16, 6}}, "LID 49152; unicast LIDs go up to 49151"},
        {{.switch_lid = 1, .lid = {0xBFF0, 16, 6}, .lmc = {7, 0, 0}},
         "LID 49263; unicast LIDs go up to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = pair_fabric(&cases[i].p);
        ik_lids lids = {0};
        ik_error err = {0};
        assert_int_equal(ik_lids_make(f, &lids, &err), IK_ERR_INPUT);
        if (!strstr(err.text, cases[i].says))
            fail_msg("case %zu: %s", i, err.text);
        assert_null(lids.of);
        uint32_t told = 0;
        assert_int_equal(ik_lids_make_reporting(f, count_refused, &told, &lids, NULL), IK_OK);
        assert_int_equal(told, 1);
        assert_int_equal(lids.assigned, 1);
        ik_lids_free(&lids);
        assert_int_equal(ik_lids_make_reporting(f, stop, NULL, &lids, &err), IK_ERR_CANCELLED);
        assert_null(lids.of);
        ik_fabric_free(f);
    }
}

static void there_are_so_many_lids(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_lids lids = {0};
    ik_error err = {0};
    assert_int_equal(ik_fabric_from_spec("ring:n=2,p=24575", NULL, &f, &err), IK_OK);
    assert_int_equal(f->num_hosts, 49150);
    assert_int_equal(ik_lids_make(f, &lids, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "49151"));
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_have_lids_of_their_own), cmocka_unit_test(every_path_is_an_entry),
        cmocka_unit_test(ports_become_hosts),           cmocka_unit_test(copies_keep_them),
        cmocka_unit_test(ports_without_a_lid_get_one),  cmocka_unit_test(clashes_are_refused),
        cmocka_unit_test(there_are_so_many_lids),
    };
    return cmocka_run_group_tests_name("LIDs", tests, NULL, NULL);
}
