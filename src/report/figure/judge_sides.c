/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/judge_sides.c: the sides of a claim as samples, and these as numbers.
 *
 * A side has a sample per seed, and per value of what is aggregated over: a result, or a property
 * of the curve that it makes. A pair is the same seed, and the same value of all of these, on both
 * sides.
 */
#include "report/figure/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples */

/* Points whose result would be another one in a longer run, or may be. */
typedef struct open_points {
    size_t num;
    const report_row *first;
    double needs_ns; /* the longest time that would be enough; < 0: of some it cannot be said */
} open_points;

typedef struct sample_list {
    double *items;
    double *doubt;       /* [num] a value may be so much less or more */
    double *half;        /* [num] half the interval of a run over its time; 0 = it is not known */
    size_t *points;      /* [num] the point of a sample, the first of a curve's */
    bool *again;         /* [num] it repeats another one: of claims that are paired alone */
    size_t num, repeats; /* samples; points that repeat one with another seed */
    open_points open;
    const char *why; /* there are none, or not all have a value; NULL = nothing is missing */
} sample_list;

static ik_status judge_sides_samples_room(sample_list *s, size_t room, ik_error *err)
{
    s->items = ik_calloc(room + 1, sizeof *s->items);
    s->doubt = ik_calloc(room + 1, sizeof *s->doubt);
    s->half = ik_calloc(room + 1, sizeof *s->half);
    s->points = ik_calloc(room + 1, sizeof *s->points);
    s->again = ik_calloc(room + 1, sizeof *s->again);
    return s->items && s->doubt && s->half && s->points && s->again
               ? IK_OK
               : ik_fail_memory(err, room, "a claim");
}

static void judge_sides_samples_free(sample_list *s)
{
    free(s->items);
    free(s->doubt);
    free(s->half);
    free(s->points);
    free(s->again);
}

static void judge_sides_add_sample(sample_list *s, double value, double doubt, size_t point)
{
    s->doubt[s->num] = doubt;
    s->points[s->num] = point;
    s->items[s->num++] = value;
}

/* Of what a deadlock ended only what is known without running it counts: the rest depends on when
 * the watchdog looked. */
static bool judge_sides_was_ended(const report_row *r, const result_expr *e)
{
    return r->deadlock[0] &&
           !(metric_is_static(e->first) && (!e->op || metric_is_static(e->second)));
}

/* Whether a value of the point (e NULL: that it is accepted) was not shown to be that of a longer
 * run: then it is counted, unless the claim is about a transient. */
static bool judge_sides_is_transient(const judge *j, const report_row *r, const result_expr *e,
                                     open_points *open)
{
    bool lasts = e ? figure_lasts(r, e) : metric_counts(r->steady);
    if (j->c->transient || r->steady == IK_STEADY_NONE || lasts)
        return false;
    if (open->num++ == 0)
        open->first = r;
    double needs = r->value[METRIC_NEEDS]; /* NAN: it cannot be said; then not of all points */
    open->needs_ns = isnan(needs) || open->needs_ns < 0 ? -1 : fmax(open->needs_ns, needs);
    return true;
}

static void judge_sides_add_open(open_points *to, const open_points *more)
{
    to->first = to->num ? to->first : more->first;
    to->num += more->num;
    to->needs_ns = to->needs_ns < 0 || more->needs_ns < 0 ? -1 : fmax(to->needs_ns, more->needs_ns);
}

/* Which points were not shown to be steady, why, and the time that would be enough. */
static ik_status judge_sides_explain_open(const judge *j, sample_list *s, ik_error *err)
{
    const open_points *open = &s->open;
    const report_row *r = open->first;
    char others[40] = "", load[40] = "", need[60] = "";
    if (!r || s->why)
        return IK_OK;
    if (open->num > 1)
        snprintf(others, sizeof others, "%s, the first ", IK_COUNT(open->num, "point"));
    if (r->load > 0)
        snprintf(load, sizeof load, ", load %.4g %%", 100 * r->load);
    if (open->needs_ns > 0)
        snprintf(need, sizeof need, "; about %.2g ms would be enough", open->needs_ns / 1e6);
    s->why = ik_arena_printf(&j->b->arena, "%s %s%s, %s%s%s%s, seed %" PRIu64 ": %s%s",
                             r->steady == IK_STEADY_NO      ? "not steady at"
                             : r->steady == IK_STEADY_SHORT ? "too short to tell at"
                                                            : "latencies do not last at",
                             others, j->b->m->plans[r->plan].label, r->traffic,
                             r->variant[0] ? ", " : "", r->variant, load, r->seed, r->steady_reason,
                             need);
    return s->why ? IK_OK : ik_fail_memory(err, 1, "a claim");
}

static double judge_sides_result_of(const judge *j, const report_row *r, const result_expr *e,
                                    sample_list *out)
{
    if (judge_sides_was_ended(r, e)) {
        out->why = "a deadlock ended some of the points";
        return NAN;
    }
    return judge_sides_is_transient(j, r, e, &out->open) ? NAN : figure_result(r, e);
}

/* The same; where a search could not tell the loads between two, what is in the middle between the
 * results with either, give or take *doubt. */
static double judge_sides_told_result(const judge *j, const report_row *r, const result_expr *e,
                                      double *doubt, sample_list *out)
{
    double most = r->value[METRIC_SATURATION_MOST], low = judge_sides_result_of(j, r, e, out);
    *doubt = 0;
    if (isnan(most) || isnan(low) || j->c->transient)
        return low;
    report_row top = *r;
    top.value[METRIC_SATURATION_LOAD] = most;
    double high = figure_result(&top, e);
    *doubt = fabs(high - low) / 2;
    return *doubt > 0 ? (low + high) / 2 : low;
}

/* The same where only what a search could tell makes sense: of the rest nothing is decided. */
static double judge_sides_sure_result(const judge *j, const report_row *r, const result_expr *e,
                                      sample_list *out)
{
    double doubt, value = judge_sides_told_result(j, r, e, &doubt, out);
    if (!(doubt > 0))
        return value;
    out->why = "some of the searches could not tell a load";
    return NAN;
}

/* The places along x of a side: entries from `begin` on, `num` of them, at value x. The samples
 * number s of all places make a curve. */
typedef struct place {
    double x;
    size_t begin, num;
} place;

static int judge_sides_by_x(const void *a, const void *b)
{
    double x = ((const place *)a)->x, y = ((const place *)b)->x;
    return (x > y) - (x < y);
}

/* Do the points of two places differ, sample by sample, in x alone? */
static bool judge_sides_same_samples(const judge *j, const claim_side *side, const place *p,
                                     const place *q)
{
    const axes *a = j->a;
    char name[160];
    for (size_t s = 0; s < p->num && p->num == q->num; s++) {
        const uint32_t *one = &a->cells[side->entries[p->begin + s].point * a->num_keys],
                       *other = &a->cells[side->entries[q->begin + s].point * a->num_keys];
        for (size_t k = 0; k < a->num_keys; k++)
            if (axes_differ(a, k, one[k], other[k], &j->c->x, 1, name, sizeof name))
                return false;
    }
    return p->num == q->num;
}

/* *num places, ascending; free() them. list->why: they have not the same samples. */
static ik_status judge_sides_find_places(const judge *j, const claim_side *side, place **out,
                                         size_t *num, sample_list *list, ik_error *err)
{
    place *places = ik_calloc(side->num_entries + 1, sizeof *places);
    if (!places)
        return ik_fail_memory(err, side->num_entries * sizeof *places, "a claim");
    *num = 0;
    for (size_t i = 0; i < side->num_entries; i++) {
        uint32_t key = side->entries[i].key[KEY_X];
        if (key == IK_NONE)
            continue;
        if (i == 0 || !same_key(&side->entries[i - 1], &side->entries[i]))
            places[(*num)++] = (place){j->v.x.values[key].number, i, 0};
        places[*num - 1].num++;
    }
    for (size_t i = 1; i < *num; i++)
        if (!judge_sides_same_samples(j, side, &places[0], &places[i]))
            list->why = "the points of a curve have not all the same samples";
    qsort(places, *num, sizeof *places, judge_sides_by_x);
    *out = places;
    return IK_OK;
}

static size_t judge_sides_row_of(const judge *j, const view_entry *e)
{
    return j->row ? j->row[e->point] : e->point;
}

static const report_row *judge_sides_row_at(const judge *j, const claim_side *side, const place *p,
                                            size_t s)
{
    return &j->b->m->rows[judge_sides_row_of(j, &side->entries[p->begin + s])];
}

/* What a point says of its load; of a transient, what its window shows. */
static metric_acceptance judge_sides_accepts(const judge *j, const report_row *r)
{
    double saturated = r->value[METRIC_SATURATED];
    if (r->deadlock[0])
        return METRIC_REFUSED;
    if (!j->c->transient)
        return metric_accepts(r->steady, saturated);
    if (isnan(saturated))
        saturated = r->value[METRIC_THROUGHPUT] < 0.95 * r->value[METRIC_OFFERED];
    return saturated > 0 ? METRIC_REFUSED : METRIC_ACCEPTED;
}

/* Where sample s saturates: somewhere between the lowest load that it does not accept and the next
 * one below, or 0: their middle, give or take *doubt. INFINITY: it accepts all. Of a transient, or
 * on another axis, the lowest that is not accepted. */
static double judge_sides_saturation(const judge *j, const claim_side *side, const place *p,
                                     size_t num, size_t s, double *doubt, sample_list *out)
{
    *doubt = 0;
    metric_saturation found = METRIC_SATURATION_EMPTY;
    for (size_t i = 0; i < num; i++)
        metric_saturation_add(&found, p[i].x,
                              judge_sides_accepts(j, judge_sides_row_at(j, side, &p[i], s)));
    for (size_t i = 0; i < num && !isnan(found.untold); i++)
        if (p[i].x == found.untold) {
            judge_sides_is_transient(j, judge_sides_row_at(j, side, &p[i], s), NULL, &out->open);
            return NAN;
        }
    if (isnan(found.refused) || strcmp(j->c->x, "load") != 0 || j->c->transient)
        return isnan(found.refused) ? INFINITY : found.refused;
    *doubt = (found.refused - found.accepted) / 2 * (1 - 1e-9); /* the latter is itself accepted */
    return found.refused - *doubt;
}

/* Plateau, peak or argmax of the curve that sample s makes; NAN where a point has no such
 * result. A peak is that of the points that last. */
static double judge_sides_measure_curve(const judge *j, const claim_side *side, const place *p,
                                        size_t num, size_t s, sample_list *out)
{
    double sum = 0, best = -INFINITY, at = NAN, x = 0; /* x: 0, or NAN */
    size_t counted = 0;
    open_points left_out = {0};
    for (size_t i = 0; i < num; i++) {
        const report_row *r = judge_sides_row_at(j, side, &p[i], s);
        if (j->c->measure == CLAIM_PEAK && judge_sides_is_transient(j, r, &j->c->y, &left_out))
            continue;
        double y = judge_sides_sure_result(j, r, &j->c->y, out);
        bool plateau = p[i].x >= p[num - 1].x - (p[num - 1].x - p[0].x) / 3;
        sum += plateau ? y : 0;
        counted += plateau;
        x += isnan(y) ? NAN : 0;
        if (y > best) {
            best = y;
            at = p[i].x;
        }
    }
    switch (j->c->measure) {
    case CLAIM_ARGMAX:
        return at + x;
    case CLAIM_PEAK:
        if (isinf(best)) /* no point of the curve is steady */
            judge_sides_add_open(&out->open, &left_out);
        return isinf(best) ? NAN : best + x;
    default:
        return sum / (double)counted;
    }
}

/* Samples of infeasible routings are none. */
static bool judge_sides_is_feasible(const report_row *r)
{
    return !(r->value[METRIC_FEASIBLE] < 1);
}

static ik_status judge_sides_curve_samples(const judge *j, const claim_side *side, sample_list *out,
                                           ik_error *err)
{
    place *places = NULL;
    size_t num = 0;
    ik_status status = judge_sides_find_places(j, side, &places, &num, out, err);
    if (status != IK_OK)
        return status;
    size_t samples = num && !out->why ? places[0].num : 0;
    bool saturates = j->c->measure == CLAIM_SATURATION;
    status = judge_sides_samples_room(out, samples, err);
    for (size_t s = 0; status == IK_OK && s < samples; s++) {
        double doubt = 0;
        if (!judge_sides_is_feasible(judge_sides_row_at(j, side, &places[0], s)))
            continue;
        double value = saturates ? judge_sides_saturation(j, side, places, num, s, &doubt, out)
                                 : judge_sides_measure_curve(j, side, places, num, s, out);
        judge_sides_add_sample(out, value, doubt, side->entries[places[0].begin + s].point);
    }
    free(places);
    return status;
}

/* Where two curves of as many places cross: the first change of sign, linear between places; NAN:
 * they do not. Curves that only touch, or are one for a while, do not cross there; where they are
 * one between two signs, they cross where that begins. */
static double judge_sides_crossing(const judge *j, const place *p, const place *q, size_t num,
                                   size_t s, sample_list *out)
{
    double before = 0, touch = NAN; /* the last difference that is not 0, and the first 0 since */
    size_t last = 0;
    for (size_t i = 0; i < num; i++) {
        const report_row *a = judge_sides_row_at(j, &j->v.of[0], &p[i], s),
                         *b = judge_sides_row_at(j, &j->v.against, &q[i], s);
        double d = judge_sides_sure_result(j, a, &j->c->y, out) -
                   judge_sides_sure_result(j, b, &j->c->y, out);
        if (isnan(d))
            return NAN;
        if (before * d < 0)
            return !isnan(touch) ? touch : p[last].x + (p[i].x - p[last].x) * before / (before - d);
        if (d != 0) {
            before = d;
            last = i;
            touch = NAN;
        } else if (isnan(touch)) {
            touch = p[i].x;
        }
    }
    return NAN;
}

/* Why two curves cannot be laid over each other; NULL: they can. */
static const char *judge_sides_tell_apart(const place *p, size_t num, const place *q, size_t other)
{
    if (num != other || (num && p[0].num != q[0].num))
        return "the two curves have not as many points and samples";
    for (size_t i = 0; i < num; i++)
        if (p[i].x != q[i].x)
            return "the two curves are not over the same x";
    return NULL;
}

static ik_status crossing_samples(const judge *j, sample_list *out, ik_error *err)
{
    place *p = NULL, *q = NULL;
    size_t num = 0, other = 0;
    ik_status status = judge_sides_find_places(j, &j->v.of[0], &p, &num, out, err);
    if (status == IK_OK)
        status = judge_sides_find_places(j, &j->v.against, &q, &other, out, err);
    if (status == IK_OK && !out->why)
        out->why = judge_sides_tell_apart(p, num, q, other);
    size_t samples = status == IK_OK && num && !out->why ? p[0].num : 0;
    if (status == IK_OK)
        status = judge_sides_samples_room(out, samples, err);
    for (size_t s = 0; status == IK_OK && s < samples; s++)
        if (judge_sides_is_feasible(judge_sides_row_at(j, &j->v.of[0], &p[0], s)) &&
            judge_sides_is_feasible(judge_sides_row_at(j, &j->v.against, &q[0], s)))
            judge_sides_add_sample(out, judge_sides_crossing(j, p, q, num, s, out), 0,
                                   j->v.of[0].entries[p[0].begin + s].point);
    free(p);
    free(q);
    return status;
}

/* What a search found; INFINITY where all of 100 % was accepted, NAN where that cannot be told.
 * Where the search could not tell the loads between two: their middle, give or take *doubt. */
static double judge_sides_search_result(const judge *j, const report_row *r, double *doubt,
                                        sample_list *out)
{
    double found = r->value[METRIC_SATURATION_LOAD], most = r->value[METRIC_SATURATION_MOST];
    *doubt = isnan(most) || j->c->transient ? 0 : (most - found) / 2;
    if (r->deadlock[0])
        out->why = "a deadlock ended some of the searches";
    else if (model_search_told(r) || !judge_sides_is_transient(j, r, NULL, &out->open))
        return isnan(found) ? INFINITY : found + *doubt;
    return NAN;
}

static ik_status searched_samples(const judge *j, const claim_side *side, sample_list *out,
                                  ik_error *err)
{
    ik_status status = judge_sides_samples_room(out, side->num_entries, err);
    for (size_t i = 0; status == IK_OK && i < side->num_entries; i++) {
        const report_row *r = &j->b->m->rows[judge_sides_row_of(j, &side->entries[i])];
        double doubt;
        if (!judge_sides_is_feasible(r)) /* nothing was searched */
            continue;
        double found = judge_sides_search_result(j, r, &doubt, out);
        judge_sides_add_sample(out, found, doubt, side->entries[i].point);
    }
    return status;
}

/* Half the interval that a run has by its batch means; 0 where its result has none, or where the
 * seed draws what lasts for the run, of which a single run shows nothing. */
static double judge_sides_half_of(const judge *j, const report_row *r, const result_expr *e)
{
    metric_id share = e->op                             ? NUM_METRICS
                      : e->first == METRIC_THROUGHPUT   ? METRIC_THROUGHPUT_INTERVAL
                      : e->first == METRIC_LATENCY_MEAN ? METRIC_LATENCY_INTERVAL
                                                        : NUM_METRICS;
    bool over_more = j->c->over.num > 0 || j->b->over.num > 0; /* samples are more than seeds */
    if (share == NUM_METRICS || j->c->transient || over_more || !(r->value[share] > 0) ||
        model_run_draws(j->b->m, r))
        return 0;
    return r->value[share] * fabs(r->value[e->first]);
}

static ik_status judge_sides_point_samples(const judge *j, const claim_side *side, sample_list *out,
                                           ik_error *err)
{
    size_t *rows = ik_calloc(side->num_entries + 1, sizeof *rows);
    ik_status status = rows ? judge_sides_samples_room(out, side->num_entries, err)
                            : ik_fail_memory(err, 1, "a claim");
    for (size_t i = 0; status == IK_OK && i < side->num_entries; i++)
        rows[i] = judge_sides_row_of(j, &side->entries[i]);
    for (size_t i = 0; status == IK_OK && i < side->num_entries; i++) {
        const report_row *r = &j->b->m->rows[rows[i]];
        double doubt, value = judge_sides_told_result(j, r, &j->c->y, &doubt, out);
        bool counts = !isnan(value) || judge_sides_is_feasible(r);
        bool repeat = figure_is_repeat(j->b->m, rows, side->num_entries, i, &j->c->y);
        out->again[out->num] = repeat;
        if (counts && (!repeat || j->c->paired)) {
            judge_sides_add_sample(out, value, doubt, side->entries[i].point);
            out->half[out->num - 1] = judge_sides_half_of(j, r, &j->c->y);
        }
        out->repeats += repeat;
    }
    free(rows);
    return status;
}

static ik_status judge_sides_samples_of(const judge *j, const claim_side *side, sample_list *out,
                                        ik_error *err)
{
    ik_status status = j->c->measure == CLAIM_CROSSING ? crossing_samples(j, out, err)
                       : j->v.has_x    ? judge_sides_curve_samples(j, side, out, err)
                       : j->v.searched ? searched_samples(j, side, out, err)
                                       : judge_sides_point_samples(j, side, out, err);
    return status == IK_OK ? judge_sides_explain_open(j, out, err) : status;
}

/* ---- sides */

static bool judge_sides_is_exact(const judge *j)
{
    const result_expr *e = &j->c->y;
    return j->c->measure != CLAIM_SATURATION && metrics[e->first].exact &&
           (!e->op || metrics[e->second].exact);
}

/* Half the interval of the mean of one or two runs, by those of the runs; 0 = not all are known, or
 * two that do not overlap leave out what made the runs differ. */
static double judge_sides_half(const sample_list *s)
{
    double squares = 0;
    if (s->num == 2 && fabs(s->items[0] - s->items[1]) > s->half[0] + s->half[1])
        return 0;
    for (size_t i = 0; i < s->num; i++) {
        if (s->num > 2 || !(s->half[i] > 0))
            return 0;
        squares += s->half[i] * s->half[i];
    }
    return sqrt(squares) / (double)s->num;
}

/* Samples that are all infinite are one infinite value; some of them are no value. */
static claim_number judge_sides_sum_up(const judge *j, const sample_list *s)
{
    claim_number n = {.num = s->num, .mean = NAN, .ci95 = NAN, .why = s->why};
    double sum = 0, squares = 0, doubt = 0;
    size_t infinite = 0;
    for (size_t i = 0; i < s->num; i++) {
        sum += s->items[i];
        doubt += s->doubt[i];
        infinite += isinf(s->items[i]) != 0;
    }
    if (infinite || s->num == 0) {
        n.mean = infinite && infinite == s->num ? INFINITY : NAN;
        n.ci95 = 0;
        return n;
    }
    double mean = sum / (double)s->num;
    for (size_t i = 0; i < s->num; i++)
        squares += (s->items[i] - mean) * (s->items[i] - mean);
    estimate e = model_estimate(mean, squares, s->num);
    if (e.ci95 < 1e-12 * fabs(mean)) /* samples that are equal but for rounding */
        e.ci95 = 0;
    n.mean = mean;
    /* one run that other seeds do not change draws nothing */
    n.exact = judge_sides_is_exact(j) || (s->num == 1 && s->repeats > 0);
    double half = n.exact ? 0 : judge_sides_half(s);
    n.by_time = half > 0;
    n.range = doubt / (double)s->num;
    n.ci95 = (n.by_time ? half : n.exact && !(e.ci95 > 0) ? 0 : e.ci95) + n.range;
    return n;
}

ik_status judge_side(const judge *j, const claim_side *side, claim_number *out, ik_error *err)
{
    sample_list s = {0};
    ik_status status = judge_sides_samples_of(j, side, &s, err);
    if (status == IK_OK)
        *out = judge_sides_sum_up(j, &s);
    judge_sides_samples_free(&s);
    return status;
}

/* ---- pairs */

/* Have two points the same seed, and the same value of each further axis that makes samples? */
static bool judge_sides_is_same_sample(const judge *j, const axis *list, size_t num, size_t p,
                                       size_t q)
{
    for (size_t i = 0; i < num; i++)
        if (axis_at(j->a, &list[i], p) != axis_at(j->a, &list[i], q))
            return false;
    return true;
}

static void judge_sides_add_quotient(const sample_list *a, size_t i, const sample_list *b, size_t k,
                                     sample_list *out)
{
    double over = b->items[k], q = over != 0 ? a->items[i] / over : NAN, doubt = 0;
    if (b->doubt[k] > 0 && b->doubt[k] >= (1 - 1e-6) * fabs(over)) {
        out->why = "what is divided by may be as little as 0";
        q = NAN;
    } else if (a->doubt[i] > 0 || b->doubt[k] > 0) {
        q = judge_divide(a->items[i], a->doubt[i], over, b->doubt[k], &doubt);
    }
    judge_sides_add_sample(out, q, doubt, a->points[i]);
}

/* The quotient of each sample of the left side and the same one of the right side. A pair of which
 * both are repeats is one, too. */
static void judge_sides_divide_pairs(const judge *j, const axis *list, size_t num,
                                     const sample_list *a, const sample_list *b, sample_list *out)
{
    for (size_t i = 0; i < a->num; i++)
        for (size_t k = 0; k < b->num; k++) {
            if (!judge_sides_is_same_sample(j, list, num, a->points[i], b->points[k]))
                continue;
            out->repeats += a->again[i] && b->again[k];
            if (!a->again[i] || !b->again[k])
                judge_sides_add_quotient(a, i, b, k, out);
            break;
        }
}

static ik_status judge_sides_pair_samples(const judge *j, const sample_list *a,
                                          const sample_list *b, sample_list *out, ik_error *err)
{
    const name_list *names = &j->v.samples;
    axis *list = ik_calloc(names->num + 1, sizeof *list);
    size_t num = 0;
    ik_status status = list ? judge_sides_samples_room(out, a->num, err)
                            : ik_fail_memory(err, names->num, "a claim");
    for (size_t i = 0; i < names->num && status == IK_OK; i++)
        if (axes_has(j->a, names->items[i]))
            status = axes_find(j->a, names->items[i], NULL, 0, &list[num++], err);
    if (status == IK_OK)
        judge_sides_divide_pairs(j, list, num, a, b, out);
    free(list);
    out->why = a->why ? a->why : b->why ? b->why : out->why;
    if (!out->why && a->num && b->num && out->num == 0)
        out->why = "no sample of one side is one of the other";
    return status;
}

ik_status judge_paired_quotient(const judge *j, claim_number *out, ik_error *err)
{
    sample_list a = {0}, b = {0}, both = {0};
    ik_status status = judge_sides_samples_of(j, &j->v.of[0], &a, err);
    if (status == IK_OK)
        status = judge_sides_samples_of(j, &j->v.against, &b, err);
    if (status == IK_OK)
        status = judge_sides_pair_samples(j, &a, &b, &both, err);
    if (status == IK_OK)
        *out = judge_sides_sum_up(j, &both);
    judge_sides_samples_free(&a);
    judge_sides_samples_free(&b);
    judge_sides_samples_free(&both);
    return status;
}
