/* SPDX-License-Identifier: Apache-2.0
 *
 * array.h: arrays that grow, and a heap on top of one. Growth is by doubling, so that appending
 * costs O(1) amortised. An array is a pointer and a size_t capacity; its owner counts its items.
 * Freed with free(). */
#ifndef IKAT_BASE_ARRAY_H
#define IKAT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for `needed` items of an array; false = out of memory, the array stays as it was.
 * items: a pointer to them, NULL = none yet; cap: a size_t, the items that there is room for, new
 * ones are not initialised. Both are evaluated several times. */
#define IK_ARRAY_ROOM(items, cap, needed)                                                          \
    ((size_t)(needed) <= (cap) ||                                                                  \
     ((items) = ik_array_grown((items), &(cap), (needed), sizeof *(items)),                        \
      (size_t)(needed) <= (cap)))

/* The array with room for at least `needed` items of `size` bytes, *cap updated; where there is no
 * memory for them, or no size_t, the array as it was, *cap unchanged. */
void *ik_array_grown(void *items, size_t *cap, size_t needed, size_t size);

/* As qsort; in O(num) where they are in order already. */
void ik_array_sort(void *items, size_t num, size_t size,
                   int (*compare)(const void *, const void *));

/* A binary heap: the item of the least key first, among equal keys that of the least id. */
typedef struct ik_heap_item {
    uint64_t key;
    uint32_t id;
    uint32_t stamp; /* the owner's, not compared: mostly to recognise items that are out of date */
} ik_heap_item;

typedef struct ik_heap {
    ik_heap_item *items;
    size_t num, cap;
} ik_heap;

/* Whether a comes out before b. */
bool ik_heap_before(const ik_heap_item *a, const ik_heap_item *b);
/* O(log num). False = out of memory, the heap stays as it was. */
bool ik_heap_push(ik_heap *h, ik_heap_item item);
/* Takes the first item out of a heap that is not empty. O(log num). */
ik_heap_item ik_heap_pop(ik_heap *h);
void ik_heap_free(ik_heap *h);
/* A key that sorts as a number >= 0 does, and the number of such a key. */
uint64_t ik_heap_key(double number);
double ik_heap_number(uint64_t key);

#endif
