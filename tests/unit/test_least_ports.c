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
        cmocka_unit_test(test_many_destinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
