/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker of certificates accepts what proofs say, over plans of every kind, and rejects what
 * is wrong: an order with one dependency turned round or one channel left out, any order of a plan
 * that can deadlock, a cycle that no packets make, a gap that is none. */
#include "unit/made.h"

static const struct {
    const char *fabric, *routing, *vc;
    ik_flow flow;
} plans[] = {
    {"karytree:k=2,n=3", "dmodk", NULL, IK_FLOW_ANY},
    {"karytree:k=2,n=3", "adaptive_tree", NULL, IK_FLOW_ANY},
    {"xgft:m=3:4,w=2:2", "dmodc", "flow2sl", IK_FLOW_ANY},
    {"xgft:m=3:4,w=2:2", "oblivious", NULL, IK_FLOW_ANY},
    {"torus:dims=4:4", "dor", "dateline", IK_FLOW_ANY},
    {"torus:dims=4:4", "valiant", "hopclass", IK_FLOW_ANY},
    {"torus:dims=4:4", "dfsssp", NULL, IK_FLOW_ANY},
    {"mesh:dims=3:3", "minimal", "escape:routing=dor", IK_FLOW_ANY},
    {"mesh:dims=4:4", "minimal", "escape:routing=updown", IK_FLOW_CUT_THROUGH},
    /* those that can deadlock */
    {"ring:n=5", "minimal", "1q", IK_FLOW_ANY},
    {"mesh:dims=4:4", "minimal", "escape:routing=updown", IK_FLOW_ANY},
    {"torus:dims=4:4", "valiant", "escape:routing=updown", IK_FLOW_ANY},
    /* packets come to dead ends, which are no gaps of the escape layer; others find a gap */
    {"dragonfly:h=1,fail=14%,fail_seed=57", "ugal_l", "escape:routing=shortest", IK_FLOW_ANY},
    {"dragonfly:h=1,fail=14%,fail_seed=57", "ugal_l", "escape:routing=shortest",
     IK_FLOW_CUT_THROUGH},
};
enum { NUM_PLANS = sizeof plans / sizeof *plans, NUM_SOUND = 9 };

typedef struct proved {
    ik_fabric *f;
    ik_plan *plan;
    ik_proof proof;
    ik_certificate certificate;
} proved;

static proved prove(unsigned number)
{
    proved p = {.f = fabric_of(plans[number].fabric)};
    ik_verify_config config = {.flow = plans[number].flow};
    ik_error err = {0};
    p.plan = plan_of(p.f, plans[number].routing, plans[number].vc, 0);
    if (ik_verify_certified(p.plan, &config, &made_env, &p.proof, &p.certificate, &err) != IK_OK)
        fail_msg("%s on %s: %s", plans[number].routing, plans[number].fabric, err.text);
    assert_int_equal(p.proof.deadlock_free, number < NUM_SOUND ? IK_YES : IK_NO);
    return p;
}

static void forget(proved *p)
{
    ik_certificate_free(&p->certificate);
    ik_proof_free(&p->proof);
    ik_plan_free(p->plan);
    ik_fabric_free(p->f);
}

/* All pairs are walked, whatever the limit of a part. */
static bool accepted(const proved *p, const ik_proof *proof, const ik_certificate *certificate)
{
    uint64_t pairs = 0;
    ik_error err = {0};
    ik_status status =
        ik_certificate_check(p->plan, proof, certificate, 0, &made_env, &pairs, &err);
    assert_true(status == IK_OK || status == IK_ERR_INTERNAL);
    if (status == IK_OK && proof->deadlock_free == IK_YES)
        assert_int_equal(pairs, proof->pairs);
    return status == IK_OK;
}

static void test_what_is_proved_is_accepted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NUM_PLANS; i++) {
        proved p = prove(i);
        assert_true(accepted(&p, &p.proof, &p.certificate));
        assert_int_equal(p.certificate.rank != NULL, i < NUM_SOUND);
        forget(&p);
    }
}

typedef struct first_hop {
    const ik_fabric *f;
    unsigned vcs;
    ik_hop hop;
    bool found;
} first_hop;

/* A dependency between two ordered channels. */
static void note_hop(void *ctx, const ik_hop *hop)
{
    first_hop *n = ctx;
    uint32_t to = ik_peer_node(n->f, hop->out);
    if (n->found || !ik_is_switch(n->f, n->f->port_node[hop->in]) || !ik_is_switch(n->f, to) ||
        hop->in_vc >= n->vcs || hop->out_vc >= n->vcs)
        return;
    n->hop = *hop;
    n->found = true;
}

static first_hop find_dependency(const proved *p)
{
    const ik_fabric *f = p->plan->fabric;
    first_hop n = {.f = f, .vcs = p->certificate.ordered_vcs};
    ik_hops *hops = ik_hops_new(p->plan);
    ik_error err;
    for (uint32_t src = 0; src < f->num_hosts && !n.found; src++)
        for (uint32_t dst = 0; dst < f->num_hosts && !n.found; dst++)
            if (src != dst && ik_rails_used(p->plan->routing, src, dst))
                assert_int_equal(ik_hops_each(hops, src, dst, 0, note_hop, &n, &err), IK_OK);
    ik_hops_free(hops);
    assert_true(n.found);
    return n;
}

static void test_wrong_orders_are_rejected(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NUM_SOUND; i++) {
        proved p = prove(i);
        first_hop n = find_dependency(&p);
        uint32_t *held = &p.certificate.rank[n.hop.in * n.vcs + n.hop.in_vc],
                 *next = &p.certificate.rank[n.hop.out * n.vcs + n.hop.out_vc], kept = *held;
        *held = *next;
        *next = kept;
        assert_false(accepted(&p, &p.proof, &p.certificate));
        *next = 0;
        assert_false(accepted(&p, &p.proof, &p.certificate));
        forget(&p);
    }
}

/* Whatever the order, one lane on a torus has dependencies that go down. */
static void test_no_order_fits_a_plan_that_can_deadlock(void **state)
{
    (void)state;
    proved p = {.f = fabric_of("torus:dims=4:4")};
    p.plan = plan_of(p.f, "minimal", "1q", 0);
    p.proof = (ik_proof){.deadlock_free = IK_YES};
    p.certificate =
        (ik_certificate){.ordered_vcs = 1, .rank = ik_calloc(p.f->num_ports, sizeof(uint32_t))};
    for (uint32_t port = 0; port < p.f->num_ports; port++)
        p.certificate.rank[port] = port + 1;
    assert_false(accepted(&p, &p.proof, &p.certificate));
    forget(&p);
}

static void test_wrong_counterexamples_are_rejected(void **state)
{
    (void)state;
    for (unsigned i = NUM_SOUND; i < NUM_PLANS; i++) {
        proved p = prove(i);
        ik_dependency kept = p.proof.witness_length ? *p.proof.witness : (ik_dependency){0};
        if (p.proof.witness_length) {
            p.proof.witness->dst = (kept.dst + 1) % p.f->num_hosts == kept.src
                                       ? (kept.dst + 2) % p.f->num_hosts
                                       : (kept.dst + 1) % p.f->num_hosts;
            p.proof.witness->channel = p.proof.witness[1].channel;
            assert_false(accepted(&p, &p.proof, &p.certificate));
            *p.proof.witness = kept;
        }
        if (p.proof.gap_src != IK_NONE) {
            p.proof.gap_port = p.f->port_peer[ik_host_port(p.f, p.proof.gap_dst)];
            assert_false(accepted(&p, &p.proof, &p.certificate));
        }
        forget(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_proved_is_accepted),
        cmocka_unit_test(test_wrong_orders_are_rejected),
        cmocka_unit_test(test_no_order_fits_a_plan_that_can_deadlock),
        cmocka_unit_test(test_wrong_counterexamples_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
