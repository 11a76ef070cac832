/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of hosts that need not be distinguished, and how far and through which phases a routing's
 * packets go.
 */
#include "vc/legs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void reach_add_host(const ik_fabric *f, uint32_t host, bool by_switch,
                           uint32_t *group_of_switch, walk_groups *groups)
{
    assert(host < f->num_hosts);
    uint32_t port = ik_host_port(f, host);
    if (port == IK_NONE) {
        groups->stray++;
        return;
    }
    uint32_t sw = ik_peer_node(f, port);
    if (by_switch && ik_host_cables(f, host) == 1) {
        if (group_of_switch[sw]) {
            walk_group *group = &groups->group[group_of_switch[sw] - 1];
            group->second = group->size++ == 1 ? host : group->second;
            return;
        }
        group_of_switch[sw] = groups->num + 1;
    }
    groups->group[groups->num++] =
        (walk_group){.first = host, .second = IK_NONE, .size = 1, .sw = sw};
}

ik_status walk_groups_make(const ik_fabric *f, bool by_switch, walk_groups *out, ik_error *err)
{
    walk_groups groups = {.group = ik_calloc((size_t)f->num_hosts + 1, sizeof *groups.group)};
    uint32_t *group_of_switch = ik_calloc((size_t)f->num_switches + 1, sizeof *group_of_switch);
    if (!groups.group || !group_of_switch) {
        free(groups.group);
        free(group_of_switch);
        return ik_fail_memory(err, (size_t)f->num_hosts * sizeof *groups.group, "groups of hosts");
    }
    for (uint32_t host = 0; host < f->num_hosts; host++)
        reach_add_host(f, host, by_switch, group_of_switch, &groups);
    free(group_of_switch);
    *out = groups;
    return IK_OK;
}

void walk_groups_free(walk_groups *groups)
{
    free(groups->group);
}

static ik_status reach_refuse_loop(const ik_plan *plan, uint32_t src, uint32_t dst, ik_error *err)
{
    return ik_fail(err, IK_ERR_UNSUPPORTED,
                   "routing '%s' lets packets from host %u to host %u go in a loop",
                   plan->routing->family->name, src, dst);
}

/* ---- leg by leg */

typedef struct legs_reach {
    const ik_plan *plan;
    walk_reach *reach; /* [threads] */
} legs_reach;

static void reach_note_legs_phase(void *ctx, unsigned thread, const legs_state *s)
{
    walk_reach *reach = &((legs_reach *)ctx)->reach[thread];
    reach->phase = s->num_edges > 0 && s->phase > reach->phase ? s->phase : reach->phase;
}

static ik_status reach_note_legs_pair(void *ctx, unsigned thread, const legs_pair *p, ik_error *err)
{
    const legs_reach *job = ctx;
    walk_reach *reach = &job->reach[thread];
    reach->hops = p->all.longest > reach->hops ? p->all.longest : reach->hops;
    return p->all.flaws & WALK_LOOP ? reach_refuse_loop(job->plan, p->src, p->dst, err) : IK_OK;
}

/* ---- pair by pair */

typedef struct reach_job {
    const ik_plan *plan;
    const walk_groups *groups;
    const ik_env *env;
    walk **walks;      /* [threads] */
    walk_reach *reach; /* [threads] */
} reach_job;

static void reach_note_phase(void *ctx, const walk_hop *hop)
{
    walk_reach *reach = ctx;
    reach->phase = hop->pk->phase > reach->phase ? hop->pk->phase : reach->phase;
}

static ik_status reach_destination(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    reach_job *job = ctx;
    walk_reach *reach = &job->reach[thread];
    uint32_t dst = job->groups->group[index].first;
    walk_begin(job->walks[thread], dst);
    for (uint32_t g = 0; g < job->groups->num; g++) {
        uint32_t src = walk_plan_source(job->plan, &job->groups->group[g], dst);
        uint32_t starts = src == IK_NONE ? 0 : ik_plan_num_starts(job->plan, src, dst);
        for (uint32_t n = 0; n < starts; n++) {
            if (ik_env_cancelled(job->env)) /* one destination can take long */
                return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
            walk_outcome outcome;
            ik_status status =
                walk_from(job->walks[thread], src, n, reach_note_phase, reach, &outcome, err);
            if (status != IK_OK)
                return status;
            if (outcome.flaws & WALK_LOOP)
                return reach_refuse_loop(job->plan, src, dst, err);
            reach->hops = outcome.longest > reach->hops ? outcome.longest : reach->hops;
        }
    }
    return IK_OK;
}

static ik_status reach_by_pairs(reach_job *job, unsigned threads, ik_error *err)
{
    job->walks = ik_calloc(threads, sizeof *job->walks);
    ik_status status = job->walks ? IK_OK : ik_fail_memory(err, threads, "a walk");
    for (unsigned t = 0; t < threads && status == IK_OK; t++) {
        job->walks[t] = walk_new(job->plan);
        status = job->walks[t] ? IK_OK : ik_fail_memory(err, 0, "a walk");
    }
    if (status == IK_OK) {
        status = ik_parallel_for_units(job->env, "longest paths", "destinations", job->groups->num,
                                       reach_destination, job, err);
    }
    for (unsigned t = 0; job->walks && t < threads; t++)
        walk_free(job->walks[t]);
    free(job->walks);
    return status;
}

/* Leg by leg if the routing goes in legs. */
static ik_status reach_run_reach(reach_job *job, unsigned threads, ik_error *err)
{
    bool fits = legs_fit(job->plan);
    if (fits) {
        legs_reach legs = {job->plan, job->reach};
        legs_visitor visitor = {.ctx = &legs,
                                .what = "longest paths",
                                .unconnected_too = true,
                                .state = reach_note_legs_phase,
                                .pair = reach_note_legs_pair};
        ik_status status = legs_walk(job->plan, job->groups, &visitor, job->env, &fits, err);
        if (status != IK_OK || fits)
            return status;
        memset(job->reach, 0, threads * sizeof *job->reach);
    }
    return reach_by_pairs(job, threads, err);
}

ik_status walk_routing_reach(const ik_fabric *f, const ik_routing *routing, const ik_env *env,
                             walk_reach *out, ik_error *err)
{
    /* One lane for all: VCs do not bear on where packets go. */
    ik_vc lane = {
        .family = ik_vc_find("1q"), .fabric = f, .routing = routing, .num_vcs = 1, .vcs_needed = 1};
    ik_plan plan = {.fabric = f,
                    .routing = (ik_routing *)routing,
                    .vc = &lane,
                    .num_vcs = 1,
                    .max_radix = ik_max_radix(f)};
    walk_groups groups;
    /* Of hosts with several cables each port is used for other peers. */
    bool by_switch = !routing->rails && (routing->traits & IK_ROUTE_PER_SWITCH);
    ik_status status = walk_groups_make(f, by_switch, &groups, err);
    if (status != IK_OK)
        return status;
    unsigned threads = ik_env_threads(env);
    reach_job job = {.plan = &plan,
                     .groups = &groups,
                     .env = env,
                     .reach = ik_calloc(threads, sizeof *job.reach)};
    status =
        job.reach ? reach_run_reach(&job, threads, err) : ik_fail_memory(err, threads, "a walk");
    walk_reach most = {0};
    for (unsigned t = 0; status == IK_OK && t < threads; t++) {
        most.hops = job.reach[t].hops > most.hops ? job.reach[t].hops : most.hops;
        most.phase = job.reach[t].phase > most.phase ? job.reach[t].phase : most.phase;
    }
    free(job.reach);
    walk_groups_free(&groups);
    if (status == IK_OK)
        *out = most;
    return status;
}
