/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_host.c: hosts of the pipelined model: an endless queue of messages, at most one flit a cycle
 * out and one in.
 *
 * The queue costs no memory however long it is: messages are numbered, and the time of the next one
 * follows from its random draw (core/injection.h).
 */
#include "sim/flit/pipe.h"
#include "sim/measure/classes.h"
#include "sim/params/parameters.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- messages: what they take on links, in whole flits */

static uint64_t pipe_host_message_bytes(const pipe *p, uint32_t host, uint64_t n)
{
    if (!p->sizes)
        return p->message_bytes;
    unsigned class = p->sizes->num_classes ? p->traffic->family->class_of(p->traffic, host, n) : 0;
    return sim_size_of(p->sizes, class, p->seed, ik_whole_host(p->f, host), n);
}

static double pipe_host_mean_bytes(const pipe *p, uint32_t host)
{
    return p->sizes
               ? sim_sizes_mean_of_host(p->sizes, p->traffic, host, p->most_bytes, p->flit_bytes)
               : (double)sim_size_padded(p->message_bytes, p->most_bytes, p->flit_bytes);
}

/* Of an entry of a schedule, which is a class. */
static double pipe_host_entry_bytes(const pipe *p, unsigned entry)
{
    return p->sizes ? sim_sizes_mean(p->sizes, p->sizes->num_classes ? entry : 0, p->most_bytes,
                                     p->flit_bytes)
                    : (double)sim_size_padded(p->message_bytes, p->most_bytes, p->flit_bytes);
}

/* Messages a cycle of the host whose port this is: all its ports make them together. */
static double pipe_host_source_rate(const pipe *p, uint32_t host, double bytes, double load)
{
    const ik_split *split = p->f->split;
    uint32_t source = split ? split->host_of[host] : 0, first = split ? split->first[source] : host;
    uint32_t end = split ? split->first[source + 1] : host + 1;
    double rate = 0, per_cycle = load / (bytes / p->flit_bytes);
    for (uint32_t port = first; port < end; port++) {
        uint32_t out = ik_host_port(p->f, port);
        if (out != IK_NONE)
            rate += per_cycle / (double)(pipe_class_period(p, p->f->port_class[out]) / p->speedup);
    }
    return rate;
}

/* Likewise while it is on: a slot is a cycle, with a message in so much of them. */
static double pipe_host_burst_rate(double rate, double load, const sim_bursts *b)
{
    return rate / load * b->rate;
}

double pipe_most_rate(const pipe *p, uint32_t host)
{
    const ik_schedule *list = p->traffic->schedule;
    bool bursty = p->injection == INJECT_BURSTY;
    double most = list ? 0 : pipe_host_source_rate(p, host, pipe_host_mean_bytes(p, host), p->load);
    if (!list)
        return bursty ? pipe_host_burst_rate(most, p->load, &p->bursts) : most;
    for (unsigned k = 0; k < list->num; k++) {
        double load = ik_schedule_load(&list->entries[k], p->load),
               rate = pipe_host_source_rate(p, host, pipe_host_entry_bytes(p, k), load);
        most = fmax(most, bursty ? pipe_host_burst_rate(rate, load, &p->entry_bursts[k]) : rate);
    }
    return most;
}

static bool pipe_host_entry_rhythm(const void *ctx, uint32_t source, unsigned entry, double load,
                                   sim_rhythm *r, sim_gaps *gaps)
{
    const pipe *p = ctx;
    const ik_split *split = p->f->split;
    uint32_t host = split ? split->first[source] : source;
    double rate = split && host == split->first[source + 1]
                      ? 0
                      : pipe_host_source_rate(p, host, pipe_host_entry_bytes(p, entry), load);
    if (rate == 0)
        return false;
    r->kind = (unsigned)p->injection;
    r->period_ps = (double)p->clock_ps / rate;
    r->slot_ps = p->clock_ps;
    r->log_miss = sim_rhythm_log_miss(rate);
    const sim_bursts *b = &p->entry_bursts[entry];
    if (r->kind == INJECT_BURSTY)
        *gaps = sim_gaps_of(b->alpha, b->beta, fmin(1, pipe_host_burst_rate(rate, load, b)));
    return true;
}

ik_status pipe_make_schedule(pipe *p, ik_error *err)
{
    if (!p->traffic->schedule)
        return IK_OK;
    const ik_split *split = p->f->split;
    const sim_schedule_setup setup = {.traffic = p->traffic,
                                      .num_sources =
                                          split ? split->whole->num_hosts : p->f->num_hosts,
                                      .seed = p->seed,
                                      .end_ps = p->end * p->clock_ps,
                                      .load = p->load,
                                      .rhythm_of = pipe_host_entry_rhythm,
                                      .ctx = p};
    return sim_schedule_new(&setup, &p->schedule, err);
}

static sim_rhythm pipe_host_rhythm_of(const pipe *p, uint32_t host, const pipe_host *h)
{
    return (sim_rhythm){.gaps = &h->gaps,
                        .seed = p->seed,
                        .source = ik_whole_host(p->f, host), /* all its ports follow one sequence */
                        .kind = (unsigned)p->injection,
                        .period_ps = h->period_ps,
                        .phase_ps = h->phase_ps,
                        .slot_ps = p->clock_ps,
                        .log_miss = h->log_miss};
}

/* Draws the time of message number h->messages. */
static void pipe_host_draw_next(const pipe *p, uint32_t host, pipe_host *h)
{
    if (p->schedule) {
        h->next_ps =
            sim_schedule_time(p->schedule, ik_whole_host(p->f, host), h->messages, h->next_ps);
    } else {
        const sim_rhythm r = pipe_host_rhythm_of(p, host, h);
        h->next_ps = sim_rhythm_time(&r, h->messages, h->next_ps);
    }
    h->next_cycle = h->next_ps / p->clock_ps;
}

void pipe_start_host(pipe_partition *q, uint32_t host)
{
    const pipe *p = q->p;
    pipe_host *h = &p->hosts[host];
    h->packet = IK_NONE;
    h->silent = h->port == IK_NONE || ik_traffic_is_silent(p->traffic, host);
    if (h->silent)
        return;
    double rate = pipe_host_source_rate(p, host, pipe_host_mean_bytes(p, host), p->load);
    h->period_ps = (double)p->clock_ps / rate;
    h->log_miss = sim_rhythm_log_miss(rate);
    if (p->injection == INJECT_BURSTY && !p->schedule)
        h->gaps = sim_gaps_of(p->bursts.alpha, p->bursts.beta,
                              fmin(1, pipe_host_burst_rate(rate, p->load, &p->bursts)));
    const sim_rhythm r = pipe_host_rhythm_of(p, host, h);
    h->phase_ps = sim_rhythm_phase(&r);
    pipe_host_draw_next(p, host, h);
    pipe_wake_host(q, host, h->next_cycle * p->speedup);
}

/* Message n of host, made at `cycle`. */
static void pipe_host_count_generated(pipe_partition *q, uint32_t host, uint64_t n, uint64_t cycle)
{
    const pipe *p = q->p;
    uint64_t bytes = pipe_host_message_bytes(p, host, n);
    q->n.generated += (bytes + p->most_bytes - 1) / p->most_bytes;
    if (cycle < p->warmup || cycle >= p->end)
        return;
    bytes = sim_size_padded(bytes, p->most_bytes, p->flit_bytes);
    q->n.offered_bytes += bytes;
    if (q->classes)
        sim_classes_offer(q->classes, host, n, bytes);
}

/* The next message if it is there; false = nothing to send before h->next_cycle. */
static bool pipe_host_begin_message(pipe_partition *q, uint32_t host, pipe_host *h)
{
    const pipe *p = q->p;
    assert(h->bytes_left == 0); /* the one before was made packets of */
    while (h->next_cycle <= q->cycle) {
        uint32_t dst = p->traffic->family->dest(p->traffic, host, h->messages);
        h->generated = h->next_cycle;
        h->messages++;
        pipe_host_draw_next(p, host, h);
        if (dst == IK_NONE)
            continue;
        pipe_host_count_generated(q, host, h->messages - 1, h->generated);
        h->dst = dst;
        h->bytes_left = pipe_host_message_bytes(p, host, h->messages - 1);
        return true;
    }
    return false;
}

/* ---- packets: numbers of chunks that never move; what is free stands in a list */

static bool pipe_host_add_chunk(pipe_partition *q)
{
    if (q->num_chunks == q->max_chunks)
        return false;
    pipe_chunk *chunk = ik_calloc(1, sizeof *chunk);
    if (!chunk)
        return false;
    uint32_t at = q->first_chunk + q->num_chunks++, first = at * PIPE_CHUNK;
    q->p->chunks[at] = chunk;
    q->grown += sizeof *chunk;
    for (uint32_t k = PIPE_CHUNK; k-- > 0;) {
        chunk->packets[k].next_free = q->free_packet;
        q->free_packet = first + k;
    }
    return true;
}

uint32_t pipe_new_packet(pipe_partition *q)
{
    if (q->free_packet == IK_NONE && !pipe_host_add_chunk(q)) {
        q->failed = true;
        return IK_NONE;
    }
    uint32_t id = q->free_packet;
    q->free_packet = pipe_packet_of(q->p, id)->next_free;
    return id;
}

void pipe_free_packet(pipe_partition *q, uint32_t id)
{
    pipe_packet_of(q->p, id)->next_free = q->free_packet;
    q->free_packet = id;
}

static bool pipe_host_begin_packet(pipe_partition *q, uint32_t host, pipe_host *h)
{
    const pipe *p = q->p;
    assert(h->packet == IK_NONE && h->bytes_left > 0);
    uint32_t id = pipe_new_packet(q);
    if (id == IK_NONE)
        return false;
    pipe_packet *pk = pipe_packet_of(p, id);
    pk->generated = h->generated;
    pk->number = h->packets++;
    ik_draw draw = {p->seed, host, pk->number};
    ik_plan_start(p->plan, host, h->dst, &draw, NULL, pipe_rt_of(p, id));
    h->packet = id;
    uint64_t bytes = h->bytes_left < p->most_bytes ? h->bytes_left : p->most_bytes;
    h->bytes_left -= bytes;
    h->packet_flits = h->flits_left = (uint32_t)((bytes + p->flit_bytes - 1) / p->flit_bytes);
    h->lane = pipe_rt_of(p, id)->vc;
    if (q->classes)
        pk->class = sim_class_of(q->classes, host, h->messages - 1);
    return true;
}

/* ---- sending */

/* An output VC for the waiting packet: its lane, or round robin over all where the scheme leaves
 * the choice. */
static bool pipe_host_find_vc(const pipe *p, pipe_host *h)
{
    size_t first = (size_t)h->port * p->vcs;
    const uint16_t *holder = p->host_holders + (first - p->switch_channels),
                   *credits = p->credits + first;
    unsigned v = p->any_injection_vc ? h->next_vc : h->lane;
    for (unsigned k = 0; k < (p->any_injection_vc ? p->vcs : 1); k++) {
        if (holder[v] == PIPE_NO_HOLDER && credits[v] > 0) {
            h->vc = (uint8_t)v;
            h->next_vc = (uint8_t)(v + 1 == p->vcs ? 0 : v + 1);
            return true;
        }
        v = v + 1 == p->vcs ? 0 : v + 1;
    }
    return false;
}

static void pipe_host_send_flit(pipe_partition *q, uint32_t host, pipe_host *h)
{
    const pipe *p = q->p;
    uint32_t channel = h->port * p->vcs + h->vc;
    uint16_t *holder = &p->host_holders[channel - p->switch_channels];
    bool head = h->flits_left == h->packet_flits, tail = --h->flits_left == 0;
    assert(p->credits[channel] > 0);
    assert((*holder == PIPE_NO_HOLDER) == head); /* flits of packets do not mix in a VC */
    if (head) {
        pipe_packet_of(p, h->packet)->injected = q->cycle;
        *holder = 0;
        q->started++;
    }
    p->credits[channel]--;
    pipe_send_flit(q, &p->ports[h->port], h->vc, h->packet << 2 | (uint32_t)head << 1 | tail,
                   q->now + p->speedup, p->plain);
    if (q->cycle >= p->warmup)
        p->host_sent_bytes[host] += p->flit_bytes;
    if (tail) {
        *holder = PIPE_NO_HOLDER;
        h->packet = IK_NONE;
    }
}

static void sleep_until_next(pipe_partition *q, uint32_t host, pipe_host *h)
{
    h->awake = false;
    pipe_wake_host(q, host, h->next_cycle * q->p->speedup);
}

void pipe_run_host(pipe_partition *q, uint32_t host)
{
    const pipe *p = q->p;
    pipe_host *h = &p->hosts[host];
    assert(h->awake && !h->silent);
    if (h->packet == IK_NONE) {
        if (h->bytes_left == 0 && !pipe_host_begin_message(q, host, h)) {
            sleep_until_next(q, host, h);
            return;
        }
        if (!pipe_host_begin_packet(q, host, h))
            return;
    }
    bool can_send = p->ports[h->port].free_at <= q->now + p->speedup &&
                    (h->flits_left == h->packet_flits ? pipe_host_find_vc(p, h)
                                                      : p->credits[h->port * p->vcs + h->vc] > 0);
    if (can_send)
        pipe_host_send_flit(q, host, h);
    if (h->packet == IK_NONE && h->bytes_left == 0 && h->next_cycle > q->cycle)
        sleep_until_next(q, host, h);
    else
        q->next_hosts[q->num_ready_hosts++] = host; /* still here next cycle */
}

/* ---- receiving */

static size_t pipe_host_period_of(const pipe_partition *q)
{
    return q->p->series ? q->cycle / q->p->series : SIZE_MAX;
}

static void count_bytes_of_period(pipe_partition *q)
{
    const pipe *p = q->p;
    if (q->cycle / p->series < p->num_series)
        q->series_bytes[q->cycle / p->series] += p->flit_bytes;
}

static void count_packet_of_period(pipe_partition *q, uint64_t latency_ps)
{
    const pipe *p = q->p;
    if (q->cycle / p->series < p->num_series) {
        q->series_count[q->cycle / p->series]++;
        q->series_sum[q->cycle / p->series] += latency_ps;
    }
}

static void pipe_host_count_bytes(pipe_partition *q, uint32_t host, uint32_t flit)
{
    const pipe *p = q->p;
    if (q->classes)
        sim_classes_take(q->classes, pipe_packet_of(p, flit >> 2)->class, p->flit_bytes,
                         q->cycle >= p->warmup, pipe_host_period_of(q));
    if (q->cycle >= p->warmup) {
        p->host_bytes[host] += p->flit_bytes;
        q->n.window_bytes += p->flit_bytes;
    }
    stationary_batch_at(&q->batches, q->cycle * p->clock_ps)->bytes += p->flit_bytes;
    if (p->series)
        count_bytes_of_period(q);
}

static void pipe_host_count_packet(pipe_partition *q, uint32_t host, uint32_t packet)
{
    const pipe *p = q->p;
    const pipe_packet *pk = pipe_packet_of(p, packet);
    pipe_host *h = &p->hosts[host];
    assert(pk->generated <= pk->injected && pk->injected <= q->cycle);
    h->hash += sim_delivery_hash(pipe_rt_of(p, packet), pk->generated * p->clock_ps,
                                 q->cycle * p->clock_ps);
    uint64_t latency = (q->cycle - pk->generated) * p->clock_ps;
    q->n.delivered++;
    q->gone++;
    if (q->classes)
        sim_classes_deliver(q->classes, pk->class, latency, q->cycle >= p->warmup,
                            pipe_host_period_of(q));
    if (q->cycle >= p->warmup) {
        sim_histo_add(&q->latency, latency);
        sim_histo_add(&q->network, (q->cycle - pk->injected) * p->clock_ps);
    }
    stationary_batch_add(&q->batches, q->cycle * p->clock_ps, 0, latency,
                         (q->cycle - pk->injected) * p->clock_ps);
    if (p->series)
        count_packet_of_period(q, latency);
}

void pipe_deliver(pipe_partition *q, uint32_t where, uint32_t flit)
{
    const pipe *p = q->p;
    assert(where >= p->switch_channels); /* hosts stand behind the switches */
    uint32_t port = where / p->vcs, host = ik_node_host(p->f, p->f->port_node[port]);
    pipe_send_credit(q, &p->ports[port], where - port * p->vcs, p->plain);
    pipe_host_count_bytes(q, host, flit);
    if (!(flit & 1))
        return;
    pipe_host_count_packet(q, host, flit >> 2);
    if (p->notes_deliveries) {
        if (p->order)
            pipe_check_delivery(q, host, flit >> 2);
        if (p->watch)
            pipe_watch_delivered(q, where, flit >> 2);
    }
    pipe_free_packet(q, flit >> 2);
}

void pipe_count_backlog(pipe_partition *q, uint32_t host)
{
    const pipe *p = q->p;
    pipe_host *h = &p->hosts[host];
    while (!h->silent && h->next_cycle < p->end) {
        if (p->traffic->family->dest(p->traffic, host, h->messages) != IK_NONE)
            pipe_host_count_generated(q, host, h->messages, h->next_cycle);
        h->messages++;
        pipe_host_draw_next(p, host, h);
    }
}
