/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/result.h: the results of a point that are one number, by name: what results files, CSV,
 * JSON, figures and claims call them. A later version has more of them, and no structure of a
 * program that was built before changes.
 */
#ifndef IKAT_RESULT_H
#define IKAT_RESULT_H
#include "ikat/sim.h"

IK_BEGIN_DECLS

/* One of them; the texts are constant. */
typedef struct ik_result {
    const char *name;    /* "latency_mean_ns" */
    const char *title;   /* "mean latency": what an axis of a figure is called */
    const char *unit;    /* "ns", "bytes"; "%" of a fraction; "" = none */
    const char *meaning; /* a phrase */
    const char *points;  /* which points have it: "every simulation" */
    bool simulated;      /* else it is measured without simulation, or beside one */
    bool integer;        /* a count */
    const char *measure; /* word of section measures that asks for it; NULL = none */
} ik_result;

/* Fills *out with the result of this number, from 0, in the order of CSV files; false: there is
 * none. */
bool ik_result_at(size_t number, ik_result *out);

/* The value of a result of simulations. *value is NAN where this run has none: not sampled, not
 * asked for, or known only to an experiment (slowdown, saturation_load, link_use_mean,
 * link_use_max). IK_ERR_USAGE: there is no such result, or it is not one of simulations; *value is
 * unchanged. Cost: constant, but for percentiles, which walk a histogram. */
ik_status ik_result_real(const ik_sim_result *run, const char *name, double *value, ik_error *err);

IK_END_DECLS

#endif
