/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule.h: a schedule with a table of its own that says which messages are of which entry.
 */
#ifndef IK_SCHEDULE_H
#define IK_SCHEDULE_H

#include "ikat/traffic.h"

/* A schedule's most entries. */
enum { SCHEDULE_MAX = 32 };

/* The same patterns as t (which outlives it) with a table `first` of zeros to be filled in. Free
 * with ik_traffic_free. */
ik_status schedule_bind(const ik_traffic *t, ik_traffic **out, ik_error *err);
/* When entry k begins. */
static inline uint64_t schedule_start(const ik_schedule *s, unsigned k)
{
    return k ? s->entries[k - 1].until_ps : 0;
}
/* Entry of message n of a source. */
unsigned schedule_entry_of(const ik_schedule *s, uint32_t src, uint64_t n);

#endif
