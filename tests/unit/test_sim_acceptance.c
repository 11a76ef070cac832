/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a load is accepted, told from queues whose answer is known: each gets a packet of two
 * slots with a probability, and serves one slot of it a slot. */
#include "sim/measure/acceptance.h"
#include "sim_helper.h"

#include <math.h>

enum { SLOTS = 64, MOST = 8192, MOST_QUEUES = 16 }; /* of a batch; batches */
static const double missing = 0.005;

/* A slot is 1000 ps; what waits longer than 20 slots waits in its source for the rest. */
static void serve_batch(batch *b, double load, unsigned queues, double *backlog, uint64_t seed,
                        uint64_t *drawn)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        for (unsigned q = 0; q < queues; q++) {
            if (ik_random_unit(seed, IK_RNG_TRAFFIC_SETUP, 5, ++*drawn) < load / 2) {
                uint64_t latency_ps = (uint64_t)(1000 * (backlog[q] + 2));
                b->packets++;
                b->bytes += 2;
                b->latency_ps += latency_ps;
                b->network_ps += latency_ps < 20000 ? latency_ps : 20000;
                backlog[q] += 2;
            }
            backlog[q] = fmax(backlog[q] - 1, 0);
        }
}

/* The first answer, of the second half of so many batches; OPEN: none. */
static acceptance first_answer(double load, unsigned queues, uint64_t seed, size_t *num)
{
    const stationary_setup setup = {
        .period_ps = 1000 * SLOTS, .most = MOST, .of = STATIONARY_ACCEPTANCE, .ci = missing};
    double backlog[MOST_QUEUES] = {0};
    uint64_t drawn = 0;
    stationary *s;
    acceptance told = ACCEPTANCE_OPEN;
    assert_int_equal(stationary_new(&setup, &s, NULL), IK_OK);
    for (*num = 128; told == ACCEPTANCE_OPEN && *num <= MOST; *num += *num / 2) {
        while (s->num < *num)
            serve_batch(&s->batches[s->num++], load, queues, backlog, seed, &drawn);
        told = acceptance_of(s, s->num / 2, missing);
    }
    stationary_free(s);
    return told;
}

/* Near saturation a verdict of few batches is chance: the right one, or none yet. Far from it few
 * batches are enough. */
static void test_queues(void **state)
{
    (void)state;
    static const struct {
        double load;
        unsigned queues;
        acceptance expected;
        size_t within; /* batches, of most seeds */
    } cases[] = {{0.80, 1, ACCEPTANCE_ACCEPTED, 2000},  {0.80, 16, ACCEPTANCE_ACCEPTED, 300},
                 {0.96, 16, ACCEPTANCE_ACCEPTED, 3000}, {0.98, 16, ACCEPTANCE_ACCEPTED, MOST},
                 {1.02, 16, ACCEPTANCE_REFUSED, 3000},  {1.02, 1, ACCEPTANCE_REFUSED, 2 * MOST},
                 {1.04, 1, ACCEPTANCE_REFUSED, MOST},   {1.20, 1, ACCEPTANCE_REFUSED, 500},
                 {1.20, 16, ACCEPTANCE_REFUSED, 300}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        unsigned wrong = 0, late = 0;
        for (uint64_t seed = 1; seed <= 12; seed++) {
            size_t num;
            acceptance told = first_answer(cases[k].load, cases[k].queues, seed, &num);
            wrong += told != ACCEPTANCE_OPEN && told != cases[k].expected;
            late += num > 3 * cases[k].within / 2;
        }
        if (wrong || late > 3)
            print_error("load %g, %u queues: %u wrong, %u late\n", cases[k].load, cases[k].queues,
                        wrong, late);
        assert_int_equal(wrong, 0);
        assert_true(late <= 3);
    }
}

/* What has no packets, or too few batches, tells nothing. */
static void test_nothing(void **state)
{
    (void)state;
    const stationary_setup setup = {.period_ps = 1000, .most = 400};
    stationary *s;
    assert_int_equal(stationary_new(&setup, &s, NULL), IK_OK);
    s->num = 19;
    assert_int_equal(acceptance_of(s, 0, missing), ACCEPTANCE_OPEN);
    s->num = 400;
    assert_int_equal(acceptance_of(s, 0, missing), ACCEPTANCE_OPEN);
    stationary_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queues),
                                       cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
