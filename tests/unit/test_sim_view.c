/* SPDX-License-Identifier: Apache-2.0
 *
 * What adaptive decisions see of a switch with output buffers: selection functions ask for room
 * alone, and UGAL's queue is the one that a packet will find at the link, whether the switch's time
 * is booked before or behind the decision. */
#include "sim_helper.h"

#include <math.h>

enum { AUTO, NEVER, ALWAYS };

static ik_sim_result run_selection(const char *fabric, const char *sw, const char *name, int skip,
                                   double load)
{
    char spec[64];
    snprintf(spec, sizeof spec, "%s%s", name,
             (const char *[]){"", ":skip_busy=false", ":skip_busy=true"}[skip]);
    return simulate((scenario){.fabric = fabric,
                               .routing = "adaptive_tree",
                               .selection = spec,
                               .sw = sw,
                               .adapter = "packet=8 KiB;injection=poisson",
                               .measure = skip == AUTO ? "warmup=40 us;duration=60 us;paranoid=true"
                                                       : "warmup=40 us;duration=60 us",
                               .load = load});
}

static uint64_t checksum_of(const char *sw, const char *name, int skip)
{
    ik_sim_result r = run_selection("karytree:k=4,n=2", sw, name, skip, 0.6);
    uint64_t checksum = r.checksum;
    sim_result_clear(&r);
    return checksum;
}

/* Auto is one of the two, by the model, for every function; and the two differ. */
static void test_skip_busy_of_every_function(void **state)
{
    (void)state;
    static const struct {
        const char *sw;
        int rule;
    } models[] = {{"buffer=16 KiB", ALWAYS},
                  {"buffer=16 KiB;queues=fifo", ALWAYS},
                  {"model=ideal;buffer=16 KiB", ALWAYS},
                  {"model=pipelined;buffer=16 KiB;flit=256 B", ALWAYS},
                  {"model=ioq;buffer=16 KiB;output_buffer=16 KiB", NEVER},
                  {"model=ioq;buffer=16 KiB;output_buffer=16 KiB;output_sharing=shared", NEVER}};
    for (const ik_selection_family *const *f = ik_selections(); *f; f++)
        for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
            const char *name = (*f)->name, *sw = models[k].sw;
            uint64_t by_model = checksum_of(sw, name, AUTO),
                     same = checksum_of(sw, name, models[k].rule);
            if (by_model != same)
                fail_msg("%s, %s: not the rule of the model", sw, name);
            bool by_queue = strcmp(name, "least_queued") == 0 ||
                            (strcmp(name, "by_model") == 0 && strstr(sw, "ioq"));
            if (!by_queue &&
                by_model == checksum_of(sw, name, models[k].rule == NEVER ? ALWAYS : NEVER))
                fail_msg("%s, %s: skip_busy changes nothing", sw, name);
        }
}

static double latency_of(const char *name, int skip)
{
    ik_sim_result r = run_selection(
        "karytree:k=4,n=3", "model=ioq;buffer=16 KiB;output_buffer=16 KiB", name, skip, 0.4);
    double mean = r.latency.mean;
    sim_result_clear(&r);
    return mean;
}

/* Gomez et al., IPDPS 2007, Figure 5: first free fills the lowest output's buffer, and its latency
 * is a multiple of that of the stage-and-destination rule long before saturation. */
static void test_first_free_collapses(void **state)
{
    (void)state;
    double literal = latency_of("first_free", AUTO), skipping = latency_of("first_free", ALWAYS),
           sadp = latency_of("sadp", AUTO);
    if (literal < 1.5 * skipping || literal < 2.5 * sadp)
        fail_msg("first_free %.0f ps, skipping busy outputs %.0f, sadp %.0f", literal, skipping,
                 sadp);
}

/* ---- UGAL */

static double latency_at(const char *fabric, const char *routing, const char *booked, double load)
{
    char sw[160];
    snprintf(sw, sizeof sw, "model=ioq;speedup=2;buffer=100 KiB;output_buffer=100 KiB;%s", booked);
    ik_sim_result r = simulate((scenario){.fabric = fabric,
                                          .routing = routing,
                                          .sw = sw,
                                          .adapter = "packet=256 B",
                                          .measure = "warmup=5 us;duration=10 us",
                                          .load = load});
    double mean = r.latency.mean / 1000;
    sim_result_clear(&r);
    return mean;
}

/* Kathareios et al., SC 2015: what UGAL costs over minimal routing of uniform traffic rises with
 * the load. The same 100 ns may be booked as routing_delay or as traversal_delay. */
static void test_cost_of_ugal_rises(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"slimfly:q=3", "mlfm:h=4", "oft:k=4"};
    static const double loads[] = {0.1, 0.3, 0.5, 0.7};
    for (size_t f = 0; f < 3; f++) {
        double before[2] = {0};
        for (size_t l = 0; l < 4; l++) {
            double cost[2];
            for (int b = 0; b < 2; b++) {
                const char *booked = b ? "traversal_delay=100 ns" : "routing_delay=100 ns";
                cost[b] = latency_at(fabrics[f], "ugal_l", booked, loads[l]) -
                          latency_at(fabrics[f], "minimal", booked, loads[l]);
            }
            if (cost[0] <= before[0] || cost[1] <= before[1] ||
                fabs(cost[1] - cost[0]) > 0.25 * cost[0])
                fail_msg("%s at %.0f %%: %.1f ns with the routing delay (before: %.1f), %.1f with "
                         "the traversal delay (before: %.1f)",
                         fabrics[f], 100 * loads[l], cost[0], before[0], cost[1], before[1]);
            memcpy(before, cost, sizeof before);
        }
    }
}

/* With a threshold of 30 % of a large output buffer every packet goes minimally, however small the
 * input buffers are. */
static void test_threshold_is_of_the_output_buffer(void **state)
{
    (void)state;
    scenario c = {.fabric = "mlfm:h=3",
                  .routing = "ugal_l:t=30%",
                  .adapter = "packet=256 B",
                  .measure = "warmup=5 us;duration=10 us",
                  .load = 0.5};
    double hops[2];
    for (int k = 0; k < 2; k++) {
        c.sw = k ? "model=ioq;buffer=512 B;output_buffer=100 KiB"
                 : "model=ioq;buffer=100 KiB;output_buffer=512 B";
        ik_sim_result r = simulate(c);
        hops[k] = (double)r.packet_hops / (double)r.packets_delivered;
        sim_result_clear(&r);
    }
    c.routing = "minimal";
    ik_sim_result r = simulate(c);
    double minimal = (double)r.packet_hops / (double)r.packets_delivered;
    sim_result_clear(&r);
    if (hops[1] > 1.02 * minimal || hops[0] < 1.05 * minimal)
        fail_msg("%.3f hops with a small output buffer, %.3f with a large one, %.3f minimally",
                 hops[0], hops[1], minimal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_skip_busy_of_every_function),
                                       cmocka_unit_test(test_first_free_collapses),
                                       cmocka_unit_test(test_cost_of_ugal_rises),
                                       cmocka_unit_test(test_threshold_is_of_the_output_buffer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
