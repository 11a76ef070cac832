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

#include <string.h>

typedef struct lldp_reader {
    raw_graph g;
    const json_t *root;
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

/* The name of a device in this file: leaf01.example.com is leaf01 if that has neighbours here. */
static slice lldp_device(const lldp_reader *r, const char *name)
{
    char first[257] = "";
    size_t length = name ? strcspn(name, ".") : 0;
    if (length < sizeof first && length && !json_object_get(r->root, name))
        memcpy(first, name, length);
    return *first && json_object_get(r->root, first) ? (slice){name, length} : slice_of(name);
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
    return devices_cable(&r->g, &near, &end, 0, &r->why);
}

/* One interface, by its name: {"swp1": {...}}, or {"name": "swp1", ...} of json0. */
static ik_status lldp_read_interface(lldp_reader *r, const char *device, const json_t *interface)
{
    const char *name = json_string_value(json_object_get(interface, "name"));
    ik_status status = IK_OK;
    if (name)
        return lldp_take(r, device, name, interface);
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
    if (status == IK_OK && json_object_get(root, "lldp")) {
        ik_fail_at(&r.why, IK_ERR_INPUT, file, 1, 1,
                   "the neighbours of one device, which is not named");
        status = ik_hint(&r.why, IK_ERR_INPUT,
                         "expected an object of devices: {\"leaf01\": {\"lldp\": ...}, ...}");
    }
    for (void *i = status == IK_OK ? json_object_iter(root) : NULL; i && status == IK_OK;
         i = json_object_iter_next(root, i))
        status = lldp_read_device(&r, json_object_iter_key(i), json_object_iter_value(i));
    if (status == IK_OK)
        status = devices_build(&r.g, b, true, &r.why);
    if (status != IK_OK && err)
        *err = r.why;
    raw_graph_free(&r.g);
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
