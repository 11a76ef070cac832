/* SPDX-License-Identifier: Apache-2.0
 *
 * The watchdog. A buffer (input port, VC) is *alive* if a packet at the head of one of its queues can leave in the end: there is
 * credit for it, or credit or a packet is on the way that changes the picture, or it leads to a host, which always drains, or the
 * buffer it waits for is alive. The least fixed point of that rule leaves the dead buffers: whatever else happens, none of their
 * packets ever moves again, so a part of a network is found although the rest still runs. From any dead buffer, following what
 * it waits for runs into a cycle of dead buffers, which is the evidence. In an ideal switch packets stand in the queues of their
 * outputs and keep their space in the input buffers: there a buffer is alive if one of its packets stands in an output queue whose
 * head can leave in the end. Cost: a few sweeps over requests, once a watchdog period. */
#include "sim/sim_internal.h"
#include "sim/sim_shape.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct hunt {
    sim *s;
    shape k;
    uint8_t *alive;  /* [port * vcs + v] of receiving ports of switches */
    uint8_t *moving; /* [port * vcs + v] of sending ports: credit or packets under way on that channel */
} hunt;

static void note_moving(void *ctx, part *p, const event *e)
{
    hunt *h = ctx;
    uint32_t port = (uint32_t)e->key & EV_PORT_MASK;
    unsigned kind = (unsigned)(e->key >> 30) & 3;
    if (kind == EV_CREDIT)
        h->moving[(size_t)port * h->s->vcs + (e->data >> 24)] = 1;
    else if (kind == EV_ARRIVAL)
        h->moving[(size_t)h->s->ports[port].peer_port * h->s->vcs + p->pool[e->data].rt.vc] = 1;
}

static bool channel_alive(const hunt *h, uint32_t out_port, unsigned u, uint32_t size)
{
    const sim *s = h->s;
    const port_state *to = &s->ports[out_port];
    size_t channel = (size_t)out_port * s->vcs + u;
    if (to->peer_node == IK_NONE)
        return false;
    bool room = s->model == MODEL_IOQ ? s->space[channel] >= (int32_t)size || s->link_busy[out_port]
                                      : s->credit[channel] >= (int32_t)size;
    if (s->model == MODEL_IOQ && !room) { /* what fills the output buffer must be able to go */
        const part *p = &s->parts[s->node_part[s->f->port_node[out_port]]];
        uint32_t head = s->out_queues[channel].head;
        room = head == IK_NONE || s->credit[channel] >= (int32_t)p->pool[head].size;
    }
    return room || h->moving[channel] || to->peer_node >= s->f->num_switches || h->alive[(size_t)to->peer_port * s->vcs + u];
}

/* What the head of a queue may take: choices in p->choices, their number returned. */
static uint32_t head_choices(const hunt *h, part *p, uint32_t sw, uint32_t in_port, packet *pk)
{
    uint32_t preferred;
    const sw_state *state = &h->s->switches[sw];
    if (state->floating)
        return ik_plan_next(h->s->plan, sw, in_port, &pk->rt, p->choices, &preferred);
    bool kept = h->s->fast; /* the VC stays */
    p->choices[0] = (ik_choice){state->port_base + pk->out, kept ? pk->rt.vc : pk->vc_first, kept ? pk->rt.vc : pk->vc_last};
    return 1;
}

static bool head_alive(const hunt *h, part *p, uint32_t sw, uint32_t in_port, packet *pk)
{
    uint32_t n = head_choices(h, p, sw, in_port, pk);
    for (uint32_t c = 0; c < n; c++)
        for (unsigned u = p->choices[c].vc_first; u <= p->choices[c].vc_last; u++)
            if (channel_alive(h, p->choices[c].port, u, pk->size))
                return true;
    return false;
}

/* Calls the head of every queue of one buffer until one is alive; *empty if there is none. */
static bool buffer_alive(const hunt *h, uint32_t sw, unsigned in, unsigned v, bool *empty)
{
    sim *s = h->s;
    sw_state *state = &s->switches[sw];
    part *p = &s->parts[s->node_part[sw]];
    unsigned queues = s->voq ? state->radix : 1u;
    *empty = true;
    for (unsigned out = 0; out < queues; out++) {
        uint32_t id = queue_of(state, h->k, in, v, out)->head;
        if (id == IK_NONE)
            continue;
        *empty = false;
        if (head_alive(h, p, sw, state->port_base + in, &p->pool[id]))
            return true;
    }
    return *empty;
}

/* Ideal switch: the buffers of all packets behind a head that can leave are alive; *dead: one of a packet that cannot. */
static bool sweep_ideal(hunt *h, size_t *dead)
{
    const sim *s = h->s;
    bool changed = false;
    *dead = SIZE_MAX;
    for (size_t q = 0; q < (size_t)s->f->num_ports * s->vcs; q++) {
        uint32_t out_port = (uint32_t)(q / s->vcs), id = s->out_queues[q].head;
        const part *p = &s->parts[s->node_part[s->f->port_node[out_port]]];
        if (id == IK_NONE)
            continue;
        bool leaves = s->link_busy[out_port] || channel_alive(h, out_port, (unsigned)(q % s->vcs), p->pool[id].size);
        for (; id != IK_NONE; id = p->pool[id].next) {
            size_t buffer = (size_t)p->pool[id].queue * s->vcs + p->pool[id].rt.vc;
            if (leaves && !h->alive[buffer])
                h->alive[buffer] = changed = 1;
            if (!h->alive[buffer])
                *dead = buffer;
        }
    }
    return changed;
}

/* One sweep; returns whether something came alive. *dead: a buffer that did not, SIZE_MAX if all did. */
static bool sweep(hunt *h, size_t *dead)
{
    sim *s = h->s;
    bool changed = false;
    *dead = SIZE_MAX;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++) {
        const sw_state *state = &s->switches[sw];
        for (unsigned in = 0; in < state->radix; in++) {
            for (unsigned v = 0; v < s->vcs; v++) {
                size_t buffer = (size_t)(state->port_base + in) * s->vcs + v;
                bool empty;
                if (h->alive[buffer])
                    continue;
                if (buffer_alive(h, sw, in, v, &empty)) {
                    h->alive[buffer] = 1;
                    changed = true;
                } else {
                    *dead = buffer;
                }
            }
        }
    }
    return changed;
}

/* ---- evidence */

typedef struct step {
    size_t buffer;
    uint32_t packet, out_port;
    unsigned out_vc;
} step;

/* Ideal switch: a packet of this buffer, in the first output queue that has one, waits like the head of that queue. */
static step follow_ideal(const hunt *h, size_t buffer)
{
    const sim *s = h->s;
    uint32_t port = (uint32_t)(buffer / s->vcs), sw = s->f->port_node[port];
    const part *p = &s->parts[s->node_part[sw]];
    for (uint32_t out = s->f->port_base[sw]; out < s->f->port_base[sw + 1]; out++)
        for (unsigned u = 0; u < s->vcs; u++)
            for (uint32_t id = s->out_queues[(size_t)out * s->vcs + u].head; id != IK_NONE; id = p->pool[id].next)
                if (p->pool[id].queue == port && p->pool[id].rt.vc == buffer % s->vcs)
                    return (step){buffer, id, out, u};
    return (step){buffer, IK_NONE, IK_NONE, 0};
}

/* What a dead buffer waits for: its first queue's first choice. */
static step follow(const hunt *h, size_t buffer)
{
    sim *s = h->s;
    if (s->model == MODEL_IDEAL)
        return follow_ideal(h, buffer);
    uint32_t port = (uint32_t)(buffer / s->vcs), sw = s->f->port_node[port];
    unsigned v = (unsigned)(buffer % s->vcs), in = port - s->switches[sw].port_base, queues = s->voq ? s->switches[sw].radix : 1u;
    part *p = &s->parts[s->node_part[sw]];
    for (unsigned out = 0; out < queues; out++) {
        uint32_t id = queue_of(&s->switches[sw], h->k, in, v, out)->head;
        if (id != IK_NONE && head_choices(h, p, sw, port, &p->pool[id]) > 0)
            return (step){buffer, id, p->choices[0].port, p->choices[0].vc_first};
    }
    return (step){buffer, IK_NONE, IK_NONE, 0};
}

static void print_step(const hunt *h, const step *st, FILE *to)
{
    const sim *s = h->s;
    uint32_t port = (uint32_t)(st->buffer / s->vcs);
    const part *p = &s->parts[s->node_part[s->f->port_node[port]]];
    const packet *pk = &p->pool[st->packet];
    char here[200], out[200];
    fprintf(to, "packet %u -> %u (%u B, number %u) in the buffer of %s VC %u waits for %s VC %u: %d B free\n", pk->rt.src,
            pk->rt.dst, pk->size, pk->number, ik_port_describe(s->f, port, here, sizeof here), (unsigned)(st->buffer % s->vcs),
            ik_port_describe(s->f, st->out_port, out, sizeof out), st->out_vc,
            s->credit[(size_t)st->out_port * s->vcs + st->out_vc]);
}

/* Follows what waits for what from a dead buffer; prints the cycle it runs into. seen: reuses `moving` as "was here". */
static ik_status print_cycle(hunt *h, size_t dead, ik_error *err)
{
    sim *s = h->s;
    size_t size = 0, at = dead;
    FILE *to = open_memstream(&s->deadlock_text, &size);
    if (!to)
        return ik_fail_memory(err, 4096, "the description of a deadlock");
    memset(h->moving, 0, (size_t)s->f->num_ports * s->vcs);
    for (unsigned round = 0; round < 2; round++) { /* first into the cycle, then around it */
        while (h->moving[at] == round) {
            step st = follow(h, at);
            h->moving[at]++;
            if (st.out_port == IK_NONE)
                break;
            if (round == 1)
                print_step(h, &st, to);
            at = (size_t)s->ports[st.out_port].peer_port * s->vcs + st.out_vc;
        }
    }
    if (fclose(to) != 0)
        return ik_fail_memory(err, size, "the description of a deadlock");
    return IK_OK;
}

ik_status sim_find_deadlock(sim *s, ik_error *err)
{
    size_t n = (size_t)s->f->num_ports * s->vcs + 1, dead = SIZE_MAX;
    hunt h = {s, {s->max_words, s->vcs, s->voq}, ik_calloc(n, 1), ik_calloc(n, 1)};
    ik_status status = h.alive && h.moving ? IK_OK : ik_fail_memory(err, 2 * n, "the watchdog");
    if (status == IK_OK) {
        sim_each_event(s, note_moving, &h);
        while (s->model == MODEL_IDEAL ? sweep_ideal(&h, &dead) : sweep(&h, &dead))
            ;
        if (dead != SIZE_MAX) {
            s->deadlock = true;
            status = print_cycle(&h, dead, err);
        }
    }
    free(h.alive);
    free(h.moving);
    return status;
}
