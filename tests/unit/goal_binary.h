/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes GOAL's binary form into memory: the layout is described in program/read_goalbin.c. */
#ifndef TEST_GOAL_BINARY_H
#define TEST_GOAL_BINARY_H

#include <stdint.h>
#include <stdlib.h>

typedef struct binary_op {
    uint32_t waits;
    uint8_t type, cpu, nic;
    uint32_t peer, tag;
    uint64_t size;
    uint32_t on_end[4], num_end, on_start[4], num_start;
} binary_op;

typedef struct goal_bytes {
    uint8_t *bytes;
    size_t size;
} goal_bytes;

static void goal_put(goal_bytes *g, uint64_t value, unsigned bytes)
{
    g->bytes = realloc(g->bytes, g->size + bytes);
    for (unsigned k = 0; k < bytes; k++)
        g->bytes[g->size++] = (uint8_t)(value >> 8 * k);
}

static void goal_begin(goal_bytes *g, uint32_t ranks, uint8_t cpu, uint8_t nic)
{
    goal_put(g, 4223, 8);
    goal_put(g, ranks, 4);
    goal_put(g, cpu, 1);
    goal_put(g, nic, 1);
    for (uint32_t r = 0; r < 2 * ranks; r++)
        goal_put(g, 0, 8);
}

static void goal_patch(goal_bytes *g, size_t at, uint64_t value)
{
    for (unsigned k = 0; k < 8; k++)
        g->bytes[at + k] = (uint8_t)(value >> 8 * k);
}

static void goal_schedule(goal_bytes *g, uint32_t rank, const binary_op *ops, uint32_t num)
{
    uint32_t free_ops = 0, listed = 0;
    size_t begin = g->size - 8;
    for (uint32_t k = 0; k < num; k++)
        free_ops += ops[k].waits == 0;
    goal_put(g, num, 4);
    goal_put(g, free_ops, 4);
    for (uint32_t k = 0; k < num; k++)
        if (ops[k].waits == 0)
            goal_put(g, k, 4);
    for (uint32_t k = 0; k < num; k++) {
        const binary_op *o = &ops[k];
        goal_put(g, o->waits, 4);
        goal_put(g, o->type, 1);
        goal_put(g, o->peer, 4);
        goal_put(g, o->size, 8);
        goal_put(g, o->tag, 4);
        goal_put(g, o->cpu, 1);
        goal_put(g, o->nic, 1);
        goal_put(g, o->num_end, 4);
        goal_put(g, listed, 4);
        listed += o->num_end;
        goal_put(g, o->num_start, 4);
        goal_put(g, listed, 4);
        listed += o->num_start;
    }
    for (uint32_t k = 0; k < num; k++) {
        for (uint32_t j = 0; j < ops[k].num_end; j++)
            goal_put(g, ops[k].on_end[j], 4);
        for (uint32_t j = 0; j < ops[k].num_start; j++)
            goal_put(g, ops[k].on_start[j], 4);
    }
    goal_patch(g, 14 + 16 * (size_t)rank, begin);
    goal_patch(g, 14 + 16 * (size_t)rank + 8, g->size - 8);
}

static void goal_free(goal_bytes *g)
{
    free(g->bytes);
    *g = (goal_bytes){0};
}

#endif
