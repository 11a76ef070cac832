/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_helpers.h: rings of switches and routings on them that are right or wrong in known ways;
 * comparing proofs.
 */
#ifndef IKAT_TESTS_VERIFY_HELPERS_H
#define IKAT_TESTS_VERIFY_HELPERS_H

#include "unit/made.h"

/* Switch i: port 0 clockwise (to i + 1), port 1 back, hosts from port 2. */
static inline ik_fabric *ring_fabric(uint32_t n, uint32_t hosts_per)
{
    ik_builder *b = ik_builder_new();
    ik_builder_switches(b, n, 2 + hosts_per);
    ik_builder_hosts(b, n * hosts_per, 1);
    uint16_t cable = ik_builder_class(b, 100000000000u, 6000, NULL);
    for (uint32_t i = 0; i < n; i++) {
        ik_builder_link(b, ik_sw(i, 0), ik_sw((i + 1) % n, 1), cable);
        for (uint32_t h = 0; h < hosts_per; h++)
            ik_builder_link(b, ik_sw(i, 2 + h), ik_hs(i * hosts_per + h, 0), cable);
    }
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("ring: %s", err.text);
    ik_builder_free(b);
    return f;
}

enum ring_way { RING_SHORTEST, RING_CLOCKWISE, RING_DEAD_END, RING_LOOP };

typedef struct ring_routing {
    ik_routing base;
    ik_routing_family family;
    enum ring_way way;
    uint8_t right_phase; /* of packets that go the shortest way all the same; 0 = of none */
} ring_routing;

static inline uint32_t ring_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                 uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const ik_fabric *f = r->fabric;
    const ring_routing *of = (const ring_routing *)r;
    enum ring_way way = of->right_phase && pk->phase == of->right_phase ? RING_SHORTEST : of->way;
    uint32_t n = f->num_switches, per = f->num_hosts / n, to = pk->dst / per,
             base = f->port_base[sw];
    uint32_t ahead = (to + n - sw) % n;
    *preferred = 0;
    out[0] = base + (ahead == 0                                ? 2 + pk->dst % per
                     : ahead * 2 <= n || way == RING_CLOCKWISE ? 0
                                                               : 1);
    if (way == RING_DEAD_END && sw == 2 && pk->dst == 4)
        return 0;
    if (way == RING_LOOP && pk->dst == 5 && (sw == 2 || sw == 3))
        out[0] = base + (sw == 2 ? 0 : 1);
    return 1;
}

static inline ik_plan *ring_plan_vc(const ik_fabric *f, unsigned traits, enum ring_way way,
                                    const char *scheme)
{
    ring_routing *r = calloc(1, sizeof *r);
    ik_plan *p = calloc(1, sizeof *p);
    ik_error err = {0};
    r->family = (ik_routing_family){
        .name = "ring", .kind = IK_ROUTE_DETERMINISTIC, .traits = traits, .next = ring_next};
    r->base = (ik_routing){
        .family = &r->family, .fabric = f, .kind = IK_ROUTE_DETERMINISTIC, .traits = traits};
    r->way = way;
    p->fabric = f;
    p->routing = &r->base;
    p->max_radix = ik_max_radix(f);
    if (ik_vc_from_spec(f, p->routing, scheme, 0, NULL, &p->vc, &err) != IK_OK)
        fail_msg("%s: %s", scheme, err.text);
    p->num_vcs = p->vc->num_vcs;
    return p;
}

static inline ik_plan *ring_plan(const ik_fabric *f, unsigned traits, enum ring_way way)
{
    return ring_plan_vc(f, traits, way, "1q");
}

static inline void ring_plan_free(ik_plan *p)
{
    ik_vc_free(p->vc);
    free(p->routing);
    free(p);
}

static inline void assert_same_proof(const ik_proof *a, const ik_proof *b)
{
    assert_int_equal(a->pairs, b->pairs);
    assert_int_equal(a->undelivered, b->undelivered);
    assert_int_equal(a->loops, b->loops);
    assert_int_equal(a->unconnected, b->unconnected);
    assert_int_equal(a->not_minimal, b->not_minimal);
    assert_int_equal(a->deadlock_free, b->deadlock_free);
    assert_int_equal(a->first_undelivered_src, b->first_undelivered_src);
    assert_int_equal(a->first_undelivered_dst, b->first_undelivered_dst);
    assert_int_equal(a->max_hops, b->max_hops);
    assert_int_equal(a->vcs_used, b->vcs_used);
    assert_int_equal(a->channels, b->channels);
    assert_int_equal(a->dependencies, b->dependencies);
    assert_int_equal(a->num_path_lengths, b->num_path_lengths);
    assert_memory_equal(a->path_lengths, b->path_lengths,
                        a->num_path_lengths * sizeof *a->path_lengths);
    assert_int_equal(a->witness_length, b->witness_length);
    for (size_t i = 0; i < a->witness_length; i++) {
        assert_int_equal(a->witness[i].channel, b->witness[i].channel);
        assert_int_equal(a->witness[i].vc, b->witness[i].vc);
        assert_int_equal(a->witness[i].src, b->witness[i].src);
        assert_int_equal(a->witness[i].dst, b->witness[i].dst);
    }
}

#endif
