/* SPDX-License-Identifier: Apache-2.0
 *
 * resilience.c: random failures of many cables, switches, racks or trays: how many pairs of hosts
 * stay connected, and what the rerouted network carries. A point is a draw; draws are independent,
 * so that they are computed in parallel, each in one thread.
 */
#include "ikat/analysis.h"
#include "ikat/failures.h"
#include "ikat/vc.h"
#include "ikat/verify.h"
#include "topology/damage/fail_spec.h"

#include <math.h>

enum { SAMPLE_PAIRS = 200 };

typedef struct resilience_work {
    const ik_fabric *f;
    const ik_resilience_config *config;
    const ik_env *env;
    ik_resilience_point *points;
} resilience_work;

/* Of those between switches alone. */
static ik_status resilience_count_cables(const ik_fabric *f, uint64_t *num, ik_error *err)
{
    ik_description d;
    ik_status status = ik_fabric_describe(f, &d, err);
    if (status != IK_OK)
        return status;
    *num = d.switch_links;
    ik_description_free(&d);
    return IK_OK;
}

static uint32_t resilience_count_uncabled(const ik_fabric *f)
{
    uint32_t num = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++)
        num += ik_host_cables(f, host) == 0;
    return num;
}

/* Hosts that have lost their cables count in none of the pairs; where they leave no pair, nothing
 * is connected. */
static ik_status resilience_distances(const ik_fabric *g, const ik_env *env, ik_resilience_point *p,
                                      ik_error *err)
{
    ik_distances d;
    ik_status status = ik_distances_measure(g, env, &d, err);
    if (status != IK_OK)
        return status;
    const double all = g->num_hosts, left = all - p->lost_hosts, pairs = left * (left - 1),
                 connected = all * (all - 1) - (double)d.unconnected_pairs;
    p->connected = pairs > 0 ? connected / pairs : p->lost_hosts > 0 ? 0 : 1;
    p->mean_hops = connected > 0 ? d.mean_hops : NAN;
    ik_distances_free(&d);
    return IK_OK;
}

static ik_status resilience_load(const ik_fabric *g, const ik_plan *plan, const ik_env *env,
                                 ik_resilience_point *p, ik_error *err)
{
    ik_traffic *uniform = NULL;
    ik_load load = {0};
    ik_status status = ik_traffic_from_spec(g, "uniform", env, &uniform, err);
    if (status == IK_OK)
        status = ik_load_measure(plan->routing, uniform, env, &load, err);
    if (status == IK_OK && load.tightest != IK_NONE && !ik_load_chooses_detours(plan->routing))
        p->saturation = load.saturation;
    ik_load_free(&load);
    ik_traffic_free(uniform);
    return status;
}

static bool resilience_is_refusal(ik_status status)
{
    return status == IK_ERR_UNSUPPORTED || status == IK_ERR_FAILED;
}

/* Whether some pairs already show that a routing does not deliver all: the proof of every pair,
 * which takes longer, then need not be made. */
static ik_status resilience_sample(const ik_plan *plan, const ik_env *env, bool *lost,
                                   ik_error *err)
{
    const ik_verify_config few = {.sample_pairs = SAMPLE_PAIRS};
    ik_proof proof = {0};
    ik_status status = ik_verify(plan, &few, env, &proof, err);
    *lost = status == IK_OK && (proof.delivered == IK_NO || proof.loop_free == IK_NO);
    ik_proof_free(&proof);
    return status;
}

static ik_status resilience_prove(const ik_plan *plan, bool sample, const ik_env *env,
                                  ik_resilience_point *p, ik_error *err)
{
    ik_proof proof = {0};
    bool lost = false;
    p->lanes = plan->vc->vcs_needed;
    ik_status status = sample ? resilience_sample(plan, env, &lost, err) : IK_OK;
    if (status != IK_OK || lost)
        return status;
    status = ik_verify(plan, NULL, env, &proof, err);
    if (status == IK_OK)
        p->proved =
            proof.delivered == IK_YES && proof.loop_free == IK_YES && proof.deadlock_free == IK_YES;
    ik_proof_free(&proof);
    return status;
}

/* Makes a routing and proves it. *plan is NULL where it is refused; free with ik_plan_free. sample:
 * that it is not proved is to be expected. */
static ik_status resilience_try(const ik_fabric *g, const char *routing, bool sample,
                                const ik_env *env, ik_plan **plan, ik_resilience_point *p,
                                ik_error *err)
{
    *plan = NULL;
    ik_status status = ik_plan_from_specs(g, routing, NULL, NULL, 0, env, plan, err);
    if (resilience_is_refusal(status)) {
        p->refused = true;
        return IK_OK;
    }
    return status == IK_OK ? resilience_prove(*plan, sample, env, p, err) : status;
}

/* The load is measured of the routing that is taken alone. */
static ik_status resilience_reroute(const ik_fabric *g, const ik_resilience_config *config,
                                    const ik_env *env, ik_resilience_point *p, ik_error *err)
{
    ik_resilience_point other = *p;
    ik_plan *plan = NULL, *second = NULL;
    ik_status status =
        resilience_try(g, config->routing, config->fallback != NULL, env, &plan, p, err);
    bool again = status == IK_OK && !p->proved && config->fallback;
    if (again)
        status = resilience_try(g, config->fallback, false, env, &second, &other, err);
    if (again && status == IK_OK && other.proved) {
        *p = other;
        p->fell_back = true;
    }
    const ik_plan *taken = p->fell_back ? second : plan;
    if (status == IK_OK && taken)
        status = resilience_load(g, taken, env, p, err);
    ik_plan_free(second);
    ik_plan_free(plan);
    return status;
}

static ik_status resilience_judge(const ik_fabric *g, const ik_resilience_config *config,
                                  const ik_env *env, ik_resilience_point *p, ik_error *err)
{
    ik_status status = resilience_distances(g, env, p, err);
    return status == IK_OK ? resilience_reroute(g, config, env, p, err) : status;
}

/* A fabric of which nothing failed is not copied: the copy would not be intact, and some routings
 * take whole fabrics alone. *out is NULL then. */
static ik_status resilience_damage(const ik_fabric *f, const ik_loss *loss, uint64_t cables,
                                   const ik_floor_plan *floor, uint64_t seed, ik_fabric **out,
                                   ik_error *err)
{
    const ik_loss_kind kind = loss->kind;
    fail_spec lost = {.seed = seed, .floor = floor};
    char text[40];
    *out = NULL;
    if ((kind == IK_LOSS_CABLES && loss->amount * (double)cables < 0.5) ||
        (kind == IK_LOSS_SWITCHES && loss->amount * f->num_switches < 0.5))
        return IK_OK;
    if (kind == IK_LOSS_CABLES)
        snprintf(text, sizeof text, "%.17g", loss->amount);
    else if (loss->counted)
        snprintf(text, sizeof text, "%.0f", loss->amount);
    else
        snprintf(text, sizeof text, "%.15g%%", 100 * loss->amount); /* as a person writes it */
    lost.text = kind == IK_LOSS_CABLES ? text : NULL;
    lost.switch_share = kind == IK_LOSS_SWITCHES ? loss->amount : 0;
    lost.racks = kind == IK_LOSS_RACKS ? text : NULL;
    lost.trays = kind == IK_LOSS_TRAYS ? text : NULL;
    return fail_spec_apply(&lost, f, out, err);
}

static ik_status resilience_draw(const ik_fabric *f, const ik_resilience_config *config,
                                 const ik_env *env, ik_resilience_point *p, ik_error *err)
{
    uint64_t cables, left;
    ik_fabric *g = NULL;
    ik_status status = resilience_count_cables(f, &cables, err);
    if (status == IK_OK)
        status = resilience_damage(f, &p->loss, cables, config->floor, p->seed, &g, err);
    if (status == IK_OK && !g)
        return resilience_judge(f, config, env, p, err);
    if (status == IK_OK)
        status = resilience_count_cables(g, &left, err);
    if (status == IK_OK) {
        p->failed = (uint32_t)(cables - left);
        p->lost_hosts = resilience_count_uncabled(g) - resilience_count_uncabled(f);
        status = resilience_judge(g, config, env, p, err);
    }
    ik_fabric_free(g);
    return status;
}

static ik_status resilience_point(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    const resilience_work *w = ctx;
    const ik_resilience_config *config = w->config;
    ik_resilience_point p = {.loss = config->losses[index / config->seeds],
                             .seed = w->env->seed + index % config->seeds,
                             .saturation = NAN};
    ik_env env = *w->env;
    (void)thread;
    env.num_threads = 1;
    env.progress = NULL;
    ik_status status = resilience_draw(w->f, config, &env, &p, err);
    if (status == IK_OK)
        w->points[index] = p;
    return status;
}

static ik_status resilience_check(const ik_loss *loss, const ik_floor_plan *plan, ik_error *err)
{
    const bool of_floor = loss->kind == IK_LOSS_RACKS || loss->kind == IK_LOSS_TRAYS;
    const double amount = loss->amount;
    if (!(amount >= 0 && amount <= (loss->counted ? UINT32_MAX : 1)))
        return ik_fail(err, IK_ERR_USAGE, "%s %g: expected %s", ik_loss_kind_name(loss->kind),
                       amount, loss->counted ? "a number" : "a share from 0 to 1");
    if (loss->counted && (!of_floor || floor(amount) != amount))
        return ik_fail(err, IK_ERR_USAGE, "%s %g: expected %s", ik_loss_kind_name(loss->kind),
                       amount, of_floor ? "a whole number" : "a share");
    if (of_floor && !plan)
        return ik_fail(err, IK_ERR_USAGE, "without a floor plan there are no %s",
                       ik_loss_kind_name(loss->kind));
    return IK_OK;
}

ik_status ik_resilience_measure(const ik_fabric *f, const ik_resilience_config *config,
                                const ik_env *env, ik_resilience_point *points, ik_error *err)
{
    static const ik_env none = {0};
    resilience_work w = {f, config, env ? env : &none, points};
    if (!config->seeds)
        return ik_fail(err, IK_ERR_USAGE, "random failures need at least one seed");
    for (size_t i = 0; i < config->num_losses; i++) {
        ik_status status = resilience_check(&config->losses[i], config->floor, err);
        if (status != IK_OK)
            return status;
    }
    return ik_parallel_for_units(w.env, "random failures", "draws",
                                 config->num_losses * config->seeds, resilience_point, &w, err);
}
