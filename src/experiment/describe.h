/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/describe.h: fabrics and proofs as the JSON texts that the store keeps and the report
 * shows.
 */
#ifndef IKAT_EXPERIMENT_DESCRIBE_H
#define IKAT_EXPERIMENT_DESCRIBE_H

#include "ikat/routing.h"
#include "ikat/verify.h"

/* Counts, rates, levels, findings. Free with free(). */
ik_status describe_fabric(const ik_fabric *f, char **json, ik_error *err);
/* Every node and link with what a picture of them needs. */
ik_status describe_drawing(const ik_fabric *f, char **json, size_t *size, ik_error *err);
/* extent: "full", "sampled" or "off"; flow: what freedom from deadlock is judged for. */
ik_status describe_proof(const ik_fabric *f, const ik_proof *proof, const char *extent,
                         const char *flow, char **json, ik_error *err);

/* Which channels packets of each pair of hosts of `f` may take under a plan for it: an object with
 * `lists` (of channels, ascending; with those of hosts if `ends`) and `of` ([source][destination]
 * number of a list + 1, 0 = no packet is delivered); or with `above`, what there is too much of:
 * "hosts", "ways", "different routes". At most some three megabytes, made in at most about a
 * second. Free with free(). */
ik_status describe_routes(const ik_fabric *f, const ik_plan *plan, char **json, ik_error *err);

#endif
