/* SPDX-License-Identifier: Apache-2.0
 *
 * ik_text_wrap: where lines are broken, and what is never broken.
 */
#include "unit/made.h"

#include "ikat/base.h"

#include <stdlib.h>
#include <string.h>

/* The text as it is laid out; free. */
static char *wrapped(const char *text, ik_wrap how)
{
    char *made = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&made, &size);
    assert_non_null(out);
    ik_text_wrap(out, text, strlen(text), &how);
    assert_int_equal(fclose(out), 0);
    return made;
}

static void expect(const char *text, ik_wrap how, const char *expected)
{
    char *made = wrapped(text, how);
    assert_string_equal(made, expected);
    free(made);
}

static void test_words(void **state)
{
    (void)state;
    expect("", (ik_wrap){.width = 10}, "\n");
    expect("   ", (ik_wrap){.width = 10}, "\n");
    expect("one two  three\nfour", (ik_wrap){.width = 9}, "one two\nthree\nfour\n");
    expect("one two three four", (ik_wrap){0}, "one two three four\n");
    /* exactly as wide as the line */
    expect("1234 6789 1234", (ik_wrap){.width = 9}, "1234 6789\n1234\n");
    expect("1234 67890 123", (ik_wrap){.width = 9}, "1234\n67890 123\n");
    /* nothing fits: a word per line, and none is lost */
    expect("ab cd", (ik_wrap){.width = 1}, "ab\ncd\n");
}

static void test_indentation(void **state)
{
    (void)state;
    expect("aa bb cc dd", (ik_wrap){.width = 8, .column = 3, .indent = 2}, "aa bb\n  cc dd\n");
    expect("aa bb", (ik_wrap){.width = 4, .column = 9, .indent = 9},
           "aa\n         bb\n"); /* more indentation than width */
}

/* Characters count, not bytes: five letters of two bytes each fit in five columns. */
static void test_characters(void **state)
{
    (void)state;
    expect("äöüßé äöüßé", (ik_wrap){.width = 5}, "äöüßé\näöüßé\n");
    expect("ä\x80z \x1b", (ik_wrap){.width = 5}, "ä?z ?\n");
    expect("\xc3", (ik_wrap){.width = 5}, "?\n"); /* a character that is cut off */
}

static void test_alternatives(void **state)
{
    (void)state;
    expect("x [aaaa|bbbb|cccc, y]", (ik_wrap){.width = 10, .indent = 1},
           "x [aaaa|\n bbbb|\n cccc, y]\n");
    expect("aaaa|bbbb cc", (ik_wrap){.width = 9}, "aaaa|bbbb\ncc\n");
    expect("aaaaaaaaaa|b|c", (ik_wrap){.width = 4}, "aaaaaaaaaa|\nb|c\n");
}

/* What stands in brackets. */
static size_t bracket(const char *text, size_t left)
{
    const char *end = memchr(text, '>', left);
    return text[0] == '<' && end ? (size_t)(end - text) + 1 : 0;
}

static void test_pieces(void **state)
{
    (void)state;
    expect("a <b d> e", (ik_wrap){.width = 5, .piece = bracket}, "a\n<b d>\ne\n");
    expect("aa bb cc", (ik_wrap){.width = 7, .indent = 1, .more = " \\"}, "aa bb \\\n cc\n");
    expect("aa bb cc", (ik_wrap){.width = 8, .more = " \\"}, "aa bb cc\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),      cmocka_unit_test(test_indentation),
        cmocka_unit_test(test_characters), cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
