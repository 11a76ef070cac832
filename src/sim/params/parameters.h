/* SPDX-License-Identifier: Apache-2.0
 *
 * params/parameters.h: the sections `switch`, `adapter` and `measure` of an experiment: what is
 * declared of them, and what they say to a run (state/settings.h). When a run is measured:
 * params/window.h. */
#ifndef IKAT_SIM_PARAMETERS_H
#define IKAT_SIM_PARAMETERS_H

#include "sim/core/sizes.h"
#include "sim/state/settings.h"

struct sim;

typedef struct sim_sections {
    ik_params own[3]; /* defaults of the sections that were not given */
    const ik_params *sw, *adapter, *measure;
} sim_sections;
/* The configuration that a caller's zeros, or NULL, stand for. */
ik_sim_config sim_config_of(const ik_sim_config *given);
bool sim_is_pipelined(const ik_sim_config *config);
ik_status sim_open_sections(sim_sections *sec, const ik_sim_config *config, ik_error *err);
void sim_close_sections(sim_sections *sec);
/* Load and number of VCs within what every model takes. */
ik_status sim_check_run(const ik_plan *plan, const ik_sim_config *config, ik_error *err);
/* Workloads are measured until they are delivered, and nothing else is. measure: NULL =
 * defaults. */
ik_status sim_check_until(const ik_traffic *traffic, const ik_params *measure, ik_error *err);
/* ---- params/measure_params.c */

/* Half width of an interval over the mean, with which a run may end. */
double sim_interval_asked(const ik_params *measure);

ik_status sim_resolve_measure(struct sim *s, const sim_sections *sec, const ik_sim_config *config,
                              ik_error *err);
/* Of a run whose section `measure` is resolved: how long it is likely to take; NAN: as long as its
 * workload. */
double sim_likely_ps(const struct sim *s, const ik_sim_config *config);
/* Whether interleave and active mean something beside endless traffic, where messages have several
 * packets; messages of a queue that take turns, UINT32_MAX = all. */
ik_status sim_check_turns(const struct sim *s, const ik_params *adapter, ik_error *err);
uint32_t sim_active_of(const ik_params *adapter);
/* Whether flows offer what their weights say: not where messages of some classes are larger than
 * those of others. */
bool sim_offers_by_weight(const ik_params *adapter);
/* Of a workload: sizes of packets and visits, and how messages take turns, from the adapter's
 * parameters. Errors: IK_ERR_USAGE and IK_ERR_UNSUPPORTED, for those that say nothing to it. */
ik_status sim_finite_resolve(struct sim *s, const ik_params *adapter, ik_error *err);
/* Whether the packets of each host can be numbered, of messages cut into so many bytes. */
ik_status sim_finite_check(const ik_workload *w, uint32_t packet_bytes, ik_error *err);
/* From the adapter's parameters, of which two say the third, so that the mean is `load`.
 * IK_ERR_USAGE with the numbers where they cannot. */
ik_status sim_resolve_bursts(const ik_params *adapter, double load, sim_bursts *b, ik_error *err);
/* The same for every entry of a schedule. */
ik_status sim_resolve_entry_bursts(const ik_params *adapter, const ik_schedule *list, double load,
                                   sim_bursts *out, ik_error *err);
ik_status sim_check_input_speedup(unsigned speedup, unsigned vcs, ik_error *err);
ik_status sim_resolve(struct sim *s, const ik_plan *plan, const ik_sim_config *config,
                      ik_error *err);

/* ---- params/level_params.c: classes with priorities */

/* Gives every priority a copy of the plan's VCs: s->plan, s->vcs and s->levels. Before everything
 * that depends on them. */
ik_status sim_resolve_levels(struct sim *s, const ik_params *sw, const ik_params *adapter,
                             ik_error *err);

/* ---- params/reorder_params.c: in-order delivery */

/* After plan and adapter; v: the adapter's parameters. May give the adapter a queue for each
 * destination. */
ik_status sim_resolve_reorder(struct sim *s, const ik_params *v, ik_error *err);
/* Whether messages to a host without reorder space let those to others pass. */
bool sim_bypasses_throttled(const ik_params *adapter);
/* The delays of messages about reorder space. least: the smallest latency of a link; shortest: the
 * shortest transmission of a full packet, ps. */
ik_status sim_resolve_control(struct sim *s, uint64_t least, uint64_t shortest, ik_error *err);

/* ---- params/reply_params.c: requests and replies */

/* Doubles the plan's VCs where replies are asked for: s->plan and s->vcs. Before everything that
 * depends on them. */
ik_status sim_split_vcs(struct sim *s, const ik_params *adapter, ik_error *err);
/* Once packets and queues of adapters are known. */
ik_status sim_resolve_replies(struct sim *s, const ik_params *adapter, ik_error *err);
/* Once the time of the run is known: packets of a host can be numbered. */
ik_status sim_check_reply_numbers(const struct sim *s, ik_error *err);

/* ---- params/size_params.c: sizes of messages */

/* Reads message_sizes or message_histogram; *out = NULL where neither is given. traffic: whose
 * classes the sizes are of; NULL = not known, then classes are not checked. IK_ERR_USAGE: what is
 * said of message_sizes is wrong, or names no class of the traffic; IK_ERR_INPUT with a place: the
 * histogram's file. Free with sim_sizes_free. */
ik_status sim_sizes_new(const ik_params *adapter, const ik_traffic *traffic, sim_sizes **out,
                        ik_error *err);
void sim_sizes_free(sim_sizes *z);
/* Over the messages of all hosts of the traffic: *mean, the mean size; *of_bytes, that of the
 * message that a byte is of, E[s^2] / E[s]; *each, bytes of all messages for each one of those that
 * make their sum vary, E[s] E[s^4] / E[s^2]^2. All are the size where messages have one.
 * O(hosts * ranges). */
void sim_sizes_spread(const sim_sizes *z, const ik_traffic *traffic, double *mean, double *of_bytes,
                      double *each);
/* Mean over the messages of a host of what sim_sizes_mean says of each class. */
double sim_sizes_mean_of_host(const sim_sizes *z, const ik_traffic *traffic, uint32_t host,
                              uint64_t packet, uint64_t unit);

/* ---- params/source_rates.c: how fast hosts make messages */

/* Of every host; those without a cable, and those that never send, are marked silent before. */
void sim_init_injector(struct sim *s, uint32_t host);
/* Once hosts have their ports. */
ik_status sim_make_schedule(struct sim *s, ik_error *err);
/* Messages of any host are so many per byte that its link sends, at most. */
double sim_messages_per_byte(const struct sim *s, uint32_t host);
/* Packets of a source are numbered by messages of the largest size, in 32 bits. */
ik_status sim_refuse_numbers(const struct sim *s, ik_error *err);

#endif
