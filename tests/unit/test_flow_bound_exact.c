/* SPDX-License-Identifier: Apache-2.0
 *
 * test_flow_bound_exact.c: the maximum concurrent flow of random small fabrics against GLPK, which
 * solves the linear programme of all channels and hosts as they are: one commodity per source host,
 * nothing summed up. Built only where GLPK is installed; it is no part of ikat.
 */
#include <glpk.h>

#include "unit/made.h"

#include <math.h>

enum { SOURCES = 12, MOST_ENTRIES = 200000 };

/* The programme: columns 1 = rate, then per source host and channel its flow. */
typedef struct programme {
    glp_prob *lp;
    const ik_fabric *f;
    int *row, *column;
    double *value;
    int num; /* of the three, from 1 on */
    double offered[SOURCES][SOURCES];
} programme;

static int column_of(const programme *p, uint32_t src, uint32_t port)
{
    return 2 + (int)(src * p->f->num_ports + port);
}

static void put(programme *p, int row, int column, double value)
{
    p->num++;
    assert_true(p->num < MOST_ENTRIES);
    p->row[p->num] = row;
    p->column[p->num] = column;
    p->value[p->num] = value;
}

static void note_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    programme *p = ctx;
    p->offered[src][dst] += src == dst ? 0 : (double)weight / (double)scale;
}

/* Gb/s that the host may send. */
static double host_rate(const ik_fabric *f, uint32_t host)
{
    uint32_t node = ik_host_node(f, host);
    double sum = 0;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
        sum += f->port_peer[port] != IK_NONE ? (double)ik_port_rate_bps(f, port) / 1e9 : 0;
    return sum;
}

/* What enters the node minus what leaves it, of what src sends, is what the node receives of it. */
static void conserve(programme *p, uint32_t src, uint32_t node)
{
    const ik_fabric *f = p->f;
    uint32_t own = ik_host_node(f, src);
    int row = glp_add_rows(p->lp, 1);
    glp_set_row_bnds(p->lp, row, GLP_FX, 0, 0);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        if (node != own)
            put(p, row, column_of(p, src, f->port_peer[port]), 1);
        put(p, row, column_of(p, src, port), -1);
        if (node != own && !ik_is_switch(f, node)) /* hosts pass nothing on */
            glp_set_col_bnds(p->lp, column_of(p, src, port), GLP_FX, 0, 0);
    }
    double received = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++)
        if (node == own)
            received -= p->offered[src][host] * host_rate(f, src);
        else if (node == ik_host_node(f, host))
            received = p->offered[src][host] * host_rate(f, src);
    if (received != 0)
        put(p, row, 1, -received);
}

static void limit_channels(programme *p)
{
    for (uint32_t port = 0; port < p->f->num_ports; port++) {
        if (p->f->port_peer[port] == IK_NONE)
            continue;
        int row = glp_add_rows(p->lp, 1);
        glp_set_row_bnds(p->lp, row, GLP_UP, 0, (double)ik_port_rate_bps(p->f, port) / 1e9);
        for (uint32_t src = 0; src < p->f->num_hosts; src++)
            put(p, row, column_of(p, src, port), 1);
    }
}

/* The rate, at most 1, that GLPK finds. */
static double exact_rate(const ik_traffic *t)
{
    const ik_fabric *f = t->fabric;
    programme p = {.lp = glp_create_prob(), .f = f};
    assert_true(f->num_hosts <= SOURCES);
    p.row = calloc(MOST_ENTRIES, sizeof *p.row);
    p.column = calloc(MOST_ENTRIES, sizeof *p.column);
    p.value = calloc(MOST_ENTRIES, sizeof *p.value);
    for (uint32_t src = 0; src < f->num_hosts; src++)
        t->family->flows(t, src, note_flow, &p);
    glp_set_obj_dir(p.lp, GLP_MAX);
    glp_add_cols(p.lp, 1 + (int)(f->num_hosts * f->num_ports));
    glp_set_col_bnds(p.lp, 1, GLP_DB, 0, 1);
    glp_set_obj_coef(p.lp, 1, 1);
    for (int column = 2; column < 2 + (int)(f->num_hosts * f->num_ports); column++)
        glp_set_col_bnds(p.lp, column, GLP_LO, 0, 0);
    for (uint32_t src = 0; src < f->num_hosts; src++)
        for (uint32_t node = 0; node < ik_num_nodes(f); node++)
            conserve(&p, src, node);
    limit_channels(&p);
    glp_load_matrix(p.lp, p.num, p.row, p.column, p.value);
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.presolve = GLP_ON;
    assert_int_equal(glp_simplex(p.lp, &how), 0);
    double rate = glp_get_obj_val(p.lp);
    glp_delete_prob(p.lp);
    free(p.row);
    free(p.column);
    free(p.value);
    return rate;
}

/* Switches in a ring, so that all is connected, and links at random, some of them parallel; hosts
 * of one to three cables; rates of 25, 50 and 100 Gb/s. */
static ik_fabric *random_fabric(uint64_t seed)
{
    static const uint64_t rates[] = {25000000000, 50000000000, 100000000000};
    enum { RADIX = 24 };
    ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, 0);
    uint32_t switches = 3 + ik_rng_below(&rng, 5), hosts = 4 + ik_rng_below(&rng, 5);
    uint32_t extra = ik_rng_below(&rng, 6), used[8] = {0};
    bool rails = ik_rng_below(&rng, 2);
    ik_builder *b = ik_builder_new();
    ik_builder_switches(b, switches, RADIX);
    ik_builder_hosts(b, hosts, 3);
    for (uint32_t i = 0; i < switches + extra; i++) {
        uint32_t from = i % switches, to = (i + 1) % switches;
        if (i >= switches)
            to = (from + 1 + ik_rng_below(&rng, switches - 1)) % switches;
        uint16_t class = ik_builder_class(b, rates[ik_rng_below(&rng, 3)], 1000, NULL);
        ik_builder_link(b, ik_sw(from, used[from]++), ik_sw(to, used[to]++), class);
    }
    for (uint32_t h = 0; h < hosts; h++) {
        uint32_t cables = rails ? 1 + ik_rng_below(&rng, 3) : 1;
        for (uint32_t k = 0; k < cables; k++) {
            uint32_t sw = ik_rng_below(&rng, switches);
            uint16_t class = ik_builder_class(b, rates[ik_rng_below(&rng, 3)], 1000, NULL);
            ik_builder_link(b, ik_hs(h, k), ik_sw(sw, used[sw]++), class);
        }
    }
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("random fabric %llu: %s", (unsigned long long)seed, err.text);
    ik_builder_free(b);
    return f;
}

/* lower <= exact <= upper, and as close as asked for. */
static void compare(const ik_fabric *f, const char *name, const char *pattern)
{
    ik_traffic *t = traffic_of(f, pattern);
    ik_flow_bound b;
    ik_error err = {0};
    if (ik_flow_bound_measure(t, .01, &made_env, &b, &err) != IK_OK)
        fail_msg("%s, %s: %s", name, pattern, err.text);
    double exact = exact_rate(t);
    if (b.lower > exact * (1 + 1e-7) || b.upper < exact * (1 - 1e-7))
        fail_msg("%s, %s: %.12g is not between %.12g and %.12g", name, pattern, exact, b.lower,
                 b.upper);
    if (b.upper - b.lower > .01 * b.upper || b.end != IK_FLOW_CLOSE)
        fail_msg("%s, %s: between %.12g and %.12g after %u passes", name, pattern, b.lower, b.upper,
                 b.passes);
    ik_traffic_free(t);
}

static void random_fabrics(void **state)
{
    (void)state;
    static const char *const patterns[] = {"uniform", "permutation", "hotspot:nodes=1,fraction=40%",
                                           "shift:by=2"};
    for (uint64_t seed = 0; seed < 150; seed++) {
        ik_fabric *f = random_fabric(seed);
        char name[40];
        snprintf(name, sizeof name, "random fabric %llu", (unsigned long long)seed);
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
            compare(f, name, patterns[k]);
        ik_fabric_free(f);
    }
}

static void generated_fabrics(void **state)
{
    (void)state;
    static const char *const specs[] = {"pgft:m=2:3,w=2:2,p=1:2",       "ring:n=5,p=2",
                                        "mesh:dims=2:3,p=2,fail=sw1.3", "jellyfish:N=6,d=3,p=2",
                                        "xgft:m=3:4,w=1:2,fail=10%",    "dragonfly:p=1,a=3,h=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = fabric_of(specs[i]);
        compare(f, specs[i], "uniform");
        compare(f, specs[i], "permutation");
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_fabrics),
        cmocka_unit_test(generated_fabrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
