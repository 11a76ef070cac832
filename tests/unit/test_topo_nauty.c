/* SPDX-License-Identifier: Apache-2.0
 *
 * Symmetry as a witness: nauty counts the automorphisms of generated graphs, and the groups of
 * these graphs are known. Built only where nauty is installed.
 */
#include <nauty/nauty.h>

#include "topo_graph.h"

/* The order of the automorphism group of the switch graph, and in how many orbits its switches
 * fall. */
static double group_order(const char *spec, int *orbits_out)
{
    ik_fabric *f = must_build("%s", spec);
    switch_graph g = graph_of(f);
    int n = (int)g.n, m = SETWORDSNEEDED(n);
    graph *dense = calloc((size_t)m * (size_t)n, sizeof *dense);
    int *lab = calloc((size_t)n, sizeof *lab), *ptn = calloc((size_t)n, sizeof *ptn),
        *orbits = calloc((size_t)n, sizeof *orbits);
    for (int a = 0; a < n; a++)
        for (uint32_t i = g.base[a]; i < g.base[a + 1]; i++)
            ADDONEARC(dense, a, g.nbr[i], m);
    DEFAULTOPTIONS_GRAPH(options);
    statsblk stats;
    densenauty(dense, lab, ptn, orbits, &options, &stats, m, n, NULL);
    double order = stats.grpsize1;
    for (int i = 0; i < stats.grpsize2; i++)
        order *= 10;
    *orbits_out = stats.numorbits;
    free(dense);
    free(lab);
    free(ptn);
    free(orbits);
    graph_free(&g);
    ik_fabric_free(f);
    return order;
}

static void known_groups(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        double order;
        int orbits;
    } rows[] = {
        {"slimfly:q=5", 252000, 1}, /* the Hoffman-Singleton graph: PSU(3,5):2 */
        {"hypercube:n=3", 48, 1},   /* 2^n * n! */
        {"hypercube:n=5", 3840, 1},
        {"torus:dims=5:5", 200, 1},      /* (D_5 x D_5) : 2 */
        {"torus:dims=3:5", 60, 1},       /* S_3 x D_5 */
        {"ring:n=9", 18, 1},             /* D_9 */
        {"fullmesh:n=7", 5040, 1},       /* S_7 */
        {"hyperx:dims=4:4", 1152, 1},    /* S_4 wr S_2 */
        {"hyperx:dims=3:4:5", 17280, 1}, /* S_3 x S_4 x S_5 */
        {"mesh:dims=3:4", 4, 4},         /* two reflections */
        /* PGO(3,q) = PGL(2,q): quadrics, their neighbours, the rest */
        {"polarfly:q=3", 24, 3},
        {"polarfly:q=5", 120, 3},
        {"polarfly:q=7", 336, 3},
        {"polarfly:q=9", 1440, 3}, /* PGL(2,9) and the field automorphism */
        /* PGL(3,2) of order 168 on the plane, and 7 pairs (0,i), (2,i) to swap */
        {"oft:k=3", 21504, 2},
        {"oft:k=4", 46006272, 2}, /* PGL(3,3) of order 5616, and 13 pairs */
        {"mlfm:h=3,l=1", 24, 2},  /* S_4 on columns */
        {"mlfm:h=4,l=1", 120, 2},
        {"karytree:k=2,n=2", 8, 1}, /* a cycle of four switches */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int orbits = 0;
        double order = group_order(rows[i].spec, &orbits);
        if (order != rows[i].order || orbits != rows[i].orbits) {
            fail_msg("%s: group of order %.0f with %d orbits, expected %.0f with %d", rows[i].spec,
                     order, orbits, rows[i].order, rows[i].orbits);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
