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

/* What `build` makes, on the fabric of a scenario. */
typedef struct made_graph {
    ik_env env;
    ik_fabric *f;
    ik_plan *plan;
    ik_workload work;
    ik_traffic traffic;
    sections sec;
} made_graph;

/* visits: packets that a message sends in its turn. */
static inline void open_graph(made_graph *m, const scenario *c, uint64_t visits, build_fn build)
{
    static char spec[] = "made";
    ik_error err = {0};
    *m = (made_graph){.env = env_of(c)};
    if (ik_fabric_from_spec(c->fabric, &m->env, &m->f, &err) != IK_OK ||
        ik_plan_from_specs(m->f, c->routing, c->vc, NULL, c->num_vcs, &m->env, &m->plan, &err) !=
            IK_OK ||
        open_sections(&m->sec, c, &err) != IK_OK)
        fail_msg("%s: %s", c->fabric, err.text);
    graph_builder b = {.num_hosts = m->f->num_hosts, .source = "test"};
    build(&b, m->env.seed);
    if (graph_finish(&b, &m->work, &err) != IK_OK)
        fail_msg("%s: %s", c->fabric, err.text);
    m->work.visits = visits;
    m->traffic = (ik_traffic){.family = &made_family,
                              .fabric = m->f,
                              .num_hosts = m->f->num_hosts,
                              .spec = spec,
                              .workload = &m->work};
}

static inline void close_graph(made_graph *m)
{
    close_sections(&m->sec);
    ik_workload_clear(&m->work);
    ik_plan_free(m->plan);
    ik_fabric_free(m->f);
}

/* Up to the end of the loop, by an engine (NULL: the one chosen). */
static inline void run_loop(sim *s, const sim_engine *engine, const made_graph *m)
{
    ik_error err = {0};
    if (sim_setup_engine(s, m->plan, &m->traffic, &m->sec.config, &m->env, engine, &err) != IK_OK ||
        sim_workers_run(s->parallel.num_partitions, s->parallel.partitions,
                        sizeof *s->parallel.partitions, (void (*)(void *))sim_run_partition,
                        &s->outcome.run_seconds, &err) != IK_OK)
        fail_msg("%s", err.text);
}

/* Runs what `build` makes. */
static inline ik_sim_result run_graph(const sim_engine *engine, scenario c, uint64_t visits,
                                      build_fn build)
{
    made_graph m;
    ik_error err = {0};
    ik_sim_result r = {0};
    sim s;
    open_graph(&m, &c, visits, build);
    run_loop(&s, engine, &m);
    if (sim_export_results(&s, &r, &err) != IK_OK)
        fail_msg("%s: %s", c.fabric, err.text);
    sim_free(&s);
    close_graph(&m);
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
