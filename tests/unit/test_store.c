/* SPDX-License-Identifier: Apache-2.0
 *
 * test_store.c: the result store: what is packed comes back, damaged arrays are refused, points are
 * stored once and whole.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "store_helper.h"

/* ---- packing */

static void pack_and_unpack(const uint64_t *words, size_t num)
{
    void *blob = NULL;
    uint64_t *back = NULL;
    size_t size = 0, got = 0;
    ik_error err = {0};
    assert_int_equal(store_pack(words, num, &blob, &size, &err), IK_OK);
    assert_int_equal(store_unpack(blob, size, &back, &got, &err), IK_OK);
    assert_int_equal(got, num);
    if (num)
        assert_memory_equal(back, words, num * sizeof *words);
    free(back);
    free(blob);
}

static void test_words_come_back(void **state)
{
    (void)state;
    static const uint64_t edges[] = {
        0, 1, 255, 256, UINT64_C(0x0102030405060708), UINT64_MAX - 1, UINT64_MAX};
    pack_and_unpack(NULL, 0);
    pack_and_unpack(edges, 1);
    pack_and_unpack(edges, sizeof edges / sizeof *edges);
    uint64_t many[5000];
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    for (size_t i = 0; i < 5000; i++)
        many[i] = ik_rng_u64(&rng) >> (i % 64);
    pack_and_unpack(many, 5000);
    memset(many, 0, sizeof many); /* what packs best */
    pack_and_unpack(many, 5000);
}

/* The layout is part of the file format: length in bytes, then deflated little-endian words. */
static void test_layout(void **state)
{
    (void)state;
    const uint64_t words[] = {1, UINT64_C(0x1122334455667788)};
    static const unsigned char length[] = {16, 0, 0, 0, 0, 0, 0, 0},
                               bytes[] = {1,    0,    0,    0,    0,    0,    0,    0,
                                          0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    void *blob = NULL;
    char *data = NULL;
    size_t size = 0, got = 0;
    ik_error err = {0};
    assert_int_equal(store_pack(words, 2, &blob, &size, &err), IK_OK);
    assert_memory_equal(blob, length, sizeof length);
    assert_int_equal(store_inflate(blob, size, &data, &got, &err), IK_OK);
    assert_int_equal(got, sizeof bytes);
    assert_memory_equal(data, bytes, sizeof bytes);
    assert_int_equal(data[got], 0); /* a text can be used as it is */
    free(data);
    free(blob);
}

/* Refused or (a flipped bit may hit what does not matter) right; never a crash, never other
 * words. */
static void check_damaged(const unsigned char *blob, size_t size, const uint64_t *words, size_t num)
{
    uint64_t *back = NULL;
    size_t got = 0;
    ik_error err = {0};
    ik_status status = store_unpack(blob, size, &back, &got, &err);
    if (status == IK_OK) {
        assert_int_equal(got, num);
        assert_memory_equal(back, words, num * sizeof *words);
        free(back);
        return;
    }
    assert_int_equal(status, IK_ERR_INPUT);
    assert_null(back);
    assert_non_null(strstr(err.text, "damaged"));
}

static void test_damaged_arrays(void **state)
{
    (void)state;
    uint64_t words[40];
    for (size_t i = 0; i < 40; i++)
        words[i] = i * i;
    void *packed = NULL;
    size_t size = 0;
    assert_int_equal(store_pack(words, 40, &packed, &size, NULL), IK_OK);
    unsigned char *blob = packed;
    for (size_t cut = 0; cut < size; cut++) {
        uint64_t *back = NULL;
        size_t got;
        assert_int_equal(store_unpack(blob, cut, &back, &got, NULL), IK_ERR_INPUT);
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        blob[bit / 8] ^= (unsigned char)(1 << bit % 8);
        check_damaged(blob, size, words, 40);
        blob[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(packed);
    assert_int_equal(store_deflate("seven b", 7, &packed, &size, NULL), IK_OK); /* no whole word */
    check_damaged(packed, size, words, 0);
    free(packed);
}

/* ---- files */

static int64_t number(const store *s, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    assert_int_equal(store_prepare(s, sql, NULL, &statement, NULL), IK_OK);
    assert_int_equal(store_step(s, statement, &row, NULL), IK_OK);
    assert_true(row);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static void test_a_point_is_stored_whole(void **state)
{
    bench *b = *state;
    ik_sim_result r = result_of(b, 0.5, 0.25, 3000);
    r.packets_generated = UINT64_C(1) << 40;
    r.checksum = UINT64_C(0xfedcba9876543210);
    add_point(b, 7, 0.5, 9, &r, "uniform");
    assert_int_equal(number(b->store, "SELECT count(*) FROM points"), 1);
    assert_int_equal(number(b->store, "SELECT packets_generated FROM points WHERE id = 7"),
                     INT64_C(1) << 40);
    assert_int_equal(number(b->store, "SELECT checksum = 'fedcba9876543210' FROM points"), 1);
    assert_int_equal(
        number(b->store, "SELECT throughput = 0.25 AND load = 0.5 AND seed = 9 FROM points"), 1);
    assert_int_equal(number(b->store, "SELECT latency_mean_ns = 3.0 FROM points"), 1);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    assert_int_equal(
        store_prepare(b->store, "SELECT channel_bytes FROM points", NULL, &statement, NULL), IK_OK);
    assert_int_equal(store_step(b->store, statement, &row, NULL), IK_OK);
    uint64_t *words = NULL;
    size_t num = 0;
    assert_int_equal(store_unpack(sqlite3_column_blob(statement, 0),
                                  (size_t)sqlite3_column_bytes(statement, 0), &words, &num, NULL),
                     IK_OK);
    assert_int_equal(num, b->fabric->num_ports);
    assert_memory_equal(words, r.channel_bytes, num * sizeof *words);
    free(words);
    sqlite3_finalize(statement);
    result_free(&r);
}

/* The same parameters twice break a rule of the table: the second one changes nothing, the store
 * can go on. */
static void test_a_refused_point_leaves_nothing(void **state)
{
    bench *b = *state;
    ik_error err = {0};
    ik_sim_result r = result_of(b, 0.5, 0.25, 3000);
    store_point p = point_of(b, 1, 0.5, 1, &r, "uniform");
    p.params = "{\"a\":1}";
    assert_int_equal(store_add_point(b->store, &p, &err), IK_OK);
    p.id = 2;
    assert_int_equal(store_add_point(b->store, &p, &err), IK_ERR_IO);
    assert_non_null(strstr(err.text, b->path));
    assert_int_equal(number(b->store, "SELECT count(*) FROM points"), 1);
    p.params = "{\"a\":2}";
    assert_int_equal(store_add_point(b->store, &p, &err), IK_OK);
    result_free(&r);
}

static void test_meta(void **state)
{
    bench *b = *state;
    ik_arena arena = {0};
    const char *value = NULL;
    assert_int_equal(store_get_meta(b->store, "title", &arena, &value, NULL), IK_OK);
    assert_string_equal(value, "");
    assert_int_equal(store_set_meta(b->store, "title", "a 'quoted' title", NULL), IK_OK);
    assert_int_equal(store_set_meta(b->store, "title", "another; title", NULL), IK_OK);
    assert_int_equal(store_get_meta(b->store, "title", &arena, &value, NULL), IK_OK);
    assert_string_equal(value, "another; title");
    ik_arena_free(&arena);
}

static void test_one_writer(void **state)
{
    bench *b = *state;
    ik_error err = {0};
    store *other = NULL;
    assert_int_equal(store_create(b->path, &other, &err), IK_ERR_IO);
    assert_non_null(strstr(err.text, "another 'ikat run'"));
    assert_null(other);
    assert_int_equal(store_flush(b->store, &err), IK_OK);
    assert_int_equal(store_open(b->path, &other, &err), IK_OK); /* reading is free */
    store_close(other);
}

/* A file that another process has put in the place of this one's is not written, and not called
 * read-only. */
static void test_a_replaced_file(void **state)
{
    bench *b = *state;
    ik_error err = {0};
    char aside[80];
    snprintf(aside, sizeof aside, "%s.aside", b->path);
    assert_int_equal(store_flush(b->store, &err), IK_OK);
    assert_int_equal(rename(b->path, aside), 0);
    ik_status status = store_begin(b->store, &err);
    if (status == IK_OK)
        status = store_set_meta(b->store, "title", "lost", &err);
    if (status == IK_OK)
        status = store_flush(b->store, &err);
    assert_int_equal(status, IK_ERR_IO);
    assert_non_null(strstr(err.text, "it is gone, or another run's"));
    store_rollback(b->store);
    assert_int_equal(rename(aside, b->path), 0);
}

/* Points of one second reach the file together; a refused one among them does no harm to those
 * before it, and what is closed is there. */
static void test_points_are_written_together(void **state)
{
    bench *b = *state;
    ik_error err = {0};
    store *reader = NULL;
    ik_sim_result r = result_of(b, 0.5, 0.25, 3000);
    assert_int_equal(store_flush(b->store, &err), IK_OK);
    store_point p = point_of(b, 1, 0.5, 1, &r, "uniform");
    p.params = "{\"a\":1}";
    assert_int_equal(store_add_point(b->store, &p, &err), IK_OK);
    assert_int_equal(store_begin(b->store, &err), IK_OK); /* a second passes, or not */
    assert_int_equal(store_add_point(b->store, &p, &err), IK_ERR_IO);
    assert_int_equal(store_set_meta(b->store, "title", "lost", &err), IK_OK);
    store_rollback(b->store);
    assert_int_equal(store_flush(b->store, &err), IK_OK);
    assert_int_equal(store_open(b->path, &reader, &err), IK_OK);
    assert_int_equal(number(reader, "SELECT count(*) FROM points"), 1);
    assert_int_equal(number(reader, "SELECT count(*) FROM meta WHERE key = 'title'"), 0);
    store_close(reader);
    p.id = 2;
    p.params = "{\"a\":2}";
    assert_int_equal(store_add_point(b->store, &p, &err), IK_OK);
    store_close(b->store);
    assert_int_equal(store_open(b->path, &b->store, &err), IK_OK);
    assert_int_equal(number(b->store, "SELECT count(*) FROM points"), 2);
    result_free(&r);
}

/* A link to the results stays a link, and what it leads to is the compact file. */
static void test_compact_behind_a_link(void **state)
{
    bench *b = *state;
    char link[sizeof b->path + 8];
    struct stat info;
    snprintf(link, sizeof link, "%s.link", b->path);
    ik_sim_result r = result_of(b, 0.5, 0.25, 3000);
    add_point(b, 1, 0.5, 1, &r, "uniform");
    result_free(&r);
    store_close(b->store);
    assert_int_equal(symlink(b->path, link), 0);
    assert_int_equal(store_create(link, &b->store, NULL), IK_OK);
    assert_int_equal(store_begin(b->store, NULL), IK_OK);
    assert_int_equal(store_commit(b->store, NULL), IK_OK);
    store_compact(b->store);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(b->path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(store_open(link, &b->store, NULL), IK_OK);
    assert_int_equal(number(b->store, "SELECT count(*) FROM points"), 1);
    unlink(link);
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, file);
    assert_true(feof(file));
    fclose(file);
    return bytes;
}

/* Bytes of the finished store; how often it was finished or broken off before does not show. */
static void test_finishing_again_changes_nothing(void **state)
{
    bench *b = *state;
    char *first = NULL, *again = NULL;
    size_t first_size = 0, again_size = 0;
    ik_sim_result r = result_of(b, 0.5, 0.25, 3000);
    add_point(b, 1, 0.5, 1, &r, "uniform");
    result_free(&r);
    store_compact(b->store);
    b->store = NULL;
    first = bytes_of(b->path, &first_size);
    for (int round = 0; round < 6; round++) {
        assert_int_equal(store_create(b->path, &b->store, NULL), IK_OK);
        assert_int_equal(store_begin(b->store, NULL), IK_OK);
        assert_int_equal(store_set_meta(b->store, "version", ik_version(), NULL), IK_OK);
        assert_int_equal(store_commit(b->store, NULL), IK_OK);
        if (round % 3 == 1) {
            store_close(b->store); /* killed before it was written anew */
            b->store = NULL;
            continue;
        }
        store_compact(b->store);
        b->store = NULL;
        again = bytes_of(b->path, &again_size);
        assert_int_equal(again_size, first_size);
        assert_memory_equal(again, first, first_size);
        free(again);
    }
    free(first);
    assert_int_equal(store_open(b->path, &b->store, NULL), IK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_come_back),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_damaged_arrays),
        cmocka_unit_test_setup_teardown(test_a_point_is_stored_whole, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_a_refused_point_leaves_nothing, bench_open,
                                        bench_close),
        cmocka_unit_test_setup_teardown(test_meta, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_one_writer, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_a_replaced_file, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_points_are_written_together, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_compact_behind_a_link, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_finishing_again_changes_nothing, bench_open,
                                        bench_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
