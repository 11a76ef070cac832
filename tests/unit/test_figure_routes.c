/* SPDX-License-Identifier: Apache-2.0
 *
 * test_figure_routes.c: what figures of kind routes are refused, and where.
 */
#include "unit/experiment_text.h"

#define FIGURE                                                                                     \
    "fabric: {family: jellyfish, N: 8, d: 3, seed: [1, 2, 3]}\n"                                   \
    "routing: [updown, minimal]\ntraffic: [uniform, \"shift:by=4\"]\n"                             \
    "load: [20%, 40%]\nseeds: 2\nfigures:\n  - "

#define ROUTES "{name: a, kind: routes, y: throughput, where: {traffic: shift, load: 0.2}, "
#define SHOWN  "panel: [routing, fabric.seed]"

/* Of routes a host is named, and nothing that is about numbers. */
static void test_routes(void **state)
{
    (void)state;
    accepted(FIGURE ROUTES "to: 5, " SHOWN "}");
    accepted(FIGURE ROUTES "to: 5, from: 2, " SHOWN ", width: page, title: t}");
    refused(FIGURE ROUTES SHOWN "}", 7, 5, "'to' a host", NULL);
    refused(FIGURE ROUTES "to: 5, from: x, " SHOWN "}", 7, 93, "'from'", NULL);
    refused(FIGURE ROUTES "to: 5, from: 2}", 7, 5, "mix values of", NULL);
    static const char *const idle[] = {"x: load",
                                       "series: routing",
                                       "marks: routing",
                                       "over: fabric.seed",
                                       "normalise_by: {routing: updown}",
                                       "x_scale: log",
                                       "y_scale: log"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        char text[600];
        snprintf(text, sizeof text, "%sto: 5, " SHOWN ", %s}", FIGURE ROUTES, idle[i]);
        refused(text, 7, 0, "has no effect with kind: routes", NULL);
    }
    refused(
        FIGURE
        "{name: a, x: load, y: throughput, to: 3, series: [routing, traffic], over: fabric.seed}",
        7, 43, "'to'", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_routes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
