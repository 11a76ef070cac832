/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises the levels of a multi-level tree in a graph that somebody cabled.
 *
 * Leaf switches carry hosts; every other switch is one level above its nearest leaf. The fabric is
 * a tree if then every link between switches joins neighbouring levels. Real trees have odd hosts
 * on upper switches (a management node), so if taking every switch with a host for a leaf fails,
 * switches with few hosts are not counted: fewer than 1/8, 1/4, 1/2 of the most. O(nodes + ports).
 */
#include "fabric/fabric_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    const ik_fabric *f;
    uint32_t *hosts; /* [switches] attached hosts */
    uint32_t *queue; /* [switches] */
    uint32_t *level; /* [switches] 0 = not reached */
    uint32_t max_hosts;
} search;

static void fabric_levels_count_hosts(search *s)
{
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        uint32_t node = ik_host_node(s->f, host);
        for (uint32_t port = s->f->port_base[node]; port < s->f->port_base[node + 1]; port++) {
            uint32_t sw = ik_peer_node(s->f, port);
            if (sw != IK_NONE && ik_is_switch(s->f, sw) && ++s->hosts[sw] > s->max_hosts)
                s->max_hosts = s->hosts[sw];
        }
    }
}

/* Breadth first from all leaves at once. */
static void fabric_levels_spread(search *s, uint32_t least_hosts)
{
    const ik_fabric *f = s->f;
    uint32_t head = 0, tail = 0;
    memset(s->level, 0, (size_t)f->num_switches * sizeof *s->level);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        if (s->hosts[sw] >= least_hosts) {
            s->level[sw] = 1;
            s->queue[tail++] = sw;
        }
    while (head < tail) {
        uint32_t sw = s->queue[head++];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer == IK_NONE || !ik_is_switch(f, peer) || s->level[peer])
                continue;
            s->level[peer] = s->level[sw] + 1;
            s->queue[tail++] = peer;
        }
    }
}

/* Do all links of this switch lead to switches of this level? False if it has none. */
static bool all_neighbours_on(const search *s, uint32_t sw, uint32_t level)
{
    bool any = false;
    for (uint32_t port = s->f->port_base[sw]; port < s->f->port_base[sw + 1]; port++) {
        uint32_t peer = ik_peer_node(s->f, port);
        if (peer == IK_NONE || !ik_is_switch(s->f, peer))
            continue;
        any = true;
        if (s->level[peer] != level)
            return false;
    }
    return any;
}

/* A thinly populated leaf looks like a switch of level 3 over level 2: it has hosts, and only level
 * 2 above. */
static void bring_down_leaves(search *s)
{
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        if (s->level[sw] == 3 && s->hosts[sw] && all_neighbours_on(s, sw, 2))
            s->level[sw] = 1;
}

/* Highest level if every link joins neighbouring levels, 0 otherwise. Switches without links stand
 * on level 1. */
static uint32_t valid_levels(search *s)
{
    const ik_fabric *f = s->f;
    uint32_t highest = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        bool linked = false;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer == IK_NONE || !ik_is_switch(f, peer))
                continue;
            linked = true;
            if (s->level[sw] + 1 != s->level[peer] && s->level[peer] + 1 != s->level[sw])
                return 0;
        }
        if (!s->level[sw] && linked)
            return 0;
        if (!s->level[sw])
            s->level[sw] = 1;
        highest = s->level[sw] > highest ? s->level[sw] : highest;
    }
    return highest <= 255 ? highest : 0;
}

static uint32_t fabric_levels_try_all(search *s)
{
    static const uint32_t divisors[] = {0, 8, 4, 2};
    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        uint32_t least = divisors[i] ? (s->max_hosts + divisors[i] - 1) / divisors[i] : 1;
        fabric_levels_spread(s, least ? least : 1);
        bring_down_leaves(s);
        uint32_t levels = valid_levels(s);
        if (levels)
            return levels;
    }
    return 0;
}

ik_status ik_fabric_find_levels(ik_fabric *f, ik_error *err)
{
    size_t count = (size_t)f->num_switches + 1;
    search s = {.f = f,
                .hosts = ik_calloc(count, sizeof *s.hosts),
                .queue = ik_calloc(count, sizeof *s.queue),
                .level = ik_calloc(count, sizeof *s.level)};
    uint8_t *levels = ik_calloc(count, 1);
    ik_status status = s.hosts && s.queue && s.level && levels
                           ? IK_OK
                           : ik_fail_memory(err, 13 * count, "levels of switches");
    if (status == IK_OK) {
        fabric_levels_count_hosts(&s);
        uint32_t num_levels = s.max_hosts ? fabric_levels_try_all(&s) : 0;
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            levels[sw] = (uint8_t)s.level[sw];
        free(f->switch_level);
        f->switch_level = num_levels ? levels : NULL;
        f->num_levels = num_levels;
        if (num_levels)
            levels = NULL; /* handed over */
    }
    free(s.hosts);
    free(s.queue);
    free(s.level);
    free(levels);
    return status;
}
