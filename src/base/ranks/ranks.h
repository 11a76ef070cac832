/* SPDX-License-Identifier: Apache-2.0
 *
 * base/ranks/ranks.h: the ranks of ikat/ranks.h, as the library uses them. */
#ifndef IKAT_BASE_RANKS_H
#define IKAT_BASE_RANKS_H

#include "base/ranks/ranks_module.h"
#include "ikat/ranks.h"

#include <stdio.h>

/* How ranks meet: within a run at the end of every step; else with what they have to tell, or to
 * leave. */
typedef enum ranks_kind { RANKS_STEP, RANKS_MEETING } ranks_kind;

/* Tests make their own. */
struct ik_ranks {
    unsigned rank, num;
    const int *cancel; /* of this process, as in ik_env; NULL = nothing cancels it */
    bool cancelled;    /* another rank was: what all do together has ended */
    /* As of the module; an error ends the process, where others might wait for it for ever. */
    ik_status (*exchange)(ik_ranks *ranks, ranks_kind kind, const ranks_bytes *out, ranks_bytes *in,
                          ik_error *err);
    const ranks_module *module;
    FILE *errors;        /* for the last words of a process; NULL = standard error */
    unsigned char *told; /* what this rank tells at a meeting */
    size_t told_cap;
    ranks_bytes *out, *in; /* [num] of meetings */
};

/* Whether this process was cancelled, or another rank, with which it works. */
static inline bool ranks_are_cancelled(const ik_env *env)
{
    return ik_env_cancelled(env) || (env && env->ranks && env->ranks->cancelled);
}

/* For one that has rank, num and exchange set. False: out of memory. */
bool ranks_init(ik_ranks *ranks);
void ranks_clear(ik_ranks *ranks);
/* Tells all others `own` and waits for what they tell: all[q] of rank q, the own too, which stays
 * until the next meeting. failed: this rank has nothing to tell, for reasons of its own, and the
 * meeting fails everywhere. IK_ERR_IO: a rank has failed, or left with an error. IK_ERR_CANCELLED:
 * it left because it was cancelled. */
ik_status ranks_meet(ik_ranks *ranks, ranks_bytes own, bool failed, const ranks_bytes **all,
                     ik_error *err);

#endif
