/* SPDX-License-Identifier: Apache-2.0
 *
 * All that changes while a run goes on, in one order, for a checkpoint. What set-up makes of the
 * point again (fabric, plan, traffic, schedule, cut) stays out, and so does scratch of a window. */
#include "sim/adapter/host.h"
#include "sim/measure/congest.h"
#include "sim/measure/edges.h"
#include "sim/measure/order.h"
#include "sim/order/reorder.h"
#include "sim/run.h"
#include "sim/state/space.h"
#include "sim/workload/finite.h"
#include "sim/workload/replies.h"

static void checkpoint_carry_outcome(run_outcome *o, sim_carrier *c)
{
    SIM_CARRY(c, o->stopped_ps);
    SIM_CARRY(c, o->looked_at);
    SIM_CARRY(c, o->check_cost);
    SIM_CARRY(c, o->dearest_check);
    SIM_CARRY(c, o->num_checks);
    SIM_CARRY(c, o->watched_moves);
    SIM_CARRY(c, o->deadlock);
    sim_carry_text(c, &o->deadlock_text);
    sim_carry_text(c, &o->missing_text);
}

static void checkpoint_carry_partition(sim *s, partition *p, sim_carrier *c)
{
    SIM_CARRY(c, p->window);
    SIM_CARRY(c, p->start);
    SIM_CARRY(c, p->may_end);
    SIM_CARRY(c, p->now);
    SIM_CARRY(c, p->hosts_left);
    SIM_CARRY(c, p->out_first);
    SIM_CARRY(c, p->step_start);
    SIM_CARRY(c, p->last_progress);
    SIM_CARRY(c, p->events_before);
    SIM_CARRY(c, p->endpoint.step);
    SIM_CARRY(c, p->endpoint.busiest);
    sim_wheel_carry(&p->wheel, c);
    SIM_CARRY(c, p->pool_size);
    SIM_CARRY(c, p->pool_cap);
    SIM_CARRY(c, p->free_packet);
    SIM_CARRY_GROWN(c, p->pool, p->pool_size, p->pool_cap);
    SIM_CARRY_GROWN(c, p->sequence, p->pool_size, p->pool_cap);
    sim_results_carry(p, c);
    batch_cursor_carry(&p->batches, c);
    if (p->dest)
        sim_dest_carry(p, c);
    if (p->reorder)
        sim_reorder_carry(p, c);
    if (p->replies)
        sim_replies_carry(p, c);
    if (p->edges)
        sim_edges_carry(p->edges, c);
    if (s->engine.ops->carry)
        s->engine.ops->carry(s, p, c);
}

void sim_state_carry(sim *s, steps_loop *loop, sim_carrier *c)
{
    SIM_CARRY(c, *loop);
    SIM_CARRY(c, s->measure.warmup_ps);
    SIM_CARRY(c, s->measure.end_ps);
    SIM_CARRY(c, s->measure.past_ps);
    SIM_CARRY(c, s->window.last_ps);
    checkpoint_carry_outcome(&s->outcome, c);
    sim_setup_carry(s, c);
    sim_space_carry(s, c);
    if (s->workload.finite)
        sim_finite_carry(s, c);
    if (s->counted.order)
        sim_order_carry(s->counted.order, s->f->num_hosts, c);
    if (s->counted.congest)
        congest_carry(s->counted.congest, c);
    if (s->counted.stationary)
        stationary_carry(s->counted.stationary, c);
    if (s->engine.ops->carry)
        s->engine.ops->carry(s, NULL, c);
    for (unsigned id = 0; id < s->parallel.num_partitions; id++)
        checkpoint_carry_partition(s, &s->parallel.partitions[id], c);
}
