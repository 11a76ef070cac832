/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `ufm`: the links that NVIDIA's UFM lists, the answer to GET /ufmRest/resources/links:
 *
 *     [{"source_guid": "248a070300f88fe0", "source_port": "20", "source_port_dname": "20",
 *       "source_port_node_description": "leaf1:20",
 *       "destination_guid": "b8599f03000a77d0", "destination_port": "2",
 *       "destination_port_dname": "HCA-1/2", "destination_port_node_description": "n1 mlx5_0"}]
 *
 * The dname of an adapter's port begins with HCA-; its GUID is that of the whole computer, so that
 * an adapter is one of a computer's, as it is for the subnet manager. All other ends are switches.
 * O(size).
 */
#include "format/devices.h"
#include "format/json_read.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct ufm_reader {
    raw_graph g;
    size_t index; /* of the link at hand; what is said of it has this + 1 as its line, at first */
    ik_arena arena;
    uint64_t units; /* links of aggregation units, which are left out */
    ik_error why;
} ufm_reader;

static ik_status ufm_refuse(ufm_reader *r, const char *member, const char *expected)
{
    return ik_fail_at(&r->why, IK_ERR_INPUT, r->g.file, (unsigned)r->index + 1, 1,
                      "a link needs a member \"%s\": expected %s", member, expected);
}

static const char *ufm_text(const json_t *link, const char *side, const char *what, char name[64])
{
    snprintf(name, 64, "%s_%s", side, what);
    return json_string_value(json_object_get(link, name));
}

/* A node's description, without the port that stands behind it. */
static slice ufm_name(const char *described, const char *port)
{
    slice name = slice_of(described);
    size_t length = strlen(port) + 1;
    if (name.length > length && name.at[name.length - length] == ':' &&
        memcmp(name.at + name.length - length + 1, port, length - 1) == 0)
        name.length -= length;
    return name;
}

/* One end of a link; *guid: of a switch, 0: an adapter. */
static ik_status ufm_end(ufm_reader *r, const json_t *link, const char *side, device_end *end,
                         slice *name, uint64_t *guid)
{
    char member[64];
    const char *dname = ufm_text(link, side, "port_dname", member);
    const char *described = ufm_text(link, side, "port_node_description", member);
    const char *port = ufm_text(link, side, "port", member);
    uint64_t number = 0;
    if (!port || !slice_uint(slice_of(port), UINT16_MAX, &number) || number == 0)
        return ufm_refuse(r, member, "the port's number as a text");
    const char *text = ufm_text(link, side, "guid", member);
    bool whole = text && strlen(text) == 16 && strspn(text, "0123456789abcdefABCDEF") == 16;
    *guid = whole ? strtoull(text, NULL, 16) : 0;
    if (!*guid)
        return ufm_refuse(r, member, "a GUID, 16 hexadecimal digits");
    dname = dname ? dname : port;
    *name = ufm_name(described, dname);
    bool adapter = strncasecmp(dname, "HCA-", 4) == 0;
    const char *key = ik_arena_printf(&r->arena, adapter ? "%016" PRIx64 "/%.*s" : "%016" PRIx64,
                                      *guid, (int)strcspn(dname, "/"), dname);
    if (!key)
        return ik_fail_memory(&r->why, 64, "names of nodes");
    if (adapter)
        *guid = 0;
    *end = (device_end){.device = slice_of(key),
                        .port = slice_of(port),
                        .role = slice_of(adapter ? "host" : "switch")};
    return IK_OK;
}

static bool ufm_is_unit(slice name)
{
    static const char unit[] = "Aggregation Node";
    return json_mentions(name.at, name.length, unit);
}

static ik_status ufm_link(ufm_reader *r, const json_t *link)
{
    device_end ends[2];
    slice names[2];
    uint64_t guids[2];
    ik_status status = ufm_end(r, link, "source", &ends[0], &names[0], &guids[0]);
    if (status == IK_OK)
        status = ufm_end(r, link, "destination", &ends[1], &names[1], &guids[1]);
    if (status == IK_OK && (ufm_is_unit(names[0]) || ufm_is_unit(names[1]))) {
        r->units++;
        return IK_OK;
    }
    if (status == IK_OK)
        status = devices_cable(&r->g, &ends[0], &ends[1], (unsigned)r->index + 1, &r->why);
    for (int i = 0; i < 2 && status == IK_OK; i++) {
        const raw_link *added = &r->g.links[r->g.num_links - 1];
        raw_node *node = &r->g.nodes[i ? added->b : added->a];
        node->guid = guids[i];
        if (names[i].length)
            node->name = names[i];
    }
    return status;
}

static ik_status ufm_build(ufm_reader *r, const json_t *root, ik_builder *b)
{
    ik_status status = IK_OK;
    for (r->index = 0; r->index < json_array_size(root) && status == IK_OK; r->index++)
        status = ufm_link(r, json_array_get(root, r->index));
    if (status == IK_OK && r->units)
        ik_builder_finding(b, IK_NOTE, "skipped-cables", NULL,
                           "left out: %s to aggregation units within switches",
                           IK_COUNT(r->units, "link"));
    return status == IK_OK && r->g.num_links ? devices_build(&r->g, b, true, &r->why) : status;
}

static ik_status ufm_read(const char *text, size_t size, const char *file, ik_builder *b,
                          ik_error *err)
{
    ufm_reader r = {.g = {.file = file, .text_size = size}};
    json_t *root = NULL;
    ik_status status = json_read_text(text, size, file, &root, &r.why);
    if (status == IK_OK)
        status = ufm_build(&r, root, b);
    unsigned element = r.why.line; /* from 1: its place instead */
    if (root && element) {
        r.why.line = r.why.column = 0;
        json_place(text, size, NULL, element - 1, &r.why.line, &r.why.column);
    }
    if (status == IK_OK && !json_is_array(root))
        status = ik_fail_at(&r.why, IK_ERR_INPUT, file, 1, 1,
                            "expected an array of links, as UFM answers /ufmRest/resources/links");
    else if (status == IK_OK && !r.g.num_links)
        status = ik_fail_at(&r.why, IK_ERR_INPUT, file, 1, 1, "no link is in it");
    if (status != IK_OK && err)
        *err = r.why;
    raw_graph_free(&r.g);
    ik_arena_free(&r.arena);
    json_decref(root);
    return status;
}

static unsigned ufm_probe(const char *text, size_t size)
{
    return json_mentions(text, size, "\"source_guid\"") &&
                   json_mentions(text, size, "\"destination_guid\"")
               ? 90
               : 0;
}

static const char *const extensions[] = {"json", NULL};

const ik_format ik_format_ufm = {
    .name = "ufm",
    .summary = "links as NVIDIA's UFM lists them in its REST API, resources/links",
    .source = "NVIDIA UFM Enterprise REST API Guide, Links REST API, versions 6.11 to 6.20",
    .extensions = extensions,
    .probe = ufm_probe,
    .read = ufm_read,
};
