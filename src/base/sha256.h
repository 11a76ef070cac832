/* SPDX-License-Identifier: Apache-2.0
 *
 * base/sha256.h: SHA-256 (FIPS 180-4), for names of things by their contents.
 */
#ifndef IKAT_BASE_SHA256_H
#define IKAT_BASE_SHA256_H

#include <sha2.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = SHA256_DIGEST_LENGTH, SHA256_HEX = 2 * SHA256_BYTES + 1 };

typedef struct sha256 {
    SHA2_CTX state;
} sha256;

void sha256_begin(sha256 *s);
void sha256_add(sha256 *s, const void *data, size_t bytes);
void sha256_end(sha256 *s, uint8_t digest[SHA256_BYTES]);
/* Adds a text with its length in front: texts in a row cannot be taken for others. NULL is
 * distinguished from "". */
void sha256_add_text(sha256 *s, const char *text);
void sha256_add_u64(sha256 *s, uint64_t value);
/* Lower-case hexadecimal digits. */
void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX]);

#endif
