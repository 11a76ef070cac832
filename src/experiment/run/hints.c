/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/hints.c: runs that accept far less than their routing can carry, and what to try.
 *
 * Settings may collapse in silence: a selection function that fills one output while the others
 * idle, too few buffers for the length of the links, one queue per input. What the network could
 * carry is the saturation of the routing's static load, where adaptive routings divide each flow
 * evenly. A point is far below it if it accepts less than half of what is offered and of that
 * saturation. Above saturation, sources that are first in, first out accept at least the load at
 * which the first channel is full, and blocking at the head of input queues alone leaves more than
 * half (2 - sqrt 2: Karol, Hluchyj, Morgan: Input Versus Output Queueing on a Space-Division Packet
 * Switch, IEEE Transactions on Communications, 1987).
 *
 * More VCs, larger buffers and queues per output help links that wait for credits or for the head
 * of a queue. A link that is 95 % busy waits for neither, and nothing of this makes it carry more:
 * other hosts' packets stand behind those that wait for it. There only a selection function that
 * takes other outputs can help.
 */
#include "experiment/run/run.h"
#include "ikat/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double far_below = 0.5;
static const double full = 0.95;

/* Whether a run could be told at all: a measured stretch of endless traffic that goes on, and that
 * was not limited on purpose. */
static bool hints_may_be_judged(const ik_params *adapter, const ik_sim_result *r)
{
    return !r->finite && !r->deadlock && r->offered > 0 &&
           (r->steady.verdict == IK_STEADY_YES || r->steady.verdict == IK_STEADY_NO) &&
           !ik_sim_limits_adapters(&(ik_sim_config){.adapter_params = adapter});
}

/* What the routing can carry of the traffic, if the run accepts less than half of it; else NAN. */
static double hints_carried_by(const ik_plan *plan, const ik_traffic *traffic,
                               const ik_sim_result *r, const ik_env *env)
{
    ik_load load;
    double carried = NAN;
    /* where queues choose detours, an even division predicts nothing */
    if (r->throughput >= far_below * r->offered || ik_load_chooses_detours(plan->routing))
        return NAN;
    /* without memory for it, or for a traffic that has no load, there is nothing to say */
    if (ik_load_measure(plan->routing, traffic, env, &load, NULL) != IK_OK)
        return NAN;
    double possible = load.saturation < r->offered ? load.saturation : r->offered;
    if (load.undelivered == 0 && r->throughput < far_below * possible)
        carried = possible;
    ik_load_free(&load);
    return carried;
}

/* Of an adaptive plan: whether outputs are taken by what waits for them already. */
static bool hints_is_by_queues(const ik_plan *plan, const char *model)
{
    const char *function = plan->selection ? plan->selection->family->name : "";
    bool chosen = strcmp(function, "by_model") == 0 && /* select_by_model.c */
                  (strcmp(model, "ioq") == 0 || strcmp(model, "pipelined") == 0);
    return chosen || strcmp(function, "least_queued") == 0;
}

static bool hints_may_select(const ik_experiment *e, const point *p, const ik_plan *plan)
{
    const ik_params *sw = &experiment_variant(e, p, SECTION_SWITCH)->params;
    return plan->routing->kind == IK_ROUTE_ADAPTIVE &&
           !hints_is_by_queues(plan, ik_params_text(sw, "model"));
}

/* Where a link is full: what else would help but other outputs is not known. */
static void hints_put_full(const ik_experiment *e, const point *p, const ik_plan *plan, double mean,
                           double most, char *text, size_t size)
{
    snprintf(
        text, size,
        "the busiest link is %.3g %% full, links on average %.3g %%: what waits for full links "
        "holds back the rest%s",
        100 * most, 100 * mean,
        hints_may_select(e, p, plan) ? "; try selection: least_queued" : "");
}

/* What is known to help with such settings, the likeliest first, and is not set already. */
static void hints_put_remedies(const ik_experiment *e, const point *p, const ik_plan *plan,
                               char *text, size_t size)
{
    const ik_params *sw = &experiment_variant(e, p, SECTION_SWITCH)->params;
    const char *model = ik_params_text(sw, "model");
    bool selects = hints_may_select(e, p, plan);
    char buffer[40];
    ik_format_quantity(buffer, sizeof buffer, 2 * ik_params_uint(sw, "buffer"), IK_DIM_SIZE);
    snprintf(text, size, "try %s%slarger buffers (switch: {buffer: %s})%s",
             selects ? "selection: least_queued, " : "",
             plan->num_vcs < 4 ? "more VCs (vcs: 4), " : "", buffer,
             strcmp(model, "ioq") == 0 ? "" : ", model: ioq");
}

void hint_use_links(const ik_fabric *f, const ik_sim_result *r, double *mean, double *most)
{
    double seconds = (double)r->window_ps * 1e-12, sum = 0, top = 0;
    uint32_t num = 0;
    for (uint32_t p = 0; r->channel_bytes && seconds > 0 && p < f->num_ports; p++) {
        uint32_t to = ik_peer_node(f, p);
        uint64_t rate = ik_port_rate_bps(f, p);
        if (to == IK_NONE || !rate || !ik_is_switch(f, to) || !ik_is_switch(f, f->port_node[p]))
            continue;
        double use = 8.0 * (double)r->channel_bytes[p] / ((double)rate * seconds);
        sum += use;
        top = use > top ? use : top;
        num++;
    }
    *mean = num ? sum / num : NAN;
    *most = num ? top : NAN;
}

void hint_find(const runner *r, const point *p, const ik_fabric *f, const ik_plan *plan,
               const ik_traffic *traffic, const ik_sim_result *result, const ik_env *env,
               char text[HINT_CHARS])
{
    char remedies[200];
    double mean, most;
    const ik_params *adapter = &experiment_variant(r->e, p, SECTION_ADAPTER)->params;
    double carried =
        hints_may_be_judged(adapter, result) ? hints_carried_by(plan, traffic, result, env) : NAN;
    text[0] = '\0';
    if (isnan(carried))
        return;
    hint_use_links(f, result, &mean, &most);
    if (most >= full)
        hints_put_full(r->e, p, plan, mean, most, remedies, sizeof remedies);
    else
        hints_put_remedies(r->e, p, plan, remedies, sizeof remedies);
    snprintf(text, HINT_CHARS,
             "%.3g %% of the hosts' rate is accepted, where the routing can carry %.3g %%; %s",
             100 * result->throughput, 100 * carried, remedies);
}

void hint_note(runner *r, const point *p, uint64_t number, const char *hint)
{
    if (!hint[0] || (r->low++ > 0 && number > r->first_low_number))
        return;
    r->first_low_number = number;
    snprintf(r->first_low, sizeof r->first_low, "%.100s with %.100s, seed %" PRIu64 ": %s",
             experiment_variant(r->e, p, SECTION_ROUTING)->label,
             experiment_variant(r->e, p, SECTION_TRAFFIC)->label, experiment_seed(r->e, p), hint);
}

void hints_tell(const runner *r)
{
    if (r->low == 1)
        tell_note(r, IK_WARNING, "%s", r->first_low);
    else if (r->low)
        tell_note(r, IK_WARNING,
                  "%" PRIu64 " points accept less than half of what their routing can carry; the "
                  "first: %s",
                  r->low, r->first_low);
}
