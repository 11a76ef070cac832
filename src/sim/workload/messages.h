/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/messages.h: the messages of a host: when they are made, where they go, how large they
 * are. An adapter's queue is a cursor into this sequence. */
#ifndef IKAT_SIM_MESSAGES_H
#define IKAT_SIM_MESSAGES_H

#include "sim/state/state.h"

/* message n of a host, made at t */
void sim_count_message(partition *p, uint32_t host, uint64_t n, uint64_t t);
/* What the plan makes of a packet when it starts; number: of the host's packets. */
void sim_start_packet(const sim *s, uint32_t host, uint32_t dst, uint64_t number, ik_packet *rt);
/* Looks at the messages made until now and takes in those of queue `at` (of its VC, or all), while
 * there is room to be active. */
void sim_host_admit(partition *p, uint32_t host, unsigned at, uint64_t now);
/* Time of message n; `before` is that of message n - 1 (unused for n = 0). */
uint64_t sim_message_time(const sim *s, uint32_t host, uint64_t n, uint64_t before);
/* Takes the next message of a source, made at l->t <= now, and moves the cursor on. Returns false
 * if it goes nowhere; sets its VC where there are several. count: add it to what was generated. */
bool sim_next_message(partition *p, uint32_t host, send_queue *l, bool count, message *m);
/* The queue goes on to the host's message `end`, unless it has. */
void sim_pass_messages(const sim *s, uint32_t host, send_queue *l, uint64_t end);
/* Counts what was made for a host and never admitted. */
void sim_count_backlog(partition *p, uint32_t host);

#endif
