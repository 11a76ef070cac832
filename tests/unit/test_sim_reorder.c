/* SPDX-License-Identifier: Apache-2.0
 *
 * In-order delivery: a case worked out by hand, reorder buffers against a model that looks at every
 * packet, the same results on several threads, plans that keep order by themselves, packets that
 * are given up, and what is refused. That order holds, that nothing is lost and that no buffer is
 * overbooked is checked by `paranoid` in most of these runs. */
#include "sim/inspect/inspect.h"
#include "sim/order/reorder.h"
#include "sim/run.h"
#include "sim_hash.h"
#include "sim_helper.h"
#include "unit/part.h"

/* ---- the worked case: a buffer of two packets; a flow sends 0, 1, 2; 1 comes before 0 */

/* Two switches joined by a slow and a fast link, a host on each. The selection takes the slow link
 * if it is idle, so 0 goes there and 1 passes it by. Ideal switches, store-and-forward, 10 ns a
 * link; 4 KiB take 327.68 ns at 100 Gb/s, 3276.8 ns on the slow link of 10 Gb/s. */
static ik_fabric *two_roads(void)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint16_t fast = ik_builder_class(b, 100000000000, 10000, "fast"),
             slow = ik_builder_class(b, 10000000000, 10000, "slow");
    uint32_t sw = ik_builder_switches(b, 2, 3), host = ik_builder_hosts(b, 2, 1);
    ik_builder_link(b, ik_sw(sw, 0), ik_sw(sw + 1, 0), slow);
    ik_builder_link(b, ik_sw(sw, 1), ik_sw(sw + 1, 1), fast);
    ik_builder_link(b, ik_hs(host, 0), ik_sw(sw, 2), fast);
    ik_builder_link(b, ik_hs(host + 1, 0), ik_sw(sw + 1, 2), fast);
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    return f;
}

enum { BY_SLOW = 3962160, BY_FAST = 1013040, TIME_OF_PACKET = 327680 }; /* ps, host to host */

typedef struct worked {
    const char *adapter;
    uint64_t sent[3];      /* ps after the message was made */
    uint64_t delivered[3]; /* in order */
    uint64_t stored, out_of_order;
} worked;

static const worked cases[] = {
    /* all three at once; 1 and 2 wait for 0 */
    {"in_order=true",
     {0, TIME_OF_PACKET, 2 * TIME_OF_PACKET},
     {BY_SLOW, BY_SLOW, BY_SLOW},
     8192,
     2},
    /* a request and its answer take 20 ns; 2 goes when the space of 0 has come back: 10 ns */
    {"in_order=true;reorder_buffer=8 KiB;control_delay=ideal",
     {20000, 20000 + TIME_OF_PACKET, 20000 + BY_SLOW + 10000},
     {20000 + BY_SLOW, 20000 + BY_SLOW, 20000 + BY_SLOW + 10000 + BY_SLOW},
     4096,
     1},
    {"in_order=true;reorder_buffer=12287 B;control_delay=ideal;throttle=strict",
     {20000, 20000 + TIME_OF_PACKET, 20000 + BY_SLOW + 10000},
     {20000 + BY_SLOW, 20000 + BY_SLOW, 20000 + BY_SLOW + 10000 + BY_SLOW},
     4096,
     1},
    /* the source counts by itself; three links are 30 ns */
    {"in_order=true;reorder_buffer=8 KiB;reorder_scope=flow",
     {0, TIME_OF_PACKET, BY_SLOW + 30000},
     {BY_SLOW, BY_SLOW, BY_SLOW + 30000 + BY_SLOW},
     4096,
     1},
    {"in_order=true;reorder_buffer=8 KiB;reorder_scope=flow;control_delay=1 us;throttle=strict",
     {0, TIME_OF_PACKET, BY_SLOW + 1000000},
     {BY_SLOW, BY_SLOW, BY_SLOW + 1000000 + BY_SLOW},
     4096,
     1},
    /* one packet at a time */
    {"in_order=true;reorder_buffer=0 B;control_delay=ideal",
     {0, BY_SLOW + 10000, 2 * (BY_SLOW + 10000)},
     {BY_SLOW, 2 * BY_SLOW + 10000, 3 * BY_SLOW + 20000},
     0,
     0},
};

static void expect_worked(const worked *w, const ik_sim_result *r)
{
    uint64_t sum = 0, network = 0, most = 0, fast = w->out_of_order ? w->out_of_order : 0;
    double arrivals = 0;
    for (unsigned k = 0; k < 3; k++) {
        sum += w->delivered[k];
        network += w->delivered[k] - w->sent[k];
        most = w->delivered[k] > most ? w->delivered[k] : most;
        arrivals += (double)w->sent[k] + (k > 0 && fast >= k ? BY_FAST : BY_SLOW);
    }
    assert_int_equal(r->packets_delivered, 6); /* a message each way */
    assert_int_equal(r->latency.sum, 2 * sum);
    assert_int_equal(r->latency.max, most);
    assert_int_equal(r->network_latency.sum, 2 * network);
    assert_int_equal(r->reorder.out_of_order, 2 * w->out_of_order);
    assert_int_equal(r->reorder.max_bytes, w->stored);
    assert_true(r->reorder.arrival_latency - arrivals / 3 < 1 &&
                arrivals / 3 - r->reorder.arrival_latency < 1);
}

static void test_worked_case(void **state)
{
    (void)state;
    ik_fabric *f = two_roads();
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char adapter[200];
        snprintf(adapter, sizeof adapter, "message=12 KiB;%s", cases[k].adapter);
        scenario c = {.routing = "minimal",
                      .vc = "1q",
                      .selection = "first_free",
                      .traffic = "shift:by=1",
                      .sw = "model=ideal;switching=saf",
                      .adapter = adapter,
                      .measure = "warmup=0 ns;duration=90 us;paranoid=true",
                      .load = 0.01,
                      .seed = 3};
        for (c.threads = fewest_threads(); c.threads < 3; c.threads++) {
            ik_sim_result r = {0};
            ik_error err = {0};
            if (simulate_on(f, &c, &r, &err) != IK_OK)
                fail_msg("%s: %s", adapter, err.text);
            expect_worked(&cases[k], &r);
            sim_result_clear(&r);
        }
    }
    ik_fabric_free(f);
}

/* ---- reorder buffers against a model */

enum { HOSTS = 4, PER_FLOW = 12, FLOWS = HOSTS * HOSTS, PACKETS = FLOWS * PER_FLOW };

typedef struct arrival {
    delivered d;
    uint32_t number; /* in its flow */
    uint64_t in_order_ps;
} arrival;

/* Random times of arrival, no two alike; then in order of time. */
static void draw_arrivals(uint64_t seed, arrival *a)
{
    for (uint32_t k = 0; k < PACKETS; k++) {
        uint32_t flow = k / PER_FLOW;
        uint64_t t = ik_random_below(seed, IK_RNG_TEST, k, 0, 10000) * PACKETS + k + 1;
        a[k] = (arrival){.d = {.t = t * 1000,
                               .t_gen = k % 7,
                               .t_inject = 7 + k % PER_FLOW,
                               .src = flow / HOSTS,
                               .dst = flow % HOSTS,
                               .number = k,
                               .size = 64 + k},
                         .number = k % PER_FLOW};
    }
    for (uint32_t k = 1; k < PACKETS; k++) /* a packet is delivered when all up to it have come */
        for (uint32_t before = k / PER_FLOW * PER_FLOW; before <= k; before++)
            if (a[before].d.t > a[k].in_order_ps)
                a[k].in_order_ps = a[before].d.t;
    a[0].in_order_ps = a[0].d.t;
    for (uint32_t k = 1; k < PACKETS; k++)
        for (uint32_t n = k; n > 0 && a[n - 1].d.t > a[n].d.t; n--) {
            arrival other = a[n];
            a[n] = a[n - 1];
            a[n - 1] = other;
        }
}

/* Bytes that wait at a host just after t. */
static uint64_t stored_at(const arrival *a, uint32_t host, uint64_t t)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < PACKETS; k++)
        if (a[k].d.dst == host && a[k].d.t <= t && a[k].in_order_ps > t)
            sum += a[k].d.size;
    return sum;
}

static void compare_with_model(sim *s, const arrival *a)
{
    partition *p = &s->parallel.partitions[0];
    uint64_t latency = 0, hashes[HOSTS] = {0}, most = 0, early = 0;
    sim_area stored = 0;
    for (uint32_t k = 0; k < PACKETS; k++)
        sim_reorder_arrive(p, a[k].d.dst, &a[k].d, sim_sequence_of(a[k].number));
    sim_reorder_finish(p);
    for (uint32_t k = 0; k < PACKETS; k++) {
        const ik_packet rt = {.src = a[k].d.src, .dst = a[k].d.dst};
        uint64_t now = stored_at(a, a[k].d.dst, a[k].d.t);
        latency += a[k].in_order_ps - a[k].d.t_gen;
        hashes[a[k].d.dst] += sim_delivery_hash(&rt, a[k].d.t_gen, a[k].in_order_ps);
        stored += (sim_area)a[k].d.size * (a[k].in_order_ps - a[k].d.t);
        early += a[k].in_order_ps > a[k].d.t;
        most = now > most ? now : most;
    }
    assert_int_equal(p->status, IK_OK);
    assert_int_equal(p->n.delivered, PACKETS);
    assert_int_equal(p->n.held, 0);
    assert_int_equal(p->latency.sum, latency);
    assert_int_equal(p->reorder_stats.out_of_order, early);
    assert_int_equal(p->reorder_stats.most_stored, most);
    assert_true(p->reorder_stats.stored == stored);
    for (uint32_t host = 0; host < HOSTS; host++)
        assert_int_equal(s->host.state[host].hash, hashes[host]);
}

static void test_model(void **state)
{
    (void)state;
    static arrival a[PACKETS];
    ik_fabric *f = fabric_of("karytree:k=2,n=2");
    ik_plan *plan = plan_of(f, "adaptive_tree", "1q", 1);
    ik_traffic *traffic = traffic_of(f, "uniform");
    scenario c = {.adapter = "in_order=true",
                  .measure = "warmup=0 ns;duration=10 ms;paranoid=true",
                  .load = 0.5};
    const ik_env env = {.seed = 1, .num_threads = 1};
    for (uint64_t seed = 0; seed < 50; seed++) {
        sections at;
        sim s;
        ik_error err = {0};
        assert_int_equal(open_sections(&at, &c, &err), IK_OK);
        assert_int_equal(sim_setup(&s, plan, traffic, &at.config, &env, &err), IK_OK);
        draw_arrivals(seed, a);
        compare_with_model(&s, a);
        sim_free(&s);
        close_sections(&at);
    }
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

/* ---- threads */

static const char *const buffers[] = {
    "in_order=true",
    "in_order=true;queues=destination;message=10000 B",
    "in_order=true;reorder_buffer=0 B",
    "in_order=true;reorder_buffer=0 B;throttle=strict;control_delay=ideal",
    "in_order=true;reorder_buffer=2 kB;control_delay=ideal",
    "in_order=true;reorder_buffer=5 kB;message=3500 B",
    "in_order=true;reorder_buffer=1000 B;throttle=strict;queues=one;message=3500 B",
    "in_order=true;reorder_buffer=3 kB;throttle=strict;control_delay=300 ns",
    "in_order=true;reorder_buffer=2 kB;reorder_scope=flow",
    "in_order=true;reorder_buffer=4 kB;reorder_scope=flow;throttle=strict;control_delay=ideal",
    "in_order=true;reorder_buffer=100 kB;ejection_fraction=60%",
};

static void expect_same_on_threads(const ik_fabric *f, scenario c)
{
    uint64_t first = 0;
    for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
        ik_sim_result r = {0};
        ik_error err = {0};
        if (simulate_on(f, &c, &r, &err) != IK_OK)
            fail_msg("%s, %s, %s: %s", c.routing, c.sw, c.adapter, err.text);
        assert_true(r.packets_delivered > 20 && r.reorder.in_order && !r.order_violations);
        uint64_t value = hash_result(f, &r);
        if (c.threads > fewest_threads() && value != first)
            fail_msg("%s, %s, %s: %u threads give another result than one", c.routing, c.sw,
                     c.adapter, c.threads);
        first = value;
        sim_result_clear(&r);
    }
}

static void test_threads(void **state)
{
    (void)state;
    static const scenario routes[] = {
        {.fabric = "karytree:k=3,n=2,latency=10 ns",
         .routing = "adaptive_tree",
         .vc = "1q",
         .num_vcs = 1,
         .selection = "first_free",
         .sw = "queues=voqsw"},
        {.fabric = "torus:dims=3:4,p=2,latency=7 ns,host_latency=25 ns",
         .routing = "minimal",
         .vc = "hopclass",
         .selection = "most_credits",
         .sw = "model=ioq;speedup=1.5;buffer=64 KiB"},
        {.fabric = "karytree:k=3,n=2,latency=10 ns,host_latency=31 ns",
         .routing = "oblivious",
         .vc = "dbbm",
         .num_vcs = 2,
         .sw = "switching=saf;routing_delay=5 ns"},
        {.fabric = "hyperx:dims=3:3,p=2,latency=20 ns",
         .routing = "valiant",
         .sw = "queues=damq;queue_min=2 kB"},
        /* messages about space cross partitions sooner than packets do */
        {.fabric = "karytree:k=3,n=2,latency=40 ns,host_latency=7 ns",
         .routing = "adaptive_tree",
         .vc = "1q",
         .num_vcs = 1},
        {.fabric = "dragonfly:h=1", .routing = "ugal_l", .sw = "queues=fifo"},
        {.fabric = "crossbar:n=6", .routing = "minimal", .vc = "any", .num_vcs = 3, .sw = ""},
        /* one path, and one VC of each channel but that to the host */
        {.fabric = "torus:dims=4:4", .routing = "dor", .sw = "model=ideal"},
        {.fabric = "torus:dims=4:4", .routing = "dor", .sw = "model=ioq;speedup=2"},
        {.fabric = "torus:dims=4:4", .routing = "dor", .sw = "queues=damq"},
    };
    for (unsigned k = 0; k < sizeof routes / sizeof *routes; k++) {
        ik_fabric *f = fabric_of(routes[k].fabric);
        for (unsigned n = 0; n < sizeof buffers / sizeof *buffers; n++) {
            char adapter[200];
            if (!in_part(k + n, 3)) /* each buffer and each route some times */
                continue;
            snprintf(adapter, sizeof adapter, "packet=1 kB;injection=poisson;%s", buffers[n]);
            scenario c = routes[k];
            c.adapter = adapter;
            c.load = 0.9;
            c.traffic = n % 2 ? "uniform" : "hotspot:nodes=1,fraction=20%";
            c.measure = "warmup=1 us;duration=4 us;series=700 ns;paranoid=true";
            expect_same_on_threads(f, c);
            c.measure = "warmup=1 us;duration=4 us"; /* checks end a step with every window */
            expect_same_on_threads(f, c);
        }
        ik_fabric_free(f);
    }
}

/* ---- memory follows what is under way */

/* Flows with nothing in the network are forgotten, whoever counts reorder space, so that a long run
 * takes no more than a short one. */
static void expect_few_flows(const ik_plan *plan, const ik_traffic *traffic, const char *adapter)
{
    static const ik_env env = {.seed = 1, .num_threads = 1};
    scenario c = {.adapter = adapter, .load = 0.3, .measure = "warmup=0 ns;duration=100 us"};
    ik_error err = {0};
    sections at;
    sim s;
    assert_int_equal(open_sections(&at, &c, &err), IK_OK);
    if (sim_setup(&s, plan, traffic, &at.config, &env, &err) != IK_OK)
        fail_msg("%s: %s", adapter, err.text);
    sim_run_partition(&s.parallel.partitions[0]);
    const partition *p = &s.parallel.partitions[0];
    uint64_t left = p->n.generated - p->n.delivered;
    assert_true(p->n.delivered > 3000); /* of 4,032 flows */
    if (p->reorder->flow_of.num > left + 200 || p->reorder->num_flows > 1500)
        fail_msg("%s: %zu flows are known, %u were at a time, %llu packets are under way", adapter,
                 p->reorder->flow_of.num, p->reorder->num_flows, (unsigned long long)left);
    sim_free(&s);
    close_sections(&at);
}

static void test_flows_are_forgotten(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=4,n=3");
    ik_plan *plan = plan_of(f, "adaptive_tree", NULL, 0);
    ik_traffic *traffic = traffic_of(f, "uniform");
    for (unsigned n = 0; n < sizeof buffers / sizeof *buffers; n++) {
        char adapter[200];
        snprintf(adapter, sizeof adapter, "packet=1 kB;%s", buffers[n]);
        expect_few_flows(plan, traffic, adapter);
    }
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

/* ---- what the checks cost */

/* However many flows there are, checks look at no more than the run has had events, but for what is
 * free and the last two of them: one that was still afforded, and the one at the end. */
static void test_checks_are_bounded(void **state)
{
    (void)state;
    static const ik_env env = {.seed = 1, .num_threads = 1};
    ik_fabric *f = fabric_of("karytree:k=4,n=3");
    ik_plan *plan = plan_of(f, "adaptive_tree", NULL, 0);
    ik_traffic *traffic = traffic_of(f, "uniform");
    for (unsigned n = 0; n < sizeof buffers / sizeof *buffers; n++) {
        char adapter[200];
        snprintf(adapter, sizeof adapter, "packet=1 kB;%s", buffers[n]);
        scenario c = {.adapter = adapter,
                      .load = 0.5,
                      .measure = "warmup=0 ns;duration=100 us;paranoid=true"};
        sections at;
        sim s;
        ik_error err = {0};
        assert_int_equal(open_sections(&at, &c, &err), IK_OK);
        assert_int_equal(sim_setup(&s, plan, traffic, &at.config, &env, &err), IK_OK);
        sim_run_partition(&s.parallel.partitions[0]);
        if (s.parallel.partitions[0].status != IK_OK)
            fail_msg("%s", s.parallel.partitions[0].err.text);
        const run_outcome *o = &s.outcome;
        uint64_t events = s.parallel.partitions[0].n.events;
        assert_true(o->num_checks > 10);
        assert_true(o->dearest_check >= s.f->num_ports && o->check_cost > SIM_FREE_CHECKS / 2);
        assert_in_range(o->check_cost, 0, SIM_FREE_CHECKS + events + 2 * o->dearest_check);
        sim_free(&s);
        close_sections(&at);
    }
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

/* ---- how long paths are */

/* What the tables say is what walking the path gives, for each pair of hosts. */
static void expect_paths(const ik_plan *plan, const ik_traffic *traffic)
{
    static const ik_env env = {.seed = 1, .num_threads = 1};
    scenario c = {.adapter = "in_order=true;reorder_buffer=8 KiB",
                  .sw = "routing_delay=3 ns;traversal_delay=2 ns",
                  .load = 0.3,
                  .measure = "warmup=0 ns;duration=1 us"};
    ik_error err = {0};
    sections at;
    sim s;
    assert_int_equal(open_sections(&at, &c, &err), IK_OK);
    assert_int_equal(sim_setup(&s, plan, traffic, &at.config, &env, &err), IK_OK);
    partition *p = &s.parallel.partitions[0];
    assert_non_null(p->reorder); /* else the plan keeps order by itself */
    struct reorder_paths *tables = p->reorder->paths;
    assert_non_null(tables);
    for (uint32_t src = 0; src < s.f->num_hosts; src++)
        for (uint32_t dst = 0; dst < s.f->num_hosts; dst++) {
            uint64_t known = sim_reorder_path_ps(p, src, dst);
            p->reorder->paths = NULL; /* walks */
            assert_int_equal(known, sim_reorder_path_ps(p, src, dst));
            p->reorder->paths = tables;
        }
    sim_free(&s);
    close_sections(&at);
}

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing;
    } pairs[] = {
        {"karytree:k=3,n=3,latency=10 ns,host_latency=31 ns", "adaptive_tree"},
        {"slimfly:q=5,latency=20 ns,host_latency=5 ns", "minimal"},
        {"slimfly:q=5,latency=20 ns,host_latency=5 ns", "valiant"},
        {"dragonfly:h=1,global_latency=100 ns", "minimal"},
        {"hypercube:n=3,p=2,latency=9 ns", "minimal"},
    };
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        ik_fabric *f = fabric_of(pairs[k].fabric);
        ik_plan *plan = plan_of(f, pairs[k].routing, NULL, 0);
        ik_traffic *traffic = traffic_of(f, "uniform");
        expect_paths(plan, traffic);
        ik_traffic_free(traffic);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* ---- plans that keep order by themselves */

/* Nothing is held up, whatever the buffer: deliveries are the same, packet by packet. */
static void test_order_for_free(void **state)
{
    (void)state;
    static const char *const adapters[] = {
        "queues=destination", "queues=destination;in_order=true",
        "queues=destination;in_order=true;reorder_buffer=0 B",
        "queues=destination;in_order=true;reorder_buffer=64 KiB;control_delay=ideal"};
    static const scenario plans[] = {
        {.fabric = "karytree:k=4,n=2", .routing = "dmodk", .vc = "1q", .num_vcs = 1},
        {.fabric = "karytree:k=4,n=2", .routing = "dmodk", .vc = "dbbm", .num_vcs = 3},
        {.fabric = "torus:dims=4:4,p=1", .routing = "dor", .vc = "dateline", .num_vcs = 2},
        {.fabric = "slimfly:q=5,p=1", .routing = "shortest", .vc = "hopclass"},
    };
    for (unsigned k = 0; k < sizeof plans / sizeof *plans; k++) {
        uint64_t checksum = 0;
        for (unsigned n = 0; n < sizeof adapters / sizeof *adapters; n++) {
            scenario c = plans[k];
            c.adapter = adapters[n];
            c.load = 0.9;
            c.measure = "warmup=5 us;duration=20 us";
            ik_sim_result r = simulate(c);
            assert_true(n == 0 || r.checksum == checksum);
            assert_int_equal(r.reorder.in_order, n > 0);
            assert_true(n == 0 || r.reorder.arrival_latency == r.latency.mean);
            checksum = r.checksum;
            sim_result_clear(&r);
        }
    }
}

/* ---- packets that are given up */

/* A host is not connected: what is sent to it is given up in the network, what was reserved comes
 * back, and nothing else waits for it. */
static void test_lost_packets(void **state)
{
    (void)state;
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint32_t sw = ik_builder_switches(b, 1, 8), host = ik_builder_hosts(b, 4, 1);
    uint16_t link = ik_builder_class(b, 100000000000, 5000, NULL);
    for (uint32_t h = 0; h < 3; h++)
        ik_builder_link(b, ik_hs(host + h, 0), ik_sw(sw, h), link);
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    for (unsigned n = 0; n < sizeof buffers / sizeof *buffers; n++) {
        char adapter[200];
        snprintf(adapter, sizeof adapter, "packet=1 kB;%s", buffers[n]);
        scenario c = {.routing = "minimal",
                      .vc = "any",
                      .num_vcs = 2,
                      .traffic = "uniform",
                      .adapter = adapter,
                      .load = 0.5,
                      .measure = "warmup=0 ns;duration=20 us;paranoid=true"};
        uint64_t first = 0;
        for (c.threads = fewest_threads(); c.threads < 3; c.threads++) {
            ik_sim_result r = {0};
            ik_error err = {0};
            if (simulate_on(f, &c, &r, &err) != IK_OK)
                fail_msg("%s: %s", adapter, err.text);
            if (r.packets_unroutable < 20 || r.packets_delivered < r.packets_unroutable)
                fail_msg("%s: %llu delivered, %llu given up", adapter,
                         (unsigned long long)r.packets_delivered,
                         (unsigned long long)r.packets_unroutable);
            assert_true(c.threads == fewest_threads() || hash_result(f, &r) == first);
            first = hash_result(f, &r);
            sim_result_clear(&r);
        }
    }
    ik_fabric_free(f);
}

/* ---- what is refused */

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *adapter, *sw, *text;
        ik_status status;
    } wrong[] = {
        {"in_order=true;reorder_buffer=1 B", "", "reorder_buffer = 1 B cannot hold a packet",
         IK_ERR_USAGE},
        {"in_order=true;reorder_buffer=4095 B", "", "cannot hold a packet of 4096 B", IK_ERR_USAGE},
        {"in_order=true;reorder_buffer=8 KiB;queues=vc", "", "throttle = bypass", IK_ERR_USAGE},
        {"in_order=true;reorder_buffer=8 KiB;queues=one;throttle=bypass", "", "throttle = bypass",
         IK_ERR_USAGE},
        {"in_order=true;reorder_buffer=8 KiB;queues=destination;throttle=strict", "",
         "throttle = strict has no meaning", IK_ERR_USAGE},
        {"in_order=true;reorder_buffer=8 KiB;control_delay=9999 ps", "",
         "control_delay = 9999 ps is shorter", IK_ERR_USAGE},
        {"reorder_buffer=8 KiB", "", "'reorder_buffer': it has no effect", IK_ERR_INPUT},
        {"in_order=true;reorder_scope=flow", "", "'reorder_scope': it has no effect", IK_ERR_INPUT},
        {"in_order=true;reorder_buffer=0 B;reorder_scope=flow", "",
         "'reorder_scope': it has no effect", IK_ERR_INPUT},
        {"in_order=true;throttle=strict", "", "'throttle': it has no effect", IK_ERR_INPUT},
        {"in_order=true;control_delay=ideal", "", "'control_delay': it has no effect",
         IK_ERR_INPUT},
        {"in_order=true", "model=pipelined", "'in_order': it has no effect", IK_ERR_INPUT},
    };
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        scenario c = {.fabric = "karytree:k=2,n=2,latency=10 ns",
                      .routing = "adaptive_tree",
                      .load = 0.5,
                      .adapter = wrong[k].adapter,
                      .sw = wrong[k].sw};
        refuse(c, wrong[k].status, wrong[k].text);
    }
    scenario zero = {.fabric = "karytree:k=2,n=2",
                     .routing = "adaptive_tree",
                     .adapter = "in_order=true;reorder_buffer=0 B;control_delay=0 ns",
                     .load = 0.5};
    refuse(zero, IK_ERR_INPUT, "'control_delay' = 0 ns is out of range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_case),    cmocka_unit_test(test_model),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_paths),
        on_one_thread(test_order_for_free),    on_one_thread(test_lost_packets),
        cmocka_unit_test(test_refusals),       on_one_thread(test_flows_are_forgotten),
        on_one_thread(test_checks_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
