/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/congest_state.h: what measure/congest.c keeps, and measure/congest_carry.c carries. */
#ifndef IKAT_SIM_CONGEST_STATE_H
#define IKAT_SIM_CONGEST_STATE_H

#include "sim/measure/congest.h"

typedef struct tree {
    uint32_t port, buffers, hosts, depth, last_buffer;
} tree;

struct congest {
    congest_setup at;
    const ik_fabric *f;
    uint32_t num_places;
    size_t next; /* sample */
    /* one sample */
    waiting *queues;
    uint32_t *path; /* room for following */
    uint32_t num_queues;
    size_t cap_queues, cap_path;
    /* [num_places] that holds most of it; IK_NONE = empty, or nobody waits for it */
    uint32_t *main_queue;
    uint32_t *stuck_hosts; /* places that adapters wait for */
    uint32_t num_stuck;
    size_t cap_stuck;
    tree *trees;
    uint32_t num_trees;
    size_t cap_trees;
    uint32_t *tree_of; /* [ports] IK_NONE = no root */
    /* [num_switches] waiting; in examined FIFOs; blocked there */
    uint64_t *switch_bytes, *switch_seen, *switch_hol;
    uint32_t *switch_blocked, *switch_room; /* [num_switches] buffers: blocked; in all */
    uint64_t hol_packets;
    uint32_t stride, turn; /* examined: buffers with number % stride == turn */
    uint32_t last_buffer, last_blocked;
    bool failed;
    /* the run */
    uint32_t *root_of; /* [ports] index in the list of roots */
    ik_congestion_root *roots;
    uint32_t num_roots;
    size_t cap_roots, cap_kept;
    flow_table flows;
    ik_choice *choices;
    /* [num_hosts] */
    uint64_t *sent_before;
    /* room: all buffers */
    uint64_t sum_blocked, sum_roots, sum_bytes, sum_hol, sum_packets, window_samples, room;
    ik_congestion k;
};

#endif
