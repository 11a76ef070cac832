/* SPDX-License-Identifier: Apache-2.0
 *
 * route_bench.c: time to compute the tables of a routing: `bench_route FABRIC ROUTING [THREADS]` prints one JSON object.
 */
#include "ikat/ikat.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: bench_route FABRIC ROUTING [THREADS]\n", stderr);
        return 2;
    }
    ik_env env = {.seed = 1, .num_threads = argc > 3 ? (unsigned)atoi(argv[3]) : 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_routing *r = NULL;
    uint16_t *lft = NULL;
    if (ik_fabric_from_spec(argv[1], &env, &f, &err) != IK_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    ik_status status = ik_routing_from_spec(f, argv[2], &env, &r, &err);
    if (status == IK_OK)
        status = ik_lft_compile(r, &env, &lft, &err);
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    if (status != IK_OK)
        fprintf(stderr, "%s\n", err.text);
    else
        printf("{\"hosts\": %u, \"switches\": %u, \"routing\": \"%s\", \"threads\": %u, \"cpu_s\": %.4f, \"wall_s\": %.4f}\n",
               f->num_hosts, f->num_switches, r->spec, env.num_threads, cpu, wall);
    free(lft);
    ik_routing_free(r);
    ik_fabric_free(f);
    return status != IK_OK;
}
