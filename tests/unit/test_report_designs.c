/* SPDX-License-Identifier: Apache-2.0
 *
 * test_report_designs.c: designs as JSON and as a page: numbers of all rails, what is not known,
 * texts that look like markup, prices and their sources.
 */
#include "ikat/design.h"
#include "unit/made.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char hostile[] = "</script><img src=x onerror=alert(1)>";

static const ik_fit fit = {
    .point =
        {.spec = "crossbar:n=6", .hosts = 6, .switches = 1, .ports = 6, .links = 6, .radix = 6},
    .capacity = 8,
    .routing = "minimal"};
static const ik_cost cost = {10, 20, 30, 40, 100, 12};
static const double saturation[] = {0.5, -1};
static const ik_design_time times[] = {{1, 2, NAN}};
static const ik_design_failure failures[] = {
    {2, 1, 0.5, 1.5, NAN, NAN, 0, 1, 2, true},
};

static ik_design_member member(bool built)
{
    return (ik_design_member){.family = "crossbar",
                              .series = hostile,
                              .spec = hostile,
                              .fit = &fit,
                              .cost = &cost,
                              .built = built,
                              .vc = built ? "1q" : NULL,
                              .num_vcs = 1,
                              .proved = true,
                              .diameter = 1,
                              .mean_hops = 0.5,
                              .bisection_per_host = NAN,
                              .saturation = built ? saturation : NULL,
                              .times = built ? times : NULL,
                              .failures = built ? failures : NULL,
                              .reroute = built ? "minimal" : NULL,
                              .fallback = built ? "dfsssp" : NULL};
}

static const char *const patterns[] = {"uniform", "worst"};
static const char *const workloads[] = {hostile};
static const ik_loss losses[] = {{IK_LOSS_CABLES, false, 0.25}};
static const char *const command[] = {"ikat", hostile};

static ik_designs designs(const ik_prices *prices, const ik_design_member *members, size_t num)
{
    static const ik_design_misfit misfit = {"oft", hostile, hostile, NULL, 0, 0};
    return (ik_designs){.wish = {.hosts = 6, .radix = 8, .oversubscription = 1},
                        .goal = "cost",
                        .rate_bps = UINT64_C(100000000000),
                        .rails = 3,
                        .prices = prices,
                        .prices_file = hostile,
                        .command = command,
                        .num_words = 2,
                        .patterns = patterns,
                        .num_patterns = 2,
                        .workloads = workloads,
                        .num_workloads = 1,
                        .losses = losses,
                        .num_losses = 1,
                        .draws = 3,
                        .members = members,
                        .num_members = num,
                        .misfits = &misfit,
                        .num_misfits = 1};
}

static ik_prices *prices_of(const char *text)
{
    char path[] = "/tmp/test_designs_XXXXXX";
    ik_prices *prices = NULL;
    ik_error err = {0};
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    if (ik_prices_read(path, &prices, &err) != IK_OK)
        fail_msg("%s", err.text);
    unlink(path);
    return prices;
}

/* ---- */

static double number_of(const ik_designs *d, const ik_design_member *m, const char *name)
{
    ik_design_number all[IK_DESIGN_NUMBERS];
    ik_design_numbers(d, m, all);
    for (size_t i = 0; i < IK_DESIGN_NUMBERS; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].value;
    fail_msg("no number %s", name);
    return 0;
}

static void test_numbers(void **state)
{
    (void)state;
    const ik_design_member m[] = {member(true), member(false)};
    const ik_designs d = designs(NULL, m, 2);
    assert_true(number_of(&d, &m[0], "cables") == 18);
    assert_true(number_of(&d, &m[0], "switch_cables") == 0);
    assert_true(number_of(&d, &m[0], "spare_host_ports") == 6);
    assert_true(number_of(&d, &m[0], "cost") == 100); /* is of all rails already */
    assert_true(number_of(&d, &m[0], "hosts") == 6 && number_of(&d, &m[0], "diameter") == 1);
    assert_true(isnan(number_of(&d, &m[0], "bisection_per_host")));
    assert_true(isnan(number_of(&d, &m[0], "fewest_switches"))); /* not known */
    ik_design_member chosen = m[0];
    chosen.fewest_switches = 2;
    chosen.fewest_switches_hosts = 5;
    assert_true(number_of(&d, &chosen, "fewest_switches_hosts") == 5);
    assert_true(number_of(&d, &chosen, "fewest_switches") == 6); /* of all rails */
    assert_true(number_of(&d, &m[1], "switches") == 3 && isnan(number_of(&d, &m[1], "vcs")));
}

static char *text_of(const ik_designs *d)
{
    ik_json j;
    char *text = NULL;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_object(&j, NULL);
    ik_designs_json(d, &j);
    ik_json_close(&j);
    assert_int_equal(ik_json_end_text(&j, &text, NULL, NULL), IK_OK);
    return text;
}

static void test_json(void **state)
{
    (void)state;
    ik_prices *prices = prices_of("currency: '<b>'\n");
    const ik_design_member m[] = {member(true), member(false)};
    const ik_designs d = designs(prices, m, 2);
    char *text = text_of(&d);
    assert_null(strchr(text, '<'));
    assert_non_null(strstr(text, "\"load\":null"));         /* of a pattern that does not fit */
    assert_non_null(strstr(text, "\"simulated_ns\":null")); /* not simulated */
    assert_non_null(strstr(text, "\"workloads\":[],\"failures\":[]")); /* not built */
    assert_non_null(strstr(text, "\"radix_needed\":null"));
    free(text);
    ik_prices_free(prices);
}

static char *page_of(const ik_designs *d, ik_status *status, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    *status = ik_designs_print_page(d, out, err);
    fclose(out);
    return text;
}

static void test_page(void **state)
{
    (void)state;
    ik_prices *prices = prices_of("adapters: [{rate: 100 Gb/s, price: 7, watts: 1, source: 'a "
                                  "quote <of> 2031'}]\n");
    const ik_design_member m[] = {member(true)};
    const ik_designs d = designs(prices, m, 1);
    ik_status status;
    char *page = page_of(&d, &status, NULL);
    assert_int_equal(status, IK_OK);
    assert_non_null(strstr(page, "id=\"app\""));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "<!--DATA-->"));
    assert_non_null(strstr(page, "\"price\":7,\"watts\":1,\"times\":1,\"assumed\":false,"
                                 "\"source\":\"a quote \\u003cof\\u003e 2031\""));
    assert_non_null(strstr(page, "\"part\":\"switch\",\"ports\":36"));
    free(page);
    ik_prices_free(prices);
}

static void test_part_without_price(void **state)
{
    (void)state;
    ik_prices *prices = prices_of("adapters: [{rate: 25 Gb/s, price: 7, watts: 1}]\n");
    const ik_design_member m[] = {member(true)};
    const ik_designs d = designs(prices, m, 1);
    ik_status status;
    ik_error err = {0};
    char *page = page_of(&d, &status, &err);
    assert_int_equal(status, IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "no adapters of 100 Gb/s"));
    free(page);
    ik_prices_free(prices);
}

static void test_part_prices(void **state)
{
    (void)state;
    ik_prices *prices =
        prices_of("switches:\n  - {ports: 10, rate: 1 Gb/s, price: 100, watts: 5, source: old}\n"
                  "  - {ports: 20, rate: 1 Gb/s, price: 150, watts: 7}\n");
    const uint64_t rate = 1000000000;
    ik_part_price p;
    assert_int_equal(ik_prices_part(prices, IK_PART_SWITCH, rate, 10, &p, NULL), IK_OK);
    assert_true(p.price == 100 && p.ports == 10 && p.share == 1 && !p.assumed);
    assert_string_equal(p.source, "old");
    assert_int_equal(ik_prices_part(prices, IK_PART_SWITCH, rate, 30, &p, NULL), IK_OK);
    assert_true(p.price == 225 && p.watts == 10.5 && p.ports == 20 && p.share == 1.5);
    assert_string_equal(p.source, "");
    assert_int_equal(
        ik_prices_part(prices, IK_PART_OPTICAL_CABLE, UINT64_C(100000000000), 30, &p, NULL), IK_OK);
    assert_true(p.price == 350 && p.ports == 0 && p.assumed);
    assert_int_equal(ik_prices_part(prices, IK_PART_ADAPTER, rate, 10, &p, NULL), IK_ERR_INPUT);
    ik_prices_free(prices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_json),
        cmocka_unit_test(test_page),        cmocka_unit_test(test_part_without_price),
        cmocka_unit_test(test_part_prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
