/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_json.c: the documented object of a result store: what `ikat report --json` prints
 * and the HTML report embeds. What the store holds as JSON was checked when it was read; it is
 * parsed and written again here, never copied.
 */
#include "report/report_json.h"
#include "report/figures.h"

#include "base/json_value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DIGITS = 9 };

/* A JSON text of the store; a member is left out if there is none. */
static void report_json_put_stored(ik_json *j, const char *key, const char *text)
{
    json_error_t why;
    json_t *value = NULL;
    if (!text[0])
        return;
    ik_status status = json_parse(text, strlen(text), &value, &why);
    if (status == IK_OK)
        json_write(j, key, value);
    else
        ik_json_fail(j, status);
    json_decref(value);
}

/* ---- fabrics */

static void report_json_put_tiers(ik_json *j, const report_fabric *f)
{
    ik_json_array(j, "tiers");
    for (size_t t = 0; t < f->num_tiers; t++) {
        ik_json_object(j, NULL);
        ik_json_uint(j, "id", t);
        ik_json_text(j, "name", f->tiers[t].name);
        ik_json_uint(j, "channels", f->tiers[t].channels);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void report_json_put_slow(ik_json *j, const report_fabric *f)
{
    ik_json_array(j, "slow_links");
    for (size_t k = 0; k < f->num_slow; k++) {
        const slow_link *s = &f->slow[k];
        ik_json_object(j, NULL);
        ik_json_uint(j, "channel", s->channel);
        ik_json_uint(j, "opposite", s->opposite);
        ik_json_text(j, "name", s->name);
        ik_json_text(j, "text", s->text ? s->text : "");
        ik_json_uint(j, "rate_bps", s->rate_bps);
        ik_json_uint(j, "common_rate_bps", s->common_rate_bps);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* The summary's members stand directly in the fabric's object. */
static void report_json_put_fabrics(ik_json *j, const report_model *m, bool drawings)
{
    ik_json_array(j, "fabrics");
    for (size_t i = 0; i < m->num_fabrics; i++) {
        const report_fabric *f = &m->fabrics[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "id", i);
        ik_json_text(j, "spec", f->spec);
        ik_json_text(j, "label", f->label);
        json_write_members(j, f->summary);
        report_json_put_tiers(j, f);
        report_json_put_slow(j, f);
        if (drawings && f->drawing)
            json_write(j, "drawing", f->drawing);
        if (f->sample)
            ik_json_bool(j, "sample", true);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* ---- plans */

static void report_json_put_plans(ik_json *j, const report_model *m)
{
    ik_json_array(j, "plans");
    for (size_t i = 0; i < m->num_plans; i++) {
        const report_plan *p = &m->plans[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "id", i);
        ik_json_uint(j, "fabric", p->fabric);
        ik_json_text(j, "label", p->label);
        ik_json_text(j, "routing", p->routing);
        ik_json_text(j, "vc", p->vc);
        ik_json_uint(j, "vcs", p->vcs);
        ik_json_text(j, "selection", p->selection);
        ik_json_bool(j, "failed", p->failed);
        if (p->sample)
            ik_json_bool(j, "sample", true);
        json_write(j, "proof", p->proof);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* ---- curves */

/* Whether a result is among those of a point: all of a simulation, and what was measured. */
static bool report_json_is_shown(const report_model *m, bool simulated, int id)
{
    return metric_is_static((metric_id)id) ? m->used[id] : simulated;
}

/* Minimum, 5, 25, 50, 75, 95 % and maximum, and the standard deviation, of samples. */
static void report_json_put_spread(ik_json *j, const report_model *m, const report_step *s,
                                   metric_id id)
{
    static const double shares[] = {0, .05, .25, .5, .75, .95, 1};
    double *values = NULL;
    size_t num = 0;
    char key[64];
    ik_status status = model_samples(m, s, id, &values, &num, NULL);
    if (status != IK_OK) {
        ik_json_fail(j, status);
        return;
    }
    snprintf(key, sizeof key, "%s_sd", metrics[id].name);
    ik_json_real(j, key, model_deviation(values, num), DIGITS);
    snprintf(key, sizeof key, "%s_quantiles", metrics[id].name);
    ik_json_array(j, key);
    for (size_t i = 0; i < sizeof shares / sizeof *shares && num; i++)
        ik_json_real(j, NULL, model_quantile(values, num, shares[i]), DIGITS);
    ik_json_close(j);
    free(values);
}

static void report_json_put_metrics(ik_json *j, const report_model *m, const report_step *s,
                                    bool simulated)
{
    for (int id = 0; id < NUM_METRICS; id++) {
        char key[64];
        if (!report_json_is_shown(m, simulated, id))
            continue;
        ik_json_real(j, metrics[id].name, s->value[id].mean, DIGITS);
        snprintf(key, sizeof key, "%s_ci95", metrics[id].name);
        ik_json_real(j, key, s->value[id].ci95, DIGITS);
        if (m->num_over && !isnan(s->value[id].mean))
            report_json_put_spread(j, m, s, (metric_id)id);
    }
}

static void report_json_put_tier_uses(ik_json *j, const report_fabric *f, const report_step *s)
{
    ik_json_array(j, "tiers");
    for (size_t t = 0; t < f->num_tiers; t++) {
        ik_json_object(j, NULL);
        ik_json_real(j, "mean", s->tiers[t].mean, 6);
        ik_json_real(j, "max", s->tiers[t].max, 6);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void report_json_put_channels(ik_json *j, const report_fabric *f, const report_step *s)
{
    ik_json_array(j, "utilisation");
    for (uint32_t c = 0; c < f->num_channels; c++)
        ik_json_real(j, NULL, s->use[c], 4);
    ik_json_close(j);
}

static void report_json_put_reals(ik_json *j, const char *key, const double *values, size_t num)
{
    ik_json_array(j, key);
    for (size_t i = 0; i < num; i++)
        ik_json_real(j, NULL, values[i], 6);
    ik_json_close(j);
}

/* first: the point that they are of. */
static void report_json_put_series(ik_json *j, const report_fabric *f, const report_series *s,
                                   const report_row *first)
{
    ik_json_object(j, "series");
    ik_json_uint(j, "period_ps", s->period_ps);
    if (first->end_ps > first->window_ps)
        ik_json_real(j, "warmup_ns", (double)(first->end_ps - first->window_ps) / 1e3, DIGITS);
    report_json_put_reals(j, "throughput", s->throughput, s->num);
    report_json_put_reals(j, "latency_mean_ns", s->latency_ns, s->num);
    if (s->reorder_bytes) {
        report_json_put_reals(j, "reorder_bytes", s->reorder_bytes, s->num);
        report_json_put_reals(j, "out_of_order", s->out_of_order, s->num);
        report_json_put_reals(j, "throttled", s->throttled, s->num);
    }
    if (s->outstanding)
        report_json_put_reals(j, "outstanding", s->outstanding, s->num);
    ik_json_array(j, "filled");
    for (size_t t = 0; t < s->num && s->filled; t++) {
        ik_json_array(j, NULL);
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            ik_json_real(j, NULL, s->filled[t * f->num_switches + sw], 3);
        ik_json_close(j);
    }
    ik_json_close(j);
    ik_json_close(j);
}

/* Leaves the first or last `most` items of the list `key` of an object, and adds the number of the
 * others to its `left_out`; false = out of memory. */
static bool report_json_shorten(json_t *object, const char *key, const char *left_out, size_t most,
                                bool last)
{
    const json_t *list = json_object_get(object, key);
    size_t num = json_array_size(list), first = last ? num - most : 0;
    if (num <= most)
        return true;
    json_t *kept = json_array();
    json_int_t others = json_integer_value(json_object_get(object, left_out));
    for (size_t i = first; i < first + most && kept; i++)
        if (json_array_append(kept, json_array_get(list, i)) != 0) {
            json_decref(kept);
            kept = NULL;
        }
    return json_object_set_new(object, key, kept) == 0 &&
           json_object_set_new(object, left_out, json_integer(others + (json_int_t)(num - most))) ==
               0;
}

/* What became of a workload; of its critical path so many of the latest segments, and as many
 * classes. number: of the workload, for options->lines. */
static void report_json_put_workload(ik_json *j, const char *text, size_t number,
                                     const report_json_options *options)
{
    size_t most = options->segments;
    json_error_t why;
    json_t *value = NULL;
    if (!text[0])
        return;
    ik_status status = json_parse(text, strlen(text), &value, &why);
    if (status == IK_OK &&
        (!report_json_shorten(json_object_get(value, "critical_path"), "segments", "left_out", most,
                              true) ||
         !report_json_shorten(value, "classes", "classes_left_out", most, false)))
        status = IK_ERR_MEMORY;
    if (status == IK_OK && number >= options->lines) {
        json_object_del(value, "timeline");
        json_object_del(value, "matrix");
        if (number / 5 >= options->lines)
            json_object_del(value, "ranks");
    }
    if (status == IK_OK)
        json_write(j, "workload", value);
    else
        ik_json_fail(j, status);
    json_decref(value);
}

/* Null where nothing was judged. */
static void report_json_put_verdict(ik_json *j, ik_steady_verdict verdict, const char *reason)
{
    if (verdict == IK_STEADY_NONE)
        ik_json_null(j, "steady");
    else
        ik_json_text(j, "steady", ik_steady_verdict_name(verdict));
    ik_json_text(j, "steady_reason", reason);
}

static void report_json_put_step(ik_json *j, const report_model *m, const report_curve *c,
                                 const report_step *s, const report_json_options *options)
{
    bool channels = options->drawings;
    const report_fabric *f = &m->fabrics[c->fabric];
    ik_json_object(j, NULL);
    ik_json_real(j, "load", s->load > 0 ? s->load : NAN, DIGITS);
    ik_json_uint(j, "seeds", s->num_rows);
    ik_json_bool(j, "deadlock", s->deadlock);
    report_json_put_verdict(j, s->steady, s->steady_reason);
    if (s->num_infeasible)
        ik_json_uint(j, "infeasible", s->num_infeasible);
    report_json_put_metrics(j, m, s, true);
    report_json_put_tier_uses(j, f, s);
    ik_json_real(j, "host_throughput_min", s->host_min, DIGITS);
    ik_json_real(j, "host_throughput_max", s->host_max, DIGITS);
    report_json_put_stored(j, "congestion", s->congestion);
    report_json_put_stored(j, "classes", s->classes);
    report_json_put_workload(j, s->workload, (size_t)(c - m->curves), options);
    if (channels)
        report_json_put_channels(j, f, s);
    if (channels && s->series.num)
        report_json_put_series(j, f, &s->series, &m->rows[s->rows[0]]);
    if (channels)
        report_json_put_stored(j, "congestion_series", s->congestion_series);
    ik_json_close(j);
}

static void report_json_put_names(ik_json *j, const report_model *m, const report_curve *c)
{
    ik_json_text(j, "routing", m->plans[c->plan].routing);
    ik_json_text(j, "plan_label", c->plan_label);
    if (m->num_over)
        ik_json_text(j, "fabric_label", c->fabric_label);
    ik_json_text(j, "traffic", c->traffic);
    ik_json_text(j, "variant", c->variant);
    ik_json_text(j, "label", c->label);
}

/* What was measured without simulation. */
static void report_json_put_statics(ik_json *j, const report_model *m)
{
    if (m->num_statics == 0)
        return;
    ik_json_array(j, "statics");
    for (size_t i = 0; i < m->num_statics; i++) {
        const report_curve *c = &m->statics[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "fabric", c->fabric);
        ik_json_uint(j, "plan", c->plan);
        report_json_put_names(j, m, c);
        ik_json_uint(j, "samples", c->steps[0].num_rows);
        report_json_put_metrics(j, m, &c->steps[0], false);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void report_json_put_curves(ik_json *j, const report_model *m,
                                   const report_json_options *options)
{
    ik_json_array(j, "curves");
    for (size_t i = 0; i < m->num_curves; i++) {
        const report_curve *c = &m->curves[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "id", i);
        ik_json_uint(j, "fabric", c->fabric);
        ik_json_uint(j, "plan", c->plan);
        report_json_put_names(j, m, c);
        ik_json_real(j, "peak_throughput", c->peak_throughput, DIGITS);
        ik_json_real(j, "saturation_load", c->saturation_load, DIGITS);
        ik_json_real(j, "saturation_most", c->saturation_most, DIGITS);
        char saturation[40];
        ik_json_text(j, "saturation", model_saturation_text(c, saturation, sizeof saturation));
        ik_json_array(j, "steps");
        for (size_t s = 0; s < c->num_steps; s++)
            report_json_put_step(j, m, c, &c->steps[s], options);
        ik_json_close(j);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* ---- points */

static void report_json_put_point(ik_json *j, const report_model *m, const report_row *r)
{
    ik_json_object(j, NULL);
    ik_json_int(j, "id", r->id);
    ik_json_uint(j, "fabric", r->fabric);
    ik_json_uint(j, "plan", r->plan);
    ik_json_text(j, "routing", m->plans[r->plan].routing);
    ik_json_text(j, "plan_label", m->plans[r->plan].label);
    ik_json_text(j, "traffic", r->traffic);
    ik_json_text(j, "variant", r->variant);
    ik_json_real(j, "load", r->load > 0 ? r->load : NAN, DIGITS);
    ik_json_uint(j, "seed", r->seed);
    for (int id = 0; id < NUM_METRICS; id++)
        if (report_json_is_shown(m, r->simulated, id))
            ik_json_real(j, metrics[id].name, r->value[id], DIGITS);
    ik_json_uint(j, "window_ps", r->window_ps);
    ik_json_uint(j, "end_ps", r->end_ps);
    ik_json_text(j, "checksum", r->checksum);
    ik_json_text(j, "deadlock", r->deadlock);
    report_json_put_verdict(j, r->steady, r->steady_reason);
    ik_json_text(j, "missing", r->missing);
    report_json_put_stored(j, "classes", r->classes);
    if (r->jobs)
        json_write(j, "jobs", r->jobs);
    if (r->probes)
        json_write(j, "probes", r->probes);
    if (r->watch)
        json_write(j, "watch", r->watch);
    report_json_put_stored(j, "params", r->params);
    ik_json_close(j);
}

static void report_json_put_costs(ik_json *j, const report_model *m)
{
    ik_json_array(j, "slow_link_costs");
    for (size_t i = 0; i < m->num_costs; i++) {
        const slow_cost *k = &m->costs[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "fabric", k->fabric);
        ik_json_uint(j, "slow_link", k->link);
        ik_json_uint(j, "curve", k->curve);
        ik_json_real(j, "full_load", k->full_load, DIGITS);
        ik_json_real(j, "utilisation", k->use, DIGITS);
        ik_json_real(j, "siblings_utilisation", k->siblings, DIGITS);
        ik_json_real(j, "at_load", k->at_load, DIGITS);
        ik_json_real(j, "peak_throughput", m->curves[k->curve].peak_throughput, DIGITS);
        ik_json_bool(j, "peak_is_least", k->least);
        ik_json_real(j, "repaired_peak_throughput", k->repaired, DIGITS);
        ik_json_bool(j, "repaired_peak_is_least", k->repaired_least);
        ik_json_real(j, "loss", k->loss, DIGITS);
        ik_json_text(j, "loss_bound", k->loss_bound);
        ik_json_text(j, "text", k->text);
        ik_json_close(j);
    }
    ik_json_close(j);
}

void report_put_json(const report_model *m, const report_json_options *options, ik_json *j)
{
    ik_json_object(j, NULL);
    ik_json_text(j, "ikat", m->version);
    if (options->written)
        ik_json_text(j, "written", options->written);
    ik_json_text(j, "title", m->title);
    ik_json_text(j, "description", m->description);
    ik_json_text(j, "file", m->file);
    ik_json_text(j, "experiment", m->experiment);
    ik_json_text(j, "overrides", m->overrides);
    ik_json_text(j, "scale", m->scale);
    ik_json_uint(j, "points_total", m->num_points);
    ik_json_uint(j, "points_finished", m->num_rows);
    ik_json_uint(j, "points_left_out", m->num_left_out);
    if (m->num_left_out)
        json_write(j, "left_out", m->left_out);
    if (m->num_over) {
        ik_json_array(j, "over");
        for (size_t i = 0; i < m->num_over; i++)
            ik_json_text(j, NULL, m->over[i]);
        ik_json_close(j);
    }
    report_json_put_fabrics(j, m, options->drawings);
    report_json_put_plans(j, m);
    claims_put_json(j, m);
    if (options->drawings)
        figures_put_json(j, m);
    report_json_put_costs(j, m);
    report_json_put_curves(j, m, options);
    report_json_put_statics(j, m);
    ik_json_array(j, "points");
    for (size_t i = 0; i < m->num_rows; i++)
        report_json_put_point(j, m, &m->rows[i]);
    ik_json_close(j);
    if (options->execution)
        report_json_put_stored(j, "execution", options->execution);
    ik_json_close(j);
}

static ik_status report_json_print_json(const char *store_path, const report_json_options *options,
                                        FILE *out, ik_error *err)
{
    report_model *m = NULL;
    ik_status status = model_read(store_path, &m, err);
    if (status != IK_OK)
        return status;
    ik_json j;
    ik_json_to_file(&j, out, IK_JSON_ROWS);
    report_put_json(m, options, &j);
    model_free(m);
    return ik_json_end(&j, err);
}

ik_status ik_report_json(const char *store_path, FILE *out, ik_error *err)
{
    return report_json_print_json(
        store_path,
        &(report_json_options){.segments = SIZE_MAX, .lines = SIZE_MAX, .drawings = true}, out,
        err);
}

ik_status ik_report_json_brief(const char *store_path, const char *execution, FILE *out,
                               ik_error *err)
{
    report_json_options options = {.segments = SIZE_MAX, .lines = SIZE_MAX, .execution = execution};
    return report_json_print_json(store_path, &options, out, err);
}
