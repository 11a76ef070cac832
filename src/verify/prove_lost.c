/* SPDX-License-Identifier: Apache-2.0
 *
 * Showing how a packet gets lost: from an initial state that can fail, always on to a state that
 * can fail, until there is none or one comes back.
 */
#include "verify/prove.h"

#include <stdlib.h>

/* The choice of a state that leads to the loss: one that ends without delivering, or one whose
 * state has a flaw. NULL = the state itself has no choice. */
static const walk_edge *prove_lost_failing_edge(const walk *w, uint32_t state)
{
    for (const walk_edge *e = walk_first_edge(w, state); e; e = walk_next_edge(w, e))
        if (e->to == IK_NONE ? !e->delivers : walk_state_outcome(w, e->to).flaws != 0)
            return e;
    return NULL;
}

/* A routing that counts hops goes round in ever new states; the channel that comes again ends the
 * way for the eye. */
static ik_status prove_lost_follow_loss(const walk *w, const ik_fabric *f, uint32_t **path,
                                        size_t *length, ik_error *err)
{
    uint32_t *channels = ik_calloc((size_t)f->num_ports + 2, sizeof *channels);
    bool *crossed = ik_calloc((size_t)f->num_ports + 1, sizeof *crossed);
    if (!channels || !crossed) {
        free(channels);
        free(crossed);
        return ik_fail_memory(err, (size_t)f->num_ports * 5, "a lost path");
    }
    size_t n = 0;
    uint32_t state = 0, channel = f->port_peer[walk_state_port(w, 0)];
    bool again = false;
    while (channel != IK_NONE && !again) {
        channels[n++] = channel;
        again = crossed[channel];
        crossed[channel] = true;
        const walk_edge *e = state == IK_NONE ? NULL : prove_lost_failing_edge(w, state);
        channel = e ? e->out_port : IK_NONE;
        state = e ? e->to : IK_NONE;
    }
    free(crossed);
    *path = channels;
    *length = n;
    return IK_OK;
}

ik_status prove_lost_path(prove_job *job, uint32_t src, uint32_t dst, uint32_t **path,
                          size_t *length, ik_error *err)
{
    walk *w = walk_new(job->plan);
    if (!w)
        return ik_fail_memory(err, 0, "a walk");
    uint32_t starts = ik_plan_num_starts(job->plan, src, dst);
    ik_status status = IK_OK;
    for (uint32_t n = 0; n < starts && status == IK_OK; n++) {
        walk_outcome outcome;
        walk_begin(w, dst);
        status = walk_from(w, src, n, NULL, NULL, &outcome, err);
        if (status == IK_OK && outcome.flaws) {
            status = prove_lost_follow_loss(w, job->plan->fabric, path, length, err);
            break;
        }
    }
    walk_free(w);
    return status;
}
