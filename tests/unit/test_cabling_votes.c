/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cabling_votes.c: votes for the switches of a plan, which are counted in blocks, against a
 * loop over all pairs and voters: random numbers of switches, kinds, partners and views.
 */
#include "base/hash.h"
#include "topology/cabling/cab_landmarks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { VOTERS = 256, MOST = 520 }; /* more than VOTERS: not every switch votes */

/* The same question gets the same answer, below `num`. */
static uint32_t drawn(uint64_t seed, uint64_t what, uint32_t num)
{
    return (uint32_t)(ik_hash_tag2(seed, what) % num);
}

static uint32_t votes_for(const cab_landmarks *l, const uint32_t *plan_of, uint32_t u, uint32_t v)
{
    uint32_t step = l->f->num / VOTERS + 1, votes = 0;
    for (uint32_t w = 0; w < l->f->num; w += step)
        votes += plan_of[w] != IK_NONE && l->walks_f[(size_t)u * l->f->num + w] ==
                                              l->walks_p[(size_t)v * l->p->num + plan_of[w]];
    return votes;
}

/* The first switch of the plan with most votes of u, if u is the first that gives it so many. */
static uint32_t elected(const cab_landmarks *l, const uint32_t *plan_of, const uint32_t *most,
                        const uint32_t *by, uint32_t u)
{
    uint32_t best = 0, who = IK_NONE;
    for (uint32_t v = 0; v < l->p->num; v++) {
        uint32_t votes = l->f->kind[u] == l->p->kind[v] ? votes_for(l, plan_of, u, v) : 0;
        if (votes > best) {
            best = votes;
            who = v;
        }
    }
    return who != IK_NONE && most[who] > 0 && by[who] == u ? who : IK_NONE;
}

static void compare(uint64_t seed, uint32_t num_f, uint32_t num_p, uint32_t views, uint32_t kinds)
{
    uint8_t kind_f[MOST], kind_p[MOST];
    uint32_t plan_of[MOST], known[MOST], most[MOST] = {0}, by[MOST] = {0};
    cab_graph f = {.num = num_f, .kind = kind_f}, p = {.num = num_p, .kind = kind_p};
    cab_landmarks l = {.f = &f,
                       .p = &p,
                       .walks_f = malloc((size_t)num_f * num_f * sizeof(uint32_t)),
                       .walks_p = malloc((size_t)num_p * num_p * sizeof(uint32_t))};
    for (uint32_t i = 0; i < num_f; i++) {
        kind_f[i] = (uint8_t)drawn(seed, 1000 + i, kinds);
        plan_of[i] = drawn(seed, 2000 + i, 3) ? drawn(seed, 3000 + i, num_p) : IK_NONE;
    }
    for (uint32_t i = 0; i < num_p; i++)
        kind_p[i] = (uint8_t)drawn(seed, 4000 + i, kinds);
    for (size_t i = 0; i < (size_t)num_f * num_f; i++)
        l.walks_f[i] = drawn(seed + 1, i, views);
    for (size_t i = 0; i < (size_t)num_p * num_p; i++)
        l.walks_p[i] = drawn(seed + 2, i, views);
    for (uint32_t u = 0; u < num_f; u++) {
        for (uint32_t v = 0; v < num_p; v++) {
            uint32_t votes = kind_f[u] == kind_p[v] ? votes_for(&l, plan_of, u, v) : 0;
            if (votes > most[v]) {
                most[v] = votes;
                by[v] = u;
            }
        }
    }
    assert_int_equal(cab_landmarks_vote(&l, plan_of, known, NULL), IK_OK);
    for (uint32_t u = 0; u < num_f; u++)
        assert_int_equal(known[u], elected(&l, plan_of, most, by, u));
    cab_landmarks_free(&l);
}

static void test_votes(void **state)
{
    static const uint32_t nums[] = {1, 2, 31, 32, 33, 47, 64, 65, 96, 97};
    (void)state;
    for (size_t i = 0; i < sizeof nums / sizeof *nums; i++)
        for (uint32_t views = 1; views < 5; views++)
            compare(100 * i + views, nums[i], nums[(i + views) % (sizeof nums / sizeof *nums)],
                    views, 1 + views % 2);
    for (uint64_t seed = 0; seed < 100; seed++) /* many switches that no voter knows */
        compare(5000 + seed, 1 + drawn(seed, 1, 5), 1 + drawn(seed, 2, 5), 20, 1);
    compare(7, 256, 40, 2, 1);
    compare(8, 257, 40, 2, 2);
    compare(9, MOST, 33, 3, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_votes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
