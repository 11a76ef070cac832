/* SPDX-License-Identifier: Apache-2.0
 *
 * rank_run.h: runs of programs with several ranks per host, by every engine. */
#ifndef RANK_RUN_H
#define RANK_RUN_H

#include "graph_run.h"

#define NS 1000ull

static inline scenario on_crossbar(void)
{
    return (scenario){.fabric = "crossbar:n=3,latency=10 ns,link_rate=100 Gb/s",
                      .routing = "minimal",
                      .sw = "model=ideal",
                      .adapter = "packet=1000 B",
                      .measure = ENDS ";paranoid=true",
                      .load = 1,
                      .threads = 1};
}

/* Every engine, on 1 to 3 threads, gives the same; the result is the last one. */
static inline ik_sim_result run_all(scenario c, build_fn build)
{
    ik_sim_result first = {0}, r;
    for (unsigned k = 0; k < 6; k++) {
        c.threads = 1 + k / 2;
        r = run_graph(k % 2 ? &sim_general_engine : NULL, c, 1, build);
        check_path(&r);
        if (k == 0) {
            first = r;
            continue;
        }
        assert_int_equal(r.completion_ps, first.completion_ps);
        assert_memory_equal(r.host_finish_ps, first.host_finish_ps, 3 * 8);
        assert_int_equal(r.num_ranks, first.num_ranks);
        if (r.num_ranks)
            assert_memory_equal(r.ranks, first.ranks, r.num_ranks * sizeof *r.ranks);
        assert_int_equal(r.num_timeline, first.num_timeline);
        if (r.num_timeline)
            assert_memory_equal(r.timeline, first.timeline, r.num_timeline * sizeof *r.timeline);
        assert_memory_equal(r.critical_path.kind_ps, first.critical_path.kind_ps,
                            sizeof r.critical_path.kind_ps);
        sim_result_clear(&r);
    }
    return first;
}

/* Ranks 0 and 3 are on host 2, rank 1 on host 0, rank 2 on host 1. */
static const uint32_t shared[] = {2, 0, 1, 2};

static inline void share(graph_builder *b)
{
    b->rank_host = shared;
    b->num_ranks = 4;
}

#endif
