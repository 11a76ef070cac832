/* SPDX-License-Identifier: Apache-2.0
 *
 * storage/storage.h: the parts of traffic `storage`: accesses, drawn or recorded, and the graph of
 * their messages. */
#ifndef IK_STORAGE_H
#define IK_STORAGE_H

#include "traffic/storage/io_trace.h"
#include "traffic/storage/placement.h"
#include "traffic/workload/member.h"

#define STORAGE_OWNER "traffic 'storage'"
/* Latest time of an event, ns; at its own speed a trace may be longer. */
#define STORAGE_MOST_NS UINT64_C(1000000000000000)

/* What draws of the trace are addressed with (placement.c and mapping.c have others). */
enum { STORAGE_DISKS = 20, STORAGE_ACCESSES, STORAGE_HOSTS, STORAGE_SIZES = 24, STORAGE_SERVICE };

/* The accesses of a trace and who takes part. Times are those of the trace at its own speed. */
typedef struct storage {
    io_trace trace; /* its list, in order of time; `disk` counts from 0, `key` is a client */
    placement at;
    double compression;
    uint64_t control; /* bytes of the other message */
    bool closed;
} storage;

/* Draws the accesses: who, when, which disk, how much, and when it is answered. Makes s->at. */
ik_status storage_draw(storage *s, const ik_params *p, uint32_t processes, uint64_t seed,
                       const ik_env *env, ik_error *err);
/* Reads them. */
ik_status storage_read(storage *s, const ik_params *p, const ik_env *env, ik_error *err);
/* Of accesses that were read: makes s->at, chooses a client for each, and draws the times of
 * completion that the trace does not say. */
ik_status storage_place(storage *s, const ik_params *p, uint32_t processes, uint64_t seed,
                        const ik_env *env, ik_error *err);
/* The text that says what was read; *note is the caller's to free(). */
ik_status storage_note(const storage *s, char **note, ik_error *err);
/* Makes the graph. */
ik_status storage_graph(storage *s, const mapping *map, uint32_t num_hosts, const ik_env *env,
                        ik_workload *work, ik_error *err);
/* Writes the accesses in ikat's own form. */
ik_status storage_write(const storage *s, FILE *out, ik_error *err);
void storage_free(storage *s);

/* How long a disk takes: mean in ps, drawn or always the same; whole ns. */
uint64_t storage_service_ns(const ik_params *p, double mean_ps, ik_rng *rng);
/* Refuses more accesses than memory holds. */
ik_status storage_check_room(uint64_t accesses, const ik_env *env, const char *about,
                             ik_error *err);

#endif
