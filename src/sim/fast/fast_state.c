/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast kernel's state: whether it fits, set-up, bins and packets growing, and what others want
 * to see of it. */
#include "sim/fast/fast.h"
#include "sim/host/host.h"
#include "sim/inspect/inspect.h"
#include "sim/packet/shape.h"
#include "sim/state/route.h"
#include <stdlib.h>

/* ---- does it fit? */

/* The longest time between a decision and anything that follows from it: a tail may wait for one on
 * a slower link before; the credit of a host's buffer comes after that. */
static uint64_t longest_delay(const sim *s)
{
    uint64_t transmit = 0, latency = 0;
    for (uint32_t c = 0; c < s->f->num_classes; c++) {
        uint64_t time = ik_transmit_ps(s->packet_bytes, s->f->classes[c].rate_bps);
        transmit = time > transmit ? time : transmit;
        latency = s->f->classes[c].latency_ps > latency ? s->f->classes[c].latency_ps : latency;
    }
    return 2 * transmit + 3 * latency + s->traversal_ps + s->routing_ps;
}

static uint64_t slots_needed(const sim *s)
{
    uint64_t slots = 64;
    while (slots < longest_delay(s) / s->lookahead + 4 && slots <= 1u << 20)
        slots *= 2;
    return slots;
}

/* Two hosts back to back: no switch to deliver from. */
static bool hosts_touch(const ik_fabric *f)
{
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE && !ik_is_switch(f, f->port_node[f->port_peer[port]]))
            return true;
    return false;
}

bool sim_fast_fits(const sim *s)
{
    if (hosts_touch(s->f))
        return false;
    for (uint32_t c = 0; c < s->f->num_classes; c++)
        if (ik_transmit_ps(s->packet_bytes, s->f->classes[c].rate_bps) < s->lookahead)
            return false;
    if (s->adaptive && !(s->max_words == 1 && sim_choice_fits(s)))
        return false;
    return s->max_words == 1 && s->ejection_share >= 1 && s->ejection_bps == UINT64_MAX &&
           s->lookahead <= FAST_MAX_WINDOW && s->f->num_switches <= FAST_MAX_SWITCH &&
           s->vcs <= FAST_MAX_VCS && s->routing_ps < UINT64_MAX / 64 &&
           s->traversal_ps < UINT64_MAX / 64 && slots_needed(s) <= 1u << 16 &&
           s->f->num_ports < FAST_MAX_PORT && s->end_ps < FAST_MAX_TIME &&
           s->capacity / s->packet_bytes <= UINT16_MAX &&
           s->host_capacity / s->packet_bytes <= UINT16_MAX &&
           (uint64_t)s->f->num_ports * (s->vcs + 1) * (s->voq ? s->max_radix : 1) < UINT32_MAX;
}

/* ---- set-up */

static window_time window_time_of(const sim *s, uint64_t ps)
{
    return (window_time){(uint32_t)(ps / s->lookahead), (uint32_t)(ps % s->lookahead)};
}

static void init_links(const sim *s, fast_state *f)
{
    for (uint32_t c = 0; c < s->f->num_classes; c++) {
        const ik_link_class *class = &s->f->classes[c];
        uint64_t full = ik_transmit_ps(s->packet_bytes, class->rate_bps),
                 head = s->traversal_ps + class->latency_ps;
        f->links[c] = (link_delays){
            .tail = window_time_of(s, full),
            .credit = window_time_of(s, class->latency_ps),
            .arrival = window_time_of(s, head + (s->store_forward ? full : 0) + s->routing_ps),
            .tail_credit = window_time_of(s, full + class->latency_ps),
            .host_credit = window_time_of(s, full + head + class->latency_ps),
            .host_arrival = window_time_of(s, class->latency_ps + s->routing_ps),
            .full_ps = full,
            .latency_ps = class->latency_ps};
        f->mixed |= full != f->links[0].full_ps;
        f->longest_ps = full > f->longest_ps ? full : f->longest_ps;
    }
}

static fast_port *fast_port_of(const sim *s, const fast_state *f, uint32_t port)
{
    return (fast_port *)(void *)(f->ports + port * fast_port_bytes(s->vcs));
}

/* Whether an adapter's credit is kept in s->credit, by host/host.c. */
static bool host_keeps_credit(const sim *s, const fast_state *f, uint32_t port)
{
    return !f->hosts && !ik_is_switch(s->f, s->f->port_node[port]);
}

static void init_ports(const sim *s, fast_state *f)
{
    const ik_fabric *fabric = s->f;
    for (uint32_t port = 0; port < fabric->num_ports; port++) {
        fast_port *fp = fast_port_of(s, f, port);
        uint32_t peer = fabric->port_peer[port];
        *fp = (fast_port){.peer_port = peer, .peer_node = IK_NONE};
        f->class[port] = 0;
        if (peer == IK_NONE)
            continue;
        f->class[port] = fabric->port_class[port];
        fp->peer_node = fabric->port_node[peer];
        for (unsigned v = 0; v < s->vcs && !host_keeps_credit(s, f, port); v++)
            *fast_credit(fp, s->vcs, v) =
                (uint16_t)((uint32_t)s->credit[(size_t)port * s->vcs + v] / s->packet_bytes);
    }
}

static uint64_t *ok_of(const sim *s, const fast_state *f, uint32_t sw, unsigned v)
{
    return s->vcs == 1 ? &f->switches[sw].ok : &f->ok[(size_t)sw * s->vcs + v];
}

static bool single_packet_messages(const sim *s)
{
    return s->packets_per_message == 1 && s->num_send_queues == s->vcs &&
           s->adapter_queues != ADAPTER_DESTINATION && !s->paced;
}

static size_t adapter_bytes(const sim *s)
{
    return sizeof(fast_adapter) + s->vcs * sizeof(fast_send_queue);
}

static void init_hosts(const sim *s, fast_state *f)
{
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        fast_adapter *h = (fast_adapter *)(void *)(f->hosts + host * f->host_bytes);
        h->wake_at = UINT64_MAX;
        h->period_ps = s->injectors[host].period_ps;
        h->phase_ps = s->injectors[host].phase_ps;
        h->port = s->hosts[host].port;
    }
}

static void init_switches(const sim *s, fast_state *f)
{
    uint32_t queues = 0;
    for (uint32_t id = 0; id < s->f->num_switches; id++) {
        const sw_state *sw = &s->switches[id];
        fast_switch *fsw = &f->switches[id];
        *fsw = (fast_switch){.free_in = free_inputs(sw)[0],
                             .free_out = free_outputs(sw, 1)[0],
                             .may_in = free_inputs(sw)[0],
                             .may_out = free_outputs(sw, 1)[0]};
        fsw->port_base = sw->port_base;
        fsw->queue_base = queues;
        queues += fast_queue_words(s->voq, s->vcs, sw->radix);
        fsw->radix = (uint8_t)sw->radix;
        for (unsigned at = 0; at <= SWITCH_EVENTS; at++)
            fsw->events[at] = NO_KEY;
        for (unsigned v = 0; v < s->vcs; v++)
            for (unsigned out = 0; out < sw->radix; out++)
                *ok_of(s, f, id, v) |= (uint64_t)(s->ports[sw->port_base + out].ok >> v & 1) << out;
    }
}

static size_t num_queues(const sim *s)
{
    size_t sum = 0;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        sum += fast_queue_words(s->voq, s->vcs, ik_radix(s->f, sw));
    return sum;
}

static uint64_t num_events(const sim *s)
{
    return (uint64_t)s->f->port_base[s->f->num_switches] * (2 + s->vcs) +
           2 * (uint64_t)s->f->num_switches + 2;
}

static size_t num_times(const sim *s)
{
    return single_packet_messages(s) && s->injection != INJECT_PERIODIC
               ? (size_t)s->f->num_hosts * s->vcs * (BLOCK + 1)
               : 0;
}

/* Whether what follows from a grant may be put in place at once: a packet has come, and its space
 * is back, before another could go the same way after the next one. Samples of congestion look at
 * what has come. */
static bool lasts_long(const sim *s)
{
    uint64_t full = ik_transmit_ps(s->packet_bytes, s->f->classes[0].rate_bps),
             latency = s->f->classes[0].latency_ps;
    return full / s->lookahead >= SIM_EARLY_WINDOWS &&
           2 * latency + s->traversal_ps + s->routing_ps + 3 * s->lookahead <= full &&
           !sim_congest_setup(s).num_samples;
}

static fast_state kind_of(const sim *s)
{
    fast_state f = {.num_slots = (uint32_t)slots_needed(s), .host_bytes = adapter_bytes(s)};
    f.count_bytes = s->num_series || s->paranoid;
    bool classes = s->traffic && s->traffic->classes, plain = s->f->num_classes == 1 &&
                                                              !s->store_forward && !f.count_bytes &&
                                                              !classes && sim_fast_has_newer();
    f.early = plain && lasts_long(s);
    f.dense = plain && !f.early && !s->adaptive &&
              s->lookahead * s->max_radix >=
                  4 * ik_transmit_ps(s->packet_bytes, s->f->classes[0].rate_bps);
    f.plain = f.early || f.dense;
    return f;
}

static bool allocate(const sim *s, fast_state *f, sim_memory *m)
{
    size_t ports = s->f->num_ports, switches = s->f->num_switches, hosts = s->f->num_hosts;
    return sim_get(m, &f->ports, ports + 1, fast_port_bytes(s->vcs)) &&
           sim_get(m, &f->class, ports + 1, sizeof *f->class) &&
           sim_get(m, &f->switches, switches + 1, sizeof *f->switches) &&
           sim_get(m, &f->events, num_events(s), sizeof *f->events) &&
           sim_get(m, &f->queues, num_queues(s) + 1, sizeof *f->queues) &&
           sim_get(m, &f->ok, switches * s->vcs + 1, sizeof *f->ok) &&
           sim_get(m, &f->edge_bytes, ports + 1, sizeof *f->edge_bytes) &&
           sim_get(m, &f->links, s->f->num_classes + 1, sizeof *f->links) &&
           sim_get(m, &f->sinks, hosts + 1, sizeof *f->sinks) &&
           (!single_packet_messages(s) || sim_get(m, &f->hosts, hosts + 1, f->host_bytes)) &&
           sim_get(m, &f->times, num_times(s) + 1, sizeof *f->times);
}

bool sim_fast_setup(sim *s)
{
    fast_state *f = s->fast_state = ik_calloc(1, sizeof *f);
    if (!f)
        return false;
    *f = kind_of(s);
    if (!allocate(s, f, &(sim_memory){0}))
        return false;
    for (size_t q = 0, n = num_queues(s), turn = s->voq && s->vcs > 1 ? s->vcs + 1 : 0; q < n; q++)
        f->queues[q] = turn && q % turn == 0 ? 0 : IK_NONE;
    const ik_routing_family *r = s->plan->routing->family;
    f->numbered = s->traffic->classes || s->plan->routing->kind == IK_ROUTE_OBLIVIOUS;
    f->plain_start = !r->start && !r->num_starts && !r->start_nth;
    if (f->hosts)
        init_hosts(s, f);
    init_links(s, f);
    init_ports(s, f);
    init_switches(s, f);
    return !s->adaptive || sim_choice_setup(s);
}

void sim_fast_free(sim *s)
{
    fast_state *f = s->fast_state;
    if (!f)
        return;
    free(f->ports);
    free(f->switches);
    free(f->events);
    free(f->queues);
    free(f->ok);
    free(f->class);
    free(f->times);
    free(f->links);
    free(f->edge_bytes);
    free(f->sinks);
    sim_choice_free(f);
    free(f->hosts);
    free(f);
    s->fast_state = NULL;
}

/* What belongs to a partition. */
typedef struct ownership {
    uint32_t ports, switches, hosts; /* ports: of the switches */
} ownership;

static ownership ownership_of(const partition *p)
{
    const sim *s = p->sim;
    ownership own = {0};
    for (uint32_t node = 0; node < ik_num_nodes(s->f); node++) {
        bool mine = s->node_partition[node] == p->id, is_switch = ik_is_switch(s->f, node);
        own.switches += mine && is_switch;
        own.hosts += mine && !is_switch;
        own.ports += mine && is_switch ? ik_radix(s->f, node) : 0;
    }
    return own;
}

static bool allocate_partition(const fast_state *f, fast_partition *fp, ownership own,
                               sim_memory *m)
{
    size_t ports = own.ports, hosts = own.hosts, slots = f->num_slots,
           active = own.switches + ACTIVE_AHEAD + 1u;
    return sim_get(m, &fp->grants, (f->early ? 3 : 1) * ports + 1, sizeof *fp->grants) &&
           sim_get(m, &fp->sends, f->early ? 3 * hosts + 1 : 1, sizeof *fp->sends) &&
           sim_get(m, &fp->joins, f->early ? ports + hosts + 1 : 1, sizeof *fp->joins) &&
           sim_get(m, &fp->deliveries, ports + 1, sizeof *fp->deliveries) &&
           sim_get(m, &fp->active[0], active, sizeof *fp->active[0]) &&
           sim_get(m, &fp->active[1], active, sizeof *fp->active[1]) &&
           /* of a packet that left and of one that was dropped */
           sim_get(m, &fp->credits, 2 * hosts + 1, sizeof *fp->credits) &&
           sim_get(m, &fp->granted_in.spans, slots, sizeof *fp->granted_in.spans) &&
           sim_get(m, &fp->sent_in.spans, slots, sizeof *fp->sent_in.spans) &&
           sim_get(m, &fp->bins.slots, NUM_BINS * slots, sizeof *fp->bins.slots) &&
           sim_get(m, &fp->bins.busy, slots / 64, sizeof *fp->bins.busy);
}

/* Bytes of what allocate_partition() allocates. */
static uint64_t count_partition(const sim *s, ownership own)
{
    fast_partition none = {0};
    fast_state f = kind_of(s);
    sim_memory m = {.only_count = true};
    allocate_partition(&f, &none, own, &m);
    return m.bytes;
}

uint64_t sim_fast_bytes(const sim *s)
{
    fast_state f = kind_of(s);
    sim_memory m = {.only_count = true};
    ownership all = {.ports = s->f->port_base[s->f->num_switches],
                     .switches = s->f->num_switches,
                     .hosts = s->f->num_hosts};
    allocate(s, &f, &m);
    return sizeof f + m.bytes + (s->adaptive ? sim_choice_bytes(s) : 0) + count_partition(s, all) -
           count_partition(s, (ownership){0});
}

uint64_t sim_fast_bytes_each(const sim *s)
{
    return sizeof(fast_partition) + count_partition(s, (ownership){0});
}

static void init_bins(bins *b, uint32_t num_slots)
{
    b->num_slots = num_slots;
    b->free_chunk = IK_NONE;
    for (uint32_t k = 0; k < NUM_BINS * num_slots; k++)
        b->slots[k] = (slot){IK_NONE, 0};
}

static void init_ring(window_ring *t, uint32_t most)
{
    t->most = most;
    t->room = 3 * most;
}

/* Filled with a switch of this partition, so that what is fetched ahead is never another's. */
static void init_active(const partition *p, uint32_t *active, uint32_t switches)
{
    const sim *s = p->sim;
    uint32_t own = 0, places = switches + ACTIVE_AHEAD + 1;
    while (own < s->f->num_switches && s->node_partition[own] != p->id)
        own++;
    for (uint32_t at = 0; at < places; at++)
        active[at] = own;
}

bool sim_fast_setup_partition(partition *p)
{
    const fast_state *f = p->sim->fast_state;
    ownership own = ownership_of(p);
    fast_partition *fp = p->fast = ik_calloc(1, sizeof *fp);
    if (!fp || !allocate_partition(f, fp, own, &(sim_memory){0}))
        return false;
    fp->packets.free = IK_NONE;
    init_active(p, fp->active[0], own.switches);
    init_active(p, fp->active[1], own.switches);
    init_ring(&fp->granted_in, own.ports);
    init_ring(&fp->sent_in, own.hosts);
    init_bins(&fp->bins, f->num_slots);
    return true;
}

void sim_fast_free_partition(partition *p)
{
    fast_partition *fp = p->fast;
    if (!fp)
        return;
    void *blocks[] = {fp->bins.words,
                      fp->bins.slots,
                      fp->bins.busy,
                      fp->packets.items,
                      fp->packets.next,
                      fp->packets.out,
                      fp->packets.in_flight,
                      fp->packets.tail,
                      fp->joins,
                      fp->sends,
                      fp->packets.number,
                      fp->grants,
                      fp->deliveries,
                      fp->active[0],
                      fp->active[1],
                      fp->credits,
                      fp->granted_in.spans,
                      fp->sent_in.spans};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    free(fp);
    p->fast = NULL;
}

uint64_t sim_fast_partition_bytes(const partition *p)
{
    const fast_partition *fp = p->fast;
    const fast_packets *ps = &fp->packets;
    uint64_t each = sizeof *ps->items + sizeof *ps->next + (ps->out ? sizeof *ps->out : 0) +
                    (ps->tail ? sizeof *ps->tail : 0) + (ps->number ? sizeof *ps->number : 0) +
                    (ps->in_flight ? sizeof *ps->in_flight : 0);
    return ps->cap * each + (uint64_t)fp->bins.cap_chunks * 512;
}

/* ---- bins */

static uint32_t new_chunk(bins *b)
{
    uint32_t id = b->free_chunk;
    if (id != IK_NONE) {
        b->free_chunk = (uint32_t)b->words[(size_t)id * 64];
    } else {
        if (b->num_chunks == b->cap_chunks) {
            uint32_t cap = b->cap_chunks + b->cap_chunks / 2 + 256;
            uint64_t *words =
                cap < UINT32_MAX / 64 ? sim_alloc((size_t)cap * 64, sizeof *words) : NULL;
            if (!words)
                return IK_NONE;
            if (b->words)
                memcpy(words, b->words, (size_t)b->num_chunks * 512);
            free(b->words);
            b->words = words;
            b->cap_chunks = cap;
        }
        id = b->num_chunks++;
    }
    b->words[(size_t)id * 64] = IK_NONE;
    return id;
}

bool sim_bins_add(partition *p, slot *at, unsigned count, uint64_t first, uint64_t second)
{
    bins *b = &p->fast->bins;
    if ((at->end & 63) == 0) {
        uint32_t id = new_chunk(b);
        if (id == IK_NONE) {
            sim_partition_fail(p, (size_t)b->cap_chunks * 768, "events");
            return false;
        }
        if (at->first == IK_NONE) {
            uint32_t index = (uint32_t)(at - b->slots) & (b->num_slots - 1);
            at->first = id;
            b->busy[index >> 6] |= 1ull << (index & 63);
        } else {
            b->words[at->end - 64] = id; /* the head of the chunk that is full */
        }
        at->end = id * 64 + 2;
    }
    b->words[at->end++] = first;
    if (count == 2)
        b->words[at->end++] = second;
    return true;
}

void sim_bins_clear(partition *p)
{
    bins *b = &p->fast->bins;
    uint32_t index = (uint32_t)p->window & (b->num_slots - 1);
    b->busy[index >> 6] &= ~(1ull << (index & 63));
    for (unsigned bin = 0; bin < NUM_BINS; bin++) {
        slot *at = &b->slots[bin * b->num_slots + index];
        if (at->first != IK_NONE) {
            uint32_t last = (at->end - 1) >> 6;
            b->words[(size_t)last * 64] = b->free_chunk;
            b->free_chunk = at->first;
        }
        *at = (slot){IK_NONE, 0};
    }
}

uint64_t sim_fast_next(const partition *p, uint64_t from)
{
    const bins *b = &p->fast->bins;
    uint32_t index = (uint32_t)from & (b->num_slots - 1), words = b->num_slots / 64,
             word = index >> 6;
    uint64_t bits = b->busy[word] & ~0ull << (index & 63);
    for (uint32_t k = 0; k <= words; k++) {
        if (bits)
            return from +
                   (((word << 6) + (uint32_t)__builtin_ctzll(bits) - index) & (b->num_slots - 1));
        word = word + 1 == words ? 0 : word + 1;
        bits = b->busy[word];
    }
    return UINT64_MAX;
}

/* ---- packets */

static bool grow_column(void *column, size_t size, uint32_t used, uint32_t cap)
{
    void *old, *block = sim_alloc(cap, size);
    memcpy(&old, column, sizeof old);
    if (!block)
        return false;
    if (old)
        memcpy(block, old, used * size);
    free(old);
    memcpy(column, &block, sizeof block);
    return true;
}

bool sim_fast_grow_packets(partition *p)
{
    fast_packets *ps = &p->fast->packets;
    uint32_t cap = ps->cap + ps->cap / 2 + 1024;
    if (cap < LAST_BEHIND && grow_column(&ps->items, sizeof *ps->items, ps->size, cap) &&
        grow_column(&ps->next, sizeof *ps->next, ps->size, cap) &&
        (!p->sim->fast_state->early ||
         grow_column(&ps->in_flight, sizeof *ps->in_flight, ps->size, cap)) &&
        (p->sim->voq || grow_column(&ps->out, sizeof *ps->out, ps->size, cap)) &&
        (!p->sim->fast_state->mixed || grow_column(&ps->tail, sizeof *ps->tail, ps->size, cap)) &&
        (!p->sim->fast_state->numbered ||
         grow_column(&ps->number, sizeof *ps->number, ps->size, cap))) {
        ps->cap = cap;
        return true;
    }
    sim_partition_fail(p, cap * sizeof *ps->items, "packets");
    return false;
}

uint32_t sim_fast_drawn(const partition *p, uint32_t id, const ik_packet *rt, uint32_t n,
                        uint32_t preferred)
{
    const uint32_t *number = p->fast->packets.number;
    return sim_drawn(p->sim, rt, number ? number[id] : 0, n, preferred);
}

queue sim_fast_queue(const sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n)
{
    const fast_switch *fsw = &s->fast_state->switches[sw];
    uint32_t last = s->fast_state->queues[fast_queue_at(fsw, s->voq, s->vcs, in, v, n)];
    if (last == IK_NONE)
        return (queue){IK_NONE, IK_NONE};
    const fast_packets *ps = &s->partitions[s->node_partition[sw]].fast->packets;
    uint32_t first = ps->next[last] & ~LAST_BEHIND;
    if (ps->in_flight && ps->in_flight[first])
        return (queue){IK_NONE, IK_NONE};
    return (queue){first, last};
}

packet sim_fast_packet(const partition *p, uint32_t id)
{
    const fast_packets *ps = &p->fast->packets;
    const fast_packet *pk = &ps->items[id];
    packet copy = {.rt = pk->rt,
                   .t_gen = pk->t_gen,
                   .t_inject = pk->t_inject,
                   .next = fast_behind(ps, id),
                   .size = p->sim->packet_bytes};
    copy.out = pk->out == NO_OUT ? SIM_NO_WAY : pk->out;
    copy.vc_first = copy.vc_last = pk->rt.vc;
    copy.t_tail = ps->tail ? ps->tail[id] : 0;
    copy.number = ps->number ? ps->number[id] : 0;
    return copy;
}

/* ---- from other partitions */

/* A packet that came with an arrival; IK_NONE when out of memory. */
static uint32_t receive_packet(partition *p, const sim_packet_record *record)
{
    fast_packets *ps = &p->fast->packets;
    uint32_t id = ps->free;
    if (id != IK_NONE)
        ps->free = ps->next[id];
    else if (ps->size == ps->cap && !sim_fast_grow_packets(p))
        return IK_NONE;
    else
        id = ps->size++;
    uint8_t out = (uint8_t)(record->out == SIM_NO_WAY ? NO_OUT : record->out);
    ps->items[id] = (fast_packet){
        .rt = record->rt, .t_gen = record->t_gen, .out = out, .t_inject = record->t_inject};
    if (ps->out)
        ps->out[id] = out;
    if (ps->tail)
        ps->tail[id] = record->t_tail;
    if (ps->number)
        ps->number[id] = record->number;
    return id;
}

void sim_fast_take_message(partition *p, uint64_t time, const sim_unit *at)
{
    const sim *s = p->sim;
    uint32_t port = at->low & EV_PORT_MASK;
    uint64_t offset = time % s->lookahead;
    bins *b = &p->fast->bins;
    slot *slots = b->slots + (uint32_t)(time / s->lookahead & (b->num_slots - 1));
    if (at->low >> 30 == EV_CREDIT) {
        sim_bins_add(p, slots + BIN_CREDIT * b->num_slots, 1,
                     credit_of(offset, port, space_vc(at->data)), 0);
        return;
    }
    sim_packet_record record;
    memcpy(&record, at + 1, sizeof record);
    uint32_t id = receive_packet(p, &record), q = IK_NONE;
    if (id == IK_NONE)
        return;
    const fast_switch *fsw = &s->fast_state->switches[at->node];
    unsigned in = port - fsw->port_base, out = p->fast->packets.items[id].out;
    if (out != NO_OUT)
        q = fast_queue_at(fsw, s->voq, s->vcs, in, record.rt.vc, out);
    sim_bins_add(p, slots + BIN_ARRIVAL * b->num_slots, 2,
                 key_of(offset, at->node, KEY_ARRIVAL, record.rt.vc, in, out & 63),
                 (uint64_t)q << 32 | id);
}

/* ---- what others see */

static event event_of(const sim *s, unsigned bin, const uint64_t *word)
{
    uint32_t bytes = s->packet_bytes, sw = key_switch(*word);
    if (bin == BIN_CREDIT) {
        uint32_t port = credit_port(*word);
        return (event){event_key(EV_CREDIT, port), s->f->port_node[port],
                       space_data(credit_vc(*word), bytes)};
    }
    uint32_t in = s->f->port_base[sw] + key_in(*word), out = s->f->port_base[sw] + key_out(*word);
    if (bin == BIN_TAIL)
        return (event){event_key(EV_TAIL, out), sw, key_in(*word)};
    if (key_kind(*word) == KEY_TO_HOST)
        in = s->f->port_peer[out];
    return (event){event_key(EV_ARRIVAL, in), s->f->port_node[in], (uint32_t)word[1]};
}

/* Early: the packets that have not come, with the ports that they are on their way to. */
typedef void (*flight_fn)(void *ctx, partition *p, uint32_t port, uint32_t id);

static uint64_t time_in_ring(const partition *p, uint32_t slot_index, uint32_t offset)
{
    uint32_t mask = p->fast->bins.num_slots - 1, ago = ((uint32_t)p->window - slot_index) & mask;
    return p->start - (uint64_t)ago * p->sim->lookahead + offset;
}

static uint64_t delay_ps(const sim *s, window_time d)
{
    return (uint64_t)d.windows * s->lookahead + d.rest;
}

static void each_flight(partition *p, flight_fn fn, void *ctx)
{
    const sim *s = p->sim;
    const fast_partition *fp = p->fast;
    const link_delays *l = &s->fast_state->links[0];
    for (uint32_t k = 0; s->fast_state->early && k < fp->bins.num_slots; k++) {
        slot granted = fp->granted_in.spans[k], sent = fp->sent_in.spans[k];
        for (const fast_grant *g = fp->grants + granted.first; g < fp->grants + granted.end; g++) {
            uint32_t out = s->f->port_base[key_switch(g->key)] + key_out(g->key);
            uint64_t at =
                time_in_ring(p, k, (uint32_t)(g->key >> KEY_OFFSET)) + delay_ps(s, l->arrival);
            if (g->id != IK_NONE && at >= p->start)
                fn(ctx, p, s->f->port_peer[out], g->id);
        }
        for (const fast_send *e = fp->sends + sent.first; e < fp->sends + sent.end; e++)
            if (e->id != IK_NONE &&
                time_in_ring(p, k, e->offset) + delay_ps(s, l->host_arrival) >= p->start)
                fn(ctx, p, s->f->port_peer[s->hosts[e->host].port], e->id);
    }
}

static void note_flight(void *ctx, partition *p, uint32_t port, uint32_t id)
{
    (void)ctx;
    (void)port;
    p->fast->packets.in_flight[id] = 1;
}

typedef struct event_to {
    event_fn fn;
    void *ctx;
} event_to;

static void report_flight(void *ctx, partition *p, uint32_t port, uint32_t id)
{
    const event_to *to = ctx;
    event e = {event_key(EV_ARRIVAL, port), p->sim->f->port_node[port], id};
    to->fn(to->ctx, p, &e);
}

void sim_fast_each_event(partition *p, event_fn fn, void *ctx)
{
    event_to to = {fn, ctx};
    const bins *b = &p->fast->bins;
    each_flight(p, report_flight, &to);
    for (uint32_t k = 0; k < NUM_BINS * b->num_slots; k++) {
        unsigned bin = k / b->num_slots;
        for (uint32_t c = bin == BIN_WAKE || bin == BIN_ASK ? IK_NONE : b->slots[k].first;
             c != IK_NONE;) {
            uint32_t next = (uint32_t)b->words[(size_t)c * 64],
                     end = next != IK_NONE ? 64 : ((b->slots[k].end - 1) & 63) + 1;
            for (uint32_t at = 2; at < end; at += bin == BIN_ARRIVAL ? 2 : 1) {
                const uint64_t *word = &b->words[(size_t)c * 64 + at];
                if (bin == BIN_TAIL && key_kind(*word) == KEY_LOOK)
                    continue;
                event e = event_of(p->sim, bin, word);
                fn(ctx, p, &e);
            }
            c = next;
        }
    }
}

/* A host's lane as host/host.c keeps it; its message, if any, stands in the ring. What was drawn is
 * counted. */
static void settle_send_queue(const sim *s, uint32_t host, unsigned v, const fast_send_queue *from)
{
    send_queue *to = &s->send_queues[(size_t)host * s->vcs + v];
    *to = (send_queue){from->n, from->t, 0, from->has};
    if (from->has)
        s->messages[((size_t)host * s->vcs + v) * s->active_messages] =
            (message){from->t, from->n, s->message_bytes, from->dst[from->n % BLOCK], v};
    for (bool drawn = from->mine; drawn; drawn = to->n % BLOCK != 0) {
        to->n++;
        to->t = sim_message_time(s, host, to->n, to->t);
    }
}

static void settle_hosts(partition *p)
{
    const sim *s = p->sim;
    const fast_state *f = s->fast_state;
    for (uint32_t host = 0; f->hosts && host < s->f->num_hosts; host++) {
        const fast_adapter *from =
            (const fast_adapter *)(const void *)(f->hosts + host * f->host_bytes);
        if (s->node_partition[ik_host_node(s->f, host)] != p->id || s->hosts[host].silent)
            continue;
        s->hosts[host].busy_until = from->busy_until;
        s->hosts[host].blocked = from->blocked;
        s->hosts[host].next_vc = from->next_vc;
        for (unsigned v = 0; v < s->vcs; v++)
            settle_send_queue(s, host, v, &from->queues[v]);
    }
}

void sim_fast_settle(partition *p)
{
    const sim *s = p->sim;
    const fast_state *f = s->fast_state;
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        if (s->node_partition[s->f->port_node[port]] == p->id)
            s->channel_bytes[port] =
                (uint64_t)fast_port_of(s, f, port)->sent * s->packet_bytes + f->edge_bytes[port];
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        if (s->node_partition[ik_host_node(s->f, host)] != p->id)
            continue;
        s->hosts[host].hash = f->sinks[host].hash;
        s->host_bytes[host] = f->sinks[host].packets * s->packet_bytes;
        if (f->hosts && s->hosts[host].port != IK_NONE)
            s->host_sent_bytes[host] = s->channel_bytes[s->hosts[host].port];
    }
    settle_hosts(p);
}

/* Credit in bytes, where it is kept in packets; what does not make a packet stays as it was. */
static void expose_credit(const sim *s, uint32_t port)
{
    for (unsigned v = 0; v < s->vcs && !host_keeps_credit(s, s->fast_state, port); v++) {
        int32_t *bytes = &s->credit[(size_t)port * s->vcs + v], full = (int32_t)s->packet_bytes;
        *bytes =
            *bytes % full + *fast_credit(fast_port_of(s, s->fast_state, port), s->vcs, v) * full;
    }
}

/* Packets that have chosen know their output again, and whether they may choose another one. */
static void expose_choices(const sim *s, const fast_packets *ps, uint32_t id)
{
    const fast_switch *fsw = &s->fast_state->switches[id];
    const choice_sets *c = &s->fast_state->sets[fsw->sets];
    for (uint64_t bits = c->all; bits; bits &= bits - 1) {
        unsigned out = (unsigned)__builtin_ctzll(bits);
        for (unsigned in = 0; in < fsw->radix; in++)
            for (unsigned v = 0; v < s->vcs; v++) {
                uint32_t last =
                    s->fast_state->queues[fast_queue_at(fsw, s->voq, s->vcs, in, v, out)];
                if (last == IK_NONE)
                    continue;
                uint32_t at = last;
                do
                    ps->items[at].out = out;
                while ((at = ps->next[at] & ~LAST_BEHIND) != last);
            }
    }
}

static void expose_switch(const sim *s, uint32_t id)
{
    const fast_switch *fsw = &s->fast_state->switches[id];
    sw_state *sw = &s->switches[id];
    free_inputs(sw)[0] = fsw->free_in;
    free_outputs(sw, 1)[0] = fsw->free_out;
    left_outputs(sw, 1)[0] = fsw->left;
    for (unsigned local = 0; local < fsw->radix; local++) {
        fast_port *fp = fast_port_of(s, s->fast_state, fsw->port_base + local);
        uint64_t ok = 0, *want = want_of(sw, sim_shape(s), local, 0);
        *row_of(sw, sim_shape(s), local) = fp->row;
        for (unsigned v = 0; v < s->vcs; v++) {
            want[v] = s->vcs == 1 ? fp->ready : fp->want[v];
            ok |= (*ok_of(s, s->fast_state, id, v) >> local & 1) << v;
        }
        s->ports[fsw->port_base + local].ok = ok;
    }
}

void sim_fast_expose(partition *p)
{
    const sim *s = p->sim;
    fast_packets *ps = &p->fast->packets;
    if (ps->in_flight) {
        memset(ps->in_flight, 0, ps->size);
        each_flight(p, note_flight, NULL);
    }
    for (uint32_t id = 0; id < s->f->num_switches; id++)
        if (s->node_partition[id] == p->id) {
            expose_switch(s, id);
            if (s->fast_state->sets)
                expose_choices(s, ps, id);
        }
    for (uint32_t port = 0; port < s->f->num_ports; port++)
        if (s->node_partition[s->f->port_node[port]] == p->id)
            expose_credit(s, port);
    sim_fast_settle(p);
}
