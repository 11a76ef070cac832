/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `infragraph`: the network of an infrastructure of InfraGraph, in YAML or JSON.
 * A device with an adapter or accelerator, itself or in a device that it is composed of, is a
 * computer: of it, each component that an edge names is a host (host.0.nic.0). An instance of any
 * other device is a switch (leaf.0). Edges within devices are left out. O(size + links).
 */
#include "base/array.h"
#include "base/yaml/ytree.h"
#include "format/json_read.h"
#include "format/raw_graph.h"
#include "ikat/format.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INFRA_MAX_LINKS = 1000000, INFRA_MAX_PATH = 8, INFRA_MAX_NESTED = 32 };

typedef enum infra_role { INFRA_UNKNOWN, INFRA_OPEN, INFRA_SWITCH, INFRA_HOST } infra_role;

typedef struct infra_component {
    const char *name;
    uint64_t count, first_port; /* ports of its device that are in components before it */
    bool is_port, is_end, is_device;
} infra_component;

typedef struct infra_device {
    const ytree *at, *components;
    infra_role role; /* once it was asked for */
} infra_device;

/* Part of an endpoint: NAME[first, first + step, … of `count`]. */
typedef struct infra_slice {
    const char *name;
    uint64_t first, step, count;
} infra_slice;

typedef struct infra_end {
    const ytree *at;
    infra_role role;
    infra_slice part[INFRA_MAX_PATH]; /* [0]: instances; then components, from the outermost in */
    uint32_t num;
    uint64_t count; /* of all combinations */
    bool has_port;
    uint64_t first_port; /* if has_port: number of port 0 of the component, from 0 */
    bool of_instance;    /* the host, or switch, is the whole instance */
} infra_end;

typedef struct infra_reader {
    ik_arena arena;
    raw_graph g;
    name_map devices, components, instances, links, ports;
    name_map joined;            /* instances with a link, each by itself */
    infra_device *device;       /* [devices.num] */
    infra_component *component; /* [components.num] */
    size_t component_cap;
    const ytree *instance_list, *link_list, *annotations;
    /* edges within devices; links of a node to itself; ends at a port that has a cable */
    uint64_t inner, loops, shared, num_instances;
    ik_error *err;
} infra_reader;

/* ---- what the document says */

static const char *infra_text(const ytree *map, const char *key)
{
    const ytree *value = map && map->kind == YTREE_MAP ? ytree_get(map, key) : NULL;
    return value && value->kind == YTREE_SCALAR ? value->text : NULL;
}

static ik_status infra_need(infra_reader *r, const ytree *map, const char *what, const char *key,
                            const char **text)
{
    *text = infra_text(map, key);
    if (*text && **text && strlen(*text) <= 200)
        return IK_OK;
    return ytree_fail(map, r->err, "%s: expected '%s', a name of at most 200 bytes", what, key);
}

/* A list that may be missing; its items are mappings. */
static ik_status infra_list(infra_reader *r, const ytree *map, const char *key, const ytree **list)
{
    *list = ytree_get(map, key);
    if (*list && (*list)->kind == YTREE_SCALAR && !(*list)->text[0])
        *list = NULL; /* "edges:" and nothing */
    if (*list && (*list)->kind != YTREE_LIST)
        return ytree_fail(*list, r->err, "expected a list of %s, not %s", key,
                          ytree_kind_name((*list)->kind));
    for (size_t i = 0; *list && i < (*list)->num; i++)
        if ((*list)->items[i]->kind != YTREE_MAP)
            return ytree_fail((*list)->items[i], r->err, "expected a mapping in the list of %s",
                              key);
    return IK_OK;
}

static ik_status infra_count(infra_reader *r, const ytree *map, uint64_t *count)
{
    const char *text = infra_text(map, "count");
    *count = 1;
    if (text && !slice_uint(slice_of(text), INT32_MAX, count))
        return ytree_fail(ytree_get(map, "count"), r->err,
                          "count: expected a whole number up to 2147483647");
    return IK_OK;
}

/* Gives every item of a list its number by name. */
static ik_status infra_number(infra_reader *r, const ytree *list, const char *what, name_map *map)
{
    for (size_t i = 0; list && i < list->num; i++) {
        const char *name;
        bool is_new;
        ik_status status = infra_need(r, list->items[i], what, "name", &name);
        if (status != IK_OK)
            return status;
        if (name_map_add(map, slice_of(name), &is_new) == IK_NONE)
            return ik_fail_memory(r->err, 24, "names");
        if (!is_new)
            return ytree_fail(list->items[i], r->err, "there is %s '%s' twice", what, name);
    }
    return IK_OK;
}

static const char *infra_key(uint32_t device, const char *name, char key[256])
{
    snprintf(key, 256, "%" PRIu32 "/%s", device, name);
    return key;
}

static ik_status infra_add_component(infra_reader *r, uint32_t device, const ytree *at,
                                     uint64_t *ports)
{
    const char *name, *choice = infra_text(at, "choice");
    char key[256];
    bool is_new;
    infra_component c = {0};
    ik_status status = infra_need(r, at, "a component", "name", &name);
    if (status == IK_OK)
        status = infra_count(r, at, &c.count);
    if (status != IK_OK)
        return status;
    if (!choice)
        return ytree_fail(at, r->err, "component '%s': expected 'choice': port, nic, …", name);
    c.name = name;
    c.first_port = *ports;
    c.is_port = strcmp(choice, "port") == 0;
    c.is_device = strcmp(choice, "device") == 0;
    c.is_end = strcmp(choice, "nic") == 0 || strcmp(choice, "xpu") == 0;
    *ports += c.is_port ? c.count : 0;
    const char *kept = ik_arena_strdup(&r->arena, infra_key(device, name, key));
    uint32_t id = kept ? name_map_add(&r->components, slice_of(kept), &is_new) : IK_NONE;
    if (id == IK_NONE || !IK_ARRAY_ROOM(r->component, r->component_cap, (size_t)id + 1))
        return ik_fail_memory(r->err, sizeof c, "components");
    if (!is_new)
        return ytree_fail(at, r->err, "there is a component '%s' twice in its device", name);
    r->component[id] = c;
    return IK_OK;
}

static ik_status infra_read_devices(infra_reader *r, const ytree *list)
{
    ik_status status = infra_number(r, list, "a device", &r->devices);
    r->device = ik_calloc((size_t)r->devices.num + 1, sizeof *r->device);
    if (status == IK_OK && !r->device)
        status = ik_fail_memory(r->err, r->devices.num * sizeof *r->device, "devices");
    for (uint32_t i = 0; i < r->devices.num && status == IK_OK; i++) {
        infra_device *d = &r->device[i];
        const ytree *edges = NULL;
        uint64_t ports = 0;
        d->at = list->items[i];
        status = infra_list(r, d->at, "components", &d->components);
        if (status == IK_OK)
            status = infra_list(r, d->at, "edges", &edges);
        r->inner += edges ? edges->num : 0;
        for (size_t c = 0; status == IK_OK && d->components && c < d->components->num; c++)
            status = infra_add_component(r, i, d->components->items[c], &ports);
    }
    return status;
}

static infra_component *infra_component_of(const infra_reader *r, uint32_t device, const char *name)
{
    char key[256];
    if (strlen(name) > 200)
        return NULL;
    uint32_t id = name_map_find(&r->components, slice_of(infra_key(device, name, key)));
    return id == IK_NONE ? NULL : &r->component[id];
}

/* Computer or switch; a device in `nested` others. */
static ik_status infra_find_role(infra_reader *r, uint32_t device, unsigned nested)
{
    infra_device *d = &r->device[device];
    infra_role role = INFRA_SWITCH;
    if (d->role == INFRA_OPEN || nested > INFRA_MAX_NESTED)
        return ytree_fail(d->at, r->err,
                          "devices are composed of each other without end, or more than %d deep",
                          INFRA_MAX_NESTED);
    if (d->role != INFRA_UNKNOWN)
        return IK_OK;
    d->role = INFRA_OPEN;
    for (size_t i = 0; d->components && i < d->components->num; i++) {
        const char *name = infra_text(d->components->items[i], "name");
        const infra_component *c = infra_component_of(r, device, name);
        uint32_t inner = c->is_device ? name_map_find(&r->devices, slice_of(name)) : IK_NONE;
        if (c->is_device && inner == IK_NONE)
            return ytree_fail(d->components->items[i], r->err,
                              "component '%s' is a device that is not in the list of devices",
                              name);
        ik_status status = c->is_device ? infra_find_role(r, inner, nested + 1) : IK_OK;
        if (status != IK_OK)
            return status;
        if (c->is_end || (c->is_device && r->device[inner].role == INFRA_HOST))
            role = INFRA_HOST;
    }
    d->role = role;
    return IK_OK;
}

/* ---- endpoints */

/* NAME, NAME[3], NAME[1:5:2] …; indices are below `count`. */
static ik_status infra_slice_of(infra_reader *r, const ytree *at, const char *text, uint64_t count,
                                infra_slice *out)
{
    const char *open = strchr(text, '[');
    uint64_t number[3] = {0, count, 1};
    unsigned pieces = 0;
    for (const char *from = open ? open + 1 : "]"; open && pieces < 3; pieces++) {
        size_t length = strcspn(from, ":]");
        if (length && !slice_uint((slice){from, length}, INT32_MAX, &number[pieces]))
            break;
        from += length;
        if (*from == ']' && from[1] == '\0') {
            if (pieces == 0 && length)
                number[1] = number[0] + 1;
            if (number[0] >= number[1] || number[1] > count || !number[2] || (!pieces && !length))
                break;
            open = NULL; /* done */
        } else if (*from != ':')
            break;
        from++;
    }
    if (open || !count)
        return ytree_fail(at, r->err,
                          "'%.60s': expected NAME, NAME[INDEX] or NAME[FIRST:END:STEP] with "
                          "indices from 0 to %" PRIu64,
                          text, count ? count - 1 : 0);
    *out = (infra_slice){out->name, number[0], number[2],
                         (number[1] - number[0] + number[2] - 1) / number[2]};
    return IK_OK;
}

static ik_status infra_add_part(infra_reader *r, infra_end *end, const ytree *at, const char *text,
                                uint64_t count)
{
    infra_slice *part = &end->part[end->num];
    part->name = ik_arena_printf(&r->arena, "%.*s", (int)strcspn(text, "["), text);
    if (!part->name)
        return ik_fail_memory(r->err, strlen(text), "names");
    ik_status status = infra_slice_of(r, at, text, count, part);
    if (status != IK_OK)
        return status;
    end->count = end->count > UINT32_MAX ? end->count : end->count * part->count;
    end->num++;
    return IK_OK;
}

/* The components of an end, "nic[0]" or "cx5[0:2].port[0]", within a device. */
static ik_status infra_read_path(infra_reader *r, infra_end *end, const ytree *at, uint32_t device)
{
    char text[256];
    const char *path = at->text;
    for (;;) {
        size_t length = strcspn(path, ".");
        if (length == 0 || length >= sizeof text || end->num == INFRA_MAX_PATH)
            return ytree_fail(at, r->err, "expected a component, or up to %d with '.' between them",
                              INFRA_MAX_PATH - 1);
        memcpy(text, path, length);
        text[length] = '\0';
        char *bracket = text + strcspn(text, "["), kept = *bracket;
        *bracket = '\0';
        const infra_component *c = device == IK_NONE ? NULL : infra_component_of(r, device, text);
        if (!c)
            return ytree_fail(at, r->err, "there is no component '%s' in the device%s%s", text,
                              device == IK_NONE ? "" : " ",
                              device == IK_NONE ? "" : infra_text(r->device[device].at, "name"));
        *bracket = kept;
        ik_status status = infra_add_part(r, end, at, text, c->count);
        if (status != IK_OK)
            return status;
        if (end->num == 2) {
            end->has_port = c->is_port;
            end->first_port = c->first_port;
        }
        device = c->is_device ? name_map_find(&r->devices, slice_of(c->name)) : IK_NONE;
        path += length;
        if (*path++ == '\0')
            return IK_OK;
    }
}

static ik_status infra_read_end(infra_reader *r, const ytree *edge, const char *side,
                                infra_end *end)
{
    const ytree *map = ytree_get(edge, side);
    const char *instance = infra_text(map, "instance"), *name;
    const ytree *path = map && map->kind == YTREE_MAP ? ytree_get(map, "component") : NULL;
    *end = (infra_end){.at = map, .count = 1};
    if (!instance || !path || path->kind != YTREE_SCALAR)
        return ytree_fail(map ? map : edge, r->err,
                          "expected %s: {instance: NAME[…], component: NAME[…]}", side);
    uint32_t id = name_map_find(&r->instances, (slice){instance, strcspn(instance, "[")});
    if (id == IK_NONE)
        return ytree_fail(map, r->err, "there is no instance '%.80s'", instance);
    const ytree *of = r->instance_list->items[id];
    uint64_t count;
    ik_status status = infra_need(r, of, "an instance", "device", &name);
    uint32_t device = status == IK_OK ? name_map_find(&r->devices, slice_of(name)) : IK_NONE;
    if (status == IK_OK && device == IK_NONE)
        return ytree_fail(of, r->err, "there is no device '%s'", name);
    if (status == IK_OK)
        status = infra_count(r, of, &count);
    if (status == IK_OK)
        status = infra_find_role(r, device, 0);
    if (status == IK_OK)
        status = infra_add_part(r, end, map, instance, count);
    if (status == IK_OK)
        status = infra_read_path(r, end, path, device);
    if (status != IK_OK)
        return status;
    end->role = r->device[device].role;
    end->of_instance = end->role == INFRA_SWITCH || end->has_port;
    return IK_OK;
}

/* ---- links */

/* The i-th combination: its node, and its port, 0 = any. */
static ik_status infra_place(infra_reader *r, const infra_end *end, uint64_t i, uint32_t *node,
                             uint32_t *port)
{
    uint64_t index[INFRA_MAX_PATH];
    char key[96 + 2 * 256]; /* the name behind its first part's length: names may have dots */
    bool is_new;
    for (uint32_t p = end->num; p-- > 0; i /= end->part[p].count)
        index[p] = end->part[p].first + i % end->part[p].count * end->part[p].step;
    int used = snprintf(key, sizeof key, "%zu:%s.%" PRIu64, strlen(end->part[0].name),
                        end->part[0].name, index[0]);
    if (!end->of_instance)
        snprintf(key + used, sizeof key - (size_t)used, ".%s.%" PRIu64, end->part[1].name,
                 index[1]);
    const char *kept = ik_arena_strdup(&r->arena, key);
    *node = kept ? raw_graph_node(&r->g, slice_of(kept), r->err) : IK_NONE;
    if (*node == IK_NONE ||
        name_map_add(&r->joined, (slice){kept, (size_t)used}, &is_new) == IK_NONE)
        return ik_fail_memory(r->err, sizeof key, "names of nodes");
    r->g.nodes[*node].is_host = end->role == INFRA_HOST;
    r->g.nodes[*node].name = slice_of(strchr(kept, ':') + 1);
    *port = 0;
    if (!end->has_port || end->first_port + index[1] >= UINT16_MAX)
        return IK_OK;
    *port = (uint32_t)(end->first_port + index[1]) + 1;
    kept = ik_arena_printf(&r->arena, "%" PRIu32 "/%" PRIu32, *node, *port);
    if (!kept || name_map_add(&r->ports, slice_of(kept), &is_new) == IK_NONE)
        return ik_fail_memory(r->err, 24, "names of ports");
    if (!is_new)
        *port = 0;
    r->shared += !is_new;
    return IK_OK;
}

/* A value of "bandwidth" or "latency" in this unit, NAN if it is no number; NULL if not said. */
static const char *infra_value(const ytree *physical, const char *what, const char *unit,
                               double *value)
{
    const ytree *of = physical && physical->kind == YTREE_MAP ? ytree_get(physical, what) : NULL;
    const char *text = infra_text(of, unit);
    char *end = NULL;
    *value = text ? strtod(text, &end) : 0;
    *value = end && (end == text || *end) ? (double)NAN : *value;
    return text && *text && strcmp(text, "null") != 0 ? text : NULL;
}

/* Rate and latency of a link by its name. */
static ik_status infra_physical(infra_reader *r, const ytree *edge, raw_link *link)
{
    static const struct {
        const char *what, *unit;
        double scale; /* to bit/s and ps */
    } units[] = {{"bandwidth", "gigabits_per_second", 1e9},
                 {"bandwidth", "gigabytes_per_second", 8e9},
                 {"latency", "ns", 1e3},
                 {"latency", "us", 1e6},
                 {"latency", "ms", 1e9}};
    const char *name = infra_text(edge, "link");
    uint32_t id = name ? name_map_find(&r->links, slice_of(name)) : IK_NONE;
    if (id == IK_NONE)
        return ytree_fail(edge, r->err, "expected link: a name from the list of links");
    const ytree *at = r->link_list->items[id], *physical = ytree_get(at, "physical");
    link->name = slice_of(name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value;
        const char *said = infra_value(physical, units[i].what, units[i].unit, &value);
        if (!said)
            continue;
        double scaled = value * units[i].scale;
        bool rate = i < 2;
        if (rate ? !(scaled >= 1 && scaled <= (double)RAW_MAX_RATE_BPS)
                 : !(scaled >= 0 && scaled <= 1e15))
            return ytree_fail(at, r->err, "link '%s': %s: %.40s is no possible %s", name,
                              units[i].unit, said, units[i].what);
        if (rate)
            link->rate_bps = (uint64_t)llround(scaled);
        else
            link->latency_ps = (uint64_t)llround(scaled);
        link->has_latency = link->has_latency || !rate;
    }
    return IK_OK;
}

static ik_status infra_add_link(infra_reader *r, const infra_end ends[2], uint64_t i, uint64_t j,
                                const raw_link *like)
{
    uint32_t a, b, pa, pb;
    ik_status status = infra_place(r, &ends[0], i, &a, &pa);
    if (status == IK_OK)
        status = infra_place(r, &ends[1], j, &b, &pb);
    if (status != IK_OK)
        return status;
    if (r->g.num_links + r->loops >= INFRA_MAX_LINKS)
        return ytree_fail(ends[0].at, r->err, "with this edge there are more than %d links",
                          INFRA_MAX_LINKS);
    if (a == b) {
        r->loops++;
        return IK_OK;
    }
    raw_link *link = raw_graph_link(&r->g, a, b, ends[0].at->line, r->err);
    if (!link)
        return IK_ERR_MEMORY;
    link->pa = pa;
    link->pb = pb;
    link->rate_bps = like->rate_bps;
    link->latency_ps = like->latency_ps;
    link->has_latency = like->has_latency;
    link->name = like->name;
    return IK_OK;
}

static ik_status infra_read_edge(infra_reader *r, const ytree *edge)
{
    infra_end ends[2];
    raw_link like = {0};
    const char *scheme = infra_text(edge, "scheme");
    bool many = scheme && strcmp(scheme, "many2many") == 0;
    ik_status status = infra_read_end(r, edge, "ep1", &ends[0]);
    if (status == IK_OK)
        status = infra_read_end(r, edge, "ep2", &ends[1]);
    if (status == IK_OK)
        status = infra_physical(r, edge, &like);
    if (status == IK_OK && !many && (!scheme || strcmp(scheme, "one2one") != 0))
        return ytree_fail(edge, r->err, "expected scheme: one2one or many2many");
    uint64_t a = ends[0].count, b = ends[1].count;
    uint64_t left = many || a < b ? a : b;
    for (uint64_t i = 0; i < left && status == IK_OK; i++)
        for (uint64_t j = many ? 0 : i; j < (many ? b : i + 1) && status == IK_OK; j++)
            status = infra_add_link(r, ends, i, j, &like);
    return status;
}

/* ---- the whole file */

static void infra_report(const infra_reader *r, const ytree *root, ik_builder *b)
{
    static const char *const known[] = {"name",  "description", "devices", "links",
                                        "edges", "instances",   NULL};
    uint64_t unknown = 0, annotated = 0;
    const char *first = "";
    for (size_t i = 0; i < root->num; i++) {
        size_t k = 0;
        while (known[k] && strcmp(root->keys[i]->text, known[k]) != 0)
            k++;
        first = !known[k] && !unknown ? root->keys[i]->text : first;
        unknown += !known[k];
    }
    for (size_t i = 0; r->annotations && i < r->annotations->num; i++)
        annotated += r->annotations->items[i]->num;
    uint64_t alone = r->num_instances - r->joined.num;
    if (alone)
        ik_builder_finding(b, IK_NOTE, "unjoined-instances", NULL, "%s without an edge %s left out",
                           IK_COUNT(alone, "instance"), alone == 1 ? "is" : "are");
    if (r->inner)
        ik_builder_finding(b, IK_NOTE, "inner-links", NULL,
                           "%s within devices (%s) left out: only what joins instances is the "
                           "network",
                           IK_COUNT(r->inner, "edge"), r->inner == 1 ? "is" : "are");
    if (r->loops)
        ik_builder_finding(b, IK_NOTE, "loops", NULL, "%s from a node to itself %s left out",
                           IK_COUNT(r->loops, "link"), r->loops == 1 ? "is" : "are");
    if (r->shared)
        ik_builder_finding(b, IK_WARNING, "shared-port", NULL,
                           "%s at a port that has a cable: %s another port here",
                           IK_COUNT(r->shared, "end"), r->shared == 1 ? "it has" : "they have");
    if (unknown)
        ik_builder_finding(
            b, IK_NOTE, "unread-sections", NULL,
            "%s of the infrastructure %s not known and not read, the first is '%.60s'",
            IK_COUNT(unknown, "section"), unknown == 1 ? "is" : "are", first);
    if (annotated)
        ik_builder_finding(b, IK_NOTE, "unread-annotations", NULL, "%s %s not read",
                           IK_COUNT(annotated, "annotation"), annotated == 1 ? "is" : "are");
}

/* The infrastructure, below what the service writes around it. */
static const ytree *infra_root(infra_reader *r, const ytree *root)
{
    for (const char *const *key = (const char *const[]){"infragraph", "infrastructure", NULL}; *key;
         key++) {
        const ytree *inner = root->kind == YTREE_MAP ? ytree_get(root, *key) : NULL;
        const ytree *said = root->kind == YTREE_MAP ? ytree_get(root, "annotations") : NULL;
        r->annotations = said && said->kind == YTREE_MAP ? said : r->annotations;
        root = inner ? inner : root;
    }
    return root;
}

static ik_status infra_read_root(infra_reader *r, const ytree *root, ik_builder *b)
{
    const ytree *devices = NULL, *edges = NULL;
    if (root->kind != YTREE_MAP || !ytree_get(root, "edges") || ytree_get(root, "components")) {
        ytree_fail(root, r->err, "this is no infrastructure%s",
                   root->kind == YTREE_MAP && ytree_get(root, "components") ? ", but a device"
                                                                            : "");
        return ik_hint(r->err, IK_ERR_INPUT,
                       "expected an infrastructure: devices, links, instances and edges");
    }
    ik_status status = infra_list(r, root, "devices", &devices);
    if (status == IK_OK)
        status = infra_list(r, root, "instances", &r->instance_list);
    if (status == IK_OK)
        status = infra_list(r, root, "links", &r->link_list);
    if (status == IK_OK)
        status = infra_list(r, root, "edges", &edges);
    if (status == IK_OK)
        status = infra_read_devices(r, devices);
    if (status == IK_OK)
        status = infra_number(r, r->instance_list, "an instance", &r->instances);
    if (status == IK_OK)
        status = infra_number(r, r->link_list, "a link", &r->links);
    for (uint32_t i = 0; i < r->instances.num && status == IK_OK; i++) {
        uint64_t count;
        status = infra_count(r, r->instance_list->items[i], &count);
        r->num_instances += count;
    }
    for (size_t i = 0; edges && i < edges->num && status == IK_OK; i++)
        status = infra_read_edge(r, edges->items[i]);
    if (status == IK_OK)
        infra_report(r, root, b);
    return status == IK_OK ? raw_graph_build(&r->g, b, r->err) : status;
}

static ik_status infra_read(const char *text, size_t size, const char *file, ik_builder *b,
                            ik_error *err)
{
    infra_reader r = {.g = {.file = file, .text_size = size}, .err = err};
    ik_arena tree = {0};
    ytree *root = NULL;
    ik_status status = ytree_parse(text, size, file, &tree, &root, err);
    if (status == IK_OK)
        status = infra_read_root(&r, infra_root(&r, root), b);
    raw_graph_free(&r.g);
    name_map *maps[] = {&r.devices, &r.components, &r.instances, &r.links, &r.ports, &r.joined};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        name_map_free(maps[i]);
    free(r.device);
    free(r.component);
    ik_arena_free(&r.arena);
    ik_arena_free(&tree);
    return status;
}

static unsigned infra_probe(const char *text, size_t size)
{
    bool ends = json_mentions(text, size, "ep1") && json_mentions(text, size, "component");
    return ends && (json_mentions(text, size, "components") ||
                    json_mentions(text, size, "instance"))
               ? 85
               : 0;
}

static const char *const extensions[] = {"yaml", "yml", "json", NULL};

const ik_format ik_format_infragraph = {
    .name = "infragraph",
    .summary = "the network of an infrastructure of InfraGraph, as ASTRA-sim 3 takes it",
    .source = "InfraGraph, https://infragraph.dev, schema of 2026",
    .extensions = extensions,
    .probe = infra_probe,
    .read = infra_read,
};
