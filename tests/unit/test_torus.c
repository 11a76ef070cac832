/* SPDX-License-Identifier: Apache-2.0
 *
 * Rings and tori of every small shape: dimension order with every tie rule over every date-line
 * rule is proved; the natural rule is the one that uses the VCs evenly; ties drawn per packet are
 * seen by analysis, proofs and simulation alike.
 */
#include "unit/part.h"
#include "unit/sim_helper.h"

#include <math.h>

static ik_env env = {.num_threads = 2};

/* Cycles of one to three dimensions: odd, even, of two switches and of one. */
static const char *const shapes[] = {"ring:n=3",
                                     "ring:n=4",
                                     "ring:n=5",
                                     "ring:n=6",
                                     "ring:n=7",
                                     "ring:n=12",
                                     "torus:dims=2:2",
                                     "torus:dims=2:3",
                                     "torus:dims=4:2",
                                     "torus:dims=1:6",
                                     "torus:dims=3:3",
                                     "torus:dims=4:4",
                                     "torus:dims=5:4",
                                     "torus:dims=4:5,p=2",
                                     "torus:dims=6:6",
                                     "torus:dims=8:3",
                                     "torus:dims=7:7",
                                     "torus:dims=8:8",
                                     "torus:dims=2:2:2",
                                     "torus:dims=4:2:3",
                                     "torus:dims=2:4",
                                     "torus:dims=4:4:4",
                                     "torus:dims=5:3:4",
                                     "torus:dims=2:6:2,p=3",
                                     "torus:dims=3:1:4",
                                     "torus:dims=10:2",
                                     "ring:n=2",
                                     "torus:dims=4:4:2:2",
                                     "torus:dims=3:4:5,p=2"};
enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };
static const char *const ties[] = {"balanced", "plus", "minus", "random"};
static const char *const rules[] = {"dateline", "dateline:rule=route", "dateline:rule=position",
                                    "dateline:rule=history", NULL};

static void prove(const ik_fabric *f, const char *routing, const char *vc, unsigned num_vcs)
{
    ik_plan *p = plan_of(f, routing, vc, num_vcs);
    ik_error err = {0};
    ik_proof proof;
    if (ik_verify(p, NULL, &env, &proof, &err) != IK_OK)
        fail_msg("%s, %s on %s: %s", routing, vc ? vc : "-", f->spec, err.text);
    if (proof.delivered != IK_YES || proof.loop_free != IK_YES || proof.deadlock_free != IK_YES ||
        proof.minimal != IK_YES)
        fail_msg("%s, %s, %u VCs on %s: delivered %d, loop free %d, deadlock free %d, minimal %d",
                 routing, vc ? vc : "-", num_vcs, f->spec, proof.delivered, proof.loop_free,
                 proof.deadlock_free, proof.minimal);
    ik_proof_free(&proof);
    ik_plan_free(p);
}

static void every_tie_and_rule_is_proved(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SHAPES; i++) {
        ik_fabric *f = fabric_of(shapes[i]);
        for (size_t t = 0; t < 4; t++)
            for (size_t k = 0; k < 5; k++) {
                char routing[64];
                snprintf(routing, sizeof routing, "dor:tie=%s,order=%s", ties[t],
                         k % 2 ? "descending" : "ascending");
                prove(f, routing, rules[k], 0);
                prove(f, routing, rules[k], 4);
            }
        ik_fabric_free(f);
    }
}

/* Other minimal routings on rings, and layers that packets enter in the middle of a ring. */
static void other_users_of_date_lines_are_proved(void **state)
{
    (void)state;
    for (unsigned n = 3; n < 10; n++) {
        char spec[32];
        snprintf(spec, sizeof spec, "ring:n=%u", n);
        ik_fabric *f = fabric_of(spec);
        prove(f, "minimal", "dateline", 0);
        prove(f, "shortest", "dateline", 0);
        prove(f, "minimal", "escape:routing=dor,vc=dateline", 0);
        ik_fabric_free(f);
    }
    static const char *const tori[] = {"torus:dims=4:4", "torus:dims=5:4", "torus:dims=6:3",
                                       "torus:dims=4:2:3"};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        ik_fabric *f = fabric_of(tori[i]);
        prove(f, "minimal", "escape:routing=dor,vc=dateline", 0);
        prove(f, "minimal", "escape:routing=dor:tie=plus,vc=dateline", 0);
        ik_fabric_free(f);
    }
}

/* Uniform traffic, hop by hop: packets that would have to move to the other VC of their channel for
 * both to carry the same. */
static double imbalance(const ik_fabric *f, const char *vc)
{
    ik_plan *p = plan_of(f, "dor", vc, 2);
    double *load = calloc((size_t)f->num_ports * 2, sizeof *load), sum = 0;
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t d = 0; d < f->num_hosts; d++) {
            ik_packet pk;
            uint32_t port = ik_host_port(f, s), preferred;
            ik_plan_start_nth(p, s, d, 0, &pk);
            for (;;) {
                ik_choice choice;
                uint32_t in_port = f->port_peer[port], sw = f->port_node[in_port];
                if (!ik_is_switch(f, sw))
                    break;
                assert_int_equal(ik_plan_next(p, sw, in_port, &pk, &choice, &preferred), 1);
                port = choice.port;
                if (choice.vc_first == choice.vc_last)
                    load[(size_t)port * 2 + choice.vc_first]++;
                ik_plan_advance(p, port, choice.vc_first, &pk);
            }
        }
    for (size_t i = 0; i < f->num_ports; i++)
        sum += fabs(load[2 * i] - load[2 * i + 1]) / 2;
    free(load);
    ik_plan_free(p);
    return sum;
}

/* The natural rule uses the two VCs of a channel most evenly of the three. */
static void natural_rule_is_the_even_one(void **state)
{
    (void)state;
    static const char *const tori[] = {"ring:n=8", "torus:dims=8:8", "torus:dims=5:5",
                                       "torus:dims=6:4", "torus:dims=4:4:4"};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        ik_fabric *f = fabric_of(tori[i]);
        double natural = imbalance(f, NULL);
        assert_true(natural == imbalance(f, "dateline:rule=route"));
        assert_true(natural < imbalance(f, "dateline:rule=position"));
        assert_true(natural < imbalance(f, "dateline:rule=history"));
        ik_fabric_free(f);
    }
}

static void drawn_ties_have_starts_and_no_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SHAPES; i++) {
        ik_fabric *f = fabric_of(shapes[i]);
        const ik_grid *grid = ik_fabric_data(f, "torus");
        ik_plan *p = plan_of(f, "dor:tie=random", NULL, 0);
        bool even = false;
        for (uint32_t d = 0; d < grid->num_dims; d++)
            even = even || (grid->dims[d] > 2 && grid->dims[d] % 2 == 0);
        assert_int_equal(p->routing->kind, even ? IK_ROUTE_OBLIVIOUS : IK_ROUTE_DETERMINISTIC);
        for (uint32_t h = 1; h < f->num_hosts; h++) {
            uint32_t starts = 1, sw = ik_host_switch(f, h);
            for (uint32_t d = 0; d < grid->num_dims; d++)
                starts *=
                    grid->dims[d] > 2 && sw / grid->stride[d] % grid->dims[d] * 2 == grid->dims[d]
                        ? 2
                        : 1;
            assert_int_equal(ik_plan_num_starts(p, 0, h), starts);
        }
        uint16_t *lft = NULL;
        ik_error err = {0};
        assert_int_equal(ik_lft_compile(p->routing, &env, &lft, &err),
                         even ? IK_ERR_UNSUPPORTED : IK_OK);
        assert_true(!even || strstr(err.text, "tie=random"));
        free(lft);
        ik_plan_free(p);
        ik_fabric_free(f);
    }
}

static void ties_are_refused_without_rings(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh:dims=4:4", "hyperx:dims=3:4", "hypercube:n=3"};
    for (size_t i = 0; i < 3; i++)
        for (size_t t = 0; t < 4; t++) {
            ik_fabric *f = fabric_of(specs[i]);
            char routing[32];
            snprintf(routing, sizeof routing, "dor:tie=%s", ties[t]);
            ik_routing *r = NULL;
            ik_error err = {0};
            assert_int_equal(ik_routing_from_spec(f, routing, &env, &r, &err), IK_ERR_UNSUPPORTED);
            assert_non_null(strstr(err.text, "tie"));
            ik_fabric_free(f);
        }
}

/* Every flow of the tornado half-way round is split in two equal parts. */
static void drawn_ties_halve_the_load(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("ring:n=8");
    ik_error err = {0};
    ik_traffic *t = traffic_of(f, "shift:by=4");
    const ik_grid *grid = ik_fabric_data(f, "torus");
    static const struct {
        const char *tie;
        double up, down;
    } cases[] = {{"plus", 4, 0}, {"minus", 0, 4}, {"random", 2, 2}};
    for (size_t i = 0; i < 3; i++) {
        char routing[32];
        snprintf(routing, sizeof routing, "dor:tie=%s", cases[i].tie);
        ik_routing *r = routing_on(f, routing);
        ik_load load;
        assert_int_equal(ik_load_measure(r, t, &env, &load, &err), IK_OK);
        for (uint32_t sw = 0; sw < 8; sw++) {
            assert_float_equal(load.load[f->port_base[sw] + grid->port_plus[0]], cases[i].up, 1e-9);
            assert_float_equal(load.load[f->port_base[sw] + grid->port_minus[0]], cases[i].down,
                               1e-9);
        }
        ik_load_free(&load);
        ik_routing_free(r);
    }
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* Low load: every channel between switches carries its share of what was accepted, within five
 * standard deviations. */
static void check_simulated_loads(const char *fabric, const char *tie, const char *traffic,
                                  const char *model)
{
    char routing[32];
    snprintf(routing, sizeof routing, "dor:tie=%s", tie);
    ik_fabric *f = fabric_of(fabric);
    ik_routing *r = routing_on(f, routing);
    ik_traffic *t = traffic_of(f, traffic);
    ik_error err = {0};
    ik_load load;
    assert_int_equal(ik_load_measure(r, t, &env, &load, &err), IK_OK);
    scenario c = {
        .fabric = fabric, .routing = routing, .traffic = traffic, .sw = model, .load = 0.03};
    c.adapter = "packet=125 B;injection=poisson";
    c.measure = "warmup=0 ns;duration=400 us";
    ik_sim_result got = simulate(c);
    double accepted = 0;
    for (uint32_t h = 0; h < f->num_hosts; h++)
        accepted += (double)got.host_bytes[h] / 125 / f->num_hosts;
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        double packets = (double)got.channel_bytes[port] / 125,
               expected = load.load[port] * accepted;
        if (fabs(packets - expected) > 5 * sqrt(expected + 1) + 5)
            fail_msg("%s, %s, %s, %s: channel %u carries %g packets, %g expected", fabric, routing,
                     traffic, model, port, packets, expected);
    }
    sim_result_clear(&got);
    ik_load_free(&load);
    ik_traffic_free(t);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void simulated_loads_are_the_static_ones(void **state)
{
    (void)state;
    static const char *const models[] = {"model=iq", "model=ioq",
                                         "model=pipelined;flit=125 B;buffer=4000 B"};
    for (size_t t = 0; t < 4; t++)
        for (size_t m = 0; m < 3; m++) {
            check_simulated_loads("torus:dims=4:6", ties[t], "uniform", models[m]);
            check_simulated_loads("ring:n=8", ties[t], "shift:by=4", models[m]);
            check_simulated_loads("torus:dims=4:4,p=2", ties[t], "complement", models[m]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(every_tie_and_rule_is_proved),
        cmocka_unit_test(other_users_of_date_lines_are_proved),
        cmocka_unit_test(natural_rule_is_the_even_one),
        cmocka_unit_test(drawn_ties_have_starts_and_no_tables),
        cmocka_unit_test(ties_are_refused_without_rings),
        cmocka_unit_test(drawn_ties_halve_the_load),
        on_one_thread(simulated_loads_are_the_static_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
