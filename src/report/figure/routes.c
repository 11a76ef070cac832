/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/routes.c: which links the packets to a host take, as a picture of the fabric needs
 * them: those that the results file holds of a plan (describe_routes.c), in the order of the way.
 */
#include "report/figures.h"
#include "report/report_json.h"

#include <stdlib.h>
#include <string.h>

typedef struct map_maker {
    const report_fabric *f;
    const json_t *routes;
    const figure *figure;
    ik_arena *arena;
    figure_map *map;
    size_t room;       /* of steps */
    uint32_t *reached; /* [switches] links from the source, IK_NONE = not yet */
} map_maker;

static uint32_t routes_number_at(const json_t *list, size_t i)
{
    return (uint32_t)json_integer_value(json_array_get(list, i));
}

static const json_t *routes_link_at(const report_fabric *f, size_t i)
{
    return json_array_get(json_object_get(f->drawing, "links"), i);
}

/* The nodes at both ends of a channel. */
static void routes_ends_of(const report_fabric *f, uint32_t channel, uint32_t *from, uint32_t *to)
{
    const json_t *link = routes_link_at(f, f->channel_link[channel]);
    bool first = routes_number_at(link, 0) == channel;
    *from = routes_number_at(link, first ? 1 : 4);
    *to = routes_number_at(link, first ? 4 : 1);
}

/* The switch of a host's first cable; IK_NONE: it has none. */
static uint32_t routes_switch_of(const report_fabric *f, uint64_t host)
{
    size_t links = json_array_size(json_object_get(f->drawing, "links"));
    for (size_t i = 0; i < links; i++)
        for (size_t end = 1; end <= 4; end += 3)
            if (routes_number_at(routes_link_at(f, i), end) == f->num_switches + host)
                return routes_number_at(routes_link_at(f, i), 5 - end);
    return IK_NONE;
}

/* ---- the fabric */

static ik_status routes_put_switches(map_maker *k, ik_error *err)
{
    const report_fabric *f = k->f;
    const json_t *layout = json_object_get(f->drawing, "layout"),
                 *names = json_object_get(f->drawing, "names");
    figure_map *map = k->map;
    size_t links = json_array_size(json_object_get(f->drawing, "links"));
    map->num_switches = f->num_switches;
    map->x = ik_arena_alloc(k->arena, (f->num_switches + 1) * sizeof *map->x);
    map->y = ik_arena_alloc(k->arena, (f->num_switches + 1) * sizeof *map->y);
    map->names = ik_arena_alloc(k->arena, (f->num_switches + 1) * sizeof *map->names);
    map->links = ik_arena_alloc(k->arena, (links + 1) * sizeof *map->links);
    map->ends = ik_arena_alloc(k->arena, ((size_t)f->num_hosts + 1) * sizeof *map->ends);
    if (!map->x || !map->y || !map->names || !map->links || !map->ends)
        return ik_fail_memory(err, links * sizeof *map->links, "a figure");
    for (size_t s = 0; s < f->num_switches; s++) {
        map->x[s] = json_number_value(json_array_get(json_array_get(layout, s), 0));
        map->y[s] = json_number_value(json_array_get(json_array_get(layout, s), 1));
        const char *name = json_string_value(json_array_get(names, s));
        map->names[s] = ik_arena_strdup(k->arena, name ? name : "?");
        if (!map->names[s])
            return ik_fail_memory(err, 1, "a figure");
    }
    for (size_t i = 0; i < links; i++) {
        uint32_t a = routes_number_at(routes_link_at(f, i), 1),
                 b = routes_number_at(routes_link_at(f, i), 4);
        if (a < f->num_switches && b < f->num_switches) {
            map->links[map->num_links][0] = a;
            map->links[map->num_links++][1] = b;
        }
    }
    return IK_OK;
}

/* ---- the routes */

static ik_status routes_add_step(map_maker *k, map_step step, ik_error *err)
{
    figure_map *map = k->map;
    if (map->num_steps == k->room) {
        size_t room = k->room ? 2 * k->room : 64;
        map_step *steps = ik_arena_alloc(k->arena, room * sizeof *steps);
        if (!steps)
            return ik_fail_memory(err, room * sizeof *steps, "a figure");
        for (size_t i = 0; i < map->num_steps; i++)
            steps[i] = map->steps[i];
        map->steps = steps;
        k->room = room;
    }
    map->steps[map->num_steps++] = step;
    return IK_OK;
}

/* The links of a list that leave switches at this many links from the source, which their other
 * ends are then one further from; *any: there were some. */
static ik_status routes_add_round(map_maker *k, const json_t *list, map_step step, bool *any,
                                  ik_error *err)
{
    ik_status status = IK_OK;
    *any = false;
    for (size_t i = 0; i < json_array_size(list) && status == IK_OK; i++) {
        routes_ends_of(k->f, routes_number_at(list, i), &step.sw, &step.next);
        if (step.sw >= k->f->num_switches || step.next >= k->f->num_switches ||
            k->reached[step.sw] != step.order)
            continue;
        if (k->reached[step.next] == IK_NONE)
            k->reached[step.next] = step.order + 1;
        *any = true;
        status = routes_add_step(k, step, err);
    }
    return status;
}

static ik_status routes_add_route(map_maker *k, uint32_t from, uint32_t to, ik_error *err)
{
    const json_t *of = json_object_get(k->routes, "of"),
                 *lists = json_object_get(k->routes, "lists");
    uint32_t number = routes_number_at(json_array_get(of, from), to),
             source = routes_switch_of(k->f, from);
    bool any = number > 0 && source != IK_NONE;
    ik_status status = IK_OK;
    if (source != IK_NONE)
        k->map->ends[k->map->num_ends++] = source;
    for (size_t s = 0; s < k->f->num_switches; s++)
        k->reached[s] = s == source ? 0 : IK_NONE;
    for (map_step step = {.from = from, .to = to}; any && status == IK_OK; step.order++)
        status = routes_add_round(k, json_array_get(lists, number - 1), step, &any, err);
    return status;
}

static ik_status routes_check_host(const map_maker *k, const char *key, uint64_t host,
                                   ik_error *err)
{
    if (host < k->f->num_hosts)
        return IK_OK;
    return ik_fail(err, IK_ERR_INPUT, "figure '%s', %s = %llu: the fabric has %s", k->figure->name,
                   key, (unsigned long long)host, IK_COUNT(k->f->num_hosts, "host"));
}

static ik_status routes_make_map(map_maker *k, ik_error *err)
{
    const figure *f = k->figure;
    bool all = f->from == UINT64_MAX;
    ik_status status = routes_check_host(k, "to", f->to, err);
    if (status == IK_OK && !all)
        status = routes_check_host(k, "from", f->from, err);
    if (status == IK_OK)
        status = routes_put_switches(k, err);
    uint32_t first = all ? 0 : (uint32_t)f->from, end = all ? k->f->num_hosts : first + 1;
    for (uint32_t h = first; h < end && status == IK_OK; h++)
        if (h != f->to)
            status = routes_add_route(k, h, (uint32_t)f->to, err);
    uint32_t goal = status == IK_OK ? routes_switch_of(k->f, f->to) : IK_NONE;
    if (goal != IK_NONE)
        k->map->ends[k->map->num_ends++] = goal;
    return status;
}

static ik_status routes_read_map(const report_model *m, figure_data *d, size_t curve, ik_error *err)
{
    const uint32_t *key = d->curves[curve].cells[0].key;
    size_t first = 0; /* of the points of this panel */
    while (memcmp(d->v.entries[first].key, key, sizeof d->v.entries[first].key) != 0)
        first++;
    const report_row *row = &m->rows[d->v.entries[first].point];
    const report_fabric *f = &m->fabrics[row->fabric];
    json_t *routes = NULL;
    ik_status status =
        f->drawing ? report_read_routes((report_model *)m, row->plan, &routes, err) : IK_OK;
    const char *above = json_string_value(json_object_get(routes, "above"));
    if (status == IK_OK && !json_object_get(routes, "of"))
        status = ik_fail(err, IK_ERR_INPUT,
                         "figure '%s': the results have no routes of this plan%s%.40s", d->f->name,
                         above ? ": there are too many " : "", above ? above : "");
    map_maker k = {
        .f = f, .routes = routes, .figure = d->f, .arena = &d->arena, .map = &d->maps[curve]};
    if (status == IK_OK && !(k.reached = ik_calloc(f->num_switches + 1, sizeof *k.reached)))
        status = ik_fail_memory(err, f->num_switches, "a figure");
    if (status == IK_OK)
        status = routes_make_map(&k, err);
    free(k.reached);
    json_decref(routes);
    return status;
}

ik_status figure_read_maps(const report_model *m, figure_data *d, ik_error *err)
{
    ik_status status = IK_OK;
    d->maps = ik_arena_alloc(&d->arena, (d->num_curves + 1) * sizeof *d->maps);
    if (!d->maps)
        return ik_fail_memory(err, d->num_curves * sizeof *d->maps, "a figure");
    for (size_t i = 0; i < d->num_curves && status == IK_OK; i++) {
        d->maps[i] = (figure_map){0};
        status = routes_read_map(m, d, i, err);
    }
    return status;
}
