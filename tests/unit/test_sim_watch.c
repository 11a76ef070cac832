/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched packets: the same results as without, by every engine; the path that the routing names;
 * times that agree with each other, with the closed forms of an empty network and with the measured
 * latencies; the same on any number of threads; refusals. */
#include "sim_helper.h"
#include "unit/part.h"

static const ik_watch_event *find(const ik_sim_result *r, const ik_watched *p, unsigned stage,
                                  unsigned nth)
{
    for (size_t k = 0; k < p->num_events; k++)
        if (r->watch.events[p->first + k].stage == stage && nth-- == 0)
            return &r->watch.events[p->first + k];
    return NULL;
}

static uint64_t life_ps(const ik_sim_result *r, const ik_watched *p)
{
    return find(r, p, IK_WATCH_DELIVERED, 0)->t_ps - find(r, p, IK_WATCH_GENERATED, 0)->t_ps;
}

/* In order of time; each switch in turn: arrived, routed, granted or queued, sent. */
static void check_life(const ik_fabric *f, const ik_sim_result *r, const ik_watched *p)
{
    uint64_t t = 0;
    uint32_t node = ik_host_node(f, p->src), on_link = IK_NONE;
    unsigned stage = IK_WATCH_STAGES;
    assert_true(p->sent && p->num_events >= 4);
    for (size_t k = 0; k < p->num_events; k++) {
        const ik_watch_event *e = &r->watch.events[p->first + k];
        assert_true(e->t_ps >= t);
        t = e->t_ps;
        switch (e->stage) {
        case IK_WATCH_GENERATED:
            assert_int_equal(k, 0);
            break;
        case IK_WATCH_INJECTED:
        case IK_WATCH_SENT:
            assert_true(e->until_ps == 0 || e->until_ps > e->t_ps);
            assert_int_equal(f->port_node[e->channel], node);
            on_link = e->channel;
            break;
        case IK_WATCH_ARRIVED:
        case IK_WATCH_RECEIVED:
            assert_int_equal(e->channel, on_link);
            node = ik_peer_node(f, on_link);
            break;
        case IK_WATCH_DELIVERED:
            assert_int_equal(e->channel, on_link);
            assert_int_equal(ik_peer_node(f, on_link), ik_host_node(f, p->dst));
            assert_int_equal(k, p->num_events - 1);
            break;
        case IK_WATCH_WAITS:
            assert_true(e->reason > IK_WATCH_NOTHING && e->reason < IK_WATCH_REASONS);
            break;
        default:
            assert_int_equal(f->port_node[e->channel], node);
            assert_true(e->stage != stage || stage == IK_WATCH_ROUTED); /* it chose again */
        }
        stage = e->stage;
    }
}

static const scenario cases[] = {
    {"karytree:k=4,n=2", "dmodk", .sw = "model=iq"},
    {"karytree:k=4,n=2", "dmodk", .sw = "model=iq;queues=fifo;switching=saf"},
    {"karytree:k=4,n=2", "adaptive_tree", .sw = "model=iq"},
    {"karytree:k=4,n=2", "adaptive_tree", .sw = "model=iq;queues=fifo;buffer=8 KiB"},
    {"karytree:k=4,n=2", "dmodk", .sw = "model=iq;queues=voqnet", .adapter = "queues=destination"},
    {"torus:dims=3:3", "dor", .sw = "model=iq;queues=damq;queue_min=4 KiB", .num_vcs = 2},
    {"torus:dims=4:4", "dor", .sw = "model=ioq;traversal_delay=30 ns;buffer=16 KiB"},
    {"karytree:k=4,n=2", "adaptive_tree", .sw = "model=ioq;buffer=8 KiB"},
    {"karytree:k=4,n=2", "random", .sw = "model=ideal;traversal_delay=30 ns"},
    {"karytree:k=4,n=2", "adaptive_tree", .sw = "model=iq", .adapter = "in_order=true"},
    {"karytree:k=4,n=2", "dmodk", .sw = "model=pipelined"},
    {"torus:dims=4:4", "dor", .sw = "model=pipelined;speedup=2", .adapter = "packet=512 B"},
    {"karytree:k=4,n=2", "adaptive_tree", .sw = "model=pipelined;vc_allocator=separable_input"},
};

static scenario case_of(unsigned n)
{
    scenario c = cases[n];
    c.traffic = "uniform";
    c.load = 0.9;
    c.measure = "warmup=5 us;duration=20 us";
    return c;
}

static void assert_same_watch(const ik_sim_result *a, const ik_sim_result *b)
{
    assert_int_equal(a->watch.num_packets, b->watch.num_packets);
    assert_int_equal(a->watch.num_events, b->watch.num_events);
    assert_int_equal(a->checksum, b->checksum);
    for (size_t k = 0; k < a->watch.num_packets; k++) {
        const ik_watched *p = &a->watch.packets[k], *q = &b->watch.packets[k];
        assert_true(p->src == q->src && p->number == q->number && p->dst == q->dst &&
                    p->first == q->first && p->num_events == q->num_events);
    }
    for (size_t k = 0; k < a->watch.num_events; k++) {
        const ik_watch_event *e = &a->watch.events[k], *d = &b->watch.events[k];
        if (e->t_ps != d->t_ps || e->until_ps != d->until_ps || e->channel != d->channel ||
            e->stage != d->stage || e->reason != d->reason || e->vc != d->vc ||
            e->ahead != d->ahead)
            fail_msg("event %zu: %s and %s at %llu and %llu", k, ik_watch_stage_names[e->stage],
                     ik_watch_stage_names[d->stage], (unsigned long long)e->t_ps,
                     (unsigned long long)d->t_ps);
    }
}

/* The most that runs agree on, whatever was watched. */
static void assert_same_results(const scenario *c, const ik_sim_result *a, const ik_sim_result *b)
{
    if (a->checksum != b->checksum || a->packet_hops != b->packet_hops ||
        a->latency.sum != b->latency.sum || a->packets_generated != b->packets_generated ||
        a->order_violations != b->order_violations)
        fail_msg("%s, %s: watching changed the results", c->routing, c->sw);
}

static void test_watching_changes_nothing(void **state)
{
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        scenario c = case_of(n);
        if (!in_part(n, 1))
            continue;
        ik_sim_result plain = simulate(c);
        assert_int_equal(plain.watch.num_packets, 0);
        c.watch = "slowest=3;packets=2:0-4 5:3";
        ik_sim_result watched = simulate(c);
        assert_same_results(&c, &plain, &watched);
        for (c.threads = 2; c.threads <= MOST_THREADS; c.threads++) {
            ik_sim_result other = simulate(c);
            assert_same_results(&c, &plain, &other);
            assert_same_watch(&watched, &other);
            sim_result_clear(&other);
        }
        sim_result_clear(&plain);
        sim_result_clear(&watched);
    }
}

static void test_lives(void **state)
{
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        scenario c = case_of(n);
        ik_env env = env_of(&c);
        ik_fabric *f = NULL;
        assert_int_equal(ik_fabric_from_spec(c.fabric, &env, &f, NULL), IK_OK);
        c.watch = "slowest=3;packets=2:0-4 5:3";
        ik_sim_result r = simulate(c);
        assert_int_equal(r.watch.num_packets, 9);
        for (size_t k = 0; k < 9; k++)
            check_life(f, &r, &r.watch.packets[k]);
        /* named ones first; the slowest is the largest latency that was measured */
        assert_true(r.watch.packets[0].src == 2 && r.watch.packets[0].number == 0);
        assert_true(r.watch.packets[5].src == 5 && r.watch.packets[5].number == 3);
        uint64_t most = life_ps(&r, &r.watch.packets[6]);
        assert_int_equal(most, r.latency.max);
        for (unsigned k = 7; k < 9; k++) {
            assert_true(life_ps(&r, &r.watch.packets[k]) <= most);
            most = life_ps(&r, &r.watch.packets[k]);
        }
        assert_non_null(find(&r, &r.watch.packets[6], IK_WATCH_WAITS, 0));
        sim_result_clear(&r);
        ik_fabric_free(f);
    }
}

/* All packets of a short run, watched: their latencies are those that were measured. */
static void test_all_packets(void **state)
{
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        scenario c = case_of(n);
        c.measure = "warmup=0 ns;duration=8 us";
        c.watch = "packets=0:0-500 1:0-500 2:0-500 3:0-500 4:0-500 5:0-500 6:0-500 7:0-500 8:0-500 "
                  "9:0-500 10:0-500 11:0-500 12:0-500 13:0-500 14:0-500 15:0-500";
        ik_sim_result r = simulate(c);
        uint64_t sent = 0, delivered = 0, sum = 0;
        for (size_t k = 0; k < r.watch.num_packets; k++) {
            const ik_watched *p = &r.watch.packets[k];
            sent += p->sent;
            delivered += p->delivered;
            if (p->delivered && find(&r, p, IK_WATCH_DELIVERED, 0)->t_ps < 8000000)
                sum += life_ps(&r, p);
        }
        assert_int_equal(delivered, r.packets_delivered);
        if (!c.adapter || !strstr(c.adapter, "in_order"))
            assert_int_equal(sent, r.packets_delivered + r.packets_in_flight);
        assert_int_equal(sum, r.latency.sum);
        sim_result_clear(&r);
    }
}

/* Switch by switch what the routing answers: what `ikat route` prints. */
static void expect_path_of_plan(const ik_plan *plan, const ik_fabric *f, const ik_sim_result *r,
                                const ik_watched *p)
{
    ik_packet pk;
    ik_choice choices[64];
    ik_draw draw = {1, p->src, p->number};
    uint32_t port = ik_host_port(f, p->src), preferred = 0;
    ik_plan_start(plan, p->src, p->dst, &draw, NULL, &pk);
    for (unsigned hop = 0; ik_is_switch(f, ik_peer_node(f, port)); hop++) {
        uint32_t sw = ik_peer_node(f, port);
        ik_packet_add_hops(&pk, 1);
        assert_true(ik_plan_next(plan, sw, f->port_peer[port], &pk, choices, &preferred) > 0);
        port = choices[preferred].port;
        assert_int_equal(find(r, p, IK_WATCH_SENT, hop)->channel, port);
    }
    assert_int_equal(ik_peer_node(f, port), ik_host_node(f, p->dst));
}

/* An empty network: nothing waits, and the path is the routing's. */
static void test_empty_network(void **state)
{
    static const struct {
        const char *sw;
        uint64_t at_switch; /* from the head's arrival to its sending, ps */
    } models[] = {{"model=iq;routing_delay=40 ns;traversal_delay=60 ns", 100000},
                  {"model=ioq;routing_delay=40 ns;traversal_delay=60 ns", 100000},
                  {"model=ideal;routing_delay=40 ns;traversal_delay=60 ns", 100000}};
    (void)state;
    for (unsigned m = 0; m < 3; m++) {
        scenario c = {.fabric = "karytree:k=4,n=2,latency=10 ns,link_rate=100 Gb/s",
                      .routing = "dmodk",
                      .traffic = "shift:by=5",
                      .sw = models[m].sw,
                      .adapter = "packet=1000 B",
                      .measure = "warmup=0 ns;duration=2 ms",
                      .watch = "first=1;source=1;destination=6;after=2 us",
                      .load = 0.0005};
        ik_env env = env_of(&c);
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        ik_sim_result r = simulate(c);
        assert_int_equal(ik_fabric_from_spec(c.fabric, &env, &f, NULL), IK_OK);
        assert_int_equal(ik_plan_from_specs(f, c.routing, NULL, NULL, 0, &env, &plan, NULL), IK_OK);
        assert_int_equal(r.watch.num_packets, 1);
        const ik_watched *p = &r.watch.packets[0];
        check_life(f, &r, p);
        assert_true(p->src == 1 && p->dst == 6 && p->bytes == 1000);
        assert_true(find(&r, p, IK_WATCH_GENERATED, 0)->t_ps >= 2000000);
        assert_null(find(&r, p, IK_WATCH_WAITS, 0));
        /* 3 switches, 4 links, 80 ns of bytes */
        assert_int_equal(life_ps(&r, p), 4 * 10000 + 3 * models[m].at_switch + 80000);
        uint64_t t = find(&r, p, IK_WATCH_GENERATED, 0)->t_ps;
        assert_int_equal(find(&r, p, IK_WATCH_INJECTED, 0)->t_ps, t);
        for (unsigned hop = 0; hop < 3; hop++) {
            t += 10000;
            assert_int_equal(find(&r, p, IK_WATCH_ARRIVED, hop)->t_ps, t);
            assert_int_equal(find(&r, p, IK_WATCH_ROUTED, hop)->t_ps, t + 40000);
            t += models[m].at_switch;
            assert_int_equal(find(&r, p, IK_WATCH_SENT, hop)->t_ps, t);
            assert_int_equal(find(&r, p, IK_WATCH_SENT, hop)->until_ps, t + 80000);
        }
        expect_path_of_plan(plan, f, &r, p);
        ik_plan_free(plan);
        ik_fabric_free(f);
        sim_result_clear(&r);
    }
}

static void test_unsent(void **state)
{
    scenario c = case_of(0);
    (void)state;
    c.watch = "packets=99:0 3:100000";
    ik_sim_result r = simulate(c);
    assert_int_equal(r.watch.num_packets, 2);
    for (size_t k = 0; k < 2; k++)
        assert_true(!r.watch.packets[k].sent && r.watch.packets[k].num_events == 0);
    sim_result_clear(&r);
    c.watch = "first=5;source=99";
    r = simulate(c);
    assert_int_equal(r.watch.num_packets, 0);
    sim_result_clear(&r);
}

static void test_refusals(void **state)
{
    scenario c = case_of(0);
    (void)state;
    static const char *const bad[] = {
        "packets=5",       "packets=5:",   "packets=a:1",          "packets=5:9-3",
        "packets=5:1 6:x", "packets=5:1x", "packets=99999999999:1"};
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; k++) {
        c.watch = bad[k];
        refuse(c, IK_ERR_INPUT, "names no packet");
    }
    c.watch = "packets=5:0-10000";
    refuse(c, IK_ERR_INPUT, "more than 10000 packets");
    c.watch = "source=3";
    refuse(c, IK_ERR_INPUT, "'source'");
    c.watch = "first=3;slowest=3";
    refuse(c, IK_ERR_INPUT, "'slowest'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_watching_changes_nothing),
                                       on_one_thread(test_lives),
                                       on_one_thread(test_all_packets),
                                       on_one_thread(test_empty_network),
                                       on_one_thread(test_unsent),
                                       on_one_thread(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
