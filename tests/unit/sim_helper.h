/* SPDX-License-Identifier: Apache-2.0
 *
 * One line a simulation, for the tests of the simulator. */
#ifndef SIM_HELPER_H
#define SIM_HELPER_H

#include "ikat/ikat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after what it needs */

typedef struct scenario {
    const char *fabric, *routing, *vc, *selection, *traffic;
    const char *sw, *adapter, *measure; /* "key=value;key=value" */
    double load;
    unsigned num_vcs, threads;
    uint64_t seed;
} scenario;

static inline ik_status apply_pairs(ik_params *params, const char *pairs, ik_error *err)
{
    char *copy = strdup(pairs ? pairs : ""), *rest = copy;
    ik_status status = IK_OK;
    for (char *pair; status == IK_OK && (pair = strsep(&rest, ";"));) {
        char *value = strchr(pair, '=');
        if (!value)
            continue;
        *value++ = 0;
        status = ik_params_set(params, "test", pair, value, 0, 0, err);
    }
    free(copy);
    return status;
}

static inline ik_status simulate_on(const ik_fabric *f, const scenario *c, ik_sim_result *r, ik_error *err)
{
    ik_env env = {.seed = c->seed ? c->seed : 1, .num_threads = c->threads};
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_params sw, adapter, measure;
    assert_int_equal(ik_params_init(&sw, ik_switch_params, NULL, err), IK_OK);
    assert_int_equal(ik_params_init(&adapter, ik_adapter_params, NULL, err), IK_OK);
    assert_int_equal(ik_params_init(&measure, ik_measure_params, NULL, err), IK_OK);
    ik_status status = ik_plan_from_specs(f, c->routing, c->vc, c->selection, c->num_vcs, &env, &plan, err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(f, c->traffic ? c->traffic : "uniform", &env, &traffic, err);
    if (status == IK_OK)
        status = apply_pairs(&sw, c->sw, err);
    if (status == IK_OK)
        status = apply_pairs(&adapter, c->adapter, err);
    if (status == IK_OK)
        status = apply_pairs(&measure, c->measure, err);
    ik_sim_config config = {&sw, &adapter, &measure, c->load};
    if (status == IK_OK)
        status = ik_sim_run(plan, traffic, &config, &env, r, err);
    ik_params_free(&sw);
    ik_params_free(&adapter);
    ik_params_free(&measure);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    return status;
}

static inline ik_status try_simulate(const scenario *c, ik_sim_result *r, ik_error *err)
{
    ik_env env = {.seed = c->seed ? c->seed : 1};
    ik_fabric *f = NULL;
    ik_status status = ik_fabric_from_spec(c->fabric, &env, &f, err);
    if (status == IK_OK)
        status = simulate_on(f, c, r, err);
    ik_fabric_free(f);
    return status;
}

/* Simulates; any error fails the test. Free with ik_sim_result_free. */
static inline ik_sim_result simulate(scenario c)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    if (try_simulate(&c, &r, &err) != IK_OK)
        fail_msg("%s %s: %s (%s)", c.fabric, c.routing, err.text, err.hint);
    return r;
}

#endif
