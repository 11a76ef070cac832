/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_write.c: workloads as programs in GOAL's text form, rank r for host r. What goal_read.h
 * reads then is the same graph, operation by operation. */
#include "ikat/workload.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PS_OF_NS = 1000 };

/* ---- graphs */

static bool waits_for_message(const ik_graph *g, uint32_t op)
{
    return g->kind[op] == IK_OP_RECV && g->ops[op].match != IK_NONE;
}

static bool goal_write_needs_label(const ik_graph *g, uint32_t op)
{
    return g->after_first[op] < g->after_first[op + 1] ||
           g->waits[op] > (waits_for_message(g, op) ? 1u : 0u);
}

static void goal_write_any(FILE *out, const char *word, uint32_t value)
{
    if (value == IK_NONE)
        fprintf(out, " %s -1", word);
    else
        fprintf(out, " %s %" PRIu32, word, value);
}

static uint32_t goal_write_peer_number(const ik_graph *g, uint32_t op)
{
    uint32_t peer = ik_graph_peer_rank(g, op);
    return peer == IK_NONE ? IK_NONE : ik_graph_rank_number(g, peer);
}

static void goal_write_op(const ik_graph *g, uint32_t op, uint32_t first, FILE *out)
{
    const ik_op *of = &g->ops[op];
    bool sends = g->kind[op] == IK_OP_SEND;
    if (goal_write_needs_label(g, op))
        fprintf(out, "o%" PRIu32 ": ", op - first);
    if (g->kind[op] == IK_OP_CALC) {
        fprintf(out, "calc %" PRIu64, of->amount / PS_OF_NS);
    } else {
        fprintf(out, "%s %" PRIu64 "b", sends ? "send" : "recv", of->amount);
        goal_write_any(out, sends ? "to" : "from", goal_write_peer_number(g, op));
        if (g->tag[op])
            goal_write_any(out, "tag", g->tag[op]);
    }
    if (g->cpu[op])
        fprintf(out, " cpu %u", g->cpu[op]);
    fputc('\n', out);
}

static void write_waits(const ik_graph *g, uint32_t before, uint32_t first, FILE *out)
{
    for (uint32_t k = g->after_first[before]; k < g->after_first[before + 1]; k++)
        fprintf(out, "o%" PRIu32 " %s o%" PRIu32 "\n", (g->after[k] & ~IK_AFTER_START) - first,
                g->after[k] & IK_AFTER_START ? "irequires" : "requires", before - first);
}

/* Messages that others come with: sends above eager_bytes, or synchronous ones. */
static ik_status goal_write_refuse_answers(const ik_graph *g, ik_error *err)
{
    uint64_t above = 0, synchronous = 0;
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (g->kind[op] == IK_OP_SEND && g->ack[op] != IK_NONE) {
            bool large = g->ops[op].amount > g->eager_bytes;
            above += large;
            synchronous += !large;
        }
    if (synchronous && !above) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "a program with synchronous sends (%" PRIu64 " that wait for their receives, as "
                "MPI_Ssend does): GOAL cannot express them",
                synchronous);
        return ik_hint(err, IK_ERR_UNSUPPORTED, "replay the trace itself");
    }
    ik_fail(err, IK_ERR_UNSUPPORTED, "a program has no acknowledgements: they come with 'eager'");
    return ik_hint(err, IK_ERR_UNSUPPORTED,
                   "write it without 'eager', and give 'eager' where it is read");
}

static ik_status goal_write_check_graph(const ik_graph *g, ik_error *err)
{
    if (g->ack)
        return goal_write_refuse_answers(g, err);
    if (g->comm)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "a program with several communicators: GOAL cannot express them");
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (g->kind[op] == IK_OP_CALC && g->cpu[op] == IK_NO_CPU)
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "a time that takes no processor, as that of a disk in a closed loop: "
                           "calculations of programs take one");
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (g->kind[op] == IK_OP_CALC && g->ops[op].amount % PS_OF_NS)
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "a calculation of %" PRIu64 " ps: programs count whole nanoseconds",
                           g->ops[op].amount);
    return IK_OK;
}

/* [num_ranks] where ranks stand in the graph, by their number; NULL = no memory. */
static uint32_t *goal_write_ranks_by_number(const ik_graph *g)
{
    uint32_t *at = malloc(((size_t)g->num_ranks + 1) * sizeof *at);
    for (uint32_t rank = 0; at && rank < g->num_ranks; rank++)
        at[ik_graph_rank_number(g, rank)] = rank;
    return at;
}

static ik_status write_graph(const ik_graph *g, FILE *out, ik_error *err)
{
    const uint32_t *rows = g->rank_first ? g->rank_first : g->host_first;
    uint32_t *at = goal_write_ranks_by_number(g);
    if (!at)
        return ik_fail_memory(err, g->num_ranks * sizeof *at, "a program");
    fprintf(out, "num_ranks %" PRIu32 "\n", g->num_ranks);
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        uint32_t first = rows[at[rank]], end = rows[at[rank] + 1];
        fprintf(out, "rank %" PRIu32 " {\n", rank);
        for (uint32_t op = first; op < end; op++)
            goal_write_op(g, op, first, out);
        for (uint32_t op = first; op < end; op++)
            write_waits(g, op, first, out);
        fputs("}\n", out);
    }
    free(at);
    return IK_OK;
}

/* ---- all-to-all: the sends of a repetition in the order of the visits, then the receives */

/* The calculation that is done when a repetition is over. */
static void write_join(const ik_workload *w, uint32_t host, uint64_t round, FILE *out)
{
    const ik_alltoall *a = w->alltoall;
    fprintf(out, "j%" PRIu64 ": calc 0\n", round);
    for (uint32_t place = 0; place + 1 < a->num; place++)
        fprintf(out, "j%" PRIu64 " requires s%" PRIu64 "_%" PRIu32 "\n", round, round, place);
    for (uint32_t src = 0; src < w->num_hosts; src++)
        if (src != host && ik_alltoall_has(a, src))
            fprintf(out, "j%" PRIu64 " requires r%" PRIu64 "_%" PRIu32 "\n", round, round, src);
}

static void write_round(const ik_workload *w, uint32_t host, uint64_t round, FILE *out)
{
    const ik_alltoall *a = w->alltoall;
    uint64_t key = ik_alltoall_key(w, host);
    bool joined = w->repeat > 1;
    for (uint32_t place = 0; place + 1 < a->num; place++) {
        if (joined)
            fprintf(out, "s%" PRIu64 "_%" PRIu32 ": ", round, place);
        fprintf(out, "send %" PRIu64 "b to %" PRIu32 "\n", a->bytes,
                ik_alltoall_dest(w, host, key, place));
        if (round > 0)
            fprintf(out, "s%" PRIu64 "_%" PRIu32 " requires j%" PRIu64 "\n", round, place,
                    round - 1);
    }
    for (uint32_t src = 0; src < w->num_hosts; src++) {
        if (src == host || !ik_alltoall_has(a, src))
            continue;
        if (joined)
            fprintf(out, "r%" PRIu64 "_%" PRIu32 ": ", round, src);
        fprintf(out, "recv %" PRIu64 "b from %" PRIu32 "\n", a->bytes, src);
    }
    if (round + 1 < w->repeat)
        write_join(w, host, round, out);
}

static void write_alltoall(const ik_workload *w, FILE *out)
{
    for (uint32_t host = 0; host < w->num_hosts; host++) {
        fprintf(out, "rank %" PRIu32 " {\n", host);
        for (uint64_t round = 0; round < w->repeat && ik_alltoall_has(w->alltoall, host); round++)
            write_round(w, host, round, out);
        fputs("}\n", out);
    }
}

ik_status ik_workload_write_goal(const ik_workload *w, FILE *out, ik_error *err)
{
    ik_status status = w->graph ? goal_write_check_graph(w->graph, err) : IK_OK;
    if (w->batch) {
        status = ik_fail(err, IK_ERR_UNSUPPORTED, "a batch is not a program: nobody receives");
        return ik_hint(err, status, "exchange, collective and nas can be written");
    }
    if (status != IK_OK)
        return status;
    if (w->graph)
        return write_graph(w->graph, out, err); /* whoever closes the file sees its failures */
    fprintf(out, "num_ranks %" PRIu32 "\n", w->num_hosts);
    write_alltoall(w, out);
    return IK_OK; /* whoever closes the file sees whether it was written */
}
