/* SPDX-License-Identifier: Apache-2.0
 *
 * sim/bound.c: what is known of loads before they are simulated. */
#include "analysis/bounds/lasting.h"
#include "analysis/bounds/vc_loads.h"
#include "routing/by_port.h"
#include "sim/flit/pipe_clock.h"
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
    unsigned speedup;
    double vc_bps; /* INFINITY: not known */
} bound_pipe;

static double bound_pipe_channel_bps(const bound_pipe *p, const ik_fabric *f, uint32_t port)
{
    uint64_t cycles =
        pipe_flit_cycles(p->flit_bytes, ik_port_rate_bps(f, port), p->clock_ps, p->speedup);
    return 8e12 * (double)p->flit_bytes / (double)(cycles * p->clock_ps);
}

static bound_pipe bound_pipe_of(const ik_fabric *f, const sim_sections *sec)
{
    bound_pipe p = {.flit_bytes = ik_params_uint(sec->sw, "flit"),
                    .speedup = (unsigned)ik_params_real(sec->sw, "speedup"),
                    .vc_bps = INFINITY};
    double idle = (double)(ik_params_uint(sec->sw, "routing_cycles") +
                           ik_params_uint(sec->sw, "vc_alloc_cycles")),
           flits = ceil((double)ik_params_uint(sec->adapter, "packet") / (double)p.flit_bytes);
    uint64_t fastest = pipe_fastest_bps(f);
    p.clock_ps = fastest ? ik_transmit_ps(p.flit_bytes, fastest) : 0;
    if (p.clock_ps && ik_params_real(sec->sw, "speedup") <= 1)
        p.vc_bps = 8e12 * (double)p.flit_bytes / (double)p.clock_ps * flits / (flits + idle);
    return p;
}

/* Whether every link carries what its rate says: then channels fill as in the other models. */
static bool bound_pipe_is_exact(const bound_pipe *p, const ik_fabric *f)
{
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE &&
            fabs(bound_pipe_channel_bps(p, f, port) / (double)ik_port_rate_bps(f, port) - 1) >=
                1e-6)
            return false;
    return true;
}

/* The part that a host sends of what the rates of its cables say: all of them make its messages. */
static double bound_pipe_sent(const bound_pipe *p, const ik_fabric *f, uint32_t host)
{
    const ik_split *split = f->split;
    uint32_t whole = split ? split->host_of[host] : 0, first = split ? split->first[whole] : host,
             end = split ? split->first[whole + 1] : host + 1;
    double sum = 0;
    for (uint32_t k = first; k < end; k++)
        if (ik_host_port(f, k) != IK_NONE)
            sum += bound_pipe_channel_bps(p, f, ik_host_port(f, k));
    return sum > 0 ? sum / (double)by_port_rate_bps(f, host) : 0;
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
static ik_status bound_pipelined(const ik_plan *plan, const fixed_flows *flows,
                                 const sim_sections *sec, const ik_env *env, double *level,
                                 ik_error *err)
{
    const ik_fabric *f = plan->fabric;
    const bound_pipe p = bound_pipe_of(f, sec);
    vc_loads loads = {0};
    ik_status status = IK_OK;
    if (p.clock_ps == 0)
        return IK_OK;
    double *sent = ik_calloc(f->num_hosts + 1, sizeof *sent);
    if (!sent)
        return ik_fail_memory(err, f->num_hosts * sizeof *sent, "rates of hosts");
    for (uint32_t host = 0; host < f->num_hosts; host++)
        sent[host] = bound_pipe_sent(&p, f, host);
    if (!ik_sim_limits_adapters(&(ik_sim_config){.adapter_params = sec->adapter}))
        status = vc_loads_measure(plan, flows, sent, env, &loads, err);
    free(sent);
    if (!bound_pipe_is_exact(&p, f))
        *level = INFINITY;
    if (status == IK_OK && loads.channel)
        *level = fmin(*level, bound_pipe_level(&p, plan, &loads));
    vc_loads_free(&loads);
    return status;
}

/* sec: of the configuration, its defaults included. */
static ik_status bound_measure(const ik_plan *plan, const ik_traffic *traffic,
                               const fixed_flows *flows, const sim_sections *sec,
                               const double *loads, size_t num, const ik_env *env,
                               ik_sim_bound *out, ik_error *err)
{
    const ik_sim_config config = {
        .switch_params = sec->sw, .adapter_params = sec->adapter, .measure_params = sec->measure};
    const ik_adapter_rates rates = ik_sim_adapter_rates(sec->adapter);
    ik_lasting lasting;
    ik_status status = lasting_of_flows(flows, &rates, env, &lasting, err);
    double level = status == IK_OK && lasting.num_groups ? lasting.groups[0].level : INFINITY;
    if (status == IK_OK && sim_is_pipelined(&config))
        status = bound_pipelined(plan, flows, sec, env, &level, err);
    if (status != IK_OK) {
        ik_lasting_free(&lasting);
        return status;
    }
    if (!sim_offers_by_weight(sec->adapter))
        level = INFINITY;
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
    fixed_flows flows;
    status = fixed_flows_make(plan->routing, traffic, env, &flows, err);
    if (status == IK_OK)
        status = bound_measure(plan, traffic, &flows, &sec, loads, num, env, out, err);
    fixed_flows_free(&flows);
    sim_close_sections(&sec);
    return status;
}
