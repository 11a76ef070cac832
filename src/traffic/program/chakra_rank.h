/* SPDX-License-Identifier: Apache-2.0
 *
 * program/chakra_rank.h: the execution trace of one rank, read node by node into a table, its
 * dependences resolved and put into an order in which every node comes after all that it waits
 * for. */
#ifndef IK_CHAKRA_RANK_H
#define IK_CHAKRA_RANK_H

#include "traffic/program/chakra_node.h"

/* Process groups by name; those of the whole trace. The one without a name has all ranks. */
typedef struct chakra_group {
    char *name;
    uint32_t *ranks; /* [num], as a file lists them; NULL and declared: all */
    uint32_t num;
    bool declared;
    const char *path; /* where it is declared; borrowed */
    unsigned record;  /* of a trace; 0: in a file of groups */
    uint32_t comm;    /* of the program; IK_NONE = not made yet */
    /* of the rank that is being added: its number in the group, index of its last collective; or
     * IK_NONE */
    uint32_t place, last;
} chakra_group;

typedef struct chakra_groups {
    chakra_group *of;
    size_t num, room;
} chakra_groups;

/* The group of this name, made if it is new. IK_NONE: no memory. O(groups). */
uint32_t chakra_groups_find(chakra_groups *g, const char *name, size_t size);
/* Groups that a JSON text lists, as {"1": [0, 1], …} or [{"pg_name": "1", "ranks": [0, 1]}, …]; no
 * rank: all. Refused: what is neither, a group that was declared with other ranks. */
ik_status chakra_groups_declare(chakra_groups *g, const char *text, size_t size, const char *path,
                                unsigned record, ik_error *err);
void chakra_groups_free(chakra_groups *g);

typedef struct chakra_op {
    uint64_t id, amount; /* us, or bytes */
    uint32_t record;     /* its message in the file */
    uint32_t peer;       /* rank; of a collective its root, IK_NONE = the group's first */
    uint32_t tag, group;
    size_t deps_end; /* its dependences end there, and begin where those of the node before end */
    uint8_t type, collective;
    bool cpu; /* runs on the processor, not on the accelerator */
} chakra_op;

typedef struct chakra_rank {
    const char *path;
    uint32_t rank;
    bool untimed; /* in: compute nodes that have operations but no time are taken */
    chakra_op *ops;
    size_t num_ops, room_ops;
    uint64_t *deps; /* ids; by chakra_rank_order: indices of ops */
    size_t num_deps, room_deps;
    uint32_t *order; /* [num_ops], NULL = as they stand in the file */
    chakra_node node;
} chakra_rank;

/* Reads a trace whose stream is open; r->path, rank and untimed are set, the rest is what a rank
 * before it left, or zero. Refused with the record: what is not in the schema, nodes without what
 * their type needs. Cost: O(size of the file); 56 bytes per node and 8 per dependence. */
ik_status chakra_rank_read(chakra_rank *r, wire_stream *s, chakra_groups *g, ik_error *err);
/* Refused: two nodes with one id, dependences on nodes that are not there, cycles. O(nodes and
 * dependences) where every node stands behind those that it waits for, else O(n log n). */
ik_status chakra_rank_order(chakra_rank *r, ik_error *err);
void chakra_rank_free(chakra_rank *r);

#endif
