/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_json.c: the documented object of a result store: what `ikat report --json` prints
 * and the HTML report embeds.
 */
#include "report/report_json.h"

#include "experiment/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_text(FILE *out, const char *key, const char *text)
{
    json_put_key(out, key, false);
    json_put_string(out, text);
}

static void put_real(FILE *out, const char *key, double value)
{
    json_put_key(out, key, false);
    json_put_real(out, value);
}

static void put_int(FILE *out, const char *key, uint64_t value)
{
    json_put_key(out, key, false);
    fprintf(out, "%" PRIu64, value);
}

static void open_item(FILE *out, size_t i, const char *key, size_t value)
{
    fputs(i ? ",\n{" : "{", out);
    json_put_key(out, key, true);
    fprintf(out, "%zu", value);
}

/* ---- fabrics */

static void put_tiers(FILE *out, const report_fabric *f)
{
    json_put_key(out, "tiers", false);
    putc('[', out);
    for (size_t t = 0; t < f->num_tiers; t++) {
        open_item(out, t, "id", t);
        put_text(out, "name", f->tiers[t].name);
        put_int(out, "channels", f->tiers[t].channels);
        putc('}', out);
    }
    putc(']', out);
}

static void put_slow(FILE *out, const report_fabric *f)
{
    json_put_key(out, "slow_links", false);
    putc('[', out);
    for (size_t k = 0; k < f->num_slow; k++) {
        const slow_link *s = &f->slow[k];
        open_item(out, k, "channel", s->channel);
        put_int(out, "opposite", s->opposite);
        put_text(out, "name", s->name);
        put_text(out, "text", s->text ? s->text : "");
        put_int(out, "rate_bps", s->rate_bps);
        put_int(out, "common_rate_bps", s->common_rate_bps);
        putc('}', out);
    }
    putc(']', out);
}

/* The summary's members stand directly in the fabric's object. */
static void put_fabrics(FILE *out, const report_model *m, bool drawings)
{
    json_put_key(out, "fabrics", false);
    putc('[', out);
    for (size_t i = 0; i < m->num_fabrics; i++) {
        const report_fabric *f = &m->fabrics[i];
        open_item(out, i, "id", i);
        put_text(out, "spec", f->spec);
        put_text(out, "label", f->label);
        fprintf(out, ",%.*s", (int)strlen(f->summary_text) - 2, f->summary_text + 1);
        put_tiers(out, f);
        put_slow(out, f);
        if (drawings) {
            json_put_key(out, "drawing", false);
            fputs(f->drawing_text, out);
        }
        putc('}', out);
    }
    putc(']', out);
}

/* ---- plans */

static void put_plans(FILE *out, const report_model *m)
{
    json_put_key(out, "plans", false);
    putc('[', out);
    for (size_t i = 0; i < m->num_plans; i++) {
        const report_plan *p = &m->plans[i];
        open_item(out, i, "id", i);
        put_int(out, "fabric", p->fabric);
        put_text(out, "label", p->label);
        put_text(out, "routing", p->routing);
        put_text(out, "vc", p->vc);
        put_int(out, "vcs", p->vcs);
        put_text(out, "selection", p->selection);
        json_put_key(out, "failed", false);
        fputs(p->failed ? "true" : "false", out);
        json_put_key(out, "proof", false);
        fputs(p->proof_text, out);
        putc('}', out);
    }
    putc(']', out);
}

/* ---- curves */

static void put_metrics(FILE *out, const report_step *s)
{
    for (int metric = 0; metric < NUM_METRICS; metric++) {
        char key[64];
        put_real(out, metric_names[metric], s->value[metric].mean);
        snprintf(key, sizeof key, "%s_ci95", metric_names[metric]);
        put_real(out, key, s->value[metric].ci95);
    }
}

static void put_channels(FILE *out, const report_fabric *f, const report_step *s)
{
    json_put_key(out, "utilisation", false);
    putc('[', out);
    for (uint32_t c = 0; c < f->num_channels; c++)
        if (s->use[c] > 0)
            fprintf(out, "%s%.4g", c ? "," : "", s->use[c]);
        else
            fputs(c ? ",0" : "0", out);
    putc(']', out);
}

static void put_reals(FILE *out, const char *key, const double *values, size_t num,
                      const char *format)
{
    json_put_key(out, key, false);
    putc('[', out);
    for (size_t i = 0; i < num; i++) {
        if (i)
            putc(',', out);
        if (values[i] == 0)
            putc('0', out);
        else
            fprintf(out, format, values[i]);
    }
    putc(']', out);
}

static void put_series(FILE *out, const report_fabric *f, const report_series *s)
{
    json_put_key(out, "series", false);
    fprintf(out, "{\"period_ps\":%" PRIu64, s->period_ps);
    put_reals(out, "throughput", s->throughput, s->num, "%.6g");
    put_reals(out, "latency_mean_ns", s->latency_ns, s->num, "%.6g");
    json_put_key(out, "filled", false);
    putc('[', out);
    for (size_t t = 0; t < s->num && s->filled; t++) {
        fputs(t ? ",[" : "[", out);
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            double share = s->filled[t * f->num_switches + sw];
            fprintf(out, sw ? ",%.3g" : "%.3g", share);
        }
        putc(']', out);
    }
    fputs("]}", out);
}

/* A JSON text that the store holds, unless there is none. */
static void put_part(FILE *out, const char *key, const char *text)
{
    if (!text[0])
        return;
    json_put_key(out, key, false);
    fputs(text, out);
}

static void put_step(FILE *out, const report_model *m, const report_curve *c, const report_step *s,
                     bool channels)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    json_put_key(out, "load", true);
    json_put_real(out, s->load);
    put_int(out, "seeds", s->num_rows);
    json_put_key(out, "deadlock", false);
    fputs(s->deadlock ? "true" : "false", out);
    put_metrics(out, s);
    json_put_key(out, "tiers", false);
    putc('[', out);
    for (size_t t = 0; t < f->num_tiers; t++)
        fprintf(out, "%s{\"mean\":%.6g,\"max\":%.6g}", t ? "," : "", s->tiers[t].mean,
                s->tiers[t].max);
    putc(']', out);
    put_real(out, "host_throughput_min", s->host_min);
    put_real(out, "host_throughput_max", s->host_max);
    put_part(out, "congestion", s->congestion);
    put_part(out, "classes", s->classes);
    if (channels)
        put_channels(out, f, s);
    if (channels && s->series.num)
        put_series(out, f, &s->series);
    if (channels)
        put_part(out, "congestion_series", s->congestion_series);
}

static void put_curves(FILE *out, const report_model *m, bool channels)
{
    json_put_key(out, "curves", false);
    putc('[', out);
    for (size_t i = 0; i < m->num_curves; i++) {
        const report_curve *c = &m->curves[i];
        open_item(out, i, "id", i);
        put_int(out, "fabric", c->fabric);
        put_int(out, "plan", c->plan);
        put_text(out, "routing", m->plans[c->plan].routing);
        put_text(out, "plan_label", m->plans[c->plan].label);
        put_text(out, "traffic", c->traffic);
        put_text(out, "variant", c->variant);
        put_text(out, "label", c->label);
        put_real(out, "saturation_throughput", c->saturation_throughput);
        put_real(out, "saturation_load", c->saturation_load);
        json_put_key(out, "steps", false);
        putc('[', out);
        for (size_t s = 0; s < c->num_steps; s++) {
            fputs(s ? ",\n{" : "{", out);
            put_step(out, m, c, &c->steps[s], channels);
            putc('}', out);
        }
        fputs("]}", out);
    }
    putc(']', out);
}

/* ---- points */

static void put_points(FILE *out, const report_model *m)
{
    json_put_key(out, "points", false);
    putc('[', out);
    for (size_t i = 0; i < m->num_rows; i++) {
        const report_row *r = &m->rows[i];
        open_item(out, i, "id", (size_t)r->id);
        put_int(out, "fabric", r->fabric);
        put_int(out, "plan", r->plan);
        put_text(out, "routing", m->plans[r->plan].routing);
        put_text(out, "plan_label", m->plans[r->plan].label);
        put_text(out, "traffic", r->traffic);
        put_text(out, "variant", r->variant);
        put_real(out, "load", r->load);
        put_int(out, "seed", r->seed);
        for (int metric = 0; metric < NUM_METRICS; metric++)
            put_real(out, metric_names[metric], r->value[metric]);
        put_int(out, "window_ps", r->window_ps);
        put_int(out, "end_ps", r->end_ps);
        put_text(out, "checksum", r->checksum);
        put_text(out, "deadlock", r->deadlock);
        put_part(out, "classes", r->classes);
        json_put_key(out, "params", false);
        fputs(r->params, out);
        putc('}', out);
    }
    putc(']', out);
}

static void put_costs(FILE *out, const report_model *m)
{
    json_put_key(out, "slow_link_costs", false);
    putc('[', out);
    for (size_t i = 0; i < m->num_costs; i++) {
        const slow_cost *k = &m->costs[i];
        open_item(out, i, "fabric", k->fabric);
        put_int(out, "slow_link", k->link);
        put_int(out, "curve", k->curve);
        put_real(out, "full_load", k->full_load);
        put_real(out, "utilisation", k->use);
        put_real(out, "siblings_utilisation", k->siblings);
        put_real(out, "at_load", k->at_load);
        put_real(out, "saturation_throughput", m->curves[k->curve].saturation_throughput);
        put_real(out, "repaired_saturation_throughput", k->repaired);
        put_text(out, "text", k->text);
        putc('}', out);
    }
    putc(']', out);
}

ik_status report_put_json(const report_model *m, const report_json_options *options, FILE *out,
                          ik_error *err)
{
    fputs("{\"ikat\":", out);
    json_put_string(out, m->version);
    if (options->written)
        put_text(out, "written", options->written);
    put_text(out, "title", m->title);
    put_text(out, "description", m->description);
    put_text(out, "file", m->file);
    put_text(out, "experiment", m->experiment);
    put_text(out, "overrides", m->overrides);
    put_int(out, "points_total", m->num_points);
    put_int(out, "points_finished", m->num_rows);
    put_fabrics(out, m, options->drawings);
    put_plans(out, m);
    put_costs(out, m);
    put_curves(out, m, options->drawings);
    put_points(out, m);
    if (options->execution)
        fprintf(out, ",\"execution\":%s", options->execution);
    fputs("}\n", out);
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the JSON text") : IK_OK;
}

ik_status ik_report_json(const char *store_path, FILE *out, ik_error *err)
{
    report_model *m = NULL;
    ik_status status = model_read(store_path, &m, err);
    if (status != IK_OK)
        return status;
    status = report_put_json(m, &(report_json_options){.drawings = true}, out, err);
    model_free(m);
    return status;
}

ik_status ik_report_json_brief(const char *store_path, const char *execution, FILE *out,
                               ik_error *err)
{
    report_model *m = NULL;
    ik_status status = model_read(store_path, &m, err);
    if (status != IK_OK)
        return status;
    status = report_put_json(m, &(report_json_options){.drawings = false, .execution = execution},
                             out, err);
    model_free(m);
    return status;
}
