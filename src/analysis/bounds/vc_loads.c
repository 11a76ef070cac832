/* SPDX-License-Identifier: Apache-2.0
 *
 * What VCs carry for certain: flows with one path, hop by hop, up to the first channel behind the
 * injection on which a packet may take one of several VCs. */
#include "analysis/bounds/vc_loads.h"

#include "ikat/vc.h"

#include <stdlib.h>

/* The VC on which a packet that came by in_port leaves by `out`; IK_NONE: it may take several.
 * choices: room for the plan's max_radix. */
static uint32_t vc_loads_next(const ik_plan *plan, const ik_fabric *f, uint32_t in_port,
                              uint32_t out, ik_packet *pk, ik_choice *choices)
{
    uint32_t preferred,
        n = ik_plan_next(plan, f->port_node[in_port], in_port, pk, choices, &preferred);
    for (uint32_t k = 0; k < n; k++)
        if (choices[k].port == out && choices[k].vc_first == choices[k].vc_last)
            return choices[k].vc_first;
    return IK_NONE;
}

/* As vc_loads_next() for a packet that has just been injected: on any VC, unless it keeps the one
 * that it gets. */
static uint32_t vc_loads_first(const ik_plan *plan, const ik_fabric *f, uint32_t in_port,
                               uint32_t out, ik_packet *pk, ik_choice *choices)
{
    uint32_t found = IK_NONE;
    if (plan->vc->family->static_lane)
        return vc_loads_next(plan, f, in_port, out, pk, choices);
    for (unsigned vc = 0; vc < plan->num_vcs; vc++) {
        ik_packet injected = *pk;
        injected.vc = (uint8_t)vc;
        uint32_t here = vc_loads_next(plan, f, in_port, out, &injected, choices);
        if (here == IK_NONE || (vc && here != found))
            return IK_NONE;
        found = here;
    }
    return vc_loads_next(plan, f, in_port, out, pk, choices);
}

static void vc_loads_follow(const ik_plan *plan, const path_set *paths, uint32_t flow, double bps,
                            ik_choice *choices, double *vcs)
{
    const ik_fabric *f = paths->f;
    ik_packet pk;
    size_t first = paths->base[flow];
    ik_plan_start_nth(plan, paths->src[flow], paths->dst[flow], 0, &pk);
    if (plan->vc->family->static_lane)
        vcs[(size_t)paths->channel[first] * plan->num_vcs + pk.vc] += bps;
    for (size_t step = first + 1; step < paths->base[flow + 1]; step++) {
        uint32_t in_port = f->port_peer[paths->channel[step - 1]], out = paths->channel[step],
                 vc = (step == first + 1 ? vc_loads_first : vc_loads_next)(plan, f, in_port, out,
                                                                           &pk, choices);
        if (vc == IK_NONE)
            return;
        vcs[(size_t)out * plan->num_vcs + vc] += bps;
        ik_plan_advance(plan, out, vc, &pk);
    }
}

static void vc_loads_add(const ik_plan *plan, const path_set *paths, uint32_t flow, double sent,
                         ik_choice *choices, vc_loads *out)
{
    double bps = paths->size[flow] * paths->largest_bps * sent;
    bool one = ik_plan_num_starts(plan, paths->src[flow], paths->dst[flow]) == 1;
    for (size_t step = paths->base[flow]; step < paths->base[flow + 1]; step++) {
        out->channel[paths->channel[step]] += bps * paths_path_share(paths, step);
        one &= paths_path_share(paths, step) >= 1;
    }
    if (one)
        vc_loads_follow(plan, paths, flow, bps, choices, out->vc);
}

ik_status vc_loads_measure(const ik_plan *plan, const fixed_flows *flows, const double *sent,
                           const ik_env *env, vc_loads *out, ik_error *err)
{
    size_t ports = plan->fabric->num_ports;
    *out = (vc_loads){0};
    if (!flows->known)
        return IK_OK;
    ik_status status = IK_OK;
    ik_choice *choices = ik_calloc(plan->max_radix + 1, sizeof *choices);
    out->channel = ik_calloc(ports + 1, sizeof *out->channel);
    out->vc = ik_calloc(ports * plan->num_vcs + 1, sizeof *out->vc);
    if (!choices || !out->channel || !out->vc)
        status = ik_fail_memory(err, ports * plan->num_vcs * sizeof *out->vc, "loads of VCs");
    for (uint32_t flow = 0; status == IK_OK && flow < flows->paths.num; flow++) {
        vc_loads_add(plan, &flows->paths, flow, sent[flows->paths.src[flow]], choices, out);
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    free(choices);
    if (status != IK_OK)
        vc_loads_free(out);
    return status;
}

void vc_loads_free(vc_loads *l)
{
    free(l->channel);
    free(l->vc);
    *l = (vc_loads){0};
}
