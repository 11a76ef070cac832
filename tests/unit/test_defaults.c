/* SPDX-License-Identifier: Apache-2.0
 *
 * test_defaults.c: every struct that a caller of the library fills in may be all zero, and then
 * means the defaults that its header names; so does NULL where one is taken. What is compared with
 * is the same call with the defaults spelled out.
 */
#include <stdlib.h>
#include <unistd.h>

#include "sim/measure/sim_result.h"
#include "unit/made.h"

#define TREE "karytree:k=2,n=3"

typedef struct scene {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *uniform;
} scene;

static scene open_scene(void)
{
    scene s = {.f = fabric_of(TREE)};
    s.plan = plan_of(s.f, "dmodk", NULL, 0);
    assert_int_equal(ik_traffic_from_spec(s.f, "uniform", NULL, &s.uniform, NULL), IK_OK);
    return s;
}

static void close_scene(scene *s)
{
    ik_traffic_free(s->uniform);
    ik_plan_free(s->plan);
    ik_fabric_free(s->f);
}

static void set_all(ik_params *p, const ik_param *decl)
{
    assert_int_equal(ik_params_init(p, decl, NULL, NULL), IK_OK);
}

static uint64_t checksum_of(const scene *s, const ik_sim_config *config, const ik_env *env,
                            double *load)
{
    ik_sim_result r = {0};
    ik_error err = {0};
    if (sim_run(s->plan, s->uniform, config, env, &r, &err) != IK_OK)
        fail_msg("%s", err.text);
    uint64_t sum = r.checksum;
    *load = r.load;
    assert_true(r.packets_delivered > 0);
    sim_result_clear(&r);
    return sum;
}

static void sim_config(void **state)
{
    (void)state;
    scene s = open_scene();
    ik_params sw, adapter, measure, watch;
    set_all(&sw, ik_switch_params);
    set_all(&adapter, ik_adapter_params);
    set_all(&measure, ik_measure_params);
    set_all(&watch, ik_watch_params);
    const ik_sim_config spelled = {&sw, &adapter, &measure, 0.5, &watch, 0}, zero = {0};
    const ik_sim_config other = {.load = 0.25}, negative = {.load = -0.5};
    const ik_env env = {0};
    double load;
    uint64_t expected = checksum_of(&s, &spelled, &env, &load);
    assert_true(checksum_of(&s, &zero, &env, &load) == expected && load == 0.5);
    assert_true(checksum_of(&s, NULL, NULL, &load) == expected && load == 0.5);
    assert_true(checksum_of(&s, &other, NULL, &load) != expected && load == 0.25);
    ik_sim_result r = {0};
    assert_int_equal(sim_run(s.plan, s.uniform, &negative, NULL, &r, NULL), IK_ERR_USAGE);
    assert_null(r.channel_bytes);
    ik_sim_estimate by_spelled, by_zero, by_null;
    ik_sim_estimate_run(s.plan, &spelled, &by_spelled);
    ik_sim_estimate_run(s.plan, &zero, &by_zero);
    ik_sim_estimate_run(s.plan, NULL, &by_null);
    assert_true(by_spelled.bytes > 0 && by_spelled.hops_per_window > 0);
    assert_true(by_zero.bytes == by_spelled.bytes && by_null.bytes == by_spelled.bytes);
    assert_true(by_zero.hops_per_window == by_spelled.hops_per_window);
    assert_true(ik_sim_estimate_bytes(s.plan, NULL) == ik_sim_estimate_bytes(s.plan, &spelled));
    assert_int_equal(ik_sim_flow_of(NULL), ik_sim_flow_of(&sw));
    ik_params_free(&sw);
    ik_params_free(&adapter);
    ik_params_free(&measure);
    ik_params_free(&watch);
    close_scene(&s);
}

/* The default load of an experiment is the library's. */
static void load_of_experiments(void **state)
{
    (void)state;
    for (const ik_experiment_section *s = ik_experiment_sections(); s->name; s++)
        if (strcmp(s->name, "load") == 0) {
            assert_true(strtod(s->def, NULL) == IK_SIM_LOAD);
            return;
        }
    fail_msg("there is no section load");
}

static void verify_config(void **state)
{
    (void)state;
    scene s = open_scene();
    const ik_verify_config zero = {0};
    const ik_verify_config spelled = {.flow = IK_FLOW_ANY, .sample_pairs = 0, .pairwise = false};
    const ik_verify_config *const ways[] = {&spelled, &zero, NULL};
    for (size_t i = 0; i < 3; i++) {
        ik_proof p = {0};
        assert_int_equal(ik_verify(s.plan, ways[i], NULL, &p, NULL), IK_OK);
        assert_true(p.pairs == 8 * 7 && p.sampled_pairs == 0);
        assert_int_equal(p.deadlock_free, IK_YES);
        ik_proof_free(&p);
        bool cached = true;
        assert_int_equal(ik_verify_cached(s.plan, ways[i], NULL, &p, &cached, NULL), IK_OK);
        assert_false(cached); /* without a folder none is kept */
        ik_proof_free(&p);
    }
    close_scene(&s);
}

static void subnet_config(void **state)
{
    (void)state;
    scene s = open_scene();
    ik_lids lids = {0};
    ik_lid_tables tables = {0};
    assert_int_equal(ik_lids_make(s.f, &lids, NULL), IK_OK);
    assert_int_equal(ik_lid_tables_of(s.plan->routing, &lids, NULL, &tables, NULL), IK_OK);
    const ik_subnet_config zero = {0}, spelled = {.most_work = 1e9};
    const ik_subnet_config *const ways[] = {&spelled, &zero, NULL};
    for (size_t i = 0; i < 3; i++) {
        ik_subnet_verdict v = {0};
        assert_int_equal(ik_subnet_judge(&tables, NULL, NULL, ways[i], NULL, &v, NULL), IK_OK);
        assert_int_equal(v.deadlock_free, IK_YES);
        ik_subnet_verdict_free(&v);
    }
    ik_lid_tables_free(&tables);
    ik_lids_free(&lids);
    close_scene(&s);
}

static void audit_config(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of(TREE);
    const ik_audit_config zero = {0};
    const ik_audit_config *const ways[] = {&zero, NULL};
    for (size_t i = 0; i < 2; i++) {
        ik_audit a = {0};
        assert_int_equal(ik_audit_run(f, ways[i], NULL, &a, NULL), IK_OK);
        assert_false(a.has_tables || a.has_counters);
        assert_true(a.has_proposed);
        ik_audit_free(&a);
    }
    ik_fabric_free(f);
}

/* The best of those that are compared; NULL and zero are the same. */
static void deploy_config(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *routing;
    } expected[] = {{TREE, "dmodc"}, {"ring:n=5", "dfsssp"}};
    const ik_deploy_config zero = {0};
    for (size_t i = 0; i < 4; i++) {
        char folder[] = "/tmp/ikat-defaults-XXXXXX";
        assert_non_null(mkdtemp(folder));
        ik_fabric *f = fabric_of(expected[i / 2].fabric);
        ik_deployment d = {0};
        ik_error err = {0};
        if (ik_deploy(f, i % 2 ? &zero : NULL, folder, NULL, &d, &err) != IK_OK)
            fail_msg("%s: %s", expected[i / 2].fabric, err.text);
        assert_memory_equal(d.plan->routing->spec, expected[i / 2].routing,
                            strlen(expected[i / 2].routing));
        assert_true(d.proved);
        ik_deployment_free(&d);
        ik_fabric_free(f);
        char command[96];
        snprintf(command, sizeof command, "rm -r %s", folder);
        assert_int_equal(system(command), 0);
    }
}

/* A part of a run and its observer; NULL and zero are all points, and nobody who is told. */
static void run_part_and_observer(void **state)
{
    (void)state;
    static const char text[] = "fabric: " TREE "\nrouting: dmodk\ntraffic: uniform\n"
                               "measure: {warmup: 1 us, duration: 5 us}\nload: [0.1, 0.2]\n";
    const ik_run_part part = {0};
    const ik_run_observer observer = {0};
    const ik_env env = {0};
    char folder[] = "/tmp/ikat-defaults-XXXXXX", path[64], command[96];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        ik_experiment *e = NULL;
        ik_error err = {0};
        bool failed = true;
        snprintf(path, sizeof path, "%s/%d.ikat", folder, i);
        if (ik_experiment_read_memory(text, sizeof text - 1, "text", NULL, &e, &err) != IK_OK ||
            ik_experiment_run(e, path, 0, i ? &env : NULL, i ? &part : NULL, i ? &observer : NULL,
                              &failed, &err) != IK_OK)
            fail_msg("%s", err.text);
        assert_false(failed);
        assert_int_equal(access(path, R_OK), 0);
        ik_experiment_free(e);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* No width: one line; no indentation, nothing at the ends of lines, pieces are words. */
static void wrap(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const ik_wrap zero = {0};
    ik_text_wrap(out, "one two\nthree", 13, &zero);
    fclose(out);
    assert_string_equal(text, "one two three\n");
    free(text);
}

/* What is emptied or freed may be all zero, as a program has it after a failure. */
static void freeing_zeros(void **state)
{
    (void)state;
    ik_fabric_free(NULL);
    ik_plan_free(NULL);
    ik_routing_free(NULL);
    ik_traffic_free(NULL);
    ik_selection_free(NULL);
    ik_experiment_free(NULL);
    ik_builder_free(NULL);
    ik_proof_free(&(ik_proof){0});
    ik_load_free(&(ik_load){0});
    ik_queues_free(&(ik_queues){0});
    ik_phases_free(&(ik_phases){0});
    ik_bisection_free(&(ik_bisection){0});
    ik_cables_free(&(ik_cables){0});
    ik_permutations_free(&(ik_permutations){0});
    sim_result_clear(&(ik_sim_result){0});
    ik_subnet_verdict_free(&(ik_subnet_verdict){0});
    ik_audit_free(&(ik_audit){0});
    ik_deployment_free(&(ik_deployment){0});
    ik_params_free(&(ik_params){0});
    ik_arena_free(&(ik_arena){0});
}

/* A spec that is missing is refused like one that is wrong. */
static void missing_specs(void **state)
{
    (void)state;
    scene s = open_scene();
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    assert_int_equal(ik_fabric_from_spec(NULL, NULL, &f, &err), IK_ERR_USAGE);
    assert_int_equal(ik_plan_from_specs(s.f, NULL, NULL, NULL, 0, NULL, &plan, &err), IK_ERR_USAGE);
    assert_int_equal(ik_traffic_from_spec(s.f, NULL, NULL, &traffic, &err), IK_ERR_USAGE);
    assert_non_null(strstr(err.text, "missing"));
    assert_true(!f && !plan && !traffic);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_config),    cmocka_unit_test(load_of_experiments),
        cmocka_unit_test(verify_config), cmocka_unit_test(subnet_config),
        cmocka_unit_test(audit_config),  cmocka_unit_test(deploy_config),
        cmocka_unit_test(wrap),          cmocka_unit_test(run_part_and_observer),
        cmocka_unit_test(freeing_zeros), cmocka_unit_test(missing_specs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
