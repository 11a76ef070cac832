/* SPDX-License-Identifier: Apache-2.0
 *
 * Members that are built for a number of hosts and a switch: what they promise is there, and for
 * fat trees, dragonflies and full meshes a search of all numbers finds none that is cheaper.
 */
#include "topo_graph.h"
#include "topology/scale.h"

#include <math.h>

static uint32_t draw(uint64_t *state, uint32_t low, uint32_t high)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (uint32_t)((*state >> 33) % (high - low + 1));
}

static const ik_series *tree_series(unsigned levels)
{
    const ik_series *s = ik_topology_find("xgft", NULL)->series;
    assert_true(s[levels - 2].fit != NULL && strstr(s[levels - 2].name, levels == 2 ? "2" : "3"));
    return &s[levels - 2];
}

/* ---- what is promised */

static uint32_t largest_used(const ik_fabric *f)
{
    uint32_t largest = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t used = 0;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
            used += f->port_peer[port] != IK_NONE;
        largest = used > largest ? used : largest;
    }
    return largest;
}

/* No switch has more hosts than its cables to others carry. */
static void check_leaves(const ik_fabric *f, const ik_wish *wish)
{
    for (uint32_t sw = 0; f->num_switches > 1 && sw < f->num_switches; sw++) {
        uint32_t hosts = 0, others = 0;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            hosts += peer != IK_NONE && !ik_is_switch(f, peer);
            others += peer != IK_NONE && ik_is_switch(f, peer);
        }
        assert_true(hosts <= wish->oversubscription * others + 1e-6);
    }
}

static void check_fit(const ik_wish *wish, const ik_fit *fit)
{
    ik_fabric *f = must_build("%s", fit->point.spec);
    switch_graph g = graph_of(f);
    ik_error err;
    ik_distances d = {0};
    assert_int_equal(f->num_hosts, (uint64_t)wish->hosts);
    assert_int_equal((uint64_t)fit->point.hosts, f->num_hosts);
    assert_int_equal((uint64_t)fit->point.switches, f->num_switches);
    assert_int_equal((uint64_t)fit->point.links, g.num_links + f->num_hosts);
    assert_int_equal((uint64_t)fit->point.ports, 2 * g.num_links + f->num_hosts);
    assert_true(largest_used(f) <= fit->point.radix && ik_max_radix(f) <= wish->radix);
    assert_true(fit->capacity >= wish->hosts);
    check_leaves(f, wish);
    assert_int_equal(ik_distances_measure(f, NULL, &d, &err), IK_OK);
    assert_int_equal(d.unconnected_pairs, 0);
    ik_distances_free(&d);
    graph_free(&g);
    ik_fabric_free(f);
}

/* With one more host than it has, there is none; with the ports that it asks for, there is. */
static void check_nearest(const ik_series *s, const ik_wish *wish)
{
    ik_fit most, fit;
    uint32_t radix = 0;
    bool any = ik_series_nearest(s, wish, &most, &radix);
    ik_wish w = *wish;
    if (any) {
        w.hosts = most.point.hosts;
        check_fit(&w, &most);
        w.hosts++;
        assert_false(ik_series_fit(s, &w, &fit));
    }
    w = *wish;
    if (radix) {
        w.radix = radix;
        assert_true(ik_series_fit(s, &w, &fit));
        w.radix--;
        assert_false(ik_series_fit(s, &w, &fit));
    }
}

/* Marks all switches that hang together with `sw`, without the hosts, and counts them. */
static uint32_t mark_part(const ik_fabric *f, uint32_t sw, uint32_t *stack, bool *seen)
{
    uint32_t top = 0, num = 0;
    stack[top++] = sw;
    seen[sw] = true;
    while (top) {
        sw = stack[--top];
        num++;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t to = ik_peer_node(f, port);
            if (to != IK_NONE && ik_is_switch(f, to) && !seen[to]) {
                seen[to] = true;
                stack[top++] = to;
            }
        }
    }
    return num;
}

/* Frees f. */
static void check_rails(ik_fabric *f, const ik_fit *fit, uint32_t rails)
{
    uint32_t *stack = calloc(f->num_switches, sizeof *stack), parts = 0;
    bool *seen = calloc(f->num_switches, sizeof *seen);
    assert_non_null(stack);
    assert_non_null(seen);
    assert_int_equal(f->num_hosts, (uint32_t)fit->point.hosts);
    assert_int_equal(f->num_switches, rails * (uint32_t)fit->point.switches);
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (seen[sw])
            continue;
        assert_int_equal(mark_part(f, sw, stack, seen), (uint32_t)fit->point.switches);
        parts++;
    }
    assert_int_equal(parts, rails);
    for (uint32_t host = 0; host < f->num_hosts; host++)
        assert_int_equal(ik_host_rails(f, host), rails);
    uint64_t ends = 0;
    for (uint32_t port = 0; port < f->num_ports; port++)
        ends += f->port_peer[port] != IK_NONE;
    assert_int_equal(ends, 2 * rails * (uint64_t)fit->point.links);
    free(stack);
    free(seen);
    ik_fabric_free(f);
}

/* So many copies that share nothing but their hosts: without these, so many parts, each of which is
 * of the size of the member. */
static void rails_are_copies(void **state)
{
    static const ik_wish wishes[] = {{60, 8, 1}, {128, 16, 1}, {100, 12, 2}, {200, 12, 1}};
    unsigned built = 0;
    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        for (const ik_series *s = ik_topology_find("xgft", NULL)->series; s->name; s++) {
            for (uint32_t rails = 1; rails <= 3; rails++) {
                ik_fit fit;
                char spec[128], member[128];
                if (!ik_series_fit(s, &wishes[i], &fit))
                    continue;
                assert_true(ik_fit_rails(&fit, rails, spec, sizeof spec));
                assert_false(ik_fit_rails(&fit, rails, member, strlen(spec)));
                assert_int_equal(member[0], 0);
                check_rails(fabric_of(spec), &fit, rails);
                built++;
            }
        }
    }
    assert_true(built >= 15);
    ik_fit other;
    char spec[128] = "x";
    assert_true(ik_series_fit(ik_topology_find("slimfly", NULL)->series, &wishes[0], &other));
    assert_false(ik_fit_rails(&other, 2, spec, sizeof spec));
    assert_string_equal(spec, "");
}

static void members_are_what_they_promise(void **state)
{
    (void)state;
    uint64_t random = 7;
    unsigned fitting = 0, unfit = 0;
    for (unsigned i = 0; i < 24; i++) {
        const ik_wish wish = {draw(&random, 16, 5000), draw(&random, 8, 64),
                              draw(&random, 4, 12) / 4.0};
        for (const ik_topology *const *t = ik_topologies(); *t; t++) {
            for (const ik_series *s = (*t)->series; s && s->name; s++) {
                ik_fit fit;
                if (!s->fit)
                    continue;
                if (ik_series_fit(s, &wish, &fit)) {
                    check_fit(&wish, &fit);
                    fitting++;
                } else {
                    check_nearest(s, &wish);
                    unfit++;
                }
            }
        }
    }
    assert_true(fitting > 80 && unfit > 40);
}

/* ---- fat trees */

typedef struct cheapest {
    double switches, cables; /* switches 0: none */
} cheapest;

/* Whether the first is more. */
static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* The cheapest, then the one with the fewest switches, then with the fewest cables. */
static void offer(const ik_wish *w, cheapest *best, double switches, double cables)
{
    int order = compare(switches * w->switch_price + cables * w->cable_price,
                        best->switches * w->switch_price + best->cables * w->cable_price);
    order = order ? order : compare(switches, best->switches);
    order = order ? order : compare(cables, best->cables);
    if (best->switches == 0 || order < 0)
        *best = (cheapest){switches, cables};
}

static cheapest search_2_levels(const ik_wish *w)
{
    cheapest best = {0};
    for (uint32_t m1 = 1; m1 <= w->radix; m1++)
        for (uint32_t m2 = 2; m2 <= w->radix; m2++)
            for (uint32_t w2 = 1; m1 + w2 <= w->radix; w2++)
                for (uint32_t p2 = 1; m1 + w2 * p2 <= w->radix && m2 * p2 <= w->radix; p2++)
                    if (m1 * m2 >= w->hosts && m1 <= w->oversubscription * w2 * p2)
                        offer(w, &best, m2 + w2, m2 * w2 * p2);
    return best;
}

/* The top switches for pods of a shape: all numbers of them, and of cables to them. */
static void search_tops(const ik_wish *w, uint32_t m3, uint32_t leaves, uint32_t w2, uint32_t down,
                        cheapest *best)
{
    for (uint32_t w3 = 1; down + w3 <= w->radix; w3++)
        for (uint32_t p3 = 1; down + w3 * p3 <= w->radix && m3 * p3 <= w->radix; p3++)
            if (w3 * p3 >= down)
                offer(w, best, m3 * (leaves + w2) + w2 * w3, m3 * w2 * (down + w3 * p3));
}

static cheapest search_3_levels(const ik_wish *w)
{
    cheapest best = {0};
    for (uint32_t m1 = 1; m1 <= w->radix; m1++)
        for (uint32_t w2 = 1; m1 + w2 <= w->radix; w2++)
            for (uint32_t p2 = 1; m1 + w2 * p2 <= w->radix; p2++)
                for (uint32_t m2 = 2; m2 * p2 <= w->radix; m2++)
                    for (uint32_t m3 = 2; m3 <= w->radix; m3++)
                        if (m1 * m2 * m3 >= w->hosts && m1 <= w->oversubscription * w2 * p2)
                            search_tops(w, m3, m2, w2, m2 * p2, &best);
    return best;
}

static void check_cheapest(unsigned levels, const ik_wish *wish)
{
    ik_fit fit = {0};
    cheapest best = levels == 2 ? search_2_levels(wish) : search_3_levels(wish);
    bool fits = ik_series_fit(tree_series(levels), wish, &fit);
    assert_int_equal(fits, best.switches > 0);
    if (!fits)
        return;
    assert_int_equal((uint64_t)fit.point.switches, (uint64_t)best.switches);
    assert_int_equal((uint64_t)(fit.point.links - fit.point.hosts), (uint64_t)best.cables);
    assert_string_equal(fit.routing, fit.capacity == wish->hosts ? "dmodk_pgft" : "dmodc");
}

static void no_tree_is_cheaper(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (unsigned i = 0; i < 150; i++) {
        ik_wish two = {draw(&random, 1, 220), draw(&random, 2, 20), draw(&random, 4, 12) / 4.0};
        ik_wish three = {draw(&random, 1, 300), draw(&random, 2, 10), draw(&random, 4, 12) / 4.0};
        check_cheapest(2, &two);
        check_cheapest(3, &three);
        two.switch_price = three.switch_price = draw(&random, 0, 100);
        two.cable_price = three.cable_price = draw(&random, 0, 20);
        check_cheapest(2, &two);
        check_cheapest(3, &three);
    }
}

/* 25 hosts on each of four leaves rather than 26 on three and 22 on the last. */
static void hosts_stand_evenly(void **state)
{
    (void)state;
    const ik_wish wish = {100, 64, 1};
    ik_fit fit = {0};
    assert_true(ik_series_fit(tree_series(2), &wish, &fit));
    assert_true(fit.capacity == 100);
    assert_string_equal(fit.routing, "dmodk_pgft");
}

/* ---- dragonflies */

/* All groups that a shape has: of `leaves` switches with p hosts each, and `tops` (in a dragonfly,
 * the same ones) with `room` ports for cables to other groups. */
static void search_groups(const ik_wish *w, bool plus, uint32_t leaves, uint32_t tops, uint32_t p,
                          uint32_t room, cheapest *best)
{
    double local = plus ? leaves * tops : leaves * (leaves - 1) / 2.0;
    for (uint32_t g = 2; g <= tops * room + 1; g++) {
        for (uint32_t h = 1; h <= room; h++) {
            uint32_t each = tops * h / (g - 1);
            if (g * leaves * p >= w->hosts && each > 0 && (!plus || h < g || h % (g - 1) == 0) &&
                leaves * p <= w->oversubscription * each * g + 1e-6)
                offer(w, best, g * (leaves + (plus ? tops : 0)),
                      g * local + scale_global_cables(g, tops * h));
        }
    }
}

static cheapest search_dragonfly(const ik_wish *w)
{
    cheapest best = {0};
    for (uint32_t a = 2; a < w->radix; a++)
        for (uint32_t p = 1; p + a - 1 < w->radix && p <= scale_most(w, a) / 2; p++)
            search_groups(w, false, a, a, p, w->radix - p - a + 1, &best);
    return best;
}

static cheapest search_dragonflyplus(const ik_wish *w)
{
    cheapest best = {0};
    for (uint32_t leaves = 1; leaves < w->radix; leaves++)
        for (uint32_t spines = 1; spines < w->radix; spines++)
            for (uint32_t p = 1; p + spines <= w->radix && p <= scale_most(w, spines); p++)
                search_groups(w, true, leaves, spines, p, w->radix - leaves, &best);
    return best;
}

static void check_cheapest_dragonfly(bool plus, const ik_wish *w)
{
    ik_fit fit = {0};
    cheapest best = plus ? search_dragonflyplus(w) : search_dragonfly(w);
    const char *name = plus ? "dragonflyplus" : "dragonfly";
    bool fits = ik_series_fit(ik_topology_find(name, NULL)->series, w, &fit);
    assert_int_equal(fits, best.switches > 0);
    if (!fits)
        return;
    assert_int_equal((uint64_t)fit.point.switches, (uint64_t)best.switches);
    assert_int_equal((uint64_t)(fit.point.links - w->hosts), (uint64_t)best.cables);
}

static void no_dragonfly_is_cheaper(void **state)
{
    (void)state;
    uint64_t random = 13;
    for (unsigned i = 0; i < 100; i++) {
        const ik_wish w = {draw(&random, 1, 300), draw(&random, 2, 11), draw(&random, 4, 12) / 4.0};
        const ik_wish priced = {w.hosts, w.radix, w.oversubscription, draw(&random, 0, 100),
                                draw(&random, 0, 20)};
        for (unsigned plus = 0; plus < 2; plus++) {
            check_cheapest_dragonfly(plus, &w);
            check_cheapest_dragonfly(plus, &priced);
        }
    }
}

/* ---- wishes that are easier to fulfil */

/* Whoever fulfils a wish fulfils an easier one, with no more switches, nor with more cables. */
static void check_easier(const ik_series *s, const ik_wish *wish, const ik_wish *easier)
{
    ik_fit fit, other;
    if (!ik_series_fit(s, wish, &fit))
        return;
    assert_true(ik_series_fit(s, easier, &other));
    double cables = fit.point.links - wish->hosts, others = other.point.links - easier->hosts;
    assert_true(other.point.switches < fit.point.switches ||
                (other.point.switches == fit.point.switches && others <= cables));
}

static void easier_wishes_are_cheaper(void **state)
{
    (void)state;
    uint64_t random = 17;
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        for (const ik_series *s = (*t)->series; s && s->name; s++) {
            for (unsigned i = 0; s->fit && i < 2000; i++) {
                const ik_wish w = {draw(&random, 2, 500), draw(&random, 2, 16),
                                   draw(&random, 4, 12) / 4.0};
                check_easier(s, &w, &(ik_wish){w.hosts - 1, w.radix, w.oversubscription});
                check_easier(s, &w, &(ik_wish){w.hosts, w.radix + 1, w.oversubscription});
                check_easier(s, &w, &(ik_wish){w.hosts, w.radix, w.oversubscription + 0.25});
            }
        }
    }
}

/* Of n switches with p hosts each, every pair has so many cables that p hosts' uniform traffic
 * fits: with more switches it can be fewer, since a number of cables is whole. */
static cheapest search_full_mesh(const ik_wish *w)
{
    cheapest best = {0};
    for (uint32_t n = 2; n <= w->radix; n++) {
        const uint32_t p = scale_hosts_per(w, n);
        const double k = ceil((double)scale_least(w, p) / (n - 1));
        if (p + k * (n - 1) <= w->radix)
            offer(w, &best, n, n * (n - 1) * k / 2);
    }
    return best;
}

static void no_full_mesh_is_cheaper(void **state)
{
    (void)state;
    uint64_t random = 17;
    unsigned more = 0;
    for (unsigned i = 0; i < 300; i++) {
        const ik_wish w = {draw(&random, 1, 400), draw(&random, 2, 64), draw(&random, 4, 12) / 4.0,
                           draw(&random, 0, 20), draw(&random, 0, 40)};
        ik_fit fit = {0};
        cheapest best = search_full_mesh(&w);
        bool fits = ik_series_fit(ik_topology_find("fullmesh", NULL)->series, &w, &fit);
        assert_int_equal(fits, best.switches > 0);
        if (!fits)
            continue;
        assert_int_equal((uint64_t)fit.point.switches, (uint64_t)best.switches);
        assert_int_equal((uint64_t)(fit.point.links - w.hosts), (uint64_t)best.cables);
        const ik_wish fewest = {w.hosts, w.radix, w.oversubscription, 0, 0};
        more += fit.point.switches > search_full_mesh(&fewest).switches;
    }
    assert_true(more > 5);
}

/* ---- ranges of hosts */

static double per_host(const ik_wish *w, const ik_fit *fit)
{
    const ik_scale_point *p = &fit->point;
    const double price =
        w->switch_price > 0 || w->cable_price > 0
            ? p->switches * w->switch_price + (p->links - p->hosts) * w->cable_price
            : p->switches;
    return price / p->hosts;
}

/* Against all numbers of hosts, one by one: no other one costs less per host, nor as much with
 * fewer switches per host. */
static void check_range(const ik_series *s, const ik_wish *range, unsigned *larger)
{
    ik_fit fit, one;
    double least = INFINITY;
    for (double hosts = range->hosts; hosts <= range->hosts_max; hosts++) {
        const ik_wish w = {hosts, range->radix, range->oversubscription, range->switch_price,
                           range->cable_price};
        if (!ik_series_fit(s, &w, &one))
            break;
        least = fmin(least, per_host(&w, &one));
    }
    assert_int_equal(ik_series_fit(s, range, &fit), isfinite(least));
    if (!isfinite(least))
        return;
    assert_true(fit.point.hosts >= range->hosts && fit.point.hosts <= range->hosts_max);
    assert_float_equal(per_host(range, &fit), least, least * 1e-9);
    const ik_wish w = {fit.point.hosts, range->radix, range->oversubscription, range->switch_price,
                       range->cable_price};
    assert_true(ik_series_fit(s, &w, &one));
    assert_string_equal(one.point.spec, fit.point.spec);
    *larger += fit.point.hosts > range->hosts;
}

static void ranges_have_the_best_number(void **state)
{
    (void)state;
    uint64_t random = 23;
    unsigned larger = 0;
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        for (const ik_series *s = (*t)->series; s && s->name; s++) {
            for (unsigned i = 0; s->fit && i < 300; i++) {
                const double hosts = draw(&random, 1, i % 2 ? 300 : 3000);
                ik_wish w = {hosts, draw(&random, 2, 40), draw(&random, 4, 12) / 4.0,
                             draw(&random, 0, 3) * 5000, 0};
                w.cable_price = w.switch_price > 0 ? draw(&random, 0, 500) : 0;
                w.hosts_max = hosts + draw(&random, 0, 400);
                check_range(s, &w, &larger);
            }
        }
    }
    assert_true(larger > 500);
}

/* As many as a whole tree has, not more; of equally cheap ones the smaller. */
static void whole_trees_are_taken(void **state)
{
    static const struct {
        ik_wish wish;
        const char *spec;
    } each[] = {
        {{100, 16, 1, 0, 0, 200}, "pgft:m=8:16,w=1:8,p=1:1"}, /* R^2 / 2 */
        {{100, 16, 1, 0, 0, 128}, "pgft:m=8:16,w=1:8,p=1:1"}, /* just in it */
        {{60, 16, 1, 0, 0, 128}, "pgft:m=8:8,w=1:4,p=1:2"}, /* half of it costs as much per host */
        {{128, 16, 1, 0, 0, 1000}, "pgft:m=8:16,w=1:8,p=1:1"}, /* no two levels have more */
    };
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        ik_fit fit = {0};
        assert_true(ik_series_fit(tree_series(2), &each[i].wish, &fit));
        assert_string_equal(fit.point.spec, each[i].spec);
    }
    ik_fit fit;
    const ik_wish more = {129, 16, 1, 0, 0, 1000};
    assert_false(ik_series_fit(tree_series(2), &more, &fit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rails_are_copies),
        cmocka_unit_test(members_are_what_they_promise),
        cmocka_unit_test(no_tree_is_cheaper),
        cmocka_unit_test(hosts_stand_evenly),
        cmocka_unit_test(no_dragonfly_is_cheaper),
        cmocka_unit_test(no_full_mesh_is_cheaper),
        cmocka_unit_test(easier_wishes_are_cheaper),
        cmocka_unit_test(ranges_have_the_best_number),
        cmocka_unit_test(whole_trees_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
