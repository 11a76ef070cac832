/* SPDX-License-Identifier: Apache-2.0
 *
 * Real weights as whole numbers: the ratios stay, and however many lines a source has, their sum
 * stays far below 2^64.
 */
#include "unit/made.h"

#include "traffic/weight.h"

#include <math.h>

/* `count` flows of source 0, to destinations 1 and 2 in turn, of these two weights. */
static void check_many(const char *first, const char *second, size_t count)
{
    weight *weights = calloc(count, sizeof *weights), two[2];
    pattern_flow *flows = calloc(count, sizeof *flows);
    ik_error err = {0};
    assert_true(weights && flows && weight_read(first, &two[0]) && weight_read(second, &two[1]));
    for (size_t i = 0; i < count; i++) {
        weights[i] = two[i % 2];
        flows[i] = (pattern_flow){.src = 0, .dst = 1 + (uint32_t)(i % 2)};
    }
    assert_int_equal(weights_to_whole(weights, flows, count, 3, &err), IK_OK);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)flows[i].weight;
    double ratio = (double)flows[0].weight / (double)flows[1].weight;
    if (sum > 0x1p61)
        fail_msg("%zu weights %s and %s have the sum %g", count, first, second, sum);
    if (fabs(ratio / (two[0].value / two[1].value) - 1) > 1e-6)
        fail_msg("%zu weights %s and %s have the ratio %.9g", count, first, second, ratio);
    free(weights);
    free(flows);
}

static void sums_stay_small(void **state)
{
    static const char *const weights[] = {
        "1", "0.5", "1e-3", "0.1234567890123456", "17592186044415", "1e300", "1.5e308"};
    static const size_t counts[] = {2, 1000, 1100000};
    (void)state;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            check_many(weights[i], weights[i], counts[k]);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        check_many("0.1234567890123456", "0.5", counts[k]);
        check_many("17592186044415", "17592186", counts[k]);
        check_many("1e308", "3e305", counts[k]);
    }
}

static void whole_and_decimal_weights_stay_exact(void **state)
{
    static const char *const text[] = {"3", "0.5", "1e-3", "12.25"};
    static const uint64_t expected[] = {3000, 500, 1, 12250};
    weight weights[4];
    pattern_flow flows[4] = {{.dst = 1}, {.dst = 2}, {.dst = 1}, {.dst = 2}};
    ik_error err = {0};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_true(weight_read(text[i], &weights[i]));
    assert_int_equal(weights_to_whole(weights, flows, 4, 3, &err), IK_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(flows[i].weight, expected[i]);
}

static void what_is_no_weight(void **state)
{
    static const char *const text[] = {"",     "0",     "-1", "+1", "nan", "inf", "1e400", "1e-400",
                                       "0x10", "1.2.3", "1e", "e5", ".",   "1,5", "0.0",   "1 "};
    weight w;
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (weight_read(text[i], &w))
            fail_msg("'%s' is read as a weight", text[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stay_small),
        cmocka_unit_test(whole_and_decimal_weights_stay_exact),
        cmocka_unit_test(what_is_no_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
