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

/* Refuses a name that could not be told from what is around it: with a blank, a quote, a
 * parenthesis or one of `marks`. what: "a job". */
ik_status members_check_name(const ytree *name, const char *what, const char *marks, ik_error *err);

/* What a value was made of: a node like the one that was written, but of this one value, whose
 * scalars have their places. Errors name its parts by their path (ik_error.settings). At the place
 * of `place`, room for so many parts; NULL = out of memory. */
ytree *members_parts(ytree_kind kind, const ytree *place, size_t room, ik_arena *arena);
/* Adds a part (NULL: none) to a list, or with a key to a mapping; false = out of memory. */
bool members_part(ytree *parts, const char *key, const ytree *part, ik_arena *arena);
/* Whether a parameter's values are lists of traffic, and have parts. */
bool members_listed(ik_param_type type);

/* Labels of what a node of the family of traffic stands for, one each, with its parameters as
 * parts: a mapping whose text is the member's name; of a file the text is its path. */
ik_status members_read_traffic(ik_experiment *e, const ytree *node, sweep *out, ik_error *err);

/* Reads one item of a list into what it sweeps over. */
typedef ik_status (*members_item_fn)(ik_experiment *e, const ytree *item, sweep *out,
                                     ik_error *err);
/* One value, of texts joined by `mark`, for every combination of the items' own. Its parts are
 * those that the items have as places. */
ik_status members_combine(ik_experiment *e, const ytree *list, members_item_fn read_item, char mark,
                          sweep *out, ik_error *err);

#endif
