/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/estimate.c: what the points of a sweep will take, without running them.
 *
 * A simulation costs its packet-hops: the packets that the hosts make in the time that a run is
 * likely to take (ik_sim_estimate_run) or that its workload has, each through as many switches as
 * minimal paths have on average. A point that is measured alone costs the entries of the tables of
 * its plan. Finished points correct this: what they took over what was expected of them is a factor
 * for the points of the same plan, else of the same fabric, else of the sweep. How long a point
 * went on that found its own end says nothing of others, so there the factor is that of a hop; and
 * searches correct each other alone.
 *
 * Fabrics of more than MOST_PORTS ports are not built, and plans of more than MOST_ENTRIES table
 * entries, or once all have as many, are not made: a crossbar of 64 hosts stands for them, whose
 * packets are multiplied by the hosts and whose state by the ports. Cost: building the fabrics and
 * plans below that, O(ports) for each setting of a fabric, and the parameters of all points. */
#include "base/hash.h"
#include "experiment/run/run.h"
#include "experiment/store_row.h"
#include "ikat/analysis.h"
#include "ikat/topology.h"
#include "routing/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PORTS = 1 << 20, MOST_ENTRIES = 1 << 24, STAND_IN = 64, CACHED = 64 };

/* By bench/estimate on an x86-64 server; finished points say what it is elsewhere. */
static const double seconds_per_hop = 3e-7, seconds_per_flit = 1.5e-7, seconds_per_entry = 3e-7,
                    seconds_at_least = 1e-3, seconds_per_byte = 5e-10;
static const double hops_unknown = 4, distances_at_most = 2e8, probes_of_search = 5,
                    longer_run = 10; /* of the load that is found */
static const double bytes_of_process = 12e6, bytes_per_port = 48, bytes_per_entry = 4,
                    bytes_per_op = 100;

typedef struct known_point {
    uint64_t hash, number;
} known_point;

/* What is the same for points of a plan with these variants of switch, adapter, measure, load. */
typedef struct setting {
    bool used;
    size_t index[4];
    ik_sim_estimate run;
} setting;

typedef struct group {
    double known, expected; /* sums over finished points whose time is known */
} group;

typedef struct estimating {
    runner r;
    ik_sweep_estimate *out;
    known_point *by_hash; /* [num_points] ascending */
    double *took, *hops;  /* [num_points] of finished points: seconds and packet-hops, NAN */
    double *expected;     /* [num_points] seconds by the model; NAN = corrected already */
    double *peak;         /* [num_points] bytes of the process at the end of finished points, 0 */
    uint64_t entries;     /* of plans that were made */
    ik_fabric *stand_in;
    group all, searches;
} estimating;

/* One fabric. */
typedef struct site {
    ik_fabric *f; /* NULL = not built */
    double switches, hosts, ports, hops;
    double *messages; /* [traffics] packets of a workload, NAN = not asked yet */
    double *ops;      /* [traffics] operations of its graph */
    group of;
} site;

/* ---- finished points */

static int estimate_by_hash(const void *a, const void *b)
{
    const known_point *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->number > y->number) - (x->number < y->number);
}

static ik_status estimate_hash_points(estimating *w, ik_error *err)
{
    uint64_t num = w->r.e->num_points, *hashes = ik_calloc(num, sizeof *hashes);
    ik_status status = hashes ? sync_digests(&w->r, err)
                              : ik_fail_memory(err, num * sizeof *hashes, "an estimate");
    if (status == IK_OK)
        status = sync_hash_sweep(&w->r, &w->out->key, hashes, err);
    for (uint64_t i = 0; i < num && status == IK_OK; i++)
        w->by_hash[i] = (known_point){hashes[i], i};
    if (status == IK_OK)
        qsort(w->by_hash, num, sizeof *w->by_hash, estimate_by_hash);
    free(hashes);
    return status;
}

/* The point with these parameters; UINT64_MAX = the sweep has none. */
static uint64_t estimate_find(const estimating *w, const char *params)
{
    uint64_t hash = ik_hash_text(params), low = 0, high = w->r.e->num_points;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (w->by_hash[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->r.e->num_points && w->by_hash[low].hash == hash ? w->by_hash[low].number
                                                                    : UINT64_MAX;
}

static const char estimate_finished[] =
    "SELECT p.params, p.packet_hops, ifnull(json_extract(c.text, '$.microseconds'), -1), "
    "ifnull(json_extract(c.text, '$.kib'), 0) FROM points AS p LEFT JOIN (SELECT params, CAST(body "
    "AS TEXT) AS text FROM details WHERE kind = 'cost' AND json_valid(CAST(body AS TEXT))) AS c ON "
    "c.params = p.params";

static void estimate_take_point(estimating *w, store_row *row, size_t file)
{
    const char *params = row_text(row, 0);
    double hops = sqlite3_column_double(row->statement, 1),
           took = sqlite3_column_double(row->statement, 2) / 1e6,
           kib = sqlite3_column_double(row->statement, 3);
    uint64_t number = row->status == IK_OK ? estimate_find(w, params) : UINT64_MAX;
    if (number == UINT64_MAX)
        return;
    size_t *first = &w->out->points[number].file;
    *first = *first ? *first : file;
    w->hops[number] = hops > 0 ? hops : NAN;
    if (!(took > 0 && took < 1e12))
        return;
    w->out->measured += isnan(w->took[number]);
    w->took[number] = took;
    w->peak[number] = kib > 0 && kib < 1e15 ? 1024 * kib : 0;
}

static ik_status estimate_read_results(estimating *w, const char *path, size_t file, ik_error *err)
{
    store *s = NULL;
    sqlite3_stmt *statement = NULL;
    ik_arena arena = {0};
    bool any = true;
    ik_status status = store_open(path, &s, err);
    if (status != IK_OK)
        return status;
    status = store_prepare(s, estimate_finished, NULL, &statement, err);
    while (status == IK_OK && (status = store_step(s, statement, &any, err)) == IK_OK && any) {
        store_row row = {
            .s = s, .statement = statement, .arena = &arena, .what = "point", .id = -1, .err = err};
        estimate_take_point(w, &row, file);
        status = row.status;
    }
    sqlite3_finalize(statement);
    store_close(s);
    ik_arena_free(&arena);
    return status;
}

/* ---- fabrics and plans */

/* Sizes first: of a fabric that is too large to be built for this, they are all that is known. */
static ik_status site_open(estimating *w, size_t first, site *at, ik_error *err)
{
    const ik_experiment *e = w->r.e;
    const point *p = &e->plans[first].at;
    const variant *v = experiment_variant(e, p, SECTION_FABRIC);
    size_t traffics = experiment_list(e, p->design, SECTION_TRAFFIC)->num;
    ik_env env = setup_env(&w->r);
    ik_fabric_size size = {0};
    bool sized = ik_fabric_size_of(v->name, &v->params, &size);
    *at = (site){.switches = size.switches,
                 .hosts = size.hosts,
                 .ports = size.ports,
                 .hops = hops_unknown,
                 .messages = ik_calloc(2 * traffics + 2, sizeof(double))};
    for (size_t i = 0; at->messages && i < traffics; i++)
        at->messages[i] = NAN;
    if (!at->messages)
        return ik_fail_memory(err, traffics * sizeof(double), "an estimate");
    at->ops = at->messages + traffics;
    if (sized && (size.ports > MOST_PORTS || !experiment_simulates(e))) {
        w->out->not_built += size.ports > MOST_PORTS && experiment_simulates(e);
        return IK_OK;
    }
    ik_status status = ik_fabric_from_params(v->name, &v->params, &env, &at->f, err);
    if (status != IK_OK) {
        place_in_variant(v, SECTION_FABRIC, err);
        return status;
    }
    double cost = INFINITY;
    ik_distances d;
    at->switches = at->f->num_switches;
    at->hosts = at->f->num_hosts;
    at->ports = at->f->num_ports;
    if (ik_distances_cost(at->f, &cost, NULL) == IK_OK && cost < distances_at_most &&
        ik_distances_measure(at->f, &env, &d, NULL) == IK_OK) {
        at->hops = d.mean_hops >= 0 ? d.mean_hops + 1 : hops_unknown;
        ik_distances_free(&d);
    }
    return IK_OK;
}

static double estimate_entries(const site *at)
{
    return at->switches * at->hosts;
}

/* One switch with the rates of the fabric's links. */
static ik_status estimate_stand_in(estimating *w, const point *p, ik_plan **plan, ik_error *err)
{
    static const plan_specs specs = {.routing = "shortest"};
    const ik_params *params = &experiment_variant(w->r.e, p, SECTION_FABRIC)->params;
    static const char *const common[] = {"link_rate", "host_rate", "latency"};
    char spec[256];
    size_t used = (size_t)snprintf(spec, sizeof spec, "crossbar:n=%d", STAND_IN);
    for (size_t i = 0; i < sizeof common / sizeof *common && used < sizeof spec; i++)
        for (size_t k = 0; k < params->num; k++)
            if (strcmp(params->decl[k].name, common[i]) == 0 && params->values[k].has)
                used += (size_t)snprintf(spec + used, sizeof spec - used, ",%s=%.60s", common[i],
                                         params->values[k].text);
    ik_env env = setup_env(&w->r);
    plan_stage stage = PLAN_ROUTING;
    ik_fabric_free(w->stand_in);
    w->stand_in = NULL;
    ik_status status = ik_fabric_from_spec(spec, &env, &w->stand_in, err);
    return status == IK_OK ? plan_make(w->stand_in, &specs, &env, &stage, plan, err) : status;
}

/* *plan: NULL = it fits nothing, and its points are left out. */
static ik_status estimate_open_plan(estimating *w, const site *at, const point *p, ik_plan **plan,
                                    bool *stands_in, ik_error *err)
{
    double entries = estimate_entries(at);
    *plan = NULL;
    *stands_in = !at->f || entries + (double)w->entries > MOST_ENTRIES;
    if (*stands_in)
        return estimate_stand_in(w, p, plan, err);
    ik_error why;
    ik_status status = plan_make_for(&w->r, at->f, p, plan, &why);
    w->entries += (uint64_t)entries;
    if (status == IK_OK || status == IK_ERR_UNSUPPORTED)
        return IK_OK;
    if (err)
        *err = why;
    return status;
}

/* ---- one point */

static const ik_sim_estimate *estimate_setting(const estimating *w, const ik_plan *plan,
                                               const point *p, setting *cache)
{
    static const section_id ids[] = {SECTION_SWITCH, SECTION_ADAPTER, SECTION_MEASURE,
                                     SECTION_LOAD};
    size_t index[4], slot = 0;
    for (size_t i = 0; i < 4; i++)
        slot = slot * 31 + (index[i] = p->index[ids[i]]);
    setting *s = &cache[slot % CACHED];
    if (!s->used || memcmp(s->index, index, sizeof index) != 0) {
        ik_sim_config config = point_config(w->r.e, p);
        ik_sim_estimate_run(plan, &config, &s->run);
        memcpy(s->index, index, sizeof index);
        s->used = true;
    }
    return &s->run;
}

/* Messages, or packets if they are more, of the point's workload; NAN = it is not known. */
static double estimate_workload(estimating *w, site *at, const point *p, uint64_t packet_bytes)
{
    double *known = &at->messages[p->index[SECTION_TRAFFIC]];
    ik_env env = setup_env(&w->r);
    env.seed = experiment_seed(w->r.e, p);
    ik_traffic *t = NULL;
    const variant *pattern = experiment_variant(w->r.e, p, SECTION_TRAFFIC);
    if (!isnan(*known) || !at->f || !packet_bytes ||
        traffics_take(w->r.traffics, at->f, pattern, &env, &t, NULL) != IK_OK)
        return *known;
    if (t->workload && t->workload->graph)
        at->ops[p->index[SECTION_TRAFFIC]] = t->workload->graph->num_ops;
    if (t->workload)
        *known = fmax((double)t->workload->num_messages,
                      (double)t->workload->bytes / (double)packet_bytes) *
                 (double)(t->workload->repeat ? t->workload->repeat : 1);
    traffics_give_back(w->r.traffics, t);
    return *known;
}

static bool estimate_is_search(const estimating *w, uint64_t number)
{
    point p = experiment_point(w->r.e, number);
    return load_search(experiment_variant(w->r.e, &p, SECTION_LOAD));
}

static void estimate_simulation(estimating *w, site *at, const ik_plan *plan, bool stands_in,
                                uint64_t number, setting *cache)
{
    ik_point_cost *c = &w->out->points[number];
    point p = experiment_point(w->r.e, number);
    const ik_sim_estimate *run = estimate_setting(w, plan, &p, cache);
    double scale = stands_in ? at->hosts / STAND_IN : 1, packets = run->packets * scale;
    bool ends = isnan(run->packets);
    if (ends)
        packets = estimate_workload(w, at, &p, run->packet_bytes);
    double hops = packets * at->hops;
    if (run->most_hops && hops > (double)run->most_hops)
        hops = (double)run->most_hops;
    bool searches = !ends && estimate_is_search(w, number);
    if (searches) {
        double last = longer_run * hops;
        if (run->most_hops && last > (double)run->most_hops)
            last = (double)run->most_hops;
        hops = hops * probes_of_search + last;
    }
    double state = (double)run->bytes * (stands_in ? at->ports / (2 * STAND_IN) : 1);
    c->bytes = run->bytes ? (uint64_t)(bytes_of_process + at->ports * bytes_per_port +
                                       estimate_entries(at) * bytes_per_entry + state +
                                       at->ops[p.index[SECTION_TRAFFIC]] * bytes_per_op)
                          : 0;
    double unit = run->flits ? seconds_per_flit * run->packet_flits : seconds_per_hop,
           fixed = seconds_at_least + state * seconds_per_byte;
    c->seconds = fixed + hops * unit;
    w->expected[number] = c->seconds;
    if (searches || isnan(w->hops[number]))
        return;
    double own = fixed + w->hops[number] * unit;
    if (run->open_end) /* how long it went on says nothing of others; what a hop took does */
        w->expected[number] = own;
    if (isnan(w->took[number]))
        w->took[number] = own;
}

static void estimate_measured(estimating *w, const site *at, uint64_t number, uint64_t of_plan)
{
    ik_point_cost *c = &w->out->points[number];
    unsigned measures = 1;
    for (int id = 0; id < NUM_MEASURES; id++)
        measures += experiment_measures(w->r.e, (measure_id)id);
    c->seconds = w->expected[number] =
        (seconds_at_least + estimate_entries(at) * seconds_per_entry * measures) / (double)of_plan;
    c->bytes = (uint64_t)(bytes_of_process + at->ports * bytes_per_port +
                          estimate_entries(at) * bytes_per_entry);
}

static void estimate_count(estimating *w, group *plan, group *fabric, uint64_t number)
{
    if (isnan(w->took[number]) || isnan(w->expected[number]))
        return;
    bool alone = estimate_is_search(w, number);
    group *groups[] = {alone ? &w->searches : &w->all, plan, fabric};
    for (size_t i = 0; i < (alone ? 1 : 3); i++) {
        groups[i]->known += w->took[number];
        groups[i]->expected += w->expected[number];
    }
}

/* What those that are not finished take, by those that are. */
static void estimate_correct(estimating *w, const group *by, uint64_t first, uint64_t num,
                             bool searches)
{
    for (uint64_t i = first; i < first + num; i++)
        if (by->expected > 0 && !isnan(w->expected[i]) && estimate_is_search(w, i) == searches) {
            w->out->points[i].seconds = w->expected[i] * by->known / by->expected;
            w->expected[i] = NAN;
        }
}

static ik_status estimate_plan(estimating *w, site *at, size_t number, ik_error *err)
{
    const plan_block *b = &w->r.e->plans[number];
    ik_plan *plan = NULL;
    bool stands_in = false, simulates = experiment_simulates(w->r.e);
    setting cache[CACHED] = {{.used = false}};
    group of = {0, 0};
    ik_status status =
        simulates ? estimate_open_plan(w, at, &b->at, &plan, &stands_in, err) : IK_OK;
    for (uint64_t i = b->first; i < b->first + b->num && status == IK_OK; i++) {
        if (!simulates)
            estimate_measured(w, at, i, b->num);
        else if (plan)
            estimate_simulation(w, at, plan, stands_in, i, cache);
        else
            w->out->points[i].seconds = 0; /* it is left out */
        estimate_count(w, &of, &at->of, i);
    }
    ik_plan_free(plan);
    if (simulates)
        w->out->plan_seconds += estimate_entries(at) * seconds_per_entry;
    estimate_correct(w, &of, b->first, b->num, false);
    return status;
}

static ik_status estimate_fabric(estimating *w, size_t first, size_t num, ik_error *err)
{
    site at;
    const plan_block *last = &w->r.e->plans[first + num - 1];
    if (w->r.env->cancel && ik_cancel_raised(w->r.env->cancel))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    ik_status status = site_open(w, first, &at, err);
    for (size_t i = first; i < first + num && status == IK_OK; i++)
        status = estimate_plan(w, &at, i, err);
    uint64_t from = w->r.e->plans[first].first;
    estimate_correct(w, &at.of, from, last->first + last->num - from, false);
    fabric_drop(&w->r, at.f);
    free(at.messages);
    return status;
}

/* ---- all */

static void estimate_sum_up(estimating *w)
{
    ik_sweep_estimate *s = w->out;
    double known = 0, expected = 0; /* the most bytes, of points that know theirs */
    for (uint64_t i = 0; i < s->num_points; i++)
        if (w->peak[i] > 0) {
            known = fmax(known, w->peak[i]);
            expected = fmax(expected, (double)s->points[i].bytes);
        }
    double larger = expected > 0 ? known / expected : 1;
    s->longest = s->widest = UINT64_MAX;
    for (uint64_t i = 0; i < s->num_points; i++) {
        ik_point_cost *c = &s->points[i];
        c->bytes = (uint64_t)((double)c->bytes * larger);
        c->elsewhere = w->r.elsewhere && w->r.elsewhere[i];
        s->finished += c->file && !c->elsewhere;
        if (c->file || c->elsewhere)
            continue;
        s->to_do++;
        s->unknown += isnan(c->seconds);
        s->seconds += isnan(c->seconds) ? 0 : c->seconds;
        if (!isnan(c->seconds) &&
            (s->longest == UINT64_MAX || c->seconds > s->points[s->longest].seconds))
            s->longest = i;
        if (s->widest == UINT64_MAX || c->bytes > s->points[s->widest].bytes)
            s->widest = i;
    }
}

static ik_status estimate_all(estimating *w, const char *const *results, size_t num, ik_error *err)
{
    const ik_experiment *e = w->r.e;
    ik_status status = estimate_hash_points(w, err);
    if (status == IK_OK)
        status = sync_find_elsewhere(&w->r, err);
    for (size_t i = 0; i < num && status == IK_OK; i++)
        status = estimate_read_results(w, results[i], i + 1, err);
    for (size_t first = 0, n; first < e->num_plans && status == IK_OK; first += n) {
        n = plans_on_fabric(e, first);
        status = estimate_fabric(w, first, n, err);
    }
    if (status == IK_OK) {
        estimate_correct(w, &w->all, 0, e->num_points, false);
        estimate_correct(w, &w->searches, 0, e->num_points, true);
        estimate_sum_up(w);
    }
    return status;
}

char *ik_experiment_point_text(const ik_experiment *e, uint64_t number, char *buffer, size_t size)
{
    point p = experiment_point(e, number);
    char load[40] = "";
    if (experiment_simulates(e) && experiment_load(e, &p) > 0)
        snprintf(load, sizeof load, " at load %.3g", experiment_load(e, &p));
    snprintf(buffer, size, "point %llu: %.100s with %.100s%s, seed %llu, on %.100s",
             (unsigned long long)number, experiment_variant(e, &p, SECTION_ROUTING)->label,
             experiment_variant(e, &p, SECTION_TRAFFIC)->label, load,
             (unsigned long long)experiment_seed(e, &p),
             experiment_variant(e, &p, SECTION_FABRIC)->label);
    return buffer;
}

ik_status ik_experiment_estimate(ik_experiment *e, const ik_run_part *part,
                                 const char *const *results, size_t num, const ik_env *env,
                                 ik_sweep_estimate **out, ik_error *err)
{
    static const ik_env none = {0};
    static const ik_run_part whole = {0};
    uint64_t n = e->num_points;
    estimating w = {
        .r = {.e = e, .env = env ? env : &none, .part = part ? part : &whole, .num_jobs = 1},
        .by_hash = ik_calloc(n, sizeof *w.by_hash),
        .took = ik_calloc(n, sizeof(double)),
        .hops = ik_calloc(n, sizeof(double)),
        .peak = ik_calloc(n, sizeof(double)),
        .expected = ik_calloc(n, sizeof(double)),
        .out = ik_calloc(1, sizeof *w.out)};
    ik_status status = traffics_new(&w.r.traffics, err);
    if (w.out)
        *w.out =
            (ik_sweep_estimate){.num_points = n, .points = ik_calloc(n, sizeof *w.out->points)};
    if (status == IK_OK &&
        (!w.by_hash || !w.took || !w.hops || !w.peak || !w.expected || !w.out || !w.out->points))
        status = ik_fail_memory(err, n * sizeof *w.out->points, "an estimate");
    for (uint64_t i = 0; i < n && status == IK_OK; i++)
        w.took[i] = w.hops[i] = w.expected[i] = w.out->points[i].seconds = NAN;
    if (status == IK_OK)
        status = estimate_all(&w, results, num, err);
    traffics_free(w.r.traffics);
    ik_fabric_free(w.stand_in);
    free(w.r.elsewhere);
    free(w.by_hash);
    free(w.took);
    free(w.hops);
    free(w.peak);
    free(w.expected);
    if (status == IK_OK)
        *out = w.out;
    else
        ik_sweep_estimate_free(w.out);
    return status;
}

void ik_sweep_estimate_free(ik_sweep_estimate *s)
{
    if (s)
        free(s->points);
    free(s);
}
