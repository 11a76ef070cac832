/* SPDX-License-Identifier: Apache-2.0
 *
 * core/injection.c: see injection.h. Draw 0 of a source is its phase, draw n + 1 its message n; of
 * bursty sources draw ~n says which kind of gap lies before it. */
#include "sim/core/injection.h"

#include "ikat/base.h"
#include <assert.h>
#include <math.h>

double sim_rhythm_phase(const sim_rhythm *r)
{
    return ik_random_unit(r->seed, IK_RNG_TRAFFIC_TIME, r->source, 0) * r->period_ps;
}

double sim_rhythm_log_miss(double probability)
{
    return probability >= 1 ? -HUGE_VAL : log(1 - probability);
}

static double injection_log_decay(double miss)
{
    return miss >= 1 ? -HUGE_VAL : log1p(-miss);
}

sim_gaps sim_gaps_of(double alpha, double beta, double rate)
{
    assert(alpha > 0 && beta >= 0 && alpha + beta <= 1 + 1e-9 && rate > 0 && rate <= 1);
    /* The chain without the slots that make a message has the eigenvalues 1 - low and 1 - high:
     * low + high = sum, low * high = alpha * rate. */
    double sum = alpha + beta + rate - beta * rate,
           root = sqrt(fmax(0, sum * sum - 4 * alpha * rate)), high = fmin(1, (sum + root) / 2),
           low = fmin(1, alpha * rate / high);
    double made = (1 - beta) * rate; /* in the slot behind a message */
    double weight = high > low ? fmin(1, fmax(0, (high - made) / (high - low))) : 1;
    /* Before the first one: as many slots as are left of a gap that a random slot lies in. */
    double in_long = weight / low, in_short = (1 - weight) / high;
    return (sim_gaps){.weight = weight,
                      .first_weight = in_long / (in_long + in_short),
                      .log_long = injection_log_decay(low),
                      .log_short = injection_log_decay(high)};
}

/* Slots in which nothing is made before message n, as log(1 - u) / gives it: a second draw says
 * which of the two kinds of gaps it is. */
static double injection_decay_of(const sim_rhythm *r, uint64_t n)
{
    double weight = n ? r->gaps->weight : r->gaps->first_weight,
           u = ik_random_unit(r->seed, IK_RNG_TRAFFIC_TIME, r->source, ~n);
    return u < weight ? r->gaps->log_long : r->gaps->log_short;
}

/* before + ps, and nothing beyond SIM_NEVER. */
static uint64_t injection_later(uint64_t before, double ps)
{
    return ps < (double)SIM_NEVER && before + (uint64_t)ps < SIM_NEVER ? before + (uint64_t)ps
                                                                       : SIM_NEVER;
}

uint64_t sim_rhythm_time(const sim_rhythm *r, uint64_t n, uint64_t before)
{
    if (r->kind == INJECT_NEVER)
        return SIM_NEVER;
    if (r->kind == INJECT_PERIODIC)
        return injection_later(0, r->phase_ps + (double)n * r->period_ps);
    double u = ik_random_unit(r->seed, IK_RNG_TRAFFIC_TIME, r->source, n + 1);
    if (r->kind == INJECT_POISSON)
        return injection_later(n ? before : 0, -log(1 - u) * r->period_ps);
    double decay = r->kind == INJECT_BURSTY ? injection_decay_of(r, n) : r->log_miss,
           misses = floor(log(1 - u) / decay);
    uint64_t start = n ? before + r->slot_ps : 0;
    if (misses >= (double)(SIM_NEVER / (r->slot_ps + 1)))
        return SIM_NEVER;
    start += (uint64_t)misses * r->slot_ps;
    return start < SIM_NEVER ? start : SIM_NEVER;
}
