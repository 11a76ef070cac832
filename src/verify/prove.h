/* SPDX-License-Identifier: Apache-2.0
 *
 * One proof in the making, and the ways to walk all pairs for it.
 */
#ifndef IKAT_VERIFY_PROVE_H
#define IKAT_VERIFY_PROVE_H

#include "verify/cdg.h"
#include "verify/tally.h"

typedef struct prove_job {
    const ik_plan *plan;
    ik_verify_config config;
    const ik_env *env;
    walk_groups groups; /* of hosts that need not be distinguished */
    cdg graph;
    tally *tallies; /* [threads] */
    unsigned num_threads;
    bool sampled; /* fewer pairs are examined than there are */
    bool levels;  /* proved level by level, not destination by destination */
    ik_certificate certificate;
} prove_job;

/* certificate.c: makes job->certificate of the positions of VCs 0 … num_vcs-1 of all channels
 * ([channel][VC]), of which it keeps those that packets use. */
ik_status certificate_make(prove_job *job, const uint32_t *rank, unsigned num_vcs, bool direct,
                           ik_error *err);
/* Has ik_certificate_check look at a part of the pairs that costs little. */
ik_status certificate_look(const prove_job *job, const ik_proof *proof, ik_error *err);

/* Any plan: walks every initial state of every pair, merging packets that meet in one state.
 * Cost O(pairs * initial states + destinations * states * choices). */
ik_status prove_by_walking(prove_job *job, ik_error *err);
/* All initial states of a pair that stands for `weight` pairs and whose switches are `distance`
 * hops apart (IK_NONE: not connected); w is at dst. */
ik_status prove_walk_pair(prove_job *job, walk *w, tally *t, uint32_t src, uint32_t dst,
                          uint64_t weight, uint32_t distance, ik_error *err);

/* Plans whose ports depend on (switch, destination) alone and whose packets keep their VC: one
 * in-tree (or in-graph, if adaptive) a destination. Cost O(destinations * switches crossed). */
bool prove_fits_in_trees(const ik_plan *plan);
ik_status prove_by_in_trees(prove_job *job, ik_error *err);

/* Plans whose routing ascends alike, or fully, on a whole tree (routing/tree/tree_counts.h), on one
 * VC: level by level. *fits: false if the routing does not keep what it declares; nothing is
 * written then. Cost O(hosts * levels + channels * words of a row). */
bool prove_fits_by_levels(const ik_plan *plan);
ik_status prove_by_levels(prove_job *job, bool *fits, ik_error *err);

/* Plans whose packets go in legs (vc/legs.h): leg by leg. *fits: false if the routing does not keep
 * what it declares; the graph and the counts are void then. */
ik_status prove_by_legs(prove_job *job, bool *fits, ik_error *err);

/* Any plan: walks config.sample_pairs drawn pairs. Cost O(those * initial states * states of a
 * path). */
ik_status prove_by_sample(prove_job *job, ik_error *err);

/* Fills in the pairs that cause the dependencies of a cycle. */
ik_status prove_causes(prove_job *job, ik_dependency *cycle, size_t length, ik_error *err);

/* A way from src to dst that does not arrive: its channels from the host on, until it ends or
 * crosses a channel again. */
ik_status prove_lost_path(prove_job *job, uint32_t src, uint32_t dst, uint32_t **path,
                          size_t *length, ik_error *err);

/* Does the routing's livelock order fall at every hop? IK_UNKNOWN if it declares none. */
ik_status prove_order(prove_job *job, ik_verdict *ordered, ik_error *err);

/* Judges a plan whose graph has a cycle by its escape layer, VCs 0 … escape_vcs-1: sets *proof's
 * verdict on deadlocks, its condition and reason, and, where the layer itself is the cause, its
 * witness or gap. */
ik_status prove_escape(prove_job *job, ik_proof *proof, ik_error *err);

/* Does the scheme (and the routing) treat the hosts of a switch alike? */
bool prove_by_switch(const ik_plan *plan);

#endif
