/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/points.c: the plans and points that the sections of an experiment stand for: design by
 * design the product of its variants. A selection function multiplies only routings that leave it
 * a choice. Inside a plan, points are the product of the sections behind `selection`; of a plan
 * that is drawn there is one for each seed, and its points have that seed.
 */
#include "experiment/experiment_impl.h"
#include "experiment/figures/axes.h"
#include "experiment/schedules.h"
#include "experiment/yaml/sweep.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sections of plans come first. */
#define NUM_PLAN_SECTIONS SECTION_SWITCH

static const variant no_selection = {.name = "auto",
                                     .label = "auto",
                                     .full = "auto",
                                     .spec = "auto",
                                     .is_auto = true,
                                     .place = &(const ytree){.text = "auto"}};

bool routing_leaves_no_choice(const variant *routing)
{
    const ik_routing_family *family = ik_routing_find(routing->name);
    return family && family->kind != IK_ROUTE_ADAPTIVE;
}

const variant *experiment_variant(const ik_experiment *e, const point *p, section_id id)
{
    if (id == SECTION_SELECTION && p->index[id] == NO_SELECTION)
        return &no_selection;
    const variants *list = experiment_list(e, p->design, id);
    assert(p->index[id] < list->num);
    return &list->items[p->index[id]];
}

variants *experiment_next_list(ik_experiment *e, size_t *design, int *id)
{
    for (;;) {
        if (++*id == NUM_SECTIONS) {
            *id = 0;
            ++*design;
        }
        if (*design >= e->num_designs)
            return NULL;
        variants *own = &e->designs[*design].own[*id];
        if (own->num)
            return own;
        if (*design == 0 && e->sections[*id].num)
            return &e->sections[*id];
    }
}

bool plan_takes_traffic(const ik_experiment *e, const point *p)
{
    const variant *routing = experiment_variant(e, p, SECTION_ROUTING);
    const ik_routing_family *family = ik_routing_find(routing->name);
    const ik_traffic_family *traffic =
        ik_traffic_find(experiment_variant(e, p, SECTION_TRAFFIC)->name);
    return family && traffic && traffic->ends && (family->traits & IK_ROUTE_FOR_TRAFFIC) &&
           !ik_params_has(&routing->params, "traffic");
}

bool plan_is_per_seed(const ik_experiment *e, const point *p)
{
    if (e->sections[SECTION_SEEDS].num < 2)
        return false;
    return routing_draws(experiment_variant(e, p, SECTION_ROUTING)) ||
           (plan_takes_traffic(e, p) && traffic_draws(experiment_variant(e, p, SECTION_TRAFFIC)));
}

/* ---- counting */

/* Plans of a routing on one fabric with one VC scheme and number of VCs. */
static size_t points_num_selections(const ik_experiment *e, size_t design, const variant *routing)
{
    return routing_leaves_no_choice(routing) ? 1
                                             : experiment_list(e, design, SECTION_SELECTION)->num;
}

/* Combinations of the sections of plans; drawn plans are as many as the seeds if `drawn`. */
static double points_plans_of_design(const ik_experiment *e, size_t design, bool drawn)
{
    const variants *routings = experiment_list(e, design, SECTION_ROUTING);
    double ways = 0;
    for (size_t i = 0; i < routings->num; i++) {
        const point at = {.design = design, .index = {[SECTION_ROUTING] = i}};
        size_t times = drawn && plan_is_per_seed(e, &at) ? e->sections[SECTION_SEEDS].num : 1;
        ways += (double)times * (double)points_num_selections(e, design, &routings->items[i]);
    }
    return ways * (double)experiment_list(e, design, SECTION_FABRIC)->num *
           (double)experiment_list(e, design, SECTION_VC)->num *
           (double)experiment_list(e, design, SECTION_VCS)->num;
}

/* Of all its seeds. */
static double points_of_plan(const ik_experiment *e, size_t design)
{
    double product = 1;
    for (section_id id = NUM_PLAN_SECTIONS; id < NUM_SECTIONS; id++)
        product *= (double)experiment_list(e, design, id)->num;
    return product;
}

/* Which sections multiply to how many. */
static ik_status points_refuse_number(const ik_experiment *e, double number, ik_error *err)
{
    ik_status status =
        ik_fail_at(err, IK_ERR_INPUT, e->file, 1, 1,
                   "the sweep has %.0f points; at most %d are run", number, SWEEP_LIMIT);
    char sizes[256] = "";
    size_t used = 0;
    for (section_id id = 0; id < NUM_SECTIONS && used < sizeof sizes; id++) {
        size_t num = experiment_list(e, 0, id)->num;
        if (num > 1)
            used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%s %zu",
                                     used ? " x " : "", schema_section(id)->name, num);
    }
    if (e->num_designs > 1)
        return ik_hint(err, status, "designs %zu, the first %s", e->num_designs, sizes);
    return ik_hint(err, status, "%s", sizes);
}

/* ---- listing */

static void points_add_plan(ik_experiment *e, const point *at)
{
    size_t num_seeds = e->sections[SECTION_SEEDS].num;
    bool per_seed = plan_is_per_seed(e, at);
    uint64_t num = (uint64_t)points_of_plan(e, at->design) / (per_seed ? num_seeds : 1);
    for (size_t i = 0; i < (per_seed ? num_seeds : 1); i++) {
        plan_block *b = &e->plans[e->num_plans++];
        *b = (plan_block){*at, per_seed, e->num_points, num};
        b->at.index[SECTION_SEEDS] = i;
        e->num_points += num;
    }
}

/* The combination of plan sections behind *at, `selection` innermost; false after the last. */
static bool points_next_plan(const ik_experiment *e, point *at)
{
    for (section_id id = NUM_PLAN_SECTIONS; id-- > 0;) {
        const variants *list = experiment_list(e, at->design, id);
        bool single = id == SECTION_SELECTION && at->index[id] == NO_SELECTION;
        if (!single && ++at->index[id] < list->num)
            return true;
        at->index[id] = 0;
    }
    return false;
}

static void points_list_design(ik_experiment *e, size_t design)
{
    point at = {.design = design};
    do {
        if (routing_leaves_no_choice(experiment_variant(e, &at, SECTION_ROUTING)))
            at.index[SECTION_SELECTION] = NO_SELECTION;
        points_add_plan(e, &at);
    } while (points_next_plan(e, &at));
}

ik_status points_list(ik_experiment *e, ik_error *err)
{
    double points = 0, plans = 0;
    for (size_t d = 0; d < e->num_designs; d++) {
        plans += points_plans_of_design(e, d, true);
        points += points_plans_of_design(e, d, false) * points_of_plan(e, d);
    }
    if (points > SWEEP_LIMIT)
        return points_refuse_number(e, points, err);
    e->plans = ik_calloc((size_t)plans, sizeof *e->plans);
    if (!e->plans)
        return ik_fail_memory(err, (size_t)plans * sizeof *e->plans, "an experiment");
    for (size_t d = 0; d < e->num_designs; d++)
        points_list_design(e, d);
    assert(e->num_plans == (size_t)plans && e->num_points == (uint64_t)points);
    return IK_OK;
}

/* ---- one point */

point experiment_point(const ik_experiment *e, uint64_t number)
{
    size_t low = 0, high = e->num_plans;
    assert(number < e->num_points);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (e->plans[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    point p = e->plans[low].at;
    number -= e->plans[low].first;
    for (section_id id = NUM_SECTIONS; id-- > NUM_PLAN_SECTIONS;) {
        size_t num = experiment_list(e, p.design, id)->num;
        if (id == SECTION_SEEDS && e->plans[low].per_seed)
            continue;
        p.index[id] = (size_t)(number % num);
        number /= num;
    }
    return p;
}

const ik_value *load_search(const variant *load)
{
    assert(load->params.num > 0);
    return load->params.decl[0].name == ik_load_search_params[0].name ? &load->params.values[1]
                                                                      : NULL;
}

double load_most(const variant *load)
{
    return load_search(load) ? 1 : load->params.values[0].r;
}

double experiment_load(const ik_experiment *e, const point *p)
{
    const variant *traffic = experiment_variant(e, p, SECTION_TRAFFIC);
    const ik_traffic_family *family = ik_traffic_find(traffic->name);
    return (family && family->ends) || schedule_has_own_loads(traffic)
               ? 0
               : load_most(experiment_variant(e, p, SECTION_LOAD));
}

uint64_t experiment_seed(const ik_experiment *e, const point *p)
{
    return experiment_variant(e, p, SECTION_SEEDS)->params.values[0].u;
}

uint64_t ik_experiment_num_points(const ik_experiment *e)
{
    return e->num_points;
}

/* ---- axes */

ik_status points_axes(const void *ctx, struct axes *a, ik_error *err)
{
    const ik_experiment *e = ctx;
    const char *keys[NUM_SECTIONS + 1] = {[NUM_SECTIONS] = "design"};
    bool designs = e->designs[0].name[0] != '\0';
    for (section_id id = 0; id < NUM_SECTIONS; id++)
        keys[id] = schema_section(id)->name;
    ik_status status = axes_begin(a, keys, NUM_SECTIONS + designs, e->num_points, err);
    for (uint64_t n = 0; n < e->num_points && status == IK_OK; n++) {
        point p = experiment_point(e, n);
        for (section_id id = 0; id < NUM_SECTIONS && status == IK_OK; id++)
            status = axes_put(a, n, id, experiment_variant(e, &p, id)->full, err);
        if (status == IK_OK && designs)
            status = axes_put(a, n, NUM_SECTIONS, e->designs[p.design].name, err);
    }
    return status;
}
