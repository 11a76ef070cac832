/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises the levels of a multi-level tree in a graph that somebody cabled.
 *
 * Leaf switches carry hosts; every other switch is one level above its nearest leaf. The fabric is
 * a tree if then every link between switches joins neighbouring levels. Real trees have odd hosts
 * on upper switches (a management node), so if taking every switch with a host for a leaf fails,
 * switches with few hosts are not counted: fewer than 1/8, 1/4, 1/2 of the most. O(nodes + ports).
 * They also have leaf switches and pods without hosts: these are told by what they are cabled to
 * (levels_fold.c).
 */
#include "fabric/levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void fabric_levels_count_hosts(levels_search *s)
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
static void fabric_levels_spread(levels_search *s, uint32_t least_hosts)
{
    assert(least_hosts > 0); /* switches without hosts are no leaves */
    const ik_fabric *f = s->f;
    uint32_t head = 0, tail = 0;
    s->num_reached = 0;
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
    s->num_reached = tail;
}

/* Do all links of this switch lead to switches of this level? False if it has none. */
static bool all_neighbours_on(const levels_search *s, uint32_t sw, uint32_t level)
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
static void bring_down_leaves(levels_search *s)
{
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        if (s->level[sw] == 3 && s->hosts[sw] && all_neighbours_on(s, sw, 2))
            s->level[sw] = 1;
}

/* Highest level if every link joins neighbouring levels, 0 otherwise. Switches without links stand
 * on level 1. */
static uint32_t valid_levels(levels_search *s)
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

/* The queue anew, for switches that were brought down are listed behind those above them. */
static void fabric_levels_list(levels_search *s, uint32_t levels)
{
    s->num_reached = 0;
    for (uint32_t level = 1; level <= levels; level++)
        for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
            if (s->level[sw] == level)
                s->queue[s->num_reached++] = sw;
}

/* With switches without hosts brought down to the levels that their cables show, if that leaves a
 * tree. */
static ik_status fabric_levels_fold(levels_search *s, uint32_t *levels, ik_error *err)
{
    size_t bytes = ((size_t)s->f->num_switches + 1) * sizeof *s->level;
    uint32_t *before = malloc(bytes);
    if (!before)
        return ik_fail_memory(err, bytes, "levels of switches");
    memcpy(before, s->level, bytes);
    fabric_levels_list(s, *levels);
    ik_status status = levels_fold(s, err);
    uint32_t folded = status == IK_OK ? valid_levels(s) : 0;
    if (folded)
        *levels = folded;
    else
        memcpy(s->level, before, bytes);
    free(before);
    return status;
}

static ik_status fabric_levels_try_all(levels_search *s, uint32_t *levels, ik_error *err)
{
    static const uint32_t divisors[] = {0, 8, 4, 2};
    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        uint32_t least = divisors[i] ? (s->max_hosts + divisors[i] - 1) / divisors[i] : 1;
        fabric_levels_spread(s, least ? least : 1);
        bring_down_leaves(s);
        *levels = valid_levels(s);
        if (*levels)
            return *levels > 2 ? fabric_levels_fold(s, levels, err) : IK_OK;
    }
    return IK_OK;
}

ik_status ik_fabric_find_levels(ik_fabric *f, ik_error *err)
{
    size_t count = (size_t)f->num_switches + 1;
    levels_search s = {.f = f,
                       .hosts = ik_calloc(count, sizeof *s.hosts),
                       .queue = ik_calloc(count, sizeof *s.queue),
                       .level = ik_calloc(count, sizeof *s.level)};
    uint8_t *levels = ik_calloc(count, 1);
    ik_status status = s.hosts && s.queue && s.level && levels
                           ? IK_OK
                           : ik_fail_memory(err, 13 * count, "levels of switches");
    if (status == IK_OK) {
        fabric_levels_count_hosts(&s);
        uint32_t num_levels = 0;
        if (s.max_hosts)
            status = fabric_levels_try_all(&s, &num_levels, err);
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            levels[sw] = (uint8_t)s.level[sw];
        if (status == IK_OK) {
            free(f->switch_level);
            f->switch_level = num_levels ? levels : NULL;
            f->num_levels = num_levels;
            levels = num_levels ? NULL : levels; /* handed over */
        }
    }
    free(s.hosts);
    free(s.queue);
    free(s.level);
    free(levels);
    return status;
}
