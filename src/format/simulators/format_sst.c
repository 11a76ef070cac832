/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `sst`: the network in the graph of components that SST writes with --output-json.
 *
 *     "components": [{"name": "rtr_0", "type": "merlin.hr_router", "params": {"link_bw": "4GB/s"}}]
 *     "links": [{"left": {"component": "rtr_0", "port": "port0", "latency": "20ns"}, "right": …}]
 *
 * Switches are Merlin's routers, and hosts what else is at a port of one; other links are no part
 * of the network. The form is that of src/sst/core/model/cfgoutput/jsonConfigOutput.cc. O(size).
 */
#include "format/json_read.h"
#include "format/raw_graph.h"
#include "format/simulators/sim_net.h"
#include "ikat/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SST_MAX_PORT = 65534 };

typedef struct sst_reader {
    raw_graph g;
    const char *text;
    size_t size;
    json_t *root, *by_name; /* components */
    ik_builder *b;
    uint64_t num_hosts, other_links, loops, uneven, grouped;
    ik_error why;
} sst_reader;

/* One end of a link. */
typedef struct sst_end {
    json_t *component; /* the outermost */
    json_t *part;      /* it, or the part of it that has the port */
    const char *port;
    bool router;
    uint64_t latency_ps;
} sst_end;

/* ---- errors and texts */

static ik_status sst_refuse(sst_reader *r, const char *list, size_t index, const char *hint,
                            const char *what, ...) IK_PRINTF(5, 6);
static ik_status sst_refuse(sst_reader *r, const char *list, size_t index, const char *hint,
                            const char *what, ...)
{
    char text[256];
    unsigned line = 0, column = 0;
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    json_place(r->text, r->size, list, index, &line, &column);
    ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, line, column, "%s", text);
    return ik_hint(&r->why, IK_ERR_INPUT, "%s", hint);
}

static const char *sst_string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* A parameter of its own, or of the sets that it shares; NULL: it has none. */
static const char *sst_param(const sst_reader *r, const json_t *component, const char *name)
{
    const json_t *sets = json_object_get(component, "params_shared_sets");
    const json_t *all = json_object_get(r->root, "shared_params");
    const char *text = sst_string(json_object_get(component, "params"), name);
    for (size_t i = 0; !text && i < json_array_size(sets); i++) {
        const char *set = json_string_value(json_array_get(sets, i));
        text = set ? sst_string(json_object_get(all, set), name) : NULL;
    }
    return text;
}

static bool sst_is_router(const json_t *component)
{
    const char *type = sst_string(component, "type");
    return type && strcmp(type, "merlin.hr_router") == 0;
}

/* ---- components */

static ik_status sst_add_router(sst_reader *r, size_t index, const char *name, const json_t *router)
{
    uint32_t node = raw_graph_node(&r->g, slice_of(name), &r->why);
    uint64_t number;
    if (node == IK_NONE)
        return IK_ERR_MEMORY;
    raw_node *made = &r->g.nodes[node];
    made->has_kind = true;
    made->name = slice_of(name);
    const char *ports = sst_param(r, router, "num_ports"), *id = sst_param(r, router, "id");
    if (ports && !slice_uint(slice_of(ports), SST_MAX_PORT, &number))
        return sst_refuse(r, "components", index, "expected a whole number up to 65534",
                          "num_ports of '%.60s' is '%.40s'", name, ports);
    made->ports = ports ? (uint32_t)number : 0;
    if (id && slice_uint(slice_of(id), UINT32_MAX, &number))
        made->number = number;
    const json_t *params = json_object_get(router, "params");
    static const char *const read[] = {"num_ports", "id", "link_bw", "link_bw:host"};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (json_object_get(params, read[i]) && !sst_string(params, read[i]))
            return sst_refuse(r, "components", index, "SST writes parameters as texts: \"4\"",
                              "%s of '%.60s' is no text", read[i], name);
    r->grouped += sst_param(r, router, "link_bw:group") || sst_param(r, router, "link_bw:global");
    return IK_OK;
}

static ik_status sst_read_components(sst_reader *r)
{
    json_t *list = json_object_get(r->root, "components");
    ik_status status = IK_OK;
    r->by_name = json_object();
    for (size_t i = 0; i < json_array_size(list) && status == IK_OK; i++) {
        json_t *component = json_array_get(list, i);
        const char *name = sst_string(component, "name");
        if (!name || !sst_string(component, "type"))
            return sst_refuse(r, "components", i, "each has a name and a type",
                              "a component has no name, or no type");
        if (json_object_get(r->by_name, name))
            return sst_refuse(r, "components", i, "names of components differ",
                              "there are two components '%.80s'", name);
        if (json_object_set(r->by_name, name, component) != 0)
            return ik_fail_memory(&r->why, 64, "names of components");
        if (sst_is_router(component))
            status = sst_add_router(r, i, name, component);
    }
    return status;
}

/* The component of "nic_0:networkIF[0]", and the part of it that this names. */
static bool sst_find(const sst_reader *r, const char *name, sst_end *end)
{
    char slot[128];
    end->component = json_object_get(r->by_name, name);
    const char *rest = name + strlen(name);
    for (const char *colon = name; !end->component && (colon = strchr(colon, ':')); colon++) {
        end->component = json_object_getn(r->by_name, name, (size_t)(colon - name));
        rest = colon;
    }
    for (end->part = end->component; end->part && *rest == ':';
         rest += 1 + strcspn(rest + 1, ":")) {
        json_t *parts = json_object_get(end->part, "subcomponents"), *found = NULL;
        size_t length = strcspn(rest + 1, ":");
        for (size_t i = 0; !found && i < json_array_size(parts); i++) {
            json_t *part = json_array_get(parts, i);
            const char *in = sst_string(part, "slot_name");
            snprintf(slot, sizeof slot, "%.100s[%lld]", in ? in : "",
                     (long long)json_integer_value(json_object_get(part, "slot_number")));
            found = strlen(slot) == length && memcmp(slot, rest + 1, length) == 0 ? part : NULL;
        }
        end->part = found;
    }
    return end->part;
}

/* ---- links */

static ik_status sst_read_end(sst_reader *r, size_t index, const json_t *link, const char *side,
                              sst_end *end)
{
    const json_t *at = json_object_get(link, side);
    const char *name = sst_string(at, "component"), *latency = sst_string(at, "latency");
    *end = (sst_end){.port = sst_string(at, "port")};
    if (json_object_get(at, "rank"))
        return sst_refuse(r, "links", index, "write the graph without --parallel-output",
                          "the file has a part of the network alone: this link leads to rank %lld",
                          (long long)json_integer_value(json_object_get(at, "rank")));
    if (!name || !end->port || !latency)
        return sst_refuse(r, "links", index,
                          "expected \"left\" and \"right\", each with component, port and latency",
                          "the %s end of a link lacks one of its members", side);
    if (!sst_find(r, name, end))
        return sst_refuse(r, "links", index, "ends of links are in the list of components",
                          "there is no component '%.100s'", name);
    end->router = sst_is_router(end->part);
    if (!sim_time(slice_of(latency), &end->latency_ps))
        return sst_refuse(r, "links", index, "expected a time up to 1 s, as in 20ns",
                          "the latency '%.40s' is not read", latency);
    return IK_OK;
}

/* A router's port, from 1. */
static ik_status sst_read_port(sst_reader *r, size_t index, const sst_end *end, uint32_t *port)
{
    uint64_t number;
    *port = 0;
    if (!end->router)
        return IK_OK;
    if (strncmp(end->port, "port", 4) != 0 ||
        !slice_uint(slice_of(end->port + 4), SST_MAX_PORT - 1, &number))
        return sst_refuse(r, "links", index, "expected port0, port1, …",
                          "'%.60s' is no port of a router", end->port);
    *port = (uint32_t)number + 1;
    return IK_OK;
}

/* Lowers *rate_bps to what an end has; 0 = it is not said. */
static ik_status sst_limit_rate(sst_reader *r, size_t index, const sst_end *end, bool to_host,
                                uint64_t *rate_bps)
{
    const char *text = end->router && to_host ? sst_param(r, end->part, "link_bw:host") : NULL;
    uint64_t rate = 0;
    text = text ? text : sst_param(r, end->part, "link_bw");
    if (text && !sim_rate(slice_of(text), 0, &rate))
        return sst_refuse(r, "links", index, "expected a rate up to 1000 Tb/s, as in 4GB/s",
                          "link_bw of '%.60s' is '%.40s'", sst_string(end->component, "name"),
                          text);
    *rate_bps = rate && (!*rate_bps || rate < *rate_bps) ? rate : *rate_bps;
    return IK_OK;
}

static uint32_t sst_node(sst_reader *r, const sst_end *end)
{
    slice name = slice_of(sst_string(end->component, "name"));
    uint32_t node = raw_graph_node(&r->g, name, &r->why);
    if (node != IK_NONE && !r->g.nodes[node].has_kind) {
        r->g.nodes[node].is_host = r->g.nodes[node].has_kind = true;
        r->g.nodes[node].number = r->num_hosts++;
        r->g.nodes[node].name = name;
    }
    return node;
}

static ik_status sst_add_link(sst_reader *r, size_t index, const sst_end *left,
                              const sst_end *right)
{
    uint32_t a = sst_node(r, left), b = sst_node(r, right), pa = 0, pb = 0;
    bool to_host = !left->router || !right->router;
    uint64_t rate_bps = 0;
    ik_status status = a == IK_NONE || b == IK_NONE ? IK_ERR_MEMORY : IK_OK;
    if (status == IK_OK && a == b) {
        r->loops++;
        return IK_OK;
    }
    if (status == IK_OK)
        status = sst_read_port(r, index, left, &pa);
    if (status == IK_OK)
        status = sst_read_port(r, index, right, &pb);
    if (status == IK_OK)
        status = sst_limit_rate(r, index, left, to_host, &rate_bps);
    if (status == IK_OK)
        status = sst_limit_rate(r, index, right, to_host, &rate_bps);
    raw_link *link = status == IK_OK ? raw_graph_link(&r->g, a, b, 0, &r->why) : NULL;
    if (!link)
        return status == IK_OK ? IK_ERR_MEMORY : status;
    link->pa = pa;
    link->pb = pb;
    link->rate_bps = rate_bps;
    link->has_latency = true;
    link->latency_ps = left->latency_ps > right->latency_ps ? left->latency_ps : right->latency_ps;
    r->uneven += left->latency_ps != right->latency_ps;
    return IK_OK;
}

static ik_status sst_read_links(sst_reader *r)
{
    const json_t *list = json_object_get(r->root, "links");
    ik_status status = IK_OK;
    for (size_t i = 0; i < json_array_size(list) && status == IK_OK; i++) {
        const json_t *link = json_array_get(list, i);
        sst_end left, right;
        status = sst_read_end(r, i, link, "left", &left);
        if (status == IK_OK)
            status = sst_read_end(r, i, link, "right", &right);
        if (status == IK_OK && (left.router || right.router))
            status = sst_add_link(r, i, &left, &right);
        else
            r->other_links++;
    }
    return status;
}

/* ---- the whole file */

static void sst_report(const sst_reader *r)
{
    uint64_t others = json_object_size(r->by_name) - r->g.keys.num;
    if (others || r->other_links)
        ik_builder_finding(r->b, IK_NOTE, "other-components", NULL,
                           "%s that no router has a link to, and %s without a router, are left out",
                           IK_COUNT(others, "component"), IK_COUNT(r->other_links, "link"));
    if (r->loops)
        ik_builder_finding(r->b, IK_NOTE, "loops", NULL, "%s from a router to itself %s left out",
                           IK_COUNT(r->loops, "link"), r->loops == 1 ? "is" : "are");
    if (r->uneven)
        ik_builder_finding(r->b, IK_WARNING, "uneven-latency", NULL,
                           "%s another latency at its other end: the longer one is taken",
                           IK_COUNT(r->uneven, "link has|links have"));
    if (r->grouped)
        ik_builder_finding(r->b, IK_WARNING, "group-rates", NULL,
                           "rates of groups of ports (link_bw:group, link_bw:global) of %s are not "
                           "read: link_bw is taken; link_rate= sets another",
                           IK_COUNT(r->grouped, "router"));
}

static ik_status sst_read(const char *text, size_t size, const char *file, ik_builder *b,
                          ik_error *err)
{
    sst_reader r = {.g = {.file = file, .text_size = size}, .text = text, .size = size, .b = b};
    ik_status status = json_read_text(text, size, file, &r.root, &r.why);
    if (status == IK_OK && (!json_is_array(json_object_get(r.root, "components")) ||
                            !json_is_array(json_object_get(r.root, "links")))) {
        ik_fail_at(&r.why, IK_ERR_INPUT, file, 1, 1, "there is no list of components, or of links");
        status = ik_hint(&r.why, IK_ERR_INPUT,
                         "expected what 'sst --output-json=FILE.json SCRIPT.py' writes");
    }
    if (status == IK_OK)
        status = sst_read_components(&r);
    if (status == IK_OK && !r.g.keys.num) {
        ik_fail_at(&r.why, IK_ERR_INPUT, file, 1, 1, "no component is a merlin.hr_router");
        status = ik_hint(&r.why, IK_ERR_INPUT, "the switches of a network are Merlin's routers");
    }
    if (status == IK_OK)
        status = sst_read_links(&r);
    if (status == IK_OK) {
        sst_report(&r);
        status = raw_graph_build(&r.g, b, &r.why);
    }
    if (status != IK_OK && err)
        *err = r.why;
    raw_graph_free(&r.g);
    json_decref(r.by_name);
    json_decref(r.root);
    return status;
}

static unsigned sst_probe(const char *text, size_t size)
{
    return json_mentions(text, size, "\"components\"") &&
                   (json_mentions(text, size, "\"program_options\"") ||
                    json_mentions(text, size, "\"merlin."))
               ? 86
               : 0;
}

static const char *const extensions[] = {"json", NULL};

const ik_format ik_format_sst = {
    .name = "sst",
    .summary = "the graph that SST writes with --output-json: routers of Merlin, and what is at "
               "their ports",
    .source = "SST, https://github.com/sstsimulator/sst-core, model/cfgoutput, July 2026",
    .extensions = extensions,
    .probe = sst_probe,
    .read = sst_read,
};
