/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/statics.c: measures without simulation, from the analyses that `ikat check`, `ikat
 * load`, `ikat route` and `ikat topo` print.
 */
#include "experiment/run/statics.h"

#include "base/json_value.h"
#include "ikat/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void statics_clear(statics *s, ik_arena *arena)
{
    *s = (statics){.arena = arena};
    for (size_t i = 0; i < NUM_STATICS; i++)
        s->value[i] = NAN;
}

/* Room for a list of num numbers; *out NULL: none is kept. */
static ik_status statics_add_list(statics *s, list_id id, size_t num, double **out, ik_error *err)
{
    *out = s->arena ? ik_arena_alloc(s->arena, (num + 1) * sizeof **out) : NULL;
    if (s->arena && !*out)
        return ik_fail_memory(err, num * sizeof **out, "an experiment");
    if (*out)
        s->list[id] = (value_list){*out, num, NULL};
    return IK_OK;
}

/* ---- of a fabric and a routing */

static ik_status statics_measure_cost(const ik_fabric *f, statics *out, ik_error *err)
{
    ik_description d;
    ik_status status = ik_fabric_describe(f, &d, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_PORTS_PER_HOST, d.ports_per_host);
    statics_set(out, METRIC_LINKS_PER_HOST, d.links_per_host);
    ik_description_free(&d);
    return IK_OK;
}

static ik_status measure_bisection(const ik_fabric *f, const ik_env *env, statics *out,
                                   ik_error *err)
{
    ik_bisection b;
    if (f->num_switches < 2 || ik_fabric_has_rails(f))
        return IK_OK; /* it has none */
    ik_status status = ik_bisection_measure(f, 0, env, &b, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_BISECTION, b.per_host);
    ik_bisection_free(&b);
    return IK_OK;
}

static ik_status statics_measure_size(const ik_fabric *f, const ik_env *env, statics *out,
                                      ik_error *err)
{
    ik_description d;
    ik_distances distances;
    ik_status status = ik_fabric_describe(f, &d, err);
    if (status != IK_OK)
        return status;
    status = ik_distances_measure(f, env, &distances, err);
    if (status == IK_OK) {
        statics_set(out, METRIC_HOSTS, (double)d.hosts);
        statics_set(out, METRIC_SWITCHES, (double)d.switches);
        statics_set(out, METRIC_RADIX, d.radix);
        statics_set(out, METRIC_DIAMETER, distances.diameter);
        ik_distances_free(&distances);
    }
    ik_description_free(&d);
    return status;
}

static ik_status statics_measure_paths(const ik_fabric *f, const ik_env *env, statics *out,
                                       ik_error *err)
{
    ik_diversity d;
    ik_status status = ik_diversity_measure(f, env, &d, err);
    if (status != IK_OK)
        return status;
    if (d.num && d.max_paths < IK_PATHS_MANY) { /* two switches have hosts, all is counted */
        statics_set(out, METRIC_MIN_PATHS, (double)d.min_paths);
        statics_set(out, METRIC_MEAN_PATHS, d.mean_paths);
        statics_set(out, METRIC_MAX_PATHS, (double)d.max_paths);
    }
    ik_diversity_free(&d);
    return IK_OK;
}

static ik_status statics_measure_entries(const ik_plan *plan, const ik_env *env, statics *out,
                                         ik_error *err)
{
    ik_table_size t;
    ik_status status = ik_table_size_measure(plan->routing, env, &t, err);
    if (status != IK_OK || !t.has_entries)
        return status;
    statics_set(out, METRIC_ENTRIES_MEAN, t.mean);
    statics_set(out, METRIC_ENTRIES_MAX, t.max);
    return IK_OK;
}

ik_status statics_of_fabric(const runner *r, const ik_fabric *f, const ik_env *env, statics *out,
                            ik_error *err)
{
    ik_status status = IK_OK;
    if (experiment_measures(r->e, MEASURE_COST))
        status = statics_measure_cost(f, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_BISECTION))
        status = measure_bisection(f, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_SIZE))
        status = statics_measure_size(f, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_PATHS))
        status = statics_measure_paths(f, env, out, err);
    return status;
}

void statics_of_proof(const runner *r, const ik_proof *proof, statics *out)
{
    if (experiment_measures(r->e, MEASURE_PROOF) && proof->deadlock_free != IK_UNKNOWN)
        statics_set(out, METRIC_DEADLOCK_FREE, proof->deadlock_free == IK_YES);
    if (!experiment_measures(r->e, MEASURE_MEAN_HOPS) || proof->pairs == 0)
        return;
    statics_set(out, METRIC_MEAN_HOPS, proof->mean_hops);
    statics_set(out, METRIC_MAX_HOPS, proof->max_hops);
}

static ik_status measure_permutations(const runner *r, const ik_plan *plan, const ik_env *env,
                                      statics *out, ik_error *err)
{
    const ik_value *patterns = experiment_option(r->e, OPTION_PATTERNS);
    ik_permutations p;
    if (plan->routing->kind != IK_ROUTE_DETERMINISTIC || plan->routing->rails)
        return IK_OK; /* a permutation has no one contention */
    ik_status status =
        ik_permutations_measure(plan->routing, patterns->given ? patterns->u : 0, env, &p, err);
    if (status != IK_OK)
        return status;
    uint64_t free_of_it = 0;
    double *shares = NULL;
    status = statics_add_list(out, LIST_PERMUTATIONS, p.num, &shares, err);
    for (size_t level = 0; level < p.num && shares; level++)
        shares[level] = (double)p.count[level] / (double)p.total;
    for (size_t c = 0; c < p.num && c < 2; c++)
        free_of_it += p.count[c];
    statics_set(out, METRIC_FREE_PERMUTATIONS, (double)free_of_it / (double)p.total);
    statics_set(out, METRIC_PERMUTATIONS_MEAN, p.mean);
    statics_set(out, METRIC_PERMUTATIONS_MAX, (double)(p.num - 1));
    ik_permutations_free(&p);
    return status;
}

ik_status statics_of_plan(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                          const ik_env *env, statics *out, ik_error *err)
{
    ik_status status = IK_OK;
    if (experiment_measures(r->e, MEASURE_ENTRIES))
        status = statics_measure_entries(plan, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_LEAST_T_MAX))
        status = statics_least(r, f, p, plan, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_PERMUTATIONS) &&
        !experiment_draws_permutations(r->e))
        status = measure_permutations(r, plan, env, out, err);
    return status;
}

/* A member that is there and no null. */
static void statics_put_stored(const json_t *proof, const char *key, metric_id id, statics *out)
{
    const json_t *value = json_object_get(proof, key);
    if (json_is_number(value))
        statics_set(out, id, json_number_value(value));
    else if (json_is_boolean(value))
        statics_set(out, id, json_is_true(value));
}

/* As statics_of_proof, from what it was written down as. */
static ik_status statics_read_proof(const runner *r, const char *text, statics *out, ik_error *err)
{
    json_error_t why;
    json_t *proof = NULL;
    ik_status status = json_parse(text, strlen(text), &proof, &why);
    if (status == IK_ERR_MEMORY)
        return ik_fail_memory(err, strlen(text), "a proof");
    if (status != IK_OK || !json_is_object(proof)) {
        json_decref(proof);
        return ik_fail(err, IK_ERR_INPUT, "'%.200s' is damaged: a proof is not JSON object",
                       store_path(r->store));
    }
    if (experiment_measures(r->e, MEASURE_PROOF))
        statics_put_stored(proof, "deadlock_free", METRIC_DEADLOCK_FREE, out);
    if (experiment_measures(r->e, MEASURE_MEAN_HOPS) &&
        json_integer_value(json_object_get(proof, "pairs")) > 0) {
        statics_put_stored(proof, "mean_hops", METRIC_MEAN_HOPS, out);
        statics_put_stored(proof, "max_hops", METRIC_MAX_HOPS, out);
    }
    json_decref(proof);
    return IK_OK;
}

ik_status statics_of_stored_proof(const runner *r, int64_t plan, statics *out, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    const char *text = "{}";
    bool row = false;
    ik_status status =
        store_prepare(r->store, "SELECT proof FROM plans WHERE id = ?1", NULL, &statement, err);
    if (status == IK_OK) {
        sqlite3_bind_int64(statement, 1, plan);
        status = store_step(r->store, statement, &row, err);
    }
    if (status == IK_OK && row)
        status = store_text(statement, 0, &text, err);
    if (status == IK_OK)
        status = statics_read_proof(r, text, out, err);
    sqlite3_finalize(statement);
    return status;
}

/* ---- the least t_max */

/* The settings of a routing that stand beside a t_max, and "least" for it. */
static ik_status statics_set_least(const variant *v, ik_params *params, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < v->params.num && status == IK_OK; i++) {
        const ik_param *row = &v->params.decl[i];
        const ik_value *value = &v->params.values[i];
        if (strcmp(row->name, "t_max") == 0)
            status = ik_params_set(params, v->name, row->name, "least", 0, 0, err);
        else if (value->given && !(row->needs && strcmp(row->needs, "not t_max") == 0))
            status = ik_params_set(params, v->name, row->name, value->text, 0, 0, err);
    }
    return status;
}

static bool statics_has_t_max(const variant *routing)
{
    for (size_t i = 0; i < routing->params.num; i++)
        if (strcmp(routing->params.decl[i].name, "t_max") == 0)
            return true;
    return false;
}

ik_status statics_least(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                        const ik_env *env, statics *out, ik_error *err)
{
    const variant *v = experiment_variant(r->e, p, SECTION_ROUTING);
    uint32_t least = plan ? plan->routing->least_t_max : 0;
    const ik_routing_family *family = ik_routing_find(v->name);
    ik_routing *routing = NULL;
    ik_params params;
    if (!family || !statics_has_t_max(v))
        return IK_OK;
    if (least) {
        statics_set(out, METRIC_LEAST_T_MAX, least);
        return IK_OK;
    }
    ik_status status = ik_params_init(&params, family->params, NULL, err);
    if (status != IK_OK)
        return status;
    status = statics_set_least(v, &params, err);
    if (status == IK_OK)
        status = ik_routing_from_params(f, v->name, &params, env, &routing, err);
    if (status == IK_OK && routing->least_t_max)
        statics_set(out, METRIC_LEAST_T_MAX, routing->least_t_max);
    ik_routing_free(routing);
    ik_params_free(&params);
    return status == IK_ERR_UNSUPPORTED ? IK_OK : status; /* none works: there is no least */
}

/* ---- of a traffic */

/* Routes per nearest common ancestor, of those at the top. */
static ik_status statics_put_roots(const ik_fabric *f, const double *turns, statics *out,
                                   ik_error *err)
{
    double least = INFINITY, most = 0, sum = 0, squares = 0, num = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (f->switch_level[sw] != f->num_levels)
            continue;
        least = fmin(least, turns[sw]);
        most = fmax(most, turns[sw]);
        sum += turns[sw];
        num++;
    }
    if (num == 0)
        return IK_OK;
    double *routes = NULL;
    ik_status status = statics_add_list(out, LIST_NCA_ROUTES, (size_t)num, &routes, err);
    size_t at = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (f->switch_level[sw] != f->num_levels)
            continue;
        squares += (turns[sw] - sum / num) * (turns[sw] - sum / num);
        if (routes)
            routes[at++] = turns[sw];
    }
    statics_set(out, METRIC_NCA_MIN, least);
    statics_set(out, METRIC_NCA_MEAN, sum / num);
    statics_set(out, METRIC_NCA_MAX, most);
    statics_set(out, METRIC_NCA_SD, sqrt(squares / num));
    return status;
}

/* What is known in place of a saturation where queues decide what goes minimally. */
static ik_status statics_measure_band(const ik_plan *plan, const ik_traffic *t, const ik_load *even,
                                      const ik_env *env, statics *out, ik_error *err)
{
    ik_load_band b;
    ik_status status = ik_load_band_measure(plan->routing, t, even, env, &b, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_BAND_LOW, b.low);
    statics_set(out, METRIC_BAND_MINIMAL, b.minimal);
    statics_set(out, METRIC_BAND_VALIANT, b.valiant);
    statics_set(out, METRIC_BAND_SPLIT, b.split);
    statics_set(out, METRIC_BAND_SPLIT_MINIMAL, b.split_minimal);
    statics_set(out, METRIC_BAND_HIGH, b.high);
    return IK_OK;
}

static ik_status statics_measure_loads(const runner *r, const statics_place *place,
                                       const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                       statics *out, ik_error *err)
{
    ik_load l;
    ik_status status = ik_load_measure(plan->routing, t, env, &l, err);
    if (status != IK_OK)
        return status;
    bool saturation = experiment_measures(r->e, MEASURE_SATURATION);
    if (saturation && ik_load_chooses_detours(plan->routing))
        status = statics_measure_band(plan, t, &l, env, out, err);
    else if (saturation)
        statics_set(out, METRIC_STATIC_SATURATION, l.saturation);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_NCA) && l.turns)
        status = statics_put_roots(plan->routing->fabric, l.turns, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_BOUND))
        status = statics_measure_bound(place, plan->routing, t, &l, env, out, err);
    ik_load_free(&l);
    return status;
}

static ik_status statics_measure_phases(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                        statics *out, ik_error *err)
{
    ik_phases p;
    ik_status status = ik_phases_measure(plan->routing, t, INFINITY, env, &p, err);
    if (status != IK_OK)
        return status;
    double most = NAN;
    for (size_t i = 0; i < p.num && !isnan(p.slowdown); i++)
        if (p.phases[i].has_contention)
            most = fmax(most, p.phases[i].contention.max_flows);
    statics_set(out, METRIC_CONTENTION, most);
    statics_set(out, METRIC_STATIC_SLOWDOWN, p.slowdown);
    ik_phases_free(&p);
    return IK_OK;
}

static ik_status measure_contention(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                    statics *out, ik_error *err)
{
    ik_contention c;
    if (t->workload)
        return statics_measure_phases(plan, t, env, out, err);
    ik_status status = ik_contention_measure(plan->routing, t, env, &c, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_CONTENTION, c.max_flows);
    statics_set(out, METRIC_STATIC_SLOWDOWN, c.fluid_slowdown);
    return IK_OK;
}

static ik_status measure_bandwidth(const runner *r, const ik_plan *plan, const char *spec,
                                   const ik_env *env, statics *out, ik_error *err)
{
    ik_pattern_means m;
    ik_status status = ik_pattern_means_measure(
        plan->routing, spec, experiment_option(r->e, OPTION_PATTERNS)->u, env, &m, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_BANDWIDTH, m.effective_bandwidth);
    statics_set(out, METRIC_EFFICIENCY, m.mean_efficiency);
    return IK_OK;
}

/* The result that a kind of channel has of its own; NUM_METRICS: it is in the list alone. */
static metric_id statics_destinations_of(const ik_load_group *g)
{
    switch (g->direction) {
    case IK_DIR_INJECTION:
        return METRIC_DESTINATIONS_INJECTION;
    case IK_DIR_EJECTION:
        return METRIC_DESTINATIONS_EJECTION;
    case IK_DIR_SIDE:
        return METRIC_DESTINATIONS_BETWEEN;
    case IK_DIR_UP:
        return g->level == 1   ? METRIC_DESTINATIONS_UP_1
               : g->level == 2 ? METRIC_DESTINATIONS_UP_2
                               : NUM_METRICS;
    case IK_DIR_DOWN:
        return g->level == 1   ? METRIC_DESTINATIONS_DOWN_1
               : g->level == 2 ? METRIC_DESTINATIONS_DOWN_2
                               : NUM_METRICS;
    }
    return NUM_METRICS;
}

/* Places of the list: kinds of channel, as `ikat load` calls them ("up 1"). */
static ik_status statics_name_kinds(const ik_load_group *groups, size_t num, statics *out,
                                    ik_error *err)
{
    const char **names = ik_arena_alloc(out->arena, (num + 1) * sizeof *names);
    for (size_t i = 0; i < num && names; i++) {
        const char *direction = ik_direction_name(groups[i].direction);
        names[i] = groups[i].level
                       ? ik_arena_printf(out->arena, "%s %u", direction, groups[i].level)
                       : direction;
        if (!names[i])
            names = NULL;
    }
    if (!names)
        return ik_fail_memory(err, num * sizeof *names, "an experiment");
    out->list[LIST_QUEUE_DESTINATIONS].places = names;
    return IK_OK;
}

/* Means over the queues in use of each kind of channel, in the order in which packets cross them.
 */
static ik_status put_destinations(const ik_load_group *groups, size_t num, statics *out,
                                  ik_error *err)
{
    double *list = NULL;
    ik_status status = statics_add_list(out, LIST_QUEUE_DESTINATIONS, num, &list, err);
    if (status == IK_OK && list)
        status = statics_name_kinds(groups, num, out, err);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        metric_id id = statics_destinations_of(&groups[i]);
        if (id < NUM_METRICS)
            statics_set(out, id, groups[i].mean);
        if (list)
            list[i] = groups[i].mean;
    }
    return status;
}

static ik_status statics_measure_queues(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                        statics *out, ik_error *err)
{
    ik_queues q;
    ik_load_group *groups = NULL;
    size_t num = 0;
    ik_status status = ik_queues_measure(plan, t, env, &q, err);
    if (status != IK_OK)
        return status;
    status = ik_queue_groups(plan->fabric, &q, true, &groups, &num, err);
    if (status == IK_OK) {
        status = put_destinations(groups, num, out, err);
        ik_load_groups_free(groups, num);
    }
    ik_queues_free(&q);
    return status;
}

static ik_status statics_measure_traffic(const runner *r, const ik_fabric *f,
                                         const statics_place *place, const ik_plan *plan,
                                         const ik_env *env, statics *out, ik_error *err)
{
    const variant *v = place->traffic;
    ik_traffic *t = NULL;
    ik_status status = ik_traffic_from_spec(f, v->spec, env, &t, err);
    if (status == IK_OK &&
        (experiment_measures(r->e, MEASURE_SATURATION) || experiment_measures(r->e, MEASURE_NCA) ||
         experiment_measures(r->e, MEASURE_BOUND)))
        status = statics_measure_loads(r, place, plan, t, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_CONTENTION))
        status = measure_contention(plan, t, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_BANDWIDTH))
        status = measure_bandwidth(r, plan, v->spec, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_QUEUES))
        status = statics_measure_queues(plan, t, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_NEXT))
        status = statics_measure_next(plan, t, env, out, err);
    ik_traffic_free(t);
    if (status != IK_OK)
        place_in_variant(v, SECTION_TRAFFIC, err);
    return status;
}

ik_status traffic_statics_init(const ik_experiment *e, size_t design, best_rates *best,
                               traffic_statics *out, ik_error *err)
{
    size_t seeds = e->sections[SECTION_SEEDS].num,
           traffics = experiment_list(e, design, SECTION_TRAFFIC)->num,
           num = (traffics + 1) * seeds;
    *out = (traffic_statics){.of = ik_calloc(num, sizeof *out->of),
                             .known = ik_calloc(num, sizeof *out->known),
                             .num_traffics = traffics,
                             .num_seeds = seeds,
                             .best = best};
    return out->of && out->known ? IK_OK
                                 : ik_fail_memory(err, num * sizeof *out->of, "an experiment");
}

void traffic_statics_free(traffic_statics *t)
{
    free(t->of);
    free(t->known);
    ik_arena_free(&t->arena);
    *t = (traffic_statics){0};
}

static void add_statics(const statics *more, statics *out)
{
    for (size_t i = 0; i < NUM_STATICS; i++)
        if (!isnan(more->value[i]))
            out->value[i] = more->value[i];
    for (size_t i = 0; i < NUM_LISTS; i++)
        if (more->list[i].num)
            out->list[i] = more->list[i];
}

/* Number `at` of what is known, with the seed of a point; v NULL: it is of no traffic. */
static ik_status statics_add_known(const runner *r, const ik_fabric *f, const variant *v,
                                   const ik_plan *plan, const ik_env *env, traffic_statics *known,
                                   size_t at, statics *out, ik_error *err)
{
    statics *s = &known->of[at];
    if (!known->known[at]) {
        statics_clear(s, &known->arena);
        const statics_place place = {v, at, known->best};
        ik_status status = v ? statics_measure_traffic(r, f, &place, plan, env, s, err)
                             : measure_permutations(r, plan, env, s, err);
        if (status != IK_OK)
            return status;
        known->known[at] = true;
    }
    add_statics(s, out);
    return IK_OK;
}

ik_status statics_of_traffic(const runner *r, const ik_fabric *f, const point *p,
                             const ik_plan *plan, const ik_env *env, traffic_statics *known,
                             statics *out, ik_error *err)
{
    const variant *v = experiment_variant(r->e, p, SECTION_TRAFFIC);
    /* hosts with several cables draw theirs */
    bool drawn = traffic_draws(v) || ik_fabric_has_rails(f);
    size_t seed = p->index[SECTION_SEEDS],
           at = p->index[SECTION_TRAFFIC] * known->num_seeds + (drawn ? seed : 0),
           alone = known->num_traffics * known->num_seeds + seed;
    ik_env seeded = *env;
    seeded.seed = experiment_seed(r->e, p);
    ik_status status = IK_OK;
    if (experiment_measures_traffic(r->e))
        status = statics_add_known(r, f, v, plan, &seeded, known, at, out, err);
    if (status == IK_OK && experiment_draws_permutations(r->e))
        status = statics_add_known(r, f, NULL, plan, &seeded, known, alone, out, err);
    return status;
}

ik_status statics_keep_point(runner *r, int64_t fabric, const plan_slot *slot, uint64_t number,
                             const statics *s, ik_error *err)
{
    const ik_experiment *e = r->e;
    point at = experiment_point(e, number);
    bool simulated = experiment_uses(e, SECTION_LOAD),
         traffic = experiment_uses(e, SECTION_TRAFFIC);
    char *params = NULL, *label = NULL;
    ik_status status = point_params(r, &at, &params, err);
    if (status == IK_OK)
        status = point_variant(e, &at, &label, err);
    if (status == IK_OK) {
        store_point row = {.id = (int64_t)number,
                           .fabric = fabric,
                           .plan = plan_id(slot, FLOW_ANY),
                           .params = params,
                           .traffic =
                               traffic ? experiment_variant(e, &at, SECTION_TRAFFIC)->label : "",
                           .variant = label,
                           .load = simulated ? experiment_load(e, &at) : 0,
                           .seed = experiment_seed(e, &at)};
        status = store_add_static(r->store, &row, s->value, s->list, err);
    }
    free(label);
    free(params);
    return status;
}
