/* SPDX-License-Identifier: Apache-2.0
 *
 * sm.h: ikat as a routing engine inside OpenSM: a plug-in of its interface for events, which
 * registers the engine.
 */
#ifndef IKAT_OPENSM_SM_H
#define IKAT_OPENSM_SM_H

#include "ikat/deploy.h"

/* First, for structures depend on it. */
#include <opensm/osm_config.h>

#include <opensm/osm_opensm.h>
#include <pthread.h>
#include <time.h>

/* What event_plugin_options says. */
typedef struct sm_options {
    char *text;               /* what the specs stand in */
    const char *routing, *vc; /* NULL: the best of those that are compared */
    unsigned vls;             /* 0: as many as ik_deploy uses */
    bool query_lane;
    uint64_t time_ps, memory_bytes; /* of one sweep; memory 0: no limit */
    unsigned threads;
} sm_options;

/* Takes the words `ikat.NAME=VALUE`; others are for other plug-ins. text may be NULL. Free
 * options->text. */
ik_status sm_options_read(const char *text, sm_options *options, ik_error *err);

/* Copies a text in which options of the command have the names that they have here. */
void sm_options_rename(const char *text, char *out, size_t size);

typedef struct sm_engine {
    osm_opensm_t *osm;
    sm_options options;
    ik_fabric *seen;          /* the subnet of this sweep; NULL: it cannot be read */
    ik_fabric *fabric;        /* that `now` is for */
    ik_deployment *now;       /* the last proved tables; NULL: there are none yet */
    unsigned lanes;           /* they were made for at most so many */
    const char *routing, *vc; /* static: what was chosen, to stay with it; NULL: nothing */
} sm_engine;

/* OpenSM's subnet as a fabric: switches, then other nodes, both by GUID. */
ik_status sm_fabric_read(const osm_opensm_t *osm, const ik_env *env, ik_fabric **out,
                         ik_error *err);
/* Lanes for data that all cabled ports have and that OpenSM sets up. */
unsigned sm_fabric_lanes(const osm_opensm_t *osm);
/* OpenSM's object of a switch of such a fabric, NULL: gone. */
osm_switch_t *sm_fabric_switch(const osm_opensm_t *osm, const ik_fabric *f, uint32_t sw);

/* OpenSM's matrices of hops between switches. */
ik_status sm_hops_make(const osm_opensm_t *osm, const ik_fabric *f, ik_error *err);

/* Raises a flag at half of a time, for what can do with less, and another one at its end. */
typedef struct sm_watch {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ends;
    struct timespec began; /* of CLOCK_MONOTONIC */
    uint64_t time_ps;
    bool ended;
    int half, over; /* ik_cancel_raise */
} sm_watch;
/* w stays where it is. IK_ERR_MEMORY: no thread can be had. */
ik_status sm_watch_begin(sm_watch *w, uint64_t time_ps, ik_error *err);
void sm_watch_end(sm_watch *w);

#endif
