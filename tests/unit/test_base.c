/* SPDX-License-Identifier: Apache-2.0
 *
 * test_base.c: quantities, parameters, specs, random numbers, arenas, parallel loops.
 */
#include "base/poison.h"
#include "registry/registry.h"
#include "unit/made.h"
#include <sys/stat.h>
#include <unistd.h>

#include "ikat/base.h"

static uint64_t quantity(const char *text, ik_dimension dim)
{
    uint64_t value = 0;
    ik_error err;
    ik_status status = ik_parse_quantity(text, dim, &value, &err);
    if (status != IK_OK)
        fail_msg("'%s': %s", text, err.text);
    return value;
}

/* Only what was handed out of an arena may be touched: the address sanitizer knows. */
static void arenas_poison_the_rest(void **state)
{
    (void)state;
#if IK_ADDRESS_SANITIZED
    ik_arena arena = {0};
    char *first = ik_arena_alloc(&arena, 16), *second = ik_arena_alloc(&arena, 40);
    assert_true(first && second);
    for (int i = 0; i < 16; i++)
        assert_false(__asan_address_is_poisoned(first + i));
    for (int i = 0; i < 40; i++)
        assert_false(__asan_address_is_poisoned(second + i));
    assert_true(__asan_address_is_poisoned(second + 48));
    ik_arena_free(&arena);
#else
    skip();
#endif
}

/* Exact, and as short as people write it. */
static void quantities_are_short(void **state)
{
    (void)state;
    const struct {
        uint64_t value;
        ik_dimension dim;
        const char *text;
    } cases[] = {{196608, IK_DIM_SIZE, "192 KiB"},
                 {1000000000000, IK_DIM_SIZE, "1 TB"},
                 {1099511627776, IK_DIM_SIZE, "1 TiB"},
                 {32000000, IK_DIM_SIZE, "32 MB"},
                 {7680, IK_DIM_SIZE, "7680 B"},
                 {4000, IK_DIM_SIZE, "4000 B"},
                 {0, IK_DIM_SIZE, "0 B"},
                 {1536, IK_DIM_SIZE, "1536 B"},
                 {1048576000, IK_DIM_SIZE, "1000 MiB"},
                 {1500000, IK_DIM_TIME, "1.5 us"},
                 {54545454545, IK_DIM_RATE, "54.545454545 Gb/s"},
                 {2500000001, IK_DIM_RATE, "2.500000001 Gb/s"},
                 {41250000000, IK_DIM_RATE, "41.25 Gb/s"},
                 {1234567, IK_DIM_RATE, "1234.567 kb/s"},
                 {100000000000, IK_DIM_RATE, "100 Gb/s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        assert_string_equal(ik_format_quantity(text, sizeof text, cases[i].value, cases[i].dim),
                            cases[i].text);
    }
}

/* A one is in the singular, whatever ends the word. */
static void counts_have_their_noun(void **state)
{
    (void)state;
    const struct {
        uint64_t count;
        const char *noun, *text;
    } cases[] = {{0, "error", "0 errors"},
                 {1, "error", "1 error"},
                 {2, "switch", "2 switches"},
                 {1, "switch", "1 switch"},
                 {2, "hash", "2 hashes"},
                 {2, "path", "2 paths"},
                 {2, "loss", "2 losses"},
                 {3, "entry", "3 entries"},
                 {1, "entry", "1 entry"},
                 {3, "relay", "3 relays"},
                 {21, "host pair", "21 host pairs"},
                 {1, "entry is|entries are", "1 entry is"},
                 {0, "entry is|entries are", "0 entries are"},
                 {UINT64_MAX, "LID", "18446744073709551615 LIDs"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(IK_COUNT(cases[i].count, cases[i].noun), cases[i].text);
}

/* Rates for people: every width and speed of InfiniBand in five characters at most. */
static void rates_are_short(void **state)
{
    (void)state;
    static const uint64_t lanes[] = {2000000000,  4000000000,  8000000000,  10000000000,
                                     13636363636, 25000000000, 50000000000, 100000000000};
    static const unsigned widths[] = {1, 2, 4, 8, 12};
    char text[64];
    for (size_t i = 0; i < 8; i++)
        for (size_t w = 0; w < 5; w++) {
            ik_format_rate(text, sizeof text, lanes[i] * widths[w]);
            assert_true(strcspn(text, " ") <= 5);
            double shown = strtod(text, NULL) * (strstr(text, "Tb/s") ? 1e12 : 1e9);
            double off = shown / (double)(lanes[i] * widths[w]) - 1;
            assert_true(off < 0.005 && off > -0.005);
        }
    assert_string_equal(ik_format_rate(text, sizeof text, 54545454545), "54.5 Gb/s");
    /* Next to every power of ten: no exponent, and what the parser reads is within 0.5 %. */
    for (uint64_t power = 10000; power <= 10000000000000000; power *= 10)
        for (uint64_t off = 0; off <= power / 100; off = 7 * off + 1)
            for (int side = 0; side < 2; side++) {
                uint64_t rate = side ? power + off : power - off, read = 0;
                ik_format_rate(text, sizeof text, rate);
                assert_null(strstr(text, "e+"));
                assert_int_equal(ik_parse_quantity(text, IK_DIM_RATE, &read, NULL), IK_OK);
                assert_true((read > rate ? read - rate : rate - read) <= rate / 200);
            }
    assert_string_equal(ik_format_rate(text, sizeof text, 999999600000), "1 Tb/s");
    char little[16]; /* as in ik_link_class */
    assert_string_equal(ik_format_rate(little, sizeof little, 54545454545), "54.5 Gb/s");
}

static void quantities_are_exact(void **state)
{
    (void)state;
    assert_int_equal(quantity("6 ns", IK_DIM_TIME), 6000);
    assert_int_equal(quantity("0.1ns", IK_DIM_TIME), 100);
    assert_int_equal(quantity(" 1.5 us ", IK_DIM_TIME), 1500000);
    assert_int_equal(quantity("100 Gb/s", IK_DIM_RATE), 100000000000);
    assert_int_equal(quantity("12.5 GB/s", IK_DIM_RATE), 100000000000);
    assert_int_equal(quantity("192 KiB", IK_DIM_SIZE), 196608);
    assert_int_equal(quantity("0.5 KiB", IK_DIM_SIZE), 512);
    assert_int_equal(quantity("1 kB", IK_DIM_SIZE), 1000);
    assert_int_equal(quantity("64b", IK_DIM_SIZE), 8);
    assert_int_equal(quantity("2 m", IK_DIM_LENGTH), 2000);
    assert_int_equal(quantity("0", IK_DIM_TIME), 0);
    assert_int_equal(quantity("18446744073709551615", IK_DIM_NONE), UINT64_MAX);
    assert_int_equal(ik_transmit_ps(4096, 100000000000), 327680);
    assert_int_equal(ik_transmit_ps(1, 3), 2666666666667);
    assert_int_equal(ik_transmit_ps(1, 1000000000000000), 1);
    assert_int_equal(ik_transmit_ps(0, 1000000000000000), 0);
}

static void wrong_quantities_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ik_dimension dim;
    } wrong[] = {
        {"6", IK_DIM_TIME},      {"6 Gb/s", IK_DIM_TIME},   {"", IK_DIM_TIME},
        {"ns", IK_DIM_TIME},     {"-1 ns", IK_DIM_TIME},    {"0.0001 ns", IK_DIM_TIME},
        {"1e3 ns", IK_DIM_TIME}, {"100 gb/s", IK_DIM_RATE}, {"1 KB", IK_DIM_SIZE},
        {"3 b", IK_DIM_SIZE},    {"1.5", IK_DIM_NONE},      {"99999999999 s", IK_DIM_TIME},
        {"1 2", IK_DIM_NONE},    {"1..5 ns", IK_DIM_TIME},  {"18446744073709551616", IK_DIM_NONE},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t value = 77;
        ik_error err = {0};
        if (ik_parse_quantity(wrong[i].text, wrong[i].dim, &value, &err) != IK_ERR_INPUT)
            fail_msg("'%s' was accepted as %llu", wrong[i].text, (unsigned long long)value);
        assert_int_equal(value, 77);
        assert_true(err.text[0] && err.hint[0]);
    }
}

static void reals_and_fractions(void **state)
{
    (void)state;
    double x;
    assert_int_equal(ik_parse_real("25 %", IK_DIM_FRACTION, &x, NULL), IK_OK);
    assert_true(x == 0.25);
    assert_int_equal(ik_parse_real("1e-3", IK_DIM_NONE, &x, NULL), IK_OK);
    assert_true(x == 0.001);
    static const char *const wrong[] = {"", "nan", "inf", "0x10", "1 x", "25 %", "%"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ik_parse_real(wrong[i], IK_DIM_NONE, &x, NULL), IK_ERR_INPUT);
}

/* What is printed reads back as the same value. */
static void quantities_round_trip(void **state)
{
    (void)state;
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    for (int i = 0; i < 20000; i++) {
        ik_dimension dim =
            (ik_dimension[]){IK_DIM_TIME, IK_DIM_RATE, IK_DIM_SIZE, IK_DIM_LENGTH}[i % 4];
        uint64_t value = ik_rng_u64(&rng) >> ik_rng_below(&rng, 64);
        char text[64];
        ik_format_quantity(text, sizeof text, value, dim);
        assert_true(quantity(text, dim) == value);
    }
}

static const ik_param rows[] = {
    {"k", IK_PARAM_UINT, NULL, 2, 64, NULL, "arity"},
    {"m", IK_PARAM_UINT_LIST, "2:2", 1, 100, NULL, "children by level"},
    {"delay", IK_PARAM_TIME, "6 ns", 0, 0, NULL, "delay"},
    {"share", IK_PARAM_FRACTION, "10 %", 0, 1, NULL, "share"},
    {"mode", IK_PARAM_ENUM, "sum", 0, 0, "sum|difference", "mode"},
    {"voq", IK_PARAM_BOOL, "true", 0, 0, NULL, "queues"},
    {"file", IK_PARAM_STRING, "", 0, 0, NULL, "file"},
    {"room", IK_PARAM_SIZE, "none", 64, 1e9, "none|all", "a size, or a word"},
    {0},
};

static void parameters_parse_and_print(void **state)
{
    (void)state;
    ik_params p;
    ik_error err;
    assert_int_equal(ik_params_init(&p, rows, NULL, &err), IK_OK);
    assert_int_equal(ik_params_finish(&p, "thing", &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "'k'"));
    assert_int_equal(ik_params_set(&p, "thing", "k", "4", 0, 0, &err), IK_OK);
    assert_int_equal(ik_params_set(&p, "thing", "m", "4:8", 0, 0, &err), IK_OK);
    assert_int_equal(ik_params_set(&p, "thing", "delay", "0.006us", 0, 0, &err), IK_OK);
    assert_int_equal(ik_params_set(&p, "thing", "mode", "difference", 0, 0, &err), IK_OK);
    assert_int_equal(ik_params_finish(&p, "thing", &err), IK_OK);
    assert_string_equal(ik_params_print(&p, false), "k=4,m=4:8,mode=difference");
    size_t count;
    const uint32_t *m = ik_params_list(&p, "m", &count);
    assert_int_equal(count, 2);
    assert_int_equal(m[1], 8);
    assert_int_equal(ik_params_uint(&p, "delay"), 6000);
    assert_int_equal(ik_params_enum(&p, "mode"), 1);
    assert_true(ik_params_bool(&p, "voq"));
    assert_false(ik_params_has(&p, "file"));
    assert_int_equal(ik_params_word(&p, "room"), 1);
    assert_int_equal(ik_params_set(&p, "thing", "room", "all", 0, 0, &err), IK_OK);
    assert_int_equal(ik_params_word(&p, "room"), 2);
    assert_string_equal(ik_params_text(&p, "room"), "all");
    assert_int_equal(ik_params_set(&p, "thing", "room", "2 KiB", 0, 0, &err), IK_OK);
    assert_int_equal(ik_params_word(&p, "room"), 0);
    assert_int_equal(ik_params_uint(&p, "room"), 2048);
    ik_params_free(&p);
}

static void wrong_parameters_name_place_and_remedy(void **state)
{
    (void)state;
    ik_params p;
    ik_error err;
    assert_int_equal(ik_params_init(&p, rows, NULL, &err), IK_OK);
    p.source = "x.yaml";
    assert_int_equal(ik_params_set(&p, "thing", "dealy", "6 ns", 3, 7, &err), IK_ERR_INPUT);
    assert_string_equal(err.hint, "did you mean 'delay'?");
    assert_string_equal(err.file, "x.yaml");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 7);
    assert_int_equal(ik_params_set(&p, "thing", "k", "65", 0, 0, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "2 to 64"));
    assert_int_equal(ik_params_set(&p, "thing", "m", "4:x", 0, 0, &err), IK_ERR_INPUT);
    assert_int_equal(ik_params_set(&p, "thing", "m", "4:", 0, 0, &err), IK_ERR_INPUT);
    assert_int_equal(ik_params_set(&p, "thing", "mode", "sums", 0, 0, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.hint, "difference"));
    assert_int_equal(ik_params_set(&p, "thing", "room", "most", 0, 0, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.hint, "none|all"));
    assert_int_equal(ik_params_set(&p, "thing", "room", "8 B", 0, 0, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "64 B to"));
    assert_string_equal(ik_params_text(&p, "m"), "2:2");
    ik_params_free(&p);
}

static void specs_split(void **state)
{
    (void)state;
    ik_arena arena = {0};
    ik_spec s;
    assert_int_equal(ik_spec_parse("xgft:m=16:16,w=1:10", &arena, &s, NULL), IK_OK);
    assert_string_equal(s.name, "xgft");
    assert_int_equal(s.num, 2);
    assert_string_equal(s.keys[1], "w");
    assert_string_equal(s.values[0], "16:16");
    assert_int_equal(ik_spec_parse("file:a,b:c.net,format=ibnetdiscover", &arena, &s, NULL), IK_OK);
    assert_int_equal(s.num, 2);
    assert_null(s.keys[0]);
    assert_string_equal(s.values[0], "a,b:c.net");
    assert_int_equal(ik_spec_parse("dmodk", &arena, &s, NULL), IK_OK);
    assert_int_equal(s.num, 0);
    assert_int_equal(ik_spec_parse(":k=4", &arena, &s, NULL), IK_ERR_INPUT);
    ik_arena_free(&arena);
}

static void divisors(void **state)
{
    (void)state;
    assert_int_equal(ik_gcd(0, 0), 0);
    assert_int_equal(ik_gcd(0, 7), 7);
    assert_int_equal(ik_gcd(7, 0), 7);
    assert_int_equal(ik_gcd(12, 18), 6);
    assert_int_equal(ik_gcd(UINT64_MAX, UINT64_MAX - 1), 1);
    assert_int_equal(ik_gcd(UINT64_C(1) << 63, 6), 2);
}

static void runs_of_random_numbers(void **state)
{
    (void)state;
    uint32_t run[19];
    for (uint32_t n = 1; n < UINT32_MAX / 2; n = n * 5 + 2) {
        uint64_t counter = n % 3 ? n : UINT64_MAX - 9 * n, entity = (uint64_t)n << 13 ^ n,
                 seed = entity * n;
        ik_random_below_run(seed, IK_RNG_TEST, entity, counter, n % 11, n, 19, run);
        for (uint32_t k = 0; k < 19; k++)
            assert_int_equal(run[k], ik_random_below(seed, IK_RNG_TEST, entity,
                                                     counter + (uint64_t)k * (n % 11), n));
    }
}

static void random_numbers_have_addresses(void **state)
{
    (void)state;
    assert_true(ik_random_u64(1, IK_RNG_TEST, 2, 3) == ik_random_u64(1, IK_RNG_TEST, 2, 3));
    assert_true(ik_random_u64(1, IK_RNG_TEST, 2, 3) != ik_random_u64(1, IK_RNG_TEST, 3, 2));
    assert_true(ik_random_u64(1, IK_RNG_TEST, 2, 3) != ik_random_u64(2, IK_RNG_TEST, 2, 3));
    assert_true(ik_random_u64(1, IK_RNG_TEST, 2, 3) != ik_random_u64(1, IK_RNG_ARBITER, 2, 3));
    unsigned hits[7] = {0};
    for (uint64_t i = 0; i < 70000; i++)
        hits[ik_random_below(9, IK_RNG_TEST, 1, i, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(hits[i], 9600, 10400);
}

static ik_status square(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    uint64_t *squares = ctx;
    if (squares[index] == 99)
        return ik_fail(err, IK_ERR_FAILED, "index %zu", index);
    squares[index] = index * index;
    return IK_OK;
}

static void parallel_loops(void **state)
{
    (void)state;
    enum { N = 10000 };
    uint64_t *squares = calloc(N, sizeof *squares);
    assert_non_null(squares);
    ik_env env = {.num_threads = 3};
    ik_error err;
    assert_int_equal(ik_parallel_for(&env, NULL, N, square, squares, &err), IK_OK);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(squares[i], i * i);
    memset(squares, 0, N * sizeof *squares);
    squares[5000] = 99;
    assert_int_equal(ik_parallel_for(&env, NULL, N, square, squares, &err), IK_ERR_FAILED);
    assert_string_equal(err.text, "index 5000");
    int cancel = 1;
    env.cancel = &cancel;
    assert_int_equal(ik_parallel_for(&env, NULL, N, square, squares, &err), IK_ERR_CANCELLED);
    assert_int_equal(ik_parallel_for(NULL, NULL, 0, square, squares, &err), IK_OK);
    free(squares);
}

static void nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = {"uniform", "shift", "permutation", "hotspot", NULL};
    assert_string_equal(ik_nearest_name("unifrom", names), "uniform");
    assert_string_equal(ik_nearest_name("perm", names), "permutation");
    assert_null(ik_nearest_name("zebra", names));
}

/* Two values that differ have different texts, so that results of one are never taken for the
 * other's. */
static void reals_print_as_they_read(void **state)
{
    (void)state;
    static const ik_param row[] = {{"r", IK_PARAM_REAL, "0", 0, 0, NULL, "a real"}, {0}};
    static const char *const texts[][2] = {{"0.1", "0.1"},
                                           {"1e-3", "0.001"},
                                           {"0.123456789012345", "0.123456789012345"},
                                           {"1000000", "1000000"},
                                           {"0.30000000000000004", "0.30000000000000004"}};
    ik_params p;
    assert_int_equal(ik_params_init(&p, row, NULL, NULL), IK_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(ik_params_set(&p, "test", "r", texts[i][0], 0, 0, NULL), IK_OK);
        assert_string_equal(ik_params_text(&p, "r"), texts[i][1]);
    }
    ik_params_free(&p);
}

static void texts_begin_behind_a_mark(void **state)
{
    (void)state;
    const char *text = "\xef\xbb\xbf"
                       "a\nb\x01";
    size_t size = strlen(text);
    ik_error err = {0};
    assert_int_equal(ik_text_begin(&text, &size, "f", &err), IK_ERR_INPUT);
    assert_int_equal(size, strlen(text)); /* nothing has moved */
    assert_string_equal(err.file, "f");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 2);
    size--;
    assert_int_equal(ik_text_begin(&text, &size, "f", &err), IK_OK);
    assert_int_equal(size, 3);
    assert_memory_equal(text, "a\nb", 3);
    const char *part = "\xef\xbb"; /* no mark */
    size = 2;
    assert_int_equal(ik_text_begin(&part, &size, "f", &err), IK_OK);
    assert_int_equal(size, 2);
}

static void outputs_follow_links(void **state)
{
    (void)state;
    char folder[] = "/tmp/ikat-output-XXXXXX", file[64], link[64];
    struct stat info;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink("file", link), 0);
    for (int i = 0; i < 3; i++) {
        ik_output o;
        assert_int_equal(ik_output_open(&o, i ? link : file, NULL), IK_OK);
        fprintf(o.out, "%d", i);
        assert_int_equal(ik_output_close(&o, IK_OK, NULL), IK_OK);
        assert_int_equal(lstat(link, &info), 0);
        assert_true(S_ISLNK(info.st_mode));
        char *text = NULL;
        size_t size = 0;
        assert_int_equal(ik_text_read(file, 0, &text, &size, NULL), IK_OK);
        assert_int_equal(text[0], '0' + i);
        free(text);
    }
    ik_output o;
    assert_int_equal(ik_output_open(&o, link, NULL), IK_OK);
    fputs("lost", o.out);
    assert_int_equal(ik_output_close(&o, IK_ERR_FAILED, NULL), IK_ERR_FAILED);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing temporary is left */
}

/* A name that is too long to be kept or to be compared is not cut, which would make another one. */
static void names_are_meant_as_a_whole(void **state)
{
    static const char *const names[] = {"torus", "pgft", NULL};
    char name[301], says[400];
    ik_error err;
    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_null(ik_nearest_name(name, names));
    snprintf(says, sizeof says, "did you mean '%s'?", name);
    ik_fail(&err, IK_ERR_IO, "there is no file");
    ik_meant(&err, IK_ERR_IO, name);
    assert_string_equal(err.hint, says);
    assert_string_equal(err.meant, "");
    name[63] = '\0';
    ik_meant(&err, IK_ERR_IO, name);
    assert_string_equal(err.meant, name);
}

/* A program asks fields, and no text: what was meant, the kind, and the caller's own token. */
static void errors_say_what_they_are(void **state)
{
    static const char *const names[] = {"torus", "pgft", "ring", NULL};
    ik_error err;
    (void)state;
    ik_fail_unknown(&err, "fabric", "torsu", names);
    assert_string_equal(err.meant, "torus");
    assert_string_equal(err.hint, "did you mean 'torus'?");
    assert_int_equal(err.kind, IK_ERROR_ANY);
    ik_fail_unknown(&err, "fabric", "pdf", names);
    assert_string_equal(err.meant, "");
    ik_fail(&err, IK_ERR_INPUT, "wrong");
    assert_int_equal(ik_meant(&err, ik_hint(&err, IK_ERR_INPUT, "one of a, b"), "a"), IK_ERR_INPUT);
    assert_string_equal(err.hint, "did you mean 'a'? One of a, b");
    assert_int_equal(ik_meant(&err, IK_ERR_IO, NULL), IK_ERR_IO);
    assert_string_equal(err.meant, "a");
    assert_int_equal(ik_meant(NULL, IK_ERR_IO, "a"), IK_ERR_IO);
    ik_of_kind(&err, IK_ERR_INPUT, IK_ERROR_FOREIGN_FILE);
    assert_int_equal(err.kind, IK_ERROR_FOREIGN_FILE);
    ik_error inner = err, *none = NULL;
    inner.token = 5;
    ik_fail(&err, IK_ERR_INPUT, "in other words: %s", inner.text);
    registry_keep(&err, &inner);
    registry_keep(none, &inner);
    assert_string_equal(err.text, "in other words: wrong");
    assert_string_equal(err.hint, inner.hint);
    assert_string_equal(err.meant, "a");
    assert_int_equal(err.kind, IK_ERROR_FOREIGN_FILE);
    assert_int_equal(err.token, 5);
    assert_int_equal(ik_of_kind(NULL, IK_ERR_IO, IK_ERROR_PARTLY_DONE), IK_ERR_IO);
    err.token = 7;
    ik_fail(&err, IK_ERR_INPUT, "another one");
    assert_int_equal(err.kind, IK_ERROR_ANY);
    assert_string_equal(err.meant, "");
    assert_int_equal(err.token, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_say_what_they_are),
        cmocka_unit_test(names_are_meant_as_a_whole),
        cmocka_unit_test(quantities_are_exact),
        cmocka_unit_test(quantities_are_short),
        cmocka_unit_test(counts_have_their_noun),
        cmocka_unit_test(rates_are_short),
        cmocka_unit_test(arenas_poison_the_rest),
        cmocka_unit_test(wrong_quantities_are_refused),
        cmocka_unit_test(reals_and_fractions),
        cmocka_unit_test(quantities_round_trip),
        cmocka_unit_test(parameters_parse_and_print),
        cmocka_unit_test(wrong_parameters_name_place_and_remedy),
        cmocka_unit_test(divisors),
        cmocka_unit_test(specs_split),
        cmocka_unit_test(random_numbers_have_addresses),
        cmocka_unit_test(runs_of_random_numbers),
        cmocka_unit_test(parallel_loops),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(reals_print_as_they_read),
        cmocka_unit_test(texts_begin_behind_a_mark),
        cmocka_unit_test(outputs_follow_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
