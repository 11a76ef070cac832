/* SPDX-License-Identifier: Apache-2.0
 *
 * ladder.c: a traffic pattern as a plug-in of ikat: each host sends to the `reach` hosts that
 * follow it, twice as much to the first as to the second, and so on.
 *
 *     cc -shared -fPIC $(pkg-config --cflags ikat) -o ladder.so ladder.c
 *     ikat load torus:dims=4:4 --routing dor --traffic ladder:reach=3 --plugin ./ladder.so
 */
#include <ikat/plugin.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"reach", IK_PARAM_UINT, "2", 1, 32, NULL, "number of hosts that a host sends to"}, {0}};

static ik_status create(ik_traffic *t, const ik_params *given, const ik_env *env, ik_error *err)
{
    (void)env;
    uint32_t reach = (uint32_t)ik_params_uint(given, "reach");
    if (reach >= t->num_hosts) {
        ik_fail(err, IK_ERR_USAGE, "traffic 'ladder': reach = %u, and there are %u hosts", reach,
                t->num_hosts);
        return ik_about(err, IK_ERR_USAGE, "reach"); /* the setting to blame */
    }
    size_t num = 0, room = (size_t)t->num_hosts * reach;
    ik_traffic_flow *flows = ik_calloc(room, sizeof *flows);
    if (!flows)
        return ik_fail_memory(err, room * sizeof *flows, "traffic 'ladder'");
    for (uint32_t src = 0; src < t->num_hosts; src++)
        for (uint32_t step = 1; step <= reach; step++)
            flows[num++] = (ik_traffic_flow){.src = src,
                                             .dst = (src + step) % t->num_hosts,
                                             .weight = UINT64_C(1) << (reach - step)};
    ik_status status = ik_traffic_set_flows(t, flows, num, err);
    free(flows);
    return status;
}

static const ik_traffic_family ladder = {
    .name = "ladder",
    .summary = "to the hosts that follow, half as much to each as to the one before",
    .source = "none: an example",
    .params = params,
    .create = create,
    .destroy = ik_traffic_flows_destroy,
    .dest = ik_traffic_flows_dest,
    .flows = ik_traffic_flows_each,
};

IK_PLUGIN_EXPORT const ik_plugin ik_plugin_entry = {
    IK_PLUGIN_HEADER,
    .name = "ladder",
    .summary = "an example: one traffic pattern",
    .traffics = (const ik_traffic_family *const[]){&ladder, NULL},
};
