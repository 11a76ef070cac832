/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/describe.h: fabrics and proofs as the JSON texts that the store keeps and the report
 * shows.
 */
#ifndef IKAT_EXPERIMENT_DESCRIBE_H
#define IKAT_EXPERIMENT_DESCRIBE_H

#include "ikat/verify.h"

/* Counts, rates, levels, findings. Free with free(). */
ik_status describe_fabric(const ik_fabric *f, char **json, ik_error *err);
/* Every node and link with what a picture of them needs. */
ik_status describe_drawing(const ik_fabric *f, char **json, size_t *size, ik_error *err);
/* extent: "full", "sampled" or "off"; flow: what freedom from deadlock is judged for. */
ik_status describe_proof(const ik_fabric *f, const ik_proof *proof, const char *extent,
                         const char *flow, char **json, ik_error *err);

#endif
