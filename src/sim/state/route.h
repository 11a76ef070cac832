/* SPDX-License-Identifier: Apache-2.0
 *
 * state/route.h: the plan, asked by the simulator. */
#ifndef IKAT_SIM_ROUTE_H
#define IKAT_SIM_ROUTE_H

#include "sim/state/state.h"

/* Routes a packet that stands at switch sw: sets out (SIM_NO_WAY; SIM_UNDECIDED: chooses later),
 * vc_first, vc_last. */
void sim_route(partition *p, uint32_t sw, uint32_t in_port, packet *pk);
/* Asks the routing or selection which output a waiting head wants now; IK_NONE = none yet. */
uint32_t sim_choose_output(partition *p, uint32_t sw, uint32_t in_port, packet *pk);
/* Local output of the next switch that a packet will ask for if it goes there by out_port in VC u;
 * 0 at hosts. rt: as it stands here; number: of its source's packets. For routings that do not
 * adapt. */
uint32_t sim_look_ahead(partition *p, uint32_t out_port, unsigned u, const ik_packet *rt,
                        uint32_t number);
/* The decision at the source's switch, from its state of this instant. */
void sim_start_again(partition *p, packet *pk);
ik_view sim_view(partition *p);
/* Which of n outputs it takes without looking at local state: drawn, or the preferred one. */
uint32_t sim_drawn(const sim *s, const ik_packet *rt, uint32_t number, uint32_t n,
                   uint32_t preferred);

#endif
