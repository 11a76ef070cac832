/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the paths are that flows prefer, for `control_delay: path`. Where every path is a
 * shortest one and all links between switches have one latency, the distance of the two switches
 * says it: a byte a pair of switches, found by a search from the source's switch when that is first
 * asked for. Else paths of a fabric have a few different latencies, so that a byte says which one a
 * pair has: of (switch of the source, destination) where the routing looks at no more than that,
 * else of (source, destination); a path is walked when its place is first asked for. Cost: O(1), or
 * that of a search or a path. Memory: a byte a pair, at most 16 MiB; where that does not do, every
 * path is walked. */
#include "sim/order/reorder.h"
#include "sim/state/events.h"
#include <assert.h>
#include <stdlib.h>

enum { MOST_PLACES = 1 << 24, MOST_KINDS = 254, NOT_KEPT = 255 };
enum { NOT_REACHED = 0, HERE = 1, FARTHEST = 255 }; /* distances, and 1 */

/* The link of a host: next to each other for all hosts, since those of a packet are examined. */
typedef struct host_link {
    uint32_t sw, latency_ps; /* sw: no switch if it is not connected to one */
} host_link;

struct reorder_paths {
    uint64_t kinds[MOST_KINDS + 1]; /* [1 ..] ps, without the source's link; 0 = there is no path */
    unsigned num;
    bool by_switch, by_distance;
    uint64_t hop_ps;  /* by_distance: of a switch and the link behind it */
    host_link *hosts; /* by_distance: [host] */
    uint32_t *queue;  /* by_distance: [num_switches] scratch of a search */
    /* [row * hosts + dst] 0 = not walked yet; by_distance: [switch * switches + switch] distance,
     * and 1; NOT_REACHED on the diagonal: that row was not searched yet */
    uint8_t kind[];
};

/* ---- which table, and how large it is */

static bool reorder_paths_by_switch(const sim *s)
{
    return s->plan->routing->traits & IK_ROUTE_DEST_BASED;
}

/* The latency of the links between switches; 0 if there are none, or several. */
static uint64_t reorder_paths_only_latency(const sim *s)
{
    const ik_fabric *f = s->f; /* known before the simulator's own ports are */
    uint64_t only = 0;
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer == IK_NONE || !ik_is_switch(f, peer))
            continue;
        uint64_t latency = f->classes[f->port_class[port]].latency_ps;
        if (only && latency != only)
            return 0;
        only = latency;
    }
    return only;
}

static bool reorder_paths_by_distance(const sim *s)
{
    return s->plan->routing->claims & IK_CLAIM_MINIMAL && reorder_paths_only_latency(s);
}

static size_t reorder_paths_num_places(const sim *s)
{
    bool distance = reorder_paths_by_distance(s);
    size_t rows = distance || reorder_paths_by_switch(s) ? s->f->num_switches : s->f->num_hosts,
           columns = distance ? s->f->num_switches : s->f->num_hosts;
    bool needed = s->reorder.limit != REORDER_UNLIMITED && s->reorder.by_path;
    return needed && rows * columns <= MOST_PLACES ? rows * columns : 0;
}

/* The hosts' links and the scratch of a search stand behind the table. */
static size_t reorder_paths_table_bytes(size_t places)
{
    return (sizeof(struct reorder_paths) + places + 7) / 8 * 8;
}

size_t sim_reorder_paths_bytes(const sim *s)
{
    size_t places = reorder_paths_num_places(s),
           more = s->f->num_hosts * sizeof(host_link) + s->f->num_switches * sizeof(uint32_t);
    return places ? reorder_paths_table_bytes(places) + (reorder_paths_by_distance(s) ? more : 0)
                  : 0;
}

static host_link reorder_paths_link_of(const ik_fabric *f, uint32_t host)
{
    uint32_t port = f->port_base[ik_host_node(f, host)],
             end = f->port_base[ik_host_node(f, host) + 1],
             peer = port < end ? ik_peer_node(f, port) : IK_NONE;
    if (peer == IK_NONE || !ik_is_switch(f, peer))
        return (host_link){IK_NONE, 0};
    return (host_link){peer, (uint32_t)f->classes[f->port_class[port]].latency_ps};
}

bool sim_reorder_paths_init(partition *p)
{
    const sim *s = p->sim;
    size_t bytes = sim_reorder_paths_bytes(s);
    struct reorder_paths *t = p->reorder->paths = bytes ? ik_calloc(1, bytes) : NULL;
    if (!t)
        return !bytes;
    t->by_switch = reorder_paths_by_switch(s);
    t->by_distance = reorder_paths_by_distance(s);
    t->hop_ps = reorder_paths_only_latency(s) + s->sw.routing_ps + s->sw.traversal_ps;
    t->hosts =
        (host_link *)(void *)((char *)t + reorder_paths_table_bytes(reorder_paths_num_places(s)));
    t->queue = (uint32_t *)(void *)(t->hosts + s->f->num_hosts);
    for (uint32_t host = 0; t->by_distance && host < s->f->num_hosts; host++)
        t->hosts[host] = reorder_paths_link_of(s->f, host);
    return true;
}

/* ---- distances */

/* Distances from a switch, breadth first. */
static void reorder_paths_search(const sim *s, struct reorder_paths *t, uint32_t from)
{
    uint8_t *row = &t->kind[(size_t)from * s->f->num_switches];
    uint32_t num = 0;
    assert(row[from] == NOT_REACHED); /* a row is searched once */
    row[from] = HERE;
    t->queue[num++] = from;
    for (uint32_t at = 0; at < num; at++) {
        uint32_t sw = t->queue[at], end = s->f->port_base[sw + 1];
        for (uint32_t port = s->f->port_base[sw]; port < end && row[sw] < FARTHEST; port++) {
            uint32_t peer = s->net.ports[port].peer_node;
            if (peer >= s->f->num_switches || row[peer] != NOT_REACHED)
                continue;
            row[peer] = (uint8_t)(row[sw] + 1);
            t->queue[num++] = peer;
        }
    }
}

/* Of a shortest path between two hosts; 0 = there is none, or it may be too long to be counted. */
static uint64_t reorder_paths_shortest_ps(const sim *s, struct reorder_paths *t, uint32_t src,
                                          uint32_t dst)
{
    const host_link *first = &t->hosts[src], *last = &t->hosts[dst];
    if (first->sw == IK_NONE || last->sw == IK_NONE)
        return 0;
    /* links lead both ways: the destination's row, which its other packets look at, too */
    const uint8_t *row = &t->kind[(size_t)last->sw * s->f->num_switches];
    if (row[last->sw] == NOT_REACHED)
        reorder_paths_search(s, t, last->sw);
    uint8_t reached = row[first->sw];
    if (reached == NOT_REACHED || reached == FARTHEST)
        return 0;
    return first->latency_ps + (reached - HERE) * t->hop_ps + s->sw.routing_ps +
           s->sw.traversal_ps + last->latency_ps;
}

/* ---- paths that are walked */

/* The latencies of the links and switches behind the source's link on the path that a flow prefers;
 * 0 if there is none. */
static uint64_t reorder_paths_walk(partition *p, uint32_t src, uint32_t dst)
{
    enum { MOST_CHANNELS = 256 };
    const sim *s = p->sim;
    uint32_t channels[MOST_CHANNELS],
        length = ik_plan_path(s->plan, src, dst, 0, channels, MOST_CHANNELS);
    uint64_t sum = 0;
    if (length == IK_NONE) {
        sim_partition_fail(p, s->net.max_radix * sizeof(ik_choice), "a path");
        length = 0;
    }
    for (uint32_t k = 1; k < length; k++)
        sum += s->net.ports[channels[k]].latency_ps + s->sw.routing_ps + s->sw.traversal_ps;
    return sum;
}

/* The number of a latency; NOT_KEPT if there are too many. */
static uint8_t reorder_paths_kind_of(struct reorder_paths *t, uint64_t ps)
{
    for (unsigned k = 1; k <= t->num; k++)
        if (t->kinds[k] == ps)
            return (uint8_t)k;
    if (t->num == MOST_KINDS)
        return NOT_KEPT;
    t->kinds[++t->num] = ps;
    return (uint8_t)t->num;
}

static uint64_t reorder_paths_walked_ps(partition *p, struct reorder_paths *t, uint32_t src,
                                        uint32_t dst)
{
    const sim *s = p->sim;
    uint32_t row = t->by_switch ? s->net.ports[s->host.state[src].port].peer_node : src;
    uint8_t *kind = &t->kind[(size_t)row * s->f->num_hosts + dst];
    if (!*kind)
        *kind = reorder_paths_kind_of(t, reorder_paths_walk(p, src, dst));
    return *kind == NOT_KEPT ? reorder_paths_walk(p, src, dst) : t->kinds[*kind];
}

void sim_reorder_fetch_path(const partition *p, uint32_t src, uint32_t dst)
{
    const struct reorder_paths *t = p->reorder->paths;
    if (!t || !t->by_distance || t->hosts[src].sw == IK_NONE || t->hosts[dst].sw == IK_NONE)
        return;
    size_t row = t->hosts[dst].sw;
    __builtin_prefetch(&t->kind[row * p->sim->f->num_switches + t->hosts[src].sw]);
}

uint64_t sim_reorder_path_ps(partition *p, uint32_t src, uint32_t dst)
{
    const sim *s = p->sim;
    struct reorder_paths *t = p->reorder->paths;
    uint64_t ps = t && t->by_distance ? reorder_paths_shortest_ps(s, t, src, dst) : 0;
    if (!ps) {
        const port_state *link = &s->net.ports[s->host.state[src].port];
        bool kept = t && !t->by_distance && link->peer_node < s->f->num_switches;
        ps = kept ? reorder_paths_walked_ps(p, t, src, dst) : reorder_paths_walk(p, src, dst);
        ps += ps ? link->latency_ps : 0;
    }
    return ps > s->reorder.ask_ps ? ps : s->reorder.ask_ps;
}
