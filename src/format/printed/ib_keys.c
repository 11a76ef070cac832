/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes and ports by GUID, LID or number.
 */
#include "format/printed/ib_keys.h"
#include "base/array.h"

#include <stdlib.h>

ik_status ib_keys_add(ib_keys *k, uint64_t key, uint32_t value, uint32_t port, ik_error *err)
{
    if (!IK_ARRAY_ROOM(k->of, k->cap, k->num + 1))
        return ik_fail_memory(err, 2 * k->cap * sizeof *k->of, "nodes and ports by number");
    k->of[k->num++] = (ib_key){key, value, port};
    return IK_OK;
}

static int ib_keys_compare(const void *a, const void *b)
{
    const ib_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->port > y->port) - (x->port < y->port);
}

void ib_keys_sort(ib_keys *k)
{
    if (k->num)
        qsort(k->of, k->num, sizeof *k->of, ib_keys_compare);
}

const ib_key *ib_keys_find(const ib_keys *k, uint64_t key, size_t *count)
{
    size_t low = 0, high = k->num;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (k->of[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < k->num && k->of[low + *count].key == key;)
        ++*count;
    return *count ? &k->of[low] : NULL;
}
