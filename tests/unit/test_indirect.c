/* SPDX-License-Identifier: Apache-2.0
 *
 * minimal, valiant and ugal_l: path sets on the fabrics of diameter two, decisions against made-up
 * queues, proofs.
 */
#include "unit/lrt_graph.h"
#include "unit/part.h"

static ik_env env = {.num_threads = 2};

static ik_proof prove(const ik_plan *p)
{
    ik_proof proof;
    ik_error err;
    if (ik_verify(p, NULL, &env, &proof, &err) != IK_OK)
        fail_msg("%s", err.text);
    return proof;
}

/* Delivered, no loop, free of deadlock, lengths as claimed. */
static void check(const char *spec, const char *routing, bool minimal, uint32_t max_hops,
                  unsigned vcs)
{
    ik_fabric *f = fabric_of(spec);
    ik_plan *p = plan_of(f, routing, NULL, 0);
    ik_proof proof = prove(p);
    if (proof.delivered != IK_YES || proof.loop_free != IK_YES || proof.deadlock_free != IK_YES ||
        proof.max_hops != max_hops || p->num_vcs != vcs || (proof.minimal == IK_YES) != minimal)
        fail_msg("%s on %s: delivered %d, loop free %d, deadlock free %d (%s), minimal %d, max "
                 "hops %u, VCs %u",
                 routing, spec, proof.delivered, proof.loop_free, proof.deadlock_free,
                 proof.deadlock_reason, proof.minimal, proof.max_hops, p->num_vcs);
    ik_proof_free(&proof);
    ik_plan_free(p);
    ik_fabric_free(f);
}

static void test_proofs(void **state)
{
    (void)state;
    check("slimfly:q=5", "minimal", true, 2, 2);
    check("slimfly:q=5", "valiant", false, 4, 4);
    check("slimfly:q=5", "ugal_l", false, 4, 4);
    check("slimfly:q=5", "ugal_l:paths=one,t=10 %", false, 4, 4);
    check("oft:k=4", "minimal", true, 2, 1);
    check("oft:k=4", "valiant", false, 4, 2);
    check("oft:k=4", "ugal_l", false, 4, 2);
    check("mlfm:h=3", "minimal:paths=one", true, 2, 1);
    check("mlfm:h=3", "valiant", false, 4, 2);
    check("mlfm:h=3", "ugal_l", false, 4, 2);
    check("polarfly:q=3", "valiant", false, 4, 4);
    check("hyperx:dims=3:3", "ugal_l", false, 4, 4);
    check("torus:dims=4:4", "minimal", true, 4, 4);
}

/* Numbers of ports that are no byte, where each pair has one minimal port. */
static void test_many_ports(void **state)
{
    (void)state;
    check("hyperx:dims=260,p=1", "minimal", true, 1, 1);
    check("hyperx:dims=260,p=1", "minimal:paths=one", true, 1, 1);
    check("hyperx:dims=258,p=1", "valiant", false, 2, 2);
}

/* Hierarchical halves: at most one global link each, VC = phase. */
static void test_hierarchical_proofs(void **state)
{
    (void)state;
    check("dragonfly:h=1", "minimal", true, 3, 2);
    /* the graph has ways over two global links and nothing else */
    check("dragonfly:h=2", "minimal", false, 3, 2);
    check("dragonfly:h=2", "minimal:paths=one", false, 3, 2);
    check("dragonfly:h=2", "minimal:hierarchy=off", true, 3, 3);
    /* one local and one global hop to the other group, then at most three */
    check("dragonfly:h=2", "valiant", false, 5, 3);
    check("dragonfly:h=2", "ugal_l", false, 5, 3);
    check("dragonfly:h=2", "valiant:intermediate=hosts", false, 6, 4);
    check("dragonfly:h=2,a=4,p=2,g=5,arrangement=relative", "ugal_l:intermediate=all", false, 6, 4);
    check("dragonfly:h=2", "valiant:hierarchy=off", false, 5, 5);
    check("dragonflyplus:h=2", "minimal", true, 3, 1);
    check("dragonflyplus:h=2", "valiant", false, 6, 3); /* up and over, down, up and over, down */
    check("dragonflyplus:h=2", "ugal_l", false, 6, 3);
    check("dragonflyplus:h=2", "valiant:intermediate=hosts", false, 6, 2);
    /* between spines down and up: VC = hops */
    check("dragonflyplus:h=2", "valiant:intermediate=all", false, 8, 8);
    check("dragonflyplus:h=2,leaves=3,spines=4,p=2,g=5,arrangement=relative", "ugal_l", false, 6,
          3);
}

static unsigned global_links(const ik_fabric *f, const uint32_t *channels, uint32_t length)
{
    unsigned n = 0;
    for (uint32_t i = 1; i + 1 < length; i++)
        n += f->switch_place[f->port_node[channels[i]]].group !=
             f->switch_place[ik_peer_node(f, channels[i])].group;
    return n;
}

/* Walks every path of minimal routing: none has two global links, and each is as short as one that
 * has at most one can be. */
static void walk_all(const ik_plan *p, uint32_t in_port, ik_packet pk, uint32_t *channels,
                     uint32_t length, uint32_t *shortest)
{
    const ik_fabric *f = p->fabric;
    uint32_t sw = f->port_node[in_port], preferred, n;
    ik_choice out[64];
    n = ik_plan_next(p, sw, in_port, &pk, out, &preferred);
    for (uint32_t i = 0; i < n; i++) {
        ik_packet then = pk;
        channels[length] = out[i].port;
        assert_true(length < 16);
        if (ik_peer_node(f, out[i].port) == ik_host_node(f, pk.dst)) {
            assert_true(global_links(f, channels, length + 1) <= 1);
            assert_true(*shortest == 0 || *shortest == length);
            *shortest = length;
            continue;
        }
        ik_plan_advance(p, out[i].port, out[i].vc_first, &then);
        walk_all(p, f->port_peer[out[i].port], then, channels, length + 1, shortest);
    }
}

/* Hops of the shortest path with at most one global link, by trying every global link of the
 * source's group. */
static uint32_t hops_by_hand(const ik_fabric *f, uint32_t a, uint32_t b)
{
    const ik_place *at = f->switch_place;
    bool trees = strcmp(f->family, "dragonflyplus") == 0;
    uint32_t best = IK_NONE;
#define LOCAL(u, v) ((u) == (v) ? 0u : trees && at[u].layer == at[v].layer ? 2u : 1u)
    if (at[a].group == at[b].group)
        return LOCAL(a, b);
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        uint32_t x = f->port_node[port], y = ik_peer_node(f, port);
        if (y == IK_NONE || !ik_is_switch(f, y) || at[x].group != at[a].group ||
            at[y].group != at[b].group)
            continue;
        uint32_t hops = LOCAL(a, x) + 1 + LOCAL(y, b);
        best = hops < best ? hops : best;
    }
#undef LOCAL
    return best;
}

static void test_one_global_link(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "dragonfly:h=2", "dragonfly:h=2,arrangement=absolute", "dragonfly:h=3,a=4,p=1,g=6",
        "dragonflyplus:h=2", "dragonflyplus:h=2,leaves=3,spines=4,p=2,g=5,arrangement=relative"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        ik_fabric *f = fabric_of(specs[k]);
        ik_plan *p = plan_of(f, "minimal", NULL, 0);
        for (uint32_t src = 0; src < f->num_hosts; src++)
            for (uint32_t dst = 0; dst < f->num_hosts; dst += 3) {
                uint32_t channels[16] = {f->port_base[ik_host_node(f, src)]}, shortest = 0;
                ik_packet pk;
                if (src == dst)
                    continue;
                ik_plan_start_nth(p, src, dst, 0, &pk);
                walk_all(p, f->port_peer[channels[0]], pk, channels, 1, &shortest);
                assert_int_equal(
                    shortest, 1 + hops_by_hand(f, ik_host_switch(f, src), ik_host_switch(f, dst)));
            }
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* All hosts of a group send to the next one, over the one link between them: 8 hosts, so an eighth
 * of their rate. Valiant's way brings half of all links' rate at best. */
static void test_adversarial_traffic(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("dragonfly:h=2");
    ik_traffic *t = traffic_of(f, "shift:by=8");
    static const struct {
        const char *routing;
        double least, most;
    } cases[] = {
        {"minimal", 0.125, 0.125}, {"minimal:hierarchy=off", 0.2, 0.3}, {"valiant", 0.3, 0.5}};
    for (size_t k = 0; k < 3; k++) {
        ik_routing *r = routing_on(f, cases[k].routing);
        ik_load l = {0};
        ik_error err;
        assert_int_equal(ik_load_measure(r, t, &env, &l, &err), IK_OK);
        if (l.saturation < cases[k].least - 1e-9 || l.saturation > cases[k].most + 1e-9)
            fail_msg("%s saturates at %g", cases[k].routing, l.saturation);
        ik_load_free(&l);
        ik_routing_free(r);
    }
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* Without groups there is nothing to switch on or off: what would have no effect is refused, also
 * at its present value. */
static void test_hierarchy_refused(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"slimfly:q=5", "torus:dims=4:4", "karytree:k=2,n=2",
                                          "mlfm:h=3", "hyperx:dims=3:4"};
    static const char *const routings[] = {"minimal", "valiant", "ugal_l"};
    for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++) {
        ik_fabric *f = fabric_of(fabrics[k]);
        for (size_t i = 0; i < sizeof routings / sizeof *routings; i++)
            for (int value = 0; value < 3; value++) {
                static const char *const values[] = {"auto", "on", "off"};
                char spec[64];
                snprintf(spec, sizeof spec, "%s:hierarchy=%s", routings[i], values[value]);
                ik_routing *r = NULL;
                ik_error err = {0};
                ik_status status = ik_routing_from_spec(f, spec, &env, &r, &err);
                if (status != (value ? IK_ERR_UNSUPPORTED : IK_OK) ||
                    (value && !strstr(err.text, "has no groups")))
                    fail_msg("%s on %s: %d, %s", spec, fabrics[k], status, err.text);
                ik_routing_free(r);
            }
        ik_fabric_free(f);
    }
}

/* Where failures leave no path with one global link the pair is lost, and found again without the
 * hierarchy; Valiant's routing loses none that has both halves. */
static void test_hierarchy_damaged(void **state)
{
    (void)state;
    /* the only link between two groups of two */
    ik_fabric *f = fabric_of("dragonfly:h=1,fail=sw0.3");
    static const struct {
        const char *routing;
        uint64_t lost;
    } cases[] = {{"minimal", 8},
                 {"minimal:hierarchy=off", 0},
                 {"valiant", 0},
                 {"ugal_l", 0},
                 {"valiant:intermediate=hosts", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_plan *p = plan_of(f, cases[k].routing, NULL, 0);
        ik_proof proof = prove(p);
        if (proof.undelivered != cases[k].lost || proof.deadlock_free != IK_YES ||
            proof.unconnected)
            fail_msg("%s loses %llu", cases[k].routing, (unsigned long long)proof.undelivered);
        ik_proof_free(&proof);
        ik_plan_free(p);
    }
    ik_fabric_free(f);
}

/* Dependencies that the paper's schemes avoid: one VC is enough for neither. */
static void test_one_vc_deadlocks(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"slimfly:q=5", "minimal"}, {"oft:k=4", "valiant"}, {"mlfm:h=3", "valiant"}};
    for (size_t i = 0; i < 3; i++) {
        ik_fabric *f = fabric_of(cases[i][0]);
        ik_plan *p = plan_of(f, cases[i][1], "1q", 0);
        ik_proof proof = prove(p);
        assert_int_equal(proof.deadlock_free, IK_NO);
        assert_true(proof.witness_length >= 2);
        ik_proof_free(&proof);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* Eligible intermediates: everything with hosts but the two ends; each exactly once, never an
 * end. */
static void test_intermediates(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t count;
    } cases[] = {{"slimfly:q=5", 48}, {"oft:k=4", 24}, {"mlfm:h=3", 10}, {"dragonfly:h=2", 7}};
    for (size_t i = 0; i < 4; i++) {
        ik_fabric *f = fabric_of(cases[i].spec);
        ik_routing *r = NULL;
        ik_error err;
        assert_int_equal(ik_routing_from_spec(f, "valiant", &env, &r, &err), IK_OK);
        uint8_t *seen = calloc(f->num_switches, 1);
        for (uint32_t dst = 0; dst < f->num_hosts; dst += 3) {
            uint32_t n = r->family->num_starts(r, 0, dst), rs = ik_host_switch(f, 0),
                     rd = ik_host_switch(f, dst);
            if (rs != rd && f->switch_place && strcmp(f->family, "dragonfly") == 0 &&
                f->switch_place[rs].group == f->switch_place[rd].group)
                assert_int_equal(n, cases[i].count + 1);
            else
                assert_int_equal(n, rs == rd ? 1 : cases[i].count);
            memset(seen, 0, f->num_switches);
            for (uint32_t k = 0; k < n && rs != rd; k++) {
                ik_packet pk = {.src = 0, .dst = dst, .via = IK_NONE};
                r->family->start_nth(r, k, &pk);
                uint32_t mid = pk.via & 0xFFFFF;
                assert_true(mid < f->num_switches && mid != rs && mid != rd && !seen[mid]);
                seen[mid] = 1;
            }
        }
        free(seen);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

/* ---- decisions */

typedef struct queues {
    const ik_fabric *f;
    int64_t *bytes, *vc0, *taken; /* [ports] */
} queues;

static int64_t queued(void *ctx, uint32_t channel, int vc)
{
    const queues *q = ctx;
    return vc < 0 ? q->bytes[channel] : q->vc0[channel];
}

static int64_t capacity(void *ctx, uint32_t channel, int vc)
{
    (void)ctx, (void)channel, (void)vc;
    return 100000;
}

static int64_t credit(void *ctx, uint32_t channel, int vc)
{
    (void)vc;
    return 100000 - ((const queues *)ctx)->taken[channel];
}

/* Share of 400 packets from host 0 to dst that go through an intermediate. */
static double indirect_share(const ik_fabric *f, const char *spec, queues *q, uint32_t dst)
{
    ik_routing *r = NULL;
    ik_error err;
    if (ik_routing_from_spec(f, spec, &env, &r, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    ik_view view = {q, credit, capacity, queued, NULL, NULL, NULL};
    unsigned n = 0;
    for (uint64_t k = 0; k < 400; k++) {
        ik_draw draw = {7, 0, k};
        ik_packet pk = {.src = 0, .dst = dst, .via = IK_NONE};
        r->family->start(r, &draw, &view, &pk);
        n += (pk.via & 0xFFFFF) != 0xFFFFF;
        uint32_t out[64], preferred, host_port = f->port_peer[f->port_base[ik_host_node(f, 0)]];
        assert_true(r->family->next(r, f->port_node[host_port], host_port, &pk, out, &preferred) >=
                    1);
    }
    ik_routing_free(r);
    return n / 400.0;
}

static void test_decisions(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("slimfly:q=5");
    queues q = {f, calloc(f->num_ports, 8), calloc(f->num_ports, 8), calloc(f->num_ports, 8)};
    uint32_t rs = ik_host_switch(f, 0), first = IK_NONE, dst = IK_NONE;
    for (uint32_t p = f->port_base[rs]; p < f->port_base[rs + 1] && dst == IK_NONE; p++)
        if (ik_is_switch(f, ik_peer_node(f, p))) {
            /* a host behind a neighbour: length 1, indirect paths 2 to 4 */
            first = p;
            for (uint32_t h = 0; h < f->num_hosts; h++)
                if (ik_host_switch(f, h) == ik_peer_node(f, p))
                    dst = h;
        }
    assert_true(indirect_share(f, "ugal_l", &q, dst) == 0); /* all empty: minimal wins ties */
    q.bytes[first] = 256;
    /* anything loses against an empty queue */
    assert_true(indirect_share(f, "ugal_l", &q, dst) > 0.9);
    assert_true(indirect_share(f, "ugal_l:t=10 %", &q, dst) == 0);
    assert_true(indirect_share(f, "ugal_l:t=10 %,buffer=1000 B", &q, dst) > 0.9);
    assert_true(indirect_share(f, "ugal_l:occupancy=vc", &q, dst) == 0);
    q.vc0[first] = 1;
    assert_true(indirect_share(f, "ugal_l:occupancy=vc", &q, dst) > 0.9);
    for (uint32_t p = f->port_base[rs]; p < f->port_base[rs + 1]; p++)
        q.bytes[p] = 100;
    q.bytes[first] = 350;
    /* ratio: no triangles, so lengths are 3 or 4 against 1 and costs 300 or 400. Of the 12 of
     * length 3 the 6 neighbours of the destination's switch start by the long queue; the other 6 of
     * 48 intermediates win. */
    double some = indirect_share(f, "ugal_l", &q, dst);
    assert_true(fabs(some - (1 - pow(0.875, 4))) < 0.08);
    assert_true(indirect_share(f, "ugal_l:csf=2", &q, dst) == 0);
    assert_true(indirect_share(f, "ugal_l:csf=0.25", &q, dst) > some);
    assert_true(indirect_share(f, "ugal_l:c=2", &q, dst) > 0.9); /* constant: 200 < 350 */
    assert_true(indirect_share(f, "ugal_l:c=4", &q, dst) == 0);
    assert_true(indirect_share(f, "ugal_l:ni=1", &q, dst) < some);
    for (uint32_t p = f->port_base[rs]; p < f->port_base[rs + 1]; p++)
        q.bytes[p] = 0;
    q.taken[first] = 500;
    assert_true(indirect_share(f, "ugal_l", &q, dst) == 0);
    assert_true(indirect_share(f, "ugal_l:occupancy=queue_credits", &q, dst) > 0.9);
    for (uint32_t h = 0; h < f->num_hosts; h++) /* no decision inside a switch */
        if (h && ik_host_switch(f, h) == rs)
            assert_true(indirect_share(f, "ugal_l", &q, h) == 0);
    free(q.bytes);
    free(q.vc0);
    free(q.taken);
    ik_fabric_free(f);
}

/* Of several minimal first outputs the least occupied is taken, and bound. */
static void test_cheapest_first_output(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("mlfm:h=3");
    queues q = {f, calloc(f->num_ports, 8), calloc(f->num_ports, 8), calloc(f->num_ports, 8)};
    uint32_t rs = ik_host_switch(f, 0), dst = 4 * 3; /* layer 1, the same column: three paths */
    uint32_t up = f->port_base[rs] + 3;
    ik_view view = {&q, credit, capacity, queued, NULL, NULL, NULL};
    for (uint32_t cheap = 0; cheap < 3; cheap++) {
        for (uint32_t p = 0; p < 3; p++)
            q.bytes[up + p] = p == cheap ? 10 : 500;
        ik_routing *r = NULL;
        ik_error err;
        assert_int_equal(ik_routing_from_spec(f, "ugal_l:c=1000", &env, &r, &err), IK_OK);
        ik_draw draw = {1, 0, cheap};
        ik_packet pk = {.src = 0, .dst = dst, .via = IK_NONE};
        uint32_t out[64], preferred, in = f->port_peer[f->port_base[ik_host_node(f, 0)]];
        r->family->start(r, &draw, &view, &pk);
        assert_int_equal(r->family->next(r, rs, in, &pk, out, &preferred), 1);
        assert_int_equal(out[0], up + cheap);
        ik_routing_free(r);
    }
    free(q.bytes);
    free(q.vc0);
    free(q.taken);
    ik_fabric_free(f);
}

static void test_random_and_damaged(void **state)
{
    (void)state;
    static const char *const routings[] = {"minimal", "minimal:paths=one,seed=3", "valiant",
                                           "valiant:paths=one,intermediate=all", "ugal_l"};
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint32_t n = 6 + ik_random_below(seed, IK_RNG_TEST, 3, 0, 14);
        ik_fabric *whole = test_random_graph(n, n, 1, 0, seed),
                  *f = test_lose_links(whole, (uint32_t)seed * 4, seed);
        for (size_t i = 0; i < sizeof routings / sizeof *routings; i++) {
            ik_plan *p = plan_of(f, routings[i], NULL, 0);
            ik_proof proof = prove(p);
            assert_int_equal(proof.delivered, IK_YES);
            assert_int_equal(proof.deadlock_free, IK_YES);
            assert_int_equal(proof.undelivered, 0);
            if (i < 2)
                assert_int_equal(proof.minimal, IK_YES);
            ik_proof_free(&proof);
            ik_plan_free(p);
        }
        ik_fabric_free(whole);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proofs),          on_one_thread(test_many_ports),
        on_one_thread(test_one_vc_deadlocks),   on_one_thread(test_intermediates),
        on_one_thread(test_decisions),          on_one_thread(test_cheapest_first_output),
        on_one_thread(test_random_and_damaged), on_one_thread(test_hierarchical_proofs),
        on_one_thread(test_one_global_link),    on_one_thread(test_adversarial_traffic),
        on_one_thread(test_hierarchy_refused),  on_one_thread(test_hierarchy_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
