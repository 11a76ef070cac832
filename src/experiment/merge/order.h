/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/merge/order.h: the numbers of fabrics and plans. A run writes those of its own points
 * as it meets them. A finished file, and one that is merged, has them in the order of the sweep,
 * whichever parts of it were run, and in whichever order. */
#ifndef IKAT_EXPERIMENT_ORDER_H
#define IKAT_EXPERIMENT_ORDER_H

#include "experiment/store.h"

/* Numbers fabrics and plans by the first point on each; those without points come last, by what
 * they are. Does not write where all is in order. Cost: a pass over the numbers of all points. */
ik_status order_by_sweep(store *s, ik_error *err);

/* Gives the fabrics and plans of the attached database `part` the numbers that those of the main
 * one have, by what they are; numbers that are free there, if it has none. Within a transaction. */
ik_status order_as_main(store *s, ik_error *err);

/* A list (JSON) of what was left out, as a finished file has it, in the arena: by points, those of
 * the same routing and reason that follow each other as one. */
ik_status order_left_out(const store *s, const char *list, ik_arena *arena, const char **ordered,
                         ik_error *err);
/* Whether `part` says what was left out in other words than a run: 0 = no. */
ik_status order_count_wrong_left_out(const store *s, uint64_t num_points, int64_t *wrong,
                                     ik_error *err);
/* Adds what `part` says was left out to what the main one does. Within a transaction. */
ik_status order_add_left_out(store *s, ik_error *err);

#endif
