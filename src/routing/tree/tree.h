/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.h: arithmetic on generated multi-level trees (XGFT and PGFT), shared by the tree routings.
 *
 * A switch's record says which hosts are below it (a contiguous range); the records of its level
 * say how to turn a host number into a port. Hot loops divide by multiplying with a precomputed
 * reciprocal.
 */
#ifndef IKAT_ROUTING_TREE_H
#define IKAT_ROUTING_TREE_H

#include "ikat/routing.h"
#include "ikat/topology.h"

#include <assert.h>

/* floor(n / by) = n * mul >> shift for every n < 2^31. */
typedef struct tree_reciprocal {
    uint64_t mul;
    uint32_t shift, by;
} tree_reciprocal;

tree_reciprocal tree_reciprocal_of(uint32_t by);

static inline uint32_t tree_quotient(uint32_t n, const tree_reciprocal *d)
{
    assert(n < UINT32_C(1) << 31); /* the reciprocal is exact below that */
    return (uint32_t)((n * d->mul) >> d->shift);
}

static inline uint32_t tree_remainder(uint32_t n, const tree_reciprocal *d)
{
    return n - tree_quotient(n, d) * d->by;
}

/* A switch: the first port, the first host below it, its level (1 … h). */
typedef struct tree_switch {
    uint32_t port_base, first_host, level;
} tree_switch;

typedef struct tree_level {
    uint32_t num_hosts;    /* below one switch */
    uint32_t first_up;     /* local index of the first up port = m * p */
    uint32_t num_up;       /* up ports: w * p of the next level; 0 at the top */
    uint32_t num_cables;   /* p: parallel cables to each child */
    uint32_t num_parents;  /* w: parents of each child */
    tree_reciprocal child; /* hosts below one child */
    tree_reciprocal arity; /* m */
    tree_reciprocal up;    /* num_up (1 at the top) */
    /* ways to come up from a leaf switch to this level: product of w * p of levels 2 … l */
    tree_reciprocal ascents;
} tree_level;

typedef struct tree {
    const ik_xgft *xgft;
    tree_switch *sw;                     /* [num_switches] */
    tree_level level[IK_XGFT_MAX_H + 1]; /* [1 … h] */
} tree;

/* The tree of an undamaged generated xgft or pgft; IK_ERR_UNSUPPORTED (with dmodc as hint) for any
 * other fabric. */
ik_status tree_new(const ik_fabric *f, const char *routing, tree **out, ik_error *err);
void tree_free(tree *t);
/* create and destroy of routings whose impl is a tree and nothing else. */
/* fabrics for the conformance tests of digit rules */
extern const char *const tree_examples[], *const tree_refused[];
ik_status tree_routing_create(ik_routing *r, const ik_params *params, const ik_env *env,
                              ik_error *err);
void tree_routing_destroy(ik_routing *r);

/* Level of the nearest common ancestors of two hosts: 0 for the same host, 1 on one leaf switch. */
unsigned tree_nca_level(const tree *t, uint32_t src, uint32_t dst);
/* Number of ways up from src to a nearest common ancestor with dst (cables counted singly), at
 * least 1. */
uint32_t tree_num_ascents(const tree *t, uint32_t src, uint32_t dst);

static inline bool tree_is_below(const tree_switch *s, const tree_level *lv, uint32_t host)
{
    return host - s->first_host < lv->num_hosts;
}

/* Digit M_l of host x at the level of lv. */
static inline uint32_t tree_digit(const tree_level *lv, uint32_t x)
{
    return tree_remainder(tree_quotient(x, &lv->child), &lv->arity);
}

/* Up port (index among the up ports) of the digit rule M_l(x) mod (w * p). */
static inline uint32_t tree_digit_up(const tree_level *lv, uint32_t x)
{
    assert(lv->num_up > 0); /* at the top there is no way up */
    uint32_t digit = tree_digit(lv, x);
    return digit < lv->num_up ? digit : tree_remainder(digit, &lv->up);
}

/* Global port of s going down to host dst by parallel cable `cable`. */
static inline uint32_t tree_down_here(const tree_switch *s, const tree_level *lv, uint32_t dst,
                                      uint32_t cable)
{
    assert(tree_is_below(s, lv, dst) && cable < lv->num_cables);
    return s->port_base + tree_quotient(dst - s->first_host, &lv->child) + lv->arity.by * cable;
}

/* Ports of hosts: the digit rule at level 0, M_1(x) mod w_1 p_1, and no rule. */
static inline uint32_t tree_rail(const tree *t, uint32_t x, uint32_t num_ports)
{
    assert(num_ports > 0);
    return tree_digit(&t->level[1], x) % num_ports;
}
uint32_t tree_rail_of_destination(const ik_routing *r, uint32_t src, uint32_t dst,
                                  uint32_t num_ports);
uint32_t tree_rail_of_source(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports);
uint32_t tree_rail_any(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports);

/* The whole routing function of the digit rule: up by the digits of host x (source or destination),
 * down to host dst by the cable with the number that x's digit gives the lower switch. */
static inline uint32_t tree_digit_next(const tree *t, uint32_t sw, uint32_t dst, uint32_t x,
                                       uint32_t *out, uint32_t *preferred)
{
    const tree_switch *s = &t->sw[sw];
    const tree_level *lv = &t->level[s->level];
    *preferred = 0;
    if (!tree_is_below(s, lv, dst)) {
        out[0] = s->port_base + lv->first_up + tree_digit_up(lv, x);
        return 1;
    }
    uint32_t cable = 0;
    if (lv->num_cables > 1 && s->level > 1)
        cable = tree_digit_up(lv - 1, x) / lv->num_parents;
    out[0] = tree_down_here(s, lv, dst, cable);
    return 1;
}

/* Digit of an ascent (a number below tree_num_ascents) at a switch of the level: index among its up
 * ports. */
static inline uint32_t tree_ascent_up(const tree_level *lv, uint32_t ascent)
{
    assert(lv->num_up > 0);
    return tree_remainder(tree_quotient(ascent, &lv->ascents), &lv->up);
}

/* The whole routing function of source-chosen ascents: pk->via is the ascent. The second one is for
 * routings whose impl is a tree. */
uint32_t tree_ascent_route(const tree *t, uint32_t sw, const ik_packet *pk, uint32_t *out,
                           uint32_t *preferred);
uint32_t tree_ascent_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                          uint32_t *out, uint32_t *preferred);
/* The ports that all ascents together take at sw on the way to leaf switch `goal`, each equally
 * likely (see ik_routing_family.leg). */
uint32_t tree_ascent_leg(const tree *t, uint32_t sw, uint32_t goal, uint32_t *out);

#endif
