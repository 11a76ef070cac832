/* SPDX-License-Identifier: Apache-2.0
 *
 * one_side.c: a routing as a plug-in of ikat: shortest paths, each switch by its lowest or its
 * highest link.
 *
 *     cc -shared -fPIC $(pkg-config --cflags ikat) -o one_side.so one_side.c
 *     ikat check torus:dims=4:4 --routing one_side:side=high --plugin ./one_side.so
 */
#include <ikat/plugin.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"side", IK_PARAM_ENUM, "low", 0, 0, "low|high", "which of the shortest links is taken"}, {0}};

/* Hops from every switch to `to`, breadth first. queue: room for all switches. */
static void measure(const ik_fabric *f, uint32_t to, uint32_t *hops, uint32_t *queue)
{
    uint32_t num = 1;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        hops[sw] = IK_NONE;
    queue[0] = to;
    hops[to] = 0;
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t p = f->port_base[queue[i]]; p < f->port_base[queue[i] + 1]; p++) {
            uint32_t next = ik_peer_node(f, p);
            if (next != IK_NONE && ik_is_switch(f, next) && hops[next] == IK_NONE) {
                hops[next] = hops[queue[i]] + 1;
                queue[num++] = next;
            }
        }
}

/* The local port by which packets for host `dst` leave sw; 0xFFFF = no way. */
static uint16_t port_towards(const ik_fabric *f, uint32_t sw, uint32_t dst, const uint32_t *hops,
                             bool high)
{
    uint16_t found = 0xFFFF;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t next = ik_peer_node(f, p);
        bool nearer = next != IK_NONE && ik_is_switch(f, next) && hops[sw] != IK_NONE &&
                      hops[next] < hops[sw];
        if ((nearer && (found == 0xFFFF || high)) || next == ik_host_node(f, dst))
            found = (uint16_t)(p - f->port_base[sw]);
    }
    return found;
}

static ik_status create(ik_routing *r, const ik_params *given, const ik_env *env, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    ik_status status = ik_lft_new(r, env, err);
    uint32_t *hops = ik_calloc(2 * (size_t)f->num_switches + 1, sizeof *hops);
    if (status == IK_OK && !hops)
        status = ik_fail_memory(err, 8 * (size_t)f->num_switches, "distances");
    for (uint32_t dst = 0; status == IK_OK && dst < f->num_hosts; dst++) {
        if (ik_host_switch(f, dst) == IK_NONE)
            continue;
        measure(f, ik_host_switch(f, dst), hops, hops + f->num_switches);
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            r->lft[(size_t)sw * f->num_hosts + dst] =
                port_towards(f, sw, dst, hops, ik_params_enum(given, "side") == 1);
    }
    free(hops);
    return status;
}

static const ik_routing_family one_side = {
    .name = "one_side",
    .summary = "shortest paths by the lowest or the highest port",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .create = create,
    .next = ik_lft_next};

IK_PLUGIN_EXPORT const ik_plugin ik_plugin_entry = {
    IK_PLUGIN_HEADER, .name = "one_side", .summary = "an example: one routing",
    .routings = (const ik_routing_family *const[]){&one_side, NULL}};
