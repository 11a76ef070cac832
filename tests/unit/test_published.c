/* SPDX-License-Identifier: Apache-2.0
 *
 * test_published.c: what others have published of throughput and of the parts of networks, for the
 * same systems. Where a figure is of random graphs, ours are other draws than theirs: the mean of
 * five is compared.
 *
 * Throughput: results of linear programs that topobench (S. A. Jyothi, A. Singla, P. B. Godfrey, A.
 * Kolla, Measuring and Understanding Throughput of Network Topologies, SC 2016) and its successor
 * (github.com/ndal-eth/topobench at 238de4d8, folder results; traffic of whole racks, any paths)
 * publish as text. Slim Fly: M. Besta, T. Hoefler, Slim Fly: A Cost Effective Low-Diameter Network
 * Topology, SC 2014, and its page at spcl.inf.ethz.ch.
 */
#include "unit/made.h"

#include <math.h>

enum { SEEDS = 5 };

static ik_flow_bound bound_of(const char *fabric, const char *pattern)
{
    ik_fabric *f = fabric_of(fabric);
    ik_traffic *t = traffic_of(f, pattern);
    ik_flow_bound b = {0};
    ik_error err = {0};
    if (ik_flow_bound_measure(t, .01, &made_env, &b, &err) != IK_OK)
        fail_msg("%s on %s: %s (%s)", pattern, fabric, err.text, err.hint);
    ik_traffic_free(t);
    ik_fabric_free(f);
    return b;
}

/* ---- topobench */

/* Throughput of a Jellyfish, whose seeds 1 to 5 end the spec: mean of the middles. */
static double mean_throughput(const char *jellyfish, const char *pattern)
{
    char spec[128];
    double sum = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        snprintf(spec, sizeof spec, "jellyfish:%s,seed=%u", jellyfish, seed);
        ik_flow_bound b = bound_of(spec, pattern);
        sum += (b.lower + b.upper) / 2;
    }
    return sum / SEEDS;
}

/* Their maximum-weight matching joins pairs that send to each other, ours is a permutation; each of
 * their numbers is of one graph, or of a few, and ours differ by up to 1.5 % from their mean: 3 %.
 * Before `worst` made the sum of distances as large as it can be, the second was missed by 10 %. */
static void longest_matching(void **state)
{
    (void)state;
    static const struct {
        const char *jellyfish;
        double throughput;
    } rows[] = {
        {"N=90,d=10,p=10", 3.0894 / 10},   /* topadap/ta_comparison_static_tops, MAWP 1.0 */
        {"N=231,d=10,p=10", 2.55164 / 10}, /* patheval/ksp_comparison_jf_mawp, K=300 */
        {"N=120,d=6,p=6", 0.232907},       /* tutorial/tutorial_expected_result, MAWP 1.0 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double found = mean_throughput(rows[i].jellyfish, "worst");
        if (fabs(found / rows[i].throughput - 1) > .03)
            fail_msg("%s: %.4f, published %.4f", rows[i].jellyfish, found, rows[i].throughput);
    }
}

/* patheval/ksp_comparison_jf_rpp, K=300: one random permutation of the racks, 10 hosts in each, of
 * one graph. A host that is ten times as fast stands for a rack. */
static void random_pairs(void **state)
{
    (void)state;
    double found =
        mean_throughput("N=231,d=10,link_rate=10 Gb/s,host_rate=100 Gb/s", "permutation");
    if (fabs(found / (2.97887 / 10) - 1) > .03)
        fail_msg("%.4f, published %.4f", found, 2.97887 / 10);
}

/* A. Singla, C.-Y. Hong, L. Popa, P. B. Godfrey, Jellyfish: Networking Data Centers Randomly, NSDI
 * 2012: up to 25 % more hosts at full capacity than the fat tree of the same switches. With k ports
 * that tree has 5 k^2 / 4 switches and k^3 / 4 hosts; with k / 4 hosts per switch it is 25 %.
 * With 8 ports some seeds carry 3 % less. */
static void a_quarter_more_hosts(void **state)
{
    (void)state;
    static const unsigned ports[] = {12, 16};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        const unsigned k = ports[i];
        char tree[64], random[96];
        snprintf(tree, sizeof tree, "rlft:ports=%u,levels=3", k);
        ik_fabric *f = fabric_of(tree);
        assert_int_equal(f->num_switches, 5 * k * k / 4);
        assert_int_equal(f->num_hosts, k * k * k / 4);
        assert_true(bound_of(tree, "permutation").lower >= 1 - 1e-9);
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            snprintf(random, sizeof random, "jellyfish:N=%u,d=%u,p=%u,seed=%u", f->num_switches,
                     k - k / 4, k / 4, seed);
            ik_fabric *g = fabric_of(random);
            assert_int_equal(4 * g->num_hosts, 5 * f->num_hosts);
            ik_fabric_free(g);
            double lower = bound_of(random, "permutation").lower;
            if (lower < .99)
                fail_msg("%s: %.4f", random, lower);
        }
        ik_fabric_free(f);
    }
}

/* Jyothi et al.: no traffic that the hosts can send has less than half the throughput of
 * all to all, since it can be sent through intermediate hosts drawn at random. */
static void at_least_half_of_all_to_all(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"jellyfish:N=60,d=5,p=5",
                                          "slimfly:q=5,p=4",
                                          "dragonfly:h=2",
                                          "torus:dims=4:6,p=3",
                                          "hyperx:dims=4:4,p=4",
                                          "polarfly:q=5,p=4",
                                          "hypercube:n=4,p=4",
                                          "oft:k=4",
                                          "mlfm:h=4",
                                          "xgft:m=4:4:4,w=1:2:2"};
    static const char *const patterns[] = {"worst:method=longest", "permutation", "tornado"};
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        ik_fabric *f = fabric_of(fabrics[i]);
        /* of uniform traffic a host sends nothing to itself */
        double all = bound_of(fabrics[i], "uniform").lower * f->num_hosts / (f->num_hosts - 1.);
        ik_fabric_free(f);
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            ik_flow_bound b = bound_of(fabrics[i], patterns[k]);
            if (b.upper < fmin(1, all / 2) * (1 - 1e-9))
                fail_msg("%s, %s: %.4f, all to all %.4f", fabrics[i], patterns[k], b.upper, all);
        }
    }
}

/* ---- Slim Fly */

static uint64_t num_cables(const ik_fabric *f)
{
    uint64_t ends = 0;
    for (uint32_t port = 0; port < f->num_ports; port++)
        ends += f->port_peer[port] != IK_NONE;
    return ends / 2;
}

/* q = 19: 722 routers, 10,830 hosts; against a full fat tree of 3 levels more than half of the
 * routers and more than 30 % of the cables are saved, for as many hosts (here with 36 ports). */
static void slim_fly_parts(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("slimfly:q=19,p=15"), *tree = fabric_of("rlft:ports=36,levels=3");
    assert_int_equal(f->num_switches, 722);
    assert_int_equal(f->num_hosts, 10830);
    assert_int_equal(num_cables(f) - f->num_hosts, 722 * 29 / 2);
    const double share = (double)f->num_hosts / tree->num_hosts;
    assert_true(f->num_switches < .5 * share * tree->num_switches);
    assert_true((double)num_cables(f) < .7 * share * (double)num_cables(tree));
    ik_fabric_free(f);
    ik_fabric_free(tree);
}

/* The layout of the paper: q groups of 2 q routers with all their hosts, and 2 q cables between any
 * two groups. These are the groups that a floor plan keeps together. */
static void slim_fly_groups(void **state)
{
    (void)state;
    static const uint32_t orders[] = {5, 7, 9, 19};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const uint32_t q = orders[i];
        char spec[32];
        snprintf(spec, sizeof spec, "slimfly:q=%u", q);
        ik_fabric *f = fabric_of(spec);
        uint32_t (*group)(const ik_fabric *f, uint32_t sw) =
            ik_topology_find("slimfly", NULL)->rack_group;
        uint32_t members[32] = {0}, between[32][32] = {{0}};
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            assert_true(group(f, sw) < q);
            members[group(f, sw)]++;
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
                if (ik_is_switch(f, ik_peer_node(f, port)))
                    between[group(f, sw)][group(f, ik_peer_node(f, port))]++;
        }
        for (uint32_t a = 0; a < q; a++) {
            assert_int_equal(members[a], 2 * q);
            for (uint32_t b = 0; b < q; b++)
                assert_true(a == b || between[a][b] == 2 * q);
        }
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longest_matching),     cmocka_unit_test(random_pairs),
        cmocka_unit_test(a_quarter_more_hosts), cmocka_unit_test(at_least_half_of_all_to_all),
        cmocka_unit_test(slim_fly_parts),       cmocka_unit_test(slim_fly_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
