/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_answers.c: messages that sends bring with them: acknowledgements, and handshakes.
 *
 * All are operations whose ranks are known before the run, so that no knowledge travels outside the
 * network. What a handshake waits for, that a receive takes its message, is reported by the run. */
#include "traffic/workload/graph_impl.h"

#include <assert.h>
#include <string.h>

/* Which sends have answers: those above eager_bytes, and in handshakes those that say so; in
 * acknowledgements (LogGOPS) none of a rank to itself. */
static bool is_answered(const graph_builder *b, size_t op)
{
    uint8_t kind = b->kind[op];
    if ((kind & ~GRAPH_SYNC) != IK_OP_SEND)
        return false;
    if (b->handshake)
        return (kind & GRAPH_SYNC) || b->ops[op].amount > b->eager_bytes;
    return b->ops[op].amount > b->eager_bytes && b->ops[op].peer != b->host[op];
}

/* Adds a message of 1 byte; returns its send, whose receive has the next number. */
static uint32_t graph_answers_add_control(graph_builder *b, uint32_t src, uint32_t dst,
                                          uint32_t tag, uint32_t line)
{
    uint32_t send = graph_add(b, src, IK_OP_SEND, 1, dst, tag, line);
    graph_add(b, dst, IK_OP_RECV, 1, src, tag, line);
    return send;
}

/* A send gets a message back, and what waits for it waits for that. */
static void graph_answers_acknowledge(graph_builder *b, uint32_t *of, size_t num)
{
    for (size_t op = 0; op < num && !b->no_memory; op++)
        if (is_answered(b, op)) {
            b->class_now = b->op_class[op];
            of[op] =
                graph_answers_add_control(b, b->ops[op].peer, b->host[op], GRAPH_ACK, b->line[op]);
            if (b->call && !b->no_memory) { /* a call that ends with it ends with its answer */
                b->call[of[op] + 1] = b->call[op];
                b->call[op] = IK_CALL_NONE;
            }
        }
    for (size_t k = 0; k < b->num_waits && !b->no_memory; k++)
        if (b->waits[k].before < num && of[b->waits[k].before] != IK_NONE)
            b->waits[k].before = of[b->waits[k].before] + 1;
}

/* A send becomes three: a request to send, which takes the send's place and its processor; the
 * receiver's clear to send, for which the request and the receive are waited for; and the data. */
static void graph_answers_shake_hands(graph_builder *b, uint32_t *of, size_t num)
{
    size_t waits = b->num_waits;
    for (size_t op = 0; op < num && !b->no_memory; op++) {
        if (!is_answered(b, op))
            continue;
        uint32_t src = b->host[op], dst = b->ops[op].peer;
        b->class_now = b->op_class[op];
        uint32_t request = graph_answers_add_control(b, src, dst, GRAPH_ASK, b->line[op]),
                 clear = graph_answers_add_control(b, dst, src, GRAPH_ACK, b->line[op]);
        if (b->no_memory)
            return;
        b->cpu[request] = b->cpu[op];
        b->cpu[op] = IK_NO_CPU;
        of[op] = clear;
        of[request + 1] = (uint32_t)op;
        graph_wait(b, clear, request + 1, false);
        graph_wait(b, (uint32_t)op, clear + 1, false);
        graph_wait(b, (uint32_t)op, request, false); /* a cycle of the rank alone is seen then */
    }
    for (size_t k = 0; k < waits && !b->no_memory; k++) {
        built_wait *w = &b->waits[k];
        uint32_t before = w->before & ~IK_AFTER_START;
        if (of[w->op] != IK_NONE)
            w->op = graph_request(of[w->op]);
        if ((w->before & IK_AFTER_START) && of[before] != IK_NONE)
            w->before = graph_request(of[before]) | IK_AFTER_START;
    }
}

ik_status graph_answer(graph_builder *b, uint32_t **ack, ik_error *err)
{
    size_t num = b->num_ops, answered = 0;
    for (size_t op = 0; op < num && b->eager; op++)
        answered += is_answered(b, op);
    size_t all = num + (b->handshake ? 4 : 2) * answered;
    if (all >= GRAPH_MOST_OPS || b->num_waits + 3 * answered >= UINT32_MAX)
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "%s: with the answers to its large sends, more than %d operations "
                                "or 4294967294 dependences",
                                b->source, GRAPH_MOST_OPS),
                        "%s", b->settings ? b->settings : "");
    uint32_t *of = answered ? ik_calloc(all + 1, sizeof *of) : NULL;
    if (answered && !of)
        return ik_fail_memory(err, all * sizeof *of, "a workload");
    b->comm_now = 0;
    b->sync_now = false;
    b->cpu_now = IK_NO_CPU;
    if (of) {
        memset(of, 0xff, all * sizeof *of);
        if (b->handshake)
            graph_answers_shake_hands(b, of, num);
        else
            graph_answers_acknowledge(b, of, num);
    }
    for (size_t op = 0; op < num; op++)
        b->kind[op] &= (uint8_t)~GRAPH_SYNC;
    *ack = of;
    return IK_OK;
}
