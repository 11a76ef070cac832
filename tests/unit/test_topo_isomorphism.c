/* SPDX-License-Identifier: Apache-2.0
 *
 * Where two families coincide their graphs must be isomorphic, and where a graph has a name it must
 * be that graph. igraph judges: it decides isomorphism (by BLISS), diameter, girth and regularity
 * with code that is not ours. Built only where igraph is installed.
 */
#include "topo_graph.h"

#include <igraph/igraph.h>

/* The whole fabric, hosts included, or its switches only. Colours: 0 switch, 1 host. */
static igraph_t to_igraph(const ik_fabric *f, bool hosts)
{
    igraph_vector_int_t edges;
    igraph_vector_int_init(&edges, 0);
    uint32_t nodes = hosts ? ik_num_nodes(f) : f->num_switches;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t a = f->port_node[port], b = ik_peer_node(f, port);
        if (b != IK_NONE && a < b && b < nodes) {
            igraph_vector_int_push_back(&edges, a);
            igraph_vector_int_push_back(&edges, b);
        }
    }
    igraph_t g;
    igraph_create(&g, &edges, nodes, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&edges);
    return g;
}

static bool isomorphic(const igraph_t *a, const igraph_t *b)
{
    igraph_bool_t same = false;
    if (igraph_vcount(a) != igraph_vcount(b) || igraph_ecount(a) != igraph_ecount(b))
        return false;
    assert_int_equal(
        igraph_isomorphic_bliss(a, b, NULL, NULL, &same, NULL, NULL, IGRAPH_BLISS_FL, NULL, NULL),
        IGRAPH_SUCCESS);
    return same;
}

static bool same_fabric(const char *first, const char *second)
{
    ik_fabric *a = must_build("%s", first), *b = must_build("%s", second);
    igraph_t x = to_igraph(a, true), y = to_igraph(b, true);
    bool same = a->num_hosts == b->num_hosts && isomorphic(&x, &y);
    igraph_destroy(&x);
    igraph_destroy(&y);
    ik_fabric_free(a);
    ik_fabric_free(b);
    return same;
}

static void coinciding_families(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"karytree:k=2,n=3", "pgft:m=2:2:2,w=1:2:2,p=1"},
        {"karytree:k=4,n=2", "pgft:m=4:4,w=1:4,p=1:1"},
        {"rlft:ports=8,levels=2", "pgft:m=4:8,w=1:4"},
        {"hyperx:dims=6,p=2", "fullmesh:n=6,p=2"},
        {"hyperx:dims=2:2:2:2,p=1", "hypercube:n=4"},
        {"hyperx:dims=3:4,p=2", "hyperx:dims=4:3,p=2"},
        {"hyperx:dims=1:5,p=1", "fullmesh:n=5,p=1"},
        {"torus:dims=2:2:2", "hypercube:n=3"},
        {"torus:dims=4:4", "hypercube:n=4"},
        {"torus:dims=3:3", "hyperx:dims=3:3,p=1"},
        {"torus:dims=3:5", "torus:dims=5:3"},
        {"mesh:dims=2:2", "ring:n=4"},
        {"mesh:dims=2:2:2", "hypercube:n=3"},
        {"ring:n=3,p=2", "fullmesh:n=3"},
        {"sspt:r1=4,r2=2", "mlfm:h=4"},
        {"sspt:r1=5,r2=2,copies=3,p=2", "mlfm:h=5,l=3,p=2"},
        {"sspt:r1=4,r2=4", "oft:k=4"},
        {"sspt:r1=5,r2=5,p=1", "oft:k=5,p=1"},
        {"sspt:r1=3,r2=2", "mlfm:h=3"},
        {"dragonfly:h=1,a=4,p=1,g=1", "fullmesh:n=4,p=1"},
        {"dragonfly:h=2,arrangement=relative", "dragonfly:h=2,arrangement=palmtree"},
        {"dragonfly:h=3,a=2,p=1,g=7,arrangement=relative",
         "dragonfly:h=3,a=2,p=1,g=7,arrangement=palmtree"},
        {"dragonfly:h=4,a=1,p=2,g=5", "fullmesh:n=5,p=2"},
        {"jellyfish:N=6,d=5,p=2", "fullmesh:n=6,p=2"},
        {"lrt:N=16,d=15,r=6", "fullmesh:n=16,p=1"},
        {"crossbar:n=8", "fullmesh:n=1,p=8"},
        {"crossbar:n=8", "xgft:m=8,w=1"},
        {"dragonflyplus:h=1,leaves=3,spines=4,p=4,g=1", "xgft:m=4:3,w=1:4"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!same_fabric(pairs[i][0], pairs[i][1]))
            fail_msg("%s and %s are not isomorphic", pairs[i][0], pairs[i][1]);
}

static void different_ones_are_told_apart(void **state)
{
    (void)state;
    assert_false(same_fabric("torus:dims=4:4", "mesh:dims=4:4"));
    assert_false(same_fabric("jellyfish:N=20,d=3,seed=1", "jellyfish:N=20,d=3,seed=2"));
    /* their path counts differ too */
    assert_false(same_fabric("slimfly:q=11,p=1,xi=2", "slimfly:q=11,p=1,xi=7"));
    assert_true(same_fabric("slimfly:q=13,p=1,xi=2", "slimfly:q=13,p=1,xi=7"));
    assert_true(same_fabric("jellyfish:N=20,d=3,seed=5", "jellyfish:N=20,d=3,seed=5"));
}

/* A named graph of igraph's own collection. */
static void expect_named(const char *spec, const char *name)
{
    ik_fabric *f = must_build("%s", spec);
    igraph_t ours = to_igraph(f, false), theirs;
    assert_int_equal(igraph_famous(&theirs, name), IGRAPH_SUCCESS);
    assert_true(isomorphic(&ours, &theirs));
    igraph_destroy(&ours);
    igraph_destroy(&theirs);
    ik_fabric_free(f);
}

/* Two copies of the pentagon-pentagram construction: the Hoffman-Singleton graph by Robertson's
 * rule, written without any field.
 */
static void hoffman_singleton(void **state)
{
    (void)state;
    igraph_vector_int_t edges;
    igraph_vector_int_init(&edges, 0);
    for (int h = 0; h < 5; h++) {
        for (int j = 0; j < 5; j++) {
            igraph_vector_int_push_back(&edges, 5 * h + j); /* pentagon h */
            igraph_vector_int_push_back(&edges, 5 * h + (j + 1) % 5);
            igraph_vector_int_push_back(&edges, 25 + 5 * h + j); /* pentagram h */
            igraph_vector_int_push_back(&edges, 25 + 5 * h + (j + 2) % 5);
            for (int i = 0; i < 5; i++) {
                igraph_vector_int_push_back(&edges, 5 * h + j);
                igraph_vector_int_push_back(&edges, 25 + 5 * i + (h * i + j) % 5);
            }
        }
    }
    igraph_t theirs;
    igraph_create(&theirs, &edges, 50, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&edges);
    ik_fabric *f = must_build("slimfly:q=5");
    igraph_t ours = to_igraph(f, false);
    assert_true(isomorphic(&ours, &theirs));
    igraph_real_t girth = 0;
    igraph_girth(&ours, &girth, NULL);
    assert_int_equal((int)girth, 5);
    igraph_destroy(&ours);
    igraph_destroy(&theirs);
    ik_fabric_free(f);
}

static void named_graphs(void **state)
{
    (void)state;
    expect_named("hypercube:n=3", "Cubical");
    expect_named("fullmesh:n=4", "Tetrahedron");
}

/* Degree, diameter and simplicity as igraph sees them. */
static void judged_by_igraph(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int degree, diameter;
    } rows[] = {
        {"slimfly:q=7", 11, 2},         {"slimfly:q=8", 12, 2},
        {"slimfly:q=9", 13, 2},         {"hyperx:dims=4:5:3", 9, 3},
        {"torus:dims=5:6", 4, 5},       {"torus:dims=4:4:4", 6, 6},
        {"hypercube:n=7", 7, 7},        {"dragonfly:h=3", 8, 3},
        {"jellyfish:N=100,d=7", 7, -1}, {"lrt:N=64,d=4,r=2", 4, -1},
        {"lrt:N=256,d=4,r=4", 4, -1},   {"fullmesh:n=30", 29, 1},
        {"slimfly:q=16,p=ceil", 24, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_fabric *f = must_build("%s", rows[i].spec);
        igraph_t g = to_igraph(f, false);
        igraph_vector_int_t degrees;
        igraph_vector_int_init(&degrees, 0);
        igraph_degree(&g, &degrees, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS);
        assert_int_equal(igraph_vector_int_min(&degrees), rows[i].degree);
        assert_int_equal(igraph_vector_int_max(&degrees), rows[i].degree);
        igraph_bool_t simple = false, connected = false;
        igraph_is_simple(&g, &simple);
        igraph_is_connected(&g, &connected, IGRAPH_WEAK);
        assert_true(simple && connected);
        igraph_real_t diameter = 0;
        igraph_diameter(&g, &diameter, NULL, NULL, NULL, NULL, false, false);
        assert_true(rows[i].diameter < 0 || (int)diameter == rows[i].diameter);
        igraph_vector_int_destroy(&degrees);
        igraph_destroy(&g);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coinciding_families), cmocka_unit_test(different_ones_are_told_apart),
        cmocka_unit_test(hoffman_singleton),   cmocka_unit_test(named_graphs),
        cmocka_unit_test(judged_by_igraph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
