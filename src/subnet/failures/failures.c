/* SPDX-License-Identifier: Apache-2.0
 *
 * failures.c: every single failure: what it cuts off, what is lost until a reroute, and how the
 * routing does without it.
 */
#define _GNU_SOURCE /* qsort_r */
#include "base/spec_text.h"
#include "ikat/vc.h"
#include "ikat/verify.h"
#include "subnet/failures/failures_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 4, MORE_MEMBERS = 16 }; /* of a group that are judged */

typedef struct failures_work {
    const ik_fabric *f;
    const ik_failures_config *config;
    const ik_env *env;
    ik_failures *out;
} failures_work;

/* ---- the list */

static bool failures_of_kind(const ik_fabric *f, uint32_t port, ik_failure_kind kind)
{
    uint32_t peer = f->port_peer[port], node = f->port_node[port];
    if (peer == IK_NONE)
        return false;
    uint32_t to = f->port_node[peer];
    if (kind == IK_FAILURE_CABLE)
        return peer > port && ik_is_switch(f, node) && ik_is_switch(f, to);
    return ik_is_switch(f, node) && !ik_is_switch(f, to) &&
           ik_host_rails(f, ik_node_host(f, to)) > 1;
}

static uint32_t failures_list_cables(const ik_fabric *f, ik_failure_kind kind, ik_failure *all)
{
    uint32_t num = 0;
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        if (!failures_of_kind(f, port, kind))
            continue;
        if (all)
            all[num] = (ik_failure){.kind = kind, .port = port, .sw = IK_NONE};
        num++;
    }
    return num;
}

static ik_status failures_list(const ik_fabric *f, const ik_env *env, ik_failures *out,
                               ik_error *err)
{
    uint32_t cables = failures_list_cables(f, IK_FAILURE_CABLE, NULL);
    out->num = cables + f->num_switches + failures_list_cables(f, IK_FAILURE_HOST_CABLE, NULL);
    out->all = ik_calloc((size_t)out->num + 1, sizeof *out->all);
    if (!out->all)
        return ik_fail_memory(err, out->num * sizeof *out->all, "failures");
    failures_list_cables(f, IK_FAILURE_CABLE, out->all);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        out->all[cables + sw] = (ik_failure){.kind = IK_FAILURE_SWITCH, .port = IK_NONE, .sw = sw};
    failures_list_cables(f, IK_FAILURE_HOST_CABLE, out->all + cables + f->num_switches);
    for (uint32_t i = 0; i < out->num; i++)
        out->all[i].pairs_lost = out->all[i].max_load = out->all[i].saturation = NAN;
    return failures_cut(f, env, out->all, out->num, err);
}

/* ---- the fabric as it is */

static ik_status failures_load(const ik_routing *r, const ik_fabric *f, const ik_env *env,
                               ik_load *load, ik_error *err)
{
    ik_traffic *uniform = NULL;
    ik_status status = ik_traffic_from_spec(f, "uniform", env, &uniform, err);
    if (status == IK_OK)
        status = ik_load_measure(r, uniform, env, load, err);
    ik_traffic_free(uniform);
    return status;
}

/* Packets pass a switch once, so that what comes in is what passes. */
static double failures_passing(const ik_fabric *f, const ik_failure *x, const double *crossing)
{
    double sum = 0;
    if (x->kind != IK_FAILURE_SWITCH)
        return crossing[x->port] + crossing[f->port_peer[x->port]];
    for (uint32_t port = f->port_base[x->sw]; port < f->port_base[x->sw + 1]; port++)
        if (f->port_peer[port] != IK_NONE)
            sum += crossing[f->port_peer[port]];
    return sum;
}

/* What the installed tables, or those of the routing, carry now. */
static ik_status failures_installed(failures_work *w, ik_load *load, ik_error *err)
{
    ik_arena arena = {0};
    const char *path = spec_text_quoted(w->config->tables, &arena),
               *spec = path ? ik_arena_printf(&arena, "lft:path=%s", path) : NULL;
    ik_routing *r = NULL;
    ik_status status = spec ? ik_routing_from_spec(w->f, spec, w->env, &r, err)
                            : ik_fail_memory(err, strlen(w->config->tables), "a name of a file");
    if (status == IK_OK)
        status = failures_load(r, w->f, w->env, load, err);
    ik_routing_free(r);
    ik_arena_free(&arena);
    return status;
}

static ik_status failures_planned(failures_work *w, ik_load *load, ik_error *err)
{
    const ik_failures_config *config = w->config;
    ik_failures *out = w->out;
    ik_plan *plan = NULL;
    ik_status status = ik_plan_from_specs(w->f, config->routing, config->vc, NULL, config->num_vcs,
                                          w->env, &plan, err);
    if (status == IK_OK)
        status = failures_load(plan->routing, w->f, w->env, load, err);
    if (status == IK_OK) {
        out->lanes = plan->num_vcs;
        out->routing = strdup(plan->routing->spec);
        out->vc = strdup(plan->vc->spec);
        if (!out->routing || !out->vc)
            status = ik_fail_memory(err, strlen(plan->routing->spec), "a spec");
    }
    ik_plan_free(plan);
    return status;
}

static void failures_take_present(failures_work *w, const ik_load *load)
{
    w->out->max_load = load->max_load;
    w->out->saturation = load->saturation;
    for (uint32_t i = 0; i < w->out->num; i++)
        w->out->all[i].pairs_lost = failures_passing(w->f, &w->out->all[i], load->crossing);
}

/* Loads, and pairs by failure, of what is installed; groups. */
static ik_status failures_present(failures_work *w, ik_error *err)
{
    ik_load load = {0}, planned = {0};
    const ik_failures_config *config = w->config;
    bool tables = config->tables != NULL, known = tables || config->routing;
    w->out->max_load = w->out->saturation = w->out->worst_max_load = NAN;
    ik_status status = IK_OK;
    if (config->routing)
        status = failures_planned(w, tables ? &planned : &load, err);
    if (status == IK_OK && tables)
        status = failures_installed(w, &load, err);
    if (status == IK_OK && known)
        failures_take_present(w, &load);
    if (status == IK_OK)
        status = failures_group(w->f, known ? load.crossing : NULL, w->env, w->out, err);
    ik_load_free(&load);
    ik_load_free(&planned);
    return status;
}

/* ---- the reroute */

static ik_status failures_without(const ik_fabric *f, const ik_failure *x, ik_fabric **out,
                                  ik_error *err)
{
    bool sw = x->kind == IK_FAILURE_SWITCH;
    return ik_fabric_degrade(f, &x->port, !sw, &x->sw, sw, out, err);
}

static ik_status failures_judge_plan(failures_work *w, const ik_fabric *g, const ik_plan *plan,
                                     ik_failure *x, ik_error *err)
{
    ik_proof proof = {0};
    ik_load load = {0};
    ik_status status = ik_verify(plan, NULL, w->env, &proof, err);
    if (status == IK_OK)
        status = failures_load(plan->routing, g, w->env, &load, err);
    if (status == IK_OK) {
        x->lanes = plan->vc->vcs_needed;
        x->undelivered = proof.undelivered;
        x->max_load = load.max_load;
        x->saturation = load.saturation;
        x->reroute = proof.delivered == IK_NO || proof.loop_free == IK_NO ? IK_REROUTE_LOST
                     : proof.deadlock_free != IK_YES                      ? IK_REROUTE_DEADLOCK
                     : x->lanes > w->out->lanes                           ? IK_REROUTE_LANES
                                                                          : IK_REROUTE_PROVED;
    }
    ik_load_free(&load);
    ik_proof_free(&proof);
    return status;
}

static bool failures_is_refusal(ik_status status)
{
    return status == IK_ERR_UNSUPPORTED || status == IK_ERR_INPUT || status == IK_ERR_FAILED;
}

/* What the routing does on g with so many lanes, 0 = as many as it takes. A refusal is noted unless
 * it is known already what it does with others. */
static ik_status failures_try(failures_work *w, const ik_fabric *g, const char *vc, unsigned lanes,
                              ik_failure *x, ik_error *err)
{
    ik_plan *plan = NULL;
    ik_error why;
    ik_status status =
        ik_plan_from_specs(g, w->config->routing, vc, NULL, lanes, w->env, &plan, &why);
    if (status == IK_OK) {
        status = failures_judge_plan(w, g, plan, x, err);
    } else if (failures_is_refusal(status)) {
        status = IK_OK;
        if (x->reroute == IK_REROUTE_UNKNOWN) {
            x->reroute = IK_REROUTE_REFUSED;
            x->why = strdup(why.text);
            status = x->why ? IK_OK : ik_fail_memory(err, strlen(why.text), "a text");
        }
    } else if (err) {
        *err = why;
    }
    ik_plan_free(plan);
    return status;
}

/* With the lanes that there are, else with as many as it takes. A routing's default scheme is
 * another one where a single lane is asked for. */
static ik_status failures_judge(failures_work *w, ik_failure *x, ik_error *err)
{
    const char *vc = w->config->vc;
    ik_fabric *g = NULL;
    ik_status status = failures_without(w->f, x, &g, err);
    if (status == IK_OK)
        status =
            failures_try(w, g, !vc && w->out->lanes == 1 ? w->out->vc : vc, w->out->lanes, x, err);
    if (status == IK_OK && (x->reroute == IK_REROUTE_REFUSED || x->reroute == IK_REROUTE_DEADLOCK))
        status = failures_try(w, g, vc, 0, x, err);
    ik_fabric_free(g);
    return status;
}

static bool failures_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a);
}

static bool failures_alike(const ik_failure *a, const ik_failure *b)
{
    return a->reroute == b->reroute && a->lanes == b->lanes && a->undelivered == b->undelivered &&
           failures_near(a->max_load, b->max_load) && failures_near(a->saturation, b->saturation);
}

/* Hosts that are cut off although something else than the failed part is cabled to them. */
static uint32_t failures_others(const ik_failure *x)
{
    return x->hosts_cut > x->hosts_own ? x->hosts_cut - x->hosts_own : 0;
}

static bool failures_worse(const ik_failure *a, const ik_failure *b)
{
    if (failures_others(a) != failures_others(b))
        return failures_others(a) > failures_others(b);
    if (a->reroute != b->reroute)
        return a->reroute > b->reroute;
    if (!failures_near(a->max_load, b->max_load))
        return a->max_load > b->max_load || isnan(b->max_load);
    if (a->hosts_cut != b->hosts_cut)
        return a->hosts_cut > b->hosts_cut;
    return a->pairs_lost > b->pairs_lost;
}

/* Judges `want` members of group g, evenly spread, the first and the last among them. */
static ik_status failures_judge_some(failures_work *w, ik_failure_group *g, uint32_t want,
                                     ik_error *err)
{
    ik_failure *all = w->out->all;
    uint32_t seen = 0, taken = 0;
    for (uint32_t i = g->first; seen < g->members; i++) {
        if (all[i].like != g->first)
            continue;
        bool turn = want == 1 ? seen == 0 : seen == (uint64_t)taken * (g->members - 1) / (want - 1);
        seen++;
        taken += turn;
        if (!turn || all[i].reroute != IK_REROUTE_UNKNOWN)
            continue;
        ik_status status = failures_judge(w, &all[i], err);
        if (status != IK_OK)
            return status;
        g->judged++;
        g->agree = g->agree && failures_alike(&all[i], &all[g->first]);
        g->worst = failures_worse(&all[i], &all[g->worst]) ? i : g->worst;
    }
    return IK_OK;
}

static ik_status failures_judge_group(failures_work *w, ik_failure_group *g, ik_error *err)
{
    uint32_t few = w->config->all || g->members < MEMBERS ? g->members : MEMBERS,
             more = g->members < MORE_MEMBERS ? g->members : MORE_MEMBERS;
    ik_status status = failures_judge_some(w, g, few, err);
    return status == IK_OK && !g->agree && few < more ? failures_judge_some(w, g, more, err)
                                                      : status;
}

/* ---- summary */

static int failures_order(const void *a, const void *b, void *ctx)
{
    const ik_failure *all = ctx;
    const ik_failure_group *x = a, *y = b;
    if (failures_worse(&all[x->worst], &all[y->worst]))
        return -1;
    if (failures_worse(&all[y->worst], &all[x->worst]))
        return 1;
    return (x->first > y->first) - (x->first < y->first);
}

static void failures_sum_up(ik_failures *out)
{
    for (uint32_t g = 0; g < out->num_groups; g++) {
        const ik_failure_group *group = &out->groups[g];
        const ik_failure *worst = &out->all[group->worst];
        out->count[group->kind] += group->members;
        out->cutting[group->kind] += worst->hosts_cut > worst->hosts_own ? group->members : 0;
        out->rerouted[group->kind][worst->reroute] += group->members - group->judged;
        out->partial |= out->routing && group->judged < group->members;
        out->num_disagree += !group->agree;
    }
    for (uint32_t i = 0; i < out->num; i++) {
        const ik_failure *x = &out->all[i];
        out->rerouted[x->kind][x->reroute] += x->reroute != IK_REROUTE_UNKNOWN;
        out->worst_max_load = fmax(out->worst_max_load, x->max_load);
    }
    qsort_r(out->groups, out->num_groups, sizeof *out->groups, failures_order, out->all);
}

ik_status ik_failures_measure(const ik_fabric *f, const ik_failures_config *config,
                              const ik_env *env, ik_failures *out, ik_error *err)
{
    ik_failures made = {0};
    failures_work w = {f, config, env, &made};
    ik_status status = failures_list(f, env, &made, err);
    if (status == IK_OK)
        status = failures_present(&w, err);
    for (uint32_t g = 0; g < made.num_groups && config->routing && status == IK_OK; g++)
        status = failures_judge_group(&w, &made.groups[g], err);
    if (status != IK_OK) {
        ik_failures_free(&made);
        return status;
    }
    failures_sum_up(&made);
    *out = made;
    return IK_OK;
}

void ik_failures_free(ik_failures *x)
{
    for (uint32_t i = 0; x->all && i < x->num; i++)
        free(x->all[i].why);
    free(x->all);
    free(x->groups);
    free(x->routing);
    free(x->vc);
    *x = (ik_failures){0};
}

bool ik_failure_breaks(const ik_failure *x)
{
    return x->hosts_cut > x->hosts_own || x->reroute > IK_REROUTE_PROVED;
}

const char *ik_failure_kind_name(ik_failure_kind kind)
{
    static const char *const names[] = {"cable", "switch", "host cable"};
    return names[kind];
}

const char *ik_reroute_name(ik_reroute reroute)
{
    static const char *const names[] = {"unknown", "proved",   "lanes",
                                        "refused", "deadlock", "lost"};
    return names[reroute];
}

char *ik_failure_describe(const ik_fabric *f, const ik_failure *x, char *text, size_t size)
{
    char from[320], to[320];
    if (x->kind == IK_FAILURE_SWITCH)
        return ik_node_describe(f, x->sw, text, size);
    snprintf(text, size, "%s to %s", ik_port_describe(f, x->port, from, sizeof from),
             ik_port_describe(f, f->port_peer[x->port], to, sizeof to));
    return text;
}
