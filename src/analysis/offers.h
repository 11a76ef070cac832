/* SPDX-License-Identifier: Apache-2.0
 *
 * offers.h: a pattern destination by destination: which switches offer how much to it.
 */
#ifndef IK_OFFERS_H
#define IK_OFFERS_H

#include "analysis/demand.h"

/* A goal is a host, or (grouped) all hosts of a row of the demand; offers of a row to itself are
 * then left out. Patterns with few flows are sorted by goal, even ones (see ik_traffic_family.even)
 * are known without a list, all others stand in a matrix of rows by goals, a block of goals at a
 * time. */
typedef struct offers {
    const demand *d;
    bool grouped;
    uint32_t num_goals, width; /* goals of a block */
    uint32_t first, end;       /* the block at hand */
    /* even: [rows] what the hosts of a row together offer to a host of another */
    double *of_row;
    size_t *base;           /* few flows: [num_goals + 1] */
    uint32_t *row;          /* of each flow */
    double *flow;           /* its amount */
    double *amount, *count; /* the matrix: [rows][width] */
} offers;

/* One thread's answer: offers of each row once, rows[0 … num-1]. */
typedef struct offer_list {
    uint32_t num, *rows;
    double *amount, *count; /* [num_rows] by row */
} offer_list;

ik_status offers_open(offers *o, const demand *d, bool grouped, const ik_env *env, ik_error *err);
void offers_close(offers *o);
/* Turns to goals first … end - 1, at most `width` of them. */
ik_status offers_block(offers *o, uint32_t first, uint32_t end, const ik_env *env, ik_error *err);
ik_status offer_list_init(offer_list *l, const demand *d, ik_error *err);
void offer_list_free(offer_list *l);
/* What is offered to a goal of the block. A host that hangs on no switch is offered nothing. */
void offers_to(const offers *o, uint32_t goal, offer_list *l);

#endif
