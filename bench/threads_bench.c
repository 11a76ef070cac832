/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_threads: what a second thread brings. One and several threads take turns, so that what else
 * runs on the machine meets both; the median of the pairs' quotients counts. Beside it stands what
 * the machine can give at the moment: the same run on one thread, as many times at once. Started by
 * bench/threads. */
#include "ikat/ikat.h"
#include "sim/measure/sim_result.h"
#include "sim/parallel/cut.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_PAIRS = 99, MAX_THREADS = 64 };

typedef struct bench_case {
    const char *fabric;
    double load;
    uint64_t duration_ps;
    bool pipelined; /* 4 VCs of 8 flits of 125 B, packets of one flit: cycles of 10 ns */
} bench_case;

static const bench_case cases[] = {
    {"rlft:ports=36,levels=3", 1.0, 200000000, false},
    {"rlft:ports=36,levels=3", 0.3, 80000000, false},
    {"rlft:ports=20,levels=3", 1.0, 200000000, false},
    {"rlft:ports=36,levels=2", 1.0, 600000000, false},
    {"karytree:k=16,n=3,latency=10 ns", 0.4, 20000000, true},
    {"karytree:k=16,n=3,latency=100 ns", 0.4, 20000000, true},
    {"karytree:k=8,n=3,latency=10 ns", 0.4, 100000000, true},
    {"karytree:k=4,n=4,latency=10 ns", 0.4, 200000000, true},
    {"mesh:dims=8:8,latency=10 ns", 0.3, 400000000, true},
};
enum { NUM_CASES = sizeof cases / sizeof *cases };

typedef struct setting {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *traffic;
    ik_params sw, adapter, measure;
    double load;
} setting;

static int complain(const ik_error *err)
{
    fprintf(stderr, "bench_threads: %s\n", err->text);
    return 1;
}

static bool set_pairs(ik_params *params, const char *const pairs[][2], ik_error *err)
{
    bool ok = true;
    for (; ok && (*pairs)[0]; pairs++)
        ok = ik_params_set(params, "bench", (*pairs)[0], (*pairs)[1], 0, 0, err) == IK_OK;
    return ok;
}

static bool set_up(setting *x, const bench_case *c, double scale, ik_error *err)
{
    static const ik_env env = {.seed = 1};
    static const char *const pipelined[][2] = {{"model", "pipelined"},
                                               {"flit", "125 B"},
                                               {"buffer", "4000 B"},
                                               {"iterations", "1"},
                                               {0}},
                             *const packets[][2] = {{"voq", "true"}, {0}},
                             *const flits[][2] = {{"packet", "125 B"}, {0}},
                             *const whole[][2] = {{0}};
    char duration[32];
    memset(x, 0, sizeof *x);
    snprintf(duration, sizeof duration, "%.0f ps", (double)c->duration_ps * scale);
    x->load = c->load;
    return ik_fabric_from_spec(c->fabric, &env, &x->f, err) == IK_OK &&
           ik_plan_from_specs(x->f, strstr(c->fabric, "mesh") ? "dor" : "dmodk",
                              c->pipelined ? "any" : "1q", NULL, c->pipelined ? 4 : 1, &env,
                              &x->plan, err) == IK_OK &&
           ik_traffic_from_spec(x->f, "uniform", &env, &x->traffic, err) == IK_OK &&
           ik_params_init(&x->sw, ik_switch_params, NULL, err) == IK_OK &&
           ik_params_init(&x->adapter, ik_adapter_params, NULL, err) == IK_OK &&
           ik_params_init(&x->measure, ik_measure_params, NULL, err) == IK_OK &&
           set_pairs(&x->sw, c->pipelined ? pipelined : packets, err) &&
           set_pairs(&x->adapter, c->pipelined ? flits : whole, err) &&
           ik_params_set(&x->measure, "measure", "warmup", "0 ns", 0, 0, err) == IK_OK &&
           ik_params_set(&x->measure, "measure", "duration", duration, 0, 0, err) == IK_OK;
}

static void tear_down(setting *x)
{
    ik_params_free(&x->sw);
    ik_params_free(&x->adapter);
    ik_params_free(&x->measure);
    ik_traffic_free(x->traffic);
    ik_plan_free(x->plan);
    ik_fabric_free(x->f);
}

typedef struct once {
    const setting *x;
    unsigned threads;
    ik_sim_sharing sharing;
    uint64_t hops, checksum;
    double cpu_seconds;
    ik_status status;
    ik_error err;
} once;

static void *run_once(void *arg)
{
    once *o = arg;
    ik_env env = {.seed = 1, .num_threads = o->threads};
    ik_sim_config config = {&o->x->sw, &o->x->adapter, &o->x->measure, o->x->load};
    ik_sim_result r;
    o->status = sim_run(o->x->plan, o->x->traffic, &config, &env, &r, &o->err);
    if (o->status != IK_OK)
        return NULL;
    o->sharing = r.sharing;
    o->hops = r.packet_hops;
    o->checksum = r.checksum;
    o->cpu_seconds = r.cpu_seconds;
    sim_result_clear(&r);
    return NULL;
}

/* The slowest of `threads` runs at once, each on one thread. */
static double run_at_once(const setting *x, unsigned threads)
{
    once runs[MAX_THREADS];
    pthread_t handles[MAX_THREADS];
    double slowest = 0;
    for (unsigned k = 0; k < threads; k++) {
        runs[k] = (once){.x = x, .threads = 1};
        if (pthread_create(&handles[k], NULL, run_once, &runs[k]) != 0)
            exit(complain(&(ik_error){.text = "no thread"}));
    }
    for (unsigned k = 0; k < threads; k++) {
        pthread_join(handles[k], NULL);
        slowest = runs[k].sharing.run_seconds > slowest ? runs[k].sharing.run_seconds : slowest;
    }
    return slowest;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static int measure(const bench_case *c, unsigned threads, unsigned pairs, double scale)
{
    setting x;
    once one = {.x = &x, .threads = 1}, many = {.x = &x, .threads = threads};
    double quotient[MAX_PAIRS], ceiling[MAX_PAIRS], cpu[MAX_PAIRS], shortest[2] = {1e9, 1e9};
    if (!set_up(&x, c, scale, &one.err))
        return complain(&one.err);
    for (unsigned k = 0; k < pairs; k++) {
        run_once(&one);
        run_once(&many);
        if (one.status != IK_OK || many.status != IK_OK)
            return complain(one.status != IK_OK ? &one.err : &many.err);
        if (one.checksum != many.checksum)
            return complain(&(ik_error){.text = "other results on several threads"});
        quotient[k] = one.sharing.run_seconds / many.sharing.run_seconds;
        shortest[0] = one.sharing.run_seconds < shortest[0] ? one.sharing.run_seconds : shortest[0];
        shortest[1] =
            many.sharing.run_seconds < shortest[1] ? many.sharing.run_seconds : shortest[1];
        cpu[k] = many.cpu_seconds / one.cpu_seconds;
        ceiling[k] = threads * one.sharing.run_seconds / run_at_once(&x, threads);
    }
    const ik_sim_sharing *s = &many.sharing;
    printf("%-32s %6u %4.0f%% %3u %8.1f %6.2f %5.3f %6.2f %8.2f %7.2f %8.2f %8.2f\n", c->fabric,
           x.f->num_hosts, c->load * 100, threads, (double)one.hops / (double)s->steps,
           (double)s->crossings / (double)one.hops, s->balance, threads / s->step_balance,
           median(quotient, pairs), shortest[0] / shortest[1], median(ceiling, pairs),
           median(cpu, pairs));
    fflush(stdout);
    tear_down(&x);
    return 0;
}

/* ---- cuts */

static int show_cuts(const char *fabric, const char *routing, const char *pattern)
{
    static const char *const names[] = {"whole pods", "METIS, pods", "consecutive", "METIS, load",
                                        "METIS, ports"};
    static const ik_env env = {.seed = 1};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    sim_loads loads = {0};
    ik_error err;
    if (ik_fabric_from_spec(fabric, &env, &f, &err) != IK_OK ||
        ik_plan_from_specs(f, routing, "1q", NULL, 1, &env, &plan, &err) != IK_OK ||
        ik_traffic_from_spec(f, pattern, &env, &traffic, &err) != IK_OK ||
        sim_loads_sample(plan, traffic, &loads, &err) != IK_OK)
        return complain(&err);
    uint16_t *partition_of = calloc(f->num_switches, sizeof *partition_of);
    for (uint32_t parts = 2; partition_of && parts <= 7; parts += parts < 4 ? 1 : 3) {
        sim_cut_quality q, best;
        if (sim_cut(f, &loads, parts, partition_of, &best, &err) != IK_OK)
            return complain(&err);
        for (int method = 0; method < SIM_CUT_METHODS; method++) {
            if (sim_cut_by(f, &loads, parts, (sim_cut_method)method, partition_of, &q, &err) !=
                IK_OK)
                continue; /* no pods */
            printf("%-24s %-12s %3u %-13s%s %8u %7u %7.3f %9.3f %7.3f\n", fabric, pattern, parts,
                   names[method], q.method == best.method ? "*" : " ", q.cut_channels, q.seams,
                   q.balance, q.crossings, q.cost);
        }
    }
    free(partition_of);
    sim_loads_free(&loads);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return 0;
}

static int all_cuts(void)
{
    static const char *const what[][3] = {{"rlft:ports=36,levels=3", "dmodk", "uniform"},
                                          {"rlft:ports=36,levels=3", "dmodk", "hotspot"},
                                          {"dragonfly:h=4", "minimal", "uniform"},
                                          {"torus:dims=8:8:8,p=4", "dor", "uniform"},
                                          {"slimfly:q=11", "minimal", "uniform"}};
    int status = 0;
    printf("%-24s %-12s %3s %-14s %8s %7s %7s %9s %7s\n", "fabric", "traffic", "thr", "cut",
           "channels", "seams", "balance", "cross/hop", "cost");
    for (size_t k = 0; k < sizeof what / sizeof *what; k++)
        status |= show_cuts(what[k][0], what[k][1], what[k][2]);
    printf("*: taken. channels: between partitions; seams: neighbouring numbers of switches apart; "
           "balance: events of the busiest\n"
           "partition over the mean; cross/hop: crossings of partitions by a packet over its hops; "
           "cost: busiest partition with its "
           "messages\n");
    return status;
}

int main(int argc, char **argv)
{
    long pairs = 5, threads = 2, only = 0;
    double scale = 1;
    bool cuts = false, wrong = false;
    for (int k = 1; k < argc; k++) {
        bool more = k + 1 < argc;
        if (strcmp(argv[k], "--cuts") == 0)
            cuts = true;
        else if (strcmp(argv[k], "--pairs") == 0 && more)
            pairs = strtol(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--threads") == 0 && more)
            threads = strtol(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--only") == 0 && more)
            only = strtol(argv[++k], NULL, 10);
        else if (strcmp(argv[k], "--scale") == 0 && more)
            scale = strtod(argv[++k], NULL);
        else
            wrong = true;
    }
    if (wrong || pairs < 1 || pairs > MAX_PAIRS || threads < 2 || threads > MAX_THREADS ||
        !(scale > 0)) {
        fprintf(stderr, "usage: %s [--cuts] [--pairs N] [--threads N] [--only CASE] [--scale X]\n",
                argv[0]);
        return 2;
    }
    if (cuts)
        return all_cuts();
    int status = 0;
    printf("%-32s %6s %5s %3s %8s %6s %5s %6s %8s %7s %8s %8s\n", "fabric", "hosts", "load", "thr",
           "hops/bar", "msgs/h", "bal.", "limit", "speed-up", "best", "machine", "CPU");
    for (long k = 0; k < NUM_CASES; k++)
        if (!only || only == k + 1)
            status |= measure(&cases[k], (unsigned)threads, (unsigned)pairs, scale);
    printf("hops/bar: packet-hops (pipelined router, karytree and mesh: flit-hops) between two "
           "barriers; msgs/h: records from partition to partition per hop; limit: by the balance\n"
           "barrier by barrier; speed-up: median of %ld pairs of runs; best: of the shortest runs; "
           "machine: what %ld runs on one thread gain at once,\n"
           "at that time; CPU: processor time of all threads over that of one\n",
           pairs, threads);
    return status;
}
