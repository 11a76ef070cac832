/* SPDX-License-Identifier: Apache-2.0
 *
 * test_allocations_sim.c: every allocation of a simulation is failed in turn, in every model, on
 * one thread and on several.
 */
#include "unit/allocations.h"
#include "unit/part.h"
#include "unit/sim_hash.h"
#include "unit/sim_helper.h"

#include "sim/checkpoints.h"
#include "sim/run.h"

#include <math.h>
#include <unistd.h>

/* What is simulated: made before allocations fail. */
static struct {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *traffic;
    sections s;
    ik_env env;
} the;

static void open_scenario(const scenario *c)
{
    ik_error err = {0};
    the.env = env_of(c);
    the.f = fabric_of(c->fabric);
    ik_status status = ik_plan_from_specs(the.f, c->routing, c->vc, c->selection, c->num_vcs,
                                          &the.env, &the.plan, &err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(the.f, c->traffic ? c->traffic : "uniform", &the.env,
                                      &the.traffic, &err);
    if (status == IK_OK)
        status = open_sections(&the.s, c, &err);
    if (status != IK_OK)
        fail_msg("%s %s: %s (%s)", c->fabric, c->sw, err.text, err.hint);
}

static void close_scenario(void)
{
    close_sections(&the.s);
    ik_traffic_free(the.traffic);
    ik_plan_free(the.plan);
    ik_fabric_free(the.f);
    memset(&the, 0, sizeof the);
}

static ik_status job_run_once(const char *name, uint64_t *answer, ik_error *err)
{
    ik_sim_result *result = NULL;
    (void)name;
    ik_status status = ik_sim_run(the.plan, the.traffic, &the.s.config, &the.env, &result, err);
    if (status == IK_OK)
        *answer = hash_result(the.f, result);
    else
        assert_null(result);
    ik_sim_result_free(result);
    return status;
}

/* Threads wait for each other, which is slow with fewer processors: few runs with them. */
static void fail_scenario(scenario c)
{
    for (c.threads = THREAD_SANITIZED ? 2 : 1; c.threads <= 2; c.threads++) {
        char name[400];
        snprintf(name, sizeof name, "%s %s | %s | %s | %s, %u threads", c.fabric, c.routing, c.sw,
                 c.adapter, c.measure, c.threads);
        most_runs = c.threads == 1 ? 60 : THREAD_SANITIZED ? 4 : 8;
        open_scenario(&c);
        fail_each(job_run_once, name, false);
        fail_each(job_run_once, name, true);
        close_scenario();
    }
}

#define SHORT "warmup=500 ns;duration=1 us"
#define FULL  "warmup=500 ns;duration=1 us;series=500 ns;watchdog=500 ns"
#define TWO   "mix:1*a=uniform+1*b=hotspot:count=2;fraction=50%"

/* One size of packets, static routing: the fast engine, with hosts that send single packets and
 * with hosts that send messages. */
static void fast_engine(void **state)
{
    (void)state;
    static const char *const switches[] = {"model=iq", "model=iq;queues=fifo",
                                           "model=iq;switching=saf;routing_delay=20 ns"};
    static const char *const adapters[] = {"packet=256 B", "packet=256 B;injection=poisson",
                                           "packet=256 B;message=1 KiB;queues=destination"};
    for (size_t k = 0; k < 9; k++)
        fail_scenario((scenario){.fabric = "karytree:k=4,n=2",
                                 .routing = "dmodk",
                                 .num_vcs = k % 2 ? 2 : 1,
                                 .sw = switches[k % 3],
                                 .adapter = adapters[k / 3],
                                 .measure = k % 2 ? FULL : SHORT,
                                 .traffic = k % 2 ? TWO : "uniform",
                                 .load = 0.9});
}

/* More packets in flight than there is room for at first: their columns grow in mid-run. */
static void many_packets(void **state)
{
    (void)state;
    static const char *const switches[] = {
        "model=iq;buffer=1 MiB", "model=iq;queues=fifo;buffer=1 MiB",
        "model=iq;arbiter=random;buffer=1 MiB", "model=ioq;buffer=1 MiB",
        "model=pipelined;buffer=64 KiB"};
    for (size_t k = 0; k < 5; k++)
        fail_scenario((scenario){.fabric = "karytree:k=6,n=2,latency=2 ns",
                                 .routing = "dmodk",
                                 .sw = switches[k],
                                 .adapter = k == 4 ? "packet=64 B" : "packet=128 B",
                                 .measure = "warmup=0 ns;duration=3 us",
                                 .traffic = k % 2 ? "hotspot:count=2,fraction=80%" : "uniform",
                                 .load = 1.0});
}

/* Transmissions of many windows: packets join queues before they come, and a host that sends may
 * have its next message already. */
static void long_packets(void **state)
{
    (void)state;
    static const char *const adapters[] = {"packet=4 KiB;injection=poisson",
                                           "packet=4 KiB;injection=bernoulli",
                                           "packet=4 KiB;message=64 KiB"};
    for (size_t k = 0; k < 6; k++)
        fail_scenario((scenario){.fabric = "karytree:k=4,n=2,latency=2 ns",
                                 .routing = "dmodk",
                                 .num_vcs = 1 + k / 3,
                                 .sw = "model=iq;buffer=1 MiB",
                                 .adapter = adapters[k % 3],
                                 .measure = "warmup=0 ns;duration=30 us;watchdog=0 ns",
                                 .load = 1.0});
}

/* A window that is found: the run that looks for it, and the one that is measured. */
static void windows(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"model=iq", "packet=128 B", "warmup=auto;stop_ci=5%;stop_at_most=20 us"},
        {"model=pipelined", "packet=64 B", "warmup=2 us;stop_ci=5%;stop_at_most=10 us;series=1 us"},
        {"model=iq", "packet=128 B;reply=64 B", "warmup=auto;duration=5 us"},
    };
    for (size_t k = 0; k < 3; k++)
        fail_scenario((scenario){.fabric = "karytree:k=2,n=2,latency=2 ns",
                                 .routing = "dmodk",
                                 .sw = cases[k][0],
                                 .adapter = cases[k][1],
                                 .measure = cases[k][2],
                                 .load = 0.3});
}

/* Requests under way, those of which a part has come, and replies that wait. */
static void replies(void **state)
{
    (void)state;
    static const char *const adapters[] = {
        "packet=256 B;message=1 KiB;reply=600 B",
        "packet=256 B;message=64 B;reply=256 B;queues=one",
        "packet=256 B;message=64 B;reply=1 KiB;service_time=200 ns;max_outstanding=20"};
    for (size_t k = 0; k < 3; k++)
        fail_scenario((scenario){.fabric = "karytree:k=4,n=2",
                                 .routing = "dmodk",
                                 .sw = k == 1 ? "model=ioq" : "model=iq",
                                 .adapter = adapters[k],
                                 .measure = k ? FULL : SHORT,
                                 .traffic = k == 2 ? TWO : "uniform",
                                 .load = 0.9});
}

/* Packets put in order: flows, packets that wait, messages about their space. */
static void in_order(void **state)
{
    (void)state;
    static const char *const adapters[] = {
        "packet=256 B;in_order=true", "packet=256 B;in_order=true;reorder_buffer=1 KiB",
        "packet=256 B;message=1 KiB;in_order=true;reorder_buffer=1 KiB;throttle=strict",
        "packet=256 B;in_order=true;reorder_buffer=2 KiB;reorder_scope=flow"};
    for (size_t k = 0; k < 4; k++)
        fail_scenario((scenario){.fabric = "karytree:k=2,n=3",
                                 .routing = "adaptive_tree",
                                 .num_vcs = 1,
                                 .sw = "model=iq;arbiter=round_robin",
                                 .adapter = adapters[k],
                                 .measure = FULL ";paranoid=true",
                                 .traffic = TWO,
                                 .load = 0.9});
}

/* Workloads that end: an all-to-all that begins again, programs with receives from anywhere and
 * acknowledgements, and what is missing of one that does not complete. */
static void workloads(void **state)
{
    (void)state;
    static const struct {
        const char *traffic, *measure;
    } cases[] = {
        {"exchange:bytes=700 B,repeat=2", "until=delivered;at_most=1 ms"},
        {"exchange:pattern=shift,bytes=2 KiB,repeat=2", "until=delivered;at_most=1 ms"},
        {"graph:path=" SOURCE_DIR "/experiments/taskfarm.goal,eager=4 KiB,overhead=20 ns",
         "until=delivered;at_most=1 ms"},
        {"graph:path=" SOURCE_DIR "/experiments/taskfarm.goal", "until=delivered;at_most=9 us"},
        {"program:trace=" SOURCE_DIR "/experiments/halo.dim,eager=1 KiB,ranks_per_host=2,gap=1 us",
         "until=delivered;at_most=1 ms"},
        {"program:trace=" SOURCE_DIR "/experiments/halo.dim,eager=1 KiB,ranks_per_host=2",
         "until=delivered;at_most=9 us"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        fail_scenario((scenario){.fabric = "karytree:k=3,n=2",
                                 .routing = "dmodk",
                                 .num_vcs = 1,
                                 .sw = "model=iq",
                                 .adapter = "packet=256 B",
                                 .measure = cases[k].measure,
                                 .traffic = cases[k].traffic,
                                 .load = 1});
}

static void general_engine(void **state)
{
    (void)state;
    static const char *const switches[] = {"model=iq",
                                           "model=iq;arbiter=random",
                                           "model=iq;queues=fifo;arbiter=oldest_first",
                                           "model=iq;queues=damq",
                                           "model=iq;queues=damq;damq_bounds=output",
                                           "model=iq;queues=voqnet",
                                           "model=ioq;speedup=2",
                                           "model=ioq;queues=damq;output_sharing=shared",
                                           "model=ideal"};
    static const char *const adapters[] = {
        "packet=256 B", "packet=256 B;message_sizes=64 B:50%,1000 B:50%",
        "packet=256 B;queues=destination;message=1 KiB",
        "packet=256 B;queues=one;injection_rate=60 Gb/s;ejection_fraction=80%"};
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++) {
        /* what needs to know a packet's next output */
        bool fixed = strstr(switches[k], "voqnet") || strstr(switches[k], "=output");
        fail_scenario((scenario){.fabric = "karytree:k=2,n=3",
                                 .routing = fixed ? "dmodk" : "adaptive_tree",
                                 .num_vcs = fixed ? 1 : 2,
                                 .sw = switches[k],
                                 .adapter = adapters[k % 4],
                                 .measure = FULL,
                                 .traffic = TWO,
                                 .load = 0.7});
        fail_scenario((scenario){.fabric = "mesh:dims=3:3",
                                 .routing = "dor",
                                 .num_vcs = 1,
                                 .sw = switches[k],
                                 .adapter = adapters[(k + 1) % 4],
                                 .measure = FULL ";paranoid=true",
                                 .load = 0.7});
    }
}

static void every_selection(void **state)
{
    (void)state;
    for (const ik_selection_family *const *s = ik_selections(); *s; s++)
        fail_scenario((scenario){.fabric = "karytree:k=2,n=3",
                                 .routing = "adaptive_tree",
                                 .selection = (*s)->name,
                                 .num_vcs = 2,
                                 .sw = "model=iq",
                                 .adapter = "packet=256 B",
                                 .measure = SHORT,
                                 .load = 0.5});
}

static void pipelined_routers(void **state)
{
    (void)state;
    static const char *const switches[] = {
        "model=pipelined;buffer=16 KiB",
        "model=pipelined;buffer=16 KiB;vc_allocator=separable_input;sw_allocator=wavefront;"
        "hold_switch_for_packet=true",
        "model=pipelined;buffer=16 KiB;speedup=2;output_buffer=1 KiB",
        "model=pipelined;buffer=16 KiB;input_speedup=2;output_speedup=2",
        "model=pipelined;buffer=16 "
        "KiB;vc_allocator=wavefront;sw_allocator=separable_output;routing_cycles=0"};
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
        fail_scenario((scenario){.fabric = k % 2 ? "mesh:dims=3:2" : "karytree:k=2,n=2",
                                 .routing = k % 2 ? "dor" : "adaptive_tree",
                                 .num_vcs = 2,
                                 .sw = switches[k],
                                 .adapter = k % 2 ? "packet=128 B" : "packet=128 B;message=512 B",
                                 .measure = k % 2 ? FULL ";paranoid=true" : FULL,
                                 .traffic = k % 2 ? "uniform" : TWO,
                                 .load = 0.5});
}

/* With the text that says what waits for what. */
static void deadlocks(void **state)
{
    (void)state;
    static const char *const switches[] = {
        "model=iq;buffer=1 KiB", "model=iq;queues=fifo;buffer=1 KiB",
        "model=ioq;buffer=1 KiB;output_buffer=1 KiB", "model=pipelined;buffer=256 B"};
    for (size_t k = 0; k < 4; k++) {
        scenario c = {.fabric = "ring:n=5,p=3",
                      .routing = "minimal:paths=one",
                      .vc = "1q",
                      .num_vcs = 1,
                      .sw = switches[k],
                      .adapter = "packet=256 B",
                      .measure = "warmup=0 ns;duration=200 us;watchdog=2 us",
                      .load = 1.0};
        c.threads = 1;
        ik_sim_result r = simulate(c);
        assert_true(r.deadlock && r.deadlock_text);
        sim_result_clear(&r);
        fail_scenario(c);
    }
}

/* A simulation's state in parts, with every way to cut it. */
static ik_status job_parts(const char *traffic, uint64_t *answer, ik_error *err)
{
    static const ik_env env = {.seed = 1, .num_threads = 3};
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    sim s;
    ik_sim_config config = {.load = 0.5};
    ik_status status = ik_plan_from_specs(the.f, "dmodk", "1q", NULL, 1, &env, &plan, err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(the.f, traffic, &env, &t, err);
    if (status == IK_OK) {
        status = sim_setup(&s, plan, t, &config, &env, err);
        *answer = status == IK_OK ? s.parallel.num_partitions : 0;
        sim_free(&s);
    }
    ik_traffic_free(t);
    ik_plan_free(plan);
    return status;
}

static void parts_of_simulations(void **state)
{
    (void)state;
    the.f = fabric_of("karytree:k=7,n=3");
    fail_each(job_parts, "uniform", false);
    fail_each(job_parts, "hotspot", true);
    close_scenario();
}

/* ---- checkpoints */

static char checkpoint[] = "/tmp/ikat_alloc_XXXXXX";

static ik_status run_with(sim_checkpoints at, uint64_t *answer, ik_error *err)
{
    ik_sim_result r = {0};
    at.path = checkpoint;
    at.identity = "a point";
    at.every_s = INFINITY;
    ik_status status = sim_run_kept(the.plan, the.traffic, &the.s.config, &the.env, &at, &r, err);
    if (status == IK_OK)
        *answer = hash_result(the.f, &r);
    sim_result_clear(&r);
    return status;
}

static ik_status job_continue(const char *name, uint64_t *answer, ik_error *err)
{
    (void)name;
    return run_with((sim_checkpoints){0}, answer, err);
}

/* What cannot be written is noted: the run goes on. */
static ik_status job_write(const char *name, uint64_t *answer, ik_error *err)
{
    (void)name;
    unlink(checkpoint);
    return run_with((sim_checkpoints){.every_steps = 4}, answer, err);
}

static void checkpoints(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        {"model=iq", "packet=256 B", FULL ";congestion=true", "dmodk"},
        {"model=iq;arbiter=random", "packet=256 B;in_order=true;reorder_buffer=8 KiB", SHORT,
         "adaptive_tree"},
        {"model=ioq", "packet=256 B;reply=64 B", FULL, "dmodk"}};
    uint64_t answer;
    ik_error err = {0};
    int fd = mkstemp(checkpoint);
    assert_true(fd >= 0 && close(fd) == 0);
    for (size_t k = 0; k < 3; k++) {
        const scenario c = {.fabric = "karytree:k=3,n=2",
                            .routing = cases[k][3],
                            .sw = cases[k][0],
                            .adapter = cases[k][1],
                            .measure = cases[k][2],
                            .load = 0.9};
        most_runs = SANITIZED ? 30 : 60;
        open_scenario(&c);
        fail_each(job_write, "checkpoints are written", false);
        unlink(checkpoint);
        assert_int_equal(run_with((sim_checkpoints){.every_steps = 3, .ends = true}, &answer, &err),
                         IK_ERR_CANCELLED);
        fail_each(job_continue, "a run continues", false);
        fail_each(job_continue, "a run continues", true);
        close_scenario();
    }
    unlink(checkpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_engine),       cmocka_unit_test(many_packets),
        cmocka_unit_test(long_packets),      cmocka_unit_test(general_engine),
        cmocka_unit_test(workloads),         cmocka_unit_test(in_order),
        cmocka_unit_test(windows),           cmocka_unit_test(replies),
        cmocka_unit_test(every_selection),   cmocka_unit_test(pipelined_routers),
        cmocka_unit_test(deadlocks),         cmocka_unit_test(checkpoints),
        on_one_thread(parts_of_simulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
