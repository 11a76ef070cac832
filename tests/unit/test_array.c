/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that grow, and the heap: order, ties, and what is left when there is no memory.
 */
#include "base/array.h"
#include "unit/made.h"

#include "ikat/base.h"

#include <stdlib.h>

static void test_growth(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t cap = 0, grown = 0;
    for (uint32_t n = 0; n < 100000; n++) {
        const uint32_t *before = items;
        assert_true(IK_ARRAY_ROOM(items, cap, n + 1));
        assert_true(cap > n);
        grown += items != before;
        items[n] = n;
    }
    for (uint32_t n = 0; n < 100000; n++)
        assert_int_equal(items[n], n);
    assert_true(grown <= 20); /* doubles: not once per item */
    free(items);
}

/* What there cannot be memory for leaves the array, its items and its room as they were. */
static void test_too_large(void **state)
{
    (void)state;
    uint64_t *items = NULL;
    size_t cap = 0;
    assert_true(IK_ARRAY_ROOM(items, cap, 3));
    items[2] = 7;
    size_t before = cap;
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / sizeof *items,
                            SIZE_MAX / sizeof *items + 1, SIZE_MAX / 2 / sizeof *items + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_false(IK_ARRAY_ROOM(items, cap, sizes[i]));
        assert_int_equal(cap, before);
        assert_int_equal(items[2], 7);
    }
    free(items);
}

static int by_item(const void *a, const void *b)
{
    const ik_heap_item *x = a, *y = b;
    return ik_heap_before(x, y) ? -1 : ik_heap_before(y, x);
}

/* Pushes and pops in any order give what sorting gives; few keys, so that many are equal. */
static void test_heap(void **state)
{
    (void)state;
    enum { ITEMS = 3000 };
    ik_heap_item *all = calloc(ITEMS, sizeof *all), *out = calloc(ITEMS, sizeof *out);
    ik_heap h = {0};
    assert_true(all && out);
    size_t taken = 0;
    for (uint32_t n = 0; n < ITEMS; n++) {
        all[n] = (ik_heap_item){ik_random_u64(1, 2, 3, n) % 50, (uint32_t)(n * 7919u), n};
        assert_true(ik_heap_push(&h, all[n]));
    }
    while (h.num > 0)
        out[taken++] = ik_heap_pop(&h);
    assert_int_equal(taken, ITEMS);
    qsort(all, ITEMS, sizeof *all, by_item);
    for (uint32_t n = 0; n < ITEMS; n++) {
        assert_int_equal(out[n].key, all[n].key);
        assert_int_equal(out[n].id, all[n].id);
        assert_int_equal(out[n].stamp, all[n].stamp);
    }
    ik_heap_free(&h);
    free(all);
    free(out);
}

static void test_number_keys(void **state)
{
    (void)state;
    const double numbers[] = {0, 5e-324, 1e-300, .1, .5, 1, 1.0000000000000002, 3e9, 1e300};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(ik_heap_number(ik_heap_key(numbers[i])) == numbers[i]);
        if (i)
            assert_true(ik_heap_key(numbers[i - 1]) < ik_heap_key(numbers[i]));
    }
    assert_int_equal(ik_heap_key(-0.0), ik_heap_key(0.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_number_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
