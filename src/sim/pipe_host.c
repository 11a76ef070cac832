/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_host.c: hosts of the pipelined model: an endless queue of messages, at most one flit a cycle out and one in.
 *
 * The queue costs no memory however long it is: messages are numbered, and the time of the next one follows from its random draw.
 */
#include "sim/pipe.h"

#include <math.h>
#include <stdlib.h>

#define FNV_PRIME UINT64_C(0x100000001B3)

/* Draws the generation time of message number h->messages. */
static void draw_next(const pipe *p, uint32_t host, pipe_host *h)
{
    double rate = p->messages_per_cycle / p->period[h->port];
    double u = ik_random_unit(p->seed, IK_RNG_TRAFFIC_TIME, host, h->messages);
    if (p->injection == INJECT_PERIODIC) {
        h->next_time = h->messages == 0 ? u / rate : h->next_time + 1 / rate;
        h->next_cycle = (uint64_t)h->next_time;
    } else if (p->injection == INJECT_POISSON) {
        h->next_time += -log1p(-u) / rate;
        h->next_cycle = (uint64_t)h->next_time;
    } else { /* a coin every cycle: the gap is geometric */
        double gap = rate >= 1 ? 1 : 1 + floor(log1p(-u) / log1p(-rate));
        h->next_time += gap;
        h->next_cycle = (uint64_t)h->next_time - 1;
    }
}

void pipe_start_host(pipe *p, uint32_t host)
{
    pipe_host *h = &p->hosts[host];
    h->packet = IK_NONE;
    h->hash = UINT64_C(0xCBF29CE484222325);
    h->silent = h->port == IK_NONE || p->traffic->family->dest(p->traffic, host, 0) == IK_NONE;
    if (h->silent)
        return;
    draw_next(p, host, h);
    if (!pipe_wake_host(p, host, h->next_cycle))
        p->failed = true;
}

static uint64_t packets_bytes(const pipe *p)
{
    return (uint64_t)p->packets_per_message * p->packet_bytes;
}

static void count_generated(pipe *p, uint64_t cycle)
{
    p->n.generated += p->packets_per_message;
    if (cycle >= p->warmup && cycle < p->end)
        p->n.offered_bytes += packets_bytes(p);
}

/* The next message if it is there; false = nothing to send before h->next_cycle. */
static bool begin_message(pipe *p, uint32_t host, pipe_host *h)
{
    while (h->next_cycle <= p->now) {
        uint32_t dst = p->traffic->family->dest(p->traffic, host, h->messages);
        h->generated = h->next_cycle;
        h->messages++;
        draw_next(p, host, h);
        if (dst == IK_NONE)
            continue;
        count_generated(p, h->generated);
        h->dst = dst;
        h->packets_left = p->packets_per_message;
        return true;
    }
    return false;
}

static uint32_t new_pipe_packet(pipe *p)
{
    uint32_t id = p->free_packet;
    if (id != IK_NONE) {
        p->free_packet = p->pool[id].next_free;
        return id;
    }
    if (p->pool_size == p->pool_cap) {
        uint32_t cap = p->pool_cap * 2;
        pipe_packet *grown = cap > p->pool_cap && cap < UINT32_MAX / 2 ? realloc(p->pool, cap * sizeof *grown) : NULL;
        if (!grown)
            return IK_NONE;
        p->pool = grown;
        p->pool_cap = cap;
    }
    return p->pool_size++;
}

static bool begin_packet(pipe *p, uint32_t host, pipe_host *h)
{
    uint32_t id = new_pipe_packet(p);
    if (id == IK_NONE) {
        p->failed = true;
        return false;
    }
    pipe_packet *pk = &p->pool[id];
    pk->generated = h->generated;
    pk->number = h->packets++;
    ik_draw draw = {p->seed, host, pk->number};
    ik_plan_start(p->plan, host, h->dst, &draw, NULL, &pk->rt);
    h->packet = id;
    h->flits_left = p->packet_flits;
    return true;
}

/* An output VC for the waiting packet: its lane, or round robin over all where the scheme leaves the choice. */
static bool find_vc(pipe *p, pipe_host *h)
{
    const uint8_t *taken = p->taken + (size_t)h->port * p->vcs;
    const uint16_t *credits = p->credits + (size_t)h->port * p->vcs;
    unsigned only = p->pool[h->packet].rt.vc;
    for (unsigned k = 0; k < p->vcs; k++) {
        unsigned v = p->any_injection_vc ? (h->next_vc + k) % p->vcs : only;
        if (!taken[v] && credits[v] > 0) {
            h->vc = (uint8_t)v;
            h->next_vc = (uint8_t)((v + 1) % p->vcs);
            return true;
        }
        if (!p->any_injection_vc)
            return false;
    }
    return false;
}

static void send_flit(pipe *p, uint32_t host, pipe_host *h)
{
    uint32_t channel = h->port * p->vcs + h->vc;
    pipe_packet *pk = &p->pool[h->packet];
    if (h->flits_left == p->packet_flits) {
        pk->injected = p->now;
        pk->rt.vc = h->vc;
        p->taken[channel] = 1;
        p->in_flight++;
    }
    bool tail = --h->flits_left == 0;
    p->credits[channel]--;
    pipe_send_flit(p, h->port, h->vc, h->packet << 1 | tail, p->now + 1);
    p->last_move = p->now;
    if (p->now >= p->warmup)
        p->host_sent_bytes[host] += p->flit_bytes;
    if (tail) {
        p->taken[channel] = 0;
        h->packet = IK_NONE;
        h->packets_left--;
    }
}

void pipe_run_host(pipe *p, uint32_t host)
{
    pipe_host *h = &p->hosts[host];
    if (h->packet == IK_NONE) {
        if (h->packets_left == 0 && !begin_message(p, host, h)) {
            h->awake = false;
            if (!pipe_wake_host(p, host, h->next_cycle))
                p->failed = true;
            return;
        }
        if (!begin_packet(p, host, h))
            return;
    }
    p->next_hosts[p->num_ready_hosts++] = host; /* still here next cycle */
    if (p->free_at[h->port] > p->now + 1)
        return;
    if (h->flits_left == p->packet_flits ? find_vc(p, h) : p->credits[h->port * p->vcs + h->vc] > 0)
        send_flit(p, host, h);
}

void pipe_deliver(pipe *p, uint32_t where, uint32_t flit)
{
    uint32_t port = where / p->vcs, host = ik_node_host(p->f, p->f->port_node[port]), sender = p->f->port_peer[port];
    pipe_send_credit(p, sender * p->vcs + (where - port * p->vcs), p->now + p->channel[sender] + 1);
    bool counts = p->now >= p->warmup;
    if (counts) {
        p->host_bytes[host] += p->flit_bytes;
        p->n.window_bytes += p->flit_bytes;
    }
    size_t at = p->series ? p->now / p->series : 0;
    if (p->series && at < p->num_series)
        p->series_bytes[at] += p->flit_bytes;
    p->last_move = p->now;
    if (!(flit & 1))
        return;
    pipe_packet *pk = &p->pool[flit >> 1];
    pipe_host *h = &p->hosts[host];
    h->hash = (h->hash ^ p->now * p->clock_ps) * FNV_PRIME;
    h->hash = (h->hash ^ ((uint64_t)pk->rt.src << 32 | pk->rt.dst)) * FNV_PRIME;
    h->hash = (h->hash ^ pk->number) * FNV_PRIME;
    uint64_t latency = (p->now - pk->generated) * p->clock_ps;
    p->n.delivered++;
    if (counts) {
        sim_histo_add(&p->latency, latency);
        sim_histo_add(&p->network, (p->now - pk->injected) * p->clock_ps);
    }
    if (p->series && at < p->num_series) {
        p->series_count[at]++;
        p->series_sum[at] += latency;
    }
    pk->next_free = p->free_packet;
    p->free_packet = flit >> 1;
    p->in_flight--;
}

void pipe_count_backlog(pipe *p, uint32_t host)
{
    pipe_host *h = &p->hosts[host];
    while (!h->silent && h->next_cycle < p->end) {
        if (p->traffic->family->dest(p->traffic, host, h->messages) != IK_NONE)
            count_generated(p, h->next_cycle);
        h->messages++;
        draw_next(p, host, h);
    }
}
