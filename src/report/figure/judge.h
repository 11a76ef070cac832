/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/judge.h: a claim that is judged: its sides as numbers (judge_sides.c), and what
 * they say of it (judge.c).
 */
#ifndef IKAT_REPORT_FIGURE_JUDGE_H
#define IKAT_REPORT_FIGURE_JUDGE_H

#include "report/figures.h"

typedef struct judge {
    figure_book *b;
    axes *a;           /* of the points that v is about: those of the book, or the whole sweep's */
    const size_t *row; /* of these points; NULL = they are the rows */
    const claim *c;
    claim_view v;
    claim_result *r;
} judge;

/* Why nothing can be decided of a side; NULL: it can. */
const char *judge_lacks(const judge *j, const claim_number *n);
/* judge_table.c: a claim about a printed table. */
ik_status judge_table(judge *j, ik_error *err);
/* power.c: the same, so many times. */
claim_number judge_scale(claim_number n, double factor);
/* The samples of a side, as a mean with its 95 % interval; of a crossing those of both. */
ik_status judge_side(const judge *j, const claim_side *side, claim_number *out, ik_error *err);
/* Sets *margin to a share of the right side. */
ik_claim_verdict judge_compare(const claim *c, claim_op op, const claim_number *a,
                               const claim_number *b, double *margin);
/* power.c: what may be done to the sides of a claim that holds, no order, without another
 * verdict. */
ik_status judge_power(const judge *j, claim_blind *blind, ik_error *err);
/* The middle of all quotients of two ranges, of which the second does not reach 0; *half: how far
 * they go from there. */
double judge_divide(double a, double around_a, double b, double around_b, double *half);
/* The quotient of both sides, sample by sample. */
ik_status judge_paired_quotient(const judge *j, claim_number *out, ik_error *err);

#endif
