/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/statics.h: the measures of a point that is not simulated.
 */
#ifndef IKAT_EXPERIMENT_STATICS_H
#define IKAT_EXPERIMENT_STATICS_H

#include "experiment/figures/metrics.h"
#include "experiment/run/run.h"

/* Results FIRST_STATIC … by their order; NAN = not measured, or there is none. */
typedef struct statics {
    double value[NUM_STATICS];
} statics;

void statics_clear(statics *s);
static inline void statics_set(statics *s, metric_id id, double value)
{
    s->value[id - FIRST_STATIC] = value;
}
/* What a fabric, a plan and its proof (NULL = none was made) say for every point. Unmeasurable
 * quantities stay NAN. */
ik_status statics_of_plan(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                          const ik_proof *proof, const ik_env *env, statics *out, ik_error *err);
/* The least t_max of a routing that has the parameter, whether or not it could be made with its
 * own. plan: NULL = it could not. */
ik_status statics_least(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                        const ik_env *env, statics *out, ik_error *err);
/* What the point's traffic adds. env: with the point's seed. */
ik_status statics_of_traffic(const runner *r, const ik_fabric *f, const point *p,
                             const ik_plan *plan, const ik_env *env, statics *out, ik_error *err);

#endif
