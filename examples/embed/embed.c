/* SPDX-License-Identifier: Apache-2.0
 *
 * embed.c: compares routings on a fabric with libikat: is each proved free of deadlock, where is it
 * predicted to saturate, and what does a short simulation accept?
 *
 * usage: embed [FABRIC [ROUTING ...]]    (specs as the command ikat takes them)
 */
#include <ikat/ikat.h>

#include <stdio.h>

static const char *const usual[] = {"dmodk", "dfsssp", "minimal", "dor", NULL};

/* Every function of the library that can fail returns a status and fills an ik_error, whose texts
 * are one line each. */
static void print_error(const char *what, const ik_error *err)
{
    fprintf(stderr, "%s: %s%s%s\n", what, err->text, err->hint[0] ? "; " : "", err->hint);
}

/* Simulates 80 us behind 20 us of warm-up, at half of what the hosts can send. Sections of the
 * configuration that are not set have the defaults of `ikat list sections`. */
static ik_status simulate(const ik_plan *plan, const ik_traffic *traffic, const ik_env *env,
                          ik_sim_result **result, ik_error *err)
{
    ik_params measure;
    ik_status status = ik_params_init(&measure, ik_measure_params, NULL, err);
    if (status != IK_OK)
        return status;
    status = ik_params_set(&measure, "measure", "warmup", "20 us", 0, 0, err);
    if (status == IK_OK)
        status = ik_params_set(&measure, "measure", "duration", "80 us", 0, 0, err);
    if (status == IK_OK)
        status = ik_params_finish(&measure, "measure", err);
    const ik_sim_config config = {.measure_params = &measure, .load = 0.5};
    if (status == IK_OK)
        status = ik_sim_run(plan, traffic, &config, env, result, err);
    ik_params_free(&measure);
    return status;
}

/* One line of the table. What the functions fill in is freed whether they succeed or not, so all of
 * it begins as zeros, and objects as NULL. Results of a simulation are read by name: `ikat list
 * results` lists them. */
static ik_status judge(const ik_fabric *fabric, const char *routing, const ik_traffic *traffic,
                       const ik_env *env, ik_error *err)
{
    ik_plan *plan = NULL;
    ik_proof proof = {0};
    ik_load load = {0};
    ik_sim_result *result = NULL;
    double accepted, latency;
    ik_status status = ik_plan_from_specs(fabric, routing, NULL, NULL, 0, env, &plan, err);
    if (status == IK_OK)
        status = ik_verify(plan, NULL, env, &proof, err);
    if (status == IK_OK)
        status = ik_load_measure(plan->routing, traffic, env, &load, err);
    if (status == IK_OK)
        status = simulate(plan, traffic, env, &result, err);
    if (status == IK_OK)
        status = ik_result_real(result, "throughput", &accepted, err);
    if (status == IK_OK)
        status = ik_result_real(result, "latency_mean_ns", &latency, err);
    if (status == IK_OK)
        printf("%-10s %-13s %12u %14.3f %14.3f %10.0f ns\n", routing,
               proof.deadlock_free == IK_YES ? "yes" : "no", plan->num_vcs, load.saturation,
               accepted, latency);
    ik_sim_result_free(result);
    ik_load_free(&load);
    ik_proof_free(&proof);
    ik_plan_free(plan);
    return status;
}

int main(int argc, char **argv)
{
    const char *spec = argc > 1 ? argv[1] : "karytree:k=4,n=3";
    const char *const *routings = argc > 2 ? (const char *const *)argv + 2 : usual;
    const ik_env env = {.seed = 1, .num_threads = 2}; /* results do not depend on the threads */
    ik_error err;
    ik_fabric *fabric = NULL;
    ik_traffic *traffic = NULL;
    if (ik_fabric_from_spec(spec, &env, &fabric, &err) != IK_OK) {
        print_error(spec, &err);
        return 2;
    }
    ik_status status = ik_traffic_from_spec(fabric, "uniform", &env, &traffic, &err);
    if (status != IK_OK)
        print_error("uniform", &err);
    else
        printf(
            "ikat %s: %s has %u hosts and %u switches\n"
            "routing    deadlock-free        lanes  saturates at  accepted of 0.5   mean latency\n",
            ik_version(), fabric->spec, fabric->num_hosts, fabric->num_switches);
    for (; status == IK_OK && *routings; routings++) {
        status = judge(fabric, *routings, traffic, &env, &err);
        if (status != IK_OK)
            print_error(*routings, &err);
        if (status == IK_ERR_UNSUPPORTED) /* this routing is not made for this fabric: the next */
            status = IK_OK;
    }
    ik_traffic_free(traffic);
    ik_fabric_free(fabric);
    return status == IK_OK ? 0 : 2;
}
