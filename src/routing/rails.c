/* SPDX-License-Identifier: Apache-2.0
 *
 * rails.c: see rails.h.
 *
 * Nearest pairs of ports need the distances between switches: O(S * (S + L)) time and S^2 bytes
 * once; asking for the pairs of two hosts costs the product of their numbers of ports.
 */
#include "routing/rails.h"
#include "routing/graph/links.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the outer routing of a tree */

static const ik_routing *rails_inner_of(const ik_routing *r)
{
    return r->rails->inner;
}

static uint32_t rails_host_of(const ik_routing *r, uint32_t port)
{
    assert(port < r->fabric->num_hosts);
    return r->fabric->split->host_of[port];
}

/* What the inner routing sees of a packet. */
static ik_packet rails_inside(const ik_routing *r, const ik_packet *pk)
{
    ik_packet in = *pk;
    in.src = rails_host_of(r, pk->src);
    in.dst = rails_host_of(r, pk->dst);
    return in;
}

static void rails_outside(ik_packet *pk, const ik_packet *in)
{
    pk->via = in->via;
    pk->phase = in->phase;
    pk->layer = in->layer;
}

static uint32_t outer_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    return rails_inner_of(r)->family->num_starts(rails_inner_of(r), rails_host_of(r, src),
                                                 rails_host_of(r, dst));
}

static void rails_outer_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    ik_packet in = rails_inside(r, pk);
    rails_inner_of(r)->family->start_nth(rails_inner_of(r), n, &in);
    rails_outside(pk, &in);
}

static void rails_outer_start(const ik_routing *r, const ik_draw *draw, const ik_view *view,
                              ik_packet *pk)
{
    ik_packet in = rails_inside(r, pk);
    rails_inner_of(r)->family->start(rails_inner_of(r), draw, view, &in);
    rails_outside(pk, &in);
}

/* At a switch of the destination the inner routing names some cable to it: the packet takes the one
 * of its port. A port on another switch is out of reach: it belongs to another plane, and no packet
 * for it was sent here. */
static uint32_t rails_outer_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                 uint32_t *out, uint32_t *preferred)
{
    const ik_fabric *f = r->fabric;
    ik_packet in = rails_inside(r, pk);
    uint32_t n =
        rails_inner_of(r)->family->next(rails_inner_of(r), sw, in_port, &in, out, preferred);
    rails_outside(pk, &in);
    if (n == 0 || ik_is_switch(f, ik_peer_node(f, out[0])))
        return n;
    uint32_t last = f->port_peer[ik_host_port(f, pk->dst)];
    *preferred = 0;
    out[0] = last;
    return f->port_node[last] == sw;
}

/* A packet for a host takes the cable of its port. */
static uint64_t rails_outer_set_of(const ik_routing *r, uint32_t sw, uint32_t port)
{
    assert(port < ik_radix(r->fabric, sw) && port < 64); /* a set is one word */
    const ik_fabric *f = r->fabric;
    if (!ik_is_switch(f, ik_peer_node(f, f->port_base[sw] + port)))
        return 1ull << port;
    return rails_inner_of(r)->family->set_of(rails_inner_of(r), sw, port);
}

static uint32_t rails_outer_pick(const ik_routing *r, uint32_t sw, const ik_packet *pk,
                                 const uint32_t *out, uint32_t n, uint32_t preferred,
                                 const ik_view *view, void *switch_state)
{
    ik_packet in = rails_inside(r, pk);
    return rails_inner_of(r)->family->pick(rails_inner_of(r), sw, &in, out, n, preferred, view,
                                           switch_state);
}

static size_t outer_state_bytes(const ik_routing *r, uint32_t sw)
{
    return rails_inner_of(r)->family->switch_state_bytes(rails_inner_of(r), sw);
}

static uint64_t rails_outer_order(const ik_routing *r, uint32_t sw, uint32_t dst)
{
    return rails_inner_of(r)->family->order(rails_inner_of(r), sw, rails_host_of(r, dst));
}

static uint32_t rails_outer_leg(const ik_routing *r, uint32_t sw, uint32_t goal, uint32_t *out)
{
    return rails_inner_of(r)->family->leg(rails_inner_of(r), sw, goal, out);
}

static uint32_t rails_outer_middles(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t *out)
{
    return rails_inner_of(r)->family->middles(rails_inner_of(r), rails_host_of(r, src),
                                              rails_host_of(r, dst), out);
}

static void rails_wrap(ik_routing *r)
{
    const ik_routing *inner = rails_inner_of(r);
    ik_routing_family *f = &r->rails->family;
    /* tables of the whole fabric would not be those of the split one */
    assert(!inner->family->num_entries);
    *f = *inner->family;
    f->destroy = NULL;
    f->num_starts = f->num_starts ? outer_num_starts : NULL;
    f->start_nth = f->start_nth ? rails_outer_start_nth : NULL;
    f->start = f->start ? rails_outer_start : NULL;
    f->next = rails_outer_next;
    f->next_mask = NULL;
    f->set_of = f->set_of ? rails_outer_set_of : NULL;
    f->pick = f->pick ? rails_outer_pick : NULL;
    f->switch_state_bytes = f->switch_state_bytes ? outer_state_bytes : NULL;
    f->leg = f->leg ? rails_outer_leg : NULL;
    f->middles = f->middles ? rails_outer_middles : NULL;
    f->legs = NULL;
    f->order = f->order ? rails_outer_order : NULL;
    f->of_phase = NULL; /* would be asked with a routing of the split fabric */
    r->family = f;
    r->kind = inner->kind;
    r->claims = inner->claims;
    r->traits = inner->traits;
    r->natural_vc = inner->natural_vc;
    r->natural_selection = inner->natural_selection;
}

/* ---- making */

static ik_status rails_refuse(const ik_routing *r, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    uint32_t host = 0;
    while (ik_host_rails(f, host) < 2)
        host++;
    char name[160];
    ik_fail(err, IK_ERR_UNSUPPORTED, "routing '%s' leads to one cable per host; %s has %" PRIu32,
            r->family->name, ik_node_describe(f, ik_host_node(f, host), name, sizeof name),
            ik_host_rails(f, host));
    return ik_hint(
        err, IK_ERR_UNSUPPORTED,
        "'dmodk', 'random' and other routings of trees, and 'updown' on any fabric, use all");
}

static ik_status rails_make_inner(ik_routing *r, const ik_params *params, const ik_env *env,
                                  ik_error *err)
{
    assert(!r->rails->inner);
    ik_routing *inner = ik_calloc(1, sizeof *inner);
    if (!inner)
        return ik_fail_memory(err, sizeof *inner, "a routing");
    *inner = *r;
    inner->rails = NULL;
    inner->spec = NULL;
    r->rails->inner = inner;
    ik_status status = inner->family->create(inner, params, env, err);
    if (status == IK_OK) {
        r->rails->num_ports = ik_radix(r->fabric, ik_host_node(r->fabric, 0));
        rails_wrap(r);
    }
    r->fabric = r->rails->split;
    return status;
}

static ik_status rails_make_split(ik_routing *r, const ik_params *params, const ik_env *env,
                                  ik_error *err)
{
    links g = {0};
    r->fabric = r->rails->split;
    ik_status status = r->family->create(r, params, env, err);
    if (status == IK_OK)
        status = links_build(r->fabric, &g, err);
    if (status == IK_OK)
        status = links_distances(&g, env, &r->rails->distance, err);
    if (status == IK_OK && (r->traits & IK_ROUTE_EVERY_PORT)) {
        size_t num = (size_t)r->fabric->num_switches * r->fabric->num_switches;
        for (size_t i = 0; i < num; i++) /* all that are connected are the nearest */
            r->rails->distance[i] = r->rails->distance[i] < LINKS_FAR ? 0 : LINKS_FAR;
    }
    links_free(&g);
    return status;
}

ik_status rails_create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err)
{
    if (r->traits & IK_ROUTE_ONE_CABLE)
        return rails_refuse(r, err);
    r->rails = ik_calloc(1, sizeof *r->rails);
    if (!r->rails)
        return ik_fail_memory(err, sizeof *r->rails, "the ports of hosts");
    ik_status status = ik_fabric_split(r->fabric, &r->rails->split, err);
    if (status != IK_OK)
        return status;
    return r->family->rail ? rails_make_inner(r, params, env, err)
                           : rails_make_split(r, params, env, err);
}

void rails_free(struct ik_rails *rails)
{
    if (!rails)
        return;
    ik_routing_free(rails->inner);
    ik_fabric_free(rails->split);
    free(rails->distance);
    free(rails);
}

/* ---- pairs of ports */

static uint32_t rails_switch_of(const ik_fabric *f, uint32_t port)
{
    return ik_host_switch(f, port);
}

static uint32_t rails_distance(const ik_routing *r, uint32_t from, uint32_t to)
{
    assert(r->rails->distance); /* there is none where an inner routing knows the ports */
    uint32_t a = rails_switch_of(r->fabric, from), b = rails_switch_of(r->fabric, to);
    return a == IK_NONE || b == IK_NONE
               ? LINKS_FAR
               : r->rails->distance[(size_t)a * r->fabric->num_switches + b];
}

/* Least distance between ports of two hosts, and how many pairs have it. */
static uint32_t routing_rails_nearest(const ik_routing *r, uint32_t src, uint32_t dst,
                                      uint32_t *pairs)
{
    const uint32_t *first = r->fabric->split->first;
    uint32_t least = LINKS_FAR;
    *pairs = 0;
    for (uint32_t from = first[src]; from < first[src + 1]; from++)
        for (uint32_t to = first[dst]; to < first[dst + 1]; to++) {
            uint32_t d = rails_distance(r, from, to);
            *pairs = d < least ? 1 : *pairs + (d == least);
            least = d < least ? d : least;
        }
    return least;
}

static bool rails_draws(const ik_routing *r)
{
    return r->kind != IK_ROUTE_DETERMINISTIC;
}

/* The port that a tree's routing fixes for a pair, IK_NONE = any. */
static uint32_t rails_fixed_port(const ik_routing *r, uint32_t src, uint32_t dst)
{
    uint32_t port = r->family->rail(rails_inner_of(r), src, dst, r->rails->num_ports);
    assert(port == IK_NONE || port < r->rails->num_ports);
    return port;
}

uint32_t ik_rails_count(const ik_routing *r, uint32_t src, uint32_t dst)
{
    uint32_t pairs;
    if (!r->rails)
        return 1;
    if (rails_inner_of(r))
        return rails_fixed_port(r, src, dst) == IK_NONE ? r->rails->num_ports : 1;
    return rails_draws(r) && routing_rails_nearest(r, src, dst, &pairs) < LINKS_FAR ? pairs : 1;
}

/* Number n of the nearest pairs, by the port of the host with the lower number, then the other's:
 * the way back of a pair is the pair of the same number. A connection has the same two ports for
 * both directions, so what a deterministic routing takes depends on the two hosts in one order. */
static void rails_nearest_nth(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t n,
                              uint32_t *from, uint32_t *to)
{
    const uint32_t *first = r->fabric->split->first;
    uint32_t low = src < dst ? src : dst, high = src < dst ? dst : src;
    uint32_t pairs, least = routing_rails_nearest(r, low, high, &pairs), a = first[low],
                    b = first[high];
    if (least < LINKS_FAR) {
        n = rails_draws(r) ? n : (low / pairs + high) % pairs;
        while (rails_distance(r, a, b) != least || n-- > 0) {
            b++;
            a += b == first[high + 1];
            b = b == first[high + 1] ? first[high] : b;
        }
    }
    *from = src < dst ? a : b;
    *to = src < dst ? b : a;
}

void ik_rails_nth(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t n, uint32_t *from,
                  uint32_t *to)
{
    assert(n < ik_rails_count(r, src, dst));
    if (!r->rails) {
        *from = src;
        *to = dst;
    } else if (rails_inner_of(r)) {
        const uint32_t *first = r->fabric->split->first;
        uint32_t port = rails_fixed_port(r, src, dst);
        port = port == IK_NONE ? n : port;
        assert(port < r->rails->num_ports);
        *from = first[src] + port;
        *to = first[dst] + port;
    } else {
        rails_nearest_nth(r, src, dst, n, from, to);
    }
}

bool ik_rails_used(const ik_routing *r, uint32_t from, uint32_t to)
{
    if (!r->rails)
        return true;
    uint32_t src = rails_host_of(r, from), dst = rails_host_of(r, to), a, b, pairs;
    if (src == dst)
        return false;
    if (rails_inner_of(r)) {
        uint32_t port = from - r->fabric->split->first[src], fixed = rails_fixed_port(r, src, dst);
        return port == to - r->fabric->split->first[dst] && (fixed == IK_NONE || fixed == port);
    }
    if (rails_draws(r) && routing_rails_nearest(r, src, dst, &pairs) < LINKS_FAR)
        return rails_distance(r, from, to) == routing_rails_nearest(r, src, dst, &pairs);
    rails_nearest_nth(r, src, dst, 0, &a, &b);
    return a == from && b == to;
}

/* ---- selection functions */

typedef struct outer_selection {
    ik_selection_family family;
    ik_selection *inner;
} outer_selection;

static const outer_selection *rails_selection_of(const ik_selection *s)
{
    return s->impl;
}

static uint32_t rails_selection_pick(const ik_selection *s, const ik_select_request *ask,
                                     const uint32_t *out, uint32_t n, uint32_t preferred)
{
    const ik_selection *inner = rails_selection_of(s)->inner;
    ik_packet in = *ask->pk;
    ik_select_request inside = *ask;
    in.src = s->fabric->split->host_of[in.src];
    in.dst = s->fabric->split->host_of[in.dst];
    inside.pk = &in;
    return inner->family->pick(inner, &inside, out, n, preferred);
}

static size_t selection_state_bytes(const ik_selection *s, uint32_t sw)
{
    return rails_selection_of(s)->inner->family->switch_state_bytes(rails_selection_of(s)->inner,
                                                                    sw);
}

static void selection_destroy(ik_selection *s)
{
    outer_selection *o = s->impl;
    ik_selection_free(o->inner);
    free(o);
}

ik_status rails_wrap_selection(ik_selection **selection, const ik_fabric *split, ik_error *err)
{
    ik_status status = IK_OK;
    for (unsigned k = 0; k < 2 && (*selection)->in_model[k] && status == IK_OK; k++)
        status = rails_wrap_selection(&(*selection)->in_model[k], split, err);
    if (status != IK_OK || (*selection)->in_model[0])
        return status;
    outer_selection *o = ik_calloc(1, sizeof *o);
    ik_selection *s = ik_calloc(1, sizeof *s);
    char *spec = o && s ? strdup((*selection)->spec) : NULL;
    if (!spec) {
        free(o);
        free(s);
        return ik_fail_memory(err, sizeof *o, "a selection function");
    }
    *o = (outer_selection){.family = *(*selection)->family, .inner = *selection};
    o->family.destroy = selection_destroy;
    o->family.pick = rails_selection_pick;
    o->family.pick_mask = NULL;
    o->family.switch_state_bytes = o->family.switch_state_bytes ? selection_state_bytes : NULL;
    *s = (ik_selection){.family = &o->family,
                        .fabric = split,
                        .impl = o,
                        .spec = spec,
                        .skip_busy = (*selection)->skip_busy,
                        .traits = (*selection)->traits};
    *selection = s;
    return IK_OK;
}
