/* SPDX-License-Identifier: Apache-2.0
 *
 * floor_plan.c: makes a floor plan, and measures its cables. A cable in one rack is as long as its
 * ends are apart; any other goes up to the tray, along the row and across the rows, and down; both
 * have slack. All lengths are whole millimetres, and the same from both ends.
 */
#include "topology/racks/racks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* 1 U is 44.45 mm. */
static uint64_t floor_units_mm(uint64_t half_units)
{
    return half_units * 4445 / 200;
}

/* Height of a node's middle. */
static uint64_t floor_height_mm(const ik_floor_plan *p, bool is_switch, uint32_t node)
{
    uint32_t units = is_switch ? p->planes * p->rules.switch_units : p->rules.host_units;
    return floor_units_mm(2 * (uint64_t)(p->node_unit[node] - 1) + units);
}

typedef struct floor_end {
    uint32_t rack;
    uint64_t x_mm, y_mm, height_mm;
} floor_end;

/* Twice from the floor to the trays, and the slack. */
static uint64_t floor_across_mm(const ik_floor_rules *rules)
{
    return 2 * (floor_units_mm(2 * (uint64_t)rules->rack_units) + rules->tray_mm) + rules->slack_mm;
}

static uint64_t floor_length_mm(const ik_floor_rules *rules, const floor_end *a, const floor_end *b)
{
    if (a->rack == b->rack)
        return racks_apart(a->height_mm, b->height_mm) + rules->slack_mm;
    return floor_across_mm(rules) - a->height_mm - b->height_mm + racks_apart(a->x_mm, b->x_mm) +
           racks_apart(a->y_mm, b->y_mm);
}

static floor_end floor_end_of(const ik_floor_plan *plan, const ik_fabric *f, uint32_t node)
{
    const ik_rack *rack = &plan->racks[plan->node_rack[node]];
    return (floor_end){plan->node_rack[node], (uint64_t)rack->column * plan->rules.rack_width_mm,
                       (uint64_t)rack->row * plan->rules.row_pitch_mm,
                       floor_height_mm(plan, ik_is_switch(f, node), node)};
}

uint64_t ik_floor_route_mm(const ik_floor_plan *plan, const ik_fabric *f, uint32_t port)
{
    assert(port < f->num_ports && f->port_peer[port] != IK_NONE);
    const floor_end ends[2] = {floor_end_of(plan, f, f->port_node[port]),
                               floor_end_of(plan, f, ik_peer_node(f, port))};
    return floor_length_mm(&plan->rules, &ends[0], &ends[1]);
}

uint64_t ik_floor_cable_mm(const ik_floor_plan *plan, const ik_fabric *f, uint32_t port)
{
    uint64_t exact = ik_floor_route_mm(plan, f, port), step = plan->rules.step_mm;
    return exact == 0 ? step : (exact + step - 1) / step * step;
}

ik_cable_kind ik_floor_cable_kind(const ik_floor_plan *plan, uint64_t cable_mm)
{
    return cable_mm <= plan->rules.copper_mm ? IK_CABLE_COPPER : IK_CABLE_OPTICAL;
}

char *ik_rack_name(const ik_rack *rack, char *buffer, size_t size)
{
    snprintf(buffer, size, "r%uc%u", rack->row + 1, rack->column + 1);
    return buffer;
}

/* ---- making */

uint64_t racks_route_all(const racks_work *w)
{
    const ik_fabric *f = w->f;
    uint64_t sum = 0;
    for (uint32_t p = 0; p < f->num_ports; p++)
        if (f->port_peer[p] != IK_NONE && f->port_peer[p] > p)
            sum += racks_route_mm(w, f->port_node[p], ik_peer_node(f, p));
    return sum;
}

static int floor_compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b; /* place, rack */
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* Racks in the order of their places, in the plan that is handed out. */
static ik_status floor_sort_racks(racks_work *w, ik_error *err)
{
    ik_floor_plan *p = w->plan;
    uint32_t *order = ik_calloc(2 * (size_t)p->num_racks + 1, sizeof *order);
    uint32_t *now = ik_calloc((size_t)p->num_racks + 1, sizeof *now);
    p->racks = ik_calloc((size_t)p->num_racks + 1, sizeof *p->racks);
    ik_status status =
        order && now && p->racks ? IK_OK : ik_fail_memory(err, p->num_racks, "racks");
    for (uint32_t r = 0; status == IK_OK && r < p->num_racks; r++) {
        order[2 * r] = w->racks[r].place;
        order[2 * r + 1] = r;
    }
    if (status == IK_OK)
        qsort(order, p->num_racks, 2 * sizeof *order, floor_compare);
    for (uint32_t i = 0; status == IK_OK && i < p->num_racks; i++) {
        const rack_filled *from = &w->racks[order[2 * i + 1]];
        now[order[2 * i + 1]] = i;
        p->racks[i] =
            (ik_rack){from->place / p->row_racks, from->place % p->row_racks, from->switches,
                      from->hosts, p->rules.rack_units - (from->high + 1 - from->low)};
    }
    for (uint32_t node = 0; status == IK_OK && node < ik_num_nodes(w->f); node++)
        p->node_rack[node] = now[p->node_rack[node]];
    free(order);
    free(now);
    return status;
}

static void floor_count_cables(ik_floor_plan *p, const ik_fabric *f)
{
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE || f->port_peer[port] < port)
            continue;
        uint64_t mm = ik_floor_cable_mm(p, f, port);
        ik_cable_kind kind = ik_floor_cable_kind(p, mm);
        p->cables[kind] += p->planes;
        p->length_mm[kind] += p->planes * mm;
        p->longest_mm = mm > p->longest_mm ? mm : p->longest_mm;
        if (p->node_rack[f->port_node[port]] == p->node_rack[ik_peer_node(f, port)])
            p->inside_racks += p->planes;
    }
}

/* Heights of all nodes, which have their units now. */
static ik_status floor_raise(racks_work *w, ik_error *err)
{
    const uint32_t nodes = ik_num_nodes(w->f);
    w->height_mm = ik_calloc((size_t)nodes + 1, sizeof *w->height_mm);
    if (!w->height_mm)
        return ik_fail_memory(err, nodes * sizeof *w->height_mm, "a floor plan");
    for (uint32_t i = 0; i < nodes; i++)
        w->height_mm[i] = (uint32_t)floor_height_mm(w->plan, ik_is_switch(w->f, i), i);
    w->across_mm = floor_across_mm(&w->plan->rules);
    return IK_OK;
}

static ik_status floor_stand(racks_work *w, ik_error *err)
{
    ik_status status = racks_order_blocks(w, err);
    if (status == IK_OK)
        status = racks_fill_all(w, err);
    if (status == IK_OK)
        status = floor_raise(w, err);
    if (status == IK_OK)
        status = racks_place_all(w, err);
    if (status != IK_OK)
        return status;
    w->plan->first_mm = racks_route_all(w);
    status = racks_search_all(w, err);
    if (status != IK_OK)
        return status;
    w->plan->found_mm = racks_route_all(w);
    assert(w->plan->found_mm <= w->plan->first_mm);
    status = floor_sort_racks(w, err);
    if (status == IK_OK)
        floor_count_cables(w->plan, w->f);
    return status;
}

ik_status ik_floor_plan_make(const ik_fabric *f, const ik_floor_rules *rules, uint32_t planes,
                             const ik_env *env, ik_floor_plan **out, ik_error *err)
{
    assert(f && rules && planes >= 1);
    const size_t nodes = (size_t)ik_num_nodes(f) + 1;
    ik_floor_plan *plan = ik_calloc(1, sizeof *plan);
    if (!plan)
        return ik_fail_memory(err, sizeof *plan, "a floor plan");
    *plan = (ik_floor_plan){.rules = *rules,
                            .num_switches = f->num_switches,
                            .num_hosts = f->num_hosts,
                            .planes = planes};
    plan->node_rack = ik_calloc(nodes, sizeof *plan->node_rack);
    plan->node_unit = ik_calloc(nodes, sizeof *plan->node_unit);
    racks_work w = {.f = f, .env = env, .plan = plan};
    ik_status status = plan->node_rack && plan->node_unit
                           ? floor_stand(&w, err)
                           : ik_fail_memory(err, 2 * nodes * sizeof(uint32_t), "a floor plan");
    free(w.blocks);
    free(w.hosts);
    free(w.racks);
    free(w.height_mm);
    if (status == IK_OK)
        *out = plan;
    else
        ik_floor_plan_free(plan);
    return status;
}

void ik_floor_plan_free(ik_floor_plan *plan)
{
    if (!plan)
        return;
    free(plan->racks);
    free(plan->node_rack);
    free(plan->node_unit);
    free(plan);
}
