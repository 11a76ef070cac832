/* SPDX-License-Identifier: Apache-2.0
 *
 * Topology `file`: a fabric that somebody has, read from a file in any known format.
 */
#include "base/text_lines.h"
#include "fabric/builder_private.h"
#include "format/text_file.h"
#include "ikat/topology.h"

#include <stdlib.h>

static const ik_param file_params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL, "the file; packed with gzip is read as well"},
    {"format", IK_PARAM_STRING, "", 0, 0, NULL,
     "its format; recognised by its contents and name if not given"},
    {"repair", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "give links below the common rate that rate, as if the fabric had been repaired"},
    {"names", IK_PARAM_PATH, "", 0, 0, NULL,
     "a node-name map with the names of nodes (each line a GUID and a name in quotes)"},
    {"guid2lid", IK_PARAM_PATH, "", 0, 0, NULL,
     "OpenSM's guid2lid file: the LIDs of ports, which replace those of the file"},
    {"host_names", IK_PARAM_STRING, "", 0, 0, NULL,
     "of a list of cables (NetBox, LLDP): the devices that are hosts, as patterns of their names "
     "(server*:gpu*); the others are switches"},
    {"without", IK_PARAM_STRING, "", 0, 0, NULL,
     "of a list of cables (NetBox, LLDP): the devices to leave out, as patterns of their names "
     "(oob*:pdu*)"},
    {0},
};

/* Patterns are for lists of cables. */
static ik_status file_check_devices(const ik_builder *b, ik_error *err)
{
    const char *given = b->host_names ? "host_names" : "without";
    if ((!b->host_names && !b->without) || b->asked_devices)
        return IK_OK;
    ik_about(err,
             ik_fail(err, IK_ERR_USAGE, "%s is for lists of cables, formats netbox, lldp and dot",
                     given),
             "%s", given);
    return ik_hint(err, IK_ERR_USAGE, "this file says itself which nodes are hosts");
}

static ik_status file_build(const ik_params *params, const ik_topo_ctx *ctx, ik_builder *b,
                            ik_error *err)
{
    const char *path = ik_params_text(params, "path");
    const ik_format *format;
    char *text = NULL;
    size_t size = 0;
    ik_status status =
        format_load(path, ik_params_has(params, "format") ? ik_params_text(params, "format") : NULL,
                    ctx->env, &format, &text, &size, err);
    if (ik_params_has(params, "host_names"))
        b->host_names = ik_params_text(params, "host_names");
    if (ik_params_has(params, "without"))
        b->without = ik_params_text(params, "without");
    if (status == IK_OK)
        status = format_read(text, size, path, format, b, err);
    if (status == IK_OK)
        status = file_check_devices(b, err);
    if (status != IK_OK)
        ik_error_at(err, path, 0, 0);
    free(text);
    return status;
}

static const char *const examples[] = {"file:data/cluster96.ibnetdiscover", NULL};
static const char *const bad_examples[] = {
    "file", "file:", "file:path=no-such-file.net", "file:data", "file:data,format=tape", NULL};

const ik_topology ik_topology_file = {
    .name = "file",
    .summary = "a fabric read from a file",
    .source = "formats: see 'ikat list formats'",
    .details =
        "Switches and hosts are numbered in the order of the file. Links whose rate the file does "
        "not give have the rate link_rate or host_rate; where it gives no latency, the values of "
        "latency and host_latency are used. Problems are reported as findings: levels, "
        "oversubscription, links below the common rate, cables listed at one end only, "
        "missing cables, unreachable hosts, GUIDs given twice. The path of an existing file is a "
        "valid spec: 'file:' may be left out.",
    .params = file_params,
    .examples = examples,
    .bad_examples = bad_examples,
    .imported = true,
    .build = file_build,
};
