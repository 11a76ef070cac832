/* SPDX-License-Identifier: Apache-2.0
 *
 * core/engine.h: what an engine of the packet-level models offers. An engine works on the windows
 * of one partition; everything else (set-up, the loop over windows, hosts, checks, samples,
 * results) is common and knows engines by this table alone. Engines give the same results, bit for
 * bit, wherever several serve a case.
 *
 * What is common reads packets and queues in the form of state/state.h. An engine that keeps them
 * otherwise says so here (`look`) and brings its switches, hosts and counts into that form when it
 * is asked to (expose, settle). */
#ifndef IKAT_SIM_ENGINE_H
#define IKAT_SIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ik_packet;
struct event;
struct packet;
struct partition;
struct sim_carrier;
struct queue;
struct sim;
struct sim_unit;
struct slot;

typedef void (*event_fn)(void *ctx, struct partition *p, const struct event *e);

typedef struct sim_engine {
    const char *name;

    /* ---- the choice, in this order */
    /* Whether it serves these parameters. */
    bool (*serves)(const struct sim *s);
    /* The widest window that it takes, at most `least`, the smallest latency of a link; shortest:
     * the shortest transmission of a full packet, ps. */
    uint64_t (*window_ps)(uint64_t least, uint64_t shortest);
    /* Whether it serves the fabric in these windows, too. */
    bool (*fits)(const struct sim *s);

    /* ---- set-up. Functions that return bool: false = out of memory */
    bool keeps_queues; /* of its own, instead of sw_state.queues and queued */
    /* Of its own state before the first packet; of each partition, however little it owns. */
    uint64_t (*bytes)(const struct sim *s), (*bytes_each)(const struct sim *s);
    bool (*set_up)(struct sim *s); /* after the common state; chooses run_window */
    void (*free)(struct sim *s);   /* also of what was set up in part, or not at all */
    bool (*set_up_partition)(struct partition *p);
    void (*free_partition)(struct partition *p);
    uint64_t (*partition_bytes)(const struct partition *p); /* by which its own state has grown */
    /* Its own state of a partition, p NULL: of all together; between two windows (core/carry.h).
     * NULL: it has none. */
    void (*carry)(struct sim *s, struct partition *p, struct sim_carrier *c);

    /* ---- the run */
    void (*start)(struct partition *p); /* the first wake-ups of its hosts */
    /* First window >= from in which its own events fall, UINT64_MAX = none; those in the wheel are
     * not its own. */
    uint64_t (*next)(const struct partition *p, uint64_t from);
    /* Takes a credit or an arrival from another partition. */
    void (*take_message)(struct partition *p, uint64_t time, const struct sim_unit *at);
    /* Puts a packet on the link of its host, which has credit; sequence: as in
     * partition.sequence. False = out
     * of memory. */
    bool (*send)(struct partition *p, uint32_t host, const struct packet *pk, uint64_t sequence);
    /* Brings what the partition's hosts and channels have counted up to date, once the run is
     * over. */
    void (*settle)(struct partition *p);

    /* Brings sw_state.bytes of its switches up to date, as of `time`, where a window begins: all
     * before it was worked on, and nothing of it. NULL: they always are. */
    void (*count_buffers)(struct partition *p, uint64_t time);

    /* ---- at rest: for checks, the watchdog and samples */
    void (*expose)(struct partition *p); /* settles, and everything else in the common form */
    /* Calls fn for its own events that wait; ctx is passed on. */
    void (*each_event)(struct partition *p, event_fn fn, void *ctx);
    /* Queue n (output, or 0 for a FIFO) of input port `in`, VC v, without what is on its way; its
     * first packet alone, which costs less: IK_NONE = empty. */
    struct queue (*queue)(const struct sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n);
    uint32_t (*head)(const struct sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n);
    /* A packet; valid until the fourth call after this one. */
    struct packet *(*packet)(struct partition *p, uint32_t id);
    uint32_t (*behind)(const struct partition *p, uint32_t id); /* in its queue; IK_NONE = last */
} sim_engine;

/* The engine of a run. Set-up only: the first engine that serves the case, and what its set_up()
 * chooses. */
typedef struct engine_state {
    const sim_engine *ops;
    struct fast_state *fast; /* the specialised engine's own, which it alone reads and writes */
    struct crossbar_state *crossbar; /* likewise */
    /* Works on the events of one window, already taken out of the wheel. */
    void (*run_window)(struct partition *p, const struct slot *at);
    /* Hosts may post into the window being worked on, where the engine lists their events; else
     * they come to what falls into it by themselves. */
    bool hosts_post_now;
} engine_state;

/* In the order in which they are asked, the last one serves everything; NULL behind it. */
extern const sim_engine *const sim_engines[];
extern const sim_engine sim_general_engine; /* packet/general_engine.c */
extern const sim_engine sim_fast_engine;    /* fast/fast_engine.c */
/* The general one, compiled to note what happens to watched packets: sim.counted.watch. It is
 * never chosen by what it serves. */
extern const sim_engine sim_watching_engine;
/* When a workload is done on a crossbar, from its messages: packet/crossbar_engine.c. Only a run
 * that is to say that is given to it; one in which messages meet in a way that it cannot tell
 * fails, and has to be run by another engine. */
extern const sim_engine sim_crossbar_engine;
bool sim_crossbar_contends(const struct sim *s); /* whether it was that; of any engine */

#endif
