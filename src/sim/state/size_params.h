/* SPDX-License-Identifier: Apache-2.0
 *
 * state/size_params.h: sizes of messages, as the section adapter says them. */
#ifndef IKAT_SIM_SIZE_PARAMS_H
#define IKAT_SIM_SIZE_PARAMS_H

#include "ikat/traffic.h"
#include "sim/core/sizes.h"

/* Reads message_sizes or message_histogram; *out = NULL where neither is given. traffic: whose
 * classes the sizes are of; NULL = not known, then classes are not checked. IK_ERR_USAGE: what is
 * said of message_sizes is wrong, or names no class of the traffic; IK_ERR_INPUT with a place: the
 * histogram's file. Free with sim_sizes_free. */
ik_status sim_sizes_new(const ik_params *adapter, const ik_traffic *traffic, sim_sizes **out,
                        ik_error *err);
void sim_sizes_free(sim_sizes *z);
/* Mean over the messages of a host of what sim_sizes_mean says of each class. */
double sim_sizes_mean_of_host(const sim_sizes *z, const ik_traffic *traffic, uint32_t host,
                              uint64_t packet, uint64_t unit);

#endif
