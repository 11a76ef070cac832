/* SPDX-License-Identifier: Apache-2.0
 *
 * test_figure_routes.c: what figures of kind routes are refused, and where.
 */
#include "experiment/experiment_impl.h"
#include "unit/made.h"

#define FIGURE                                                                                     \
    "fabric: {family: jellyfish, N: 8, d: 3, seed: [1, 2, 3]}\n"                                   \
    "routing: [updown, minimal]\ntraffic: [uniform, \"shift:by=4\"]\n"                             \
    "load: [20%, 40%]\nseeds: 2\nfigures:\n  - "

static ik_status read_text(const char *text, ik_error *err)
{
    ik_experiment *e = NULL;
    ik_status status = ik_experiment_read_memory(text, strlen(text), "test.yaml", NULL, &e, err);
    ik_experiment_free(e);
    return status;
}

static void accepted(const char *text)
{
    ik_error err = {0};
    if (read_text(text, &err) != IK_OK)
        fail_msg("'%s': %u:%u: %s (%s)", text, err.line, err.column, err.text, err.hint);
}

static void refused(const char *text, unsigned line, unsigned column, const char *part)
{
    ik_error err = {0};
    assert_int_equal(read_text(text, &err), IK_ERR_INPUT);
    if (err.line != line || err.column != column || !strstr(err.text, part))
        fail_msg("'%s' gave %u:%u: %s (%s)", text, err.line, err.column, err.text, err.hint);
}

#define ROUTES "{name: a, kind: routes, y: throughput, where: {traffic: shift, load: 0.2}, "
#define SHOWN  "panel: [routing, fabric.seed]"

/* Of routes a host is named, and nothing that is about numbers. */
static void test_routes(void **state)
{
    (void)state;
    accepted(FIGURE ROUTES "to: 5, " SHOWN "}");
    accepted(FIGURE ROUTES "to: 5, from: 2, " SHOWN ", width: page, title: t}");
    refused(FIGURE ROUTES SHOWN "}", 7, 5, "'to' a host");
    refused(FIGURE ROUTES "to: 5, from: x, " SHOWN "}", 7, 93, "'from'");
    refused(FIGURE ROUTES "to: 5, from: 2}", 7, 5, "mix values of");
    static const char *const idle[] = {"x: load",
                                       "series: routing",
                                       "marks: routing",
                                       "over: fabric.seed",
                                       "normalise_by: {routing: updown}",
                                       "x_scale: log",
                                       "y_scale: log"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        char text[600];
        ik_error err = {0};
        snprintf(text, sizeof text, "%sto: 5, " SHOWN ", %s}", FIGURE ROUTES, idle[i]);
        assert_int_equal(read_text(text, &err), IK_ERR_INPUT);
        assert_non_null(strstr(err.text, "has no effect with kind: routes"));
    }
    refused(
        FIGURE
        "{name: a, x: load, y: throughput, to: 3, series: [routing, traffic], over: fabric.seed}",
        7, 43, "'to'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_routes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
