/* SPDX-License-Identifier: Apache-2.0
 *
 * route_bench.c: what computing routes costs: seconds of CPU and of the clock for the routing, its
 * forwarding tables and its VC scheme; the VCs needed, and with --load the host pairs over the
 * channels between switches.
 * usage: bench_route [--threads N] [--load] FABRIC ROUTING [VC|-]     (VC: the routing's own if
 *                                                                     left out, - = none)
 * Prints one JSON object.
 */
#include "ikat/ikat.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct stopwatch {
    double cpu, wall;
} stopwatch;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static stopwatch start(void)
{
    return (stopwatch){seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC)};
}

static void report(json_t *out, const char *what, stopwatch since)
{
    char key[64];
    snprintf(key, sizeof key, "%s_cpu_s", what);
    json_object_set_new(out, key, json_real(seconds(CLOCK_PROCESS_CPUTIME_ID) - since.cpu));
    snprintf(key, sizeof key, "%s_wall_s", what);
    json_object_set_new(out, key, json_real(seconds(CLOCK_MONOTONIC) - since.wall));
}

/* Routing, tables (where the destination decides alone) and VC scheme, each with its time. */
static ik_status compute(const ik_fabric *f, const char *routing, const char *vc, const ik_env *env,
                         ik_routing **r, json_t *out, ik_error *err)
{
    ik_vc *v = NULL;
    stopwatch all = start(), since = all;
    ik_status status = ik_routing_from_spec(f, routing, env, r, err);
    report(out, "route", since);
    if (status == IK_OK && ((*r)->traits & IK_ROUTE_DEST_BASED)) {
        uint16_t *lft = NULL;
        since = start();
        status = ik_lft_compile(*r, env, &lft, err);
        report(out, "tables", since);
        free(lft);
    }
    if (status != IK_OK)
        return status;
    if (!vc)
        vc = (*r)->natural_vc ? (*r)->natural_vc : "1q";
    if (strcmp(vc, "-") != 0) {
        since = start();
        status = ik_vc_from_spec(f, *r, vc, 0, env, &v, err);
        report(out, "vc", since);
        if (status == IK_OK)
            json_object_set_new(out, "vcs", json_integer(v->vcs_needed));
        ik_vc_free(v);
    }
    report(out, "total", all);
    return status;
}

/* Host pairs over the busiest channel between switches, and over one on average. */
static ik_status measure_load(const ik_routing *r, const ik_env *env, json_t *out, ik_error *err)
{
    ik_traffic *pairs = NULL;
    ik_load load;
    ik_status status = ik_traffic_from_spec(r->fabric, "uniform", env, &pairs, err);
    if (status == IK_OK)
        status = ik_load_measure(r, pairs, env, &load, err);
    if (status == IK_OK) {
        json_object_set_new(out, "max_load", json_integer((json_int_t)load.max_crossing));
        json_object_set_new(out, "mean_load",
                            json_real(load.mean_load * (r->fabric->num_hosts - 1)));
        ik_load_free(&load);
    }
    ik_traffic_free(pairs);
    return status;
}

int main(int argc, char **argv)
{
    ik_env env = {.seed = 1, .num_threads = 1};
    bool load = false;
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++)
        if (strcmp(argv[at], "--load") == 0)
            load = true;
        else if (strcmp(argv[at], "--threads") == 0 && at + 1 < argc)
            env.num_threads = (unsigned)strtoul(argv[++at], NULL, 10);
        else
            break;
    if (argc - at < 2 || argc - at > 3) {
        fputs("usage: bench_route [--threads N] [--load] FABRIC ROUTING [VC|-]\n", stderr);
        return 2;
    }
    ik_error err;
    ik_fabric *f = NULL;
    ik_routing *r = NULL;
    json_t *out = json_object();
    ik_status status = ik_fabric_from_spec(argv[at], &env, &f, &err);
    if (status == IK_OK)
        status = compute(f, argv[at + 1], argv[at + 2], &env, &r, out, &err);
    if (status == IK_OK && load)
        status = measure_load(r, &env, out, &err);
    if (status == IK_OK) {
        json_object_set_new(out, "hosts", json_integer(f->num_hosts));
        json_object_set_new(out, "switches", json_integer(f->num_switches));
        json_object_set_new(out, "threads", json_integer(env.num_threads));
        json_dumpf(out, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
        putchar('\n');
    } else {
        fprintf(stderr, "bench_route: %s\n", err.text);
    }
    json_decref(out);
    ik_routing_free(r);
    ik_fabric_free(f);
    return status == IK_OK ? 0 : 2;
}
