/* SPDX-License-Identifier: Apache-2.0
 *
 * test_gf.c: finite fields: prime powers are known, the tables are those of a field, its modulus is
 * the first that there is, and its elements are numbered as FLINT 2.9 computed them.
 */
#include "topology/gf.h"
#include "unit/made.h"

static gf field_of(uint32_t q)
{
    gf f;
    ik_error err = {0};
    if (gf_new(q, &f, &err) != IK_OK)
        fail_msg("GF(%u): %s", q, err.text);
    return f;
}

static void prime_powers(void **state)
{
    (void)state;
    uint32_t p, m, found = 0;
    for (uint32_t q = 0; q <= 1000; q++)
        found += gf_prime_power(q, NULL, NULL);
    assert_int_equal(found, 168 + 25); /* primes up to 1000, and their powers */
    assert_true(gf_prime_power(1 << 11, &p, &m) && p == 2 && m == 11);
    assert_true(gf_prime_power(43 * 43, &p, &m) && p == 43 && m == 2);
    assert_true(gf_prime_power(4294967291u, &p, &m) && p == 4294967291u && m == 1);
    assert_true(gf_prime_power(65521ull * 65521, &p, &m) && p == 65521 && m == 2);
    assert_false(gf_prime_power(65521ull * 65519, NULL, NULL));
    assert_false(gf_prime_power(UINT32_MAX, NULL, NULL));
    assert_false(gf_prime_power(1ull << 32, NULL, NULL)); /* beyond what is asked for */
    uint32_t below, above;
    gf_nearest(6, &below, &above);
    assert_true(below == 5 && above == 7);
    gf_nearest(2, &below, &above);
    assert_true(below == 0 && above == 3);
}

/* The laws that hold for one element, two, and three. */
static void check_laws(const gf *f, uint32_t a, uint32_t b, uint32_t c)
{
    assert_int_equal(gf_add(f, a, 0), a);
    assert_int_equal(gf_mul(f, a, 1), a);
    assert_int_equal(gf_add(f, a, gf_neg(f, a)), 0);
    assert_int_equal(a ? gf_mul(f, a, gf_inv(f, a)) : gf_inv(f, 0), a ? 1 : 0);
    assert_int_equal(gf_add(f, a, b), gf_add(f, b, a));
    assert_int_equal(gf_mul(f, a, b), gf_mul(f, b, a));
    assert_int_equal(gf_add(f, a, gf_add(f, b, c)), gf_add(f, gf_add(f, a, b), c));
    assert_int_equal(gf_mul(f, a, gf_mul(f, b, c)), gf_mul(f, gf_mul(f, a, b), c));
    assert_int_equal(gf_mul(f, a, gf_add(f, b, c)), gf_add(f, gf_mul(f, a, b), gf_mul(f, a, c)));
}

static void tables_of_a_field(void **state)
{
    (void)state;
    for (uint32_t q = 2; q <= 32; q++) {
        if (!gf_prime_power(q, NULL, NULL))
            continue;
        gf f = field_of(q);
        for (uint32_t n = 0; n < q * q * q; n++)
            check_laws(&f, n % q, n / q % q, n / q / q);
        assert_int_not_equal(gf_primitive(&f, 1), 0);
        gf_free(&f);
    }
    static const uint32_t larger[] = {343, 625, 729, 1024, 1849, 2039, 2048};
    for (size_t k = 0; k < sizeof larger / sizeof *larger; k++) {
        gf f = field_of(larger[k]);
        for (uint32_t n = 1; n < 100000; n++)
            check_laws(&f, n % f.q, n * 7919u % f.q, n / 3 * 104729u % f.q);
        assert_int_not_equal(gf_primitive(&f, 1), 0);
        gf_free(&f);
    }
}

static uint64_t hash_table(uint64_t h, const uint16_t *table, size_t num)
{
    for (size_t k = 0; k < num; k++)
        h = (h ^ table[k]) * 1099511628211ull;
    return h;
}

/* Fabrics are numbered by the elements: they stay what they were. */
static void elements_keep_their_numbers(void **state)
{
    (void)state;
    uint64_t h = 14695981039346656037ull;
    for (uint32_t q = 2, m; q <= GF_MAX_Q; q++) {
        if (!gf_prime_power(q, NULL, &m) || (m == 1 && q > 100))
            continue;
        gf f = field_of(q);
        h = hash_table(h, f.add_table, (size_t)q * q);
        h = hash_table(h, f.mul_table, (size_t)q * q);
        h = hash_table(h, f.neg_table, q);
        h = hash_table(h, f.inv_table, q);
        gf_free(&f);
    }
    assert_int_equal(h, 0x7bb403fc33d2b373);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prime_powers),
        cmocka_unit_test(tables_of_a_field),
        cmocka_unit_test(elements_keep_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
