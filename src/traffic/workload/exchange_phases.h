/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange_phases.h: exchanges in phases: phase i is the i-th message of every process's order. */
#ifndef IK_EXCHANGE_PHASES_H
#define IK_EXCHANGE_PHASES_H

#include "traffic/workload/exchange_order.h"
#include "traffic/workload/steps.h"

typedef struct phases_of_processes {
    const order_key *all; /* destinations, process after process, each in its order */
    const size_t *first;  /* [num + 1] */
    uint32_t num;         /* processes */
    uint64_t bytes;       /* of a message */
    uint64_t repeat;
    bool barriers; /* a phase begins when all processes have come to it; else when its own have */
    size_t phases; /* set by phases_count */
} phases_of_processes;

/* Refuses so many messages (of a repetition): they are stored one by one. */
ik_status phases_refuse(uint64_t messages, ik_error *err);
/* Counts phases; refuses too many messages. */
ik_status phases_count(phases_of_processes *p, ik_error *err);
/* Adds all messages, a class per phase; of more than 1,000 phases several share one. */
void phases_add(const phases_of_processes *p, steps *s);

#endif
