/* SPDX-License-Identifier: Apache-2.0
 *
 * test_worst.c: no permutation of the switches has a larger sum of distances than `worst` over the
 * longest distances: tried one by one on small graphs, and against another method on larger ones.
 */
#include "unit/made.h"

#include <limits.h>
#include <string.h>

enum { MOST_TRIED = 8, MOST = 100 };

typedef struct trial {
    uint32_t n;                    /* switches with hosts */
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

/* Row after row goes over the shortest way to a free column, with a loss of FAR for pairs that
 * cannot be matched: as many as can be are matched, since FAR is more than all distances. */
static void assign_rows(trial *t)
{
    enum { FAR = 1000000 };
    static long row[MOST + 1], column[MOST + 1], slack[MOST + 1];
    static uint32_t match[MOST + 1], before[MOST + 1];
    memset(row, 0, sizeof row);
    memset(column, 0, sizeof column);
    memset(match, 0, sizeof match);
    for (uint32_t i = 1; i <= t->n; i++) {
        bool used[MOST + 1] = {false};
        uint32_t at = 0;
        match[0] = i;
        for (uint32_t k = 0; k <= t->n; k++)
            slack[k] = LONG_MAX;
        while (match[at] != 0) {
            uint32_t next = 0;
            long change = LONG_MAX;
            used[at] = true;
            for (uint32_t k = 1; k <= t->n; k++) {
                if (used[k])
                    continue;
                const uint32_t d = t->distance[match[at] - 1][k - 1];
                const long over = (d ? -(long)d : FAR) - row[match[at]] - column[k];
                if (over < slack[k]) {
                    slack[k] = over;
                    before[k] = at;
                }
                if (slack[k] < change) {
                    change = slack[k];
                    next = k;
                }
            }
            for (uint32_t k = 0; k <= t->n; k++) {
                if (used[k]) {
                    row[match[k]] += change;
                    column[k] -= change;
                } else if (k > 0) {
                    slack[k] -= change;
                }
            }
            at = next;
        }
        for (; at != 0; at = before[at])
            match[at] = match[before[at]];
    }
    for (uint32_t k = 1; k <= t->n; k++) {
        const uint32_t d = t->distance[match[k] - 1][k - 1];
        t->best_num += d > 0;
        t->best_sum += d;
    }
}

/* Floyd and Warshall over the cables that are left, of the switches with hosts. */
static void find_distances(const ik_fabric *f, trial *t)
{
    enum { ALL = 200, FAR = 1000 };
    static uint32_t far[ALL][ALL];
    const uint32_t n = f->num_switches;
    uint32_t hosts[ALL] = {0}, with[ALL];
    assert_true(n <= ALL);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            far[a][b] = a == b ? 0 : FAR;
    for (uint32_t port = 0; port < f->port_base[n]; port++) {
        uint32_t peer = f->port_peer[port] == IK_NONE ? IK_NONE : f->port_node[f->port_peer[port]];
        if (peer < n)
            far[f->port_node[port]][peer] = 1;
    }
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                if (far[a][c] + far[c][b] < far[a][b])
                    far[a][b] = far[a][c] + far[c][b];
    for (uint32_t host = 0; host < f->num_hosts; host++)
        if (ik_host_switch(f, host) != IK_NONE)
            hosts[ik_host_switch(f, host)]++;
    for (uint32_t sw = 0; sw < n; sw++)
        if (hosts[sw] > 0)
            with[t->n++] = sw;
    assert_true(t->n <= MOST);
    for (uint32_t a = 0; a < t->n; a++)
        for (uint32_t b = 0; b < t->n; b++)
            t->distance[a][b] = far[with[a]][with[b]] < FAR ? far[with[a]][with[b]] : 0;
}

typedef struct sums {
    const ik_fabric *f;
    uint32_t to[200], from[200]; /* [switches] + 1; 0: none */
} sums;

static void add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    sums *s = ctx;
    const uint32_t a = ik_host_switch(s->f, src), b = ik_host_switch(s->f, dst);
    (void)weight;
    (void)scale;
    assert_true(a != b && (s->to[a] == 0 || s->to[a] == b + 1) &&
                (s->from[b] == 0 || s->from[b] == a + 1));
    s->to[a] = b + 1;
    s->from[b] = a + 1;
}

/* The first host of every switch that is matched sends. */
static void check_sum(const char *spec)
{
    static trial t;
    t = (trial){0};
    ik_fabric *f = fabric_of(spec);
    sums found = {.f = f};
    find_distances(f, &t);
    if (t.n <= MOST_TRIED)
        try_rows(&t, 0, 0, 0, 0);
    else
        assign_rows(&t);
    ik_traffic *traffic = traffic_of(f, "worst:method=longest");
    for (uint32_t host = 0; host < f->num_hosts; host++)
        traffic->family->flows(traffic, host, add_flow, &found);
    uint32_t num = 0, sum = 0, row = 0, rows[200] = {0};
    for (uint32_t host = 0; host < f->num_hosts; host++)
        rows[ik_host_switch(f, host)] = 1;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        rows[sw] = rows[sw] ? row++ : IK_NONE;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        num += found.to[sw] > 0;
        sum += found.to[sw] > 0 ? t.distance[rows[sw]][rows[found.to[sw] - 1]] : 0;
    }
    if (num != t.best_num || sum != t.best_sum)
        fail_msg("%s: %u pairs of %u hops, possible are %u of %u", spec, num, sum, t.best_num,
                 t.best_sum);
    ik_traffic_free(traffic);
    ik_fabric_free(f);
}

static void no_sum_is_larger(void **state)
{
    (void)state;
    static const char *const fabrics[] = {
        "mesh:dims=1:6",        "mesh:dims=2:4",        "ring:n=7",
        "torus:dims=2:3",       "fullmesh:n=5,p=1",     "jellyfish:N=8,d=3",
        "hypercube:n=3",        "mesh:dims=1:9",        "mesh:dims=7:8,p=2",
        "jellyfish:N=90,d=3",   "torus:dims=3:4:5,p=2", "dragonfly:h=2",
        "karytree:k=3,n=3",     "xgft:m=4:4:4,w=1:2:2", "mesh:dims=5:5,hosts=31,p=2",
        "mesh:dims=6:6,hosts=9"};
    char spec[96];
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        check_sum(fabrics[i]);
        for (unsigned seed = 1; seed <= 12; seed++) {
            snprintf(spec, sizeof spec, "%s,fail=30%%,fail_seed=%u", fabrics[i], seed);
            check_sum(spec);
        }
    }
}

/* A caller that cancels gets no pattern. */
static void is_cancelled(void **state)
{
    (void)state;
    const int cancel = 1;
    ik_env env = made_env;
    ik_error err = {0};
    ik_traffic *traffic = NULL;
    ik_fabric *f = fabric_of("mesh:dims=7:8");
    env.cancel = &cancel;
    assert_int_equal(ik_traffic_from_spec(f, "worst", &env, &traffic, &err), IK_ERR_CANCELLED);
    assert_null(traffic);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_sum_is_larger),
                                       cmocka_unit_test(is_cancelled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
