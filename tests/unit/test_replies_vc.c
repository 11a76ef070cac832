/* SPDX-License-Identifier: Apache-2.0
 *
 * Replies on the initiator's lane: every path of every pair of hosts on the lane of its own
 * direction and on that of the opposite one, put together here and peeled, over many fabrics; and
 * which schemes service levels can express.
 */
#include "unit/lrt_graph.h"
#include "unit/part.h"
#include "unit/peel.h"

static ik_env env = {.num_threads = 2};

/* The path of src -> dst on one VC into the graph. */
static void add_path(cdg *g, const ik_plan *p, uint32_t src, uint32_t dst, unsigned vc)
{
    const ik_fabric *f = p->fabric;
    const ik_routing *r = p->routing;
    uint32_t port = f->port_base[ik_host_node(f, src)], last = IK_NONE, out[512], preferred;
    ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
    for (uint32_t hops = 0; hops <= f->num_switches; hops++) {
        uint32_t in = f->port_peer[port];
        if (in == IK_NONE || !ik_is_switch(f, f->port_node[in]) ||
            r->family->next(r, f->port_node[in], in, &pk, out, &preferred) == 0)
            return;
        port = out[preferred];
        if (!ik_is_switch(f, ik_peer_node(f, port)))
            return;
        if (last != IK_NONE)
            depend(g, last * p->num_vcs + vc, port * p->num_vcs + vc);
        last = port;
    }
    fail_msg("a loop from host %u to host %u", src, dst);
}

static unsigned lane_of(const ik_plan *p, uint32_t src, uint32_t dst)
{
    ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
    p->vc->family->inject(p->vc, &pk);
    return pk.vc;
}

/* Are the lanes acyclic with requests and replies on the initiator's? *same: both directions of
 * every pair have one lane. */
static bool replies_are_safe(const ik_plan *p, bool *same)
{
    const ik_fabric *f = p->fabric;
    cdg g = {.num = (size_t)f->num_ports * p->num_vcs};
    *same = true;
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t d = 0; d < f->num_hosts; d++) {
            if (s == d)
                continue;
            unsigned there = lane_of(p, s, d), back = lane_of(p, d, s);
            *same = *same && there == back;
            add_path(&g, p, s, d, there);
            if (back != there)
                add_path(&g, p, s, d, back);
        }
    bool safe = acyclic(&g);
    free(g.edges);
    return safe;
}

static ik_plan *plan_on(const ik_fabric *f, const char *routing, const char *vc, unsigned num_vcs)
{
    ik_plan *p = NULL;
    ik_error err;
    if (ik_plan_from_specs(f, routing, vc, NULL, num_vcs, &env, &p, &err) != IK_OK)
        fail_msg("%s with %s: %s", routing, vc ? vc : "its own", err.text);
    return p;
}

/* The proof of the library and the model here agree. */
static void check_safe(const ik_fabric *f, const char *name, const char *routing, const char *vc)
{
    ik_plan *p = plan_on(f, routing, vc, 0);
    unsigned needed = p->num_vcs;
    for (unsigned spare = 0; spare < 3; spare += 2) {
        if (spare) {
            ik_plan_free(p);
            p = plan_on(f, routing, vc, needed + spare);
        }
        bool same, safe = replies_are_safe(p, &same);
        if (!safe || !same || !p->vc->both_ways)
            fail_msg("%s, %s, %s, %u VCs: safe %d, one lane %d, says %d", name, routing,
                     vc ? vc : "its own", p->num_vcs, safe, same, p->vc->both_ways);
        ik_proof proof;
        ik_error err;
        assert_int_equal(ik_verify(p, NULL, &env, &proof, &err), IK_OK);
        assert_int_equal(proof.deadlock_free, IK_YES);
        assert_int_equal(proof.delivered, IK_YES);
        ik_proof_free(&proof);
    }
    ik_plan_free(p);
}

static const struct {
    const char *routing, *vc;
} both[] = {
    {"dfsssp", "dfsssp:pairs=both"},
    {"shortest", "dfsssp:pairs=both,compact=false"},
    {"shortest", "lash:pairs=both"},
    {"nue:pairs=both", NULL},
    {"nue:vcs=2,pairs=both", NULL},
    {"nue:vcs=8,pairs=both", NULL},
    {"frugal", NULL},
    {"frugal:lanes=1", NULL},
};

static void check_fabric(const ik_fabric *f, const char *name)
{
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        check_safe(f, name, both[i].routing, both[i].vc);
}

static const char *const fabrics[] = {
    "ring:n=5",
    "torus:dims=5:5",
    "torus:dims=4:4:4,p=2",
    "jellyfish:N=16,d=3,p=2,seed=1",
    "jellyfish:N=32,d=4,p=2,seed=2",
    "jellyfish:N=64,d=6,p=1,seed=3",
    "karytree:k=4,n=2,fail=10%,fail_seed=3",
    "fattree3:ports=4,fail=10%,fail_seed=5",
    "pgft:m=4:4,w=1:2,p=1:2",
    "hypercube:n=4,p=2",
    "dragonfly:a=4,p=2,h=2",
    "slimfly:q=3",
};

static void test_generated_fabrics(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        if (!in_part(i, 5))
            continue;
        ik_fabric *f = fabric_of(fabrics[i]);
        check_fabric(f, fabrics[i]);
        ik_fabric_free(f);
    }
}

/* Random trees with extra links, parallel ones among them, whole and damaged. */
static void test_irregular_fabrics(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < as_many(24, 8, 2); seed++) {
        uint32_t n = 5 + ik_random_below(seed, IK_RNG_TEST, 6, 0, 30);
        ik_fabric *whole = test_random_graph(n, n, 1 + (uint32_t)(seed % 3), 0, seed),
                  *f = test_lose_links(whole, (uint32_t)(seed % 3) * 5, seed);
        check_fabric(f, "random");
        ik_fabric_free(whole);
        ik_fabric_free(f);
    }
}

/* With a lane per direction, proved as it is, replies on the initiator's lane close cycles. */
static void test_single_directions_are_not_safe(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *vc;
    } cases[] = {
        {"torus:dims=5:5", "dfsssp", "dfsssp"},
        {"torus:dims=5:5", "shortest", "lash"},
        {"jellyfish:N=32,d=4,p=2,seed=2", "nue:vcs=4", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i].fabric);
        ik_plan *p = plan_on(f, cases[i].routing, cases[i].vc, 0);
        bool same, safe = replies_are_safe(p, &same);
        if (safe || same || p->vc->both_ways)
            fail_msg("%s, %s: safe %d, one lane %d, says %d", cases[i].fabric, cases[i].routing,
                     safe, same, p->vc->both_ways);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* Every scheme that changes lanes on the way is refused by its name. */
static void test_which_schemes_can_be_deployed(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *vc;
        unsigned num_vcs;
        const char *says; /* NULL: it can */
    } cases[] = {
        {"torus:dims=5:5", "shortest", "acro", 0, "'acro' cannot be deployed"},
        {"torus:dims=5:5", "shortest", "lash_tor", 0, "'lash_tor' cannot be deployed"},
        {"torus:dims=5:5", "dor", "dateline", 0, "'dateline' cannot be deployed"},
        {"torus:dims=5:5", "minimal", "hopclass", 0, "'hopclass' cannot be deployed"},
        {"torus:dims=5:5", "minimal", "any", 2, "'any' cannot be deployed"},
        {"torus:dims=5:5", "shortest", "dfsssp", 17, "17 VCs"},
        {"torus:dims=5:5", "shortest", "dfsssp", 15, NULL},
        {"torus:dims=5:5", "shortest", "lash:pairs=both", 0, NULL},
        {"torus:dims=5:5", "nue:vcs=4,pairs=both", NULL, 0, NULL},
        {"torus:dims=5:5", "shortest", "1q", 0, NULL},
        {"karytree:k=2,n=2", "shortest", "acro", 1, NULL}, /* one VC cannot be left */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i].fabric);
        ik_plan *p = plan_on(f, cases[i].routing, cases[i].vc, cases[i].num_vcs);
        ik_error err = {0};
        ik_status status = ik_vc_deployable(p->vc, &err);
        assert_int_equal(status, cases[i].says ? IK_ERR_UNSUPPORTED : IK_OK);
        if (cases[i].says && (!strstr(err.text, cases[i].says) || !err.hint[0]))
            fail_msg("%s: %s; %s", cases[i].says, err.text, err.hint);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated_fabrics),
        cmocka_unit_test(test_irregular_fabrics),
        cmocka_unit_test(test_single_directions_are_not_safe),
        cmocka_unit_test(test_which_schemes_can_be_deployed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
