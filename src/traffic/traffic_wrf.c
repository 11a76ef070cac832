/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_wrf.c: the two outstanding exchanges of a mesh code: up and down one row.
 */
#include "traffic/pattern.h"

#include <stdlib.h>

static const ik_param params[] = {
    {"rows", IK_PARAM_UINT, "16", 2, 65535, NULL, "rows of the mesh of tasks"},
    {"columns", IK_PARAM_UINT, "16", 1, 65535, NULL, "tasks per row"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static ik_status wrf_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    uint32_t columns = (uint32_t)ik_params_uint(p, "columns");
    uint64_t tasks = ik_params_uint(p, "rows") * columns;
    if (tasks > t->num_hosts) {
        return ik_fail(err, IK_ERR_USAGE, "traffic 'wrf': %llu tasks do not fit %s",
                       (unsigned long long)tasks, IK_COUNT(t->num_hosts, "host"));
    }
    pattern_flow *flows = ik_calloc((size_t)tasks * 2, sizeof *flows);
    if (!flows)
        return ik_fail_memory(err, (size_t)tasks * 2 * sizeof *flows, "traffic 'wrf'");
    size_t n = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        if (i >= columns)
            flows[n++] = (pattern_flow){i, i - columns, 1};
        if (i + columns < tasks)
            flows[n++] = (pattern_flow){i, i + columns, 1};
    }
    ik_status s = pattern_lists_new(t, flows, n, err);
    free(flows);
    return s;
}

const ik_traffic_family ik_traffic_wrf = {
    .name = "wrf",
    .summary = "the tasks of a mesh send one row up and one row down",
    .source = "G. Rodriguez et al., Oblivious Routing Schemes in Extended Generalized Fat Tree "
              "Networks, CLUSTER 2009, section 7 (WRF-256)",
    .details = "Task i of a rows x columns mesh runs on host i and sends to tasks i - columns and "
               "i + columns where they exist; both messages are outstanding at once. Hosts beyond "
               "the mesh are silent.",
    .params = params,
    .create = wrf_create,
    .destroy = pattern_lists_destroy,
    .dest = pattern_lists_dest,
    .round = pattern_lists_round,
    .flows = pattern_lists_flows,
    .listed = true,
};
