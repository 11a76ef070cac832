/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast engine as others know it (core/engine.h): which cases it serves, and its packets in the
 * common form. */
#include "ikat/vc.h"
#include "sim/adapter/host.h"
#include "sim/core/engine.h"
#include "sim/fast/fast.h"

/* At most one packet leaves an input in a window. */
static uint64_t fast_engine_window_ps(uint64_t least, uint64_t shortest)
{
    return shortest < least && shortest > 1 ? shortest : least;
}

/* Packets that keep their VC, or know the one that they take next. */
static bool fast_engine_knows_vcs(const sim *s)
{
    return s->choice.static_lane || (s->plan->vc->single && s->sw.vcs <= FAST_MOST_STEPS);
}

/* With output buffers: a packet enters its buffer when it is granted. */
static bool fast_engine_buffers_fit(const sim *s)
{
    return s->sw.model == MODEL_IOQ && !s->sw.out_shared && s->sw.traversal_ps == 0;
}

static bool fast_engine_serves(const sim *s)
{
    return (s->sw.model == MODEL_IQ || fast_engine_buffers_fit(s)) && !s->reply.on &&
           s->sw.queues <= QUEUES_VOQSW && (!s->choice.adaptive || sim_choice_may_fit(s)) &&
           fast_engine_knows_vcs(s) && s->source.uniform_size && !s->source.sizes &&
           s->sw.arbiter == ARB_ISLIP && s->sw.input_speedup == 1;
}

static bool fast_engine_set_up(sim *s)
{
    if (!sim_fast_setup(s))
        return false;
    sim_choose_fast(s);
    s->engine.hosts_post_now = s->reorder.limit != REORDER_UNLIMITED;
    sim_fast_choose_adapters(s);
    return true;
}

static void fast_engine_start(partition *p)
{
    if (p->sim->engine.fast->hosts)
        sim_fast_start_hosts(p);
    else
        sim_start_hosts(p);
}

static bool fast_engine_send(partition *p, uint32_t host, const packet *pk, uint64_t sequence)
{
    return sim_fast_send(p, p->sim->host.state[host].port, pk, sequence);
}

static packet *fast_engine_packet_at(partition *p, uint32_t id)
{
    packet *pk = &p->seen[p->num_seen++ & 3];
    *pk = sim_fast_packet(p, id);
    return pk;
}

static void fast_engine_settle_end(partition *p)
{
    sim_fast_settle(p);
    sim_fast_count_last(p);
}

const sim_engine sim_fast_engine = {.name = "fast",
                                    .serves = fast_engine_serves,
                                    .window_ps = fast_engine_window_ps,
                                    .fits = sim_fast_fits,
                                    .keeps_queues = true,
                                    .bytes = sim_fast_bytes,
                                    .bytes_each = sim_fast_bytes_each,
                                    .set_up = fast_engine_set_up,
                                    .free = sim_fast_free,
                                    .set_up_partition = sim_fast_setup_partition,
                                    .free_partition = sim_fast_free_partition,
                                    .partition_bytes = sim_fast_partition_bytes,
                                    .carry = sim_fast_carry,
                                    .start = fast_engine_start,
                                    .next = sim_fast_next,
                                    .take_message = sim_fast_take_message,
                                    .send = fast_engine_send,
                                    .settle = fast_engine_settle_end,
                                    .expose = sim_fast_expose,
                                    .each_event = sim_fast_each_event,
                                    .count_buffers = sim_fast_count_buffers,
                                    .head = sim_fast_head,
                                    .queue = sim_fast_queue,
                                    .packet = fast_engine_packet_at,
                                    .behind = sim_fast_behind};
