/* SPDX-License-Identifier: Apache-2.0
 *
 * subnet/counters.h: counters of ports, one by one.
 */
#ifndef IKAT_SUBNET_COUNTERS_H
#define IKAT_SUBNET_COUNTERS_H

#include "ikat/counters.h"

typedef struct counter_kind {
    const char *name;
    uint64_t limit; /* of its form in PortCounters, where it stops */
} counter_kind;

extern const counter_kind counter_kinds[IK_NUM_COUNTERS];

/* Words and packets: counted on every port that works. */
static inline bool counter_is_traffic(ik_counter c)
{
    return c >= IK_COUNTER_XMIT_DATA && c <= IK_COUNTER_RCV_PACKETS;
}

/* Does growth of it mean that a cable or port should be looked at? */
bool counters_is_error(ik_counter counter);
/* Appends what the changes say of ports to their findings. */
ik_status counters_judge(ik_counter_changes *c, ik_error *err);

#endif
