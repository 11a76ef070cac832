/* SPDX-License-Identifier: Apache-2.0
 *
 * What the adapter's two kinds of sources share: host/host.c (queues as cursors) and
 * host/by_destination.c (a queue a destination). */
#ifndef IKAT_SIM_HOST_H
#define IKAT_SIM_HOST_H

#include "sim/core/state.h"

/* Takes the next message of a source, made at l->t <= now, and moves the cursor on. Returns false
 * if it goes nowhere; sets its VC where there are several. count: add it to what was generated. */
bool sim_next_message(partition *p, uint32_t host, send_queue *l, bool count, message *m);
/* Bytes that the next packet of a message may take in the buffer at the other end of the link. */
int32_t sim_room_ahead(partition *p, uint32_t host, const host_state *h, const message *m);
/* Puts the next packet of a message on the link, which is free and has room ahead; false = out of
 * memory. */
bool sim_launch(partition *p, uint32_t host, host_state *h, const message *m, uint32_t size,
                uint64_t now);

SIM_INLINE uint32_t next_size(const sim *s, const message *m)
{
    return m->remaining < s->packet_bytes ? (uint32_t)m->remaining : s->packet_bytes;
}

#endif
