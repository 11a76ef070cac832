/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_graph.c: a program of sends, receives and calculations, and what of it waits for what,
 * read from a file in GOAL's text form. */
#include "traffic/pattern.h"
#include "traffic/workload/goal_read.h"
#include "traffic/workload/member.h"

#include <stdlib.h>
#include <string.h>

static const ik_param params[] = {
    {"path", IK_PARAM_PATH, NULL, 0, 0, NULL,
     "program in the text form of GOAL, which may be packed with gzip"},
    {"overhead", IK_PARAM_TIME, "0 ns", 0, 1e15, NULL,
     "time of the host's processor that each send and each receive takes (LogGOPS: o)"},
    {"eager", IK_PARAM_SIZE, "", 0, 1e15, NULL,
     "sends up to this size complete when the adapter has them, larger ones when the receiver has "
     "acknowledged them with a message of 1 byte (LogGOPS: S); not given: a send completes when "
     "its last byte has left the host"},
    {"visits", IK_PARAM_UINT, "", 1, 4294967295.0, NULL,
     "packets of a message that are sent before the next message has its turn; all messages of a "
     "host take turns (default: as adapter.interleave and adapter.active say)"},
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of a random mapping (default: the experiment's seed)", "mapping=random",
     "nothing else is drawn"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* ---- reading */

static ik_status graph_check_ranks(const ik_traffic *t, const goal_reader *g, ik_error *err)
{
    if (g->num_ranks <= t->num_hosts)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, g->lines.path, g->s.line, 1, "a program of %s on a fabric of %s",
               IK_COUNT(g->num_ranks, "rank"), IK_COUNT(t->num_hosts, "host"));
    return ik_hint(err, IK_ERR_INPUT, "a host runs one rank at most");
}

static ik_status graph_note_empty(ik_traffic *t, const goal_reader *g, ik_error *err)
{
    size_t size = strlen(g->lines.path) + 120;
    if (!g->empty)
        return IK_OK;
    t->note = malloc(size);
    if (!t->note)
        return ik_fail_memory(err, size, "a note");
    snprintf(t->note, size, "%s: %llu %s of 0 bytes sent as 1 byte, the first is line %u",
             g->lines.path, (unsigned long long)g->empty,
             g->empty == 1 ? "message is" : "messages are", g->first_empty);
    return IK_OK;
}

static ik_status graph_read_program(ik_traffic *t, workload_member *of, const ik_params *p,
                                    const ik_env *env, ik_error *err)
{
    goal_reader g;
    graph_builder b = {.num_hosts = t->num_hosts,
                       .source = ik_params_text(p, "path"),
                       .memory_limit = env ? env->memory_limit_bytes : 0,
                       .overhead_ps = ik_params_uint(p, "overhead"),
                       .eager = ik_params_has(p, "eager")};
    b.eager_bytes = b.eager ? ik_params_uint(p, "eager") : 0;
    ik_status status = goal_open(&g, b.source, env, err);
    if (status == IK_OK)
        status = graph_check_ranks(t, &g, err);
    if (status == IK_OK)
        status = mapping_make(t->fabric, "traffic 'graph'", p, g.num_ranks, pattern_seed(t, p), env,
                              &of->map, err);
    if (status == IK_OK)
        status = mapping_portable(t, p, &of->map, &t->portable, err);
    if (status == IK_OK)
        status = goal_read(&g, of->map.host, &b, err);
    if (status == IK_OK)
        status = graph_note_empty(t, &g, err);
    goal_close(&g);
    if (status == IK_OK)
        status = graph_finish(&b, &of->work, err);
    else
        graph_builder_free(&b);
    of->work.visits = ik_params_has(p, "visits") ? ik_params_uint(p, "visits") : 0;
    return status;
}

static ik_status graph_create(ik_traffic *t, const ik_params *params_of, const ik_env *env,
                              ik_error *err)
{
    workload_member *p = member_new(t, "traffic 'graph'", err);
    if (!p)
        return IK_ERR_MEMORY;
    ik_status status = graph_read_program(t, p, params_of, env, err);
    return status == IK_OK ? member_finish_file(t, p, err) : status;
}

const ik_traffic_family ik_traffic_graph = {
    .name = "graph",
    .summary = "a program of sends, receives and computations that depend on each other",
    .source = "T. Hoefler, T. Schneider, A. Lumsdaine, LogGOPSim, HPDC 2010; GOAL: T. Hoefler, C. "
              "Siebert, A. Lumsdaine, ICPP 2009",
    .details = "This is a finite workload: use it with `measure: {until: delivered, at_most: 10 "
               "ms}`. The file is in the text form of GOAL; `hosts` and `mapping` say on which "
               "host a rank runs. Computations occupy a processor of the host one after the other, "
               "and messages use the network. See docs/workloads.md.",
    .params = params,
    .create = graph_create,
    .destroy = member_destroy,
    .dest = member_dest,
    .flows = member_flows,
    .ends = true,
    .same_anywhere = true,
};
