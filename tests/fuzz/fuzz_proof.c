/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_proof.c: any bytes as a file of the cache of proofs: no proof, or one whose numbers fit the
 * fabric and which comes back the same after it was written. The digest at the end is corrected
 * first, so that what lies before it is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "ikat/ikat.h"
#include "verify/proof_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input behind a mark and a key that fit, with its digest. */
static uint8_t *seal(const uint8_t *data, size_t size, const proof_key *key, size_t *total)
{
    uint8_t *bytes = malloc(8 + sizeof key->digest + size + SHA256_BYTES);
    sha256 s;
    if (!bytes)
        abort();
    *total = 8 + sizeof key->digest + size + SHA256_BYTES;
    memcpy(bytes, "ikatprf1", 8);
    memcpy(bytes + 8, key->digest, sizeof key->digest);
    if (size)
        memcpy(bytes + 8 + sizeof key->digest, data, size);
    sha256_begin(&s);
    sha256_add(&s, bytes, *total - SHA256_BYTES);
    sha256_end(&s, bytes + *total - SHA256_BYTES);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ik_fabric *f;
    static const proof_key key = {{1, 2, 3}};
    if (!f && ik_fabric_from_spec("ring:n=4,p=2", NULL, &f, NULL) != IK_OK)
        abort();
    ik_proof proof;
    if (proof_unpack(data, size, &key, f, 2, &proof))
        ik_proof_free(&proof);
    size_t total = 0;
    uint8_t *bytes = seal(data, size, &key, &total);
    if (proof_unpack(bytes, total, &key, f, 2, &proof)) {
        uint8_t *again = NULL;
        size_t length = 0;
        for (size_t i = 0; i < proof.witness_length; i++)
            if (proof.witness[i].channel >= f->num_ports || proof.witness[i].src >= f->num_hosts ||
                proof.witness[i].vc >= 2)
                abort();
        if (proof_pack(&proof, &key, &again, &length, NULL) != IK_OK || length != total ||
            memcmp(again, bytes, total) != 0)
            abort();
        free(again);
        ik_proof_free(&proof);
    }
    free(bytes);
    return 0;
}
