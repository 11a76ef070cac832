/* SPDX-License-Identifier: Apache-2.0
 *
 * Pods of a tree, and the groups in which a drawing shows switches.
 *
 * Both follow from the levels and the cables alone, so they hold for a tree that somebody cabled,
 * and for one with losses, as they do for a generated one: a pod hangs together below the top
 * level, a plane is what hangs together in the two highest levels without everything below.
 * Cost O(switches + ports).
 */
#include "ikat/fabric.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Breadth first search among the switches of the levels low … high. */
typedef struct search {
    const ik_fabric *f;
    uint32_t low, high;
    uint32_t *part;  /* [switches] IK_NONE = not reached */
    uint32_t *stack; /* [switches] */
} search;

static bool fabric_pods_within(const search *s, uint32_t sw)
{
    return s->f->switch_level[sw] >= s->low && s->f->switch_level[sw] <= s->high;
}

static void fabric_pods_fill(const search *s, uint32_t first, uint32_t number)
{
    assert(fabric_pods_within(s, first) && s->part[first] == IK_NONE);
    uint32_t depth = 0;
    s->part[first] = number;
    s->stack[depth++] = first;
    while (depth) {
        uint32_t sw = s->stack[--depth];
        for (uint32_t port = s->f->port_base[sw]; port < s->f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(s->f, port);
            if (peer == IK_NONE || !ik_is_switch(s->f, peer) || !fabric_pods_within(s, peer) ||
                s->part[peer] != IK_NONE)
                continue;
            s->part[peer] = number;
            s->stack[depth++] = peer;
        }
    }
}

/* Numbers what hangs together in the levels low … high, by its lowest switch; the other switches
 * stay IK_NONE. */
static ik_status fabric_pods_find_parts(const ik_fabric *f, uint32_t low, uint32_t high,
                                        uint32_t *part, uint32_t *num, ik_error *err)
{
    assert(f->switch_level && low <= high);
    search s = {f, low, high, part, malloc((f->num_switches + 1) * sizeof *s.stack)};
    if (!s.stack)
        return ik_fail_memory(err, f->num_switches * sizeof *s.stack, "the pods of a tree");
    memset(part, 0xff, f->num_switches * sizeof *part);
    *num = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        if (fabric_pods_within(&s, sw) && part[sw] == IK_NONE)
            fabric_pods_fill(&s, sw, (*num)++);
    free(s.stack);
    return IK_OK;
}

ik_status ik_fabric_pods(const ik_fabric *f, uint32_t *pod, uint32_t *num_pods, ik_error *err)
{
    assert(f && pod && num_pods);
    if (f->switch_level && f->num_levels)
        return fabric_pods_find_parts(f, 0, f->num_levels - 1, pod, num_pods, err);
    memset(pod, 0xff, f->num_switches * sizeof *pod);
    *num_pods = 0;
    return IK_OK;
}

/* Top switches follow the pods: planes in the order of their lowest switch. */
static ik_status fabric_pods_add_planes(const ik_fabric *f, uint32_t *group, uint32_t *num,
                                        ik_error *err)
{
    assert(f->num_levels > 1);
    uint32_t *plane = malloc((f->num_switches + 1) * sizeof *plane), planes = 0;
    if (!plane)
        return ik_fail_memory(err, f->num_switches * sizeof *plane, "the planes of a tree");
    ik_status status =
        fabric_pods_find_parts(f, f->num_levels - 1, f->num_levels, plane, &planes, err);
    for (uint32_t sw = 0; sw < f->num_switches && status == IK_OK; sw++)
        if (group[sw] == IK_NONE)
            group[sw] = *num + plane[sw];
    if (status == IK_OK)
        *num += planes;
    free(plane);
    return status;
}

ik_status ik_fabric_groups(const ik_fabric *f, uint32_t *group, uint32_t *num_groups, ik_error *err)
{
    assert(f && group && num_groups);
    *num_groups = 0;
    bool tree = f->switch_level && f->num_levels > 1;
    if (tree && (f->num_levels > 2 || !f->switch_place)) {
        ik_status status = ik_fabric_pods(f, group, num_groups, err);
        return status == IK_OK ? fabric_pods_add_planes(f, group, num_groups, err) : status;
    }
    for (uint32_t sw = 0; f->switch_place && sw < f->num_switches; sw++) {
        group[sw] = f->switch_place[sw].group;
        *num_groups = group[sw] + 1 > *num_groups ? group[sw] + 1 : *num_groups;
    }
    return IK_OK;
}
