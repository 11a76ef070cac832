/* SPDX-License-Identifier: Apache-2.0
 *
 * routing.h: what the members of the routing families share. */
#ifndef IKAT_ROUTING_ROUTING_H
#define IKAT_ROUTING_ROUTING_H

#include "ikat/routing.h"

/* Row of a family that draws random numbers; ik_routing.seed is this value if given, else the
 * experiment's seed. */
#define ROUTING_SEED_PARAM                                                                         \
    {                                                                                              \
        "seed", IK_PARAM_UINT, "", 0, 0, NULL,                                                     \
            "seed of the draws; without it the experiment's seed"                                  \
    }

/* Table entry of "no route". */
#define LFT_NONE ((uint16_t)0xFFFF)

/* A fresh table [num_switches][num_hosts] of LFT_NONE; free(). Refuses radices that 16 bits cannot
 * hold and more than env's memory limit. */
ik_status lft_new(const ik_fabric *f, const ik_env *env, uint16_t **lft, ik_error *err);

#endif
