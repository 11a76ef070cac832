/* SPDX-License-Identifier: Apache-2.0
 *
 * inspect/blocked.h: where the ranks of a program that was not completed stand. */
#ifndef IKAT_SIM_BLOCKED_H
#define IKAT_SIM_BLOCKED_H

#include "sim/state/state.h"

#include <stdio.h>

/* A line per rank that is not done, 20 at most, and how many there are; the graph has ranks. Fails
 * with IK_ERR_MEMORY alone. */
ik_status sim_print_blocked(const sim *s, FILE *to, ik_error *err);

/* Where an operation stands in its file, between these texts; nothing where it comes from none. */
void sim_print_line(const ik_graph *g, uint32_t op, const char *before, const char *behind,
                    FILE *to);

#endif
