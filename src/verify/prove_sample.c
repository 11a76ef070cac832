/* SPDX-License-Identifier: Apache-2.0
 *
 * A sample of pairs: all pairs in the order of (destination, source) are divided into as many runs
 * as pairs are wanted, and one pair of each run is drawn. So they are different ones, every pair is
 * as likely as any other (runs differ by one in length), and who draws which does not matter.
 */
#include "verify/dest_walk.h"
#include "verify/prove.h"

#include <stdlib.h>

typedef struct sample_job {
    prove_job *job;
    dest_walk *walks; /* [threads] */
    uint32_t *dst;    /* [threads] that its walk is about, IK_NONE = none */
} sample_job;

static void prove_sample_draw_pair(const prove_job *job, uint64_t index, uint32_t *src,
                                   uint32_t *dst)
{
    const ik_split *split = job->plan->fabric->split;
    uint64_t hosts = split ? split->whole->num_hosts : job->plan->fabric->num_hosts,
             others = hosts - 1, pairs = others * hosts;
    uint64_t runs = job->config.sample_pairs, longer = pairs % runs,
             length = pairs / runs + (index < longer);
    uint64_t first = index * (pairs / runs) + (index < longer ? index : longer);
    uint64_t pair =
        first + ik_random_u64(job->env ? job->env->seed : 0, IK_RNG_ANALYSIS, 0, index) % length;
    *dst = (uint32_t)(pair / others);
    *src = (uint32_t)(pair % others);
    *src += *src >= *dst;
    uint32_t rails = ik_rails_count(job->plan->routing, *src, *dst);
    uint32_t rail =
        ik_random_below(job->env ? job->env->seed : 0, IK_RNG_ANALYSIS, 1, index, rails);
    ik_rails_nth(job->plan->routing, *src, *dst, rail, src, dst);
}

static ik_status prove_pair(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    sample_job *work = ctx;
    prove_job *job = work->job;
    dest_walk *s = &work->walks[thread];
    uint32_t src, dst;
    prove_sample_draw_pair(job, index, &src, &dst);
    if (work->dst[thread] != dst) {
        dest_walk_begin(s, job->plan->fabric, dst);
        work->dst[thread] = dst;
    }
    uint32_t from = ik_host_switch(job->plan->fabric, src), known = walk_num_states(s->walk);
    ik_status status = prove_walk_pair(job, s->walk, &job->tallies[thread], src, dst, 1,
                                       from == IK_NONE ? IK_NONE : s->distance[from], err);
    for (uint32_t state = known; state < walk_num_states(s->walk); state++)
        tally_vc(&job->tallies[thread], walk_state_vc(s->walk, state));
    return status;
}

ik_status prove_by_sample(prove_job *job, ik_error *err)
{
    sample_job work = {.job = job,
                       .walks = dest_walks_new(job->plan, job->num_threads),
                       .dst = ik_calloc(job->num_threads, sizeof *work.dst)};
    for (unsigned t = 0; work.dst && t < job->num_threads; t++)
        work.dst[t] = IK_NONE;
    ik_status status =
        work.walks && work.dst
            ? ik_parallel_for_units(job->env, "proof of a sample", "pairs",
                                    job->config.sample_pairs, prove_pair, &work, err)
            : ik_fail_memory(err, (size_t)job->plan->fabric->num_switches * 8, "a proof");
    dest_walks_free(work.walks, job->num_threads);
    free(work.dst);
    return status;
}
