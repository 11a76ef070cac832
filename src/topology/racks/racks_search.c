/* SPDX-License-Identifier: Apache-2.0
 *
 * racks_search.c: a descent to shorter cables. Two moves are tried in a fixed order, and each one
 * that shortens the sum of all lengths is made: two racks change places (or one goes to an empty
 * place), which is the quadratic assignment problem; and two switches with equally many hosts in
 * different racks change theirs, unit by unit, hosts included, so that no rack becomes fuller. It
 * ends where no move helps, or after a fixed amount of work, so that the same fabric always gives
 * the same plan.
 */
#include "topology/racks/racks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Ends of cables that are looked at in each of the searches: some tenths of a second. */
static const int64_t most_work = INT64_C(40000000);
enum { ROUNDS = 2 };

typedef struct racks_search {
    racks_work *w;
    int64_t work; /* left */
    uint32_t num_places;
    uint32_t *rack_at;    /* [num_places] IK_NONE: empty */
    int64_t *x, *y;       /* [num_places] */
    uint32_t *first;      /* [racks + 1] into near and times */
    uint32_t *near;       /* racks that cables lead to, each once */
    uint32_t *times;      /* so many cables */
    uint32_t *node_block; /* [nodes] */
    /* cables to this node and those behind it are not counted in exchanges of switches */
    uint32_t first_skipped;
} racks_search;

static uint64_t racks_search_distance(const racks_search *s, uint32_t a, uint32_t b)
{
    return (uint64_t)(llabs(s->x[a] - s->x[b]) + llabs(s->y[a] - s->y[b]));
}

/* ---- exchanging racks */

static int racks_search_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The racks behind the cables of each rack, sorted, then each once. */
static void racks_search_join(racks_search *s)
{
    const uint32_t racks = s->w->plan->num_racks;
    uint32_t kept = 0;
    for (uint32_t r = 0; r < racks; r++) {
        uint32_t begin = s->first[r], end = s->first[r + 1];
        qsort(s->near + begin, end - begin, sizeof *s->near, racks_search_compare);
        s->first[r] = kept;
        for (uint32_t i = begin; i < end; i++) {
            if (kept > s->first[r] && s->near[kept - 1] == s->near[i]) {
                s->times[kept - 1]++;
                continue;
            }
            s->near[kept] = s->near[i];
            s->times[kept++] = 1;
        }
    }
    s->first[racks] = kept;
}

static void racks_search_connect(racks_search *s)
{
    const ik_fabric *f = s->w->f;
    const uint32_t *rack = s->w->plan->node_rack, racks = s->w->plan->num_racks;
    memset(s->first, 0, ((size_t)racks + 1) * sizeof *s->first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t p = 0; p < f->num_ports; p++) {
            uint32_t to = ik_peer_node(f, p), from = rack[f->port_node[p]];
            if (to == IK_NONE || rack[to] == from)
                continue;
            if (pass)
                s->near[s->first[from]++] = rack[to];
            else
                s->first[from]++;
        }
        for (uint32_t r = 0, sum = 0; !pass && r <= racks; r++) {
            uint32_t count = s->first[r];
            s->first[r] = sum;
            sum += count;
        }
    }
    memmove(s->first + 1, s->first, racks * sizeof *s->first);
    s->first[0] = 0;
    racks_search_join(s);
}

/* By how much cables become longer if a rack moves; those to `other` stay as they are. */
static int64_t racks_search_change(racks_search *s, uint32_t rack, uint32_t other, uint32_t to)
{
    if (rack == IK_NONE)
        return 0;
    int64_t change = 0;
    uint32_t from = s->w->racks[rack].place;
    for (uint32_t i = s->first[rack]; i < s->first[rack + 1]; i++) {
        uint32_t at = s->w->racks[s->near[i]].place;
        if (s->near[i] != other)
            change += (int64_t)s->times[i] * ((int64_t)racks_search_distance(s, to, at) -
                                              (int64_t)racks_search_distance(s, from, at));
    }
    s->work -= s->first[rack + 1] - s->first[rack] + 1;
    return change;
}

static void racks_search_put(racks_search *s, uint32_t rack, uint32_t place)
{
    s->rack_at[place] = rack;
    if (rack != IK_NONE)
        racks_put(s->w, rack, place);
}

static bool racks_search_swap(racks_search *s, uint32_t p, uint32_t q)
{
    uint32_t a = s->rack_at[p], b = s->rack_at[q];
    if (a == b || racks_search_change(s, a, b, q) + racks_search_change(s, b, a, p) >= 0)
        return false;
    racks_search_put(s, a, q);
    racks_search_put(s, b, p);
    return true;
}

/* Neighbours first, then what is farther apart, until a whole pass changes nothing. */
static bool racks_search_racks(racks_search *s)
{
    bool any = false;
    racks_search_connect(s);
    s->work = most_work;
    for (bool again = true; again && s->work > 0;) {
        again = false;
        for (uint32_t k = 1; k < s->num_places && s->work > 0; k++) {
            for (uint32_t p = 0; p + k < s->num_places; p++)
                again |= racks_search_swap(s, p, p + k);
            if (ik_env_cancelled(s->w->env))
                return false;
        }
        any |= again;
    }
    return any;
}

/* ---- exchanging switches */

static void racks_search_trade(uint32_t *values, uint32_t a, uint32_t b)
{
    uint32_t kept = values[a];
    values[a] = values[b];
    values[b] = kept;
}

static void racks_search_trade_nodes(racks_search *s, uint32_t a, uint32_t b)
{
    racks_search_trade(s->w->plan->node_rack, a, b);
    racks_search_trade(s->w->plan->node_unit, a, b);
    racks_search_trade(s->w->height_mm, a, b);
}

static void racks_search_exchange(racks_search *s, const rack_block *a, const rack_block *b)
{
    assert(a->num_hosts == b->num_hosts);
    racks_search_trade_nodes(s, a->sw, b->sw);
    for (uint32_t i = 0; i < a->num_hosts; i++)
        racks_search_trade_nodes(s, s->w->hosts[a->first_host + i], s->w->hosts[b->first_host + i]);
}

/* Lengths of the cables of a node, but for those to block `without`. Those of its own block are
 * counted at the lower of their nodes: a host may have several cables to its switch. Where every
 * host has one, exchanges leave the sum over all of them as it is, and they are not counted. */
static uint64_t racks_search_node(racks_search *s, uint32_t node, uint32_t without)
{
    const ik_fabric *f = s->w->f;
    uint64_t sum = 0;
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
        uint32_t to = ik_peer_node(f, p);
        if (to == IK_NONE || to >= s->first_skipped || s->node_block[to] == without)
            continue;
        if (to > node || s->node_block[to] != s->node_block[node])
            sum += racks_route_mm(s->w, node, to);
    }
    s->work -= f->port_base[node + 1] - f->port_base[node];
    return sum;
}

static uint64_t racks_search_block(racks_search *s, uint32_t block, uint32_t without)
{
    const rack_block *b = &s->w->blocks[block];
    uint64_t sum = racks_search_node(s, b->sw, without);
    for (uint32_t i = 0; i < b->num_hosts; i++) {
        uint32_t host = s->w->hosts[b->first_host + i];
        if (ik_radix(s->w->f, host) > 1)
            sum += racks_search_node(s, host, without);
    }
    s->work -= b->num_hosts;
    return sum;
}

static bool racks_search_try(racks_search *s, uint32_t i, uint32_t k)
{
    const rack_block *a = &s->w->blocks[i], *b = &s->w->blocks[k];
    const uint32_t *rack = s->w->plan->node_rack;
    if (a->sw == IK_NONE || b->sw == IK_NONE || a->num_hosts != b->num_hosts ||
        rack[a->sw] == rack[b->sw])
        return false;
    uint64_t before = racks_search_block(s, i, IK_NONE) + racks_search_block(s, k, i);
    racks_search_exchange(s, a, b);
    if (racks_search_block(s, i, IK_NONE) + racks_search_block(s, k, i) < before)
        return true;
    racks_search_exchange(s, a, b);
    return false;
}

static bool racks_search_blocks(racks_search *s)
{
    bool any = false;
    s->work = most_work;
    for (bool again = true; again && s->work > 0;) {
        again = false;
        for (uint32_t k = 1; k < s->w->num_blocks && s->work > 0; k++) {
            for (uint32_t i = 0; i + k < s->w->num_blocks && s->work > 0; i++)
                again |= racks_search_try(s, i, i + k);
            if (ik_env_cancelled(s->w->env))
                return false;
        }
        any |= again;
    }
    return any;
}

/* ---- both */

static void racks_search_free(racks_search *s)
{
    free(s->rack_at);
    free(s->x);
    free(s->y);
    free(s->first);
    free(s->near);
    free(s->times);
    free(s->node_block);
}

static ik_status racks_search_begin(racks_search *s, ik_error *err)
{
    const ik_floor_plan *p = s->w->plan;
    const ik_fabric *f = s->w->f;
    const size_t places = (size_t)s->num_places + 1, ports = (size_t)f->num_ports + 1;
    s->rack_at = ik_calloc(places, sizeof *s->rack_at);
    s->x = ik_calloc(places, sizeof *s->x);
    s->y = ik_calloc(places, sizeof *s->y);
    s->first = ik_calloc((size_t)p->num_racks + 2, sizeof *s->first);
    s->near = ik_calloc(ports, sizeof *s->near);
    s->times = ik_calloc(ports, sizeof *s->times);
    s->node_block = ik_calloc((size_t)ik_num_nodes(f) + 1, sizeof *s->node_block);
    if (!s->rack_at || !s->x || !s->y || !s->first || !s->near || !s->times || !s->node_block)
        return ik_fail_memory(err, 8 * ports, "the search for a floor plan");
    memset(s->rack_at, 0xff, places * sizeof *s->rack_at);
    for (uint32_t r = 0; r < p->num_racks; r++) {
        assert(s->rack_at[s->w->racks[r].place] == IK_NONE);
        s->rack_at[s->w->racks[r].place] = r;
    }
    for (uint32_t i = 0; i < s->num_places; i++) {
        s->x[i] = (int64_t)racks_x_mm(p, i);
        s->y[i] = (int64_t)racks_y_mm(p, i);
    }
    for (uint32_t i = 0; i < s->w->num_blocks; i++) {
        const rack_block *b = &s->w->blocks[i];
        if (b->sw != IK_NONE)
            s->node_block[b->sw] = i;
        for (uint32_t k = 0; k < b->num_hosts; k++)
            s->node_block[s->w->hosts[b->first_host + k]] = i;
    }
    s->first_skipped = f->num_switches;
    for (uint32_t h = f->num_switches; h < ik_num_nodes(f); h++)
        if (ik_radix(f, h) > 1)
            s->first_skipped = IK_NONE;
    return IK_OK;
}

ik_status racks_search_all(racks_work *w, ik_error *err)
{
    racks_search s = {.w = w, .num_places = w->plan->rows * w->plan->row_racks};
    ik_status status = racks_search_begin(&s, err);
    for (int round = 0; status == IK_OK && round < ROUNDS; round++) {
        bool racks = racks_search_racks(&s), blocks = racks_search_blocks(&s);
        if (ik_env_cancelled(w->env)) {
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
            break;
        }
        if (!racks && !blocks)
            break;
    }
    racks_search_free(&s);
    return status;
}
