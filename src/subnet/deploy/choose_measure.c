/* SPDX-License-Identifier: Apache-2.0
 *
 * choose_measure.c: loads when every host sends evenly to all others, from the counts of paths.
 */
#include "subnet/deploy/choose.h"

#include <stdlib.h>

bool choose_inner(const ik_fabric *f, uint32_t port)
{
    uint32_t peer = ik_peer_node(f, port);
    return peer != IK_NONE && ik_is_switch(f, f->port_node[port]) && ik_is_switch(f, peer);
}

double choose_destinations(const ik_fabric *f, const ik_lids *l)
{
    uint32_t lids = 0, ports = 0;
    for (uint32_t i = 0; i < l->num; i++) {
        const ik_lid *lid = &l->of[i];
        bool counts = lid->port != IK_NONE && !ik_is_silent(f, lid->node);
        lids += counts;
        ports += counts && lid->path == 0;
    }
    return ports > 1 ? (double)lids * (ports - 1) / ports : 1;
}

uint64_t choose_host_rate(const ik_fabric *f)
{
    uint64_t rate = 0;
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && !ik_is_silent(f, f->port_node[port]) &&
            ik_port_rate_bps(f, port) > rate)
            rate = ik_port_rate_bps(f, port);
    return rate;
}

static void choose_measure_channel(ik_audit_routing *r, const ik_fabric *f, uint32_t port,
                                   uint64_t rate)
{
    double load = r->load[port], share = 1;
    if (f->port_peer[port] == IK_NONE)
        return;
    if (load > 0 && rate)
        share = (double)ik_port_rate_bps(f, port) / (load * (double)rate);
    if (share < r->saturation) {
        r->saturation = share;
        r->tightest = port;
    }
    if (!choose_inner(f, port))
        return;
    r->channels++;
    r->mean_load += load;
    r->idle_channels += r->verdict.paths_over[port] == 0;
    if (r->max_channel == IK_NONE || load > r->max_load) {
        r->max_load = load;
        r->max_channel = port;
    }
    if (r->worst_channel == IK_NONE || r->verdict.most_over[port] > r->worst) {
        r->worst = r->verdict.most_over[port];
        r->worst_channel = port;
    }
}

ik_status choose_measure(const ik_fabric *f, const ik_lids *lids, ik_audit_routing *r,
                         ik_error *err)
{
    double each = choose_destinations(f, lids);
    uint64_t rate = choose_host_rate(f);
    r->load = ik_calloc((size_t)f->num_ports + 1, sizeof *r->load);
    if (!r->load)
        return ik_fail_memory(err, f->num_ports * sizeof *r->load, "loads of channels");
    r->max_channel = r->worst_channel = r->tightest = IK_NONE;
    r->saturation = 1;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        r->load[port] = (double)r->verdict.paths_over[port] / each;
        choose_measure_channel(r, f, port, rate);
    }
    r->mean_load = r->channels ? r->mean_load / (double)r->channels : 0;
    return ik_load_groups(f, r->load, &r->groups, &r->num_groups, err);
}
