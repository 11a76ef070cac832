/* SPDX-License-Identifier: Apache-2.0
 *
 * Adaptive packets that wait in an output's queue choose again. Two leaves of two hosts each are
 * joined by a slow spine and a fast one, and all hosts send to the other leaf at full load: whoever
 * chooses again never leaves a spine idle, so both carry all that they can; whoever chose at
 * arrival queues for the slow one while the fast one idles. With two fast ones nobody ever waits,
 * even where all choose the same one at the same time. */
#include "sim/run.h"
#include "sim_helper.h"
#include "unit/part.h"

enum { LEAF, SLOW = 2, FAST };

typedef struct diamond {
    ik_fabric *f;
    uint32_t slow, fast; /* channels from leaf 0 */
} diamond;

static diamond build(uint64_t slow_bps)
{
    diamond d = {0};
    ik_builder *b = ik_builder_new();
    uint32_t sw = ik_builder_switches(b, 4, 4), host = ik_builder_hosts(b, 4, 1);
    uint16_t fast = ik_builder_class(b, 100000000000, 6000, NULL),
             slow = ik_builder_class(b, slow_bps, 6000, NULL);
    for (uint32_t h = 0; h < 4; h++)
        ik_builder_link(b, ik_hs(host + h, 0), ik_sw(sw + LEAF + h / 2, h % 2), fast);
    for (uint32_t leaf = 0; leaf < 2; leaf++) {
        ik_builder_link(b, ik_sw(sw + LEAF + leaf, 2), ik_sw(sw + SLOW, leaf), slow);
        ik_builder_link(b, ik_sw(sw + LEAF + leaf, 3), ik_sw(sw + FAST, leaf), fast);
    }
    assert_int_equal(ik_builder_finish(b, &d.f, NULL), IK_OK);
    ik_builder_free(b);
    d.slow = d.f->port_base[0] + 2;
    d.fast = d.f->port_base[0] + 3;
    return d;
}

static ik_sim_result simulate_diamond(const diamond *d, const scenario *c)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    if (simulate_on(d->f, c, &r, &err) != IK_OK)
        fail_msg("%s: %s", c->sw, err.text);
    return r;
}

/* Fractions of what the two links can carry; false where that is left to other builds. */
static bool run(const diamond *d, const char *sw, const char *vc, unsigned vcs,
                const char *selection, double *slow, double *fast)
{
    scenario c = {.routing = "minimal",
                  .vc = vc,
                  .num_vcs = vcs,
                  .selection = selection,
                  .traffic = "shift:by=2",
                  .load = 1,
                  .sw = sw,
                  .measure = "warmup=200 us;duration=655360 ns"};
    ik_sim_result r = {0};
    if (!threads_only()) {
        r = simulate_diamond(d, &c);
        *slow = (double)r.channel_bytes[d->slow] / (1.25 * (double)r.window_ps / 1000);
        *fast = (double)r.channel_bytes[d->fast] / (12.5 * (double)r.window_ps / 1000);
        sim_result_clear(&r);
    }
    uint64_t first = 0; /* shorter: conserved, and the same on two threads */
    c.measure = "warmup=5 us;duration=30 us;paranoid=true";
    for (c.threads = fewest_threads(); c.threads < 3; c.threads++) {
        r = simulate_diamond(d, &c);
        assert_true(c.threads == fewest_threads() || r.checksum == first);
        first = r.checksum;
        sim_result_clear(&r);
    }
    return !threads_only();
}

static void test_no_spine_idles(void **state)
{
    (void)state;
    static const struct {
        const char *sw, *vc;
        unsigned vcs;
    } cases[] = {
        {"queues=voqsw;buffer=16 KiB", "1q", 1},
        {"queues=voqsw;buffer=32 KiB", "any", 2},
        {"queues=voqsw;input_speedup=2;buffer=32 KiB", "any", 2},
        {"queues=damq;buffer=16 KiB", "any", 2},
        {"queues=voqsw;arbiter=oldest_first;buffer=16 KiB", "1q", 1},
        {"queues=fifo;buffer=16 KiB", "1q", 1},
        {"model=ioq;buffer=16 KiB;output_buffer=8 KiB", "1q", 1},
    };
    static const char *const selections[] = {"first_free:skip_busy=true", "random:skip_busy=true",
                                             "most_credits:skip_busy=true",
                                             /* or, with output buffers, the slow one has room */
                                             "least_queued:skip_busy=true"};
    diamond d = build(10000000000);
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (unsigned n = 0; n < 4; n++) {
            double slow, fast;
            if (!run(&d, cases[k].sw, cases[k].vc, cases[k].vcs, selections[n], &slow, &fast))
                continue;
            /* 200 packets on the slow link: one is 0.5 % */
            if (slow < 0.994 || slow > 1.006 || fast < 0.995 || fast > 1.005)
                fail_msg("%s, %s: the slow spine carries %.4f of what it can, the fast one %.4f",
                         cases[k].sw, selections[n], slow, fast);
        }
    ik_fabric_free(d.f);
}

/* The same, choosing once at random among the spines with room: now and then all that wait do so
 * for the slow one. */
static void test_chosen_at_arrival(void **state)
{
    (void)state;
    diamond d = build(10000000000);
    double slow, fast;
    static const char *const queues[] = {"queues=voqsw;buffer=16 KiB;adaptive_choice=at_arrival",
                                         "queues=fifo;buffer=16 KiB;adaptive_choice=at_arrival"};
    for (unsigned k = 0; k < 2; k++) {
        if (!run(&d, queues[k], "1q", 1, "random", &slow, &fast))
            continue;
        /* in a FIFO those behind a packet that waits for the slow spine wait, too */
        if (fast < (k ? 0.1 : 0.9) || fast > (k ? 0.3 : 0.985))
            fail_msg("%s: the fast spine carries %.4f of what it can", queues[k], fast);
    }
    ik_fabric_free(d.f);
}

/* Two spines, two hosts at each leaf that send in step: both packets of a leaf choose the first
 * spine, one gets it, and the other goes by the second one at the same instant. */
static void test_losers_choose_at_once(void **state)
{
    (void)state;
    static const char *const selections[] = {"first_free", "most_credits", "random",
                                             "least_queued"};
    diamond d = build(100000000000);
    for (unsigned n = 0; n < 4; n++) {
        scenario c = {.routing = "minimal",
                      .vc = "1q",
                      .num_vcs = 1,
                      .selection = selections[n],
                      .traffic = "shift:by=2",
                      .load = 0.5,
                      .adapter = "injection=bernoulli",
                      .measure = "warmup=0 ns;duration=50 us"};
        ik_sim_result r = simulate_diamond(&d, &c);
        assert_true(r.packets_delivered > 100);
        if (r.network_latency.max != r.network_latency.min)
            fail_msg("%s: packets take %.0f to %.0f ns through an empty network", selections[n],
                     (double)r.network_latency.min / 1e3, (double)r.network_latency.max / 1e3);
        sim_result_clear(&r);
    }
    ik_fabric_free(d.f);
}

/* ---- choices by sets and by lists */

typedef struct choice_case {
    const char *fabric, *routing, *vc;
    unsigned vcs;
    const char *sw, *adapter;
} choice_case;

#define PLAIN "warmup=0 ns;duration=6 us"

/* A sum over what the hosts received, where and when. by_lists: as if nothing gave sets. */
static uint64_t run_choices(const choice_case *k, const char *selection, bool by_lists,
                            bool checked, uint64_t *hops)
{
    const scenario c = {.sw = k->sw,
                        .adapter = k->adapter,
                        .measure = checked ? PLAIN ";paranoid=true" : PLAIN,
                        .load = 1};
    ik_env env = {.seed = 3};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_error err = {0};
    sections at;
    sim s;
    assert_int_equal(ik_fabric_from_spec(k->fabric, &env, &f, &err), IK_OK);
    if (ik_plan_from_specs(f, k->routing, k->vc, selection, k->vcs, &env, &plan, &err) != IK_OK)
        fail_msg("%s %s: %s", k->fabric, k->routing, err.text);
    assert_int_equal(ik_traffic_from_spec(f, "uniform", &env, &traffic, &err), IK_OK);
    assert_int_equal(open_sections(&at, &c, &err), IK_OK);
    if (sim_setup_engine(&s, plan, traffic, &at.config, &env, &sim_general_engine, &err) != IK_OK)
        fail_msg("%s %s: %s", k->fabric, k->sw, err.text);
    assert_true(s.choice.masked); /* otherwise this compares nothing */
    s.choice.staged = !by_lists;  /* fetching ahead changes nothing either */
    if (by_lists)
        s.choice.masked = s.choice.passes_over = s.choice.room_kept = false;
    sim_run_partition(&s.parallel.partitions[0]);
    if (s.parallel.partitions[0].status != IK_OK)
        fail_msg("%s %s %s: %s", k->fabric, k->sw, selection, s.parallel.partitions[0].err.text);
    uint64_t sum = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++)
        sum = sum * 31 + s.host.state[host].hash;
    *hops = s.parallel.partitions[0].n.hops;
    sim_free(&s);
    close_sections(&at);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return sum;
}

static void compare_choices(const choice_case *k, const char *selection, bool checked)
{
    uint64_t hops[2];
    uint64_t sets = run_choices(k, selection, false, checked, &hops[0]);
    uint64_t lists = run_choices(k, selection, true, false, &hops[1]);
    if (sets != lists || hops[0] != hops[1])
        fail_msg("%s %s %s %s %s: %llu hops by sets, %llu by lists, or others", k->fabric,
                 k->routing, k->vc, k->sw, selection, (unsigned long long)hops[0],
                 (unsigned long long)hops[1]);
}

static void test_sets_choose_like_lists(void **state)
{
    (void)state;
    static const choice_case trees[] = {
        {"karytree:k=4,n=3", "adaptive_tree", "1q", 1, "buffer=12 KiB", ""},
        {"karytree:k=4,n=3", "adaptive_tree:delta=2", "dbbm", 3, "buffer=24 KiB", ""},
        {"karytree:k=4,n=3", "adaptive_tree:delta=2", "any", 2, "buffer=16 KiB", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree:delta=3", "1q", 1, "queues=fifo;buffer=8 KiB",
         ""},
        {"rlft:ports=12,levels=2", "adaptive_tree", "any", 4, "queues=damq;buffer=32 KiB", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree", "1q", 1,
         "model=ioq;buffer=12 KiB;output_buffer=8 KiB", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree:delta=2", "any", 2,
         "model=ioq;buffer=16 KiB;output_buffer=16 KiB;output_sharing=shared", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree:delta=2", "dbbm", 2,
         "model=ioq;queues=fifo;speedup=2;traversal_delay=30 ns;buffer=16 KiB;output_buffer=16 KiB",
         ""},
        {"rlft:ports=12,levels=2", "adaptive_tree", "dbbm", 2, "input_speedup=2;buffer=24 KiB", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree", "1q", 1, "arbiter=random;buffer=12 KiB", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree", "1q", 1, "arbiter=oldest_first", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree:delta=2", "any", 2, "buffer=20 KiB",
         "packet=4 KiB;message=11000 B"},
        {"rlft:ports=12,levels=2", "adaptive_tree", "1q", 1, "adaptive_choice=at_arrival", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree", "dbbm", 2,
         "queues=fifo;adaptive_choice=at_arrival;buffer=16 KiB", ""},
        {"rlft:ports=12,levels=2", "adaptive_tree", "1q", 1, "queues=voqnet;buffer=1 MiB",
         "queues=destination"},
        {"xgft:m=8:4,w=1:70", "adaptive_tree:delta=5", "1q", 1, "buffer=8 KiB", ""},
        {"xgft:m=8:4,w=1:70", "adaptive_tree", "1q", 1, "queues=fifo;buffer=8 KiB", ""},
    };
    static const char *const selections[] = {"first_free",   "first_free:skip_busy=false",
                                             "most_credits", "most_credits:tie=lowest",
                                             "random",       "random:skip_busy=true",
                                             "cyclic",       "sadp",
                                             "saop",         "sdp",
                                             "sop",          "ssp",
                                             "least_queued", "least_queued:skip_busy=true"};
    const unsigned all = sizeof selections / sizeof *selections;
    bool every = all_asked();
    for (unsigned k = 0; k < sizeof trees / sizeof *trees; k++)
        for (unsigned n = 0; n < as_many(all, 3, 1); n++)
            compare_choices(&trees[k], selections[every ? n : (k * 5 + n * 4) % all], n == 0);
}

static void test_sets_route_like_lists(void **state)
{
    (void)state;
    static const choice_case others[] = {
        {"slimfly:q=5", "minimal", "hopclass", 2, "buffer=16 KiB", ""},
        {"slimfly:q=5", "ugal_l", "hopclass", 4, "buffer=32 KiB", ""},
        {"slimfly:q=5", "ugal_l", "hopclass", 8, "model=ioq;buffer=64 KiB;output_buffer=64 KiB",
         ""},
        {"mlfm:h=3", "minimal", "1q", 1, "buffer=12 KiB", ""},
        {"mlfm:h=3", "ugal_l", "phase", 2, "model=ioq;buffer=16 KiB;output_buffer=16 KiB", ""},
        {"hyperx:dims=3:4", "minimal", "hopclass", 4, "queues=fifo;buffer=32 KiB", ""},
    };
    static const choice_case oblivious[] = {
        {"slimfly:q=5", "valiant", "hopclass", 4, "buffer=32 KiB", ""},
        {"oft:k=4", "valiant", "phase", 2, "buffer=16 KiB", ""},
        {"mlfm:h=3", "valiant", "phase", 4, "model=ideal;buffer=32 KiB", ""},
        {"mlfm:h=3", "valiant", "phase", 2, "queues=damq;damq_bounds=output;buffer=256 KiB",
         "queues=destination"},
    };
    static const char *const selections[] = {"random", "first_free", "most_credits", "sadp"};
    for (unsigned k = 0; k < sizeof others / sizeof *others; k++)
        for (unsigned n = 0; n < as_many(4, 4, 1); n++)
            compare_choices(&others[k], selections[(k + n) % 4], n == 0);
    for (unsigned k = 0; k < sizeof oblivious / sizeof *oblivious; k++)
        compare_choices(&oblivious[k], NULL, true);
}

/* ---- ties */

static double latency_of(const char *routing, const char *selection, const char *sw)
{
    ik_sim_result r = simulate((scenario){"karytree:k=4,n=2", routing, .selection = selection,
                                          .traffic = "permutation", .load = 0.5, .sw = sw,
                                          .measure = "warmup=20 us;duration=60 us"});
    double ns = r.latency.mean / 1e3;
    sim_result_clear(&r);
    return ns;
}

/* A permutation at half load: with equal outputs drawn it passes nearly without waiting, whereas
 * packets that all take the lowest one queue for it, in the packet-level models at least. */
static void test_ties_are_drawn(void **state)
{
    (void)state;
    static const char *const models[] = {"model=iq", "model=ioq", "model=ideal", "model=pipelined"},
                             *const choosers[][4] = {
                                 {"ugal_l", NULL, "ugal_l:tie=lowest", NULL},
                                 {"adaptive_tree", "least_queued", "adaptive_tree",
                                  "least_queued:tie=lowest"},
                                 {"adaptive_tree", "most_credits", "adaptive_tree",
                                  "most_credits:tie=lowest"},
                             };
    for (unsigned n = 0; n < 12; n++) {
        const char *sw = models[n / 3], *const *c = choosers[n % 3];
        double drawn = latency_of(c[0], c[1], sw), lowest = latency_of(c[2], c[3], sw);
        if (drawn > 450 || lowest < drawn * (n % 3 == 2 ? 1.03 : 1.2))
            fail_msg("%s %s, %s: %g ns, with ties to the lowest output %g ns", c[0],
                     c[1] ? c[1] : "", sw, drawn, lowest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_spine_idles),     cmocka_unit_test(test_losers_choose_at_once),
        cmocka_unit_test(test_chosen_at_arrival),  on_one_thread(test_sets_choose_like_lists),
        on_one_thread(test_sets_route_like_lists), on_one_thread(test_ties_are_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
