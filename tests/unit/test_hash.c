/* SPDX-License-Identifier: Apache-2.0
 *
 * The hash table of base/hash.h beside a table that has a place for every key: records come and go
 * at random, with tags of their own, with few tags, and with tags at the end of the table. */
#include "base/hash.h"
#include "unit/made.h"

enum { RECORDS = 3000, STEPS = 60000 };

typedef struct record {
    uint32_t tag;
    bool in;
} record;

static uint32_t tag_of_kind(unsigned kind, uint32_t id)
{
    uint32_t tag = ik_hash_tag(id);
    return kind == 0 ? tag : kind == 1 ? tag % 7 << 29 : tag | 0xFFFF0000u;
}

static bool finds(const ik_hash *h, uint32_t tag, uint32_t id)
{
    uint32_t found;
    for (size_t at = ik_hash_first(h, tag); (found = ik_hash_find(h, tag, &at)) != IK_NONE; at++)
        if (found == id)
            return true;
    return false;
}

static void expect_all(const ik_hash *h, const record *records)
{
    size_t in = 0;
    for (uint32_t id = 0; id < RECORDS; id++) {
        assert_int_equal(finds(h, records[id].tag, id), records[id].in);
        in += records[id].in;
    }
    assert_int_equal(h->num, in);
}

static void come_and_go(unsigned kind)
{
    static record records[RECORDS];
    ik_hash h;
    assert_true(ik_hash_init(&h));
    for (uint32_t id = 0; id < RECORDS; id++)
        records[id] = (record){tag_of_kind(kind, id), false};
    for (uint32_t step = 0; step < STEPS; step++) {
        /* first few, then many, then few again */
        uint32_t most = step < STEPS / 3       ? 100
                        : step < 2 * STEPS / 3 ? RECORDS
                                               : 300,
                 id = ik_random_below(1, IK_RNG_TEST, kind, step, most);
        if (records[id].in)
            ik_hash_remove(&h, records[id].tag, id);
        else
            assert_true(ik_hash_add(&h, records[id].tag, id));
        records[id].in = !records[id].in;
        if (step % 5000 == 0)
            expect_all(&h, records);
    }
    expect_all(&h, records);
    ik_hash_clear(&h);
    for (uint32_t id = 0; id < RECORDS; id++)
        records[id].in = false;
    expect_all(&h, records);
    ik_hash_free(&h);
}

static void test_come_and_go(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++)
        come_and_go(kind);
}

/* Tags of keys that differ in few bits differ, and fall into all parts of a table. */
static void test_tags(void **state)
{
    (void)state;
    enum { KEYS = 4096, PARTS = 64 };
    static uint32_t parts[2][PARTS];
    for (uint64_t key = 0; key < KEYS; key++) {
        parts[0][ik_hash_tag(key << 32) / (UINT32_MAX / PARTS + 1u)]++;
        parts[1][ik_hash_tag2(key % 64 << 32, key / 64) / (UINT32_MAX / PARTS + 1u)]++;
    }
    for (unsigned k = 0; k < PARTS; k++) /* 64 on average */
        assert_true(parts[0][k] > 24 && parts[0][k] < 120 && parts[1][k] > 24 && parts[1][k] < 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_come_and_go),
                                       cmocka_unit_test(test_tags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
