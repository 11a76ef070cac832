/* SPDX-License-Identifier: Apache-2.0
 *
 * test_json.c: the writer of JSON: its three styles to the byte, every text and number in them
 * valid, its errors kept to the end; what was read is written as the same value again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_value.h"
#include "base/utf8.h"

static int reallocs_left = -1; /* how many succeed; -1: all */

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    if (reallocs_left == 0)
        return NULL;
    reallocs_left -= reallocs_left > 0;
    return __real_realloc(memory, size);
}

static char *ended(ik_json *j)
{
    char *text = NULL;
    size_t size = 0;
    ik_error err = {0};
    if (ik_json_end_text(j, &text, &size, &err) != IK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(strlen(text), size);
    return text;
}

/* ---- styles */

static void put_sample(ik_json *j)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "name", "leaf \"1\"");
    ik_json_array(j, "ports");
    for (int n = 0; n < 2; n++) {
        ik_json_object(j, NULL);
        ik_json_uint(j, "port", UINT64_MAX);
        ik_json_int(j, "left", INT64_MIN);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_array(j, "none");
    ik_json_close(j);
    ik_json_bool(j, "up", true);
    ik_json_printf(j, "label", "%d of %d", 1, 2);
    ik_json_null(j, "lid");
    ik_json_real(j, "load", 0.1, 9);
    ik_json_close(j);
}

static void test_styles(void **state)
{
    (void)state;
    static const struct {
        ik_json_style style;
        const char *text;
    } cases[] = {
        {IK_JSON_PACKED,
         "{\"name\":\"leaf "
         "\\\"1\\\"\",\"ports\":[{\"port\":18446744073709551615,\"left\":-9223372036854775808},"
         "{\"port\":18446744073709551615,\"left\":-9223372036854775808}],\"none\":[],\"up\":true,"
         "\"label\":\"1 of 2\",\"lid\":null,\"load\":0.1}"},
        {IK_JSON_ROWS,
         "{\n  \"name\": \"leaf \\\"1\\\"\",\n  \"ports\": [\n"
         "    {\"port\": 18446744073709551615, \"left\": -9223372036854775808},\n"
         "    {\"port\": 18446744073709551615, \"left\": -9223372036854775808}\n  ],\n  \"none\": "
         "[],\n"
         "  \"up\": true,\n  \"label\": \"1 of 2\",\n  \"lid\": null,\n  \"load\": 0.1\n}\n"},
        {IK_JSON_INDENTED, "{\n  \"name\": \"leaf \\\"1\\\"\",\n  \"ports\": [\n    {\n"
                           "      \"port\": 18446744073709551615,\n      \"left\": "
                           "-9223372036854775808\n    },\n    {\n"
                           "      \"port\": 18446744073709551615,\n      \"left\": "
                           "-9223372036854775808\n    }\n  ],\n"
                           "  \"none\": [],\n  \"up\": true,\n  \"label\": \"1 of 2\",\n  \"lid\": "
                           "null,\n  \"load\": 0.1\n}\n"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        ik_json j;
        ik_json_to_text(&j, cases[n].style);
        put_sample(&j);
        char *text = ended(&j);
        assert_string_equal(text, cases[n].text);
        free(text);
    }
}

/* A stream gets the bytes that a text gets, beyond the writer's own block too. */
static void test_stream(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    char *text = NULL;
    for (int to_file = 0; to_file < 2; to_file++) {
        ik_json j;
        if (to_file)
            ik_json_to_file(&j, file, IK_JSON_ROWS);
        else
            ik_json_to_text(&j, IK_JSON_ROWS);
        ik_json_array(&j, NULL);
        for (unsigned n = 0; n < 3000; n++)
            put_sample(&j);
        ik_json_close(&j);
        if (to_file)
            assert_int_equal(ik_json_end(&j, NULL), IK_OK);
        else
            text = ended(&j);
    }
    size_t size = strlen(text);
    char *read = calloc(1, size + 2);
    assert_true(size > 10 * (size_t)IK_JSON_BLOCK);
    rewind(file);
    assert_int_equal(fread(read, 1, size + 1, file), size);
    assert_string_equal(read, text);
    free(read);
    free(text);
    fclose(file);
}

/* ---- texts */

static json_t *parsed(const char *text, size_t size)
{
    json_error_t why;
    json_t *root = NULL;
    if (json_parse(text, size, &root, &why) != IK_OK)
        fail_msg("%d: %s", why.position, why.text);
    return root;
}

static void check_text(const char *given, size_t size, const char *expected)
{
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_array(&j, NULL);
    ik_json_bytes(&j, NULL, given, size);
    ik_json_close(&j);
    char *text = ended(&j);
    assert_string_equal(text, expected);
    free(text);
}

static void test_escapes(void **state)
{
    (void)state;
    static const struct {
        const char *given;
        size_t size;
        const char *expected;
    } cases[] = {
        {"", 0, "[\"\"]"},
        {"</script><!--&amp;", 18, "[\"\\u003c/script\\u003e\\u003c!--\\u0026amp;\"]"},
        {"a\"b\\c/", 6, "[\"a\\\"b\\\\c/\"]"},
        {"\n\t\r\x1b[31m\x7f", 9, "[\"\\n\\u0009\\u000d\\u001b[31m\\u007f\"]"},
        {"a\0b", 3, "[\"a\\u0000b\"]"},
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xe2\x80\xaf", 15,
         "[\"\xe2\x80\xa7\\u2028\\u2029\\u202e\xe2\x80\xaf\"]"},
        {"\xc2\x9b\xc2\xa0", 4, "[\"\\u009b\xc2\xa0\"]"},
        {"\xff\xc3(\xed\xa0\x80", 6, "[\"\\ufffd\\ufffd(\\ufffd\\ufffd\\ufffd\"]"},
        {"\xc3\xa9\xf0\x9f\x98\x80", 6, "[\"\xc3\xa9\xf0\x9f\x98\x80\"]"},
        {"\xf0\x9f\x98", 3,
         "[\"\\ufffd\\ufffd\\ufffd\"]"}, /* cut off: no byte behind the end is read */
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char *exact = malloc(cases[n].size ? cases[n].size : 1); /* the sanitizer guards its end */
        memcpy(exact, cases[n].given, cases[n].size);
        check_text(exact, cases[n].size, cases[n].expected);
        free(exact);
    }
}

/* No text of the writer holds what must not be there, and Jansson reads it as what was given
 * (with U+FFFD for what is none). */
static void check_safe(const char *text)
{
    for (const char *c = text; *c; c += utf8_length(c)) {
        assert_true(utf8_length(c) > 0);
        assert_true((unsigned char)*c >= ' ' && *c != 0x7f && !strchr("<>&", *c));
        assert_false((unsigned char)c[0] == 0xc2 && (unsigned char)c[1] < 0xa0);
        assert_false(strncmp(c, "\xe2\x80\xa8", 3) == 0 || strncmp(c, "\xe2\x80\xa9", 3) == 0);
    }
}

static void test_random_bytes(void **state)
{
    (void)state;
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    static const char odd[] = "<>&\"\\/\x1b\xe2\x80\xa8\xc2\x85\xf0\x9f\x98\x80\n";
    for (unsigned round = 0; round < 3000; round++) {
        char given[64], expected[200] = "";
        size_t size = ik_rng_below(&rng, sizeof given - 1), used = 0;
        for (size_t i = 0; i < size; i++)
            given[i] = (char)(ik_rng_below(&rng, 2) ? odd[ik_rng_below(&rng, sizeof odd - 1)]
                                                    : 1 + (int)ik_rng_below(&rng, 255));
        given[size] = '\0';
        for (size_t i = 0; i < size;) {
            size_t length = utf8_length(given + i);
            memcpy(expected + used, length ? given + i : UTF8_REPLACEMENT, length ? length : 3);
            used += length ? length : 3;
            i += length ? length : 1;
        }
        ik_json j;
        ik_json_to_text(&j, IK_JSON_PACKED);
        ik_json_object(&j, NULL);
        ik_json_text(&j, given, given);
        ik_json_close(&j);
        char *text = ended(&j);
        check_safe(text);
        json_t *root = parsed(text, strlen(text));
        assert_string_equal(json_string_value(json_object_get(root, expected)), expected);
        json_decref(root);
        free(text);
    }
}

static void test_long_text(void **state)
{
    (void)state;
    size_t size = 5 * IK_JSON_BLOCK + 7;
    char *given = malloc(size + 1);
    memset(given, 'x', size);
    given[IK_JSON_BLOCK] = '<';
    given[size] = '\0';
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_array(&j, NULL);
    ik_json_text(&j, NULL, given);
    ik_json_close(&j);
    char *text = ended(&j);
    json_t *root = parsed(text, strlen(text));
    assert_string_equal(json_string_value(json_array_get(root, 0)), given);
    json_decref(root);
    free(text);
    free(given);
}

/* ---- numbers */

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {{0, 9, "[0]"},           {-0.25, 9, "[-0.25]"},       {1.0 / 3, 4, "[0.3333]"},
                 {1e300, 9, "[1e+300]"},  {DBL_MIN, 3, "[2.23e-308]"}, {NAN, 9, "[null]"},
                 {INFINITY, 9, "[null]"}, {-INFINITY, 9, "[null]"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        ik_json j;
        ik_json_to_text(&j, IK_JSON_PACKED);
        ik_json_array(&j, NULL);
        ik_json_real(&j, NULL, cases[n].value, cases[n].digits);
        ik_json_close(&j);
        char *text = ended(&j);
        assert_string_equal(text, cases[n].text);
        free(text);
    }
}

/* ---- errors */

static void test_nesting(void **state)
{
    (void)state;
    static const char *const what[] = {"a key in an array", "no key in an object", "closed twice",
                                       "never closed",      "two values",          "nothing",
                                       "too deep"};
    for (size_t n = 0; n < sizeof what / sizeof *what; n++) {
        ik_json j;
        ik_error err = {0};
        char *text = NULL;
        ik_json_to_text(&j, IK_JSON_INDENTED);
        if (n == 0 || n == 3)
            ik_json_array(&j, NULL);
        if (n == 1)
            ik_json_object(&j, NULL);
        if (n < 2)
            ik_json_uint(&j, n == 0 ? "key" : NULL, 1);
        if (n == 2 || n == 4)
            ik_json_uint(&j, NULL, 1);
        if (n == 4)
            ik_json_uint(&j, NULL, 2);
        for (unsigned d = 0; n == 6 && d <= IK_JSON_DEPTH; d++)
            ik_json_array(&j, NULL);
        for (unsigned d = 0; n == 6 && d <= IK_JSON_DEPTH; d++)
            ik_json_close(&j);
        if (n < 3)
            ik_json_close(&j);
        if (ik_json_end_text(&j, &text, NULL, &err) != IK_ERR_INTERNAL)
            fail_msg("%s", what[n]);
        assert_null(text);
        assert_string_equal(err.text, "the JSON text is not complete");
    }
}

/* Each allocation failed in turn: an error, and no text; a NULL text and ik_json_fail are kept to
 * the end too. */
static void test_out_of_memory(void **state)
{
    (void)state;
    for (int left = 0;; left++) {
        ik_json j;
        ik_error err = {0};
        char *text = NULL;
        reallocs_left = left;
        ik_json_to_text(&j, IK_JSON_PACKED);
        ik_json_array(&j, NULL);
        for (unsigned n = 0; n < 200; n++)
            put_sample(&j);
        ik_json_close(&j);
        ik_status status = ik_json_end_text(&j, &text, NULL, &err);
        bool spare = reallocs_left > 0;
        reallocs_left = -1;
        if (spare) {
            assert_int_equal(status, IK_OK);
            assert_true(left > 3);
            free(text);
            break;
        }
        if (status == IK_OK) {
            free(text);
            continue; /* exactly enough */
        }
        assert_int_equal(status, IK_ERR_MEMORY);
        assert_null(text);
    }
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_array(&j, NULL);
    ik_json_text(&j, NULL, NULL);
    ik_json_fail(&j, IK_ERR_CANCELLED); /* the first one counts */
    ik_json_close(&j);
    assert_int_equal(ik_json_end(&j, NULL), IK_ERR_MEMORY);
}

static void test_full_disk(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    setvbuf(full, NULL, _IONBF, 0);
    ik_json j;
    ik_error err = {0};
    ik_json_to_file(&j, full, IK_JSON_INDENTED);
    put_sample(&j);
    assert_int_equal(ik_json_end(&j, &err), IK_ERR_IO);
    assert_non_null(strstr(err.text, "No space left"));
    fclose(full);
}

/* ---- values that were read */

static void test_values_again(void **state)
{
    (void)state;
    static const char *const same[] = {
        "{\"a\":[1,-2,0.1,1e+300,true,false,null,\"x\\u003cy\"],\"b\":{}}",
        "[0.30000000000000004,9223372036854775807,-9223372036854775808,1.5e-07]",
    };
    for (size_t n = 0; n < sizeof same / sizeof *same; n++) {
        json_t *root = parsed(same[n], strlen(same[n]));
        ik_json j;
        ik_json_to_text(&j, IK_JSON_PACKED);
        json_write(&j, NULL, root);
        char *text = ended(&j);
        assert_string_equal(text, same[n]);
        free(text);
        json_decref(root);
    }
}

static void test_values_refused(void **state)
{
    (void)state;
    char deep[2 * (IK_JSON_DEPTH / 2 + 1) + 1] = "";
    for (size_t n = 0; n <= IK_JSON_DEPTH / 2; n++) {
        deep[n] = '[';
        deep[sizeof deep - 2 - n] = ']';
    }
    const char *const wrong[] = {"",
                                 "{",
                                 "nul",
                                 "[1,]",
                                 "{\"a\":1,\"a\":2}",
                                 "[\"\\u0000\"]",
                                 "[\"\xff\"]",
                                 "[1e999]",
                                 "[99999999999999999999]",
                                 "[NaN]",
                                 "[1] 2",
                                 "</script>",
                                 deep};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        json_error_t why;
        json_t *root = NULL;
        if (json_parse(wrong[n], strlen(wrong[n]), &root, &why) != IK_ERR_INPUT)
            fail_msg("%s", wrong[n]);
        assert_true(why.text[0]);
    }
    json_decref(parsed(deep + 1, sizeof deep - 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),         cmocka_unit_test(test_stream),
        cmocka_unit_test(test_escapes),        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_long_text),      cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_nesting),        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_full_disk),      cmocka_unit_test(test_values_again),
        cmocka_unit_test(test_values_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
