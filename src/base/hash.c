/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table with open addressing (D. E. Knuth, The Art of Computer Programming, volume 3,
 * section 6.4: linear probing, and algorithm R for taking out). */
#include "base/hash.h"
#include <stdlib.h>
#include <string.h>

static ik_hash_place *hash_new_places(unsigned bits)
{
    size_t bytes = sizeof(ik_hash_place) << bits;
    ik_hash_place *places = malloc(bytes);
    if (places)
        memset(places, 0xff, bytes); /* IK_NONE */
    return places;
}

bool ik_hash_init(ik_hash *h)
{
    *h = (ik_hash){.places = hash_new_places(IK_HASH_FIRST_BITS), .bits = IK_HASH_FIRST_BITS};
    return h->places;
}

void ik_hash_free(ik_hash *h)
{
    free(h->places);
    *h = (ik_hash){0};
}

void ik_hash_clear(ik_hash *h)
{
    h->num = 0;
    memset(h->places, 0xff, ik_hash_bytes(h));
}

static void hash_put(ik_hash *h, ik_hash_place record)
{
    size_t mask = ((size_t)1 << h->bits) - 1, at = ik_hash_first(h, record.tag);
    while (h->places[at].id != IK_NONE)
        at = (at + 1) & mask;
    h->places[at] = record;
}

static bool hash_grow(ik_hash *h)
{
    ik_hash more = {.num = h->num, .bits = h->bits + 1};
    more.places = more.bits <= IK_HASH_MOST_BITS ? hash_new_places(more.bits) : NULL;
    if (!more.places)
        return false;
    for (size_t at = 0; at < (size_t)1 << h->bits; at++)
        if (h->places[at].id != IK_NONE)
            hash_put(&more, h->places[at]);
    free(h->places);
    *h = more;
    return true;
}

bool ik_hash_add(ik_hash *h, uint32_t tag, uint32_t id)
{
    assert(h->places && id != IK_NONE);
    if (h->num >= (size_t)1 << (h->bits - 1) && !hash_grow(h))
        return false;
    h->num++;
    hash_put(h, (ik_hash_place){tag, id});
    return true;
}

void ik_hash_remove(ik_hash *h, uint32_t tag, uint32_t id)
{
    size_t mask = ((size_t)1 << h->bits) - 1, hole = ik_hash_first(h, tag);
    while (h->places[hole].id != id) {
        assert(h->places[hole].id != IK_NONE);
        hole = (hole + 1) & mask;
    }
    h->num--;
    /* what stands behind moves up unless it would come before its first place */
    for (size_t at = (hole + 1) & mask; h->places[at].id != IK_NONE; at = (at + 1) & mask) {
        size_t first = ik_hash_first(h, h->places[at].tag);
        if (((at - first) & mask) < ((at - hole) & mask))
            continue;
        h->places[hole] = h->places[at];
        hole = at;
    }
    h->places[hole].id = IK_NONE;
}
