/* SPDX-License-Identifier: Apache-2.0
 *
 * program_impl.h: what the files of program.h share. */
#ifndef IK_PROGRAM_IMPL_H
#define IK_PROGRAM_IMPL_H

#include "base/hash.h"
#include "traffic/program/program.h"

/* Tags of communicator 0 are the graph's own below this; other pairs get numbers from here on. */
#define FIRST_PAIR UINT32_C(0x80000000)

typedef struct collective_template collective_template;
typedef struct agreed_collective agreed_collective;

typedef struct communicator {
    uint32_t *ranks; /* [num]; NULL = all */
    uint32_t *order; /* [num] places, by rank; NULL likewise */
    uint32_t num;
    uint64_t instance;
    /* its collectives, and how many of them each of its ranks has called */
    agreed_collective *agreed;
    size_t num_agreed, room_agreed;
    uint32_t *next; /* [num], NULL = none */
} communicator;

typedef struct rank_state {
    uint32_t last;       /* done when the rank's last call is; IK_NONE = none yet */
    uint64_t compute_ps; /* since then, no operation yet */
} rank_state;

/* A request of a rank that nobody has waited for; a free one: rank is IK_NONE. */
typedef struct open_request {
    uint64_t number;
    uint32_t rank, done; /* done: the operation */
    uint32_t next_free;
} open_request;

struct program {
    program_settings set;
    graph_builder b;
    uint32_t num_ranks, *host_of; /* [num_ranks] */
    uint32_t *rows;               /* [num_ranks] what the graph is given for a rank: its number */
    rank_state *ranks;            /* [num_ranks] */
    unsigned line;                /* of what is added now: as graph_add takes it */
    const char *path;             /* and for errors; one of the builder's */
    unsigned file_line;
    uint64_t empty;
    char *note;   /* NULL = none */
    bool any_tag; /* a receive of any tag is left to the run */

    communicator *comms;
    size_t num_comms, room_comms;
    ik_hash comm_by_ranks;

    ik_graph_tag *pairs;
    size_t num_pairs, room_pairs;
    ik_hash pair_by_key;

    collective_template *templates;
    size_t num_templates, room_templates;
    uint64_t *sums; /* of the call that is added */
    size_t room_sums;
    uint32_t class_of[COLLECTIVE_OPERATIONS]; /* + 1; 0 = none yet */
    uint32_t class_messages;                  /* likewise */

    open_request *requests;
    size_t num_requests, room_requests;
    uint32_t free_request;
    ik_hash request_by_key;
};

/* What is added next is of the class of messages between two ranks. */
void program_class_messages(program *p);
/* The same of a collective. */
ik_status program_begin_collective(program *p, const program_collective_call *c, ik_error *err);
/* The graph's tag of a communicator's, no two of which are equal; sets the graph's communicator of
 * what is added next, which receives of any tag need. tag IK_NONE: of its collectives. */
ik_status program_tag(program *p, uint32_t comm, uint32_t tag, uint32_t *out, ik_error *err);
ik_status program_check_rank(program *p, uint32_t rank, ik_error *err);
ik_status program_check_comm(program *p, uint32_t comm, ik_error *err);
ik_status program_no_memory(const program *p, ik_error *err);
/* The number of a rank in a communicator, IK_NONE = it is not in it. */
uint32_t program_place_in(const communicator *c, uint32_t rank);
/* Refuses requests that are open. */
ik_status program_check_requests(program *p, ik_error *err);
/* Refuses collectives that a rank of the communicator takes no part in. */
ik_status program_check_collectives(program *p, ik_error *err);
void program_free_collectives(program *p);
/* Makes an operation of what a rank has computed since its last call. */
ik_status program_flush(program *p, uint32_t rank, ik_error *err);

#endif
