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

/* How many entries have a key below this one, or with `inclusive` up to it. */
static size_t ib_keys_below(const ib_keys *k, uint64_t key, bool inclusive)
{
    size_t low = 0, high = k->num;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (k->of[middle].key < key || (inclusive && k->of[middle].key == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const ib_key *ib_keys_find(const ib_keys *k, uint64_t key, size_t *count)
{
    size_t first = ib_keys_below(k, key, false);
    *count = ib_keys_below(k, key, true) - first;
    return *count ? &k->of[first] : NULL;
}
