/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/edges.h: whether each step of a packet is an edge of the dependency graph that was
 * proved, for the paranoid checks. A step is from a channel and VC that the packet holds to the
 * channel and VC that it is given.
 *
 * The edges are those that the checker of certificates walks through (ik_hops_each), and are found
 * when they are needed: a step that is not known yet has all hops of its packet's pair of hosts
 * walked and noted. So each pair is walked once at most, most of them never, and a step that its
 * own pair's walk did not find is no edge. VCs of the channels to and from hosts do not count:
 * nobody waits for the channel of a host, a host takes in all that comes, and the pipelined model
 * may inject on any VC.
 */
#ifndef IKAT_SIM_EDGES_H
#define IKAT_SIM_EDGES_H

#include "ikat/verify.h"
#include "sim/core/carry.h"

typedef struct proved_edges proved_edges; /* of a partition: for one thread */

/* The plan is borrowed. NULL when out of memory. */
proved_edges *sim_edges_new(const ik_plan *plan);
void sim_edges_free(proved_edges *e);
void sim_edges_carry(proved_edges *e, sim_carrier *c); /* of a run without an error */
uint64_t sim_edges_bytes(const proved_edges *e);       /* 0 of NULL */

/* Notes that a packet of the pair (rt) that came to a switch by in_port, on in_vc, is given out_vc
 * of the channel from out_port. False: it is no edge, or there is no memory to tell: see
 * sim_edges_judge(). */
bool sim_edges_step(proved_edges *e, const ik_packet *rt, uint32_t in_port, unsigned in_vc,
                    uint32_t out_port, unsigned out_vc);
/* IK_ERR_INTERNAL with the first step that was no edge; IK_ERR_MEMORY. e: NULL = IK_OK. */
ik_status sim_edges_judge(const proved_edges *e, ik_error *err);

#endif
