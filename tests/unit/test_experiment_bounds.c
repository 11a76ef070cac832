/* SPDX-License-Identifier: Apache-2.0
 *
 * What loads can last is found once for points that differ in their load alone: threads that need
 * it at the same time wait for the first of them, also where the run is cancelled meanwhile. */
#include "unit/experiment_text.h"

#include <unistd.h>

static char folder[] = "/tmp/ikat_bounds_XXXXXX";

static const char sweep[] = "fabric: \"hyperx:dims=3:3,p=2\"\nrouting: valiant\n"
                            "traffic: [uniform, permutation]\n"
                            "load: 10%..80% step 10%\nseeds: 2\n"
                            "measure: {warmup: 500 ns, duration: 500 ns}\n";

static void cancel(void *ctx, uint64_t done, uint64_t total, bool reused)
{
    (void)total;
    (void)reused;
    if (done == 3)
        ik_cancel_raise(ctx);
}

/* CSV of a run on so many threads; NULL if it is cancelled. */
static char *run(unsigned threads, bool cancelled)
{
    char path[100], *text = NULL;
    size_t size;
    int stop = 0;
    bool failed = false;
    ik_error err = {0};
    ik_experiment *e = read_ok(sweep, NULL);
    ik_env env = {.seed = 1, .cancel = &stop};
    ik_run_observer observer = {.ctx = &stop, .point = cancelled ? cancel : NULL};
    snprintf(path, sizeof path, "%s/%u.db", folder, threads);
    ik_status status = ik_experiment_run(e, path, threads, &env, NULL, &observer, &failed, &err);
    /* all points may be finished before the third is told of */
    assert_true(status == IK_OK || (cancelled && status == IK_ERR_CANCELLED));
    ik_experiment_free(e);
    if (!cancelled) {
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(ik_report_csv(path, out, &err), IK_OK);
        fclose(out);
        unlink(path);
    }
    return text;
}

static void test_threads(void **state)
{
    (void)state;
    char *one = run(1, false);
    assert_non_null(strstr(one, "steady_bound"));
    for (unsigned threads = 2; threads <= 4; threads++) {
        assert_null(run(threads, true));
        char *same = run(threads, false); /* goes on */
        assert_string_equal(same, one);
        free(same);
    }
    free(one);
}

static int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
