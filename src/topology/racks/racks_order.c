/* SPDX-License-Identifier: Apache-2.0
 *
 * racks_order.c: the order in which switches, each with its hosts, are brought to racks, as their
 * family declares it. A fabric that lacks what its family's order needs, or whose family is not
 * known, is ordered by the first of these that it has: levels of a tree, positions, groups, numbers
 * of switches. O(nodes log nodes).
 */
#include "ikat/topology.h"
#include "topology/racks/racks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- which order */

static bool racks_order_knows(const ik_fabric *f, ik_racking racking)
{
    switch (racking) {
    case IK_RACKING_PODS:
        return f->switch_level && f->num_levels;
    case IK_RACKING_GRID:
        return f->switch_xy;
    case IK_RACKING_GROUPS:
        return f->switch_place;
    default:
        return true;
    }
}

static ik_racking racks_order_choose(const ik_fabric *f, const ik_topology *family)
{
    static const ik_racking others[] = {IK_RACKING_PODS, IK_RACKING_GRID, IK_RACKING_GROUPS};
    if (family && !family->imported && racks_order_knows(f, family->racking))
        return family->racking;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (racks_order_knows(f, others[i]))
            return others[i];
    return IK_RACKING_NUMBERS;
}

/* ---- keys */

typedef struct rack_key {
    uint64_t major; /* part of the order */
    uint32_t minor;
    uint32_t sw;
    uint32_t group;
} rack_key;

static int racks_order_compare(const void *a, const void *b)
{
    const rack_key *x = a, *y = b;
    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    if (x->minor != y->minor)
        return x->minor < y->minor ? -1 : 1;
    return x->sw < y->sw ? -1 : x->sw > y->sw;
}

/* Half of the pods, the top level, the other half: what all pods lead to stands in the middle. */
static ik_status racks_order_by_pods(const ik_fabric *f, rack_key *keys, ik_error *err)
{
    uint32_t num_pods = 0, *pod = ik_calloc((size_t)f->num_switches + 1, sizeof *pod);
    if (!pod)
        return ik_fail_memory(err, f->num_switches * sizeof *pod, "the pods of a tree");
    ik_status status = ik_fabric_pods(f, pod, &num_pods, err);
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++) {
        bool top = pod[sw] == IK_NONE;
        keys[sw].major = top ? num_pods / 2 : pod[sw] + (uint64_t)(pod[sw] >= num_pods / 2);
        keys[sw].minor = f->switch_level[sw];
        keys[sw].group = top ? num_pods : pod[sw];
    }
    free(pod);
    return status;
}

static void racks_order_by_groups(const ik_fabric *f, const ik_topology *family, rack_key *keys)
{
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t group = family && family->rack_group ? family->rack_group(f, sw)
                         : f->switch_place            ? f->switch_place[sw].group
                                                      : 0;
        keys[sw].major = keys[sw].group = group;
    }
}

static ik_status racks_order_keys(racks_work *w, rack_key *keys, ik_error *err)
{
    const ik_fabric *f = w->f;
    const ik_topology *family =
        f->family ? ik_topology_find(f->family, &(const ik_shorthand *){0}) : NULL;
    ik_racking racking = racks_order_choose(f, family);
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        keys[sw] = (rack_key){.sw = sw, .group = IK_NONE};
    w->grid = racking == IK_RACKING_GRID;
    if (racking == IK_RACKING_PODS)
        return racks_order_by_pods(f, keys, err);
    if (racking == IK_RACKING_GROUPS)
        racks_order_by_groups(f, family, keys);
    return IK_OK;
}

/* ---- blocks */

/* The hosts of each switch, in w->hosts; first [num_switches + 1] says where they begin. Hosts
 * without a switch come last. */
static void racks_order_hosts(racks_work *w, uint32_t *first)
{
    const ik_fabric *f = w->f;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t sw = ik_host_switch(f, h);
        first[sw == IK_NONE ? f->num_switches : sw]++;
    }
    for (uint32_t sw = 0, sum = 0; sw <= f->num_switches; sw++) {
        uint32_t count = first[sw];
        first[sw] = sum;
        sum += count;
    }
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t sw = ik_host_switch(f, h);
        w->hosts[first[sw == IK_NONE ? f->num_switches : sw]++] = ik_host_node(f, h);
    }
    memmove(first + 1, first, f->num_switches * sizeof *first);
    first[0] = 0;
}

static ik_status racks_order_make(racks_work *w, const rack_key *keys, const uint32_t *first,
                                  ik_error *err)
{
    const ik_fabric *f = w->f;
    uint32_t alone = f->num_hosts - first[f->num_switches];
    w->blocks = ik_calloc((size_t)f->num_switches + alone + 1, sizeof *w->blocks);
    if (!w->blocks)
        return ik_fail_memory(err, (size_t)f->num_switches * sizeof *w->blocks, "a floor plan");
    for (uint32_t i = 0; i < f->num_switches; i++) {
        uint32_t sw = keys[i].sw;
        w->blocks[w->num_blocks++] =
            (rack_block){sw, keys[i].group, first[sw], first[sw + 1] - first[sw],
                         w->grid ? f->switch_xy[sw] : (ik_xy){0, 0}};
    }
    for (uint32_t i = 0; i < alone; i++)
        w->blocks[w->num_blocks++] =
            (rack_block){IK_NONE, IK_NONE, first[f->num_switches] + i, 1, {0, 0}};
    w->grid = w->grid && alone == 0;
    return IK_OK;
}

ik_status racks_order_blocks(racks_work *w, ik_error *err)
{
    const ik_fabric *f = w->f;
    size_t num = (size_t)f->num_switches + 2;
    rack_key *keys = ik_calloc(num, sizeof *keys);
    uint32_t *first = ik_calloc(num, sizeof *first);
    w->hosts = ik_calloc((size_t)f->num_hosts + 1, sizeof *w->hosts);
    ik_status status = keys && first && w->hosts
                           ? racks_order_keys(w, keys, err)
                           : ik_fail_memory(err, num * sizeof *keys, "the order of switches");
    if (status == IK_OK) {
        qsort(keys, f->num_switches, sizeof *keys, racks_order_compare);
        racks_order_hosts(w, first);
        status = racks_order_make(w, keys, first, err);
    }
    free(keys);
    free(first);
    return status;
}
