/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs of a plan that goes in legs: what vc/legs.h finds, as dependencies and counts.
 */
#include "verify/prove.h"

#include "vc/legs.h"

#include <stdlib.h>
#include <string.h>

typedef struct scratch {
    uint32_t *distance, *queue; /* [num_switches] */
    uint32_t dst;               /* that they are about, IK_NONE = none */
    uint64_t *onward;           /* [num_vcs][words] ports that packets may take next */
} scratch;

typedef struct legs_proof {
    prove_job *job;
    scratch *scratch; /* [threads] */
} legs_proof;

/* The channels ahead of a state as rows of the graph, by VC. */
static void prove_legs_gather_onward(const cdg *g, scratch *s, const legs_state *state)
{
    memset(s->onward, 0, g->num_vcs * g->words * sizeof *s->onward);
    for (uint32_t e = 0; e < state->num_edges; e++) {
        const leg_edge *edge = &state->edges[e];
        if (g->channel_of_port[edge->out_port] != IK_NONE) {
            uint32_t bit = ik_port_local(g->fabric, edge->out_port);
            s->onward[edge->vc * g->words + bit / 64] |= (uint64_t)1 << bit % 64;
            cdg_use((cdg *)g, cdg_vertex(g, g->channel_of_port[edge->out_port], edge->vc));
        }
    }
}

static void prove_legs_write_dependencies(void *ctx, unsigned thread, const legs_state *state)
{
    legs_proof *work = ctx;
    cdg *g = &work->job->graph;
    scratch *s = &work->scratch[thread];
    const ik_fabric *f = g->fabric;
    tally_vc(&work->job->tallies[thread], state->vc);
    prove_legs_gather_onward(g, s, state);
    for (size_t word = 0; word < g->words; word++) {
        for (uint64_t bits = state->in_ports[word]; bits; bits &= bits - 1) {
            uint32_t port =
                f->port_base[state->sw] + (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            size_t vertex = cdg_vertex(g, g->channel_of_port[f->port_peer[port]], state->vc);
            for (unsigned vc = 0; vc < g->num_vcs; vc++) {
                for (size_t i = 0; i < g->words; i++) {
                    uint64_t onward = s->onward[vc * g->words + i];
                    if (onward)
                        cdg_or(cdg_row(g, vertex, vc) + i, onward);
                }
            }
        }
    }
}

static ik_status prove_legs_count_pair(void *ctx, unsigned thread, const legs_pair *p,
                                       ik_error *err)
{
    legs_proof *work = ctx;
    prove_job *job = work->job;
    scratch *s = &work->scratch[thread];
    if (s->dst != p->dst) {
        tally_distances(job->plan->fabric, p->dst, s->distance, s->queue);
        s->dst = p->dst;
    }
    uint32_t distance = s->distance[job->groups.group[p->src_group].sw];
    for (uint32_t hops = 0; hops < p->num_lengths && distance != IK_NONE; hops++) {
        ik_status status = p->lengths[hops] == 0 ? IK_OK
                                                 : tally_length(&job->tallies[thread], hops,
                                                                p->weight * p->lengths[hops], err);
        if (status != IK_OK)
            return status;
    }
    tally_pair(&job->tallies[thread], p->src, p->dst, p->weight, distance, &p->all);
    return IK_OK;
}

ik_status prove_by_legs(prove_job *job, bool *fits, ik_error *err)
{
    size_t num = (size_t)job->plan->fabric->num_switches + 1;
    legs_proof work = {.job = job, .scratch = ik_calloc(job->num_threads, sizeof *work.scratch)};
    bool complete = work.scratch != NULL;
    for (unsigned t = 0; complete && t < job->num_threads; t++) {
        work.scratch[t] =
            (scratch){.distance = ik_calloc(num, sizeof(uint32_t)),
                      .queue = ik_calloc(num, sizeof(uint32_t)),
                      .dst = IK_NONE,
                      .onward = ik_calloc((size_t)job->graph.num_vcs * job->graph.words + 1,
                                          sizeof(uint64_t))};
        complete = work.scratch[t].distance && work.scratch[t].queue && work.scratch[t].onward;
    }
    legs_visitor visitor = {.ctx = &work,
                            .what = "proof",
                            .state = prove_legs_write_dependencies,
                            .pair = prove_legs_count_pair};
    ik_status status = complete ? legs_walk(job->plan, &job->groups, &visitor, job->env, fits, err)
                                : ik_fail_memory(err, num * 8, "a proof");
    for (unsigned t = 0; work.scratch && t < job->num_threads; t++) {
        free(work.scratch[t].distance);
        free(work.scratch[t].queue);
        free(work.scratch[t].onward);
    }
    free(work.scratch);
    return status;
}
