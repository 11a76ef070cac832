/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/schedules.h: section schedule and parameters that are schedules (IK_PARAM_SCHEDULE).
 */
#ifndef IKAT_EXPERIMENT_SCHEDULES_H
#define IKAT_EXPERIMENT_SCHEDULES_H

#include "experiment/experiment_impl.h"
#include "experiment/yaml/sweep.h"

/* Values of `node` for parameter `p`: a text, or a list of mappings with the keys until, traffic,
 * load and name, which is one value for every combination of what they sweep over; a list of such
 * lists is several. */
ik_status schedule_expand(ik_experiment *e, const ytree *node, const ik_param *p, sweep *out,
                          ik_error *err);
/* Section schedule becomes section traffic: { family: schedule, entries: … }. */
ik_status schedule_as_traffic(ik_experiment *e, ytree *root, ik_error *err);

/* ---- of a variant of section traffic */
typedef struct schedule_entry {
    const char *spec;
    uint64_t start_ps;
    double load;
    bool has_load; /* else it takes that of the point */
} schedule_entry;
typedef ik_status (*schedule_fn)(void *ctx, const schedule_entry *entry, ik_error *err);
/* The value with its entries; NULL: it is no schedule. */
const ik_value *schedule_value(const variant *v);
/* Every entry in turn, up to the first failure; none of what is no schedule. */
ik_status schedule_each(const variant *v, schedule_fn fn, void *ctx, ik_error *err);
/* Whether it is a schedule none of whose entries takes the load of the point. */
bool schedule_has_own_loads(const variant *v);

#endif
