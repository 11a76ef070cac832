/* SPDX-License-Identifier: Apache-2.0
 *
 * Adapters of adapter/host.c under the specialised engine: with queues that it does not have
 * itself, slower than their link, or held to limited reorder buffers. */
#include "sim/adapter/host.h"
#include "sim/fast/fast.h"

/* The slot of this window was taken out of the wheel before deliveries posted into it: one that was
 * held back until the watchdog had looked may be of this window itself. Takes those events out. */
static slot fast_common_hosts_take_late_slot(partition *p)
{
    wheel *w = &p->wheel;
    uint32_t index = (uint32_t)p->window & (w->num_slots - 1);
    slot late = w->slots[index];
    w->slots[index] = (slot){IK_NONE, 0};
    w->busy[index >> 6] &= ~(1ull << (index & 63));
    return late;
}

static void fast_common_hosts_wake_and_credit(partition *p, const slot *at)
{
    const sim *s = p->sim;
    for (uint32_t n = 0; n < p->fast->num_credits; n++) {
        host_credit c = p->fast->credits[n];
        sim_host_credit(p, ik_node_host(s->f, s->f->port_node[c.port]), c.port * s->sw.vcs + c.vc,
                        p->start + c.offset);
    }
    const slot late = fast_common_hosts_take_late_slot(p);
    sim_host_wake_all(p, at);
    sim_host_wake_all(p, &late);
    sim_wheel_free_chunks(&p->wheel, late.first);
}

/* ---- with messages about reorder space: all of a host's events in order of time, as the general
 * engine has them */

/* Puts the credits that hosts wait for into the slot of this window, which was taken out of the
 * wheel, and takes it out again, with what deliveries have posted there; false = out of memory. */
static bool take_late_events(partition *p, slot *at)
{
    const sim *s = p->sim;
    wheel *w = &p->wheel;
    uint32_t index = (uint32_t)p->window & (w->num_slots - 1);
    for (uint32_t n = 0; n < p->fast->num_credits; n++) {
        host_credit c = p->fast->credits[n];
        event e = {calendar_event_key(EV_CREDIT, c.port) | (uint64_t)c.offset << 32,
                   s->f->port_node[c.port], calendar_space_data(c.vc, s->adapter.packet_bytes)};
        if (!sim_wheel_add(w, index, &e)) {
            sim_partition_fail(p, 64 * sizeof e, "events");
            return false;
        }
    }
    *at = fast_common_hosts_take_late_slot(p);
    return true;
}

/* Hosts that come later: the first of them is worked on next. */
static void fast_common_hosts_fetch_ahead(const partition *p, uint32_t next)
{
    enum { AHEAD = 4 };
    for (unsigned stage = 0; stage < HOST_STAGES; stage++) {
        uint32_t n = next + (HOST_STAGES - stage) * AHEAD;
        if (n >= p->num_active)
            continue;
        sim_fetch_host(p, p->active[n], stage);
        if (stage == 1) {
            uint32_t host = ik_node_host(p->sim->f, p->active[n]);
            __builtin_prefetch(
                fast_port_of(p->sim, p->sim->engine.fast, p->sim->host.state[host].port), 1);
        }
    }
}

static void run_in_order_of_time(partition *p, const slot *at)
{
    slot late;
    if (!take_late_events(p, &late))
        return;
    p->num_active = 0;
    sim_chain_events(p, at);
    sim_chain_events(p, &late);
    p->n.events -= p->fast->num_credits; /* which were counted as they came */
    for (uint32_t n = 0; n < p->num_active; n++) {
        fast_common_hosts_fetch_ahead(p, n);
        if (!sim_gather(p, p->active[n]))
            break;
        sim_run_host(p, p->active[n]);
    }
    sim_wheel_free_chunks(&p->wheel, late.first);
}

void sim_fast_run_common_hosts(partition *p, const slot *at)
{
    if (p->sim->reorder.limit == REORDER_UNLIMITED)
        fast_common_hosts_wake_and_credit(p, at);
    else
        run_in_order_of_time(p, at);
}
