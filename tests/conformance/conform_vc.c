/* SPDX-License-Identifier: Apache-2.0
 *
 * conform_vc.c: what every VC scheme owes its users: run as `conform_vc MEMBER` for each row of
 * vcs.def.
 *
 * Over random fabrics and routings: VCs stay below num_vcs on every hop that a plan can take; a
 * scheme that says it keeps its lane does; what it says to ignore does not matter; two schemes made
 * from one spec agree; its own spec makes it again; one VC less than needed is refused with the
 * number that would do.
 */
#include "conformance/expect.h"
#include "conformance/random_fabric.h"
#include "unit/part.h"
#include "vc/walk.h"

#include <stdlib.h>

typedef struct subject {
    const char *scheme, *fabric_spec, *routing;
    const ik_plan *plan, *twin;
    ik_rng *rng;
    unsigned num_hops;
} subject;

/* The answer for a packet that differs in what the scheme says to ignore. */
static void check_ignored(const subject *s, const walk_hop *hop, uint32_t sw, uint8_t first,
                          uint8_t last)
{
    const ik_vc *v = s->plan->vc;
    ik_packet pk = *hop->pk;
    unsigned ignores = v->family->ignores;
    if (ignores & IK_VC_IGNORES_SRC)
        pk.src = ik_rng_below(s->rng, s->plan->fabric->num_hosts);
    if (ignores & IK_VC_IGNORES_HOPS)
        pk.hops = (uint8_t)ik_rng_below(s->rng, 256);
    uint8_t other_first, other_last;
    v->family->next(v, sw, hop->in_port, hop->out_port, &pk, &other_first, &other_last);
    EXPECT(other_first == first && other_last == last,
           "%s on %s, %s: depends on what it says to ignore", s->scheme, s->fabric_spec,
           s->routing);
}

static bool leads_to_host(const ik_fabric *f, uint32_t port)
{
    uint32_t node = ik_peer_node(f, port);
    return node == IK_NONE || !ik_is_switch(f, node);
}

/* A scheme that says it does not care for the port gives the same VCs on every one of its kind. */
static void check_any_port(const subject *s, const walk_hop *hop, uint32_t sw, uint8_t first,
                           uint8_t last)
{
    const ik_vc *v = s->plan->vc;
    const ik_fabric *f = s->plan->fabric;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint8_t other_first, other_last;
        if (ik_peer_node(f, port) == IK_NONE ||
            leads_to_host(f, port) != leads_to_host(f, hop->out_port))
            continue;
        v->family->next(v, sw, hop->in_port, port, hop->pk, &other_first, &other_last);
        EXPECT(other_first == first && other_last == last,
               "%s on %s, %s: VCs %u to %u on port %u, %u to %u on port %u", s->scheme,
               s->fabric_spec, s->routing, first, last, hop->out_port, other_first, other_last,
               port);
    }
}

static void check_hop(void *ctx, const walk_hop *hop)
{
    subject *s = ctx;
    const ik_vc *v = s->plan->vc, *twin = s->twin->vc;
    uint32_t sw = s->plan->fabric->port_node[hop->in_port];
    s->num_hops++;
    EXPECT(hop->vc_first <= hop->vc_last && hop->vc_last < v->num_vcs,
           "%s on %s, %s: VCs %u to %u of %u", s->scheme, s->fabric_spec, s->routing, hop->vc_first,
           hop->vc_last, v->num_vcs);
    EXPECT(!v->family->static_lane || (hop->vc_first == hop->pk->vc && hop->vc_last == hop->pk->vc),
           "%s on %s, %s: leaves its lane %u for %u", s->scheme, s->fabric_spec, s->routing,
           hop->pk->vc, hop->vc_first);
    uint8_t first, last;
    twin->family->next(twin, sw, hop->in_port, hop->out_port, hop->pk, &first, &last);
    EXPECT(first == hop->vc_first && last == hop->vc_last,
           "%s on %s, %s: made twice, answers twice", s->scheme, s->fabric_spec, s->routing);
    check_ignored(s, hop, sw, first, last);
    if (v->family->ignores & IK_VC_ANY_PORT)
        check_any_port(s, hop, sw, first, last);
}

static void check_pairs(subject *s)
{
    const ik_plan *p = s->plan;
    uint32_t hosts = p->fabric->num_hosts;
    walk *w = walk_new(p);
    for (uint32_t dst = 0; dst < hosts; dst += 1 + hosts / 16) {
        walk_begin(w, dst);
        for (uint32_t src = 0; src < hosts; src++) {
            uint32_t starts = src == dst ? 0 : ik_plan_num_starts(p, src, dst);
            for (uint32_t n = 0; n < starts && n < 8; n++) {
                ik_packet pk, twin;
                ik_plan_start_nth(p, src, dst, n, &pk);
                ik_plan_start_nth(s->twin, src, dst, n, &twin);
                EXPECT(pk.vc < p->num_vcs, "%s on %s: injects on VC %u of %u", s->scheme,
                       s->fabric_spec, pk.vc, p->num_vcs);
                EXPECT(pk.vc == twin.vc && pk.layer == twin.layer,
                       "%s on %s: made twice, injects twice", s->scheme, s->fabric_spec);
                walk_outcome outcome;
                EXPECT(walk_from(w, src, n, check_hop, s, &outcome, NULL) == IK_OK, "%s",
                       s->scheme);
            }
        }
    }
    walk_free(w);
}

/* One VC less than needed must be refused, with the number. */
static void check_too_few(const subject *s, const ik_fabric *f)
{
    unsigned needed = s->plan->vc->vcs_needed;
    EXPECT(needed >= 1 && needed <= s->plan->num_vcs, "%s needs %u of %u", s->scheme, needed,
           s->plan->num_vcs);
    if (needed < 2)
        return;
    char number[16];
    snprintf(number, sizeof number, "%u", needed);
    ik_plan *p = NULL;
    ik_error err = {0};
    ik_status status =
        ik_plan_from_specs(f, s->routing, s->scheme, NULL, needed - 1, NULL, &p, &err);
    EXPECT(status == IK_ERR_UNSUPPORTED && !p, "%s on %s, %s: %u VCs accepted, %u needed",
           s->scheme, s->fabric_spec, s->routing, needed - 1, needed);
    EXPECT(strstr(err.text, number) || strstr(err.hint, number),
           "%s: '%s' (%s) lacks the number %s", s->scheme, err.text, err.hint, number);
    ik_plan_free(p);
}

/* True if the scheme fits this fabric and routing. */
static bool check_on(const char *scheme, const char *fabric_spec, const ik_fabric *f,
                     const char *routing, unsigned num_vcs, ik_rng *rng)
{
    ik_plan *p = NULL, *twin = NULL;
    ik_error err = {0};
    ik_env threads = {.num_threads = 3};
    ik_status status = ik_plan_from_specs(f, routing, scheme, NULL, num_vcs, NULL, &p, &err);
    if (status != IK_OK) {
        EXPECT(status == IK_ERR_UNSUPPORTED || status == IK_ERR_USAGE, "%s on %s, %s: %s: %s",
               scheme, fabric_spec, routing, ik_status_name(status), err.text);
        EXPECT(err.text[0] && !p, "%s on %s, %s: refused without a reason", scheme, fabric_spec,
               routing);
        return false;
    }
    EXPECT(num_vcs == 0 || p->num_vcs == num_vcs, "%s: %u VCs asked for, %u made", scheme, num_vcs,
           p->num_vcs);
    status = ik_plan_from_specs(f, routing, p->vc->spec, NULL, p->num_vcs, &threads, &twin, &err);
    EXPECT(status == IK_OK, "%s: its own spec '%s' is refused: %s", scheme, p->vc->spec, err.text);
    if (twin) {
        EXPECT(strcmp(twin->vc->spec, p->vc->spec) == 0, "%s: spec '%s' makes '%s'", scheme,
               p->vc->spec, twin->vc->spec);
        subject s = {scheme, fabric_spec, routing, p, twin, rng, 0};
        check_pairs(&s);
        check_too_few(&s, f);
    }
    ik_plan_free(p);
    ik_plan_free(twin);
    return true;
}

static const char *draw_routing(ik_rng *rng)
{
    for (;;) {
        uint32_t num = 0;
        while (ik_routings()[num])
            num++;
        const ik_routing_family *family = ik_routings()[ik_rng_below(rng, num)];
        bool complete = !(family->traits & IK_ROUTE_FOR_TRAFFIC);
        for (const ik_param *p = family->params; p && p->name; p++)
            complete &= p->def != NULL;
        if (complete)
            return family->name;
    }
}

static unsigned check_everywhere(const char *scheme)
{
    static const unsigned counts[] = {0, 0, 1, 2, 3, 5, 8};
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    unsigned served = 0;
    for (unsigned i = 0; i < as_many(500, 500, 160); i++) {
        char spec[256];
        draw_fabric_spec(&rng, spec, sizeof spec);
        ik_fabric *f = NULL;
        const char *routing = draw_routing(&rng);
        unsigned num_vcs = counts[ik_rng_below(&rng, 7)];
        if (ik_fabric_from_spec(spec, NULL, &f, NULL) == IK_OK)
            served += check_on(scheme, spec, f, routing, num_vcs, &rng);
        ik_fabric_free(f);
    }
    return served;
}

int main(int argc, char **argv)
{
    const ik_vc_family *family = argc == 2 ? ik_vc_find(argv[1]) : NULL;
    if (!family) {
        fprintf(stderr,
                "usage: conform_vc MEMBER, and the member must be found by the name of its row\n");
        return 2;
    }
    EXPECT(family->summary && *family->summary, "%s has no summary", argv[1]);
    EXPECT(family->source && *family->source, "%s names no source", argv[1]);
    EXPECT(family->create && family->inject && family->next, "%s lacks a function", argv[1]);
    unsigned served = check_everywhere(argv[1]);
    EXPECT(served >= 5, "%s served only %u of the random plans", argv[1], served);
    printf("%s: %u plans, %u failures\n", argv[1], served, num_failures);
    return num_failures ? 1 : 0;
}
