/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the paths are that flows prefer, for `control_delay: path`. Paths of a fabric have a few
 * different latencies, so where a table is not too large it says in one byte which one a pair has:
 * of (switch of the source, destination) where the routing looks at no more than that, else of
 * (source, destination). A path is walked when its place is first asked for. Cost: O(1), or that of
 * a path. Memory: a byte a pair, at most 16 MiB. */
#include "sim/host/reorder.h"
#include "sim/state/events.h"
#include <stdlib.h>

enum { MOST_PLACES = 1 << 24, MOST_KINDS = 254, NOT_KEPT = 255 };

struct reorder_paths {
    uint64_t kinds[MOST_KINDS + 1]; /* [1 ..] ps, without the source's link; 0 = there is no path */
    unsigned num;
    bool by_switch;
    uint8_t kind[]; /* [row * hosts + dst] 0 = not walked yet */
};

static bool by_switch(const sim *s)
{
    return s->plan->routing->traits & IK_ROUTE_DEST_BASED;
}

static size_t num_places(const sim *s)
{
    size_t rows = by_switch(s) ? s->f->num_switches : s->f->num_hosts, hosts = s->f->num_hosts;
    bool needed = s->reorder.limit != REORDER_UNLIMITED && s->reorder.by_path;
    return needed && rows * hosts <= MOST_PLACES ? rows * hosts : 0;
}

size_t sim_reorder_paths_bytes(const sim *s)
{
    return num_places(s) ? sizeof(struct reorder_paths) + num_places(s) : 0;
}

bool sim_reorder_paths_init(partition *p)
{
    size_t bytes = sim_reorder_paths_bytes(p->sim);
    p->reorder->paths = bytes ? ik_calloc(1, bytes) : NULL;
    if (p->reorder->paths)
        p->reorder->paths->by_switch = by_switch(p->sim);
    return p->reorder->paths || !bytes;
}

/* The latencies of the links and switches behind the source's link on the path that a flow prefers;
 * 0 if there is none. */
static uint64_t walk(partition *p, uint32_t src, uint32_t dst)
{
    enum { MOST_CHANNELS = 256 };
    const sim *s = p->sim;
    uint32_t channels[MOST_CHANNELS],
        length = ik_plan_path(s->plan, src, dst, 0, channels, MOST_CHANNELS);
    uint64_t sum = 0;
    if (length == IK_NONE) {
        sim_partition_fail(p, s->max_radix * sizeof(ik_choice), "a path");
        length = 0;
    }
    for (uint32_t k = 1; k < length; k++)
        sum += s->ports[channels[k]].latency_ps + s->routing_ps + s->traversal_ps;
    return sum;
}

/* The number of a latency; NOT_KEPT if there are too many. */
static uint8_t kind_of(struct reorder_paths *t, uint64_t ps)
{
    for (unsigned k = 1; k <= t->num; k++)
        if (t->kinds[k] == ps)
            return (uint8_t)k;
    if (t->num == MOST_KINDS)
        return NOT_KEPT;
    t->kinds[++t->num] = ps;
    return (uint8_t)t->num;
}

uint64_t sim_reorder_path_ps(partition *p, uint32_t src, uint32_t dst)
{
    const sim *s = p->sim;
    struct reorder_paths *t = p->reorder->paths;
    const port_state *link = &s->ports[s->hosts[src].port];
    uint64_t ps;
    if (t) {
        uint8_t *kind =
            &t->kind[(size_t)(t->by_switch ? link->peer_node : src) * s->f->num_hosts + dst];
        if (!*kind)
            *kind = kind_of(t, walk(p, src, dst));
        ps = *kind == NOT_KEPT ? walk(p, src, dst) : t->kinds[*kind];
    } else {
        ps = walk(p, src, dst);
    }
    if (ps)
        ps += link->latency_ps;
    return ps > s->reorder.ask_ps ? ps : s->reorder.ask_ps;
}
