/* SPDX-License-Identifier: Apache-2.0
 *
 * shares.c: what part of one flow each channel carries.
 */
#include "analysis/shares.h"
#include "analysis/load.h"

#include <assert.h>
#include <stdlib.h>

static bool shares_has_legs(const ik_routing *r)
{
    return r->family->leg && (r->traits & IK_ROUTE_PER_SWITCH) &&
           !(r->traits & IK_ROUTE_DEST_BASED);
}

ik_status shares_init(shares *s, const ik_routing *r, ik_error *err)
{
    size_t ports = (size_t)r->fabric->num_ports + 1, switches = (size_t)r->fabric->num_switches + 1;
    *s = (shares){.r = r, .first = IK_NONE, .goal = IK_NONE};
    ik_status status = spread_init(&s->s, r, err);
    if (status != IK_OK)
        return status;
    s->middles = ik_calloc(switches, sizeof *s->middles);
    s->touched = ik_calloc(ports, sizeof *s->touched);
    s->sums.load = ik_calloc(ports, sizeof *s->sums.load);
    s->sums.crossing = ik_calloc(ports, sizeof *s->sums.crossing);
    s->sums.turns = ik_calloc(switches, sizeof *s->sums.turns);
    s->walker = ik_calloc(1, sizeof *s->walker);
    if (!s->middles || !s->touched || !s->sums.load || !s->sums.crossing || !s->sums.turns ||
        !s->walker)
        return ik_fail_memory(err, ports * 20 + switches * 12, "the shares of a flow");
    status = flow_walker_init(s->walker, r, err);
    s->walker->sums = &s->sums;
    s->walker->touched = s->touched;
    return status;
}

void shares_free(shares *s)
{
    spread_free(&s->s);
    if (s->walker)
        flow_walker_free(s->walker);
    void *all[] = {s->walker,    s->middles,       s->touched,
                   s->sums.load, s->sums.crossing, s->sums.turns};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *s = (shares){0};
}

static void shares_add(shares *s, uint32_t port, double part)
{
    if (part > 0 && s->sums.crossing[port] == 0)
        s->touched[s->num++] = port;
    s->sums.crossing[port] += part;
}

/* Adds what spread_run has found. */
static void shares_add_spread(shares *s)
{
    const spread *x = &s->s;
    for (uint32_t i = 0; i < x->num_sorted; i++) {
        uint32_t sw = x->sorted[i], n = x->out_num[sw];
        for (uint32_t k = 0; k < n; k++)
            shares_add(s, x->outs[x->out_first[sw] + k], x->count[sw] / n);
    }
}

/* From the flow's first switch to the destination itself. */
static bool shares_follow_tree(shares *s, uint32_t first, uint32_t in_port, uint32_t dst)
{
    spread_to_host(&s->s, dst);
    spread_offer(&s->s, first, in_port, 1, 1, 0);
    spread_run(&s->s, NULL, true);
    shares_add_spread(s);
    return spread_arrives(&s->s, first);
}

static bool shares_follow_legs(shares *s, uint32_t first, uint32_t src, uint32_t dst)
{
    const ik_routing *r = s->r;
    uint32_t goal = ik_host_switch(r->fabric, dst), starts = walk_num_starts(r, src, dst);
    uint32_t n = r->family->middles ? r->family->middles(r, src, dst, s->middles) : 0;
    uint32_t direct = r->family->middles ? starts - n : starts;
    bool arrives = true;
    for (uint32_t i = 0; i < n; i++) {
        spread_to_switch(&s->s, s->middles[i], IK_NONE);
        spread_offer(&s->s, first, IK_NONE, 0, 1.0 / starts, 0);
        spread_run(&s->s, NULL, false);
        shares_add_spread(s);
        arrives = arrives && spread_arrives(&s->s, first);
    }
    spread_to_switch(&s->s, goal, dst);
    for (uint32_t i = 0; i < n; i++)
        spread_offer(&s->s, s->middles[i], IK_NONE, 0, 1.0 / starts, 0);
    if (direct)
        spread_offer(&s->s, first, IK_NONE, 0, (double)direct / starts, 0);
    spread_run(&s->s, NULL, true);
    shares_add_spread(s);
    for (uint32_t i = 0; i < n; i++)
        arrives = arrives && spread_arrives(&s->s, s->middles[i]);
    shares_add(s, r->fabric->port_peer[ik_host_port(r->fabric, dst)], 1);
    return arrives && (!direct || spread_arrives(&s->s, first));
}

static bool shares_follow_walks(shares *s, uint32_t src, uint32_t dst)
{
    s->walker->num_touched = 0;
    double arrived = flow_walk(s->walker, src, dst, 0, 1);
    s->num = s->walker->num_touched;
    return arrived > 1 - 1e-9;
}

/* The flow before this one took the same paths, but for its first channel and its last. */
static void shares_move_ends(shares *s, uint32_t injection, uint32_t last)
{
    uint32_t at = s->num - 1;
    while (s->touched[at] != s->last) {
        assert(at > 0);
        at--;
    }
    const uint32_t from[2] = {s->touched[0], s->last}, to[2] = {injection, last};
    double part[2] = {s->sums.crossing[from[0]], s->sums.crossing[from[1]]};
    s->sums.crossing[from[0]] = s->sums.crossing[from[1]] = 0;
    s->touched[0] = injection;
    s->touched[at] = s->last = last;
    for (unsigned end = 0; end < 2; end++)
        s->sums.crossing[to[end]] = part[end];
}

static void shares_clear(shares *s)
{
    for (uint32_t i = 0; i < s->num; i++)
        s->sums.crossing[s->touched[i]] = 0;
    s->num = 0;
    s->first = s->goal = IK_NONE;
}

uint32_t shares_of_flow(shares *s, uint32_t src, uint32_t dst)
{
    const ik_routing *r = s->r;
    const ik_fabric *f = r->fabric;
    uint32_t port = walk_injection(f, src), last = walk_injection(f, dst);
    bool tree = r->traits & IK_ROUTE_DEST_BASED,
         single = ik_host_cables(f, src) == 1 && ik_host_cables(f, dst) == 1;
    if (port == IK_NONE || last == IK_NONE) {
        shares_clear(s);
        return 0;
    }
    last = f->port_peer[last];
    uint32_t in_port = f->port_peer[port], first = f->port_node[in_port], goal = f->port_node[last];
    if (s->num && single && first == s->first && goal == s->goal) {
        shares_move_ends(s, port, last);
        return s->num;
    }
    shares_clear(s);
    if (!tree && !(shares_has_legs(r) && single))
        return shares_follow_walks(s, src, dst) ? s->num : 0;
    shares_add(s, port, 1);
    if (!(tree ? shares_follow_tree(s, first, in_port, dst)
               : shares_follow_legs(s, first, src, dst)))
        return 0;
    if (single && (r->traits & IK_ROUTE_PER_SWITCH)) {
        s->first = first;
        s->goal = goal;
        s->last = last;
    }
    return s->num;
}
