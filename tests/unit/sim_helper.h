/* SPDX-License-Identifier: Apache-2.0
 *
 * One line a simulation, for the tests of the simulator. */
#ifndef SIM_HELPER_H
#define SIM_HELPER_H

#include "sim/measure/sim_result.h"
#include "unit/made.h"

typedef struct scenario {
    const char *fabric, *routing, *vc, *selection, *traffic;
    const char *sw, *adapter, *measure; /* "key=value;key=value" */
    const char *watch;
    double load;
    unsigned num_vcs, threads;
    uint64_t seed;
    struct ik_ranks *ranks;
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
        for (char *c = value; strcmp(pair, "message_sizes") == 0 && *c; c++)
            *c = *c == '/' ? ';' : *c; /* ';' stands between pairs here */
        status = ik_params_set(params, "test", pair, value, 0, 0, err);
    }
    free(copy);
    return status;
}

/* What a scenario says of switch, adapter and measurement, as a run takes it. */
typedef struct sections {
    ik_params sw, adapter, measure, watch;
    ik_sim_config config;
} sections;

static inline ik_status open_sections(sections *s, const scenario *c, ik_error *err)
{
    assert_int_equal(ik_params_init(&s->sw, ik_switch_params, NULL, err), IK_OK);
    assert_int_equal(ik_params_init(&s->adapter, ik_adapter_params, NULL, err), IK_OK);
    assert_int_equal(ik_params_init(&s->measure, ik_measure_params, NULL, err), IK_OK);
    assert_int_equal(ik_params_init(&s->watch, ik_watch_params, NULL, err), IK_OK);
    s->config = (ik_sim_config){&s->sw, &s->adapter, &s->measure, c->load, &s->watch};
    ik_status status = apply_pairs(&s->sw, c->sw, err);
    if (status == IK_OK)
        status = apply_pairs(&s->adapter, c->adapter, err);
    if (status == IK_OK)
        status = apply_pairs(&s->watch, c->watch, err);
    return status == IK_OK ? apply_pairs(&s->measure, c->measure, err) : status;
}

static inline void close_sections(sections *s)
{
    ik_params_free(&s->sw);
    ik_params_free(&s->adapter);
    ik_params_free(&s->measure);
    ik_params_free(&s->watch);
}

static inline ik_env env_of(const scenario *c)
{
    return (ik_env){.seed = c->seed ? c->seed : 1, .num_threads = c->threads, .ranks = c->ranks};
}

static inline ik_status run_plan(const ik_plan *plan, const ik_traffic *traffic, const scenario *c,
                                 ik_sim_result *r, ik_error *err)
{
    ik_env env = env_of(c);
    sections s;
    ik_status status = open_sections(&s, c, err);
    if (status == IK_OK)
        status = sim_run(plan, traffic, &s.config, &env, r, err);
    close_sections(&s);
    return status;
}

static inline ik_status simulate_on(const ik_fabric *f, const scenario *c, ik_sim_result *r,
                                    ik_error *err)
{
    ik_env env = env_of(c);
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_status status =
        ik_plan_from_specs(f, c->routing, c->vc, c->selection, c->num_vcs, &env, &plan, err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(f, c->traffic ? c->traffic : "uniform", &env, &traffic, err);
    if (status == IK_OK)
        status = run_plan(plan, traffic, c, r, err);
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

/* Simulates; any error fails the test. Free with sim_result_clear. */
static inline ik_sim_result simulate(scenario c)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    if (try_simulate(&c, &r, &err) != IK_OK)
        fail_msg("%s %s: %s (%s)", c.fabric, c.routing, err.text, err.hint);
    return r;
}

/* Expects this status with this text, and no result. */
static inline void refuse(scenario c, ik_status status, const char *text)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    ik_status got = try_simulate(&c, &r, &err);
    if (got != status || !strstr(err.text, text))
        fail_msg("%s: got %s: %s; expected %s with '%s'", c.sw ? c.sw : "-", ik_status_name(got),
                 err.text, ik_status_name(status), text);
    assert_null(r.channel_bytes);
}

#endif
