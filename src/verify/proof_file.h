/* SPDX-License-Identifier: Apache-2.0
 *
 * verify/proof_file.h: a proof as bytes.
 */
#ifndef IKAT_VERIFY_PROOF_FILE_H
#define IKAT_VERIFY_PROOF_FILE_H

#include "base/sha256.h"
#include "ikat/verify.h"

/* What is proved, and by which build: the name of a proof in a cache. */
typedef struct proof_key {
    uint8_t digest[SHA256_BYTES];
} proof_key;

/* *bytes: [*size], free with free(). */
ik_status proof_pack(const ik_proof *proof, const proof_key *key, uint8_t **bytes, size_t *size,
                     ik_error *err);
/* False, with *out untouched, unless these are the bytes of a whole proof of that key whose numbers
 * fit the fabric and the VCs, or if memory is short. The bytes may be anything. */
bool proof_unpack(const uint8_t *bytes, size_t size, const proof_key *key, const ik_fabric *f,
                  unsigned num_vcs, ik_proof *out);

#endif
