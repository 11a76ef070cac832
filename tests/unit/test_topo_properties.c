/* SPDX-License-Identifier: Apache-2.0
 *
 * What every generator promises, over all small parameters: regularity, degree, diameter, and the
 * port layout that routings rely on.
 */
#include "topo_graph.h"

static void expect_degree(const switch_graph *g, uint32_t degree)
{
    for (uint32_t sw = 0; sw < g->n; sw++)
        assert_int_equal(g->base[sw + 1] - g->base[sw], degree);
}

/* Host h at port h % p of the (h / p)-th switch, by port 0. */
static void expect_hosts_in_order(const ik_fabric *f, uint32_t p)
{
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t port = f->port_base[ik_host_node(f, h)];
        assert_int_equal(f->port_base[ik_host_node(f, h) + 1] - port, 1);
        assert_int_equal(f->port_peer[port], f->port_base[h / p] + h % p);
    }
}

static uint32_t diameter_of(const switch_graph *g, bool only_hosts)
{
    pair_counts *c = count_pairs(g, only_hosts);
    uint32_t diameter = c->unreached ? IK_NONE : c->diameter;
    free(c);
    return diameter;
}

static uint32_t peer_at(const ik_fabric *f, uint32_t sw, uint32_t local)
{
    return ik_peer_node(f, f->port_base[sw] + local);
}

static void every_example_places_its_switches(void **state)
{
    (void)state;
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        for (const char *const *example = (*t)->examples; *example && !(*t)->imported; example++) {
            ik_fabric *f = must_build("%s", *example);
            if (!f->switch_place) { /* drawn as a circle */
                assert_true(strcmp(f->family, "jellyfish") == 0 ||
                            strcmp(f->family, "torus") == 0 || strcmp(f->family, "fullmesh") == 0 ||
                            strcmp(f->family, "hypercube") == 0);
                ik_fabric_free(f);
                continue;
            }
            assert_true(f->intact);
            for (uint32_t a = 0; a < f->num_switches && f->num_switches < 500; a++) {
                for (uint32_t b = 0; b < a; b++) {
                    const ik_place *x = &f->switch_place[a], *y = &f->switch_place[b];
                    assert_false(x->layer == y->layer && x->pos == y->pos);
                }
            }
            ik_fabric_free(f);
        }
    }
}

/* ---- grids */

static void check_grid(const char *spec)
{
    ik_fabric *f = must_build("%s", spec);
    const ik_grid *t = f->family_data;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        for (uint32_t d = 0; d < t->num_dims; d++) {
            uint32_t x = sw / t->stride[d] % t->dims[d], size = t->dims[d];
            if (size == 1) {
                assert_int_equal(t->port_plus[d], IK_NONE);
                continue;
            }
            uint32_t plus = peer_at(f, sw, t->port_plus[d]),
                     minus = peer_at(f, sw, t->port_minus[d]);
            uint32_t up = sw - x * t->stride[d] + (x + 1) % size * t->stride[d];
            uint32_t down = sw - x * t->stride[d] + (x + size - 1) % size * t->stride[d];
            assert_int_equal(plus, t->wrap || x + 1 < size || size == 2 ? up : IK_NONE);
            assert_int_equal(minus, t->wrap || x > 0 || size == 2 ? down : IK_NONE);
        }
    }
    expect_hosts_in_order(f, t->p);
    switch_graph g = graph_of(f);
    uint32_t diameter = 0;
    for (uint32_t d = 0; d < t->num_dims; d++)
        diameter += t->wrap ? t->dims[d] / 2 : t->dims[d] - 1;
    assert_int_equal(diameter_of(&g, false), diameter);
    graph_free(&g);
    ik_fabric_free(f);
}

static void grids(void **state)
{
    (void)state;
    char spec[64];
    for (uint32_t a = 1; a <= 6; a++) {
        for (uint32_t b = 1; b <= 5; b++) {
            for (uint32_t c = 1; c <= 4; c++) {
                snprintf(spec, sizeof spec, "torus:dims=%u:%u:%u,p=%u", a, b, c, c);
                check_grid(spec);
                snprintf(spec, sizeof spec, "mesh:dims=%u:%u:%u,p=%u", a, b, c, c);
                check_grid(spec);
            }
        }
    }
    check_grid("ring:n=9,p=2");
}

/* ---- products of complete graphs */

static void check_hyperx(const char *spec)
{
    ik_fabric *f = must_build("%s", spec);
    const ik_hyperx *h = f->family_data;
    uint32_t degree = 0, diameter = 0;
    for (uint32_t d = 0; d < h->num_dims; d++) {
        degree += h->dims[d] - 1;
        diameter += h->dims[d] > 1;
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            uint32_t x = sw / h->stride[d] % h->dims[d];
            for (uint32_t y = 0; y < h->dims[d]; y++) {
                for (uint32_t cable = 0; y != x && cable < h->cables[d]; cable++) {
                    uint32_t local = h->port_base[d] + (y < x ? y : y - 1) * h->cables[d] + cable;
                    assert_int_equal(peer_at(f, sw, local), sw + (y - x) * h->stride[d]);
                }
            }
        }
    }
    expect_hosts_in_order(f, h->p);
    switch_graph g = graph_of(f);
    expect_degree(&g, degree);
    assert_int_equal(diameter_of(&g, false), diameter);
    graph_free(&g);
    ik_fabric_free(f);
}

static void products(void **state)
{
    (void)state;
    char spec[64];
    for (uint32_t a = 1; a <= 6; a++) {
        for (uint32_t b = 1; b <= 5; b++) {
            for (uint32_t c = 1; c <= 3; c++) {
                snprintf(spec, sizeof spec, "hyperx:dims=%u:%u:%u,k=%u", a, b, c, c);
                check_hyperx(spec);
            }
        }
    }
    for (uint32_t n = 1; n <= 8; n++) {
        snprintf(spec, sizeof spec, "hypercube:n=%u", n);
        check_hyperx(spec);
        snprintf(spec, sizeof spec, "fullmesh:n=%u,k=%u", n, 1 + n % 3);
        check_hyperx(spec);
    }
    check_hyperx("hyperx:dims=2:3:4,k=1:2:3");
}

/* ---- dragonflies */

static void check_global(const ik_global_links *links)
{
    uint32_t most = 0, least = UINT32_MAX, unconnected = 0, x[256];
    for (uint32_t a = 0; a < links->groups; a++) {
        uint32_t *count = calloc(links->groups, sizeof *count);
        for (uint32_t port = 0; port < links->ports; port++) {
            uint32_t group = 0, peer = 0, back_group = 0, back = 0;
            if (!ik_global_peer(links, a, port, &group, &peer)) {
                unconnected++;
                continue;
            }
            assert_true(group != a && group < links->groups && peer < links->ports);
            assert_true(ik_global_peer(links, group, peer, &back_group, &back));
            assert_true(back_group == a && back == port);
            count[group]++;
        }
        for (uint32_t b = 0; b < links->groups; b++) {
            uint32_t found = ik_global_ports_to(links, a, b, x, 256);
            assert_int_equal(found, count[b]);
            for (uint32_t i = 0; i < found; i++) {
                uint32_t group = 0, peer = 0;
                assert_true(ik_global_peer(links, a, x[i], &group, &peer) && group == b);
            }
            most = b != a && count[b] > most ? count[b] : most;
            least = b != a && count[b] < least ? count[b] : least;
        }
        free(count);
    }
    assert_true(links->groups < 2 || most - least <= 1);
    assert_true(unconnected == 0 || links->groups == 1 || unconnected == links->groups);
}

static void check_dragonfly(uint32_t h, uint32_t a, uint32_t g, const char *arrangement)
{
    ik_fabric *f = must_build("dragonfly:h=%u,a=%u,p=2,g=%u,arrangement=%s", h, a, g, arrangement);
    const ik_dragonfly *d = ik_fabric_data(f, "dragonfly");
    check_global(&d->global);
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t group = sw / a, s = sw % a, target = 0, x = 0;
        for (uint32_t t = 0; t < a; t++)
            assert_true(t == s || peer_at(f, sw, d->p + (t < s ? t : t - 1)) == group * a + t);
        for (uint32_t j = 0; j < h; j++) {
            bool linked = ik_global_peer(&d->global, group, s * h + j, &target, &x);
            assert_int_equal(peer_at(f, sw, d->p + a - 1 + j),
                             linked ? target * a + x / h : IK_NONE);
        }
    }
    expect_hosts_in_order(f, d->p);
    switch_graph graph = graph_of(f);
    assert_true(diameter_of(&graph, false) <= 3);
    graph_free(&graph);
    ik_fabric_free(f);
}

static void check_dragonflyplus(uint32_t h, uint32_t leaves, uint32_t spines, uint32_t g,
                                const char *arrangement)
{
    ik_fabric *f = must_build("dragonflyplus:h=%u,leaves=%u,spines=%u,g=%u,arrangement=%s", h,
                              leaves, spines, g, arrangement);
    const ik_dragonflyplus *d = ik_fabric_data(f, "dragonflyplus");
    check_global(&d->global);
    uint32_t first_spine = g * leaves;
    for (uint32_t group = 0; group < g; group++) {
        for (uint32_t i = 0; i < spines; i++) {
            uint32_t spine = first_spine + group * spines + i, target = 0, x = 0;
            for (uint32_t leaf = 0; leaf < leaves; leaf++) {
                assert_int_equal(peer_at(f, spine, leaf), group * leaves + leaf);
                assert_int_equal(peer_at(f, group * leaves + leaf, d->p + i), spine);
            }
            for (uint32_t j = 0; j < h; j++) {
                bool linked = ik_global_peer(&d->global, group, i * h + j, &target, &x);
                assert_int_equal(peer_at(f, spine, leaves + j),
                                 linked ? first_spine + target * spines + x / h : IK_NONE);
            }
        }
    }
    expect_hosts_in_order(f, d->p);
    switch_graph graph = graph_of(f);
    assert_true(diameter_of(&graph, true) <= 3);
    graph_free(&graph);
    ik_fabric_free(f);
}

static void dragonflies(void **state)
{
    (void)state;
    static const char *const arrangements[] = {"absolute", "relative", "palmtree"};
    for (unsigned r = 0; r < 3; r++) {
        for (uint32_t h = 1; h <= 3; h++) {
            for (uint32_t a = 1; a <= 4; a++) {
                for (uint32_t g = 1; g <= a * h + 1; g++) {
                    check_dragonfly(h, a, g, arrangements[r]);
                    check_dragonflyplus(h, 1 + g % 3, a, g, arrangements[r]);
                }
            }
        }
    }
}

/* The three arrangements as their sources define them, for the full number of groups. */
static void arrangements_are_the_published_ones(void **state)
{
    (void)state;
    for (uint32_t g = 2; g <= 12; g++) {
        for (uint32_t arrangement = 0; arrangement < 3; arrangement++) {
            ik_global_links links = {.groups = g, .ports = g - 1, .arrangement = arrangement};
            for (uint32_t i = 0; i < g; i++) {
                for (uint32_t k = 0; k + 1 < g; k++) {
                    uint32_t group = 0, peer = 0;
                    assert_true(ik_global_peer(&links, i, k, &group, &peer));
                    uint32_t absolute = k < i ? k : k + 1, relative = (i + k + 1) % g,
                             palmtree = (i + g - k - 1) % g;
                    const uint32_t expected[] = {absolute, relative, palmtree};
                    assert_int_equal(group, expected[arrangement]);
                }
            }
        }
    }
}

/* ---- diameter two */

static void slimflies(void **state)
{
    (void)state;
    for (uint32_t q = 3; q <= 16; q++) {
        char spec[32];
        snprintf(spec, sizeof spec, "slimfly:q=%u", q);
        ik_fabric *f = NULL;
        ik_error err = {0};
        if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK) {
            assert_true(q == 6 || q == 10 || q == 12 || q == 14 || q == 15);
            assert_non_null(strstr(err.text, "is not a prime power"));
            continue;
        }
        const ik_slimfly *s = ik_fabric_data(f, "slimfly");
        assert_int_equal(s->degree, (q - (uint32_t)s->delta) / 2);
        switch_graph g = graph_of(f);
        expect_degree(&g, q + s->degree);
        assert_int_equal(diameter_of(&g, false), 2);
        expect_hosts_in_order(f, s->p);
        for (uint32_t sw = 0; sw < g.n; sw++) {
            for (uint32_t m = 0; m < q; m++) {
                /* port p + degree + m leads to column m of the other subgraph */
                uint32_t column = peer_at(f, sw, s->p + s->degree + m) / q;
                assert_int_equal(column, sw < q * q ? q + m : m);
            }
            for (uint32_t t = 0; t < s->degree; t++)
                assert_int_equal(peer_at(f, sw, s->p + t) / q, sw / q);
        }
        graph_free(&g);
        ik_fabric_free(f);
    }
}

static void layered_meshes(void **state)
{
    (void)state;
    for (uint32_t h = 1; h <= 6; h++) {
        for (uint32_t l = 1; l <= 5; l++) {
            ik_fabric *f = must_build("mlfm:h=%u,l=%u,p=3", h, l);
            const ik_mlfm *m = ik_fabric_data(f, "mlfm");
            for (uint32_t layer = 0; layer < l; layer++) {
                for (uint32_t a = 0; a <= h; a++) {
                    for (uint32_t b = 0; b <= h; b++) {
                        uint32_t local = layer * (h + 1) + a;
                        if (a != b) {
                            uint32_t global = ik_mlfm_global(m, a, b);
                            assert_int_equal(peer_at(f, local, m->p + (b < a ? b : b - 1)), global);
                            assert_int_equal(peer_at(f, global, 2 * layer + (a > b)), local);
                        }
                    }
                }
            }
            expect_hosts_in_order(f, 3);
            switch_graph g = graph_of(f);
            assert_int_equal(diameter_of(&g, true), 2);
            graph_free(&g);
            ik_fabric_free(f);
        }
    }
}

/* Every two first-level routers of one copy share exactly one second-level router; ports as
 * documented. */
static void check_sspt(uint32_t r1, uint32_t r2, uint32_t copies)
{
    ik_fabric *f = must_build("sspt:r1=%u,r2=%u,copies=%u,p=1", r1, r2, copies);
    const ik_sspt *s = ik_fabric_data(f, "sspt");
    assert_int_equal(s->num_points, 1 + r1 * (r2 - 1));
    assert_int_equal(s->num_blocks * r2, s->num_points * r1);
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        bool first = sw < copies * s->num_points;
        uint32_t last = 0, from = first ? 1 : 0, each = first ? r1 : r2;
        for (uint32_t local = from; local < ik_radix(f, sw); local++) {
            uint32_t peer = peer_at(f, sw, local);
            assert_true((local - from) % each == 0 || peer > last);
            last = peer;
        }
    }
    switch_graph g = graph_of(f);
    pair_counts *c = count_pairs(&g, true);
    uint64_t points = s->num_points, same = (uint64_t)copies * (copies - 1) * points;
    assert_int_equal(c->diameter, 2);
    assert_int_equal(c->by_paths[2][1] + (r1 == 1 ? same : 0),
                     points * copies * (points * copies - 1) - (r1 == 1 ? 0 : same));
    assert_int_equal(c->by_paths[2][r1], r1 == 1 ? c->by_paths[2][1] : same);
    free(c);
    graph_free(&g);
    ik_fabric_free(f);
}

static void single_path_trees(void **state)
{
    (void)state;
    unsigned built = 0;
    for (uint32_t r1 = 2; r1 <= 14; r1++) {
        for (uint32_t r2 = 2; r2 <= r1; r2++) {
            char spec[64];
            snprintf(spec, sizeof spec, "sspt:r1=%u,r2=%u,copies=1", r1, r2);
            ik_fabric *f = NULL;
            ik_error err = {0};
            if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK) {
                assert_int_equal(err.status, IK_ERR_USAGE);
                assert_true(err.hint[0] != '\0');
                continue;
            }
            ik_fabric_free(f);
            check_sspt(r1, r2, 1);
            check_sspt(r1, r2, 3);
            built++;
        }
    }
    /* full meshes, triple systems, further projective planes, further affine planes */
    assert_int_equal(built, 13 + 8 + 8 + 7);
}

static void orthogonal_fat_trees(void **state)
{
    (void)state;
    for (uint32_t k = 2; k <= 10; k++) {
        if (k == 7)
            continue;
        ik_fabric *f = must_build("oft:k=%u", k);
        const ik_oft *o = ik_fabric_data(f, "oft");
        for (uint32_t middle = 2 * o->rl; middle < 3 * o->rl; middle++) {
            for (uint32_t local = 0; local < 2 * k; local++) {
                uint32_t peer = peer_at(f, middle, local);
                assert_int_equal(peer / o->rl, local / k);
                assert_true(local % k == 0 || peer > peer_at(f, middle, local - 1));
            }
        }
        expect_hosts_in_order(f, k);
        switch_graph g = graph_of(f);
        pair_counts *c = count_pairs(&g, true);
        assert_int_equal(c->diameter, 2);
        assert_int_equal(c->by_paths[2][k], 2 * o->rl);
        free(c);
        graph_free(&g);
        ik_fabric_free(f);
    }
}

static void polarflies(void **state)
{
    (void)state;
    static const uint32_t orders[] = {2, 3, 4, 5, 7, 8, 9, 11, 13, 16};
    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t q = orders[i], n = q * q + q + 1, quadrics = 0;
        ik_fabric *f = must_build("polarfly:q=%u", q);
        const ik_polarfly *p = ik_fabric_data(f, "polarfly");
        switch_graph g = graph_of(f);
        assert_int_equal(g.n, n);
        for (uint32_t sw = 0; sw < n; sw++) {
            uint32_t degree = g.base[sw + 1] - g.base[sw];
            assert_true(degree == q || degree == q + 1);
            quadrics += degree == q;
            for (uint32_t t = 0; t < q + 1; t++) {
                assert_int_equal(peer_at(f, sw, p->p + t),
                                 t < degree ? g.nbr[g.base[sw] + t] : IK_NONE);
            }
        }
        assert_int_equal(quadrics, q + 1);
        pair_counts *c = count_pairs(&g, false);
        assert_int_equal(c->diameter, 2);
        assert_int_equal(c->by_paths[2][1], c->by_distance[2]); /* the middle is unique */
        free(c);
        graph_free(&g);
        ik_fabric_free(f);
    }
}

static void crossbars(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 70; n += 7) {
        ik_fabric *f = must_build("crossbar:n=%u", n);
        assert_int_equal(f->num_switches, 1);
        expect_hosts_in_order(f, n);
        ik_fabric_free(f);
    }
}

/* ---- parallel cables: with p = 1 everywhere it is the xgft, port by port */

static void pgft_is_xgft_with_cables(void **state)
{
    (void)state;
    ik_fabric *a = must_build("xgft:m=3:2:2,w=1:2:3"), *b = must_build("pgft:m=3:2:2,w=1:2:3");
    assert_int_equal(a->num_ports, b->num_ports);
    assert_memory_equal(a->port_peer, b->port_peer, a->num_ports * sizeof *a->port_peer);
    ik_fabric_free(b);
    b = must_build("pgft:m=3:2:2,w=1:2:3,p=1:2:3");
    const ik_xgft *t = ik_fabric_xgft(b);
    for (uint32_t sw = 0; sw < b->num_switches; sw++) {
        uint32_t level = b->switch_level[sw], m = t->m[level - 1];
        for (uint32_t local = 0; local < ik_radix(b, sw); local++) {
            bool down = local < m * t->p[level - 1];
            uint32_t up = down ? 0 : local - m * t->p[level - 1];
            uint32_t first = down ? local % m : m * t->p[level - 1] + up % t->w[level];
            /* cable k of the same neighbour */
            assert_int_equal(peer_at(b, sw, local), peer_at(b, sw, first));
        }
    }
    ik_fabric_free(a);
    ik_fabric_free(b);
}

/* ---- what is refused says why and what would do */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *text, *hint;
    } rows[] = {
        {"slimfly:q=6", "q = 6 is not a prime power", "5 and 7 are"},
        {"slimfly:q=24", "q = 24 is not a prime power", "23 and 25 are"},
        {"slimfly:q=13,xi=3", "xi = 3 is not a primitive element of GF(13)", "6 is"},
        {"slimfly:q=5,p=half", "p = 'half'", "floor (3), ceil (4)"},
        {"slimfly:q=65521", "would need 8586002882 switches", "at most 2147483647 ports"},
        {"polarfly:q=12", "q = 12 is not a prime power", "11 and 13 are"},
        {"oft:k=7", "k - 1 = 6 is not a prime power", "k = 6 and k = 8"},
        {"sspt:r1=5,r2=3", "r1 = 5, r2 = 3", "r1 = 4 or 6"},
        {"sspt:r1=5,r2=4", "r2 = 4 does not divide 2*r1 = 10", "copies=1"},
        {"lrt:N=60,d=4,r=2", "N = 60 is not a square", "49 and 64"},
        {"lrt:N=64,d=6,r=2", "in the corner has only 5 others in range", "d at most 5"},
        {"lrt:N=25,d=3,r=2", "odd number of link ends", "d = 2 or 4"},
        {"lrt:N=9,d=2,r=1", "no graph of 9 switches", "longer range"},
        {"jellyfish:N=7,d=3", "odd number of link ends", "N = 6 or 8"},
        {"dragonfly:h=2,g=10", "g = 10 groups", "at most 9 groups"},
        {"hyperx:dims=4:4,k=1:2:3", "k has 3 values for 2 dimensions", "one value, or 2"},
        {"torus:dims=5000:5000:5000", "would need 125000000000 switches",
         "at most 2147483647 ports"},
        {"pgft:m=4:4,w=1:2,p=1:2:3", "p has 3", "one number per level"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        assert_int_equal(ik_fabric_from_spec(rows[i].spec, NULL, &f, &err), IK_ERR_USAGE);
        assert_null(f);
        if (!strstr(err.text, rows[i].text) || !strstr(err.hint, rows[i].hint))
            fail_msg("%s: '%s' (%s)", rows[i].spec, err.text, err.hint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_places_its_switches),
        cmocka_unit_test(grids),
        cmocka_unit_test(products),
        cmocka_unit_test(dragonflies),
        cmocka_unit_test(arrangements_are_the_published_ones),
        cmocka_unit_test(slimflies),
        cmocka_unit_test(layered_meshes),
        cmocka_unit_test(single_path_trees),
        cmocka_unit_test(orthogonal_fat_trees),
        cmocka_unit_test(polarflies),
        cmocka_unit_test(crossbars),
        cmocka_unit_test(pgft_is_xgft_with_cables),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
