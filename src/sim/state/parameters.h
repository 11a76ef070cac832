/* SPDX-License-Identifier: Apache-2.0
 *
 * state/parameters.h: the parameters of switches, adapters and measurements, resolved. */
#ifndef IKAT_SIM_PARAMETERS_H
#define IKAT_SIM_PARAMETERS_H

#include "ikat/sim.h"
#include "sim/core/injection.h"

#define SIM_MAX_VCS 64

enum { MODEL_IQ, MODEL_IOQ, MODEL_IDEAL, MODEL_PIPELINED };
enum { ADAPTER_VC, ADAPTER_DESTINATION, ADAPTER_ONE };
enum { QUEUES_FIFO, QUEUES_VOQSW, QUEUES_DAMQ, QUEUES_VOQNET };
enum { ARB_ISLIP, ARB_ROUND_ROBIN, ARB_OLDEST, ARB_RANDOM, ARB_CLASS };

/* Classes of traffic with priorities. A level is a priority: 0 is the highest. */
typedef struct priority_levels {
    unsigned num;       /* 0 = all packets are alike */
    unsigned vcs;       /* of a level: number l has VCs l * vcs ... */
    uint8_t of[64];     /* [classes] */
    size_t num_classes; /* of the traffic */
} priority_levels;

typedef struct sim_sections {
    ik_params own[3]; /* defaults of the sections that were not given */
    const ik_params *sw, *adapter, *measure;
} sim_sections;
bool sim_is_pipelined(const ik_sim_config *config);
ik_status sim_open_sections(sim_sections *sec, const ik_sim_config *config, ik_error *err);
void sim_close_sections(sim_sections *sec);
/* Load and number of VCs within what every model takes. */
ik_status sim_check_run(const ik_plan *plan, const ik_sim_config *config, ik_error *err);
/* Workloads are measured until they are delivered, and nothing else is. measure: NULL =
 * defaults. */
ik_status sim_check_until(const ik_traffic *traffic, const ik_params *measure, ik_error *err);
struct sim;
/* Whether interleave and active mean something beside endless traffic, where messages have several
 * packets; messages of a queue that take turns, UINT32_MAX = all. */
ik_status sim_check_turns(const struct sim *s, const ik_params *adapter, ik_error *err);
uint32_t sim_active_of(const ik_params *adapter);
/* Of a workload: sizes of packets and visits, and how messages take turns, from the adapter's
 * parameters. Errors: IK_ERR_USAGE and IK_ERR_UNSUPPORTED, for those that say nothing to it. */
ik_status sim_finite_resolve(struct sim *s, const ik_params *adapter, ik_error *err);
/* Bursty sources: probabilities to go on and off in a slot, load while on (a message's probability
 * in a slot that takes as long as a message). */
typedef struct sim_bursts {
    double alpha, beta, rate;
} sim_bursts;
/* From the adapter's parameters, of which two say the third, so that the mean is `load`.
 * IK_ERR_USAGE with the numbers where they cannot. */
ik_status sim_resolve_bursts(const ik_params *adapter, double load, sim_bursts *b, ik_error *err);
/* The same for every entry of a schedule. */
ik_status sim_resolve_entry_bursts(const ik_params *adapter, const ik_schedule *list, double load,
                                   sim_bursts *out, ik_error *err);
ik_status sim_check_input_speedup(unsigned speedup, unsigned vcs, ik_error *err);
ik_status sim_resolve(struct sim *s, const ik_plan *plan, const ik_sim_config *config,
                      ik_error *err);

#endif
