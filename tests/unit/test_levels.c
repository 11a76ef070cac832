/* SPDX-License-Identifier: Apache-2.0
 *
 * test_levels.c: proofs, loads and destinations that are counted level by level against those of
 * the same routing without its declaration, and state by state, number by number: on trees of all
 * shapes, and where the declaration does not hold or does not apply. What is declared is compared
 * with next() at every switch for every host.
 */
#include "unit/verify_helpers.h"

#include "routing/tree/tree_counts.h"

#include <math.h>

enum { DECLARED = IK_ROUTE_ASCENDS_ALIKE | IK_ROUTE_ASCENDS_FULLY };

static const char *const routings[] = {"dmodk",
                                       "dmodk_pgft",
                                       "rnca_down",
                                       "rnca_down:seed=3",
                                       "smodk",
                                       "rnca_up",
                                       "rnca_up:seed=3",
                                       "oblivious",
                                       "ir",
                                       "random",
                                       "dmodc",
                                       "adaptive_tree",
                                       "adaptive_tree:triggering=2th",
                                       "adaptive_tree:delta=2",
                                       "adaptive_tree:stages=1",
                                       "minimal",
                                       "minimal:paths=one",
                                       NULL};
/* refuses other trees */
static const char *const few[] = {"fir", NULL};

/* The first ones are counted level by level, the others not. */
static const char *const whole[] = {"karytree:k=2,n=2",
                                    "karytree:k=2,n=4",
                                    "karytree:k=3,n=3",
                                    "karytree:k=4,n=3",
                                    "slimtree:k=4,w=3,n=3",
                                    "rlft:ports=8,levels=3",
                                    "xgft:m=3:4,w=1:2",
                                    "xgft:m=2:3,w=1:5",
                                    "xgft:m=4:3:2,w=1:2:3",
                                    "xgft:m=1:3:2,w=1:2:2",
                                    "xgft:m=3:1:2,w=1:2:3",
                                    "xgft:m=5:2:3,w=1:3:4",
                                    "xgft:m=5:1:1:2,w=1:1:3:1",
                                    "xgft:m=2:2:2:2,w=1:1:2:1",
                                    "xgft:m=2,w=1",
                                    "xgft:m=7:5,w=1:3",
                                    "xgft:m=1:70,w=1:2",
                                    "xgft:m=2:2:2,w=1:2:65",
                                    NULL};
static const char *const others[] = {"xgft:m=1,w=1",           "xgft:m=4:1,w=1:2",
                                     "xgft:m=3:2:1,w=1:2:2",   "xgft:m=4:4,w=2:2",
                                     "pgft:m=4:4,w=1:2,p=1:2", "pgft:m=4:4:4,w=1:4:2,p=1:1:2",
                                     "pgft:m=4:4,w=1:2,p=2:1", NULL};
/* 'dmodc' routes these, nothing that ascends alike does. */
static const char *const damaged[] = {"karytree:k=4,n=2,fail=10%", "rlft:ports=8,levels=2,hosts=20",
                                      NULL};

static ik_proof proof_of(const ik_plan *p, bool pairwise, ik_certificate *c)
{
    ik_proof proof;
    ik_error err = {0};
    ik_verify_config config = {.pairwise = pairwise};
    if (ik_verify_certified(p, &config, &made_env, &proof, c, &err) != IK_OK)
        fail_msg("%s on %s: %s", p->routing->spec, p->fabric->spec, err.text);
    return proof;
}

static void compare_proofs(const ik_plan *p, bool levels)
{
    ik_routing *r = p->routing;
    unsigned declared = r->traits;
    ik_certificate c[3];
    ik_proof proof[3];
    uint64_t pairs;
    proof[0] = proof_of(p, false, &c[0]);
    assert_int_equal(strstr(proof[0].deadlock_reason, "level by level") != NULL, levels);
    if (proof[0].deadlock_free == IK_YES)
        assert_int_equal(ik_certificate_check(p, &proof[0], &c[0], 0, &made_env, &pairs, NULL),
                         IK_OK);
    r->traits &= ~(unsigned)DECLARED;
    proof[1] = proof_of(p, false, &c[1]);
    proof[2] = proof_of(p, true, &c[2]);
    r->traits = declared;
    for (int i = 1; i < 3; i++) {
        assert_same_proof(&proof[0], &proof[i]);
        assert_int_equal(proof[0].delivered, proof[i].delivered);
        assert_int_equal(proof[0].minimal, proof[i].minimal);
        assert_int_equal(proof[0].loop_free, proof[i].loop_free);
        assert_int_equal(proof[0].ordered, proof[i].ordered);
        assert_true(proof[0].mean_hops == proof[i].mean_hops);
        assert_int_equal(c[0].num, c[i].num);
        assert_int_equal(c[0].ordered_vcs, c[i].ordered_vcs);
        if (c[0].rank && c[i].rank)
            assert_memory_equal(c[0].rank, c[i].rank,
                                (size_t)p->fabric->num_ports * c[0].ordered_vcs * 4);
    }
    for (int i = 0; i < 3; i++) {
        ik_proof_free(&proof[i]);
        ik_certificate_free(&c[i]);
    }
}

static void compare_destinations(const ik_plan *p)
{
    uint32_t *fast, *slow;
    unsigned declared = p->routing->traits;
    assert_int_equal(ik_destinations_count(p, &made_env, &fast, NULL), IK_OK);
    p->routing->traits &= ~(unsigned)DECLARED;
    assert_int_equal(ik_destinations_count(p, &made_env, &slow, NULL), IK_OK);
    p->routing->traits = declared;
    assert_memory_equal(fast, slow, p->fabric->num_ports * sizeof *fast);
    free(fast);
    free(slow);
}

static bool near(double a, double b, double rounded)
{
    return fabs(a - b) <= rounded * fabs(b);
}

/* What no division exceeds is found at once where the even one is the best; it is between what that
 * one carries and the bound by prices. */
static void compare_bands(const ik_plan *p, const ik_traffic *t, const ik_load *even)
{
    ik_routing *r = p->routing;
    ik_load_band fast, slow;
    unsigned declared = r->traits;
    assert_int_equal(ik_load_band_measure(r, t, even, &made_env, &fast, NULL), IK_OK);
    r->traits &= ~(unsigned)DECLARED;
    assert_int_equal(ik_load_band_measure(r, t, even, &made_env, &slow, NULL), IK_OK);
    r->traits = declared;
    assert_true(fast.high <= slow.high * (1 + 1e-10));
    assert_true(fast.high >= even->saturation * (1 - 1e-10));
}

static void compare_loads(const ik_plan *p, const ik_fabric *f, const char *pattern)
{
    ik_routing *r = p->routing;
    ik_traffic *t = NULL;
    ik_load fast, slow;
    unsigned declared = r->traits;
    if (f->num_hosts < 2)
        return;
    assert_int_equal(ik_traffic_from_spec(f, pattern, NULL, &t, NULL), IK_OK);
    assert_int_equal(ik_load_measure(r, t, &made_env, &fast, NULL), IK_OK);
    r->traits &= ~(unsigned)DECLARED;
    assert_int_equal(ik_load_measure(r, t, &made_env, &slow, NULL), IK_OK);
    r->traits = declared;
    /* what divides flows adds up fractions, which are rounded */
    double rounded = r->kind == IK_ROUTE_DETERMINISTIC ? 0 : 1e-10;
    for (uint32_t port = 0; port < r->fabric->num_ports; port++) {
        if (!near(fast.load[port], slow.load[port], rounded) ||
            !near(fast.crossing[port], slow.crossing[port], rounded))
            fail_msg("%s on %s, %s: port %u has load %.17g, %.17g, flows %g, %g", r->spec, f->spec,
                     pattern, port, fast.load[port], slow.load[port], fast.crossing[port],
                     slow.crossing[port]);
    }
    for (uint32_t sw = 0; sw < f->num_switches && slow.turns; sw++)
        assert_true(near(fast.turns[sw], slow.turns[sw], rounded));
    assert_int_equal(fast.flows, slow.flows);
    assert_int_equal(fast.denominator, slow.denominator);
    assert_int_equal(fast.undelivered, slow.undelivered);
    assert_true(rounded > 0 || fast.max_channel == slow.max_channel);
    assert_true(rounded > 0 || fast.tightest == slow.tightest);
    const double compared[][2] = {
        {fast.mean_hops, slow.mean_hops}, {fast.saturation, slow.saturation},
        {fast.mean_load, slow.mean_load}, {fast.max_load, slow.max_load},
        {fast.min_load, slow.min_load},   {fast.max_crossing, slow.max_crossing}};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        assert_true(near(compared[i][0], compared[i][1], rounded));
    compare_bands(p, t, &slow);
    ik_load_free(&fast);
    ik_load_free(&slow);
    ik_traffic_free(t);
}

static void compare_all(const ik_fabric *f, const ik_plan *p, bool levels)
{
    static const char *const patterns[] = {"uniform", "alltoall", "shift:by=1",
                                           "hotspot:fraction=30%,share=messages", NULL};
    compare_proofs(p, levels && p->num_vcs == 1);
    compare_destinations(p);
    for (const char *const *pattern = patterns; *pattern; pattern++)
        compare_loads(p, f, *pattern);
}

/* Every routing with schemes that keep a packet's VC and one that does not. */
static void compare_on(const char *spec, const char *const *routes, bool whole_tree)
{
    static const struct {
        const char *name;
        unsigned vcs;
    } schemes[] = {{"1q", 1}, {"1q", 3}, {"dbbm", 3}, {"hopclass", 0}};
    ik_fabric *f = fabric_of(spec);
    for (const char *const *routing = routes; *routing; routing++) {
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            ik_plan *p = plan_of(f, *routing, schemes[i].name, schemes[i].vcs);
            bool declared = whole_tree && p->routing->traits & DECLARED;
            assert_int_equal(tree_counts_fit(p->routing) != TREE_ASCENTS_NONE, declared);
            compare_all(f, p, declared && p->vc->family->static_lane);
            ik_plan_free(p);
        }
    }
    ik_fabric_free(f);
}

static void test_whole_trees(void **state)
{
    (void)state;
    for (const char *const *spec = whole; *spec; spec++)
        compare_on(*spec, routings, true);
    compare_on("karytree:k=4,n=3", few, true);
    compare_on("xgft:m=4:3:2,w=1:4:3", few, true);
}

static void test_other_trees(void **state)
{
    static const char *const any[] = {"dmodc", "minimal:paths=one", "updown", NULL};
    (void)state;
    for (const char *const *spec = others; *spec; spec++)
        compare_on(*spec, routings, false);
    for (const char *const *spec = damaged; *spec; spec++)
        compare_on(*spec, any, false);
}

/* ---- a declaration that does not hold */

static const ik_routing_family *right;
static unsigned wrong_way;

/* As dmodk or smodk, but for switches of one kind, which send to another port than others of their
 * level, or by the other end of the packet, too. */
static uint32_t wrong_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                           uint32_t *out, uint32_t *preferred)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    uint32_t num = right->next(r, sw, in_port, pk, out, preferred), level = 1;
    while (sw >= x->level_base[level + 1])
        level++;
    uint32_t first = r->fabric->port_base[sw] + x->m[level - 1],
             ups = level < x->h ? x->w[level] : 0;
    if (out[0] < first) /* down */
        return wrong_way == 2 && level == x->h && pk->dst % 5 == 0 ? 0 : num;
    bool by_source = !(r->traits & IK_ROUTE_DEST_BASED);
    if (wrong_way == 0 && (by_source ? pk->dst % 2 : sw % 2))
        out[0] = first + (out[0] - first + 1) % ups;
    if (wrong_way == 1 && sw % 2)
        out[0] = first - 1; /* down to a child that does not lead there */
    if (wrong_way == 3 && sw % 2 && ups > 1) {
        out[1] = first + (out[0] - first + 1) % ups;
        num = 2;
    }
    return num;
}

static void test_false_declarations(void **state)
{
    static const char *const specs[] = {"karytree:k=3,n=3", "xgft:m=4:3:4,w=1:2:3", NULL};
    (void)state;
    for (const char *const *spec = specs; *spec; spec++) {
        ik_fabric *f = fabric_of(*spec);
        for (unsigned i = 0; i < 8; i++) {
            wrong_way = i / 2;
            ik_plan *p = plan_of(f, i % 2 ? "smodk" : "dmodk", "1q", 1);
            right = p->routing->family;
            ik_routing_family wrong = *right;
            wrong.next = wrong_next;
            p->routing->family = &wrong;
            compare_all(f, p, false);
            p->routing->family = right;
            ik_plan_free(p);
        }
        ik_fabric_free(f);
    }
}

/* As adaptive_tree, but for switches of one kind. */
static uint32_t wrong_next_fully(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                 uint32_t *out, uint32_t *preferred)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    uint32_t num = right->next(r, sw, in_port, pk, out, preferred), level = 1;
    while (sw >= x->level_base[level + 1])
        level++;
    bool down = out[0] < r->fabric->port_base[sw] + x->m[level - 1];
    *preferred = 0;
    if (wrong_way == 0 && !down && sw % 2 && num > 1)
        return num - 1;
    if (wrong_way == 1 && !down && level == 2 && num > 1)
        out[0] = out[1];
    if (wrong_way == 1 && !down && level == 2 && num > 1)
        return 1;
    if (wrong_way == 2 && down && level == x->h && pk->dst % 5 == 0)
        return 0;
    if (wrong_way == 3 && down && level == 2 && pk->dst % 3 == 0 &&
        level < x->h) /* round by the top */
        out[0] = r->fabric->port_base[sw] + x->m[level - 1];
    return num;
}

static void test_false_declarations_fully(void **state)
{
    static const char *const specs[] = {"karytree:k=3,n=3", "xgft:m=4:3:4,w=1:2:3", NULL};
    (void)state;
    for (const char *const *spec = specs; *spec; spec++) {
        ik_fabric *f = fabric_of(*spec);
        for (wrong_way = 0; wrong_way < 4; wrong_way++) {
            ik_plan *p = plan_of(f, "adaptive_tree", "1q", 1);
            right = p->routing->family;
            ik_routing_family wrong = *right;
            wrong.next = wrong_next_fully;
            wrong.next_mask = NULL;
            p->routing->family = &wrong;
            compare_all(f, p, false);
            p->routing->family = right;
            ik_plan_free(p);
        }
        ik_fabric_free(f);
    }
}

/* ---- what is declared */

static uint32_t level_of(const ik_xgft *x, uint32_t sw)
{
    uint32_t level = 1;
    while (sw >= x->level_base[level + 1])
        level++;
    return level;
}

static bool is_above(const ik_xgft *x, uint32_t sw, uint32_t l, uint32_t host)
{
    return (sw - x->level_base[l]) / x->prod_w[l] == host / x->prod_m[l];
}

/* The one port of sw for a packet that is headed for a host below it leads there. */
static void check_descent(const ik_routing *r, uint32_t sw, uint32_t l, uint32_t src, uint32_t dst,
                          uint32_t via)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t out[256], preferred;
    ik_packet pk = {.src = src, .dst = dst, .via = via};
    assert_int_equal(r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred), 1);
    if (l > 1)
        assert_true(is_above(x, ik_peer_node(f, out[0]), l - 1, dst));
    else
        assert_int_equal(out[0], f->port_peer[ik_host_port(f, dst)]);
}

/* All ports up, or the one to a switch that is above the host. */
static void check_full_ascent(const ik_routing *r, uint32_t sw, uint32_t l, uint32_t dst)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t out[256], preferred, up = f->port_base[sw] + x->m[l - 1];
    ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
    uint32_t n = r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred);
    assert_int_equal(n, x->w[l]);
    for (uint32_t u = 0; u < n; u++)
        assert_int_equal(out[u], up + u);
}

/* Every start has a way of its own: the digits of its number. */
static void check_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t top = 1, out[256], preferred;
    while (src / x->prod_m[top] != dst / x->prod_m[top])
        top++;
    assert_int_equal(r->family->num_starts(r, src, dst), x->prod_w[top]);
    for (uint32_t n = 0; n < x->prod_w[top]; n++) {
        ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
        r->family->start_nth(r, n, &pk);
        uint32_t sw = f->port_node[f->port_peer[ik_host_port(f, src)]], rest = n;
        for (uint32_t l = 1; l < top; l++) {
            assert_int_equal(r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred), 1);
            assert_int_equal(out[0], f->port_base[sw] + x->m[l - 1] + rest % x->w[l]);
            rest /= x->w[l];
            sw = ik_peer_node(f, out[0]);
        }
        check_descent(r, sw, top, src, dst, pk.via);
    }
}

/* Towards `host` from everywhere, or, by source, from `host` to everywhere: one port up at all
 * switches of level l that are not above it, or at the one above it by which it ascends. */
static void check_ascents_alike(const ik_routing *r, uint32_t l, uint32_t host, bool from)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t out[256], preferred;
    for (uint32_t sw = x->level_base[l]; sw < x->level_base[l + 1]; sw++) {
        uint32_t common = IK_NONE;
        for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
            if (is_above(x, sw, l, host) != from || (from ? is_above(x, sw, l, dst) : dst != host))
                continue;
            ik_packet pk = {.src = host, .dst = dst, .via = IK_NONE};
            assert_int_equal(r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred), 1);
            assert_true(out[0] >= f->port_base[sw] + x->m[l - 1]);
            assert_true(common == IK_NONE || common == out[0] - f->port_base[sw]);
            common = out[0] - f->port_base[sw];
        }
    }
}

static void check_declaration(const ik_routing *r)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    tree_ascents ascents = tree_counts_fit(r);
    bool drawn = r->family->num_starts;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            uint32_t l = level_of(x, sw), other = f->num_hosts - 1 - host;
            if (is_above(x, sw, l, host))
                check_descent(r, sw, l, other == host ? !host : other, host, 0);
            else if (ascents == TREE_ASCENTS_FULL && !drawn)
                check_full_ascent(r, sw, l, host);
        }
        for (uint32_t l = 1; l < x->h && ascents != TREE_ASCENTS_FULL; l++)
            check_ascents_alike(r, l, host, ascents == TREE_ASCENTS_SOURCE);
        for (uint32_t src = 0; src < f->num_hosts && drawn; src++)
            if (src != host)
                check_starts(r, src, host);
    }
}

/* Those of the list on all trees, and whatever else declares it on its own examples. */
static void test_declarations_hold(void **state)
{
    unsigned checked = 0;
    (void)state;
    for (const char *const *spec = whole; *spec; spec++) {
        ik_fabric *f = fabric_of(*spec);
        for (const char *const *routing = routings; *routing; routing++) {
            ik_routing *r = routing_on(f, *routing);
            if (tree_counts_fit(r) != TREE_ASCENTS_NONE) {
                check_declaration(r);
                checked++;
            }
            ik_routing_free(r);
        }
        ik_fabric_free(f);
    }
    for (const ik_routing_family *const *family = ik_routings(); *family; family++) {
        bool declared = (*family)->traits & DECLARED;
        for (const char *const *spec = (*family)->example_fabrics; declared && *spec; spec++) {
            ik_fabric *f = fabric_of(*spec);
            ik_routing *r = routing_on(f, (*family)->name);
            if (tree_counts_fit(r) != TREE_ASCENTS_NONE)
                check_declaration(r);
            ik_routing_free(r);
            ik_fabric_free(f);
        }
    }
    assert_true(checked > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_trees), cmocka_unit_test(test_other_trees),
        cmocka_unit_test(test_false_declarations), cmocka_unit_test(test_false_declarations_fully),
        cmocka_unit_test(test_declarations_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
