/* SPDX-License-Identifier: Apache-2.0
 *
 * report/model_costs.c: what a link below the common rate costs.
 *
 * Two views. In any experiment: at which load the slow link is full while the sound channels of its
 * tier are not. If the experiment also ran the same file repaired: the throughput that the fault
 * takes away, as far as loads beyond saturation were tried with both.
 */
#include "ikat/analysis.h"
#include "report/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double full = 0.95;

/* Mean utilisation of the channels of the same tier that run at the common rate. */
static double model_costs_siblings_use(const report_fabric *f, const slow_link *slow,
                                       uint32_t channel, const report_step *s)
{
    double sum = 0;
    uint32_t num = 0;
    for (uint32_t c = 0; c < f->num_channels; c++)
        if (f->rate_bps[c] >= slow->common_rate_bps &&
            f->channel_tier[c] == f->channel_tier[channel]) {
            sum += s->use[c];
            num++;
        }
    return num ? sum / num : NAN;
}

static uint32_t busier_direction(const slow_link *slow, const report_step *s)
{
    return s->use[slow->opposite] > s->use[slow->channel] ? slow->opposite : slow->channel;
}

/* The same curve on the same imported file without slow links. */
static const report_curve *model_costs_repaired_curve(const report_model *m, const report_curve *c)
{
    const report_fabric *f = &m->fabrics[c->fabric];
    for (size_t i = 0; i < m->num_curves; i++) {
        const report_curve *o = &m->curves[i];
        const report_fabric *g = &m->fabrics[o->fabric];
        if (g != f && f->digest[0] && g->num_slow == 0 && strcmp(g->digest, f->digest) == 0 &&
            strcmp(o->traffic, c->traffic) == 0 && strcmp(o->variant, c->variant) == 0 &&
            strcmp(m->plans[o->plan].label, m->plans[c->plan].label) == 0)
            return o;
    }
    return NULL;
}

/* The highest load of which it is known how much is accepted; NULL: there is none. */
static const report_step *model_costs_last(const report_curve *c)
{
    const report_step *last = NULL;
    for (size_t i = 0; i < c->num_steps; i++)
        if (c->steps[i].num_counted)
            last = &c->steps[i];
    return last;
}

/* Whether it is known how much a curve accepts at most: the highest load is all that hosts can
 * send, or is beyond saturation and has no more accepted than one that is a tenth lower and where
 * saturation was found, or beyond it. (Where a few hosts saturate first, the others go on.) */
static bool model_costs_is_most(const report_curve *c)
{
    static const double apart = 1.1, same = 1.02;
    const report_step *last = model_costs_last(c);
    if (!last || last->load >= 1)
        return last != NULL;
    for (size_t i = 0; i < c->num_steps && last->accepts == METRIC_REFUSED; i++) {
        const report_step *step = &c->steps[i];
        if (step->num_counted && (step->accepts == METRIC_REFUSED || step->searched) &&
            apart * step->load <= last->load &&
            last->counted_throughput <= same * step->counted_throughput)
            return true;
    }
    return false;
}

/* A search found the highest load that is accepted, and no higher one was tried. */
static bool model_costs_is_searched(const report_curve *c)
{
    const report_step *last = model_costs_last(c);
    return last && last->searched && last->accepts != METRIC_REFUSED;
}

static void model_costs_find_loss(slow_cost *cost, double peak)
{
    double loss = cost->repaired > 0 ? 1 - peak / cost->repaired : 0;
    bool none = loss < 0.005;
    bool told = !cost->repaired_least || (!cost->least && !none);
    cost->loss = !told || isnan(cost->repaired) || isnan(peak) ? NAN : fmax(loss, 0);
    cost->loss_bound = isnan(cost->loss) || none ? ""
                       : cost->repaired_least    ? "at least"
                       : cost->least             ? "at most"
                                                 : "";
}

/* "at most 10.7 %", "at least 5 %" */
static const char *model_costs_put_peak(const report_curve *c, char *text, size_t size)
{
    bool most = model_costs_is_most(c), searched = !most && model_costs_is_searched(c);
    double peak = 100 * c->peak_throughput;
    snprintf(text, size, "%s %.1f %%",
             most       ? "at most"
             : searched ? "loads up to"
                        : "at least",
             searched ? peak : ik_round_bound(peak, 1, most));
    return text;
}

/* "at most 4 %", "at least 0.7 %", "4 %" */
static const char *model_costs_put_loss(const slow_cost *cost, char *text, size_t size)
{
    double percent = 100 * cost->loss;
    int digits = percent < 1;
    if (cost->loss_bound[0])
        percent = ik_round_bound(percent, digits, cost->least);
    snprintf(text, size, "%s%s%.*f %%", cost->loss_bound, cost->loss_bound[0] ? " " : "", digits,
             percent);
    return text;
}

/* What would tell it: of the curves of which it is not known how much they accept at most. */
static void model_costs_put_remedy(const slow_cost *cost, const report_curve *c,
                                   const report_curve *repaired, char *text, size_t size)
{
    const report_curve *asked[] = {cost->least ? c : NULL, cost->repaired_least ? repaired : NULL};
    double tried = 0;
    bool untold = false;
    for (size_t i = 0; i < 2; i++) {
        if (!asked[i])
            continue;
        const report_step *highest = &asked[i]->steps[asked[i]->num_steps - 1];
        tried = fmax(tried, highest->load);
        untold |= highest->num_counted == 0;
    }
    if (tried >= 1)
        snprintf(text, size, "longer runs would tell");
    else
        snprintf(text, size, "%shigher loads than %.4g %% would tell",
                 untold ? "longer runs or " : "", 100 * tried);
}

static void model_costs_write_loss(const slow_cost *cost, const report_curve *c,
                                   const report_curve *repaired, char *text, size_t size)
{
    char own[60], other[60], remedy[80], loss[60];
    model_costs_put_peak(c, own, sizeof own);
    if (!repaired) {
        snprintf(text, size, "; the fabric accepts %s.", own);
        return;
    }
    model_costs_put_peak(repaired, other, sizeof other);
    model_costs_put_remedy(cost, c, repaired, remedy, sizeof remedy);
    if (isnan(cost->loss))
        snprintf(text, size,
                 "; the fabric accepts %s, repaired %s: what the link costs cannot be told; %s.",
                 own, other, remedy);
    else if (cost->loss < 0.005)
        snprintf(text, size,
                 "; the fabric accepts %s, repaired %s: the link costs no throughput here.", own,
                 other);
    else
        snprintf(text, size,
                 "; the fabric accepts %s, repaired it would accept %s: the link costs %s of the "
                 "throughput.",
                 own, other, model_costs_put_loss(cost, loss, sizeof loss));
}

static void model_costs_write_sentence(const report_model *m, slow_cost *cost,
                                       const report_curve *repaired)
{
    const report_curve *c = &m->curves[cost->curve];
    char *text = cost->text;
    size_t size = sizeof cost->text, used;
    const char *routing = m->plans[c->plan].label;
    if (isnan(c->peak_throughput) || (cost->compared && isnan(cost->repaired))) {
        snprintf(text, size,
                 "With %.60s under %.60s what the slow link costs cannot be told: %s has no steady "
                 "point.",
                 routing, c->traffic, isnan(c->peak_throughput) ? "it" : "the repaired fabric");
        return;
    }
    if (isnan(cost->full_load))
        used = (size_t)snprintf(text, size,
                                "With %.60s under %.60s the slow link is full at none of the loads "
                                "that were tried: it is %.0f %% busy at load %.4g %%",
                                routing, c->traffic, 100 * cost->use, 100 * cost->at_load);
    else
        used = (size_t)snprintf(text, size,
                                "With %.60s under %.60s the slow link is full at load %.4g %%, the "
                                "lowest that was tried at which it is, where its healthy parallel "
                                "links are %.0f %% busy",
                                routing, c->traffic, 100 * cost->full_load, 100 * cost->siblings);
    if (used < size)
        model_costs_write_loss(cost, c, repaired, text + used, size - used);
}

static void model_costs_fill_cost(const report_model *m, slow_cost *cost)
{
    const report_curve *c = &m->curves[cost->curve];
    const report_fabric *f = &m->fabrics[cost->fabric];
    const slow_link *slow = &f->slow[cost->link];
    cost->full_load = cost->repaired = NAN;
    for (size_t i = 0; i < c->num_steps && isnan(cost->full_load); i++) {
        const report_step *s = &c->steps[i];
        if (!s->num_counted && s->accepts != METRIC_REFUSED)
            continue;
        uint32_t channel = busier_direction(slow, s);
        cost->use = s->use[channel];
        cost->siblings = model_costs_siblings_use(f, slow, channel, s);
        cost->at_load = s->load;
        if (cost->use >= full)
            cost->full_load = s->load;
    }
    const report_curve *repaired = model_costs_repaired_curve(m, c);
    cost->compared = repaired != NULL;
    if (repaired)
        cost->repaired = repaired->peak_throughput;
    cost->least = !model_costs_is_most(c);
    cost->repaired_least = repaired && !model_costs_is_most(repaired);
    model_costs_find_loss(cost, c->peak_throughput);
    model_costs_write_sentence(m, cost, repaired);
}

ik_status model_find_costs(report_model *m, ik_error *err)
{
    for (size_t i = 0; i < m->num_curves; i++) {
        const report_fabric *f = &m->fabrics[m->curves[i].fabric];
        bool ends = m->curves[i].steps[0].load <= 0; /* a workload: it has no load to be full at */
        for (size_t k = 0; k < f->num_slow && !ends; k++) {
            slow_cost *costs = model_grow(m, m->costs, m->num_costs, sizeof *costs);
            if (!costs)
                return ik_fail_memory(err, sizeof *costs, "a report");
            m->costs = costs;
            costs[m->num_costs] = (slow_cost){.fabric = m->curves[i].fabric, .link = k, .curve = i};
            model_costs_fill_cost(m, &costs[m->num_costs++]);
        }
    }
    return IK_OK;
}
