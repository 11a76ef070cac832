/* SPDX-License-Identifier: Apache-2.0
 *
 * drawn_programs.h: random programs of ranks, for the simulator and for the reference of
 * goal_model.h. */
#ifndef DRAWN_PROGRAMS_H
#define DRAWN_PROGRAMS_H

#include "goal_model.h"
#include "rank_run.h"

/* The one that draw_more has drawn. */
static model drawn;

/* The ranks' programs one after the other, as a file has them. */
static inline void build_drawn(graph_builder *b, uint64_t seed)
{
    static uint32_t host_of[MOST_RANKS], number[MOST_OPS];
    (void)seed;
    b->rank_host = host_of;
    b->num_ranks = (uint32_t)drawn.ranks;
    b->overhead_ps = drawn.overhead;
    b->gap_ps = drawn.gap;
    b->local_latency_ps = drawn.local_latency;
    b->local_bps = drawn.local_ps_per_byte ? 8000000000000ull / drawn.local_ps_per_byte : 0;
    b->eager = drawn.eager != UINT64_MAX;
    b->eager_bytes = drawn.eager;
    b->handshake = drawn.handshake;
    b->blocks = true;
    for (int r = 0; r < drawn.ranks; r++) {
        host_of[r] = (uint32_t)drawn.host_of[r];
        for (int k = 0; k < drawn.num; k++) {
            const model_op *o = &drawn.op[k];
            static const ik_op_kind kind[] = {
                [CALC] = IK_OP_CALC, [SEND] = IK_OP_SEND, [RECV] = IK_OP_RECV};
            uint32_t peer = o->kind == CALC  ? (uint32_t)o->cpu
                            : o->peer == ANY ? GRAPH_ANY
                                             : (uint32_t)o->peer;
            if (o->rank != r)
                continue;
            b->cpu_now = (uint8_t)o->cpu;
            b->comm_now = (uint32_t)o->comm;
            b->sync_now = o->sync;
            number[k] = graph_add(b, (uint32_t)r, kind[o->kind], o->amount, peer,
                                  o->tag == ANY ? GRAPH_ANY : (uint32_t)o->tag, 0);
        }
    }
    for (int k = 0; k < drawn.num; k++)
        for (int i = 0; i < drawn.op[k].num_before; i++)
            graph_wait(b, number[k], number[drawn.op[k].before[i]], drawn.op[k].on_start[i]);
}

/* Several ranks on a host, sends with handshakes, communicators. */
static inline void draw_more(uint64_t seed, uint32_t wild)
{
    uint64_t dice = seed * 131 + 7;
    memset(&drawn, 0, sizeof drawn);
    model_draw(&drawn, seed, wild);
    drawn.latency = 10 * NS;
    drawn.ps_per_byte = 80;
    drawn.overhead = model_roll(&dice, 3) * 37 * NS;
    drawn.gap = model_roll(&dice, 2) * 171 * NS;
    drawn.local_latency = model_roll(&dice, 2) * 333 * NS;
    drawn.local_ps_per_byte = model_roll(&dice, 2) * 125;
    drawn.handshake = model_roll(&dice, 3) > 0;
    drawn.eager = drawn.handshake        ? model_roll(&dice, 2) * 128
                  : model_roll(&dice, 2) ? 4096
                                         : UINT64_MAX;
    for (int r = 0; r < drawn.ranks; r++)
        drawn.host_of[r] = (int)model_roll(&dice, 4);
    for (int k = 0; k < drawn.num; k++) {
        model_op *o = &drawn.op[k];
        if (o->kind == CALC)
            continue;
        o->comm = o->kind == SEND ? (int)model_roll(&dice, 2) * 5 : drawn.op[k - 1].comm;
        o->sync = o->kind == SEND && drawn.handshake && model_roll(&dice, 3) == 0;
    }
}

/* Whether both ends of every message can find each other: the builder refuses the others. */
static inline bool is_matched(const graph_builder *settings)
{
    graph_builder b = *settings;
    ik_workload w;
    ik_error err = {0};
    build_drawn(&b, 0);
    ik_status status = graph_finish(&b, &w, &err);
    ik_workload_clear(&w);
    return status == IK_OK;
}

#endif
