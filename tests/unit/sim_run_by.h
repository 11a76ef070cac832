/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads by an engine of the test's choice. */
#ifndef SIM_RUN_BY_H
#define SIM_RUN_BY_H

#include "sim/core/engine.h"
#include "sim/parallel/workers.h"
#include "sim/run.h"
#include "sim_helper.h"

/* engine: NULL = the one that a run takes. Any error fails the test. */
static inline ik_sim_result run_by(const sim_engine *engine, scenario c)
{
    ik_env env = env_of(&c);
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_error err = {0};
    ik_sim_result r = {0};
    sections sec;
    sim s;
    if (ik_fabric_from_spec(c.fabric, &env, &f, &err) != IK_OK ||
        ik_plan_from_specs(f, c.routing, c.vc, NULL, c.num_vcs, &env, &plan, &err) != IK_OK ||
        ik_traffic_from_spec(f, c.traffic, &env, &traffic, &err) != IK_OK ||
        open_sections(&sec, &c, &err) != IK_OK ||
        sim_setup_engine(&s, plan, traffic, &sec.config, &env, engine, &err) != IK_OK)
        fail_msg("%s: %s", c.traffic, err.text);
    if (sim_workers_run(s.parallel.num_partitions, s.parallel.partitions,
                        sizeof *s.parallel.partitions, (void (*)(void *))sim_run_partition,
                        &s.outcome.run_seconds, &err) != IK_OK ||
        sim_export_results(&s, &r, &err) != IK_OK)
        fail_msg("%s: %s", c.traffic, err.text);
    sim_free(&s);
    close_sections(&sec);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return r;
}

static inline void expect_same(const char *what, const ik_sim_result *a, const ik_sim_result *b,
                               uint32_t hosts)
{
    if (a->completion_ps != b->completion_ps || a->checksum != b->checksum ||
        a->packet_hops != b->packet_hops || a->latency.sum != b->latency.sum)
        fail_msg("%s: %llu and %llu ps, %llx and %llx", what, (unsigned long long)a->completion_ps,
                 (unsigned long long)b->completion_ps, (unsigned long long)a->checksum,
                 (unsigned long long)b->checksum);
    assert_memory_equal(a->host_finish_ps, b->host_finish_ps, hosts * sizeof *a->host_finish_ps);
    const ik_critical_path *x = &a->critical_path, *y = &b->critical_path;
    assert_memory_equal(x->kind_ps, y->kind_ps, sizeof x->kind_ps);
    assert_int_equal(x->num_segments, y->num_segments);
    assert_int_equal(x->segments[0].host, y->segments[0].host);
}

#endif
