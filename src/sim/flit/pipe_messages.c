/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages between partitions of the pipelined model, exchanged at the end of a step: one unit per
 * credit or flit, and the packet behind a head. Times are ticks from the step's start. The flits of
 * a packet follow each other on their channel and VC, so those behind a head need not say whose
 * they are.
 */
#include "sim/flit/pipe.h"
#include "sim/parallel/rest.h"

/* sim_unit.low; node: receiving port * vcs + vc; data: is head << 1 | is tail */
enum { UNIT_CREDIT, UNIT_FLIT };
/* behind a head */
enum {
    RT_UNITS = sizeof(ik_packet) / sizeof(sim_unit),
    PACKET_UNITS = RT_UNITS + sizeof(pipe_packet) / sizeof(sim_unit)
};

static sim_unit *pipe_messages_room_for(pipe_partition *q, unsigned to, uint32_t units)
{
    sim_unit *at = sim_endpoint_units(&q->endpoint, to, units);
    q->failed |= !at;
    q->endpoint.posted += at != NULL;
    return at;
}

void pipe_post_credit(pipe_partition *q, const pipe_port *port, unsigned vc, uint64_t tick)
{
    sim_unit *at = pipe_messages_room_for(q, port->to - 1u, 1);
    if (at)
        *at = (sim_unit){(uint32_t)(tick - q->step_start), port->peer + vc, UNIT_CREDIT, 0};
}

/* With its tail a packet has left this partition. */
void pipe_post_flit(pipe_partition *q, const pipe_port *port, unsigned vc, uint32_t flit,
                    uint64_t tick)
{
    bool head = flit >> 1 & 1;
    sim_unit *at = pipe_messages_room_for(q, port->to - 1u, 1 + (head ? PACKET_UNITS : 0));
    if (!at)
        return;
    *at = (sim_unit){(uint32_t)(tick - q->step_start), port->peer + vc, UNIT_FLIT, flit & 3};
    if (head) {
        memcpy(at + 1, pipe_rt_of(q->p, flit >> 2), sizeof(ik_packet));
        memcpy(at + 1 + RT_UNITS, pipe_packet_of(q->p, flit >> 2), sizeof(pipe_packet));
    }
    if (flit & 1)
        pipe_free_packet(q, flit >> 2);
}

/* Returns the next unit; NULL when out of memory. */
static const sim_unit *pipe_messages_read_flit(pipe_partition *q, const sim_unit *at,
                                               uint64_t since)
{
    pipe *p = q->p;
    uint32_t *id = &p->arriving[at->node];
    uint64_t tick = since + at->dt;
    if (at->data & 2) {
        *id = pipe_new_packet(q);
        if (*id == IK_NONE)
            return NULL;
        memcpy(pipe_rt_of(p, *id), at + 1, sizeof(ik_packet));
        memcpy(pipe_packet_of(p, *id), at + 1 + RT_UNITS, sizeof(pipe_packet));
    }
    pipe_add_flit(q, tick, (pipe_event){at->node, *id << 2 | at->data});
    return at + 1 + (at->data & 2 ? PACKET_UNITS : 0);
}

static bool pipe_messages_read_message(pipe_partition *q, const sim_message *m, uint64_t since)
{
    const sim_unit *at = m->unit, *end = at + m->units;
    while (at && at < end) {
        if (at->low == UNIT_FLIT) {
            at = pipe_messages_read_flit(q, at, since);
        } else {
            pipe_add_credit(q, since + at->dt, at->node);
            at++;
        }
    }
    return at;
}

/* since: start of the step in which it was written. */
static void pipe_messages_read_messages(pipe_partition *q, uint64_t since)
{
    for (unsigned from = 0; from < q->endpoint.num_partitions; from++) {
        const sim_message_list *list = q->endpoint.in[from];
        for (uint32_t k = 0; from != q->id && k < list->count; k++)
            if (!pipe_messages_read_message(q, &list->messages[k], since))
                return;
    }
}

static bool pipe_messages_must_stop(const pipe_partition *q)
{
    return q->failed || q->status != IK_OK || (q->id == 0 && ik_env_cancelled(q->p->env));
}

/* Whether all partitions together have outgrown the limit. */
static bool pipe_messages_outgrown(pipe_partition *q, uint64_t bytes)
{
    ik_error err = {0};
    ik_status status =
        rest_check_growth(q->p->env, bytes + q->p->memory.bytes, q->cycle * q->p->clock_ps, &err);
    if (status != IK_OK && q->id == 0) {
        q->status = status;
        q->err = err;
    }
    return status != IK_OK;
}

bool pipe_end_step(pipe_partition *q)
{
    const pipe *p = q->p;
    uint64_t since = q->step_start;
    sim_step_report all = {0, pipe_partition_bytes(q), (uint32_t)(q->n.moves - q->moves_before),
                           pipe_messages_must_stop(q)};
    q->moves_before = q->n.moves;
    q->step_start = q->cycle * p->speedup;
    sim_endpoint_swap(&q->endpoint, p->exchange, &all, &q->status, &q->err);
    if (all.stop || pipe_messages_outgrown(q, all.bytes))
        return false;
    q->now = q->step_start;
    if (p->exchange)
        pipe_messages_read_messages(q, since);
    return true;
}
