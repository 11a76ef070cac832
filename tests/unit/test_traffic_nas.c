/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the NAS Parallel Benchmarks: partners, sizes and numbers of messages against the
 * formulas of the Fortran sources, times on an ideal crossbar, what each process can know at the
 * end, and the phases of cg as an exchange. */
#include "traffic/nas_partners.h"
#include "workload_helper.h"

static uint64_t sends_of(const ik_workload *w, const char *of_class, uint32_t host, uint32_t *last)
{
    const ik_graph *g = w->graph;
    uint64_t n = 0;
    for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
        if (g->kind[op] == IK_OP_SEND && strcmp(w->classes[g->op_class[op]], of_class) == 0) {
            *last = g->ops[op].peer;
            n++;
        }
    return n;
}

/* 128 processes: 8 rows, 16 columns. */
static void test_cg(void **state)
{
    static const uint32_t transposed[][2] = {{2, 16}, {3, 17}, {4, 32}, {5, 33}, {17, 3}, {35, 21}};
    static const uint32_t alone[] = {0,  1,  18, 19, 36,  37,  54,  55,
                                     72, 73, 90, 91, 108, 109, 126, 127};
    static const char *const specs[] = {"nas:cg,class=D,processes=128",
                                        "exchange:pattern=cg:processes=128,bytes=750000 B"};
    ik_fabric *f = fabric_of("xgft:m=16:16,w=1:1");
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        ik_traffic *t = traffic_of(f, specs[k]);
        const ik_workload *w = t->workload;
        assert_int_equal(w->num_messages, 4 * 128 + 112);
        assert_int_equal(w->bytes, (4 * 128 + 112) * UINT64_C(750000));
        assert_int_equal(w->num_classes, 5);
        assert_string_equal(w->classes[4], "transpose");
        for (uint32_t me = 0; me < 128; me++)
            for (unsigned phase = 1; phase <= 4; phase++) {
                char name[32];
                uint32_t to = IK_NONE;
                snprintf(name, sizeof name, "reduction %u", phase);
                assert_int_equal(sends_of(w, name, me, &to), 1);
                assert_int_equal(to, me ^ 1u << (phase - 1));
            }
        for (unsigned i = 0; i < 6; i++) {
            uint32_t to = IK_NONE;
            assert_int_equal(sends_of(w, "transpose", transposed[i][0], &to), 1);
            assert_int_equal(to, transposed[i][1]);
        }
        for (unsigned i = 0; i < 16; i++) {
            uint32_t to;
            assert_int_equal(sends_of(w, "transpose", alone[i], &to), 0);
        }
        for (uint32_t host = 128; host < 256; host++)
            assert_int_equal(w->graph->host_first[host], w->graph->host_first[host + 1]);
        ik_traffic_free(t);
    }
    /* as many rows as columns: whole blocks; dot products of 8 B among the partners */
    ik_traffic *t = traffic_of(f, "nas:cg,class=B,processes=64,scalars=true");
    assert_int_equal(t->workload->largest, 75000 / 8 * 8);
    assert_int_equal(t->workload->num_messages, 3 * 64 + 56 + 2 * 3 * 64);
    ik_traffic_free(t);
    /* of one phase it is the old exchange */
    t = traffic_of(f, "exchange:pattern=cg:processes=128;phase=5,bytes=10 B");
    assert_int_equal(t->workload->num_messages, 112);
    ik_traffic_free(t);
    ik_fabric_free(f);
}

static void test_partners(void **state)
{
    (void)state;
    for (uint32_t p = 2; p <= 1024; p *= 2)
        for (unsigned phase = 1; phase <= nas_partners_cg_reductions(p) + 1; phase++)
            for (uint32_t me = 0; me < p; me++) {
                uint32_t to = cg_partner(p, phase, me);
                assert_true(to < p);
                assert_int_equal(cg_partner(p, phase, to), me);
            }
    for (uint32_t side = 2; side < 9; side++)
        for (uint32_t me = 0; me < side * side; me++)
            for (unsigned k = 0; k < 6; k++) {
                uint32_t to[6], back[6];
                bt_partners(me, side, to);
                assert_true(to[k] < side * side && to[k] != me);
                bt_partners(to[k], side, back);
                assert_int_equal(back[k ^ 1], me);
            }
}

/* ---- numbers of messages and bytes */

static void test_numbers(void **state)
{
    static const struct {
        const char *spec;
        uint64_t messages, bytes, largest;
        uint32_t classes;
    } cases[] = {
        {"nas:bt,processes=16,bytes=10 B", 16 * (6 + 6 * 3), 3840, 10, 4},
        {"nas:sp,processes=9,bytes=10 B", 9 * (6 + 6 * 2), 1620, 10, 4},
        /* cells of 16^3: faces of 3 cells, two layers of 5 numbers; 30 or 5 numbers a point of an
         * array with 17^2 of them */
        {"nas:bt,processes=16,class=A", 384,
         16 * (6 * 3 * 256 * 80 + 9 * 289 * 240 + 9 * UINT64_C(289) * 40), 289 * 240, 4},
        /* cells of 4^3 or 3^3, the larger ones fill the array */
        {"nas:bt,processes=49,class=W", 49 * (6 + 6 * 6),
         49 * (6 * 6 * 16 * 80 + 18 * 16 * 240 + 18 * UINT64_C(16) * 40), 6 * 16 * 80, 4},
        {"nas:sp,processes=16,class=A", 384,
         16 * (6 * 3 * 256 * 80 + 9 * 256 * 176 + 9 * UINT64_C(256) * 80), 3 * 256 * 80, 4},
        /* 4 x 4: 12 messages south and 12 east per plane and sweep */
        {"nas:lu,processes=16,class=A", 2 * 62 * 24, 2 * 62 * 24 * UINT64_C(640), 640, 2},
        /* 8 rows of 4: 28 along the rows of 64/4 points, 24 of 64/8 */
        {"nas:lu,processes=32,class=A,planes=1", 2 * 52, 2 * (28 * 640 + UINT64_C(24) * 320), 640,
         2},
        {"nas:lu,processes=16,bytes=8 B", 48, 384, 8, 2},
        {"nas:ft,class=A", 64 * 63, 64 * 63 * UINT64_C(32768), 32768, 1},
        {"nas:ft,class=A,layout=2d", 2 * 64 * 7, 2 * 64 * 7 * UINT64_C(262144), 262144, 2},
        {"nas:ft,processes=32,layout=2d,bytes=4 B", 32 * (7 + 3), 32 * 10 * 4, 4, 2},
        {"nas:mg,processes=8,bytes=4 B", 15 * 6 * 8, 15 * 6 * 8 * 4, 4, 8},
        /* 4 x 4 x 4 processes on 2^3 points: every second one in each direction */
        {"nas:mg,bytes=4 B", 14 * 6 * 64 + 6 * 8, 4 * (14 * 6 * 64 + UINT64_C(48)), 4, 8},
        {"nas:mg,class=A", 14 * 6 * 64 + 6 * 8,
         /* n^2, n(n + 2) and (n + 2)^2 numbers for n = 64 … 1 and back; once of one point */
         8 * (128 * 2 * (3 * UINT64_C(5461) + 6 * 127 + 4 * 7) + 16 * (1 + 3 + 9)), 8 * 66 * 66, 8},
    };
    ik_fabric *f = fabric_of("karytree:k=4,n=3");
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_traffic *t = traffic_of(f, cases[k].spec);
        const ik_workload *w = t->workload;
        if (w->num_messages != cases[k].messages || w->bytes != cases[k].bytes ||
            w->largest != cases[k].largest || w->num_classes != cases[k].classes)
            fail_msg("%s: %llu messages, %llu B, largest %llu B, %u classes", cases[k].spec,
                     (unsigned long long)w->num_messages, (unsigned long long)w->bytes,
                     (unsigned long long)w->largest, w->num_classes);
        ik_traffic_free(t);
    }
    ik_fabric_free(f);
}

/* ---- times on an ideal crossbar */

static void test_times(void **state)
{
    (void)state;
    uint64_t step = 80 * 2560 + 20000;
    for (uint32_t p = 4; p <= 64; p *= 2) {
        char spec[100];
        uint64_t phases = nas_partners_cg_reductions(p) + 1;
        snprintf(spec, sizeof spec, "nas:cg,processes=%u,bytes=2560 B", p);
        assert_int_equal(completion(spec, p), phases * step);
        snprintf(spec, sizeof spec, "exchange:pattern=cg:processes=%u,bytes=2560 B,hosts=1..%u", p,
                 p);
        assert_int_equal(completion(spec, p + 2), phases * step);
    }
    /* the messages of all planes follow one another, then the sweep back begins */
    assert_int_equal(completion("nas:lu,processes=2,bytes=2560 B,planes=7", 2),
                     2 * (7 * 80 * 2560 + 20000));
    /* a wavefront through 3 + 3 processes and back, two messages to send on the way */
    uint64_t lu = completion("nas:lu,processes=16,bytes=256 B", 16);
    assert_true(lu >= 12 * (80 * 256 + 20000) && lu <= 12 * (2 * 80 * 256 + 20000));
    assert_int_equal(completion("nas:ft,processes=2,bytes=2560 B,iterations=3", 2), 3 * step);
}

/* ---- what a process can know at the end: of how many others */

static unsigned least_known(const ik_graph *g, uint32_t num)
{
    uint64_t *known = test_calloc(g->num_ops + 1, sizeof *known);
    unsigned least = 64;
    spread_knowledge(g, known);
    for (uint32_t host = 0; host < num; host++) {
        uint64_t has = 0;
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
            has |= known[op];
        unsigned count = (unsigned)__builtin_popcountll(has);
        least = count < least ? count : least;
    }
    test_free(known);
    return least;
}

static void test_knowledge(void **state)
{
    static const struct {
        const char *spec;
        uint32_t num, least;
    } cases[] = {
        /* the row, and the partner's row: 4, or 8 of 4 x 4, of 4 x 8 */
        {"nas:cg,processes=16,bytes=1 B", 16, 4},
        {"nas:cg,processes=16,bytes=1 B,iterations=2", 16, 16},
        {"nas:bt,processes=25,bytes=1 B", 25, 25},
        {"nas:lu,processes=32,bytes=1 B", 32, 32},
        {"nas:ft,processes=16,bytes=1 B", 16, 16},
        {"nas:ft,processes=32,bytes=1 B,layout=2d", 32, 32},
        {"nas:mg,processes=32,bytes=1 B", 32, 32},
    };
    ik_fabric *f = fabric_of("karytree:k=4,n=3");
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_traffic *t = traffic_of(f, cases[k].spec);
        unsigned least = least_known(t->workload->graph, cases[k].num);
        if (least != cases[k].least)
            fail_msg("%s: a process knows %u", cases[k].spec, least);
        ik_traffic_free(t);
    }
    ik_fabric_free(f);
}

/* ---- refusals */

static void test_refusals(void **state)
{
    static const refusal cases[] = {
        {"nas", "needs parameter 'benchmark'"},
        {"nas:gc", "cannot be 'gc'"},
        {"nas:cg,processes=6", "a power of two of at least 2"},
        {"nas:cg,processes=1", "a power of two of at least 2"},
        {"nas:bt,processes=8", "a square number of at least 4"},
        {"nas:cg,processes=64", "64 processes on 20 hosts"},
        {"nas:cg,processes=4294967294", "a power of two"},
        {"nas:bt,hosts=0..2", "3 processes; the benchmark runs on a square"},
        {"nas:cg,bytes=0 B", "out of range"},
        {"nas:cg,bytes=1 B,class=A", "'class': it has no effect"},
        {"nas:cg,planes=1", "'planes': it has no effect"},
        {"nas:lu,scalars=false", "'scalars': it has no effect"},
        {"nas:mg,layout=1d", "'layout': it has no effect"},
        {"exchange:pattern=cg,order=random", "'order': it has no effect on the phases of cg"},
        {"exchange:pattern=cg,visits=1", "'visits': it has no effect on the phases of cg"},
        {"exchange:pattern=cg:processes=32", "32 processes on 20 hosts"},
        {"exchange:pattern=nas:cg", "itself a finite workload"},
    };
    (void)state;
    check_refusals("crossbar:n=20", cases, sizeof cases / sizeof *cases);
    check_too_large("crossbar:n=20", "nas:cg,iterations=100", 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg),        cmocka_unit_test(test_partners),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_times),
        cmocka_unit_test(test_knowledge), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
