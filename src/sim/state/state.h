/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the packet-level models, the same for all their engines. src/sim/README.md says why it
 * is laid out like this; the invariants stand beside the fields.
 *
 * Time is cut into windows no wider than the smallest link latency. Whatever a node does in a
 * window reaches another node in a later window at the earliest, so within a window every node
 * handles its own events alone, in order of time; nothing depends on the order of nodes, of
 * partitions or of events of one instant.
 */
#ifndef IKAT_SIM_STATE_H
#define IKAT_SIM_STATE_H

#include "ikat/sim.h"
#include "sim/core/calendar.h"
#include "sim/core/engine.h"
#include "sim/core/memory.h"
#include "sim/measure/counted.h"
#include "sim/parallel/parallel.h"
#include "sim/state/host_state.h"
#include "sim/state/partition.h"
#include "sim/state/reorder_state.h"
#include "sim/state/reply_state.h"
#include "sim/state/settings.h"
#include "sim/state/source_state.h"
#include "sim/state/switch_state.h"
#include <assert.h>
#include <string.h>

/* A transmission of at least so many windows takes a whole number of them: what begins in one
 * window then ends in one, too. */
enum { SIM_WHOLE_WINDOWS = 8 };

/* A simulation in parts, each declared in the header of the folder that owns it, which says who
 * writes it and when. Whatever is set-up only may be read by all threads; all else belongs to the
 * partition that owns the node, or is written at rest, while no partition works on a window. */
typedef struct sim {
    /* what is run; set-up only, the caller's */
    const ik_plan *plan; /* that of the run, or `both` */
    ik_plan both;        /* with replies or priorities: the same with copies of its VCs for them */
    const ik_fabric *f;
    const ik_traffic *traffic;
    const ik_env *env;
    uint64_t seed;
    /* settings, resolved: state/settings.h */
    switch_settings sw;
    adapter_settings adapter;
    measure_settings measure;
    choice_settings choice;
    reorder_settings reorder; /* state/reorder_state.h */
    reply_settings reply;     /* state/reply_state.h */
    source_state source;      /* state/source_state.h */
    window_settings window;   /* core/calendar.h */
    /* what changes as it runs */
    network_state net;       /* state/switch_state.h */
    output_backlog backlog;  /* state/switch_state.h */
    host_arrays host;        /* state/host_state.h */
    workload_state workload; /* state/host_state.h */
    node_counts counted;     /* measure/counted.h */
    run_outcome outcome;     /* measure/counted.h */
    /* who runs it */
    engine_state engine;              /* core/engine.h */
    struct checkpointing *checkpoint; /* checkpoint.h; NULL = none is written */
    parallel_state parallel;          /* parallel/parallel.h */
} sim;

/* ---- outputs */

SIM_INLINE size_t state_output_bytes(unsigned vcs, bool out_buffers)
{
    size_t bytes = sizeof(output_state) +
                   vcs * (out_buffers ? 2 * sizeof(int32_t) + sizeof(queue) : sizeof(int32_t));
    return (bytes + 15) / 16 * 16;
}

SIM_INLINE output_state *state_output_of(const sim *s, uint32_t port)
{
    assert(port < s->f->num_ports);
    return (output_state *)(void *)(s->net.outputs + port * s->net.output_stride);
}

SIM_INLINE int32_t *state_credit_at(const sim *s, uint32_t port, unsigned v)
{
    return (int32_t *)(void *)(state_output_of(s, port) + 1) + v;
}

SIM_INLINE int32_t *state_space_of(const sim *s, unsigned vcs, uint32_t port, unsigned v)
{
    assert(vcs == s->sw.vcs && v < vcs); /* spaces stand behind the credits of all VCs */
    assert(s->sw.out_buffers);
    return state_credit_at(s, port, vcs + v);
}

SIM_INLINE queue *state_out_queue_of(const sim *s, unsigned vcs, uint32_t port, unsigned v)
{
    assert(vcs == s->sw.vcs && v < vcs);
    assert(s->sw.out_buffers);
    return (queue *)(void *)state_credit_at(s, port, 2 * vcs) + v;
}

/* What a grant needs. */
SIM_INLINE int32_t *state_gate_of(const sim *s, unsigned vcs, uint32_t port, unsigned v)
{
    return state_credit_at(s, port, s->sw.gate_space ? vcs + v : v);
}

/* Whether packets carry a number beside their own: partition.sequence. */
SIM_INLINE bool sim_numbered(const sim *s)
{
    return s->reorder.on || s->reply.on;
}

/* What is known of a number that comes from another partition. */
SIM_INLINE uint64_t sim_sequence_of(uint32_t number)
{
    return (uint64_t)IK_NONE << 32 | number;
}

/* By which arbiters that look at packets go, less goes first: priority, then age. */
SIM_INLINE uint64_t sim_urgency(const sim *s, const packet *pk)
{
    assert(!s->sw.levels.num || pk->rt.vc / s->sw.levels.vcs < s->sw.levels.num);
    uint64_t since = s->sw.by_injection ? pk->t_inject : pk->t_gen;
    assert(since < UINT64_C(1) << 58); /* 80 hours */
    return s->sw.levels.num ? (uint64_t)(pk->rt.vc / s->sw.levels.vcs) << 58 | since : since;
}

uint64_t sim_in_flight(const sim *s); /* packets inside the network */

/* ---- partitions in this process: all, or one of several ranks, whose copy of the network has
 * nothing of the others' but what they told at rest */
SIM_INLINE bool sim_has_partition(const sim *s, unsigned id)
{
    assert(id < s->parallel.num_partitions);
    return !s->parallel.ranks || id == s->parallel.here;
}

SIM_INLINE bool sim_has_node(const sim *s, uint32_t node)
{
    return sim_has_partition(s, s->parallel.node_partition[node]);
}

/* The partition that looks at the network at rest: the first one, in every process one. */
SIM_INLINE bool sim_leads(const partition *p)
{
    return p->id == 0 || p->sim->parallel.ranks;
}

/* Whether every delivery is checked for the order of its flow. */
SIM_INLINE bool sim_checks_order(const sim *s)
{
    return s->measure.paranoid || (s->reorder.in_order && !s->reorder.on);
}

SIM_INLINE uint64_t state_transmit_ps(const sim *s, uint32_t port, uint32_t size)
{
    assert(port < s->f->num_ports && size > 0);
    const port_state *ps = &s->net.ports[port];
    if (__builtin_expect(size == s->adapter.packet_bytes && ps->full_ps, 1))
        return ps->full_ps;
    return ik_transmit_ps(size, ik_port_rate_bps(s->f, port));
}

/* Most that a host sends and takes in, bit/s. */
SIM_INLINE uint64_t state_limited_bps(uint64_t link, double share, uint64_t most)
{
    assert(share > 0 && most > 0);
    uint64_t rate = share < 1 ? (uint64_t)((double)link * share + 0.5) : link;
    rate = rate ? rate : 1;
    return rate < most ? rate : most;
}

SIM_INLINE uint64_t sim_injection_bps(const sim *s, uint32_t host)
{
    assert(host < s->f->num_hosts && s->host.state[host].port != IK_NONE);
    return state_limited_bps(ik_port_rate_bps(s->f, s->host.state[host].port),
                             s->adapter.injection_share, s->adapter.injection_bps);
}

SIM_INLINE uint64_t sim_ejection_bps(const sim *s, uint32_t port)
{
    return state_limited_bps(ik_port_rate_bps(s->f, port), s->adapter.ejection_share,
                             s->adapter.ejection_bps);
}

SIM_INLINE bool state_in_window(const sim *s, uint64_t t)
{
    return t >= s->measure.warmup_ps && t < s->measure.past_ps;
}

/* When the run was over, known once its loop has ended. */
SIM_INLINE uint64_t sim_stopped_ps(const sim *s)
{
    return s->outcome.deadlock || s->workload.finite ? s->outcome.stopped_ps : s->measure.end_ps;
}

/* The part of from .. to in the measured time. */
SIM_INLINE uint64_t state_measured_ps(const sim *s, uint64_t from, uint64_t to)
{
    uint64_t first = from > s->measure.warmup_ps ? from : s->measure.warmup_ps,
             last = to < s->measure.end_ps ? to : s->measure.end_ps;
    return first < last ? last - first : 0;
}

/* For how long an adapter has stood still for lack of reorder space until now. */
SIM_INLINE uint64_t sim_throttled_ps(const sim *s, uint32_t host, uint64_t now)
{
    const reorder_host *h = &s->host.reorder[host];
    bool idle = h->throttled_since != UINT64_MAX && now > h->throttled_since;
    return h->throttled_ps + (idle ? state_measured_ps(s, h->throttled_since, now) : 0);
}

/* Of a transmission that takes a link from `from` to `to`: the bytes that go in the measured time.
 * A channel sends one packet at a time, so no channel is counted busy for longer than that time. */
SIM_INLINE uint64_t state_bytes_in_window(const sim *s, uint64_t from, uint64_t to, uint32_t size)
{
    assert(from <= to);
    if (__builtin_expect(from >= s->measure.warmup_ps && to <= s->measure.end_ps, 1))
        return size;
    uint64_t ps = state_measured_ps(s, from, to);
    return ps ? (uint64_t)((double)size * (double)ps / (double)(to - from)) : 0;
}

/* What a selection function draws for a packet at a switch: the same however often it is asked, so
 * that a choice which changes nothing need not be made. */
SIM_INLINE ik_draw sim_choice_draw(const sim *s, const ik_packet *rt, uint32_t number)
{
    return (ik_draw){s->seed, rt->src | (uint64_t)rt->hops << 40, number};
}

#endif
