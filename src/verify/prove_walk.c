/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs of any plan, destination by destination.
 */
#include "verify/prove.h"

#include <stdlib.h>

typedef struct scratch {
    walk *walk;
    uint32_t *distance, *queue; /* [num_switches] */
} scratch;

typedef struct walk_job {
    prove_job *job;
    scratch *scratch; /* [threads] */
} walk_job;

bool prove_by_switch(const ik_plan *plan)
{
    return !plan->routing->rails && (plan->routing->traits & IK_ROUTE_PER_SWITCH) &&
           (plan->vc->family->ignores & IK_VC_BY_SWITCH);
}

static void add_hop(void *ctx, const walk_hop *hop)
{
    cdg_add(ctx, hop->in_port, hop->pk->vc, hop->out_port, hop->vc_first, hop->vc_last);
}

ik_status prove_walk_pair(prove_job *job, walk *w, tally *t, uint32_t src, uint32_t dst,
                          uint64_t weight, uint32_t distance, ik_error *err)
{
    walk_outcome all = {0};
    uint32_t starts = ik_plan_num_starts(job->plan, src, dst);
    all.flaws = starts == 0 ? WALK_DEAD_END : 0;
    for (uint32_t n = 0; n < starts && distance != IK_NONE; n++) {
        walk_outcome one;
        ik_status status = walk_from(w, src, n, add_hop, &job->graph, &one, err);
        if (status == IK_OK && one.flaws == 0) {
            status = tally_length(t, one.preferred, weight, err);
        }
        if (status != IK_OK) {
            return status;
        }
        all.flaws |= one.flaws;
        all.longest = one.longest > all.longest ? one.longest : all.longest;
    }
    tally_pair(t, src, dst, weight, distance, &all);
    return IK_OK;
}

static void note_vcs(const walk *w, tally *t)
{
    for (uint32_t state = 0; state < walk_num_states(w); state++) {
        tally_vc(t, walk_state_vc(w, state));
    }
}

static ik_status walk_destination(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    walk_job *work = ctx;
    prove_job *job = work->job;
    scratch *s = &work->scratch[thread];
    tally *t = &job->tallies[thread];
    const walk_group *to = &job->groups.group[index];
    tally_distances(job->plan->fabric, to->first, s->distance, s->queue);
    walk_begin(s->walk, to->first);
    for (uint32_t g = 0; g < job->groups.num; g++) {
        const walk_group *from = &job->groups.group[g];
        uint32_t src = walk_plan_source(job->plan, from, to->first);
        uint64_t weight = (uint64_t)to->size * (from == to ? from->size - 1 : from->size);
        /* a destination takes long */
        ik_status status = ik_env_cancelled(job->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled")
                           : src == IK_NONE           ? IK_OK
                                            : prove_walk_pair(job, s->walk, t, src, to->first,
                                                              weight, s->distance[from->sw], err);
        if (status != IK_OK) {
            return status;
        }
    }
    note_vcs(s->walk, t);
    return IK_OK;
}

ik_status prove_by_walking(prove_job *job, ik_error *err)
{
    walk_job work = {.job = job, .scratch = ik_calloc(job->num_threads, sizeof *work.scratch)};
    uint32_t num_switches = job->plan->fabric->num_switches;
    bool complete = work.scratch != NULL;
    for (unsigned t = 0; complete && t < job->num_threads; t++) {
        scratch *s = &work.scratch[t];
        s->walk = walk_new(job->plan);
        s->distance = ik_calloc((size_t)num_switches + 1, sizeof *s->distance);
        s->queue = ik_calloc((size_t)num_switches + 1, sizeof *s->queue);
        complete = s->walk && s->distance && s->queue;
    }
    ik_status status = complete
                           ? ik_parallel_for_units(job->env, "proof", "destinations",
                                                   job->groups.num, walk_destination, &work, err)
                           : ik_fail_memory(err, (size_t)num_switches * 8, "a proof");
    for (unsigned t = 0; work.scratch && t < job->num_threads; t++) {
        walk_free(work.scratch[t].walk);
        free(work.scratch[t].distance);
        free(work.scratch[t].queue);
    }
    free(work.scratch);
    return status;
}
