/* SPDX-License-Identifier: Apache-2.0
 *
 * test_worst.c: no permutation of the switches has a larger sum of distances than `worst` over the
 * longest distances, tried one by one on small graphs.
 */
#include "unit/made.h"

enum { MOST = 8 };

typedef struct trial {
    uint32_t n;
    uint32_t distance[MOST][MOST]; /* 0: cannot be matched */
    uint32_t best_num, best_sum;
} trial;

/* Row after row takes a column that is free, or none. */
static void try_rows(trial *t, uint32_t row, unsigned taken, uint32_t num, uint32_t sum)
{
    if (row == t->n) {
        if (num > t->best_num || (num == t->best_num && sum > t->best_sum)) {
            t->best_num = num;
            t->best_sum = sum;
        }
        return;
    }
    try_rows(t, row + 1, taken, num, sum);
    for (uint32_t k = 0; k < t->n; k++)
        if (!(taken >> k & 1) && t->distance[row][k])
            try_rows(t, row + 1, taken | 1u << k, num + 1, sum + t->distance[row][k]);
}

/* Floyd and Warshall over the cables that are left. */
static void find_distances(const ik_fabric *f, trial *t)
{
    enum { FAR = 1000 };
    t->n = f->num_switches;
    for (uint32_t a = 0; a < t->n; a++)
        for (uint32_t b = 0; b < t->n; b++)
            t->distance[a][b] = a == b ? 0 : FAR;
    for (uint32_t port = 0; port < f->port_base[t->n]; port++) {
        uint32_t peer = f->port_peer[port] == IK_NONE ? IK_NONE : f->port_node[f->port_peer[port]];
        if (peer < t->n)
            t->distance[f->port_node[port]][peer] = 1;
    }
    for (uint32_t c = 0; c < t->n; c++)
        for (uint32_t a = 0; a < t->n; a++)
            for (uint32_t b = 0; b < t->n; b++)
                if (t->distance[a][c] + t->distance[c][b] < t->distance[a][b])
                    t->distance[a][b] = t->distance[a][c] + t->distance[c][b];
    for (uint32_t a = 0; a < t->n; a++)
        for (uint32_t b = 0; b < t->n; b++)
            if (t->distance[a][b] >= FAR)
                t->distance[a][b] = 0;
}

typedef struct sums {
    const ik_fabric *f;
    const trial *t;
    uint32_t num, sum;
} sums;

static void add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    sums *s = ctx;
    (void)weight;
    (void)scale;
    s->num++;
    s->sum += s->t->distance[ik_host_switch(s->f, src)][ik_host_switch(s->f, dst)];
}

/* Each switch has one host, so that flows are pairs of switches. */
static void check_sum(const char *spec)
{
    trial t = {0};
    ik_fabric *f = fabric_of(spec);
    ik_traffic *traffic = traffic_of(f, "worst:method=longest");
    sums found = {.f = f, .t = &t};
    find_distances(f, &t);
    try_rows(&t, 0, 0, 0, 0);
    for (uint32_t host = 0; host < f->num_hosts; host++)
        traffic->family->flows(traffic, host, add_flow, &found);
    if (found.num != t.best_num || found.sum != t.best_sum)
        fail_msg("%s: %u pairs of %u hops, possible are %u of %u", spec, found.num, found.sum,
                 t.best_num, t.best_sum);
    ik_traffic_free(traffic);
    ik_fabric_free(f);
}

static void no_sum_is_larger(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"mesh:dims=1:6",  "mesh:dims=2:4",    "ring:n=7",
                                          "torus:dims=2:3", "fullmesh:n=5,p=1", "jellyfish:N=8,d=3",
                                          "hypercube:n=3"};
    char spec[96];
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        check_sum(fabrics[i]);
        for (unsigned seed = 1; seed <= 12; seed++) {
            snprintf(spec, sizeof spec, "%s,fail=30%%,fail_seed=%u", fabrics[i], seed);
            check_sum(spec);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_sum_is_larger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
