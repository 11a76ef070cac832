/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs of any plan, destination by destination.
 */
#include "verify/dest_walk.h"
#include "verify/prove.h"

#include <assert.h>

typedef struct walk_job {
    prove_job *job;
    dest_walk *walks; /* [threads] */
} walk_job;

bool prove_by_switch(const ik_plan *plan)
{
    return !plan->routing->rails && (plan->routing->traits & IK_ROUTE_PER_SWITCH) &&
           (plan->vc->family->ignores & IK_VC_BY_SWITCH);
}

static void prove_walk_add_hop(void *ctx, const walk_hop *hop)
{
    cdg_add(ctx, hop->in_port, hop->pk->vc, hop->out_port, hop->vc_first, hop->vc_last);
}

ik_status prove_walk_pair(prove_job *job, walk *w, tally *t, uint32_t src, uint32_t dst,
                          uint64_t weight, uint32_t distance, ik_error *err)
{
    assert(src != dst && weight > 0);
    walk_outcome all = {0};
    uint32_t starts = ik_plan_num_starts(job->plan, src, dst);
    all.flaws = starts == 0 ? WALK_DEAD_END : 0;
    for (uint32_t n = 0; n < starts && distance != IK_NONE; n++) {
        walk_outcome one;
        ik_status status = walk_from(w, src, n, prove_walk_add_hop, &job->graph, &one, err);
        if (status == IK_OK && one.flaws == 0)
            status = tally_length(t, one.preferred, weight, err);
        if (status != IK_OK)
            return status;
        all.flaws |= one.flaws;
        all.longest = one.longest > all.longest ? one.longest : all.longest;
    }
    tally_pair(t, src, dst, weight, distance, &all);
    return IK_OK;
}

static void prove_walk_note_vcs(const walk *w, tally *t)
{
    for (uint32_t state = 0; state < walk_num_states(w); state++)
        tally_vc(t, walk_state_vc(w, state));
}

static ik_status prove_walk_destination(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    walk_job *work = ctx;
    prove_job *job = work->job;
    dest_walk *s = &work->walks[thread];
    tally *t = &job->tallies[thread];
    const walk_group *to = &job->groups.group[index];
    dest_walk_begin(s, job->plan->fabric, to->first);
    for (uint32_t g = 0; g < job->groups.num; g++) {
        const walk_group *from = &job->groups.group[g];
        uint32_t src = walk_plan_source(job->plan, from, to->first);
        uint64_t weight = (uint64_t)to->size * (from == to ? from->size - 1 : from->size);
        /* a destination takes long */
        ik_status status = ik_env_cancelled(job->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled")
                           : src == IK_NONE           ? IK_OK
                                            : prove_walk_pair(job, s->walk, t, src, to->first,
                                                              weight, s->distance[from->sw], err);
        if (status != IK_OK)
            return status;
    }
    prove_walk_note_vcs(s->walk, t);
    return IK_OK;
}

ik_status prove_by_walking(prove_job *job, ik_error *err)
{
    walk_job work = {.job = job, .walks = dest_walks_new(job->plan, job->num_threads)};
    if (!work.walks)
        return ik_fail_memory(err, (size_t)job->plan->fabric->num_switches * 8, "a proof");
    ik_status status = ik_parallel_for_units(job->env, "proof", "destinations", job->groups.num,
                                             prove_walk_destination, &work, err);
    dest_walks_free(work.walks, job->num_threads);
    return status;
}
