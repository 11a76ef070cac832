/* SPDX-License-Identifier: Apache-2.0
 *
 * Which host a process runs on: every rule against what it says, sets and files, refusals with
 * places; and classes of messages in graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h> /* after what it needs */

#include "ikat/ikat.h"
#include "traffic/workload/graph_builder.h"
#include "traffic/workload/mapping.h"

static const ik_param params[] = {PROCESSES_PARAM, MAPPING_PARAMS, {0}};

static ik_fabric *fabric_of(const char *spec)
{
    ik_fabric *f = NULL;
    ik_error err;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

static ik_status map(const ik_fabric *f, const char *hosts, const char *rule, uint64_t processes,
                     uint64_t seed, mapping *m, ik_error *err)
{
    ik_params p;
    assert_int_equal(ik_params_init(&p, params, NULL, err), IK_OK);
    ik_status status = hosts ? ik_params_set(&p, "job", "hosts", hosts, 0, 0, err) : IK_OK;
    if (status == IK_OK)
        status = ik_params_set(&p, "job", "mapping", rule, 0, 0, err);
    if (status == IK_OK)
        status = mapping_make(f, "job", &p, processes, seed, NULL, m, err);
    ik_params_free(&p);
    return status;
}

static void expect(const char *fabric, const char *hosts, const char *rule, uint64_t processes,
                   const char *wanted)
{
    ik_fabric *f = fabric_of(fabric);
    mapping m = {0};
    ik_error err;
    char text[400] = "";
    if (map(f, hosts, rule, processes, 1, &m, &err) != IK_OK)
        fail_msg("%s %s: %s", fabric, rule, err.text);
    for (uint32_t i = 0; i < m.num; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? " " : "", m.host[i]);
    assert_string_equal(text, wanted);
    mapping_free(&m);
    ik_fabric_free(f);
}

static void test_rules(void **state)
{
    (void)state;
    expect("karytree:k=2,n=3", NULL, "linear", 0, "0 1 2 3 4 5 6 7");
    expect("karytree:k=2,n=3", NULL, "linear", 3, "0 1 2");
    expect("karytree:k=2,n=3", "6:0..2", "linear", 0, "6 0 1 2");
    expect("karytree:k=2,n=3", NULL, "by_leaf", 0, "0 2 4 6 1 3 5 7");
    expect("karytree:k=2,n=3", NULL, "by_leaf", 5, "0 2 4 6 1");
    expect("karytree:k=2,n=3", NULL, "by_pod", 0, "0 4 1 5 2 6 3 7");
    expect("karytree:k=2,n=3", "0..2:5", "by_leaf", 0, "0 2 5 1");
    expect("karytree:k=2,n=3", "5:0:1:4", "by_leaf", 0, "5 0 4 1");
    expect("karytree:k=2,n=3", "3..7", "by_pod", 0, "3 4 5 6 7");
    expect("mesh:dims=4,p=2", NULL, "by_leaf", 0, "0 2 4 6 1 3 5 7");
}

static void test_random(void **state)
{
    ik_fabric *f = fabric_of("crossbar:n=200");
    mapping a = {0}, b = {0}, c = {0};
    ik_error err;
    bool seen[200] = {0};
    (void)state;
    assert_int_equal(map(f, "0..99:150..199", "random", 120, 1, &a, &err), IK_OK);
    assert_int_equal(map(f, "0..99:150..199", "random", 120, 1, &b, &err), IK_OK);
    assert_int_equal(map(f, "0..99:150..199", "random", 120, 2, &c, &err), IK_OK);
    assert_memory_equal(a.host, b.host, 120 * sizeof *a.host);
    assert_memory_not_equal(a.host, c.host, 120 * sizeof *a.host);
    for (uint32_t i = 0; i < 120; i++) {
        assert_true(a.host[i] < 100 || (a.host[i] >= 150 && a.host[i] < 200));
        assert_false(seen[a.host[i]]);
        seen[a.host[i]] = true;
    }
    mapping_free(&a);
    mapping_free(&b);
    mapping_free(&c);
    ik_fabric_free(f);
}

/* Hosts without a cable are left out unless they are named. */
static void test_hosts_without_a_cable(void **state)
{
    ik_fabric *f = fabric_of("crossbar:n=4"), *less = NULL;
    uint32_t port = ik_host_port(f, 2);
    mapping m = {0};
    ik_error err;
    (void)state;
    assert_int_equal(ik_fabric_degrade(f, &port, 1, NULL, 0, &less, &err), IK_OK);
    assert_int_equal(map(less, NULL, "linear", 0, 1, &m, &err), IK_OK);
    assert_int_equal(m.num, 3);
    assert_int_equal(m.host[2], 3);
    assert_true(m.of_fabric && !m.identity);
    mapping_free(&m);
    assert_int_equal(map(less, "1..2", "linear", 0, 1, &m, &err), IK_ERR_USAGE);
    assert_non_null(strstr(err.text, "host 2 has no cable"));
    ik_fabric_free(less);
    ik_fabric_free(f);
}

static char *write_file(const char *text)
{
    static char path[] = "/tmp/ikat_mapping_XXXXXX";
    memcpy(path + strlen(path) - 6, "XXXXXX", 6);
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    return path;
}

static void test_files(void **state)
{
    static const struct {
        const char *text, *wrong; /* NULL = good: hosts 3 0 1 */
        unsigned line, column;
        const char *hint;
    } cases[] = {
        {"3\n0 # first\n\n  1", NULL, 0, 0, NULL},
        {"# hosts\n3\r\n0\r\n1\r\n", NULL, 0, 0, NULL},
        {"3\n0\n 3\n1\n", "host '3' (number 3) has a process already, by line 1", 3, 2, NULL},
        {"3\n9\n", "no host '9'", 2, 1, "0 to 7"},
        {"3\n0 1\n", "more than one word", 2, 3, "one host"},
        {"# nothing\n", "no host in the file: it ends here", 1, 1, NULL},
        {"3\n0\n", "2 hosts for 3 processes: the file ends here", 2, 0, "runs one at most"},
    };
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *path = write_file(cases[k].text);
        mapping m = {0};
        ik_error err = {0};
        ik_status status = map(f, NULL, path, 3, 1, &m, &err);
        unlink(path);
        if (!cases[k].wrong) {
            assert_int_equal(status, IK_OK);
            assert_int_equal(m.num, 3);
            assert_true(m.host[0] == 3 && m.host[1] == 0 && m.host[2] == 1);
            mapping_free(&m);
            continue;
        }
        assert_true(status == IK_ERR_INPUT || status == IK_ERR_USAGE);
        if (!strstr(err.text, cases[k].wrong) || err.line != cases[k].line ||
            err.column != cases[k].column || !strstr(err.hint, cases[k].hint ? cases[k].hint : ""))
            fail_msg("%zu: %u:%u %s (%s)", k, err.line, err.column, err.text, err.hint);
    }
    ik_fabric_free(f);
}

static void test_names(void **state)
{
    ik_fabric *f = fabric_of("file:" TEST_DATA "/fabrics/"
                             "ft648.net.gz");
    mapping m = {0};
    ik_error err = {0};
    char text[200];
    (void)state;
    assert_non_null(f->node_name);
    const char *name = f->node_name[ik_host_node(f, 1)];
    char *path = write_file(name);
    assert_int_equal(map(f, NULL, path, 0, 1, &m, &err), IK_OK);
    assert_int_equal(m.host[0], 1);
    mapping_free(&m);
    unlink(path);
    snprintf(text, sizeof text, "%sx", name);
    path = write_file(text);
    assert_int_equal(map(f, NULL, path, 0, 1, &m, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.hint, "did you mean"));
    unlink(path);
    ik_fabric_free(f);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *fabric, *hosts, *rule;
        uint64_t processes;
        const char *words;
    } cases[] = {
        {"crossbar:n=4", NULL, "linear", 5, "5 processes on 4 hosts"},
        {"crossbar:n=4", "0..1", "random", 3, "3 processes on 2 hosts"},
        {"crossbar:n=4", "0..4", "linear", 0, "no host 4"},
        {"crossbar:n=4", "4294967290..4294967294", "linear", 0, "no host 4294967290"},
        {"crossbar:n=4", "1:0..3", "linear", 0, "host 1 appears twice"},
        {"torus:dims=4:4", NULL, "by_pod", 0, "has no pods"},
        {"crossbar:n=4", NULL, "/no/such/file", 0, "cannot be opened"},
        {"crossbar:n=4", "2..1", "linear", 0, "not a list of whole numbers and ranges"},
        {"crossbar:n=4", "0..", "linear", 0, "not a list of whole numbers and ranges"},
        {"crossbar:n=4", "0:", "linear", 0, "not a list of whole numbers and ranges"},
        {"crossbar:n=4", "", "linear", 0, "not a list of whole numbers and ranges"},
        {"crossbar:n=4", "0...2", "linear", 0, "not a list of whole numbers and ranges"},
        {"crossbar:n=4", "99999999999", "linear", 0, "not a list of whole numbers and ranges"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_fabric *f = fabric_of(cases[k].fabric);
        mapping m = {0};
        ik_error err = {0};
        assert_int_not_equal(map(f, cases[k].hosts, cases[k].rule, cases[k].processes, 1, &m, &err),
                             IK_OK);
        if (!strstr(err.text, cases[k].words))
            fail_msg("%zu: %s", k, err.text);
        ik_fabric_free(f);
    }
}

/* One text for one set. */
static void test_texts_of_sets(void **state)
{
    static const char *const texts[][2] = {{"0..3", "0..3"},          {"0:1:2:3", "0..3"},
                                           {"0..1:2..3", "0..3"},     {"5:0:9", "5:0:9"},
                                           {" 3 .. 4 : 7", "3..4:7"}, {"4:3", "4:3"}};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        ik_params p;
        ik_error err;
        assert_int_equal(ik_params_init(&p, params, NULL, &err), IK_OK);
        assert_int_equal(ik_params_set(&p, "job", "hosts", texts[k][0], 0, 0, &err), IK_OK);
        assert_string_equal(ik_params_text(&p, "hosts"), texts[k][1]);
        ik_params_free(&p);
    }
}

/* ---- where a workload's processes are is what its messages go between */

static ik_traffic *traffic_of(const ik_fabric *f, const char *spec)
{
    ik_traffic *t = NULL;
    ik_env env = {.seed = 7};
    ik_error err;
    if (ik_traffic_from_spec(f, spec, &env, &t, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return t;
}

/* Every host of the set visits every other one once, and nobody else. */
static void test_alltoall_of_some_hosts(void **state)
{
    static const char *const orders[] = {"random", "shift", "pairwise", "nearest_first"};
    ik_fabric *f = fabric_of("karytree:k=3,n=3");
    (void)state;
    for (unsigned o = 0; o < 4; o++)
        for (unsigned n = 1; n < 9; n++) {
            char spec[120];
            snprintf(spec, sizeof spec,
                     "exchange:hosts=3..9:20:13,mapping=by_leaf,processes=%u,order=%s", n + 1,
                     orders[o]);
            ik_traffic *t = traffic_of(f, spec);
            const ik_workload *w = t->workload;
            assert_int_equal(w->num_messages, (n + 1) * n);
            for (uint32_t host = 0, seen = 0; host < 27; host++, seen = 0) {
                if (!ik_alltoall_has(w->alltoall, host))
                    continue;
                for (uint32_t k = 0; k < n; k++) {
                    uint32_t to = ik_alltoall_dest(w, host, ik_alltoall_key(w, host), k);
                    assert_true(to != host && to < 27 && ik_alltoall_has(w->alltoall, to));
                    assert_false(seen >> to & 1);
                    seen |= 1u << to;
                }
            }
            ik_traffic_free(t);
        }
    ik_fabric_free(f);
}

static void test_messages_between_hosts(void **state)
{
    static const uint32_t hosts[] = {3, 6, 0, 7, 1};
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_traffic *t = traffic_of(f, "exchange:pattern=shift,hosts=3:6:0:7:1");
    const ik_graph *g = t->workload->graph;
    (void)state;
    assert_int_equal(t->workload->num_messages, 5);
    assert_int_equal(t->workload->num_classes, 1);
    for (unsigned i = 0; i < 5; i++) {
        uint32_t host = hosts[i], sends = 0;
        for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
            sends += g->kind[op] == IK_OP_SEND;
            if (g->kind[op] == IK_OP_SEND)
                assert_int_equal(g->ops[op].peer, hosts[(i + 1) % 5]);
        }
        assert_int_equal(sends, 1);
        assert_int_equal(t->family->dest(t, host, 0), hosts[(i + 1) % 5]);
    }
    assert_true(ik_traffic_is_silent(t, 2));
    ik_traffic_free(t);
    ik_fabric_free(f);
}

/* The portable spec of a mapping that another fabric would make otherwise. */
static void test_portable(void **state)
{
    ik_fabric *tree = fabric_of("karytree:k=2,n=3"), *crossbar = fabric_of("crossbar:n=8");
    ik_traffic *t = traffic_of(tree, "exchange:bytes=1 KiB,mapping=by_pod,processes=5"), *u;
    (void)state;
    assert_string_equal(t->portable, "exchange:bytes=1 KiB,processes=5,hosts=0:4:1:5:2");
    u = traffic_of(crossbar, t->portable);
    assert_memory_equal(t->workload->alltoall->host, u->workload->alltoall->host, 5 * 4);
    ik_traffic_free(u);
    ik_traffic_free(t);
    t = traffic_of(tree, "exchange:mapping=random");
    assert_null(t->portable);
    ik_traffic_free(t);
    ik_fabric_free(tree);
    ik_fabric_free(crossbar);
}

/* ---- classes */

static void test_classes(void **state)
{
    graph_builder b = {.num_hosts = 3, .source = "test"};
    ik_workload w;
    ik_error err;
    (void)state;
    assert_int_equal(graph_class(&b, "one"), 0);
    graph_message(&b, 0, 1, 10, NULL);
    assert_int_equal(graph_class(&b, "two"), 1);
    graph_message(&b, 1, 2, 20, NULL);
    assert_int_equal(graph_class(&b, "one"), 0);
    uint32_t send = graph_add(&b, 2, IK_OP_SEND, 30, 0, 0, 0);
    b.class_now = 1;
    graph_add(&b, 0, IK_OP_RECV, 30, 2, 0, 0);
    assert_true(send != IK_NONE);
    assert_int_equal(graph_finish(&b, &w, &err), IK_OK);
    assert_int_equal(w.num_classes, 2);
    assert_string_equal(w.classes[0], "one");
    assert_string_equal(w.classes[1], "two");
    assert_null(w.classes[2]);
    for (uint32_t op = 0; op < w.graph->num_ops; op++)
        assert_int_equal(w.graph->op_class[op], w.graph->ops[op].amount == 20);
    ik_workload_clear(&w);

    b = (graph_builder){.num_hosts = 1, .source = "test"};
    char name[20];
    for (unsigned k = 0; k < 300; k++) {
        snprintf(name, sizeof name, "%u", k);
        assert_int_equal(graph_class(&b, name), k);
    }
    assert_int_equal(graph_finish(&b, &w, &err), IK_OK);
    assert_int_equal(w.num_classes, 300);
    assert_string_equal(w.classes[299], "299");
    ik_workload_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_hosts_without_a_cable),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_texts_of_sets),
        cmocka_unit_test(test_alltoall_of_some_hosts),
        cmocka_unit_test(test_messages_between_hosts),
        cmocka_unit_test(test_portable),
        cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
