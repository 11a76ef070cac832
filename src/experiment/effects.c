/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/effects.c: refuses what was written and has no effect beside another section:
 * parameters that the switch's model ignores, a selection where no routing leaves a choice. The
 * message names the points of the sweep.
 */
#include "experiment/experiment_impl.h"
#include "experiment/schedules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef ik_status (*pair_check)(const variant *first, const variant *second, ik_error *err);

/* What is asked of two sections' variants (the second may be the first). */
typedef struct rule {
    section_id first, second;
    pair_check check;
} rule;

static ik_status effects_check_own(const variant *v, const variant *same, ik_error *err)
{
    char owner[64];
    (void)same;
    snprintf(owner, sizeof owner, "section '%s'", v->name);
    return ik_params_check_needs(&v->params, owner, NULL, NULL, err);
}

static ik_status check_with_switch(const variant *v, const variant *sw, ik_error *err)
{
    char owner[64];
    snprintf(owner, sizeof owner, "section '%s'", v->name);
    return ik_params_check_needs(&v->params, owner, "switch", &sw->params, err);
}

static ik_status effects_check_choice(const variant *sw, const variant *routing, ik_error *err)
{
    for (size_t i = 0; i < sw->params.num && routing_leaves_no_choice(routing); i++) {
        const ik_value *v = &sw->params.values[i];
        if (!v->given || strcmp(sw->params.decl[i].name, "adaptive_choice") != 0)
            continue;
        ik_status status = ik_fail_at(err, IK_ERR_INPUT, v->source, v->line, v->column,
                                      "section 'switch', parameter 'adaptive_choice': it has no "
                                      "effect with routing '%.60s', which does not adapt",
                                      routing->label);
        return ik_hint(err, status,
                       "leave it out, or run the routings that adapt in a separate experiment");
    }
    return IK_OK;
}

/* ---- finite workloads */

static bool effects_ends(const variant *traffic)
{
    const ik_traffic_family *family = ik_traffic_find(traffic->name);
    return family && family->ends;
}

static const ik_value *effects_value_of(const variant *v, const char *name)
{
    size_t i = 0;
    while (strcmp(v->params.decl[i].name, name) != 0)
        i++;
    return &v->params.values[i];
}

static ik_status effects_check_until(const variant *traffic, const variant *measure, ik_error *err)
{
    const ik_value *until = effects_value_of(measure, "until");
    const ytree *at = effects_ends(traffic) ? measure->place : traffic->place;
    if (effects_ends(traffic) && until->u == 0) {
        at = at->line ? at : traffic->place;
        ik_fail_at(err, IK_ERR_INPUT, at->file, at->line, at->column,
                   "traffic '%.60s' ends, and is measured until it is delivered", traffic->label);
        return ik_hint(err, IK_ERR_INPUT, "measure: {until: delivered, at_most: 10 ms}");
    }
    if (!effects_ends(traffic) && until->u != 0) {
        ik_fail_at(err, IK_ERR_INPUT, until->source, until->line, until->column,
                   "section 'measure', parameter 'until': traffic '%.60s' never ends",
                   traffic->label);
        return ik_hint(err, IK_ERR_INPUT,
                       "endless traffic has warmup and duration; traffic 'exchange' sends the "
                       "messages of a pattern once");
    }
    if (!effects_ends(traffic) || effects_value_of(measure, "at_most")->has)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, until->source, until->line, until->column,
               "section 'measure': until = delivered needs at_most");
    return ik_hint(err, IK_ERR_INPUT,
                   "a time after which what is not delivered is missing: at_most: 10 ms");
}

static ik_status effects_check_load(const variant *load, const variant *traffic, ik_error *err)
{
    if (!effects_ends(traffic) || load->place->line == 0)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, load->place->file, load->place->line, load->place->column,
               "'load' (%.60s) has no effect with traffic '%.60s', which ends", load->label,
               traffic->label);
    return ik_hint(err, IK_ERR_INPUT, "leave it out: all hosts send as fast as they can");
}

static ik_status effects_check_reference(const variant *reference, const variant *traffic,
                                         ik_error *err)
{
    const ytree *at = reference->place;
    if (effects_ends(traffic) || at->line == 0)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, at->file, at->line, at->column,
               "'reference' has no effect with traffic '%.60s', which never ends", traffic->label);
    return ik_hint(err, IK_ERR_INPUT,
                   "only finite workloads have a slowdown: leave it out, or run them in a separate "
                   "experiment");
}

/* Whether the workload itself says how messages take turns. */
static bool effects_says_visits(const variant *traffic)
{
    for (size_t i = 0; i < traffic->params.num; i++)
        if (strcmp(traffic->params.decl[i].name, "visits") == 0)
            return traffic->params.values[i].has;
    return false;
}

static ik_status effects_check_messages(const variant *adapter, const variant *traffic,
                                        ik_error *err)
{
    static const char *const idle[] = {"message",   "message_sizes", "message_histogram",
                                       "injection", "interleave",    "active"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle && effects_ends(traffic); i++) {
        const ik_value *v = effects_value_of(adapter, idle[i]);
        bool of_jobs = i == 3 && strcmp(traffic->name, "jobs") == 0; /* one may be endless */
        if (!v->given || (i >= 4 && !effects_says_visits(traffic)) || of_jobs)
            continue;
        ik_fail_at(err, IK_ERR_INPUT, v->source, v->line, v->column,
                   "section 'adapter', parameter '%s': it has no effect with traffic '%.60s', "
                   "which ends",
                   idle[i], traffic->label);
        return ik_hint(err, IK_ERR_INPUT,
                       i < 4 ? "the workload says how large its messages are and when they are made"
                             : "visits of traffic '%s' says how messages take turns",
                       traffic->name);
    }
    if (effects_ends(traffic))
        return IK_OK;
    ik_error why = {0};
    if (ik_sim_check_turns(&adapter->params, &why) == IK_OK)
        return IK_OK;
    place_in_variant(adapter, SECTION_ADAPTER, &why);
    if (err)
        *err = why;
    return IK_ERR_INPUT;
}

static ik_status effects_check_model(const variant *sw, const variant *traffic, ik_error *err)
{
    const ik_value *model = effects_value_of(sw, "model");
    if (!effects_ends(traffic) || strcmp(model->text, "pipelined") != 0)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, model->source, model->line, model->column,
               "section 'switch': model = pipelined does not simulate traffic '%.60s', which ends",
               traffic->label);
    return ik_hint(err, IK_ERR_INPUT, "models iq, ioq and ideal do");
}

/* ---- schedules */

static ik_status effects_place_value(const ik_value *v, ik_error *err)
{
    ik_error_at(err, v->source, v->line, v->column);
    return IK_ERR_INPUT;
}

static ik_status check_entry_load(const variant *load, const variant *traffic, ik_error *err)
{
    const ik_value *v = schedule_value(traffic);
    bool written = load->place->line != 0, used = v && !schedule_has_own_loads(traffic);
    if (!v || written == used)
        return IK_OK;
    if (written) {
        ik_fail_at(err, IK_ERR_INPUT, load->place->file, load->place->line, load->place->column,
                   "'load' (%.60s) has no effect: every entry of the schedule has its own",
                   load->label);
        return ik_hint(err, IK_ERR_INPUT, "leave it out, or leave 'load' of an entry out");
    }
    ik_fail(err, IK_ERR_INPUT, "an entry of the schedule has no 'load', nor has the experiment");
    ik_hint(err, IK_ERR_INPUT,
            "load: 50%% in every entry, or for those without it one in the "
            "experiment");
    return effects_place_value(v, err);
}

static ik_status effects_note_own_load(void *ctx, const schedule_entry *entry, ik_error *err)
{
    bool *own = ctx;
    (void)err;
    *own |= entry->has_load;
    return IK_OK;
}

/* What a search varies is the load of all traffic. */
static ik_status effects_check_search(const variant *load, const variant *traffic, ik_error *err)
{
    bool own = false;
    ik_status status =
        load_search(load) ? schedule_each(traffic, effects_note_own_load, &own, err) : IK_OK;
    if (status != IK_OK || !own)
        return status;
    ik_fail_at(err, IK_ERR_INPUT, load->place->file, load->place->line, load->place->column,
               "'load' is searched for, and an entry of the schedule has its own load");
    return ik_hint(err, IK_ERR_INPUT,
                   "leave 'load' of the entries out, or give 'load' beside them a value");
}

typedef struct late {
    uint64_t end_ps;
    bool found;
} late;

static ik_status effects_note_late(void *ctx, const schedule_entry *entry, ik_error *err)
{
    late *l = ctx;
    (void)err;
    l->found |= entry->start_ps >= l->end_ps;
    return IK_OK;
}

static ik_status check_entry_times(const variant *traffic, const variant *measure, ik_error *err)
{
    late l = {effects_value_of(measure, "warmup")->u + effects_value_of(measure, "duration")->u,
              false};
    ik_status status = schedule_each(traffic, effects_note_late, &l, err);
    if (status != IK_OK || !l.found)
        return status;
    ik_fail(err, IK_ERR_INPUT,
            "the last entry of the schedule begins when the run is over: warmup and duration are "
            "%.6g us together",
            (double)l.end_ps / 1e6);
    ik_hint(err, IK_ERR_INPUT, "measure: {duration: …}, or earlier entries");
    return effects_place_value(schedule_value(traffic), err);
}

static ik_status check_entry_bursts(void *ctx, const schedule_entry *entry, ik_error *err)
{
    const variant *adapter = ctx;
    return entry->has_load ? ik_sim_check_sources(&adapter->params, entry->load, err) : IK_OK;
}

static ik_status effects_check_entries(const variant *adapter, const variant *traffic,
                                       ik_error *err)
{
    const ik_value *most = effects_value_of(adapter, "max_outstanding");
    if (schedule_value(traffic) && most->has) {
        ik_fail_at(
            err, IK_ERR_INPUT, most->source, most->line, most->column,
            "section 'adapter': max_outstanding cannot be used with a schedule: when requests "
            "are made depends on replies, and a schedule says it by time");
        return ik_hint(err, IK_ERR_INPUT, "leave it out, or one pattern for all of the run");
    }
    ik_error why = {0};
    if (schedule_each(traffic, check_entry_bursts, (void *)adapter, &why) == IK_OK)
        return IK_OK;
    place_in_variant(adapter, SECTION_ADAPTER, &why);
    if (err)
        *err = why;
    return IK_ERR_INPUT;
}

/* ---- windows that are found */

static bool effects_finds_window(const variant *measure)
{
    return effects_value_of(measure, "until")->u == 0 &&
           (effects_value_of(measure, "warmup")->word ||
            !effects_value_of(measure, "duration")->has);
}

/* What `of` names is there only with a setting of the adapter. */
static ik_status effects_check_stop_of(const variant *measure, const variant *adapter,
                                       ik_error *err)
{
    const ik_value *of = effects_value_of(measure, "stop_of");
    bool arrival = strncmp(of->text, "arrival", 7) == 0,
         reply = strncmp(of->text, "r", 1) == 0; /* round trips, requests, replies */
    if (!of->given || (arrival ? effects_value_of(adapter, "in_order")->u
                               : !reply || effects_value_of(adapter, "reply")->has))
        return IK_OK;
    ik_fail(err, IK_ERR_INPUT, "section 'measure', parameter 'stop_of': there is no %s without %s",
            of->text, arrival ? "in_order" : "reply");
    ik_hint(err, IK_ERR_INPUT, "adapter: {%s}, or of: latency_mean_ns",
            arrival ? "in_order: true" : "reply: 4 KiB");
    return effects_place_value(of, err);
}

static ik_status effects_check_stop(const variant *measure, const variant *same, ik_error *err)
{
    const ik_value *most = effects_value_of(measure, "stop_at_most"),
                   *warmup = effects_value_of(measure, "warmup");
    (void)same;
    if (!most->has || warmup->word || warmup->u < most->u)
        return IK_OK;
    ik_fail(err, IK_ERR_INPUT,
            "section 'measure', parameter 'stop_at_most': %s is not longer than the warm-up, %s",
            most->text, warmup->text);
    ik_hint(err, IK_ERR_INPUT, "at_most counts from the start of the run, warm-up included");
    return effects_place_value(most, err);
}

/* Traffic that changes by itself is never steady. */
static ik_status effects_check_steady(const variant *traffic, const variant *measure, ik_error *err)
{
    const ik_value *ci = effects_value_of(measure, "stop_ci"),
                   *warmup = effects_value_of(measure, "warmup");
    if (!effects_finds_window(measure) || !schedule_value(traffic))
        return IK_OK;
    ik_fail(err, IK_ERR_INPUT,
            "section 'measure', parameter '%s': traffic of a schedule has no steady state to wait "
            "for",
            ci->has ? "stop_ci" : "warmup");
    ik_hint(err, IK_ERR_INPUT, "measure: {warmup: 0 ns, duration: …}");
    return effects_place_value(ci->has ? ci : warmup, err);
}

/* ---- sources */

static ik_status effects_check_sources(const variant *adapter, const variant *load, ik_error *err)
{
    ik_error why = {0};
    if (ik_sim_check_sources(&adapter->params, load_most(load), &why) == IK_OK)
        return IK_OK;
    place_in_variant(adapter, SECTION_ADAPTER, &why);
    if (err)
        *err = why;
    return IK_ERR_INPUT;
}

static ik_status effects_check_watch(const variant *watch, const variant *same, ik_error *err)
{
    bool asked = true;
    (void)same;
    ik_status status = ik_watch_check(&watch->params, &asked, err);
    if (status != IK_OK || asked || watch->place->line == 0)
        return status;
    const ytree *at = watch->place;
    ik_fail_at(err, IK_ERR_INPUT, at->file, at->line, at->column,
               "section 'watch' watches no packet");
    return ik_hint(err, IK_ERR_INPUT,
                   "packets: [5:0] names them, first: 3 or slowest: 3 says how many; without the "
                   "section none is watched");
}

static const rule rules[] = {
    {SECTION_SWITCH, SECTION_SWITCH, effects_check_own},
    {SECTION_ADAPTER, SECTION_SWITCH, check_with_switch},
    {SECTION_MEASURE, SECTION_MEASURE, effects_check_own},
    {SECTION_MEASURE, SECTION_MEASURE, effects_check_stop},
    {SECTION_MEASURE, SECTION_ADAPTER, effects_check_stop_of},
    {SECTION_TRAFFIC, SECTION_MEASURE, effects_check_steady},
    {SECTION_WATCH, SECTION_WATCH, effects_check_watch},
    {SECTION_SWITCH, SECTION_ROUTING, effects_check_choice},
    {SECTION_LOAD, SECTION_TRAFFIC, effects_check_load},
    {SECTION_TRAFFIC, SECTION_MEASURE, effects_check_until},
    {SECTION_REFERENCE, SECTION_TRAFFIC, effects_check_reference},
    {SECTION_ADAPTER, SECTION_TRAFFIC, effects_check_messages},
    {SECTION_SWITCH, SECTION_TRAFFIC, effects_check_model},
    {SECTION_LOAD, SECTION_TRAFFIC, check_entry_load},
    {SECTION_LOAD, SECTION_TRAFFIC, effects_check_search},
    {SECTION_TRAFFIC, SECTION_MEASURE, check_entry_times},
    {SECTION_ADAPTER, SECTION_TRAFFIC, effects_check_entries},
    {SECTION_ADAPTER, SECTION_LOAD, effects_check_sources},
};

/* Whether any traffic of a design is made at the loads of its points. */
static bool effects_takes_loads(const ik_experiment *e, size_t design)
{
    const variants *list = experiment_list(e, design, SECTION_TRAFFIC);
    for (size_t i = 0; i < list->num; i++)
        if (!effects_ends(&list->items[i]) && !schedule_has_own_loads(&list->items[i]))
            return true;
    return false;
}

/* ---- the points that a refusal is about */

static bool effects_is_refused(const ik_experiment *e, const rule *r, uint64_t number,
                               const char *text)
{
    point p = experiment_point(e, number);
    ik_error why;
    return r->check(experiment_variant(e, &p, r->first), experiment_variant(e, &p, r->second),
                    &why) != IK_OK &&
           strcmp(why.text, text) == 0;
}

/* " (points 1 to 4, 9 of 12)"; a long list ends with "…". */
static void effects_list_points(const ik_experiment *e, const rule *r, const char *text, char *out,
                                size_t room)
{
    size_t used = (size_t)snprintf(out, room, " (");
    unsigned ranges = 0;
    for (uint64_t n = 0; n < e->num_points; n++) {
        if (!effects_is_refused(e, r, n, text))
            continue;
        uint64_t last = n;
        while (last + 1 < e->num_points && effects_is_refused(e, r, last + 1, text))
            last++;
        if (ranges == 4) {
            used += (size_t)snprintf(out + used, room - used, ", …");
            break;
        }
        const char *before = ranges ? ", " : n == last ? "point " : "points ";
        used += (size_t)snprintf(out + used, room - used, "%s%" PRIu64, before, n + 1);
        if (last > n)
            used += (size_t)snprintf(out + used, room - used, " to %" PRIu64, last + 1);
        ranges++;
        n = last;
    }
    snprintf(out + used, room - used, " of %" PRIu64 ")", e->num_points);
}

static ik_status effects_name_points(const ik_experiment *e, const rule *r, ik_status status,
                                     ik_error *err)
{
    if (!err || e->num_points == 1)
        return status;
    char points[200];
    effects_list_points(e, r, err->text, points, sizeof points);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "%s", points);
    return status;
}

/* Refuses what a rule says of the variants of a design. */
static ik_status effects_check_design(const ik_experiment *e, size_t design, const rule *r,
                                      ik_error *err)
{
    const variants *first = experiment_list(e, design, r->first),
                   *second = experiment_list(e, design, r->second);
    for (size_t i = 0; i < first->num; i++)
        for (size_t j = 0; j < second->num; j++) {
            if (r->first == r->second && i != j)
                continue;
            ik_status status = r->check(&first->items[i], &second->items[j], err);
            if (status != IK_OK)
                return effects_name_points(e, r, status, err);
        }
    return IK_OK;
}

/* Whether a routing leaves a choice to the selection functions of this list. */
static bool effects_any_choice(const ik_experiment *e, const variants *selections)
{
    for (size_t d = 0; d < e->num_designs; d++) {
        const variants *routings = experiment_list(e, d, SECTION_ROUTING);
        if (experiment_list(e, d, SECTION_SELECTION) != selections)
            continue;
        for (size_t i = 0; i < routings->num; i++)
            if (!routing_leaves_no_choice(&routings->items[i]))
                return true;
    }
    return false;
}

/* A selection multiplies the routings that leave it a choice: one of its design does. */
static ik_status check_selections(const ik_experiment *e, size_t design, ik_error *err)
{
    const variants *list = experiment_list(e, design, SECTION_SELECTION),
                   *routings = experiment_list(e, design, SECTION_ROUTING);
    size_t i = 0;
    while (i < list->num && list->items[i].is_auto)
        i++;
    if (i == list->num || effects_any_choice(e, list))
        return IK_OK;
    ik_status status = ytree_fail(
        list->items[i].place, err,
        "selection '%.60s': it has no effect with routing '%.60s', which leaves no choice%s",
        list->items[i].label, routings->items[0].label,
        routings->num > 1 ? ", nor with another" : "");
    return ik_hint(err, status, "leave the selection out, or add a routing that adapts");
}

ik_status effects_check(const ik_experiment *e, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t d = 0; d < e->num_designs && status == IK_OK; d++)
        status = check_selections(e, d, err);
    if (!experiment_simulates(e)) /* the others are about simulations */
        return status;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        for (size_t d = 0; d < e->num_designs && status == IK_OK; d++)
            if (rules[k].check != effects_check_sources || effects_takes_loads(e, d))
                status = effects_check_design(e, d, &rules[k], err);
    return status;
}
