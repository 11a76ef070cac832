/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/judge.c: what the results say of the claims.
 *
 * Both sides become samples, one per seed (and per value of what is aggregated over), and these a
 * mean with its 95 % interval; a number, and a measure that is exact, have an interval of no width.
 * With d = left - right, its interval [low, high] and t = tolerance times the right side, "left <
 * right" holds if high < t, differs if low >= t, and cannot be told else: with no tolerance,
 * where the intervals overlap. Of two samples and fewer nothing can be decided, unless each of them
 * has an interval over its time, which is the only chance in it.
 */
#include "report/figure/judge.h"

#include "experiment/figures/scales.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- verdicts */

/* `inside` is how far the whole interval lies within
 * what the claim allows, `outside` how far its nearest point does. */
ik_claim_verdict judge_compare(const claim *c, claim_op op, const claim_number *a,
                               const claim_number *b, double *margin)
{
    double low = a->mean - a->ci95 - (b->mean + b->ci95),
           high = a->mean + a->ci95 - (b->mean - b->ci95), scale = fabs(b->mean),
           t = isinf(scale) ? 0 : fmax(c->tolerance * scale, c->within);
    bool strict = (op == OP_LESS || op == OP_MORE) && t == 0;
    double inside = INFINITY, outside = INFINITY;
    *margin = NAN;
    if (isnan(low) || isnan(high))
        return IK_CLAIM_UNTOLD;
    if (op <= OP_EQUAL) { /* bounded above */
        inside = t - high;
        outside = t - low;
    }
    if (op >= OP_EQUAL) { /* bounded below */
        inside = fmin(inside, t + low);
        outside = fmin(outside, t + high);
    }
    bool holds = strict ? inside > 0 : inside >= 0, differs = strict ? outside <= 0 : outside < 0;
    if ((holds || differs) && scale > 0 && isfinite(scale) && isfinite(a->mean))
        *margin = (holds ? inside : outside) / scale;
    return holds ? IK_CLAIM_HOLDS : differs ? IK_CLAIM_DIFFERS : IK_CLAIM_UNTOLD;
}

const char *judge_lacks(const judge *j, const claim_number *n)
{
    if (n->why)
        return n->why;
    if (n->num == 0)
        return "no point is finished, or none is feasible";
    if (isnan(n->mean))
        return j->c->measure == CLAIM_CROSSING     ? "the curves do not cross in every sample"
               : j->c->measure == CLAIM_SATURATION ? "some samples saturate and others do not"
                                                   : "some points have no such result";
    return !n->exact && !n->by_time && n->num < 3 ? "fewer than three samples" : NULL;
}

static ik_claim_verdict judge_pair(judge *j, claim_op op, const claim_number *a,
                                   const claim_number *b)
{
    const char *why = judge_lacks(j, a);
    why = why ? why : judge_lacks(j, b);
    if (!why && isinf(a->mean) && isinf(b->mean))
        why = "neither saturates";
    j->r->why = why ? why : j->r->why;
    double margin = NAN;
    ik_claim_verdict verdict = why ? IK_CLAIM_UNTOLD : judge_compare(j->c, op, a, b, &margin);
    j->r->margin = margin;
    if (!why && verdict == IK_CLAIM_UNTOLD)
        j->r->why = "the intervals overlap";
    return verdict;
}

double judge_divide(double a, double around_a, double b, double around_b, double *half)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 4; i++) {
        double q = (i & 1 ? a + around_a : a - around_a) / (i & 2 ? b + around_b : b - around_b);
        low = q < low ? q : low;
        high = q > high ? q : high;
    }
    *half = (high - low) / 2;
    return (low + high) / 2;
}

/* The quotient, with the interval that those of both sides leave it. */
static claim_number judge_quotient(const claim_number *a, const claim_number *b)
{
    claim_number q = {.num = a->num < b->num ? a->num : b->num,
                      .exact = a->exact && b->exact,
                      .by_time = a->by_time || b->by_time,
                      .mean = NAN,
                      .ci95 = NAN};
    if (!(fabs(b->mean) * (1 - 1e-6) > b->ci95)) { /* it may begin just beyond 0 */
        q.why =
            isnan(b->mean) || isinf(b->ci95) ? NULL : "what is divided by may be as little as 0";
        return q;
    }
    if (a->range > 0 || b->range > 0) {
        q.mean = judge_divide(a->mean, a->ci95, b->mean, b->ci95, &q.ci95);
        return q;
    }
    double share = (isfinite(a->ci95) ? a->ci95 : 0) / fabs(a->mean) +
                   (isfinite(b->ci95) ? b->ci95 : 0) / fabs(b->mean);
    q.mean = a->mean / b->mean;
    q.ci95 = a->mean != 0 ? fabs(q.mean) * share : a->ci95 / fabs(b->mean);
    return q;
}

/* Every pair of neighbours; one that differs decides, else one that cannot be told. */
static ik_status judge_order(judge *j, ik_error *err)
{
    claim_number before = {0}, here = {0};
    const char *why = "";
    double margin = INFINITY; /* of the pairs so far that decide */
    ik_status status = judge_side(j, &j->v.of[0], &before, err);
    j->r->left = before;
    j->r->verdict = IK_CLAIM_HOLDS;
    for (size_t i = 1; i < j->c->num_of && status == IK_OK; i++) {
        status = judge_side(j, &j->v.of[i], &here, err);
        if (status != IK_OK)
            return status;
        j->r->why = "";
        ik_claim_verdict v = judge_pair(j, OP_LESS, &before, &here);
        double exchanged;
        if (judge_compare(j->c, OP_LESS, &here, &before, &exchanged) == IK_CLAIM_HOLDS)
            j->r->blind = BLIND_ORDER;
        if (v != IK_CLAIM_HOLDS && v != j->r->verdict && j->r->verdict != IK_CLAIM_DIFFERS) {
            j->r->verdict = v;
            j->r->pair = i;
            why = j->r->why;
            margin = j->r->margin;
        } else if (v == j->r->verdict) {
            margin = fmin(margin, j->r->margin);
        }
        before = here;
    }
    if (j->r->verdict != IK_CLAIM_HOLDS)
        j->r->blind = BLIND_NOT;
    j->r->right = before;
    j->r->why = why;
    j->r->margin = isfinite(margin) ? margin : NAN;
    return status;
}

static ik_status judge_sides(judge *j, ik_error *err)
{
    const claim *c = j->c;
    claim_number a = {0}, b = {0}, value = {c->value, 0, SIZE_MAX, true};
    bool two = c->against.place && c->measure != CLAIM_CROSSING;
    ik_status status = judge_side(j, &j->v.of[0], &a, err);
    if (status == IK_OK && two)
        status = judge_side(j, &j->v.against, &b, err);
    if (status != IK_OK)
        return status;
    bool neither = two && isinf(a.mean) && isinf(b.mean);
    if (c->paired) {
        status = judge_paired_quotient(j, &a, err);
    } else if (two && c->ratio) {
        const char *why = judge_lacks(j, &a);
        why = why ? why : judge_lacks(j, &b);
        j->r->why = why ? why : "";
        a = judge_quotient(&a, &b);
    }
    if (neither && c->ratio && !j->r->why[0])
        j->r->why = "neither saturates";
    j->r->left = a;
    j->r->right = two && !c->ratio ? b : value;
    if (status == IK_OK && j->r->why[0] == '\0')
        j->r->verdict = judge_pair(j, c->op, &j->r->left, &j->r->right);
    return status == IK_OK && j->r->verdict == IK_CLAIM_HOLDS ? judge_power(j, &j->r->blind, err)
                                                              : status;
}

/* Resolves a claim of which some points are not there; IK_ERR_INPUT: it cannot be judged. What is
 * left out is no part of the sweep, so without it a claim is resolved against what is there. */
static ik_status judge_find_in_sweep(judge *j, bool unfinished, ik_error *err)
{
    figure_book *b = j->b;
    ik_status status = sweep_points_open(b, err);
    if (status == IK_ERR_INPUT && unfinished)
        return ik_fail(err, status, "not all points are finished");
    if (status == IK_OK)
        status = claim_resolve(&b->sweep.a, j->c, &b->over, &j->v, err);
    if (status != IK_OK)
        return status;
    sweep_count count = sweep_points_count(&b->sweep, &j->v);
    if (count.missing)
        return ik_fail(err, IK_ERR_INPUT, "unfinished: %zu of its %s missing", count.missing,
                       IK_COUNT(count.all - count.left_out, "point is|points are"));
    if (count.left_out) {
        status = claim_resolve(&b->a, j->c, &b->over, &j->v, err);
        return status == IK_ERR_INPUT
                   ? ik_fail(err, status, "%zu of its %s left out: no run can finish them",
                             count.left_out, IK_COUNT(count.all, "point is|points are"))
                   : status;
    }
    j->a = &b->sweep.a;
    j->row = b->sweep.row;
    return IK_OK;
}

static ik_status judge_find_points(judge *j, ik_error *err)
{
    const report_model *m = j->b->m;
    if (m->num_rows < m->num_points - m->num_left_out)
        return judge_find_in_sweep(j, true, err);
    ik_error swept;
    ik_status status = claim_resolve(&j->b->a, j->c, &j->b->over, &j->v, err);
    if (status != IK_ERR_INPUT || !m->num_left_out)
        return status;
    ik_status whole = judge_find_in_sweep(j, false, &swept);
    if (whole != IK_OK && err)
        *err = swept;
    return whole;
}

/* A claim that waits for a larger scale, or for a run without overrides. */
static ik_status judge_leave(figure_book *b, const claim *c, claim_result *r, ik_error *err)
{
    size_t num;
    const ik_scale *scales = ik_scales(&num);
    r->verdict = IK_CLAIM_NOT_ASKED;
    r->why = scale_rank(b->m->scale) < c->scale
                 ? ik_arena_printf(&b->arena, "checked only at scale %s%s", scales[c->scale].name,
                                   c->scale + 1 < num ? " and larger" : "")
                 : "checked only in runs without overrides";
    return r->why ? IK_OK : ik_fail_memory(err, 1, "a claim");
}

static ik_status judge_claim(figure_book *b, const claim *c, claim_result *r, ik_error *err)
{
    judge j = {.b = b, .a = &b->a, .c = c, .r = r};
    const claim_number none = {.mean = NAN, .ci95 = NAN};
    *r = (claim_result){
        .c = c, .verdict = IK_CLAIM_UNTOLD, .left = none, .right = none, .why = "", .margin = NAN};
    if (c->scale && (b->m->overrides[0] || scale_rank(b->m->scale) < c->scale))
        return judge_leave(b, c, r, err);
    ik_error why;
    ik_status status = judge_find_points(&j, &why);
    if (status == IK_ERR_INPUT) { /* its points are left out, or are not finished */
        r->why = ik_arena_strdup(&b->arena, why.text);
        return r->why ? IK_OK : ik_fail_memory(err, 1, "a claim");
    }
    if (status != IK_OK) {
        if (err)
            *err = why;
        return status;
    }
    status = c->measure == CLAIM_ORDER   ? judge_order(&j, err)
             : c->measure == CLAIM_TABLE ? judge_table(&j, err)
                                         : judge_sides(&j, err);
    r->why = r->why ? r->why : "";
    return status;
}

ik_status claims_judge(figure_book *b, const claim_result **out, ik_error *err)
{
    ik_status status = IK_OK;
    if (!b->judged) {
        claim_result *list = ik_arena_alloc(&b->arena, (b->num_claims + 1) * sizeof *list);
        if (!list)
            return ik_fail_memory(err, b->num_claims * sizeof *list, "claims");
        for (size_t i = 0; i < b->num_claims && status == IK_OK; i++)
            status = judge_claim(b, &b->claims[i], &list[i], err);
        b->judged = status == IK_OK ? list : NULL;
    }
    *out = b->judged;
    return status;
}
