/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests and replies: a case worked out by hand, one reply a request, closed loops that keep what
 * is outstanding within its limit and obey Little's law, copies of a plan's VCs, the same results
 * on several threads, hosts that only answer, and what is refused. Books are checked by `paranoid`
 * in most runs. */
#include "ikat/vc.h"
#include "sim_hash.h"
#include "sim_helper.h"
#include "unit/part.h"

/* One switch and some hosts, 100 Gb/s, 10 ns a link. */
static ik_fabric *star(uint32_t hosts)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint16_t link = ik_builder_class(b, 100000000000, 10000, "link");
    uint32_t sw = ik_builder_switches(b, 1, hosts), host = ik_builder_hosts(b, hosts, 1);
    for (uint32_t k = 0; k < hosts; k++)
        ik_builder_link(b, ik_hs(host + k, 0), ik_sw(sw, k), link);
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    return f;
}

static ik_sim_result run_on(const ik_fabric *f, scenario c)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    if (simulate_on(f, &c, &r, &err) != IK_OK)
        fail_msg("%s: %s (%s)", c.adapter, err.text, err.hint);
    return r;
}

/* ---- worked out by hand: two links of 10 ns, 80 ps a byte, cut-through */

typedef struct worked {
    const char *model, *adapter;
    uint64_t request, reply, round_trip; /* ps */
} worked;

static const worked cases[] = {
    {"model=iq", "message=64 B;reply=4 KiB", 20000 + 64 * 80, 20000 + 4096 * 80, 0},
    {"model=ioq", "message=64 B;reply=4 KiB", 20000 + 64 * 80, 20000 + 4096 * 80, 0},
    {"model=ideal", "message=64 B;reply=4 KiB", 20000 + 64 * 80, 20000 + 4096 * 80, 0},
    {"model=iq", "message=4 KiB;reply=1 B;service_time=333 ns", 20000 + 4096 * 80, 20000 + 80,
     333000},
    {"model=iq;switching=saf", "message=64 B;reply=64 B;service_time=7 ps", 20000 + 128 * 80,
     20000 + 128 * 80, 7},
    /* a delay between request and reply, but not before it */
    {"model=ideal;routing_delay=50 ns", "message=100 B;reply=200 B;queues=one;max_outstanding=1",
     70000 + 100 * 80, 70000 + 200 * 80, 0},
};

static void test_worked_case(void **state)
{
    (void)state;
    ik_fabric *f = star(2);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        const worked *w = &cases[k];
        ik_sim_result r = run_on(f, (scenario){.routing = "minimal",
                                               .traffic = "shift:by=1",
                                               .sw = w->model,
                                               .adapter = w->adapter,
                                               .measure = "warmup=0 ns;duration=2 ms;paranoid=true",
                                               .load = 0.0005,
                                               .seed = 5});
        const ik_sim_replies *a = &r.replies;
        assert_true(a->on && a->round_trip.count > 0);
        assert_int_equal(a->request_latency.min, w->request);
        assert_int_equal(a->reply_latency.min, w->reply);
        assert_int_equal(a->round_trip.min, w->request + w->reply + w->round_trip);
        sim_result_clear(&r);
    }
    ik_fabric_free(f);
}

/* ---- each request gets one reply */

/* Bursts of messages that all end long before the run does: long periods, few messages. */
static void test_books(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *sw, *adapter;
        unsigned packets, answers; /* of a request, of a reply */
    } of[] = {
        {"karytree:k=3,n=2", "dmodk", "", "packet=1 KiB;message=1 KiB;reply=64 B", 1, 1},
        {"karytree:k=3,n=2", "adaptive_tree", "",
         "packet=1 KiB;message=20000 B;reply=3000 B;injection=poisson", 20, 3},
        {"torus:dims=3:3,p=2", "valiant", "model=ioq",
         "packet=512 B;message=2 KiB;reply=9 KiB;queues=one;interleave=fifo", 4, 18},
        {"hyperx:dims=3:3,p=2", "ugal_l", "queues=fifo",
         "packet=512 B;message=2 KiB;reply=9 KiB;max_outstanding=3", 4, 18},
    };
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        ik_sim_result r =
            simulate((scenario){.fabric = of[k].fabric,
                                .routing = of[k].routing,
                                .sw = of[k].sw,
                                .adapter = of[k].adapter,
                                .measure = "warmup=0 ns;duration=400 us;paranoid=true",
                                .load = 0.02});
        uint64_t requests = r.replies.round_trip.count;
        /* some were made when the run was all but over */
        assert_true(requests > 20);
        assert_true(r.replies.request_latency.count >= requests * of[k].packets);
        assert_true(r.replies.reply_latency.count >= requests * of[k].answers);
        assert_true(r.replies.reply_latency.count < (requests + 8) * of[k].answers);
        assert_true(r.replies.request_latency.count < (requests + 8) * of[k].packets);
        assert_int_equal(r.latency.count,
                         r.replies.request_latency.count + r.replies.reply_latency.count);
        sim_result_clear(&r);
    }
}

/* ---- closed loop */

static void expect_little(const scenario *c, const ik_fabric *f, unsigned most)
{
    ik_sim_result r = run_on(f, *c);
    const ik_sim_replies *a = &r.replies;
    double rate = (double)a->round_trip.count / f->num_hosts / (double)r.window_ps,
           little = rate * a->round_trip.mean;
    if (a->mean_outstanding > most || a->mean_outstanding < 0.85 * most)
        fail_msg("%s: %g requests outstanding of %u", c->adapter, a->mean_outstanding, most);
    if (little < 0.93 * a->mean_outstanding || little > 1.07 * a->mean_outstanding)
        fail_msg("%s: %g outstanding, %g by Little's law", c->adapter, a->mean_outstanding, little);
    assert_true(r.num_series > 0);
    for (size_t k = 0; k < r.num_series; k++)
        assert_true(a->series_outstanding[k] >= 0 && a->series_outstanding[k] <= most);
    assert_false(r.deadlock);
    sim_result_clear(&r);
}

static void test_closed_loop(void **state)
{
    (void)state;
    static const unsigned most[] = {1, 2, 7, 40};
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=4,n=2", &(ik_env){.seed = 1}, &f, NULL),
                     IK_OK);
    double before = 0;
    for (unsigned k = 0; k < 4; k++) {
        char adapter[160];
        snprintf(adapter, sizeof adapter,
                 "packet=1 KiB;message=64 B;reply=1 KiB;service_time=200 ns;max_outstanding=%u",
                 most[k]);
        scenario c = {.routing = "dmodk",
                      .sw = "buffer=32 KiB",
                      .adapter = adapter,
                      .measure = "warmup=20 us;duration=60 us;series=10 us",
                      .load = 1};
        expect_little(&c, f, most[k]);
        ik_sim_result r = run_on(f, c);
        assert_true(r.throughput > before); /* more at a time, more in all */
        before = r.throughput;
        sim_result_clear(&r);
    }
    ik_fabric_free(f);
}

/* One request at a time, of a host that nobody else disturbs: the loop turns without a gap. */
static void test_one_at_a_time(void **state)
{
    (void)state;
    ik_fabric *f = star(3);
    ik_sim_result r =
        run_on(f, (scenario){.routing = "minimal",
                             .traffic = "hotspot:nodes=0,fraction=50%,rest=silent",
                             .adapter = "message=128 B;reply=128 B;max_outstanding=1",
                             .measure = "warmup=0 ns;duration=100 us;paranoid=true;series=10 us",
                             .load = 100});
    uint64_t round_trip = 2 * (20000 + 128 * 80);
    assert_int_equal(r.hosts_silent, 2);
    assert_int_equal(r.replies.round_trip.min, round_trip);
    assert_int_equal(r.replies.round_trip.max, round_trip);
    assert_int_equal(r.replies.round_trip.count, 100000000 / round_trip);
    assert_true(r.replies.mean_outstanding > 0.9999 && r.replies.mean_outstanding <= 1);
    sim_result_clear(&r);
    ik_fabric_free(f);
}

/* ---- copies of VCs */

/* In copy 1 a packet has the choices that it has in copy 0, in VCs of its own. */
static void compare_copies(const ik_plan *plan, const ik_plan *twice, uint32_t src, uint32_t dst)
{
    const ik_fabric *f = plan->fabric;
    ik_choice one[64], two[64];
    uint32_t port = ik_host_port(f, src), in_port;
    ik_packet a, b;
    ik_plan_start_nth(plan, src, dst, 0, &a);
    ik_plan_start_nth(twice, src, dst, 0, &b);
    b.vc = (uint8_t)(b.vc + plan->num_vcs);
    for (unsigned hop = 0; hop < 32; hop++) {
        in_port = f->port_peer[port];
        uint32_t sw = f->port_node[in_port], preferred = 0, other = 0;
        if (!ik_is_switch(f, sw))
            return;
        uint32_t n = ik_plan_next(plan, sw, in_port, &a, one, &preferred);
        assert_int_equal(ik_plan_next(twice, sw, in_port, &b, two, &other), n);
        assert_int_equal(preferred, other);
        assert_int_equal(b.vc, a.vc + plan->num_vcs);
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(one[k].port, two[k].port);
            assert_int_equal(one[k].vc_first + plan->num_vcs, two[k].vc_first);
            assert_int_equal(one[k].vc_last + plan->num_vcs, two[k].vc_last);
        }
        if (n == 0)
            return;
        port = one[preferred].port;
        ik_plan_advance(plan, port, one[preferred].vc_first, &a);
        ik_plan_advance(twice, port, two[preferred].vc_first, &b);
    }
}

static void test_copies(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *vc;
        unsigned num_vcs;
    } of[] = {{"karytree:k=3,n=2", "adaptive_tree", "dbbm", 3},
              {"torus:dims=4:4,p=1", "dor", NULL, 0},
              {"dragonfly:h=1", "minimal", "hopclass", 0},
              {"mesh:dims=3:3,p=2", "minimal", "escape:routing=dor", 3},
              {"jellyfish:N=10,d=3,p=2,seed=3", "valiant", NULL, 0}};
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        ik_env env = {.seed = 1};
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        ik_error err = {0};
        assert_int_equal(ik_fabric_from_spec(of[k].fabric, &env, &f, &err), IK_OK);
        if (ik_plan_from_specs(f, of[k].routing, of[k].vc, NULL, of[k].num_vcs, &env, &plan, &err))
            fail_msg("%s: %s", of[k].fabric, err.text);
        ik_plan twice = *plan;
        twice.num_vcs *= 2;
        for (uint32_t src = 0; src < f->num_hosts; src++)
            for (uint32_t dst = 0; dst < f->num_hosts; dst++)
                if (src != dst)
                    compare_copies(plan, &twice, src, dst);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* Wherever a watched packet is, it is in a VC of its kind: those of replies follow all those of
 * requests. Their sizes tell them apart. A delivery names no VC. */
static void expect_own_vcs(const ik_sim_result *r, unsigned num, uint32_t reply_bytes)
{
    unsigned replies = 0;
    for (size_t k = 0; k < r->watch.num_packets; k++) {
        const ik_watched *p = &r->watch.packets[k];
        bool is_reply = p->bytes == reply_bytes;
        assert_true(p->sent && p->num_events > 0);
        replies += is_reply;
        for (size_t n = p->first; n < p->first + p->num_events; n++) {
            const ik_watch_event *e = &r->watch.events[n];
            if (e->stage != IK_WATCH_DELIVERED && e->vc / num != is_reply)
                fail_msg("a %s of host %u, %s: in VC %u of twice %u",
                         is_reply ? "reply" : "request", p->src, ik_watch_stage_names[e->stage],
                         e->vc, num);
        }
    }
    assert_in_range(replies, 20, r->watch.num_packets - 20);
}

static void test_own_vcs(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *vc, *sw, *adapter;
        unsigned num_vcs; /* 0 = as many as the routing needs */
    } of[] = {{"crossbar:n=4", "minimal", NULL, "model=iq", "", 0},
              {"karytree:k=3,n=2", "dmodk", "dbbm", "model=ioq", "max_outstanding=2;", 3},
              {"torus:dims=4:4", "dor", NULL, "model=iq;queues=fifo", "queues=one;", 0},
              {"torus:dims=4:4", "valiant", NULL, "model=ideal", "service_time=90 ns;", 0}};
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        ik_env env = {.seed = 1};
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        ik_traffic *traffic = NULL;
        ik_sim_result r = {0};
        char adapter[100];
        snprintf(adapter, sizeof adapter, "%spacket=512 B;message=512 B;reply=300 B",
                 of[k].adapter);
        const scenario c = {.sw = of[k].sw,
                            .adapter = adapter,
                            .measure = "warmup=1 us;duration=10 us;paranoid=true",
                            .watch = "first=200;after=1 us",
                            .load = 0.5};
        assert_int_equal(ik_fabric_from_spec(of[k].fabric, &env, &f, NULL), IK_OK);
        assert_int_equal(
            ik_plan_from_specs(f, of[k].routing, of[k].vc, NULL, of[k].num_vcs, &env, &plan, NULL),
            IK_OK);
        assert_int_equal(ik_traffic_from_spec(f, "uniform", &env, &traffic, NULL), IK_OK);
        assert_int_equal(run_plan(plan, traffic, &c, &r, NULL), IK_OK);
        expect_own_vcs(&r, plan->num_vcs, 300);
        sim_result_clear(&r);
        ik_traffic_free(traffic);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* ---- a load under which requests fill everything: replies still come through */
static void test_no_deadlock(void **state)
{
    (void)state;
    static const char *const adapters[] = {
        "packet=1 KiB;message=1 KiB;reply=4 KiB",
        "packet=1 KiB;message=4 KiB;reply=1 KiB;max_outstanding=100;queues=one"};
    for (unsigned k = 0; k < 2; k++) {
        ik_sim_result r =
            simulate((scenario){.fabric = "torus:dims=4:4,p=2",
                                .routing = "dor",
                                .traffic = "hotspot:nodes=0,fraction=30%",
                                .sw = "buffer=8 KiB",
                                .adapter = adapters[k],
                                .measure = "warmup=20 us;duration=60 us;watchdog=5 us",
                                .load = 1});
        assert_false(r.deadlock);
        assert_true(r.replies.round_trip.count > 100);
        sim_result_clear(&r);
    }
}

/* Hosts that send no requests answer those of others. */
static void test_servers(void **state)
{
    (void)state;
    ik_sim_result r = simulate((scenario){.fabric = "karytree:k=4,n=2",
                                          .routing = "adaptive_tree",
                                          .traffic = "hotspot:nodes=0,fraction=40%,rest=silent",
                                          .adapter = "message=64 B;packet=2 KiB;reply=2 KiB",
                                          .measure = "warmup=10 us;duration=50 us;paranoid=true",
                                          .load = 0.001});
    assert_true(r.hosts_silent > 0);
    assert_true(r.replies.round_trip.count > 10);
    sim_result_clear(&r);
}

/* ---- threads */

static void test_threads(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing, *vc, *sw, *adapter;
    } of[] = {
        {"karytree:k=4,n=2", "adaptive_tree", "dbbm", "",
         "packet=1 KiB;message=3000 B;reply=5 KiB;max_outstanding=4"},
        {"torus:dims=3:4,p=2", "dor", NULL, "model=ioq",
         "packet=512 B;message=64 B;reply=512 B;injection=poisson;service_time=90 ns"},
        {"dragonfly:h=1", "ugal_l", NULL, "model=ideal",
         "packet=512 B;message=512 B;reply=64 B;queues=one;ejection_fraction=60%"},
        {"hyperx:dims=3:3,p=2", "minimal", "hopclass", "queues=voqnet;buffer=300 KiB",
         "packet=512 B;message=2 KiB;reply=64 B;max_outstanding=2"},
        {"karytree:k=3,n=2", "random", NULL, "queues=damq;damq_bounds=output;buffer=64 KiB",
         "packet=512 B;message=2 KiB;reply=64 B;max_outstanding=2"},
    };
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        if (!in_part(k, 1))
            continue;
        scenario c = {.fabric = of[k].fabric,
                      .routing = of[k].routing,
                      .vc = of[k].vc,
                      .num_vcs = of[k].vc && strcmp(of[k].vc, "dbbm") == 0 ? 2 : 0,
                      .traffic = "mix:60%*uniform+40%*in=hotspot:nodes=1",
                      .sw = of[k].sw,
                      .adapter = of[k].adapter,
                      .measure = "warmup=3 us;duration=15 us;series=2 us;paranoid=true",
                      .load = 0.7};
        ik_fabric *f = NULL;
        uint64_t first = 0;
        assert_int_equal(ik_fabric_from_spec(c.fabric, &(ik_env){.seed = 1}, &f, NULL), IK_OK);
        for (c.threads = 1; c.threads <= MOST_THREADS; c.threads++) {
            ik_sim_result r = run_on(f, c);
            assert_true(r.replies.round_trip.count > 0);
            assert_true(c.threads == 1 || hash_result(f, &r) == first);
            first = hash_result(f, &r);
            sim_result_clear(&r);
        }
        ik_fabric_free(f);
    }
}

/* ---- what is refused */

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *adapter, *sw, *text;
        ik_status status;
        unsigned vcs;
    } wrong[] = {
        {"reply=64 B", "model=pipelined", "'reply': it has no effect", IK_ERR_INPUT, 0},
        {"reply=64 B;queues=destination", "", "'reply': it has no effect", IK_ERR_INPUT, 0},
        {"reply=64 B;in_order=true", "", "'reply': it has no effect", IK_ERR_INPUT, 0},
        {"service_time=1 ns", "", "'service_time': it has no effect", IK_ERR_INPUT, 0},
        {"max_outstanding=3", "", "'max_outstanding': it has no effect", IK_ERR_INPUT, 0},
        {"reply=64 B", "", "33 VCs for requests and as many for replies", IK_ERR_UNSUPPORTED, 33},
        {"reply=64 B", "buffer=7 KiB", "split among 2 VCs is 3584 B", IK_ERR_USAGE, 0},
        {"reply=900 TB", "", "cannot be answered", IK_ERR_UNSUPPORTED, 0},
        {"reply=1 B;message=1 B", "", "so long a run", IK_ERR_UNSUPPORTED, 0},
        {"reply=64 B;active=3", "", "'active': it has no effect", IK_ERR_INPUT, 0},
    };
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        scenario c = {.fabric = "karytree:k=2,n=2",
                      .routing = "dmodk",
                      .vc = wrong[k].vcs ? "any" : NULL,
                      .num_vcs = wrong[k].vcs,
                      .load = 0.5,
                      .adapter = wrong[k].adapter,
                      .measure = strstr(wrong[k].text, "long") ? "duration=1 s" : "",
                      .sw = wrong[k].sw};
        refuse(c, wrong[k].status, wrong[k].text);
    }
    scenario ends = {.fabric = "karytree:k=2,n=2",
                     .routing = "dmodk",
                     .traffic = "exchange:bytes=4 KiB",
                     .adapter = "reply=64 B",
                     .measure = "until=delivered;at_most=1 ms",
                     .load = 0.5};
    refuse(ends, IK_ERR_UNSUPPORTED, "of finite workloads only traffic");
    scenario rails = {
        .fabric = "xgft:m=3:2,w=2:2", .routing = "dmodk", .adapter = "reply=64 B", .load = 0.5};
    refuse(rails, IK_ERR_UNSUPPORTED, "hosts with one cable each");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_worked_case), on_one_thread(test_books),
        on_one_thread(test_closed_loop), on_one_thread(test_one_at_a_time),
        on_one_thread(test_copies),      on_one_thread(test_own_vcs),
        on_one_thread(test_no_deadlock), on_one_thread(test_servers),
        cmocka_unit_test(test_threads),  on_one_thread(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
