/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model_curves.c: points put together: over seeds to steps with confidence intervals, over
 * loads to curves.
 */
#include "base/hash.h"
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

bool model_stationary(const report_step *s)
{
    return !(s->value[METRIC_STATIONARY].mean < 1);
}

/* Points without simulation that have no value (an infeasible one's hops) are no samples. */
static estimate estimate_of(const report_model *m, const report_step *s, metric_id id)
{
    double sum = 0, squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->num_rows; i++) {
        double value = m->rows[s->rows[i]].value[id];
        if (isnan(value) && metric_is_static(id))
            continue;
        sum += value;
        n++;
    }
    if (n == 0)
        return (estimate){NAN, NAN};
    double mean = sum / (double)n;
    for (size_t i = 0; i < s->num_rows; i++) {
        double d = m->rows[s->rows[i]].value[id] - mean;
        squares += isnan(d) && metric_is_static(id) ? 0 : d * d;
    }
    return model_estimate(mean, squares, n);
}

/* ---- sorting rows into curves and steps */

/* Curves by their keys. */
typedef struct curve_index {
    ik_hash curves, statics;
} curve_index;

static uint32_t tag_of(const char *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
    return ik_hash_tag(hash);
}

static report_curve *curve_of(report_model *m, curve_index *index, const report_row *r)
{
    report_curve **list = r->simulated ? &m->curves : &m->statics;
    size_t *num = r->simulated ? &m->num_curves : &m->num_statics;
    ik_hash *hash = r->simulated ? &index->curves : &index->statics;
    const char *key = model_row_key(m, r);
    uint32_t tag = key ? tag_of(key) : 0, id;
    if (!key)
        return NULL;
    for (size_t at = ik_hash_first(hash, tag); (id = ik_hash_find(hash, tag, &at)) != IK_NONE; at++)
        if (strcmp((*list)[id].key, key) == 0)
            return &(*list)[id];
    report_curve *grown = model_grow(m, *list, *num, sizeof *grown);
    if (!grown || !ik_hash_add(hash, tag, (uint32_t)*num))
        return NULL;
    *list = grown;
    grown[*num] = (report_curve){.fabric = r->fabric,
                                 .plan = r->plan,
                                 .traffic = r->traffic,
                                 .variant = r->variant,
                                 .key = key};
    return &grown[(*num)++];
}

static report_step *step_of(report_model *m, report_curve *c, const report_row *r)
{
    bool searched = r->probes != NULL;
    for (size_t i = c->num_steps; i-- > 0;)
        if (c->steps[i].searched == searched && (searched || c->steps[i].load == r->load))
            return &c->steps[i];
    report_step *steps = model_grow(m, c->steps, c->num_steps, sizeof *steps);
    if (!steps)
        return NULL;
    c->steps = steps;
    steps[c->num_steps] = (report_step){.load = searched ? 0 : r->load, .searched = searched};
    return &steps[c->num_steps++];
}

static ik_status sort_row(report_model *m, curve_index *index, size_t row, ik_error *err)
{
    report_curve *c = curve_of(m, index, &m->rows[row]);
    if (c && c->fabric != m->rows[row].fabric)
        m->fabrics[m->rows[row].fabric].sample = true;
    if (c && c->plan != m->rows[row].plan)
        m->plans[m->rows[row].plan].sample = true;
    report_step *s = c ? step_of(m, c, &m->rows[row]) : NULL;
    size_t *rows = s ? model_grow(m, s->rows, s->num_rows, sizeof *rows) : NULL;
    if (!rows)
        return ik_fail_memory(err, sizeof *rows, "a report");
    s->rows = rows;
    s->rows[s->num_rows++] = row;
    s->deadlock |= m->rows[row].deadlock[0] != '\0';
    return IK_OK;
}

static int by_load(const void *a, const void *b)
{
    double x = ((const report_step *)a)->load, y = ((const report_step *)b)->load;
    return (x > y) - (x < y);
}

/* ---- channels */

/* Words of a column, as many as expected or none; NULL: none, or the row is damaged. free()
 * them. */
static uint64_t *read_words(store_row *r, int column, size_t expected)
{
    size_t num = 0;
    uint64_t *words = row_words(r, column, &num);
    if (words && num == expected && r->status == IK_OK)
        return words;
    if (num > 0)
        row_damaged(r, column, "has a wrong length");
    free(words);
    return NULL;
}

/* Adds what one point's channels carried, as a fraction of their rates, divided by `share`. */
static void add_use(const report_fabric *f, store_row *r, double seconds, double share, double *use)
{
    uint64_t *bytes = read_words(r, 0, f->num_channels);
    for (size_t c = 0; bytes && c < f->num_channels && seconds > 0; c++)
        if (f->rate_bps[c])
            use[c] += 8.0 * (double)bytes[c] / ((double)f->rate_bps[c] * seconds) / share;
    free(bytes);
}

/* Least and most that a connected host accepted, as a fraction of the rate of its links. */
static void add_hosts(const report_fabric *f, store_row *r, double seconds, double share,
                      report_step *s)
{
    uint64_t *bytes = read_words(r, 1, f->num_hosts);
    double least = INFINITY, most = 0;
    for (size_t h = 0; bytes && h < f->num_hosts && seconds > 0; h++) {
        if (f->host_bps[h] == 0)
            continue;
        double got = 8.0 * (double)bytes[h] / ((double)f->host_bps[h] * seconds);
        least = fmin(least, got);
        most = fmax(most, got);
    }
    s->host_min += (isinf(least) ? 0 : least) / share;
    s->host_max += most / share;
    free(bytes);
}

/* Reals are stored as the words of their bits. */
static double *read_reals(store_row *r, int column, size_t *num)
{
    uint64_t *bits = row_words(r, column, num);
    double *out = bits ? ik_arena_alloc(r->arena, (*num + 1) * sizeof *out) : NULL;
    if (out && *num)
        memcpy(out, bits, *num * sizeof *out);
    if (bits && !out && r->status == IK_OK)
        r->status = ik_fail_memory(r->err, *num * sizeof *out, "a report");
    free(bits);
    return out;
}

/* A series of a run with in-order delivery, or replies; NULL without. */
static double *read_optional(store_row *r, int column, size_t periods)
{
    size_t num = 0;
    double *values = read_reals(r, column, &num);
    if (num != 0 && num != periods)
        row_damaged(r, column, "has a wrong length");
    return num ? values : NULL;
}

static void read_series(const report_fabric *f, store_row *r, report_series *out)
{
    report_series s = {.period_ps = (uint64_t)row_int(r, 2, 0, INT64_MAX)};
    size_t latencies = 0, cells = 0;
    s.throughput = read_reals(r, 3, &s.num);
    s.latency_ns = read_reals(r, 4, &latencies);
    s.filled = read_reals(r, 5, &cells);
    if (latencies != s.num)
        row_damaged(r, 4, "has a wrong length");
    if (cells != 0 && cells != s.num * f->num_switches)
        row_damaged(r, 5, "has a wrong length");
    s.filled = cells ? s.filled : NULL;
    s.reorder_bytes = read_optional(r, 9, s.num);
    s.out_of_order = read_optional(r, 10, s.num);
    s.throttled = read_optional(r, 11, s.num);
    if (!s.reorder_bytes != !s.out_of_order || !s.reorder_bytes != !s.throttled)
        row_damaged(r, 9, "has a wrong length");
    s.outstanding = read_optional(r, 13, s.num);
    if (r->status == IK_OK)
        *out = s;
}

/* Each item's number `key` is below `end`. */
static bool all_below(const json_t *list, const char *key, uint64_t end)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        if ((uint64_t)json_integer_value(json_object_get(item, key)) >= end)
            return false;
    }
    return true;
}

static bool congestion_fits(const report_fabric *f, const json_t *value)
{
    static const char *const flows[] = {"culprits", "victims"};
    bool fits = all_below(json_object_get(value, "roots"), "channel", f->num_channels);
    for (int i = 0; i < 2; i++)
        fits = fits && all_below(json_object_get(value, flows[i]), "src", f->num_hosts) &&
               all_below(json_object_get(value, flows[i]), "dst", f->num_hosts);
    return fits;
}

/* Rows of `width` numbers each. */
static bool rows_are(const json_t *rows, size_t width)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (json_array_size(row) != width)
            return false;
    }
    return true;
}

static bool trees_fit(const report_fabric *f, const json_t *trees, size_t samples)
{
    size_t i;
    json_t *tree;
    json_array_foreach(trees, i, tree)
    {
        if (json_array_size(tree) != 5 ||
            (uint64_t)json_integer_value(json_array_get(tree, 0)) >= samples ||
            (uint64_t)json_integer_value(json_array_get(tree, 1)) >= f->num_channels)
            return false;
    }
    return true;
}

static bool series_fits(const report_fabric *f, const json_t *value, size_t periods)
{
    static const char *const lists[] = {"roots",     "buffers",  "hosts",   "cyclic", "bytes",
                                        "hol_bytes", "fairness", "blocked", "hol"};
    size_t samples = json_array_size(json_object_get(value, "roots")), i;
    json_t *one;
    for (i = 0; i < sizeof lists / sizeof *lists; i++)
        if (json_array_size(json_object_get(value, lists[i])) != samples)
            return false;
    json_array_foreach(json_object_get(value, "classes"), i, one)
    {
        if (json_array_size(json_object_get(one, "throughput")) != periods ||
            json_array_size(json_object_get(one, "latency_mean_ns")) != periods)
            return false;
    }
    return rows_are(json_object_get(value, "blocked"), f->num_switches) &&
           rows_are(json_object_get(value, "hol"), f->num_switches) &&
           trees_fit(f, json_object_get(value, "trees"), samples);
}

static void read_congestion(const report_fabric *f, store_row *r, report_step *s)
{
    json_t *congestion = NULL, *series = NULL;
    s->congestion = row_text(r, 6);
    s->classes = row_text(r, 7);
    s->congestion_series = row_packed_text(r, 8);
    model_json(r, 6, s->congestion, true, &shape_congestion, &congestion);
    model_json(r, 7, s->classes, true, &shape_classes, NULL);
    model_json(r, 8, s->congestion_series, true, &shape_congestion_series, &series);
    if (congestion && !congestion_fits(f, congestion))
        row_damaged(r, 6, "names a channel or host that is not there");
    if (series && !series_fits(f, series, s->series.num))
        row_damaged(r, 8, "has lists of wrong lengths");
    json_decref(congestion);
    json_decref(series);
}

/* A path that names hosts of the fabric, in the order of time. */
static bool path_fits(const report_fabric *f, const json_t *path)
{
    const json_t *segments = json_object_get(path, "segments"), *one;
    json_int_t before = 0;
    for (size_t i = 0; (one = json_array_get(segments, i)); i++) {
        json_int_t begin = json_integer_value(json_object_get(one, "begin_ps")),
                   end = json_integer_value(json_object_get(one, "end_ps"));
        const json_t *peer = json_object_get(one, "peer");
        if (begin < before || end < begin ||
            (json_is_integer(peer) && (uint64_t)json_integer_value(peer) >= f->num_hosts))
            return false;
        before = end;
    }
    return all_below(segments, "host", f->num_hosts);
}

const char *model_workload(const report_fabric *f, store_row *r, int column)
{
    const char *text = row_packed_text(r, column);
    json_t *value = NULL;
    model_json(r, column, text, true, &shape_workload, &value);
    if (value && (!all_below(json_object_get(value, "last_hosts"), "host", f->num_hosts) ||
                  !path_fits(f, json_object_get(value, "critical_path"))))
        row_damaged(r, column, "names hosts or times that cannot be");
    json_decref(value);
    return text;
}

/* Points of the step on the curve's own fabric: the channels of others are others. */
static size_t samples_of(const report_model *m, const report_curve *c, const report_step *s)
{
    size_t num = 0;
    for (size_t i = 0; i < s->num_rows; i++)
        num += m->rows[s->rows[i]].fabric == c->fabric;
    return num;
}

static ik_status read_arrays(report_model *m, const report_curve *c, report_step *s, size_t seed,
                             ik_error *err)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    const report_row *point = &m->rows[s->rows[seed]];
    double seconds = (double)point->window_ps * 1e-12, share = (double)samples_of(m, c, s);
    sqlite3_stmt *statement = NULL;
    bool row = false;
    ik_status status = store_prepare(
        m->store,
        "SELECT channel_bytes, host_bytes, series_period_ps, series_throughput, series_latency_ns, "
        "series_blocked, congestion, classes, congestion_series, series_reorder_bytes, "
        "series_out_of_order, series_throttled, workload, "
        "series_outstanding FROM points WHERE id = ?1",
        NULL, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int64(statement, 1, point->id);
        status = store_step(m->store, statement, &row, err);
    }
    if (status == IK_OK && row) {
        store_row r = model_row(m, statement, "point", point->id, err);
        add_use(f, &r, seconds, share, s->use);
        add_hosts(f, &r, seconds, share, s);
        if (seed == 0) {
            read_series(f, &r, &s->series);
            read_congestion(f, &r, s);
            s->workload = model_workload(f, &r, 12);
        }
        status = r.status;
    }
    sqlite3_finalize(statement);
    return status;
}

static ik_status read_use(report_model *m, const report_curve *c, report_step *s, ik_error *err)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    s->use = ik_arena_alloc(&m->arena, ((size_t)f->num_channels + 1) * sizeof *s->use);
    s->tiers = ik_arena_alloc(&m->arena, (f->num_tiers + 1) * sizeof *s->tiers);
    if (!s->use || !s->tiers)
        return ik_fail_memory(err, f->num_channels * sizeof *s->use, "a report");
    for (size_t i = 0; i < s->num_rows; i++) {
        if (m->rows[s->rows[i]].fabric != c->fabric)
            continue;
        ik_status status = read_arrays(m, c, s, i, err);
        if (status != IK_OK)
            return status;
    }
    for (uint32_t k = 0; k < f->num_channels; k++) {
        if (!f->rate_bps[k])
            continue;
        tier_use *t = &s->tiers[f->channel_tier[k]];
        t->mean += s->use[k] / f->tiers[f->channel_tier[k]].channels;
        t->max = s->use[k] > t->max ? s->use[k] : t->max;
    }
    return IK_OK;
}

/* ---- curves */

static void find_saturation(report_curve *c)
{
    c->saturation_load = NAN;
    for (size_t i = c->num_steps; i-- > 0;) {
        const report_step *s = &c->steps[i];
        double offered = s->value[METRIC_OFFERED].mean, accepted = s->value[METRIC_THROUGHPUT].mean;
        c->peak_throughput = fmax(c->peak_throughput, accepted);
        if (s->searched)
            c->saturation_load = s->value[METRIC_SATURATION_LOAD].mean;
        else if (s->load > 0 && metric_past_saturation(offered, accepted))
            c->saturation_load = s->load;
    }
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

static void estimate_step(const report_model *m, report_step *s)
{
    for (int id = 0; id < NUM_METRICS; id++)
        s->value[id] = estimate_of(m, s, (metric_id)id);
}

static void average_loads(const report_model *m, report_curve *c)
{
    for (size_t i = 0; i < c->num_steps; i++) {
        report_step *s = &c->steps[i];
        for (size_t k = 0; s->searched && k < s->num_rows; k++)
            s->load += m->rows[s->rows[k]].load / (double)s->num_rows;
    }
}

static ik_status finish_curve(report_model *m, report_curve *c, ik_error *err)
{
    average_loads(m, c);
    qsort(c->steps, c->num_steps, sizeof *c->steps, by_load);
    for (size_t i = 0; i < c->num_steps; i++) {
        estimate_step(m, &c->steps[i]);
        ik_status status = read_use(m, c, &c->steps[i], err);
        if (status != IK_OK)
            return status;
    }
    find_saturation(c);
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
        estimate_step(m, &m->statics[i].steps[0]);
        status = label_curve(m, &m->statics[i], err);
    }
    return status;
}

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
    for (size_t i = 0; i < m->num_rows && status == IK_OK; i++)
        status = sort_row(m, &index, i, err);
    ik_hash_free(&index.curves);
    ik_hash_free(&index.statics);
    return status == IK_OK ? finish_curves(m, err) : status;
}
