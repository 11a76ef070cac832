/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/store_pack.c: arrays and texts as a results file holds them: deflated.
 */
#include "experiment/store.h"

#include <stdlib.h>
#include <zlib.h>

/* Levels 5 and 6 take two and six times as long for drawings that are 4 and 6 % smaller. */
enum { LEVEL = 4 };

ik_status store_deflate(const void *data, size_t bytes, void **blob, size_t *size, ik_error *err)
{
    uLongf room = compressBound((uLong)bytes);
    unsigned char *out = malloc(room + 8);
    if (!out)
        return ik_fail_memory(err, room + 8, "a compressed array");
    for (unsigned i = 0; i < 8; i++)
        out[i] = (unsigned char)((uint64_t)bytes >> (8 * i));
    if (compress2(out + 8, &room, data, (uLong)bytes, LEVEL) != Z_OK) {
        free(out);
        return ik_fail_memory(err, bytes, "a compressed array");
    }
    *blob = out;
    *size = room + 8;
    return IK_OK;
}

ik_status store_inflate(const void *blob, size_t size, char **data, size_t *bytes, ik_error *err)
{
    static const uint64_t most = UINT64_C(1) << 36;
    const unsigned char *in = blob;
    uint64_t want = 0;
    for (unsigned i = 0; i < 8 && size >= 8; i++)
        want |= (uint64_t)in[i] << (8 * i);
    /* deflate packs at most about 1032 to 1: a larger claim is no array of ours */
    if (size < 8 || want > most || want > (size - 8) * 1100)
        return ik_fail(err, IK_ERR_INPUT, "the results file has a damaged array");
    char *out = malloc((size_t)want + 1);
    if (!out)
        return ik_fail_memory(err, (size_t)want + 1, "an array of results");
    uLongf got = (uLongf)want;
    uLong used = (uLong)(size - 8);
    int code = uncompress2((Bytef *)out, &got, in + 8, &used);
    if (code != Z_OK || got != want || used != size - 8) {
        free(out);
        return code == Z_MEM_ERROR
                   ? ik_fail_memory(err, (size_t)want, "an array of results")
                   : ik_fail(err, IK_ERR_INPUT, "the results file has a damaged array");
    }
    out[want] = '\0';
    *data = out;
    *bytes = (size_t)want;
    return IK_OK;
}

ik_status store_pack(const uint64_t *words, size_t num, void **blob, size_t *size, ik_error *err)
{
    unsigned char *bytes = ik_calloc(num ? num : 1, 8);
    if (!bytes)
        return ik_fail_memory(err, num * 8, "an array of results");
    for (size_t i = 0; i < num; i++)
        for (unsigned b = 0; b < 8; b++)
            bytes[8 * i + b] = (unsigned char)(words[i] >> (8 * b));
    ik_status status = store_deflate(bytes, num * 8, blob, size, err);
    free(bytes);
    return status;
}

ik_status store_unpack(const void *blob, size_t size, uint64_t **words, size_t *num, ik_error *err)
{
    char *bytes = NULL;
    size_t got = 0;
    ik_status status = store_inflate(blob, size, &bytes, &got, err);
    if (status != IK_OK)
        return status;
    if (got % 8) {
        free(bytes);
        return ik_fail(err, IK_ERR_INPUT, "the results file has a damaged array");
    }
    uint64_t *out = ik_calloc(got / 8 + 1, sizeof *out);
    if (!out) {
        free(bytes);
        return ik_fail_memory(err, got, "an array of results");
    }
    for (size_t i = 0; i < got / 8; i++)
        for (unsigned b = 0; b < 8; b++)
            out[i] |= (uint64_t)(unsigned char)bytes[8 * i + b] << (8 * b);
    free(bytes);
    *words = out;
    *num = got / 8;
    return IK_OK;
}
