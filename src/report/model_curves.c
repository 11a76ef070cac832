/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model_curves.c: points put together: over seeds to steps with confidence intervals, over
 * loads to curves.
 */
#include "base/hash.h"
#include "ikat/analysis.h"
#include "report/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two-sided 95 % quantiles of Student's t for 1 … 30 degrees of freedom. */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

estimate model_estimate(double mean, double squares, size_t n)
{
    if (n < 2)
        return (estimate){mean, NAN};
    double t = n - 1 <= sizeof student / sizeof *student ? student[n - 2] : 1.96;
    return (estimate){mean, t * sqrt(squares / (double)(n - 1) / (double)n)};
}

const char *model_estimate_text(estimate e, char *text, size_t size)
{
    static const double rounding = 1e-12; /* of a sum of samples */
    if (!isfinite(e.mean) || !isfinite(e.ci95) || e.ci95 <= rounding * fabs(e.mean)) {
        snprintf(text, size, isfinite(e.ci95) ? "%.5g ± 0" : "%.5g", e.mean);
        return text;
    }
    int digits = 1 - (int)floor(log10(e.ci95)); /* behind the point; below 0: whole tens … */
    double unit = pow(10, -digits);
    if (digits > 9 || digits < -9)
        snprintf(text, size, "%.5g ± %.2g", e.mean, e.ci95);
    else if (digits < 0)
        snprintf(text, size, "%.0f ± %.0f", round(e.mean / unit) * unit,
                 round(e.ci95 / unit) * unit);
    else
        snprintf(text, size, "%.*f ± %.*f", digits, e.mean, digits, e.ci95);
    return text;
}

bool model_lasts(const report_step *s, metric_id id)
{
    return metric_lasts(id, s->steady, s->value[METRIC_LATENCY_STEADY].mean);
}

const char *model_saturation_text(const report_curve *c, char *text, size_t size)
{
    const report_step *low = &c->steps[0], *high = &c->steps[c->num_steps - 1];
    double found = c->saturation_load;
    char least[32], most[32]; /* bounds, rounded to the safe side */
    ik_format_bound(least, sizeof least, 100 * (isnan(found) ? c->accepted_load : found), false);
    ik_format_bound(most, sizeof most, 100 * c->saturation_most, true);
    /* a schedule whose entries have loads of their own; a search that a deadlock ended; no point
     * that says anything */
    if (high->load <= 0 || (high->searched && high->deadlock) ||
        (isnan(found) && c->accepted_load <= 0))
        snprintf(text, size, "-");
    else if (isnan(found))
        snprintf(text, size, "> %s %%", least);
    else if (found <= 0 && c->saturation_most > 0)
        snprintf(text, size, "at most %s %%", most);
    else if (found <= 0 || (found == low->load && !low->searched && !(c->saturation_most > 0)))
        snprintf(text, size, "below %s %%",
                 ik_format_bound(most, sizeof most, 100 * low->load, true));
    else if (c->saturation_most > found)
        snprintf(text, size, "%s to %s %%", least, most);
    else
        snprintf(text, size, "%.4g %%", 100 * found);
    return text;
}

/* Whether row i of a step counts. Of what is measured, points without a value (an infeasible one's
 * hops) are no samples; of what is simulated, those where nothing is sent (no latency). */
static bool model_curves_is_sample(const report_model *m, const report_step *s, metric_id id,
                                   size_t i)
{
    const double *value = m->rows[s->rows[i]].value;
    bool latency = metric_is_latency(id) || id == METRIC_NETWORK_LATENCY;
    if (latency && isnan(value[id]) && value[METRIC_OFFERED] == 0)
        return false;
    return !metric_is_static(id) ||
           (!isnan(value[id]) &&
            !model_is_repeat(m, s->rows, s->num_rows + s->num_infeasible, i, id));
}

static estimate model_curves_estimate_of(const report_model *m, const report_step *s, metric_id id)
{
    double sum = 0, squares = 0;
    size_t n = 0, all = s->num_rows + (metric_is_static(id) ? s->num_infeasible : 0);
    for (size_t i = 0; i < all; i++)
        if (model_curves_is_sample(m, s, id, i)) {
            sum += m->rows[s->rows[i]].value[id];
            n++;
        }
    if (n == 0)
        return (estimate){NAN, NAN};
    double mean = sum / (double)n;
    for (size_t i = 0; i < all; i++)
        if (model_curves_is_sample(m, s, id, i)) {
            double d = m->rows[s->rows[i]].value[id] - mean;
            squares += d * d;
        }
    return model_estimate(mean, squares, n);
}

/* ---- sorting rows into curves and steps */

/* Curves by their keys. */
typedef struct curve_index {
    ik_hash curves, statics;
} curve_index;

static uint32_t model_curves_tag_of(const char *key)
{
    return ik_hash_tag(ik_hash_text(key));
}

static report_curve *known_curve(report_curve *list, const ik_hash *hash, const char *key)
{
    uint32_t tag = model_curves_tag_of(key), id;
    for (size_t at = ik_hash_first(hash, tag); (id = ik_hash_find(hash, tag, &at)) != IK_NONE; at++)
        if (strcmp(list[id].key, key) == 0)
            return &list[id];
    return NULL;
}

/* An empty one at the end of the list. */
static report_curve *model_curves_add_curve(report_model *m, report_curve **list, size_t *num,
                                            ik_hash *hash, const char *key)
{
    report_curve *grown = model_grow(m, *list, *num, sizeof *grown);
    if (!grown || !ik_hash_add(hash, model_curves_tag_of(key), (uint32_t)*num))
        return NULL;
    *list = grown;
    grown[*num] = (report_curve){.key = key};
    return &grown[(*num)++];
}

/* Points that are not simulated are of the curve of those that are, and differ in the samples
 * alone; else of one of their own. */
static report_curve *model_curves_curve_of(report_model *m, curve_index *index, const report_row *r)
{
    const char *key = model_row_key(m, r);
    report_curve *known = key ? known_curve(m->curves, &index->curves, key) : NULL;
    if (!key || known)
        return known;
    known = r->simulated ? NULL : known_curve(m->statics, &index->statics, key);
    if (known)
        return known;
    report_curve *c =
        r->simulated
            ? model_curves_add_curve(m, &m->curves, &m->num_curves, &index->curves, key)
            : model_curves_add_curve(m, &m->statics, &m->num_statics, &index->statics, key);
    if (!c)
        return NULL;
    c->fabric = r->fabric;
    c->plan = r->plan;
    c->traffic = r->traffic;
    c->variant = r->variant;
    return c;
}

static report_step *model_curves_step_of(report_model *m, report_curve *c, const report_row *r,
                                         bool beside)
{
    bool searched = r->probes != NULL || (beside && c->steps[0].searched);
    for (size_t i = c->num_steps; i-- > 0;)
        if (c->steps[i].searched == searched && (searched || c->steps[i].load == r->load))
            return &c->steps[i];
    if (beside)
        return NULL; /* no sample has this load yet */
    report_step *steps = model_grow(m, c->steps, c->num_steps, sizeof *steps);
    if (!steps)
        return NULL;
    c->steps = steps;
    steps[c->num_steps] = (report_step){.load = searched ? 0 : r->load, .searched = searched};
    return &steps[c->num_steps++];
}

static ik_status model_curves_sort_row(report_model *m, curve_index *index, size_t row,
                                       ik_error *err)
{
    const report_row *r = &m->rows[row];
    report_curve *c = model_curves_curve_of(m, index, r);
    if (c && c->fabric != r->fabric)
        m->fabrics[r->fabric].sample = true;
    if (c && c->plan != r->plan)
        m->plans[r->plan].sample = true;
    bool beside = c && !r->simulated && c->num_steps && m->rows[c->steps[0].rows[0]].simulated;
    report_step *s = c ? model_curves_step_of(m, c, r, beside) : NULL;
    if (beside && !s)
        return IK_OK;
    size_t num = s ? s->num_rows + s->num_infeasible : 0;
    size_t *rows = s ? model_grow(m, s->rows, num, sizeof *rows) : NULL;
    if (!rows)
        return ik_fail_memory(err, sizeof *rows, "a report");
    s->rows = rows;
    s->rows[num] = row;
    *(beside ? &s->num_infeasible : &s->num_rows) += 1;
    s->deadlock |= r->deadlock[0] != '\0';
    return IK_OK;
}

/* First what was simulated: that says which curves there are. */
static ik_status model_curves_sort_rows(report_model *m, curve_index *index, ik_error *err)
{
    ik_status status = IK_OK;
    for (int simulated = 1; simulated >= 0; simulated--)
        for (size_t i = 0; i < m->num_rows && status == IK_OK; i++)
            if (m->rows[i].simulated == simulated)
                status = model_curves_sort_row(m, index, i, err);
    return status;
}

static int model_curves_by_load(const void *a, const void *b)
{
    double x = ((const report_step *)a)->load, y = ((const report_step *)b)->load;
    return (x > y) - (x < y);
}

/* ---- curves */

/* What a step's points say of its load: refused by half of them, or accepted by more, whatever
 * those say that cannot be told. */
static metric_acceptance model_curves_step_accepts(const report_model *m, const report_step *s)
{
    size_t num[METRIC_REFUSED + 1] = {0};
    for (size_t i = 0; i < s->num_rows; i++) {
        const report_row *r = &m->rows[s->rows[i]];
        num[r->deadlock[0] ? METRIC_REFUSED
                           : metric_accepts(r->steady, r->value[METRIC_SATURATED])]++;
    }
    return 2 * num[METRIC_REFUSED] >= s->num_rows   ? METRIC_REFUSED
           : 2 * num[METRIC_ACCEPTED] > s->num_rows ? METRIC_ACCEPTED
                                                    : METRIC_UNTOLD;
}

/* The verdict on a step, and what its points that count say. */
static void model_curves_judge_step(const report_model *m, report_step *s)
{
    static const int badness[] = {
        [IK_STEADY_NONE] = 0, [IK_STEADY_YES] = 1, [IK_STEADY_SHORT] = 2, [IK_STEADY_NO] = 3};
    double sum = 0;
    s->steady_reason = "";
    for (size_t i = 0; i < s->num_rows; i++) {
        const report_row *r = &m->rows[s->rows[i]];
        if (i == 0 || badness[r->steady] > badness[s->steady]) {
            s->steady = r->steady;
            s->steady_reason = r->steady_reason;
        }
        if (metric_counts(r->steady)) {
            sum += r->value[METRIC_THROUGHPUT];
            s->num_counted++;
        }
    }
    s->counted_throughput = s->num_counted ? sum / (double)s->num_counted : NAN;
    s->accepts = model_curves_step_accepts(m, s);
}

bool model_search_told(const report_row *r)
{
    return !isnan(r->value[METRIC_SATURATION_MOST]) || r->steady != IK_STEADY_SHORT ||
           r->value[METRIC_SATURATION_LOAD] <= 0;
}

/* What the searches of a step found, their mean; false: nothing, as far as is known. */
static bool model_curves_find_searched(const report_model *m, const report_step *s, report_curve *c)
{
    double found = 0, most = 0;
    size_t num = 0;
    for (size_t i = 0; i < s->num_rows; i++) {
        const report_row *r = &m->rows[s->rows[i]];
        double low = r->value[METRIC_SATURATION_LOAD], high = r->value[METRIC_SATURATION_MOST];
        if (!model_search_told(r))
            continue;
        found += low;
        most += isnan(high) ? low : high;
        num++;
    }
    if (num == 0)
        return false;
    c->saturation_load = found / (double)num;
    c->saturation_most = most > found ? most / (double)num : NAN;
    return true;
}

static void model_curves_find_saturation(const report_model *m, report_curve *c)
{
    metric_saturation found = METRIC_SATURATION_EMPTY;
    const report_step *searched = NULL;
    c->peak_throughput = NAN;
    for (size_t i = 0; i < c->num_steps; i++) {
        report_step *s = &c->steps[i];
        model_curves_judge_step(m, s);
        c->peak_throughput = fmax(c->peak_throughput, s->counted_throughput); /* NAN is no number */
        if (s->searched)
            searched = s;
        else if (s->load > 0)
            metric_saturation_add(&found, s->load, s->accepts);
    }
    bool range = !isnan(found.refused) && !isnan(found.untold);
    c->saturation_load = range ? found.accepted : found.refused;
    c->saturation_most = range ? found.refused : NAN;
    c->accepted_load = found.accepted;
    if (!searched)
        return;
    if (searched->accepts == METRIC_ACCEPTED)
        c->accepted_load = fmax(c->accepted_load, searched->load);
    model_curves_find_searched(m, searched, c);
}

static ik_status label_curve(report_model *m, report_curve *c, ik_error *err)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    c->fabric_label = model_without_samples(m, "fabric", f->label);
    c->plan_label = model_without_samples(m, "routing", m->plans[c->plan].label);
    const char *label = c->plan_label;
    if (label && c->traffic[0])
        label = ik_arena_printf(&m->arena, "%s, %s", label, c->traffic);
    if (label && c->variant[0])
        label = ik_arena_printf(&m->arena, "%s, %s", label, c->variant);
    if (label && c->fabric_label && m->num_fabrics > 1)
        label = ik_arena_printf(&m->arena, "%s: %s", c->fabric_label, label);
    c->label = label;
    return label && c->fabric_label ? IK_OK : ik_fail_memory(err, 1, "a report");
}

static void model_curves_estimate_step(const report_model *m, report_step *s)
{
    for (int id = 0; id < NUM_METRICS; id++)
        s->value[id] = model_curves_estimate_of(m, s, (metric_id)id);
}

static void model_curves_average_loads(const report_model *m, report_curve *c)
{
    for (size_t i = 0; i < c->num_steps; i++) {
        report_step *s = &c->steps[i];
        for (size_t k = 0; s->searched && k < s->num_rows; k++)
            s->load += m->rows[s->rows[k]].load / (double)s->num_rows;
    }
}

static ik_status finish_curve(report_model *m, report_curve *c, ik_error *err)
{
    model_curves_average_loads(m, c);
    qsort(c->steps, c->num_steps, sizeof *c->steps, model_curves_by_load);
    for (size_t i = 0; i < c->num_steps; i++) {
        model_curves_estimate_step(m, &c->steps[i]);
        ik_status status = model_read_arrays(m, c, &c->steps[i], err);
        if (status != IK_OK)
            return status;
    }
    model_curves_find_saturation(m, c);
    return label_curve(m, c, err);
}

static ik_status finish_curves(report_model *m, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < m->num_curves && status == IK_OK; i++) {
        m->fabrics[m->curves[i].fabric].sample = m->plans[m->curves[i].plan].sample = false;
        status = finish_curve(m, &m->curves[i], err);
    }
    for (size_t i = 0; i < m->num_statics && status == IK_OK; i++) {
        m->fabrics[m->statics[i].fabric].sample = m->plans[m->statics[i].plan].sample = false;
        model_curves_estimate_step(m, &m->statics[i].steps[0]);
        status = label_curve(m, &m->statics[i], err);
    }
    return status;
}

/* ---- what was measured beside simulations */

static bool model_curves_is_measured(const report_step *s)
{
    for (int id = METRIC_FEASIBLE + 1; id < FIRST_STATIC + NUM_STATICS; id++)
        if (!isnan(s->value[id].mean))
            return true;
    return false;
}

static int model_curves_by_first_point(const void *a, const void *b)
{
    size_t x = ((const report_curve *)a)->steps[0].rows[0],
           y = ((const report_curve *)b)->steps[0].rows[0];
    return (x > y) - (x < y);
}

/* What all loads of a curve have, and all curves that differ in settings of switches. */
static ik_status model_curves_measure_curve(report_model *m, size_t curve, ik_hash *hash,
                                            ik_error *err)
{
    const report_curve *c = &m->curves[curve];
    const char *key = ik_arena_printf(&m->arena, "beside\n%s\n%s\n%s", c->traffic, c->fabric_label,
                                      c->plan_label);
    report_step *step = ik_arena_alloc(&m->arena, sizeof *step);
    if (!key || !step)
        return ik_fail_memory(err, sizeof *step, "a report");
    if (known_curve(m->statics, hash, key))
        return IK_OK;
    report_curve *made = model_curves_add_curve(m, &m->statics, &m->num_statics, hash, key);
    if (!made)
        return ik_fail_memory(err, sizeof *made, "a report");
    *step = c->steps[0];
    step->num_rows += step->num_infeasible;
    step->num_infeasible = 0;
    *made = *c;
    made->key = key;
    made->variant = "";
    made->steps = step;
    made->num_steps = 1;
    return IK_OK;
}

static ik_status measure_curves(report_model *m, ik_hash *hash, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < m->num_curves && status == IK_OK; i++)
        if (model_curves_is_measured(&m->curves[i].steps[0]))
            status = model_curves_measure_curve(m, i, hash, err);
    if (m->num_curves && m->num_statics)
        qsort(m->statics, m->num_statics, sizeof *m->statics, model_curves_by_first_point);
    return status;
}

/* ---- all */

ik_status model_make_curves(report_model *m, ik_error *err)
{
    curve_index index = {0};
    bool made = ik_hash_init(&index.curves);
    if (made && !ik_hash_init(&index.statics)) {
        ik_hash_free(&index.curves);
        made = false;
    }
    if (!made)
        return ik_fail_memory(err, sizeof index, "a report");
    ik_status status = IK_OK;
    status = model_curves_sort_rows(m, &index, err);
    if (status == IK_OK)
        status = finish_curves(m, err);
    if (status == IK_OK)
        status = measure_curves(m, &index.statics, err);
    ik_hash_free(&index.curves);
    ik_hash_free(&index.statics);
    return status;
}
