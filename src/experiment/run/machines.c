/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/machines.c: points that are measured instead of simulated. A machine is a fabric
 * with its plans. Some machines at a time are built, routed, proved and measured in parallel; what
 * came out is stored in the order of the sweep, in one transaction for all of them, so that
 * thousands of small machines cost what measuring them costs.
 */
#include "experiment/run/statics.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MACHINES = 64 };

/* One plan of a machine. */
typedef struct made_plan {
    plan_slot slot;
    bool idle; /* all of its points are finished or elsewhere, or the budget was spent before */
    bool proved, infeasible;
    ik_proof proof;
    statics *points; /* [slot.num] */
    traffic_statics known;
    double seconds; /* of processors that it took */
    ik_error why;   /* it is infeasible or does not fit */
} made_plan;

typedef struct machine {
    size_t first, num; /* plans */
    ik_fabric *fabric;
    made_plan *plans;
    statics of_fabric;
    best_rates best;
    bool measured;  /* of_fabric is */
    double longest; /* seconds that a plan of it took at most */
    bool spent;     /* the budget: plans were not begun */
} machine;

typedef struct batch {
    runner *r;
    machine machines[MOST_MACHINES];
    size_t num, most;
    ik_env env;     /* of one machine */
    double longest; /* seconds that a plan took at most, in batches before */
} batch;

/* ---- one machine */

static ik_status machines_build(const batch *b, machine *m, ik_error *err)
{
    const variant *v = experiment_variant(b->r->e, &b->r->e->plans[m->first].at, SECTION_FABRIC);
    m->fabric = b->r->built[m->first];
    b->r->built[m->first] = NULL;
    if (m->fabric)
        return IK_OK;
    ik_env env = b->env;
    ik_status status =
        topology_from_params(v->name, &v->params, &env, b->r->floors, &m->fabric, err);
    if (status != IK_OK)
        place_in_variant(v, SECTION_FABRIC, err);
    return status;
}

/* A proof is kept in the cache of proofs if making it takes longer than reading it. */
static ik_status machines_prove(const batch *b, const machine *m, made_plan *p, ik_error *err)
{
    static const uint64_t small = 1 << 20; /* entries of all tables */
    const ik_experiment *e = b->r->e;
    ik_verify_config config = {.flow = IK_FLOW_ANY};
    uint64_t extent = experiment_option(e, OPTION_PROOF)->u;
    if (extent == PROOF_OFF ||
        !(experiment_measures(e, MEASURE_PROOF) || experiment_measures(e, MEASURE_MEAN_HOPS)))
        return IK_OK;
    if (extent == PROOF_SAMPLED)
        config.sample_pairs = experiment_option(e, OPTION_PROOF_PAIRS)->u;
    bool cheap = (uint64_t)m->fabric->num_switches * m->fabric->num_hosts <= small;
    ik_status status = cheap
                           ? ik_verify(p->slot.plan, &config, &b->env, &p->proof, err)
                           : ik_verify_cached(p->slot.plan, &config, &b->env, &p->proof, NULL, err);
    p->proved = status == IK_OK;
    return status;
}

/* What all points of the plan have, into the first. */
static ik_status machines_measure_plan(const batch *b, machine *m, made_plan *p, ik_error *err)
{
    statics *s = &p->points[0];
    statics_clear(s, &p->known.arena);
    if (p->infeasible) {
        statics_set(s, METRIC_FEASIBLE, 0);
        return experiment_measures(b->r->e, MEASURE_LEAST_T_MAX)
                   ? statics_least(b->r, m->fabric, &p->slot.at, NULL, &b->env, s, err)
                   : IK_OK;
    }
    ik_status status = IK_OK;
    if (!m->measured) {
        statics_clear(&m->of_fabric, NULL);
        status = statics_of_fabric(b->r, m->fabric, &b->env, &m->of_fabric, err);
        m->measured = status == IK_OK;
    }
    if (status == IK_OK)
        status = machines_prove(b, m, p, err);
    *s = m->of_fabric;
    s->arena = &p->known.arena;
    statics_set(s, METRIC_FEASIBLE, 1);
    if (status == IK_OK && p->proved)
        statics_of_proof(b->r, &p->proof, s);
    if (status == IK_OK)
        status = statics_of_plan(b->r, m->fabric, &p->slot.at, p->slot.plan, &b->env, s, err);
    return status;
}

static ik_status machines_measure_points(const batch *b, machine *m, made_plan *p, ik_error *err)
{
    const ik_experiment *e = b->r->e;
    ik_status status = traffic_statics_init(e, p->slot.at.design, &m->best, &p->known, err);
    if (status == IK_OK)
        status = machines_measure_plan(b, m, p, err);
    for (uint64_t i = 1; i < p->slot.num; i++)
        p->points[i] = p->points[0];
    if (status != IK_OK || p->infeasible)
        return status;
    for (uint64_t i = 0; i < p->slot.num && status == IK_OK; i++) {
        point at = experiment_point(e, p->slot.first + i);
        if (run_is_to_do(b->r, p->slot.first + i))
            status = statics_of_traffic(b->r, m->fabric, &at, p->slot.plan, &b->env, &p->known,
                                        &p->points[i], err);
    }
    return status;
}

static ik_status machines_make_plan(const batch *b, machine *m, made_plan *p, ik_error *err)
{
    runner one = *b->r;
    one.num_jobs = b->env.num_threads;
    p->points = ik_calloc(p->slot.num, sizeof *p->points);
    if (!p->points)
        return ik_fail_memory(err, p->slot.num * sizeof *p->points, "an experiment");
    p->slot.plan = tried_take(b->r, p->slot.number);
    ik_status status =
        p->slot.plan ? IK_OK : plan_make_for(&one, m->fabric, &p->slot.at, &p->slot.plan, &p->why);
    p->infeasible = status == IK_ERR_UNSUPPORTED && misfit_is_limit(&p->why);
    p->slot.unusable = status == IK_ERR_UNSUPPORTED && !p->infeasible;
    if (status != IK_OK && status != IK_ERR_UNSUPPORTED) {
        if (err)
            *err = p->why;
        return status;
    }
    return p->slot.unusable ? IK_OK : machines_measure_points(b, m, p, err);
}

static bool machines_all_finished(const runner *r, const plan_slot *slot)
{
    for (uint64_t i = 0; i < slot->num; i++)
        if (!r->finished[slot->first + i])
            return false;
    return true;
}

/* Another plan takes as long as the longest so far. */
static bool machines_budget_ends(const batch *b, machine *m)
{
    if (budget_is_spent(b->r, m->longest > b->longest ? m->longest : b->longest))
        m->spent = true;
    return m->spent;
}

/* The plans of a machine that are not idle; those behind the end of the budget are idle then. */
static ik_status machines_make_plans(const batch *b, machine *m, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < m->num && status == IK_OK; i++) {
        if (m->plans[i].idle || (m->plans[i].idle = machines_budget_ends(b, m)))
            continue;
        double begun = ik_clock_s(CLOCK_MONOTONIC);
        cost_meter meter;
        cost_begin(&meter, b->env.num_threads, 1);
        status = m->fabric ? IK_OK : machines_build(b, m, err);
        if (status == IK_OK)
            status = machines_make_plan(b, m, &m->plans[i], err);
        double seconds = ik_clock_s(CLOCK_MONOTONIC) - begun;
        m->plans[i].seconds = cost_end(&meter);
        m->longest = seconds > m->longest ? seconds : m->longest;
    }
    return status;
}

static ik_status make_machine(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    batch *b = ctx;
    machine *m = &b->machines[index];
    (void)thread;
    m->plans = ik_calloc(m->num, sizeof *m->plans);
    if (!m->plans)
        return ik_fail_memory(err, m->num * sizeof *m->plans, "an experiment");
    for (size_t i = 0; i < m->num; i++) {
        const plan_block *k = &b->r->e->plans[m->first + i];
        m->plans[i].slot =
            (plan_slot){.number = m->first + i, .at = k->at, .first = k->first, .num = k->num};
        m->plans[i].slot.elsewhere = !run_has_any(b->r, k->first, k->num);
        m->plans[i].idle =
            m->plans[i].slot.elsewhere || machines_all_finished(b->r, &m->plans[i].slot);
    }
    return machines_make_plans(b, m, err);
}

static void free_machine(runner *r, machine *m)
{
    for (size_t i = 0; m->plans && i < m->num; i++) {
        if (m->plans[i].proved)
            ik_proof_free(&m->plans[i].proof);
        ik_plan_free(m->plans[i].slot.plan);
        free(m->plans[i].points);
        traffic_statics_free(&m->plans[i].known);
    }
    free(m->plans);
    best_rates_free(&m->best);
    if (m->fabric)
        tried_free(r, m->first, m->num);
    fabric_drop(r, m->fabric);
}

/* ---- storing */

static ik_status machines_keep_plan(runner *r, const machine *m, int64_t fabric, made_plan *p,
                                    ik_error *err)
{
    char *key = NULL;
    ik_status status = plan_key(r, &p->slot.at, &key, err);
    if (status == IK_OK)
        status = plan_keep_proof(r, m->fabric, fabric, key, FLOW_ANY, p->proved ? &p->proof : NULL,
                                 &p->slot, err);
    free(key);
    if (status == IK_OK && p->proved)
        plan_tell_proof(r, &p->slot, FLOW_ANY, &p->proof);
    r->usable_plans++;
    for (uint64_t i = 0; i < p->slot.num && status == IK_OK; i++) {
        if (!run_is_to_do(r, p->slot.first + i))
            continue;
        status = statics_keep_point(r, fabric, &p->slot, p->slot.first + i, &p->points[i], err);
        if (status == IK_OK)
            status = cost_keep(r, p->slot.first + i, p->seconds / (double)p->slot.num, err);
        r->done += status == IK_OK;
    }
    return status;
}

/* Says what does not fit, as for plans that are simulated. */
static ik_status machines_leave_out(runner *r, machine *m, ik_error *err)
{
    plan_slot *slots = ik_calloc(m->num, sizeof *slots);
    if (!slots)
        return ik_fail_memory(err, m->num * sizeof *slots, "an experiment");
    for (size_t i = 0; i < m->num; i++) {
        made_plan *p = &m->plans[i];
        if (p->slot.unusable) {
            p->slot.why = &p->why;
            r->unusable = p->why;
            note_left_out(r, &p->slot);
        }
        slots[i] = p->slot;
    }
    ik_status status =
        m->num == r->e->num_plans ? misfits_refuse(r, m->fabric, slots, m->num, err) : IK_OK;
    if (status == IK_OK)
        plans_tell_left_out(r, slots, m->num);
    free(slots);
    return status;
}

static ik_status keep_machine(runner *r, machine *m, ik_error *err)
{
    int64_t fabric = 0;
    ik_status status = machines_leave_out(r, m, err);
    if (status == IK_OK && m->fabric)
        status = fabric_keep(r, m->first, m->fabric, &fabric, err);
    for (size_t i = 0; i < m->num && status == IK_OK; i++)
        if (m->plans[i].idle)
            r->usable_plans++;
        else if (!m->plans[i].slot.unusable)
            status = machines_keep_plan(r, m, fabric, &m->plans[i], err);
    return status;
}

static ik_status machines_keep_batch(batch *b, ik_error *err)
{
    ik_status status = store_begin(b->r->store, err);
    if (status != IK_OK)
        return status;
    uint64_t before = b->r->done;
    for (size_t i = 0; i < b->num && status == IK_OK; i++)
        status = keep_machine(b->r, &b->machines[i], err);
    if (status != IK_OK) {
        store_rollback(b->r->store);
        b->r->done = before;
        return status;
    }
    status = store_commit(b->r->store, err);
    if (status == IK_OK && b->r->done > before)
        tell_point(b->r, false);
    return status;
}

/* ---- all */

/* The machines from plan *next on that are made at a time: many small ones, or one large. */
static void machines_take(batch *b, size_t *next)
{
    static const uint64_t most_ports = 1 << 18;
    const ik_experiment *e = b->r->e;
    uint64_t ports = 0;
    b->num = 0;
    while (*next < e->num_plans && b->num < b->most) {
        const ik_fabric *f = b->r->built[*next];
        ports += f ? f->num_ports : most_ports; /* fabrics that are not kept are large */
        if (b->num && ports > most_ports)
            return;
        b->machines[b->num] = (machine){.first = *next, .num = plans_on_fabric(e, *next)};
        *next += b->machines[b->num++].num;
    }
}

/* Where the budget ended the plans of a machine, those of the machines behind it are left for the
 * next run, too: what runs with budgets leave is in the order of the sweep, as of any run. */
static void machines_cut(batch *b)
{
    for (size_t i = 0; i < b->num; i++) {
        for (size_t k = 0; b->r->spent && k < b->machines[i].num; k++)
            b->machines[i].plans[k].idle = true;
        b->r->spent |= b->machines[i].spent;
    }
}

/* A plan of an earlier run whose proof failed. */
static ik_status machines_any_failed(runner *r, ik_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool any = false;
    ik_status status = store_prepare(r->store,
                                     "SELECT 1 FROM plans WHERE failed = 1 AND id IN (SELECT plan "
                                     "FROM points WHERE " STORE_CURRENT ") LIMIT 1",
                                     NULL, &statement, err);
    if (status == IK_OK)
        status = store_step(r->store, statement, &any, err);
    sqlite3_finalize(statement);
    r->failed |= status == IK_OK && any;
    return status;
}

ik_status machines_run(runner *r, ik_error *err)
{
    batch *b = ik_calloc(1, sizeof *b);
    if (!b)
        return ik_fail_memory(err, sizeof *b, "an experiment");
    ik_status status = IK_OK;
    b->r = r;
    /* of several that run at a time, only one may be useful when the budget ends */
    b->most = r->part->budget_s > 0 && r->num_jobs < MOST_MACHINES ? r->num_jobs : MOST_MACHINES;
    for (size_t next = 0; next < r->e->num_plans && status == IK_OK && !r->spent;) {
        if ((r->spent = budget_is_spent(r, b->longest)))
            break;
        machines_take(b, &next);
        ik_env env = setup_env(r);
        b->env = env;
        b->env.num_threads = b->num > 1 ? 1 : r->num_jobs;
        env.num_threads = b->num > 1 ? r->num_jobs : 1;
        tell_stage(r, "measuring %zu machines", b->num);
        status = ik_parallel_for(&env, "machines", b->num, make_machine, b, err);
        if (status == IK_OK)
            machines_cut(b);
        if (status == IK_OK)
            status = machines_keep_batch(b, err);
        for (size_t i = 0; i < b->num; i++) {
            const machine *m = &b->machines[i];
            b->longest = m->longest > b->longest ? m->longest : b->longest;
            free_machine(r, &b->machines[i]);
        }
    }
    free(b);
    return status == IK_OK ? machines_any_failed(r, err) : status;
}
