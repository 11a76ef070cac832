/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts with several cables: which ports the routings take, that every cable is used or the routing
 * refuses, that proofs, loads and simulations of every routing agree about them. */
#include "unit/part.h"
#include "unit/sim_helper.h"

#include <math.h>
#include <unistd.h>

/* ---- fabrics */

/* A ring of n switches with `per_switch` hosts each, every host on its switch and the next one. */
static ik_fabric *dual_homed_ring(uint32_t n, uint32_t per_switch)
{
    ik_builder *b = ik_builder_new();
    uint16_t link = ik_builder_class(b, 100000000000, 6000, NULL);
    ik_builder_switches(b, n, 2 + 2 * per_switch);
    ik_builder_hosts(b, n * per_switch, 2);
    for (uint32_t sw = 0; sw < n; sw++) {
        ik_builder_link(b, ik_sw(sw, 0), ik_sw((sw + 1) % n, 1), link);
        for (uint32_t k = 0; k < per_switch; k++) {
            ik_builder_link(b, ik_hs(sw * per_switch + k, 0), ik_sw(sw, 2 + k), link);
            ik_builder_link(b, ik_hs(sw * per_switch + k, 1),
                            ik_sw((sw + 1) % n, 2 + per_switch + k), link);
        }
    }
    ik_builder_family(b, "file", "dual_homed_ring", NULL, 0);
    ik_fabric *f = NULL;
    ik_error err;
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_builder_free(b);
    return f;
}

/* Host 1 of the tree loses its second cable, host 2 both. */
static ik_fabric *with_dead_cables(void)
{
    ik_fabric *whole = fabric_of("xgft:m=4:3,w=2:2"), *f = NULL;
    uint32_t base = whole->port_base[ik_host_node(whole, 1)];
    const uint32_t dead[] = {base + 1, base + 2, base + 3};
    ik_error err;
    assert_int_equal(ik_fabric_degrade(whole, dead, 3, NULL, 0, &f, &err), IK_OK);
    ik_fabric_free(whole);
    return f;
}

enum { NUM_FABRICS = 5 };
static ik_fabric *make_fabric(unsigned which)
{
    switch (which) {
    case 0:
        return fabric_of("xgft:m=4:4,w=2:2");
    case 1:
        return fabric_of("pgft:m=2:3,w=1:2,p=2:1");
    case 2:
        return fabric_of("xgft:m=3:2:2,w=2:1:2");
    case 3:
        return dual_homed_ring(5, 2);
    default:
        return with_dead_cables();
    }
}

/* ---- the split fabric */

static void test_split_keeps_ports(void **state)
{
    (void)state;
    for (unsigned which = 0; which < NUM_FABRICS; which++) {
        ik_fabric *f = make_fabric(which), *split = NULL;
        ik_error err;
        assert_true(ik_fabric_has_rails(f));
        assert_int_equal(ik_fabric_split(f, &split, &err), IK_OK);
        assert_int_equal(ik_fabric_check(split, &err), IK_OK);
        assert_false(ik_fabric_has_rails(split));
        assert_int_equal(split->num_ports, f->num_ports);
        for (uint32_t port = 0; port < f->num_ports; port++) {
            assert_int_equal(split->port_peer[port], f->port_peer[port]);
            assert_int_equal(ik_port_number(split, port), ik_port_number(f, port));
            assert_int_equal(ik_port_guid(split, port), ik_port_guid(f, port));
            uint32_t node = f->port_node[port], mine = split->port_node[port];
            if (ik_is_switch(f, node))
                assert_int_equal(mine, node);
            else
                assert_int_equal(split->split->host_of[ik_node_host(split, mine)],
                                 ik_node_host(f, node));
        }
        for (uint32_t host = 0; host < f->num_hosts; host++) {
            uint32_t rails = ik_host_rails(f, host), first = split->split->first[host];
            assert_int_equal(split->split->first[host + 1] - first, rails ? rails : 1);
            assert_int_equal(ik_split_next(split, first), split->split->first[host + 1]);
        }
        ik_fabric_free(split);
        ik_fabric_free(f);
    }
}

/* ---- r_0 */

static uint32_t digit_1(uint32_t host, uint32_t m_1)
{
    return host % m_1;
}

/* The channels of the one path of a pair begin and end at these ports of the hosts. */
static void expect_ports(const ik_plan *plan, const ik_fabric *f, uint32_t src, uint32_t dst,
                         uint32_t out, uint32_t in)
{
    uint32_t from, to, channels[64];
    assert_int_equal(ik_rails_count(plan->routing, src, dst), 1);
    ik_rails_nth(plan->routing, src, dst, 0, &from, &to);
    assert_true(ik_rails_used(plan->routing, from, to));
    uint32_t length = ik_plan_path(plan, from, to, 0, channels, 64);
    assert_true(length >= 2);
    assert_int_equal(channels[0], f->port_base[ik_host_node(f, src)] + out);
    assert_int_equal(f->port_peer[channels[length - 1]], f->port_base[ik_host_node(f, dst)] + in);
}

static void test_r_0_by_the_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t m_1, ports; /* w_1 p_1 */
    } trees[] = {
        {"xgft:m=4:4,w=2:2", 4, 2},
        {"xgft:m=3:4,w=2:3", 3, 2},
        {"xgft:m=2:3:2,w=3:2:2", 2, 3},
        {"xgft:m=6,w=4", 6, 4},
        {"xgft:m=5:2:2,w=2:1:3", 5, 2},
        {"pgft:m=4:4,w=1:2,p=2:1", 4, 2},
        {"pgft:m=4:3,w=2:2,p=2:2", 4, 4},
        {"pgft:m=3:2:2,w=2:2:2,p=1:2:1", 3, 2},
        {"pgft:m=2:2:2:2,w=3:1:2:1,p=2:1:2:1", 2, 6},
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        ik_fabric *f = fabric_of(trees[i].spec);
        uint32_t m_1 = trees[i].m_1, ports = trees[i].ports;
        static const char *const routings[] = {"dmodk", "smodk", "dmodk_pgft"};
        for (size_t k = 0; k < 3; k++) {
            ik_plan *plan = NULL;
            ik_error err;
            assert_int_equal(
                ik_plan_from_specs(f, routings[k], NULL, NULL, 0, &made_env, &plan, &err), IK_OK);
            for (uint32_t src = 0; src < f->num_hosts; src++)
                for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
                    uint32_t r_0 = k == 0   ? digit_1(dst, m_1) % ports
                                   : k == 1 ? digit_1(src, m_1) % ports
                                            : dst % ports;
                    if (src != dst)
                        expect_ports(plan, f, src, dst, r_0, r_0);
                }
            ik_plan_free(plan);
        }
        ik_fabric_free(f);
    }
}

/* The random relabelling of r-NCA gives every port floor or ceiling of its share of a leaf's
 * hosts. */
static void test_rnca_ports_are_balanced(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=5:4,w=2:2");
    ik_routing *up = routing_on(f, "rnca_up:seed=5"), *down = routing_on(f, "rnca_down:seed=5");
    for (uint32_t leaf = 0; leaf < 4; leaf++) {
        uint32_t by_up[2] = {0}, by_down[2] = {0}, from, to;
        for (uint32_t k = 0; k < 5; k++) {
            uint32_t host = leaf * 5 + k, other = (host + 7) % 20;
            ik_rails_nth(up, host, other, 0, &from, &to);
            by_up[from - 2 * host]++;
            ik_rails_nth(down, other, host, 0, &from, &to);
            by_down[to - 2 * host]++;
        }
        assert_in_range(by_up[0], 2, 3);
        assert_in_range(by_down[0], 2, 3);
    }
    ik_routing_free(up);
    ik_routing_free(down);
    ik_fabric_free(f);
}

/* ---- every routing: all cables, or a refusal by name */

/* NULL: it needs what a test has no use for (a file of tables). */
static const char *spec_of(const ik_routing_family *family, char *buffer, size_t size)
{
    if (strcmp(family->name, "lft") == 0 || strcmp(family->name, "ar") == 0)
        return NULL;
    snprintf(buffer, size, "%s%s", family->name,
             strcmp(family->name, "colored") == 0 ? ":traffic=shift" : "");
    return buffer;
}

static bool connected(const ik_fabric *f, uint32_t host)
{
    return ik_host_rails(f, host) > 0;
}

/* Proves the plan, and that uniform traffic loads each cable of a host in one direction at
 * least. */
static void expect_all_cables(const ik_plan *plan, const ik_fabric *f, const char *what)
{
    ik_error err;
    ik_proof proof;
    ik_load load;
    ik_traffic *t = NULL;
    uint64_t hosts = f->num_hosts, wired = 0;
    for (uint32_t host = 0; host < hosts; host++)
        wired += connected(f, host);
    assert_int_equal(ik_verify(plan, NULL, &made_env, &proof, &err), IK_OK);
    if (proof.delivered != IK_YES || proof.pairs != hosts * (hosts - 1) ||
        proof.unconnected != hosts * (hosts - 1) - wired * (wired - 1))
        fail_msg("%s: %llu pairs, %llu unconnected, %llu lost", what,
                 (unsigned long long)proof.pairs, (unsigned long long)proof.unconnected,
                 (unsigned long long)proof.undelivered);
    if (plan->routing->claims & IK_CLAIM_MINIMAL)
        assert_int_equal(proof.minimal, IK_YES);
    assert_int_equal(proof.deadlock_free, IK_YES);
    assert_int_equal(ik_traffic_from_spec(f, "uniform", &made_env, &t, &err), IK_OK);
    assert_int_equal(ik_load_measure(plan->routing, t, &made_env, &load, &err), IK_OK);
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer != IK_NONE && load.load[port] <= 0 && load.load[peer] <= 0)
            fail_msg("%s: the cable of port %u of host %u carries nothing", what,
                     ik_port_local(f, port), ik_node_host(f, f->port_node[port]));
    }
    ik_load_free(&load);
    ik_traffic_free(t);
    ik_proof_free(&proof);
}

static void test_every_routing_uses_all_cables_or_refuses(void **state)
{
    (void)state;
    char spec[64], what[160];
    for (unsigned which = 0; which < NUM_FABRICS; which++) {
        ik_fabric *f = make_fabric(which);
        unsigned accepted = 0;
        for (const ik_routing_family *const *r = ik_routings(); *r; r++) {
            ik_plan *plan = NULL;
            ik_error err = {0};
            if (!spec_of(*r, spec, sizeof spec))
                continue;
            snprintf(what, sizeof what, "%s on fabric %u", spec, which);
            ik_status status = ik_plan_from_specs(f, spec, NULL, NULL, 0, &made_env, &plan, &err);
            if (status == IK_OK) {
                expect_all_cables(plan, f, what);
                accepted++;
            } else if (status != IK_ERR_UNSUPPORTED || !strstr(err.text, (*r)->name)) {
                fail_msg("%s: %s", what, err.text);
            }
            ik_plan_free(plan);
        }
        assert_true(accepted >= (which < 3 ? 17 : 8));
        ik_fabric_free(f);
    }
}

static void test_colored_refuses_by_name(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=2:2");
    ik_routing *r = NULL;
    ik_error err;
    assert_int_equal(ik_routing_from_spec(f, "colored:traffic=shift", &made_env, &r, &err),
                     IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "routing 'colored' leads to one cable per host; host0 has 2"));
    ik_fabric_free(f);
}

/* ---- static load and simulation */

static double bytes_per_load(const ik_sim_result *r, double load, double host_bps)
{
    return load * host_bps * (double)r->window_ps / 8e12;
}

/* Bytes of every channel against the static load, within six standard deviations of a Poisson
 * count. */
static void expect_loads(const ik_plan *plan, const ik_fabric *f, const char *model,
                         const char *what)
{
    ik_error err = {0};
    ik_load load;
    ik_traffic *t = NULL;
    ik_sim_result r = {0};
    /* Where a switch chooses among ports, static shares of inner channels are an idealisation. */
    bool shares_hold = plan->routing->kind == IK_ROUTE_DETERMINISTIC ||
                       strcmp(plan->routing->family->name, "oblivious") == 0;
    scenario c = {.fabric = "",
                  .sw = model,
                  .adapter = "injection=poisson",
                  .load = 0.1,
                  .measure = "warmup=20 us;duration=400 us"};
    assert_int_equal(ik_traffic_from_spec(f, "uniform", &made_env, &t, &err), IK_OK);
    assert_int_equal(ik_load_measure(plan->routing, t, &made_env, &load, &err), IK_OK);
    if (run_plan(plan, t, &c, &r, &err) != IK_OK)
        fail_msg("%s: %s", what, err.text);
    double packet = 4096, unit = bytes_per_load(&r, 0.1, 200e9), total = 0, ejected = 0;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t to = ik_peer_node(f, port);
        bool inner = ik_is_switch(f, f->port_node[port]) && to != IK_NONE && ik_is_switch(f, to);
        if (to == IK_NONE || (inner && !shares_hold))
            continue;
        double expected = load.load[port] * unit, slack = 6 * sqrt(expected * packet) + 40 * packet;
        if (fabs((double)r.channel_bytes[port] - expected) > slack)
            fail_msg("%s: port %u carries %.0f bytes, %.0f expected (+- %.0f)", what, port,
                     (double)r.channel_bytes[port], expected, slack);
        ejected += ik_is_switch(f, to) ? 0 : (double)r.channel_bytes[port];
    }
    for (uint32_t host = 0; host < f->num_hosts; host++)
        total += (double)r.host_bytes[host];
    assert_true(fabs(total - ejected) <= 0.02 * total); /* by host what came by its ports */
    assert_true(fabs(r.throughput - r.offered) < 0.01 && fabs(r.offered - 0.1) < 0.01);
    assert_int_equal(r.packets_unroutable, 0);
    sim_result_clear(&r);
    ik_load_free(&load);
    ik_traffic_free(t);
}

static void test_simulated_load_is_the_static_one(void **state)
{
    (void)state;
    static const char *const models[] = {"", "model=ioq", "model=pipelined"};
    char spec[64], what[160];
    bool all = all_asked();
    for (unsigned which = 0; which < 4; which++) {
        ik_fabric *f = make_fabric(which);
        unsigned n = 0;
        for (const ik_routing_family *const *r = ik_routings(); *r; r++, n++) {
            ik_plan *plan = NULL;
            ik_error err = {0};
            if (!spec_of(*r, spec, sizeof spec) ||
                ik_plan_from_specs(f, spec, NULL, NULL, 0, &made_env, &plan, &err) != IK_OK)
                continue;
            for (unsigned m = 0; m < 3; m++) {
                snprintf(what, sizeof what, "%s on fabric %u, %s", spec, which, models[m]);
                if (all || m == (n + which) % 3)
                    expect_loads(plan, f, models[m], what);
            }
            ik_plan_free(plan);
        }
        ik_fabric_free(f);
    }
}

/* Two cables carry twice what one does: accepted at full load reaches more than one rail gives. */
static void test_throughput_reaches_both_rails(void **state)
{
    (void)state;
    static const char *const routings[] = {"oblivious", "adaptive_tree", "updown", "minimal"};
    for (size_t i = 0; i < 4; i++) {
        scenario c = {.fabric = "xgft:m=4:4,w=2:4",
                      .routing = routings[i],
                      .load = 0.8,
                      .measure = "warmup=50 us;duration=200 us;paranoid=true"};
        ik_sim_result r = simulate(c);
        if (r.throughput < 0.7 || r.host_sent_max < 0.7)
            fail_msg("%s: %.3f accepted", routings[i], r.throughput);
        sim_result_clear(&r);
    }
    scenario one = {.fabric = "xgft:m=4:4,w=2:4",
                    .routing = "dmodk",
                    .load = 1,
                    .measure = "warmup=50 us;duration=200 us"};
    ik_sim_result r = simulate(one); /* a destination has one rail under D-mod-k */
    assert_true(r.throughput > 0.4 && r.throughput <= 0.505);
    sim_result_clear(&r);
}

/* The dead cable of a rail leaves the other one: nothing is lost, nothing takes the dead one. */
static void test_dead_cable(void **state)
{
    (void)state;
    ik_fabric *f = with_dead_cables();
    scenario c = {.routing = "updown",
                  .load = 0.3,
                  .traffic = "shift:by=5",
                  .measure = "warmup=0 s;duration=100 us;paranoid=true"};
    ik_sim_result r = {0};
    ik_error err;
    assert_int_equal(simulate_on(f, &c, &r, &err), IK_OK);
    assert_true(r.host_sent_bytes[1] > 0 && r.host_bytes[6] > 0);
    assert_int_equal(r.host_sent_bytes[2], 0);
    sim_result_clear(&r);
    ik_fabric_free(f);
}

/* Registers of a tree hold hosts; a table holds ports of hosts, and read back it leads to the same
 * ports. */
static void test_exports(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=2:2");
    ik_routing *dmodk = routing_on(f, "dmodk"), *updown = routing_on(f, "updown");
    ik_registers *regs = NULL;
    uint16_t *lft = NULL, *again = NULL;
    uint32_t out[64], next[64], preferred;
    ik_error err;
    const ik_split *split = dmodk->fabric->split;
    assert_int_equal(ik_registers_compile(dmodk, true, &regs, &err), IK_OK);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t port = 0; port < dmodk->fabric->num_hosts; port++) {
            ik_packet pk = {.src = port, .dst = port, .via = IK_NONE};
            uint32_t n = dmodk->family->next(dmodk, sw, f->port_base[sw], &pk, next, &preferred);
            uint32_t m = ik_registers_match(regs, sw, split->host_of[port], out);
            if (n == 1)
                assert_true(m == 1 && out[0] == next[0]);
        }
    char path[] = "/tmp/ikat_rails_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ik_lft_compile(updown, &made_env, &lft, &err), IK_OK);
    assert_int_equal(ik_lft_write(updown, path, &err), IK_OK);
    assert_int_equal(ik_lft_read(updown->fabric, path, &again, &err), IK_OK);
    assert_memory_equal(lft, again,
                        (size_t)f->num_switches * updown->fabric->num_hosts * sizeof *lft);
    char spec[96];
    snprintf(spec, sizeof spec, "lft:path=%s", path);
    ik_routing *read = routing_on(f, spec);
    for (uint32_t src = 0; src < f->num_hosts; src++)
        for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
            uint32_t a[2], b[2];
            ik_rails_nth(updown, src, dst, 0, &a[0], &a[1]);
            ik_rails_nth(read, src, dst, 0, &b[0], &b[1]);
            assert_memory_equal(a, b, sizeof a);
        }
    ik_routing_free(read);
    remove(path);
    free(lft);
    free(again);
    ik_registers_free(regs);
    ik_routing_free(dmodk);
    ik_routing_free(updown);
    ik_fabric_free(f);
}

/* Contention and mean patterns know the ports; permutations are refused by name. */
static void test_exchanges(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=2:2");
    ik_routing *r = routing_on(f, "dmodk_pgft");
    ik_traffic *t = NULL;
    ik_contention c;
    ik_pattern_means means;
    ik_permutations p;
    ik_error err;
    assert_int_equal(ik_traffic_from_spec(f, "shift:by=4", &made_env, &t, &err), IK_OK);
    assert_int_equal(ik_contention_measure(r, t, &made_env, &c, &err), IK_OK);
    assert_int_equal(c.flows, 16);
    assert_int_equal(c.c, 1); /* four up ports for the four flows of a leaf pair */
    assert_int_equal(ik_pattern_means_measure(r, "permutation", 3, &made_env, &means, &err), IK_OK);
    assert_int_equal(ik_permutations_measure(r, 5, &made_env, &p, &err), IK_ERR_UNSUPPORTED);
    ik_traffic_free(t);
    ik_routing_free(r);
    ik_fabric_free(f);
}

/* Distances between hosts over the nearest of their switches, against a search for every pair. */
static void test_distances(void **state)
{
    (void)state;
    for (unsigned which = 0; which < NUM_FABRICS; which++) {
        ik_fabric *f = make_fabric(which);
        ik_routing *r = routing_on(f, "minimal:paths=one");
        ik_plan *plan = NULL;
        ik_distances d;
        ik_error err;
        uint64_t by_hops[16] = {0}, unconnected = 0;
        assert_int_equal(
            ik_plan_from_specs(f, "minimal:paths=one", NULL, NULL, 0, &made_env, &plan, &err),
            IK_OK);
        for (uint32_t src = 0; src < f->num_hosts; src++)
            for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
                uint32_t least = IK_NONE, channels[64];
                const ik_split *split = plan->fabric->split;
                for (uint32_t a = split->first[src]; a < split->first[src + 1]; a++)
                    for (uint32_t b = split->first[dst]; src != dst && b < split->first[dst + 1];
                         b++) {
                        uint32_t n = ik_plan_path(plan, a, b, 0, channels, 64);
                        least = n && n - 2 < least ? n - 2 : least;
                    }
                if (src != dst && least == IK_NONE)
                    unconnected++;
                else if (src != dst)
                    by_hops[least]++;
            }
        assert_int_equal(ik_distances_measure(f, &made_env, &d, &err), IK_OK);
        assert_int_equal(d.unconnected_pairs, unconnected);
        for (size_t k = 0; k < d.num; k++)
            assert_int_equal(d.histogram[k], by_hops[k]);
        ik_distances_free(&d);
        ik_plan_free(plan);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

/* The pair of switches and the hosts of four cables: two hosts of two, or four of one. Ports have
 * the same numbers. */
static ik_fabric *two_switches(uint32_t hosts)
{
    ik_builder *b = ik_builder_new();
    uint16_t link = ik_builder_class(b, 100000000000, 6000, NULL);
    uint32_t ports = 4 / hosts;
    ik_builder_switches(b, 2, 3);
    ik_builder_hosts(b, hosts, ports);
    ik_builder_link(b, ik_sw(0, 0), ik_sw(1, 0), link);
    for (uint32_t k = 0; k < 4; k++)
        ik_builder_link(b, ik_hs(k / ports, k % ports), ik_sw(k % 2, 1 + k / 2), link);
    ik_fabric *f = NULL;
    ik_error err;
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_builder_free(b);
    return f;
}

/* The cache of proofs tells a fabric of hosts with several cables from one whose hosts are the
 * ports. */
static void test_cached_proofs(void **state)
{
    (void)state;
    char folder[] = "/tmp/ikat_rails_XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    for (uint32_t round = 0; round < 4; round++) {
        uint32_t hosts = round % 2 ? 4 : 2;
        ik_fabric *f = two_switches(hosts);
        ik_env env = {.cache_folder = folder};
        ik_plan *plan = NULL;
        ik_proof proof;
        ik_error err;
        bool cached;
        assert_int_equal(ik_plan_from_specs(f, "shortest", NULL, NULL, 0, &env, &plan, &err),
                         IK_OK);
        assert_int_equal(ik_verify_cached(plan, NULL, &env, &proof, &cached, &err), IK_OK);
        assert_int_equal(cached, round > 1);
        assert_int_equal(proof.pairs, hosts * (hosts - 1));
        ik_proof_free(&proof);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* What needs each host on one switch says so. */
static void test_refusals(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("xgft:m=4:4,w=2:2");
    ik_bisection b;
    ik_traffic *t = NULL;
    ik_error err;
    assert_int_equal(ik_bisection_measure(f, 0, &made_env, &b, &err), IK_ERR_UNSUPPORTED);
    assert_int_equal(ik_traffic_from_spec(f, "worst", &made_env, &t, &err), IK_ERR_UNSUPPORTED);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_keeps_ports),
        cmocka_unit_test(test_r_0_by_the_formulas),
        cmocka_unit_test(test_rnca_ports_are_balanced),
        cmocka_unit_test(test_every_routing_uses_all_cables_or_refuses),
        cmocka_unit_test(test_colored_refuses_by_name),
        cmocka_unit_test(test_simulated_load_is_the_static_one),
        cmocka_unit_test(test_throughput_reaches_both_rails),
        cmocka_unit_test(test_dead_cable),
        cmocka_unit_test(test_exports),
        cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_cached_proofs),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
