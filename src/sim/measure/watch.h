/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/watch.h: packets that are watched: which they are, and what was noted of them.
 *
 * What packets are (the slowest, the first to a host) rather than their numbers is known only at
 * the end of a run. Such packets are found in a first run, which notes nothing else, and watched in
 * a second one: runs of the same seed do the same.
 *
 * Every partition has a log of its own. A packet is in one partition at a time, and partitions are
 * a link apart, so a stable sort by packet and time brings all logs into one order, whatever the
 * number of partitions. */
#ifndef IKAT_SIM_WATCH_H
#define IKAT_SIM_WATCH_H

#include "ikat/sim.h"

typedef struct watch_note {
    ik_watch_event e;
    uint32_t slot; /* of the packet */
    uint32_t data; /* GENERATED: destination; INJECTED: bytes */
} watch_note;

/* A watched packet that stands in a switch. */
typedef struct watch_place {
    uint32_t slot, id; /* id: of the engine's packet */
    uint32_t node;
    uint32_t port; /* in_output: output; else input, both global */
    /* output that it asks for, as the engine says it; model pipelined: tick of its last stage */
    uint32_t out;
    uint32_t from; /* channel by which it came */
    uint8_t vc, reason;
    bool in_output;
} watch_place;

typedef struct watch_candidate {
    uint64_t rank, then; /* the smaller ones first */
    uint32_t src, number;
} watch_candidate;

typedef struct watch_log {
    watch_note *notes;
    size_t num, room;
    watch_place *places;
    size_t num_places, room_places;
    watch_candidate *best; /* in order, at most watch.want */
    size_t num_best;
    bool no_memory;
} watch_log;

typedef struct watch_key {
    uint64_t of; /* src << 32 | number */
    uint32_t slot;
} watch_key;

enum { WATCH_FIRST, WATCH_SLOWEST };

typedef struct watch {
    watch_key *keys; /* [num_keys] sorted */
    size_t num_keys;
    /* what is looked for; want 0 = nothing */
    unsigned rank_by;
    uint32_t want, src, dst; /* src, dst: IK_NONE = any */
    uint64_t after_ps;
    bool looking;    /* the run that finds them */
    uint64_t *begun; /* model pipelined: [host] when its packet came to be the one that is sent */
    watch_log *logs; /* [num_logs] a partition */
    unsigned num_logs;
} watch;

/* NULL in *out: nothing is asked for. */
ik_status watch_open(const ik_params *params, watch **out, ik_error *err);
void watch_free(watch *w);
/* Before each run. */
ik_status watch_begin(watch *w, unsigned num_partitions, ik_error *err);
/* After a run that was looking: what it found is watched from here on. */
ik_status watch_settle(watch *w, ik_error *err);
ik_status watch_export(watch *w, ik_watch_result *out, ik_error *err);
void watch_result_free(ik_watch_result *r);

/* ---- while it runs, by the thread of partition `id` */
/* The slot of a watched packet, IK_NONE = not watched (or looking). */
uint32_t watch_find(const watch *w, uint32_t src, uint64_t number);
void watch_add(watch *w, unsigned id, uint32_t slot, uint32_t data, const ik_watch_event *e);
/* An event that has only a stage, a channel and a VC. */
void watch_note_stage(watch *w, unsigned id, uint32_t slot, ik_watch_stage stage, uint64_t t_ps,
                      uint32_t channel, unsigned vc);
/* NULL: out of memory. */
watch_place *watch_add_place(watch *w, unsigned id);
void watch_remove_place(watch *w, unsigned id, uint32_t packet);
watch_place *watch_place_of(watch *w, unsigned id, uint32_t packet); /* NULL = not watched */
/* A packet, watched or not, is sent by its host, or delivered. */
typedef struct watch_hosts {
    uint32_t src, dst;
    uint64_t number, t_gen;
    uint32_t channel, bytes; /* by which it leaves its host, or comes to it */
    uint8_t vc;
} watch_hosts;
/* It was the next on its link from link_ps on, and has been on it since t_inject, until until_ps (0
 * = not said). */
void watch_note_sent(watch *w, unsigned id, const watch_hosts *of, uint64_t link_ps,
                     uint64_t t_inject, uint64_t until_ps);
void watch_note_delivered(watch *w, unsigned id, const watch_hosts *of, uint64_t t, bool in_window);
bool watch_failed(const watch *w);

#endif
