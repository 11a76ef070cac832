/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing the parts of a fabric that fail.
 */
#ifndef IKAT_FAIL_DRAW_H
#define IKAT_FAIL_DRAW_H

#include "ikat/base.h"

/* What is drawn: each has its own random numbers. */
typedef enum fail_draw_kind {
    FAIL_DRAW_LINKS,
    FAIL_DRAW_SWITCHES,
    FAIL_DRAW_RACKS,
    FAIL_DRAW_TRAYS
} fail_draw_kind;

/* round(share * count) */
size_t fail_draw_part(double share, size_t count);
/* Moves `chosen` of the items, drawn without replacement, to the front. Of one seed, fewer are the
 * first ones of more. */
void fail_draw(uint32_t *items, size_t count, size_t chosen, uint64_t seed, fail_draw_kind kind);

#endif
