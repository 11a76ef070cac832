/* SPDX-License-Identifier: Apache-2.0
 *
 * Edge lists of layout-conscious topologies: the reference graphs are read and written back byte by
 * byte, and wrong files are refused with their place.
 */
#include "topo_graph.h"

#include <unistd.h>

static char *slurp(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = calloc(1, 1 << 20);
    *size = fread(text, 1, (1 << 20) - 1, in);
    fclose(in);
    return text;
}

static void reference_graphs(void **state)
{
    (void)state;
    char path[512], copy[64] = "/tmp/ikat-lrt-XXXXXX.lrt";
    snprintf(path, sizeof path, "%s/loren/graphs.json", TEST_DATA);
    json_t *root = json_load_file(path, 0, NULL), *one = NULL;
    const char *name = NULL;
    assert_non_null(root);
    int handle = mkstemps(copy, 4);
    assert_true(handle >= 0);
    close(handle);
    json_object_foreach(root, name, one)
    {
        snprintf(path, sizeof path, "%s/lrt/%s", TEST_DATA, name);
        ik_fabric *f = NULL;
        ik_error err = {0};
        if (ik_fabric_read(path, NULL, NULL, &f, &err) != IK_OK)
            fail_msg("%s: %s", path, err.text);
        assert_int_equal(ik_fabric_check(f, &err), IK_OK);
        assert_int_equal(f->num_switches, json_uint(one, "N"));
        assert_int_equal(f->num_hosts, json_uint(one, "N"));
        switch_graph g = graph_of(f);
        pair_counts *c = count_pairs(&g, false);
        assert_int_equal(c->total_distance, json_uint(one, "hops_total"));
        assert_int_equal(c->diameter, json_uint(one, "diam"));
        free(c);
        graph_free(&g);
        assert_int_equal(ik_fabric_write(f, copy, "lrt", &err), IK_OK);
        size_t before = 0, after = 0;
        char *first = slurp(path, &before), *second = slurp(copy, &after);
        assert_int_equal(before, after);
        assert_memory_equal(first, second, before);
        free(first);
        free(second);
        ik_fabric_free(f);
    }
    unlink(copy);
    json_decref(root);
}

static void generated_and_read_are_the_same(void **state)
{
    (void)state;
    char copy[64] = "/tmp/ikat-lrt-XXXXXX.lrt";
    int handle = mkstemps(copy, 4);
    assert_true(handle >= 0);
    close(handle);
    ik_error err = {0};
    ik_fabric *made = must_build("lrt:N=36,d=4,r=3,seed=5"), *read = NULL;
    assert_int_equal(ik_fabric_write(made, copy, NULL, &err), IK_OK);
    assert_int_equal(ik_fabric_read(copy, NULL, NULL, &read, &err), IK_OK);
    assert_int_equal(made->num_ports, read->num_ports);
    assert_memory_equal(made->port_peer, read->port_peer,
                        made->num_ports * sizeof *made->port_peer);
    ik_fabric_free(made);
    ik_fabric_free(read);
    unlink(copy);
}

static void wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
    } rows[] = {
        {"", 0},
        {"4 2\n0 1\n", 1},
        {"5 2 2\n0 1\n", 1},
        {"4 60000 2\n0 1\n", 1},
        {"4 2 1\n0 1\n0 2\n1 3\n", 0},      /* an edge is missing */
        {"4 2 1\n0 1\n0 1\n1 3\n2 3\n", 3}, /* twice */
        {"4 2 1\n0 1\n0 2\n0 3\n2 3\n", 4}, /* too long */
        {"4 2 1\n0 1\n0 4\n1 3\n2 3\n", 3}, /* no such switch */
        {"4 2 1\n0 1\n0 2\n1 1\n2 3\n", 4},
        {"4 2 1\n0 1 7\n0 2\n1 3\n2 3\n", 2},
    };
    const ik_format *format = ik_format_find("lrt");
    assert_non_null(format);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        assert_int_equal(ik_fabric_read_memory(rows[i].text, strlen(rows[i].text), "x.lrt", format,
                                               NULL, &f, &err),
                         IK_ERR_INPUT);
        assert_true(rows[i].line == 0 || err.line == rows[i].line);
        assert_null(f);
    }
}

static void what_is_no_floor_is_not_written(void **state)
{
    (void)state;
    static const char *const specs[] = {"jellyfish:N=16,d=3", "lrt:N=24,d=3,r=3,width=6",
                                        "mesh:dims=4:4", "torus:dims=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = must_build("%s", specs[i]);
        ik_error err = {0};
        assert_int_equal(ik_fabric_write(f, "/tmp/ikat-never-written.lrt", "lrt", &err),
                         IK_ERR_UNSUPPORTED);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_graphs),
        cmocka_unit_test(generated_and_read_are_the_same),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(what_is_no_floor_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
