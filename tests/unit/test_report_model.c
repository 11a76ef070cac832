/* SPDX-License-Identifier: Apache-2.0
 *
 * test_report_model.c: what the report makes of made-up results: means and confidence intervals,
 * curves and their saturation, utilisation by tier, labels, what a slow link costs; and damaged
 * stores.
 */
#include <math.h>
#include <unistd.h>

#include "ikat/report.h"
#include "report/model.h"
#include "report/terminal.h"
#include "store_helper.h"

#define NEAR(a, b) assert_true(fabs((double)(a) - (double)(b)) <= 1e-9 * (1 + fabs((double)(b))))

static void simple_point(const bench *b, int64_t id, double load, uint64_t seed, double accepted,
                         uint64_t latency_ps)
{
    ik_sim_result r = result_of(b, load, accepted, latency_ps);
    add_point(b, id, load, seed, &r, "uniform");
    result_free(&r);
}

static report_model *model_of(const bench *b)
{
    report_model *m = NULL;
    ik_error err = {0};
    if (store_flush(b->store, &err) != IK_OK || model_read(b->path, &m, &err) != IK_OK)
        fail_msg("%s", err.text);
    return m;
}

static void test_means_and_intervals(void **state)
{
    bench *b = *state;
    /* the loads in no order, as an edited sweep leaves them */
    simple_point(b, 0, 0.8, 1, 0.6, 9000);
    simple_point(b, 1, 0.2, 1, 0.2, 1000);
    simple_point(b, 2, 0.2, 2, 0.2, 2000);
    simple_point(b, 3, 0.2, 3, 0.2, 6000);
    simple_point(b, 4, 0.8, 2, 0.7, 9000);
    report_model *m = model_of(b);
    assert_int_equal(m->num_curves, 1);
    const report_curve *c = &m->curves[0];
    assert_int_equal(c->num_steps, 2);
    NEAR(c->steps[0].load, 0.2);
    assert_int_equal(c->steps[0].num_rows, 3);
    NEAR(c->steps[0].value[METRIC_LATENCY_MEAN].mean, 3.0);
    /* deviation sqrt(((1-3)^2 + (2-3)^2 + (6-3)^2) / 2) = sqrt(7); Student's t for two degrees of
     * freedom is 4.303 */
    NEAR(c->steps[0].value[METRIC_LATENCY_MEAN].ci95, 4.303 * sqrt(7.0 / 3));
    NEAR(c->steps[0].value[METRIC_THROUGHPUT].ci95, 0);
    NEAR(c->steps[1].value[METRIC_THROUGHPUT].mean, 0.65);
    NEAR(c->steps[1].value[METRIC_THROUGHPUT].ci95, 12.706 * sqrt(0.005 / 2));
    NEAR(c->peak_throughput, 0.65);
    NEAR(c->saturation_load, 0.8);
    model_free(m);
}

static void test_a_single_seed_has_no_interval(void **state)
{
    bench *b = *state;
    simple_point(b, 0, 0.5, 1, 0.5, 1000);
    report_model *m = model_of(b);
    assert_true(isnan(m->curves[0].steps[0].value[METRIC_LATENCY_MEAN].ci95));
    assert_true(isnan(m->curves[0].saturation_load)); /* all that is offered is accepted */
    NEAR(m->curves[0].peak_throughput, 0.5);
    model_free(m);
}

static void test_utilisation(void **state)
{
    bench *b = *state;
    const ik_fabric *f = b->fabric;
    simple_point(b, 0, 0.4, 1, 0.2, 1000);
    ik_sim_result r = result_of(b, 0.4, 0.4, 1000);
    uint32_t port = ik_host_port(f, 0);
    r.channel_bytes[port] = 0; /* one host sends nothing with this seed, another gets half */
    r.host_bytes[1] /= 2;
    add_point(b, 1, 0.4, 2, &r, "uniform");
    result_free(&r);
    report_model *m = model_of(b);
    const report_step *s = &m->curves[0].steps[0];
    const report_fabric *g = &m->fabrics[0];
    assert_int_equal(g->num_channels, f->num_ports);
    for (uint32_t p = 0; p < f->num_ports; p++)
        NEAR(s->use[p], f->port_peer[p] == IK_NONE ? 0 : p == port ? 0.1 : 0.3);
    /* host to level 1, level 1 to host, level 1 to 2, 2 to 1 */
    assert_int_equal(g->num_tiers, 4);
    for (size_t t = 0; t < g->num_tiers; t++) {
        bool up = strcmp(g->tiers[t].name, "host to level 1") == 0;
        assert_int_equal(g->tiers[t].channels, 4);
        NEAR(s->tiers[t].mean, up ? (0.1 + 3 * 0.3) / 4 : 0.3);
        NEAR(s->tiers[t].max, 0.3);
    }
    NEAR(s->host_min, (0.2 + 0.2) / 2);
    NEAR(s->host_max, (0.2 + 0.4) / 2);
    model_free(m);
}

static void test_curves_and_labels(void **state)
{
    bench *b = *state;
    ik_sim_result r = result_of(b, 0.5, 0.5, 1000);
    add_plan(b->store, "1", "dmodk", "any", "2");
    add_plan(b->store, "1", "updown", "1q", "1");
    const char *const traffics[] = {"uniform", "shift:by=1"};
    int64_t id = 0;
    for (int64_t plan = 1; plan <= 3; plan++)
        for (int t = 0; t < 2; t++)
            for (int load = 1; load <= 2; load++) {
                char params[32];
                store_point p = point_of(b, id++, load * 0.25, 1, &r, traffics[t]);
                snprintf(params, sizeof params, "{\"id\":%d}", (int)id);
                p.params = params;
                p.plan = plan;
                assert_int_equal(store_add_point(b->store, &p, NULL), IK_OK);
            }
    result_free(&r);
    report_model *m = model_of(b);
    assert_int_equal(m->num_curves, 6);
    static const char *const labels[] = {"dmodk, 1q, 1 VCs, uniform",
                                         "dmodk, 1q, 1 VCs, shift:by=1",
                                         "dmodk, any, 2 VCs, uniform",
                                         "dmodk, any, 2 VCs, shift:by=1",
                                         "updown, uniform",
                                         "updown, shift:by=1"};
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(m->curves[i].label, labels[i]);
        assert_int_equal(m->curves[i].num_steps, 2);
    }
    model_free(m);
}

/* Points that an edited sweep has left behind keep their rows and are not shown. */
static void test_retired_points_are_not_shown(void **state)
{
    bench *b = *state;
    simple_point(b, STORE_RETIRED, 0.9, 1, 0.9, 1000);
    simple_point(b, 0, 0.5, 1, 0.5, 1000);
    report_model *m = model_of(b);
    assert_int_equal(m->num_rows, 1);
    assert_int_equal(m->curves[0].num_steps, 1);
    model_free(m);
}

static void test_labels_of_files(void **state)
{
    bench *b = *state;
    static const char *const specs[][2] = {
        {"file:path=a/b/x.net", "x.net"},
        {"file:path=a/b/x.net,repair=true", "x.net (repaired)"},
        {"file:path=y.net,link_rate=200 Gb/s", "y.net,link_rate=200 Gb/s"},
        {"file:path=c/z,z.net", "z,z.net"},
        {"file:path=one/same.net", "file:path=one/same.net"},
        {"file:path=two/same.net", "file:path=two/same.net"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_sim_result r = result_of(b, 0.5, 0.5, 1000);
        char fabric[24], params[32];
        add_fabric(b->store, b->fabric, specs[i][0], "0123456789abcdef");
        snprintf(fabric, sizeof fabric, "%zu", i + 2);
        add_plan(b->store, fabric, "updown", "1q", "1");
        store_point p = point_of(b, (int64_t)i, 0.5, 1, &r, "uniform");
        snprintf(params, sizeof params, "{\"id\":%zu}", i);
        p.params = params;
        p.fabric = p.plan = (int64_t)i + 2;
        assert_int_equal(store_add_point(b->store, &p, NULL), IK_OK);
        result_free(&r);
    }
    report_model *m = model_of(b);
    assert_int_equal(m->num_fabrics, sizeof specs / sizeof *specs);
    for (size_t i = 0; i < m->num_fabrics; i++)
        assert_string_equal(m->fabrics[i].label, specs[i][1]);
    model_free(m);
}

static int open_cluster(void **state)
{
    return bench_open_spec(state, "file:path=" SOURCE_DIR "/data/cluster96.ibnetdiscover");
}

static void test_cost_of_a_slow_link(void **state)
{
    bench *b = *state;
    simple_point(b, 0, 0.5, 1, 0.5, 1000);
    simple_point(b, 1, 1.0, 1, 0.96, 1000);
    report_model *m = model_of(b);
    assert_int_equal(m->fabrics[0].num_slow, 1);
    const slow_link *slow = &m->fabrics[0].slow[0];
    assert_int_equal(slow->rate_bps, UINT64_C(16000000000));
    assert_int_equal(slow->common_rate_bps, UINT64_C(100000000000));
    assert_int_equal(b->fabric->port_peer[slow->channel], slow->opposite);
    assert_int_equal(m->num_costs, 1);
    NEAR(m->costs[0].full_load, 1.0); /* the first load at which it carries 95 % of its rate */
    NEAR(m->costs[0].use, 0.96);
    NEAR(m->costs[0].siblings, 0.96);
    assert_true(isnan(m->costs[0].repaired));
    assert_non_null(strstr(m->costs[0].text, "is full at load 100 %,"));
    model_free(m);
}

static void test_damaged_stores(void **state)
{
    bench *b = *state;
    simple_point(b, 0, 0.5, 1, 0.5, 1000);
    static const char *const damages[] = {
        "UPDATE fabrics SET summary = '['",
        "UPDATE fabrics SET drawing = x'00'",
        "UPDATE plans SET proof = 'no JSON'",
        "UPDATE points SET channel_bytes = x'0102'",
        "UPDATE points SET host_bytes = x''",
        "UPDATE points SET series_latency_ns = series_latency_ns || x'00'",
        "UPDATE points SET series_latency_ns = host_bytes",
        "UPDATE plans SET fabric = 99",
        "UPDATE points SET fabric = 99",
        "UPDATE points SET series_blocked = NULL",
        "DELETE FROM plans",
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        ik_error err = {0};
        report_model *m = NULL;
        sqlite3_exec(store_db(b->store), "SAVEPOINT whole", NULL, NULL, NULL);
        /* the rule that forbids NULL stands in the table: that damage is refused here already */
        bool done = sqlite3_exec(store_db(b->store), damages[i], NULL, NULL, NULL) == SQLITE_OK;
        sqlite3_exec(store_db(b->store), "RELEASE whole", NULL, NULL, NULL);
        if (done) {
            if (model_read(b->path, &m, &err) != IK_ERR_INPUT)
                fail_msg("%s: status %s, '%s'", damages[i], ik_status_name(err.status), err.text);
            assert_null(m);
            assert_non_null(strstr(err.text, "damaged"));
        }
        store_close(b->store);
        unlink(b->path);
        assert_int_equal(store_create(b->path, &b->store, NULL), IK_OK);
        add_fabric(b->store, b->fabric, "karytree:k=2,n=2", "");
        add_plan(b->store, "1", "dmodk", "1q", "1");
        simple_point(b, 0, 0.5, 1, 0.5, 1000);
    }
}

static ik_status json_brief(const char *store_path, FILE *out, ik_error *err)
{
    return ik_report_json_brief(store_path, NULL, out, err);
}

/* Every form of the report, from the same store. */
static void test_every_form(void **state)
{
    bench *b = *state;
    simple_point(b, 0, 0.25, 1, 0.25, 1000);
    simple_point(b, 1, 0.75, 1, 0.5, 5000);
    ik_status (*const forms[])(const char *, FILE *, ik_error *) = {ik_report_csv, ik_report_json,
                                                                    json_brief};
    for (int i = 0; i < 3; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(forms[i](b->path, out, NULL), IK_OK);
        fclose(out);
        assert_non_null(strstr(text, "throughput"));
        assert_non_null(strstr(text, "0.75"));
        free(text);
    }
    char page[sizeof b->path + 8];
    snprintf(page, sizeof page, "%s.html", b->path);
    assert_int_equal(ik_report_html(b->path, page, NULL), IK_OK);
    assert_int_equal(unlink(page), 0);
}

/* Names of a column, before and after what they share is said once. */
static void test_shared_names(void **state)
{
    static const struct {
        const char *names[3], *common, *shown[3];
        bool same;
    } cases[] = {
        {{"a:x=1", "a:x=1", "a:x=1"}, "a:x=1", {"a:x=1", "a:x=1", "a:x=1"}, true},
        {{"a:x=1,y=2", "a:x=1,y=3", "b:y=2,x=1"}, "x=1", {"a:y=2", "a:y=3", "b:y=2"}, false},
        {{"a:x=1", "b:x=1", "c:x=1"}, "x=1", {"a", "b", "c"}, false},
        {{"a:x=1", "a", "a:x=1,y=1"}, "", {"a:x=1", "a", "a:x=1,y=1"}, false},
        /* settings behind a family stay apart from its parameters */
        {{"a:x=1, s=1, t=1", "a:x=2, s=1, t=2", "b, s=1, t=1"},
         "s=1",
         {"a:x=1, t=1", "a:x=2, t=2", "b, t=1"},
         false},
        {{"a:x=1, s=1", "b:x=1, s=2", "c:x=1, s=3"}, "x=1", {"a, s=1", "b, s=2", "c, s=3"}, false},
        /* the first setting is shared, and those behind it are not */
        {{"a, m: s=1,t=1", "a, m: s=1,t=2", "b, m: s=1,t=1"},
         "m: s=1",
         {"a, t=1", "a, t=2", "b, t=1"},
         false},
        {{"a:x=1, m: s=1,t=1,u=1", "a:x=1, m: s=1,t=2,u=1", "b:x=1, m: s=1,t=1,u=2"},
         "x=1, m: s=1",
         {"a, t=1,u=1", "a, t=2,u=1", "b, t=1,u=2"},
         false},
        {{"s=1,t=1", "s=1,t=2", "s=1,t=3"}, "s=1", {"t=1", "t=2", "t=3"}, false},
        /* a parameter is shared only as a whole */
        {{"a:x=1", "a:x=12", "a:x=123"}, "", {"a:x=1", "a:x=12", "a:x=123"}, false},
        {{"", "a", "a"}, "", {"", "a", "a"}, false},
        {{"a:x=1,x=1", "b:x=1", "c:x=1"}, "x=1", {"a", "b", "c"}, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[6][CELL] = {{0}}, common[CELL];
        for (size_t k = 0; k < 3; k++) { /* the second of two columns stays as it is */
            snprintf(text[2 * k], CELL, "%s", cases[i].names[k]);
            snprintf(text[2 * k + 1], CELL, "a:x=1");
        }
        assert_int_equal(names_fold(text, 3, 2, common, sizeof common), cases[i].same);
        assert_string_equal(common, cases[i].common);
        for (size_t k = 0; k < 3; k++) {
            assert_string_equal(text[2 * k], cases[i].shown[k]);
            assert_string_equal(text[2 * k + 1], "a:x=1");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_names),
        cmocka_unit_test_setup_teardown(test_means_and_intervals, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_a_single_seed_has_no_interval, bench_open,
                                        bench_close),
        cmocka_unit_test_setup_teardown(test_utilisation, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_curves_and_labels, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_retired_points_are_not_shown, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_labels_of_files, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_cost_of_a_slow_link, open_cluster, bench_close),
        cmocka_unit_test_setup_teardown(test_damaged_stores, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(test_every_form, bench_open, bench_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
