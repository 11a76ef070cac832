/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/members.h: parameters whose value is a list of traffic, patterns or jobs, each a
 * mapping that may sweep over values of its own. */
#ifndef IKAT_EXPERIMENT_MEMBERS_H
#define IKAT_EXPERIMENT_MEMBERS_H

#include "experiment/experiment_impl.h"
#include "experiment/yaml/sweep.h"

/* Refuses keys of a mapping other than these, NULL at the end. what: "key of a job". */
ik_status members_check_keys(const ytree *map, const char *what, const char *const *known,
                             ik_error *err);

/* A spec that stands in a list joined by `marks`; refused if it contains one of them, which the
 * message calls "cannot be a job". */
typedef struct members_kind {
    const char *marks, *refusal;
} members_kind;

/* Labels of what a node of the family of traffic stands for, one each. */
ik_status members_read_traffic(ik_experiment *e, const ytree *node, members_kind kind, sweep *out,
                               ik_error *err);

/* Reads one item of a list into what it sweeps over. */
typedef ik_status (*members_item_fn)(ik_experiment *e, const ytree *item, sweep *out,
                                     ik_error *err);
/* One value, of texts joined by `mark`, for every combination of the items' own. */
ik_status members_combine(ik_experiment *e, const ytree *list, members_item_fn read_item, char mark,
                          sweep *out, ik_error *err);

#endif
