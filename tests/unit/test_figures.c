/* SPDX-License-Identifier: Apache-2.0
 *
 * test_figures.c: figures and claims of an experiment: what is accepted, how wrong ones are
 * refused, axes and their values.
 */
#include <math.h>

#include "experiment/experiment_impl.h"
#include "experiment/figures/view.h"
#include "report/figure/draw.h"
#include "unit/experiment_text.h"

#define HEAD                                                                                       \
    "fabric: {family: jellyfish, N: 8, d: 3, seed: [1, 2, 3]}\n"                                   \
    "routing: [updown, minimal]\ntraffic: [uniform, \"shift:by=4\"]\n"                             \
    "load: [20%, 40%]\nseeds: 2\n"
#define FIGURE HEAD "figures:\n  - "
/* line 7, columns from 5 on */
#define CLAIM HEAD "expect:\n  - {claim: a, "

#define OVER "over: fabric.seed"

static void test_accepted(void **state)
{
    (void)state;
    accepted(FIGURE "{name: a, x: load, y: throughput, series: routing, panel: traffic, " OVER "}");
    accepted(FIGURE "{name: a, x: throughput, y: latency_mean_ns, series: [routing, traffic], " OVER
                    "}");
    accepted(FIGURE "{name: a, kind: box, x: routing, y: throughput / offered, series: traffic, "
                    "where: {load: 0.2}, over: [fabric.seed]}");
    accepted(FIGURE "{name: a, kind: histogram, y: latency_p99_ns - latency_p50_ns, bins: 4, "
                    "where: {load: 20 %, routing: updown, traffic: \"shift:4\"}, " OVER "}");
    accepted(FIGURE "{name: a, x: load, y: throughput, series: routing, where: {traffic: shift}, "
                    "normalise_by: {routing: updown}, " OVER "}");
    accepted(FIGURE "{name: a, x: load, y: throughput, series: [fabric.seed, routing, traffic]}");
    accepted(FIGURE "{name: a, x: load, y: throughput, series: [fabric, routing], marks: traffic}");
}

static void test_two_axes_of_panels(void **state)
{
    (void)state;
    accepted(FIGURE "{name: a, x: load, y: throughput, panel: [traffic, routing], " OVER "}");
    accepted(FIGURE "{name: a, kind: heatmap, x: load, y: throughput, series: fabric.seed, "
                    "panel: [routing, traffic]}");
    refused(FIGURE "{name: a, x: load, y: throughput, panel: [traffic, rooting], " OVER "}", 7, 56,
            "'rooting'", "'routing'");
    refused(FIGURE "{name: a, x: load, y: throughput, panel: [traffic, traffic], " OVER "}", 7, 56,
            "'traffic' twice", "");
    refused(FIGURE "{name: a, x: load, y: throughput, series: routing, panel: [traffic, routing], "
                   "" OVER "}",
            7, 47, "'routing' twice", "");
    refused(FIGURE "{name: a, x: load, y: throughput, panel: [traffic, routing, fabric.seed]}", 7,
            46, "at most 2", "");
}

/* A pattern's label is an axis of its own, for figures and claims of all scales. */
static void test_labels(void **state)
{
    (void)state;
#define LABELLED                                                                                   \
    "fabric: karytree:k=2,n=2\nrouting: dmodk\nseeds: 3\ntraffic: [{family: uniform, label: "      \
    "all}, "                                                                                       \
    "{family: shift, by: 2, label: far}]\nexpect:\n  - {claim: a, metric: throughput, "
    accepted(LABELLED "of: {traffic.label: all}, against: {traffic.label: far}, op: \">\"}\n"
                      "figures:\n  - {name: a, x: traffic.label, y: throughput}");
    refused(LABELLED "of: {traffic.label: al}, against: {traffic.label: far}, op: \">\"}", 6, 56,
            "'al'", "'all'");
}

static void test_axes_that_do_not_exist(void **state)
{
    (void)state;
    refused(FIGURE "{name: a, x: laod, y: throughput, " OVER "}", 7, 18, "'laod'", "'load'");
    refused(FIGURE "{name: a, x: throughputt, y: throughput, " OVER "}", 7, 18, "'throughputt'",
            "'throughput'");
    refused(FIGURE "{name: a, x: load, y: thruput}", 7, 27, "'thruput'", "'throughput'");
    refused(FIGURE "{name: a, x: load, y: throughput / offred}", 7, 27, "'offred'", "'offered'");
    refused(FIGURE "{name: a, x: load, y: throughput * 2}", 7, 27, "not a result and not a ratio",
            "");
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, trafic]}", 7, 57,
            "'trafic'", "'traffic'");
    refused(FIGURE "{name: a, x: load, y: throughput, series: routing, panel: fabric.sed}", 7, 63,
            "'fabric.sed'", "'fabric.seed'");
    refused(FIGURE "{name: a, x: load, y: throughput, over: [fabric.N]}", 7, 46,
            "'fabric.N', which is not swept", "");
    refused(FIGURE "{name: a, x: load, y: throughput, where: {routing: updwn}}", 7, 56, "'updwn'",
            "'updown'");
    refused(FIGURE "{name: a, x: load, y: throughput, where: {roting: updown}}", 7, 47, "'roting'",
            "'routing'");
    refused(FIGURE "{name: a, x: load, y: throughput, where: {load: 30%}}", 7, 53, "'30%'", "0.2");
}

static void test_what_would_be_mixed(void **state)
{
    (void)state;
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic]}", 7, 5,
            "figure 'a' would mix values of 'fabric.seed'", "over: [fabric.seed]");
    refused(FIGURE "{name: a, x: load, y: throughput, series: routing, " OVER "}", 7, 5,
            "would mix values of 'traffic'", "where");
    /* the curve's own step is one axis, not two */
    refused(FIGURE "{name: a, x: throughput, y: fairness, series: routing, " OVER "}", 7, 5,
            "would mix values of", "");
    /* what another figure aggregates over is not aggregated over here */
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic], " OVER
                   "}\n  - {name: b, x: load, y: throughput, series: [routing, traffic]}\n",
            8, 5, "figure 'b' would mix values of 'fabric.seed'", "");
}

static void test_normalising(void **state)
{
    (void)state;
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic], " OVER
                   ", normalise_by: {routing: crossbar}}",
            7, 110, "'crossbar'", "updown");
    /* x is an axis like the others, and so is what the figure does not show */
    accepted(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic], " OVER
                    ", normalise_by: {load: 20%}}");
    accepted(FIGURE "{name: a, x: load, y: throughput, series: traffic, " OVER
                    ", where: {routing: minimal}, normalise_by: {routing: updown}}");
    accepted(FIGURE "{name: a, x: load, y: throughput, series: traffic, " OVER
                    ", normalise_by: {routing: updown}}");
    refused(FIGURE "{name: a, x: load, y: throughput, series: routing, " OVER
                   ", where: {load: 20%, traffic: uniform}, normalise_by: {routing: updown, "
                   "fabric.d: 4}}",
            7, 155, "'4'", "3");
    refused(FIGURE "{name: a, x: load, y: throughput, series: traffic, where: {routing: minimal}, "
                   "over: fabric.seed, normalise_by: {routing: minimal}}",
            7, 116, "leaves no other point", "");
    refused(FIGURE "{name: a, x: load, y: throughput, series: routing, where: {traffic: shift}, "
                   "normalise_by: {fabric.seed: 1}}",
            7, 5, "would mix values of 'fabric.seed'", "");
    refused(FIGURE "{name: a, x: fabric.seed, y: throughput, where: {load: 20%, traffic: uniform, "
                   "routing: minimal}, normalise_by: {load: 40%, routing: updown, traffic: [shift, "
                   "uniform]}}",
            7, 154, "one value of 'traffic'", "");
}

/* The reference has the values of what normalise_by is not about, and no others. */
static void test_reference(void **state)
{
    (void)state;
    static const char designs[] =
        "designs:\n  - {name: tree, fabric: 'xgft:m=4:4,w=1:2', routing: [dmodk, smodk]}\n"
        "  - {name: slim, fabric: 'xgft:m=4:4,w=1:1', routing: dmodk}\n"
        "  - {name: crossbar, fabric: 'crossbar:n=16', routing: shortest}\n"
        "load: [20%, 40%]\nfigures:\n  - ";
    char text[900];
    static const char *const good[] = {
        "{name: a, x: fabric.w, y: throughput, series: routing, where: {load: 20%}, "
        "normalise_by: {design: crossbar}}",
        "{name: a, x: load, y: throughput, series: [design, routing], normalise_by: {design: "
        "crossbar}}",
        "{name: a, x: load, y: throughput, series: routing, where: {design: tree}, "
        "normalise_by: {design: crossbar}}",
        "{name: a, x: load, y: throughput, series: [fabric.w, routing], normalise_by: {fabric: "
        "crossbar, routing: shortest}}"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "%s%s", designs, good[i]);
        accepted(text);
    }
    /* a routing without a choice has no selection of its own */
    static const char selections[] =
        "fabric: 'karytree:k=2,n=2'\nrouting: [dmodk, adaptive_tree]\nselection: [random, cyclic]\n"
        "load: [20%, 40%]\nfigures:\n  - {name: a, x: load, y: throughput, ";
    snprintf(text, sizeof text, "%s%s", selections,
             "series: [routing, selection], normalise_by: {routing: dmodk}}");
    accepted(text);
    snprintf(text, sizeof text, "%s%s", selections,
             "series: selection, where: {routing: adaptive_tree}, normalise_by: {routing: dmodk}}");
    accepted(text);
    snprintf(text, sizeof text, "%s%s", designs,
             "{name: a, x: load, y: throughput, where: {design: slim}, normalise_by: {design: "
             "tree}}");
    refused(text, 7, 76, "they differ in 'routing'", "take one");
    snprintf(text, sizeof text, "%s%s", designs,
             "{name: a, x: load, y: throughput, series: [fabric, routing], normalise_by: {fabric: "
             "'xgft:w=1:1'}}");
    refused(text, 7, 80, "nothing to divide by", "where normalise_by");
}

static void test_axes_of_a_figure(void **state)
{
    (void)state;
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic, load], " OVER "}",
            7, 18, "'load' twice", "");
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, routing], " OVER "}", 7, 57,
            "'routing' twice", "");
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic], over: "
                   "[fabric.seed, load]}",
            7, 87, "averages over 'load', which is an axis of it", "");
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic], over: "
                   "[fabric.seed, fabric.seed]}",
            7, 87, "'fabric.seed' twice", "");
    /* numbers are those of the points that count */
    static const char least[] = "fabric: {family: lrt, N: 16, d: 4, r: 2}\nsimulate: false\n"
                                "routing: {family: loren, t_max: [least, 14, 18]}\n";
    char more[400];
    static const char *const numbers[] = {
        "figures: [{name: a, x: routing.t_max, y: mean_hops, kind: line, x_scale: log, where: "
        "{routing.t_max: [14, 18]}}]",
        "expect: [{claim: a, metric: argmax, y: mean_hops, x: routing.t_max, op: '<', value: 15, "
        "of: {routing.t_max: [14, 18]}}]"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(more, sizeof more, "%s%s", least, numbers[i]);
        accepted(more);
    }
    snprintf(more, sizeof more, "%s%s", least,
             "expect: [{claim: a, metric: argmax, y: mean_hops, x: routing.t_max, op: '<', value: "
             "15}]");
    refused(more, 4, 54, "not numbers along which", "");
    /* numbers that some points lack */
    static const char several[] = "fabric: ['xgft:m=4:4,w=1:2', 'karytree:k=2,n=2', "
                                  "'karytree:k=2,n=3']\nrouting: dmodk\nfigures:\n  - ";
    char text[300];
    snprintf(text, sizeof text, "%s%s", several, "{name: a, x: fabric.n, y: throughput}");
    accepted(text);
    snprintf(text, sizeof text, "%s%s", several,
             "{name: a, x: fabric.n, y: throughput, kind: line}");
    refused(text, 4, 18, "some points have no 'fabric.n'", "where");
}

#define DESIGNS                                                                                    \
    "designs:\n  - {name: tree, fabric: 'karytree:k=2,n=2', routing: dmodk}\n"                     \
    "  - {name: wheel, fabric: ['ring:n=4', 'ring:n=6'], routing: updown}\nfigures:\n  - "

static void test_designs(void **state)
{
    (void)state;
    accepted(DESIGNS "{name: a, x: design, y: throughput, over: fabric.n}");
    accepted(DESIGNS "{name: a, x: fabric, y: throughput, normalise_by: {design: tree}, series: "
                     "design, where: {design: tree}}");
    refused(DESIGNS "{name: a, x: design, y: throughput}", 5, 5, "mix values of 'fabric.n'", "");
    refused(DESIGNS "{name: a, x: fabric.n, y: throughput, normalise_by: {design: crossbar}, "
                    "series: design}",
            5, 66, "'crossbar'", "tree");
}

static void test_claims(void **state)
{
    (void)state;
    accepted(CLAIM
             "metric: throughput, of: {routing: updown, traffic: uniform}, against: {routing: "
             "minimal, traffic: uniform}, at: {load: 40%}, op: '<', over: fabric.seed}");
    accepted(CLAIM "metric: saturation, of: {routing: updown}, at: {traffic: shift}, op: '<=', "
                   "value: 0.4, over: fabric.seed}");
    accepted(CLAIM
             "metric: order, y: latency_mean_ns, of: [{routing: minimal}, {routing: updown}], "
             "at: {traffic: shift, load: 20%}, over: fabric.seed}");
    accepted(CLAIM "metric: plateau, of: {routing: updown}, against: {routing: minimal}, ratio: "
                   "true, value: 0.8, op: '=', tolerance: 10 %, at: {traffic: shift}, over: "
                   "[fabric.seed]}");
    accepted(CLAIM "metric: peak, of: {routing: updown}, against: {routing: minimal}, ratio: true, "
                   "paired: true, value: 1, op: '>', at: {traffic: shift}, over: [fabric.seed]}");
    refused(CLAIM "metric: peak, of: {routing: updown}, against: {routing: minimal}, paired: true, "
                  "op: '>', at: {traffic: shift}, over: [fabric.seed]}",
            7, 90, "'paired'", "");
    refused(CLAIM "metric: throughputs, of: {routing: updown}, op: '<', value: 1}", 7, 24,
            "'throughputs'", "throughput");
    refused(CLAIM "metric: throughput, of: {routing: updwn}, op: '<', value: 1}", 7, 50, "'updwn'",
            "updown");
    refused(CLAIM "metric: throughput, of: {routng: updown}, op: '<', value: 1}", 7, 41, "'routng'",
            "routing");
    refused(CLAIM "metric: throughput, of: {routing: updown}, op: '<', value: 1, over: "
                  "fabric.seed}",
            7, 40, "matches several points: they differ in 'load' (0.2, 0.4)", "load");
    refused(CLAIM "metric: saturation, of: {routing: updown}, op: '<', value: 1, at: {traffic: "
                  "shift}}",
            7, 40, "several curves: they differ in 'fabric.seed' (1, 2, 3)", "fabric.seed");
    refused(CLAIM "metric: throughput, of: {routing: updown, load: 20%}, at: {load: 40%}, op: '<', "
                  "value: 1}",
            7, 74, "no point of the sweep has all of these", "");
    refused(CLAIM "metric: throughput, op: '<', value: 1, at: {traffic: shift}}", 7, 5,
            "several points", "");
    refused(CLAIM "metric: throughput, of: {routing: updown}, op: lt, value: 1}", 7, 63, "'lt'",
            "<");
    refused(CLAIM "metric: throughput, of: {routing: updown}, op: '<'}", 7, 5, "'against' or", "");
    refused(CLAIM "metric: throughput, of: {routing: updown}, op: '<', value: 1, against: "
                  "{routing: minimal}}",
            7, 75, "both given", "");
    refused(CLAIM "metric: crossing, of: {routing: updown}, op: '<', value: 1}", 7, 5, "crossing",
            "");
    refused(CLAIM "metric: order, of: {routing: updown}}", 7, 35, "a list", "");
    refused(CLAIM "metric: throughput, y: fairness, of: {routing: updown}, op: '<', value: 1}", 7,
            39, "'y' has no effect", "");
    refused(CLAIM "metric: argmax, x: routing, of: {traffic: shift}, op: '<', value: 1, at: {load: "
                  "20%}, over: fabric.seed}",
            7, 35, "not numbers", "");
    refused(HEAD "expect: {claim: a}\n", 6, 9, "a list of mappings", "");
    refused(HEAD "expect:\n  - {claim: ' ', metric: throughput}\n", 7, 13, "a sentence", "");
    refused(CLAIM "metric: saturaton, of: {routing: updown}, op: '<', value: 1}", 7, 24,
            "'saturaton'", "'saturation'");
}

/* Values of claims have the unit of what they are compared with. */
static void test_values(void **state)
{
    (void)state;
#define AT   ", of: {routing: updown, traffic: uniform}, op: '<', over: fabric.seed"
#define LOAD ", at: {load: 40%}"
    static const char *const good[] = {
        "metric: throughput" LOAD ", value: 50 %" AT,
        "metric: throughput" LOAD ", value: 5e-1" AT,
        "metric: latency_mean_ns" LOAD ", value: 3 us" AT,
        "metric: latency_p99_ns - latency_p50_ns" LOAD ", value: -3 us" AT,
        "metric: throughput / offered" LOAD ", value: 95 %" AT,
        "metric: fairness" LOAD ", value: 0.5" AT,
        "metric: saturation, value: 30 %" AT,
        "metric: argmax, value: 30 %" AT,
        "metric: plateau, value: 30 %" AT,
        "metric: peak, value: 30 %" AT,
        "metric: argmax, x: seeds, at: {load: 40%}, value: 2" AT,
        "metric: throughput" LOAD ", ratio: true, value: 110 %, against: {routing: minimal, "
        "traffic: uniform}" AT};
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"value: much, metric: throughput" LOAD AT, "'much' is not a number"},
        {"value: 3 us, metric: throughput" LOAD AT, "'3 us' is in %"},
        {"value: 50 %, metric: latency_mean_ns" LOAD AT, "'50 %' is in ns"},
        {"value: 50 %, metric: fairness" LOAD AT, "'50 %' has no unit"},
        {"value: inf, metric: throughput" LOAD AT, "not a number"},
        {"value: 3 us, metric: saturation" AT, "'load' are in %"},
        {"value: 3 us, metric: plateau" AT, "is in %"},
        {"value: 3 us, metric: peak" AT, "is in %"},
        {"value: 3 us, metric: argmax, x: seeds, at: {load: 40%}" AT, "'seeds' have no unit"}};
    char text[700];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "%s%s}", CLAIM, good[i]);
        accepted(text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "%s%s}", CLAIM, bad[i].text);
        refused(text, 7, 23, bad[i].part, "");
    }
}

/* What no point can have is refused; what some have is not. */
static void test_available(void **state)
{
    (void)state;
    static const struct {
        const char *result, *setting;
    } of[] = {{"completion_ns", "measure: {until: delivered, at_most: 1 ms}\ntraffic: exchange\n"},
              {"slowdown", "measure: {until: delivered, at_most: 1 ms}\ntraffic: exchange\n"},
              {"round_trip_p99_ns", "load: 20%\nadapter: {reply: 64 B}\n"},
              {"outstanding_mean", "load: 20%\nadapter: {reply: 64 B}\n"},
              {"reorder_max_bytes", "load: 20%\nadapter: {in_order: true}\n"},
              {"blocked_share", "load: 20%\nmeasure: {series: 1 us}\n"},
              {"hol_time_ns / latency_mean_ns", "load: 20%\nmeasure: {series: 1 us}\n"},
              {"saturation_load", "load: {find: saturation}\n"}};
    static const char *const asks[] = {
        "figures: [{name: a, x: routing, y: %s}]",
        "figures: [{name: a, x: %s, y: throughput, series: routing}]",
        "expect: [{claim: a, metric: %s, of: {routing: updown}, op: '<', value: 1}]",
        ("expect: [{claim: a, metric: order, y: %s, of: [{routing: updown}, {routing: "
         "adaptive_tree}]}]")};
    static const char head[] = "fabric: 'karytree:k=2,n=2'\nrouting: [adaptive_tree, updown]\n";
    char text[500], ask[200];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t k = 0; k < sizeof asks / sizeof *asks; k++) {
            snprintf(ask, sizeof ask, asks[k], of[i].result);
            snprintf(text, sizeof text, "%s%s%s\n", head, of[i].setting, ask);
            accepted(text);
            snprintf(text, sizeof text, "%sload: 20%%\nseeds: 1\n%s\n", head, ask);
            refused(text, 5, 0, "none of its points has the result", ": {");
        }
    /* some have it */
    snprintf(text, sizeof text, "%sload: 20%%\nadapter: [{in_order: true}, {in_order: false}]\n%s",
             head, "figures: [{name: a, x: routing, y: throttled_max, series: adapter.in_order}]");
    accepted(text);
    snprintf(
        text, sizeof text, "%sload: 20%%\nadapter: [{in_order: true}, {in_order: false}]\n%s", head,
        "figures: [{name: a, x: routing, y: throttled_max, where: {adapter.in_order: false}}]");
    refused(text, 5, 36, "none of its points", "in_order");
}

static void test_declared(void **state)
{
    (void)state;
    refused(FIGURE "{x: load, y: throughput}", 7, 5, "name", "");
    refused(FIGURE "{name: a b, x: load, y: throughput}", 7, 12, "'a b'", "");
    refused(FIGURE "{name: a, x: load, y: throughput, kind: lin}", 7, 45, "'lin'", "line");
    refused(FIGURE "{name: a, x: load, y: throughput, seris: routing}", 7, 39, "'seris'", "series");
    refused(FIGURE "{name: a, x: [load], y: throughput}", 7, 18, "one value", "");
    refused(FIGURE "{name: a, y: throughput}", 7, 5, "has no 'x'", "");
    refused(FIGURE "{name: a, kind: histogram, x: load, y: throughput}", 7, 35,
            "'x' has no effect with kind: histogram", "");
    refused(FIGURE "{name: a, x: load, y: throughput, bins: 4}", 7, 45, "bins", "");
    refused(FIGURE "{name: a, kind: heatmap, x: load, y: throughput}", 7, 5, "rows", "");
    refused(FIGURE "{name: a, kind: box, x: load, y: throughput, where: {load: 20%}, series: "
                   "[routing, traffic, fabric.seed, seeds]}",
            7, 21, "draws samples", "seeds");
    refused(FIGURE "{name: a, kind: time, y: throughput, series: routing}", 7, 30,
            "no point has a series", "measure");
    refused(FIGURE "{name: a, x: routing, x_scale: log, y: throughput, " OVER "}", 7, 36,
            "no logarithm", "");
    refused(FIGURE "{name: a, x: load, y: throughput, series: [routing, traffic], " OVER
                   "}\n  - {name: a, x: load, y: throughput, series: [routing, traffic], " OVER "}",
            8, 12, "two figures 'a'", "");
    refused(HEAD "figures: []\n", 6, 10, "empty list", "");
    refused(HEAD "figures: {name: a}\n", 6, 10, "a list of mappings", "");
    refused(HEAD "figures: [a]\n", 6, 11, "is a mapping", "");
    refused(FIGURE "{name: a, x: load, y: throughput, where: {}}", 7, 46, "empty mapping",
            "where:");
    refused(FIGURE "{name: a, x: load, y: throughput, normalise_by: {}}", 7, 53, "empty mapping",
            "");
    refused(CLAIM "metric: throughput, at: {}, op: '<', value: 1}", 7, 40, "empty mapping", "");
}

/* ---- axes */

static void test_axes(void **state)
{
    (void)state;
    static const char *const keys[] = {"fabric", "load", "switch"};
    static const char *const rows[][3] = {
        {"xgft:m=4:4,w=1:2,latency=6 ns", "0.5", "buffer=64 KiB,voq=false"},
        {"xgft:m=8:8,w=1:2,latency=50 ns", "0.25", "buffer=1 MiB,voq=false"},
        {"crossbar:hosts=4", "0.5", "buffer=64 KiB,voq=true"}};
    axes a;
    axis x;
    ik_error err;
    assert_int_equal(axes_begin(&a, keys, 3, 3, &err), IK_OK);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(axes_put(&a, i / 3, i % 3, rows[i / 3][i % 3], &err), IK_OK);
    assert_int_equal(axes_find(&a, "fabric.latency", NULL, 0, &x, &err), IK_OK);
    assert_int_equal(x.num, 2);
    assert_true(x.numeric && x.values[1].number == 50);
    assert_string_equal(x.unit, "ns");
    assert_int_equal(axis_at(&a, &x, 2), IK_NONE); /* a crossbar has none in its text */
    assert_int_equal(axes_find(&a, "switch.buffer", NULL, 0, &x, &err), IK_OK);
    assert_true(x.num == 2 && x.values[1].number == 1048576);
    assert_true(axis_matches(&x, 0, "65536 B") && !axis_matches(&x, 1, "64 KiB"));
    assert_int_equal(axes_find(&a, "load", NULL, 0, &x, &err), IK_OK);
    assert_true(x.num == 2 && axis_matches(&x, 0, "50 %") && axis_at(&a, &x, 2) == 0);
    assert_int_equal(axes_find(&a, "fabric.m", NULL, 0, &x, &err), IK_OK);
    assert_false(x.numeric);
    assert_int_equal(axes_find(&a, "fabric", NULL, 0, &x, &err), IK_OK);
    assert_string_equal(x.values[0].label, "xgft m=4:4 latency=6 ns");
    assert_string_equal(x.values[2].label, "crossbar");
    assert_true(axis_matches(&x, 0, "xgft") && axis_matches(&x, 1, "xgft:8:8"));
    assert_false(axis_matches(&x, 0, "xgft:w=1:3") || axis_matches(&x, 2, "xgft"));
    /* samples of one fabric are one value of the axis */
    static const char *const samples[] = {"fabric.latency", "fabric.m", "fabric.hosts"};
    assert_int_equal(axes_find(&a, "fabric", samples, 3, &x, &err), IK_OK);
    assert_int_equal(x.num, 2);
    assert_string_equal(x.values[0].text, "xgft:w=1:2");
    assert_string_equal(x.values[1].text, "crossbar");
    assert_true(axis_at(&a, &x, 0) == 0 && axis_at(&a, &x, 1) == 0 && axis_at(&a, &x, 2) == 1);
    assert_int_equal(axes_find(&a, "switch", samples, 1, &x, &err), IK_OK);
    assert_string_equal(x.values[1].text, "buffer=1 MiB,voq=false");
    assert_int_equal(axes_find(&a, "fabric.mm", NULL, 0, &x, &err), IK_ERR_INPUT);
    char name[64];
    assert_false(axes_differ(&a, 1, a.cells[1], a.cells[7], NULL, 0, name, sizeof name));
    assert_true(axes_differ(&a, 2, a.cells[2], a.cells[5], NULL, 0, name, sizeof name));
    assert_string_equal(name, "switch.buffer");
    assert_false(axes_differ(&a, 2, a.cells[2], a.cells[5], (const char *const[]){"switch.buffer"},
                             1, name, sizeof name));
    assert_true(axes_differ(&a, 0, a.cells[0], a.cells[6], NULL, 0, name, sizeof name));
    assert_string_equal(name, "fabric");
    axes_free(&a);
}

/* ---- numbers of pictures */

static void check_scale(double low, double high, bool zero)
{
    scale s;
    scale_make(&s, low, high, false, zero, "", 120, 22);
    assert_true(s.low <= low && s.high >= high && s.high > s.low);
    assert_true(s.num_ticks >= 2 && s.num_ticks < MOST_TICKS);
    for (size_t i = 0; i < s.num_ticks; i++) {
        assert_true(scale_at(&s, s.ticks[i]) > -1e-6 && scale_at(&s, s.ticks[i]) < 1 + 1e-6);
        assert_true(i == 0 || strcmp(s.labels[i], s.labels[i - 1]) != 0);
    }
}

/* All values equal, equal but for rounding, all 0, large and small ones. */
static void test_scales(void **state)
{
    (void)state;
    static const double values[] = {0, 1e-9, 1e-3, 0.3, 1, 97.3, 12345, 1e9, 1e15};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int zero = 0; zero < 2; zero++) {
            double v = values[i];
            check_scale(v, v, zero);
            check_scale(v, nextafter(v, INFINITY), zero);
            check_scale(-v, v + 1e-3 * v, zero);
            check_scale(-v, -v, zero);
            check_scale(v, 1.5 * v, zero);
        }
}

static void check_bins(double low, double step, size_t num, unsigned bins)
{
    double samples[64], *edges;
    figure f = {.bins = bins};
    figure_cell cell = {.samples = samples, .num = num};
    figure_curve curve = {.cells = &cell, .num = 1};
    figure_data d = {.f = &f, .curves = &curve, .num_curves = 1};
    size_t num_bins, all = 0;
    for (size_t i = 0; i < num; i++)
        samples[i] = low + step * (double)i;
    ik_error err;
    assert_int_equal(figure_bins(&d, &edges, &num_bins, &err), IK_OK);
    double width = edges[1] - edges[0];
    for (size_t b = 0; b < num_bins; b++) {
        all += figure_count(&cell, edges[b], edges[b + 1], b + 1 == num_bins);
        assert_true(fabs(edges[b + 1] - edges[b] - width) < 1e-3 * width);
    }
    assert_true(all == num && num_bins <= 1001);
    assert_true(edges[num_bins] <= samples[num - 1] + width * 1.001);
    assert_true(samples[num - 1] == samples[0] || bins == 0 || num_bins == bins);
    ik_arena_free(&d.arena);
}

/* Every sample is in a bin, and no bin is beyond the samples. */
static void test_bins(void **state)
{
    (void)state;
    ik_rng rng = ik_rng_at(15, IK_RNG_TEST, 0);
    for (unsigned i = 0; i < 20000; i++) {
        double low = ik_rng_unit(&rng) * 100 - 20, step = ik_rng_unit(&rng);
        check_bins(i % 2 ? floor(low * 100) / 100 : low, i % 3 ? step : floor(step * 10) / 100,
                   2 + i % 60, i % 7 ? 0 : i % 1000);
    }
    check_bins(0, 0, 5, 0);
    check_bins(0.3, 0, 5, 20);
    check_bins(0.3, 1e-17, 2, 1000);
    check_bins(-4, 0, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_two_axes_of_panels),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_axes_that_do_not_exist),
        cmocka_unit_test(test_what_would_be_mixed),
        cmocka_unit_test(test_normalising),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_axes_of_a_figure),
        cmocka_unit_test(test_designs),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_available),
        cmocka_unit_test(test_declared),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_bins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
