/* SPDX-License-Identifier: Apache-2.0
 *
 * distances_bench.c: all-pairs distances: ikat against igraph, in one run on the same graphs; both
 * answers must agree. usage: bench_distances [--json] [SPEC …]
 */
#include "ikat/ikat.h"

#include <igraph/igraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const standard[] = {"jellyfish:N=16384,d=16", "lrt:N=16384,d=6,r=6",
                                       "slimfly:q=43", NULL};

typedef struct figures {
    double ikat_s, ikat_one_s, igraph_s;
    double mean_ikat, mean_igraph;
} figures;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best of some runs, in seconds. */
static double time_ikat(const ik_fabric *f, unsigned threads, int runs, double *mean)
{
    double best = INFINITY;
    for (int i = 0; i < runs; i++) {
        ik_env env = {.num_threads = threads};
        ik_distances d;
        ik_error err;
        double start = now();
        if (ik_distances_measure(f, &env, &d, &err) != IK_OK) {
            fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
        best = fmin(best, now() - start);
        *mean = d.mean_switch_hops;
        ik_distances_free(&d);
    }
    return best;
}

static double time_igraph(const ik_fabric *f, double *mean)
{
    igraph_vector_int_t edges;
    igraph_t g;
    igraph_real_t average;
    igraph_vector_int_init(&edges, 0);
    for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++) {
        uint32_t to = ik_peer_node(f, p);
        if (to != IK_NONE && ik_is_switch(f, to) && p < f->port_peer[p]) {
            igraph_vector_int_push_back(&edges, f->port_node[p]);
            igraph_vector_int_push_back(&edges, to);
        }
    }
    igraph_create(&g, &edges, f->num_switches, IGRAPH_UNDIRECTED);
    double start = now();
    igraph_average_path_length(&g, &average, NULL, IGRAPH_UNDIRECTED, true);
    double taken = now() - start;
    *mean = average;
    igraph_destroy(&g);
    igraph_vector_int_destroy(&edges);
    return taken;
}

static bool measure(const char *spec, unsigned threads, figures *x)
{
    ik_fabric *f;
    ik_error err;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK) {
        fprintf(stderr, "%s: %s\n", spec, err.text);
        exit(2);
    }
    x->ikat_s = time_ikat(f, threads, 3, &x->mean_ikat);
    x->ikat_one_s = time_ikat(f, 1, 3, &x->mean_ikat);
    x->igraph_s = time_igraph(f, &x->mean_igraph);
    ik_fabric_free(f);
    return fabs(x->mean_ikat - x->mean_igraph) < 1e-9 * x->mean_ikat;
}

static void print_text(const char *spec, const figures *x)
{
    printf("%-26s %10.4f %10.4f %10.4f %8.1f %8.1f\n", spec, x->ikat_s, x->ikat_one_s, x->igraph_s,
           x->igraph_s / x->ikat_s, x->igraph_s / x->ikat_one_s);
    fflush(stdout);
}

static void print_json(const char *spec, unsigned threads, const figures *x, bool first)
{
    printf("%s\n {\"fabric\": \"%s\", \"threads\": %u, \"ikat_s\": %.6f, \"ikat_one_thread_s\": "
           "%.6f, \"igraph_s\": %.6f, "
           "\"times_faster\": %.2f}",
           first ? "" : ",", spec, threads, x->ikat_s, x->ikat_one_s, x->igraph_s,
           x->igraph_s / x->ikat_s);
}

int main(int argc, char **argv)
{
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0, agree = true;
    const char *const *specs = argc > 1 + json ? (const char *const *)argv + 1 + json : standard;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores > 0 ? (unsigned)cores : 1;
    if (json) {
        printf("[");
    } else {
        printf("%-26s %10s %10s %10s %8s %8s\n", "fabric", "ikat s", "1 thread s", "igraph s",
               "times", "1 thread");
    }
    for (int i = 0; specs[i]; i++) {
        figures x;
        agree = measure(specs[i], threads, &x) && agree;
        if (json)
            print_json(specs[i], threads, &x, i == 0);
        else
            print_text(specs[i], &x);
    }
    if (json)
        printf("\n]\n");
    if (!agree)
        fprintf(stderr, "ikat and igraph disagree\n");
    return agree ? 0 : 1;
}
