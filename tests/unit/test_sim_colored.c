/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes made for the phases of a workload, simulated: every channel carries what the phases'
 * static loads say, all engines and any number of threads agree, and the published factors of CG
 * hold. */
#include "sim_hash.h"
#include "sim_run_by.h"
#include "unit/part.h"

#include <math.h>

#define CG "nas:benchmark=cg,processes=128,bytes=16 KiB"

typedef struct made {
    ik_fabric *f;
    ik_traffic *t;
    ik_plan *plan;
} made;

/* routing: "colored" is made for the traffic. */
static made make(const char *fabric, const char *routing, const char *traffic)
{
    ik_env env = {.seed = 3};
    ik_error err = {0};
    made m = {0};
    if (ik_fabric_from_spec(fabric, &env, &m.f, &err) != IK_OK ||
        ik_traffic_from_spec(m.f, traffic, &env, &m.t, &err) != IK_OK)
        fail_msg("%s: %s", traffic, err.text);
    env.traffic = m.t;
    if (ik_plan_from_specs(m.f, routing, NULL, NULL, 0, &env, &m.plan, &err) != IK_OK)
        fail_msg("%s: %s", routing, err.text);
    return m;
}

static void unmake(made *m)
{
    ik_plan_free(m->plan);
    ik_traffic_free(m->t);
    ik_fabric_free(m->f);
}

static ik_sim_result run_made(const made *m, const scenario *c)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    if (run_plan(m->plan, m->t, c, &r, &err) != IK_OK)
        fail_msg("%s: %s", m->t->spec, err.text);
    assert_true(r.completed);
    return r;
}

/* Adds a message's bytes to the channels of its route. */
static void walk(const ik_fabric *f, const ik_routing *r, uint32_t src, uint32_t dst,
                 uint64_t bytes, uint64_t *carried)
{
    ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
    uint32_t port = ik_host_port(f, src), out[64], preferred = 0;
    assert_true(!r->family->num_starts);
    r->family->start_nth(r, 0, &pk);
    for (;;) {
        carried[port] += bytes;
        uint32_t node = ik_peer_node(f, port);
        if (!ik_is_switch(f, node))
            break;
        assert_int_equal(r->family->next(r, node, f->port_peer[port], &pk, out, &preferred), 1);
        port = out[preferred];
    }
    assert_int_equal(ik_peer_node(f, port), ik_host_node(f, dst));
}

/* Of every channel by the tables of the phases; at the same time the fullest channel of each phase
 * is the one that static measures name. */
static uint64_t *carried_by(const made *m)
{
    const ik_graph *g = m->t->workload->graph;
    const ik_routing *r = m->plan->routing;
    uint32_t num = m->t->workload->num_classes;
    uint64_t *all = calloc(m->f->num_ports, 8), *phase = calloc(m->f->num_ports, 8);
    ik_phases phases;
    ik_env env = {.seed = 3};
    assert_int_equal(ik_phases_measure(r, m->t, 0, &env, &phases, NULL), IK_OK);
    assert_int_equal(phases.num, num);
    for (uint32_t k = 0; k < num; k++) {
        uint64_t most = 0;
        memset(phase, 0, m->f->num_ports * 8);
        for (uint32_t host = 0; host < g->num_hosts; host++)
            for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
                if (g->kind[op] == IK_OP_SEND && g->op_class[op] == k)
                    walk(m->f, r->family->of_phase(r, k), host, g->ops[op].peer, g->ops[op].amount,
                         phase);
        for (uint32_t port = 0; port < m->f->num_ports; port++) {
            all[port] += phase[port];
            bool inner = port < m->f->port_base[m->f->num_switches] &&
                         m->f->port_peer[port] != IK_NONE &&
                         ik_is_switch(m->f, ik_peer_node(m->f, port));
            most = inner && phase[port] > most ? phase[port] : most;
        }
        assert_true(fabs(phases.phases[k].max_load_bytes - (double)most) <
                    1e-6 * (double)most + .5);
    }
    ik_phases_free(&phases);
    free(phase);
    return all;
}

static const struct {
    const char *fabric, *traffic;
} cases[] = {
    {"xgft:m=16:16,w=1:8", CG},
    {"xgft:m=4:4,w=1:2", "collective:operation=allreduce,algorithm=recursive_doubling,bytes=5 KiB"},
    {"xgft:m=4:4,w=1:3", "collective:operation=alltoall,algorithm=pairwise,bytes=3000 B"},
    {"xgft:m=4:4:2,w=1:2:2", "nas:benchmark=bt,processes=25,bytes=2 KiB,mapping=random"},
};

static void test_channels_carry_static_loads(void **state)
{
    (void)state;
    static const char *const sws[] = {"model=iq", "model=ioq", "model=ideal",
                                      "model=iq;queues=fifo"};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        made m = make(cases[k].fabric, "colored", cases[k].traffic);
        assert_non_null(m.plan->routing->family->of_phase);
        uint64_t *expected = carried_by(&m);
        for (unsigned i = 0; i < 4; i++) {
            scenario c = {.sw = sws[i],
                          .adapter = "packet=1 KiB",
                          .measure = "until=delivered;at_most=100 ms;paranoid=true",
                          .load = 1};
            uint64_t first = 0;
            for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
                ik_sim_result r = run_made(&m, &c);
                assert_memory_equal(r.channel_bytes, expected, m.f->num_ports * 8);
                r.threads = 0;
                r.events = 0;
                uint64_t here = hash_result(m.f, &r);
                assert_true(c.threads == fewest_threads() || here == first);
                first = here;
                sim_result_clear(&r);
            }
        }
        free(expected);
        unmake(&m);
    }
}

static uint64_t completion(const made *m, const sim_engine *engine, uint64_t *sum)
{
    const scenario c = {.adapter = "packet=1 KiB",
                        .measure = "until=delivered;at_most=100 ms",
                        .load = 1,
                        .seed = 3};
    ik_env env = env_of(&c);
    ik_error err = {0};
    sections sec;
    sim s;
    ik_sim_result r = {0};
    if (open_sections(&sec, &c, &err) != IK_OK ||
        sim_setup_engine(&s, m->plan, m->t, &sec.config, &env, engine, &err) != IK_OK)
        fail_msg("%s", err.text);
    sim_run_partition(&s.parallel.partitions[0]);
    assert_int_equal(sim_export_results(&s, &r, &err), IK_OK);
    r.events = 0;
    *sum = hash_result(m->f, &r);
    uint64_t ps = r.completion_ps;
    sim_result_clear(&r);
    sim_free(&s);
    close_sections(&sec);
    return ps;
}

static void test_engines(void **state)
{
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        made m = make(cases[k].fabric, "colored", cases[k].traffic);
        uint64_t a, b;
        completion(&m, NULL, &a);
        completion(&m, &sim_general_engine, &b);
        assert_int_equal(a, b);
        unmake(&m);
    }
}

/* Four phases within the leaf switches and the transpose, of which D-mod-k sends eight or 14 flows
 * over one link, and these routes two. */
static void test_cg(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing;
        double slowdown;
    } of[] = {{"xgft:m=16:16,w=1:16", "dmodk", 2.2},
              {"xgft:m=16:16,w=1:1", "dmodk", 3.6},
              {"xgft:m=16:16,w=1:8", "colored", 1.2}};
    const char *traffic = "nas:benchmark=cg,processes=128,bytes=256 KiB";
    const scenario c = {.sw = "model=ideal",
                        .adapter = "packet=4 KiB",
                        .measure = "until=delivered;at_most=100 ms",
                        .load = 1};
    made crossbar = make("crossbar:n=256", "minimal", traffic);
    ik_sim_result reference = run_made(&crossbar, &c);
    for (unsigned k = 0; k < 3; k++) {
        made m = make(of[k].fabric, of[k].routing, traffic);
        ik_sim_result r = run_made(&m, &c);
        double slowdown = (double)r.completion_ps / (double)reference.completion_ps;
        if (fabs(slowdown - of[k].slowdown) > .02 * of[k].slowdown)
            fail_msg("%s on %s: slowdown %g, expected %g", of[k].routing, of[k].fabric, slowdown,
                     of[k].slowdown);
        sim_result_clear(&r);
        unmake(&m);
    }
    sim_result_clear(&reference);
    unmake(&crossbar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_channels_carry_static_loads),
                                       on_one_thread(test_engines), on_one_thread(test_cg)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
