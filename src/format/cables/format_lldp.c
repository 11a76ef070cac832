/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `lldp`: the neighbours that switches and hosts see by LLDP, one JSON object with a member
 * per device, which is what `lldpctl -f json` (or json0) prints there:
 *
 *     {"leaf01": {"lldp": {"interface": [{"swp1": {"chassis": {"spine01": {...}}, "port": ...}}]}}}
 *
 * Plans of cabling for Cumulus' PTM are graphs of Graphviz: format `dot`. O(size).
 */
#include "format/devices.h"
#include "format/json_read.h"
#include "ikat/format.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct lldp_reader {
    raw_graph g;
    const json_t *root;
    json_t *short_names; /* in small letters, without domain: the member of the root, or null */
    json_t *seen;        /* the members of the root that are neighbours */
    uint64_t nameless;
    ik_error why;
} lldp_reader;

/* Where json0 has a list of one. */
static const json_t *lldp_only(const json_t *value)
{
    return json_is_array(value) ? json_array_get(value, 0) : value;
}

/* A text of json, or of json0: [{"value": "swp1"}]. */
static const char *lldp_value(const json_t *object, const char *name)
{
    const json_t *value = lldp_only(json_object_get(object, name));
    return json_is_string(value) ? json_string_value(value)
                                 : json_string_value(json_object_get(value, "value"));
}

/* A neighbour that says that it is a station, and neither a bridge nor a router, is a host. One
 * that forwards need not be a switch: containers make bridges of servers. */
static const char *lldp_role(const json_t *chassis)
{
    const json_t *list = json_object_get(chassis, "capability");
    bool station = false, forwards = false;
    for (size_t i = 0; i < (json_is_array(list) ? json_array_size(list) : 1); i++) {
        const json_t *one = json_is_array(list) ? json_array_get(list, i) : list;
        const char *type = json_string_value(json_object_get(one, "type"));
        if (!type || !json_is_true(json_object_get(one, "enabled")))
            continue;
        station = station || strcmp(type, "Station") == 0;
        forwards = forwards || strcmp(type, "Bridge") == 0 || strcmp(type, "Router") == 0;
    }
    return forwards ? "bridge" : station ? "station" : NULL;
}

typedef struct lldp_short {
    char text[257];
} lldp_short;

static lldp_short lldp_short_of(const char *name)
{
    lldp_short first = {""};
    for (size_t i = 0; i < sizeof first.text - 1 && name[i] && name[i] != '.'; i++)
        first.text[i] = (char)tolower((unsigned char)name[i]);
    return first;
}

static ik_status lldp_shorten_names(lldp_reader *r, json_t *root)
{
    bool ok = (r->short_names = json_object()) && (r->seen = json_object());
    for (void *i = json_object_iter(root); i && ok; i = json_object_iter_next(root, i)) {
        lldp_short first = lldp_short_of(json_object_iter_key(i));
        bool twice = json_object_get(r->short_names, first.text);
        json_t *key = twice ? json_null() : json_string(json_object_iter_key(i));
        ok = json_object_set_new(r->short_names, first.text, key) == 0;
    }
    return ok ? IK_OK : ik_fail_memory(&r->why, 256, "names of devices");
}

/* The name of a device in this file. Capitals do not count, nor does a domain that only one of the
 * names has: Leaf01.example.com is leaf01 if that has neighbours here. */
static slice lldp_device(lldp_reader *r, const char *name)
{
    if (!name)
        return (slice){0};
    const char *key =
        json_object_get(r->root, name)
            ? name
            : json_string_value(json_object_get(r->short_names, lldp_short_of(name).text));
    if (!key || (strchr(key, '.') && strchr(name, '.') && strcasecmp(key, name) != 0))
        return slice_of(name);
    if (json_object_set_new(r->seen, key, json_true()) != 0)
        ik_fail_memory(&r->why, 256, "names of devices");
    return slice_of(key);
}

/* What may be wrong with names in a file that is well formed. */
static void lldp_report(const lldp_reader *r, ik_builder *b)
{
    size_t members = json_object_size(r->root), seen = json_object_size(r->seen);
    if (members > seen && members > 1)
        ik_builder_finding(b, IK_NOTE, "neighbour-names", NULL,
                           "no neighbour of another: %zu of %s of the file; each must have the "
                           "name that it gives itself by LLDP",
                           members - seen, IK_COUNT(members, "device"));
    if (r->nameless)
        ik_builder_finding(b, IK_NOTE, "neighbour-names", NULL,
                           "%s no name; each address is taken for a device",
                           IK_COUNT(r->nameless, "neighbour has|neighbours have"));
}

/* What interface `port` of a device sees. Neighbours of other protocols are taken, too. */
static ik_status lldp_take(lldp_reader *r, const char *device, const char *port, const json_t *seen)
{
    const json_t *chassis = lldp_only(json_object_get(seen, "chassis")),
                 *far = lldp_only(json_object_get(seen, "port"));
    const json_t *id = lldp_only(json_object_get(far, "id"));
    const char *type = json_string_value(json_object_get(id, "type")), *name = NULL;
    if (json_object_get(chassis, "id")) { /* json0, or a chassis without a name */
        name = lldp_value(chassis, "name");
        r->nameless += !name;
        name = name ? name : lldp_value(chassis, "id");
    } else if (json_object_size(chassis) == 1) {
        name = json_object_iter_key(json_object_iter((json_t *)chassis));
        chassis = json_object_get(chassis, name);
    }
    const char *far_port = lldp_value(far, "id"), *described = lldp_value(far, "descr");
    if (described && type && strcmp(type, "ifname") != 0)
        far_port = described;
    device_end near = {.device = slice_of(device), .port = slice_of(port)},
               end = {.device = lldp_device(r, name),
                      .port = slice_of(far_port),
                      .role = slice_of(lldp_role(chassis))};
    if (!end.device.length || !end.port.length) {
        ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, 0, 0,
                   "interface '%.80s' of '%.80s' has a neighbour without a name or a port", port,
                   device);
        return ik_hint(&r->why, IK_ERR_INPUT,
                       "expected \"chassis\": {\"NAME\": {...}}, \"port\": "
                       "{\"id\": {\"type\": \"ifname\", \"value\": ...}}");
    }
    return r->why.status != IK_OK ? r->why.status : devices_cable(&r->g, &near, &end, 0, &r->why);
}

/* One interface, by its name: {"swp1": {...}}, or {"name": "swp1", ...} of json0. */
static ik_status lldp_read_interface(lldp_reader *r, const char *device, const json_t *interface)
{
    const char *name = json_string_value(json_object_get(interface, "name"));
    ik_status status = IK_OK;
    if (name)
        return lldp_take(r, device, name, interface);
    if (interface && !json_is_object(interface))
        return ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, 0, 0,
                          "an interface of '%.80s' is no object: expected {\"swp1\": {...}}",
                          device);
    for (void *i = json_object_iter((json_t *)interface); i && status == IK_OK;
         i = json_object_iter_next((json_t *)interface, i))
        status = lldp_take(r, device, json_object_iter_key(i), json_object_iter_value(i));
    return status;
}

static ik_status lldp_read_device(lldp_reader *r, const char *device, const json_t *value)
{
    const json_t *lldp = lldp_only(json_object_get(value, "lldp")),
                 *list = json_object_get(lldp, "interface");
    ik_status status = IK_OK;
    if (!json_is_object(lldp)) {
        ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, 0, 0,
                   "'%.80s' has no neighbours: expected {\"lldp\": {\"interface\": ...}}", device);
        return ik_hint(&r->why, IK_ERR_INPUT,
                       "each member of the file is a device's name and what 'lldpctl -f json' "
                       "prints there");
    }
    if (!json_is_array(list))
        return lldp_read_interface(r, device, list);
    for (size_t i = 0; i < json_array_size(list) && status == IK_OK; i++)
        status = lldp_read_interface(r, device, json_array_get(list, i));
    return status;
}

static ik_status lldp_read(const char *text, size_t size, const char *file, ik_builder *b,
                           ik_error *err)
{
    lldp_reader r = {.g = {.file = file, .text_size = size}};
    json_t *root = NULL;
    ik_status status = json_read_text(text, size, file, &root, &r.why);
    r.root = root;
    if (status == IK_OK && (!json_is_object(root) || json_object_get(root, "lldp"))) {
        ik_fail_at(&r.why, IK_ERR_INPUT, file, 1, 1,
                   "neighbours, but it is not named whose they are");
        status = ik_hint(&r.why, IK_ERR_INPUT,
                         "expected an object of devices: {\"leaf01\": {\"lldp\": ...}, ...}");
    }
    if (status == IK_OK)
        status = lldp_shorten_names(&r, root);
    for (void *i = status == IK_OK ? json_object_iter(root) : NULL; i && status == IK_OK;
         i = json_object_iter_next(root, i))
        status = lldp_read_device(&r, json_object_iter_key(i), json_object_iter_value(i));
    if (status == IK_OK) {
        lldp_report(&r, b);
        status = devices_build(&r.g, b, true, &r.why);
    }
    if (status != IK_OK && err)
        *err = r.why;
    raw_graph_free(&r.g);
    json_decref(r.short_names);
    json_decref(r.seen);
    json_decref(root);
    return status;
}

static unsigned lldp_probe(const char *text, size_t size)
{
    return json_mentions(text, size, "\"lldp\"") && json_mentions(text, size, "\"interface\"") ? 85
                                                                                               : 0;
}

static const char *const extensions[] = {"json", NULL};

const ik_format ik_format_lldp = {
    .name = "lldp",
    .summary = "neighbours by LLDP, the JSON of lldpctl by device; plans for Cumulus' PTM are read "
               "as dot",
    .source = "lldpd, lldpctl(8), formats json and json0",
    .extensions = extensions,
    .probe = lldp_probe,
    .read = lldp_read,
};
