/* SPDX-License-Identifier: Apache-2.0
 *
 * queues.c: what each VC of each channel carries, and for how many destinations.
 *
 * Destination by destination, so that counting those of a queue takes one mark a queue, not a set.
 * Packets of one switch that start alike, and whose source nobody looks at behind it, are followed
 * together.
 */
#include "analysis/queues/queues.h"
#include "analysis/load.h"
#include "analysis/queues/arrivals.h"
#include "base/array.h"
#include "routing/by_port.h"

#include "ikat/vc.h"

#include <stdlib.h>
#include <string.h>

/* Sums of all parts together should take no more than this. */
#define PARTS_BYTES ((size_t)512 << 20)
enum {
    QUEUE_BYTES = 2 * sizeof(double) + sizeof(uint32_t),
    MOST_PARTS = 32,
    /* groups of a switch that a packet is compared with */
    COMPARED = 8
};

typedef struct queues_job {
    const ik_plan *plan;
    demand d;
    arrivals flows;
    bool merges; /* packets may be followed together */
    size_t num_queues, num_parts;
    queue_sums *parts;     /* [num_parts] */
    double *arrived;       /* [num_parts] flows */
    queue_walker *walkers; /* [threads] */
} queues_job;

/* ---- one destination */

/* The group that the packet joins, among the last ones of its switch. */
static size_t queues_find_group(const queues_job *job, const queue_walker *w, const ik_packet *pk,
                                uint32_t in_port)
{
    const uint32_t *node = job->plan->fabric->port_node;
    size_t last = w->num_groups > COMPARED ? w->num_groups - COMPARED : 0;
    for (size_t i = w->num_groups; job->merges && i-- > last;) {
        const queue_group *g = &w->groups[i];
        if (node[g->in_port] == node[in_port] && g->pk.via == pk->via && g->pk.phase == pk->phase &&
            g->pk.vc == pk->vc && g->pk.layer == pk->layer)
            return i;
    }
    return w->num_groups;
}

static void queues_book_injection(const queues_job *job, queue_walker *w, size_t part,
                                  const queue_member *m, const queue_group *g)
{
    if (!g->arrives)
        return;
    job->arrived[part] += m->count;
    queue_book(w, (size_t)ik_host_port(job->plan->fabric, m->src) * job->plan->num_vcs + g->pk.vc,
               m->amount, m->count);
}

/* Without a choice, and with nobody to join: followed at once. */
static void queues_follow_alone(const queues_job *job, queue_walker *w, size_t part,
                                const queue_member *m, uint32_t in_port)
{
    queue_group g = {.in_port = in_port, .amount = m->amount, .count = m->count};
    ik_plan_start_nth(job->plan, m->src, w->dst, 0, &g.pk);
    queues_follow_one(w, &g);
    queues_book_injection(job, w, part, m, &g);
}

static ik_status queues_add_source(const queues_job *job, queue_walker *w, size_t part,
                                   uint32_t src, double amount, ik_error *err)
{
    const ik_fabric *f = job->plan->fabric;
    uint32_t port = ik_host_port(f, src), in_port = port == IK_NONE ? IK_NONE : f->port_peer[port],
             starts = ik_plan_num_starts(job->plan, src, w->dst);
    if (in_port == IK_NONE)
        return IK_OK;
    if (!job->merges && !w->states) {
        queue_member alone = {src, 0, amount, 1};
        queues_follow_alone(job, w, part, &alone, in_port);
        return IK_OK;
    }
    if (!IK_ARRAY_ROOM(w->groups, w->group_room, w->num_groups + starts) ||
        !IK_ARRAY_ROOM(w->members, w->member_room, w->num_members + starts))
        return ik_fail_memory(err, w->num_members * sizeof *w->members, "packets by queue");
    for (uint32_t n = 0; n < starts; n++) {
        ik_packet pk;
        ik_plan_start_nth(job->plan, src, w->dst, n, &pk);
        size_t g = queues_find_group(job, w, &pk, in_port);
        double share = amount / starts, count = 1.0 / starts;
        if (g == w->num_groups)
            w->groups[w->num_groups++] = (queue_group){.pk = pk, .in_port = in_port, .start = n};
        w->groups[g].amount += share;
        w->groups[g].count += count;
        w->members[w->num_members++] = (queue_member){src, (uint32_t)g, share, count};
    }
    return IK_OK;
}

static ik_status book_destination(const queues_job *job, queue_walker *w, size_t part,
                                  ik_error *err)
{
    ik_status status = IK_OK;
    uint32_t num = arrivals_num(&job->flows, w->dst);
    w->num_groups = w->num_members = 0;
    for (uint32_t k = 0; k < num && status == IK_OK; k++) {
        double amount;
        uint32_t src = arrivals_source(&job->flows, w->dst, k, &amount);
        status = src == IK_NONE ? IK_OK : queues_add_source(job, w, part, src, amount, err);
    }
    if (status == IK_OK)
        status = queues_follow(w, err);
    for (size_t i = 0; i < w->num_members && status == IK_OK; i++)
        queues_book_injection(job, w, part, &w->members[i], &w->groups[w->members[i].group]);
    return status;
}

/* Goals: hosts of the whole fabric, each with all of its ports. */
static ik_status queues_book_goals(void *ctx, size_t part, unsigned thread, uint32_t first,
                                   uint32_t end, ik_error *err)
{
    queues_job *job = ctx;
    const ik_split *split = job->plan->fabric->split;
    queue_walker *w = &job->walkers[thread];
    w->sums = &job->parts[part];
    for (uint32_t goal = first; goal < end; goal++) {
        w->goal = goal + 1;
        uint32_t dst = split ? split->first[goal] : goal,
                 behind = split ? split->first[goal + 1] : goal + 1;
        for (; dst < behind; dst++) {
            w->dst = dst;
            ik_status status = book_destination(job, w, part, err);
            if (status != IK_OK)
                return status;
        }
    }
    return IK_OK;
}

/* ---- all of them */

static bool leaves_no_choice(const ik_plan *plan)
{
    return plan->routing->kind == IK_ROUTE_DETERMINISTIC && !plan->routing->family->num_starts &&
           (plan->vc->family->static_lane || plan->vc->single);
}

/* Nobody looks at the source of a packet behind its first switch, nor at the port it came by. */
static bool queues_may_merge(const ik_plan *plan)
{
    unsigned traits = plan->routing->traits, ignores = plan->vc->family->ignores;
    bool by_switch = (traits & IK_ROUTE_IGNORES_SRC) && (traits & IK_ROUTE_PER_SWITCH);
    return ((traits & IK_ROUTE_DEST_BASED) || by_switch) &&
           (plan->vc->family->static_lane || (ignores & IK_VC_IGNORES_SRC));
}

static ik_status queue_walker_new(const queues_job *job, queue_walker *w, ik_error *err)
{
    size_t radix = ik_max_radix(job->plan->fabric);
    *w = (queue_walker){.plan = job->plan};
    w->mark = ik_calloc(job->num_queues + 1, sizeof *w->mark);
    w->choices = ik_calloc(radix + 1, sizeof *w->choices);
    w->path = ik_calloc(QUEUE_PATH, sizeof *w->path);
    bool choice = !leaves_no_choice(job->plan);
    w->states = choice ? walk_new(job->plan) : NULL;
    return w->mark && w->choices && w->path && (w->states || !choice)
               ? IK_OK
               : ik_fail_memory(err, job->num_queues * sizeof *w->mark, "queues");
}

static void queue_walker_free(queue_walker *w)
{
    free(w->mark);
    free(w->groups);
    free(w->members);
    free(w->choices);
    free(w->path);
    walk_free(w->states);
    free(w->amount);
    free(w->count);
    free(w->before);
    free(w->order);
    free(w->good);
}

static ik_status queues_sums_new(queues_job *job, unsigned threads, const ik_env *env,
                                 ik_error *err)
{
    size_t num = job->num_queues + 1;
    job->num_parts = PARTS_BYTES / (num * QUEUE_BYTES);
    job->num_parts = job->num_parts > MOST_PARTS ? MOST_PARTS : job->num_parts + !job->num_parts;
    double bytes = (double)num * ((double)job->num_parts * QUEUE_BYTES + threads * 4.0);
    ik_status status = ik_env_refuse_bytes(env, bytes, "loads of queues", err);
    if (status != IK_OK)
        return status;
    job->parts = ik_calloc(job->num_parts, sizeof *job->parts);
    job->arrived = ik_calloc(job->num_parts, sizeof *job->arrived);
    bool complete = job->parts && job->arrived;
    for (size_t i = 0; i < job->num_parts && complete; i++) {
        queue_sums *s = &job->parts[i];
        s->load = ik_calloc(num, sizeof *s->load);
        s->crossing = ik_calloc(num, sizeof *s->crossing);
        s->destinations = ik_calloc(num, sizeof *s->destinations);
        complete = s->load && s->crossing && s->destinations;
    }
    return complete ? IK_OK : ik_fail_memory(err, (size_t)bytes, "loads of queues");
}

static ik_status queues_job_new(queues_job *job, unsigned threads, const ik_env *env, ik_error *err)
{
    job->walkers = ik_calloc(threads, sizeof *job->walkers);
    ik_status status = job->walkers ? queues_sums_new(job, threads, env, err)
                                    : ik_fail_memory(err, sizeof *job->walkers, "queues");
    for (unsigned i = 0; i < threads && status == IK_OK; i++)
        status = queue_walker_new(job, &job->walkers[i], err);
    return status == IK_OK ? arrivals_open(&job->flows, &job->d, env, err) : status;
}

static void queues_job_free(queues_job *job, unsigned threads)
{
    for (unsigned i = 0; i < threads && job->walkers; i++)
        queue_walker_free(&job->walkers[i]);
    for (size_t i = 0; i < job->num_parts && job->parts; i++) {
        free(job->parts[i].load);
        free(job->parts[i].crossing);
        free(job->parts[i].destinations);
    }
    arrivals_close(&job->flows);
    free(job->walkers);
    free(job->parts);
    free(job->arrived);
}

static ik_status queues_book_all(queues_job *job, const ik_env *env, ik_error *err)
{
    const ik_fabric *f = job->plan->fabric;
    load_job parts = {.num_parts = job->num_parts};
    ik_status status = IK_OK;
    for (uint32_t dst = 0; dst < f->num_hosts && status == IK_OK; dst = job->flows.end) {
        status = arrivals_block(&job->flows, dst, env, err);
        uint32_t end = job->flows.end;
        if (status == IK_OK)
            status =
                load_each_goal(&parts, env, ik_whole_host(f, dst), ik_whole_host(f, end - 1) + 1,
                               ik_whole_host(f, f->num_hosts - 1) + 1, queues_book_goals, job, err);
    }
    return status;
}

/* Takes the sums of all parts, added in order. */
static void queues_take_sums(queues_job *job, ik_queues *q)
{
    queue_sums *all = &job->parts[0];
    double arrived = job->arrived[0];
    for (size_t i = 1; i < job->num_parts; i++) {
        for (size_t k = 0; k < job->num_queues; k++) {
            all->load[k] += job->parts[i].load[k];
            all->crossing[k] += job->parts[i].crossing[k];
            all->destinations[k] += job->parts[i].destinations[k];
        }
        arrived += job->arrived[i];
    }
    double pairs = load_pairs_each(job->plan->routing);
    for (size_t k = 0; k < job->num_queues; k++) {
        all->load[k] /= job->d.denominator ? (double)job->d.denominator : 1;
        all->crossing[k] /= pairs;
    }
    uint64_t whole = (uint64_t)(arrived + 0.5);
    *q = (ik_queues){.num_ports = job->plan->fabric->num_ports,
                     .num_vcs = job->plan->num_vcs,
                     .flows = job->d.flows / (uint64_t)pairs,
                     .load = all->load,
                     .crossing = all->crossing,
                     .destinations = all->destinations};
    q->undelivered =
        (job->d.flows - (whole < job->d.flows ? whole : job->d.flows)) / (uint64_t)pairs;
    *all = (queue_sums){0};
}

static ik_status queues_measure(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                ik_queues *out, ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    queues_job job = {.plan = plan,
                      .merges = queues_may_merge(plan),
                      .num_queues = (size_t)plan->fabric->num_ports * plan->num_vcs};
    ik_status status = demand_init(&job.d, t, env, err);
    if (status != IK_OK)
        return status;
    status = queues_job_new(&job, threads, env, err);
    if (status == IK_OK)
        status = queues_book_all(&job, env, err);
    if (status == IK_OK)
        queues_take_sums(&job, out);
    queues_job_free(&job, threads);
    demand_free(&job.d);
    return status;
}

ik_status ik_queues_measure(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                            ik_queues *out, ik_error *err)
{
    const ik_traffic *by_port;
    ik_status status =
        by_port_make(t, plan->routing, BY_PORT_SHARES, env ? env->seed : 0, &by_port, err);
    if (status != IK_OK)
        return status;
    status = queues_measure(plan, by_port, env, out, err);
    by_port_free(by_port, t);
    return status;
}

void ik_queues_free(ik_queues *q)
{
    free(q->load);
    free(q->crossing);
    free(q->destinations);
    memset(q, 0, sizeof *q);
}
