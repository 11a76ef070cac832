/* SPDX-License-Identifier: Apache-2.0
 *
 * multicast.c: see multicast.h. From every switch with members a depth-first search goes over the
 * channels that get a copy. A channel that is met again while copies behind it are still being
 * followed closes a cycle; one that is met again later gets a second copy, which is bad if members
 * are behind it. What the search does not come to gets none. */
#include "subnet/judge/multicast.h"

#include <assert.h>
#include <stdlib.h>

enum { CHANNEL_NEW, CHANNEL_OPEN, CHANNEL_USELESS, CHANNEL_USEFUL }; /* useful: to members */

/* Copies that came by a channel to a switch. */
typedef struct multicast_arrival {
    uint32_t channel;  /* IK_NONE: the switch is where the walk begins */
    uint32_t in, next; /* ports of the switch: where they came in, which is next */
    uint32_t end;
    const multicast_entry *entry; /* NULL: the switch has none for this group */
    uint32_t copies;
    bool useful;
} multicast_arrival;

struct multicast_walk {
    const multicast_tables *t;
    const multicast_entry **of; /* [switches] of the group at hand */
    uint8_t *state;             /* [ports + switches] of channels, and of ports 0 */
    multicast_arrival *stack;   /* [ports + 1] */
    uint32_t *members, *seen;   /* [ports + switches]; those of the group; whose state is not new */
    uint32_t depth, num_members, num_seen;
    uint32_t reached; /* members, from the switch at hand */
    multicast_group *g;
};

ik_status multicast_walk_new(const multicast_tables *t, multicast_walk **out, ik_error *err)
{
    const ik_fabric *f = t->fabric;
    size_t places = (size_t)f->num_ports + f->num_switches + 1;
    multicast_walk *w = ik_calloc(1, sizeof *w);
    if (!w)
        return ik_fail_memory(err, sizeof *w, "walks of multicast packets");
    w->t = t;
    w->of = ik_calloc((size_t)f->num_switches + 1, sizeof *w->of);
    w->state = ik_calloc(places, sizeof *w->state);
    w->stack = ik_calloc((size_t)f->num_ports + 1, sizeof *w->stack);
    w->members = ik_calloc(places, sizeof *w->members);
    w->seen = ik_calloc(places, sizeof *w->seen);
    if (w->of && w->state && w->stack && w->members && w->seen) {
        *out = w;
        return IK_OK;
    }
    multicast_walk_free(w);
    return ik_fail_memory(err, places * sizeof *w->stack, "walks of multicast packets");
}

void multicast_walk_free(multicast_walk *w)
{
    if (!w)
        return;
    free(w->of);
    free(w->state);
    free(w->stack);
    free(w->members);
    free(w->seen);
    free(w);
}

static bool multicast_has(const multicast_entry *entry, unsigned number)
{
    return entry && number <= IK_PORT_NUMBER && entry->ports.bits[number / 64] >> number % 64 & 1;
}

static void multicast_set(multicast_walk *w, uint32_t place, uint8_t state)
{
    if (w->state[place] == CHANNEL_NEW)
        w->seen[w->num_seen++] = place;
    w->state[place] = state;
}

/* A copy for a member. */
static void multicast_deliver(multicast_walk *w, multicast_arrival *a, uint32_t place)
{
    a->useful = true;
    if (w->state[place] == CHANNEL_NEW)
        w->reached++;
    else if (w->g->again == IK_NONE)
        w->g->again = place;
    multicast_set(w, place, CHANNEL_USEFUL);
}

static void multicast_arrive(multicast_walk *w, uint32_t sw, uint32_t channel)
{
    const ik_fabric *f = w->t->fabric;
    assert(w->depth <= f->num_ports);
    multicast_arrival *a = &w->stack[w->depth++];
    *a = (multicast_arrival){.channel = channel,
                             .in = channel == IK_NONE ? IK_NONE : f->port_peer[channel],
                             .next = f->port_base[sw],
                             .end = f->port_base[sw + 1],
                             .entry = w->of[sw]};
    if (channel != IK_NONE)
        multicast_set(w, channel, CHANNEL_OPEN);
    if (multicast_has(a->entry, IK_PORT_SELF)) {
        a->copies++;
        multicast_deliver(w, a, f->num_ports + sw);
    }
}

/* The channels from the one that is met again to the one that leads to it. */
static void multicast_note_cycle(multicast_walk *w, uint32_t channel)
{
    multicast_group *g = w->g;
    uint32_t at = w->depth - 1;
    if (g->num_cycle)
        return;
    while (w->stack[at].channel != channel)
        at--;
    for (; at < w->depth; at++, g->num_cycle++)
        if (g->num_cycle < MULTICAST_CYCLE)
            g->cycle[g->num_cycle] = w->stack[at].channel;
}

/* A copy leaves by a port of the switch on top. */
static void multicast_send(multicast_walk *w, multicast_arrival *a, uint32_t port)
{
    const ik_fabric *f = w->t->fabric;
    uint32_t node = ik_peer_node(f, port);
    a->copies++;
    if (node == IK_NONE) {
        w->g->no_cable = w->g->no_cable == IK_NONE ? port : w->g->no_cable;
    } else if (!ik_is_switch(f, node)) {
        multicast_deliver(w, a, port);
    } else if (w->state[port] == CHANNEL_NEW) {
        multicast_arrive(w, node, port);
    } else if (w->state[port] == CHANNEL_OPEN) {
        multicast_note_cycle(w, port);
    } else if (w->state[port] == CHANNEL_USEFUL) {
        a->useful = true;
        w->g->again = w->g->again == IK_NONE ? port : w->g->again;
    }
}

static void multicast_leave(multicast_walk *w)
{
    multicast_arrival *a = &w->stack[--w->depth];
    if (a->channel == IK_NONE)
        return;
    multicast_set(w, a->channel, a->useful ? CHANNEL_USEFUL : CHANNEL_USELESS);
    w->stack[w->depth - 1].useful |= a->useful;
    if (a->copies == 0 && w->g->dead_end == IK_NONE)
        w->g->dead_end = a->channel;
}

/* What packets of the members at a switch come to; one of them alone stands for its own copy. */
static void multicast_from(multicast_walk *w, uint32_t sw)
{
    w->num_seen = w->reached = 0;
    multicast_arrive(w, sw, IK_NONE);
    while (w->depth) {
        multicast_arrival *a = &w->stack[w->depth - 1];
        if (a->next == a->end) {
            multicast_leave(w);
            continue;
        }
        uint32_t port = a->next++;
        if (port != a->in && multicast_has(a->entry, ik_port_number(w->t->fabric, port)))
            multicast_send(w, a, port);
    }
}

static void multicast_count(multicast_walk *w, uint32_t first, uint32_t end)
{
    multicast_group *g = w->g;
    uint32_t missing = w->num_members - w->reached;
    g->missing += (uint64_t)missing * (end - first);
    for (uint32_t i = 0; missing && g->sender == IK_NONE && i < w->num_members; i++)
        if (w->state[w->members[i]] == CHANNEL_NEW) {
            g->sender = w->members[first];
            g->receiver = w->members[i];
        }
}

/* The members at a switch of the group. */
static void multicast_list(multicast_walk *w, const multicast_entry *entry)
{
    const ik_fabric *f = w->t->fabric;
    if (multicast_has(entry, IK_PORT_SELF))
        w->members[w->num_members++] = f->num_ports + entry->sw;
    for (uint32_t port = f->port_base[entry->sw]; port < f->port_base[entry->sw + 1]; port++) {
        uint32_t node = ik_peer_node(f, port);
        if (node != IK_NONE && !ik_is_switch(f, node) &&
            multicast_has(entry, ik_port_number(f, port)))
            w->members[w->num_members++] = port;
    }
}

static uint32_t multicast_switch(const ik_fabric *f, uint32_t member)
{
    return member < f->num_ports ? f->port_node[member] : member - f->num_ports;
}

void multicast_judge(multicast_walk *w, size_t first, size_t end, multicast_group *out)
{
    const multicast_entry *entries = w->t->entries;
    *out = (multicast_group){.lid = entries[first].lid,
                             .sender = IK_NONE,
                             .receiver = IK_NONE,
                             .again = IK_NONE,
                             .dead_end = IK_NONE,
                             .no_cable = IK_NONE};
    w->g = out;
    w->num_members = 0;
    for (size_t i = first; i < end; i++) {
        w->of[entries[i].sw] = &entries[i];
        multicast_list(w, &entries[i]);
    }
    out->members = w->num_members;
    out->pairs = w->num_members ? (uint64_t)w->num_members * (w->num_members - 1) : 0;
    for (uint32_t from = 0, to; from < w->num_members; from = to) {
        uint32_t sw = multicast_switch(w->t->fabric, w->members[from]);
        for (to = from;
             to < w->num_members && multicast_switch(w->t->fabric, w->members[to]) == sw;)
            to++;
        multicast_from(w, sw);
        multicast_count(w, from, to);
        while (w->num_seen)
            w->state[w->seen[--w->num_seen]] = CHANNEL_NEW;
    }
    for (size_t i = first; i < end; i++)
        w->of[entries[i].sw] = NULL;
}
