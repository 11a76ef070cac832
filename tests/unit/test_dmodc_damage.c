/* SPDX-License-Identifier: Apache-2.0
 *
 * What damage does to Dmodc's tables: an entry may change only where the cables that lead one step
 * nearer to the destination are not the same as before. Every single cable of generated and
 * imported trees, pairs of cables, switches, and edited dumps.
 */
#include "unit/made.h"
#include "unit/part.h"

#include <unistd.h>

enum { FAR = 255 };

/* Hops of the shortest way up and then down from every switch to one leaf switch, by plain
 * relaxation over the levels. */
static void distances_to(const ik_fabric *f, uint32_t leaf, uint8_t *hops)
{
    memset(hops, FAR, f->num_switches);
    hops[leaf] = 0;
    for (unsigned up = 0; up < 2; up++) /* first ways down alone, then with a way up before */
        for (uint32_t round = 0; round <= f->num_levels; round++)
            for (uint32_t sw = 0; sw < f->num_switches; sw++)
                for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
                    uint32_t to = ik_peer_node(f, port);
                    if (to == IK_NONE || !ik_is_switch(f, to) || hops[to] == FAR)
                        continue;
                    bool goes_up = f->switch_level[to] > f->switch_level[sw];
                    if (goes_up == (up == 1) && hops[to] + 1 < hops[sw])
                        hops[sw] = (uint8_t)(hops[to] + 1);
                }
}

static bool is_candidate(const ik_fabric *f, const uint8_t *hops, uint32_t sw, uint32_t port)
{
    uint32_t to = ik_peer_node(f, port);
    return to != IK_NONE && ik_is_switch(f, to) && hops[to] < hops[sw];
}

/* Do the same ports of sw lead one step nearer to the leaf in both fabrics? */
static bool same_candidates(const ik_fabric *a, const uint8_t *hops_a, const ik_fabric *b,
                            const uint8_t *hops_b, uint32_t sw)
{
    for (uint32_t port = a->port_base[sw]; port < a->port_base[sw + 1]; port++)
        if (is_candidate(a, hops_a, sw, port) != is_candidate(b, hops_b, sw, port))
            return false;
    return true;
}

typedef struct bench {
    ik_fabric *f;
    ik_routing *r;
    uint8_t *before, *after; /* [num_switches] hops to a leaf switch */
    uint8_t *all;            /* [hosts' switch][num_switches] in f, kept */
    const char *name;
} bench;

static bench bench_on(ik_fabric *f, const char *name)
{
    bench b = {.f = f, .r = routing_on(f, "dmodc"), .name = name};
    b.after = calloc(f->num_switches, 1);
    b.all = calloc((size_t)f->num_switches * f->num_switches, 1);
    for (uint32_t h = 0; h < f->num_hosts; h++)
        distances_to(f, ik_host_switch(f, h),
                     b.all + (size_t)ik_host_switch(f, h) * f->num_switches);
    return b;
}

static void bench_end(bench *b)
{
    free(b->after);
    free(b->all);
    ik_routing_free(b->r);
    ik_fabric_free(b->f);
}

typedef struct changes {
    /* entries: candidates differ; entry differs; entry differs with the same candidates */
    uint32_t allowed, changed, other;
} changes;

/* `damaged`: the same nodes and ports, some without a cable. */
static changes compare(bench *b, const ik_fabric *damaged)
{
    const ik_fabric *f = b->f;
    changes c = {0};
    ik_routing *r = NULL;
    if (ik_routing_from_spec(damaged, "dmodc", &made_env, &r, NULL) != IK_OK)
        return c; /* no way up and down for some pair */
    uint32_t last = IK_NONE;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t leaf = ik_host_switch(f, h);
        if (ik_host_switch(damaged, h) == IK_NONE)
            continue;
        b->before = b->all + (size_t)leaf * f->num_switches;
        if (leaf != last)
            distances_to(damaged, leaf, b->after);
        last = leaf;
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            size_t at = (size_t)sw * f->num_hosts + h;
            bool same = same_candidates(f, b->before, damaged, b->after, sw),
                 equal = b->r->lft[at] == r->lft[at];
            c.allowed += !same;
            c.changed += !equal;
            c.other += same && !equal;
        }
    }
    ik_routing_free(r);
    return c;
}

static ik_fabric *without(const ik_fabric *f, const uint32_t *ports, size_t num_ports,
                          const uint32_t *switches, size_t num_switches)
{
    ik_fabric *damaged = NULL;
    ik_error err = {0};
    if (ik_fabric_degrade(f, ports, num_ports, switches, num_switches, &damaged, &err) != IK_OK)
        fail_msg("%s", err.text);
    return damaged;
}

static bool is_cable(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = f->port_peer[port];
    return peer != IK_NONE && peer > port && ik_is_switch(f, f->port_node[peer]);
}

static void expect_still(bench *b, const ik_fabric *damaged, const char *what, uint32_t which)
{
    changes c = compare(b, damaged);
    if (c.other)
        fail_msg("%s without %s %u: %u entries change, %u of them with the same ways on; %u had to",
                 b->name, what, which, c.changed, c.other, c.allowed);
}

/* Every step-th cable between switches, and pairs of cables drawn if `pairs`. */
static void check_cables(bench *b, uint32_t step, bool pairs)
{
    uint32_t num = 0, cables[4096];
    for (uint32_t port = 0; port < b->f->port_base[b->f->num_switches] && num < 4096; port++)
        if (is_cable(b->f, port))
            cables[num++] = port;
    for (uint32_t i = 0; i < num; i += step) {
        ik_fabric *damaged = without(b->f, &cables[i], 1, NULL, 0);
        expect_still(b, damaged, "port", cables[i]);
        ik_fabric_free(damaged);
    }
    ik_rng rng = ik_rng_at(5, IK_RNG_TEST, num);
    for (uint32_t i = 0; pairs && i < num && i < 200; i += step) {
        uint32_t two[] = {cables[ik_rng_below(&rng, num)], cables[ik_rng_below(&rng, num)]};
        ik_fabric *damaged = without(b->f, two, two[0] == two[1] ? 1 : 2, NULL, 0);
        expect_still(b, damaged, "two ports, the first", two[0]);
        ik_fabric_free(damaged);
    }
}

/* Every switch in turn. */
static void check_switches(bench *b)
{
    for (uint32_t sw = 0; sw < b->f->num_switches; sw++) {
        ik_fabric *damaged = without(b->f, NULL, 0, &sw, 1);
        expect_still(b, damaged, "switch", sw);
        ik_fabric_free(damaged);
    }
}

static const char *const trees[] = {
    "rlft:ports=8,levels=3",  "rlft:ports=8,levels=2",        "karytree:k=3,n=3",
    "karytree:k=2,n=4",       "xgft:m=4:3:2,w=1:2:3",         "xgft:m=2:5:3,w=1:2:2",
    "pgft:m=4:4,w=1:2,p=1:2", "pgft:m=4:2:4,w=1:2:2,p=1:2:2", "pgft:m=3:3:3,w=1:2:2,p=1:3:1"};
enum { NUM_TREES = sizeof trees / sizeof *trees };

static void generated_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_TREES; i++) {
        bench b = bench_on(fabric_of(trees[i]), trees[i]);
        check_cables(&b, 1, true);
        check_switches(&b);
        bench_end(&b);
    }
}

/* Written as a dump and read again: nothing says any more what it was. */
static ik_fabric *through_a_dump(const ik_fabric *f)
{
    char path[] = "/tmp/ikat_damage_XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    ik_fabric *read = NULL;
    ik_error err = {0};
    if (ik_fabric_write(f, path, "ibnetdiscover", &err) != IK_OK ||
        ik_fabric_read(path, "ibnetdiscover", NULL, &read, &err) != IK_OK)
        fail_msg("%s: %s", f->spec ? f->spec : "a fabric", err.text);
    unlink(path);
    return read;
}

static void imported_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_TREES; i++) {
        ik_fabric *generated = fabric_of(trees[i]);
        bench b = bench_on(through_a_dump(generated), trees[i]);
        assert_null(ik_fabric_xgft(b.f));
        check_cables(&b, 1, true);
        bench_end(&b);
        ik_fabric_free(generated);
    }
    static const char *const files[] = {SOURCE_DIR "/data/cluster96.ibnetdiscover",
                                        TEST_DATA "/opensm/ft2_8p.ibnetdiscover",
                                        TEST_DATA "/fabrics/ft648.net.gz"};
    for (size_t i = 0; i < 3; i++) {
        bench b = bench_on(fabric_of(files[i]), files[i]);
        check_cables(&b, i < 2 || all_asked() ? 1 : 7, true);
        bench_end(&b);
    }
}

/* A copy with switches, hosts and ports renumbered by chance; GUIDs drawn too, or none. */
static ik_fabric *shuffled(const ik_fabric *f, uint64_t seed, bool guids)
{
    ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, 0);
    uint32_t S = f->num_switches, H = f->num_hosts, radix = ik_max_radix(f), n = S > H ? S : H;
    uint32_t *sw = calloc(S, sizeof *sw), *host = calloc(H, sizeof *host),
             *port = calloc((size_t)S * radix, sizeof *port);
    for (uint32_t i = 0; i < n; i++) { /* each inserted at a drawn place */
        uint32_t j = ik_rng_below(&rng, i + 1);
        if (i < S)
            sw[i] = sw[j], sw[j] = i;
        if (i < H)
            host[i] = host[j], host[j] = i;
    }
    for (uint32_t s = 0; s < S; s++)
        for (uint32_t i = 0; i < radix; i++) {
            uint32_t j = ik_rng_below(&rng, i + 1);
            port[s * radix + i] = port[s * radix + j];
            port[s * radix + j] = i;
        }
    ik_builder *b = ik_builder_new();
    ik_builder_switches(b, S, radix);
    ik_builder_hosts(b, H, 1);
    uint16_t cable = ik_builder_class(b, 100000000000u, 6000, NULL);
    for (uint32_t p = 0; p < f->port_base[S]; p++) {
        uint32_t peer = f->port_peer[p], from = f->port_node[p];
        if (peer == IK_NONE)
            continue;
        uint32_t to = f->port_node[peer];
        ik_end a = ik_sw(sw[from], port[from * radix + ik_port_local(f, p)]);
        if (!ik_is_switch(f, to))
            ik_builder_link(b, a, ik_hs(host[ik_node_host(f, to)], 0), cable);
        else if (peer > p)
            ik_builder_link(b, a, ik_sw(sw[to], port[to * radix + ik_port_local(f, peer)]), cable);
    }
    for (uint32_t s = 0; guids && s < S; s++)
        ik_builder_switch_ids(b, s, 0x1000 + ik_rng_below(&rng, 1u << 30), 0);
    ik_fabric *out = NULL;
    ik_error err = {0};
    if (ik_builder_finish(b, &out, &err) != IK_OK || ik_fabric_find_levels(out, &err) != IK_OK ||
        !out->num_levels)
        fail_msg("shuffled %s: %s", f->spec, err.text);
    ik_builder_free(b);
    free(sw);
    free(host);
    free(port);
    return out;
}

static void shuffled_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_TREES; i++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            ik_fabric *f = fabric_of(trees[i]);
            bench b = bench_on(shuffled(f, seed + 10 * i, seed % 2), trees[i]);
            check_cables(&b, 1, false); /* two cables may part what no port tells to be one */
            bench_end(&b);
            ik_fabric_free(f);
        }
}

/* Balance of a complete tree under all-to-all: the same largest and smallest number of flows per
 * kind of channel as D-mod-K's. */
static uint32_t heaviest(const ik_fabric *f, const char *routing)
{
    ik_routing *r = routing_on(f, routing);
    ik_traffic *t = traffic_of(f, "uniform");
    ik_load load;
    ik_error err = {0};
    assert_int_equal(ik_load_measure(r, t, &made_env, &load, &err), IK_OK);
    double most = 0;
    for (uint32_t p = 0; p < f->num_ports; p++)
        if (ik_is_switch(f, f->port_node[p]) && f->port_peer[p] != IK_NONE &&
            ik_is_switch(f, f->port_node[f->port_peer[p]]))
            most = load.load[p] > most ? load.load[p] : most;
    ik_load_free(&load);
    ik_traffic_free(t);
    ik_routing_free(r);
    return (uint32_t)(most * (f->num_hosts - 1) + 0.5);
}

static void complete_trees_stay_balanced(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_TREES; i++) {
        ik_fabric *f = fabric_of(trees[i]), *again = through_a_dump(f);
        uint32_t best = heaviest(f, "dmodc");
        assert_int_equal(heaviest(again, "dmodc"), best);
        for (uint64_t seed = 0; seed < 4; seed++) {
            ik_fabric *other = shuffled(f, seed, seed % 2);
            assert_int_equal(heaviest(other, "dmodc"), best);
            ik_fabric_free(other);
        }
        ik_fabric_free(again);
        ik_fabric_free(f);
    }
}

static uint32_t node_with_guid(const ik_fabric *f, uint64_t guid)
{
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        if (ik_node_guid(f, node) == guid)
            return node;
    return IK_NONE;
}

/* The damaged tree through a dump, which forgets what hung where: entries of nodes that are still
 * there, found by GUID. Returns how many differ. */
static uint32_t edited_dump(const ik_fabric *whole, const ik_routing *r, uint32_t port, uint32_t sw)
{
    ik_fabric *damaged = without(whole, &port, port != IK_NONE, &sw, sw != IK_NONE),
              *read = through_a_dump(damaged);
    ik_routing *after = routing_on(read, "dmodc");
    uint32_t differ = 0;
    for (uint32_t s = 0; s < whole->num_switches; s++) {
        uint32_t there = node_with_guid(read, ik_node_guid(whole, s));
        for (uint32_t h = 0; there != IK_NONE && h < whole->num_hosts; h++) {
            uint32_t to = node_with_guid(read, ik_node_guid(whole, ik_host_node(whole, h)));
            if (to == IK_NONE || ik_host_switch(read, ik_node_host(read, to)) == IK_NONE)
                continue;
            differ += r->lft[(size_t)s * whole->num_hosts + h] !=
                      after->lft[(size_t)there * read->num_hosts + ik_node_host(read, to)];
        }
    }
    ik_routing_free(after);
    ik_fabric_free(read);
    ik_fabric_free(damaged);
    return differ;
}

/* 80 switches of 128 hosts: 10,240 entries. A walk from the first root renumbered 3,822 of them. */
static void edited_dumps(void **state)
{
    (void)state;
    ik_fabric *generated = fabric_of("rlft:ports=8,levels=3"), *f = through_a_dump(generated);
    ik_routing *r = routing_on(f, "dmodc");
    uint32_t most = 0;
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++)
        if (is_cable(f, port) && (port % 3 == 1 || all_asked())) {
            /* the first switch's first cable upwards: port 4 */
            uint32_t differ = edited_dump(f, r, port, IK_NONE);
            most = differ > most ? differ : most;
        }
    print_message("a cable changes at most %u of %u entries\n", most,
                  f->num_switches * f->num_hosts);
    assert_true(most <= 266);
    most = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw += 3) {
        uint32_t differ = edited_dump(f, r, IK_NONE, sw);
        most = differ > most ? differ : most;
    }
    print_message("a switch changes at most %u\n", most);
    assert_true(most <= 1200);
    ik_routing_free(r);
    ik_fabric_free(f);
    ik_fabric_free(generated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_trees), cmocka_unit_test(imported_trees),
        cmocka_unit_test(shuffled_trees),  cmocka_unit_test(complete_trees_stay_balanced),
        cmocka_unit_test(edited_dumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
