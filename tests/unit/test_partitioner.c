/* SPDX-License-Identifier: Apache-2.0
 *
 * test_partitioner.c: METIS on several threads leaves the signals of the process alone.
 */
#include "unit/made.h"
#include "unit/part.h"

#include <signal.h>
#include <unistd.h>

static _Atomic unsigned terms;

static void count_term(int signal_number)
{
    (void)signal_number;
    terms++;
}

static void send_term(void *ctx, const char *what, uint64_t done, uint64_t total, const char *unit)
{
    (void)what, (void)done, (void)total, (void)unit;
    *(unsigned *)ctx += kill(getpid(), SIGTERM) == 0;
}

/* Part of the bisections run while the signal comes, on whichever thread. */
static void signals_stay_the_process_own(void **state)
{
    (void)state;
    unsigned sent = 0;
    if (SANITIZED)
        skip(); /* METIS is in this process, see partitioner.c */
    const struct sigaction mine = {.sa_handler = count_term, .sa_flags = SA_RESTART};
    struct sigaction after;
    ik_env env = {.seed = 1, .num_threads = 4, .progress = send_term, .progress_ctx = &sent};
    ik_fabric *f = fabric_of("karytree:k=6,n=3");
    assert_int_equal(sigaction(SIGTERM, &mine, NULL), 0);
    for (int n = 0; n < 3; n++) {
        ik_bisection b;
        assert_int_equal(ik_bisection_measure(f, 4, &env, &b, NULL), IK_OK);
        ik_bisection_free(&b);
        assert_int_equal(sigaction(SIGTERM, NULL, &after), 0);
        assert_ptr_equal(after.sa_handler, count_term);
        assert_int_equal(sigaction(SIGABRT, NULL, &after), 0);
        assert_ptr_equal(after.sa_handler, SIG_DFL);
    }
    assert_true(sent > 0 && terms > 0);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signals_stay_the_process_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
