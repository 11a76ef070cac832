/* SPDX-License-Identifier: Apache-2.0
 *
 * core/carry.h: the state of a run as bytes. One function of a module names what it keeps, once,
 * in one order; whether that is written or read back is the carrier's affair, so that the two
 * cannot disagree. Pointers are never carried: what they point to is set up already, or grows.
 *
 * After a failure nothing is carried any more, and whoever restores has to give the run up: arrays
 * may be missing then, and can only be freed. */
#ifndef IKAT_SIM_CARRY_H
#define IKAT_SIM_CARRY_H

#include "ikat/base.h"

struct ik_hash;
struct ik_heap;

typedef struct sim_carrier {
    /* Carries `bytes` at data; NULL only counts. */
    void (*move)(struct sim_carrier *c, void *data, size_t bytes);
    void *ctx;     /* of move */
    bool restores; /* into the state; else out of it */
    /* the length of every array stands before it, and is compared when it is restored */
    bool measured;
    size_t bytes; /* so far */
    ik_status status;
    ik_error err;
} sim_carrier;

void sim_carry(sim_carrier *c, void *data, size_t bytes);
#define SIM_CARRY(c, value) sim_carry((c), &(value), sizeof(value))
/* An array of set-up, the same in every run of the point; NULL = there is none. */
void sim_carry_array(sim_carrier *c, void *array, size_t count, size_t size);
/* An array that grows, of which `num` places are in use and `cap` are there; both have been carried
 * before. Returns what it is from now on: restored, a new one in its place; NULL as it was. Freed
 * with free(). */
void *sim_carry_grown(sim_carrier *c, void *array, size_t num, size_t cap, size_t size);
#define SIM_CARRY_GROWN(c, array, num, cap)                                                        \
    ((array) = sim_carry_grown((c), (array), (num), (cap), sizeof *(array)))
void sim_carry_hash(sim_carrier *c, struct ik_hash *h);
void sim_carry_heap(sim_carrier *c, struct ik_heap *h);
void sim_carry_text(sim_carrier *c, char **text); /* NULL, or to be free()d */

#endif
