/* SPDX-License-Identifier: Apache-2.0
 *
 * program/otf2_archive.h: what is taken of an OTF2 archive, by the archive's own library. */
#ifndef IK_OTF2_ARCHIVE_H
#define IK_OTF2_ARCHIVE_H

#include "traffic/program/otf2_calls.h"

#include <otf2/otf2.h>

typedef struct otf2_group {
    uint32_t ref, flags, num;
    uint8_t type;
    uint64_t *members; /* of the locations' group locations, else numbers in that */
    uint32_t *ranks;   /* [num] of the program, NULL = not made yet: otf2_group_ranks */
} otf2_group;

typedef struct otf2_comm {
    uint32_t ref, group;
} otf2_comm;

typedef struct otf2_location {
    uint64_t ref, num_events;
} otf2_location;

/* The definitions that matter, as they are read; then the events of one location at a time. */
typedef struct otf2_archive {
    const char *path;
    OTF2_Reader *reader;
    uint64_t ticks; /* per second */
    uint32_t *mpi_regions;
    otf2_group *groups; /* by ref */
    otf2_comm *comms;
    otf2_location *locations; /* threads of processors */
    size_t num_regions, room_regions, num_groups, room_groups, num_comms, room_comms, num_locations,
        room_locations;
    const otf2_group *world; /* locations of the ranks */
    mpi_event *events;
    size_t num_events, room_events;
    uint64_t start, end; /* ticks of the location's first and last event */
    bool any;            /* it has events */
    bool counts;         /* the location has no rank: messages on it are refused */
    ik_status status;    /* of what a callback could not do */
    const char *why;
    char said[200]; /* what the library said is wrong */
} otf2_archive;

/* Opens the archive and reads its definitions. Close whatever it returns. */
ik_status otf2_open(otf2_archive *a, const char *path, ik_error *err);
/* Calls `each` for every location that is a rank's, in their order, with its events in
 * a->events. Threads that are none are read as well, to refuse messages on them. */
ik_status otf2_read_ranks(otf2_archive *a, const ik_env *env,
                          ik_status (*each)(void *ctx, uint32_t rank, ik_error *err), void *ctx,
                          ik_error *err);
void otf2_close(otf2_archive *a);
/* The group of this number, NULL = there is none. O(log groups). */
otf2_group *otf2_find_group(const otf2_archive *a, uint32_t ref);
/* Sets g->ranks, once; all communicators of a group share them. NULL: no memory, or a member is no
 * rank, then *wrong is that. */
const uint32_t *otf2_group_ranks(const otf2_archive *a, otf2_group *g, uint64_t *wrong);

#endif
