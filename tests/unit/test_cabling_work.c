/* SPDX-License-Identifier: Apache-2.0
 *
 * Cabling: what recognising a fabric costs. Comparisons are counted, not seconds, so the numbers
 * are the same on every machine.
 */
#include "ikat/topology.h"
#include "topology/cabling/cab_family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const ik_env env = {.seed = 1};

typedef enum damage { SOUND, SWAPPED, WITHOUT_CABLES, DAMAGES } damage;
static const char *const names[] = {"sound", "two cables swapped", "a switch without cables"};

static void join(ik_fabric *f, uint32_t a, uint32_t b)
{
    f->port_peer[a] = b;
    f->port_peer[b] = a;
}

/* A cable between switches, by the port of one end. */
static uint32_t cable_of(const ik_fabric *f, uint32_t sw)
{
    uint32_t port = f->port_base[sw];
    while (f->port_peer[port] == IK_NONE || !ik_is_switch(f, ik_peer_node(f, port)))
        port++;
    return port;
}

static void do_damage(ik_fabric *f, damage kind)
{
    uint32_t sw = f->num_switches / 3, a = cable_of(f, sw), b = f->port_peer[a];
    uint32_t c = cable_of(f, f->num_switches - 1), d = f->port_peer[c];
    if (kind == SWAPPED) {
        assert_true(ik_peer_node(f, a) != ik_peer_node(f, c) && a != d);
        join(f, a, d);
        join(f, c, b);
    }
    for (uint32_t port = f->port_base[sw]; kind == WITHOUT_CABLES && port < f->port_base[sw + 1];
         port++) {
        uint32_t peer = f->port_peer[port];
        f->port_peer[port] = IK_NONE;
        if (peer != IK_NONE)
            f->port_peer[peer] = IK_NONE;
    }
}

/* Comparisons for each cable. */
static double work_of(const char *spec, damage kind)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    cab_graph g = {0};
    cab_family family;
    assert_int_equal(ik_fabric_from_spec(spec, &env, &f, &err), IK_OK);
    do_damage(f, kind);
    assert_int_equal(cab_graph_make(f, &g, &err), IK_OK);
    assert_int_equal(cab_family_find(f, &g, &env, &family, &err), IK_OK);
    if (!family.spec[0])
        fail_msg("%s, %s, is of no family", spec, names[kind]);
    double work = (double)family.work / (double)g.links;
    assert_true(work >= 1); /* it looks at every cable */
    cab_family_free(&family);
    cab_graph_free(&g);
    ik_fabric_free(f);
    return work;
}

/* At most about three times what it takes. */
static void test_work(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double most[DAMAGES];
    } members[] = {
        {"torus:dims=6:6", {3e4, 2e7, 4e4}},
        {"torus:dims=12:12", {2e5, 2e5, 2e5}},
        {"torus:dims=8:8:8", {2e5, 3e5, 2e5}},
        {"mesh:dims=6:6", {4e4, 3e7, 6e4}},
        {"mesh:dims=12:12", {8e4, 2e5, 2e5}},
        {"mesh:dims=6:6:6", {3e5, 4e5, 5e5}},
        {"dragonfly:h=2", {3e4, 9e6, 6e4}},
        {"dragonfly:h=4", {2e3, 3e5, 2e5}},
        {"dragonfly:h=3,arrangement=absolute", {1e5, 3e6, 3e6}},
        {"rlft:ports=8,levels=3", {4e2, 2e3, 2e3}},
        {"rlft:ports=16,levels=3", {8e2, 4e3, 4e3}},
        {"rlft:ports=36,levels=2", {7e2, 2e4, 7e3}},
        {"karytree:k=4,n=4", {4e2, 4e3, 4e2}},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        for (damage kind = SOUND; kind < DAMAGES; kind++) {
            double work = work_of(members[i].spec, kind);
            if (work > members[i].most[kind])
                fail_msg("%s, %s: %.4g comparisons for each cable", members[i].spec, names[kind],
                         work);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
