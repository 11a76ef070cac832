/* SPDX-License-Identifier: Apache-2.0
 *
 * Paranoid runs: each step of a packet is an edge of the dependency graph that is proved. Here the
 * plan lies: its functions say one thing to whoever walks the graph (ik_hops_each, wrapped) and
 * another to the simulator, as an engine with a wrong table of its own would have it. Every model
 * and both engines must notice, with one thread and with two; told the truth, they must not. */
#include "ikat/vc.h"
#include "sim/flit/pipe.h"
#include "sim/inspect/look.h"
#include "sim_helper.h"
#include "unit/part.h"
#include <stdlib.h>

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

static bool misled; /* the watchdog is */

static void exchange_gates(const sim *s, int32_t *saved, bool lie)
{
    for (uint32_t port = 0; port < s->f->port_base[s->f->num_switches]; port++)
        for (unsigned v = 0; v < s->sw.vcs; v++) {
            int32_t *gate = state_gate_of(s, s->sw.vcs, port, v), *kept = saved++;
            if (lie)
                *kept = *gate;
            *gate = lie ? 1 << 20 : *kept;
        }
}

ik_status __real_sim_find_deadlock(sim *s, ik_error *err);
ik_status __wrap_sim_find_deadlock(sim *s, ik_error *err);
ik_status __wrap_sim_find_deadlock(sim *s, ik_error *err)
{
    if (!misled)
        return __real_sim_find_deadlock(s, err);
    int32_t *saved = calloc((size_t)s->f->num_ports * s->sw.vcs, sizeof *saved);
    assert_non_null(saved);
    exchange_gates(s, saved, true);
    ik_status status = __real_sim_find_deadlock(s, err);
    exchange_gates(s, saved, false);
    free(saved);
    return status;
}

ik_status __real_pipe_find_deadlock(pipe *p, ik_error *err);
ik_status __wrap_pipe_find_deadlock(pipe *p, ik_error *err);
ik_status __wrap_pipe_find_deadlock(pipe *p, ik_error *err)
{
    size_t num = (size_t)p->f->num_ports * p->vcs, size = num * sizeof *p->credits;
    if (!misled)
        return __real_pipe_find_deadlock(p, err);
    void *saved = malloc(size);
    assert_non_null(saved);
    memcpy(saved, p->credits, size);
    for (size_t c = 0; c < num; c++)
        p->credits[c] = 1;
    ik_status status = __real_pipe_find_deadlock(p, err);
    memcpy(p->credits, saved, size);
    free(saved);
    return status;
}

/* ---- the lies */

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

/* VC 0 everywhere: around a ring that is a deadlock. */
static void vc_zero(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                    const ik_packet *pk, uint8_t *first, uint8_t *last)
{
    true_vc->next(v, sw, in_port, out_port, pk, first, last);
    *first = *last = 0;
}

typedef enum lie { TRUTH, LIE_ABOUT_VCS, LIE_ABOUT_PORTS, LIE_TO_WATCHDOG } lie;

static ik_status run_lying(const ik_fabric *f, const scenario *c, lie what, ik_sim_result *r,
                           ik_error *err)
{
    /* has no forwarding table, which the pipelined model would ask instead of the function */
    ik_plan *plan = plan_of(f, "dor", "dateline", 2);
    ik_traffic *traffic = traffic_of(f, what == LIE_TO_WATCHDOG ? "shift:by=4" : "uniform");
    ik_vc_family vc = *plan->vc->family;
    ik_routing_family routing = *plan->routing->family;
    true_vc = plan->vc->family;
    true_routing = plan->routing->family;
    vc.next = what == LIE_TO_WATCHDOG ? vc_zero : other_vc;
    routing.next = other_way;
    if (what == LIE_ABOUT_VCS || what == LIE_TO_WATCHDOG)
        plan->vc->family = &vc;
    if (what == LIE_ABOUT_PORTS)
        plan->routing->family = &routing;
    misled = what == LIE_TO_WATCHDOG;
    ik_status status = run_plan(plan, traffic, c, r, err);
    misled = false;
    plan->vc->family = true_vc;
    plan->routing->family = true_routing;
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    return status;
}

static void expect_noticed(const ik_fabric *f, scenario c)
{
    for (lie what = TRUTH; what <= LIE_ABOUT_PORTS; what++) {
        ik_error err = {0};
        ik_sim_result r = {0};
        ik_status status = run_lying(f, &c, what, &r, &err);
        sim_result_clear(&r);
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
    ik_sim_result r = {0};
    const scenario c = {.sw = "model=iq",
                        .adapter = "packet=1 KiB",
                        .measure = "warmup=0 ns;duration=10 us",
                        .load = 0.3,
                        .threads = 1};
    assert_int_equal(run_lying(f, &c, LIE_ABOUT_VCS, &r, &err), IK_OK);
    sim_result_clear(&r);
    ik_fabric_free(f);
}

static void a_network_that_stands_still_is_noticed(void **state)
{
    (void)state;
    static const char *const models[] = {
        "model=iq;queues=voqsw;buffer=2 KiB", "model=iq;arbiter=random;buffer=2 KiB",
        "model=iq;queues=fifo;buffer=2 KiB", "model=ioq;buffer=2 KiB;output_buffer=2 KiB",
        "model=pipelined;buffer=2 KiB"};
    ik_fabric *f = fabric_of("ring:n=5,p=2");
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            ik_error err = {0};
            ik_sim_result r = {0};
            const scenario c = {.sw = models[k],
                                .adapter = "packet=1 KiB",
                                .measure = "warmup=0 ns;duration=200 us;watchdog=10 us",
                                .load = 1,
                                .threads = threads};
            if (run_lying(f, &c, LIE_TO_WATCHDOG, &r, &err) != IK_OK)
                fail_msg("%s, %u threads: %s", c.sw, threads, err.text);
            if (!r.deadlock || !strstr(r.deadlock_text, "no packet moves") ||
                !strstr(r.deadlock_text, "waits for"))
                fail_msg("%s, %u threads: %s", c.sw, threads,
                         r.deadlock ? r.deadlock_text : "unnoticed");
            sim_result_clear(&r);
        }
    ik_fabric_free(f);
}

/* Runs that end a few cycles after a search, while a lone packet passes a slow stage. */
static void a_network_that_moves_is_none(void **state)
{
    (void)state;
    static const char *const models[] = {"model=pipelined;routing_cycles=64",
                                         "model=pipelined;vc_alloc_cycles=64",
                                         "model=pipelined;sw_alloc_cycles=64",
                                         "model=pipelined;traversal_cycles=64",
                                         "model=pipelined;vc_alloc_cycles=64;speedup=2",
                                         "model=iq;queues=voqsw;routing_delay=1 us",
                                         "model=iq;arbiter=random;routing_delay=1 us",
                                         "model=ioq;traversal_delay=1 us",
                                         "model=ideal;routing_delay=1 us"};
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_plan *plan = plan_of(f, "dmodk", NULL, 0);
    ik_traffic *traffic = traffic_of(f, "uniform");
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        for (unsigned cycles = 8193; cycles < 8193 + 64; cycles += 9) {
            char measure[80];
            ik_error err = {0};
            ik_sim_result r = {0};
            /* cycles of 16 B at 100 Gb/s */
            snprintf(measure, sizeof measure, "warmup=0 ns;duration=%u ps;watchdog=1 ps",
                     cycles * 1280);
            const scenario c = {.sw = models[k],
                                .adapter = "packet=16 B;message=16 B",
                                .measure = measure,
                                .load = 0.003,
                                .threads = 1};
            if (run_plan(plan, traffic, &c, &r, &err) != IK_OK || r.deadlock)
                fail_msg("%s, %s: %s", c.sw, measure, r.deadlock ? r.deadlock_text : err.text);
            sim_result_clear(&r);
        }
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lies_are_noticed),
                                       cmocka_unit_test(only_paranoid_runs_notice),
                                       cmocka_unit_test(a_network_that_stands_still_is_noticed),
                                       on_one_thread(a_network_that_moves_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
