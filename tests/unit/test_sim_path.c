/* SPDX-License-Identifier: Apache-2.0
 *
 * The critical path of workloads: worked cases, and on random dependency graphs that its segments
 * meet without gaps, sum to the completion, and are the same by both engines on any number of
 * threads. */
#include "graph_run.h"
#include "unit/part.h"

static void expect_same(const ik_sim_result *a, const ik_sim_result *b)
{
    const ik_critical_path *x = &a->critical_path, *y = &b->critical_path;
    assert_int_equal(a->completion_ps, b->completion_ps);
    assert_int_equal(x->num_segments, y->num_segments);
    assert_int_equal(x->left_out, y->left_out);
    assert_int_equal(x->messages, y->messages);
    assert_memory_equal(x->kind_ps, y->kind_ps, sizeof x->kind_ps);
    for (size_t k = 0; k < x->num_segments; k++) {
        const ik_path_segment *p = &x->segments[k], *q = &y->segments[k];
        if (p->kind != q->kind || p->host != q->host || p->peer != q->peer || p->op != q->op ||
            p->bytes != q->bytes || p->begin_ps != q->begin_ps || p->end_ps != q->end_ps)
            fail_msg("segment %zu: %s of host %u, %s of host %u", k, ik_path_kind_name(p->kind),
                     p->host, ik_path_kind_name(q->kind), q->host);
    }
}

/* ---- worked cases */

static scenario on_crossbar(const char *model)
{
    return (scenario){.fabric = "crossbar:n=6,latency=10 ns,link_rate=100 Gb/s",
                      .routing = "minimal",
                      .sw = model,
                      .adapter = "packet=1000 B",
                      .measure = ENDS ";paranoid=true",
                      .load = 1,
                      .threads = 1};
}

static void build_one(graph_builder *b, uint64_t seed)
{
    (void)seed;
    graph_message(b, 2, 3, 1000, NULL);
}

/* Alone in the network: nothing but its latency, in every model. */
static void test_one_message(void **state)
{
    static const struct {
        const char *sw;
        uint64_t ps; /* two links, 80 ns a packet a transmission, delays of the switch */
    } cases[] = {{"model=iq", 100000},
                 {"model=ioq", 100000},
                 {"model=ideal", 100000},
                 {"model=iq;switching=saf", 180000},
                 {"model=ioq;routing_delay=30 ns;traversal_delay=7 ns", 137000},
                 {"model=ideal;switching=saf;traversal_delay=7 ns", 187000}};
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_sim_result r = run_graph(NULL, on_crossbar(cases[k].sw), 1, build_one);
        check_path(&r);
        assert_int_equal(r.completion_ps, cases[k].ps);
        assert_int_equal(r.critical_path.num_segments, 1);
        assert_int_equal(r.critical_path.kind_ps[IK_PATH_LATENCY], cases[k].ps);
        assert_int_equal(r.critical_path.messages, 1);
        assert_int_equal(r.critical_path.segments[0].host, 2);
        assert_int_equal(r.critical_path.segments[0].peer, 3);
        sim_result_clear(&r);
    }
}

/* Host 0 computes twice on one processor, then sends 3 packets to host 1, which computes and sends
 * one to host 2. */
static void build_chain(graph_builder *b, uint64_t seed)
{
    (void)seed;
    uint32_t first = graph_add(b, 0, IK_OP_CALC, 500000, 0, 0, 0),
             second = graph_add(b, 0, IK_OP_CALC, 300000, 0, 0, 0), recv, last;
    (void)first;
    uint32_t send = graph_message(b, 0, 1, 3000, &recv);
    graph_wait(b, send, second, false);
    uint32_t calc = graph_add(b, 1, IK_OP_CALC, 70000, 0, 0, 0);
    graph_wait(b, calc, recv, false);
    uint32_t answer = graph_message(b, 1, 2, 1000, &last);
    graph_wait(b, answer, calc, false);
}

static void test_chain(void **state)
{
    (void)state;
    ik_sim_result r = run_graph(NULL, on_crossbar("model=iq"), 1, build_chain);
    const uint64_t *ps = r.critical_path.kind_ps;
    check_path(&r);
    assert_int_equal(ps[IK_PATH_PROCESSOR], 500000);
    assert_int_equal(ps[IK_PATH_COMPUTE], 300000 + 70000);
    assert_int_equal(ps[IK_PATH_SENDING], 160000); /* of the first message's third packet */
    assert_int_equal(ps[IK_PATH_LATENCY], 200000);
    assert_int_equal(ps[IK_PATH_QUEUE] + ps[IK_PATH_CREDIT] + ps[IK_PATH_NETWORK], 0);
    assert_int_equal(r.critical_path.messages, 2);
    assert_int_equal(r.completion_ps, 1230000);
    sim_result_clear(&r);
}

/* Two messages of one host, in turn: the second waits while the link is busy. Of two for one host,
 * the later one waits in the switch. */
static void build_queue(graph_builder *b, uint64_t seed)
{
    (void)seed;
    uint32_t first = graph_message(b, 0, 1, 4000, NULL);
    uint32_t second = graph_message(b, 0, 2, 1000, NULL);
    graph_wait(b, second, first, true);
}

static void build_incast(graph_builder *b, uint64_t seed)
{
    (void)seed;
    graph_message(b, 1, 0, 1000, NULL);
    graph_message(b, 2, 0, 1000, NULL);
}

static void test_where_it_waits(void **state)
{
    (void)state;
    scenario c = on_crossbar("model=iq");
    ik_sim_result r = run_graph(NULL, c, FIFO, build_queue);
    check_path(&r);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_QUEUE], 320000);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_LATENCY], 100000);
    assert_int_equal(r.completion_ps, 420000);
    sim_result_clear(&r);
    r = run_graph(NULL, c, FIFO, build_incast);
    check_path(&r);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_NETWORK], 80000);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_LATENCY], 100000);
    sim_result_clear(&r);
}

/* Six messages for one host, each the larger of two buffers: the adapters lack credit. */
static void build_crowd(graph_builder *b, uint64_t seed)
{
    (void)seed;
    for (uint32_t src = 1; src < 6; src++) {
        uint32_t first = graph_message(b, src, 0, 8000, NULL);
        uint32_t second = graph_message(b, src, 0, 1000, NULL);
        graph_wait(b, second, first, true);
    }
}

static void test_lack_of_credit(void **state)
{
    (void)state;
    scenario c = on_crossbar("model=iq;buffer=2000 B");
    ik_sim_result r = run_graph(NULL, c, FIFO, build_crowd);
    check_path(&r);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_QUEUE], 640000); /* 8 packets */
    assert_true(r.critical_path.kind_ps[IK_PATH_CREDIT] > 1000000);
    sim_result_clear(&r);
}

/* ---- random graphs */

typedef struct dice {
    uint64_t seed, count;
} dice;

static uint32_t draw(dice *d, uint32_t n)
{
    return (uint32_t)(ik_random_u64(d->seed, IK_RNG_TRAFFIC_SETUP, 77, d->count++) % n);
}

enum { LAST = 16 };

/* The latest operations of a host. */
typedef struct history {
    uint32_t op[LAST], num;
} history;

static void wait_for_any(graph_builder *b, dice *d, const history *h, uint32_t op, bool starts)
{
    if (h->num)
        graph_wait(b, op, h->op[draw(d, h->num < LAST ? h->num : LAST)], starts && draw(d, 3) == 0);
}

/* Three ranks on two hosts, whose messages take time in memory. */
static void share_hosts(graph_builder *b)
{
    static uint32_t host_of[64];
    b->num_ranks = b->num_hosts * 3 / 2;
    for (uint32_t rank = 0; rank < b->num_ranks; rank++)
        host_of[rank] = (rank * 5 + rank / b->num_hosts) % b->num_hosts;
    b->rank_host = host_of;
    b->local_latency_ps = 130000;
    b->local_bps = 40000000000;
    b->gap_ps = 40000;
}

/* Operations of each host in a row or free, messages between any two (and of a host to itself),
 * waits for ends and starts. */
static void build_random(graph_builder *b, uint64_t seed)
{
    history of[64] = {0};
    dice d = {.seed = seed};
    if (seed % 3 == 0)
        share_hosts(b);
    uint32_t ranks = b->rank_host ? b->num_ranks : b->num_hosts;
    for (unsigned k = 0; k < 300; k++) {
        uint32_t host = draw(&d, ranks), peer = draw(&d, ranks), recv = IK_NONE, op;
        if (draw(&d, 3) == 0)
            op = graph_add(b, host, IK_OP_CALC, draw(&d, 5) ? draw(&d, 400000) : 0, draw(&d, 2), 0,
                           0);
        else
            op = graph_message(b, host, peer, 1 + draw(&d, 9000), &recv);
        for (unsigned waits = draw(&d, 4); waits > 0; waits--)
            wait_for_any(b, &d, &of[host], op, true);
        if (recv != IK_NONE && peer != host && draw(&d, 2))
            wait_for_any(b, &d, &of[peer], recv, false);
        of[host].op[of[host].num++ % LAST] = op;
        if (recv != IK_NONE)
            of[peer].op[of[peer].num++ % LAST] = recv;
    }
}

/* Rows of messages of a packet between the same two hosts, each of which is answered: an answer
 * waits for a packet that may itself wait for an earlier one. */
static void build_rows(graph_builder *b, uint64_t seed)
{
    for (uint32_t host = 0; host < b->num_hosts; host++)
        for (unsigned k = 0; k < 12; k++) {
            uint32_t recv, peer = (host + 5 + (uint32_t)seed % 3) % b->num_hosts;
            graph_message(b, host, peer, 700, &recv);
            uint32_t answer = graph_message(b, peer, host, 100, NULL);
            graph_wait(b, answer, recv, false);
            graph_message(b, host, (host * 7 + k + 1) % b->num_hosts, 2500, NULL);
        }
}

static void test_random_graphs(void **state)
{
    static const struct {
        const char *fabric, *routing, *sw, *order;
    } nets[] = {{"karytree:k=4,n=2", "dmodk", "buffer=4000 B", ""},
                {"ring:n=6,p=2", "minimal", "model=ioq;buffer=4000 B;output_buffer=4000 B", ""},
                {"crossbar:n=9", "minimal", "model=ideal", ""},
                {"karytree:k=4,n=2,latency=300 ns", "adaptive_tree", "model=iq;queues=fifo", ""},
                {"karytree:k=4,n=2", "adaptive_tree", "buffer=4000 B", ";in_order=true"},
                {"karytree:k=4,n=2", "adaptive_tree", "model=ioq;buffer=4000 B",
                 ";in_order=true;reorder_buffer=0 B"},
                {"karytree:k=4,n=2", "adaptive_tree", "buffer=4000 B",
                 ";in_order=true;reorder_buffer=2000 B;throttle=strict"}};
    const unsigned seeds = as_many(100, 12, THREAD_SANITIZED ? 3 : 12);
    uint64_t seen[IK_PATH_KINDS] = {0};
    (void)state;
    for (unsigned n = 0; n < sizeof nets / sizeof *nets; n++)
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            char adapter[120];
            snprintf(adapter, sizeof adapter, "packet=%u B%s", seed % 2 ? 1000 : 700,
                     nets[n].order);
            scenario c = {.fabric = nets[n].fabric,
                          .routing = nets[n].routing,
                          .sw = nets[n].sw,
                          .adapter = adapter,
                          .measure = ENDS,
                          .load = 1,
                          .threads = 1,
                          .seed = seed};
            void (*build)(graph_builder *, uint64_t) =
                nets[n].order[0] && seed % 3 ? build_rows : build_random;
            ik_sim_result first = run_graph(&sim_general_engine, c, seed % 2 ? 1 : FIFO, build);
            if (!first.completed)
                fail_msg("%s: %s", c.fabric, first.missing_text);
            check_path(&first);
            const uint64_t *ps = first.critical_path.kind_ps;
            for (unsigned kind = 0; kind < IK_PATH_KINDS; kind++)
                seen[kind] += ps[kind];
            if (!nets[n].order[0])
                assert_int_equal(ps[IK_PATH_REORDER] + ps[IK_PATH_THROTTLED], 0);
            for (c.threads = fewest_threads(); c.threads <= MOST_THREADS; c.threads++) {
                ik_sim_result any = run_graph(NULL, c, seed % 2 ? 1 : FIFO, build);
                expect_same(&first, &any);
                sim_result_clear(&any);
            }
            sim_result_clear(&first);
        }
    for (unsigned kind = 0; kind < IK_PATH_KINDS && seeds >= 12; kind++)
        if (!seen[kind])
            fail_msg("no time of kind %s was seen", ik_path_kind_name(kind));
}

/* ---- classes of messages */

static void build_classes(graph_builder *b, uint64_t seed)
{
    uint32_t recv, own;
    (void)seed;
    graph_class(b, "there");
    graph_message(b, 0, 1, 3000, &recv);
    graph_message(b, 2, 3, 500, NULL);
    graph_class(b, "back");
    uint32_t send = graph_message(b, 1, 0, 1000, NULL);
    graph_wait(b, send, recv, false);
    graph_class(b, "own");
    uint32_t calc = graph_add(b, 4, IK_OP_CALC, 5000000, 0, 0, 0);
    own = graph_message(b, 4, 4, 100, NULL);
    graph_wait(b, own, calc, false);
    graph_class(b, "none");
}

static void expect_class(const ik_message_class *c, const char *name, uint64_t messages,
                         uint64_t bytes, uint64_t first_ps, uint64_t last_ps)
{
    assert_string_equal(c->name, name);
    assert_int_equal(c->messages, messages);
    assert_int_equal(c->bytes, bytes);
    assert_int_equal(c->first_ps, first_ps);
    assert_int_equal(c->last_ps, last_ps);
}

static void test_classes(void **state)
{
    (void)state;
    for (unsigned threads = fewest_threads(); threads <= MOST_THREADS; threads++) {
        scenario c = on_crossbar("model=iq");
        c.threads = threads;
        ik_sim_result r = run_graph(NULL, c, 1, build_classes);
        check_path(&r);
        assert_int_equal(r.num_message_classes, 4);
        expect_class(&r.message_classes[0], "there", 2, 3500, 0, 260000);
        expect_class(&r.message_classes[1], "back", 1, 1000, 260000, 360000);
        expect_class(&r.message_classes[2], "own", 1, 100, 5000000, 5000000);
        expect_class(&r.message_classes[3], "none", 0, 0, UINT64_MAX, 0);
        sim_result_clear(&r);
    }
    ik_sim_result r = run_graph(NULL, on_crossbar("model=iq"), 1, build_chain);
    assert_int_equal(r.num_message_classes, 1);
    expect_class(&r.message_classes[0], "", 2, 4000, 800000, r.completion_ps);
    sim_result_clear(&r);
}

/* ---- long paths */

static void build_long(graph_builder *b, uint64_t seed)
{
    uint32_t before = IK_NONE, recv;
    (void)seed;
    for (unsigned k = 0; k < 3000; k++) {
        uint32_t send = graph_message(b, k % 6, (k + 1) % 6, 1000, &recv);
        if (before != IK_NONE)
            graph_wait(b, send, before, false);
        before = recv;
    }
}

/* The latest segments are kept, the others counted. */
static void test_long_path(void **state)
{
    (void)state;
    ik_sim_result r = run_graph(NULL, on_crossbar("model=iq"), 1, build_long);
    check_path(&r);
    assert_int_equal(r.critical_path.num_segments, IK_PATH_SEGMENTS);
    assert_int_equal(r.critical_path.left_out, 3000 - IK_PATH_SEGMENTS);
    assert_int_equal(r.critical_path.messages, 3000);
    assert_int_equal(r.critical_path.kind_ps[IK_PATH_LATENCY], 300000000);
    sim_result_clear(&r);
}

/* ---- exchanges */

static void test_exchanges(void **state)
{
    static const char *const traffics[] = {
        "exchange",
        "exchange:bytes=2560 B,visits=3,order=shift",
        "exchange:bytes=512 B,repeat=3",
        "exchange:bytes=700 B,repeat=2,order=nearest_first",
        "exchange:pattern=neighbour:dims=4:4,bytes=1 KiB,repeat=3,visits=2",
        "exchange:pattern=permutation,bytes=64 KiB",
    };
    (void)state;
    for (unsigned k = 0; k < sizeof traffics / sizeof *traffics; k++)
        for (unsigned threads = fewest_threads(); threads <= MOST_THREADS; threads++) {
            scenario c = {.fabric = "karytree:k=4,n=2",
                          .routing = "random",
                          .traffic = traffics[k],
                          .sw = "buffer=2 KiB",
                          .adapter = "packet=256 B",
                          .measure = ENDS,
                          .load = 1,
                          .threads = threads};
            ik_sim_result r = simulate(c);
            check_path(&r);
            const ik_path_segment *last =
                &r.critical_path.segments[r.critical_path.num_segments - 1];
            assert_true(last->kind == IK_PATH_NETWORK || last->kind == IK_PATH_LATENCY);
            assert_int_equal(r.host_finish_ps[last->peer], r.completion_ps);
            sim_result_clear(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message),    cmocka_unit_test(test_chain),
        cmocka_unit_test(test_where_it_waits), cmocka_unit_test(test_lack_of_credit),
        cmocka_unit_test(test_random_graphs),  cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_exchanges),      cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
