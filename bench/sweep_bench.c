/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep_bench.c: what the routing engine inside OpenSM adds to a sweep, without OpenSM: seconds of
 * CPU for the first sweep with a given routing, for the sweep after a cable between switches was
 * cut, for judging that one's tables again, and for ik_subnet_judge() alone on the first ones.
 * usage: bench_sweep [--threads N] FABRIC ROUTING
 * Prints one JSON object.
 */
#include "ikat/ikat.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void require(ik_status status, const ik_error *err)
{
    if (status == IK_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(2);
}

static void report(json_t *out, const char *what, double since)
{
    json_object_set_new(out, what, json_real(cpu_seconds() - since));
}

/* The first port of a switch that leads to another. */
static uint32_t first_between_switches(const ik_fabric *f)
{
    uint32_t port = 0;
    while (port < f->port_base[f->num_switches] &&
           (f->port_peer[port] == IK_NONE || !ik_is_switch(f, ik_peer_node(f, port))))
        port++;
    return port;
}

static void measure(const ik_fabric *f, const ik_deploy_config *config, const ik_env *env,
                    json_t *out)
{
    const ik_subnet_config all = {.replies = true, .management = true};
    ik_deployment first = {0}, then = {0}, kept = {0};
    ik_subnet_verdict verdict = {0};
    ik_fabric *cut = NULL;
    ik_error err = {0};
    uint32_t port = first_between_switches(f);
    double since = cpu_seconds();
    require(ik_deploy_in_memory(f, config, NULL, env, &first, &err), &err);
    report(out, "first_cpu_s", since);
    require(ik_fabric_degrade(f, &port, 1, NULL, 0, &cut, &err), &err);
    since = cpu_seconds();
    require(ik_deploy_in_memory(cut, config, &first, env, &then, &err), &err);
    report(out, "cut_cpu_s", since);
    since = cpu_seconds();
    require(ik_deploy_keep(cut, &then, env, &kept, &err), &err);
    report(out, "keep_cpu_s", since);
    since = cpu_seconds();
    require(ik_subnet_judge(&first.tables, first.lanes > 1 ? &first.levels : NULL,
                            first.lanes > 1 ? &first.vls : NULL, &all, env, &verdict, &err),
            &err);
    report(out, "judge_cpu_s", since);
    json_object_set_new(out, "changed", json_integer((json_int_t)then.update.changed));
    json_object_set_new(out, "dependencies", json_integer((json_int_t)verdict.dependencies));
    ik_subnet_verdict_free(&verdict);
    ik_deployment_free(&first);
    ik_deployment_free(&then);
    ik_deployment_free(&kept);
    ik_fabric_free(cut);
}

int main(int argc, char **argv)
{
    ik_env env = {.num_threads = 1};
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (argc == 5 && strcmp(argv[1], "--threads") == 0) {
        env.num_threads = (unsigned)strtoul(argv[2], NULL, 10);
        argv += 2;
        argc -= 2;
    }
    if (argc != 3 || !env.num_threads) {
        fprintf(stderr, "usage: bench_sweep [--threads N] FABRIC ROUTING\n");
        return 2;
    }
    require(ik_fabric_from_spec(argv[1], &env, &f, &err), &err);
    const ik_deploy_config config = {.routing = argv[2]};
    json_t *out = json_pack("{s:s,s:s,s:i,s:i}", "fabric", argv[1], "routing", argv[2], "hosts",
                            (int)f->num_hosts, "switches", (int)f->num_switches);
    measure(f, &config, &env, out);
    json_dumpf(out, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(4));
    putchar('\n');
    json_decref(out);
    ik_fabric_free(f);
    return 0;
}
