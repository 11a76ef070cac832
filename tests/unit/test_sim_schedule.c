/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules: which messages are of which entry, against counting them one by one; the first entry
 * is its pattern alone, bit for bit; what each entry offers; all engines and any number of threads
 * agree; and what is refused. */
#include "sim/core/schedule.h"
#include "sim_hash.h"
#include "sim_run_by.h"
#include "traffic/schedule.h"
#include "unit/part.h"

#include <math.h>

/* ---- the table of first messages */

static const uint64_t PERIOD_PS = 80000;

typedef struct rhythm_case {
    unsigned kind;
    sim_gaps gaps;
} rhythm_case;

static bool rhythm_of(const void *ctx, uint32_t source, unsigned entry, double load, sim_rhythm *r,
                      sim_gaps *gaps)
{
    const rhythm_case *c = ctx;
    if (source == 3 && entry == 0)
        return false;
    r->kind = c->kind;
    r->period_ps = (double)PERIOD_PS / load;
    r->slot_ps = PERIOD_PS;
    r->log_miss = sim_rhythm_log_miss(load);
    *gaps = c->gaps;
    return true;
}

static ik_traffic *bound_schedule(const ik_fabric *f, const char *spec)
{
    static const ik_env env = {.seed = 5};
    ik_traffic *t = NULL;
    ik_error err = {0};
    if (ik_traffic_from_spec(f, spec, &env, &t, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return t;
}

/* Every message of a source in turn, until well behind the last border. */
static void check_source(const sim_schedule *c, const ik_traffic *t, uint32_t source,
                         const unsigned counted[3])
{
    static const uint64_t borders[] = {0, 3000000, 3100000, UINT64_MAX};
    unsigned found[3] = {0};
    uint64_t before = 0;
    for (uint64_t n = 0;; n++) {
        uint64_t at = sim_schedule_time(c, source, n, before);
        if (at >= 5000000)
            break;
        unsigned k = t->family->class_of(t, source, n);
        const ik_traffic *entry = t->schedule->entries[k].traffic;
        assert_true(n == 0 || at >= before);
        assert_true(at >= borders[k] && at < borders[k + 1]);
        assert_int_equal(t->family->dest(t, source, n), entry->family->dest(entry, source, n));
        found[k]++;
        before = at;
    }
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(found[k], counted[k]);
}

/* What each entry's own rhythm makes before the entry ends, one after the other from time 0. */
static void count_alone(const sim_schedule *c, uint32_t source, unsigned counted[3])
{
    static const uint64_t lengths[] = {3000000, 100000, 1900000};
    for (unsigned k = 0; k < 3; k++) {
        const sim_rhythm *r = &c->rhythms[source * 3 + k];
        uint64_t t = sim_rhythm_time(r, 0, 0);
        for (counted[k] = 0; t < lengths[k]; counted[k]++)
            t = sim_rhythm_time(r, counted[k] + 1, t);
    }
}

static void test_table(void **state)
{
    (void)state;
    static const unsigned kinds[] = {INJECT_PERIODIC, INJECT_POISSON, INJECT_BERNOULLI,
                                     INJECT_BURSTY};
    ik_env env = {.seed = 5};
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_from_spec("crossbar:n=6", &env, &f, NULL), IK_OK);
    ik_traffic *t =
        bound_schedule(f, "schedule:entries=@3 us@40%=uniform&b@3100 ns=shift:by=1&@10%=uniform");
    for (unsigned k = 0; k < 4; k++) {
        ik_traffic *bound = NULL;
        sim_schedule *c = NULL;
        const rhythm_case at = {kinds[k], sim_gaps_of(.1, .2, .9)};
        assert_int_equal(schedule_bind(t, &bound, NULL), IK_OK);
        const sim_schedule_setup setup = {bound, 6, 5, 5000000, .8, rhythm_of, &at};
        assert_int_equal(sim_schedule_new(&setup, &c, NULL), IK_OK);
        unsigned all = 0;
        for (uint32_t source = 0; source < 6; source++) {
            unsigned counted[3];
            count_alone(c, source, counted);
            assert_int_equal(counted[0] == 0, source == 3);
            check_source(c, bound, source, counted);
            all += counted[2];
        }
        assert_true(all > 0);
        sim_schedule_free(c);
        ik_traffic_free(bound);
    }
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* ---- runs */

#define TREE .fabric = "karytree:k=4,n=2", .routing = "dmodk"

/* The border lies a picosecond before the end. */
static void test_first_entry(void **state)
{
    (void)state;
    static const char *const sws[] = {"model=iq", "model=ioq", "model=pipelined;buffer=32 KiB"};
    static const char *const adapters[] = {"injection=periodic", "injection=poisson",
                                           "injection=bernoulli",
                                           "injection=bursty;burst_beta=20%;burst_rate=100%"};
    for (unsigned k = 0; k < 12; k++) {
        scenario c = {TREE,
                      .traffic = "uniform",
                      .sw = sws[k % 3],
                      .adapter = adapters[k / 3],
                      .measure = "warmup=1 us;duration=19 us",
                      .load = 0.6};
        ik_sim_result alone = simulate(c);
        c.traffic = "schedule:entries=@19999999 ps@60%=uniform&@0.0001%=shift:by=1";
        c.load = 0.9;
        ik_sim_result first = simulate(c);
        assert_int_equal(first.checksum, alone.checksum);
        assert_int_equal(first.packets_generated, alone.packets_generated);
        assert_int_equal(first.latency.sum, alone.latency.sum);
        assert_int_equal(first.num_classes, 2);
        assert_true(first.classes[0].throughput == alone.throughput);
        assert_true(first.classes[1].offered == 0);
        sim_result_clear(&alone);
        sim_result_clear(&first);
    }
}

/* Periodic sources make as many messages as periods fit between the borders, one more or less. */
static void test_offered(void **state)
{
    (void)state;
    static const struct {
        const char *sw, *adapter;
        double sizes[3]; /* of a message, bytes */
    } of[] = {
        {"model=iq", "packet=1 KiB", {1024, 1024, 1024}},
        {"model=ideal", "packet=512 B;message=2 KiB", {2048, 2048, 2048}},
        {"model=pipelined;flit=64 B", "packet=1 KiB", {1024, 1024, 1024}},
        {"model=iq", "packet=1 KiB;message_sizes=uniform=512 B/b=2 KiB/64 B", {512, 2048, 64}},
    };
    static const double loads[] = {.2, .5, .04}, spans_us[] = {25, 40, 130};
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        ik_sim_result r =
            simulate((scenario){TREE,
                                .traffic = "schedule:entries=@30 us@20%=uniform&b@70 us=shift:by=4&"
                                           "@4%=transpose",
                                .sw = of[k].sw, .adapter = of[k].adapter,
                                .measure = "warmup=5 us;duration=195 us;series=5 us", .load = .5});
        assert_int_equal(r.num_classes, 3);
        assert_string_equal(r.classes[0].name, "uniform");
        assert_string_equal(r.classes[1].name, "b");
        assert_string_equal(r.classes[2].name, "transpose");
        for (unsigned i = 0; i < 3; i++) {
            /* four of 16 hosts are silent in the last one */
            double expected = loads[i] * spans_us[i] / 195 * (i == 2 ? .75 : 1),
                   one = of[k].sizes[i] * 8 / (100e9 * 195e-6);
            if (fabs(r.classes[i].offered - expected) > one)
                fail_msg("case %u, entry %u: offered %g, expected %g", k, i, r.classes[i].offered,
                         expected);
            assert_true(fabs(r.classes[i].throughput - expected) < .01);
        }
        /* periods of 5 us: nothing of an entry arrives before it begins */
        for (unsigned i = 0; i < 6; i++)
            assert_true(r.classes[1].series_throughput[i] == 0);
        assert_true(r.classes[1].series_throughput[7] > .45);
        assert_true(r.classes[0].series_throughput[8] == 0);
        sim_result_clear(&r);
    }
}

/* ---- engines and threads */

static const scenario runs[] = {
    {TREE, .adapter = "packet=1 KiB"},
    {TREE, .adapter = "packet=1 KiB;injection=poisson", .vc = "dbbm", .num_vcs = 3},
    {TREE, .adapter = "message=8 KiB;injection=bernoulli"},
    {.fabric = "karytree:k=4,n=2", .routing = "adaptive_tree", .adapter = "queues=one"},
    {.fabric = "slimfly:q=5,p=2",
     .routing = "ugal_l",
     .adapter = "injection=bursty;burst_beta=10%;burst_rate=100%"},
    {TREE, .sw = "model=ioq;queues=damq", .adapter = "message_sizes=64 B,100 B..9 KiB"},
    {TREE, .sw = "model=iq", .adapter = "queues=destination"},
    {TREE, .sw = "model=iq", .adapter = "in_order=true;reorder_buffer=8 KiB"},
    {TREE, .sw = "model=iq", .adapter = "reply=64 B"},
    {TREE, .sw = "model=pipelined;buffer=32 KiB", .adapter = "injection=poisson"},
    {.fabric = "xgft:m=3:2,w=2:2", .routing = "minimal", .adapter = "packet=512 B"},
    {.fabric = "xgft:m=3:2,w=2:2", .routing = "minimal", .sw = "model=pipelined;buffer=32 KiB"},
};

static void test_engines_and_threads(void **state)
{
    (void)state;
    for (unsigned k = 0; k < sizeof runs / sizeof *runs; k++) {
        if (!in_part(k, 1))
            continue;
        scenario c = runs[k];
        ik_fabric *f = NULL;
        ik_env env = {.seed = 1};
        uint64_t hashes[4] = {0};
        assert_int_equal(ik_fabric_from_spec(c.fabric, &env, &f, NULL), IK_OK);
        c.traffic = "schedule:entries=@7 us@90%=uniform&@13 us=shift:by=1&"
                    "hot@19 us@60%=hotspot:nodes=0|fraction=50%|rest=silent&@70%=permutation";
        c.measure = "warmup=2 us;duration=28 us;series=3 us;paranoid=true";
        c.load = .8;
        for (c.threads = 1; c.threads <= MOST_THREADS; c.threads++) {
            ik_sim_result r = {0};
            ik_error err = {0};
            if (simulate_on(f, &c, &r, &err) != IK_OK)
                fail_msg("case %u: %s", k, err.text);
            assert_true(r.classes[2].latency.count > 0);
            r.threads = 0;
            r.events = 0;
            hashes[c.threads] = hash_result(f, &r);
            sim_result_clear(&r);
        }
        assert_int_equal(hashes[1], hashes[2]);
        assert_int_equal(hashes[1], hashes[MOST_THREADS]);
        c.threads = 1;
        c.measure = "warmup=2 us;duration=28 us;series=3 us";
        if (c.sw == NULL && !ik_fabric_has_rails(f)) {
            ik_sim_result fast = run_by(NULL, c), general = run_by(&sim_general_engine, c);
            fast.events = general.events = 0;
            assert_int_equal(hash_result(f, &fast), hash_result(f, &general));
            sim_result_clear(&fast);
            sim_result_clear(&general);
        }
        ik_fabric_free(f);
    }
}

/* ---- refusals */

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *entries, *adapter, *text;
    } of[] = {
        {"@10 us=uniform&@10 us=shift:by=1&uniform", "", "when it has not begun"},
        {"@10 us=uniform&@9 us=shift:by=1&uniform", "", "when it has not begun"},
        {"@10 us=uniform&@20 us=shift:by=1", "", "is the last one"},
        {"uniform&shift:by=1", "", "does not say until when"},
        {"@0 us=uniform&shift:by=1", "", "not a time above 0"},
        {"@10 us@0%=uniform&shift:by=1", "", "outside [0.0001%, 100%]"},
        {"@10 us@101%=uniform&shift:by=1", "", "outside [0.0001%, 100%]"},
        {"@10 us@20%@30%=uniform&shift:by=1", "", "a second load"},
        {"@10 us@20 us=uniform&shift:by=1", "", "a second time"},
        {"@soon=uniform&shift:by=1", "", "neither a time"},
        {"@10 us=uniform&exchange", "", "which ends"},
        {"@10 us=uniform&schedule:entries=uniform", "", "a schedule itself"},
        {"a@10 us=uniform&a=shift:by=1", "", "two members are named 'a'"},
        {"@10 us=uniform&nosuch", "", "nosuch"},
        {"@30 us=uniform&shift:by=1", "", "begins at 30 us, when the run is over (30 us)"},
        {"@10 us=uniform&shift:by=1", "reply=64 B;max_outstanding=2", "max_outstanding"},
        {"@10 us@20%=uniform&@90%=shift:by=1", "injection=bursty;burst_alpha=10%;burst_beta=90%",
         "burst"},
    };
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        char spec[200];
        snprintf(spec, sizeof spec, "schedule:entries=%s", of[k].entries);
        scenario c = {TREE, .traffic = spec, .adapter = of[k].adapter,
                      .measure = "warmup=0 ns;duration=30 us", .load = .1};
        ik_sim_result r = {0};
        ik_error err = {0};
        ik_status status = try_simulate(&c, &r, &err);
        if (status == IK_OK || !strstr(err.text, of[k].text))
            fail_msg("%s: %s: %s; expected '%s'", spec, ik_status_name(status), err.text,
                     of[k].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_table), on_one_thread(test_first_entry), on_one_thread(test_offered),
        cmocka_unit_test(test_engines_and_threads), on_one_thread(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
