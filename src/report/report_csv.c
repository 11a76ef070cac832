/* SPDX-License-Identifier: Apache-2.0
 *
 * report/report_csv.c: one line a point, and the tables of what points hold as lists; RFC 4180.
 */
#include "report/report_csv.h"
#include "ikat/report.h"
#include "report/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void csv_fields(FILE *out, const char *const *texts, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (i)
            putc(',', out);
        ik_text_csv(out, texts[i]);
    }
}

void csv_value(FILE *out, const json_t *value)
{
    putc(',', out);
    if (json_is_string(value))
        ik_text_csv(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
    else if (json_is_real(value))
        fprintf(out, "%.9g", json_real_value(value));
}

/* Of the plan's proof: pairs that its routing does not deliver, pairs that the fabric does not
 * connect; full, sampled or off, the pairs of a sample, and what freedom from deadlock is judged
 * for, with the verdict. */
static const char *const proof_columns[] = {"undelivered",   "unconnected", "proof",
                                            "sampled_pairs", "flow",        "deadlock_free"};

/* A workload that ends has none. */
static void report_csv_put_load(FILE *out, double load)
{
    if (load > 0)
        fprintf(out, ",%.9g", load);
    else
        putc(',', out);
}

void csv_real(FILE *out, double value)
{
    if (isnan(value))
        putc(',', out); /* not sampled, or there is none */
    else
        fprintf(out, ",%.9g", value);
}

/* Or none of anything. */
static bool report_csv_has_simulations(const report_model *m)
{
    return m->num_curves > 0 || !m->num_rows;
}

/* Results of simulations where there are any, and what was measured; but freedom from deadlock,
 * which stands among the columns of the proof. */
static bool report_csv_is_column(const report_model *m, int id)
{
    if (id == METRIC_DEADLOCK_FREE)
        return false;
    return metric_is_static((metric_id)id) ? m->used[id] : report_csv_has_simulations(m);
}

const char *csv_design(FILE *out, const report_model *m, const char *variant)
{
    static const char begin[] = "design: ";
    char name[200] = "";
    const char *rest = variant;
    if (!m->designs)
        return variant;
    if (strncmp(variant, begin, sizeof begin - 1) == 0) {
        const char *text = variant + sizeof begin - 1;
        size_t length = strcspn(text, ";"); /* which no name has */
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        rest = text + length + (text[length] == ';');
        rest += *rest == ' ';
    }
    ik_text_csv(out, name);
    putc(',', out);
    return rest;
}

void csv_header(FILE *out, const report_model *m, const char *more)
{
    fprintf(out, "%sfabric,routing,traffic,variant,%s\n", m->designs ? "design," : "", more);
}

static void report_csv_put_row(FILE *out, const report_model *m, const report_row *r)
{
    const report_plan *p = &m->plans[r->plan];
    const char *variant = csv_design(out, m, r->variant);
    const char *const texts[] = {
        m->fabrics[r->fabric].spec, p->routing, p->vc, p->selection, r->traffic, variant};
    csv_fields(out, texts, sizeof texts / sizeof *texts);
    fprintf(out, ",%u", p->vcs);
    report_csv_put_load(out, r->load);
    fprintf(out, ",%" PRIu64, r->seed);
    for (int id = 0; id < NUM_METRICS; id++)
        if (report_csv_is_column(m, id))
            csv_real(out, r->value[id]);
    if (report_csv_has_simulations(m)) {
        fprintf(out, ",%s,", ik_steady_verdict_name(r->steady));
        ik_text_csv(out, r->steady_reason);
    }
    fprintf(out, ",%s,", r->deadlock[0] ? "true" : "false");
    ik_text_csv(out, r->checksum);
    for (size_t i = 0; i < sizeof proof_columns / sizeof *proof_columns; i++)
        csv_value(out, json_object_get(p->proof, proof_columns[i]));
    putc('\n', out);
}

static ik_status report_csv_put_points(const report_model *m, FILE *out)
{
    fprintf(out, "%sfabric,routing,vc,selection,traffic,variant,vcs,load,seed",
            m->designs ? "design," : "");
    for (int id = 0; id < NUM_METRICS; id++)
        if (report_csv_is_column(m, id))
            fprintf(out, ",%s", metrics[id].name);
    fprintf(out, "%s,deadlock,checksum",
            report_csv_has_simulations(m) ? ",steady,steady_reason" : "");
    for (size_t i = 0; i < sizeof proof_columns / sizeof *proof_columns; i++)
        fprintf(out, ",%s", proof_columns[i]);
    putc('\n', out);
    for (size_t i = 0; i < m->num_rows; i++)
        report_csv_put_row(out, m, &m->rows[i]);
    return IK_OK;
}

ik_status ik_report_csv(const char *store_path, FILE *out, ik_error *err)
{
    return ik_report_csv_table(store_path, ik_report_tables[0], out, err);
}

/* ---- other tables: every one names what its rows are for, and members of objects that the store
 * holds as JSON */

enum {
    TABLE_POINTS,
    TABLE_CLASSES,
    TABLE_CONGESTION,
    TABLE_ROOTS,
    TABLE_CULPRITS,
    TABLE_VICTIMS,
    TABLE_REFERENCES,
    TABLE_HOSTS,
    TABLE_PATH,
    TABLE_WATCH,
    TABLE_MESSAGE_CLASSES,
    TABLE_RANKS,
    TABLE_TIMELINE,
    TABLE_MATRIX,
    TABLE_JOBS,
    TABLE_CLAIMS,
    TABLE_PROBES,
    TABLE_CURVES,
    TABLE_PLANS,
    NUM_TABLES
};
const char *const ik_report_tables[] = {
    [TABLE_POINTS] = "points",
    [TABLE_CLASSES] = "classes",
    [TABLE_CONGESTION] = "congestion",
    [TABLE_ROOTS] = "roots",
    [TABLE_CULPRITS] = "culprits",
    [TABLE_VICTIMS] = "victims",
    [TABLE_REFERENCES] = "references",
    [TABLE_HOSTS] = "hosts",
    [TABLE_PATH] = "critical_path",
    [TABLE_WATCH] = "watch",
    [TABLE_MESSAGE_CLASSES] = "message_classes",
    [TABLE_RANKS] = "ranks",
    [TABLE_TIMELINE] = "timeline",
    [TABLE_MATRIX] = "matrix",
    [TABLE_JOBS] = "jobs",
    [TABLE_CLAIMS] = "claims",
    [TABLE_PROBES] = "probes",
    [TABLE_CURVES] = "curves",
    [TABLE_PLANS] = "plans",
    [NUM_TABLES] = NULL,
};
/* Keys, ending with NULL. From TABLE_ROOTS on a table's name is the key of its list in the
 * congestion of a step. */
static const char *const columns[NUM_TABLES][12] = {
    [TABLE_CLASSES] = {"name", "offered", "throughput", "packets_delivered", "latency_mean_ns",
                       "latency_p50_ns", "latency_p95_ns", "latency_p99_ns", "latency_max_ns",
                       "culprit_time_ns", "victim_time_ns"},
    [TABLE_CONGESTION] = {"roots", "buffers", "hosts", "cyclic", "bytes", "hol_bytes", "fairness"},
    [TABLE_ROOTS] = {"channel", "samples", "first", "last", "buffers", "hosts", "depth", "blocked"},
    [TABLE_CULPRITS] = {"src", "dst", "packets"},
    [TABLE_VICTIMS] = {"src", "dst", "packets"},
};

static void report_csv_put_members(FILE *out, const json_t *object, size_t table)
{
    for (const char *const *key = columns[table]; *key; key++)
        csv_value(out, json_object_get(object, *key));
    putc('\n', out);
}

void csv_curve(FILE *out, const report_model *m, size_t fabric, size_t plan, const char *traffic,
               const char *variant, double load)
{
    variant = csv_design(out, m, variant);
    const char *const texts[] = {m->fabrics[fabric].spec, m->plans[plan].label, traffic, variant};
    csv_fields(out, texts, sizeof texts / sizeof *texts);
    report_csv_put_load(out, load);
}

/* Classes of a point. */
static ik_status report_csv_put_classes(FILE *out, const report_model *m, const report_row *r,
                                        ik_error *err)
{
    json_t *list = NULL, *one;
    size_t k;
    ik_status status = model_stored(r->classes, &list, err);
    json_array_foreach(list, k, one)
    {
        csv_curve(out, m, r->fabric, r->plan, r->traffic, r->variant, r->load);
        fprintf(out, ",%" PRIu64, r->seed);
        report_csv_put_members(out, one, TABLE_CLASSES);
    }
    json_decref(list);
    return status;
}

/* A step period by period. */
static ik_status report_csv_put_periods(FILE *out, const report_model *m, const report_curve *c,
                                        const report_step *s, ik_error *err)
{
    json_t *series = NULL;
    ik_status status = model_stored(s->congestion_series, &series, err);
    size_t periods = json_array_size(json_object_get(series, "roots"));
    for (size_t n = 0; n < periods; n++) {
        csv_curve(out, m, c->fabric, c->plan, c->traffic, c->variant, s->load);
        fprintf(out, ",%.9g", (double)(n + 1) * (double)s->series.period_ps / 1000);
        for (const char *const *k = columns[TABLE_CONGESTION]; *k; k++)
            csv_value(out, json_array_get(json_object_get(series, *k), n));
        putc('\n', out);
    }
    json_decref(series);
    return status;
}

/* A list of a step; roots with the names of their channels. */
static ik_status report_csv_put_list(FILE *out, const report_model *m, const report_curve *c,
                                     const report_step *s, size_t table, ik_error *err)
{
    json_t *all = NULL, *one;
    size_t k;
    ik_status status = model_stored(s->congestion, &all, err);
    json_array_foreach(json_object_get(all, ik_report_tables[table]), k, one)
    {
        const json_t *channel = json_object_get(one, "channel");
        char name[200] = "";
        csv_curve(out, m, c->fabric, c->plan, c->traffic, c->variant, s->load);
        if (channel) {
            model_name_channel(&m->fabrics[c->fabric], (uint32_t)json_integer_value(channel), name,
                               sizeof name);
            putc(',', out);
            ik_text_csv(out, name);
        }
        report_csv_put_members(out, one, table);
    }
    json_decref(all);
    return status;
}

static void report_csv_put_header(const report_model *m, size_t table, FILE *out)
{
    static const char *const subject[NUM_TABLES] = {
        [TABLE_CLASSES] = ",seed", [TABLE_CONGESTION] = ",time_ns", [TABLE_ROOTS] = ",root"};
    char more[400];
    size_t used =
        (size_t)snprintf(more, sizeof more, "load%s", subject[table] ? subject[table] : "");
    for (const char *const *key = columns[table]; *key && used < sizeof more; key++)
        used += (size_t)snprintf(more + used, sizeof more - used, ",%s", *key);
    csv_header(out, m, more);
}

/* What slowdowns are measured by. */
static ik_status report_csv_put_references(report_model *m, FILE *out, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = true;
    ik_status status = store_prepare(
        m->store,
        "SELECT fabric, switch, traffic, adapter, seed, completion_ns FROM refs ORDER BY key", NULL,
        &statement, err);
    fputs("fabric,switch,traffic,adapter,seed,completion_ns\n", out);
    while (status == IK_OK && (status = store_step(m->store, statement, &row, err)) == IK_OK &&
           row) {
        store_row r = model_row(m, statement, "reference", 0, err);
        const char *const texts[] = {row_text(&r, 0), row_text(&r, 1), row_text(&r, 2),
                                     row_text(&r, 3)};
        uint64_t seed = (uint64_t)row_int(&r, 4, INT64_MIN, INT64_MAX);
        double ns = row_real(&r, 5);
        status = r.status;
        if (status != IK_OK)
            break;
        csv_fields(out, texts, 4);
        fprintf(out, ",%" PRIu64 ",%.12g\n", seed, ns);
    }
    sqlite3_finalize(statement);
    return status;
}

/* The loads that searches tried, in their order. */
static ik_status report_csv_put_probes(const report_model *m, FILE *out)
{
    csv_header(out, m, "load,seed,offered,throughput,measured_ns,accepted,steady,steady_reason");
    for (size_t i = 0; i < m->num_rows; i++) {
        const report_row *r = &m->rows[i];
        const json_t *one;
        size_t k;
        json_array_foreach(r->probes, k, one)
        {
            csv_curve(out, m, r->fabric, r->plan, r->traffic, r->variant,
                      json_number_value(json_object_get(one, "load")));
            fprintf(out, ",%" PRIu64, r->seed);
            csv_value(out, json_object_get(one, "offered"));
            csv_value(out, json_object_get(one, "throughput"));
            csv_value(out, json_object_get(one, "measured_ns"));
            csv_value(out, json_object_get(one, "accepted"));
            csv_value(out, json_object_get(one, "steady"));
            csv_value(out, json_object_get(one, "steady_reason"));
            putc('\n', out);
        }
    }
    return IK_OK;
}

ik_status csv_put_table(report_model *m, size_t table, FILE *out, ik_error *err)
{
    ik_status status = IK_OK;
    if (table == TABLE_POINTS)
        return report_csv_put_points(m, out);
    if (table == TABLE_PLANS)
        return csv_put_plans(m, out, err);
    if (table == TABLE_REFERENCES)
        return report_csv_put_references(m, out, err);
    if (table == TABLE_HOSTS)
        return csv_put_hosts(m, out, err);
    if (table == TABLE_PATH)
        return csv_put_path(m, out, err);
    if (table == TABLE_WATCH)
        return csv_put_watch(m, out, err);
    if (table == TABLE_MESSAGE_CLASSES)
        return csv_put_message_classes(m, out, err);
    if (table == TABLE_RANKS)
        return csv_put_ranks(m, out, err);
    if (table == TABLE_TIMELINE)
        return csv_put_timeline(m, out, err);
    if (table == TABLE_MATRIX)
        return csv_put_matrix(m, out, err);
    if (table == TABLE_JOBS)
        return csv_put_jobs(m, out, err);
    if (table == TABLE_CLAIMS)
        return csv_put_claims(m, out, err);
    if (table == TABLE_PROBES)
        return report_csv_put_probes(m, out);
    if (table == TABLE_CURVES)
        return csv_put_curves(m, out, err);
    report_csv_put_header(m, table, out);
    for (size_t i = 0; table == TABLE_CLASSES && i < m->num_rows && status == IK_OK; i++)
        status = report_csv_put_classes(out, m, &m->rows[i], err);
    for (size_t i = 0; table != TABLE_CLASSES && i < m->num_curves; i++) {
        const report_curve *c = &m->curves[i];
        for (size_t s = 0; s < c->num_steps && status == IK_OK; s++)
            status = table == TABLE_CONGESTION
                         ? report_csv_put_periods(out, m, c, &c->steps[s], err)
                         : report_csv_put_list(out, m, c, &c->steps[s], table, err);
    }
    return status;
}

ik_status csv_find_table(const char *name, size_t *table, ik_error *err)
{
    char list[300] = "";
    size_t which = 0, used = 0;
    while (which < NUM_TABLES && strcmp(ik_report_tables[which], name) != 0)
        which++;
    if (which < NUM_TABLES) {
        *table = which;
        return IK_OK;
    }
    for (size_t i = 0; i < NUM_TABLES && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 ik_report_tables[i]);
    const char *nearest = ik_nearest_name(name, ik_report_tables);
    ik_status status = ik_fail(err, IK_ERR_USAGE, "there is no table '%.80s'", name);
    return ik_meant(err, ik_hint(err, status, "there are %s", list), nearest);
}

static ik_status report_csv_put_whole_table(ik_results *r, size_t table, FILE *out, ik_error *err)
{
    ik_status status = csv_put_table(results_model(r), table, out, err);
    if (status != IK_OK)
        return status;
    return ferror(out) ? ik_fail(err, IK_ERR_IO, "cannot write the CSV text") : IK_OK;
}

ik_status ik_report_csv_table(const char *store_path, const char *table, FILE *out, ik_error *err)
{
    size_t which = 0;
    ik_results *r = NULL;
    ik_status status = csv_find_table(table, &which, err);
    if (status == IK_OK)
        status = ik_results_open(store_path, &r, err);
    if (status == IK_OK)
        status = report_csv_put_whole_table(r, which, out, err);
    ik_results_close(r);
    return status;
}

ik_status ik_results_csv(ik_results *r, FILE *out, ik_error *err)
{
    return report_csv_put_whole_table(r, TABLE_POINTS, out, err);
}
