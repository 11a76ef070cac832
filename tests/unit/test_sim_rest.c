/* SPDX-License-Identifier: Apache-2.0
 *
 * When all partitions rest (parallel/rest.h): against a look at every single time. */
#include "sim/parallel/rest.h"
#include "unit/made.h"

/* A run of `end` units that stops only where something is due, and one that asks at every time. */
static void compare_runs(uint64_t check, uint64_t watch, uint64_t unit, uint64_t sample,
                         uint64_t end)
{
    rest_times t = {.next_check = check ? check : UINT64_MAX,
                    .check_period = check,
                    .watch_period = watch,
                    .watch_unit = unit,
                    .next_batches = UINT64_MAX,
                    .num_samples = sample ? (size_t)(end / sample) : 0,
                    .sample_period = sample};
    uint64_t search = watch, at = 0;
    t.next_watch = rest_next_watch(&t, 0);
    for (uint64_t now = 1; now <= end; now++) {
        bool over = now == end, checks = check && (now % check == 0 || over),
             samples = sample && now % sample == 0,
             searches = watch && ((now % unit == 0 && now >= search) || over);
        rest_due due = {false, false, false, false};
        if (searches)
            search = now + (now / 8 > watch ? now / 8 : watch);
        if (at < now)
            at = rest_next(&t);
        assert_true(at >= now); /* nothing was passed */
        if (at != now && !over) {
            assert_false(checks || samples || searches);
            continue;
        }
        assert_int_equal(rest_is_due(&t, now, over, &due), checks || samples || searches);
        assert_int_equal(due.check, checks);
        assert_int_equal(due.watch, searches);
        assert_int_equal(due.sample, samples);
        assert_false(due.batches);
        rest_pass_samples(&t, now);
    }
    assert_int_equal(t.next_sample, t.num_samples);
}

static void rests_where_something_is_due(void **state)
{
    (void)state;
    for (uint64_t check = 0; check <= 16; check += 8)
        for (uint64_t watch = 0; watch <= 70; watch += 35)
            for (uint64_t unit = 1; unit <= 64; unit *= 8)
                for (uint64_t sample = 0; sample <= 26; sample += 13)
                    compare_runs(check, watch, unit, sample, 1000 + check);
}

/* Checks come with what happens; all else is seen whatever happens, and batches at their time. */
static void looks_do_not_wait_for_events(void **state)
{
    (void)state;
    rest_times t = {.next_check = 5,
                    .check_period = 5,
                    .watch_unit = 1,
                    .next_watch = UINT64_MAX,
                    .next_batches = 40,
                    .num_samples = 1,
                    .sample_period = 30};
    rest_due due;
    assert_int_equal(rest_next(&t), 5);
    assert_int_equal(rest_next_look(&t), 30);
    assert_true(rest_is_due(&t, 30, false, &due));
    assert_true(due.check && due.sample && !due.watch && !due.batches);
    rest_pass_samples(&t, 30);
    assert_int_equal(rest_next_look(&t), 40);
    assert_int_equal(rest_next(&t), 35);
    assert_true(rest_is_due(&t, 41, false, &due));
    assert_true(due.batches && !due.sample);
}

static void partitions_that_cannot_rest(void **state)
{
    (void)state;
    sim_exchange apart = {.barrier = NULL};
    rest_times never = {.next_check = UINT64_MAX,
                        .next_watch = UINT64_MAX,
                        .next_batches = UINT64_MAX},
               checks = never;
    ik_error err = {0};
    checks.next_check = 0;
    assert_int_equal(rest_check(&never, &apart, false, &err), IK_OK);
    assert_int_equal(rest_check(&checks, NULL, true, &err), IK_OK);
    assert_int_equal(rest_check(&never, &apart, true, &err), IK_ERR_UNSUPPORTED);
    assert_int_equal(rest_check(&checks, &apart, false, &err), IK_ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rests_where_something_is_due),
                                       cmocka_unit_test(looks_do_not_wait_for_events),
                                       cmocka_unit_test(partitions_that_cannot_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
