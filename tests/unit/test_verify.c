/* SPDX-License-Identifier: Apache-2.0
 *
 * test_verify.c: proofs that must hold, proofs that must fail, and their witnesses, against
 * independent recounts.
 */
#include "unit/verify_helpers.h"

static ik_proof prove(const ik_plan *p, unsigned threads)
{
    ik_proof proof;
    ik_error err = {0};
    ik_env env = {.num_threads = threads};
    if (ik_verify(p, NULL, &env, &proof, &err) != IK_OK)
        fail_msg("%s", err.text);
    return proof;
}

/* A witness must be a cycle of real channels whose every step its pair really takes. */
static void check_witness(const ik_plan *p, const ik_proof *proof)
{
    const ik_fabric *f = p->fabric;
    assert_true(proof->witness_length > 0);
    for (size_t i = 0; i < proof->witness_length; i++) {
        const ik_dependency *from = &proof->witness[i],
                            *to = &proof->witness[(i + 1) % proof->witness_length];
        assert_int_equal(ik_peer_node(f, from->channel), f->port_node[to->channel]);
        assert_int_not_equal(from->src, from->dst);
        uint32_t path[64];
        uint32_t length = ik_plan_path(p, from->src, from->dst, 0, path, 64);
        bool takes = false;
        for (uint32_t k = 0; k + 1 < length; k++)
            takes |= path[k] == from->channel && path[k + 1] == to->channel;
        assert_true(takes);
    }
}

static void minimal_routing_on_rings(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 9; n++) {
        ik_fabric *f = ring_fabric(n, 2);
        for (int by_tree = 0; by_tree < 2; by_tree++) {
            ik_plan *p = ring_plan(f, by_tree ? IK_ROUTE_DEST_BASED : 0, RING_SHORTEST);
            ik_proof proof = prove(p, 1);
            assert_int_equal(proof.delivered, IK_YES);
            assert_int_equal(proof.minimal, IK_YES);
            assert_int_equal(proof.loop_free, IK_YES);
            assert_int_equal(proof.max_hops, n / 2);
            assert_int_equal(proof.pairs, 2 * n * (2 * n - 1));
            assert_int_equal(proof.vcs_used, 1);
            assert_int_equal(proof.path_lengths[0], 2 * n);
            /* Three switches: no packet crosses two channels. */
            bool cyclic = n > 3;
            assert_int_equal(proof.deadlock_free, cyclic ? IK_NO : IK_YES);
            assert_int_equal(proof.witness_length, cyclic ? n : 0);
            if (cyclic)
                check_witness(p, &proof);
            ik_proof_free(&proof);
            ring_plan_free(p);
        }
        ik_fabric_free(f);
    }
}

static void updown_on_rings(void **state)
{
    (void)state;
    for (uint32_t n = 3; n <= 9; n++) {
        ik_fabric *f = ring_fabric(n, 1);
        ik_plan *p = plan_of(f, "updown", NULL, 0);
        ik_proof proof = prove(p, 1);
        assert_int_equal(proof.delivered, IK_YES);
        assert_int_equal(proof.deadlock_free, IK_YES);
        assert_null(proof.witness);
        ik_proof_free(&proof);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

static void broken_routings_are_caught(void **state)
{
    (void)state;
    ik_fabric *f = ring_fabric(6, 1);
    for (int by_tree = 0; by_tree < 2; by_tree++) {
        unsigned traits = by_tree ? IK_ROUTE_DEST_BASED : 0;
        /* Switch 2 knows no way to host 4: sources 0, 1, 2, 3 and 5 with shortest ways through it
         * are 1 and 2 (0 -> 4 goes by 5).
         */
        ik_plan *p = ring_plan(f, traits, RING_DEAD_END);
        ik_proof proof = prove(p, 1);
        assert_int_equal(proof.delivered, IK_NO);
        assert_int_equal(proof.loop_free, IK_YES);
        assert_int_equal(proof.undelivered, 2);
        assert_int_equal(proof.first_undelivered_src, 1);
        assert_int_equal(proof.first_undelivered_dst, 4);
        assert_int_equal(proof.lost_path_length, 2); /* host 1 to switch 1 to switch 2 */
        assert_int_equal(f->port_node[proof.lost_path[0]], ik_host_node(f, 1));
        assert_int_equal(ik_peer_node(f, proof.lost_path[1]), 2);
        ik_proof_free(&proof);
        ring_plan_free(p);
        /* Switches 2 and 3 send packets for host 5 to each other; host 1 reaches it by switch 0. */
        p = ring_plan(f, traits, RING_LOOP);
        proof = prove(p, 1);
        assert_int_equal(proof.delivered, IK_NO);
        assert_int_equal(proof.loop_free, IK_NO);
        assert_int_equal(proof.loops, 2);
        assert_int_equal(proof.undelivered, 2);
        assert_int_equal(proof.first_undelivered_src, 2);
        /* host 2 to switches 2, 3, 2 and 3 again, by the same cable */
        assert_int_equal(proof.lost_path_length, 4);
        assert_int_equal(proof.lost_path[3], proof.lost_path[1]);
        ik_proof_free(&proof);
        ring_plan_free(p);
        /* Always clockwise: delivered, not minimal for distances beyond 3, cyclic. */
        p = ring_plan(f, traits, RING_CLOCKWISE);
        proof = prove(p, 1);
        assert_int_equal(proof.delivered, IK_YES);
        assert_int_equal(proof.minimal, IK_NO);
        assert_int_equal(proof.not_minimal, 12);
        assert_int_equal(proof.max_hops, 5);
        assert_int_equal(proof.deadlock_free, IK_NO);
        assert_int_equal(proof.channels, 6);
        assert_int_equal(proof.dependencies, 6);
        check_witness(p, &proof);
        ik_proof_free(&proof);
        ring_plan_free(p);
    }
    ik_fabric_free(f);
}

static uint32_t two_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    (void)r, (void)src, (void)dst;
    return 2;
}

static void start_in_phase(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    (void)r;
    pk->phase = (uint8_t)(n + 1);
}

/* Packets may start in two ways, of which the first or the second one is lost or goes round. */
static void one_wrong_start_is_enough(void **state)
{
    (void)state;
    ik_fabric *f = ring_fabric(6, 1);
    for (unsigned k = 0; k < 8; k++) {
        enum ring_way way = k & 1 ? RING_LOOP : RING_DEAD_END;
        unsigned trait = k & 4 ? IK_ROUTE_PER_SWITCH : 0;
        ik_plan *p = ring_plan(f, IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | trait, way);
        ring_routing *r = (ring_routing *)(uintptr_t)p->routing;
        r->family.num_starts = two_starts;
        r->family.start_nth = start_in_phase;
        r->right_phase = k & 2 ? 2 : 1;
        ik_proof proof = prove(p, 1 + k % 3);
        assert_int_equal(proof.delivered, IK_NO);
        assert_int_equal(proof.undelivered, 2);
        assert_int_equal(proof.loops, way == RING_LOOP ? 2 : 0);
        assert_int_equal(proof.loop_free, way == RING_LOOP ? IK_NO : IK_YES);
        assert_int_equal(proof.first_undelivered_src, way == RING_LOOP ? 2 : 1);
        ik_proof_free(&proof);
        ring_plan_free(p);
    }
    ik_fabric_free(f);
}

static void unconnected_pairs_are_no_failure(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=2"), *cut = NULL;
    uint32_t leaf = ik_host_switch(f, 0);
    assert_int_equal(ik_fabric_degrade(f, NULL, 0, &leaf, 1, &cut, NULL), IK_OK);
    ik_plan *p = plan_of(cut, "updown", NULL, 0);
    ik_proof proof = prove(p, 1);
    assert_int_equal(proof.pairs, 12);
    assert_int_equal(proof.unconnected, 10);
    assert_int_equal(proof.undelivered, 0);
    assert_int_equal(proof.delivered, IK_YES);
    ik_proof_free(&proof);
    ik_plan_free(p);
    ik_fabric_free(cut);
    ik_fabric_free(f);
}

/* The fast way by in-trees and the walk over states must agree to the last count. */
static void both_methods_agree(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"karytree:k=2,n=3", "rlft:ports=6,levels=3",
                                          "xgft:m=3:2:2,w=1:2:3", "karytree:k=3,n=3,fail=10%",
                                          "xgft:m=4:4,w=2:3"};
    static const char *const schemes[] = {"1q", "dbbm", "vftree", "voqnet"};
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        ik_fabric *f = fabric_of(fabrics[i]);
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            ik_plan *p = plan_of(f, "updown", schemes[k], 0);
            ik_proof by_tree = prove(p, 1);
            p->routing->traits = 0;
            ik_proof by_walk = prove(p, 1);
            assert_same_proof(&by_tree, &by_walk);
            ik_proof_free(&by_tree);
            ik_proof_free(&by_walk);
            ik_plan_free(p);
        }
        ik_fabric_free(f);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    ik_fabric *f = ring_fabric(12, 3);
    for (int by_tree = 0; by_tree < 2; by_tree++) {
        ik_plan *p = ring_plan(f, by_tree ? IK_ROUTE_DEST_BASED : 0, RING_SHORTEST);
        ik_proof one = prove(p, 1);
        for (unsigned threads = 2; threads <= 7; threads += 5) {
            ik_proof many = prove(p, threads);
            assert_same_proof(&one, &many);
            ik_proof_free(&many);
        }
        ik_proof_free(&one);
        ring_plan_free(p);
    }
    ik_fabric_free(f);
}

static void path_lengths_of_trees(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=4,n=3");
    ik_plan *p = plan_of(f, "dmodk", NULL, 0);
    ik_proof proof = prove(p, 2);
    assert_int_equal(proof.num_path_lengths, 5);
    assert_int_equal(proof.path_lengths[0], 64 * 3);
    assert_int_equal(proof.path_lengths[2], 64 * 12);
    assert_int_equal(proof.path_lengths[4], 64 * 48);
    assert_true(proof.mean_hops > 3.428 && proof.mean_hops < 3.429);
    assert_int_equal(proof.minimal, IK_YES);
    assert_int_equal(proof.deadlock_free, IK_YES);
    ik_proof_free(&proof);
    ik_plan_free(p);
    ik_fabric_free(f);
}

static void hop_classes_break_every_cycle(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 8; n++) {
        ik_fabric *f = ring_fabric(n, 1);
        ik_plan *p = ring_plan_vc(f, 0, RING_SHORTEST, "hopclass");
        ik_proof proof = prove(p, 1);
        assert_int_equal(p->num_vcs, n / 2);
        assert_int_equal(proof.vcs_used, n / 2);
        assert_int_equal(proof.deadlock_free, IK_YES);
        ik_proof_free(&proof);
        ring_plan_free(p);
        /* free choice of VC brings the cycle back */
        p = ring_plan_vc(f, 0, RING_SHORTEST, "any:last=2");
        proof = prove(p, 1);
        assert_int_equal(proof.deadlock_free, IK_NO);
        assert_int_equal(proof.witness_length, n);
        ik_proof_free(&proof);
        ring_plan_free(p);
        ik_fabric_free(f);
    }
}

static uint64_t rising(const ik_routing *r, uint32_t sw, uint32_t dst)
{
    (void)r, (void)dst;
    return sw;
}

static uint64_t way_left(const ik_routing *r, uint32_t sw, uint32_t dst)
{
    uint32_t n = r->fabric->num_switches, ahead = (dst + n - sw) % n;
    return ahead < n - ahead ? ahead : n - ahead;
}

static void declared_orders_are_verified(void **state)
{
    (void)state;
    ik_fabric *f = ring_fabric(7, 1);
    ik_plan *p = ring_plan(f, IK_ROUTE_DEST_BASED, RING_SHORTEST);
    ring_routing *r = (ring_routing *)p->routing;
    uint64_t (*const orders[])(const ik_routing *, uint32_t, uint32_t) = {NULL, rising, way_left};
    static const ik_verdict expected[] = {IK_UNKNOWN, IK_NO, IK_YES};
    for (size_t i = 0; i < 3; i++) {
        r->family.order = orders[i];
        ik_proof proof = prove(p, 2);
        assert_int_equal(proof.ordered, expected[i]);
        ik_proof_free(&proof);
    }
    ring_plan_free(p);
    ik_fabric_free(f);
}

/* A dual-port adapter with one cable is no second destination of its own switch: pairs are counted
 * once, and its one goal lets a livelock order be checked. */
static void spare_host_ports_change_nothing(void **state)
{
    (void)state;
    ik_builder *b = ik_builder_new();
    ik_builder_switches(b, 3, 4);
    ik_builder_hosts(b, 6, 2);
    uint16_t cable = ik_builder_class(b, 100000000000u, 6000, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        ik_builder_link(b, ik_sw(i, 0), ik_sw((i + 1) % 3, 1), cable);
        ik_builder_link(b, ik_sw(i, 2), ik_hs(2 * i, 0), cable);
        ik_builder_link(b, ik_sw(i, 3), ik_hs(2 * i + 1, 1), cable);
    }
    ik_fabric *f = NULL;
    ik_error err = {0};
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_builder_free(b);
    static const char *const routings[] = {"shortest", "minimal", "loren:grid=3"};
    for (size_t i = 0; i < sizeof routings / sizeof *routings; i++) {
        ik_plan *p = plan_of(f, routings[i], "1q", 1);
        ik_proof proof = prove(p, 1);
        assert_int_equal(proof.pairs, 30);
        assert_int_equal(proof.num_path_lengths, 2);
        assert_int_equal(proof.path_lengths[0], 6);
        assert_int_equal(proof.path_lengths[1], 24);
        assert_int_equal(proof.ordered, i == 2 ? IK_YES : IK_UNKNOWN);
        ik_proof_free(&proof);
        ik_plan_free(p);
    }
    ik_fabric_free(f);
}

static ik_proof prove_sample(const ik_plan *p, uint64_t pairs, uint64_t seed, unsigned threads)
{
    ik_proof proof;
    ik_error err = {0};
    ik_env env = {.num_threads = threads, .seed = seed};
    ik_verify_config config = {.sample_pairs = pairs};
    if (ik_verify(p, &config, &env, &proof, &err) != IK_OK)
        fail_msg("%s", err.text);
    return proof;
}

/* A sample never says yes, counts no pair twice, and is the same on any number of threads; one of
 * every pair is the proof. */
static void samples_are_no_proofs(void **state)
{
    (void)state;
    static const char *const routings[] = {"dmodk", "oblivious"};
    ik_fabric *f = fabric_of("karytree:k=3,n=3");
    for (size_t i = 0; i < 2; i++) {
        ik_plan *p = plan_of(f, routings[i], NULL, 0);
        ik_proof all = prove(p, 1), same = prove_sample(p, all.pairs, 1, 1);
        assert_same_proof(&all, &same);
        assert_int_equal(same.sampled_pairs, 0);
        ik_proof_free(&same);
        for (uint64_t pairs = 1; pairs < all.pairs; pairs = pairs * 3 + 1) {
            ik_proof one = prove_sample(p, pairs, 7, 1), many = prove_sample(p, pairs, 7, 3);
            assert_same_proof(&one, &many);
            assert_int_equal(one.sampled_pairs, pairs);
            assert_int_equal(one.pairs, pairs);
            assert_int_equal(one.delivered, IK_UNKNOWN);
            assert_int_equal(one.loop_free, IK_UNKNOWN);
            assert_int_equal(one.minimal, IK_UNKNOWN);
            assert_int_equal(one.deadlock_free, IK_UNKNOWN);
            assert_non_null(strstr(one.deadlock_reason, "sample"));
            for (size_t k = 0; k < one.num_path_lengths; k++)
                assert_true(one.path_lengths[k] <= all.path_lengths[k]);
            assert_true(one.dependencies <= all.dependencies);
            ik_proof_free(&one);
            ik_proof_free(&many);
        }
        ik_proof_free(&all);
        ik_plan_free(p);
    }
    ik_fabric_free(f);
}

/* All pairs but one or none: what is wrong with most pairs is found. */
static void samples_find_counterexamples(void **state)
{
    (void)state;
    ik_fabric *f = ring_fabric(6, 1);
    for (uint64_t pairs = 28; pairs < 30; pairs++) {
        ik_plan *p = ring_plan(f, 0, RING_CLOCKWISE);
        ik_proof proof = prove_sample(p, pairs, 3, 2);
        assert_int_equal(proof.deadlock_free, IK_NO);
        check_witness(p, &proof);
        assert_int_equal(proof.minimal, IK_NO);
        assert_int_equal(proof.delivered, IK_UNKNOWN);
        assert_true(proof.not_minimal >= 12 - (30 - pairs) && proof.not_minimal <= 12);
        ik_proof_free(&proof);
        ring_plan_free(p);
        p = ring_plan(f, 0, RING_LOOP);
        proof = prove_sample(p, pairs, 3, 2);
        assert_int_equal(proof.delivered, proof.loops ? IK_NO : IK_UNKNOWN);
        assert_int_equal(proof.loop_free, proof.loops ? IK_NO : IK_UNKNOWN);
        assert_true(proof.loops <= 2 && proof.loops + (30 - pairs) >= 2);
        ik_proof_free(&proof);
        ring_plan_free(p);
    }
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimal_routing_on_rings),
        cmocka_unit_test(updown_on_rings),
        cmocka_unit_test(broken_routings_are_caught),
        cmocka_unit_test(one_wrong_start_is_enough),
        cmocka_unit_test(unconnected_pairs_are_no_failure),
        cmocka_unit_test(both_methods_agree),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(path_lengths_of_trees),
        cmocka_unit_test(declared_orders_are_verified),
        cmocka_unit_test(hop_classes_break_every_cycle),
        cmocka_unit_test(spare_host_ports_change_nothing),
        cmocka_unit_test(samples_are_no_proofs),
        cmocka_unit_test(samples_find_counterexamples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
