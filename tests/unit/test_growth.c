/* SPDX-License-Identifier: Apache-2.0
 *
 * Growth: closed forms of trees and of Jellyfish grown switch by switch, and all matchings of small
 * fabrics, counted one by one.
 */
#include "unit/made.h"

#include "ikat/growth.h"

static ik_growth growth_of(const ik_fabric *from, const ik_fabric *to)
{
    ik_growth g;
    ik_error err = {0};
    if (ik_growth_measure(from, to, &made_env, &g, &err) != IK_OK)
        fail_msg("%s to %s: %s", from->spec, to->spec, err.text);
    assert_true(g.kept <= g.most_kept);
    assert_true(g.most_kept <= g.old_cables && g.most_kept <= g.new_cables);
    assert_true(g.least_moved_hosts <= g.moved_hosts && g.moved_hosts <= g.num_hosts);
    return g;
}

/* Cables of a fabric between two switches. */
static uint32_t cables_between(const ik_fabric *f, uint32_t a, uint32_t b)
{
    uint32_t num = 0;
    for (uint32_t p = f->port_base[a]; p < f->port_base[a + 1]; p++)
        num += ik_peer_node(f, p) == b;
    return num;
}

static uint32_t hosts_on(const ik_fabric *f, uint32_t sw)
{
    uint32_t num = 0;
    for (uint32_t h = 0; h < f->num_hosts; h++)
        num += ik_host_switch(f, h) == sw;
    return num;
}

/* Ports for hosts: those that no cable takes count where there are hosts. */
static uint32_t room_on(const ik_fabric *f, uint32_t sw)
{
    uint32_t hosts = hosts_on(f, sw), open = 0;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++)
        open += f->port_peer[p] == IK_NONE;
    return hosts ? hosts + open : 0;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Cables between switches, and hosts, that stay with a matching. */
static uint64_t kept_with(const ik_fabric *from, const ik_fabric *to, const uint32_t *place,
                          uint64_t *hosts)
{
    uint64_t kept = 0;
    *hosts = 0;
    for (uint32_t a = 0; a < from->num_switches; a++) {
        if (place[a] == IK_NONE)
            continue;
        *hosts += lesser(hosts_on(from, a), room_on(to, place[a]));
        for (uint32_t b = 0; b < a; b++)
            if (place[b] != IK_NONE)
                kept += lesser(cables_between(from, a, b), cables_between(to, place[a], place[b]));
    }
    return kept;
}

/* The most of all matchings. */
static uint64_t try_all(const ik_fabric *from, const ik_fabric *to, uint32_t *place, uint32_t next,
                        uint32_t used)
{
    uint64_t hosts, best;
    if (next == from->num_switches)
        return kept_with(from, to, place, &hosts) + hosts;
    place[next] = IK_NONE;
    best = from->num_switches > to->num_switches ? try_all(from, to, place, next + 1, used) : 0;
    for (uint32_t x = 0; x < to->num_switches; x++) {
        if (used >> x & 1)
            continue;
        place[next] = x;
        uint64_t now = try_all(from, to, place, next + 1, used | 1u << x);
        best = now > best ? now : best;
    }
    return best;
}

/* A matching is one, and its numbers are those that are said. */
static void check_matching(const ik_fabric *from, const ik_fabric *to, const ik_growth *g)
{
    uint64_t hosts;
    uint32_t moved = 0;
    for (uint32_t a = 0; a < from->num_switches; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_true(g->place[a] == IK_NONE || g->place[a] != g->place[b]);
    assert_int_equal(kept_with(from, to, g->place, &hosts), g->kept);
    assert_int_equal(g->num_hosts - hosts, g->moved_hosts);
    for (uint32_t h = 0; h < from->num_hosts; h++)
        moved += g->moves[h];
    assert_int_equal(moved, g->moved_hosts);
    assert_int_equal(g->matched, lesser(g->old_switches, g->new_switches));
}

static void all_matchings(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "ring:n=5",          "ring:n=7",
        "fullmesh:n=4,p=2",  "fullmesh:n=6,p=1",
        "hyperx:dims=3:2",   "pgft:m=2:3,w=1:2,p=1:2",
        "pgft:m=2:4,w=1:2",  "jellyfish:N=6,d=3,p=2",
        "jellyfish:N=7,d=4", "mesh:dims=2:3",
        "hypercube:n=2",     "crossbar:n=4",
    };
    const size_t num = sizeof specs / sizeof *specs;
    size_t most = 0, cases = 0;
    for (size_t i = 0; i < num; i++) {
        for (size_t k = 0; k < num; k++) {
            ik_fabric *from = fabric_of(specs[i]), *to = fabric_of(specs[k]);
            uint32_t place[8];
            ik_growth g = growth_of(from, to);
            uint64_t best = try_all(from, to, place, 0, 0);
            uint64_t found = g.kept + g.num_hosts - g.moved_hosts;
            check_matching(from, to, &g);
            assert_true(found <= best);
            assert_true(best <= g.most_kept + g.num_hosts - g.least_moved_hosts);
            most += found == best;
            cases++;
            if (found != best)
                print_message("%s to %s: %d of %d\n", specs[i], specs[k], (int)found, (int)best);
            ik_growth_free(&g);
            ik_fabric_free(from);
            ik_fabric_free(to);
        }
    }
    print_message("%zu of %zu are the most\n", most, cases);
    assert_int_equal(most, cases);
}

static uint32_t random_below(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 9) % n;
}

/* One to six switches with none to three hosts each, and cables between any two of them, some
 * several times: parts may be unconnected. */
static ik_fabric *random_fabric(uint32_t *state)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *made = NULL;
    ik_error err = {0};
    uint32_t used[6] = {0}, hosts_at[18], hosts = 0, n = 1 + random_below(state, 6);
    assert_non_null(b);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t k = random_below(state, 3) ? random_below(state, 4) : 0; k > 0; k--)
            hosts_at[hosts++] = s;
    ik_builder_switches(b, n, 64);
    ik_builder_hosts(b, hosts, 1);
    uint16_t link = ik_builder_default_link(b, false);
    for (uint32_t h = 0; h < hosts; h++)
        ik_builder_link(b, ik_hs(h, 0), ik_sw(hosts_at[h], used[hosts_at[h]]++), link);
    for (uint32_t e = random_below(state, 12); e > 0; e--) {
        uint32_t x = random_below(state, n), y = random_below(state, n);
        for (uint32_t k = random_below(state, 3) ? 1 : 4; x != y && k > 0; k--)
            ik_builder_link(b, ik_sw(x, used[x]++), ik_sw(y, used[y]++), link);
    }
    ik_builder_family(b, "file", "random", NULL, 0);
    assert_int_equal(ik_builder_finish(b, &made, &err), IK_OK);
    ik_builder_free(b);
    return made;
}

/* Fabrics without any order: nearly all results are the best, and none is out of its bounds. */
static void random_matchings(void **state)
{
    (void)state;
    uint32_t seed = 1, most = 0;
    for (uint32_t i = 0; i < 400; i++) {
        ik_fabric *from = random_fabric(&seed), *to = random_fabric(&seed);
        uint32_t place[8];
        ik_growth g = growth_of(from, to), same = growth_of(from, from);
        uint64_t best = try_all(from, to, place, 0, 0);
        uint64_t found = g.kept + g.num_hosts - g.moved_hosts;
        check_matching(from, to, &g);
        assert_true(found <= best);
        assert_true(best <= g.most_kept + g.num_hosts - g.least_moved_hosts);
        assert_int_equal(same.kept, same.old_cables);
        assert_int_equal(same.moved_hosts, 0);
        most += found == best;
        ik_growth_free(&g);
        ik_growth_free(&same);
        ik_fabric_free(from);
        ik_fabric_free(to);
    }
    print_message("%d of 400 are the most\n", (int)most);
    assert_true(most >= 396);
}

/* Trees that nest keep everything; a spine with two cables to a leaf gives one of them up. */
static void trees(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        uint64_t moved, least;
        uint32_t hosts;
    } cases[] = {
        /* more leaves at spines with spare ports; more pods at top switches with spare ports */
        {"pgft:m=8:8,w=1:8,p=1:1", "pgft:m=8:16,w=1:8,p=1:1", 0, 0, 0},
        {"pgft:m=8:8:4,w=1:8:8,p=1:1:1", "pgft:m=8:8:9,w=1:8:8,p=1:1:1", 0, 0, 0},
        {"pgft:m=4:4:2,w=1:4:4,p=1:1:1", "pgft:m=4:4:2,w=1:4:4,p=1:1:1", 0, 0, 0},
        /* pods that are partly filled, and hosts that come behind them */
        {"pgft:m=8:8:4,w=1:8:8,p=1:1:1,hosts=200", "pgft:m=8:8:8,w=1:8:8,p=1:1:1,hosts=450", 0, 0,
         0},
        /* 4 spines with 2 cables to each of 8 leaves become 8 with 1: 32 of 64 stay */
        {"pgft:m=8:8,w=1:4,p=1:2", "pgft:m=8:16,w=1:8,p=1:1", 32, 32, 0},
        /* smaller leaves: of each, 2 hosts go, and with them 2 of 4 uplinks */
        {"pgft:m=4:4,w=1:4,p=1:1", "pgft:m=2:8,w=1:2,p=1:1", 8, 6, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *from = fabric_of(cases[i].from), *to = fabric_of(cases[i].to);
        ik_growth g = growth_of(from, to);
        print_message("%s to %s: %d moved, at least %d; %d hosts\n", cases[i].from, cases[i].to,
                      (int)(g.old_cables - g.kept), (int)(g.old_cables - g.most_kept),
                      (int)g.moved_hosts);
        assert_int_equal(g.old_cables - g.kept, cases[i].moved);
        assert_int_equal(g.old_cables - g.most_kept, cases[i].least);
        assert_int_equal(g.moved_hosts, cases[i].hosts);
        ik_growth_free(&g);
        ik_fabric_free(from);
        ik_fabric_free(to);
    }
}

/* The switches of a fabric with d more cables each to `more` new switches: each takes the place of
 * d / 2 cables, which it is inserted into, no two of them at one switch. */
static ik_fabric *inserted(const ik_fabric *f, uint32_t d, uint32_t more, uint64_t *removed)
{
    const uint32_t n = f->num_switches + more;
    bool *joined = calloc((size_t)n * n, 1);
    ik_builder *b = ik_builder_new();
    ik_fabric *made = NULL;
    ik_error err = {0};
    uint32_t used[256] = {0};
    assert_true(joined && b && n <= 256);
    for (uint32_t s = 0; s < f->num_switches; s++)
        for (uint32_t p = f->port_base[s]; p < f->port_base[s + 1]; p++)
            if (ik_peer_node(f, p) < f->num_switches)
                joined[s * n + ik_peer_node(f, p)] = true;
    for (uint32_t u = f->num_switches, seed = 1; u < n; u++) {
        for (uint32_t k = 0; k < d / 2;) {
            uint32_t x, y;
            seed = seed * 1664525 + 1013904223;
            x = (seed >> 8) % u;
            seed = seed * 1664525 + 1013904223;
            y = (seed >> 8) % u;
            if (!joined[x * n + y] || joined[x * n + u] || joined[y * n + u])
                continue;
            joined[x * n + y] = joined[y * n + x] = false;
            joined[x * n + u] = joined[u * n + x] = joined[y * n + u] = joined[u * n + y] = true;
            k++;
        }
    }
    ik_builder_switches(b, n, d + 1);
    ik_builder_hosts(b, n, 1);
    uint16_t link = ik_builder_default_link(b, false);
    *removed = 0;
    for (uint32_t x = 0; x < n; x++) {
        ik_builder_link(b, ik_hs(x, 0), ik_sw(x, used[x]++), link);
        for (uint32_t y = 0; y < x; y++)
            if (joined[x * n + y])
                ik_builder_link(b, ik_sw(x, used[x]++), ik_sw(y, used[y]++), link);
    }
    for (uint32_t x = 0; x < f->num_switches; x++)
        for (uint32_t y = 0; y < x; y++)
            *removed += cables_between(f, x, y) > joined[x * n + y];
    ik_builder_family(b, "file", "grown", NULL, 0);
    assert_int_equal(ik_builder_finish(b, &made, &err), IK_OK);
    ik_builder_free(b);
    free(joined);
    return made;
}

static void jellyfish(void **state)
{
    (void)state;
    ik_fabric *from = fabric_of("jellyfish:N=60,d=8"), *other = fabric_of("jellyfish:N=66,d=8");
    for (uint32_t more = 1; more <= 6; more += 5) {
        uint64_t removed;
        ik_fabric *to = inserted(from, 8, more, &removed);
        ik_growth g = growth_of(from, to);
        /* a switch of d cables removes d / 2, of which some were laid for one before it */
        assert_true(removed <= more * 4u);
        assert_true(more > 1 || removed == 4);
        assert_int_equal(g.old_cables - g.kept, removed);
        assert_int_equal(g.new_cables - g.kept, removed + more * 4u);
        assert_int_equal(g.moved_hosts, 0);
        ik_growth_free(&g);
        ik_fabric_free(to);
    }
    /* the family's own member is drawn anew */
    ik_growth g = growth_of(from, other);
    print_message("jellyfish drawn anew: %d of %d move\n", (int)(g.old_cables - g.kept),
                  (int)g.old_cables);
    assert_true(3 * g.kept < 2 * g.old_cables);
    ik_growth_free(&g);
    ik_fabric_free(from);
    ik_fabric_free(other);
}

static void refusals(void **state)
{
    (void)state;
    ik_fabric *one = fabric_of("ring:n=5"), *two = fabric_of("pgft:m=4:4,w=2:4,p=1:1");
    ik_growth g;
    ik_error err = {0};
    assert_int_equal(ik_growth_measure(two, one, &made_env, &g, &err), IK_ERR_UNSUPPORTED);
    assert_int_equal(ik_growth_measure(one, two, &made_env, &g, &err), IK_ERR_UNSUPPORTED);
    int cancel = 1;
    const ik_env env = {.cancel = &cancel};
    ik_fabric *more = fabric_of("jellyfish:N=20,d=4");
    assert_int_equal(ik_growth_measure(one, more, &env, &g, &err), IK_ERR_CANCELLED);
    ik_fabric_free(one);
    ik_fabric_free(two);
    ik_fabric_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_matchings), cmocka_unit_test(random_matchings),
        cmocka_unit_test(trees),         cmocka_unit_test(jellyfish),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
