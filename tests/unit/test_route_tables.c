/* SPDX-License-Identifier: Apache-2.0
 *
 * Table routings: Dmodc, up/down, and forwarding tables as files. */
#include "unit/route_helpers.h"

#include <unistd.h>

/* On complete trees Dmodc is D-mod-K: the digit rule without, Zahavi's with parallel cables. */
static void dmodc_is_dmodk_on_complete_trees(void **state)
{
    (void)state;
    static const char *const specs[][2] = {
        {"karytree:k=2,n=4", "dmodk"},
        {"karytree:k=3,n=3", "dmodk"},
        {"rlft:ports=8,levels=3", "dmodk"},
        {"rlft:ports=6,levels=2", "dmodk"},
        {"pgft:m=4:4,w=1:2,p=1:2", "dmodk_pgft"},
        {"pgft:m=4:4:4,w=1:4:2,p=1:1:2", "dmodk_pgft"},
        {"pgft:m=4:2:4,w=1:2:2,p=1:2:2", "dmodk_pgft"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = fabric_of(specs[i][0]);
        ik_routing *a = routing_on(f, specs[i][1]), *b = routing_on(f, "dmodc");
        for (uint32_t s = 0; s < f->num_hosts; s++)
            for (uint32_t d = 0; d < f->num_hosts; d++)
                if (s != d)
                    assert_same_walk(a, b, s, d);
        ik_routing_free(a);
        ik_routing_free(b);
        ik_fabric_free(f);
    }
}

/* The published example: a tree of four leaves and four spines that lost the cable from leaf 0 to
 * spine 1. */
static void dmodc_around_a_lost_cable(void **state)
{
    (void)state;
    ik_fabric *whole = fabric_of("xgft:m=4:4,w=1:4"), *f = NULL;
    ik_error err = {0};
    uint32_t lost = whole->port_base[0] + 4 + 1, ports[MAX_PATH];
    assert_int_equal(ik_fabric_degrade(whole, &lost, 1, NULL, 0, &f, &err), IK_OK);
    ik_routing *r = routing_on(f, "dmodc");
    static const uint32_t from_leaf_0[] = {2, 3, 0, 2}, to_leaf_0[] = {0, 2, 3, 0};
    for (uint32_t d = 4; d < 8; d++) {
        assert_int_equal(walk(r, 0, d, ports), 4);
        assert_int_equal(f->port_node[ports[2]], 4 + from_leaf_0[d - 4]);
    }
    for (uint32_t d = 0; d < 4; d++) {
        assert_int_equal(walk(r, 4, d, ports), 4);
        assert_int_equal(f->port_node[ports[2]], 4 + to_leaf_0[d]);
    }
    ik_routing_free(r);
    ik_fabric_free(f);
    ik_fabric_free(whole);
}

/* The same table whatever the number of threads. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"dmodc", "updown", "updown:order=distance"};
    ik_fabric *f = fabric_of("rlft:ports=12,levels=3,fail=4%");
    for (size_t i = 0; i < 3; i++) {
        ik_routing *one = NULL, *many = NULL;
        ik_env env = {.num_threads = 1};
        assert_int_equal(ik_routing_from_spec(f, names[i], &env, &one, NULL), IK_OK);
        env.num_threads = 5;
        assert_int_equal(ik_routing_from_spec(f, names[i], &env, &many, NULL), IK_OK);
        assert_memory_equal(one->lft, many->lft,
                            (size_t)f->num_switches * f->num_hosts * sizeof *one->lft);
        ik_routing_free(one);
        ik_routing_free(many);
    }
    ik_fabric_free(f);
}

/* Delivered, loop-free and deadlock-free on damaged and irregular fabrics. */
static void check_proofs(const char *spec, const char *routing)
{
    ik_fabric *f = fabric_of(spec);
    ik_plan *plan = NULL;
    ik_proof proof;
    ik_error err = {0};
    if (ik_plan_from_specs(f, routing, NULL, NULL, 0, NULL, &plan, &err) != IK_OK)
        fail_msg("%s on %s: %s", routing, spec, err.text);
    if (ik_verify(plan, NULL, NULL, &proof, &err) != IK_OK)
        fail_msg("%s on %s: %s", routing, spec, err.text);
    if (proof.undelivered || proof.loops || proof.deadlock_free != IK_YES)
        fail_msg("%s on %s: %llu undelivered, %llu loops, %s", routing, spec,
                 (unsigned long long)proof.undelivered, (unsigned long long)proof.loops,
                 proof.deadlock_reason);
    ik_proof_free(&proof);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

static void legal_on_any_fabric(void **state)
{
    (void)state;
    static const char *const graphs[] = {
        "ring:n=5",         "ring:n=2",     "torus:dims=4:4",         "mesh:dims=3:5",
        "hypercube:n=4",    "slimfly:q=5",  "dragonfly:h=2",          "fullmesh:n=6",
        "karytree:k=3,n=3", "crossbar:n=4", "jellyfish:N=20,d=5,p=3", "oft:k=4",
        "mlfm:h=3"};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        check_proofs(graphs[i], "updown");
        check_proofs(graphs[i], "updown:root=0");
    }
    for (int seed = 1; seed <= 25; seed++) {
        char spec[96];
        snprintf(spec, sizeof spec, "torus:dims=4:4,fail=%d%%,fail_seed=%d", 5 + seed, seed);
        check_proofs(spec, "updown");
        snprintf(spec, sizeof spec, "rlft:ports=6,levels=3,fail=%d%%,fail_seed=%d", seed, seed);
        check_proofs(spec, "updown");
        check_proofs(spec, "updown:order=distance");
    }
}

/* Dmodc delivers or says which leaves no way up and down connects. */
static void dmodc_survives_or_refuses(void **state)
{
    (void)state;
    int served = 0;
    for (int seed = 1; seed <= 40; seed++) {
        char spec[96];
        ik_error err = {0};
        ik_routing *r = NULL;
        snprintf(spec, sizeof spec,
                 "rlft:ports=6,levels=3,fail=%d%%,fail_switches=%d%%,fail_seed=%d", seed / 2,
                 seed / 8, seed);
        ik_fabric *f = fabric_of(spec);
        ik_status status = ik_routing_from_spec(f, "dmodc", NULL, &r, &err);
        if (status == IK_OK) {
            served++;
            check_proofs(spec, "dmodc");
        } else {
            assert_int_equal(status, IK_ERR_UNSUPPORTED);
            assert_non_null(strstr(err.text, "up and then down"));
        }
        ik_routing_free(r);
        ik_fabric_free(f);
    }
    assert_true(served >= 20);
}

/* An empty file of a name that nobody else has; the XXXXXX at the path's end is filled in. */
static void make_file(char *path)
{
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
}

static void tables_come_back_from_a_file(void **state)
{
    (void)state;
    static const char *const specs[] = {"rlft:ports=8,levels=3", "karytree:k=2,n=3,fail=10%",
                                        "ring:n=5"};
    for (size_t i = 0; i < 3; i++) {
        ik_fabric *f = fabric_of(specs[i]);
        ik_routing *r = routing_on(f, "updown");
        ik_error err = {0};
        uint16_t *lft = NULL;
        char path[] = "/tmp/ikat-tables-XXXXXX", spec[160];
        make_file(path);
        assert_int_equal(ik_lft_write(r, path, &err), IK_OK);
        assert_int_equal(ik_lft_read(f, path, &lft, &err), IK_OK);
        assert_memory_equal(lft, r->lft, (size_t)f->num_switches * f->num_hosts * sizeof *lft);
        snprintf(spec, sizeof spec, "lft:path=%s", path);
        ik_routing *again = routing_on(f, spec);
        assert_memory_equal(again->lft, r->lft,
                            (size_t)f->num_switches * f->num_hosts * sizeof *lft);
        remove(path);
        free(lft);
        ik_routing_free(again);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

/* Tables that a subnet manager dumped of a fabric, and tables that dump_fts read from its
 * switches. */
static void tables_of_a_subnet_manager(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_fabric *f = fabric_of("file:" TEST_DATA "/opensm/ft2_8p.ibnetdiscover");
    uint16_t *dumped = NULL, *printed = NULL, *written = NULL;
    size_t entries = (size_t)f->num_switches * f->num_hosts;
    if (ik_lft_read(f, TEST_DATA "/opensm/ft2_8p.opensm-lfts.dump", &dumped, &err) != IK_OK)
        fail_msg("%s:%u: %s", err.file, err.line, err.text);
    if (ik_lft_read(f, TEST_DATA "/opensm/ft2_8p.dump_fts", &printed, &err) != IK_OK)
        fail_msg("%s:%u: %s", err.file, err.line, err.text);
    for (size_t i = 0; i < entries; i++)
        assert_true(dumped[i] != 0xFFFF && printed[i] != 0xFFFF);
    ik_routing *r = routing_on(f, "lft:path=" TEST_DATA "/opensm/ft2_8p.opensm-lfts.dump");
    uint32_t ports[MAX_PATH];
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t d = 0; d < f->num_hosts; d++)
            if (s != d)
                assert_true(walk(r, s, d, ports) > 0);
    char path[] = "/tmp/ikat-tables-XXXXXX";
    make_file(path);
    assert_int_equal(ik_lft_write(r, path, &err), IK_OK);
    assert_int_equal(ik_lft_read(f, path, &written, &err), IK_OK);
    assert_memory_equal(dumped, written, entries * sizeof *dumped);
    remove(path);
    free(dumped);
    free(printed);
    free(written);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void bad_tables_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        unsigned line;
    } cases[] = {
        {"", "no 'Unicast lids", 1},
        {"0x0001 001\n", "before any", 1},
        {"Unicast lids of switch Lid 1\n", "guid", 1},
        {"Unicast lids of switch Lid 1 guid 0x02696b0000000000:\n0x0001 999\n",
         "port from 0 to 255", 2},
        {"Unicast lids of switch Lid 1 guid 0x02696b0000000000:\n# fine\n0x0006 77\n",
         "has no port 77", 3},
        {"Unicast lids of switch Lid 1 guid 0x02696b0000000000:\n0x12345 1\n", "LID", 2},
        {"Unicast lids of switch Lid 1 guid 0x02696b0000000000:\nwhat is this\n", "what is this",
         2},
        {"Unicast lids of switch Lid 1 guid 0x00000000000000ff:\n0x0001 1\n",
         "none of the 1 switch ", 1},
        {"Unicast lids of switch Lid 1 guid 0xfffffffffffffffff:\n", "guid", 1},
    };
    ik_fabric *f = fabric_of("ring:n=5");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_error err = {0};
        uint16_t *lft = NULL;
        assert_int_equal(
            ik_lft_parse(f, cases[i].text, strlen(cases[i].text), "tables", &lft, &err),
            IK_ERR_INPUT);
        if (!strstr(err.text, cases[i].says) || err.line != cases[i].line)
            fail_msg("case %zu: line %u: %s", i, err.line, err.text);
        assert_null(lft);
    }
    ik_fabric_free(f);
}

static void tables_need_routing_by_destination(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_error err = {0};
    uint16_t *lft = NULL;
    static const char *const names[] = {"smodk", "oblivious", "adaptive_tree", "random"};
    for (size_t i = 0; i < 4; i++) {
        ik_routing *r = routing_on(f, names[i]);
        assert_int_equal(ik_lft_compile(r, NULL, &lft, &err), IK_ERR_UNSUPPORTED);
        ik_routing_free(r);
    }
    ik_routing *r = routing_on(f, "dmodk"), *table = routing_on(f, "dmodc");
    assert_int_equal(ik_lft_compile(r, NULL, &lft, &err), IK_OK);
    assert_memory_equal(lft, table->lft, (size_t)f->num_switches * f->num_hosts * sizeof *lft);
    free(lft);
    ik_routing_free(r);
    ik_routing_free(table);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dmodc_is_dmodk_on_complete_trees),
        cmocka_unit_test(dmodc_around_a_lost_cable),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(legal_on_any_fabric),
        cmocka_unit_test(dmodc_survives_or_refuses),
        cmocka_unit_test(tables_come_back_from_a_file),
        cmocka_unit_test(tables_of_a_subnet_manager),
        cmocka_unit_test(bad_tables_are_refused_with_their_place),
        cmocka_unit_test(tables_need_routing_by_destination),
    };
    return cmocka_run_group_tests_name("table routings", tests, NULL, NULL);
}
