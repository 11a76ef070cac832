/* SPDX-License-Identifier: Apache-2.0
 *
 * queues.h: packets to one destination, from every source, booked by queue.
 */
#ifndef IK_QUEUES_H
#define IK_QUEUES_H

#include "ikat/analysis.h"
#include "vc/walk.h"

/* Sums by queue: channel * VCs + VC. */
typedef struct queue_sums {
    double *load, *crossing;
    uint32_t *destinations;
} queue_sums;

/* Packets that start alike: from their first switch on they have the same ways. */
typedef struct queue_group {
    ik_packet pk;     /* of one of them */
    uint32_t in_port; /* by which it comes */
    uint32_t start;   /* number of its initial state */
    uint32_t state;   /* in the walk, where there is one */
    bool arrives;
    double amount, count;
} queue_group;

/* One source's part of a group. */
typedef struct queue_member {
    uint32_t src, group;
    double amount, count;
} queue_member;

/* One thread's. */
typedef struct queue_walker {
    const ik_plan *plan;
    uint32_t dst;
    uint32_t goal;    /* the destination's number + 1; of all ports of a host the same */
    uint32_t *mark;   /* by queue: the goal that was counted last */
    queue_sums *sums; /* of the part at hand */
    queue_group *groups;
    queue_member *members;
    size_t num_groups, num_members, group_room, member_room;
    /* plans without a choice */
    ik_choice *choices; /* [max radix] */
    size_t *path;       /* [QUEUE_PATH] queues */
    /* all others: what reaches each state of the walk, edges into it that are not followed yet,
     * states in an order in which all come before those behind them, whether packets arrive */
    walk *states; /* NULL: no choice */
    double *amount, *count;
    uint32_t *before, *order;
    bool *good;
    size_t amount_room, count_room, before_room, order_room, good_room;
} queue_walker;

/* More channels than any sensible path has. */
enum { QUEUE_PATH = 4096 };

static inline void queue_book(queue_walker *w, size_t queue, double amount, double count)
{
    w->sums->load[queue] += amount;
    w->sums->crossing[queue] += count;
    if (w->mark[queue] != w->goal) {
        w->mark[queue] = w->goal;
        w->sums->destinations[queue]++;
    }
}

/* Follows all groups to w->dst and books what arrives from the first switch on; sets `arrives` of
 * each. */
ik_status queues_follow(queue_walker *w, ik_error *err);
/* The same of one group, where the plan leaves no choice. */
void queues_follow_one(queue_walker *w, queue_group *g);

#endif
