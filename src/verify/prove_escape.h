/* SPDX-License-Identifier: Apache-2.0
 *
 * What the proof of an escape layer and its witness share.
 */
#ifndef IKAT_VERIFY_PROVE_ESCAPE_H
#define IKAT_VERIFY_PROVE_ESCAPE_H

#include "verify/escape_graph.h"
#include "verify/prove.h"

/* Walks all pairs to dst that the fabric connects. distance: see tally_distances(). */
ik_status escape_walk_all(const prove_job *job, walk *w, const uint32_t *distance, uint32_t dst,
                          ik_error *err);

/* Writes a cycle of the layer's graph to *proof, each dependency with the channels outside the
 * layer that it leads through and a pair of hosts whose packets have it. */
ik_status escape_witness(const prove_job *job, const escape_graph *g, const size_t *cycle,
                         size_t length, ik_proof *proof, ik_error *err);

#endif
