/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: set-up of the tree arithmetic (see tree.h).
 *
 * Reciprocals: with s = 31 + ceil(log2 by) and mul = ceil(2^s / by), n * mul / 2^s exceeds n / by
 * by less than n / 2^31 / by, so the floor is exact for n < 2^31, and n * mul stays below 2^64
 * (Granlund and Montgomery, PLDI 1994).
 */
#include "routing/tree/tree.h"

#include <assert.h>

#include <stdlib.h>

tree_reciprocal tree_reciprocal_of(uint32_t by)
{
    tree_reciprocal d = {.by = by ? by : 1};
    uint32_t log = 0;
    while (((uint64_t)1 << log) < d.by)
        log++;
    d.shift = 31 + log;
    d.mul = (((uint64_t)1 << d.shift) + d.by - 1) / d.by;
    return d;
}

static ik_status tree_refuse(const ik_fabric *f, const char *routing, ik_error *err)
{
    const ik_xgft *x = ik_fabric_xgft(f);
    if (x)
        ik_fail(
            err, IK_ERR_UNSUPPORTED,
            "routing '%s' computes with the labels of a complete tree, and '%s' lacks parts of it",
            routing, f->spec ? f->spec : f->family);
    else
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "routing '%s' needs a generated tree (xgft or one of its shorthands), not '%s'",
                routing, f->family ? f->family : "an unknown fabric");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   x || f->num_levels ? "'dmodc' routes damaged and imported trees"
                                      : "'updown' routes any fabric");
}

static ik_status tree_fill_levels(tree *t, const char *routing, ik_error *err)
{
    const ik_xgft *x = t->xgft;
    uint64_t ascents = 1;
    for (uint32_t l = 1; l <= x->h; l++) {
        tree_level *lv = &t->level[l];
        lv->num_hosts = x->prod_m[l];
        lv->num_cables = x->p[l - 1];
        lv->num_parents = x->w[l - 1];
        lv->first_up = x->m[l - 1] * x->p[l - 1];
        lv->num_up = l < x->h ? x->w[l] * x->p[l] : 0;
        lv->child = tree_reciprocal_of(x->prod_m[l - 1]);
        lv->arity = tree_reciprocal_of(x->m[l - 1]);
        lv->up = tree_reciprocal_of(lv->num_up);
        if (l > 1)
            ascents *= (uint64_t)x->w[l - 1] * x->p[l - 1];
        if (ascents >= (uint64_t)1 << 31)
            return ik_fail(
                err, IK_ERR_UNSUPPORTED,
                "routing '%s' counts at most 2^31 ways up; this tree has more at level %u", routing,
                l);
        lv->ascents = tree_reciprocal_of((uint32_t)ascents);
    }
    return IK_OK;
}

static void tree_fill_switches(tree *t, const ik_fabric *f)
{
    const ik_xgft *x = t->xgft;
    for (uint32_t l = 1; l <= x->h; l++)
        for (uint32_t sw = x->level_base[l]; sw < x->level_base[l + 1]; sw++) {
            uint32_t subtree = (sw - x->level_base[l]) / x->prod_w[l];
            t->sw[sw] = (tree_switch){
                .port_base = f->port_base[sw], .first_host = subtree * x->prod_m[l], .level = l};
        }
}

ik_status tree_new(const ik_fabric *f, const char *routing, tree **out, ik_error *err)
{
    const ik_xgft *x = ik_fabric_xgft(f);
    if (!x || !f->intact)
        return tree_refuse(f, routing, err);
    tree *t = ik_calloc(1, sizeof *t);
    if (!t)
        return ik_fail_memory(err, sizeof *t, "the tree of a routing");
    t->xgft = x;
    t->sw = ik_calloc(f->num_switches, sizeof *t->sw);
    ik_status status = t->sw ? tree_fill_levels(t, routing, err)
                             : ik_fail_memory(err, f->num_switches * sizeof *t->sw, "tree labels");
    if (status != IK_OK) {
        tree_free(t);
        return status;
    }
    tree_fill_switches(t, f);
    *out = t;
    return IK_OK;
}

void tree_free(tree *t)
{
    if (!t)
        return;
    free(t->sw);
    free(t);
}

ik_status tree_routing_create(ik_routing *r, const ik_params *params, const ik_env *env,
                              ik_error *err)
{
    (void)params;
    (void)env;
    tree *t = NULL;
    ik_status status = tree_new(r->fabric, r->family->name, &t, err);
    r->impl = t;
    return status;
}

void tree_routing_destroy(ik_routing *r)
{
    tree_free(r->impl);
}

const char *const tree_examples[] = {
    "karytree:k=2,n=3",     "karytree:k=4,n=2",      "xgft:m=3:4,w=1:2",
    "xgft:m=4:3:2,w=1:2:3", "rlft:ports=8,levels=3", NULL,
};
const char *const tree_refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};

unsigned tree_nca_level(const tree *t, uint32_t src, uint32_t dst)
{
    unsigned l = 0;
    for (; src / t->xgft->prod_m[l] != dst / t->xgft->prod_m[l]; l++)
        ;
    return l;
}

uint32_t tree_num_ascents(const tree *t, uint32_t src, uint32_t dst)
{
    unsigned l = tree_nca_level(t, src, dst);
    return l ? t->level[l].ascents.by : 1;
}

uint32_t tree_ascent_route(const tree *t, uint32_t sw, const ik_packet *pk, uint32_t *out,
                           uint32_t *preferred)
{
    const tree_switch *s = &t->sw[sw];
    const tree_level *lv = &t->level[s->level];
    *preferred = 0;
    if (!tree_is_below(s, lv, pk->dst)) {
        out[0] = s->port_base + lv->first_up + tree_ascent_up(lv, pk->via);
        return 1;
    }
    /* Of parallel cables the one with the number that the ascent has on this level. */
    uint32_t cable = 0;
    if (lv->num_cables > 1 && s->level > 1)
        cable = tree_ascent_up(lv - 1, pk->via) / lv->num_parents;
    out[0] = tree_down_here(s, lv, pk->dst, cable);
    return 1;
}

uint32_t tree_ascent_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                          uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    return tree_ascent_route(r->impl, sw, pk, out, preferred);
}

uint32_t tree_ascent_leg(const tree *t, uint32_t sw, uint32_t goal, uint32_t *out)
{
    const tree_switch *s = &t->sw[sw];
    const tree_level *lv = &t->level[s->level];
    uint32_t host = t->sw[goal].first_host, n = lv->num_up;
    assert(t->sw[goal].level == 1 && goal != sw);
    if (tree_is_below(s, lv, host)) {
        n = lv->num_cables;
        for (uint32_t cable = 0; cable < n; cable++)
            out[cable] = tree_down_here(s, lv, host, cable);
        return n;
    }
    for (uint32_t up = 0; up < n; up++)
        out[up] = s->port_base + lv->first_up + up;
    return n;
}

/* The rule of a level-l node, M_l mod w_{l+1}, has no digit for hosts. Theirs is the one by which
 * the paper's formula for hop 1, floor(x / k^0) mod k, reads a host's label: M_1 mod w_1. */
uint32_t tree_rail_of_destination(const ik_routing *r, uint32_t src, uint32_t dst,
                                  uint32_t num_ports)
{
    (void)src;
    return tree_rail(r->impl, dst, num_ports);
}

uint32_t tree_rail_of_source(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports)
{
    (void)dst;
    return tree_rail(r->impl, src, num_ports);
}

uint32_t tree_rail_any(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports)
{
    (void)r, (void)src, (void)dst, (void)num_ports;
    return IK_NONE;
}
