/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of checkpoints that are not what they should be: torn at every length, damaged, of another
 * point. Each is refused, says why, and stays as it was. That runs continue to the same results is
 * test_sim_random.c's. */
#include "base/hash.h"
#include "sim/checkpoints.h"
#include "sim_helper.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/ikat_torn_XXXXXX";
static unsigned char *bytes;
static size_t size;

typedef struct machine {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *traffic;
    sections at;
} machine;

static void machine_make(machine *m)
{
    static const ik_env env = {.seed = 1};
    static const scenario s = {.measure = "duration=60 us;warmup=1 us;watchdog=2 us", .load = 0.5};
    ik_error err = {0};
    assert_int_equal(ik_fabric_from_spec("crossbar:n=3", &env, &m->f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(m->f, "updown", NULL, NULL, 0, &env, &m->plan, &err),
                     IK_OK);
    assert_int_equal(ik_traffic_from_spec(m->f, "uniform", &env, &m->traffic, &err), IK_OK);
    assert_int_equal(open_sections(&m->at, &s, &err), IK_OK);
}

static void machine_free(machine *m)
{
    close_sections(&m->at);
    ik_traffic_free(m->traffic);
    ik_plan_free(m->plan);
    ik_fabric_free(m->f);
}

/* steps: 0 = to the end. */
static ik_status run(const machine *m, const char *identity, uint64_t steps, ik_error *err)
{
    static const ik_env env = {.seed = 1};
    ik_sim_result r = {0};
    sim_checkpoints at = {.path = path,
                          .identity = identity,
                          .every_s = INFINITY,
                          .every_steps = steps,
                          .ends = true};
    ik_status status = sim_run_kept(m->plan, m->traffic, &m->at.config, &env, &at, &r, err);
    sim_result_clear(&r);
    return status;
}

static void put(const unsigned char *from, size_t num)
{
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(from, 1, num, to), num);
    assert_int_equal(fclose(to), 0);
}

static int set_up(void **state)
{
    static machine m;
    ik_error err = {0};
    struct stat info;
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
    machine_make(&m);
    *state = &m;
    assert_int_equal(run(&m, "a point", 3, &err), IK_ERR_CANCELLED);
    assert_int_equal(stat(path, &info), 0);
    size = (size_t)info.st_size;
    bytes = malloc(size);
    FILE *from = fopen(path, "rb");
    assert_true(bytes && from && fread(bytes, 1, size, from) == size);
    fclose(from);
    return 0;
}

static int tear_down(void **state)
{
    machine_free(*state);
    unlink(path);
    free(bytes);
    return 0;
}

static void expect_refused(const machine *m, const unsigned char *file, size_t num,
                           const char *identity, const char *why)
{
    ik_error err = {0};
    struct stat info;
    put(file, num);
    if (run(m, identity, 0, &err) != IK_ERR_INPUT || !strstr(err.text, why) || !err.hint[0])
        fail_msg("%zu bytes of %zu: '%s' (%s), not '%s'", num, size, err.text, err.hint, why);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, num); /* it stays */
}

static void torn(void **state)
{
    size_t step = 1;
    for (size_t num = 0; num < size; num += step) {
        expect_refused(*state, bytes, num, "a point", "torn");
        step = num < 400 ? 1 : num / 16;
    }
    expect_refused(*state, bytes, size - 1, "a point", "torn");
    unsigned char *longer = malloc(size + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    longer[size] = 0;
    expect_refused(*state, longer, size + 1, "a point", "torn");
    free(longer);
}

static void damaged(void **state)
{
    size_t step = 1;
    for (size_t at = 0; at < size; at += step) {
        bytes[at] ^= 0x10;
        expect_refused(*state, bytes, size, "a point", at >= 16 && at < 20 ? "format" : "damaged");
        bytes[at] ^= 0x10;
        step = at < 250 ? 1 : at / 8;
    }
}

static void foreign(void **state)
{
    expect_refused(*state, bytes, size, "another point", "another point");
    expect_refused(*state, bytes, size, "", "another point");
    expect_refused(*state, (const unsigned char *)"fabric: crossbar:n=3\nload: 50%\n", 31,
                   "a point", "no checkpoint");
}

/* Whole, with checksums that are right, and made by a simulation that is not the one that reads. */
static void of_another_engine(void **state)
{
    enum { CHECKSUM = 48, OWN = 56, HEAD = 64 };
    unsigned char *file = malloc(size);
    assert_non_null(file);
    memcpy(file, bytes, size);
    file[HEAD + strlen(ik_build()) + 1] ^= 1;
    uint64_t sum = ik_hash_continue(IK_HASH_BASIS, file + HEAD, size - HEAD);
    memcpy(file + CHECKSUM, &sum, 8);
    sum = ik_hash_continue(IK_HASH_BASIS, file, OWN);
    memcpy(file + OWN, &sum, 8);
    expect_refused(*state, file, size, "a point", "another engine");
    free(file);
}

static void other_kinds_of_files(void **state)
{
    ik_error err = {0};
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(run(*state, "a point", 0, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "plain file"));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(run(*state, "a point", 0, &err), IK_ERR_INPUT);
    assert_int_equal(unlink(path), 0);
}

static void whole(void **state)
{
    ik_error err = {0};
    put(bytes, size);
    assert_int_equal(run(*state, "a point", 0, &err), IK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(torn),
                                       cmocka_unit_test(damaged),
                                       cmocka_unit_test(foreign),
                                       cmocka_unit_test(of_another_engine),
                                       cmocka_unit_test(other_kinds_of_files),
                                       cmocka_unit_test(whole)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
