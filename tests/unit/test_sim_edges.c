/* SPDX-License-Identifier: Apache-2.0
 *
 * Paranoid runs: each step of a packet is an edge of the dependency graph that is proved. Here the
 * plan lies: its functions say one thing to whoever walks the graph (ik_hops_each, wrapped) and
 * another to the simulator, as an engine with a wrong table of its own would have it. Every model
 * and both engines must notice, with one thread and with two; told the truth, they must not. */
#include "ikat/vc.h"
#include "sim_helper.h"
#include "unit/part.h"

static _Thread_local bool walking;

ik_status __real_ik_hops_each(ik_hops *hops, uint32_t from, uint32_t to, uint32_t n, ik_hop_fn fn,
                              void *ctx, ik_error *err);
ik_status __wrap_ik_hops_each(ik_hops *hops, uint32_t from, uint32_t to, uint32_t n, ik_hop_fn fn,
                              void *ctx, ik_error *err);
ik_status __wrap_ik_hops_each(ik_hops *hops, uint32_t from, uint32_t to, uint32_t n, ik_hop_fn fn,
                              void *ctx, ik_error *err)
{
    walking = true;
    ik_status status = __real_ik_hops_each(hops, from, to, n, fn, ctx, err);
    walking = false;
    return status;
}

/* ---- two lies */

static const ik_vc_family *true_vc;
static const ik_routing_family *true_routing;

/* The other one of two VCs. */
static void other_vc(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                     const ik_packet *pk, uint8_t *first, uint8_t *last)
{
    true_vc->next(v, sw, in_port, out_port, pk, first, last);
    uint32_t peer = ik_peer_node(v->fabric, out_port);
    if (!walking && *first == *last && ik_is_switch(v->fabric, peer))
        *first = *last = !*first;
}

/* At switch 0 of a ring the other direction. */
static uint32_t other_way(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                          uint32_t *out, uint32_t *preferred)
{
    const ik_fabric *f = r->fabric;
    uint32_t n = true_routing->next(r, sw, in_port, pk, out, preferred), right = out[0];
    if (walking || sw != 0 || n != 1 || !ik_is_switch(f, ik_peer_node(f, right)))
        return n;
    for (uint32_t port = f->port_base[0]; port < f->port_base[1]; port++)
        if (port != right && ik_is_switch(f, ik_peer_node(f, port)))
            out[0] = port;
    return n;
}

typedef enum lie { TRUTH, LIE_ABOUT_VCS, LIE_ABOUT_PORTS } lie;

static ik_status run_lying(const ik_fabric *f, const scenario *c, lie what, ik_error *err)
{
    /* has no forwarding table, which the pipelined model would ask instead of the function */
    ik_plan *plan = plan_of(f, "dor", "dateline", 2);
    ik_traffic *traffic = traffic_of(f, "uniform");
    ik_vc_family vc = *plan->vc->family;
    ik_routing_family routing = *plan->routing->family;
    ik_sim_result r = {0};
    true_vc = plan->vc->family;
    true_routing = plan->routing->family;
    vc.next = other_vc;
    routing.next = other_way;
    if (what == LIE_ABOUT_VCS)
        plan->vc->family = &vc;
    if (what == LIE_ABOUT_PORTS)
        plan->routing->family = &routing;
    ik_status status = run_plan(plan, traffic, c, &r, err);
    plan->vc->family = true_vc;
    plan->routing->family = true_routing;
    ik_sim_result_free(&r);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    return status;
}

static void expect_noticed(const ik_fabric *f, scenario c)
{
    for (lie what = TRUTH; what <= LIE_ABOUT_PORTS; what++) {
        ik_error err = {0};
        ik_status status = run_lying(f, &c, what, &err);
        bool told = status == IK_ERR_INTERNAL && strstr(err.text, "which is no edge of the");
        if (what == TRUTH ? status != IK_OK : !told)
            fail_msg("%s, %u threads, lie %d: %s %s", c.sw, c.threads, what, ik_status_name(status),
                     err.text);
    }
}

static void lies_are_noticed(void **state)
{
    (void)state;
    /* the specialised engine, the general one, both with output buffers, … */
    static const char *const models[] = {"model=iq;queues=voqsw",
                                         "model=iq;arbiter=oldest_first",
                                         "model=iq;queues=damq",
                                         "model=ioq",
                                         "model=ioq;arbiter=oldest_first",
                                         "model=ideal",
                                         "model=pipelined",
                                         "model=pipelined;vc_allocator=wavefront;flit=64 B"};
    ik_fabric *f = fabric_of("ring:n=5,p=2");
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        for (unsigned threads = 1; threads <= 2; threads++)
            expect_noticed(f, (scenario){.sw = models[k],
                                         .adapter = "packet=1 KiB",
                                         .measure = "warmup=0 ns;duration=10 us;paranoid=true",
                                         .load = 0.3,
                                         .threads = threads});
    ik_fabric_free(f);
}

/* Without the checks nobody asks: what is noticed is noticed by them. */
static void only_paranoid_runs_notice(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("ring:n=5,p=2");
    ik_error err = {0};
    const scenario c = {.sw = "model=iq",
                        .adapter = "packet=1 KiB",
                        .measure = "warmup=0 ns;duration=10 us",
                        .load = 0.3,
                        .threads = 1};
    assert_int_equal(run_lying(f, &c, LIE_ABOUT_VCS, &err), IK_OK);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lies_are_noticed),
                                       cmocka_unit_test(only_paranoid_runs_notice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
