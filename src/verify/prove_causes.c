/* SPDX-License-Identifier: Apache-2.0
 *
 * Which pairs cause the dependencies of a cycle: destination by destination, does any state hold
 * the one channel and may take the other? Then source by source, from an empty walk, to find the
 * first that gets there. Costs a second round of walks at worst; only failed proofs pay it.
 */
#include "verify/prove.h"

#include <assert.h>

/* Does some state of the walk hold cycle[i] and may go on by cycle[i + 1]? */
static bool prove_causes_shows(const walk *w, const ik_fabric *f, const ik_dependency *from,
                               const ik_dependency *to)
{
    for (uint32_t state = 0; state < walk_num_states(w); state++) {
        if (f->port_peer[walk_state_port(w, state)] != from->channel ||
            walk_state_vc(w, state) != from->vc)
            continue;
        for (const walk_edge *e = walk_first_edge(w, state); e; e = walk_next_edge(w, e))
            if (e->out_port == to->channel && e->vc == to->vc)
                return true;
    }
    return false;
}

/* The first source of packets to dst that causes the dependency at index i, which one of them
 * does. */
static ik_status prove_causes_find_source(const prove_job *job, walk *w, uint32_t dst,
                                          ik_dependency *cycle, size_t length, size_t i,
                                          ik_error *err)
{
    assert(i < length);
    for (uint32_t g = 0; g < job->groups.num; g++) {
        uint32_t src = walk_plan_source(job->plan, &job->groups.group[g], dst);
        if (src == IK_NONE)
            continue;
        walk_begin(w, dst);
        ik_status status = walk_from_all(w, src, err);
        if (status != IK_OK)
            return status;
        if (prove_causes_shows(w, job->plan->fabric, &cycle[i], &cycle[(i + 1) % length])) {
            cycle[i].src = src;
            cycle[i].dst = dst;
            return IK_OK;
        }
    }
    return ik_fail(err, IK_ERR_INTERNAL, "no source causes a dependency that destination %u shows",
                   dst);
}

static ik_status prove_causes_look_at(const prove_job *job, walk *all, walk *one, uint32_t dst,
                                      ik_dependency *cycle, size_t length, size_t *missing,
                                      ik_error *err)
{
    walk_begin(all, dst);
    for (uint32_t g = 0; g < job->groups.num; g++) {
        uint32_t src = walk_plan_source(job->plan, &job->groups.group[g], dst);
        ik_status status = src == IK_NONE ? IK_OK : walk_from_all(all, src, err);
        if (status != IK_OK)
            return status;
    }
    for (size_t i = 0; i < length; i++) {
        if (cycle[i].dst != IK_NONE ||
            !prove_causes_shows(all, job->plan->fabric, &cycle[i], &cycle[(i + 1) % length]))
            continue;
        ik_status status = prove_causes_find_source(job, one, dst, cycle, length, i, err);
        if (status != IK_OK)
            return status;
        (*missing)--;
    }
    return IK_OK;
}

ik_status prove_causes(prove_job *job, ik_dependency *cycle, size_t length, ik_error *err)
{
    walk *all = walk_new(job->plan), *one = walk_new(job->plan);
    ik_status status = all && one ? IK_OK : ik_fail_memory(err, 0, "a walk");
    size_t missing = length;
    for (uint32_t g = 0; g < job->groups.num && missing > 0 && status == IK_OK; g++) {
        status = ik_env_cancelled(job->env)
                     ? ik_fail(err, IK_ERR_CANCELLED, "cancelled")
                     : prove_causes_look_at(job, all, one, job->groups.group[g].first, cycle,
                                            length, &missing, err);
    }
    walk_free(all);
    walk_free(one);
    return status;
}
