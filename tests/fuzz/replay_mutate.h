/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_mutate.h: inputs that differ from given ones in a few places, drawn from a fixed seed. */
#ifndef REPLAY_MUTATE_H
#define REPLAY_MUTATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct replay_input {
    uint8_t *data;
    size_t size;
} replay_input;

typedef struct replay_inputs {
    replay_input *of; /* [num] */
    size_t num;
} replay_inputs;

typedef struct replay_draw {
    const replay_inputs *given; /* at least one, which may be empty */
    const replay_inputs *words; /* what stands in such files; may be none */
    size_t most;                /* bytes that an input has at most */
    uint64_t state;             /* of the generator; begins as the seed */
} replay_draw;

/* Writes one of the given inputs with one to eight changes to `to`, whose data has room for `most`
 * bytes. */
void replay_mutate(replay_draw *draw, replay_input *to);

#endif
