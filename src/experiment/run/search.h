/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/search.h: looks for the load at which a point saturates.
 */
#ifndef IKAT_EXPERIMENT_SEARCH_H
#define IKAT_EXPERIMENT_SEARCH_H

#include "sim/measure/sim_result.h"

/* What is searched. `tell` is called from the thread that searches, before every probe. */
typedef struct search {
    const ik_plan *plan;
    const ik_traffic *traffic;
    ik_sim_config config; /* its load and bound do not count */
    const ik_env *env;
    struct sim_checkpoints *checkpoints; /* of all probes; NULL = none */
    double precision;                    /* (0, 1] */
    void (*tell)(void *ctx, const char *text);
    void *ctx;
} search;

typedef struct search_found {
    double load; /* of the result */
    /* highest load that is known to be accepted, 0 = none; NAN: all of 100 %, or a probe was a
     * deadlock */
    double saturation_load;
    /* the lowest load that is known not to be accepted, where loads between the two could not be
     * told; else NAN */
    double saturation_most;
    /* JSON list of {load, offered, throughput, measured_ns, accepted, steady, steady_reason}, in
     * their order; free() it */
    char *probes;
} search_found;

/* A simulation per probe, 6 + 2 log2(1 / precision) of them at most, each with the seed of `env`,
 * and up to twice again for longer where the file gives a measured time that does not tell; where
 * it gives none, one more of the load that is found. *result: that of the highest load that was
 * accepted; of the lowest that was tried where none was; of the first deadlock, which ends the
 * search. To be freed with sim_result_clear. */
ik_status search_saturation(const search *s, ik_sim_result *result, search_found *out,
                            ik_error *err);

#endif
