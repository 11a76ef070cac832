/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/statics.h: the measures of a point that need no simulation.
 */
#ifndef IKAT_EXPERIMENT_STATICS_H
#define IKAT_EXPERIMENT_STATICS_H

#include "experiment/figures/metrics.h"
#include "experiment/run/run.h"
#include "ikat/analysis.h"

/* Results FIRST_STATIC … by their order; NAN = not measured, or there is none. */
typedef struct statics {
    double value[NUM_STATICS];
    value_list list[NUM_LISTS];
    ik_arena *arena; /* of the lists; NULL: none is kept */
} statics;

void statics_clear(statics *s, ik_arena *arena);
static inline void statics_set(statics *s, metric_id id, double value)
{
    s->value[id - FIRST_STATIC] = value;
}
/* What a fabric says for every point. Unmeasurable quantities stay NAN, here and below. */
ik_status statics_of_fabric(const runner *r, const ik_fabric *f, const ik_env *env, statics *out,
                            ik_error *err);
/* What a plan says, without its proof. */
ik_status statics_of_plan(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                          const ik_env *env, statics *out, ik_error *err);
/* Results of measure `next`. */
ik_status statics_measure_next(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                               statics *out, ik_error *err);
void statics_of_proof(const runner *r, const ik_proof *proof, statics *out);
/* The same of the proof in a row of the store. */
ik_status statics_of_stored_proof(const runner *r, int64_t plan, statics *out, ik_error *err);
/* The least t_max of a routing that has the parameter, whether or not it could be made with its
 * own. plan: NULL = it could not. */
ik_status statics_least(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                        const ik_env *env, statics *out, ik_error *err);
/* Keeps the row of a point that is not simulated: what was measured of it. */
ik_status statics_keep_point(runner *r, int64_t fabric, const plan_slot *slot, uint64_t number,
                             const statics *s, ik_error *err);
/* What the best routing of all carries on one fabric; zero = nothing is known yet. */
typedef struct best_rate {
    const variant *traffic; /* borrowed */
    size_t number;          /* of traffic and seed, in traffic_statics.of */
    ik_flow_bound bound;
} best_rate;
typedef struct best_rates {
    best_rate *items;
    size_t num, cap;
} best_rates;
void best_rates_free(best_rates *b);
/* Which traffic and seed are being measured. */
typedef struct statics_place {
    const variant *traffic;
    size_t number; /* in traffic_statics.of */
    best_rates *best;
} statics_place;
/* Results of measure `bound`; load: of the routing under the traffic. */
ik_status statics_measure_bound(const statics_place *place, const ik_routing *r,
                                const ik_traffic *t, const ik_load *load, const ik_env *env,
                                statics *out, ik_error *err);
/* What traffics and seeds say of one plan, measured once for a traffic, and once for a seed where
 * the seed makes it another one; and the arena of all lists of the plan. */
typedef struct traffic_statics {
    statics *of; /* [traffics][num_seeds], then [num_seeds]: what seeds draw without a traffic */
    ik_arena arena;
    bool *known; /* of each of them */
    size_t num_traffics, num_seeds;
    best_rates *best; /* borrowed: of the fabric, shared by its plans */
} traffic_statics;

/* Of the traffics of a design; best is borrowed. Free with traffic_statics_free, after a failure
 * too. */
ik_status traffic_statics_init(const ik_experiment *e, size_t design, best_rates *best,
                               traffic_statics *out, ik_error *err);
void traffic_statics_free(traffic_statics *t);
/* What the point's traffic and seed add to *out. env: its seed does not count. */
ik_status statics_of_traffic(const runner *r, const ik_fabric *f, const point *p,
                             const ik_plan *plan, const ik_env *env, traffic_statics *known,
                             statics *out, ik_error *err);

#endif
