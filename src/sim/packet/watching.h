/* SPDX-License-Identifier: Apache-2.0
 *
 * packet/watching.h: what the general engine notes of watched packets (measure/watch.h). Called
 * where the shape says `watch`, which only the kernel for watched runs does: the others are
 * compiled without any of it. Nothing here changes the network, so results are the same. */
#ifndef IKAT_SIM_WATCHING_H
#define IKAT_SIM_WATCHING_H

#include "sim/packet/shape.h"

/* A packet has come to input `port` of a switch and was routed, or cannot be. */
void watching_arrived(partition *p, uint32_t node, uint32_t port, uint32_t id);
/* It leaves its input for an output, in VC u there. */
void watching_granted(partition *p, uint32_t id, uint32_t out_port, unsigned u, uint64_t t0);
/* Model ideal: it stands in the queue of its output. */
void watching_queued(partition *p, uint32_t id, uint32_t out_port, unsigned u, uint64_t t);
/* Models ioq and ideal: the link takes it now, until `end`. */
void watching_sent(partition *p, uint32_t id, uint32_t out_port, unsigned u, uint64_t end);
/* After an instant of a switch: what those wait for that still stand there. */
void watching_look(partition *p, uint32_t node, sw_state *sw, const shape k);
/* Before a host takes the events of p->local. */
void watching_host(partition *p);
/* Before a host puts a packet on its link. */
void watching_injected(partition *p, uint32_t host, const packet *pk);

#endif
