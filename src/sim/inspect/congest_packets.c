/* SPDX-License-Identifier: Apache-2.0
 *
 * How samples of congestion see the packet-level models. Between windows, all partitions at
 * rest. */
#include "sim/adapter/host.h"
#include "sim/inspect/inspect.h"
#include "sim/inspect/look.h"
#include "sim/measure/classes.h"
#include "sim/workload/replies.h"
#include <stdlib.h>

enum { LONGEST_RACE = 16 };

typedef struct queue_head {
    uint32_t out; /* that it asks for; IK_NONE = may still choose */
    unsigned key; /* of the queue in its buffer */
    uint32_t at;  /* while the queues of a buffer are compared */
} queue_head;

typedef struct view {
    sim *s;
    /* [port * input_speedup + k] of input ports: output that this reader sends to, where it is
     * busy */
    uint32_t *feeds;
    queue_head *heads; /* queues of one buffer */
} view;

static void congest_packets_note_transfer(void *ctx, partition *p, const event *e)
{
    view *v = ctx;
    uint32_t out_port = calendar_event_port(e);
    (void)p;
    if (look_is_transfer(v->s, e))
        v->feeds[(size_t)v->s->net.switches[e->node].port_base * v->s->sw.input_speedup +
                 output_transfer_input(e->data)] = out_port;
}

/* ---- what a queue waits for */

/* Where a packet that lacks room at (port, u) hangs: below a place at the channel's other end; with
 * output buffers, below what the output buffer itself waits for. IK_NONE = it waits for the output:
 * a host always drains. */
static uint32_t congest_packets_lacking(const sim *s, uint32_t port, unsigned u, const packet *pk)
{
    partition *p = look_partition(s, s->f->port_node[port]);
    const port_state *to = &s->net.ports[port];
    if (s->sw.model == MODEL_IOQ) {
        uint32_t first = look_output_head(s, port, u);
        if (first == IK_NONE || look_link_room(s, p, port, u, look_packet(p, first)) >=
                                    (int32_t)look_packet(p, first)->size)
            return IK_NONE;
        pk = look_packet(p, first);
    }
    if (to->peer_node >= s->f->num_switches)
        return IK_NONE;
    return to->peer_port * look_kinds(s) +
           look_culprit(s, port, space_account_of(p, port, u, pk), pk->size);
}

/* Of the VCs of a choice the one with most room. */
static unsigned congest_packets_roomiest(const sim *s, partition *p, const ik_choice *c,
                                         const packet *pk)
{
    unsigned best = c->vc_first;
    for (unsigned u = best + 1u; u <= c->vc_last; u++)
        if (look_room(s, p, c->port, u, pk) > look_room(s, p, c->port, best, pk))
            best = u;
    return best;
}

static bool congest_packets_choice_has_room(const sim *s, partition *p, const ik_choice *c,
                                            const packet *pk)
{
    return look_room(s, p, c->port, congest_packets_roomiest(s, p, c, pk), pk) >= (int32_t)pk->size;
}

/* The output that holds a queue up whose head has room at `out`: mostly this one; but if that is
 * free, the queue waits for its input, and for what its input is sending to. */
static uint32_t congest_packets_held_by(const view *of, uint32_t sw, uint32_t in_port, unsigned v,
                                        uint32_t out)
{
    const sim *s = of->s;
    bool turn = look_output_free(s, out) &&
                !look_input_free(s, sw, in_port - s->net.switches[sw].port_base, v);
    return turn ? of->feeds[(size_t)in_port * s->sw.input_speedup + v % s->sw.input_speedup] : out;
}

/* Fills out and lacks for a head. One with several choices is blocked if all are; then the one that
 * it asked last, or else the first, stands for it. */
static void congest_packets_ask(const view *of, partition *p, uint32_t sw, uint32_t in_port,
                                unsigned v, packet *pk, waiting *w)
{
    const sim *s = of->s;
    uint32_t n = look_choices(s, p, sw, in_port, pk), chosen = 0;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t out = p->choices[c].port;
        if (congest_packets_choice_has_room(s, p, &p->choices[c], pk)) {
            w->out = congest_packets_held_by(of, sw, in_port, v, out);
            w->lacks = IK_NONE;
            return;
        }
        if (out == look_output(s, sw, pk))
            chosen = c;
    }
    const ik_choice *c = &p->choices[chosen];
    w->out = n ? c->port : in_port;
    w->lacks = n ? congest_packets_lacking(s, c->port, congest_packets_roomiest(s, p, c, pk), pk)
                 : IK_NONE;
}

/* Whether a packet could start now if it stood first: one of its outputs is free and has room. */
static bool congest_packets_could_start(const sim *s, partition *p, uint32_t sw, uint32_t in_port,
                                        packet *pk)
{
    uint32_t n = look_choices(s, p, sw, in_port, pk);
    for (uint32_t c = 0; c < n; c++)
        if (look_output_free(s, p->choices[c].port) &&
            congest_packets_choice_has_room(s, p, &p->choices[c], pk))
            return true;
    return false;
}

/* ---- input buffers. Packets are far apart in memory: those of queues that nobody waits for, and
 * that wait for nothing but their turn, are not touched. */

/* The queues of a lane that hold packets; their number. */
static unsigned congest_packets_list_queues(view *of, uint32_t sw, unsigned in, unsigned v)
{
    const sim *s = of->s;
    unsigned n = 0;
    if (s->sw.queues == QUEUES_VOQNET || !s->sw.voq) {
        for (uint32_t q = 0; q < look_queues(s, sw); q++) {
            if (look_head(s, sw, in, v, q) != IK_NONE)
                of->heads[n++] =
                    (queue_head){s->sw.voq ? IK_NONE : look_fifo_output(s, sw, in, v), q, IK_NONE};
        }
        return n;
    }
    for (unsigned w = 0; w < s->net.max_words; w++) {
        for (uint64_t bits = look_requests(s, sw, in, v, w); bits; bits &= bits - 1) {
            unsigned out = w * 64 + (unsigned)__builtin_ctzll(bits);
            if (look_asks(s, sw, in, v, out)) /* otherwise another VC of this input does */
                of->heads[n++] = (queue_head){s->net.switches[sw].port_base + out, out, IK_NONE};
        }
    }
    return n;
}

/* The longest of n queues, ties to the first: a race from packet to packet, over when one is left.
 * Of queues longer than the race, any may stand for the buffer. */
static unsigned congest_packets_longest(const view *of, uint32_t sw, unsigned in, unsigned v,
                                        unsigned n)
{
    partition *p = look_partition(of->s, sw);
    queue_head *heads = of->heads;
    unsigned best = 0;
    for (unsigned k = 0; n > 1 && k < n; k++)
        heads[k].at = look_head(of->s, sw, in, v, heads[k].key);
    for (unsigned left = n, step = 0; left > 1 && step < LONGEST_RACE; step++) {
        left = 0;
        for (unsigned k = 0; k < n; k++) {
            if (heads[k].at == IK_NONE)
                continue;
            heads[k].at = look_behind(p, heads[k].at);
            if (heads[k].at != IK_NONE && left++ == 0)
                best = k;
        }
    }
    return best;
}

/* Head-of-line blocking in one FIFO, packet by packet. */
static void congest_packets_see_fifo(const view *of, congest *c, uint32_t sw, unsigned in,
                                     unsigned v, uint32_t first)
{
    const sim *s = of->s;
    partition *p = look_partition(s, sw);
    uint32_t in_port = s->net.switches[sw].port_base + in, packets = 0;
    uint64_t bytes = 0, held = 0;
    bool held_up = look_input_free(s, sw, in, v) &&
                   !congest_packets_could_start(s, p, sw, in_port, look_packet(p, first));
    for (uint32_t id = first; id != IK_NONE; id = look_behind(p, id)) {
        packet *pk = look_packet(p, id);
        bytes += pk->size;
        if (held_up && congest_packets_could_start(s, p, sw, in_port, pk)) {
            held += pk->size;
            packets++;
        }
    }
    congest_add_hol(c, sw, bytes, held, packets);
}

static void congest_packets_see_buffer(view *of, congest *c, uint32_t sw, unsigned in, unsigned v)
{
    const sim *s = of->s;
    uint32_t in_port = s->net.switches[sw].port_base + in, from = s->net.ports[in_port].peer_port,
             buffer = in_port * s->sw.vcs + v;
    unsigned n = congest_packets_list_queues(of, sw, in, v);
    if (n == 0)
        return;
    partition *p = look_partition(s, sw);
    if (!s->sw.voq && congest_examined(c, buffer))
        congest_packets_see_fifo(of, c, sw, in, v, look_head(s, sw, in, v, 0));
    bool own = look_own_accounts(s);
    bool tight = !own && look_tight(s, from, v); /* somebody may wait for its space */
    unsigned main_queue = tight ? congest_packets_longest(of, sw, in, v, n) : n;
    for (unsigned k = 0; k < n; k++) {
        const queue_head *h = &of->heads[k];
        uint32_t account = look_account(s, v, h->key, h->key);
        waiting w = {.buffer = buffer,
                     .sw = sw,
                     .key = h->key,
                     .lacks = IK_NONE,
                     .place = in_port * look_kinds(s) + account};
        if (h->out != IK_NONE && look_roomy(s, h->out))
            w.out = congest_packets_held_by(of, sw, in_port, v, h->out);
        else
            congest_packets_ask(of, p, sw, in_port, v,
                                look_packet(p, look_head(s, sw, in, v, h->key)), &w);
        bool wanted = own ? look_tight(s, from, account) : tight;
        if (wanted || w.lacks != IK_NONE)
            congest_add_queue(c, &w, wanted && (own || k == main_queue));
    }
}

/* An output buffer (ioq) that is full: it waits for its link, or for the buffer at the other
 * end. */
static void congest_packets_see_output(const sim *s, congest *c, uint32_t sw, uint32_t port,
                                       unsigned u)
{
    uint32_t first = look_output_head(s, port, u);
    if (first == IK_NONE || !look_output_full(s, port, u))
        return;
    const packet *pk = look_packet(look_partition(s, sw), first);
    uint32_t inputs = s->f->port_base[s->f->num_switches] * s->sw.vcs;
    waiting w = {.buffer = inputs + port * s->sw.vcs + u,
                 .out = port,
                 .lacks = congest_packets_lacking(s, port, u, pk),
                 .sw = sw,
                 .key = port};
    congest_add_queue(c, &w, false);
}

static void congest_packets_look_buffers(view *of, congest *c)
{
    sim *s = of->s;
    sim_each_event(s, congest_packets_note_transfer, of);
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++) {
        const sw_state *state = &s->net.switches[sw];
        for (unsigned in = 0; in < state->radix; in++) {
            for (unsigned v = 0;
                 v < s->sw.vcs && s->net.ports[state->port_base + in].peer_port != IK_NONE; v++) {
                congest_packets_see_buffer(of, c, sw, in, v);
                if (s->sw.model == MODEL_IOQ)
                    congest_packets_see_output(s, c, sw, state->port_base + in, v);
            }
        }
    }
}

/* ---- an ideal switch: what stands in an output's queue is still charged to input buffers */

typedef struct share {
    waiting w;
    uint64_t bytes;
} share;

static int congest_packets_by_buffer(const void *a, const void *b)
{
    const waiting *x = &((const share *)a)->w, *y = &((const share *)b)->w;
    if (x->buffer != y->buffer)
        return x->buffer < y->buffer ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* One entry a packet, sorted and put together by buffer and output queue. */
static void congest_packets_see_ideal(const sim *s, congest *c, uint32_t sw, share *room)
{
    partition *p = look_partition(s, sw);
    size_t n = 0, kept = 0;
    for (uint32_t port = s->f->port_base[sw]; port < s->f->port_base[sw + 1]; port++) {
        for (unsigned u = 0; u < s->sw.vcs; u++) {
            uint32_t first = look_output_head(s, port, u), lacks = IK_NONE;
            if (first != IK_NONE && look_link_room(s, p, port, u, look_packet(p, first)) <
                                        (int32_t)look_packet(p, first)->size)
                lacks = congest_packets_lacking(s, port, u, look_packet(p, first));
            for (uint32_t id = first; id != IK_NONE; id = look_behind(p, id)) {
                const packet *pk = look_packet(p, id);
                const waiting w = {.buffer = look_charged(s, pk),
                                   .place = look_charged(s, pk),
                                   .out = port,
                                   .lacks = lacks,
                                   .sw = sw,
                                   .key = port * s->sw.vcs + u};
                room[n++] = (share){w, pk->size};
            }
        }
    }
    qsort(room, n, sizeof *room, congest_packets_by_buffer);
    for (size_t k = 1; k < n; k++)
        if (congest_packets_by_buffer(&room[kept], &room[k]) == 0)
            room[kept].bytes += room[k].bytes;
        else
            room[++kept] = room[k];
    for (size_t k = 0, most = 0; n && k <= kept; k++) {
        if (k == 0 || room[k].w.buffer != room[k - 1].w.buffer)
            for (size_t j = most = k; j <= kept && room[j].w.buffer == room[k].w.buffer; j++)
                most = room[j].bytes > room[most].bytes ? j : most;
        congest_add_queue(c, &room[k].w, k == most);
    }
}

static void congest_packets_look_ideal(sim *s, congest *c)
{
    size_t most = 0;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++)
        most += s->parallel.partitions[q].pool_size;
    share *room = ik_calloc(most ? most : 1, sizeof *room);
    if (!room) {
        congest_lacks_memory(c);
        return;
    }
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        congest_packets_see_ideal(s, c, sw, room);
    free(room);
}

static uint32_t congest_packets_host_lacks(void *ctx, uint32_t host)
{
    const sim *s = ((const view *)ctx)->s;
    partition *p = &s->parallel.partitions[s->parallel.node_partition[ik_host_node(s->f, host)]];
    uint32_t account, size, port = s->host.state[host].port;
    if (!sim_host_stuck(p, host, &account, &size) ||
        s->net.ports[port].peer_node >= s->f->num_switches)
        return IK_NONE;
    return s->net.ports[port].peer_port * look_kinds(s) + look_culprit(s, port, account, size);
}

static void congest_packets_queues(void *ctx, congest *c)
{
    view *of = ctx;
    if (of->s->sw.model == MODEL_IDEAL)
        congest_packets_look_ideal(of->s, c);
    else
        congest_packets_look_buffers(of, c);
}

static uint64_t congest_packets_bytes(const void *ctx, uint32_t sw)
{
    return (uint64_t)((const view *)ctx)->s->net.switches[sw].bytes;
}

/* ---- packets of a queue */

static unsigned congest_packets_class_of(const sim *s, const partition *p, const packet *pk)
{
    const class_stats *classes = s->parallel.partitions[0].classes;
    if (classes && sim_is_reply(s, pk->number)) /* the general engine's: it stands in the pool */
        return sim_class_of(classes, pk->rt.dst, (uint32_t)p->sequence[pk - p->pool]);
    return classes ? sim_class_of(classes, pk->rt.src, pk->number / s->source.packets_per_message)
                   : 0;
}

static void report_packet(const partition *p, uint32_t in_port, uint32_t out, unsigned vc,
                          const packet *pk, congest_packet_fn fn, void *arg)
{
    const sim *s = p->sim;
    ik_draw draw = {s->seed, pk->rt.src, pk->number};
    fn(arg, &pk->rt, &draw, in_port, out, vc, congest_packets_class_of(s, p, pk));
}

static void congest_packets_each(void *ctx, const waiting *w, congest_packet_fn fn, void *arg)
{
    const sim *s = ((const view *)ctx)->s;
    partition *p = look_partition(s, w->sw);
    uint32_t inputs = s->f->port_base[s->f->num_switches] * s->sw.vcs;
    bool output = s->sw.model == MODEL_IDEAL || w->buffer >= inputs;
    uint32_t at = w->buffer >= inputs ? w->buffer - inputs : w->buffer, in_port = at / s->sw.vcs;
    unsigned v = at % s->sw.vcs;
    uint32_t id =
        s->sw.model == MODEL_IDEAL ? look_output_head(s, w->key / s->sw.vcs, w->key % s->sw.vcs)
        : output                   ? look_output_head(s, w->key, v)
                 : look_head(s, w->sw, in_port - s->net.switches[w->sw].port_base, v, w->key);
    for (; id != IK_NONE; id = look_behind(p, id)) {
        const packet *pk = look_packet(p, id);
        if (s->sw.model == MODEL_IDEAL && look_charged(s, pk) != w->buffer)
            continue;
        if (output)
            report_packet(p, in_port, w->out,
                          s->sw.model == MODEL_IDEAL ? w->key % s->sw.vcs : pk->rt.vc, pk, fn, arg);
        else
            report_packet(p, in_port, look_output(s, w->sw, pk), pk->vc_first, pk, fn, arg);
    }
}

/* ---- */

static bool congest_packets_injects(const void *ctx, uint32_t host)
{
    return !((const view *)ctx)->s->host.state[host].silent;
}

congest_setup sim_congest_setup(const sim *s)
{
    return (congest_setup){s->plan,
                           s->sw.vcs,
                           look_kinds(s),
                           s->measure.congestion ? s->measure.num_series : 0,
                           s->measure.series_ps,
                           s->measure.warmup_ps,
                           s->sw.model == MODEL_IOQ};
}

ik_status sim_congest_sample(sim *s, uint64_t time, ik_error *err)
{
    if (!congest_due(s->counted.congest, time))
        return IK_OK;
    size_t inputs = (size_t)s->f->port_base[s->f->num_switches] * s->sw.input_speedup;
    uint32_t most = s->sw.queues == QUEUES_VOQNET ? s->f->num_hosts : s->net.max_radix;
    view v = {s, ik_calloc(inputs ? inputs : 1, sizeof *v.feeds), ik_calloc(most, sizeof *v.heads)};
    if (!v.feeds || !v.heads) {
        free(v.feeds);
        free(v.heads);
        return ik_fail_memory(err, inputs * sizeof *v.feeds, "samples of congestion");
    }
    const congest_view seen = {.ctx = &v,
                               .packet_bytes = s->adapter.packet_bytes,
                               .sent_bytes = s->counted.host_sent_bytes,
                               .injects = congest_packets_injects,
                               .bytes = congest_packets_bytes,
                               .queues = congest_packets_queues,
                               .host_lacks = congest_packets_host_lacks,
                               .packets = congest_packets_each,
                               .classes = s->parallel.partitions[0].classes};
    ik_status status = congest_sample(s->counted.congest, &seen, time, err);
    free(v.feeds);
    free(v.heads);
    return status;
}
