/* SPDX-License-Identifier: Apache-2.0
 *
 * spread.c: the routes to one destination are found from the switches where flows enter, ordered
 * (Kahn), pruned backwards of what does not reach the destination; then the flows go through in
 * order.
 */
#include "analysis/spread.h"
#include "analysis/load.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

ik_status spread_init(spread *s, const ik_routing *r, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    size_t n = (size_t)f->num_switches + 1, ports = (size_t)f->port_base[f->num_switches] + 1;
    *s = (spread){.host = IK_NONE, .goal = IK_NONE};
    ik_status status = walker_init(&s->w, r, err);
    if (status != IK_OK)
        return status;
    uint32_t **words[] = {&s->order,    &s->sorted,    &s->in_port,
                          &s->indegree, &s->out_first, &s->out_num};
    double **reals[] = {&s->amount, &s->count, &s->up};
    bool ok = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ok = (*words[i] = ik_calloc(n, sizeof(uint32_t))) && ok;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        ok = (*reals[i] = ik_calloc(n, sizeof(double))) && ok;
    s->outs = ik_calloc(ports, sizeof *s->outs);
    s->seen = ik_calloc(n, 1);
    s->good = ik_calloc(n, 1);
    return ok && s->outs && s->seen && s->good
               ? IK_OK
               : ik_fail_memory(err, n * 50 + ports * 4, "the routes to a destination");
}

void spread_free(spread *s)
{
    walker_free(&s->w);
    void *all[] = {s->order, s->sorted, s->in_port, s->indegree, s->out_first, s->out_num,
                   s->outs,  s->seen,   s->good,    s->amount,   s->count,     s->up};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void spread_clear(spread *s)
{
    for (uint32_t i = 0; i < s->num; i++) {
        uint32_t sw = s->order[i];
        s->indegree[sw] = 0;
        s->seen[sw] = s->good[sw] = 0;
        s->amount[sw] = s->count[sw] = s->up[sw] = 0;
    }
    s->num = s->num_sorted = s->num_outs = 0;
}

void spread_to_host(spread *s, uint32_t host)
{
    assert(s->w.r->traits & IK_ROUTE_DEST_BASED);
    spread_clear(s);
    s->host = host;
    s->goal = IK_NONE;
}

void spread_to_switch(spread *s, uint32_t goal, uint32_t host)
{
    assert(s->w.r->family->leg || ((s->w.r->traits & IK_ROUTE_DEST_BASED) && host != IK_NONE));
    spread_clear(s);
    s->host = host;
    s->goal = goal;
}

static void spread_visit(spread *s, uint32_t sw, uint32_t in_port)
{
    if (!s->seen[sw]) {
        s->seen[sw] = 1;
        s->in_port[sw] = in_port;
        s->order[s->num++] = sw;
    }
}

void spread_offer(spread *s, uint32_t sw, uint32_t in_port, double amount, double count, double up)
{
    spread_visit(s, sw, in_port);
    s->amount[sw] += amount;
    s->count[sw] += count;
    s->up[sw] += up;
}

/* Ports of sw into w.ports. */
static uint32_t spread_ports_of(const spread *s, uint32_t sw)
{
    const ik_routing *r = s->w.r;
    if (sw == s->goal)
        return 0;
    if (s->goal != IK_NONE && r->family->leg)
        return r->family->leg(r, sw, s->goal, s->w.ports);
    ik_packet pk = {.src = s->host, .dst = s->host, .via = IK_NONE};
    return walk_next(&s->w, sw, s->in_port[sw], &pk);
}

/* Visits what lies behind the offering switches and notes each switch's outputs. */
static void spread_explore(spread *s, const ik_fabric *f)
{
    for (uint32_t i = 0; i < s->num; i++) {
        uint32_t sw = s->order[i], n = spread_ports_of(s, sw);
        s->out_first[sw] = s->num_outs;
        s->out_num[sw] = n;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t port = s->w.ports[k], to = ik_peer_node(f, port);
            s->outs[s->num_outs++] = port;
            if (to != IK_NONE && ik_is_switch(f, to)) {
                spread_visit(s, to, f->port_peer[port]);
                s->indegree[to]++;
            }
        }
    }
}

/* Switches on or behind a loop that nothing leaves stay out. */
static void spread_sort_switches(spread *s, const ik_fabric *f)
{
    uint32_t tail = 0;
    for (uint32_t i = 0; i < s->num; i++)
        if (s->indegree[s->order[i]] == 0)
            s->sorted[tail++] = s->order[i];
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t sw = s->sorted[head];
        for (uint32_t k = 0; k < s->out_num[sw]; k++) {
            uint32_t to = ik_peer_node(f, s->outs[s->out_first[sw] + k]);
            if (to != IK_NONE && ik_is_switch(f, to) && --s->indegree[to] == 0)
                s->sorted[tail++] = to;
        }
    }
    s->num_sorted = tail;
}

/* Backwards: keeps the ports that lead to the destination. */
static void spread_prune(spread *s, const ik_fabric *f)
{
    uint32_t end = s->goal == IK_NONE ? ik_host_node(f, s->host) : IK_NONE;
    for (uint32_t i = s->num_sorted; i-- > 0;) {
        uint32_t sw = s->sorted[i], kept = 0, *outs = s->outs + s->out_first[sw];
        for (uint32_t k = 0; k < s->out_num[sw]; k++) {
            uint32_t to = ik_peer_node(f, outs[k]);
            if (to != IK_NONE && (ik_is_switch(f, to) ? s->good[to] : to == end))
                outs[kept++] = outs[k];
        }
        s->out_num[sw] = kept;
        s->good[sw] = kept > 0 || sw == s->goal;
    }
}

/* The flows of one switch, on to the next ones. */
static void spread_push(spread *s, const ik_fabric *f, uint32_t sw, load_sums *sums)
{
    uint32_t n = s->out_num[sw];
    double amount = s->amount[sw], count = s->count[sw], up = s->up[sw];
    if (n > 1) {
        amount /= n;
        count /= n;
        up /= n;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t port = s->outs[s->out_first[sw] + k], to = ik_peer_node(f, port);
        bool rises = up > 0 && load_goes_up(f, port);
        if (sums) {
            sums->load[port] += amount;
            sums->crossing[port] += count;
            sums->turns[sw] += rises ? 0 : up;
        }
        if (ik_is_switch(f, to)) {
            s->amount[to] += amount;
            s->count[to] += count;
            s->up[to] += rises ? up : 0;
        }
    }
}

void spread_run(spread *s, load_sums *sums, bool last)
{
    const ik_fabric *f = s->w.r->fabric;
    spread_explore(s, f);
    spread_sort_switches(s, f);
    spread_prune(s, f);
    for (uint32_t i = 0; i < s->num_sorted; i++)
        spread_push(s, f, s->sorted[i], sums);
    if (last && sums && s->goal != IK_NONE)
        sums->turns[s->goal] += s->up[s->goal];
}

void spread_rise(const spread *s, double *rise)
{
    const ik_fabric *f = s->w.r->fabric;
    for (uint32_t i = s->num_sorted; i-- > 0;) {
        uint32_t sw = s->sorted[i], n = s->out_num[sw];
        double sum = 0;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t port = s->outs[s->out_first[sw] + k];
            sum += load_goes_up(f, port) ? rise[ik_peer_node(f, port)] : 0;
        }
        rise[sw] = sw == s->goal ? 1 : n ? sum / n : 0;
    }
}
