/* SPDX-License-Identifier: Apache-2.0
 *
 * sim/bound.c: what is known of loads before they are simulated. */
#include "ikat/analysis.h"
#include "sim/params/parameters.h"

#include <math.h>

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
    if (status != IK_OK)
        return status;
    bool in_order = lasting.known && ik_sim_sends_in_order(plan, traffic, &config);
    for (size_t k = 0; k < num; k++)
        out[k] = (ik_sim_bound){.throughput = in_order ? ik_lasting_at(&lasting, loads[k]) : 0,
                                .exceeded = lasting.num_groups &&
                                            loads[k] > bound_rounding * lasting.groups[0].level};
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
