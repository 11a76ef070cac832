/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/measures.c: what is measured of points, instead of simulating them or beside that:
 * what section measures names, and what figures and claims are about. Refuses what has no effect.
 */
#include "experiment/experiment_impl.h"

#include <string.h>

/* Measures that look at the traffic. */
static const measure_id of_traffic[] = {MEASURE_CONTENTION, MEASURE_SATURATION, MEASURE_BANDWIDTH,
                                        MEASURE_NCA,        MEASURE_QUEUES,     MEASURE_NEXT,
                                        MEASURE_BOUND};
enum { NUM_OF_TRAFFIC = sizeof of_traffic / sizeof *of_traffic };

bool experiment_measures_traffic(const ik_experiment *e)
{
    for (size_t i = 0; i < NUM_OF_TRAFFIC; i++)
        if (experiment_measures(e, of_traffic[i]))
            return true;
    return false;
}

bool experiment_draws_permutations(const ik_experiment *e)
{
    return experiment_measures(e, MEASURE_PERMUTATIONS) &&
           experiment_option(e, OPTION_PATTERNS)->given;
}

bool experiment_counts_patterns(const ik_experiment *e)
{
    return experiment_measures(e, MEASURE_BANDWIDTH) || experiment_draws_permutations(e);
}

bool experiment_uses(const ik_experiment *e, section_id id)
{
    return experiment_simulates(e) || id <= SECTION_SELECTION ||
           ((id == SECTION_TRAFFIC || id == SECTION_SEEDS) && experiment_measures_traffic(e)) ||
           (id == SECTION_SEEDS &&
            (experiment_draws_permutations(e) || e->sections[SECTION_SEEDS].num > 1));
}

/* ---- the list */

static void measures_want(ik_experiment *e, measure_id id, const ytree *place)
{
    e->measure_place[id] = e->measures >> id & 1 ? e->measure_place[id] : place;
    e->measures |= 1u << id;
}

static ik_status add_measure(ik_experiment *e, const ytree *word, ik_error *err)
{
    unsigned id = 0;
    if (word->kind != YTREE_SCALAR)
        return ytree_fail(word, err, "'measures' is a list of words, found %s",
                          ytree_kind_name(word->kind));
    while (id < NUM_MEASURES && strcmp(measure_names[id], word->text) != 0)
        id++;
    if (id == NUM_MEASURES) {
        ik_status status = ik_fail_unknown(err, "measure", word->text, measure_names);
        ik_error_at(err, word->file, word->line, word->column);
        return status;
    }
    if (e->measures >> id & 1)
        return ytree_fail(word, err, "'measures' has '%s' twice", word->text);
    measures_want(e, (measure_id)id, word);
    return IK_OK;
}

static ik_status add_measures(ik_experiment *e, const ytree *node, ik_error *err)
{
    static const measure_id usual[] = {MEASURE_PROOF, MEASURE_MEAN_HOPS, MEASURE_ENTRIES,
                                       MEASURE_SATURATION};
    ik_status status = IK_OK;
    for (size_t i = 0; !node && !experiment_simulates(e) && i < sizeof usual / sizeof *usual; i++)
        measures_want(e, usual[i], NULL);
    if (!node)
        return IK_OK;
    if (node->kind != YTREE_LIST)
        return add_measure(e, node, err);
    for (size_t i = 0; i < node->num && status == IK_OK; i++)
        status = add_measure(e, node->items[i], err);
    return status == IK_OK && node->num == 0 ? ytree_fail(node, err, "'measures' has an empty list")
                                             : status;
}

/* What a figure or claim is about is measured, whether or not `measures` names it. */
static ik_status measures_use_result(void *ctx, metric_id id, const char *name, const ytree *place,
                                     ik_error *err)
{
    ik_experiment *e = ctx;
    if (metrics[id].measure < NUM_MEASURES)
        measures_want(e, (measure_id)metrics[id].measure, place);
    if (metric_is_static(id) || experiment_simulates(e))
        return IK_OK;
    ik_status status = ytree_fail(
        place, err, "'%.60s' is a result of simulations, and there are none with simulate: false",
        name);
    return strcmp(name, "saturation") == 0
               ? ik_hint(err, status, "static_saturation is the predicted one")
               : ik_hint(err, status,
                         "'ikat help experiment' lists what is measured: mean_hops, "
                         "static_saturation, entries_max …");
}

static ik_status name_measures(ik_experiment *e, ik_error *err)
{
    e->measured = "";
    for (unsigned id = 0; id < NUM_MEASURES && e->measured; id++)
        if (e->measures >> id & 1)
            e->measured = ik_arena_printf(&e->arena, "%s%s%s", e->measured,
                                          e->measured[0] ? "," : "", measure_names[id]);
    return e->measured ? IK_OK : ik_fail_memory(err, 1, "an experiment");
}

/* ---- what has no effect */

/* The first key of a mapping that only a simulation looks at. */
static ik_status measures_refuse_keys(const ytree *map, ik_error *err)
{
    static const char *const idle[] = {"load",  "measure",   "switch", "adapter",
                                       "watch", "reference", "jobs",   "schedule"};
    for (size_t i = 0; i < map->num; i++)
        for (size_t k = 0; k < sizeof idle / sizeof *idle; k++)
            if (strcmp(map->keys[i]->text, idle[k]) == 0) {
                ik_status status = ytree_fail(map->keys[i], err,
                                              "'%s' has no effect with simulate: false", idle[k]);
                return ik_hint(err, status, "leave it out, or simulate: true");
            }
    return IK_OK;
}

static ik_status measures_refuse_idle(const ytree *root, ik_error *err)
{
    const ytree *designs = ytree_get(root, "designs");
    ik_status status = measures_refuse_keys(root, err);
    for (size_t i = 0; designs && i < designs->num && status == IK_OK; i++)
        if (designs->kind == YTREE_LIST && designs->items[i]->kind == YTREE_MAP)
            status = measures_refuse_keys(designs->items[i], err);
    return status;
}

static ik_status measures_refuse_value(const ik_value *v, const char *name, const char *why,
                                       ik_error *err)
{
    if (!v->given)
        return IK_OK;
    return ik_fail_at(err, IK_ERR_INPUT, v->source, v->line, v->column, "'%s' has no effect %s",
                      name, why);
}

/* What is read off proofs, without any. */
static ik_status measures_refuse_unproved(const ik_experiment *e, ik_error *err)
{
    static const measure_id of_proofs[] = {MEASURE_PROOF, MEASURE_MEAN_HOPS};
    for (size_t i = 0; i < sizeof of_proofs / sizeof *of_proofs; i++) {
        const ytree *place = e->measure_place[of_proofs[i]];
        if (!place || experiment_option(e, OPTION_PROOF)->u != PROOF_OFF)
            continue;
        ik_status status = ytree_fail(place, err,
                                      "measure '%s' is of a proof, and there is none "
                                      "with proof: off",
                                      measure_names[of_proofs[i]]);
        return ik_hint(err, status, "proof: sampled costs less than proof: full");
    }
    return IK_OK;
}

ik_status measures_read(ik_experiment *e, const ytree *root, ik_error *err)
{
    const ytree *node = ytree_get(root, "measures");
    const ik_value *patterns = experiment_option(e, OPTION_PATTERNS);
    ik_status status = experiment_simulates(e) ? IK_OK : measures_refuse_idle(root, err);
    if (status == IK_OK)
        status = add_measures(e, node, err);
    if (status == IK_OK)
        status = figures_results(root, &e->arena, measures_use_result, e, err);
    if (status == IK_OK)
        status = name_measures(e, err);
    if (status == IK_OK)
        status = measures_refuse_unproved(e, err);
    if (status == IK_OK && !experiment_measures(e, MEASURE_BANDWIDTH) &&
        !experiment_measures(e, MEASURE_PERMUTATIONS))
        status = measures_refuse_value(
            patterns, "patterns", "without effective_bandwidth or permutations in measures", err);
    if (status == IK_OK && !experiment_simulates(e) && !experiment_measures(e, MEASURE_PROOF) &&
        !experiment_measures(e, MEASURE_MEAN_HOPS))
        status = measures_refuse_value(experiment_option(e, OPTION_PROOF), "proof",
                                       "without proof or mean_hops in measures", err);
    return status;
}

static bool measures_params_draw(const ik_params *params);

/* What is not understood may draw. */
static bool measures_spec_draws(const char *text, section_id section)
{
    ik_arena arena = {0};
    ik_error err;
    ik_spec spec;
    ik_params params = {0};
    schema_member member;
    bool draws = ik_spec_parse(text, &arena, &spec, &err) != IK_OK ||
                 !schema_find(section, spec.name, &member) ||
                 ik_params_init(&params, member.params, member.common, &err) != IK_OK ||
                 ik_spec_apply(&spec, &params, "pattern", &err) != IK_OK ||
                 measures_params_draw(&params);
    ik_params_free(&params);
    ik_arena_free(&arena);
    return draws;
}

bool traffic_spec_draws(const char *spec)
{
    return measures_spec_draws(spec, SECTION_TRAFFIC);
}

bool routing_spec_draws(const char *spec)
{
    return measures_spec_draws(spec, SECTION_ROUTING);
}

static bool measures_patterns_draw(const ik_value *value)
{
    bool draw = false;
    for (size_t i = 0; i < value->num_members && !draw; i++)
        draw = traffic_spec_draws(value->members[i].spec);
    return draw;
}

/* A seed that counts and is not given is the point's. */
static bool measures_params_draw(const ik_params *params)
{
    for (size_t i = 0; i < params->num; i++) {
        const ik_param *p = &params->decl[i];
        const ik_value *v = &params->values[i];
        bool own = strcmp(p->name, "seed") == 0 && !v->has && ik_params_counts(params, i);
        bool nested = p->type == IK_PARAM_JOBS || p->type == IK_PARAM_SCHEDULE ||
                      p->type == IK_PARAM_SPEC ||
                      (p->type == IK_PARAM_PATTERNS && v->has && measures_patterns_draw(v));
        if (own || (nested && v->has))
            return true;
    }
    return false;
}

bool traffic_draws(const variant *traffic)
{
    return measures_params_draw(&traffic->params);
}

bool routing_draws(const variant *routing)
{
    return measures_params_draw(&routing->params);
}

/* Is anything that is measured without simulation drawn by the seeds? */
static bool measures_any_draws(const ik_experiment *e)
{
    bool any = experiment_counts_patterns(e);
    for (size_t d = 0; d < e->num_designs; d++) {
        const variants *list = experiment_list(e, d, SECTION_ROUTING);
        for (size_t i = 0; i < list->num; i++)
            any |= routing_draws(&list->items[i]);
    }
    for (size_t d = 0; d < e->num_designs && experiment_measures_traffic(e); d++) {
        const variants *list = experiment_list(e, d, SECTION_TRAFFIC);
        for (size_t i = 0; i < list->num; i++)
            any |= traffic_draws(&list->items[i]);
    }
    return any;
}

/* Measures of a traffic are of one pattern, or of one workload. */
static ik_status measures_refuse_several(const ik_experiment *e, const variants *list,
                                         ik_error *err)
{
    for (size_t i = 0; i < list->num; i++) {
        const char *name = list->items[i].name;
        bool schedule = strcmp(name, "schedule") == 0;
        for (size_t k = 0; k < NUM_OF_TRAFFIC; k++) {
            const ytree *place = e->measure_place[of_traffic[k]];
            if (!place || (!schedule && strcmp(name, "jobs") != 0))
                continue;
            ik_status status =
                ytree_fail(place, err, "measure '%s' is of one traffic, and '%s' are several",
                           measure_names[of_traffic[k]], name);
            return ik_hint(err, status, "'ikat load' measures each of them alone");
        }
    }
    return IK_OK;
}

/* The bound is a rate: of patterns that go on for ever. */
static ik_status measures_refuse_endings(const ik_experiment *e, const variants *list,
                                         ik_error *err)
{
    for (size_t i = 0; i < list->num && experiment_measures(e, MEASURE_BOUND); i++) {
        const ik_traffic_family *family = ik_traffic_find(list->items[i].name);
        const ytree *place = e->measure_place[MEASURE_BOUND];
        if (!family || !family->ends)
            continue;
        ik_status status =
            ytree_fail(place, err, "measure 'bound' is a rate, and traffic '%.60s' ends",
                       list->items[i].label);
        return ik_hint(err, status, "measure 'contention' is of traffic that ends");
    }
    return IK_OK;
}

/* What the measures cannot be of, or do not look at. */
static ik_status measures_check_traffics(const ik_experiment *e, const variants *list,
                                         ik_error *err)
{
    const ytree *traffic = list->items[0].place;
    ik_status status = measures_refuse_endings(e, list, err);
    if (status != IK_OK)
        return status;
    if (experiment_simulates(e))
        return measures_refuse_several(e, list, err);
    if (!traffic->line || experiment_measures_traffic(e))
        return IK_OK;
    status = ytree_fail(traffic, err, "'traffic' has no effect: no measure depends on it");
    return ik_hint(err, status,
                   "contention, saturation, bound, effective_bandwidth, nca and queues do");
}

ik_status measures_check(const ik_experiment *e, ik_error *err)
{
    const ytree *seeds = e->sections[SECTION_SEEDS].items[0].place;
    ik_status status = IK_OK;
    for (size_t d = 0; d < e->num_designs && status == IK_OK; d++)
        status = measures_check_traffics(e, experiment_list(e, d, SECTION_TRAFFIC), err);
    if (status != IK_OK || experiment_simulates(e))
        return status;
    if (e->sections[SECTION_SEEDS].num > 1 && !measures_any_draws(e)) {
        status =
            ytree_fail(seeds, err, "'seeds' has no effect: nothing that is measured depends on it");
        return ik_hint(err, status,
                       "random fabrics have seeds of their own: fabric: {seed: 1..10}");
    }
    return IK_OK;
}
