/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes and ports by GUID, LID or number: an array that is sorted once.
 */
#ifndef IKAT_IB_KEYS_H
#define IKAT_IB_KEYS_H

#include "ikat/base.h"

typedef struct ib_key {
    uint64_t key;
    uint32_t value, port; /* what it names */
} ib_key;

typedef struct ib_keys {
    ib_key *of; /* after ib_keys_sort ascending; free() */
    size_t num, cap;
} ib_keys;

ik_status ib_keys_add(ib_keys *k, uint64_t key, uint32_t value, uint32_t port, ik_error *err);
void ib_keys_sort(ib_keys *k);
/* The first of the *count consecutive entries of a key; NULL and 0: there is none. */
const ib_key *ib_keys_find(const ib_keys *k, uint64_t key, size_t *count);

#endif
