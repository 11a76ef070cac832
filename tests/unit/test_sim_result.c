/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sim_result.c: the result of a run as programs see it: each function gives the part that its
 * name says, with its length, of every kind of run. */
#include "ikat/result.h"
#include "sim_helper.h"

static ik_sim_result *run_public(const scenario *c, ik_fabric **f)
{
    ik_sim_result *r = NULL;
    ik_env env = env_of(c);
    ik_error err = {0};
    sections s;
    *f = fabric_of(c->fabric);
    ik_plan *plan = plan_of(*f, c->routing, NULL, 0);
    ik_traffic *traffic = NULL;
    if (ik_traffic_from_spec(*f, c->traffic, &env, &traffic, &err) != IK_OK ||
        open_sections(&s, c, &err) != IK_OK ||
        ik_sim_run(plan, traffic, &s.config, &env, &r, &err) != IK_OK)
        fail_msg("%s: %s (%s)", c->traffic, err.text, err.hint);
    close_sections(&s);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    return r;
}

static void expect_counts(const ik_sim_result *r, const char *name, const uint64_t *array,
                          size_t length)
{
    const uint64_t *values = NULL;
    size_t num = 77;
    assert_int_equal(ik_result_counts(r, name, &values, &num, NULL), IK_OK);
    assert_ptr_equal(values, array);
    assert_int_equal(num, array ? length : 0);
}

static void expect_reals(const ik_sim_result *r, const char *name, const double *array,
                         size_t length)
{
    const double *values = NULL;
    size_t num = 77;
    assert_int_equal(ik_result_reals(r, name, &values, &num, NULL), IK_OK);
    assert_ptr_equal(values, length ? array : NULL);
    assert_int_equal(num, array ? length : 0);
}

static void expect_parts(const ik_sim_result *r)
{
    size_t num;
    assert_ptr_equal(ik_result_latency(r), &r->latency);
    assert_ptr_equal(ik_result_network_latency(r), &r->network_latency);
    assert_ptr_equal(ik_result_steady(r), &r->steady);
    assert_ptr_equal(ik_result_congestion(r), &r->congestion);
    assert_ptr_equal(ik_result_reorder(r), &r->reorder);
    assert_ptr_equal(ik_result_replies(r), &r->replies);
    assert_ptr_equal(ik_result_critical_path(r), &r->critical_path);
    assert_ptr_equal(ik_result_watch(r), &r->watch);
    assert_ptr_equal(ik_result_sharing(r), &r->sharing);
    for (num = 0; ik_result_class(r, num); num++)
        assert_ptr_equal(ik_result_class(r, num), &r->classes[num]);
    assert_int_equal(num, r->num_classes);
    for (num = 0; ik_result_message_class(r, num); num++)
        assert_ptr_equal(ik_result_message_class(r, num), &r->message_classes[num]);
    assert_int_equal(num, r->num_message_classes);
    for (num = 0; ik_result_rank(r, num); num++)
        assert_int_equal(ik_result_rank(r, num)->rank, num);
    assert_int_equal(num, r->num_ranks);
    assert_null(ik_result_rank(r, SIZE_MAX));
    assert_ptr_equal(ik_result_timeline(r, &num), r->timeline);
    assert_int_equal(num, r->num_timeline);
    assert_ptr_equal(ik_result_matrix(r, &num), r->matrix);
    assert_int_equal(num, r->num_matrix);
    assert_ptr_equal(ik_result_deadlock(r), r->deadlock_text);
    assert_ptr_equal(ik_result_missing(r), r->missing_text);
}

/* Of each run all that there is; `has` says that the cases have what they are there for. */
static void every_part_of_every_run(void **state)
{
    static const scenario cases[] = {
        {.fabric = "karytree:k=2,n=3",
         .routing = "dmodk",
         .traffic = "mix:1*a=uniform+1*b=hotspot:count=2;fraction=50%",
         .measure = "warmup=5 us;duration=20 us;series=5 us",
         .load = .7},
        {.fabric = "karytree:k=2,n=3",
         .routing = "dmodk",
         .traffic = "uniform",
         .sw = "model=pipelined",
         .measure = "warmup=5 us;duration=20 us;series=5 us",
         .load = .2},
        {.fabric = "karytree:k=2,n=3",
         .routing = "dmodk",
         .traffic = "program:trace=" TEST_DATA "/programs/step,allreduce=ring",
         .measure = "until=delivered;at_most=10 ms",
         .load = 1},
        {.fabric = "xgft:m=4:4,w=2:2",
         .routing = "dmodk",
         .traffic = "uniform",
         .measure = "warmup=5 us;duration=20 us",
         .load = .5},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_fabric *f;
        ik_sim_result *r = run_public(&cases[k], &f);
        uint64_t bytes = 0, periods = 0;
        expect_parts(r);
        expect_counts(r, "channel_bytes", r->channel_bytes, f->num_ports);
        expect_counts(r, "host_bytes", r->host_bytes, f->num_hosts);
        expect_counts(r, "host_sent_bytes", r->host_sent_bytes, f->num_hosts);
        expect_counts(r, "host_finish_ps", r->host_finish_ps, f->num_hosts);
        for (uint32_t host = 0; host < f->num_hosts; host++)
            bytes += r->host_bytes[host];
        assert_true(bytes > 0);
        assert_int_equal(ik_result_count(r, "num_series", &periods, NULL), IK_OK);
        assert_int_equal(periods, k < 2 ? 5 : 0);
        expect_reals(r, "series_throughput", r->series_throughput, periods);
        expect_reals(r, "series_latency_ns", r->series_latency_ns, periods);
        expect_reals(r, "series_blocked", r->series_blocked, periods * f->num_switches);
        assert_int_equal(ik_result_class(r, 1) != NULL, k == 0);
        assert_int_equal(ik_result_rank(r, 1) != NULL, k == 2);
        assert_int_equal(r->host_finish_ps != NULL, k == 2);
        ik_sim_result_free(r);
        ik_fabric_free(f);
    }
    ik_sim_result_free(NULL);
}

/* A run that fails leaves the caller's pointer as it is. */
static void a_failed_run_gives_none(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("ring:n=3");
    ik_plan *plan = plan_of(f, "minimal", NULL, 0);
    ik_traffic *traffic = NULL;
    assert_int_equal(ik_traffic_from_spec(f, "uniform", NULL, &traffic, NULL), IK_OK);
    ik_sim_result *r = NULL;
    ik_error err = {0};
    const ik_sim_config config = {.load = 200};
    assert_int_equal(ik_sim_run(plan, traffic, &config, NULL, &r, &err), IK_ERR_USAGE);
    assert_null(r);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_of_every_run),
        cmocka_unit_test(a_failed_run_gives_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
