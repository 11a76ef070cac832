/* SPDX-License-Identifier: Apache-2.0
 *
 * core/injection.c: see injection.h. Draw 0 of a source is its phase, draw n + 1 its message n. */
#include "sim/core/injection.h"

#include "ikat/base.h"
#include <math.h>

double sim_rhythm_phase(const sim_rhythm *r)
{
    return ik_random_unit(r->seed, IK_RNG_TRAFFIC_TIME, r->source, 0) * r->period_ps;
}

double sim_rhythm_log_miss(double probability)
{
    return probability >= 1 ? -HUGE_VAL : log(1 - probability);
}

uint64_t sim_rhythm_time(const sim_rhythm *r, uint64_t n, uint64_t before)
{
    if (r->kind == INJECT_PERIODIC)
        return (uint64_t)(r->phase_ps + (double)n * r->period_ps);
    double u = ik_random_unit(r->seed, IK_RNG_TRAFFIC_TIME, r->source, n + 1);
    if (r->kind == INJECT_POISSON)
        return (n ? before : 0) + (uint64_t)(-log(1 - u) * r->period_ps);
    double misses = floor(log(1 - u) / r->log_miss);
    return (n ? before + r->slot_ps : 0) + (uint64_t)misses * r->slot_ps;
}
