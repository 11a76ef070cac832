/* SPDX-License-Identifier: Apache-2.0
 *
 * minhop.h: what OpenSM's default engine, minhop, makes of a fabric.
 */
#ifndef IKAT_SUBNET_MINHOP_H
#define IKAT_SUBNET_MINHOP_H

#include "ikat/lids.h"

/* Switches with hosts, in the order in which OpenSM routes to them: those with the most first, then
 * by GUID. first: [num_switches + 1] where the hosts of each begin; leaves: [num_switches] */
ik_status minhop_order_leaves(const ik_fabric *f, const uint32_t *first, uint32_t *leaves,
                              uint32_t *num, ik_error *err);

/* The most paths over a channel between switches for each Gb/s of its rate, as
 * ik_deployment.max_fill counts them, with the tables that minhop makes of this fabric at its first
 * sweep. It need not be known beyond `enough`: *exact: it is. 0, exactly: not known, for ports have
 * several LIDs (LMC). */
ik_status minhop_measure(const ik_lids *lids, double enough, const ik_env *env, double *fill,
                         bool *exact, ik_error *err);

#endif
