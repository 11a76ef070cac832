/* SPDX-License-Identifier: Apache-2.0
 *
 * The random generators: what they promise, that the small cases are uniform, and that path
 * lengths, link lengths and the number of neighbour entries (which depends on both) over many
 * layout-conscious graphs are distributed as an independent generator's.
 */
#include "topo_graph.h"

#include <math.h>

static uint32_t manhattan(const ik_fabric *f, uint32_t a, uint32_t b)
{
    return (uint32_t)(abs(f->switch_xy[a].x - f->switch_xy[b].x) +
                      abs(f->switch_xy[a].y - f->switch_xy[b].y));
}

/* ---- promises */

static void check_random(const ik_fabric *f, const ik_random_regular *r)
{
    switch_graph g = graph_of(f);
    assert_int_equal(g.num_links, r->n * r->d / 2);
    for (uint32_t sw = 0; sw < g.n; sw++) {
        assert_int_equal(g.base[sw + 1] - g.base[sw], r->d); /* so it is simple too */
        for (uint32_t t = 0; t < r->d; t++) {
            uint32_t peer = g.nbr[g.base[sw] + t];
            assert_int_equal(ik_peer_node(f, f->port_base[sw] + r->p + t), peer);
            assert_true(r->width == 0 || manhattan(f, sw, peer) <= r->range);
        }
    }
    pair_counts *c = count_pairs(&g, false);
    assert_int_equal(c->unreached, 0);
    free(c);
    graph_free(&g);
}

static void promises(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 40; n += 3) {
        for (uint32_t d = 2; d < n && d < 9; d++) {
            if (n * d % 2 == 0) {
                ik_fabric *f = must_build("jellyfish:N=%u,d=%u,p=2,seed=%u", n, d, n + d);
                check_random(f, ik_fabric_data(f, "jellyfish"));
                ik_fabric_free(f);
            }
        }
    }
    for (uint32_t side = 3; side <= 9; side++) {
        for (uint32_t r = 2; r <= 5; r++) {
            for (uint32_t d = 3; d <= 5; d++) {
                if (side * side * d % 2 == 0) {
                    ik_fabric *f =
                        must_build("lrt:N=%u,d=%u,r=%u,seed=%u", side * side, d, r, side);
                    const ik_random_regular *l = ik_fabric_data(f, "lrt");
                    assert_true(l->width == side && l->height == side);
                    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
                        assert_true(f->switch_xy[sw].x == (int32_t)(sw % side) &&
                                    f->switch_xy[sw].y == (int32_t)(sw / side));
                    }
                    check_random(f, l);
                    ik_fabric_free(f);
                }
            }
        }
    }
}

static void large_sparse_graphs_are_connected(void **state)
{
    (void)state;
    static const char *const specs[] = {"lrt:N=1024,d=2,r=2", "lrt:N=2500,d=3,r=2",
                                        "lrt:N=400,d=2,r=1", "lrt:N=2048,d=6,r=8,width=64"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = must_build("%s", specs[i]);
        check_random(f, ik_fabric_data(f, "lrt"));
        ik_fabric_free(f);
    }
}

static void seeds(void **state)
{
    (void)state;
    ik_fabric *a = must_build("lrt:N=64,d=4,r=2,seed=9"),
              *b = must_build("lrt:N=64,d=4,r=2,seed=9"),
              *c = must_build("lrt:N=64,d=4,r=2,seed=10");
    assert_memory_equal(a->port_peer, b->port_peer, a->num_ports * sizeof *a->port_peer);
    assert_memory_not_equal(a->port_peer, c->port_peer, a->num_ports * sizeof *a->port_peer);
    ik_fabric_free(a);
    ik_fabric_free(b);
    ik_fabric_free(c);
}

/* ---- uniformity: every labelled graph equally often, by chi square */

typedef struct seen_graph {
    uint64_t key;
    uint32_t count;
} seen_graph;

static uint64_t graph_key(const ik_fabric *f)
{
    uint64_t key = 0;
    switch_graph g = graph_of(f);
    for (uint32_t a = 0, bit = 0; a < g.n; a++)
        for (uint32_t b = a + 1; b < g.n; b++, bit++)
            key |= (uint64_t)graph_adjacent(&g, a, b) << bit;
    graph_free(&g);
    return key;
}

/* Chi square of the counts of `expected` different graphs over `draws` seeds. */
static double chi_square(const char *spec, uint32_t expected, uint32_t draws)
{
    seen_graph *seen = calloc(expected, sizeof *seen);
    uint32_t kinds = 0;
    for (uint32_t seed = 1; seed <= draws; seed++) {
        ik_fabric *f = must_build("%s,seed=%u", spec, seed);
        uint64_t key = graph_key(f);
        uint32_t i = 0;
        while (i < kinds && seen[i].key != key)
            i++;
        if (i == kinds) {
            assert_true(kinds < expected);
            seen[kinds++].key = key;
        }
        seen[i].count++;
        ik_fabric_free(f);
    }
    assert_int_equal(kinds, expected);
    double mean = (double)draws / expected, sum = 0;
    for (uint32_t i = 0; i < kinds; i++)
        sum += (seen[i].count - mean) * (seen[i].count - mean) / mean;
    free(seen);
    return sum;
}

/* The connected d-regular graphs on the nodes of a floor with links up to `range` long, counted by
 * deciding pair after pair. */
typedef struct enumeration {
    uint32_t n, d, num, pairs[64][2], degree[16], reach[16], found;
} enumeration;

static bool connected(const enumeration *e)
{
    uint32_t all = 1;
    for (uint32_t round = 0; round < e->n; round++)
        for (uint32_t a = 0; a < e->n; a++)
            all |= all >> a & 1 ? e->reach[a] : 0;
    return all == (1u << e->n) - 1;
}

static void toggle(enumeration *e, uint32_t a, uint32_t b, int by)
{
    e->degree[a] += (uint32_t)by, e->degree[b] += (uint32_t)by;
    e->reach[a] ^= 1u << b, e->reach[b] ^= 1u << a;
}

/* Pairs are ordered by their smaller node, so nodes below that of the next pair are final. */
static void decide(enumeration *e, uint32_t next)
{
    uint32_t a = next < e->num ? e->pairs[next][0] : e->n,
             before = next ? e->pairs[next - 1][0] : 0;
    for (uint32_t node = before; node < a; node++)
        if (e->degree[node] != e->d)
            return;
    if (next == e->num) {
        e->found += connected(e);
        return;
    }
    decide(e, next + 1);
    uint32_t b = e->pairs[next][1];
    if (e->degree[a] < e->d && e->degree[b] < e->d) {
        toggle(e, a, b, 1);
        decide(e, next + 1);
        toggle(e, a, b, -1);
    }
}

static uint32_t count_all(uint32_t width, uint32_t height, uint32_t d, uint32_t range)
{
    enumeration e = {.n = width * height, .d = d};
    for (uint32_t a = 0; a < e.n; a++) {
        for (uint32_t b = a + 1; b < e.n; b++) {
            uint32_t far = (uint32_t)(abs((int)(a % width) - (int)(b % width)) +
                                      abs((int)(a / width) - (int)(b / width)));
            if (far <= range)
                e.pairs[e.num][0] = a, e.pairs[e.num++][1] = b;
        }
    }
    decide(&e, 0);
    return e.found;
}

/* The bound is the 99.99 % quantile of chi square (Wilson-Hilferty). */
static void expect_uniform(const char *spec, uint32_t kinds, uint32_t draws)
{
    double k = kinds - 1.0, bound = k * pow(1 - 2 / (9 * k) + 3.719 * sqrt(2 / (9 * k)), 3);
    double found = chi_square(spec, kinds, draws);
    if (found > bound)
        fail_msg("%s: chi square %.1f over %.1f for %u graphs", spec, found, bound, kinds);
}

static void small_cases_are_uniform(void **state)
{
    (void)state;
    /* labelled connected cubic graphs of 6 nodes */
    expect_uniform("jellyfish:N=6,d=3", 70, 7000);
    expect_uniform("jellyfish:N=6,d=4", 15, 3000);                          /* labelled octahedra */
    expect_uniform("lrt:N=8,d=3,r=2,width=4", count_all(4, 2, 3, 2), 6000); /* limited length */
    expect_uniform("lrt:N=9,d=4,r=2", count_all(3, 3, 4, 2), 6000);
}

/* ---- distributions over many layout-conscious graphs */

typedef struct moments {
    double count, sum, squares;
} moments;

static void add_value(moments *m, double value)
{
    m->count++;
    m->sum += value;
    m->squares += value * value;
}

static double mean_of(const moments *m)
{
    return m->sum / m->count;
}

static double deviation_of(const moments *m)
{
    double mean = mean_of(m);
    return sqrt(m->squares / m->count - mean * mean);
}

typedef struct sample {
    /* hops: mean over ordered pairs; short_links: links of length 1 */
    moments hops, short_links, entries;
    uint32_t entries_hist[64];
} sample;

/* Entries a switch needs for its neighbours and for the shortest paths (smallest next hop) between
 * switches side by side: the largest number over all switches. */
static uint32_t neighbour_entries(const ik_fabric *f, const switch_graph *g, uint32_t *dist)
{
    bool *entry = calloc((size_t)g->n * g->n, sizeof *entry);
    uint32_t most = 0;
    for (uint32_t j = 0; j < g->n; j++) {
        for (uint32_t i = 0; i < g->n; i++) {
            if (graph_adjacent(g, i, j)) {
                entry[(size_t)i * g->n + j] = true;
            } else if (i != j && manhattan(f, i, j) == 1) {
                for (uint32_t u = i; u != j;) {
                    entry[(size_t)u * g->n + j] = true;
                    uint32_t t = g->base[u];
                    while (dist[(size_t)j * g->n + g->nbr[t]] + 1 != dist[(size_t)j * g->n + u])
                        t++;
                    u = g->nbr[t];
                }
            }
        }
    }
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t count = 0;
        for (uint32_t j = 0; j < g->n; j++)
            count += entry[(size_t)i * g->n + j];
        most = count > most ? count : most;
    }
    free(entry);
    return most;
}

static void measure(const ik_fabric *f, sample *s)
{
    switch_graph g = graph_of(f);
    uint32_t *dist = calloc((size_t)g.n * (g.n + 1), sizeof *dist), short_links = 0;
    uint64_t *paths = calloc(g.n, sizeof *paths), hops = 0;
    for (uint32_t a = 0; a < g.n; a++) {
        search_from(&g, a, dist + (size_t)a * g.n, paths, dist + (size_t)g.n * g.n);
        for (uint32_t b = 0; b < g.n; b++) {
            hops += dist[(size_t)a * g.n + b];
            short_links += a < b && graph_adjacent(&g, a, b) && manhattan(f, a, b) == 1;
        }
    }
    uint32_t entries = neighbour_entries(f, &g, dist);
    add_value(&s->hops, (double)hops / ((double)g.n * (g.n - 1)));
    add_value(&s->short_links, short_links);
    add_value(&s->entries, entries);
    s->entries_hist[entries < 63 ? entries : 63]++;
    free(dist);
    free(paths);
    graph_free(&g);
}

static sample sample_graphs(const char *spec, uint32_t graphs)
{
    sample s = {0};
    for (uint32_t seed = 1; seed <= graphs; seed++) {
        ik_fabric *f = must_build("%s,seed=%u", spec, seed);
        measure(f, &s);
        ik_fabric_free(f);
    }
    return s;
}

/* Expected mean and standard deviation come from `their_count` graphs of another generator. Four
 * standard errors. */
static void expect_mean(const char *what, const moments *ours, double mean, double deviation,
                        double their_count)
{
    double error = sqrt(deviation_of(ours) * deviation_of(ours) / ours->count +
                        deviation * deviation / their_count);
    if (fabs(mean_of(ours) - mean) > 4 * error) {
        fail_msg("%s: mean %.4f (%.0f graphs), expected %.4f, standard error %.4f", what,
                 mean_of(ours), ours->count, mean, error);
    }
}

static void expect_entries(const char *file, const char *size, const sample *s)
{
    json_t *root = load_json(file), *one = json_object_get(json_object_get(root, size), "loren");
    double graphs = 0, chi = 0, cells = 0;
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(json_object_get(one, "hist"), key, value)
    {
        graphs += (double)json_integer_value(value);
    }
    expect_mean("largest number of entries", &s->entries,
                json_number_value(json_object_get(one, "mean")),
                json_number_value(json_object_get(one, "std")), graphs);
    json_object_foreach(json_object_get(one, "hist"), key, value)
    { /* two samples' chi square over the well-filled cells */
        double theirs = (double)json_integer_value(value),
               ours = s->entries_hist[strtoul(key, NULL, 10)];
        if (theirs + ours >= 20) {
            double diff =
                theirs * sqrt(s->entries.count / graphs) - ours * sqrt(graphs / s->entries.count);
            chi += diff * diff / (theirs + ours);
            cells++;
        }
    }
    assert_true(cells >= 4);
    if (chi > 3.7 * cells + 8)
        fail_msg("histogram of entries: chi square %.1f over %.0f cells", chi, cells);
    json_decref(root);
}

/* Links of length 1 in the reference graphs: 224 or 960 ordered side-by-side pairs less those
 * without a link, halved. */
static void reference_short_links(const char *prefix, double pairs, moments *links)
{
    char path[512];
    snprintf(path, sizeof path, "%s/loren/graphs.json", TEST_DATA);
    json_t *root = json_load_file(path, 0, NULL), *one = NULL;
    assert_non_null(root);
    const char *name = NULL;
    json_object_foreach(root, name, one)
    {
        if (strncmp(name, prefix, strlen(prefix)) == 0)
            add_value(links, (pairs - (double)json_uint(one, "grid_pairs")) / 2);
    }
    json_decref(root);
}

static void layout_conscious_64(void **state)
{
    (void)state;
    sample s = sample_graphs("lrt:N=64,d=4,r=2", 1000);
    moments reference = {0};
    reference_short_links("lrt_64_4_2", 224, &reference);
    print_message("64: hops %.4f (deviation %.4f), links of length 1 %.2f (%.2f; reference %.2f), "
                  "entries %.3f (%.3f)\n",
                  mean_of(&s.hops), deviation_of(&s.hops), mean_of(&s.short_links),
                  deviation_of(&s.short_links), mean_of(&reference), mean_of(&s.entries),
                  deviation_of(&s.entries));
    expect_mean("hops", &s.hops, 4.009, deviation_of(&s.hops), 1000);
    expect_mean("links of length 1", &s.short_links, mean_of(&reference),
                deviation_of(&s.short_links), reference.count);
    expect_entries("min_entries_1000_n64.json", "64", &s);
}

static void layout_conscious_256(void **state)
{
    (void)state;
    sample s = sample_graphs("lrt:N=256,d=4,r=4", 150);
    moments reference = {0};
    reference_short_links("lrt_256_4_4", 960, &reference);
    print_message("256: hops %.4f (deviation %.4f), links of length 1 %.2f (%.2f; reference %.2f), "
                  "entries %.3f (%.3f)\n",
                  mean_of(&s.hops), deviation_of(&s.hops), mean_of(&s.short_links),
                  deviation_of(&s.short_links), mean_of(&reference), mean_of(&s.entries),
                  deviation_of(&s.entries));
    expect_mean("hops", &s.hops, 5.441, deviation_of(&s.hops), 300);
    expect_mean("links of length 1", &s.short_links, mean_of(&reference),
                deviation_of(&s.short_links), reference.count);
    expect_entries("min_entries_n256.json", "256", &s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises),
        cmocka_unit_test(large_sparse_graphs_are_connected),
        cmocka_unit_test(seeds),
        cmocka_unit_test(small_cases_are_uniform),
        cmocka_unit_test(layout_conscious_64),
        cmocka_unit_test(layout_conscious_256),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
