/* SPDX-License-Identifier: Apache-2.0
 *
 * core/injection.h: when a host makes its messages. One rule for all models: the time of a message
 * is a function of (seed, host, its number) and of the time of the message before, in whole
 * picoseconds, so nothing is stored for messages that wait. */
#ifndef IKAT_SIM_INJECTION_H
#define IKAT_SIM_INJECTION_H

#include <stdint.h>

/* AT_ONCE: of workloads that end; their visits have no rhythm */
enum { INJECT_PERIODIC, INJECT_POISSON, INJECT_BERNOULLI, INJECT_AT_ONCE };

typedef struct sim_rhythm {
    uint64_t seed;
    uint32_t source; /* the host, of all its ports */
    unsigned kind;   /* INJECT_... */
    /* mean time between messages; time of the first one (periodic: sim_rhythm_phase()) */
    double period_ps, phase_ps;
    /* Bernoulli: a coin every so often, and the logarithm of its missing (sim_rhythm_log_miss) */
    uint64_t slot_ps;
    double log_miss;
} sim_rhythm;

/* Time of the first message of a periodic source: drawn within a period. */
double sim_rhythm_phase(const sim_rhythm *r);
/* For a coin of this probability, (0, 1]. */
double sim_rhythm_log_miss(double probability);
/* Time of message n; `before` is that of message n - 1 (unused for n = 0). */
uint64_t sim_rhythm_time(const sim_rhythm *r, uint64_t n, uint64_t before);

#endif
