/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/finite.h: finite workloads (ikat/workload.h), as the adapters of the packet-level models
 * see them.
 *
 * A batch is endless traffic that is all made at the start, or with replies one repetition after
 * the other, and stops. An all-to-all exchange is a sequence of visits, of at most `visits` packets
 * each, and so looks like endless traffic whose messages are all made at the start and that stops:
 * its visit n is message n of workload/messages.c, and both engines' own adapters serve it. A
 * dependency graph keeps its operations here.
 *
 * Invariants. An operation is released when all that it waits for is done, at the latest of their
 * times, and never before it is known that time passes without another: deliveries are reported
 * before the window of their time (sim_delivered). A host's releases stand in a heap by time and
 * number and are taken in that order, so nothing depends on the order of hosts, partitions or
 * engines. */
#ifndef IKAT_SIM_FINITE_H
#define IKAT_SIM_FINITE_H

#include "sim/workload/messages.h"

/* The state of s->traffic->workload, in s->workload.finite; s->traffic then is the sequence of
 * visits of an all-to-all. */
ik_status sim_finite_new(sim *s, ik_error *err);
/* Its first refusal alone: hosts without a cable take part. */
ik_status sim_finite_check_hosts(const sim *s, ik_error *err);
void sim_finite_free(sim *s);
uint64_t sim_finite_bytes(const sim *s);

/* ---- all-to-all: its visits as messages */
/* Graphs: the class of the message that packet `number` of a host belongs to. */
uint32_t sim_finite_phase(const sim *s, uint32_t host, uint64_t number);
uint64_t sim_visit_time(const sim *s, uint32_t host, uint64_t n); /* UINT64_MAX: not made yet */
uint64_t sim_visit_bytes(const sim *s, uint64_t n);

/* Counts the messages from l->n to the end of its repetition as made, and moves the cursor behind
 * them; in constant time, but for a batch that leaves single messages out. */
void sim_visits_count(partition *p, uint32_t host, send_queue *l);

/* ---- batches */
uint64_t sim_batch_time(const sim *s, uint32_t host, uint64_t n); /* as sim_visit_time */
/* A host has got all of the reply to one of its requests, at time t. */
void sim_batch_answered(partition *p, uint32_t host, uint64_t t);

/* ---- jobs that never end (workload/finite_endless.c) */
/* Whether what a host sends is of such a job. */
bool sim_endless(const sim *s, uint32_t host);
/* Whether what a host sends are operations of a dependency graph. */
SIM_INLINE bool sim_has_operations(const sim *s, uint32_t host)
{
    return s->workload.has_graph && !sim_endless(s, host);
}
/* As sim_message_time() and sim_next_message(), of such a host. */
uint64_t sim_endless_time(const sim *s, uint32_t host, uint64_t n, uint64_t before);
bool sim_endless_next(partition *p, uint32_t host, send_queue *l, bool count, message *m);
/* Its source, once its port is known. */
void sim_endless_source(sim *s, uint32_t host);
/* The run is only to say when the jobs that end are done; false: none is endless. */
bool sim_finite_stop_when_done(sim *s);
/* Whether it may end, all of them being done: everybody comes to the same answer. */
bool sim_finite_stops(const sim *s);
/* Whether the run is one that stops then: its counts are nobody's. */
bool sim_finite_seeks_end(const sim *s);

/* ---- adapters with a queue for each destination */
/* The number of the packet behind packet `number` of the same message. */
uint64_t sim_finite_next_number(const sim *s, uint64_t number);
/* Packets that a queue of a host sends in its turn, and messages of it that take turns. */
uint64_t sim_finite_turn(const sim *s, uint32_t host);
uint32_t sim_finite_active(const sim *s, uint32_t host);

/* ---- graphs */
/* Begins what is due by now; sends stand in the host's queues then, or, with a queue for each
 * destination, are to be taken: the next one, false = there is none. */
void sim_finite_advance(partition *p, uint32_t host, uint64_t now);
bool sim_finite_take_send(const sim *s, uint32_t host, message *m);
/* Packet `number` of a host was sent, now: what it is to its operation. */
void sim_finite_packet_sent(partition *p, uint32_t host, uint32_t number, uint32_t size,
                            uint64_t now);
/* A packet of queue `at` was sent, now. */
void sim_finite_sent(partition *p, uint32_t host, unsigned at, uint32_t size, uint64_t now);
/* Fetches what the next release of a host will touch, in stages from 0 on, each of which reads what
 * the one before has fetched. */
enum { FINITE_STAGES = 4 };
void sim_finite_fetch(const sim *s, uint32_t host, unsigned stage);
/* When the next release of a host is due; UINT64_MAX = nothing is known of one. */
uint64_t sim_finite_next(const sim *s, uint32_t host);

bool sim_finite_sends(const sim *s, uint32_t host); /* anything to another host */
/* Releases what waits for nothing, which is due at time 0; whether there is any. */
bool sim_finite_start(partition *p, uint32_t host);
/* Counts what the host has to send. */
void sim_finite_count(partition *p, uint32_t host);
/* ---- both */
/* Whether what a host sends depends on what reaches it, so that deliveries must be reported to it.
 * */
bool sim_finite_waits(const sim *s);
void sim_finite_delivered(partition *p, uint32_t host, const delivered *d);

/* ---- at the end, nobody working */
/* Packets of all that is to be delivered, with replies; of an all-to-all or a batch. */
uint64_t sim_finite_all_packets(const sim *s);
/* Of what is done, the last: a host's last delivery, or its last operation. */
uint64_t sim_finite_last(const sim *s);
/* Time by which all is done; UINT64_MAX = it is not. */
uint64_t sim_finite_end(const sim *s);
/* A last delivery to a host that an engine has kept itself, without repetitions. */
void sim_finite_note(sim *s, uint32_t host, const delivered *last);
/* The parts of a host's state that results are made of. */
void sim_finite_carry_host(sim *s, uint32_t host, sim_carrier *c);
void sim_finite_carry(sim *s, sim_carrier *c); /* all that it keeps */
/* workload/finite_ranks.c: what ranks did, into r, which frees it. */
ik_status sim_finite_ranks(const sim *s, ik_sim_result *r, ik_error *err);
/* workload/finite_path.c: what the end, at time end_ps, waited for. */
ik_status sim_finite_path(const sim *s, uint64_t end_ps, ik_critical_path *out, ik_error *err);
/* Fills in what a result says of a workload. */
ik_status sim_finite_export(sim *s, ik_sim_result *r, ik_error *err);

#endif
