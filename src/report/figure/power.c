/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/power.c: whether a claim that holds would also hold with other results.
 *
 * What was measured is moved, and the claim is judged again. A claim that says which way an effect
 * goes has to fail where the effect goes the other way: with its sides exchanged, with the inverse
 * quotient, or as far beyond its number as the result is on this side of it, at least by a tenth
 * of the number, and no further than results can be. A claim that names a value, or compares a
 * prediction, has to fail where what was measured is a tenth more, or a tenth less.
 */
#include "report/figure/judge.h"

#include <math.h>
#include <string.h>

static const double tenth = 0.1;

static bool power_holds(const claim *c, claim_number left, claim_number right)
{
    double margin;
    return judge_compare(c, c->op, &left, &right, &margin) == IK_CLAIM_HOLDS;
}

/* ---- where a result can be */

/* The mean of what was offered where the left side is measured; INFINITY: it is not known. */
static ik_status power_find_offered(const judge *j, double *most, ik_error *err)
{
    claim offered = *j->c;
    offered.y.first = METRIC_OFFERED;
    judge other = *j;
    other.c = &offered;
    claim_number found = {.mean = NAN};
    ik_status status = judge_side(&other, &j->v.of[0], &found, err);
    if (status == IK_OK && !isnan(found.mean))
        *most = found.mean;
    return status;
}

/* The limit with which the tables of the left side were made. */
static ik_status power_find_limit(const judge *j, double *most, ik_error *err)
{
    axis limit;
    if (!axes_has(j->a, "routing.t_max") || j->v.of[0].num_entries == 0)
        return IK_OK;
    ik_status status = axes_find(j->a, "routing.t_max", NULL, 0, &limit, err);
    uint32_t value = status == IK_OK ? axis_at(j->a, &limit, j->v.of[0].entries[0].point) : IK_NONE;
    if (value != IK_NONE && !isnan(limit.values[value].number))
        *most = limit.values[value].number;
    return status;
}

/* The largest that the left side can be; INFINITY: there is no limit. */
static ik_status power_find_most(const judge *j, double *most, ik_error *err)
{
    const claim *c = j->c;
    bool of_y =
        c->measure == CLAIM_VALUE || c->measure == CLAIM_PLATEAU || c->measure == CLAIM_PEAK;
    *most = INFINITY;
    if (!of_y || c->y.op)
        return IK_OK;
    ik_status status = IK_OK;
    if (c->y.first == METRIC_THROUGHPUT)
        status = power_find_offered(j, most, err);
    else if (c->y.first == METRIC_ENTRIES_MAX || c->y.first == METRIC_ENTRIES_MEAN)
        status = power_find_limit(j, most, err);
    else if (strcmp(metrics[c->y.first].unit, "%") == 0)
        *most = 1;
    *most = fmax(*most, j->r->left.mean);
    return status;
}

/* ---- moves */

/* A number as far on the other side as the result is on this one. */
static ik_status power_holds_beyond(const judge *j, bool *holds, ik_error *err)
{
    claim_number left = j->r->left, right = j->r->right;
    double most, away = fmax(fabs(right.mean - left.mean), tenth * fabs(right.mean));
    ik_status status = power_find_most(j, &most, err);
    if (away == 0) /* both are 0: past what is ignored, or anywhere */
        away = j->c->within > 0 ? 2 * j->c->within : 1;
    left.mean = right.mean + (j->c->op < OP_EQUAL ? away : -away);
    if (j->c->y.op != '-')
        left.mean = fmax(left.mean, 0);
    left.mean = fmin(left.mean, most);
    *holds = status == IK_OK && power_holds(j->c, left, right);
    return status;
}

claim_number judge_scale(claim_number n, double factor)
{
    n.mean *= factor;
    n.ci95 *= factor;
    return n;
}

/* Each measured side, a tenth more and a tenth less. Beside a number of 0, and where both sides are
 * 0, there is no tenth that could be told. */
static bool power_holds_scaled(const judge *j)
{
    const claim_number left = j->r->left, right = j->r->right;
    bool two = right.num != SIZE_MAX; /* else it is a number of the claim */
    if (right.mean == 0 && (!two || left.mean == 0 || j->c->within == 0))
        return false;
    bool holds = power_holds(j->c, judge_scale(left, 1 + tenth), right) &&
                 power_holds(j->c, judge_scale(left, 1 - tenth), right);
    return holds && (!two || (power_holds(j->c, left, judge_scale(right, 1 + tenth)) &&
                              power_holds(j->c, left, judge_scale(right, 1 - tenth))));
}

static bool power_holds_inverse(const judge *j)
{
    claim_number q = j->r->left;
    double mean = q.mean;
    q.mean = 1 / mean;
    q.ci95 /= mean * mean;
    return power_holds(j->c, q, j->r->right);
}

ik_status judge_power(const judge *j, claim_blind *blind, ik_error *err)
{
    const claim *c = j->c;
    bool value = c->op == OP_EQUAL, beyond = false;
    ik_status status = IK_OK;
    *blind = BLIND_NOT;
    if (c->ratio && !(value && c->value == 1))
        *blind = power_holds_inverse(j) ? BLIND_INVERSE : BLIND_NOT;
    else if (!value && j->r->right.num != SIZE_MAX)
        *blind = power_holds(c, j->r->right, j->r->left) ? BLIND_EXCHANGED : BLIND_NOT;
    else if (!value) {
        status = power_holds_beyond(j, &beyond, err);
        *blind = beyond ? BLIND_BEYOND : BLIND_NOT;
    }
    if (!*blind && (value || c->basis != IK_BASIS_PUBLICATION) && power_holds_scaled(j))
        *blind = BLIND_TENTH;
    return status;
}

const char *claim_blind_text(claim_blind blind)
{
    static const char *const texts[] = {
        [BLIND_NOT] = "",
        [BLIND_EXCHANGED] = "with both sides exchanged",
        [BLIND_INVERSE] = "with the inverse quotient",
        [BLIND_BEYOND] = "with a result as far beyond its number as results can be",
        [BLIND_TENTH] = "with 10 % more and with 10 % less",
        [BLIND_ORDER] = "with two neighbours of the order exchanged"};
    return texts[blind];
}
