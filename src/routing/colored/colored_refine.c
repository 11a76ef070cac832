/* SPDX-License-Identifier: Apache-2.0
 *
 * colored_refine.c: a walk from table to table that never gets worse.
 *
 * What makes a table as bad as it is are the channels of the flows that are last to end, or
 * those of the largest contention. A flow on such a channel is drawn and takes another ascent,
 * or exchanges ascents with a flow of the same source or destination switch, which keeps that
 * switch's channels as full as they are. The new table stays if it is not worse by what the walk
 * looks at: the time, how much later than necessary flows are done, and contention. That sum
 * gives a direction where the time alone is the same in all neighbouring tables. Deterministic:
 * draws have the address (seed, phase, step). */
#include "routing/colored/colored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct refinement {
    colored_judge *j;
    const colored_search_plan *plan;
    colored_cost now, best;
    /* of the table now: sum over the flows of the squared time beyond the target */
    double late;
    uint32_t *kept;     /* [n] ascents of the best table */
    uint32_t *critical; /* [num] movable flows on the channels that matter */
    uint32_t num_critical;
    bool *matters; /* [ports] */
    ik_rng rng;
    double improved_at; /* work done when the table last became better */
} refinement;

static bool colored_refine_on_time(const refinement *r)
{
    return r->now.time <= r->j->target * (1 + 1e-9);
}

static double colored_refine_lateness(const colored_judge *j)
{
    double sum = 0;
    for (uint32_t i = 0; i < j->n_all; i++) {
        double late = j->done[i] - j->target;
        sum += late > 0 ? late * late : 0;
    }
    return sum;
}

/* The channels between switches that the search should relieve: of the last flows, or of the
 * largest contention. */
static void colored_refine_mark_channels(refinement *r)
{
    const colored_judge *j = r->j;
    bool time_first =
        r->plan->walk == COLORED_TIME ? !colored_refine_on_time(r) : r->now.worst <= j->least;
    uint32_t ports = j->f->port_base[j->f->num_switches];
    for (uint32_t c = 0; c < ports; c++)
        r->matters[c] = !time_first && j->contention[c].contention &&
                        j->contention[c].contention == r->now.worst;
    for (uint32_t i = 0; time_first && i < j->n; i++)
        for (size_t k = j->base[i] + 1;
             j->done[i] >= r->now.time * (1 - 1e-9) && k + 1 < j->base[i + 1]; k++)
            r->matters[j->channel[k]] = true;
}

static void colored_refine_find_critical(refinement *r)
{
    const colored_judge *j = r->j;
    colored_refine_mark_channels(r);
    r->num_critical = 0;
    for (uint32_t m = 0; m < r->plan->num; m++) {
        uint32_t i = r->plan->movable[m];
        bool on = false;
        for (size_t k = j->base[i] + 1; k + 1 < j->base[i + 1]; k++)
            on = on || r->matters[j->channel[k]];
        if (on)
            r->critical[r->num_critical++] = i;
    }
}

static bool colored_refine_same_leaf(const colored_judge *j, uint32_t a, uint32_t b)
{
    const ik_fabric *f = j->f;
    return ik_host_switch(f, j->flows[a].src) == ik_host_switch(f, j->flows[b].src) ||
           ik_host_switch(f, j->flows[a].dst) == ik_host_switch(f, j->flows[b].dst);
}

/* Draws a partner for an exchange; IK_NONE if some tries find none. */
static uint32_t colored_refine_draw_partner(refinement *r, uint32_t i)
{
    const colored_flow *flows = r->j->flows;
    for (unsigned tries = 0; tries < 32; tries++) {
        uint32_t k = r->plan->movable[ik_rng_below(&r->rng, r->plan->num)];
        if (flows[k].via != flows[i].via && flows[k].level == flows[i].level &&
            colored_refine_same_leaf(r->j, i, k))
            return k;
    }
    return IK_NONE;
}

static int compare_contention(const colored_cost *a, const colored_cost *b)
{
    if (a->worst != b->worst)
        return a->worst < b->worst ? -1 : 1;
    if (a->channels != b->channels)
        return a->channels < b->channels ? -1 : 1;
    return a->squares < b->squares ? -1 : a->squares > b->squares;
}

/* Is the changed table no worse than the one before, by what the walk looks at? */
static ik_status colored_refine_judge_change(refinement *r, colored_cost *cost, double *late,
                                             bool *stays, ik_error *err)
{
    *stays = false;
    ik_status status = colored_judge_contention(r->j, cost, err);
    int contention = status == IK_OK ? compare_contention(cost, &r->now) : 1;
    /* nothing can make up for that */
    if (contention > 0 && (r->plan->walk == COLORED_CONTENTION || colored_refine_on_time(r)))
        return status;
    status = colored_judge_time(r->j, cost, err);
    if (status != IK_OK)
        return status;
    *late = colored_refine_lateness(r->j);
    int time = colored_compare_time(cost, &r->now);
    if (!time && fabs(*late - r->late) > 1e-9 * (*late + r->late))
        time = *late < r->late ? -1 : 1;
    int first = r->plan->walk == COLORED_TIME ? time : contention,
        second = r->plan->walk == COLORED_TIME ? contention : time;
    *stays = first ? first < 0 : second <= 0;
    if (first < 0 || (!first && second < 0))
        r->improved_at = r->j->steps;
    return IK_OK;
}

static void colored_refine_keep_best(refinement *r)
{
    if (colored_compare(&r->now, &r->best, r->plan->objective) > 0)
        return;
    r->best = r->now;
    for (uint32_t i = 0; i < r->j->n; i++)
        r->kept[i] = r->j->flows[i].via;
}

/* One changed table: stays, or is undone. */
static ik_status colored_refine_take_step(refinement *r, ik_error *err)
{
    colored_flow *flows = r->j->flows;
    uint32_t i = r->critical[ik_rng_below(&r->rng, r->num_critical)], k = IK_NONE,
             mine = flows[i].via, other = 0;
    uint32_t ways = r->j->tree->level[flows[i].level].ascents.by;
    if (ik_rng_below(&r->rng, 2))
        k = colored_refine_draw_partner(r, i);
    if (k == IK_NONE && ways < 2)
        return IK_OK;
    if (k != IK_NONE) {
        other = flows[k].via;
        flows[i].via = other;
        flows[k].via = mine;
    } else {
        uint32_t draw = ik_rng_below(&r->rng, ways - 1);
        flows[i].via = draw + (draw >= mine);
    }
    colored_cost cost = {0};
    double late = 0;
    bool stays;
    ik_status status = colored_refine_judge_change(r, &cost, &late, &stays, err);
    if (status == IK_OK && stays) {
        r->now = cost;
        r->late = late;
        colored_refine_find_critical(r);
        colored_refine_keep_best(r);
        return IK_OK;
    }
    flows[i].via = mine;
    if (k != IK_NONE)
        flows[k].via = other;
    return status;
}

static ik_status colored_refine_search(refinement *r, const ik_env *env, ik_error *err)
{
    double steps = r->plan->steps;
    double start = r->j->steps, end = start + steps;
    ik_status status = colored_judge_cost(r->j, &r->now, err);
    if (status != IK_OK || isnan(r->now.time)) /* too large to be judged again and again */
        return status;
    r->late = colored_refine_lateness(r->j);
    r->best = r->now;
    colored_refine_keep_best(r);
    colored_refine_find_critical(r);
    r->improved_at = start;
    for (uint32_t round = 0;
         status == IK_OK && r->num_critical && !colored_judge_settled(r->j, &r->now); round++) {
        if (r->j->steps > end || r->j->steps > r->improved_at + steps / 4)
            break;
        if (ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        if (env && env->progress && round % 64 == 0)
            env->progress(env->progress_ctx, "improving routes for a pattern",
                          (uint64_t)(r->j->steps - start), (uint64_t)steps, "steps");
        r->j->steps++; /* a step that changes nothing is not free */
        status = colored_refine_take_step(r, err);
    }
    for (uint32_t i = 0; i < r->j->n; i++)
        r->j->flows[i].via = r->kept[i];
    return status;
}

ik_status colored_refine(colored_judge *j, const colored_search_plan *plan, const ik_env *env,
                         colored_cost *cost, ik_error *err)
{
    refinement r = {.j = j, .plan = plan, .rng = ik_rng_at(plan->seed, IK_RNG_ROUTE_SETUP, j->n)};
    r.kept = ik_calloc((size_t)j->n + 1, sizeof *r.kept);
    r.critical = ik_calloc((size_t)plan->num + 1, sizeof *r.critical);
    r.matters = ik_calloc(j->f->num_ports, sizeof *r.matters);
    ik_status status = IK_OK;
    if (!r.kept || !r.critical || !r.matters)
        status = ik_fail_memory(err, (size_t)j->n * 8 + j->f->num_ports, "the search for routes");
    else
        status = colored_refine_search(&r, env, err);
    if (status == IK_OK && !isnan(r.now.time))
        *cost = r.best;
    free(r.kept);
    free(r.critical);
    free(r.matters);
    return status;
}
