/* SPDX-License-Identifier: Apache-2.0
 *
 * array.c: arrays that grow; a binary heap.
 */
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 16 };

void *ik_array_grown(void *items, size_t *cap, size_t needed, size_t size)
{
    assert(size > 0 && (items || *cap == 0));
    size_t most = SIZE_MAX / 2 / size, more = *cap <= most / 2 ? *cap * 2 : most;
    more = more < FIRST_ITEMS ? FIRST_ITEMS : more;
    more = more < needed ? needed : more;
    void *grown = more <= most ? realloc(items, more * size) : NULL;
    if (!grown)
        return items;
    *cap = more;
    return grown;
}

void ik_array_sort(void *items, size_t num, size_t size, int (*compare)(const void *, const void *))
{
    const char *at = items;
    size_t k = 1;
    for (; k < num && compare(at, at + size) <= 0; k++)
        at += size;
    if (k < num)
        qsort(items, num, size, compare);
}

/* ---- the heap */

bool ik_heap_before(const ik_heap_item *a, const ik_heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->id < b->id;
}

bool ik_heap_push(ik_heap *h, ik_heap_item item)
{
    if (!IK_ARRAY_ROOM(h->items, h->cap, h->num + 1))
        return false;
    size_t at = h->num++;
    for (; at > 0 && ik_heap_before(&item, &h->items[(at - 1) / 2]); at = (at - 1) / 2)
        h->items[at] = h->items[(at - 1) / 2];
    h->items[at] = item;
    return true;
}

ik_heap_item ik_heap_pop(ik_heap *h)
{
    assert(h->num > 0);
    ik_heap_item first = h->items[0], last = h->items[--h->num];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < h->num; at = child) {
        if (child + 1 < h->num && ik_heap_before(&h->items[child + 1], &h->items[child]))
            child++;
        if (!ik_heap_before(&h->items[child], &last))
            break;
        h->items[at] = h->items[child];
    }
    h->items[at] = last;
    return first;
}

void ik_heap_free(ik_heap *h)
{
    free(h->items);
    *h = (ik_heap){0};
}

uint64_t ik_heap_key(double number)
{
    uint64_t bits;
    assert(number >= 0);
    number += 0.0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

double ik_heap_number(uint64_t key)
{
    double number;
    memcpy(&number, &key, sizeof number);
    return number;
}
