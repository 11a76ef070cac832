/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model_arrays.c: what the channels and hosts of a step carried, and what of the first of
 * its points is kept in detail: series, congestion, the workload.
 */
#include "report/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words of a column, as many as expected or none; NULL: none, or the row is damaged. free()
 * them. */
static uint64_t *model_arrays_read_words(store_row *r, int column, size_t expected)
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
static void model_arrays_add_use(const report_fabric *f, store_row *r, double seconds, double share,
                                 double *use)
{
    uint64_t *bytes = model_arrays_read_words(r, 0, f->num_channels);
    for (size_t c = 0; bytes && c < f->num_channels && seconds > 0; c++)
        if (f->rate_bps[c])
            use[c] += 8.0 * (double)bytes[c] / ((double)f->rate_bps[c] * seconds) / share;
    free(bytes);
}

/* Least and most that a connected host accepted, as a fraction of the rate of its links. */
static void model_arrays_add_hosts(const report_fabric *f, store_row *r, double seconds,
                                   double share, report_step *s)
{
    uint64_t *bytes = model_arrays_read_words(r, 1, f->num_hosts);
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
static double *model_arrays_read_reals(store_row *r, int column, size_t *num)
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
static double *model_arrays_read_optional(store_row *r, int column, size_t periods)
{
    size_t num = 0;
    double *values = model_arrays_read_reals(r, column, &num);
    if (num != 0 && num != periods)
        row_damaged(r, column, "has a wrong length");
    return num ? values : NULL;
}

static void model_arrays_read_series(const report_fabric *f, store_row *r, report_series *out)
{
    report_series s = {.period_ps = (uint64_t)row_int(r, 2, 0, INT64_MAX)};
    size_t latencies = 0, cells = 0;
    s.throughput = model_arrays_read_reals(r, 3, &s.num);
    s.latency_ns = model_arrays_read_reals(r, 4, &latencies);
    s.filled = model_arrays_read_reals(r, 5, &cells);
    if (latencies != s.num)
        row_damaged(r, 4, "has a wrong length");
    if (cells != 0 && cells != s.num * f->num_switches)
        row_damaged(r, 5, "has a wrong length");
    s.filled = cells ? s.filled : NULL;
    s.reorder_bytes = model_arrays_read_optional(r, 9, s.num);
    s.out_of_order = model_arrays_read_optional(r, 10, s.num);
    s.throttled = model_arrays_read_optional(r, 11, s.num);
    if (!s.reorder_bytes != !s.out_of_order || !s.reorder_bytes != !s.throttled)
        row_damaged(r, 9, "has a wrong length");
    s.outstanding = model_arrays_read_optional(r, 13, s.num);
    if (r->status == IK_OK)
        *out = s;
}

/* Each item's number `key` is below `end`. */
static bool model_arrays_all_below(const json_t *list, const char *key, uint64_t end)
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

static bool model_arrays_congestion_fits(const report_fabric *f, const json_t *value)
{
    static const char *const flows[] = {"culprits", "victims"};
    bool fits = model_arrays_all_below(json_object_get(value, "roots"), "channel", f->num_channels);
    for (int i = 0; i < 2; i++)
        fits = fits &&
               model_arrays_all_below(json_object_get(value, flows[i]), "src", f->num_hosts) &&
               model_arrays_all_below(json_object_get(value, flows[i]), "dst", f->num_hosts);
    return fits;
}

/* Rows of `width` numbers each. */
static bool model_arrays_rows_are(const json_t *rows, size_t width)
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

static bool model_arrays_trees_fit(const report_fabric *f, const json_t *trees, size_t samples)
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

static bool model_arrays_series_fits(const report_fabric *f, const json_t *value, size_t periods)
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
    return model_arrays_rows_are(json_object_get(value, "blocked"), f->num_switches) &&
           model_arrays_rows_are(json_object_get(value, "hol"), f->num_switches) &&
           model_arrays_trees_fit(f, json_object_get(value, "trees"), samples);
}

static void model_arrays_read_congestion(const report_fabric *f, store_row *r, report_step *s)
{
    json_t *congestion = NULL, *series = NULL;
    s->congestion = row_text(r, 6);
    s->classes = row_text(r, 7);
    s->congestion_series = row_packed_text(r, 8);
    model_json(r, 6, s->congestion, true, &shape_congestion, &congestion);
    model_json(r, 7, s->classes, true, &shape_classes, NULL);
    model_json(r, 8, s->congestion_series, true, &shape_congestion_series, &series);
    if (congestion && !model_arrays_congestion_fits(f, congestion))
        row_damaged(r, 6, "names a channel or host that is not there");
    if (series && !model_arrays_series_fits(f, series, s->series.num))
        row_damaged(r, 8, "has lists of wrong lengths");
    json_decref(congestion);
    json_decref(series);
}

/* A path that names hosts of the fabric, in the order of time. */
static bool model_arrays_path_fits(const report_fabric *f, const json_t *path)
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
    return model_arrays_all_below(segments, "host", f->num_hosts);
}

/* Lists of kinds of calls and times, a list per rank. */
static bool model_arrays_timeline_fits(const json_t *workload)
{
    const json_t *lines = json_object_get(workload, "timeline");
    size_t ranks = json_array_size(json_object_get(workload, "ranks"));
    if (lines && json_array_size(lines) != ranks)
        return false;
    for (size_t rank = 0; rank < json_array_size(lines); rank++) {
        const json_t *line = json_array_get(lines, rank);
        json_int_t before = 0;
        if (json_array_size(line) % 2)
            return false;
        for (size_t k = 0; k < json_array_size(line); k += 2) {
            json_int_t kind = json_integer_value(json_array_get(line, k)),
                       to = json_integer_value(json_array_get(line, k + 1));
            if (kind <= IK_CALL_NONE || kind >= IK_CALL_KINDS || to <= before)
                return false;
            before = to;
        }
    }
    return true;
}

const char *model_workload(const report_fabric *f, store_row *r, int column)
{
    const char *text = row_packed_text(r, column);
    json_t *value = NULL;
    model_json(r, column, text, true, &shape_workload, &value);
    if (value &&
        (!model_arrays_all_below(json_object_get(value, "last_hosts"), "host", f->num_hosts) ||
         !model_arrays_path_fits(f, json_object_get(value, "critical_path")) ||
         !model_arrays_timeline_fits(value)))
        row_damaged(r, column, "names hosts or times that cannot be");
    json_decref(value);
    return text;
}

/* Has the point counts of the channels that the curve's fabric shows? Those of another fabric are
 * others, a sample without a drawing shows none, and an infeasible point was not simulated. */
static bool model_arrays_is_shown(const report_model *m, const report_curve *c,
                                  const report_row *row)
{
    return row->fabric == c->fabric && m->fabrics[c->fabric].num_channels > 0 &&
           !(row->value[METRIC_FEASIBLE] == 0);
}

static size_t model_arrays_samples_of(const report_model *m, const report_curve *c,
                                      const report_step *s)
{
    size_t num = 0;
    for (size_t i = 0; i < s->num_rows; i++)
        num += model_arrays_is_shown(m, c, &m->rows[s->rows[i]]);
    return num;
}

/* details: those that are kept of one point of the step, too. */
static ik_status read_arrays(report_model *m, const report_curve *c, report_step *s, size_t seed,
                             bool details, ik_error *err)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    const report_row *point = &m->rows[s->rows[seed]];
    double seconds = (double)point->window_ps * 1e-12,
           share = (double)model_arrays_samples_of(m, c, s);
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
        model_arrays_add_use(f, &r, seconds, share, s->use);
        model_arrays_add_hosts(f, &r, seconds, share, s);
        if (details) {
            model_arrays_read_series(f, &r, &s->series);
            model_arrays_read_congestion(f, &r, s);
            s->workload = model_workload(f, &r, 12);
        }
        status = r.status;
    }
    sqlite3_finalize(statement);
    return status;
}

ik_status model_read_series(const report_model *m, size_t row, ik_arena *arena, report_series *out,
                            ik_error *err)
{
    const report_row *point = &m->rows[row];
    sqlite3_stmt *statement = NULL;
    bool found = false;
    *out = (report_series){0};
    ik_status status =
        store_prepare(m->store,
                      "SELECT 0, 0, series_period_ps, series_throughput, series_latency_ns, "
                      "series_blocked, 0, 0, 0, series_reorder_bytes, series_out_of_order, "
                      "series_throttled, 0, series_outstanding FROM points WHERE id = ?1",
                      NULL, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int64(statement, 1, point->id);
        status = store_step(m->store, statement, &found, err);
    }
    if (status == IK_OK && found) {
        store_row r = {.s = m->store,
                       .statement = statement,
                       .arena = arena,
                       .what = "point",
                       .id = point->id,
                       .status = IK_OK,
                       .err = err};
        model_arrays_read_series(&m->fabrics[point->fabric], &r, out);
        status = r.status;
    }
    sqlite3_finalize(statement);
    return status;
}

/* No list whose places have names is longer. */
enum { MOST_PLACES = 1024 };

/* `places` NULL: they are numbers. */
static bool model_arrays_copy_list(const json_t *list, ik_arena *arena, double *values,
                                   const char **places)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        values[i] = json_number_value(places ? json_object_get(item, "value") : item);
        if (!places)
            continue;
        places[i] = ik_arena_strdup(arena, json_string_value(json_object_get(item, "place")));
        if (!places[i])
            return false;
    }
    return true;
}

static void model_arrays_read_list(store_row *r, bool named, value_list *out)
{
    json_t *list = NULL;
    model_json(r, 0, row_packed_text(r, 0), false, named ? &shape_placed_values : &shape_values,
               &list);
    size_t num = json_array_size(list);
    if (named && num > MOST_PLACES)
        row_damaged(r, 0, "has too many places");
    if (r->status == IK_OK) {
        double *values = ik_arena_alloc(r->arena, (num + 1) * sizeof *values);
        const char **places = named ? ik_arena_alloc(r->arena, (num + 1) * sizeof *places) : NULL;
        if (values && (places || !named) && model_arrays_copy_list(list, r->arena, values, places))
            *out = (value_list){values, num, places};
        else
            r->status = ik_fail_memory(r->err, num * sizeof *values, "a report");
    }
    json_decref(list);
}

ik_status model_read_list(const report_model *m, size_t row, const char *name, ik_arena *arena,
                          value_list *out, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool any = false;
    *out = (value_list){0};
    ik_status status =
        store_prepare(m->store, "SELECT body FROM details WHERE params = ?1 AND kind = ?2",
                      (const char *[]){m->rows[row].params, name, NULL}, &statement, err);
    if (status == IK_OK)
        status = store_step(m->store, statement, &any, err);
    if (status == IK_OK && any) {
        store_row r = {.s = m->store,
                       .statement = statement,
                       .arena = arena,
                       .what = "details of point",
                       .id = m->rows[row].id,
                       .status = IK_OK,
                       .err = err};
        model_arrays_read_list(&r, list_find(name)->named, out);
        status = r.status;
    }
    sqlite3_finalize(statement);
    return status;
}

ik_status model_read_arrays(report_model *m, const report_curve *c, report_step *s, ik_error *err)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    s->use = ik_arena_alloc(&m->arena, ((size_t)f->num_channels + 1) * sizeof *s->use);
    s->tiers = ik_arena_alloc(&m->arena, (f->num_tiers + 1) * sizeof *s->tiers);
    if (!s->use || !s->tiers)
        return ik_fail_memory(err, f->num_channels * sizeof *s->use, "a report");
    s->congestion = s->classes = s->congestion_series = s->workload = "";
    bool details = true;
    for (size_t i = 0; i < s->num_rows; i++) {
        if (!model_arrays_is_shown(m, c, &m->rows[s->rows[i]]))
            continue;
        ik_status status = read_arrays(m, c, s, i, details, err);
        if (status != IK_OK)
            return status;
        details = false;
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
