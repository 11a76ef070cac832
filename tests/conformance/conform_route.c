/* SPDX-License-Identifier: Apache-2.0
 *
 * conform_route.c: what every routing owes its users: run as `conform_route MEMBER` for each row of
 * routings.def.
 *
 * Its claims are proved on its example fabrics, on every random fabric that it accepts, and on
 * damaged ones if it says to survive failures. The routing function answers with distinct ports of
 * the switch, the same for the same question, and does not look at what it says to ignore. Results
 * do not depend on the number of threads. What it refuses, it refuses with a reason.
 */
#include "analysis/shares.h"
#include "conformance/expect.h"
#include "conformance/random_fabric.h"
#include "unit/part.h"
#include "vc/walk.h"
#include "verify/tally.h"

#include <stdlib.h>

enum { MAX_PORTS = 256 };

typedef struct subject {
    const char *routing, *fabric_spec;
    const ik_plan *plan;
    ik_rng *rng;
    bool one_way; /* so far every state had one choice */
} subject;

/* ------------------------------------------------------------------------------------------ the
 * routing function */

/* One answer of next(). */
typedef struct answer {
    uint32_t num, preferred, ports[MAX_PORTS];
    ik_packet pk;
} answer;

static void ask(const ik_routing *r, uint32_t sw, uint32_t in_port, const ik_packet *pk, answer *a)
{
    a->pk = *pk;
    a->preferred = 0;
    a->num = r->family->next(r, sw, in_port, &a->pk, a->ports, &a->preferred);
}

static bool same_answer(const answer *a, const answer *b)
{
    return a->num == b->num && (a->num == 0 || a->preferred == b->preferred) &&
           memcmp(a->ports, b->ports, a->num * sizeof *a->ports) == 0 && a->pk.via == b->pk.via &&
           a->pk.phase == b->pk.phase;
}

static void check_ports(const subject *s, uint32_t sw, const answer *a)
{
    const ik_fabric *f = s->plan->fabric;
    EXPECT(a->preferred < a->num, "%s on %s: prefers choice %u of %u", s->routing, s->fabric_spec,
           a->preferred, a->num);
    for (uint32_t i = 0; i < a->num; i++) {
        uint32_t port = a->ports[i];
        EXPECT(port < f->num_ports && f->port_node[port] == sw,
               "%s on %s: port %u is none of switch %u", s->routing, s->fabric_spec, port, sw);
        for (uint32_t k = 0; k < i; k++) {
            EXPECT(a->ports[k] != port, "%s on %s: port %u twice", s->routing, s->fabric_spec,
                   port);
        }
    }
}

/* The set that next_mask() gives is the list of next(), which ascends; the packet changes alike. */
static void check_mask(const subject *s, uint32_t sw, uint32_t in_port, const ik_packet *pk,
                       const answer *first)
{
    const ik_routing *r = s->plan->routing;
    uint32_t base = s->plan->fabric->port_base[sw], preferred = 0, n = 0;
    uint64_t set[MAX_PORTS / 64] = {0};
    ik_packet then = *pk;
    uint32_t num = r->family->next_mask(r, sw, in_port, &then, set, &preferred);
    for (uint32_t w = 0; w < MAX_PORTS / 64; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1, n++) {
            uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(bits);
            EXPECT(n < first->num && first->ports[n] == base + k,
                   "%s on %s: switch %u: port %u of the set is not number %u of the list",
                   s->routing, s->fabric_spec, sw, k, n);
        }
    EXPECT(n == num && num == first->num,
           "%s on %s: switch %u: a set of %u, said to be %u, list %u", s->routing, s->fabric_spec,
           sw, n, num, first->num);
    EXPECT(num == 0 || base + preferred == first->ports[first->preferred],
           "%s on %s: switch %u: the set prefers port %u", s->routing, s->fabric_spec, sw,
           preferred);
    EXPECT(memcmp(&then, &first->pk, sizeof then) == 0,
           "%s on %s: switch %u: set and list leave different packets", s->routing, s->fabric_spec,
           sw);
}

/* What set_of() says of the ports of an answer. */
static void check_set(const subject *s, uint32_t sw, const answer *a)
{
    const ik_routing *r = s->plan->routing;
    uint32_t base = s->plan->fabric->port_base[sw];
    uint64_t listed = 0;
    if (!r->family->set_of || ik_radix(s->plan->fabric, sw) > 64)
        return;
    for (uint32_t i = 0; i < a->num; i++)
        listed |= 1ull << (a->ports[i] - base);
    for (uint32_t i = 0; i < a->num; i++) {
        uint64_t set = r->family->set_of(r, sw, a->ports[i] - base);
        EXPECT(set == 0 || set == listed,
               "%s on %s: port %u has another set than it is listed with", s->routing,
               s->fabric_spec, a->ports[i]);
    }
}

static void check_ignored(const subject *s, uint32_t sw, uint32_t in_port, const ik_packet *pk,
                          const answer *first)
{
    const ik_fabric *f = s->plan->fabric;
    unsigned traits = s->plan->routing->traits;
    ik_packet other = *pk;
    uint32_t other_in = in_port;
    if (traits & (IK_ROUTE_IGNORES_SRC | IK_ROUTE_DEST_BASED))
        other.src = ik_rng_below(s->rng, f->num_hosts);
    if (traits & (IK_ROUTE_IGNORES_HOPS | IK_ROUTE_DEST_BASED))
        other.hops = (uint8_t)ik_rng_below(s->rng, 256);
    if (traits & IK_ROUTE_DEST_BASED)
        other_in = f->port_base[sw] + ik_rng_below(s->rng, ik_radix(f, sw));
    other.vc = (uint8_t)ik_rng_below(s->rng, 256);
    answer a;
    ask(s->plan->routing, sw, other_in, &other, &a);
    EXPECT(same_answer(&a, first), "%s on %s: depends on what it says to ignore", s->routing,
           s->fabric_spec);
}

/* Called for each hop of each state; asks about the state itself at its first hop only. */
static void check_hop(void *ctx, const walk_hop *hop)
{
    subject *s = ctx;
    uint32_t sw = s->plan->fabric->port_node[hop->in_port];
    answer first, again;
    ask(s->plan->routing, sw, hop->in_port, hop->pk, &first);
    EXPECT((s->plan->routing->traits & IK_ROUTE_MARKS) ||
               memcmp(&first.pk, hop->pk, sizeof first.pk) == 0,
           "%s on %s: changes packets and does not say so", s->routing, s->fabric_spec);
    s->one_way &= first.num == 1;
    if (hop->out_port != first.ports[0])
        return;
    ask(s->plan->routing, sw, hop->in_port, &first.pk, &again);
    EXPECT(same_answer(&first, &again), "%s on %s: asked twice at one switch, answers twice",
           s->routing, s->fabric_spec);
    check_ports(s, sw, &first);
    if (s->plan->routing->family->next_mask)
        check_mask(s, sw, hop->in_port, hop->pk, &first);
    check_set(s, sw, &first);
    check_ignored(s, sw, hop->in_port, hop->pk, &first);
}

/* Walks some destinations; tells whether every pair there has one way. */
static bool check_function(const char *routing, const char *fabric_spec, const ik_plan *p,
                           ik_rng *rng)
{
    subject s = {routing, fabric_spec, p, rng, true};
    uint32_t hosts = p->fabric->num_hosts;
    walk *w = walk_new(p);
    for (uint32_t dst = 0; dst < hosts; dst += 1 + hosts / 24) {
        walk_begin(w, dst);
        for (uint32_t src = 0; src < hosts; src++) {
            uint32_t starts = src == dst ? 0 : ik_plan_num_starts(p, src, dst);
            s.one_way &= starts <= 1;
            for (uint32_t n = 0; n < starts && n < 64; n++) {
                walk_outcome outcome;
                EXPECT(walk_from(w, src, n, check_hop, &s, &outcome, NULL) == IK_OK, "%s", routing);
            }
        }
    }
    walk_free(w);
    return s.one_way;
}

/* ------------------------------------------------------------------------------------------
 * claims */

static bool prove(const char *routing, const char *fabric_spec, const ik_plan *p, ik_proof *proof)
{
    ik_error err = {0};
    ik_env env = {.num_threads = 2};
    ik_status status = ik_verify(p, NULL, &env, proof, &err);
    EXPECT(status == IK_OK, "%s on %s: %s", routing, fabric_spec, err.text);
    return status == IK_OK;
}

/* With one VC and with lanes that packets keep. */
static void check_deadlock_claim(const char *routing, const char *fabric_spec, const ik_fabric *f)
{
    static const char *const schemes[] = {"1q", "dbbm"};
    for (unsigned i = 0; i < 2; i++) {
        ik_plan *p = NULL;
        ik_proof proof;
        ik_error err = {0};
        ik_status status = ik_plan_from_specs(f, routing, schemes[i], NULL, 0, NULL, &p, &err);
        EXPECT(status == IK_OK, "%s with %s on %s: %s", routing, schemes[i], fabric_spec, err.text);
        if (status == IK_OK && prove(routing, fabric_spec, p, &proof)) {
            EXPECT(proof.deadlock_free == IK_YES, "%s with %s on %s: cycle of %zu channels",
                   routing, schemes[i], fabric_spec, proof.witness_length);
            ik_proof_free(&proof);
        }
        ik_plan_free(p);
    }
}

static void check_claims(const char *routing, const char *fabric_spec, const ik_fabric *f,
                         const ik_plan *p, bool one_way)
{
    unsigned claims = p->routing->claims;
    ik_proof proof;
    if (!prove(routing, fabric_spec, p, &proof))
        return;
    EXPECT(!(claims & IK_CLAIM_DELIVERS) || proof.delivered == IK_YES,
           "%s on %s: %llu pairs lost, the first %u -> %u", routing, fabric_spec,
           (unsigned long long)proof.undelivered, proof.first_undelivered_src,
           proof.first_undelivered_dst);
    EXPECT(proof.ordered != IK_NO, "%s on %s: its livelock order does not fall at every hop",
           routing, fabric_spec);
    EXPECT(!(claims & IK_CLAIM_MINIMAL) || proof.not_minimal == 0,
           "%s on %s: %llu pairs with longer ways", routing, fabric_spec,
           (unsigned long long)proof.not_minimal);
    EXPECT(!(claims & IK_CLAIM_IN_ORDER) || one_way, "%s on %s: several ways for a pair", routing,
           fabric_spec);
    EXPECT(!p->routing->natural_vc || proof.deadlock_free == IK_YES,
           "%s with its natural %s on %s: cycle of %zu channels", routing, p->vc->spec, fabric_spec,
           proof.witness_length);
    EXPECT(p->routing->kind != IK_ROUTE_DETERMINISTIC || one_way,
           "%s on %s: deterministic with several ways", routing, fabric_spec);
    ik_proof_free(&proof);
    if (claims & IK_CLAIM_DEADLOCK_FREE)
        check_deadlock_claim(routing, fabric_spec, f);
}

/* The same routing made from its own spec, on several threads, gives the same paths. */
static void check_twin(const char *routing, const char *fabric_spec, const ik_fabric *f,
                       const ik_plan *p)
{
    ik_plan *twin = NULL;
    ik_error err = {0};
    ik_env threads = {.num_threads = 3};
    ik_status status =
        ik_plan_from_specs(f, p->routing->spec, p->vc->spec, NULL, 0, &threads, &twin, &err);
    EXPECT(status == IK_OK, "%s on %s: its own spec '%s' is refused: %s", routing, fabric_spec,
           p->routing->spec, err.text);
    uint32_t hosts = p->fabric->num_hosts, a[512], b[512];
    for (uint32_t src = 0; twin && src < hosts; src += 1 + hosts / 32) {
        for (uint32_t dst = 0; dst < hosts; dst++) {
            uint32_t starts = src == dst ? 0 : ik_plan_num_starts(p, src, dst);
            EXPECT(src == dst || ik_plan_num_starts(twin, src, dst) == starts,
                   "%s on %s: made twice", routing, fabric_spec);
            for (uint32_t n = 0; n < starts && n < 4; n++) {
                uint32_t length = ik_plan_path(p, src, dst, n, a, 512);
                bool same = ik_plan_path(twin, src, dst, n, b, 512) == length &&
                            memcmp(a, b, length * sizeof *a) == 0;
                EXPECT(same, "%s on %s: made twice, %u -> %u goes two ways", routing, fabric_spec,
                       src, dst);
            }
        }
    }
    ik_plan_free(twin);
}

static void check_shares_of(shares *one, shares *anew, uint32_t src, uint32_t dst,
                            const char *routing, const char *fabric_spec)
{
    if (src == dst)
        return;
    anew->first = anew->goal = IK_NONE;
    uint32_t num = shares_of_flow(one, src, dst);
    bool same = shares_of_flow(anew, src, dst) == num;
    for (uint32_t i = 0; same && i < num; i++)
        same = one->touched[i] == anew->touched[i] &&
               one->sums.crossing[one->touched[i]] == anew->sums.crossing[one->touched[i]];
    EXPECT(same, "%s on %s: parts of the flow %u -> %u depend on the flow before it", routing,
           fabric_spec, src, dst);
}

/* Parts of flows that are taken over from the flow before, between the same switches, are those
 * that are found anew, to the bit: from one host, and to one. */
static void check_shares(const char *routing, const char *fabric_spec, const ik_plan *p)
{
    const ik_fabric *f = p->fabric;
    shares one, anew;
    ik_error err = {0};
    bool made = shares_init(&one, p->routing, &err) == IK_OK;
    made = shares_init(&anew, p->routing, &err) == IK_OK && made;
    EXPECT(made, "%s on %s: %s", routing, fabric_spec, err.text);
    for (uint32_t host = 0; made && host < f->num_hosts; host += 1 + f->num_hosts / 4) {
        for (uint32_t dst = 0; dst < f->num_hosts && dst < 64; dst++)
            check_shares_of(&one, &anew, host, dst, routing, fabric_spec);
        for (uint32_t src = 0; src < f->num_hosts && src < 64; src++)
            check_shares_of(&one, &anew, src, host, routing, fabric_spec);
    }
    shares_free(&one);
    shares_free(&anew);
}

/* ------------------------------------------------------------------------------------------
 * fabrics */

/* True if the routing accepts the fabric. */
static bool check_on(const char *routing, const char *fabric_spec, const ik_fabric *f, ik_rng *rng)
{
    ik_plan *p = NULL;
    ik_error err = {0};
    ik_status status = ik_plan_from_specs(f, routing, NULL, NULL, 0, NULL, &p, &err);
    if (status != IK_OK) {
        EXPECT(status == IK_ERR_UNSUPPORTED, "%s on %s: %s: %s", routing, fabric_spec,
               ik_status_name(status), err.text);
        EXPECT(err.text[0] && !p, "%s on %s: refused without a reason", routing, fabric_spec);
        return false;
    }
    check_claims(routing, fabric_spec, f, p, check_function(routing, fabric_spec, p, rng));
    check_twin(routing, fabric_spec, f, p);
    check_shares(routing, fabric_spec, p);
    ik_plan_free(p);
    return true;
}

/* "FABRIC-SPEC" or "FABRIC-SPEC PARAMETERS". */
static void split_example(const char *example, const char *routing, char *fabric_spec,
                          char *routing_spec, size_t size)
{
    const char *space = strchr(example, ' ');
    snprintf(fabric_spec, size, "%.*s", (int)(space ? space - example : (long)strlen(example)),
             example);
    snprintf(routing_spec, size, "%s%s%s", routing, space ? ":" : "", space ? space + 1 : "");
}

static void check_example(const ik_routing_family *family, const char *example, ik_rng *rng)
{
    char fabric_spec[512], routing[512];
    ik_fabric *f = NULL;
    ik_error err = {0};
    split_example(example, family->name, fabric_spec, routing, sizeof routing);
    bool built = ik_fabric_from_spec(fabric_spec, NULL, &f, &err) == IK_OK;
    EXPECT(built, "example '%s': %s", example, err.text);
    EXPECT(!built || check_on(routing, fabric_spec, f, rng), "%s refuses its example '%s'",
           family->name, example);
    ik_fabric_free(f);
}

static void check_examples(const ik_routing_family *family, ik_rng *rng)
{
    char fabric_spec[512], routing[512];
    for (const char *const *e = family->example_fabrics; e && *e; e++)
        check_example(family, *e, rng);
    for (const char *const *e = family->refused_fabrics; e && *e; e++) {
        ik_fabric *f = NULL;
        ik_plan *p = NULL;
        ik_error err = {0};
        split_example(*e, family->name, fabric_spec, routing, sizeof routing);
        bool built = ik_fabric_from_spec(fabric_spec, NULL, &f, &err) == IK_OK;
        EXPECT(built, "'%s': %s", *e, err.text);
        ik_status status = built ? ik_plan_from_specs(f, routing, NULL, NULL, 0, NULL, &p, &err)
                                 : IK_ERR_UNSUPPORTED;
        EXPECT(status == IK_ERR_UNSUPPORTED, "%s should refuse '%s': %s %s", family->name, *e,
               ik_status_name(status), err.text);
        EXPECT(!built || status == IK_OK || (err.text[0] && err.hint[0]),
               "%s refuses '%s' without a reason or hint: '%s' (%s)", family->name, *e, err.text,
               err.hint);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

/* Parameters that change the routing function, beyond what the examples have. */
static void check_parameters(const ik_routing_family *family, ik_rng *rng)
{
    static const struct {
        const char *name, *example;
    } others[] = {
        {"adaptive_tree", "rlft:ports=8,levels=3 delta=2"},
        {"adaptive_tree", "rlft:ports=12,levels=2 delta=3,filter=port"},
        {"adaptive_tree", "karytree:k=5,n=2 delta=3,filter=destination"},
        {"adaptive_tree", "karytree:k=3,n=3 delta=7"},
        {"adaptive_tree", "rlft:ports=12,levels=2 delta=4,triggering=th"},
        {"adaptive_tree", "rlft:ports=12,levels=2 delta=9,triggering=2th"},
        {"adaptive_tree", "pgft:m=4:4,w=1:2,p=1:4 delta=2"},
        {"adaptive_tree", "pgft:m=4:4,w=1:2,p=1:4 stages=2"},
        {"adaptive_tree", "rlft:ports=8,levels=3 stages=1,delta=2"},
        {"adaptive_tree", "xgft:m=3:4,w=1:70"},
        {"adaptive_tree", "xgft:m=3:4,w=1:70 delta=3"},
        {"minimal", "slimfly:q=5 paths=one"},
        {"minimal", "dragonflyplus:h=2"},
        {"ugal_l", "slimfly:q=5 paths=one"},
        {"valiant", "slimfly:q=5 paths=one"},
        {"valiant", "dragonfly:p=2,a=4,h=2 intermediate=hosts"},
    };
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(others[k].name, family->name) == 0)
            check_example(family, others[k].example, rng);
}

/* Marks what can be reached from sw going up, then down. seen: bit 0 while going up, bit 1 after
 * the first hop down. */
static void climb(const ik_fabric *f, uint32_t sw, unsigned stage, uint8_t *seen)
{
    if (seen[sw] & 1u << stage)
        return;
    seen[sw] |= (uint8_t)(1u << stage);
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer == IK_NONE || !ik_is_switch(f, peer))
            continue;
        if (f->switch_level[peer] < f->switch_level[sw])
            climb(f, peer, 1, seen);
        else if (stage == 0)
            climb(f, peer, 0, seen);
    }
}

/* Does a damaged tree leave connected ports of hosts that no way up and then down joins? Then a
 * routing by levels may refuse it. f: every host has one cable. */
static bool breaks_split_levels(const ik_fabric *f)
{
    uint8_t *seen = malloc((size_t)f->num_switches + 1);
    uint32_t *distance = malloc(((size_t)f->num_switches + 1) * sizeof *distance),
             *queue = malloc(((size_t)f->num_switches + 1) * sizeof *queue);
    bool broken = false;
    for (uint32_t src = 0; f->num_levels && src < f->num_hosts; src++) {
        uint32_t from = ik_host_switch(f, src);
        if (from == IK_NONE)
            continue;
        memset(seen, 0, f->num_switches);
        climb(f, from, 0, seen);
        tally_distances(f, src, distance, queue);
        for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
            uint32_t to = ik_host_switch(f, dst);
            broken |= to != IK_NONE && distance[to] != IK_NONE && !seen[to];
        }
    }
    free(seen);
    free(distance);
    free(queue);
    return broken;
}

static bool breaks_levels(const ik_fabric *f)
{
    ik_fabric *split = NULL;
    EXPECT(ik_fabric_split(f, &split, NULL) == IK_OK, "%s cannot be split", f->spec);
    bool broken = breaks_split_levels(split ? split : f);
    ik_fabric_free(split);
    return broken;
}

/* Failures must not turn an accepted fabric into a refused one for a routing that says it survives
 * them. */
static void check_damaged(const char *routing, char *spec, size_t size, unsigned claims,
                          ik_rng *rng)
{
    draw_failures(rng, spec, size);
    ik_fabric *f = NULL;
    if (ik_fabric_from_spec(spec, NULL, &f, NULL) == IK_OK) {
        bool accepted = check_on(routing, spec, f, rng);
        EXPECT(accepted || !(claims & IK_CLAIM_SURVIVES_FAILURES) || breaks_levels(f),
               "%s says to survive failures and refuses %s", routing, spec);
    }
    ik_fabric_free(f);
}

static void check_random(const ik_routing_family *family, ik_rng *rng)
{
    unsigned accepted = 0, tried = 0;
    for (unsigned i = 0; i < as_many(250, 250, 80); i++) {
        char spec[256];
        draw_fabric_spec(rng, spec, sizeof spec);
        ik_fabric *f = NULL;
        bool served = ik_fabric_from_spec(spec, NULL, &f, NULL) == IK_OK &&
                      check_on(family->name, spec, f, rng);
        tried += f != NULL;
        accepted += served;
        ik_fabric_free(f);
        if (served)
            check_damaged(family->name, spec, sizeof spec, family->claims, rng);
    }
    printf("%s: accepted %u of %u random fabrics\n", family->name, accepted, tried);
}

static void check_descriptor(const ik_routing_family *family)
{
    EXPECT(family->summary && *family->summary, "%s has no summary", family->name);
    EXPECT(family->source && *family->source, "%s names no source", family->name);
    EXPECT(family->create && family->next, "%s lacks a function", family->name);
    EXPECT(!family->num_starts || family->start_nth, "%s: num_starts needs start_nth",
           family->name);
    for (const ik_param *p = family->params; p && p->name; p++)
        EXPECT(p->help && *p->help, "%s: parameter %s has no help", family->name, p->name);
}

static bool needs_parameters(const ik_routing_family *family)
{
    if (family->traits & IK_ROUTE_FOR_TRAFFIC)
        return true;
    for (const ik_param *p = family->params; p && p->name; p++)
        if (!p->def)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const ik_routing_family *family = argc == 2 ? ik_routing_find(argv[1]) : NULL;
    if (!family) {
        fprintf(
            stderr,
            "usage: conform_route MEMBER, and the member must be found by the name of its row\n");
        return 2;
    }
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    check_descriptor(family);
    check_examples(family, &rng);
    check_parameters(family, &rng);
    if (!needs_parameters(family))
        check_random(family, &rng);
    printf("%s: %u failures\n", family->name, num_failures);
    return num_failures ? 1 : 0;
}
