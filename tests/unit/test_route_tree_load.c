/* SPDX-License-Identifier: Apache-2.0
 *
 * How evenly tree routings spread: permutations, routes per nearest common ancestor, shifts.
 */
#include "unit/json_data.h"
#include "unit/route_helpers.h"

#include "routing/tree/tree.h"

/* "m=1:2,w=1:2" of arrays of a case. */
static ik_fabric *tree_of(json_t *m, json_t *w)
{
    char spec[256] = "xgft:m=";
    for (size_t i = 0; i < json_array_size(m); i++)
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%d", i ? ":" : "",
                 (int)json_integer_value(json_array_get(m, i)));
    strcat(spec, ",w=");
    for (size_t i = 0; i < json_array_size(w); i++)
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%d", i ? ":" : "",
                 (int)json_integer_value(json_array_get(w, i)));
    return fabric_of(spec);
}

static bool next_permutation(uint32_t *p, uint32_t n)
{
    uint32_t i = n - 1, j = n - 1;
    while (i && p[i - 1] >= p[i])
        i--;
    if (!i)
        return false;
    while (p[j] <= p[i - 1])
        j--;
    uint32_t swap = p[i - 1];
    p[i - 1] = p[j];
    p[j] = swap;
    for (uint32_t a = i, b = n - 1; a < b; a++, b--) {
        swap = p[a];
        p[a] = p[b];
        p[b] = swap;
    }
    return true;
}

/* Between-switch ports of every pair, so that all permutations can be counted quickly. */
static void histogram(const ik_routing *r, uint64_t *hist)
{
    uint32_t n = r->fabric->num_hosts, p[16], ports[MAX_PATH];
    uint8_t path[16][16][8];
    uint8_t length[16][16];
    assert_true(n <= 16 && r->fabric->num_ports <= 256);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = 0; d < n; d++) {
            uint32_t count = s == d ? 2 : walk(r, s, d, ports);
            length[s][d] = (uint8_t)(count - 2);
            for (uint32_t i = 1; i + 1 < count; i++)
                path[s][d][i - 1] = (uint8_t)ports[i];
        }
    for (uint32_t i = 0; i < n; i++)
        p[i] = i;
    do {
        uint8_t load[256] = {0}, most = 0;
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t i = 0; i < length[s][p[s]]; i++) {
                uint8_t here = ++load[path[s][p[s]][i]];
                most = here > most ? here : most;
            }
        hist[most]++;
    } while (next_permutation(p, n));
}

/* Rodriguez et al.: S-mod-k and D-mod-k have the same histogram of contention over all
 * permutations. */
static void permutation_histograms(void **state)
{
    (void)state;
    json_t *root = load_json("t3_permutation_histograms.json"),
           *trees = json_object_get(root, "trees"), *one, *count;
    size_t i, checked = 0;
    const char *level;
    json_array_foreach(trees, i, one)
    {
        ik_fabric *f = tree_of(json_object_get(one, "m"), json_object_get(one, "w"));
        if (f->num_hosts <= 9)
            for (int d = 0; d < 2; d++) {
                ik_routing *r = routing_on(f, d ? "dmodk" : "smodk");
                uint64_t hist[64] = {0}, levels = 0;
                histogram(r, hist);
                json_object_foreach(json_object_get(one, d ? "hist_C_dmodk" : "hist_C_smodk"),
                                    level, count)
                {
                    assert_int_equal(hist[atoi(level)], json_integer_value(count));
                    levels++;
                }
                for (int c = 0; c < 64; c++)
                    levels -= hist[c] != 0;
                assert_int_equal(levels, 0);
                ik_routing_free(r);
                checked++;
            }
        ik_fabric_free(f);
    }
    assert_true(checked >= 6);
    json_decref(root);
}

/* Routes that turn at each root of a two-level tree. */
static void routes_per_root(const ik_routing *r, uint64_t *count)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t ports[MAX_PATH];
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t d = 0; d < f->num_hosts; d++)
            if (s / x->m[0] != d / x->m[0]) {
                assert_int_equal(walk(r, s, d, ports), 4);
                count[f->port_node[ports[2]] - x->level_base[2]]++;
            }
}

static void routes_per_nca(void **state)
{
    (void)state;
    json_t *root = load_json("t3_nca_distribution.json"),
           *one = json_object_get(root, "XGFT(2;16,16;1,10)"), *value;
    ik_fabric *f = fabric_of("xgft:m=16:16,w=1:10");
    size_t i;
    for (int d = 0; d < 2; d++) {
        uint64_t count[16] = {0};
        ik_routing *r = routing_on(f, d ? "dmodk" : "smodk");
        routes_per_root(r, count);
        json_array_foreach(json_object_get(one, d ? "dmodk" : "smodk"), i, value)
            assert_int_equal(count[i], json_integer_value(value));
        ik_routing_free(r);
    }
    /* Random schemes: the mean exactly, the spread as measured over seeds; r-NCA moves whole
     * bundles of 240 routes. */
    static const char *const names[] = {"random", "rnca_up", "rnca_down"};
    static const double deviation[] = {72, 506, 506};
    for (int k = 0; k < 3; k++) {
        double squares = 0;
        for (int seed = 1; seed <= 20; seed++) {
            char spec[64];
            uint64_t count[16] = {0};
            snprintf(spec, sizeof spec, "%s:seed=%d", names[k], seed);
            ik_routing *r = routing_on(f, spec);
            routes_per_root(r, count);
            for (int u = 0; u < 10; u++) {
                squares += ((double)count[u] - 6144) * ((double)count[u] - 6144);
                if (k)
                    assert_int_equal(count[u] % 240, 0);
            }
            ik_routing_free(r);
        }
        double measured = squares / 200;
        assert_true(measured > 0.7 * deviation[k] * deviation[k] &&
                    measured < 1.4 * deviation[k] * deviation[k]);
    }
    ik_fabric_free(f);
    json_decref(root);
}

/* The CG transpose of 128 processes: contention 7 for S- and D-mod-k on the full tree, and less for
 * r-NCA in the mean. */
static void cg_transpose(void **state)
{
    (void)state;
    uint32_t dst[256];
    for (uint32_t s = 0; s < 128; s++)
        dst[s] = 16 * ((s % 16) / 2) + 2 * (s / 16) + s % 2;
    for (uint32_t s = 128; s < 256; s++)
        dst[s] = s;
    static const uint32_t w[] = {16, 10, 8, 6, 4, 2, 1}, expected[] = {7, 7, 7, 7, 7, 7, 14};
    static const double rnca[] = {3.61, 4.52, 4.92, 5.54, 6.94, 10.11, 14},
                        random[] = {4.19, 5.03, 5.51, 6.20, 7.57, 10.76, 14};
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "xgft:m=16:16,w=1:%u", w[i]);
        ik_fabric *f = fabric_of(spec);
        uint32_t *load = ik_calloc(f->num_ports, sizeof *load);
        static const char *const names[] = {"smodk", "dmodk"};
        for (int d = 0; d < 2; d++) {
            ik_routing *r = routing_on(f, names[d]);
            assert_int_equal(max_load(r, dst, 256, load), expected[i]);
            ik_routing_free(r);
        }
        static const char *const drawn[] = {"random", "rnca_up", "rnca_down"};
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int seed = 1; seed <= 200; seed++) {
                snprintf(spec, sizeof spec, "%s:seed=%d", drawn[k], seed);
                ik_routing *r = routing_on(f, spec);
                sum += max_load(r, dst, 256, load);
                ik_routing_free(r);
            }
            double mean = sum / 200, want = k ? rnca[i] : random[i];
            if (mean < want - 0.25 || mean > want + 0.25)
                fail_msg("%s at w2 = %u: mean contention %g, expected about %g", drawn[k], w[i],
                         mean, want);
        }
        free(load);
        ik_fabric_free(f);
    }
}

static uint32_t reversed(uint32_t x, uint32_t bits)
{
    uint32_t y = 0;
    for (uint32_t i = 0; i < bits; i++)
        y |= (x >> i & 1) << (bits - 1 - i);
    return y;
}

static void shifts_and_bit_reversal(void **state)
{
    (void)state;
    static const char *const full[] = {"karytree:k=4,n=2", "rlft:ports=4,levels=3",
                                       "rlft:ports=6,levels=3"};
    static const char *const parallel[] = {"pgft:m=4:4,w=1:2,p=1:2", "pgft:m=4:4:4,w=1:4:2,p=1:1:2",
                                           "pgft:m=4:2:4,w=1:2:2,p=1:2:2", "rlft:ports=6,levels=3"};
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < (kind ? 4 : 3); i++) {
            ik_fabric *f = fabric_of(kind ? parallel[i] : full[i]);
            ik_routing *r = routing_on(f, kind ? "dmodk_pgft" : "dmodk");
            uint32_t *load = ik_calloc(f->num_ports, sizeof *load),
                     *dst = ik_calloc(f->num_hosts, sizeof *dst);
            for (uint32_t shift = 1; shift < f->num_hosts; shift++) {
                for (uint32_t s = 0; s < f->num_hosts; s++)
                    dst[s] = (s + shift) % f->num_hosts;
                assert_true(max_load(r, dst, f->num_hosts, load) <= 1);
            }
            free(load);
            free(dst);
            ik_routing_free(r);
            ik_fabric_free(f);
        }
    static const struct {
        const char *spec;
        uint32_t bits, contention;
    } cases[] = {{"karytree:k=4,n=3", 6, 4},
                 {"karytree:k=4,n=4", 8, 15},
                 {"karytree:k=2,n=4", 4, 3},
                 {"karytree:k=2,n=6", 6, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i].spec);
        ik_routing *r = routing_on(f, "dmodk");
        uint32_t *load = ik_calloc(f->num_ports, sizeof *load), dst[256];
        for (uint32_t s = 0; s < f->num_hosts; s++)
            dst[s] = reversed(s, cases[i].bits);
        assert_int_equal(max_load(r, dst, f->num_hosts, load), cases[i].contention);
        free(load);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutation_histograms),
        cmocka_unit_test(routes_per_nca),
        cmocka_unit_test(cg_transpose),
        cmocka_unit_test(shifts_and_bit_reversal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
