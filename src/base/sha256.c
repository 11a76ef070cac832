/* SPDX-License-Identifier: Apache-2.0
 *
 * sha256.c: the hash of libmd, and what is added to it without being taken for something else.
 */
#include "base/sha256.h"

#include <string.h>

void sha256_begin(sha256 *s)
{
    SHA256Init(&s->state);
}

void sha256_add(sha256 *s, const void *data, size_t bytes)
{
    SHA256Update(&s->state, data, bytes);
}

void sha256_end(sha256 *s, uint8_t digest[SHA256_BYTES])
{
    SHA256Final(digest, &s->state);
}

void sha256_add_u64(sha256 *s, uint64_t value)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    sha256_add(s, bytes, sizeof bytes);
}

void sha256_add_text(sha256 *s, const char *text)
{
    sha256_add_u64(s, text ? strlen(text) : UINT64_MAX);
    if (text)
        sha256_add(s, text, strlen(text));
}

void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX])
{
    for (unsigned i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[SHA256_HEX - 1] = '\0';
}
