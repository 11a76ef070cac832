/* SPDX-License-Identifier: Apache-2.0
 *
 * congest.h: congestion in samples of a network at rest, the same for every engine. The engine's
 * view says which queues hold packets and what their heads wait for; what follows (roots, trees,
 * culprits and victims, sums over samples) is found here.
 *
 * Buffers are numbered port * vcs + vc by the receiving port; output buffers come after all of
 * these, by the sending port. The space of an input port is divided into places, port * kinds +
 * kind: its buffers, or finer.
 */
#ifndef IKAT_CONGEST_H
#define IKAT_CONGEST_H

#include "sim/core/carry.h"
#include "sim/measure/sim_result.h"

struct class_stats;

/* A queue that holds packets. */
typedef struct waiting {
    uint32_t buffer; /* that it is in */
    uint32_t place;  /* of an input port, that its bytes are counted at */
    uint32_t out;    /* output port that its head asks for */
    /* place whose space its head lacks; IK_NONE: it waits for the output itself */
    uint32_t lacks;
    uint32_t sw, key; /* for the view, to find its packets again */
    /* found by following `lacks`: output port, IK_NONE = a circle; channels without space from
     * there */
    uint32_t root, depth;
} waiting;

/* A packet of a queue, as it stands at switch sw on in_port; draw: address of its outputs' draws
 * (ik_plan_draw); out IK_NONE = has not chosen its output; class: of the traffic's. */
typedef void (*congest_packet_fn)(void *arg, const ik_packet *rt, const ik_draw *draw,
                                  uint32_t in_port, uint32_t out, unsigned vc, unsigned class);

typedef struct congest congest;
/* An engine's network at rest. ctx is passed on. */
typedef struct congest_view {
    void *ctx;
    uint32_t packet_bytes; /* of a full packet */
    /* [num_hosts] injected so far in the measured window; hosts that never inject are left out of
     * the fairness */
    const uint64_t *sent_bytes;
    bool (*injects)(const void *ctx, uint32_t host);
    uint64_t (*bytes)(const void *ctx, uint32_t sw); /* waiting in a switch */
    /* Adds the queues of all buffers. */
    void (*queues)(void *ctx, congest *c);
    /* The place whose space an adapter waits for; IK_NONE = none */
    uint32_t (*host_lacks)(void *ctx, uint32_t host);
    /* Calls fn for the packets of a queue. */
    void (*packets)(void *ctx, const waiting *w, congest_packet_fn fn, void *arg);
    /* that packets in trees are counted for, too; NULL where the traffic has none */
    struct class_stats *classes;
} congest_view;

typedef struct congest_setup {
    const ik_plan *plan;
    unsigned vcs, kinds; /* buffers and places of a port */
    size_t num_samples;
    uint64_t period_ps, warmup_ps;
    bool output_buffers;
} congest_setup;

/* Of a setup without samples, *out is NULL. */
ik_status congest_new(const congest_setup *setup, congest **out, ik_error *err);
void congest_free(congest *c);
void congest_carry(congest *c, sim_carrier *to);
/* The measured time begins then, and not as the set-up said. */
void congest_measure_from(congest *c, uint64_t warmup_ps);
uint64_t congest_bytes(const congest_setup *setup); /* of state, before the first packet */

/* ---- called while the view's queues are added */
/* Whether the packets of a buffer are examined one by one in this sample: in a large network those
 * of some buffers, in turn. */
bool congest_examined(const congest *c, uint32_t buffer);
/* Queues of one buffer one after the other; those that are blocked, and all of a place that
 * somebody may wait for. stands_for: it holds most of its place. */
void congest_add_queue(congest *c, const waiting *w, bool stands_for);
/* Of an examined FIFO: bytes in it; bytes and packets that its head blocks. */
void congest_add_hol(congest *c, uint32_t sw, uint64_t bytes, uint64_t held_bytes,
                     uint32_t held_packets);
void congest_lacks_memory(congest *c); /* the sample fails */

/* Whether a sample's time has come; all samples whose time has: those that nothing happened between
 * are one look. */
bool congest_due(const congest *c, uint64_t time);
ik_status congest_sample(congest *c, const congest_view *view, uint64_t time, ik_error *err);

/* delivered: packets counted in the measured window. Moves the results to r->congestion. */
ik_status congest_export(congest *c, uint64_t delivered, ik_sim_result *r, ik_error *err);
void congest_result_free(ik_congestion *k);

/* ---- congest_flows.c: culprits and victims, in a table that forgets the least when it is full */
typedef struct flow_table {
    ik_congestion_flow *flows; /* open addressing; src == dst == IK_NONE = free */
    uint32_t cap, used;
    uint64_t error; /* as ik_congestion.flow_error */
} flow_table;
bool flow_table_add(flow_table *t, uint32_t src, uint32_t dst, uint64_t culprit, uint64_t victim);
ik_status flow_table_export(flow_table *t, ik_congestion *k, ik_error *err);

#endif
