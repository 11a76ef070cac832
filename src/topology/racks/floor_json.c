/* SPDX-License-Identifier: Apache-2.0
 *
 * floor_json.c: floor plans as JSON.
 */
#include "ikat/floor_plan.h"

#include <assert.h>
#include <stdlib.h>

enum { FLOOR_DIGITS = 12 };

static void floor_json_metres(ik_json *j, const char *key, uint64_t mm)
{
    ik_json_real(j, key, (double)mm / 1000, FLOOR_DIGITS);
}

void ik_floor_plan_json(const ik_floor_plan *plan, ik_json *j)
{
    ik_json_uint(j, "rows", plan->rows);
    ik_json_uint(j, "row_racks", plan->row_racks);
    ik_json_uint(j, "racks", plan->num_racks);
    ik_json_uint(j, "copper_cables", plan->cables[IK_CABLE_COPPER]);
    ik_json_uint(j, "optical_cables", plan->cables[IK_CABLE_OPTICAL]);
    ik_json_uint(j, "inside_racks", plan->inside_racks);
    floor_json_metres(j, "copper_m", plan->length_mm[IK_CABLE_COPPER]);
    floor_json_metres(j, "optical_m", plan->length_mm[IK_CABLE_OPTICAL]);
    floor_json_metres(j, "longest_m", plan->longest_mm);
    floor_json_metres(j, "before_search_m", plan->first_mm);
    floor_json_metres(j, "after_search_m", plan->found_mm);
}

/* ---- racks */

/* Nodes by rack: those of rack r are node[first[r]] … node[first[r + 1] - 1], in order. */
typedef struct floor_contents {
    uint32_t *first, *node;
} floor_contents;

static ik_status floor_json_sort(const ik_floor_plan *p, floor_contents *c, ik_error *err)
{
    const uint32_t nodes = p->num_switches + p->num_hosts;
    c->first = ik_calloc((size_t)p->num_racks + 2, sizeof *c->first);
    c->node = ik_calloc((size_t)nodes + 1, sizeof *c->node);
    if (!c->first || !c->node)
        return ik_fail_memory(err, nodes * sizeof *c->node, "the contents of racks");
    for (uint32_t i = 0; i < nodes; i++)
        c->first[p->node_rack[i] + 2]++;
    for (uint32_t r = 1; r <= p->num_racks; r++)
        c->first[r + 1] += c->first[r];
    for (uint32_t i = 0; i < nodes; i++)
        c->node[c->first[p->node_rack[i] + 1]++] = i;
    return IK_OK;
}

/* The nodes in [low, high) of a rack, as the first and last number of each range, from 0. */
static void floor_json_ranges(ik_json *j, const uint32_t *node, uint32_t num, uint32_t low,
                              uint32_t high)
{
    ik_json_array(j, NULL);
    for (uint32_t i = 0, end; i < num; i = end) {
        for (end = i + 1; end < num && node[end] == node[end - 1] + 1 && node[end] != high;)
            end++;
        if (node[i] < low || node[i] >= high)
            continue;
        ik_json_uint(j, NULL, node[i] - low);
        ik_json_uint(j, NULL, node[end - 1] - low);
    }
    ik_json_close(j);
}

ik_status ik_floor_racks_json(const ik_floor_plan *plan, ik_json *j, ik_error *err)
{
    const uint32_t switches = plan->num_switches, nodes = switches + plan->num_hosts;
    floor_contents c = {0};
    ik_status status = floor_json_sort(plan, &c, err);
    ik_json_array(j, "contents");
    for (uint32_t r = 0; status == IK_OK && r < plan->num_racks; r++) {
        const uint32_t *node = c.node + c.first[r], num = c.first[r + 1] - c.first[r];
        ik_json_array(j, NULL);
        ik_json_uint(j, NULL, plan->racks[r].row);
        ik_json_uint(j, NULL, plan->racks[r].column);
        ik_json_uint(j, NULL, plan->racks[r].used_units);
        floor_json_ranges(j, node, num, 0, switches);
        floor_json_ranges(j, node, num, switches, nodes);
        ik_json_close(j);
    }
    ik_json_close(j);
    free(c.first);
    free(c.node);
    return status;
}
