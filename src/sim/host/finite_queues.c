/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end at adapters with a queue for each destination (host/by_destination.c).
 *
 * Visits of an all-to-all are no messages of their own there: a queue holds the whole message, and
 * visits are its turns, so that 68 bytes and a place in a hash table are kept per destination,
 * however small the visits are. Packets have the numbers that they have as packets of visits:
 * routings draw by them. */
#include "sim/host/finite_state.h"

/* Packets of a message that are sent in one turn as the host's job says; 0 = as the run says. */
static uint64_t finite_queues_job_visits(const sim *s, uint32_t host)
{
    const ik_workload *w = s->workload.finite->w;
    assert(!w->num_jobs || w->host_job[host] < w->num_jobs);
    return w->num_jobs ? w->jobs[w->host_job[host]].visits : 0;
}

uint64_t sim_finite_turn(const sim *s, uint32_t host)
{
    uint64_t visits = finite_queues_job_visits(s, host);
    if (visits)
        return visits;
    return s->host.dest_rings && !s->workload.finite->w->visits ? 1 : s->adapter.turn_packets;
}

uint32_t sim_finite_active(const sim *s, uint32_t host)
{
    return finite_queues_job_visits(s, host) ? UINT32_MAX : s->adapter.turn_messages;
}

uint64_t sim_finite_next_number(const sim *s, uint64_t number)
{
    const finite *f = s->workload.finite;
    uint64_t next = number + 1, visit = s->source.packets_per_message;
    if (!f->w->alltoall || next % visit)
        return next;
    return next + (f->per_round - 1) * visit; /* the next visit to the same destination */
}

bool sim_visits_take(partition *p, uint32_t host, send_queue *l, uint64_t now)
{
    const finite *f = p->sim->workload.finite;
    for (uint64_t n = 0; n < f->per_round; n++) {
        send_queue at = {.n = l->n + n, .t = l->t};
        message m;
        if (!sim_next_message(p, host, &at, false, &m))
            continue;
        m.remaining = f->w->largest;
        if (!sim_dest_take(p, host, &m, now))
            return false;
    }
    sim_visits_count(p, host, l);
    return true;
}

ik_status sim_visits_check(const sim *s, ik_error *err)
{
    const ik_alltoall *a = s->traffic->workload->alltoall;
    uint64_t limit = s->env ? s->env->memory_limit_bytes : 0;
    uint64_t bytes = (uint64_t)a->num * (a->num - 1) * sim_dest_queue_bytes();
    if (s->adapter.queues != ADAPTER_DESTINATION || !limit || bytes <= limit)
        return IK_OK;
    ik_fail(err, IK_ERR_MEMORY,
            "an all-to-all of %u hosts with a queue for each destination needs %.1f MB, %.1f MB "
            "are allowed",
            a->num, (double)bytes / 1e6, (double)limit / 1e6);
    return ik_hint(err, IK_ERR_MEMORY,
                   "queues = vc or one, with throttle: strict where reorder space is limited, "
                   "keep no messages");
}
