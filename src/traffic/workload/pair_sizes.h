/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/pair_sizes.h: how many bytes each process has for each other one. */
#ifndef IK_PAIR_SIZES_H
#define IK_PAIR_SIZES_H

#include "ikat/base.h"

#define PAIR_SIZES_RULES "random|ramp"

/* sizes[src * num + dst] by the parameter `sizes`, a PATH with the rules above as words; the
 * diagonal means nothing. random: 1 to 2 * bytes - 1; ramp: bytes on average and growing with the
 * number of dst; a file: num rows of num whole numbers, separated by blanks, commas or semicolons,
 * # starts a comment. IK_ERR_INPUT at a place of the file. *sizes is the caller's to free(). */
ik_status pair_sizes_make(const char *owner, const ik_params *p, uint32_t num, uint64_t bytes,
                          uint64_t seed, const ik_env *env, uint64_t **sizes, ik_error *err);

#endif
