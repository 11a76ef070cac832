/* SPDX-License-Identifier: Apache-2.0
 *
 * core/injection.h: when a host makes its messages. One rule for all models: the time of a message
 * is a function of (seed, host, its number) and of the time of the message before, in whole
 * picoseconds, so nothing is stored for messages that wait. */
#ifndef IKAT_SIM_INJECTION_H
#define IKAT_SIM_INJECTION_H

#include <stdint.h>

/* AT_ONCE: of finite workloads; their visits have no rhythm. SCHEDULE: one after the other, see
 * core/schedule.h. NEVER: a source that is silent */
enum {
    INJECT_PERIODIC,
    INJECT_POISSON,
    INJECT_BERNOULLI,
    INJECT_BURSTY,
    INJECT_AT_ONCE,
    INJECT_SCHEDULE,
    INJECT_NEVER
};
/* What would come later comes then (53 days). */
#define SIM_NEVER (UINT64_C(1) << 62)

/* A source that is on or off. In every slot it goes on with probability alpha if it is off, or off
 * with probability beta if it is on, and if it is on now, makes a message with probability rate
 * (the process that BookSim calls on_off). A message says that its source is on, so the numbers of
 * slots between messages are independent: with `weight` geometric at one decay, otherwise at the
 * other. Time 0 lies in the steady state, which the same two geometric numbers of slots describe
 * with another weight. */
typedef struct sim_gaps {
    double weight, first_weight; /* of the long gaps: between messages, before the first one */
    double log_long, log_short;  /* logarithms of the two decays, below 0 */
} sim_gaps;
/* alpha > 0, alpha + beta <= 1 (beyond, to be on makes the next slot more likely to be off, and the
 * gaps are no mixture), 0 < rate <= 1. */
sim_gaps sim_gaps_of(double alpha, double beta, double rate);

typedef struct sim_rhythm {
    uint64_t seed;
    uint32_t source; /* the host, of all its ports */
    unsigned kind;   /* INJECT_... */
    /* mean time between messages; time of the first one (periodic: sim_rhythm_phase()) */
    double period_ps, phase_ps;
    /* Bernoulli: a coin every so often, and the logarithm of its missing (sim_rhythm_log_miss);
     * bursty: the same slots, and their gaps */
    uint64_t slot_ps;
    double log_miss;
    const sim_gaps *gaps;
} sim_rhythm;

/* Time of the first message of a periodic source: drawn within a period. */
double sim_rhythm_phase(const sim_rhythm *r);
/* For a coin of this probability, (0, 1]. */
double sim_rhythm_log_miss(double probability);
/* Time of message n; `before` is that of message n - 1 (unused for n = 0). At most SIM_NEVER. */
uint64_t sim_rhythm_time(const sim_rhythm *r, uint64_t n, uint64_t before);

#endif
