/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/measures.c: points that are measured instead of simulated: what of, and what has no
 * effect beside that.
 */
#include "experiment/experiment_impl.h"

#include <string.h>

static bool simulated(const ik_experiment *e)
{
    return experiment_option(e, OPTION_SIMULATE)->u;
}

/* Measures that look at the traffic. */
static bool looks_at_traffic(const ik_experiment *e)
{
    return experiment_measures(e, MEASURE_CONTENTION) ||
           experiment_measures(e, MEASURE_SATURATION) || experiment_measures(e, MEASURE_BANDWIDTH);
}

bool experiment_uses(const ik_experiment *e, section_id id)
{
    return simulated(e) || id <= SECTION_SELECTION ||
           ((id == SECTION_TRAFFIC || id == SECTION_SEEDS) && looks_at_traffic(e));
}

/* ---- the list */

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
    e->measures |= 1u << id;
    return IK_OK;
}

static ik_status add_measures(ik_experiment *e, const ytree *node, ik_error *err)
{
    ik_status status = IK_OK;
    if (!node) {
        e->measures = 1u << MEASURE_PROOF | 1u << MEASURE_MEAN_HOPS | 1u << MEASURE_ENTRIES |
                      1u << MEASURE_SATURATION;
        return IK_OK;
    }
    if (node->kind != YTREE_LIST)
        return add_measure(e, node, err);
    for (size_t i = 0; i < node->num && status == IK_OK; i++)
        status = add_measure(e, node->items[i], err);
    return status == IK_OK && node->num == 0 ? ytree_fail(node, err, "'measures' has an empty list")
                                             : status;
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
static ik_status refuse_keys(const ytree *map, ik_error *err)
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

static ik_status refuse_idle(const ytree *root, ik_error *err)
{
    const ytree *designs = ytree_get(root, "designs");
    ik_status status = refuse_keys(root, err);
    for (size_t i = 0; designs && i < designs->num && status == IK_OK; i++)
        if (designs->kind == YTREE_LIST && designs->items[i]->kind == YTREE_MAP)
            status = refuse_keys(designs->items[i], err);
    return status;
}

static ik_status refuse_value(const ik_value *v, const char *name, const char *why, ik_error *err)
{
    if (!v->given)
        return IK_OK;
    return ik_fail_at(err, IK_ERR_INPUT, v->source, v->line, v->column, "'%s' has no effect %s",
                      name, why);
}

ik_status measures_read(ik_experiment *e, const ytree *root, ik_error *err)
{
    const ytree *node = ytree_get(root, "measures");
    const ik_value *patterns = experiment_option(e, OPTION_PATTERNS);
    if (simulated(e)) {
        if (node) {
            ik_status status = ytree_fail(node, err, "'measures' has no effect on a simulation");
            return ik_hint(err, status, "simulate: false measures instead of simulating");
        }
        return refuse_value(patterns, "patterns", "on a simulation", err);
    }
    ik_status status = refuse_idle(root, err);
    if (status == IK_OK)
        status = add_measures(e, node, err);
    if (status == IK_OK)
        status = name_measures(e, err);
    if (status == IK_OK && !experiment_measures(e, MEASURE_BANDWIDTH))
        status = refuse_value(patterns, "patterns", "without effective_bandwidth in measures", err);
    if (status == IK_OK && !experiment_measures(e, MEASURE_PROOF) &&
        !experiment_measures(e, MEASURE_MEAN_HOPS))
        status = refuse_value(experiment_option(e, OPTION_PROOF), "proof",
                              "without proof or mean_hops in measures", err);
    return status;
}

/* Whether a traffic is another one with another seed: a parameter `seed` that is not given, or
 * patterns in a list, which may have some. */
static bool draws(const variant *traffic)
{
    for (size_t i = 0; i < traffic->params.num; i++) {
        const ik_param *p = &traffic->params.decl[i];
        if ((strcmp(p->name, "seed") == 0 && !traffic->params.values[i].has) ||
            p->type == IK_PARAM_PATTERNS || p->type == IK_PARAM_SPEC)
            return true;
    }
    return false;
}

static bool any_draws(const ik_experiment *e)
{
    const variants *list = &e->sections[SECTION_TRAFFIC];
    bool any = experiment_measures(e, MEASURE_BANDWIDTH);
    for (size_t i = 0; i < list->num; i++)
        any |= draws(&list->items[i]);
    return any;
}

ik_status measures_check(const ik_experiment *e, ik_error *err)
{
    const ytree *traffic = e->sections[SECTION_TRAFFIC].items[0].place,
                *seeds = e->sections[SECTION_SEEDS].items[0].place;
    if (simulated(e))
        return IK_OK;
    if (traffic->line && !looks_at_traffic(e)) {
        ik_status status =
            ytree_fail(traffic, err, "'traffic' has no effect: no measure looks at it");
        return ik_hint(err, status, "contention, saturation and effective_bandwidth do");
    }
    if (e->sections[SECTION_SEEDS].num > 1 && (!looks_at_traffic(e) || !any_draws(e))) {
        ik_status status = ytree_fail(
            seeds, err, "'seeds' has no effect: nothing that is measured is drawn by it");
        return ik_hint(err, status,
                       "random fabrics and tables have seeds of their own: fabric: {seed: 1..10}");
    }
    return IK_OK;
}
