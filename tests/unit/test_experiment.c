/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment files: what they stand for, and how wrong ones are refused.
 */
#include "experiment/experiment_impl.h"
#include "experiment/yaml/sweep.h"
#include "unit/experiment_text.h"

#define BASE "fabric: karytree:k=4,n=2\nrouting: dmodk\n"

static void assert_values(const char *text, section_id id, const char *const *labels)
{
    ik_experiment *e = read_ok(text, NULL);
    size_t num = 0;
    while (labels[num])
        num++;
    assert_int_equal(e->sections[id].num, num);
    for (size_t i = 0; i < num; i++)
        assert_string_equal(e->sections[id].items[i].label, labels[i]);
    ik_experiment_free(e);
}

#define VALUES(text, id, ...) assert_values(text, id, (const char *const[]){__VA_ARGS__, NULL})

/* ---- values */

static void test_ranges(void **state)
{
    (void)state;
    VALUES(BASE "load: 10%..50% step 20%\n", SECTION_LOAD, "0.1", "0.3", "0.5");
    VALUES(BASE "load: 0.1..0.3 step 0.1\n", SECTION_LOAD, "0.1", "0.2", "0.3");
    VALUES(BASE "load: [2%, 5%..15% step 5%, 0.9]\n", SECTION_LOAD, "0.02", "0.05", "0.1", "0.15",
           "0.9");
    VALUES(BASE "seeds: 3..5\n", SECTION_SEEDS, "3", "4", "5");
    VALUES(BASE "seeds: 2\n", SECTION_SEEDS, "1", "2");
    VALUES(BASE "seeds: 1..9 times 1e30\n", SECTION_SEEDS, "1");
    VALUES(BASE "seeds: 1..4 times 1.0001\n", SECTION_SEEDS, "1", "2", "3", "4");
    VALUES(BASE "seeds: [7]\n", SECTION_SEEDS, "7");
    VALUES(BASE "adapter: { packet: 512 B..4 KiB times 2 }\n", SECTION_ADAPTER, "packet=512 B",
           "packet=1 KiB", "packet=2 KiB", "");
    VALUES(BASE "measure: { duration: 1 us..2 us step 500 ns }\n", SECTION_MEASURE, "duration=1 us",
           "duration=1.5 us", "duration=2 us");
}

static void test_every_percent_is_exact(void **state)
{
    (void)state;
    ik_experiment *e = read_ok(BASE "load: 1%..100% step 1%\n", NULL);
    assert_int_equal(e->sections[SECTION_LOAD].num, 100);
    for (int i = 0; i < 100; i++) {
        double expected = (i + 1) / 100.0;
        assert_true(e->sections[SECTION_LOAD].items[i].params.values[0].r == expected);
    }
    ik_experiment_free(e);
}

static void test_families(void **state)
{
    (void)state;
    VALUES("fabric: {family: karytree, k: [2, 4], n: 2..3}\nrouting: dmodk\n", SECTION_FABRIC,
           "karytree:k=2,n=2", "karytree:k=2,n=3", "karytree:k=4,n=2", "karytree:k=4,n=3");
    VALUES("fabric: {family: xgft, m: [4, 4], w: [1, 2]}\nrouting: dmodk\n", SECTION_FABRIC,
           "xgft:m=4:4,w=1:2");
    VALUES("fabric: {family: xgft, m: [[4, 4], [8, 8]], w: 1:2}\nrouting: dmodk\n", SECTION_FABRIC,
           "xgft:m=4:4,w=1:2", "xgft:m=8:8,w=1:2");
    VALUES("fabric: [\"karytree:k=2,n=2\", {family: karytree:k=4, n: 3}]\nrouting: dmodk\n",
           SECTION_FABRIC, "karytree:k=2,n=2", "karytree:k=4,n=3");
    VALUES(BASE "traffic: [uniform, {family: shift, by: [1, 4]}]\n", SECTION_TRAFFIC, "uniform",
           "shift", "shift:by=4");
    VALUES(BASE, SECTION_VC, "auto");
}

#define MIX BASE "traffic:\n  family: mix\n  members:\n"

/* Patterns listed within a pattern: one canonical text however they are written, every sweep of
 * theirs multiplied. */
static void test_patterns(void **state)
{
    (void)state;
    VALUES(MIX
           "  - {pattern: uniform}\n  - {share: 20%, name: x, pattern: {family: shift, by: 2}}\n",
           SECTION_TRAFFIC, "mix:members=uniform+20%*x=shift:by=2");
    VALUES(BASE "traffic: mix:uniform + 20 % * x = hotspot:nodes=3;fraction=0.25\n",
           SECTION_TRAFFIC, "mix:members=uniform+20%*x=hotspot:nodes=3;fraction=0.25");
    VALUES(MIX
           "  - {share: [1, 2.5], pattern: [uniform, {family: shift, by: 2..3}]}\n  - 3*shift\n",
           SECTION_TRAFFIC, "mix:members=1*uniform+3*shift", "mix:members=1*shift:by=2+3*shift",
           "mix:members=1*shift:by=3+3*shift", "mix:members=2.5*uniform+3*shift",
           "mix:members=2.5*shift:by=2+3*shift", "mix:members=2.5*shift:by=3+3*shift");
    VALUES(MIX "  - {pattern: uniform}\n  - {share: 10%..30% step 10%, pattern: shift}\n",
           SECTION_TRAFFIC, "mix:members=uniform+10%*shift", "mix:members=uniform+20%*shift",
           "mix:members=uniform+30%*shift");
    VALUES(BASE "traffic: {family: mix, members: [[{pattern: uniform}], [{pattern: shift}, "
                "{pattern: uniform}], uniform+shift]}\n",
           SECTION_TRAFFIC, "mix:members=uniform", "mix:members=shift+uniform",
           "mix:members=uniform+shift");
    VALUES("fabric: karytree:k=4,n=2\nrouting: {family: colored, traffic: [\"shift:by=2\", "
           "[{pattern: shift}, {pattern: wrf}]]}\n",
           SECTION_ROUTING, "colored:traffic=shift:by=2", "colored:traffic=shift+wrf");
    ik_experiment *e = read_ok(BASE "traffic: mix:shift+2*file:a.flows\n", NULL);
    const variant *v = &e->sections[SECTION_TRAFFIC].items[0];
    assert_string_equal(v->full, "mix:members=shift:by=1+2*file:path=a.flows");
    assert_int_equal(v->num_files, 1);
    assert_string_equal(v->files[0], "a.flows");
    ik_experiment_free(e);
    refused(MIX "  - {pattern: unifrom}\n", 6, 15, "'unifrom'", "uniform");
    refused(MIX "  - {pattern: uniform, shares: 2}\n", 6, 24, "'shares'", "share");
    refused(MIX "  - {share: 2}\n", 6, 0, "the key 'pattern'", NULL);
    refused(MIX "  - {pattern: uniform, name: [a, b]}\n", 6, 0, "'name' of a pattern", NULL);
    refused(MIX "  - {pattern: {family: shift, by: x}}\n", 6, 0, "'x'", NULL);
    refused(MIX "  - {pattern: uniform}\n  - [uniform]\n", 7, 0, "a list among", NULL);
    refused(MIX "  - {pattern: {family: mix, members: uniform}}\n", 6, 0, "cannot be a member",
            NULL);
    refused(BASE "traffic: mix:uniform+mix:mix:mix:uniform\n", 3, 0, "cannot be a member", NULL);
    refused(BASE "traffic: mix:uniform+shift:by=2x\n", 3, 0, "'2x'", NULL);
    refused(BASE "traffic: mix:uniform+\n", 3, 0, "is no member", NULL);
    refused(BASE "traffic: {family: mix, members: []}\n", 3, 0, "empty list", NULL);
}

static void test_points(void **state)
{
    (void)state;
    ik_experiment *e = read_ok(
        "fabric: karytree:k=4,n=2\nrouting: [dmodk, smodk]\ntraffic: [uniform, shift:by=4]\n"
        "load: [10%, 20%, 30%]\nseeds: 2\nswitch: {voq: [true, false], iterations: [1, 2]}\n",
        NULL);
    assert_int_equal(ik_experiment_num_points(e), 2 * 2 * 3 * 2 * 4);
    point first = experiment_point(e, 0), second = experiment_point(e, 1),
          last = experiment_point(e, 95);
    assert_int_equal(experiment_seed(e, &first), 1);
    assert_int_equal(experiment_seed(e, &second), 2);
    assert_string_equal(experiment_variant(e, &first, SECTION_ROUTING)->label, "dmodk");
    assert_string_equal(experiment_variant(e, &last, SECTION_ROUTING)->label, "smodk");
    assert_string_equal(experiment_variant(e, &last, SECTION_SWITCH)->label,
                        "voq=false,iterations=2");
    assert_true(experiment_load(e, &last) == 0.3);
    ik_experiment_free(e);
}

/* A label is stored with the pattern and is no part of what it is made of. */
static void test_labels(void **state)
{
    (void)state;
    ik_experiment *e = read_ok(
        BASE "traffic: [uniform, {family: shift, by: [2, 4]}, \"shift:by=3,label=next one\"]\n",
        NULL);
    const variant *v = e->sections[SECTION_TRAFFIC].items;
    assert_int_equal(e->sections[SECTION_TRAFFIC].num, 4);
    assert_null(strstr(v[0].full, "label"));
    assert_string_equal(v[3].label, "shift:by=3,label=next one");
    assert_non_null(strstr(v[3].full, "label=next one"));
    assert_string_equal(v[3].spec, "shift:by=3");
    ik_experiment_free(e);
    const char *const twice[] = {"{family: uniform, label: [a, b]}",
                                 "[uniform, {family: uniform, label: b}]",
                                 "[{family: uniform, label: b}, \"uniform\"]",
                                 "[{family: shift, by: 1, label: a}, \"shift:label=b\"]"};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        char text[256];
        snprintf(text, sizeof text, BASE "traffic: %s\n", twice[i]);
        refused(text, 3, 0, "the same pattern twice", "one label");
    }
    refused(BASE "traffic: {family: uniform, label: [a, b]}\n", 3, 0,
            "label 'a' and with label 'b'", NULL);
    refused(BASE "traffic: {family: shift, by: [1, 2], label: a}\n", 3, 0, "two patterns", NULL);
    refused(BASE "traffic: [{family: uniform, label: a}, {family: shift, label: a}]\n", 3, 0,
            "two patterns have the label 'a'", NULL);
    const char *const marks[] = {"a,b", "a:b", "a;b", "a=b", "a+b", "a&b", "a|b"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char text[256];
        snprintf(text, sizeof text, BASE "traffic: {family: uniform, label: \"%s\"}\n", marks[i]);
        refused(text, 3, 0, marks[i], NULL);
    }
    refused(BASE
            "traffic: {family: mix, members: [{pattern: {family: uniform, label: a}}, uniform]}"
            "\n",
            3, 0, "a member has no 'label'", NULL);
    refused(BASE "traffic: \"mix:uniform:label=a+uniform\"\n", 3, 0, "a member has no 'label'",
            NULL);
}

static void test_anchors(void **state)
{
    (void)state;
    ik_experiment *e = read_ok(
        "fabric: &f karytree:k=4,n=2\nrouting: dmodk\nswitch: &s { iterations: 2 }\n"
        "title: *f\ndescription: \"two words\"\nmeasure:\n  <<: {warmup: 7 us}\n  duration: 9 us\n",
        NULL);
    assert_string_equal(e->title, "karytree:k=4,n=2");
    assert_string_equal(e->sections[SECTION_MEASURE].items[0].label, "warmup=7 us,duration=9 us");
    ik_experiment_free(e);
}

static void test_overrides(void **state)
{
    (void)state;
    const char *const overrides[] = {"load=[10%, 20%]", "switch.voq=false", "fabric.k=2", "seeds=1",
                                     NULL};
    ik_experiment *e = read_ok(BASE "load: 90%\nseeds: 5\n", overrides);
    assert_int_equal(ik_experiment_num_points(e), 2);
    assert_string_equal(e->sections[SECTION_FABRIC].items[0].label, "karytree:k=2,n=2");
    assert_string_equal(e->sections[SECTION_SWITCH].items[0].label, "voq=false");
    ik_experiment_free(e);
    ik_error err = {0};
    const char *const unknown[] = {"switch.vqo=false", NULL};
    e = NULL;
    assert_int_equal(ik_experiment_read_memory(BASE, strlen(BASE), "test.yaml", unknown, &e, &err),
                     IK_ERR_INPUT);
    assert_string_equal(err.file, "--set switch.vqo");
    assert_non_null(strstr(err.hint, "voq"));
    const char *const no_value[] = {"switch", NULL};
    assert_int_equal(ik_experiment_read_memory(BASE, strlen(BASE), "test.yaml", no_value, &e, &err),
                     IK_ERR_USAGE);
}

/* ---- refusals: place, expectation, nearest name */

static void test_refused_names(void **state)
{
    (void)state;
    refused("fabrik: x\n", 1, 1, "fabrik", "fabric");
    refused("fabric: karytre:k=4,n=2\nrouting: dmodk\n", 1, 9, "karytre", "karytree");
    refused("fabric: karytree:k=4,n=2\nrouting: dmodx\n", 2, 10, "dmodx", "dmodk");
    refused(BASE "switch:\n  bufer: 3 KiB\n", 4, 3, "bufer", "buffer");
    refused("fabric: {family: karytree, kk: 4, n: 2}\nrouting: dmodk\n", 1, 28, "kk", "k");
    refused(BASE "traffic: {by: 3}\n", 3, 10, "names no traffic pattern", "family");
    refused("fabric: [karytree:k=2,n=2]\nrouting: dmodk\n", 1, 23, "cut off", "quotes");
    refused("routing: dmodk\n", 1, 1, "no 'fabric'", "fabric");
    refused("fabric: karytree:k=4\nrouting: dmodk\n", 1, 9, "needs parameter 'n'", "n");
}

static void test_refused_values(void **state)
{
    (void)state;
    refused(BASE "switch:\n  buffer: 3 ns\n", 4, 11, "unit does not fit", "KiB");
    refused(BASE "load: 150%\n", 3, 7, "out of range", NULL);
    refused(BASE "load: 10%..90%\n", 3, 7, "no step", "step");
    refused(BASE "load: 90%..10% step 10%\n", 3, 7, "goes down", "smaller bound first");
    refused(BASE "load: 10%.. step 10%\n", 3, 7, "lacks one of its bounds", "write both");
    refused(BASE "seeds: ..4\n", 3, 8, "lacks one of its bounds", "write both");
    refused(BASE "load: 10%..90% step 0%\n", 3, 7, "step of range '10%..90% step 0%' is zero",
            NULL);
    refused(BASE "load: 10%..90% step -10%\n", 3, 7, "is negative", "goes up");
    refused(BASE "load: 0%..100% step 1e-13\n", 3, 7, "is too small: expected at least 1e-12",
            NULL);
    refused(BASE "load: 10%..90% times 1\n", 3, 7, "never ends", "above one");
    refused(BASE "measure: {duration: 999999999 s}\n", 3, 21,
            "out of range: expected 1 ps to 1000 s", NULL);
    refused(BASE "measure: {duration: 99999999999999999999999 s}\n", 3, 21,
            "out of range: expected 1 ps to 1000 s", NULL);
    refused(BASE "measure: {duration: 0.0000001 ns}\n", 3, 21,
            "not a whole number of the smallest unit", NULL);
    refused(BASE "load: 10%..90% stp 10%\n", 3, 7, "", NULL);
    refused(BASE "seeds: 0..18446744073709551615 step 1\n", 3, 8, "has 18446744073709551616 values",
            NULL);
    /* and comes to an end */
    refused(BASE "seeds: 1..18446744073709551615 times 2\n", 3, 8, "out of range", NULL);
    refused(BASE "load: []\n", 3, 7, "empty list", NULL);
    refused(BASE "load:\n", 3, 6, "no value", NULL);
    refused(BASE "vcs: {a: 1}\n", 3, 6, "mapping", NULL);
    refused(BASE "load: {a: 1}\n", 3, 8, "no parameter 'a'", "find");
    refused(BASE "load: [10%, 0.1]\n", 3, 13, "twice", NULL);
    refused(BASE "switch: voq\n", 3, 9, "mapping of parameters", NULL);
    refused(BASE "seeds: 0\n", 3, 8, "no seed", NULL);
    refused(BASE "title: [a]\n", 3, 8, "text", NULL);
}

static void test_refused_sweeps(void **state)
{
    (void)state;
    refused(BASE "load: 1%..100% step 1%\nseeds: 100000\n", 1, 1, "10000000 points",
            "load 100 x seeds 100000");
    refused(BASE "seeds: 1..4000000000\n", 3, 8, "4000000000 values", NULL);
    refused(BASE "switch: {iterations: 1..64, input_speedup: 1..16, buffer: 1 B..1 MiB step 1 B}\n",
            3, 0, "values", NULL);
    refused(BASE
            "switch: {iterations: 1..64, input_speedup: 1..16, buffer: 1 B..1000 B step 1 B}\n",
            3, 9, "1024000 combinations", NULL);
}

static void test_refused_yaml(void **state)
{
    (void)state;
    refused(BASE "switch:\n\tvoq: true\n", 4, 1, "not valid YAML", "spaces");
    refused("title A\nfabric: torus:dims=4:4\n", 2, 7, "not valid YAML", "is a ':' missing");
    refused("fabric: a: b\n", 1, 10, "not valid YAML", "in quotes");
    refused("fabric: &a [*a]\nrouting: dmodk\n", 1, 13, "cycle", NULL);
    refused("fabric: *b\n", 1, 9, "no anchor", NULL);
    refused(BASE "load: 10%\nload: 20%\n", 4, 1, "given twice", NULL);
    refused("[1, 2]: 3\n", 1, 1, "must be a word", NULL);
    refused("- a\n", 1, 1, "a list", NULL);
    refused(BASE "---\na: b\n", 3, 1, "second YAML document", NULL);
    refused("fabric: \x01\n", 1, 9, "byte 0x01 is not text", NULL);
    refused("a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c "
            "[*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
            "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: "
            "[*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
            5, 0, "expands to more than", NULL);
    char deep[300] = "fabric: ";
    memset(deep + 8, '[', 100);
    refused(deep, 1, 0, "deeper", NULL);
    static char many[1100 * 12];
    for (unsigned i = 0, used = 0; i < 1100; i++)
        used += (unsigned)snprintf(many + used, sizeof many - used, "k%u: 1\n", i);
    refused(many, 1025, 1, "more than 1024 keys", NULL);
}

/* Plans are numbered design by design; a selection multiplies the routings that it serves. */
static void test_designs(void **state)
{
    (void)state;
    ik_experiment *e =
        read_ok("designs:\n"
                "  - {name: a, fabric: 'karytree:k=2,n=2', routing: [dmodk, adaptive_tree, smodk], "
                "selection: [random, first_free]}\n"
                "  - {name: b, fabric: ['ring:n=4', 'ring:n=5'], routing: 'updown:seed=1'}\n"
                "load: [10%, 20%]\nseeds: 3\n",
                NULL);
    static const size_t designs[] = {0, 0, 0, 0, 1, 1};
    static const char *const routings[] = {"dmodk", "adaptive_tree", "adaptive_tree",
                                           "smodk", "updown:seed=1", "updown:seed=1"};
    static const char *const selections[] = {"auto", "random", "first_free",
                                             "auto", "auto",   "auto"};
    assert_int_equal(e->num_plans, 6);
    assert_int_equal(ik_experiment_num_points(e), 36);
    for (uint64_t n = 0; n < 36; n++) {
        point p = experiment_point(e, n);
        assert_int_equal(p.design, designs[n / 6]);
        assert_string_equal(experiment_variant(e, &p, SECTION_ROUTING)->label, routings[n / 6]);
        assert_string_equal(experiment_variant(e, &p, SECTION_SELECTION)->label, selections[n / 6]);
        assert_int_equal(p.index[SECTION_LOAD], n % 6 / 3);
        assert_int_equal(experiment_seed(e, &p), n % 3 + 1);
    }
    ik_experiment_free(e);
    refused(BASE "selection: random\n", 3, 12, "has no effect with routing 'dmodk'", "adapts");
}

/* Every section that help and documentation list is read, with its own default. */
static void test_sections_table(void **state)
{
    (void)state;
    const ik_experiment_section *s = ik_experiment_sections();
    size_t num = 0;
    for (; s->name; s++, num++) {
        assert_non_null(s->help);
        assert_true(s->help[0] != '\0');
        assert_true(s->kind != IK_SECTION_PARAMS || s->params);
        if (!s->def) {
            char text[128], message[64];
            snprintf(text, sizeof text, "%s",
                     strcmp(s->name, "fabric") == 0 ? "routing: dmodk\n"
                                                    : "fabric: karytree:k=2,n=2\n");
            snprintf(message, sizeof message, "no '%s'", s->name);
            refused(text, 1, 1, message, NULL);
        }
    }
    assert_int_equal(num, NUM_SECTIONS + NUM_OPTIONS + 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),         cmocka_unit_test(test_every_percent_is_exact),
        cmocka_unit_test(test_families),       cmocka_unit_test(test_points),
        cmocka_unit_test(test_labels),         cmocka_unit_test(test_anchors),
        cmocka_unit_test(test_overrides),      cmocka_unit_test(test_refused_names),
        cmocka_unit_test(test_refused_values), cmocka_unit_test(test_refused_sweeps),
        cmocka_unit_test(test_refused_yaml),   cmocka_unit_test(test_sections_table),
        cmocka_unit_test(test_patterns),       cmocka_unit_test(test_designs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
