/* SPDX-License-Identifier: Apache-2.0
 *
 * layers_bench.c: what computing routes costs: seconds of CPU and of the clock for the tables and for the VC scheme, the VCs needed,
 * and the host pairs over the busiest channel between switches.
 * usage: bench_layers [--threads N] FABRIC ROUTING [VC|-]
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

/* Host pairs over each channel between switches, from the forwarding tables: destination by destination, sources pushed inwards. */
static bool measure_load(const ik_routing *r, const ik_env *env, json_t *out)
{
    const ik_fabric *f = r->fabric;
    ik_error err;
    uint16_t *lft = NULL;
    if (ik_lft_compile(r, env, &lft, &err) != IK_OK)
        return false;
    uint64_t *load = calloc(f->num_ports + 1, sizeof *load), max = 0, sum = 0, channels = 0;
    for (uint32_t d = 0; load && d < f->num_hosts; d++)
        for (uint32_t s = 0; s < f->num_hosts; s++)
            for (uint32_t sw = ik_host_switch(f, s), hops = 0; s != d && sw != IK_NONE && hops < f->num_switches; hops++) {
                uint16_t local = lft[(size_t)sw * f->num_hosts + d];
                uint32_t port = local == 0xFFFF ? IK_NONE : f->port_base[sw] + local;
                sw = port == IK_NONE ? IK_NONE : ik_peer_node(f, port);
                if (sw == IK_NONE || !ik_is_switch(f, sw))
                    break;
                load[port]++;
            }
    for (uint32_t p = 0; load && p < f->port_base[f->num_switches]; p++) {
        uint32_t peer = ik_peer_node(f, p);
        if (peer == IK_NONE || !ik_is_switch(f, peer))
            continue;
        max = load[p] > max ? load[p] : max;
        sum += load[p];
        channels++;
    }
    json_object_set_new(out, "max_load", json_integer((json_int_t)max));
    json_object_set_new(out, "mean_load", json_real(channels ? (double)sum / (double)channels : 0));
    free(load);
    free(lft);
    return true;
}

static int fail(const char *what, const ik_error *err)
{
    fprintf(stderr, "bench_layers: %s: %s\n", what, err->text);
    return 2;
}

int main(int argc, char **argv)
{
    ik_env env = {.seed = 1, .num_threads = 1};
    int at = 1;
    if (argc > 3 && strcmp(argv[1], "--threads") == 0) {
        env.num_threads = (unsigned)strtoul(argv[2], NULL, 10);
        at = 3;
    }
    if (argc - at < 2) {
        fprintf(stderr, "usage: bench_layers [--threads N] FABRIC ROUTING [VC|-]\n");
        return 2;
    }
    ik_error err;
    ik_fabric *f = NULL;
    ik_routing *r = NULL;
    ik_vc *v = NULL;
    json_t *out = json_object();
    if (ik_fabric_from_spec(argv[at], &env, &f, &err) != IK_OK)
        return fail(argv[at], &err);
    stopwatch all = start(), since = all;
    if (ik_routing_from_spec(f, argv[at + 1], &env, &r, &err) != IK_OK)
        return fail(argv[at + 1], &err);
    report(out, "route", since);
    const char *vc = argc - at > 2 ? argv[at + 2] : r->natural_vc ? r->natural_vc : "1q";
    since = start();
    if (strcmp(vc, "-") != 0) {
        if (ik_vc_from_spec(f, r, vc, 0, &env, &v, &err) != IK_OK)
            return fail(vc, &err);
        report(out, "vc", since);
        json_object_set_new(out, "vcs", json_integer(v->vcs_needed));
    }
    report(out, "total", all);
    measure_load(r, &env, out);
    json_object_set_new(out, "hosts", json_integer(f->num_hosts));
    json_object_set_new(out, "switches", json_integer(f->num_switches));
    json_object_set_new(out, "threads", json_integer(env.num_threads));
    json_dumpf(out, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(out);
    ik_vc_free(v);
    ik_routing_free(r);
    ik_fabric_free(f);
    return 0;
}
