/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources: when they make messages and how large these are, against closed forms. */
#include "sim/core/injection.h"
#include "sim/params/parameters.h"
#include "sim_helper.h"
#include "unit/part.h"

#include <math.h>

enum { SLOTS = 400000, SOURCES = 8 };
static const uint64_t SLOT_PS = 80000;

/* ---- bursts */

typedef struct burst_case {
    double alpha, beta, rate;
} burst_case;

static const burst_case burst_cases[] = {
    {.1, .1, 1},  {.05, .02, 1}, {.02, .3, 1}, {.1, .2, .5}, {.3, .1, .1},    {.01, .05, .7},
    {.4, .6, .3}, {.6, .4, 1},   {.5, 0, .4},  {1, 0, 1},    {.001, .999, .9}};

/* Whether a source makes a message in each of so many slots. */
static void fill_slots(const burst_case *c, uint32_t source, bool *made)
{
    sim_gaps gaps = sim_gaps_of(c->alpha, c->beta, c->rate);
    const sim_rhythm r = {
        .seed = 7, .source = source, .kind = INJECT_BURSTY, .slot_ps = SLOT_PS, .gaps = &gaps};
    memset(made, 0, SLOTS * sizeof *made);
    uint64_t t = 0, before = 0;
    for (uint64_t n = 0;; n++) {
        t = sim_rhythm_time(&r, n, before);
        assert_true(n == 0 || t > before);
        assert_int_equal(t % SLOT_PS, 0);
        if (t / SLOT_PS >= SLOTS)
            return;
        made[t / SLOT_PS] = true;
        before = t;
    }
}

static void expect_near(double got, double expected, double error, const burst_case *c,
                        const char *what)
{
    if (fabs(got - expected) > error)
        fail_msg("alpha %g, beta %g, rate %g: %s %.6f, expected %.6f within %.6f", c->alpha,
                 c->beta, c->rate, what, got, expected, error);
}

/* The share of slots with a message, and how it goes together with that `lag` slots later: the
 * on-off chain forgets by 1 - alpha - beta a slot. */
static void check_rate_and_memory(const burst_case *c, const bool *made)
{
    double on = c->alpha / (c->alpha + c->beta), mean = on * c->rate;
    double memory = 1 - c->alpha - c->beta, sum = 0;
    for (unsigned k = 0; k < SLOTS * SOURCES; k++)
        sum += made[k];
    /* independent samples: as many as the chain forgets in the slots */
    double samples = (double)SLOTS * SOURCES * (1 - memory) / (1 + memory),
           error = 5 * sqrt(mean / samples);
    expect_near(sum / SLOTS / SOURCES, mean, error, c, "mean");
    for (unsigned lag = 1; lag <= 20; lag += lag < 3 ? 1 : 6) {
        double both = 0;
        for (unsigned s = 0; s < SOURCES; s++)
            for (unsigned k = 0; k + lag < SLOTS; k++)
                both += made[s * SLOTS + k] && made[s * SLOTS + k + lag];
        double covariance = c->rate * c->rate * on * (1 - on) * pow(memory, lag);
        expect_near(both / SOURCES / (SLOTS - lag) - mean * mean, covariance, 2 * error, c,
                    "autocovariance");
    }
}

/* At rate 1 bursts and pauses can be seen: geometric lengths. */
static void check_lengths(const burst_case *c, const bool *made)
{
    double counts[2][64] = {{0}}, runs[2] = {0};
    for (unsigned s = 0; s < SOURCES; s++) {
        const bool *at = made + (size_t)s * SLOTS;
        for (unsigned k = 1, length = 0, whole = 0; k < SLOTS; k++) {
            length++;
            if (at[k] == at[k - 1])
                continue;
            if (whole++) { /* the first run began before time 0 */
                counts[at[k - 1]][length < 63 ? length : 63]++;
                runs[at[k - 1]]++;
            }
            length = 0;
        }
    }
    for (unsigned is_burst = 0; is_burst < 2; is_burst++) {
        double leave = is_burst ? c->beta : c->alpha;
        for (unsigned length = 1; length < 30; length++) {
            double p = leave * pow(1 - leave, length - 1),
                   got = counts[is_burst][length] / runs[is_burst];
            expect_near(got, p, 6 * sqrt((p + 1e-5) / runs[is_burst]), c,
                        is_burst ? "length of bursts" : "length of pauses");
        }
    }
}

static void test_bursts(void **state)
{
    (void)state;
    bool *made = calloc((size_t)SLOTS * SOURCES, sizeof *made);
    assert_non_null(made);
    for (unsigned k = 0; k < sizeof burst_cases / sizeof *burst_cases; k++) {
        const burst_case *c = &burst_cases[k];
        for (uint32_t s = 0; s < SOURCES; s++)
            fill_slots(c, s, made + (size_t)s * SLOTS);
        check_rate_and_memory(c, made);
        if (c->rate == 1 && c->beta > 0)
            check_lengths(c, made);
    }
    free(made);
}

/* Time 0 is no special time: over many sources, the first slots have as many messages as any. */
static void test_steady_start(void **state)
{
    (void)state;
    enum { MANY = 100000, FIRST = 40 };
    for (unsigned k = 0; k < sizeof burst_cases / sizeof *burst_cases; k++) {
        const burst_case *c = &burst_cases[k];
        sim_gaps gaps = sim_gaps_of(c->alpha, c->beta, c->rate);
        double counts[FIRST] = {0}, mean = c->rate * c->alpha / (c->alpha + c->beta);
        for (uint32_t s = 0; s < MANY; s++) {
            const sim_rhythm r = {
                .seed = 3, .source = s, .kind = INJECT_BURSTY, .slot_ps = SLOT_PS, .gaps = &gaps};
            uint64_t t = 0;
            for (uint64_t n = 0; (t = sim_rhythm_time(&r, n, t)) / SLOT_PS < FIRST; n++)
                counts[t / SLOT_PS]++;
        }
        for (unsigned at = 0; at < FIRST; at++)
            expect_near(counts[at] / MANY, mean, 5 * sqrt(mean / MANY) + 1e-12, c, "slot's share");
    }
}

/* Times end where they could overflow. */
static void test_far_away(void **state)
{
    (void)state;
    for (unsigned kind = INJECT_PERIODIC; kind <= INJECT_BURSTY; kind++) {
        sim_gaps gaps = sim_gaps_of(1e-9, .5, 1e-9);
        const sim_rhythm r = {.seed = 1,
                              .kind = kind,
                              .period_ps = 1e30,
                              .phase_ps = 1e29,
                              .slot_ps = UINT64_C(1) << 50,
                              .log_miss = -1e-18,
                              .gaps = &gaps};
        uint64_t t = 0;
        for (uint64_t n = 0; n < 20; n++) {
            uint64_t next = sim_rhythm_time(&r, n, t);
            assert_true(next >= t && next <= UINT64_C(1) << 62);
            t = next;
        }
        assert_true(t == UINT64_C(1) << 62);
    }
}

static const char *const models[] = {"model=iq", "model=iq;queues=fifo", "model=ioq", "model=ideal",
                                     "model=pipelined;flit=125 B;buffer=8 kB"};

/* Each model accepts the load that is offered, and gives the same result on any number of
 * threads. */
static void test_bursts_in_models(void **state)
{
    (void)state;
    bool long_enough = !threads_only(); /* for the loads to be near their means */
    for (unsigned m = 0; m < sizeof models / sizeof *models; m++) {
        uint64_t first = 0;
        for (unsigned threads = 1; threads <= MOST_THREADS; threads++) {
            scenario c = {.fabric = "karytree:k=3,n=2,latency=20 ns",
                          .routing = "dmodk",
                          .vc = "any",
                          .num_vcs = 4,
                          .traffic = "shift:by=4",
                          .load = .4,
                          .sw = models[m],
                          .adapter = "packet=125 B;injection=bursty;burst_beta=5%;burst_rate=100%",
                          .measure = long_enough ? "warmup=20 us;duration=200 us"
                                                 : "warmup=1 us;duration=20 us",
                          .threads = threads};
            ik_sim_result r = simulate(c);
            if (long_enough && (fabs(r.offered - .4) > .04 || fabs(r.throughput - r.offered) > .01))
                fail_msg("%s: offered %g, accepted %g", models[m], r.offered, r.throughput);
            if (threads > 1 && r.checksum != first)
                fail_msg("%s: another result with %u threads", models[m], threads);
            first = r.checksum;
            sim_result_clear(&r);
        }
    }
}

static void test_refused_bursts(void **state)
{
    (void)state;
    static const struct {
        const char *adapter, *text;
        double load;
    } cases[] = {
        {"burst_beta=10%", "needs two of", .1},
        {"burst_alpha=10%;burst_beta=30%", "would be 200 %", .5},
        {"burst_rate=30%;burst_beta=10%", "burst_rate = 30 % cannot make a load of 50 %", .5},
        {"burst_rate=50%;burst_beta=10%", "burst_rate = 50 % cannot make a load of 50 %", .5},
        {"burst_rate=100%;burst_beta=60%", "go with burst_alpha = 0.6: their sum is above 1", .5},
        {"burst_alpha=50%;burst_beta=60%", "burst_alpha = 0.5 and burst_beta = 0.6: their sum", .2},
        {"burst_alpha=80%;burst_rate=80%", "burst_alpha = 0.8 and burst_rate = 80 % at a", .5},
        {"burst_beta=0;burst_rate=100%", "sources never go off", .5},
        {"burst_beta=0;burst_alpha=1;burst_rate=100%", "sources never go off", .5},
        {"burst_alpha=10%;burst_beta=10%;burst_rate=80%", "make a load of 40 %, not 50 %", .5},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char adapter[120];
        snprintf(adapter, sizeof adapter, "injection=bursty;%s", cases[k].adapter);
        scenario c = {.fabric = "crossbar:n=4",
                      .routing = "minimal",
                      .load = cases[k].load,
                      .adapter = adapter,
                      .measure = "duration=1 us"};
        c.sw = k % 2 ? "model=pipelined" : "model=iq";
        refuse(c, IK_ERR_USAGE, cases[k].text);
    }
    refuse((scenario){.fabric = "crossbar:n=4",
                      .routing = "minimal",
                      .load = .5,
                      .adapter = "burst_beta=10%"},
           IK_ERR_INPUT, "'burst_beta'");
}

/* ---- sizes */

/* Means by the closed form are those of counting; draws have them, and stay in their ranges. */
static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double mean;
    } cases[] = {{"64 B", 64},
                 {"64 B:50%, 4 KiB:50%", 2080},
                 {"64 B..128 B", 96},
                 {"100:3, 1000:1", 325},
                 {"1 B..4 B:25 %+10:75 %", 8.125},
                 {"100,200,300", 200},
                 {"1..1000000", 500000.5}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_params adapter;
        ik_error err = {0};
        sim_sizes *z = NULL;
        assert_int_equal(ik_params_init(&adapter, ik_adapter_params, NULL, &err), IK_OK);
        ik_params_set(&adapter, "test", "message_sizes", cases[k].text, 0, 0, &err);
        if (sim_sizes_new(&adapter, NULL, &z, &err) != IK_OK)
            fail_msg("%s: %s", cases[k].text, err.text);
        assert_true(fabs(sim_sizes_mean(z, 0, 1, 1) / cases[k].mean - 1) < 1e-12);
        double sum = 0, squares = 0, padded = 0, draws = 200000;
        for (uint64_t n = 0; n < (uint64_t)draws; n++) {
            uint64_t size = sim_size_of(z, 0, 5, 3, n);
            assert_true(size >= 1 && size <= z->largest);
            sum += (double)size;
            squares += (double)size * (double)size;
            padded += (double)sim_size_padded(size, 1500, 64);
        }
        double mean = sum / draws, spread = sqrt((squares / draws - mean * mean) / draws);
        if (fabs(mean - cases[k].mean) > 5 * spread + 1e-9)
            fail_msg("%s: drawn mean %g", cases[k].text, mean);
        if (fabs(padded / draws - sim_sizes_mean(z, 0, 1500, 64)) > 5 * spread + 10)
            fail_msg("%s: drawn mean with whole flits %g, expected %g", cases[k].text,
                     padded / draws, sim_sizes_mean(z, 0, 1500, 64));
        sim_sizes_free(z);
        ik_params_free(&adapter);
    }
}

/* The closed form of filled-up packets, against counting. */
static void test_padded_means(void **state)
{
    (void)state;
    static const uint64_t packets[] = {1, 7, 64, 100, 1500}, units[] = {2, 3, 16, 64, 1000};
    for (unsigned p = 0; p < 5; p++)
        for (unsigned u = 0; u < 5; u++)
            for (uint64_t from = 1; from < 5000; from += 1237) {
                uint64_t to = from + 70000 + 13 * p;
                sim_size_range range = {from, to, 1};
                sim_size_mix mix = {NULL, &range, 1};
                sim_sizes z = {.mixes = &mix, .num = 1, .largest = to};
                double sum = 0;
                for (uint64_t x = from; x <= to; x++)
                    sum += (double)sim_size_padded(x, packets[p], units[u]);
                double mean = sum / (double)(to - from + 1),
                       got = sim_sizes_mean(&z, 0, packets[p], units[u]);
                if (fabs(got / mean - 1) > 1e-12)
                    fail_msg("packets of %llu B, flits of %llu B: %.15g, counted %.15g",
                             (unsigned long long)packets[p], (unsigned long long)units[u], got,
                             mean);
            }
}

#define SMALL_AND_LARGE "mix:70%*small=uniform+30%*large=shift:by=4"

/* Offered load is in bytes, whatever the sizes; what is offered is delivered; classes have their
 * shares of the bytes; the same on any number of threads. */
static void test_sizes_in_models(void **state)
{
    (void)state;
    static const struct {
        const char *sizes, *traffic;
        double large; /* share of the bytes */
    } cases[] = {
        {"message_sizes=64 B:50%,4 KiB:50%", "shift:by=4", 0},
        {"message_sizes=64 B..3000 B;interleave=fifo", "shift:by=4", 0},
        {"message_sizes=512 B..9 KiB;queues=destination", "uniform", 0},
        {"message_sizes=640 B:9,64000 B:1;injection=poisson", "shift:by=4", 0},
        {"message_sizes=small=64 B/large=2 KiB..6 KiB", SMALL_AND_LARGE,
         .3 * 4096 / (.3 * 4096 + .7 * 64)},
        {"message_sizes=large=6400 B/ 640 B", SMALL_AND_LARGE, .3 * 6400 / (.3 * 6400 + .7 * 640)}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
        for (unsigned m = 0; m < sizeof models / sizeof *models; m++) {
            bool flits = strstr(models[m], "pipelined");
            if (flits && (strstr(cases[k].sizes, "interleave") || strstr(cases[k].sizes, "queues")))
                continue;
            char adapter[120];
            snprintf(adapter, sizeof adapter, "packet=1 KiB;%s", cases[k].sizes);
            uint64_t first = 0;
            for (unsigned threads = threads_only(); threads <= MOST_THREADS; threads++) {
                scenario c = {.fabric = "karytree:k=3,n=2,latency=20 ns",
                              .routing = "dmodk",
                              .vc = "any",
                              .num_vcs = 2,
                              .traffic = cases[k].traffic,
                              .load = .3,
                              .sw = flits ? "model=pipelined;flit=64 B;buffer=8 KiB" : models[m],
                              .adapter = adapter,
                              .measure = threads ? "warmup=1 us;duration=20 us;paranoid=true"
                                                 : "warmup=20 us;duration=800 us",
                              .threads = threads};
                ik_sim_result r = simulate(c);
                if (!threads &&
                    (fabs(r.offered - .3) > .04 || fabs(r.throughput - r.offered) > .01))
                    fail_msg("%s, %s: offered %g, accepted %g", models[m], cases[k].sizes,
                             r.offered, r.throughput);
                double share = cases[k].large > 0 ? r.classes[1].offered / r.offered : 0,
                       sum = r.num_classes ? r.classes[0].throughput + r.classes[1].throughput
                                           : r.throughput;
                if ((!threads && fabs(share - cases[k].large) > .02) ||
                    fabs(sum - r.throughput) > 1e-9)
                    fail_msg("%s, %s: share %g of the bytes, expected %g", models[m],
                             cases[k].sizes, share, cases[k].large);
                if (threads > 1 && r.checksum != first)
                    fail_msg("%s, %s: another result with %u threads", models[m], cases[k].sizes,
                             threads);
                first = r.checksum;
                sim_result_clear(&r);
            }
        }
}

/* One size is one size, however it is written. */
static void test_one_size(void **state)
{
    (void)state;
    for (unsigned m = 0; m < sizeof models / sizeof *models; m++) {
        uint64_t checksum[2], delivered[2];
        for (unsigned k = 0; k < 2; k++) {
            scenario c = {.fabric = "karytree:k=3,n=2,latency=20 ns",
                          .routing = "dmodk",
                          .vc = "1q",
                          .load = .6,
                          .sw = models[m],
                          .adapter =
                              k ? "packet=1 kB;message_sizes=4500 B" : "packet=1 kB;message=4500 B",
                          .measure = "warmup=1 us;duration=50 us"};
            ik_sim_result r = simulate(c);
            checksum[k] = r.checksum;
            delivered[k] = r.packets_delivered;
            sim_result_clear(&r);
        }
        if (checksum[0] != checksum[1] || delivered[0] != delivered[1])
            fail_msg("%s: another result with message_sizes", models[m]);
    }
}

static void test_refused_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *sizes, *traffic, *text;
        ik_status status;
    } cases[] = {
        {"", "uniform", "not a size", IK_ERR_USAGE},
        {"64 B,", "uniform", "not a size", IK_ERR_USAGE},
        {"64 kg", "uniform", "'64 kg' is not a size", IK_ERR_USAGE},
        {"0 B", "uniform", "not a size", IK_ERR_USAGE},
        {"4 KiB..1 KiB", "uniform", "goes down", IK_ERR_USAGE},
        {"64 B:50%,128 B:40%", "uniform", "sum to 90 %", IK_ERR_USAGE},
        {"64 B:50%,128 B:1", "uniform", "shares are all", IK_ERR_USAGE},
        {"64 B:50%,128 B", "uniform", "shares are all", IK_ERR_USAGE},
        {"64 B:0,128 B:1", "uniform", "not a share", IK_ERR_USAGE},
        {"64 B:x", "uniform", "'x' is not a share", IK_ERR_USAGE},
        {"a=64 B", "uniform", "have no classes", IK_ERR_USAGE},
        {"small=64 B", SMALL_AND_LARGE, "'large' of the traffic has no sizes", IK_ERR_USAGE},
        {"smal=64 B/1 KiB", SMALL_AND_LARGE, "'smal'", IK_ERR_USAGE},
        {"small=64 B/small=32 B/1 KiB", SMALL_AND_LARGE, "again", IK_ERR_USAGE},
        {"64 B/32 B", "uniform", "again", IK_ERR_USAGE},
        {"1 B:1000000,900 TB:1", "uniform", "can be numbered", IK_ERR_UNSUPPORTED},
    };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char adapter[160];
        snprintf(adapter, sizeof adapter, "packet=64 B;message_sizes=%s", cases[k].sizes);
        refuse((scenario){.fabric = "crossbar:n=9",
                          .routing = "minimal",
                          .traffic = cases[k].traffic,
                          .load = .5,
                          .adapter = adapter,
                          .measure = "duration=1 s"},
               cases[k].status, cases[k].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(test_bursts),         on_one_thread(test_steady_start),
        on_one_thread(test_far_away),       cmocka_unit_test(test_bursts_in_models),
        on_one_thread(test_refused_bursts), on_one_thread(test_sizes),
        on_one_thread(test_padded_means),   cmocka_unit_test(test_sizes_in_models),
        on_one_thread(test_one_size),       on_one_thread(test_refused_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
