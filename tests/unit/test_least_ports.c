/* SPDX-License-Identifier: Apache-2.0
 *
 * Ports with the fewest destinations: the same as comparing all ports of a set every time.
 */
#include "ikat/base.h"
#include "routing/graph/least_ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PORTS = 200, SETS = 40, WORDS = 4 };

static uint32_t compare_all(const uint64_t *ports, const uint32_t *count, uint32_t num)
{
    uint32_t best = IK_NONE;
    for (uint32_t p = 0; p < num; p++)
        if (ports[p / 64] >> p % 64 & 1 && (best == IK_NONE || count[p] < count[best]))
            best = p;
    return best;
}

/* Sets of `share` percent of the ports, which overlap, and halves of the ports. */
static void draw_sets(uint64_t sets[SETS][WORDS], uint32_t num, uint32_t share, uint64_t seed)
{
    memset(sets, 0, SETS * sizeof *sets);
    for (uint32_t s = 0; s < SETS; s++)
        for (uint32_t p = 0; p < num; p++) {
            bool in = s < SETS / 2 ? ik_random_below(seed, IK_RNG_ROUTE_SETUP, s, p, 100) < share
                                   : (p < num / 2) == (s % 2 == 0);
            sets[s][p / 64] |= (uint64_t)in << p % 64;
        }
}

static void check(uint32_t num, uint32_t share, uint32_t takes, uint64_t seed)
{
    uint64_t sets[SETS][WORDS];
    uint32_t count[MOST_PORTS];
    least_ports l;
    assert_true(least_ports_init(&l, num));
    for (uint64_t round = 0; round < 2; round++) { /* the second finds what the first left */
        least_ports_clear(&l);
        memset(count, 0, sizeof count);
        draw_sets(sets, num, share, seed + round);
        for (uint32_t k = 0; k < takes; k++) {
            const uint64_t *ports =
                sets[ik_random_below(seed, IK_RNG_ROUTE_SETUP, round + 100, k, SETS)];
            uint32_t wanted = compare_all(ports, count, num);
            assert_int_equal(least_ports_take(&l, ports), wanted);
            if (wanted != IK_NONE)
                count[wanted]++;
        }
    }
    least_ports_free(&l);
}

static void test_as_compared(void **state)
{
    (void)state;
    static const uint32_t ports[] = {1, 2, 36, 64, 65, 200}, shares[] = {0, 3, 50, 90, 100};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
            check(ports[i], shares[k], 4000, 7 * i + k);
}

/* Ports that need no count: the same are taken as if all were counted. */
static void check_only(uint32_t num, uint32_t share, uint64_t seed)
{
    uint64_t sets[SETS][WORDS], packed[SETS * WORDS];
    uint16_t only[SETS];
    uint32_t count[MOST_PORTS] = {0};
    bool several = false;
    least_ports l;
    assert_true(least_ports_init(&l, num));
    least_ports_clear(&l);
    draw_sets(sets, num, share, seed);
    memset(sets[SETS - 1], 0, sizeof sets[0]);
    for (uint32_t s = SETS / 2; s + 1 < SETS; s++) { /* one port each, which others may have */
        memset(sets[s], 0, sizeof sets[0]);
        sets[s][s * 7 % num / 64] = (uint64_t)1 << s * 7 % num % 64;
    }
    for (uint32_t s = 0; s < SETS; s++)
        for (size_t w = 0; w < l.words; w++)
            packed[s * l.words + w] = sets[s][w];
    const bool choice = least_ports_only(&l, packed, SETS, only);
    for (uint32_t k = 0; k < 2000; k++) {
        uint32_t s = ik_random_below(seed, IK_RNG_ROUTE_SETUP, 200, k, SETS), bits = 0;
        for (size_t w = 0; w < l.words; w++)
            bits += (uint32_t)__builtin_popcountll(sets[s][w]);
        several |= bits > 1;
        assert_true(bits == 1 || only[s] == LEAST_PORTS_SEVERAL);
        uint32_t wanted = compare_all(sets[s], count, num);
        assert_int_equal(only[s] != LEAST_PORTS_SEVERAL ? only[s] : least_ports_take(&l, sets[s]),
                         wanted);
        if (wanted != IK_NONE)
            count[wanted]++;
    }
    assert_true(choice == several);
    least_ports_free(&l);
}

static void test_only(void **state)
{
    (void)state;
    static const uint32_t ports[] = {1, 2, 36, 64, 65, 200}, shares[] = {0, 1, 5, 30, 100};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
            check_only(ports[i], shares[k], 11 * i + k);
}

/* More destinations on a port than there are lists of ports. */
static void test_many_destinations(void **state)
{
    (void)state;
    check(1, 100, 40000, 1);
    check(MOST_PORTS, 1, 60000, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_compared),
        cmocka_unit_test(test_only),
        cmocka_unit_test(test_many_destinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
