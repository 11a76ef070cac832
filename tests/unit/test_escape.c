/* SPDX-License-Identifier: Apache-2.0
 *
 * test_escape.c: proofs over escape layers against the brute force of escape_model.h: every fabric
 * family with every routing over every escape routing, random graphs, and random routing functions
 * on random graphs. By default a part that is drawn with a fixed seed; all of it with IKAT_TEST_ALL
 * set.
 */
#include "unit/escape_model.h"
#include "unit/part.h"

#define MAX_PORTS 160 /* of a fabric that is judged by brute force */

typedef struct tally {
    unsigned plans, free_any, free_cut, gaps, witnesses, indirect;
} tally;

static ik_proof prove(const ik_plan *plan, ik_flow flow, unsigned threads)
{
    ik_proof proof;
    ik_error err = {0};
    ik_env env = {.num_threads = threads};
    if (ik_verify(plan, &(ik_verify_config){.flow = flow}, &env, &proof, &err) != IK_OK)
        fail_msg("%s over %s: %s", plan->routing->spec ? plan->routing->spec : "a routing",
                 plan->vc->family->name, err.text);
    return proof;
}

static void check_proof(const ik_plan *plan, const model *x, ik_flow flow, const char *name,
                        tally *t)
{
    ik_proof proof = prove(plan, flow, 1);
    bool expected = model_deadlock_free(x, flow);
    if (proof.deadlock_free != (expected ? IK_YES : IK_NO))
        fail_msg("%s, flow %d: proof says %d (%s), brute force %d (leads on %d)", name, flow,
                 proof.deadlock_free, proof.deadlock_reason, expected, x->leads_on);
    assert_int_equal(proof.flow, flow);
    const char *flaw = expected ? NULL : model_witness_flaw(plan, &proof);
    if (flaw)
        fail_msg("%s, flow %d: witness: %s", name, flow, flaw);
    if (expected != (proof.witness == NULL))
        fail_msg("%s, flow %d: free %d, witness of %zu", name, flow, expected,
                 proof.witness_length);
    if (proof.gap_src != IK_NONE && x->leads_on)
        fail_msg("%s, flow %d: proof shows a gap between hosts %u and %u, brute force none", name,
                 flow, proof.gap_src, proof.gap_dst);
    t->free_any += flow == IK_FLOW_ANY && expected;
    t->free_cut += flow == IK_FLOW_CUT_THROUGH && expected;
    t->gaps += proof.gap_src != IK_NONE;
    t->witnesses += proof.witness != NULL;
    for (size_t i = 0; i < proof.witness_length; i++)
        t->indirect += proof.witness[i].through;
    ik_proof_free(&proof);
}

static void check_plan(const ik_plan *plan, const char *name, tally *t)
{
    model x = model_make(plan);
    check_proof(plan, &x, IK_FLOW_ANY, name, t);
    check_proof(plan, &x, IK_FLOW_CUT_THROUGH, name, t);
    check_proof(plan, &x, IK_FLOW_SETTLED, name, t);
    t->plans++;
    model_free(&x);
}

/* Their parameter `path` has no default: by name alone they are never made. */
static bool reads_a_file(const ik_routing_family *r)
{
    return strcmp(r->name, "lft") == 0 || strcmp(r->name, "ar") == 0;
}

/* All combinations that the library makes; `part`: one of so many, drawn. */
static void check_combinations(const ik_fabric *f, const char *name, uint32_t part, ik_rng *rng,
                               tally *t)
{
    for (const ik_routing_family *const *r = ik_routings(); *r; r++) {
        for (const ik_routing_family *const *e = ik_routings(); *e; e++) {
            ik_plan *plan = NULL;
            ik_error err = {0};
            char scheme[128], text[512];
            if (reads_a_file(*r) || reads_a_file(*e) || ik_rng_below(rng, part))
                continue;
            snprintf(scheme, sizeof scheme, "escape:routing=%s", (*e)->name);
            snprintf(text, sizeof text, "%s, %s over %s", name, (*r)->name, scheme);
            ik_status status = ik_plan_from_specs(
                f, (*r)->name, scheme, NULL, ik_rng_below(rng, 4) ? 0 : 4, &made_env, &plan, &err);
            if (status == IK_OK)
                check_plan(plan, text, t);
            else if (status == IK_ERR_INTERNAL || status == IK_ERR_MEMORY || !err.text[0])
                fail_msg("%s: %s: %s", text, ik_status_name(status), err.text);
            ik_plan_free(plan);
        }
    }
}

static void print_tally(const char *what, const tally *t)
{
    print_message("%s: %u plans; free of deadlock %u for every flow control, %u for cut-through; "
                  "%u gaps, %u witnesses with %u "
                  "channels outside the layer\n",
                  what, t->plans, t->free_any, t->free_cut, t->gaps, t->witnesses, t->indirect);
}

/* ---- every family */

static void every_family_and_routing(void **state)
{
    (void)state;
    ik_rng rng = ik_rng_at(11, IK_RNG_TEST, 0);
    tally t = {0};
    static const char *const more[] = {"mesh:dims=4:4",  "mesh:dims=2:3", "mesh:dims=3:3",
                                       "torus:dims=4:3", "ring:n=6",      "karytree:k=2,n=2"};
    for (const ik_topology *const *family = ik_topologies(); *family; family++) {
        for (const char *const *spec = (*family)->examples; spec && *spec; spec++) {
            ik_fabric *f = NULL;
            ik_error err = {0};
            if (ik_fabric_from_spec(*spec, &made_env, &f, &err) == IK_OK &&
                f->num_ports <= MAX_PORTS)
                check_combinations(f, *spec, as_many(1, 40, 40), &rng, &t);
            ik_fabric_free(f);
        }
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        ik_fabric *f = fabric_of(more[i]);
        check_combinations(f, more[i], as_many(1, 10, 10), &rng, &t);
        ik_fabric_free(f);
    }
    print_tally("families", &t);
    assert_true(t.plans > 100 && t.gaps > 0 && t.indirect > 0 && t.free_any > 0 &&
                t.free_cut > t.free_any);
}

/* ---- random graphs */

/* Connected: a random tree and some more cables, parallel ones among them; a host on each of the
 * first switches. */
static ik_fabric *random_graph(ik_rng *rng, uint32_t switches, uint32_t hosts, uint32_t more)
{
    ik_builder *b = ik_builder_new();
    uint32_t used[16] = {0};
    assert_true(switches <= 16);
    ik_builder_switches(b, switches, 24);
    ik_builder_hosts(b, hosts, 1);
    uint16_t cable = ik_builder_class(b, 100000000000u, 6000, NULL);
    for (uint32_t h = 0; h < hosts; h++)
        ik_builder_link(b, ik_sw(h % switches, used[h % switches]++), ik_hs(h, 0), cable);
    for (uint32_t i = 1; i < switches + more; i++) {
        uint32_t a = i < switches ? i : ik_rng_below(rng, switches),
                 c = ik_rng_below(rng, i < switches ? i : switches);
        if (a != c && used[a] < 24 && used[c] < 24) {
            ik_builder_link(b, ik_sw(a, used[a]), ik_sw(c, used[c]), cable);
            used[a]++;
            used[c]++;
        }
    }
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("random graph: %s", err.text);
    ik_builder_free(b);
    return f;
}

static void random_graphs(void **state)
{
    (void)state;
    static const char *const routings[] = {"minimal", "valiant", "ugal_l", "minimal:paths=one",
                                           "shortest"};
    static const char *const escapes[] = {"updown", "shortest", "dfsssp", "nue"};
    ik_rng rng = ik_rng_at(12, IK_RNG_TEST, 0);
    tally t = {0};
    for (unsigned i = 0; i < as_many(600, 40, 40); i++) {
        uint32_t switches = 3 + ik_rng_below(&rng, 7);
        /* in the order in which some compilers take arguments: all draw the same graphs */
        uint32_t more = 2 + ik_rng_below(&rng, 2 * switches),
                 hosts = switches + ik_rng_below(&rng, 3);
        ik_fabric *f = random_graph(&rng, switches, hosts, more);
        for (size_t r = 0; r < sizeof routings / sizeof *routings; r++) {
            for (size_t e = 0; e < sizeof escapes / sizeof *escapes; e++) {
                char scheme[64], name[128];
                snprintf(scheme, sizeof scheme, "escape:routing=%s", escapes[e]);
                snprintf(name, sizeof name, "random graph %u, %s over %s", i, routings[r], scheme);
                ik_plan *plan = plan_of(f, routings[r], scheme, 0);
                check_plan(plan, name, &t);
                ik_plan_free(plan);
            }
        }
        ik_fabric_free(f);
    }
    print_tally("random graphs", &t);
    assert_true(t.gaps > 0 && t.indirect > 0 && t.free_any > 0);
}

/* ---- random routing functions: any port that leads near enough, and VCs by a random rule with or
 * without an escape layer that holds */

typedef struct wild {
    ik_routing routing;
    ik_routing_family routing_family;
    ik_vc vc;
    ik_vc_family vc_family;
    ik_plan plan;
    uint32_t *distance; /* [host][switch] */
    uint64_t seed;
    uint32_t slack;   /* hops that a port may lead away from the destination */
    uint32_t omitted; /* of 64 states without an escape channel */
    bool parted;      /* some states offer the layer only */
} wild;

static uint32_t wild_draw(const wild *x, uint64_t what, uint32_t a, uint32_t b, uint32_t n)
{
    return ik_random_below(x->seed, IK_RNG_TEST, what << 32 | a, b, n);
}

static uint32_t wild_distance(const wild *x, uint32_t sw, uint32_t dst)
{
    return x->distance[dst * x->plan.fabric->num_switches + sw];
}

static uint32_t wild_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                          uint32_t *out, uint32_t *preferred)
{
    const wild *x = (const wild *)r;
    const ik_fabric *f = r->fabric;
    uint32_t n = 0;
    (void)in_port;
    *preferred = 0;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer == ik_host_node(f, pk->dst)) {
            out[0] = port;
            return 1;
        }
        if (peer == IK_NONE || !ik_is_switch(f, peer))
            continue;
        uint32_t here = wild_distance(x, sw, pk->dst), there = wild_distance(x, peer, pk->dst);
        if (there < here || (there < here + x->slack && wild_draw(x, 1, port, pk->dst, 3) == 0))
            out[n++] = port;
    }
    return n;
}

/* One nearer port a switch and destination is the layer's; the layer has two VCs, of which the
 * switch and destination choose. */
static void wild_vcs(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                     const ik_packet *pk, uint8_t *first, uint8_t *last)
{
    const wild *x = (const wild *)((const char *)v - offsetof(wild, vc));
    const ik_fabric *f = v->fabric;
    uint32_t ports[64], n = 0;
    *first = (uint8_t)v->escape_vcs;
    *last = (uint8_t)(v->num_vcs - 1);
    if (!ik_is_switch(f, ik_peer_node(f, out_port)) ||
        wild_draw(x, 2, in_port * 4 + pk->vc, pk->dst, 64) < x->omitted)
        return;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && ik_is_switch(f, peer) &&
            wild_distance(x, peer, pk->dst) < wild_distance(x, sw, pk->dst))
            ports[n++] = port;
    }
    if (n && ports[wild_draw(x, 3, sw, pk->dst, n)] == out_port) {
        *first = (uint8_t)wild_draw(x, 4, sw, pk->dst, v->escape_vcs);
        if (x->parted && wild_draw(x, 5, sw, pk->dst, 4) == 0)
            *last = (uint8_t)(v->escape_vcs - 1);
    }
}

static void wild_inject(const ik_vc *v, ik_packet *pk)
{
    pk->vc = (uint8_t)v->escape_vcs;
}

static void wild_measure(wild *x, uint32_t dst)
{
    const ik_fabric *f = x->plan.fabric;
    uint32_t n = f->num_switches, *distance = x->distance + (size_t)dst * n;
    uint32_t home = ik_peer_node(f, ik_host_port(f, dst));
    for (uint32_t s = 0; s < n; s++)
        distance[s] = s == home ? 0 : 1000;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t port = 0; port < f->port_base[n]; port++) {
            uint32_t s = f->port_node[port], peer = ik_peer_node(f, port);
            if (peer != IK_NONE && peer < n && distance[peer] + 1 < distance[s])
                distance[s] = distance[peer] + 1;
        }
}

static wild *wild_make(const ik_fabric *f, ik_rng *rng)
{
    wild *x = calloc(1, sizeof *x);
    assert_non_null(x);
    unsigned layer = 1 + ik_rng_below(rng, 2);
    bool adaptive = ik_rng_below(rng, 4) != 0;
    x->seed = ik_rng_below(rng, UINT32_MAX);
    x->slack = ik_rng_below(rng, 3);
    x->omitted = ik_rng_below(rng, 3) ? 0 : 1;
    x->parted = ik_rng_below(rng, 2);
    ik_routing_kind kind = adaptive ? IK_ROUTE_ADAPTIVE : IK_ROUTE_OBLIVIOUS;
    unsigned traits = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS;
    x->routing_family =
        (ik_routing_family){.name = "wild", .kind = kind, .traits = traits, .next = wild_next};
    x->routing =
        (ik_routing){.family = &x->routing_family, .fabric = f, .kind = kind, .traits = traits};
    x->vc_family = (ik_vc_family){.name = "wild",
                                  .inject = wild_inject,
                                  .next = wild_vcs,
                                  .ignores = IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS};
    x->vc = (ik_vc){.family = &x->vc_family,
                    .fabric = f,
                    .routing = &x->routing,
                    .num_vcs = layer + 1 + ik_rng_below(rng, 2),
                    .vcs_needed = layer + 1,
                    .escape_vcs = layer};
    x->plan = (ik_plan){.fabric = f,
                        .routing = &x->routing,
                        .vc = &x->vc,
                        .num_vcs = x->vc.num_vcs,
                        .max_radix = ik_max_radix(f)};
    x->distance = calloc((size_t)f->num_hosts * f->num_switches, sizeof *x->distance);
    for (uint32_t h = 0; h < f->num_hosts; h++)
        wild_measure(x, h);
    return x;
}

static void wild_free(wild *x)
{
    free(x->distance);
    free(x);
}

/* With slack packets can loop, so that hops must not tell states apart here as little as in the
 * proof. */
static void wild_routings(void **state)
{
    (void)state;
    ik_rng rng = ik_rng_at(13, IK_RNG_TEST, 0);
    tally t = {0};
    for (unsigned i = 0; i < as_many(4000, 400, 100); i++) {
        uint32_t switches = 3 + ik_rng_below(&rng, 5);
        ik_fabric *f = random_graph(&rng, switches, switches, 1 + ik_rng_below(&rng, switches));
        wild *x = wild_make(f, &rng);
        char name[64];
        snprintf(name, sizeof name, "random routing %u", i);
        check_plan(&x->plan, name, &t);
        wild_free(x);
        ik_fabric_free(f);
    }
    print_tally("random routings", &t);
    assert_true(t.gaps > 0 && t.indirect > 0 && t.free_any > 0 && t.free_cut > t.free_any);
}

/* ---- what is known */

static void known_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *scheme;
        ik_flow flow;
        bool free, gap;
    } known[] = {
        {"mesh:dims=4:4", "minimal", "escape:routing=updown", IK_FLOW_ANY, false, false},
        {"mesh:dims=4:4", "minimal", "escape:routing=updown", IK_FLOW_CUT_THROUGH, true, false},
        {"mesh:dims=4:4", "minimal", "escape:routing=updown", IK_FLOW_SETTLED, false, false},
        {"mesh:dims=4:4", "minimal", "escape:routing=dor", IK_FLOW_ANY, true, false},
        {"mesh:dims=4:4", "minimal", "escape:routing=dor", IK_FLOW_SETTLED, false, false},
        {"mesh:dims=4:4", "valiant", "escape:routing=updown", IK_FLOW_ANY, false, true},
        {"mesh:dims=4:4", "ugal_l", "escape:routing=updown", IK_FLOW_CUT_THROUGH, false, true},
        {"mesh:dims=2:3", "ugal_l", "escape", IK_FLOW_ANY, false, true},
        {"mesh:dims=8:8", "ugal_l", "escape:routing=updown", IK_FLOW_ANY, false, true},
        {"polarfly:q=4", "ugal_l", "escape:routing=shortest", IK_FLOW_ANY, false, true},
        {"oft:k=3", "ugal_l", "escape:routing=shortest", IK_FLOW_ANY, false, true},
        {"torus:dims=5:5", "minimal", "escape:routing=dor,vc=dateline", IK_FLOW_ANY, true, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ik_fabric *f = fabric_of(known[i].fabric);
        ik_plan *plan = plan_of(f, known[i].routing, known[i].scheme, 0);
        ik_proof one = prove(plan, known[i].flow, 1), many = prove(plan, known[i].flow, 5);
        assert_int_equal(one.deadlock_free, known[i].free ? IK_YES : IK_NO);
        assert_int_equal(one.gap_src != IK_NONE, known[i].gap);
        assert_int_equal(one.gap_src, many.gap_src);
        assert_int_equal(one.gap_port, many.gap_port);
        assert_int_equal(one.witness_length, many.witness_length);
        for (size_t k = 0; k < one.witness_length; k++)
            assert_int_equal(one.witness[k].channel, many.witness[k].channel);
        ik_proof_free(&one);
        ik_proof_free(&many);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_verdicts),
        on_one_thread(random_graphs),
        on_one_thread(wild_routings),
        on_one_thread(every_family_and_routing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
