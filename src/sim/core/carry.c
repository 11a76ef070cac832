/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a run as bytes: core/carry.h. */
#include "sim/core/carry.h"
#include "base/array.h"
#include "base/hash.h"
#include "sim/core/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sim_carry(sim_carrier *c, void *data, size_t bytes)
{
    if (c->status != IK_OK)
        return;
    if (c->move)
        c->move(c, data, bytes);
    c->bytes += bytes;
}

/* Whether the array that comes is as long as it is here. */
static bool carry_length(sim_carrier *c, uint64_t bytes)
{
    uint64_t length = bytes;
    if (c->measured)
        SIM_CARRY(c, length);
    if (c->status == IK_OK && length != bytes)
        c->status =
            ik_fail(&c->err, IK_ERR_INPUT, "has %llu bytes of state where this run has %llu",
                    (unsigned long long)length, (unsigned long long)bytes);
    return c->status == IK_OK;
}

void sim_carry_array(sim_carrier *c, void *array, size_t count, size_t size)
{
    if (carry_length(c, array ? (uint64_t)count * size : 0) && array && count)
        sim_carry(c, array, count * size);
}

void *sim_carry_grown(sim_carrier *c, void *array, size_t num, size_t cap, size_t size)
{
    bool there = array;
    assert(num <= cap || !array || c->restores);
    SIM_CARRY(c, there);
    if (c->status == IK_OK && there && num > cap)
        c->status = ik_fail(&c->err, IK_ERR_INPUT, "has more of something than it has room for");
    if (c->status != IK_OK)
        return array;
    if (c->restores) {
        free(array);
        array = there ? sim_alloc(cap ? cap : 1, size) : NULL;
        if (there && !array)
            c->status = ik_fail_memory(&c->err, cap * size, "the state of a checkpoint");
    }
    if (there && carry_length(c, (uint64_t)num * size) && num)
        sim_carry(c, array, num * size);
    return array;
}

void sim_carry_hash(sim_carrier *c, ik_hash *h)
{
    SIM_CARRY(c, h->num);
    SIM_CARRY(c, h->bits);
    if (c->status == IK_OK && h->bits > IK_HASH_MOST_BITS)
        c->status = ik_fail(&c->err, IK_ERR_INPUT, "has a table of 2^%u places", h->bits);
    if (c->status != IK_OK)
        return;
    size_t places = (size_t)1 << h->bits;
    SIM_CARRY_GROWN(c, h->places, places, places);
}

void sim_carry_heap(sim_carrier *c, ik_heap *h)
{
    SIM_CARRY(c, h->num);
    SIM_CARRY(c, h->cap);
    SIM_CARRY_GROWN(c, h->items, h->num, h->cap);
}

void sim_carry_text(sim_carrier *c, char **text)
{
    uint64_t length = *text ? strlen(*text) + 1 : 0;
    SIM_CARRY(c, length);
    *text = sim_carry_grown(c, *text, length, length, 1);
}
