/* SPDX-License-Identifier: Apache-2.0
 *
 * hash.h: a hash table of numbers of records that the owner keeps elsewhere, with open addressing
 * and linear probing. A place has 8 bytes: 32 bits of the key's hash (its tag) and the record's
 * number. So growing needs no keys, and a record is touched only if its tag is the wanted one. At
 * most half of the places are taken; taking a record out leaves no mark.
 *
 *     uint32_t tag = ik_hash_tag(key), id;
 *     for (size_t at = ik_hash_first(h, tag); (id = ik_hash_find(h, tag, &at)) != IK_NONE; at++)
 *         if (records[id].key == key)
 *             break;
 */
#ifndef IKAT_BASE_HASH_H
#define IKAT_BASE_HASH_H

#include "ikat/base.h"
#include <assert.h>
#include <string.h>

typedef struct ik_hash_place {
    uint32_t tag, id; /* id IK_NONE: free */
} ik_hash_place;

typedef struct ik_hash {
    ik_hash_place *places; /* [1 << bits] */
    size_t num;            /* taken */
    unsigned bits;
} ik_hash;

enum { IK_HASH_FIRST_BITS = 8, IK_HASH_MOST_BITS = 31 };

/* An empty table of 2^IK_HASH_FIRST_BITS places; false = out of memory, and there is nothing to
 * free. */
bool ik_hash_init(ik_hash *h);
void ik_hash_free(ik_hash *h);
void ik_hash_clear(ik_hash *h); /* takes all out, and stays as large as it is */
/* Puts in a record that is not there. O(1) amortised, by doubling. False = out of memory, the table
 * stays as it was. */
bool ik_hash_add(ik_hash *h, uint32_t tag, uint32_t id);
/* Takes a record out that is there. O(1). */
void ik_hash_remove(ik_hash *h, uint32_t tag, uint32_t id);

static inline size_t ik_hash_bytes(const ik_hash *h)
{
    return h->places ? sizeof *h->places << h->bits : 0;
}

/* A key of bytes, piece by piece: FNV-1a, which begins with IK_HASH_BASIS. */
#define IK_HASH_BASIS UINT64_C(0xcbf29ce484222325)
static inline uint64_t ik_hash_continue(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}
static inline uint64_t ik_hash_text(const char *text)
{
    return ik_hash_continue(IK_HASH_BASIS, text, strlen(text));
}

/* The tag of a key. All its bits depend on all of the key's. */
static inline uint32_t ik_hash_tag(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15ull;
    key = (key ^ key >> 29) * 0xBF58476D1CE4E5B9ull;
    return (uint32_t)(key >> 32);
}

/* Of a key of two words. */
static inline uint32_t ik_hash_tag2(uint64_t a, uint64_t b)
{
    return ik_hash_tag(a ^ (b ^ b >> 31) * 0xD6E8FEB86659FD93ull);
}

/* Where records of a tag begin: the upper bits, so that a table of twice the size has them in the
 * same order, and growing reads and writes from front to back. */
static inline size_t ik_hash_first(const ik_hash *h, uint32_t tag)
{
    return tag >> (32 - h->bits);
}

/* The next record of a tag, from place *at on; IK_NONE = there is none. *at is where it stands. */
static inline uint32_t ik_hash_find(const ik_hash *h, uint32_t tag, size_t *at)
{
    size_t mask = ((size_t)1 << h->bits) - 1;
    for (;; ++*at) {
        const ik_hash_place *p = &h->places[*at & mask];
        if (p->id == IK_NONE || p->tag == tag)
            return p->id;
    }
}

/* Fetches where a record of that tag would stand. */
static inline void ik_hash_prefetch(const ik_hash *h, uint32_t tag)
{
    __builtin_prefetch(&h->places[ik_hash_first(h, tag)]);
}

#endif
