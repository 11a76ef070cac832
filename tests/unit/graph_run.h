/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_run.h: runs of dependency graphs that a test builds itself. */
#ifndef GRAPH_RUN_H
#define GRAPH_RUN_H

#include "sim/core/engine.h"
#include "sim/parallel/workers.h"
#include "sim/run.h"
#include "sim_helper.h"
#include "traffic/workload/graph_builder.h"

#define ENDS "until=delivered;at_most=50 ms"

static inline uint32_t no_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    (void)t, (void)src, (void)n;
    return IK_NONE;
}

static inline void no_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    (void)t, (void)src, (void)fn, (void)ctx;
}

static const ik_traffic_family made_family = {
    .name = "made", .dest = no_dest, .flows = no_flows, .ends = true};

typedef void (*build_fn)(graph_builder *b, uint64_t seed);

enum { FIFO = 1 << 20 };

/* Runs what `build` makes by an engine (NULL: the one chosen). visits: packets that a message sends
 * in its turn. */
static inline ik_sim_result run_graph(const sim_engine *engine, scenario c, uint64_t visits,
                                      build_fn build)
{
    ik_env env = env_of(&c);
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_error err = {0};
    ik_sim_result r = {0};
    ik_workload work = {0};
    sections sec;
    sim s;
    if (ik_fabric_from_spec(c.fabric, &env, &f, &err) != IK_OK ||
        ik_plan_from_specs(f, c.routing, c.vc, NULL, c.num_vcs, &env, &plan, &err) != IK_OK ||
        open_sections(&sec, &c, &err) != IK_OK)
        fail_msg("%s: %s", c.fabric, err.text);
    graph_builder b = {.num_hosts = f->num_hosts, .source = "test"};
    build(&b, env.seed);
    if (graph_finish(&b, &work, &err) != IK_OK)
        fail_msg("%s: %s", c.fabric, err.text);
    work.visits = visits;
    char spec[] = "made";
    ik_traffic traffic = {.family = &made_family,
                          .fabric = f,
                          .num_hosts = f->num_hosts,
                          .spec = spec,
                          .workload = &work};
    if (sim_setup_engine(&s, plan, &traffic, &sec.config, &env, engine, &err) != IK_OK ||
        sim_workers_run(s.parallel.num_partitions, s.parallel.partitions,
                        sizeof *s.parallel.partitions, (void (*)(void *))sim_run_partition,
                        &s.outcome.run_seconds, &err) != IK_OK ||
        sim_export_results(&s, &r, &err) != IK_OK)
        fail_msg("%s: %s", c.fabric, err.text);
    sim_free(&s);
    close_sections(&sec);
    ik_workload_clear(&work);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return r;
}

/* What holds of every path. */
static inline void check_path(const ik_sim_result *r)
{
    const ik_critical_path *path = &r->critical_path;
    uint64_t sum = 0, at = path->num_segments ? path->segments[0].begin_ps : 0;
    assert_true(r->completed);
    assert_true(path->left_out > 0 || at == 0);
    assert_true(path->left_out == 0 || path->num_segments == IK_PATH_SEGMENTS);
    uint64_t by_kind[IK_PATH_KINDS] = {0};
    for (size_t k = 0; k < path->num_segments; k++) {
        const ik_path_segment *one = &path->segments[k];
        assert_int_equal(one->begin_ps, at);
        assert_true(one->end_ps > one->begin_ps);
        at = one->end_ps;
        by_kind[one->kind] += one->end_ps - one->begin_ps;
    }
    assert_int_equal(at, r->completion_ps);
    for (unsigned kind = 0; kind < IK_PATH_KINDS; kind++) {
        sum += path->kind_ps[kind];
        assert_true(path->left_out || by_kind[kind] == path->kind_ps[kind]);
    }
    assert_int_equal(sum, r->completion_ps);
}

#endif
