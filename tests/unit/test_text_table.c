/* SPDX-License-Identifier: Apache-2.0
 *
 * test_text_table.c: counts and tables for a terminal. */
#include "unit/made.h"

#include "ikat/table.h"

#include <stdlib.h>
#include <string.h>

static const char *const headers[] = {"name", "number>", "text", NULL};

/* A table may leave the function that has the list of its headers. */
static ik_table *made(void)
{
    const char *list[] = {headers[0], headers[1], headers[2], NULL};
    return ik_table_new(list);
}

static char *printed(unsigned width, bool colour)
{
    char *text = NULL;
    size_t size = 0;
    ik_error err;
    FILE *out = open_memstream(&text, &size);
    ik_table *t = made();
    const char *const names[] = {"a", "gr\303\266\303\237er"};
    for (unsigned i = 0; i < 2; i++) {
        ik_table_cell(t, "%s", names[i]);
        ik_table_cell(t, "%u", 10 * i + 1);
        ik_table_cell(t, "x\n%s", i ? "" : "y");
    }
    assert_int_equal(ik_table_print(t, out, width, colour, &err), IK_OK);
    fclose(out);
    return text;
}

static void test_tables(void **state)
{
    (void)state;
    char *text = printed(0, false);
    assert_string_equal(text, "name    number  text\n"
                              "a            1  x?y\n"
                              "gr\303\266\303\237er      11  x?\n");
    free(text);
    text = printed(16, false);
    assert_string_equal(text, "name    number\n"
                              "a            1\n"
                              "gr\303\266\303\237er      11\n"
                              "\n"
                              "name    text\n"
                              "a       x?y\n"
                              "gr\303\266\303\237er  x?\n");
    free(text);
    text = printed(0, true);
    assert_non_null(strstr(text, "\033[4mname  \033[0m"));
    free(text);
}

static void test_no_memory(void **state)
{
    (void)state;
    ik_error err;
    ik_table_cell(NULL, "%d", 1);
    assert_int_equal(ik_table_print(NULL, stdout, 0, false, &err), IK_ERR_MEMORY);
}

static void test_counts(void **state)
{
    (void)state;
    assert_string_equal(IK_WHOLE(0), "0");
    assert_string_equal(IK_WHOLE(999), "999");
    assert_string_equal(IK_WHOLE(1000), "1,000");
    assert_string_equal(IK_WHOLE(UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(IK_WHOLE_COUNT(1, "switch"), "1 switch");
    assert_string_equal(IK_WHOLE_COUNT(1024, "switch"), "1,024 switches");
    assert_string_equal(IK_WHOLE_COUNT(2048, "entry is|entries are"), "2,048 entries are");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
