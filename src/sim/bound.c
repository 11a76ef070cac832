/* SPDX-License-Identifier: Apache-2.0
 *
 * sim/bound.c: what is known of loads before they are simulated. */
#include "analysis/bounds/vc_loads.h"
#include "ikat/analysis.h"
#include "sim/params/parameters.h"

#include <math.h>
#include <stdlib.h>

/* At exactly the load that fills a channel nothing waits: beyond it by more than rounding. */
static const double bound_rounding = 1 + 1e-6;

static double bound_rate_of(const ik_params *adapter, const char *name)
{
    return ik_params_has(adapter, name) ? (double)ik_params_uint(adapter, name) : INFINITY;
}

ik_adapter_rates ik_sim_adapter_rates(const ik_params *adapter)
{
    return (ik_adapter_rates){.injection_bps = bound_rate_of(adapter, "injection_rate"),
                              .injection_fraction = ik_params_real(adapter, "injection_fraction"),
                              .ejection_bps = bound_rate_of(adapter, "ejection_rate"),
                              .ejection_fraction = ik_params_real(adapter, "ejection_fraction")};
}

bool ik_sim_limits_adapters(const ik_sim_config *config)
{
    const ik_params *adapter = sim_config_of(config).adapter_params;
    if (!adapter)
        return false;
    ik_adapter_rates rates = ik_sim_adapter_rates(adapter);
    return rates.injection_fraction < 1 || rates.ejection_fraction < 1 ||
           isfinite(rates.injection_bps) || isfinite(rates.ejection_bps);
}

/* What channels and VCs of the pipelined model carry. A cycle is the time of a flit on the fastest
 * link, and slower ones take a flit every so many cycles; times are whole picoseconds. A packet of
 * n flits keeps a VC at the input of a router for n cycles and for those in which the packet behind
 * it is routed and gets a VC. */
typedef struct bound_pipe {
    uint64_t flit_bytes, clock_ps;
    double vc_bps; /* INFINITY: not known */
} bound_pipe;

static double bound_pipe_channel_bps(const bound_pipe *p, const ik_fabric *f, uint32_t port)
{
    uint64_t flit_ps = ik_transmit_ps(p->flit_bytes, ik_port_rate_bps(f, port)),
             cycles = (flit_ps + p->clock_ps - 1) / p->clock_ps;
    return 8e12 * (double)p->flit_bytes / (double)(cycles * p->clock_ps);
}

static bound_pipe bound_pipe_of(const ik_fabric *f, const sim_sections *sec)
{
    bound_pipe p = {.flit_bytes = ik_params_uint(sec->sw, "flit"), .vc_bps = INFINITY};
    double idle = (double)(ik_params_uint(sec->sw, "routing_cycles") +
                           ik_params_uint(sec->sw, "vc_alloc_cycles")),
           flits = ceil((double)ik_params_uint(sec->adapter, "packet") / (double)p.flit_bytes);
    uint64_t fastest = 0;
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && ik_port_rate_bps(f, port) > fastest)
            fastest = ik_port_rate_bps(f, port);
    p.clock_ps = fastest ? ik_transmit_ps(p.flit_bytes, fastest) : 0;
    if (p.clock_ps && ik_params_real(sec->sw, "speedup") <= 1)
        p.vc_bps = 8e12 * (double)p.flit_bytes / (double)p.clock_ps * flits / (flits + idle);
    return p;
}

/* Whether every link carries what its rate says: then channels fill as in the other models.
 * sent: [ports] gets what is sent of that. */
static bool bound_pipe_is_exact(const bound_pipe *p, const ik_fabric *f, double *sent)
{
    bool exact = true;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        sent[port] = bound_pipe_channel_bps(p, f, port) / (double)ik_port_rate_bps(f, port);
        exact &= fabs(sent[port] - 1) < 1e-6;
    }
    return exact;
}

static double bound_pipe_level(const bound_pipe *p, const ik_plan *plan, const vc_loads *loads)
{
    const ik_fabric *f = plan->fabric;
    double level = INFINITY;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        level = fmin(level, bound_pipe_channel_bps(p, f, port) / loads->channel[port]);
        for (unsigned vc = 0;
             vc < plan->num_vcs && ik_is_switch(f, f->port_node[f->port_peer[port]]); vc++)
            level = fmin(level, p->vc_bps / loads->vc[(size_t)port * plan->num_vcs + vc]);
    }
    return level;
}

/* Load at which the first channel or VC of the pipelined model is offered more than it carries, at
 * most *level, which rates of links say, where links carry these. INFINITY: none is, or it is not
 * known. */
static ik_status bound_pipelined(const ik_plan *plan, const ik_traffic *traffic,
                                 const sim_sections *sec, const ik_sim_config *config,
                                 const ik_env *env, double *level, ik_error *err)
{
    const bound_pipe p = bound_pipe_of(plan->fabric, sec);
    vc_loads loads = {0};
    ik_status status = IK_OK;
    if (p.clock_ps == 0)
        return IK_OK;
    double *sent = ik_calloc(plan->fabric->num_ports + 1, sizeof *sent);
    if (!sent)
        return ik_fail_memory(err, plan->fabric->num_ports * sizeof *sent, "rates of links");
    bool exact = bound_pipe_is_exact(&p, plan->fabric, sent);
    if (!ik_sim_limits_adapters(config) && !traffic->classes && !traffic->gaps)
        status = vc_loads_measure(plan, traffic, sent, env, &loads, err);
    free(sent);
    if (status == IK_OK && loads.channel)
        *level = fmin(bound_pipe_level(&p, plan, &loads), exact ? *level : INFINITY);
    else if (!exact)
        *level = INFINITY;
    vc_loads_free(&loads);
    return status;
}

/* sec: of the configuration, its defaults included. */
static ik_status bound_measure(const ik_plan *plan, const ik_traffic *traffic,
                               const sim_sections *sec, const double *loads, size_t num,
                               const ik_env *env, ik_sim_bound *out, ik_error *err)
{
    const ik_sim_config config = {
        .switch_params = sec->sw, .adapter_params = sec->adapter, .measure_params = sec->measure};
    const ik_adapter_rates rates = ik_sim_adapter_rates(sec->adapter);
    ik_lasting lasting;
    ik_status status = ik_lasting_measure(plan->routing, traffic, &rates, env, &lasting, err);
    double level = status == IK_OK && lasting.num_groups ? lasting.groups[0].level : INFINITY;
    if (status == IK_OK && sim_is_pipelined(&config))
        status = bound_pipelined(plan, traffic, sec, &config, env, &level, err);
    if (status != IK_OK) {
        ik_lasting_free(&lasting);
        return status;
    }
    bool in_order = lasting.known && ik_sim_sends_in_order(plan, traffic, &config);
    for (size_t k = 0; k < num; k++)
        out[k] = (ik_sim_bound){.throughput = in_order ? ik_lasting_at(&lasting, loads[k]) : 0,
                                .exceeded = loads[k] > bound_rounding * level};
    ik_lasting_free(&lasting);
    return IK_OK;
}

ik_status ik_sim_bound_measure(const ik_plan *plan, const ik_traffic *traffic,
                               const ik_sim_config *config, const double *loads, size_t num,
                               const ik_env *env, ik_sim_bound *out, ik_error *err)
{
    const ik_sim_config c = sim_config_of(config);
    sim_sections sec;
    ik_status status = sim_open_sections(&sec, &c, err);
    if (status != IK_OK)
        return status;
    status = bound_measure(plan, traffic, &sec, loads, num, env, out, err);
    sim_close_sections(&sec);
    return status;
}
