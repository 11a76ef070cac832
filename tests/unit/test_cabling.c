/* SPDX-License-Identifier: Apache-2.0
 *
 * Cabling: families are recognised whatever their switches are numbered; cables that were swapped,
 * moved or taken away are found, and the proposed work, once done, gives the plan again.
 */
#include "ikat/cabling.h"
#include "ikat/format.h"
#include "ikat/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/part.h"

static const ik_env env = {.seed = 1};

static ik_fabric *build(const char *spec)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_fabric_from_spec(spec, &env, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

/* 0 … n - 1 in a random order. */
static uint32_t *shuffled(uint32_t n, ik_rng *rng)
{
    uint32_t *at = malloc((n + 1) * sizeof *at);
    for (uint32_t i = 0; i < n; i++)
        at[i] = i;
    for (uint32_t i = n; i-- > 1;) {
        uint32_t k = ik_rng_below(rng, i + 1), old = at[i];
        at[i] = at[k];
        at[k] = old;
    }
    return at;
}

typedef struct renumbering {
    const ik_fabric *f;
    uint32_t *sw, *host, **port; /* port[node]: order of its ports */
} renumbering;

static ik_end end_of(const renumbering *r, uint32_t port)
{
    uint32_t node = r->f->port_node[port], local = r->port[node][ik_port_local(r->f, port)];
    return ik_is_switch(r->f, node) ? ik_sw(r->sw[node], local)
                                    : ik_hs(r->host[ik_node_host(r->f, node)], local);
}

/* The fabric with other numbers of switches, hosts and ports, and GUIDs if wanted. */
static ik_fabric *renumbered(const ik_fabric *f, uint64_t seed, bool guids)
{
    ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, 0);
    renumbering r = {f, shuffled(f->num_switches, &rng), shuffled(f->num_hosts, &rng),
                     calloc(ik_num_nodes(f), sizeof(uint32_t *))};
    ik_builder *b = ik_builder_new();
    ik_fabric *out = NULL;
    ik_error err = {0};
    uint16_t link = ik_builder_class(b, UINT64_C(100000000000), 6000, NULL);
    ik_builder_switches(b, 0, 0);
    uint32_t *old = calloc(ik_num_nodes(f), sizeof *old);
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        old[ik_is_switch(f, node) ? r.sw[node] : f->num_switches + r.host[node - f->num_switches]] =
            node;
    for (uint32_t i = 0; i < ik_num_nodes(f); i++) {
        uint32_t radix = ik_radix(f, old[i]);
        r.port[old[i]] = shuffled(radix, &rng);
        if (i < f->num_switches)
            ik_builder_switches(b, 1, radix);
        else
            ik_builder_hosts(b, 1, radix);
        if (guids && i < f->num_switches)
            ik_builder_switch_ids(b, i, 0x1000 + old[i], 0);
        else if (guids)
            ik_builder_host_ids(b, i - f->num_switches, 0x1000 + old[i], 0);
    }
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && f->port_peer[port] > port)
            ik_builder_link(b, end_of(&r, port), end_of(&r, f->port_peer[port]), link);
    assert_int_equal(ik_builder_finish(b, &out, &err), IK_OK);
    assert_int_equal(ik_fabric_find_levels(out, &err), IK_OK);
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        free(r.port[node]);
    free(r.port);
    free(r.sw);
    free(r.host);
    free(old);
    ik_builder_free(b);
    return out;
}

static ik_cabling audited(const ik_fabric *f, const ik_fabric *plan)
{
    ik_cabling c;
    ik_error err = {0};
    if (ik_cabling_audit(f, plan, &env, &c, &err) != IK_OK)
        fail_msg("%s", err.text);
    return c;
}

static size_t found(const ik_cabling *c, const char *code)
{
    size_t num = 0;
    for (size_t i = 0; i < c->num_findings; i++)
        num += strcmp(c->findings[i].code, code) == 0;
    return num;
}

static void test_families(void **state)
{
    static const char *const specs[][2] = {
        {"rlft:ports=8,levels=2", "rlft:ports=8,levels=2"},
        {"rlft:ports=8,levels=3", "rlft:ports=8,levels=3"},
        {"rlft:ports=4,levels=4", "rlft:ports=4,levels=4"},
        {"rlft:ports=36,levels=2,hosts=500", "rlft:ports=36,levels=2"},
        {"rlft:ports=16,levels=3,hosts=500", "rlft:ports=16,levels=3"}, /* pods without hosts */
        {"xgft:m=4:4,w=2:4", "xgft:m=4:4,w=2:4"},
        {"karytree:k=4,n=3", "karytree:k=4,n=3"},
        {"xgft:m=8:4,w=1:3", "xgft:m=8:4,w=1:3"},
        {"pgft:m=24:4,w=1:2,p=1:6", "pgft:m=24:4,w=1:2,p=1:6"},
        {"pgft:m=4:2:4,w=1:2:2,p=1:2:2", "pgft:m=4:2:4,w=1:2:2,p=1:2:2"},
        {"crossbar:n=12", "crossbar:n=12"},
        {"fullmesh:n=7,p=3", "fullmesh:n=7,p=3,k=1"},
        {"fullmesh:n=6,p=2,k=2", "fullmesh:n=6,p=2,k=2"},
        {"torus:dims=5:5", "torus:dims=5:5,p=1"},
        {"torus:dims=4:4:4,p=2", "torus:dims=4:4:4,p=2"},
        {"torus:dims=6:4", "torus:dims=6:4,p=1"},
        {"torus:dims=7:5:3", "torus:dims=7:5:3,p=1"},
        {"ring:n=9,p=2", "torus:dims=9,p=2"},
        {"mesh:dims=5:4", "mesh:dims=5:4,p=1"},
        {"mesh:dims=4:4:4", "mesh:dims=4:4:4,p=1"},
        {"hypercube:n=5", "hypercube:n=5,p=1"},
        {"hyperx:dims=5:4,p=3", "hyperx:dims=5:4,p=3"},
        {"hyperx:dims=4:4:4,p=3", "hyperx:dims=4:4:4,p=3"},
        {"dragonfly:h=2", "dragonfly:h=2,a=4,p=2,g=9,arrangement=palmtree"},
        {"slimfly:q=5", "slimfly:q=5,p=3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = build(specs[i][0]), *other = renumbered(f, i + 1, false);
        ik_cabling c = audited(other, NULL);
        if (!c.family || !c.exact)
            fail_msg("%s: %s", specs[i][0], c.summary);
        assert_string_equal(c.family, specs[i][1]);
        assert_int_equal(c.num_changes, 0);
        assert_int_equal(c.missing + c.wrong, 0);
        ik_cabling_free(&c);
        ik_fabric_free(f);
        ik_fabric_free(other);
    }
}

/* Random graphs and trees that are no PGFT are of no family. */
static void test_no_family(void **state)
{
    static const char *const specs[] = {"jellyfish:N=64,d=6,p=2", "jellyfish:N=50,d=8,p=3",
                                        "lrt:N=64,d=4,r=3", "oft:k=4", "mlfm:h=3"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        if (ik_fabric_from_spec(specs[i], &env, &f, &err) != IK_OK) {
            print_message("%s: %s %s\n", specs[i], err.text, err.hint);
            continue;
        }
        ik_cabling c = audited(f, NULL);
        if (c.known)
            fail_msg("%s: %s", specs[i], c.summary);
        assert_false(c.exact);
        ik_cabling_free(&c);
        ik_fabric_free(f);
    }
}

/* ---- damage */

static void join(ik_fabric *f, uint32_t a, uint32_t b)
{
    f->port_peer[a] = b;
    f->port_peer[b] = a;
}

static void cut(ik_fabric *f, uint32_t a)
{
    f->port_peer[f->port_peer[a]] = IK_NONE;
    f->port_peer[a] = IK_NONE;
}

/* A random cabled port between switches whose two switches have not been touched. */
static uint32_t fresh_cable(const ik_fabric *f, bool *touched, ik_rng *rng)
{
    for (unsigned tries = 0; tries < 100000; tries++) {
        uint32_t port = ik_rng_below(rng, f->port_base[f->num_switches]),
                 far = ik_peer_node(f, port);
        if (far == IK_NONE || !ik_is_switch(f, far) || touched[far] || touched[f->port_node[port]])
            continue;
        touched[far] = touched[f->port_node[port]] = true;
        return port;
    }
    fail_msg("no cable is left");
    return IK_NONE;
}

static uint32_t switch_links(const ik_fabric *f, uint32_t a, uint32_t b)
{
    uint32_t num = 0;
    for (uint32_t port = f->port_base[a]; port < f->port_base[a + 1]; port++)
        num += ik_peer_node(f, port) == b;
    return num;
}

/* Exchanges the ends of two cables of independent switches that make new pairs of switches;
 * false: these two would make none. */
static bool swap_two(ik_fabric *f, bool *touched, ik_rng *rng)
{
    uint32_t a = fresh_cable(f, touched, rng), b = f->port_peer[a];
    uint32_t c = fresh_cable(f, touched, rng), d = f->port_peer[c];
    uint32_t na = f->port_node[a], nb = f->port_node[b], nc = f->port_node[c], nd = f->port_node[d];
    if (switch_links(f, na, nd) || switch_links(f, nb, nc))
        return false;
    join(f, a, d);
    join(f, c, b);
    return true;
}

static void expect_restored(const char *spec, const ik_fabric *f, const ik_cabling *c,
                            const ik_fabric *plan, uint64_t missing)
{
    ik_error err = {0};
    ik_fabric *mended = NULL;
    if (ik_cabling_apply(f, c->changes, c->num_changes, &mended, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    assert_int_equal(ik_fabric_check(mended, &err), IK_OK);
    ik_cabling again = audited(mended, plan);
    if (again.wrong || again.missing != missing)
        fail_msg("%s: after the moves %s", spec, again.summary);
    if (!missing)
        assert_true(again.exact);
    ik_cabling_free(&again);
    ik_fabric_free(mended);
}

static const char *const damaged[] = {
    "rlft:ports=8,levels=2",   "rlft:ports=8,levels=3", "rlft:ports=36,levels=2",
    "pgft:m=12:8,w=1:4,p=1:3", "torus:dims=8:8",        "torus:dims=6:5:4",
    "hypercube:n=6",           "hyperx:dims=6:6,p=3",   "dragonfly:h=3",
    "mesh:dims=8:7",           "fullmesh:n=24,p=4",     "rlft:ports=12,levels=3"};
enum { NUM_DAMAGED = sizeof damaged / sizeof *damaged };

/* Swapped cables are found as swaps, each of them, and exchanging them back restores the family. */
static void test_swaps(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_DAMAGED; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            if (!in_part((unsigned)(i + seed), 11))
                continue;
            ik_fabric *plan = build(damaged[i]), *f = renumbered(plan, seed, false);
            ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, i + 1);
            bool *touched = calloc(f->num_switches, sizeof *touched);
            unsigned swaps = 0;
            for (unsigned k = 0; k < 2 && f->num_switches > 12; k++)
                swaps += swap_two(f, touched, &rng);
            ik_cabling c = audited(f, NULL);
            if (!c.known || c.wrong > 2 * swaps || c.missing > 2 * swaps)
                fail_msg("%s, seed %u, %u swaps: %s", damaged[i], (unsigned)seed, swaps, c.summary);
            assert_int_equal(c.wrong, c.missing);
            if (c.wrong == 2 * swaps) /* two that cancel by symmetry leave fewer */
                assert_true(c.num_changes <= 2 * swaps);
            expect_restored(damaged[i], f, &c, NULL, 0);
            ik_cabling_free(&c);
            free(touched);
            ik_fabric_free(f);
            ik_fabric_free(plan);
        }
}

/* Cables that are gone are counted, and named. */
static void test_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_DAMAGED; i++) {
        ik_fabric *plan = build(damaged[i]), *f = renumbered(plan, 7, false);
        ik_rng rng = ik_rng_at(9, IK_RNG_TEST, i + 1);
        bool *touched = calloc(f->num_switches, sizeof *touched);
        for (unsigned k = 0; k < 3; k++)
            cut(f, fresh_cable(f, touched, &rng));
        ik_cabling c = audited(f, NULL);
        if (!c.known || c.missing != 3 || c.wrong)
            fail_msg("%s: %s", damaged[i], c.summary);
        assert_int_equal(c.num_changes, 3);
        assert_int_equal(found(&c, "missing-cable"), 3);
        assert_non_null(strstr(c.summary, "with 3 cables missing"));
        expect_restored(damaged[i], f, &c, NULL, 0);
        ik_cabling_free(&c);
        free(touched);
        ik_fabric_free(f);
        ik_fabric_free(plan);
    }
}

static bool same_cables(const ik_fabric *a, const ik_fabric *b)
{
    return a->num_ports == b->num_ports &&
           memcmp(a->port_peer, b->port_peer, a->num_ports * sizeof *a->port_peer) == 0;
}

/* Any mixture of swapped, moved, added and removed cables, hosts' included, against a plan with
 * GUIDs: the work restores it port by port. */
static void test_plan_by_ports(void **state)
{
    static const char *const specs[] = {"rlft:ports=8,levels=2", "torus:dims=4:4",
                                        "xgft:m=6:4,w=1:2,fail=10%,fail_seed=3",
                                        "jellyfish:N=16,d=4,p=2"};
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        ik_fabric *made = build(specs[seed % 4]), *plan = renumbered(made, seed, true);
        ik_fabric *f = renumbered(made, seed, true), *mended = NULL;
        ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, 77);
        ik_error err = {0};
        for (unsigned k = ik_rng_below(&rng, 12); k-- > 0;) {
            uint32_t a = ik_rng_below(&rng, f->num_ports), b = ik_rng_below(&rng, f->num_ports);
            if (f->port_peer[a] != IK_NONE)
                cut(f, a);
            if (f->port_peer[b] != IK_NONE)
                cut(f, b);
            if (a != b && f->port_node[a] != f->port_node[b] && ik_rng_below(&rng, 3))
                join(f, a, b);
        }
        ik_cabling c = audited(f, plan);
        assert_true(c.by_ports);
        assert_int_equal(c.exact, same_cables(f, plan));
        assert_int_equal(ik_cabling_apply(f, c.changes, c.num_changes, &mended, &err), IK_OK);
        assert_true(same_cables(mended, plan));
        assert_true(c.num_changes <= (c.missing > c.wrong ? c.missing : c.wrong));
        ik_cabling_free(&c);
        ik_fabric_free(made);
        ik_fabric_free(plan);
        ik_fabric_free(f);
        ik_fabric_free(mended);
    }
}

/* Two exchanged cables are one swap, and a cable at the wrong spine is one move, with the ports. */
static void test_named_work(void **state)
{
    ik_fabric *made = build("rlft:ports=8,levels=2"), *plan = renumbered(made, 4, true);
    ik_fabric *f = renumbered(made, 4, true);
    bool *touched = calloc(f->num_switches, sizeof *touched);
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 5);
    (void)state;
    uint32_t a = fresh_cable(f, touched, &rng), b = f->port_peer[a];
    uint32_t c = fresh_cable(f, touched, &rng), d = f->port_peer[c];
    join(f, a, d);
    join(f, c, b);
    ik_cabling said = audited(f, plan);
    assert_int_equal(said.num_changes, 1);
    assert_int_equal(said.changes[0].work, IK_CABLE_SWAP);
    assert_int_equal(found(&said, "miscabled"), 1);
    ik_cabling_free(&said);
    join(f, a, b);
    cut(f, c);
    cut(f, a);
    join(f, a, d); /* c has lost its cable, b's end went to d */
    said = audited(f, plan);
    assert_int_equal(said.num_changes, 2);
    assert_int_equal(said.wrong, 1);
    assert_int_equal(said.missing, 2);
    ik_cabling_free(&said);
    free(touched);
    ik_fabric_free(made);
    ik_fabric_free(plan);
    ik_fabric_free(f);
}

/* A plan without names: a specification, or a fabric numbered otherwise. */
static void test_plan_by_structure(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_DAMAGED; i++) {
        ik_fabric *plan = build(damaged[i]), *f = renumbered(plan, 3, false);
        ik_rng rng = ik_rng_at(5, IK_RNG_TEST, i + 1);
        bool *touched = calloc(f->num_switches, sizeof *touched);
        bool done = swap_two(f, touched, &rng);
        cut(f, fresh_cable(f, touched, &rng));
        ik_cabling c = audited(f, plan);
        if (c.by_ports || c.wrong > 2u * done || c.missing > 2u * done + 1)
            fail_msg("%s: %s", damaged[i], c.summary);
        assert_null(c.family);
        expect_restored(damaged[i], f, &c, plan, 0);
        ik_cabling_free(&c);
        free(touched);
        ik_fabric_free(f);
        ik_fabric_free(plan);
    }
}

/* A spine that is dead, a leaf that is not there. */
static void test_missing_switches(void **state)
{
    ik_fabric *plan = build("rlft:ports=8,levels=3"), *f = NULL;
    ik_error err = {0};
    (void)state;
    uint32_t dead[] = {40}; /* on level 2 */
    assert_int_equal(plan->switch_level[40], 2);
    assert_int_equal(ik_fabric_degrade(plan, NULL, 0, dead, 1, &f, &err), IK_OK);
    ik_cabling c = audited(f, NULL);
    assert_string_equal(c.family, "rlft:ports=8,levels=3");
    assert_int_equal(c.wrong, 0);
    assert_false(c.exact);
    ik_cabling_free(&c);
    ik_fabric_free(f);
    ik_fabric_free(plan);
}

/* ---- whatever it is */

static ik_fabric *random_fabric(ik_rng *rng)
{
    ik_builder *b = ik_builder_new();
    ik_error err = {0};
    ik_fabric *f = NULL;
    uint32_t switches = 1 + ik_rng_below(rng, 12), hosts = ik_rng_below(rng, 9);
    uint32_t radix = 1 + ik_rng_below(rng, 8);
    uint16_t link = ik_builder_class(b, UINT64_C(100000000000), 6000, NULL);
    ik_builder_switches(b, switches, radix);
    ik_builder_hosts(b, hosts, 2);
    uint32_t ports = switches * radix + 2 * hosts, *order = shuffled(ports, rng);
    for (uint32_t i = 0; i + 1 < ports - ik_rng_below(rng, ports); i += 2) {
        ik_end e[2];
        for (unsigned k = 0; k < 2; k++) {
            uint32_t port = order[i + k], sw = port / radix;
            e[k] = sw < switches ? ik_sw(sw, port % radix)
                                 : ik_hs((port - switches * radix) / 2, port % 2);
        }
        ik_builder_link(b, e[0], e[1], link);
    }
    for (uint32_t sw = 0; sw < switches && ik_rng_below(rng, 2); sw++)
        ik_builder_switch_ids(b, sw, 1 + ik_rng_below(rng, 12), 0); /* some twice */
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    assert_int_equal(ik_fabric_find_levels(f, &err), IK_OK);
    free(order);
    ik_builder_free(b);
    return f;
}

/* Any fabric and any plan: the work can be done, and leaves a fabric that holds together. */
static void test_any_fabric(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++) {
        ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, 99);
        ik_fabric *f = random_fabric(&rng), *plan = random_fabric(&rng), *mended = NULL;
        ik_error err = {0};
        for (unsigned with = 0; with < 2; with++) {
            ik_cabling c = audited(f, with ? plan : NULL);
            if (ik_cabling_apply(f, c.changes, c.num_changes, &mended, &err) != IK_OK)
                fail_msg("seed %u: %s", (unsigned)seed, err.text);
            if (ik_fabric_check(mended, &err) != IK_OK)
                fail_msg("seed %u: %s", (unsigned)seed, err.text);
            ik_cabling_free(&c);
            ik_fabric_free(mended);
        }
        ik_fabric_free(f);
        ik_fabric_free(plan);
    }
}

/* A torus of which one switch has neither cables nor ports: it takes no place, and no work is named
 * at ports of others. */
static void test_switch_without_ports(void **state)
{
    (void)state;
    ik_fabric *torus = build("torus:dims=4:4,p=1"), *f = NULL;
    ik_error err = {0};
    ik_builder *b = ik_builder_new();
    uint16_t link = ik_builder_class(b, UINT64_C(100000000000), 6000, NULL);
    ik_builder_switches(b, 15, 5);
    ik_builder_switches(b, 1, 0);
    for (uint32_t port = 0; port < torus->port_base[16]; port++) {
        uint32_t peer = torus->port_peer[port], sw = torus->port_node[port];
        if (peer > port && sw < 15 && torus->port_node[peer] < 15)
            ik_builder_link(b, ik_sw(sw, ik_port_local(torus, port)),
                            ik_sw(torus->port_node[peer], ik_port_local(torus, peer)), link);
    }
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_cabling c = audited(f, NULL);
    assert_string_equal(c.family, "torus:dims=4:4,p=1");
    assert_int_equal(c.missing_switches, 1);
    assert_int_equal(c.missing + c.wrong, 0);
    assert_int_equal(c.num_changes, 0);
    ik_cabling_free(&c);
    ik_fabric_free(f);
    ik_fabric_free(torus);
    ik_builder_free(b);
}

/* A host alone, without any switch, and a plan: all of its switches are missing; the other way
 * round all are unknown. */
static void test_no_switches(void **state)
{
    (void)state;
    ik_fabric *torus = build("torus:dims=4:4,p=1"), *f = NULL;
    ik_error err = {0};
    ik_builder *b = ik_builder_new();
    ik_builder_hosts(b, 1, 1);
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_cabling c = audited(f, torus);
    assert_int_equal(c.missing_switches, 16);
    assert_int_equal(c.missing + c.wrong + c.num_changes, 0);
    ik_cabling_free(&c);
    c = audited(torus, f);
    assert_int_equal(c.unknown_switches, 16);
    assert_int_equal(c.missing + c.wrong + c.num_changes, 0);
    ik_cabling_free(&c);
    ik_fabric_free(f);
    ik_fabric_free(torus);
    ik_builder_free(b);
}

/* Comparisons that would take hours are refused, and then nothing is recognised. */
static void test_many_neighbours(void **state)
{
    (void)state;
    /* a full mesh of up to 1,024 switches is recognised without a comparison */
    unsigned num = as_many(1100, 1100, 530);
    char spec[32];
    snprintf(spec, sizeof spec, "fullmesh:n=%u,p=1", num);
    ik_fabric *f = build(spec);
    ik_cabling c = audited(f, NULL);
    ik_error err = {0};
    assert_int_equal(c.family != NULL, num <= 1024);
    assert_int_equal(c.known, num <= 1024);
    ik_cabling_free(&c);
    assert_int_equal(ik_cabling_audit(f, f, &env, &c, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "with as many neighbours as they have"));
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_no_family),
        cmocka_unit_test(test_swaps),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_plan_by_ports),
        cmocka_unit_test(test_named_work),
        cmocka_unit_test(test_plan_by_structure),
        cmocka_unit_test(test_missing_switches),
        cmocka_unit_test(test_any_fabric),
        cmocka_unit_test(test_switch_without_ports),
        cmocka_unit_test(test_many_neighbours),
        cmocka_unit_test(test_no_switches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
