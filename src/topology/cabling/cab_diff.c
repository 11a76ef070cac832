/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences by switches: cables that are too many between two switches and cables that are
 * missing are paired, first four that two exchanged ends explain, then as many as possible that
 * share a switch: one end of the cable moves (augmenting paths). The rest is added and removed.
 */
#include "topology/cabling/cab_diff.h"

#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Beyond so many differences pairs are taken as they come. */
enum { MOST_AUGMENTED = 3000 };

/* A cable between two switches: one that is there (port: its end at a), or one that is missing. */
typedef struct unit {
    uint32_t a, b, port;
    uint32_t partner; /* index of the unit of the other list that mends it, IK_NONE */
    bool done;
} unit;

typedef struct list {
    unit *units;
    size_t num, cap;
    uint32_t *first; /* [2 * num + 1] units by switch */
    uint32_t *base;  /* [switches + 2] where a switch's begin in `first` */
} list;

typedef struct diff {
    const ik_fabric *f;
    const cab_graph *g, *p;
    const cab_match *m;
    list extra, missing;
    bool *taken;    /* [ports of switches] a cable of a change will end here */
    bool *freed;    /* [ports of switches] the cable here goes elsewhere */
    uint32_t *seen; /* [missing.num] of the search */
    uint32_t stamp;
    ik_cabling *out;
    ik_error *err;
} diff;

ik_status cab_change_add(ik_cabling *c, ik_cable_change change, ik_error *err)
{
    assert(change.stays != IK_NONE && change.stays != change.to);
    assert((change.from == IK_NONE) == (change.work == IK_CABLE_ADD));
    assert((change.other != IK_NONE) == (change.work == IK_CABLE_SWAP));
    if (!IK_ARRAY_ROOM(c->changes, c->change_cap, c->num_changes + 1))
        return ik_fail_memory(err, 2 * c->change_cap * sizeof change, "cables to be moved");
    c->changes[c->num_changes++] = change;
    return IK_OK;
}

static ik_status cab_diff_add_unit(diff *d, list *l, uint32_t a, uint32_t b, uint32_t port)
{
    if (!IK_ARRAY_ROOM(l->units, l->cap, l->num + 1))
        return ik_fail_memory(d->err, 2 * l->cap * sizeof *l->units, "differences of cables");
    l->units[l->num++] = (unit){.a = a, .b = b, .port = port, .partner = IK_NONE};
    return IK_OK;
}

/* ---- which of several parallel cables is the wrong one */

/* Other switches of its kind whose port of this number leads to the same switch: a cable that
 * nobody's resembles is the one that was moved. */
static uint32_t cab_diff_likeness(const diff *d, uint32_t port)
{
    const ik_fabric *f = d->f;
    uint32_t sw = f->port_node[port], local = ik_port_local(f, port), far = ik_peer_node(f, port);
    uint32_t like = 0;
    for (uint32_t i = d->g->base[far]; i < d->g->base[far + 1]; i++) {
        uint32_t other = d->g->to[i];
        if (other != sw && d->g->kind[other] == d->g->kind[sw] && local < ik_radix(f, other))
            like += ik_peer_node(f, f->port_base[other] + local) == far;
    }
    return like;
}

/* The port of `a` of the least likely cable to b that is not among the extra ones yet. */
static uint32_t cab_diff_odd_cable(const diff *d, uint32_t a, uint32_t b, size_t first)
{
    uint32_t best = IK_NONE, least = UINT32_MAX;
    for (uint32_t port = d->f->port_base[a]; port < d->f->port_base[a + 1]; port++) {
        if (ik_peer_node(d->f, port) != b)
            continue;
        bool listed = false;
        for (size_t i = first; i < d->extra.num; i++)
            listed |= d->extra.units[i].port == port;
        uint32_t like = cab_diff_likeness(d, port) + cab_diff_likeness(d, d->f->port_peer[port]);
        if (!listed && like < least) {
            least = like;
            best = port;
        }
    }
    assert(best != IK_NONE); /* the graph counts as many cables as the fabric has */
    return best;
}

static ik_status cab_diff_find_extra(diff *d)
{
    const cab_graph *g = d->g;
    for (uint32_t a = 0; a < g->num; a++)
        for (uint32_t i = g->base[a]; i < g->base[a + 1]; i++) {
            uint32_t b = g->to[i], pa = d->m->plan_of[a], pb = d->m->plan_of[b];
            if (b < a || pa == IK_NONE || pb == IK_NONE)
                continue;
            size_t first = d->extra.num;
            for (uint32_t k = cab_graph_cables(d->p, pa, pb); k < g->cables[i]; k++) {
                ik_status status =
                    cab_diff_add_unit(d, &d->extra, a, b, cab_diff_odd_cable(d, a, b, first));
                if (status != IK_OK)
                    return status;
            }
        }
    return IK_OK;
}

static ik_status cab_diff_find_missing(diff *d)
{
    const cab_graph *p = d->p;
    for (uint32_t v = 0; v < p->num; v++)
        for (uint32_t i = p->base[v]; i < p->base[v + 1]; i++) {
            uint32_t w = p->to[i], a = d->m->fabric_of[v], b = d->m->fabric_of[w];
            if (w < v || a == IK_NONE || b == IK_NONE)
                continue;
            for (uint32_t k = cab_graph_cables(d->g, a, b); k < p->cables[i]; k++) {
                ik_status status = cab_diff_add_unit(d, &d->missing, a, b, IK_NONE);
                if (status != IK_OK)
                    return status;
            }
        }
    return IK_OK;
}

/* ---- units by switch */

static ik_status cab_diff_index_list(diff *d, list *l)
{
    assert(!l->base && !l->first);
    uint32_t switches = d->g->num;
    l->base = ik_calloc((size_t)switches + 2, sizeof *l->base);
    l->first = ik_calloc(2 * l->num + 1, sizeof *l->first);
    if (!l->base || !l->first)
        return ik_fail_memory(d->err, 8 * (l->num + switches), "differences of cables");
    for (size_t i = 0; i < l->num; i++) {
        l->base[l->units[i].a + 2]++;
        l->base[l->units[i].b + 2]++;
    }
    for (uint32_t sw = 0; sw < switches; sw++)
        l->base[sw + 2] += l->base[sw + 1];
    for (size_t i = 0; i < l->num; i++) {
        l->first[l->base[l->units[i].a + 1]++] = (uint32_t)i;
        l->first[l->base[l->units[i].b + 1]++] = (uint32_t)i;
    }
    return IK_OK;
}

static uint32_t cab_diff_far_of(const unit *u, uint32_t sw)
{
    assert(u->a == sw || u->b == sw);
    return u->a == sw ? u->b : u->a;
}

/* The end of an extra cable at this switch. */
static uint32_t cab_diff_end_at(const diff *d, const unit *u, uint32_t sw)
{
    assert((u->a == sw || u->b == sw) && u->port != IK_NONE);
    return u->a == sw ? u->port : d->f->port_peer[u->port];
}

/* An undone unit between two switches, NULL if there is none. */
static unit *cab_diff_between(list *l, uint32_t a, uint32_t b)
{
    for (uint32_t i = l->base[a]; i < l->base[a + 1]; i++) {
        unit *u = &l->units[l->first[i]];
        if (!u->done && cab_diff_far_of(u, a) == b)
            return u;
    }
    return NULL;
}

/* ---- two cables whose ends were exchanged: a-b and c-e are there, a-e and c-b are missing */

static ik_status cab_diff_swap_at(diff *d, unit *ab, uint32_t a, bool *found)
{
    uint32_t b = cab_diff_far_of(ab, a);
    for (uint32_t i = d->missing.base[a]; i < d->missing.base[a + 1]; i++) {
        unit *ae = &d->missing.units[d->missing.first[i]];
        uint32_t e = cab_diff_far_of(ae, a);
        for (uint32_t k = d->extra.base[e]; !ae->done && k < d->extra.base[e + 1]; k++) {
            unit *ce = &d->extra.units[d->extra.first[k]];
            uint32_t c = cab_diff_far_of(ce, e);
            unit *cb = ce->done || ce == ab || c == a ? NULL : cab_diff_between(&d->missing, c, b);
            if (!cb || cb == ae)
                continue;
            ab->done = ae->done = ce->done = cb->done = *found = true;
            return cab_change_add(d->out,
                                  (ik_cable_change){.work = IK_CABLE_SWAP,
                                                    .stays = cab_diff_end_at(d, ab, a),
                                                    .from = cab_diff_end_at(d, ab, b),
                                                    .to = cab_diff_end_at(d, ce, e),
                                                    .other = cab_diff_end_at(d, ce, c)},
                                  d->err);
        }
    }
    return IK_OK;
}

static ik_status cab_diff_find_swaps(diff *d)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < d->extra.num && status == IK_OK; i++) {
        unit *u = &d->extra.units[i];
        bool found = u->done;
        if (!found)
            status = cab_diff_swap_at(d, u, u->a, &found);
        if (!found && status == IK_OK)
            status = cab_diff_swap_at(d, u, u->b, &found);
    }
    return status;
}

/* ---- one end moves */

static bool cab_diff_augment(diff *d, uint32_t extra);

static bool cab_diff_augment_at(diff *d, uint32_t extra, uint32_t sw)
{
    for (uint32_t i = d->missing.base[sw]; i < d->missing.base[sw + 1]; i++) {
        uint32_t index = d->missing.first[i];
        unit *gap = &d->missing.units[index];
        if (gap->done || d->seen[index] == d->stamp)
            continue;
        d->seen[index] = d->stamp;
        bool many = d->extra.num > MOST_AUGMENTED;
        if (gap->partner == IK_NONE || (!many && cab_diff_augment(d, gap->partner))) {
            gap->partner = extra;
            d->extra.units[extra].partner = index;
            return true;
        }
    }
    return false;
}

static bool cab_diff_augment(diff *d, uint32_t extra)
{
    assert(extra < d->extra.num && !d->extra.units[extra].done);
    const unit *u = &d->extra.units[extra];
    return cab_diff_augment_at(d, extra, u->a) || cab_diff_augment_at(d, extra, u->b);
}

static ik_status cab_diff_pair_moves(diff *d)
{
    d->seen = ik_calloc(d->missing.num + 1, sizeof *d->seen);
    if (!d->seen)
        return ik_fail_memory(d->err, d->missing.num * 4, "differences of cables");
    for (uint32_t i = 0; i < d->extra.num; i++) {
        d->stamp++;
        if (!d->extra.units[i].done)
            cab_diff_augment(d, i);
    }
    return IK_OK;
}

/* Marks the ports that will be free: those of cables that go, and the ends that move. */
static void cab_diff_mark_freed(diff *d)
{
    for (size_t i = 0; i < d->extra.num; i++) {
        const unit *u = &d->extra.units[i];
        if (u->done)
            continue;
        uint32_t far = d->f->port_peer[u->port];
        if (u->partner == IK_NONE) {
            d->freed[u->port] = d->freed[far] = true;
            continue;
        }
        const unit *gap = &d->missing.units[u->partner];
        assert(!gap->done); /* what a swap mended has no partner */
        bool a_stays = gap->a == u->a || gap->b == u->a;
        d->freed[a_stays ? far : u->port] = true;
    }
}

/* A port of the switch that is or will be free, those that were in use first. Without one the
 * switch's first port names it and the change is blocked. */
static uint32_t cab_diff_take_port(diff *d, uint32_t sw, bool *blocked)
{
    assert(ik_radix(d->f, sw) > 0);
    const ik_fabric *f = d->f;
    uint32_t best = IK_NONE;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        if (d->taken[port] || (f->port_peer[port] != IK_NONE && !d->freed[port]))
            continue;
        if (best == IK_NONE || (d->freed[port] && !d->freed[best]))
            best = port;
    }
    if (best == IK_NONE) {
        *blocked = true;
        return f->port_base[sw];
    }
    d->taken[best] = true;
    return best;
}

static ik_status cab_diff_change_extra(diff *d, const unit *u)
{
    assert(!u->done && u->port != IK_NONE);
    uint32_t far = d->f->port_peer[u->port];
    if (u->partner == IK_NONE)
        return cab_change_add(d->out,
                              (ik_cable_change){.work = IK_CABLE_REMOVE,
                                                .stays = u->port,
                                                .from = far,
                                                .to = IK_NONE,
                                                .other = IK_NONE},
                              d->err);
    const unit *gap = &d->missing.units[u->partner];
    bool a_stays = gap->a == u->a || gap->b == u->a;
    ik_cable_change change = {.work = IK_CABLE_MOVE,
                              .stays = a_stays ? u->port : far,
                              .from = a_stays ? far : u->port,
                              .other = IK_NONE};
    change.to = cab_diff_take_port(d, cab_diff_far_of(gap, a_stays ? u->a : u->b), &change.blocked);
    return cab_change_add(d->out, change, d->err);
}

static ik_status cab_diff_emit(diff *d)
{
    ik_status status = IK_OK;
    cab_diff_mark_freed(d);
    for (size_t i = 0; i < d->extra.num && status == IK_OK; i++)
        if (!d->extra.units[i].done)
            status = cab_diff_change_extra(d, &d->extra.units[i]);
    for (size_t i = 0; i < d->missing.num && status == IK_OK; i++) {
        const unit *u = &d->missing.units[i];
        if (u->done || u->partner != IK_NONE)
            continue;
        ik_cable_change change = {.work = IK_CABLE_ADD, .from = IK_NONE, .other = IK_NONE};
        change.stays = cab_diff_take_port(d, u->a, &change.blocked);
        change.to = cab_diff_take_port(d, u->b, &change.blocked);
        status = cab_change_add(d->out, change, d->err);
    }
    return status;
}

ik_status cab_diff_switches(const ik_fabric *f, const cab_graph *g, const cab_graph *p,
                            const cab_match *m, ik_cabling *out, ik_error *err)
{
    assert(f && g && p && m && out);
    size_t ports = (size_t)f->port_base[f->num_switches] + 1;
    diff d = {.f = f, .g = g, .p = p, .m = m, .out = out, .err = err};
    d.taken = ik_calloc(ports, sizeof *d.taken);
    d.freed = ik_calloc(ports, sizeof *d.freed);
    ik_status status = d.taken && d.freed ? cab_diff_find_extra(&d)
                                          : ik_fail_memory(err, 2 * ports, "ports that are free");
    if (status == IK_OK)
        status = cab_diff_find_missing(&d);
    if (status == IK_OK)
        status = cab_diff_index_list(&d, &d.extra);
    if (status == IK_OK)
        status = cab_diff_index_list(&d, &d.missing);
    if (status == IK_OK)
        status = cab_diff_find_swaps(&d);
    if (status == IK_OK)
        status = cab_diff_pair_moves(&d);
    if (status == IK_OK)
        status = cab_diff_emit(&d);
    out->wrong = d.extra.num;
    out->missing = d.missing.num;
    free(d.taken);
    free(d.freed);
    free(d.seen);
    free(d.extra.units);
    free(d.extra.base);
    free(d.extra.first);
    free(d.missing.units);
    free(d.missing.base);
    free(d.missing.first);
    return status;
}
