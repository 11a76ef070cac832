/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model_curves.c: points put together: over seeds to steps with confidence intervals, over
 * loads to curves.
 */
#include "report/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two-sided 95 % quantiles of Student's t for 1 … 30 degrees of freedom. */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};

static estimate estimate_of(const report_model *m, const report_step *s, metric_id metric)
{
    double sum = 0, squares = 0;
    size_t n = s->num_rows;
    for (size_t i = 0; i < n; i++)
        sum += m->rows[s->rows[i]].value[metric];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double d = m->rows[s->rows[i]].value[metric] - mean;
        squares += d * d;
    }
    if (n < 2)
        return (estimate){mean, NAN};
    double t = n - 1 <= sizeof student / sizeof *student ? student[n - 2] : 1.96;
    return (estimate){mean, t * sqrt(squares / (double)(n - 1) / (double)n)};
}

/* ---- sorting rows into curves and steps */

static report_curve *curve_of(report_model *m, const report_row *r)
{
    for (size_t i = m->num_curves; i-- > 0;) { /* points of one curve mostly stand together */
        report_curve *c = &m->curves[i];
        if (c->fabric == r->fabric && c->plan == r->plan && strcmp(c->traffic, r->traffic) == 0 &&
            strcmp(c->variant, r->variant) == 0)
            return c;
    }
    report_curve *curves = model_grow(m, m->curves, m->num_curves, sizeof *curves);
    if (!curves)
        return NULL;
    m->curves = curves;
    curves[m->num_curves] = (report_curve){
        .fabric = r->fabric, .plan = r->plan, .traffic = r->traffic, .variant = r->variant};
    return &curves[m->num_curves++];
}

static report_step *step_of(report_model *m, report_curve *c, double load)
{
    for (size_t i = c->num_steps; i-- > 0;)
        if (c->steps[i].load == load)
            return &c->steps[i];
    report_step *steps = model_grow(m, c->steps, c->num_steps, sizeof *steps);
    if (!steps)
        return NULL;
    c->steps = steps;
    steps[c->num_steps] = (report_step){.load = load};
    return &steps[c->num_steps++];
}

static ik_status sort_row(report_model *m, size_t row, ik_error *err)
{
    report_curve *c = curve_of(m, &m->rows[row]);
    report_step *s = c ? step_of(m, c, m->rows[row].load) : NULL;
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

typedef struct arrays {
    uint64_t *words;
    size_t num;
} arrays;

static ik_status read_words(sqlite3_stmt *statement, int column, arrays *out, ik_error *err)
{
    const void *blob;
    size_t size;
    ik_status status = store_blob(statement, column, &blob, &size, err);
    return status == IK_OK ? store_unpack(blob, size, &out->words, &out->num, err) : status;
}

/* Adds what one point's channels carried, as a fraction of their rates, divided by `share`. */
static ik_status add_use(const report_fabric *f, sqlite3_stmt *statement, double seconds,
                         double share, double *use, ik_error *err)
{
    arrays bytes = {0};
    ik_status status = read_words(statement, 0, &bytes, err);
    for (size_t c = 0; c < bytes.num && c < f->num_channels && seconds > 0; c++)
        if (f->rate_bps[c])
            use[c] += 8.0 * (double)bytes.words[c] / ((double)f->rate_bps[c] * seconds) / share;
    free(bytes.words);
    return status;
}

/* Least and most that a connected host accepted, as a fraction of the rate of its links. */
static ik_status add_hosts(const report_fabric *f, sqlite3_stmt *statement, double seconds,
                           double share, report_step *s, ik_error *err)
{
    arrays bytes = {0};
    ik_status status = read_words(statement, 1, &bytes, err);
    double least = INFINITY, most = 0;
    for (size_t h = 0; h < bytes.num && h < f->num_hosts && seconds > 0; h++) {
        if (f->host_bps[h] == 0)
            continue;
        double got = 8.0 * (double)bytes.words[h] / ((double)f->host_bps[h] * seconds);
        least = fmin(least, got);
        most = fmax(most, got);
    }
    s->host_min += (isinf(least) ? 0 : least) / share;
    s->host_max += most / share;
    free(bytes.words);
    return status;
}

/* Reals are stored as the words of their bits. */
static ik_status read_reals(report_model *m, sqlite3_stmt *statement, int column, double **out,
                            size_t *num, ik_error *err)
{
    arrays bits = {0};
    ik_status status = read_words(statement, column, &bits, err);
    if (status != IK_OK)
        return status;
    *out = ik_arena_alloc(&m->arena, (bits.num + 1) * sizeof **out);
    if (*out && bits.num)
        memcpy(*out, bits.words, bits.num * sizeof **out);
    *num = bits.num;
    free(bits.words);
    return *out ? IK_OK : ik_fail_memory(err, bits.num * sizeof **out, "a report");
}

static ik_status read_series(report_model *m, const report_fabric *f, sqlite3_stmt *statement,
                             report_series *out, ik_error *err)
{
    report_series s = {.period_ps = (uint64_t)sqlite3_column_int64(statement, 2)};
    size_t latencies = 0, cells = 0;
    ik_status status = read_reals(m, statement, 3, &s.throughput, &s.num, err);
    if (status == IK_OK)
        status = read_reals(m, statement, 4, &s.latency_ns, &latencies, err);
    if (status == IK_OK)
        status = read_reals(m, statement, 5, &s.filled, &cells, err);
    if (status == IK_OK && (latencies != s.num || (cells != 0 && cells != s.num * f->num_switches)))
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: the time series of a point",
                       store_path(m->store));
    s.filled = cells ? s.filled : NULL;
    if (status == IK_OK)
        *out = s;
    return status;
}

static ik_status read_congestion(report_model *m, sqlite3_stmt *statement, report_step *s,
                                 ik_error *err)
{
    char *series = NULL;
    const void *blob;
    size_t size, bytes = 0;
    ik_status status = store_blob(statement, 8, &blob, &size, err);
    if (status == IK_OK)
        status = store_inflate(blob, size, &series, &bytes, err);
    if (status != IK_OK)
        return status;
    s->congestion = model_text(m, statement, 6);
    s->classes = model_text(m, statement, 7);
    s->congestion_series = ik_arena_strdup(&m->arena, series);
    free(series);
    return s->congestion && s->classes && s->congestion_series
               ? IK_OK
               : ik_fail_memory(err, bytes, "a report");
}

static ik_status read_arrays(report_model *m, const report_curve *c, report_step *s, size_t seed,
                             ik_error *err)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    const report_row *r = &m->rows[s->rows[seed]];
    double seconds = (double)r->window_ps * 1e-12, share = (double)s->num_rows;
    sqlite3_stmt *statement = NULL;
    bool row = false;
    ik_status status = store_prepare(
        m->store,
        "SELECT channel_bytes, host_bytes, series_period_ps, series_throughput, series_latency_ns,"
        " series_blocked, congestion, classes, congestion_series FROM points WHERE id = ?1",
        NULL, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int64(statement, 1, r->id);
        status = store_step(m->store, statement, &row, err);
    }
    if (status == IK_OK && row)
        status = add_use(f, statement, seconds, share, s->use, err);
    if (status == IK_OK && row)
        status = add_hosts(f, statement, seconds, share, s, err);
    if (status == IK_OK && row && seed == 0)
        status = read_series(m, f, statement, &s->series, err);
    if (status == IK_OK && row && seed == 0)
        status = read_congestion(m, statement, s, err);
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
        c->saturation_throughput = fmax(c->saturation_throughput, accepted);
        if (accepted < 0.95 * offered)
            c->saturation_load = s->load;
    }
}

static ik_status label_curve(report_model *m, report_curve *c, ik_error *err)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    const char *label = ik_arena_printf(&m->arena, "%s, %s", m->plans[c->plan].label, c->traffic);
    if (label && c->variant[0])
        label = ik_arena_printf(&m->arena, "%s, %s", label, c->variant);
    if (label && m->num_fabrics > 1)
        label = ik_arena_printf(&m->arena, "%s: %s", f->label, label);
    c->label = label;
    return label ? IK_OK : ik_fail_memory(err, 1, "a report");
}

static ik_status finish_curve(report_model *m, report_curve *c, ik_error *err)
{
    qsort(c->steps, c->num_steps, sizeof *c->steps, by_load);
    for (size_t i = 0; i < c->num_steps; i++) {
        report_step *s = &c->steps[i];
        for (int metric = 0; metric < NUM_METRICS; metric++)
            s->value[metric] = estimate_of(m, s, (metric_id)metric);
        ik_status status = read_use(m, c, s, err);
        if (status != IK_OK)
            return status;
    }
    find_saturation(c);
    return label_curve(m, c, err);
}

ik_status model_make_curves(report_model *m, ik_error *err)
{
    for (size_t i = 0; i < m->num_rows; i++) {
        ik_status status = sort_row(m, i, err);
        if (status != IK_OK)
            return status;
    }
    for (size_t i = 0; i < m->num_curves; i++) {
        ik_status status = finish_curve(m, &m->curves[i], err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}
