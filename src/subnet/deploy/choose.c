/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.c: which routing to install. Every candidate is planned as it would be deployed, judged
 * and measured on complete tables; none is taken that is not better than what is installed.
 *
 * Candidates whose cost grows with the pairs of switches that have hosts are left out where there
 * are many of them: by their number, never by the clock, so that everybody gets the same answer.
 */
#include "subnet/deploy/choose.h"
#include "subnet/deploy/deploy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are tried: of equal ones the first stays. The first two take seconds
 * on any fabric, and one of them is mostly proved: so there is one to take when time runs out. */
const choose_candidate choose_candidates[] = {
    {"dmodc", NULL, 0, 0},
    {"updown", NULL, 0, 0},
    {"dfsssp", "dfsssp:pairs=both", 800, 0},
    {"frugal", NULL, 200, 0},
    {"shortest", "lash:pairs=both", 200, 0},
    {"nue:vcs=3,pairs=both", NULL, 200, 0},
    {"nue:vcs=2,pairs=both", NULL, 200, 2},
    {"nue", NULL, 400, 0},
    {NULL, NULL, 0, 0},
};

/* Differences below this share are none: fewer lanes count then. */
static const double alike = 0.1;

/* ---- judging */

uint64_t choose_lost(const ik_subnet_verdict *v)
{
    return v->pairs - v->delivered - v->unconnected;
}

void choose_discard(ik_audit_routing *r)
{
    free(r->spec);
    free(r->vc);
    ik_subnet_verdict_free(&r->verdict);
    ik_load_groups_free(r->groups, r->num_groups);
    free(r->load);
    *r = (ik_audit_routing){0};
}

ik_status choose_judge(const ik_fabric *f, const ik_lids *lids, ik_plan *plan,
                       const ik_deploy_config *config, const ik_env *env, ik_audit_routing *r,
                       char *why, ik_error *err)
{
    ik_deployment d = {.fabric = f, .given = f, .plan = plan, .lids = *lids};
    ik_status status = deploy_settle_lanes(&d, config, env, err);
    if (status == IK_OK && !d.judged)
        status = deploy_judge(&d, env, err);
    if (d.judged)
        r->verdict = d.verdict;
    r->lanes = d.lanes;
    if (why)
        memcpy(why, d.why_not, sizeof d.why_not);
    ik_lid_tables_free(&d.tables);
    ik_service_levels_free(&d.levels);
    ik_sl2vl_free(&d.vls);
    if (status == IK_OK)
        status = choose_measure(f, lids, r, err);
    r->spec = strdup(plan->routing->spec);
    r->vc = strdup(plan->vc->spec);
    if (status == IK_OK && (!r->spec || !r->vc))
        status = ik_fail_memory(err, 64, "the name of a routing");
    if (status != IK_OK)
        choose_discard(r);
    return status;
}

/* ---- comparing */

static bool choose_is_whole(const ik_subnet_verdict *v)
{
    return choose_lost(v) == 0 && v->missing_entries == 0;
}

static bool choose_proved(const ik_subnet_verdict *v)
{
    return v->deadlock_free == IK_YES && choose_is_whole(v);
}

bool choose_is_unknown(const choose_now *now)
{
    return now->routing && now->partial && !choose_is_whole(&now->routing->verdict) &&
           now->routing->verdict.deadlock_free != IK_NO;
}

bool choose_is_better(const choose_now *given, const ik_audit_routing *then)
{
    const ik_audit_routing *now = given->routing;
    static const double equal = 1.001; /* the sums of two tables differ in the last digits */
    if (!choose_proved(&then->verdict) || choose_is_unknown(given))
        return false;
    if (!choose_proved(&now->verdict) && !(given->partial && choose_is_whole(&now->verdict)))
        return true;
    if (then->max_load > equal * now->max_load || now->saturation > equal * then->saturation)
        return false;
    return now->max_load > (1 + alike) * then->max_load ||
           then->saturation > (1 + alike) * now->saturation;
}

/* Below 0: a is the better of two candidates. Throughput, then load; where neither tells them
 * apart, the one beside whose data a host can read counters, the one with fewer lanes, and what is
 * less. */
static int choose_compare(const ik_audit_routing *a, const ik_audit_routing *b)
{
    bool reads_a = a->verdict.one_manager_free == IK_YES,
         reads_b = b->verdict.one_manager_free == IK_YES;
    if (a->saturation > (1 + alike) * b->saturation || b->saturation > (1 + alike) * a->saturation)
        return a->saturation > b->saturation ? -1 : 1;
    if (a->max_load > (1 + alike) * b->max_load || b->max_load > (1 + alike) * a->max_load)
        return a->max_load < b->max_load ? -1 : 1;
    if (reads_a != reads_b)
        return reads_a ? -1 : 1;
    if (a->lanes != b->lanes)
        return a->lanes < b->lanes ? -1 : 1;
    return a->max_load < b->max_load * 0.999 ? -1 : 1;
}

/* Can no other routing have a lower load? On a tree, if the channels of each kind are all loaded
 * alike by shortest paths: then none of a kind can have less without another one having more. */
static bool choose_is_even(const ik_fabric *f, const ik_audit_routing *r)
{
    bool shortest = f->num_levels > 1 && r->verdict.max_hops <= 2 * (f->num_levels - 1);
    for (size_t i = 0; i < r->num_groups && shortest; i++)
        shortest = r->groups[i].max <= 1.001 * r->groups[i].mean;
    return shortest;
}

/* ---- trying */

/* Switches with hosts or endpoints: tables are made for pairs of them. */
uint32_t choose_count_leaves(const ik_fabric *f)
{
    uint32_t leaves = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
            uint32_t peer = ik_peer_node(f, p);
            if (peer == IK_NONE || ik_is_switch(f, peer))
                continue;
            leaves++;
            break;
        }
    return leaves;
}

static void choose_fill_in(ik_routing_compared *row, const ik_audit_routing *r)
{
    snprintf(row->routing, sizeof row->routing, "%s", r->spec);
    snprintf(row->vc, sizeof row->vc, "%s", r->vc);
    row->lanes = r->lanes;
    row->one_manager_free = r->verdict.one_manager_free;
    row->max_load = r->max_load;
    row->saturation = r->saturation;
    row->state = choose_proved(&r->verdict) ? IK_COMPARED : IK_COMPARED_UNPROVED;
}

/* What does not fit is no failure: something else is tried. */
static ik_status choose_try(const choosing *c, const choose_candidate *k, ik_routing_compared *row,
                            ik_audit_routing *r)
{
    const ik_deploy_config config = {.routing = k->routing,
                                     .vc = k->vc,
                                     .max_vls = c->lanes->max_vls,
                                     .query_lane = c->lanes->query_lane};
    ik_plan *plan = NULL;
    ik_error why = {0};
    ik_status status = deploy_plan(c->f, &config, c->env, &plan, &why);
    if (status == IK_OK)
        status = choose_judge(c->f, c->lids, plan, &config, c->env, r, row->why, &why);
    ik_plan_free(plan);
    if (status == IK_OK) {
        choose_fill_in(row, r);
        row->better = c->now->routing && choose_is_better(c->now, r);
        return IK_OK;
    }
    bool memory = status == IK_ERR_MEMORY;
    row->state = memory ? IK_COMPARED_NO_MEMORY : IK_COMPARED_UNFIT;
    snprintf(row->why, sizeof row->why, "%s%s", memory ? "needs more memory than there is: " : "",
             why.text);
    if (status == IK_ERR_UNSUPPORTED || status == IK_ERR_MEMORY)
        return IK_OK;
    if (c->err)
        *c->err = why;
    return status;
}

ik_status choose_begin(ik_routing_choice *out, ik_error *err)
{
    const size_t size = sizeof *out->of;
    *out = (ik_routing_choice){.of = ik_calloc(IK_ROUTINGS_COMPARED, size), .chosen = IK_NONE};
    return out->of ? IK_OK
                   : ik_fail_memory(err, IK_ROUTINGS_COMPARED * size, "routings to compare");
}

/* Of one routing with several numbers of lanes, the lower ones: only where there are no more, or
 * where the best so far takes more. */
static bool choose_takes_too_few(const choose_candidate *k, unsigned most,
                                 const ik_routing_choice *out)
{
    return k->lanes && k->lanes != most &&
           (out->chosen == IK_NONE || out->of[out->chosen].lanes <= k->lanes);
}

ik_status choose_consider(const choosing *c, const choose_candidate *k, ik_routing_choice *out,
                          ik_audit_routing *r)
{
    assert(out->num < IK_ROUTINGS_COMPARED);
    ik_routing_compared *row = &out->of[out->num];
    ik_status status = IK_OK;
    *row = (ik_routing_compared){.state = IK_COMPARED_TOO_LARGE, .given = {k->routing, k->vc}};
    snprintf(row->routing, sizeof row->routing, "%s", k->routing);
    snprintf(row->vc, sizeof row->vc, "%s", k->vc ? k->vc : "");
    if (k->most && c->leaves > k->most)
        snprintf(row->why, sizeof row->why,
                 "takes minutes with %u switches that have hosts or aggregation nodes: tried up to "
                 "%u",
                 c->leaves, k->most);
    else
        status = choose_try(c, k, row, r);
    out->num++;
    return status;
}

/* Takes r over, or discards it. */
static void choose_take(const choosing *c, ik_routing_choice *out, unsigned index,
                        ik_audit_routing *r, ik_audit_routing *best)
{
    const ik_routing_compared *row = &out->of[index];
    bool fits = row->state == IK_COMPARED && (!c->now->routing || row->better);
    if (fits && (out->chosen == IK_NONE || choose_compare(r, best) < 0)) {
        choose_discard(best);
        *best = *r;
        out->chosen = index;
        return;
    }
    choose_discard(r);
}

static bool choose_has(const ik_routing_choice *c, const choose_candidate *k)
{
    bool has = false;
    for (unsigned i = 0; i < c->num; i++)
        has = has || (c->of[i].given[0] == k->routing && c->of[i].given[1] == k->vc);
    return has;
}

/* Compares what is not in *out yet. One that is cancelled stays out of it. */
static ik_status choose_go_on(const choosing *c, const ik_deploy_config *config, ik_env *here,
                              ik_routing_choice *out, ik_audit_routing *best)
{
    bool even = false;
    ik_status status = IK_OK;
    *best = (ik_audit_routing){0};
    for (const choose_candidate *k = choose_candidates; k->routing && status == IK_OK && !even;
         k++) {
        ik_audit_routing r = {0};
        if (choose_has(out, k) || choose_takes_too_few(k, deploy_most_lanes(config), out))
            continue;
        if (config->enough && out->chosen != IK_NONE)
            here->cancel = config->enough;
        status = choose_consider(c, k, out, &r);
        even = r.spec && out->of[out->num - 1].state == IK_COMPARED && choose_is_even(c->f, &r);
        choose_take(c, out, out->num - 1, &r, best);
    }
    out->stopped = status == IK_ERR_CANCELLED;
    out->num -= out->stopped;
    return status;
}

ik_status choose_routing(const ik_fabric *f, const ik_lids *lids, const ik_deploy_config *config,
                         const choose_now *now, const ik_env *env, ik_routing_choice *out,
                         ik_audit_routing *best, ik_error *err)
{
    static const choose_now nothing = {0};
    bool unknown = choose_is_unknown(now);
    ik_env here = env ? *env : (ik_env){0};
    const choosing c = {
        f, lids, config, unknown ? &nothing : now, &here, err, choose_count_leaves(f)};
    ik_status status = choose_begin(out, err);
    out->not_compared = unknown;
    if (status == IK_OK)
        status = choose_go_on(&c, config, &here, out, best);
    out->keeps = status == IK_OK && c.now->routing && out->chosen == IK_NONE;
    if (status != IK_OK)
        choose_discard(best);
    return status;
}

void choose_give_up(ik_routing_compared *row)
{
    row->state = IK_COMPARED_TOO_LARGE;
    row->better = false;
    snprintf(row->why, sizeof row->why, "takes longer than the time limit");
}

ik_status choose_resume(const ik_fabric *f, const ik_lids *lids, const ik_deploy_config *config,
                        const choose_now *now, const ik_env *env, ik_routing_choice *choice,
                        bool *better, ik_error *err)
{
    ik_env here = env ? *env : (ik_env){0};
    ik_audit_routing best = {0};
    const choosing c = {f, lids, config, now, &here, err, choose_count_leaves(f)};
    uint32_t before = choice->chosen;
    unsigned known = choice->num;
    choice->chosen = IK_NONE;
    if (config->enough) /* the rest of the time is for making it */
        here.cancel = config->enough;
    ik_status status = choose_go_on(&c, config, &here, choice, &best);
    *better = choice->chosen != IK_NONE;
    if (status == IK_ERR_CANCELLED && choice->num == known) /* it had all the time */
        choose_give_up(&choice->of[choice->num++]);
    if (!*better)
        choice->chosen = before;
    choose_discard(&best);
    return status == IK_ERR_CANCELLED ? IK_OK : status;
}

/* ---- said in words */

static void choose_append(char *text, size_t size, const char *what)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? ", " : "", what);
}

unsigned ik_routing_choice_compared(const ik_routing_choice *c)
{
    unsigned num = 0;
    for (unsigned i = 0; i < c->num; i++)
        num += c->of[i].state == IK_COMPARED || c->of[i].state == IK_COMPARED_UNPROVED;
    return num;
}

bool ik_routing_compared_tried(const ik_routing_compared *row)
{
    return row->state != IK_COMPARED_TOO_LARGE && row->state != IK_COMPARED_NO_MEMORY;
}

char *ik_routing_compared_name(const ik_routing_compared *row, char *text, size_t size)
{
    snprintf(text, size, "%s%s%s%s", row->routing, row->vc[0] ? " (" : "", row->vc,
             row->vc[0] ? ")" : "");
    return text;
}

char *ik_routing_choice_untried(const ik_routing_choice *c, char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned i = 0; i < c->num; i++) {
        char name[200];
        if (!ik_routing_compared_tried(&c->of[i]))
            choose_append(text, size, ik_routing_compared_name(&c->of[i], name, sizeof name));
    }
    return text;
}
