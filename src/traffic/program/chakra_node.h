/* SPDX-License-Identifier: Apache-2.0
 *
 * program/chakra_node.h: one node of a Chakra execution trace, from its message. The field numbers
 * are those of the public schema (MLCommons Chakra, et_def.proto since version 0.0.4):
 *
 *   GlobalMetadata  1 version, 2 attributes
 *   Node            1 id, 2 name, 3 type, 4 ctrl_deps, 5 data_deps, 6 start_time_micros,
 *                   7 duration_micros, 8 inputs, 9 outputs, 10 attributes
 *   inputs          1 values, 2 shapes, 3 types
 *   attribute       1 name, 2 doc_string, and one of: 3 double, 5 float, 7 int32, 9 int64,
 *                   11 uint32, 13 uint64, 15 sint32, 17 sint64, 19 fixed32, 21 fixed64, 23
 *                   sfixed32, 25 sfixed64, 27 bool, 29 string, 31 bytes; the even numbers between
 *                   them are lists of these */
#ifndef IK_CHAKRA_NODE_H
#define IK_CHAKRA_NODE_H

#include "traffic/program/wire.h"

typedef enum chakra_type {
    CHAKRA_INVALID,
    CHAKRA_METADATA,
    CHAKRA_LOAD,
    CHAKRA_STORE,
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECV,
    CHAKRA_COLLECTIVE,
    CHAKRA_TYPES
} chakra_type;

typedef enum chakra_collective {
    CHAKRA_ALL_REDUCE,
    CHAKRA_REDUCE,
    CHAKRA_ALL_GATHER,
    CHAKRA_GATHER,
    CHAKRA_SCATTER,
    CHAKRA_BROADCAST,
    CHAKRA_ALL_TO_ALL,
    CHAKRA_REDUCE_SCATTER,
    CHAKRA_REDUCE_SCATTER_BLOCK,
    CHAKRA_BARRIER,
    CHAKRA_COLLECTIVES
} chakra_collective;

/* An attribute that ikat takes; `is` false: the node does not have it. */
typedef struct chakra_value {
    bool is;
    int64_t number;
} chakra_value;

typedef struct chakra_node {
    uint64_t id, type, duration_us;
    chakra_value cpu_op, num_ops, comm_type, comm_size, comm_src, comm_dst, comm_tag;
    wire group;     /* the text pg_name; empty: there is none */
    wire inputs;    /* the text of the inputs' values, where metadata lists groups */
    bool some_dims; /* a list involved_dim leaves dimensions out */
    /* numbers of the nodes that it waits for, in the array of who reads */
    uint64_t *deps;
    size_t num_deps, room_deps;
} chakra_node;

/* Reads a message of a node; n->deps and its room stay, and are filled anew: free(n->deps) at the
 * end. IK_ERR_INPUT: *why says what is wrong (a text that stays); IK_ERR_MEMORY. */
ik_status chakra_node_read(chakra_node *n, wire message, const char **why);

#endif
