/* SPDX-License-Identifier: Apache-2.0
 *
 * The watchdog. A buffer (input port, VC) is *alive* if a packet at the head of one of its queues
 * can leave in the end: there is credit for it, or credit or a packet is on the way that changes
 * the picture, or it leads to a host, which always drains, or the buffer it waits for is alive. The
 * search and its evidence: measure/deadlock.h. In an ideal switch packets stand in the queues of
 * their outputs and keep their space in the input buffers: there a buffer is alive if one of its
 * packets stands in an output queue whose head can leave in the end. Cost: a few sweeps over
 * requests, once a watchdog period.
 *
 * A network may also stand still although every buffer is alive: a fault of the engine, which then
 * never wakes a packet that could go. It shows as packets in the network, none of which moved since
 * the last search, and nothing under way that could change that; the run ends as in a deadlock. */
#include "base/text_stream.h"
#include "sim/inspect/inspect.h"
#include "sim/inspect/look.h"
#include "sim/measure/deadlock.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct drain_search {
    sim *s;
    shape k;
    unsigned kinds; /* accounts of a buffer; VCs where there are none */
    uint8_t *alive; /* [port * kinds + account] of receiving ports of switches */
    /* [port * kinds + account] of sending ports: credit or packets in transmission on that
     * channel */
    uint8_t *moving;
    uint8_t *open; /* [port] whatever asks for this output can leave */
    size_t num;    /* of alive and of moving */
    uint64_t told; /* among ranks: entries of alive that all knew of when they last met */
    bool failed;   /* a rank has */
} drain_search;

/* What moves frees space for all accounts that share it: noted at the channel's first. */
static size_t watchdog_moving_place(const drain_search *h, uint32_t port, uint32_t account)
{
    return (size_t)port * h->kinds + (h->s->sw.queues == QUEUES_DAMQ ? 0 : account);
}

static void watchdog_note_moving(void *ctx, partition *p, const event *e)
{
    drain_search *h = ctx;
    const sim *s = h->s;
    uint32_t port = calendar_event_port(e);
    unsigned kind = calendar_event_kind(e);
    if (kind == EV_CREDIT && s->net.in_space.accounts) {
        h->moving[watchdog_moving_place(h, port / h->kinds, port % h->kinds)] = 1;
    } else if (kind == EV_CREDIT) {
        h->moving[watchdog_moving_place(h, port, calendar_space_vc(e->data))] = 1;
    } else if (kind == EV_ARRIVAL) {
        const packet *pk = look_packet(p, e->data);
        h->moving[watchdog_moving_place(h, s->net.ports[port].peer_port,
                                        space_account_here(s, pk, pk->rt.vc, SIM_NO_WAY))] = 1;
    }
}

/* Whether space for an account behind a channel becomes free in the end: from its own packets, or,
 * unless it is at its bound, from those of others that use what is shared. */
static bool watchdog_space_alive(const drain_search *h, uint32_t out_port, uint32_t account,
                                 uint32_t size)
{
    const sim *s = h->s;
    const uint8_t *alive = &h->alive[(size_t)s->net.ports[out_port].peer_port * h->kinds];
    if (alive[account] || s->sw.queues != QUEUES_DAMQ)
        return alive[account];
    const int32_t *used = &s->net.in_space.used[(size_t)out_port * h->kinds];
    if (used[account] + (int32_t)size > s->net.in_space.bounds[out_port].most)
        return false;
    for (unsigned a = 0; a < h->kinds; a++)
        if (alive[a] && used[a] > s->net.in_space.bounds[out_port].own)
            return true;
    return false;
}

static bool watchdog_channel_alive(const drain_search *h, partition *p, uint32_t out_port,
                                   unsigned u, const packet *pk)
{
    const sim *s = h->s;
    const port_state *to = &s->net.ports[out_port];
    if (to->peer_node == IK_NONE)
        return false;
    if (s->sw.model == MODEL_IOQ) {
        if (shape_room_of(p, h->k, out_port, u, pk) >= (int32_t)pk->size ||
            state_output_of(s, out_port)->link)
            return true;
        /* what fills the buffer must be able to go */
        uint32_t head = look_output_head(s, out_port, u);
        if (head == IK_NONE)
            return true;
        pk = look_packet(p, head);
    }
    uint32_t account = space_account_of(p, out_port, u, pk);
    return output_link_room(p, h->k, out_port, u, pk) >= (int32_t)pk->size ||
           h->moving[watchdog_moving_place(h, out_port, account)] ||
           to->peer_node >= s->f->num_switches ||
           watchdog_space_alive(h, out_port, account, pk->size);
}

static bool watchdog_head_alive(const drain_search *h, partition *p, uint32_t sw, uint32_t in_port,
                                packet *pk)
{
    uint32_t n = look_choices(h->s, p, sw, in_port, pk);
    for (uint32_t c = 0; c < n; c++)
        for (unsigned u = p->choices[c].vc_first; u <= p->choices[c].vc_last; u++)
            if (watchdog_channel_alive(h, p, p->choices[c].port, u, pk))
                return true;
    return false;
}

/* Where a packet in the buffer of a port stands in `alive`. */
static size_t watchdog_place_of(const drain_search *h, uint32_t port, unsigned v, const packet *pk)
{
    return (size_t)port * h->kinds + space_account_here(h->s, pk, v, pk->out);
}

/* Whether any packet can leave through an output now: most can in a network that runs, and then
 * nobody has to look at packets, which are all over the memory. */
static bool watchdog_is_open(const sim *s, uint32_t port)
{
    uint32_t peer = s->net.ports[port].peer_node;
    if (peer == IK_NONE || s->net.in_space.accounts || s->net.out_space.accounts)
        return false;
    if (s->sw.model == MODEL_IQ && peer >= s->f->num_switches)
        return true;
    for (unsigned v = 0; v < s->sw.vcs; v++)
        if (*state_gate_of(s, s->sw.vcs, port, v) < (int32_t)s->adapter.packet_bytes)
            return false;
    return true;
}

static void watchdog_find_open(drain_search *h)
{
    const sim *s = h->s;
    for (uint32_t port = 0; port < s->f->port_base[s->f->num_switches]; port++)
        h->open[port] = sim_has_node(s, s->f->port_node[port]) && s->sw.model != MODEL_IDEAL &&
                        watchdog_is_open(s, port);
}

/* Whether a head of the lane asks for such an output. */
static bool watchdog_asks_open(const drain_search *h, uint32_t id, unsigned in, unsigned v)
{
    const sim *s = h->s;
    const uint8_t *open = h->open + s->net.switches[id].port_base;
    for (unsigned w = 0; w < s->net.max_words; w++)
        for (uint64_t bits = look_requests(s, id, in, v, w); bits; bits &= bits - 1) {
            unsigned out = w * 64 + (unsigned)__builtin_ctzll(bits);
            if (open[out] && look_asks(s, id, in, v, out))
                return true;
        }
    return false;
}

/* Looks at the head of queue n of a lane; returns whether its account came alive. *dead: the
 * account if it is not. */
static bool watchdog_sweep_queue(drain_search *h, uint32_t id, unsigned in, unsigned v, uint32_t n,
                                 size_t *dead)
{
    partition *p = look_partition(h->s, id);
    uint32_t port = h->s->net.switches[id].port_base + in, head = look_head(h->s, id, in, v, n);
    if (head == IK_NONE)
        return false;
    size_t place = watchdog_place_of(h, port, v, look_packet(p, head));
    if (h->alive[place])
        return false;
    bool leaves = watchdog_head_alive(h, p, id, port, look_packet(p, head));
    h->alive[place] = leaves;
    if (!leaves)
        *dead = place;
    return leaves;
}

/* The same for the lane. Of queues per output those that hold packets are known by the requests. */
static bool watchdog_sweep_lane(drain_search *h, uint32_t id, unsigned in, unsigned v, size_t *dead)
{
    sim *s = h->s;
    uint32_t port = s->net.switches[id].port_base + in, queues = look_queues(s, id);
    /* one account for the whole lane */
    bool changed = false, single = !s->sw.stride && s->sw.queues != QUEUES_VOQNET;
    if (single && h->alive[(size_t)port * h->kinds + v])
        return false;
    if (single && watchdog_asks_open(h, id, in, v)) {
        h->alive[(size_t)port * h->kinds + v] = 1;
        return true;
    }
    if (!s->sw.voq || s->sw.queues == QUEUES_VOQNET) {
        for (uint32_t n = 0; n < queues && !(single && changed); n++)
            changed |= watchdog_sweep_queue(h, id, in, v, n, dead);
        return changed;
    }
    for (unsigned w = 0; w < s->net.max_words; w++)
        for (uint64_t bits = look_requests(s, id, in, v, w); bits && !(single && changed);
             bits &= bits - 1)
            changed |=
                watchdog_sweep_queue(h, id, in, v, w * 64 + (unsigned)__builtin_ctzll(bits), dead);
    return changed;
}

/* Ideal switch: the buffers of all packets behind a head that can leave are alive; *dead: one of a
 * packet that cannot. */
static bool watchdog_sweep_ideal(drain_search *h, size_t *dead)
{
    const sim *s = h->s;
    bool changed = false;
    *dead = SIZE_MAX;
    for (size_t q = 0; q < (size_t)s->f->num_ports * s->sw.vcs; q++) {
        uint32_t out_port = (uint32_t)(q / s->sw.vcs),
                 id = look_output_head(s, out_port, (unsigned)(q % s->sw.vcs));
        partition *p = look_partition(s, s->f->port_node[out_port]);
        if (id == IK_NONE || !sim_has_partition(s, p->id))
            continue;
        bool leaves =
            state_output_of(s, out_port)->link ||
            watchdog_channel_alive(h, p, out_port, (unsigned)(q % s->sw.vcs), look_packet(p, id));
        for (; id != IK_NONE; id = look_behind(p, id)) {
            size_t buffer = look_charged(s, look_packet(p, id));
            if (leaves && !h->alive[buffer])
                h->alive[buffer] = changed = 1;
            if (!h->alive[buffer])
                *dead = buffer;
        }
    }
    return changed;
}

/* One sweep; returns whether something came alive. *dead: what did not, SIZE_MAX if all did: right
 * once nothing changes. */
static bool watchdog_sweep(drain_search *h, size_t *dead)
{
    sim *s = h->s;
    bool changed = false;
    *dead = SIZE_MAX;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        for (unsigned in = 0; sim_has_node(s, sw) && in < s->net.switches[sw].radix; in++)
            for (unsigned v = 0; v < s->sw.vcs; v++)
                changed |= watchdog_sweep_lane(h, sw, in, v, dead);
    return changed;
}

/* ---- evidence */

typedef struct step {
    size_t buffer;
    uint32_t packet, out_port;
    unsigned out_vc;
} step;

/* Ideal switch: a packet of this buffer, in the first output queue that has one, waits like the
 * head of that queue. */
static step watchdog_follow_ideal(const drain_search *h, size_t buffer)
{
    const sim *s = h->s;
    uint32_t sw = s->f->port_node[buffer / s->sw.vcs];
    partition *p = look_partition(s, sw);
    for (uint32_t out = s->f->port_base[sw]; out < s->f->port_base[sw + 1]; out++)
        for (unsigned u = 0; u < s->sw.vcs; u++)
            for (uint32_t id = look_output_head(s, out, u); id != IK_NONE; id = look_behind(p, id))
                if (look_charged(s, look_packet(p, id)) == buffer)
                    return (step){buffer, id, out, u};
    return (step){buffer, IK_NONE, IK_NONE, 0};
}

/* What a dead buffer waits for: the first choice of the first queue that draws on it. */
static step watchdog_follow(const drain_search *h, size_t buffer)
{
    sim *s = h->s;
    if (s->sw.model == MODEL_IDEAL)
        return watchdog_follow_ideal(h, buffer);
    uint32_t port = (uint32_t)(buffer / h->kinds), id = s->f->port_node[port];
    sw_state *sw = &s->net.switches[id];
    partition *p = look_partition(s, id);
    for (unsigned v = 0; v < s->sw.vcs; v++)
        for (uint32_t n = 0; n < look_queues(s, id); n++) {
            uint32_t head = look_head(s, id, port - sw->port_base, v, n);
            if (head != IK_NONE && watchdog_place_of(h, port, v, look_packet(p, head)) == buffer &&
                look_choices(s, p, id, port, look_packet(p, head)) > 0)
                return (step){buffer, head, p->choices[0].port, p->choices[0].vc_first};
        }
    return (step){buffer, IK_NONE, IK_NONE, 0};
}

/* The buffer that a step waits for. With shared space that of its own account if it holds anything,
 * else the first that uses what is shared. */
static size_t watchdog_next_buffer(const drain_search *h, const step *st)
{
    sim *s = h->s;
    partition *p =
        &s->parallel.partitions[s->parallel.node_partition[s->f->port_node[st->out_port]]];
    const packet *pk = look_packet(p, st->packet);
    if (s->sw.model == MODEL_IOQ) {
        uint32_t head = state_out_queue_of(s, s->sw.vcs, st->out_port, st->out_vc)->head;
        pk = head == IK_NONE ? pk : look_packet(p, head);
    }
    uint32_t account = space_account_of(p, st->out_port, st->out_vc, pk);
    size_t first = (size_t)s->net.ports[st->out_port].peer_port * h->kinds;
    const int32_t *used =
        s->net.in_space.accounts ? &s->net.in_space.used[(size_t)st->out_port * h->kinds] : NULL;
    if (s->sw.queues != QUEUES_DAMQ || used[account] > 0)
        return first + account;
    for (unsigned a = 0; a < h->kinds; a++)
        if (used[a] > s->net.in_space.bounds[st->out_port].own)
            return first + a;
    return first + account;
}

static void watchdog_print_step(const drain_search *h, const step *st, FILE *to)
{
    const sim *s = h->s;
    uint32_t port = (uint32_t)(st->buffer / h->kinds);
    partition *p = look_partition(s, s->f->port_node[port]);
    const packet *pk = look_packet(p, st->packet);
    char here[200], out[200];
    fprintf(to,
            "packet %u -> %u (%u B, made at %llu ps) in the buffer of %s VC %u waits for %s VC %u: "
            "%d B free\n",
            ik_whole_host(s->f, pk->rt.src), ik_whole_host(s->f, pk->rt.dst), pk->size,
            (unsigned long long)pk->t_gen, ik_port_describe(s->f, port, here, sizeof here),
            pk->rt.vc, ik_port_describe(s->f, st->out_port, out, sizeof out), st->out_vc,
            output_link_room(p, h->k, st->out_port, st->out_vc, pk));
}

/* ---- ranks: each sees its own switches */

typedef struct told_step {
    size_t next;
    char text[1000]; /* a line */
} told_step;

/* Notes of all ranks: bits, and a buffer that is not alive, which may be none. *dead: the last of
 * all, as one process would find. Returns how many are noted. */
static uint64_t watchdog_unite(drain_search *h, uint8_t *notes, size_t *dead)
{
    size_t words = (h->num + 63) / 64;
    uint64_t *bits = ik_calloc(words + 1, sizeof *bits), noted = 0;
    const ranks_bytes *all;
    for (size_t k = 0; bits && k < h->num; k++)
        bits[k >> 6] |= (uint64_t)(notes[k] != 0) << (k & 63);
    if (bits)
        bits[words] = *dead;
    /* without memory it tells too little, and the search fails everywhere */
    h->failed |= !sim_meet(h->s, (ranks_bytes){bits, bits ? (words + 1) * sizeof *bits : 0}, &all);
    size_t last = SIZE_MAX;
    for (unsigned q = 0; q < h->s->parallel.num_partitions && !h->failed; q++) {
        const uint64_t *theirs = all[q].data;
        h->failed |= all[q].size == 0;
        for (size_t k = 0; k < h->num && !h->failed; k++)
            notes[k] |= theirs[k >> 6] >> (k & 63) & 1;
        if (!h->failed && theirs[words] != SIZE_MAX && (last == SIZE_MAX || theirs[words] > last))
            last = theirs[words];
    }
    *dead = h->failed ? SIZE_MAX : last;
    for (size_t k = 0; k < h->num; k++)
        noted += notes[k] != 0;
    free(bits);
    return noted;
}

static bool watchdog_meet(void *ctx, size_t *dead)
{
    drain_search *h = ctx;
    uint64_t noted = watchdog_unite(h, h->alive, dead), before = h->told;
    h->told = noted;
    return !h->failed && noted != before;
}

/* The least number of all ranks. */
static size_t watchdog_least(drain_search *h, size_t own)
{
    const ranks_bytes *all;
    if (!h->s->parallel.ranks)
        return own;
    h->failed |= !sim_meet(h->s, (ranks_bytes){&own, sizeof own}, &all);
    for (unsigned q = 0; q < h->s->parallel.num_partitions && !h->failed; q++) {
        size_t other;
        memcpy(&other, all[q].data, sizeof other);
        own = other < own ? other : own;
    }
    return own;
}

/* ---- the rules for the search */

static bool watchdog_sweep_buffers(void *ctx, size_t *dead)
{
    drain_search *h = ctx;
    return h->s->sw.model == MODEL_IDEAL ? watchdog_sweep_ideal(h, dead) : watchdog_sweep(h, dead);
}

static void watchdog_count_under_way(void *ctx)
{
    drain_search *h = ctx;
    sim_each_event(h->s, watchdog_note_moving, h);
    if (h->s->parallel.ranks)
        watchdog_unite(h, h->moving, &(size_t){SIZE_MAX});
}

static size_t watchdog_follow_here(const drain_search *h, size_t buffer, FILE *out)
{
    step st = watchdog_follow(h, buffer);
    if (st.out_port == IK_NONE)
        return SIZE_MAX;
    if (out)
        watchdog_print_step(h, &st, out);
    return watchdog_next_buffer(h, &st);
}

/* Who has the buffer tells the others. */
static size_t watchdog_follow_buffer(void *ctx, size_t buffer, FILE *out)
{
    drain_search *h = ctx;
    const sim *s = h->s;
    unsigned owner = s->parallel.node_partition[s->f->port_node[buffer / h->kinds]];
    if (!s->parallel.ranks)
        return watchdog_follow_here(h, buffer, out);
    told_step told = {.next = SIZE_MAX};
    FILE *text = owner == s->parallel.here ? fmemopen(told.text, sizeof told.text, "w") : NULL;
    if (text) {
        told.next = watchdog_follow_here(h, buffer, text);
        fclose(text);
    }
    const ranks_bytes *all;
    bool lacks = owner == s->parallel.here && !text;
    h->failed |= !sim_meet(h->s, (ranks_bytes){&told, lacks ? 0 : sizeof told}, &all);
    h->failed |= !h->failed && all[owner].size == 0;
    if (h->failed)
        return SIZE_MAX;
    memcpy(&told, all[owner].data, sizeof told);
    if (out)
        fputs(told.text, out);
    return told.next;
}

/* ---- a network that stands still */

static void watchdog_note_network_event(void *ctx, partition *p, const event *e)
{
    bool *moves = ctx;
    unsigned kind = calendar_event_kind(e);
    *moves |= kind == EV_CREDIT || kind == EV_ARRIVAL || e->node < p->sim->f->num_switches;
}

/* Whether no packet has moved since the last call and nothing is under way that a switch waits
 * for. */
static bool watchdog_stands_still(drain_search *h)
{
    sim *s = h->s;
    uint64_t moves = 0, before = s->outcome.watched_moves;
    bool under_way = false;
    for (unsigned q = 0; q < s->parallel.num_partitions; q++) {
        const partition *p = &s->parallel.partitions[q];
        moves += p->n.hops + p->n.injected + p->n.delivered;
    }
    s->outcome.watched_moves = moves;
    if (moves != before)
        return false;
    sim_each_event(s, watchdog_note_network_event, &under_way);
    return watchdog_least(h, !under_way) != 0;
}

/* One of the packets that could go, as evidence. */
static ik_status watchdog_describe_standstill(drain_search *h, size_t num_buffers, char **text,
                                              ik_error *err)
{
    const sim *s = h->s;
    size_t first = 0;
    ik_text_stream stream;
    ik_status status = ik_text_stream_open(&stream, err);
    if (status != IK_OK)
        return status;
    fprintf(stream.out, DEADLOCK_STANDSTILL);
    while (first < num_buffers && (!sim_has_node(s, s->f->port_node[first / h->kinds]) ||
                                   watchdog_follow(h, first).out_port == IK_NONE))
        first++;
    first = watchdog_least(h, first);
    if (first < num_buffers)
        watchdog_follow_buffer(h, first, stream.out);
    return ik_text_stream_close(&stream, text, NULL, err);
}

ik_status sim_find_deadlock(sim *s, ik_error *err)
{
    unsigned kinds = look_kinds(s);
    size_t n = (size_t)s->f->num_ports * kinds + 1;
    drain_search h = {.s = s,
                      .k = sim_shape(s),
                      .kinds = kinds,
                      .num = n,
                      .alive = ik_calloc(n, 1),
                      .moving = ik_calloc(n, 1),
                      .open = ik_calloc((size_t)s->f->num_ports + 1, 1)};
    const drain_rules rules = {&h,
                               n,
                               watchdog_sweep_buffers,
                               watchdog_count_under_way,
                               watchdog_follow_buffer,
                               s->parallel.ranks ? watchdog_meet : NULL};
    ik_status status = IK_OK;
    bool enough = h.alive && h.moving && h.open;
    if (watchdog_least(&h, enough)) {
        watchdog_find_open(&h);
        status = deadlock_find(&rules, &s->outcome.deadlock, &s->outcome.deadlock_text, err);
        if (status == IK_OK && !s->outcome.deadlock && watchdog_stands_still(&h)) {
            s->outcome.deadlock = true;
            status = watchdog_describe_standstill(&h, n - 1, &s->outcome.deadlock_text, err);
        }
    } else {
        status = ik_fail_memory(err, 2 * n + s->f->num_ports, "the watchdog");
    }
    free(h.alive);
    free(h.moving);
    free(h.open);
    return status == IK_OK && h.failed ? ik_fail_memory(err, n, "the watchdog") : status;
}
